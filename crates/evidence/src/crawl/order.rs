use std::collections::{BTreeMap, BTreeSet};

use mge_core::{Chunk, ChunkKind, Index};
use rusqlite::{Connection, params};

use super::listing::Listed;
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
        }
    }
}

/// Returns the unread chunks that are most relevant to a question, by document and place, at most `limit`.
pub(super) fn relevant(
    connection: &Connection,
    question: &str,
    roots: &[Index],
    limit: usize,
) -> Result<BTreeMap<String, BTreeSet<usize>>, StoreError> {
    let mut words = tokens(question);
    words.sort();
    words.dedup();
    let Some(query) = any_of(&words) else { return Ok(BTreeMap::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT d.idx, c.ord FROM passage p JOIN chunk c ON c.id = p.rowid JOIN document d ON d.id = c.document \
         WHERE passage MATCH ?1 AND c.state = 0 AND c.gone_at IS NULL ORDER BY bm25(passage), d.idx, c.ord",
    )?;
    let mut rows = statement.query(params![query])?;
    let mut chosen: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let mut found = 0;
    while let Some(row) = rows.next()? {
        if found == limit {
            break;
        }
        let index: String = row.get(0)?;
        if roots.iter().any(|root| root.covers(&Index::new(&index))) {
            chosen.entry(index).or_default().insert(usize::try_from(row.get::<_, i64>(1)?).unwrap_or(0));
            found += 1;
        }
    }
    Ok(chosen)
}

/// Returns the listed documents of a choice, in order.
pub(super) fn listed(
    connection: &Connection,
    chosen: &BTreeMap<String, BTreeSet<usize>>,
) -> Result<Vec<Listed>, StoreError> {
    let mut found = Vec::new();
    for index in chosen.keys() {
        let mut statement =
            connection.prepare_cached("SELECT idx, source, size, modified FROM listing WHERE idx = ?1")?;
        let rows = statement.query_map([index], |row| {
            Ok(Listed {
                index: Index::new(row.get::<_, String>(0)?),
                source: row.get(1)?,
                size: row.get(2)?,
                modified: row.get(3)?,
            })
        })?;
        for row in rows {
            found.push(row?);
        }
    }
    Ok(found)
}
