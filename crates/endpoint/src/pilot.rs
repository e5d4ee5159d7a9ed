//! Driving the endpoint from state to state.

use std::sync::Arc;

use mge_core::{Access, Agentic, Fault, PilotContext, PilotOutcome, StateTable};
use tokio::runtime::Handle;

use crate::endpoint::Endpoint;
use crate::error::NotReady;
use crate::expose;
use crate::states::{
    ALL_READY, ERR_EXPOSING, ERR_LOADING_OBJ, ERR_PILOTING, ERR_TOOL_CAPS, EXPOSED_API, INITIAL, LINKED_OBJ,
    LOADED_OBJ, PILOT_REQUIRED, TOOLS_ARE_READY,
};

impl Endpoint {
    /// Does the step that the present state asks for; returns what it did.
    pub(crate) async fn step(&self, context: PilotContext<'_>) -> String {
        match self.standing.state() {
            INITIAL => match self.build() {
                Ok(()) => format!("built {} items", self.parts().items.len()),
                Err(fault) => fault.message,
            },
            LOADED_OBJ => match self.link() {
                Ok(()) => "linked every item with its tools".to_owned(),
                Err(faults) => {
                    faults.into_iter().map(|(_, fault)| fault.message).collect::<Vec<_>>().join("; ")
                }
            },
            LINKED_OBJ => match self.expose() {
                Ok(count) => format!("exposed {count} capabilities"),
                Err(fault) => fault.message,
            },
            EXPOSED_API | PILOT_REQUIRED => self.pilot_items(context),
            TOOLS_ARE_READY => match self.research() {
                Ok(count) => format!("found {count} capabilities"),
                Err(fault) => fault.message,
            },
            _ => String::new(),
        }
    }

    pub(crate) fn expose(&self) -> Result<usize, Fault> {
        let merged = {
            let parts = self.parts();
            let names: Vec<&str> = parts.items.iter().map(|item| item.name.as_str()).collect();
            expose::selection(&self.config().expose, &names).and_then(|chosen| {
                let mut offered = Vec::new();
                for name in chosen {
                    let item = parts.items.iter().find(|item| item.name == name);
                    if item.is_some_and(|item| !item.is_built) {
                        // It says why when it is piloted, which comes next.
                        continue;
                    }
                    let capabilities = item.map(|item| item.component.capabilities()).unwrap_or_default();
                    if capabilities.is_empty() {
                        return Err(Fault::new(format!("'{name}' is exposed, but offers no capabilities"))
                            .hint("take it out of \"expose\""));
                    }
                    offered.push((name, capabilities));
                }
                expose::merge(&offered)
            })
        };
        match merged {
            Ok(table) => {
                let count = table.len();
                self.parts_mut().exposed = table;
                self.standing.set(EXPOSED_API);
                Ok(count)
            }
            Err(fault) => {
                self.fail(ERR_EXPOSING, fault.clone());
                Err(fault)
            }
        }
    }

    fn research(&self) -> Result<usize, Fault> {
        let merged = {
            let parts = self.parts();
            let all: Vec<_> =
                parts.items.iter().map(|item| (item.name.as_str(), item.component.capabilities())).collect();
            expose::merge(&all)
        };
        match merged {
            Ok(table) => {
                let count = table.len();
                self.parts_mut().all = table;
                self.standing.set(ALL_READY);
                Ok(count)
            }
            Err(fault) => {
                self.fail(ERR_TOOL_CAPS, fault.clone());
                Err(fault)
            }
        }
    }

    /// Pilots the items that are not ready: one step of the first of them, or all of them to the end.
    fn pilot_items(&self, context: PilotContext<'_>) -> String {
        let (levels, items) = {
            let parts = self.parts();
            (parts.levels.clone(), parts.items.iter().map(|item| item.component.clone()).collect::<Vec<_>>())
        };
        let mut did = Vec::new();
        for level in levels {
            let waiting: Vec<Arc<dyn Agentic>> = level
                .iter()
                .map(|position| items[*position].clone())
                .filter(|item| item.standing().state() != StateTable::READY)
                .collect();
            let waiting = if context.just_once { &waiting[..waiting.len().min(1)] } else { &waiting[..] };
            let outcomes = pilot_level(waiting, context);
            for (item, outcome) in waiting.iter().zip(outcomes) {
                did.extend(outcome.steps.iter().map(|step| format!("{}: {step}", item.id())));
                if outcome.state < 0 {
                    self.fail_piloting(item.as_ref(), outcome.state);
                    return did.join("; ");
                }
            }
            if context.cancel.is_cancelled() || (context.just_once && !did.is_empty()) {
                break;
            }
        }
        let ready = items.iter().all(|item| item.standing().state() == StateTable::READY);
        self.standing.set(if ready { TOOLS_ARE_READY } else { PILOT_REQUIRED });
        if did.is_empty() { "every item is ready".to_owned() } else { did.join("; ") }
    }

    /// Drives the endpoint to a state, from the one that the last close saved.
    pub(crate) async fn drive(&self, intent: i32, context: PilotContext<'_>) -> PilotOutcome {
        self.restore(context).await;
        let outcome = self.go(intent, context).await;
        if outcome.advanced && self.access == Access::Write {
            // What comes next may be killed at any instant, and closing saves only what lives to be closed.
            if let Err(fault) = self.save() {
                self.events.error(&self.id, fault.to_string());
            }
        }
        outcome
    }

    /// Returns to the saved state by doing its steps again, which re-opens what they persisted.
    ///
    /// What no longer works ends in the error state that piloting would end in. It does nothing in a process that has
    /// piloted already.
    async fn restore(&self, context: PilotContext<'_>) {
        let Some(saved) = self.saved_state().filter(|_| self.standing.state() == INITIAL) else { return };
        let whole = PilotContext { just_once: false, ..context };
        if saved.state < PILOT_REQUIRED || saved.state >= TOOLS_ARE_READY {
            self.go(saved.state, whole).await;
            return;
        }
        if !self.go(EXPOSED_API, whole).await.reached {
            return;
        }
        let order: Vec<_> = {
            let parts = self.parts();
            parts.levels.iter().flatten().map(|position| parts.items[*position].clone()).collect()
        };
        for item in order {
            let reached = saved.items.get(&item.name).copied().unwrap_or(INITIAL);
            let outcome = item.component.pilot(reached, whole).await;
            if outcome.state < 0 {
                self.fail_piloting(item.component.as_ref(), outcome.state);
                return;
            }
        }
        self.standing.set(PILOT_REQUIRED);
    }

    fn fail_piloting(&self, item: &dyn Agentic, state: i32) {
        let cause = item.standing().fault().unwrap_or_else(|| Fault::new("it gives no cause"));
        let message = format!("'{}' failed ({}): {}", item.id(), item.states().name(state), cause.message);
        self.fail(ERR_PILOTING, Fault { message, ..cause });
    }

    /// Goes on to a state. `PILOT_REQUIRED` may follow itself: each step readies a part of the items.
    async fn go(&self, intent: i32, context: PilotContext<'_>) -> PilotOutcome {
        let mut steps = Vec::new();
        loop {
            let state = self.standing.state();
            let stopped = context.cancel.is_cancelled() || (context.just_once && !steps.is_empty());
            if state >= intent || state < 0 || stopped {
                let advanced = state >= 0 && !steps.is_empty();
                return PilotOutcome { state, reached: state >= intent, advanced, steps };
            }
            let step = self.step(context).await;
            self.events.message(&self.id, &step);
            steps.push(step);
        }
    }

    /// Re-opens what is persisted, as the saved state says: for readers, who neither lock nor write.
    ///
    /// Only the named items and what they use are made ready; an empty list means all.
    ///
    /// # Errors
    /// The endpoint was never piloted this far, its configuration changed since, or something failed to open.
    pub async fn resume(&self, needed: &[&str], context: PilotContext<'_>) -> Result<(), NotReady> {
        let pilot =
            || format!("run: mge pilot {} ALL_READY", shell_word(&self.config().folder.to_string_lossy()));
        let not_ready = |message: String| NotReady { message, hint: pilot() };
        if self.config().auto_pilot.is_none() {
            return Err(not_ready("auto_pilot is off, so nothing is resumed".to_owned()));
        }
        let Some(saved) = self.saved_state() else {
            let message = match self.saved {
                Some(_) => "the configuration changed since the endpoint was piloted",
                None => "the endpoint was not piloted yet",
            };
            return Err(not_ready(message.to_owned()));
        };
        if saved.state < TOOLS_ARE_READY {
            let name = crate::STATES.name(saved.state);
            return Err(not_ready(format!("the endpoint was piloted to {name} only")));
        }
        let outcome = self.go(EXPOSED_API, PilotContext { just_once: false, ..context }).await;
        if outcome.reached {
            self.ready_only(needed, context);
        }
        match self.standing.fault() {
            Some(fault) => {
                let hint = fault.hint.unwrap_or_else(pilot);
                Err(NotReady { message: fault.message, hint })
            }
            None => Ok(()),
        }
    }

    /// Readies the named items and all that they use.
    fn ready_only(&self, needed: &[&str], context: PilotContext<'_>) {
        let full = self.parts().levels.clone();
        let mut wanted: Vec<usize> = Vec::new();
        {
            let parts = self.parts();
            let mut open: Vec<String> = match needed {
                [] => parts.items.iter().map(|item| item.name.clone()).collect(),
                names => names.iter().map(|name| (*name).to_owned()).collect(),
            };
            while let Some(name) = open.pop() {
                if let Some(position) = parts.items.iter().position(|item| item.name == name)
                    && !wanted.contains(&position)
                {
                    wanted.push(position);
                    open.extend(parts.items[position].tools.iter().cloned());
                }
            }
        }
        let only: Vec<Vec<usize>> = full
            .iter()
            .map(|level| level.iter().copied().filter(|position| wanted.contains(position)).collect())
            .collect();
        let everything = wanted.len() == self.parts().items.len();
        self.parts_mut().levels = only;
        self.pilot_items(PilotContext { just_once: false, ..context });
        self.parts_mut().levels = full;
        if everything && self.standing.state() == TOOLS_ARE_READY {
            // A doubled capability is a fault of its own, which `research` records.
            let _ = self.research();
        }
    }
}

/// Pilots items that do not depend on each other, each on its own thread; the outcomes keep their order.
fn pilot_level(items: &[Arc<dyn Agentic>], context: PilotContext<'_>) -> Vec<PilotOutcome> {
    let Ok(handle) = Handle::try_current() else {
        return items.iter().map(|item| no_runtime(item.as_ref())).collect();
    };
    if let [item] = items {
        let item = item.as_ref();
        return vec![std::thread::scope(|scope| {
            join(item, scope.spawn(|| handle.block_on(item.pilot(StateTable::READY, context))))
        })];
    }
    std::thread::scope(|scope| {
        let running: Vec<_> = items
            .iter()
            .map(|item| (item, scope.spawn(|| handle.block_on(item.pilot(StateTable::READY, context)))))
            .collect();
        running.into_iter().map(|(item, thread)| join(item.as_ref(), thread)).collect()
    })
}

/// A component that panics fails alone, as an error of its own.
fn join(item: &dyn Agentic, thread: std::thread::ScopedJoinHandle<'_, PilotOutcome>) -> PilotOutcome {
    thread.join().unwrap_or_else(|_| broken(item, "it panicked: this is a bug of the component"))
}

fn no_runtime(item: &dyn Agentic) -> PilotOutcome {
    broken(item, "there is no runtime to pilot it on")
}

fn broken(item: &dyn Agentic, message: &str) -> PilotOutcome {
    item.standing().fail(ERR_LOADING_OBJ, Fault::new(message));
    PilotOutcome { state: ERR_LOADING_OBJ, reached: false, advanced: false, steps: Vec::new() }
}

fn shell_word(path: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "/._-".contains(character);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}
