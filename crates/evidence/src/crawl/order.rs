use std::collections::{BTreeMap, BTreeSet};

use mge_core::{Chunk, ChunkKind, CorpusError, FoundChunk, Index};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::listing::{Corpora, Listed};
use crate::error::StoreError;
use crate::store::{any_of, tokens};

/// Which chunks a pass over the documents reads.
pub(super) enum Want {
    /// All.
    All,
    /// Headings only.
    Headings,
    /// None: documents are put in place, so that it is known what there is.
    Nothing,
    /// These, by document and place.
    Chosen(BTreeMap<String, BTreeSet<usize>>),
    /// Those that a source found, by document.
    Found(FoundByDocument),
}

impl Want {
    /// Tells whether a chunk is to be read in this pass.
    pub(super) fn takes(&self, document: &Index, place: usize, chunk: &Chunk) -> bool {
        match self {
            Self::All => true,
            Self::Headings => chunk.kind == ChunkKind::Heading,
            Self::Nothing => false,
            Self::Chosen(chosen) => {
                chosen.get(document.as_str()).is_some_and(|places| places.contains(&place))
            }
            // A source may cut a long block elsewhere than the graph does.
            Self::Found(found) => found.get(document.as_str()).is_some_and(|found| {
                found.iter().any(|found| found.index == chunk.index && found.span.overlaps(chunk.span))
            }),
        }
    }
}

/// The most chunks that one source is asked for.
const MOST_FOUND: usize = 900;

/// Asks the sources below the roots which of their chunks say most about a question: the best of each first, then the
/// second of each, and so on. What cannot be asked is told.
pub(super) fn found(
    corpora: &Corpora,
    roots: &[Index],
    question: &str,
    failed: &mut dyn FnMut(CorpusError),
) -> Vec<FoundChunk> {
    let names: BTreeSet<&str> = roots.iter().filter_map(|root| root.parts().next()).collect();
    let mut ranked: Vec<(usize, FoundChunk)> = Vec::new();
    for corpus in names.iter().filter_map(|name| corpora.get(*name)) {
        match corpus.relevant(question, MOST_FOUND) {
            Ok(found) => ranked.extend(found.unwrap_or_default().into_iter().enumerate()),
            Err(error) => failed(error),
        }
    }
    // Stable: of equal ranks, the source whose name comes first.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, found)| found).collect()
}

/// Chunks that a source found, by document.
pub(super) type FoundByDocument = BTreeMap<String, Vec<FoundChunk>>;

/// Groups found chunks by their documents, which come in the order of their best chunks. What is not listed is left out.
pub(super) fn by_document(
    connection: &Connection,
    found: &[FoundChunk],
) -> Result<(Vec<Listed>, FoundByDocument), StoreError> {
    let mut documents = Vec::new();
    let mut wanted = FoundByDocument::new();
    for chunk in found {
        let of_document = wanted.entry(chunk.document.as_str().to_owned()).or_default();
        if of_document.is_empty() {
            documents.extend(listed_as(connection, chunk.document.as_str())?);
        }
        of_document.push(chunk.clone());
    }
    Ok((documents, wanted))
}

/// Returns the unread chunks of listed documents that are most relevant to a question, by document and place, at most
/// `limit`.
pub(super) fn relevant(
    connection: &Connection,
    question: &str,
    limit: usize,
) -> Result<BTreeMap<String, BTreeSet<usize>>, StoreError> {
    let mut words = tokens(question);
    words.sort();
    words.dedup();
    let Some(query) = any_of(&words) else { return Ok(BTreeMap::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT d.idx, c.ord FROM passage p JOIN chunk c ON c.id = p.rowid JOIN document d ON d.id = c.document \
         JOIN listing l ON l.idx = d.idx \
         WHERE passage MATCH ?1 AND c.state = 0 AND c.gone_at IS NULL ORDER BY bm25(passage), d.idx, c.ord",
    )?;
    let mut rows = statement.query(params![query])?;
    let mut chosen: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for _ in 0..limit {
        let Some(row) = rows.next()? else { break };
        let place = usize::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
        chosen.entry(row.get(0)?).or_default().insert(place);
    }
    Ok(chosen)
}

/// Returns the listed documents of a choice, in order.
pub(super) fn listed(
    connection: &Connection,
    chosen: &BTreeMap<String, BTreeSet<usize>>,
) -> Result<Vec<Listed>, StoreError> {
    let mut documents = Vec::new();
    for index in chosen.keys() {
        documents.extend(listed_as(connection, index)?);
    }
    Ok(documents)
}

fn listed_as(connection: &Connection, index: &str) -> Result<Option<Listed>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT idx, source, size, modified FROM listing WHERE idx = ?1")?;
    let found = statement.query_row([index], |row| {
        Ok(Listed {
            index: Index::new(row.get::<_, String>(0)?),
            source: row.get(1)?,
            size: row.get(2)?,
            modified: row.get(3)?,
        })
    });
    Ok(found.optional()?)
}
