//! An endpoint: a folder whose components are loaded, linked, exposed, piloted, asked and closed.
//!
//! This crate owns the life of an [`Endpoint`]: which components its configuration asks for ([`Registry`] says what can
//! be built), who uses whom, what is offered to callers, the way from state to state, the routing of requests, and the
//! closing. It leaves the reading of configuration and the lock to `mge-config`, and knows no concrete component: those
//! come in as [`mge_core::Kind`]s.
//!
//! In go a folder and a registry; out come a [`Status`], answers to requests, and an endpoint that is an
//! [`mge_core::Agentic`] itself.

mod agentic;
mod endpoint;
mod error;
mod expose;
mod link;
mod pilot;
mod registry;
mod route;
mod saved;
mod stand_in;
mod states;
mod status;

pub use endpoint::{Endpoint, OpenOptions};
pub use error::{NotReady, OpenError};
pub use registry::Registry;
pub use states::STATES;
pub use status::{ItemStatus, StateView, Status};
