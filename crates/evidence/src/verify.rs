//! Proof that the graph is sound: every row leads somewhere, every quote is there, every belief follows.

use std::collections::BTreeSet;

use mge_core::{Cancel, Problem, Span};
use rusqlite::Connection;

use crate::config::Config;
use crate::crawl::after_key;
use crate::derive::{Law, group_of, weigh_claims};
use crate::error::StoreError;
use crate::rebuild::is_outdated;
use crate::resolve::{closure, partition, public_id};
use crate::store::{Snapshot, SpanMap, Words, decode, ppm};

/// At most so many problems of one kind are listed; the rest is a number.
const LISTED: usize = 20;

/// Finds all that is wrong with the store.
pub(crate) fn verify(
    snapshot: &Snapshot,
    law: &Law,
    config: &Config,
    cancel: &Cancel,
) -> Result<Vec<Problem>, StoreError> {
    let mut found = Problems { connection: snapshot.connection(), problems: Vec::new() };
    type Part<'a> = (&'static str, &'a dyn Fn(&mut Problems<'_>) -> Result<(), StoreError>);
    let parts: [Part<'_>; 6] = [
        ("file", &|found| file(found)),
        ("rows", &|found| rows(found)),
        ("counts", &|found| counts(found)),
        ("texts", &|found| texts(snapshot, found, cancel)),
        ("identity", &|found| identity(law, found, cancel)),
        ("beliefs", &|found| beliefs(snapshot, law, found, cancel)),
    ];
    let documents: i64 =
        snapshot.connection().query_row("SELECT count(*) FROM document", [], |row| row.get(0))?;
    let outdated = documents > 0 && is_outdated(snapshot.connection(), law, config)?;
    if outdated {
        found.problems.push(
            Problem::warning("outdated-law", "ontology or configuration changed since the graph was derived")
                .hint("crawl again, or run mge rebuild"),
        );
    }
    for (name, part) in parts {
        if cancel.is_cancelled() {
            return Err(StoreError::Interrupted);
        }
        // What follows from another ontology cannot be checked against this one.
        if outdated && matches!(name, "identity" | "beliefs") {
            continue;
        }
        match part(&mut found) {
            Ok(()) => {}
            Err(StoreError::Interrupted) => return Err(StoreError::Interrupted),
            // One damaged part must not hide what is wrong with the others.
            Err(error) => found.say("unreadable", format!("the {name} cannot be checked: {error}")),
        }
    }
    Ok(found.problems)
}

struct Problems<'a> {
    connection: &'a Connection,
    problems: Vec<Problem>,
}

impl Problems<'_> {
    fn say(&mut self, code: &str, message: String) {
        let listed = self.problems.iter().filter(|problem| problem.code == code).count();
        if listed < LISTED {
            self.problems.push(Problem::error(code, message).hint("try mge rebuild"));
        }
    }

    /// Reports the rows that a query finds, each by its first column.
    fn none(&mut self, code: &str, what: &str, sql: &str) -> Result<(), StoreError> {
        let found: Vec<String> = {
            let mut statement = self.connection.prepare(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(match row.get_ref(0)? {
                    rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                    rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    other => format!("{other:?}"),
                })
            })?;
            rows.take(LISTED).collect::<Result<_, _>>()?
        };
        for row in found {
            self.say(code, format!("{what}: {row}"));
        }
        Ok(())
    }
}

fn file(found: &mut Problems<'_>) -> Result<(), StoreError> {
    found.none(
        "damaged",
        "the file is damaged",
        "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    )?;
    found.none(
        "orphan",
        "a row points nowhere, in table",
        "SELECT \"table\" FROM pragma_foreign_key_check",
    )?;
    found.none(
        "log-order",
        "an entry of the log is not in order",
        "SELECT e.id FROM (SELECT id, ulid, lag(ulid) OVER (ORDER BY id) AS before FROM entry) e WHERE e.before >= e.ulid",
    )
}

fn rows(found: &mut Problems<'_>) -> Result<(), StoreError> {
    for (what, sql) in [
        (
            "a mention has no chunk or no name",
            "SELECT m.chunk FROM mention m LEFT JOIN chunk c ON c.id = m.chunk LEFT JOIN node n ON n.id = m.node \
             WHERE c.id IS NULL OR n.id IS NULL OR m.live <> (c.gone_at IS NULL)",
        ),
        (
            "a piece of evidence has no chunk or no subject",
            "SELECT e.chunk FROM evidence e LEFT JOIN chunk c ON c.id = e.chunk LEFT JOIN node n ON n.id = e.subject \
             WHERE c.id IS NULL OR n.id IS NULL OR e.live <> (c.gone_at IS NULL)",
        ),
        (
            "a piece of evidence has no object",
            "SELECT e.chunk FROM evidence e LEFT JOIN node n ON n.id = e.object \
             WHERE e.object <> 0 AND n.id IS NULL",
        ),
        (
            "a piece of evidence has no claim",
            "SELECT e.chunk FROM evidence e LEFT JOIN claim c ON c.id = e.claim \
             WHERE (e.status = 0) <> (c.id IS NOT NULL)",
        ),
        (
            "a name belongs to no entity",
            "SELECT n.key FROM node n LEFT JOIN entity e ON e.id = n.entity WHERE e.id IS NULL",
        ),
        (
            "an entity has no name",
            "SELECT e.public FROM entity e WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.entity = e.id)",
        ),
        (
            "a claim has no subject or object",
            "SELECT c.key FROM claim c LEFT JOIN entity s ON s.id = c.subject LEFT JOIN entity o ON o.id = c.object \
             WHERE s.id IS NULL OR (c.object <> 0 AND o.id IS NULL)",
        ),
        (
            "a claim outlives its evidence",
            "SELECT c.key FROM claim c WHERE c.evidence <> \
             (SELECT count(*) FROM evidence e WHERE e.claim = c.id AND e.claim <> 0 AND e.live = 1)",
        ),
        (
            "a live claim is about an entity that only the past knows",
            "SELECT c.key FROM claim c JOIN entity e ON e.id = c.subject OR (c.object <> 0 AND e.id = c.object) \
             WHERE c.evidence > 0 AND e.live = 0",
        ),
        (
            "a period belongs to no live claim",
            "SELECT p.claim FROM period p LEFT JOIN claim c ON c.id = p.claim WHERE c.id IS NULL OR c.evidence = 0",
        ),
        (
            "two live entities share an id",
            "SELECT public FROM entity WHERE live = 1 GROUP BY public HAVING count(*) > 1",
        ),
        (
            "a chunk and the full-text index disagree",
            "SELECT c.id FROM chunk c LEFT JOIN passage_docsize p ON p.id = c.id \
             WHERE (c.gone_at IS NULL) <> (p.id IS NOT NULL)",
        ),
        (
            "the full-text index holds a chunk that does not exist",
            "SELECT p.id FROM passage_docsize p LEFT JOIN chunk c ON c.id = p.id WHERE c.id IS NULL",
        ),
        (
            "a read chunk has no reading in the log",
            "SELECT c.id FROM chunk c LEFT JOIN reading r ON r.key = c.key WHERE c.state = 1 AND r.key IS NULL",
        ),
    ] {
        found.none("orphan", what, sql)?;
    }
    Ok(())
}

fn counts(found: &mut Problems<'_>) -> Result<(), StoreError> {
    for (name, sql) in [
        ("entities", "SELECT count(*) FROM entity WHERE live = 1"),
        ("mentions", "SELECT count(*) FROM mention WHERE live = 1"),
        ("claims", "SELECT count(*) FROM claim WHERE evidence > 0"),
        ("evidence", "SELECT count(*) FROM evidence WHERE live = 1 AND status = 0"),
        ("off_ontology", "SELECT count(*) FROM evidence WHERE live = 1 AND status = 1"),
        ("refused", "SELECT count(*) FROM evidence WHERE live = 1 AND status = 2"),
        ("conflicts", "SELECT count(*) FROM claim WHERE conflict <> 0"),
    ] {
        let counted: i64 = found.connection.query_row(sql, [], |row| row.get(0))?;
        let kept: i64 = found.connection.query_row(
            "SELECT ifnull((SELECT value FROM counter WHERE name = ?1), 0)",
            [name],
            |row| row.get(0),
        )?;
        if counted != kept {
            found.say("count", format!("the count of {name} is {kept}, but there are {counted}"));
        }
    }
    found.none(
        "count",
        "the uses of a name are miscounted",
        "SELECT n.key FROM node n LEFT JOIN (SELECT node, count(*) AS number, sum(confidence) AS weight FROM mention \
         WHERE live = 1 GROUP BY node) m ON m.node = n.id \
         WHERE n.mentions <> ifnull(m.number, 0) OR n.weight <> ifnull(m.weight, 0)",
    )?;
    found.none(
        "count",
        "the chunks of a document are miscounted",
        "SELECT d.idx FROM document d WHERE d.gone_at IS NULL AND (d.chunks, d.unread, d.failed) <> \
         (SELECT count(*) FILTER (WHERE c.state <> 3), count(*) FILTER (WHERE c.state = 0), \
         count(*) FILTER (WHERE c.state = 2) FROM chunk c WHERE c.document = d.id AND c.gone_at IS NULL)",
    )
}

/// Every span lies in its text, every reading is what the tables hold.
fn texts(snapshot: &Snapshot, found: &mut Problems<'_>, cancel: &Cancel) -> Result<(), StoreError> {
    let connection = snapshot.connection();
    let mut statement = connection.prepare(
        "SELECT c.id, c.text, c.map, c.start, c.end, e.body, c.kind FROM chunk c LEFT JOIN reading r ON r.key = c.key \
         AND c.state = 1 LEFT JOIN entry e ON e.id = r.entry",
    )?;
    let mut spans = connection.prepare(
        "SELECT start, end, 0 FROM mention WHERE chunk = ?1 \
         UNION ALL SELECT quote_start, quote_end, 1 FROM evidence WHERE chunk = ?1",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if cancel.is_cancelled() {
            return Err(StoreError::Interrupted);
        }
        let (chunk, text, map): (i64, String, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (start, end): (i64, i64) = (row.get(3)?, row.get(4)?);
        let Some(map) = SpanMap::decode(&map) else {
            found.say("span", format!("chunk {chunk} has no way back to its document"));
            continue;
        };
        let whole = Span::new(start as usize, end as usize);
        if map.length(&text) != whole.len() {
            found.say("span", format!("the stored text of chunk {chunk} has another length than its place"));
        }
        let mut quotes = 0;
        let mut at = spans.query([chunk])?;
        while let Some(row) = at.next()? {
            let (from, to, is_quote): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            quotes += usize::from(is_quote == 1);
            let span = Span::new(from as usize, to as usize);
            let source = map.to_source(span, whole.start);
            if from > to || span.slice(&text).is_none() {
                found.say("span", format!("a span of chunk {chunk} lies outside its text"));
            } else if !whole.contains(source) {
                found.say("span", format!("a span of chunk {chunk} leads outside of it in the document"));
            }
        }
        let body: Option<Vec<u8>> = row.get(5)?;
        let stated = match body {
            Some(body) => match decode(after_key(&body), &mut |number| snapshot.word(number)) {
                Ok((_, extraction)) => extraction.claims.len(),
                Err(error) => {
                    found.say("log", format!("the reading of chunk {chunk} cannot be understood: {error}"));
                    continue;
                }
            },
            None => 0,
        };
        if stated != quotes {
            found
                .say("log", format!("chunk {chunk} holds {quotes} pieces of evidence, its reading {stated}"));
        }
    }
    Ok(())
}

/// Names are the entities that a full resolution makes of them.
fn identity(law: &Law, found: &mut Problems<'_>, cancel: &Cancel) -> Result<(), StoreError> {
    let connection = found.connection;
    let mut words = Words::default();
    let mut done: BTreeSet<(String, String)> = BTreeSet::new();
    let mut statement = connection.prepare(
        "SELECT w.text, n.key FROM node n JOIN word w ON w.id = n.top WHERE n.mentions > 0 OR n.refs > 0",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if cancel.is_cancelled() {
            return Err(StoreError::Interrupted);
        }
        let start: (String, String) = (row.get(0)?, row.get(1)?);
        if done.contains(&start) {
            continue;
        }
        let (visited, nodes) = closure(connection, &mut words, &law.ontology, &law.rules, start)?;
        done.extend(visited);
        for group in partition(&law.ontology, &law.rules, &nodes) {
            let base = public_id(&group.concept, &group.name);
            let rows: BTreeSet<i64> = group.nodes.iter().map(|&at| nodes[at].entity).collect();
            let entity = rows.first().copied().unwrap_or(0);
            let (kept, live): (String, bool) = connection
                .prepare_cached("SELECT base, live FROM entity WHERE id = ?1")?
                .query_row([entity], |row| Ok((row.get(0)?, row.get(1)?)))?;
            if rows.len() != 1 || kept != base || live != group.live {
                found.say("identity", format!("'{base}' is kept as '{kept}'"));
            }
        }
    }
    Ok(())
}

fn beliefs(
    snapshot: &Snapshot,
    law: &Law,
    found: &mut Problems<'_>,
    cancel: &Cancel,
) -> Result<(), StoreError> {
    let connection = snapshot.connection();
    let mut done: BTreeSet<i64> = BTreeSet::new();
    let mut statement = connection.prepare("SELECT id FROM claim WHERE evidence > 0 ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if cancel.is_cancelled() {
            return Err(StoreError::Interrupted);
        }
        let claim: i64 = row.get(0)?;
        if done.contains(&claim) {
            continue;
        }
        let Some(group) = group_of(connection, law, &mut |number| snapshot.word(number), claim)? else {
            continue;
        };
        if group.members.len() > 1 {
            done.extend(group.members.iter().map(|member| member.claim));
        }
        for outcome in weigh_claims(connection, law, &group)? {
            let kept = snapshot.weighed(outcome.claim)?;
            let rounded = |value: f64| ppm(value);
            let same = kept.periods.len() == outcome.weighed.periods.len()
                && kept.periods.iter().zip(&outcome.weighed.periods).all(|(kept, new)| {
                    kept.interval == new.interval
                        && rounded(kept.belief) == rounded(new.belief)
                        && rounded(kept.disbelief) == rounded(new.disbelief)
                        && rounded(kept.support) == rounded(new.support)
                        && rounded(kept.contradiction) == rounded(new.contradiction)
                });
            if !same {
                let id = snapshot.claim(outcome.claim)?.map_or_else(String::new, |claim| claim.id);
                found.say("belief", format!("the belief of claim {id} does not follow from its evidence"));
            }
        }
    }
    Ok(())
}
