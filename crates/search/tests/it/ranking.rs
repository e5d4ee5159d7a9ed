//! The numbers of the rankings, worked by hand.

use crate::common::{document, file, found, open, search};
use mge_search::{Change, DocumentText, Mode, PassageText, Query, SearchIndex, Settings};

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-5
}

/// Three passages of 4, 2 and 3 words; the mean is 3.
fn three() -> (tempfile::TempDir, SearchIndex) {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    index
        .apply(vec![
            document("a", &["apple pear apple fig"]),
            document("b", &["apple melon"]),
            document("c", &["plum pear cherry"]),
        ])
        .unwrap();
    (folder, index)
}

#[test]
fn bm25_is_what_the_formula_says() {
    let (_folder, index) = three();
    let answer = search(&index, Mode::Lexical, "apple");
    // idf = ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = ln 1.6 = 0.4700036
    // a: f = 2, length 4: 0.4700036 * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4/3)) = 0.4700036 * 4.4 / 3.5
    // b: f = 1, length 2: 0.4700036 * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2/3)) = 0.4700036 * 2.2 / 1.9
    let scores: Vec<(&str, f64)> = answer.hits.iter().map(|hit| (hit.document.as_str(), hit.score)).collect();
    assert_eq!(scores.len(), 2);
    assert!(scores[0].0 == "a" && close(scores[0].1, 0.590_861_7), "{scores:?}");
    assert!(scores[1].0 == "b" && close(scores[1].1, 0.544_214_7), "{scores:?}");
    assert_eq!(answer.terms.len(), 1);
    assert_eq!((answer.terms[0].text.as_str(), answer.terms[0].passages), ("appl", 2));
    assert!(!answer.pruned);
}

#[test]
fn a_score_is_the_sum_of_its_terms() {
    let (_folder, index) = three();
    let answer = search(&index, Mode::Lexical, "fig and pear and apple, apple");
    let hit = &answer.hits[0];
    assert_eq!(hit.document, "a");
    let lexical = hit.lexical.as_ref().unwrap();
    // fig: idf = ln(1 + 2.5 / 1.5) = 0.9808293, times 2.2 / (1 + 1.5) = 0.88
    // pear: idf = 0.4700036, times 0.88; apple: asked for twice, 2 * 0.5908617
    let expected = [("appl", 1.181_723_4), ("fig", 0.863_129_8), ("pear", 0.413_603_2)];
    for (term, part) in expected {
        let found = lexical.terms.iter().find(|(text, _)| text == term).unwrap();
        assert!(close(found.1, part), "{found:?} is not {part}");
    }
    assert!(close(lexical.score, expected.iter().map(|(_, part)| part).sum()));
    assert_eq!(hit.score, lexical.score);
}

#[test]
fn a_title_counts_three_times() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    let put = |key: &str, title: &str, text: &str| {
        let passage = PassageText { title: title.into(), text: text.into(), ..PassageText::default() };
        Change::Put(DocumentText { key: key.into(), digest: "1".into(), passages: vec![passage] })
    };
    index.apply(vec![put("a", "kiwi", "melon fig"), put("b", "fig", "kiwi melon")]).unwrap();
    let answer = search(&index, Mode::Lexical, "kiwi");
    // idf = ln(1 + 0.5 / 2.5) = 0.1823216; lengths are the mean.
    // a: 0.1823216 * 3 * 2.2 / (3 + 1.2); b: 0.1823216 * 1 * 2.2 / (1 + 1.2)
    assert_eq!(answer.hits[0].document, "a");
    assert!(close(answer.hits[0].score, 0.286_505_4));
    assert!(close(answer.hits[1].score, 0.182_321_6));
}

#[test]
fn hybrid_scores_explain_themselves() {
    let (_folder, index) = three();
    let answer = index.search(&Query::new("apple melon")).unwrap();
    for hit in &answer.hits {
        let share = |rank: Option<usize>| rank.map_or(0.0, |rank| 1.0 / (60.0 + rank as f64));
        let lexical = share(hit.lexical.as_ref().map(|part| part.rank));
        // The hashing embedder counts for 0.2 of the words.
        let vector = 0.2 * share(hit.vector.map(|part| part.rank));
        assert!((hit.score - lexical - vector).abs() < 1e-12);
    }
    let first = &answer.hits[0];
    assert_eq!(first.document, "b");
    assert_eq!(first.lexical.as_ref().unwrap().rank, 1);
    assert_eq!(first.vector.unwrap().rank, 1);
    assert!((0.9..=1.0).contains(&first.vector.unwrap().similarity));
}

#[test]
fn function_words_are_left_out_unless_there_is_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    index
        .apply(vec![
            document("shakespeare", &["To be, or not to be, that is the question"]),
            document("ferry", &["The ferry sails at noon"]),
        ])
        .unwrap();
    assert_eq!(found(&index, Mode::Lexical, "what is the ferry?"), ["ferry"]);
    assert_eq!(found(&index, Mode::Lexical, "to be or not to be")[0], "shakespeare");
}

#[test]
fn a_thousand_equal_texts_come_in_the_order_of_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    // Put in the opposite order.
    for numbers in [(500..1_000), (0..500)] {
        index
            .apply(numbers.map(|number| document(&format!("{number:04}"), &["the same text"])).collect())
            .unwrap();
    }
    let expected: Vec<String> = (0..25).map(|number| format!("{number:04}")).collect();
    for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
        let answer = index.search(&Query { mode, limit: 25, ..Query::new("same text") }).unwrap();
        let keys: Vec<&str> = answer.hits.iter().map(|hit| hit.document.as_str()).collect();
        assert_eq!(keys, expected, "{mode:?}");
    }
}

#[test]
fn common_terms_are_pruned_and_what_is_left_is_scored_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let index = SearchIndex::open(&file(&folder), Settings { embed: None, ..Settings::default() }).unwrap().0;
    // 70,000 passages with two words that are in all of them: more postings than are read for one query.
    let texts: Vec<String> = (0..70_000).map(|number| format!("ferry harbor island{number}")).collect();
    for (batch, texts) in texts.chunks(10_000).enumerate() {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        index.apply(vec![document(&format!("document {batch}"), &texts)]).unwrap();
    }
    let everything =
        Query { mode: Mode::Lexical, everything: true, ..Query::new("ferry harbor island65000") };
    let exact = index.search(&everything).unwrap();
    let fast = index.search(&Query { everything: false, ..everything }).unwrap();
    assert!(fast.pruned && !exact.pruned);
    assert!(fast.hits[0].text.ends_with("island65000"));
    assert!(close(fast.hits[0].score, exact.hits[0].score));
    assert_eq!(fast.hits[0].lexical.as_ref().unwrap().terms.len(), 3);
    for text in ["ferry", "ferry harbor"] {
        let answer = search(&index, Mode::Lexical, text);
        assert_eq!((answer.hits.len(), answer.pruned), (10, true), "{text}");
        assert!(answer.hits[0].score > 0.0);
    }
}
