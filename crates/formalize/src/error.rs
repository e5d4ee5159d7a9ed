//! What can go wrong while a formalizer is piloted.

use mge_core::Fault;

/// Why the model cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ModelError {
    /// This build reads the configuration, but has no such library yet.
    #[error("the model library '{library}' is not part of this build")]
    NotBuilt {
        /// The library.
        library: &'static str,
    },
}

impl ModelError {
    /// Adds what to do.
    pub(crate) fn fault(&self) -> Fault {
        let hint = match self {
            Self::NotBuilt { library: "gliner2" } => {
                "it needs a model runtime that is not there yet; use {\"library\": \"rules\"}, which needs no model"
            }
            Self::NotBuilt { library: "agent" } => {
                "it needs an agent of this endpoint, and agents are not there yet; use {\"library\": \"rules\"}"
            }
            Self::NotBuilt { .. } => {
                "it needs a process runner that is not there yet; use {\"library\": \"rules\"}"
            }
        };
        Fault::new(self.to_string()).hint(hint)
    }
}

/// Why the ontology cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OntologyError {
    /// The configuration disables what nothing works without.
    #[error("'entities' is null, but a formalizer needs concepts")]
    NoEntities,
    /// The tool is named, but was not handed over.
    #[error("the ontology '{name}' for '{role}' is not among the tools")]
    NotLinked {
        /// The tool.
        name: String,
        /// What it is needed for.
        role: &'static str,
    },
    /// The tool was handed over, but is no ontology.
    #[error("the tool '{name}' for '{role}' is no ontology")]
    NoOntology {
        /// The tool.
        name: String,
        /// What it is needed for.
        role: &'static str,
    },
    /// It has no concept at all.
    #[error("the ontology '{name}' holds no concept")]
    Empty {
        /// The tool.
        name: String,
    },
}

impl OntologyError {
    /// Adds what to do.
    pub(crate) fn fault(&self) -> Fault {
        let hint = match self {
            Self::NoEntities => {
                "name the ontology of concepts: \"ontologies\": {\"entities\": \"entities\"}".to_owned()
            }
            Self::NotLinked { name, .. } => format!("add \"{name}\" to the \"tools\" of the formalizer"),
            Self::NoOntology { name, .. } => {
                format!("'{name}' must be an item of the section \"ontologies\"")
            }
            Self::Empty { .. } => "its nodes file needs rows with an id and a definition".to_owned(),
        };
        Fault::new(self.to_string()).hint(hint)
    }
}
