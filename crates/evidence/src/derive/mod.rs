//! All that follows from the readings of live chunks, kept up to date for exactly what a batch touches.
//!
//! What comes out is a function of the live chunks with their readings, the ontology, the decisions and the
//! configuration; not of the order in which they came. Sums are kept in whole millionths, names are chosen by
//! bytes, and beliefs are computed anew from all evidence of what was touched, never adjusted.

mod claims;
mod identity;
mod texts;
mod weighing;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use mge_ontology::Ontology;
use rusqlite::Connection;

use crate::error::StoreError;
use crate::resolve::Rules;
use crate::store::{Decision, NameRef, Words, from_ppm};
use crate::weigh::WeighRule;

pub(crate) use texts::Placed;
pub(crate) use weighing::{group_of, weigh_claims};

/// What decides beside the texts.
pub(crate) struct Law {
    /// What may be said of what.
    pub(crate) ontology: Arc<Ontology>,
    /// What decides about identity.
    pub(crate) rules: Rules,
    /// How evidence adds up.
    pub(crate) weighing: WeighRule,
    /// Of a curated instance, those that it lies in by a transitive relation, directly.
    above: HashMap<String, Vec<String>>,
}

impl Law {
    /// Gathers what decides, from the curated rows, the decisions and the configuration.
    pub(crate) fn new(ontology: Arc<Ontology>, decisions: &[Decision], weighing: WeighRule) -> Self {
        let rules = Rules::new(&ontology, decisions);
        let mut above: HashMap<String, Vec<String>> = HashMap::new();
        for (subject, relation, object) in &ontology.facts {
            if ontology.relations.get(relation).is_some_and(|relation| relation.transitive) {
                above.entry(subject.clone()).or_default().push(object.clone());
            }
        }
        Self { ontology, rules, weighing, above }
    }

    /// Tells whether curated facts say that one entity lies in another, over any number of steps.
    pub(crate) fn lies_in(&self, inner: &str, outer: &str) -> bool {
        let mut seen = BTreeSet::from([inner]);
        let mut open = vec![inner];
        while let Some(at) = open.pop() {
            for next in self.above.get(at).into_iter().flatten() {
                if next == outer {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }
}

/// What a batch changed, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Mentions that came.
    pub(crate) mentions: u64,
    /// Claims that are new.
    pub(crate) claims_new: u64,
    /// Pieces of evidence that are new.
    pub(crate) evidence_new: u64,
    /// Pieces of evidence that are gone.
    pub(crate) evidence_gone: u64,
    /// New pieces that fit no claim of the ontology.
    pub(crate) off_ontology: u64,
}

/// Derives, inside the transaction of a batch.
pub(crate) struct Deriver<'a> {
    connection: &'a Connection,
    law: &'a Law,
    words: Words,
    /// The nodes of names, by concept and spelling; only a cache.
    known: HashMap<(i64, String), i64>,
    nodes: HashMap<i64, NodeDelta>,
    surfaces: HashMap<(i64, String), (i64, i64)>,
    aliases: HashMap<(i64, String, String), i64>,
    counters: HashMap<&'static str, i64>,
    /// Evidence whose claim is to be found anew.
    evidence: BTreeSet<(i64, i64)>,
    /// Evidence that came in this batch.
    fresh: BTreeSet<(i64, i64)>,
    /// Claims to be weighed anew.
    claims: BTreeSet<i64>,
    /// Names to be resolved anew though no text changed, by top concept.
    names: BTreeSet<(String, String)>,
    changes: Changes,
}

/// How much the live use of a node changes.
#[derive(Debug, Clone, Copy, Default)]
struct NodeDelta {
    mentions: i64,
    weight: i64,
    refs: i64,
}

/// How many names the cache of nodes holds before it is emptied.
const KNOWN_NAMES: usize = 200_000;

impl<'a> Deriver<'a> {
    /// Makes a deriver for any number of batches. After a failed one it must not be used again.
    pub(crate) fn new(connection: &'a Connection, law: &'a Law) -> Self {
        Self {
            connection,
            law,
            words: Words::default(),
            known: HashMap::new(),
            nodes: HashMap::new(),
            surfaces: HashMap::new(),
            aliases: HashMap::new(),
            counters: HashMap::new(),
            evidence: BTreeSet::new(),
            fresh: BTreeSet::new(),
            claims: BTreeSet::new(),
            names: BTreeSet::new(),
            changes: Changes::default(),
        }
    }

    /// Brings all that the batch touched to where it must be, and returns what changed.
    pub(crate) fn settle(&mut self) -> Result<Changes, StoreError> {
        let mut touched = self.flush_names()?;
        touched.append(&mut self.names);
        self.resolve(touched)?;
        self.assign()?;
        self.weigh()?;
        self.flush_counters()?;
        self.fresh.clear();
        if self.known.len() > KNOWN_NAMES {
            self.known.clear();
        }
        Ok(std::mem::take(&mut self.changes))
    }

    /// Returns the table of words.
    pub(crate) fn words(&mut self) -> &mut Words {
        &mut self.words
    }

    /// Has a name resolved anew: a curator decided about it.
    pub(crate) fn touch_name(&mut self, name: &NameRef) {
        let top = name.concept.split('|').next().unwrap_or(&name.concept);
        self.names.insert((top.to_owned(), name.key.clone()));
    }

    /// Has all claims weighed anew for which a document has live evidence: its date, authority or index changed.
    pub(crate) fn touch_document(&mut self, document: i64) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT e.claim FROM chunk c JOIN evidence e ON e.chunk = c.id \
             WHERE c.document = ?1 AND e.live = 1 AND e.claim <> 0",
        )?;
        let mut rows = statement.query([document])?;
        while let Some(row) = rows.next()? {
            self.claims.insert(row.get(0)?);
        }
        Ok(())
    }

    fn count(&mut self, name: &'static str, by: i64) {
        *self.counters.entry(name).or_default() += by;
    }

    fn flush_counters(&mut self) -> Result<(), StoreError> {
        for (name, by) in self.counters.drain().filter(|(_, by)| *by != 0) {
            add_to_counter(self.connection, name, by)?;
        }
        Ok(())
    }
}

/// Adds to a counter of the store.
pub(crate) fn add_to_counter(connection: &Connection, name: &str, by: i64) -> Result<(), StoreError> {
    if by != 0 {
        connection
            .prepare_cached(
                "INSERT INTO counter (name, value) VALUES (?1, ?2) \
                 ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            )?
            .execute(rusqlite::params![name, by])?;
    }
    Ok(())
}

/// Returns the product of two identities in millionths.
fn identity(subject: i64, object: i64) -> f64 {
    from_ppm(subject) * from_ppm(object)
}
