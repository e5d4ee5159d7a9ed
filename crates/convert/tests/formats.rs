//! Each format once with all that it can hold, and text that must not become markup.

mod made;

use made::zip;
use mge_convert::{ConvertError, Converted, Format, Limits, convert};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

fn read(bytes: impl AsRef<[u8]>, name: &str) -> Converted {
    let bytes = bytes.as_ref().to_vec();
    let format = Format::detect(&bytes, name).expect("a known format");
    convert(bytes, format, &Limits::default()).expect("a sound document")
}

fn markdown(bytes: impl AsRef<[u8]>, name: &str) -> String {
    read(bytes, name).markdown
}

#[test]
fn html_keeps_structure_and_drops_what_is_around() {
    let page = r#"<!doctype html><html><head><title> A  page </title><meta name="author" content="Ann">
        <style>p { color: red }</style><script>var a = "<p>no</p>";</script></head><body>
        <nav><ul><li><a href="/">Home</a></ul></nav>
        <h1>Title</h1><p>One <b>bold</b> <a href="https://e.org/a b">link</a><br>line.
        <p>Code <code>a|`b`</code> &amp; 1 &lt; 2, &eacute;&#x2014;.
        <ul><li>one<ul><li>inner</ul><li><p>two</p><p>more</p></ul>
        <ol start="3"><li>three<li>four</ol>
        <blockquote><p>Said.</p></blockquote>
        <pre><code class="language-rust">fn main() {
    a();
}</code></pre>
        <table><tr><th>A<th>B<th>C<tr><td rowspan=2>x<td colspan=2>y|z<tr><td>1<td>2</table>
        <footer>Imprint</footer></body></html>"#;
    let converted = read(page, "page.html");
    assert_eq!(
        converted.markdown,
        "# Title\n\nOne bold [link](https://e.org/a%20b)\\\nline.\n\nCode ``` a|`b` ``` & 1 < 2, é—.\n\n"
            .replace("``` a|`b` ```", "`` a|`b` ``")
            + "- one\n  - inner\n- two\n\n  more\n\n3. three\n4. four\n\n> Said.\n\n"
            + "```rust\nfn main() {\n    a();\n}\n```\n\n"
            + "| A | B | C |\n| --- | --- | --- |\n| x | y\\|z | y\\|z |\n| x | 1 | 2 |\n"
    );
    assert_eq!(converted.title.as_deref(), Some("A page"));
    assert_eq!(converted.author.as_deref(), Some("Ann"));
}

#[test]
fn text_in_pieces_makes_no_link() {
    let markdown = markdown("<html><p>a [b]<b>(c)</b> d [e]<i>[f]</i> <i>[g]</i>: h [i]", "a.html");
    assert_eq!(seen(&markdown).as_deref(), Some("a [b](c) d [e][f] [g]: h [i]"), "{markdown}");
    assert!(markdown.ends_with("[i]\n"), "{markdown}");
}

#[test]
fn html_is_decoded_as_it_declares() {
    let page = b"<html><head><meta charset=\"iso-8859-2\"></head><body><p>\xb3\xf3d\xbc</p>";
    assert_eq!(markdown(page, "a.html"), "łódź\n");
    let utf16: Vec<u8> = "\u{feff}<html><p>Größe".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(markdown(utf16, "a.html"), "Größe\n");
    let declared_in_xml =
        b"<?xml version='1.0' encoding='windows-1252'?><html><body><p>na\xefve</p></body></html>";
    assert_eq!(markdown(declared_in_xml, "a.xhtml"), "naïve\n");
}

#[test]
fn html_without_the_end_of_a_part_loses_nothing() {
    let converted = read("<html><nav>Menu<p>All the text", "a.html");
    assert_eq!(converted.markdown, "Menu\n\nAll the text\n");
    assert_eq!(converted.warnings.len(), 1);
}

#[test]
fn a_table_that_only_lays_out_a_page_is_text() {
    assert_eq!(markdown("<html><table><tr><td>One<tr><td>Two</table>", "a.html"), "One\n\nTwo\n");
}

#[test]
fn plain_text_keeps_paragraphs_and_pages() {
    let converted =
        read("Heading?\n=====\n\n- no item\n1. none\n    no code\n\n\n# no\u{c}Second page", "a.txt");
    assert_eq!(
        converted.markdown,
        "Heading?\n\\=====\n\n\\- no item\n1\\. none\nno code\n\n\\# no\n\nSecond page\n"
    );
    let second = converted.markdown.find("Second").unwrap();
    let pages: Vec<(usize, &str)> =
        converted.pages.iter().map(|page| (page.offset, page.label.as_str())).collect();
    assert_eq!(pages, [(0, "1"), (second, "2")]);
}

#[test]
fn tables_are_read_with_any_delimiter() {
    for (delimiter, name) in [(',', "a.csv"), (';', "a.csv"), ('\t', "a.tsv"), ('|', "a.csv")] {
        let text = format!("name{delimiter}note\n\"a{delimiter}b\"{delimiter}\"two\nlines\"\n");
        let cell = format!("a{}b", delimiter.to_string().replace('|', "\\|").replace('\t', " "));
        let wanted = format!("| name | note |\n| --- | --- |\n| {cell} | two lines |\n");
        assert_eq!(markdown(text, name), wanted);
    }
    // A comma inside of numbers is no delimiter when semicolons agree.
    assert!(markdown("a;b\n1,5;2,5\n3;4\n", "a.csv").contains("| 1,5 | 2,5 |"));
}

#[test]
fn a_long_table_repeats_its_head() {
    let mut text = "number,square\n".to_owned();
    for number in 0..120 {
        text.push_str(&format!("{number},{}\n", number * number));
    }
    let converted = markdown(text, "a.csv");
    assert_eq!(converted.matches("| number | square |").count(), 3);
    for number in 0..120 {
        assert_eq!(converted.matches(&format!("| {number} | {} |", number * number)).count(), 1);
    }
}

const WORD: &str = r#"xmlns:w="w" xmlns:r="r""#;

fn docx(body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let document = format!("<w:document {WORD}><w:body>{body}</w:body></w:document>");
    let mut parts = vec![("word/document.xml", document.as_str())];
    parts.extend(more);
    zip(&parts)
}

#[test]
fn docx_keeps_structure() {
    let paragraph = |style: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let item = |level: usize, text: &str| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='1'/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
        )
    };
    let cell = |text: &str, more: &str| {
        format!("<w:tc><w:tcPr>{more}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
    };
    let body = paragraph("H1", "Title")
        + "<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink r:id='L'><w:r><w:t>the map</w:t></w:r></w:hyperlink>\
           <w:r><w:t>.</w:t><w:footnoteReference w:id='7'/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
        + &item(0, "one")
        + &item(1, "inner")
        + &item(0, "two")
        + "<w:p><w:r><w:br w:type='page'/></w:r></w:p>"
        + &format!(
            "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
            cell("A", ""),
            cell("B|", ""),
            cell("x", "<w:vMerge w:val='restart'/>"),
            cell("1", ""),
            cell("", "<w:vMerge/>"),
            cell("2", "")
        );
    let styles =
        format!("<w:styles {WORD}><w:style w:styleId='H1'><w:name w:val='heading 1'/></w:style></w:styles>");
    let numbering = format!(
        "<w:numbering {WORD}><w:abstractNum w:abstractNumId='5'>\
         <w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/></w:lvl>\
         <w:lvl w:ilvl='1'><w:numFmt w:val='bullet'/></w:lvl></w:abstractNum>\
         <w:num w:numId='1'><w:abstractNumId w:val='5'/></w:num></w:numbering>"
    );
    let notes = format!(
        "<w:footnotes {WORD}><w:footnote w:id='0'><w:p><w:r><w:t>separator</w:t></w:r></w:p></w:footnote>\
         <w:footnote w:id='7'><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    );
    let converted = read(
        docx(
            &body,
            &[
                ("word/styles.xml", &styles),
                ("word/numbering.xml", &numbering),
                ("word/footnotes.xml", &notes),
                (
                    "word/_rels/document.xml.rels",
                    "<Relationships><Relationship Id='L' Target='https://e.org/' TargetMode='External'/></Relationships>",
                ),
                (
                    "docProps/core.xml",
                    "<c xmlns:dc='d'><dc:title>T &amp; U</dc:title><dc:creator>Ann</dc:creator></c>",
                ),
            ],
        ),
        "a.docx",
    );
    assert_eq!(
        converted.markdown,
        "# Title\n\nSee [the map](https://e.org/).[^1]\n\n1. one\n   - inner\n2. two\n\n\
         | A | B\\| |\n| --- | --- |\n| x | 1 |\n| x | 2 |\n\n[^1]: A note.\n"
    );
    assert_eq!(converted.title.as_deref(), Some("T & U"));
    assert_eq!(converted.author.as_deref(), Some("Ann"));
    let table = converted.markdown.find("| A").unwrap();
    assert_eq!(converted.pages.iter().map(|page| page.offset).collect::<Vec<_>>(), [0, table]);
}

fn epub(chapters: &[(&str, &str)], more: &[(&str, &str)]) -> Vec<u8> {
    let mut manifest = String::new();
    let mut spine = String::new();
    for (name, _) in chapters {
        manifest
            .push_str(&format!("<item id='{name}' href='text/{name}' media-type='application/xhtml+xml'/>"));
        // The reading order is not that of the manifest.
        spine.insert_str(0, &format!("<itemref idref='{name}'/>"));
    }
    let package = format!(
        "<package><metadata xmlns:dc='d'><dc:title>Book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Ben</dc:creator>\
         <dc:date>1999</dc:date></metadata><manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    );
    let paths: Vec<String> = chapters.iter().map(|(name, _)| format!("OEBPS/text/{name}")).collect();
    let mut parts = vec![
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            "<container><rootfiles><rootfile full-path='OEBPS/a.opf'/></rootfiles></container>",
        ),
        ("OEBPS/a.opf", package.as_str()),
    ];
    parts.extend(paths.iter().map(String::as_str).zip(chapters.iter().map(|(_, text)| *text)));
    parts.extend(more);
    zip(&parts)
}

#[test]
fn epub_is_read_in_the_order_of_its_spine() {
    let chapters = [
        ("b.xhtml", "<html><head><title/></head><body><h1>Second</h1><p>End.</p></body></html>"),
        (
            "a.xhtml",
            "<html><head><title>x</title></head><body><h1>First</h1><span epub:type='pagebreak' title='iv'/><p>Start.</p></body></html>",
        ),
    ];
    let converted = read(epub(&chapters, &[]), "book.epub");
    assert_eq!(converted.markdown, "# First\n\nStart.\n\n# Second\n\nEnd.\n");
    assert_eq!(converted.title.as_deref(), Some("Book"));
    assert_eq!(converted.author.as_deref(), Some("Ann, Ben"));
    assert_eq!(converted.date.as_deref(), Some("1999"));
    assert_eq!(converted.pages.len(), 1);
    assert_eq!(&converted.markdown[converted.pages[0].offset..][..6], "Start.");
    assert_eq!(converted.pages[0].label, "iv");
}

#[test]
fn an_epub_behind_a_license_says_so() {
    let encryption = "<encryption><EncryptedData><EncryptionMethod Algorithm='http://www.w3.org/2001/04/xmlenc#aes128-cbc'/></EncryptedData></encryption>";
    let bytes = epub(&[("a.xhtml", "x")], &[("META-INF/encryption.xml", encryption)]);
    let error = convert(bytes, Format::Epub, &Limits::default()).unwrap_err();
    assert_eq!(error, ConvertError::Encrypted { format: Format::Epub });
}

#[test]
fn a_format_is_told_by_content_before_its_name() {
    let pdf = b"%PDF-1.4\n";
    assert_eq!(Format::detect(pdf, "notes.docx"), Some(Format::Pdf));
    assert_eq!(Format::detect(b"junk\n%PDF-1.4\n", "a.pdf"), Some(Format::Pdf));
    assert_eq!(Format::detect(b"A text about %PDF-1.4\n", "a.txt"), Some(Format::Text));
    assert_eq!(Format::detect(&docx("", &[]), "a.pdf"), Some(Format::Docx));
    assert_eq!(Format::detect(&epub(&[("a", "")], &[]), "a.zip"), Some(Format::Epub));
    assert_eq!(Format::detect(&zip(&[("a.txt", "")]), "a.zip"), None);
    assert_eq!(Format::detect(b" <!DOCTYPE html><p>", "a.txt"), Some(Format::Html));
    assert_eq!(Format::detect(b"<html>", "a.md"), Some(Format::Markdown));
    assert_eq!(Format::detect(b"a;b", "A.CSV"), Some(Format::Csv));
    assert_eq!(Format::detect(b"\x89PNG", "a.png"), None);
    assert_eq!(Format::detect(b"", "no_extension"), None);
}

#[test]
fn markdown_passes_through() {
    assert_eq!(markdown("\u{feff}# A\r\n\r\n*b*", "a.md"), "# A\n\n*b*\n");
}

/// Returns what a reader of Markdown sees, if it is nothing but paragraphs.
fn seen(markdown: &str) -> Option<String> {
    let mut out = String::new();
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(text) => out.push_str(&text),
            Event::SoftBreak | Event::Start(Tag::Paragraph) => out.push(' '),
            Event::End(TagEnd::Paragraph) => {}
            _ => return None,
        }
    }
    Some(out.split_whitespace().collect::<Vec<_>>().join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_text_stays_plain(text in r"[-a-zA-Z0-9 \n#>*_+=~`<>&;:|.()\[\]!^/\\$é]{0,60}") {
        prop_assume!(!text.starts_with(" <"));
        let converted = convert(text.clone().into_bytes(), Format::Text, &Limits::default()).unwrap();
        let wanted = text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(seen(&converted.markdown), Some(wanted), "{}", converted.markdown);
    }
}
