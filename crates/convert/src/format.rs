//! Which format a document has.

/// A format of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Portable Document Format.
    Pdf,
    /// HTML and XHTML.
    Html,
    /// Office Open XML, a text.
    Docx,
    /// A book of HTML chapters.
    Epub,
    /// Plain text.
    Text,
    /// Values separated by commas, semicolons, tabs or bars.
    Csv,
    /// Values separated by tabs.
    Tsv,
    /// Markdown, which stays as it is.
    Markdown,
}

const BY_ENDING: [(&str, Format); 14] = [
    ("pdf", Format::Pdf),
    ("html", Format::Html),
    ("htm", Format::Html),
    ("xhtml", Format::Html),
    ("docx", Format::Docx),
    ("epub", Format::Epub),
    ("txt", Format::Text),
    ("text", Format::Text),
    ("log", Format::Text),
    ("csv", Format::Csv),
    ("tsv", Format::Tsv),
    ("tab", Format::Tsv),
    ("md", Format::Markdown),
    ("markdown", Format::Markdown),
];

/// A ZIP archive names its first member right behind a header of this length.
const ZIP_HEADER: usize = 30;

impl Format {
    /// The endings of the names of documents that can be converted.
    pub const EXTENSIONS: [&'static str; 14] = {
        let mut endings = [""; BY_ENDING.len()];
        let mut at = 0;
        while at < BY_ENDING.len() {
            endings[at] = BY_ENDING[at].0;
            at += 1;
        }
        endings
    };

    /// Returns the format of a document: as its first bytes say, else as its name ends.
    pub fn detect(bytes: &[u8], name: &str) -> Option<Self> {
        let by_ending =
            name.rsplit('.').next().filter(|ending| ending.len() < name.len()).and_then(|ending| {
                let ending = ending.to_lowercase();
                BY_ENDING.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format)
            });
        if bytes[..bytes.len().min(1024)].windows(5).any(|start| start == b"%PDF-") {
            return Some(Self::Pdf);
        }
        if bytes.starts_with(b"PK\x03\x04") {
            let first = bytes.get(ZIP_HEADER..).unwrap_or_default();
            return match by_ending {
                Some(Self::Docx | Self::Epub) => by_ending,
                _ if first.starts_with(b"mimetypeapplication/epub+zip") => Some(Self::Epub),
                _ if first.starts_with(b"[Content_Types].xml") => Some(Self::Docx),
                _ => None,
            };
        }
        match by_ending {
            // What is no archive is no book and no office document.
            Some(Self::Docx | Self::Epub | Self::Pdf) => None,
            Some(format) => Some(format),
            None => {
                let start = bytes[..bytes.len().min(512)].to_ascii_lowercase();
                let starts = |word: &[u8]| start.windows(word.len()).any(|part| part == word);
                (starts(b"<!doctype html") || starts(b"<html")).then_some(Self::Html)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_say_more_than_names() {
        for (bytes, name, format) in [
            (&b"%PDF-1.7\n"[..], "letter.txt", Some(Format::Pdf)),
            (b"junk\n%PDF-1.4", "x.pdf", Some(Format::Pdf)),
            (b"not one", "x.pdf", None),
            (b"a,b\n", "T.CSV", Some(Format::Csv)),
            (b"a\tb\n", "t.tsv", Some(Format::Tsv)),
            (b"<!DOCTYPE html><p>x", "page", Some(Format::Html)),
            (b"words", "csv", None),
            (b"words", "a.csv/words", None),
            (b"no archive", "x.docx", None),
            (b"", "x.txt", Some(Format::Text)),
        ] {
            assert_eq!(Format::detect(bytes, name), format, "{name}");
        }
        let mut epub = b"PK\x03\x04".to_vec();
        epub.resize(ZIP_HEADER, 0);
        epub.extend_from_slice(b"mimetypeapplication/epub+zip");
        assert_eq!(Format::detect(&epub, "book"), Some(Format::Epub));
    }
}
