use std::collections::BTreeMap;
use std::path::PathBuf;

use mge_core::{ChunkRule, Digest, Fault, Index, near_names};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::weigh::WeighRule;

/// How far a document is believed of which nobody says so.
pub(crate) const DEFAULT_AUTHORITY: f64 = 0.7;

/// What `extra_args` of an evidence graph may hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// What the graph is for; a list of lines is joined.
    #[serde(deserialize_with = "lines")]
    pub(crate) description: String,
    /// Where the graph is kept.
    pub(crate) persistence: Option<Persistence>,
    /// Who does what, by the names of tools.
    pub(crate) agentics: Agentics,
    /// Which tool plays which part of the ontology.
    pub(crate) ontologies: Ontologies,
    /// How evidence adds up.
    pub(crate) weighing: WeighRule,
    /// How far sources are believed, by name: a number, or the first of a list of globs that fits the document.
    pub(crate) authority: BTreeMap<String, Authority>,
    /// From which score on two names are merged, or laid before a person.
    pub(crate) merge: Merge,
    /// Below this belief an answer is "not known".
    pub(crate) support_floor: f64,
    /// How documents are cut.
    pub(crate) chunk: ChunkConfig,
    /// Offers the capabilities that change the graph.
    pub(crate) writable: bool,
}

/// Where a graph is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Persistence {
    /// `sqlite`; the original's `pickle` is taken as that.
    pub(crate) r#type: String,
    /// The folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<PathBuf>,
}

/// Who does what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Agentics {
    /// The formalizer that reads chunks.
    pub(crate) formalizer: Option<String>,
    /// Who names entities; null: built in.
    pub(crate) id_nodes: Option<String>,
    /// Who names claims; null: built in.
    pub(crate) id_edges: Option<String>,
    /// Who judges whether two names are one entity; null: built in.
    pub(crate) is_same: Option<String>,
    /// The sources to read; without any, all sources among the tools.
    #[serde(deserialize_with = "one_or_many")]
    pub(crate) sources: Vec<String>,
}

/// Which tool plays which part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Ontologies {
    /// The concepts.
    pub(crate) entities: String,
    /// The relations.
    pub(crate) relationships: Option<String>,
    /// The instances; what crawls find is added to it. Null: nothing is added.
    pub(crate) known_ids: Option<String>,
}

/// How far a source is believed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(untagged)]
#[serde(into = "Value")]
pub(crate) enum Authority {
    /// All of it alike, 0 to 1.
    All(f64),
    /// By document: the first pattern that fits counts.
    Globs(Vec<GlobAuthority>),
}

/// How far the documents of a pattern are believed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GlobAuthority {
    /// A pattern of paths below the source, e.g. `minutes/**`.
    pub(crate) glob: String,
    /// How far they are believed, 0 to 1.
    pub(crate) authority: f64,
}

/// When names are merged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Merge {
    /// At or above this score two clusters are one.
    pub(crate) auto: f64,
    /// From here on a person is asked.
    pub(crate) review: f64,
}

/// How documents are cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ChunkConfig {
    /// `paragraph`: a block of the document.
    pub(crate) unit: String,
    /// Title, headings and neighbours come along.
    pub(crate) context: bool,
    /// The most code points of a chunk.
    pub(crate) max_chars: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            description: String::new(),
            persistence: None,
            agentics: Agentics::default(),
            ontologies: Ontologies::default(),
            weighing: WeighRule::default(),
            authority: BTreeMap::new(),
            merge: Merge::default(),
            support_floor: 0.35,
            chunk: ChunkConfig::default(),
            writable: false,
        }
    }
}

impl Default for Ontologies {
    fn default() -> Self {
        Self {
            entities: "entities".to_owned(),
            relationships: Some("relationships".to_owned()),
            known_ids: Some("known_ids".to_owned()),
        }
    }
}

impl Default for Merge {
    fn default() -> Self {
        Self { auto: 0.92, review: 0.75 }
    }
}

impl Default for ChunkConfig {
    fn default() -> Self {
        Self { unit: "paragraph".to_owned(), context: true, max_chars: ChunkRule::default().max_chars }
    }
}

impl Config {
    /// Reads `extra_args`.
    pub(crate) fn read(extra_args: &Value) -> Result<Self, Fault> {
        let bare = without_free_keys(extra_args);
        if let Value::Object(fields) = &bare {
            let schema = serde_json::to_value(schemars::schema_for!(Self)).unwrap_or_default();
            let known: Vec<&str> = schema["properties"]
                .as_object()
                .into_iter()
                .flat_map(|known| known.keys().map(String::as_str))
                .collect();
            if let Some(key) = fields.keys().find(|key| !known.contains(&key.as_str())) {
                let fault = Fault::new(format!("unknown key '{key}' in extra_args"));
                return Err(match near_names(key, known).first() {
                    Some(near) => fault.hint(format!("did you mean '{near}'?")),
                    None => fault,
                });
            }
        }
        let bare = if bare.is_null() { Value::Object(serde_json::Map::new()) } else { bare };
        let config: Self =
            serde_json::from_value(bare).map_err(|error| Fault::new(format!("wrong extra_args: {error}")))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), Fault> {
        let within = |name: &str, value: f64| {
            if (0.0..=1.0).contains(&value) {
                Ok(())
            } else {
                Err(Fault::new(format!("'{name}' is {value}, but must lie between 0 and 1")))
            }
        };
        within("support_floor", self.support_floor)?;
        within("merge.auto", self.merge.auto)?;
        within("merge.review", self.merge.review)?;
        for (source, authority) in &self.authority {
            match authority {
                Authority::All(value) => within(&format!("authority.{source}"), *value)?,
                Authority::Globs(globs) => {
                    globs
                        .iter()
                        .try_for_each(|glob| within(&format!("authority.{source}"), glob.authority))?;
                }
            }
        }
        if self.chunk.unit != "paragraph" {
            return Err(
                Fault::new(format!("unknown chunk unit '{}'", self.chunk.unit)).hint("write \"paragraph\"")
            );
        }
        if self.chunk.max_chars < 100 {
            return Err(Fault::new(format!("'chunk.max_chars' is {}, less than 100", self.chunk.max_chars)));
        }
        match self.persistence.as_ref().map(|persistence| persistence.r#type.as_str()) {
            None | Some("sqlite" | "pickle") => Ok(()),
            Some(other) => {
                Err(Fault::new(format!("unknown persistence type '{other}'")).hint("write \"sqlite\""))
            }
        }
    }

    /// Tells whether the original's way of keeping a graph is asked for, which is taken as ours.
    pub(crate) fn is_pickle(&self) -> bool {
        self.persistence.as_ref().is_some_and(|persistence| persistence.r#type == "pickle")
    }

    /// Returns the folder of the graph. A path that names the original's file loses its extension.
    pub(crate) fn folder(&self, endpoint: &std::path::Path, name: &str) -> PathBuf {
        match self.persistence.as_ref().and_then(|persistence| persistence.path.as_ref()) {
            Some(path) if self.is_pickle() => endpoint.join(path.with_extension("")),
            Some(path) => endpoint.join(path),
            None => endpoint.join("graphs").join(name),
        }
    }

    /// Returns how documents are cut.
    pub(crate) fn rule(&self) -> ChunkRule {
        ChunkRule { max_chars: self.chunk.max_chars }
    }

    /// Returns how far a document is believed: what is set here, else what its source says, else the default.
    pub(crate) fn authority(&self, source: &str, document: &Index, stated: Option<f64>) -> f64 {
        let path = document.as_str().strip_prefix(source).map_or("", |rest| rest.trim_start_matches('|'));
        let set = match self.authority.get(source) {
            Some(Authority::All(value)) => Some(*value),
            Some(Authority::Globs(globs)) => {
                globs.iter().find(|glob| fits(&glob.glob, path)).map(|glob| glob.authority)
            }
            None => None,
        };
        set.or(stated).unwrap_or(DEFAULT_AUTHORITY)
    }

    /// Returns a digest of what decides about derived state.
    pub(crate) fn law_digest(&self, ontology: Digest) -> Digest {
        let text = serde_json::to_string(&(&self.weighing, &self.authority)).unwrap_or_default();
        Digest::of_parts([b"law 1".as_slice(), &ontology.0, text.as_bytes()])
    }
}

/// Tells whether a pattern fits a path: `*` and `?` stay within a level, `**` does not.
fn fits(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    // Which prefixes of the path the levels of the pattern so far can cover.
    let mut covered = vec![false; path.len() + 1];
    covered[0] = true;
    for level in glob {
        let mut next = vec![false; path.len() + 1];
        if level == "**" {
            let first = covered.iter().position(|is| *is).unwrap_or(covered.len());
            next[first.min(path.len() + 1)..].fill(true);
        } else {
            for at in 0..path.len() {
                next[at + 1] = covered[at] && fits_level(level, path[at]);
            }
        }
        covered = next;
    }
    covered[path.len()]
}

fn fits_level(glob: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let mut covered = vec![false; name.len() + 1];
    covered[0] = true;
    for sign in glob.chars() {
        let mut next = vec![false; name.len() + 1];
        if sign == '*' {
            let first = covered.iter().position(|is| *is).unwrap_or(covered.len());
            next[first.min(name.len() + 1)..].fill(true);
        } else {
            for at in 0..name.len() {
                next[at + 1] = covered[at] && (sign == '?' || sign == name[at]);
            }
        }
        covered = next;
    }
    covered[name.len()]
}

/// Drops the keys that people may use freely: those that begin with `x-`, and comments on the schema.
fn without_free_keys(value: &Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .filter(|(key, _)| !key.starts_with("x-"))
                .map(|(key, value)| (key.clone(), without_free_keys(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

impl From<Authority> for Value {
    fn from(authority: Authority) -> Self {
        match authority {
            Authority::All(value) => Value::from(value),
            Authority::Globs(globs) => serde_json::to_value(globs).unwrap_or_default(),
        }
    }
}

impl<'de> Deserialize<'de> for Authority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(number) => Ok(Self::All(number.as_f64().unwrap_or(-1.0))),
            list @ Value::Array(_) => {
                serde_json::from_value(list).map(Self::Globs).map_err(serde::de::Error::custom)
            }
            _ => Err(serde::de::Error::custom("an authority is a number, or a list of {glob, authority}")),
        }
    }
}

fn lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text),
        Value::Array(lines) => {
            let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
            Ok(lines.join("\n"))
        }
        _ => Err(serde::de::Error::custom("a description is a text or a list of texts")),
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(Vec::new()),
        Value::String(one) => Ok(vec![one]),
        list @ Value::Array(_) => serde_json::from_value(list).map_err(serde::de::Error::custom),
        _ => Err(serde::de::Error::custom("sources is a list of names")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_specification_s_example_is_read() {
        let config = Config::read(&json!({
            "description": ["What the", "documents claim."],
            "persistence": {"type": "pickle", "path": "/tmp/x/e_graph.pickle"},
            "agentics": {"formalizer": "rules", "id_nodes": "rules", "id_edges": "rules", "is_same": null, "sources": ["demo"]},
            "weighing": "noisy_or", "authority": {"demo": 0.8, "wiki": [{"glob": "a/**", "authority": 0.5}]},
            "merge": {"auto": 0.92, "review": 0.75}, "support_floor": 0.35,
            "chunk": {"unit": "paragraph", "context": true, "max_chars": 4000},
            "writable": false, "x-note": {"any": "thing"}
        }))
        .unwrap();
        assert!(config.is_pickle());
        assert_eq!(config.folder(std::path::Path::new("/e"), "g"), PathBuf::from("/tmp/x/e_graph"));
        assert_eq!(config.description, "What the\ndocuments claim.");
        let of = |source: &str, index: &str| config.authority(source, &Index::new(index), Some(0.3));
        assert_eq!(
            (of("demo", "demo|a.md"), of("wiki", "wiki|a/b/c.md"), of("wiki", "wiki|b.md")),
            (0.8, 0.5, 0.3)
        );
        assert_eq!(config.authority("other", &Index::new("other|a"), None), DEFAULT_AUTHORITY);
        assert!(Config::read(&Value::Null).is_ok());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (wrong, said) in [
            (json!({"wieghing": "max"}), "wieghing"),
            (json!({"weighing": "mx"}), "mx"),
            (json!({"support_floor": 1.5}), "support_floor"),
            (json!({"authority": {"a": -0.5}}), "authority.a"),
            (json!({"persistence": {"type": "redis"}}), "redis"),
            (json!({"agentics": {"formaliser": "x"}}), "formaliser"),
            (json!({"chunk": {"max_chars": 3}}), "max_chars"),
        ] {
            let fault = Config::read(&wrong).unwrap_err();
            assert!(fault.message.contains(said), "{}", fault.message);
        }
        assert_eq!(
            Config::read(&json!({"wieghing": "max"})).unwrap_err().hint.as_deref(),
            Some("did you mean 'weighing'?")
        );
    }

    #[test]
    fn patterns_keep_to_their_level() {
        for (glob, path, is) in [
            ("**", "a/b.md", true),
            ("*.md", "a.md", true),
            ("*.md", "a/b.md", false),
            ("a/**", "a/b/c.md", true),
            ("**/c.md", "a/b/c.md", true),
            ("**/c.md", "c.md", true),
            ("a/?.md", "a/b.md", true),
            ("a/?.md", "a/bc.md", false),
        ] {
            assert_eq!(fits(glob, path), is, "{glob} {path}");
        }
    }
}
