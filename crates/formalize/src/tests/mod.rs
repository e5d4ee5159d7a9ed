//! What the rules find, in domains of their own.

mod component;
mod domains;
mod properties;
mod prose;
mod robust;

use std::collections::BTreeMap;
use std::sync::Arc;

use mge_core::{
    Cell, Chunk, ChunkKind, Digest, Document, Extraction, Formalize, GraphRows, Index, Interval, MappedText,
    NodeRow, Object, Span,
};
use mge_ontology::Ontology;

use crate::rules::Rules;

/// Makes rows of lines `id | key=value | …`.
pub(crate) fn rows(text: &str) -> GraphRows {
    let nodes = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| {
        let mut parts = line.split(" / ");
        let id = parts.next().unwrap_or_default().trim().to_owned();
        let attributes: BTreeMap<String, String> = parts
            .filter_map(|part| part.split_once('='))
            .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
            .collect();
        NodeRow { id, attributes }
    });
    let nodes: Vec<NodeRow> = nodes.collect();
    let digest = Digest::of(text.as_bytes());
    GraphRows { nodes, edges: Vec::new(), digest }
}

/// Makes rules of three such texts.
pub(crate) fn rules(concepts: &str, relations: &str, known: &str) -> Rules {
    let concepts = Arc::new(rows(concepts));
    Rules::new(Ontology::from_rows(&concepts, Some(&rows(relations)), Some(&rows(known))), 0.5)
}

/// Writes the claims of an extraction: `+ subject relation object @from..to`, sorted.
pub(crate) fn written(extraction: &Extraction) -> Vec<String> {
    let mut lines: Vec<String> = extraction
        .claims
        .iter()
        .map(|claim| {
            let object = match &claim.object {
                Object::Entity(entity) => entity.name.clone(),
                Object::Literal(value) => format!("\"{value}\""),
            };
            let sign = if claim.stance.sign() > 0 { "+" } else { "-" };
            let time = claim.valid.map(|valid| format!(" @{valid}")).unwrap_or_default();
            format!("{sign} {} {} {object}{time}", claim.subject.name, claim.relation)
        })
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

/// A document made by hand: a small Markdown of headings, paragraphs, items and tables.
pub(crate) fn document(text: &str, date: Option<&str>) -> Document {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut headings: Vec<(usize, MappedText)> = Vec::new();
    let mut lead_in: Option<MappedText> = None;
    let mut header: Vec<MappedText> = Vec::new();
    let mut title = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let line = line.trim_end();
        let chunk = |kind: ChunkKind,
                     text: MappedText,
                     headings: &[(usize, MappedText)],
                     lead_in: Option<MappedText>,
                     cells| Chunk {
            index: Index::new("text"),
            kind,
            span: Span::new(at, at + line.len()),
            text,
            headings: headings.iter().map(|(_, heading)| heading.clone()).collect(),
            lead_in,
            cells,
            page: None,
        };
        if line.is_empty() {
            header.clear();
            continue;
        }
        if line.starts_with('#') {
            let level = line.chars().take_while(|sign| *sign == '#').count();
            let shown = MappedText::verbatim(line[level..].trim(), at + level + 1);
            headings.retain(|(known, _)| *known < level);
            if level == 1 && title.is_none() {
                title = Some(shown.clone());
            }
            chunks.push(chunk(ChunkKind::Heading, shown.clone(), &headings, None, Vec::new()));
            headings.push((level, shown));
            lead_in = None;
        } else if let Some(item) = line.strip_prefix("- ") {
            let shown = MappedText::verbatim(item, at + 2);
            chunks.push(chunk(ChunkKind::ListItem, shown, &headings, lead_in.clone(), Vec::new()));
        } else if line.starts_with('|') {
            let parts: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            if parts.iter().all(|part| part.chars().all(|sign| matches!(sign, '-' | ':')))
                && !header.is_empty()
            {
                continue;
            }
            if header.is_empty() {
                header = parts.iter().map(|part| MappedText::verbatim(*part, at)).collect();
                continue;
            }
            let mut shown = String::new();
            let mut cells = Vec::new();
            for (position, part) in parts.iter().enumerate() {
                if position > 0 {
                    shown.push_str(" | ");
                }
                let span = Span::new(shown.len(), shown.len() + part.len());
                shown.push_str(part);
                cells.push(Cell { header: header.get(position).cloned().unwrap_or_default(), span });
            }
            let shown = MappedText::verbatim(shown, at);
            chunks.push(chunk(ChunkKind::TableRow, shown, &headings, lead_in.clone(), cells));
        } else {
            let shown = MappedText::verbatim(line, at);
            chunks.push(chunk(ChunkKind::Paragraph, shown.clone(), &headings, None, Vec::new()));
            lead_in = Some(shown);
        }
    }
    Document {
        index: Index::new("docs|a.md"),
        digest: Digest::of(text.as_bytes()),
        text: Arc::from(text),
        title,
        date: date.map(|date| Interval::parse(date).expect("a date of a test")),
        language: None,
        authority: None,
        attributes: BTreeMap::new(),
        chunks,
    }
}

/// Reads a whole document.
pub(crate) fn read(rules: &Rules, text: &str, date: Option<&str>) -> Extraction {
    let document = Arc::new(document(text, date));
    let positions: Vec<usize> = (0..document.chunks.len()).collect();
    let mut whole = Extraction::default();
    for result in rules.begin(document).read(&positions) {
        let extraction = result.expect("the rules fail on no text");
        whole.mentions.extend(extraction.mentions);
        whole.claims.extend(extraction.claims);
    }
    whole
}

/// Asserts that a text yields exactly these claims.
#[track_caller]
pub(crate) fn yields(rules: &Rules, text: &str, expected: &[&str]) {
    yields_at(rules, text, None, expected);
}

/// The same with a document's date.
#[track_caller]
pub(crate) fn yields_at(rules: &Rules, text: &str, date: Option<&str>, expected: &[&str]) {
    let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
    expected.sort();
    assert_eq!(written(&read(rules, text, date)), expected, "{text}");
}
