//! One writes, all others read.

use std::time::Duration;

use crate::env::dice::Dice;
use crate::env::story::Story;
use crate::env::{Endpoint, TestEnv, all_files, number, system};

/// What "at once" may take with an unoptimised program on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Makes an endpoint that takes a while to crawl.
fn busy_town(env: &TestEnv) -> Endpoint<'_> {
    let town = env.town_of("", &Story::new(Dice::fixed(21), 250).documents(250));
    town.mge::<&str>("pilot", []).ok();
    town
}

#[test]
fn while_one_crawls_another_writer_is_told_who_holds_the_lock_and_readers_go_on() {
    let env = TestEnv::new();
    let town = busy_town(&env);
    let mut first = town.mge("crawl", ["--all", "--json"]).start();
    let batch = first.wait_for("batch");
    // It stands still in the middle of its work for as long as the test looks around.
    first.signal("STOP");
    let pid = first.pid().to_string();

    for writer in [vec!["crawl", "--all"], vec!["pilot"], vec!["rebuild"]] {
        let second = town.mge(writer[0], &writer[1..]).exits(5);
        second.assert_says(["mge crawl", &pid]);
        assert!(second.took < AT_ONCE, "{second}");
    }
    let status = town.status();
    assert_eq!(status["lock"]["state"], "locked", "{status}");
    assert_eq!(status["lock"]["holder"]["pid"].to_string(), pid);
    let source = &status["sections"]["sources"]["documents"]["counts"];
    assert!(number(source, "chunks_read") >= number(&batch, "chunks_read"), "{status}");
    let person = town.mge::<&str>("status", []).ok();
    assert!(person.stdout.contains(&pid), "{person}");

    let export = town.exported();
    assert!(export.iter().any(|line| line["type"] == "claim"), "what is committed can be read");
    let asked = town.ask("Who directs the Nowhere Company?");
    assert_eq!(asked.code(), Some(7), "{asked}");
    town.mge("search", ["ferry", "--json"]).ok();
    town.mge::<&str>("check", []).ok();
    town.assert_sound();
    for arguments in [&["--yes"][..], &[]] {
        town.mge("unlock", arguments).exits(5).assert_says(["mge crawl", &pid, "--force"]);
    }

    first.signal("CONT");
    let report = first.end();
    report.assert_exit(0);
    assert_eq!(report.last("finished")["stopped_by"], "done");
    assert_eq!(town.status()["lock"]["state"], "free");
}

#[test]
fn of_two_crawls_started_together_one_works_and_one_exits_with_5() {
    let env = TestEnv::new();
    let town = busy_town(&env);
    let both = [(); 2].map(|()| town.mge("crawl", ["--all", "--json"]).start());
    let mut codes: Vec<Option<i32>> = Vec::new();
    for crawl in both {
        let ran = crawl.end();
        ran.assert_civil();
        if ran.code() == Some(5) {
            ran.assert_says(["mge crawl"]);
        }
        codes.push(ran.code());
    }
    codes.sort();
    assert_eq!(codes, [Some(0), Some(5)]);
    town.assert_sound();
    assert_eq!(number(&town.crawl(), "chunks_read"), 0, "the winner read all");
}

#[test]
fn a_writer_may_wait_for_the_other_to_end() {
    let env = TestEnv::new();
    let town = busy_town(&env);
    let mut first = town.mge("crawl", ["--all", "--json", "--max-chunks", "40"]).start();
    first.wait_for("started");
    let second = town.mge("crawl", ["--all", "--json", "--wait", "100"]).ok();
    first.end().assert_exit(0);
    assert!(number(&second.last("finished"), "chunks_skipped") >= 40, "{second}");
}

#[test]
fn reads_on_a_folder_that_nothing_can_be_written_to_work_and_leave_no_trace() {
    let env = TestEnv::new();
    let Some(wrapper) = system::without_privileges() else { return };
    let town = env.town();
    system::make_read_only(town.folder());
    let before = all_files(town.folder());
    let folder = town.folder().to_str().unwrap();
    let question = "Who directed the Merrow Marine Institute in 2015?";
    let commands: [&[&str]; 14] = [
        &["status", folder],
        &["status", folder, "--json"],
        &["check", folder],
        &["ask", folder, question],
        &["search", folder, "ferry"],
        &["export", folder],
        &["meta", folder],
        &["show", folder, "documents|ferry/faq.md"],
        &["timeline", folder, "vessel|ferry|Petrel"],
        &["paths", folder, "person|mariner|Nadia Ferreira", "organization|company|Oskerby Ferry Company"],
        &["conflicts", folder],
        &["fsck", folder],
        &["run", folder, "children_by_idx_documents", "index=documents"],
        &["dry-run", folder, "children_by_idx_documents", "index=documents"],
    ];
    let failed: Vec<String> = commands
        .iter()
        .filter_map(|words| {
            let ran = env.mge(*words).through(&wrapper).run();
            (ran.code() != Some(0)).then(|| ran.to_string())
        })
        .collect();
    let after = all_files(town.folder());
    system::make_writable(town.folder());
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
    assert_eq!(before, after, "reading left something behind");
}

#[test]
fn a_writer_on_a_folder_that_nothing_can_be_written_to_says_so() {
    let env = TestEnv::new();
    let Some(wrapper) = system::without_privileges() else { return };
    let town = env.town();
    system::make_read_only(town.folder());
    let ran = town.mge("crawl", ["--all"]).through(wrapper).run();
    system::make_writable(town.folder());
    ran.assert_exit(4);
    ran.assert_says(["permission denied", "town"]);
}
