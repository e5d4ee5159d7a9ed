//! What a crawl writes: readings into the log, documents and chunks into their places, all else by derivation.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use mge_core::{ChunkKind, Clock, CorpusError, Digest, Document, Extraction, FormalizeError, Index};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde_json::json;

use super::listing::Listed;
use super::workers::Opened;
use crate::config::Config;
use crate::derive::{Changes, Deriver, Law, Placed, add_to_counter};
use crate::error::StoreError;
use crate::store::{ChunkState, EntryKind, Log, decode, encode, kind_code, local_part, millis, ppm, tokens};

/// A live document, as far as a crawl needs it.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) row: i64,
    pub(super) digest: Vec<u8>,
    pub(super) version: Vec<u8>,
    pub(super) size: i64,
    pub(super) modified: Option<i64>,
    /// When it was opened, in milliseconds since 1970.
    pub(super) opened: i64,
    pub(super) chunks: i64,
    pub(super) unread: i64,
    pub(super) failed: i64,
}

/// A chunk as the store has it.
struct Standing {
    row: i64,
    place: Place,
    state: ChunkState,
}

/// Where a chunk stands.
#[derive(PartialEq)]
struct Place {
    ord: i64,
    local: String,
    kind: i64,
    start: i64,
    end: i64,
    map: Vec<u8>,
    heading: String,
    page: Option<String>,
}

/// Writes, one transaction a batch.
pub(super) struct Applier<'s> {
    connection: &'s Connection,
    config: &'s Config,
    clock: &'s dyn Clock,
    deriver: Deriver<'s>,
    log: Log,
    transaction: Option<Transaction<'s>>,
    /// The number of the method.
    method: i64,
    /// What decides about extractions beside the text.
    version: Vec<u8>,
    /// What failed in this crawl, so that a copy of it fails alike.
    failed: HashMap<Digest, String>,
    /// Documents whose counts are to be taken anew.
    dirty: BTreeSet<i64>,
    /// Documents that go on under another index.
    adopted: HashSet<i64>,
    now: i64,
}

/// How much of a key is stored: 128 bits tell all chunks of the world apart.
const KEY: usize = 16;

/// Returns the stored part of a key.
pub(super) fn short(key: &Digest) -> &[u8] {
    &key.0[..KEY]
}

impl<'s> Applier<'s> {
    pub(super) fn new(
        connection: &'s Connection,
        law: &'s Law,
        config: &'s Config,
        clock: &'s dyn Clock,
        version: Vec<u8>,
    ) -> Result<Self, StoreError> {
        let log = Log::resume(connection)?;
        let deriver = Deriver::new(connection, law);
        Ok(Self {
            connection,
            config,
            clock,
            deriver,
            log,
            transaction: None,
            method: 0,
            version,
            failed: HashMap::new(),
            dirty: BTreeSet::new(),
            adopted: HashSet::new(),
            now: 0,
        })
    }

    /// Notes that a crawl begins: the cause of all entries that follow.
    pub(super) fn begin_crawl(&mut self, method: &str, roots: &[Index]) -> Result<(), StoreError> {
        self.open()?;
        self.method = self.deriver.words().number(self.connection, method)?;
        let roots: Vec<&str> = roots.iter().map(Index::as_str).collect();
        let body = json!({"version": 1, "roots": roots, "method": method}).to_string();
        let entry = self.log.append(self.connection, EntryKind::Crawl, self.now, body.as_bytes())?;
        self.log.caused_by(entry);
        Ok(())
    }

    /// Opens a transaction, if none is open.
    pub(super) fn open(&mut self) -> Result<(), StoreError> {
        if self.transaction.is_none() {
            self.transaction =
                Some(Transaction::new_unchecked(self.connection, TransactionBehavior::Immediate)?);
            self.now = millis(self.clock.now());
        }
        Ok(())
    }

    /// Derives what follows, and commits. Nothing of the batch is there before, all of it after.
    pub(super) fn commit(&mut self) -> Result<Changes, StoreError> {
        let Some(transaction) = self.transaction.take() else { return Ok(Changes::default()) };
        for document in std::mem::take(&mut self.dirty) {
            self.recount(document)?;
        }
        let changes = self.deriver.settle()?;
        if changes.evidence_new + changes.evidence_gone + changes.mentions > 0 {
            // What others copied from here is out of date.
            transaction.execute(
                "INSERT INTO meta (key, value) VALUES ('generation', '1') \
                 ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
                [],
            )?;
        }
        transaction.commit()?;
        Ok(changes)
    }

    /// Returns the live document of an index.
    pub(super) fn known(&self, index: &Index) -> Result<Option<Known>, StoreError> {
        known(self.connection, index)
    }

    /// Returns the keys of the chunks of a document that failed, and why.
    pub(super) fn failed_in(&self, document: i64) -> Result<HashMap<Vec<u8>, String>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT key, ifnull(reason, '') FROM chunk WHERE document = ?1 AND state = ?2 AND gone_at IS NULL",
        )?;
        let rows = statement
            .query_map([document, ChunkState::Failed.code()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Notes that a chunk failed before, and is not read again.
    pub(super) fn note_failed(&mut self, key: &Digest, reason: &str) {
        self.failed.insert(*key, reason.to_owned());
    }

    /// Tells whether each chunk of a document was read or failed.
    pub(super) fn is_whole(&self, opened: &Placeable) -> Result<bool, StoreError> {
        for (chunk, key) in opened.document.chunks.iter().zip(&opened.keys) {
            if chunk.kind != ChunkKind::Verbatim
                && !self.failed.contains_key(key)
                && !self.has_reading(key)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Tells whether the log holds a reading under a key.
    pub(super) fn has_reading(&self, key: &Digest) -> Result<bool, StoreError> {
        has_reading(self.connection, key)
    }

    /// Finds a document of the same text that is no longer listed where it was: this one, under its old name.
    ///
    /// Of several copies only one can be it; the others are new.
    pub(super) fn moved_from(
        &mut self,
        digest: &Digest,
        source: &str,
        roots: &[Index],
    ) -> Result<Option<Known>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT idx FROM document WHERE digest = ?1 AND source = ?2 AND gone_at IS NULL \
             AND NOT EXISTS (SELECT 1 FROM listing l WHERE l.idx = document.idx) ORDER BY idx",
        )?;
        let found: Vec<String> =
            statement.query_map(params![digest.0, source], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for index in found.into_iter().map(Index::new) {
            if roots.iter().any(|root| root.covers(&index))
                && let Some(known) = self.known(&index)?
                && self.adopted.insert(known.row)
            {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// Appends a reading to the log.
    fn record(&mut self, key: &Digest, extraction: &Extraction) -> Result<(), StoreError> {
        let connection = self.connection;
        let words = self.deriver.words();
        let mut body = short(key).to_vec();
        body.extend(encode(self.method, extraction, &mut |word| words.number(connection, word))?);
        let entry = self.log.append(connection, EntryKind::Reading, self.now, &body)?;
        connection
            .prepare_cached("INSERT OR IGNORE INTO reading (key, entry) VALUES (?1, ?2)")?
            .execute(params![short(key), entry])?;
        Ok(())
    }

    /// Takes what a chunk yields, or why it yields nothing. `row` is its chunk, when its document is in place.
    pub(super) fn take(
        &mut self,
        opened: &Placeable,
        chunk: usize,
        row: Option<i64>,
        result: Result<Extraction, &FormalizeError>,
    ) -> Result<(), StoreError> {
        self.open()?;
        let key = &opened.keys[chunk];
        match result {
            Ok(extraction) => {
                if !self.has_reading(key)? {
                    self.record(key, &extraction)?;
                }
                if let Some(row) = row {
                    self.attach(row, opened.document.chunks[chunk].text.as_str(), self.method, &extraction)?;
                    self.dirty.insert(opened.row);
                }
            }
            Err(error) => {
                self.failed.insert(*key, error.message.clone());
                if let Some(row) = row {
                    self.fail(row, &error.message)?;
                    self.dirty.insert(opened.row);
                }
            }
        }
        Ok(())
    }

    fn attach(
        &mut self,
        row: i64,
        text: &str,
        method: i64,
        extraction: &Extraction,
    ) -> Result<(), StoreError> {
        self.connection
            .prepare_cached("UPDATE chunk SET state = ?2, reason = NULL, read_at = ?3 WHERE id = ?1")?
            .execute(params![row, ChunkState::Read.code(), self.now])?;
        self.deriver.add(&Placed { chunk: row, text, method, extraction })
    }

    fn fail(&mut self, row: i64, reason: &str) -> Result<(), StoreError> {
        self.connection
            .prepare_cached("UPDATE chunk SET state = ?2, reason = ?3 WHERE id = ?1")?
            .execute(params![row, ChunkState::Failed.code(), reason])?;
        Ok(())
    }

    /// Puts a document in place of what it was before, or of nothing: one chunk after the other, by their keys.
    ///
    /// Chunks that are the same keep their rows and evidence, wherever they stand now. Returns the row of each.
    pub(super) fn place(
        &mut self,
        opened: &mut Placeable,
        listed: &Listed,
        known: Option<&Known>,
    ) -> Result<Vec<i64>, StoreError> {
        self.open()?;
        let document = std::sync::Arc::clone(&opened.document);
        let (row, touched) = self.place_document(&document, listed, known)?;
        opened.row = row;
        let mut old = self.standing(row)?;
        let mut rows = Vec::with_capacity(document.chunks.len());
        let mut changed = known.is_none_or(|known| known.digest != document.digest.0);
        for (position, chunk) in document.chunks.iter().enumerate() {
            let key = opened.keys[position];
            let headings = chunk.headings.iter().map(mge_core::MappedText::as_str);
            let place = Place {
                ord: position as i64,
                local: local_part(&document.index, &chunk.index),
                kind: kind_code(chunk.kind),
                start: chunk.span.start as i64,
                end: chunk.span.end as i64,
                map: opened.maps[position].clone(),
                heading: headings.collect::<Vec<_>>().join(" › "),
                page: chunk.page.clone(),
            };
            let same = old.get_mut(short(&key)).and_then(VecDeque::pop_front);
            let (row, state) = match same {
                Some(standing) => {
                    if standing.place != place {
                        self.move_chunk(standing.row, &place)?;
                    }
                    (standing.row, standing.state)
                }
                None => {
                    changed = true;
                    (
                        self.insert_chunk(row, chunk.text.as_str(), &key, &place, chunk.kind)?,
                        ChunkState::Unread,
                    )
                }
            };
            rows.push(row);
            if chunk.kind != ChunkKind::Verbatim && matches!(state, ChunkState::Unread | ChunkState::Failed) {
                if let Some((method, extraction)) = self.reading(short(&key))? {
                    self.attach(row, chunk.text.as_str(), method, &extraction)?;
                } else if let Some(reason) = self.failed.get(&key).cloned() {
                    self.fail(row, &reason)?;
                }
            }
        }
        for (key, standing) in
            old.into_iter().flat_map(|(key, rows)| rows.into_iter().map(move |row| (key.clone(), row)))
        {
            changed = true;
            self.retire_chunk(&standing, &key)?;
        }
        if touched {
            self.deriver.touch_document(row)?;
        }
        if changed {
            let mut body = Vec::new();
            crate::store::put(&mut body, document.index.as_str().len() as u64);
            body.extend_from_slice(document.index.as_str().as_bytes());
            body.extend_from_slice(&document.digest.0);
            opened.keys.iter().for_each(|key| body.extend_from_slice(short(key)));
            self.log.append(self.connection, EntryKind::Placement, self.now, &body)?;
        }
        self.connection
            .prepare_cached("DELETE FROM failure WHERE idx = ?1")?
            .execute([document.index.as_str()])?;
        self.dirty.insert(row);
        Ok(rows)
    }

    /// Writes the row of a document; tells too whether its claims must be weighed anew.
    fn place_document(
        &mut self,
        document: &Document,
        listed: &Listed,
        known: Option<&Known>,
    ) -> Result<(i64, bool), StoreError> {
        let authority = ppm(self.config.authority(&listed.source, &document.index, document.authority));
        let from = document.date.and_then(|date| date.from).map(|moment| moment.0);
        let to = document.date.and_then(|date| date.to).map(|moment| moment.0);
        let title = document.title.as_ref().map(mge_core::MappedText::as_str);
        let values = params![
            document.index.as_str(),
            listed.source,
            document.digest.0,
            listed.size,
            listed.modified,
            self.now,
            self.version,
            title,
            document.language,
            from,
            to,
            document.authority.map(ppm),
            authority,
            known.map(|known| known.row)
        ];
        let Some(known) = known else {
            self.count(&listed.source, "documents", 1)?;
            let row = self
                .connection
                .prepare_cached(
                    "INSERT INTO document (idx, source, digest, size, modified, opened, version, title, language, \
                     date_from, date_to, stated_authority, authority, chunks, unread, failed, seen_at) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0, 0, 0, ifnull(?14, ?6))",
                )?
                .insert(values)?;
            return Ok((row, false));
        };
        type Weighty = (String, Option<i64>, Option<i64>, i64);
        let before: Weighty = self
            .connection
            .prepare_cached("SELECT idx, date_from, date_to, authority FROM document WHERE id = ?1")?
            .query_row([known.row], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        self.connection
            .prepare_cached(
                "UPDATE document SET idx = ?1, source = ?2, digest = ?3, size = ?4, modified = ?5, opened = ?6, \
                 version = ?7, title = ?8, language = ?9, date_from = ?10, date_to = ?11, stated_authority = ?12, \
                 authority = ?13 WHERE id = ?14",
            )?
            .execute(values)?;
        let after = (document.index.as_str().to_owned(), from, to, authority);
        Ok((known.row, before != after))
    }

    fn standing(&self, document: i64) -> Result<HashMap<Vec<u8>, VecDeque<Standing>>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT key, id, ord, local, kind, start, end, map, heading, state, page FROM chunk \
             WHERE document = ?1 AND gone_at IS NULL ORDER BY ord",
        )?;
        let mut rows = statement.query([document])?;
        let mut standing: HashMap<Vec<u8>, VecDeque<Standing>> = HashMap::new();
        while let Some(row) = rows.next()? {
            standing.entry(row.get(0)?).or_default().push_back(Standing {
                row: row.get(1)?,
                place: Place {
                    ord: row.get(2)?,
                    local: row.get(3)?,
                    kind: row.get(4)?,
                    start: row.get(5)?,
                    end: row.get(6)?,
                    map: row.get(7)?,
                    heading: row.get(8)?,
                    page: row.get(10)?,
                },
                state: ChunkState::of(row.get(9)?),
            });
        }
        Ok(standing)
    }

    fn move_chunk(&self, row: i64, place: &Place) -> Result<(), StoreError> {
        let Place { ord, local, kind, start, end, map, heading, page } = place;
        self.connection
            .prepare_cached(
                "UPDATE chunk SET ord = ?2, local = ?3, kind = ?4, start = ?5, end = ?6, map = ?7, heading = ?8, \
                 page = ?9 WHERE id = ?1",
            )?
            .execute(params![row, ord, local, kind, start, end, map, heading, page])?;
        Ok(())
    }

    fn insert_chunk(
        &self,
        document: i64,
        text: &str,
        key: &Digest,
        place: &Place,
        kind: ChunkKind,
    ) -> Result<i64, StoreError> {
        let Place { ord, local, kind: code, start, end, map, heading, page } = place;
        let state = if kind == ChunkKind::Verbatim { ChunkState::Verbatim } else { ChunkState::Unread };
        let row = self
            .connection
            .prepare_cached(
                "INSERT INTO chunk (document, ord, local, kind, start, end, text, map, heading, key, state, page) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .insert(params![
                document,
                ord,
                local,
                code,
                start,
                end,
                text,
                map,
                heading,
                short(key),
                state.code(),
                page,
            ])?;
        self.connection
            .prepare_cached("INSERT INTO passage (rowid, words) VALUES (?1, ?2)")?
            .execute(params![row, tokens(text).join(" ")])?;
        Ok(row)
    }

    fn retire_chunk(&mut self, standing: &Standing, key: &[u8]) -> Result<(), StoreError> {
        if standing.state == ChunkState::Read
            && let Some((method, extraction)) = self.reading(key)?
        {
            let text: String = self
                .connection
                .prepare_cached("SELECT text FROM chunk WHERE id = ?1")?
                .query_row([standing.row], |row| row.get(0))?;
            self.deriver.remove(&Placed {
                chunk: standing.row,
                text: &text,
                method,
                extraction: &extraction,
            })?;
        }
        self.connection.prepare_cached("DELETE FROM passage WHERE rowid = ?1")?.execute([standing.row])?;
        let sql = if standing.state == ChunkState::Read {
            "UPDATE chunk SET gone_at = ?2 WHERE id = ?1"
        } else {
            // What was never read is no part of any past.
            "DELETE FROM chunk WHERE id = ?1 AND ?2 IS NOT NULL"
        };
        self.connection.prepare_cached(sql)?.execute([standing.row, self.now])?;
        Ok(())
    }

    /// Takes a document away, with all that it says.
    pub(super) fn remove(&mut self, index: &Index) -> Result<bool, StoreError> {
        let Some(known) = self.known(index)? else { return Ok(false) };
        self.open()?;
        for (key, standing) in self
            .standing(known.row)?
            .into_iter()
            .flat_map(|(key, rows)| rows.into_iter().map(move |row| (key.clone(), row)).collect::<Vec<_>>())
        {
            self.retire_chunk(&standing, &key)?;
        }
        self.dirty.remove(&known.row);
        self.recount(known.row)?;
        let source: String = self
            .connection
            .prepare_cached("UPDATE document SET gone_at = ?2 WHERE id = ?1 RETURNING source")?
            .query_row([known.row, self.now], |row| row.get(0))?;
        self.count(&source, "documents", -1)?;
        let mut body = Vec::new();
        crate::store::put(&mut body, index.as_str().len() as u64);
        body.extend_from_slice(index.as_str().as_bytes());
        body.extend_from_slice(&known.digest);
        self.log.append(self.connection, EntryKind::Retraction, self.now, &body)?;
        Ok(true)
    }

    /// Notes that a document cannot be had.
    pub(super) fn fail_document(&mut self, error: &CorpusError) -> Result<(), StoreError> {
        self.open()?;
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO failure (idx, reason, transient, at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![error.index().as_str(), error.to_string(), error.is_transient(), self.now])?;
        Ok(())
    }

    /// Forgets that a document could not be had.
    pub(super) fn forgive(&mut self, index: &Index) -> Result<(), StoreError> {
        self.open()?;
        self.connection.prepare_cached("DELETE FROM failure WHERE idx = ?1")?.execute([index.as_str()])?;
        Ok(())
    }

    fn reading(&mut self, key: &[u8]) -> Result<Option<(i64, Extraction)>, StoreError> {
        let connection = self.connection;
        let body: Option<Vec<u8>> = connection
            .prepare_cached("SELECT e.body FROM reading r JOIN entry e ON e.id = r.entry WHERE r.key = ?1")?
            .query_row([key], |row| row.get(0))
            .optional()?;
        let Some(body) = body else { return Ok(None) };
        let words = self.deriver.words();
        Ok(Some(decode(after_key(&body), &mut |number| words.word(connection, number))?))
    }

    /// Takes the counts of a document anew.
    fn recount(&mut self, document: i64) -> Result<(), StoreError> {
        let (mut chunks, mut unread, mut failed) = (0_i64, 0_i64, 0_i64);
        {
            let mut statement = self.connection.prepare_cached(
                "SELECT state, count(*) FROM chunk WHERE document = ?1 AND gone_at IS NULL GROUP BY state",
            )?;
            let mut rows = statement.query([document])?;
            while let Some(row) = rows.next()? {
                let number: i64 = row.get(1)?;
                match ChunkState::of(row.get(0)?) {
                    ChunkState::Verbatim => continue,
                    ChunkState::Unread => unread += number,
                    ChunkState::Failed => failed += number,
                    ChunkState::Read => {}
                }
                chunks += number;
            }
        }
        let (source, old_chunks, old_unread, old_failed): (String, i64, i64, i64) = self
            .connection
            .prepare_cached("SELECT source, chunks, unread, failed FROM document WHERE id = ?1")?
            .query_row([document], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let read = (chunks - unread - failed) - (old_chunks - old_unread - old_failed);
        self.count(&source, "chunks", chunks - old_chunks)?;
        self.count(&source, "chunks_read", read)?;
        self.count(&source, "chunks_failed", failed - old_failed)?;
        self.connection
            .prepare_cached("UPDATE document SET chunks = ?2, unread = ?3, failed = ?4 WHERE id = ?1")?
            .execute([document, chunks, unread, failed])?;
        Ok(())
    }

    fn count(&self, source: &str, what: &str, by: i64) -> Result<(), StoreError> {
        add_to_counter(self.connection, &format!("{what}:{source}"), by)
    }
}

/// What is kept of an open document while its chunks are read elsewhere.
pub(super) struct Placeable {
    pub(super) document: std::sync::Arc<Document>,
    pub(super) keys: Vec<Digest>,
    pub(super) maps: Vec<Vec<u8>>,
    /// Its row, once it is in place.
    pub(super) row: i64,
}

impl Placeable {
    /// Parts an open document from its reader.
    pub(super) fn of(opened: Opened<'_>) -> (Self, Box<dyn mge_core::Reading + '_>) {
        let Opened { document, reading, keys, maps } = opened;
        (Self { document, keys, maps, row: 0 }, reading)
    }
}

/// Returns what follows the key in the body of a reading.
pub(crate) fn after_key(body: &[u8]) -> &[u8] {
    body.get(KEY..).unwrap_or_default()
}

/// Tells whether the log holds a reading under a key.
pub(super) fn has_reading(connection: &Connection, key: &Digest) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM reading WHERE key = ?1)")?;
    Ok(statement.query_row([short(key)], |row| row.get(0))?)
}

/// Returns the live document of an index.
pub(super) fn known(connection: &Connection, index: &Index) -> Result<Option<Known>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, digest, version, size, modified, opened, chunks, unread, failed FROM document \
         WHERE idx = ?1 AND gone_at IS NULL",
    )?;
    let found = statement.query_row([index.as_str()], |row| {
        Ok(Known {
            row: row.get(0)?,
            digest: row.get(1)?,
            version: row.get(2)?,
            size: row.get(3)?,
            modified: row.get(4)?,
            opened: row.get(5)?,
            chunks: row.get(6)?,
            unread: row.get(7)?,
            failed: row.get(8)?,
        })
    });
    Ok(found.optional()?)
}
