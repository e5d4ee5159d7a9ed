//! From a request to the component that answers it.

use std::sync::Arc;

use mge_core::{Agentic, FunctionCall, Request, Response, RunError, RunErrorKind, Verdict, near_names};
use serde_json::{Map, Value, json};

use crate::endpoint::Endpoint;
use crate::states::ALL_READY;

impl Endpoint {
    /// Runs a request as it came from outside: a call of an exposed capability, or messages.
    ///
    /// # Errors
    /// The kinds of [`RunErrorKind`].
    pub async fn run_value(&self, value: &Value) -> Result<Response, RunError> {
        self.require_ready()?;
        self.route(&Request::parse(value)?).await
    }

    /// Tells whether [`Endpoint::run_value`] would run a request, without running it. It never fails.
    pub fn dry_run_value(&self, value: &Value) -> Verdict {
        if !self.is_ready() {
            return Verdict::not_ready("Not ready.");
        }
        match Request::parse(value) {
            Ok(request) => self.judge(&request),
            Err(error) => Verdict::invalid(error.message),
        }
    }

    /// Calls a capability of one component by its name, exposed or not: for the command line, which is the owner.
    ///
    /// # Errors
    /// No such component, or what the call comes to.
    pub async fn call(&self, item: &str, call: FunctionCall) -> Result<Response, RunError> {
        let Some(component) = self.component(item) else {
            return Err(RunError::new(
                RunErrorKind::FailedToFindCapability,
                format!("there is no item '{item}'"),
            ));
        };
        self.perform(component, Request::Call(call)).await
    }

    pub(crate) fn judge(&self, request: &Request) -> Verdict {
        if !self.is_ready() {
            return Verdict::not_ready("Not ready.");
        }
        match self.find(request) {
            Ok(component) => component.dry_run(request),
            Err(error) => Verdict::invalid(error.message),
        }
    }

    pub(crate) async fn route(&self, request: &Request) -> Result<Response, RunError> {
        self.require_ready()?;
        let component = self.find(request)?;
        self.perform(component, request.clone()).await
    }

    fn require_ready(&self) -> Result<(), RunError> {
        let state = self.standing.state();
        if state == ALL_READY {
            return Ok(());
        }
        let message = match self.standing.fault() {
            Some(fault) => format!("the endpoint is in state {}: {fault}", crate::STATES.name(state)),
            None => format!("the endpoint is in state {}", crate::STATES.name(state)),
        };
        Err(RunError::new(RunErrorKind::InvalidState, message).hint("run: mge pilot ALL_READY"))
    }

    /// Finds who answers: by capability, or, of messages, the only component that is exposed.
    fn find(&self, request: &Request) -> Result<Arc<dyn Agentic>, RunError> {
        let parts = self.parts();
        let owner = match request {
            Request::Messages(_) => match &parts.exposed.values().collect::<Vec<_>>()[..] {
                [(item, _)] => item.clone(),
                _ => {
                    return Err(request
                        .call()
                        .err()
                        .unwrap_or_else(|| RunError::invalid("no function call")));
                }
            },
            Request::Call(call) => match parts.exposed.get(&call.name) {
                Some((item, _)) => item.clone(),
                None => return Err(unknown(call, parts.exposed.keys().map(String::as_str))),
            },
        };
        let found = parts.items.iter().find(|item| item.name == owner).map(|item| item.component.clone());
        found.ok_or_else(|| RunError::failed(format!("the item '{owner}' is gone")))
    }

    /// Validates, logs and runs a request on a thread of its own; a component that panics fails alone.
    async fn perform(&self, component: Arc<dyn Agentic>, request: Request) -> Result<Response, RunError> {
        let verdict = component.dry_run(&request);
        match verdict.status {
            0 => {}
            1 => component.standing().require_ready(component.id(), component.states())?,
            _ => return Err(self.refusal(component.as_ref(), &request, verdict)),
        }
        let (mark, logged) = match &request {
            Request::Call(call) => (call.id.clone(), json!({"name": call.name, "arguments": call.arguments})),
            Request::Messages(messages) => (None, Value::Array(messages.clone())),
        };
        let id = component.id().to_owned();
        let number = self.events.emit(&id, "request", Map::from_iter([("request".to_owned(), logged)]));
        let handle = tokio::runtime::Handle::current();
        let work = tokio::task::spawn_blocking(move || handle.block_on(component.run(&request)));
        let result = match work.await {
            Ok(result) => result,
            Err(error) if error.is_panic() => {
                Err(RunError::failed(format!("'{id}' panicked: this is a bug of the component")))
            }
            Err(_) => Err(RunError::failed(format!("'{id}' was stopped"))),
        };
        match result {
            Ok(mut response) => {
                response.id = mark;
                let fields = serde_json::to_value(&response).unwrap_or_default();
                self.events.emit_as(
                    number,
                    &id,
                    "response",
                    Map::from_iter([("response".to_owned(), fields)]),
                );
                Ok(response)
            }
            Err(error) => {
                let fields = Map::from_iter([("error".to_owned(), Value::String(error.message.clone()))]);
                self.events.emit_as(number, &id, "error", fields);
                Err(error)
            }
        }
    }

    fn refusal(&self, component: &dyn Agentic, request: &Request, verdict: Verdict) -> RunError {
        let Request::Call(call) = request else { return RunError::invalid(verdict.description) };
        let capabilities = component.capabilities();
        match capabilities.iter().find(|capability| capability.name == call.name) {
            // The check tells more than the verdict: it has a hint.
            Some(capability) => capability
                .check(&call.arguments)
                .err()
                .unwrap_or_else(|| RunError::invalid(verdict.description)),
            None => unknown(call, capabilities.iter().map(|capability| capability.name.as_str())),
        }
    }
}

fn unknown<'a>(call: &FunctionCall, names: impl Iterator<Item = &'a str>) -> RunError {
    // The original's words, which callers may know.
    let message = format!("Capability \"{}\" not found in Endpoint.", call.name);
    let names: Vec<&str> = names.collect();
    let near = near_names(&call.name, names.iter().copied());
    let hint = match near.first() {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("the capabilities are {}", names.join(", ")),
    };
    RunError::new(RunErrorKind::FailedToFindCapability, message).hint(hint)
}
