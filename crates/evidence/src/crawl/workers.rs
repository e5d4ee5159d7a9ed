//! What runs on all processors: documents are opened and chunks read, and nothing is decided.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender};
use mge_core::{
    ChunkRule, Corpus, CorpusError, Digest, Document, Extraction, Formalize, FormalizeError, Index, Reading,
};

use crate::store::SpanMap;

/// How many chunks are handed on at a time.
const SLICE: usize = 64;
/// How often something is tried that may succeed later.
const TRIES: usize = 2;

/// What a worker is to do for the document of a slot.
pub(super) enum Job<'f> {
    /// Open it.
    Open { slot: u64, corpus: Arc<dyn Corpus>, index: Index },
    /// Read these of its chunks.
    Read { slot: u64, reading: Box<dyn Reading + 'f>, chunks: Vec<usize> },
}

/// What a worker hands back.
pub(super) enum Done<'f> {
    /// The document, or why it cannot be had.
    Opened { slot: u64, outcome: Result<Opened<'f>, CorpusError> },
    /// Some chunks.
    Slice { slot: u64, chunks: Vec<(usize, Result<Extraction, FormalizeError>)>, last: bool },
}

/// A document, open.
pub(super) struct Opened<'f> {
    pub(super) document: Arc<Document>,
    pub(super) reading: Box<dyn Reading + 'f>,
    /// The key of each chunk.
    pub(super) keys: Vec<Digest>,
    /// The way back to the document of each chunk's text, as it is stored.
    pub(super) maps: Vec<Vec<u8>>,
}

/// Works until there is nothing to do any more.
pub(super) fn work<'f>(
    formalizer: &'f dyn Formalize,
    rule: ChunkRule,
    stop: &AtomicBool,
    jobs: &Receiver<Job<'f>>,
    done: &Sender<Done<'f>>,
) {
    for job in jobs {
        let delivered = match job {
            Job::Open { slot, corpus, index } => {
                let outcome =
                    guarded(|| open(formalizer, rule, corpus.as_ref(), &index)).unwrap_or_else(|message| {
                        Err(CorpusError::Unreadable {
                            index: index.clone(),
                            reason: message,
                            transient: false,
                        })
                    });
                done.send(Done::Opened { slot, outcome }).is_ok()
            }
            Job::Read { slot, reading, chunks } => read(slot, reading, &chunks, stop, done),
        };
        if !delivered {
            return;
        }
    }
}

fn open<'f>(
    formalizer: &'f dyn Formalize,
    rule: ChunkRule,
    corpus: &dyn Corpus,
    index: &Index,
) -> Result<Opened<'f>, CorpusError> {
    let mut tries = 1;
    let document = loop {
        match corpus.read(index, rule) {
            Err(error) if error.is_transient() && tries < TRIES => tries += 1,
            outcome => break Arc::new(outcome?),
        }
    };
    let reading = formalizer.begin(Arc::clone(&document));
    let keys = (0..document.chunks.len()).map(|chunk| reading.key(chunk)).collect();
    let map = |chunk: &mge_core::Chunk| {
        let markup = chunk.span.slice(&document.text).unwrap_or_default();
        SpanMap::of(&chunk.text, chunk.span.start, markup).encode()
    };
    let maps = document.chunks.iter().map(map).collect();
    Ok(Opened { document, reading, keys, maps })
}

fn read<'f>(
    slot: u64,
    mut reading: Box<dyn Reading + 'f>,
    chunks: &[usize],
    stop: &AtomicBool,
    done: &Sender<Done<'f>>,
) -> bool {
    let mut slices = chunks.chunks(SLICE).peekable();
    while let Some(slice) = slices.next() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let results = match guarded(|| reading.read(slice)) {
            Ok(results) => results,
            Err(message) => slice
                .iter()
                .map(|_| Err(FormalizeError { message: message.clone(), transient: false }))
                .collect(),
        };
        let mut chunks: Vec<(usize, Result<Extraction, FormalizeError>)> =
            slice.iter().copied().zip(results).collect();
        for (chunk, result) in &mut chunks {
            let mut tries = 1;
            while matches!(result, Err(error) if error.transient) && tries < TRIES {
                tries += 1;
                if let Ok(Some(again)) = guarded(|| reading.read(&[*chunk]).pop()) {
                    *result = again;
                }
            }
        }
        // A reader that answers too little has not read the rest.
        for &chunk in slice.iter().skip(chunks.len()) {
            let message = "the formalizer gave no result for it".to_owned();
            chunks.push((chunk, Err(FormalizeError { message, transient: false })));
        }
        let last = slices.peek().is_none();
        if done.send(Done::Slice { slot, chunks, last }).is_err() {
            return false;
        }
        if last {
            return true;
        }
    }
    done.send(Done::Slice { slot, chunks: Vec::new(), last: true }).is_ok()
}

/// Runs a part that is not ours; a panic in it is its failure, not the crawl's.
fn guarded<T>(part: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(part)).map_err(|panic| {
        let message = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        format!("it panicked: {message}")
    })
}
