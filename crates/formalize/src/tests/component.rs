//! The component: piloting, capabilities, errors.

use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use mge_core::testing::{block_on, has_a_sound_face, pilots_to_ready};
use mge_core::{
    Access, Agentic, BoxFuture, BuildContext, Capability, Events, Facets, Fault, FunctionCall, GraphRow,
    GraphRows, OntologyRows, PilotContext, Request, Response, RunError, RunErrorKind, Standing, StateTable,
    SystemClock,
};
use serde_json::{Value, json};

use super::rows;
use crate::KIND;

/// An ontology that a test writes down.
struct Given {
    rows: Arc<GraphRows>,
    standing: Standing,
}

impl OntologyRows for Given {
    fn curated(&self) -> Result<Arc<GraphRows>, Fault> {
        Ok(self.rows.clone())
    }

    fn replace_crawled(&self, _graph: &str, _rows: &mut dyn Iterator<Item = GraphRow>) -> Result<(), Fault> {
        Ok(())
    }
}

struct Tool(Arc<Given>);

impl Agentic for Tool {
    fn id(&self) -> &str {
        "endpoint_t/agentic_graph_given"
    }

    fn description(&self) -> String {
        String::new()
    }

    fn states(&self) -> &'static StateTable {
        &StateTable::ALWAYS_READY
    }

    fn standing(&self) -> &Standing {
        &self.0.standing
    }

    fn capabilities(&self) -> Vec<Capability> {
        Vec::new()
    }

    fn advance<'a>(&'a self, _context: PilotContext<'a>) -> BoxFuture<'a, String> {
        Box::pin(async { String::new() })
    }

    fn run<'a>(&'a self, _request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        Box::pin(async { Err(RunError::failed("nothing to run")) })
    }

    fn facets(&self) -> Facets {
        Facets { ontology: Some(self.0.clone()), ..Facets::default() }
    }
}

fn build(extra_args: Value) -> Result<Arc<dyn Agentic>, Fault> {
    let clock = Arc::new(SystemClock);
    (KIND.build)(BuildContext {
        id: "endpoint_t/formalizer_r".to_owned(),
        name: "r",
        folder: Path::new("/nowhere"),
        extra_args: &extra_args,
        tools: &[],
        access: Access::Read,
        run_commands: false,
        timezone: TimeZone::UTC,
        clock: clock.clone(),
        events: Events::new(None, clock),
    })
}

fn linked(extra_args: Value) -> Arc<dyn Agentic> {
    let component = build(extra_args).expect("the configuration is right");
    for (name, text) in [
        ("entities", "person\nperson|nurse\nhospital"),
        ("relationships", "works_at / src=person / dst=hospital / cues=works at"),
        ("known_ids", "person|nurse|Ada Brook"),
    ] {
        let given = Given { rows: Arc::new(rows(text)), standing: Standing::default() };
        component.add_tool(name, Arc::new(Tool(Arc::new(given)))).expect("it takes tools");
    }
    component
}

fn ask(component: &dyn Agentic, name: &str, arguments: Value) -> Result<Value, RunError> {
    let request = Request::Call(FunctionCall::new(name, arguments));
    block_on(component.run(&request)).map(|response| response.message)
}

#[test]
fn it_is_piloted_step_by_step() {
    let component = linked(json!({"model": {"library": "rules"}}));
    pilots_to_ready(component.as_ref());
    has_a_sound_face(component.as_ref());
    assert!(component.check().is_empty(), "{:?}", component.check());
}

#[test]
fn hints_name_what_a_text_says() {
    let component = linked(json!({"model": {"library": "rules"}}));
    pilots_to_ready(component.as_ref());
    let text = "Ada Brook works at Millgate Hospital. Ada Brook sings.";
    let nodes = ask(component.as_ref(), "hint_nodes_r", json!({"text": text})).expect("it runs");
    assert_eq!(nodes, json!({"person|nurse": ["Ada Brook"], "hospital": ["Millgate Hospital"]}));
    let some = ask(component.as_ref(), "hint_nodes_r", json!({"text": text, "concepts": ["person"]}))
        .expect("it runs");
    assert_eq!(some, json!({"person": ["Ada Brook"]}));
    let detail =
        ask(component.as_ref(), "hint_nodes_r", json!({"text": text, "detail": true})).expect("it runs");
    assert_eq!(detail["hospital"][0]["start"], 19);
    let edges = ask(component.as_ref(), "hint_edges_r", json!({"text": text})).expect("it runs");
    assert_eq!(edges, json!({"works_at": [{"src": "Ada Brook", "dst": "Millgate Hospital"}]}));
    let many = ask(component.as_ref(), "hint_edges_r", json!({"texts": [text, ""], "detail": true}))
        .expect("it runs");
    assert_eq!(many[0]["works_at"][0]["stance"], 1);
    assert_eq!(many[1], json!({}));
    let unknown = ask(component.as_ref(), "hint_nodes_r", json!({"text": text, "concepts": ["hospitl"]}));
    let error = unknown.expect_err("it is unknown");
    assert_eq!(error.kind, RunErrorKind::InvalidRequest);
    assert!(error.hint.is_some_and(|hint| hint.contains("hospital")));
    assert!(ask(component.as_ref(), "hint_nodes_r", json!({})).is_err());
    let typed = component.facets().formalizer.expect("it reads");
    assert_eq!(typed.method().name, "rules");
}

#[test]
fn is_a_knows_the_hierarchy_and_the_text() {
    let component = linked(json!({"model": {"library": "rules"}}));
    pilots_to_ready(component.as_ref());
    let score = |text: &str, concept: &str, parent: &str| {
        let arguments = json!({"text": text, "concept": concept, "parent_concept": parent});
        ask(component.as_ref(), "is_a_r", arguments).expect("it runs")["score"].as_f64().expect("a number")
    };
    assert_eq!(score("", "person|nurse", "person"), 1.0);
    assert_eq!(score("", "Ada Brook", "person"), 1.0);
    assert_eq!(score("", "hospital", "person"), 0.0);
    assert!(score("Cy Dale is a nurse.", "Cy Dale", "person") > 0.7);
    assert!(score("A sanatorium is a hospital.", "sanatorium", "hospital") > 0.7);
}

#[test]
fn what_is_missing_is_named() {
    let without = |ontologies: Value| {
        let component =
            build(json!({"model": {"library": "rules"}, "ontologies": ontologies})).expect("it is right");
        let (progress, cancel) = (mge_core::NoProgress, mge_core::Cancel::default());
        let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
        let outcome = block_on(component.pilot(StateTable::READY, context));
        (outcome.state, component.standing().fault().expect("it failed").message)
    };
    let (state, message) = without(json!({"entities": "things"}));
    assert_eq!(state, -2);
    assert!(message.contains("things"), "{message}");
    assert!(without(json!({"entities": null})).1.contains("entities"));

    for (model, word) in [
        (json!({"library": "gliner2", "model": "m"}), "gliner2"),
        (json!({"library": "agent", "agent": "a"}), "agent"),
        (json!({"library": "process", "command": ["x"]}), "process"),
    ] {
        let component = linked(json!({"model": model}));
        let (progress, cancel) = (mge_core::NoProgress, mge_core::Cancel::default());
        let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
        let outcome = block_on(component.pilot(StateTable::READY, context));
        assert_eq!(outcome.state, -1);
        let fault = component.standing().fault().expect("it failed");
        assert!(fault.message.contains(word) && fault.hint.is_some(), "{fault:?}");
        assert!(component.check().iter().any(|problem| problem.code == "not-built"));
    }
}

#[test]
fn null_removes_what_needs_it() {
    let ontologies = json!({"entities": "entities", "relationships": null, "known_ids": null});
    let component = linked(json!({"model": {"library": "rules"}, "ontologies": ontologies}));
    pilots_to_ready(component.as_ref());
    let names: Vec<String> = component.capabilities().into_iter().map(|capability| capability.name).collect();
    assert_eq!(names, ["hint_nodes_r"]);
}
