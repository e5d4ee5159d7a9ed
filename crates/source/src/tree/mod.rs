//! From a decoded text to the element tree.

mod build;
mod front_matter;
mod kind;
mod lines;
mod node;

pub(crate) use build::{ParsedText, TextBlock, parse, parse_with_text};
pub(crate) use front_matter::Attributes;
pub use kind::ElementKind;
pub(crate) use lines::line_count;
pub(crate) use node::{NodeId, Tree};

#[cfg(test)]
mod tests;
