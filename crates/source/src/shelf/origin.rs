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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_stands_on_the_page_that_began_last() {
        let page = |start: usize, label: &str| PageStart { start, label: label.to_owned() };
        let origin = Origin {
            pages: vec![page(2, "i"), page(10, "1"), page(10, "2"), page(30, "3")],
            ..Origin::default()
        };
        let pages = [0, 2, 9, 10, 29, 30, 99].map(|byte| origin.page(byte));
        assert_eq!(pages, [None, Some("i"), Some("i"), Some("2"), Some("2"), Some("3"), Some("3")]);
        assert_eq!(Origin::default().page(5), None);
    }
}
