//! The best of many.

use crate::passage_id::PassageId;

/// So many passages that score like the last of the best are kept beside them: which of them is shown must not depend
/// on the order in which they came into the index.
const TIES: usize = 1_024;

/// A passage, and what it scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub(crate) id: PassageId,
    pub(crate) score: f32,
}

/// Keeps the best of many, and those that tie with the last of them.
pub(crate) struct Best {
    count: usize,
    /// What scores less cannot be among the best.
    floor: f32,
    kept: Vec<Scored>,
}

impl Best {
    pub(crate) fn new(count: usize) -> Self {
        Self { count: count.max(1), floor: 0.0, kept: Vec::new() }
    }

    /// Takes a passage in, if it is good enough; one that scores nothing never is.
    pub(crate) fn offer(&mut self, scored: Scored) {
        if scored.score > 0.0 && scored.score >= self.floor {
            self.kept.push(scored);
            if self.kept.len() >= 2 * (self.count + TIES) {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.kept.len() <= self.count {
            return;
        }
        let order =
            |left: &Scored, right: &Scored| right.score.total_cmp(&left.score).then(left.id.cmp(&right.id));
        self.kept.select_nth_unstable_by(self.count - 1, order);
        let floor = self.kept[self.count - 1].score;
        self.floor = floor;
        self.kept.retain(|one| one.score >= floor);
        let most = self.count + TIES;
        if self.kept.len() > most {
            self.kept.select_nth_unstable_by(most - 1, order);
            self.kept.truncate(most);
        }
    }

    /// Returns them, in no order.
    pub(crate) fn finish(mut self) -> Vec<Scored> {
        self.cut();
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(count: usize, scores: impl IntoIterator<Item = f32>) -> Vec<f32> {
        let mut best = Best::new(count);
        for (number, score) in scores.into_iter().enumerate() {
            best.offer(Scored { id: PassageId(number as i64), score });
        }
        let mut kept: Vec<f32> = best.finish().iter().map(|one| one.score).collect();
        kept.sort_by(|left, right| right.total_cmp(left));
        kept
    }

    #[test]
    fn the_best_and_their_ties_are_kept() {
        assert_eq!(best(2, [1.0, 3.0, 2.0, 2.0, 0.0, -1.0]), [3.0, 2.0, 2.0]);
        assert_eq!(best(3, (1..=10_000).map(|score| score as f32)), [10_000.0, 9_999.0, 9_998.0]);
        assert_eq!(best(3, std::iter::repeat_n(1.0, 100_000)).len(), 3 + TIES);
        assert!(best(3, [f32::NAN, 0.0]).is_empty());
    }
}
