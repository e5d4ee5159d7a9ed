//! The text of one block, with its links and code.

use crate::escape;

/// Collects the Markdown of one block's text.
#[derive(Debug, Default)]
pub(crate) struct Inline {
    markdown: String,
    /// Where the open link's text begins, and its target.
    link: Option<(usize, Option<String>)>,
}

impl Inline {
    /// Returns the text as Markdown.
    pub(crate) fn of(text: &str) -> Self {
        let mut inline = Self::default();
        inline.text(text);
        inline
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.markdown.trim().is_empty()
    }

    /// Returns how many bytes of Markdown there are.
    pub(crate) fn len(&self) -> usize {
        self.markdown.len()
    }

    /// Returns the last word.
    pub(crate) fn last_word(&self) -> Option<&str> {
        self.markdown.rsplit(char::is_whitespace).next()
    }

    /// Drops the last character.
    pub(crate) fn drop_last(&mut self) {
        self.markdown.pop();
    }

    /// Tells whether the text ends as a sentence does.
    pub(crate) fn ends_sentence(&self) -> bool {
        let bare = self.markdown.trim_end_matches(['"', '\'', '\u{201d}', '\u{2019}', ')', '\u{bb}', ']']);
        bare.ends_with(['.', '!', '?', ':', '\u{3002}'])
    }

    /// Appends text; runs of white space become one space.
    pub(crate) fn text(&mut self, text: &str) {
        let mut clean = String::with_capacity(text.len());
        let mut spaced = self.markdown.is_empty() || self.markdown.ends_with([' ', '\n']);
        for character in text.chars() {
            if matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{b}') {
                if !spaced {
                    clean.push(' ');
                }
                spaced = true;
            } else if !character.is_control() {
                clean.push(character);
                spaced = false;
            }
        }
        escape::push(&mut self.markdown, &clean);
    }

    /// Appends a line break that the document asks for.
    pub(crate) fn line_break(&mut self) {
        let kept = self.markdown.trim_end_matches(' ').len();
        self.markdown.truncate(kept);
        if !self.markdown.is_empty() {
            self.markdown.push('\n');
        }
    }

    /// Appends a piece of code.
    pub(crate) fn code(&mut self, code: &str) {
        let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
        if code.is_empty() {
            return;
        }
        let longest = code.split(|character| character != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest + 1);
        let pad = if longest > 0 { " " } else { "" };
        for part in [&fence, pad, &code, pad, &fence] {
            self.markdown.push_str(part);
        }
    }

    /// Appends another block's text after a space.
    pub(crate) fn append(&mut self, other: Self) {
        self.append_markdown(&other.finish());
    }

    /// Appends Markdown of one line after a space.
    pub(crate) fn append_markdown(&mut self, markdown: &str) {
        if !self.markdown.is_empty() && !markdown.is_empty() {
            self.markdown.push(' ');
        }
        self.markdown.push_str(markdown);
    }

    /// Begins a link; one inside another is text.
    pub(crate) fn open_link(&mut self, href: &str) {
        if self.link.is_none() {
            self.link = Some((self.markdown.len(), escape::target(href)));
        }
    }

    pub(crate) fn close_link(&mut self) {
        let Some((start, Some(target))) = self.link.take() else { return };
        let text = self.markdown.split_off(start.min(self.markdown.len()));
        let inner = text.trim();
        if inner.is_empty() {
            self.markdown.push_str(&text);
            return;
        }
        let lead = &text[..text.len() - text.trim_start().len()];
        self.markdown.push_str(lead);
        self.markdown.push('[');
        let mut before = ' ';
        for character in inner.chars() {
            if matches!(character, '[' | ']') && before != '\\' {
                self.markdown.push('\\');
            }
            self.markdown.push(if character == '\n' { ' ' } else { character });
            before = character;
        }
        self.markdown.push_str("](");
        self.markdown.push_str(&target);
        self.markdown.push(')');
        if text.ends_with(char::is_whitespace) {
            self.markdown.push(' ');
        }
    }

    /// Appends the reference to a footnote.
    pub(crate) fn note(&mut self, label: &str) {
        self.markdown.push_str("[^");
        self.markdown.push_str(label);
        self.markdown.push(']');
    }

    /// Returns the lines of the Markdown.
    pub(crate) fn finish(mut self) -> String {
        self.close_link();
        self.markdown.trim().to_owned()
    }

    /// Returns the Markdown as one cell of a table.
    pub(crate) fn finish_cell(self) -> String {
        cell(&self.finish())
    }
}

/// Returns Markdown as it may stand in a cell: on one line, its bars escaped.
fn cell(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    for character in markdown.chars() {
        match character {
            '\n' => out.push(' '),
            '|' => out.push_str("\\|"),
            _ => out.push(character),
        }
    }
    out
}
