//! The blocks of a text: headings, paragraphs, lists, tables, quotations.

use std::ops::Range;

use super::escape;
use super::inline::{Until, decoded};
use super::lists::List;
use super::marks::{BREAK, ITEM, PARAGRAPH};
use super::pairs::{Kind, Pair};
use super::tags::{Tag, attribute, tag_at};
use super::{Converter, emphasis, flattened, with_breaks};

/// Collects blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    out: String,
    paragraph: String,
    list: List,
}

impl Blocks {
    /// Appends a block, with a blank line before it.
    pub(super) fn push(&mut self, block: &str) {
        self.end_text();
        let block = block.trim_matches('\n');
        if block.trim().is_empty() {
            return;
        }
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(block);
        self.out.push('\n');
    }

    /// Appends a line of a paragraph, in which marks of breaks and paragraphs may be.
    fn push_line(&mut self, line: &str) {
        self.end_list();
        if line.trim_matches([' ', '\t', BREAK, PARAGRAPH]).is_empty() {
            if line.contains(PARAGRAPH) {
                self.paragraph.push(PARAGRAPH);
            }
            return;
        }
        if !self.paragraph.is_empty() {
            self.paragraph.push('\n');
        }
        self.paragraph.push_str(line);
    }

    fn end_list(&mut self) {
        let list = std::mem::take(&mut self.list).finish();
        if !list.is_empty() {
            self.push(&list);
        }
    }

    fn end_text(&mut self) {
        self.end_list();
        let text = std::mem::take(&mut self.paragraph);
        for paragraph in text.split(PARAGRAPH) {
            let paragraph = paragraph_text(paragraph);
            if !paragraph.is_empty() {
                self.push(&paragraph);
            }
        }
    }

    fn finish(mut self) -> String {
        self.end_text();
        self.out
    }
}

/// Returns the text of a paragraph with hard breaks, of which no line starts like another block.
pub(super) fn paragraph_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_hard = false;
    for (number, piece) in text.split(BREAK).enumerate() {
        is_hard |= number > 0;
        for line in piece.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if !out.is_empty() {
                out.push_str(if is_hard { "\\\n" } else { "\n" });
            }
            is_hard = false;
            match line.strip_prefix(ITEM) {
                Some(item) => out.push_str(&format!("- {}", single_spaced(item).replace(ITEM, ""))),
                None => out.push_str(&escape::line_start(&single_spaced(line).replace(ITEM, ""))),
            }
        }
    }
    out
}

/// Returns a line without spaces that follow a space.
pub(super) fn single_spaced(line: &str) -> std::borrow::Cow<'_, str> {
    if line.contains("  ") || line.contains('\t') {
        line.split_whitespace().collect::<Vec<_>>().join(" ").into()
    } else {
        line.into()
    }
}

impl Converter<'_> {
    /// Returns the blocks of a range, with blank lines between them.
    pub(super) fn blocks(&mut self, range: Range<usize>) -> String {
        self.deeper(range.clone(), |converter| {
            let mut blocks = Blocks::default();
            let mut at = range.start;
            while at < range.end {
                at = converter.line(at, range.end, &mut blocks);
            }
            blocks.finish()
        })
    }

    /// Converts the line that starts at a place, or a block of several lines, and returns where the next one starts.
    fn line(&mut self, at: usize, limit: usize, blocks: &mut Blocks) -> usize {
        let bytes = self.text.as_bytes();
        let start = at + bytes[at..limit].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let after_marks = start + bytes[start..limit].iter().take_while(|byte| b":*#".contains(byte)).count();
        if let Some(pair) = self.pair(after_marks, limit).filter(|pair| pair.kind == Kind::Table).cloned() {
            let table = self.table_blocks(&pair);
            blocks.push(&table);
            return pair.end;
        }
        match bytes.get(start).filter(|_| start < limit) {
            None | Some(b'\n') => {
                blocks.end_text();
                start + 1
            }
            Some(b'=') if start == at => match self.heading(at, limit, blocks) {
                Some(next) => next,
                None => self.paragraph_line(at, limit, blocks),
            },
            Some(b'*' | b'#' | b':' | b';') if start == at => {
                if !blocks.paragraph.is_empty() {
                    blocks.end_text();
                }
                self.list_line(at, limit, &mut blocks.list)
            }
            Some(b'-') if start == at && self.text[at..limit].starts_with("----") => {
                blocks.push("---");
                at + bytes[at..limit].iter().take_while(|byte| **byte == b'-').count()
            }
            // What templates leave of a table outside of any.
            Some(b'|') if matches!(bytes[..limit].get(start + 1), Some(b'-' | b'}')) => {
                let end = self.line_end(start, limit);
                if !super::tables::is_attributes(&self.text[start + 2..end]) {
                    return self.paragraph_line(start + 2, limit, blocks);
                }
                end + 1
            }
            _ => self.paragraph_line(start, limit, blocks),
        }
    }

    /// Converts a heading, if the line is one, and returns where the next line starts.
    fn heading(&mut self, at: usize, limit: usize, blocks: &mut Blocks) -> Option<usize> {
        let end = self.line_end(at, limit);
        let line = self.text[at..end].trim_end();
        let before = line.bytes().take_while(|byte| *byte == b'=').count();
        let after = line.bytes().rev().take_while(|byte| *byte == b'=').count();
        let level = if before == line.len() { (before.max(1) - 1) / 2 } else { before.min(after) }.min(6);
        if level == 0 {
            return None;
        }
        let text = self.one_line(at + level..at + line.len() - level);
        if !text.is_empty() {
            blocks.push(&format!("{} {}", "#".repeat(level), escape::heading(&text)));
        }
        Some(end + 1)
    }

    /// Converts text up to the end of its line or to a block in it, and that block.
    fn paragraph_line(&mut self, at: usize, limit: usize, blocks: &mut Blocks) -> usize {
        let mut line = String::new();
        let stop = self.scan(at..limit, &mut line, Until::Block);
        blocks.push_line(&emphasis::resolve(&line));
        if stop >= limit {
            return limit;
        }
        if self.text.as_bytes()[stop] == b'\n' {
            return stop + 1;
        }
        let Some(pair) = self.pair(stop, limit).cloned() else {
            return stop + 1;
        };
        let block = self.block(&pair);
        blocks.push(&block);
        // The end of its line is no blank line.
        let blanks =
            self.text[pair.end..limit].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let is_line_end =
            self.text.as_bytes().get(pair.end + blanks) == Some(&b'\n') && pair.end + blanks < limit;
        if is_line_end { pair.end + blanks + 1 } else { pair.end }
    }

    /// Returns whether a block starts at a bracket, in the middle of a line too.
    pub(super) fn is_block(&self, at: usize, limit: usize) -> bool {
        let Some(pair) = self.pair(at, limit) else {
            return false;
        };
        match pair.kind {
            Kind::Template => self.is_block_template(pair),
            Kind::Link => self.framed_picture(pair).is_some(),
            Kind::Table | Kind::Element(Tag::Gallery | Tag::Poem | Tag::Quote) => true,
            Kind::Element(Tag::Code) => {
                let tag = &self.text[pair.start..pair.inner.start];
                self.cells == 0 && !tag.to_ascii_lowercase().contains("inline")
            }
            _ => false,
        }
    }

    fn block(&mut self, pair: &Pair) -> String {
        match pair.kind {
            Kind::Template => self.template_blocks(pair),
            Kind::Table => self.table_blocks(pair),
            Kind::Element(Tag::Code) => {
                let language = tag_at(self.text, pair.start)
                    .and_then(|found| attribute(&self.text[found.attributes], "lang"))
                    .filter(|name| name.len() < 30 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
                code_block(&decoded(&self.text[pair.inner.clone()]), language.unwrap_or_default())
            }
            Kind::Element(tag) => self.element_blocks(tag, pair.inner.clone()),
            _ => match self.framed_picture(pair) {
                Some(Some(caption)) => {
                    let caption = self.flat(caption);
                    paragraph_text(&caption)
                }
                _ => String::new(),
            },
        }
    }

    /// Returns the blocks of an element that stands for itself.
    pub(super) fn element_blocks(&mut self, tag: Tag, inner: Range<usize>) -> String {
        match tag {
            Tag::Gallery => self.gallery(inner),
            Tag::Poem => {
                let mut lines = Vec::new();
                let mut at = inner.start;
                while at < inner.end {
                    let end = self.line_end(at, inner.end);
                    let line = self.inline(at..end);
                    lines.push(line.trim_start_matches([':', '*', '#', ' ']).to_owned());
                    at = end + 1;
                }
                let verses = lines.split(|line| line.is_empty()).filter(|verse| !verse.is_empty());
                let verses = verses.map(|verse| paragraph_text(&verse.join(&BREAK.to_string())));
                verses.collect::<Vec<_>>().join("\n\n")
            }
            _ => self.quoted(inner, ""),
        }
    }

    /// Returns the blocks of a range as a quotation, with its source.
    pub(super) fn quoted(&mut self, range: Range<usize>, source: &str) -> String {
        self.quotes += 1;
        let mut text = self.blocks(range);
        self.quotes -= 1;
        if !source.is_empty() && !text.is_empty() {
            text.push_str(&format!("\n— {source}\n"));
        }
        // Marks of quotations in quotations would grow with the square of their depth.
        if self.quotes > 0 {
            return text;
        }
        let mut quotation = String::with_capacity(text.len() + text.len() / 16);
        for line in text.lines() {
            quotation.push_str(if line.is_empty() { ">" } else { "> " });
            quotation.push_str(line);
            quotation.push('\n');
        }
        quotation
    }

    fn gallery(&mut self, inner: Range<usize>) -> String {
        let mut items = String::new();
        let mut at = inner.start;
        while at < inner.end {
            let end = self.line_end(at, inner.end);
            let bar = self.find_outside(at, end, b'|');
            // A line without a name of a file is text.
            let caption = match bar {
                Some(bar) => bar + 1..end,
                None if self.text[at..end].contains('.') || self.text[at..end].contains(':') => end..end,
                None => at..end,
            };
            let parts = self.parts(caption);
            for part in parts {
                let text = self.text[part.clone()].trim();
                if text.starts_with("alt=") || text.starts_with("link=") {
                    continue;
                }
                let text = with_breaks(&self.inline(part), " ");
                if !text.is_empty() {
                    items.push_str(&format!("- {text}\n"));
                }
            }
            at = end + 1;
        }
        items
    }

    /// Returns the blocks of a table, and of what was in its cells and cannot be there.
    pub(super) fn table_blocks(&mut self, pair: &Pair) -> String {
        let inner = pair.inner.clone();
        let table = self.deeper(inner.clone(), |converter| converter.table(inner));
        self.place(table)
    }

    /// Returns a block where blocks can be, followed by those that waited; in a cell it waits itself.
    pub(super) fn place(&mut self, block: String) -> String {
        if self.cells > 0 {
            // A few words are better where they are.
            if block.starts_with('|') {
                self.hoisted.push(block);
                return String::new();
            }
            return flattened(&block);
        }
        let mut blocks = Blocks::default();
        blocks.push(&block);
        for waiting in std::mem::take(&mut self.hoisted) {
            blocks.push(&waiting);
        }
        blocks.finish()
    }
}

/// Returns lines of code as a block.
fn code_block(code: &str, language: &str) -> String {
    let code = code.trim_matches('\n');
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}\n")
}
