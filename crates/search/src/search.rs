//! A search: two rankings, made side by side, and what is shown of them.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};

use crate::analysis::Analyzer;
use crate::best::{Best, Scored};
use crate::embed::{Embed, check_vectors};
use crate::error::SearchError;
use crate::fusion::fused;
use crate::hashing::normalized;
use crate::lexical::{self, Bm25};
use crate::matrix::Matrix;
use crate::meta::{Meta, language_of, languages};
use crate::passage_id::PassageId;
use crate::quantize::similarity;
use crate::query::{Answer, Hit, LexicalPart, Mode, Query, QueryTerm, VectorPart};
use crate::terms::{Term, head, passages_of, rarity, terms};

/// The most hits of one search.
const MOST: usize = 1_000;
/// How far down each ranking is followed, at least.
const DEPTH: usize = 100;
/// So many times more passages are compared in full than are kept of the vector ranking.
const COMPARED: usize = 2;

/// Runs a query within one read transaction. `vectors` are there when the mode asks for them.
pub(crate) fn run(
    connection: &Connection,
    meta: &Meta,
    query: &Query,
    vectors: Option<(&Matrix, &dyn Embed)>,
) -> Result<Answer, SearchError> {
    let limit = query.limit.clamp(1, MOST);
    let depth = limit.max(DEPTH);
    let wanted = match query.mode {
        Mode::Vector => Vec::new(),
        Mode::Lexical | Mode::Hybrid => terms(connection, meta, &query.text, query.language)?,
    };
    let vector = match vectors {
        Some((_, embed)) => query_vector(connection, meta, query, embed)?,
        None => Vec::new(),
    };
    let mut near = Vec::new();
    let found = rayon::in_place_scope(|scope| {
        if let Some((matrix, _)) = vectors.filter(|_| !query.everything) {
            let (near, vector) = (&mut near, &vector);
            scope.spawn(move |_| *near = matrix.nearest(vector, depth * COMPARED));
        }
        lexical::find(connection, meta, &wanted, depth, query.everything)
    })?;
    let near = match (vectors.is_some(), query.everything) {
        (false, _) => Vec::new(),
        (true, false) => compared(connection, &vector, near)?,
        (true, true) => all_compared(connection, &vector, depth)?,
    };
    let lexical = ranking(connection, found.scored, depth)?;
    let near = ranking(connection, near, depth)?;

    let weight = vectors.map_or(0.0, |(_, embed)| embed.weight().max(0.0));
    let mut hits = Vec::new();
    let bm25 = Bm25::new(meta);
    for ranked in merged(query.mode, &lexical, &near, weight).into_iter().take(limit) {
        let Some(mut hit) = read_hit(connection, ranked.place)? else { continue };
        hit.score = ranked.score;
        hit.lexical = ranked.lexical.map(|rank| LexicalPart {
            rank,
            score: f64::from(lexical[rank - 1].1),
            terms: parts(&bm25, &wanted, &hit, ranked.place.id),
        });
        hit.vector =
            ranked.vector.map(|rank| VectorPart { rank, similarity: f64::from(near[rank - 1].1.min(1.0)) });
        hits.push(hit);
    }
    let terms = wanted
        .into_iter()
        .map(|term| QueryTerm { text: term.text, passages: term.passages.unsigned_abs() })
        .collect();
    Ok(Answer { hits, terms, pruned: found.pruned })
}

/// Where a passage stands, whatever order the documents came in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    document: String,
    ord: i64,
    id: PassageId,
}

/// A passage in the ranking that is shown.
struct Ranked<'a> {
    place: &'a Place,
    score: f64,
    lexical: Option<usize>,
    vector: Option<usize>,
}

/// Makes one ranking of two.
fn merged<'a>(
    mode: Mode,
    lexical: &'a [(Place, f32)],
    near: &'a [(Place, f32)],
    weight: f64,
) -> Vec<Ranked<'a>> {
    let mut ranks: BTreeMap<&Place, (Option<usize>, Option<usize>)> = BTreeMap::new();
    for (rank, (place, _)) in (1..).zip(lexical) {
        ranks.entry(place).or_default().0 = Some(rank);
    }
    for (rank, (place, _)) in (1..).zip(near) {
        ranks.entry(place).or_default().1 = Some(rank);
    }
    let mut ranked: Vec<Ranked<'_>> = ranks
        .into_iter()
        .map(|(place, (by_words, by_vector))| {
            let score = match (mode, by_words, by_vector) {
                (Mode::Lexical, Some(rank), _) => f64::from(lexical[rank - 1].1),
                (Mode::Vector, _, Some(rank)) => f64::from(near[rank - 1].1),
                _ => fused(by_words, by_vector, weight),
            };
            Ranked { place, score, lexical: by_words, vector: by_vector }
        })
        .collect();
    ranked
        .sort_by(|left, right| right.score.total_cmp(&left.score).then_with(|| left.place.cmp(right.place)));
    ranked
}

/// Sorts passages by score, and equals by their place; those that are gone are left out.
fn ranking(
    connection: &Connection,
    scored: Vec<Scored>,
    depth: usize,
) -> Result<Vec<(Place, f32)>, SearchError> {
    let mut statement = connection.prepare_cached(
        "SELECT document.key, passage.ord FROM passage JOIN document ON document.id = passage.document
         WHERE passage.id = ?1",
    )?;
    let mut ranked = Vec::with_capacity(scored.len());
    for one in scored {
        let place = statement
            .query_row([one.id.0], |row| Ok(Place { document: row.get(0)?, ord: row.get(1)?, id: one.id }))
            .optional()?;
        ranked.extend(place.map(|place| (place, one.score)));
    }
    ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    ranked.truncate(depth);
    Ok(ranked)
}

fn query_vector(
    connection: &Connection,
    meta: &Meta,
    query: &Query,
    embed: &dyn Embed,
) -> Result<Vec<f32>, SearchError> {
    let most = rarity(meta.passages, 0);
    let analyzer = Analyzer::new(languages(connection)?.first().copied().unwrap_or_default());
    let rare = |word: &str| -> f32 {
        // A word that cannot be looked up counts like one that no passage has.
        let passages = passages_of(connection, &analyzer.terms(word)).ok().flatten().unwrap_or(0);
        rarity(meta.passages, passages) / most
    };
    let vectors = [embed.embed_query(head(&query.text), &rare)?];
    check_vectors(&vectors, 1, embed.model().dimension)?;
    let [vector] = vectors;
    Ok(normalized(vector))
}

/// Compares candidates by the full numbers.
fn compared(
    connection: &Connection,
    query: &[f32],
    candidates: Vec<Scored>,
) -> Result<Vec<Scored>, SearchError> {
    let mut statement = connection.prepare_cached("SELECT value FROM vector WHERE passage = ?1")?;
    let mut found = Vec::with_capacity(candidates.len());
    for one in candidates {
        let score = statement
            .query_row([one.id.0], |row| Ok(similarity(query, row.get_ref(0)?.as_blob()?)))
            .optional()?
            .flatten();
        found.extend(score.filter(|score| *score > 0.0).map(|score| Scored { id: one.id, score }));
    }
    Ok(found)
}

/// Compares all passages by the full numbers.
fn all_compared(connection: &Connection, query: &[f32], depth: usize) -> Result<Vec<Scored>, SearchError> {
    let mut statement = connection.prepare_cached("SELECT passage, value FROM vector")?;
    let mut rows = statement.query([])?;
    let mut best = Best::new(depth);
    while let Some(row) = rows.next()? {
        let blob = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        if let Some(score) = similarity(query, blob) {
            best.offer(Scored { id: PassageId(row.get(0)?), score });
        }
    }
    Ok(best.finish())
}

fn read_hit(connection: &Connection, place: &Place) -> Result<Option<Hit>, SearchError> {
    let hit = connection
        .prepare_cached("SELECT key, start, end, title, text, language FROM passage WHERE id = ?1")?
        .query_row([place.id.0], |row| {
            Ok(Hit {
                document: place.document.clone(),
                key: row.get(0)?,
                span: row.get::<_, i64>(1)? as u64..row.get::<_, i64>(2)? as u64,
                title: row.get(3)?,
                text: row.get(4)?,
                language: language_of(row.get(5)?),
                score: 0.0,
                lexical: None,
                vector: None,
            })
        })
        .optional()?;
    Ok(hit)
}

fn parts(bm25: &Bm25, terms: &[Term], hit: &Hit, id: PassageId) -> Vec<(String, f64)> {
    bm25.parts(terms, hit.language, &hit.title, &hit.text, id)
        .into_iter()
        .zip(terms)
        .filter(|(part, _)| *part > 0.0)
        .map(|(part, term)| (term.text.clone(), f64::from(part)))
        .collect()
}
