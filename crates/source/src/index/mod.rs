//! The search index of a source: where it is, how it is brought up to date, and what it finds.

mod file;
mod find;
mod mark;
mod passages;
mod seal;
mod sync;

pub(crate) use file::SourceIndex;
pub(crate) use find::{Asked, FindError};
pub(crate) use sync::{SyncError, Synced, Work};
