//! Which mentions are the same entity: a pure function of the names that live texts use, the ontology and the
//! curators' decisions.

mod closure;
mod names;
mod partition;
mod rules;

pub(crate) use closure::closure;
pub(crate) use names::{base_key, identity_key};
pub(crate) use partition::{Group, NameKind, Node, partition, public_id};
pub(crate) use rules::Rules;
