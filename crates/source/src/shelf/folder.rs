//! Files that lie in a folder as they are.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use mge_core::{Cancel, Progress};

use super::walk::{self, FileTable, Rules};
use super::{ReadError, Shelf, Shelved};
use crate::cache::Stamp;
use crate::decode::decode;
use crate::error::OpenError;

/// A folder of files, none of which leads out of it.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    real_root: PathBuf,
    rules: Rules,
    /// The most bytes of a file.
    limit: u64,
}

impl Folder {
    /// Opens a folder; it is listed later.
    pub(crate) fn open(root: &Path, rules: Rules, limit: u64) -> Result<Self, OpenError> {
        let real_root = walk::open_root(root)?;
        Ok(Self { root: root.to_owned(), real_root, rules, limit })
    }

    /// Reads a file's bytes.
    pub(crate) fn bytes(&self, path: &str) -> Result<(Vec<u8>, Stamp), ReadError> {
        // A link may have been put in the file's place since it was listed.
        let path = fs::canonicalize(self.root.join(path))?;
        if !path.starts_with(&self.real_root) {
            return Err(ReadError::refused("it leads out of the source's folder"));
        }
        // Opening a pipe would wait for its other end.
        if !fs::metadata(&path)?.is_file() {
            return Err(ReadError::refused("it is not a file"));
        }
        let file = File::open(&path)?;
        let data = file.metadata()?;
        let limit = self.limit;
        if data.len() > limit {
            return Err(ReadError::TooLarge { size: data.len(), limit });
        }
        // The file may grow while it is read.
        let mut bytes = Vec::with_capacity(data.len() as usize);
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(ReadError::TooLarge { size: bytes.len() as u64, limit });
        }
        Ok((bytes, stamp_of(&data)))
    }
}

impl Shelf for Folder {
    fn list(&self, progress: &dyn Progress, cancel: &Cancel) -> Result<FileTable, OpenError> {
        walk::walk(&self.root, &self.rules, progress, cancel)
    }

    fn stamp(&self, path: &str) -> io::Result<Stamp> {
        fs::metadata(self.root.join(path)).map(|data| stamp_of(&data))
    }

    fn read(&self, path: &str) -> Result<Shelved, ReadError> {
        let (bytes, stamp) = self.bytes(path)?;
        let text = decode(bytes).map_err(|error| ReadError::NotText { reason: error.to_string() })?;
        Ok(Shelved { text, stamp, origin: None })
    }
}

/// Returns the stamp of a file as the system describes it.
pub(crate) fn stamp_of(data: &Metadata) -> Stamp {
    let modified = data.modified().ok().and_then(|time| jiff::Timestamp::try_from(time).ok());
    let modified = modified.and_then(|time| i64::try_from(time.as_nanosecond()).ok());
    Stamp { size: data.len(), modified }
}
