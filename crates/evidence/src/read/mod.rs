//! Reading a graph: every answer cites, and every number can be explained.

mod claims;
mod conflicts;
mod entities;
mod explain;
mod group;
mod paths;
mod reader;
mod search;
#[cfg(test)]
mod tests;
mod view;

pub use claims::ClaimList;
pub use conflicts::{Change, ChangeList, Contradiction, ContradictionList, Timeline, TimelineEntry};
pub use entities::{EntityDetail, EntityList, Neighbor, NeighborList};
pub use explain::{EvidenceList, EvidenceView, Explained};
pub use paths::{PathList, PathView};
pub use search::{SearchResults, Statistics};
pub use view::{
    Answer, Citation, ClaimView, EntityView, Explanation, PassageView, PeriodView, Understanding,
};

pub(crate) use claims::{ClaimFilter, Found, sort_found};
pub(crate) use paths::LONGEST;
pub(crate) use reader::{Reader, cut};
pub(crate) use view::VERSION;
