//! Texts that break parsers: each is read in time that grows with its length, and without deep recursion.

use std::time::{Duration, Instant};

use mge_core::{ChunkRule, Index};

use crate::chunks::chunks;
use crate::tree::{ElementKind, parse, parse_with_text};

/// Far more than a linear parser takes on a slow, busy machine; a quadratic one takes minutes.
const BOUND: Duration = Duration::from_secs(20);

fn bounded(what: &str, text: &str) -> usize {
    // The stack of a thread of a test is small, which is the point.
    let start = Instant::now();
    let parsed = parse_with_text(text);
    for id in 0..parsed.tree.len() as u32 {
        let span = parsed.tree.span(id);
        assert!(span.slice(text).is_some(), "{what}: {span:?}");
    }
    for chunk in chunks(&Index::new("d|f"), text, &parsed, ChunkRule::default()) {
        assert!(chunk.span.slice(text).is_some(), "{what}: {:?}", chunk.span);
    }
    let elements = parsed.tree.len();
    drop(parsed);
    assert!(start.elapsed() < BOUND, "{what} took {:?}", start.elapsed());
    elements
}

#[test]
fn fault_12_eight_thousand_headings_are_no_effort() {
    let text: String = (0..8_000).map(|number| format!("## heading {number}\n\ntext\n\n")).collect();
    assert_eq!(bounded("headings", &text), 32_000);
    let parsed = parse(&text);
    let last = *parsed.tree.of_kind(ElementKind::Header2).last().expect("there are headings");
    assert_eq!(parsed.tree.description(last, &text), "Section 8000: heading 7999");
}

#[test]
fn deep_nesting_is_bounded() {
    const DEEP: usize = 100_000;
    bounded("quotes", &format!("{} x\n", ">".repeat(DEEP)));
    bounded("quotes in two lines", &format!("{} x\n{} y\n", "> ".repeat(DEEP), "> ".repeat(DEEP)));
    bounded("lists", &format!("{}x\n", "- ".repeat(DEEP)));
    bounded("mixed", &format!("{}x\n", "- > ".repeat(DEEP)));
    bounded("numbered", &format!("{}x\n", "1. ".repeat(DEEP)));
    bounded("brackets", &"[".repeat(DEEP));
    bounded("closed brackets", &format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP)));
    bounded("links", &format!("{}x{}", "[".repeat(DEEP), "](u)".repeat(DEEP)));
    bounded("images", &format!("{}x{}", "![".repeat(DEEP), "](u)".repeat(DEEP)));
    bounded("emphasis", &"*a **b ".repeat(DEEP));
    bounded("emphasis closed", &format!("{}x{}", "*a ".repeat(DEEP), "b* ".repeat(DEEP)));
    bounded("underscores", &"_a __b ".repeat(DEEP));
    bounded("backticks", &(0..2_000).map(|count| format!("{} ", "`".repeat(count))).collect::<String>());
    bounded("parentheses", &format!("[a]({}", "(".repeat(DEEP)));
    bounded("angle brackets", &"<".repeat(DEEP));
    bounded("html", &"<a b=\"".repeat(DEEP));
    bounded("comments", &"<!-- ".repeat(DEEP));
    bounded("instructions", &"<?".repeat(DEEP));
    bounded("entities", &"&".repeat(DEEP));
    bounded("footnotes", &"[^1]: ".repeat(DEEP));
    bounded("footnote references", &"[^1]".repeat(DEEP));
    bounded(
        "nested list by lines",
        &(0..700).map(|depth| format!("{}- x\n", "  ".repeat(depth))).collect::<String>(),
    );
    bounded(
        "nested quote by lines",
        &(0..700).map(|depth| format!("{} x\n\n", "> ".repeat(depth))).collect::<String>(),
    );
}

#[test]
fn long_texts_are_bounded() {
    const LONG: usize = 1 << 20;
    bounded("one word", &"x".repeat(LONG));
    bounded("one line", &"word ".repeat(LONG / 5));
    bounded("escapes", &"\\*".repeat(LONG / 2));
    bounded("cells", &format!("{}\n{}\n", "|a".repeat(LONG / 20), "|-".repeat(LONG / 20)));
    bounded(
        "short rows",
        &format!("{}\n{}\n{}", "|a".repeat(1_000), "|-".repeat(1_000), "|x\n".repeat(10_000)),
    );
    bounded("blank lines", &"\n".repeat(LONG));
    bounded("carriage returns", &"\r".repeat(LONG));
    bounded("spaces", &" ".repeat(LONG));
    bounded("tabs", &"\t".repeat(LONG));
    bounded("code", &format!("```\n{}", "a\n".repeat(LONG / 2)));
    bounded("rules", &"---\n".repeat(LONG / 4));
    bounded("unclosed front matter", &format!("---\n{}", "a: b\n".repeat(LONG / 5)));
    bounded("definitions", &(0..20_000).map(|n| format!("[r{n}]: u\n\n[r{n}]\n\n")).collect::<String>());
    bounded("bullets", &"- x\n".repeat(LONG / 4));
    bounded("loose bullets", &"- x\n\n".repeat(LONG / 5));
    bounded("setext", &"a\n=\n".repeat(LONG / 4));
    bounded("dollars", &"$$".repeat(LONG / 2));
    bounded("dashes", &"-".repeat(LONG));
    bounded("equals", &format!("a\n{}", "=".repeat(LONG)));
    bounded("wide context", &format!("# {0}\n\n{0}\n\n{1}", "x ".repeat(LONG / 4), "- x\n".repeat(20_000)));
    bounded("hashes", &"#".repeat(LONG));
}
