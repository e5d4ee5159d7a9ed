//! What crawls found, handed to the ontology of instances.

use std::collections::BTreeMap;

use mge_core::{EdgeRow, Fault, GraphRow, NodeRow, OntologyRows};
use mge_ontology::Ontology;

use crate::error::StoreError;
use crate::store::{ClaimRow, EntityRow, ObjectRow, Snapshot};

const PAGE: usize = 1_000;

/// Replaces what crawls of this graph added before by what the graph knows now.
pub(crate) fn hand_over(
    snapshot: &Snapshot,
    ontology: &Ontology,
    graph: &str,
    rows: &dyn OntologyRows,
) -> Result<(), Fault> {
    let mut found =
        Found { snapshot, ontology, nodes: Vec::new(), edges: Vec::new(), at: At::Nodes(None), fault: None };
    rows.replace_crawled(graph, &mut found)?;
    match found.fault {
        // The rows ended too early; the next crawl hands them over again.
        Some(error) => Err(Fault::from(error)),
        None => Ok(()),
    }
}

/// Entities as nodes, then claims as edges, page by page.
struct Found<'a> {
    snapshot: &'a Snapshot,
    ontology: &'a Ontology,
    nodes: Vec<EntityRow>,
    edges: Vec<ClaimRow>,
    at: At,
    fault: Option<StoreError>,
}

enum At {
    Nodes(Option<String>),
    Edges(Option<String>),
    End,
}

impl Found<'_> {
    fn fill(&mut self) -> Result<(), StoreError> {
        match &self.at {
            At::Nodes(after) => {
                self.nodes = self.snapshot.entities(None, after.as_deref(), PAGE)?;
                self.at = match self.nodes.last() {
                    Some(last) => At::Nodes(Some(last.id.clone())),
                    None => At::Edges(None),
                };
                self.nodes.reverse();
            }
            At::Edges(after) => {
                self.edges = self.snapshot.claims(None, after.as_deref(), PAGE)?;
                self.at = match self.edges.last() {
                    Some(last) => At::Edges(Some(last.id.clone())),
                    None => At::End,
                };
                self.edges.reverse();
            }
            At::End => {}
        }
        Ok(())
    }

    fn node(&self, entity: &EntityRow) -> Result<Option<GraphRow>, StoreError> {
        // A curated instance is there already.
        if self.ontology.instance(&entity.id).is_some() {
            return Ok(None);
        }
        let names = self.snapshot.names(entity.row)?;
        let aliases: Vec<&str> =
            names.iter().map(|name| name.text.as_str()).filter(|text| *text != entity.name).collect();
        let mut attributes = origin();
        if !aliases.is_empty() {
            attributes.insert("aliases".to_owned(), aliases.join(";"));
        }
        Ok(Some(GraphRow::Node(NodeRow { id: entity.id.clone(), attributes })))
    }

    fn edge(&self, claim: &ClaimRow) -> Result<Option<GraphRow>, StoreError> {
        let ObjectRow::Entity(object) = claim.object else { return Ok(None) };
        if claim.belief <= claim.disbelief {
            return Ok(None);
        }
        let (Some(subject), Some(object)) =
            (self.snapshot.entity(claim.subject)?, self.snapshot.entity(object)?)
        else {
            return Ok(None);
        };
        let mut attributes = origin();
        attributes.insert("relation".to_owned(), claim.relation.clone());
        Ok(Some(GraphRow::Edge(EdgeRow {
            src: subject.id,
            dst: object.id,
            id: claim.id.clone(),
            attributes,
        })))
    }

    fn step(&mut self) -> Result<Option<GraphRow>, StoreError> {
        loop {
            if let Some(entity) = self.nodes.pop() {
                if let Some(row) = self.node(&entity)? {
                    return Ok(Some(row));
                }
            } else if let Some(claim) = self.edges.pop() {
                if let Some(row) = self.edge(&claim)? {
                    return Ok(Some(row));
                }
            } else if matches!(self.at, At::End) {
                return Ok(None);
            } else {
                self.fill()?;
            }
        }
    }
}

fn origin() -> BTreeMap<String, String> {
    BTreeMap::from([("origin".to_owned(), "crawl".to_owned())])
}

impl Iterator for Found<'_> {
    type Item = GraphRow;

    fn next(&mut self) -> Option<GraphRow> {
        if self.fault.is_some() {
            return None;
        }
        self.step().unwrap_or_else(|error| {
            self.fault = Some(error);
            None
        })
    }
}
