//! Values from the environment that are never shown.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

/// A value that must not be printed, logged or written: `Debug` and `Display` hide it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Returns the value itself, for the one place that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

/// A variable that an item needs and the environment lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable '{variable}' that '{key}' needs is not set")]
pub struct MissingEnv {
    /// The key in the item, as in `extra_args.api_key`.
    pub key: String,
    /// The variable's name.
    pub variable: String,
    /// The JSON pointer of the value, for [`Loaded::diagnostic_at`](crate::Loaded::diagnostic_at).
    pub pointer: String,
}

impl MissingEnv {
    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        format!("set it before piloting, as in: export {}=…", self.variable)
    }
}

/// The variables that a configuration names, with what the environment gave for them.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    values: BTreeMap<String, Option<Secret>>,
}

impl Secrets {
    /// Looks a variable up, once.
    pub(crate) fn read(&mut self, variable: &str, environment: &dyn Fn(&str) -> Option<String>) {
        if !self.values.contains_key(variable) {
            self.values.insert(variable.to_owned(), environment(variable).map(Secret));
        }
    }

    pub(crate) fn get(&self, variable: &str) -> Option<&Secret> {
        self.values.get(variable).and_then(Option::as_ref)
    }

    /// Replaces every marker by its value.
    pub(crate) fn expose(&self, value: &Value, path: &str) -> Result<Value, MissingEnv> {
        if let Some(variable) = marker(value) {
            return match self.get(variable) {
                Some(secret) => Ok(Value::String(secret.expose().to_owned())),
                None => Err(MissingEnv {
                    key: path.trim_start_matches('/').replace('/', "."),
                    variable: variable.to_owned(),
                    pointer: path.to_owned(),
                }),
            };
        }
        let inside = |key: &str, value| self.expose(value, &crate::source_map::child(path, key));
        Ok(match value {
            Value::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), inside(key, value)?)))
                    .collect::<Result<_, _>>()?,
            ),
            Value::Array(elements) => Value::Array(
                elements
                    .iter()
                    .enumerate()
                    .map(|(index, value)| inside(&index.to_string(), value))
                    .collect::<Result<_, _>>()?,
            ),
            value => value.clone(),
        })
    }

    /// Replaces every known secret in a text by a placeholder that names the variable.
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (variable, secret) in &self.values {
            // A very short value would tear harmless text apart and protects nothing.
            if let Some(secret) = secret.as_ref().filter(|secret| secret.expose().len() >= 4) {
                text = text.replace(secret.expose(), &format!("(hidden: {variable})"));
            }
        }
        text
    }
}

/// Returns the variable's name when a value is `{"$env": "NAME"}`, the form in which the resolved value
/// keeps secrets.
pub(crate) fn marker(value: &Value) -> Option<&str> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    members.get("$env")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_hide() {
        let secret = Secret::new("hunter22");
        assert!(!format!("{secret} {secret:?} {:?}", Some(&secret)).contains("hunter"));
        let mut secrets = Secrets::default();
        secrets.read("KEY", &|_| Some("hunter22".into()));
        assert!(!format!("{secrets:?}").contains("hunter"));
        assert_eq!(secrets.redact("bad key hunter22!"), "bad key (hidden: KEY)!");
    }
}
