//! The graph in memory: ids and cells in one text, rows as numbers into it.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

use mge_core::{Digest, EdgeRow, GraphRows, NodeRow, escape_part, unescape_part};

/// The level below which edges are addressed.
pub(crate) const EDGES: &str = "_edge_";

/// An id has at most this many levels; more are a mistake, and would cost their square.
pub(crate) const MOST_LEVELS: usize = 64;
/// An id is at most this many bytes long.
pub(crate) const LONGEST_ID: usize = 4096;
/// How many times the parts of an edge's index may be escaped to tell it from others.
const ESCAPES: usize = 3;

/// Where a row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A person wrote it.
    Curated,
    /// A crawl added it.
    Crawl,
    /// No row lists it: a parent, or an end of an edge.
    Implied,
}

/// A part of the graph's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Text {
    start: u32,
    length: u32,
}

/// One level of the tree: a node, or a parent of nodes.
#[derive(Debug, Clone, Copy)]
struct Level {
    id: Text,
    parent: u32,
    cells: Text,
    line: u32,
    origin: Origin,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    src: u32,
    dst: u32,
    id: Text,
    cells: Text,
    line: u32,
    origin: Origin,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    column: u16,
    text: Text,
}

const NONE: u32 = u32::MAX;

/// What an index means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The graph itself.
    Root,
    /// A node or a parent of nodes.
    Level(u32),
    /// All edges.
    Edges,
    /// The edges that leave a node.
    EdgesFrom(u32),
    /// An edge.
    Edge(u32),
}

/// Why rows do not become a graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RowError {
    /// The id of a row is empty.
    #[error("the {0} is empty")]
    Empty(&'static str),
    /// The id is longer than any that is meant.
    #[error("the {0} is longer than {LONGEST_ID} bytes or has more than {MOST_LEVELS} levels")]
    TooLong(&'static str),
    /// The id was used before for something else.
    #[error("'{id}' was given other attributes in line {first}")]
    Duplicate {
        /// The id.
        id: String,
        /// Where it was given first.
        first: u32,
    },
    /// The texts of all rows do not fit.
    #[error("the graph holds more than 4 GiB of text")]
    Full,
}

/// A hash table of row numbers; the keys stay where they are.
#[derive(Debug, Default)]
struct Lookup {
    /// A row and a part of its key's hash, so that most other rows are passed without a look at their keys.
    slots: Vec<(u32, u32)>,
    count: usize,
    hasher: RandomState,
}

impl Lookup {
    fn find(&self, key: &str, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let hash = self.hasher.hash_one(key);
        let (mut slot, tag) = (hash as usize & mask, (hash >> 32) as u32);
        loop {
            match self.slots[slot] {
                (NONE, _) => return None,
                (row, known) if known == tag && same(row) => return Some(row),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Adds a row that is not in the table yet.
    fn add<'a>(&mut self, key: &'a str, row: u32, key_of: impl Fn(u32) -> &'a str) {
        // At most half full, so that a search is short and always ends.
        if (self.count + 1) * 2 > self.slots.len() {
            let larger = vec![(NONE, 0); (self.slots.len() * 2).max(64)];
            for (row, _) in std::mem::replace(&mut self.slots, larger) {
                if row != NONE {
                    self.place(key_of(row), row);
                }
            }
        }
        self.place(key, row);
        self.count += 1;
    }

    fn place(&mut self, key: &str, row: u32) {
        let mask = self.slots.len() - 1;
        let hash = self.hasher.hash_one(key);
        let mut slot = hash as usize & mask;
        while self.slots[slot].0 != NONE {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (row, (hash >> 32) as u32);
    }
}

/// A graph being read, and, once [`Graph::finish`] is called, ready to be asked.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    text: String,
    columns: Vec<String>,
    cells: Vec<Cell>,
    levels: Vec<Level>,
    lookup: Lookup,
    edges: Vec<Edge>,
    nodes: usize,
    /// The levels below each level, as ranges of `children`; the last entry is for the root.
    child_starts: Vec<u32>,
    children: Vec<u32>,
    /// The edges that leave and enter each level, as ranges.
    out_starts: Vec<u32>,
    out: Vec<u32>,
    in_starts: Vec<u32>,
    into: Vec<u32>,
    sources: Vec<u32>,
}

impl Graph {
    /// Adds a node. One that is there already must have the same attributes; what a person wrote stays as it is.
    pub(crate) fn add_node<'a>(
        &mut self,
        id: &str,
        cells: impl Iterator<Item = (&'a str, &'a str)>,
        line: u32,
        origin: Origin,
    ) -> Result<(), RowError> {
        check_id(id, "id")?;
        let level = self.level(id)?;
        let known = self.levels[level as usize];
        if known.origin == Origin::Implied {
            let cells = self.push_cells(cells)?;
            self.levels[level as usize] = Level { cells, line, origin, ..known };
            self.nodes += 1;
            return Ok(());
        }
        if origin == Origin::Crawl || self.same_cells(known.cells, cells) {
            return Ok(());
        }
        Err(RowError::Duplicate { id: id.to_owned(), first: known.line })
    }

    /// Adds an edge; its ends become nodes. Whether it is there already is found by [`Graph::finish`].
    pub(crate) fn add_edge<'a>(
        &mut self,
        ends: [&str; 2],
        id: &str,
        cells: impl Iterator<Item = (&'a str, &'a str)>,
        line: u32,
        origin: Origin,
    ) -> Result<(), RowError> {
        check_id(ends[0], "src")?;
        check_id(ends[1], "dst")?;
        check_id(id, "id")?;
        let (src, dst) = (self.level(ends[0])?, self.level(ends[1])?);
        let id = self.push_text(id)?;
        let cells = self.push_cells(cells)?;
        self.edges.push(Edge { src, dst, id, cells, line, origin });
        Ok(())
    }

    /// Builds what look-ups need. Returns the lines of edges that were given before with other attributes.
    pub(crate) fn finish(&mut self) -> Vec<(u32, RowError)> {
        let conflicts = self.drop_double_edges();
        let parents: Vec<u32> = self.levels.iter().map(|level| level.parent).collect();
        (self.child_starts, self.children) = group(&parents, self.levels.len() + 1);
        let sources: Vec<u32> = self.edges.iter().map(|edge| edge.src).collect();
        (self.out_starts, self.out) = group(&sources, self.levels.len());
        let targets: Vec<u32> = self.edges.iter().map(|edge| edge.dst).collect();
        (self.in_starts, self.into) = group(&targets, self.levels.len());
        self.sources =
            (0..self.levels.len() as u32).filter(|level| !self.edges_out(*level).is_empty()).collect();
        self.text.shrink_to_fit();
        self.cells.shrink_to_fit();
        self.levels.shrink_to_fit();
        conflicts
    }

    /// Sorts the edges by their ends and ids, and drops those that say the same again.
    fn drop_double_edges(&mut self) -> Vec<(u32, RowError)> {
        let mut edges = std::mem::take(&mut self.edges);
        let text = &self.text;
        // A person's row comes before a crawl's, an earlier line before a later one: the first is kept.
        edges.sort_by(|left, right| {
            (left.src, left.dst)
                .cmp(&(right.src, right.dst))
                .then_with(|| slice(text, left.id).cmp(slice(text, right.id)))
                .then_with(|| (left.origin, left.line).cmp(&(right.origin, right.line)))
        });
        let mut conflicts = Vec::new();
        edges.dedup_by(|later, first| {
            let double = later.src == first.src
                && later.dst == first.dst
                && slice(text, later.id) == slice(text, first.id);
            let pairs = |cells| self.cells_in(cells);
            if double && later.origin == Origin::Curated && pairs(later.cells) != pairs(first.cells) {
                let id = slice(text, later.id).to_owned();
                conflicts.push((later.line, RowError::Duplicate { id, first: first.line }));
            }
            double
        });
        edges.shrink_to_fit();
        self.edges = edges;
        conflicts.sort_by_key(|(line, _)| *line);
        conflicts
    }

    /// Finds or makes the level of an id, with its parents.
    fn level(&mut self, id: &str) -> Result<u32, RowError> {
        if let Some(level) = self.find(id) {
            return Ok(level);
        }
        let text = self.push_text(id)?;
        let mut parent = NONE;
        let ends = id.match_indices('|').map(|(end, _)| end).chain(std::iter::once(id.len()));
        for end in ends {
            let prefix = &id[..end];
            if let Some(level) = self.find(prefix) {
                parent = level;
                continue;
            }
            // The parents' ids are prefixes of the id, so they share its text.
            let level = u32::try_from(self.levels.len()).map_err(|_| RowError::Full)?;
            let id = Text { start: text.start, length: end as u32 };
            let none = Text { start: 0, length: 0 };
            self.levels.push(Level { id, parent, cells: none, line: 0, origin: Origin::Implied });
            let (all, levels) = (&self.text, &self.levels);
            self.lookup.add(slice(all, id), level, |row| slice(all, levels[row as usize].id));
            parent = level;
        }
        Ok(parent)
    }

    fn push_text(&mut self, text: &str) -> Result<Text, RowError> {
        let start = u32::try_from(self.text.len()).map_err(|_| RowError::Full)?;
        let length = u32::try_from(text.len()).map_err(|_| RowError::Full)?;
        self.text.push_str(text);
        Ok(Text { start, length })
    }

    fn push_cells<'a>(&mut self, cells: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Text, RowError> {
        let start = self.cells.len();
        for (column, cell) in cells.filter(|(_, cell)| !cell.is_empty()) {
            let column = match self.columns.iter().position(|known| known == column) {
                Some(position) => position,
                None => {
                    self.columns.push(column.to_owned());
                    self.columns.len() - 1
                }
            };
            let column = u16::try_from(column).map_err(|_| RowError::Full)?;
            let text = self.push_text(cell)?;
            self.cells.push(Cell { column, text });
        }
        let length = (self.cells.len() - start) as u32;
        Ok(Text { start: u32::try_from(start).map_err(|_| RowError::Full)?, length })
    }

    fn cells_in(&self, range: Text) -> BTreeMap<&str, &str> {
        let range = range.start as usize..(range.start + range.length) as usize;
        let cells = self.cells[range].iter();
        cells
            .map(|cell| (self.columns[cell.column as usize].as_str(), slice(&self.text, cell.text)))
            .collect()
    }

    fn same_cells<'a>(&self, known: Text, cells: impl Iterator<Item = (&'a str, &'a str)>) -> bool {
        let given: BTreeMap<&str, &str> = cells.filter(|(_, cell)| !cell.is_empty()).collect();
        self.cells_in(known) == given
    }

    /// Returns the level of an id.
    pub(crate) fn find(&self, id: &str) -> Option<u32> {
        self.lookup.find(id, |row| self.id(row) == id)
    }

    /// Returns the id of a level.
    pub(crate) fn id(&self, level: u32) -> &str {
        slice(&self.text, self.levels[level as usize].id)
    }

    /// Tells whether a level is a node: listed, or an end of an edge.
    pub(crate) fn is_node(&self, level: u32) -> bool {
        self.levels[level as usize].origin != Origin::Implied
            || !self.edges_out(level).is_empty()
            || !self.edges_in(level).is_empty()
    }

    /// Returns where a level comes from.
    pub(crate) fn origin(&self, level: u32) -> Origin {
        self.levels[level as usize].origin
    }

    /// Returns the line in which a level is listed.
    pub(crate) fn line(&self, level: u32) -> Option<usize> {
        Some(self.levels[level as usize].line as usize).filter(|line| *line > 0)
    }

    /// Returns the attributes of a level.
    pub(crate) fn attributes(&self, level: u32) -> BTreeMap<&str, &str> {
        self.cells_in(self.levels[level as usize].cells)
    }

    /// Returns one attribute of a level.
    pub(crate) fn attribute(&self, level: u32, column: &str) -> Option<&str> {
        let Text { start, length } = self.levels[level as usize].cells;
        let cells = self.cells[start as usize..(start + length) as usize].iter();
        let cell = cells.rev().find(|cell| self.columns[cell.column as usize] == column)?;
        Some(slice(&self.text, cell.text))
    }

    /// Returns the parent of a level.
    pub(crate) fn parent(&self, level: u32) -> Option<u32> {
        Some(self.levels[level as usize].parent).filter(|parent| *parent != NONE)
    }

    /// Returns the levels below a level, or below the root, in the order in which they were read.
    pub(crate) fn children(&self, level: Option<u32>) -> &[u32] {
        range(&self.child_starts, &self.children, level.map_or(self.levels.len(), |level| level as usize))
    }

    /// Returns the edges that leave a level, by their ends and ids.
    pub(crate) fn edges_out(&self, level: u32) -> &[u32] {
        range(&self.out_starts, &self.out, level as usize)
    }

    /// Returns the edges that enter a level.
    pub(crate) fn edges_in(&self, level: u32) -> &[u32] {
        range(&self.in_starts, &self.into, level as usize)
    }

    /// Returns the levels that edges leave.
    pub(crate) fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// Returns the numbers of all levels.
    pub(crate) fn levels(&self) -> std::ops::Range<u32> {
        0..self.levels.len() as u32
    }

    /// Returns the numbers of all edges.
    pub(crate) fn edges(&self) -> std::ops::Range<u32> {
        0..self.edges.len() as u32
    }

    /// Returns the number of listed nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes
    }

    /// Returns the ends of an edge.
    pub(crate) fn ends(&self, edge: u32) -> [u32; 2] {
        let edge = &self.edges[edge as usize];
        [edge.src, edge.dst]
    }

    /// Returns the id of an edge.
    pub(crate) fn edge_id(&self, edge: u32) -> &str {
        slice(&self.text, self.edges[edge as usize].id)
    }

    /// Returns the attributes of an edge.
    pub(crate) fn edge_attributes(&self, edge: u32) -> BTreeMap<&str, &str> {
        self.cells_in(self.edges[edge as usize].cells)
    }

    /// Returns where an edge comes from.
    pub(crate) fn edge_origin(&self, edge: u32) -> Origin {
        self.edges[edge as usize].origin
    }

    /// Returns the line in which an edge is listed.
    pub(crate) fn edge_line(&self, edge: u32) -> Option<usize> {
        Some(self.edges[edge as usize].line as usize).filter(|line| *line > 0)
    }

    /// Returns the edge between two levels by its id.
    pub(crate) fn find_edge(&self, src: u32, dst: u32, id: &str) -> Option<u32> {
        // Edges are sorted by src, dst and id, and so is the range of one src.
        let out = self.edges_out(src);
        let key = |edge: &u32| (self.edges[*edge as usize].dst, self.edge_id(*edge));
        out.binary_search_by(|edge| key(edge).cmp(&(dst, id))).ok().map(|position| out[position])
    }

    /// Returns the index of an edge below `_edge_`, without the name of the graph.
    ///
    /// Written as its ids are, unless that would mean another edge; then with escaped parts.
    pub(crate) fn edge_index(&self, edge: u32) -> String {
        let [src, dst] = self.ends(edge);
        let mut parts = [self.id(src), self.id(dst), self.edge_id(edge)].map(str::to_owned);
        for _ in 0..=ESCAPES {
            let index = parts.join("||");
            if self.edge_at(&index) == Some(edge) {
                return index;
            }
            parts = parts.map(|part| escape_part(&part));
        }
        parts.join("||")
    }

    /// Finds the edge of an index without `_edge_`.
    pub(crate) fn edge_at(&self, index: &str) -> Option<u32> {
        // No such ids exist, and looking at every border of a huge index would take its square.
        if index.len() > 3 * LONGEST_ID * (1 << ESCAPES) {
            return None;
        }
        (0..=ESCAPES).find_map(|escapes| self.edge_split(index, escapes))
    }

    fn edge_split(&self, index: &str, escapes: usize) -> Option<u32> {
        let plain = |part: &str| (0..escapes).fold(part.to_owned(), |part, _| unescape_part(&part));
        let borders: Vec<usize> =
            (1..index.len()).filter(|at| index.as_bytes()[*at - 1..].starts_with(b"||")).collect();
        for (position, first) in borders.iter().enumerate() {
            let Some(src) = self.find(&plain(&index[..first - 1])) else { continue };
            if self.edges_out(src).is_empty() {
                continue;
            }
            for second in borders[position + 1..].iter().filter(|second| **second > first + 1) {
                let dst = self.find(&plain(&index[first + 1..second - 1]));
                let edge = dst.and_then(|dst| self.find_edge(src, dst, &plain(&index[second + 1..])));
                if edge.is_some() {
                    return edge;
                }
            }
        }
        None
    }

    /// Finds what an index means; `name` is the graph's, which may stand in front.
    pub(crate) fn resolve(&self, name: &str, index: &str) -> Option<Place> {
        if index.is_empty() || index == name {
            return Some(Place::Root);
        }
        let inner = index.strip_prefix(name).and_then(|rest| rest.strip_prefix('|'));
        inner.and_then(|inner| self.resolve_inner(inner)).or_else(|| self.resolve_inner(index))
    }

    fn resolve_inner(&self, index: &str) -> Option<Place> {
        if let Some(level) = self.find(index) {
            return Some(Place::Level(level));
        }
        if index == EDGES {
            return (!self.edges.is_empty()).then_some(Place::Edges);
        }
        let index = index.strip_prefix(EDGES)?.strip_prefix('|')?;
        self.edge_at(index).map(Place::Edge).or_else(|| {
            let source = self.find(index).filter(|level| !self.edges_out(*level).is_empty());
            source.map(Place::EdgesFrom)
        })
    }

    /// Finds the edges that leave a node, by an index below `_edge_`, even where it is a node's or an edge's too.
    pub(crate) fn resolve_source(&self, name: &str, index: &str) -> Option<u32> {
        let inner = index.strip_prefix(name).and_then(|rest| rest.strip_prefix('|'));
        [inner, Some(index)].into_iter().flatten().find_map(|index| {
            let index = index.strip_prefix(EDGES)?.strip_prefix('|')?;
            self.find(index).filter(|level| !self.edges_out(*level).is_empty())
        })
    }

    /// Returns the longest part of an index that exists, without the name of the graph; empty when none does.
    pub(crate) fn longest_prefix<'a>(&self, name: &str, index: &'a str) -> &'a str {
        let inner = index.strip_prefix(name).and_then(|rest| rest.strip_prefix('|')).unwrap_or(index);
        let mut longest = "";
        for end in inner.match_indices('|').map(|(end, _)| end).take(MOST_LEVELS) {
            let prefix = &inner[..end];
            if prefix.len() > LONGEST_ID {
                break;
            }
            if self.find(prefix).is_some() || prefix == EDGES && !self.edges.is_empty() {
                longest = prefix;
            }
        }
        longest
    }

    /// Returns the curated rows, sorted, with their digest.
    pub(crate) fn curated(&self) -> GraphRows {
        let owned = |cells: BTreeMap<&str, &str>| -> BTreeMap<String, String> {
            cells.into_iter().map(|(column, cell)| (column.to_owned(), cell.to_owned())).collect()
        };
        let (levels, edges) = self.curated_order();
        let nodes = levels.iter().map(|level| NodeRow {
            id: self.id(*level).to_owned(),
            attributes: owned(self.attributes(*level)),
        });
        let nodes = nodes.collect();
        let digest = self.digest_of(&levels, &edges);
        let edges = edges.iter().map(|edge| {
            let [src, dst] = self.ends(*edge).map(|end| self.id(end).to_owned());
            let (id, attributes) = (self.edge_id(*edge).to_owned(), owned(self.edge_attributes(*edge)));
            EdgeRow { src, dst, id, attributes }
        });
        let edges = edges.collect();
        GraphRows { nodes, edges, digest }
    }

    /// Returns the digest of the curated rows, whatever order and file they come from.
    pub(crate) fn curated_digest(&self) -> Digest {
        let (levels, edges) = self.curated_order();
        self.digest_of(&levels, &edges)
    }

    fn digest_of(&self, levels: &[u32], edges: &[u32]) -> Digest {
        let nodes = levels.iter().flat_map(|level| {
            let mut parts = vec![&b"node"[..], self.id(*level).as_bytes()];
            push_parts(&mut parts, self.attributes(*level));
            parts
        });
        let edges = edges.iter().flat_map(|edge| {
            let [src, dst] = self.ends(*edge).map(|end| self.id(end).as_bytes());
            let mut parts = vec![&b"edge"[..], src, dst, self.edge_id(*edge).as_bytes()];
            push_parts(&mut parts, self.edge_attributes(*edge));
            parts
        });
        Digest::of_parts(nodes.chain(edges))
    }

    /// Returns the curated nodes in order of id, and the curated edges in order of src, dst, id.
    fn curated_order(&self) -> (Vec<u32>, Vec<u32>) {
        let mut levels: Vec<u32> = self.levels().collect();
        levels.sort_unstable_by(|left, right| self.id(*left).cmp(self.id(*right)));
        let mut ranks = vec![0u32; levels.len()];
        for (rank, level) in levels.iter().enumerate() {
            ranks[*level as usize] = rank as u32;
        }
        let mut edges: Vec<u32> =
            self.edges().filter(|edge| self.edge_origin(*edge) == Origin::Curated).collect();
        // Edges between the same two stand in order of their ids already, and a stable sort leaves them so.
        edges.sort_by_key(|edge| self.ends(*edge).map(|end| ranks[end as usize]));
        levels.retain(|level| self.origin(*level) == Origin::Curated);
        (levels, edges)
    }
}

fn push_parts<'a>(parts: &mut Vec<&'a [u8]>, cells: BTreeMap<&'a str, &'a str>) {
    parts.extend(cells.into_iter().flat_map(|(column, cell)| [column.as_bytes(), cell.as_bytes()]));
    // No column is without a name: where a row ends is certain.
    parts.push(b"");
}

fn check_id(id: &str, what: &'static str) -> Result<(), RowError> {
    if id.trim().is_empty() {
        return Err(RowError::Empty(what));
    }
    if id.len() > LONGEST_ID || id.bytes().filter(|byte| *byte == b'|').count() >= MOST_LEVELS {
        return Err(RowError::TooLong(what));
    }
    Ok(())
}

fn slice(text: &str, part: Text) -> &str {
    let start = part.start as usize;
    text.get(start..start + part.length as usize).unwrap_or_default()
}

/// Groups rows by a number below `count` (anything else counts as the last): starts of ranges, and rows in order.
fn group(keys: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let key = |key: u32| (key as usize).min(count.saturating_sub(1));
    let mut starts = vec![0u32; count + 1];
    for row in keys {
        starts[key(*row) + 1] += 1;
    }
    for position in 1..starts.len() {
        starts[position] += starts[position - 1];
    }
    let mut next = starts.clone();
    let mut rows = vec![0u32; keys.len()];
    for (row, number) in keys.iter().enumerate() {
        let slot = &mut next[key(*number)];
        rows[*slot as usize] = row as u32;
        *slot += 1;
    }
    (starts, rows)
}

fn range<'a>(starts: &[u32], rows: &'a [u32], position: usize) -> &'a [u32] {
    match (starts.get(position), starts.get(position + 1)) {
        (Some(start), Some(end)) => &rows[*start as usize..*end as usize],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(nodes: &[String], edges: &[(String, String, String)]) -> Graph {
        let mut graph = Graph::default();
        for node in nodes {
            graph.add_node(node, [].into_iter(), 1, Origin::Curated).unwrap();
        }
        for (src, dst, id) in edges {
            graph.add_edge([src, dst], id, [].into_iter(), 1, Origin::Curated).unwrap();
        }
        assert!(graph.finish().is_empty());
        graph
    }

    fn ids() -> impl Strategy<Value = String> {
        "(_edge_\\||g\\||a|b|\\|){1,6}".prop_filter("an id is not blank", |id| !id.trim().is_empty())
    }

    proptest! {
        #[test]
        fn every_edge_has_an_index_of_its_own(
            edges in prop::collection::vec((ids(), ids(), ids()), 1..12),
            nodes in prop::collection::vec("[ab]{1,3}", 0..5),
        ) {
            let graph = graph(&nodes, &edges);
            for edge in graph.edges() {
                prop_assert_eq!(graph.edge_at(&graph.edge_index(edge)), Some(edge));
            }
        }

        #[test]
        fn every_node_resolves_with_and_without_the_name(nodes in prop::collection::vec(ids(), 1..20)) {
            let graph = graph(&nodes, &[]);
            for node in &nodes {
                let level = graph.find(node).expect("it was added");
                prop_assert_eq!(graph.resolve("g", &format!("g|{node}")), Some(Place::Level(level)));
                prop_assert_eq!(graph.id(level), node);
                // Without the name, an id that starts like the graph may mean another one.
                if !node.starts_with("g|") && node != "g" {
                    prop_assert_eq!(graph.resolve("g", node), Some(Place::Level(level)));
                }
            }
        }

        #[test]
        fn every_level_is_below_its_parent_once(nodes in prop::collection::vec(ids(), 1..20)) {
            let graph = graph(&nodes, &[]);
            let mut seen: Vec<u32> = graph.children(None).to_vec();
            let mut position = 0;
            while position < seen.len() {
                seen.extend_from_slice(graph.children(Some(seen[position])));
                position += 1;
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, graph.levels().collect::<Vec<_>>());
        }

        #[test]
        fn any_index_is_answered(index in "(\\PC|\\|){0,40}", name in "[a-z]{0,4}") {
            let graph = graph(&["a|b".to_owned()], &[("a|b".to_owned(), "c".to_owned(), "e".to_owned())]);
            let _ = graph.resolve(&name, &index);
            let _ = graph.longest_prefix(&name, &index);
        }
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let mut graph = Graph::default();
        let mut add = |id: &str| graph.add_node(id, [].into_iter(), 1, Origin::Curated);
        assert_eq!(add(&"a|".repeat(100)), Err(RowError::TooLong("id")));
        assert_eq!(add(&"a".repeat(5000)), Err(RowError::TooLong("id")));
        assert_eq!(add("  "), Err(RowError::Empty("id")));
    }
}
