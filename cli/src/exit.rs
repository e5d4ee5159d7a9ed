//! The exit codes, and which failure ends in which.

use std::io;

use mge_core::{CorpusError, GraphError, IntentError, RunError, RunErrorKind};
use mge_endpoint::OpenError;

/// How the program ends. Scripts rely on these numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// Done, with failures that the report names.
    Failures = 1,
    /// Wrong usage, request or configuration.
    Usage = 2,
    /// Something is not ready.
    NotReady = 3,
    /// Something outside failed: the disk, the network.
    Outside = 4,
    /// Another process holds the lock.
    Locked = 5,
    /// Not found, or not known.
    NotFound = 7,
    /// An answer could not be understood.
    NotUnderstood = 8,
    /// A fault of this program.
    Bug = 70,
    /// Ctrl-C.
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

impl Exit {
    /// All codes with what they mean, as the reference lists them.
    pub(crate) const ALL: [(Exit, &'static str); 11] = [
        (Exit::Done, "done"),
        (Exit::Failures, "done with failures, which the report names"),
        (Exit::Usage, "wrong usage, request or configuration"),
        (Exit::NotReady, "not ready: something must be piloted or crawled first"),
        (Exit::Outside, "something outside failed, such as the disk; trying again may help"),
        (Exit::Locked, "locked by another process"),
        (Exit::NotFound, "not found, or not known"),
        (Exit::NotUnderstood, "an answer could not be understood"),
        (Exit::Bug, "a fault of mge itself"),
        (Exit::Interrupted, "interrupted by Ctrl-C; what was done is kept"),
        (Exit::Terminated, "ended by SIGTERM; what was done is kept"),
    ];
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A failure that the command line itself found.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    /// How the program ends because of it.
    pub(crate) exit: Exit,
    /// What failed: a lowercase fragment without a full stop.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// Why it failed, where that is another error.
    #[source]
    pub(crate) source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None, source: None }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Exit::NotFound, message)
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub(crate) fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(cause.into());
        self
    }

    /// Adds "did you mean …?" where there are near names.
    #[must_use]
    pub(crate) fn near<'a>(self, given: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        match did_you_mean(given, names) {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }
}

/// Returns the question that follows an unknown name.
pub(crate) fn did_you_mean<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = mge_core::near_names(given, names);
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
}

/// Returns how the program ends because of an error, and what its hint says.
pub(crate) fn judge(error: &anyhow::Error) -> (Exit, Option<String>) {
    let mut exit = None;
    let mut hint = None;
    for cause in error.chain() {
        let (found, advice) = judge_one(cause);
        exit = exit.or(found);
        hint = hint.or(advice);
    }
    (exit.unwrap_or(Exit::Outside), hint)
}

fn judge_one(cause: &(dyn std::error::Error + 'static)) -> (Option<Exit>, Option<String>) {
    if let Some(failure) = cause.downcast_ref::<Failure>() {
        return (Some(failure.exit), failure.hint.clone());
    }
    if let Some(error) = cause.downcast_ref::<RunError>() {
        let exit = match error.kind {
            RunErrorKind::InvalidRequest => Exit::Usage,
            RunErrorKind::InvalidState => Exit::NotReady,
            RunErrorKind::RunFailed => Exit::Outside,
            RunErrorKind::FailedToFindCapability => Exit::NotFound,
            RunErrorKind::FailedToParseOutput => Exit::NotUnderstood,
        };
        return (Some(exit), error.hint.clone());
    }
    if let Some(error) = cause.downcast_ref::<GraphError>() {
        return match error {
            GraphError::Invalid { hint, .. } => (Some(Exit::Usage), hint.clone()),
            GraphError::NotReady { .. } => (Some(Exit::NotReady), None),
            GraphError::NotFound { .. } => (Some(Exit::NotFound), None),
            GraphError::Store { hint, .. } => (Some(Exit::Outside), hint.clone()),
            GraphError::System { .. } => (Some(Exit::Outside), None),
        };
    }
    if let Some(error) = cause.downcast_ref::<IntentError>() {
        let near = error.near.first().map(|name| format!("did you mean {name}?"));
        return (Some(Exit::Usage), near);
    }
    if let Some(error) = cause.downcast_ref::<CorpusError>() {
        let exit = match error {
            CorpusError::NotFound { .. } => Exit::NotFound,
            _ => Exit::Outside,
        };
        return (Some(exit), None);
    }
    if let Some(fault) = cause.downcast_ref::<mge_core::Fault>() {
        return (Some(Exit::Outside), fault.hint.clone());
    }
    if let Some(error) = cause.downcast_ref::<mge_config::LockError>() {
        let exit = if error.is_held() { Exit::Locked } else { Exit::Outside };
        return (Some(exit), error.hint().map(str::to_owned));
    }
    if let Some(OpenError::Lock(error)) = cause.downcast_ref::<OpenError>() {
        return judge_one(error);
    }
    if let Some(error) = cause.downcast_ref::<io::Error>() {
        let exit = match error.kind() {
            io::ErrorKind::BrokenPipe => Exit::Done,
            _ => Exit::Outside,
        };
        return (Some(exit), None);
    }
    (None, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_an_error_decides_the_code_through_any_context() {
        let error = anyhow::Error::new(RunError::new(RunErrorKind::FailedToParseOutput, "x").hint("y"));
        assert_eq!(judge(&error.context("while asking")), (Exit::NotUnderstood, Some("y".to_owned())));
        let closed = io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(judge(&anyhow::Error::new(closed).context("cannot print")).0, Exit::Done);
        assert_eq!(judge(&anyhow::anyhow!("x")).0, Exit::Outside);
    }

    #[test]
    fn every_code_is_listed_once() {
        let mut codes: Vec<u8> = Exit::ALL.iter().map(|(exit, _)| *exit as u8).collect();
        assert!(codes.is_sorted());
        codes.dedup();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 7, 8, 70, 130, 143]);
    }
}
