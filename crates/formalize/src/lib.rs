//! mge formalize.
