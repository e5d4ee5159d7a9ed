//! Documents of other formats, mirrored as Markdown.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use mge_core::{Cancel, Digest, Progress};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::convert::{Converter, Made};
use super::record::Record;
use super::replace::replace;
use super::walk::{FileId, FileTable};
use super::{Folder, ReadError, Shelf, Shelved};
use crate::cache::Stamp;
use crate::error::OpenError;

/// A folder of documents, each with a Markdown file of its own in another folder.
///
/// `report.pdf` becomes `report.pdf.md`, so that `report.docx` beside it becomes another file. What was converted, or could
/// not be, stands in a [`Record`] beside the mirror, and holds until the document changes.
pub(crate) struct Mirror {
    originals: Folder,
    mirror: PathBuf,
    converter: Converter,
    /// A reader converts in memory and leaves the folder as it is.
    writable: bool,
}

/// What follows the name of a document in the name of its Markdown file.
const ENDING: &str = ".md";

/// What piloting did to a mirror.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mirrored {
    /// Documents whose Markdown is there.
    pub(crate) good: u64,
    /// Documents that cannot be converted.
    pub(crate) failed: u64,
}

impl Mirror {
    pub(crate) fn new(originals: Folder, mirror: PathBuf, converter: Converter, writable: bool) -> Self {
        Self { originals, mirror, converter, writable }
    }

    /// Converts every document that is not yet, on all cores.
    pub(crate) fn convert_all(
        &self,
        files: &FileTable,
        progress: &dyn Progress,
        cancel: &Cancel,
        told: &mut dyn FnMut(String),
    ) -> Mirrored {
        let (good, failures) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        let (done, total) = (AtomicU64::new(0), files.len() as u64);
        (0..files.len() as FileId).into_par_iter().for_each(|id| {
            if cancel.is_cancelled() {
                return;
            }
            match self.read(files.path(id)) {
                Ok(_) => {
                    good.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => {
                    failures.lock().unwrap_or_else(PoisonError::into_inner).push((id, error.to_string()));
                }
            }
            progress.report("documents converted", done.fetch_add(1, Ordering::Relaxed) + 1, Some(total));
        });
        let mut failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
        failures.sort_unstable();
        for (id, reason) in &failures {
            told(format!("cannot convert '{}': {reason}", document_of(files.path(*id))));
        }
        Mirrored { good: good.into_inner(), failed: failures.len() as u64 }
    }

    /// Takes away the Markdown of documents that are gone. Files that no record knows are somebody else's.
    ///
    /// # Errors
    /// The folder of the mirror cannot be read or written.
    pub(crate) fn tidy(&self, files: &FileTable) -> io::Result<u64> {
        let mut removed = 0;
        if !self.writable {
            return Ok(removed);
        }
        Record::each(&self.mirror, &mut |document| {
            if files.find(&format!("{document}{ENDING}")).is_none() && self.originals.stamp(document).is_err()
            {
                removed += 1;
                gone_is_fine(fs::remove_file(self.place(document)))?;
                Record::remove(&self.mirror, document)?;
            }
            Ok(())
        })?;
        Ok(removed)
    }

    /// Returns where the Markdown of a document lies.
    fn place(&self, document: &str) -> PathBuf {
        self.mirror.join(format!("{}{ENDING}", Record::file_name(document)))
    }

    /// Returns what a record speaks of; nothing if that is not there as it was.
    fn recorded(&self, record: &Record, stamp: Stamp) -> Option<Result<Shelved, ReadError>> {
        let origin = match &record.outcome {
            Made::Failed(reason) => return Some(Err(ReadError::refused(reason))),
            Made::Converted(origin) => origin.clone(),
        };
        // The digest tells whether the file is the one that the record speaks of.
        let text = fs::read_to_string(self.place(&record.document)).ok()?;
        let sound = Digest::of(text.as_bytes()).to_string() == record.markdown;
        sound.then_some(Ok(Shelved { text, stamp, origin: Some(origin) }))
    }

    /// Converts a document; `record` is what this converter made of it before.
    fn convert(&self, document: &str, record: Option<Record>) -> Result<Shelved, ReadError> {
        let (bytes, stamp) = self.originals.bytes(document)?;
        let digest = Digest::of(&bytes).to_string();
        // Touched, or copied here anew, but the same.
        if let Some(record) = record.filter(|record| record.digest == digest)
            && let Some(kept) = self.recorded(&record, stamp)
        {
            self.write(&record.touched(stamp), None)?;
            return kept;
        }
        let converted = self.converter.convert(&bytes, document);
        let (markdown, outcome) = match converted {
            Ok((text, origin)) => (text, Made::Converted(origin)),
            Err(failure) if failure.transient => {
                return Err(ReadError::Unreadable { reason: failure.reason, transient: true });
            }
            Err(failure) => (String::new(), Made::Failed(failure.reason)),
        };
        let record = Record::new(document, self.converter.name(), stamp, digest, &markdown, outcome);
        self.write(&record, Some(&markdown))?;
        match record.outcome {
            Made::Converted(origin) => Ok(Shelved { text: markdown, stamp, origin: Some(origin) }),
            Made::Failed(reason) => Err(ReadError::refused(reason)),
        }
    }

    /// Writes the Markdown and then the record: a record without its Markdown would be believed by nobody.
    fn write(&self, record: &Record, markdown: Option<&str>) -> Result<(), ReadError> {
        if !self.writable {
            return Ok(());
        }
        let written = || -> io::Result<()> {
            let place = self.place(&record.document);
            match (markdown, &record.outcome) {
                (Some(markdown), Made::Converted(_)) => replace(&place, markdown.as_bytes())?,
                (_, Made::Failed(_)) => gone_is_fine(fs::remove_file(place))?,
                (None, Made::Converted(_)) => {}
            }
            record.write(&self.mirror)
        };
        written().map_err(|error| ReadError::Unreadable {
            reason: format!("its Markdown cannot be written: {error}"),
            transient: true,
        })
    }
}

impl Shelf for Mirror {
    fn list(&self, progress: &dyn Progress, cancel: &Cancel) -> Result<FileTable, OpenError> {
        let originals = self.originals.list(progress, cancel)?;
        let mut files = FileTable::default();
        for id in 0..originals.len() as FileId {
            files.push(&format!("{}{ENDING}", originals.path(id)));
        }
        files.skipped = originals.skipped;
        files.sort();
        Ok(files)
    }

    fn stamp(&self, path: &str) -> io::Result<Stamp> {
        self.originals.stamp(document_of(path))
    }

    fn read(&self, path: &str) -> Result<Shelved, ReadError> {
        let document = document_of(path);
        let stamp = self.originals.stamp(document)?;
        let record =
            Record::read(&self.mirror, document).filter(|record| record.converter == self.converter.name());
        let fitting = record.as_ref().filter(|record| record.stamp() == stamp);
        match fitting.and_then(|record| self.recorded(record, stamp)) {
            Some(kept) => kept,
            None => self.convert(document, record),
        }
    }

    fn maker(&self) -> &str {
        self.converter.name()
    }
}

fn document_of(path: &str) -> &str {
    path.strip_suffix(ENDING).unwrap_or(path)
}

fn gone_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
