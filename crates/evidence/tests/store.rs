//! The file of a graph: who may open it, what damage does, and what a crash leaves.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::World;
use mge_core::testing::{block_on, has_a_sound_face, pilots_to_ready};
use mge_core::{
    Access, Cancel, CrawlEvent, CrawlRequest, FunctionCall, GraphError, ItemView, NoProgress, PilotContext,
    Request, StateTable, StoppedBy,
};
use serde_json::json;

fn filled() -> World {
    let world = World::default();
    world.files.write(
        "a.md",
        "{person:Noah Kim} works_on {project:Helios}\n{person:Ana Kim} knows {person:Noah Kim}\n",
    );
    world.crawl();
    world
}

fn store(world: &World) -> PathBuf {
    world.folder.path().join("graphs/g/graph.sqlite")
}

fn fault(world: &World, access: Access) -> (i32, String, Option<String>) {
    let component = world.build(access);
    let (progress, cancel) = (NoProgress, Cancel::default());
    let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
    let outcome = block_on(component.pilot(StateTable::READY, context));
    let fault = component.standing().fault().expect("it is in an error state");
    (outcome.state, fault.message, fault.hint)
}

#[test]
fn the_component_keeps_the_contract() {
    let world = filled();
    for access in [Access::Read, Access::Write] {
        let component = world.build(access);
        pilots_to_ready(component.as_ref());
        has_a_sound_face(component.as_ref());
    }
    let empty = World::default();
    pilots_to_ready(empty.build(Access::Read).as_ref());
    assert!(!store(&empty).exists(), "reading makes no store");
}

#[test]
fn a_crawl_is_a_capability_of_writers_only() {
    let world = filled();
    let call = Request::Call(FunctionCall::new("crawl_g", json!({"index": "docs", "max_chunks": 5})));
    assert_eq!(world.ready(Access::Read).dry_run(&call).status, 2);
    let response = block_on(world.ready(Access::Write).run(&call)).unwrap();
    assert_eq!(response.message["chunks_read"], 0);
    let wrong = Request::Call(FunctionCall::new("crawl_g", json!({"index": "docs", "order": "backwards"})));
    assert!(block_on(world.ready(Access::Write).run(&wrong)).is_err());
    let reader = world.ready(Access::Read).facets().graph.unwrap();
    let refused = reader.crawl(&CrawlRequest::default(), &Cancel::default(), &mut |_| {});
    assert!(matches!(refused, Err(GraphError::NotReady { .. })), "{refused:?}");
}

#[test]
fn counts_are_read_from_a_small_file() {
    let world = filled();
    let counts = |world: &World| {
        (mge_evidence::KIND.counts)(&ItemView {
            name: "g",
            folder: world.folder.path(),
            extra_args: &world.extra_args,
        })
    };
    let found = counts(&world);
    assert_eq!((found["entities"], found["claims"], found["evidence"]), (3, 2, 2));
    fs::remove_file(store(&world)).unwrap();
    assert_eq!(counts(&world), found);
    assert!(counts(&World::default()).is_empty());
}

#[test]
fn a_damaged_file_is_told_and_left_as_it_is() {
    for damage in [
        |bytes: &mut Vec<u8>| bytes[..16].fill(b'x'),
        |bytes: &mut Vec<u8>| {
            *bytes = b"this is a text and no database, but long enough to look like one".repeat(9)
        },
    ] {
        let world = filled();
        let path = store(&world);
        let mut bytes = fs::read(&path).unwrap();
        damage(&mut bytes);
        fs::write(&path, &bytes).unwrap();
        for access in [Access::Read, Access::Write] {
            let (state, message, hint) = fault(&world, access);
            assert_eq!(state, -1);
            assert!(message.contains("damaged"), "{message}");
            assert!(hint.is_some_and(|hint| hint.contains("rebuild")));
        }
        assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was emptied or made anew");
    }
}

#[test]
fn damage_inside_is_found() {
    let world = World::default();
    for document in 0..40 {
        let lines: Vec<String> = (0..20)
            .map(|line| {
                format!("{{person:Somebody {document} Long {line}}} works_on {{project:Project {line}}}")
            })
            .collect();
        world.files.write(&format!("d{document}.md"), &lines.join("\n"));
    }
    world.crawl();
    let path = store(&world);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 20_000].fill(0xab);
    fs::write(&path, &bytes).unwrap();
    let component = world.build(Access::Read);
    let (progress, cancel) = (NoProgress, Cancel::default());
    let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
    if block_on(component.pilot(StateTable::READY, context)).reached {
        let outcome = component.facets().graph.unwrap().verify(&cancel);
        assert!(outcome.is_err() || outcome.is_ok_and(|problems| !problems.is_empty()));
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn an_earlier_format_is_brought_up_to_date_by_a_writer_and_named_to_a_reader() {
    let world = filled();
    let expected = world.export();
    let back = "ALTER TABLE chunk DROP COLUMN page; PRAGMA user_version = 1";
    rusqlite::Connection::open(store(&world)).unwrap().execute_batch(back).unwrap();
    assert!(fault(&world, Access::Read).1.contains("format 1"));
    world.crawl();
    assert_eq!(world.export(), expected);
    world.assert_sound();
}

#[test]
fn a_later_format_and_a_foreign_file_are_refused() {
    let world = filled();
    let change = |sql: &str| rusqlite::Connection::open(store(&world)).unwrap().execute_batch(sql).unwrap();
    change("PRAGMA user_version = 99");
    for access in [Access::Read, Access::Write] {
        assert!(fault(&world, access).1.contains("format 99"));
    }
    change("PRAGMA user_version = 2; PRAGMA application_id = 7");
    for access in [Access::Read, Access::Write] {
        assert!(fault(&world, access).1.contains("not an evidence graph"));
    }
    change("PRAGMA application_id = 0x6d676547");
    world.assert_sound();
}

#[test]
fn a_folder_that_nobody_may_write_to_can_be_read() {
    let world = filled();
    let folder = store(&world).parent().unwrap().to_owned();
    // A folder without write permission holds back all but root; then this only shows that nothing is left behind.
    let mut permissions = fs::metadata(&folder).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&folder, permissions.clone()).unwrap();
    let export = world.export();
    world.assert_sound();
    assert!(export.contains("Noah Kim"));
    #[expect(
        clippy::permissions_set_readonly_false,
        reason = "the folder is a test's own, and is to be removed"
    )]
    permissions.set_readonly(false);
    fs::set_permissions(&folder, permissions).unwrap();
}

#[test]
fn readers_see_whole_batches_while_a_crawl_runs() {
    let world = World::default();
    for document in 0..200 {
        let lines: Vec<String> = (0..20)
            .map(|line| format!("{{person:P {document} {line}}} works_on {{project:X{line}}}"))
            .collect();
        world.files.write(&format!("d{document:02}.md"), &lines.join("\n"));
    }
    let graph = world.graph();
    let mut seen = 0;
    graph
        .crawl(&CrawlRequest::default(), &Cancel::default(), &mut |event| {
            if let CrawlEvent::Batch { claims_new, .. } = event {
                assert_eq!(world.lines("claim").len() as u64, claims_new);
                seen += 1;
            }
        })
        .unwrap();
    assert!(seen >= 3);
}

#[test]
fn an_interrupt_keeps_what_is_committed() {
    let world = World::default();
    let lines: Vec<String> =
        (0..5000).map(|line| format!("{{person:P {line}}} works_on {{project:X{line}}}")).collect();
    world.files.write("long.md", &lines.join("\n"));
    let cancel = Cancel::default();
    let graph = world.graph();
    let report = graph
        .crawl(&CrawlRequest::default(), &cancel, &mut |event| {
            if let CrawlEvent::Batch { chunks_read, .. } = event
                && chunks_read > 300
            {
                cancel.cancel();
            }
        })
        .unwrap();
    assert_eq!(report.stopped_by, StoppedBy::Interrupt);
    assert!(report.chunks_read < 5000 && report.chunks_left == 5000 - report.chunks_read, "{report:?}");
    world.assert_sound();
    assert_eq!(world.crawl().chunks_read, 5000 - report.chunks_read);
    let fresh = world.fresh();
    fresh.crawl();
    assert_eq!(world.export(), fresh.export());
}

/// The documents of the crash test: the child crawls `docs` in the folder that the variable names.
fn crash_world() -> World {
    let world = World::default();
    for document in 0..80 {
        let lines: Vec<String> = (0..120)
            .map(|line| {
                format!(
                    "{{person:P {} {}}} works_on {{project:X {}}}",
                    document % 7,
                    line % 50,
                    (line * 7 + document) % 90
                )
            })
            .collect();
        world.files.write(&format!("d{document:02}.md"), &lines.join("\n"));
    }
    world
}

/// Not a test of its own: what the crash test starts and kills.
#[test]
#[ignore = "the child of the crash test"]
fn crash_child() {
    let Ok(folder) = std::env::var("MGE_TEST_CRASH_FOLDER") else { return };
    let mut world = crash_world();
    world.extra_args["persistence"] = json!({"type": "sqlite", "path": folder});
    world.formalizer.slow.store(150, std::sync::atomic::Ordering::SeqCst);
    world.crawl();
}

#[test]
fn a_kill_at_any_moment_loses_one_batch_at_most() {
    let whole = crash_world();
    whole.crawl();
    let expected = whole.export();
    let folder = tempfile::tempdir().unwrap();
    let graph = folder.path().join("g");
    let mut world = crash_world();
    world.extra_args["persistence"] = json!({"type": "sqlite", "path": graph});
    let (mut inside, mut read) = (0, 0);
    for round in 0..6_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash_child", "--ignored", "--test-threads=1"])
            .env("MGE_TEST_CRASH_FOLDER", &graph)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The moment is counted from the first commit, so that a slow machine is killed inside the crawl too.
        let began = std::time::Instant::now();
        while !graph.join("graph.sqlite-wal").exists() && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(100 + round * 170));
        let done = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        if graph.join("graph.sqlite").exists() && !done {
            world.assert_sound();
            let so_far = world.lines("claim").len();
            inside += usize::from(so_far > read);
            read = so_far;
        }
    }
    assert!(inside >= 2, "only {inside} kills fell into the crawl");
    world.crawl();
    assert_eq!(world.export(), expected);
    world.assert_sound();
}
