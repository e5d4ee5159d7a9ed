//! x
mod atomic;
mod diagnostic;
mod located;
mod name;
mod scan;
pub use atomic::{WriteError, write_atomically};
pub use diagnostic::{Diagnostic, Label, Severity, Site};
pub use located::Located;
pub use name::{is_valid_name, normalize_name};
