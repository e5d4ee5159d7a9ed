use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Cancel, Index, Interval, MappedText, Problem, Span};

/// A BLAKE3 hash, written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Hashes bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Hashes parts so that no two different lists of parts collide by moving a border.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// A document as a listing shows it, before it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRef {
    /// Its canonical index, e.g. `docs|guide/start.md`.
    pub index: Index,
    /// Its size in bytes, as the file system says.
    pub size: u64,
    /// When it was last changed, in nanoseconds since 1970, if known.
    pub modified: Option<i64>,
}

/// A document read and cut into chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Its canonical index.
    pub index: Index,
    /// The digest of its decoded text.
    pub digest: Digest,
    /// The decoded text: UTF-8 without a byte order mark, not normalised. All spans count its bytes.
    pub text: Arc<str>,
    /// The front matter's title, or the first heading of level 1.
    pub title: Option<MappedText>,
    /// The date it bears, of the precision it has: the reference for "last year".
    pub date: Option<Interval>,
    /// Its language as a BCP 47 tag, where configured or stated.
    pub language: Option<String>,
    /// How far its source believes it, 0 to 1, where configured.
    pub authority: Option<f64>,
    /// Front matter and the like, as text.
    pub attributes: BTreeMap<String, String>,
    /// Its chunks in document order.
    pub chunks: Vec<Chunk>,
}

/// What a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkKind {
    /// A heading.
    Heading,
    /// A paragraph, or a part of a long one.
    Paragraph,
    /// A list item, without the lists nested in it.
    ListItem,
    /// A row of a table.
    TableRow,
    /// The text of a footnote.
    Footnote,
    /// A block that is code, formula or markup: read for nothing, but citable.
    Verbatim,
}

/// One block of a document: what a formalizer is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// The canonical index of the block's node.
    pub index: Index,
    /// What it is.
    pub kind: ChunkKind,
    /// Its bytes in the document, markup included.
    pub span: Span,
    /// What a reader sees of it. Of a table row: the cells joined by ` | `.
    pub text: MappedText,
    /// The headings above it, outermost first.
    pub headings: Vec<MappedText>,
    /// What introduces it: the paragraph before a list or a table, the parent item of a nested one.
    pub lead_in: Option<MappedText>,
    /// Of a table row: its cells.
    pub cells: Vec<Cell>,
    /// The page that it begins on, as the document counts or names it, where it has pages.
    pub page: Option<String>,
}

/// A cell of a table row.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// What stands in the header of its column.
    pub header: MappedText,
    /// Its bytes in the visible text of the row.
    pub span: Span,
}

/// How documents are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkRule {
    /// The most code points a chunk may have before it is split at a sentence border.
    pub max_chars: usize,
}

impl Default for ChunkRule {
    fn default() -> Self {
        Self { max_chars: 4000 }
    }
}

/// The documents of a listing, in the order of their indices, bytewise.
pub type Documents<'a> = Box<dyn Iterator<Item = Result<DocumentRef, CorpusError>> + Send + 'a>;

/// A source's documents, for a crawl.
pub trait Corpus: Send + Sync {
    /// Returns the source's name, the first part of all its indices.
    fn name(&self) -> &str;

    /// Returns the canonical form of an index: without clusters, of the node's document if it lies inside one.
    ///
    /// # Errors
    /// [`CorpusError::NotFound`] names the longest part that exists.
    fn locate(&self, index: &Index) -> Result<Index, CorpusError>;

    /// Lists the documents at or below an index, without opening them; all of them below the source's name.
    ///
    /// A directory or file that cannot be listed is an error item; the listing goes on after it.
    ///
    /// # Errors
    /// [`CorpusError::NotFound`] when nothing has this index.
    fn documents<'a>(&'a self, below: &Index) -> Result<Documents<'a>, CorpusError>;

    /// Reads a document and cuts it into chunks.
    ///
    /// # Errors
    /// The document vanished, cannot be read, is no text, or is too large.
    fn read(&self, document: &Index, rule: ChunkRule) -> Result<Document, CorpusError>;

    /// Brings what is derived from the documents, such as a search index, up to date with them.
    ///
    /// A corpus that was opened for reading only, or that derives nothing, does nothing.
    ///
    /// # Errors
    /// What is derived cannot be written; the documents can be read all the same.
    fn catch_up(&self, cancel: &Cancel) -> Result<(), CorpusError> {
        let _ = cancel;
        Ok(())
    }

    /// Finds the chunks that say most about a question, the most relevant first; nothing where it has no search index.
    ///
    /// # Errors
    /// There should be an index, and it cannot be searched.
    fn relevant(&self, question: &str, limit: usize) -> Result<Option<Vec<FoundChunk>>, CorpusError> {
        let _ = (question, limit);
        Ok(None)
    }

    /// Returns the files and folders that the documents come from, to be watched for changes.
    fn places(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Finds what is wrong with what is derived from the documents, without changing anything.
    fn verify(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// A chunk that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundChunk {
    /// The canonical index of its document.
    pub document: Index,
    /// The canonical index of its node; parts of a long one share it.
    pub index: Index,
    /// Its bytes in the document.
    pub span: Span,
}

/// Why a document cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CorpusError {
    /// Nothing has this index.
    #[error("no node '{index}'; the longest part that exists is '{existing}'")]
    NotFound {
        /// What was asked for.
        index: Index,
        /// The longest prefix that exists.
        existing: Index,
    },
    /// It was there when it was listed.
    #[error("'{index}' is gone")]
    Gone {
        /// The document.
        index: Index,
    },
    /// The file system refuses.
    #[error("cannot read '{index}': {reason}")]
    Unreadable {
        /// The document or directory.
        index: Index,
        /// What the system says.
        reason: String,
        /// A later try may succeed.
        transient: bool,
    },
    /// It is not text, in no encoding that is known.
    #[error("'{index}' is no text: {reason}")]
    NotText {
        /// The document.
        index: Index,
        /// What tells so.
        reason: String,
    },
    /// It is larger than the limit.
    #[error("'{index}' has {size} bytes, more than the {limit} allowed")]
    TooLarge {
        /// The document.
        index: Index,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
}

impl CorpusError {
    /// Tells whether a later try may succeed.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unreadable { transient: true, .. })
    }

    /// Returns the index it is about.
    pub fn index(&self) -> &Index {
        match self {
            Self::NotFound { index, .. }
            | Self::Gone { index }
            | Self::Unreadable { index, .. }
            | Self::NotText { index, .. }
            | Self::TooLarge { index, .. } => index,
        }
    }
}
