//! What can go wrong, by area.

use std::path::PathBuf;

use mge_core::{CorpusError, RunError, RunErrorKind};

/// Why bytes are no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The file's first bytes say what it is.
    #[error("it is {what}")]
    Known {
        /// What it is.
        what: &'static str,
    },
    /// There are NUL bytes.
    #[error("it is binary: it holds NUL bytes")]
    Nul,
    /// There are many control characters.
    #[error("it is binary: it is full of control characters")]
    Controls,
    /// The byte order mark says UTF-8, the bytes do not.
    #[error("byte {position} is not {encoding}")]
    Broken {
        /// What the mark says.
        encoding: &'static str,
        /// The first wrong byte.
        position: usize,
    },
    /// It is not all in the encoding that it seems to be in.
    #[error("it is malformed {encoding}")]
    Malformed {
        /// The encoding.
        encoding: &'static str,
    },
    /// The encoding is known but not read.
    #[error("it is {encoding}, which is not read")]
    Unsupported {
        /// The encoding.
        encoding: &'static str,
    },
}

/// Why a source cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The folder is not there.
    #[error("the folder '{}' does not exist", .path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// It is a file.
    #[error("'{}' is not a folder", .path.display())]
    NotAFolder {
        /// What was given.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot read the folder '{}': {reason}", .path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A pattern is no glob.
    #[error("'{glob}' is not a pattern: {reason}")]
    BadGlob {
        /// The pattern.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Piloting was asked to end.
    #[error("piloting was cancelled")]
    Cancelled,
}

/// Turns the failure of a look-up into that of a request.
pub(crate) fn run_error(error: &CorpusError, children: &str) -> RunError {
    match error {
        CorpusError::NotFound { existing, .. } => {
            let kind = RunErrorKind::FailedToFindCapability;
            RunError::new(kind, error.to_string())
                .hint(format!("{children}(\"{existing}\") lists what is there"))
        }
        CorpusError::TooLarge { .. } => {
            RunError::failed(error.to_string()).hint("raise max_file_bytes of the source, or split the file")
        }
        _ => RunError::failed(error.to_string()),
    }
}
