//! What holds for any text: it is converted, quickly, and its words are kept.

mod shared;

use std::fmt::Write;

use mge_wiki::{Site, to_markdown};
use proptest::prelude::*;
use shared::seen;

/// Pieces of markup that open and close anything.
const PIECES: &[&str] = &[
    "{{",
    "}}",
    "{{{",
    "}}}",
    "[[",
    "]]",
    "[http://a.b ",
    "]",
    "{|",
    "|}",
    "|-",
    "|+",
    "||",
    "!!",
    "|",
    "!",
    "'''",
    "''",
    "'",
    "<ref>",
    "</ref>",
    "<ref name=a/>",
    "<!--",
    "-->",
    "<nowiki>",
    "</nowiki>",
    "<pre>",
    "</pre>",
    "<br>",
    "<b>",
    "</b>",
    "<blockquote>",
    "</blockquote>",
    "<gallery>",
    "</gallery>",
    "<poem>",
    "</poem>",
    "<references>",
    "</references>",
    "<math>",
    "</math>",
    "<li>",
    "<div>",
    "== ",
    " ==",
    "=",
    "* ",
    "# ",
    ": ",
    "; ",
    "----",
    "\n",
    "\n\n",
    " ",
    "File:",
    "Category:",
    "Infobox x",
    "quote",
    "convert",
    "plainlist",
    "#REDIRECT",
    "__TOC__",
    "&nbsp;",
    "&#x0;",
    "&",
    "colspan=2",
    "rowspan=9",
    "é",
    "\u{fdd0}",
    "\u{fdd3}1\u{fdd4}",
    "\\",
    "`",
    "*",
    "_",
    "~",
    "<",
    ">",
    "\0",
    "\r\n",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![proptest::sample::select(PIECES).prop_map(str::to_owned), "[a-z]{1,4}"];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Text with markup around its words; which of the words are prose is known: `w` and a number.
fn prose() -> impl Strategy<Value = String> {
    let mut wrappers = vec![
        ("", ""),
        ("'''", "'''"),
        ("''", "''"),
        ("'''''", "'''''"),
        ("[[Page|", "]]"),
        ("[http://a.b ", "]"),
        ("<small>", "</small>"),
        ("{{nowrap|", "}}"),
        ("{{lang|fr|", "}}"),
        ("<span style=\"x\">", "</span>"),
        ("(", ")"),
        ("\"", "\""),
        ("<ref>", "</ref>"),
        ("<code>", "</code>"),
        ("<nowiki>", "</nowiki>"),
        ("<blockquote>", "</blockquote>"),
        ("[[File:x.png|thumb|", "]]"),
        ("{{unknown thing|x}}", ""),
        ("<!-- c -->", ""),
        ("{{", ""),
        ("[[", ""),
        ("<b>", ""),
        ("'''", ""),
        ("&nbsp;", "&amp;"),
        ("{{convert|5|km|mi}} ", ""),
        ("<br>", ""),
        ("<", ""),
        ("\\", "*"),
        ("_", "_"),
        ("`", ""),
    ];
    wrappers.extend([("\n== ", " ==\n"), ("\n* ", "\n"), ("\n# ", "\n"), ("\n: ", "\n"), ("\n; ", "\n")]);
    wrappers.extend([
        ("\n{|\n| ", "\n|}\n"),
        ("\n{|\n! A !! B\n|-\n| ", " || y\n|}\n"),
        ("\n----\n", ""),
        ("\n\n", "\n\n"),
    ]);
    proptest::collection::vec(proptest::sample::select(wrappers), 1..25).prop_map(|wrappers| {
        let mut text = String::new();
        for (number, (before, after)) in wrappers.into_iter().enumerate() {
            let _ = write!(text, "{before}w{number}{after} ");
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_text_is_converted(text in any::<String>()) {
        let markdown = to_markdown(&Site::default(), "T", &text).markdown;
        prop_assert!(markdown.is_empty() || markdown.ends_with('\n'));
    }

    #[test]
    fn any_markup_is_converted(text in hostile()) {
        let markdown = to_markdown(&Site::default(), "T", &text).markdown;
        let is_mark = |letter: char| ('\u{fdd0}'..='\u{fdef}').contains(&letter);
        prop_assert!(!markdown.contains(is_mark), "{:?} gave {:?}", text, markdown);
        prop_assert!(markdown.is_empty() || markdown.ends_with('\n'));
    }

    #[test]
    fn words_among_markup_are_kept(text in prose()) {
        let markdown = to_markdown(&Site::default(), "T", &text).markdown;
        let shown = seen(&markdown);
        let words: Vec<&str> = shown.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
        for number in 0.. {
            let word = format!("w{number}");
            if !text.contains(&word) {
                break;
            }
            prop_assert!(words.contains(&word.as_str()), "{} is lost: {:?} gave {:?}", word, text, markdown);
        }
    }

    #[test]
    fn plain_words_stay_in_order(words in proptest::collection::vec("[a-zA-Zé日]{1,8}[.,!?:;()*_#>|-]?", 1..30)) {
        let text = words.join(" ");
        let shown = seen(&to_markdown(&Site::default(), "T", &format!("Start {text}")).markdown);
        prop_assert_eq!(shown.trim(), format!("Start {text}"));
    }
}

#[test]
fn markup_that_ends_within_other_markup_is_converted() {
    // Each of these was looked at beyond the end of the brackets that it is in.
    for text in ["{{{|}\n|}}}", "{{nowrap|a_}}_", "{{nowrap|a|b=\n|}}"] {
        let markdown = to_markdown(&Site::default(), "T", text).markdown;
        assert!(!markdown.is_empty(), "{text}");
    }
}

/// Texts that a naive reader needs much time, memory or stack for. That each ends is the test.
#[test]
fn hostile_texts_end() {
    const MANY: usize = 100_000;
    for piece in [
        "{{",
        "}}",
        "[[",
        "]]",
        "'''",
        "''",
        "<ref>",
        "<ref name=a>",
        "</ref>",
        "{|\n",
        "{|\n|\n",
        "\n|}",
        "<!--",
        "<nowiki>",
        "<pre>",
        "<div>",
        "<blockquote>",
        "<poem>",
        "<gallery>",
        "[http://a ",
        "[",
        "{",
        "<",
        "&",
        "|",
        "==",
        "\n==",
        "\n= a",
        "*",
        "\n*",
        "#",
        ":",
        ";",
        "a:",
        "\n;a",
        "{{a|",
        "{{infobox|a=",
        "{{quote|",
        "[[a|",
        "[[File:a|thumb|",
        "[[File:a|",
        "{{{",
        "{{{a|",
        "<b>",
        "<ref name=x/>",
        "__",
        "__TOC__",
        "~",
        "\\",
        "`",
        "<br>",
        "\n|-\n|a",
        "{|\n|}\n",
        "{{!}}",
        "{{a}}",
        "[[a]]",
        "<li>",
        "<code>",
        "<math>",
        "{{convert|",
        "{{refn|",
        "'",
        "a'''b''",
        " ",
        "\t\n",
        "\n ",
        "{{#if:a|",
        "<references>",
        "\"",
        "<ref \"",
        "&#",
        "| a || b ",
        "! a !! b ",
        "\n----",
        "{{ubl|",
        "\n::{|",
        "{| a\n",
    ] {
        let text = piece.repeat(MANY);
        let markdown = to_markdown(&Site::default(), "T", &text).markdown;
        assert!(
            markdown.len() <= 8 * text.len() + 1000,
            "{piece}: {} bytes of {}",
            markdown.len(),
            text.len()
        );
    }
}

#[test]
fn hostile_mixtures_end() {
    const MANY: usize = 100_000;
    for (before, piece) in [
        ("{{", "<ref>a</ref>"),
        ("<poem>{{", "<ref>a</ref>"),
        ("[[", "}}"),
        ("{|\n", "\n|}}"),
        ("{{", "\n|}"),
        ("<ref>", "{{a}}"),
        ("'''", "\n== a ==\n"),
        ("{|\n", "\n== a ==\n"),
        ("{{a|", "<code>b</code>"),
    ] {
        let text = before.repeat(MANY) + &piece.repeat(MANY);
        let markdown = to_markdown(&Site::default(), "T", &text).markdown;
        assert!(markdown.len() <= 8 * text.len() + 1000, "{before} {piece}: {} bytes", markdown.len());
    }
}

#[test]
fn hostile_nesting_ends() {
    const DEEP: usize = 20_000;
    for (open, close) in [
        ("{{a|", "}}"),
        ("{{nowrap|", "}}"),
        ("{{infobox|a=", "}}"),
        ("{{quote|\n", "\n}}"),
        ("[[File:a|thumb|", "]]"),
        ("{|\n|\n", "\n|}"),
        ("{{plainlist|\n* ", "\n}}"),
        ("<blockquote>\n", "\n</blockquote>"),
        ("{{{a|", "}}}"),
        ("<ref>", "</ref>"),
        ("{{refn|", "}}"),
        ("{{ubl|a|", "}}"),
        ("{|\n! a !! b\n|-\n| c || \n", "\n|}"),
        ("{{cite web|title=", "}}"),
        ("{{#if:a|", "}}"),
        ("<poem>\n", "\n</poem>"),
    ] {
        let text = format!("{}middle{}", open.repeat(DEEP), close.repeat(DEEP));
        let markdown = to_markdown(&Site::default(), "T", &text).markdown;
        assert!(markdown.len() <= 8 * text.len() + 1000, "{open}: {} bytes", markdown.len());
    }
}

#[test]
fn spans_of_cells_cannot_fill_the_memory() {
    let long = "x".repeat(200);
    let cell = format!("| rowspan=500 colspan=500 | {long}\n");
    let text = format!("{{|\n{}{}|}}", cell.repeat(2000), "|-\n| a\n".repeat(2000));
    let markdown = to_markdown(&Site::default(), "T", &text).markdown;
    assert!(markdown.len() < 8 * text.len(), "{} bytes of {}", markdown.len(), text.len());
    let wide = format!("{{|\n{}{}|}}", "| a\n".repeat(50_000), "|-\n| a\n".repeat(50_000));
    let markdown = to_markdown(&Site::default(), "T", &wide).markdown;
    assert!(markdown.len() < 8 * wide.len(), "{} bytes of {}", markdown.len(), wide.len());
}
