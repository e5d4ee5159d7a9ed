//! The evidence graph: claims, the evidence for and against them, and what all of it says.
//!
//! This crate owns the store of a graph (one SQLite file: an append-only log, the texts that were read, and all
//! that follows from them), the crawl that fills it, the identity of entities, belief, and the answers to
//! questions. It leaves documents to a [`Corpus`](mge_core::Corpus), the reading of text to a
//! [`Formalize`](mge_core::Formalize), and the rules of what may be said to [`mge_ontology::Ontology`].

mod agentic;
mod agentic_read;
mod ask;
mod config;
mod crawl;
mod curate;
mod derive;
mod error;
mod export;
mod graph;
mod known;
mod read;
mod rebuild;
mod resolve;
mod stats;
mod store;
#[cfg(test)]
mod told;
mod verify;
mod weigh;

pub use agentic::KIND;
pub use answers::{
    Answer, Citation, ClaimList, ClaimView, ContradictionList, EntityDetail, EntityList, Explained,
    Explanation, PathList, PeriodView, SearchResults, Timeline,
};

/// What the reading capabilities answer, as types: whoever shows an answer reads it back into one of these.
pub mod answers {
    pub use crate::read::{
        Answer, Change, ChangeList, Citation, ClaimList, ClaimView, Contradiction, ContradictionList,
        EntityDetail, EntityList, EntityView, EvidenceList, EvidenceView, Explained, Explanation, Neighbor,
        NeighborList, PassageView, PathList, PathView, PeriodView, SearchResults, Statistics, Timeline,
        TimelineEntry, Understanding,
    };
}
