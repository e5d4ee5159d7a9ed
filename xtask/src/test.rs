//! All that must hold before a change goes in.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::steps::{self, Steps, cargo, shown};
use crate::{generate, tools};

/// Runs every step, also after a failure; `fast` leaves out what takes long and seldom changes.
///
/// The steps share one target folder and, but for the demo, one profile: what one has built the next finds.
///
/// # Errors
/// Names the steps that failed.
pub(crate) fn run(root: &Path, fast: bool) -> Result<(), String> {
    let mut steps = Steps::new(root);
    steps.command("format", cargo().args(["fmt", "--all", "--", "--check"]));
    steps.command("clippy", cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]));
    steps.step("tests", || tests(root));
    steps.command("doc tests", cargo().args(["test", "--workspace", "--doc"]));
    let mut doc = cargo();
    doc.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    steps.command("docs", &mut doc);
    steps.step("generated files", || generate::check(root));
    if fast {
        steps.skip("dependencies", "--fast");
        steps.skip("demo", "--fast");
        return steps.finish();
    }
    steps.step("dependencies", || {
        let mut deny = tools::DENY.command(root)?;
        deny.args(["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]).current_dir(root);
        println!("$ {}", shown(&deny));
        steps::run(&mut deny)
    });
    advisories(&mut steps, root);
    steps.command("demo", cargo().args(["run", "--release", "-p", "mge", "--", "demo"]));
    steps.finish()
}

fn tests(root: &Path) -> Result<(), String> {
    let mut command = match tools::NEXTEST.command(root) {
        Ok(mut nextest) => {
            nextest.args(["run", "--workspace", "--no-fail-fast"]);
            nextest
        }
        Err(error) => {
            // The same tests, only less well reported.
            eprintln!("{error}; running them with cargo test instead");
            let mut test = cargo();
            test.args(["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"]);
            test
        }
    };
    println!("$ {}", shown(&command));
    steps::run(command.current_dir(root))
}

/// Known weaknesses of the dependencies are looked up in a public list, which is not always in reach.
fn advisories(steps: &mut Steps<'_>, root: &Path) {
    const NAME: &str = "advisories";
    let output = tools::DENY.command(root).and_then(|mut deny| {
        let deny: &mut Command = deny.args(["--color", "never", "check", "advisories"]).current_dir(root);
        deny.stdin(Stdio::null()).output().map_err(|error| error.to_string())
    });
    let output = match output {
        Ok(output) => output,
        Err(error) => return steps.skip(NAME, format!("they were not checked: {error}")),
    };
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() && text.contains("failed to fetch advisory database") {
        return steps.skip(NAME, "they were not checked: the list of advisories is out of reach");
    }
    steps.step(NAME, || {
        eprint!("{text}");
        if output.status.success() { Ok(()) } else { Err(output.status.to_string()) }
    });
}
