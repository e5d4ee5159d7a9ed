use std::collections::BTreeMap;

use mge_core::{Index, Span, Stance};
use rusqlite::params;

use super::read::Snapshot;
use super::rows::stance_of;
use crate::error::StoreError;

/// A piece of evidence that came or went.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChangeRow {
    /// When, in milliseconds since 1970.
    pub(crate) at: i64,
    /// It went; otherwise it came.
    pub(crate) gone: bool,
    /// The row of its claim.
    pub(crate) claim: i64,
    /// The row of its chunk.
    pub(crate) chunk: i64,
    /// The bytes of the chunk's visible text that say it.
    pub(crate) quote: Span,
    /// For or against.
    pub(crate) stance: Stance,
}

impl Snapshot {
    /// Returns up to `limit` changes of evidence at or after `since`, oldest first, without the first `skip`.
    ///
    /// Evidence that came and went within one time is listed twice; under `known_at`, nothing later is.
    pub(crate) fn changes(
        &self,
        since: i64,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<ChangeRow>, StoreError> {
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let mut statement = self.connection().prepare_cached(
            "SELECT at, gone, claim, chunk, quote_start, quote_end, stance FROM ( \
               SELECT c.read_at AS at, 0 AS gone, d.idx AS idx, c.ord AS ord, e.* FROM chunk c \
               JOIN document d ON d.id = c.document JOIN evidence e ON e.chunk = c.id WHERE c.read_at >= ?1 \
               UNION ALL \
               SELECT c.gone_at, 1, d.idx, c.ord, e.* FROM chunk c \
               JOIN document d ON d.id = c.document JOIN evidence e ON e.chunk = c.id WHERE c.gone_at >= ?1 AND c.read_at NOT NULL \
             ) WHERE claim <> 0 AND at <= ?4 ORDER BY at, gone DESC, idx, ord, n LIMIT ?2 OFFSET ?3",
        )?;
        let until = self.known_at().unwrap_or(i64::MAX);
        let rows = statement.query_map(params![since, number(limit), number(skip), until], |row| {
            let at = |column: usize| -> rusqlite::Result<usize> {
                Ok(usize::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
            };
            Ok(ChangeRow {
                at: row.get(0)?,
                gone: row.get::<_, i64>(1)? != 0,
                claim: row.get(2)?,
                chunk: row.get(3)?,
                quote: Span::new(at(4)?, at(5)?),
                stance: stance_of(row.get(6)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Counts live claims by relation.
    pub(crate) fn claims_by_relation(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        self.counted("SELECT relation, count(*) FROM claim WHERE evidence > 0 GROUP BY relation")
    }

    /// Counts live entities by concept.
    pub(crate) fn entities_by_concept(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        self.counted("SELECT concept, count(*) FROM entity WHERE live <> 0 GROUP BY concept")
    }

    fn counted(&self, sql: &str) -> Result<BTreeMap<String, u64>, StoreError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
        let mut counts = BTreeMap::new();
        for row in rows {
            let (word, count) = row?;
            counts.insert(self.word(word)?.to_string(), u64::try_from(count).unwrap_or(0));
        }
        Ok(counts)
    }

    /// Returns up to `limit` indices of live documents that hold unread chunks, in order.
    pub(crate) fn unread_documents(&self, limit: usize) -> Result<Vec<Index>, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT idx FROM document WHERE gone_at IS NULL AND unread > 0 ORDER BY idx LIMIT ?1",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map([limit], |row| Ok(Index::new(row.get::<_, String>(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
