//! The vectors in memory: one row of 8-bit numbers for each passage, compared one by one.

use rayon::prelude::*;
use rusqlite::{Connection, params};

use crate::best::{Best, Scored};
use crate::error::SearchError;
use crate::meta::Meta;
use crate::passage_id::PassageId;
use crate::quantize::{CoarseQuery, append_coarse};

/// So many rows are compared by one thread at a time.
const BLOCK: usize = 16_384;

/// All vectors of an index, as of one change.
#[derive(Default)]
pub(crate) struct Matrix {
    dimension: usize,
    /// The change that it knows; 0 when nothing was loaded.
    pub(crate) change: i64,
    /// In ascending order.
    ids: Vec<i64>,
    /// One for each id; 0 when the passage was removed.
    scales: Vec<f32>,
    /// `dimension` for each id.
    numbers: Vec<i8>,
    removed: usize,
}

impl Matrix {
    /// Takes in what changed since; within one read transaction.
    pub(crate) fn refresh(&mut self, connection: &Connection, meta: &Meta) -> Result<(), SearchError> {
        let dimension = meta.model.as_ref().map_or(0, |model| model.dimension);
        if self.change == 0 || self.change < meta.reload || self.dimension != dimension {
            *self = Self { dimension, ..Self::default() };
            self.reserve(usize::try_from(meta.vectors).unwrap_or(0));
        } else {
            self.forget_removed(connection)?;
        }
        self.append_new(connection)?;
        self.change = meta.change;
        Ok(())
    }

    fn reserve(&mut self, rows: usize) {
        // A wrong count in a damaged file must not take all memory.
        let rows = rows.min(1 << 24);
        self.ids.reserve_exact(rows);
        self.scales.reserve_exact(rows);
        self.numbers.reserve_exact(rows.saturating_mul(self.dimension).min(1 << 33));
    }

    fn forget_removed(&mut self, connection: &Connection) -> Result<(), SearchError> {
        let mut statement = connection.prepare_cached("SELECT passage FROM removed WHERE change > ?1")?;
        let mut rows = statement.query([self.change])?;
        while let Some(row) = rows.next()? {
            if let Ok(place) = self.ids.binary_search(&row.get(0)?) {
                self.scales[place] = 0.0;
                self.removed += 1;
            }
        }
        if self.removed > self.ids.len() / 4 {
            self.compact();
        }
        Ok(())
    }

    fn compact(&mut self) {
        let mut kept = 0;
        for place in 0..self.ids.len() {
            if self.scales[place] == 0.0 {
                continue;
            }
            self.ids[kept] = self.ids[place];
            self.scales[kept] = self.scales[place];
            let row = place * self.dimension;
            self.numbers.copy_within(row..row + self.dimension, kept * self.dimension);
            kept += 1;
        }
        self.ids.truncate(kept);
        self.scales.truncate(kept);
        self.numbers.truncate(kept * self.dimension);
        self.removed = 0;
    }

    fn append_new(&mut self, connection: &Connection) -> Result<(), SearchError> {
        let last = self.ids.last().copied().unwrap_or(i64::MIN);
        let mut statement = connection
            .prepare_cached("SELECT passage, value FROM vector WHERE passage > ?1 ORDER BY passage")?;
        let mut rows = statement.query(params![last])?;
        while let Some(row) = rows.next()? {
            let blob = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            // A damaged vector is like no query.
            if let Some(scale) = append_coarse(blob, self.dimension, &mut self.numbers) {
                self.ids.push(row.get(0)?);
                self.scales.push(scale);
            }
        }
        Ok(())
    }

    /// Returns the `count` passages that are most alike, approximately, in no order.
    pub(crate) fn nearest(&self, query: &[f32], count: usize) -> Vec<Scored> {
        if count == 0 || query.len() != self.dimension || self.dimension == 0 {
            return Vec::new();
        }
        let query = CoarseQuery::new(query);
        let blocks: Vec<Vec<Scored>> = (0..self.ids.len().div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut best = Best::new(count);
                let start = block * BLOCK;
                let end = (start + BLOCK).min(self.ids.len());
                let rows =
                    self.numbers[start * self.dimension..end * self.dimension].chunks_exact(self.dimension);
                for ((row, scale), id) in rows.zip(&self.scales[start..end]).zip(&self.ids[start..end]) {
                    best.offer(Scored { id: PassageId(*id), score: query.product(row, *scale) });
                }
                best.finish()
            })
            .collect();
        let mut best = Best::new(count);
        for scored in blocks.into_iter().flatten() {
            best.offer(scored);
        }
        best.finish()
    }
}
