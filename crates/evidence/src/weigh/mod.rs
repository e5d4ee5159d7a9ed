//! What the evidence for and against a claim comes to: pure computation, without a store.

mod group;
mod model;

pub(crate) use group::weigh_group;
pub(crate) use model::{Basis, PeriodBelief, Piece, Rival, WeighRule, Weighed, six_decimals};
