//! What is known of a converted document, kept beside the mirror.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mge_core::Digest;
use serde::{Deserialize, Serialize};

use super::convert::Made;
use super::replace::replace;
use crate::cache::Stamp;

/// The folder of the records, inside that of the mirror.
const FOLDER: &str = ".mirror";
const ENDING: &str = ".json";
const VERSION: u32 = 1;
/// The most bytes of a name that file systems take, less what is put behind it.
const MOST_NAME: usize = 255 - 8;
/// The most bytes of a record that are read; ours are far smaller.
const MOST_BYTES: u64 = 16 << 20;

/// What became of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    /// The document's path below its folder.
    pub(crate) document: String,
    /// What converted it, with its version.
    pub(crate) converter: String,
    /// The document's size in bytes.
    size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    modified: Option<i64>,
    /// The digest of its bytes.
    pub(crate) digest: String,
    /// The digest of its Markdown.
    pub(crate) markdown: String,
    /// What came of it.
    pub(crate) outcome: Made,
}

impl Record {
    pub(crate) fn new(
        document: &str,
        converter: &str,
        stamp: Stamp,
        digest: String,
        markdown: &str,
        outcome: Made,
    ) -> Self {
        Self {
            version: VERSION,
            document: document.to_owned(),
            converter: converter.to_owned(),
            size: stamp.size,
            modified: stamp.modified,
            digest,
            markdown: Digest::of(markdown.as_bytes()).to_string(),
            outcome,
        }
    }

    /// Returns what holds for the same document with another stamp.
    pub(crate) fn touched(self, stamp: Stamp) -> Self {
        Self { size: stamp.size, modified: stamp.modified, ..self }
    }

    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { size: self.size, modified: self.modified }
    }

    /// Returns a document's path in which no name is longer than a file system takes with an ending behind it.
    pub(crate) fn file_name(document: &str) -> String {
        let name = document.rsplit('/').next().unwrap_or(document);
        if name.len() <= MOST_NAME {
            return document.to_owned();
        }
        let digest = Digest::of(name.as_bytes()).to_string();
        let kept = name.floor_char_boundary(MOST_NAME - 17);
        format!("{}{}~{}", &document[..document.len() - name.len()], &name[..kept], &digest[..16])
    }

    fn place(mirror: &Path, document: &str) -> PathBuf {
        mirror.join(FOLDER).join(format!("{}{ENDING}", Self::file_name(document)))
    }

    /// Reads what is known of a document; nothing of what is not ours, or broken.
    pub(crate) fn read(mirror: &Path, document: &str) -> Option<Self> {
        Self::parse(&Self::place(mirror, document)).filter(|record| record.document == document)
    }

    fn parse(file: &Path) -> Option<Self> {
        if fs::metadata(file).ok()?.len() > MOST_BYTES {
            return None;
        }
        let record: Self = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        (record.version == VERSION).then_some(record)
    }

    pub(crate) fn write(&self, mirror: &Path) -> io::Result<()> {
        replace(&Self::place(mirror, &self.document), &serde_json::to_vec(self)?)
    }

    pub(crate) fn remove(mirror: &Path, document: &str) -> io::Result<()> {
        fs::remove_file(Self::place(mirror, document))
    }

    /// Names every document of which something is known.
    pub(crate) fn each(mirror: &Path, told: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        let mut open = vec![mirror.join(FOLDER)];
        while let Some(folder) = open.pop() {
            let listing = match fs::read_dir(&folder) {
                Ok(listing) => listing,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            for entry in listing {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    open.push(entry.path());
                } else if let Some(record) = Self::parse(&entry.path()) {
                    told(&record.document)?;
                }
            }
        }
        Ok(())
    }
}
