//! Where a node of a source is: the source, a cluster of files, a file, an element.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::cache::ParsedFile;
use crate::shelf::FileId;
use crate::tree::NodeId;

/// A node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Root,
    /// Depth and number, both from 1.
    Cluster(u32, usize),
    File(FileId),
    Element(FileId, NodeId),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster(depth, number) => write!(formatter, "{depth}:{number}"),
            _ => Ok(()),
        }
    }
}

/// A node and the index that was given for it, whose form its children keep.
#[derive(Debug)]
pub(crate) struct Resolved<'a> {
    pub(crate) place: Place,
    pub(crate) given: &'a str,
    /// The file of an element.
    pub(crate) file: Option<Arc<ParsedFile>>,
}

/// Tells whether a part of an index is written like a cluster, e.g. `2:17`.
pub(crate) fn is_cluster_part(part: &str) -> bool {
    parse(part).is_some()
}

fn parse(part: &str) -> Option<(u32, usize)> {
    // Most parts are paths, and most paths need no look at the rest.
    if !part.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let (depth, number) = part.split_once(':')?;
    let numeric =
        |text: &str| !text.is_empty() && !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    if !numeric(depth) || !numeric(number) {
        return None;
    }
    Some((depth.parse().ok()?, number.parse().ok()?))
}

/// The clusters over a sorted list of files, as arithmetic: nothing of them is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clusters {
    files: usize,
    size: usize,
    depth: u32,
}

impl Clusters {
    pub(crate) fn new(files: usize, size: usize) -> Self {
        // The configuration refuses less; a loop without end would be worse than an odd cluster.
        let size = size.max(2);
        let mut depth = 0;
        let mut entries = files;
        while entries > size {
            entries = entries.div_ceil(size);
            depth += 1;
        }
        Self { files, size, depth }
    }

    fn width(&self, depth: u32) -> usize {
        self.size.saturating_pow(depth)
    }

    /// Returns the files below the root or a cluster.
    pub(crate) fn files(&self, place: Place) -> Range<FileId> {
        match place {
            Place::Cluster(depth, number) => {
                let width = self.width(depth);
                let start = width.saturating_mul(number - 1).min(self.files);
                start as FileId..start.saturating_add(width).min(self.files) as FileId
            }
            Place::File(id) | Place::Element(id, _) => id..id + 1,
            Place::Root => 0..self.files as FileId,
        }
    }

    /// Yields the nodes right below the root or a cluster.
    pub(crate) fn children(&self, place: Place) -> impl Iterator<Item = Place> {
        let files = self.files(place);
        let below = match place {
            Place::Cluster(depth, _) => depth - 1,
            _ => self.depth,
        };
        let width = self.width(below);
        let (first, last) = if files.is_empty() {
            (0, 0)
        } else {
            (files.start as usize / width, (files.end as usize - 1) / width + 1)
        };
        (first..last).map(move |number| {
            if below == 0 { Place::File(number as FileId) } else { Place::Cluster(below, number + 1) }
        })
    }

    /// Finds a cluster by its part of the index, right below the root or another cluster.
    pub(crate) fn child(&self, place: Place, part: &str) -> Option<Place> {
        let (depth, number) = parse(part)?;
        let cluster = Place::Cluster(depth, number);
        let expected = match place {
            Place::Cluster(above, _) => above - 1,
            _ => self.depth,
        };
        if depth != expected || depth == 0 {
            return None;
        }
        let (inner, outer) = (self.files(cluster), self.files(place));
        (!inner.is_empty() && outer.start <= inner.start && inner.end <= outer.end).then_some(cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(clusters: Clusters, place: Place) -> Vec<String> {
        clusters
            .children(place)
            .map(|child| match child {
                Place::File(id) => format!("f{}", id + 1),
                child => child.to_string(),
            })
            .collect()
    }

    #[test]
    fn clusters_are_made_only_when_a_level_is_too_full() {
        assert_eq!(shown(Clusters::new(0, 2), Place::Root), Vec::<String>::new());
        assert_eq!(shown(Clusters::new(2, 2), Place::Root), ["f1", "f2"]);
        let clusters = Clusters::new(5, 2);
        assert_eq!(shown(clusters, Place::Root), ["2:1", "2:2"]);
        assert_eq!(shown(clusters, Place::Cluster(2, 2)), ["1:3"]);
        assert_eq!(shown(clusters, Place::Cluster(1, 3)), ["f5"]);
        assert_eq!(clusters.child(Place::Cluster(2, 1), "1:3"), None);
        assert_eq!(clusters.child(Place::Root, "1:1"), None);
        assert_eq!(clusters.child(Place::Root, "2:3"), None);
        assert_eq!(clusters.child(Place::Cluster(2, 1), "1:2"), Some(Place::Cluster(1, 2)));
    }

    #[test]
    fn fault_2_a_tiny_cluster_size_ends() {
        assert_eq!(Clusters::new(1_000, 0).depth, 9);
        assert_eq!(Clusters::new(usize::MAX, 1).depth, 63);
    }
}
