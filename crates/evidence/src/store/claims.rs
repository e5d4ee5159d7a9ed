use mge_core::{Index, Interval, Span};
use rusqlite::{OptionalExtension, Row, ToSql};

use super::read::{Snapshot, chunk_index};
use super::rows::{
    ClaimRow, EvidenceRow, MentionRow, ObjectRow, Status, form_of, from_ppm, interval, stamp, stance_of,
    tense_of,
};
use super::span_map::SpanMap;
use crate::error::StoreError;
use crate::weigh::{Basis, PeriodBelief, Weighed};

const CLAIM: &str = "SELECT id, key, subject, relation, object, literal, evidence, belief, disbelief, uncertainty, conflict FROM claim";
const EVIDENCE: &str = "SELECT e.chunk, e.n, e.claim, e.status, e.stance, e.confidence, e.subject_identity, \
     e.object_identity, e.quote_start, e.quote_end, e.valid_from, e.valid_to, e.tense, e.method, c.document, d.idx, \
     c.local, d.source, d.authority, d.date_from, d.date_to, c.start, c.text, c.map, c.read_at, c.gone_at \
     FROM evidence e JOIN chunk c ON c.id = e.chunk JOIN document d ON d.id = c.document";
const MENTION: &str = "SELECT n.entity, m.chunk, c.document, d.idx, c.local, m.start, m.end, n.concept, m.form, \
     m.confidence, m.identity, d.authority, m.method, c.start, c.text, c.map, c.page \
     FROM mention m JOIN node n ON n.id = m.node JOIN chunk c ON c.id = m.chunk JOIN document d ON d.id = c.document";

impl Snapshot {
    // Claims.

    /// Returns a claim by its row.
    pub(crate) fn claim(&self, row: i64) -> Result<Option<ClaimRow>, StoreError> {
        Ok(self.claims_where("WHERE id = ?1", &[&row])?.pop())
    }

    /// Returns a claim by its whole id, or by one that it had before.
    pub(crate) fn claim_by_id(&self, id: &str) -> Result<Option<ClaimRow>, StoreError> {
        let mut found = self.claims_where("WHERE key = ?1 ORDER BY evidence <> 0, id", &[&id])?;
        if let Some(claim) = found.pop()
            && (claim.evidence > 0 || self.known_at().is_some())
        {
            return Ok(Some(claim));
        }
        let mut statement =
            self.connection().prepare_cached("SELECT parts FROM former_claim WHERE key = ?1")?;
        let parts: Option<String> = statement.query_row([id], |row| row.get(0)).optional()?;
        match parts {
            Some(parts) => self.claim_of_parts(&parts),
            None => Ok(None),
        }
    }

    /// Finds the live claims whose ids begin with `prefix`, at most `limit`.
    pub(crate) fn claims_beginning(&self, prefix: &str, limit: usize) -> Result<Vec<ClaimRow>, StoreError> {
        let prefix = prefix.to_lowercase();
        let last = format!("{prefix}~");
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.claims_where(
            "WHERE key >= ?1 AND key < ?2 AND (evidence > 0 OR ?4) ORDER BY key LIMIT ?3",
            &[&prefix, &last, &limit, &self.known_at().is_some()],
        )
    }

    /// Returns the length, at least 7, at which the id of a claim is unique among the live.
    pub(crate) fn unique_length(&self, id: &str) -> Result<usize, StoreError> {
        let mut longest = 7;
        for sql in [
            "SELECT key FROM claim WHERE key < ?1 AND evidence > 0 ORDER BY key DESC LIMIT 1",
            "SELECT key FROM claim WHERE key > ?1 AND evidence > 0 ORDER BY key LIMIT 1",
        ] {
            let mut statement = self.connection().prepare_cached(sql)?;
            let near: Option<String> = statement.query_row([id], |row| row.get(0)).optional()?;
            let shared =
                near.map_or(0, |near| id.bytes().zip(near.bytes()).take_while(|(a, b)| a == b).count());
            longest = longest.max(shared + 1);
        }
        Ok(longest.min(id.len()))
    }

    /// Returns up to `limit` live claims of a subject with rows after `after`, of one relation or all.
    ///
    /// Under `known_at`, claims that only the past knows come too: those without evidence then are no claims.
    pub(crate) fn claims_about(
        &self,
        subject: i64,
        relation: Option<&str>,
        after: i64,
        limit: usize,
    ) -> Result<Vec<ClaimRow>, StoreError> {
        self.claims_at("subject", subject, relation, after, limit)
    }

    /// Returns up to `limit` live claims with an entity as object and rows after `after`.
    pub(crate) fn claims_to(
        &self,
        object: i64,
        relation: Option<&str>,
        after: i64,
        limit: usize,
    ) -> Result<Vec<ClaimRow>, StoreError> {
        self.claims_at("object", object, relation, after, limit)
    }

    /// Returns up to `limit` live claims with ids after `after`, of one relation or all, in order of id.
    pub(crate) fn claims(
        &self,
        relation: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<ClaimRow>, StoreError> {
        let relation = match relation {
            Some(word) => match self.word_number(word)? {
                Some(number) => number,
                None => return Ok(Vec::new()),
            },
            None => 0,
        };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.claims_where(
            "WHERE key > ?1 AND (?2 = 0 OR relation = ?2) AND (evidence > 0 OR ?4) ORDER BY key LIMIT ?3",
            &[&after.unwrap_or(""), &relation, &limit, &self.known_at().is_some()],
        )
    }

    /// Returns up to `limit` live claims about which the evidence disagrees, with rows after `after`.
    pub(crate) fn claims_in_conflict(&self, after: i64, limit: usize) -> Result<Vec<ClaimRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.claims_where("WHERE conflict <> 0 AND id > ?1 ORDER BY id LIMIT ?2", &[&after, &limit])
    }

    /// Returns the live claims that share subject and relation with a claim, itself included.
    pub(crate) fn claims_beside(&self, claim: &ClaimRow) -> Result<Vec<ClaimRow>, StoreError> {
        self.claims_about(claim.subject, Some(&claim.relation), 0, usize::MAX)
    }

    /// Returns what all live evidence says of a claim over time, as computed at the last commit.
    pub(crate) fn weighed(&self, claim: i64) -> Result<Weighed, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT valid_from, valid_to, support, contradiction, conflict, belief, disbelief, uncertainty, assumed, \
             basis FROM period WHERE claim = ?1 ORDER BY n",
        )?;
        let rows = statement.query_map([claim], |row| {
            let figure = |column: usize| -> rusqlite::Result<f64> { Ok(from_ppm(row.get(column)?)) };
            Ok(PeriodBelief {
                interval: interval(row.get(0)?, row.get(1)?).unwrap_or(Interval::ALWAYS),
                support: figure(2)?,
                contradiction: figure(3)?,
                conflict: figure(4)?,
                belief: figure(5)?,
                disbelief: figure(6)?,
                uncertainty: figure(7)?,
                assumed: row.get::<_, i64>(8)? != 0,
                basis: basis_of(row.get(9)?),
            })
        })?;
        Ok(Weighed { periods: rows.collect::<Result<_, _>>()? })
    }

    // Evidence and mentions.

    /// Returns the evidence of a claim, in order of document, span and number.
    pub(crate) fn evidence_of(&self, claim: i64) -> Result<Vec<EvidenceRow>, StoreError> {
        // The second condition lets the index serve that leaves out what has no claim.
        self.evidence_where("e.claim = ?1 AND e.claim <> 0", &[&claim])
    }

    /// Returns up to `limit` pieces of evidence that fit no claim of the ontology.
    pub(crate) fn evidence_off_ontology(&self, limit: usize) -> Result<Vec<EvidenceRow>, StoreError> {
        // The rows come unsorted: which ones a limit keeps must not depend on the order of arrival.
        let mut found = self.evidence_where("e.status <> 0", &[])?;
        found.truncate(limit);
        Ok(found)
    }

    /// Returns up to `limit` mentions of an entity, in order of document and span.
    pub(crate) fn mentions_of(&self, entity: i64, limit: usize) -> Result<Vec<MentionRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.mentions_where("n.entity = ?1", &[&entity], limit)
    }

    /// Returns the mentions in a chunk, in order.
    pub(crate) fn mentions_in(&self, chunk: i64) -> Result<Vec<MentionRow>, StoreError> {
        self.mentions_where("m.chunk = ?1", &[&chunk], i64::MAX)
    }

    fn claims_at(
        &self,
        side: &str,
        entity: i64,
        relation: Option<&str>,
        after: i64,
        limit: usize,
    ) -> Result<Vec<ClaimRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let past = self.known_at().is_some();
        match relation {
            Some(word) => {
                let Some(relation) = self.word_number(word)? else { return Ok(Vec::new()) };
                self.claims_where(
                    &format!(
                        "WHERE {side} = ?1 AND {side} <> 0 AND relation = ?2 AND id > ?3 AND (evidence > 0 OR ?5) ORDER BY id LIMIT ?4"
                    ),
                    &[&entity, &relation, &after, &limit, &past],
                )
            }
            None => self.claims_where(
                &format!("WHERE {side} = ?1 AND {side} <> 0 AND id > ?2 AND (evidence > 0 OR ?4) ORDER BY id LIMIT ?3"),
                &[&entity, &after, &limit, &past],
            ),
        }
    }

    fn claims_where(&self, condition: &str, arguments: &[&dyn ToSql]) -> Result<Vec<ClaimRow>, StoreError> {
        let mut statement = self.connection().prepare_cached(&format!("{CLAIM} {condition}"))?;
        let mut rows = statement.query(arguments)?;
        let mut claims = Vec::new();
        while let Some(row) = rows.next()? {
            let object: i64 = row.get(4)?;
            claims.push(ClaimRow {
                row: row.get(0)?,
                id: row.get(1)?,
                subject: row.get(2)?,
                relation: self.word(row.get(3)?)?.to_string(),
                object: if object == 0 { ObjectRow::Literal(row.get(5)?) } else { ObjectRow::Entity(object) },
                evidence: u64::try_from(row.get::<_, i64>(6)?).unwrap_or(0),
                belief: from_ppm(row.get(7)?),
                disbelief: from_ppm(row.get(8)?),
                uncertainty: from_ppm(row.get(9)?),
                conflict: row.get::<_, i64>(10)? != 0,
            });
        }
        Ok(claims)
    }

    /// Finds the claim that stands where one with these parts stood before entities changed their ids.
    fn claim_of_parts(&self, parts: &str) -> Result<Option<ClaimRow>, StoreError> {
        let parts: Vec<String> =
            serde_json::from_str(parts).map_err(|error| StoreError::Row(error.to_string()))?;
        let (subject, relation, object) = match parts.as_slice() {
            [concept, key, relation, literal] => {
                (self.entity_of_name(concept, key)?, relation, Some(ObjectRow::Literal(literal.clone())))
            }
            [concept, key, relation, object_concept, object_key] => (
                self.entity_of_name(concept, key)?,
                relation,
                self.entity_of_name(object_concept, object_key)?.map(ObjectRow::Entity),
            ),
            _ => return Ok(None),
        };
        let (Some(subject), Some(object)) = (subject, object) else { return Ok(None) };
        let of = |from: i64, to: &ObjectRow| -> Result<Option<ClaimRow>, StoreError> {
            let claims = self.claims_about(from, Some(relation), 0, usize::MAX)?;
            Ok(claims.into_iter().find(|claim| &claim.object == to))
        };
        match (of(subject, &object)?, &object) {
            (None, ObjectRow::Entity(other)) => of(*other, &ObjectRow::Entity(subject)),
            (found, _) => Ok(found),
        }
    }

    fn evidence_where(
        &self,
        condition: &str,
        arguments: &[&dyn ToSql],
    ) -> Result<Vec<EvidenceRow>, StoreError> {
        let seen = match self.known_at() {
            None => "e.live = 1".to_owned(),
            Some(at) => format!("c.read_at <= {at} AND (c.gone_at IS NULL OR c.gone_at > {at})"),
        };
        let sql = format!("{EVIDENCE} WHERE {condition} AND {seen}");
        let mut statement = self.connection().prepare_cached(&sql)?;
        let mut rows = statement.query(arguments)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(self.evidence_row(row)?);
        }
        found.sort_by(|left, right| {
            (&left.document_index, left.span, left.number).cmp(&(
                &right.document_index,
                right.span,
                right.number,
            ))
        });
        Ok(found)
    }

    fn evidence_row(&self, row: &Row<'_>) -> Result<EvidenceRow, StoreError> {
        let document: String = row.get(15)?;
        let visible = span_at(row, 8)?;
        let (span, quote) = located(row, 21, visible)?;
        let text = row.get_ref(22)?.as_str().map_err(|error| StoreError::Row(error.to_string()))?;
        let said = visible.slice(text).unwrap_or_default().to_owned();
        Ok(EvidenceRow {
            chunk: row.get(0)?,
            number: row.get(1)?,
            claim: row.get(2)?,
            status: Status::of(row.get(3)?),
            stance: stance_of(row.get(4)?),
            confidence: from_ppm(row.get(5)?),
            subject_identity: from_ppm(row.get(6)?),
            object_identity: from_ppm(row.get(7)?),
            valid: interval(row.get(10)?, row.get(11)?),
            tense: tense_of(row.get(12)?),
            method: self.word(row.get(13)?)?.to_string(),
            document: row.get(14)?,
            index: chunk_index(&document, &row.get::<_, String>(16)?),
            document_index: Index::new(document),
            source: row.get(17)?,
            authority: from_ppm(row.get(18)?),
            document_date: interval(row.get(19)?, row.get(20)?),
            span,
            quote,
            said,
            recorded_from: stamp(row.get::<_, Option<i64>>(24)?.unwrap_or(0)),
            recorded_to: row.get::<_, Option<i64>>(25)?.map(stamp),
        })
    }

    fn mentions_where(
        &self,
        condition: &str,
        arguments: &[&dyn ToSql],
        limit: i64,
    ) -> Result<Vec<MentionRow>, StoreError> {
        let seen = match self.known_at() {
            None => "m.live = 1".to_owned(),
            Some(at) => format!("c.read_at <= {at} AND (c.gone_at IS NULL OR c.gone_at > {at})"),
        };
        let sql = format!(
            "{MENTION} WHERE {condition} AND {seen} ORDER BY d.idx, c.ord, m.start, m.n LIMIT {limit}"
        );
        let mut statement = self.connection().prepare_cached(&sql)?;
        let mut rows = statement.query(arguments)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let document: String = row.get(3)?;
            let (span, text) = located(row, 13, span_at(row, 5)?)?;
            found.push(MentionRow {
                entity: row.get(0)?,
                chunk: row.get(1)?,
                document: row.get(2)?,
                index: chunk_index(&document, &row.get::<_, String>(4)?),
                document_index: Index::new(document),
                page: row.get(16)?,
                span,
                text,
                concept: self.word(row.get(7)?)?.to_string(),
                form: form_of(row.get(8)?),
                confidence: from_ppm(row.get(9)?),
                identity: from_ppm(row.get(10)?),
                authority: from_ppm(row.get(11)?),
                method: self.word(row.get(12)?)?.to_string(),
            });
        }
        Ok(found)
    }
}

fn span_at(row: &Row<'_>, column: usize) -> Result<Span, StoreError> {
    let at = |column: usize| -> Result<usize, StoreError> {
        usize::try_from(row.get::<_, i64>(column)?)
            .map_err(|_| StoreError::Row("a span begins before 0".to_owned()))
    };
    Ok(Span::new(at(column)?, at(column + 1)?))
}

/// Returns a visible span's bytes in the document, and what stands there; start, text and map stand from `column` on.
fn located(row: &Row<'_>, column: usize, visible: Span) -> Result<(Span, String), StoreError> {
    let base = usize::try_from(row.get::<_, i64>(column)?).unwrap_or(0);
    let text = row.get_ref(column + 1)?.as_str().map_err(|error| StoreError::Row(error.to_string()))?;
    let map = row.get_ref(column + 2)?.as_blob().map_err(|error| StoreError::Row(error.to_string()))?;
    let map = SpanMap::decode(map).ok_or_else(|| StoreError::Row("a chunk has a bad map".to_owned()))?;
    let quote = map.quote(text, visible);
    let quote = quote.ok_or_else(|| StoreError::Row(format!("no text has the span {visible:?}")))?;
    Ok((map.to_source(visible, base), quote))
}

pub(crate) fn basis_code(basis: Basis) -> i64 {
    match basis {
        Basis::Undated => 0,
        Basis::Presumed => 1,
        Basis::Persisting => 2,
        Basis::Stated => 3,
    }
}

fn basis_of(code: i64) -> Basis {
    match code {
        1 => Basis::Presumed,
        2 => Basis::Persisting,
        3 => Basis::Stated,
        _ => Basis::Undated,
    }
}
