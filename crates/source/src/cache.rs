//! Files that are parsed, kept while they are used.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mge_core::Index;

use crate::shelf::{FileId, Origin};
use crate::tree::Tree;

/// A listing of files, and a file in it.
pub(crate) type Key = (u64, FileId);

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) modified: Option<i64>,
}

/// A file's text and elements.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    /// The index of the file, which those of its elements start with.
    pub(crate) index: Index,
    pub(crate) text: Arc<str>,
    pub(crate) tree: Tree,
    pub(crate) stamp: Stamp,
    /// What it was made of, where it was made.
    pub(crate) origin: Option<Origin>,
}

/// The files used last, bounded by their number and by the memory they take.
#[derive(Debug)]
pub(crate) struct Cache {
    inner: Mutex<Inner>,
    files: usize,
}

#[derive(Debug, Default)]
struct Inner {
    entries: HashMap<Key, Entry>,
    /// Files by when they were used last.
    order: BTreeMap<u64, Key>,
    /// The file used last: a walk asks for one file many times in a row.
    newest: Option<(Key, Arc<ParsedFile>, Instant)>,
    clock: u64,
    weight: usize,
}

#[derive(Debug)]
struct Entry {
    file: Arc<ParsedFile>,
    used: u64,
    checked: Instant,
}

/// A thousand files may be large ones.
const MOST_BYTES: usize = 256 << 20;
/// How long a file is taken for unchanged without a look at it: a walk asks for each of its elements.
const FRESH: Duration = Duration::from_millis(500);

impl Cache {
    pub(crate) fn new(files: usize) -> Self {
        Self { inner: Mutex::default(), files: files.max(1) }
    }

    /// Returns a file, unless `stamp` says that it has changed since it was read.
    pub(crate) fn get(&self, id: Key, stamp: impl FnOnce() -> Option<Stamp>) -> Option<Arc<ParsedFile>> {
        let mut inner = self.lock();
        if let Some((key, file, checked)) = &inner.newest
            && *key == id
            && checked.elapsed() <= FRESH
        {
            return Some(Arc::clone(file));
        }
        inner.clock += 1;
        let clock = inner.clock;
        let entry = inner.entries.get_mut(&id)?;
        if entry.checked.elapsed() > FRESH {
            if stamp() != Some(entry.file.stamp) {
                inner.remove(id);
                return None;
            }
            entry.checked = Instant::now();
        }
        let (file, checked) = (Arc::clone(&entry.file), entry.checked);
        let before = std::mem::replace(&mut entry.used, clock);
        inner.order.remove(&before);
        inner.order.insert(clock, id);
        inner.newest = Some((id, Arc::clone(&file), checked));
        Some(file)
    }

    pub(crate) fn put(&self, id: Key, file: Arc<ParsedFile>) {
        let mut inner = self.lock();
        inner.remove(id);
        inner.clock += 1;
        let used = inner.clock;
        inner.weight += weight(&file);
        inner.order.insert(used, id);
        let checked = Instant::now();
        inner.newest = Some((id, Arc::clone(&file), checked));
        inner.entries.insert(id, Entry { file, used, checked });
        while inner.entries.len() > self.files || (inner.weight > MOST_BYTES && inner.entries.len() > 1) {
            let Some((_, oldest)) = inner.order.pop_first() else { break };
            inner.remove(oldest);
        }
    }

    /// Forgets everything: the numbers of files have changed.
    pub(crate) fn clear(&self) {
        *self.lock() = Inner::default();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().entries.len()
    }
}

impl Inner {
    fn remove(&mut self, id: Key) {
        self.newest.take_if(|(newest, ..)| *newest == id);
        if let Some(entry) = self.entries.remove(&id) {
            self.order.remove(&entry.used);
            self.weight -= weight(&entry.file);
        }
    }
}

fn weight(file: &ParsedFile) -> usize {
    file.text.len() + file.tree.weight()
}
