use super::model::{Basis, PeriodBelief};

/// Why a claim is believed as it is in one period.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PeriodTrace {
    /// What comes out.
    pub(crate) belief: PeriodBelief,
    /// What speaks for it.
    pub(crate) support: PoolTrace,
    /// What speaks against it.
    pub(crate) contradiction: PoolTrace,
    /// The odds with which it enters the competition of values.
    pub(crate) odds: f64,
    /// The other values of which anything is said in the period.
    pub(crate) rivals: Vec<RivalTrace>,
}

/// The documents on one side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PoolTrace {
    /// All of them, in the order of their keys.
    pub(crate) documents: Vec<DocumentTrace>,
    /// The best independent set was found by trying all; otherwise greedily.
    pub(crate) exact: bool,
}

/// What one document contributes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DocumentTrace {
    /// Its key.
    pub(crate) document: u64,
    /// Its largest weight.
    pub(crate) weight: f64,
    /// It does not count, because it shares a near-duplicate sentence with this one, which does.
    pub(crate) copy_of: Option<u64>,
    /// Its pieces of evidence, the strongest first.
    pub(crate) evidence: Vec<EvidenceTrace>,
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EvidenceTrace {
    /// The position of the value that it is about; another than the explained one when that is more general.
    pub(crate) rival: usize,
    /// Its position among the value's pieces.
    pub(crate) piece: usize,
    /// `w`.
    pub(crate) weight: f64,
    /// It gives its document its weight.
    pub(crate) strongest: bool,
    /// What it has to say about the period.
    pub(crate) basis: Basis,
}

/// How another value stands to the explained one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    /// Only one of the two can hold.
    Excludes,
    /// It is implied by the explained one, which it supports.
    MoreGeneral,
    /// It implies the explained one.
    MoreSpecific,
}

/// Another value of the same subject and relation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RivalTrace {
    /// Its position.
    pub(crate) rival: usize,
    /// How it stands to the explained one.
    pub(crate) stands: Stands,
    /// Its odds are part of the sum; not, when a more specific value already holds them.
    pub(crate) counts: bool,
    /// Its `S`.
    pub(crate) support: f64,
    /// Its odds.
    pub(crate) odds: f64,
    /// How far it is believed.
    pub(crate) belief: f64,
}
