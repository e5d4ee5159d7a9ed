//! Files that are archives of others, unpacked within limits.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use crate::{ConvertError, Limits};

/// The most members of an archive.
const MOST_MEMBERS: usize = 20_000;

/// An archive in memory.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// How many bytes may still be unpacked.
    left: u64,
    limit: u64,
}

impl<'a> Archive<'a> {
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, ConvertError> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| ConvertError::Broken { reason: format!("it is no archive: {error}") })?;
        if zip.len() > MOST_MEMBERS {
            return Err(ConvertError::Broken { reason: format!("it has more than {MOST_MEMBERS} members") });
        }
        let limit = limits.max_output_bytes as u64 * 4;
        Ok(Self { zip, left: limit, limit })
    }

    /// Returns a member as text, or nothing where there is none.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, ConvertError> {
        let broken = |reason: String| ConvertError::Broken { reason: format!("its part '{name}': {reason}") };
        let member = match self.zip.by_name(name) {
            Ok(member) => member,
            Err(zip::result::ZipError::FileNotFound) => return Ok(None),
            Err(error @ zip::result::ZipError::UnsupportedArchive(_))
                if error.to_string().contains("assword") =>
            {
                return Err(ConvertError::Encrypted);
            }
            Err(error) => return Err(broken(error.to_string())),
        };
        // What the archive says of the size may be a lie.
        let mut bytes = Vec::new();
        member.take(self.left + 1).read_to_end(&mut bytes).map_err(|error| broken(error.to_string()))?;
        let read = bytes.len() as u64;
        if read > self.left {
            return Err(ConvertError::TooLarge { size: self.limit + 1, limit: self.limit });
        }
        self.left -= read;
        crate::text::decode(&bytes).map(Some)
    }
}
