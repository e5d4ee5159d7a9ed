use std::ops::Range;

use crate::language::Language;

/// What is searched for, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Any text: it is cut into words, and nothing in it is syntax. The first 20,000 bytes are read.
    pub text: String,
    /// By which ranking.
    pub mode: Mode,
    /// How many hits are wanted, 1 to 1,000; more are not given.
    pub limit: usize,
    /// The language of the text; when absent it is guessed.
    pub language: Option<Language>,
    /// Reads the postings of all terms, however common, and compares the full numbers of all vectors: slow on a large
    /// index, and what the fast way is measured against.
    pub everything: bool,
}

impl Query {
    /// Asks for the ten best hits of both rankings.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), mode: Mode::Hybrid, limit: 10, language: None, everything: false }
    }
}

/// The ranking of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// By words: BM25.
    Lexical,
    /// By the likeness of vectors: the cosine.
    Vector,
    /// By both, fused by rank.
    #[default]
    Hybrid,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The best first; of equals, the one whose document's key comes first.
    pub hits: Vec<Hit>,
    /// The terms that were looked for, the rarest first.
    pub terms: Vec<QueryTerm>,
    /// Terms were so common that not all their postings were read: the best are very likely found, but not surely.
    pub pruned: bool,
}

/// A term of a query that the index has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// As it is indexed: folded and stemmed.
    pub text: String,
    /// How many passages have it.
    pub passages: u64,
}

/// A passage that was found, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The document's key.
    pub document: String,
    /// The passage's key.
    pub key: String,
    /// The passage's bytes in the document.
    pub span: Range<u64>,
    /// The passage's title.
    pub title: String,
    /// The passage's text.
    pub text: String,
    /// The language it was analyzed by.
    pub language: Language,
    /// What it is ranked by: the fused score, or that of the one ranking that was asked for.
    pub score: f64,
    /// Its place in the lexical ranking, if it has one.
    pub lexical: Option<LexicalPart>,
    /// Its place in the vector ranking, if it has one.
    pub vector: Option<VectorPart>,
}

/// What the words of a query say for a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct LexicalPart {
    /// The place in the lexical ranking, from 1.
    pub rank: usize,
    /// The BM25 score: the sum of what the terms add.
    pub score: f64,
    /// What each term of the query that the passage has adds.
    pub terms: Vec<(String, f64)>,
}

/// What the vectors say for a passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorPart {
    /// The place in the vector ranking, from 1.
    pub rank: usize,
    /// The cosine of the angle to the query's vector, at most 1; what is not above 0 has no place.
    pub similarity: f64,
}
