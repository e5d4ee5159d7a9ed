//! Searching sources of every type.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use mge_core::testing::block_on;
use mge_core::{
    Access, Agentic, Cancel, Digest, FunctionCall, Index, PilotContext, Progress, Request, RunErrorKind,
    Severity,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{built, corpus, files, piloted};

fn markdown() -> Value {
    json!({"dst_path": "docs"})
}

/// A folder of files that nobody has touched for an hour.
fn folder(texts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in texts {
        write(folder.path(), path, text);
    }
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join("docs").join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(&path, text).expect("a file");
    rest(&path);
}

/// Makes a file look as if it had been changed an hour ago.
fn rest(path: &Path) {
    let file = fs::File::options().write(true).open(path).expect("a file");
    file.set_modified(SystemTime::now() - Duration::from_secs(3_600)).expect("a time");
}

fn ferries() -> TempDir {
    folder(&[
        (
            "ferry/faq.md",
            "# Ferries\n\n## Winter\n\nThe last ferry to Kos leaves at eleven.\n\n- bicycles are free\n",
        ),
        (
            "bread.md",
            "# Bread\n\nKnead the dough until it is smooth.\n\n| Flour | Water |\n|---|---|\n| spelt | 300 ml |\n",
        ),
        ("empty.md", ""),
    ])
}

fn ask(component: &dyn Agentic, arguments: Value) -> Result<Value, mge_core::RunError> {
    let request = Request::Call(FunctionCall::new("search_s", arguments));
    block_on(component.run(&request)).map(|response| response.message)
}

fn found(component: &dyn Agentic, query: &str) -> Vec<String> {
    let answer = ask(component, json!({"query": query})).expect("an answer");
    let results = answer["results"].as_array().expect("results");
    results.iter().map(|hit| hit["index"].as_str().expect("an index").to_owned()).collect()
}

/// Returns what is kept of the index: the names of the files with their digests. SQLite has its own beside them while
/// they are read.
fn kept(folder: &Path) -> Vec<(String, String)> {
    let files = files(&folder.join("graphs")).into_iter();
    let files = files.filter(|(name, _)| !name.ends_with("-wal") && !name.ends_with("-shm"));
    files.map(|(name, bytes)| (name, Digest::of(&bytes).to_string())).collect()
}

/// Pilots for writing and tells what the last step did.
fn last_step(folder: &Path, extra_args: &Value) -> String {
    let component = built(folder, extra_args, Access::Write);
    let cancel = Cancel::default();
    let context = PilotContext { just_once: false, progress: &mge_core::NoProgress, cancel: &cancel };
    let outcome = block_on(component.pilot(100, context));
    assert!(outcome.reached, "{:?}", component.standing().fault());
    outcome.steps.last().cloned().unwrap_or_default()
}

#[test]
fn a_hit_leads_to_its_place() {
    let folder = ferries();
    let component = piloted(folder.path(), &markdown(), Access::Write);
    let answer = ask(&*component, json!({"query": "when does the ferry leave?"})).expect("an answer");
    assert_eq!((&answer["version"], &answer["mode"]), (&json!(1), &json!("hybrid")));
    let hit = &answer["results"][0];
    assert_eq!(hit["index"], "s|ferry/faq.md|paragraph_1");
    assert_eq!((&hit["document"], &hit["source"]), (&json!("s|ferry/faq.md"), &json!("s")));
    assert_eq!(hit["title"], "Ferries › Winter");
    let text = fs::read_to_string(folder.path().join("docs/ferry/faq.md")).expect("a text");
    let bound = |at: usize| usize::try_from(hit["span"][at].as_u64().expect("a byte")).expect("a byte");
    assert_eq!(&text[bound(0)..bound(1)], hit["text"].as_str().expect("a text"));
    assert_eq!(hit["text"], "The last ferry to Kos leaves at eleven.");
    assert!(hit["score"].as_f64().expect("a score") > 0.0);
    let terms = hit["reasons"]["lexical"]["terms"].as_object().expect("terms");
    assert!(terms.contains_key("ferri") && terms.contains_key("leav"), "{terms:?}");
    assert_eq!(hit["reasons"]["vector"]["rank"], 1);
    // What is found are the nodes that walking finds.
    let object = crate::call(&*component, "object_by_idx_s", "s|ferry/faq.md|paragraph_1");
    assert_eq!((&object["bytes"], &object["source"]), (&hit["span"], &hit["source"]));
    assert_eq!(found(&*component, "bicycles")[0], "s|ferry/faq.md|list_item_1");
    assert_eq!(found(&*component, "spelt 300 ml")[0], "s|bread.md|table_row_1");
    // A file is found by the name of its folder.
    assert_eq!(found(&*component, "faq.md")[0], "s|ferry/faq.md");
}

#[test]
fn any_text_is_a_query_and_nothing_is_none() {
    let folder = ferries();
    let component = piloted(folder.path(), &markdown(), Access::Write);
    for query in
        ["\"", "'ferry", "a AND (b OR", "NEAR(", "*", "text:ferry", "🚢", "渡轮", "\u{0}", "-", ";--"]
    {
        for mode in ["lexical", "vector", "hybrid"] {
            ask(&*component, json!({"query": query, "mode": mode}))
                .unwrap_or_else(|error| panic!("{query}: {error}"));
        }
    }
    for query in [" ", "\t\n"] {
        let error = ask(&*component, json!({"query": query})).expect_err("nothing is asked");
        assert_eq!(
            (error.kind, error.message.as_str()),
            (RunErrorKind::InvalidRequest, "the query is empty")
        );
    }
    let lexical =
        ask(&*component, json!({"query": "ferry", "mode": "lexical", "limit": 1})).expect("an answer");
    assert_eq!(lexical["results"].as_array().map(Vec::len), Some(1));
    assert!(lexical["results"][0]["reasons"].get("vector").is_none());
}

#[test]
fn what_changes_is_found_and_what_is_gone_is_not() {
    let folder = ferries();
    assert_eq!(last_step(folder.path(), &markdown()), "3 of 3 documents indexed");
    let untouched = kept(folder.path());
    assert_eq!(last_step(folder.path(), &markdown()), "the search index of 3 documents is up to date");
    assert_eq!(kept(folder.path()), untouched, "nothing new, nothing written");
    write(folder.path(), "bread.md", "# Bread\n\nBake for an hour.\n");
    write(folder.path(), "a|b%.md", "# Odd\n\nA lighthouse.\n");
    fs::remove_file(folder.path().join("docs/ferry/faq.md")).expect("removed");
    assert_eq!(last_step(folder.path(), &markdown()), "2 of 3 documents indexed, 1 taken out");
    let component = piloted(folder.path(), &markdown(), Access::Read);
    assert_eq!(found(&*component, "bake an hour")[0], "s|bread.md|paragraph_1");
    assert_eq!(found(&*component, "lighthouse")[0], "s|a%7Cb%25.md|paragraph_1");
    let lexical = ask(&*component, json!({"query": "ferry dough", "mode": "lexical"})).expect("an answer");
    assert_eq!(lexical["results"], json!([]));
}

#[test]
fn a_reader_shows_nothing_that_no_longer_stands_in_its_document() {
    let folder = ferries();
    piloted(folder.path(), &markdown(), Access::Write);
    let before = kept(folder.path());
    write(
        folder.path(),
        "ferry/faq.md",
        "# Ferries\n\n## Winter\n\nThe last ferry to Kos leaves at ten, alas.\n\n- bicycles are free\n",
    );
    let component = piloted(folder.path(), &markdown(), Access::Read);
    let lexical =
        |query: &str| ask(&*component, json!({"query": query, "mode": "lexical"})).expect("an answer");
    let answer = lexical("eleven");
    assert_eq!((&answer["results"], &answer["outdated"]), (&json!([]), &json!(1)));
    let answer = lexical("bicycles");
    let hit = &answer["results"][0];
    assert_eq!(hit["index"], "s|ferry/faq.md|list_item_1", "this part still stands there");
    let bound = |at: usize| usize::try_from(hit["span"][at].as_u64().expect("a byte")).expect("a byte");
    let text = fs::read_to_string(folder.path().join("docs/ferry/faq.md")).expect("a text");
    assert_eq!(text.get(bound(0)..bound(1)), Some("bicycles are free"), "and is cited where it stands now");
    assert!(answer.get("outdated").is_none());
    fs::remove_file(folder.path().join("docs/ferry/faq.md")).expect("removed");
    assert_eq!(lexical("bicycles")["results"], json!([]));
    assert_eq!(kept(folder.path()), before, "a reader writes nothing");
    // A crawl of a process that may write brings the index up to date with what it lists.
    let writer = piloted(folder.path(), &markdown(), Access::Write);
    write(folder.path(), "new.md", "A heron.\n");
    let corpus = corpus(&*writer);
    assert_eq!(corpus.documents(&Index::new("")).expect("a listing").count(), 3);
    corpus.catch_up(&Cancel::default()).expect("it is up to date");
    assert_eq!(found(&*writer, "heron")[0], "s|new.md|paragraph_1");
    let chunks = corpus.relevant("a heron", 5).expect("chunks").expect("an index");
    assert_eq!(chunks[0].index.as_str(), "s|new.md|paragraph_1");
    assert_eq!(chunks[0].document.as_str(), "s|new.md");
}

#[test]
fn without_an_index_there_is_nothing_to_search_and_nothing_is_kept() {
    let folder = ferries();
    let mut extra_args = markdown();
    extra_args["index"] = json!(false);
    let component = piloted(folder.path(), &extra_args, Access::Write);
    assert!(component.capabilities().iter().all(|capability| capability.name != "search_s"));
    let error = ask(&*component, json!({"query": "ferry"})).expect_err("it is not searched");
    assert_eq!(error.kind, RunErrorKind::FailedToFindCapability);
    assert!(!folder.path().join("graphs").exists());
    assert_eq!(corpus(&*component).relevant("ferry", 3), Ok(None));
    assert!(corpus(&*component).verify().is_empty());
}

#[test]
fn a_reader_of_an_index_that_is_not_made_yet_says_how_to_make_it() {
    let folder = ferries();
    let component = piloted(folder.path(), &markdown(), Access::Read);
    let error = ask(&*component, json!({"query": "ferry"})).expect_err("there is no index");
    assert_eq!(error.kind, RunErrorKind::InvalidState);
    assert_eq!(error.hint.as_deref(), Some("run: mge pilot"));
    let problems = corpus(&*component).verify();
    assert_eq!((problems.len(), problems[0].severity), (1, Severity::Warning));
    assert!(!folder.path().join("graphs").exists(), "a reader makes nothing");
}

#[test]
fn vectors_of_another_kind_are_dropped_and_made_anew() {
    let folder = ferries();
    let with = |index: Value| json!({"dst_path": "docs", "index": index});
    piloted(folder.path(), &with(json!({"vector": false})), Access::Write);
    let component = piloted(folder.path(), &with(json!({"vector": false})), Access::Read);
    assert_eq!(ask(&*component, json!({"query": "ferry"})).expect("an answer")["mode"], "lexical");
    let error = ask(&*component, json!({"query": "ferry", "mode": "vector"})).expect_err("it has none");
    assert_eq!(error.kind, RunErrorKind::InvalidRequest);
    let component = piloted(folder.path(), &with(json!(true)), Access::Write);
    let answer = ask(&*component, json!({"query": "ferry", "mode": "vector"})).expect("an answer");
    assert_eq!(answer["results"][0]["reasons"]["vector"]["rank"], 1);
}

/// Whatever lies in the place of the index, piloting makes one, and what was not ours is kept.
#[test]
fn what_is_no_sound_index_is_made_anew() {
    let folder = ferries();
    let place = folder.path().join("graphs/s/search.sqlite");
    piloted(folder.path(), &markdown(), Access::Write);
    let sound = fs::read(&place).expect("an index");
    let holed = {
        let mut bytes = sound.clone();
        let (from, to) = (bytes.len() / 3, bytes.len() / 3 * 2);
        bytes[from..to].fill(0x5a);
        bytes
    };
    let newer = {
        // The user version of an SQLite file.
        let mut bytes = sound.clone();
        bytes[60..64].copy_from_slice(&i32::MAX.to_be_bytes());
        bytes
    };
    let other = {
        // The application id.
        let mut bytes = sound.clone();
        bytes[68..72].copy_from_slice(b"else");
        bytes
    };
    let cut = sound[..sound.len() / 2].to_owned();
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("text", b"my notes, which are no index at all".repeat(40)),
        ("half of it", cut),
        ("a hole", holed),
        ("a later version", newer),
        ("another program's", other),
    ] {
        fs::write(&place, &bytes).expect("written");
        let reader = piloted(folder.path(), &markdown(), Access::Read);
        if !bytes.is_empty() {
            assert!(
                corpus(&*reader).verify().iter().any(|problem| problem.severity == Severity::Error),
                "{what}"
            );
        }
        assert!(fs::read(&place).is_ok_and(|left| left == bytes), "{what}: readers leave it as it is");
        let component = piloted(folder.path(), &markdown(), Access::Write);
        assert_eq!(found(&*component, "ferry to Kos")[0], "s|ferry/faq.md|paragraph_1", "{what}");
        assert_eq!(corpus(&*component).verify(), [], "{what}");
        let aside = fs::read(place.with_extension("aside")).ok();
        match what {
            "text" | "another program's" => assert!(aside.is_some_and(|aside| aside == bytes), "{what}"),
            _ => assert!(aside.is_none_or(|aside| aside != bytes), "{what}"),
        }
    }
    fs::remove_dir_all(folder.path().join("graphs")).expect("removed");
    assert_eq!(last_step(folder.path(), &markdown()), "3 of 3 documents indexed");
}

#[test]
fn where_the_index_cannot_be_the_source_says_so() {
    let folder = ferries();
    fs::write(folder.path().join("graphs"), "a file").expect("a file");
    let said = crate::fault(folder.path(), &markdown());
    assert!(said.contains("cannot set up the search index") && said.contains("graphs"), "{said}");
}

#[test]
fn interrupted_it_goes_on_and_ends_the_same() {
    struct StopAt(Cancel, u64);
    impl Progress for StopAt {
        fn report(&self, what: &str, done: u64, _total: Option<u64>) {
            if what == "documents indexed" && done >= self.1 {
                self.0.cancel();
            }
        }
    }
    let folder = folder(&[]);
    for number in 0..3_000 {
        write(
            folder.path(),
            &format!("{:02}/{number}.md", number % 40),
            &format!("# N{number}\n\nword{number} of many\n"),
        );
    }
    for stop in [1, 1_500] {
        let component = built(folder.path(), &markdown(), Access::Write);
        let cancel = Cancel::default();
        let progress = StopAt(cancel.clone(), stop);
        let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
        let outcome = block_on(component.pilot(100, context));
        assert!(!outcome.reached && component.standing().fault().is_none(), "{outcome:?}");
    }
    // A batch is 1,024 files; one was written before each of the two interruptions.
    assert_eq!(last_step(folder.path(), &markdown()), "952 of 3000 documents indexed");
    let component = piloted(folder.path(), &markdown(), Access::Read);
    for number in [0, 1, 1_499, 2_999] {
        let index = format!("s|{:02}/{number}.md|paragraph_1", number % 40);
        assert_eq!(found(&*component, &format!("word{number}"))[0], index);
    }
    assert_eq!(corpus(&*component).verify(), []);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_now_is_still_found_and_what_is_no_text_is_not() {
    let folder = ferries();
    piloted(folder.path(), &markdown(), Access::Write);
    fs::write(folder.path().join("docs/bread.md"), b"\x00\x01\x02\x00binary").expect("a file");
    rest(&folder.path().join("docs/bread.md"));
    assert_eq!(last_step(folder.path(), &markdown()), "1 of 3 documents indexed");
    assert_eq!(last_step(folder.path(), &markdown()), "the search index of 3 documents is up to date");
    let component = piloted(folder.path(), &markdown(), Access::Read);
    let answer = ask(&*component, json!({"query": "dough", "mode": "lexical"})).expect("an answer");
    assert_eq!(answer["results"], json!([]));
    assert_eq!(found(&*component, "Kos")[0], "s|ferry/faq.md|paragraph_1");
}

#[test]
fn mirrored_documents_are_found_with_their_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("in")).expect("a folder");
    fs::write(folder.path().join("in/page.html"), "<h1>Quay</h1><p>The keel was laid in spring.</p>")
        .expect("a file");
    fs::write(folder.path().join("in/broken.docx"), "no archive").expect("a file");
    rest(&folder.path().join("in/page.html"));
    rest(&folder.path().join("in/broken.docx"));
    let extra_args = json!({"type": "pdf_mirror", "src_path": "in", "dst_path": "out"});
    assert_eq!(last_step(folder.path(), &extra_args), "1 of 2 documents indexed, 1 cannot be read");
    let component = piloted(folder.path(), &extra_args, Access::Read);
    assert_eq!(found(&*component, "when was the keel laid?")[0], "s|page.html.md|paragraph_1");
}

#[test]
fn pages_of_an_export_are_found_however_they_are_kept() {
    let page = |title: &str, number: u32, text: &str| {
        format!(
            "<page><title>{title}</title><ns>0</ns><id>{number}</id><revision><id>1</id><text>{text}</text></revision></page>"
        )
    };
    let export = |last: &str| {
        let pages =
            [page("Heron", 1, "The heron is a wading bird."), page("Otter: a name", 2, last)].concat();
        format!(
            "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.11/\" version=\"0.11\">{pages}</mediawiki>"
        )
    };
    for layout in ["files", "packed"] {
        let folder = tempfile::tempdir().expect("a folder");
        let extra_args =
            json!({"type": "xml_stream", "src_path": "dump.xml", "dst_path": "pages", "layout": layout});
        fs::write(folder.path().join("dump.xml"), export("An otter eats fish.")).expect("a file");
        assert_eq!(last_step(folder.path(), &extra_args), "2 of 2 documents indexed", "{layout}");
        let component = piloted(folder.path(), &extra_args, Access::Read);
        let first = found(&*component, "what does an otter eat?").remove(0);
        assert!(first.starts_with("s|Otter") && first.ends_with("|paragraph_1"), "{layout}: {first}");
        fs::write(folder.path().join("dump.xml"), export("An otter sleeps on its back.")).expect("a file");
        last_step(folder.path(), &extra_args);
        let component = piloted(folder.path(), &extra_args, Access::Read);
        let lexical = |query: &str| {
            let answer = ask(&*component, json!({"query": query, "mode": "lexical"})).expect("an answer");
            answer["results"].as_array().map(Vec::len)
        };
        assert_eq!(
            (lexical("fish"), lexical("sleeps"), lexical("wading")),
            (Some(0), Some(1), Some(1)),
            "{layout}"
        );
    }
}
