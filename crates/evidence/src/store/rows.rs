use jiff::Timestamp;
use mge_core::{ChunkKind, Digest, Index, Interval, MentionForm, Moment, Span, Stance, Tense};

/// A document as the graph knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DocumentRow {
    /// Its row.
    pub(crate) row: i64,
    /// Its canonical index.
    pub(crate) index: Index,
    /// The name of its source.
    pub(crate) source: String,
    /// The digest of the text that was read.
    pub(crate) digest: Digest,
    /// Its title.
    pub(crate) title: Option<String>,
    /// The date it bears.
    pub(crate) date: Option<Interval>,
    /// How far it is believed, 0 to 1.
    pub(crate) authority: f64,
    /// Its chunks that are for reading.
    pub(crate) chunks: u64,
    /// Those that were not read yet.
    pub(crate) unread: u64,
    /// Those that failed.
    pub(crate) failed: u64,
    /// It is gone from the source.
    pub(crate) gone: bool,
}

/// How far a chunk has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkState {
    /// Not given to the formalizer yet.
    Unread,
    /// Read.
    Read,
    /// The formalizer failed on it.
    Failed,
    /// Code and the like: citable, but never read.
    Verbatim,
}

/// A chunk as it stands in its document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChunkRow {
    /// Its row.
    pub(crate) row: i64,
    /// The row of its document.
    pub(crate) document: i64,
    /// Its place among the chunks of the document, from 0.
    pub(crate) position: usize,
    /// Its canonical index.
    pub(crate) index: Index,
    /// What it is.
    pub(crate) kind: ChunkKind,
    /// Its bytes in the document.
    pub(crate) span: Span,
    /// What a reader sees of it.
    pub(crate) text: String,
    /// The headings above it, outermost first, joined by ` › `.
    pub(crate) heading: String,
    /// The page that it begins on.
    pub(crate) page: Option<String>,
    /// How far it has come.
    pub(crate) state: ChunkState,
    /// Why it failed.
    pub(crate) reason: Option<String>,
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntityRow {
    /// Its row; rows come and go, ids stay.
    pub(crate) row: i64,
    /// Its id, e.g. `person|student|Noah Kim`.
    pub(crate) id: String,
    /// Its concept's id.
    pub(crate) concept: String,
    /// Its name, unescaped.
    pub(crate) name: String,
    /// The live mentions of it.
    pub(crate) mentions: u64,
    /// It has live mentions or evidence; otherwise only the past knows it.
    pub(crate) live: bool,
}

/// A name under which an entity is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameRow {
    /// The entity's row.
    pub(crate) entity: i64,
    /// The name as it is written.
    pub(crate) text: String,
    /// It is an alias, curated or declared, not a spelling of the full name.
    pub(crate) alias: bool,
}

/// What a claim says of its subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ObjectRow {
    /// The row of an entity.
    Entity(i64),
    /// A value.
    Literal(String),
}

/// A claim, without its evidence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClaimRow {
    /// Its row.
    pub(crate) row: i64,
    /// Its id: 16 letters and digits; a unique prefix names it too.
    pub(crate) id: String,
    /// The row of its subject.
    pub(crate) subject: i64,
    /// The relation's id.
    pub(crate) relation: String,
    /// What it says.
    pub(crate) object: ObjectRow,
    /// Its live pieces of evidence; 0 when only the past knows it.
    pub(crate) evidence: u64,
    /// The belief of its best period, whenever that is.
    pub(crate) belief: f64,
    /// The disbelief of that period.
    pub(crate) disbelief: f64,
    /// The uncertainty of that period.
    pub(crate) uncertainty: f64,
    /// The evidence disagrees, with itself or about rival values.
    pub(crate) conflict: bool,
}

/// What became of a stated claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// It is evidence of a claim.
    Claim,
    /// Subject or object is not of the type that the relation asks for.
    OffOntology,
    /// The relation is unknown, or the value is not of its kind.
    Refused,
}

/// One span for or against a claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EvidenceRow {
    /// The row of its claim; 0 when it is off the ontology.
    pub(crate) claim: i64,
    /// What became of it.
    pub(crate) status: Status,
    /// The row of its chunk.
    pub(crate) chunk: i64,
    /// Its place among the claims of the chunk; with the chunk it is its key.
    pub(crate) number: i64,
    /// The row of its document.
    pub(crate) document: i64,
    /// The index of its document.
    pub(crate) document_index: Index,
    /// The index of its chunk.
    pub(crate) index: Index,
    /// The name of its source.
    pub(crate) source: String,
    /// The bytes of the document that say it.
    pub(crate) span: Span,
    /// What stands there, markup included.
    pub(crate) quote: String,
    /// What a reader sees of it.
    pub(crate) said: String,
    /// For or against.
    pub(crate) stance: Stance,
    /// How sure the method is that the text says so.
    pub(crate) confidence: f64,
    /// How far its document is believed.
    pub(crate) authority: f64,
    /// How sure it is that the subject is meant.
    pub(crate) subject_identity: f64,
    /// How sure it is that the object is meant; 1 for a value.
    pub(crate) object_identity: f64,
    /// The method and its version: `rules 1`.
    pub(crate) method: String,
    /// When it held, where the text says so.
    pub(crate) valid: Option<Interval>,
    /// Of which time it speaks otherwise.
    pub(crate) tense: Tense,
    /// The date that the document bears.
    pub(crate) document_date: Option<Interval>,
    /// When it was learnt.
    pub(crate) recorded_from: Timestamp,
    /// When it was found gone.
    pub(crate) recorded_to: Option<Timestamp>,
}

/// A span that refers to an entity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MentionRow {
    /// The row of its entity.
    pub(crate) entity: i64,
    /// The row of its chunk.
    pub(crate) chunk: i64,
    /// The row of its document.
    pub(crate) document: i64,
    /// The index of its document.
    pub(crate) document_index: Index,
    /// The index of its chunk.
    pub(crate) index: Index,
    /// The page that its chunk begins on.
    pub(crate) page: Option<String>,
    /// The bytes of the document that name it.
    pub(crate) span: Span,
    /// The visible text that names it.
    pub(crate) text: String,
    /// The concept that the text gives it.
    pub(crate) concept: String,
    /// How it names it.
    pub(crate) form: MentionForm,
    /// How sure it is that the span names an entity of this concept.
    pub(crate) confidence: f64,
    /// How sure it is that this entity is meant.
    pub(crate) identity: f64,
    /// How far its document is believed.
    pub(crate) authority: f64,
    /// The method and its version.
    pub(crate) method: String,
}

/// A chunk that a full-text search found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PassageHit {
    /// The row of the chunk.
    pub(crate) chunk: i64,
    /// The higher, the better; comparable within one search only.
    pub(crate) score: f64,
}

/// Returns a figure in millionths, the only form in which the store keeps one: sums of them are exact.
pub(crate) fn ppm(value: f64) -> i64 {
    if value.is_finite() { (value.clamp(0.0, 1.0) * 1e6).round() as i64 } else { 0 }
}

/// Undoes [`ppm`].
pub(crate) fn from_ppm(value: i64) -> f64 {
    value as f64 / 1e6
}

/// Returns a moment in milliseconds since 1970, as the store keeps recorded times.
pub(crate) fn millis(stamp: Timestamp) -> i64 {
    stamp.as_millisecond()
}

/// Undoes [`millis`].
pub(crate) fn stamp(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(if millis < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

/// Makes an interval of two columns; two absent ends are no interval.
pub(crate) fn interval(from: Option<i64>, to: Option<i64>) -> Option<Interval> {
    if from.is_none() && to.is_none() { None } else { Interval::new(from.map(Moment), to.map(Moment)) }
}

impl ChunkState {
    pub(crate) fn code(self) -> i64 {
        match self {
            Self::Unread => 0,
            Self::Read => 1,
            Self::Failed => 2,
            Self::Verbatim => 3,
        }
    }

    pub(crate) fn of(code: i64) -> Self {
        match code {
            1 => Self::Read,
            2 => Self::Failed,
            3 => Self::Verbatim,
            _ => Self::Unread,
        }
    }
}

impl Status {
    pub(crate) fn code(self) -> i64 {
        match self {
            Self::Claim => 0,
            Self::OffOntology => 1,
            Self::Refused => 2,
        }
    }

    pub(crate) fn of(code: i64) -> Self {
        match code {
            0 => Self::Claim,
            1 => Self::OffOntology,
            _ => Self::Refused,
        }
    }
}

pub(crate) fn kind_code(kind: ChunkKind) -> i64 {
    match kind {
        ChunkKind::Heading => 0,
        ChunkKind::Paragraph => 1,
        ChunkKind::ListItem => 2,
        ChunkKind::TableRow => 3,
        ChunkKind::Footnote => 4,
        ChunkKind::Verbatim => 5,
    }
}

pub(crate) fn kind_of(code: i64) -> ChunkKind {
    match code {
        0 => ChunkKind::Heading,
        2 => ChunkKind::ListItem,
        3 => ChunkKind::TableRow,
        4 => ChunkKind::Footnote,
        5 => ChunkKind::Verbatim,
        _ => ChunkKind::Paragraph,
    }
}

pub(crate) fn form_code(form: MentionForm) -> i64 {
    match form {
        MentionForm::Full => 0,
        MentionForm::Alias => 1,
        MentionForm::Short => 2,
        MentionForm::Reference => 3,
    }
}

pub(crate) fn form_of(code: i64) -> MentionForm {
    match code {
        0 => MentionForm::Full,
        1 => MentionForm::Alias,
        2 => MentionForm::Short,
        _ => MentionForm::Reference,
    }
}

pub(crate) fn tense_code(tense: Tense) -> i64 {
    match tense {
        Tense::Unknown => 0,
        Tense::Present => 1,
        Tense::Past => 2,
    }
}

pub(crate) fn tense_of(code: i64) -> Tense {
    match code {
        1 => Tense::Present,
        2 => Tense::Past,
        _ => Tense::Unknown,
    }
}

pub(crate) fn stance_of(sign: i64) -> Stance {
    if sign < 0 { Stance::Against } else { Stance::For }
}
