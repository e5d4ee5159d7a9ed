use mge_config::Diagnostic;
use mge_config::lock::LockError;

/// Why an endpoint cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder is no endpoint, or its configuration has errors.
    #[error("the configuration has {} error(s)", .0.len())]
    Configuration(Vec<Diagnostic>),
    /// Another process writes to it, or the lock cannot be had.
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// Why a reader cannot resume an endpoint at its saved state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotReady {
    /// What is missing.
    pub message: String,
    /// The command that helps.
    pub hint: String,
}
