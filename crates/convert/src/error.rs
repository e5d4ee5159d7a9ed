//! What can be wrong with a document.

use std::time::Duration;

use crate::Format;

/// Why a document could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// Its text is encrypted, and needs a password or a license.
    #[error("the {format} document is encrypted")]
    Encrypted {
        /// What it is.
        format: Format,
    },
    /// It is a PDF of pictures: no page has any text.
    #[error("no text layer; {pages} pages of images")]
    Scanned {
        /// How many pages it has.
        pages: usize,
    },
    /// It is damaged, or not what it was taken for.
    #[error("broken {format} document: {reason}")]
    Broken {
        /// What it was taken for.
        format: Format,
        /// What is wrong with it.
        reason: String,
    },
    /// It holds more than the limits allow.
    #[error("too large: {what} are limited to {limit}")]
    TooLarge {
        /// What there is too much of, in the plural.
        what: &'static str,
        /// How many there may be.
        limit: u64,
    },
    /// It took longer than the limits allow.
    #[error("not converted within {} s", limit.as_secs_f64())]
    TooSlow {
        /// How long it may take.
        limit: Duration,
    },
    /// Its kind is known, but it uses what this crate does not read.
    #[error("unsupported {format} document: {reason}")]
    Unsupported {
        /// What it is.
        format: Format,
        /// What is not supported.
        reason: String,
    },
    /// The program itself failed on it.
    #[error("the {format} reader failed: {reason}")]
    Failed {
        /// What it is.
        format: Format,
        /// What the reader said.
        reason: String,
    },
}

impl ConvertError {
    /// Returns what the user can do.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Encrypted { .. } => Some("save a copy without its password"),
            Self::Scanned { .. } => {
                Some("run a text recognition over it first, or use a converter command that does")
            }
            Self::Broken { .. } => Some("open it in its own program and save it anew"),
            Self::TooLarge { .. } | Self::TooSlow { .. } => Some("split it, or raise the limit"),
            Self::Unsupported { .. } => Some("save it in another format, or use a converter command"),
            Self::Failed { .. } => Some("report it with the document, and use a converter command meanwhile"),
        }
    }
}
