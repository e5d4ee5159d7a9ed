use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use mge_core::{Interval, Moment, RunError, RunErrorKind, Stance, near_names};
use mge_ontology::{LiteralKind, Ontology, Relation, Target};

use super::group::Group;
use super::view::{Citation, ClaimView, EntityView, PeriodView};
use crate::derive::Law;
use crate::error::StoreError;
use crate::store::{ClaimRow, EntityRow, EvidenceRow, ObjectRow, Snapshot};
use crate::weigh::{PeriodBelief, Weighed, six_decimals};

/// How many citations a claim shows.
pub(crate) const CITATIONS: usize = 5;

/// A snapshot of a graph, with what is needed to read it.
pub(crate) struct Reader<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) law: &'a Law,
    pub(crate) ontology: &'a Ontology,
    /// Below this belief an answer is not known.
    pub(crate) floor: f64,
    /// The time it is.
    pub(crate) now: Moment,
    /// What the past knew is weighed anew, once a claim.
    past: RefCell<HashMap<i64, Rc<Weighed>>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, law: &'a Law, floor: f64, now: Moment) -> Self {
        Self { snapshot, law, ontology: &law.ontology, floor, now, past: RefCell::default() }
    }

    /// Returns what the evidence says of a claim over time, as it is known at the time of the snapshot.
    pub(crate) fn weighed(&self, claim: &ClaimRow) -> Result<Rc<Weighed>, StoreError> {
        if let Some(weighed) = self.past.borrow().get(&claim.row) {
            return Ok(Rc::clone(weighed));
        }
        if self.snapshot.known_at().is_none() {
            let weighed = Rc::new(self.snapshot.weighed(claim.row)?);
            self.past.borrow_mut().insert(claim.row, Rc::clone(&weighed));
            return Ok(weighed);
        }
        let group = Group::of(self, claim)?;
        let mut past = self.past.borrow_mut();
        for (row, weighed) in group.weigh(self) {
            past.insert(row, Rc::new(weighed));
        }
        Ok(past.get(&claim.row).cloned().unwrap_or_default())
    }

    /// Returns the period of a claim that touches `when` and is believed most in it; of any time, without `when`.
    pub(crate) fn standing(
        &self,
        claim: &ClaimRow,
        when: Option<Interval>,
    ) -> Result<Option<PeriodBelief>, StoreError> {
        let weighed = self.weighed(claim)?;
        Ok(match when {
            None => weighed.overall().copied(),
            Some(when) => weighed
                .periods
                .iter()
                .filter(|period| period.interval.overlaps(when))
                .max_by(|left, right| left.belief.total_cmp(&right.belief))
                .copied(),
        })
    }

    /// Shows a claim; nothing, when no evidence speaks of it at `when`.
    pub(crate) fn view(
        &self,
        claim: &ClaimRow,
        when: Option<Interval>,
    ) -> Result<Option<ClaimView>, StoreError> {
        let Some(standing) = self.standing(claim, when)? else { return Ok(None) };
        let weighed = self.weighed(claim)?;
        let touching =
            weighed.periods.iter().filter(|period| when.is_none_or(|when| period.interval.overlaps(when)));
        let (object, literal) = match &claim.object {
            ObjectRow::Entity(row) => (self.entity_id(*row)?, None),
            ObjectRow::Literal(value) => (value.clone(), Some(value.clone())),
        };
        Ok(Some(ClaimView {
            id: self.short_id(claim)?,
            subject: self.entity_id(claim.subject)?,
            relation: claim.relation.clone(),
            object,
            literal,
            belief: six_decimals(standing.belief),
            disbelief: six_decimals(standing.disbelief),
            uncertainty: six_decimals(standing.uncertainty),
            conflict: claim.conflict,
            periods: PeriodView::all(touching),
            citations: self.citations(claim, when, CITATIONS)?,
            inferred: false,
            chain: Vec::new(),
        }))
    }

    /// Returns a claim's id, cut as far as it stays unique.
    pub(crate) fn short_id(&self, claim: &ClaimRow) -> Result<String, StoreError> {
        let length = self.snapshot.unique_length(&claim.id)?;
        Ok(claim.id.get(..length).unwrap_or(&claim.id).to_owned())
    }

    /// Returns the id of an entity.
    pub(crate) fn entity_id(&self, row: i64) -> Result<String, StoreError> {
        let entity = self.snapshot.entity(row)?;
        entity.map(|entity| entity.id).ok_or_else(|| StoreError::Row(format!("no entity has the row {row}")))
    }

    /// Returns the spans behind a claim: those that speak of `when` first, then the strongest, each sentence of a
    /// document once.
    pub(crate) fn citations(
        &self,
        claim: &ClaimRow,
        when: Option<Interval>,
        limit: usize,
    ) -> Result<Vec<Citation>, StoreError> {
        let mut evidence = self.snapshot.evidence_of(claim.row)?;
        let rank = |piece: &EvidenceRow| {
            let off = match (piece.valid, when) {
                (Some(valid), Some(when)) => u8::from(!valid.overlaps(when)) * 2,
                (None, Some(_)) => 1,
                _ => 0,
            };
            (off, -weight(piece))
        };
        evidence.sort_by(|left, right| {
            let (left, right) = (rank(left), rank(right));
            left.0.cmp(&right.0).then(left.1.total_cmp(&right.1))
        });
        let mut citations: Vec<Citation> = Vec::new();
        for piece in &evidence {
            let known = citations.iter().any(|citation| {
                citation.document == piece.document_index.as_str()
                    && (citation.start, citation.end) == (piece.span.start, piece.span.end)
            });
            if !known && let Some(citation) = self.cite(piece)? {
                citations.push(citation);
                if citations.len() == limit {
                    break;
                }
            }
        }
        Ok(citations)
    }

    /// Cites a piece of evidence, after comparing its quote with the text that is stored; nothing, when the text is
    /// gone or says something else.
    pub(crate) fn cite(&self, piece: &EvidenceRow) -> Result<Option<Citation>, StoreError> {
        let Some(chunk) = self.snapshot.chunk(piece.chunk)? else { return Ok(None) };
        let holds =
            !piece.said.is_empty() && chunk.text.contains(&piece.said) && chunk.document == piece.document;
        if !holds {
            tracing::warn!(index = %piece.index, "a quote differs from the stored text; run mge fsck");
            return Ok(None);
        }
        Ok(Some(Citation {
            index: piece.index.to_string(),
            start: piece.span.start,
            end: piece.span.end,
            quote: piece.quote.clone(),
            document: piece.document_index.to_string(),
            page: chunk.page,
            stance: piece.stance.sign(),
            date: piece.document_date,
            valid: piece.valid,
        }))
    }

    /// Shows an entity.
    pub(crate) fn entity_view(&self, entity: &EntityRow) -> Result<EntityView, StoreError> {
        let names = self.snapshot.names(entity.row)?;
        let mut aliases: Vec<String> =
            names.into_iter().map(|name| name.text).filter(|text| *text != entity.name).collect();
        aliases.dedup();
        Ok(EntityView {
            id: entity.id.clone(),
            concept: entity.concept.clone(),
            name: entity.name.clone(),
            aliases,
            mentions: entity.mentions,
        })
    }

    /// Finds the one entity that a caller means: by id, else by a name that only one has.
    pub(crate) fn resolve_entity(&self, text: &str) -> Result<EntityRow, RunError> {
        if let Some(entity) = self.snapshot.entity_by_id(text)? {
            return Ok(entity);
        }
        let mut named = self.snapshot.entities_named(text)?;
        if named.len() > 1 {
            let ids: Vec<&str> = named.iter().take(10).map(|entity| entity.id.as_str()).collect();
            return Err(RunError::invalid(format!("'{}' names {} entities", cut(text), named.len()))
                .hint(format!("give one of the ids: {}", ids.join(", "))));
        }
        if let Some(entity) = named.pop() {
            return Ok(entity);
        }
        let mut error = RunError::new(
            RunErrorKind::FailedToFindCapability,
            format!("no entity is called '{}'", cut(text)),
        );
        let near = self.near_entities(text, 3)?;
        if !near.is_empty() {
            let ids: Vec<&str> = near.iter().map(|entity| entity.id.as_str()).collect();
            error = error.hint(format!("did you mean {}?", ids.join(" or ")));
        }
        Err(error)
    }

    /// Finds entities whose names look like a text.
    pub(crate) fn near_entities(&self, text: &str, limit: usize) -> Result<Vec<EntityRow>, StoreError> {
        let mut candidates: Vec<EntityRow> = Vec::new();
        let name = text.rsplit('|').next().unwrap_or(text);
        let short: String = name.chars().take(200).collect();
        for word in crate::store::tokens(&short).iter().take(8) {
            candidates.extend(self.snapshot.entities_with_word(word, 50)?);
        }
        let beginning: String = short.chars().take(3).collect();
        if !mge_core::name_key(&beginning).is_empty() {
            candidates.extend(self.snapshot.entities_beginning(&beginning, 50)?);
        }
        candidates.sort_by(|left, right| left.id.cmp(&right.id));
        candidates.dedup_by(|left, right| left.row == right.row);
        let names = candidates.iter().map(|entity| entity.name.as_str());
        let near: Vec<String> = near_names(&short, names).into_iter().map(str::to_owned).collect();
        let mut found = Vec::new();
        for name in near {
            found.extend(candidates.iter().filter(|entity| entity.name == name).cloned());
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Finds the one claim that a caller means: by id or by a prefix that only one has.
    pub(crate) fn resolve_claim(&self, text: &str) -> Result<ClaimRow, RunError> {
        let text = text.trim();
        if let Some(claim) = self.snapshot.claim_by_id(text)? {
            return Ok(claim);
        }
        let mut found = if text.is_empty() { Vec::new() } else { self.snapshot.claims_beginning(text, 6)? };
        match found.len() {
            0 => Err(RunError::new(
                RunErrorKind::FailedToFindCapability,
                format!("no claim has the id '{}'", cut(text)),
            )
            .hint("claims list their ids: see the capability for claims, or mge ask")),
            1 => Ok(found.remove(0)),
            _ => {
                let ids: Vec<&str> = found.iter().take(5).map(|claim| claim.id.as_str()).collect();
                Err(RunError::invalid(format!("'{}' is the beginning of several claims' ids", cut(text)))
                    .hint(format!("give more of it: {}", ids.join(", "))))
            }
        }
    }

    /// Finds a relation by id, or by its last level when only one has it.
    pub(crate) fn resolve_relation(&self, text: &str) -> Result<&'a Relation, RunError> {
        if let Some(relation) = self.ontology.relations.get(text) {
            return Ok(relation);
        }
        let mut last = self
            .ontology
            .relations
            .values()
            .filter(|relation| relation.id.rsplit('|').next().is_some_and(|last| last == text));
        if let (Some(relation), None) = (last.next(), last.next()) {
            return Ok(relation);
        }
        Err(unknown("relation", text, self.ontology.relations.keys().map(String::as_str)))
    }

    /// Checks that a concept exists.
    pub(crate) fn resolve_concept(&self, text: &str) -> Result<&'a str, RunError> {
        if let Some((id, _)) = self.ontology.concepts.get_key_value(text) {
            return Ok(id);
        }
        let mut named = self.ontology.concepts_named(text);
        if let (Some(concept), None) = (named.next(), named.next()) {
            return Ok(&concept.id);
        }
        Err(unknown("concept", text, self.ontology.concepts.keys().map(String::as_str)))
    }

    /// Tells whether the objects of a relation are dates.
    pub(crate) fn has_dates(&self, relation: &str) -> bool {
        let relation = self.ontology.relations.get(relation);
        relation.is_some_and(|relation| relation.dst == Target::Literal(LiteralKind::Date))
    }

    /// Tells whether the objects of a relation are entities.
    pub(crate) fn has_entities(&self, relation: &str) -> bool {
        let relation = self.ontology.relations.get(relation);
        relation.is_none_or(|relation| matches!(relation.dst, Target::Concept(_)))
    }
}

/// Returns the weight of a piece of evidence.
pub(crate) fn weight(piece: &EvidenceRow) -> f64 {
    let sign = if piece.stance == Stance::For { 1.0 } else { 0.999 };
    piece.authority * piece.confidence * piece.subject_identity * piece.object_identity * sign
}

fn unknown<'n>(what: &str, text: &str, names: impl Iterator<Item = &'n str>) -> RunError {
    let error = RunError::invalid(format!("unknown {what} '{}'", cut(text)));
    match near_names(text, names).first() {
        Some(near) => error.hint(format!("did you mean '{near}'?")),
        None => error.hint(format!("the ontology lists every {what}: mge ontology show")),
    }
}

/// Cuts a text for a message.
pub(crate) fn cut(text: &str) -> String {
    const LONGEST: usize = 80;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let head: String = text.chars().take(LONGEST).collect();
    format!("{head}…")
}
