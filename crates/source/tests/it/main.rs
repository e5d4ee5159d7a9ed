//! Sources of every type, as an endpoint holds them.

mod mirror;
mod pages;
mod search;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use mge_core::testing::block_on;
use mge_core::{
    Access, Agentic, BuildContext, Cancel, ChunkRule, Corpus, Events, FixedClock, FunctionCall, Index,
    NoProgress, PilotContext, Request, StateTable,
};
use serde_json::{Value, json};

/// Makes a component and pilots it.
fn piloted(folder: &Path, extra_args: &Value, access: Access) -> Arc<dyn Agentic> {
    let component = built(folder, extra_args, access);
    let cancel = Cancel::default();
    let context = PilotContext { just_once: false, progress: &NoProgress, cancel: &cancel };
    let outcome = block_on(component.pilot(StateTable::READY, context));
    assert!(outcome.reached, "{:?}", component.standing().fault());
    component
}

fn built(folder: &Path, extra_args: &Value, access: Access) -> Arc<dyn Agentic> {
    let clock = Arc::new(FixedClock(jiff::Timestamp::UNIX_EPOCH));
    (mge_source::KIND.build)(BuildContext {
        id: "endpoint_e/source_s".to_owned(),
        name: "s",
        folder,
        extra_args,
        tools: &[],
        access,
        run_commands: true,
        timezone: TimeZone::UTC,
        clock: clock.clone(),
        events: Events::new(None, clock),
    })
    .expect("a component")
}

/// Pilots a component that cannot be ready; returns what it says.
fn fault(folder: &Path, extra_args: &Value) -> String {
    let component = built(folder, extra_args, Access::Write);
    let cancel = Cancel::default();
    let context = PilotContext { just_once: false, progress: &NoProgress, cancel: &cancel };
    assert!(!block_on(component.pilot(StateTable::READY, context)).reached);
    component.standing().fault().expect("a cause").to_string()
}

fn corpus(component: &dyn Agentic) -> Arc<dyn Corpus> {
    component.facets().corpus.expect("documents")
}

/// Reads every document: its text, or why it cannot be read.
fn texts(component: &dyn Agentic) -> BTreeMap<String, Result<String, String>> {
    let corpus = corpus(component);
    let listed = corpus.documents(&Index::new("")).expect("a listing");
    listed
        .map(|document| {
            let index = document.expect("a document").index;
            let read = corpus.read(&index, ChunkRule::default());
            let text = read.map(|document| document.text.to_string()).map_err(|error| error.to_string());
            (index.as_str().to_owned(), text)
        })
        .collect()
}

fn call(component: &dyn Agentic, name: &str, index: &str) -> Value {
    let request = Request::Call(FunctionCall::new(name, json!({"index": index})));
    block_on(component.run(&request)).expect("an answer").message
}

/// Returns all files below a folder with their bytes, hidden ones too.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(&below).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    found
}
