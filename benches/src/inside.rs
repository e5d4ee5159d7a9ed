//! The work that is measured in a process of its own, through the crates' faces.

use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use mge_core::testing::block_on;
use mge_core::{
    Access, Agentic, BuildContext, Cancel, Events, FunctionCall, Kind, NoProgress, PilotContext, Request,
    StateTable, SystemClock,
};
use mge_source::{Source, SourceConfig};
use serde_json::{Value, json};

use crate::Failure;

/// Runs one piece of work, as its arguments say.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [work, path] if work == "walk" => walk(&open(Path::new(path))?),
        [work, path] if work == "visit" => visit(&open(Path::new(path))?),
        [work, count, path] if work == "ontology" => ontology(Path::new(path), count.parse()?),
        _ => Err("unknown work".into()),
    }
}

fn ready(kind: &Kind, folder: &Path, extra_args: &Value) -> Result<Arc<dyn Agentic>, Failure> {
    let clock = Arc::new(SystemClock);
    let component = (kind.build)(BuildContext {
        id: "endpoint_bench/measured".to_owned(),
        name: "measured",
        folder,
        extra_args,
        tools: &[],
        access: Access::Read,
        run_commands: false,
        timezone: TimeZone::UTC,
        clock: clock.clone(),
        events: Events::new(None, clock),
    })?;
    let (progress, cancel) = (NoProgress, Cancel::default());
    let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
    let outcome = block_on(component.pilot(StateTable::READY, context));
    match component.standing().fault() {
        Some(fault) => Err(fault.message.into()),
        None if outcome.reached => Ok(component),
        None => Err("not ready".into()),
    }
}

fn call(component: &dyn Agentic, capability: &str, index: &str) -> Result<Value, Failure> {
    let request = Request::Call(FunctionCall::new(capability, json!({"index": index})));
    Ok(block_on(component.run(&request))?.message)
}

/// Lists a folder.
fn open(folder: &Path) -> Result<Source, Failure> {
    let (progress, cancel) = (NoProgress, Cancel::default());
    Ok(Source::open("measured", folder, SourceConfig::default(), TimeZone::UTC, &progress, &cancel)?)
}

/// Asks for the children of every node and the object of every leaf, each by its index.
fn walk(source: &Source) -> Result<(), Failure> {
    let mut open = vec!["measured".to_owned()];
    let (mut nodes, mut leaves) = (0_u64, 0_u64);
    while let Some(index) = open.pop() {
        nodes += 1;
        let children = source.children(&index)?;
        if children.is_empty() {
            source.object(&index)?;
            leaves += 1;
        }
        open.extend(children);
    }
    println!("{nodes} nodes, {leaves} leaves");
    Ok(())
}

/// Is shown every node with its index and its text, in one pass.
fn visit(source: &Source) -> Result<(), Failure> {
    let (mut nodes, mut leaves) = (0_u64, 0_u64);
    let mut failure = None;
    source.walk("measured", &mut |node| match node {
        Ok(node) => {
            nodes += 1;
            leaves += u64::from(node.kind.is_leaf());
        }
        Err(error) => failure = Some(error),
    })?;
    println!("{nodes} nodes, {leaves} leaves");
    failure.map_or(Ok(()), |failure| Err(failure.into()))
}

fn ontology(folder: &Path, look_ups: usize) -> Result<(), Failure> {
    let file = |name: &str| json!({"type": "csv", "path": folder.join(name)});
    let extra_args = json!({"initial_nodes": file("nodes.csv"), "initial_edges": file("edges.csv")});
    let graph = ready(&mge_ontology::KIND, folder, &extra_args)?;
    for look_up in 0..look_ups {
        let node = (look_up * 97) % 100_000;
        let index = format!("measured|group_{}|part_{}", node % 100, node % 1000);
        call(graph.as_ref(), "children_by_idx_measured", &index)?;
        call(graph.as_ref(), "node_by_idx_measured", &format!("{index}|node_{node}"))?;
    }
    Ok(())
}
