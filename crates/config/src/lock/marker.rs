//! The marker: `mge_endpoint.free` or `mge_endpoint.locked`.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::LockError;
use crate::atomic::{self, write_atomically};
use crate::name::is_unprintable;

/// Who holds the lock, as the marker says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process.
    pub pid: u32,
    /// The machine's name.
    pub host: String,
    /// What was started, such as `mge crawl`.
    pub command: String,
    /// Since when, as RFC 3339 in UTC with milliseconds.
    pub since: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The marker may come from anyone, so nothing in it may reach a terminal's controls.
        let clean = |text: &str| text.chars().filter(|c| !is_unprintable(*c)).take(200).collect::<String>();
        let (command, host, since) = (clean(&self.command), clean(&self.host), clean(&self.since));
        write!(f, "`{command}` (pid {} on {host}) since {since}", self.pid)
    }
}

/// What the two marker files say.
#[derive(Debug)]
pub(super) enum Marker {
    None,
    Free,
    Locked { holder: Option<Holder>, since: Option<String> },
    Both { holder: Option<Holder> },
}

/// A marker that is longer than this is not ours.
const MAX_BYTES: u64 = 64 << 10;

fn free_path(folder: &Path) -> PathBuf {
    folder.join("mge_endpoint.free")
}

fn locked_path(folder: &Path) -> PathBuf {
    folder.join("mge_endpoint.locked")
}

impl Marker {
    /// Reads the marker; a holder that cannot be read is an unknown one.
    pub(super) fn read(folder: &Path) -> Result<Self, LockError> {
        let path = locked_path(folder);
        let is_free = || free_path(folder).symlink_metadata().is_ok();
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(if is_free() { Self::Free } else { Self::None });
            }
            Err(error) => return Err(LockError::io("read", &path)(error)),
        };
        let since = file.metadata().and_then(|data| data.modified()).ok().and_then(rfc3339);
        let mut text = String::new();
        let holder = match file.take(MAX_BYTES).read_to_string(&mut text) {
            Ok(_) => serde_json::from_str(&text).ok(),
            Err(_) => None,
        };
        Ok(if is_free() { Self::Both { holder } } else { Self::Locked { holder, since } })
    }

    pub(super) fn holder(&self) -> Option<&Holder> {
        match self {
            Self::Locked { holder, .. } | Self::Both { holder } => holder.as_ref(),
            Self::None | Self::Free => None,
        }
    }

    /// Returns why a writer must not pass over this marker even if nobody holds the advisory lock.
    pub(super) fn refusal(&self, host: &str, was_ours: bool) -> Option<LockError> {
        match self {
            Self::Locked { holder: Some(holder), .. } | Self::Both { holder: Some(holder) }
                if holder.host != host =>
            {
                Some(LockError::OtherHost { holder: Box::new(holder.clone()) })
            }
            // The original writes no name; without a lock file of ours, it was not one of ours that died.
            Self::Locked { holder: None, since } if !was_ours => {
                Some(LockError::Foreign { since: since.clone() })
            }
            _ => None,
        }
    }
}

/// Renames the marker to locked and writes the holder into it.
pub(super) fn set_locked(folder: &Path, seen: &Marker, holder: &Holder) -> Result<(), LockError> {
    let (free, locked) = (free_path(folder), locked_path(folder));
    match seen {
        Marker::Free => match fs::rename(&free, &locked) {
            // Nobody of ours can have moved it, so the original was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound && locked.exists() => {
                return Err(LockError::Foreign { since: None });
            }
            done => done.map_err(LockError::io("rename", &free))?,
        },
        Marker::Both { .. } => fs::remove_file(&free).map_err(LockError::io("remove", &free))?,
        Marker::None | Marker::Locked { .. } => {}
    }
    let mut json =
        serde_json::to_vec(holder).map_err(io::Error::from).map_err(LockError::io("write", &locked))?;
    json.push(b'\n');
    Ok(write_atomically(&locked, &json)?)
}

/// Empties the marker and renames it to free.
pub(super) fn set_free(folder: &Path, seen: &Marker) -> Result<(), LockError> {
    let (free, locked) = (free_path(folder), locked_path(folder));
    match seen {
        Marker::Free => Ok(()),
        Marker::None => Ok(write_atomically(&free, b"")?),
        Marker::Locked { .. } | Marker::Both { .. } => {
            // An empty marker is free of a holder's name whichever of the two names it has.
            write_atomically(&locked, b"")?;
            fs::rename(&locked, &free).map_err(LockError::io("rename", &locked))?;
            atomic::sync_folder(folder).map_err(LockError::io("sync", folder))
        }
    }
}

/// Removes what killed writers left beside the marker.
pub(super) fn sweep(folder: &Path) {
    atomic::sweep(&locked_path(folder));
    atomic::sweep(&free_path(folder));
}

/// Returns this machine's name.
pub(super) fn this_host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

fn rfc3339(time: std::time::SystemTime) -> Option<String> {
    let time = jiff::Timestamp::try_from(time).ok()?;
    Some(time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}
