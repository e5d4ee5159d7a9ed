use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Digest, Fault, Place};

/// A node of an ontology graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeRow {
    /// Its hierarchical id, levels joined by `|`.
    pub id: String,
    /// Its other columns; an empty cell is absent.
    pub attributes: BTreeMap<String, String>,
}

/// An edge of an ontology graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EdgeRow {
    /// The id of the node it leaves.
    pub src: String,
    /// The id of the node it enters.
    pub dst: String,
    /// Its own id, which tells parallel edges apart.
    pub id: String,
    /// Its other columns; an empty cell is absent.
    pub attributes: BTreeMap<String, String>,
}

/// A row of either kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum GraphRow {
    /// A node.
    Node(NodeRow),
    /// An edge.
    Edge(EdgeRow),
}

/// The curated rows of an ontology graph: what people wrote, without what crawls added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphRows {
    /// The nodes in order of id.
    pub nodes: Vec<NodeRow>,
    /// The edges in order of src, dst, id.
    pub edges: Vec<EdgeRow>,
    /// The digest of both.
    pub digest: Digest,
}

/// An ontology component, as formalizers and evidence graphs use it.
pub trait OntologyRows: Send + Sync {
    /// Returns the curated rows, reading them first if need be.
    ///
    /// # Errors
    /// What is wrong with the files, and where.
    fn curated(&self) -> Result<Arc<GraphRows>, Fault>;

    /// Returns where a curated node is written, when in a file.
    fn node_place(&self, id: &str) -> Option<Place> {
        let _ = id;
        None
    }

    /// Returns where a curated edge is written, when in a file.
    fn edge_place(&self, edge: &EdgeRow) -> Option<Place> {
        let _ = edge;
        None
    }

    /// Replaces all rows that crawls of `graph` added before by `rows`, at once and durably.
    ///
    /// # Errors
    /// The component is read-only or its store cannot be written.
    fn replace_crawled(&self, graph: &str, rows: &mut dyn Iterator<Item = GraphRow>) -> Result<(), Fault>;
}
