use std::ffi::OsString;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use mge_config::lock::{self, LockView};

use crate::context::Context;
use crate::exit::{Exit, Failure};

/// Free the lock that a dead writer left
///
/// Seldom needed: on the same machine the next writer takes over by itself. It refuses while the holder is alive.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    endpoint: Option<OsString>,

    /// Do not ask
    #[arg(short, long)]
    yes: bool,

    /// Also while the holder is alive; two writers at once can lose work
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let folder = context.locate_only(args.endpoint)?;
    // The configuration may be broken, and the lock be freed nevertheless.
    let absolute = std::path::absolute(&folder)?;
    let (holder, is_stale) = match lock::inspect(&absolute) {
        LockView::Free => return freed(context, false, None),
        LockView::Locked { holder } => (holder, false),
        LockView::Stale { holder } => (holder, true),
    };
    let who = holder.as_ref().map_or_else(|| "an unknown process".to_owned(), ToString::to_string);
    // Whoever is alive is not asked about but refused below, with the code of a lock.
    let asks = !args.yes && (args.force || is_stale);
    if asks && !confirmed(context, &who)? {
        return Ok(Exit::Failures);
    }
    let freed_lock = if args.force { lock::force_free(&absolute) } else { lock::free(&absolute) }?;
    if let Some(risk) = &freed_lock.risk {
        context.printer.warning(risk);
    }
    freed(context, true, Some(who))
}

fn freed(context: &mut Context, changed: bool, was: Option<String>) -> anyhow::Result<Exit> {
    if context.global.json {
        context
            .printer
            .json(&serde_json::json!({"version": 1, "state": "free", "changed": changed, "was": was}))?;
    } else {
        context.printer.line(if changed { "The lock is free" } else { "The lock was free already" });
    }
    Ok(Exit::Done)
}

/// Asks where there is somebody to ask.
fn confirmed(context: &Context, who: &str) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() || !context.printer.is_watched() {
        return Err(Failure::usage(format!("the lock is held by {who}; freeing it needs a confirmation"))
            .hint("pass --yes if you are sure that it has ended")
            .into());
    }
    let mut err = io::stderr().lock();
    write!(err, "The lock is held by {who}. Free it? [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
