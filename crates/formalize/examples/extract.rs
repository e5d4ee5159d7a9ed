//! Prints what the rules find: `extract <ontology dir> <documents dir> [--score expected.jsonl] [--mentions]`.
//!
//! The ontology is `entities_concepts.csv`, `relationships_concepts.csv`, `known_ids_nodes.csv` and
//! `known_ids_edges.csv`; the last three may be absent. With `--score`, precision, recall, misses and false claims
//! are printed instead of the claims.

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mge_core::{
    Cancel, ChunkRule, Corpus, Formalize, GraphRows, Index, Interval, NoProgress, NodeRow, Object, name_key,
};
use mge_formalize::Rules;
use mge_ontology::Ontology;
use mge_source::{Source, SourceConfig};
use serde_json::{Value, json};

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [ontology_folder, documents, rest @ ..] = arguments.as_slice() else {
        return Err(
            "usage: extract <ontology dir> <documents dir> [--score expected.jsonl] [--mentions] [--time]"
                .into(),
        );
    };
    let ontology = read_ontology(Path::new(ontology_folder))?;
    let rules = Rules::new(ontology.clone(), 0.5);
    let zone = jiff::tz::TimeZone::UTC;
    let config = SourceConfig::default();
    let source = Source::open("docs", Path::new(documents), config, zone, &NoProgress, &Cancel::default())?;
    let mut claims = Vec::new();
    let (mut chunks, mut documents, mut with_claims) = (0usize, 0usize, 0usize);
    let mut spent = std::time::Duration::ZERO;
    for reference in source.documents(&Index::new("docs"))? {
        let reference = reference?;
        let document = Arc::new(source.read(&reference.index, ChunkRule::default())?);
        let name = reference.index.as_str().strip_prefix("docs|").unwrap_or_default().to_owned();
        let begun = Instant::now();
        let mut reading = rules.begin(document.clone());
        let positions: Vec<usize> = (0..document.chunks.len()).collect();
        let results = reading.read(&positions);
        spent += begun.elapsed();
        chunks += positions.len();
        documents += 1;
        let before = claims.len();
        for (position, result) in results.into_iter().enumerate() {
            let extraction = result?;
            let text = document.chunks[position].text.as_str();
            if rest.iter().any(|flag| flag == "--mentions") {
                for mention in &extraction.mentions {
                    println!(
                        "{}",
                        json!({"document": name, "surface": mention.span.slice(text), "name": mention.entity.name,
                            "concept": mention.entity.concept, "form": mention.form, "confidence": mention.confidence})
                    );
                }
            }
            for claim in extraction.claims {
                let mut row = json!({
                    "document": name,
                    "subject": format!("{}|{}", claim.subject.concept, claim.subject.name),
                    "relation": claim.relation,
                });
                match &claim.object {
                    Object::Entity(entity) => {
                        row["object"] = json!(format!("{}|{}", entity.concept, entity.name))
                    }
                    Object::Literal(value) => row["literal"] = json!(value),
                }
                row["stance"] = json!(claim.stance.sign());
                row["valid_from"] =
                    json!(claim.valid.and_then(|valid| valid.from).map(|from| from.to_string()));
                row["valid_to"] = json!(claim.valid.and_then(|valid| valid.to).map(|to| to.to_string()));
                row["tense"] = json!(claim.tense);
                row["confidence"] = json!(claim.confidence);
                row["cue"] = json!(claim.cue.and_then(|cue| cue.slice(text)));
                row["quote"] = json!(claim.quote.slice(text));
                claims.push(row);
            }
        }
        with_claims += usize::from(claims.len() > before);
    }
    if let Some(position) = rest.iter().position(|flag| flag == "--score") {
        let path = rest.get(position + 1).ok_or("--score needs a file")?;
        score(&ontology, &claims, path)?;
    } else if !rest.iter().any(|flag| flag == "--quiet") {
        for claim in &claims {
            println!("{claim}");
        }
    }
    if rest.iter().any(|flag| flag == "--time") {
        let rate = chunks as f64 / spent.as_secs_f64();
        println!(
            "{documents} documents ({with_claims} with claims), {chunks} chunks, {} claims, {rate:.0} chunks/s",
            claims.len()
        );
    }
    Ok(())
}

/// Reads the four files of an ontology.
fn read_ontology(folder: &Path) -> Result<Ontology, Failure> {
    let entities = Arc::new(rows(&folder.join("entities_concepts.csv"))?);
    let relationships = rows(&folder.join("relationships_concepts.csv"))?;
    let known = rows(&folder.join("known_ids_nodes.csv"))?;
    Ok(Ontology::from_rows(&entities, Some(&relationships), Some(&known)))
}

fn rows(path: &Path) -> Result<GraphRows, Failure> {
    let mut rows = GraphRows::default();
    if !path.is_file() {
        return Ok(rows);
    }
    let text = std::fs::read_to_string(path)?;
    let tab = text.lines().next().is_some_and(|line| line.contains('\t'));
    let delimiter = if tab { b'\t' } else { b',' };
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let header = reader.headers()?.clone();
    for record in reader.records() {
        let record = record?;
        let mut attributes: BTreeMap<String, String> = header
            .iter()
            .zip(record.iter())
            .filter(|(_, cell)| !cell.is_empty())
            .map(|(name, cell)| (name.to_owned(), cell.to_owned()))
            .collect();
        let id = attributes.remove("id").unwrap_or_default();
        rows.nodes.push(NodeRow { id, attributes });
    }
    Ok(rows)
}

/// One claim in the form in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Compared {
    document: String,
    subject: String,
    relation: String,
    object: String,
    stance: i64,
}

fn compared(ontology: &Ontology, row: &Value) -> Compared {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let name = |id: String| name_key(id.rsplit('|').next().unwrap_or_default());
    let mut subject = name(text("subject"));
    let relation = text("relation");
    let literal =
        row["literal"].as_str().or_else(|| row["object"].as_str().filter(|object| !object.contains('|')));
    let mut object = match literal {
        Some(literal) => name_key(&unit_symbol(literal)),
        None => name(text("object")),
    };
    let canonical = ontology.canonical(&relation);
    let swapped = canonical.as_ref().is_some_and(|canonical| canonical.swapped);
    let symmetric = canonical.as_ref().is_some_and(|canonical| canonical.relation.symmetric);
    if swapped || symmetric && object < subject {
        std::mem::swap(&mut subject, &mut object);
    }
    let relation = canonical.map_or(relation, |canonical| canonical.relation.id.clone());
    Compared {
        document: text("document"),
        subject,
        relation,
        object,
        stance: row["stance"].as_i64().unwrap_or(1),
    }
}

/// The unit of a quantity as the values are kept: the corpora write some of them as their texts do.
fn unit_symbol(literal: &str) -> String {
    match literal.split_once(' ') {
        Some((number, "megawatts")) => format!("{number} MW"),
        Some((number, "tonnes")) => format!("{number} t"),
        _ => literal.to_owned(),
    }
}

fn score(ontology: &Ontology, claims: &[Value], path: &str) -> Result<(), Failure> {
    let expected: Vec<Value> = std::fs::read_to_string(path)?
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let mut right = 0usize;
    let mut found_expected = vec![false; expected.len()];
    let mut times = 0usize;
    for claim in claims {
        let own = compared(ontology, claim);
        let hits: Vec<usize> =
            (0..expected.len()).filter(|position| compared(ontology, &expected[*position]) == own).collect();
        if hits.is_empty() {
            println!("false: {claim}");
            continue;
        }
        right += 1;
        // Of several rows of one claim (other times), the one whose time fits is found.
        let timed = hits.iter().copied().find(|position| same_time(&expected[*position], claim));
        times += usize::from(timed.is_some());
        match timed {
            Some(position) => found_expected[position] = true,
            None => {
                let rows: Vec<String> = hits.iter().map(|position| expected[*position].to_string()).collect();
                println!("time: {claim}\n      expected {}", rows.join(" / "));
                if hits.len() == 1 {
                    found_expected[hits[0]] = true;
                }
            }
        }
        for position in hits {
            if expected[position]["concept_checked"].is_null() {
                let same = |key: &str| expected[position][key] == claim[key];
                if !(same("subject") && (same("object") || claim["object"].is_null()))
                    && timed == Some(position)
                {
                    println!(
                        "type: {} {} / expected {} {}",
                        claim["subject"],
                        claim["object"],
                        expected[position]["subject"],
                        expected[position]["object"]
                    );
                }
            }
        }
    }
    for (row, found) in expected.iter().zip(&found_expected) {
        if !found {
            println!("missed: {row}");
        }
    }
    let found = found_expected.iter().filter(|found| **found).count();
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    println!(
        "precision {:.1} % ({right}/{}), recall {:.1} % ({found}/{}), times right {times}/{right}",
        percent(right, claims.len()),
        claims.len(),
        percent(found, expected.len()),
        expected.len(),
    );
    Ok(())
}

fn same_time(expected: &Value, claim: &Value) -> bool {
    // "2019" as an end is its start; the corpora write days.
    let moment = |value: &Value| value.as_str().and_then(|text| Interval::parse(text).ok()?.from);
    ["valid_from", "valid_to"].iter().all(|end| moment(&expected[*end]) == moment(&claim[*end]))
}
