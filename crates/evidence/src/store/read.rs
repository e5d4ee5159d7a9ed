use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mge_core::{Digest, Index, Span, fold, name_key};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::rows::{
    ChunkRow, ChunkState, DocumentRow, EntityRow, NameRow, PassageHit, from_ppm, interval, kind_of,
};
use super::span_map::SpanMap;
use super::tokens::any_of;
use crate::error::StoreError;

/// A consistent view of the graph: what was committed when it was taken.
///
/// It holds one read transaction. With `known_at`, evidence is that of then, and rows that are gone since are
/// seen again; without, only what lives is seen.
pub(crate) struct Snapshot {
    connection: Connection,
    known_at: Option<i64>,
    words: RefCell<HashMap<i64, Arc<str>>>,
}

const DOCUMENT: &str = "SELECT id, idx, source, digest, title, date_from, date_to, authority, chunks, unread, failed, \
     gone_at FROM document";
const ENTITY: &str = "SELECT id, public, concept, name, mentions, live FROM entity";
const CHUNK: &str = "SELECT c.id, c.document, c.ord, d.idx, c.local, c.kind, c.start, c.end, c.text, c.heading, c.state, \
     c.reason, c.page FROM chunk c JOIN document d ON d.id = c.document";

impl Snapshot {
    /// Takes a view through a connection.
    pub(super) fn begin(connection: Connection, known_at: Option<i64>) -> Result<Self, StoreError> {
        connection.execute_batch("BEGIN")?;
        let snapshot = Self { connection, known_at, words: RefCell::default() };
        // The transaction sees the state of its first read.
        snapshot.meta("version")?;
        Ok(snapshot)
    }

    /// Returns the time, in milliseconds since 1970, as of which the graph is seen; none means now.
    pub(crate) fn known_at(&self) -> Option<i64> {
        self.known_at
    }

    /// Returns the connection, for the parts of this crate that look deeper.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns a word by its number: a concept, relation or method.
    pub(crate) fn word(&self, number: i64) -> Result<Arc<str>, StoreError> {
        if let Some(word) = self.words.borrow().get(&number) {
            return Ok(Arc::clone(word));
        }
        let text: Option<String> = self
            .connection
            .prepare_cached("SELECT text FROM word WHERE id = ?1")?
            .query_row([number], |row| row.get(0))
            .optional()?;
        let word: Arc<str> =
            text.ok_or_else(|| StoreError::Row(format!("no word has the number {number}")))?.into();
        self.words.borrow_mut().insert(number, Arc::clone(&word));
        Ok(word)
    }

    /// Returns the number of a word; nothing when no row uses it.
    pub(crate) fn word_number(&self, word: &str) -> Result<Option<i64>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM word WHERE text = ?1")?;
        Ok(statement.query_row([word], |row| row.get(0)).optional()?)
    }

    /// Returns a remark about the store, such as the report of the last crawl.
    pub(crate) fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0)).optional()?)
    }

    /// Returns all counts: `entities`, `claims`, `evidence`, `conflicts`, `off_ontology`, `refused`, and of each
    /// source `documents:<source>`, `chunks:…`, `chunks_read:…`, `chunks_failed:…`.
    pub(crate) fn counts(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT name, value FROM counter")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
        let mut counts = BTreeMap::new();
        for row in rows {
            let (name, value) = row?;
            counts.insert(name, u64::try_from(value).unwrap_or(0));
        }
        Ok(counts)
    }

    // Documents and chunks.

    /// Returns a document, live or gone, by its row.
    pub(crate) fn document_by_row(&self, row: i64) -> Result<Option<DocumentRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!("{DOCUMENT} WHERE id = ?1"))?;
        statement.query_row([row], document).optional()?.transpose()
    }

    /// Returns a chunk by its row.
    pub(crate) fn chunk(&self, row: i64) -> Result<Option<ChunkRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!("{CHUNK} WHERE c.id = ?1"))?;
        Ok(statement.query_row([row], chunk).optional()?)
    }

    /// Returns the span of a chunk's document behind a span of the chunk's visible text, and what stands there.
    pub(crate) fn to_source(
        &self,
        chunk: &ChunkRow,
        visible: Span,
    ) -> Result<Option<(Span, String)>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT start, map FROM chunk WHERE id = ?1")?;
        let (start, map): (i64, Vec<u8>) =
            statement.query_row([chunk.row], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let map = SpanMap::decode(&map)
            .ok_or_else(|| StoreError::Row(format!("chunk {} has a bad map", chunk.row)))?;
        let span = map.to_source(visible, usize::try_from(start).unwrap_or(0));
        Ok(map.quote(&chunk.text, visible).map(|quote| (span, quote)))
    }

    /// Finds the chunks, read or not, that hold any of the words (see `tokens`), best first.
    pub(crate) fn search(&self, words: &[String], limit: usize) -> Result<Vec<PassageHit>, StoreError> {
        let Some(query) = any_of(words) else { return Ok(Vec::new()) };
        let mut statement = self.connection.prepare_cached(
            "SELECT rowid, bm25(passage) AS rank FROM passage WHERE passage MATCH ?1 ORDER BY rank, rowid LIMIT ?2",
        )?;
        let rows = statement.query_map(params![query, count(limit)], |row| {
            Ok(PassageHit { chunk: row.get(0)?, score: -row.get::<_, f64>(1)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    // Entities.

    /// Returns an entity by its row.
    pub(crate) fn entity(&self, row: i64) -> Result<Option<EntityRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!("{ENTITY} WHERE id = ?1"))?;
        let found = statement.query_row([row], raw_entity).optional()?;
        found.map(|raw| self.finish(raw)).transpose()
    }

    /// Returns an entity by its id, or by one that it had before.
    pub(crate) fn entity_by_id(&self, id: &str) -> Result<Option<EntityRow>, StoreError> {
        let sql = format!("{ENTITY} WHERE public = ?1 ORDER BY live DESC, id LIMIT 1");
        let present = self.connection.prepare_cached(&sql)?.query_row([id], raw_entity).optional()?;
        if let Some(raw) = present
            && (raw.5 != 0 || self.known_at.is_some())
        {
            return Ok(Some(self.finish(raw)?));
        }
        let mut statement =
            self.connection.prepare_cached("SELECT concept, key FROM former_entity WHERE public = ?1")?;
        let former: Option<(String, String)> =
            statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((concept, key)) = former else { return Ok(None) };
        match self.entity_of_name(&concept, &key)? {
            Some(row) => Ok(self.entity(row)?.filter(|entity| entity.live || self.known_at.is_some())),
            None => Ok(None),
        }
    }

    /// Returns the row of the entity that a name of a concept stands for; `key` as the store keeps it.
    pub(crate) fn entity_of_name(&self, concept: &str, key: &str) -> Result<Option<i64>, StoreError> {
        let top = concept.split('|').next().unwrap_or(concept);
        let (Some(concept), Some(top)) = (self.word_number(concept)?, self.word_number(top)?) else {
            return Ok(None);
        };
        let mut statement = self.connection.prepare_cached(
            "SELECT entity FROM node WHERE key = ?1 AND top = ?2 AND concept = ?3 AND entity <> 0",
        )?;
        Ok(statement.query_row(params![key, top, concept], |row| row.get(0)).optional()?)
    }

    /// Finds entities of which a name or alias, folded as by [`name_key`], is `name`.
    pub(crate) fn entities_named(&self, name: &str) -> Result<Vec<EntityRow>, StoreError> {
        self.entities_where("SELECT DISTINCT entity FROM name WHERE key = ?1", &[&name_key(name)])
    }

    /// Finds up to `limit` entities of which a name or alias begins with `prefix`, most mentioned first.
    pub(crate) fn entities_beginning(
        &self,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<EntityRow>, StoreError> {
        let first = name_key(prefix);
        let last = format!("{first}\u{10ffff}");
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT n.entity FROM name n JOIN entity e ON e.id = n.entity \
             WHERE n.key >= ?1 AND n.key < ?2 AND (e.live OR ?4) ORDER BY e.mentions DESC, e.public LIMIT ?3",
        )?;
        let rows = statement
            .query_map(params![first, last, count(limit), self.known_at.is_some()], |row| {
                row.get::<_, i64>(0)
            })?
            .collect::<Result<Vec<_>, _>>()?;
        self.entities_of(&rows)
    }

    /// Finds up to `limit` entities of which a name or alias holds a word (see `tokens`), most mentioned first.
    pub(crate) fn entities_with_word(&self, word: &str, limit: usize) -> Result<Vec<EntityRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT t.entity FROM token t JOIN entity e ON e.id = t.entity WHERE t.token = ?1 AND (e.live OR ?3) \
             ORDER BY e.mentions DESC, e.public LIMIT ?2",
        )?;
        let rows = statement
            .query_map(params![fold(word), count(limit), self.known_at.is_some()], |row| {
                row.get::<_, i64>(0)
            })?
            .collect::<Result<Vec<_>, _>>()?;
        self.entities_of(&rows)
    }

    /// Returns up to `limit` entities with ids after `after`, of a concept or below it, in order of id.
    pub(crate) fn entities(
        &self,
        concept: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<EntityRow>, StoreError> {
        let mut found = Vec::new();
        let sql = format!("{ENTITY} WHERE public > ?1 AND public < ?2 AND (live OR ?3) ORDER BY public");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let first = concept.map_or_else(String::new, |concept| format!("{concept}|"));
        let last = concept.map_or_else(|| "\u{10ffff}".to_owned(), |concept| format!("{concept}}}"));
        let first = after.filter(|after| *after > first.as_str()).map_or(first.clone(), str::to_owned);
        let mut rows = statement.query(params![first, last, self.known_at.is_some()])?;
        while let Some(row) = rows.next()? {
            if found.len() == limit {
                break;
            }
            found.push(self.finish(raw_entity(row)?)?);
        }
        Ok(found)
    }

    /// Returns all names of an entity, each spelling once, in order of their bytes.
    pub(crate) fn names(&self, entity: i64) -> Result<Vec<NameRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT text, min(kind) FROM name WHERE entity = ?1 GROUP BY text ORDER BY text",
        )?;
        let rows = statement.query_map([entity], |row| {
            Ok(NameRow { entity, text: row.get(0)?, alias: row.get::<_, i64>(1)? == 2 })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn entities_where(
        &self,
        sql: &str,
        arguments: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<EntityRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows =
            statement.query_map(arguments, |row| row.get::<_, i64>(0))?.collect::<Result<Vec<_>, _>>()?;
        let mut found = self.entities_of(&rows)?;
        found.retain(|entity| entity.live || self.known_at.is_some());
        found.sort_by(|left, right| right.mentions.cmp(&left.mentions).then_with(|| left.id.cmp(&right.id)));
        Ok(found)
    }

    fn entities_of(&self, rows: &[i64]) -> Result<Vec<EntityRow>, StoreError> {
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            found.extend(self.entity(*row)?);
        }
        Ok(found)
    }

    fn finish(&self, raw: RawEntity) -> Result<EntityRow, StoreError> {
        let (row, id, concept, name, mentions, live) = raw;
        let concept = self.word(concept)?.to_string();
        Ok(EntityRow {
            row,
            id,
            concept,
            name,
            mentions: u64::try_from(mentions).unwrap_or(0),
            live: live != 0,
        })
    }
}

type RawEntity = (i64, String, i64, String, i64, i64);

fn raw_entity(row: &Row<'_>) -> rusqlite::Result<RawEntity> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
}

fn document(row: &Row<'_>) -> rusqlite::Result<Result<DocumentRow, StoreError>> {
    let digest: Vec<u8> = row.get(3)?;
    let Ok(digest) = <[u8; 32]>::try_from(digest) else {
        return Ok(Err(StoreError::Row(format!("document {} has a bad digest", row.get::<_, i64>(0)?))));
    };
    let number = |column: usize| -> rusqlite::Result<u64> {
        Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
    };
    Ok(Ok(DocumentRow {
        row: row.get(0)?,
        index: Index::new(row.get::<_, String>(1)?),
        source: row.get(2)?,
        digest: Digest(digest),
        title: row.get(4)?,
        date: interval(row.get(5)?, row.get(6)?),
        authority: from_ppm(row.get(7)?),
        chunks: number(8)?,
        unread: number(9)?,
        failed: number(10)?,
        gone: row.get::<_, Option<i64>>(11)?.is_some(),
    }))
}

fn chunk(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    let size = |column: usize| -> rusqlite::Result<usize> {
        Ok(usize::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
    };
    Ok(ChunkRow {
        row: row.get(0)?,
        document: row.get(1)?,
        position: size(2)?,
        index: chunk_index(&row.get::<_, String>(3)?, &row.get::<_, String>(4)?),
        kind: kind_of(row.get(5)?),
        span: Span::new(size(6)?, size(7)?),
        text: row.get(8)?,
        heading: row.get(9)?,
        state: ChunkState::of(row.get(10)?),
        reason: row.get(11)?,
        page: row.get(12)?,
    })
}

/// Joins the index of a document and the part that its chunk adds; a part that begins with `|` stands alone.
pub(super) fn chunk_index(document: &str, local: &str) -> Index {
    match local.strip_prefix('|') {
        Some(whole) => Index::new(whole),
        None => Index::new(document).child(local),
    }
}

/// Returns the part that a chunk's index adds to its document's.
pub(crate) fn local_part(document: &Index, chunk: &Index) -> String {
    match chunk.as_str().strip_prefix(document.as_str()).and_then(|rest| rest.strip_prefix('|')) {
        Some(local) if !local.starts_with('|') => local.to_owned(),
        _ => format!("|{chunk}"),
    }
}

/// Turns a number of rows into what SQLite takes.
fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
