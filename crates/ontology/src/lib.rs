//! What can be known: concepts, relation types and curated instances.
//!
//! This crate owns the reading of ontology files, the rules between their rows ([`Ontology`]), and the component
//! that holds such a graph and answers questions about it. It leaves the reading of text to formalizers, and what
//! text claims to evidence graphs; both use [`Ontology`], neither owns it.
//!
//! In go files of rows (separated values or JSON Lines) and the rows that crawls add; out come answers to
//! capability calls, the curated rows ([`mge_core::OntologyRows`]), and what they mean.
//!
//! ```
//! use std::sync::Arc;
//!
//! use mge_core::{GraphRows, NodeRow};
//! use mge_ontology::Ontology;
//!
//! let row = |id: &str| NodeRow { id: id.to_owned(), attributes: [("aliases".to_owned(), "boat".to_owned())].into() };
//! let entities = Arc::new(GraphRows { nodes: vec![row("vessel|ferry")], ..GraphRows::default() });
//! let ontology = Ontology::from_rows(&entities, None, None);
//! assert!(ontology.descends("vessel|ferry", "vessel"));
//! assert_eq!(ontology.concepts_named("Boats").count(), 1);
//! ```

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
