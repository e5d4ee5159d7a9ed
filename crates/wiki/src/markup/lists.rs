//! Lists: their marks nest as `*#*`, and so do Markdown's.

use super::blocks::single_spaced;
use super::inline::Until;
use super::marks::{BREAK, ITEM, PARAGRAPH};
use super::{Converter, emphasis, escape, with_breaks};

/// The deepest nesting of a list that is kept.
const LEVELS: usize = 12;

/// Collects the lines of a list.
#[derive(Debug, Default)]
pub(super) struct List {
    out: String,
    /// The marks of the item before, bullets and numbers only.
    levels: Vec<u8>,
    /// Whether the line before was a term or what explains one.
    after_term: bool,
}

impl List {
    /// Returns the list as Markdown.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Appends an item, or a paragraph that belongs to the item before.
    fn push(&mut self, marks: &[u8], text: &str) {
        let mut levels: Vec<u8> = marks.iter().copied().filter(|mark| matches!(mark, b'*' | b'#')).collect();
        levels.truncate(LEVELS.min(self.levels.len() + 1));
        let is_item = matches!(marks.last(), Some(b'*' | b'#'));
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if levels.is_empty() {
            self.levels.clear();
            return self.push_text(marks, text);
        }
        self.after_term = false;
        let above = if is_item { levels.len() - 1 } else { levels.len() };
        let indent = " ".repeat(levels[..above].iter().map(|mark| width(*mark)).sum());
        let mark = match levels.last().filter(|_| is_item) {
            Some(b'#') => "1. ",
            Some(_) => "- ",
            None => "",
        };
        // A list of another kind is another list; text ends here too.
        if self.levels.is_empty() && !self.out.is_empty() || mark.is_empty() {
            self.out.push('\n');
        }
        let inner = " ".repeat(indent.len() + mark.len());
        let start = escape::line_start(&with_inner_breaks(text, &inner));
        self.out.push_str(&format!("{indent}{mark}{start}\n"));
        self.levels = levels;
    }

    /// Appends a line that is no item: indented text, or a term and what explains it.
    fn push_text(&mut self, marks: &[u8], text: &str) {
        let is_term = marks.last() == Some(&b';');
        let (text, is_joined) = (with_inner_breaks(text, ""), self.after_term && !is_term);
        if !self.out.is_empty() && !is_joined {
            self.out.push('\n');
        }
        if is_joined {
            self.out.push_str(&format!("- {}\n", text.replace("\\\n", "\\\n  ")));
        } else if is_term && !text.contains("**") && !text.contains('\n') {
            self.out.push_str(&format!("**{text}**\n"));
        } else {
            self.out.push_str(&format!("{}\n", escape::line_start(&text)));
        }
        self.after_term = is_term || is_joined;
    }
}

fn width(mark: u8) -> usize {
    if mark == b'#' { 3 } else { 2 }
}

fn with_inner_breaks(text: &str, indent: &str) -> String {
    let pieces = text.split([BREAK, PARAGRAPH]).map(str::trim).filter(|piece| !piece.is_empty());
    pieces
        .map(|piece| escape::line_start(&single_spaced(piece)))
        .collect::<Vec<_>>()
        .join(&format!("\\\n{indent}"))
}

impl Converter<'_> {
    /// Converts a line of a list and returns where the next line starts.
    pub(super) fn list_line(&mut self, at: usize, limit: usize, list: &mut List) -> usize {
        let bytes = self.text.as_bytes();
        let count = bytes[at..limit].iter().take_while(|byte| b"*#:;".contains(byte)).count();
        let marks = &bytes[at..at + count];
        if marks.last() == Some(&b';') {
            let end = self.line_end(at + count, limit);
            if let Some(colon) = self.colon(at + count, end) {
                let term = self.inline(at + count..colon);
                let text = self.inline(colon + 1..end);
                let term = with_breaks(&term, " ");
                let term = if term.is_empty() || term.contains("**") { term } else { format!("**{term}:**") };
                let marks: Vec<u8> =
                    marks.iter().map(|mark| if *mark == b';' { b':' } else { *mark }).collect();
                list.after_term = false;
                list.push(&marks, &format!("{term} {text}"));
                return end + 1;
            }
        }
        let mut line = String::new();
        let stop = self.scan(at + count..limit, &mut line, Until::Line);
        list.push(marks, &emphasis::resolve(&line).replace(ITEM, "- "));
        stop + 1
    }

    /// Returns the colon between a term and its text.
    fn colon(&self, from: usize, limit: usize) -> Option<usize> {
        let mut from = from;
        while let Some(colon) = self.find_outside(from, limit, b':') {
            if !self.text[colon..].starts_with("://") {
                return Some(colon);
            }
            from = colon + 1;
        }
        None
    }
}
