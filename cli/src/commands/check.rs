use std::ffi::OsString;

use mge_config::{Diagnostic, Severity};
use mge_endpoint::{Endpoint, OpenError, OpenOptions};

use crate::context::Context;
use crate::diagnostics;
use crate::exit::Exit;

/// Check an endpoint without running anything
///
/// All problems of all files at once, each with its place and what to do about it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    endpoint: Option<OsString>,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let folder = context.locate_only(args.endpoint)?;
    let mut found = match Endpoint::open(&folder, context.registry(), OpenOptions::read()) {
        Ok(endpoint) => endpoint.check(),
        Err(OpenError::Configuration(found)) => found,
        Err(error) => return Err(error.into()),
    };
    found.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    let ok = found.iter().all(|problem| problem.severity != Severity::Error);
    if context.global.json {
        print_json(context, ok, &found)?;
    } else {
        let color = context.printer.has_color();
        for problem in &found {
            context.printer.line(problem.render(color));
        }
        let where_to = folder.display();
        context.printer.line(format!("{where_to}: {}", diagnostics::counted(&found)));
    }
    if !ok {
        return Ok(Exit::Usage);
    }
    context.printer.next("mge pilot", "makes it ready");
    Ok(Exit::Done)
}

fn print_json(context: &mut Context, ok: bool, found: &[Diagnostic]) -> anyhow::Result<()> {
    context.printer.json(&serde_json::json!({"version": 1, "ok": ok, "problems": found}))?;
    Ok(())
}
