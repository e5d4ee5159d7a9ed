//! One document's bytes as Markdown.
//!
//! This crate owns formats: it tells what a file is, and turns PDF, HTML, DOCX, EPUB, plain text and tables into
//! Markdown (CommonMark with GFM tables and footnotes). Structure comes over (headings, paragraphs, lists, tables,
//! links, code, quotes, footnotes, the places where pages begin); emphasis, colors and images do not. Where files
//! lie, and what becomes of the Markdown, it leaves to others. In go bytes, a [`Format`] and [`Limits`]; out comes
//! a [`Converted`], or a [`ConvertError`] that its reader can act on. Nothing is trusted: size, depth, number of
//! pages and time are bounded, and a library that panics fails alone.
//!
//! ```
//! use mge_convert::{Format, Limits, convert};
//!
//! let bytes = b"<h1>Guide</h1><nav>Home</nav><p>Walk <a href='https://example.org/'>slowly</a>.".to_vec();
//! let format = Format::detect(&bytes, "guide.html").expect("it is HTML");
//! let converted = convert(bytes, format, &Limits::default())?;
//! assert_eq!(converted.markdown, "# Guide\n\nWalk [slowly](https://example.org/).\n");
//! # Ok::<(), mge_convert::ConvertError>(())
//! ```

mod archive;
mod decode;
mod docx;
mod epub;
mod error;
mod escape;
mod format;
mod html;
mod inline;
mod limits;
mod pdf;
mod table;
mod text;
mod worker;
mod writer;
mod xml;

pub use error::ConvertError;
pub use format::Format;
pub use limits::Limits;
pub use worker::convert;
pub use writer::{Converted, PageMark};
