use indexmap::IndexMap;
use mge_config::lock::{self, LockView};
use mge_core::{Counts, ItemView};
use serde::Serialize;

use crate::endpoint::Endpoint;
use crate::states::TOOLS_ARE_READY;

/// What `mge status` tells: read from the configuration and small files; nothing is piloted, locked or written.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// The version of this shape.
    pub version: u32,
    /// The endpoint's id.
    pub id: String,
    /// Its folder, absolute.
    pub path: String,
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// When it was made, as the configuration says.
    pub creation_date: String,
    /// With which version it was made, as the configuration says.
    pub mge_version: String,
    /// The state that the last close saved.
    pub state: StateView,
    /// Why the saved state no longer holds, if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Who writes to it.
    pub lock: LockView,
    /// The exposed capabilities, as of the last close.
    pub capabilities: Vec<String>,
    /// The items by section and name.
    pub sections: IndexMap<String, IndexMap<String, ItemStatus>>,
}

/// A state by number and name.
#[derive(Debug, Clone, Serialize)]
pub struct StateView {
    /// The number.
    pub code: i32,
    /// The name.
    pub name: &'static str,
}

/// One item.
#[derive(Debug, Clone, Serialize)]
pub struct ItemStatus {
    /// Its id.
    pub id: String,
    /// Its state at the last close.
    pub state: StateView,
    /// What it holds.
    pub counts: Counts,
}

impl Endpoint {
    /// Returns what `mge status` tells.
    pub fn status(&self) -> Status {
        let config = self.config();
        let saved = self.saved_state();
        let code = saved.map_or(0, |saved| saved.state);
        let lost = self.saved.is_some() && saved.is_none();
        let sections = config.sections.iter().map(|(section, items)| {
            let kind = self.registry.kind(*section);
            let class = kind.map_or_else(|| crate::stand_in::class_of(section.as_str()), |kind| kind.class);
            let states = self.states_of(*section);
            let items =
                items.values().map(|item| {
                    let view =
                        ItemView { name: &item.name, folder: &config.folder, extra_args: &item.extra_args };
                    let ready = saved.is_some_and(|saved| saved.state >= TOOLS_ARE_READY);
                    let code = saved
                        .and_then(|saved| saved.items.get(&item.name).copied())
                        .unwrap_or(if ready { mge_core::StateTable::READY } else { 0 });
                    let status = ItemStatus {
                        id: format!("{}/{class}_{}", self.id, item.name),
                        state: StateView { code, name: states.name(code) },
                        counts: kind.map(|kind| (kind.counts)(&view)).unwrap_or_default(),
                    };
                    (item.name.clone(), status)
                });
            (section.as_str().to_owned(), items.collect())
        });
        let mut sections: IndexMap<String, IndexMap<String, ItemStatus>> = sections.collect();
        share_counts(&mut sections);
        Status {
            version: 1,
            id: self.id.clone(),
            path: config.folder.to_string_lossy().into_owned(),
            name: config.name.clone(),
            description: config.description.clone(),
            creation_date: config.creation_date.clone().unwrap_or_default(),
            mge_version: config.mge_version.clone().unwrap_or_default(),
            state: StateView { code, name: crate::STATES.name(code) },
            note: lost.then(|| "the configuration changed since the last pilot".to_owned()),
            lock: lock::inspect(&config.folder),
            capabilities: saved.map(|saved| saved.capabilities.clone()).unwrap_or_default(),
            sections,
        }
    }
}

/// Moves each count that an item has of another one, such as `chunks_read:docs`, to that other item. Where several
/// items count the same, the highest stands: one graph may have read more of a source than another.
fn share_counts(sections: &mut IndexMap<String, IndexMap<String, ItemStatus>>) {
    let mut shared = Vec::new();
    for item in sections.values_mut().flat_map(IndexMap::values_mut) {
        item.counts.retain(|name, count| match name.split_once(':') {
            Some((name, owner)) => {
                shared.push((owner.to_owned(), name.to_owned(), *count));
                false
            }
            None => true,
        });
    }
    for (owner, name, count) in shared {
        // What is counted of an item that is gone is nobody's.
        if let Some(item) = sections.values_mut().find_map(|items| items.get_mut(&owner)) {
            let shown = item.counts.entry(name).or_default();
            *shown = count.max(*shown);
        }
    }
}
