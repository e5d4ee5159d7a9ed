//! From glyphs to words.

use std::collections::HashSet;
use std::rc::Rc;

use unicode_normalization::UnicodeNormalization;

use super::draw::Glyph;

/// Glyphs are of one word when less than this share of the size lies between them.
const WORD_GAP: f32 = 0.17;
/// A glyph that stands further back than this begins something else.
const BACK: f32 = 0.5;

/// A word, in points from the top left of the page.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) x0: f32,
    pub(super) x1: f32,
    /// The base line.
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) bold: bool,
    pub(super) italic: bool,
    /// How thick the strokes of its glyphs are, in thousandths of the size, added up, and of how many.
    pub(super) strokes: (f32, u32),
    /// How wide each of its glyphs is, as a share of the size, if all are equally wide.
    pub(super) pitch: Option<f32>,
    pub(super) link: Option<Rc<str>>,
    /// Bytes of the text that the link holds; a full stop after it stands outside.
    pub(super) linked: usize,
}

impl Word {
    pub(super) fn top(&self) -> f32 {
        self.y - 0.75 * self.size
    }

    pub(super) fn bottom(&self) -> f32 {
        self.y + 0.2 * self.size
    }
}

/// Joins glyphs to words, in the order in which they were drawn.
pub(super) fn words(glyphs: Vec<Glyph>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut ended = true;
    let mut seen = HashSet::new();
    for glyph in glyphs {
        if glyph.text.is_whitespace() || glyph.text == '\u{0}' {
            ended = true;
            continue;
        }
        // Drawing a glyph again a hair further feigns a bold face or a shadow.
        let place = |value: f32, size: f32| (value / (size * 0.12).max(0.3)).round() as i64;
        if !seen.insert((glyph.text, place(glyph.x0, glyph.size), place(glyph.y, glyph.size))) {
            continue;
        }
        let joins = words.last().is_some_and(|word| joins(word, &glyph));
        if ended || !joins {
            words.push(Word {
                text: String::new(),
                x0: glyph.x0,
                x1: glyph.x1,
                y: glyph.y,
                size: glyph.size,
                bold: glyph.bold,
                italic: glyph.italic,
                strokes: (0.0, 0),
                pitch: Some((glyph.x1 - glyph.x0) / glyph.size),
                link: None,
                linked: 0,
            });
        }
        ended = false;
        if let Some(word) = words.last_mut() {
            push(&mut word.text, glyph.text);
            if let Some(more) = &glyph.more {
                more.chars().for_each(|one| push(&mut word.text, one));
            }
            if glyph.stroke > 0.0 && glyph.text.is_alphanumeric() {
                word.strokes = (word.strokes.0 + glyph.stroke, word.strokes.1 + 1);
            }
            let width = (glyph.x1 - glyph.x0) / glyph.size;
            word.pitch = word.pitch.filter(|pitch| (pitch - width).abs() < 0.01);
            word.x1 = word.x1.max(glyph.x1);
            word.size = word.size.max(glyph.size);
        }
    }
    words.retain_mut(|word| {
        if !word.text.is_ascii() {
            word.text = word.text.nfc().collect();
        }
        !word.text.trim().is_empty()
    });
    words
}

/// Tells whether a glyph goes on with a word.
fn joins(word: &Word, glyph: &Glyph) -> bool {
    let size = word.size.max(glyph.size);
    let gap = glyph.x0 - word.x1;
    let rise = (word.y - glyph.y) / size;
    let like = glyph.size > 0.45 * word.size && glyph.size < 1.7 * word.size;
    // The mark of a note stands before its text.
    let after_mark = glyph.size > 1.2 * word.size && word.text.chars().all(char::is_numeric);
    if !like || after_mark || gap < -BACK * size {
        return false;
    }
    if rise.abs() < 0.12 {
        // What is raised and as small as this is the mark of a note.
        return gap < WORD_GAP * size && (glyph.size > 0.6 * word.size || glyph.text.is_alphabetic());
    }
    // Lowered letters and figures, and raised letters, belong to the word; raised figures are marks or powers.
    rise.abs() < 0.5 && gap < 0.1 * size && (rise < 0.0 || glyph.text.is_alphabetic())
}

/// Appends a character, a ligature as its letters, a free accent as one that stands on the letter before it.
fn push(text: &mut String, character: char) {
    match character {
        '\u{fb00}'..='\u{fb06}' => text.extend(std::iter::once(character).nfkc()),
        '\u{ad}' => text.push('-'),
        '\u{f0b7}' | '\u{f0a7}' | '\u{f076}' => text.push('\u{2022}'),
        _ if character.is_control() => {}
        _ => text.push(character),
    }
}
