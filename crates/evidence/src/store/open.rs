use std::path::Path;
use std::time::Duration;

use mge_sqlite::{log_is_empty, open_read_only};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::read::Snapshot;
use super::schema::{APPLICATION_ID, FORMAT, FROM_1, create};
use crate::error::StoreError;

/// The name of the file in a graph's folder.
pub(crate) const FILE_NAME: &str = "graph.sqlite";

/// How many compiled statements a connection keeps.
const STATEMENTS: usize = 256;

/// The one connection that may write.
pub(crate) struct Store {
    connection: Connection,
}

impl Store {
    /// Opens a graph's file for writing, and makes it when there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(FILE_NAME);
        make_folder(folder)?;
        let fresh = !path.exists();
        let connection = Connection::open_with_flags(&path, OpenFlags::default())?;
        let format = if fresh { None } else { check(&connection, &path)? };
        prepare(&connection)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // A batch is reported only after its commit, and a commit is on the disk: one fsync a batch.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
        connection.pragma_update(None, "cache_size", -64_000)?;
        let store = Self { connection };
        if format != Some(FORMAT) {
            let transaction = store.begin()?;
            match format {
                None => transaction.execute_batch(&create())?,
                Some(_) => transaction.execute_batch(FROM_1)?,
            }
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
            transaction.commit()?;
        }
        Ok(store)
    }

    /// Opens a snapshot for reading, in any process, beside a writer.
    ///
    /// `known_at`, in milliseconds since 1970, shows what was known then.
    pub(crate) fn read(folder: &Path, known_at: Option<i64>) -> Result<Snapshot, StoreError> {
        let path = folder.join(FILE_NAME);
        if !path.exists() {
            return Err(StoreError::Missing { path });
        }
        let connection = open_for_reading(&path)?;
        match check(&connection, &path)? {
            None => return Err(StoreError::Missing { path }),
            Some(found) if found < FORMAT => {
                return Err(StoreError::Older { path, found, known: FORMAT });
            }
            Some(_) => {}
        }
        Snapshot::begin(connection, known_at)
    }

    /// Returns the connection.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Begins to write; dropped without a commit, all of it is undone.
    pub(crate) fn begin(&self) -> Result<Transaction<'_>, StoreError> {
        Ok(Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?)
    }

    /// Moves what stands in the write-ahead log into the file; harmless when readers hold it back.
    pub(crate) fn checkpoint(&self) -> Result<(), StoreError> {
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

fn prepare(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::from_secs(10))?;
    // Plans shall not depend on bound values: SQLite would plan a statement anew each time that one is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "temp_store", "file")?;
    Ok(())
}

/// Opens without any right to write.
fn open_for_reading(path: &Path) -> Result<Connection, StoreError> {
    let opened = open_read_only(path, |connection| {
        prepare(&connection)?;
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(connection)
    });
    opened.map_err(|error: StoreError| if error.is_damage() { damaged(path, &error) } else { error })
}

/// Refuses a file that is damaged, another program's, or of a later format; it is never emptied or made anew.
/// Returns its format; none if it has no tables yet.
fn check(connection: &Connection, path: &Path) -> Result<Option<i32>, StoreError> {
    let pragma = |name: &str| -> Result<i32, StoreError> {
        connection
            .query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
            .map_err(StoreError::from)
            .map_err(|error| if error.is_damage() { damaged(path, &error) } else { error })
    };
    let (application, format) = (pragma("application_id")?, pragma("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))
        .map_err(StoreError::from)
        .map_err(|error| if error.is_damage() { damaged(path, &error) } else { error })?;
    if application == 0 && format == 0 && tables == 0 {
        let size = path.metadata().map_or(0, |metadata| metadata.len());
        if size == 0 && !log_is_empty(path) {
            return Err(StoreError::Damaged {
                path: path.to_owned(),
                reason: "the file is empty, but a log of changes lies beside it".to_owned(),
            });
        }
        if size == 0 && path.with_file_name(crate::stats::FILE_NAME).exists() {
            return Err(StoreError::Damaged {
                path: path.to_owned(),
                reason: format!(
                    "the file is empty, but {} beside it counts what was in it",
                    crate::stats::FILE_NAME
                ),
            });
        }
        // Made by a process that died before its first commit.
        return Ok(None);
    }
    if application != APPLICATION_ID {
        let reason = format!("its application id is {application:#x}, not {APPLICATION_ID:#x}");
        return Err(StoreError::Foreign { path: path.to_owned(), reason });
    }
    if format > FORMAT {
        return Err(StoreError::Newer { path: path.to_owned(), found: format, known: FORMAT });
    }
    Ok(Some(format))
}

fn damaged(path: &Path, error: &StoreError) -> StoreError {
    StoreError::Damaged { path: path.to_owned(), reason: error.to_string() }
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    std::fs::create_dir_all(folder).map_err(|source| StoreError::File {
        action: "make the folder",
        path: folder.to_owned(),
        source,
    })
}
