//! What a configuration says, as types.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The file that makes a folder an endpoint.
pub const MAIN_FILE: &str = "mge_endpoint.jsonc";

/// Where the state is saved unless the configuration says otherwise.
pub const AUTOPILOT_FILE: &str = "mge_endpoint_autopilot.json";

/// A section of a configuration: one kind of component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Corpora as index trees.
    Sources,
    /// Hierarchies of concepts and relations.
    Ontologies,
    /// What turns text into mentions and claims.
    Formalizers,
    /// The evidence graphs.
    EvidenceGraphs,
    /// Language models.
    Agents,
    /// Components of the user.
    CustomAgentics,
    /// Remote tools.
    ToolServices,
    /// Memories.
    Memories,
    /// Workflows.
    Workflows,
}

impl Section {
    /// All sections in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::Sources,
        Self::Ontologies,
        Self::Formalizers,
        Self::EvidenceGraphs,
        Self::Agents,
        Self::CustomAgentics,
        Self::ToolServices,
        Self::Memories,
        Self::Workflows,
    ];

    /// Returns the section's key in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sources => "sources",
            Self::Ontologies => "ontologies",
            Self::Formalizers => "formalizers",
            Self::EvidenceGraphs => "evidence_graphs",
            Self::Agents => "agents",
            Self::CustomAgentics => "custom_agentics",
            Self::ToolServices => "tool_services",
            Self::Memories => "memories",
            Self::Workflows => "workflows",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Section {
    type Err = UnknownSection;

    fn from_str(key: &str) -> Result<Self, UnknownSection> {
        Self::ALL
            .into_iter()
            .find(|section| section.as_str() == key)
            .ok_or_else(|| UnknownSection { key: key.to_owned() })
    }
}

/// A word that is no section's key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no section '{key}'")]
pub struct UnknownSection {
    /// The word.
    pub key: String,
}

/// A resolved configuration: no `$ref`, absolute paths, secrets only as markers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EndpointConfig {
    /// The endpoint's folder, absolute.
    pub folder: PathBuf,
    /// The folder's name, from which the endpoint's id is made.
    pub folder_name: String,
    /// The name that is shown; the folder's unless given.
    pub name: String,
    /// The day of creation, as written.
    pub creation_date: Option<String>,
    /// The version of `mge` that created the endpoint, as written.
    pub mge_version: Option<String>,
    /// The description, its lines joined.
    pub description: String,
    /// The time zone in which dates without one are read.
    pub timezone: String,
    /// Every section with its items in the order of the file; all nine are there.
    pub sections: IndexMap<Section, IndexMap<String, ItemConfig>>,
    /// The items whose capabilities are offered to the outside.
    pub expose: Vec<String>,
    /// How many tool calls one query may make.
    pub max_tool_calls_per_query: u32,
    /// Whether the history of tool calls is returned.
    pub tool_call_history: bool,
    /// What is loaded at the start; `None` is off.
    pub auto_pilot: Option<AutoPilot>,
    /// What is saved at the end; `None` is off.
    pub auto_save: Option<AutoSave>,
}

impl EndpointConfig {
    /// Returns the items of a section.
    #[must_use]
    pub fn section(&self, section: Section) -> &IndexMap<String, ItemConfig> {
        static EMPTY: std::sync::LazyLock<IndexMap<String, ItemConfig>> =
            std::sync::LazyLock::new(IndexMap::new);
        self.sections.get(&section).unwrap_or(&EMPTY)
    }

    /// Returns all items with their sections.
    pub fn items(&self) -> impl Iterator<Item = (Section, &ItemConfig)> {
        self.sections.iter().flat_map(|(section, items)| items.values().map(|item| (*section, item)))
    }
}

/// One component's configuration.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ItemConfig {
    /// The item's name, which is its key.
    pub name: String,
    /// What the component is built from; an object, with `{"$env": "NAME"}` where a secret belongs.
    pub extra_args: Value,
    /// The names of the items that it uses.
    pub tools: Vec<String>,
    /// The class of a custom component.
    pub class_name: Option<String>,
    /// The file of a custom component, absolute.
    pub path: Option<PathBuf>,
    /// The item's JSON pointer, such as `/sources/docs`.
    pub pointer: String,
}

/// What is loaded from the saved state at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoPilot {
    /// The parts of the state to load.
    #[serde(default = "state_only")]
    pub load: Vec<String>,
    /// The file, in the endpoint's folder.
    #[serde(default = "autopilot_file")]
    pub file_name: String,
}

/// What is saved when the endpoint closes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoSave {
    /// The parts of the state to save.
    #[serde(default = "state_only")]
    pub save: Vec<String>,
    /// The file, in the endpoint's folder.
    #[serde(default = "autopilot_file")]
    pub file_name: String,
}

impl Default for AutoPilot {
    fn default() -> Self {
        Self { load: state_only(), file_name: autopilot_file() }
    }
}

impl Default for AutoSave {
    fn default() -> Self {
        Self { save: state_only(), file_name: autopilot_file() }
    }
}

fn state_only() -> Vec<String> {
    vec!["state".to_owned()]
}

fn autopilot_file() -> String {
    AUTOPILOT_FILE.to_owned()
}

fn ten() -> u32 {
    10
}

fn utc() -> String {
    "UTC".to_owned()
}

/// The definition of an endpoint.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndpointFile {
    /// The JSON Schema that editors check this file with.
    #[serde(rename = "$schema", default)]
    #[expect(dead_code, reason = "for editors only")]
    schema: Option<String>,
    /// The name that is shown; the folder's name if absent.
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// The day on which the endpoint was created.
    #[serde(default)]
    pub(crate) creation_date: Option<String>,
    /// The version of mge that created the endpoint.
    #[serde(default)]
    pub(crate) mge_version: Option<String>,
    /// What the endpoint is for; a list is joined by newlines.
    #[serde(default)]
    pub(crate) description: Lines,
    /// The time zone in which dates without one are read.
    #[serde(default = "utc")]
    pub(crate) timezone: String,
    /// The corpora.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) sources: Items,
    /// The hierarchies of concepts, relations and known names.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) ontologies: Items,
    /// What turns text into mentions and claims.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) formalizers: Items,
    /// The evidence graphs.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) evidence_graphs: Items,
    /// The language models.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) agents: Items,
    /// The components of your own.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) custom_agentics: Items,
    /// The remote tools.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) tool_services: Items,
    /// The memories.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) memories: Items,
    /// The workflows.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) workflows: Items,
    /// The names of the items whose capabilities the endpoint offers.
    #[serde(default)]
    pub(crate) expose: Vec<String>,
    /// How many tool calls one query may make.
    #[serde(default = "ten")]
    #[schemars(range(max = 1_000_000))]
    pub(crate) max_tool_calls_per_query: u32,
    /// Whether answers come with the history of their tool calls.
    #[serde(default)]
    pub(crate) tool_call_history: bool,
    /// What is loaded from the saved state at the start; false is off.
    #[serde(default)]
    pub(crate) auto_pilot: Switch<AutoPilot>,
    /// What is saved when the endpoint closes; false is off.
    #[serde(default)]
    pub(crate) auto_save: Switch<AutoSave>,
}

pub(crate) type Items = IndexMap<String, ItemFile>;

impl EndpointFile {
    pub(crate) fn take(&mut self, section: Section) -> Items {
        std::mem::take(match section {
            Section::Sources => &mut self.sources,
            Section::Ontologies => &mut self.ontologies,
            Section::Formalizers => &mut self.formalizers,
            Section::EvidenceGraphs => &mut self.evidence_graphs,
            Section::Agents => &mut self.agents,
            Section::CustomAgentics => &mut self.custom_agentics,
            Section::ToolServices => &mut self.tool_services,
            Section::Memories => &mut self.memories,
            Section::Workflows => &mut self.workflows,
        })
    }
}

/// An item of a section.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ItemFile {
    /// The item's name; if given, the same as its key.
    #[serde(default)]
    #[expect(dead_code, reason = "it is checked to be the key")]
    name: Option<String>,
    /// What the component is built from.
    #[serde(default)]
    pub(crate) extra_args: Map<String, Value>,
    /// The names of the items that it uses.
    #[serde(default)]
    pub(crate) tools: Vec<String>,
    /// The class of a custom component.
    #[serde(default)]
    pub(crate) class_name: Option<String>,
    /// The file of a custom component.
    #[serde(default)]
    pub(crate) path: Option<String>,
}

/// A text that may be given as a list of its lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines(pub(crate) String);

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(Self::default()),
            Value::String(text) => Ok(Self(text)),
            lines => {
                let lines: Vec<String> = serde_json::from_value(lines).map_err(D::Error::custom)?;
                Ok(Self(lines.join("\n")))
            }
        }
    }
}

impl JsonSchema for Lines {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Lines".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "array", "null"], "items": {"type": "string"}})
    }
}

/// Something that is on with its defaults unless configured or switched off by `false` or `null`.
#[derive(Clone, Debug)]
pub(crate) struct Switch<T>(pub(crate) Option<T>);

impl<T: Default> Default for Switch<T> {
    fn default() -> Self {
        Self(Some(T::default()))
    }
}

impl<'de, T: Default + serde::de::DeserializeOwned> Deserialize<'de> for Switch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null | Value::Bool(false) => Ok(Self(None)),
            Value::Bool(true) => Ok(Self::default()),
            value => serde_json::from_value(value).map(|inner| Self(Some(inner))).map_err(D::Error::custom),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Switch<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // One level instead of alternatives, so that a wrong key inside gets its own message.
        let mut schema = T::json_schema(generator);
        schema.insert("type".to_owned(), Value::from(vec!["object", "boolean", "null"]));
        schema
    }
}
