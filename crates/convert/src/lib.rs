//! Documents of other formats as Markdown.
//!
//! This crate owns the way from the bytes of one document to Markdown: plain text, tables of values, HTML, DOCX and EPUB. It
//! leaves to others where documents are and where the Markdown goes. In go bytes, a [`Format`] and [`Limits`]; out comes
//! what was [`Converted`], or an error that says what is wrong with the document.
//!
//! ```
//! use mge_convert::{Format, Limits, convert};
//!
//! let bytes = b"name,born\nAda,1815\n";
//! let format = Format::detect(bytes, "people.csv").expect("a known ending");
//! let converted = convert(bytes, format, &Limits::default())?;
//! assert_eq!(converted.markdown, "| name | born |\n| --- | --- |\n| Ada | 1815 |\n");
//! # Ok::<(), mge_convert::ConvertError>(())
//! ```

mod archive;
mod docx;
mod epub;
mod error;
mod format;
mod html;
mod plain;
mod table;
#[cfg(test)]
mod testing;
mod text;
mod xml;

pub use error::ConvertError;
pub use format::Format;

/// Changes whenever the same bytes may give another result.
pub const VERSION: &str = "1";

/// How much a conversion may take and give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a document.
    pub max_input_bytes: u64,
    /// The most bytes of Markdown, and of anything that is unpacked on the way.
    pub max_output_bytes: usize,
    /// The most pages.
    pub max_pages: usize,
    /// The most seconds that a document may take.
    pub max_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_input_bytes: 256 << 20, max_output_bytes: 64 << 20, max_pages: 10_000, max_seconds: 120 }
    }
}

/// A document as Markdown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Converted {
    /// The Markdown.
    pub markdown: String,
    /// Where its pages begin, in order; none where the format has no pages.
    pub pages: Vec<PageMark>,
    /// The title that the document states of itself.
    pub title: Option<String>,
    /// The author that it states.
    pub author: Option<String>,
    /// The date that it states, in the form of ISO 8601.
    pub date: Option<String>,
    /// What was lost or is doubtful.
    pub warnings: Vec<String>,
}

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMark {
    /// The byte of the Markdown.
    pub start: usize,
    /// The number or name of the page, as the document has it.
    pub label: String,
}

/// Converts a document.
///
/// # Errors
/// The document is encrypted, has no text, is broken, or takes more than the limits.
pub fn convert(bytes: &[u8], format: Format, limits: &Limits) -> Result<Converted, ConvertError> {
    let (size, limit) = (bytes.len() as u64, limits.max_input_bytes);
    if size > limit {
        return Err(ConvertError::TooLarge { size, limit });
    }
    let converted = match format {
        Format::Markdown => Converted { markdown: text::decode(bytes)?, ..Converted::default() },
        Format::Text => {
            Converted { markdown: plain::markdown(&text::decode(bytes)?), ..Converted::default() }
        }
        Format::Csv | Format::Tsv => table::convert(&text::decode(bytes)?, format, limits)?,
        Format::Html => html::convert(&text::decode_html(bytes)?, limits)?,
        Format::Docx => docx::convert(bytes, limits)?,
        Format::Epub => epub::convert(bytes, limits)?,
        Format::Pdf => return Err(ConvertError::Unsupported { what: "PDF" }),
    };
    let (size, limit) = (converted.markdown.len() as u64, limits.max_output_bytes as u64);
    if size > limit {
        return Err(ConvertError::TooLarge { size, limit });
    }
    Ok(converted)
}
