use std::fmt::Write as _;

use mge_core::testing::{has_a_sound_face, pilots_to_ready};
use mge_core::{Access, EdgeRow, GraphRow, NodeRow, OntologyRows, RunErrorKind, Severity};
use serde_json::{Value, json};

use crate::common::{Subject, files};

const NODES: &str = "id\taliases\nperson|Ada\tA. L.;Countess\nship|Petrel\t\n";
const EDGES: &str = "src\tdst\trelation\tid\nperson|Ada\tship|Petrel\tcommands\te1\n";

fn crawled(names: &[&str]) -> Vec<GraphRow> {
    names
        .iter()
        .map(|name| {
            let attributes = [("origin".to_owned(), "crawl".to_owned())].into();
            GraphRow::Node(NodeRow { id: format!("person|{name}"), attributes })
        })
        .collect()
}

fn replace(rows: &dyn OntologyRows, graph: &str, names: &[&str]) {
    rows.replace_crawled(graph, &mut crawled(names).into_iter()).unwrap();
}

fn persons(subject: &Subject) -> Vec<String> {
    let list = subject.call("children_by_idx", json!({"index": "known|person"})).unwrap();
    list.as_array()
        .unwrap()
        .iter()
        .map(|index| index.as_str().unwrap().replace("known|person|", ""))
        .collect()
}

#[test]
fn the_contracts_suites_hold() {
    let folder = tempfile::tempdir().unwrap();
    let extra_args = files(folder.path(), Some(NODES), Some(EDGES), None);
    let subject = Subject::new("known", &extra_args, Access::Write);
    pilots_to_ready(&*subject.component);
    has_a_sound_face(&*subject.component);
}

#[test]
fn an_empty_graph_is_ready_too() {
    let subject = Subject::ready("none", &json!({}));
    assert_eq!(subject.call("children_by_idx", json!({"index": ""})).unwrap(), json!([]));
    assert_eq!(
        subject.call("node_by_idx", json!({"index": "none"})).unwrap(),
        json!({"type": "group", "children": 0})
    );
    let error = subject.call("node_by_idx", json!({"index": "none|x"})).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::FailedToFindCapability);
}

#[test]
fn both_forms_of_an_index_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let subject = Subject::ready("person", &files(folder.path(), Some(NODES), Some(EDGES), None));
    for index in ["person|person|Ada", "person|Ada"] {
        let node = subject.call("node_by_idx", json!({"index": index})).unwrap();
        assert_eq!(node["aliases"], "A. L.;Countess", "{index}");
    }
    let edge = "person|_edge_|person|Ada||ship|Petrel||e1";
    let list = subject.call("children_by_idx", json!({"index": "person|_edge_|person|Ada"})).unwrap();
    assert_eq!(list, json!([edge]));
    assert_eq!(subject.call("node_by_idx", json!({"index": edge})).unwrap(), json!({"relation": "commands"}));
}

#[test]
fn an_unknown_index_is_told_how_far_it_exists() {
    let folder = tempfile::tempdir().unwrap();
    let subject = Subject::ready("known", &files(folder.path(), Some(NODES), None, None));
    let error = subject.call("node_by_idx", json!({"index": "known|person|Adda|x"})).unwrap_err();
    assert_eq!(
        error.message,
        "there is no 'known|person|Adda|x'; the longest part that exists is 'known|person'"
    );
    assert_eq!(error.hint.as_deref(), Some("did you mean 'known|person|Ada'?"));
    let huge = "a|".repeat(1_000_000);
    assert!(subject.call("node_by_idx", json!({"index": huge})).unwrap_err().message.len() < 500);
}

#[test]
fn long_lists_say_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = (0..120).fold("id\n".to_owned(), |mut rows, number| {
        writeln!(rows, "person|p{number:03}").unwrap();
        rows
    });
    let subject = Subject::ready("known", &files(folder.path(), Some(&nodes), None, None));
    let mut seen = Vec::new();
    loop {
        let arguments = json!({"index": "person", "offset": seen.len()});
        let list = subject.call("children_by_idx", arguments).unwrap();
        let list = list.as_array().unwrap();
        seen.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
        let Some(more) = list.last().filter(|entry| entry["truncated"] == true) else { break };
        assert_eq!(more["total"], 120);
        assert_eq!(list.len(), 51);
    }
    assert_eq!(seen.len(), 120);
    assert_eq!(seen[119], "known|person|p119");
}

#[test]
fn edges_and_paths_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let edges = "src\tdst\trelation\tid\na|1\tb|1\tknows\te1\na|1\tb|1\tknows|well\te2\nb|2\tb|1\tnear\te3\n";
    let subject = Subject::ready("g", &files(folder.path(), None, Some(edges), None));
    let ids = |arguments: Value| {
        let list = subject.call("edges", arguments).unwrap();
        list.as_array()
            .unwrap()
            .iter()
            .map(|edge| edge["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(json!({"src": "a"})), ["e1", "e2"]);
    assert_eq!(ids(json!({"relation": "knows"})), ["e1", "e2"]);
    assert_eq!(ids(json!({"dst": "g|b|1", "relation": "knows|well"})), ["e2"]);
    assert!(ids(json!({"src": "a", "dst": "b|2"})).is_empty());
    let path = subject.call("path", json!({"from": "a|1", "to": "b|2"})).unwrap();
    assert_eq!(path["length"], 2);
    assert_eq!(path["edges"][1]["id"], "e3");
    assert_eq!(subject.call("path", json!({"from": "a|1", "to": "a|1"})).unwrap()["length"], 0);
    assert_eq!(subject.call("path", json!({"from": "a|1", "to": "b"})).unwrap()["length"], Value::Null);
}

#[test]
fn crawled_rows_live_beside_the_curated_ones() {
    let folder = tempfile::tempdir().unwrap();
    let mut extra_args = files(folder.path(), Some(NODES), Some(EDGES), None);
    extra_args["persistence"] = json!({"type": "jsonl", "path": folder.path().join("graphs/known.jsonl")});
    let subject = Subject::ready("known", &extra_args);
    let rows = subject.component.facets().ontology.unwrap();
    let before = rows.curated().unwrap();
    replace(&*rows, "one", &["Bo", "Cy"]);
    replace(&*rows, "two", &["Di", "Ada"]);
    assert_eq!(persons(&subject), ["Ada", "Bo", "Cy", "Di"]);
    replace(&*rows, "one", &["Eli"]);
    assert_eq!(persons(&subject), ["Ada", "Di", "Eli"]);
    let node = subject.call("node_by_idx", json!({"index": "person|Eli"})).unwrap();
    assert_eq!(node, json!({"origin": "crawl"}));
    // What a person wrote is not changed by a crawl of the same name, and the version is of those rows alone.
    assert_eq!(*rows.curated().unwrap(), *before);
    let again = Subject::ready("known", &extra_args);
    assert_eq!(persons(&again), ["Ada", "Di", "Eli"]);
    assert!(again.log.0.lock().unwrap().is_empty());
    assert!(again.component.check().is_empty());
    assert_eq!(std::fs::read_dir(folder.path().join("graphs")).unwrap().count(), 1);
}

#[test]
fn rows_in_any_order_have_one_digest() {
    let folder = tempfile::tempdir().unwrap();
    let digest = |nodes: &str| {
        let subject = Subject::ready("known", &files(folder.path(), Some(nodes), None, None));
        subject.component.facets().ontology.unwrap().curated().unwrap().digest
    };
    let one = digest("id\tdefinition\tnote\na\tx\t\nb\ty\tz\n");
    assert_eq!(one, digest("id\tnote\tdefinition\nb\tz\ty\na\t\tx\n"));
    assert_ne!(one, digest("id\tdefinition\tnote\na\tx\t\nb\ty\tw\n"));
}

#[test]
fn a_changed_file_is_taken_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut extra_args = files(folder.path(), Some(NODES), None, None);
    extra_args["persistence"] = json!({"type": "pickle", "path": folder.path().join("known.pickle")});
    let subject = Subject::ready("known", &extra_args);
    let said = subject.log.0.lock().unwrap().clone();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("known.jsonl"));
    let rows = subject.component.facets().ontology.unwrap();
    replace(&*rows, "one", &["Bo"]);
    subject.component.close(true).unwrap();
    assert!(!folder.path().join("known.pickle").exists());

    std::fs::write(folder.path().join("nodes.csv"), "id\taliases\nperson|Ada\tCountess\nperson|Zoe\t\n")
        .unwrap();
    let reader = Subject::new("known", &extra_args, Access::Read);
    let problems = reader.component.check();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.ends_with("1 rows added, 1 removed, 1 changed"), "{}", problems[0].message);
    assert_eq!(problems[0].severity, Severity::Warning);
    assert_eq!(reader.pilot(), 100);
    assert_eq!(persons(&reader), ["Ada", "Zoe", "Bo"]);
    reader.component.close(true).unwrap();
    assert_eq!(Subject::new("known", &extra_args, Access::Read).component.check().len(), 1);
    // Closing with the lock takes the change over.
    Subject::ready("known", &extra_args).component.close(true).unwrap();
    assert!(Subject::new("known", &extra_args, Access::Read).component.check().is_empty());
}

#[test]
fn what_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut extra_args = files(folder.path(), Some(NODES), None, None);
    let plain = Subject::ready("known", &extra_args).component.facets().ontology.unwrap();
    let fault = plain.replace_crawled("one", &mut crawled(&["Bo"]).into_iter()).unwrap_err();
    assert!(fault.hint.unwrap().contains("graphs/known.jsonl"));
    let store = folder.path().join("known.jsonl");
    extra_args["persistence"] = json!({"type": "jsonl", "path": store});
    let reader = Subject::new("known", &extra_args, Access::Read);
    let rows = reader.component.facets().ontology.unwrap();
    assert!(rows.replace_crawled("one", &mut crawled(&["Bo"]).into_iter()).is_err());
    // Foreign, newer and damaged files are told apart, and stay as they are.
    for (content, told) in [
        ("{\"some\": \"file\"}\n", "is not a stored ontology graph"),
        ("{\"version\":9,\"format\":\"mge-ontology-graph\",\"new\":1}\n", "has version 9"),
        ("{\"version\":1,\"format\":\"mge-ontology-graph\",\"import\":\"\"}\n{\"origin\":\"cr", "line 2"),
    ] {
        std::fs::write(&store, content).unwrap();
        let subject = Subject::new("known", &extra_args, Access::Write);
        assert_eq!(subject.pilot(), -1);
        let fault = subject.component.standing().fault().unwrap();
        assert!(fault.message.contains(told), "{fault}");
        let rows = subject.component.facets().ontology.unwrap();
        assert!(rows.replace_crawled("one", &mut crawled(&["Bo"]).into_iter()).is_err());
        assert_eq!(std::fs::read_to_string(&store).unwrap(), content);
    }
}

#[test]
fn a_failing_crawl_leaves_the_old_rows() {
    let folder = tempfile::tempdir().unwrap();
    let mut extra_args = files(folder.path(), Some(NODES), None, None);
    extra_args["persistence"] = json!({"type": "jsonl", "path": folder.path().join("known.jsonl")});
    let subject = Subject::ready("known", &extra_args);
    let rows = subject.component.facets().ontology.unwrap();
    replace(&*rows, "one", &["Bo"]);
    // A folder in the way of the temporary file: nothing can be written.
    std::fs::create_dir(folder.path().join("known.jsonl.new")).unwrap();
    assert!(rows.replace_crawled("one", &mut crawled(&["Cy"]).into_iter()).is_err());
    assert_eq!(persons(&subject), ["Ada", "Bo"]);
}

#[test]
fn bad_rows_are_all_reported_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "id\tdefinition\r\n\r\nx\tfirst\r\n\tno id\r\ny\r\nx\tsecond\r\n\"q\nr\"\tok\r\nz\ta\tb\r\nx\tfirst\r\n\"open\td\r\n";
    let edges = "src\tdst\tid\tw\na\tb\te\t1\n\tb\tf\t\na\tb\te\t2\n";
    let subject = Subject::new("g", &files(folder.path(), Some(nodes), Some(edges), None), Access::Write);
    let problems = subject.component.check();
    let told: Vec<String> = problems
        .iter()
        .map(|problem| {
            let place = problem.place.as_ref().unwrap();
            format!(
                "{}:{} {}",
                place.file.file_name().unwrap().display(),
                place.line.unwrap(),
                problem.message
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "nodes.csv:4 the id is empty",
            "nodes.csv:5 1 field where the header has 2",
            "nodes.csv:6 'x' was given other attributes in line 3",
            "nodes.csv:9 3 fields where the header has 2",
            "nodes.csv:11 1 field where the header has 2",
            "nodes.csv:11 a quote is opened and never closed; the rest of the file is inside it",
            "edges.csv:3 the src is empty",
            "edges.csv:4 'e' was given other attributes in line 2",
        ]
    );
    assert_eq!(subject.pilot(), -1);
    let fault = subject.component.standing().fault().unwrap();
    assert_eq!(fault.message, "the id is empty (and 7 more errors)");
    assert_eq!(fault.place.unwrap().line, Some(4));
}

#[test]
fn broken_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let told = |nodes: &[u8], format: Option<&Value>| {
        let extra_args = files(folder.path(), Some(""), None, format);
        std::fs::write(folder.path().join("nodes.csv"), nodes).unwrap();
        let problem = Subject::new("g", &extra_args, Access::Write).component.check().remove(0);
        format!("{}: {} ({})", problem.code, problem.message, problem.hint.unwrap_or_default())
    };
    assert!(told(b"id\nx\n\xff\n", None).starts_with("not-utf8"));
    assert!(told(b"\xff\xfei\0d\0", None).contains("UTF-16"));
    assert!(told(b"", None).contains("is empty"));
    assert!(told(b"id,definition\n", None).contains("the header holds commas"));
    assert!(told(b"ids\tdefinition\n", None).contains("did you mean 'ids'?"));
    assert!(told(b"id\tid\n", None).contains("two columns 'id'"));
    assert!(told(b"id\t\n", None).contains("column 2 has no name"));
    assert!(told(b"id\n", Some(&json!({"sep": "ab"}))).starts_with("bad-separator"));
    assert!(told(b"id\n", Some(&json!({"sep": "\t", "directed": false}))).starts_with("undirected"));
    let missing = json!({"initial_nodes": {"type": "csv", "path": folder.path().join("none.csv")}});
    let subject = Subject::new("g", &missing, Access::Write);
    assert_eq!(subject.pilot(), -1);
    assert!(subject.component.standing().fault().unwrap().message.contains("none.csv"));
}

#[test]
fn json_lines_are_read_as_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nodes.jsonl");
    std::fs::write(
        &path,
        "{\"id\": 1, \"definition\": \"one\", \"none\": null, \"yes\": true}\n\n{\"id\": \"NA\"}\n",
    )
    .unwrap();
    let extra_args = json!({"initial_nodes": {"type": "jsonl", "path": path}});
    let subject = Subject::ready("g", &extra_args);
    let node = subject.call("node_by_idx", json!({"index": "1"})).unwrap();
    assert_eq!(node, json!({"definition": "one", "yes": "true"}));
    std::fs::write(&path, "{\"id\": \"a\"}\nnot json\n{\"di\": 1}\n{\"id\": [1]}\n").unwrap();
    let lines: Vec<_> =
        subject.component.check().iter().map(|problem| problem.place.as_ref().unwrap().line).collect();
    assert_eq!(lines, [Some(2), Some(3), Some(4)]);
}

#[test]
fn what_is_not_built_is_told() {
    let problems = Subject::ready("g", &json!({"writable": true})).component.check();
    assert_eq!(problems[0].pointer.as_deref(), Some("/writable"));
}

#[test]
fn a_status_counts_without_piloting() {
    let folder = tempfile::tempdir().unwrap();
    let mut extra_args = files(folder.path(), Some(NODES), Some(EDGES), None);
    extra_args["persistence"] = json!({"type": "jsonl", "path": folder.path().join("known.jsonl")});
    let counts = || {
        let item = mge_core::ItemView { name: "known", folder: folder.path(), extra_args: &extra_args };
        (mge_ontology::KIND.counts)(&item).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(counts(), [("edges".to_owned(), 1), ("nodes".to_owned(), 2)]);
    let subject = Subject::ready("known", &extra_args);
    replace(&*subject.component.facets().ontology.unwrap(), "one", &["Bo", "Cy"]);
    assert_eq!(counts()[0], ("crawled".to_owned(), 2));
}

#[test]
fn parallel_edges_are_told_apart_by_their_ids() {
    let folder = tempfile::tempdir().unwrap();
    let edges = "src\tdst\tid\tw\na\tb\te1\t1\na\tb\te2\t2\n";
    let subject = Subject::ready("g", &files(folder.path(), None, Some(edges), None));
    for (id, weight) in [("e1", "1"), ("e2", "2")] {
        let node = subject.call("node_by_idx", json!({"index": format!("g|_edge_|a||b||{id}")})).unwrap();
        assert_eq!(node, json!({"w": weight}));
    }
    let row =
        EdgeRow { src: "a".to_owned(), dst: "b".to_owned(), id: "e2".to_owned(), attributes: [].into() };
    let place = subject.component.facets().ontology.unwrap().edge_place(&row).unwrap();
    assert_eq!(place.line, Some(3));
}

/// Run with `--ignored --nocapture` in release mode: what a large ontology costs.
#[test]
#[ignore = "a measurement"]
fn a_large_ontology_loads_in_well_under_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let mut nodes = "id\tdefinition\n".to_owned();
    let id = |number: usize| format!("c{}|d{}|node number {number}", number % 10, number % 1000);
    for number in 0..100_000 {
        writeln!(nodes, "{}\tWhat node {number} means, in one sentence.", id(number)).unwrap();
    }
    let mut edges = "src\tdst\trelation\tid\n".to_owned();
    for number in 0..300_000usize {
        let (src, dst) = (number.wrapping_mul(7919) % 100_000, number.wrapping_mul(104_729) % 100_000);
        writeln!(edges, "{}\t{}\tr{}\tedge_{number}", id(src), id(dst), number % 20).unwrap();
    }
    let extra_args = files(folder.path(), Some(&nodes), Some(&edges), None);
    let memory = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default().to_owned();
        line.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0) / 1024
    };
    // Time on the processor, which other work on the machine does not lengthen much.
    let processor = || {
        let status = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let nanoseconds = status.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
        std::time::Duration::from_nanos(nanoseconds)
    };
    drop((nodes, edges));
    let before = memory();
    let worked = processor();
    let start = std::time::Instant::now();
    let subject = Subject::ready("big", &extra_args);
    let load = (start.elapsed(), processor() - worked);
    let held = memory().saturating_sub(before);
    let start = std::time::Instant::now();
    for number in 0..1000 {
        subject.call("node_by_idx", json!({"index": format!("big|{}", id(number * 97))})).unwrap();
    }
    let look_ups = start.elapsed();
    let start = std::time::Instant::now();
    let list = subject.call("search", json!({"text": "node number 77777"})).unwrap();
    let search = start.elapsed();
    assert_eq!(list.as_array().unwrap().len(), 1);
    let start = std::time::Instant::now();
    let rows = subject.component.facets().ontology.unwrap().curated().unwrap();
    let curated = start.elapsed();
    assert_eq!((rows.nodes.len(), rows.edges.len()), (100_000, 300_000));
    eprintln!(
        "load (wall, processor) {load:?}, +{held} MiB; 1,000 look-ups {look_ups:?}; search {search:?}; curated rows {curated:?}"
    );
}
