//! What all evidence of the touched claims comes to.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use mge_core::{Interval, Span};
use mge_ontology::{Relation, Target};
use rusqlite::{Connection, params};

use super::{Deriver, Law, identity};
use crate::error::StoreError;
use crate::store::{basis_code, from_ppm, interval, ppm, stance_of, tense_of};
use crate::weigh::{Piece, Rival, Weighed, weigh_group};

/// From this support on, two values of one time contradict each other.
const RIVAL_SUPPORT: f64 = 0.25;
/// From this conflict on, the evidence of one claim contradicts itself.
const CONFLICT: f64 = 0.1;

/// A claim with its place among its rivals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) claim: i64,
    pub(crate) object: i64,
    pub(crate) literal: String,
}

/// Claims that are weighed together.
pub(crate) struct WeighGroup {
    /// They exclude each other.
    pub(crate) exclusive: bool,
    /// In order of their ids.
    pub(crate) members: Vec<Member>,
}

/// A piece of evidence as it is loaded.
struct Loaded {
    document: String,
    quote: String,
    document_date: Option<Interval>,
    authority: f64,
    confidence: f64,
    identity: f64,
    stance: i64,
    valid: Option<Interval>,
    tense: i64,
}

/// What a claim comes to.
pub(crate) struct Outcome {
    pub(crate) claim: i64,
    /// Its live pieces of evidence.
    pub(crate) evidence: i64,
    pub(crate) weighed: Weighed,
    /// It contradicts itself or a rival.
    pub(crate) conflict: bool,
}

impl Deriver<'_> {
    /// Weighs the touched claims and their rivals.
    pub(super) fn weigh(&mut self) -> Result<(), StoreError> {
        let mut done: BTreeSet<i64> = BTreeSet::new();
        while let Some(claim) = self.claims.pop_first() {
            if done.contains(&claim) {
                continue;
            }
            let mut word = |number: i64| self.words.word(self.connection, number);
            let Some(group) = group_of(self.connection, self.law, &mut word, claim)? else { continue };
            done.extend(group.members.iter().map(|member| member.claim));
            for outcome in weigh_claims(self.connection, self.law, &group)? {
                self.write(&outcome)?;
            }
        }
        Ok(())
    }

    /// Marks the claims that compete with a claim of these parts.
    pub(super) fn mark_rivals(&mut self, subject: i64, relation: i64, object: i64) -> Result<(), StoreError> {
        let word = self.words.word(self.connection, relation)?;
        let Some(known) = self.law.ontology.relations.get(&*word) else { return Ok(()) };
        let claims = match exclusive_side(known) {
            Some(ExclusiveSide::Subject) => rows(self.connection, "subject", subject, relation)?,
            Some(ExclusiveSide::Object) if object != 0 => rows(self.connection, "object", object, relation)?,
            _ => Vec::new(),
        };
        self.claims.extend(claims);
        Ok(())
    }

    fn write(&mut self, outcome: &Outcome) -> Result<(), StoreError> {
        let (old, old_conflict): (i64, bool) = self
            .connection
            .prepare_cached("SELECT evidence, conflict <> 0 FROM claim WHERE id = ?1")?
            .query_row([outcome.claim], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (was, is) = (old > 0, outcome.evidence > 0);
        self.count("claims", i64::from(is) - i64::from(was));
        self.count("conflicts", i64::from(outcome.conflict) - i64::from(old_conflict));
        if is && !was {
            self.changes.claims_new += 1;
        }
        let best = outcome.weighed.overall();
        let figure =
            |of: fn(&crate::weigh::PeriodBelief) -> f64, none: i64| best.map_or(none, |best| ppm(of(best)));
        self.connection
            .prepare_cached(
                "UPDATE claim SET evidence = ?2, belief = ?3, disbelief = ?4, uncertainty = ?5, conflict = ?6 \
                 WHERE id = ?1",
            )?
            .execute(params![
                outcome.claim,
                outcome.evidence,
                figure(|best| best.belief, 0),
                figure(|best| best.disbelief, 0),
                figure(|best| best.uncertainty, 1_000_000),
                outcome.conflict
            ])?;
        self.connection.prepare_cached("DELETE FROM period WHERE claim = ?1")?.execute([outcome.claim])?;
        for (number, period) in outcome.weighed.periods.iter().enumerate() {
            self.connection
                .prepare_cached(
                    "INSERT INTO period (claim, n, valid_from, valid_to, support, contradiction, conflict, belief, \
                     disbelief, uncertainty, assumed, basis) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                )?
                .execute(params![
                    outcome.claim,
                    number as i64,
                    period.interval.from.map(|moment| moment.0),
                    period.interval.to.map(|moment| moment.0),
                    ppm(period.support),
                    ppm(period.contradiction),
                    ppm(period.conflict),
                    ppm(period.belief),
                    ppm(period.disbelief),
                    ppm(period.uncertainty),
                    period.assumed,
                    basis_code(period.basis)
                ])?;
        }
        Ok(())
    }
}

enum ExclusiveSide {
    Subject,
    Object,
}

/// Tells whose claims of a relation exclude each other. One that is functional both ways competes by subject.
fn exclusive_side(relation: &Relation) -> Option<ExclusiveSide> {
    if relation.functional {
        Some(ExclusiveSide::Subject)
    } else if relation.inverse_functional && matches!(relation.dst, Target::Concept(_)) {
        Some(ExclusiveSide::Object)
    } else {
        None
    }
}

fn rows(connection: &Connection, side: &str, entity: i64, relation: i64) -> Result<Vec<i64>, StoreError> {
    let sql = format!("SELECT id FROM claim WHERE {side} = ?1 AND {side} <> 0 AND relation = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map([entity, relation], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Returns the claims that a claim is weighed with, itself included; nothing when there is no such claim.
pub(crate) fn group_of(
    connection: &Connection,
    law: &Law,
    word: &mut dyn FnMut(i64) -> Result<Arc<str>, StoreError>,
    claim: i64,
) -> Result<Option<WeighGroup>, StoreError> {
    const COLUMNS: &str = "SELECT id, key, subject, relation, object, literal FROM claim";
    type Raw = (i64, String, i64, i64, i64, String);
    let read = |sql: &str, arguments: &[&dyn rusqlite::ToSql]| -> Result<Vec<Raw>, StoreError> {
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map(arguments, |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    let mut found = read(&format!("{COLUMNS} WHERE id = ?1"), &[&claim])?;
    let Some((_, _, subject, relation, object, _)) = found.first().cloned() else { return Ok(None) };
    let name = word(relation)?;
    let side = law.ontology.relations.get(&*name).and_then(exclusive_side);
    match side {
        Some(ExclusiveSide::Subject) => {
            found = read(&format!("{COLUMNS} WHERE subject = ?1 AND relation = ?2"), &[&subject, &relation])?;
        }
        Some(ExclusiveSide::Object) => {
            found = read(
                &format!("{COLUMNS} WHERE object = ?1 AND object <> 0 AND relation = ?2"),
                &[&object, &relation],
            )?;
        }
        None => {}
    }
    found.sort_by(|left, right| (&left.1, left.0).cmp(&(&right.1, right.0)));
    let members = found
        .into_iter()
        .map(|(claim, _, _, _, object, literal)| Member { claim, object, literal })
        .collect();
    Ok(Some(WeighGroup { exclusive: side.is_some(), members }))
}

/// Weighs claims together; the outcomes come in the order of the members.
pub(crate) fn weigh_claims(
    connection: &Connection,
    law: &Law,
    group: &WeighGroup,
) -> Result<Vec<Outcome>, StoreError> {
    let mut loaded = Vec::with_capacity(group.members.len());
    for member in &group.members {
        loaded.push(pieces_of(connection, member.claim)?);
    }
    // Documents are numbered in the order of their indices, whenever they came.
    let indices: BTreeSet<&str> = loaded.iter().flatten().map(|piece| piece.document.as_str()).collect();
    let numbers: HashMap<&str, u64> = indices.into_iter().zip(0..).collect();
    // Only what has evidence takes part: a value that nobody claims any more is no rival.
    let alive: Vec<usize> = (0..loaded.len()).filter(|&at| !loaded[at].is_empty()).collect();
    let rivals: Vec<Rival<'_>> = alive
        .iter()
        .map(|&at| Rival {
            pieces: loaded[at]
                .iter()
                .map(|piece| Piece {
                    document: numbers.get(piece.document.as_str()).copied().unwrap_or(0),
                    quote: &piece.quote,
                    document_date: piece.document_date,
                    authority: piece.authority,
                    confidence: piece.confidence,
                    identity: piece.identity,
                    stance: stance_of(piece.stance),
                    valid: piece.valid,
                    tense: tense_of(piece.tense),
                })
                .collect(),
        })
        .collect();
    let hierarchy = Hierarchy::of(connection, law, group, &alive)?;
    let supports = |general: usize, specific: usize| hierarchy.holds(general, specific);
    let weighed = weigh_group(law.weighing, group.exclusive, &rivals, &supports);
    let conflicts = conflicts(group.exclusive, &weighed, &supports);
    let mut outcomes: BTreeMap<usize, (Weighed, bool)> =
        alive.iter().copied().zip(weighed.into_iter().zip(conflicts)).collect();
    Ok(group
        .members
        .iter()
        .enumerate()
        .map(|(at, member)| {
            let (weighed, conflict) = outcomes.remove(&at).unwrap_or_default();
            Outcome { claim: member.claim, evidence: loaded[at].len() as i64, weighed, conflict }
        })
        .collect())
}

/// Tells of each claim whether it contradicts itself, or another value of the same time.
fn conflicts(exclusive: bool, weighed: &[Weighed], supports: &dyn Fn(usize, usize) -> bool) -> Vec<bool> {
    let itself = |of: &Weighed| of.periods.iter().any(|period| period.conflict >= CONFLICT);
    let rival = |left: usize, right: usize| {
        left != right
            && !supports(left, right)
            && !supports(right, left)
            && weighed[left].periods.iter().filter(|period| period.support >= RIVAL_SUPPORT).any(|one| {
                weighed[right]
                    .periods
                    .iter()
                    .filter(|period| period.support >= RIVAL_SUPPORT)
                    .any(|other| one.interval.overlaps(other.interval))
            })
    };
    (0..weighed.len())
        .map(|at| itself(&weighed[at]) || (exclusive && (0..weighed.len()).any(|other| rival(at, other))))
        .collect()
}

fn pieces_of(connection: &Connection, claim: i64) -> Result<Vec<Loaded>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT d.idx, e.quote_start, e.quote_end, c.text, d.date_from, d.date_to, d.authority, e.confidence, \
         e.subject_identity, e.object_identity, e.stance, e.valid_from, e.valid_to, e.tense, c.ord, e.n \
         FROM evidence e JOIN chunk c ON c.id = e.chunk JOIN document d ON d.id = c.document \
         WHERE e.claim = ?1 AND e.claim <> 0 AND e.live = 1",
    )?;
    let mut rows = statement.query([claim])?;
    let mut pieces = Vec::new();
    while let Some(row) = rows.next()? {
        let (start, end): (i64, i64) = (row.get(1)?, row.get(2)?);
        let text = row.get_ref(3)?.as_str().map_err(|error| StoreError::Row(error.to_string()))?;
        let quote = Span::new(start as usize, end as usize).slice(text).unwrap_or_default();
        let order: (i64, i64) = (row.get(14)?, row.get(15)?);
        pieces.push((
            order,
            Loaded {
                document: row.get(0)?,
                quote: quote.to_owned(),
                document_date: interval(row.get(4)?, row.get(5)?),
                authority: from_ppm(row.get(6)?),
                confidence: from_ppm(row.get(7)?),
                identity: identity(row.get(8)?, row.get(9)?),
                stance: row.get(10)?,
                valid: interval(row.get(11)?, row.get(12)?),
                tense: row.get(13)?,
            },
        ));
    }
    pieces.sort_by(|left, right| (&left.1.document, left.0).cmp(&(&right.1.document, right.0)));
    Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
}

/// Which values of a group are more general than others: regions above places, years above days.
struct Hierarchy {
    pairs: BTreeSet<(usize, usize)>,
}

impl Hierarchy {
    fn of(
        connection: &Connection,
        law: &Law,
        group: &WeighGroup,
        alive: &[usize],
    ) -> Result<Self, StoreError> {
        let mut pairs = BTreeSet::new();
        if !group.exclusive || alive.len() < 2 {
            return Ok(Self { pairs });
        }
        let mut ids = Vec::with_capacity(alive.len());
        for &at in alive {
            let object = group.members[at].object;
            let mut statement = connection.prepare_cached("SELECT public FROM entity WHERE id = ?1")?;
            let mut rows = statement.query([object])?;
            ids.push(rows.next()?.map(|row| row.get::<_, String>(0)).transpose()?);
        }
        for (general, &left) in alive.iter().enumerate() {
            for (specific, &right) in alive.iter().enumerate().filter(|(specific, _)| *specific != general) {
                let holds = match (&ids[general], &ids[specific]) {
                    (Some(above), Some(below)) => law.lies_in(below, above),
                    (None, None) => is_vaguer(&group.members[left].literal, &group.members[right].literal),
                    _ => false,
                };
                if holds {
                    pairs.insert((general, specific));
                }
            }
        }
        Ok(Self { pairs })
    }

    fn holds(&self, general: usize, specific: usize) -> bool {
        self.pairs.contains(&(general, specific))
    }
}

/// Tells whether one date is another with less precision: `2019` of `2019-05`.
fn is_vaguer(general: &str, specific: &str) -> bool {
    let date = |text: &str| Interval::parse(text).ok();
    match (date(general), date(specific)) {
        (Some(wide), Some(narrow)) => wide != narrow && wide.intersect(narrow) == Some(narrow),
        _ => false,
    }
}
