//! Opening the file: checks before anything is changed.

use std::path::Path;
use std::time::Duration;

use mge_sqlite::open_read_only;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::analysis::ANALYSIS;
use crate::error::SearchError;
use crate::meta::Meta;
use crate::schema::{APPLICATION_ID, DROP, FORMAT, TABLES};

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// What opening for writing found.
pub(crate) struct Found {
    pub(crate) connection: Connection,
    pub(crate) created: bool,
    pub(crate) emptied: bool,
}

/// Opens a file for writing, and makes it when there is none.
pub(crate) fn for_writing(path: &Path) -> Result<Found, SearchError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|source| SearchError::File {
            action: "make the folder",
            path: folder.to_owned(),
            source,
        })?;
    }
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    check(&connection, path)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // The index can be made anew from the documents: what was committed outlives the process, and after a loss of
    // power the file is whole, but may lack the last transactions.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    connection.pragma_update(None, "cache_size", -64_000)?;
    let transaction = begin(&connection)?;
    // Once more, and under the lock: another process may have made it meanwhile.
    let state = check(&transaction, path)?;
    if state != State::Current {
        transaction.execute_batch(DROP)?;
        transaction.execute_batch(TABLES)?;
        Meta { analysis: ANALYSIS, ..Meta::default() }.write(&transaction)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    transaction.commit()?;
    Ok(Found { connection, created: state == State::Empty, emptied: state == State::Outdated })
}

/// Begins to write; dropped without a commit, all of it is undone.
pub(crate) fn begin(connection: &Connection) -> rusqlite::Result<Transaction<'_>> {
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
}

/// Opens a file without any right to write.
pub(crate) fn for_reading(path: &Path) -> Result<Connection, SearchError> {
    if !path.exists() {
        return Err(SearchError::Missing { path: path.to_owned() });
    }
    open_read_only(path, |connection| {
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "cache_size", -32_000)?;
        match check(&connection, path)? {
            State::Current => Ok(connection),
            State::Empty => Err(SearchError::Missing { path: path.to_owned() }),
            State::Outdated => Err(SearchError::Outdated { path: path.to_owned() }),
        }
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// There is nothing in it yet.
    Empty,
    /// An older format, or another analysis.
    Outdated,
    Current,
}

/// Refuses a file that is damaged, another program's, or of a later format.
fn check(connection: &Connection, path: &Path) -> Result<State, SearchError> {
    let number = |query: &str| -> Result<i32, SearchError> {
        connection.query_row(query, [], |row| row.get(0)).map_err(|error| SearchError::from(error).at(path))
    };
    let application = number("PRAGMA application_id")?;
    let format = number("PRAGMA user_version")?;
    let tables = number("SELECT count(*) FROM sqlite_master")?;
    if application == 0 && format == 0 && tables == 0 {
        return Ok(State::Empty);
    }
    if application != APPLICATION_ID {
        let reason = format!("its application id is {application:#x}, not {APPLICATION_ID:#x}");
        return Err(SearchError::Foreign { path: path.to_owned(), reason });
    }
    if format > FORMAT {
        return Err(SearchError::Newer { path: path.to_owned(), found: format, known: FORMAT });
    }
    if format < FORMAT {
        return Ok(State::Outdated);
    }
    let meta = Meta::read(connection).map_err(|error| SearchError::from(error).at(path))?;
    Ok(if meta.analysis == ANALYSIS { State::Current } else { State::Outdated })
}
