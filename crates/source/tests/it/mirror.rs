//! Documents that are mirrored as Markdown.

use std::fs;
use std::thread;
use std::time::Duration;

use mge_core::Access;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{call, fault, files, piloted, texts};

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("in/deep")).expect("a folder");
    for (name, text) in [
        ("in/ships.csv", "Ship,Year\nPetrel,1998\n"),
        ("in/ships.txt", "# 1 ship\n"),
        ("in/deep/page.html", "<html><title>T</title><body><h1>Quay</h1><p>Text.</p></body></html>"),
        ("in/notes.md", "# Notes\n"),
        ("in/broken.docx", "no archive"),
        ("in/left.xyz", "not wanted"),
    ] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn mirrored() -> Value {
    json!({"type": "pdf_mirror", "src_path": "in", "dst_path": "out"})
}

#[test]
fn every_document_has_a_markdown_file_of_its_own() {
    let folder = folder();
    let component = piloted(folder.path(), &mirrored(), Access::Write);
    let texts = texts(&*component);
    let names: Vec<&str> = texts.keys().map(String::as_str).collect();
    let expected =
        ["s|broken.docx.md", "s|deep/page.html.md", "s|notes.md.md", "s|ships.csv.md", "s|ships.txt.md"];
    assert_eq!(names, expected);
    let text = |name: &str| texts[name].as_deref().expect("a text");
    assert_eq!(text("s|ships.csv.md"), "| Ship | Year |\n| --- | --- |\n| Petrel | 1998 |\n");
    assert_eq!(text("s|ships.txt.md"), "\\# 1 ship\n");
    assert_eq!(text("s|notes.md.md"), "# Notes\n");
    assert_eq!(text("s|deep/page.html.md"), "# Quay\n\nText.\n");
    let reason = texts["s|broken.docx.md"].as_ref().expect_err("it is broken");
    assert!(reason.contains("broken DOCX document"), "{reason}");
    assert_eq!(
        fs::read_to_string(folder.path().join("out/deep/page.html.md")).expect("a file"),
        "# Quay\n\nText.\n"
    );
    let object = call(&*component, "object_by_idx_s", "s|deep/page.html.md|text_2");
    assert_eq!(object["content"], "Text.");
}

#[test]
fn what_was_converted_is_not_converted_again_until_the_document_changes() {
    let folder = folder();
    texts(&*piloted(folder.path(), &mirrored(), Access::Write));
    // Whoever writes into the mirror is overruled, whoever leaves it alone is not.
    let before = files(&folder.path().join("out"));
    let document = folder.path().join("in/ships.txt");
    let mirror = folder.path().join("out/ships.txt.md");
    let modified =
        |path: &std::path::Path| fs::metadata(path).and_then(|data| data.modified()).expect("a time");
    let converted = modified(&mirror);
    thread::sleep(Duration::from_millis(20));
    texts(&*piloted(folder.path(), &mirrored(), Access::Write));
    assert_eq!((files(&folder.path().join("out")), modified(&mirror)), (before, converted));
    // Written anew with the same bytes: only the record learns of it.
    fs::write(&document, "# 1 ship\n").expect("a file");
    texts(&*piloted(folder.path(), &mirrored(), Access::Write));
    assert_eq!(modified(&mirror), converted);
    fs::write(&document, "two ships\n").expect("a file");
    let texts = texts(&*piloted(folder.path(), &mirrored(), Access::Write));
    assert_eq!(texts["s|ships.txt.md"].as_deref(), Ok("two ships\n"));
    fs::write(&mirror, "forged").expect("a file");
    let texts = crate::texts(&*piloted(folder.path(), &mirrored(), Access::Write));
    assert_eq!(texts["s|ships.txt.md"].as_deref(), Ok("two ships\n"));
}

#[test]
fn the_markdown_of_a_document_goes_with_it_and_other_files_stay() {
    let folder = folder();
    texts(&*piloted(folder.path(), &mirrored(), Access::Write));
    fs::write(folder.path().join("out/mine.md"), "# Mine\n").expect("a file");
    fs::remove_file(folder.path().join("in/ships.csv")).expect("a file");
    let texts = texts(&*piloted(folder.path(), &mirrored(), Access::Write));
    assert!(!texts.contains_key("s|ships.csv.md") && !texts.contains_key("s|mine.md"), "{texts:?}");
    let left = files(&folder.path().join("out"));
    assert!(left.contains_key("mine.md") && !left.keys().any(|name| name.contains("ships.csv")), "{left:?}");
}

#[test]
fn a_reader_writes_nothing() {
    let folder = folder();
    let texts = texts(&*piloted(folder.path(), &mirrored(), Access::Read));
    assert_eq!(texts["s|ships.txt.md"].as_deref(), Ok("\\# 1 ship\n"));
    assert!(!folder.path().join("out").exists());
}

#[test]
fn eager_sources_convert_while_they_are_piloted() {
    let folder = folder();
    let mut extra_args = mirrored();
    extra_args["convert"] = json!("eager");
    piloted(folder.path(), &extra_args, Access::Write);
    let made = files(&folder.path().join("out"));
    let markdown: Vec<&str> = made.keys().map(String::as_str).filter(|name| name.ends_with(".md")).collect();
    assert_eq!(markdown, ["deep/page.html.md", "notes.md.md", "ships.csv.md", "ships.txt.md"]);
    assert!(made.contains_key(".mirror/broken.docx.json"), "failures are kept too");
}

#[test]
fn names_too_long_for_an_ending_are_mirrored_too() {
    let folder = folder();
    let name = format!("{}.txt", "ä".repeat(125));
    fs::write(folder.path().join("in").join(&name), "long\n").expect("a file");
    for _ in 0..2 {
        let texts = texts(&*piloted(folder.path(), &mirrored(), Access::Write));
        assert_eq!(texts[&format!("s|{name}.md")].as_deref(), Ok("long\n"));
    }
    fs::remove_file(folder.path().join("in").join(&name)).expect("a file");
    piloted(folder.path(), &mirrored(), Access::Write);
    assert!(files(&folder.path().join("out")).keys().all(|name| !name.contains('ä')));
}

#[cfg(unix)]
#[test]
fn a_command_converts_within_its_time_or_says_why_not() {
    let folder = folder();
    fs::write(folder.path().join("in/only.txt"), "by command").expect("a file");
    let converted = |command: Value| {
        let mut extra_args = mirrored();
        extra_args["converter"] = json!({"command": command, "timeout_seconds": 1});
        let component = piloted(folder.path(), &extra_args, Access::Write);
        texts(&*component)["s|only.txt.md"].clone()
    };
    assert_eq!(converted(json!(["cp", "{src}", "{dst}"])), Ok("by command".to_owned()));
    for (command, words) in [
        (json!(["sleep", "30"]), "took more than 1 seconds"),
        (json!(["sh", "-c", "echo it is ill >&2; exit 3"]), "it is ill"),
        (json!(["true"]), "wrote nothing to {dst}"),
        (json!(["no-such-program"]), "cannot be run"),
    ] {
        let reason = converted(command).expect_err("it fails");
        assert!(reason.contains(words), "{reason}");
    }
}

#[test]
fn a_missing_folder_of_documents_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(fault(folder.path(), &mirrored()).contains("'src_path': it does not exist"));
    fs::write(folder.path().join("in"), "a file").expect("a file");
    assert!(fault(folder.path(), &mirrored()).contains("'src_path' is not a folder"));
    fs::remove_file(folder.path().join("in")).expect("a file");
    fs::create_dir(folder.path().join("in")).expect("a folder");
    assert!(texts(&*piloted(folder.path(), &mirrored(), Access::Write)).is_empty());
}
