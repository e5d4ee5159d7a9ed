//! Steps that run one after the other, each to its end: one failure does not hide the next.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a step came to.
enum Outcome {
    Passed,
    Failed(String),
    /// It could not be done here, which is no failure; the text says why.
    Skipped(String),
}

/// Runs steps and remembers how they went.
pub(crate) struct Steps<'a> {
    root: &'a Path,
    done: Vec<(&'static str, Outcome, Duration)>,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, done: Vec::new() }
    }

    /// Runs a command in the workspace's folder; it fails unless the command ends with 0.
    pub(crate) fn command(&mut self, name: &'static str, command: &mut Command) -> bool {
        let root = self.root;
        self.step(name, || {
            println!("$ {}", shown(command));
            run(command.current_dir(root))
        })
    }

    /// Runs a step.
    pub(crate) fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result<(), String>) -> bool {
        println!("\n━━━ {name}");
        let start = Instant::now();
        let outcome = match work() {
            Ok(()) => Outcome::Passed,
            Err(message) => Outcome::Failed(message),
        };
        if let Outcome::Failed(message) = &outcome {
            eprintln!("{name} failed: {message}");
        }
        let passed = matches!(outcome, Outcome::Passed);
        self.done.push((name, outcome, start.elapsed()));
        passed
    }

    /// Notes that a step was not done.
    pub(crate) fn skip(&mut self, name: &'static str, reason: impl Into<String>) {
        let reason = reason.into();
        println!("\n━━━ {name}: not done, {reason}");
        self.done.push((name, Outcome::Skipped(reason), Duration::ZERO));
    }

    /// Prints how all steps went.
    ///
    /// # Errors
    /// Names the steps that failed.
    pub(crate) fn finish(self) -> Result<(), String> {
        let width = self.done.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        let total: Duration = self.done.iter().map(|(_, _, took)| *took).sum();
        println!("\n━━━ summary");
        for (name, outcome, took) in &self.done {
            let (word, detail) = match outcome {
                Outcome::Passed => ("ok", String::new()),
                Outcome::Failed(message) => ("FAILED", format!("  {message}")),
                Outcome::Skipped(reason) => ("not done", format!("  {reason}")),
            };
            println!("{name:<width$}  {word:<8} {:>7.1} s{detail}", took.as_secs_f64());
        }
        println!("{:<width$}  {:<8} {:>7.1} s", "all", "", total.as_secs_f64());
        let failed: Vec<&str> = self
            .done
            .iter()
            .filter(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_)))
            .map(|(name, ..)| *name)
            .collect();
        if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
    }
}

/// Runs a command to its end.
///
/// # Errors
/// It cannot be started, or ends with another code than 0.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

/// Returns `cargo`, the one that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Writes a command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(OsStr::new("cargo"));
    let environment = command.get_envs().filter_map(|(name, value)| {
        let value = value?.display().to_string();
        let quote = if value.contains(' ') { "'" } else { "" };
        Some(format!("{}={quote}{value}{quote} ", name.display()))
    });
    let mut text: String = environment.collect();
    text.push_str(&program.display().to_string());
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.display().to_string());
    }
    text
}
