//! Running heads, feet and page numbers: what pages repeat is no text.

use std::collections::HashMap;

use super::order::Line;
use super::{Item, Sheet};

/// Lines this near to the upper or lower edge, as a share of the page's height, may be furniture.
const HEAD: f32 = 0.12;
const FOOT: f32 = 0.86;
/// A line that stands on this share of the pages, and on two at least, is repeated. Left and right pages may differ.
const REPEATED: f64 = 0.3;

/// Removes what is repeated.
pub(super) fn remove(sheets: &mut [Sheet]) {
    let mut seen: HashMap<(String, bool), usize> = HashMap::new();
    for sheet in sheets.iter() {
        for item in &sheet.items {
            if let Some(key) = edge(item, sheet) {
                *seen.entry(key).or_default() += 1;
            }
        }
    }
    let least = ((sheets.len() as f64 * REPEATED).ceil() as usize).max(2);
    for sheet in sheets {
        let is_furniture = |item: &Item| {
            edge(item, sheet).is_some_and(|key| {
                seen.get(&key).is_some_and(|count| *count >= least) || is_page_number(&key.0)
            })
        };
        let drop: Vec<bool> = sheet.items.iter().map(is_furniture).collect();
        let mut drop = drop.into_iter();
        sheet.items.retain(|_| !drop.next().unwrap_or(false));
    }
}

/// Returns what a line near an edge says, its numbers apart, and whether that is the upper one.
fn edge(item: &Item, sheet: &Sheet) -> Option<(String, bool)> {
    let Item::Line(line) = item else { return None };
    let (head, foot) = (line.y < HEAD * sheet.height, line.y > FOOT * sheet.height);
    (sheet.width > 0.0 && (head || foot)).then(|| (unnumbered(line), head))
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
