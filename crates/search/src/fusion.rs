//! Fusion: one ranking of two.

/// How far down a ranking a place still counts: 60, as by Cormack, Clarke & Büttcher.
const K: f64 = 60.0;
/// Fuses the ranks (from 1) that a passage has in the two rankings: 1 / (k + lexical rank) + w / (k + vector rank), where
/// a rank that it does not have adds nothing (reciprocal rank fusion, Cormack, Clarke & Büttcher 2009, with a weight w
/// for the vectors).
pub(crate) fn fused(lexical: Option<usize>, vector: Option<usize>, weight: f64) -> f64 {
    let share = |rank: Option<usize>| rank.map_or(0.0, |rank| 1.0 / (K + rank as f64));
    share(lexical) + weight * share(vector)
}

#[cfg(test)]
mod tests {
    use super::fused;

    #[test]
    fn worked_by_hand() {
        let close = |left: f64, right: f64| (left - right).abs() < 1e-12;
        // 1/61 + 1/63, as in the paper.
        assert!(close(fused(Some(1), Some(3), 1.0), 0.032_266_458_495_966_7));
        // 1/62 + 0.2/61.
        assert!(close(fused(Some(2), Some(1), 0.2), 0.019_407_720_782_654_7));
        assert!(close(fused(None, Some(40), 1.0), 0.01));
        assert_eq!(fused(None, None, 1.0), 0.0);
    }
}
