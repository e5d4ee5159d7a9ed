//! Archives, read within limits.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::limits::Clock;
use crate::{ConvertError, Format, Limits};

/// How much is unpacked between two looks at the clock.
const STEP: u64 = 1 << 20;

/// Returns what document an archive is.
pub(crate) fn kind(bytes: &[u8]) -> Option<Format> {
    let archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let has = |name: &str| archive.index_for_name(name).is_some();
    if has("META-INF/container.xml") {
        Some(Format::Epub)
    } else if has("word/document.xml") {
        Some(Format::Docx)
    } else {
        None
    }
}

/// An archive whose entries count against a limit when they are unpacked.
pub(crate) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    format: Format,
    limit: u64,
    left: u64,
    clock: Clock,
}

impl<'b> Archive<'b> {
    pub(crate) fn open(
        bytes: &'b [u8],
        format: Format,
        limits: &Limits,
        clock: Clock,
    ) -> Result<Self, ConvertError> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(format, &error))?;
        if zip.len() > limits.entries {
            return Err(ConvertError::TooLarge { what: "files in an archive", limit: limits.entries as u64 });
        }
        Ok(Self { zip, format, limit: limits.unpacked, left: limits.unpacked, clock })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// Unpacks an entry; `None` if there is none of this name.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ConvertError> {
        let format = self.format;
        let mut entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(broken(format, &error)),
        };
        let mut out = Vec::new();
        loop {
            let step = STEP.min(self.left + 1);
            let read = (&mut entry).take(step).read_to_end(&mut out).map_err(|error| {
                ConvertError::Broken { format, reason: format!("cannot unpack '{name}': {error}") }
            })? as u64;
            if read > self.left {
                return Err(ConvertError::TooLarge {
                    what: "unpacked bytes of an archive",
                    limit: self.limit,
                });
            }
            self.left -= read;
            self.clock.check()?;
            if read == 0 {
                return Ok(Some(out));
            }
        }
    }

    /// Unpacks an entry that must be there.
    pub(crate) fn need(&mut self, name: &str) -> Result<Vec<u8>, ConvertError> {
        self.read(name)?.ok_or_else(|| ConvertError::Broken {
            format: self.format,
            reason: format!("'{name}' is not in the archive"),
        })
    }
}

fn broken(format: Format, error: &ZipError) -> ConvertError {
    match error {
        ZipError::UnsupportedArchive(reason) if *reason == ZipError::PASSWORD_REQUIRED => {
            ConvertError::Encrypted { format }
        }
        ZipError::UnsupportedArchive(reason) => {
            ConvertError::Unsupported { format, reason: (*reason).to_owned() }
        }
        error => ConvertError::Broken { format, reason: error.to_string().to_lowercase() },
    }
}

/// Returns the path of an archive entry that `href` names from a file in `folder`.
pub(crate) fn resolve(folder: &str, href: &str) -> String {
    let mut parts: Vec<&str> = if href.starts_with('/') {
        Vec::new()
    } else {
        folder.split('/').filter(|part| !part.is_empty()).collect()
    };
    for part in href.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
