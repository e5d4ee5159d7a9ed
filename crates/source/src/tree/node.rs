use std::borrow::Cow;
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
    /// All elements, those of a kind together, so that a local name is found in one step.
    by_kind: Vec<NodeId>,
    /// Where the elements of each kind start among them, and where the last ones end.
    kind_starts: [u32; ElementKind::ALL.len() + 1],
}

impl Tree {
    /// Takes elements in document order.
    pub(crate) fn new(nodes: Vec<Node>) -> Self {
        let mut kind_starts = [0; ElementKind::ALL.len() + 1];
        for node in &nodes {
            kind_starts[node.kind.slot() + 1] += 1;
        }
        for slot in 1..kind_starts.len() {
            kind_starts[slot] += kind_starts[slot - 1];
        }
        let mut next = kind_starts;
        let mut by_kind = vec![0; nodes.len()];
        for (id, node) in nodes.iter().enumerate() {
            let place = &mut next[node.kind.slot()];
            by_kind[*place as usize] = id as NodeId;
            *place += 1;
        }
        Self { nodes, by_kind, kind_starts }
    }

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
        self.of_kind(kind).get(ordinal - 1).copied()
    }

    pub(crate) fn of_kind(&self, kind: ElementKind) -> &[NodeId] {
        let slot = kind.slot();
        &self.by_kind[self.kind_starts[slot] as usize..self.kind_starts[slot + 1] as usize]
    }

    #[cfg(test)]
    pub(crate) fn local_name(&self, id: NodeId) -> String {
        let mut name = String::new();
        self.push_local_name(id, &mut name);
        name
    }

    /// Returns an index of an element: `above`, and its local name.
    pub(crate) fn index_below(&self, above: &str, id: NodeId) -> String {
        let length = self.node(id).map_or(0, |node| node.kind.local().len());
        // A bar, a line and a number.
        let mut index = String::with_capacity(above.len() + length + 6);
        index.push_str(above);
        index.push('|');
        self.push_local_name(id, &mut index);
        index
    }

    /// Appends the local name of an element. A walk does so for every one of millions.
    pub(crate) fn push_local_name(&self, id: NodeId, name: &mut String) {
        let Some(node) = self.node(id) else { return };
        name.push_str(node.kind.local());
        name.push('_');
        let mut unit = 1;
        while node.ordinal / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 {
            name.push(char::from(b'0' + (node.ordinal / unit % 10) as u8));
            unit /= 10;
        }
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

    /// Visits an element and all below it, or all of the file, each before those below it.
    pub(crate) fn each(&self, start: Option<NodeId>, visit: &mut dyn FnMut(NodeId)) {
        let mut open = match start {
            Some(start) => vec![start],
            None => self.children(None).next().into_iter().collect(),
        };
        while let Some(id) = open.pop() {
            visit(id);
            let Some(node) = self.node(id) else { continue };
            if node.next != NONE && Some(id) != start {
                open.push(node.next);
            }
            if node.first_child != NONE {
                open.push(node.first_child);
            }
        }
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
    pub(crate) fn content<'a>(&self, id: NodeId, text: &'a str) -> Cow<'a, str> {
        let Some(node) = self.node(id).filter(|node| node.kind.is_leaf()) else { return "".into() };
        let Some(slice) = text.get(node.start as usize..node.end as usize) else { return "".into() };
        if !slice.bytes().any(|byte| byte == b'\n' || byte == b'\r') {
            return slice.into();
        }
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
        content.into()
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
        leaf.map_or_else(String::new, |leaf| self.content(leaf, text).into_owned())
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
