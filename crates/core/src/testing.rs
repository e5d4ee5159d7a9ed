//! Conformance suites: what every implementation of a contract must hold. Run them from its own tests.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};

use crate::{Agentic, Cancel, Capability, FunctionCall, NoProgress, PilotContext, Request, StateTable};

/// Runs a future of a component, which may block but never waits for a reactor.
///
/// # Panics
/// When the future is still pending after a million polls.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1_000_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::yield_now();
    }
    panic!("the future never ended");
}

/// Drives a fresh, linked component step by step to READY and checks its face on the way.
///
/// # Panics
/// When the component breaks the contract.
pub fn pilots_to_ready(component: &dyn Agentic) {
    let (progress, cancel) = (NoProgress, Cancel::default());
    let context = PilotContext { just_once: true, progress: &progress, cancel: &cancel };
    assert_eq!(component.standing().state(), StateTable::INITIAL, "a component starts at INITIAL");
    let states = component.states();
    let mut last = StateTable::INITIAL;
    while last != StateTable::READY {
        let outcome = block_on(component.pilot(StateTable::READY, context));
        assert!(outcome.state >= 0, "error state {}: {:?}", outcome.state, component.standing().fault());
        assert!(outcome.advanced && outcome.state > last, "a step advances: {outcome:?}");
        assert_ne!(states.name(outcome.state), "no name");
        last = outcome.state;
    }
    let again = block_on(component.pilot(StateTable::READY, context));
    assert!(again.reached && again.steps.is_empty(), "piloting a ready component does nothing");
}

/// Checks the face of a ready component: names, schemas, refusals.
///
/// # Panics
/// When the component breaks the contract.
pub fn has_a_sound_face(component: &dyn Agentic) {
    let capabilities = component.capabilities();
    assert!(!capabilities.is_empty(), "a ready component can do something");
    let mut names: Vec<&str> = capabilities.iter().map(|capability| capability.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), capabilities.len(), "capability names are unique");
    for capability in &capabilities {
        assert!(Capability::is_valid_name(&capability.name), "{}", capability.name);
        assert!(!capability.description.trim().is_empty(), "{} is described", capability.name);
        assert_eq!(capability.parameters["type"], "object");
        let unknown = Request::Call(FunctionCall::new(&capability.name, json!({"no_such_argument": 1})));
        assert_eq!(component.dry_run(&unknown).status, 2, "{} refuses unknown arguments", capability.name);
        let required = capability.parameters["required"].as_array().map_or(0, Vec::len);
        if required > 0 {
            let empty = Request::Call(FunctionCall::new(&capability.name, json!({})));
            assert_eq!(component.dry_run(&empty).status, 2, "{} needs its arguments", capability.name);
            assert!(block_on(component.run(&empty)).is_err(), "run refuses what dry_run refuses");
        }
    }
    let missing = Request::Call(FunctionCall::new("no_such_capability", Value::Null));
    assert_eq!(component.dry_run(&missing).status, 2);
    assert!(block_on(component.run(&missing)).is_err());
    let talk = Request::Messages(vec![json!({"role": "user", "content": "hello"})]);
    assert!(component.dry_run(&talk).status <= 2);
}
