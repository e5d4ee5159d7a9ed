//! What can be known: concepts, relation types and curated instances.
//!
//! This crate owns the reading of ontology files, the rules between their rows ([`Ontology`]), and the component
//! that holds such a graph and answers questions about it. It leaves the reading of text to formalizers, and what
//! text claims to evidence graphs; both use [`Ontology`], neither owns it.

mod cues;
mod meaning;
mod model;

pub use model::{Canonical, Concept, Cue, Instance, LiteralKind, Ontology, Relation, Target};
