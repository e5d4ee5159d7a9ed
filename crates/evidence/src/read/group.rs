use std::collections::{BTreeSet, HashMap};

use mge_core::Interval;

use super::reader::Reader;
use crate::derive::group_of;
use crate::error::StoreError;
use crate::store::{ClaimRow, EvidenceRow, ObjectRow};
use crate::weigh::{PeriodTrace, Piece, Rival, Weighed, explain_group, weigh_group};

/// The claims that exclude each other, with all their evidence as it is known at the time of the snapshot.
///
/// Current beliefs stand in the store; this is for what was believed earlier, and for the reasons.
pub(crate) struct Group {
    /// The row of the claim that it was gathered for.
    pub(crate) about: i64,
    /// Those of which there is evidence, in order of id.
    pub(crate) claims: Vec<ClaimRow>,
    /// The evidence of each, in order of document.
    pub(crate) evidence: Vec<Vec<EvidenceRow>>,
    /// They exclude each other; otherwise there is one claim only.
    pub(crate) exclusive: bool,
    /// The index of each document, in order; its place is its key in weighing.
    pub(crate) documents: Vec<String>,
    /// `(general, specific)` positions of values of which the second implies the first.
    general: BTreeSet<(usize, usize)>,
}

impl Group {
    /// Gathers the group that a claim belongs to.
    pub(crate) fn of(reader: &Reader<'_>, claim: &ClaimRow) -> Result<Self, StoreError> {
        let snapshot = reader.snapshot;
        let mut word = |number| snapshot.word(number);
        let members = group_of(snapshot.connection(), reader.law, &mut word, claim.row)?;
        let exclusive = members.as_ref().is_some_and(|group| group.exclusive);
        let rows: Vec<i64> =
            members.iter().flat_map(|group| &group.members).map(|member| member.claim).collect();
        let (mut claims, mut evidence) = (Vec::new(), Vec::new());
        for row in rows {
            let pieces = snapshot.evidence_of(row)?;
            if let Some(found) = snapshot.claim(row)?
                && !pieces.is_empty()
            {
                claims.push(found);
                evidence.push(pieces);
            }
        }
        let documents: BTreeSet<&str> =
            evidence.iter().flatten().map(|piece: &EvidenceRow| piece.document_index.as_str()).collect();
        let documents = documents.into_iter().map(str::to_owned).collect();
        let general = if exclusive { generals(reader, &claims)? } else { BTreeSet::new() };
        Ok(Self { about: claim.row, claims, evidence, exclusive, documents, general })
    }

    /// Weighs the group; claims by row.
    pub(crate) fn weigh(&self, reader: &Reader<'_>) -> Vec<(i64, Weighed)> {
        let supports = |general, specific| self.general.contains(&(general, specific));
        let weighed = weigh_group(reader.law.weighing, self.exclusive, &self.rivals(), &supports);
        self.claims.iter().map(|claim| claim.row).zip(weighed).collect()
    }

    /// Explains what is believed of one of its claims.
    pub(crate) fn explain(&self, reader: &Reader<'_>, claim: i64) -> Vec<PeriodTrace> {
        let Some(position) = self.claims.iter().position(|other| other.row == claim) else {
            return Vec::new();
        };
        let supports = |general, specific| self.general.contains(&(general, specific));
        explain_group(reader.law.weighing, self.exclusive, &self.rivals(), &supports, position)
    }

    /// Tells whether one of two values implies the other.
    pub(crate) fn implies_either(&self, left: usize, right: usize) -> bool {
        self.general.contains(&(left, right)) || self.general.contains(&(right, left))
    }

    fn rivals(&self) -> Vec<Rival<'_>> {
        let keys: HashMap<&str, u64> = self.documents.iter().map(String::as_str).zip(0..).collect();
        let piece = |row| piece(row, &keys);
        self.evidence.iter().map(|pieces| Rival { pieces: pieces.iter().map(piece).collect() }).collect()
    }
}

fn piece<'a>(row: &'a EvidenceRow, keys: &HashMap<&str, u64>) -> Piece<'a> {
    Piece {
        document: keys.get(row.document_index.as_str()).copied().unwrap_or(0),
        quote: &row.said,
        document_date: row.document_date,
        authority: row.authority,
        confidence: row.confidence,
        identity: row.subject_identity * row.object_identity,
        stance: row.stance,
        valid: row.valid,
        tense: row.tense,
    }
}

/// Finds which values imply which: places by the curated facts of what lies in what, dates by their precision.
fn generals(reader: &Reader<'_>, claims: &[ClaimRow]) -> Result<BTreeSet<(usize, usize)>, StoreError> {
    let mut ids = Vec::with_capacity(claims.len());
    for claim in claims {
        ids.push(match claim.object {
            ObjectRow::Entity(row) => Some(reader.entity_id(row)?),
            ObjectRow::Literal(_) => None,
        });
    }
    let mut pairs = BTreeSet::new();
    for (general, left) in claims.iter().enumerate() {
        for (specific, right) in claims.iter().enumerate().filter(|(specific, _)| *specific != general) {
            let holds = match (&left.object, &right.object) {
                (ObjectRow::Literal(wide), ObjectRow::Literal(narrow)) => is_vaguer(wide, narrow),
                _ => match (&ids[general], &ids[specific]) {
                    (Some(above), Some(below)) => reader.law.lies_in(below, above),
                    _ => false,
                },
            };
            if holds {
                pairs.insert((general, specific));
            }
        }
    }
    Ok(pairs)
}

/// Tells whether one date is another with less precision: `2019` of `2019-05`.
pub(crate) fn is_vaguer(general: &str, specific: &str) -> bool {
    match (Interval::parse(general), Interval::parse(specific)) {
        (Ok(wide), Ok(narrow)) => wide != narrow && wide.intersect(narrow) == Some(narrow),
        _ => false,
    }
}
