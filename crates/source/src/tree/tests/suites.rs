//! The example suites of CommonMark and of GitHub's extensions: every character that a reader of the expected page sees
//! is in a block of the tree.
//!
//! The examples are those that the package of the Markdown parser carries with its own tests; they are read from there
//! and not copied here.

use std::path::{Path, PathBuf};

use crate::tree::parse_with_text;

/// Each suite of the package and how many examples it has.
const SUITES: [(&str, usize); 4] =
    [("spec.rs", 652), ("gfm_table.rs", 9), ("gfm_strikethrough.rs", 3), ("gfm_tasklist.rs", 2)];

struct Example {
    name: String,
    markdown: String,
    html: String,
}

/// Finds where the package manager keeps the source of the parser's package, with its tests.
fn suites() -> Option<PathBuf> {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).ok()?;
    let version = lock.split_once("name = \"pulldown-cmark\"\nversion = \"")?.1.split_once('"')?.0;
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?;
    registries
        .filter_map(|registry| Some(registry.ok()?.path()))
        .map(|registry| registry.join(format!("pulldown-cmark-{version}/tests/suite")))
        .find(|folder| folder.is_dir())
}

/// Reads the examples of a suite: a function each, with the text and the page as raw strings.
fn examples(source: &str) -> Vec<Example> {
    let raw = |part: &str, key: &str| {
        let start = part.split_once(&format!("let {key} = r##\""))?.1;
        Some(start.split_once("\"##;")?.0.to_owned())
    };
    source
        .split("#[test]")
        .skip(1)
        .filter_map(|part| {
            let name = part.split_once("fn ")?.1.split_once('(')?.0.to_owned();
            Some(Example { name, markdown: raw(part, "original")?, html: raw(part, "expected")? })
        })
        .collect()
}

fn bare(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
#[test]
fn every_visible_character_of_the_suites_is_in_the_tree() {
    let Some(folder) = suites() else {
        println!("skipped: the package of the Markdown parser is not where its source is kept");
        return;
    };
    let mut lost = Vec::new();
    for (suite, count) in SUITES {
        let source = std::fs::read_to_string(folder.join(suite)).expect("the suite is in the package");
        let examples = examples(&source);
        assert_eq!(examples.len(), count, "{suite}");
        for Example { name, markdown, html } in examples {
            let parsed = parse_with_text(&markdown);
            let shown: String = parsed.blocks.iter().map(|block| block.text.as_str()).collect();
            let mut rest = shown.chars().filter(|character| !character.is_whitespace());
            let wanted = bare(&visible(&html));
            if !wanted.chars().all(|character| rest.any(|found| found == character)) {
                lost.push(format!(
                    "{name}: {markdown:?}\n   wanted {wanted:?}\n   found  {:?}",
                    bare(&shown)
                ));
            }
        }
    }
    assert!(lost.is_empty(), "{} examples lose text:\n{}", lost.len(), lost.join("\n"));
}

/// What a reader of a page sees: its text without tags, comments and scripts, with the four entities of the suites read.
fn visible(html: &str) -> String {
    const SPANS: [(&str, &str); 6] = [
        ("<!--", "-->"),
        ("<?", "?>"),
        ("<![CDATA[", "]]>"),
        ("<!", ">"),
        ("<script", "</script>"),
        ("<style", "</style>"),
    ];
    let mut text = String::new();
    let mut rest = html;
    while let Some(first) = rest.chars().next() {
        if let Some((open, close)) = SPANS.iter().find(|(open, _)| rest.starts_with(open)) {
            let end = rest[open.len()..].find(close).map(|at| open.len() + at + close.len());
            rest = end.map_or("", |end| &rest[end..]);
            continue;
        }
        let tag = rest.strip_prefix("</").or(rest.strip_prefix('<'));
        if tag.is_some_and(|tag| tag.starts_with(|first: char| first.is_ascii_alphabetic())) {
            rest = &rest[tag_end(rest)..];
            continue;
        }
        text.push(first);
        rest = &rest[first.len_utf8()..];
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Finds the end of a tag; a sign in quotes does not end it.
fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    for (at, character) in tag.char_indices() {
        match (quote, character) {
            (None, '>') => return at + 1,
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    tag.len()
}
