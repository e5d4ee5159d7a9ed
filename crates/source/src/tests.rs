//! Sources over real folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::tz::TimeZone;
use mge_core::{Cancel, ChunkRule, Corpus, CorpusError, Index, NoProgress};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Source, SourceConfig};

/// A folder with files, gone at the end.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        for (path, text) in files {
            folder.write(path, text.as_bytes());
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    fn source(&self, extra_args: Value) -> Source {
        let mut extra_args = extra_args;
        extra_args["dst_path"] = json!(".");
        let config = SourceConfig::read(&extra_args).expect("a configuration");
        Source::open("m", self.path(), config, TimeZone::UTC, &NoProgress, &Cancel::default())
            .expect("a source")
    }
}

/// Returns a node as the component answers with it.
fn answer(source: &Source, index: &str) -> Result<Value, CorpusError> {
    source.object(index).map(|node| node.to_json())
}

fn goldens() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/goldens");
    if folder.is_dir() { Some(folder) } else { None }
}

fn golden(name: &str) -> Option<Value> {
    let Some(folder) = goldens() else {
        say("skipped: no recorded answers");
        return None;
    };
    let text = fs::read_to_string(folder.join(name)).expect("recorded answers");
    Some(serde_json::from_str(&text).expect("JSON"))
}

#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn say(text: &str) {
    println!("{text}");
}

fn indices(source: &Source) -> Vec<String> {
    documents(source).into_iter().filter_map(Result::ok).collect()
}

fn documents(source: &Source) -> Vec<Result<String, CorpusError>> {
    let listed = source.documents(&Index::new("m")).expect("a listing");
    listed.map(|document| document.map(|document| document.index.to_string())).collect()
}

#[test]
fn the_clusters_are_those_of_the_original() {
    let Some(cases) = golden("clustering.json") else { return };
    for case in cases.as_array().expect("cases") {
        let folder = Folder::new(&[]);
        for number in 1..=case["n_files"].as_u64().expect("a number") {
            folder.write(&format!("f{number:03}.md"), b"");
        }
        let source = folder.source(json!({"cluster_size": case["cluster_size"]}));
        for (index, children) in case["children"].as_object().expect("children") {
            let ours = source.children(index).expect("a node");
            assert_eq!(json!(ours), *children, "{index} of {}", case["n_files"]);
        }
    }
}

#[test]
fn the_files_are_those_of_the_original_but_for_faults() {
    let Some(recorded) = golden("tree_filter.json") else { return };
    let folder = Folder::new(&[]);
    for path in recorded["files"].as_array().expect("files") {
        let path = path.as_str().expect("a path");
        if !matches!(path, "link.md" | "broken.md") {
            folder.write(path, b"# x\n");
        }
    }
    link(Path::new("a.md"), &folder.path().join("link.md"));
    link(Path::new("nowhere.md"), &folder.path().join("broken.md"));
    // Hidden files, the file that is only named like an ending, and backups: fault 5.
    let fault_5 = ["m|.hidden.md", "m|md", "m|sub/g.md.bak"];
    for case in recorded["by_extensions"].as_array().expect("cases") {
        let filtered = !matches!(&case["extensions"], Value::Null) && case["extensions"] != json!([]);
        let source = folder.source(json!({"extensions": case["extensions"]}));
        let expected: Vec<&str> = case["children"]
            .as_array()
            .expect("children")
            .iter()
            .filter_map(Value::as_str)
            .filter(|index| !fault_5.contains(index) || (!filtered && *index == "m|md"))
            .collect();
        assert_eq!(indices(&source), expected, "{}", case["extensions"]);
        assert_eq!(source.children("m").expect("the root"), expected);
    }
    let source = folder.source(json!({"extensions": ["md"]}));
    for case in recorded["queries_with_ext_md"].as_array().expect("cases") {
        let Some(index) = case["index"].as_str() else { continue };
        let children = source.children(index);
        match (&case["get_children_idx"], index) {
            (Value::Array(_), _) | (_, "") => assert_eq!(children.expect("the root").len(), 6, "{index}"),
            (Value::Null, _) => assert!(matches!(children, Err(CorpusError::NotFound { .. })), "{index}"),
            // Theirs answered with the file for what lies below it and is not there.
            (_, deep) if deep.matches('|').count() > 1 => assert!(children.is_err(), "{index}"),
            _ => assert_eq!(children.expect("a file"), [format!("{index}|header_1_1")]),
        }
    }
    assert_eq!(source.skipped(), [("broken.md".to_owned(), "it links to nothing".to_owned())]);
}

fn link(target: &Path, link: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(target, link).expect("a link");
    #[cfg(not(unix))]
    let _ = (target, link);
}

#[test]
fn the_answers_are_those_of_the_original_but_for_faults() {
    let Some(recorded) = golden("source_api.json") else { return };
    let Some(trees) = golden("markdown_newest.json") else { return };
    let folder = Folder::new(&[]);
    for file in trees["files"].as_array().expect("files") {
        let text = file["text"].as_str().unwrap_or("# text kept elsewhere\n");
        folder.write(file["name"].as_str().expect("a name"), text.as_bytes());
    }
    // Not among the trees, but among the answers.
    for name in ["real_rfcs_1214-projections-lifetimes-and-wf.md", "real_wtf_README.md"] {
        folder.write(name, b"");
    }
    let source = folder.source(json!({"description": ["a", "b"]}));
    let renamed = |index: &str| index.replacen("docs", "m", 1);
    for query in recorded["queries"].as_array().expect("queries") {
        let Some(index) = query["index"].as_str().filter(|_| query["when"] == "after pilot") else {
            continue;
        };
        let (children, object) = (source.children(&renamed(index)), answer(&source, &renamed(index)));
        match &query["get_children_idx"] {
            // The lists of the file are nested and continued in ours: fault 11.
            Value::Array(_) if index.ends_with("|header_1_1") || index.ends_with("|list_1") => {
                assert!(!children.expect("an element").is_empty());
            }
            Value::Array(theirs) => {
                let theirs: Vec<String> = theirs.iter().filter_map(Value::as_str).map(renamed).collect();
                let ours = children.expect("it is there");
                assert!(ours.starts_with(&theirs), "{index}: {ours:?}");
            }
            // A leaf has no children; theirs said null.
            _ if index.ends_with(".md|text_1") => assert!(children.expect("a leaf").is_empty()),
            _ => assert!(matches!(children, Err(CorpusError::NotFound { .. })), "{index}"),
        }
        let theirs = &query["child"];
        if let Some(content) = theirs.get("content") {
            assert_eq!(object.expect("a leaf")["content"], *content, "{index}");
        } else if theirs["type"].as_str().is_some_and(|kind| kind.starts_with("SourceEntity: ")) {
            let ours = object.expect("an element");
            assert_eq!(ours["description"], theirs["description"], "{index}");
            assert_eq!(
                theirs["type"],
                format!("SourceEntity: SourceEntityType.{}", ours["type"].as_str().unwrap_or(""))
            );
        } else if theirs["type"] == "object" {
            let shown = object.expect("a node").to_string();
            assert!(
                !shown.contains("class") && !shown.contains(&folder.path().display().to_string()),
                "{shown}"
            );
        }
    }
}

#[test]
fn fault_1_the_order_is_that_of_the_paths() {
    let names = ["b.md", "a.md", "a/z.md", "a-b.md", "B.md", "é.md", "a/b/c.md", "a b.md"];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "")).collect();
    let forward = indices(&Folder::new(&files).source(json!({})));
    let backward: Vec<(&str, &str)> = files.into_iter().rev().collect();
    assert_eq!(forward, indices(&Folder::new(&backward).source(json!({}))));
    let mut sorted: Vec<String> = names.iter().map(|name| format!("m|{name}")).collect();
    sorted.sort();
    assert_eq!(forward, sorted);
}

#[test]
fn fault_2_a_new_file_changes_no_index() {
    let folder = Folder::new(&[("b.md", "# B\n"), ("c.md", ""), ("d.md", "")]);
    let source = folder.source(json!({"cluster_size": 2}));
    assert_eq!(source.children("m|1:1").expect("a cluster"), ["m|1:1|b.md", "m|1:1|c.md"]);
    let before = answer(&source, "m|1:1|b.md|header_1_1").expect("a heading");
    assert_eq!(before["index"], "m|b.md|header_1_1");
    folder.write("a.md", b"");
    source.refresh(&NoProgress, &Cancel::default()).expect("a listing");
    folder.write("a2.md", b"");
    source.refresh(&NoProgress, &Cancel::default()).expect("a listing");
    assert_eq!(source.children("m").expect("the root"), ["m|2:1", "m|2:2"]);
    // The canonical index, and those under clusters that have moved on.
    for index in ["m|b.md|header_1_1", "m|1:1|b.md|header_1_1", "m|2:1|1:2|b.md|header_1_1"] {
        assert_eq!(answer(&source, index).expect("a heading"), before);
        assert_eq!(source.locate(&Index::new(index)).expect("a heading").as_str(), "m|b.md");
    }
    assert_eq!(answer(&source, "m|2:1|1:2").expect("a cluster")["files"], 2);
    for gone in ["m|1:1", "m|2:3", "m|2:1|1:3", "m|2:9|x.md", "m|1:1|x.md"] {
        assert!(matches!(source.children(gone), Err(CorpusError::NotFound { .. })), "{gone}");
    }
}

#[test]
fn fault_3_a_file_that_vanishes_fails_alone() {
    let folder = Folder::new(&[("a.md", "# A\n"), ("b.md", "# B\n")]);
    let source = folder.source(json!({}));
    fs::remove_file(folder.path().join("a.md")).expect("it was there");
    assert!(matches!(source.children("m|a.md"), Err(CorpusError::Gone { .. })));
    assert_eq!(source.children("m|b.md").expect("a file"), ["m|b.md|header_1_1"]);
    assert_eq!(source.children("m").expect("the root").len(), 2);
    assert_eq!(source.outline("m", 2).expect("an outline").len(), 3);
    assert_eq!(indices(&source), ["m|b.md"]);
}

#[cfg(unix)]
#[test]
fn fault_3_what_cannot_be_read_is_reported() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(&[("a.md", "# A\n"), ("shut/b.md", "x"), ("c.md", "x")]);
    folder.write("d.md", b"x");
    fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"bad\xff.md")), "x").expect("a file");
    let lock = |path: &str, mode: u32| {
        let _ = fs::set_permissions(folder.path().join(path), fs::Permissions::from_mode(mode));
    };
    lock("shut", 0);
    lock("c.md", 0);
    let source = folder.source(json!({}));
    let listed = documents(&source);
    let failed = listed.iter().filter(|document| document.is_err()).count();
    // The owner of all may read all.
    let all_powerful = fs::read_dir(folder.path().join("shut")).is_ok();
    assert_eq!(failed, if all_powerful { 1 } else { 2 }, "{listed:?}");
    if !all_powerful {
        let read = source.read(&Index::new("m|c.md"), ChunkRule::default());
        assert!(matches!(read, Err(CorpusError::Unreadable { .. })), "{read:?}");
    }
    assert!(source.read(&Index::new("m|a.md"), ChunkRule::default()).is_ok());
    lock("shut", 0o755);
    lock("c.md", 0o644);
}

#[test]
fn fault_4_every_encoding_is_read_or_refused() {
    let text = "# Título\n\nNiño y señora, más allá.\n";
    let folder = Folder::new(&[("utf8.md", text), ("bom.md", &format!("\u{feff}{text}"))]);
    let latin: Vec<u8> = text.chars().map(|character| character as u8).collect();
    folder.write("latin.md", &latin);
    let utf16: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    folder.write("utf16.md", &utf16);
    folder.write("binary.md", b"\x00\x01\x02");
    folder.write("pdf.md", b"%PDF-1.4");
    let source = folder.source(json!({}));
    let expected = source.read(&Index::new("m|utf8.md"), ChunkRule::default()).expect("a text");
    for name in ["bom", "latin", "utf16"] {
        let document =
            source.read(&Index::new(format!("m|{name}.md")), ChunkRule::default()).expect("a text");
        assert_eq!((document.text, document.digest), (expected.text.clone(), expected.digest), "{name}");
        let heading = answer(&source, &format!("m|{name}.md|header_1_1")).expect("a heading");
        assert_eq!(heading["description"], "Title: Título");
    }
    for name in ["binary", "pdf"] {
        let refused = source.read(&Index::new(format!("m|{name}.md")), ChunkRule::default());
        assert!(matches!(refused, Err(CorpusError::NotText { .. })), "{refused:?}");
    }
}

#[test]
fn fault_5_names_of_every_kind_are_found() {
    let names = [
        "a|b.md",
        "100%.md",
        "%7C.md",
        "%257C.md",
        "a%2FB.md",
        "x y.md",
        "1:1",
        "%3A",
        "1%3A1",
        "'q'.md",
        "日本.md",
    ];
    let names: Vec<&str> = if cfg!(windows) { vec!["100%.md", "x y.md"] } else { names.to_vec() };
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "# T\n")).collect();
    let folder = Folder::new(&files);
    for size in [2, 256] {
        let source = folder.source(json!({"cluster_size": size}));
        let listed = indices(&source);
        assert_eq!(listed.len(), names.len());
        for index in &listed {
            assert_eq!(index.matches('|').count(), 1, "{index}");
            let heading = answer(&source, &format!("{index}|header_1_1")).expect("a heading");
            assert_eq!(heading["index"], format!("{index}|header_1_1"));
        }
    }
    let source = folder.source(json!({}));
    assert!(source.children("m|100%.md").is_ok(), "a percent sign that nobody escaped");
}

#[test]
fn fault_5_composed_and_decomposed_names_are_one() {
    let (composed, decomposed) = ("caf\u{e9}.md", "cafe\u{301}.md");
    for (there, asked) in [(composed, decomposed), (decomposed, composed)] {
        let source = Folder::new(&[]);
        source.write(there, b"# T\n");
        let source = source.source(json!({}));
        let heading = answer(&source, &format!("m|{asked}|header_1_1")).expect("a heading");
        assert_eq!(heading["index"], format!("m|{there}|header_1_1"));
    }
    let both = Folder::new(&[(composed, "# C\n"), (decomposed, "# D\n")]);
    let source = both.source(json!({}));
    if source.file_count() == 2 {
        assert_eq!(
            answer(&source, &format!("m|{decomposed}|header_1_1")).expect("it")["description"],
            "Title: D"
        );
    }
}

#[cfg(unix)]
#[test]
fn fault_5_a_loop_of_links_lists_each_file_once() {
    let outside = Folder::new(&[("secret.md", "secret")]);
    let folder = Folder::new(&[("a/b.md", "x"), ("c.md", "y")]);
    link(Path::new(".."), &folder.path().join("a/up"));
    link(Path::new("a"), &folder.path().join("again"));
    link(Path::new("self"), &folder.path().join("self"));
    link(outside.path(), &folder.path().join("out"));
    link(&outside.path().join("secret.md"), &folder.path().join("out.md"));
    link(Path::new("../c.md"), &folder.path().join("a/c.md"));
    let source = folder.source(json!({}));
    assert_eq!(indices(&source), ["m|a/b.md", "m|a/c.md", "m|c.md"]);
    let skipped: Vec<String> = source.skipped().into_iter().map(|(path, _)| path).collect();
    assert_eq!(skipped, ["a/up", "again", "out", "out.md", "self"]);
    // A link that takes a file's place after it was listed leads nowhere either.
    fs::remove_file(folder.path().join("c.md")).expect("it was there");
    link(&outside.path().join("secret.md"), &folder.path().join("c.md"));
    assert!(matches!(source.children("m|c.md"), Err(CorpusError::Unreadable { .. })));
    for index in ["m|../c.md", "m|/etc/passwd", "m|a/../c.md", "m|out/secret.md", "m|..%2Fc.md"] {
        assert!(matches!(source.text(index), Err(CorpusError::NotFound { .. })), "{index}");
    }
}

#[test]
fn excluded_files_are_not_there() {
    let folder = Folder::new(&[
        ("a.md", ""),
        ("drafts/b.md", ""),
        ("x/drafts/c.md", ""),
        ("x/keep.md", ""),
        ("n.txt", ""),
    ]);
    let source = folder.source(json!({"exclude": ["drafts/", "*.txt"]}));
    assert_eq!(indices(&source), ["m|a.md", "m|x/keep.md"]);
    let source = folder.source(json!({"exclude": ["**/drafts/**", "!x/drafts/c.md"], "extensions": "md"}));
    assert_eq!(indices(&source), ["m|a.md", "m|x/drafts/c.md", "m|x/keep.md"]);
    assert!(matches!(source.text("m|drafts/b.md"), Err(CorpusError::NotFound { .. })));
}

#[test]
fn fault_14_an_unknown_index_names_what_exists() {
    let folder = Folder::new(&[("a.md", "# A\n\ntext\n")]);
    let source = folder.source(json!({}));
    assert_eq!(source.children("").expect("the root"), source.children("m").expect("the root"));
    assert_eq!(answer(&source, "").expect("the root"), answer(&source, "m").expect("the root"));
    for (index, longest) in [
        ("other", ""),
        ("mm", ""),
        ("m|", "m"),
        ("m|b.md", "m"),
        ("m|a.md|", "m|a.md"),
        ("m|a.md|text_9", "m|a.md"),
        ("m|a.md|text_01", "m|a.md"),
        ("m|a.md|header_1_1|text_1", "m|a.md|header_1_1"),
        ("m||a.md", "m"),
    ] {
        match answer(&source, index) {
            Err(CorpusError::NotFound { existing, .. }) => assert_eq!(existing.as_str(), longest, "{index}"),
            other => panic!("{index}: {other:?}"),
        }
    }
    let long = answer(&source, &format!("m|{}", "é".repeat(100_000))).expect_err("it is not there");
    assert!(long.to_string().len() < 2_000);
    let here = folder.path().display().to_string();
    for shown in [answer(&source, "m"), answer(&source, "m|a.md"), answer(&source, "m|a.md|text_1")] {
        assert!(!shown.expect("a node").to_string().contains(&here));
    }
    fs::remove_file(folder.path().join("a.md")).expect("it was there");
    let gone = source.read(&Index::new("m|a.md"), ChunkRule::default()).expect_err("it is gone");
    assert!(!gone.to_string().contains(&here));
}

#[test]
fn a_walk_shows_what_asking_for_each_node_shows() {
    let text = "# A\n\none [l](u)\ntwo\n\n- x\n  - y\n\n> q\n\n## B\n\n| a |\n|---|\n| b |\n";
    let folder = Folder::new(&[("a.md", text), ("b|%.md", text), ("c.md", ""), ("d/e.md", "# E\n")]);
    let source = folder.source(json!({"cluster_size": 2}));
    let root = ["", "m", "m|1:2", "m|a.md", "m|a.md|header_1_1", "m|a.md|list_item_1", "m|a.md|text_1"];
    for root in root {
        let mut asked = Vec::new();
        let mut open = vec![root.to_owned()];
        while let Some(index) = open.pop() {
            asked.push(answer(&source, &index).expect("a node"));
            let children = source.children(&index).expect("a node");
            open.extend(children.into_iter().rev());
        }
        let mut walked = Vec::new();
        source.walk(root, &mut |node| walked.push(node.expect("a node").to_json())).expect("a node");
        assert_eq!(walked, asked, "{root}");
    }
    fs::remove_file(folder.path().join("c.md")).expect("it was there");
    let (mut nodes, mut errors) = (0, Vec::new());
    source
        .walk("m", &mut |node| match node {
            Ok(_) => nodes += 1,
            Err(error) => errors.push(error),
        })
        .expect("the root");
    assert!(nodes > 30, "{nodes}");
    assert!(matches!(errors.as_slice(), [CorpusError::Gone { index }] if index.as_str() == "m|c.md"));
    assert!(source.walk("m|c.md", &mut |_| {}).is_err());
    assert!(source.walk("m|x.md", &mut |_| {}).is_err());
}

#[test]
fn objects_texts_and_outlines() {
    let text = "# A\r\n\r\none [l](u)\r\n\r\n## B\r\n\r\ntwo\r\n";
    let folder = Folder::new(&[("d/a.md", text), ("e.md", "# E\n")]);
    let source = folder.source(json!({}));
    assert_eq!(
        answer(&source, "m|d/a.md|text_2").expect("a leaf"),
        json!({"type": "TEXT", "content": "one [l](u)", "index": "m|d/a.md|text_2", "lines": [2, 3], "bytes": [7, 17],
               "source": "m"})
    );
    assert_eq!(answer(&source, "m|d/a.md|header_2_1").expect("a section")["description"], "Section 1.1: B");
    assert_eq!(answer(&source, "m|d/a.md").expect("a file")["description"], "File: d/a.md, title: A");
    assert_eq!(source.text("m|d/a.md|header_2_1").expect("a section"), "## B\r\n\r\ntwo\r\n");
    assert_eq!(source.text("m|d/a.md").expect("a file"), text);
    assert_eq!(source.text("m").expect("all"), format!("{text}\n# E\n"));
    let rows = |index: &str, depth: usize| -> Vec<(String, u64)> {
        let rows = source.outline(index, depth).expect("an outline");
        rows.iter()
            .map(|row| (row["index"].as_str().unwrap_or("").to_owned(), row["depth"].as_u64().unwrap_or(0)))
            .collect()
    };
    let row = |index: &str, depth: u64| (index.to_owned(), depth);
    assert_eq!(rows("m", 1), [row("m|d/a.md", 1), row("m|e.md", 1)]);
    assert_eq!(
        rows("m", 2),
        [row("m|d/a.md", 1), row("m|d/a.md|header_1_1", 2), row("m|e.md", 1), row("m|e.md|header_1_1", 2)]
    );
    assert_eq!(rows("m|d/a.md", 9), [row("m|d/a.md|header_1_1", 1), row("m|d/a.md|header_2_1", 2)]);
    assert_eq!(rows("m|d/a.md", 1), [row("m|d/a.md|header_1_1", 1)]);
}

#[test]
fn a_document_bears_what_its_source_says() {
    let text = "---\ntitle: Minutes\ndate: 2021-05-03\nauthor: Ann\nlang: fr\n---\n# M\n\nOne.\n";
    let folder = Folder::new(&[("minutes/2020-01.md", text), ("other.md", "# *O*\n\nTwo.\n")]);
    let authority = json!([{"glob": "minutes/**", "authority": 0.9}, {"glob": "**", "authority": 0.5}]);
    let read = |date_from: Value, name: &str| {
        let source = folder.source(json!({"date_from": date_from, "authority": authority, "language": "en"}));
        source.read(&Index::new(name), ChunkRule::default()).expect("a document")
    };
    let minutes = read(json!("front_matter"), "m|minutes/2020-01.md");
    assert_eq!(minutes.date.map(|date| date.to_string()).as_deref(), Some("2021-05-03..2021-05-04"));
    assert_eq!(minutes.title.as_ref().map(|title| title.as_str()), Some("Minutes"));
    assert_eq!(minutes.attributes.get("author").map(String::as_str), Some("Ann"));
    assert_eq!((minutes.language.as_deref(), minutes.authority), (Some("fr"), Some(0.9)));
    let minutes = read(json!("file_name"), "m|minutes/2020-01.md");
    assert_eq!(minutes.date.map(|date| date.to_string()).as_deref(), Some("2020-01-01..2020-02-01"));
    assert!(read(json!("mtime"), "m|other.md").date.is_some());
    let other = read(json!(null), "m|other.md");
    assert_eq!((other.date, other.language.as_deref(), other.authority), (None, Some("en"), Some(0.5)));
    assert_eq!(other.title.as_ref().map(|title| title.as_str()), Some("O"));
    assert_eq!(other.chunks.len(), 2);
}

#[test]
fn documents_may_be_listed_below_a_folder() {
    let folder = Folder::new(&[("a/x.md", ""), ("a/y.md", ""), ("ab.md", ""), ("b.md", "")]);
    let source = folder.source(json!({"cluster_size": 2}));
    let below = |index: &str| -> Result<Vec<String>, CorpusError> {
        let listed = source.documents(&Index::new(index))?;
        Ok(listed.filter_map(Result::ok).map(|document| document.index.to_string()).collect())
    };
    assert_eq!(below("m|a"), Ok(vec!["m|a/x.md".to_owned(), "m|a/y.md".to_owned()]));
    assert_eq!(below("m|1:2"), Ok(vec!["m|ab.md".to_owned(), "m|b.md".to_owned()]));
    assert_eq!(below("m|1:2|ab.md"), Ok(vec!["m|ab.md".to_owned()]));
    assert_eq!(below("").map(|listed| listed.len()), Ok(4));
    assert!(matches!(below("m|c"), Err(CorpusError::NotFound { .. })));
    assert_eq!(source.locate(&Index::new("m|a/")).expect("a folder").as_str(), "m|a");
    folder.write("c.md", b"");
    assert_eq!(below("m").map(|listed| listed.len()), Ok(5), "a new file is seen");
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let folder = Folder::new(&[("a.md", "12345678901"), ("b.md", "1234567890")]);
    let source = folder.source(json!({"max_file_bytes": 10}));
    let refused = source.read(&Index::new("m|a.md"), ChunkRule::default());
    let expected = CorpusError::TooLarge { index: Index::new("m|a.md"), size: 11, limit: 10 };
    assert_eq!(refused.map(|_| ()), Err(expected));
    assert!(source.read(&Index::new("m|b.md"), ChunkRule::default()).is_ok());
    // Nothing is read of a file of 200 MB.
    let file = fs::File::create(folder.path().join("huge.md")).expect("a file");
    file.set_len(200 << 20).expect("a sparse file");
    let source = folder.source(json!({}));
    assert!(matches!(source.children("m|huge.md"), Err(CorpusError::TooLarge { .. })));
}

#[test]
fn the_cache_is_bounded_and_sees_changes() {
    let folder = Folder::new(&[]);
    for number in 0..20 {
        folder.write(&format!("{number:02}.md"), b"# old\n");
    }
    let source = folder.source(json!({"cache_size": 3}));
    for number in 0..20 {
        source.children(&format!("m|{number:02}.md")).expect("a file");
        assert!(source.cached() <= 3);
    }
    folder.write("19.md", b"# newer\n");
    // A file counts as unchanged for half a second.
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(answer(&source, "m|19.md|header_1_1").expect("a heading")["description"], "Title: newer");
}

#[test]
fn everything_below_the_root_is_reached_by_its_index() {
    let Some(folder) = goldens() else { return };
    let config = SourceConfig { cluster_size: 3, ..SourceConfig::default() };
    let root = folder.join("inputs/markdown");
    let source =
        Source::open("m", &root, config, TimeZone::UTC, &NoProgress, &Cancel::default()).expect("a source");
    let mut open = vec!["m".to_owned()];
    let (mut leaves, mut nodes) = (0, 0);
    while let Some(index) = open.pop() {
        nodes += 1;
        let object = answer(&source, &index).expect("a node");
        let canonical = object["index"].as_str().expect("an index").to_owned();
        let children = source.children(&index).expect("a node");
        leaves += usize::from(object.get("content").is_some());
        if canonical != index {
            let again = answer(&source, &canonical).expect("the canonical index leads to the node");
            assert_eq!(again, object);
        }
        open.extend(children);
    }
    assert!(leaves > 1_500 && nodes > leaves, "{leaves} of {nodes}");
}
