//! Decides, in the order of the documents, what is opened, read and committed.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use mge_core::{
    Cancel, ChunkKind, Clock, CorpusError, CrawlEvent, CrawlOrder, CrawlReport, CrawlRequest, Digest,
    Extraction, Formalize, FormalizeError, GraphError, Index, Reading, StoppedBy,
};

use super::apply::{Applier, Known, Placeable, short};
use super::listing::{Corpora, Listed, Listing, page, roots, source_of};
use super::order::{Want, by_document, found, listed, relevant};
use super::progress::{Budget, add, empty_report};
use super::workers::{Done, Job, Opened, work};
use crate::config::Config;
use crate::derive::Law;
use crate::error::StoreError;
use crate::store::Store;

/// A batch ends with so many chunks read, or put in place, or after so long.
const BATCH_READ: usize = 1024;
const BATCH_PLACED: usize = 4096;
const BATCH_TIME: Duration = Duration::from_millis(250);
/// So many bytes of documents are in work at a time, but always one.
const WINDOW_BYTES: i64 = 64 << 20;
/// So many chunks that a source found are read before the next ones.
const BATCH_FOUND: usize = 64;
/// What a budget leaves is opened to be counted, if it is no more than this.
const COUNTED_BYTES: i64 = 32 << 20;
/// A file changed so shortly before it was read may have changed again since, within one tick of its clock.
const RACY: i64 = 2_000;

/// What a crawl works with.
pub(crate) struct Inputs<'a> {
    pub(crate) graph: &'a str,
    pub(crate) corpora: &'a Corpora,
    pub(crate) formalizer: &'a dyn Formalize,
    pub(crate) config: &'a Config,
    pub(crate) law: &'a Law,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) request: &'a CrawlRequest,
}

/// Hears of each commit, beside the one who asked for the crawl.
pub(crate) type OnCommit<'a> = dyn FnMut(&Store) -> Result<(), StoreError> + 'a;

/// Reads documents into a store.
pub(crate) fn crawl(
    inputs: &Inputs<'_>,
    store: &Store,
    cancel: &Cancel,
    tell: &mut dyn FnMut(CrawlEvent),
    on_commit: &mut OnCommit<'_>,
) -> Result<CrawlReport, GraphError> {
    let mut budget = Budget::new(inputs.request, cancel);
    let roots = roots(inputs.corpora, &inputs.request.roots)?;
    let listing = Listing::take(store.connection(), inputs.corpora, roots)?;
    tell(CrawlEvent::Started { graph: inputs.graph.to_owned(), documents: listing.documents });
    let version = version_of(inputs.formalizer, inputs.config);
    let connection = store.connection();
    let mut applier = Applier::new(connection, inputs.law, inputs.config, inputs.clock, version.clone())?;
    let method = inputs.formalizer.method();
    applier.begin_crawl(&format!("{} {}", method.name, method.version), &listing.roots)?;
    let mut crawl = Crawl {
        inputs,
        store,
        listing: &listing,
        version,
        applier,
        budget: &mut budget,
        report: empty_report(),
        tell,
        on_commit,
        batch: Batch::default(),
        pass: Pass::First,
        read_ahead: HashMap::new(),
    };
    crawl.catch_up();
    for error in &listing.failed {
        crawl.fail(error)?;
    }
    match &inputs.request.order {
        CrawlOrder::Document => {}
        CrawlOrder::Outline => crawl.pass(&Want::Headings)?,
        CrawlOrder::Query(question) => crawl.pass_by_relevance(question)?,
    }
    if !crawl.is_over() {
        crawl.pass(&Want::All)?;
    }
    crawl.remove_gone()?;
    crawl.finish()
}

/// Returns what decides about extractions beside the text: a document read under another version is read again.
pub(super) fn version_of(formalizer: &dyn Formalize, config: &Config) -> Vec<u8> {
    let method = formalizer.method();
    let chunks = (config.chunk.max_chars as u64).to_le_bytes();
    let parts: [&[u8]; 5] =
        [b"reading 1", method.name.as_bytes(), method.version.as_bytes(), &formalizer.slice().0, &chunks];
    Digest::of_parts(parts).0[..16].to_vec()
}

/// Tells whether a document need not be opened: it is read as a whole, and nothing suggests a change.
pub(super) fn is_current(known: &Known, listed: &Listed, version: &[u8]) -> bool {
    let racy = |modified: i64| modified / 1_000_000 >= known.opened.saturating_sub(RACY);
    known.version == version
        && known.unread == 0
        && known.size == listed.size
        && known.modified == listed.modified
        && listed.modified.is_some_and(|modified| !racy(modified))
}

/// What is not committed yet.
struct Batch {
    read: usize,
    placed: usize,
    since: Instant,
}

impl Default for Batch {
    fn default() -> Self {
        Self { read: 0, placed: 0, since: Instant::now() }
    }
}

/// A document on its way.
struct Slot<'f> {
    number: u64,
    listed: Listed,
    stage: Stage<'f>,
}

type Slice = Vec<(usize, Result<Extraction, FormalizeError>)>;

enum Stage<'f> {
    /// A worker opens it.
    Opening,
    /// It is open, and nothing is decided yet.
    Opened(Box<Opened<'f>>),
    /// It cannot be had.
    Failed(CorpusError),
    /// A worker reads its chunks.
    Reading(Box<Work>),
}

/// What is to be done for an open document.
struct Work {
    placeable: Placeable,
    known: Option<Known>,
    /// It replaces what it was before only when all of it is read.
    staged: bool,
    /// The rows of its chunks, once it is in place.
    rows: Option<Vec<i64>>,
    slices: VecDeque<Slice>,
    /// The worker hands on no more.
    delivered: bool,
    /// Chunks that nobody has read yet, beyond those asked of the worker.
    left: usize,
    asked: usize,
    received: usize,
}

struct Crawl<'c, 'a> {
    inputs: &'c Inputs<'a>,
    store: &'c Store,
    listing: &'c Listing,
    version: Vec<u8>,
    applier: Applier<'c>,
    budget: &'c mut Budget<'a>,
    report: CrawlReport,
    tell: &'c mut dyn FnMut(CrawlEvent),
    on_commit: &'c mut OnCommit<'a>,
    batch: Batch,
    pass: Pass,
    /// How many chunks of a document were read before the documents were gone over.
    read_ahead: HashMap<Index, u64>,
}

/// Which going over the documents it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Some chunks are read before all else.
    Ahead,
    /// Each document is met for the first time, and what is skipped of it is counted.
    First,
    Later,
}

impl<'c, 'a> Crawl<'c, 'a>
where
    'a: 'c,
{
    fn is_over(&self) -> bool {
        self.budget.stopped == Some(StoppedBy::Interrupt)
    }

    /// Lets the sources bring up to date what they derive from their documents. Where one fails, the crawl goes on without.
    fn catch_up(&mut self) {
        for corpus in self.inputs.corpora.values() {
            let is_touched = self.listing.roots.iter().any(|root| root.parts().next() == Some(corpus.name()));
            if is_touched && let Err(error) = corpus.catch_up(self.budget.cancel) {
                (self.tell)(CrawlEvent::Warning { message: error.to_string() });
            }
        }
    }

    /// Reads the chunks that the sources find for a question, the most relevant first; tells whether they found any.
    fn pass_over_found(&mut self, question: &str) -> Result<bool, GraphError> {
        let mut failed = Vec::new();
        let found =
            found(self.inputs.corpora, &self.listing.roots, question, &mut |error| failed.push(error));
        for error in failed {
            (self.tell)(CrawlEvent::Warning { message: error.to_string() });
        }
        self.pass = Pass::Ahead;
        let mut rest = found.as_slice();
        while !rest.is_empty() && !self.is_over() && !self.budget.is_spent() && !self.budget.must_stop() {
            let left =
                self.budget.left.map_or(BATCH_FOUND, |left| usize::try_from(left).unwrap_or(BATCH_FOUND));
            let (batch, later) = rest.split_at(rest.len().min(BATCH_FOUND).min(left));
            rest = later;
            let (documents, wanted) = by_document(self.store.connection(), batch)?;
            let mut documents = documents.into_iter();
            self.run(&Want::Found(wanted), &mut |_| Ok(documents.next()))?;
            self.commit()?;
        }
        self.pass = Pass::First;
        Ok(!found.is_empty())
    }

    fn pass_by_relevance(&mut self, question: &str) -> Result<(), GraphError> {
        let is_found = self.pass_over_found(question)?;
        // Behind what was found comes all the rest, unless a budget ends before it: then the rest is ranked, too.
        if self.is_over() || self.budget.is_spent() || (is_found && self.budget.is_unlimited()) {
            return Ok(());
        }
        // What is relevant can be told only of what was opened.
        self.pass(&Want::Nothing)?;
        self.commit()?;
        while !self.is_over() && !self.budget.is_spent() && !self.budget.must_stop() {
            let limit = self
                .budget
                .left
                .map_or(BATCH_READ, |left| BATCH_READ.min(usize::try_from(left).unwrap_or(BATCH_READ)));
            let chosen = relevant(self.store.connection(), question, limit)?;
            if chosen.is_empty() {
                break;
            }
            let before = self.report.chunks_read + self.report.chunks_failed;
            let mut documents = listed(self.store.connection(), &chosen)?.into_iter();
            self.run(&Want::Chosen(chosen), &mut |_| Ok(documents.next()))?;
            self.commit()?;
            if self.report.chunks_read + self.report.chunks_failed == before {
                // They changed under our hands; the last pass sees to them.
                break;
            }
        }
        Ok(())
    }

    /// Goes over all listed documents.
    fn pass(&mut self, want: &Want) -> Result<(), GraphError> {
        let connection = self.store.connection();
        let mut waiting: VecDeque<Listed> = VecDeque::new();
        let mut after = String::new();
        let outcome = self.run(want, &mut |_| {
            if waiting.is_empty() {
                waiting = page(connection, &after, 512)?.into();
                if let Some(last) = waiting.back() {
                    last.index.as_str().clone_into(&mut after);
                }
            }
            Ok(waiting.pop_front())
        });
        self.pass = Pass::Later;
        outcome
    }

    /// Drives documents through the workers.
    fn run(
        &mut self,
        want: &Want,
        next: &mut dyn FnMut(&mut Self) -> Result<Option<Listed>, StoreError>,
    ) -> Result<(), GraphError> {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let (formalizer, rule) = (self.inputs.formalizer, self.inputs.config.rule());
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (jobs, todo) = unbounded();
            let (finished, done) = bounded(threads * 4);
            for _ in 0..threads {
                let (todo, finished, stop) = (todo.clone(), finished.clone(), &stop);
                scope.spawn(move || work(formalizer, rule, stop, &todo, &finished));
            }
            drop((todo, finished));
            let outcome = self.feed(want, next, threads * 4, &jobs, &done, &stop);
            // Whatever happened, no worker must wait for us.
            stop.store(true, Ordering::Relaxed);
            drop((jobs, done));
            outcome
        })
    }

    fn feed<'f>(
        &mut self,
        want: &Want,
        next: &mut dyn FnMut(&mut Self) -> Result<Option<Listed>, StoreError>,
        window: usize,
        jobs: &Sender<Job<'f>>,
        done: &Receiver<Done<'f>>,
        stop: &AtomicBool,
    ) -> Result<(), GraphError>
    where
        'a: 'f,
    {
        let mut slots: VecDeque<Slot<'f>> = VecDeque::new();
        let mut reading: HashSet<Digest> = HashSet::new();
        let (mut number, mut decided, mut bytes, mut more) = (0_u64, 0_usize, 0_i64, true);
        loop {
            if !stop.load(Ordering::Relaxed) && self.budget.must_stop() {
                stop.store(true, Ordering::Relaxed);
            }
            let stopping = stop.load(Ordering::Relaxed);
            if stopping {
                // What is not decided yet is left for another time.
                slots.truncate(decided);
                more = false;
            }
            while more && slots.len() < window && (bytes < WINDOW_BYTES || slots.is_empty()) {
                let Some(listed) = next(self)? else {
                    more = false;
                    break;
                };
                if self.pass == Pass::First {
                    self.report.documents += 1;
                }
                if self.skips(&listed)? {
                    continue;
                }
                if self.budget.is_spent() && self.rest_is_large()? {
                    self.budget.stopped.get_or_insert(StoppedBy::Budget);
                    more = false;
                    break;
                }
                let corpus = Arc::clone(source_of(self.inputs.corpora, &listed.index)?);
                bytes += listed.size;
                let index = listed.index.clone();
                slots.push_back(Slot { number, listed, stage: Stage::Opening });
                if jobs.send(Job::Open { slot: number, corpus, index }).is_err() {
                    return Err(GraphError::System { message: "the reading threads are gone".to_owned() });
                }
                number += 1;
            }
            while let Some(slot) = slots.get_mut(decided) {
                match &slot.stage {
                    Stage::Opening => break,
                    Stage::Failed(_) | Stage::Reading(_) => decided += 1,
                    Stage::Opened(_) => {
                        self.decide(slot, want, &mut reading, jobs)?;
                        decided += 1;
                    }
                }
            }
            // The first document is applied as far as it has come.
            let mut moved = false;
            while let Some(slot) = slots.front_mut() {
                if decided == 0 || !self.apply(slot, &mut reading)? {
                    break;
                }
                bytes -= slot.listed.size;
                slots.pop_front();
                decided -= 1;
                moved = true;
            }
            self.commit_if_due()?;
            if slots.is_empty() && !more {
                return Ok(());
            }
            if moved && more {
                continue;
            }
            // The first document waits for a worker, or the next decision does.
            match done.recv_timeout(Duration::from_millis(100)) {
                Ok(result) => {
                    deliver(&mut slots, result);
                    while let Ok(result) = done.try_recv() {
                        deliver(&mut slots, result);
                    }
                }
                Err(crossbeam_channel::RecvTimeoutError::Timeout) => {}
                Err(crossbeam_channel::RecvTimeoutError::Disconnected) => {
                    return Err(GraphError::System { message: "the reading threads are gone".to_owned() });
                }
            }
        }
    }

    /// Tells whether a document need not be opened.
    fn skips(&mut self, listed: &Listed) -> Result<bool, StoreError> {
        let retry = self.inputs.request.retry_failed;
        let known = self.applier.known(&listed.index)?;
        let Some(known) = known else {
            // Only what failed before is read again: a document that is new did not.
            return Ok(retry && !self.failed_before(listed)?);
        };
        let again = retry && known.failed > 0;
        if !again && (retry || is_current(&known, listed, &self.version)) {
            self.count_skipped(&listed.index, (known.chunks - known.failed - known.unread) as u64);
            return Ok(true);
        }
        Ok(false)
    }

    /// Counts what is skipped of a document, once, and without what this crawl has read itself.
    fn count_skipped(&mut self, document: &Index, skipped: u64) {
        if self.pass == Pass::First {
            let own = self.read_ahead.remove(document).unwrap_or(0);
            self.report.chunks_skipped += skipped.saturating_sub(own);
        }
    }

    fn failed_before(&self, listed: &Listed) -> Result<bool, StoreError> {
        let mut statement =
            self.store.connection().prepare_cached("SELECT EXISTS (SELECT 1 FROM failure WHERE idx = ?1)")?;
        Ok(statement.query_row([listed.index.as_str()], |row| row.get(0))?)
    }

    /// Tells whether so much is listed that what a budget leaves is not opened only to be counted.
    fn rest_is_large(&self) -> Result<bool, StoreError> {
        Ok(i64::try_from(self.listing.bytes).unwrap_or(i64::MAX) > COUNTED_BYTES)
    }

    /// Decides which chunks of an open document are read.
    fn decide<'f>(
        &mut self,
        slot: &mut Slot<'f>,
        want: &Want,
        in_work: &mut HashSet<Digest>,
        jobs: &Sender<Job<'f>>,
    ) -> Result<(), GraphError> {
        let Stage::Opened(opened) = std::mem::replace(&mut slot.stage, Stage::Opening) else { return Ok(()) };
        let (placeable, reading): (Placeable, Box<dyn Reading + 'f>) = Placeable::of(*opened);
        let document = Arc::clone(&placeable.document);
        let known = match self.applier.known(&slot.listed.index)? {
            Some(known) => Some(known),
            None => self.applier.moved_from(&document.digest, &slot.listed.source, &self.listing.roots)?,
        };
        let failed_before = match &known {
            Some(known) if known.failed > 0 => self.applier.failed_in(known.row)?,
            _ => HashMap::new(),
        };
        let (mut wanted, mut missing, mut skipped) = (Vec::new(), 0, 0);
        for (place, chunk) in document.chunks.iter().enumerate() {
            if chunk.kind == ChunkKind::Verbatim {
                continue;
            }
            let key = &placeable.keys[place];
            if in_work.contains(key) || self.applier.has_reading(key)? {
                skipped += 1;
                continue;
            }
            let failed = failed_before.get(short(key));
            if let Some(reason) = failed
                && !self.inputs.request.retry_failed
            {
                self.applier.note_failed(key, reason);
                continue;
            }
            if self.inputs.request.retry_failed && known.is_some() && failed.is_none() {
                continue;
            }
            missing += 1;
            if want.takes(&document.index, place, chunk) {
                wanted.push(place);
            }
        }
        self.count_skipped(&slot.listed.index, skipped);
        wanted.truncate(self.budget.grant(wanted.len()));
        in_work.extend(wanted.iter().map(|&place| placeable.keys[place]));
        // A document that says something else than before is replaced as a whole. It may be the same text read by
        // another method: then too.
        let staged = known
            .as_ref()
            .is_some_and(|known| known.digest != document.digest.0 || known.version != self.version);
        let (asked, left) = (wanted.len(), missing - wanted.len());
        slot.stage = Stage::Reading(Box::new(Work {
            placeable,
            known,
            staged,
            rows: None,
            slices: VecDeque::new(),
            delivered: asked == 0,
            left,
            asked,
            received: 0,
        }));
        if asked > 0 && jobs.send(Job::Read { slot: slot.number, reading, chunks: wanted }).is_err() {
            return Err(GraphError::System { message: "the reading threads are gone".to_owned() });
        }
        Ok(())
    }

    /// Applies what has come of the first document; tells whether it is through.
    fn apply(&mut self, slot: &mut Slot<'_>, in_work: &mut HashSet<Digest>) -> Result<bool, GraphError> {
        let work = match &mut slot.stage {
            Stage::Opening | Stage::Opened(_) => return Ok(false),
            // It will be met again, and told then.
            Stage::Failed(_) if self.pass == Pass::Ahead => return Ok(true),
            Stage::Failed(error) => {
                let error = error.clone();
                self.fail(&error)?;
                return Ok(true);
            }
            Stage::Reading(work) => work,
        };
        if !work.staged && work.rows.is_none() {
            work.rows = Some(self.applier.place(&mut work.placeable, &slot.listed, work.known.as_ref())?);
            self.batch.placed += work.placeable.keys.len();
        }
        while let Some(slice) = work.slices.pop_front() {
            for (place, result) in slice {
                work.received += 1;
                let row = work.rows.as_ref().map(|rows| rows[place]);
                let chunk = &work.placeable.document.chunks[place];
                in_work.remove(&work.placeable.keys[place]);
                let result = match result {
                    Ok(extraction) => {
                        self.report.chunks_read += 1;
                        if self.pass == Pass::Ahead {
                            *self.read_ahead.entry(slot.listed.index.clone()).or_default() += 1;
                        }
                        let (extraction, dropped) = sound(extraction, chunk.text.as_str());
                        if dropped > 0 {
                            (self.tell)(CrawlEvent::Warning {
                                message: format!(
                                    "{dropped} finds in '{}' lie outside its text and were dropped",
                                    chunk.index
                                ),
                            });
                        }
                        Ok(extraction)
                    }
                    Err(error) => {
                        self.report.chunks_failed += 1;
                        (self.tell)(CrawlEvent::ChunkFailed {
                            index: chunk.index.clone(),
                            reason: error.message.clone(),
                            transient: error.transient,
                        });
                        Err(error)
                    }
                };
                let result = result.as_ref().cloned();
                self.applier.take(&work.placeable, place, row, result)?;
                self.batch.read += 1;
            }
            self.commit_if_due()?;
        }
        if !work.delivered {
            return Ok(false);
        }
        let whole = work.left == 0 && work.received == work.asked;
        if work.staged && whole && self.applier.is_whole(&work.placeable)? {
            self.applier.place(&mut work.placeable, &slot.listed, work.known.as_ref())?;
            self.batch.placed += work.placeable.keys.len();
        }
        Ok(true)
    }

    /// Reports a document that cannot be had.
    fn fail(&mut self, error: &CorpusError) -> Result<(), GraphError> {
        if matches!(error, CorpusError::Gone { .. } | CorpusError::NotFound { .. }) {
            (self.tell)(CrawlEvent::Warning {
                message: format!("'{}' vanished during the crawl", error.index()),
            });
            if self.applier.remove(error.index())? {
                self.report.documents_removed += 1;
            }
            self.applier.forgive(error.index())?;
            return Ok(());
        }
        // What is no text any more says nothing any more; what cannot be read now may say what it said.
        if matches!(error, CorpusError::NotText { .. } | CorpusError::TooLarge { .. }) {
            self.applier.remove(error.index())?;
        }
        self.applier.fail_document(error)?;
        self.report.documents_failed += 1;
        (self.tell)(CrawlEvent::ChunkFailed {
            index: error.index().clone(),
            reason: error.to_string(),
            transient: error.is_transient(),
        });
        Ok(())
    }

    fn commit_if_due(&mut self) -> Result<(), GraphError> {
        let due = self.batch.read >= BATCH_READ
            || self.batch.placed >= BATCH_PLACED
            || (self.batch.read + self.batch.placed > 0 && self.batch.since.elapsed() >= BATCH_TIME);
        if due { self.commit() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), GraphError> {
        let tell = self.batch.read + self.batch.placed > 0;
        let changes = self.applier.commit()?;
        self.batch = Batch::default();
        add(&mut self.report, changes);
        (self.on_commit)(self.store)?;
        if tell {
            (self.tell)(CrawlEvent::Batch {
                chunks_read: self.report.chunks_read,
                chunks_skipped: self.report.chunks_skipped,
                documents: self.report.documents,
                documents_total: self.listing.documents,
                claims_new: self.report.claims_new,
            });
        }
        Ok(())
    }

    /// Takes away the documents below the roots that are not listed any more.
    fn remove_gone(&mut self) -> Result<(), GraphError> {
        if self.is_over() || self.inputs.request.retry_failed {
            return Ok(());
        }
        let all = self.inputs.request.roots.is_empty();
        let mut after = String::new();
        loop {
            let gone: Vec<String> = {
                let mut statement = self
                    .store
                    .connection()
                    .prepare_cached(
                        "SELECT idx FROM document WHERE gone_at IS NULL AND idx > ?1 \
                         AND NOT EXISTS (SELECT 1 FROM listing l WHERE l.idx = document.idx) ORDER BY idx LIMIT 256",
                    )
                    .map_err(StoreError::from)?;
                let rows = statement.query_map([&after], |row| row.get(0)).map_err(StoreError::from)?;
                rows.collect::<Result<_, _>>().map_err(StoreError::from)?
            };
            let Some(last) = gone.last() else { return Ok(()) };
            last.clone_into(&mut after);
            for index in gone.into_iter().map(Index::new) {
                let covered = all || self.listing.roots.iter().any(|root| root.covers(&index));
                let unsure = self.listing.failed.iter().any(|error| hides(error.index(), &index));
                if covered && !unsure && self.applier.remove(&index)? {
                    self.report.documents_removed += 1;
                    self.batch.placed += 64;
                    self.commit_if_due()?;
                }
            }
        }
    }

    fn finish(mut self) -> Result<CrawlReport, GraphError> {
        self.commit()?;
        let (unread, failed): (i64, i64) = self
            .store
            .connection()
            .query_row(
                "SELECT ifnull(sum(unread), 0), ifnull(sum(failed), 0) FROM document WHERE gone_at IS NULL",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .map_err(StoreError::from)?;
        let mut report = self.report;
        if let Some(stopped) = self.budget.stopped {
            report.stopped_by = stopped;
            // Of what was never opened, one chunk each is certain.
            let never: i64 = self
                .store
                .connection()
                .query_row(
                    "SELECT count(*) FROM listing l WHERE NOT EXISTS \
                     (SELECT 1 FROM document d WHERE d.idx = l.idx AND d.gone_at IS NULL) \
                     AND NOT EXISTS (SELECT 1 FROM failure f WHERE f.idx = l.idx)",
                    [],
                    |row| row.get(0),
                )
                .map_err(StoreError::from)?;
            report.chunks_left = (unread + never) as u64;
        } else {
            report.chunks_left = unread as u64;
        }
        if failed > 0 && !self.inputs.request.retry_failed && report.chunks_failed == 0 {
            (self.tell)(CrawlEvent::Warning {
                message: format!("{failed} chunks failed in earlier crawls; --retry-failed reads them again"),
            });
        }
        if report.chunks_read >= 20 && report.mentions == 0 {
            (self.tell)(CrawlEvent::Warning {
                message: format!(
                    "0 entities from {} chunks: the ontology may have no concept that fits these texts, they may be in \
                     another language than it, or the formalizer's threshold may be too high",
                    report.chunks_read
                ),
            });
        }
        report.seconds = self.budget.seconds();
        Ok(report)
    }
}

/// Tells whether a document may only be missing because something above it could not be listed.
fn hides(failed: &Index, document: &Index) -> bool {
    // A directory is a part of a document's path, not of its index.
    failed.covers(document)
        || document.as_str().strip_prefix(failed.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

fn deliver<'f>(slots: &mut VecDeque<Slot<'f>>, result: Done<'f>) {
    let number = match &result {
        Done::Opened { slot, .. } | Done::Slice { slot, .. } => *slot,
    };
    // Slots are numbered as they come; those that were given up are not here any more.
    let Some(slot) = slots.iter_mut().find(|slot| slot.number == number) else { return };
    match (result, &mut slot.stage) {
        (Done::Opened { outcome, .. }, stage @ Stage::Opening) => {
            *stage = match outcome {
                Ok(opened) => Stage::Opened(Box::new(opened)),
                Err(error) => Stage::Failed(error),
            };
        }
        (Done::Slice { chunks, last, .. }, Stage::Reading(work)) => {
            work.slices.push_back(chunks);
            work.delivered |= last;
        }
        _ => {}
    }
}

/// Drops what cannot be: spans outside the text, names of nothing. A formalizer may be anybody's program.
fn sound(mut extraction: Extraction, text: &str) -> (Extraction, usize) {
    let before = extraction.mentions.len() + extraction.claims.len();
    let named = |entity: &mge_core::EntityRef| !entity.name.trim().is_empty() && !entity.concept.is_empty();
    let inside = |span: mge_core::Span| span.slice(text).is_some();
    extraction
        .mentions
        .retain(|mention| inside(mention.span) && !mention.span.is_empty() && named(&mention.entity));
    extraction.claims.retain(|claim| {
        let object = match &claim.object {
            mge_core::Object::Entity(entity) => named(entity),
            mge_core::Object::Literal(literal) => !literal.trim().is_empty(),
        };
        let optional = [claim.cue, claim.subject_span, claim.object_span];
        inside(claim.quote)
            && !claim.quote.is_empty()
            && named(&claim.subject)
            && object
            && optional.into_iter().flatten().all(inside)
    });
    let after = extraction.mentions.len() + extraction.claims.len();
    (extraction, before - after)
}
