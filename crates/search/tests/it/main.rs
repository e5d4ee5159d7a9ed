//! The search index from outside.

mod common;
mod ranking;
mod store;
mod texts;
