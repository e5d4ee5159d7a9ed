//! The state, or the log, as JSON Lines.

use std::io::Write;

use mge_core::{GraphError, Moment};
use serde_json::{Map, Value, json};
use ulid::Ulid;

use crate::crawl::after_key;
use crate::error::StoreError;
use crate::store::{Decision, EntryKind, ObjectRow, Snapshot, decode, take};

const VERSION: u32 = 1;
const PAGE: usize = 1_000;

/// Writes the present state: equal states give equal bytes.
pub(crate) fn export_state(
    snapshot: &Snapshot,
    out: &mut dyn Write,
    now: Moment,
    times: bool,
) -> Result<(), GraphError> {
    line(out, &json!({"type": "export", "version": VERSION, "unit": "byte"}))?;
    each_entity(snapshot, &mut |entity| {
        let names = snapshot.names(entity.row)?;
        let aliases: Vec<&str> =
            names.iter().map(|name| name.text.as_str()).filter(|text| *text != entity.name).collect();
        let (id, concept, name) = (&entity.id, &entity.concept, &entity.name);
        line(out, &json!({"type": "entity", "id": id, "concept": concept, "name": name, "aliases": aliases}))
    })?;
    each_entity(snapshot, &mut |entity| {
        for mention in snapshot.mentions_of(entity.row, usize::MAX)? {
            line(
                out,
                &json!({
                    "type": "mention", "entity": entity.id, "index": mention.index, "start": mention.span.start,
                    "end": mention.span.end, "text": mention.text, "confidence": mention.confidence,
                    "method": mention.method,
                }),
            )?;
        }
        Ok(())
    })?;
    each_claim(snapshot, &mut |claim| line(out, &claim_line(snapshot, claim, now)?))?;
    each_claim(snapshot, &mut |claim| {
        for piece in snapshot.evidence_of(claim.row)? {
            let mut fields = json!({
                "type": "evidence", "claim": claim.id, "index": piece.index, "start": piece.span.start,
                "end": piece.span.end, "quote": piece.quote, "stance": piece.stance.sign(),
                "confidence": piece.confidence, "authority": piece.authority, "source": piece.source,
                "method": piece.method,
            });
            if let Some(fields) = fields.as_object_mut() {
                if let Some(valid) = piece.valid {
                    ends(fields, "valid_from", valid.from);
                    ends(fields, "valid_to", valid.to);
                }
                if times {
                    fields.insert(
                        "recorded_from".to_owned(),
                        Value::String(format!("{:.3}", piece.recorded_from)),
                    );
                }
            }
            line(out, &fields)?;
        }
        Ok(())
    })?;
    for decision in Decision::all(snapshot.connection())? {
        line(
            out,
            &json!({
                "type": "decision", "same": decision.same,
                "left": {"concept": decision.left.concept, "name": decision.left.key},
                "right": {"concept": decision.right.concept, "name": decision.right.key},
                "who": decision.who, "why": decision.why,
            }),
        )?;
    }
    out.flush().map_err(|error| write_failed(&error))
}

fn claim_line(snapshot: &Snapshot, claim: &crate::store::ClaimRow, now: Moment) -> Result<Value, GraphError> {
    let id_of = |row: i64| -> Result<String, StoreError> {
        let entity =
            snapshot.entity(row)?.ok_or_else(|| StoreError::Row(format!("no entity has the row {row}")))?;
        Ok(entity.id)
    };
    let mut fields = Map::new();
    fields.insert("type".to_owned(), json!("claim"));
    fields.insert("id".to_owned(), json!(claim.id));
    fields.insert("subject".to_owned(), json!(id_of(claim.subject)?));
    fields.insert("relation".to_owned(), json!(claim.relation));
    match &claim.object {
        ObjectRow::Entity(row) => fields.insert("object".to_owned(), json!(id_of(*row)?)),
        ObjectRow::Literal(literal) => fields.insert("literal".to_owned(), json!(literal)),
    };
    let weighed = snapshot.weighed(claim.row)?;
    // Of a time of which no evidence speaks, nothing is believed and nothing denied.
    let (belief, disbelief, uncertainty) = weighed
        .at(now)
        .map_or((0.0, 0.0, 1.0), |period| (period.belief, period.disbelief, period.uncertainty));
    fields.insert("belief".to_owned(), json!(belief));
    fields.insert("disbelief".to_owned(), json!(disbelief));
    fields.insert("uncertainty".to_owned(), json!(uncertainty));
    let periods: Vec<Value> = weighed
        .periods
        .iter()
        .map(|period| {
            let mut fields = Map::new();
            ends(&mut fields, "from", period.interval.from);
            ends(&mut fields, "to", period.interval.to);
            fields.insert("belief".to_owned(), json!(period.belief));
            fields.insert("disbelief".to_owned(), json!(period.disbelief));
            fields.insert("uncertainty".to_owned(), json!(period.uncertainty));
            if period.assumed {
                fields.insert("assumed".to_owned(), json!(true));
            }
            Value::Object(fields)
        })
        .collect();
    fields.insert("periods".to_owned(), Value::Array(periods));
    Ok(Value::Object(fields))
}

fn ends(fields: &mut Map<String, Value>, name: &str, moment: Option<Moment>) {
    if let Some(moment) = moment {
        fields.insert(name.to_owned(), Value::String(moment.to_string()));
    }
}

/// Goes through all live entities in order of id.
fn each_entity(
    snapshot: &Snapshot,
    take: &mut dyn FnMut(&crate::store::EntityRow) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let mut after: Option<String> = None;
    loop {
        let page = snapshot.entities(None, after.as_deref(), PAGE)?;
        for entity in &page {
            take(entity)?;
        }
        match page.last() {
            Some(last) if page.len() == PAGE => after = Some(last.id.clone()),
            _ => return Ok(()),
        }
    }
}

/// Goes through all live claims in order of id.
fn each_claim(
    snapshot: &Snapshot,
    take: &mut dyn FnMut(&crate::store::ClaimRow) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let mut after: Option<String> = None;
    loop {
        let page = snapshot.claims(None, after.as_deref(), PAGE)?;
        for claim in &page {
            take(claim)?;
        }
        match page.last() {
            Some(last) if page.len() == PAGE => after = Some(last.id.clone()),
            _ => return Ok(()),
        }
    }
}

/// Writes the log: every entry, oldest first.
pub(crate) fn export_log(snapshot: &Snapshot, out: &mut dyn Write, times: bool) -> Result<(), GraphError> {
    line(out, &json!({"type": "log", "version": VERSION}))?;
    let mut after = 0_i64;
    loop {
        let page = entries(snapshot, after)?;
        let Some((last, ..)) = page.last() else { break };
        after = *last;
        for (_, ulid, kind, cause, body) in page {
            let mut fields = Map::new();
            let kind = EntryKind::of(kind)
                .ok_or_else(|| StoreError::Row(format!("an entry of the log has the unknown kind {kind}")))?;
            fields.insert("type".to_owned(), json!(kind.name()));
            let id = Ulid::from_bytes(ulid);
            fields.insert("id".to_owned(), json!(id.to_string()));
            if times {
                let stamp = crate::store::stamp(i64::try_from(id.timestamp_ms()).unwrap_or(i64::MAX));
                fields.insert("recorded".to_owned(), json!(format!("{stamp:.3}")));
            }
            if let Some(cause) = cause {
                fields.insert("cause".to_owned(), json!(Ulid::from_bytes(cause).to_string()));
            }
            fields.extend(body_of(snapshot, kind, &body)?);
            line(out, &Value::Object(fields))?;
        }
    }
    out.flush().map_err(|error| write_failed(&error))
}

type RawEntry = (i64, [u8; 16], i64, Option<[u8; 16]>, Vec<u8>);

fn entries(snapshot: &Snapshot, after: i64) -> Result<Vec<RawEntry>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(
        "SELECT e.id, e.ulid, e.kind, c.ulid, e.body FROM entry e LEFT JOIN entry c ON c.id = e.cause \
         WHERE e.id > ?1 ORDER BY e.id LIMIT ?2",
    )?;
    let rows = statement.query_map([after, PAGE as i64], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn body_of(snapshot: &Snapshot, kind: EntryKind, body: &[u8]) -> Result<Map<String, Value>, StoreError> {
    let mut fields = Map::new();
    match kind {
        EntryKind::Reading => {
            let (method, extraction) = decode(after_key(body), &mut |number| snapshot.word(number))?;
            fields.insert("key".to_owned(), json!(hex(&body[..body.len().min(16)])));
            fields.insert("method".to_owned(), json!(&*snapshot.word(method)?));
            let extraction =
                serde_json::to_value(extraction).map_err(|error| StoreError::Row(error.to_string()))?;
            fields.insert("extraction".to_owned(), extraction);
        }
        EntryKind::Placement | EntryKind::Retraction => {
            let cut = || StoreError::Row("an entry of the log is cut off".to_owned());
            let mut rest = body;
            let length = take(&mut rest).and_then(|length| usize::try_from(length).ok()).ok_or_else(cut)?;
            let index =
                rest.get(..length).and_then(|index| std::str::from_utf8(index).ok()).ok_or_else(cut)?;
            let digest = rest.get(length..length + 32).ok_or_else(cut)?;
            fields.insert("document".to_owned(), json!(index));
            fields.insert("digest".to_owned(), json!(hex(digest)));
            if kind == EntryKind::Placement {
                let keys: Vec<String> = rest[length + 32..].chunks(16).map(hex).collect();
                fields.insert("chunks".to_owned(), json!(keys));
            }
        }
        EntryKind::Crawl | EntryKind::Decision => {
            let body: Value =
                serde_json::from_slice(body).map_err(|error| StoreError::Row(error.to_string()))?;
            if let Value::Object(body) = body {
                fields.extend(body);
            }
        }
    }
    Ok(fields)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn line(out: &mut dyn Write, value: &Value) -> Result<(), GraphError> {
    let mut text =
        serde_json::to_vec(value).map_err(|error| GraphError::System { message: error.to_string() })?;
    text.push(b'\n');
    out.write_all(&text).map_err(|error| write_failed(&error))
}

fn write_failed(error: &std::io::Error) -> GraphError {
    GraphError::System { message: format!("cannot write the export: {error}") }
}
