use std::ffi::OsString;
use std::fs;
use std::path::Path;

use mge_config::Severity;
use mge_config::lock::{self, LockView};
use mge_endpoint::{Endpoint, OpenError, OpenOptions};
use serde::Serialize;

use crate::context::Context;
use crate::diagnostics;
use crate::exit::Exit;
use crate::locate;
use crate::printer::{Paint, columns};

/// Check this machine and an endpoint's folder, and say what to do
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder; without one around, only the machine is checked
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    endpoint: Option<OsString>,
}

/// How one thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Warning,
    Error,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    verdict: Verdict,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Finding {
    fn new(what: &'static str, verdict: Verdict, message: impl Into<String>) -> Self {
        Self { what, verdict, message: message.into(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Below this much room a crawl of any size is likely to fail.
const LITTLE_SPACE: u64 = 200 * 1024 * 1024;

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let named = args.endpoint.is_some() || context.global.endpoint.is_some();
    let folder = if named { Some(context.locate_only(args.endpoint)?) } else { locate::around().ok() };
    let mut found = vec![version(), machine()];
    match &folder {
        Some(folder) => {
            let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
            found.push(Finding::new("folder", Verdict::Ok, absolute.display().to_string()));
            found.push(space(&absolute));
            found.push(permissions(&absolute));
            found.push(lock_state(&absolute));
            found.extend(configuration(folder, context));
        }
        None => {
            let hint = "mge init NAME makes a new endpoint; mge demo shows what it does";
            found.push(Finding::new("folder", Verdict::Ok, "there is no endpoint here").hint(hint));
        }
    }
    let worst = found.iter().any(|finding| finding.verdict == Verdict::Error);
    if context.global.json {
        context.printer.json(&serde_json::json!({"version": 1, "ok": !worst, "findings": found}))?;
    } else {
        print(&found, context);
    }
    Ok(if worst { Exit::Failures } else { Exit::Done })
}

fn print(found: &[Finding], context: &mut Context) {
    let width = found.iter().map(|finding| columns(finding.what)).max().unwrap_or(0);
    for finding in found {
        let verdict = match finding.verdict {
            Verdict::Ok => context.printer.paint(Paint::Green, "ok     "),
            Verdict::Warning => context.printer.paint(Paint::Yellow, "warning"),
            Verdict::Error => context.printer.paint(Paint::Red, "error  "),
        };
        context.printer.line(format!("{verdict}  {:<width$}  {}", finding.what, finding.message));
        if let Some(hint) = &finding.hint {
            context.printer.line(format!("{}hint: {hint}", " ".repeat(11 + width)));
        }
    }
}

fn version() -> Finding {
    let kind = if cfg!(debug_assertions) { ", a debug build: much slower than a release build" } else { "" };
    let message = format!("mge {}{kind}", env!("CARGO_PKG_VERSION"));
    Finding::new("version", Verdict::Ok, message)
}

fn machine() -> Finding {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let message = format!(
        "{} on {}, {}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        diagnostics::plural(threads, "thread")
    );
    Finding::new("machine", Verdict::Ok, message)
}

fn space(folder: &Path) -> Finding {
    match fs2::available_space(folder) {
        Ok(bytes) => {
            let message = format!("{} MB free", bytes / (1024 * 1024));
            if bytes < LITTLE_SPACE {
                Finding::new("disk", Verdict::Warning, message).hint("make room before you crawl")
            } else {
                Finding::new("disk", Verdict::Ok, message)
            }
        }
        Err(error) => Finding::new("disk", Verdict::Warning, format!("cannot tell the free space: {error}")),
    }
}

/// Tries what a writer does first, without leaving a trace.
fn permissions(folder: &Path) -> Finding {
    let reading = fs::read_dir(folder).map(|_| ());
    if let Err(error) = reading {
        return Finding::new("permissions", Verdict::Error, format!("the folder cannot be read: {error}"))
            .hint("ask its owner, or change its permissions");
    }
    let graphs = folder.join("graphs");
    let place = if graphs.is_dir() { graphs.as_path() } else { folder };
    match tempfile::tempfile_in(place) {
        Ok(_) => Finding::new("permissions", Verdict::Ok, "the folder can be read and written"),
        Err(error) => Finding::new(
            "permissions",
            Verdict::Warning,
            format!("nothing can be written to {}: {error}", place.display()),
        )
        .hint("reading works; piloting and crawling do not"),
    }
}

fn lock_state(folder: &Path) -> Finding {
    let who = |holder: Option<lock::Holder>| {
        holder.map_or_else(|| "an unknown process".to_owned(), |holder| holder.to_string())
    };
    match lock::inspect(folder) {
        LockView::Free => Finding::new("lock", Verdict::Ok, "free"),
        LockView::Locked { holder } => Finding::new("lock", Verdict::Ok, format!("held by {}", who(holder)))
            .hint("reading needs no lock; another writer can wait with --wait SECONDS"),
        LockView::Stale { holder } => {
            Finding::new("lock", Verdict::Warning, format!("left behind by {}", who(holder)))
                .hint("nothing to do: the next writer takes over")
        }
    }
}

fn configuration(folder: &Path, context: &Context) -> Vec<Finding> {
    let endpoint = match Endpoint::open(folder, context.registry(), OpenOptions::read()) {
        Ok(endpoint) => endpoint,
        Err(OpenError::Configuration(problems)) => {
            let message = diagnostics::counted(&problems);
            return vec![Finding::new("configuration", Verdict::Error, message).hint("mge check shows them")];
        }
        Err(error) => return vec![Finding::new("configuration", Verdict::Error, error.to_string())],
    };
    let problems = endpoint.check();
    let verdict = match problems.iter().map(|problem| problem.severity).max() {
        None => Verdict::Ok,
        Some(Severity::Warning) => Verdict::Warning,
        Some(Severity::Error) => Verdict::Error,
    };
    let mut configuration = Finding::new("configuration", verdict, diagnostics::counted(&problems));
    if verdict != Verdict::Ok {
        configuration = configuration.hint("mge check shows them");
    }
    let status = endpoint.status();
    let state = format!("{} {}", status.state.code, status.state.name);
    let state = match (status.state.code, status.note) {
        (100, _) => Finding::new("state", Verdict::Ok, state),
        (_, Some(note)) => {
            Finding::new("state", Verdict::Ok, format!("{state}: {note}")).hint("mge pilot makes it ready")
        }
        (_, None) => Finding::new("state", Verdict::Ok, state).hint("mge pilot makes it ready"),
    };
    let mut found = vec![configuration, state];
    if !status.mge_version.is_empty() && status.mge_version != env!("CARGO_PKG_VERSION") {
        let message = format!("the endpoint was made with mge {}", status.mge_version);
        found.push(Finding::new("made with", Verdict::Ok, message));
    }
    found
}
