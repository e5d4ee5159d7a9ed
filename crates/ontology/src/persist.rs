//! The live graph on disk: JSON Lines, replaced as a whole.
//!
//! The first line says what the file is. Then come the rows that were last imported from the configured files, so
//! that a later change of those can be told from a change here, and the rows of each graph's crawls.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter};
use std::path::{Path, PathBuf};

use mge_core::{Digest, EdgeRow, Fault, GraphRow, NodeRow};
use serde::{Deserialize, Serialize};

use crate::graph::{Graph, Origin};

/// The version that is written, and the newest that is read.
const VERSION: u32 = 1;
const FORMAT: &str = "mge-ontology-graph";
/// How an imported row starts when it was written here: most need no parsing.
const IMPORTED: &str = "{\"origin\":\"import\"";

/// Why the stored graph cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("cannot read '{}': {source}", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write '{}': {source}", .path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("'{}' is not a stored ontology graph", .path.display())]
    Foreign { path: PathBuf },
    #[error("'{}' has version {found}, and this program reads up to {VERSION}", .path.display())]
    Newer { path: PathBuf, found: u32 },
    #[error("line {line} of '{}' is not a row: {reason}", .path.display())]
    Damaged { path: PathBuf, line: usize, reason: String },
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::Read { path, .. } => Fault::new(message).at(path, None, None),
            StoreError::Write { path, .. } => {
                Fault::new(message).at(path, None, None).hint("make the folder writable, or free some space")
            }
            StoreError::Foreign { path } => Fault::new(message)
                .at(path, Some(1), None)
                .hint("name another file under \"persistence\"; this one stays as it is"),
            StoreError::Newer { path, .. } => Fault::new(message).at(path, Some(1), None).hint("update mge"),
            StoreError::Damaged { path, line, .. } => Fault::new(message)
                .at(path, Some(line), None)
                .hint("move the file away; the next crawl writes its rows anew"),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    version: u32,
    format: String,
    /// The digest of the imported rows.
    import: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredOrigin {
    Import,
    Crawl,
}

/// A row as it is written; a node has no ends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRow<'a> {
    origin: StoredOrigin,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    graph: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    src: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    dst: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", borrow)]
    attributes: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

/// What a stored graph holds beside its rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    /// The digest of the imported rows, as it is written.
    pub(crate) import: String,
    /// The rows of crawls.
    pub(crate) crawled: u64,
}

/// Adds the rows of crawls to a graph, and with `imported` those of the last import; `None` without a file.
pub(crate) fn read(path: &Path, graph: &mut Graph, imported: bool) -> Result<Option<Stored>, StoreError> {
    let Some((header, lines)) = open(path)? else { return Ok(None) };
    let mut stored = Stored { import: header.import, crawled: 0 };
    for_each_line(path, lines, |number, line| {
        if !imported && line.starts_with(IMPORTED) {
            return Ok(());
        }
        let row = parse(path, number, line)?;
        let origin = match row.origin {
            StoredOrigin::Crawl => {
                stored.crawled += 1;
                Origin::Crawl
            }
            StoredOrigin::Import if imported => Origin::Curated,
            StoredOrigin::Import => return Ok(()),
        };
        let cells = row.attributes.iter().map(|(column, cell)| (column.as_ref(), cell.as_ref()));
        let added = match (&row.src, &row.dst) {
            (Some(src), Some(dst)) => graph.add_edge([src, dst], &row.id, cells, number as u32, origin),
            _ => graph.add_node(&row.id, cells, number as u32, origin),
        };
        added.map_err(|error| damaged(path, number, error))
    })?;
    Ok(Some(stored))
}

/// Returns the digest of the rows that were last imported; `None` without a file.
pub(crate) fn import_of(path: &Path) -> Result<Option<String>, StoreError> {
    Ok(open(path)?.map(|(header, _)| header.import))
}

/// Counts the rows of crawls without keeping any; `None` without a readable file.
pub(crate) fn count_crawled(path: &Path) -> Option<u64> {
    let (_, lines) = open(path).ok()??;
    let mut count = 0;
    for_each_line(path, lines, |_, line| {
        count += u64::from(!line.starts_with(IMPORTED));
        Ok(())
    })
    .ok()?;
    Some(count)
}

/// Whose rows are written anew.
pub(crate) struct Replacement<'a> {
    /// The evidence graph that crawled them.
    pub(crate) graph: &'a str,
    /// All of its rows.
    pub(crate) rows: &'a mut dyn Iterator<Item = GraphRow>,
}

/// Writes the curated rows of `graph` and all crawled rows, replacing the file at once and durably.
pub(crate) fn write(
    path: &Path,
    graph: &Graph,
    replacement: Option<Replacement<'_>>,
) -> Result<(), StoreError> {
    let old = open(path)?;
    let fail = |source| StoreError::Write { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(fail)?;
    // One writer holds the endpoint's lock, so a left-over of this name is from a crash and free to go.
    let mut name = path.file_name().map(std::ffi::OsStr::to_owned).unwrap_or_default();
    name.push(".new");
    let temporary = folder.join(name);
    let written = write_rows(&temporary, path, graph, old, replacement);
    let done = written.and_then(|()| std::fs::rename(&temporary, path).map_err(fail));
    if done.is_err() {
        // Nothing was replaced; what is left of the attempt only takes space.
        let _ = std::fs::remove_file(&temporary);
        return done;
    }
    sync_folder(folder).map_err(fail)
}

fn write_rows(
    temporary: &Path,
    path: &Path,
    graph: &Graph,
    old: Option<(Header, BufReader<File>)>,
    replacement: Option<Replacement<'_>>,
) -> Result<(), StoreError> {
    let fail = |source| StoreError::Write { path: temporary.to_owned(), source };
    let mut out = BufWriter::new(File::create(temporary).map_err(fail)?);
    let header =
        Header { version: VERSION, format: FORMAT.to_owned(), import: graph.curated_digest().to_string() };
    let mut line = |row: &dyn erased::Line| row.write(&mut out).map_err(fail);
    line(&header)?;
    for level in graph.levels().filter(|level| graph.origin(*level) == Origin::Curated) {
        line(&stored_node(graph, level))?;
    }
    for edge in graph.edges().filter(|edge| graph.edge_origin(*edge) == Origin::Curated) {
        line(&stored_edge(graph, edge))?;
    }
    let replaced = replacement.as_ref().map(|replacement| replacement.graph);
    if let Some((_, lines)) = old {
        for_each_line(path, lines, |number, text| {
            if text.starts_with(IMPORTED) {
                return Ok(());
            }
            let row = parse(path, number, text)?;
            let keep = row.origin == StoredOrigin::Crawl && row.graph.as_deref() != replaced;
            if keep { line(&row) } else { Ok(()) }
        })?;
    }
    if let Some(Replacement { graph, rows }) = replacement {
        for row in rows {
            line(&stored_crawl(graph, &row))?;
        }
    }
    let file = out.into_inner().map_err(|error| fail(error.into_error()))?;
    file.sync_all().map_err(fail)
}

/// Lines of different types go through one writer.
mod erased {
    use std::io::Write;

    pub(super) trait Line {
        fn write(&self, out: &mut dyn Write) -> std::io::Result<()>;
    }

    impl<T: serde::Serialize> Line for T {
        fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
            serde_json::to_writer(&mut *out, self)?;
            out.write_all(b"\n")
        }
    }
}

fn owned(attributes: BTreeMap<&str, &str>) -> BTreeMap<Cow<'static, str>, Cow<'static, str>> {
    attributes
        .into_iter()
        .map(|(column, cell)| (Cow::from(column.to_owned()), Cow::from(cell.to_owned())))
        .collect()
}

fn stored_node(graph: &Graph, level: u32) -> StoredRow<'_> {
    StoredRow {
        origin: StoredOrigin::Import,
        graph: None,
        src: None,
        dst: None,
        id: graph.id(level).into(),
        attributes: owned(graph.attributes(level)),
    }
}

fn stored_edge(graph: &Graph, edge: u32) -> StoredRow<'_> {
    let [src, dst] = graph.ends(edge).map(|end| Some(Cow::from(graph.id(end))));
    let attributes = owned(graph.edge_attributes(edge));
    StoredRow {
        origin: StoredOrigin::Import,
        graph: None,
        src,
        dst,
        id: graph.edge_id(edge).into(),
        attributes,
    }
}

fn stored_crawl<'a>(graph: &'a str, row: &'a GraphRow) -> StoredRow<'a> {
    let (src, dst, id, attributes) = match row {
        GraphRow::Node(NodeRow { id, attributes }) => (None, None, id, attributes),
        GraphRow::Edge(EdgeRow { src, dst, id, attributes }) => (Some(src), Some(dst), id, attributes),
    };
    let text = |text: &'a String| Cow::from(text.as_str());
    StoredRow {
        origin: StoredOrigin::Crawl,
        graph: Some(graph.into()),
        src: src.map(text),
        dst: dst.map(text),
        id: text(id),
        attributes: attributes.iter().map(|(column, cell)| (text(column), text(cell))).collect(),
    }
}

/// Opens a stored graph behind its header; `None` when there is no file.
fn open(path: &Path) -> Result<Option<(Header, BufReader<File>)>, StoreError> {
    let fail = |source| StoreError::Read { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(error)),
    };
    let mut lines = BufReader::new(file);
    let mut first = Vec::new();
    // A foreign file may be one endless line; ours start with a short one.
    std::io::Read::take(&mut lines, 4096).read_until(b'\n', &mut first).map_err(fail)?;
    let foreign = || StoreError::Foreign { path: path.to_owned() };
    let value: serde_json::Value = serde_json::from_slice(&first).map_err(|_| foreign())?;
    if value["format"] != FORMAT {
        return Err(foreign());
    }
    // The version is checked before anything else of the header, which a newer one may have changed.
    match value["version"].as_u64().and_then(|version| u32::try_from(version).ok()) {
        Some(found) if found > VERSION => return Err(StoreError::Newer { path: path.to_owned(), found }),
        Some(_) => {}
        None => return Err(foreign()),
    }
    let header = Header::deserialize(value).map_err(|_| foreign())?;
    Ok(Some((header, lines)))
}

fn for_each_line(
    path: &Path,
    mut lines: BufReader<File>,
    mut each: impl FnMut(usize, &str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut bytes = Vec::new();
    for number in 2.. {
        bytes.clear();
        let read = lines
            .read_until(b'\n', &mut bytes)
            .map_err(|source| StoreError::Read { path: path.to_owned(), source })?;
        if read == 0 {
            break;
        }
        let line = std::str::from_utf8(&bytes).map_err(|error| damaged(path, number, error))?;
        each(number, line)?;
    }
    Ok(())
}

fn parse<'a>(path: &Path, number: usize, line: &'a str) -> Result<StoredRow<'a>, StoreError> {
    serde_json::from_str(line).map_err(|error| damaged(path, number, error))
}

fn damaged(path: &Path, line: usize, reason: impl ToString) -> StoreError {
    StoreError::Damaged { path: path.to_owned(), line, reason: reason.to_string() }
}

/// Makes a rename durable.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// What changed between two states of curated rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) added: usize,
    pub(crate) removed: usize,
    pub(crate) changed: usize,
}

/// Compares the curated rows of a graph with those of the last import; `None` when they are equal or none is stored.
pub(crate) fn difference(
    path: &Path,
    graph: &Graph,
    digest: Digest,
) -> Result<Option<Difference>, StoreError> {
    let Some((header, _)) = open(path)? else { return Ok(None) };
    if header.import == digest.to_string() {
        return Ok(None);
    }
    let mut before = Graph::default();
    read(path, &mut before, true)?;
    before.finish();
    let (old, new) = (before.curated(), graph.curated());
    let mut difference = Difference::default();
    count(&old.nodes, &new.nodes, |row| &row.id, &mut difference);
    count(&old.edges, &new.edges, |row| (&row.src, &row.dst, &row.id), &mut difference);
    Ok(Some(difference))
}

fn count<'a, T: PartialEq, K: Ord>(
    old: &'a [T],
    new: &'a [T],
    key: impl Fn(&'a T) -> K,
    into: &mut Difference,
) {
    let old: BTreeMap<K, &T> = old.iter().map(|row| (key(row), row)).collect();
    let mut kept = 0;
    for row in new {
        match old.get(&key(row)) {
            None => into.added += 1,
            Some(before) => {
                kept += 1;
                into.changed += usize::from(**before != *row);
            }
        }
    }
    into.removed += old.len() - kept;
}
