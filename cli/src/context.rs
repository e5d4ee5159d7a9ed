//! What every command works with: the printer, the global options, and the way to an endpoint.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use mge_config::Section;
use mge_core::{
    Agentic as _, Cancel, EvidenceGraph, FunctionCall, PilotContext, PilotOutcome, Response, StateTable,
};
use mge_endpoint::{Endpoint, OpenError, OpenOptions, Registry};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::args::Global;
use crate::diagnostics;
use crate::event_log::EventLog;
use crate::exit::{Exit, Failure, did_you_mean};
use crate::locate::{self, Located};
use crate::printer::Printer;
use crate::progress::Meter;
use crate::signals::Signals;

/// What a command is run with.
pub(crate) struct Context {
    pub(crate) printer: Printer,
    pub(crate) global: Global,
    pub(crate) cancel: Cancel,
    pub(crate) signals: Signals,
    registry: Registry,
    runtime: Option<Runtime>,
    /// Signals are listened to; a second listener would hear the first signal as a second one.
    listening: bool,
}

impl Context {
    pub(crate) fn new(printer: Printer, global: Global, registry: Registry) -> Self {
        Self {
            printer,
            global,
            cancel: Cancel::default(),
            signals: Signals::default(),
            registry,
            runtime: None,
            listening: false,
        }
    }

    /// Returns what the endpoint can be made of.
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Takes the endpoint out of a command's words, of which at most `most` are something else.
    pub(crate) fn locate(
        &self,
        first: Option<OsString>,
        rest: impl IntoIterator<Item = OsString>,
        most: usize,
    ) -> Result<Located, Failure> {
        locate::locate(self.global.endpoint.as_deref(), first, rest.into_iter().collect(), most)
    }

    /// Takes the endpoint of a command that has no other words.
    pub(crate) fn locate_only(&self, first: Option<OsString>) -> Result<PathBuf, Failure> {
        Ok(self.locate(first, [], 0)?.folder)
    }

    /// Starts the runtime where a command needs one; most start without.
    fn runtime(&mut self) -> anyhow::Result<&Runtime> {
        if self.runtime.is_none() {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            self.runtime = Some(builder.enable_all().build().context("cannot start the threads")?);
        }
        self.runtime.as_ref().context("there is no runtime")
    }

    /// Lets the first signal ask for an end at the next safe point, from now on.
    pub(crate) fn listen(&mut self) -> anyhow::Result<()> {
        if std::mem::replace(&mut self.listening, true) {
            return Ok(());
        }
        let (signals, cancel) = (self.signals.clone(), self.cancel.clone());
        signals.listen(self.runtime()?, &cancel);
        Ok(())
    }

    /// Opens an endpoint to look at: nothing is built, locked or written.
    pub(crate) fn look(&self, folder: &Path) -> anyhow::Result<Endpoint> {
        self.open(folder, OpenOptions::read())
    }

    /// Opens an endpoint for reading and re-opens what is persisted of the named items; of all, without names.
    ///
    /// With `pilot`, an endpoint that is not ready is piloted first.
    pub(crate) fn read(&mut self, folder: &Path, needed: &[&str], pilot: bool) -> anyhow::Result<Endpoint> {
        let endpoint = self.look(folder)?;
        let Err(error) = self.resume(&endpoint, needed)? else { return Ok(endpoint) };
        if !pilot {
            return Err(Failure::new(Exit::NotReady, error.message).hint(error.hint).into());
        }
        drop(endpoint);
        let endpoint = self.write(folder, "mge pilot", None)?;
        self.pilot_fully(&endpoint)?;
        self.close(&endpoint)?;
        drop(endpoint);
        let endpoint = self.look(folder)?;
        match self.resume(&endpoint, needed)? {
            Ok(()) => Ok(endpoint),
            Err(error) => Err(Failure::new(Exit::NotReady, error.message).hint(error.hint).into()),
        }
    }

    fn resume(
        &mut self,
        endpoint: &Endpoint,
        needed: &[&str],
    ) -> anyhow::Result<Result<(), mge_endpoint::NotReady>> {
        let meter = Meter::new(&self.printer);
        let cancel = self.cancel.clone();
        let context = PilotContext { just_once: false, progress: &meter, cancel: &cancel };
        Ok(self.runtime()?.block_on(endpoint.resume(needed, context)))
    }

    /// Opens an endpoint for writing: takes the lock, as the named command.
    pub(crate) fn write(
        &mut self,
        folder: &Path,
        command: &str,
        wait: Option<u64>,
    ) -> anyhow::Result<Endpoint> {
        let wait = Duration::from_secs(wait.unwrap_or(0));
        let endpoint = self.open(folder, OpenOptions { wait, ..OpenOptions::write(command) })?;
        if let Some(notice) = endpoint.lock_notice() {
            self.printer.note(notice);
        }
        self.listen()?;
        Ok(endpoint)
    }

    fn open(&self, folder: &Path, options: OpenOptions) -> anyhow::Result<Endpoint> {
        let log = EventLog::open(self.global.log_file.as_deref(), self.printer.tells_warnings())?;
        let options =
            OpenOptions { sink: Some(Arc::new(log)), run_commands: self.global.run_commands, ..options };
        match Endpoint::open(folder, &self.registry, options) {
            Ok(endpoint) => Ok(endpoint),
            Err(OpenError::Configuration(found)) => {
                diagnostics::draw(&self.printer, &found);
                Err(diagnostics::summary(&found).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Drives an endpoint to a state, or by one step.
    pub(crate) fn pilot(
        &mut self,
        endpoint: &Endpoint,
        intent: i32,
        just_once: bool,
    ) -> anyhow::Result<PilotOutcome> {
        let meter = Meter::new(&self.printer);
        let cancel = self.cancel.clone();
        let context = PilotContext { just_once, progress: &meter, cancel: &cancel };
        Ok(self.runtime()?.block_on(endpoint.pilot(intent, context)))
    }

    /// Drives an endpoint to ALL_READY; anything less is an error.
    pub(crate) fn pilot_fully(&mut self, endpoint: &Endpoint) -> anyhow::Result<()> {
        let outcome = self.pilot(endpoint, StateTable::READY, false)?;
        if outcome.reached {
            return Ok(());
        }
        Err(self.not_piloted(endpoint, outcome.state))
    }

    /// Returns why piloting ended before the intent.
    pub(crate) fn not_piloted(&self, endpoint: &Endpoint, state: i32) -> anyhow::Error {
        let name = mge_endpoint::STATES.name(state);
        if let Some(exit) = self.signals.exit() {
            return Failure::new(exit, format!("interrupted in state {name}; what was done is kept")).into();
        }
        match endpoint.standing().fault() {
            Some(fault) => diagnostics::fault(
                Exit::NotReady,
                &format!("the endpoint is in state {state} {name}"),
                &fault,
            ),
            None => {
                Failure::new(Exit::NotReady, format!("the endpoint stopped in state {state} {name}")).into()
            }
        }
    }

    /// Closes an endpoint that was opened for writing: saves the state and frees the lock.
    pub(crate) fn close(&self, endpoint: &Endpoint) -> anyhow::Result<()> {
        let locked = true;
        endpoint.close(locked).context("cannot close the endpoint in full")
    }

    /// Calls a capability of an item.
    pub(crate) fn call(
        &mut self,
        endpoint: &Endpoint,
        item: &str,
        capability: &str,
        arguments: Value,
    ) -> anyhow::Result<Response> {
        let call = FunctionCall::new(capability, arguments);
        let response = self.runtime()?.block_on(endpoint.call(item, call))?;
        Ok(response)
    }

    /// Runs a request as it came from outside.
    pub(crate) fn run_value(&mut self, endpoint: &Endpoint, request: &Value) -> anyhow::Result<Response> {
        Ok(self.runtime()?.block_on(endpoint.run_value(request))?)
    }

    /// Returns a progress meter for stderr.
    pub(crate) fn meter(&self) -> Meter {
        Meter::new(&self.printer)
    }

    /// Ends what still runs in the background without waiting for it.
    pub(crate) fn shut_down(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Returns the evidence graph that is meant: the named one, or the only one.
pub(crate) fn graph_name(endpoint: &Endpoint, named: Option<&str>) -> Result<String, Failure> {
    let names = endpoint.names_of(Section::EvidenceGraphs);
    if let Some(named) = named {
        if names.contains(&named) {
            return Ok(named.to_owned());
        }
        let failure = Failure::not_found(format!("there is no evidence graph '{named}'"));
        let hint = did_you_mean(named, names.iter().copied());
        let hint = hint.or_else(|| (!names.is_empty()).then(|| format!("there are: {}", names.join(", "))));
        return Err(match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        });
    }
    match names.as_slice() {
        [only] => Ok((*only).to_owned()),
        [] => Err(Failure::usage("this endpoint has no evidence graph")
            .hint("add one to evidence_graphs.jsonc; mge check tells what it needs")),
        several => Err(Failure::usage(format!("there are {} evidence graphs", several.len()))
            .hint(format!("name one: --graph {}", several.join(" or ")))),
    }
}

/// Returns the typed face of a graph that is built.
pub(crate) fn graph_face(endpoint: &Endpoint, name: &str) -> Result<Arc<dyn EvidenceGraph>, Failure> {
    let face = endpoint.component(name).and_then(|component| component.facets().graph);
    face.ok_or_else(|| Failure::new(Exit::NotReady, format!("the evidence graph '{name}' cannot be crawled")))
}
