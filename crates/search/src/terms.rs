//! From a query's text to the terms that are looked for.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension};

use crate::analysis::Analyzer;
use crate::language::Language;
use crate::meta::{Meta, languages};

/// How much of a query is read, in bytes: a megabyte of text is no query.
const READ: usize = 20_000;
/// How many different terms are looked up.
const LOOKED_UP: usize = 512;
/// How many terms are searched for: the rarest.
const SEARCHED: usize = 32;
/// A single character of a script without spaces stands for so many pairs that begin with it.
const PAIRS: i64 = 16;

/// A term that a query asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    /// As it is indexed.
    pub(crate) text: String,
    /// How many passages have it.
    pub(crate) passages: i64,
    /// What its score is multiplied by: its inverse document frequency times its count in the query.
    pub(crate) weight: f32,
}

/// Returns the beginning of a query, as much of it as is read.
pub(crate) fn head(query: &str) -> &str {
    let mut end = query.len().min(READ);
    while !query.is_char_boundary(end) {
        end -= 1;
    }
    &query[..end]
}

/// Returns the terms of a query that the index has, the rarest first.
///
/// Any text is a query: it is cut into words, and nothing in it is syntax. Function words are left out, unless there is
/// nothing else.
pub(crate) fn terms(
    connection: &Connection,
    meta: &Meta,
    query: &str,
    language: Option<Language>,
) -> rusqlite::Result<Vec<Term>> {
    let query = head(query);
    let present = languages(connection)?;
    let asked = language.or_else(|| Language::detect(query)).or(present.first().copied()).unwrap_or_default();
    let mut wanted: BTreeMap<String, Wanted> = BTreeMap::new();
    for language in present {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        Analyzer::new(language).words(query, |word| {
            // The last character of a longer run stands in its last pair already.
            if (word.is_lone && !word.is_whole) || counts.len() >= LOOKED_UP {
                return;
            }
            *counts.entry(word.folded.to_owned()).or_default() += 1;
            let known = wanted.entry(word.folded.to_owned()).or_insert_with(|| Wanted {
                count: 0,
                is_stop_word: asked.is_stop_word(word.folded),
                is_whole: word.is_whole,
                forms: BTreeSet::new(),
            });
            known.forms.insert(word.term.to_owned());
            known.count = known.count.max(counts[word.folded]);
        });
    }
    let only_stop_words = wanted.values().all(|word| word.is_stop_word);
    let mut found: BTreeMap<String, Term> = BTreeMap::new();
    for word in wanted.into_values() {
        if word.is_stop_word && !only_stop_words {
            continue;
        }
        let mut forms = Vec::new();
        for form in word.forms {
            if word.is_whole {
                forms.extend(beginning_with(connection, &form)?);
            } else if let Some(passages) = passages_of(connection, &form)? {
                forms.push((form, passages));
            }
        }
        // The forms that a word has in several languages are one word, and as rare as all of them together.
        let all = forms.iter().map(|(_, passages)| passages).sum();
        let weight = word.count as f32 * rarity(meta.passages, all);
        for (text, passages) in forms {
            let term = found.entry(text.clone()).or_insert(Term { text, passages, weight: 0.0 });
            term.weight += weight;
        }
    }
    let mut found: Vec<Term> = found.into_values().collect();
    found.sort_by(|left, right| left.passages.cmp(&right.passages).then_with(|| left.text.cmp(&right.text)));
    found.truncate(SEARCHED);
    Ok(found)
}

/// A word of a query.
struct Wanted {
    count: u32,
    is_stop_word: bool,
    is_whole: bool,
    /// What it is by the rules of each language.
    forms: BTreeSet<String>,
}

/// Returns how many passages have a term.
pub(crate) fn passages_of(connection: &Connection, term: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT passages FROM term WHERE text = ?1")?
        .query_row([term], |row| row.get(0))
        .optional()
}

fn beginning_with(connection: &Connection, start: &str) -> rusqlite::Result<Vec<(String, i64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT text, passages FROM term WHERE text >= ?1 AND text < ?1 || char(1114111)
         ORDER BY passages DESC, text LIMIT ?2",
    )?;
    let rows = statement.query_map((start, PAIRS), |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Returns the inverse document frequency: ln(1 + (N − n + 0.5) / (n + 0.5)), for n of N passages
/// (Robertson & Spärck Jones 1976, with 1 added so that it is never negative).
pub(crate) fn rarity(all: i64, with: i64) -> f32 {
    let (all, with) = (all.max(with) as f32, with as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}
