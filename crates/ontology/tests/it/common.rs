use std::path::Path;
use std::sync::{Arc, Mutex};

use mge_core::testing::block_on;
use mge_core::{
    Access, Agentic, BuildContext, Cancel, Event, EventSink, Events, FixedClock, FunctionCall, NoProgress,
    PilotContext, Request, RunError, StateTable,
};
use serde_json::{Value, json};

/// Keeps the texts of events.
#[derive(Default)]
pub(crate) struct Log(pub(crate) Mutex<Vec<String>>);

impl EventSink for Log {
    fn emit(&self, event: &Event) {
        let text = event.fields.values().filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
        self.0.lock().unwrap().push(format!("{}: {text}", event.r#type));
    }
}

pub(crate) struct Subject {
    pub(crate) component: Arc<dyn Agentic>,
    pub(crate) log: Arc<Log>,
    name: String,
}

impl Subject {
    pub(crate) fn new(name: &str, extra_args: &Value, access: Access) -> Self {
        let log = Arc::new(Log::default());
        let clock = Arc::new(FixedClock(jiff::Timestamp::UNIX_EPOCH));
        let context = BuildContext {
            id: format!("endpoint_test/agentic_graph_{name}"),
            name,
            folder: Path::new("/"),
            extra_args,
            tools: &[],
            access,
            run_commands: false,
            timezone: jiff::tz::TimeZone::UTC,
            clock: clock.clone(),
            events: Events::new(Some(log.clone()), clock),
        };
        let component = (mge_ontology::KIND.build)(context).unwrap();
        Self { component, log, name: name.to_owned() }
    }

    /// Drives it to READY, or as far as it comes.
    pub(crate) fn pilot(&self) -> i32 {
        let (progress, cancel) = (NoProgress, Cancel::default());
        let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
        block_on(self.component.pilot(StateTable::READY, context)).state
    }

    pub(crate) fn call(&self, capability: &str, arguments: Value) -> Result<Value, RunError> {
        let call = FunctionCall::new(format!("{capability}_{}", self.name), arguments);
        block_on(self.component.run(&Request::Call(call))).map(|response| response.message)
    }

    pub(crate) fn ready(name: &str, extra_args: &Value) -> Self {
        let subject = Self::new(name, extra_args, Access::Write);
        assert_eq!(subject.pilot(), StateTable::READY, "{:?}", subject.component.standing().fault());
        subject
    }
}

/// Writes rows into a folder and returns the `extra_args` that name them.
pub(crate) fn files(
    folder: &Path,
    nodes: Option<&str>,
    edges: Option<&str>,
    format: Option<&Value>,
) -> Value {
    let mut extra_args = json!({});
    for (key, name, rows) in [("initial_nodes", "nodes.csv", nodes), ("initial_edges", "edges.csv", edges)] {
        if let Some(rows) = rows {
            let path = folder.join(name);
            std::fs::write(&path, rows).unwrap();
            extra_args[key] = json!({"type": "csv", "path": path});
        }
    }
    if let Some(format) = format {
        extra_args["file_format"] = format.clone();
    }
    extra_args
}
