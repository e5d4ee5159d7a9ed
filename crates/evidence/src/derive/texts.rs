//! What a reading puts into the tables, and takes out again.

use std::collections::BTreeSet;

use mge_core::{EntityRef, Extraction, MentionForm, Object};
use rusqlite::params;

use super::{Deriver, NodeDelta};
use crate::error::StoreError;
use crate::resolve::{base_key, identity_key};
use crate::store::{Status, form_code, ppm, tense_code};

/// A chunk with its reading, to be put in or taken out.
pub(crate) struct Placed<'a> {
    /// The row of the chunk.
    pub(crate) chunk: i64,
    /// Its visible text.
    pub(crate) text: &'a str,
    /// The number of the method.
    pub(crate) method: i64,
    /// What it yields.
    pub(crate) extraction: &'a Extraction,
}

impl Deriver<'_> {
    /// Puts in what a chunk yields.
    pub(crate) fn add(&mut self, placed: &Placed<'_>) -> Result<(), StoreError> {
        self.mentions_of(placed, 1)?;
        self.evidence_of(placed, 1)
    }

    /// Puts in what a chunk yielded that is gone: only the past shall see it.
    pub(crate) fn add_gone(&mut self, placed: &Placed<'_>) -> Result<(), StoreError> {
        self.mentions_of(placed, 0)?;
        self.evidence_of(placed, 0)
    }

    /// Marks what a chunk yielded as gone.
    pub(crate) fn remove(&mut self, placed: &Placed<'_>) -> Result<(), StoreError> {
        self.mentions_of(placed, -1)?;
        self.evidence_of(placed, -1)
    }

    /// `sign` is 1 to put in, -1 to mark as gone, 0 to put in as gone.
    fn mentions_of(&mut self, placed: &Placed<'_>, sign: i64) -> Result<(), StoreError> {
        let mut counted = 0;
        for (number, mention) in placed.extraction.mentions.iter().enumerate() {
            if !self.knows(&mention.entity) {
                continue;
            }
            counted += 1;
            let node = self.node(&mention.entity)?;
            let confidence = ppm(mention.confidence);
            self.use_name(
                node,
                &mention.entity.name,
                sign,
                NodeDelta { mentions: 1, weight: confidence, refs: 0 },
                mention.form,
            );
            if mention.form == MentionForm::Alias
                && let Some(text) = mention.span.slice(placed.text)
            {
                let key = identity_key(text);
                if key != identity_key(&mention.entity.name) {
                    *self.aliases.entry((node, key, text.to_owned())).or_default() += sign;
                }
            }
            if sign >= 0 {
                self.changes.mentions += u64::from(sign > 0);
                self.connection
                    .prepare_cached(
                        "INSERT INTO mention (chunk, n, node, start, end, form, confidence, identity, method, live) \
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    )?
                    .execute(params![
                        placed.chunk,
                        number as i64,
                        node,
                        mention.span.start as i64,
                        mention.span.end as i64,
                        form_code(mention.form),
                        confidence,
                        ppm(mention.entity.confidence),
                        placed.method,
                        sign
                    ])?;
            }
        }
        self.count("mentions", sign * counted);
        if sign < 0 {
            self.connection
                .prepare_cached("UPDATE mention SET live = 0 WHERE chunk = ?1")?
                .execute([placed.chunk])?;
        }
        Ok(())
    }

    fn evidence_of(&mut self, placed: &Placed<'_>, sign: i64) -> Result<(), StoreError> {
        for (number, claim) in placed.extraction.claims.iter().enumerate() {
            let subject = self.node(&claim.subject)?;
            self.refer(subject, &claim.subject, sign);
            let (object, literal, object_identity) = match &claim.object {
                Object::Entity(entity) => {
                    let node = self.node(entity)?;
                    self.refer(node, entity, sign);
                    (node, "", ppm(entity.confidence))
                }
                Object::Literal(literal) => (0, literal.as_str(), 1_000_000),
            };
            let key = (placed.chunk, number as i64);
            self.evidence.insert(key);
            if sign < 0 {
                continue;
            }
            if sign > 0 {
                self.fresh.insert(key);
            }
            let relation = self.words.number(self.connection, &claim.relation)?;
            self.connection
                .prepare_cached(
                    "INSERT INTO evidence (chunk, n, claim, status, subject, relation, object, literal, stance, \
                     confidence, subject_identity, object_identity, quote_start, quote_end, valid_from, valid_to, \
                     tense, method, live) \
                     VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
                )?
                .execute(params![
                    placed.chunk,
                    number as i64,
                    Status::Refused.code(),
                    subject,
                    relation,
                    object,
                    literal,
                    i64::from(claim.stance.sign()),
                    ppm(claim.confidence),
                    ppm(claim.subject.confidence),
                    object_identity,
                    claim.quote.start as i64,
                    claim.quote.end as i64,
                    claim.valid.and_then(|valid| valid.from).map(|moment| moment.0),
                    claim.valid.and_then(|valid| valid.to).map(|moment| moment.0),
                    tense_code(claim.tense),
                    placed.method,
                    sign
                ])?;
            if sign > 0 {
                self.count("refused", 1);
            }
        }
        if sign < 0 {
            self.retire(placed.chunk)?;
        }
        Ok(())
    }

    /// Marks the evidence of a chunk as gone.
    fn retire(&mut self, chunk: i64) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT status, count(*) FROM evidence WHERE chunk = ?1 AND live = 1 GROUP BY status",
        )?;
        let counts: Vec<(i64, i64)> =
            statement.query_map([chunk], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        for (status, number) in counts {
            let status = Status::of(status);
            self.count(counter_of(status), -number);
            if status == Status::Claim {
                self.changes.evidence_gone += number as u64;
            }
        }
        self.connection.prepare_cached("UPDATE evidence SET live = 0 WHERE chunk = ?1")?.execute([chunk])?;
        Ok(())
    }

    /// Tells whether the ontology has the concept: what it does not have makes no entity.
    fn knows(&self, entity: &EntityRef) -> bool {
        self.law.ontology.concepts.contains_key(&entity.concept)
    }

    fn refer(&mut self, node: i64, entity: &EntityRef, sign: i64) {
        let sign = if self.knows(entity) { sign } else { 0 };
        self.use_name(
            node,
            &entity.name,
            sign,
            NodeDelta { mentions: 0, weight: 0, refs: 1 },
            MentionForm::Short,
        );
    }

    fn use_name(&mut self, node: i64, name: &str, sign: i64, by: NodeDelta, form: MentionForm) {
        let delta = self.nodes.entry(node).or_default();
        delta.mentions += sign * by.mentions;
        delta.weight += sign * by.weight;
        delta.refs += sign * by.refs;
        let surface = self.surfaces.entry((node, name.to_owned())).or_default();
        if form == MentionForm::Full {
            surface.0 += sign;
        } else {
            surface.1 += sign;
        }
    }

    /// Returns the node of a name, making it if need be.
    fn node(&mut self, entity: &EntityRef) -> Result<i64, StoreError> {
        let concept = self.words.number(self.connection, &entity.concept)?;
        let spelling = (concept, entity.name.clone());
        if let Some(node) = self.known.get(&spelling) {
            return Ok(*node);
        }
        let top = self.words.number(self.connection, entity.concept.split('|').next().unwrap_or(""))?;
        let key = identity_key(&entity.name);
        let found: Option<i64> = {
            let mut statement = self
                .connection
                .prepare_cached("SELECT id FROM node WHERE key = ?1 AND top = ?2 AND concept = ?3")?;
            let mut rows = statement.query(params![key, top, concept])?;
            rows.next()?.map(|row| row.get(0)).transpose()?
        };
        let node = match found {
            Some(node) => node,
            None => self
                .connection
                .prepare_cached(
                    "INSERT INTO node (key, top, concept, base, entity, mentions, weight, refs) \
                     VALUES (?1, ?2, ?3, ?4, 0, 0, 0, 0)",
                )?
                .insert(params![key, top, concept, base_key(&entity.name)])?,
        };
        self.known.insert(spelling, node);
        Ok(node)
    }

    /// Writes the summed changes of names, and returns the keys to be resolved anew, by top concept.
    pub(super) fn flush_names(&mut self) -> Result<BTreeSet<(String, String)>, StoreError> {
        let mut touched = BTreeSet::new();
        for (node, delta) in std::mem::take(&mut self.nodes) {
            let (key, top, base): (String, i64, Option<String>) = self
                .connection
                .prepare_cached(
                    "UPDATE node SET mentions = mentions + ?2, weight = weight + ?3, refs = refs + ?4 WHERE id = ?1 \
                     RETURNING key, top, base",
                )?
                .query_row(params![node, delta.mentions, delta.weight, delta.refs], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })?;
            let top = self.words.word(self.connection, top)?.to_string();
            // A name that dies must also let go of the shorter one that it was tied to.
            touched.extend(base.map(|base| (top.clone(), base)));
            touched.insert((top, key));
        }
        for ((node, text), (full, refs)) in std::mem::take(&mut self.surfaces) {
            self.connection
                .prepare_cached(
                    "INSERT INTO surface (node, text, full, refs) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (node, text) \
                     DO UPDATE SET full = full + excluded.full, refs = refs + excluded.refs",
                )?
                .execute(params![node, text, full, refs])?;
        }
        let aliases = std::mem::take(&mut self.aliases);
        for ((node, key, text), count) in aliases {
            let top: i64 = self
                .connection
                .prepare_cached("SELECT top FROM node WHERE id = ?1")?
                .query_row([node], |row| row.get(0))?;
            // Names that were tied before are looked at even when the tie is gone.
            touched.insert((self.words.word(self.connection, top)?.to_string(), key.clone()));
            self.connection
                .prepare_cached(
                    "INSERT INTO alias (node, key, text, count) VALUES (?1, ?2, ?3, ?4) \
                     ON CONFLICT (node, key, text) DO UPDATE SET count = count + excluded.count",
                )?
                .execute(params![node, key, text, count])?;
        }
        Ok(touched)
    }
}

/// Returns the counter of live evidence that came to this.
pub(super) fn counter_of(status: Status) -> &'static str {
    match status {
        Status::Claim => "evidence",
        Status::OffOntology => "off_ontology",
        Status::Refused => "refused",
    }
}
