//! What holds for every text.

use mge_core::{ChunkRule, Index, Span};
use proptest::prelude::*;

use crate::chunks::chunks;
use crate::tree::{ElementKind, NodeId, Tree, line_count, parse, parse_with_text};

/// Pieces of Markdown that get in each other's way.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "# ",
        "## ",
        "### x",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "- ",
        "* ",
        "1. ",
        "> ",
        ">",
        "    ",
        "\t",
        "  ",
        "```",
        "~~~",
        "`",
        "|",
        "|---|---|\n",
        "---\n",
        "===\n",
        "[a](b)",
        "![i](v)",
        "[",
        "](",
        ")",
        "[^1]",
        "[^1]: note",
        "[r]: u\n",
        "[r]",
        "<b>",
        "<!-- ",
        "-->",
        "<div>\n",
        "</div>",
        "**",
        "*",
        "_",
        "~~",
        "\\",
        "&amp;",
        "&",
        "<http://x.y>",
        "- [ ] ",
        "- [x] ",
        "+++\n",
        "title: T\n",
        "$$",
        "a",
        "Wort",
        "日本",
        "é",
        "e\u{301}",
        "🌐",
        "\u{b}",
        "\u{c}",
        "\u{85}",
        "\u{2028}",
        "\u{a0}",
        "word word. ",
        "x | y\n",
        "#",
        "C#",
        "\\|",
        "  \n",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

fn check(text: &str) {
    let parsed = parse_with_text(text);
    let tree = &parsed.tree;
    assert_eq!(*tree, parse(text).tree, "asking for text changes nothing");
    let mut seen = 0;
    let mut open: Vec<NodeId> = tree.children(None).collect();
    open.reverse();
    while let Some(id) = open.pop() {
        assert_eq!(id, seen, "elements are numbered in document order");
        seen += 1;
        assert_eq!(tree.find(&tree.local_name(id)), Some(id));
        let span = tree.span(id);
        let slice = span.slice(text).expect("a span lies on character borders");
        let (first, end) = tree.lines(id);
        assert!(first < end && end <= line_count(text).max(1), "{first}..{end}");
        assert_eq!(
            first,
            line_count(&format!("{}x", &text[..span.start])) - 1,
            "the line that the span starts on"
        );
        let children: Vec<NodeId> = tree.children(Some(id)).collect();
        for child in &children {
            assert!(span.contains(tree.span(*child)), "{:?} in {span:?}", tree.span(*child));
            assert_eq!(tree.parent(*child), Some(id));
        }
        let kind = tree.kind(id).expect("it is there");
        let content = tree.content(id, text);
        if kind.is_leaf() {
            assert!(children.is_empty());
            assert_eq!(tree.description(id, text), "");
            if !slice.contains(['\n', '\r']) {
                assert_eq!(content, slice, "the content of one line is its bytes");
            }
            let letters =
                |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
            assert_eq!(letters(&content), letters(slice), "no letter is lost");
        } else {
            assert_eq!(content, "");
        }
        open.extend(children.into_iter().rev());
    }
    assert_eq!(seen as usize, tree.len(), "every element can be reached");
    covered_once(tree, text, parsed.blocks.iter().map(|block| &block.text));
    for chunk in chunks(&Index::new("d|f"), text, &parsed, ChunkRule { max_chars: 7 }) {
        let shown = chunk.text.as_str();
        assert!(!shown.is_empty() && shown.chars().count() <= 7, "{shown:?}");
        let back = chunk.text.to_source(Span::new(0, shown.len()));
        assert!(back.slice(text).is_some() && chunk.span.contains(back), "{back:?} in {:?}", chunk.span);
        let local = chunk.index.as_str().strip_prefix("d|f|").expect("below the file");
        assert!(tree.find(local).is_some(), "a chunk cites an element");
    }
}

/// Every byte that a reader sees lies in one leaf, the repeated links of paragraphs aside.
fn covered_once<'a>(tree: &Tree, text: &str, blocks: impl Iterator<Item = &'a mge_core::MappedText>) {
    let mut leaves = vec![0u8; text.len()];
    for id in 0..tree.len() as NodeId {
        let kind = tree.kind(id).expect("it is there");
        let repeats = matches!(kind, ElementKind::Link | ElementKind::Image)
            && tree.parent(id).and_then(|parent| tree.kind(parent)) == Some(ElementKind::Paragraph);
        if kind.is_leaf() && !repeats {
            tree.span(id).range().for_each(|byte| leaves[byte] += 1);
        }
    }
    assert!(leaves.iter().all(|count| *count <= 1), "a byte is in two leaves");
    for block in blocks {
        for (start, character) in block.as_str().char_indices() {
            if character.is_whitespace() {
                continue;
            }
            let source = block.to_source(Span::new(start, start + character.len_utf8()));
            let covered = |byte: usize| leaves[byte] == 1 || text.as_bytes()[byte].is_ascii_whitespace();
            assert!(source.range().all(covered), "{character:?} at {source:?} is in no leaf");
        }
    }
}

/// Name, parent, description, lines and content of an element.
type Shape = (String, Option<NodeId>, String, (usize, usize), String);

/// The tree without its positions.
fn shape(text: &str) -> Vec<Shape> {
    let tree = parse(text).tree;
    let lines = |content: String| content.replace("\r\n", "\n").replace('\r', "\n");
    (0..tree.len() as NodeId)
        .map(|id| {
            let content = lines(tree.content(id, text).into_owned());
            (tree.local_name(id), tree.parent(id), tree.description(id, text), tree.lines(id), content)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn a_soup_of_markdown_keeps_the_promises(text in soup()) {
        check(&text);
    }

    #[test]
    fn any_text_keeps_the_promises(text in "(?s).{0,200}") {
        check(&text);
    }

    #[test]
    fn line_ends_do_not_change_the_tree(text in soup()) {
        let unix = text.replace("\r\n", "\n").replace('\r', "\n");
        prop_assert_eq!(shape(&unix), shape(&unix.replace('\n', "\r\n")));
        prop_assert_eq!(shape(&unix), shape(&unix.replace('\n', "\r")));
    }
}

#[test]
fn fault_11_what_commonmark_has() {
    let names = |text: &str| {
        let tree = parse(text).tree;
        (0..tree.len() as NodeId).map(|id| tree.local_name(id)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("Title\n=====\n"), "header_1_1 text_1");
    assert_eq!(names("a\n\nSub\n---\n"), "paragraph_1 text_1 header_2_1 text_2");
    assert_eq!(names("-*-\n"), "paragraph_1 text_1");
    assert_eq!(names("- a\n  - b\n    c\n"), "list_1 list_item_1 text_1 list_2 list_item_2 text_2");
    assert_eq!(names("    code\n"), "code_block_1 text_1");
    assert_eq!(names("<!--\n# no\n-->\n"), "html_block_1");
    assert_eq!(names("---\ntitle: x\n---\n\ntext\n"), "front_matter_1 paragraph_1 text_1");
    assert_eq!(names("> a\n\n> # h\n"), "blockquote_1 text_1 blockquote_2 header_1_1 text_2");
    assert_eq!(names("$$\nx + y\n$$\n"), "math_1");
    assert_eq!(names("costs $5 and $10\n"), "paragraph_1 text_1");
}

fn contents(text: &str, kind: ElementKind) -> Vec<String> {
    let tree = parse(text).tree;
    tree.of_kind(kind).iter().map(|id| tree.content(*id, text).into_owned()).collect()
}

#[test]
fn fault_6_only_line_ends_end_a_line() {
    let text = "# A\u{2028}b\n\nc\u{b}d\u{c}e\u{1c}f\u{85}g\n";
    assert_eq!(contents(text, ElementKind::Text), ["A\u{2028}b", "c\u{b}d\u{c}e\u{1c}f\u{85}g"]);
    assert_eq!(parse(text).tree.lines(0), (0, 3));
}

#[test]
fn fault_7_a_fence_closes_only_with_its_like() {
    let text = "```a``` b\n\ntext\n\n````\n```\n~~~~\n```` x\n````\nafter\n";
    let tree = parse(text).tree;
    assert_eq!(tree.of_kind(ElementKind::CodeBlock).len(), 1);
    assert_eq!(tree.lines(tree.of_kind(ElementKind::CodeBlock)[0]), (4, 9));
    assert_eq!(contents(text, ElementKind::Text).first().map(String::as_str), Some("```a``` b"));
    assert_eq!(contents(text, ElementKind::Text).last().map(String::as_str), Some("after"));
}

#[test]
fn fault_8_cells_keep_their_text_and_their_columns() {
    let text = "| a | b | c |\n|---|---|---|\n| x \\| y |  | z |\n";
    assert_eq!(contents(text, ElementKind::TableCell), ["a", "b", "c", "x \\| y", "", "z"]);
}

#[test]
fn blanks_left_of_a_tab_make_no_paragraph() {
    let text = "- <!-- [r]: u\n\t\n";
    check(text);
    assert!(parse(text).tree.of_kind(ElementKind::Paragraph).is_empty());
}

#[test]
fn a_row_without_text_in_its_first_cell_keeps_its_place() {
    check("  x | y\n|---|---|\n\u{b}|---|---|\n");
    check("| x | y |\n|---|---|\n|  | b |\n| a |\n");
}

#[test]
fn fault_9_a_pipe_makes_no_table() {
    for text in ["a | b\n   \nc\n", "| one |\n:::\n", "|\n---\n", "| a | b |\n| 1 | 2 |\n"] {
        assert!(parse(text).tree.of_kind(ElementKind::Table).is_empty(), "{text}");
    }
}

#[test]
fn fault_10_a_heading_keeps_its_signs() {
    assert_eq!(
        contents("# C#\n\n# F## ##\n\n# a ###\n\n## #\n\n# \\#\n", ElementKind::Text),
        ["C#", "F##", "a", "\\#"]
    );
}

#[test]
fn fault_12_numbers_have_no_zeros() {
    let text = "## first\n\ntext\n\n# A\n\n### deep\n\ntext\n\n## side\n";
    let tree = parse(text).tree;
    let described: Vec<String> = (0..tree.len() as NodeId)
        .map(|id| tree.description(id, text))
        .filter(|text| !text.is_empty())
        .collect();
    assert_eq!(
        described,
        [
            "Section 1: first",
            "Content of 1",
            "Title: A",
            "Section 2.1: deep",
            "Content of 2.1",
            "Section 2.2: side"
        ]
    );
}

#[test]
fn fault_13_content_is_one_text() {
    let text = "one\ntwo  \n  three [l](u)\n\n> q\n> r\n\n- i\n  j\n";
    assert_eq!(contents(text, ElementKind::Text), ["one two three [l](u)", "q r", "i j"]);
    assert_eq!(contents(text, ElementKind::Link), ["[l](u)"]);
}
