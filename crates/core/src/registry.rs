use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::Value;

use crate::{Agentic, Clock, Events, Fault, StateTable};

/// Whether a component may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The endpoint's lock is not held: it opens what is persisted and writes nothing.
    Read,
    /// The endpoint's lock is held.
    Write,
}

/// What a component is built from.
pub struct BuildContext<'a> {
    /// Its id: `endpoint_<folder>/<class>_<name>`.
    pub id: String,
    /// Its name in the configuration.
    pub name: &'a str,
    /// The endpoint's folder, absolute.
    pub folder: &'a Path,
    /// Its `extra_args`, references and paths resolved, secrets in clear.
    pub extra_args: &'a Value,
    /// The names of its tools.
    pub tools: &'a [String],
    /// Whether it may write.
    pub access: Access,
    /// Whether it may run the commands that its configuration names: the person said so, not the configuration.
    pub run_commands: bool,
    /// The zone of dates that name none.
    pub timezone: TimeZone,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Where its events go.
    pub events: Events,
}

/// What `status` may look at: nothing is built, nothing is run.
pub struct ItemView<'a> {
    /// Its name in the configuration.
    pub name: &'a str,
    /// The endpoint's folder, absolute.
    pub folder: &'a Path,
    /// Its `extra_args`, paths resolved, secrets hidden.
    pub extra_args: &'a Value,
}

/// Counts by name, in the order in which they are shown.
pub type Counts = BTreeMap<String, u64>;

/// A kind of component: how the command line tells the endpoint what it can build.
#[derive(Clone, Copy)]
pub struct Kind {
    /// The section of the configuration, e.g. `sources`.
    pub section: &'static str,
    /// The class in ids, e.g. `source`.
    pub class: &'static str,
    /// Its states.
    pub states: &'static StateTable,
    /// Returns the JSON Schema of `extra_args`.
    pub schema: fn() -> Value,
    /// Returns the counts that `status` shows, from small files only; empty when there are none yet.
    ///
    /// A count named `chunks_read:docs` is one of the item `docs`, and is shown there: a graph knows what was read of
    /// its sources.
    pub counts: fn(&ItemView<'_>) -> Counts,
    /// Makes the component in state INITIAL; opens and reads nothing.
    pub build: fn(BuildContext<'_>) -> Result<Arc<dyn Agentic>, Fault>,
}
