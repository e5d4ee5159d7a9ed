//! What is found in the documents, beside what a reader found in them.

use std::collections::BTreeSet;
use std::fs;

use crate::env::claims::{Comparison, Statements, expected, found};
use crate::env::{Endpoint, TestEnv, document_text, repository, text};

#[test]
fn all_that_a_reader_finds_in_the_template_is_found_and_nothing_else() {
    let env = TestEnv::new();
    let wanted = expected(&repository().join("tests/corpus/template/expected.jsonl"));
    let comparison = Comparison::new(&wanted, &found(&env.town().exported()));
    println!("template: {comparison}");
    assert!(comparison.missing.is_empty() && comparison.false_ones.is_empty(), "{comparison}");
}

#[test]
fn the_times_that_the_template_states_bound_the_periods_of_its_claims() {
    let env = TestEnv::new();
    let wanted = expected(&repository().join("tests/corpus/template/expected.jsonl"));
    let wrong = missing_bounds(&wanted, &found(&env.town().exported()));
    assert!(wrong.is_empty(), "{} bounds are missing:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn precision_and_recall_on_the_second_corpus_are_printed() {
    let env = TestEnv::new();
    let corpus = repository().join("tests/corpus/second");
    let second = endpoint_over(&env, "second", &corpus.join("documents"), &corpus.join("ontology_source"));
    let report = second.crawl();
    assert_eq!(report["chunks_failed"], 0, "{report}");
    let wanted = expected(&corpus.join("expected.jsonl"));
    let found = found(&second.exported());
    let comparison = Comparison::new(&wanted, &found);
    println!("second corpus: {comparison}");
    let timed = wanted.iter().filter(|(statement, bounds)| found.contains_key(statement) && is_timed(bounds));
    let wrong = missing_bounds(&wanted, &found);
    println!("second corpus: {} timed claims found, {} bounds missing", timed.count(), wrong.len());
    // Held out: no target, only a floor below which something is broken.
    assert!(comparison.precision() > 0.5, "the precision is {:.3}", comparison.precision());
    assert!(comparison.recall() > 0.3, "the recall is {:.3}", comparison.recall());
}

#[test]
fn every_quote_of_an_export_stands_where_the_export_says() {
    let env = TestEnv::new();
    let town = env.town();
    let mut kinds = BTreeSet::new();
    for line in town.exported() {
        let kind = text(&line, "type").to_owned();
        let quote = match kind.as_str() {
            "evidence" => text(&line, "quote"),
            "mention" => text(&line, "text"),
            _ => continue,
        };
        assert_eq!(document_text(&town, &line), Some(quote.to_owned()), "{line}");
        assert!(!quote.is_empty(), "{line}");
        kinds.insert(kind);
    }
    assert_eq!(kinds.len(), 2, "there are evidence and mentions");
}

#[test]
fn an_export_has_its_kinds_in_order_and_each_kind_sorted() {
    let env = TestEnv::new();
    let lines = env.town().exported();
    let order = ["entity", "mention", "claim", "evidence", "merge", "decision"];
    let place = |kind: &str| order.iter().position(|known| *known == kind);
    let places: Vec<usize> = lines.iter().filter_map(|line| place(text(line, "type"))).collect();
    assert!(places.is_sorted(), "the kinds are mixed");
    for kind in ["entity", "claim"] {
        let ids: Vec<&str> =
            lines.iter().filter(|line| line["type"] == kind).map(|line| text(line, "id")).collect();
        assert!(ids.is_sorted() && !ids.is_empty(), "{kind} is not sorted by id");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "an id of a {kind} stands twice");
    }
    let entities: BTreeSet<&str> =
        lines.iter().filter(|line| line["type"] == "entity").map(|line| text(line, "id")).collect();
    for claim in lines.iter().filter(|line| line["type"] == "claim") {
        assert!(entities.contains(text(claim, "subject")), "{claim}");
        assert!(claim["object"].as_str().is_none_or(|object| entities.contains(object)), "{claim}");
    }
}

/// Scaffolds an endpoint with an ontology of ours over a folder of documents.
pub(crate) fn endpoint_over<'e>(
    env: &'e TestEnv,
    name: &str,
    documents: &std::path::Path,
    ontology: &std::path::Path,
) -> Endpoint<'e> {
    env.mge(["init", name, "--bare", "--from"]).arg(documents).ok();
    let endpoint = Endpoint::at(env, env.path(name));
    for entry in fs::read_dir(ontology).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), endpoint.path("ontology_source").join(entry.file_name())).unwrap();
    }
    endpoint
}

/// Returns the stated beginnings and ends with which no period of the claim begins or ends.
fn missing_bounds(wanted: &Statements, found: &Statements) -> Vec<String> {
    let mut wrong = Vec::new();
    for (statement, bounds) in wanted {
        let Some(periods) = found.get(statement) else { continue };
        for (from, to) in bounds {
            let begins = from.is_empty() || periods.iter().any(|(begin, _)| begin == from);
            let ends = to.is_empty() || periods.iter().any(|(_, end)| end == to);
            if !begins || !ends {
                wrong.push(format!("{statement} from '{from}' to '{to}', but has {periods:?}"));
            }
        }
    }
    wrong
}

fn is_timed(bounds: &BTreeSet<(String, String)>) -> bool {
    bounds.iter().any(|(from, to)| !from.is_empty() || !to.is_empty())
}
