//! mge endpoint.
