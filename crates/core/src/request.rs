use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The original's words for malformed requests, which callers may know.
const NEEDS_CALL: &str = "Request must be a dictionary with a \"name\" (of a capability) and \"arguments\".";
const NEEDS_NAME: &str = "Request must have a \"name\" key with a string value.";
const NEEDS_ARGUMENTS: &str = "Request must have an \"arguments\" key with a dictionary value.";
const CALL_FORM: &str = "write {\"name\": \"…\", \"arguments\": {…}}; the arguments may also be a JSON text";

/// A call of a capability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// The capability's name.
    pub name: String,
    /// Its arguments by name.
    pub arguments: Map<String, Value>,
    /// The caller's mark, which comes back with the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
}

/// What a component can be asked: a function call, or a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// One capability by name.
    Call(FunctionCall),
    /// Messages `{role, content}`, for components that converse.
    Messages(Vec<Value>),
}

/// What a component answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// `stop`, `tool_calls`, `error`, or a model's own reason.
    pub finish_reason: String,
    /// The answer itself.
    pub message: Value,
    /// All messages of the turn, when the endpoint was asked to keep them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<Value>>,
    /// The mark that the request carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
}

impl Response {
    /// Makes a finished answer.
    pub fn stop(message: impl Into<Value>) -> Self {
        Self { finish_reason: "stop".to_owned(), message: message.into(), history: None, id: None }
    }
}

/// The kinds of failure of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RunErrorKind {
    /// The request is wrong; exit code 2.
    InvalidRequest,
    /// The component is not ready; exit code 3.
    InvalidState,
    /// Something failed while it ran; exit code 4.
    RunFailed,
    /// No such capability, or nothing found under the name; exit code 7.
    FailedToFindCapability,
    /// An answer could not be understood; exit code 8.
    FailedToParseOutput,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct RunError {
    /// The kind of failure.
    pub kind: RunErrorKind,
    /// What failed: a lowercase fragment without a full stop.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl RunError {
    /// Makes an error of a kind.
    pub fn new(kind: RunErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// Makes an error for a wrong request.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(RunErrorKind::InvalidRequest, message)
    }

    /// Makes an error for something that failed on the way.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(RunErrorKind::RunFailed, message)
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Request {
    /// Reads a request as it came: a function call, one message, or a list of messages.
    ///
    /// `arguments` may be an object or a JSON text of one. The value is not changed.
    ///
    /// # Errors
    /// [`RunErrorKind::InvalidRequest`] says which part is of the wrong form.
    pub fn parse(value: &Value) -> Result<Self, RunError> {
        match value {
            Value::Array(messages) if messages.is_empty() => {
                Err(RunError::invalid("the list of messages is empty"))
            }
            Value::Array(messages) => {
                messages.iter().try_for_each(check_message)?;
                Ok(Self::Messages(messages.clone()))
            }
            Value::Object(fields) if fields.contains_key("name") => Ok(Self::Call(parse_call(fields)?)),
            Value::Object(fields) if fields.contains_key("role") || fields.contains_key("content") => {
                check_message(value)?;
                Ok(Self::Messages(vec![value.clone()]))
            }
            Value::Object(_) => Err(RunError::invalid(NEEDS_NAME).hint(CALL_FORM)),
            _ => Err(RunError::invalid(NEEDS_CALL).hint(CALL_FORM)),
        }
    }

    /// Returns the function call.
    ///
    /// # Errors
    /// [`RunErrorKind::InvalidRequest`] when it is a conversation.
    pub fn call(&self) -> Result<&FunctionCall, RunError> {
        match self {
            Self::Call(call) => Ok(call),
            Self::Messages(_) => Err(RunError::invalid(NEEDS_CALL).hint(CALL_FORM)),
        }
    }
}

impl FunctionCall {
    /// Makes a call without a mark; `arguments` that are no object become none.
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        Self { name: name.into(), arguments, id: None }
    }

    /// Reads the arguments into a type that names them.
    ///
    /// # Errors
    /// [`RunErrorKind::InvalidRequest`] when they do not fit.
    pub fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, RunError> {
        serde_json::from_value(Value::Object(self.arguments.clone()))
            .map_err(|error| RunError::invalid(format!("'{}': {error}", self.name)))
    }
}

impl fmt::Display for FunctionCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({})", self.name, Value::Object(self.arguments.clone()))
    }
}

fn parse_call(fields: &Map<String, Value>) -> Result<FunctionCall, RunError> {
    if let Some(key) = fields.keys().find(|key| !matches!(key.as_str(), "name" | "arguments" | "id" | "type"))
    {
        return Err(RunError::invalid(format!("unknown key '{key}' in a function call"))
            .hint("a function call has name, arguments and id"));
    }
    let Some(name) = fields["name"].as_str() else {
        return Err(RunError::invalid(NEEDS_NAME).hint(CALL_FORM));
    };
    let arguments = match fields.get("arguments") {
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(Value::String(text)) if text.trim().is_empty() => Map::new(),
        Some(Value::String(text)) => serde_json::from_str(text).map_err(|error| {
            RunError::invalid(format!("the arguments of '{name}' are no JSON object: {error}"))
        })?,
        _ => return Err(RunError::invalid(NEEDS_ARGUMENTS).hint(CALL_FORM)),
    };
    Ok(FunctionCall { name: name.to_owned(), arguments, id: fields.get("id").cloned() })
}

fn check_message(message: &Value) -> Result<(), RunError> {
    let role = message.get("role").and_then(Value::as_str);
    if role.is_some() && message.get("content").is_some() {
        return Ok(());
    }
    Err(RunError::invalid("a message has a text 'role' and a 'content'"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_may_be_an_object_or_its_text() {
        let object = Request::parse(&json!({"name": "f", "arguments": {"a": 1}, "id": 7}));
        let text = Request::parse(&json!({"name": "f", "arguments": "{\"a\": 1}", "id": 7}));
        assert_eq!(object, text);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for wrong in [
            json!(null),
            json!("text"),
            json!({"foo": 1}),
            json!([]),
            json!({"role": "user"}),
            json!({"content": "x"}),
            json!({"name": 5}),
            json!({"name": "f", "arguments": [1]}),
            json!({"name": "f", "arguments": "{"}),
            json!({"name": "f", "argument": {}}),
            json!([{"role": "user"}]),
        ] {
            let error = Request::parse(&wrong).expect_err("it is wrong");
            assert_eq!(error.kind, RunErrorKind::InvalidRequest, "{wrong}");
        }
    }
}
