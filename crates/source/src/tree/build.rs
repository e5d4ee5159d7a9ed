use std::ops::Range;

use mge_core::{MappedText, Span};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::front_matter::split_front_matter;
use super::lines::Lines;
use super::node::{NONE, Node, NodeId, Tree};
use super::{Attributes, ElementKind};

/// A file's elements and what its front matter says.
#[derive(Debug, Default)]
pub(crate) struct ParsedText {
    pub(crate) tree: Tree,
    pub(crate) attributes: Attributes,
    /// The visible text by block, in document order; empty unless asked for.
    pub(crate) blocks: Vec<TextBlock>,
}

/// The visible text of one block.
#[derive(Debug)]
pub(crate) struct TextBlock {
    /// The element that an answer cites: a paragraph, a heading, an item, a cell, a quote, a footnote.
    pub(crate) node: NodeId,
    /// The bytes of the block, markup included.
    pub(crate) span: Span,
    /// What a reader sees.
    pub(crate) text: MappedText,
}

/// Parses a text into its elements.
pub(crate) fn parse(text: &str) -> ParsedText {
    Builder::new(&Lines::new(text), false).run()
}

/// Parses a text into its elements and the visible text of its blocks.
pub(crate) fn parse_with_text(text: &str) -> ParsedText {
    Builder::new(&Lines::new(text), true).run()
}

/// A block that holds blocks, while it is open.
struct Frame {
    node: u32,
    range: Range<usize>,
    kind: FrameKind,
    /// How many headings were open when it began: those below it are not its own.
    headings: usize,
    /// How many headings stand right below it.
    numbered: u32,
    quotes: u32,
    empty: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Root,
    Quote,
    Item,
    Plain,
    Footnote,
}

struct OpenHeading {
    level: u8,
    node: NodeId,
    /// How many headings stand right below it.
    numbered: u32,
}

/// A block of running text, while it is open.
struct Inline {
    holder: Holder,
    range: Range<usize>,
    started: bool,
    /// Outermost links and images.
    links: Vec<(Range<usize>, ElementKind)>,
    /// How many links and images are open around the present event.
    depth: usize,
    visible: MappedText,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// A paragraph that is an element.
    Paragraph,
    /// Text right below a quote or an item; ended by the next block when nothing else marks its end.
    Direct,
    Heading(NodeId),
    Cell(NodeId),
}

struct Code {
    node: NodeId,
    range: Range<usize>,
    /// Lines and where their text starts.
    starts: Vec<(usize, usize)>,
    visible: MappedText,
}

struct Builder<'a> {
    lines: &'a Lines<'a>,
    text: &'a str,
    nodes: Vec<Node>,
    /// How many elements of each kind there are.
    counts: [u32; ElementKind::ALL.len()],
    /// The last element right below each element, while building.
    last_child: Vec<u32>,
    last_top: u32,
    frames: Vec<Frame>,
    headings: Vec<OpenHeading>,
    inline: Option<Inline>,
    code: Option<Code>,
    /// Inside a footnote everything belongs to its one leaf; with how many blocks are open around it.
    footnote: Option<(NodeId, usize)>,
    html: Option<(NodeId, MappedText)>,
    want_text: bool,
    blocks: Vec<TextBlock>,
}

impl<'a> Builder<'a> {
    fn new(lines: &'a Lines<'a>, want_text: bool) -> Self {
        let root = Frame {
            node: NONE,
            range: 0..usize::MAX,
            kind: FrameKind::Root,
            headings: 0,
            numbered: 0,
            quotes: 0,
            empty: true,
        };
        Self {
            lines,
            text: lines.text(),
            // Elements are seldom shorter; huge files grow their own way.
            nodes: Vec::with_capacity((lines.text().len() / 32 + 8).min(4096)),
            counts: [0; ElementKind::ALL.len()],
            last_child: Vec::new(),
            last_top: NONE,
            frames: vec![root],
            headings: Vec::new(),
            inline: None,
            code: None,
            footnote: None,
            html: None,
            want_text,
            blocks: Vec::new(),
        }
    }

    fn run(mut self) -> ParsedText {
        let mut attributes = Attributes::default();
        let mut base = 0;
        if let Some(front) = split_front_matter(self.text) {
            attributes = front.attributes.mapped(|position| self.lines.original(position));
            base = front.end;
            self.push(ElementKind::FrontMatter, trimmed(self.text, 0..base));
        }
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS;
        for (event, range) in Parser::new_ext(&self.text[base..], options).into_offset_iter() {
            self.event(event, range.start + base..range.end + base);
        }
        self.finish_direct();
        self.close_headings(0, self.text.len(), self.lines.count());
        self.nodes.shrink_to_fit();
        ParsedText { tree: Tree::new(self.nodes), attributes, blocks: self.blocks }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Rule => {
                self.finish_direct();
                let range = trimmed(self.text, range);
                self.push(ElementKind::HorizontalRule, range);
            }
            Event::Text(shown) => {
                if let Some(code) = &mut self.code {
                    let line = self.lines.line_of(range.start);
                    if code.starts.last().is_none_or(|(last, _)| *last != line) {
                        code.starts.push((line, range.start));
                    }
                    if self.want_text {
                        push_lines(&mut code.visible, &shown, range, self.lines);
                    }
                } else if self.html.is_none() {
                    self.inline_event(range.clone());
                    self.show(&shown, range);
                }
                // Within HTML it is what is left of a tab that also indents an item: blanks.
            }
            Event::Code(shown) => {
                self.inline_event(range.clone());
                // The bytes between the backticks, unless the shown text differs (a line break inside).
                let inner = self.text[range.clone()].find(&*shown).map(|at| range.start + at);
                let range = inner.map_or(range, |start| start..start + shown.len());
                self.show(&shown, range);
            }
            Event::SoftBreak | Event::HardBreak => {
                self.inline_event(range.clone());
                self.show(" ", range);
            }
            Event::Html(shown) => {
                if let Some((_, visible)) = &mut self.html
                    && self.want_text
                {
                    push_lines(visible, &shown, range, self.lines);
                }
            }
            Event::TaskListMarker(_) => {
                self.inline_event(range.clone());
                // A loose item's paragraph starts after its marker.
                if let Some(inline) = &mut self.inline {
                    inline.range.start = inline.range.start.min(range.start);
                }
            }
            Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => self.inline_event(range),
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => {
                self.finish_direct();
                let frame = self.frame();
                let direct = match frame.kind {
                    FrameKind::Quote => true,
                    FrameKind::Item => frame.empty,
                    _ => false,
                };
                let holder = if direct { Holder::Direct } else { Holder::Paragraph };
                self.open_inline(holder, trimmed(self.text, range), true);
            }
            Tag::Heading { level, .. } => {
                self.finish_direct();
                let range = trimmed(self.text, range);
                let node = self.open_heading(level as u8, range.clone());
                self.open_inline(Holder::Heading(node), heading_text(self.text, range, level as usize), true);
            }
            Tag::BlockQuote(_) => {
                self.open_frame(ElementKind::Blockquote, FrameKind::Quote, range);
            }
            Tag::List(_) => self.open_frame(ElementKind::List, FrameKind::Plain, range),
            Tag::Item => self.open_frame(ElementKind::ListItem, FrameKind::Item, range),
            Tag::Table(_) => self.open_frame(ElementKind::Table, FrameKind::Plain, range),
            Tag::TableHead => self.open_frame(ElementKind::TableHeader, FrameKind::Plain, range),
            Tag::TableRow => self.open_frame(ElementKind::TableRow, FrameKind::Plain, range),
            Tag::TableCell => {
                let range = trimmed_both(self.text, range);
                let node = self.push(ElementKind::TableCell, range.clone());
                self.open_inline(Holder::Cell(node), range, true);
            }
            Tag::CodeBlock(_) => {
                self.finish_direct();
                let range = trimmed(self.text, range);
                let node = self.push(ElementKind::CodeBlock, range.clone());
                self.code = Some(Code { node, range, starts: Vec::new(), visible: MappedText::default() });
            }
            Tag::HtmlBlock => {
                self.finish_direct();
                let node = self.push(ElementKind::HtmlBlock, trimmed(self.text, range));
                self.html = Some((node, MappedText::default()));
            }
            Tag::FootnoteDefinition(_) => {
                self.open_frame(ElementKind::Footnote, FrameKind::Footnote, range);
                if self.footnote.is_none() {
                    self.footnote = Some((self.frame().node, self.frames.len() - 1));
                }
            }
            Tag::Link { .. } => self.open_link(ElementKind::Link, range),
            Tag::Image { .. } => self.open_link(ElementKind::Image, range),
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {
                self.inline_event(range)
            }
            // Never produced with the options above.
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::TableCell => self.finish_inline(),
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::Table
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::FootnoteDefinition => self.close_frame(range),
            TagEnd::CodeBlock => self.finish_code(),
            TagEnd::HtmlBlock => {
                if let Some((node, visible)) = self.html.take()
                    && self.want_text
                {
                    let span = span_in(self.lines, &trimmed(self.text, range));
                    self.blocks.push(TextBlock { node, span, text: visible });
                }
            }
            TagEnd::Link | TagEnd::Image => {
                if let Some(inline) = &mut self.inline {
                    inline.depth = inline.depth.saturating_sub(1);
                }
            }
            _ => {}
        }
    }

    fn frame(&self) -> &Frame {
        self.frames.last().expect("the root frame is never closed")
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the root frame is never closed")
    }

    /// Adds an element at the present place; inside a footnote returns the footnote instead.
    fn push(&mut self, kind: ElementKind, range: Range<usize>) -> NodeId {
        self.frame_mut().empty = false;
        if let Some((footnote, _)) = self.footnote {
            return footnote;
        }
        let frame = self.frame();
        // The parser puts cells that a short row lacks behind it.
        let start = range.start.clamp(frame.range.start, frame.range.end);
        let range = start..range.end.clamp(start, frame.range.end);
        let heading = self.headings.len() > frame.headings;
        let parent = if heading { self.headings.last().map_or(NONE, |open| open.node) } else { frame.node };
        let quotes = frame.quotes;
        self.push_below(kind, parent, range, quotes)
    }

    fn push_below(&mut self, kind: ElementKind, parent: u32, range: Range<usize>, extra: u32) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let slot = kind.slot();
        self.counts[slot] += 1;
        let first_line = self.lines.line_of(range.start);
        self.nodes.push(Node {
            kind,
            ordinal: self.counts[slot],
            parent,
            first_child: NONE,
            next: NONE,
            start: self.lines.original(range.start) as u32,
            end: self.lines.original(range.end) as u32,
            first_line: first_line as u32,
            end_line: self.end_line(&range) as u32,
            extra,
        });
        self.last_child.push(NONE);
        let last = match parent {
            NONE => &mut self.last_top,
            parent => &mut self.last_child[parent as usize],
        };
        let before = std::mem::replace(last, id);
        if before != NONE {
            self.nodes[before as usize].next = id;
        } else if parent != NONE {
            self.nodes[parent as usize].first_child = id;
        }
        id
    }

    /// Returns the line after the last one of a range; an empty range lies on one line.
    fn end_line(&self, range: &Range<usize>) -> usize {
        self.lines.line_of(range.end.saturating_sub(1).max(range.start)) + 1
    }

    fn open_frame(&mut self, kind: ElementKind, frame: FrameKind, range: Range<usize>) {
        self.finish_direct();
        let quotes = self.frame().quotes + u32::from(frame == FrameKind::Quote);
        let mut range = trimmed(self.text, range);
        // A list that a tab indents is said to start on the line before.
        let slice = &self.text[range.clone()];
        range.start += slice.len() - slice.trim_start_matches([' ', '\t', '\n']).len();
        let node = self.push(kind, range.clone());
        self.frames.push(Frame {
            node,
            range,
            kind: frame,
            headings: self.headings.len(),
            numbered: 0,
            quotes,
            empty: true,
        });
    }

    fn close_frame(&mut self, range: Range<usize>) {
        self.finish_direct();
        let range = trimmed(self.text, range);
        let headings = self.frame().headings;
        self.close_headings(headings, range.end, self.end_line(&range));
        if self.frames.len() > 1 {
            self.frames.pop();
        }
        if self.footnote.is_some_and(|(_, depth)| self.frames.len() <= depth) {
            self.footnote = None;
        }
    }

    fn open_heading(&mut self, level: u8, range: Range<usize>) -> NodeId {
        let base = self.frame().headings;
        let line = self.lines.line_of(range.start);
        while self.headings.len() > base && self.headings.last().is_some_and(|open| open.level >= level) {
            self.close_headings(self.headings.len() - 1, self.lines.start(line), line);
        }
        if self.footnote.is_some() {
            return self.push(ElementKind::header(level.into()), range);
        }
        // Headings inside quotes and items would take numbers away from the sections of the document.
        let ordinal = if self.frames.len() > 1 {
            0
        } else if self.headings.len() > base {
            self.headings.last_mut().map_or(0, |open| {
                open.numbered += 1;
                open.numbered
            })
        } else {
            let frame = self.frame_mut();
            frame.numbered += 1;
            frame.numbered
        };
        let node = self.push(ElementKind::header(level.into()), range);
        self.nodes[node as usize].extra = ordinal;
        self.headings.push(OpenHeading { level, node, numbered: 0 });
        node
    }

    /// Ends all sections but the `keep` outermost ones.
    fn close_headings(&mut self, keep: usize, end: usize, end_line: usize) {
        while self.headings.len() > keep {
            let Some(open) = self.headings.pop() else { return };
            let end = self.lines.original(end) as u32;
            let node = &mut self.nodes[open.node as usize];
            node.end = node.end.max(end);
            node.end_line = node.end_line.max(end_line as u32);
        }
    }

    fn open_inline(&mut self, holder: Holder, range: Range<usize>, started: bool) {
        self.inline = Some(Inline {
            holder,
            range,
            started,
            links: Vec::new(),
            depth: 0,
            visible: MappedText::default(),
        });
    }

    /// Takes the place of an inline event; opens the text of a tight item with its first one.
    fn inline_event(&mut self, range: Range<usize>) {
        if self.inline.is_none() {
            let frame = self.frame();
            let holder = if frame.kind == FrameKind::Item && !frame.empty {
                Holder::Paragraph
            } else {
                Holder::Direct
            };
            // The backslash of an escaped first character is not part of the event.
            let escaped = range.start > 0 && self.text.as_bytes()[range.start - 1] == b'\\';
            let start = range.start - usize::from(escaped);
            self.open_inline(holder, start..range.end, false);
        }
        if let Some(inline) = &mut self.inline {
            // Of headings, what the parser takes for text counts: it and the marks around it may disagree.
            if !inline.started || matches!(inline.holder, Holder::Heading(_)) {
                inline.range.end = inline.range.end.max(range.end);
            }
        }
    }

    fn open_link(&mut self, kind: ElementKind, range: Range<usize>) {
        self.inline_event(range.clone());
        if let Some(inline) = &mut self.inline {
            if inline.depth == 0 {
                inline.links.push((range, kind));
            }
            inline.depth += 1;
        }
    }

    /// Adds visible text.
    fn show(&mut self, shown: &str, mut range: Range<usize>) {
        // Of an entity at a line's end the parser counts the white space behind it as well.
        if shown.len() != range.len() && !shown.trim().is_empty() {
            range = trimmed(self.text, range);
        }
        if self.want_text
            && let Some(inline) = &mut self.inline
        {
            inline.visible.push(shown, span_in(self.lines, &range));
        }
    }

    /// Ends the text of a tight item, which no event ends.
    fn finish_direct(&mut self) {
        if self.inline.as_ref().is_some_and(|inline| !inline.started) {
            self.finish_inline();
        }
    }

    fn finish_inline(&mut self) {
        let Some(inline) = self.inline.take() else { return };
        let range = trimmed(self.text, inline.range.clone());
        let span = span_in(self.lines, &range);
        let node = match inline.holder {
            _ if self.footnote.is_some() => self.push(ElementKind::Text, range),
            Holder::Heading(node) => {
                if !range.is_empty() {
                    // The box of a task may stand before the heading.
                    let start = self.lines.original(range.start) as u32;
                    let heading = &mut self.nodes[node as usize];
                    heading.start = heading.start.min(start);
                    let quotes = self.frame().quotes;
                    self.push_below(ElementKind::Text, node, range, quotes);
                }
                node
            }
            Holder::Cell(node) => node,
            Holder::Direct => {
                let node = self.frame().node;
                self.push_pieces(range, &inline.links);
                node
            }
            Holder::Paragraph => self.push_paragraph(range, &inline.links),
        };
        if self.want_text {
            self.blocks.push(TextBlock { node, span, text: inline.visible });
        }
    }

    fn push_paragraph(&mut self, range: Range<usize>, links: &[(Range<usize>, ElementKind)]) -> NodeId {
        if is_formula(&self.text[range.clone()]) {
            return self.push(ElementKind::Math, range);
        }
        let quotes = self.frame().quotes;
        let node = self.push(ElementKind::Paragraph, range.clone());
        let section = self.headings.iter().rev().find(|open| self.nodes[open.node as usize].extra > 0);
        self.nodes[node as usize].extra = section.map_or(NONE, |open| open.node);
        self.push_below(ElementKind::Text, node, range, quotes);
        for (range, kind) in links {
            self.push_below(*kind, node, range.clone(), quotes);
        }
        node
    }

    /// Adds text that is cut at its links, as items and quotes have it: every byte is in one leaf.
    fn push_pieces(&mut self, range: Range<usize>, links: &[(Range<usize>, ElementKind)]) {
        let mut from = range.start;
        for (link, kind) in links {
            let link = link.start.max(from)..link.end.min(range.end);
            self.push_piece(from..link.start);
            if link.start < link.end {
                self.push(*kind, link.clone());
            }
            from = link.end.max(from);
        }
        self.push_piece(from..range.end);
    }

    fn push_piece(&mut self, range: Range<usize>) {
        if range.start < range.end && !self.text[range.clone()].is_empty() {
            self.push(ElementKind::Text, range);
        }
    }

    fn finish_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        if self.want_text {
            let span = span_in(self.lines, &code.range);
            self.blocks.push(TextBlock { node: code.node, span, text: code.visible });
        }
        if self.footnote.is_some() {
            return;
        }
        let nested = self.frames.len() > 1;
        let quotes = self.frame().quotes;
        let first = self.lines.line_of(code.range.start);
        let last = self.end_line(&code.range);
        let mut starts = code.starts.iter().peekable();
        for line in first..last {
            while starts.next_if(|(known, _)| *known < line).is_some() {}
            let known = starts.next_if(|(known, _)| *known == line).map(|(_, start)| *start);
            // The block ends before the white space at its end, like all blocks.
            let end = if line + 1 == last { code.range.end } else { self.lines.end(line) };
            let start = if !nested {
                self.lines.start(line)
            } else if line == first {
                code.range.start
            } else {
                known.unwrap_or_else(|| after_prefix(self.text, self.lines.start(line), end, quotes))
            };
            self.push_below(ElementKind::Text, code.node, start.min(end)..end, quotes);
        }
        if !nested {
            let start = self.lines.original(self.lines.start(first)) as u32;
            self.nodes[code.node as usize].start = start;
        }
    }
}

/// Returns where the text of a line starts after blanks and up to `quotes` block quote markers.
fn after_prefix(text: &str, start: usize, end: usize, quotes: u32) -> usize {
    let bytes = text.as_bytes();
    let mut position = start;
    let mut left = quotes;
    while position < end {
        match bytes[position] {
            b' ' | b'\t' => position += 1,
            b'>' if left > 0 => {
                left -= 1;
                position += 1;
            }
            _ => break,
        }
    }
    position
}

/// Adds text that may hold line ends, which may be longer in the file than they are here.
fn push_lines(visible: &mut MappedText, shown: &str, range: Range<usize>, lines: &Lines<'_>) {
    if lines.text().get(range.clone()) != Some(shown) {
        visible.push(shown, span_in(lines, &range));
        return;
    }
    let mut from = range.start;
    for line in shown.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        visible.push(bare, span_in(lines, &(from..from + bare.len())));
        visible.push(&line[bare.len()..], span_in(lines, &(from + bare.len()..from + line.len())));
        from += line.len();
    }
}

fn span_in(lines: &Lines<'_>, range: &Range<usize>) -> Span {
    Span::new(lines.original(range.start), lines.original(range.end))
}

/// Drops white space at the end of a range.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = &text[range.clone()];
    range.start..range.start + slice.trim_end_matches([' ', '\t', '\n']).len()
}

fn trimmed_both(text: &str, range: Range<usize>) -> Range<usize> {
    let range = trimmed(text, range);
    let slice = &text[range.clone()];
    range.start + (slice.len() - slice.trim_start_matches([' ', '\t']).len())..range.end
}

/// Returns the text of a heading without its markers, of both kinds of heading.
fn heading_text(text: &str, range: Range<usize>, level: usize) -> Range<usize> {
    let slice = &text[range.clone()];
    let hashes = slice.bytes().take_while(|byte| *byte == b'#').count();
    let after = slice.as_bytes().get(hashes);
    let is_atx = hashes == level && !slice.contains('\n') && matches!(after, None | Some(b' ' | b'\t'));
    if !is_atx {
        let underline = slice.rfind('\n').unwrap_or(slice.len());
        return trimmed_both(text, range.start..range.start + underline);
    }
    let content = trimmed_both(text, range.start + hashes..range.end);
    let slice = &text[content.clone()];
    let bare = slice.trim_end_matches('#');
    if bare.is_empty() {
        return content.start..content.start;
    }
    // Closing marks count only after a blank: "C#" keeps its sign.
    if bare.len() < slice.len() && bare.ends_with([' ', '\t']) {
        return trimmed(text, content.start..content.start + bare.len());
    }
    content
}

/// Tells whether a paragraph is one displayed formula.
fn is_formula(paragraph: &str) -> bool {
    paragraph
        .strip_prefix("$$")
        .and_then(|rest| rest.strip_suffix("$$"))
        .is_some_and(|inner| !inner.trim().is_empty() && !inner.contains("$$"))
}
