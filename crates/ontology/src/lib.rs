//! What can be known: concepts, relation types and curated instances.
//!
//! This crate owns the reading of ontology files, the rules between their rows ([`Ontology`]), and the component
//! that holds such a graph and answers questions about it. It leaves the reading of text to formalizers, and what
//! text claims to evidence graphs; both use [`Ontology`], neither owns it.

mod agentic;
mod answer;
mod config;
mod csv;
mod cues;
mod graph;
mod load;
mod meaning;
mod model;
mod persist;
mod validate;

pub use agentic::KIND;
pub use config::{Description, FileFormat, FileSetting, Settings};
pub use model::{Canonical, Concept, Cue, Instance, LiteralKind, Ontology, Relation, Target};
pub use validate::validate;
