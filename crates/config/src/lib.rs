//! From the files of an endpoint's folder to its resolved configuration, and the folder's write lock.
//!
//! This crate owns the configuration language: JSON5 with positions, `$ref`, `$path` and `$env`, the JSON
//! Schema, and every problem of all files at once as [`Diagnostic`]s. It also owns the [`lock`] and the
//! atomic replacement of a file. It knows nothing of what components do: they get their `extra_args`, and
//! name a JSON pointer when something in them is wrong, which [`Loaded::diagnostic_at`] places.
//!
//! Files and the environment go in; [`Loaded`] comes out. Loading writes nothing, reads nothing outside the
//! folder and never shows a secret: the resolved value keeps `{"$env": "NAME"}` in its place until
//! [`Loaded::expose_secrets`] is called to build a component.
//!
//! ```
//! use mge_config::{Options, Section, load};
//!
//! let parent = tempfile::tempdir()?;
//! let folder = parent.path().join("demo");
//! std::fs::create_dir(&folder)?;
//! std::fs::write(
//!     folder.join("mge_endpoint.jsonc"),
//!     r#"{
//!         // what to read
//!         "sources": {"docs": {"extra_args": {"type": "markdown_tree", "dst_path": "docs"}}},
//!         "exposes": ["docs"],
//!     }"#,
//! )?;
//!
//! let loaded = load(&folder, &Options::default());
//! let docs = &loaded.config.section(Section::Sources)["docs"];
//! assert_eq!(docs.extra_args["dst_path"], folder.join("docs").display().to_string());
//! assert!(loaded.has_errors());
//! let drawn = loaded.diagnostics[0].render(false);
//! assert!(drawn.starts_with("error: unknown key 'exposes'"));
//! assert!(drawn.ends_with("hint: did you mean 'expose'?\n"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod atomic;
mod diagnostic;
mod endpoint;
mod load;
mod located;
pub mod lock;
mod name;
mod resolve;
mod rewrite;
mod scan;
mod schema;
mod secret;
mod source_map;
mod validate;

pub use atomic::{WriteError, write_atomically};
pub use diagnostic::{Diagnostic, Label, Severity, Site};
pub use endpoint::{
    AUTOPILOT_FILE, AutoPilot, AutoSave, EndpointConfig, ItemConfig, MAIN_FILE, Section, UnknownSection,
};
pub use load::{Environment, Loaded, Options, load};
pub use located::Located;
pub use lock::LockError;
pub use name::{is_valid_name, normalize_name};
pub use schema::schema;
pub use secret::{MissingEnv, Secret};
pub use source_map::SourceMap;
