use mge_core::{OntologyRows, Severity};
use serde_json::{Value, json};

use crate::common::{Subject, files};
use std::sync::Arc;

const ENTITIES: &str =
    "id\tdefinition\tdisjoint_with\nperson\tA human.\tplace\nperson|clerk\tA clerk.\t\nplace\tA place.\t\n";

fn graph(name: &str, nodes: &str, edges: Option<&str>) -> (tempfile::TempDir, Arc<dyn OntologyRows>) {
    let folder = tempfile::tempdir().unwrap();
    let extra_args: Value = files(folder.path(), Some(nodes), edges, None);
    let rows = Subject::new(name, &extra_args, mge_core::Access::Read).component.facets().ontology.unwrap();
    (folder, rows)
}

fn told(entities: &str, relations: Option<&str>, known: Option<(&str, &str)>) -> Vec<String> {
    let entities = graph("entities", entities, None);
    let relations = relations.map(|rows| graph("relationships", rows, None));
    let known = known.map(|(nodes, edges)| graph("known_ids", nodes, Some(edges)));
    let relations = relations.as_ref().map(|(_, rows)| &**rows);
    let known = known.as_ref().map(|(_, rows)| &**rows);
    let problems = mge_ontology::validate(&*entities.1, relations, known);
    problems
        .iter()
        .map(|problem| {
            let place = problem.place.as_ref();
            let line = place.and_then(|place| place.line).unwrap_or(0);
            let sign = if problem.severity == Severity::Error { "E" } else { "W" };
            let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{sign}{line} {}{hint}", problem.message)
        })
        .collect()
}

#[test]
fn a_sound_ontology_has_no_problems() {
    let relations = "id\tsrc\tdst\tdefinition\nvisits\tperson|clerk\tplace\tA clerk visits a place.\n";
    assert!(told(ENTITIES, Some(relations), None).is_empty());
    assert!(told(ENTITIES, None, None).is_empty());
}

#[test]
fn what_the_newest_original_finds_is_found() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/goldens/agentic_graph_newest.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no golden '{}'", path.display());
        return;
    };
    let golden: Value = serde_json::from_str(&text).unwrap();
    for case in golden["validate_ontologies"].as_array().unwrap() {
        let name = case["case"].as_str().unwrap();
        // There, a graph that is not loaded is an error; ours reads it when it is needed.
        if name == "not loaded" {
            continue;
        }
        let rows = |key: &str, part: &str| case[key][part].as_str().map(str::to_owned);
        let entities = rows("entities", "nodes").unwrap();
        let known = rows("known_ids", "nodes").map(|nodes| {
            (nodes, rows("known_ids", "edges").unwrap_or("src\tdst\trelation\tid\n".to_owned()))
        });
        let relations = rows("relationships", "nodes");
        let found = told(
            &entities,
            relations.as_deref(),
            known.as_ref().map(|(nodes, edges)| (nodes.as_str(), edges.as_str())),
        );
        let found: Vec<&String> =
            found.iter().filter(|line| !line.contains("no relation and no instance")).collect();
        let theirs = case["errors"].as_array().unwrap();
        // Ours tells of a missing src and a missing dst one by one; everything else is told once by both.
        let expected = if name == "missing ends" { 2 } else { theirs.len() };
        assert_eq!(found.len(), expected, "{name}\n{theirs:#?}\n{found:#?}");
    }
}

#[test]
fn every_problem_is_told_with_its_line() {
    let relations = "id\tsrc\tdst\tdefintion\tfunctional\tinverse_of\tsymmetric\n\
        a\tpersn\tplace\td\t\t\t\n\
        b\tliteral\tliteral:colour\t\tmaybe\t\t\n\
        c|d\tperson\tplace\t\t\tz\ttrue\n\
        r1\tperson\tperson\t\t\tr2\t\n\
        r2\tperson\tperson\t\t\tr3\t\n\
        r3\tperson\tperson\t\t\tr1\t\n\
        s1\tperson\tplace\t\t\ts2\t\n\
        s2\tperson\tplace\t\t\ts1\t\n";
    let found = told(ENTITIES, Some(relations), None);
    assert_eq!(
        found,
        [
            "W1 the column 'defintion' means nothing (did you mean 'definition'?)",
            "W4 'c', the parent of 'c|d', is not listed and has no definition",
            "E2 the src of 'a' is 'persn', which is no concept (did you mean 'person'?)",
            "E3 the src of 'b' is a literal, but only a dst can be one",
            "E3 the dst of 'b' is 'literal:colour', which is no kind of literal (the kinds are literal:text, \
             literal:number, literal:quantity, literal:date, literal:boolean, literal:url)",
            "E3 functional of 'b' is 'maybe' (write true or leave it empty)",
            "E4 'c|d' is symmetric, but leads from 'person' to 'place'",
            "E4 'c|d' names 'z', which is no relation",
            "E5 inverse_of leads in a ring: r1 -> r2 -> r3 -> r1",
            "E8 's1' is the inverse of 's2', but their ends do not match",
            "E9 's2' is the inverse of 's1', but their ends do not match",
        ]
    );
}

#[test]
fn instances_and_facts_are_checked() {
    let relations = "id\tsrc\tdst\tdefinition\nvisits\tperson\tplace\td\nborn\tperson\tliteral:date\td\n";
    let nodes = "id\nperson|Ada\nperson\nghost|Bo\nCy\n";
    let edges = "src\tdst\trelation\tid\n\
        person|Ada\t1815\tborn\te1\n\
        person|Ada\tplace|Nowhere\tvisits\te2\n\
        person|Ada\tperson|Ada\tvisits\te3\n\
        person|Ada\tperson|Ada\tvisit\te4\n";
    let entities = "id\tdefinition\nperson\td\nplace\td\nvessel\td\n";
    assert_eq!(
        told(entities, Some(relations), Some((nodes, edges))),
        [
            "E5 'Cy' names no concept (write <concept>|Cy)",
            "E4 'ghost|Bo' is an instance of 'ghost', which is no concept",
            "W3 'person' is a concept; an instance has a name behind it",
            "E4 the dst of edge 'e3' is 'person|Ada', but 'visits' needs a 'place'",
            "E5 the relation of edge 'e4' is 'visit', which is no relation (did you mean 'visits'?)",
            "E3 the dst of edge 'e2' is 'place|Nowhere', which is no known id",
            "W4 no relation and no instance uses 'vessel'",
        ]
    );
}

#[test]
fn an_unreadable_graph_is_told_and_the_rest_is_checked() {
    let gone = json!({"initial_nodes": {"type": "csv", "path": "/no/such/file.csv"}});
    let gone =
        Subject::new("relationships", &gone, mge_core::Access::Read).component.facets().ontology.unwrap();
    let (_folder, entities) = graph("entities", ENTITIES, None);
    let problems = mge_ontology::validate(&*entities, Some(&*gone), None);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code, "unreadable-ontology");
}

#[test]
fn the_template_is_sound() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../endpoints-template/ontology_source");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let nodes = read("known_ids_nodes.csv");
    let edges = read("known_ids_edges.csv");
    let relations = read("relationships_concepts.csv");
    let found = told(&read("entities_concepts.csv"), Some(&relations), Some((&nodes, &edges)));
    assert!(found.is_empty(), "{found:#?}");
}
