//! What the tests of several files use: the recorded material, and words.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::PathBuf;

use pulldown_cmark::{Event, Options, Parser, TagEnd};
use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/goldens")
}

/// Returns the recorded conversions, if they are there.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn golden() -> Option<Value> {
    let path = folder().join("wiki.json");
    if !path.exists() {
        eprintln!("skipped: no recorded conversions beside the workspace");
        return None;
    }
    let text = std::fs::read_to_string(path).expect("the recorded conversions can be read");
    Some(serde_json::from_str(&text).expect("the recorded conversions are JSON"))
}

/// Returns the wikitext of a recorded page.
pub(crate) fn input(name: &str) -> String {
    std::fs::read_to_string(folder().join("inputs/wikitext").join(name)).expect("a recorded page can be read")
}

/// Returns the words of a text in Markdown: letters, digits and underscores, without markup and addresses.
pub(crate) fn words(markdown: &str) -> Vec<String> {
    let mut text = String::new();
    let mut rest = markdown;
    // Addresses of links.
    while let Some(at) = rest.find("](") {
        text.push_str(&rest[..=at]);
        let end = rest[at..].find([')', ' ', '\n']).map_or(rest.len(), |end| at + end);
        rest = &rest[if rest[end..].starts_with(')') { end + 1 } else { at + 2 }..];
    }
    text.push_str(rest);
    // The original kept entities.
    for (entity, shown) in [
        ("&nbsp;", " "),
        ("&ndash;", "–"),
        ("&mdash;", "—"),
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#91;", "["),
        ("&#93;", "]"),
    ] {
        text = text.replace(entity, shown);
    }
    let text = text.replace("<br>", " ").replace(['*', '\\'], "").replace("''", "");
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut notes = text.split("[^");
    let mut words: Vec<String> = Vec::new();
    let first = notes.next().unwrap_or_default().to_owned();
    // A note's number is no word.
    let pieces = std::iter::once(first).chain(
        notes.map(|piece| piece.trim_start_matches(|letter: char| letter.is_ascii_digit()).to_owned()),
    );
    let text = pieces.collect::<Vec<_>>().join("\u{1}");
    let text = text.replace("\u{1}]", "");
    words.extend(text.split(|letter| !is_word(letter)).filter(|word| !word.is_empty()).map(str::to_owned));
    words
}

/// Returns what a reader sees of Markdown: its text, with a space at every break and every end of a block.
pub(crate) fn seen(markdown: &str) -> String {
    let mut text = String::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES) {
        match event {
            Event::Text(shown) | Event::Code(shown) => text.push_str(&shown),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::TableCell
                | TagEnd::CodeBlock
                | TagEnd::TableRow,
            ) => text.push('\n'),
            _ => {}
        }
    }
    text
}
