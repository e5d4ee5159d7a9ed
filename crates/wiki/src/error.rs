//! What can go wrong with an export.

use std::io;

/// Why an export, or one page of it, cannot be read.
///
/// Positions are byte positions in the uncompressed stream.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The stream is compressed in a way that is not read.
    #[error("it is compressed as {format}, which is not read: unpack it, or use bzip2, gzip or zstd")]
    UnknownCompression {
        /// The name of the format.
        format: &'static str,
    },
    /// The stream does not start as an export does.
    #[error("it is not a MediaWiki export: it starts with {found}, not with the element 'mediawiki'")]
    NotAnExport {
        /// What it starts with, shortened.
        found: String,
    },
    /// There is a document type declaration; entities are never expanded.
    #[error(
        "byte {position} starts a document type declaration, which no MediaWiki export has; it is refused"
    )]
    DocumentType {
        /// Where its end is.
        position: u64,
    },
    /// The stream ends before the export does.
    #[error("it is cut off at byte {position}: the pages before are complete, the rest is missing")]
    Truncated {
        /// Where it ends.
        position: u64,
    },
    /// The stream is not XML.
    #[error("it is malformed at byte {position}: {reason}")]
    Malformed {
        /// Where.
        position: u64,
        /// What is wrong.
        reason: String,
    },
    /// Elements are nested deeper than in any export.
    #[error("elements are nested deeper than {limit} at byte {position}")]
    TooDeep {
        /// Where.
        position: u64,
        /// The limit.
        limit: usize,
    },
    /// One piece of markup is larger than any that is read.
    #[error("one piece of markup has more than {limit} bytes at byte {position}")]
    TooLarge {
        /// Where.
        position: u64,
        /// The limit in bytes.
        limit: usize,
    },
    /// One page is larger than a page may be; the next page can be read.
    #[error("the page '{title}' has more than {limit} bytes of text")]
    PageTooLarge {
        /// Its title.
        title: String,
        /// The limit in bytes.
        limit: usize,
        /// Where the page ends.
        end: u64,
    },
    /// The bytes cannot be read or unpacked.
    #[error("cannot read on at byte {position}")]
    Read {
        /// Where.
        position: u64,
        /// What the system or the decompressor says.
        #[source]
        reason: io::Error,
    },
}

impl ExportError {
    /// Returns whether pages may follow: the error is about one page alone.
    #[must_use]
    pub fn is_about_one_page(&self) -> bool {
        matches!(self, Self::PageTooLarge { .. })
    }
}
