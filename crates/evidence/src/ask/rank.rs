use std::collections::{BTreeMap, BTreeSet};

use mge_core::RunError;

use crate::error::StoreError;
use crate::read::{PassageView, Reader};
use crate::store::{ObjectRow, tokens};

/// How far from the question's entities the graph is looked at.
const HOPS: usize = 2;
const MOST_NODES: usize = 3_000;
/// A hub leads everywhere and says nothing.
const MOST_CLAIMS: usize = 200;
/// The share of rank that walks on; the rest returns to the question's entities.
const DAMPING: f64 = 0.85;
const ROUNDS: usize = 40;
/// The constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009).
const FUSION: f64 = 60.0;
const HITS: usize = 60;

/// Ranks entities by how near they are to those of a question: personalised PageRank (Page et al. 1999), weighted by
/// belief, over the neighbourhood.
pub(super) fn page_rank(reader: &Reader<'_>, seeds: &[i64]) -> Result<BTreeMap<i64, f64>, StoreError> {
    let graph = Neighborhood::around(reader, seeds)?;
    Ok(graph.rank())
}

/// The graph around some entities, in compressed rows.
struct Neighborhood {
    entities: Vec<i64>,
    seeds: usize,
    starts: Vec<usize>,
    targets: Vec<usize>,
    weights: Vec<f64>,
}

impl Neighborhood {
    fn around(reader: &Reader<'_>, seeds: &[i64]) -> Result<Self, StoreError> {
        let mut entities: Vec<i64> = Vec::new();
        let mut number: BTreeMap<i64, usize> = BTreeMap::new();
        for seed in seeds {
            number.entry(*seed).or_insert_with(|| {
                entities.push(*seed);
                entities.len() - 1
            });
        }
        let count = entities.len();
        let mut edges: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        let mut seen: BTreeSet<i64> = BTreeSet::new();
        let mut front = 0..entities.len();
        for _ in 0..HOPS {
            for at in front.clone() {
                let mut claims = reader.snapshot.claims_about(entities[at], None, 0, MOST_CLAIMS)?;
                claims.extend(reader.snapshot.claims_to(entities[at], None, 0, MOST_CLAIMS)?);
                claims.sort_by(|left, right| left.id.cmp(&right.id));
                for claim in claims {
                    let ObjectRow::Entity(object) = claim.object else { continue };
                    if claim.belief <= 0.0 || !seen.insert(claim.row) {
                        continue;
                    }
                    let mut known = |row: i64| match number.get(&row) {
                        Some(known) => Some(*known),
                        None if entities.len() == MOST_NODES => None,
                        None => {
                            entities.push(row);
                            number.insert(row, entities.len() - 1);
                            Some(entities.len() - 1)
                        }
                    };
                    if let (Some(left), Some(right)) = (known(claim.subject), known(object)) {
                        *edges.entry((left, right)).or_default() += claim.belief;
                        *edges.entry((right, left)).or_default() += claim.belief;
                    }
                }
            }
            front = front.end..entities.len();
        }
        let mut starts = vec![0; entities.len() + 1];
        for (from, _) in edges.keys() {
            starts[from + 1] += 1;
        }
        for at in 0..entities.len() {
            starts[at + 1] += starts[at];
        }
        let targets = edges.keys().map(|(_, to)| *to).collect();
        let weights = edges.values().copied().collect();
        Ok(Self { entities, seeds: count, starts, targets, weights })
    }

    fn rank(&self) -> BTreeMap<i64, f64> {
        if self.seeds == 0 {
            return BTreeMap::new();
        }
        let share = 1.0 / self.seeds as f64;
        let mut rank = vec![0.0; self.entities.len()];
        rank[..self.seeds].fill(share);
        for _ in 0..ROUNDS {
            let mut next = vec![0.0; rank.len()];
            let mut lost = 0.0;
            for (at, mass) in rank.iter().enumerate() {
                let row = self.starts[at]..self.starts[at + 1];
                let total: f64 = self.weights[row.clone()].iter().sum();
                if total <= 0.0 {
                    lost += mass;
                    continue;
                }
                for edge in row {
                    next[self.targets[edge]] += mass * self.weights[edge] / total;
                }
            }
            for (at, mass) in next.iter_mut().enumerate() {
                let home = if at < self.seeds { share } else { 0.0 };
                // What has nowhere to go returns.
                *mass = DAMPING * (*mass + lost * home) + (1.0 - DAMPING) * home;
            }
            rank = next;
        }
        self.entities.iter().copied().zip(rank).collect()
    }
}

/// Finds the passages nearest to a question: full-text hits and the ranks of the entities they mention, fused by
/// their places in both lists. Also returns what was found, but not read yet.
pub(super) fn passages(
    reader: &Reader<'_>,
    words: &[String],
    ranks: &BTreeMap<i64, f64>,
    limit: usize,
) -> Result<(Vec<PassageView>, Vec<String>), RunError> {
    // Words that stand everywhere find nothing.
    const SMALL: &[&str] = &[
        "who", "what", "when", "where", "which", "how", "is", "are", "wa", "was", "were", "did", "do", "doe",
        "does", "the", "a", "an", "of", "in", "on", "at", "to", "for", "by", "and", "or", "ha", "has",
        "have", "mani", "much", "with", "it",
    ];
    let telling: Vec<String> = words.iter().filter(|word| !SMALL.contains(&word.as_str())).cloned().collect();
    let hits = reader.snapshot.search(if telling.is_empty() { words } else { &telling }, HITS)?;
    let mut near: Vec<(f64, usize)> = Vec::new();
    for (place, hit) in hits.iter().enumerate() {
        let mentions = reader.snapshot.mentions_in(hit.chunk)?;
        let entities: BTreeSet<i64> = mentions.iter().map(|mention| mention.entity).collect();
        let rank: f64 = entities.iter().filter_map(|entity| ranks.get(entity)).sum();
        near.push((rank, place));
    }
    near.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let mut scores: Vec<(f64, usize)> =
        (0..hits.len()).map(|place| (1.0 / (FUSION + place as f64 + 1.0), place)).collect();
    for (place, (rank, hit)) in near.iter().enumerate() {
        if *rank > 0.0 {
            scores[*hit].0 += 1.0 / (FUSION + place as f64 + 1.0);
        }
    }
    scores.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let mut passages = Vec::new();
    let mut unread = Vec::new();
    for (score, hit) in scores {
        let Some(chunk) = reader.snapshot.chunk(hits[hit].chunk)? else { continue };
        if chunk.state == crate::store::ChunkState::Unread && unread.len() < limit {
            unread.push(chunk.index.to_string());
        }
        if passages.len() < limit && chunk.kind != mge_core::ChunkKind::Heading {
            passages.extend(reader.passage(chunk.row, score)?);
        }
    }
    Ok((passages, unread))
}

/// Returns the words of a question to search for.
pub(super) fn search_words(question: &str) -> Vec<String> {
    let head: String = question.chars().take(4_000).collect();
    let mut seen = BTreeSet::new();
    tokens(&head).into_iter().filter(|word| seen.insert(word.clone())).take(40).collect()
}
