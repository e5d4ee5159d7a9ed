use std::path::PathBuf;

use mge_core::{Fault, GraphError, RunError, RunErrorKind};
use rusqlite::ErrorCode;

/// Why the store cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The file is another program's.
    #[error("'{}' is not an evidence graph: {reason}", path.display())]
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
    /// An earlier version wrote it, and a reader does not change it.
    #[error("'{}' has format {found}, and this version reads format {known}", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// The format it has.
        found: i32,
        /// The format that is read.
        known: i32,
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
    #[error("'{}' does not exist yet: nothing was crawled", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// It was opened for reading only.
    #[error("the evidence graph was opened for reading only")]
    ReadOnly,
    /// A row holds what no row can hold.
    #[error("the store is damaged: {0}")]
    Row(String),
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
    #[error("the store fails: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// It was asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// What a damaged store costs, and what remains.
const DAMAGED_HINT: &str = "all that was read can be had again from the sources, but decisions of curators are only in this file: \
     try `mge rebuild`; if that fails, keep a copy, move the file away and crawl again";

impl StoreError {
    /// Tells whether bytes of the file are wrong.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Foreign { .. } | Self::Damaged { .. } | Self::Row(_) => true,
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            ),
            _ => false,
        }
    }

    /// Tells whether the disk is full.
    pub(crate) fn is_full(&self) -> bool {
        match self {
            Self::Sqlite(error) => matches!(error.sqlite_error_code(), Some(ErrorCode::DiskFull)),
            Self::File { source, .. } => source.kind() == std::io::ErrorKind::StorageFull,
            _ => false,
        }
    }

    /// Returns what to do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Newer { .. } => Some("use the version of mge that wrote it, or a later one".to_owned()),
            Self::Foreign { .. } => {
                Some("move the file away, or give the graph another persistence path".to_owned())
            }
            Self::Missing { .. } => Some("run mge crawl first".to_owned()),
            Self::Older { .. } => Some("mge crawl brings it up to date, and loses nothing".to_owned()),
            _ if self.is_damage() => Some(DAMAGED_HINT.to_owned()),
            _ if self.is_full() => {
                Some("free some space and crawl again: all batches reported before are kept".to_owned())
            }
            _ => None,
        }
    }

    fn is_system(&self) -> bool {
        match self {
            Self::File { .. } => true,
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(
                    ErrorCode::DiskFull
                        | ErrorCode::SystemIoFailure
                        | ErrorCode::CannotOpen
                        | ErrorCode::ReadOnly
                        | ErrorCode::PermissionDenied
                        | ErrorCode::DatabaseBusy
                        | ErrorCode::DatabaseLocked
                        | ErrorCode::OutOfMemory
                )
            ),
            _ => false,
        }
    }

    fn told(&self) -> String {
        if self.is_full() { "the disk is full".to_owned() } else { self.to_string() }
    }
}

impl From<StoreError> for GraphError {
    fn from(error: StoreError) -> Self {
        let hint = error.hint();
        match &error {
            StoreError::Missing { .. } | StoreError::ReadOnly => {
                Self::NotReady { message: error.to_string() }
            }
            _ if error.is_system() => {
                let message = error.told();
                Self::System { message: hint.map_or(message.clone(), |hint| format!("{message}; {hint}")) }
            }
            _ => Self::Store { message: error.to_string(), hint },
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let mut fault = Fault::new(error.told());
        fault.hint = error.hint();
        fault
    }
}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::Missing { .. } | StoreError::ReadOnly => RunErrorKind::InvalidState,
            _ => RunErrorKind::RunFailed,
        };
        let mut run = RunError::new(kind, error.told());
        run.hint = error.hint();
        run
    }
}
