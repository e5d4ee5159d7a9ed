//! Why the lock cannot be had or given back.

use std::io;
use std::path::{Path, PathBuf};

use super::LockState;
use super::marker::Holder;
use crate::atomic::WriteError;

/// Why the lock cannot be had or given back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process works on the endpoint.
    #[error("the endpoint is locked by {}", who(holder.as_ref()))]
    Held {
        /// Who, if the marker says so.
        holder: Option<Holder>,
    },
    /// A process on another machine locked the endpoint; whether it is alive cannot be seen from here.
    #[error("the endpoint is locked from another machine, by {holder}")]
    OtherHost {
        /// Who.
        holder: Box<Holder>,
    },
    /// Something that leaves no name locked the endpoint.
    #[error(
        "the endpoint is locked by another program, such as the original mge, since {}",
        since.as_deref().unwrap_or("an unknown time")
    )]
    Foreign {
        /// When the marker was last changed, as RFC 3339 in UTC.
        since: Option<String>,
    },
    /// The lock is not freed because its holder is alive.
    #[error("the lock is in use by {}", who(holder.as_ref()))]
    Alive {
        /// Who, if the marker says so.
        holder: Option<Holder>,
    },
    /// Somebody forced the lock while it was held.
    #[error("the lock was taken away by force{}", holder.as_ref().map(|holder| format!(" and is now held by {holder}")).unwrap_or_default())]
    Lost {
        /// Who holds it now.
        holder: Option<Holder>,
    },
    /// The file system does not allow a step.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The marker cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

fn who(holder: Option<&Holder>) -> String {
    holder.map_or_else(|| "another process".to_owned(), Holder::to_string)
}

impl LockError {
    /// Creates a function that wraps what the system said.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// Returns the holder, if known.
    #[must_use]
    pub fn holder(&self) -> Option<&Holder> {
        match self {
            Self::Held { holder } | Self::Alive { holder } | Self::Lost { holder } => holder.as_ref(),
            Self::OtherHost { holder } => Some(holder),
            _ => None,
        }
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Held { .. } => "wait for it with --wait SECONDS; reading needs no lock",
            Self::OtherHost { .. } | Self::Foreign { .. } => {
                "if you are sure that it has ended, free the lock with `mge unlock`"
            }
            Self::Alive { .. } => {
                "end that process, or free the lock with `mge unlock --force` at your own risk"
            }
            Self::Lost { .. } => "check the endpoint with `mge fsck`",
            Self::Io { .. } | Self::Write(_) => return None,
        })
    }

    /// Returns the result that the original gives for this failure.
    #[must_use]
    pub fn state(&self) -> LockState {
        match self {
            Self::Alive { .. } | Self::Lost { .. } => LockState::FreeFailed,
            _ => LockState::LockFailed,
        }
    }

    /// Tells whether somebody holds the lock, as opposed to a fault of the file system.
    #[must_use]
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Held { .. } | Self::OtherHost { .. } | Self::Foreign { .. } | Self::Alive { .. })
    }

    /// Tells whether trying again later can help.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.is_held()
    }
}
