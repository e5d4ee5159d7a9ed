//! mge core.
