//! All that is derived, computed anew from what was read.

use mge_core::{Cancel, Index};
use rusqlite::{Connection, params};

use crate::config::Config;
use crate::crawl::after_key;
use crate::derive::{Deriver, Law, Placed, add_to_counter};
use crate::error::StoreError;
use crate::store::{ChunkState, DERIVED_TABLES, Store, decode, from_ppm, ppm, tokens};

/// So many chunks are derived at a time; all in one transaction.
const SLICE: usize = 1_000;

/// Computes all derived tables anew. When it fails, or is asked to stop, nothing is changed.
pub(crate) fn rebuild(store: &Store, law: &Law, config: &Config, cancel: &Cancel) -> Result<(), StoreError> {
    let transaction = store.begin()?;
    let connection = store.connection();
    for table in DERIVED_TABLES {
        if table == "passage" {
            connection.execute("INSERT INTO passage (passage) VALUES ('delete-all')", [])?;
        } else {
            connection.execute(&format!("DELETE FROM {table}"), [])?;
        }
    }
    weigh_documents(connection, config)?;
    let mut deriver = Deriver::new(connection, law);
    // The living first, in the order of their indices, then those that only the past knows.
    for gone in [false, true] {
        let mut after = (String::new(), 0_i64, -1_i64);
        loop {
            if cancel.is_cancelled() {
                return Err(StoreError::Interrupted);
            }
            let chunks = page(connection, gone, &after)?;
            let Some(last) = chunks.last() else { break };
            after = last.place.clone();
            for chunk in &chunks {
                put_in(connection, &mut deriver, chunk, gone)?;
            }
            deriver.settle()?;
        }
    }
    count_sources(connection)?;
    transaction.execute(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('law', ?1)",
        [config.law_digest(law.ontology.digest).to_string()],
    )?;
    transaction.commit()?;
    Ok(())
}

/// Tells whether the derived tables follow from another ontology or configuration than the present one.
pub(crate) fn is_outdated(connection: &Connection, law: &Law, config: &Config) -> Result<bool, StoreError> {
    let mut statement = connection.prepare("SELECT value FROM meta WHERE key = 'law'")?;
    let mut rows = statement.query([])?;
    let stored: Option<String> = rows.next()?.map(|row| row.get(0)).transpose()?;
    Ok(stored != Some(config.law_digest(law.ontology.digest).to_string()))
}

struct Chunk {
    /// Index and row of the document, place in it.
    place: (String, i64, i64),
    row: i64,
    text: String,
    state: ChunkState,
    key: Vec<u8>,
}

fn page(connection: &Connection, gone: bool, after: &(String, i64, i64)) -> Result<Vec<Chunk>, StoreError> {
    // Gone chunks may share their place with living ones, so that their rows order them.
    let (place, condition) = if gone { ("c.id", "IS NOT NULL") } else { ("c.ord", "IS NULL") };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT d.idx, d.id, {place}, c.id, c.text, c.state, c.key FROM document d JOIN chunk c ON c.document = d.id \
         WHERE c.gone_at {condition} AND (d.idx, d.id, {place}) > (?1, ?2, ?3) ORDER BY d.idx, d.id, {place} LIMIT ?4"
    ))?;
    let rows = statement.query_map(params![after.0, after.1, after.2, SLICE as i64], |row| {
        Ok(Chunk {
            place: (row.get(0)?, row.get(1)?, row.get(2)?),
            row: row.get(3)?,
            text: row.get(4)?,
            state: ChunkState::of(row.get(5)?),
            key: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn put_in(
    connection: &Connection,
    deriver: &mut Deriver<'_>,
    chunk: &Chunk,
    gone: bool,
) -> Result<(), StoreError> {
    if !gone {
        connection
            .prepare_cached("INSERT INTO passage (rowid, words) VALUES (?1, ?2)")?
            .execute(params![chunk.row, tokens(&chunk.text).join(" ")])?;
    }
    if chunk.state != ChunkState::Read {
        return Ok(());
    }
    let body: Vec<u8> = connection
        .prepare_cached("SELECT e.body FROM reading r JOIN entry e ON e.id = r.entry WHERE r.key = ?1")?
        .query_row([&chunk.key], |row| row.get(0))?;
    let words = deriver.words();
    let (method, extraction) = decode(after_key(&body), &mut |number| words.word(connection, number))?;
    let placed = Placed { chunk: chunk.row, text: &chunk.text, method, extraction: &extraction };
    if gone { deriver.add_gone(&placed) } else { deriver.add(&placed) }
}

/// Sets how far each document is believed.
fn weigh_documents(connection: &Connection, config: &Config) -> Result<(), StoreError> {
    let mut statement =
        connection.prepare("SELECT id, source, idx, stated_authority, authority FROM document")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, source, index): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (stated, old): (Option<i64>, i64) = (row.get(3)?, row.get(4)?);
        let authority = ppm(config.authority(&source, &Index::new(index), stated.map(from_ppm)));
        if authority != old {
            connection
                .prepare_cached("UPDATE document SET authority = ?2 WHERE id = ?1")?
                .execute([id, authority])?;
        }
    }
    Ok(())
}

fn count_sources(connection: &Connection) -> Result<(), StoreError> {
    let mut statement = connection.prepare(
        "SELECT source, count(*), sum(chunks), sum(chunks - unread - failed), sum(failed) FROM document \
         WHERE gone_at IS NULL GROUP BY source",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let source: String = row.get(0)?;
        for (column, what) in ["documents", "chunks", "chunks_read", "chunks_failed"].into_iter().enumerate()
        {
            add_to_counter(connection, &format!("{what}:{source}"), row.get(column + 1)?)?;
        }
    }
    Ok(())
}
