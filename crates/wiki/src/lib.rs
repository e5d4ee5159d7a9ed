//! MediaWiki exports: pages, and their wikitext as Markdown.
//!
//! This crate owns two formats: the XML that a wiki is exported as ([`Export`], compressed or not), and the text of its
//! pages ([`to_markdown`]), with the names of the files that pages are written to ([`file_name`]). It leaves to others
//! where an export is, which of its pages are wanted, and where the files go. In goes a stream of bytes; out come pages
//! and Markdown.
//!
//! ```
//! use mge_wiki::{Export, decompress, file_name, title_heading, to_markdown};
//!
//! let xml = "<mediawiki><page><title>Ada</title><revision><text>'''Ada''' counted.</text></revision></page></mediawiki>";
//! let mut export = Export::new(decompress(xml.as_bytes())?)?.only_namespaces([0]);
//! let site = export.site().clone();
//! let page = export.next().expect("the export has a page")?;
//! let article = to_markdown(&site, &page.title, &page.text);
//! assert_eq!(file_name(&page.title), "Ada.md");
//! assert_eq!(format!("{}\n{}", title_heading(&page.title), article.markdown), "# Ada\n\n**Ada** counted.\n");
//! # Ok::<(), mge_wiki::ExportError>(())
//! ```

mod bounded;
mod compression;
mod error;
mod export;
mod markup;
mod name;
mod site;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use compression::decompress;
pub use error::ExportError;
pub use export::{Export, Page};
pub use markup::{Article, title_heading, to_markdown};
pub use name::{distinct_file_name, file_name, link_target, name_key};
pub use site::Site;
