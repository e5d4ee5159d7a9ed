//! The component: class `agentic_graph`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mge_core::{
    Access, Agentic, BoxFuture, BuildContext, Capability, Counts, EdgeRow, Events, Facets, Fault,
    FunctionCall, GraphRow, GraphRows, ItemView, Kind, OntologyRows, PilotContext, Problem, Request,
    Response, RunError, RunErrorKind, Standing, StateTable,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Answers, EdgeFilter, Part};
use crate::config::Settings;
use crate::graph::{EDGES, Graph, Origin};
use crate::load::{Loaded, load};
use crate::persist::{self, Replacement};

/// The states of an ontology.
static STATES: StateTable = StateTable {
    entries: &[
        (-2, "ERR_BUILDING"),
        (-1, "ERR_GRAPH_INIT"),
        (0, "INITIAL"),
        (1, "GRAPH_LOADED_OK"),
        (100, "READY"),
    ],
};

/// An ontology, as the endpoint builds it.
pub const KIND: Kind =
    Kind { section: "ontologies", class: "agentic_graph", states: &STATES, schema, counts, build };

const ERR_GRAPH_INIT: i32 = -1;
const GRAPH_LOADED_OK: i32 = 1;
/// The most entries in one list, where the configuration does not say.
const MAX_RESULTS: usize = 50;
/// `status` counts the rows of files up to this size.
const SMALL_FILE: u64 = 1 << 20;

fn schema() -> Value {
    schemars::schema_for!(Settings).to_value()
}

fn counts(item: &ItemView<'_>) -> Counts {
    let Ok(settings) = Settings::deserialize(item.extra_args) else { return Counts::new() };
    let small = |path: &Path| std::fs::metadata(path).is_ok_and(|file| file.len() <= SMALL_FILE);
    let store = settings.persistence.as_ref().and_then(|store| store.store_path().ok()).map(|(path, _)| path);
    let files =
        [&settings.initial_nodes, &settings.initial_edges].into_iter().flatten().map(|file| &file.path);
    if !files.chain(&store).all(|path| small(path) || !path.exists()) {
        return Counts::new();
    }
    let curated = Settings { persistence: None, ..settings };
    let Loaded { graph, .. } = load(&curated);
    let mut counts = Counts::new();
    counts.insert("nodes".to_owned(), graph.node_count() as u64);
    if curated.initial_edges.is_some() {
        counts.insert("edges".to_owned(), graph.edges().len() as u64);
    }
    if let Some(crawled) = store.and_then(|path| persist::count_crawled(&path)) {
        counts.insert("crawled".to_owned(), crawled);
    }
    counts
}

fn build(context: BuildContext<'_>) -> Result<Arc<dyn Agentic>, Fault> {
    let settings = Settings::deserialize(context.extra_args)
        .map_err(|error| Fault::new(format!("the extra_args of '{}' are wrong: {error}", context.name)))?;
    let max_results = settings.max_results.unwrap_or(MAX_RESULTS).max(1);
    let held = Held {
        id: context.id,
        name: context.name.to_owned(),
        settings,
        access: context.access,
        events: context.events,
        graph: Mutex::default(),
        curated: Mutex::default(),
    };
    Ok(Arc::new(Component { held: Arc::new(held), standing: Standing::default(), max_results }))
}

struct Component {
    held: Arc<Held>,
    standing: Standing,
    max_results: usize,
}

/// The graph, shared between the component and its face for the bulk road.
struct Held {
    id: String,
    name: String,
    settings: Settings,
    access: Access,
    events: Events,
    /// Absent before piloting and after its rows changed on disk; then it is read when it is needed.
    graph: Mutex<Option<Arc<Graph>>>,
    /// The curated rows take much more room than the graph: they are only kept while somebody uses them.
    curated: Mutex<Weak<GraphRows>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Held {
    /// Returns the graph, reading it first if need be.
    fn graph(&self) -> Result<Arc<Graph>, Fault> {
        let mut held = lock(&self.graph);
        if let Some(graph) = held.as_ref() {
            return Ok(graph.clone());
        }
        let loaded = load(&self.settings);
        if let Some(fault) = loaded.fault() {
            return Err(fault);
        }
        for note in loaded.notes {
            self.events.message(&self.id, note);
        }
        let graph = Arc::new(loaded.graph);
        *held = Some(graph.clone());
        Ok(graph)
    }

    fn store(&self) -> Option<PathBuf> {
        self.settings.persistence.as_ref()?.store_path().ok().map(|(path, _)| path)
    }

    /// Returns the file that curated rows of a kind come from.
    fn file(&self, edges: bool) -> Option<PathBuf> {
        let Settings { initial_nodes, initial_edges, .. } = &self.settings;
        if initial_nodes.is_none() && initial_edges.is_none() {
            return self.store();
        }
        let file = if edges { initial_edges } else { initial_nodes };
        file.as_ref().map(|file| file.path.clone())
    }
}

impl OntologyRows for Held {
    fn curated(&self) -> Result<Arc<GraphRows>, Fault> {
        let graph = self.graph()?;
        let mut kept = lock(&self.curated);
        if let Some(rows) = kept.upgrade() {
            return Ok(rows);
        }
        let rows = Arc::new(graph.curated());
        *kept = Arc::downgrade(&rows);
        Ok(rows)
    }

    fn node_place(&self, id: &str) -> Option<mge_core::Place> {
        let graph = self.graph().ok()?;
        let line = graph.line(graph.find(id)?);
        Some(mge_core::Place { file: self.file(false)?, line, column: None })
    }

    fn edge_place(&self, edge: &EdgeRow) -> Option<mge_core::Place> {
        let graph = self.graph().ok()?;
        let found = graph.find_edge(graph.find(&edge.src)?, graph.find(&edge.dst)?, &edge.id)?;
        Some(mge_core::Place { file: self.file(true)?, line: graph.edge_line(found), column: None })
    }

    fn replace_crawled(&self, graph: &str, rows: &mut dyn Iterator<Item = GraphRow>) -> Result<(), Fault> {
        let Some(path) = self.store() else {
            return Err(Fault::new(format!("'{}' keeps no rows of crawls", self.name)).hint(format!(
                "give it a place: \"persistence\": {{\"type\": \"jsonl\", \"$path\": \"graphs/{}.jsonl\"}}",
                self.name
            )));
        };
        if self.access == Access::Read {
            return Err(Fault::new(format!("'{}' is open for reading only", self.name))
                .hint("another process holds the endpoint's lock"));
        }
        let present = self.graph()?;
        persist::write(&path, &present, Some(Replacement { graph, rows }))?;
        *lock(&self.graph) = None;
        Ok(())
    }
}

impl Component {
    fn named(&self, capability: &str) -> String {
        format!("{capability}_{}", self.held.name)
    }

    fn check_graph(&self, graph: &Graph) -> Vec<Problem> {
        let warn = |level: u32, code: &str, message: String| {
            let problem = Problem::warning(code, message);
            match self.held.file(false) {
                Some(file) => problem.at(file, graph.line(level), None),
                None => problem,
            }
        };
        let mut problems = Vec::new();
        for level in graph.levels().filter(|level| graph.origin(*level) == Origin::Curated) {
            let id = graph.id(level);
            if id.split('|').any(|part| part.is_empty() || part != part.trim()) {
                let message = format!("a level of '{id}' is empty or has blanks around it");
                problems.push(warn(level, "odd-id", message));
            }
            if id.split('|').next() == Some(EDGES) {
                let message =
                    format!("'{id}' lies where edges are addressed; its index may be taken for theirs");
                problems.push(warn(level, "reserved-id", message));
            }
        }
        problems
    }
}

#[derive(Deserialize)]
struct ChildrenArguments {
    index: String,
    depth: Option<usize>,
    #[serde(default)]
    offset: usize,
}

#[derive(Deserialize)]
struct NodeArguments {
    index: String,
    #[serde(default)]
    ancestors: bool,
}

#[derive(Deserialize)]
struct SearchArguments {
    text: String,
    limit: Option<usize>,
    #[serde(default)]
    offset: usize,
}

#[derive(Deserialize)]
struct EdgesArguments {
    src: Option<String>,
    dst: Option<String>,
    relation: Option<String>,
    limit: Option<usize>,
    #[serde(default)]
    offset: usize,
}

#[derive(Deserialize)]
struct RelationsArguments {
    concept: String,
    inherited: Option<bool>,
    #[serde(default)]
    offset: usize,
}

#[derive(Deserialize)]
struct PathArguments {
    from: String,
    to: String,
}

impl Component {
    fn answer(&self, call: &FunctionCall) -> Result<Value, RunError> {
        let graph = self.held.graph().map_err(|fault| {
            let error = RunError::failed(fault.message.clone());
            fault.hint.map_or(error.clone(), |hint| error.hint(hint))
        })?;
        let answers = Answers { graph: &graph, name: &self.held.name, max_results: self.max_results };
        let part = |limit: Option<usize>, offset: usize| Part {
            offset,
            limit: limit.unwrap_or(self.max_results).clamp(1, self.max_results),
        };
        let name = call.name.strip_suffix(&format!("_{}", self.held.name)).unwrap_or_default();
        match name {
            "children_by_idx" => {
                let ChildrenArguments { index, depth, offset } = call.read()?;
                match depth {
                    None => answers.children(&index, offset),
                    Some(depth) => answers.tree(&index, depth, offset),
                }
            }
            "node_by_idx" => {
                let NodeArguments { index, ancestors } = call.read()?;
                if ancestors { answers.node_with_ancestors(&index) } else { answers.node(&index) }
            }
            "search" => {
                let SearchArguments { text, limit, offset } = call.read()?;
                Ok(answers.search(&text, part(limit, offset)))
            }
            "edges" => {
                let EdgesArguments { src, dst, relation, limit, offset } = call.read()?;
                let filter =
                    EdgeFilter { src: src.as_deref(), dst: dst.as_deref(), relation: relation.as_deref() };
                answers.edges(&filter, part(limit, offset))
            }
            "relations_for" => {
                let RelationsArguments { concept, inherited, offset } = call.read()?;
                Ok(answers.relations_for(&concept, inherited.unwrap_or(true), part(None, offset)))
            }
            "path" => {
                let PathArguments { from, to } = call.read()?;
                answers.path(&from, &to)
            }
            _ => Err(RunError::new(
                RunErrorKind::FailedToFindCapability,
                format!("'{}' has no capability '{}'", self.held.id, call.name),
            )),
        }
    }
}

impl Agentic for Component {
    fn id(&self) -> &str {
        &self.held.id
    }

    fn description(&self) -> String {
        self.held.settings.description.0.clone()
    }

    fn states(&self) -> &'static StateTable {
        &STATES
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn capabilities(&self) -> Vec<Capability> {
        let index = json!({
            "type": "string",
            "description": format!("an index such as {}|a|b; empty for the root", self.held.name),
        });
        let text = |description: &str| json!({"type": "string", "description": description});
        let offset = json!({"type": "integer", "minimum": 0, "description": "how many entries to pass over"});
        let limit = json!({"type": "integer", "minimum": 1, "description": "the most entries to return"});
        let list = |items: &str| json!({"type": "array", "description": items});
        vec![
            Capability::new(
                self.named("children_by_idx"),
                "Lists the indices directly below an index, or, with depth, ids and definitions as a tree.",
                json!({
                    "index": index,
                    "depth": {"type": "integer", "minimum": 1, "description": "how many levels"},
                    "offset": offset,
                }),
                &["index"],
                list("indices, or entries {id, definition, children | more}"),
            ),
            Capability::new(
                self.named("node_by_idx"),
                "Returns the attributes of the node or edge at an index.",
                json!({
                    "index": index,
                    "ancestors": {"type": "boolean", "description": "add the nodes above it"},
                }),
                &["index"],
                json!({"type": "object"}),
            ),
            Capability::new(
                self.named("search"),
                "Finds nodes by a part of their id, aliases, definition or cues, best first.",
                json!({"text": text("what to look for"), "limit": limit, "offset": offset}),
                &["text"],
                list("entries {id, definition}"),
            ),
            Capability::new(
                self.named("edges"),
                "Lists edges by the nodes at their ends, or below them, and by relation.",
                json!({
                    "src": text("the node that the edge leaves, or one above it"),
                    "dst": text("the node that the edge enters, or one above it"),
                    "relation": text("the relation, or one that it implies"),
                    "limit": limit,
                    "offset": offset,
                }),
                &[],
                list("entries {id, src, dst, and the edge's attributes}"),
            ),
            Capability::new(
                self.named("relations_for"),
                "Lists the relations that instances of a concept can have, as subject or as object.",
                json!({
                    "concept": text("a concept's id"),
                    "inherited": {"type": "boolean", "description": "with those of the concepts above (default)"},
                    "offset": offset,
                }),
                &["concept"],
                list("entries {id, src, dst, as, definition}"),
            ),
            Capability::new(
                self.named("path"),
                "Finds a shortest way between two nodes along edges, whatever their direction.",
                json!({"from": text("the node to start at"), "to": text("the node to reach")}),
                &["from", "to"],
                json!({"type": "object", "description": "{length, edges}; a length of null means that there is none"}),
            ),
        ]
    }

    fn advance<'a>(&'a self, _context: PilotContext<'a>) -> BoxFuture<'a, String> {
        Box::pin(async move {
            let graph = match self.held.graph() {
                Ok(graph) => graph,
                Err(fault) => {
                    self.held.events.error(&self.held.id, fault.message.clone());
                    let done = format!("could not read the graph: {fault}");
                    self.standing.fail(ERR_GRAPH_INIT, fault);
                    return done;
                }
            };
            let counts = format!("{} nodes and {} edges", graph.node_count(), graph.edges().len());
            if self.standing.state() == StateTable::INITIAL {
                self.standing.set(GRAPH_LOADED_OK);
                format!("read {counts}")
            } else {
                self.standing.set(StateTable::READY);
                format!("{counts} are ready")
            }
        })
    }

    fn run<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        Box::pin(async move {
            let call = request.call()?;
            let capabilities = self.capabilities();
            if let Some(capability) = capabilities.iter().find(|capability| capability.name == call.name) {
                capability.check(&call.arguments)?;
                self.standing.require_ready(&self.held.id, &STATES)?;
            }
            let answer = self.answer(call)?;
            Ok(Response { id: call.id.clone(), ..Response::stop(answer) })
        })
    }

    fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.held.settings.writable {
            let message = "'writable' has no effect yet: add_concept, update_concept, rename_concept and \
                           remove_concept are not offered";
            let hint = "change the files of initial_nodes and initial_edges instead";
            problems.push(Problem::warning("not-built", message).pointer("/writable").hint(hint));
        }
        // The files may have changed since they were read: a check looks at what is there now.
        let loaded = load(&self.held.settings);
        problems.extend(self.check_graph(&loaded.graph));
        problems.extend(loaded.problems);
        problems
    }

    fn close(&self, locked: bool) -> Result<(), Fault> {
        let Some(path) = self.held.store().filter(|_| locked && self.held.access == Access::Write) else {
            return Ok(());
        };
        // Only what was read is kept; a component that never got that far changes nothing.
        let Some(graph) = lock(&self.held.graph).take() else { return Ok(()) };
        if persist::import_of(&path)?.as_deref() == Some(graph.curated_digest().to_string().as_str()) {
            return Ok(());
        }
        Ok(persist::write(&path, &graph, None)?)
    }

    fn facets(&self) -> Facets {
        Facets { ontology: Some(self.held.clone()), ..Facets::default() }
    }
}
