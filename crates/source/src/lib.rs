//! mge source.
mod tree;
pub use tree::ElementKind;
