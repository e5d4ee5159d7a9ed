//! Which crate of the workspace may use which. A new edge is a line here, and a reason in the commit that brings it.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Each crate, and those of ours that it may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("mge-core", &[]),
    ("mge-config", &[]),
    // Formats only: they would read a document or an export anywhere.
    ("mge-convert", &[]),
    ("mge-wiki", &[]),
    ("mge-ontology", &["mge-core"]),
    // Knows files of SQLite and nothing of what is in them.
    ("mge-sqlite", &[]),
    // Knows passages of text and nothing of where they come from.
    ("mge-search", &["mge-sqlite"]),
    ("mge-source", &["mge-convert", "mge-core", "mge-search", "mge-sqlite", "mge-wiki"]),
    ("mge-formalize", &["mge-core", "mge-ontology"]),
    ("mge-evidence", &["mge-core", "mge-ontology", "mge-sqlite"]),
    ("mge-endpoint", &["mge-core", "mge-config"]),
    // The composition root alone knows the concrete components.
    (
        "mge",
        &[
            "mge-core",
            "mge-config",
            "mge-ontology",
            "mge-source",
            "mge-formalize",
            "mge-evidence",
            "mge-endpoint",
        ],
    ),
    // A chore is built in a second.
    ("xtask", &[]),
];

/// Crates outside the house, which may look at all of it.
const OUTSIDE: &[&str] = &["mge-bench"];

/// What the innermost crate does without: a runtime, a store, anything that speaks to the outside.
const NOT_IN_CORE: &[&str] = &["rusqlite", "reqwest", "hyper", "axum", "clap"];

type Edges = BTreeMap<String, BTreeSet<String>>;

/// Returns what each crate names in its normal dependencies; tests may use more.
fn edges() -> Edges {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let normal = |dependency: &Value| dependency["kind"].is_null();
    list(&metadata["packages"])
        .iter()
        .map(|package| {
            (
                name(package),
                list(&package["dependencies"]).iter().filter(|one| normal(one)).map(name).collect(),
            )
        })
        .collect()
}

#[test]
fn arrows_point_down_only() {
    let edges = edges();
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut wrong = Vec::new();
    for (package, dependencies) in &edges {
        if OUTSIDE.contains(&package.as_str()) {
            continue;
        }
        let Some(may) = allowed.get(package.as_str()) else {
            wrong.push(format!("the crate {package} is not in the table"));
            continue;
        };
        for dependency in dependencies.iter().filter(|dependency| edges.contains_key(*dependency)) {
            if !may.contains(&dependency.as_str()) {
                wrong.push(format!("{package} may not use {dependency}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_holds_no_crate_that_is_gone() {
    let edges = edges();
    let gone: Vec<&str> =
        ALLOWED.iter().map(|(name, _)| *name).filter(|name| !edges.contains_key(*name)).collect();
    assert!(gone.is_empty(), "{gone:?}");
}

#[test]
fn only_the_command_line_uses_anyhow_and_core_stays_light() {
    for (package, dependencies) in edges() {
        let is_cli = package == "mge" || OUTSIDE.contains(&package.as_str());
        assert!(is_cli || !dependencies.contains("anyhow"), "{package} uses anyhow");
        if package == "mge-core" {
            for heavy in NOT_IN_CORE {
                assert!(!dependencies.contains(*heavy), "mge-core uses {heavy}");
            }
        }
    }
}
