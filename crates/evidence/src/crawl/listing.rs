use std::collections::BTreeMap;
use std::sync::Arc;

use mge_core::{Corpus, CorpusError, DocumentRef, GraphError, Index, near_names};
use rusqlite::{Connection, params};

use crate::error::StoreError;

/// The sources of a graph, by name.
pub(crate) type Corpora = BTreeMap<String, Arc<dyn Corpus>>;

/// What lies below the roots, kept outside memory.
pub(super) struct Listing {
    /// The roots in their canonical form; none covers another.
    pub(super) roots: Vec<Index>,
    /// Directories and files that could not be listed.
    pub(super) failed: Vec<CorpusError>,
    /// Documents listed.
    pub(super) documents: u64,
    /// Their sizes together.
    pub(super) bytes: u64,
}

/// Brings roots to their canonical form; without any, all sources.
pub(super) fn roots(corpora: &Corpora, asked: &[Index]) -> Result<Vec<Index>, GraphError> {
    let mut roots: Vec<Index> = Vec::new();
    if asked.is_empty() {
        roots.extend(corpora.keys().map(Index::new));
    }
    for index in asked {
        let root = source_of(corpora, index)?.locate(index).map_err(|error| not_found(&error))?;
        roots.push(root);
    }
    roots.sort();
    roots.dedup();
    let all = roots.clone();
    roots.retain(|root| !all.iter().any(|other| other != root && other.covers(root)));
    Ok(roots)
}

/// Finds the source that an index begins with.
pub(super) fn source_of<'a>(corpora: &'a Corpora, index: &Index) -> Result<&'a Arc<dyn Corpus>, GraphError> {
    let name = index.parts().next().unwrap_or("");
    corpora.get(name).ok_or_else(|| {
        let known: Vec<&str> = corpora.keys().map(String::as_str).collect();
        let near = near_names(name, known.iter().copied());
        let hint = match near.first() {
            Some(near) => format!("; did you mean '{near}'?"),
            None => format!("; the sources are {}", known.join(", ")),
        };
        GraphError::NotFound { message: format!("no source of this graph has the index '{index}'{hint}") }
    })
}

fn not_found(error: &CorpusError) -> GraphError {
    GraphError::NotFound { message: error.to_string() }
}

/// Goes through the documents below the roots, in order, and hands on each with its source.
pub(super) fn each(
    corpora: &Corpora,
    roots: &[Index],
    found: &mut dyn FnMut(&str, DocumentRef) -> Result<(), GraphError>,
    failed: &mut dyn FnMut(CorpusError),
) -> Result<(), GraphError> {
    for root in roots {
        let corpus = source_of(corpora, root)?;
        match corpus.documents(root) {
            Ok(documents) => {
                for document in documents {
                    match document {
                        Ok(document) => found(corpus.name(), document)?,
                        Err(error) => failed(error),
                    }
                }
            }
            // Something below a source may vanish. A source that is gone as a whole is more likely not mounted.
            Err(CorpusError::NotFound { .. } | CorpusError::Gone { .. })
                if root.as_str() != corpus.name() => {}
            Err(error) => failed(error),
        }
    }
    Ok(())
}

impl Listing {
    /// Lists the documents below the roots into a table of the connection.
    pub(super) fn take(
        connection: &Connection,
        corpora: &Corpora,
        roots: Vec<Index>,
    ) -> Result<Self, GraphError> {
        let make = || -> Result<(), StoreError> {
            connection.execute_batch(
                "CREATE TEMP TABLE IF NOT EXISTS listing (idx TEXT PRIMARY KEY, source TEXT NOT NULL, \
                 size INTEGER NOT NULL, modified INTEGER) WITHOUT ROWID; DELETE FROM listing; BEGIN",
            )?;
            Ok(())
        };
        make()?;
        let mut failed = Vec::new();
        let outcome = each(
            corpora,
            &roots,
            &mut |source, document| Ok(insert(connection, source, &document)?),
            &mut |error| failed.push(error),
        );
        connection.execute_batch("COMMIT").map_err(StoreError::from)?;
        outcome?;
        let total = || -> Result<(i64, i64), StoreError> {
            Ok(connection.query_row("SELECT count(*), ifnull(sum(size), 0) FROM listing", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
        };
        let (documents, bytes) = total()?;
        Ok(Self { roots, failed, documents: documents as u64, bytes: bytes as u64 })
    }
}

fn insert(connection: &Connection, source: &str, document: &DocumentRef) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO listing (idx, source, size, modified) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![
            document.index.as_str(),
            source,
            i64::try_from(document.size).unwrap_or(i64::MAX),
            document.modified
        ])?;
    Ok(())
}

/// A listed document.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) index: Index,
    pub(super) source: String,
    pub(super) size: i64,
    pub(super) modified: Option<i64>,
}

/// Returns the next documents of the listing after `after`.
pub(super) fn page(connection: &Connection, after: &str, limit: usize) -> Result<Vec<Listed>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT idx, source, size, modified FROM listing WHERE idx > ?1 ORDER BY idx LIMIT ?2",
    )?;
    let rows = statement.query_map(params![after, limit as i64], |row| {
        Ok(Listed {
            index: Index::new(row.get::<_, String>(0)?),
            source: row.get(1)?,
            size: row.get(2)?,
            modified: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
