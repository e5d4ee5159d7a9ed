//! From a parsed document to the chunks that a formalizer reads.

use std::ops::Range;

use mge_core::{Cell, Chunk, ChunkKind, ChunkRule, Index, MappedText, Span};
use unicode_segmentation::UnicodeSegmentation;

use crate::tree::{ElementKind, NodeId, ParsedText, TextBlock, Tree};

/// Cuts a document into chunks, in document order.
pub(crate) fn chunks(document: &Index, text: &str, parsed: &ParsedText, rule: ChunkRule) -> Vec<Chunk> {
    let mut cutter = Cutter::new(document, text, parsed, rule);
    cutter.front_matter();
    let mut position = 0;
    while let Some(block) = parsed.blocks.get(position) {
        position += cutter.block(position, block);
    }
    cutter.chunks
}

/// Returns what a reader takes for the title: the front matter's, else the first heading of level 1.
pub(crate) fn title(text: &str, parsed: &ParsedText) -> Option<MappedText> {
    if let Some(title) = parsed.attributes.get("title") {
        if let Some(span) = parsed.attributes.title
            && span.slice(text) == Some(title)
        {
            return Some(MappedText::verbatim(title, span.start));
        }
        let front = parsed.tree.of_kind(ElementKind::FrontMatter).first()?;
        let mut mapped = MappedText::default();
        mapped.push(title, parsed.tree.span(*front));
        return Some(mapped);
    }
    let outermost = |id: NodeId| parsed.tree.node(id).is_some_and(|node| node.extra > 0);
    let heading = parsed.tree.of_kind(ElementKind::Header1).iter().copied().find(|id| outermost(*id))?;
    let block = parsed.blocks.iter().find(|block| block.node == heading)?;
    Some(block.text.clone()).filter(|title| !title.as_str().trim().is_empty())
}

struct Cutter<'a> {
    document: &'a Index,
    text: &'a str,
    tree: &'a Tree,
    blocks: &'a [TextBlock],
    rule: ChunkRule,
    chunks: Vec<Chunk>,
    /// The element before each, below the same parent.
    before: Vec<Option<NodeId>>,
    /// The last block seen of each element.
    seen: Vec<Option<u32>>,
    /// The cells of the head row of the table that was met last.
    head: Vec<MappedText>,
}

impl<'a> Cutter<'a> {
    fn new(document: &'a Index, text: &'a str, parsed: &'a ParsedText, rule: ChunkRule) -> Self {
        let tree = &parsed.tree;
        let mut before = vec![None; tree.len()];
        for (id, node) in tree.nodes.iter().enumerate() {
            if let Some(next) = before.get_mut(node.next as usize) {
                *next = Some(id as NodeId);
            }
        }
        Self {
            document,
            text,
            tree,
            blocks: &parsed.blocks,
            rule: ChunkRule { max_chars: rule.max_chars.max(1) },
            chunks: Vec::new(),
            before,
            seen: vec![None; tree.len()],
            head: Vec::new(),
        }
    }

    fn front_matter(&mut self) {
        for id in self.tree.of_kind(ElementKind::FrontMatter) {
            let span = self.tree.span(*id);
            let text = MappedText::verbatim(span.slice(self.text).unwrap_or_default(), span.start);
            self.push(*id, ChunkKind::Verbatim, span, text, None);
        }
    }

    /// Takes the block at a position and those that belong to it; returns how many.
    fn block(&mut self, position: usize, block: &TextBlock) -> usize {
        let Some(kind) = self.tree.kind(block.node) else { return 1 };
        let taken = match kind {
            ElementKind::TableCell => self.row(position),
            ElementKind::Footnote => {
                let count = self.run_of(position, |other| other.node == block.node);
                let mut text = MappedText::default();
                for part in &self.blocks[position..position + count] {
                    append(&mut text, " ", &part.text);
                }
                self.push(block.node, ChunkKind::Footnote, self.tree.span(block.node), text, None);
                count
            }
            _ => {
                let (chunk_kind, lead_in) = match kind {
                    ElementKind::CodeBlock | ElementKind::HtmlBlock | ElementKind::Math => {
                        (ChunkKind::Verbatim, None)
                    }
                    ElementKind::ListItem => (ChunkKind::ListItem, self.lead_in_of_item(block.node)),
                    kind if kind.level().is_some() => (ChunkKind::Heading, None),
                    _ => (ChunkKind::Paragraph, None),
                };
                self.push(block.node, chunk_kind, block.span, block.text.clone(), lead_in);
                1
            }
        };
        self.seen[block.node as usize] = Some(position as u32);
        taken
    }

    fn run_of(&self, position: usize, same: impl Fn(&TextBlock) -> bool) -> usize {
        self.blocks[position..].iter().take_while(|block| same(block)).count().max(1)
    }

    fn row(&mut self, position: usize) -> usize {
        let Some(row) = self.tree.parent(self.blocks[position].node) else { return 1 };
        let count = self.run_of(position, |block| self.tree.parent(block.node) == Some(row));
        let cells = &self.blocks[position..position + count];
        if self.tree.kind(row) == Some(ElementKind::TableHeader) {
            self.head = cells.iter().map(|cell| clipped(&cell.text, false)).collect();
            return count;
        }
        let mut text = MappedText::default();
        let mut parts = Vec::new();
        for (column, cell) in cells.iter().enumerate() {
            if column > 0 {
                // Cells that a short row lacks stand behind it.
                let row_end = self.tree.span(row).end;
                let gap = cells[column - 1].span.end.min(row_end);
                // An empty cell is written as one blank, as in the document: `a | | c`.
                let separator =
                    if column > 1 && cells[column - 1].text.as_str().is_empty() { "| " } else { " | " };
                text.push(separator, Span::new(gap, cell.span.start.min(row_end)));
            }
            let start = text.as_str().len();
            text.append(&cell.text);
            parts.push(Cell {
                header: self.head.get(column).cloned().unwrap_or_default(),
                span: Span::new(start, text.as_str().len()),
            });
        }
        if parts.iter().all(|cell| cell.span.is_empty()) {
            return count;
        }
        let lead_in = self.tree.parent(row).and_then(|table| self.lead_in_of(table));
        let first = self.chunks.len();
        self.push(row, ChunkKind::TableRow, self.tree.span(row), text, lead_in);
        // A row that had to be split has no cells any more.
        if self.chunks.len() == first + 1 {
            self.chunks[first].cells = parts;
        }
        count
    }

    fn lead_in_of_item(&self, item: NodeId) -> Option<MappedText> {
        self.lead_in_of(self.tree.parent(item)?)
    }

    /// Returns what introduces a list or a table: the paragraph right before it, or the item it is nested in.
    fn lead_in_of(&self, element: NodeId) -> Option<MappedText> {
        let parent = self.tree.parent(element);
        let before = self.before.get(element as usize).copied().flatten();
        let introducing = match before.and_then(|before| self.tree.kind(before)) {
            Some(ElementKind::Paragraph) => before,
            // Text right below an item or a quote is a block of that element.
            _ => parent.filter(|parent| {
                matches!(self.tree.kind(*parent), Some(ElementKind::ListItem | ElementKind::Blockquote))
            }),
        }?;
        let block = self.last_block(introducing)?;
        (!block.text.is_empty()).then(|| clipped(&block.text, true))
    }

    fn last_block(&self, node: NodeId) -> Option<&'a TextBlock> {
        let position = self.seen.get(node as usize).copied().flatten()?;
        self.blocks.get(position as usize)
    }

    fn headings(&self, node: NodeId) -> Vec<MappedText> {
        let mut headings = Vec::new();
        let mut current = self.tree.parent(node);
        while let Some(id) = current {
            if self.tree.kind(id).is_some_and(|kind| kind.level().is_some())
                && let Some(block) = self.last_block(id)
            {
                headings.push(clipped(&block.text, false));
            }
            current = self.tree.parent(id);
        }
        headings.reverse();
        headings
    }

    fn push(
        &mut self,
        node: NodeId,
        kind: ChunkKind,
        span: Span,
        text: MappedText,
        lead_in: Option<MappedText>,
    ) {
        let text = trimmed(text);
        if text.is_empty() {
            return;
        }
        let index = Index::new(self.tree.index_below(self.document.as_str(), node));
        let headings = self.headings(node);
        let parts = split(text.as_str(), self.rule.max_chars);
        let chunk = Chunk { index, kind, span, text, headings, lead_in, cells: Vec::new(), page: None };
        // Most are whole.
        if parts.len() == 1 {
            self.chunks.push(chunk);
            return;
        }
        for part in parts {
            let text = chunk.text.slice(Span::from(part.clone()));
            let span = chunk.text.to_source(Span::from(part));
            self.chunks.push(Chunk { span, text, ..chunk.clone() });
        }
    }
}

/// What stands above a chunk is repeated in each chunk below it, so that a huge one would multiply.
const MOST_CONTEXT: usize = 1_000;

/// Returns a text, or the first or last code points of a long one.
fn clipped(text: &MappedText, keep_end: bool) -> MappedText {
    let whole = text.as_str();
    let mut borders = whole.char_indices().map(|(position, _)| position);
    if keep_end {
        match borders.rev().nth(MOST_CONTEXT) {
            Some(start) => text.slice(Span::new(start, whole.len())),
            None => text.clone(),
        }
    } else {
        match borders.nth(MOST_CONTEXT) {
            Some(end) => text.slice(Span::new(0, end)),
            None => text.clone(),
        }
    }
}

fn append(text: &mut MappedText, separator: &str, other: &MappedText) {
    if !text.is_empty() && !other.is_empty() {
        let end = text.to_source(Span::new(0, text.as_str().len())).end;
        let start = other.to_source(Span::new(0, other.as_str().len())).start;
        text.push(separator, Span::new(end, start.max(end)));
    }
    text.append(other);
}

fn trimmed(text: MappedText) -> MappedText {
    let whole = text.as_str();
    let start = whole.len() - whole.trim_start().len();
    let end = whole.trim_end().len();
    if start == 0 && end == whole.len() { text } else { text.slice(Span::new(start, end)) }
}

/// Cuts a text into parts of at most `most` code points: at sentence borders, else at blanks, else anywhere.
fn split(text: &str, most: usize) -> Vec<Range<usize>> {
    // Bytes are no fewer than code points.
    if text.len() <= most || text.chars().count() <= most {
        return std::iter::once(0..text.len()).collect();
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut end = 0;
    let mut length = 0;
    for (position, sentence) in text.split_sentence_bound_indices() {
        let count = sentence.chars().count();
        if length + count > most && end > start {
            parts.push(start..end);
            (start, length) = (position, 0);
        }
        if count > most {
            let mut pieces = cut(sentence, most);
            let last = pieces.pop().unwrap_or(0..sentence.len());
            parts.extend(pieces.into_iter().map(|piece| position + piece.start..position + piece.end));
            start = position + last.start;
            length = sentence[last].chars().count();
        } else {
            length += count;
        }
        end = position + sentence.len();
    }
    if end > start {
        parts.push(start..end);
    }
    let tidy = |part: Range<usize>| {
        let slice = &text[part.clone()];
        let lead = slice.len() - slice.trim_start().len();
        part.start + lead..part.start + slice.trim_end().len().max(lead)
    };
    parts.into_iter().map(tidy).filter(|part| !part.is_empty()).collect()
}

fn cut(sentence: &str, most: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut count, mut blank) = (0, 0, None);
    for (position, character) in sentence.char_indices() {
        if count == most {
            let end = blank.filter(|blank| *blank > start).unwrap_or(position);
            pieces.push(start..end);
            start = end;
            count = sentence[start..position].chars().count();
            blank = None;
        }
        count += 1;
        if character.is_whitespace() {
            blank = Some(position + character.len_utf8());
        }
    }
    pieces.push(start..sentence.len());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_with_text;

    fn cut_up(text: &str, most: usize) -> Vec<Chunk> {
        let parsed = parse_with_text(text);
        chunks(&Index::new("d|f.md"), text, &parsed, ChunkRule { max_chars: most })
    }

    fn shown(chunks: &[Chunk]) -> Vec<(&str, ChunkKind, &str)> {
        chunks
            .iter()
            .map(|chunk| {
                let local = chunk.index.as_str().rsplit('|').next().unwrap_or_default();
                (local, chunk.kind, chunk.text.as_str())
            })
            .collect()
    }

    #[test]
    fn blocks_become_chunks_without_markup() {
        let text = "---\ntitle: T\n---\n# A *b*\n\nSee [the **port**](u) &amp; `x`.\nNext line.\n\n- one\n  - two\n\n> quoted\n\n\
                    ```\ncode\n```\n\nFoot[^1].\n\n[^1]: note\n";
        let chunks = cut_up(text, 4000);
        assert_eq!(
            shown(&chunks),
            [
                ("front_matter_1", ChunkKind::Verbatim, "---\ntitle: T\n---"),
                ("header_1_1", ChunkKind::Heading, "A b"),
                ("paragraph_1", ChunkKind::Paragraph, "See the port & x. Next line."),
                ("list_item_1", ChunkKind::ListItem, "one"),
                ("list_item_2", ChunkKind::ListItem, "two"),
                ("blockquote_1", ChunkKind::Paragraph, "quoted"),
                ("code_block_1", ChunkKind::Verbatim, "code"),
                ("paragraph_2", ChunkKind::Paragraph, "Foot."),
                ("footnote_1", ChunkKind::Footnote, "note"),
            ]
        );
        let lead_ins: Vec<Option<&str>> =
            chunks.iter().map(|chunk| chunk.lead_in.as_ref().map(MappedText::as_str)).collect();
        assert_eq!(lead_ins[3], Some("See the port & x. Next line."));
        assert_eq!(lead_ins[4], Some("one"));
        assert_eq!(chunks[3].headings.len(), 1);
        let port = chunks[2].text.as_str().find("port").expect("it is there");
        assert_eq!(chunks[2].text.to_source(Span::new(port, port + 4)).slice(text), Some("port"));
        for chunk in &chunks {
            let whole = chunk.text.to_source(Span::new(0, chunk.text.as_str().len()));
            assert!(chunk.span.contains(whole), "{chunk:?}");
        }
    }

    #[test]
    fn a_row_knows_the_heads_of_its_columns() {
        let text = "# T\n\nThe staff:\n\n| name | role |\n|---|---|\n| **Ann** | x \\| y |\n|  | z |\n";
        let chunks = cut_up(text, 4000);
        let rows: Vec<&Chunk> = chunks.iter().filter(|chunk| chunk.kind == ChunkKind::TableRow).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].text.as_str(), "Ann | x | y");
        let cells: Vec<(&str, &str)> = rows[0]
            .cells
            .iter()
            .map(|cell| (cell.header.as_str(), cell.span.slice(rows[0].text.as_str()).expect("a slice")))
            .collect();
        assert_eq!(cells, [("name", "Ann"), ("role", "x | y")]);
        assert_eq!(rows[0].lead_in.as_ref().map(MappedText::as_str), Some("The staff:"));
        assert_eq!(rows[1].cells.len(), 2);
    }

    #[test]
    fn a_long_paragraph_is_split_between_sentences() {
        let text = "First one here. Second one here. Third one here.";
        let chunks = cut_up(text, 33);
        assert_eq!(
            chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>(),
            ["First one here. Second one here.", "Third one here."]
        );
        assert_eq!(chunks[1].span.slice(text), Some("Third one here."));
        assert_eq!(chunks[0].index, chunks[1].index);
        let chunks = cut_up(&"ab ".repeat(50), 10);
        assert!(chunks.iter().all(|chunk| chunk.text.as_str().chars().count() <= 10));
        let all: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join(" ");
        assert_eq!(all, "ab ".repeat(50).trim());
        assert_eq!(cut_up(&"x".repeat(25), 10).len(), 3);
    }

    #[test]
    fn the_title_is_the_front_matters_or_the_first_heading() {
        let of = |text: &str| title(text, &parse_with_text(text)).map(|title| title.as_str().to_owned());
        assert_eq!(of("---\ntitle: 'A b'\n---\n# C\n").as_deref(), Some("A b"));
        assert_eq!(of("> # quoted\n\n## s\n\n# The *T*\n\n# U\n").as_deref(), Some("The T"));
        assert_eq!(of("text"), None);
    }
}
