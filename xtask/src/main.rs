//! The project's own chores, as `cargo xtask <chore>`. It uses nothing but the standard library, so that it is
//! built in a second.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore speaks to the person who started it")]

mod generate;
mod pdf;
mod steps;
mod test;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
The project's chores

Usage: cargo xtask <chore>

Chores:
  test         Run everything that must hold before a change goes in
  test --fast  The same without the release build of the demo and without cargo-deny
  gen          Write what is generated: docs/cli.md, docs/config.schema.json, the transcript of README.md
  gen --check  Tell whether the files below docs/ are up to date, and change nothing
  regen-pdf [case]…
               Set the PDF files of tests/pdf anew, by LaTeX, LibreOffice, Chromium and others
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = root();
    let done = match words.as_slice() {
        ["test"] => test::run(&root, false),
        ["test", "--fast"] => test::run(&root, true),
        ["gen"] => generate::write(&root),
        ["gen", "--check"] => generate::check(&root),
        ["regen-pdf", cases @ ..] => pdf::write(&root, cases),
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the workspace's folder.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}
