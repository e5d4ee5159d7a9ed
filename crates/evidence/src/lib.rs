//! mge evidence.
