//! mge config.
