use mge_core::Digest;
use rusqlite::{Connection, OptionalExtension, params};
use ulid::Ulid;

use crate::error::StoreError;

/// What an entry of the log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// What a chunk yields.
    Reading,
    /// Which readings a document holds from here on.
    Placement,
    /// A document is gone, and what it said with it.
    Retraction,
    /// A crawl begins.
    Crawl,
    /// A curator decided.
    Decision,
}

impl EntryKind {
    pub(crate) fn code(self) -> i64 {
        match self {
            Self::Reading => 0,
            Self::Placement => 1,
            Self::Retraction => 2,
            Self::Crawl => 3,
            Self::Decision => 4,
        }
    }

    /// Returns the word for it in an export.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Placement => "placement",
            Self::Retraction => "retraction",
            Self::Crawl => "crawl",
            Self::Decision => "decision",
        }
    }

    pub(crate) fn of(code: i64) -> Option<Self> {
        [Self::Reading, Self::Placement, Self::Retraction, Self::Crawl, Self::Decision]
            .into_iter()
            .find(|kind| kind.code() == code)
    }
}

/// Appends to the log. Ids are ULIDs that only rise, whatever the clock does.
pub(crate) struct Log {
    last: Ulid,
    cause: i64,
}

impl Log {
    /// Continues the log of a store.
    pub(crate) fn resume(connection: &Connection) -> Result<Self, StoreError> {
        let last: Option<[u8; 16]> = connection
            .query_row("SELECT ulid FROM entry ORDER BY id DESC LIMIT 1", [], |row| row.get(0))
            .optional()?;
        Ok(Self { last: last.map_or(Ulid::nil(), Ulid::from_bytes), cause: 0 })
    }

    /// Names the entry that causes those which follow; 0 for none.
    pub(crate) fn caused_by(&mut self, entry: i64) {
        self.cause = entry;
    }

    /// Appends an entry and returns its row.
    pub(crate) fn append(
        &mut self,
        connection: &Connection,
        kind: EntryKind,
        now: i64,
        body: &[u8],
    ) -> Result<i64, StoreError> {
        let random = Digest::of_parts([self.last.to_bytes().as_slice(), body]).0;
        let mut low = [0_u8; 16];
        low[6..].copy_from_slice(&random[..10]);
        let fresh = Ulid::from_parts(u64::try_from(now).unwrap_or(0), u128::from_be_bytes(low));
        self.last = if fresh > self.last { fresh } else { self.last.increment().unwrap_or(fresh) };
        let mut statement = connection
            .prepare_cached("INSERT INTO entry (ulid, kind, cause, body) VALUES (?1, ?2, ?3, ?4)")?;
        Ok(statement.insert(params![self.last.to_bytes(), kind.code(), self.cause, body])?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_rise_when_the_clock_falls() {
        let folder = tempfile::tempdir().unwrap();
        let store = crate::store::Store::open(folder.path()).unwrap();
        let mut log = Log::resume(store.connection()).unwrap();
        for now in [5_000, 5_000, 10, 6_000, 0] {
            log.append(store.connection(), EntryKind::Crawl, now, b"{}").unwrap();
        }
        let mut log = Log::resume(store.connection()).unwrap();
        log.append(store.connection(), EntryKind::Crawl, 1, b"{}").unwrap();
        let ordered: bool = store
            .connection()
            .query_row(
                "SELECT count(*) = 0 FROM entry a JOIN entry b ON a.id < b.id WHERE a.ulid >= b.ulid",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert!(ordered);
    }
}
