//! Stands in for a component that cannot be built, and says why when it is piloted or checked.

use std::sync::Arc;

use mge_core::{
    Agentic, BoxFuture, Capability, Fault, PilotContext, Problem, Request, Response, RunError, RunErrorKind,
    Severity, Standing, StateTable,
};

static AGENT: StateTable = StateTable {
    entries: &[
        (-3, "ERR_BUILDING_TOOLS"),
        (-2, "ERR_COMPLETION"),
        (-1, "ERR_SETUP"),
        (0, "INITIAL"),
        (1, "SETUP_OK"),
        (2, "COMPLETION_OK"),
        (100, "READY"),
    ],
};

/// Returns the class that the ids of a section's items carry.
pub(crate) fn class_of(section: &str) -> &'static str {
    match section {
        "sources" => "source",
        "ontologies" => "agentic_graph",
        "formalizers" => "formalizer",
        "evidence_graphs" => "evidence_graph",
        "agents" => "agent",
        "tool_services" => "tool_service",
        "memories" => "memory",
        "workflows" => "workflow",
        _ => "custom",
    }
}

/// Returns the states of a section's items, where no kind of component defines them.
pub(crate) fn states_of(section: &str) -> &'static StateTable {
    if section == "agents" { &AGENT } else { &StateTable::ALWAYS_READY }
}

/// An item without a component.
pub(crate) struct StandIn {
    id: String,
    states: &'static StateTable,
    standing: Standing,
    fault: Fault,
    /// What `check` says of it: a code and how much it matters.
    problem: (&'static str, Severity),
}

impl StandIn {
    /// An item of a section that this build has no component for.
    pub(crate) fn not_available(id: String, section: &str, name: &str) -> Self {
        let fault = Fault::new(format!("this version of mge has no {section}: '{name}' cannot be piloted")).hint(format!(
            "take '{name}' out of the section \"{section}\", and out of the tools and \"expose\" that name it"
        ));
        let problem = ("not-available", Severity::Warning);
        Self { id, states: states_of(section), standing: Standing::default(), fault, problem }
    }

    /// An item that names environment variables which are not set.
    pub(crate) fn unset(id: String, states: &'static StateTable, fault: Fault) -> Self {
        Self {
            id,
            states,
            standing: Standing::default(),
            fault,
            problem: ("unset-variable", Severity::Warning),
        }
    }
}

impl Agentic for StandIn {
    fn id(&self) -> &str {
        &self.id
    }

    fn description(&self) -> String {
        self.fault.message.clone()
    }

    fn states(&self) -> &'static StateTable {
        self.states
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn capabilities(&self) -> Vec<Capability> {
        Vec::new()
    }

    fn advance<'a>(&'a self, _context: PilotContext<'a>) -> BoxFuture<'a, String> {
        self.standing.fail(-1, self.fault.clone());
        Box::pin(std::future::ready(format!("could not start: {}", self.fault)))
    }

    fn run<'a>(&'a self, _request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        let error = RunError {
            hint: self.fault.hint.clone(),
            ..RunError::new(RunErrorKind::InvalidState, self.fault.message.clone())
        };
        Box::pin(std::future::ready(Err(error)))
    }

    fn add_tool(&self, _name: &str, _tool: Arc<dyn Agentic>) -> Result<(), Fault> {
        Ok(())
    }

    fn check(&self) -> Vec<Problem> {
        let (code, severity) = self.problem;
        let problem = match severity {
            Severity::Error => Problem::error(code, self.fault.message.clone()),
            Severity::Warning => Problem::warning(code, self.fault.message.clone()),
        };
        vec![match &self.fault.hint {
            Some(hint) => problem.hint(hint.clone()),
            None => problem,
        }]
    }
}
