//! What is usual in a document: its body's size, the distance of its lines, its faces for headings, its words.

use std::cmp::Reverse;
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

/// A document of more pages has a title page, and each of its headings' faces more than once.
const LONG_PAGES: usize = 5;

/// How a face is used where it looks like a heading's.
#[derive(Debug, Default)]
struct Use {
    characters: usize,
    lines: usize,
    /// Groups of lines that follow each other.
    runs: usize,
    /// Whether it is used after the first page.
    later: bool,
}

pub(super) struct Measure {
    body: f32,
    body_bold: bool,
    /// The usual distance of base lines, as a share of the size.
    pub(super) leading: f32,
    levels: BTreeMap<Face, u8>,
    words: HashSet<String>,
    /// Whether the body itself is set in a face of one width.
    typed: bool,
}

impl Measure {
    pub(super) fn of(sheets: &[Sheet]) -> Self {
        let mut sizes: HashMap<(u32, bool), usize> = HashMap::new();
        let mut words = HashSet::new();
        let (mut typed, mut all) = (0, 0);
        for line in lines(sheets) {
            let text = line.text();
            all += text.len();
            typed += if line.pitch.is_some() && line.varied { text.len() } else { 0 };
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
            typed: typed * 2 > all,
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
        let mut faces: BTreeMap<Face, Use> = BTreeMap::new();
        let mut all = 0;
        for (page, sheet) in sheets.iter().enumerate() {
            let mut before: Option<Face> = None;
            for (at, item) in sheet.items.iter().enumerate() {
                let Item::Line(line) = item else {
                    before = None;
                    continue;
                };
                let beside = |at: Option<usize>| match at.and_then(|at| sheet.items.get(at)) {
                    Some(Item::Line(line)) => Some(line),
                    _ => None,
                };
                let length: usize = line.spans.iter().map(|span| span.text.len()).sum();
                all += length;
                let own = face(line);
                if self.is_heading(line, beside(at.checked_sub(1)), beside(Some(at + 1))) {
                    let used = faces.entry(own).or_default();
                    used.characters += length;
                    used.lines += 1;
                    used.runs += usize::from(before != Some(own));
                    used.later |= page > 0;
                }
                before = Some(own);
            }
        }
        let title = faces.iter().filter(|(_, used)| !used.later).map(|(face, _)| face.0).max();
        let is_long = sheets.len() > LONG_PAGES;
        let mut level = 0;
        let mut before: Option<Face> = None;
        for (face, used) in ranked(faces) {
            let is_text = used.lines * 2 > used.runs * 5 || (all > 5_000 && used.characters * 8 > all);
            // On the first page of a long document the largest is its title; what else is used there alone is not
            // a heading of anything.
            let is_rare = is_long && (!used.later || used.runs < 2) && title != Some(face.0);
            if is_text || is_rare {
                continue;
            }
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
        if line.leader
            || line.run > MOST_LINES
            || text.len() > LONGEST_HEADING
            || !text.chars().any(char::is_alphabetic)
            || line.dot
        {
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
        // The chapters of a table of contents are bold among its dotted lines.
        let listed = [above, below].into_iter().flatten().any(|other| other.leader);
        // So is a line in italics, which must look more like a heading.
        let slanted = line.italic
            && line.run == 1
            && text.len() < 80
            && text.starts_with(char::is_uppercase)
            && above.is_some_and(|above| !above.italic)
            && below.is_some_and(|below| !below.italic && below.column == line.column);
        let marked = ((line.bold && !self.body_bold) || slanted) && !listed;
        marked
            && line.size > 0.95 * self.body
            && apart
            && alone(above)
            && alone(below)
            && text.len() < 120
            && !text.ends_with(['.', ',', ';', ':'])
            && !super::is_bullet(text.split(' ').next().unwrap_or(""))
    }

    /// Tells whether a line is code: of one width in a text that is not. What follows on code may be short.
    pub(super) fn is_code(&self, line: &Line, follows: bool) -> bool {
        let linked = line.spans.iter().any(|span| span.link.is_some());
        !self.typed && line.pitch.is_some() && (follows || (line.varied && !linked))
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

/// More lines of one face that follow closely on each other are no heading but text.
const MOST_LINES: usize = 3;

/// Finds the bold lines of fonts that do not call themselves so, and how many lines of one face stand together.
pub(in crate::pdf) fn weigh(sheets: &mut [Sheet]) {
    find_bold(sheets);
    for sheet in sheets {
        let mut start = 0;
        for at in 1..=sheet.items.len() {
            let goes_on = match (&sheet.items[at - 1], sheet.items.get(at)) {
                (Item::Line(above), Some(Item::Line(below))) => {
                    face(above) == face(below)
                        && above.column == below.column
                        && (below.y - above.y).abs() < 1.6 * below.size
                }
                _ => false,
            };
            if !goes_on {
                let run = at - start;
                for item in &mut sheet.items[start..at] {
                    if let Item::Line(line) = item {
                        line.run = run;
                    }
                }
                start = at;
            }
        }
    }
}

fn find_bold(sheets: &mut [Sheet]) {
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

/// Returns faces from the most to the least weighty.
fn ranked(faces: BTreeMap<Face, Use>) -> Vec<(Face, Use)> {
    let mut faces: Vec<(Face, Use)> = faces.into_iter().collect();
    faces.sort_by_key(|((size, bold, italic), _)| (Reverse(*size), !bold, *italic));
    faces
}

fn face(line: &Line) -> Face {
    ((line.size * 2.0).round() as u32, line.bold, line.italic)
}

/// Returns a word in lower case without the marks around it.
fn bare(word: &str) -> String {
    word.trim_matches(|one: char| !one.is_alphanumeric()).to_lowercase()
}
