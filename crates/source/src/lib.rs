//! mge source.
