//! What a Markdown file was made of.

use serde::{Deserialize, Serialize};

/// What is known of the document that a Markdown file was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// Where its pages begin in the Markdown, in order.
    pub(crate) pages: Vec<PageStart>,
    /// What it says of itself: `title`, `author`, `date`.
    pub(crate) attributes: std::collections::BTreeMap<String, String>,
    /// What was lost or doubtful.
    pub(crate) warnings: Vec<String>,
}

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageStart {
    /// The byte of the Markdown.
    pub(crate) start: usize,
    /// The page's number or name as the document has it.
    pub(crate) label: String,
}

impl Origin {
    /// Returns the page that a byte of the Markdown stands on.
    pub(crate) fn page(&self, byte: usize) -> Option<&str> {
        let after = self.pages.partition_point(|page| page.start <= byte);
        self.pages[..after].last().map(|page| page.label.as_str())
    }
}
