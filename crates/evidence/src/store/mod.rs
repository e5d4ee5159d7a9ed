//! One SQLite file a graph: the log, the texts that were read, and all that follows from them.

mod claims;
mod codec;
mod decisions;
mod log;
mod open;
mod read;
mod read_more;
mod rows;
mod schema;
mod span_map;
mod tokens;
mod words;

pub(crate) use claims::basis_code;
pub(crate) use codec::{decode, encode};
pub(crate) use decisions::{Decision, NameRef};
pub(crate) use log::{EntryKind, Log};
pub(crate) use open::Store;
pub(crate) use read::{Snapshot, local_part};
pub(crate) use read_more::ChangeRow;
pub(crate) use rows::{
    ChunkState, ClaimRow, EntityRow, EvidenceRow, MentionRow, ObjectRow, Status, form_code, from_ppm,
    interval, kind_code, millis, ppm, stamp, stance_of, tense_code, tense_of,
};
pub(crate) use schema::DERIVED_TABLES;
pub(crate) use span_map::{SpanMap, put, take};
pub(crate) use tokens::{any_of, tokens};
pub(crate) use words::Words;
