//! The search index from outside.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod common;
mod ranking;
mod store;
mod texts;
