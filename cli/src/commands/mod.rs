//! The commands, one file each.

pub(crate) mod ask;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod conflicts;
pub(crate) mod crawl;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod dry_run;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fsck;
pub(crate) mod init;
pub(crate) mod man;
pub(crate) mod meta;
pub(crate) mod paths;
pub(crate) mod pilot;
pub(crate) mod rebuild;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod timeline;
pub(crate) mod unlock;

use clap::CommandFactory as _;

use crate::args::{Cli, Command};
use crate::context::Context;
use crate::exit::Exit;
use crate::locate;

/// Runs a command; without one, shows where one stands.
pub(crate) fn run(command: Option<Command>, context: &mut Context) -> anyhow::Result<Exit> {
    match command {
        None => bare(context),
        Some(Command::Demo(args)) => demo::run(args, context),
        Some(Command::Init(args)) => init::run(args, context),
        Some(Command::Check(args)) => check::run(args, context),
        Some(Command::Status(args)) => status::run(args, context),
        Some(Command::Pilot(args)) => pilot::run(args, context),
        Some(Command::Crawl(args)) => crawl::run(args, context),
        Some(Command::Ask(args)) => ask::run(args, context),
        Some(Command::Search(args)) => search::run(args, context),
        Some(Command::Show(args)) => show::run(args, context),
        Some(Command::Explain(args)) => explain::run(args, context),
        Some(Command::Timeline(args)) => timeline::run(args, context),
        Some(Command::Paths(args)) => paths::run(args, context),
        Some(Command::Conflicts(args)) => conflicts::run(args, context),
        Some(Command::Run(args)) => run::run(args, context),
        Some(Command::DryRun(args)) => dry_run::run(args, context),
        Some(Command::Meta(args)) => meta::run(args, context),
        Some(Command::Schema(args)) => schema::run(args, context),
        Some(Command::Export(args)) => export::run(args, context),
        Some(Command::Rebuild(args)) => rebuild::run(args, context),
        Some(Command::Fsck(args)) => fsck::run(args, context),
        Some(Command::Unlock(args)) => unlock::run(args, context),
        Some(Command::Doctor(args)) => doctor::run(args, context),
        Some(Command::Completions(args)) => completions::run(args, context),
        Some(Command::Man(args)) => man::run(args, context),
    }
}

/// Inside an endpoint, its status and the next step; elsewhere, the help.
fn bare(context: &mut Context) -> anyhow::Result<Exit> {
    if context.global.endpoint.is_some() || locate::around().is_ok() {
        return status::run(status::Args::default(), context);
    }
    let help = Cli::command().render_help();
    let help = if context.printer.has_color_on_stderr() { help.ansi().to_string() } else { help.to_string() };
    context.printer.note(help.trim_end());
    Ok(Exit::Usage)
}
