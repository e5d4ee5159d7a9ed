use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Digest, Document, Interval, Span};

/// An entity as one document names it: its full name there, and the concept that the document supports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityRef {
    /// The concept's id, e.g. `person|student`.
    pub concept: String,
    /// The full name that stands for it in this document, as it is written, without honorific or possessive.
    pub name: String,
    /// How sure it is that this entity is meant, 0 to 1: 1 for the full name itself, less for a pronoun.
    pub confidence: f64,
}

/// How a mention names its entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MentionForm {
    /// The full name, or a curated alias of it.
    Full,
    /// Another name that the text itself declares: `World Health Organization (WHO)`.
    Alias,
    /// A part of the full name: a surname.
    Short,
    /// `She`, `the company`: it takes no part in naming.
    Reference,
}

/// A span that refers to an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mention {
    /// Its bytes in the visible text of the chunk.
    pub span: Span,
    /// What it refers to.
    pub entity: EntityRef,
    /// How it names it.
    pub form: MentionForm,
    /// How sure it is that the span names an entity of this concept, 0 to 1.
    pub confidence: f64,
}

/// For or against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Stance {
    /// The text states it; written 1.
    For,
    /// The text denies it; written -1.
    Against,
}

impl Stance {
    /// Returns 1 or -1.
    pub fn sign(self) -> i8 {
        match self {
            Self::For => 1,
            Self::Against => -1,
        }
    }
}

/// Of which time a statement speaks, where it gives no date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tense {
    /// It holds when it is written.
    Present,
    /// It held, or happened, before.
    Past,
    /// It does not say.
    Unknown,
}

/// What a claim says of its subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Object {
    /// Another entity.
    Entity(EntityRef),
    /// A value, in the normal form of its kind: `2019-05`, `42`, `12.5 km`, `true`, or plain text.
    Literal(String),
}

/// A claim as one chunk states it, before it is resolved and checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimDraft {
    /// What it is about.
    pub subject: EntityRef,
    /// The relation's id.
    pub relation: String,
    /// What it says.
    pub object: Object,
    /// For or against.
    pub stance: Stance,
    /// How sure it is that the text says so, 0 to 1.
    pub confidence: f64,
    /// The bytes in the visible text of the chunk that say it: the sentence, the row.
    pub quote: Span,
    /// The word that expresses the relation.
    pub cue: Option<Span>,
    /// Where the subject is named, when in this chunk.
    pub subject_span: Option<Span>,
    /// Where the object is named, when in this chunk.
    pub object_span: Option<Span>,
    /// When it held, when the text says so.
    pub valid: Option<Interval>,
    /// Of which time it speaks otherwise.
    pub tense: Tense,
}

/// What a chunk yields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    /// The mentions in order of their spans.
    pub mentions: Vec<Mention>,
    /// The claims in order of their quotes.
    pub claims: Vec<ClaimDraft>,
}

/// What extracted something: part of every provenance.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Method {
    /// The library's name, e.g. `rules`.
    pub name: String,
    /// Its version; results of equal versions are equal.
    pub version: String,
}

/// Why a chunk yields nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FormalizeError {
    /// What failed.
    pub message: String,
    /// A later try may succeed.
    pub transient: bool,
}

/// Reads text: finds mentions and claims of an ontology.
pub trait Formalize: Send + Sync {
    /// Returns what is put into every provenance.
    fn method(&self) -> Method;

    /// Returns the digest of the ontology slice it reads with: curated rows only.
    fn slice(&self) -> Digest;

    /// Opens a document for reading. The names of the whole document are context for each of its chunks.
    fn begin(&self, document: Arc<Document>) -> Box<dyn Reading + '_>;
}

/// A document being read.
pub trait Reading: Send {
    /// Returns the key of a chunk: equal keys mean equal extractions.
    ///
    /// It covers the chunk's visible text, the context that the reader uses, the reference date, method and
    /// ontology slice; not where in the document the chunk stands.
    fn key(&self, chunk: usize) -> Digest;

    /// Reads chunks, by their positions in [`Document::chunks`]; one result for each, in order.
    fn read(&mut self, chunks: &[usize]) -> Vec<Result<Extraction, FormalizeError>>;
}
