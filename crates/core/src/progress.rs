use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Hears how far long work is. Libraries report; only the command line draws.
pub trait Progress: Send + Sync {
    /// Takes that `done` of `total` (when known) units of `what` are done.
    fn report(&self, what: &str, done: u64, total: Option<u64>);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _what: &str, _done: u64, _total: Option<u64>) {}
}

/// A request to end at the next safe point; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks all holders to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Tells whether the work should end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
