//! Bringing an index up to date: what is new or has changed is read, what is gone goes.

use std::collections::VecDeque;
use std::fmt;
use std::io::ErrorKind;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use mge_core::{Cancel, ChunkRule, Clock as _, CorpusError, Digest, Progress, SystemClock};
use mge_search::{Change, DocumentText, Opened, SearchError, SearchIndex};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::file::{SourceIndex, is_useless};
use super::mark::Mark;
use super::passages::{passages, recipe};
use crate::cache::Stamp;
use crate::shelf::{FileId, FileTable};
use crate::source::Source;

/// So many bytes of files, or files, are read and put together: what is put is one transaction.
const BATCH_BYTES: u64 = 4 << 20;
const BATCH_FILES: usize = 1_024;
/// So many batches wait for the writer, beside the one that is being read.
const WAITING: usize = 1;
/// So many of the documents that the index knows are looked at together.
const PAGE: usize = 1_024;
/// After so many files something is heard of the work.
const TELL_EACH: u64 = 1_024;
/// From so many new passages on, the file is ordered for searching afterwards.
const BULK: u64 = 20_000;

/// What brings an index up to date.
pub(crate) struct Work<'a> {
    pub(crate) source: &'a Source,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) cancel: &'a Cancel,
}

/// What bringing an index up to date did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Synced {
    /// Documents that were new or had changed.
    pub(crate) put: u64,
    /// Their passages.
    pub(crate) passages: u64,
    /// Documents that are gone.
    pub(crate) removed: u64,
    /// Documents that cannot be read.
    pub(crate) failed: u64,
    /// Documents of the source.
    pub(crate) documents: u64,
}

impl fmt::Display for Synced {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { put, removed, failed, documents, .. } = self;
        match (put, removed) {
            (0, 0) => write!(formatter, "the search index of {documents} documents is up to date")?,
            (put, 0) => write!(formatter, "{put} of {documents} documents indexed")?,
            (put, removed) => {
                write!(formatter, "{put} of {documents} documents indexed, {removed} taken out")?;
            }
        }
        if *failed > 0 { write!(formatter, ", {failed} cannot be read") } else { Ok(()) }
    }
}

/// Why an index is not up to date.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SyncError {
    /// It cannot be made, or opened.
    #[error("cannot set up the search index: {0}")]
    Setup(SearchError),
    /// It cannot be written on; what it holds can be searched.
    #[error("the search index is behind: {0}")]
    Behind(SearchError),
}

impl SyncError {
    /// Returns what to do about it.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        let (Self::Setup(error) | Self::Behind(error)) = self;
        error.hint()
    }
}

impl SourceIndex {
    /// Brings the index up to date. Interrupted, it keeps what is done and goes on the next time.
    ///
    /// `told` hears what a person should know: that the index, or its vectors, had to be made anew.
    pub(crate) fn sync(&self, work: &Work<'_>, told: &mut dyn FnMut(String)) -> Result<Synced, SyncError> {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.close_reader();
        let synced = match self.write(work, told) {
            // Damage may show only when the damaged part is read.
            Err(SyncError::Behind(error)) if is_useless(&error) => {
                self.put_away(&error, told).map_err(SyncError::Setup)?;
                self.write(work, told)?
            }
            outcome => outcome?,
        };
        // Without a seal the index is proved sound the next time, which only takes longer.
        let _ = self.seal();
        Ok(synced)
    }

    fn write(&self, work: &Work<'_>, told: &mut dyn FnMut(String)) -> Result<Synced, SyncError> {
        // Opening it for writing changes the file, also when there is nothing to write.
        if let Some(index) = self.sound_reader()
            && work.is_current(&index).map_err(SyncError::Behind)?
        {
            return Ok(Synced { documents: work.source.file_count() as u64, ..Synced::default() });
        }
        let (index, opened) = self.writer(told).map_err(SyncError::Setup)?;
        for notice in notices(opened) {
            told(notice);
        }
        let synced = work.run(&index).map_err(SyncError::Behind)?;
        if synced.passages >= BULK && !work.cancel.is_cancelled() {
            index.optimize().map_err(SyncError::Behind)?;
        }
        Ok(synced)
    }
}

fn notices(opened: Opened) -> impl Iterator<Item = String> {
    let emptied =
        opened.emptied.then(|| "the search index is of an older version, and is made anew".to_owned());
    let vectors = (opened.vectors_dropped > 0).then(|| {
        format!(
            "the embedding model has changed: {} vectors were dropped, {} were made",
            opened.vectors_dropped, opened.vectors_made
        )
    });
    emptied.into_iter().chain(vectors)
}

/// What is to be done for an index to be up to date.
enum Difference {
    /// A file is new or has changed; its size.
    Read(FileId, u64),
    /// A document is gone.
    Gone(String),
}

/// Files that are read together, and documents that go.
#[derive(Default)]
struct Batch {
    read: Vec<FileId>,
    bytes: u64,
    gone: Vec<String>,
    /// So many files of the listing are done with this batch.
    done: u64,
}

/// What a batch has become.
struct Made {
    changes: Vec<Change>,
    failed: u64,
    done: u64,
}

impl Work<'_> {
    fn run(&self, index: &SearchIndex) -> Result<Synced, SearchError> {
        let files = self.source.files();
        let total = files.len() as u64;
        let mut synced = Synced { documents: total, ..Synced::default() };
        // While one batch is written the next one is read.
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(WAITING);
            let reading = scope.spawn(|| self.read_all(&files, index, sender));
            let written = self.write_all(index, receiver, total, &mut synced);
            let read = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            written.and(read)
        })?;
        Ok(synced)
    }

    fn write_all(
        &self,
        index: &SearchIndex,
        batches: Receiver<Made>,
        total: u64,
        synced: &mut Synced,
    ) -> Result<(), SearchError> {
        for made in batches {
            if self.cancel.is_cancelled() {
                // Whoever reads finds nobody who takes it, and ends too.
                break;
            }
            synced.failed += made.failed;
            if !made.changes.is_empty() {
                let applied = index.apply(made.changes)?;
                synced.put += applied.put as u64;
                synced.passages += applied.passages as u64;
                synced.removed += applied.removed as u64;
            }
            self.progress.report("documents indexed", made.done, Some(total));
        }
        Ok(())
    }

    /// Tells whether the index needs no change.
    fn is_current(&self, index: &SearchIndex) -> Result<bool, SearchError> {
        let files = self.source.files();
        let (recipe, total) = (self.recipe(), files.len() as u64);
        let mut is_current = true;
        self.compare(&files, index, &recipe, &mut |done, difference| {
            if done.is_multiple_of(TELL_EACH) {
                self.progress.report("documents indexed", done, Some(total));
            }
            is_current = difference.is_none();
            is_current
        })?;
        Ok(is_current && !self.cancel.is_cancelled())
    }

    fn recipe(&self) -> String {
        recipe(self.source.maker(), self.source.language())
    }

    /// Puts what differs between the files and the index together, reads it, and hands it on.
    fn read_all(
        &self,
        files: &FileTable,
        index: &SearchIndex,
        sender: SyncSender<Made>,
    ) -> Result<(), SearchError> {
        let recipe = self.recipe();
        let mut batch = Batch::default();
        self.compare(files, index, &recipe, &mut |done, difference| {
            batch.done = done;
            // Many may be gone at the same place.
            let is_due = done.is_multiple_of(TELL_EACH) && !matches!(difference, Some(Difference::Gone(_)));
            match difference {
                Some(Difference::Read(id, size)) => {
                    batch.read.push(id);
                    batch.bytes += size;
                }
                Some(Difference::Gone(key)) => batch.gone.push(key),
                None => {}
            }
            let is_full = batch.bytes >= BATCH_BYTES || batch.read.len() + batch.gone.len() >= BATCH_FILES;
            if !is_full && !is_due {
                return true;
            }
            // Without a writer there is no reason to read on; it says itself what has failed.
            sender.send(self.make(files, std::mem::take(&mut batch), &recipe)).is_ok()
        })?;
        batch.done = files.len() as u64;
        let _ = sender.send(self.make(files, batch, &recipe));
        Ok(())
    }

    /// Goes over the files and what the index knows of them, both in the order of their paths. `each` hears how many files
    /// are done and what is different, and says whether to go on.
    fn compare(
        &self,
        files: &FileTable,
        index: &SearchIndex,
        recipe: &str,
        each: &mut dyn FnMut(u64, Option<Difference>) -> bool,
    ) -> Result<(), SearchError> {
        let mut known = Known { index, page: VecDeque::new(), after: None, whole: false };
        for id in 0..files.len() as FileId {
            if self.cancel.is_cancelled() {
                return Ok(());
            }
            let (path, done) = (files.path(id), u64::from(id));
            while let Some((gone, _)) = known.next_if(|key| key < path)? {
                if !is_hidden(files, &gone) && !each(done, Some(Difference::Gone(gone))) {
                    return Ok(());
                }
            }
            let mark = known.next_if(|key| key == path)?;
            let difference = match self.source.stamp(files, id) {
                Ok(stamp) => {
                    let current = mark.and_then(|(_, digest)| Mark::parse(&digest));
                    let is_current = current.is_some_and(|mark| mark.is_current(stamp, recipe));
                    (!is_current).then_some(Difference::Read(id, stamp.size))
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    mark.map(|(key, _)| Difference::Gone(key))
                }
                // What is wrong with it, reading tells.
                Err(_) => Some(Difference::Read(id, 0)),
            };
            if !each(done + 1, difference) {
                return Ok(());
            }
        }
        let done = files.len() as u64;
        while let Some((gone, _)) = known.next_if(|_| true)? {
            if !is_hidden(files, &gone) && !each(done, Some(Difference::Gone(gone))) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads the files of a batch, on all processors.
    fn make(&self, files: &FileTable, batch: Batch, recipe: &str) -> Made {
        let read: Vec<Option<Result<DocumentText, CorpusError>>> = batch
            .read
            .par_iter()
            .map(|id| (!self.cancel.is_cancelled()).then(|| self.document(files, *id, recipe)))
            .collect();
        let mut made = Made { changes: Vec::new(), failed: 0, done: batch.done };
        made.changes.extend(batch.gone.into_iter().map(Change::Remove));
        for (id, read) in batch.read.iter().zip(read) {
            match read {
                Some(Ok(document)) => made.changes.push(Change::Put(document)),
                Some(Err(CorpusError::Gone { .. })) => {
                    made.changes.push(Change::Remove(files.path(*id).to_owned()));
                }
                // What cannot be read now may say what it said.
                Some(Err(_)) => made.failed += 1,
                // Left for another time.
                None => {}
            }
        }
        made
    }

    /// Returns what is found of a file; nothing of what is no text, which is remembered too.
    fn document(&self, files: &FileTable, id: FileId, recipe: &str) -> Result<DocumentText, CorpusError> {
        let now = SystemClock.now().as_millisecond();
        let key = files.path(id).to_owned();
        match self.source.open_file(files, id, ChunkRule::default()) {
            Ok(opened) => {
                let mark = Mark::new(opened.stamp, opened.document.digest, recipe, now);
                Ok(DocumentText { key, digest: mark.to_string(), passages: passages(opened) })
            }
            Err(CorpusError::NotText { .. } | CorpusError::TooLarge { .. }) => {
                let stamp = self.source.stamp(files, id).unwrap_or(Stamp { size: 0, modified: None });
                let mark = Mark::new(stamp, Digest::default(), recipe, now);
                Ok(DocumentText { key, digest: mark.to_string(), passages: Vec::new() })
            }
            Err(error) => Err(error),
        }
    }
}

/// Tells whether a path lies where the listing could not look.
fn is_hidden(files: &FileTable, path: &str) -> bool {
    files.skipped.iter().filter(|skipped| skipped.failed).any(|skipped| {
        let below = path.strip_prefix(skipped.path.as_str());
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    })
}

/// The documents that an index knows, in the order of their keys, a page at a time.
struct Known<'a> {
    index: &'a SearchIndex,
    page: VecDeque<(String, String)>,
    after: Option<String>,
    whole: bool,
}

impl Known<'_> {
    /// Takes the next document, if its key is wanted.
    fn next_if(&mut self, wanted: impl Fn(&str) -> bool) -> Result<Option<(String, String)>, SearchError> {
        if self.page.is_empty() && !self.whole {
            self.page = self.index.documents(self.after.as_deref(), PAGE)?.into();
            self.whole = self.page.len() < PAGE;
            if let Some((last, _)) = self.page.back() {
                self.after = Some(last.clone());
            }
        }
        Ok(if self.page.front().is_some_and(|(key, _)| wanted(key)) { self.page.pop_front() } else { None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shelf::Skipped;

    #[test]
    fn what_lies_where_the_listing_could_not_look_is_not_gone() {
        let skipped = |path: &str, failed| Skipped { path: path.to_owned(), reason: String::new(), failed };
        let mut files = FileTable::default();
        files.skipped = vec![skipped("locked", true), skipped("link", false)];
        for (path, hidden) in [
            ("locked", true),
            ("locked/a.md", true),
            ("locked.md", false),
            ("deep/locked/a.md", false),
            ("link/a.md", false),
        ] {
            assert_eq!(is_hidden(&files, path), hidden, "{path}");
        }
    }
}
