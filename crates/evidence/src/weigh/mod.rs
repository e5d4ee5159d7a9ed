//! What the evidence for and against a claim comes to: pure computation, without a store.

mod combine;
mod copies;
mod group;
mod independent;
mod model;
mod periods;
#[cfg(test)]
mod tests;
mod trace;

pub(crate) use group::{explain_group, weigh_group};
pub(crate) use model::{Basis, PeriodBelief, Piece, Rival, WeighRule, Weighed, six_decimals};
pub(crate) use trace::{DocumentTrace, EvidenceTrace, PeriodTrace, PoolTrace, RivalTrace, Stands};
