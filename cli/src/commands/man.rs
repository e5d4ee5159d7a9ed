use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Arg, Command, CommandFactory as _};

use crate::args::Cli;
use crate::context::Context;
use crate::exit::Exit;

/// Print the manual page, or the whole reference as Markdown
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Of this command instead of mge as a whole
    #[arg(value_name = "COMMAND")]
    command: Option<String>,

    /// Write one page for each command into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["command", "markdown"])]
    dir: Option<PathBuf>,

    /// Print the reference of all commands as Markdown
    #[arg(long, conflicts_with = "command")]
    markdown: bool,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let mut root = Cli::command();
    root.build();
    if args.markdown {
        context.printer.line(markdown(&root).trim_end());
        return Ok(Exit::Done);
    }
    if let Some(folder) = &args.dir {
        write_pages(&root, folder)?;
        context.printer.note(format!("wrote the pages to {}", folder.display()));
        return Ok(Exit::Done);
    }
    let command = match &args.command {
        None => root.clone(),
        Some(name) => match root.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let names = root.get_subcommands().map(Command::get_name);
                let failure = crate::exit::Failure::not_found(format!("there is no command '{name}'"));
                return Err(failure.near(name, names).into());
            }
        },
    };
    context.printer.line(page(command)?.trim_end());
    Ok(Exit::Done)
}

/// A command's page is called as one would look for it: mge-crawl.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

fn page(command: Command) -> anyhow::Result<String> {
    let mut page = Vec::new();
    let title = title(&command);
    clap_mangen::Man::new(command).title(title).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn write_pages(root: &Command, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for command in std::iter::once(root).chain(visible(root)) {
        let path = folder.join(format!("{}.1", title(command)));
        fs::write(&path, page(command.clone())?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

const HEAD: &str = "\
# The command line

Written by `cargo xtask gen` from the program itself; changes here are lost.

The answer goes to standard output, all else to standard error. With `--json` the answer is JSON, whose first object has
a `version`; members are only ever added. Progress and hints at the next step appear on a terminal only.
";

/// The environment variables that the program looks at.
const VARIABLES: [(&str, &str); 6] = [
    ("MGE_ENDPOINT", "the endpoint's folder, where neither a word nor `-e` names one"),
    ("NO_COLOR", "set to anything but nothing: no colors, unless `--color always`"),
    ("MGE_PAGER, PAGER", "shows long answers on a terminal; empty: nothing does"),
    ("COLUMNS", "the width of tables where the answer does not go to a terminal"),
    ("COMPLETE", "set by the shell when it asks for completions"),
    ("RUST_BACKTRACE", "shows a trace when mge itself is at fault"),
];

fn markdown(root: &Command) -> String {
    let mut text = HEAD.to_owned();
    // Writing to a String cannot fail.
    let _ = write!(text, "\n## Commands\n\n| command | what it does |\n|---|---|\n");
    for command in visible(root) {
        let name = command.get_name();
        let aliases: Vec<String> = command.get_visible_aliases().map(|alias| format!("`{alias}`")).collect();
        let aliases =
            if aliases.is_empty() { String::new() } else { format!(" (also {})", aliases.join(", ")) };
        let _ = writeln!(text, "| [`{name}`](#mge-{name}){aliases} | {} |", about(command));
    }
    let _ = write!(text, "\n## Global options\n\n");
    list(&mut text, root.get_arguments().filter(|argument| argument.is_global_set()));
    for command in visible(root) {
        let _ = write!(text, "\n## mge {}\n\n", command.get_name());
        let long =
            command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
        for paragraph in long.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")) {
            let _ = writeln!(text, "{paragraph}\n");
        }
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage:").trim();
        let _ = writeln!(text, "```\n{usage}\n```\n");
        list(&mut text, command.get_positionals());
        list(&mut text, command.get_opts().filter(|argument| !argument.is_global_set()));
        let flags = command.get_arguments().filter(|argument| {
            !argument.is_positional() && !argument.get_action().takes_values() && !argument.is_global_set()
        });
        list(&mut text, flags.filter(|argument| argument.get_id() != "help"));
        if let Some(help) = command.get_after_help() {
            let _ = write!(text, "\n```text\n{}\n```\n", help.to_string().trim_end());
        }
    }
    let _ = write!(text, "\n## Exit codes\n\n| code | meaning |\n|--:|---|\n");
    for (exit, meaning) in Exit::ALL {
        let _ = writeln!(text, "| {} | {meaning} |", exit as u8);
    }
    let _ = write!(text, "\n## Environment variables\n\n| variable | meaning |\n|---|---|\n");
    for (name, meaning) in VARIABLES {
        let _ = writeln!(text, "| `{name}` | {meaning} |");
    }
    text
}

fn visible(root: &Command) -> impl Iterator<Item = &Command> {
    root.get_subcommands().filter(|command| !command.is_hide_set())
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn list<'a>(text: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    for argument in arguments.filter(|argument| !argument.is_hide_set()) {
        let mut names = Vec::new();
        if let Some(short) = argument.get_short() {
            names.push(format!("-{short}"));
        }
        if let Some(long) = argument.get_long() {
            names.push(format!("--{long}"));
        }
        let mut name = names.join(", ");
        if argument.is_positional() || argument.get_action().takes_values() {
            let values = argument.get_value_names().unwrap_or_default();
            let values: Vec<&str> = values.iter().map(|value| value.as_str()).collect();
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(&values.join(" "));
        }
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default().replace('\n', " ");
        let _ = write!(text, "* `{name}`: {help}");
        if argument.get_action().takes_values() && !argument.is_hide_possible_values_set() {
            let values: Vec<String> = argument
                .get_possible_values()
                .iter()
                .map(|value| format!("`{}`", value.get_name()))
                .collect();
            if !values.is_empty() {
                let _ = write!(text, " ({})", values.join(", "));
            }
        }
        text.push('\n');
    }
}
