//! Text to mentions and claims of an ontology.
//!
//! This crate owns the reading of text: names and what they are, what refers to what within a document, what is
//! stated of whom, whether it is stated or denied, and of which time. It leaves documents to sources, concepts and
//! relations to ontologies, and what many documents say together to evidence graphs. In go chunks of a
//! [`mge_core::Document`]; out come [`mge_core::Extraction`]s, through [`Rules`] or, as a component of an endpoint,
//! through [`KIND`].
//!
//! The rules are a pipeline, one module a stage: `tokens` → `names`, `titles`, `marked` (what may be a name) → `typing`,
//! `places` (what the text says it is) → `gather`, `members`, `inference`, `context` (a document's names) → `coref` (a
//! chunk's mentions) → `matching`, `relations`, `nouns`, `selection`, `literals`, `rows` (claims) → `doubts` (what is
//! left out) → `stance` (for or against, and when).
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! use mge_core::{GraphRows, NodeRow};
//! use mge_formalize::Rules;
//! use mge_ontology::Ontology;
//!
//! let row = |id: &str, cells: &[(&str, &str)]| NodeRow {
//!     id: id.to_owned(),
//!     attributes: cells.iter().map(|(key, cell)| (key.to_string(), cell.to_string())).collect::<BTreeMap<_, _>>(),
//! };
//! let concepts = GraphRows { nodes: vec![row("person|nurse", &[]), row("hospital", &[])], ..GraphRows::default() };
//! let relation = row("works_at", &[("src", "person"), ("dst", "hospital"), ("cues", "works at")]);
//! let relations = GraphRows { nodes: vec![relation], ..GraphRows::default() };
//! let rules = Rules::new(Ontology::from_rows(&Arc::new(concepts), Some(&relations), None), 0.5);
//! let found = rules.read_text("The nurse Ada Brook works at Millgate Hospital.");
//! assert_eq!(found.claims[0].subject.name, "Ada Brook");
//! assert_eq!(found.claims[0].subject.concept, "person|nurse");
//! ```

mod agentic;
mod config;
mod context;
mod coref;
mod cues;
mod dates;
mod doubts;
mod error;
mod gather;
mod genders;
mod inference;
mod lexicon;
mod literals;
mod marked;
mod matching;
mod members;
mod names;
mod normal;
mod nouns;
mod places;
mod plain;
mod relations;
mod rows;
mod rules;
mod scene;
mod selection;
mod stance;
mod stem;
#[cfg(test)]
mod tests;
mod titles;
mod tokens;
mod typing;
mod values;
mod walk;
mod words;

pub use agentic::KIND;
pub use config::{Library, Model, Ontologies, Settings};
pub use rules::Rules;
