//! What a document calls its pages: `iv`, `12`, `A-3`.

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};

/// How deep a tree of labels may be, and how many ranges it may have; no book comes near.
const MOST_DEPTH: usize = 16;
const MOST_RANGES: usize = 10_000;

/// How the pages from one on are labelled.
struct Range {
    first: usize,
    style: Option<u8>,
    prefix: String,
    start: usize,
}

/// Returns the label of each page; without any it is its number.
pub(super) fn labels(pdf: &Pdf, pages: usize) -> Vec<String> {
    let (mut ranges, mut left) = (Vec::new(), MOST_RANGES);
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    if let Some(tree) = catalog.and_then(|catalog| catalog.get::<Dict<'_>>("PageLabels")) {
        collect(&tree, MOST_DEPTH, &mut left, &mut ranges);
    }
    ranges.sort_by_key(|range| range.first);
    (0..pages)
        .map(|page| {
            let after = ranges.partition_point(|range| range.first <= page);
            let Some(range) = after.checked_sub(1).map(|at| &ranges[at]) else {
                return (page + 1).to_string();
            };
            let number = range.start.saturating_add(page - range.first);
            let label = range.prefix.clone() + &write(range.style, number);
            if label.is_empty() { (page + 1).to_string() } else { label }
        })
        .collect()
}

/// Gathers the ranges below a node; `left` counts down the nodes, of which a tree that holds itself has no end.
fn collect(tree: &Dict<'_>, depth: usize, left: &mut usize, ranges: &mut Vec<Range>) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    if let Some(numbers) = tree.get::<Array<'_>>("Nums") {
        let entries: Vec<Object<'_>> = numbers.iter::<Object<'_>>().take(2 * MOST_RANGES).collect();
        for pair in entries.chunks_exact(2) {
            let (Object::Number(first), Object::Dict(range)) = (&pair[0], &pair[1]) else { continue };
            let Ok(first) = usize::try_from(first.as_i64()) else { continue };
            if ranges.len() >= MOST_RANGES {
                return;
            }
            ranges.push(Range {
                first,
                style: range.get::<Name<'_>>("S").and_then(|style| style.first().copied()),
                prefix: range
                    .get::<PdfString<'_>>("P")
                    .map(|prefix| super::text(prefix.as_bytes()))
                    .unwrap_or_default(),
                start: range.get::<u32>("St").map_or(1, |start| start as usize),
            });
        }
    }
    if let Some(kids) = tree.get::<Array<'_>>("Kids").filter(|_| depth > 0) {
        for kid in kids.iter::<Dict<'_>>().take(MOST_RANGES) {
            if ranges.len() >= MOST_RANGES || *left == 0 {
                return;
            }
            collect(&kid, depth - 1, left, ranges);
        }
    }
}

fn write(style: Option<u8>, number: usize) -> String {
    match style {
        Some(b'D') => number.to_string(),
        Some(b'r') => roman(number),
        Some(b'R') => roman(number).to_uppercase(),
        Some(b'a') => letters(number),
        Some(b'A') => letters(number).to_uppercase(),
        _ => String::new(),
    }
}

/// Writes a number in Roman figures; beyond their reach in ours.
fn roman(mut number: usize) -> String {
    const FIGURES: [(usize, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if !(1..4000).contains(&number) {
        return number.to_string();
    }
    let mut out = String::new();
    for (value, figure) in FIGURES {
        while number >= value {
            out.push_str(figure);
            number -= value;
        }
    }
    out
}

/// Writes a number as letters: `a` to `z`, then `aa` to `zz`.
fn letters(number: usize) -> String {
    let Some(before) = number.checked_sub(1).filter(|before| *before < 26 * 50) else {
        return number.to_string();
    };
    let letter = char::from(b'a' + (before % 26) as u8);
    std::iter::repeat_n(letter, before / 26 + 1).collect()
}
