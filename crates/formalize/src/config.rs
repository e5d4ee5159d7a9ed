//! What a formalizer reads from its `extra_args`.

use mge_core::Fault;
use mge_ontology::Description;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The hard lower border where the configuration names none.
pub(crate) const THRESHOLD: f64 = 0.5;

/// The `extra_args` of a formalizer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What it finds, for people and agents.
    #[serde(default)]
    pub description: Description,
    /// The library that reads, and what it needs.
    #[serde(default)]
    pub model: Model,
    /// Nothing below it comes out, from any library; 0.5 without it.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: Option<f64>,
    /// The column that describes a concept; `definition` without it.
    #[serde(default)]
    pub definition_key: Option<String>,
    /// Which ontology plays which part; each must be a tool too.
    #[serde(default)]
    pub ontologies: Ontologies,
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

#[expect(clippy::unnecessary_wraps, reason = "serde takes the default of a key from a function of its type")]
fn entities() -> Option<String> {
    Some("entities".to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "serde takes the default of a key from a function of its type")]
fn relationships() -> Option<String> {
    Some("relationships".to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "serde takes the default of a key from a function of its type")]
fn known_ids() -> Option<String> {
    Some("known_ids".to_owned())
}

/// A library and its options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// `rules`, `gliner2`, `agent` or `process`.
    #[serde(default)]
    pub library: Library,
    /// Of gliner2: a folder, or the name of a model in the local hub cache.
    #[serde(default)]
    pub model: Option<String>,
    /// Of gliner2: the device; only `cpu` has a meaning here.
    #[serde(default)]
    pub map_location: Option<String>,
    /// Of gliner2: taken for the original's sake.
    #[serde(default)]
    pub quantize: Option<Value>,
    /// Of gliner2: taken for the original's sake.
    #[serde(default)]
    pub compile: Option<Value>,
    /// Of agent: the name of an agent of the endpoint, which is a tool too.
    #[serde(default)]
    pub agent: Option<String>,
    /// Of process: the program and its arguments.
    #[serde(default)]
    pub command: Option<Vec<String>>,
    /// Of process: after how many seconds an item is given up.
    #[serde(default)]
    pub timeout: Option<f64>,
}

/// What reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Library {
    /// The deterministic rules of this crate.
    #[default]
    Rules,
    /// A published checkpoint.
    Gliner2,
    /// An agent of the endpoint.
    Agent,
    /// A command that reads and writes JSON lines.
    Process,
}

impl Library {
    /// Returns the name as it is configured.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Gliner2 => "gliner2",
            Self::Agent => "agent",
            Self::Process => "process",
        }
    }
}

impl Settings {
    /// Reads and checks the `extra_args` of the item `name`.
    pub(crate) fn read(name: &str, extra_args: &Value) -> Result<Self, Fault> {
        let settings = Self::deserialize(extra_args)
            .map_err(|error| Fault::new(format!("the extra_args of '{name}' are wrong: {error}")))?;
        if let Some(threshold) = settings.threshold
            && !(0.0..=1.0).contains(&threshold)
        {
            return Err(Fault::new(format!("the threshold {threshold} of '{name}' is not between 0 and 1")));
        }
        settings.model.check(name)?;
        Ok(settings)
    }

    /// Returns the name of the tool for a role; `None` when the configuration disables it.
    pub(crate) fn ontology(&self, role: &str) -> Option<&str> {
        let Ontologies { entities, relationships, known_ids } = &self.ontologies;
        match role {
            "entities" => entities.as_deref(),
            "relationships" => relationships.as_deref(),
            _ => known_ids.as_deref(),
        }
    }
}

impl Model {
    /// A library without what it reads from is no configuration.
    fn check(&self, name: &str) -> Result<(), Fault> {
        let missing = match self.library {
            Library::Rules => None,
            Library::Gliner2 => self.model.is_none().then_some("model"),
            Library::Agent => self.agent.is_none().then_some("agent"),
            Library::Process => self.command.as_ref().is_none_or(Vec::is_empty).then_some("command"),
        };
        match missing {
            None => Ok(()),
            Some(key) => {
                let library = self.library.name();
                Err(Fault::new(format!("the model of '{name}' names no '{key}', which '{library}' needs")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_forms_of_the_specification_are_read() {
        let settings = Settings::read("r", &json!({"model": {"library": "rules"}})).expect("it is right");
        assert_eq!(settings.ontology("known_ids"), Some("known_ids"));
        let given = json!({
            "description": ["Finds", "things."],
            "model": {"library": "gliner2", "model": "some/folder", "map_location": "cpu", "quantize": null},
            "threshold": 0.3,
            "ontologies": {"entities": "things", "relationships": null, "known_ids": "known"},
        });
        let settings = Settings::read("r", &given).expect("it is right");
        assert_eq!(settings.ontology("entities"), Some("things"));
        assert_eq!(settings.ontology("relationships"), None);
        assert_eq!(settings.model.library, Library::Gliner2);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (wrong, part) in [
            (json!({"model": {"library": "magic"}}), "magic"),
            (json!({"model": {"library": "gliner2"}}), "'model'"),
            (json!({"model": {"library": "process"}}), "'command'"),
            (json!({"model": {"library": "agent"}}), "'agent'"),
            (json!({"model": {"library": "rules"}, "threshold": 1.5}), "1.5"),
            (json!({"model": {"library": "rules"}, "ontologies": {"entitys": "e"}}), "entitys"),
        ] {
            let fault = Settings::read("r", &wrong).expect_err("it is wrong");
            assert!(fault.message.contains(part), "{wrong}: {fault}");
        }
    }
}
