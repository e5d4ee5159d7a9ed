//! What stands at an index.

use std::borrow::Cow;
use std::ops::Range;

use mge_core::Span;
use serde_json::{Value, json};

use crate::tree::ElementKind;

/// A node as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeView<'a> {
    /// What it is.
    pub kind: NodeKind,
    /// The text of a leaf, the description of other nodes.
    pub text: Cow<'a, str>,
    /// The index, in the form that does not change when files come and go.
    pub index: Cow<'a, str>,
    /// How much of the source it is.
    pub extent: Extent,
    /// The page of the original document that it begins on, where that has pages.
    pub page: Option<Cow<'a, str>>,
    /// The name of the source.
    pub source: &'a str,
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// The whole source.
    Source,
    /// Some of its files.
    Cluster,
    /// A file.
    File,
    /// An element inside a file.
    Element(ElementKind),
}

/// How much of a source a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// A number of files.
    Files(usize),
    /// A part of a file.
    Text {
        /// The lines, from 0.
        lines: Range<usize>,
        /// The bytes of the decoded text.
        span: Span,
    },
}

impl NodeKind {
    /// Returns the name as answers show it, e.g. `TABLE_CELL`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "SOURCE",
            Self::Cluster => "CLUSTER",
            Self::File => "FILE",
            Self::Element(kind) => kind.name(),
        }
    }

    /// Tells whether nodes of this kind hold text; the others hold nodes.
    pub fn is_leaf(self) -> bool {
        matches!(self, Self::Element(kind) if kind.is_leaf())
    }
}

impl<'a> NodeView<'a> {
    /// Returns the node as an answer: `{type, content}` of a leaf, `{type, description}` of others, and where it is.
    pub fn to_json(&self) -> Value {
        let kept = if self.kind.is_leaf() { "content" } else { "description" };
        let mut shown = match &self.extent {
            Extent::Files(files) => json!({
                "type": self.kind.name(),
                kept: self.text,
                "index": self.index,
                "source": self.source,
                "files": files,
            }),
            Extent::Text { lines, span } => json!({
                "type": self.kind.name(),
                kept: self.text,
                "index": self.index,
                "lines": [lines.start, lines.end],
                "bytes": [span.start, span.end],
                "source": self.source,
            }),
        };
        if let (Some(page), Some(fields)) = (&self.page, shown.as_object_mut()) {
            fields.insert("page".to_owned(), page.as_ref().into());
        }
        shown
    }
}
