//! Where events go: appended to the log file as JSON lines, and told on stderr when asked for.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use mge_core::{Event, EventSink};

use crate::printer::print_error_line;

/// Takes the events of one command.
pub(crate) struct EventLog {
    /// Whether warnings are wanted on stderr.
    warns: bool,
    file: Option<(PathBuf, Mutex<File>)>,
    complained: AtomicBool,
}

impl EventLog {
    /// Opens the log file for appending, if there is to be one. Warnings go to stderr too, if they are wanted there.
    ///
    /// # Errors
    /// It cannot be opened: better said now than after the work.
    pub(crate) fn open(path: Option<&Path>, warns: bool) -> anyhow::Result<Self> {
        let file = match path {
            Some(path) => {
                let file = OpenOptions::new().create(true).append(true).open(path);
                let file = file.with_context(|| format!("cannot open the log file {}", path.display()))?;
                Some((path.to_owned(), Mutex::new(file)))
            }
            None => None,
        };
        Ok(Self { warns, file, complained: AtomicBool::new(false) })
    }
}

impl EventSink for EventLog {
    fn emit(&self, event: &Event) {
        let text = |key: &str| event.fields.get(key).and_then(|value| value.as_str());
        match event.r#type.as_str() {
            "message" => tracing::info!(id = event.id, "{}", text("message").unwrap_or_default()),
            "warning" if self.warns => {
                print_error_line(format_args!("warning: {}", text("warning").unwrap_or_default()));
            }
            "error" => tracing::warn!(id = event.id, "{}", text("error").unwrap_or_default()),
            kind => tracing::debug!(id = event.id, seq_num = event.seq_num, "{kind}"),
        }
        let (Some((path, file)), Ok(mut line)) = (&self.file, serde_json::to_string(event)) else { return };
        line.push('\n');
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // One write a line: lines of several processes do not mix.
        if let Err(error) = file.write_all(line.as_bytes())
            && !self.complained.swap(true, Ordering::SeqCst)
        {
            print_error_line(format_args!(
                "warning: cannot write to the log file {}: {error}",
                path.display()
            ));
        }
    }
}

/// Sends what is traced to stderr: what happens with one `-v`, every request and response with two.
pub(crate) fn start_tracing(verbose: u8, color: bool) {
    use tracing_subscriber::filter::{LevelFilter, Targets};
    use tracing_subscriber::layer::SubscriberExt as _;
    use tracing_subscriber::util::SubscriberInitExt as _;

    let level = match verbose {
        0 => return,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(color)
        .with_target(verbose > 1)
        .without_time();
    let filter = Targets::new().with_target("mge", level);
    // A second subscriber could only be installed by a fault of ours, and would only double the lines.
    let _ = tracing_subscriber::registry().with(layer).with(filter).try_init();
}
