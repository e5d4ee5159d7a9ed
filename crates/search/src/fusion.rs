//! Fusion: one ranking of two.

/// How far down a ranking a place still counts: 60, as by Cormack, Clarke & Büttcher.
const K: f64 = 60.0;
/// What a place in the lexical ranking counts for.
const LEXICAL: f64 = 1.0;
/// What a place in the vector ranking counts for.
const VECTOR: f64 = 1.0;

/// Fuses the ranks (from 1) that a passage has in the two rankings: the sum of w / (k + rank) over those that have it
/// (reciprocal rank fusion, Cormack, Clarke & Büttcher 2009, with a weight w for each ranking).
pub(crate) fn fused(lexical: Option<usize>, vector: Option<usize>) -> f64 {
    let share = |weight: f64, rank: Option<usize>| rank.map_or(0.0, |rank| weight / (K + rank as f64));
    share(LEXICAL, lexical) + share(VECTOR, vector)
}
