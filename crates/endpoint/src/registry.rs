use std::collections::BTreeMap;

use mge_config::Section;
use mge_core::Kind;
use serde_json::Value;

/// The kinds of components that an endpoint can have. The composition root fills it.
#[derive(Clone, Default)]
pub struct Registry {
    kinds: Vec<Kind>,
}

impl Registry {
    /// Makes a registry of kinds; of two kinds for one section the later counts.
    pub fn new(kinds: Vec<Kind>) -> Self {
        Self { kinds }
    }

    /// Returns the kind of a section's items.
    pub(crate) fn kind(&self, section: Section) -> Option<&Kind> {
        self.kinds.iter().rev().find(|kind| kind.section == section.as_str())
    }

    /// Returns the JSON Schema of `extra_args` for each section that has a kind.
    pub fn schemas(&self) -> BTreeMap<Section, Value> {
        let kinds = Section::ALL.iter().filter_map(|section| Some((*section, self.kind(*section)?)));
        kinds.map(|(section, kind)| (section, (kind.schema)())).collect()
    }
}
