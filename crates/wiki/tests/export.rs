//! Exports: versions of the schema, revisions, broken and hostile ones, compression.

use std::io::{self, Read, Write};

use mge_wiki::{Export, ExportError, Page, decompress};

fn pages(xml: &str) -> Vec<Page> {
    Export::new(xml.as_bytes()).and_then(Iterator::collect).expect("the export is complete")
}

const SMALL: &str = r#"<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="de">
  <siteinfo>
    <sitename>Wikipedia</sitename><dbname>dewiki</dbname><base>https://de.wikipedia.org/wiki/Haupt</base><case>first-letter</case>
    <namespaces>
      <namespace key="-1" case="first-letter">Spezial</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="6" case="first-letter">Datei</namespace>
    </namespaces>
  </siteinfo>
  <page><title>A &amp; B</title><ns>0</ns><id>7</id>
    <revision><id>3</id><timestamp>2012-01-01T00:00:00Z</timestamp>
      <contributor><username>Ann</username><id>99</id></contributor>
      <model>wikitext</model><text bytes="3" xml:space="preserve">a &lt;b&gt; &#228;&#xE4; &quot;</text></revision></page>
  <page><title>Datei:X.png</title><ns>6</ns><id>8</id><revision><text>file</text></revision></page>
  <page><title>C</title><ns>0</ns><id>9</id><redirect title="A &amp; B" /><revision><text>#WEITERLEITUNG [[A &amp; B]]</text></revision></page>
</mediawiki>
"#;

#[test]
fn a_page_has_what_the_export_says() {
    let mut export = Export::new(SMALL.as_bytes()).unwrap();
    assert_eq!(export.site().name, "Wikipedia");
    assert_eq!(export.site().language, "de");
    assert_eq!(export.site().base, "https://de.wikipedia.org/wiki/Haupt");
    assert_eq!(export.site().namespaces[&6], "Datei");
    let page = export.next().unwrap().unwrap();
    assert_eq!(
        page,
        Page {
            title: "A & B".into(),
            namespace: 0,
            id: 7,
            redirect: None,
            revision: 3,
            timestamp: "2012-01-01T00:00:00Z".into(),
            contributor: "Ann".into(),
            model: "wikitext".into(),
            text: "a <b> ää \"".into(),
            end: SMALL.find("</page>").unwrap() as u64 + 7,
        }
    );
    let rest: Vec<Page> = export.collect::<Result<_, _>>().unwrap();
    assert_eq!(rest.iter().map(|page| page.namespace).collect::<Vec<_>>(), [6, 0]);
    assert_eq!(rest[1].redirect.as_deref(), Some("A & B"));
}

#[test]
fn namespaces_are_filtered_by_number() {
    let export = Export::new(SMALL.as_bytes()).unwrap().only_namespaces([6]);
    let titles: Vec<String> = export.map(|page| page.unwrap().title).collect();
    assert_eq!(titles, ["Datei:X.png"]);
    // Old versions do not number the namespace: the title says it.
    let old = SMALL.replace("<ns>6</ns>", "").replace("<ns>0</ns>", "");
    let export = Export::new(old.as_bytes()).unwrap().only_namespaces([0]);
    let titles: Vec<String> = export.map(|page| page.unwrap().title).collect();
    assert_eq!(titles, ["A & B", "C"]);
}

#[test]
fn every_version_of_the_schema_is_read() {
    for version in ["0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "0.10", "0.11", "0.12", "1.0"] {
        let xml = SMALL.replace("0.10", version);
        assert_eq!(pages(&xml).len(), 3, "{version}");
    }
    let prefixed = "<m:mediawiki xmlns:m=\"x\"><m:page><m:title>T</m:title><m:revision><m:text>t</m:text></m:revision></m:page></m:mediawiki>";
    assert_eq!(pages(prefixed)[0].text, "t");
}

#[test]
fn the_newest_revision_counts_wherever_it_is() {
    let revision = |stamp: &str, text: &str| {
        format!("<revision><timestamp>{stamp}</timestamp><text>{text}</text></revision>")
    };
    let xml = format!(
        "<mediawiki><page><title>T</title>{}{}{}</page></mediawiki>",
        revision("2010-05-01T00:00:00Z", "middle"),
        revision("2011-05-01T00:00:00Z", "newest"),
        revision("2009-05-01T00:00:00Z", "oldest")
    );
    assert_eq!(pages(&xml)[0].text, "newest");
    let xml = "<mediawiki><page><title>T</title><revision><text>old</text></revision><revision><text>new</text></revision></page></mediawiki>";
    assert_eq!(pages(xml)[0].text, "new");
    // Other slots of a revision are not its text.
    let xml = "<mediawiki><page><title>T</title><revision><text>main</text><content><role>x</role><text>slot</text></content></revision></page></mediawiki>";
    assert_eq!(pages(xml)[0].text, "main");
}

#[test]
fn a_truncated_export_gives_the_pages_before() {
    let whole = SMALL.find("<page><title>C").unwrap();
    for cut in [whole, whole + 3, whole + 20, SMALL.len() - 20] {
        let mut export = Export::new(&SMALL.as_bytes()[..cut]).unwrap();
        let mut titles = Vec::new();
        let error = loop {
            match export.next().unwrap() {
                Ok(page) => titles.push(page.title),
                Err(error) => break error,
            }
        };
        assert!(titles.starts_with(&["A & B".to_owned(), "Datei:X.png".to_owned()]), "{cut}");
        assert!(matches!(error, ExportError::Truncated { position } if position == cut as u64), "{error:?}");
        assert!(!error.is_about_one_page());
        assert!(export.next().is_none());
    }
}

#[test]
fn what_is_no_export_is_refused() {
    for text in [
        "",
        "   ",
        "hello",
        "{\"a\": 1}",
        "<html><body/></html>",
        "<?xml version=\"1.0\"?><feed/>",
        "\u{0}\u{1}\u{2}",
    ] {
        let error = Export::new(text.as_bytes()).unwrap_err();
        assert!(matches!(error, ExportError::NotAnExport { .. }), "{text}: {error:?}");
    }
    let error = Export::new(&[0xff, 0xfe, 0x3c, 0x00][..]).unwrap_err();
    assert!(matches!(error, ExportError::NotAnExport { .. }), "{error:?}");
}

#[test]
fn entities_are_never_expanded() {
    let bomb = "<!DOCTYPE mediawiki [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;\">]><mediawiki><page><title>T</title><revision><text>&b;</text></revision></page></mediawiki>";
    assert!(matches!(Export::new(bomb.as_bytes()).unwrap_err(), ExportError::DocumentType { .. }));
    let outside = "<!DOCTYPE mediawiki SYSTEM \"file:///etc/passwd\"><mediawiki/>";
    assert!(matches!(Export::new(outside.as_bytes()).unwrap_err(), ExportError::DocumentType { .. }));
    let undefined = "<mediawiki><page><title>T</title><revision><text>a &b; &#0; & c</text></revision></page></mediawiki>";
    assert_eq!(pages(undefined)[0].text, "a &b; \u{fffd} & c");
}

#[test]
fn deep_and_crossed_elements_end_the_reading() {
    let deep = format!("<mediawiki>{}", "<a>".repeat(100_000));
    assert!(matches!(Export::new(deep.as_bytes()).unwrap_err(), ExportError::TooDeep { .. }));
    let crossed = "<mediawiki><page><title>T</page></mediawiki>";
    assert!(matches!(
        Export::new(crossed.as_bytes()).unwrap().next(),
        Some(Err(ExportError::Malformed { .. }))
    ));
}

#[test]
fn a_byte_that_is_no_letter_spoils_only_itself() {
    let mut bytes = b"<mediawiki><page><title>T</title><revision><text>a ".to_vec();
    bytes.push(0xff);
    bytes.extend(b" b</text></revision></page><page><title>U</title></page></mediawiki>");
    let pages: Vec<Page> = Export::new(&bytes[..]).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(pages[0].text, "a \u{fffd} b");
    assert_eq!(pages[1].title, "U");
}

#[test]
fn reading_goes_on_where_it_was() {
    let all = pages(SMALL);
    for (number, page) in all.iter().enumerate() {
        let mut export = Export::new(SMALL.as_bytes()).unwrap();
        export.skip_to(page.end).unwrap();
        let rest: Vec<Page> = export.collect::<Result<_, _>>().unwrap();
        assert_eq!(rest, all[number + 1..]);
    }
    // Without a description of the wiki too.
    let xml = "<mediawiki><page><title>T</title></page><page><title>U</title></page></mediawiki>";
    let mut export = Export::new(xml.as_bytes()).unwrap();
    export.skip_to(pages(xml)[0].end).unwrap();
    assert_eq!(export.next().unwrap().unwrap().title, "U");
    let mut export = Export::new(xml.as_bytes()).unwrap();
    assert!(matches!(export.skip_to(1000).unwrap_err(), ExportError::Truncated { .. }));
    assert!(export.next().is_none());
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("writing to memory works");
    encoder.finish().expect("writing to memory works")
}

fn bz2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("writing to memory works");
    encoder.finish().expect("writing to memory works")
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("writing to memory works")
}

#[test]
fn compressed_exports_are_told_by_their_bytes() {
    let expected = pages(SMALL);
    let (first, second) = SMALL.as_bytes().split_at(SMALL.len() / 2);
    for pack in [gz, bz2, zst, <[u8]>::to_vec] {
        // One stream, and several one after the other.
        for packed in [pack(SMALL.as_bytes()), [pack(first), pack(second)].concat()] {
            let export = Export::new(decompress(&packed[..]).unwrap()).unwrap();
            assert_eq!(export.collect::<Result<Vec<_>, _>>().unwrap(), expected);
        }
    }
    for (bytes, name) in
        [(&b"\xfd7zXZ\x00abc"[..], "xz"), (b"7z\xbc\xaf\x27\x1cabc", "7z"), (b"PK\x03\x04abc", "zip")]
    {
        let error = decompress(bytes).err().unwrap();
        assert!(matches!(error, ExportError::UnknownCompression { format } if format == name), "{error:?}");
    }
    assert!(matches!(
        Export::new(decompress(&b""[..]).unwrap()).err().unwrap(),
        ExportError::NotAnExport { .. }
    ));
}

#[test]
fn a_cut_compressed_stream_gives_the_pages_before() {
    // Large enough that the first pages are unpacked before the end is missed.
    let page = |number: usize| {
        format!("<page><title>P{number}</title><revision><text>{number:0>2000}</text></revision></page>")
    };
    let xml = format!("<mediawiki>{}</mediawiki>", (0..2000).map(page).collect::<String>());
    for pack in [gz, zst] {
        let packed = pack(xml.as_bytes());
        let mut export = Export::new(decompress(&packed[..packed.len() / 2]).unwrap()).unwrap();
        let mut count = 0;
        let error = loop {
            match export.next().unwrap() {
                Ok(_) => count += 1,
                Err(error) => break error,
            }
        };
        assert!(count > 0);
        assert!(matches!(error, ExportError::Truncated { .. } | ExportError::Read { .. }), "{error:?}");
    }
}

/// Gives a head, then the same bytes for ever or often, then a tail.
struct Endless {
    head: Vec<u8>,
    body: &'static [u8],
    times: usize,
    tail: Vec<u8>,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let part = if self.at < self.head.len() {
            &self.head[self.at..]
        } else if self.times > 0 {
            self.times -= 1;
            let length = self.body.len().min(into.len());
            into[..length].copy_from_slice(&self.body[..length]);
            return Ok(length);
        } else {
            let at = (self.at - self.head.len()).min(self.tail.len());
            &self.tail[at..]
        };
        let length = part.len().min(into.len());
        into[..length].copy_from_slice(&part[..length]);
        self.at += length;
        Ok(length)
    }
}

#[test]
fn a_page_of_any_size_is_an_error_of_its_own() {
    // 256 MiB of text in one page: more than is ever held.
    let stream = Endless {
        head: b"<mediawiki><page><title>Big</title><revision><text>".to_vec(),
        body: &[b'a'; 8192],
        times: 32_768,
        tail: b"</text></revision></page><page><title>Next</title></page></mediawiki>".to_vec(),
        at: 0,
    };
    let mut export = Export::new(stream).unwrap();
    let error = export.next().unwrap().unwrap_err();
    assert!(matches!(&error, ExportError::PageTooLarge { title, .. } if title == "Big"), "{error:?}");
    assert!(error.is_about_one_page());
    assert_eq!(export.next().unwrap().unwrap().title, "Next");
    assert!(export.next().is_none());
}
