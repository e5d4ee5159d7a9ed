//! The lexical ranking: BM25 over the postings of a query's terms.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, params};

use crate::analysis::Analyzer;
use crate::best::{Best, Scored};
use crate::language::Language;
use crate::meta::{Meta, language_of};
use crate::passage_id::PassageId;
use crate::terms::Term;

/// How soon more occurrences of a term stop to count.
const K1: f32 = 1.2;
/// How far a long passage is expected to have more occurrences.
const B: f32 = 0.75;
/// An occurrence in the title counts as so many in the text; measured on HotpotQA.
const TITLE: f32 = 3.0;
/// So many postings are read for a query, unless it asks for all.
const POSTINGS: i64 = 60_000;
/// So many passages are scored from their texts, when not all postings were read.
const RESCORED: usize = 128;

/// What a query finds by its words.
pub(crate) struct Found {
    /// The best passages, in no order.
    pub(crate) scored: Vec<Scored>,
    /// Not all postings of all terms were read: a passage that has only the common terms may be missing.
    pub(crate) pruned: bool,
}

/// Scores a passage: for each term t, idf(t) · f · (k₁ + 1) / (f + k₁ · (1 − b + b · length / mean length)), where f is
/// how often the text has t and three times how often the title has (BM25, Robertson & Zaragoza 2009).
pub(crate) struct Bm25 {
    mean: f32,
}

impl Bm25 {
    pub(crate) fn new(meta: &Meta) -> Self {
        Self { mean: meta.mean_words() }
    }

    fn score(&self, weight: f32, title: u32, body: u32, words: f32) -> f32 {
        let frequency = TITLE * title as f32 + body as f32;
        weight * frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * words / self.mean))
    }

    /// Returns what each term adds to the score of a text.
    pub(crate) fn parts(
        &self,
        terms: &[Term],
        language: Language,
        title: &str,
        text: &str,
        id: PassageId,
    ) -> Vec<f32> {
        let places: HashMap<&str, usize> =
            terms.iter().enumerate().map(|(place, term)| (term.text.as_str(), place)).collect();
        let mut counts = vec![(0_u32, 0_u32); terms.len()];
        let analyzer = Analyzer::new(language);
        analyzer.words(title, |word| {
            if let Some(place) = places.get(word.term) {
                counts[*place].0 += 1;
            }
        });
        analyzer.words(text, |word| {
            if let Some(place) = places.get(word.term) {
                counts[*place].1 += 1;
            }
        });
        terms
            .iter()
            .zip(counts)
            .map(|(term, (title, body))| self.score(term.weight, title, body, id.words()))
            .collect()
    }
}

/// Finds the best `count` passages for terms that are sorted by rarity.
///
/// The postings of the rarest terms are read, as many as the bound allows. What the other terms add is then learned
/// from the texts of the best passages.
pub(crate) fn find(
    connection: &Connection,
    meta: &Meta,
    terms: &[Term],
    count: usize,
    everything: bool,
) -> rusqlite::Result<Found> {
    let bm25 = Bm25::new(meta);
    let bound = if everything { i64::MAX } else { POSTINGS };
    let mut left = bound;
    let mut affordable = 0;
    for term in terms {
        if term.passages > left {
            break;
        }
        left -= term.passages;
        affordable += 1;
    }
    let pruned = affordable < terms.len();
    let mut hits = Vec::new();
    for (place, term) in terms[..affordable].iter().enumerate() {
        read_postings(connection, &bm25, term, place, i64::MAX, &mut hits)?;
    }
    let mut best = Best::new(if pruned { count.max(RESCORED) } else { count });
    sum_up(&mut hits, &mut best);
    let mut scored = best.finish();
    if !pruned {
        return Ok(Found { scored, pruned });
    }
    if scored.len() < count {
        let common = &terms[affordable..];
        let more = of_common_terms(connection, &bm25, common, left)?;
        let known: HashSet<PassageId> = scored.iter().map(|one| one.id).collect();
        scored.extend(more.into_iter().filter(|one| !known.contains(&one.id)));
    }
    let mut best = Best::new(count);
    let mut statement =
        connection.prepare_cached("SELECT language, title, text FROM passage WHERE id = ?1")?;
    for Scored { id, .. } in scored {
        let score = statement
            .query_row([id.0], |row| {
                let (title, text) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
                Ok(bm25.parts(terms, language_of(row.get(0)?), title, text, id).iter().sum())
            })
            .optional()?;
        best.offer(Scored { id, score: score.unwrap_or(0.0) });
    }
    Ok(Found { scored: best.finish(), pruned })
}

/// What one term adds to one passage.
struct Posting {
    id: PassageId,
    term: usize,
    score: f32,
}

fn read_postings(
    connection: &Connection,
    bm25: &Bm25,
    term: &Term,
    place: usize,
    limit: i64,
    postings: &mut Vec<Posting>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("SELECT doc, col FROM posting WHERE term = ?1 LIMIT ?2")?;
    let mut rows = statement.query(params![term.text, limit])?;
    // The occurrences of one passage stand together.
    let mut current: Option<(i64, u32, u32)> = None;
    let mut end = |current: Option<(i64, u32, u32)>| {
        if let Some((id, title, body)) = current {
            let id = PassageId(id);
            postings.push(Posting {
                id,
                term: place,
                score: bm25.score(term.weight, title, body, id.words()),
            });
        }
    };
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let in_title = row.get_ref(1)?.as_bytes().is_ok_and(|column| column == b"title");
        let (title, body) = (u32::from(in_title), u32::from(!in_title));
        current = match current {
            Some((same, titles, bodies)) if same == id => Some((id, titles + title, bodies + body)),
            other => {
                end(other);
                Some((id, title, body))
            }
        };
    }
    end(current);
    Ok(())
}

fn sum_up(postings: &mut [Posting], best: &mut Best) {
    // By term within a passage: the sum must not depend on the order in which they were read.
    postings.sort_unstable_by_key(|posting| (posting.id, posting.term));
    for passage in postings.chunk_by(|left, right| left.id == right.id) {
        let score: f32 = passage.iter().map(|posting| posting.score).sum();
        best.offer(Scored { id: passage[0].id, score });
    }
}

/// Finds passages of terms that are too common to be read whole: those that have the two rarest of them, and the first
/// of the rarest; the shorter passages are kept.
fn of_common_terms(
    connection: &Connection,
    bm25: &Bm25,
    terms: &[Term],
    left: i64,
) -> rusqlite::Result<Vec<Scored>> {
    let Some(first) = terms.first() else { return Ok(Vec::new()) };
    let mut postings = Vec::new();
    read_postings(connection, bm25, first, 0, left.max(POSTINGS / 4) / 4, &mut postings)?;
    let mut best = Best::new(RESCORED);
    sum_up(&mut postings, &mut best);
    let mut found = best.finish();
    if let Some(second) = terms.get(1) {
        // Terms hold no quotation mark, so that this is no more than two terms.
        let both = format!("\"{}\" AND \"{}\"", first.text, second.text);
        let mut statement =
            connection.prepare_cached("SELECT rowid FROM lexical WHERE lexical MATCH ?1 LIMIT ?2")?;
        let rows = statement.query_map(params![both, POSTINGS / 16], |row| row.get::<_, i64>(0))?;
        let mut ids: Vec<PassageId> = rows.map(|id| Ok(PassageId(id?))).collect::<rusqlite::Result<_>>()?;
        ids.sort_unstable_by(|left, right| left.words().total_cmp(&right.words()).then(left.cmp(right)));
        let known: HashSet<PassageId> = found.iter().map(|one| one.id).collect();
        ids.retain(|id| !known.contains(id));
        found.extend(ids.into_iter().take(RESCORED).map(|id| Scored { id, score: 0.0 }));
    }
    Ok(found)
}
