//! Why a document cannot be converted.

/// Why a document cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// A password is needed.
    #[error("it is encrypted")]
    Encrypted,
    /// Its pages are pictures.
    #[error("it has no text: {pages} pages of pictures")]
    NoText {
        /// How many pages it has.
        pages: usize,
    },
    /// It is not what its format asks for.
    #[error("it is broken: {reason}")]
    Broken {
        /// What is wrong.
        reason: String,
    },
    /// It is no text in any encoding that is known.
    #[error("it is no text: {reason}")]
    NotText {
        /// What tells so.
        reason: String,
    },
    /// It is larger than allowed, or becomes so when it is unpacked.
    #[error("it has {size} bytes, more than the {limit} allowed")]
    TooLarge {
        /// Its size in bytes, as far as it was read.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// It takes longer than allowed.
    #[error("it takes more than {seconds} seconds")]
    TooSlow {
        /// The limit in seconds.
        seconds: u64,
    },
    /// This version does not read the format.
    #[error("{what} is not read")]
    Unsupported {
        /// The format.
        what: &'static str,
    },
}

impl ConvertError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Encrypted => Some("remove its password first"),
            Self::NoText { .. } => Some("run it through text recognition first"),
            Self::TooLarge { .. } => Some("raise max_file_bytes of the source, or split the document"),
            Self::Unsupported { .. } => Some("convert it by a 'converter' of the source"),
            Self::Broken { .. } | Self::NotText { .. } | Self::TooSlow { .. } => None,
        }
    }
}
