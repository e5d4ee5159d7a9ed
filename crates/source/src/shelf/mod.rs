//! Where a source's Markdown is kept, and how it comes to be there.

mod convert;
mod folder;
mod mirror;
mod origin;
mod record;
mod replace;
mod walk;

use std::io;

use mge_core::{Cancel, Progress};

pub(crate) use convert::Converter;
pub(crate) use folder::{Folder, stamp_of};
pub(crate) use mirror::Mirror;
pub(crate) use origin::Origin;
pub(crate) use replace::replace;

pub(crate) use walk::{FileId, FileTable, Rules, Skipped, globs, walk};

use crate::cache::Stamp;
use crate::error::OpenError;

/// Holds the Markdown files of a source, whether they lie in a folder or are made of something else.
pub(crate) trait Shelf: Send + Sync {
    /// Lists the files.
    fn list(&self, progress: &dyn Progress, cancel: &Cancel) -> Result<FileTable, OpenError>;

    /// Returns what tells whether a file has changed, without reading it.
    fn stamp(&self, path: &str) -> io::Result<Stamp>;

    /// Reads a file and decodes it.
    fn read(&self, path: &str) -> Result<Shelved, ReadError>;

    /// Returns what else than a file's stamp decides about its text: the name of what makes it, with its version.
    fn maker(&self) -> &str {
        ""
    }
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shelved {
    /// The decoded text.
    pub(crate) text: String,
    /// Tells this state of the file from others.
    pub(crate) stamp: Stamp,
    /// What it was made of, where it was made.
    pub(crate) origin: Option<Origin>,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReadError {
    /// It was there when it was listed.
    #[error("it is gone")]
    Gone,
    /// The system or what made the file refuses.
    #[error("{reason}")]
    Unreadable {
        reason: String,
        /// A later try may succeed.
        transient: bool,
    },
    /// It is larger than the limit, in bytes.
    #[error("it has {size} bytes, more than the {limit} allowed")]
    TooLarge { size: u64, limit: u64 },
    /// It is not text.
    #[error("it is no text: {reason}")]
    NotText { reason: String },
}

impl ReadError {
    /// It stays as it is until the file changes.
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Unreadable { reason: reason.into(), transient: false }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Gone,
            kind => Self::Unreadable {
                reason: error.to_string(),
                transient: matches!(
                    kind,
                    io::ErrorKind::Interrupted | io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
                ),
            },
        }
    }
}
