//! From words to lines in reading order.

use std::collections::HashSet;
use std::rc::Rc;

use super::Item;
use super::draw::Rule;
use super::table::{self, Placed};
use super::word::Word;
use crate::inline::Inline;

/// Words are of one part of a line when less than this share of the size lies between them.
const PART_GAP: f32 = 0.85;
/// Columns of text inside each other on one page.
const MOST_COLUMNS: usize = 4;

/// A line of text.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(super) spans: Vec<Span>,
    pub(super) x0: f32,
    pub(super) x1: f32,
    /// The base line.
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) bold: bool,
    pub(super) italic: bool,
    /// How thick its strokes are, in thousandths of the size; 0 if that is not known.
    pub(super) stroke: f32,
    /// How wide its first word is.
    pub(super) first: f32,
    /// Where its second word begins, if it has one.
    pub(super) second: Option<f32>,
    /// Whether a drawn dot stands before it.
    pub(super) dot: bool,
    /// Whether a row of dots leads from its text to its number, as in a table of contents.
    pub(super) leader: bool,
    /// How wide each of its characters is, if all are equally wide.
    pub(super) pitch: Option<f32>,
    /// Whether it has so many different characters that they are equally wide by no chance.
    pub(super) varied: bool,
    /// How many lines of one face follow closely on each other here.
    pub(super) run: usize,
    /// The bounds of its column.
    pub(super) left: f32,
    pub(super) right: f32,
    /// Its column, counted over the page.
    pub(super) column: usize,
}

/// Text of one line that leads to one place, or to none.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) link: Option<Rc<str>>,
}

impl Line {
    pub(super) fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// Words beside each other, or a table.
#[derive(Debug)]
enum Piece {
    Words(Vec<Word>),
    Table(Placed),
}

#[derive(Debug)]
struct Place {
    piece: Piece,
    x0: f32,
    x1: f32,
    top: f32,
    bottom: f32,
}

/// A line of a column, with its parts from left to right.
#[derive(Debug)]
pub(super) struct Row {
    parts: Vec<Vec<Word>>,
    top: f32,
    bottom: f32,
    /// Whether it held a row of dots.
    leader: bool,
}

impl Row {
    pub(super) fn words(&self) -> impl Iterator<Item = &Word> {
        self.parts.iter().flatten()
    }

    /// Drops the dots that lead from a text to a number.
    fn drop_leader(&mut self) {
        let is_dots = |word: &Word| word.text.chars().all(|one| one == '.' || one == '\u{2026}');
        let dots: usize = self.words().filter(|word| is_dots(word)).map(|word| word.text.len()).sum();
        let others = self.words().any(|word| !is_dots(word));
        if dots > 4 && others {
            self.leader = true;
            self.parts.iter_mut().for_each(|part| part.retain(|word| !is_dots(word)));
            self.parts.retain(|part| !part.is_empty());
            if self.words().any(|word| word.text.ends_with("....")) {
                let trimmed = |word: &mut Word| word.text.truncate(word.text.trim_end_matches('.').len());
                self.parts.iter_mut().flatten().for_each(trimmed);
            }
        }
    }

    /// Takes in what stands at the same height; a raised or lowered word goes between its neighbors.
    fn take(&mut self, words: Vec<Word>) {
        let x0 = words.iter().map(|word| word.x0).fold(f32::MAX, f32::min);
        let holds = |part: &&mut Vec<Word>| {
            let size = part[0].size;
            part[0].x0 - 0.3 * size <= x0 && x0 <= part[part.len() - 1].x1 + 0.3 * size
        };
        match self.parts.iter_mut().find(holds) {
            Some(part) => {
                part.extend(words);
                part.sort_by(|a, b| a.x0.total_cmp(&b.x0));
            }
            None => self.parts.push(words),
        }
    }

    /// Returns its words by the columns that these places part.
    pub(super) fn parted(&self, columns: &[f32]) -> Vec<Vec<&Word>> {
        let mut parted = vec![Vec::new(); columns.len() + 1];
        for word in self.words() {
            let middle = (word.x0 + word.x1) / 2.0;
            parted[columns.partition_point(|gap| *gap < middle)].push(word);
        }
        parted
    }

    /// Returns of how many parts the row is, the marker of a list not counted.
    pub(super) fn parts(&self) -> usize {
        if self.leader {
            return 1;
        }
        let marked = self.parts[0].len() == 1 && super::flow::is_marker(&self.parts[0][0].text);
        self.parts.len() - usize::from(marked && self.parts.len() > 1)
    }

    pub(super) fn is_leader(&self) -> bool {
        self.leader
    }

    pub(super) fn top(&self) -> f32 {
        self.top
    }

    pub(super) fn bottom(&self) -> f32 {
        self.bottom
    }

    pub(super) fn x0(&self) -> f32 {
        self.words().map(|word| word.x0).fold(f32::MAX, f32::min)
    }

    pub(super) fn x1(&self) -> f32 {
        self.words().map(|word| word.x1).fold(f32::MIN, f32::max)
    }

    /// Returns the size that most of its characters have.
    pub(super) fn size(&self) -> f32 {
        let mut sizes: Vec<(f32, usize)> = Vec::new();
        for word in self.words() {
            match sizes.iter_mut().find(|(size, _)| (*size - word.size).abs() < 0.2) {
                Some((_, count)) => *count += word.text.len(),
                None => sizes.push((word.size, word.text.len())),
            }
        }
        sizes.into_iter().max_by_key(|(_, count)| *count).map_or(1.0, |(size, _)| size)
    }

    /// Returns the base line of the words of its size.
    pub(super) fn y(&self) -> f32 {
        let size = self.size();
        self.words().find(|word| (word.size - size).abs() < 0.2).map_or(self.bottom, |word| word.y)
    }

    fn line(&self, dots: &[(f32, f32)], left: f32, right: f32, column: usize) -> Line {
        let (x0, size, y) = (self.x0(), self.size(), self.y());
        let share = |of: fn(&Word) -> bool| {
            let (mut all, mut some) = (0, 0);
            for word in self.words() {
                all += word.text.len();
                some += if of(word) { word.text.len() } else { 0 };
            }
            some * 10 >= all * 9
        };
        let (strokes, count) =
            self.words().fold((0.0, 0), |(sum, count), word| (sum + word.strokes.0, count + word.strokes.1));
        let mut words = self.words();
        let first = words.next().map_or(0.0, |word| word.x1 - word.x0);
        Line {
            spans: spans(self.words()),
            x0,
            x1: self.x1(),
            y,
            size,
            bold: share(|word| word.bold),
            italic: share(|word| word.italic),
            stroke: if count > 0 { strokes / count as f32 } else { 0.0 },
            first,
            second: words.next().map(|word| word.x0),
            dot: dots.iter().any(|(x, middle)| {
                *x < x0 && *x > x0 - 2.2 * size && *middle < y + 0.1 * size && *middle > y - 0.75 * size
            }),
            leader: self.leader,
            pitch: self.pitch(size),
            varied: self.words().flat_map(|word| word.text.chars()).collect::<HashSet<char>>().len() > 3,
            run: 1,
            left,
            right,
            column,
        }
    }

    fn pitch(&self, size: f32) -> Option<f32> {
        let pitch = self.words().next()?.pitch?;
        let same = |word: &Word| word.pitch.is_some_and(|other| (other - pitch).abs() < 0.01);
        self.words().all(same).then_some(pitch * size)
    }
}

fn spans<'w>(words: impl Iterator<Item = &'w Word>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut push =
        |text: &str, link: &Option<Rc<str>>| match spans.last_mut().filter(|span| span.link == *link) {
            Some(span) => span.text.push_str(text),
            None => spans.push(Span { text: text.to_owned(), link: link.clone() }),
        };
    let mut before: Option<&Word> = None;
    for word in words {
        if let Some(before) = before {
            // A space inside of one link belongs to it.
            let within = before.link == word.link && before.linked == before.text.len();
            push(" ", if within { &word.link } else { &None });
        }
        let (linked, after) = word.text.split_at(if word.link.is_some() { word.linked } else { 0 });
        if !linked.is_empty() {
            push(linked, &word.link);
        }
        if !after.is_empty() {
            push(after, &None);
        }
        before = Some(word);
    }
    spans
}

/// Returns the words of a cell as Markdown of one line.
pub(super) fn cell(mut words: Vec<&Word>) -> String {
    words.sort_by(|a, b| a.y.total_cmp(&b.y));
    // Words of one line do not stand exactly on one base line.
    let mut lines: Vec<Vec<&Word>> = Vec::new();
    for word in words {
        match lines.last_mut().filter(|line| word.y - line[0].y < 0.5 * word.size) {
            Some(line) => line.push(word),
            None => lines.push(vec![word]),
        }
    }
    let mut inline = Inline::default();
    for line in &mut lines {
        line.sort_by(|a, b| a.x0.total_cmp(&b.x0));
        // Cells are narrow: a hyphen at the end of a line was most likely put there to break a word.
        let broken = inline.last_word().is_some_and(|word| {
            let stem = word.strip_suffix(['-', '\u{2010}']);
            stem.is_some_and(|stem| stem.ends_with(char::is_lowercase))
        }) && line[0].text.starts_with(char::is_lowercase);
        if broken {
            inline.drop_last();
        } else {
            inline.text(" ");
        }
        for span in spans(line.iter().copied()) {
            append(&mut inline, &span);
        }
    }
    inline.finish_cell()
}

/// Appends a span's text and link.
pub(super) fn append(inline: &mut Inline, span: &Span) {
    if let Some(link) = &span.link {
        inline.open_link(link);
    }
    inline.text(&span.text);
    if span.link.is_some() {
        inline.close_link();
    }
}

/// Puts the words and tables of a page into reading order.
pub(super) fn items(words: Vec<Word>, rules: &[Rule], dots: &[(f32, f32)], tables: Vec<Placed>) -> Vec<Item> {
    let mut places: Vec<Place> = parts(words);
    places.extend(tables.into_iter().map(|table| Place {
        x0: table.x0,
        x1: table.x1,
        top: table.top,
        bottom: table.bottom,
        piece: Piece::Table(table),
    }));
    let mut columns = Vec::new();
    arrange(places, MOST_COLUMNS, &mut columns);
    let mut out = Vec::new();
    for (number, column) in columns.into_iter().enumerate() {
        column_items(column, number, rules, dots, &mut out);
    }
    out
}

/// Joins words that stand beside each other.
fn parts(mut words: Vec<Word>) -> Vec<Place> {
    words.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut lines: Vec<Vec<Word>> = Vec::new();
    for word in words {
        match lines.last_mut().filter(|line| (word.y - line[0].y).abs() < 0.12 * word.size) {
            Some(line) => line.push(word),
            None => lines.push(vec![word]),
        }
    }
    let mut places = Vec::new();
    for mut line in lines {
        line.sort_by(|a, b| a.x0.total_cmp(&b.x0));
        let mut part: Vec<Word> = Vec::new();
        for word in line {
            if part.last().is_some_and(|last| word.x0 - last.x1 > PART_GAP * last.size.min(word.size)) {
                places.push(place(std::mem::take(&mut part)));
            }
            part.push(word);
        }
        places.push(place(part));
    }
    places
}

fn place(words: Vec<Word>) -> Place {
    let least = |value: fn(&Word) -> f32| words.iter().map(value).fold(f32::MAX, f32::min);
    let most = |value: fn(&Word) -> f32| words.iter().map(value).fold(f32::MIN, f32::max);
    Place {
        x0: least(|word| word.x0),
        x1: most(|word| word.x1),
        top: least(Word::top),
        bottom: most(Word::bottom),
        piece: Piece::Words(words),
    }
}

/// Parts a page into columns, each with what stands below each other; what reaches over all columns parts them.
fn arrange(places: Vec<Place>, depth: usize, out: &mut Vec<Vec<Place>>) {
    let Some(gutter) = (if depth > 0 { gutter(&places) } else { None }) else {
        if !places.is_empty() {
            out.push(places);
        }
        return;
    };
    let mut places: Vec<Place> = places.into_iter().flat_map(|place| part_at(place, gutter)).collect();
    places.sort_by(|a, b| a.top.total_cmp(&b.top));
    let (mut left, mut right, mut across) = (Vec::new(), Vec::new(), Vec::new());
    for place in places {
        if place.x1 <= gutter || place.x0 >= gutter {
            if !across.is_empty() {
                out.push(std::mem::take(&mut across));
            }
            if place.x1 <= gutter { &mut left } else { &mut right }.push(place);
        } else {
            arrange(std::mem::take(&mut left), depth - 1, out);
            arrange(std::mem::take(&mut right), depth - 1, out);
            across.push(place);
        }
    }
    if !across.is_empty() {
        out.push(across);
    }
    arrange(left, depth - 1, out);
    arrange(right, depth - 1, out);
}

/// Parts words over a gutter that are too far from each other there to be of one line: a hyphen may stand out from its
/// column.
fn part_at(one: Place, gutter: f32) -> Vec<Place> {
    let Piece::Words(words) = &one.piece else { return vec![one] };
    let at = words.partition_point(|word| (word.x0 + word.x1) / 2.0 < gutter);
    if at == 0 || at == words.len() || words[at].x0 - words[at - 1].x1 < 0.5 * words[at].size {
        return vec![one];
    }
    let (left, right) = words.split_at(at);
    vec![place(left.to_vec()), place(right.to_vec())]
}

/// Returns where two columns of running text part, if there are two.
fn gutter(places: &[Place]) -> Option<f32> {
    let x0 = places.iter().map(|place| place.x0).fold(f32::MAX, f32::min);
    let x1 = places.iter().map(|place| place.x1).fold(f32::MIN, f32::max);
    let width = x1 - x0;
    if places.len() < 8 || !(60.0..100_000.0).contains(&width) {
        return None;
    }
    // How many places lie over each point; a page number or two in the middle do not matter.
    let mut over = vec![0_i32; width as usize + 2];
    for place in places {
        over[(place.x0 - x0) as usize] += 1;
        over[((place.x1 - x0) as usize + 1).min(width as usize + 1)] -= 1;
    }
    let mut sum = 0;
    for count in &mut over {
        sum += *count;
        *count = sum;
    }
    let (from, to) = ((width * 0.2) as usize, (width * 0.8) as usize);
    let fewest = *over[from..=to].iter().min()?;
    let slack = (places.len() / 40).max(1) as i32;
    // The widest stretch that the fewest places cover.
    let mut best: Option<(usize, usize)> = None;
    let mut start = None;
    for at in from..=to + 1 {
        let is_free = at <= to && over.get(at).is_some_and(|count| *count <= fewest + slack);
        match (is_free, start) {
            (true, None) => start = Some(at),
            (false, Some(begun)) => {
                if best.is_none_or(|(from, to)| at - begun > to - from) {
                    best = Some((begun, at));
                }
                start = None;
            }
            _ => {}
        }
    }
    let (begin, end) = best?;
    if end - begin < 5 {
        return None;
    }
    let middle = x0 + (begin + end) as f32 / 2.0;
    let left: Vec<&Place> = places.iter().filter(|place| place.x1 <= middle).collect();
    let right: Vec<&Place> = places.iter().filter(|place| place.x0 >= middle).collect();
    let across = places.len() - left.len() - right.len();
    // Running text fills its column and has several words a line; the cells of a table do not.
    let is_text = |places: &[&Place], width: f32| {
        // A justified line may be in several parts.
        let lines =
            places.iter().map(|place| (place.bottom / 3.0).round() as i64).collect::<HashSet<_>>().len();
        let filled: f32 = places.iter().map(|place| place.x1 - place.x0).sum::<f32>() / lines as f32;
        let words: usize = places
            .iter()
            .map(|place| match &place.piece {
                Piece::Words(words) => words.len(),
                Piece::Table(_) => 4,
            })
            .sum();
        lines >= 4 && filled > 0.5 * width && words as f32 / lines as f32 > 3.5
    };
    let sound = is_text(&left, middle - x0) && is_text(&right, x1 - middle);
    (sound && across * 2 <= left.len() + right.len()).then_some(middle)
}

/// Makes the lines and tables of one column.
fn column_items(places: Vec<Place>, column: usize, rules: &[Rule], dots: &[(f32, f32)], out: &mut Vec<Item>) {
    let left = places.iter().map(|place| place.x0).fold(f32::MAX, f32::min);
    let right = places.iter().map(|place| place.x1).fold(f32::MIN, f32::max);
    let (mut rows, mut tables) = (Vec::new(), Vec::new());
    for place in places {
        match place.piece {
            Piece::Words(words) => rows.push((words, place.top, place.bottom)),
            Piece::Table(table) => tables.push(table),
        }
    }
    let mut rows = self::rows(rows);
    mark_numbers(&mut rows);
    tables.sort_by(|a, b| a.top.total_cmp(&b.top));
    let mut tables = tables.into_iter().peekable();
    let mut at = 0;
    while at < rows.len() {
        while tables.peek().is_some_and(|table| table.top < rows[at].top) {
            out.extend(tables.next().map(|table| Item::Table(table.rows)));
        }
        if let Some((count, cells)) = table::aligned(&rows[at..], rules) {
            out.push(Item::Table(cells));
            at += count;
        } else {
            out.push(Item::Line(rows[at].line(dots, left, right, column)));
            at += 1;
        }
    }
    out.extend(tables.map(|table| Item::Table(table.rows)));
}

/// Gives bare numbers that count lines from 1 on the full stop of a list's marker.
fn mark_numbers(rows: &mut [Row]) {
    let counts = |row: &Row, number: usize| {
        row.parts.len() == 2 && row.parts[0].len() == 1 && row.parts[0][0].text == number.to_string()
    };
    let mut begin = 0;
    while begin < rows.len() {
        let mut members = Vec::new();
        if counts(&rows[begin], 1) {
            let edge = rows[begin].parts[1][0].x0;
            for (at, row) in rows.iter().enumerate().skip(begin) {
                if counts(row, members.len() + 1) && (row.parts[1][0].x0 - edge).abs() < 2.0 {
                    members.push(at);
                } else if row.x0() < edge - 2.0 {
                    break;
                }
            }
        }
        if members.len() > 1 {
            members.iter().for_each(|at| rows[*at].parts[0][0].text.push('.'));
        }
        begin = members.last().map_or(begin, |last| *last) + 1;
    }
}

/// Puts parts at one height together, raised and lowered ones too.
fn rows(mut parts: Vec<(Vec<Word>, f32, f32)>) -> Vec<Row> {
    parts.sort_by(|a, b| (a.1 + a.2).total_cmp(&(b.1 + b.2)));
    let mut rows: Vec<Row> = Vec::new();
    for (words, top, bottom) in parts {
        let shared = rows.last().map_or(0.0, |row| row.bottom.min(bottom) - row.top.max(top));
        let least = rows.last().map_or(1.0, |row| (row.bottom - row.top).min(bottom - top));
        match rows.last_mut().filter(|_| shared > 0.5 * least) {
            Some(row) => {
                row.take(words);
                row.top = row.top.min(top);
                row.bottom = row.bottom.max(bottom);
            }
            None => rows.push(Row { parts: vec![words], top, bottom, leader: false }),
        }
    }
    for row in &mut rows {
        row.parts.sort_by(|a, b| a[0].x0.total_cmp(&b[0].x0));
        row.drop_leader();
    }
    rows
}
