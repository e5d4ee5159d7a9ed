//! The vectors in memory: one 8-bit number for each passage and dimension.

use rayon::prelude::*;
use rusqlite::{Connection, params};

use crate::best::{Best, Scored};
use crate::error::SearchError;
use crate::meta::Meta;
use crate::passage_id::PassageId;
use crate::quantize::{CoarseQuery, coarse};

/// So many passages stand in a block.
const ROWS: usize = 1_024;
/// So many blocks are compared by one thread at a time.
const TOGETHER: usize = 16;

/// All vectors of an index, as of one change.
///
/// Within a block the numbers stand by dimension, so that a query with few dimensions, as those of the hashing embedder
/// are, reads no more than these, and many passages are compared with one instruction.
#[derive(Default)]
pub(crate) struct Matrix {
    dimension: usize,
    /// The change that it knows; 0 when nothing was loaded.
    pub(crate) change: i64,
    /// In ascending order.
    ids: Vec<i64>,
    /// One for each id; 0 when the passage was removed.
    scales: Vec<f32>,
    /// Each `dimension` times `ROWS` numbers.
    blocks: Vec<Vec<i8>>,
    removed: usize,
}

impl Matrix {
    /// Takes in what changed since; within one read transaction.
    pub(crate) fn refresh(&mut self, connection: &Connection, meta: &Meta) -> Result<(), SearchError> {
        let dimension = meta.model.as_ref().map_or(0, |model| model.dimension);
        let known = self.change > 0 && self.change >= meta.reload && self.dimension == dimension;
        if !known || !self.forget_removed(connection)? {
            *self = Self { dimension, ..Self::default() };
        }
        self.append_new(connection)?;
        self.change = meta.change;
        Ok(())
    }

    /// Forgets passages that were removed; `false` when so many were that it is better loaded anew.
    fn forget_removed(&mut self, connection: &Connection) -> Result<bool, SearchError> {
        let mut statement = connection.prepare_cached("SELECT passage FROM removed WHERE change > ?1")?;
        let mut rows = statement.query([self.change])?;
        while let Some(row) = rows.next()? {
            if let Ok(place) = self.ids.binary_search(&row.get(0)?) {
                self.scales[place] = 0.0;
                self.removed += 1;
            }
        }
        Ok(self.removed <= self.ids.len() / 4)
    }

    fn append_new(&mut self, connection: &Connection) -> Result<(), SearchError> {
        let last = self.ids.last().copied().unwrap_or(i64::MIN);
        let mut statement = connection
            .prepare_cached("SELECT passage, value FROM vector WHERE passage > ?1 ORDER BY passage")?;
        let mut rows = statement.query(params![last])?;
        while let Some(row) = rows.next()? {
            let blob = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            self.append(row.get(0)?, blob);
        }
        Ok(())
    }

    /// Appends a vector; one that is damaged is like no query.
    fn append(&mut self, id: i64, blob: &[u8]) {
        let Some((scale, numbers)) = coarse(blob, self.dimension) else { return };
        let place = self.ids.len() % ROWS;
        if place == 0 {
            self.blocks.push(vec![0; self.dimension * ROWS]);
        }
        self.ids.push(id);
        self.scales.push(scale);
        if let Some(block) = self.blocks.last_mut() {
            for (column, number) in block.chunks_exact_mut(ROWS).zip(numbers) {
                column[place] = number;
            }
        }
    }

    /// Returns the `count` passages that are most alike, approximately, in no order.
    pub(crate) fn nearest(&self, query: &[f32], count: usize) -> Vec<Scored> {
        if query.len() != self.dimension {
            return Vec::new();
        }
        let query = CoarseQuery::new(query);
        let found: Vec<Vec<Scored>> = self
            .blocks
            .par_chunks(TOGETHER)
            .enumerate()
            .map(|(chunk, blocks)| {
                let mut best = Best::new(count);
                let mut products = [0; ROWS];
                for (number, block) in (chunk * TOGETHER..).zip(blocks) {
                    query.products(block, &mut products);
                    let rows = number * ROWS..((number + 1) * ROWS).min(self.ids.len());
                    let rows = self.ids[rows.clone()].iter().zip(&self.scales[rows]);
                    for ((id, scale), product) in rows.zip(&products) {
                        let score = *product as f32 * scale * query.scale;
                        best.offer(Scored { id: PassageId(*id), score });
                    }
                }
                best.finish()
            })
            .collect();
        let mut best = Best::new(count);
        for scored in found.into_iter().flatten() {
            best.offer(scored);
        }
        best.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::normalized;
    use crate::quantize::to_blob;

    #[test]
    fn the_nearest_of_several_blocks_are_found() {
        // Numbers without a pattern, from a linear congruence.
        let mut state = 1_u32;
        let mut vector = || {
            let numbers = (0..48).map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / (1 << 23) as f32 - 1.0
            });
            normalized(numbers.collect())
        };
        let vectors: Vec<Vec<f32>> = (0..3_000).map(|_| vector()).collect();
        let mut matrix = Matrix { dimension: 48, ..Matrix::default() };
        for (number, vector) in vectors.iter().enumerate() {
            matrix.append(number as i64, &to_blob(vector));
        }
        matrix.append(3_000, b"damaged");
        let query = vector();
        let product = |number: usize| -> f32 {
            vectors[number].iter().zip(&query).map(|(left, right)| left * right).sum()
        };
        let mut exact: Vec<usize> = (0..3_000).collect();
        exact.sort_by(|left, right| product(*right).total_cmp(&product(*left)));
        let found = matrix.nearest(&query, 40);
        assert!(found.iter().all(|one| (one.score - product(one.id.0 as usize)).abs() < 0.02));
        for number in &exact[..20] {
            assert!(found.iter().any(|one| one.id.0 == *number as i64), "{number} is missing");
        }
        assert!(matrix.nearest(&[1.0], 5).is_empty());
    }
}
