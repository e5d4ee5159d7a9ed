//! The `mge` command.
fn main() {}
