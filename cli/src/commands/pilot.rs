use std::ffi::OsString;

use mge_core::Agentic as _;
use mge_endpoint::STATES;

use crate::context::Context;
use crate::exit::Exit;

/// Drive an endpoint to a state
///
/// Builds its components, links them, and readies them one after the other. What was reached is saved, and where it
/// stopped it goes on.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or(crate::complete::Word::State))]
    first: Option<OsString>,

    /// The state, by name or number [default: ALL_READY]
    #[arg(value_name = "STATE", add = crate::complete::word(crate::complete::Word::State))]
    second: Option<OsString>,

    /// Do one step and stop
    #[arg(long, alias = "just_once")]
    just_once: bool,

    /// Wait this long for another writer to end
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first, args.second, 1)?;
    let intent = located.words.first().map_or("ALL_READY", String::as_str);
    let intent = STATES.resolve(intent)?;
    let endpoint = context.write(&located.folder, "mge pilot", args.wait)?;
    let outcome = context.pilot(&endpoint, intent, args.just_once);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            context.close(&endpoint)?;
            return Err(error);
        }
    };
    let failed = (outcome.state < 0 || context.signals.exit().is_some())
        .then(|| context.not_piloted(&endpoint, outcome.state));
    let capabilities = endpoint.capabilities().len();
    context.close(&endpoint)?;

    let name = STATES.name(outcome.state);
    if context.global.json {
        context.printer.json(&serde_json::json!({
            "version": 1,
            "state": {"code": outcome.state, "name": name},
            "reached": outcome.reached,
            "advanced": outcome.advanced,
            "steps": outcome.steps,
        }))?;
    } else if failed.is_none() {
        // One step may ready many items; the endpoint's own id before each of them tells nothing new.
        let own = format!("{}/", endpoint.id());
        let steps = if context.printer.tells_notes() { outcome.steps.as_slice() } else { &[] };
        for part in steps.iter().flat_map(|step| step.split("; ")) {
            context.printer.line(format!("- {}", part.strip_prefix(&own).unwrap_or(part)));
        }
        let tail = if outcome.reached && outcome.state == 100 {
            format!(", {capabilities} capabilities exposed")
        } else {
            String::new()
        };
        context.printer.line(format!("The endpoint is in state {} {name}{tail}", outcome.state));
    }
    if let Some(error) = failed {
        return Err(error);
    }
    if outcome.state == 100 {
        context.printer.next("mge crawl --all", "reads the documents");
    } else {
        context.printer.next("mge pilot", "goes on");
    }
    // One step that was asked for and done is done, wherever it led.
    Ok(if outcome.reached || args.just_once { Exit::Done } else { Exit::NotReady })
}
