//! What the conversion of one text knows, and how it finds its way in it.

use std::ops::Range;

use super::marks::{BREAK, PARAGRAPH};
use super::notes::Notes;
use super::pairs::{Pair, Pairs};
use super::{escape, tags};
use crate::Site;

/// How deep brackets are followed; what is deeper is shown as it is written.
const DEPTH_LIMIT: usize = 24;

/// The bytes that a page may grow by for cells that are repeated or empty, beyond its own length.
const SPARE_BYTES: usize = 1 << 16;

/// Converts one text.
pub(super) struct Converter<'a> {
    pub(super) site: &'a Site,
    pub(super) title: &'a str,
    pub(super) text: &'a str,
    pairs: Pairs,
    pub(super) notes: Notes,
    pub(super) categories: Vec<String>,
    /// Blocks that cannot be where they were found, in a cell of a table; they follow the table.
    pub(super) hoisted: Vec<String>,
    depth: usize,
    /// How many cells of tables are around.
    pub(super) cells: usize,
    /// How many quotations are around.
    pub(super) quotes: usize,
    /// Whether the label of a link is being written.
    pub(super) in_label: bool,
    /// The bytes that may still be invented.
    pub(super) budget: usize,
}

impl<'a> Converter<'a> {
    pub(super) fn new(site: &'a Site, title: &'a str, text: &'a str) -> Self {
        Self {
            site,
            title,
            text,
            pairs: Pairs::of(text),
            notes: Notes::default(),
            categories: Vec::new(),
            hoisted: Vec::new(),
            depth: 0,
            cells: 0,
            quotes: 0,
            in_label: false,
            budget: text.len() + SPARE_BYTES,
        }
    }

    /// Returns the pair that starts at a place and ends within a range.
    pub(super) fn pair(&self, start: usize, limit: usize) -> Option<&Pair> {
        self.pairs.at(start, limit)
    }

    /// Returns where the line ends that holds a place; brackets keep lines together.
    pub(super) fn line_end(&self, from: usize, limit: usize) -> usize {
        self.find_outside(from, limit, b'\n').unwrap_or(limit)
    }

    /// Returns the first byte of a value that is not inside brackets.
    pub(super) fn find_outside(&self, from: usize, limit: usize, wanted: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < limit {
            match bytes[at] {
                byte if byte == wanted => return Some(at),
                b'{' | b'[' | b'<' => at = self.after_bracket(at, limit),
                _ => at += 1,
            }
        }
        None
    }

    /// Returns where a bracket's pair ends, or a tag without one; else the next byte.
    pub(super) fn after_bracket(&self, at: usize, limit: usize) -> usize {
        if let Some(pair) = self.pair(at, limit) {
            return pair.end;
        }
        tags::tag_at(self.text, at).map(|found| found.end).filter(|end| *end <= limit).unwrap_or(at + 1)
    }

    /// Returns the parts between the bars of a range, of those that are not inside brackets.
    pub(super) fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = range.start;
        while let Some(bar) = self.find_outside(start, range.end, b'|') {
            parts.push(start..bar);
            start = bar + 1;
        }
        parts.push(start..range.end);
        parts
    }

    /// Returns the text of a range in one line, with marks where lines end.
    pub(super) fn flat(&mut self, range: Range<usize>) -> String {
        if self.text[range.clone()].trim().contains('\n') {
            let blocks = self.blocks(range);
            return flattened(&blocks);
        }
        self.inline(range)
    }

    /// Returns what is one step deeper, or the text as it is written where it is too deep.
    pub(super) fn deeper(
        &mut self,
        range: Range<usize>,
        convert: impl FnOnce(&mut Self) -> String,
    ) -> String {
        if self.depth >= DEPTH_LIMIT {
            return escape::plain(&self.text[range]).replace('\n', " ");
        }
        self.depth += 1;
        let text = convert(self);
        self.depth -= 1;
        text
    }
}

/// Returns Markdown of several blocks as one line with marks where lines end.
pub(super) fn flattened(blocks: &str) -> String {
    let mut flat = String::with_capacity(blocks.len());
    for line in blocks.lines() {
        let line = line.trim();
        // Neither blank lines nor the lines that only draw.
        if line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b' ' | b'>' | b'`')) {
            continue;
        }
        let slashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
        let line = if slashes % 2 == 1 { &line[..line.len() - 1] } else { line };
        if !flat.is_empty() {
            flat.push(BREAK);
        }
        flat.push_str(line);
    }
    flat
}

/// Returns a text in which marks of breaks are a text.
pub(super) fn with_breaks(text: &str, shown: &str) -> String {
    if !text.contains([BREAK, PARAGRAPH]) {
        return text.trim().to_owned();
    }
    let pieces = text.split([BREAK, PARAGRAPH]).map(str::trim).filter(|piece| !piece.is_empty());
    pieces.collect::<Vec<_>>().join(shown)
}
