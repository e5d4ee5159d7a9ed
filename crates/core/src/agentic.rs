use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::{
    Cancel, Capability, Corpus, EvidenceGraph, Fault, Formalize, Meta, OntologyRows, Problem, Progress,
    Request, Response, RunError, RunErrorKind, StateTable, Verdict, near_names,
};

/// A future that can be sent between threads, boxed so that [`Agentic`] is object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The face that every component shows, the endpoint included.
///
/// All methods take `&self`: a component is shared between requests. The futures may do blocking work; whoever
/// drives them gives each its own blocking thread.
pub trait Agentic: Send + Sync {
    /// Returns the id: `endpoint_<folder>/<class>_<name>`.
    fn id(&self) -> &str;

    /// Returns what the component is for.
    fn description(&self) -> String;

    /// Returns the states of its class.
    fn states(&self) -> &'static StateTable;

    /// Returns where it stands.
    fn standing(&self) -> &Standing;

    /// Returns what it can do; empty where that is not known before a state is reached.
    fn capabilities(&self) -> Vec<Capability>;

    /// Does one step of work from the present state, and sets the next state or an error with its cause.
    ///
    /// Returns what it did, in one short fragment. It is not called in an error state or when ready.
    fn advance<'a>(&'a self, context: PilotContext<'a>) -> BoxFuture<'a, String>;

    /// Runs a request that [`Agentic::dry_run`] accepts.
    fn run<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>>;

    /// Takes a tool that the component declared. Called once for each tool, before piloting.
    ///
    /// # Errors
    /// A tool that it cannot use is refused, with the reason.
    fn add_tool(&self, name: &str, tool: Arc<dyn Agentic>) -> Result<(), Fault> {
        let _ = tool;
        Err(Fault::new(format!("'{}' takes no tools, but '{name}' was given", self.id())))
    }

    /// Finds problems in what the component was configured with, without changing anything. Called after linking.
    fn check(&self) -> Vec<Problem> {
        Vec::new()
    }

    /// Releases resources; persists only when the endpoint is `locked` for writing. Called once.
    ///
    /// # Errors
    /// What could not be persisted.
    fn close(&self, locked: bool) -> Result<(), Fault> {
        let _ = locked;
        Ok(())
    }

    /// Returns the typed faces that the component has beside this one.
    fn facets(&self) -> Facets {
        Facets::default()
    }

    /// Returns state, description and capabilities.
    fn meta(&self) -> Meta {
        Meta {
            state: self.standing().state(),
            description: self.description(),
            capabilities: self.capabilities(),
        }
    }

    /// Drives the component to a state: steps until it is there, in error, or, with `just_once`, after one step.
    fn pilot<'a>(&'a self, intent: i32, context: PilotContext<'a>) -> BoxFuture<'a, PilotOutcome> {
        Box::pin(async move {
            let mut steps = Vec::new();
            loop {
                let state = self.standing().state();
                let reached = state >= intent;
                let stopped = context.cancel.is_cancelled() || (context.just_once && !steps.is_empty());
                if reached || state < 0 || stopped {
                    let advanced = state >= 0 && !steps.is_empty();
                    return PilotOutcome { state, reached, advanced, steps };
                }
                steps.push(self.advance(context).await);
                if self.standing().state() == state {
                    // A step that changes nothing would be repeated for ever.
                    return PilotOutcome { state, reached: false, advanced: false, steps };
                }
            }
        })
    }

    /// Tells whether a request would run, without running it. It never fails.
    fn dry_run(&self, request: &Request) -> Verdict {
        match verify(self.id(), &self.capabilities(), request) {
            Ok(()) => {
                let state = self.standing().state();
                if state == StateTable::READY { Verdict::ok() } else { Verdict::not_ready("Not ready.") }
            }
            Err(error) => Verdict::invalid(error.message),
        }
    }
}

/// Checks a call against the capabilities it may mean.
fn verify(id: &str, capabilities: &[Capability], request: &Request) -> Result<(), RunError> {
    let call = request.call()?;
    let Some(capability) = capabilities.iter().find(|capability| capability.name == call.name) else {
        let names = capabilities.iter().map(|capability| capability.name.as_str());
        let near = near_names(&call.name, names);
        let mut error = RunError::new(
            RunErrorKind::FailedToFindCapability,
            format!("Capability \"{}\" not found in {id}.", call.name),
        );
        if let Some(near) = near.first() {
            error = error.hint(format!("did you mean '{near}'?"));
        }
        return Err(error);
    };
    capability.check(&call.arguments)
}

/// How a component is to be piloted.
#[derive(Clone, Copy)]
pub struct PilotContext<'a> {
    /// Do one step and return.
    pub just_once: bool,
    /// Hears how far long steps are.
    pub progress: &'a dyn Progress,
    /// Asks to end at the next safe point.
    pub cancel: &'a Cancel,
}

/// What piloting came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PilotOutcome {
    /// The state now.
    pub state: i32,
    /// The state is the intent or beyond it.
    pub reached: bool,
    /// At least one step was done, and none failed.
    pub advanced: bool,
    /// What was done, one fragment a step.
    pub steps: Vec<String>,
}

/// The typed faces of the bulk road that a component may have.
#[derive(Clone, Default)]
pub struct Facets {
    /// It holds documents.
    pub corpus: Option<Arc<dyn Corpus>>,
    /// It reads text.
    pub formalizer: Option<Arc<dyn Formalize>>,
    /// It holds an ontology's rows.
    pub ontology: Option<Arc<dyn OntologyRows>>,
    /// It holds evidence.
    pub graph: Option<Arc<dyn EvidenceGraph>>,
}

/// Where a component stands: its state, and the cause when that is an error.
#[derive(Debug, Default)]
pub struct Standing {
    state: AtomicI32,
    fault: Mutex<Option<Fault>>,
}

impl Standing {
    /// Returns the code of the state.
    pub fn state(&self) -> i32 {
        self.state.load(Ordering::SeqCst)
    }

    /// Returns why the state is an error.
    pub fn fault(&self) -> Option<Fault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Moves to a state without error.
    pub fn set(&self, state: i32) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.state.store(state, Ordering::SeqCst);
    }

    /// Moves to an error state (negative), with its cause.
    pub fn fail(&self, state: i32, fault: Fault) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
        self.state.store(state, Ordering::SeqCst);
    }

    /// Refuses a request unless the component is ready.
    ///
    /// # Errors
    /// [`RunErrorKind::InvalidState`], with the cause when it is in an error state.
    pub fn require_ready(&self, id: &str, states: &StateTable) -> Result<(), RunError> {
        let state = self.state();
        if state == StateTable::READY {
            return Ok(());
        }
        let mut message = format!("'{id}' is in state {}", states.name(state));
        if let Some(fault) = self.fault() {
            message = format!("{message}: {fault}");
        }
        Err(RunError::new(RunErrorKind::InvalidState, message).hint("pilot it first: mge pilot ALL_READY"))
    }
}
