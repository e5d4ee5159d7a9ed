//! Loading folders: the cases under `valid/` and `invalid/`, and those that files alone cannot hold.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mge_config::{AutoPilot, Loaded, MAIN_FILE, Options, Section, Severity, load, schema};
use serde_json::{Value, json};

fn tests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn schemas() -> BTreeMap<Section, Value> {
    [Section::Sources, Section::Ontologies, Section::Agents]
        .into_iter()
        .map(|section| {
            let path = tests_folder().join("schemas").join(format!("{section}.json"));
            (section, serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        })
        .collect()
}

fn options() -> Options {
    let environment = |name: &str| (name == "WRITER_KEY").then(|| "hunter22".to_owned());
    Options { schemas: schemas(), environment: Arc::new(environment) }
}

fn cases(kind: &str) -> Vec<PathBuf> {
    let mut cases: Vec<_> =
        fs::read_dir(tests_folder().join(kind)).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

/// Makes an endpoint of the given files.
fn endpoint(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("demo");
    fs::create_dir(&folder).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    (parent, folder)
}

fn main_file(text: &str) -> (tempfile::TempDir, PathBuf) {
    endpoint(&[(MAIN_FILE, text)])
}

fn codes(loaded: &Loaded) -> Vec<&str> {
    loaded.diagnostics.iter().map(|diagnostic| &*diagnostic.code).collect()
}

fn messages(loaded: &Loaded) -> String {
    loaded.diagnostics.iter().map(|diagnostic| diagnostic.render(false)).collect::<Vec<_>>().join("\n")
}

#[test]
fn valid_cases_have_no_problem() {
    for case in cases("valid") {
        let loaded = load(&case, &options());
        assert!(loaded.diagnostics.is_empty(), "{}:\n{}", case.display(), messages(&loaded));
    }
}

/// Each case has its problems, as they are drawn, in `expected.txt`; UPDATE_EXPECTED=1 writes them.
#[test]
fn invalid_cases_have_the_expected_problems() {
    for case in cases("invalid") {
        let loaded = load(&case, &options());
        assert!(loaded.has_errors(), "{}", case.display());
        let parent = case.parent().unwrap().display().to_string();
        let drawn = messages(&loaded).replace(&format!("{parent}/"), "");
        let path = case.join("expected.txt");
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            fs::write(&path, &drawn).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(drawn == expected, "{}:\n{drawn}", case.display());
    }
}

#[test]
fn the_whole_language() {
    let folder = tests_folder().join("valid/whole");
    let loaded = load(&folder, &options());
    let config = &loaded.config;
    let inside = |path: &str| folder.join(path).display().to_string();
    assert_eq!((config.name.as_str(), config.folder_name.as_str()), ("A whole endpoint", "whole"));
    assert_eq!(config.description, "first line\nsecond line");
    assert_eq!(config.timezone, "Europe/Madrid");
    assert_eq!(config.max_tool_calls_per_query, 3);
    assert!(config.tool_call_history && config.auto_save.is_none());
    assert_eq!(config.auto_pilot.as_ref().unwrap().file_name, "saved.json");
    assert_eq!(config.sections.keys().copied().collect::<Vec<_>>(), Section::ALL);
    assert_eq!(
        config.items().map(|(_, item)| item.pointer.as_str()).collect::<Vec<_>>(),
        [
            "/sources/docs",
            "/sources/papers",
            "/ontologies/entities",
            "/ontologies/known",
            "/agents/writer",
            "/custom_agentics/mine",
        ]
    );
    let sources = config.section(Section::Sources);
    assert_eq!(
        sources["docs"].extra_args,
        json!({"type": "markdown_tree", "src_path": null, "dst_path": inside("docs")})
    );
    assert_eq!(sources["papers"].extra_args["src_path"], inside("in/pdf"));
    assert_eq!(sources["papers"].extra_args["dst_path"], "/abs/out");
    assert_eq!(sources["papers"].extra_args["index"], json!({"lexical": true}), "free keys are gone");
    let nodes = &config.section(Section::Ontologies)["entities"].extra_args["initial_nodes"];
    assert_eq!(nodes, &json!({"type": "csv", "path": inside("ontology_source/entities.csv")}));
    let mine = &config.section(Section::CustomAgentics)["mine"];
    assert_eq!(mine.class_name.as_deref(), Some("Mine"));
    assert_eq!(mine.path.as_deref(), Some(folder.join("custom.py").as_path()));
    assert_eq!(mine.extra_args, json!({"list": [{"path": inside("b")}]}));
    assert_eq!(config.section(Section::Agents)["writer"].tools, ["docs"]);
}

#[test]
fn defaults() {
    let loaded = load(&tests_folder().join("valid/empty"), &options());
    let config = &loaded.config;
    assert_eq!((config.name.as_str(), config.timezone.as_str()), ("empty", "UTC"));
    assert_eq!((config.max_tool_calls_per_query, config.tool_call_history), (10, false));
    assert_eq!(config.auto_pilot, Some(AutoPilot::default()));
    assert_eq!(config.auto_save.as_ref().unwrap().file_name, "mge_endpoint_autopilot.json");
    assert_eq!(config.items().count(), 0);
}

#[test]
fn secrets_stay_secret() {
    let loaded = load(&tests_folder().join("valid/whole"), &options());
    let writer = &loaded.config.section(Section::Agents)["writer"];
    assert_eq!(writer.extra_args["completion"]["api_key"], json!({"$env": "WRITER_KEY"}));
    assert_eq!(writer.extra_args["completion"]["headers"], json!({"x-tenant": {"$env": "TENANT"}}));
    assert!(!format!("{loaded:?} {}", loaded.resolved()).contains("hunter"));
    let missing = loaded.missing_env(writer);
    assert_eq!(missing.len(), 1);
    assert_eq!(
        missing[0].to_string(),
        "the environment variable 'TENANT' that 'extra_args.completion.headers.x-tenant' needs is not set"
    );
    let diagnostic = loaded.diagnostic_at(
        &missing[0].pointer,
        missing[0].to_string(),
        Some(missing[0].hint()),
        Severity::Error,
    );
    assert_eq!((diagnostic.line, diagnostic.column), (Some(17), Some(45)));
    assert!(loaded.missing_env(&loaded.config.section(Section::Sources)["docs"]).is_empty());
    assert_eq!(loaded.expose_secrets(&writer.extra_args).unwrap_err().variable, "TENANT");
    let exposed = loaded.expose_secrets(&json!([{"key": {"$env": "WRITER_KEY"}}, 1])).unwrap();
    assert_eq!(exposed, json!([{"key": "hunter22"}, 1]));
    assert_eq!(loaded.redact("no hunter22"), "no (hidden: WRITER_KEY)");
}

#[test]
fn secrets_do_not_leak_into_problems() {
    let (_parent, folder) = main_file(
        r#"{"agents": {"a": {"extra_args": {"completion": {"model": "m", "api_key": {"$env": "WRITER_KEY"}, "port": {"$env": "WRITER_KEY"}}}}}}"#,
    );
    let loaded = load(&folder, &options());
    // That the key is shorter than the schema wants is not said; only what every value of it shares.
    assert_eq!(codes(&loaded), ["type"]);
    assert!(!messages(&loaded).contains("hunter"));
}

#[test]
fn components_problems_are_placed_in_the_right_file() {
    let folder = tests_folder().join("valid/whole");
    let loaded = load(&folder, &options());
    let at = |pointer: &str| {
        let found = loaded.diagnostic_at(pointer, "m", Some("h".into()), Severity::Warning);
        assert_eq!((found.severity, found.hint.as_deref()), (Severity::Warning, Some("h")));
        let file = found.file.unwrap().strip_prefix(&folder).unwrap().display().to_string();
        let trail =
            found.trail.iter().map(|site| format!("{}:{}", site.line, site.column)).collect::<Vec<_>>();
        (file, found.line.unwrap(), found.column.unwrap(), trail.join(" "))
    };
    assert_eq!(
        at("/sources/docs/extra_args/dst_path"),
        ("more/docs.jsonc".into(), 3, 75, "9:25 3:22".into())
    );
    assert_eq!(at("/sources/papers/extra_args/dst_path"), ("sources.jsonc".into(), 4, 89, "9:25".into()));
    let path = "/ontologies/entities/extra_args/initial_nodes/path";
    assert_eq!(at(path), ("ontologies/all.jsonc".into(), 2, 75, "10:28".into()), "$path is path");
    assert_eq!(at("/agents/writer/tools/0"), (MAIN_FILE.into(), 21, 23, String::new()));
    // What is not there is shown at what is around it.
    assert_eq!(at("/sources/papers/extra_args/nope/deeper"), ("sources.jsonc".into(), 4, 16, "9:25".into()));
    assert_eq!(at("/sources/docs/nope"), ("sources.jsonc".into(), 3, 5, "9:25".into()));
    assert_eq!(at("/nope"), (MAIN_FILE.into(), 1, 1, String::new()));
    assert_eq!(at("nonsense ~9 //"), (MAIN_FILE.into(), 1, 1, String::new()));
}

#[test]
fn what_is_sound_can_be_used_although_something_else_is_not() {
    let (_parent, folder) = main_file(
        r#"{"name": "n", "sources": {
            "good": {"extra_args": {"type": "markdown_tree", "dst_path": "x"}},
            "odd": {"extra_args": {"type": "nope", "dst_path": "x"}},
            "bad": {"tools": 7}},
            "agents": 5, "expose": {}, "timezone": "UTC"}"#,
    );
    let loaded = load(&folder, &options());
    assert_eq!(loaded.diagnostics.len(), 6, "{}", messages(&loaded));
    let names: Vec<_> = loaded.config.items().map(|(_, item)| item.name.as_str()).collect();
    assert_eq!((loaded.config.name.as_str(), names), ("n", vec!["good", "odd"]));
}

#[test]
fn folders_that_are_no_endpoint() {
    let parent = tempfile::tempdir().unwrap();
    assert_eq!(codes(&load(&parent.path().join("no"), &options())), ["unreadable"]);
    let folder = parent.path().join("bad-name");
    fs::create_dir(&folder).unwrap();
    let loaded = load(&folder, &options());
    assert_eq!(codes(&loaded), ["unreadable", "name"]);
    assert!(messages(&loaded).contains("hint: 'badname' would be a valid name"), "{}", messages(&loaded));
}

#[test]
fn hostile_files_are_harmless() {
    let brackets = "[".repeat(100_000);
    let large = " ".repeat((16 << 20) + 1);
    for (text, code) in
        [(brackets.as_str(), "too-deep"), (&large, "too-large"), ("", "syntax"), ("nul", "syntax")]
    {
        let (_parent, folder) =
            endpoint(&[(MAIN_FILE, r#"{"sources": {"$ref": "s.jsonc"}}"#), ("s.jsonc", text)]);
        let loaded = load(&folder, &options());
        assert_eq!(codes(&loaded), [code]);
        assert_eq!(loaded.diagnostics[0].trail.len(), 1, "the reference is named");
    }
}

#[test]
fn references_cannot_multiply_without_end() {
    let members = |to: usize| {
        let members: Vec<_> = (0..10).map(|n| format!(r#""k{n}": {{"$ref": "f{to}.jsonc"}}"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let (_parent, folder) = main_file(r#"{"sources": {"$ref": "f1.jsonc"}}"#);
    for n in 1..8 {
        fs::write(folder.join(format!("f{n}.jsonc")), members(n + 1)).unwrap();
    }
    fs::write(folder.join("f8.jsonc"), "{}").unwrap();
    let loaded = load(&folder, &options());
    assert!(codes(&loaded).contains(&"too-large"));
    assert!(loaded.diagnostics.len() <= 201);
}

#[test]
fn many_problems_are_cut() {
    let members: Vec<_> = (0..5_000).map(|n| format!("\"unknown{n}\": 1")).collect();
    let (_parent, folder) = main_file(&format!("{{{}}}", members.join(",")));
    let loaded = load(&folder, &options());
    assert_eq!(loaded.diagnostics.len(), 201);
    assert_eq!(loaded.diagnostics[200].message, "4800 more problems are not shown");
}

#[test]
fn free_keys_of_maps_stay() {
    let (_parent, folder) = main_file(
        r#"{"agents": {"a": {"x-b": 1, "extra_args": {"x-a": 1, "completion": {"model": "m", "x-c": 1, "headers": {"x-key": "v"}}}}}}"#,
    );
    let loaded = load(&folder, &options());
    assert!(loaded.diagnostics.is_empty(), "{}", messages(&loaded));
    let arguments = &loaded.config.section(Section::Agents)["a"].extra_args;
    assert_eq!(arguments, &json!({"completion": {"model": "m", "headers": {"x-key": "v"}}}));
}

#[cfg(unix)]
#[test]
fn nothing_outside_the_folder_is_read() {
    let (parent, folder) =
        main_file(r#"{"sources": {"$ref": "s.jsonc"}, "agents": {"$ref": "sub/a.jsonc"}}"#);
    fs::write(parent.path().join("secret.jsonc"), "= top secret").unwrap();
    std::os::unix::fs::symlink("../secret.jsonc", folder.join("s.jsonc")).unwrap();
    std::os::unix::fs::symlink(parent.path(), folder.join("sub")).unwrap();
    let loaded = load(&folder, &options());
    assert_eq!(codes(&loaded), ["outside", "missing-file"]);
    fs::remove_file(folder.join(MAIN_FILE)).unwrap();
    std::os::unix::fs::symlink("../secret.jsonc", folder.join(MAIN_FILE)).unwrap();
    let loaded = load(&folder, &options());
    assert_eq!(codes(&loaded), ["outside"]);
    assert!(!messages(&loaded).contains("top secret"));
}

#[cfg(unix)]
#[test]
fn a_linked_folder_is_an_endpoint_by_its_own_name() {
    let (parent, folder) = main_file(r#"{"sources": {"$ref": "s.jsonc"}}"#);
    fs::write(folder.join("s.jsonc"), r#"{"s": {"extra_args": {"type": "markdown_tree", "dst_path": "d"}}}"#)
        .unwrap();
    let link = parent.path().join("other");
    std::os::unix::fs::symlink(&folder, &link).unwrap();
    let loaded = load(&link, &options());
    assert!(loaded.diagnostics.is_empty(), "{}", messages(&loaded));
    assert_eq!(loaded.config.folder_name, "other");
    let source = &loaded.config.section(Section::Sources)["s"];
    assert_eq!(source.extra_args["dst_path"], link.join("d").display().to_string());
}

#[test]
fn problems_have_the_shape_of_check_json() {
    let (_parent, folder) = main_file("{\n  \"sorces\": {}}");
    let loaded = load(&folder, &options());
    assert_eq!(
        serde_json::to_value(&loaded.diagnostics).unwrap(),
        json!([{
            "severity": "error",
            "code": "unknown-key",
            "message": "unknown key 'sorces' in the endpoint's definition",
            "file": folder.join(MAIN_FILE),
            "line": 2,
            "column": 3,
            "hint": "did you mean 'sources'?"
        }])
    );
}

#[test]
fn an_invalid_schema_is_a_problem_and_no_panic() {
    let (_parent, folder) = main_file("{}");
    let schemas = BTreeMap::from([(Section::Sources, json!({"type": "nonsense"}))]);
    let loaded = load(&folder, &Options { schemas, ..options() });
    assert_eq!(codes(&loaded), ["schema"]);
}

#[test]
fn editors_accept_what_loading_accepts() {
    let root = schema(&schemas());
    jsonschema::draft202012::meta::validate(&root).unwrap();
    let validate = |schema: &Value, path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        let value: Value = json5::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        let validator = jsonschema::draft202012::new(schema).unwrap();
        validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect::<Vec<_>>()
    };
    for case in cases("valid") {
        assert_eq!(validate(&root, &case.join(MAIN_FILE)), [""; 0], "{}", case.display());
    }
    for (section, file) in [("sources", "sources.jsonc"), ("ontologies", "ontologies/all.jsonc")] {
        let part = json!({"$ref": format!("#/$defs/{section}"), "$defs": root["$defs"]});
        let problems = validate(&part, &tests_folder().join("valid/whole").join(file));
        assert_eq!(problems, [""; 0], "{file}");
    }
    for case in ["unknown_keys", "wrong_values", "names"] {
        let path = tests_folder().join("invalid").join(case).join(MAIN_FILE);
        assert!(!validate(&root, &path).is_empty(), "{case}");
    }
    assert_eq!(schema(&schemas()), root, "the same each time");
}
