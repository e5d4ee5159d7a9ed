use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rusqlite::{Connection, OptionalExtension};

use crate::embed::{Embed, EmbedModel, check_model};
use crate::error::SearchError;
use crate::hashing::HashingEmbedder;
use crate::language::Language;
use crate::matrix::Matrix;
use crate::meta::{Meta, language_of};
use crate::open::{begin, for_reading, for_writing};
use crate::query::{Answer, Mode, Query};
use crate::search;
use crate::write::{Applied, Change, apply, fill_vectors};

/// How often a search begins anew because others change the index.
const ATTEMPTS: usize = 8;
/// So many connections are kept for readers.
const READERS: usize = 16;

/// How an index is made and searched.
#[derive(Clone)]
pub struct Settings {
    /// The language of texts that do not tell theirs.
    pub language: Language,
    /// What makes the vectors; without it there are none, and every search is lexical.
    pub embed: Option<Arc<dyn Embed>>,
}

impl Default for Settings {
    /// English, and the [`HashingEmbedder`].
    fn default() -> Self {
        Self { language: Language::English, embed: Some(Arc::new(HashingEmbedder::default())) }
    }
}

/// What opening an index for writing did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opened {
    /// There was no index yet.
    pub created: bool,
    /// An older version had made it, and it was emptied: put all documents again.
    pub emptied: bool,
    /// Vectors of another model, or no longer wanted, that were dropped.
    pub vectors_dropped: u64,
    /// Vectors that were missing, and were made.
    pub vectors_made: u64,
}

/// What an index holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Documents.
    pub documents: u64,
    /// Passages of all documents.
    pub passages: u64,
    /// Words of all passages.
    pub words: u64,
    /// Passages that have a vector.
    pub vectors: u64,
    /// Passages by the language they were analyzed by.
    pub languages: BTreeMap<Language, u64>,
    /// What made the vectors.
    pub model: Option<EmbedModel>,
}

/// A search index in one file.
///
/// One handle serves any number of threads. At most one process writes at a time, any number reads meanwhile, and each
/// search sees one state of the index. What was applied outlives the process; after a loss of power the file is whole,
/// but may lack the last changes.
pub struct SearchIndex {
    path: PathBuf,
    settings: Settings,
    // Closed before the writer: the last to close takes the log of changes away, and a reader may not.
    readers: Mutex<Vec<Connection>>,
    writer: Option<Mutex<Connection>>,
    matrix: RwLock<Matrix>,
}

impl SearchIndex {
    /// Opens an index for writing, and makes it when there is none.
    ///
    /// When another model made its vectors, all of them are made anew before this returns, and [`Opened`] tells so;
    /// interrupted, it goes on at the next opening. The file is never emptied when it is damaged or another program's.
    pub fn open(path: &Path, settings: Settings) -> Result<(Self, Opened), SearchError> {
        let outcome = Self::open_and_fill(path, &settings);
        let (connection, opened) = outcome.map_err(|error| error.at(path))?;
        let writer = Some(Mutex::new(connection));
        Ok((Self::new(path, settings, writer), opened))
    }

    /// Opens an index for reading, in any process, beside a writer.
    pub fn read(path: &Path, settings: Settings) -> Result<Self, SearchError> {
        let connection = for_reading(path).map_err(|error| error.at(path))?;
        let index = Self::new(path, settings, None);
        index.give_back(connection);
        Ok(index)
    }

    fn new(path: &Path, settings: Settings, writer: Option<Mutex<Connection>>) -> Self {
        Self {
            path: path.to_owned(),
            settings,
            writer,
            readers: Mutex::new(Vec::new()),
            matrix: RwLock::new(Matrix::default()),
        }
    }

    fn open_and_fill(path: &Path, settings: &Settings) -> Result<(Connection, Opened), SearchError> {
        let model = settings.embed.as_ref().map(|embed| embed.model());
        if let Some(model) = &model {
            check_model(model)?;
        }
        let found = for_writing(path)?;
        let connection = found.connection;
        let mut opened = Opened { created: found.created, emptied: found.emptied, ..Opened::default() };
        let transaction = begin(&connection)?;
        let mut meta = Meta::read(&transaction)?;
        if meta.model != model {
            opened.vectors_dropped = meta.vectors.unsigned_abs();
            transaction.execute("DELETE FROM vector", [])?;
            meta.model = model;
            meta.vectors = 0;
            meta.change += 1;
            meta.reload = meta.change;
            meta.write(&transaction)?;
        }
        transaction.commit()?;
        let Some(embed) = &settings.embed else { return Ok((connection, opened)) };
        let mut after = i64::MIN;
        let mut is_whole = meta.vectors >= meta.passages;
        while !is_whole {
            let transaction = begin(&connection)?;
            let made = fill_vectors(&transaction, embed.as_ref(), after)?;
            transaction.commit()?;
            match made {
                Some((made, last)) => {
                    opened.vectors_made += made as u64;
                    after = last;
                }
                None => is_whole = true,
            }
        }
        Ok((connection, opened))
    }

    /// Applies changes, all of them or none.
    ///
    /// A document whose digest the index knows costs next to nothing. Some thousand passages at a time are the fastest.
    pub fn apply(&self, changes: Vec<Change>) -> Result<Applied, SearchError> {
        self.write(|connection| {
            let transaction = begin(connection)?;
            let embed = self.settings.embed.as_deref();
            let applied = apply(&transaction, changes, self.settings.language, embed)?;
            transaction.commit()?;
            Ok(applied)
        })
    }

    /// Orders the file for searching; worth it after a bulk of changes, and never needed.
    pub fn optimize(&self) -> Result<(), SearchError> {
        self.write(|connection| {
            connection.execute("INSERT INTO lexical (lexical) VALUES ('optimize')", [])?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            Ok(())
        })
    }

    /// Searches.
    ///
    /// Without an embedder in the settings, [`Mode::Hybrid`] is lexical, and [`Mode::Vector`] an error.
    pub fn search(&self, query: &Query) -> Result<Answer, SearchError> {
        self.with_reader(|connection| {
            let mut attempt = 0;
            loop {
                attempt += 1;
                let transaction = connection.unchecked_transaction()?;
                let meta = Meta::read(&transaction)?;
                let embed = match (&self.settings.embed, query.mode) {
                    (Some(embed), Mode::Vector | Mode::Hybrid) => embed.as_ref(),
                    (None, Mode::Vector) => return Err(self.other_model(&meta)),
                    _ => return search::run(&transaction, &meta, query, None),
                };
                if meta.model != Some(embed.model()) || meta.vectors < meta.passages {
                    return Err(self.other_model(&meta));
                }
                if query.everything {
                    return search::run(&transaction, &meta, query, Some((&Matrix::default(), embed)));
                }
                self.refresh(&transaction, &meta)?;
                let matrix = self.matrix.read().unwrap_or_else(PoisonError::into_inner);
                // Another thread may have taken in a later state than this transaction sees.
                if matrix.change == meta.change || attempt == ATTEMPTS {
                    return search::run(&transaction, &meta, query, Some((&matrix, embed)));
                }
            }
        })
    }

    fn refresh(&self, connection: &Connection, meta: &Meta) -> Result<(), SearchError> {
        if self.matrix.read().unwrap_or_else(PoisonError::into_inner).change >= meta.change {
            return Ok(());
        }
        let mut matrix = self.matrix.write().unwrap_or_else(PoisonError::into_inner);
        if matrix.change < meta.change {
            matrix.refresh(connection, meta)?;
        }
        Ok(())
    }

    /// Returns the digest under which a document was put.
    pub fn digest(&self, document: &str) -> Result<Option<String>, SearchError> {
        self.with_reader(|connection| {
            Ok(connection
                .prepare_cached("SELECT digest FROM document WHERE key = ?1")?
                .query_row([document], |row| row.get(0))
                .optional()?)
        })
    }

    /// Lists documents by their keys: at most `limit` pairs of key and digest, after the key `after`.
    pub fn documents(&self, after: Option<&str>, limit: usize) -> Result<Vec<(String, String)>, SearchError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.with_reader(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT key, digest FROM document WHERE ?1 IS NULL OR key > ?1 ORDER BY key LIMIT ?2",
            )?;
            let rows = statement.query_map((after, limit), |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Counts what the index holds.
    pub fn statistics(&self) -> Result<Statistics, SearchError> {
        self.with_reader(|connection| {
            let transaction = connection.unchecked_transaction()?;
            let meta = Meta::read(&transaction)?;
            let documents: i64 =
                transaction.query_row("SELECT count(*) FROM document", [], |row| row.get(0))?;
            let mut statement =
                transaction.prepare("SELECT id, passages FROM language WHERE passages > 0")?;
            let languages = statement
                .query_map([], |row| Ok((language_of(row.get(0)?), row.get::<_, i64>(1)?.unsigned_abs())))?
                .collect::<Result<_, _>>()?;
            Ok(Statistics {
                documents: documents.unsigned_abs(),
                passages: meta.passages.unsigned_abs(),
                words: meta.words.unsigned_abs(),
                vectors: meta.vectors.unsigned_abs(),
                languages,
                model: meta.model,
            })
        })
    }

    /// Reads the whole file, and fails with [`SearchError::Damaged`] when it contradicts itself.
    pub fn verify(&self) -> Result<(), SearchError> {
        let damaged = |reason: String| SearchError::Damaged { path: self.path.clone(), reason };
        let check = || -> Result<(), SearchError> {
            // A connection of its own: FTS5 checks itself by what it remembers of its segments, and takes a file that another
            // connection has changed since for a damaged one.
            let connection = for_reading(&self.path)?;
            let transaction = connection.unchecked_transaction()?;
            let told: String = transaction.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            if told != "ok" {
                return Err(damaged(told));
            }
            let meta = Meta::read(&transaction)?;
            for (table, counted) in [("passage", meta.passages), ("vector", meta.vectors)] {
                let query = format!("SELECT count(*) FROM {table}");
                let found: i64 = transaction.query_row(&query, [], |row| row.get(0))?;
                if found != counted {
                    return Err(damaged(format!(
                        "the table {table} has {found} rows, and should have {counted}"
                    )));
                }
            }
            let orphans: i64 = transaction.query_row(
                "SELECT count(*) FROM passage WHERE document NOT IN (SELECT id FROM document)",
                [],
                |row| row.get(0),
            )?;
            if orphans > 0 {
                return Err(damaged(format!("{orphans} passages belong to no document")));
            }
            Ok(())
        };
        check().map_err(|error| error.at(&self.path))
    }

    fn other_model(&self, meta: &Meta) -> SearchError {
        let name = |model: Option<EmbedModel>| model.map_or("no model".to_owned(), |model| model.to_string());
        let mut found = name(meta.model.clone());
        if meta.model.is_some() && meta.vectors < meta.passages {
            found = format!("{found}, where {} are missing", meta.passages - meta.vectors);
        }
        SearchError::OtherModel {
            found,
            wanted: name(self.settings.embed.as_ref().map(|embed| embed.model())),
        }
    }

    fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T, SearchError>) -> Result<T, SearchError> {
        let writer = self.writer.as_ref().ok_or(SearchError::ReadOnly)?;
        let connection = writer.lock().unwrap_or_else(PoisonError::into_inner);
        work(&connection).map_err(|error| error.at(&self.path))
    }

    fn with_reader<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => for_reading(&self.path).map_err(|error| error.at(&self.path))?,
        };
        let outcome = work(&connection).map_err(|error| error.at(&self.path));
        self.give_back(connection);
        outcome
    }

    fn give_back(&self, connection: Connection) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < READERS {
            readers.push(connection);
        }
    }
}
