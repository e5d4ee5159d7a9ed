//! What a source reads from its `extra_args`.

use std::collections::BTreeMap;
use std::fmt;

use mge_core::{Problem, near_names};
use schemars::{JsonSchema, Schema, json_schema};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a source is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// Markdown files as they are.
    #[default]
    MarkdownTree,
    /// Documents that are mirrored as Markdown.
    PdfMirror,
    /// A MediaWiki export.
    XmlStream,
}

impl SourceType {
    /// Returns the name as the configuration writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::MarkdownTree => "markdown_tree",
            Self::PdfMirror => "pdf_mirror",
            Self::XmlStream => "xml_stream",
        }
    }
}

/// Where a document's date comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DateFrom {
    /// `date` in the front matter.
    FrontMatter,
    /// A date in the file's name, e.g. `2021-05-03-minutes.md`.
    FileName,
    /// When the file was last changed.
    Mtime,
    /// Documents have no date.
    #[default]
    None,
}

/// When documents are converted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Convert {
    /// When it is first read, which the search index does while piloting.
    #[default]
    Lazy,
    /// While piloting.
    Eager,
}

/// How converted pages are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// One file a page.
    #[default]
    Files,
    /// One indexed container.
    Packed,
}

/// How far documents are believed, 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Authority {
    /// All alike.
    All(f64),
    /// By pattern; the first one that matches counts.
    ByGlob(Vec<GlobAuthority>),
}

/// How far the documents that match a pattern are believed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobAuthority {
    /// The pattern, as in `exclude`.
    pub glob: String,
    /// How far, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub authority: f64,
}

/// An outside program that converts documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConverterCommand {
    /// The program and its arguments; `{src}` and `{dst}` are replaced.
    pub command: Vec<String>,
    /// After how many seconds it is stopped.
    #[serde(default)]
    pub timeout_seconds: Option<u64>,
}

/// How a source is searched.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexConfig {
    /// Whether it is searched by words.
    #[serde(default)]
    pub lexical: Option<bool>,
    /// Whether it is searched by vectors.
    #[serde(default)]
    pub vector: Option<bool>,
    /// What makes the vectors: "hashing", which is built in.
    #[serde(default)]
    pub embedding: Option<Value>,
}

impl IndexConfig {
    /// The name of the embedder that is built in.
    const HASHING: &str = "hashing";

    /// Tells whether it is searched by words.
    pub fn is_lexical(&self) -> bool {
        self.lexical.unwrap_or(true)
    }

    /// Tells whether it is searched by vectors.
    pub fn is_vector(&self) -> bool {
        self.vector.unwrap_or(true)
    }
}

/// The `extra_args` of a source.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SourceConfig {
    /// What the source holds, for people and models; a list is joined by line breaks.
    #[serde(deserialize_with = "text_or_list")]
    #[schemars(schema_with = "text_or_list_schema")]
    pub description: Vec<String>,
    /// What it is made of.
    pub r#type: SourceType,
    /// Where original documents are, relative to the endpoint's folder.
    pub src_path: Option<String>,
    /// Where the Markdown files are, relative to the endpoint's folder.
    pub dst_path: Option<String>,
    /// How many entries a level may hold before they are clustered.
    #[schemars(range(min = 2))]
    pub cluster_size: usize,
    /// Endings of the files that belong to it, in any case, with or without dot; all files when empty.
    #[serde(deserialize_with = "text_or_list")]
    #[schemars(schema_with = "text_or_list_schema")]
    pub extensions: Vec<String>,
    /// Patterns of files and folders that do not belong to it, as in `.gitignore`.
    #[serde(deserialize_with = "text_or_list")]
    #[schemars(schema_with = "text_or_list_schema")]
    pub exclude: Vec<String>,
    /// How far its documents are believed.
    #[schemars(schema_with = "authority_schema")]
    pub authority: Option<Authority>,
    /// The language of its documents as a BCP 47 tag.
    pub language: Option<String>,
    /// Where a document's date comes from.
    pub date_from: DateFrom,
    /// When documents are converted.
    pub convert: Convert,
    /// An outside program that converts documents.
    pub converter: Option<ConverterCommand>,
    /// The original's name of a converter.
    pub pdf_to_markdown: Option<Value>,
    /// Which namespaces of a MediaWiki export are read.
    pub namespaces: Option<Vec<i32>>,
    /// How converted pages are kept.
    pub layout: Layout,
    /// How many parsed files are kept in memory.
    #[schemars(range(min = 1))]
    pub cache_size: usize,
    /// The largest file that is read, in bytes.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub max_file_bytes: u64,
    /// How it is searched; `false` for not at all, and nothing is kept for it.
    #[serde(deserialize_with = "index_or_false")]
    #[schemars(schema_with = "index_schema")]
    pub index: Option<IndexConfig>,
    /// Accepted from the original; parsed files are never saved.
    pub cache_save: Option<Value>,
    /// The original's `chroma_path` and `chroma_*_collection_name`: where the search index is, and its names.
    #[serde(skip)]
    #[schemars(skip)]
    pub chroma: BTreeMap<String, String>,
}

impl Default for SourceConfig {
    fn default() -> Self {
        Self {
            description: Vec::new(),
            r#type: SourceType::default(),
            src_path: None,
            dst_path: None,
            cluster_size: 256,
            extensions: Vec::new(),
            exclude: Vec::new(),
            authority: None,
            language: None,
            date_from: DateFrom::default(),
            convert: Convert::default(),
            converter: None,
            pdf_to_markdown: None,
            namespaces: None,
            layout: Layout::default(),
            cache_size: 1024,
            max_file_bytes: DEFAULT_MAX_FILE_BYTES,
            index: Some(IndexConfig::default()),
            cache_save: None,
            chroma: BTreeMap::new(),
        }
    }
}

/// 64 MiB: a larger text is an export to be split, and would hold several times its size in memory.
const DEFAULT_MAX_FILE_BYTES: u64 = 64 << 20;
/// Elements count bytes in 32 bits; a decoded file may be longer than its bytes.
const GREATEST_MAX_FILE_BYTES: u64 = 1 << 30;

impl SourceConfig {
    /// Reads `extra_args`; reports all that is wrong, together.
    ///
    /// # Errors
    /// Problems of severity error, each with its place.
    pub fn read(extra_args: &Value) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let given = match extra_args {
            Value::Null => Map::new(),
            Value::Object(given) => given.clone(),
            _ => {
                let problem = Problem::error("wrong-type", "extra_args of a source is an object").pointer("");
                return Err(vec![problem]);
            }
        };
        let mut known = Map::new();
        let mut chroma = BTreeMap::new();
        for (key, value) in given {
            let pointer = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
            if key.starts_with("x-") {
                continue;
            } else if is_chroma(&key) {
                match value {
                    Value::String(text) => {
                        chroma.insert(key, text);
                    }
                    Value::Null => {}
                    _ => problems
                        .push(Problem::error("wrong-type", format!("'{key}' is a text")).pointer(pointer)),
                }
            } else if !KEYS.contains(&key.as_str()) {
                let mut problem = Problem::error("unknown-key", format!("unknown key '{key}' in a source"))
                    .pointer(pointer);
                if let Some(near) = near_names(&key, KEYS).first() {
                    problem = problem.hint(format!("did you mean '{near}'?"));
                }
                problems.push(problem);
            } else {
                // One key at a time, so that every wrong one is reported. Null means the default.
                if value.is_null() {
                    continue;
                }
                let single = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
                match serde_json::from_value::<SourceConfig>(single) {
                    Ok(_) => {
                        known.insert(key, value);
                    }
                    Err(error) => {
                        let message = format!("'{key}' of a source: {}", lowercase(&error.to_string()));
                        problems.push(Problem::error("wrong-value", message).pointer(pointer));
                    }
                }
            }
        }
        let mut config: SourceConfig = match serde_json::from_value(Value::Object(known)) {
            Ok(config) => config,
            Err(error) => {
                problems.push(Problem::error("wrong-value", lowercase(&error.to_string())));
                return Err(problems);
            }
        };
        config.chroma = chroma;
        config.check(&mut problems);
        if problems.is_empty() { Ok(config) } else { Err(problems) }
    }

    fn check(&self, problems: &mut Vec<Problem>) {
        let mut wrong = |pointer: &str, message: String, hint: &str| {
            problems.push(Problem::error("wrong-value", message).pointer(pointer).hint(hint));
        };
        if self.cluster_size < 2 {
            let message =
                format!("'cluster_size' is {}, but a cluster holds at least 2 entries", self.cluster_size);
            wrong("/cluster_size", message, "leave it out for 256");
        }
        if self.cache_size < 1 {
            wrong("/cache_size", "'cache_size' is 0".to_owned(), "leave it out for 1024 files");
        }
        if !(1..=GREATEST_MAX_FILE_BYTES).contains(&self.max_file_bytes) {
            let message = format!("'max_file_bytes' is {}", self.max_file_bytes);
            wrong("/max_file_bytes", message, "it is between 1 and 1073741824; leave it out for 64 MiB");
        }
        let blank = |path: &Option<String>| path.as_ref().is_none_or(|path| path.trim().is_empty());
        if blank(&self.dst_path) {
            let message = "'dst_path' is missing: the folder with the Markdown files".to_owned();
            wrong("/dst_path", message, "it is relative to the endpoint's folder");
        }
        if self.r#type != SourceType::MarkdownTree && blank(&self.src_path) {
            let message = format!("'src_path' is missing: a {} needs its originals", self.r#type.name());
            wrong("/src_path", message, "it is relative to the endpoint's folder");
        }
        let within = |authority: f64| (0.0..=1.0).contains(&authority);
        match &self.authority {
            Some(Authority::All(authority)) if !within(*authority) => {
                wrong("/authority", format!("'authority' is {authority}"), "it is between 0 and 1");
            }
            Some(Authority::ByGlob(list)) => {
                for (position, entry) in list.iter().enumerate().filter(|(_, entry)| !within(entry.authority))
                {
                    let pointer = format!("/authority/{position}/authority");
                    wrong(&pointer, format!("'authority' is {}", entry.authority), "it is between 0 and 1");
                }
            }
            _ => {}
        }
        if self.converter.as_ref().is_some_and(|converter| converter.command.is_empty()) {
            wrong("/converter/command", "'command' is empty".to_owned(), "name the program first");
        }
        if let Some(index) = &self.index {
            if !index.is_lexical() && !index.is_vector() {
                let message = "'index' has neither words nor vectors to search by".to_owned();
                wrong("/index", message, "write \"index\": false for a source that is not searched");
            }
            if let Some(embedding) = index.embedding.as_ref().filter(|name| *name != IndexConfig::HASHING) {
                let message = format!("this version has no embedding {embedding}");
                wrong("/index/embedding", message, "leave it out for \"hashing\", which needs no model");
            }
        }
    }

    /// Returns the description as one text.
    pub fn description_text(&self) -> String {
        self.description.join("\n")
    }

    /// Returns the JSON Schema of `extra_args`.
    pub fn schema() -> Value {
        let mut schema = schemars::schema_for!(SourceConfig).to_value();
        if let Some(fields) = schema.as_object_mut() {
            let text = json_schema!({"type": ["string", "null"]}).to_value();
            let patterns = Map::from_iter([
                ("^x-".to_owned(), Value::Bool(true)),
                ("^chroma_path$".to_owned(), text.clone()),
                ("^chroma_[a-z_]+_collection_name$".to_owned(), text),
            ]);
            fields.insert("patternProperties".to_owned(), Value::Object(patterns));
        }
        schema
    }
}

const KEYS: [&str; 20] = [
    "description",
    "type",
    "src_path",
    "dst_path",
    "cluster_size",
    "extensions",
    "exclude",
    "authority",
    "language",
    "date_from",
    "convert",
    "converter",
    "pdf_to_markdown",
    "namespaces",
    "layout",
    "cache_size",
    "max_file_bytes",
    "index",
    "cache_save",
    "chroma_path",
];

fn is_chroma(key: &str) -> bool {
    key == "chroma_path" || (key.starts_with("chroma_") && key.ends_with("_collection_name"))
}

fn lowercase(message: &str) -> String {
    let mut characters = message.trim_end_matches('.').chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn text_or_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Texts;
    impl<'de> Visitor<'de> for Texts {
        type Value = Vec<String>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a text or a list of texts")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok(vec![text.to_owned()])
        }

        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut texts = Vec::new();
            while let Some(text) = list.next_element()? {
                texts.push(text);
            }
            Ok(texts)
        }
    }
    deserializer.deserialize_any(Texts)
}

fn text_or_list_schema(_: &mut schemars::SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "array", "null"], "items": {"type": "string"}})
}

impl<'de> Deserialize<'de> for Authority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Authority;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number from 0 to 1 or a list of {glob, authority}")
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
                Ok(Authority::All(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(Authority::All(number as f64))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Authority::All(number as f64))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = list.next_element()? {
                    entries.push(entry);
                }
                Ok(Authority::ByGlob(entries))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

fn authority_schema(generator: &mut schemars::SchemaGenerator) -> Schema {
    let entry = generator.subschema_for::<GlobAuthority>();
    json_schema!({"type": ["number", "array", "null"], "minimum": 0, "maximum": 1, "items": entry})
}

fn index_or_false<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<IndexConfig>, D::Error> {
    struct IndexOrFalse;
    impl<'de> Visitor<'de> for IndexOrFalse {
        type Value = Option<IndexConfig>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("{lexical, vector, embedding} or false")
        }

        fn visit_bool<E: de::Error>(self, wanted: bool) -> Result<Self::Value, E> {
            Ok(wanted.then(IndexConfig::default))
        }

        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(Some(IndexConfig::default()))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            IndexConfig::deserialize(de::value::MapAccessDeserializer::new(map)).map(Some)
        }
    }
    deserializer.deserialize_any(IndexOrFalse)
}

fn index_schema(generator: &mut schemars::SchemaGenerator) -> Schema {
    let index = generator.subschema_for::<IndexConfig>();
    json_schema!({"anyOf": [index, {"type": ["boolean", "null"]}]})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(extra_args: Value) -> Vec<String> {
        let found = SourceConfig::read(&extra_args).expect_err("it is wrong");
        found
            .into_iter()
            .map(|problem| {
                format!(
                    "{} {} {}",
                    problem.pointer.unwrap_or_default(),
                    problem.message,
                    problem.hint.unwrap_or_default()
                )
            })
            .collect()
    }

    #[test]
    fn the_keys_and_the_type_agree() {
        let schema = SourceConfig::schema();
        let properties: Vec<&str> =
            schema["properties"].as_object().expect("properties").keys().map(String::as_str).collect();
        let known: Vec<&str> = KEYS.into_iter().filter(|key| !is_chroma(key)).collect();
        assert_eq!(properties, known);
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn everything_of_the_specification_is_read() {
        let config = SourceConfig::read(&json!({
            "description": ["a", "b"], "type": "markdown_tree", "dst_path": "docs", "src_path": null,
            "cluster_size": 2, "extensions": ".md", "exclude": ["drafts/"],
            "authority": [{"glob": "a/*", "authority": 0.5}], "language": "en", "date_from": null,
            "convert": "eager", "converter": {"command": ["x", "{src}", "{dst}"]}, "namespaces": [0],
            "layout": "packed", "cache_size": 3, "index": false, "cache_save": true,
            "chroma_path": "c", "chroma_nodes_collection_name": "n", "x-note": {"any": 1},
            "pdf_to_markdown": "MDbyPDFoxide",
        }))
        .expect("it is right");
        assert_eq!(config.description_text(), "a\nb");
        assert_eq!(config.extensions, [".md"]);
        assert_eq!(config.date_from, DateFrom::None);
        assert_eq!(config.chroma.len(), 2);
        assert_eq!(config.index, None);
        let config = SourceConfig::read(&json!({"dst_path": "docs", "authority": 1})).expect("it is right");
        assert_eq!(config.authority, Some(Authority::All(1.0)));
        assert_eq!(config.date_from, DateFrom::None);
        assert_eq!((config.cluster_size, config.cache_size), (256, 1024));
        let index = config.index.expect("a source is searched unless it says otherwise");
        assert!(index.is_lexical() && index.is_vector());
        for given in [json!(true), json!(null), json!({}), json!({"embedding": "hashing"})] {
            let config =
                SourceConfig::read(&json!({"dst_path": "docs", "index": given})).expect("it is right");
            assert!(config.index.is_some_and(|index| index.is_lexical() && index.is_vector()), "{given}");
        }
    }

    #[test]
    fn an_index_that_cannot_be_is_an_error() {
        for (index, pointer, words) in [
            (json!({"lexical": false, "vector": false}), "/index ", "\"index\": false"),
            (json!({"embedding": {"url": "http://localhost"}}), "/index/embedding ", "\"hashing\""),
            (json!({"vectors": true}), "/index ", "`vector`"),
            (json!("lexical"), "/index ", "or false"),
        ] {
            let found = problems(json!({"dst_path": "docs", "index": index}));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(pointer) && found[0].contains(words), "{found:?}");
        }
    }

    #[test]
    fn all_problems_are_reported_together() {
        let found = problems(json!({
            "dst_paht": "docs", "cluster_size": 1, "type": "markdown", "authority": 2, "cache_size": "x"
        }));
        assert_eq!(found.len(), 6, "{found:#?}");
        assert!(found[0].contains("/dst_paht") && found[0].contains("did you mean 'dst_path'?"), "{found:?}");
        assert!(found.iter().any(|problem| problem.contains("/type") && problem.contains("pdf_mirror")));
    }

    #[test]
    fn fault_2_a_cluster_of_less_than_two_is_an_error() {
        for size in [0, 1] {
            let found = problems(json!({"dst_path": "docs", "cluster_size": size}));
            assert!(found[0].contains("at least 2"), "{found:?}");
        }
    }

    #[test]
    fn fault_15_a_mirror_without_originals_is_an_error() {
        let found = problems(json!({"type": "pdf_mirror", "dst_path": "docs", "src_path": null}));
        assert!(found[0].contains("'src_path' is missing"), "{found:?}");
    }
}
