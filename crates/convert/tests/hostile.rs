//! Files that are broken, that lie, and that want to do harm: each ends with a reason, and none takes the process.

mod made;

use std::io::Read;
use std::time::Duration;

use made::pdf::{IMAGE, pages, pages_with, pdf, stream, text, turned};
use made::zip;
use mge_convert::{ConvertError, Converted, Format, Limits, convert};
use proptest::prelude::*;

const ALL: [Format; 7] =
    [Format::Pdf, Format::Html, Format::Docx, Format::Epub, Format::Text, Format::Csv, Format::Markdown];

fn read(bytes: impl Into<Vec<u8>>, format: Format) -> Result<Converted, ConvertError> {
    convert(bytes.into(), format, &Limits::default())
}

fn is_broken(result: &Result<Converted, ConvertError>) -> bool {
    matches!(result, Err(ConvertError::Broken { .. }))
}

#[test]
fn an_empty_file_is_broken_or_empty() {
    for format in ALL {
        let result = read("", format);
        match format {
            Format::Pdf | Format::Docx | Format::Epub => assert!(is_broken(&result), "{format}: {result:?}"),
            _ => assert_eq!(result.unwrap().markdown, ""),
        }
    }
}

#[test]
fn a_cut_file_gives_what_is_left_or_says_that_it_is_broken() {
    let whole =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/pdf/typst-charter.pdf")).unwrap();
    for share in 1..12 {
        let cut = whole[..whole.len() * share / 12].to_vec();
        let result = read(cut, Format::Pdf);
        assert!(result.is_ok() || is_broken(&result), "{result:?}");
    }
    let document = format!("<w:document xmlns:w='w'>{}", "<w:p><w:r><w:t>a</w:t></w:r></w:p>".repeat(99));
    let whole = zip(&[("word/document.xml", &document)]);
    for share in 1..12 {
        assert!(is_broken(&read(&whole[..whole.len() * share / 12], Format::Docx)));
    }
    // XML that stops in the middle still has its beginning.
    assert_eq!(read(whole, Format::Docx).unwrap().markdown.lines().filter(|line| *line == "a").count(), 99);
}

#[test]
fn five_thousand_pages_are_read_and_marked() {
    let contents: Vec<String> = (1..=5_000).map(|page| text(&format!("This is sheet {page}."))).collect();
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let bytes = pages(&contents, "");
    let converted = read(bytes.clone(), Format::Pdf).unwrap();
    assert_eq!(converted.pages.len(), 5_000);
    for number in [1, 2, 77, 5_000] {
        let mark = &converted.pages[number - 1];
        assert_eq!(mark.label, number.to_string());
        assert!(converted.markdown[mark.offset..].starts_with(&format!("This is sheet {number}.")));
    }
    let limits = Limits { pages: 4_999, ..Limits::default() };
    let error = convert(bytes, Format::Pdf, &limits).unwrap_err();
    assert_eq!(error, ConvertError::TooLarge { what: "pages", limit: 4_999 });
}

#[test]
fn pages_have_the_labels_that_the_document_gives_them() {
    let numbers = "[0<</S/r>>2<</S/D/St 7>>3<</P(A-)/S/D>>4<</S/A/St 27>>]";
    let labels = |catalog: &str| {
        let converted = read(pages_with(&[text("Text.").as_str(); 5], catalog, ""), Format::Pdf).unwrap();
        converted.pages.into_iter().map(|page| page.label).collect::<Vec<_>>()
    };
    let wanted = ["i", "ii", "7", "A-1", "AA"];
    assert_eq!(labels(&format!("/PageLabels<</Nums{numbers}>>")), wanted);
    assert_eq!(labels(&format!("/PageLabels<</Kids[<</Nums{numbers}>>]>>")), wanted);
    // A tree that holds itself ends.
    assert_eq!(labels("/PageLabels 1 0 R/Kids[1 0 R 1 0 R 1 0 R]"), ["1", "2", "3", "4", "5"]);
}

#[test]
fn tables_of_objects_that_lead_to_themselves_end() {
    let sound = pages(&[&text("Here.")], "");
    let at = sound.windows(9).rposition(|window| window == b"startxref").unwrap();
    let place = std::str::from_utf8(&sound[at + 10..]).unwrap().lines().next().unwrap().to_owned();
    let result = read(pages(&[&text("Here.")], &format!("/Prev {place}")), Format::Pdf);
    assert_eq!(result.unwrap().markdown, "Here.\n");
}

#[test]
fn trees_of_pages_that_lead_to_themselves_end() {
    let catalog = b"<</Type/Catalog/Pages 2 0 R>>".to_vec();
    for kids in ["2 0 R", "1 0 R 2 0 R 3 0 R", "3 0 R"] {
        let objects = [
            catalog.clone(),
            format!("<</Type/Pages/Kids[{kids}]/Count 3>>").into_bytes(),
            b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>".to_vec(),
        ];
        let result = read(pdf(&objects, ""), Format::Pdf);
        assert!(
            is_broken(&result) || result.as_ref().is_ok_and(|done| done.markdown.is_empty()),
            "{result:?}"
        );
    }
}

/// A form that draws the next one ten times, twenty deep.
fn forms() -> Vec<u8> {
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>"
            .to_vec(),
        stream("", b"/X Do"),
    ];
    for next in 6..26 {
        let dictionary =
            format!("/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X {next} 0 R>>>>");
        objects.push(stream(&dictionary, "/X Do ".repeat(10).as_bytes()));
    }
    objects.push(stream("/Type/XObject/Subtype/Form/BBox[0 0 600 800]", b"0 0 9 9 re f"));
    pdf(&objects, "")
}

#[test]
fn a_page_that_draws_without_end_is_too_slow() {
    let limits = Limits { time: Duration::from_millis(200), ..Limits::default() };
    let error = convert(forms(), Format::Pdf, &limits).unwrap_err();
    assert_eq!(error, ConvertError::TooSlow { limit: limits.time });
    assert_eq!(error.to_string(), "not converted within 0.2 s");
}

#[test]
fn a_form_that_draws_itself_ends() {
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>"
            .to_vec(),
        stream("", b"/X Do"),
        stream("/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X 5 0 R>>>>", b"/X Do"),
    ];
    assert_eq!(read(pdf(&objects, ""), Format::Pdf).unwrap().markdown, "");
}

#[test]
fn a_scanned_document_says_so() {
    let error = read(pages(&[IMAGE, IMAGE, IMAGE], ""), Format::Pdf).unwrap_err();
    assert_eq!(error, ConvertError::Scanned { pages: 3 });
    assert_eq!(error.to_string(), "no text layer; 3 pages of images");
    let converted =
        read(pages(&[&text("Seen."), IMAGE, &text("Seen too."), IMAGE], ""), Format::Pdf).unwrap();
    assert_eq!(converted.markdown, "Seen.\n\nSeen too.\n");
    assert_eq!(converted.warnings, ["no text layer, an image only: page 2, 4"]);
}

#[test]
fn a_document_behind_a_password_says_so() {
    let key = "00".repeat(32);
    let trailer = format!("/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<{key}>/U<{key}>>>");
    let error = read(pages(&[&text("Secret.")], &trailer), Format::Pdf).unwrap_err();
    assert_eq!(error, ConvertError::Encrypted { format: Format::Pdf });
    let mut word = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    word.resize(512, 0);
    let old = word.clone();
    word.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(Format::detect(&word, "a.docx"), Some(Format::Docx));
    assert_eq!(read(word, Format::Docx).unwrap_err(), ConvertError::Encrypted { format: Format::Docx });
    assert!(matches!(read(old, Format::Docx), Err(ConvertError::Unsupported { .. })));
}

#[test]
fn a_name_that_lies_is_found_out_or_refused() {
    let bytes = pages(&[&text("A PDF.")], "");
    let format = Format::detect(&bytes, "report.docx").unwrap();
    assert_eq!(read(bytes.clone(), format).unwrap().markdown, "A PDF.\n");
    assert!(is_broken(&read(bytes, Format::Docx)));
    assert!(is_broken(&read("no PDF at all", Format::Pdf)));
    assert!(is_broken(&read(b"\x00\x01\x02\xff\x00".to_vec(), Format::Text)));
}

#[test]
fn archives_are_unpacked_within_limits() {
    let bomb = format!("<w:document xmlns:w='w'>{}</w:document>", " ".repeat(4 << 20));
    let limits = Limits { unpacked: 1 << 20, ..Limits::default() };
    let error = convert(zip(&[("word/document.xml", &bomb)]), Format::Docx, &limits).unwrap_err();
    assert_eq!(error, ConvertError::TooLarge { what: "unpacked bytes of an archive", limit: 1 << 20 });
    let names: Vec<String> = (0..50).map(|number| number.to_string()).collect();
    let entries: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let limits = Limits { entries: 49, ..Limits::default() };
    let error = convert(zip(&entries), Format::Epub, &limits).unwrap_err();
    assert_eq!(error, ConvertError::TooLarge { what: "files in an archive", limit: 49 });
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::read::ZlibEncoder::new(bytes, flate2::Compression::default());
    let mut out = Vec::new();
    encoder.read_to_end(&mut out).expect("memory is read");
    out
}

#[test]
fn streams_of_a_pdf_are_unpacked_within_limits() {
    let content = [text("Seen.").into_bytes(), vec![b' '; 4 << 20]].concat();
    let once = pack(&content);
    for (filter, packed) in [("/Filter/FlateDecode", once.clone()), ("/Filter[/FlateDecode/Fl]", pack(&once))]
    {
        let objects = [
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>".to_vec(),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
            stream(filter, &packed),
        ];
        let bytes = pdf(&objects, "");
        assert_eq!(read(bytes.clone(), Format::Pdf).unwrap().markdown, "Seen.\n");
        let limits = Limits { unpacked: 1 << 20, ..Limits::default() };
        let error = convert(bytes, Format::Pdf, &limits).unwrap_err();
        assert_eq!(error, ConvertError::TooLarge { what: "unpacked bytes of a stream", limit: 1 << 20 });
    }
}

#[test]
fn sizes_are_bounded() {
    let limits = Limits { bytes_in: 10, ..Limits::default() };
    let error = convert(vec![b'a'; 11], Format::Text, &limits).unwrap_err();
    assert_eq!(error, ConvertError::TooLarge { what: "bytes of a document", limit: 10 });
    let limits = Limits { bytes_out: 100, ..Limits::default() };
    // A small cell that covers much is large Markdown.
    let page = "<html><table><tr><td>a<td colspan=200>0123456789<tr><td>b</table>";
    let error = convert(page.into(), Format::Html, &limits).unwrap_err();
    assert_eq!(error, ConvertError::TooLarge { what: "bytes of Markdown", limit: 100 });
}

#[test]
fn cells_that_cover_much_are_repeated_within_limits() {
    let cell = format!("<td colspan=200 rowspan=200>{}</td>", "long ".repeat(20_000));
    let page =
        format!("<html><table><tr>{}</tr>{}</table>", cell.repeat(20), "<tr><td>x</td></tr>".repeat(300));
    let markdown = read(page, Format::Html).unwrap().markdown;
    assert!(markdown.len() < 4 << 20, "{}", markdown.len());
    let cell = format!(
        "<w:tc><w:tcPr><w:gridSpan w:val='200'/></w:tcPr><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>",
        "long ".repeat(20_000)
    );
    let document =
        format!("<w:document xmlns:w='w'><w:tbl><w:tr>{}</w:tr></w:tbl></w:document>", cell.repeat(20));
    let markdown = read(zip(&[("word/document.xml", &document)]), Format::Docx).unwrap().markdown;
    assert!(markdown.len() < 4 << 20, "{}", markdown.len());
}

#[test]
fn turned_pages_and_turned_text_are_read_in_order() {
    let lines = "BT /F 12 Tf 72 700 Td (One) Tj 0 -30 Td (Two) Tj 0 -30 Td (Three) Tj ET";
    for degrees in [0, 90, 180, 270] {
        let sideways = format!("q 0 1 -1 0 600 0 cm {lines} Q").replace("700", "500");
        for content in [lines, &sideways] {
            let converted = read(turned(content, degrees), Format::Pdf).unwrap();
            let words: Vec<&str> = converted.markdown.split_whitespace().collect();
            assert_eq!(words, ["One", "Two", "Three"], "{content} turned by {degrees}");
        }
    }
}

#[test]
fn lines_that_are_alike_on_one_page_are_text() {
    let lines: String =
        (0..6).map(|row| format!("BT /F 12 Tf 72 {} Td (Row {row} of it) Tj ET ", 790 - 16 * row)).collect();
    let markdown = read(pages(&[&lines, &text("Else.")], ""), Format::Pdf).unwrap().markdown;
    assert!((0..6).all(|row| markdown.contains(&format!("Row {row} of it"))), "{markdown}");
}

#[test]
fn pages_that_hold_one_line_each_keep_it() {
    let high = |number: usize| format!("BT /F 12 Tf 72 760 Td (Card {number}) Tj ET");
    let contents: Vec<String> = (1..=9).map(high).collect();
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let markdown = read(pages(&contents, ""), Format::Pdf).unwrap().markdown;
    assert!((1..=9).all(|number| markdown.contains(&format!("Card {number}"))), "{markdown}");
}

#[test]
fn entities_are_not_expanded() {
    let bomb = "<?xml version='1.0'?><!DOCTYPE d [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>\
                <!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
                <w:document xmlns:w='w'><w:p><w:r><w:t>x&b;&f;&amp;</w:t></w:r></w:p></w:document>";
    assert_eq!(read(zip(&[("word/document.xml", bomb)]), Format::Docx).unwrap().markdown, "x&\n");
}

#[test]
fn depth_costs_nothing() {
    let deep =
        |open: &str, close: &str| format!("<html>{}deep{}", open.repeat(100_000), close.repeat(100_000));
    assert_eq!(read(deep("<div>", "</div>"), Format::Html).unwrap().markdown, "deep\n");
    assert_eq!(read(deep("<b>", ""), Format::Html).unwrap().markdown, "deep\n");
    for (open, close) in
        [("<ul><li>", "</ul>"), ("<blockquote>", "</blockquote>"), ("<ol><li><blockquote>", "")]
    {
        let converted = read(deep(open, close), Format::Html).unwrap();
        assert!(converted.markdown.ends_with("deep\n"), "{}", converted.markdown);
        assert_eq!(converted.warnings, ["what is nested deeper than 32 came out flat"]);
    }
    let tables = read(deep("<table><tr><td>", "</table>"), Format::Html).unwrap();
    assert_eq!(tables.markdown, "deep\n");
    let word = |name: &str| {
        format!(
            "<w:document xmlns:w='w'>{}<w:r><w:t>deep</w:t></w:r>{}</w:document>",
            format!("<w:{name}>").repeat(100_000),
            format!("</w:{name}>").repeat(100_000)
        )
    };
    for name in ["p", "sdt", "tbl", "r"] {
        let result = read(zip(&[("word/document.xml", &word(name))]), Format::Docx);
        assert!(result.is_ok(), "{name}: {result:?}");
    }
    let array = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = [format!("<</Type/Catalog/Pages 2 0 R/X {array}>>").into_bytes(), array.into_bytes()];
    let result = read(pdf(&objects, ""), Format::Pdf);
    assert!(is_broken(&result), "{result:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        for format in ALL {
            let result = read(bytes.clone(), format);
            prop_assert!(!matches!(result, Err(ConvertError::Failed { .. })), "{format}: {result:?}");
        }
        let headed = [b"%PDF-1.7\n", bytes.as_slice()].concat();
        let result = read(headed, Format::Pdf);
        prop_assert!(!matches!(result, Err(ConvertError::Failed { .. })), "{result:?}");
    }

    #[test]
    fn pages_that_draw_anything_never_panic(
        content in r"[-0-9. \n()<>\[\]/a-zA-Z'*]{0,40}( (Tf|Td|Tj|TJ|Tm|re|f|S|cm|q|Q|BT|ET|Do|m|l|c|W|n|Tz|Ts) ?[-0-9. /F()I]{0,12}){0,12}"
    ) {
        let result = read(pages(&[&content, &text("sound")], ""), Format::Pdf);
        prop_assert!(!matches!(result, Err(ConvertError::Failed { .. })), "{result:?}");
    }

    #[test]
    fn bytes_changed_in_a_real_file_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..30)) {
        let mut bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/pdf/reportlab-mill.pdf")).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let result = read(bytes, Format::Pdf);
        prop_assert!(!matches!(result, Err(ConvertError::Failed { .. })), "{result:?}");
    }

    #[test]
    fn tags_in_any_order_never_panic(tags in prop::collection::vec(
        prop::sample::select(vec!["ul", "ol", "li", "p", "table", "tr", "td", "pre", "code", "a href='x'", "h2", "blockquote", "nav", "title", "hr", "br", "svg", "article"]), 0..30),
        ends in prop::collection::vec(any::<bool>(), 30)) {
        let mut page = "<html>".to_owned();
        for (tag, end) in tags.iter().zip(ends) {
            let name = tag.split(' ').next().unwrap();
            page.push_str(&if end { format!("</{name}>t") } else { format!("<{tag}>u") });
        }
        let result = read(page, Format::Html);
        prop_assert!(result.is_ok(), "{result:?}");
    }
}
