use std::sync::Arc;

use mge_core::{
    Agentic, BoxFuture, Capability, Fault, PilotContext, PilotOutcome, Problem, Request, Response, RunError,
    Standing, StateTable, Verdict,
};

use crate::endpoint::Endpoint;

impl Agentic for Endpoint {
    fn id(&self) -> &str {
        &self.id
    }

    fn description(&self) -> String {
        self.config().description.clone()
    }

    fn states(&self) -> &'static StateTable {
        &crate::STATES
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn capabilities(&self) -> Vec<Capability> {
        self.parts().exposed.values().map(|(_, capability)| capability.clone()).collect()
    }

    fn advance<'a>(&'a self, context: PilotContext<'a>) -> BoxFuture<'a, String> {
        Box::pin(self.step(context))
    }

    fn pilot<'a>(&'a self, intent: i32, context: PilotContext<'a>) -> BoxFuture<'a, PilotOutcome> {
        Box::pin(self.drive(intent, context))
    }

    fn dry_run(&self, request: &Request) -> Verdict {
        self.judge(request)
    }

    fn run<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        Box::pin(self.route(request))
    }

    fn add_tool(&self, name: &str, _tool: Arc<dyn Agentic>) -> Result<(), Fault> {
        Err(Fault::new(format!("an endpoint takes no tools, but '{name}' was given")))
    }

    fn check(&self) -> Vec<Problem> {
        Vec::new()
    }

    fn close(&self, _locked: bool) -> Result<(), Fault> {
        self.close_all()
    }
}
