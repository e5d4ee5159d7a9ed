//! What a file is.

use std::fmt;

use crate::archive;

/// A kind of document that can become Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Portable Document Format.
    Pdf,
    /// HTML or XHTML.
    Html,
    /// Office Open XML text, as Word writes it.
    Docx,
    /// An electronic book.
    Epub,
    /// Plain text.
    Text,
    /// A table of values between commas, semicolons, tabs or bars.
    Csv,
    /// Markdown, which passes through.
    Markdown,
}

/// The extensions that are read, and what they promise.
const BY_EXTENSION: [(&str, Format); 15] = [
    ("pdf", Format::Pdf),
    ("html", Format::Html),
    ("htm", Format::Html),
    ("xhtml", Format::Html),
    ("docx", Format::Docx),
    ("docm", Format::Docx),
    ("dotx", Format::Docx),
    ("epub", Format::Epub),
    ("txt", Format::Text),
    ("text", Format::Text),
    ("csv", Format::Csv),
    ("tsv", Format::Csv),
    ("tab", Format::Csv),
    ("md", Format::Markdown),
    ("markdown", Format::Markdown),
];

/// How far into a file the mark of a PDF may lie; mail gateways and printers put lines before it.
const PDF_MARK_WITHIN: usize = 1024;

/// The start of a Microsoft compound file: an old `.doc`, or a `.docx` behind a password.
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

impl Format {
    /// The extensions that are read, in lower case and without their dot.
    pub const EXTENSIONS: [&'static str; BY_EXTENSION.len()] = {
        let mut extensions = [""; BY_EXTENSION.len()];
        let mut at = 0;
        while at < extensions.len() {
            extensions[at] = BY_EXTENSION[at].0;
            at += 1;
        }
        extensions
    };

    /// Returns what a file is, by what it starts with, then by its name's extension.
    ///
    /// A name that lies is found out: a PDF called `notes.docx` is a PDF. `None` means that it is nothing this crate
    /// reads.
    #[must_use]
    pub fn detect(bytes: &[u8], name: &str) -> Option<Self> {
        let named = Self::from_name(name);
        let is_text = matches!(named, Some(Self::Text | Self::Csv | Self::Markdown | Self::Html));
        let head = &bytes[..bytes.len().min(PDF_MARK_WITHIN)];
        let pdf_mark = head.windows(5).position(|window| window == b"%PDF-");
        if pdf_mark == Some(0) || (pdf_mark.is_some() && !is_text) {
            return Some(Self::Pdf);
        }
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            // A damaged archive is told as such by the reader of what its name promises.
            return archive::kind(bytes).or(named.filter(|format| matches!(format, Self::Docx | Self::Epub)));
        }
        if bytes.starts_with(COMPOUND) {
            return (named == Some(Self::Docx)).then_some(Self::Docx);
        }
        if named != Some(Self::Markdown) && starts_as_html(head) {
            return Some(Self::Html);
        }
        named
    }

    /// Returns what a name's extension promises.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        BY_EXTENSION.iter().find(|(known, _)| *known == extension).map(|(_, format)| *format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pdf => "PDF",
            Self::Html => "HTML",
            Self::Docx => "DOCX",
            Self::Epub => "EPUB",
            Self::Text => "text",
            Self::Csv => "CSV",
            Self::Markdown => "Markdown",
        })
    }
}

fn starts_as_html(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    head.starts_with("<!doctype html")
        || head.starts_with("<html")
        || (head.starts_with("<?xml") && head.contains("<html"))
}

/// Tells whether the bytes are a Microsoft compound file, and whether it wraps an encrypted document.
pub(crate) fn compound(bytes: &[u8]) -> Option<bool> {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.starts_with(COMPOUND).then(|| bytes.windows(name.len()).any(|window| window == name))
}
