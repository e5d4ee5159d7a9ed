//! Pages of a MediaWiki export.

use std::fs;
use std::path::Path;

use mge_core::testing::block_on;
use mge_core::{Access, Cancel, ChunkRule, Index, PilotContext, Progress, StateTable};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{built, corpus, fault, files, piloted, texts};

/// A page of an export.
fn page(title: &str, id: u64, namespace: i32, text: &str) -> String {
    format!(
        "<page><title>{title}</title><ns>{namespace}</ns><id>{id}</id><revision><id>1</id>\
         <timestamp>2020-01-01T00:00:00Z</timestamp><text>{text}</text></revision></page>\n"
    )
}

fn redirect(title: &str, id: u64, target: &str) -> String {
    format!(
        "<page><title>{title}</title><ns>0</ns><id>{id}</id><redirect title=\"{target}\" /><revision><id>1</id>\
         <text>#REDIRECT [[{target}]]</text></revision></page>\n"
    )
}

fn export(folder: &Path, pages: &[String]) {
    let text = format!(
        "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.10/\">{}</mediawiki>",
        pages.concat()
    );
    fs::write(folder.join("dump.xml"), text).expect("an export");
}

fn some_pages() -> Vec<String> {
    vec![
        page("Ada", 1, 0, "'''Ada''' met [[Babbage]]."),
        redirect("Countess", 2, "Ada"),
        page("Babbage", 3, 0, "He built\n* engines"),
        page("Talk:Ada", 4, 1, "talk"),
        redirect("Enchantress", 5, "Ada"),
        page("AC/DC", 6, 0, "A band."),
        page("Lovelace", 8, 0, "#REDIRECT [[Ada]]"),
        page("ADA", 7, 0, "A language."),
    ]
}

fn extra_args(layout: &str) -> Value {
    json!({"type": "xml_stream", "src_path": "dump.xml", "dst_path": "pages", "layout": layout})
}

fn folder(pages: &[String]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    export(folder.path(), pages);
    folder
}

const ADA: &str = "---\naliases: [\"Countess\", \"Enchantress\", \"Lovelace\"]\n---\n\n# Ada\n\n**Ada** met [Babbage](Babbage.md).\n";

#[test]
fn each_article_is_a_document_in_either_layout() {
    let by_layout = ["files", "packed"].map(|layout| {
        let folder = folder(&some_pages());
        let component = piloted(folder.path(), &extra_args(layout), Access::Write);
        let read = texts(&*component);
        // A reader finds the same, and writes nothing.
        let before = files(folder.path());
        assert_eq!(texts(&*piloted(folder.path(), &extra_args(layout), Access::Read)), read);
        let after = files(folder.path());
        let of_names = |files: &std::collections::BTreeMap<String, Vec<u8>>| {
            files
                .keys()
                .filter(|name| !name.ends_with("-shm") && !name.ends_with("-wal"))
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(of_names(&before), of_names(&after));
        let ada = corpus(&*component).read(&Index::new("s|Ada.md"), ChunkRule::default()).expect("a page");
        assert_eq!(ada.title.expect("a title").as_str(), "Ada");
        assert!(ada.attributes["aliases"].contains("Countess"), "{:?}", ada.attributes);
        read
    });
    let [read, packed] = by_layout;
    assert_eq!(read, packed);
    let names: Vec<&str> = read.keys().map(String::as_str).collect();
    // A name that a file system without case takes for another bears its page's number.
    assert_eq!(names, ["s|AC%252FDC.md", "s|ADA%25~7.md", "s|Ada.md", "s|Babbage.md"]);
    assert_eq!(read["s|Ada.md"].as_deref(), Ok(ADA));
    assert_eq!(read["s|Babbage.md"].as_deref(), Ok("# Babbage\n\nHe built\n\n- engines\n"));
}

#[test]
fn namespaces_are_chosen() {
    let folder = folder(&some_pages());
    let mut extra_args = extra_args("files");
    extra_args["namespaces"] = json!([1]);
    let read = texts(&*piloted(folder.path(), &extra_args, Access::Write));
    assert_eq!(read.keys().collect::<Vec<_>>(), ["s|Talk%253AAda.md"]);
}

#[test]
fn a_newer_export_changes_only_what_changed() {
    for layout in ["files", "packed"] {
        let folder = folder(&some_pages());
        piloted(folder.path(), &extra_args(layout), Access::Write);
        let mut pages = some_pages();
        pages[2] = page("Babbage", 3, 0, "He built more.");
        pages.remove(5);
        pages.remove(1);
        export(folder.path(), &pages);
        let stamp = |name: &str| {
            let index = Index::new(format!("s|{name}"));
            let component = piloted(folder.path(), &extra_args(layout), Access::Read);
            corpus(&*component).documents(&index).expect("a page").next().expect("a page").expect("a page")
        };
        let before = stamp("ADA%25~7.md");
        let read = texts(&*piloted(folder.path(), &extra_args(layout), Access::Write));
        assert_eq!(read.keys().collect::<Vec<_>>(), ["s|ADA%25~7.md", "s|Ada.md", "s|Babbage.md"]);
        assert_eq!(read["s|Babbage.md"].as_deref(), Ok("# Babbage\n\nHe built more.\n"));
        assert_eq!(read["s|Ada.md"].as_deref(), Ok(ADA.replace("\"Countess\", ", "").as_str()));
        assert_eq!(stamp("ADA%25~7.md"), before, "{layout}");
    }
}

/// Asks for an end after so many reports.
struct StopAfter<'a>(std::sync::atomic::AtomicU64, &'a Cancel);

impl Progress for StopAfter<'_> {
    fn report(&self, _what: &str, _done: u64, _total: Option<u64>) {
        if self.0.fetch_sub(1, std::sync::atomic::Ordering::SeqCst) == 1 {
            self.1.cancel();
        }
    }
}

#[test]
fn an_interrupted_conversion_goes_on_and_ends_as_an_undisturbed_one() {
    let pages: Vec<String> = (0..3_000)
        .map(|number| match number % 7 {
            3 => redirect(&format!("Alias {number}"), number + 1, &format!("Page {}", number - 1)),
            _ => page(
                &format!("Page {number}"),
                number + 1,
                0,
                &format!("Text {number}, [[Page {}]].", number / 2),
            ),
        })
        .collect();
    let calm = folder(&pages);
    let expected = texts(&*piloted(calm.path(), &extra_args("files"), Access::Write));
    assert_eq!(expected.len(), 3_000 - 429 + usize::from(3_000 % 7 <= 3));
    let struck = folder(&pages);
    let mut interrupted = 0;
    for reports in [1, 2, 1, 3] {
        let component = built(struck.path(), &extra_args("files"), Access::Write);
        let cancel = Cancel::default();
        let progress = StopAfter(reports.into(), &cancel);
        let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
        interrupted += usize::from(!block_on(component.pilot(StateTable::READY, context)).reached);
    }
    assert!(interrupted >= 3, "{interrupted}");
    assert_eq!(texts(&*piloted(struck.path(), &extra_args("files"), Access::Write)), expected);
}

#[test]
fn what_is_wrong_with_an_export_is_said_and_what_is_good_is_kept() {
    let folder = folder(&some_pages());
    let whole = fs::read(folder.path().join("dump.xml")).expect("an export");
    fs::write(folder.path().join("dump.xml"), &whole[..whole.len() - 100]).expect("an export");
    let said = fault(folder.path(), &extra_args("files"));
    assert!(said.contains("cut off at byte") && said.contains("3 pages before"), "{said}");
    assert!(folder.path().join("pages/Ada.md").exists());
    fs::write(folder.path().join("dump.xml"), &whole).expect("an export");
    assert_eq!(texts(&*piloted(folder.path(), &extra_args("files"), Access::Write)).len(), 4);
    for (text, words) in [
        ("<html></html>", "not a MediaWiki export"),
        ("<!DOCTYPE x [<!ENTITY a \"b\">]><mediawiki></mediawiki>", "document type"),
    ] {
        fs::write(folder.path().join("dump.xml"), text).expect("an export");
        let said = fault(folder.path(), &extra_args("packed"));
        assert!(said.contains(words), "{said}");
    }
    fs::remove_file(folder.path().join("dump.xml")).expect("an export");
    assert!(fault(folder.path(), &extra_args("files")).contains("'src_path': it does not exist"));
}
