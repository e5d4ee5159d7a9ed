use std::collections::BTreeSet;

use mge_core::{Interval, RunError};
use serde::{Deserialize, Serialize};

use super::claims::ClaimFilter;
use super::group::Group;
use super::reader::Reader;
use super::view::{Citation, ClaimView, VERSION};
use crate::error::StoreError;
use crate::store::{ClaimRow, EntityRow};

/// From this conflict on, the evidence of one claim contradicts itself; as when the graph counts conflicts.
const CONFLICT: f64 = 0.1;
/// From this support on, two values of one time contradict each other.
const SUPPORT: f64 = 0.25;

/// Claims that cannot hold together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// `rival_values` when values exclude each other, `denied` when one claim is both stated and denied.
    pub kind: String,
    /// The time for which they contradict each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Interval>,
    /// The claims, the most believed first.
    pub claims: Vec<ClaimView>,
}

/// What the graph disagrees about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContradictionList {
    /// The form of the answer: 1.
    pub version: u32,
    /// The contradictions.
    pub contradictions: Vec<Contradiction>,
    /// There are more.
    pub truncated: bool,
    /// What to pass as `after` to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Something that held of an entity for a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// The time; without one, nothing dates the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Interval>,
    /// How far it is believed for that time.
    pub belief: f64,
    /// On what the time rests: `stated`, `persisting`, `presumed`, `undated`, or `value` when the claim is about a
    /// date.
    pub basis: String,
    /// The claim.
    pub claim: ClaimView,
}

/// What is known of an entity, in order of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The form of the answer: 1.
    pub version: u32,
    /// The entity's id.
    pub entity: String,
    /// The entries, earliest first; undated ones last.
    pub entries: Vec<TimelineEntry>,
    /// There are more.
    pub truncated: bool,
}

impl Reader<'_> {
    /// Lists what the graph disagrees about.
    pub(crate) fn contradictions(
        &self,
        about: Option<&EntityRow>,
        when: Option<Interval>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<ContradictionList, RunError> {
        const PAGE: usize = 200;
        let mut contradictions: Vec<Contradiction> = Vec::new();
        let mut next = None;
        let mut seen: BTreeSet<i64> = BTreeSet::new();
        let mut row: i64 = after.and_then(|after| after.parse().ok()).unwrap_or(0);
        'pages: loop {
            let page = match about {
                Some(entity) => self.around(entity)?,
                None => self.snapshot.claims_in_conflict(row, PAGE)?,
            };
            let more = about.is_none() && page.len() == PAGE;
            for claim in page {
                if contradictions.len() >= limit {
                    next = Some(row.to_string());
                    break 'pages;
                }
                row = claim.row;
                if !seen.contains(&claim.row) {
                    self.contradictions_of(&claim, when, &mut seen, &mut contradictions)?;
                }
            }
            if !more {
                break;
            }
        }
        Ok(ContradictionList { version: VERSION, contradictions, truncated: next.is_some(), next })
    }

    fn around(&self, entity: &EntityRow) -> Result<Vec<ClaimRow>, StoreError> {
        let mut rows = self.snapshot.claims_about(entity.row, None, 0, usize::MAX)?;
        rows.extend(self.snapshot.claims_to(entity.row, None, 0, usize::MAX)?);
        rows.retain(|claim| claim.conflict || self.snapshot.known_at().is_some());
        Ok(rows)
    }

    fn contradictions_of(
        &self,
        claim: &ClaimRow,
        when: Option<Interval>,
        seen: &mut BTreeSet<i64>,
        out: &mut Vec<Contradiction>,
    ) -> Result<(), StoreError> {
        let group = Group::of(self, claim)?;
        let touches = |interval: Interval| when.is_none_or(|when| interval.overlaps(when));
        let mut supported: Vec<(usize, Interval, bool)> = Vec::new();
        for (position, member) in group.claims.iter().enumerate() {
            seen.insert(member.row);
            let weighed = self.weighed(member)?;
            let worst = weighed
                .periods
                .iter()
                .filter(|period| touches(period.interval) && period.conflict >= CONFLICT)
                .max_by(|left, right| left.conflict.total_cmp(&right.conflict));
            if let Some(worst) = worst {
                let claims = self.view(member, Some(worst.interval))?.into_iter().collect();
                out.push(Contradiction { kind: "denied".to_owned(), period: said(worst.interval), claims });
            }
            let strong = weighed.periods.iter().filter(|period| period.support >= SUPPORT);
            let strong = strong.filter(|period| touches(period.interval));
            supported.extend(strong.map(|period| (position, period.interval, period.assumed)));
        }
        // One entry for each set of values that stand against each other, with all the time for which they do.
        let mut sets: Vec<(BTreeSet<usize>, Interval)> = Vec::new();
        for (left, one, assumed) in &supported {
            // Two values that are both only assumed follow each other; nobody says when.
            let others = supported.iter().filter(|(right, _, other)| right > left && !(*assumed && *other));
            for (right, other, _) in others {
                let Some(shared) = one.intersect(*other) else { continue };
                if !group.exclusive || group.implies_either(*left, *right) {
                    continue;
                }
                match sets.iter_mut().find(|(_, interval)| interval.overlaps(shared)) {
                    Some((set, interval)) => {
                        set.extend([*left, *right]);
                        *interval = hull(*interval, shared);
                    }
                    None => sets.push((BTreeSet::from([*left, *right]), shared)),
                }
            }
        }
        for (set, interval) in touching(sets) {
            let mut claims = Vec::new();
            for position in set {
                claims.extend(self.view(&group.claims[position], Some(interval))?);
            }
            claims.sort_by(|left, right| {
                right.belief.total_cmp(&left.belief).then_with(|| left.id.cmp(&right.id))
            });
            out.push(Contradiction { kind: "rival_values".to_owned(), period: said(interval), claims });
        }
        Ok(())
    }

    /// Lists what is known of an entity in order of time.
    pub(crate) fn timeline(
        &self,
        entity: &EntityRow,
        when: Option<Interval>,
        min_belief: f64,
        limit: usize,
    ) -> Result<Timeline, RunError> {
        let side = |subject, object| ClaimFilter { subject, object, when, ..ClaimFilter::default() };
        let mut found = self.find_claims(&side(Some(entity.row), None))?;
        found.extend(self.find_claims(&side(None, Some(entity.row)))?);
        found.sort_by(|left, right| left.claim.id.cmp(&right.claim.id));
        found.dedup_by(|left, right| left.claim.row == right.claim.row);
        let mut entries = Vec::new();
        for claim in found {
            let Some(view) = self.view_found(&claim, when)? else { continue };
            // A number may look like a year.
            let value = view.literal.as_deref().filter(|_| self.has_dates(&view.relation));
            if let Some(date) = value.and_then(|value| Interval::parse(value).ok()) {
                if view.belief >= min_belief && when.is_none_or(|when| date.overlaps(when)) {
                    let basis = "value".to_owned();
                    entries.push(TimelineEntry {
                        period: Some(date),
                        belief: view.belief,
                        basis,
                        claim: view,
                    });
                }
                continue;
            }
            // Only what is stated makes an entry of its own; what is merely assumed shows when there is nothing else.
            let told: Vec<_> = view.periods.iter().filter(|period| period.belief >= min_belief).collect();
            let stated = told.iter().any(|period| period.basis == "stated");
            for period in told.into_iter().filter(|period| !stated || period.basis == "stated") {
                entries.push(TimelineEntry {
                    period: said(Interval { from: period.from, to: period.to }),
                    belief: period.belief,
                    basis: period.basis.clone(),
                    claim: view.clone(),
                });
                if !stated {
                    break;
                }
            }
        }
        entries.sort_by(|left, right| {
            let key = |entry: &TimelineEntry| {
                let dated = entry.period.filter(|_| entry.basis != "undated");
                (dated.is_none(), dated.map(|period| (period.from, period.to.is_none(), period.to)))
            };
            key(left).cmp(&key(right)).then_with(|| left.claim.id.cmp(&right.claim.id))
        });
        let truncated = entries.len() > limit;
        entries.truncate(limit);
        Ok(Timeline { version: VERSION, entity: entity.id.clone(), entries, truncated })
    }
}

/// Joins what the same values contradict each other about without a gap.
fn touching(mut sets: Vec<(BTreeSet<usize>, Interval)>) -> Vec<(BTreeSet<usize>, Interval)> {
    sets.sort_by(|left, right| {
        (left.1.from, left.1.to.is_none(), left.1.to).cmp(&(right.1.from, right.1.to.is_none(), right.1.to))
    });
    let mut joined: Vec<(BTreeSet<usize>, Interval)> = Vec::new();
    for (set, interval) in sets {
        match joined.last_mut() {
            Some((last, until))
                if *last == set && (until.to == interval.from || until.overlaps(interval)) =>
            {
                *until = hull(*until, interval);
            }
            _ => joined.push((set, interval)),
        }
    }
    joined
}

/// An interval without ends says nothing.
fn said(interval: Interval) -> Option<Interval> {
    (interval != Interval::ALWAYS).then_some(interval)
}

fn hull(left: Interval, right: Interval) -> Interval {
    Interval {
        from: left.from.and_then(|from| right.from.map(|other| from.min(other))),
        to: left.to.and_then(|to| right.to.map(|other| to.max(other))),
    }
}

/// Something that changed in the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// When it was recorded.
    pub recorded: String,
    /// `evidence_new` or `evidence_retracted`.
    pub kind: String,
    /// The claim, in one line.
    pub statement: String,
    /// The claim's id.
    pub claim: String,
    /// What says so, or said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
}

/// What changed since a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeList {
    /// The form of the answer: 1.
    pub version: u32,
    /// The time from which on changes are listed.
    pub since: String,
    /// The changes, oldest first.
    pub changes: Vec<Change>,
    /// There are more.
    pub truncated: bool,
    /// What to pass as `since` to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
