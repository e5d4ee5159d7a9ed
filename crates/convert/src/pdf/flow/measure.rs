//! What is usual in a document: its body's size, the distance of its lines, its faces for headings, its words.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::LONGEST_HEADING;
use crate::pdf::order::Line;
use crate::pdf::{Item, Sheet};

/// A heading's size is at least this many times the body's.
const LARGER: f32 = 1.06;
/// Different words kept to tell which hyphens are the text's own.
const MOST_WORDS: usize = 500_000;

/// The face of a line: twice its size, rounded, whether it is bold, whether it is italic.
type Face = (u32, bool, bool);

pub(super) struct Measure {
    body: f32,
    body_bold: bool,
    /// The usual distance of base lines, as a share of the size.
    leading: f32,
    levels: BTreeMap<Face, u8>,
    words: HashSet<String>,
}

impl Measure {
    pub(super) fn of(sheets: &[Sheet]) -> Self {
        let mut sizes: HashMap<(u32, bool), usize> = HashMap::new();
        let mut words = HashSet::new();
        for line in lines(sheets) {
            let text = line.text();
            *sizes.entry((face(line).0, line.bold)).or_default() += text.len();
            for word in text.split(' ') {
                if words.len() < MOST_WORDS && word.chars().any(char::is_alphabetic) {
                    words.insert(bare(word));
                }
            }
        }
        let usual =
            sizes.iter().max_by_key(|(face, count)| (**count, **face)).map_or((20, false), |(face, _)| *face);
        let mut measure = Self {
            body: usual.0 as f32 / 2.0,
            body_bold: usual.1,
            leading: 1.2,
            levels: BTreeMap::new(),
            words,
        };
        measure.measure_leading(sheets);
        measure.rank_headings(sheets);
        measure
    }

    fn measure_leading(&mut self, sheets: &[Sheet]) {
        let mut steps: HashMap<u32, usize> = HashMap::new();
        for pair in sheets.iter().flat_map(|sheet| sheet.items.windows(2)) {
            if let [Item::Line(above), Item::Line(below)] = pair
                && above.column == below.column
                && (above.size - self.body).abs() < 0.5
                && (below.size - self.body).abs() < 0.5
            {
                let step = (below.y - above.y) / self.body;
                if (0.8..3.0).contains(&step) {
                    *steps.entry((step * 20.0).round() as u32).or_default() += 1;
                }
            }
        }
        if let Some((step, _)) = steps.into_iter().max_by_key(|(step, count)| (*count, u32::MAX - step)) {
            self.leading = step as f32 / 20.0;
        }
    }

    /// Gives the faces of headings their levels: the larger first, at one size the bold, then the upright.
    fn rank_headings(&mut self, sheets: &[Sheet]) {
        let mut faces: Vec<Face> = Vec::new();
        for sheet in sheets {
            for (at, item) in sheet.items.iter().enumerate() {
                let Item::Line(line) = item else { continue };
                let beside = |at: Option<usize>| match at.and_then(|at| sheet.items.get(at)) {
                    Some(Item::Line(line)) => Some(line),
                    _ => None,
                };
                if self.is_heading(line, beside(at.checked_sub(1)), beside(Some(at + 1)))
                    && !faces.contains(&face(line))
                {
                    faces.push(face(line));
                }
            }
        }
        faces.sort_by_key(|(size, bold, italic)| (std::cmp::Reverse(*size), !bold, *italic));
        let mut level = 0;
        let mut before: Option<Face> = None;
        for face in faces {
            // Rounding parts no faces.
            let same = before
                .is_some_and(|before| before.0 - face.0 <= 1 && before.1 == face.1 && before.2 == face.2);
            level = if same { level } else { u8::min(level + 1, 6) };
            self.levels.insert(face, level);
            before = Some(face);
        }
    }

    /// Returns the level of the heading that a line is or is part of.
    pub(super) fn heading(&self, line: &Line, above: Option<&Line>, below: Option<&Line>) -> Option<u8> {
        if self.is_heading(line, above, below) { self.levels.get(&face(line)).copied() } else { None }
    }

    fn is_heading(&self, line: &Line, above: Option<&Line>, below: Option<&Line>) -> bool {
        let text = line.text();
        if text.len() > LONGEST_HEADING || !text.chars().any(char::is_alphabetic) || line.dot {
            return false;
        }
        if line.size >= self.body * LARGER {
            return true;
        }
        // A bold line of the body's size, alone, which is no sentence.
        let alone = |other: Option<&Line>| {
            other.is_none_or(|other| {
                other.column != line.column
                    || face(other) != face(line)
                    || (other.y - line.y).abs() > 1.5 * self.leading * self.body
            })
        };
        let apart = above.is_none_or(|above| {
            above.column != line.column
                || line.y < above.y
                || line.y - above.y > 1.1 * self.leading * self.body
        });
        let marked = line.bold && !self.body_bold;
        marked
            && line.size > 0.95 * self.body
            && apart
            && alone(above)
            && alone(below)
            && text.len() < 120
            && !text.ends_with(['.', ',', ';', ':'])
            && !super::is_bullet(text.split(' ').next().unwrap_or(""))
    }

    /// Returns how far apart two lines of one paragraph may stand at most.
    pub(super) fn leading(&self, line: &Line) -> f32 {
        line.size * self.leading * 1.25
    }

    /// Tells how a word at the end of a line and the next one join: without the hyphen, with it, or not at all.
    pub(super) fn join(&self, word: &str, next: &str) -> Option<bool> {
        let stem = word.strip_suffix(['-', '\u{2010}'])?;
        if !stem.ends_with(char::is_alphabetic) || !next.starts_with(char::is_alphabetic) {
            return stem.ends_with(char::is_alphanumeric).then_some(false);
        }
        if next.starts_with(char::is_uppercase) && !stem.chars().all(char::is_uppercase) {
            return Some(false);
        }
        let (closed, hyphened) = (bare(&format!("{stem}{next}")), bare(&format!("{stem}-{next}")));
        Some(self.words.contains(&closed) || !self.words.contains(&hyphened))
    }
}

/// Strokes this much thicker than the body's are bold.
const THICKER: f32 = 1.25;

/// Finds the bold lines of fonts that do not call themselves so.
pub(in crate::pdf) fn weigh(sheets: &mut [Sheet]) {
    let mut sizes: HashMap<u32, (f64, f64, usize)> = HashMap::new();
    for line in lines(sheets).filter(|line| line.stroke > 0.0) {
        let length: usize = line.spans.iter().map(|span| span.text.len()).sum();
        let (strokes, weights, count) = sizes.entry(face(line).0).or_default();
        *strokes += f64::from(line.stroke) * length as f64;
        *weights += length as f64;
        *count += length;
    }
    let usual = sizes.iter().max_by_key(|(size, (.., count))| (*count, **size));
    let Some((_, (strokes, weights, _))) = usual else { return };
    let body = (strokes / weights) as f32;
    for item in sheets.iter_mut().flat_map(|sheet| &mut sheet.items) {
        if let Item::Line(line) = item {
            line.bold |= line.stroke > THICKER * body;
        }
    }
}

fn lines(sheets: &[Sheet]) -> impl Iterator<Item = &Line> {
    sheets.iter().flat_map(|sheet| &sheet.items).filter_map(|item| match item {
        Item::Line(line) => Some(line),
        Item::Table(_) => None,
    })
}

fn face(line: &Line) -> Face {
    ((line.size * 2.0).round() as u32, line.bold, line.italic)
}

/// Returns a word in lower case without the marks around it.
fn bare(word: &str) -> String {
    word.trim_matches(|one: char| !one.is_alphanumeric()).to_lowercase()
}
