//! Notes: numbered where they are used, and written out at the end.

use std::collections::HashMap;

use super::marks::{NOTE, NOTE_END};

/// Holds the notes of a page.
#[derive(Debug, Default)]
pub(super) struct Notes {
    texts: Vec<Option<String>>,
    names: HashMap<String, usize>,
}

impl Notes {
    /// Returns the number of a note, from 0, by its name if it has one; its text counts when it is the first.
    pub(super) fn add(&mut self, name: Option<String>, text: Option<String>) -> usize {
        let next = self.texts.len();
        let number = name.map_or(next, |name| *self.names.entry(name).or_insert(next));
        if number == next {
            self.texts.push(None);
        }
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.texts[number].get_or_insert(text);
        }
        number
    }

    /// Returns what stands for a note in the text until the end.
    pub(super) fn mark(number: usize) -> String {
        format!("{NOTE}{number}{NOTE_END}")
    }

    /// Turns the marks in a text to numbers, in the order of their first use, and appends the notes.
    ///
    /// A note of which the text is nowhere has no mark; one that is never used is written out all the same.
    pub(super) fn finish(self, markdown: &mut String) {
        if self.texts.is_empty() {
            return;
        }
        let texts: Vec<String> = self.texts.into_iter().map(Option::unwrap_or_default).collect();
        let mut order = Vec::new();
        let mut shown = vec![None; texts.len()];
        let mut number_of = |note: usize, order: &mut Vec<usize>| {
            let is_known = texts.get(note).is_some_and(|text| !text.is_empty());
            is_known.then(|| {
                *shown[note].get_or_insert_with(|| {
                    order.push(note);
                    order.len()
                })
            })
        };
        let mut out = numbered(markdown, &mut order, &mut number_of);
        let mut definitions = String::new();
        let mut done = 0;
        // A note may use notes; those that nothing uses come last.
        for unused in 0..=texts.len() {
            while let Some(note) = order.get(done).copied() {
                let text = numbered(&texts[note], &mut order, &mut number_of);
                done += 1;
                definitions.push_str(&format!("[^{done}]: {text}\n"));
            }
            if unused < texts.len() {
                number_of(unused, &mut order);
            }
        }
        if !definitions.is_empty() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&definitions);
        }
        *markdown = out;
    }
}

fn numbered(
    text: &str,
    order: &mut Vec<usize>,
    number_of: &mut impl FnMut(usize, &mut Vec<usize>) -> Option<usize>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split(NOTE);
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (number, rest) = piece.split_once(NOTE_END).unwrap_or(("", piece));
        if let Some(shown) = number.parse().ok().and_then(|note| number_of(note, order)) {
            out.push_str(&format!("[^{shown}]"));
        }
        out.push_str(rest);
    }
    out
}
