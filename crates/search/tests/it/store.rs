//! The file: what survives, what is refused, and that pieces come to the same as the whole.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::common::{document, file, found, open, search};
use mge_search::{
    Applied, Change, DocumentText, Embed, EmbedError, EmbedModel, HashingEmbedder, Mode, PassageText, Query,
    SearchError, SearchIndex, Settings,
};
use proptest::prelude::*;

fn read(path: &Path) -> SearchIndex {
    SearchIndex::read(path, Settings::default()).unwrap()
}

fn hashing(dimension: usize) -> Settings {
    Settings { embed: Some(Arc::new(HashingEmbedder::new(dimension))), ..Settings::default() }
}

#[test]
fn documents_are_put_once_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (index, opened) = SearchIndex::open(&file(&folder), Settings::default()).unwrap();
    assert!(opened.created && !opened.emptied);
    let both = || vec![document("a", &["ferry", "harbor"]), document("b", &["island"])];
    let applied = index.apply(both()).unwrap();
    assert_eq!(applied, Applied { put: 2, passages: 3, ..Applied::default() });
    assert_eq!(index.apply(both()).unwrap(), Applied { unchanged: 2, ..Applied::default() });
    let applied = index
        .apply(vec![document("a", &["lighthouse"]), Change::Remove("b".into()), Change::Remove("c".into())])
        .unwrap();
    assert_eq!(applied, Applied { put: 1, removed: 1, passages: 1, ..Applied::default() });
    assert_eq!(found(&index, Mode::Hybrid, "lighthouse"), ["a"]);
    for gone in ["ferry", "harbor", "island"] {
        assert!(found(&index, Mode::Lexical, gone).is_empty(), "{gone}");
        assert!(search(&index, Mode::Lexical, gone).terms.is_empty(), "{gone} is still counted");
    }
    assert!(index.digest("a").unwrap().is_some());
    assert_eq!(index.digest("b").unwrap(), None);
    // Of two changes of one key, the later counts.
    index.apply(vec![document("d", &["early"]), document("d", &["late"])]).unwrap();
    assert!(found(&index, Mode::Lexical, "early").is_empty());
    assert_eq!(found(&index, Mode::Lexical, "late"), ["d"]);
    assert_eq!(index.documents(None, 1).unwrap(), [("a".to_owned(), index.digest("a").unwrap().unwrap())]);
    assert_eq!(index.documents(Some("a"), 10).unwrap().len(), 1);
    let statistics = index.statistics().unwrap();
    assert_eq!((statistics.documents, statistics.passages, statistics.vectors), (2, 2, 2));
    index.verify().unwrap();
}

#[test]
fn an_empty_index_answers_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
        assert!(search(&index, mode, "ferry").hits.is_empty());
    }
    index.apply(Vec::new()).unwrap();
    index.apply(vec![document("nothing", &[]), document("blank", &["", " \n"])]).unwrap();
    assert!(search(&index, Mode::Hybrid, "ferry").hits.is_empty());
    index.optimize().unwrap();
    index.verify().unwrap();
}

#[test]
fn a_span_and_a_limit_come_back_as_given() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    let passages = (0..30).map(|number| PassageText {
        key: format!("text_{number}"),
        span: number..u64::MAX - number,
        text: "ferry".to_owned(),
        ..PassageText::default()
    });
    let put = DocumentText { key: "a".into(), digest: "1".into(), passages: passages.collect() };
    index.apply(vec![Change::Put(put)]).unwrap();
    let hits = |limit| index.search(&Query { limit, ..Query::new("ferry") }).unwrap().hits;
    assert_eq!(hits(0).len(), 1);
    assert_eq!(hits(7).len(), 7);
    assert_eq!(hits(usize::MAX).len(), 30);
    assert_eq!(hits(3)[2].span, 2..u64::MAX - 2);
}

#[test]
fn hostile_sizes_are_refused_and_nothing_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    let long = "ferry ".repeat(1_000_000);
    let long_key = "k".repeat(100_000);
    for change in [document("a", &[&long]), document(&long_key, &["ferry"])] {
        let error = index.apply(vec![document("fine", &["ferry"]), change]).unwrap_err();
        assert!(matches!(error, SearchError::TooLarge { .. }) && error.hint().is_some(), "{error}");
        assert!(error.to_string().len() < 500);
    }
    assert_eq!(index.statistics().unwrap().documents, 0);
    // What is only just allowed: 4 MiB of one word, of one letter, of one sign.
    for (key, text) in [("words", "ferry "), ("letter", "x"), ("sign", "\""), ("han", "漢")] {
        index.apply(vec![document(key, &[&text.repeat((4 << 20) / text.len())])]).unwrap();
    }
    assert_eq!(found(&index, Mode::Hybrid, "ferry")[0], "words");
    index.verify().unwrap();
}

#[test]
fn a_reader_sees_what_another_handle_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let index = open(&path);
    index.apply(vec![document("a", &["ferry harbor"])]).unwrap();
    let reader = read(&path);
    assert_eq!(found(&reader, Mode::Hybrid, "ferry"), ["a"]);
    assert!(matches!(reader.apply(Vec::new()), Err(SearchError::ReadOnly)));
    // Many small changes, among them so many removals that the vectors are loaded anew.
    for round in 0..40 {
        let number = round % 7;
        index.apply(vec![document(&format!("b{number}"), &[&format!("ferry round{round}")])]).unwrap();
        if round % 3 == 0 {
            index.apply(vec![Change::Remove(format!("b{number}"))]).unwrap();
        }
        for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
            let query = format!("ferry round{round}");
            assert_eq!(
                search(&reader, mode, &query).hits,
                search(&index, mode, &query).hits,
                "{mode:?} {round}"
            );
        }
        let first = &found(&reader, Mode::Vector, &format!("round{round}"));
        assert_eq!(first.first() == Some(&format!("b{number}")), round % 3 != 0, "{first:?}");
    }
}

#[test]
fn threads_search_while_another_writes() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    index.apply(vec![document("fixed", &["lighthouse"])]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(found(&index, Mode::Hybrid, "lighthouse")[0], "fixed");
                }
            });
        }
        for round in 0..30 {
            index
                .apply(vec![document(&format!("other{}", round % 5), &[&format!("ferry {round}")])])
                .unwrap();
        }
    });
}

#[test]
fn another_model_makes_the_vectors_anew_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let index = open(&path);
    index.apply(vec![document("a", &["ferry", "harbor"]), document("b", &["island"])]).unwrap();
    drop(index);
    let (index, opened) = SearchIndex::open(&path, hashing(64)).unwrap();
    assert_eq!((opened.vectors_dropped, opened.vectors_made, opened.created), (3, 3, false));
    assert_eq!(index.statistics().unwrap().model.unwrap().dimension, 64);
    assert_eq!(found(&index, Mode::Vector, "island"), ["b"]);
    let reader = read(&path);
    let error = reader.search(&Query::new("island")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the vectors of the search index are of hashing-1 (64 dimensions), not of hashing-1 (256 dimensions)"
    );
    assert!(error.hint().is_some());
    assert_eq!(found(&reader, Mode::Lexical, "island"), ["b"]);
    drop(index);
    let (index, opened) = SearchIndex::open(&path, hashing(64)).unwrap();
    assert_eq!((opened.vectors_dropped, opened.vectors_made), (0, 0));
    drop(index);
    let without = Settings { embed: None, ..Settings::default() };
    let (index, opened) = SearchIndex::open(&path, without).unwrap();
    assert_eq!((opened.vectors_dropped, opened.vectors_made), (3, 0));
    assert_eq!(found(&index, Mode::Hybrid, "island"), ["b"]);
    assert!(matches!(
        index.search(&Query { mode: Mode::Vector, ..Query::new("island") }),
        Err(SearchError::OtherModel { .. })
    ));
    index.verify().unwrap();
}

/// A model that promises two dimensions, and gives what it is told to.
struct Odd(Vec<Vec<f32>>);

impl Embed for Odd {
    fn model(&self) -> EmbedModel {
        EmbedModel { name: "odd".into(), version: "1".into(), dimension: 2 }
    }

    fn embed(&self, _texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(self.0.clone())
    }
}

#[test]
fn a_model_that_breaks_its_promise_changes_nothing() {
    for vectors in [vec![], vec![vec![1.0]], vec![vec![f32::NAN, 1.0]], vec![vec![1.0, 0.0]; 2]] {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { embed: Some(Arc::new(Odd(vectors))), ..Settings::default() };
        let (index, _) = SearchIndex::open(&file(&folder), settings).unwrap();
        assert!(matches!(index.apply(vec![document("a", &["ferry"])]), Err(SearchError::Embed(_))));
        assert_eq!(index.statistics().unwrap().documents, 0);
    }
    let folder = tempfile::tempdir().unwrap();
    for dimension in [5_000, usize::MAX] {
        assert!(matches!(SearchIndex::open(&file(&folder), hashing(dimension)), Err(SearchError::Embed(_))));
    }
}

#[test]
fn foreign_newer_older_and_damaged_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    assert!(matches!(SearchIndex::read(&path, Settings::default()), Err(SearchError::Missing { .. })));
    let index = open(&path);
    let texts: Vec<String> = (0..2_000).map(|number| format!("ferry number {number}")).collect();
    index.apply(vec![document("a", &texts.iter().map(String::as_str).collect::<Vec<_>>())]).unwrap();
    index.optimize().unwrap();
    drop(index);
    let good = std::fs::read(&path).unwrap();
    let change = |statement: &str| {
        std::fs::write(&path, &good).unwrap();
        rusqlite::Connection::open(&path).unwrap().execute_batch(statement).unwrap();
    };
    let both = || {
        let written = SearchIndex::open(&path, Settings::default()).map(|_| ());
        (written, SearchIndex::read(&path, Settings::default()).map(|_| ()))
    };

    change("PRAGMA user_version = 99");
    let (written, read_only) = both();
    for error in [written.unwrap_err(), read_only.unwrap_err()] {
        assert!(matches!(error, SearchError::Newer { found: 99, .. }) && error.hint().is_some(), "{error}");
    }
    change("PRAGMA application_id = 7");
    let (written, read_only) = both();
    for error in [written.unwrap_err(), read_only.unwrap_err()] {
        assert!(matches!(error, SearchError::Foreign { .. }), "{error}");
    }
    change("UPDATE meta SET value = 0 WHERE key = 'analysis'");
    assert!(matches!(SearchIndex::read(&path, Settings::default()), Err(SearchError::Outdated { .. })));
    let (index, opened) = SearchIndex::open(&path, Settings::default()).unwrap();
    assert!(opened.emptied && !opened.created);
    assert_eq!(index.statistics().unwrap().documents, 0);
    drop(index);
    change("DROP TABLE term");
    let index = open(&path);
    let error = index.search(&Query::new("ferry")).unwrap_err();
    assert!(matches!(error, SearchError::Damaged { .. }), "{error}");
    drop(index);

    std::fs::write(&path, b"this is no database, but long enough to be mistaken for one".repeat(20)).unwrap();
    let (written, read_only) = both();
    for error in [written.unwrap_err(), read_only.unwrap_err()] {
        assert!(matches!(error, SearchError::Foreign { .. }), "{error}");
    }
    // Bytes of every page are overwritten: whatever is asked, there is an answer or an error, and no panic.
    let mut refused = 0;
    for page in 0..good.len() / 4_096 {
        let mut bad = good.clone();
        bad[page * 4_096..page * 4_096 + 600].fill(0x5a);
        std::fs::write(&path, &bad).unwrap();
        let outcome = SearchIndex::open(&path, Settings::default()).and_then(|(index, _)| {
            index.search(&Query::new("ferry number 7"))?;
            index.verify()
        });
        if let Err(error) = outcome {
            assert!(
                matches!(error, SearchError::Damaged { .. } | SearchError::Foreign { .. }),
                "page {page}: {error:?}"
            );
            refused += 1;
        }
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
        }
    }
    assert!(refused * 10 > good.len() / 4_096 * 9, "{refused} of {}", good.len() / 4_096);
}

/// The child of the next test: writes until it is killed, and tells what was committed.
#[test]
#[ignore = "runs as a child"]
fn writes_until_killed() {
    let Ok(path) = std::env::var("MGE_SEARCH_TEST_FILE") else { return };
    let index = open(Path::new(&path));
    let first = index.statistics().unwrap().documents;
    for number in first.. {
        let texts: Vec<String> = (0..20).map(|text| format!("ferry number{number} text{text}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        index.apply(vec![document(&format!("{number:06}"), &texts), document("same", &[texts[0]])]).unwrap();
        // On a line of its own, whatever the test harness wrote before.
        println!("\ncommitted {number}");
    }
}

#[test]
fn what_was_committed_survives_a_kill_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    for round in 0..12_u32 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::writes_until_killed", "--ignored", "--nocapture"])
            .env("MGE_SEARCH_TEST_FILE", &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut committed = None;
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..=round % 4 {
            let line = lines.find_map(|line| line.unwrap().strip_prefix("committed ").map(str::to_owned));
            committed = line.map(|number| number.parse::<u64>().unwrap());
        }
        std::thread::sleep(std::time::Duration::from_micros(u64::from(round) * 700));
        child.kill().unwrap();
        child.wait().unwrap();
        let reader = read(&path);
        reader.verify().unwrap();
        let committed = committed.unwrap();
        assert_eq!(found(&reader, Mode::Hybrid, &format!("number{committed}"))[0], format!("{committed:06}"));
    }
    let index = open(&path);
    let documents = index.statistics().unwrap().documents;
    assert_eq!(index.statistics().unwrap().passages, (documents - 1) * 20 + 1);
}

#[test]
fn a_second_process_that_writes_waits_its_turn() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(&file(&folder)), open(&file(&folder)));
    std::thread::scope(|scope| {
        for (name, index) in [("first", &first), ("second", &second)] {
            scope.spawn(move || {
                for number in 0..20 {
                    index.apply(vec![document(&format!("{name} {number}"), &["ferry"])]).unwrap();
                }
            });
        }
    });
    assert_eq!(first.statistics().unwrap().documents, 40);
    second.verify().unwrap();
}

#[test]
#[cfg(unix)]
fn a_folder_that_may_not_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a folder?#%").join("search.sqlite");
    let index = open(&path);
    index.apply(vec![document("a", &["ferry"])]).unwrap();
    index.optimize().unwrap();
    drop(index);
    let parent = path.parent().unwrap();
    std::fs::set_permissions(parent, std::fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(found(&read(&path), Mode::Hybrid, "ferry"), ["a"]);
    std::fs::set_permissions(parent, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn words() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec![
        "ferry",
        "ferries",
        "harbor",
        "island",
        "Häuser",
        "und",
        "the",
        "渡船",
        "港口",
        "captain's",
        "winter",
        "λιμάνι",
    ]);
    let text = prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn piece_by_piece_is_the_same_as_at_once(
        batches in prop::collection::vec(
            prop::collection::vec((0..8_u8, prop::option::weighted(0.7, words())), 1..5),
            1..8,
        ),
        optimize_after in 0..8_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (pieces, whole) = (open(&folder.path().join("pieces")), open(&folder.path().join("whole")));
        let mut last: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let put = |key: &str, texts: &[String]| document(key, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        for (number, batch) in batches.iter().enumerate() {
            let mut changes = Vec::new();
            for (key, texts) in batch {
                let key = format!("document {key}");
                changes.push(match texts {
                    Some(texts) => put(&key, texts),
                    None => Change::Remove(key.clone()),
                });
                match texts {
                    Some(texts) => last.insert(key, texts.clone()),
                    None => last.remove(&key),
                };
            }
            pieces.apply(changes).unwrap();
            // The vectors of this handle follow change by change.
            search(&pieces, Mode::Vector, "ferry");
            if number == optimize_after {
                pieces.optimize().unwrap();
            }
        }
        whole.apply(last.iter().map(|(key, texts)| put(key, texts)).collect()).unwrap();
        prop_assert_eq!(pieces.statistics().unwrap(), whole.statistics().unwrap());
        pieces.verify().unwrap();
        for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
            for query in ["ferry harbor", "the island in winter", "渡船", "Haus und λιμάνι", "captain", "und the"] {
                prop_assert_eq!(search(&pieces, mode, query), search(&whole, mode, query));
                let everything = Query { mode, everything: true, ..Query::new(query) };
                let exact = whole.search(&everything).unwrap();
                prop_assert_eq!(search(&pieces, mode, query).hits, exact.hits);
            }
        }
    }
}

#[test]
fn a_file_is_sound_for_a_reader_that_looked_at_it_before_others_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let writer = open(&path);
    writer.apply(vec![document("d", &["The first ferry."])]).unwrap();
    let reader = SearchIndex::read(&path, Settings::default()).unwrap();
    for round in 0..60 {
        found(&reader, Mode::Lexical, "ferry");
        // Now and then all of them go at once, so that whole segments are of what was removed.
        let changes = (0..40).map(|number| {
            let key = format!("d{number}");
            match round % 5 {
                4 => Change::Remove(key),
                _ => document(
                    &key,
                    &[&format!("Ferry {number} of round {round}, with words{round}x{number}.")],
                ),
            }
        });
        writer.apply(changes.collect()).unwrap();
        reader.verify().unwrap();
    }
    writer.verify().unwrap();
}
