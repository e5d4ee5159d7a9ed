//! Reading again changes nothing, and reading what has changed ends where reading all of it anew would.

use std::collections::BTreeMap;
use std::fs;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::env::claims::assert_same_export;
use crate::env::dice::Dice;
use crate::env::endpoint::TOWN;
use crate::env::process::Running;
use crate::env::story::{Story, path};
use crate::env::{Endpoint, TestEnv, copy_folder, number, text};

/// The seed of the property test; another one looks elsewhere.
const SEED: u64 = 7;

/// What a crawl did, all of which is nothing when nothing has changed.
const WORK: [&str; 4] = ["chunks_read", "claims_new", "evidence_new", "evidence_retracted"];

fn assert_idle(report: &serde_json::Value) {
    for count in WORK {
        assert_eq!(report[count], 0, "{count} in {report}");
    }
    assert_eq!(report["stopped_by"], "done");
}

#[test]
fn a_second_crawl_does_nothing() {
    let env = TestEnv::new();
    let town = env.town();
    let before = town.export();
    let report = town.crawl();
    assert_idle(&report);
    assert!(number(&report, "chunks_skipped") > 0, "{report}");
    assert_same_export(&before, &town.export(), "before and after the second crawl");
}

/// Waits for the crawl that reads something, and returns its report.
fn report_of_work(watching: &mut Running) -> serde_json::Value {
    loop {
        let report = watching.wait_for("finished");
        if WORK.iter().any(|count| report[*count] != 0) {
            return report;
        }
    }
}

#[test]
fn a_watching_crawl_reads_what_changes_until_it_is_interrupted() {
    let env = TestEnv::new();
    let town = env.town();
    let mut watching = town.mge("crawl", ["--watch", "--json"]).start();
    assert_eq!(watching.wait_for("watching")["places"], serde_json::json!([town.documents()]));
    town.write("new/gannet.md", "# New\n\nThe ferry Gannet is owned by the Oskerby Ferry Company.\n");
    let report = report_of_work(&mut watching);
    assert_eq!((&report["chunks_read"], &report["claims_new"]), (&2.into(), &1.into()), "{report}");
    let answer = town.ask("Who owns the Gannet?").json();
    assert_eq!(answer["values"], serde_json::json!(["Oskerby Ferry Company"]), "{answer}");
    // In between anybody may write.
    watching.wait_for("watching");
    town.crawl();
    fs::remove_dir_all(town.path("documents/new")).unwrap();
    let report = report_of_work(&mut watching);
    assert_eq!(
        (&report["documents_removed"], &report["evidence_retracted"]),
        (&1.into(), &1.into()),
        "{report}"
    );
    watching.signal("INT");
    watching.end().assert_exit(130);
    town.assert_sound();
    town.mge("crawl", ["--watch", "--plan"]).exits(2).assert_says(["--plan"]);
}

#[test]
fn five_crawls_of_the_same_folder_by_overlapping_roots_multiply_nothing() {
    let env = TestEnv::new();
    let town = env.town();
    let (before, status) = (town.export(), town.status());
    for roots in [
        vec!["documents"],
        vec!["documents|museum/quay-voices.md", "documents|ferry/faq.md"],
        vec!["documents|ferry/faq.md", "documents"],
        vec!["documents|ferry/faq.md|paragraph_1", "documents|ferry/faq.md"],
        vec!["--all"],
    ] {
        let ran = town.mge("crawl", [vec!["--json"], roots].concat()).ok();
        for report in ran.lines().iter().filter(|line| line["type"] == "finished") {
            assert_idle(report);
        }
    }
    assert_same_export(&before, &town.export(), "after one crawl and after six");
    assert_eq!(status["sections"], town.status()["sections"]);
}

#[test]
fn a_file_that_is_only_touched_or_written_anew_with_the_same_text_is_not_read_again() {
    let env = TestEnv::new();
    let town = env.town();
    for document in ["ferry/faq.md", "museum/keel-house.md"] {
        let content = town.read(document);
        fs::remove_file(town.documents().join(document)).unwrap();
        town.write(document, content);
    }
    assert_idle(&town.crawl());
}

#[test]
fn deletions_alone_take_their_evidence_away_and_shared_claims_keep_the_rest() {
    let env = TestEnv::new();
    let town = env.town();
    let shared = ["vessel|ferry|Petrel", "has_capacity", "180"];
    let own = ["person|Hanna Dahl", "works_on", "project|Quay Voices"];
    assert_eq!(documents_for(&town, shared).len(), 3, "the capacity stands in three documents");
    assert_eq!(documents_for(&town, own), ["museum/quay-voices.md"]);

    for document in ["museum/quay-voices.md", "ferry/faq.md"] {
        fs::remove_file(town.documents().join(document)).unwrap();
    }
    let report = town.crawl();
    assert_eq!((&report["chunks_read"], &report["evidence_new"]), (&0.into(), &0.into()), "{report}");
    assert!(number(&report, "evidence_retracted") > 0, "{report}");
    assert_eq!(documents_for(&town, shared), ["directory/fleet-register.md", "news/petrel-returns.md"]);
    assert!(documents_for(&town, own).is_empty());
    let export = town.export();
    assert!(
        !export.contains("quay-voices.md") && !export.contains("ferry/faq.md"),
        "something outlived its document"
    );
    town.assert_sound();
    assert_fresh(&town, "after the deletions");
    assert_idle(&town.crawl());
}

#[test]
fn deleting_everything_leaves_an_empty_graph_and_bringing_it_back_the_first_one() {
    let env = TestEnv::new();
    let town = env.town();
    let before = town.export();
    let aside = env.path("aside");
    fs::rename(town.documents(), &aside).unwrap();
    fs::create_dir(town.documents()).unwrap();
    let report = town.mge("crawl", ["--all", "--json"]).ok().last("finished");
    assert!(number(&report, "evidence_retracted") > 0, "{report}");
    let left = town.exported().into_iter().find(|line| line["type"] != "export");
    assert!(left.is_none(), "it outlived all documents: {left:?}");
    town.assert_sound();
    fs::remove_dir(town.documents()).unwrap();
    fs::rename(&aside, town.documents()).unwrap();
    town.crawl();
    assert_same_export(&before, &town.export(), "before the deletion and after bringing all back");
    town.assert_sound();
}

#[test]
fn renaming_files_and_folders_reads_nothing_again_and_the_citations_follow() {
    let env = TestEnv::new();
    let town = env.town();
    fs::rename(town.documents().join("ferry"), town.documents().join("boats")).unwrap();
    fs::rename(town.documents().join("institute/staff.md"), town.documents().join("institute/people.md"))
        .unwrap();
    let report = town.crawl();
    assert_eq!(report["chunks_read"], 0, "a moved file keeps its evidence: {report}");
    let export = town.export();
    assert!(export.contains("documents|boats/faq.md|") && export.contains("documents|institute/people.md|"));
    assert!(!export.contains("documents|ferry/") && !export.contains("institute/staff.md"));
    town.assert_sound();
    assert_fresh(&town, "after the renaming");
}

#[test]
fn an_edit_changes_the_evidence_of_its_file_and_of_no_other() {
    let env = TestEnv::new();
    let town = env.town();
    let others = |town: &Endpoint<'_>| -> Vec<String> {
        let of_others = |line: &serde_json::Value| {
            line["type"] == "evidence" && !text(line, "index").contains("|ferry/faq.md|")
        };
        town.exported()
            .iter()
            .filter(|line| of_others(line))
            .map(|line| text(line, "quote").to_owned())
            .collect()
    };
    let before = others(&town);
    town.write(
        "ferry/faq.md",
        town.read("ferry/faq.md").replace("room for 180 passengers", "room for 175 passengers"),
    );
    let report = town.crawl();
    assert!(
        number(&report, "chunks_read") < 5,
        "one paragraph and what it is context for, not the file: {report}"
    );
    assert_eq!(others(&town), before);
    assert_eq!(documents_for(&town, ["vessel|ferry|Petrel", "has_capacity", "175"]), ["ferry/faq.md"]);
    town.assert_sound();
    assert_fresh(&town, "after the edit");
}

#[test]
fn a_crawled_endpoint_may_be_moved_and_is_as_good_as_before() {
    let env = TestEnv::new();
    let town = env.town();
    let before = town.export();
    let moved = town.moved_to(env.path("else where/ü").join(TOWN));
    assert_eq!(moved.status()["state"]["name"], "ALL_READY");
    assert_same_export(&before, &moved.export(), "before and after moving the endpoint");
    moved.assert_sound();
    assert_idle(&moved.crawl());
    assert_same_export(&before, &moved.export(), "after a crawl at the new place");
}

#[test]
fn a_rebuild_computes_the_same_bytes() {
    let env = TestEnv::new();
    let town = env.town();
    let before = town.export();
    town.mge::<&str>("rebuild", []).ok();
    assert_same_export(&before, &town.export(), "before and after the rebuild");
    town.assert_sound();
    assert_idle(&town.crawl());
}

#[test]
fn a_changed_ontology_is_noticed_and_ends_as_a_crawl_with_it_from_the_start() {
    let env = TestEnv::new();
    let town = env.town();
    town.replace(
        "ontology_source/relationships_concepts.csv",
        "commands\tperson\tvessel",
        "commands\tperson\tvessel|ferry",
    );
    let report = town.crawl();
    assert!(number(&report, "evidence_retracted") + number(&report, "chunks_read") > 0, "{report}");
    town.assert_sound();
    assert_fresh(&town, "after a change of the ontology");
}

/// One thing that happens to a corpus, with dice for the details.
#[derive(Debug, Clone)]
enum Step {
    Edit(u64),
    Append(u64),
    Rename(u64),
    Delete(u64),
    Add(u64),
    MoveFolder(u64),
    Duplicate(u64),
    CrawlAll,
    CrawlFile(u64),
    CrawlSome(u64),
    CrawlOutline(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<u64>().prop_map(Step::Edit),
        2 => any::<u64>().prop_map(Step::Append),
        2 => any::<u64>().prop_map(Step::Rename),
        2 => any::<u64>().prop_map(Step::Delete),
        2 => any::<u64>().prop_map(Step::Add),
        1 => any::<u64>().prop_map(Step::MoveFolder),
        1 => any::<u64>().prop_map(Step::Duplicate),
        1 => Just(Step::CrawlAll),
        1 => any::<u64>().prop_map(Step::CrawlFile),
        2 => (1..12_u64).prop_map(Step::CrawlSome),
        1 => (1..12_u64).prop_map(Step::CrawlOutline),
    ]
}

#[test]
fn whatever_happens_to_a_corpus_the_graph_equals_one_that_was_crawled_at_once() {
    let config = Config {
        cases: 7,
        max_shrink_iters: 40,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(SEED),
        ..Config::default()
    };
    println!("random edits: seed {SEED}");
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&(any::<u64>(), vec(step(), 4..12)), |(seed, steps)| {
        let result = std::panic::catch_unwind(|| live_through(seed, &steps));
        result.map_err(|cause| TestCaseError::fail(message(cause.as_ref())))
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn live_through(seed: u64, steps: &[Step]) {
    let env = TestEnv::new();
    let mut story = Story::new(Dice::fixed(seed), 10);
    let first: Vec<(String, String)> = (0..8).map(|number| (path(number), story.document(number))).collect();
    let town = env.town_of("lived", &first);
    let mut corpus: BTreeMap<String, String> = first.into_iter().collect();
    town.mge("crawl", ["--all"]).ok();
    for (position, step) in steps.iter().enumerate() {
        happen(&town, &mut corpus, &mut story, position, step);
    }
    town.mge("crawl", ["--all"]).ok();
    town.assert_sound();
    assert_fresh(&town, "after all that happened");
}

fn happen(
    town: &Endpoint<'_>,
    corpus: &mut BTreeMap<String, String>,
    story: &mut Story,
    position: usize,
    step: &Step,
) {
    let chosen = |dice: &mut Dice, corpus: &BTreeMap<String, String>| -> Option<String> {
        let paths: Vec<&str> = corpus.keys().map(String::as_str).collect();
        (!paths.is_empty()).then(|| dice.pick(&paths).to_owned())
    };
    let remove = |corpus: &mut BTreeMap<String, String>, path: &str| {
        fs::remove_file(town.documents().join(path)).unwrap();
        corpus.remove(path).unwrap()
    };
    let put = |corpus: &mut BTreeMap<String, String>, path: String, content: String| {
        town.write(&path, &content);
        corpus.insert(path, content);
    };
    match step {
        Step::Edit(seed) | Step::Append(seed) => {
            let mut dice = Dice::fixed(*seed);
            let Some(path) = chosen(&mut dice, corpus) else { return };
            let mut blocks: Vec<String> = corpus[&path].split("\n\n").map(str::to_owned).collect();
            if let Step::Edit(_) = step {
                // Anywhere behind the front matter; sometimes a block goes, sometimes it changes.
                let place = 1 + dice.below(blocks.len() - 1);
                if dice.below(2) == 0 {
                    blocks.truncate(place.max(2))
                } else {
                    blocks[place] = story.sentence()
                }
            } else {
                blocks.push(format!("{} {}", story.sentence(), story.sentence()));
            }
            put(corpus, path, format!("{}\n", blocks.join("\n\n").trim_end()));
        }
        Step::Rename(seed) => {
            let Some(path) = chosen(&mut Dice::fixed(*seed), corpus) else { return };
            let content = remove(corpus, &path);
            put(corpus, format!("renamed/at-{position}.md"), content);
        }
        Step::Duplicate(seed) => {
            let Some(path) = chosen(&mut Dice::fixed(*seed), corpus) else { return };
            let content = corpus[&path].clone();
            put(corpus, format!("copies/at-{position}.md"), content);
        }
        Step::Delete(seed) => {
            let Some(path) = chosen(&mut Dice::fixed(*seed), corpus) else { return };
            remove(corpus, &path);
        }
        Step::Add(seed) => {
            let number = 20 + usize::try_from(seed % 50).unwrap();
            let content = story.document(number);
            put(corpus, path(number), content);
        }
        Step::MoveFolder(seed) => {
            let folder = ["odd", "odd/deep", "renamed"][usize::try_from(seed % 3).unwrap()];
            let from = town.documents().join(folder);
            if !from.exists() {
                return;
            }
            let target = format!("moved-{position}");
            fs::rename(from, town.documents().join(&target)).unwrap();
            let prefix = format!("{folder}/");
            *corpus = std::mem::take(corpus)
                .into_iter()
                .map(|(path, content)| match path.strip_prefix(&prefix) {
                    Some(rest) => (format!("{target}/{rest}"), content),
                    None => (path, content),
                })
                .collect();
        }
        Step::CrawlAll => drop(town.mge("crawl", ["--all"]).ok()),
        Step::CrawlFile(seed) => {
            let Some(path) = chosen(&mut Dice::fixed(*seed), corpus) else { return };
            town.mge("crawl", [format!("documents|{path}")]).ok();
        }
        Step::CrawlSome(chunks) => {
            drop(town.mge("crawl", ["--all", "--max-chunks", &chunks.to_string()]).ok())
        }
        Step::CrawlOutline(chunks) => {
            town.mge("crawl", ["--all", "--order", "outline", "--max-chunks", &chunks.to_string()]).ok();
        }
    }
}

/// Asserts that an endpoint's graph equals that of a fresh endpoint with the same configuration and documents.
#[track_caller]
fn assert_fresh(town: &Endpoint<'_>, what: &str) {
    let env = TestEnv::new();
    let fresh = Endpoint::at(&env, env.path(TOWN));
    copy_folder(town.folder(), fresh.folder());
    fs::remove_dir_all(fresh.path("graphs")).unwrap();
    fs::remove_file(fresh.path("mge_endpoint_autopilot.json")).unwrap();
    fresh.crawl();
    assert_same_export(&town.export(), &fresh.export(), what);
}

/// Returns the documents with evidence for a claim.
fn documents_for(town: &Endpoint<'_>, [subject, relation, object]: [&str; 3]) -> Vec<String> {
    let statements = crate::env::claims::found(&town.exported());
    statements
        .keys()
        .filter(|said| said.subject == subject && said.relation == relation && said.object == object)
        .map(|said| said.document.clone())
        .collect()
}

fn message(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().cloned();
    text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
