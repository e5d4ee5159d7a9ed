//! Which opening bracket belongs to which closing one.
//!
//! One pass with a stack finds them all, so that the rest of the conversion never searches for an end. What is not
//! closed is no pair, and its bracket is plain text.

use std::ops::Range;

use super::tags::{Ends, Tag, tag_at};

/// The most brackets that are open at a time; more are text. No real page has a thousand.
const OPEN_LIMIT: usize = 1 << 18;

/// What a pair encloses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `{{…}}`
    Template,
    /// `{{{…}}}`
    Parameter,
    /// `[[…]]`
    Link,
    /// `[http://…]`
    External,
    /// `{|…|}`; without an end, up to the next heading.
    Table,
    /// An element with its end tag.
    Element(Tag),
}

/// A piece of text from an opening bracket to its closing one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// What is between the brackets.
    pub(super) inner: Range<usize>,
}

/// Holds the pairs of a text by where they start.
#[derive(Debug, Default)]
pub(super) struct Pairs(Vec<Pair>);

impl Pairs {
    pub(super) fn of(text: &str) -> Self {
        let mut matcher = Matcher { text, ..Matcher::default() };
        matcher.run();
        matcher.pairs.sort_unstable_by_key(|pair| pair.start);
        Self(matcher.pairs)
    }

    /// Returns the pair that starts at a place and ends by another one.
    pub(super) fn at(&self, start: usize, limit: usize) -> Option<&Pair> {
        let found = self.0.binary_search_by_key(&start, |pair| pair.start).ok()?;
        Some(&self.0[found]).filter(|pair| pair.end <= limit)
    }
}

#[derive(Debug, Clone)]
enum Open {
    Braces {
        start: usize,
        count: usize,
    },
    Link {
        start: usize,
    },
    External {
        start: usize,
    },
    /// A bracket in the label of an address.
    Inner,
    Table {
        start: usize,
    },
    Element {
        tag: Tag,
        start: usize,
        inner: Range<usize>,
        end: usize,
        outer: Outer,
    },
}

/// What was so around an element: how many brackets are open, and the element around it.
type Outer = (Counts, Option<Inside>);

/// The element that a place is in.
#[derive(Debug, Clone, Copy)]
struct Inside {
    /// Where its end tag is.
    close: usize,
    /// Its place among what is open.
    place: usize,
}

/// How many of each are open within the present element.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    braces: usize,
    tables: usize,
}

#[derive(Debug, Default)]
struct Matcher<'a> {
    text: &'a str,
    pairs: Vec<Pair>,
    open: Vec<Open>,
    counts: Counts,
    /// The innermost element.
    element: Option<Inside>,
    /// Where lines start that look like headings.
    headings: Vec<usize>,
    ends: Ends,
}

/// Bytes at which something can happen.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let special = b"{}[]<|\n";
    let mut at = 0;
    while at < special.len() {
        table[special[at] as usize] = true;
        at += 1;
    }
    table
};

impl Matcher<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if self.element.is_some_and(|element| at >= element.close) {
                at = self.close_element();
                continue;
            }
            let is_full = self.open.len() >= OPEN_LIMIT;
            at = match bytes[at] {
                b'{' | b'[' | b'<' if is_full => at + 1,
                byte if !SPECIAL[byte as usize] => at + 1,
                b'\n' => self.line(at),
                b'{' => self.open_braces(at),
                b'}' => self.close_braces(at),
                b'[' => self.open_brackets(at),
                b']' => self.close_brackets(at),
                b'|' => self.bar(at),
                _ => self.element(at),
            };
        }
        while self.element.is_some() {
            self.close_element();
        }
        while let Some(open) = self.open.pop() {
            if let Open::Table { start } = open {
                let next = self.headings.partition_point(|heading| *heading < start);
                let end = self.headings.get(next).copied().unwrap_or(bytes.len());
                self.add(Kind::Table, start, end, start + 2..end);
            }
        }
    }

    fn add(&mut self, kind: Kind, start: usize, end: usize, inner: Range<usize>) {
        self.pairs.push(Pair { kind, start, end, inner });
    }

    fn count(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count()
    }

    fn line(&mut self, at: usize) -> usize {
        while let Some(Open::External { .. } | Open::Inner) = self.open.last() {
            self.open.pop();
        }
        if self.text.as_bytes().get(at + 1) == Some(&b'=') {
            self.headings.push(at + 1);
        }
        at + 1
    }

    /// Returns whether only blanks, and marks of lists where they may be, are before a place in its line.
    fn is_line_start(&self, at: usize, with_list: bool) -> bool {
        let allowed =
            |byte: &&u8| matches!(byte, b' ' | b'\t') || with_list && matches!(byte, b':' | b'*' | b'#');
        let before = &self.text.as_bytes()[..at];
        let blanks = before.iter().rev().take_while(allowed).count();
        blanks == at || before[at - blanks - 1] == b'\n'
    }

    fn open_braces(&mut self, at: usize) -> usize {
        let count = self.count(at);
        if count >= 2 {
            self.open.push(Open::Braces { start: at, count });
            self.counts.braces += 1;
        } else if self.text.as_bytes().get(at + 1) == Some(&b'|') && self.is_line_start(at, true) {
            self.open.push(Open::Table { start: at });
            self.counts.tables += 1;
            return at + 2;
        }
        at + count
    }

    fn close_braces(&mut self, at: usize) -> usize {
        let mut left = self.count(at);
        let mut at = at;
        while left >= 2 && self.counts.braces > 0 {
            match self.open.pop() {
                Some(Open::Braces { start, count }) => {
                    let width = if left >= 3 && count >= 3 { 3 } else { 2 };
                    let kind = if width == 3 { Kind::Parameter } else { Kind::Template };
                    let from = start + count - width;
                    self.add(kind, from, at + width, from + width..at);
                    at += width;
                    left -= width;
                    if count - width >= 2 {
                        self.open.push(Open::Braces { start, count: count - width });
                    } else {
                        self.counts.braces -= 1;
                    }
                }
                Some(Open::Table { start }) => {
                    self.counts.tables -= 1;
                    self.add(Kind::Table, start, at, start + 2..at);
                }
                _ => {}
            }
        }
        at + left
    }

    fn open_brackets(&mut self, at: usize) -> usize {
        let count = self.count(at);
        let rest = &self.text[at + count..];
        if count == 1 || count == 3 && is_address(rest) {
            if count == 3 {
                self.open.push(Open::Link { start: at });
            }
            if is_address(rest) {
                self.open.push(Open::External { start: at + count - 1 });
            } else if let Some(Open::External { .. } | Open::Inner) = self.open.last() {
                self.open.push(Open::Inner);
            }
        } else {
            self.open.push(Open::Link { start: at + count - 2 });
        }
        at + count
    }

    fn close_brackets(&mut self, at: usize) -> usize {
        let mut left = self.count(at);
        let mut at = at;
        while left > 0 {
            match self.open.last() {
                Some(Open::External { start }) => {
                    let start = *start;
                    self.open.pop();
                    self.add(Kind::External, start, at + 1, start + 1..at);
                    at += 1;
                    left -= 1;
                }
                Some(Open::Inner) => {
                    self.open.pop();
                    at += 1;
                    left -= 1;
                }
                Some(Open::Link { start }) if left >= 2 => {
                    let start = *start;
                    self.open.pop();
                    self.add(Kind::Link, start, at + 2, start + 2..at);
                    at += 2;
                    left -= 2;
                }
                _ => break,
            }
        }
        at + left
    }

    fn bar(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        if bytes.get(at + 1) != Some(&b'}') || self.counts.tables == 0 || !self.is_line_start(at, false) {
            return at + 1;
        }
        // "|}}" ends a template, unless a table inside it is still open.
        let is_template_end = bytes.get(at + 2) == Some(&b'}');
        let last =
            self.open.iter().rposition(|open| matches!(open, Open::Braces { .. } | Open::Table { .. }));
        if is_template_end && last.is_some_and(|last| matches!(self.open[last], Open::Braces { .. })) {
            return at + 1;
        }
        while let Some(open) = self.open.pop() {
            match open {
                Open::Braces { .. } => self.counts.braces -= 1,
                Open::Table { start } => {
                    self.counts.tables -= 1;
                    self.add(Kind::Table, start, at + 2, start + 2..at);
                    break;
                }
                _ => {}
            }
        }
        at + 2
    }

    fn element(&mut self, at: usize) -> usize {
        let Some(found) = tag_at(self.text, at) else {
            return at + 1;
        };
        if found.is_end || found.is_empty || !found.tag.is_paired() {
            return found.end;
        }
        if found.tag == Tag::Note {
            self.abandon_note();
        }
        let name = self.text[found.name].to_ascii_lowercase();
        let limit = self.element.map_or(self.text.len(), |element| element.close);
        let Some(close) = self.ends.find(self.text, &name, found.end).filter(|close| close.end <= limit)
        else {
            return found.end;
        };
        let inner = found.end..close.start;
        if found.tag.is_raw() {
            self.add(Kind::Element(found.tag), at, close.end, inner);
            return close.end;
        }
        let inside = Inside { close: close.start, place: self.open.len() };
        let outer = (std::mem::take(&mut self.counts), self.element.replace(inside));
        self.open.push(Open::Element { tag: found.tag, start: at, inner, end: close.end, outer });
        found.end
    }

    /// Forgets a note that is open: there are no notes in notes, so the end tag that was found for it belongs to the
    /// next one.
    fn abandon_note(&mut self) {
        let Some(Inside { place, .. }) = self.element else { return };
        if let Some(Open::Element { tag: Tag::Note, outer, .. }) = self.open.get(place) {
            (self.counts, self.element) = *outer;
            self.open.truncate(place);
        }
    }

    /// Closes the present element with all that is open in it, and returns where it ends.
    fn close_element(&mut self) -> usize {
        let close = self.element.take().map_or(self.text.len(), |element| element.close);
        while let Some(open) = self.open.pop() {
            match open {
                Open::Table { start } => self.add(Kind::Table, start, close, start + 2..close),
                Open::Element { tag, start, inner, end, outer } => {
                    self.add(Kind::Element(tag), start, end, inner);
                    (self.counts, self.element) = outer;
                    return end;
                }
                _ => {}
            }
        }
        close
    }
}

/// Returns whether a text starts as an address does.
pub(super) fn is_address(text: &str) -> bool {
    const SCHEMES: &[&str] = &[
        "//",
        "http://",
        "https://",
        "ftp://",
        "ftps://",
        "mailto:",
        "news:",
        "irc://",
        "ircs://",
        "tel:",
        "sip:",
        "git://",
        "svn://",
        "ssh://",
        "gopher://",
        "telnet://",
        "magnet:",
        "geo:",
        "urn:",
        "worldwind://",
        "xmpp:",
    ];
    let bytes = text.as_bytes();
    SCHEMES.iter().any(|scheme| {
        bytes.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
            && bytes.get(scheme.len()).is_some_and(|next| !next.is_ascii_whitespace() && *next != b']')
    })
}
