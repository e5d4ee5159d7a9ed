//! Measures what is made of PDFs by several producers, whose texts are known.
//!
//! The PDFs of `made` were made from `texts` by `cargo xtask regen-pdf`. The passes were tuned on one half of them;
//! the other half is held out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mge_convert::{Format, Limits, convert};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The files on which nothing was tuned.
const HELD_OUT: &[&str] = &[
    "tables2-chromium-open",
    "paper2-chromium-columns",
    "guide2-weasyprint-plain",
    "tables2-libreoffice-plain",
    "letters2-libreoffice-plain",
    "guide2-pdflatex-plain",
    "notes2-pdflatex-times",
    "paper2-typst-columns",
    "lists2-groff-plain",
    "paper2-reportlab-columns",
    "report2-fpdf2-running",
];

/// What a reader of Markdown sees.
#[derive(Default)]
struct Seen {
    words: Vec<String>,
    headings: Vec<(HeadingLevel, String)>,
    tables: Vec<Vec<Vec<String>>>,
    items: usize,
    links: Vec<String>,
}

fn see(markdown: &str) -> Seen {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut seen = Seen::default();
    let (mut text, mut part) = (String::new(), String::new());
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(words) | Event::Code(words) => {
                text.push_str(&words);
                part.push_str(&words);
            }
            Event::SoftBreak | Event::HardBreak => {
                text.push(' ');
                part.push(' ');
            }
            Event::Start(Tag::Heading { .. } | Tag::TableCell) => part.clear(),
            Event::Start(Tag::Item) => {
                seen.items += 1;
                text.push(' ');
            }
            Event::Start(Tag::Link { dest_url, .. }) => seen.links.push(dest_url.into_string()),
            Event::Start(Tag::Table(_)) => seen.tables.push(Vec::new()),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                if let Some(table) = seen.tables.last_mut() {
                    table.push(Vec::new());
                }
            }
            Event::End(TagEnd::TableCell) => {
                if let Some(row) = seen.tables.last_mut().and_then(|table| table.last_mut()) {
                    row.push(part.trim().to_owned());
                }
                text.push(' ');
            }
            Event::End(TagEnd::Heading(level)) => {
                seen.headings.push((level, part.trim().to_owned()));
                text.push(' ');
            }
            Event::End(end) if !matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link) => text.push(' '),
            _ => {}
        }
    }
    seen.words = text.split_whitespace().map(str::to_owned).collect();
    seen
}

/// Returns the length of the longest common subsequence.
fn common<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    let mut before = vec![0; other.len() + 1];
    for left in one {
        let mut row = vec![0; other.len() + 1];
        for (index, right) in other.iter().enumerate() {
            row[index + 1] = if left == right { before[index] + 1 } else { row[index].max(before[index + 1]) };
        }
        before = row;
    }
    before.last().copied().unwrap_or(0)
}

/// How many of how many.
#[derive(Debug, Clone, Copy, Default)]
struct Share(usize, usize);

impl Share {
    fn add(&mut self, other: Self) {
        self.0 += other.0;
        self.1 += other.1;
    }

    fn percent(self) -> f64 {
        if self.1 == 0 { 100.0 } else { 100.0 * self.0 as f64 / self.1 as f64 }
    }
}

/// Words, headings, cells, items and links that are right.
#[derive(Debug, Clone, Copy, Default)]
struct Score([Share; 5]);

impl Score {
    fn of(expected: &Seen, got: &Seen) -> Self {
        let list = |right, one: usize, other: usize| Share(right, one.max(other));
        let count = |seen: &Seen| seen.tables.iter().flatten().map(Vec::len).sum::<usize>();
        let mut cells = 0;
        for (one, other) in expected.tables.iter().zip(&got.tables) {
            for (one, other) in one.iter().zip(other) {
                cells += one.iter().zip(other).filter(|(one, other)| one == other).count();
            }
        }
        Self([
            list(common(&expected.words, &got.words), expected.words.len(), got.words.len()),
            list(common(&expected.headings, &got.headings), expected.headings.len(), got.headings.len()),
            list(cells, count(expected), count(got)),
            list(expected.items.min(got.items), expected.items, got.items),
            list(common(&expected.links, &got.links), expected.links.len(), got.links.len()),
        ])
    }

    fn add(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            own.add(other);
        }
    }

    fn line(&self) -> String {
        let [words, headings, cells, items, links] = self.0.map(Share::percent);
        format!("{words:6.1} {headings:6.1} {cells:6.1} {items:6.1} {links:6.1}")
    }
}

#[test]
fn known_texts_come_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pdf");
    let mut names: Vec<String> = fs::read_dir(folder.join("made"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".pdf").map(str::to_owned))
        .collect();
    names.sort();
    assert!(names.len() >= 20 && HELD_OUT.iter().all(|name| names.iter().any(|other| other == name)));
    let mut by_producer: BTreeMap<String, Score> = BTreeMap::new();
    let (mut tuned, mut held_out) = (Score::default(), Score::default());
    println!("{:34} {:>6} {:>6} {:>6} {:>6} {:>6}", "percent", "words", "heads", "cells", "items", "links");
    for name in &names {
        let mut parts = name.split('-');
        let (text, producer) = (parts.next().unwrap(), parts.next().unwrap());
        let expected = see(&fs::read_to_string(folder.join("texts").join(format!("{text}.md"))).unwrap());
        let bytes = fs::read(folder.join("made").join(format!("{name}.pdf"))).unwrap();
        assert!(bytes.len() < 100_000, "{name} is large");
        let converted = convert(&bytes, Format::Pdf, &Limits::default()).unwrap();
        let score = Score::of(&expected, &see(&converted.markdown));
        let is_held_out = HELD_OUT.contains(&name.as_str());
        println!("{name:32} {} {}", if is_held_out { "h" } else { " " }, score.line());
        by_producer.entry(producer.to_owned()).or_default().add(score);
        if is_held_out { held_out.add(score) } else { tuned.add(score) }
    }
    for (producer, score) in &by_producer {
        println!("by {producer:31} {}", score.line());
    }
    println!("{:34} {}", "tuned on", tuned.line());
    println!("{:34} {}", "held out", held_out.line());
    let mut all = tuned;
    all.add(held_out);
    println!("{:34} {}", "all", all.line());
    let [words, headings, cells, ..] = all.0.map(Share::percent);
    assert!(words >= 99.0, "words in order: {words:.1} %");
    assert!(headings >= 90.0, "headings of the right level: {headings:.1} %");
    assert!(cells >= 80.0, "cells of tables: {cells:.1} %");
}
