use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use jiff::tz::TimeZone;
use mge_config::lock::{self, Claim, Lock};
use mge_config::{Diagnostic, EndpointConfig, ItemConfig, Loaded, Section};
use mge_core::{
    Access, Agentic, BuildContext, Capability, Clock, EventSink, Events, Fault, Meta, Severity, Standing,
    StateTable, SystemClock,
};

use crate::error::OpenError;
use crate::expose::Table;
use crate::link::{self, Part};
use crate::registry::Registry;
use crate::saved::{Saved, fingerprint};
use crate::stand_in::{StandIn, class_of, states_of};
use crate::states::{ALL_READY, ERR_LINKING, ERR_LOADING_OBJ, LINKED_OBJ, LOADED_OBJ};

/// How an endpoint is opened.
pub struct OpenOptions {
    /// Write takes the lock; read needs none and writes nothing.
    pub access: Access,
    /// Whether components may run the commands that the configuration names.
    pub run_commands: bool,
    /// What the lock's marker says is running, e.g. `mge crawl`.
    pub command: String,
    /// How long to wait for another writer before giving up.
    pub wait: Duration,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Where events go.
    pub sink: Option<Arc<dyn EventSink>>,
}

impl OpenOptions {
    /// Opens for reading.
    pub fn read() -> Self {
        Self {
            access: Access::Read,
            run_commands: false,
            command: String::new(),
            wait: Duration::ZERO,
            clock: Arc::new(SystemClock),
            sink: None,
        }
    }

    /// Opens for writing, as the named command.
    pub fn write(command: impl Into<String>) -> Self {
        Self { access: Access::Write, command: command.into(), ..Self::read() }
    }
}

/// A folder of configuration and graphs, and the components that it describes.
///
/// Opening reads the configuration only. Piloting builds, links and readies the components; closing saves the state
/// and frees the lock.
pub struct Endpoint {
    pub(crate) id: String,
    pub(crate) loaded: Loaded,
    pub(crate) registry: Registry,
    pub(crate) access: Access,
    run_commands: bool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) events: Events,
    pub(crate) standing: Standing,
    pub(crate) parts: RwLock<Parts>,
    pub(crate) saved: Option<Saved>,
    lock: Mutex<Option<Lock>>,
    closed: AtomicBool,
}

/// What piloting has made so far.
#[derive(Default)]
pub(crate) struct Parts {
    /// The components in the order of the configuration.
    pub(crate) items: Vec<Item>,
    /// Positions in `items`, tools before their users.
    pub(crate) levels: Vec<Vec<usize>>,
    /// The capabilities that callers may use.
    pub(crate) exposed: Table,
    /// The capabilities of all components.
    pub(crate) all: Table,
}

/// One component.
#[derive(Clone)]
pub(crate) struct Item {
    pub(crate) section: Section,
    pub(crate) name: String,
    pub(crate) tools: Vec<String>,
    pub(crate) component: Arc<dyn Agentic>,
    /// It is what it stands for; otherwise it only tells why it is not, and has no use as a tool.
    pub(crate) is_built: bool,
}

impl Endpoint {
    /// Opens the endpoint in a folder; nothing is built yet.
    ///
    /// # Errors
    /// All errors of the configuration together, or who holds the lock.
    pub fn open(folder: &Path, registry: &Registry, options: OpenOptions) -> Result<Self, OpenError> {
        let loaded = mge_config::load(
            folder,
            &mge_config::Options { schemas: registry.schemas(), ..Default::default() },
        );
        if loaded.has_errors() {
            return Err(OpenError::Configuration(loaded.diagnostics));
        }
        let lock = match options.access {
            Access::Read => None,
            Access::Write => {
                let claim = Claim::new(&options.command, || SystemClock.stamp()).waiting(options.wait);
                Some(lock::lock(&loaded.config.folder, &claim)?)
            }
        };
        let events = Events::new(options.sink, options.clock.clone());
        let id = format!("endpoint_{}", loaded.config.folder_name);
        if let Some(notice) = lock.as_ref().and_then(Lock::notice) {
            events.message(&id, notice);
        }
        let saved = loaded.config.auto_pilot.as_ref().and_then(|auto| {
            let file = loaded.config.folder.join(&auto.file_name);
            Saved::read(&file)
        });
        Ok(Self {
            id,
            loaded,
            registry: registry.clone(),
            access: options.access,
            run_commands: options.run_commands,
            clock: options.clock,
            events,
            standing: Standing::default(),
            parts: RwLock::default(),
            saved,
            lock: Mutex::new(lock),
            closed: AtomicBool::new(false),
        })
    }

    /// Returns the configuration.
    pub fn config(&self) -> &EndpointConfig {
        &self.loaded.config
    }

    /// Returns what the lock had to say when it was taken: that an earlier holder died.
    pub fn lock_notice(&self) -> Option<String> {
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        lock.as_ref().and_then(Lock::notice).map(str::to_owned)
    }

    /// Returns a component by name, once it is built.
    pub fn component(&self, name: &str) -> Option<Arc<dyn Agentic>> {
        self.parts().items.iter().find(|item| item.name == name).map(|item| item.component.clone())
    }

    /// Returns the names of a section's items, in the order of the configuration.
    pub fn names_of(&self, section: Section) -> Vec<&str> {
        self.loaded.config.section(section).keys().map(String::as_str).collect()
    }

    /// Returns all capabilities of all components with their components' names, once all are ready.
    pub fn all_capabilities(&self) -> Vec<(String, Capability)> {
        self.parts().all.values().cloned().collect()
    }

    /// Returns what the endpoint, or one of its items, says of itself, without piloting anything.
    ///
    /// The state is the one that the last close saved.
    ///
    /// # Errors
    /// The endpoint cannot be built, linked or exposed, or there is no such item.
    pub fn describe(&self, item: Option<&str>) -> Result<Meta, Fault> {
        self.build()?;
        let linked = self.link();
        if let Some((_, fault)) = linked.err().and_then(|faults| faults.into_iter().next()) {
            return Err(fault);
        }
        self.expose()?;
        let saved = self.saved_state();
        let state = |name: &str| {
            saved.and_then(|saved| saved.items.get(name).copied()).unwrap_or(StateTable::INITIAL)
        };
        match item {
            None => Ok(Meta { state: saved.map_or(StateTable::INITIAL, |saved| saved.state), ..self.meta() }),
            Some(name) => match self.component(name) {
                Some(component) => Ok(Meta { state: state(name), ..component.meta() }),
                None => Err(Fault::new(format!("there is no item '{name}'"))),
            },
        }
    }

    /// Finds what is wrong with the endpoint, without piloting anything: all at once, with positions.
    pub fn check(&self) -> Vec<Diagnostic> {
        let mut found = self.loaded.diagnostics.clone();
        if let Err(fault) = self.build() {
            found.push(self.at_fault("cannot-build", &fault));
            return found;
        }
        let linked = self.link();
        let errors = linked.err().unwrap_or_default();
        found.extend(errors.iter().map(|(pointer, fault)| {
            let diagnostic = self.loaded.diagnostic_at(
                pointer,
                &fault.message,
                fault.hint.clone(),
                mge_config::Severity::Error,
            );
            diagnostic.with_code("cannot-link")
        }));
        let parts = self.parts();
        let names: Vec<&str> = parts.items.iter().map(|item| item.name.as_str()).collect();
        if let Err(fault) = crate::expose::selection(&self.loaded.config.expose, &names) {
            let diagnostic =
                self.loaded.diagnostic_at("/expose", &fault.message, fault.hint, mge_config::Severity::Error);
            found.push(diagnostic.with_code("cannot-expose"));
        }
        if !errors.is_empty() {
            // Components are only asked once their tools are there.
            return found;
        }
        let is_missing =
            |tool: &String| parts.items.iter().any(|other| other.name == *tool && !other.is_built);
        // Who lacks a tool that could not be built would only complain of the lack; the tool says why itself.
        for item in parts.items.iter().filter(|item| !item.tools.iter().any(is_missing)) {
            let base = format!("/{}/{}", item.section.as_str(), item.name);
            // An ontology that cannot be read says so itself, with the place; its users would only repeat it.
            let own = item.component.check().into_iter().filter(|problem| {
                item.section == Section::Ontologies || problem.code != "unreadable-ontology"
            });
            found.extend(own.map(|problem| self.diagnostic(&base, problem)));
        }
        found
    }

    fn diagnostic(&self, base: &str, problem: mge_core::Problem) -> Diagnostic {
        let severity = match problem.severity {
            Severity::Error => mge_config::Severity::Error,
            Severity::Warning => mge_config::Severity::Warning,
        };
        if let Some(place) = problem.place {
            let mut diagnostic = Diagnostic::error(problem.code, problem.message)
                .with_severity(severity)
                .with_hint(problem.hint)
                .with_file(place.file);
            diagnostic.line = place.line;
            diagnostic.column = place.column;
            return diagnostic;
        }
        let pointer = match &problem.pointer {
            Some(pointer) => format!("{base}/extra_args{pointer}"),
            None => base.to_owned(),
        };
        self.loaded.diagnostic_at(&pointer, &problem.message, problem.hint, severity).with_code(problem.code)
    }

    fn at_fault(&self, code: &'static str, fault: &Fault) -> Diagnostic {
        let diagnostic = Diagnostic::error(code, fault.message.clone()).with_hint(fault.hint.clone());
        match &fault.place {
            Some(place) => diagnostic.with_file(place.file.clone()),
            None => diagnostic,
        }
    }

    pub(crate) fn parts(&self) -> std::sync::RwLockReadGuard<'_, Parts> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn parts_mut(&self) -> std::sync::RwLockWriteGuard<'_, Parts> {
        self.parts.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Builds every item of every section. INITIAL becomes LOADED_OBJ.
    pub(crate) fn build(&self) -> Result<(), Fault> {
        let config = &self.loaded.config;
        let built: Result<Vec<Item>, Fault> =
            config.items().map(|(section, item)| self.build_item(section, item)).collect();
        match built {
            Ok(items) => {
                self.parts_mut().items = items;
                self.standing.set(LOADED_OBJ);
                Ok(())
            }
            Err(fault) => {
                self.fail(ERR_LOADING_OBJ, fault.clone());
                Err(fault)
            }
        }
    }

    fn build_item(&self, section: Section, item: &ItemConfig) -> Result<Item, Fault> {
        let kind = self.registry.kind(section);
        let class = kind.map_or_else(|| class_of(section.as_str()), |kind| kind.class);
        let id = format!("{}/{class}_{}", self.id, item.name);
        let missing = self.loaded.missing_env(item);
        let is_built = kind.is_some() && missing.is_empty();
        let component: Arc<dyn Agentic> = match (kind, missing.first()) {
            (None, _) => Arc::new(StandIn::not_available(id, section.as_str(), &item.name)),
            (Some(kind), Some(missing)) => {
                let fault = Fault::new(missing.to_string()).hint(missing.hint());
                Arc::new(StandIn::unset(id, kind.states, fault))
            }
            (Some(kind), None) => {
                let exposed = self.loaded.expose_secrets(&item.extra_args);
                let extra_args =
                    exposed.map_err(|missing| Fault::new(missing.to_string()).hint(missing.hint()))?;
                (kind.build)(BuildContext {
                    id,
                    name: &item.name,
                    folder: &self.loaded.config.folder,
                    extra_args: &extra_args,
                    tools: &item.tools,
                    access: self.access,
                    run_commands: self.run_commands,
                    timezone: TimeZone::get(&self.loaded.config.timezone).unwrap_or(TimeZone::UTC),
                    clock: self.clock.clone(),
                    events: self.events.clone(),
                })?
            }
        };
        Ok(Item { section, name: item.name.clone(), tools: item.tools.clone(), component, is_built })
    }

    /// Finds each item's tools and hands them over. LOADED_OBJ becomes LINKED_OBJ.
    ///
    /// Each error comes with the JSON pointer of the item it concerns.
    pub(crate) fn link(&self) -> Result<(), Vec<(String, Fault)>> {
        let mut parts = self.parts_mut();
        let views: Vec<Part<'_>> = parts
            .items
            .iter()
            .map(|item| Part { section: item.section.as_str(), name: &item.name, tools: &item.tools })
            .collect();
        let result = match link::order(&views) {
            Ok(levels) => hand_over(&parts.items, &levels).map(|()| levels),
            Err(errors) => {
                Err(errors.iter().map(|error| (self.link_pointer(error), link_fault(error))).collect())
            }
        };
        match result {
            Ok(levels) => {
                parts.levels = levels;
                self.standing.set(LINKED_OBJ);
                Ok(())
            }
            Err(faults) => {
                let all: Vec<&str> = faults.iter().map(|(_, fault)| fault.message.as_str()).collect();
                let hint = faults.iter().find_map(|(_, fault)| fault.hint.clone());
                self.fail(ERR_LINKING, Fault { hint, ..Fault::new(all.join("; ")) });
                Err(faults)
            }
        }
    }

    fn link_pointer(&self, error: &link::LinkError) -> String {
        let name = match error {
            link::LinkError::Duplicate { name, second, .. } => return format!("/{second}/{name}"),
            link::LinkError::Missing { user, .. } => user,
            link::LinkError::Cycle { path } => match path.first() {
                Some(first) => first,
                None => return String::new(),
            },
        };
        let item = self.loaded.config.items().find(|(_, item)| item.name == *name);
        item.map_or_else(String::new, |(section, item)| format!("/{}/{}/tools", section.as_str(), item.name))
    }

    /// Moves to an error state and says so in the log.
    pub(crate) fn fail(&self, state: i32, fault: Fault) {
        self.events.error(&self.id, format!("{}: {fault}", crate::STATES.name(state)));
        self.standing.fail(state, fault);
    }

    /// Closes every component once, saves the state, and frees the lock.
    pub(crate) fn close_all(&self) -> Result<(), Fault> {
        if self.closed.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let locked = self.access == Access::Write;
        let mut first_fault = None;
        {
            let parts = self.parts();
            // Users before their tools: a component may still need its tools to close.
            let order = parts.levels.iter().rev().flatten().copied();
            let unlinked = (0..parts.items.len()).filter(|_| parts.levels.is_empty());
            for position in order.chain(unlinked) {
                let item = &parts.items[position];
                if let Err(fault) = item.component.close(locked) {
                    self.events.error(item.component.id(), fault.to_string());
                    first_fault.get_or_insert(fault);
                }
            }
        }
        if locked && let Err(fault) = self.save() {
            first_fault.get_or_insert(fault);
        }
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(lock) = lock
            && let Err(error) = lock.release()
        {
            first_fault.get_or_insert(Fault::new(error.to_string()));
        }
        first_fault.map_or(Ok(()), Err)
    }

    /// Writes the state down for the next process, where the configuration asks for it.
    pub(crate) fn save(&self) -> Result<(), Fault> {
        let config = &self.loaded.config;
        let Some(auto) =
            config.auto_save.as_ref().filter(|auto| auto.save.iter().any(|part| part == "state"))
        else {
            return Ok(());
        };
        let state = self.standing.state();
        if state == StateTable::INITIAL {
            // Nothing was piloted: what the last close saved still holds.
            return Ok(());
        }
        if state < 0 && self.saved_state().is_some() {
            // What failed now is what the next process tries again; what was persisted can still be read.
            return Ok(());
        }
        let parts = self.parts();
        let state_of = |item: &Item| item.component.standing().state().max(StateTable::INITIAL);
        let items = parts.items.iter().map(|item| (item.name.clone(), state_of(item))).collect();
        let saved = Saved {
            version: crate::saved::VERSION,
            state: state.max(0),
            items,
            capabilities: parts.exposed.keys().cloned().collect(),
            configuration: self.fingerprint(),
        };
        let file = config.folder.join(&auto.file_name);
        mge_config::write_atomically(&file, &saved.to_bytes())
            .map_err(|error| Fault::new(error.to_string()).at(file, None, None))
    }

    /// Returns the digest of what the saved state depends on.
    pub(crate) fn fingerprint(&self) -> String {
        fingerprint(self.loaded.resolved(), &self.loaded.config.folder)
    }

    /// Returns the saved state, if it holds for the configuration as it is now.
    pub(crate) fn saved_state(&self) -> Option<&Saved> {
        let fingerprint = self.fingerprint();
        // A file of the original bears no digest, and is believed.
        let holds = |saved: &&Saved| saved.configuration.is_empty() || saved.configuration == fingerprint;
        self.saved.as_ref().filter(holds)
    }

    /// Returns the states of a section's items.
    pub fn states_of(&self, section: Section) -> &'static StateTable {
        self.registry.kind(section).map_or_else(|| states_of(section.as_str()), |kind| kind.states)
    }

    /// Tells whether every capability is known and requests run.
    pub fn is_ready(&self) -> bool {
        self.standing.state() == ALL_READY
    }
}

fn link_fault(error: &link::LinkError) -> Fault {
    let fault = Fault::new(error.to_string());
    match error {
        link::LinkError::Missing { near, .. } => match near.first() {
            Some(near) => fault.hint(format!("did you mean '{near}'?")),
            None => fault.hint("add an item of that name, or take it out of \"tools\""),
        },
        link::LinkError::Duplicate { .. } => {
            fault.hint("names are unique in the whole endpoint: rename one of the two")
        }
        link::LinkError::Cycle { .. } => fault.hint("take one of these tools away"),
    }
}

fn hand_over(items: &[Item], levels: &[Vec<usize>]) -> Result<(), Vec<(String, Fault)>> {
    let mut faults = Vec::new();
    for item in levels.iter().flatten().map(|position| &items[*position]) {
        for tool in &item.tools {
            // Who has a tool that was not built is not asked: piloting stops at the tool, which comes first.
            let found = items.iter().find(|other| other.name == *tool && other.is_built);
            let given = found.map_or(Ok(()), |found| item.component.add_tool(tool, found.component.clone()));
            if let Err(fault) = given {
                faults.push((format!("/{}/{}/tools", item.section.as_str(), item.name), fault));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        // Whoever did not close cannot be told of a failure any more; the log is.
        if let Err(fault) = self.close_all() {
            self.events.error(&self.id, fault.to_string());
        }
    }
}
