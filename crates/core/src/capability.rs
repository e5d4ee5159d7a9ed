use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{RunError, RunErrorKind, near_names};

/// One thing that a component can do, described as model tools are.
///
/// Serialises to `{"type": "function", "function": {"name", "description", "parameters", "returns"}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub struct Capability {
    /// The name, `[A-Za-z0-9_]+`, unique in an endpoint.
    pub name: String,
    /// What it does, for people and models.
    pub description: String,
    /// A JSON Schema of type `object`.
    pub parameters: Value,
    /// What comes back, as a JSON Schema.
    pub returns: Value,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    r#type: String,
    function: WireFunction,
}

#[derive(Serialize, Deserialize)]
struct WireFunction {
    name: String,
    #[serde(default)]
    description: String,
    parameters: Value,
    #[serde(default)]
    returns: Value,
}

impl From<Wire> for Capability {
    fn from(wire: Wire) -> Self {
        let WireFunction { name, description, parameters, returns } = wire.function;
        Self { name, description, parameters, returns }
    }
}

impl From<Capability> for Wire {
    fn from(capability: Capability) -> Self {
        let Capability { name, description, parameters, returns } = capability;
        Self {
            r#type: "function".to_owned(),
            function: WireFunction { name, description, parameters, returns },
        }
    }
}

impl Capability {
    /// Describes a capability; `properties` are JSON Schemas by argument name.
    ///
    /// Arguments that are not described are refused.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        properties: Value,
        required: &[&str],
        returns: Value,
    ) -> Self {
        let parameters = serde_json::json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        Self { name: name.into(), description: description.into(), parameters, returns }
    }

    /// Tells whether a name can be called: `[A-Za-z0-9_]+`.
    pub fn is_valid_name(name: &str) -> bool {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    /// Checks arguments against [`Capability::parameters`].
    ///
    /// # Errors
    /// [`RunErrorKind::InvalidRequest`], which says of every wrong argument what is wrong with it.
    pub fn check(&self, arguments: &Map<String, Value>) -> Result<(), RunError> {
        let validator = jsonschema::validator_for(&self.parameters).map_err(|error| {
            RunError::new(
                RunErrorKind::RunFailed,
                format!("the parameters of '{}' are no JSON Schema: {error}", self.name),
            )
        })?;
        let known = self.parameters["properties"].as_object();
        let names = || known.into_iter().flat_map(|properties| properties.keys().map(String::as_str));
        let closed = self.parameters["additionalProperties"] == Value::Bool(false);
        let mut wrong = Vec::new();
        for name in arguments.keys().filter(|name| closed && !names().any(|known| known == *name)) {
            let near = near_names(name, names());
            let hint = match near.first() {
                Some(near) => format!("; did you mean '{near}'?"),
                None => String::new(),
            };
            wrong.push(format!("unknown argument '{name}'{hint}"));
        }
        for error in validator.iter_errors(&Value::Object(arguments.clone())) {
            if let jsonschema::error::ValidationErrorKind::Required { property } = error.kind() {
                // The original's words, which callers may know.
                wrong.push(format!("Request is missing required argument {property}."));
                continue;
            }
            let path = error.instance_path().to_string();
            let text = error.to_string();
            if text.starts_with("Additional properties") {
                continue;
            }
            match path.strip_prefix('/') {
                Some(path) => wrong.push(format!("argument '{path}': {}", short(&text))),
                None => wrong.push(short(&text)),
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(RunError::invalid(wrong.join("; ")).hint(format!("'{}' takes {}", self.name, list(names()))))
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "no arguments".to_owned() } else { names.join(", ") }
}

/// A validator repeats the value it refuses, which may be a whole document.
fn short(text: &str) -> String {
    const LONGEST: usize = 300;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    // What is wrong stands at the end of the message, the value at its start.
    let tail: String = text.chars().skip(text.chars().count() - 120).collect();
    let head: String = text.chars().take(120).collect();
    format!("{head} … {tail}")
}

/// What a component says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The code of its state.
    pub state: i32,
    /// What it is for.
    pub description: String,
    /// What it can do.
    pub capabilities: Vec<Capability>,
}

/// The answer of a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// 0 ok, 1 busy or not ready, 2 invalid request.
    pub status: u8,
    /// The reason, or `Valid request.`.
    pub description: String,
}

impl Verdict {
    /// The request would run.
    pub fn ok() -> Self {
        Self { status: 0, description: "Valid request.".to_owned() }
    }

    /// The component is busy or below the state it needs.
    pub fn not_ready(description: impl Into<String>) -> Self {
        Self { status: 1, description: description.into() }
    }

    /// The request is wrong.
    pub fn invalid(description: impl Into<String>) -> Self {
        Self { status: 2, description: description.into() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn children() -> Capability {
        let properties = json!({"index": {"type": "string"}, "depth": {"type": "integer", "minimum": 1}});
        Capability::new("children", "Lists.", properties, &["index"], json!({"type": "array"}))
    }

    fn refusal(arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        children().check(&arguments).expect_err("it is wrong").message
    }

    #[test]
    fn every_wrong_argument_is_named() {
        let Value::Object(right) = json!({"index": "docs", "depth": 2}) else { panic!() };
        assert!(children().check(&right).is_ok());
        assert!(refusal(json!({})).ends_with("Request is missing required argument \"index\"."));
        assert!(refusal(json!({"index": 5})).contains("argument 'index'"));
        assert!(refusal(json!({"index": null})).contains("argument 'index'"));
        let both = refusal(json!({"indx": "a", "index": "a", "depth": 0}));
        assert!(both.contains("did you mean 'index'"), "{both}");
        assert!(both.contains("argument 'depth'"), "{both}");
    }

    #[test]
    fn a_huge_value_is_not_repeated() {
        assert!(refusal(json!({"index": ["x".repeat(100_000)]})).len() < 500);
    }

    #[test]
    fn the_wire_form_is_that_of_a_model_tool() {
        let wire = serde_json::to_value(children()).expect("it serialises");
        assert_eq!(wire["type"], "function");
        assert_eq!(wire["function"]["name"], "children");
    }
}
