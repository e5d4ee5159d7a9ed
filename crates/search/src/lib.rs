//! A search index over passages of text, in one file: by words, by vectors, and by both.
//!
//! This crate owns the index ([`SearchIndex`], one SQLite file), the analysis of texts in many languages and scripts
//! ([`Language`]), the rankings and their fusion, and the default embedder ([`HashingEmbedder`]). It leaves to others
//! where the passages come from, and every other model ([`Embed`]). It knows no other crate of ours.
//!
//! In go documents, each with a digest and its passages ([`Change`]); out come passages with the reasons for their
//! rank ([`Hit`]). A file that was changed piece by piece answers like one that was made at once.
//!
//! ```
//! use mge_search::{Change, DocumentText, PassageText, Query, SearchIndex, Settings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let (index, opened) = SearchIndex::open(&folder.path().join("search.sqlite"), Settings::default())?;
//! assert!(opened.created);
//! let passage = PassageText {
//!     key: "text_1".to_owned(),
//!     span: 0..40,
//!     title: "Ferries".to_owned(),
//!     text: "The last ferry to Kos leaves at eleven.".to_owned(),
//!     language: None,
//! };
//! let document =
//!     DocumentText { key: "kos.md".to_owned(), digest: "1".to_owned(), passages: vec![passage] };
//! index.apply(vec![Change::Put(document)])?;
//!
//! let answer = index.search(&Query::new("when do ferries leave?"))?;
//! assert_eq!(answer.hits[0].key, "text_1");
//! # Ok(())
//! # }
//! ```

mod analysis;
mod best;
mod embed;
mod error;
mod fold;
mod fusion;
mod hashing;
mod index;
mod language;
mod lexical;
mod matrix;
mod meta;
mod open;
mod passage_id;
mod quantize;
mod query;
mod schema;
mod search;
mod stop_words;
mod terms;
mod write;

pub use embed::{Embed, EmbedError, EmbedModel};
pub use error::SearchError;
pub use hashing::HashingEmbedder;
pub use index::{Opened, SearchIndex, Settings, Statistics};
pub use language::Language;
pub use query::{Answer, Hit, LexicalPart, Mode, Query, QueryTerm, VectorPart};
pub use write::{Applied, Change, DocumentText, PassageText};
