//! The Markdown that is being made.

use crate::escape;
use crate::inline::Inline;
use crate::limits::Clock;
use crate::{ConvertError, Limits};

/// A converted document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Converted {
    /// Its text as Markdown, ending in a line end unless it is empty.
    pub markdown: String,
    /// Where its pages begin, in order; empty for a format without pages.
    pub pages: Vec<PageMark>,
    /// The title that its metadata give.
    pub title: Option<String>,
    /// The authors that its metadata give, between commas.
    pub author: Option<String>,
    /// The date that its metadata give, as ISO 8601 where it was well formed: the last change, else the creation.
    pub date: Option<String>,
    /// What was left out or could not be read, one sentence each.
    pub warnings: Vec<String>,
}

/// The place where a page of the original begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMark {
    /// The byte of the Markdown at which the page's first block begins; it may lie inside a paragraph that runs over
    /// the page's end.
    pub offset: usize,
    /// The page's label as the original gives it, else its number from 1.
    pub label: String,
}

/// How many bytes a document may be before the writer looks at the clock again.
const CLOCK_EVERY: usize = 1 << 14;
/// Warnings beyond these would not be read.
const MOST_WARNINGS: usize = 100;

/// What a block stands in.
#[derive(Debug)]
enum Container {
    Quote {
        begun: bool,
    },
    /// `ordered` holds the next number; `mark` changes from one list to the next, or Markdown would join them.
    List {
        ordered: Option<u64>,
        alternate: bool,
        items: usize,
    },
    Item {
        marker: String,
        indent: usize,
        begun: bool,
    },
}

/// Writes blocks as Markdown.
#[derive(Debug)]
pub(crate) struct Writer {
    converted: Converted,
    containers: Vec<Container>,
    /// Containers that were opened beyond the limit: they are not written, only counted until they close.
    flattened: usize,
    /// The list that ended last: its depth, whether it counted, and whether it was marked the alternate way.
    closed_list: Option<(usize, bool, bool)>,
    /// How many of the last page marks wait for their block.
    waiting: usize,
    checked: usize,
    bytes_out: usize,
    nesting: usize,
    clock: Clock,
}

impl Writer {
    pub(crate) fn new(limits: &Limits, clock: Clock) -> Self {
        Self::within(limits.bytes_out, limits.nesting, clock)
    }

    fn within(bytes_out: usize, nesting: usize, clock: Clock) -> Self {
        Self {
            converted: Converted::default(),
            containers: Vec::new(),
            flattened: 0,
            closed_list: None,
            waiting: 0,
            checked: 0,
            bytes_out,
            nesting,
            clock,
        }
    }

    pub(crate) fn finish(self) -> Converted {
        self.converted
    }

    /// Returns another writer with the same limits and nothing written.
    pub(crate) fn empty(&self) -> Self {
        Self::within(self.bytes_out, self.nesting, self.clock)
    }

    /// Returns what is known of the document as a whole, to fill in.
    pub(crate) fn metadata(&mut self) -> &mut Converted {
        &mut self.converted
    }

    pub(crate) fn warn(&mut self, warning: String) {
        if self.converted.warnings.len() < MOST_WARNINGS && !self.converted.warnings.contains(&warning) {
            self.converted.warnings.push(warning);
        }
    }

    /// Marks that a page begins with the next block.
    pub(crate) fn page(&mut self, label: String) {
        let offset = self.converted.markdown.len();
        self.converted.pages.push(PageMark { offset, label });
        self.waiting += 1;
    }

    /// Marks that a page begins inside the last block, `back` bytes before its end.
    pub(crate) fn page_within(&mut self, label: String, back: usize) {
        let mut offset = self.converted.markdown.len().saturating_sub(back + 1);
        while !self.converted.markdown.is_char_boundary(offset) {
            offset -= 1;
        }
        self.converted.pages.push(PageMark { offset, label });
    }

    /// Marks that a page begins so many lines before the end.
    pub(crate) fn page_at_line(&mut self, label: String, lines: usize) {
        let markdown = &self.converted.markdown;
        let offset = markdown.rmatch_indices('\n').nth(lines).map_or(0, |(at, _)| at + 1);
        self.converted.pages.push(PageMark { offset, label });
    }

    pub(crate) fn heading(&mut self, level: u8, inline: Inline) -> Result<(), ConvertError> {
        let text = inline.finish().replace('\n', " ");
        if text.is_empty() {
            return Ok(());
        }
        let mut line = "#".repeat(usize::from(level.clamp(1, 6)));
        line.push(' ');
        let bare = text.trim_end_matches('#');
        line.push_str(bare);
        if bare.len() < text.len() {
            line.push('\\');
            line.push_str(&text[bare.len()..]);
        }
        self.block(&line)
    }

    pub(crate) fn paragraph(&mut self, inline: Inline) -> Result<(), ConvertError> {
        let text = inline.finish();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let mut out = String::with_capacity(text.len() + 8);
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                out.push_str("\\\n");
            }
            escape::line_start(&mut out, line.trim_end());
        }
        self.block(&out)
    }

    /// Writes a paragraph of one line that is Markdown already.
    pub(crate) fn markdown_line(&mut self, markdown: &str) -> Result<(), ConvertError> {
        let mut out = String::with_capacity(markdown.len() + 8);
        escape::line_start(&mut out, markdown);
        self.block(&out)
    }

    /// Writes a paragraph whose lines stay lines without being breaks.
    pub(crate) fn lines<'a>(&mut self, lines: impl Iterator<Item = &'a str>) -> Result<(), ConvertError> {
        let mut out = String::new();
        for line in lines {
            let inline = Inline::of(line).finish();
            if !inline.is_empty() {
                if !out.is_empty() {
                    out.push('\n');
                }
                escape::line_start(&mut out, &inline);
            }
        }
        self.block(&out)
    }

    pub(crate) fn code(&mut self, language: &str, code: &str) -> Result<(), ConvertError> {
        let code = code.trim_matches('\n');
        if code.trim().is_empty() {
            return Ok(());
        }
        let longest = code.split(|character| character != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        let language: String =
            language.chars().filter(|one| one.is_alphanumeric() || "+-#._".contains(*one)).collect();
        self.block(&format!("{fence}{language}\n{code}\n{fence}"))
    }

    pub(crate) fn rule(&mut self) -> Result<(), ConvertError> {
        self.block("---")
    }

    /// Writes a table; the first row is its head, and the cells are Markdown of one line.
    pub(crate) fn table(&mut self, rows: &[Vec<String>]) -> Result<(), ConvertError> {
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        if width == 0 {
            return Ok(());
        }
        let mut out = String::new();
        for (number, row) in rows.iter().enumerate() {
            out.push('|');
            for column in 0..width {
                out.push(' ');
                out.push_str(row.get(column).map_or("", String::as_str));
                out.push_str(" |");
            }
            out.push('\n');
            if number == 0 {
                out.push('|');
                out.push_str(&" --- |".repeat(width));
                out.push('\n');
            }
            self.room(out.len())?;
        }
        self.block(out.trim_end())
    }

    /// Writes Markdown as it is.
    pub(crate) fn verbatim(&mut self, markdown: &str) -> Result<(), ConvertError> {
        self.room(markdown.len())?;
        self.converted.markdown.push_str(markdown);
        if !markdown.is_empty() && !markdown.ends_with('\n') {
            self.converted.markdown.push('\n');
        }
        Ok(())
    }

    pub(crate) fn open_quote(&mut self) {
        self.open(Container::Quote { begun: false });
    }

    /// Opens a list; `first` is the number of its first item, if it counts.
    pub(crate) fn open_list(&mut self, first: Option<u64>) {
        let depth = self.containers.len();
        let alternate = self.closed_list == Some((depth, first.is_some(), false));
        self.open(Container::List { ordered: first, alternate, items: 0 });
    }

    pub(crate) fn open_item(&mut self) {
        let marker = if self.flattened > 0 {
            String::new()
        } else if let Some(Container::List { ordered, alternate, items }) = self.containers.last_mut() {
            *items += 1;
            match ordered {
                Some(number) => {
                    let marker =
                        format!("{}{} ", *number % 1_000_000_000, if *alternate { ')' } else { '.' });
                    *number = number.saturating_add(1);
                    marker
                }
                None => if *alternate { "* " } else { "- " }.to_owned(),
            }
        } else {
            "- ".to_owned()
        };
        let indent = marker.len();
        self.open(Container::Item { marker, indent, begun: false });
    }

    /// Opens the text of a footnote.
    pub(crate) fn open_note(&mut self, label: &str) {
        self.open(Container::Item { marker: format!("[^{label}]: "), indent: 4, begun: false });
    }

    /// Closes what was opened last.
    pub(crate) fn close(&mut self) -> Result<(), ConvertError> {
        if self.flattened > 0 {
            self.flattened -= 1;
            return Ok(());
        }
        if matches!(self.containers.last(), Some(Container::Item { begun: false, .. })) {
            self.write("")?;
        }
        if let Some(Container::List { ordered, alternate, .. }) = self.containers.pop() {
            self.closed_list = Some((self.containers.len(), ordered.is_some(), alternate));
        }
        Ok(())
    }

    fn open(&mut self, container: Container) {
        // The limit is on what the reader sees nested: an item and its list count once each.
        if self.flattened > 0 || self.containers.len() >= self.nesting * 2 {
            self.flattened += 1;
            self.warn(format!("what is nested deeper than {} came out flat", self.nesting));
        } else {
            self.containers.push(container);
        }
    }

    fn block(&mut self, text: &str) -> Result<(), ConvertError> {
        if text.is_empty() { Ok(()) } else { self.write(text) }
    }

    fn write(&mut self, text: &str) -> Result<(), ConvertError> {
        let blank = !self.begins_tight_item();
        if !self.converted.markdown.is_empty() && blank {
            let prefix = self.prefix(false);
            self.converted.markdown.push_str(prefix.trim_end());
            self.converted.markdown.push('\n');
        }
        let begin = self.converted.markdown.len();
        let marked = self.converted.pages.len() - std::mem::take(&mut self.waiting);
        self.converted.pages[marked..].iter_mut().for_each(|page| page.offset = begin);
        for (number, line) in text.split('\n').enumerate() {
            let prefix = self.prefix(number == 0);
            self.room(prefix.len() + line.len() + 1)?;
            let out = &mut self.converted.markdown;
            out.push_str(if line.is_empty() { prefix.trim_end() } else { &prefix });
            out.push_str(line);
            out.push('\n');
        }
        self.closed_list = None;
        Ok(())
    }

    /// Tells whether the next block is the first of an item that follows on another, or stands in an outer item.
    fn begins_tight_item(&self) -> bool {
        let count = self.containers.len();
        let Some(Container::Item { begun: false, .. }) = self.containers.last() else { return false };
        let Some(Container::List { items, .. }) =
            count.checked_sub(2).and_then(|list| self.containers.get(list))
        else {
            return false;
        };
        let nested = count >= 3 && matches!(self.containers.get(count - 3), Some(Container::Item { .. }));
        *items > 1 || nested
    }

    /// Returns what a line begins with; the markers of items are written once.
    fn prefix(&mut self, marks: bool) -> String {
        let mut prefix = String::new();
        for container in &mut self.containers {
            match container {
                Container::Quote { begun } => {
                    *begun |= marks;
                    if *begun {
                        prefix.push_str("> ");
                    }
                }
                Container::List { .. } => {}
                Container::Item { marker, begun, .. } if marks && !*begun => {
                    prefix.push_str(marker);
                    *begun = true;
                }
                // Before its first block, an item has no place yet.
                Container::Item { begun: false, .. } => {}
                Container::Item { indent, .. } => prefix.push_str(&" ".repeat(*indent)),
            }
        }
        prefix
    }

    /// Fails when there is no room for more bytes, or no time.
    fn room(&mut self, more: usize) -> Result<(), ConvertError> {
        let length = self.converted.markdown.len() + more;
        if length > self.bytes_out {
            return Err(ConvertError::TooLarge { what: "bytes of Markdown", limit: self.bytes_out as u64 });
        }
        if length > self.checked + CLOCK_EVERY {
            self.checked = length;
            self.clock.check()?;
        }
        Ok(())
    }
}
