//! The operating system's advisory lock on `graphs/.lock`; the only place that calls fs2.
//!
//! Its methods are called by their full names because the standard library has some of the same names.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::LockError;

/// The held advisory lock; it ends when this is dropped or its process ends.
#[derive(Debug)]
pub(super) struct Advisory {
    file: File,
}

fn path(folder: &Path) -> PathBuf {
    folder.join("graphs").join(".lock")
}

impl Advisory {
    /// Tells whether a writer of ours was ever here.
    pub(super) fn exists(folder: &Path) -> bool {
        path(folder).exists()
    }

    /// Takes the lock if nobody holds it.
    pub(super) fn acquire(folder: &Path) -> Result<Option<Self>, LockError> {
        let path = path(folder);
        let graphs = folder.join("graphs");
        // Not with its parents: a mistyped endpoint must not come into being.
        match fs::create_dir(&graphs) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(LockError::io("create", &graphs)(error));
            }
            _ => {}
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(LockError::io("open", &path))?;
        match fs2::FileExt::try_lock_exclusive(&file) {
            Ok(()) => {}
            Err(error) if is_contention(&error) => return Ok(None),
            Err(error) => return Err(LockError::io("lock", &path)(error)),
        }
        let advisory = Self { file };
        // A forced unlock may have replaced the file between opening and locking it.
        Ok(advisory.is_current(folder).then_some(advisory))
    }

    /// Tells whether this lock is on the file that others will ask.
    pub(super) fn is_current(&self, folder: &Path) -> bool {
        match (self.file.metadata(), fs::metadata(path(folder))) {
            (Ok(ours), Ok(theirs)) => is_same_file(&ours, &theirs),
            _ => false,
        }
    }

    /// Tells whether somebody holds the lock; `None` when that cannot be seen.
    ///
    /// Looks with a shared lock, for a moment and without writing, so that readers do not disturb each other.
    pub(super) fn probe(folder: &Path) -> Option<bool> {
        let file = match File::open(path(folder)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(false),
            Err(_) => return None,
        };
        match fs2::FileExt::try_lock_shared(&file) {
            Ok(()) => Some(false),
            Err(error) if is_contention(&error) => Some(true),
            Err(_) => None,
        }
    }

    /// Puts a new file in the place of one that a living process holds.
    pub(super) fn replace(folder: &Path) -> Result<(), LockError> {
        let path = path(folder);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LockError::io("remove", &path)(error))
            }
            _ => OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map(drop)
                .map_err(LockError::io("create", &path)),
        }
    }
}

fn is_contention(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
        || error.raw_os_error().is_some_and(|code| fs2::lock_contended_error().raw_os_error() == Some(code))
}

#[cfg(unix)]
fn is_same_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Elsewhere an open file cannot be replaced, so it is always the same.
#[cfg(not(unix))]
fn is_same_file(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}
