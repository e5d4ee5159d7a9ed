//! The `mge` command.
//!
//! This crate is the composition root: it alone names the concrete components ([`registry`]) and it alone knows that
//! there is a person. Each command is one file below `commands/`; all of them print through [`printer::Printer`] and
//! end with an [`exit::Exit`].

mod args;
mod cite;
mod commands;
mod complete;
mod context;
mod diagnostics;
mod event_log;
mod exit;
mod graph;
mod locate;
mod printer;
mod progress;
mod rows;
mod scaffold;
mod signals;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};

use crate::args::Cli;
use crate::context::Context;
use crate::exit::{Exit, Failure, judge};
use crate::printer::{Color, Printer, print_error_line};

/// Somewhere something panicked, if only in a thread whose work was lost with it.
static PANICKED: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    install_panic_hook();
    // The shell asks for completions by a variable; nothing may be printed before.
    clap_complete::CompleteEnv::with_factory(Cli::command).complete();
    let exit = panic::catch_unwind(AssertUnwindSafe(start)).unwrap_or(Exit::Bug);
    if PANICKED.load(Ordering::SeqCst) { Exit::Bug.into() } else { exit.into() }
}

/// Returns what an endpoint can be made of.
fn registry() -> mge_endpoint::Registry {
    mge_endpoint::Registry::new(vec![
        mge_source::KIND,
        mge_ontology::KIND,
        mge_formalize::KIND,
        mge_evidence::KIND,
    ])
}

fn start() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let printer = Printer::new(cli.global.color, cli.global.quiet);
    event_log::start_tracing(cli.global.verbose, printer.has_color_on_stderr());
    let mut context = Context::new(printer, cli.global, registry());
    let result = commands::run(cli.command, &mut context);
    let exit = conclude(result, &mut context);
    context.shut_down();
    exit
}

/// Sends out the rest of the answer, and says what failed.
fn conclude(result: anyhow::Result<Exit>, context: &mut Context) -> Exit {
    let flushed = context.printer.finish().map_err(anyhow::Error::new);
    let error = match (result, flushed) {
        (Ok(exit), Ok(())) => return exit,
        (Err(error), _) | (Ok(_), Err(error)) => error,
    };
    let (exit, hint) = judge(&error);
    // Whoever closed the pipe has read enough.
    if exit != Exit::Done {
        context.printer.error(&error, hint.as_deref());
    }
    exit
}

/// Prints help and version, or what is wrong with the words of the command line.
fn refuse(error: &clap::Error) -> Exit {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(hint) = args::comes_later(word)
    {
        let failure = Failure::usage(format!("mge {word} is not in this version yet")).hint(hint);
        Printer::new(Color::Auto, 0).error(&anyhow::Error::new(failure), Some(hint));
        return Exit::Usage;
    }
    // A closed pipe is no error here either.
    let _ = error.print();
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}

/// A panic is a fault of ours: it says so in a few lines, and shows no trace unless asked.
fn install_panic_hook() {
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if PANICKED.swap(true, Ordering::SeqCst) {
            return;
        }
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            default(info);
        }
        let text = info.payload_as_str().unwrap_or("no message");
        let place =
            info.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
        print_error_line(format_args!(
            "error: this is a bug in mge {}: {text}{place}",
            env!("CARGO_PKG_VERSION")
        ));
        print_error_line("hint: please report it with the command that you ran; RUST_BACKTRACE=1 tells more");
    }));
}
