//! Pages that are kept in one file.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mge_core::{Cancel, Progress};

use super::error::PagesError;
use super::store::PageStore;
use crate::cache::Stamp;
use crate::error::OpenError;
use crate::shelf::{FileTable, ReadError, Rules, Shelf, Shelved};

/// The pages of an export in a store, read by name.
pub(crate) struct Pack {
    store: Mutex<PageStore>,
    folder: PathBuf,
    rules: Rules,
    /// The most bytes of a page.
    limit: u64,
}

impl Pack {
    pub(crate) fn open(folder: &Path, rules: Rules, limit: u64) -> Result<Self, PagesError> {
        let store = Mutex::new(PageStore::read(folder)?);
        Ok(Self { store, folder: folder.to_owned(), rules, limit })
    }

    fn with<T>(&self, work: impl FnOnce(&PageStore) -> Result<T, PagesError>) -> Result<T, PagesError> {
        work(&self.store.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shelf for Pack {
    fn list(&self, progress: &dyn Progress, cancel: &Cancel) -> Result<FileTable, OpenError> {
        let mut files = FileTable::default();
        let listed = self.with(|store| {
            store.each_name(&mut |name| {
                if self.rules.lists(name) {
                    files.push(name);
                    progress.report("files", files.len() as u64, None);
                }
                !cancel.is_cancelled()
            })
        });
        listed.map_err(|error| OpenError::Unreadable {
            path: self.folder.clone(),
            reason: error.to_string(),
        })?;
        if cancel.is_cancelled() {
            return Err(OpenError::Cancelled);
        }
        files.sort();
        Ok(files)
    }

    fn stamp(&self, path: &str) -> io::Result<Stamp> {
        let state = self.with(|store| store.state(path)).map_err(io::Error::other)?;
        let (size, changed) = state.ok_or(io::ErrorKind::NotFound)?;
        Ok(Stamp { size, modified: Some(changed) })
    }

    fn read(&self, path: &str) -> Result<Shelved, ReadError> {
        let stamp = self.stamp(path)?;
        if stamp.size > self.limit {
            return Err(ReadError::TooLarge { size: stamp.size, limit: self.limit });
        }
        let text =
            self.with(|store| store.text(path)).map_err(|error| ReadError::refused(error.to_string()))?;
        Ok(Shelved { text: text.ok_or(ReadError::Gone)?, stamp, origin: None })
    }
}
