//! What scripts and fingers rely on: streams, JSON, exit codes, near names, and the original's command lines.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::env::{Endpoint, Ran, TestEnv, number, read_json_lines, text};

/// The commands of this version, each with words with which it answers on a crawled template.
const COMMANDS: [(&str, &[&str]); 22] = [
    ("status", &[]),
    ("check", &[]),
    ("pilot", &[]),
    ("crawl", &["--all"]),
    ("ask", &["Who leads the Eelgrass Atlas?"]),
    ("search", &["ferry"]),
    ("show", &["documents|ferry/faq.md"]),
    ("explain", &["CLAIM"]),
    ("timeline", &["vessel|ferry|Petrel"]),
    ("paths", &["person|mariner|Nadia Ferreira", "organization|company|Tellvik Shipping"]),
    ("conflicts", &[]),
    ("run", &["children_by_idx_documents", "index=documents"]),
    ("dry-run", &["children_by_idx_documents", "index=documents"]),
    ("meta", &[]),
    ("export", &[]),
    ("rebuild", &[]),
    ("fsck", &[]),
    ("unlock", &["--yes"]),
    ("doctor", &[]),
    ("summary", &[]),
    ("schema", &[]),
    ("man", &[]),
];

/// Commands whose answer is no JSON with a version: what they print is its own format.
const OF_THEIR_OWN_FORM: [&str; 6] = ["run", "dry-run", "meta", "export", "schema", "man"];

/// Returns the id of a claim of the template, as an export has it.
fn claim(town: &Endpoint<'_>, subject: &str, relation: &str, object: &str) -> String {
    let lines = town.exported();
    let found = lines.iter().find(|line| {
        line["type"] == "claim"
            && line["subject"] == subject
            && line["relation"] == relation
            && (line["object"] == object || line["literal"] == object)
    });
    text(found.unwrap_or_else(|| panic!("{subject} {relation} {object} is not claimed")), "id").to_owned()
}

/// Runs a command of the list with further words.
fn run(town: &Endpoint<'_>, (command, words): (&str, &[&str]), more: &[&str]) -> Ran {
    let id = if words.contains(&"CLAIM") {
        claim(
            town,
            "organization|institute|Merrow Marine Institute",
            "directed_by",
            "person|scientist|Ruth Calloway",
        )
    } else {
        String::new()
    };
    let words = words.iter().map(|word| if *word == "CLAIM" { id.as_str() } else { word });
    if ["schema", "man"].contains(&command) {
        return TestEnv::new().mge([command]).args(more).run();
    }
    town.mge(command, words.chain(more.iter().copied())).run()
}

#[test]
fn every_command_answers_on_stdout_and_is_silent_on_stderr_when_nobody_watches() {
    let env = TestEnv::new();
    let town = env.town();
    for command in COMMANDS {
        let ran = run(&town, command, &[]);
        ran.assert_exit(0);
        assert!(!ran.stdout.is_empty() || ["crawl", "unlock"].contains(&command.0), "{ran}");
        assert!(!ran.everything().contains('\u{1b}'), "colors without a terminal: {ran}");
        assert_eq!(ran.stderr, "", "next steps and progress are for terminals: {ran}");
        assert!(ran.stdout.is_empty() || ran.stdout.ends_with('\n'), "{ran}");
    }
}

#[test]
fn the_first_object_of_every_json_answer_bears_the_version() {
    let env = TestEnv::new();
    let town = env.town();
    for command in COMMANDS {
        let ran = run(&town, command, &["--json"]);
        ran.assert_exit(0);
        if OF_THEIR_OWN_FORM.contains(&command.0) {
            continue;
        }
        let first = serde_json::Deserializer::from_str(&ran.stdout).into_iter::<Value>().next();
        let first = first
            .unwrap_or_else(|| panic!("no JSON: {ran}"))
            .unwrap_or_else(|error| panic!("{error}: {ran}"));
        assert_eq!(first["version"], 1, "{ran}");
        assert_eq!(ran.stderr, "", "{ran}");
    }
    let plan = town.mge("crawl", ["--all", "--plan", "--json"]).ok();
    assert_eq!(plan.lines()[0]["version"], 1, "{plan}");
    let made = env.mge(["init", "other", "--json"]).ok();
    assert_eq!(made.json()["version"], 1);
}

#[test]
fn a_failed_command_prints_no_answer_and_says_why() {
    let env = TestEnv::new();
    let town = env.town();
    for (words, code) in [
        (&["frobnicate"][..], 2),
        (&["status", "--no-such-option"], 2),
        (&["pilot", "NO_STATE"], 2),
        (&["run", "children_by_idx_documents", "{\"index\": 7}"], 2),
        (&["run", "children_by_idx_documents", "no-pair"], 2),
        (&["run", "no_such_capability"], 7),
        (&["show", "documents|nowhere.md"], 7),
        (&["explain", "ffffffffffffffff"], 7),
        (&["meta", "no_such_item"], 7),
        (&["crawl", "documents|nowhere.md"], 7),
        (&["ask", "Who leads the Eelgrass Atlas?", "--graph", "no_such_graph"], 7),
        (&["ask", "Who leads the Eelgrass Atlas?", "--as-of", "yesterdayish"], 2),
        (&["export", "-o", "/nowhere/at/all.jsonl"], 4),
    ] {
        let ran = town.mge(words[0], &words[1..]).run();
        ran.assert_exit(code);
        assert_eq!(ran.stdout, "", "{ran}");
        assert!(!ran.stderr.trim().is_empty(), "{ran}");
    }
}

#[test]
fn what_is_not_ready_exits_with_3_and_names_the_command_that_is_missing() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    for words in [
        &["ask", "Who leads the Eelgrass Atlas?"][..],
        &["export"],
        &["run", "children_by_idx_documents", "index=documents"],
    ] {
        town.mge(words[0], &words[1..]).exits(3).assert_says(["mge pilot"]);
    }
    let ready = town.mge("run", ["children_by_idx_documents", "index=documents", "--pilot"]).ok();
    assert!(ready.stdout.contains("documents|ferry"), "{ready}");
    town.mge("ask", ["Who leads the Eelgrass Atlas?"]).run();
    let dry = TestEnv::new();
    let fresh = dry.init("town", &[]);
    let verdict = fresh.mge("dry-run", ["children_by_idx_documents", "index=documents"]).run();
    assert_eq!(verdict.json()["status"], 1, "{verdict}");
}

#[test]
fn an_unknown_name_of_any_kind_gets_a_near_one() {
    let env = TestEnv::new();
    let town = env.town();
    for (words, near) in [
        (&["statsu"][..], "status"),
        (&["pilot", "ALL_REDY"], "ALL_READY"),
        (&["run", "children_by_idx_documant", "index=documents"], "children_by_idx_documents"),
        (&["run", "children_by_idx_documents", "indx=documents"], "index"),
        (&["meta", "documant"], "documents"),
        (&["ask", "Who?", "--graph", "e_graf"], "e_graph"),
        (&["show", "documents|ferry/fax.md"], "documents|ferry"),
        (&["show", "documants|ferry/faq.md"], "documents"),
        (&["status", "--jsno"], "--json"),
        (&["timeline", "vessel|ferry|Petrell"], "Petrel"),
    ] {
        let ran = town.mge(words[0], &words[1..]).run();
        assert!(matches!(ran.code(), Some(2 | 7)), "{ran}");
        ran.assert_says([near]);
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let env = TestEnv::new();
    let town = env.town();
    for words in [
        &["export"][..],
        &["status"],
        &["schema"],
        &["search", "ferry", "--json"],
        &["crawl", "--all", "--json"],
    ] {
        let endpoint = if words[0] == "schema" { vec![] } else { vec![town.folder().to_owned()] };
        let mut running = env.mge([words[0]]).args(endpoint).args(&words[1..]).start();
        running.hang_up();
        let ran = running.end();
        assert!(matches!(ran.code(), Some(0)), "{ran}");
        assert_eq!(ran.stderr, "", "{ran}");
    }
    let mut export = town.mge::<&str>("export", []).start();
    assert!(export.next_json().is_some());
    export.hang_up();
    let ran = export.end();
    ran.assert_exit(0);
    assert_eq!(ran.stderr, "", "{ran}");
    assert_eq!(town.status()["lock"]["state"], "free");
}

#[test]
fn color_is_for_terminals_and_for_those_who_ask_for_it() {
    let env = TestEnv::new();
    let town = env.town();
    let has_color = |ran: &Ran| ran.everything().contains('\u{1b}');
    assert!(!has_color(&town.mge::<&str>("status", []).ok()));
    assert!(has_color(&town.mge("status", ["--color", "always"]).ok()));
    assert!(!has_color(&town.mge("status", ["--color", "never"]).ok()));
    assert!(!has_color(&town.mge("status", ["--color", "auto"]).env("NO_COLOR", "1").ok()));
    assert!(!has_color(&town.mge("status", ["--color", "always", "--json"]).ok()), "JSON has no color");
    assert!(!has_color(&town.mge("pilot", ["NO_STATE"]).env("NO_COLOR", "1").exits(2)));
}

#[test]
fn quiet_keeps_the_answer_and_twice_quiet_the_code_alone() {
    let env = TestEnv::new();
    let town = env.town();
    let asked = town.mge("ask", ["Who leads the Eelgrass Atlas?", "-q"]).ok();
    assert!(asked.stdout.contains("Priya Nair") && asked.stderr.is_empty(), "{asked}");
    let nothing = town.mge("ask", ["Who leads the Eelgrass Atlas?", "-qq"]).ok();
    assert_eq!((nothing.stdout.as_str(), nothing.stderr.as_str()), ("", ""));
}

#[test]
fn every_command_has_help_with_its_usage() {
    let env = TestEnv::new();
    let whole = env.mge(["--help"]).ok();
    let more = ["init", "new", "demo", "completions", "complete"];
    for command in COMMANDS.iter().map(|(name, _)| *name).chain(more) {
        assert!(whole.stdout.contains(command), "{command} is not in the help");
        for flag in ["--help", "-h"] {
            let help = env.mge([command, flag]).ok();
            assert!(help.stdout.contains("Usage: mge ") && help.stdout.len() > 100, "{help}");
            assert_eq!(help.stderr, "", "{help}");
        }
    }
    assert!(env.mge(["--version"]).ok().stdout.starts_with("mge "));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(env.mge(["completions", shell]).ok().stdout.contains("mge"));
        assert!(env.mge(["complete", shell]).ok().stdout.contains("mge"));
    }
    assert!(env.mge(["man"]).ok().stdout.contains(".TH"));
}

#[test]
fn the_command_lines_of_the_original_work() {
    let env = TestEnv::new();
    env.mge(["new", "demo"]).ok();
    env.mge(["summary", "demo"]).ok();
    let step = env.mge(["pilot", "demo", "ALL_READY", "--just_once", "--log_file", "f"]).ok();
    assert!(step.everything().contains("LOADED_OBJ"), "one step was done: {step}");
    let events = read_json_lines(&env.path("f"));
    assert!(!events.is_empty());
    for event in &events {
        for key in ["type", "timestamp", "id", "seq_num"] {
            assert!(!event[key].is_null(), "{key} in {event}");
        }
        let stamp = text(event, "timestamp");
        assert!(stamp.len() == 24 && stamp.ends_with('Z') && stamp.as_bytes()[19] == b'.', "{event}");
    }
    env.mge(["pilot", "demo", "ALL_READY"]).ok();
    assert_eq!(env.mge(["summary", "demo", "--json"]).ok().json()["state"]["code"], 100);
    env.mge(["unlock", "demo"]).ok();
    for state in ["READY", "all_ready", "100", "LINKED_OBJ", "2"] {
        env.mge(["pilot", "demo", state]).ok();
    }
}

#[test]
fn one_step_at_a_time_leads_to_the_same_state() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    let mut seen = Vec::new();
    for _ in 0..60 {
        let step = town.mge("pilot", ["ALL_READY", "--just-once", "--json"]).ok().json();
        let name = text(&step["state"], "name").to_owned();
        seen.push(name.clone());
        if name == "ALL_READY" {
            break;
        }
    }
    assert_eq!(seen.last().map(String::as_str), Some("ALL_READY"), "{seen:?}");
}

#[test]
fn a_capability_takes_json_pairs_a_file_or_standard_input() {
    let env = TestEnv::new();
    let town = env.town();
    let arguments = "{\"index\": \"documents|ferry/faq.md\"}";
    fs::write(env.path("arguments.json"), arguments).unwrap();
    let name = "children_by_idx_documents";
    let answers = [
        town.mge("run", [name, arguments]).ok().stdout,
        town.mge("run", [name, "index=documents|ferry/faq.md"]).ok().stdout,
        town.mge("run", [name, "@arguments.json"]).ok().stdout,
        town.mge("run", [name, "-"]).stdin(arguments).ok().stdout,
        town.mge("run", [name, "index=documents|ferry/faq.md", "--json"]).ok().stdout,
    ];
    assert!(answers[0].contains("documents|ferry/faq.md|"), "{}", answers[0]);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
    let whole = format!("{{\"name\": \"{name}\", \"arguments\": {arguments}, \"id\": \"call_7\"}}");
    let response: Value = town.mge("run", ["-"]).stdin(whole).ok().json();
    assert_eq!(
        (&response["finish_reason"], &response["id"]),
        (&"stop".into(), &"call_7".into()),
        "{response}"
    );
}

#[test]
fn a_dry_run_tells_whether_a_request_would_run() {
    let env = TestEnv::new();
    let town = env.town();
    let verdict = |words: &[&str]| {
        let ran = town.mge("dry-run", words).run();
        let json = ran.json();
        assert!(!text(&json, "description").is_empty(), "{json}");
        (json["status"].clone(), ran.code())
    };
    assert_eq!(verdict(&["children_by_idx_documents", "index=documents"]), (0.into(), Some(0)));
    assert_eq!(verdict(&["children_by_idx_documents", "indx=documents"]), (2.into(), Some(2)));
    assert_eq!(verdict(&["children_by_idx_documents", "index=7.5"]), (2.into(), Some(2)));
    assert_eq!(verdict(&["no_such_capability"]).0, 2);
}

#[test]
fn the_metadata_lists_capabilities_with_valid_schemas() {
    let env = TestEnv::new();
    let town = env.town();
    let meta = town.mge::<&str>("meta", []).ok().json();
    let capabilities = meta["capabilities"].as_array().unwrap();
    let mut names = BTreeSet::new();
    for capability in capabilities {
        assert_eq!(capability["type"], "function");
        let function = &capability["function"];
        let name = text(function, "name");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
        assert!(!text(function, "description").is_empty(), "{name}");
        assert_eq!(function["parameters"]["type"], "object", "{name}");
        assert!(names.insert(name.to_owned()), "{name} stands twice");
    }
    for name in [
        "ask_e_graph",
        "explain_e_graph",
        "find_entities_e_graph",
        "claims_e_graph",
        "evidence_e_graph",
        "neighbors_e_graph",
        "paths_e_graph",
        "contradictions_e_graph",
        "timeline_e_graph",
        "changes_e_graph",
        "stats_e_graph",
        "entity_e_graph",
        "children_by_idx_documents",
        "object_by_idx_documents",
        "outline_documents",
        "text_by_idx_documents",
        "children_by_idx_entities",
        "node_by_idx_entities",
    ] {
        assert!(names.contains(name), "{name} is not among {names:?}");
    }
    assert!(!names.iter().any(|name| name.starts_with("assert_")), "the graph is not writable");
    let of_item = town.mge("meta", ["documents"]).ok().json();
    assert_eq!(of_item["state"], 100, "{of_item}");
    let schema = env.mge(["schema"]).ok().json();
    assert!(text(&schema, "$schema").contains("json-schema.org"), "{}", schema["$schema"]);
    assert!(schema.to_string().contains("evidence_graphs"));
}

/// Returns all nodes of an explanation's tree.
fn nodes(tree: &Value, into: &mut Vec<Value>) {
    match tree {
        Value::Object(fields) => {
            if fields.contains_key("factor") {
                into.push(tree.clone());
            }
            fields.values().for_each(|value| nodes(value, into));
        }
        Value::Array(items) => items.iter().for_each(|item| nodes(item, into)),
        _ => {}
    }
}

#[test]
fn an_explanation_names_factors_that_multiply_to_the_weight() {
    let env = TestEnv::new();
    let town = env.town();
    let claims: Vec<String> = town
        .exported()
        .iter()
        .filter(|line| line["type"] == "claim")
        .map(|line| text(line, "id").to_owned())
        .collect();
    let mut pieces = 0;
    for id in claims.iter().step_by(12) {
        let explained = town.mge("explain", [id, "--json"]).ok().json();
        let mut all = Vec::new();
        nodes(&explained, &mut all);
        let names: BTreeSet<&str> = all.iter().map(|node| text(node, "factor")).collect();
        for name in ["claim", "document", "evidence", "authority", "confidence", "support", "belief"] {
            assert!(names.contains(name), "{name} is not among {names:?}");
        }
        for node in all.iter().filter(|node| node["factor"] == "evidence") {
            let mut factors = Vec::new();
            nodes(&node["children"], &mut factors);
            let value = |name: &str| -> f64 {
                let found = factors.iter().find(|factor| text(factor, "factor") == name);
                found
                    .and_then(|factor| factor["value"].as_f64())
                    .unwrap_or_else(|| panic!("no {name} in {node}"))
            };
            let product = value("authority")
                * value("confidence")
                * value("identity_subject")
                * value("identity_object");
            let weight = node["value"].as_f64().unwrap();
            assert!((product.min(0.99) - weight).abs() < 1e-4, "{product} is not {weight}: {node}");
            pieces += 1;
        }
        let prefix = &id[..id.len().min(8)];
        assert_eq!(
            town.mge("explain", [prefix, "--json"]).ok().json(),
            explained,
            "a unique prefix names the claim"
        );
    }
    assert!(pieces > 10, "only {pieces} pieces of evidence were looked at");
    let person = town.mge("explain", [&claims[0]]).ok();
    assert!(person.stdout.contains(".md:"), "a citation that an editor can open: {person}");
}

#[test]
fn reads_can_look_at_another_time_in_the_world() {
    let env = TestEnv::new();
    let town = env.town();
    let asked = |date: &str| {
        town.mge("ask", ["Who directs the Merrow Marine Institute?", "--as-of", date, "--json"]).run()
    };
    for (date, name) in [
        ("2010", "Henrik Aldane"),
        ("2015-06-01", "Ruth Calloway"),
        ("2018", "Ruth Calloway"),
        ("2022", "Tomas Ferreira"),
    ] {
        let ran = asked(date);
        ran.assert_exit(0);
        let answer = ran.json();
        let first = &answer["claims"][0];
        assert!(text(first, "object").ends_with(name), "{date}: {ran}");
    }
    asked("1995").assert_exit(7);
    let before = town.mge("timeline", ["vessel|ferry|Petrel", "--as-of", "2012", "--json"]).ok();
    assert!(before.stdout.contains("Tellvik Shipping"), "{before}");
}

#[test]
fn reads_can_look_at_what_was_known_at_another_time() {
    let env = TestEnv::new();
    let town = env.town();
    let question = "Who leads the Eelgrass Atlas?";
    town.mge("ask", [question, "--known-at", "2000-01-01"]).exits(7);
    town.mge("ask", [question, "--known-at", "2100-01-01"]).exits(0);
    let conflicts = town.mge("conflicts", ["--known-at", "2000-01-01", "--json"]).ok();
    assert!(!conflicts.stdout.contains("Kittiwake"), "{conflicts}");
    let timeline = town.mge("timeline", ["vessel|ferry|Petrel", "--known-at", "2000-01-01", "--json"]).run();
    assert!(!timeline.stdout.contains("Tellvik"), "{timeline}");
}

#[test]
fn an_export_to_a_file_is_the_same_and_replaces_as_a_whole() {
    let env = TestEnv::new();
    let town = env.town();
    let direct = town.export();
    assert_eq!(direct, town.export(), "twice the same bytes");
    fs::write(env.path("out.jsonl"), "old").unwrap();
    let ran = town.mge("export", ["-o", "out.jsonl"]).ok();
    assert_eq!(ran.stdout, "", "{ran}");
    assert_eq!(fs::read_to_string(env.path("out.jsonl")).unwrap(), direct);
    let room = env.room().to_str().unwrap();
    assert!(!direct.contains(room), "a path of this machine is in the export");
    let log = town.mge("export", ["--log"]).ok();
    assert!(log.lines().len() > 10, "{log}");
    assert_ne!(log.stdout, direct);
}

#[test]
fn a_plan_reads_nothing_and_a_budget_stops_in_between() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    let plan = town.mge("crawl", ["--all", "--plan", "--json"]).ok();
    assert!(plan.stdout.contains("ferry/faq.md"), "{plan}");
    let status = town.status();
    assert_eq!(
        status["sections"]["sources"]["documents"]["counts"]["chunks_read"].as_u64().unwrap_or(0),
        0,
        "{status}"
    );
    let first = town.mge("crawl", ["--all", "--max-chunks", "7", "--json"]).ok().last("finished");
    assert_eq!((&first["chunks_read"], &first["stopped_by"]), (&7.into(), &"budget".into()), "{first}");
    let status = town.status();
    assert_eq!(number(&status["sections"]["sources"]["documents"]["counts"], "chunks_read"), 7, "{status}");
    let rest = town.crawl();
    assert_eq!((&rest["chunks_skipped"], &rest["stopped_by"]), (&7.into(), &"done".into()), "{rest}");
    town.mge("crawl", ["--all", "--max-seconds", "0", "--json"]).ok();
}

#[test]
fn a_batch_of_crawls_runs_line_by_line() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    fs::write(
        env.path("list.txt"),
        "documents|ferry/faq.md\ndocuments --max-chunks 3\n\n# the rest\n--all\n",
    )
    .unwrap();
    let ran = town.mge("crawl", ["--batch", "list.txt", "--json"]).ok();
    let reports = ran.lines().iter().filter(|line| line["type"] == "finished").count();
    assert_eq!(reports, 3, "{ran}");
    assert_eq!(number(&town.crawl(), "chunks_read"), 0);
}

#[test]
fn bare_mge_shows_the_status_inside_an_endpoint_and_the_help_elsewhere() {
    let env = TestEnv::new();
    let town = env.town();
    let inside = env.mge::<&str>([]).within(town.folder()).ok();
    assert!(inside.stdout.contains("town") && inside.stdout.contains("ALL_READY"), "{inside}");
    let outside = env.mge::<&str>([]).run();
    assert!(outside.everything().contains("Usage"), "{outside}");
}

#[test]
fn an_endpoint_of_someone_else_is_only_looked_at() {
    let env = TestEnv::new();
    let town = env.town();
    let before = crate::env::all_files(town.folder());
    for command in ["status", "check", "meta"] {
        town.mge::<&str>(command, []).ok();
    }
    assert!(before == crate::env::all_files(town.folder()), "looking changed something");
}

#[test]
fn rows_come_as_json_csv_or_markdown() {
    let env = TestEnv::new();
    let town = env.town();
    let of = |form: &str| town.mge("conflicts", ["--format", form]).ok().stdout;
    assert!(serde_json::from_str::<Value>(of("json").trim()).is_ok_and(|value| value["version"] == 1));
    assert!(of("csv").lines().next().is_some_and(|header| header.contains(',')));
    assert!(of("markdown").lines().nth(1).is_some_and(|line| line.starts_with("|") && line.contains("--")));
    assert!(!of("table").is_empty());
}
