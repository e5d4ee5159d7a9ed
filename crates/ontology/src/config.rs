//! What an ontology reads from its `extra_args`.

use std::path::{Path, PathBuf};

use mge_core::{Problem, near_names};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The `extra_args` of an ontology.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What the graph holds, for people and agents.
    #[serde(default)]
    pub description: Description,
    /// The file with the nodes to start from.
    #[serde(default)]
    pub initial_nodes: Option<FileSetting>,
    /// The file with the edges to start from.
    #[serde(default)]
    pub initial_edges: Option<FileSetting>,
    /// How these files are written; without it, columns `src`, `dst` and `id`, separated by tabs.
    #[serde(default)]
    pub file_format: Option<FileFormat>,
    /// Where the live graph is kept, with what crawls add to it.
    #[serde(default)]
    pub persistence: Option<FileSetting>,
    /// The most entries in one list; 50 without it.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_results: Option<usize>,
    /// Whether agents may change concepts and relations.
    #[serde(default)]
    pub writable: bool,
}

/// A file and how it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSetting {
    /// `csv` or `jsonl`.
    pub r#type: String,
    /// The file; `$path` is relative to the endpoint.
    pub path: PathBuf,
}

/// How files of rows are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileFormat {
    /// The column with the node that an edge leaves; `src` without it.
    #[serde(default = "src")]
    pub src: String,
    /// The column with the node that an edge enters; `dst` without it.
    #[serde(default = "dst")]
    pub dst: String,
    /// The column with the id; `id` without it.
    #[serde(default = "id")]
    pub id: String,
    /// Only directed graphs are supported.
    #[serde(default = "directed")]
    pub directed: bool,
    /// The character between cells; a comma without it.
    #[serde(default = "comma")]
    pub sep: String,
}

fn src() -> String {
    "src".to_owned()
}

fn dst() -> String {
    "dst".to_owned()
}

fn id() -> String {
    "id".to_owned()
}

fn directed() -> bool {
    true
}

fn comma() -> String {
    ",".to_owned()
}

/// Text that a configuration may write as a list of lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Description(pub String);

impl Serialize for Description {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Description {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(Self::default()),
            Value::String(text) => Ok(Self(text)),
            list => Vec::<String>::deserialize(list)
                .map(|lines| Self(lines.join("\n")))
                .map_err(|_| D::Error::custom("a description is a text or a list of lines")),
        }
    }
}

impl JsonSchema for Description {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Description".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}},
            {"type": "null"},
        ]})
    }
}

impl Default for FileFormat {
    /// What holds without a `file_format`: tabs, where a format that names no `sep` has commas.
    fn default() -> Self {
        Self { src: src(), dst: dst(), id: id(), directed: true, sep: "\t".to_owned() }
    }
}

impl FileFormat {
    /// Returns the separator; `None` when it is no single byte that can stand between cells.
    pub(crate) fn separator(&self) -> Option<u8> {
        match self.sep.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Some(*byte),
            _ => None,
        }
    }
}

/// The forms in which rows can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFormat {
    Csv,
    JsonLines,
}

/// The types of a file of rows.
const ROW_TYPES: [&str; 2] = ["csv", "jsonl"];
/// The types of a persisted graph; `pickle` only in old configurations.
const STORE_TYPES: [&str; 1] = ["jsonl"];

impl FileSetting {
    /// Returns how the rows of the file are written, or what is wrong with the setting.
    pub(crate) fn row_format(&self, key: &str) -> Result<RowFormat, Box<Problem>> {
        match self.r#type.as_str() {
            "csv" => Ok(RowFormat::Csv),
            "jsonl" => Ok(RowFormat::JsonLines),
            "pickle" => {
                // The file may be the only copy: it is neither opened nor replaced.
                let (from, to) = (self.path.display(), self.path.with_extension("csv"));
                let message = format!("'{from}' is a pickle, which can run any program when it is opened");
                let hint = format!(
                    "convert it: python3 -c \"import pandas; pandas.read_pickle('{from}').to_csv('{}', sep='\\t', \
                     index=False)\", then set \"type\": \"csv\"",
                    to.display()
                );
                Err(Box::new(Problem::error("pickle", message).pointer(format!("/{key}/type")).hint(hint)))
            }
            other => Err(unknown_type(other, key, &ROW_TYPES)),
        }
    }

    /// Returns the file of the persisted graph, and whether it had to be renamed; or what is wrong.
    pub(crate) fn store_path(&self) -> Result<(PathBuf, bool), Box<Problem>> {
        match self.r#type.as_str() {
            "jsonl" => Ok((self.path.clone(), false)),
            "pickle" => Ok((without_pickle(&self.path), true)),
            other => Err(unknown_type(other, "persistence", &STORE_TYPES)),
        }
    }
}

fn unknown_type(given: &str, key: &str, known: &[&str]) -> Box<Problem> {
    let message = format!("the type of '{key}' is '{given}', but it can be {}", known.join(" or "));
    let problem = Problem::error("unknown-type", message).pointer(format!("/{key}/type"));
    match near_names(given, known.iter().copied()).first() {
        Some(near) => Box::new(problem.hint(format!("did you mean '{near}'?"))),
        None => Box::new(problem),
    }
}

/// Puts our extension where a pickle's was, so that the old file stays untouched.
fn without_pickle(path: &Path) -> PathBuf {
    path.with_extension("jsonl")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_originals_keys_are_read() {
        let settings: Settings = serde_json::from_value(json!({
            "description": ["The", "concepts."],
            "initial_nodes": {"type": "csv", "path": "/e/nodes.csv"},
            "initial_edges": null,
            "persistence": {"type": "pickle", "path": "/e/graphs/known.pickle"},
            "file_format": {"src": "from", "dst": "to", "id": "key", "directed": true},
        }))
        .expect("it is valid");
        assert_eq!(settings.description.0, "The\nconcepts.");
        assert_eq!(settings.file_format.and_then(|format| format.separator()), Some(b','));
        assert_eq!(FileFormat::default().separator(), Some(b'\t'));
        let store = settings.persistence.expect("it is set").store_path();
        assert_eq!(store, Ok((PathBuf::from("/e/graphs/known.jsonl"), true)));
        assert!(serde_json::from_value::<Settings>(json!({"initial_node": null})).is_err());
    }

    #[test]
    fn a_pickle_is_refused_with_its_conversion() {
        let file = FileSetting { r#type: "pickle".to_owned(), path: "/e/a.pickle".into() };
        let problem = file.row_format("initial_nodes").expect_err("it is a pickle");
        assert_eq!(problem.pointer.as_deref(), Some("/initial_nodes/type"));
        assert!(
            problem.hint.is_some_and(|hint| hint.contains("read_pickle('/e/a.pickle').to_csv('/e/a.csv'"))
        );
        let typo = FileSetting { r#type: "csvs".to_owned(), path: "/e/a".into() };
        let problem = typo.row_format("initial_nodes").expect_err("it is no type");
        assert_eq!(problem.hint.as_deref(), Some("did you mean 'csv'?"));
    }
}
