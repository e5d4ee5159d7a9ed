//! From a document's bytes to Markdown: by what is built in, or by an outside program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mge_convert::{Format, Limits};
use serde::{Deserialize, Serialize};

use super::origin::{Origin, PageStart};
use crate::config::ConverterCommand;
use crate::decode::decode;

/// What became of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Made {
    /// It is Markdown now.
    Converted(Origin),
    /// It cannot be converted, and why.
    Failed(String),
}

/// Why a document cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConvertFailure {
    pub(crate) reason: String,
    /// A later try may succeed.
    pub(crate) transient: bool,
}

impl ConvertFailure {
    fn lasting(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), transient: false }
    }
}

/// Makes Markdown.
pub(crate) struct Converter {
    name: String,
    limit: u64,
    command: Option<ConverterCommand>,
    /// Whether the command may run.
    allowed: bool,
}

/// Changes with whatever changes the Markdown of a document, so that all are converted anew.
const BUILT_IN: &str = "2";
/// How long an outside program may take, unless the configuration says.
const DEFAULT_SECONDS: u64 = 300;
/// How often it is looked whether the program has ended.
const POLL: Duration = Duration::from_millis(20);
/// The most bytes that are shown of what a program says of its failure.
const MOST_SAID: usize = 400;

impl Converter {
    /// Returns a converter that writes at most `limit` bytes of a document, and runs its command only if that is allowed.
    pub(crate) fn new(command: Option<ConverterCommand>, allowed: bool, limit: u64) -> Self {
        let name = match &command {
            None => format!("built-in {}", BUILT_IN),
            Some(command) => format!("command {}", command.command.join(" ")),
        };
        Self { name, limit, command, allowed }
    }

    /// Returns its name with its version: what another one made is made anew.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Converts a document of this name.
    pub(crate) fn convert(&self, bytes: &[u8], name: &str) -> Result<(String, Origin), ConvertFailure> {
        match &self.command {
            Some(command) if self.allowed => self.by_command(command, bytes, name),
            Some(_) => Err(ConvertFailure {
                reason: "it is not converted yet, and commands may not run without --run-commands".to_owned(),
                transient: true,
            }),
            None => self.built_in(bytes, name),
        }
    }

    fn built_in(&self, bytes: &[u8], name: &str) -> Result<(String, Origin), ConvertFailure> {
        let Some(format) = Format::detect(bytes, name) else {
            return Err(ConvertFailure::lasting("its format is not known"));
        };
        let bytes_out = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let limits = Limits { bytes_in: self.limit, bytes_out, ..Limits::default() };
        let converted = mge_convert::convert(bytes.to_vec(), format, &limits).map_err(|error| {
            ConvertFailure::lasting(match error.hint() {
                Some(hint) => format!("{error} ({hint})"),
                None => error.to_string(),
            })
        })?;
        let stated = [("title", converted.title), ("author", converted.author), ("date", converted.date)];
        let attributes: BTreeMap<String, String> =
            stated.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        let pages = converted
            .pages
            .into_iter()
            .map(|page| PageStart { start: page.offset, label: page.label })
            .collect();
        Ok((converted.markdown, Origin { pages, attributes, warnings: converted.warnings }))
    }

    /// Runs the program in a folder of its own, where it finds the document and puts the Markdown.
    fn by_command(
        &self,
        converter: &ConverterCommand,
        bytes: &[u8],
        name: &str,
    ) -> Result<(String, Origin), ConvertFailure> {
        let outside = |error: std::io::Error| ConvertFailure {
            reason: format!("the converter cannot be run: {error}"),
            transient: true,
        };
        let folder = tempfile::tempdir().map_err(outside)?;
        let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or("bin");
        let (source, target) =
            (folder.path().join(format!("document.{ending}")), folder.path().join("document.md"));
        fs::write(&source, bytes).map_err(outside)?;
        let said = folder.path().join("said");
        let said_to = fs::File::create(&said).map_err(outside)?;
        let mut words = converter.command.iter().map(|word| {
            word.replace("{src}", &source.to_string_lossy()).replace("{dst}", &target.to_string_lossy())
        });
        let Some(program) = words.next() else {
            return Err(ConvertFailure::lasting("the converter has no command"));
        };
        let mut child = Command::new(&program)
            .args(words)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said_to)
            .spawn()
            .map_err(|error| ConvertFailure {
                reason: format!("'{program}' cannot be run: {error}"),
                transient: true,
            })?;
        let seconds = converter.timeout_seconds.unwrap_or(DEFAULT_SECONDS);
        let deadline = Instant::now() + Duration::from_secs(seconds);
        let status: ExitStatus = loop {
            match child.try_wait().map_err(outside)? {
                Some(status) => break status,
                None if Instant::now() >= deadline => {
                    // It may have ended just now; then there is nothing to kill.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(ConvertFailure {
                        reason: format!("the converter took more than {seconds} seconds"),
                        transient: true,
                    });
                }
                None => thread::sleep(POLL),
            }
        };
        if !status.success() {
            let said = fs::read(&said).unwrap_or_default();
            let said = String::from_utf8_lossy(&said[..said.len().min(MOST_SAID)]).trim().to_owned();
            return Err(ConvertFailure::lasting(format!("the converter failed ({status}): {said}")));
        }
        let made = fs::metadata(&target)
            .map_err(|_| ConvertFailure::lasting("the converter ended well but wrote nothing to {dst}"))?;
        if made.len() > self.limit {
            return Err(ConvertFailure::lasting(format!(
                "the converter wrote {} bytes, more than the {} allowed",
                made.len(),
                self.limit
            )));
        }
        let markdown = decode(fs::read(&target).map_err(outside)?).map_err(|error| {
            ConvertFailure::lasting(format!("what the converter wrote is no text: {error}"))
        })?;
        Ok((markdown, Origin::default()))
    }
}
