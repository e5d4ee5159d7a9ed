//! One SQLite file a graph: the log, the texts that were read, and all that follows from them.

mod claims;
mod codec;
mod decisions;
mod log;
mod open;
mod read;
mod rows;
mod schema;
mod span_map;
mod tokens;

pub(crate) use codec::{decode, encode};
pub(crate) use decisions::{Decision, NameRef};
pub(crate) use log::{EntryKind, Log};
pub(crate) use open::{FILE_NAME, Store};
pub(crate) use read::Snapshot;
pub(crate) use rows::{
    ChunkRow, ChunkState, ClaimRow, DocumentRow, EntityRow, EvidenceRow, MentionRow, NameRow, ObjectRow, PassageHit,
    Status, from_ppm, millis, ppm,
};
pub(crate) use schema::DERIVED_TABLES;
pub(crate) use span_map::SpanMap;
pub(crate) use tokens::{any_of, tokens};
