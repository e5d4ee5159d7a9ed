//! Tables: those with drawn cells, and those whose cells only stand under each other.

use super::draw::Rule;
use super::order::{self, Row};
use super::word::Word;

/// Rules whose places differ by less than this many points are one.
const SNAP: f32 = 3.5;
/// Rules that miss each other by less than this meet.
const TOUCH: f32 = 4.0;
/// Grids beyond this are drawings.
const MOST_CELLS: usize = 20_000;
/// Components of rules looked at on one page.
const MOST_RULES: usize = 4_000;

/// The lines of one cell stand closer than this share of the widest step from row to row.
const CLOSER: f32 = 0.95;

/// A table with its place on the page.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) rows: Vec<Vec<String>>,
    pub(super) x0: f32,
    pub(super) x1: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
}

/// Takes the words that stand in drawn cells, and returns the tables and the other words.
pub(super) fn ruled(words: Vec<Word>, rules: &[Rule]) -> (Vec<Placed>, Vec<Word>) {
    let mut tables = Vec::new();
    let mut rest = words;
    for grid in grids(rules) {
        let (inside, outside): (Vec<Word>, Vec<Word>) = rest.into_iter().partition(|word| grid.holds(word));
        match grid.fill(&inside) {
            Some(table) => {
                tables.push(table);
                rest = outside;
            }
            None => {
                rest = outside;
                rest.extend(inside);
            }
        }
    }
    (tables, rest)
}

/// Rules that make cells.
struct Grid<'r> {
    xs: Vec<f32>,
    ys: Vec<f32>,
    plumb: Vec<&'r Rule>,
}

fn grids(rules: &[Rule]) -> Vec<Grid<'_>> {
    let rules = &rules[..rules.len().min(MOST_RULES)];
    let mut group: Vec<usize> = (0..rules.len()).collect();
    fn root(group: &mut [usize], mut one: usize) -> usize {
        while group[one] != one {
            group[one] = group[group[one]];
            one = group[one];
        }
        one
    }
    for (a, first) in rules.iter().enumerate() {
        for (b, second) in rules.iter().enumerate().skip(a + 1) {
            let meets = first.x0 - TOUCH <= second.x1
                && second.x0 - TOUCH <= first.x1
                && first.y0 - TOUCH <= second.y1
                && second.y0 - TOUCH <= first.y1;
            if meets {
                let (from, to) = (root(&mut group, a), root(&mut group, b));
                group[from] = to;
            }
        }
    }
    let mut members: std::collections::BTreeMap<usize, Vec<&Rule>> = std::collections::BTreeMap::new();
    for (number, rule) in rules.iter().enumerate() {
        let root = root(&mut group, number);
        members.entry(root).or_default().push(rule);
    }
    members
        .into_values()
        .filter_map(|members| {
            let (level, plumb): (Vec<&Rule>, Vec<&Rule>) =
                members.into_iter().partition(|rule| rule.is_level());
            let xs = snapped(plumb.iter().map(|rule| (rule.x0 + rule.x1) / 2.0));
            let ys = snapped(level.iter().map(|rule| (rule.y0 + rule.y1) / 2.0));
            let cells = xs.len().saturating_sub(1) * ys.len().saturating_sub(1);
            (xs.len() > 2 && ys.len() > 2 && cells <= MOST_CELLS).then_some(Grid { xs, ys, plumb })
        })
        .collect()
}

fn snapped(places: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut places: Vec<f32> = places.collect();
    places.sort_by(f32::total_cmp);
    places.dedup_by(|next, kept| *next - *kept < SNAP);
    places
}

impl Grid<'_> {
    fn holds(&self, word: &Word) -> bool {
        let (x, y) = ((word.x0 + word.x1) / 2.0, word.y - 0.3 * word.size);
        self.xs[0] <= x
            && x <= self.xs[self.xs.len() - 1]
            && self.ys[0] <= y
            && y <= self.ys[self.ys.len() - 1]
    }

    fn fill(&self, words: &[Word]) -> Option<Placed> {
        let (width, height) = (self.xs.len() - 1, self.ys.len() - 1);
        let mut cells: Vec<Vec<&Word>> = vec![Vec::new(); width * height];
        for word in words {
            let (x, y) = ((word.x0 + word.x1) / 2.0, word.y - 0.3 * word.size);
            let mut column = self.xs.partition_point(|place| *place <= x).clamp(1, width) - 1;
            let row = self.ys.partition_point(|place| *place <= y).clamp(1, height) - 1;
            // Where no rule parts two cells, the left one reaches over.
            let middle = (self.ys[row] + self.ys[row + 1]) / 2.0;
            while column > 0 && !self.is_parted(self.xs[column], middle) {
                column -= 1;
            }
            cells[row * width + column].push(word);
        }
        let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
        if filled * 3 < cells.len() || filled < 3 {
            return None;
        }
        let rows: Vec<Vec<String>> = cells
            .chunks(width)
            .filter(|row| row.iter().any(|cell| !cell.is_empty()))
            .map(|row| row.iter().map(|cell| order::cell(cell.clone())).collect())
            .collect();
        (rows.len() > 1).then(|| Placed {
            rows,
            x0: self.xs[0],
            x1: self.xs[width],
            top: self.ys[0],
            bottom: self.ys[height],
        })
    }

    fn is_parted(&self, x: f32, y: f32) -> bool {
        self.plumb.iter().any(|rule| {
            ((rule.x0 + rule.x1) / 2.0 - x).abs() <= SNAP && rule.y0 - TOUCH <= y && y <= rule.y1 + TOUCH
        })
    }
}

/// Returns how many rows from the first on are a table whose cells stand under each other, and its cells.
///
/// A table has at least three rows, or two with a rule between them, and columns that no word of any row crosses.
pub(super) fn aligned(rows: &[Row], rules: &[Rule]) -> Option<(usize, Vec<Vec<String>>)> {
    let first = rows.first()?;
    if first.parts() < 2 {
        return None;
    }
    let mut end = 1;
    let mut gaps = Gaps::of(first);
    while let Some(row) = rows.get(end) {
        let above = &rows[end - 1];
        // A table is set in one size, and its rows follow on each other.
        let like = (row.size() - first.size()).abs() < 0.1 * first.size();
        let near = like && !row.is_leader() && row.top() - above.bottom() < 1.6 * row.size();
        let with = gaps.with(row);
        let wide = |gaps: &Gaps| gaps.wide(0.45 * row.size()).len();
        // A row of one part goes on with a cell of the row above, and leaves the columns as they are.
        let goes_on = row.parts() >= 2 || row.x1() - row.x0() < 0.6 * (gaps.x1 - gaps.x0);
        if !near || !goes_on || wide(&with) == 0 || (row.parts() < 2 && wide(&with) < wide(&gaps)) {
            break;
        }
        gaps = with;
        end += 1;
    }
    // What goes on at the end may be the text after the table; a cell's own line stands closer, in one column.
    let step = |at: usize| rows[at].y() - rows[at - 1].y();
    while end > 1 && rows[end - 1].parts() < 2 {
        let row = &rows[end - 1];
        let widest = (1..end - 1).map(step).fold(0.0, f32::max);
        let columns = gaps.wide(0.45 * row.size());
        let column = |x: f32| columns.partition_point(|gap| *gap < x);
        if step(end - 1) < CLOSER * widest && column(row.x0()) == column(row.x1()) {
            break;
        }
        end -= 1;
    }
    let rows = &rows[..end];
    let full = rows.iter().filter(|row| row.parts() >= 2).count();
    let under = |row: &Row| {
        let (bottom, reach) = (row.bottom(), row.size());
        rules.iter().any(|rule| {
            rule.is_level()
                && rule.x1 - rule.x0 > 0.5 * (gaps.x1 - gaps.x0)
                && rule.y0 > bottom - reach * 0.4
                && rule.y0 < bottom + reach
        })
    };
    if full < 2 || (full < 3 && !under(&rows[0])) {
        return None;
    }
    let least = if full >= 4 { 0.45 } else { 0.7 };
    let columns = gaps.wide(least * rows[0].size());
    if columns.is_empty() {
        return None;
    }
    Some((end, cells(rows, &columns, &under)))
}

fn cells(rows: &[Row], columns: &[f32], has_rule: &impl Fn(&Row) -> bool) -> Vec<Vec<String>> {
    let parted: Vec<Vec<Vec<&Word>>> = rows.iter().map(|row| row.parted(columns)).collect();
    let filled = |row: usize| parted[row].iter().filter(|cell| !cell.is_empty()).count();
    let is_full = |row: usize| row == 0 || filled(row) * 2 > columns.len() + 1;
    let step = |row: usize| rows[row].y() - rows[row - 1].y();
    let widest = (1..rows.len()).map(step).fold(0.0, f32::max);
    // Where cells stand at the middle of their row, the first line of a long one stands before the row's own, less
    // than a line above it.
    let is_centered =
        (1..rows.len()).any(|row| is_full(row) && !is_full(row - 1) && step(row) < 0.8 * rows[row].size());
    // The row that each line belongs to.
    let mut owner: Vec<usize> = (0..rows.len()).collect();
    for row in (1..rows.len()).filter(|row| !is_full(*row)) {
        let above = (0..row).rev().find(|other| is_full(*other));
        let below = (row + 1..rows.len()).find(|other| is_full(*other));
        let from =
            |other: Option<usize>| other.map_or(f32::MAX, |other| (rows[other].y() - rows[row].y()).abs());
        if is_centered && from(below) < from(above) {
            owner[row] = below.unwrap_or(row);
        } else if (is_centered || step(row) < CLOSER * widest) && !has_rule(&rows[row - 1]) {
            owner[row] = if is_centered { above.unwrap_or(row) } else { owner[row - 1] };
        }
    }
    let mut out: Vec<Vec<Vec<&Word>>> = parted.iter().map(|row| vec![Vec::new(); row.len()]).collect();
    for (row, cells) in parted.iter().enumerate() {
        for (cell, more) in out[owner[row]].iter_mut().zip(cells) {
            cell.extend(more);
        }
    }
    let mut rows: Vec<Vec<String>> = out
        .into_iter()
        .enumerate()
        .filter(|(row, _)| owner[*row] == *row)
        .map(|(_, row)| row.into_iter().map(order::cell).collect())
        .collect();
    close_up(&mut rows);
    rows
}

/// Joins a column that only its head fills with one beside it that only lacks a head: the head stands centered over
/// narrow cells.
fn close_up(rows: &mut [Vec<String>]) {
    let mut column = 0;
    while rows[0].len() > 2 && column + 1 < rows[0].len() {
        let only_head =
            |column: usize| !rows[0][column].is_empty() && rows[1..].iter().all(|row| row[column].is_empty());
        let no_head = |column: usize| rows[0][column].is_empty();
        if (only_head(column) && no_head(column + 1)) || (no_head(column) && only_head(column + 1)) {
            for row in rows.iter_mut() {
                let cell = row.remove(column + 1);
                if row[column].is_empty() {
                    row[column] = cell;
                }
            }
        } else {
            column += 1;
        }
    }
}

/// The stretches of a line that words cover.
#[derive(Debug, Clone)]
struct Gaps {
    covered: Vec<(f32, f32)>,
    x0: f32,
    x1: f32,
}

impl Gaps {
    fn of(row: &Row) -> Self {
        Self { covered: Vec::new(), x0: f32::MAX, x1: f32::MIN }.with(row)
    }

    fn with(&self, row: &Row) -> Self {
        let mut all = self.covered.clone();
        all.extend(row.words().map(|word| (word.x0, word.x1)));
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut covered: Vec<(f32, f32)> = Vec::with_capacity(all.len());
        for (x0, x1) in all {
            match covered.last_mut().filter(|last| x0 <= last.1) {
                Some(last) => last.1 = last.1.max(x1),
                None => covered.push((x0, x1)),
            }
        }
        Self { covered, x0: self.x0.min(row.x0()), x1: self.x1.max(row.x1()) }
    }

    /// Returns the middles of the gaps of at least this width.
    fn wide(&self, least: f32) -> Vec<f32> {
        self.covered
            .windows(2)
            .filter(|pair| pair[1].0 - pair[0].1 >= least)
            .map(|pair| (pair[0].1 + pair[1].0) / 2.0)
            .collect()
    }
}
