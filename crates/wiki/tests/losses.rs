//! Each text that the original lost or spoiled, and what the elements of wikitext become.

mod shared;

use std::collections::BTreeMap;

use mge_wiki::{Article, Site, to_markdown};
use shared::seen;

fn converted(wikitext: &str) -> Article {
    to_markdown(&Site::default(), "Some page", wikitext)
}

#[track_caller]
fn check(wikitext: &str, markdown: &str) {
    assert_eq!(converted(wikitext).markdown, markdown, "{wikitext}");
}

#[test]
fn unclosed_brackets_lose_nothing() {
    check("a {{unclosed\n\nb", "a {{unclosed\n\nb\n");
    check("a [[unclosed\n\nb [[C]]", "a [[unclosed\n\nb [C](C.md)\n");
    check("a [http://b.c unclosed\n\nd", "a [http://b.c unclosed\n\nd\n");
    check("a <ref>unclosed\n\nb", "a unclosed\n\nb\n");
    check("a <ref>unclosed\n\nb<ref>c</ref>", "a unclosed\n\nb[^1]\n\n[^1]: c\n");
    check("a <!-- unclosed\n\nb", "a unclosed\n\nb\n");
    check("a <nowiki>unclosed '''b'''", "a unclosed **b**\n");
    check("{|\n| a\n\nb\n\n== H ==\nc", "a\n\nb\n\n## H\n\nc\n");
    check("{{t|[[a}} b ]] c", "b ]] c\n");
    check("[[File:a.png|thumb|{{b]] c\n\nd", "[[File:a.png|thumb|{{b]] c\n\nd\n");
    for wikitext in [
        "x {{ y",
        "x {| y",
        "x '' y",
        "x < y",
        "x <b y",
        "x [[y",
        "x [http:// y",
        "x }} y",
        "x ]] y",
        "x |} y",
    ] {
        let text = seen(&converted(wikitext).markdown);
        assert!(text.contains('x') && text.contains('y'), "{wikitext}: {text}");
    }
}

#[test]
fn comparisons_are_no_tags() {
    check("1<2 and 3>2", "1<2 and 3>2\n");
    check("a <foo> b", "a \\<foo> b\n");
    assert_eq!(seen(&converted("a &lt;b&gt; c").markdown), "a <b> c\n");
}

#[test]
fn lines_of_a_cell_are_kept() {
    check("{|\n! A !! B\n|-\n| one\ntwo\n| x\n|}", "| A | B |\n| --- | --- |\n| one <br> two | x |\n");
    check(
        "{|\n! A !! B\n|-\n|\n* one\n* two\n| x\n\ny\n|}",
        "| A | B |\n| --- | --- |\n| one <br> two | x <br> y |\n",
    );
}

#[test]
fn breaks_keep_words_apart() {
    check("a<br>b<br/>c<BR clear=all />d", "a\\\nb\\\nc\\\nd\n");
    check("* a<br>b", "- a\\\n  b\n");
    check("== a<br>b ==", "## a b\n");
    check("{|\n! A !! B\n|-\n| a<br>b || c\n|}", "| A | B |\n| --- | --- |\n| a <br> b | c |\n");
}

#[test]
fn parameters_are_as_they_are_written() {
    check("{{{p}}} a", "{{{p}}} a\n");
    check("{{{p|default}}} a", "default a\n");
}

#[test]
fn redirects_lead_somewhere() {
    for wikitext in [
        "#REDIRECT [[New York]]",
        "#redirect: [[new York#Parks|x]]",
        "#WEITERLEITUNG [[New_York]]",
        " #перенаправление [[New York]]",
    ] {
        let article = converted(wikitext);
        assert_eq!(article.redirect.as_deref(), Some("New York"), "{wikitext}");
        assert_eq!(article.markdown, "Redirect to [New York](New%20York.md)\n");
    }
    let article = converted("#REDIRECT [[A]]\n[[Category:B]]\n{{R from move}}\nSome words.");
    assert_eq!(article.markdown, "Redirect to [A](A.md)\n\nSome words.\n");
    assert_eq!(article.categories, ["B"]);
    // A list of numbers is none.
    assert_eq!(converted("#First [[A]]").redirect, None);
    check("#First [[A]]", "1. First [A](A.md)\n");
}

#[test]
fn captions_are_kept_whole() {
    check(
        "[[File:x.png|thumb|left|200px|alt=Alt|A [[cap]] with [[two|links]].]]\nText",
        "A [cap](Cap.md) with [links](Two.md).\n\nText\n",
    );
    check("[[Image:y.jpg]] a [[File:flag.svg|20px|Norway]] b", "a Norway b\n");
    check(
        "<gallery>\nFile:a.jpg|First ''one''\nb.png|Second\nc.png\n</gallery>",
        "- First *one*\n- Second\n",
    );
    let namespaces = BTreeMap::from([(6, "Soubor".to_owned()), (14, "Kategorie".to_owned())]);
    let site = Site { namespaces, ..Site::default() };
    let article = to_markdown(&site, "T", "[[Soubor:x.png|thumb|Titulek]]\n[[Kategorie:Praha]]");
    assert_eq!(article.markdown, "Titulek\n");
    assert_eq!(article.categories, ["Praha"]);
}

#[test]
fn links_lead_to_the_files_of_pages() {
    check("[[A|B|C]]", "[B|C](A.md)\n");
    check(
        "[[bus]]es, [[AC/DC]], [[new_york|NY]]",
        "[buses](Bus.md), [AC/DC](AC%252FDC.md), [NY](New%20york.md)\n",
    );
    check("[[A#B c|x]] [[#Here]]", "[x](A.md#B%20c) [Here](#Here)\n");
    check("[[de:Deutsch]][[Category:X]]", "");
    check("[[:de:Deutsch|German]] [[:Category:X]]", "German [Category:X](Category%253AX.md)\n");
    check("[[A (b)|]] [[C, D|]]", "[A](A%20%28b%29.md) [C](C,%20D.md)\n");
    check("[http://a.b/c_(d) a [b] c] [http://a.b]", "[a \\[b\\] c](http://a.b/c_%28d%29) <http://a.b>\n");
    assert_eq!(converted("[[Category:A]] [[category:b|sort]] [[Category:A]]").categories, ["A", "B"]);
    let case = Site { first_letter: false, ..Site::default() };
    assert_eq!(to_markdown(&case, "T", "[[iPod]]").markdown, "[iPod](iPod.md)\n");
}

#[test]
fn nested_tables_follow_their_table() {
    check(
        "{|\n! A !! B\n|-\n| x || y\n{|\n! C !! D\n|-\n| 1 || 2\n|}\n|-\n| p || q\n|}",
        "| A | B |\n| --- | --- |\n| x | y |\n| p | q |\n\n| C | D |\n| --- | --- |\n| 1 | 2 |\n",
    );
}

#[test]
fn spans_give_each_row_its_values() {
    check(
        "{|\n! Year !! Film !! Role\n|-\n| rowspan=\"2\" | 1999 || A || x\n|-\n| B || y\n|-\n| 2000 || colspan=2 | none\n|}",
        "| Year | Film | Role |\n| --- | --- | --- |\n| 1999 | A | x |\n| 1999 | B | y |\n| 2000 | none | |\n",
    );
    check(
        "{|\n! colspan=2 | Title\n|-\n! A !! B\n|-\n| 1 || 2\n|}",
        "**Title**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n",
    );
}

#[test]
fn attributes_of_cells_are_not_shown_and_words_before_a_bar_are() {
    check(
        "{|\n! scope=\"col\" | A !! style=\"width:5%\" | B\n|-\n| data-sort-value=\"5\" | five || note|value\n|-\n| colspan=\"2\" {{n/a}}\n|}",
        "| A | B |\n| --- | --- |\n| five | note\\|value |\n| N/A | |\n",
    );
    check(
        "{| class=\"x\"\n|+ style=\"y\" | Cap\n! A !! B\n|-\n| 1 || 2\n|}",
        "**Cap**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n",
    );
    // Without a header in the first row there is none.
    check("{|\n| a || b\n|-\n| c || d\n|}", "| | |\n| --- | --- |\n| a | b |\n| c | d |\n");
}

#[test]
fn headings_of_all_kinds() {
    check("= x =", "# x\n");
    check("=== uneven ==", "## = uneven\n");
    check("== C# ==\n== a #", "## C\\#\n\n\\== a #\n");
    check("======= seven =======", "###### = seven =\n");
    check("== a == <!-- comment -->\nb", "## a\n\nb\n");
    check("===", "# =\n");
    check("==", "\\==\n");
}

#[test]
fn entities_and_switches() {
    check("a&nbsp;b &amp; c&ndash;d &#8212; &#x41; &unknown; __NOTOC__ e", "a b & c–d — A \\&unknown; e\n");
    check("__TOC__\n\na __init__ b", "a \\_\\_init\\_\\_ b\n");
    check("&amp;lt;", "\\&lt;\n");
    assert_eq!(seen(&converted("&amp;lt;").markdown), "&lt;\n");
}

#[test]
fn code_over_lines_is_a_block() {
    check("a\n<pre>\nx  '''y'''\n  z &amp;\n</pre>\nb", "a\n\n```\nx  '''y'''\n  z &\n```\n\nb\n");
    check("<syntaxhighlight lang=\"rust\">\nfn a() {}\n</syntaxhighlight>", "```rust\nfn a() {}\n```\n");
    check("<pre>a ``` b\nc</pre>", "````\na ``` b\nc\n````\n");
    check("Use <code>a[0]</code> and <syntaxhighlight inline>x</syntaxhighlight>.", "Use `a[0]` and `x`.\n");
    check("<math>\\frac{a}{b}\n</math> <nowiki>'''a''' [[b]]</nowiki>", "$\\frac{a}{b}$ '''a''' [[b]]\n");
}

#[test]
fn notes_are_written_out() {
    check(
        "a<ref name=\"n\">One.</ref> b<ref>Two.</ref> c<ref name=n />\n\n== References ==\n<references/>",
        "a[^1] b[^2] c[^1]\n\n## References\n\n[^1]: One.\n[^2]: Two.\n",
    );
    check(
        "a<ref name=n/> b<ref name=none/>\n{{reflist|refs=\n<ref name=n>One.</ref>\n<ref name=m>Unused.</ref>}}",
        "a b\n",
    );
    check(
        "a<ref name=n/>\n<references>\n<ref name=n>One.</ref>\n<ref name=m>Unused.</ref>\n</references>",
        "a[^1]\n\n[^1]: One.\n[^2]: Unused.\n",
    );
    check(
        "a<ref>{{cite web |url=http://x.y |title=T |last=Doe |first=J. |publisher=P |date=1 May 2010 |accessdate=2011}}</ref>",
        "a[^1]\n\n[^1]: J. Doe, [T](http://x.y), P, 1 May 2010\n",
    );
    check(
        "a{{efn|Note.}}{{sfn|Smith|2004}} {{harvtxt|Smith|Doe|2004|p=3}}",
        "a[^1] Smith & Doe 2004, p. 3\n\n[^1]: Note.\n",
    );
}

#[test]
fn lists_nest() {
    check("* a\n** b\n**# c\n**# d\n* e", "- a\n  - b\n    1. c\n    1. d\n- e\n");
    check("# a\n#* b\n#: more\n# c", "1. a\n   - b\n\n   more\n1. c\n");
    check("; term\n: one\n: two\n\n; a : b", "**term**\n- one\n- two\n\n**a:** b\n");
    check(": indented ''text''\ntext", "indented *text*\n\ntext\n");
    check("*** deep", "- deep\n");
    check("text\n* a\ntext", "text\n\n- a\n\ntext\n");
    check("*", "");
}

#[test]
fn values_of_templates() {
    for (wikitext, shown) in [
        ("{{birth date|1990|5|12}}", "May 12, 1990"),
        ("{{birth date and age|df=yes|1990|05|12}}", "12 May 1990"),
        ("{{death date and age|2001|2|3|1920|4|5}}", "February 3, 2001"),
        ("{{start date|1999|7}}", "July 1999"),
        ("{{start date|1999}}", "1999"),
        ("{{film date|1999|7|1|Cannes|2000|1|2}}", "July 1, 1999 (Cannes), January 2, 2000"),
        ("{{dts|2001-02-03}}", "2001-02-03"),
        ("{{convert|5|km|mi|abbr=on}}", "5 km"),
        ("{{convert|6|ft|2|in|m}}", "6 ft 2 in"),
        ("{{cvt|3|to|4|sqmi|km2}}", "3 to 4 sq mi"),
        ("{{convert|4|-|6|ft|m|1}}", "4–6 ft"),
        ("{{height|ft=6|in=2}}", "6 ft 2 in"),
        ("{{lang|fr|''Le Monde''}}", "Le Monde"),
        ("{{lang-de|Bär}}", "Bär"),
        ("{{transl|ar|DIN|ʿarab}}", "ʿarab"),
        ("{{nihongo|Tokyo|東京|Tōkyō}}", "Tokyo (東京, Tōkyō)"),
        ("{{nowrap|a b}}", "a b"),
        ("{{abbr|km|kilometre}}", "km"),
        ("{{as of|2015|3}}", "As of March 2015"),
        ("{{circa|1500}}", "c. 1500"),
        ("{{flagicon|Norway}}", "Norway"),
        ("{{ill|Someone|de|Jemand}}", "Someone"),
        ("{{URL|example.com|Example}}", "Example"),
        ("{{marriage|Ann|1990|2000|end=div}}", "Ann (1990–2000)"),
        ("{{coord|51|30|26|N|0|7|39|W|type:city}}", "51°30′26″N 0°7′39″W"),
        ("{{hlist|a|b|[[c]]}}", "a, b, c"),
        ("{{frac|3|1|2}}", "3 1/2"),
        ("{{PAGENAME}}", "Some page"),
        ("{{formatnum:1234}}", "1234"),
        ("{{main|A|b}}", "Main article: A, b"),
        ("{{sortname|Ann|Doe}}", "Ann Doe"),
        ("10<sup>6</sup> H<sub>2</sub>O 1<sup>st</sup>", "10^6 H2O 1st"),
        ("{{some box|text}} {{DEFAULTSORT:x}}", ""),
    ] {
        assert_eq!(
            seen(&converted(&format!("x {wikitext}")).markdown)
                .replace('\n', " ")
                .trim()
                .trim_start_matches("x")
                .trim(),
            shown,
            "{wikitext}"
        );
    }
    let german = Site { language: "de".to_owned(), ..Site::default() };
    assert_eq!(to_markdown(&german, "T", "{{Datum|25|08|2017}}").markdown, "2017-08-25\n");
}

#[test]
fn boxes_are_tables() {
    check(
        "{{Infobox person\n| name = Ann\n| birth_date = {{birth date|1990|5|12}}\n| image = a.jpg\n| spouse = {{plainlist|\n* [[Bob]]\n* Carl\n}}\n| empty =\n}}\n'''Ann''' is.",
        "| field | value |\n| --- | --- |\n| name | Ann |\n| birth date | May 12, 1990 |\n| spouse | [Bob](Bob.md) <br> Carl |\n\n**Ann** is.\n",
    );
    check(
        "{{Infobox x|a=b{{!}}c|d=e<br>f}}",
        "| field | value |\n| --- | --- |\n| a | b\\|c |\n| d | e <br> f |\n",
    );
}

#[test]
fn quotations_are_quotations() {
    check("a\n<blockquote>b\n\nc</blockquote>d", "a\n\n> b\n>\n> c\n\nd\n");
    check("{{quote|To be.|Hamlet|Shakespeare}}", "> To be.\n>\n> — Hamlet, Shakespeare\n");
    check("<poem>\na\nb\n\nc\n</poem>", "a\\\nb\n\nc\n");
}

#[test]
fn text_is_not_taken_for_markup_of_markdown() {
    for text in [
        "a * b *c* _d_ snake_case `e` \\f ~~g~~",
        "1. a",
        "- b",
        "+ c",
        "> d",
        "1) e",
        "| f | g |",
        "a | b\n| --- | --- |",
        "[^1] [a](b)",
        "[x]: http://y",
        "~~~~",
        "&copy;x <3",
        "![a](b)",
    ] {
        let shown = seen(&converted(&text.replace('&', "&amp;")).markdown);
        assert_eq!(shown.trim(), text.replace('\n', " "), "{text}");
    }
}
