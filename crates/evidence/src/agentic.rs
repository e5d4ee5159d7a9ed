//! The component: its states, its tools, and the capability that writes. What reads is in `agentic_read`.

use std::sync::Arc;

use mge_core::{
    Access, Agentic, BoxFuture, BuildContext, Cancel, Capability, Counts, CrawlOrder, CrawlRequest,
    EvidenceGraph, Facets, Fault, FunctionCall, GraphError, Index, ItemView, Kind, PilotContext, Problem,
    Request, Response, RunError, RunErrorKind, Standing, StateTable, Verdict, near_names,
};
use serde::Deserialize;
use serde_json::json;

use crate::agentic_read::{Readable, capabilities, run};
use crate::config::Config;
use crate::curate::Asked;
use crate::graph::{Graph, held};
use crate::stats::Stats;

const ERR_BUILDING: i32 = -2;
const ERR_GRAPH_INIT: i32 = -1;
const GRAPH_LOADED_OK: i32 = 1;

static STATES: StateTable = StateTable {
    entries: &[
        (ERR_BUILDING, "ERR_BUILDING"),
        (ERR_GRAPH_INIT, "ERR_GRAPH_INIT"),
        (StateTable::INITIAL, "INITIAL"),
        (GRAPH_LOADED_OK, "GRAPH_LOADED_OK"),
        (StateTable::READY, "READY"),
    ],
};

/// Evidence graphs, as an endpoint builds them.
pub const KIND: Kind = Kind {
    section: "evidence_graphs",
    class: "evidence_graph",
    states: &STATES,
    schema: || serde_json::to_value(schemars::schema_for!(Config)).unwrap_or_default(),
    counts,
    build,
};

fn counts(item: &ItemView<'_>) -> Counts {
    let folder = Config::read(item.extra_args).ok().map(|config| config.folder(item.folder, item.name));
    folder.and_then(|folder| Stats::read(&folder)).map_or_else(Counts::new, |stats| stats.counts())
}

fn build(context: BuildContext<'_>) -> Result<Arc<dyn Agentic>, Fault> {
    let config = Config::read(context.extra_args)?;
    if config.is_pickle() {
        context.events.message(
            &context.id,
            format!(
                "persistence of type 'pickle' is kept as sqlite in '{}'",
                config.folder(context.folder, context.name).display()
            ),
        );
    }
    let folder = config.folder(context.folder, context.name);
    let graph = Graph::new(
        context.id,
        context.name.to_owned(),
        folder,
        config,
        context.access,
        context.clock,
        context.events,
    );
    Ok(Arc::new(EvidenceComponent { graph: Arc::new(graph), standing: Standing::default() }))
}

/// An evidence graph behind the face that all components share.
struct EvidenceComponent {
    graph: Arc<Graph>,
    standing: Standing,
}

/// The arguments of a crawl.
#[derive(Debug, Default, Deserialize)]
struct CrawlArguments {
    #[serde(default)]
    index: String,
    max_chunks: Option<u64>,
    max_seconds: Option<u64>,
    order: Option<String>,
}

/// The arguments of a decision.
#[derive(Debug, Deserialize)]
struct Decided {
    left: String,
    right: String,
    who: String,
    why: String,
}

impl EvidenceComponent {
    fn crawl_name(&self) -> String {
        format!("crawl_{}", self.graph.name)
    }

    fn crawl_capability(&self) -> Capability {
        Capability::new(
            self.crawl_name(),
            format!(
                "Reads the documents below an index of a source into the evidence graph '{}'. What is unchanged since \
                 an earlier crawl is skipped.",
                self.graph.name
            ),
            json!({
                "index": {"type": "string", "description": "The node to read below, e.g. 'docs' or 'docs|guide/start.md'; empty for all sources."},
                "max_chunks": {"type": "integer", "minimum": 0, "description": "The most chunks to read."},
                "max_seconds": {"type": "integer", "minimum": 0, "description": "The most seconds to take."},
                "order": {"type": "string", "description": "'document' (default), 'outline' for headings first, or 'query:<question>' for the most relevant first."}
            }),
            &["index"],
            json!({"type": "object", "description": "What was read, skipped, found and left."}),
        )
    }

    fn curating_capabilities(&self) -> [Capability; 2] {
        let name = &self.graph.name;
        let entity = || json!({"type": "string", "minLength": 1, "description": "The id of an entity, present or former."});
        let capability = |verb: &str, description: &str| {
            Capability::new(
                format!("{verb}_{name}"),
                description,
                json!({
                    "left": entity(), "right": entity(),
                    "who": {"type": "string", "minLength": 1, "description": "Who decides."},
                    "why": {"type": "string", "minLength": 1, "description": "The reason."}
                }),
                &["left", "right", "who", "why"],
                json!({"type": "object", "properties": {"version": {"const": 1}, "same": {"type": "boolean"}}}),
            )
        };
        [
            capability(
                "merge",
                "Decides that two entities are one. It wins over all else, and 'split' takes it back.",
            ),
            capability(
                "split",
                "Decides that two names are two entities. It wins over all else, and 'merge' takes it back.",
            ),
        ]
    }

    fn decide(&self, call: &FunctionCall, same: bool) -> Result<Response, RunError> {
        let Decided { left, right, who, why } = call.read()?;
        let asked = Asked { same, left: &left, right: &right, who: &who, why: &why };
        self.graph.decide(&asked).map_err(run_error)?;
        Ok(Response::stop(json!({"version": 1, "same": same, "left": left, "right": right})))
    }

    fn crawl(&self, call: &FunctionCall) -> Result<Response, RunError> {
        let arguments: CrawlArguments = call.read()?;
        let order = match arguments.order.as_deref() {
            None | Some("" | "document") => CrawlOrder::Document,
            Some("outline") => CrawlOrder::Outline,
            Some(order) => match order.strip_prefix("query:") {
                Some(question) if !question.trim().is_empty() => {
                    CrawlOrder::Query(question.trim().to_owned())
                }
                _ => {
                    return Err(RunError::invalid(format!("unknown order '{order}'"))
                        .hint("write document, outline or query:<question>"));
                }
            },
        };
        let roots = if arguments.index.is_empty() { Vec::new() } else { vec![Index::new(arguments.index)] };
        let request = CrawlRequest {
            roots,
            max_chunks: arguments.max_chunks,
            max_seconds: arguments.max_seconds,
            order,
            ..CrawlRequest::default()
        };
        let events = self.graph.events.clone();
        let report = self.graph.crawl(&request, &Cancel::default(), &mut |event| {
            if let mge_core::CrawlEvent::Warning { message } = event {
                events.message(&self.graph.id, message);
            }
        });
        let report = report.map_err(run_error)?;
        Ok(Response::stop(serde_json::to_value(report).map_err(|error| RunError::failed(error.to_string()))?))
    }

    /// Reads the unread chunks that are most relevant to a question.
    fn read_on(&self, question: &str, chunks: u64) -> Result<(), RunError> {
        let order = CrawlOrder::Query(question.to_owned());
        let request = CrawlRequest { max_chunks: Some(chunks), order, ..CrawlRequest::default() };
        self.graph.crawl(&request, &Cancel::default(), &mut |_| {}).map_err(run_error)?;
        Ok(())
    }

    /// Finds names in the configuration that no tool has.
    fn unknown_names(&self) -> Vec<Problem> {
        let tools = held(&self.graph.tools);
        let agentics = &self.graph.config.agentics;
        let ontologies = &self.graph.config.ontologies;
        let single = [
            ("/agentics/formalizer", agentics.formalizer.as_deref()),
            ("/agentics/id_nodes", agentics.id_nodes.as_deref()),
            ("/agentics/id_edges", agentics.id_edges.as_deref()),
            ("/agentics/is_same", agentics.is_same.as_deref()),
            ("/ontologies/entities", Some(ontologies.entities.as_str())),
            ("/ontologies/relationships", ontologies.relationships.as_deref()),
        ];
        let mut asked: Vec<(String, &str)> =
            single.into_iter().filter_map(|(pointer, name)| Some((pointer.to_owned(), name?))).collect();
        for (position, name) in agentics.sources.iter().enumerate() {
            asked.push((format!("/agentics/sources/{position}"), name));
        }
        for name in self.graph.config.authority.keys() {
            asked.push((format!("/authority/{name}"), name));
        }
        asked
            .into_iter()
            .filter(|(_, name)| !tools.names.iter().any(|known| known == name))
            .map(|(pointer, name)| {
                let near = near_names(name, tools.names.iter().map(String::as_str));
                let hint = near.first().map_or_else(
                    || format!("add '{name}' to the tools of this graph"),
                    |near| format!("did you mean '{near}'?"),
                );
                Problem::error("unknown-tool", format!("'{name}' is not among the tools"))
                    .pointer(pointer)
                    .hint(hint)
            })
            .collect()
    }
}

/// Tells a failure of a graph as that of a request.
pub(crate) fn run_error(error: GraphError) -> RunError {
    let message = error.to_string();
    match error {
        GraphError::Invalid { hint, .. } => with_hint(RunError::invalid(message), hint),
        GraphError::NotReady { .. } => RunError::new(RunErrorKind::InvalidState, message),
        GraphError::NotFound { .. } => RunError::new(RunErrorKind::FailedToFindCapability, message),
        GraphError::Store { hint, .. } => with_hint(RunError::failed(message), hint),
        GraphError::System { .. } => RunError::failed(message),
    }
}

fn with_hint(mut error: RunError, hint: Option<String>) -> RunError {
    error.hint = hint;
    error
}

impl Agentic for EvidenceComponent {
    fn id(&self) -> &str {
        &self.graph.id
    }

    fn description(&self) -> String {
        self.graph.config.description.clone()
    }

    fn states(&self) -> &'static StateTable {
        &STATES
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn capabilities(&self) -> Vec<Capability> {
        let mut all = capabilities(&self.graph.name);
        if self.graph.access == Access::Write {
            all.push(self.crawl_capability());
            if self.graph.config.writable {
                all.extend(self.curating_capabilities());
            }
        }
        all
    }

    fn advance<'a>(&'a self, _context: PilotContext<'a>) -> BoxFuture<'a, String> {
        Box::pin(async move {
            if self.standing.state() == StateTable::INITIAL {
                return match self.graph.open() {
                    Ok(done) => {
                        self.standing.set(GRAPH_LOADED_OK);
                        done
                    }
                    Err(error) => {
                        let fault = Fault::from(error).at(self.graph.folder.clone(), None, None);
                        self.standing.fail(ERR_GRAPH_INIT, fault);
                        "the store cannot be opened".to_owned()
                    }
                };
            }
            let problems = self.unknown_names();
            let built = match problems.into_iter().next() {
                Some(problem) => Err(Fault { message: problem.message, place: None, hint: problem.hint }),
                None => self.graph.formalizer().and_then(|_| self.graph.learn()),
            };
            match built {
                Ok(()) => {
                    self.standing.set(StateTable::READY);
                    "learnt the ontology".to_owned()
                }
                Err(fault) => {
                    self.standing.fail(ERR_BUILDING, fault);
                    "the graph cannot be built".to_owned()
                }
            }
        })
    }

    fn run<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        Box::pin(async move {
            let call = request.call()?;
            match self.dry_run(request) {
                Verdict { status: 0, .. } => {}
                Verdict { status: 1, .. } => self.standing.require_ready(&self.graph.id, &STATES)?,
                Verdict { description, .. } => {
                    // The verdict has no hint; the check itself does.
                    let known = self.capabilities();
                    let capability = known.iter().find(|capability| capability.name == call.name);
                    return Err(match capability {
                        Some(capability) => capability
                            .check(&call.arguments)
                            .err()
                            .unwrap_or_else(|| RunError::invalid(description)),
                        None => RunError::new(RunErrorKind::FailedToFindCapability, description),
                    });
                }
            }
            if call.name == self.crawl_name() {
                return self.crawl(call);
            }
            for (verb, same) in [("merge", true), ("split", false)] {
                if call.name == format!("{verb}_{}", self.graph.name) {
                    return self.decide(call, same);
                }
            }
            let law = self.graph.law().map_err(run_error)?;
            let read_on = |question: &str, chunks: u64| self.read_on(question, chunks);
            let readable = Readable {
                name: &self.graph.name,
                folder: &self.graph.folder,
                law: &law,
                floor: self.graph.config.support_floor,
                now: self.graph.now(),
                read_on: (self.graph.access == Access::Write).then_some(&read_on),
            };
            run(&readable, call).unwrap_or_else(|| {
                let message = format!("'{}' has no capability '{}'", self.graph.id, call.name);
                Err(RunError::new(RunErrorKind::FailedToFindCapability, message))
            })
        })
    }

    fn add_tool(&self, name: &str, tool: Arc<dyn Agentic>) -> Result<(), Fault> {
        let facets = tool.facets();
        let mut tools = held(&self.graph.tools);
        let agentics = &self.graph.config.agentics;
        let named = [&agentics.id_nodes, &agentics.id_edges, &agentics.is_same];
        let mut used = named.into_iter().any(|role| role.as_deref() == Some(name));
        if let Some(corpus) = facets.corpus {
            tools.corpora.insert(name.to_owned(), corpus);
            used = true;
        }
        if let Some(formalizer) = facets.formalizer {
            tools.formalizers.insert(name.to_owned(), formalizer);
            used = true;
        }
        if let Some(ontology) = facets.ontology {
            tools.ontologies.insert(name.to_owned(), ontology);
            used = true;
        }
        if !used {
            return Err(Fault::new(format!("an evidence graph has no use for '{name}'"))
                .hint("its tools are sources, a formalizer and ontologies"));
        }
        tools.names.push(name.to_owned());
        Ok(())
    }

    fn check(&self) -> Vec<Problem> {
        let mut problems = self.unknown_names();
        if self.graph.corpora().is_empty() {
            problems.push(
                Problem::warning("no-source", "no source is among the tools: there is nothing to crawl")
                    .pointer("/agentics/sources"),
            );
        }
        if self.graph.config.agentics.formalizer.is_none()
            && let Err(fault) = self.graph.formalizer()
        {
            let problem = Problem::error("no-formalizer", fault.message).pointer("/agentics/formalizer");
            problems.push(fault.hint.into_iter().fold(problem, Problem::hint));
        }
        if let Some(stats) = Stats::read(&self.graph.folder) {
            problems.extend(stats.problems());
        }
        problems
    }

    fn facets(&self) -> Facets {
        let graph: Arc<dyn EvidenceGraph> = self.graph.clone();
        Facets { graph: Some(graph), ..Facets::default() }
    }
}
