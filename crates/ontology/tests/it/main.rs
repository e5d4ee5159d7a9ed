//! The component from the outside: files in, answers out.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

mod common;
mod component;
mod goldens;
mod validation;
