use std::fmt;

use serde::{Serialize, Serializer};

/// The kind of an element inside a file, with the number that it has had since the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ElementKind {
    /// A stretch of text.
    Text = 1,
    /// A paragraph.
    Paragraph = 2,
    /// A link.
    Link = 3,
    /// An image.
    Image = 4,
    /// A heading of level 1 with its section.
    Header1 = 10,
    /// A heading of level 2 with its section.
    Header2 = 11,
    /// A heading of level 3 with its section.
    Header3 = 12,
    /// A heading of level 4 with its section.
    Header4 = 13,
    /// A heading of level 5 with its section.
    Header5 = 14,
    /// A heading of level 6 with its section.
    Header6 = 15,
    /// A list.
    List = 20,
    /// An item of a list.
    ListItem = 21,
    /// A table.
    Table = 30,
    /// The head row of a table.
    TableHeader = 31,
    /// A row of a table.
    TableRow = 32,
    /// A cell of a table.
    TableCell = 33,
    /// A code block, fenced or indented.
    CodeBlock = 40,
    /// A block quote.
    Blockquote = 41,
    /// A thematic break.
    HorizontalRule = 42,
    /// A footnote's definition.
    Footnote = 50,
    /// The YAML or TOML block at the top of a file.
    FrontMatter = 60,
    /// A block of HTML.
    HtmlBlock = 61,
    /// A displayed formula.
    Math = 62,
}

impl ElementKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [ElementKind; 23] = [
        Self::Text,
        Self::Paragraph,
        Self::Link,
        Self::Image,
        Self::Header1,
        Self::Header2,
        Self::Header3,
        Self::Header4,
        Self::Header5,
        Self::Header6,
        Self::List,
        Self::ListItem,
        Self::Table,
        Self::TableHeader,
        Self::TableRow,
        Self::TableCell,
        Self::CodeBlock,
        Self::Blockquote,
        Self::HorizontalRule,
        Self::Footnote,
        Self::FrontMatter,
        Self::HtmlBlock,
        Self::Math,
    ];

    /// Returns the number.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Returns the name as answers show it, e.g. `TABLE_CELL`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "TEXT",
            Self::Paragraph => "PARAGRAPH",
            Self::Link => "LINK",
            Self::Image => "IMAGE",
            Self::Header1 => "HEADER_1",
            Self::Header2 => "HEADER_2",
            Self::Header3 => "HEADER_3",
            Self::Header4 => "HEADER_4",
            Self::Header5 => "HEADER_5",
            Self::Header6 => "HEADER_6",
            Self::List => "LIST",
            Self::ListItem => "LIST_ITEM",
            Self::Table => "TABLE",
            Self::TableHeader => "TABLE_HEADER",
            Self::TableRow => "TABLE_ROW",
            Self::TableCell => "TABLE_CELL",
            Self::CodeBlock => "CODE_BLOCK",
            Self::Blockquote => "BLOCKQUOTE",
            Self::HorizontalRule => "HORIZONTAL_RULE",
            Self::Footnote => "FOOTNOTE",
            Self::FrontMatter => "FRONT_MATTER",
            Self::HtmlBlock => "HTML_BLOCK",
            Self::Math => "MATH",
        }
    }

    /// Returns the name as local names show it, e.g. `table_cell`.
    pub fn local(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Paragraph => "paragraph",
            Self::Link => "link",
            Self::Image => "image",
            Self::Header1 => "header_1",
            Self::Header2 => "header_2",
            Self::Header3 => "header_3",
            Self::Header4 => "header_4",
            Self::Header5 => "header_5",
            Self::Header6 => "header_6",
            Self::List => "list",
            Self::ListItem => "list_item",
            Self::Table => "table",
            Self::TableHeader => "table_header",
            Self::TableRow => "table_row",
            Self::TableCell => "table_cell",
            Self::CodeBlock => "code_block",
            Self::Blockquote => "blockquote",
            Self::HorizontalRule => "horizontal_rule",
            Self::Footnote => "footnote",
            Self::FrontMatter => "front_matter",
            Self::HtmlBlock => "html_block",
            Self::Math => "math",
        }
    }

    /// Tells whether elements of this kind hold text; the others hold elements.
    pub fn is_leaf(self) -> bool {
        matches!(
            self,
            Self::Text
                | Self::Link
                | Self::Image
                | Self::TableCell
                | Self::HorizontalRule
                | Self::Footnote
                | Self::FrontMatter
                | Self::HtmlBlock
                | Self::Math
        )
    }

    /// Returns the level of a heading.
    pub fn level(self) -> Option<u8> {
        (10..=15).contains(&self.number()).then(|| self.number() - 9)
    }

    pub(crate) fn header(level: usize) -> Self {
        match level {
            0 | 1 => Self::Header1,
            2 => Self::Header2,
            3 => Self::Header3,
            4 => Self::Header4,
            5 => Self::Header5,
            _ => Self::Header6,
        }
    }

    /// The place in [`ElementKind::ALL`].
    pub(crate) fn slot(self) -> usize {
        SLOTS[self as usize] as usize
    }

    /// Splits a local name such as `header_2_1` into its kind and its number, from 1.
    pub(crate) fn parse_local(name: &str) -> Option<(Self, usize)> {
        let (kind, number) = name.rsplit_once('_')?;
        if number.is_empty() || number.starts_with('0') || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let kind = match kind {
            "text" => Self::Text,
            "paragraph" => Self::Paragraph,
            "link" => Self::Link,
            "image" => Self::Image,
            "header_1" => Self::Header1,
            "header_2" => Self::Header2,
            "header_3" => Self::Header3,
            "header_4" => Self::Header4,
            "header_5" => Self::Header5,
            "header_6" => Self::Header6,
            "list" => Self::List,
            "list_item" => Self::ListItem,
            "table" => Self::Table,
            "table_header" => Self::TableHeader,
            "table_row" => Self::TableRow,
            "table_cell" => Self::TableCell,
            "code_block" => Self::CodeBlock,
            "blockquote" => Self::Blockquote,
            "horizontal_rule" => Self::HorizontalRule,
            "footnote" => Self::Footnote,
            "front_matter" => Self::FrontMatter,
            "html_block" => Self::HtmlBlock,
            "math" => Self::Math,
            _ => return None,
        };
        Some((kind, number.parse().ok()?))
    }
}

/// Places in [`ElementKind::ALL`] by number: an element is added in one step.
const SLOTS: [u8; 63] = {
    let mut slots = [0; 63];
    let mut slot = 0;
    while slot < ElementKind::ALL.len() {
        slots[ElementKind::ALL[slot] as usize] = slot as u8;
        slot += 1;
    }
    slots
};

impl fmt::Display for ElementKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for ElementKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_name_leads_back_to_its_kind() {
        for kind in ElementKind::ALL {
            assert_eq!(ElementKind::parse_local(&format!("{}_12", kind.local())), Some((kind, 12)));
            assert_eq!(ElementKind::ALL[kind.slot()], kind);
            assert_eq!(kind.local().to_uppercase(), kind.name());
        }
        for bad in
            ["text", "text_", "text_0", "text_01", "text_x", "header_7_1", "header_1", "", "_1", "TEXT_1"]
        {
            assert_eq!(ElementKind::parse_local(bad), None, "{bad}");
        }
    }
}
