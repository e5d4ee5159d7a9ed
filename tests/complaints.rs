//! What users of neighbouring tools suffered from does not happen here: one test for each complaint that is not the
//! subject of another module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::env::dice::Dice;
use crate::env::story::Story;
use crate::env::{Endpoint, TestEnv, all_files, document_text, json_lines, number, system, text};
use crate::spine::check_citations;

/// Texts that mean something to a full-text engine, a shell, a terminal, a pattern or a format.
fn user_texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "?",
        "'",
        "+",
        "\"",
        "*",
        "(",
        ")",
        "-",
        "--",
        "^",
        ":",
        "\\",
        "/",
        "%",
        "_",
        "~",
        "|",
        "{}",
        "[",
        "$(true)",
        "`",
        ";",
        "!",
        "#",
        "&",
        "<",
        "=",
        "@",
        ",",
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "NEAR(a b)",
        "a NEAR/2 b",
        "ferry*",
        "\"ferry",
        "ferry OR",
        "NOT ferry",
        "title:ferry",
        "{text}: ferry",
        "ferry + (",
        "' OR 1=1 --",
        "'; DROP TABLE claim; --",
        "who's who?",
        "C++ & C#",
        "Ærø?",
        "北京",
        "🚢⚓",
        "👩‍👩‍👧",
        "e\u{301}",
        "\u{202e}drowkcab",
        "\u{7}\u{1b}[31m",
        "\t",
        "\n",
        "\u{feff}",
        "\u{ffff}",
        "%s%n",
        "{{7*7}}",
        "@file",
        "-e",
        "--json",
        "null",
        "1e999",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("ferry ".repeat(17_000));
    texts.push("(\"'*".repeat(25_000));
    texts.push("é".repeat(50_000));
    assert!(texts.iter().rev().take(3).all(|text| text.len() >= 100_000));
    texts
}

#[test]
fn any_text_of_a_user_can_be_searched_for() {
    let env = TestEnv::new();
    let town = env.town();
    for query in user_texts() {
        let ran = town.mge("search", ["--json", "--", &query]).run();
        assert!(matches!(ran.code(), Some(0 | 2 | 7)), "{ran}");
        let lowered = ran.stderr.to_lowercase();
        assert!(!lowered.contains("fts") && !lowered.contains("syntax") && !lowered.contains("sql"), "{ran}");
        if ran.code() == Some(2) {
            // Nothing but an empty question is wrong.
            assert!(query.trim().trim_matches('\u{feff}').is_empty(), "{ran}");
            continue;
        }
        let answer = ran.json();
        assert_eq!((&answer["version"], answer["query"].as_str()), (&1.into(), Some(query.as_str())));
        assert!(answer["results"].is_array(), "{answer}");
    }
}

#[test]
fn any_text_of_a_user_can_be_asked() {
    let env = TestEnv::new();
    let town = env.town();
    for question in user_texts() {
        let ran = town.mge("ask", ["--json", "--", &question]).run();
        assert!(matches!(ran.code(), Some(2 | 7)), "no such text is a question that can be answered:\n{ran}");
        let lowered = ran.stderr.to_lowercase();
        assert!(!lowered.contains("fts") && !lowered.contains("syntax") && !lowered.contains("sql"), "{ran}");
        if ran.code() == Some(7) {
            assert_eq!(ran.json()["known"], false);
        }
    }
}

#[test]
fn a_search_finds_what_a_quoted_or_punctuated_query_means() {
    let env = TestEnv::new();
    let town = env.town();
    for query in ["Quay Voices?", "\"Quay Voices\"", "quay + voices", "(Quay) Voices*", "quay-voices"] {
        let answer = town.mge("search", [query, "--json"]).ok().json();
        let results = answer["results"].as_array().unwrap();
        let hit = results.iter().any(|result| text(result, "text").to_lowercase().contains("quay voices"));
        assert!(hit, "{query}: {answer}");
        for result in results {
            assert!(result["score"].is_number() && !text(result, "index").is_empty(), "{result}");
            assert_eq!(result["source"], "documents");
        }
    }
}

#[test]
fn a_crawl_in_which_every_file_fails_does_not_end_with_0() {
    let env = TestEnv::new();
    let town = env.town_of("", &[]);
    for file in ["a.md", "b.md"] {
        town.write(file, [0_u8, 1, 2, 255, 254, 0, 0, 7].repeat(500));
    }
    let ran = town.mge("crawl", ["--all"]).exits(1);
    ran.assert_says(["a.md", "b.md"]);
}

#[test]
fn a_crawl_that_finds_nothing_warns_and_names_likely_causes() {
    let env = TestEnv::new();
    let idle = "It rained. Nobody came, and nothing was said that anyone would remember.\n\n".repeat(20);
    let documents: Vec<(String, String)> = (0..10).map(|n| (format!("{n}.md"), idle.clone())).collect();
    let town = env.town_of("", &documents);
    let ran = town.mge("crawl", ["--all"]).run();
    ran.assert_says(["warning"]);
}

#[test]
fn what_is_reported_is_what_is_stored() {
    let env = TestEnv::new();
    let town = env.town_of("", &Story::new(Dice::fixed(31), 30).documents(30));
    let report = town.crawl();
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for line in town.exported() {
        *lines.entry(text(&line, "type").to_owned()).or_default() += 1;
    }
    assert_eq!(number(&report, "claims_new"), lines["claim"], "{report}");
    assert_eq!(number(&report, "evidence_new"), lines["evidence"], "{report}");
    let status = town.status();
    let graph = &status["sections"]["evidence_graphs"]["e_graph"]["counts"];
    for (count, kind) in [("entities", "entity"), ("claims", "claim"), ("evidence", "evidence")] {
        assert_eq!(number(graph, count), lines[kind], "{count} in {status}");
    }
    let source = &status["sections"]["sources"]["documents"]["counts"];
    assert_eq!(number(source, "chunks_read"), number(&report, "chunks_read"), "{status}");
}

#[test]
fn names_in_every_script_stay_apart() {
    let env = TestEnv::new();
    let names = ["東京", "北京", "서울", "Москва", "Минск", "القاهرة", "Αθήνα"];
    let mut content = String::from("# Offices\n\n");
    for (number, name) in names.iter().enumerate() {
        let company = ["Anvil", "Birch", "Cobalt", "Delta", "Ember", "Fjord", "Garnet"][number];
        content.push_str(&format!("The {company} Company is based in {name}.\n\n"));
    }
    let town = env.town_of("", &[("offices.md".to_owned(), content)]);
    town.crawl();
    let export = town.exported();
    let places: BTreeSet<&str> = export
        .iter()
        .filter(|line| line["type"] == "claim" && line["relation"] == "based_in")
        .map(|line| text(line, "object"))
        .collect();
    for name in names {
        assert!(places.contains(format!("place|{name}").as_str()), "{name} is not among {places:?}");
    }
    // The same letters written in another way are the same name.
    town.write(
        "more.md",
        "# More\n\nThe Harbor Company is based in Αθη\u{301}να. The Iris Company is based in ΑΘΗΝΑ.\n",
    );
    town.crawl();
    let athens = town
        .exported()
        .iter()
        .filter(|line| {
            line["type"] == "entity"
                && ["αθήνα", "αθη\u{301}να"].contains(&text(line, "name").to_lowercase().as_str())
        })
        .count();
    assert_eq!(athens, 1, "one city under two spellings");
}

#[test]
fn a_mistyped_path_creates_nothing_and_gets_a_near_name() {
    let env = TestEnv::new();
    let town = env.town();
    let before = all_files(&env.path(""));
    for words in [
        &["status", "./twon"][..],
        &["check", "./twon"],
        &["pilot", "./twon", "ALL_READY"],
        &["crawl", "./twon", "--all"],
        &["ask", "./twon", "Who leads the Eelgrass Atlas?"],
        &["ask", "twon", "Who leads the Eelgrass Atlas?"],
        &["search", "./twon", "ferry"],
        &["export", "./twon"],
        &["fsck", "./twon"],
        &["rebuild", "./twon"],
        &["unlock", "./twon", "--yes"],
        &["status", "--endpoint", "twon"],
    ] {
        let ran = env.mge(words).run();
        assert!(matches!(ran.code(), Some(2 | 7)), "{ran}");
        ran.assert_says(["twon", "town"]);
        assert_eq!(ran.stdout, "", "{ran}");
    }
    assert_eq!(before, all_files(&env.path("")), "something was made or changed");
    assert!(town.folder().exists());
}

#[test]
fn reads_of_an_endpoint_without_a_graph_make_none() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    town.mge::<&str>("pilot", []).ok();
    let before = all_files(town.folder());
    for words in
        [&["ask", "Who?"][..], &["export"], &["search", "ferry"], &["fsck"], &["status"], &["conflicts"]]
    {
        town.mge(words[0], &words[1..]).run();
    }
    let names = |files: &[(std::path::PathBuf, Vec<u8>)]| {
        files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&before), names(&all_files(town.folder())));
}

#[test]
fn growth_is_linear() {
    let env = TestEnv::new();
    let mut measured = Vec::new();
    for many in [40, 80, 160] {
        // As many names for each size: what grows is the text alone.
        let documents =
            Story::new(Dice::fixed(41), 160).documents(160).into_iter().take(many).collect::<Vec<_>>();
        let town = env.town_of(&many.to_string(), &documents);
        let report = town.crawl();
        let size = fs::metadata(town.store()).unwrap().len();
        measured.push((many, number(&report, "claims_new"), number(&report, "evidence_new"), size));
    }
    println!("documents, claims, evidence, bytes: {measured:?}");
    for pair in measured.windows(2) {
        let (_, claims, evidence, bytes) = pair[0];
        assert!(pair[1].1 <= 2 * claims + claims / 3, "{measured:?}");
        assert!(pair[1].2 <= 2 * evidence + evidence / 3, "{measured:?}");
        assert!(pair[1].3 <= 2 * bytes + bytes / 2, "{measured:?}");
    }
    assert!(measured[0].2 > 40, "the documents say something: {measured:?}");
}

#[test]
fn names_that_stand_together_are_not_related_by_that() {
    let env = TestEnv::new();
    let people =
        ["Anna Barrow", "Boris Denholm", "Clara Fenwick", "David Gorman", "Elena Hartwell", "Frank Jessop"];
    let content = format!(
        "# Party\n\n{} met the Petrel, the Sandpiper, Oskerby, Tellvik and the Keel House Museum in the rain.\n\n\
         Guests:\n\n{}\n\n| Name | Town |\n|---|---|\n| Anna Barrow | Oskerby |\n| Boris Denholm | Tellvik |\n",
        people.join(", "),
        people.map(|name| format!("- {name}")).join("\n")
    );
    let town = env.town_of("", &[("party.md".to_owned(), content)]);
    town.mge("crawl", ["--all"]).run();
    let claims: Vec<Value> = town.exported().into_iter().filter(|line| line["type"] == "claim").collect();
    assert!(claims.is_empty(), "nothing is stated here: {claims:?}");
}

#[test]
fn two_capitalised_words_are_no_person_by_that() {
    let env = TestEnv::new();
    let town = env.town();
    let export = town.exported();
    let entities = export.iter().filter(|line| line["type"] == "entity");
    let persons: Vec<&str> =
        entities.map(|line| text(line, "id")).filter(|id| id.starts_with("person|")).collect();
    for false_one in [
        "Formula One",
        "Sunday Sailor",
        "Full Speed",
        "Rope Door",
        "High Water",
        "First Friday",
        "Lost Property",
        "Blue Form",
        "Season Card",
        "Grey Pass",
        "Great Frost",
        "Famous Name",
        "Press Office",
        "High Resolution",
        "Golden Lantern",
        "Good Head",
        "Managing Director",
        "First Secretary",
        "Public Library",
        "Harbour Office",
        "Midsummer Eve",
        "Common Eelgrass",
        "Dwarf Eelgrass",
        "Gannet Pier",
        "Hallin Sound",
    ] {
        let found: Vec<&&str> = persons.iter().filter(|id| id.contains(false_one)).collect();
        assert!(found.is_empty(), "{found:?}");
    }
    assert!(persons.iter().any(|id| id.ends_with("|Ruth Calloway")), "{persons:?}");
}

#[test]
fn an_answer_without_a_span_does_not_occur() {
    let env = TestEnv::new();
    let town = env.town();
    for question in [
        "Who?",
        "Tell me about the Petrel",
        "Petrel",
        "What is the Merrow Marine Institute?",
        "Who owns the Kittiwake?",
        "Who owned the Kittiwake in 2010?",
        "When was everything founded?",
        "Who works for the Oskerby Ferry Company?",
        "Is the Kittiwake owned by Tellvik Shipping?",
        "Did Per Stenberg command the Kittiwake?",
        "What is the capital of France?",
    ] {
        let ran = town.ask(question);
        let answer = ran.json();
        match ran.code() {
            Some(0) => {
                assert_eq!(answer["known"], true, "{ran}");
                assert!(!answer["claims"].as_array().unwrap().is_empty(), "{ran}");
                check_citations(&town, &answer, &ran).unwrap();
            }
            Some(7) => assert_eq!(answer["known"], false, "{ran}"),
            _ => panic!("{ran}"),
        }
    }
}

#[test]
fn a_question_about_what_is_contradicted_says_so() {
    let env = TestEnv::new();
    let town = env.town();
    let conflicts = town.json("conflicts").ok();
    assert!(conflicts.stdout.contains("Kittiwake"), "two documents of one year name two owners: {conflicts}");
    let answer = town.ask("Who owned the Kittiwake in 2023?").json();
    let claims = answer["claims"].as_array().unwrap();
    let owners: BTreeSet<&str> = claims.iter().map(|claim| text(claim, "object")).collect();
    let first = claims.first().map(|claim| text(claim, "object"));
    assert_eq!(first, Some("organization|museum|Keel House Museum"), "{answer}");
    assert!(text(&answer, "answer").contains("Keel House Museum"), "{answer}");
    println!("owners named: {owners:?}");
}

#[test]
fn a_target_that_exists_is_neither_overwritten_nor_removed() {
    let env = TestEnv::new();
    let folder = env.folder("precious");
    fs::write(folder.join("thesis.txt"), "ten years").unwrap();
    fs::write(env.path("file"), "x").unwrap();
    for words in
        [&["init", "precious"][..], &["new", "precious"], &["init", "precious", "--bare"], &["init", "file"]]
    {
        env.mge(words).exits(2).assert_says(["exists"]);
    }
    assert_eq!(fs::read_to_string(folder.join("thesis.txt")).unwrap(), "ten years");
    assert_eq!(fs::read_dir(env.path("")).unwrap().count(), 2);
    for name in ["bad name", "bad-name", "", "../", "a|b", "ä"] {
        env.mge(["init", name]).exits(2);
    }
    assert_eq!(fs::read_dir(env.path("")).unwrap().count(), 2);
}

#[test]
fn a_mistake_of_the_user_gets_a_few_lines_even_where_traces_are_wanted() {
    let env = TestEnv::new();
    let town = env.town();
    let folder = town.folder().to_str().unwrap();
    for words in [
        &["crawl", folder, "documents|nowhere.md"][..],
        &["pilot", folder, "NO_STATE"],
        &["run", folder, "no_such_capability"],
        &["run", folder, "children_by_idx_documents", "{\"index\": "],
        &["show", folder, "documents|nowhere.md|text_1"],
        &["explain", folder, "ffffffff"],
        &["export", folder, "-o", "/nowhere/at/all"],
        &["init", folder],
        &["status", "/nowhere"],
        &["frobnicate"],
        &["--no-such-option"],
    ] {
        let ran = env.mge(words).env("RUST_BACKTRACE", "1").run();
        assert_ne!(ran.code(), Some(0), "{ran}");
        assert!(!ran.stderr.trim().is_empty() && ran.stderr.len() < 1_500, "{ran}");
        assert!(!ran.stderr.contains("src/"), "the program's own files are nobody's business: {ran}");
    }
}

#[test]
fn without_any_terminal_or_even_open_files_nothing_panics() {
    let env = TestEnv::new();
    let town = env.town();
    for redirection in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        for command in ["status", "crawl", "check"] {
            let script = format!("\"$@\" {redirection}");
            let ran = town.mge::<&str>(command, []).through(["sh", "-c", &script, "sh"]).run();
            assert!(matches!(ran.code(), Some(0 | 4)), "{redirection}: {ran}");
        }
    }
    for (name, value) in
        [("TERM", "dumb"), ("TERM", ""), ("COLUMNS", "1"), ("COLUMNS", "0"), ("COLUMNS", "x"), ("LANG", "C")]
    {
        town.mge::<&str>("status", []).env(name, value).ok();
        town.mge("ask", ["Who leads the Eelgrass Atlas?"]).env(name, value).ok();
    }
    env.mge(["demo"]).through(["setsid", "--wait"]).env("HOME", "/nonexistent").ok();
}

/// What must never be seen.
const CANARY: &str = "canary-7c1f93e0-do-not-sing";

#[test]
fn a_secret_is_seen_nowhere() {
    let env = TestEnv::new();
    let town = env.town();
    let secret = "{\"$env\": \"CANARY_KEY\"}";
    fs::write(
        town.path("agents.jsonc"),
        format!(
            "{{\"reader\": {{\"extra_args\": {{\"description\": \"Reads.\", \"completion\": {{\"model\": \"m\", \
             \"api_key\": {secret}, \"extra_headers\": {{\"authorization\": {secret}}}}}}}, \"tools\": []}}}}"
        ),
    )
    .unwrap();
    let said = sing(&env, &town);
    assert!(!said.contains(CANARY), "{}", around(&said));

    // A secret where none belongs makes errors, which must not quote it either.
    town.replace("sources.jsonc", "\"cluster_size\": 256", &format!("\"cluster_size\": {secret}"));
    town.replace("sources.jsonc", "\"language\": \"en\"", &format!("\"language\": {secret}"));
    let said = sing(&env, &town);
    assert!(!said.contains(CANARY), "{}", around(&said));
    for (path, bytes) in all_files(env.room()) {
        let found = bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes());
        assert!(!found, "the secret was written to {}", path.display());
    }
}

/// Runs what could tell a secret, and returns all that was said, printed and logged.
fn sing(env: &TestEnv, town: &Endpoint<'_>) -> String {
    let mut said = String::new();
    for words in [
        &["status"][..],
        &["status", "--json"],
        &["check"],
        &["check", "--json"],
        &["meta"],
        &["meta", "reader"],
        &["meta", "documents"],
        &["pilot", "-vv"],
        &["crawl", "--all", "-vv"],
        &["ask", "Who leads the Eelgrass Atlas?", "-vv"],
        &["run", "children_by_idx_documents", "index=documents"],
        &["export"],
        &["fsck", "-vv"],
        &["doctor"],
    ] {
        let log = env.path("events.jsonl");
        let ran = town.mge(words[0], &words[1..]).arg("--log-file").arg(&log).env("CANARY_KEY", CANARY).run();
        said.push_str(&ran.to_string());
        said.push_str(&ran.everything());
        said.push_str(&fs::read_to_string(log).unwrap_or_default());
    }
    said
}

fn around(said: &str) -> String {
    let at = said.find(CANARY).unwrap_or(0);
    said.lines()
        .find(|line| line.contains(CANARY))
        .map_or_else(String::new, |line| format!("at {at}: {line}"))
}

#[test]
fn a_missing_variable_is_an_error_of_its_item_and_of_nothing_before() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    town.replace("sources.jsonc", "\"language\": \"en\"", "\"language\": {\"$env\": \"NOWHERE_SET\"}");
    for command in ["status", "check", "meta"] {
        town.mge::<&str>(command, []).run().assert_exit(0);
    }
    let pilot = town.mge::<&str>("pilot", []).run();
    assert!(matches!(pilot.code(), Some(2 | 3)), "{pilot}");
    pilot.assert_says(["NOWHERE_SET", "language"]);
}

#[test]
fn line_ends_change_nothing_but_the_bytes_that_are_cited() {
    let env = TestEnv::new();
    let documents = Story::new(Dice::fixed(51), 20).documents(20);
    let unix = env.town_of("unix", &documents);
    let turned = documents.iter().map(|(path, text)| (path.clone(), text.replace('\n', "\r\n")));
    let windows = env.town_of("windows", &turned.collect::<Vec<_>>());
    unix.crawl();
    windows.crawl();
    let claims = |town: &Endpoint<'_>| -> Vec<String> {
        let lines = town.exported();
        lines.iter().filter(|line| line["type"] == "claim").map(Value::to_string).collect()
    };
    assert_eq!(claims(&unix), claims(&windows));
    for line in windows.exported().iter().filter(|line| line["type"] == "evidence") {
        assert_eq!(document_text(&windows, line).as_deref(), Some(text(line, "quote")));
    }
}

#[test]
fn bringing_a_deleted_document_back_equals_never_having_deleted_it() {
    let env = TestEnv::new();
    let town = env.town();
    let before = town.export();
    let path = town.documents().join("museum/keel-house.md");
    let content = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    town.crawl();
    assert_ne!(json_lines(&before).len(), town.exported().len());
    fs::write(&path, content).unwrap();
    town.crawl();
    assert!(before == town.export(), "the document did not come back as it was");
}

#[test]
fn an_undated_statement_is_never_dated_today() {
    let env = TestEnv::new();
    let documents = [(
        "undated.md".to_owned(),
        "# Boats\n\nThe ferry Merganser is owned by Tellvik Shipping.\n".to_owned(),
    )];
    let town = env.town_of("", &documents);
    town.crawl();
    for line in town.exported().iter().filter(|line| line["type"] == "claim") {
        for period in line["periods"].as_array().unwrap() {
            assert!(period["from"].is_null() && period["to"].is_null(), "{line}");
        }
    }
}

#[test]
fn the_network_is_not_needed_for_anything() {
    let env = TestEnv::new();
    let town = env.town();
    let wrapper = system::without_network();
    for words in [&["pilot"][..], &["crawl", "--all"], &["ask", "Who leads the Eelgrass Atlas?"], &["doctor"]]
    {
        let ran = town.mge(words[0], &words[1..]).through(&wrapper).run();
        assert!(matches!(ran.code(), Some(0 | 1)), "{ran}");
    }
}
