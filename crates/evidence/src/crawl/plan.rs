use mge_core::{Cancel, ChunkKind, CrawlEvent, CrawlReport, GraphError};
use rusqlite::Connection;

use super::apply::{has_reading, known};
use super::driver::{Inputs, is_current, version_of};
use super::listing::{Listed, each, roots, source_of};
use super::progress::empty_report;
use crate::error::StoreError;

/// Documents are opened to count their chunks as long as they are smaller than this together.
const OPENED_BYTES: u64 = 64 << 20;

/// Tells what a crawl would read, and reads and writes nothing. Without a store, all is new.
pub(crate) fn plan(
    inputs: &Inputs<'_>,
    connection: Option<&Connection>,
    cancel: &Cancel,
    tell: &mut dyn FnMut(CrawlEvent),
) -> Result<CrawlReport, GraphError> {
    let roots = roots(inputs.corpora, &inputs.request.roots)?;
    let version = version_of(inputs.formalizer, inputs.config);
    let mut report = empty_report();
    let mut opened = 0_u64;
    let mut failed = Vec::new();
    each(
        inputs.corpora,
        &roots,
        &mut |source, document| {
            if cancel.is_cancelled() {
                return Ok(());
            }
            report.documents += 1;
            let listed = Listed {
                index: document.index.clone(),
                source: source.to_owned(),
                size: i64::try_from(document.size).unwrap_or(i64::MAX),
                modified: document.modified,
            };
            let known = connection.map(|connection| known(connection, &listed.index)).transpose()?.flatten();
            if let Some(known) = &known
                && is_current(known, &listed, &version)
                && !(inputs.request.retry_failed && known.failed > 0)
            {
                report.chunks_skipped += (known.chunks - known.failed) as u64;
                return Ok(());
            }
            opened += document.size;
            let mut chunks = None;
            if opened <= OPENED_BYTES {
                let corpus = source_of(inputs.corpora, &listed.index)?;
                if let Ok(document) = corpus.read(&listed.index, inputs.config.rule()) {
                    chunks = Some(missing(inputs, connection, document, &mut report)?);
                }
            }
            if chunks != Some(0) {
                report.chunks_left += chunks.unwrap_or(1);
                tell(CrawlEvent::Planned { index: listed.index, chunks, bytes: document.size });
            }
            Ok(())
        },
        &mut |error| failed.push(error),
    )?;
    for error in failed {
        report.documents_failed += 1;
        tell(CrawlEvent::ChunkFailed {
            index: error.index().clone(),
            reason: error.to_string(),
            transient: error.is_transient(),
        });
    }
    Ok(report)
}

fn missing(
    inputs: &Inputs<'_>,
    connection: Option<&Connection>,
    document: mge_core::Document,
    report: &mut CrawlReport,
) -> Result<u64, StoreError> {
    let document = std::sync::Arc::new(document);
    let reading = inputs.formalizer.begin(std::sync::Arc::clone(&document));
    let mut missing = 0;
    for (place, chunk) in document.chunks.iter().enumerate() {
        if chunk.kind == ChunkKind::Verbatim {
            continue;
        }
        match connection {
            Some(connection) if has_reading(connection, &reading.key(place))? => report.chunks_skipped += 1,
            _ => missing += 1,
        }
    }
    Ok(missing)
}
