//! The road from documents to a graph: list, open and read on all processors, commit in one order.

mod apply;
mod driver;
mod listing;
mod order;
mod plan;
mod progress;
mod workers;

pub(crate) use apply::after_key;
pub(crate) use driver::{Inputs, crawl};
pub(crate) use listing::Corpora;
pub(crate) use plan::plan;
