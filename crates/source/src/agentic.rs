//! The component: states and capabilities of a source.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use jiff::tz::TimeZone;
use mge_core::{
    Access, Agentic, BoxFuture, BuildContext, Cancel, Capability, ChunkRule, Clock, Corpus, CorpusError,
    Counts, Document, Documents, Events, Facets, Fault, FoundChunk, FunctionCall, Index, ItemView, Kind,
    NoProgress, PilotContext, Problem, Progress, Request, Response, RunError, RunErrorKind, Standing,
    StateTable,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::config::{SourceConfig, SourceType};
use crate::error::{OpenError, run_error};
use crate::index::{Asked, FindError, SourceIndex, SyncError, Synced, Work};
use crate::open::{Opening, Setup};
use crate::shelf::Rules;
use crate::source::{MOST_ROWS, Source};

const INIT_OK: i32 = 1;
const READY_OK: i32 = 2;
const ERR_INIT: i32 = -1;
const ERR_INDEX: i32 = -2;
const ERR_DB_SETUP: i32 = -20;

/// The states of a source, as the original names them.
pub(crate) const STATES: StateTable = StateTable {
    entries: &[
        (ERR_DB_SETUP, "ERR_DB_SETUP"),
        (-3, "ERR_MAKER_ACCESS"),
        (ERR_INDEX, "ERR_MAKER_INDEX"),
        (ERR_INIT, "ERR_MAKER_INIT"),
        (StateTable::INITIAL, "INITIAL"),
        (INIT_OK, "MAKER_INIT_OK"),
        (READY_OK, "MAKER_READY_OK"),
        (StateTable::READY, "READY"),
    ],
};

/// What the command line registers: the items of the section `sources`.
pub const KIND: Kind = Kind {
    section: "sources",
    class: "source",
    states: &STATES,
    schema: SourceConfig::schema,
    counts,
    build,
};

/// Makes a source in state INITIAL.
fn build(context: BuildContext<'_>) -> Result<Arc<dyn Agentic>, Fault> {
    let config = SourceConfig::read(context.extra_args);
    let index = config.as_ref().ok().and_then(|config| SourceIndex::of(config, context.folder, context.name));
    let origin = config.as_ref().ok().map(|config| Setup { folder: context.folder, config }.origin());
    Ok(Arc::new(SourceComponent {
        folder: context.folder.to_owned(),
        config,
        held: Arc::new(Held {
            id: context.id,
            name: context.name.to_owned(),
            source: OnceLock::new(),
            index,
            origin,
            writable: context.access == Access::Write,
            events: context.events,
        }),
        standing: Standing::default(),
        timezone: context.timezone,
        run_commands: context.run_commands,
        clock: context.clock,
    }))
}

/// Counting more files than this would take longer than a status may.
const MOST_COUNTED: u64 = 100_000;

fn counts(item: &ItemView<'_>) -> Counts {
    struct Limit(Cancel);
    impl Progress for Limit {
        fn report(&self, _what: &str, done: u64, _total: Option<u64>) {
            if done > MOST_COUNTED {
                self.0.cancel();
            }
        }
    }
    let counted = || {
        let config = SourceConfig::read(item.extra_args).ok()?;
        let cancel = Cancel::default();
        Setup { folder: item.folder, config: &config }.count(&Limit(cancel.clone()), &cancel)
    };
    counted().map(|count| Counts::from_iter([("documents".to_owned(), count)])).unwrap_or_default()
}

struct SourceComponent {
    folder: PathBuf,
    config: Result<SourceConfig, Vec<Problem>>,
    held: Arc<Held>,
    standing: Standing,
    timezone: TimeZone,
    run_commands: bool,
    clock: Arc<dyn Clock>,
}

/// The source once it is open. Whoever links to a source before it is piloted holds this.
struct Held {
    id: String,
    name: String,
    source: OnceLock<Source>,
    /// How it is searched, if it is.
    index: Option<SourceIndex>,
    /// Where its documents come from.
    origin: Option<PathBuf>,
    writable: bool,
    events: Events,
}

impl Held {
    fn get(&self) -> Result<&Source, CorpusError> {
        self.source.get().ok_or_else(|| CorpusError::Unreadable {
            index: Index::new(&self.name),
            reason: "the source is not piloted".to_owned(),
            transient: false,
        })
    }

    /// Brings the search index up to date, where there is one and it may be written.
    fn sync(&self, progress: &dyn Progress, cancel: &Cancel) -> Result<Option<Synced>, SyncError> {
        let (Some(index), Some(source), true) = (&self.index, self.source.get(), self.writable) else {
            return Ok(None);
        };
        let mut told = |text: String| self.events.warning(&self.id, text);
        index.sync(&Work { source, progress, cancel }, &mut told).map(Some)
    }

    fn unsearchable(&self, reason: String) -> CorpusError {
        CorpusError::Unreadable { index: Index::new(&self.name), reason, transient: false }
    }
}

impl Corpus for Held {
    fn name(&self) -> &str {
        &self.name
    }

    fn locate(&self, index: &Index) -> Result<Index, CorpusError> {
        self.get()?.locate(index)
    }

    fn documents<'a>(&'a self, below: &Index) -> Result<Documents<'a>, CorpusError> {
        self.get()?.documents(below)
    }

    fn read(&self, document: &Index, rule: ChunkRule) -> Result<Document, CorpusError> {
        self.get()?.read(document, rule)
    }

    fn catch_up(&self, cancel: &Cancel) -> Result<(), CorpusError> {
        let synced = self.sync(&NoProgress, cancel);
        synced.map(|_| ()).map_err(|error| self.unsearchable(error.to_string()))
    }

    fn relevant(&self, question: &str, limit: usize) -> Result<Option<Vec<FoundChunk>>, CorpusError> {
        let Some(index) = &self.index else { return Ok(None) };
        let mode = index.default_mode();
        match index.search(self.get()?, &Asked { query: question, mode, limit }) {
            Ok(found) => Ok(Some(found.chunks())),
            Err(FindError::Empty) => Ok(Some(Vec::new())),
            Err(error) => Err(self.unsearchable(error.to_string())),
        }
    }

    fn places(&self) -> Vec<PathBuf> {
        self.origin.iter().cloned().collect()
    }

    fn verify(&self) -> Vec<Problem> {
        self.index.as_ref().map(SourceIndex::verify).unwrap_or_default()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexArgument {
    index: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutlineArguments {
    index: String,
    depth: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    mode: Option<String>,
    limit: Option<usize>,
}

const OUTLINE_DEPTH: usize = 3;
/// How many passages a search returns unless it is told, and at most.
const SEARCH_LIMIT: usize = 10;
const MOST_FOUND: usize = 200;

impl SourceComponent {
    fn name(&self) -> &str {
        &self.held.name
    }

    fn capability_name(&self, verb: &str) -> String {
        format!("{verb}_{}", self.name())
    }

    /// Reads the configuration and looks for the folder.
    fn initialise(&self) -> Result<String, Fault> {
        let config = self.config.as_ref().map_err(|problems| {
            let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            let mut fault = Fault::new(messages.join("; "));
            fault.hint = problems.iter().find_map(|problem| problem.hint.clone());
            fault
        })?;
        self.setup(config).look()?;
        Ok("configuration read".to_owned())
    }

    fn setup<'a>(&'a self, config: &'a SourceConfig) -> Setup<'a> {
        Setup { folder: &self.folder, config }
    }

    /// Lists the files; converts what they are made of, where that is due.
    fn list(&self, context: PilotContext<'_>) -> Result<String, Fault> {
        let Ok(config) = &self.config else { return Err(Fault::new("the configuration is wrong")) };
        let mut told = |text: String| self.held.events.message(&self.held.id, text);
        let opening = Opening {
            name: self.name(),
            setup: self.setup(config),
            timezone: self.timezone.clone(),
            writable: self.held.writable,
            run_commands: self.run_commands,
            clock: self.clock.as_ref(),
            progress: context.progress,
            cancel: context.cancel,
        };
        let (source, done) = opening.open(&mut told)?;
        // Piloting is one step at a time, so nothing is set yet.
        let _ = self.held.source.set(source);
        Ok(done)
    }

    /// Brings the search index up to date. A reader opens it when something is searched for.
    fn index(&self, context: PilotContext<'_>) -> Result<String, Fault> {
        let synced = self.held.sync(context.progress, context.cancel);
        if context.cancel.is_cancelled() {
            return Err(Fault::new(OpenError::Cancelled.to_string()));
        }
        match synced {
            Ok(None) => Ok("ready".to_owned()),
            Ok(Some(synced)) => Ok(synced.to_string()),
            // The documents can be read all the same, and what was indexed of them is found.
            Err(error @ SyncError::Behind(_)) => {
                self.held.events.warning(&self.held.id, error.to_string());
                Ok(error.to_string())
            }
            Err(error @ SyncError::Setup(_)) => {
                let fault = Fault::new(error.to_string());
                Err(error.hint().into_iter().fold(fault, Fault::hint))
            }
        }
    }

    fn answer(&self, request: &Request) -> Result<Response, RunError> {
        let call = request.call()?;
        let verb = call.name.strip_suffix(self.name()).and_then(|verb| verb.strip_suffix('_'));
        let index_of = |call: &FunctionCall| call.read().map(|IndexArgument { index }| index);
        let message = match (verb, &self.held.index) {
            (Some("children_by_idx"), _) => self.ready()?.children(&index_of(call)?).map(Value::from),
            (Some("object_by_idx"), _) => self.ready()?.object(&index_of(call)?).map(|node| node.to_json()),
            (Some("text_by_idx"), _) => self.ready()?.text(&index_of(call)?).map(Value::from),
            (Some("outline"), _) => {
                let OutlineArguments { index, depth } = call.read()?;
                self.ready()?.outline(&index, depth.unwrap_or(OUTLINE_DEPTH)).map(Value::from)
            }
            (Some("search"), Some(index)) => return self.search(index, &call.read()?).map(Response::stop),
            _ => {
                let message = format!("'{}' has no capability '{}'", self.held.id, call.name);
                return Err(RunError::new(RunErrorKind::FailedToFindCapability, message));
            }
        };
        message.map(Response::stop).map_err(|error| self.failed(&error))
    }

    fn search(&self, index: &SourceIndex, arguments: &SearchArguments) -> Result<Value, RunError> {
        let SearchArguments { query, mode, limit } = arguments;
        let mode = index.mode(mode.as_deref()).map_err(RunError::invalid)?;
        let limit = limit.unwrap_or(SEARCH_LIMIT).clamp(1, MOST_FOUND);
        match index.search(self.ready()?, &Asked { query, mode: mode.1, limit }) {
            Ok(found) => Ok(found.to_json(self.name(), query, mode.0)),
            Err(error @ FindError::Empty) => Err(RunError::invalid(error.to_string())
                .hint("any text will do; no sign in it has a meaning of its own")),
            Err(error @ FindError::NotMade(_)) => {
                Err(RunError::new(RunErrorKind::InvalidState, error.to_string()).hint("run: mge pilot"))
            }
            Err(FindError::Index(error)) => {
                let hint = error.hint();
                let failed = RunError::failed(error.to_string());
                Err(hint.into_iter().fold(failed, RunError::hint))
            }
        }
    }

    fn search_capability(&self, index: &SourceIndex) -> Capability {
        let modes = index.modes();
        Capability::new(
            self.capability_name("search"),
            format!(
                "Finds the passages of '{}' that say most about a text, by their words, by the likeness of vectors, or \
                 by both. Each comes with its index and span, and with the reasons for its score.",
                self.name()
            ),
            json!({
                "query": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Any text; no sign in it has a meaning of its own.",
                },
                "mode": {
                    "type": "string",
                    "enum": modes,
                    "description": format!("How to look; {} unless given.", modes[0]),
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST_FOUND,
                    "description": format!("The most passages; {SEARCH_LIMIT} unless given."),
                },
            }),
            &["query"],
            json!({"type": "object", "properties": {"version": {"const": 1}, "results": {"type": "array"}}}),
        )
    }

    fn ready(&self) -> Result<&Source, RunError> {
        self.standing.require_ready(&self.held.id, &STATES)?;
        self.held.get().map_err(|error| RunError::failed(error.to_string()))
    }

    /// One file that fails is no failure of the source.
    fn failed(&self, error: &CorpusError) -> RunError {
        run_error(error, &self.capability_name("children_by_idx"))
    }
}

impl Agentic for SourceComponent {
    fn id(&self) -> &str {
        &self.held.id
    }

    fn description(&self) -> String {
        self.config.as_ref().map(SourceConfig::description_text).unwrap_or_default()
    }

    fn states(&self) -> &'static StateTable {
        &STATES
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn capabilities(&self) -> Vec<Capability> {
        let name = self.name();
        let index = json!({
            "type": "string",
            "description": format!("An index such as '{name}|path/file.md|text_1'; '{name}' is the root."),
        });
        let only_index = json!({"index": index});
        let span = "lines count from 0, bytes are UTF-8 bytes of the decoded file; both exclude their end";
        let mut all = vec![
            Capability::new(
                self.capability_name("children_by_idx"),
                format!(
                    "Lists the indices right below an index of '{name}': its files, the sections of a file, their \
                     paragraphs and so on. A leaf has none."
                ),
                only_index.clone(),
                &["index"],
                json!({"type": "array", "items": {"type": "string"}}),
            ),
            Capability::new(
                self.capability_name("object_by_idx"),
                format!(
                    "Shows what stands at an index of '{name}': the content of a leaf, the description of any other node; {span}."
                ),
                only_index.clone(),
                &["index"],
                json!({"type": "object"}),
            ),
            Capability::new(
                self.capability_name("outline"),
                format!(
                    "Lists the files and headings below an index of '{name}', at most {MOST_ROWS} of them."
                ),
                json!({
                    "index": index,
                    "depth": {
                        "type": "integer",
                        "minimum": 1,
                        "description": format!("How many levels down; {OUTLINE_DEPTH} unless given."),
                    },
                }),
                &["index"],
                json!({"type": "array", "items": {"type": "object"}}),
            ),
            Capability::new(
                self.capability_name("text_by_idx"),
                format!("Returns the whole text below an index of '{name}', as it is written."),
                only_index,
                &["index"],
                json!({"type": "string"}),
            ),
        ];
        all.extend(self.held.index.as_ref().map(|index| self.search_capability(index)));
        all
    }

    fn advance<'a>(&'a self, context: PilotContext<'a>) -> BoxFuture<'a, String> {
        Box::pin(async move {
            let (result, next, error) = match self.standing.state() {
                StateTable::INITIAL => (self.initialise(), INIT_OK, ERR_INIT),
                INIT_OK => (self.list(context), READY_OK, ERR_INDEX),
                READY_OK => (self.index(context), StateTable::READY, ERR_DB_SETUP),
                _ => return "nothing to do".to_owned(),
            };
            match result {
                Ok(done) => {
                    self.standing.set(next);
                    done
                }
                // Asked to end, not failed: the step can be done again.
                Err(fault) if context.cancel.is_cancelled() => fault.message,
                Err(fault) => {
                    let message = fault.message.clone();
                    self.held.events.error(&self.held.id, &message);
                    self.standing.fail(error, fault);
                    message
                }
            }
        })
    }

    fn run<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        Box::pin(async move { self.answer(request) })
    }

    fn check(&self) -> Vec<Problem> {
        let config = match &self.config {
            Ok(config) => config,
            Err(problems) => return problems.clone(),
        };
        let mut problems = Vec::new();
        if let Err(fault) = self.initialise() {
            let key = if config.r#type == SourceType::MarkdownTree { "dst_path" } else { "src_path" };
            let problem = Problem::error("missing-folder", fault.message).pointer(format!("/{key}"));
            problems.push(problem.hint(format!("create it, or point '{key}' at another one")));
        }
        if let Err(error) = Rules::new(&config.extensions, &config.exclude) {
            problems.push(Problem::error("bad-pattern", error.to_string()).pointer("/exclude"));
        }
        problems
    }

    fn facets(&self) -> Facets {
        let corpus: Arc<dyn Corpus> = Arc::clone(&self.held) as Arc<dyn Corpus>;
        Facets { corpus: Some(corpus), ..Facets::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mge_core::testing::{block_on, has_a_sound_face, pilots_to_ready};
    use mge_core::{FixedClock, FunctionCall, NoProgress, PilotOutcome};
    use tempfile::TempDir;

    use super::*;

    fn component(folder: &TempDir, extra_args: Value) -> Arc<dyn Agentic> {
        let clock = Arc::new(FixedClock(jiff::Timestamp::UNIX_EPOCH));
        let context = BuildContext {
            id: "endpoint_e/source_docs".to_owned(),
            name: "docs",
            folder: folder.path(),
            extra_args: &extra_args,
            tools: &[],
            access: mge_core::Access::Read,
            run_commands: false,
            timezone: TimeZone::UTC,
            clock: clock.clone(),
            events: Events::new(None, clock),
        };
        (KIND.build)(context).expect("a component")
    }

    fn folder() -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("texts")).expect("a folder");
        fs::write(folder.path().join("texts/a.md"), "# A\n\ntext\n").expect("a file");
        folder
    }

    fn pilot(component: &dyn Agentic, just_once: bool) -> PilotOutcome {
        let cancel = Cancel::default();
        let context = PilotContext { just_once, progress: &NoProgress, cancel: &cancel };
        block_on(component.pilot(StateTable::READY, context))
    }

    fn call(component: &dyn Agentic, name: &str, arguments: Value) -> Result<Value, RunError> {
        let request = Request::Call(FunctionCall::new(name, arguments));
        block_on(component.run(&request)).map(|response| response.message)
    }

    #[test]
    fn a_source_keeps_the_contract() {
        let folder = folder();
        let component = component(&folder, json!({"dst_path": "texts", "description": ["a", "b"]}));
        let names: Vec<String> =
            component.capabilities().into_iter().map(|capability| capability.name).collect();
        assert_eq!(
            names,
            ["children_by_idx_docs", "object_by_idx_docs", "outline_docs", "text_by_idx_docs", "search_docs"]
        );
        let early = call(&*component, "children_by_idx_docs", json!({"index": "docs"}));
        assert_eq!(early.expect_err("it is not ready").kind, RunErrorKind::InvalidState);
        pilots_to_ready(&*component);
        has_a_sound_face(&*component);
        assert_eq!(component.description(), "a\nb");
        let children = call(&*component, "children_by_idx_docs", json!({"index": "docs"}));
        assert_eq!(children, Ok(json!(["docs|a.md"])));
        let object = call(&*component, "object_by_idx_docs", json!({"index": "docs|a.md|text_2"}));
        assert_eq!(object.expect("a leaf")["content"], "text");
        let text = call(&*component, "text_by_idx_docs", json!({"index": "docs|a.md|paragraph_1"}));
        assert_eq!(text, Ok(json!("text")));
        let outline = call(&*component, "outline_docs", json!({"index": "docs"}));
        assert_eq!(outline.expect("an outline").as_array().map(Vec::len), Some(2));
        let missing = call(&*component, "object_by_idx_docs", json!({"index": "docs|b.md"}))
            .expect_err("it is not there");
        assert_eq!(missing.kind, RunErrorKind::FailedToFindCapability);
        assert!(missing.message.contains("the longest part that exists is 'docs'"), "{missing}");
        let corpus = component.facets().corpus.expect("documents");
        assert_eq!(corpus.documents(&Index::new("")).map(|listed| listed.count()), Ok(1));
        assert_eq!(component.check(), []);
        assert_eq!(component.standing().state(), StateTable::READY);
    }

    #[test]
    fn the_steps_are_those_of_the_original() {
        let folder = folder();
        let component = component(&folder, json!({"dst_path": "texts"}));
        let states: Vec<i32> = (0..3).map(|_| pilot(&*component, true).state).collect();
        assert_eq!(states, [1, 2, 100]);
        assert_eq!(KIND.states.name(1), "MAKER_INIT_OK");
    }

    #[test]
    fn fault_16_paths_are_relative_to_the_endpoint() {
        let folder = folder();
        let component = component(&folder, json!({"dst_path": "texts"}));
        assert!(pilot(&*component, false).reached);
        let absolute = folder.path().join("texts");
        let view = json!({"dst_path": absolute});
        let item = ItemView { name: "docs", folder: std::path::Path::new("/nowhere"), extra_args: &view };
        assert_eq!((KIND.counts)(&item).get("documents"), Some(&1));
    }

    #[test]
    fn what_cannot_be_opened_is_an_error_state_with_its_cause() {
        for (extra_args, words) in [
            (json!({}), "'dst_path' is missing"),
            (json!({"dst_path": "nowhere"}), "it does not exist"),
            (json!({"dst_path": "texts/a.md"}), "is not a folder"),
            (json!({"dst_path": "texts", "cluster_size": 1}), "at least 2"),
            (json!({"dst_path": "texts", "type": "pdf_mirror"}), "'src_path' is missing"),
            (
                json!({"dst_path": "texts", "type": "pdf_mirror", "src_path": "p"}),
                "cannot open the folder of 'src_path'",
            ),
            (
                json!({"dst_path": "texts", "type": "xml_stream", "src_path": "p"}),
                "cannot open the file of 'src_path'",
            ),
        ] {
            let folder = folder();
            let component = component(&folder, extra_args);
            let outcome = pilot(&*component, false);
            assert_eq!((outcome.state, outcome.reached), (ERR_INIT, false), "{words}");
            let fault = component.standing().fault().expect("a cause");
            assert!(fault.message.contains(words), "{fault}");
            assert!(!component.check().is_empty());
            assert!(component.facets().corpus.expect("a corpus").documents(&Index::new("")).is_err());
        }
        let folder = folder();
        let component = component(&folder, json!({"dst_path": "texts", "exclude": ["a{b"]}));
        assert_eq!(pilot(&*component, false).state, ERR_INDEX);
        assert_eq!(component.check()[0].code, "bad-pattern");
    }

    #[test]
    fn piloting_can_be_cancelled_and_done_again() {
        let folder = folder();
        let component = component(&folder, json!({"dst_path": "texts"}));
        pilot(&*component, true);
        let cancel = Cancel::default();
        cancel.cancel();
        let context = PilotContext { just_once: true, progress: &NoProgress, cancel: &cancel };
        block_on(component.advance(context));
        assert_eq!(component.standing().state(), INIT_OK);
        assert!(pilot(&*component, false).reached);
    }
}
