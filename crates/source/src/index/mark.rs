//! What an index remembers of a file: by which state of it its passages were made.

use std::fmt;

use mge_core::Digest;

use crate::cache::Stamp;

/// A file changed so shortly before it was read may have changed again since, within one tick of its clock.
const RACY_MILLISECONDS: i64 = 2_000;

/// What the passages of a file were made by, written as the digest of its document in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    stamp: Stamp,
    /// The stamp cannot be trusted to tell the next change.
    racy: bool,
    /// The beginning of the text's digest.
    text: String,
    /// What else decides about the passages.
    recipe: String,
}

impl Mark {
    /// Describes a file that was read at `now`, in milliseconds since 1970.
    pub(crate) fn new(stamp: Stamp, text: Digest, recipe: &str, now: i64) -> Self {
        let racy = stamp
            .modified
            .is_none_or(|modified| modified / 1_000_000 >= now.saturating_sub(RACY_MILLISECONDS));
        Self { stamp, racy, text: text.to_string()[..32].to_owned(), recipe: recipe.to_owned() }
    }

    /// Reads what [`Mark`] writes; nothing of what another version wrote.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let mut part = || parts.next();
        let size = part()?.parse().ok()?;
        let modified = match part()? {
            "-" => None,
            modified => Some(modified.parse().ok()?),
        };
        let racy = match part()? {
            "racy" => true,
            "sure" => false,
            _ => return None,
        };
        let (text, recipe) = (part()?.to_owned(), part()?.to_owned());
        parts.next().is_none().then_some(Self { stamp: Stamp { size, modified }, racy, text, recipe })
    }

    /// Tells whether a file need not be read: nothing suggests a change.
    pub(crate) fn is_current(&self, stamp: Stamp, recipe: &str) -> bool {
        !self.racy && self.stamp == stamp && self.recipe == recipe
    }

    /// Tells whether the passages are those of this state of the file, as far as its stamp tells.
    pub(crate) fn is_of(&self, stamp: Stamp) -> bool {
        !self.racy && self.stamp == stamp
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stamp { size, modified } = self.stamp;
        let modified = modified.map_or_else(|| "-".to_owned(), |modified| modified.to_string());
        let trust = if self.racy { "racy" } else { "sure" };
        write!(formatter, "{size} {modified} {trust} {} {}", self.text, self.recipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(modified: Option<i64>, now: i64) -> Mark {
        Mark::new(Stamp { size: 7, modified }, Digest::of(b"text"), "r", now)
    }

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        for mark in [mark(Some(5_000_000), 1_000_000), mark(Some(-3), 0), mark(None, 9)] {
            assert_eq!(Mark::parse(&mark.to_string()), Some(mark));
        }
        for broken in ["", "7", "7 - sure", "7 - sure a b c", "x - sure a b", "7 - maybe a b"] {
            assert_eq!(Mark::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn only_a_file_that_was_at_rest_is_known_by_its_stamp() {
        let second = 1_000_000_000;
        let rested = mark(Some(10 * second), 13_000);
        let stamp = Stamp { size: 7, modified: Some(10 * second) };
        assert!(rested.is_current(stamp, "r") && rested.is_of(stamp));
        assert!(!rested.is_current(stamp, "other") && rested.is_of(stamp));
        assert!(!rested.is_current(Stamp { size: 8, ..stamp }, "r"));
        assert!(!rested.is_current(Stamp { modified: Some(11 * second), ..stamp }, "r"));
        assert!(!mark(Some(10 * second), 11_000).is_current(stamp, "r"), "it may have changed within a tick");
        let unknown = Stamp { size: 7, modified: None };
        assert!(!mark(None, 13_000).is_current(unknown, "r"), "nothing tells of a change");
    }
}
