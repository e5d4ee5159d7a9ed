//! Text within a block: emphasis, links, elements, entities.

use std::ops::Range;

use quick_xml::escape::resolve_html5_entity;

use super::escape;
use super::links::Shown;
use super::marks::{BOLD, BOTH, BREAK, ITALIC, ITEM, PARAGRAPH};
use super::notes::Notes;
use super::pairs::Kind;
use super::tags::{Found, Tag, attribute, tag_at};
use super::{Converter, emphasis, flattened, with_breaks};

/// Where the text stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// At the end of the line, and before a block.
    Block,
    /// At the end of the line.
    Line,
    /// Nowhere: the end of a line is a space.
    End,
}

/// Bytes at which something can happen.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let special = b"'[]{<&\n*_`\\~";
    let mut at = 0;
    while at < special.len() {
        table[special[at] as usize] = true;
        at += 1;
    }
    table
};

/// Words between double underscores that tell the software something.
const SWITCHES: &[&str] = &[
    "TOC",
    "NOTOC",
    "FORCETOC",
    "NOEDITSECTION",
    "NEWSECTIONLINK",
    "NONEWSECTIONLINK",
    "NOGALLERY",
    "HIDDENCAT",
    "EXPECTUNUSEDCATEGORY",
    "NOCONTENTCONVERT",
    "NOCC",
    "NOTITLECONVERT",
    "NOTC",
    "START",
    "END",
    "INDEX",
    "NOINDEX",
    "STATICREDIRECT",
    "DISAMBIG",
    "INHALTSVERZEICHNIS",
    "KEIN_INHALTSVERZEICHNIS",
    "ABSCHNITTE_NICHT_BEARBEITEN",
    "SOMMAIRE",
    "AUCUNSOMMAIRE",
    "INDICE",
    "SINTDC",
    "NOTDC",
    "TDC",
    "ÍNDICE",
    "SEMTDC",
    "INHOUD",
    "GEENINHOUD",
    "ОГЛАВЛЕНИЕ",
    "ОГЛ",
    "БЕЗ_ОГЛАВЛЕНИЯ",
    "БЕЗ_ОГЛ",
    "BEZSPISU",
    "SPIS",
    "INNEHÅLLSFÖRTECKNING",
    "INGENINNEHÅLLSFÖRTECKNING",
];

impl Converter<'_> {
    /// Returns the text of a range in one line, with marks where lines end.
    pub(super) fn inline(&mut self, range: Range<usize>) -> String {
        self.deeper(range.clone(), |converter| {
            let mut out = String::with_capacity(range.len());
            converter.scan(range, &mut out, Until::End);
            emphasis::resolve(&out).trim().replace(ITEM, "- ")
        })
    }

    /// Returns the text of a range in one line without marks.
    pub(super) fn one_line(&mut self, range: Range<usize>) -> String {
        with_breaks(&self.flat(range), " ")
    }

    /// Appends the text of a range and returns where it stopped.
    pub(super) fn scan(&mut self, range: Range<usize>, out: &mut String, until: Until) -> usize {
        let bytes = self.text.as_bytes();
        let limit = range.end;
        let mut at = range.start;
        while at < limit {
            let plain =
                bytes[at..limit].iter().position(|byte| SPECIAL[*byte as usize]).unwrap_or(limit - at);
            if plain > 0 {
                out.push_str(&self.text[at..at + plain]);
                at += plain;
                continue;
            }
            at = match bytes[at] {
                b'\n' if until != Until::End => return at,
                b'\n' => {
                    out.push(' ');
                    at + 1
                }
                b'\'' => self.apostrophes(at, limit, out),
                b'[' | b'{' | b'<' => {
                    if until == Until::Block && self.is_block(at, limit) {
                        return at;
                    }
                    self.bracket(at, limit, out)
                }
                b'&' => self.entity(at, limit, out),
                b'_' if bytes[..limit].get(at + 1) == Some(&b'_') => self.switch(at, limit, out),
                _ => self.letter(at, limit, out),
            };
        }
        limit
    }

    fn apostrophes(&self, at: usize, limit: usize, out: &mut String) -> usize {
        let count = self.text.as_bytes()[at..limit].iter().take_while(|byte| **byte == b'\'').count();
        let (plain, mark) = match count {
            1 => (1, None),
            2 => (0, Some(ITALIC)),
            3 => (0, Some(BOLD)),
            4 => (1, Some(BOLD)),
            more => (more - 5, Some(BOTH)),
        };
        out.extend(std::iter::repeat_n('\'', plain));
        out.extend(mark);
        at + count
    }

    /// Appends one letter as it is shown.
    fn letter(&self, at: usize, limit: usize, out: &mut String) -> usize {
        let mut rest = self.text[at..limit].chars();
        let letter = rest.next().unwrap_or(' ');
        let before = out.chars().next_back().unwrap_or(' ');
        let is_bracket = self.in_label && matches!(letter, '[' | ']');
        if is_bracket || escape::is_markup(before, letter, rest.next().unwrap_or(' ')) {
            out.push('\\');
        }
        out.push(letter);
        at + letter.len_utf8()
    }

    fn bracket(&mut self, at: usize, limit: usize, out: &mut String) -> usize {
        let Some(pair) = self.pair(at, limit).cloned() else {
            return match tag_at(self.text, at).filter(|found| found.end <= limit) {
                Some(found) => self.lone_tag(&found, out),
                None => self.letter(at, limit, out),
            };
        };
        match pair.kind {
            Kind::Template => {
                let text = self.template(&pair);
                // Brackets around nothing go with it.
                if text.is_empty() && out.ends_with('(') && self.text[pair.end..limit].starts_with(')') {
                    out.pop();
                    return pair.end + 1;
                }
                out.push_str(&text);
                pair.end
            }
            Kind::Parameter => match self.find_outside(pair.inner.start, pair.inner.end, b'|') {
                Some(bar) => {
                    let text = self.flat(bar + 1..pair.inner.end);
                    out.push_str(&text);
                    pair.end
                }
                None => self.letter(at, limit, out),
            },
            Kind::Link => match self.link(&pair, limit) {
                Shown::As(text, end) => {
                    out.push_str(&text);
                    end
                }
                Shown::Literally => {
                    self.letter(at, limit, out);
                    self.letter(at + 1, limit, out)
                }
            },
            Kind::External => {
                let text = self.external(pair.inner.clone());
                out.push_str(&text);
                pair.end
            }
            Kind::Table => {
                let table = self.table_blocks(&pair);
                push_apart(out, &flattened(&table));
                pair.end
            }
            Kind::Element(tag) => {
                self.element(tag, at, pair.inner.clone(), out);
                pair.end
            }
        }
    }

    /// Appends an element that is seen as a whole.
    fn element(&mut self, tag: Tag, at: usize, inner: Range<usize>, out: &mut String) {
        match tag {
            Tag::Note => {
                let attributes = tag_at(self.text, at).map_or(at..at, |found| found.attributes);
                let text = self.one_line(inner);
                self.note(attributes, Some(text), out);
            }
            Tag::Notes => {
                // Its notes are defined here and used elsewhere, so that their marks go.
                let text = self.inline(inner);
                let marks = |letter: char| letter == super::marks::NOTE || letter == super::marks::NOTE_END;
                let shown = text.split(marks).step_by(2).collect::<String>();
                push_apart(out, shown.trim());
            }
            Tag::Literal => self.literal(inner, out),
            Tag::Code | Tag::Typed => {
                let text = if tag == Tag::Code { decoded(&self.text[inner]) } else { self.typed(inner) };
                push_code(out, &text.replace('\n', " "));
            }
            Tag::Formula => {
                let formula = self.text[inner].split_whitespace().collect::<Vec<_>>().join(" ");
                if !formula.is_empty() {
                    out.push_str(&format!("${formula}$"));
                }
            }
            Tag::Gallery | Tag::Poem | Tag::Quote => {
                let blocks = self.element_blocks(tag, inner);
                push_apart(out, &flattened(&blocks));
            }
            _ => {}
        }
    }

    /// Returns what is shown of a span of code, without its markup.
    fn typed(&mut self, inner: Range<usize>) -> String {
        let text = with_breaks(&self.inline(inner), " ");
        // In code a backslash is one.
        let mut shown = String::with_capacity(text.len());
        let mut rest = text.chars().peekable();
        while let Some(letter) = rest.next() {
            if letter != '\\' || !rest.peek().is_some_and(char::is_ascii_punctuation) {
                shown.push(letter);
            } else if let Some(next) = rest.next() {
                shown.push(next);
            }
        }
        shown
    }

    /// Appends text without markup; entities still count.
    fn literal(&self, inner: Range<usize>, out: &mut String) {
        let text = decoded(&self.text[inner]).replace('\n', " ");
        let label =
            if self.in_label { text.replace('[', "\\[").replace(']', "\\]") } else { escape::plain(&text) };
        out.push_str(&label);
    }

    /// Appends a note and remembers its text.
    pub(super) fn note(&mut self, attributes: Range<usize>, text: Option<String>, out: &mut String) {
        let attributes = &self.text[attributes];
        let name = attribute(attributes, "name").map(str::trim).filter(|name| !name.is_empty());
        let name = name.map(|name| format!("{}/{name}", attribute(attributes, "group").unwrap_or_default()));
        if name.is_none() && text.as_ref().is_none_or(String::is_empty) {
            return;
        }
        let number = self.notes.add(name, text);
        out.push_str(&Notes::mark(number));
    }

    fn lone_tag(&mut self, found: &Found, out: &mut String) -> usize {
        match found.tag {
            Tag::Note if !found.is_end && found.is_empty => self.note(found.attributes.clone(), None, out),
            Tag::Break => out.push(BREAK),
            Tag::Block => out.push(PARAGRAPH),
            Tag::Item if !found.is_end => {
                out.push(PARAGRAPH);
                out.push(ITEM);
            }
            Tag::Cell | Tag::Item => push_apart(out, ""),
            Tag::Bold => out.push(BOLD),
            Tag::Italic => out.push(ITALIC),
            // 10<sup>6</sup> is no 106; 1<sup>st</sup> is 1st.
            Tag::Raised if !found.is_end => {
                let next = self.text.as_bytes().get(found.end).copied().unwrap_or(b' ');
                if next.is_ascii_digit()
                    || matches!(next, b'-' | b'+')
                    || self.text[found.end..].starts_with('−')
                {
                    out.push('^');
                }
            }
            _ => {}
        }
        found.end
    }

    fn entity(&self, at: usize, limit: usize, out: &mut String) -> usize {
        let Some((shown, end)) = entity_at(&self.text[..limit], at) else {
            return self.letter(at, limit, out);
        };
        let next = self.text[end..limit].chars().next().unwrap_or(' ');
        for letter in shown.chars() {
            let before = out.chars().next_back().unwrap_or(' ');
            let is_bracket = self.in_label && matches!(letter, '[' | ']');
            if is_bracket || escape::is_markup(before, letter, next) {
                out.push('\\');
            }
            out.push(letter);
        }
        end
    }

    /// Leaves out a word that tells the software something, or appends the underscores.
    fn switch(&self, at: usize, limit: usize, out: &mut String) -> usize {
        let rest = &self.text[at + 2..limit];
        // The longest word, in bytes.
        let near = &rest[..rest.floor_char_boundary(64)];
        if let Some(length) = near.find("__")
            && SWITCHES.contains(&near[..length].trim_start_matches('_').to_uppercase().as_str())
        {
            return at + 2 + length + 2;
        }
        self.letter(at, limit, out)
    }
}

/// Appends text with a space between.
fn push_apart(out: &mut String, text: &str) {
    if !out.is_empty() && !out.ends_with([' ', BREAK, PARAGRAPH]) {
        out.push(' ');
    }
    out.push_str(text);
    if !text.is_empty() {
        out.push(BREAK);
    }
}

/// Appends a span of code.
pub(super) fn push_code(out: &mut String, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    out.push_str(&format!("{fence}{space}{text}{space}{fence}"));
}

/// Returns a text with its entities as what they stand for.
pub(super) fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'&', &text.as_bytes()[from..]) {
        let at = from + found;
        out.push_str(&text[from..at]);
        match entity_at(text, at) {
            Some((shown, end)) => {
                out.push_str(&shown);
                from = end;
            }
            None => {
                out.push('&');
                from = at + 1;
            }
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Returns what the entity at an ampersand stands for and where it ends.
///
/// Spaces of all widths are spaces; hyphens and marks that are not seen are nothing.
fn entity_at(text: &str, at: usize) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    // No name is longer than 33 bytes.
    let length = bytes[at + 1..].iter().take(34).position(|byte| *byte == b';')?;
    let name = &text.get(at + 1..at + 1 + length)?;
    let shown = match name.strip_prefix('#') {
        Some(number) => {
            let number = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number)
                .filter(|letter| *letter != '\0' && !super::marks::is_mark(*letter))?
                .to_string()
        }
        None => resolve_html5_entity(name)?.to_owned(),
    };
    let shown = match shown.as_str() {
        "\u{ad}" | "\u{200b}" | "\u{200e}" | "\u{200f}" | "\u{2060}" | "\u{feff}" => String::new(),
        blank if blank.trim().is_empty() => " ".to_owned(),
        _ => shown,
    };
    Some((shown, at + 1 + length + 1))
}
