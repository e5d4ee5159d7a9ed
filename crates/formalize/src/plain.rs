//! Reading a text that belongs to no document, as the capabilities are given it.

use std::collections::BTreeMap;
use std::sync::Arc;

use mge_core::{Chunk, ChunkKind, Digest, Document, Extraction, Formalize, Index, MappedText, Span};

use crate::rules::Rules;

/// Reads a text paragraph by paragraph; all spans are in the text.
pub(crate) fn read(rules: &Rules, text: &str) -> Extraction {
    let document = document_of(text);
    let starts: Vec<usize> = document.chunks.iter().map(|chunk| chunk.span.start).collect();
    let positions: Vec<usize> = (0..starts.len()).collect();
    let mut whole = Extraction::default();
    let results = rules.begin(Arc::new(document)).read(&positions);
    for (start, result) in starts.into_iter().zip(results) {
        // The rules fail on no text.
        let Ok(extraction) = result else { continue };
        let moved = |span: Span| Span::new(span.start + start, span.end + start);
        whole.mentions.extend(extraction.mentions.into_iter().map(|mut mention| {
            mention.span = moved(mention.span);
            mention
        }));
        whole.claims.extend(extraction.claims.into_iter().map(|mut claim| {
            claim.quote = moved(claim.quote);
            claim.cue = claim.cue.map(moved);
            claim.subject_span = claim.subject_span.map(moved);
            claim.object_span = claim.object_span.map(moved);
            claim
        }));
    }
    whole
}

/// Makes a document of paragraphs, without title or date.
pub(crate) fn document_of(text: &str) -> Document {
    let index = Index::new("text");
    let mut chunks = Vec::new();
    for (start, part) in paragraphs(text) {
        let span = Span::new(start, start + part.len());
        chunks.push(Chunk {
            index: index.child(&format!("text_{}", chunks.len())),
            kind: ChunkKind::Paragraph,
            span,
            text: MappedText::verbatim(part, start),
            headings: Vec::new(),
            lead_in: None,
            cells: Vec::new(),
            page: None,
        });
    }
    Document {
        index,
        digest: Digest::of(text.as_bytes()),
        text: Arc::from(text),
        title: None,
        date: None,
        language: None,
        authority: None,
        attributes: BTreeMap::new(),
        chunks,
    }
}

fn paragraphs(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line_break in text.match_indices("\n\n").map(|(position, _)| position).chain([text.len()]) {
        let part = &text[start..line_break];
        if !part.trim().is_empty() {
            found.push((start, part));
        }
        start = (line_break + 2).min(text.len());
    }
    found
}
