//! Wikitext as Markdown.
//!
//! Three steps: [`clean`] takes out what is never shown, [`pairs`] finds the brackets that belong together, and one
//! descent from the blocks ([`blocks`]) to the text in them ([`inline`]) writes Markdown. Brackets without a partner are
//! text, so that no prose is lost; each byte is looked at on its own level of nesting only, so that time is linear.

mod article;
mod blocks;
mod clean;
mod converter;
mod emphasis;
mod escape;
mod inline;
mod links;
mod lists;
mod marks;
mod notes;
mod pairs;
mod redirect;
mod tables;
mod tags;
mod templates;

pub use article::{Article, title_heading, to_markdown};
use converter::{Converter, flattened, with_breaks};
