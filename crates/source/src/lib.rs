//! Corpora as one index tree.
//!
//! This crate owns the way from a folder of files to nodes and chunks: which files belong to a source, their
//! decoding, the elements of a Markdown file with their byte spans, the chunks that a formalizer reads, and the index
//! that they are searched by. It leaves what the text *means* to others. In go a folder and a [`SourceConfig`]; out come indices, objects and
//! [`mge_core::Document`]s, through [`Source`] or, as a component of an endpoint, through [`KIND`].
//!
//! ```
//! use mge_core::{Cancel, NoProgress};
//! use mge_source::{Source, SourceConfig};
//!
//! let folder = std::env::temp_dir().join(format!("mge-source-example-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! std::fs::write(folder.join("guide.md"), "# Guide\n\nWalk *slowly*.\n")?;
//! let zone = jiff::tz::TimeZone::UTC;
//! let source = Source::open("docs", &folder, SourceConfig::default(), zone, &NoProgress, &Cancel::default())?;
//! assert_eq!(source.children("docs")?, ["docs|guide.md"]);
//! assert_eq!(source.object("docs|guide.md|text_2")?.text, "Walk *slowly*.");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agentic;
mod cache;
mod chunks;
mod config;
mod date;
mod decode;
mod error;
mod index;
mod open;
mod pages;
mod place;
mod shelf;
mod source;
#[cfg(test)]
mod tests;
mod tree;
mod view;

pub use agentic::KIND;
pub use config::{
    Authority, Convert, ConverterCommand, DateFrom, GlobAuthority, IndexConfig, Layout, SourceConfig,
    SourceType,
};
pub use error::OpenError;
pub use open::DOCUMENT_ENDINGS;
pub use source::Source;
pub use tree::ElementKind;
pub use view::{Extent, NodeKind, NodeView};
