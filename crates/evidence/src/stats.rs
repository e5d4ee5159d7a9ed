//! `stats.json`: what `status` shows without opening the store.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use mge_core::{Counts, CrawlReport, Problem};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::store::Snapshot;

pub(crate) const FILE_NAME: &str = "stats.json";
const VERSION: u32 = 1;

/// The counts of a graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stats {
    pub(crate) version: u32,
    #[serde(default)]
    pub(crate) entities: u64,
    #[serde(default)]
    pub(crate) mentions: u64,
    #[serde(default)]
    pub(crate) claims: u64,
    #[serde(default)]
    pub(crate) evidence: u64,
    #[serde(default)]
    pub(crate) conflicts: u64,
    #[serde(default)]
    pub(crate) merges_pending: u64,
    /// Evidence that does not fit the types of its relation.
    #[serde(default)]
    pub(crate) off_ontology: u64,
    /// Statements with a relation that the ontology does not have.
    #[serde(default)]
    pub(crate) refused: u64,
    #[serde(default)]
    pub(crate) documents: u64,
    #[serde(default)]
    pub(crate) chunks: u64,
    #[serde(default)]
    pub(crate) chunks_read: u64,
    #[serde(default)]
    pub(crate) chunks_failed: u64,
    /// The same by source.
    #[serde(default)]
    pub(crate) sources: BTreeMap<String, SourceStats>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_crawl: Option<LastCrawl>,
    /// Some of the statements that are off the ontology.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) off_ontology_examples: Vec<String>,
}

/// The counts of one source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SourceStats {
    pub(crate) documents: u64,
    pub(crate) chunks: u64,
    pub(crate) chunks_read: u64,
    pub(crate) chunks_failed: u64,
}

/// When the last crawl was, and what it came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LastCrawl {
    pub(crate) finished: String,
    pub(crate) report: CrawlReport,
}

impl Stats {
    /// Takes the counts of a snapshot.
    pub(crate) fn of(snapshot: &Snapshot) -> Result<Self, StoreError> {
        let mut stats = Self { version: VERSION, ..Self::default() };
        for (name, value) in snapshot.counts()? {
            match name.split_once(':') {
                Some((what, source)) => {
                    let of = stats.sources.entry(source.to_owned()).or_default();
                    match what {
                        "documents" => (of.documents, stats.documents) = (value, stats.documents + value),
                        "chunks" => (of.chunks, stats.chunks) = (value, stats.chunks + value),
                        "chunks_read" => {
                            (of.chunks_read, stats.chunks_read) = (value, stats.chunks_read + value)
                        }
                        "chunks_failed" => {
                            (of.chunks_failed, stats.chunks_failed) = (value, stats.chunks_failed + value);
                        }
                        _ => {}
                    }
                }
                None => match name.as_str() {
                    "entities" => stats.entities = value,
                    "mentions" => stats.mentions = value,
                    "claims" => stats.claims = value,
                    "evidence" => stats.evidence = value,
                    "conflicts" => stats.conflicts = value,
                    "off_ontology" => stats.off_ontology = value,
                    "refused" => stats.refused = value,
                    _ => {}
                },
            }
        }
        stats.sources.retain(|_, of| *of != SourceStats::default());
        if let Some(last) = snapshot.meta("last_crawl")? {
            stats.last_crawl = serde_json::from_str(&last).ok();
        }
        if stats.off_ontology + stats.refused > 0 {
            stats.off_ontology_examples = snapshot
                .evidence_off_ontology(5)?
                .into_iter()
                .map(|piece| {
                    format!("{}: {}", piece.index, piece.quote.chars().take(120).collect::<String>())
                })
                .collect();
        }
        Ok(stats)
    }

    /// Reads the counts of a graph's folder; nothing when there are none yet.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read(folder.join(FILE_NAME)).ok()?;
        let stats: Self = serde_json::from_slice(&text).ok()?;
        (stats.version == VERSION).then_some(stats)
    }

    /// Replaces the counts of a graph's folder at once.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), StoreError> {
        let path = folder.join(FILE_NAME);
        let failed = |action: &'static str| {
            let path = path.clone();
            move |source: std::io::Error| StoreError::File { action, path, source }
        };
        let mut text = serde_json::to_vec_pretty(self).map_err(|error| StoreError::Row(error.to_string()))?;
        text.push(b'\n');
        let temporary = folder.join(format!(".{FILE_NAME}.{}", std::process::id()));
        let write = || -> std::io::Result<()> {
            let mut file = std::fs::File::create(&temporary)?;
            file.write_all(&text)?;
            file.sync_all()
        };
        let outcome = write()
            .map_err(failed("write"))
            .and_then(|()| std::fs::rename(&temporary, &path).map_err(failed("replace")));
        if outcome.is_err() {
            // Half a file helps nobody; that it cannot be removed either is no news.
            let _ = std::fs::remove_file(&temporary);
        }
        outcome
    }

    /// Returns the counts that `status` shows: those of the graph, and what was read of each source.
    pub(crate) fn counts(&self) -> Counts {
        let of_sources = self.sources.iter().flat_map(|(source, of)| {
            [("chunks", of.chunks), ("chunks_read", of.chunks_read), ("chunks_failed", of.chunks_failed)]
                .map(|(name, value)| (format!("{name}:{source}"), value))
        });
        let own = [
            ("claims", self.claims),
            ("conflicts", self.conflicts),
            ("entities", self.entities),
            ("evidence", self.evidence),
            ("merges_pending", self.merges_pending),
        ]
        .map(|(name, value)| (name.to_owned(), value));
        own.into_iter().chain(of_sources).collect()
    }

    /// Lists what does not fit the ontology.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let examples = self.off_ontology_examples.join("; ");
        if self.off_ontology > 0 {
            problems.push(
                Problem::warning(
                    "off-ontology",
                    format!(
                        "{} statements do not fit the types of their relations, e.g. {examples}",
                        self.off_ontology
                    ),
                )
                .hint("widen src or dst of the relation, or leave them: they are kept, but are no claims"),
            );
        }
        if self.refused > 0 {
            problems.push(Problem::warning(
                "unknown-relation",
                format!("{} statements use a relation that the ontology does not have", self.refused),
            ));
        }
        problems
    }
}
