//! x
mod bounded;
mod compression;
mod error;
mod export;
mod name;
mod site;

pub use compression::decompress;
pub use error::ExportError;
pub use export::{Export, Page};
pub use name::{distinct_file_name, file_name, link_target, name_key};
pub use site::Site;
