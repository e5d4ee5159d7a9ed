//! Of which claim a statement is evidence: the check against the ontology, and the one direction of each claim.

use std::collections::BTreeSet;

use mge_core::Digest;
use mge_ontology::{Canonical, LiteralKind, Target};
use rusqlite::{OptionalExtension, params};

use super::texts::counter_of;
use super::{Deriver, Law};
use crate::error::StoreError;
use crate::store::Status;

/// A statement whose claim is sought.
struct Statement {
    claim: i64,
    status: Status,
    live: bool,
    subject: Side,
    relation: i64,
    object: Option<Side>,
    literal: String,
}

/// One end of it.
#[derive(Clone)]
struct Side {
    entity: i64,
    public: String,
    /// The concept that the text gives it.
    said: String,
    /// The concept that its entity has.
    known: String,
}

impl Deriver<'_> {
    /// Finds the claims of all marked evidence anew.
    pub(super) fn assign(&mut self) -> Result<(), StoreError> {
        let mut left = BTreeSet::new();
        for (chunk, number) in std::mem::take(&mut self.evidence) {
            let Some(statement) = self.statement(chunk, number)? else { continue };
            let stated = self.words.word(self.connection, statement.relation)?;
            let (status, claim) = match place(self.law, &stated, &statement) {
                Ok(direction) => (Status::Claim, self.claim(&statement, &direction)?),
                Err(status) => (status, 0),
            };
            if statement.claim != 0 {
                self.claims.insert(statement.claim);
                if statement.claim != claim {
                    left.insert(statement.claim);
                }
            }
            if claim != 0 {
                self.claims.insert(claim);
            }
            if statement.live {
                self.count(counter_of(statement.status), -1);
                self.count(counter_of(status), 1);
                if self.fresh.contains(&(chunk, number)) {
                    match status {
                        Status::Claim => self.changes.evidence_new += 1,
                        Status::OffOntology | Status::Refused => self.changes.off_ontology += 1,
                    }
                }
            }
            if claim != statement.claim || status != statement.status {
                self.connection
                    .prepare_cached(
                        "UPDATE evidence SET claim = ?3, status = ?4 WHERE chunk = ?1 AND n = ?2",
                    )?
                    .execute(params![chunk, number, claim, status.code()])?;
            }
        }
        for claim in left {
            self.drop_if_empty(claim)?;
        }
        Ok(())
    }

    fn statement(&mut self, chunk: i64, number: i64) -> Result<Option<Statement>, StoreError> {
        type Raw = (i64, i64, bool, i64, i64, i64, String);
        let raw: Option<Raw> = self
            .connection
            .prepare_cached(
                "SELECT claim, status, live, subject, relation, object, literal FROM evidence \
                 WHERE chunk = ?1 AND n = ?2",
            )?
            .query_row([chunk, number], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                    row.get(5)?,
                    row.get(6)?,
                ))
            })
            .optional()?;
        let Some((claim, status, live, subject, relation, object, literal)) = raw else { return Ok(None) };
        let subject = self.side(subject)?;
        let object = if object == 0 { None } else { Some(self.side(object)?) };
        Ok(Some(Statement { claim, status: Status::of(status), live, subject, relation, object, literal }))
    }

    fn side(&mut self, node: i64) -> Result<Side, StoreError> {
        let (entity, public, said, known): (i64, String, i64, i64) = self
            .connection
            .prepare_cached(
                "SELECT e.id, e.public, n.concept, e.concept FROM node n JOIN entity e ON e.id = n.entity \
                 WHERE n.id = ?1",
            )?
            .query_row([node], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let said = self.words.word(self.connection, said)?.to_string();
        let known = self.words.word(self.connection, known)?.to_string();
        Ok(Side { entity, public, said, known })
    }

    /// Returns the row of the claim that a statement makes, and sees to it that its id is right.
    fn claim(&mut self, statement: &Statement, direction: &Direction) -> Result<i64, StoreError> {
        let relation = self.words.number(self.connection, &direction.relation)?;
        let (subject, object) = match &statement.object {
            Some(object) if direction.swapped => (object, Some(&statement.subject)),
            object => (&statement.subject, object.as_ref()),
        };
        let literal = if object.is_some() { "" } else { statement.literal.as_str() };
        let key =
            claim_key(&subject.public, &direction.relation, object.map(|side| side.public.as_str()), literal);
        let to = object.map_or(0, |side| side.entity);
        let found: Option<(i64, String)> = self
            .connection
            .prepare_cached(
                "SELECT id, key FROM claim WHERE subject = ?1 AND relation = ?2 AND object = ?3 AND literal = ?4",
            )?
            .query_row(params![subject.entity, relation, to, literal], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match found {
            Some((claim, old)) if old != key => {
                self.connection
                    .prepare_cached("UPDATE claim SET key = ?2 WHERE id = ?1")?
                    .execute(params![claim, key])?;
                self.remember_claim(&old, subject, &direction.relation, object, literal)?;
                Ok(claim)
            }
            Some((claim, _)) => Ok(claim),
            None => Ok(self
                .connection
                .prepare_cached(
                    "INSERT INTO claim (key, subject, relation, object, literal, evidence, belief, disbelief, \
                     uncertainty, conflict) VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0, 1000000, 0)",
                )?
                .insert(params![key, subject.entity, relation, to, literal])?),
        }
    }

    /// Keeps an id that was shown: it leads to the claim between the same names.
    fn remember_claim(
        &mut self,
        old: &str,
        subject: &Side,
        relation: &str,
        object: Option<&Side>,
        literal: &str,
    ) -> Result<(), StoreError> {
        let mut parts = Vec::new();
        parts.extend(self.name_of(subject.entity)?);
        parts.push(relation.to_owned());
        match object {
            Some(object) => parts.extend(self.name_of(object.entity)?),
            None => parts.push(literal.to_owned()),
        }
        let parts = serde_json::to_string(&parts).map_err(|error| StoreError::Row(error.to_string()))?;
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO former_claim (key, parts) VALUES (?1, ?2)")?
            .execute([old, parts.as_str()])?;
        Ok(())
    }

    /// Returns concept and key of the strongest name of an entity.
    fn name_of(&mut self, entity: i64) -> Result<Vec<String>, StoreError> {
        let (concept, key): (i64, String) = self
            .connection
            .prepare_cached(
                "SELECT concept, key FROM node WHERE entity = ?1 ORDER BY weight DESC, id LIMIT 1",
            )?
            .query_row([entity], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(vec![self.words.word(self.connection, concept)?.to_string(), key])
    }

    /// Drops a claim that neither present nor past evidence speaks of any more.
    fn drop_if_empty(&mut self, claim: i64) -> Result<(), StoreError> {
        let used: bool = self
            .connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM evidence WHERE claim = ?1 AND claim <> 0)")?
            .query_row([claim], |row| row.get(0))?;
        if used {
            return Ok(());
        }
        type Raw = (String, i64, i64, i64, String, i64, i64);
        let gone: Option<Raw> = self
            .connection
            .prepare_cached(
                "DELETE FROM claim WHERE id = ?1 RETURNING key, subject, relation, object, literal, evidence, conflict",
            )?
            .query_row([claim], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?))
            })
            .optional()?;
        let Some((key, subject, relation, object, literal, evidence, conflict)) = gone else { return Ok(()) };
        self.connection.prepare_cached("DELETE FROM period WHERE claim = ?1")?.execute([claim])?;
        self.claims.remove(&claim);
        if evidence > 0 {
            self.count("claims", -1);
            self.count("conflicts", -i64::from(conflict != 0));
            self.mark_rivals(subject, relation, object)?;
        }
        self.keep_former(&key, subject, relation, object, &literal)
    }

    /// Keeps the id of a claim that was dropped, if its ends are still there.
    fn keep_former(
        &mut self,
        key: &str,
        subject: i64,
        relation: i64,
        object: i64,
        literal: &str,
    ) -> Result<(), StoreError> {
        let exists = |row: i64| -> Result<bool, StoreError> {
            Ok(self
                .connection
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM node WHERE entity = ?1)")?
                .query_row([row], |row| row.get(0))?)
        };
        if !exists(subject)? || (object != 0 && !exists(object)?) {
            return Ok(());
        }
        let end =
            |entity: i64| Side { entity, public: String::new(), said: String::new(), known: String::new() };
        let relation = self.words.word(self.connection, relation)?;
        let object = (object != 0).then(|| end(object));
        self.remember_claim(key, &end(subject), &relation, object.as_ref(), literal)
    }
}

/// In which direction a claim is stored.
struct Direction {
    relation: String,
    swapped: bool,
}

/// Checks a statement against the ontology.
fn place(law: &Law, stated: &str, statement: &Statement) -> Result<Direction, Status> {
    let relation = law.ontology.relations.get(stated).ok_or(Status::Refused)?;
    let fits = |side: &Side, concept: &str| {
        law.ontology.descends(&side.said, concept) || law.ontology.descends(&side.known, concept)
    };
    if !fits(&statement.subject, &relation.src) {
        return Err(Status::OffOntology);
    }
    match (&relation.dst, &statement.object) {
        (Target::Concept(concept), Some(object)) if fits(object, concept) => {}
        (Target::Literal(kind), None) if is_of(*kind, &statement.literal) => {}
        _ => return Err(Status::OffOntology),
    }
    let Some(object) = &statement.object else {
        return Ok(Direction { relation: relation.id.clone(), swapped: false });
    };
    if object.entity == statement.subject.entity {
        // Nothing stands in a relation to itself; two names that turned out to be one say so.
        return Err(Status::OffOntology);
    }
    let Canonical { relation: stored, mut swapped } =
        law.ontology.canonical(stated).ok_or(Status::Refused)?;
    if stored.symmetric {
        let (from, to) = if swapped { (object, &statement.subject) } else { (&statement.subject, object) };
        if (&to.public, to.entity) < (&from.public, from.entity) {
            swapped = !swapped;
        }
    }
    Ok(Direction { relation: stored.id.clone(), swapped })
}

/// Tells whether a value is of its kind.
fn is_of(kind: LiteralKind, literal: &str) -> bool {
    let literal = literal.trim();
    match kind {
        LiteralKind::Text => !literal.is_empty(),
        LiteralKind::Number => literal.parse::<f64>().is_ok_and(f64::is_finite),
        LiteralKind::Quantity => literal.chars().any(|character| character.is_numeric()),
        LiteralKind::Date => mge_core::Interval::parse(literal).is_ok(),
        LiteralKind::Boolean => matches!(literal, "true" | "false"),
        LiteralKind::Url => literal.contains(':') && !literal.contains(char::is_whitespace),
    }
}

/// Returns the id of a claim: 16 letters and digits of a hash of what it says.
pub(super) fn claim_key(subject: &str, relation: &str, object: Option<&str>, literal: &str) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let kind: &[u8] = if object.is_some() { b"entity" } else { b"literal" };
    let value = object.unwrap_or(literal);
    let digest = Digest::of_parts([subject.as_bytes(), relation.as_bytes(), kind, value.as_bytes()]);
    let mut bits = 0_u128;
    for byte in &digest.0[..10] {
        bits = (bits << 8) | u128::from(*byte);
    }
    (0..16).rev().map(|place| char::from(DIGITS[(bits >> (place * 5)) as usize & 31])).collect()
}
