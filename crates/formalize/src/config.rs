//! What a formalizer reads from its `extra_args`.

use mge_core::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `extra_args` of a formalizer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What it is for; a list of strings is joined by newlines.
    #[serde(default)]
    pub description: Lines,
    /// What finds the mentions and claims.
    #[serde(default)]
    pub model: Model,
    /// Nothing below this confidence comes out, 0 to 1.
    #[serde(default = "threshold")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f64,
    /// The column of the ontology that describes a concept.
    #[serde(default = "definition_key")]
    pub definition_key: String,
    /// Which ontology plays which part; each must be a tool too.
    #[serde(default)]
    pub ontologies: Ontologies,
}

/// A text, or the lines of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Lines {
    /// As it is.
    Text(String),
    /// Joined by newlines.
    List(Vec<String>),
}

impl Default for Lines {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Lines {
    /// Returns the text.
    pub fn joined(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(lines) => lines.join("\n"),
        }
    }
}

/// What finds mentions and claims, and its parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The library.
    #[serde(default)]
    pub library: Library,
    /// Of `gliner2`: the folder or the hub's name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Of `gliner2`: as in the original; only `cpu` means something here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map_location: Option<String>,
    /// Of `gliner2`: whether to quantize the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantize: Option<bool>,
    /// Of `gliner2`: as in the original, without meaning here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compile: Option<bool>,
    /// Of `agent`: the agent's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Of `process`: the program and its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// Of `process`: seconds for one text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

/// The libraries that a formalizer can use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Library {
    /// Rules: no model, no download, equal results everywhere.
    #[default]
    Rules,
    /// A GLiNER2 checkpoint.
    Gliner2,
    /// An agent of the endpoint.
    Agent,
    /// A program that speaks JSON lines.
    Process,
}

impl Library {
    /// Returns the name as the configuration writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Gliner2 => "gliner2",
            Self::Agent => "agent",
            Self::Process => "process",
        }
    }
}

/// The names of the ontologies by part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ontologies {
    /// The concepts.
    #[serde(default = "entities")]
    pub entities: Option<String>,
    /// The relations; null takes `hint_edges` away.
    #[serde(default = "relationships")]
    pub relationships: Option<String>,
    /// The curated instances; null takes `is_a` away.
    #[serde(default = "known_ids")]
    pub known_ids: Option<String>,
}

impl Default for Ontologies {
    fn default() -> Self {
        Self { entities: entities(), relationships: relationships(), known_ids: known_ids() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            description: Lines::default(),
            model: Model::default(),
            threshold: threshold(),
            definition_key: definition_key(),
            ontologies: Ontologies::default(),
        }
    }
}

fn threshold() -> f64 {
    0.5
}

fn definition_key() -> String {
    "definition".to_owned()
}

#[expect(clippy::unnecessary_wraps, reason = "serde takes the default of an optional key from a function of its type")]
fn entities() -> Option<String> {
    Some("entities".to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "serde takes the default of an optional key from a function of its type")]
fn relationships() -> Option<String> {
    Some("relationships".to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "serde takes the default of an optional key from a function of its type")]
fn known_ids() -> Option<String> {
    Some("known_ids".to_owned())
}

impl Settings {
    /// Finds what is wrong beyond the schema, given the names of the tools.
    pub(crate) fn problems(&self, tools: &[String]) -> Vec<Problem> {
        let mut problems = Vec::new();
        if !(0.0..=1.0).contains(&self.threshold) {
            problems.push(
                Problem::error("threshold", format!("the threshold {} is not between 0 and 1", self.threshold))
                    .pointer("/threshold"),
            );
        }
        if self.ontologies.entities.is_none() {
            problems.push(
                Problem::error("no-entities", "a formalizer needs an ontology of entities")
                    .pointer("/ontologies/entities"),
            );
        }
        for (part, name) in self.parts() {
            if !tools.iter().any(|tool| tool == name) {
                problems.push(
                    Problem::error("not-a-tool", format!("the ontology '{name}' is not among the tools"))
                        .pointer(format!("/ontologies/{part}"))
                        .hint(format!("add \"{name}\" to the tools, or set \"{part}\" to null")),
                );
            }
        }
        if self.model.library != Library::Rules {
            problems.push(
                Problem::warning("not-available", self.unavailable()).pointer("/model/library").hint(USE_RULES),
            );
        }
        problems
    }

    /// Returns the parts that are not turned off, with the names of their ontologies.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parts = &self.ontologies;
        [("entities", &parts.entities), ("relationships", &parts.relationships), ("known_ids", &parts.known_ids)]
            .into_iter()
            .filter_map(|(part, name)| Some((part, name.as_deref()?)))
    }

    /// Says that the library is not there.
    pub(crate) fn unavailable(&self) -> String {
        format!("this version of mge has no formalizer library '{}'", self.model.library.name())
    }
}

/// What to do when a library is not there.
pub(crate) const USE_RULES: &str = "use {\"library\": \"rules\"}, which needs no model";
