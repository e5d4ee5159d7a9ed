use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use mge_core::{Interval, RunError};
use mge_ontology::{Relation, Target};
use serde::{Deserialize, Serialize};

use super::reader::Reader;
use super::view::{ClaimView, VERSION};
use crate::error::StoreError;
use crate::store::{ClaimRow, ObjectRow};
use crate::weigh::six_decimals;

/// How many steps a transitive relation is followed, and how many entities it may lead over.
const STEPS: usize = 8;
const VISITED: usize = 2_000;
/// How many claims one answer looks at before it stops and says how to go on.
const LOOKED_AT: usize = 20_000;
const PAGE: usize = 500;

/// What claims are asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClaimFilter {
    pub(crate) subject: Option<i64>,
    pub(crate) object: Option<i64>,
    pub(crate) literal: Option<String>,
    pub(crate) relation: Option<String>,
    /// Subject or object is of this concept or below it.
    pub(crate) concept: Option<String>,
    pub(crate) when: Option<Interval>,
    pub(crate) min_belief: f64,
    pub(crate) limit: usize,
    /// Where an earlier answer stopped.
    pub(crate) after: Option<String>,
}

/// Claims, and how to get the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimList {
    /// The form of the answer: 1.
    pub version: u32,
    /// The claims.
    pub claims: Vec<ClaimView>,
    /// There are more.
    pub truncated: bool,
    /// What to pass as `after` to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A claim with the figures of the asked time, and what it follows from when nothing states it.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The claim, or the last of the chain.
    pub(crate) claim: ClaimRow,
    /// What it follows from; empty when it is stated.
    pub(crate) chain: Vec<ClaimRow>,
    /// The relation as it was asked for.
    pub(crate) relation: String,
    pub(crate) subject: i64,
    pub(crate) object: ObjectRow,
    pub(crate) belief: f64,
}

impl Reader<'_> {
    /// Lists claims.
    pub(crate) fn claims(&self, filter: &ClaimFilter) -> Result<ClaimList, RunError> {
        let limit = filter.limit.max(1);
        let mut claims = Vec::new();
        let mut next = None;
        if filter.subject.is_some() || filter.object.is_some() {
            // Around one entity, all is looked at, so that inferred claims come too and the order is by belief.
            let mut found = self.find_claims(filter)?;
            sort_found(&mut found);
            let skip = filter.after.as_deref().and_then(|after| after.parse().ok()).unwrap_or(0_usize);
            let rest = found.len().saturating_sub(skip);
            for claim in found.iter().skip(skip).take(limit) {
                claims.extend(self.view_found(claim, filter.when)?);
            }
            if rest > limit {
                next = Some((skip + limit).to_string());
            }
            return Ok(ClaimList { version: VERSION, claims, truncated: next.is_some(), next });
        }
        let relations = self.asked_relations(filter.relation.as_deref());
        let mut after = filter.after.clone();
        let mut looked_at = 0;
        'pages: loop {
            let only = relations.as_deref().filter(|ids| ids.len() == 1).map(|ids| ids[0].as_str());
            let page = self.snapshot.claims(only, after.as_deref(), PAGE)?;
            let more = page.len() == PAGE;
            for claim in page {
                if claims.len() == limit || looked_at == LOOKED_AT {
                    next = after;
                    break 'pages;
                }
                looked_at += 1;
                after = Some(claim.id.clone());
                let fits = relations.as_ref().is_none_or(|ids| ids.contains(&claim.relation))
                    && self.fits_concept(&claim, filter.concept.as_deref())?
                    && filter.literal.as_ref().is_none_or(|literal| is_literal(&claim, literal));
                if fits
                    && let Some(view) = self.view(&claim, filter.when)?
                    && view.belief >= filter.min_belief
                {
                    claims.push(view);
                }
            }
            if !more {
                break;
            }
        }
        Ok(ClaimList { version: VERSION, claims, truncated: next.is_some(), next })
    }

    /// Returns the stored relations that a filter means: itself and those that imply it.
    fn asked_relations(&self, relation: Option<&str>) -> Option<Vec<String>> {
        let relation = self.ontology.canonical(relation?)?.relation;
        Some(self.ontology.sub_relations(&relation.id).map(|sub| sub.id.clone()).collect())
    }

    fn fits_concept(&self, claim: &ClaimRow, concept: Option<&str>) -> Result<bool, StoreError> {
        let Some(concept) = concept else { return Ok(true) };
        let mut ends = vec![claim.subject];
        if let ObjectRow::Entity(object) = claim.object {
            ends.push(object);
        }
        for row in ends {
            if self
                .snapshot
                .entity(row)?
                .is_some_and(|entity| self.ontology.descends(&entity.concept, concept))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds all claims around an entity: stated ones, those that a more special relation implies, and those that
    /// follow over a transitive relation.
    pub(crate) fn find_claims(&self, filter: &ClaimFilter) -> Result<Vec<Found>, StoreError> {
        let Some(asked) = filter.relation.as_deref() else {
            let mut found = Vec::new();
            for claim in self.rows_around(filter, None)? {
                found.extend(self.found(&claim, &claim.relation, Vec::new(), filter)?);
            }
            return Ok(found);
        };
        let Some(canonical) = self.ontology.canonical(asked) else { return Ok(Vec::new()) };
        let mut filter = filter.clone();
        if canonical.swapped {
            (filter.subject, filter.object) = (filter.object, filter.subject);
        }
        let relation = canonical.relation;
        let mut found: Vec<Found> = Vec::new();
        let mut stated: BTreeMap<(i64, ObjectKey), usize> = BTreeMap::new();
        let mut subs: Vec<&Relation> = self.ontology.sub_relations(&relation.id).collect();
        // Stated claims of the relation itself come first, so that nothing is inferred that is also stated.
        subs.sort_by_key(|sub| (sub.id != relation.id, sub.id.clone()));
        for sub in subs {
            let mut rows = self.rows_around(&filter, Some(&sub.id))?;
            if sub.symmetric {
                let mut mirrored = filter.clone();
                (mirrored.subject, mirrored.object) = (filter.object, filter.subject);
                rows.extend(self.rows_around(&mirrored, Some(&sub.id))?);
                rows.sort_by_key(|claim| claim.row);
                rows.dedup_by_key(|claim| claim.row);
            }
            for claim in rows {
                let chain = if sub.id == relation.id { Vec::new() } else { vec![claim.clone()] };
                let ends = (claim.subject, key_of(&claim.object));
                if stated.contains_key(&ends) {
                    continue;
                }
                if let Some(claim) = self.found(&claim, &relation.id, chain, &filter)? {
                    stated.insert(ends, found.len());
                    found.push(claim);
                }
            }
        }
        if relation.transitive && matches!(relation.dst, Target::Concept(_)) {
            for inferred in self.follow(relation, &filter)? {
                if !stated.contains_key(&(inferred.subject, key_of(&inferred.object))) {
                    found.push(inferred);
                }
            }
        }
        Ok(found)
    }

    fn rows_around(&self, filter: &ClaimFilter, relation: Option<&str>) -> Result<Vec<ClaimRow>, StoreError> {
        let mut rows = match (filter.subject, filter.object) {
            (Some(subject), _) => self.snapshot.claims_about(subject, relation, 0, LOOKED_AT)?,
            (None, Some(object)) => self.snapshot.claims_to(object, relation, 0, LOOKED_AT)?,
            (None, None) => match relation {
                Some(relation) => self.snapshot.claims(Some(relation), None, LOOKED_AT)?,
                None => Vec::new(),
            },
        };
        if filter.subject.is_some()
            && let Some(object) = filter.object
        {
            rows.retain(|claim| claim.object == ObjectRow::Entity(object));
        }
        if let Some(literal) = &filter.literal {
            rows.retain(|claim| is_literal(claim, literal));
        }
        Ok(rows)
    }

    fn found(
        &self,
        claim: &ClaimRow,
        relation: &str,
        chain: Vec<ClaimRow>,
        filter: &ClaimFilter,
    ) -> Result<Option<Found>, StoreError> {
        if !self.fits_concept(claim, filter.concept.as_deref())? {
            return Ok(None);
        }
        let Some(standing) = self.standing(claim, filter.when)? else { return Ok(None) };
        let fits = standing.belief >= filter.min_belief;
        Ok(fits.then(|| Found {
            claim: claim.clone(),
            chain,
            relation: relation.to_owned(),
            subject: claim.subject,
            object: claim.object.clone(),
            belief: standing.belief,
        }))
    }

    /// Follows a transitive relation from the one end that is given, over the most believed chain to each entity.
    ///
    /// A chain is believed as far as all of its claims together: their product, as they are independent at best.
    fn follow(&self, relation: &Relation, filter: &ClaimFilter) -> Result<Vec<Found>, StoreError> {
        let (start, upwards, goal) = match (filter.subject, filter.object) {
            (Some(subject), goal) => (subject, true, goal),
            (None, Some(object)) => (object, false, None),
            (None, None) => return Ok(Vec::new()),
        };
        let mut best: BTreeMap<i64, (f64, Vec<ClaimRow>)> = BTreeMap::new();
        let mut open = BinaryHeap::from([Step { belief: 1.0, entity: start, chain: Vec::new() }]);
        while let Some(Step { belief, entity, chain }) = open.pop() {
            if best.contains_key(&entity) || best.len() == VISITED {
                continue;
            }
            best.insert(entity, (belief, chain.clone()));
            if chain.len() == STEPS {
                continue;
            }
            let mut rows = Vec::new();
            for sub in self.ontology.sub_relations(&relation.id) {
                rows.extend(if upwards {
                    self.snapshot.claims_about(entity, Some(&sub.id), 0, PAGE)?
                } else {
                    self.snapshot.claims_to(entity, Some(&sub.id), 0, PAGE)?
                });
            }
            for claim in rows {
                let ObjectRow::Entity(object) = claim.object else { continue };
                let to = if upwards { object } else { claim.subject };
                let Some(standing) = self.standing(&claim, filter.when)? else { continue };
                if standing.belief > standing.disbelief && !best.contains_key(&to) {
                    let mut chain = chain.clone();
                    chain.push(claim);
                    open.push(Step { belief: belief * standing.belief, entity: to, chain });
                }
            }
        }
        let mut inferred = Vec::new();
        for (entity, (belief, mut chain)) in best {
            if chain.len() < 2
                || entity == start
                || goal.is_some_and(|goal| goal != entity)
                || belief < filter.min_belief
            {
                continue;
            }
            if !upwards {
                chain.reverse();
            }
            let (subject, object) = if upwards { (start, entity) } else { (entity, start) };
            let Some(claim) = chain.last().cloned() else { continue };
            let relation = relation.id.clone();
            let inferred_claim =
                Found { claim, chain, relation, subject, object: ObjectRow::Entity(object), belief };
            let fits = match filter.concept.as_deref() {
                None => true,
                Some(concept) => [subject, object].iter().try_fold(false, |fits, row| {
                    let entity = self.snapshot.entity(*row)?;
                    let is = entity.is_some_and(|entity| self.ontology.descends(&entity.concept, concept));
                    Ok::<bool, StoreError>(fits || is)
                })?,
            };
            if fits {
                inferred.push(inferred_claim);
            }
        }
        Ok(inferred)
    }

    /// Shows a found claim; an inferred one with what it follows from, and their citations.
    pub(crate) fn view_found(
        &self,
        found: &Found,
        when: Option<Interval>,
    ) -> Result<Option<ClaimView>, StoreError> {
        let Some(mut view) = self.view(&found.claim, when)? else { return Ok(None) };
        if found.chain.is_empty() {
            return Ok(Some(view));
        }
        view.chain = found.chain.iter().map(|claim| self.short_id(claim)).collect::<Result<_, _>>()?;
        view.id = view.chain.join("+");
        view.inferred = true;
        view.relation = found.relation.clone();
        if found.chain.len() > 1 {
            view.subject = self.entity_id(found.subject)?;
            if let ObjectRow::Entity(object) = found.object {
                view.object = self.entity_id(object)?;
            }
            view.belief = six_decimals(found.belief);
            // What contradicts one link leaves the whole open, it does not deny it.
            view.disbelief = 0.0;
            view.uncertainty = six_decimals(1.0 - found.belief);
            view.periods = Vec::new();
            view.citations = Vec::new();
            for claim in &found.chain {
                view.citations.extend(self.citations(claim, when, 1)?);
            }
        }
        Ok(Some(view))
    }
}

/// Sorts by belief, then by id.
pub(crate) fn sort_found(found: &mut [Found]) {
    found.sort_by(|left, right| {
        let chains = || left.chain.len().cmp(&right.chain.len());
        right
            .belief
            .total_cmp(&left.belief)
            .then_with(chains)
            .then_with(|| left.claim.id.cmp(&right.claim.id))
    });
}

type ObjectKey = (i64, String);

fn key_of(object: &ObjectRow) -> ObjectKey {
    match object {
        ObjectRow::Entity(row) => (*row, String::new()),
        ObjectRow::Literal(value) => (0, value.clone()),
    }
}

fn is_literal(claim: &ClaimRow, literal: &str) -> bool {
    matches!(&claim.object, ObjectRow::Literal(value) if value == literal)
}

/// A chain under way; the most believed, then the shortest, comes first.
struct Step {
    belief: f64,
    entity: i64,
    chain: Vec<ClaimRow>,
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Step {}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        let ids = |step: &Self| step.chain.iter().map(|claim| claim.id.clone()).collect::<Vec<_>>();
        self.belief
            .total_cmp(&other.belief)
            .then_with(|| other.chain.len().cmp(&self.chain.len()))
            .then_with(|| ids(other).cmp(&ids(self)))
    }
}
