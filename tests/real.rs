//! Texts that were not written for this program. They lie beside the repository; where they do not, this is skipped.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::claims::endpoint_over;
use crate::env::claims::document_of;
use crate::env::dice::Dice;
use crate::env::{TestEnv, number, repository, shared, text};
use crate::kill::kill_again_and_again;

/// The share of the passages that must yield a claim.
const YIELD: f64 = 0.3;

#[test]
fn real_markdown_is_read_without_a_failure_and_its_claims_are_cited() {
    let Some(documents) = shared("goldens/inputs/markdown") else { return };
    let env = TestEnv::new();
    let real = endpoint_over(&env, "real", &documents, &repository().join("tests/ontologies/software"));
    let before = fs::read_dir(&documents).unwrap().count();
    real.mge::<&str>("check", []).ok();
    let report = real.crawl();
    println!("real Markdown: {report}");
    assert_eq!((number(&report, "chunks_failed"), &report["stopped_by"]), (0, &"done".into()), "{report}");
    let claims: Vec<Value> = real.exported().into_iter().filter(|line| line["type"] == "claim").collect();
    println!("real Markdown: {} claims", claims.len());
    assert!(!claims.is_empty());
    real.assert_sound();
    let asked = real.ask("Which language is Rust?");
    assert!(matches!(asked.code(), Some(0 | 7)), "{asked}");
    assert_eq!(
        fs::read_dir(&documents).unwrap().count(),
        before,
        "nothing is written beside someone's documents"
    );
}

/// Crawled once in peace and once with ten kills, so that the passages are read only twice.
#[test]
fn real_passages_yield_claims_and_survive_ten_kills() {
    if std::env::var_os("MGE_TEST_MUSIQUE").is_some_and(|value| value == "0") {
        println!("skipped: MGE_TEST_MUSIQUE=0");
        return;
    }
    let Some(corpus) = shared("data/multihop/musique_train100_corpus.json") else { return };
    let env = TestEnv::new();
    let passages = write_passages(&corpus, &env.folder("passages"));
    let ontology = repository().join("tests/ontologies/general");
    let calm = endpoint_over(&env, "calm", &env.path("passages"), &ontology);
    let struck = endpoint_over(&env, "struck", &env.path("passages"), &ontology);
    for endpoint in [&calm, &struck] {
        endpoint.mge::<&str>("pilot", []).ok();
    }
    kill_again_and_again(&calm, &struck, &mut Dice::new("killed crawl of passages", 1_890));

    let export = calm.exported();
    let cited: BTreeSet<String> = export
        .iter()
        .filter(|line| line["type"] == "evidence")
        .map(|line| document_of(text(line, "index")))
        .collect();
    let share = cited.len() as f64 / passages as f64;
    let claims = export.iter().filter(|line| line["type"] == "claim").count();
    println!("{claims} claims from {} of {passages} passages ({share:.3})", cited.len());
    assert!(share >= YIELD, "claims from {share:.3} of the passages");
    assert_eq!(calm.status()["sections"]["sources"]["documents"]["counts"]["chunks_failed"], 0);
}

/// Writes each passage of a corpus as a file, and returns how many there are.
fn write_passages(corpus: &Path, folder: &Path) -> usize {
    let passages: Vec<Value> = serde_json::from_str(&fs::read_to_string(corpus).unwrap()).unwrap();
    assert!(passages.len() > 1_000);
    for (position, passage) in passages.iter().enumerate() {
        let content = format!("# {}\n\n{}\n", text(passage, "title"), text(passage, "text"));
        fs::write(folder.join(format!("{position:04}.md")), content).unwrap();
    }
    passages.len()
}
