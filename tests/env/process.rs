//! Running the program, and looking at how it ended.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Nothing that the tests start may take longer; what does hangs.
const PATIENCE: Duration = Duration::from_secs(170);

/// Returns the program under test: the one that was built with the tests, or the one of `MGE_TEST_PROGRAM`.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("MGE_TEST_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_mge").into(), PathBuf::from)
}

/// A run of the program that is to be started.
pub(crate) struct Mge {
    command: Command,
    stdin: Vec<u8>,
}

impl Mge {
    pub(crate) fn new<A: AsRef<OsStr>>(room: &Path, arguments: impl IntoIterator<Item = A>) -> Self {
        let mut command = Command::new(program());
        clean(&mut command, room);
        command.args(arguments);
        Self { command, stdin: Vec::new() }
    }

    /// Runs the program through another one that gets the program and its arguments as its last arguments.
    pub(crate) fn through<A: AsRef<OsStr>>(self, wrapper: impl IntoIterator<Item = A>) -> Self {
        let mut words: Vec<OsString> = wrapper.into_iter().map(|word| word.as_ref().to_owned()).collect();
        words.push(self.command.get_program().to_owned());
        words.extend(self.command.get_args().map(OsStr::to_owned));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        Self { command: like(command, &self.command), stdin: self.stdin }
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Starts it in another folder than the working folder.
    pub(crate) fn within(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Gives it a text on its standard input, which is empty otherwise.
    pub(crate) fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// Runs it to its end, whatever that is.
    ///
    /// # Panics
    /// It crashed, or spoke like a program that did.
    pub(crate) fn run(self) -> Ran {
        let ran = self.start().end();
        ran.assert_civil();
        ran
    }

    /// Runs it; it must end with 0.
    pub(crate) fn ok(self) -> Ran {
        self.exits(0)
    }

    /// Runs it; it must end with this code.
    pub(crate) fn exits(self, code: i32) -> Ran {
        let ran = self.run();
        ran.assert_exit(code);
        ran
    }

    /// Starts it and returns while it runs.
    pub(crate) fn start(mut self) -> Running {
        let shown = shown(&self.command);
        let start = Instant::now();
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap_or_else(|error| panic!("cannot start {shown}: {error}"));
        let mut input = child.stdin.take().unwrap();
        let given = self.stdin;
        // It may end without reading; then nobody is there to take the rest.
        thread::spawn(move || drop(input.write_all(&given)));
        let stderr = read_all(child.stderr.take().unwrap());
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let watch = watch(child.id());
        Running { child, stdout: Some(stdout), printed: String::new(), stderr, watch, shown, start }
    }
}

/// A run that is under way.
pub(crate) struct Running {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
    printed: String,
    stderr: JoinHandle<String>,
    watch: Sender<()>,
    shown: String,
    start: Instant,
}

impl Running {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the next line of its answer, as JSON; nothing when it has ended.
    pub(crate) fn next_json(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.stdout.as_mut()?.read_line(&mut line).unwrap();
        self.printed.push_str(&line);
        // A process that was killed may have left half a line.
        serde_json::from_str(line.trim_end()).ok()
    }

    /// Waits for a line of its answer of this type.
    pub(crate) fn wait_for(&mut self, kind: &str) -> Value {
        loop {
            match self.next_json() {
                Some(line) if line["type"] == kind => return line,
                Some(_) => {}
                None => panic!("{} ended without a line of the type {kind:?}:\n{}", self.shown, self.printed),
            }
        }
    }

    /// Sends it a signal by name, such as `KILL`.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    /// Closes the reading end of its answer, as `head` does.
    pub(crate) fn hang_up(&mut self) {
        self.stdout = None;
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ran {
        let mut rest = Vec::new();
        if let Some(mut stdout) = self.stdout.take() {
            stdout.read_to_end(&mut rest).unwrap();
        }
        let status = self.child.wait().unwrap();
        let took = self.start.elapsed();
        drop(self.watch);
        let stderr = self.stderr.join().unwrap();
        self.printed.push_str(&String::from_utf8_lossy(&rest));
        assert!(took < PATIENCE, "{} did not end and was killed:\n{}\n{stderr}", self.shown, self.printed);
        Ran { shown: self.shown, status, stdout: self.printed, stderr, took }
    }
}

/// A run that has ended.
pub(crate) struct Ran {
    shown: String,
    status: ExitStatus,
    /// What it answered.
    pub(crate) stdout: String,
    /// What else it said.
    pub(crate) stderr: String,
    /// How long it took.
    pub(crate) took: Duration,
}

impl Ran {
    /// Returns the exit code; a process that a signal ended has none.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn assert_exit(&self, code: i32) {
        assert_eq!(self.code(), Some(code), "how it ended, of\n{self}");
    }

    /// Whatever happens, no one is shown the inside of the program.
    pub(crate) fn assert_civil(&self) {
        for word in ["panicked at", "stack backtrace", "RUST_BACKTRACE", "this is a bug", "internal error"] {
            assert!(!self.stderr.contains(word) && !self.stdout.contains(word), "{word:?} stands in\n{self}");
        }
        assert_ne!(self.code(), Some(70), "it calls itself faulty:\n{self}");
    }

    /// Asserts that what it said on standard error contains all of these, whatever their case.
    pub(crate) fn assert_says<'a>(&self, words: impl IntoIterator<Item = &'a str>) {
        self.assert_in("stderr", &self.stderr, words);
    }

    /// Asserts that its answer contains all of these, whatever their case.
    pub(crate) fn assert_answers<'a>(&self, words: impl IntoIterator<Item = &'a str>) {
        self.assert_in("stdout", &self.stdout, words);
    }

    fn assert_in<'a>(&self, stream: &str, said: &str, words: impl IntoIterator<Item = &'a str>) {
        let said = said.to_lowercase();
        for word in words {
            assert!(said.contains(&word.to_lowercase()), "{stream} does not say {word:?}:\n{self}");
        }
    }

    /// Returns the answer, which is one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in the answer of\n{self}"))
    }

    /// Returns the answer, which is JSON Lines.
    pub(crate) fn lines(&self) -> Vec<Value> {
        super::json_lines(&self.stdout)
    }

    /// Returns the last line of its answer, of this type.
    pub(crate) fn last(&self, kind: &str) -> Value {
        let last = self.lines().into_iter().rfind(|line| line["type"] == kind);
        last.unwrap_or_else(|| panic!("there is no line of the type {kind:?} in\n{self}"))
    }

    /// Returns all that it said and answered.
    pub(crate) fn everything(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A long answer hides what went wrong.
        let cut = |text: &str| -> String {
            const MOST: usize = 6000;
            if text.len() <= MOST {
                text.to_owned()
            } else {
                text.chars().take(MOST).chain("…".chars()).collect()
            }
        };
        write!(
            f,
            "$ {}\n(ended with {} after {:?})\n--- stdout\n{}\n--- stderr\n{}",
            self.shown,
            self.status,
            self.took,
            cut(&self.stdout),
            cut(&self.stderr)
        )
    }
}

/// Gives a command the room's environment and nothing else.
pub(crate) fn clean(command: &mut Command, room: &Path) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("LANG", "C.UTF-8").env("TZ", "UTC");
    command.env("HOME", room.join("home")).env("TMPDIR", room.join("tmp")).current_dir(room.join("work"));
}

/// Gives a command the environment and the folder of another one.
fn like(mut command: Command, model: &Command) -> Command {
    command.env_clear().envs(model.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = model.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

/// Sends a signal to a process.
pub(crate) fn signal(pid: u32, name: &str) {
    // It may have ended in between.
    let _ = Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .stderr(Stdio::null())
        .status()
        .unwrap();
}

/// Kills a process that does not end in time, so that a test fails instead of hanging.
fn watch(pid: u32) -> Sender<()> {
    let (sender, receiver) = mpsc::channel::<()>();
    thread::spawn(move || {
        if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            signal(pid, "KILL");
        }
    });
    sender
}

fn read_all(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Writes a command as one would type it, more or less.
fn shown(command: &Command) -> String {
    let folder = command.get_current_dir().map(Path::to_owned).unwrap_or_default();
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(|word| word.to_string_lossy().chars().take(300).collect()).collect();
    format!("cd '{}' && {}", folder.display(), words.join(" "))
}
