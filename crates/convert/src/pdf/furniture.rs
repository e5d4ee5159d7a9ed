//! Running heads, feet and page numbers: what pages repeat is no text.

use std::collections::HashMap;

use super::order::Line;
use super::{Item, Sheet};

/// Lines this near to the upper or lower edge, as a share of the page's height, may be furniture.
const HEAD: f32 = 0.12;
const FOOT: f32 = 0.86;
/// A line that stands on this share of the pages, and on two at least, is repeated. Left and right pages may differ.
const REPEATED: f64 = 0.3;
/// Pages of one chapter whose heads agree lie this near to each other.
const NEAR: usize = 2;

/// A line near an edge.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct Edge {
    /// Its text, each number as `#`.
    text: String,
    is_head: bool,
    /// Its height on the page, in steps that rounding does not matter to.
    height: i32,
}

/// Removes what is repeated.
pub(super) fn remove(sheets: &mut [Sheet]) {
    let mut pages_of: HashMap<(String, bool), Vec<usize>> = HashMap::new();
    let mut near_pages: HashMap<Edge, Vec<usize>> = HashMap::new();
    let mut offsets: HashMap<(bool, i64), usize> = HashMap::new();
    for (page, sheet) in sheets.iter().enumerate() {
        for (line, edge) in sheet.items.iter().filter_map(|item| edge(item, sheet)) {
            for number in outer_numbers(line) {
                *offsets.entry((edge.is_head, number - page as i64)).or_default() += 1;
            }
            let once = |pages: &mut Vec<usize>| {
                if pages.last() != Some(&page) {
                    pages.push(page);
                }
            };
            once(pages_of.entry((edge.text.clone(), edge.is_head)).or_default());
            once(near_pages.entry(edge).or_default());
        }
    }
    let least = ((sheets.len() as f64 * REPEATED).ceil() as usize).max(2);
    let mut drops: Vec<Vec<bool>> = Vec::with_capacity(sheets.len());
    for (page, sheet) in sheets.iter().enumerate() {
        let usual = usual_size(sheet);
        let is_furniture = |item: &Item| {
            let Some((line, edge)) = edge(item, sheet) else { return false };
            let numbered = outer_numbers(line).any(|number| {
                offsets.get(&(edge.is_head, number - page as i64)).is_some_and(|count| *count >= least.max(3))
            });
            let repeated =
                pages_of.get(&(edge.text.clone(), edge.is_head)).is_some_and(|on| on.len() >= least);
            // The title of a slide may come again on the next; a running head is not larger than the text.
            let near = line.size < 1.15 * usual
                && near_pages
                    .get(&edge)
                    .is_some_and(|on| on.iter().any(|other| *other != page && other.abs_diff(page) <= NEAR));
            numbered || repeated || near || is_page_number(&edge.text)
        };
        drops.push(sheet.items.iter().map(is_furniture).collect());
    }
    // Pages that hold nothing else hold text there.
    let emptied = drops.iter().filter(|drop| !drop.is_empty() && drop.iter().all(|one| *one)).count();
    if emptied * 2 > sheets.len() {
        return;
    }
    for (sheet, drop) in sheets.iter_mut().zip(drops) {
        let mut drop = drop.into_iter();
        sheet.items.retain(|_| !drop.next().unwrap_or(false));
    }
}

/// Returns the size of the middle one of a page's lines.
fn usual_size(sheet: &Sheet) -> f32 {
    let mut sizes: Vec<f32> = sheet
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Line(line) => Some(line.size),
            Item::Table(_) => None,
        })
        .collect();
    sizes.sort_by(f32::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
}

fn edge<'s>(item: &'s Item, sheet: &Sheet) -> Option<(&'s Line, Edge)> {
    let Item::Line(line) = item else { return None };
    let (is_head, is_foot) = (line.y < HEAD * sheet.height, line.y > FOOT * sheet.height);
    (is_head || is_foot).then(|| {
        let edge = Edge { text: unnumbered(line), is_head, height: (line.y / 3.0).round() as i32 };
        (line, edge)
    })
}

/// Returns the numbers that a line begins or ends with.
fn outer_numbers(line: &Line) -> impl Iterator<Item = i64> {
    let text = line.text();
    let number = |word: Option<&str>| {
        word.map(|word| word.trim_matches(|one: char| !one.is_ascii_digit()))
            .and_then(|word| word.parse().ok())
    };
    let mut words = text.split(' ');
    let (first, last): (Option<i64>, Option<i64>) = (number(words.next()), number(words.next_back()));
    first.into_iter().chain(last)
}

fn unnumbered(line: &Line) -> String {
    let mut out = String::new();
    for character in line.text().chars() {
        if !character.is_ascii_digit() {
            out.extend(character.to_lowercase());
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

/// Tells whether a line, its numbers replaced by `#`, is nothing but the page's number.
fn is_page_number(line: &str) -> bool {
    let bare: String = line.chars().filter(|one| !" -\u{2013}\u{2014}|·.[]()/".contains(*one)).collect();
    let roman = !bare.is_empty() && bare.len() <= 6 && bare.chars().all(|one| "ivxl".contains(one));
    matches!(bare.as_str(), "#" | "##" | "page#" | "page#of#" | "#of#" | "p#" | "seite#" | "seite#von#")
        || roman
}
