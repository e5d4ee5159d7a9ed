//! Texts of many languages and scripts, and any text as a query.

use crate::common::{document, file, found, in_language, open, search};
use mge_search::{Language, Mode, Query};
use proptest::prelude::*;

#[test]
fn languages_and_scripts_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    let texts = [
        ("german", Language::German, "Die Müllers bauten große Häuser an der Straße."),
        ("french", Language::French, "L’élève mange dans l'école de la ville."),
        ("turkish", Language::Turkish, "İstanbul ILIK bir şehirdir."),
        ("russian", Language::Russian, "Корабли стоят в порту, ещё рано."),
        ("greek", Language::Greek, "Ο Οδυσσεύς ταξίδεψε στην Ιθάκη."),
        ("arabic", Language::Arabic, "ذهب مُحَمَّد إلى المدرسة أمس"),
        ("hebrew", Language::Other, "שָׁלוֹם עולם"),
        ("chinese", Language::Other, "话说天下大势，分久必合，合久必分。"),
        ("japanese", Language::Other, "東京都の港からフェリーが出る。"),
        ("korean", Language::Other, "서울에서 부산까지 기차를 탔다."),
        ("thai", Language::Other, "เรือเฟอร์รี่ออกจากท่าเรือทุกเช้า"),
        ("hindi", Language::Other, "दिल्ली में किताब पढ़ी"),
        ("english", Language::English, "The harbor's ferries were sailing past C++ programmers 🦀."),
    ];
    index
        .apply(texts.iter().map(|(key, language, text)| in_language(key, *language, text)).collect())
        .unwrap();
    for (query, key) in [
        ("Haus", "german"),
        ("strasse", "german"),
        ("Mueller", "german"),
        ("Muller", "german"),
        ("eleve", "french"),
        ("ÉCOLE", "french"),
        ("istanbul", "turkish"),
        ("ISTANBUL", "turkish"),
        ("ılık", "turkish"),
        ("корабль", "russian"),
        ("еще", "russian"),
        ("Οδυσσευς", "greek"),
        ("محمد", "arabic"),
        ("امس", "arabic"),
        ("שלום", "hebrew"),
        ("天下", "chinese"),
        ("大势", "chinese"),
        ("势", "chinese"),
        ("东京 東京", "japanese"),
        ("港", "japanese"),
        ("ﾌｪﾘｰ", "japanese"),
        ("부산", "korean"),
        ("ท่าเรือ", "thai"),
        ("किताब", "hindi"),
        ("ferry", "english"),
        ("sail", "english"),
        ("c++", "english"),
        ("🦀", "english"),
        ("HARBOR'S", "english"),
    ] {
        assert_eq!(found(&index, Mode::Lexical, query).first().map(String::as_str), Some(key), "{query}");
    }
    assert!(found(&index, Mode::Lexical, "北京").is_empty());
}

#[test]
fn a_chinese_classic_is_found_by_any_of_its_names() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/text/RomanceOfTheThreeKingdom-zh-CN.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is absent", path.display());
        return;
    };
    let parts: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let sentences: Vec<String> = parts
        .iter()
        .flat_map(|part| part["text"].as_str().unwrap().split_inclusive('。'))
        .map(str::to_owned)
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    let texts: Vec<&str> = sentences.iter().map(String::as_str).collect();
    index.apply(vec![document("romance", &texts)]).unwrap();
    for name in ["窦武", "陈蕃", "曹节", "光武", "洛阳", "温德殿", "天下大势", "汉"] {
        let hits = index.search(&Query { mode: Mode::Lexical, limit: 100, ..Query::new(name) }).unwrap().hits;
        let expected = sentences.iter().filter(|sentence| sentence.contains(name)).count();
        let having = hits.iter().filter(|hit| hit.text.contains(name)).count();
        assert_eq!(having, expected, "{name}");
        assert!(
            hits[..expected].iter().all(|hit| hit.text.contains(name)),
            "{name} stands before what has it not"
        );
    }
}

#[test]
fn nothing_in_a_query_is_syntax() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    index
        .apply(vec![
            document("near", &["near the harbor"]),
            document("not", &["title body text"]),
            document("star", &["starlight"]),
        ])
        .unwrap();
    for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
        for query in [
            "",
            " ",
            "\"",
            "'",
            "\"\"\"",
            "*",
            "star*",
            "NEAR(",
            "NEAR(a b, 5)",
            "AND",
            "OR OR OR",
            "NOT harbor",
            "title:text",
            "{title body}: harbor",
            "-harbor +near ^the",
            "a AND (b OR",
            "'; DROP TABLE passage; --",
            "?1 :name @p $x",
            "\u{0}nul\u{0}",
            "🦀🦀🦀",
            "\u{202e}\u{feff}\u{fffd}",
            "((((((((((",
        ] {
            search(&index, mode, query);
        }
    }
    assert!(search(&index, Mode::Hybrid, "\"?!").hits.is_empty());
    assert_eq!(found(&index, Mode::Lexical, "NEAR(harbor, 5)"), ["near"]);
    assert_eq!(found(&index, Mode::Lexical, "title:text"), ["not"]);
    assert!(found(&index, Mode::Lexical, "star*").is_empty());
}

#[test]
fn a_query_of_100_kilobytes_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(&file(&folder));
    index.apply(vec![document("a", &["harbor"])]).unwrap();
    for query in [
        format!("harbor {}", "different words ".repeat(7_000)),
        format!("harbor {}", (0..20_000).map(|number| format!("w{number} ")).collect::<String>()),
        format!("harbor {}", "x".repeat(100_000)),
        format!("harbor {}", "\"".repeat(100_000)),
        format!("harbor {}", "漢字".repeat(20_000)),
        format!("harbor {}", "e\u{301}\u{302}".repeat(20_000)),
    ] {
        assert_eq!(found(&index, Mode::Hybrid, &query)[0], "a");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-zA-Z\"'*()^: +-]{0,40}",
        "[а-яё]{1,12}( [а-яё]{1,12}){0,3}",
        "[α-ωάέήίόύώς]{1,12}",
        "[\u{621}-\u{64a}]{1,12}",
        "[\u{b85}-\u{bcd}]{1,12}",
        "[a-zäöüßçéèñøåæœıİş]{1,14}",
        "[一-龥ぁ-んァ-ン가-힣]{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_is_a_passage_and_a_query(texts in prop::collection::vec(any_text(), 1..24), query in any_text()) {
        let folder = tempfile::tempdir().unwrap();
        let index = open(&file(&folder));
        for (place, (language, text)) in Language::all().collect::<Vec<_>>().into_iter().cycle().zip(&texts).enumerate() {
            index.apply(vec![in_language(&place.to_string(), language, text)]).unwrap();
        }
        for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
            search(&index, mode, &query);
        }
        // A text finds itself.
        for text in &texts {
            let answer = index.search(&Query { mode: Mode::Lexical, limit: 100, ..Query::new(text.as_str()) }).unwrap();
            if !answer.terms.is_empty() {
                prop_assert!(answer.hits.iter().any(|hit| hit.text == *text), "{text:?}");
            }
        }
    }
}
