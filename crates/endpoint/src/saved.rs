//! The state that is saved at the last close, and read by the next process.

use std::collections::BTreeMap;
use std::path::Path;

use mge_core::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a close leaves for the next process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Saved {
    /// The format's version.
    #[serde(default)]
    pub(crate) version: u32,
    /// The endpoint's state.
    #[serde(default)]
    pub(crate) state: i32,
    /// The items' states by name.
    #[serde(default)]
    pub(crate) items: BTreeMap<String, i32>,
    /// The exposed capabilities, in order.
    #[serde(default)]
    pub(crate) capabilities: Vec<String>,
    /// The digest of the resolved configuration that this holds for.
    #[serde(default)]
    pub(crate) configuration: String,
}

/// The format that this version writes.
pub(crate) const VERSION: u32 = 1;

impl Saved {
    /// Reads what the last close left; what cannot be read counts as nothing.
    ///
    /// The file only spares work, so a damaged one, or one of a newer version, means a state of 0. A file of the
    /// original holds the state alone, as JSON, and is taken as it is.
    pub(crate) fn read(file: &Path) -> Option<Self> {
        const LARGEST: u64 = 1 << 20;
        let length = std::fs::metadata(file).ok()?.len();
        if length > LARGEST {
            return None;
        }
        let saved: Self = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        (saved.version <= VERSION).then_some(saved)
    }

    /// Returns the bytes of the file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// Returns the digest of a resolved configuration: comments, files and the folder's place do not count.
pub(crate) fn fingerprint(configuration: &Value, folder: &Path) -> String {
    let here = Value::String(folder.to_string_lossy().into_owned()).to_string();
    let portable = configuration.to_string().replace(here.trim_matches('"'), ".");
    let digest = Digest::of(portable.as_bytes()).to_string();
    digest[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_means_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("saved.json");
        assert_eq!(Saved::read(&file), None);
        let saved = Saved { version: 1, state: 100, ..Saved::default() };
        std::fs::write(&file, saved.to_bytes()).expect("it writes");
        assert_eq!(Saved::read(&file), Some(saved));
        for damaged in ["", "{", "{\"version\": 9, \"state\": 100}", "\u{80}\u{4}pickle"] {
            std::fs::write(&file, damaged).expect("it writes");
            assert_eq!(Saved::read(&file), None, "{damaged:?}");
        }
        std::fs::write(&file, "{\"state\": 5}").expect("it writes");
        assert_eq!(Saved::read(&file).map(|saved| saved.state), Some(5));
    }
}
