use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::log::EntryKind;
use crate::error::StoreError;

/// An entity as a decision names it: by a name of a concept, which outlives rows and ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct NameRef {
    /// The concept that a text gave it.
    pub(crate) concept: String,
    /// The folded name.
    pub(crate) key: String,
}

/// What a curator decided; the latest of two that disagree wins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Decision {
    /// The form of this record.
    pub(crate) version: u32,
    /// The two are one entity, or they are not.
    pub(crate) same: bool,
    /// One of the two.
    pub(crate) left: NameRef,
    /// The other.
    pub(crate) right: NameRef,
    /// Who decided.
    pub(crate) who: String,
    /// Why.
    pub(crate) why: String,
}

impl Decision {
    /// The form that this version writes.
    pub(crate) const VERSION: u32 = 1;

    /// Returns all decisions, oldest first.
    pub(crate) fn all(connection: &Connection) -> Result<Vec<Self>, StoreError> {
        let mut statement = connection.prepare("SELECT body FROM entry WHERE kind = ?1 ORDER BY id")?;
        let rows = statement.query_map([EntryKind::Decision.code()], |row| row.get::<_, Vec<u8>>(0))?;
        let mut decisions = Vec::new();
        for row in rows {
            let decision: Self = serde_json::from_slice(&row?)
                .map_err(|error| StoreError::Row(format!("a decision cannot be understood: {error}")))?;
            if decision.version > Self::VERSION {
                return Err(StoreError::Row(format!(
                    "a decision has the unknown version {}",
                    decision.version
                )));
            }
            decisions.push(decision);
        }
        Ok(decisions)
    }
}
