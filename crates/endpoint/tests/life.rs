//! The life of an endpoint, with scripted components in place of the real ones.

use std::path::Path;
use std::sync::{Arc, Mutex};

use mge_core::{
    Access, Agentic, BoxFuture, BuildContext, Cancel, Capability, Counts, Event, EventSink, Fault, ItemView,
    Kind, NoProgress, PilotContext, Problem, Request, Response, RunError, RunErrorKind, Standing, StateTable,
};
use mge_endpoint::{Endpoint, OpenError, OpenOptions, Registry};
use serde_json::{Value, json};

static STATES: StateTable =
    StateTable { entries: &[(-1, "ERR_X"), (0, "INITIAL"), (1, "HALF"), (100, "READY")] };

/// A component that does as its `extra_args` say.
struct Scripted {
    id: String,
    name: String,
    script: Value,
    access: Access,
    folder: std::path::PathBuf,
    standing: Standing,
    tools: Mutex<Vec<String>>,
}

impl Agentic for Scripted {
    fn id(&self) -> &str {
        &self.id
    }
    fn description(&self) -> String {
        "Scripted.".to_owned()
    }
    fn states(&self) -> &'static StateTable {
        &STATES
    }
    fn standing(&self) -> &Standing {
        &self.standing
    }
    fn capabilities(&self) -> Vec<Capability> {
        let names = match self.script.get("names").and_then(Value::as_array) {
            Some(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            None => vec![format!("echo_{}", self.name)],
        };
        let text = json!({"text": {"type": "string"}});
        names
            .into_iter()
            .map(|name: String| Capability::new(name, "Echoes.", text.clone(), &["text"], json!({})))
            .collect()
    }
    fn advance<'a>(&'a self, _context: PilotContext<'a>) -> BoxFuture<'a, String> {
        Box::pin(async move {
            assert!(self.script.get("panic").is_none(), "as scripted");
            if self.script.get("fail").is_some() || self.folder.join("fails").exists() {
                self.standing.fail(-1, Fault::new("it was told to fail").hint("tell it not to"));
                return "failed".to_owned();
            }
            self.standing.set(if self.standing.state() == 0 { 1 } else { 100 });
            "moved".to_owned()
        })
    }
    fn run<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        Box::pin(async move {
            let call = request.call()?;
            assert_ne!(call.arguments["text"], "panic", "as asked");
            Ok(Response::stop(call.arguments["text"].clone()))
        })
    }
    fn add_tool(&self, name: &str, tool: Arc<dyn Agentic>) -> Result<(), Fault> {
        self.tools.lock().expect("no panic").push(format!("{name}={}", tool.id()));
        Ok(())
    }
    fn check(&self) -> Vec<Problem> {
        let warn = self.script.get("warn").is_some();
        warn.then(|| Problem::warning("scripted", "it was told to warn").pointer("/warn"))
            .into_iter()
            .collect()
    }
    fn close(&self, locked: bool) -> Result<(), Fault> {
        assert_eq!(locked, self.access == Access::Write);
        Ok(())
    }
}

fn build(context: BuildContext<'_>) -> Result<Arc<dyn Agentic>, Fault> {
    if context.extra_args.get("unbuildable").is_some() {
        return Err(Fault::new(format!("'{}' cannot be built", context.name)));
    }
    Ok(Arc::new(Scripted {
        id: context.id.clone(),
        name: context.name.to_owned(),
        script: context.extra_args.clone(),
        access: context.access,
        folder: context.folder.to_owned(),
        standing: Standing::default(),
        tools: Mutex::default(),
    }))
}

fn counts(_view: &ItemView<'_>) -> Counts {
    Counts::from([("documents".to_owned(), 3)])
}

fn kind(section: &'static str, class: &'static str) -> Kind {
    Kind { section, class, states: &STATES, schema: || json!({"type": "object"}), counts, build }
}

fn registry() -> Registry {
    Registry::new(vec![
        kind("sources", "source"),
        kind("ontologies", "agentic_graph"),
        kind("formalizers", "formalizer"),
    ])
}

fn folder(config: Value) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("case_").rand_bytes(6).tempdir().expect("a folder");
    std::fs::write(folder.path().join("mge_endpoint.jsonc"), config.to_string()).expect("it writes");
    folder
}

fn open(path: &Path) -> Endpoint {
    Endpoint::open(path, &registry(), OpenOptions::write("test")).expect("it opens")
}

fn pilot(endpoint: &Endpoint, intent: &str, just_once: bool) -> i32 {
    let intent = endpoint.states().resolve(intent).expect("it is a state");
    let (progress, cancel) = (NoProgress, Cancel::default());
    let context = PilotContext { just_once, progress: &progress, cancel: &cancel };
    runtime().block_on(endpoint.pilot(intent, context)).state
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime")
}

fn two_items() -> Value {
    json!({
        "sources": {"docs": {"extra_args": {}}},
        "ontologies": {"entities": {"extra_args": {}}},
        "expose": ["docs"],
    })
}

#[test]
fn one_step_at_a_time_is_one_step() {
    let folder = folder(two_items());
    let endpoint = open(folder.path());
    let item = |name: &str| endpoint.component(name).map(|item| item.standing().state());
    let mut seen = Vec::new();
    for _ in 0..9 {
        let state = pilot(&endpoint, "ALL_READY", true);
        seen.push((state, item("docs"), item("entities")));
    }
    let expected = [
        (1, Some(0), Some(0)),
        (2, Some(0), Some(0)),
        (3, Some(0), Some(0)),
        (4, Some(1), Some(0)),
        (4, Some(100), Some(0)),
        (4, Some(100), Some(1)),
        (5, Some(100), Some(100)),
        (100, Some(100), Some(100)),
        (100, Some(100), Some(100)),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn one_step_a_process_leads_to_the_same_state() {
    let folder = folder(two_items());
    let states: Vec<i32> = (0..9).map(|_| pilot(&open(folder.path()), "ALL_READY", true)).collect();
    assert_eq!(states, [1, 2, 3, 4, 4, 4, 5, 100, 100]);
    assert_eq!(pilot(&open(folder.path()), "LINKED_OBJ", false), 100, "a state is not unlearnt");
}

#[test]
fn an_intent_is_reached_and_not_passed() {
    for (intent, state) in
        [("0", 0), ("loaded_obj", 1), ("2", 2), ("EXPOSED_API", 3), ("5", 5), ("READY", 100)]
    {
        let folder = folder(two_items());
        assert_eq!(pilot(&open(folder.path()), intent, false), state, "{intent}");
    }
}

#[test]
fn each_stage_fails_in_its_own_state_with_its_cause() {
    let item = |extra: Value| json!({"extra_args": extra});
    let cases = [
        (json!({"sources": {"a": item(json!({}))}}), -3, "nothing is exposed"),
        (json!({"sources": {"a": item(json!({}))}, "expose": ["b"]}), -3, "no such item"),
        (json!({"sources": {"a": item(json!({"names": []}))}, "expose": ["a"]}), -3, "no capabilities"),
        (json!({"sources": {"a": item(json!({"names": ["bad name"]}))}, "expose": ["a"]}), -3, "'bad name'"),
        (json!({"sources": {"a": item(json!({"unbuildable": 1}))}, "expose": ["a"]}), -1, "cannot be built"),
        (json!({"sources": {"a": {"tools": ["zzz"]}}, "expose": ["a"]}), -2, "'zzz'"),
        (
            json!({"sources": {"a": {"tools": ["b"]}, "b": {"tools": ["a"]}}, "expose": ["a"]}),
            -2,
            "a -> b -> a",
        ),
        (json!({"sources": {"a": {}}, "ontologies": {"a": {}}, "expose": ["a"]}), -2, "used twice"),
        (json!({"sources": {"a": item(json!({"fail": 1}))}, "expose": ["a"]}), -4, "told to fail"),
        (json!({"sources": {"a": item(json!({"panic": 1}))}, "expose": ["a"]}), -4, "panicked"),
        (
            json!({"sources": {"a": item(json!({"names": ["x"]})), "b": item(json!({"names": ["x"]}))}, "expose": ["a", "b"]}),
            -3,
            "offered twice",
        ),
        (
            json!({"sources": {"a": item(json!({"names": ["x"]})), "b": item(json!({"names": ["x"]}))}, "expose": ["a"]}),
            -5,
            "offered twice",
        ),
    ];
    for (config, state, cause) in cases {
        let folder = folder(config.clone());
        let endpoint = open(folder.path());
        assert_eq!(pilot(&endpoint, "ALL_READY", false), state, "{config}");
        let fault = endpoint.standing().fault().expect("a cause");
        assert!(fault.message.contains(cause), "{config}: {}", fault.message);
        assert_eq!(pilot(&endpoint, "ALL_READY", false), state, "an error state stays");
    }
}

#[test]
fn a_section_without_a_kind_is_an_error_that_names_it() {
    let folder =
        folder(json!({"sources": {"a": {}}, "agents": {"reader": {"extra_args": {}}}, "expose": ["a"]}));
    let endpoint = open(folder.path());
    assert!(endpoint.check().iter().any(|problem| problem.message.contains("'reader'")));
    assert_eq!(pilot(&endpoint, "ALL_READY", false), -4);
    let fault = endpoint.standing().fault().expect("a cause");
    assert!(fault.message.contains("reader") && fault.message.contains("no agents"), "{}", fault.message);
}

#[test]
fn check_finds_everything_and_writes_nothing() {
    let folder = folder(json!({
        "sources": {"a": {"extra_args": {"warn": 1}}, "b": {"tools": ["c"]}, "d": {"tools": ["f"]}},
        "expose": ["x"],
    }));
    let endpoint = Endpoint::open(folder.path(), &registry(), OpenOptions::read()).expect("it opens");
    let found = endpoint.check();
    let said: Vec<&str> = found.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(found.iter().all(|problem| problem.line.is_some()), "{found:?}");
    let files: Vec<_> = std::fs::read_dir(folder.path()).expect("it lists").collect();
    assert_eq!(files.len(), 1);
}

#[test]
fn a_request_reaches_an_exposed_capability_and_no_other() {
    let folder = folder(two_items());
    let endpoint = open(folder.path());
    let runtime = runtime();
    let ask = |value: Value| runtime.block_on(endpoint.run_value(&value));
    let echo = json!({"name": "echo_docs", "arguments": {"text": "hi"}, "id": "call_1", "type": "function"});
    assert_eq!(endpoint.dry_run_value(&echo).description, "Not ready.");
    assert_eq!(ask(echo.clone()).expect_err("not ready").kind, RunErrorKind::InvalidState);
    assert_eq!(pilot(&endpoint, "READY", false), 100);
    assert_eq!(endpoint.dry_run_value(&echo).description, "Valid request.");
    let response = ask(echo).expect("it answers");
    assert_eq!((response.message, response.id), (json!("hi"), Some(json!("call_1"))));
    for (wrong, kind) in [
        (json!({"name": "echo_entities", "arguments": {"text": "hi"}}), RunErrorKind::FailedToFindCapability),
        (json!({"name": "ECHO_DOCS", "arguments": {"text": "hi"}}), RunErrorKind::FailedToFindCapability),
        (json!({"name": "echo_docs", "arguments": {"text": 5}}), RunErrorKind::InvalidRequest),
        (json!({"name": "echo_docs", "arguments": {"text": null}}), RunErrorKind::InvalidRequest),
        (json!({"name": "echo_docs", "arguments": {"text": "a", "extra": 1}}), RunErrorKind::InvalidRequest),
        (json!({"name": "echo_docs"}), RunErrorKind::InvalidRequest),
        (json!("text"), RunErrorKind::InvalidRequest),
        (json!({"name": "echo_docs", "arguments": {"text": "panic"}}), RunErrorKind::RunFailed),
    ] {
        assert_eq!(ask(wrong.clone()).expect_err("it is wrong").kind, kind, "{wrong}");
        assert_eq!(
            endpoint.dry_run_value(&wrong).status,
            if kind == RunErrorKind::RunFailed { 0 } else { 2 }
        );
    }
    let message = ask(json!({"role": "user", "content": "hi"})).expect_err("it does not converse");
    assert_eq!(message.kind, RunErrorKind::InvalidRequest);
}

#[test]
fn requests_as_the_original_judged_them() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/goldens/endpoint.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        // Outside of our own machines the recordings are not there.
        return;
    };
    let golden: Value = serde_json::from_str(&text).expect("it is JSON");
    let config = json!({
        "sources": {"docs": {"extra_args": {"names": ["children_by_idx_docs", "object_by_idx_docs"]}}},
        "ontologies": {"entities": {"extra_args": {"names": ["children_by_idx_entities", "node_by_idx_entities"]}}},
        "expose": ["docs", "entities"],
    });
    let folder = folder(config);
    let endpoint = open(folder.path());
    assert_eq!(pilot(&endpoint, "READY", false), 100);
    // The scripted argument is "text" where the recorded one is "index".
    let renamed = |value: &Value| -> Value {
        let text =
            value.to_string().replace("\"index\":", "\"text\":").replace("\\\"index\\\":", "\\\"text\\\":");
        serde_json::from_str(&text).expect("it is JSON")
    };
    let mut differing = Vec::new();
    for case in golden["multi"].as_array().expect("cases") {
        let verdict = endpoint.dry_run_value(&renamed(&case["request"]));
        if i64::from(verdict.status) != case["dry_run"]["status"].as_i64().expect("a status") {
            differing.push(case["request"].to_string());
        }
    }
    // mercury-facts 30: types are checked, unknown arguments refused. endpoint.md 6: arguments may be a JSON text.
    let accepted = [
        r#"{"name":"children_by_idx_entities","arguments":{"index":null}}"#,
        r#"{"name":"children_by_idx_entities","arguments":{"index":5}}"#,
        r#"{"name":"children_by_idx_entities","arguments":{"index":"entities","extra":1}}"#,
        r#"{"name":"children_by_idx_entities","arguments":"{\"index\":\"entities\"}"}"#,
    ];
    assert_eq!(differing, accepted);
}

#[test]
fn a_reader_resumes_where_a_writer_closed() {
    let config = two_items();
    let folder = folder(config.clone());
    let read = || Endpoint::open(folder.path(), &registry(), OpenOptions::read()).expect("it opens");
    let (progress, cancel) = (NoProgress, Cancel::default());
    let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
    let resume = |endpoint: &Endpoint| runtime().block_on(endpoint.resume(&["docs"], context));
    let refused = resume(&read()).expect_err("nothing was piloted");
    assert!(refused.hint.contains("mge pilot"), "{}", refused.hint);
    {
        let endpoint = open(folder.path());
        assert_eq!(pilot(&endpoint, "READY", false), 100);
        let second = Endpoint::open(folder.path(), &registry(), OpenOptions::write("other"));
        assert!(matches!(second, Err(OpenError::Lock(error)) if error.holder().is_some()));
        endpoint.close(true).expect("it closes");
        endpoint.close(true).expect("and only once");
    }
    assert!(folder.path().join("mge_endpoint.free").exists());
    let reader = read();
    let status = serde_json::to_value(reader.status()).expect("it serialises");
    assert_eq!(status["state"], json!({"code": 100, "name": "ALL_READY"}));
    assert_eq!(status["capabilities"], json!(["echo_docs"]));
    assert_eq!(status["sections"]["sources"]["docs"]["counts"]["documents"], 3);
    assert_eq!(status["lock"]["state"], "free");
    resume(&reader).expect("it resumes");
    assert_eq!(reader.component("docs").map(|item| item.standing().state()), Some(100));
    assert_eq!(
        reader.component("entities").map(|item| item.standing().state()),
        Some(0),
        "it was not needed"
    );
    let mut changed = config;
    changed["description"] = json!("other");
    std::fs::write(folder.path().join("mge_endpoint.jsonc"), changed.to_string()).expect("it writes");
    let refused = resume(&read()).expect_err("the configuration changed");
    assert!(refused.message.contains("changed"), "{}", refused.message);
    assert_eq!(read().status().state.code, 0);
}

#[test]
fn events_are_numbered_and_a_response_bears_its_requests_number() {
    #[derive(Default)]
    struct Sink(Mutex<Vec<Event>>);
    impl EventSink for Sink {
        fn emit(&self, event: &Event) {
            self.0.lock().expect("no panic").push(event.clone());
        }
    }
    let folder = folder(two_items());
    let sink = Arc::new(Sink::default());
    let options = OpenOptions { sink: Some(sink.clone()), ..OpenOptions::write("test") };
    let endpoint = Endpoint::open(folder.path(), &registry(), options).expect("it opens");
    assert_eq!(pilot(&endpoint, "READY", false), 100);
    let before = sink.0.lock().expect("no panic").len();
    let echo = json!({"name": "echo_docs", "arguments": {"text": "hi"}});
    runtime().block_on(endpoint.run_value(&echo)).expect("it answers");
    let events = sink.0.lock().expect("no panic");
    let [request, response] = &events[before..] else { panic!("two events: {events:?}") };
    assert_eq!((request.r#type.as_str(), response.r#type.as_str()), ("request", "response"));
    assert_eq!(request.seq_num, response.seq_num);
    assert!(request.timestamp.ends_with('Z') && request.timestamp.len() == 24, "{}", request.timestamp);
    let mut numbers: Vec<u64> = events[..=before].iter().map(|event| event.seq_num).collect();
    let sorted = numbers.clone();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, sorted, "numbers rise");
}

#[test]
fn what_failed_once_does_not_unlearn_what_was_reached() {
    let good = json!({"sources": {"a": {"extra_args": {}}}, "expose": ["a"]});
    let folder = folder(good);
    assert_eq!(pilot(&open(folder.path()), "ALL_READY", false), 100);
    std::fs::write(folder.path().join("fails"), "").expect("it writes");
    let endpoint = open(folder.path());
    assert_eq!(pilot(&endpoint, "ALL_READY", false), -4, "it fails where the scripted file lies");
    drop(endpoint);
    let reader = Endpoint::open(folder.path(), &registry(), OpenOptions::read()).expect("it opens");
    assert_eq!(reader.status().state.code, 100);
}

#[test]
fn an_unset_variable_is_told_by_check_and_stops_its_item_only_when_piloted() {
    let secret = json!({"text": {"$env": "MGE_TEST_UNSET_VARIABLE"}});
    let folder = folder(json!({
        "sources": {"a": {"extra_args": secret}, "b": {"tools": ["a"]}},
        "expose": ["b"],
    }));
    let endpoint = open(folder.path());
    let found = endpoint.check();
    assert!(found.iter().all(|problem| problem.severity == mge_config::Severity::Warning), "{found:?}");
    assert!(found.iter().any(|problem| problem.message.contains("MGE_TEST_UNSET_VARIABLE")), "{found:?}");
    assert_eq!(pilot(&open_again(endpoint, folder.path()), "ALL_READY", false), -4);
}

fn open_again(endpoint: Endpoint, path: &Path) -> Endpoint {
    drop(endpoint);
    open(path)
}

#[test]
fn an_endpoint_describes_itself_without_being_piloted() {
    let folder = folder(two_items());
    let endpoint = Endpoint::open(folder.path(), &registry(), OpenOptions::read()).expect("it opens");
    let meta = endpoint.describe(None).expect("it describes itself");
    assert_eq!((meta.state, meta.capabilities.len()), (0, 1));
    assert_eq!(endpoint.describe(Some("entities")).map(|meta| meta.capabilities.len()), Ok(1));
    assert_eq!(std::fs::read_dir(folder.path()).expect("it lists").count(), 1, "nothing was written");
}
