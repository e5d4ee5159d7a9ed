//! What can be typed.

use std::path::PathBuf;

use clap::{ArgAction, Parser, Subcommand};

use crate::commands;
use crate::printer::Color;

/// Turns text corpora into evidence graphs whose every claim keeps its sources.
///
/// An endpoint is a folder: what to read, in which words, and where the result is kept. The first word of a command
/// names it if it is such a folder; otherwise it is the one of -e, of MGE_ENDPOINT, or the one around you.
#[derive(Debug, Parser)]
#[command(name = "mge", version, max_term_width = 100, disable_help_subcommand = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  mge demo                     See all of it in a temporary folder
  mge init acme && cd acme     Make an endpoint with a small example in it
  mge pilot && mge crawl --all Make it ready and read its documents
  mge ask \"Who directs the Merrow Marine Institute?\"";

/// The options of every command.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The endpoint's folder [env: MGE_ENDPOINT]
    #[arg(id = "endpoint_option", short, long = "endpoint", global = true, value_name = "FOLDER", add = crate::complete::endpoint_option())]
    pub(crate) endpoint: Option<PathBuf>,

    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// When to use colors
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_possible_values = true
    )]
    pub(crate) color: Color,

    /// Print the answer only; twice: nothing, only the exit code tells
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) quiet: u8,

    /// Tell what happens; twice: in detail
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Append every request, response, error and message to a file, as JSON lines
    #[arg(long, global = true, alias = "log_file", value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,

    /// Let the endpoint run the commands that its configuration names, such as converters
    #[arg(long, global = true, env = "MGE_RUN_COMMANDS")]
    pub(crate) run_commands: bool,
}

/// The commands, in the order in which one meets them.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(commands::demo::Args),
    #[command(visible_alias = "new")]
    Init(commands::init::Args),
    Check(commands::check::Args),
    #[command(visible_alias = "summary")]
    Status(commands::status::Args),
    Pilot(commands::pilot::Args),
    Crawl(commands::crawl::Args),
    Ask(commands::ask::Args),
    Search(commands::search::Args),
    Show(commands::show::Args),
    Explain(commands::explain::Args),
    Timeline(commands::timeline::Args),
    Paths(commands::paths::Args),
    Conflicts(commands::conflicts::Args),
    Run(commands::run::Args),
    DryRun(commands::dry_run::Args),
    Meta(commands::meta::Args),
    Schema(commands::schema::Args),
    Export(commands::export::Args),
    Rebuild(commands::rebuild::Args),
    Fsck(commands::fsck::Args),
    Unlock(commands::unlock::Args),
    Doctor(commands::doctor::Args),
    #[command(visible_alias = "complete")]
    Completions(commands::completions::Args),
    Man(commands::man::Args),
}

/// Commands of parts that are still to come: said so, instead of "unrecognized".
const LATER: &[(&str, &str)] = &[
    ("add", "edit sources.jsonc, or start with mge init NAME --from FOLDER"),
    ("assert", "mge meta lists what can be called now"),
    ("backup", "copy the endpoint's folder while nothing writes to it"),
    ("config", "mge check reads the configuration"),
    ("diff", "mge run changes_GRAPH tells what changed"),
    ("dispute", "mge meta lists what can be called now"),
    ("erase", "mge meta lists what can be called now"),
    ("formalize", "mge crawl reads the documents"),
    ("gc", "mge rebuild computes anew all that is derived"),
    ("import", "mge crawl reads the documents"),
    ("match", "mge run claims_GRAPH finds claims"),
    ("mcp", "mge run calls any capability"),
    ("memory", "mge meta lists what can be called now"),
    ("merge", "mge meta lists what can be called now"),
    ("merges", "mge meta lists what can be called now"),
    ("ontology", "edit the files in ontology_source, then run mge check"),
    ("restore", "copy the endpoint's folder back"),
    ("retract", "mge meta lists what can be called now"),
    ("serve", "mge run calls any capability"),
    ("split", "mge meta lists what can be called now"),
    ("tools", "mge meta lists what can be called now"),
    ("trust", "this version runs no program of an endpoint"),
    ("undo", "mge meta lists what can be called now"),
    ("weigh", "mge explain shows how a belief came about"),
    ("worker", "mge crawl reads the documents on this machine"),
    ("workflow", "mge meta lists what can be called now"),
];

/// Returns what to do meanwhile, if a word is a command of a later version.
pub(crate) fn comes_later(word: &str) -> Option<&'static str> {
    LATER.iter().find(|(name, _)| *name == word).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_can_be_read_with_the_global_options() {
        for words in [
            "mge status x -e y",
            "mge check x",
            "mge pilot x READY --just_once",
            "mge -q meta x y --log_file f",
        ] {
            assert!(Cli::try_parse_from(words.split(' ')).is_ok(), "{words}");
        }
    }

    #[test]
    fn no_command_is_both_here_and_to_come() {
        for command in Cli::command().get_subcommands() {
            assert_eq!(comes_later(command.get_name()), None, "{}", command.get_name());
        }
    }

    #[test]
    fn every_command_says_what_it_does() {
        for command in Cli::command().get_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(!about.is_empty() && !about.ends_with('.'), "{}: {about:?}", command.get_name());
        }
    }
}
