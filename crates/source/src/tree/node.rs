use std::fmt::Write;

use mge_core::Span;

use super::ElementKind;
use super::lines::split_lines;

/// The number of an element in its [`Tree`], in document order.
pub(crate) type NodeId = u32;

/// No element.
pub(crate) const NONE: u32 = u32::MAX;

/// One element. Flat and small: a large source has millions of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) kind: ElementKind,
    /// The number among the elements of its kind, from 1.
    pub(crate) ordinal: u32,
    pub(crate) parent: u32,
    pub(crate) first_child: u32,
    pub(crate) next: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) first_line: u32,
    pub(crate) end_line: u32,
    /// What else the kind needs: of a heading its number among its siblings (0: none), of a paragraph the
    /// heading it belongs to, of a leaf the depth of block quotes around it.
    pub(crate) extra: u32,
}

/// The elements of one file.
///
/// Elements live in one vector in document order and point at each other by number, so neither building nor
/// dropping recurses, however deep the text nests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Elements by kind, so that a local name is found in one step.
    pub(crate) by_kind: [Vec<NodeId>; ElementKind::ALL.len()],
}

impl Tree {
    /// Returns the bytes that the tree takes, roughly.
    pub(crate) fn weight(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + size_of::<NodeId>())
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    pub(crate) fn kind(&self, id: NodeId) -> Option<ElementKind> {
        self.node(id).map(|node| node.kind)
    }

    /// Finds an element by its local name.
    pub(crate) fn find(&self, local: &str) -> Option<NodeId> {
        let (kind, ordinal) = ElementKind::parse_local(local)?;
        self.by_kind[kind.slot()].get(ordinal - 1).copied()
    }

    pub(crate) fn of_kind(&self, kind: ElementKind) -> &[NodeId] {
        &self.by_kind[kind.slot()]
    }

    pub(crate) fn local_name(&self, id: NodeId) -> String {
        self.node(id).map_or_else(String::new, |node| format!("{}_{}", node.kind.local(), node.ordinal))
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).map(|node| node.parent).filter(|parent| *parent != NONE)
    }

    /// Yields the elements right below one, or the outermost ones of the file.
    pub(crate) fn children(&self, id: Option<NodeId>) -> impl Iterator<Item = NodeId> {
        // The first element of a file is always an outermost one.
        let first = match id {
            Some(id) => self.node(id).map_or(NONE, |node| node.first_child),
            None if self.nodes.is_empty() => NONE,
            None => 0,
        };
        let there = |id: u32| (id != NONE).then_some(id);
        std::iter::successors(there(first), move |id| there(self.nodes[*id as usize].next))
    }

    pub(crate) fn span(&self, id: NodeId) -> Span {
        self.node(id).map_or(Span::new(0, 0), |node| Span::new(node.start as usize, node.end as usize))
    }

    /// Returns the lines, from 0, the last one excluded.
    pub(crate) fn lines(&self, id: NodeId) -> (usize, usize) {
        self.node(id).map_or((0, 0), |node| (node.first_line as usize, node.end_line as usize))
    }

    /// Returns the text of a leaf; the empty text for elements that hold elements.
    ///
    /// Running text is one line: its lines are stripped and joined by spaces. HTML, formulas and the like keep
    /// their lines. What block quotes put before a line is no text.
    pub(crate) fn content(&self, id: NodeId, text: &str) -> String {
        let Some(node) = self.node(id).filter(|node| node.kind.is_leaf()) else { return String::new() };
        let Some(slice) = text.get(node.start as usize..node.end as usize) else { return String::new() };
        let separator = match node.kind {
            ElementKind::Text | ElementKind::Link | ElementKind::Image => ' ',
            _ => '\n',
        };
        let mut content = String::with_capacity(slice.len());
        for (number, line) in split_lines(slice).enumerate() {
            if number == 0 {
                content.push_str(line);
                continue;
            }
            if separator == ' ' {
                content.truncate(content.trim_end_matches([' ', '\t']).len());
                content.push(' ');
                content.push_str(strip_quotes(line, node.extra).trim_start_matches([' ', '\t']));
            } else {
                content.push('\n');
                content.push_str(strip_quotes(line, node.extra));
            }
        }
        content
    }

    /// Returns the description of an element that holds elements.
    pub(crate) fn description(&self, id: NodeId, text: &str) -> String {
        let Some(node) = self.node(id) else { return String::new() };
        match node.kind {
            ElementKind::Paragraph => match self.node(node.extra) {
                Some(_) => format!("Content of {}", self.section_number(node.extra)),
                None => "Content of document".to_owned(),
            },
            kind => match kind.level() {
                None => String::new(),
                Some(1) => format!("Title: {}", self.title(id, text)),
                // A heading inside a quote or a list opens no section of the document.
                Some(_) if node.extra == 0 => format!("Section: {}", self.title(id, text)),
                Some(_) => format!("Section {}: {}", self.section_number(id), self.title(id, text)),
            },
        }
    }

    /// Returns the text of a heading.
    pub(crate) fn title(&self, id: NodeId, text: &str) -> String {
        let leaf = self.children(Some(id)).next().filter(|child| {
            self.node(*child).is_some_and(|child| {
                child.kind == ElementKind::Text
                    && self.node(id).is_some_and(|node| child.first_line == node.first_line)
            })
        });
        leaf.map_or_else(String::new, |leaf| self.content(leaf, text))
    }

    /// Returns the number of a section, e.g. `2.3`: its place among the headings of the section around it.
    pub(crate) fn section_number(&self, id: NodeId) -> String {
        let mut ordinals = Vec::new();
        let mut current = id;
        while let Some(node) = self.node(current).filter(|node| node.kind.level().is_some()) {
            ordinals.push(node.extra);
            current = node.parent;
        }
        let mut number = String::new();
        for ordinal in ordinals.iter().rev() {
            if !number.is_empty() {
                number.push('.');
            }
            // Writing to a string cannot fail.
            let _ = write!(number, "{ordinal}");
        }
        number
    }
}

/// Drops up to `depth` block quote markers and the blanks before and one after each.
fn strip_quotes(line: &str, depth: u32) -> &str {
    let mut rest = line;
    for _ in 0..depth {
        let Some(after) = rest.trim_start_matches([' ', '\t']).strip_prefix('>') else { break };
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    rest
}
