use std::io::Write;

use serde::{Deserialize, Serialize};

use crate::{Cancel, Index, Problem};

/// In which order chunks are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrawlOrder {
    /// As the documents stand, chunk after chunk.
    #[default]
    Document,
    /// Titles and headings of all documents first.
    Outline,
    /// The unread chunks most relevant to a question first.
    Query(String),
}

/// What to crawl, and how far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlRequest {
    /// The nodes to read below; empty means all sources.
    pub roots: Vec<Index>,
    /// The most chunks to read.
    pub max_chunks: Option<u64>,
    /// The most seconds to take.
    pub max_seconds: Option<u64>,
    /// In which order.
    pub order: CrawlOrder,
    /// Read again only what failed before.
    pub retry_failed: bool,
    /// Tell what would be read, and read nothing.
    pub plan: bool,
}

/// Why a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// All is read.
    Done,
    /// A budget was used up.
    Budget,
    /// It was asked to stop.
    Interrupt,
}

/// What a crawl came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrawlReport {
    /// Documents looked at.
    pub documents: u64,
    /// Documents whose evidence was retracted because they are gone.
    pub documents_removed: u64,
    /// Documents that could not be read.
    pub documents_failed: u64,
    /// Chunks given to the formalizer.
    pub chunks_read: u64,
    /// Chunks whose text, context, method and ontology are unchanged.
    pub chunks_skipped: u64,
    /// Chunks that could not be read.
    pub chunks_failed: u64,
    /// Chunks still to be read, because the crawl stopped before.
    pub chunks_left: u64,
    /// Mentions found.
    pub mentions: u64,
    /// Claims that were not there before.
    pub claims_new: u64,
    /// Pieces of evidence that were not there before.
    pub evidence_new: u64,
    /// Pieces of evidence that no longer hold.
    pub evidence_retracted: u64,
    /// Claims refused by the ontology, and claims kept apart because they do not fit its types.
    pub off_ontology: u64,
    /// Seconds taken.
    pub seconds: f64,
    /// Why it ended.
    pub stopped_by: StoppedBy,
}

/// What a crawl tells while it runs: one JSON line each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CrawlEvent {
    /// It begins.
    Started {
        /// The graph's name.
        graph: String,
        /// Documents below the roots.
        documents: u64,
    },
    /// A batch of chunks is committed: it survives any crash from here on.
    Batch {
        /// Chunks read in this crawl so far.
        chunks_read: u64,
        /// Chunks skipped in this crawl so far.
        chunks_skipped: u64,
        /// Documents finished in this crawl so far.
        documents: u64,
        /// Documents below the roots.
        documents_total: u64,
        /// Claims new in this crawl so far.
        claims_new: u64,
    },
    /// A chunk or a whole document could not be read; the crawl goes on.
    ChunkFailed {
        /// The chunk, or the document.
        index: Index,
        /// Why.
        reason: String,
        /// A later try may succeed.
        transient: bool,
    },
    /// Something a person should know.
    Warning {
        /// What.
        message: String,
    },
    /// A plan: what would be read below one root.
    Planned {
        /// The document.
        index: Index,
        /// Chunks that would be read, where the document was opened to know.
        chunks: Option<u64>,
        /// Its size in bytes.
        bytes: u64,
    },
    /// It is over.
    Finished(CrawlReport),
}

/// Why work on an evidence graph failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The request is wrong.
    #[error("{message}")]
    Invalid {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The graph is not ready, or opened for reading only.
    #[error("{message}")]
    NotReady {
        /// What is missing.
        message: String,
    },
    /// Nothing has this name.
    #[error("{message}")]
    NotFound {
        /// What was asked for.
        message: String,
    },
    /// The store is damaged, or of a format that this version cannot read.
    #[error("{message}")]
    Store {
        /// What is wrong with it.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The system refuses: disk full, no permission.
    #[error("{message}")]
    System {
        /// What the system says.
        message: String,
    },
}

/// An evidence graph, as the command line drives it. Reading goes through capabilities.
pub trait EvidenceGraph: Send + Sync {
    /// Reads documents into the graph; `tell` hears each event, the last of which is `Finished`.
    ///
    /// # Errors
    /// Only what ends the whole crawl; a document that cannot be read is an event.
    fn crawl(
        &self,
        request: &CrawlRequest,
        cancel: &Cancel,
        tell: &mut dyn FnMut(CrawlEvent),
    ) -> Result<CrawlReport, GraphError>;

    /// Writes the current state as JSON Lines; equal states give equal bytes.
    ///
    /// `log` writes the log instead; `times` adds when each entry was recorded.
    ///
    /// # Errors
    /// The store or `out` fails.
    fn export(&self, out: &mut dyn Write, log: bool, times: bool) -> Result<(), GraphError>;

    /// Computes all that is derived anew from the log.
    ///
    /// # Errors
    /// The store fails; nothing is changed then.
    fn rebuild(&self, cancel: &Cancel) -> Result<(), GraphError>;

    /// Proves the graph sound; each problem is a sentence of what is wrong. No problem, no entry.
    ///
    /// # Errors
    /// The store cannot be read at all.
    fn verify(&self, cancel: &Cancel) -> Result<Vec<Problem>, GraphError>;
}
