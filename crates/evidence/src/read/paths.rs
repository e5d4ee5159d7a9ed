use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

use mge_core::{Interval, RunError};
use serde::{Deserialize, Serialize};

use super::reader::Reader;
use super::view::{ClaimView, VERSION};
use crate::error::StoreError;
use crate::store::{ClaimRow, EntityRow, ObjectRow};
use crate::weigh::six_decimals;

/// How many claims a path may have at most.
pub(crate) const LONGEST: usize = 6;
/// How many entities a search opens before it stops and says so.
const OPENED: usize = 20_000;
/// How many claims of one entity are followed: a hub leads everywhere and says nothing.
const FOLLOWED: usize = 2_000;

/// One way from an entity to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathView {
    /// The product of the beliefs of its claims.
    pub belief: f64,
    /// The ids of the entities on it, both ends included.
    pub entities: Vec<String>,
    /// Its claims in order; each holds from subject to object, whichever way the path goes.
    pub claims: Vec<ClaimView>,
}

/// The best ways from an entity to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathList {
    /// The form of the answer: 1.
    pub version: u32,
    /// The id of the first entity.
    pub from: String,
    /// The id of the last.
    pub to: String,
    /// The ways, the most believed first.
    pub paths: Vec<PathView>,
    /// The search stopped before it had looked everywhere.
    pub truncated: bool,
}

impl Reader<'_> {
    /// Finds the `count` best paths by the product of beliefs, without going over an entity twice.
    ///
    /// Paths grow best first, so the first to arrive is the best; an entity is left at most `count` times by paths of
    /// the whole search, which keeps it bounded.
    pub(crate) fn paths(
        &self,
        from: &EntityRow,
        to: &EntityRow,
        count: usize,
        longest: usize,
        when: Option<Interval>,
        min_belief: f64,
    ) -> Result<PathList, RunError> {
        let mut paths = Vec::new();
        let mut left: BTreeMap<i64, usize> = BTreeMap::new();
        let mut edges: BTreeMap<i64, Rc<Vec<Edge>>> = BTreeMap::new();
        let mut truncated = false;
        let mut open = BinaryHeap::from([Way { belief: 1.0, entities: vec![from.row], claims: Vec::new() }]);
        while let Some(way) = open.pop() {
            let Some(&end) = way.entities.last() else { continue };
            if end == to.row && !way.claims.is_empty() {
                paths.push(self.show(&way, when)?);
                if paths.len() == count {
                    break;
                }
                continue;
            }
            let times = left.entry(end).or_default();
            if *times == count || way.claims.len() == longest {
                continue;
            }
            *times += 1;
            if edges.len() == OPENED {
                truncated = true;
                break;
            }
            let next = match edges.get(&end) {
                Some(next) => Rc::clone(next),
                None => {
                    let next = Rc::new(self.edges(end, when, min_belief, &mut truncated)?);
                    edges.insert(end, Rc::clone(&next));
                    next
                }
            };
            for edge in next.iter() {
                if !way.entities.contains(&edge.to) {
                    let mut longer = way.clone();
                    longer.belief *= edge.belief;
                    longer.entities.push(edge.to);
                    longer.claims.push(Rc::clone(&edge.claim));
                    open.push(longer);
                }
            }
        }
        Ok(PathList { version: VERSION, from: from.id.clone(), to: to.id.clone(), paths, truncated })
    }

    /// Returns the claims that lead on from an entity: of those to one other, the most believed of each relation.
    fn edges(
        &self,
        entity: i64,
        when: Option<Interval>,
        min_belief: f64,
        truncated: &mut bool,
    ) -> Result<Vec<Edge>, StoreError> {
        let mut rows = self.snapshot.claims_about(entity, None, 0, FOLLOWED)?;
        *truncated |= rows.len() == FOLLOWED;
        let incoming = self.snapshot.claims_to(entity, None, 0, FOLLOWED)?;
        *truncated |= incoming.len() == FOLLOWED;
        rows.extend(incoming);
        let mut edges = Vec::new();
        for claim in rows {
            let ObjectRow::Entity(object) = claim.object else { continue };
            let Some(standing) = self.standing(&claim, when)? else { continue };
            let belief = standing.belief;
            if belief > 0.0 && belief >= min_belief && belief > standing.disbelief {
                let to = if claim.subject == entity { object } else { claim.subject };
                edges.push(Edge { to, belief, claim: Rc::new(claim) });
            }
        }
        edges.sort_by(|left, right| left.claim.id.cmp(&right.claim.id));
        Ok(edges)
    }

    fn show(&self, way: &Way, when: Option<Interval>) -> Result<PathView, StoreError> {
        let entities = way.entities.iter().map(|row| self.entity_id(*row)).collect::<Result<_, _>>()?;
        let mut claims = Vec::new();
        for claim in &way.claims {
            claims.extend(self.view(claim, when)?);
        }
        Ok(PathView { belief: six_decimals(way.belief), entities, claims })
    }
}

struct Edge {
    to: i64,
    belief: f64,
    claim: Rc<ClaimRow>,
}

#[derive(Clone)]
struct Way {
    belief: f64,
    entities: Vec<i64>,
    claims: Vec<Rc<ClaimRow>>,
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Way {}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Way {
    fn cmp(&self, other: &Self) -> Ordering {
        // The most believed first, then the shortest, then by the ids of the claims: rows depend on arrival.
        let ids = |way: &Self| way.claims.iter().map(|claim| claim.id.clone()).collect::<Vec<_>>();
        self.belief
            .total_cmp(&other.belief)
            .then_with(|| other.claims.len().cmp(&self.claims.len()))
            .then_with(|| ids(other).cmp(&ids(self)))
    }
}
