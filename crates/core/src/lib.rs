//! The words and contracts that every part of `mge` shares.
//!
//! This crate owns two things. The *words*: [`Index`], [`Span`], [`Document`], [`Chunk`], [`Mention`],
//! [`ClaimDraft`], [`Interval`] and their kin, plain data without behaviour of their own. The *contracts*: the
//! face that every component shows ([`Agentic`]) and the typed traits of the bulk road ([`Corpus`],
//! [`Formalize`], [`EvidenceGraph`], [`OntologyRows`]).
//!
//! It leaves everything else to others: it reads no file, opens no socket, keeps no store. A third party can
//! write a component against this crate alone.
//!
//! ```
//! use mge_core::{Interval, Span};
//!
//! let year = Interval::parse("2019").expect("a year is a date");
//! assert_eq!(year.to_string(), "2019-01-01..2020-01-01");
//! assert_eq!(&"Port of Call"[Span::new(0, 4).range()], "Port");
//! ```

mod agentic;
mod capability;
mod clock;
mod document;
mod event;
mod extraction;
mod fault;
mod graph;
mod index;
mod near;
mod ontology_rows;
mod progress;
mod registry;
mod request;
mod span;
mod state;
#[cfg(feature = "testing")]
pub mod testing;
mod text;
mod time;

pub use agentic::{Agentic, BoxFuture, Facets, PilotContext, PilotOutcome, Standing};
pub use capability::{Capability, Meta, Verdict};
pub use clock::{Clock, FixedClock, SystemClock};
pub use document::{
    Cell, Chunk, ChunkKind, ChunkRule, Corpus, CorpusError, Digest, Document, DocumentRef, Documents,
    FoundChunk,
};
pub use event::{Event, EventSink, Events};
pub use extraction::{
    ClaimDraft, EntityRef, Extraction, Formalize, FormalizeError, Mention, MentionForm, Method, Object,
    Reading, Stance, Tense,
};
pub use fault::{Fault, Place, Problem, Severity};
pub use graph::{CrawlEvent, CrawlOrder, CrawlReport, CrawlRequest, EvidenceGraph, GraphError, StoppedBy};
pub use index::{Index, escape_part, unescape_part};
pub use near::near_names;
pub use ontology_rows::{EdgeRow, GraphRow, GraphRows, NodeRow, OntologyRows};
pub use progress::{Cancel, NoProgress, Progress};
pub use registry::{Access, BuildContext, Counts, ItemView, Kind};
pub use request::{FunctionCall, Request, Response, RunError, RunErrorKind};
pub use span::{MappedText, Span};
pub use state::{IntentError, StateTable};
pub use text::{fold, name_key};
pub use time::{Interval, Moment, TimeParseError};
