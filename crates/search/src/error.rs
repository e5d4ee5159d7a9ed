use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::embed::EmbedError;

/// Why a search index cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The file is another program's.
    #[error("'{}' is not a search index: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What tells so.
        reason: String,
    },
    /// A later version wrote it.
    #[error("'{}' has format {found}, and this version reads formats up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format it has.
        found: i32,
        /// The latest format that is known here.
        known: i32,
    },
    /// Another version wrote it, and a reader may not make it anew.
    #[error("'{}' was made by another version of the index", path.display())]
    Outdated {
        /// The file.
        path: PathBuf,
    },
    /// Bytes are wrong.
    #[error("'{}' is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is no file yet.
    #[error("'{}' does not exist yet", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// It was opened for reading only.
    #[error("the search index was opened for reading only")]
    ReadOnly,
    /// The vectors are missing, or another model made them.
    #[error("the vectors of the search index are of {found}, not of {wanted}")]
    OtherModel {
        /// The model that made the vectors; `no model` when there are none.
        found: String,
        /// The model that was given.
        wanted: String,
    },
    /// A text, key or list is larger than the index takes.
    #[error("{what} of '{key}' is larger than {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The document.
        key: String,
        /// The largest that is taken, with its unit.
        limit: String,
    },
    /// A text could not be made a vector.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The system refuses a file.
    #[error("cannot {action} '{}': {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// SQLite refuses.
    #[error("the search index fails: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl SearchError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Newer { .. } => Some("use the version of mge that wrote it, or a later one"),
            Self::Foreign { .. } => Some("move the file away, or give the index another path"),
            Self::Damaged { .. } => Some("move the file away: the index can be made anew from the documents"),
            Self::Missing { .. } => Some("make the index first"),
            Self::Outdated { .. } | Self::OtherModel { .. } => {
                Some("open the index for writing once: what is missing is made then")
            }
            Self::TooLarge { .. } => Some("cut the document into smaller passages"),
            Self::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => {
                Some("free some space and try again: what was put before is kept")
            }
            Self::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                Some("another process writes to the index: wait for it, or stop it")
            }
            _ => None,
        }
    }

    /// Names the file when its bytes are wrong.
    pub(crate) fn at(self, path: &Path) -> Self {
        let damaged = |reason: String| Self::Damaged { path: path.to_owned(), reason };
        match self {
            Self::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt) => damaged(error.to_string()),
                Some(ErrorCode::NotADatabase) => {
                    Self::Foreign { path: path.to_owned(), reason: "it is not an SQLite file".to_owned() }
                }
                _ => match &error {
                    rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
                    | rusqlite::Error::Utf8Error(..)
                    | rusqlite::Error::QueryReturnedNoRows => damaged(error.to_string()),
                    // A table is gone.
                    rusqlite::Error::SqlInputError { msg, .. } if msg.starts_with("no such") => {
                        damaged(msg.clone())
                    }
                    rusqlite::Error::SqliteFailure(_, Some(message)) if message.starts_with("no such") => {
                        damaged(message.clone())
                    }
                    _ => Self::Sqlite(error),
                },
            },
            other => other,
        }
    }
}
