//! Searching a source, and proving what is found.

use std::collections::HashMap;
use std::io::ErrorKind;

use mge_core::{Chunk, ChunkRule, CorpusError, Document, FoundChunk, Index, Span};
use mge_search::{Answer, Hit, Mode, Query, SearchError};
use serde_json::{Map, Value, json};

use super::file::SourceIndex;
use super::mark::Mark;
use crate::shelf::{FileId, FileTable};
use crate::source::Source;

/// What is searched for.
pub(crate) struct Asked<'a> {
    pub(crate) query: &'a str,
    pub(crate) mode: Mode,
    pub(crate) limit: usize,
}

/// Why nothing can be found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FindError {
    /// There are no words.
    #[error("the query is empty")]
    Empty,
    /// There is no index yet, or none that this version can read.
    #[error("the search index is not there: {0}")]
    NotMade(SearchError),
    /// The index cannot be searched.
    #[error(transparent)]
    Index(#[from] SearchError),
}

/// So many more hits are asked for than are wanted: some may turn out to be of documents that have changed.
const SPARE: usize = 20;

/// A passage that was found, and still stands in its document.
pub(crate) struct Found {
    document: Index,
    /// The local name of its node; empty when it is the file as a whole.
    key: String,
    span: Span,
    page: Option<String>,
    hit: Hit,
}

/// What a search came to.
pub(crate) struct FoundAll {
    found: Vec<Found>,
    /// So many hits do not stand in their documents any more.
    outdated: usize,
}

impl SourceIndex {
    /// Searches. What no longer stands in its document is left out.
    pub(crate) fn search(&self, source: &Source, asked: &Asked<'_>) -> Result<FoundAll, FindError> {
        if asked.query.trim().is_empty() {
            return Err(FindError::Empty);
        }
        let index = self.reader().map_err(|error| match error {
            error @ (SearchError::Missing { .. } | SearchError::Outdated { .. }) => FindError::NotMade(error),
            error => FindError::Index(error),
        })?;
        let query =
            Query { mode: asked.mode, limit: asked.limit.saturating_add(SPARE), ..Query::new(asked.query) };
        let Answer { hits, .. } = index.search(&query)?;
        let files = source.files();
        let mut proof = Proof { source, files: &files, states: HashMap::new() };
        let mut all = FoundAll { found: Vec::new(), outdated: 0 };
        for hit in hits {
            if all.found.len() == asked.limit {
                break;
            }
            let place = proof.place(&hit, |document| {
                Ok(index.digest(document)?.and_then(|digest| Mark::parse(&digest)))
            })?;
            match place {
                Some(Place { id, key, span }) => {
                    let page = source.page(&files, id, span.start).filter(|_| !key.is_empty());
                    let document = source.file_index(&files, id);
                    all.found.push(Found { document, key, span, page, hit });
                }
                None => all.outdated += 1,
            }
        }
        Ok(all)
    }
}

/// What is known of a document since its passages were made.
enum State {
    Unchanged(FileId),
    Changed(FileId, Box<Document>),
    Gone,
}

/// Where a passage stands now.
struct Place {
    id: FileId,
    key: String,
    span: Span,
}

/// Proves that passages stand in their documents.
struct Proof<'a> {
    source: &'a Source,
    files: &'a FileTable,
    states: HashMap<String, State>,
}

impl Proof<'_> {
    /// Returns where a hit stands; nothing if it does not any more.
    fn place(
        &mut self,
        hit: &Hit,
        mark: impl Fn(&str) -> Result<Option<Mark>, SearchError>,
    ) -> Result<Option<Place>, SearchError> {
        if !self.states.contains_key(&hit.document) {
            let state = self.state(&hit.document, mark(&hit.document)?);
            self.states.insert(hit.document.clone(), state);
        }
        Ok(match self.states.get(&hit.document) {
            Some(State::Unchanged(id)) => Some(Place { id: *id, key: hit.key.clone(), span: span(hit) }),
            Some(State::Changed(id, document)) => {
                standing(document, hit).map(|(key, span)| Place { id: *id, key, span })
            }
            Some(State::Gone) | None => None,
        })
    }

    fn state(&self, path: &str, mark: Option<Mark>) -> State {
        let Some(id) = self.files.find(path) else { return State::Gone };
        match self.source.stamp(self.files, id) {
            Ok(stamp) if mark.is_some_and(|mark| mark.is_of(stamp)) => return State::Unchanged(id),
            Err(error) if error.kind() == ErrorKind::NotFound => return State::Gone,
            _ => {}
        }
        match self.source.open_file(self.files, id, ChunkRule::default()) {
            Ok(opened) => State::Changed(id, Box::new(opened.document)),
            Err(CorpusError::Unreadable { .. }) => State::Unchanged(id),
            Err(_) => State::Gone,
        }
    }
}

/// Finds the chunk of a document that says what a hit says: the one of the same name, else another one.
fn standing(document: &Document, hit: &Hit) -> Option<(String, Span)> {
    if hit.key.is_empty() {
        return Some((String::new(), Span::new(0, document.text.len())));
    }
    let base = document.index.as_str().len() + 1;
    let key = |chunk: &Chunk| chunk.index.as_str().get(base..).unwrap_or_default().to_owned();
    let mut same = document.chunks.iter().filter(|chunk| chunk.text.as_str() == hit.text).peekable();
    let first = same.peek().copied();
    let chunk = same.find(|chunk| key(chunk) == hit.key).or(first)?;
    Some((key(chunk), chunk.span))
}

fn span(hit: &Hit) -> Span {
    let bound = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX);
    Span::new(bound(hit.span.start), bound(hit.span.end))
}

impl Found {
    fn index(&self) -> Index {
        if self.key.is_empty() { self.document.clone() } else { self.document.child(&self.key) }
    }

    fn to_json(&self, source: &str) -> Value {
        let Hit { score, title, text, .. } = &self.hit;
        let span = self.span;
        let mut shown = json!({
            "index": self.index(),
            "document": self.document,
            "source": source,
            "span": [span.start, span.end],
            "title": title,
            "score": rounded(*score),
            "reasons": reasons(&self.hit),
            "text": text,
        });
        if let (Some(page), Some(fields)) = (&self.page, shown.as_object_mut()) {
            fields.insert("page".to_owned(), page.as_str().into());
        }
        shown
    }
}

/// Tells what a score is made of.
fn reasons(hit: &Hit) -> Value {
    let mut reasons = Map::new();
    if let Some(lexical) = &hit.lexical {
        let terms = lexical.terms.iter().map(|(term, adds)| (term.clone(), rounded(*adds)));
        let terms: Map<String, Value> = terms.collect();
        let part = json!({"rank": lexical.rank, "score": rounded(lexical.score), "terms": terms});
        reasons.insert("lexical".to_owned(), part);
    }
    if let Some(vector) = &hit.vector {
        let part = json!({"rank": vector.rank, "similarity": rounded(vector.similarity)});
        reasons.insert("vector".to_owned(), part);
    }
    Value::Object(reasons)
}

/// Figures have six decimals, as everywhere.
fn rounded(figure: f64) -> Value {
    Value::from((figure * 1e6).round() / 1e6)
}

impl FoundAll {
    /// Returns the answer of the capability.
    pub(crate) fn to_json(&self, source: &str, query: &str, mode: &str) -> Value {
        let results: Vec<Value> = self.found.iter().map(|found| found.to_json(source)).collect();
        let mut answer = json!({"version": 1, "query": query, "mode": mode, "results": results});
        if let (true, Some(fields)) = (self.outdated > 0, answer.as_object_mut()) {
            fields.insert("outdated".to_owned(), self.outdated.into());
        }
        answer
    }

    /// Returns the chunks that were found. A file as a whole is none.
    pub(crate) fn chunks(self) -> Vec<FoundChunk> {
        let chunks = self.found.into_iter().filter(|found| !found.key.is_empty());
        chunks
            .map(|found| FoundChunk { index: found.index(), span: found.span, document: found.document })
            .collect()
    }
}
