//! Exports for tests.

use std::io::{self, Write};

use quick_xml::escape::escape;

/// Writes an export of at least a number of bytes, and returns how many pages it has.
///
/// The texts are repeated, in order, as the pages `Page 0`, `Page 1` and so on; the same arguments give the same
/// bytes. Without texts the pages are empty.
///
/// # Errors
///
/// Whatever writing fails with.
pub fn write_export(mut out: impl Write, texts: &[String], bytes: u64) -> io::Result<usize> {
    let head = "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.11/\" version=\"0.11\" xml:lang=\"en\">\n  \
                <siteinfo><sitename>Test</sitename><case>first-letter</case></siteinfo>\n";
    out.write_all(head.as_bytes())?;
    let (mut written, mut pages) = (head.len() as u64, 0);
    while written < bytes {
        let text = texts.get(pages % texts.len().max(1)).map_or("", String::as_str);
        let page = format!(
            "  <page><title>Page {pages}</title><ns>0</ns><id>{id}</id><revision><id>{id}</id>\
             <timestamp>2020-01-01T00:00:00Z</timestamp><text xml:space=\"preserve\">{}</text></revision></page>\n",
            escape(text),
            id = pages + 1,
        );
        out.write_all(page.as_bytes())?;
        written += page.len() as u64;
        pages += 1;
    }
    out.write_all(b"</mediawiki>\n")?;
    out.flush()?;
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Export;

    #[test]
    fn a_written_export_is_read() {
        let texts = ["a <b> & c".to_owned(), "'''d'''".to_owned()];
        let mut bytes = Vec::new();
        let count = write_export(&mut bytes, &texts, 20_000).unwrap();
        assert!(bytes.len() >= 20_000 && bytes.len() < 20_500);
        let pages = Export::new(&bytes[..]).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(pages.len(), count);
        assert_eq!((pages[0].text.as_str(), pages[3].text.as_str()), ("a <b> & c", "'''d'''"));
        assert_eq!(pages[3].title, "Page 3");
    }
}
