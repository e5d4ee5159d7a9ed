//! A source: a folder of files as one tree of nodes.

use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use ignore::gitignore::Gitignore;
use jiff::tz::TimeZone;
use mge_core::{
    Cancel, ChunkRule, Corpus, CorpusError, Digest, Document, DocumentRef, Documents, Index, Interval,
    NoProgress, Progress, Span, escape_part, unescape_part,
};
use serde_json::{Value, json};

use crate::cache::{Cache, ParsedFile, Stamp};
use crate::chunks;
use crate::config::{Authority, DateFrom, SourceConfig, SourceType};
use crate::date;
use crate::error::OpenError;
use crate::place::{Clusters, Place, Resolved, is_cluster_part};
use crate::shelf::{FileId, FileTable, Folder, ReadError, Rules, Shelf, Shelved, Skipped, globs};
use crate::tree::{self, Attributes, ElementKind, NodeId, Tree, line_count};
use crate::view::{Extent, NodeKind, NodeView};

/// Markdown files as one tree of nodes, parsed on demand.
///
/// Nothing that it answers holds a path outside of their folder.
pub struct Source {
    name: String,
    shelf: Arc<dyn Shelf>,
    authority: Vec<(Gitignore, f64)>,
    config: SourceConfig,
    timezone: TimeZone,
    files: RwLock<Arc<FileTable>>,
    cache: Cache,
    /// The file found last: a walk asks for one file many times in a row.
    found: AtomicU32,
}

impl Source {
    /// Opens a source of the Markdown files below `root` and lists them.
    ///
    /// # Errors
    /// The folder is not there or cannot be listed, or a pattern is wrong.
    pub fn open(
        name: &str,
        root: &Path,
        config: SourceConfig,
        timezone: TimeZone,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Self, OpenError> {
        let rules = Rules::new(&config.extensions, &config.exclude)?;
        let shelf = Arc::new(Folder::open(root, rules, config.max_file_bytes)?);
        Self::on(name, shelf, config, timezone, progress, cancel)
    }

    /// Opens a source of what is on a shelf and lists it.
    pub(crate) fn on(
        name: &str,
        shelf: Arc<dyn Shelf>,
        config: SourceConfig,
        timezone: TimeZone,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Self, OpenError> {
        let authority = match &config.authority {
            None => Vec::new(),
            Some(Authority::All(authority)) => vec![(globs(&["**".to_owned()])?, *authority)],
            Some(Authority::ByGlob(entries)) => entries
                .iter()
                .map(|entry| Ok((globs(std::slice::from_ref(&entry.glob))?, entry.authority)))
                .collect::<Result<_, OpenError>>()?,
        };
        let files = RwLock::new(Arc::new(shelf.list(progress, cancel)?));
        let cache = Cache::new(config.cache_size);
        let (name, found) = (name.to_owned(), AtomicU32::new(0));
        Ok(Self { name, shelf, authority, config, timezone, files, cache, found })
    }

    /// Lists the files anew. Files that came, went or changed since are seen.
    ///
    /// # Errors
    /// The folder is gone or cannot be listed.
    pub fn refresh(&self, progress: &dyn Progress, cancel: &Cancel) -> Result<(), OpenError> {
        let mut files = self.shelf.list(progress, cancel)?;
        let mut present = self.files.write().unwrap_or_else(PoisonError::into_inner);
        // The cache knows files by their numbers, which hold for one list of names.
        if files.same_names(&present) {
            files.generation = present.generation;
        } else {
            files.generation = present.generation + 1;
            self.cache.clear();
        }
        *present = Arc::new(files);
        Ok(())
    }

    /// Returns the number of files.
    pub fn file_count(&self) -> usize {
        self.files().len()
    }

    /// Returns what was left out of the listing: the path below the folder, and the reason.
    pub fn skipped(&self) -> Vec<(String, String)> {
        self.files().skipped.iter().map(|skipped| (skipped.path.clone(), skipped.reason.clone())).collect()
    }

    pub(crate) fn has_failures(&self) -> bool {
        self.files().skipped.iter().any(|skipped| skipped.failed)
    }

    /// Returns what tells whether a file has changed, without reading it.
    pub(crate) fn stamp(&self, files: &FileTable, id: FileId) -> io::Result<Stamp> {
        self.shelf.stamp(files.path(id))
    }

    /// Returns the name of what makes the text of the files, where that is not the files alone.
    pub(crate) fn maker(&self) -> &str {
        self.shelf.maker()
    }

    /// Returns the language that the configuration gives all documents.
    pub(crate) fn language(&self) -> Option<&str> {
        self.config.language.as_deref()
    }

    /// Returns the page that a byte of a file stands on, where its original has pages.
    pub(crate) fn page(&self, files: &FileTable, id: FileId, byte: usize) -> Option<String> {
        if self.config.r#type != SourceType::PdfMirror {
            return None;
        }
        let file = self.parsed(files, id).ok()?;
        file.origin.as_ref()?.page(byte).map(str::to_owned)
    }

    /// Returns the listing as it is now.
    pub(crate) fn files(&self) -> Arc<FileTable> {
        Arc::clone(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the indices of the children of an index, in order; none for a leaf.
    ///
    /// # Errors
    /// Nothing has this index, or its file cannot be read.
    pub fn children(&self, index: &str) -> Result<Vec<String>, CorpusError> {
        let files = self.files();
        let resolved = self.resolve(&files, index)?;
        let prefix = resolved.given;
        Ok(match resolved.place {
            Place::Root | Place::Cluster(..) => {
                let clusters = Clusters::new(files.len(), self.config.cluster_size);
                clusters
                    .children(resolved.place)
                    .map(|child| match child {
                        Place::File(id) => format!("{prefix}|{}", file_part(files.path(id))),
                        child => format!("{prefix}|{child}"),
                    })
                    .collect()
            }
            Place::File(id) => {
                let file = self.parsed(&files, id)?;
                file.tree.children(None).map(|child| file.tree.index_below(prefix, child)).collect()
            }
            Place::Element(id, node) => {
                let file = self.parsed_of(&files, id, resolved.file)?;
                // Inside a file the form is flat.
                let prefix = prefix.rsplit_once('|').map_or("", |(file, _)| file);
                let children = file.tree.children(Some(node));
                children.map(|child| file.tree.index_below(prefix, child)).collect()
            }
        })
    }

    /// Returns what stands at an index: the text of a leaf, the description of other nodes.
    ///
    /// # Errors
    /// Nothing has this index, or its file cannot be read.
    pub fn object(&self, index: &str) -> Result<NodeView<'_>, CorpusError> {
        let files = self.files();
        let resolved = self.resolve(&files, index)?;
        match resolved.place {
            Place::File(id) => {
                let file = self.parsed(&files, id)?;
                Ok(self.kept(self.file_view(files.path(id), &file)))
            }
            Place::Element(id, node) => {
                let file = self.parsed_of(&files, id, resolved.file)?;
                let index = file.tree.index_below(file.index.as_str(), node);
                Ok(self.kept(self.element_view(&file, node, index.into())))
            }
            place => Ok(self.kept(self.group_view(&files, place, resolved.given.into()))),
        }
    }

    /// Makes a view live as long as the source.
    fn kept<'a>(&'a self, view: NodeView<'_>) -> NodeView<'a> {
        let NodeView { kind, text, index, extent, page, .. } = view;
        let (text, index) = (text.into_owned().into(), index.into_owned().into());
        let page = page.map(|page| page.into_owned().into());
        NodeView { kind, text, index, extent, page, source: &self.name }
    }

    /// Shows every node below an index and the node itself, each before those below it.
    ///
    /// It visits what asking for all objects and children would; files are read one after the other and not kept.
    /// A file that cannot be read is visited as its error.
    ///
    /// # Errors
    /// Nothing has this index, or its own file cannot be read.
    pub fn walk(
        &self,
        index: &str,
        visit: &mut dyn FnMut(Result<&NodeView<'_>, CorpusError>),
    ) -> Result<(), CorpusError> {
        let files = self.files();
        let resolved = self.resolve(&files, index)?;
        match resolved.place {
            Place::File(id) => self.walk_file(&files, id, visit),
            Place::Element(id, node) => {
                let file = self.parsed_of(&files, id, resolved.file)?;
                self.walk_elements(&file, Some(node), visit);
                Ok(())
            }
            place => {
                self.walk_group(&files, place, resolved.given, visit);
                Ok(())
            }
        }
    }

    fn walk_group(
        &self,
        files: &FileTable,
        place: Place,
        index: &str,
        visit: &mut dyn FnMut(Result<&NodeView<'_>, CorpusError>),
    ) {
        visit(Ok(&self.group_view(files, place, index.into())));
        // Clusters nest as deep as a number of files has digits.
        for child in Clusters::new(files.len(), self.config.cluster_size).children(place) {
            match child {
                Place::File(id) => {
                    if let Err(error) = self.walk_file(files, id, visit) {
                        visit(Err(error));
                    }
                }
                child => self.walk_group(files, child, &format!("{index}|{child}"), visit),
            }
        }
    }

    fn walk_file(
        &self,
        files: &FileTable,
        id: FileId,
        visit: &mut dyn FnMut(Result<&NodeView<'_>, CorpusError>),
    ) -> Result<(), CorpusError> {
        let read = self.read_file(files, id)?;
        let tree = tree::parse(&read.text).tree;
        let index = self.file_index(files, id);
        let file = ParsedFile { index, text: read.text.into(), tree, stamp: read.stamp, origin: read.origin };
        visit(Ok(&self.file_view(files.path(id), &file)));
        self.walk_elements(&file, None, visit);
        Ok(())
    }

    /// Visits an element and what is below it, or all of a file.
    fn walk_elements(
        &self,
        file: &ParsedFile,
        start: Option<NodeId>,
        visit: &mut dyn FnMut(Result<&NodeView<'_>, CorpusError>),
    ) {
        let mut index = format!("{}|", file.index);
        let base = index.len();
        file.tree.each(start, &mut |node| {
            index.truncate(base);
            file.tree.push_local_name(node, &mut index);
            visit(Ok(&self.element_view(file, node, index.as_str().into())));
        });
    }

    fn group_view<'a>(&'a self, files: &FileTable, place: Place, given: Cow<'a, str>) -> NodeView<'a> {
        let range = Clusters::new(files.len(), self.config.cluster_size).files(place);
        let extent = Extent::Files(range.len());
        if place == Place::Root {
            let text = self.config.description_text().into();
            let index = Cow::Borrowed(self.name.as_str());
            return NodeView { kind: NodeKind::Source, text, index, extent, page: None, source: &self.name };
        }
        let (first, last) = (files.path(range.start), files.path(range.end.saturating_sub(1)));
        let text = format!("{} files, from {first} to {last}", range.len()).into();
        NodeView { kind: NodeKind::Cluster, text, index: given, extent, page: None, source: &self.name }
    }

    fn file_view<'a>(&'a self, path: &str, file: &'a ParsedFile) -> NodeView<'a> {
        let extent = Extent::Text { lines: 0..line_count(&file.text), span: Span::new(0, file.text.len()) };
        let text = file_description(path, &file.tree, &file.text).into();
        let index = file.index.as_str().into();
        NodeView { kind: NodeKind::File, text, index, extent, page: None, source: &self.name }
    }

    fn element_view<'a>(&'a self, file: &'a ParsedFile, node: NodeId, index: Cow<'a, str>) -> NodeView<'a> {
        let kind = file.tree.kind(node).unwrap_or(ElementKind::Text);
        let text = if kind.is_leaf() {
            file.tree.content(node, &file.text)
        } else {
            file.tree.description(node, &file.text).into()
        };
        let (first, end) = file.tree.lines(node);
        let span = file.tree.span(node);
        let page = file.origin.as_ref().and_then(|origin| origin.page(span.start)).map(Cow::Borrowed);
        let extent = Extent::Text { lines: first..end, span };
        NodeView { kind: NodeKind::Element(kind), text, index, extent, page, source: &self.name }
    }

    /// Returns all text below an index, as it is written.
    ///
    /// # Errors
    /// Nothing has this index, a file cannot be read, or there is more than `MOST_TEXT` bytes of it.
    pub fn text(&self, index: &str) -> Result<String, CorpusError> {
        let files = self.files();
        let resolved = self.resolve(&files, index)?;
        match resolved.place {
            Place::Root | Place::Cluster(..) => {
                let mut whole = String::new();
                for id in Clusters::new(files.len(), self.config.cluster_size).files(resolved.place) {
                    let file = self.parsed(&files, id)?;
                    if !whole.is_empty() {
                        whole.push_str(if whole.ends_with('\n') { "\n" } else { "\n\n" });
                    }
                    whole.push_str(&file.text);
                    if whole.len() > MOST_TEXT {
                        let (size, limit) = (whole.len() as u64, MOST_TEXT as u64);
                        return Err(CorpusError::TooLarge { index: Index::new(resolved.given), size, limit });
                    }
                }
                Ok(whole)
            }
            Place::File(id) => Ok(self.parsed(&files, id)?.text.to_string()),
            Place::Element(id, node) => {
                let file = self.parsed_of(&files, id, resolved.file)?;
                Ok(file.tree.span(node).slice(&file.text).unwrap_or_default().to_owned())
            }
        }
    }

    /// Returns the files and headings below an index, `depth` levels down, as `{index, depth, type, description}`.
    ///
    /// A file that cannot be read has its reason as `error`. The list ends with `{"truncated": true}` when there
    /// is more than `MOST_ROWS`.
    ///
    /// # Errors
    /// Nothing has this index, or its own file cannot be read.
    pub fn outline(&self, index: &str, depth: usize) -> Result<Vec<Value>, CorpusError> {
        let files = self.files();
        let resolved = self.resolve(&files, index)?;
        let mut rows = Vec::new();
        match resolved.place {
            Place::Root | Place::Cluster(..) => {
                // Clusters are no part of what a source is about.
                for id in Clusters::new(files.len(), self.config.cluster_size).files(resolved.place) {
                    if depth == 0 || !self.outline_file(&files, id, depth - 1, &mut rows) {
                        break;
                    }
                }
            }
            Place::File(id) => {
                let file = self.parsed(&files, id)?;
                outline_elements(&file, file.tree.children(None), depth, 0, &mut rows);
            }
            Place::Element(id, node) => {
                let file = self.parsed_of(&files, id, resolved.file)?;
                outline_elements(&file, file.tree.children(Some(node)), depth, 0, &mut rows);
            }
        }
        if rows.len() > MOST_ROWS {
            rows.truncate(MOST_ROWS);
            rows.push(json!({"truncated": true}));
        }
        Ok(rows)
    }

    /// Adds a file and its headings; tells whether there is room for more.
    fn outline_file(&self, files: &FileTable, id: FileId, depth: usize, rows: &mut Vec<Value>) -> bool {
        let index = self.file_index(files, id);
        match self.parsed(files, id) {
            Ok(file) => {
                rows.push(json!({
                    "index": index.as_str(),
                    "depth": 1,
                    "type": "FILE",
                    "description": file_description(files.path(id), &file.tree, &file.text),
                }));
                outline_elements(&file, file.tree.children(None), depth, 1, rows);
            }
            Err(error) => rows.push(json!({
                "index": index.as_str(),
                "depth": 1,
                "type": "FILE",
                "description": format!("File: {}", files.path(id)),
                "error": error.to_string(),
            })),
        }
        rows.len() <= MOST_ROWS
    }

    /// Returns the canonical index of a file.
    pub(crate) fn file_index(&self, files: &FileTable, id: FileId) -> Index {
        Index::new(format!("{}|{}", self.name, file_part(files.path(id))))
    }

    /// Finds the node that an index names.
    fn resolve<'a>(&'a self, files: &FileTable, index: &'a str) -> Result<Resolved<'a>, CorpusError> {
        if index.is_empty() || index == self.name {
            return Ok(Resolved { place: Place::Root, given: &self.name, file: None });
        }
        let missing = |existing: &str| CorpusError::NotFound {
            index: Index::new(shortened(index)),
            existing: Index::new(existing),
        };
        let Some(rest) = index.strip_prefix(&self.name).and_then(|rest| rest.strip_prefix('|')) else {
            return Err(missing(""));
        };
        let clusters = Clusters::new(files.len(), self.config.cluster_size);
        let mut place = Place::Root;
        let mut sound = true;
        let mut file = None;
        let mut known = self.name.len();
        let mut position = self.name.len() + 1;
        for part in rest.split('|') {
            let end = position + part.len();
            let existing = &index[..known];
            let next = match place {
                Place::Root | Place::Cluster(..) if is_cluster_part(part) => {
                    // A file is found below whatever clusters it was in when the index was written.
                    match clusters.child(place, part).filter(|_| sound) {
                        Some(cluster) => Some(cluster),
                        None => {
                            sound = false;
                            position = end + 1;
                            continue;
                        }
                    }
                }
                Place::Root | Place::Cluster(..) => self.find_file(files, part).map(Place::File),
                Place::File(id) => {
                    let parsed = self.parsed(files, id)?;
                    let node = parsed.tree.find(part);
                    file = Some(parsed);
                    node.map(|node| Place::Element(id, node))
                }
                Place::Element(..) => None,
            };
            place = next.ok_or_else(|| missing(existing))?;
            if matches!(place, Place::File(_)) {
                sound = true;
            }
            known = end;
            position = end + 1;
        }
        if !sound {
            return Err(missing(&index[..known]));
        }
        Ok(Resolved { place, given: index, file })
    }

    fn find_file(&self, files: &FileTable, part: &str) -> Option<FileId> {
        let recent = self.found.load(Ordering::Relaxed);
        let plain = || !part.bytes().any(|byte| matches!(byte, b'%' | b':'));
        if !part.is_empty() && files.path(recent) == part && plain() {
            return Some(recent);
        }
        let found = find_file(files, part)?;
        self.found.store(found, Ordering::Relaxed);
        Some(found)
    }

    /// Returns a file's text and elements, from the cache or from the disk.
    fn parsed(&self, files: &FileTable, id: FileId) -> Result<Arc<ParsedFile>, CorpusError> {
        let path = files.path(id);
        let key = (files.generation, id);
        let stamp = || self.shelf.stamp(path).ok();
        if let Some(file) = self.cache.get(key, stamp) {
            return Ok(file);
        }
        let read = self.read_file(files, id)?;
        let tree = tree::parse(&read.text).tree;
        let index = self.file_index(files, id);
        let file = Arc::new(ParsedFile {
            index,
            text: read.text.into(),
            tree,
            stamp: read.stamp,
            origin: read.origin,
        });
        self.cache.put(key, Arc::clone(&file));
        Ok(file)
    }

    /// Returns the file that finding an element has parsed already.
    fn parsed_of(
        &self,
        files: &FileTable,
        id: FileId,
        found: Option<Arc<ParsedFile>>,
    ) -> Result<Arc<ParsedFile>, CorpusError> {
        found.map_or_else(|| self.parsed(files, id), Ok)
    }

    fn read_file(&self, files: &FileTable, id: FileId) -> Result<Shelved, CorpusError> {
        self.shelf.read(files.path(id)).map_err(|error| {
            let index = self.file_index(files, id);
            match error {
                ReadError::Gone => CorpusError::Gone { index },
                ReadError::Unreadable { reason, transient } => {
                    CorpusError::Unreadable { index, reason, transient }
                }
                ReadError::TooLarge { size, limit } => CorpusError::TooLarge { index, size, limit },
                ReadError::NotText { reason } => CorpusError::NotText { index, reason },
            }
        })
    }

    fn date(&self, path: &str, attributes: &Attributes, stamp: Stamp) -> Option<Interval> {
        match self.config.date_from {
            DateFrom::None => None,
            DateFrom::FrontMatter => date::of_text(attributes.get("date")?),
            DateFrom::FileName => date::in_name(path.rsplit('/').next().unwrap_or(path)),
            DateFrom::Mtime => date::of_nanoseconds(stamp.modified?, &self.timezone),
        }
    }

    fn authority(&self, path: &str) -> Option<f64> {
        let matching =
            self.authority.iter().find(|(glob, _)| glob.matched_path_or_any_parents(path, false).is_ignore());
        matching.map(|(_, authority)| *authority)
    }

    #[cfg(test)]
    pub(crate) fn cached(&self) -> usize {
        self.cache.len()
    }
}

/// The most bytes that [`Source::text`] returns of more than one file.
pub(crate) const MOST_TEXT: usize = 16 << 20;
/// The most rows of an outline.
pub(crate) const MOST_ROWS: usize = 2_000;

/// Writes a path as a part of an index.
fn file_part(path: &str) -> Cow<'_, str> {
    if !path.bytes().any(|byte| matches!(byte, b'%' | b'|' | b':')) {
        return path.into();
    }
    let part = escape_part(path);
    // A file named like a cluster would hide it.
    if is_cluster_part(&part) { part.replace(':', "%3A").into() } else { part.into() }
}

fn find_file(files: &FileTable, part: &str) -> Option<FileId> {
    if !part.contains(['%', ':']) {
        return files.find(part);
    }
    // A name that looks like a cluster is written with its colon escaped, and only so.
    if is_cluster_part(part) {
        return None;
    }
    let colon = part.replace("%3A", ":");
    if is_cluster_part(&colon) {
        return files.find(&colon);
    }
    // As it should be written, else with a percent sign that nobody escaped.
    files.find(&unescape_part(part)).or_else(|| part.contains('%').then(|| files.find(part)).flatten())
}

/// An index comes from a request, and an error repeats it.
fn shortened(index: &str) -> String {
    const LONGEST: usize = 400;
    if index.chars().count() <= LONGEST {
        return index.to_owned();
    }
    index.chars().take(LONGEST).chain("…".chars()).collect()
}

fn file_description(path: &str, tree: &Tree, text: &str) -> String {
    let heading = tree.of_kind(ElementKind::Header1).first();
    let title = heading.map(|heading| tree.title(*heading, text)).filter(|title| !title.is_empty());
    match title {
        Some(title) => format!("File: {path}, title: {title}"),
        None => format!("File: {path}"),
    }
}

fn outline_elements(
    file: &ParsedFile,
    children: impl Iterator<Item = NodeId>,
    depth: usize,
    above: usize,
    rows: &mut Vec<Value>,
) {
    // Headings nest at most six deep, so a stack of iterators stays small.
    let mut open: Vec<Vec<NodeId>> = vec![children.collect()];
    open[0].reverse();
    while let Some(level) = open.last_mut() {
        let Some(id) = level.pop() else {
            open.pop();
            continue;
        };
        let below = open.len();
        if below > depth || rows.len() > MOST_ROWS {
            return;
        }
        let Some(kind) = file.tree.kind(id).filter(|kind| kind.level().is_some()) else { continue };
        rows.push(json!({
            "index": file.tree.index_below(file.index.as_str(), id),
            "depth": above + below,
            "type": kind.name(),
            "description": file.tree.description(id, &file.text),
        }));
        if below < depth {
            let mut children: Vec<NodeId> = file.tree.children(Some(id)).collect();
            children.reverse();
            open.push(children);
        }
    }
}

impl Corpus for Source {
    fn name(&self) -> &str {
        &self.name
    }

    fn locate(&self, index: &Index) -> Result<Index, CorpusError> {
        let files = self.files();
        match self.resolve(&files, index.as_str()) {
            Ok(resolved) => Ok(match resolved.place {
                Place::Root => Index::new(&self.name),
                Place::Cluster(..) => Index::new(resolved.given),
                Place::File(id) | Place::Element(id, _) => self.file_index(&files, id),
            }),
            Err(error) => match self.folder(&files, index.as_str()) {
                Some(folder) => {
                    let folder = folder.trim_end_matches('/');
                    Ok(Index::new(format!("{}|{}", self.name, file_part(folder))))
                }
                None => Err(error),
            },
        }
    }

    fn documents<'a>(&'a self, below: &Index) -> Result<Documents<'a>, CorpusError> {
        self.refresh(&NoProgress, &Cancel::default()).map_err(|error| CorpusError::Unreadable {
            index: Index::new(&self.name),
            // The error names the folder, which is nobody else's business.
            reason: match error {
                OpenError::NoFolder { .. } => "its folder is gone".to_owned(),
                OpenError::Unreadable { reason, .. } => reason,
                OpenError::NotAFolder { .. } => "its folder is a file now".to_owned(),
                OpenError::BadGlob { .. } | OpenError::Cancelled => error.to_string(),
            },
            transient: false,
        })?;
        let files = self.files();
        let (range, folder) = match self.resolve(&files, below.as_str()) {
            Ok(resolved) => match resolved.place {
                Place::File(id) | Place::Element(id, _) => (id..id + 1, None),
                place => {
                    let whole = place == Place::Root;
                    let range = Clusters::new(files.len(), self.config.cluster_size).files(place);
                    (range, whole.then(String::new))
                }
            },
            Err(error) => match self.folder(&files, below.as_str()) {
                Some(folder) => (files.below(&folder), Some(folder)),
                None => return Err(error),
            },
        };
        let failures: Vec<Skipped> = match folder {
            None => Vec::new(),
            Some(folder) => {
                let below = |skipped: &&Skipped| skipped.failed && skipped.path.starts_with(&folder);
                files.skipped.iter().filter(below).cloned().collect()
            }
        };
        let failed = failures.into_iter().map(|skipped| {
            Err(CorpusError::Unreadable {
                index: Index::new(format!("{}|{}", self.name, file_part(&skipped.path))),
                reason: skipped.reason,
                transient: false,
            })
        });
        let listed = range.filter_map(move |id| {
            let index = self.file_index(&files, id);
            // A file that went since is none of the source's any more; what else is wrong, reading tells.
            let stamp = match self.shelf.stamp(files.path(id)) {
                Ok(stamp) => stamp,
                Err(error) if error.kind() == ErrorKind::NotFound => return None,
                Err(_) => Stamp { size: 0, modified: None },
            };
            Some(Ok(DocumentRef { index, size: stamp.size, modified: stamp.modified }))
        });
        Ok(Box::new(failed.chain(listed)))
    }

    fn read(&self, document: &Index, rule: ChunkRule) -> Result<Document, CorpusError> {
        let files = self.files();
        let resolved = self.resolve(&files, document.as_str())?;
        let (Place::File(id) | Place::Element(id, _)) = resolved.place else {
            return Err(CorpusError::Unreadable {
                index: document.clone(),
                reason: "it is no document but holds documents".to_owned(),
                transient: false,
            });
        };
        self.open_file(&files, id, rule).map(|opened| opened.document)
    }
}

/// A file that was opened as a document.
pub(crate) struct OpenedFile {
    pub(crate) document: Document,
    /// Tells this state of the file from others.
    pub(crate) stamp: Stamp,
    /// What the node of the file says of it.
    pub(crate) description: String,
}

impl Source {
    /// Reads a file and cuts it into chunks.
    pub(crate) fn open_file(
        &self,
        files: &FileTable,
        id: FileId,
        rule: ChunkRule,
    ) -> Result<OpenedFile, CorpusError> {
        let read = self.read_file(files, id)?;
        let path = files.path(id);
        let parsed = tree::parse_with_text(&read.text);
        let index = self.file_index(files, id);
        let mut chunks = chunks::chunks(&index, &read.text, &parsed, rule);
        if let Some(origin) = &read.origin {
            for chunk in &mut chunks {
                chunk.page = origin.page(chunk.span.start).map(str::to_owned);
            }
        }
        let title = chunks::title(&read.text, &parsed);
        let description = file_description(path, &parsed.tree, &read.text);
        let mut attributes = parsed.attributes;
        // What the Markdown says of itself goes before what the original said.
        for (key, value) in read.origin.into_iter().flat_map(|origin| origin.attributes) {
            attributes.values.entry(key).or_insert(value);
        }
        let stated = attributes.get("language").or_else(|| attributes.get("lang"));
        let document = Document {
            index,
            digest: Digest::of(read.text.as_bytes()),
            title,
            date: self.date(path, &attributes, read.stamp),
            language: stated.map(str::to_owned).or_else(|| self.config.language.clone()),
            authority: self.authority(path),
            attributes: attributes.values,
            chunks,
            text: read.text.into(),
        };
        Ok(OpenedFile { document, stamp: read.stamp, description })
    }

    /// Returns the folder that an index names, with its final `/`: a crawl may start at one.
    fn folder(&self, files: &FileTable, index: &str) -> Option<String> {
        let part = index.strip_prefix(&self.name)?.strip_prefix('|')?;
        if part.contains('|') {
            return None;
        }
        let folder = format!("{}/", unescape_part(part).trim_end_matches('/'));
        (!files.below(&folder).is_empty()).then_some(folder)
    }
}
