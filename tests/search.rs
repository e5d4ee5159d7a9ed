//! Searching the documents of an endpoint, and crawling by a question.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::env::claims::assert_same_export;
use crate::env::dice::Dice;
use crate::env::story::Story;
use crate::env::{Endpoint, TestEnv, all_files, copy_folder, number, system, text};

fn index_of(endpoint: &Endpoint<'_>) -> PathBuf {
    endpoint.path("graphs/documents/search.sqlite")
}

fn results(answer: &Value) -> &Vec<Value> {
    answer["results"].as_array().unwrap()
}

fn search(endpoint: &Endpoint<'_>, words: &[&str]) -> Value {
    let ran = endpoint.mge("search", [words, &["--json"]].concat()).run();
    assert!(matches!(ran.code(), Some(0 | 7)), "{ran}");
    ran.json()
}

/// Asserts that each result stands in its document, word by word.
fn assert_cited(endpoint: &Endpoint<'_>, answer: &Value) {
    for result in results(answer) {
        let document = text(result, "document").split_once('|').unwrap().1.to_owned();
        assert!(text(result, "index").starts_with(text(result, "document")), "{result}");
        let content = endpoint.read(&document);
        let bound = |at: usize| usize::try_from(result["span"][at].as_u64().unwrap()).unwrap();
        let quoted = content.get(bound(0)..bound(1)).unwrap_or_else(|| panic!("no such span: {result}"));
        let words = |text: &str| -> BTreeSet<String> {
            let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
            words.map(str::to_lowercase).collect()
        };
        // A file as a whole is shown by its description.
        if result["index"] != result["document"] {
            let (shown, quoted) = (words(text(result, "text")), words(quoted));
            assert!(shown.is_subset(&quoted), "{result} is not in {quoted:?}");
        }
    }
}

#[test]
fn documents_are_found_before_any_crawl_and_as_they_change() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    let refused = town.mge("search", ["ticket"]).exits(3);
    refused.assert_says(["mge pilot"]);
    town.mge::<&str>("pilot", []).ok().assert_answers(["documents indexed"]);
    let answer = search(&town, &["what does a return ticket cost?"]);
    assert_eq!((&answer["version"], &answer["mode"]), (&1.into(), &"hybrid".into()));
    let first = &results(&answer)[0];
    assert_eq!(text(first, "source"), "documents");
    assert!(text(first, "document") == "documents|ferry/faq.md" && first["score"].is_number(), "{first}");
    assert!(results(&answer)[..2].iter().any(|hit| text(hit, "text").contains("14 euros")), "{answer}");
    assert_cited(&town, &answer);
    let shown = town.mge("search", ["what does a return ticket cost?"]).ok();
    shown.assert_answers(["documents/ferry/faq.md:", "documents|ferry/faq.md|"]);

    // An index never says what its document does not say any more.
    let lexical = |words: &str| results(&search(&town, &[words, "--mode", "lexical"])).len();
    town.write("new/heron.md", "# Heron\n\nA zanderling nests on the breakwater.\n");
    town.write("ferry/faq.md", town.read("ferry/faq.md").replace("return ticket", "quillback pass"));
    assert_eq!(lexical("zanderling"), 0, "nobody has looked yet");
    let stale = town.mge("search", ["return ticket", "--mode", "lexical"]).run();
    assert!(!stale.stdout.contains("return ticket costs"), "{stale}");
    town.mge::<&str>("pilot", []).ok();
    assert_eq!((lexical("zanderling"), lexical("quillback")), (1, 1));
    fs::remove_file(town.documents().join("new/heron.md")).unwrap();
    assert_eq!(lexical("zanderling"), 0, "the document is gone");
    // A crawl brings the index up to date, too.
    town.write("new/otter.md", "An oxbow otter.\n");
    town.crawl();
    assert!(lexical("oxbow") > 0);
    town.assert_sound();
    town.mge::<&str>("pilot", []).ok();
    assert_eq!(lexical("zanderling"), 0);
}

#[test]
fn sources_and_graphs_are_searched_together_or_alone() {
    let env = TestEnv::new();
    let town = env.town();
    let together = search(&town, &["Eelgrass Atlas"]);
    let first = &results(&together)[0];
    assert!(first["ranks"]["source"].is_number() && first["ranks"]["graph"].is_number(), "{first}");
    assert_cited(&town, &together);
    let keys: BTreeSet<(&str, &str)> =
        results(&together).iter().map(|hit| (text(hit, "index"), text(hit, "text"))).collect();
    assert_eq!(keys.len(), results(&together).len(), "a passage that both find is shown once");
    let vectors = search(&town, &["Eelgrass Atlas", "--mode", "vector"]);
    assert!(results(&vectors).iter().all(|hit| hit["ranks"]["graph"].is_null()), "a graph has no vectors");
    let dated = search(&town, &["Eelgrass Atlas", "--as-of", "2020"]);
    assert!(!results(&dated).is_empty());
    assert!(results(&dated).iter().all(|hit| hit["ranks"]["source"].is_null()), "a source knows no dates");
    assert_cited(&town, &dated);
    assert_eq!(results(&search(&town, &["ferry", "--limit", "3"])).len(), 3);
    for (words, code, says) in [
        (&["ferry", "--source", "documant"][..], 7, "documents"),
        (&["ferry", "--limit", "0"], 2, "limit"),
        (&["ferry", "--mode", "lexcal"], 2, "lexical"),
        (&[" "], 2, "looked for"),
        (&["ferry", "--mode", "vector", "--as-of", "2020"], 2, "searched"),
    ] {
        town.mge("search", words).exits(code).assert_says([says]);
    }
    let csv = town.mge("search", ["ferry", "--format", "csv", "--source", "documents"]).ok();
    assert!(csv.stdout.starts_with("index,source,score,text\n"), "{csv}");
}

#[test]
fn a_source_that_is_not_searched_leaves_the_search_to_its_graph() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    town.replace("sources.jsonc", "\"index\": true,", "\"index\": false,");
    town.crawl();
    assert!(!index_of(&town).exists());
    let meta = town.mge("meta", ["documents"]).ok();
    assert!(!meta.stdout.contains("search_documents"), "{meta}");
    let answer = search(&town, &["Eelgrass Atlas"]);
    assert!(!results(&answer).is_empty());
    assert_cited(&town, &answer);
    town.mge("search", ["ferry", "--mode", "vector"]).exits(2).assert_says(["\"index\": false"]);
    let with = env.town();
    assert!(with.mge("meta", ["documents"]).ok().stdout.contains("search_documents"));
    let ran = with.mge("run", ["search_documents", "query=who owns the ferries", "limit=2"]).ok().json();
    let found = ran["message"]["results"].as_array().unwrap();
    assert_eq!(found.len(), 2);
    assert!(found[0]["reasons"]["lexical"]["terms"].is_object(), "{ran}");
}

#[test]
fn an_index_that_is_damaged_or_gone_is_reported_and_made_anew() {
    let env = TestEnv::new();
    let town = env.town();
    town.mge::<&str>("pilot", []).ok();
    let index = index_of(&town);
    let whole = fs::read(&index).unwrap();
    let tear = |from: u64, bytes: &[u8]| {
        let mut file = OpenOptions::new().write(true).open(&index).unwrap();
        file.seek(SeekFrom::Start(from)).unwrap();
        file.write_all(bytes).unwrap();
    };
    let damages: [(&str, &dyn Fn()); 5] = [
        ("its middle", &|| tear(whole.len() as u64 / 2, &vec![0xa5; whole.len() / 4])),
        ("its head", &|| tear(0, &[0x42; 100])),
        ("its end", &|| fs::write(&index, &whole[..whole.len() / 2]).unwrap()),
        ("a later format", &|| tear(60, &9_999_u32.to_be_bytes())),
        ("not a database", &|| fs::write(&index, "notes").unwrap()),
    ];
    for (name, damage) in damages {
        damage();
        let fsck = town.mge::<&str>("fsck", []).run();
        assert_eq!(fsck.code(), Some(1), "{name}: {fsck}");
        fsck.assert_answers(["search.sqlite", "mge pilot"]);
        let reader = town.mge("search", ["ferry"]).run();
        assert!(matches!(reader.code(), Some(0 | 4)), "{name}: {reader}");
        town.mge("ask", ["Who leads the Eelgrass Atlas?"]).ok();
        town.mge::<&str>("status", []).ok();
        town.mge::<&str>("pilot", []).ok().assert_says(["search.sqlite", "is made anew"]);
        assert_eq!(town.mge::<&str>("pilot", []).ok().stderr, "", "{name}: once is enough");
        town.assert_sound();
        assert!(!results(&search(&town, &["ferry"])).is_empty(), "{name}");
    }
    fs::remove_file(&index).unwrap();
    let without = town.mge("search", ["ferry"]).ok();
    without.assert_says(["mge pilot"]);
    assert!(!without.stdout.is_empty(), "the graph still answers: {without}");
    town.mge::<&str>("fsck", []).ok().assert_answers(["missing"]);
    fs::remove_dir_all(index.parent().unwrap()).unwrap();
    town.crawl();
    town.mge("search", ["ferry", "--mode", "vector"]).ok();
}

#[test]
fn an_index_that_is_damaged_is_made_anew_by_a_crawl_which_says_so() {
    let env = TestEnv::new();
    let town = env.town();
    fs::write(index_of(&town), "notes").unwrap();
    let ran = town.mge("crawl", ["--all"]).ok();
    ran.assert_says(["search.sqlite", "is made anew"]);
    assert_eq!(town.mge("crawl", ["--all"]).ok().stderr, "");
}

/// Whatever instant a pilot is killed at, the next one ends with the index of an undisturbed one.
#[test]
fn a_pilot_that_is_killed_goes_on_and_finds_the_same() {
    let env = TestEnv::new();
    let documents = Story::new(Dice::fixed(17), 3_000).documents(3_000);
    let calm = env.town_of("calm", &documents);
    let untouched = env.path("untouched");
    copy_folder(calm.folder(), &untouched);
    calm.mge::<&str>("pilot", []).ok();
    let size = fs::metadata(index_of(&calm)).unwrap().len();
    let mut dice = Dice::new("killed pilot", 20_261_201);
    let struck = Endpoint::at(&env, env.path("struck/town"));
    copy_folder(&untouched, struck.folder());
    let mut inside = 0;
    for trial in 0..4 {
        let mut log = index_of(&struck).into_os_string();
        log.push("-wal");
        let written = || {
            let length = |path: &Path| fs::metadata(path).map_or(0, |data| data.len());
            length(&index_of(&struck)) + length(Path::new(&log))
        };
        // A log is emptied now and then; a moment that never comes is the end of the pilot.
        let wanted = written() + 1 + (size as f64 / 4.0 * dice.fraction()) as u64;
        let pilot = struck.mge::<&str>("pilot", []).start();
        let since = Instant::now();
        while written() < wanted && !is_done(&struck) && since.elapsed() < Duration::from_secs(60) {
            std::thread::yield_now();
        }
        pilot.signal("KILL");
        let ran = pilot.end();
        println!("trial {trial}: killed at {} of {size} bytes: {:?}", written(), ran.code());
        inside += usize::from(ran.code().is_none());
    }
    assert!(inside >= 2, "only {inside} kills fell inside");
    struck.mge::<&str>("pilot", []).ok();
    struck.assert_sound();
    for query in ["ferry built in 1999", "who directs a company?", "Report 77"] {
        for mode in ["lexical", "vector", "hybrid"] {
            let words = [query, "--mode", mode, "--limit", "40"];
            assert_eq!(search(&calm, &words), search(&struck, &words), "{query} by {mode}");
        }
    }
}

/// Tells whether the endpoint was piloted to the end.
fn is_done(endpoint: &Endpoint<'_>) -> bool {
    endpoint.path("mge_endpoint_autopilot.json").exists()
}

#[test]
fn a_folder_that_nobody_may_write_to_is_searched_all_the_same() {
    let env = TestEnv::new();
    let Some(wrapper) = system::without_privileges() else { return };
    let town = env.town();
    let before = all_files(town.folder());
    system::make_read_only(town.folder());
    let ran = town.mge("search", ["who owns the ferries", "--json"]).through(&wrapper).run();
    let fsck = town.mge::<&str>("fsck", []).through(&wrapper).run();
    system::make_writable(town.folder());
    ran.assert_exit(0);
    assert!(results(&ran.json()).iter().any(|hit| hit["ranks"]["source"].is_number()), "{ran}");
    fsck.assert_exit(0);
    assert!(before == all_files(town.folder()), "something was made or changed");
}

#[test]
fn a_reader_leaves_nothing_beside_the_index() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    town.mge::<&str>("pilot", []).ok();
    let before = all_files(&town.path("graphs/documents"));
    assert_eq!(before.len(), 2, "the index and its seal");
    town.mge("search", ["ferry"]).ok();
    town.mge::<&str>("fsck", []).run();
    assert!(before == all_files(&town.path("graphs/documents")));
}

#[test]
fn a_crawl_in_any_order_makes_the_same_graph() {
    let env = TestEnv::new();
    let documents = Story::new(Dice::fixed(23), 60).documents(60);
    let plain = env.town_of("plain", &documents);
    plain.crawl();
    let expected = plain.export();
    for (folder, order) in
        [("outline", "outline"), ("query", "query:which ferry was built in 1999?"), ("odd", "query:\"(🦭")]
    {
        let town = env.town_of(folder, &documents);
        let report = town.mge("crawl", ["--all", "--order", order, "--json"]).ok().last("finished");
        assert_eq!(
            (&report["stopped_by"], number(&report, "documents")),
            (&"done".into(), 60),
            "{order}: {report}"
        );
        assert_eq!(report["chunks_skipped"], 0, "{order}: nothing was read before: {report}");
        assert_same_export(&expected, &town.export(), order);
        // In small steps, as well.
        let steps = env.town_of(&format!("{folder} in steps"), &documents);
        for chunks in [1, 5, 40] {
            let most = chunks.to_string();
            let report =
                steps.mge("crawl", ["--order", order, "--max-chunks", &most, "--json"]).ok().last("finished");
            assert_eq!(number(&report, "chunks_read"), chunks, "{order}: {report}");
        }
        steps.mge("crawl", ["--all", "--order", order]).ok();
        assert_same_export(&expected, &steps.export(), &format!("{order} in steps"));
        steps.assert_sound();
    }
}

#[test]
fn a_budget_with_a_question_reads_what_the_search_finds_first() {
    let env = TestEnv::new();
    let mut documents = Story::new(Dice::fixed(29), 40).documents(40);
    documents.push((
        "zz/late.md".to_owned(),
        "# Late\n\nThe ferry Wollongbar is owned by the Brannock Company.\n".to_owned(),
    ));
    let town = env.town_of("", &documents);
    town.mge::<&str>("pilot", []).ok();
    let question = "who owns the Wollongbar?";
    let first = results(&search(&town, &[question]))[0].clone();
    assert_eq!(text(&first, "index"), "documents|zz/late.md|paragraph_1");
    let order = format!("query:{question}");
    town.mge("crawl", ["--order", &order, "--max-chunks", "1"]).ok();
    let claims: Vec<Value> = town.exported().into_iter().filter(|line| line["type"] == "evidence").collect();
    assert!(!claims.is_empty());
    assert!(
        claims.iter().all(|line| text(line, "index") == "documents|zz/late.md|paragraph_1"),
        "{claims:?}"
    );
    // Below a folder, too.
    let other = env.town_of("other", &documents);
    let ran = other.mge("crawl", ["--order", &order, "--max-chunks", "1", "documents|zz"]).ok();
    assert!(!ran.stdout.is_empty());
    assert_eq!(town.export(), other.export(), "below a folder");
}
