use std::time::{Duration, Instant};

use mge_core::{Cancel, CrawlReport, CrawlRequest, StoppedBy};

use crate::derive::Changes;

/// How far a crawl may go, and how far it has come.
pub(super) struct Budget<'a> {
    pub(super) cancel: &'a Cancel,
    began: Instant,
    deadline: Option<Instant>,
    /// Chunks that may still be read.
    pub(super) left: Option<u64>,
    /// It ends before all is read, and why.
    pub(super) stopped: Option<StoppedBy>,
}

impl<'a> Budget<'a> {
    pub(super) fn new(request: &CrawlRequest, cancel: &'a Cancel) -> Self {
        let began = Instant::now();
        let deadline =
            request.max_seconds.and_then(|seconds| began.checked_add(Duration::from_secs(seconds)));
        Self { cancel, began, deadline, left: request.max_chunks, stopped: None }
    }

    /// Tells whether to stop at once: asked to, or out of time.
    pub(super) fn must_stop(&mut self) -> bool {
        if self.cancel.is_cancelled() {
            self.stopped = Some(StoppedBy::Interrupt);
            return true;
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.stopped.get_or_insert(StoppedBy::Budget);
            return true;
        }
        false
    }

    /// Grants up to `wanted` chunks.
    pub(super) fn grant(&mut self, wanted: usize) -> usize {
        let Some(left) = self.left.as_mut() else { return wanted };
        let granted = (wanted as u64).min(*left);
        *left -= granted;
        if granted < wanted as u64 {
            self.stopped.get_or_insert(StoppedBy::Budget);
        }
        granted as usize
    }

    /// Tells whether no chunk may be read any more.
    pub(super) fn is_spent(&self) -> bool {
        self.left == Some(0)
    }

    /// Tells whether only the end of the work ends it.
    pub(super) fn is_unlimited(&self) -> bool {
        self.left.is_none() && self.deadline.is_none()
    }

    pub(super) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }
}

/// Returns a report of nothing.
pub(super) fn empty_report() -> CrawlReport {
    CrawlReport {
        documents: 0,
        documents_removed: 0,
        documents_failed: 0,
        chunks_read: 0,
        chunks_skipped: 0,
        chunks_failed: 0,
        chunks_left: 0,
        mentions: 0,
        claims_new: 0,
        evidence_new: 0,
        evidence_retracted: 0,
        off_ontology: 0,
        seconds: 0.0,
        stopped_by: StoppedBy::Done,
    }
}

/// Adds what a batch changed.
pub(super) fn add(report: &mut CrawlReport, changes: Changes) {
    report.mentions += changes.mentions;
    report.claims_new += changes.claims_new;
    report.evidence_new += changes.evidence_new;
    report.evidence_retracted += changes.evidence_gone;
    report.off_ontology += changes.off_ontology;
}
