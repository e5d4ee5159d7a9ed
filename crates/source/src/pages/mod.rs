//! The pages of a MediaWiki export, converted to Markdown once and kept.

mod driver;
mod error;
mod pack;
mod store;

pub(crate) use driver::{Wanted, convert};
pub(crate) use error::PagesError;
pub(crate) use pack::Pack;
pub(crate) use store::PageStore;
