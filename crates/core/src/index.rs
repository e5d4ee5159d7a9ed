use std::fmt;

use serde::{Deserialize, Serialize};

/// The address of a node: parts joined by `|`, from the component's name downwards.
///
/// `docs|guide/start.md|text_7` is the seventh text of that file of the source `docs`. A part holds no `|`; a
/// name that does is written with [`escape_part`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Index(String);

impl Index {
    /// Takes an address as it is written.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the address of `part` below this one; an empty address is the root.
    pub fn child(&self, part: &str) -> Self {
        if self.0.is_empty() { Self(part.to_owned()) } else { Self(format!("{}|{part}", self.0)) }
    }

    /// Returns the parts, outermost first.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('|').filter(|part| !part.is_empty())
    }

    /// Tells whether `other` is this address or lies below it.
    pub fn covers(&self, other: &Index) -> bool {
        self.0.is_empty()
            || other.0 == self.0
            || other.0.strip_prefix(&self.0).is_some_and(|rest| rest.starts_with('|'))
    }

    /// Returns the written form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Index {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Writes a name as one part of an address: `%` becomes `%25`, `|` becomes `%7C`.
pub fn escape_part(name: &str) -> String {
    name.replace('%', "%25").replace('|', "%7C")
}

/// Reads a part written by [`escape_part`]; other `%` sequences stay as they are.
pub fn unescape_part(part: &str) -> String {
    part.replace("%7C", "|").replace("%7c", "|").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_separators_survive() {
        for name in ["a|b", "100%", "%7C", "|", "plain.md", "%25"] {
            assert_eq!(unescape_part(&escape_part(name)), name);
            assert!(!escape_part(name).contains('|'));
        }
    }

    #[test]
    fn an_address_covers_what_lies_below_it_and_nothing_beside() {
        let root = Index::new("docs|a");
        assert!(root.covers(&Index::new("docs|a|text_1")));
        assert!(root.covers(&root));
        assert!(!root.covers(&Index::new("docs|ab")));
        assert!(Index::new("").covers(&root));
    }
}
