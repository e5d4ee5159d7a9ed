use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use mge_core::RunError;
use serde::{Deserialize, Serialize};

use super::conflicts::{Change, ChangeList};
use super::reader::Reader;
use super::view::{Citation, PassageView, VERSION};
use crate::error::StoreError;
use crate::store::tokens;

/// How many different words of a query are looked for.
const WORDS: usize = 48;
/// How much of a query is read at all: a megabyte of text is no query.
const READ: usize = 20_000;
/// How much of a passage is shown.
const SHOWN: usize = 2_000;

/// What a full-text search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchResults {
    /// The form of the answer: 1.
    pub version: u32,
    /// What was searched for.
    pub query: String,
    /// `lexical`.
    pub mode: String,
    /// The passages, best first.
    pub results: Vec<PassageView>,
    /// There are more.
    pub truncated: bool,
}

/// What a graph holds, in numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The form of the answer: 1.
    pub version: u32,
    /// `entities`, `claims`, `evidence`, `conflicts` and others.
    pub counts: BTreeMap<String, u64>,
    /// Claims by relation.
    pub relations: BTreeMap<String, u64>,
    /// Entities by concept.
    pub concepts: BTreeMap<String, u64>,
    /// Of each source: documents, chunks, chunks read and chunks failed.
    pub sources: BTreeMap<String, BTreeMap<String, u64>>,
    /// The percentage of all known chunks that were read.
    pub read_percent: f64,
}

impl Reader<'_> {
    /// Searches the texts for any of the words.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Result<SearchResults, RunError> {
        let words = query_words(query);
        let mut results = self.passages(&words, limit + 1)?;
        let truncated = results.len() > limit;
        results.truncate(limit);
        Ok(SearchResults {
            version: VERSION,
            query: query.to_owned(),
            mode: "lexical".to_owned(),
            results,
            truncated,
        })
    }

    fn passages(&self, words: &[String], limit: usize) -> Result<Vec<PassageView>, StoreError> {
        let mut passages = Vec::new();
        for hit in self.snapshot.search(words, limit)? {
            passages.extend(self.passage(hit.chunk, hit.score)?);
        }
        Ok(passages)
    }

    /// Shows a chunk as a passage.
    pub(crate) fn passage(&self, chunk: i64, score: f64) -> Result<Option<PassageView>, StoreError> {
        let Some(chunk) = self.snapshot.chunk(chunk)? else { return Ok(None) };
        let Some(document) = self.snapshot.document_by_row(chunk.document)? else { return Ok(None) };
        let mut text: String = chunk.text.chars().take(SHOWN).collect();
        if text.len() < chunk.text.len() {
            text.push('…');
        }
        let score = crate::weigh::six_decimals(score);
        Ok(Some(PassageView { index: chunk.index.to_string(), score, text, source: document.source }))
    }

    /// Counts what the graph holds.
    pub(crate) fn statistics(&self) -> Result<Statistics, RunError> {
        let mut counts = self.snapshot.counts()?;
        let mut sources: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        counts.retain(|name, count| match name.split_once(':') {
            Some((what, source)) => {
                sources.entry(source.to_owned()).or_default().insert(what.to_owned(), *count);
                false
            }
            None => true,
        });
        let sum = |what: &str| -> u64 { sources.values().filter_map(|source| source.get(what)).sum() };
        let (chunks, read) = (sum("chunks"), sum("chunks_read"));
        let read_percent =
            if chunks == 0 { 0.0 } else { (read as f64 / chunks as f64 * 10_000.0).round() / 100.0 };
        Ok(Statistics {
            version: VERSION,
            counts,
            relations: self.snapshot.claims_by_relation()?,
            concepts: self.snapshot.entities_by_concept()?,
            sources,
            read_percent,
        })
    }

    /// Lists what changed at or after a time, in milliseconds since 1970.
    pub(crate) fn changes(&self, since: i64, skip: usize, limit: usize) -> Result<ChangeList, RunError> {
        let mut rows = self.snapshot.changes(since, skip, limit + 1)?;
        let truncated = rows.len() > limit;
        rows.truncate(limit);
        let stamp = |millis: i64| Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MIN).to_string();
        let mut changes = Vec::new();
        for row in rows {
            let Some(claim) = self.snapshot.claim(row.claim)? else { continue };
            changes.push(Change {
                recorded: stamp(row.at),
                kind: if row.gone { "evidence_retracted" } else { "evidence_new" }.to_owned(),
                statement: self.statement(&claim)?,
                claim: self.short_id(&claim)?,
                citation: self.cite_change(&row)?,
            });
        }
        let next = truncated.then(|| (skip + limit).to_string());
        Ok(ChangeList { version: VERSION, since: stamp(since), changes, truncated, next })
    }

    fn cite_change(&self, row: &crate::store::ChangeRow) -> Result<Option<Citation>, StoreError> {
        let Some(chunk) = self.snapshot.chunk(row.chunk)? else { return Ok(None) };
        let Some(document) = self.snapshot.document_by_row(chunk.document)? else { return Ok(None) };
        let Some((span, quote)) = self.snapshot.to_source(&chunk, row.quote)? else { return Ok(None) };
        Ok(Some(Citation {
            index: chunk.index.to_string(),
            start: span.start,
            end: span.end,
            quote,
            document: document.index.to_string(),
            page: chunk.page,
            stance: row.stance.sign(),
            date: document.date,
            valid: None,
        }))
    }
}

/// Returns the words of a query to look for: the first of them, each once.
fn query_words(query: &str) -> Vec<String> {
    let head: String = query.chars().take(READ).collect();
    let mut seen = BTreeSet::new();
    tokens(&head).into_iter().filter(|word| seen.insert(word.clone())).take(WORDS).collect()
}
