use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Clock;

/// Something that happened, as the log keeps it: one JSON object a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// `request`, `response`, `error` or `message`.
    pub r#type: String,
    /// RFC 3339 UTC with milliseconds.
    pub timestamp: String,
    /// The component's id.
    pub id: String,
    /// Rises by one an event; a response bears its request's.
    pub seq_num: u64,
    /// What else belongs to an event of this type.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

/// Takes events, e.g. into a log file.
pub trait EventSink: Send + Sync {
    /// Takes one event; it must not fail the work that it tells of.
    fn emit(&self, event: &Event);
}

/// Numbers and stamps events and hands them to a sink; clones share the numbering.
#[derive(Clone)]
pub struct Events {
    inner: Arc<Inner>,
}

struct Inner {
    sink: Option<Arc<dyn EventSink>>,
    clock: Arc<dyn Clock>,
    next: AtomicU64,
}

impl Events {
    /// Makes a stream of events; without a sink they are dropped.
    pub fn new(sink: Option<Arc<dyn EventSink>>, clock: Arc<dyn Clock>) -> Self {
        Self { inner: Arc::new(Inner { sink, clock, next: AtomicU64::new(0) }) }
    }

    /// Emits an event of a component and returns its number.
    pub fn emit(&self, id: &str, kind: &str, fields: Map<String, Value>) -> u64 {
        let number = self.inner.next.fetch_add(1, Ordering::SeqCst);
        self.emit_as(number, id, kind, fields);
        number
    }

    /// Emits an event that bears an earlier number, as a response bears its request's.
    pub fn emit_as(&self, number: u64, id: &str, kind: &str, fields: Map<String, Value>) {
        if let Some(sink) = &self.inner.sink {
            sink.emit(&Event {
                r#type: kind.to_owned(),
                timestamp: self.inner.clock.stamp(),
                id: id.to_owned(),
                seq_num: number,
                fields,
            });
        }
    }

    /// Emits a message of a component.
    pub fn message(&self, id: &str, text: impl Into<String>) {
        self.emit(id, "message", one("message", text.into()));
    }

    /// Emits what a person should know though the work goes on.
    pub fn warning(&self, id: &str, text: impl Into<String>) {
        self.emit(id, "warning", one("warning", text.into()));
    }

    /// Emits an error of a component.
    pub fn error(&self, id: &str, text: impl Into<String>) {
        self.emit(id, "error", one("error", text.into()));
    }
}

fn one(key: &str, text: String) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), Value::String(text))])
}
