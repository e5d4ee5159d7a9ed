use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::printer::Paint;

/// Show what mge does: make an endpoint, read it, ask it
///
/// In a temporary folder that is gone afterwards. Every command is shown with what it prints.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Make the endpoint in this folder, and leave it there
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    keep: Option<PathBuf>,
}

/// The name of the endpoint that is made.
const NAME: &str = "hallin";

/// One step: what it is for, and the words behind `mge`; the exit code that it is to have.
const STEPS: [(&str, &[&str], Exit); 7] = [
    (
        "An endpoint is a folder: documents, the words for what they speak of, and a configuration.",
        &["init", NAME],
        Exit::Done,
    ),
    ("Piloting builds its components and makes them ready.", &["pilot", NAME], Exit::Done),
    (
        "Crawling reads the documents. What they say becomes claims, each with the spans that it stands in.",
        &["crawl", NAME, "--all"],
        Exit::Done,
    ),
    (
        "Answers come with their evidence.",
        &["ask", NAME, "Who directed the Merrow Marine Institute in 2015?"],
        Exit::Done,
    ),
    (
        "Time matters: the same question as of another year.",
        &["ask", NAME, "Who directed the Merrow Marine Institute?", "--as-of", "2010"],
        Exit::Done,
    ),
    (
        "What the documents do not say is not made up.",
        &["ask", NAME, "Who directed the Keel House Museum in 1950?"],
        Exit::NotFound,
    ),
    ("That is what there is now.", &["status", NAME], Exit::Done),
];

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    context.listen()?;
    let temporary;
    let folder = match &args.keep {
        Some(folder) => {
            if !folder.is_dir() {
                return Err(Failure::usage(format!("there is no folder '{}'", folder.display())).into());
            }
            folder.clone()
        }
        None => {
            temporary = tempfile::Builder::new()
                .prefix("mge_demo_")
                .tempdir()
                .context("cannot make a temporary folder")?;
            temporary.path().to_owned()
        }
    };
    let program = std::env::current_exe().context("cannot tell which program this is")?;
    for (why, words, expected) in STEPS {
        let why = context.printer.paint(Paint::Dim, format!("# {why}"));
        context.printer.line(why);
        let shown = context.printer.paint(Paint::Bold, shown(words));
        context.printer.line_now(format!("$ {shown}"))?;
        step(&program, &folder, words, expected, context)?;
        if let Some(exit) = context.signals.exit() {
            return Ok(exit);
        }
        context.printer.line_now("")?;
    }
    let last = match &args.keep {
        Some(folder) => format!("The endpoint stays in {}", folder.join(NAME).display()),
        None => "The folder is gone again. To make one that stays: mge init acme".to_owned(),
    };
    context.printer.line(last);
    Ok(Exit::Done)
}

/// Runs a command as one would, and shows what it prints.
fn step(
    program: &Path,
    folder: &Path,
    words: &[&str],
    expected: Exit,
    context: &mut Context,
) -> anyhow::Result<()> {
    let color = if context.printer.has_color() { "always" } else { "never" };
    let mut command = Command::new(program);
    command
        .args(words)
        .args(["--color", color, "--quiet"])
        .current_dir(folder)
        .env_remove(crate::locate::VARIABLE)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if context.printer.width() < usize::MAX {
        command.env("COLUMNS", context.printer.width().to_string());
    }
    let output =
        command.spawn().and_then(std::process::Child::wait_with_output).context("cannot start a step")?;
    context.printer.raw(&output.stdout)?;
    if output.status.code() == Some(expected as i32) || context.signals.exit().is_some() {
        return Ok(());
    }
    let message = format!("`mge {}` ended with {}", words.join(" "), output.status);
    Err(Failure::new(Exit::Outside, message).into())
}

fn shown(words: &[&str]) -> String {
    let quoted = |word: &&str| {
        if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() }
    };
    format!("mge {}", words.iter().map(quoted).collect::<Vec<_>>().join(" "))
}
