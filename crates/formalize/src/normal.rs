//! A composed (NFC) copy of a text, with the way back.

use std::borrow::Cow;

use mge_core::Span;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Composes a text.
pub(crate) fn compose(text: &str) -> String {
    text.nfc().map(straighten).collect()
}

/// Typographic apostrophes and spaces are one with the plain ones.
fn straighten(character: char) -> char {
    match character {
        '’' | 'ʼ' => '\'',
        '\u{a0}' | '\u{202f}' => ' ',
        '\u{2010}' | '\u{2011}' => '-',
        other => other,
    }
}

/// A normalised copy and where its bytes come from.
pub(crate) struct Normal<'a> {
    text: Cow<'a, str>,
    /// Borders of stretches: `(normalised, original)`, ascending; empty when the two are the same.
    borders: Vec<(usize, usize)>,
}

impl<'a> Normal<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        if is_nfc(text) && !text.contains(['’', 'ʼ', '\u{a0}', '\u{202f}', '\u{2010}', '\u{2011}']) {
            return Self { text: Cow::Borrowed(text), borders: Vec::new() };
        }
        let mut normal = String::with_capacity(text.len());
        let mut borders = Vec::new();
        let mut start = 0;
        let mut characters = text.char_indices().peekable();
        while let Some((position, character)) = characters.next() {
            let end = position + character.len_utf8();
            // A stretch is a character with the marks after it: what composing may join.
            let joins = characters.peek().is_some_and(|(_, next)| {
                unicode_normalization::char::is_combining_mark(*next) && end - start < 64
            });
            if !joins {
                borders.push((normal.len(), start));
                normal.extend(text[start..end].nfc().map(straighten));
                start = end;
            }
        }
        borders.push((normal.len(), text.len()));
        Self { text: Cow::Owned(normal), borders }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the original bytes, or `None` when a border lies inside a stretch.
    pub(crate) fn to_original(&self, span: Span) -> Option<Span> {
        if self.borders.is_empty() {
            return Some(span);
        }
        let find = |position: usize| {
            let found = self.borders.binary_search_by_key(&position, |(normal, _)| *normal).ok()?;
            Some(self.borders[found].1)
        };
        Some(Span::new(find(span.start)?, find(span.end)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_composed_name_leads_back_to_its_letters() {
        let text = "the Cafe\u{301} Noir’s door";
        let normal = Normal::new(text);
        let start = normal.text().find("Café").expect("it is composed");
        let span = normal.to_original(Span::new(start, start + "Café Noir".len())).expect("on borders");
        assert_eq!(span.slice(text), Some("Cafe\u{301} Noir"));
        assert!(normal.text().contains("Noir's"));
    }
}
