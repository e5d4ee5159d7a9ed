//! Why an export's pages are not there.

use std::io;
use std::path::PathBuf;

use mge_wiki::ExportError;

/// Why the pages of an export cannot be converted or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PagesError {
    /// The export cannot be opened.
    #[error("cannot read the export '{}': {source}", .path.display())]
    Unreadable {
        /// The export.
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The export is broken; the pages before that are kept.
    #[error("the export '{}' is broken: {source}; {kept} pages before that are converted", .path.display())]
    Broken {
        /// The export.
        path: PathBuf,
        /// How many pages were converted.
        kept: u64,
        #[source]
        source: ExportError,
    },
    /// A page cannot be written.
    #[error("cannot write a page into '{}': {source}", .path.display())]
    Unwritable {
        /// The folder of the pages.
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The store of the pages fails.
    #[error("the store of pages '{}' fails: {source}", .path.display())]
    Store {
        /// The store's file.
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    /// The file is not a store of pages.
    #[error("'{}' is not a store of pages", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A later version wrote the store.
    #[error("the store of pages '{}' has format {found}; this version reads up to {known}", .path.display())]
    Newer {
        /// The store's file.
        path: PathBuf,
        found: i32,
        known: i32,
    },
    /// Nothing was converted yet, and a reader does not write.
    #[error("the export is not converted yet")]
    Missing,
    /// Piloting was asked to end; what was converted is kept.
    #[error("the conversion was interrupted; it goes on where it stopped")]
    Cancelled,
}

impl PagesError {
    /// Returns what to do about it.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Broken { source: ExportError::Truncated { .. }, .. } => {
                "fetch the export again; what is converted already is not converted twice"
            }
            Self::Broken { .. } => "'src_path' names an export as Special:Export or a dump writes it",
            Self::Unreadable { .. } => "'src_path' is relative to the endpoint's folder",
            Self::Foreign { .. } | Self::Newer { .. } => {
                "use the version that wrote it, or remove the file to convert anew"
            }
            Self::Store { .. } => "if it is damaged, remove the file to convert the export anew",
            Self::Missing => "mge pilot converts it",
            Self::Unwritable { .. } | Self::Cancelled => return None,
        })
    }
}
