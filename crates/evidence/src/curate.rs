//! What curators decide about identity: recorded, replayed, and taken back by its opposite.

use mge_core::{Clock, GraphError};
use rusqlite::OptionalExtension;

use crate::derive::{Deriver, Law};
use crate::error::StoreError;
use crate::resolve::identity_key;
use crate::store::{Decision, EntryKind, Log, NameRef, Snapshot, Store, millis};

/// A decision as a person gives it: two ids of entities, present or former.
pub(crate) struct Asked<'a> {
    pub(crate) same: bool,
    pub(crate) left: &'a str,
    pub(crate) right: &'a str,
    pub(crate) who: &'a str,
    pub(crate) why: &'a str,
}

/// Finds the names that a decision is about.
pub(crate) fn decision_of(snapshot: &Snapshot, asked: &Asked<'_>) -> Result<Decision, GraphError> {
    let (left, right) = (anchor(snapshot, asked.left)?, anchor(snapshot, asked.right)?);
    if left == right {
        return Err(GraphError::Invalid {
            message: format!("'{}' and '{}' are one name", asked.left, asked.right),
            hint: Some("a decision is about two names".to_owned()),
        });
    }
    Ok(Decision {
        version: Decision::VERSION,
        same: asked.same,
        left,
        right,
        who: asked.who.to_owned(),
        why: asked.why.to_owned(),
    })
}

/// Records a decision and what follows from it, in one transaction. `law` knows the decision already.
pub(crate) fn record(
    store: &Store,
    law: &Law,
    decision: &Decision,
    clock: &dyn Clock,
) -> Result<(), StoreError> {
    let transaction = store.begin()?;
    let connection = store.connection();
    let body = serde_json::to_vec(decision).map_err(|error| StoreError::Row(error.to_string()))?;
    Log::resume(connection)?.append(connection, EntryKind::Decision, millis(clock.now()), &body)?;
    let mut deriver = Deriver::new(connection, law);
    deriver.touch_name(&decision.left);
    deriver.touch_name(&decision.right);
    deriver.settle()?;
    transaction.commit()?;
    Ok(())
}

/// Returns the name that an id stands for: that of the id itself, else the strongest that its entity has.
fn anchor(snapshot: &Snapshot, id: &str) -> Result<NameRef, GraphError> {
    let (concept, name) = id.rsplit_once('|').unwrap_or(("", id));
    let name = mge_core::unescape_part(name.split_once('~').map_or(name, |(name, _)| name));
    let mut entity = snapshot.entity_by_id(id)?;
    if entity.is_none()
        && let Some(row) = snapshot.entity_of_name(concept, &identity_key(&name))?
    {
        // A name that was never an id of its own, because it was an alias from the start.
        entity = snapshot.entity(row)?;
    }
    let entity =
        entity.ok_or_else(|| GraphError::NotFound { message: format!("no entity has the id '{id}'") })?;
    let found: Option<(i64, String)> = snapshot
        .connection()
        .prepare_cached(
            "SELECT n.concept, n.key FROM node n JOIN word w ON w.id = n.concept WHERE n.entity = ?1 \
             ORDER BY n.key = ?2 DESC, w.text = ?3 DESC, n.weight DESC, w.text, n.key LIMIT 1",
        )
        .and_then(|mut statement| {
            statement
                .query_row(rusqlite::params![entity.row, identity_key(&name), concept], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()
        })
        .map_err(StoreError::from)?;
    let (concept, key) = found.ok_or_else(|| StoreError::Row(format!("the entity '{id}' has no name")))?;
    Ok(NameRef { concept: snapshot.word(concept)?.to_string(), key })
}
