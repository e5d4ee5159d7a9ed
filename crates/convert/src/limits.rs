//! How much a document may cost.

use std::time::{Duration, Instant};

use crate::ConvertError;

/// What one conversion may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the document; 256 MiB by default.
    pub bytes_in: u64,
    /// Bytes of the Markdown; 64 MiB by default.
    pub bytes_out: usize,
    /// Pages of a PDF, chapters of an EPUB; 20,000 by default.
    pub pages: usize,
    /// Time by the clock on the wall; 120 seconds by default.
    pub time: Duration,
    /// Lists, quotes and tables inside each other; what is deeper comes out flat. 32 by default.
    pub nesting: usize,
    /// Files in a DOCX or EPUB archive; 20,000 by default.
    pub entries: usize,
    /// Bytes of an archive's files together, or of one stream of a PDF, unpacked; 512 MiB by default.
    pub unpacked: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes_in: 256 << 20,
            bytes_out: 64 << 20,
            pages: 20_000,
            time: Duration::from_secs(120),
            nesting: 32,
            entries: 20_000,
            unpacked: 512 << 20,
        }
    }
}

/// The clock of one conversion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    limit: Duration,
}

impl Clock {
    pub(crate) fn start(limit: Duration) -> Self {
        Self { start: Instant::now(), limit }
    }

    pub(crate) fn left(self) -> Duration {
        self.limit.saturating_sub(self.start.elapsed())
    }

    /// Fails when time is over.
    pub(crate) fn check(self) -> Result<(), ConvertError> {
        if self.left().is_zero() { Err(self.over()) } else { Ok(()) }
    }

    pub(crate) fn over(self) -> ConvertError {
        ConvertError::TooSlow { limit: self.limit }
    }
}
