//! From documents to a graph: what is read, kept, skipped and taken back.

mod common;

use std::sync::atomic::Ordering;

use common::World;
use mge_core::{CorpusError, CrawlEvent, CrawlOrder, CrawlRequest, Index, StoppedBy};

fn ferry() -> World {
    let world = World::default();
    world.files.write("a.md", "# About\n{person:Noah Kim} works_on {project:Helios}\nnothing here\n");
    world.files.write(
        "b.md",
        "date: 2019\n{project:Helios} owned_by {organization:Acme}\n```code {person:No One}\n",
    );
    world.files.write("sub/c.md", "date: 2023\n{project:Helios} owned_by {organization:Bolt}\n");
    world
}

#[test]
fn what_documents_say_is_in_the_graph_with_its_spans() {
    let world = ferry();
    let report = world.crawl();
    assert_eq!((report.documents, report.chunks_read, report.claims_new, report.evidence_new), (3, 5, 3, 3));
    assert_eq!(report.stopped_by, StoppedBy::Done);
    assert_eq!(report.chunks_left, 0);
    let ids: Vec<String> = world.ids().into_iter().collect();
    assert_eq!(ids, ["organization|Acme", "organization|Bolt", "person|Noah Kim", "project|Helios"]);
    let mentions = world.lines("mention");
    let noah = mentions.iter().find(|line| line["entity"] == "person|Noah Kim").unwrap();
    let (start, end) = (noah["start"].as_u64().unwrap() as usize, noah["end"].as_u64().unwrap() as usize);
    let text = world.files.files.lock().unwrap()["a.md"].0.clone();
    assert_eq!(&text[start..end], "Noah Kim");
    assert_eq!(noah["index"], "docs|a.md|text_1");
    world.assert_sound();
}

#[test]
fn two_dates_tell_of_a_succession() {
    let world = ferry();
    world.crawl();
    for claim in world.lines("claim").iter().filter(|line| line["relation"] == "owned_by") {
        let expected = claim["object"] == "organization|Bolt";
        assert_eq!(claim["belief"].as_f64().unwrap() > 0.4, expected, "{claim}");
    }
}

#[test]
fn the_second_crawl_finds_nothing_to_do() {
    let world = ferry();
    world.crawl();
    let (export, reads) = (world.export(), world.files.reads.load(Ordering::SeqCst));
    for _ in 0..4 {
        let report = world.crawl();
        let all = (report.chunks_read, report.claims_new, report.evidence_new, report.evidence_retracted);
        assert_eq!(all, (0, 0, 0, 0));
        assert_eq!(report.chunks_skipped, 5);
    }
    assert_eq!(world.files.reads.load(Ordering::SeqCst), reads, "unchanged files are not opened");
    assert_eq!(world.export(), export);
    assert_eq!(world.known.replaced.load(Ordering::SeqCst), 1);
}

#[test]
fn a_renamed_file_keeps_its_evidence() {
    let world = ferry();
    world.crawl();
    world.files.rename("b.md", "z/b2.md");
    let report = world.crawl();
    let all = (report.chunks_read, report.claims_new, report.evidence_new, report.evidence_retracted);
    assert_eq!(all, (0, 0, 0, 0));
    assert_eq!(report.documents_removed, 0);
    let fresh = world.fresh();
    fresh.crawl();
    assert_eq!(world.export(), fresh.export());
    world.assert_sound();
}

#[test]
fn a_changed_document_keeps_what_still_stands_there() {
    let world = ferry();
    world.crawl();
    world.files.write("a.md", "new line first\n# About\n{person:Noah Kim} works_on {project:Helios}\n");
    let report = world.crawl();
    assert_eq!((report.chunks_read, report.evidence_new, report.evidence_retracted), (1, 0, 0));
    world.files.write("a.md", "{person:Noah Kim} not works_on {project:Helios}\n");
    let report = world.crawl();
    assert_eq!((report.chunks_read, report.evidence_new, report.evidence_retracted), (1, 1, 1));
    let fresh = world.fresh();
    fresh.crawl();
    assert_eq!(world.export(), fresh.export());
    world.assert_sound();
}

#[test]
fn a_removed_document_takes_along_only_what_it_alone_says() {
    let world = ferry();
    world.files.write("copy.md", "{person:Noah Kim} works_on {project:Helios}\n");
    world.crawl();
    world.files.remove("a.md");
    world.files.remove("sub/c.md");
    let report = world.crawl();
    assert_eq!((report.documents_removed, report.evidence_retracted, report.chunks_read), (2, 2, 0));
    assert!(world.claims().contains("person|Noah Kim works_on project|Helios"));
    assert!(!world.ids().contains("organization|Bolt"));
    world.assert_sound();
    for path in ["b.md", "copy.md"] {
        world.files.remove(path);
    }
    assert_eq!(world.crawl().documents_removed, 2);
    assert_eq!(world.export().lines().count(), 1, "nothing is left but the head");
    world.assert_sound();
}

#[test]
fn a_crawl_below_one_root_leaves_the_rest_alone() {
    let world = ferry();
    world.crawl();
    world.files.remove("a.md");
    world.files.remove("sub/c.md");
    let roots = vec![Index::new("docs|b.md")];
    assert_eq!(world.crawl_as(&CrawlRequest { roots, ..CrawlRequest::default() }).documents_removed, 0);
    let roots = vec![Index::new("docs|b.md|text_1"), Index::new("docs"), Index::new("docs|b.md")];
    let report = world.crawl_as(&CrawlRequest { roots, ..CrawlRequest::default() });
    assert_eq!((report.documents, report.documents_removed), (1, 2));
    let unknown = CrawlRequest { roots: vec![Index::new("dogs")], ..CrawlRequest::default() };
    assert!(world.try_crawl(&unknown).0.unwrap_err().to_string().contains("did you mean 'docs'"));
}

#[test]
fn a_budget_ends_the_crawl_and_the_next_goes_on() {
    let world = World::default();
    for document in 0..7 {
        let lines: Vec<String> = (0..10)
            .map(|line| format!("{{person:P{document} N{line}}} works_on {{project:X{line}}}"))
            .collect();
        world.files.write(&format!("d{document}.md"), &lines.join("\n"));
    }
    let fresh = world.fresh();
    fresh.crawl();
    let mut left = 70;
    loop {
        let report = world.crawl_as(&CrawlRequest { max_chunks: Some(13), ..CrawlRequest::default() });
        left -= report.chunks_read;
        assert_eq!(report.chunks_left, left);
        world.assert_sound();
        if report.stopped_by == StoppedBy::Done {
            break;
        }
        assert_eq!(report.chunks_read, 13);
    }
    assert_eq!(left, 0);
    assert_eq!(world.export(), fresh.export());
}

#[test]
fn orders_lead_to_the_same_graph() {
    let world = ferry();
    world
        .files
        .write("q.md", "# {person:Ana Kim} knows {person:Noah Kim}\nabout {project:Zephyr} the windmill\n");
    let fresh = world.fresh();
    fresh.crawl();
    let heads = CrawlRequest { order: CrawlOrder::Outline, max_chunks: Some(2), ..CrawlRequest::default() };
    assert_eq!(world.crawl_as(&heads).chunks_read, 2);
    assert!(world.ids().contains("person|Ana Kim"));
    assert!(!world.ids().contains("project|Zephyr"));
    let order = CrawlOrder::Query("where is the windmill?".to_owned());
    let relevant = CrawlRequest { order: order.clone(), max_chunks: Some(1), ..CrawlRequest::default() };
    assert_eq!(world.crawl_as(&relevant).chunks_read, 1);
    assert!(world.ids().contains("project|Zephyr"));
    assert_eq!(
        world.crawl_as(&CrawlRequest { order, ..CrawlRequest::default() }).stopped_by,
        StoppedBy::Done
    );
    assert_eq!(world.export(), fresh.export());
    world.assert_sound();
}

/// Documents of which a search finds the last ones first.
fn ranked() -> World {
    let world = World::default();
    for number in 0..40 {
        let text = format!("{{person:P{number}}} works_on {{project:Q{number}}}\nidle {number}\n");
        world.files.write(&format!("d{number:02}.md"), &text);
    }
    *world.files.ranking.lock().expect("a lock") =
        (0..40).rev().map(|number| format!("{{person:P{number}}}")).collect();
    world
}

fn by_query(max_chunks: Option<u64>) -> CrawlRequest {
    let order = CrawlOrder::Query("who?".to_owned());
    CrawlRequest { order, max_chunks, ..CrawlRequest::default() }
}

#[test]
fn what_a_source_finds_is_read_in_its_order_as_far_as_the_budget_goes() {
    let world = ranked();
    let report = world.crawl_as(&by_query(Some(3)));
    assert_eq!((report.chunks_read, report.stopped_by), (3, StoppedBy::Budget));
    let read = ["person|P37", "person|P38", "person|P39", "project|Q37", "project|Q38", "project|Q39"];
    assert_eq!(world.ids().into_iter().collect::<Vec<_>>(), read);
    assert_eq!(world.files.caught_up.load(Ordering::SeqCst), 1, "the source is asked as it is now");
    // The next ones are those that follow, and what was read is not read again.
    let report = world.crawl_as(&by_query(Some(2)));
    assert_eq!((report.chunks_read, report.chunks_skipped), (2, 3));
    assert!(world.ids().contains("person|P35") && !world.ids().contains("person|P34"));
    world.assert_sound();
    // Behind all that is found comes the rest.
    let report = world.crawl_as(&by_query(None));
    assert_eq!((report.chunks_read, report.chunks_skipped, report.documents), (75, 5, 40));
    assert_eq!(report.stopped_by, StoppedBy::Done);
    let fresh = world.fresh();
    fresh.crawl();
    assert_eq!(world.export(), fresh.export());
    world.assert_sound();
    assert_eq!(world.crawl_as(&by_query(None)).chunks_read, 0);
}

#[test]
fn an_order_below_a_root_stays_below_it() {
    let world = ranked();
    let request = CrawlRequest { roots: vec![Index::new("docs|d07.md")], ..by_query(None) };
    let report = world.crawl_as(&request);
    assert_eq!((report.documents, report.chunks_read, report.chunks_skipped), (1, 2, 0));
    assert_eq!(world.ids().into_iter().collect::<Vec<_>>(), ["person|P7", "project|Q7"]);
}

#[test]
fn what_changes_while_it_is_found_is_told_once_and_the_rest_is_read() {
    let world = ranked();
    world.crawl_as(&by_query(Some(4)));
    world.files.write("d39.md", "{person:P39} not works_on {project:Q39}\n");
    world.files.remove("d38.md");
    world.files.write("d37.md", "");
    world.files.broken.lock().unwrap().insert(
        "d36.md".to_owned(),
        CorpusError::NotText { index: Index::new("docs|d36.md"), reason: "binary".to_owned() },
    );
    world.files.write("d36.md", "?");
    let (report, events) = world.try_crawl(&by_query(None));
    let report = report.unwrap();
    assert_eq!((report.documents_removed, report.documents_failed), (1, 1));
    let failed = events.iter().filter(|event| matches!(event, CrawlEvent::ChunkFailed { .. })).count();
    assert_eq!(failed, 1);
    world.assert_sound();
    world.files.broken.lock().unwrap().clear();
    world.files.remove("d36.md");
    world.crawl();
    let fresh = world.fresh();
    fresh.crawl();
    assert_eq!(world.export(), fresh.export());
}

#[test]
fn a_plan_reads_and_writes_nothing() {
    let world = ferry();
    let plan = CrawlRequest { plan: true, ..CrawlRequest::default() };
    let (report, events) = world.try_crawl(&plan);
    assert_eq!(report.unwrap().chunks_left, 5);
    let planned = events.iter().filter(|event| matches!(event, CrawlEvent::Planned { .. })).count();
    assert_eq!(planned, 3);
    assert_eq!(world.formalizer.chunks_read.load(Ordering::SeqCst), 0);
    world.crawl();
    world.files.write("b.md", "date: 2019\n{project:Helios} owned_by {organization:Acme}\nnew\n");
    let (report, _) = world.try_crawl(&plan);
    let report = report.unwrap();
    assert_eq!((report.chunks_left, report.chunks_skipped), (1, 5));
}

#[test]
fn failures_are_told_and_tried_again_when_asked() {
    let world = ferry();
    world.files.write("f.md", "FAIL {person:Ana Kim}\nFLAKY {person:Eva Li}\nPANIC\n");
    world.formalizer.flaky.store(1, Ordering::SeqCst);
    let (report, events) = world.try_crawl(&CrawlRequest::default());
    let report = report.unwrap();
    // A panic fails the slice that it is in.
    assert!(report.chunks_failed >= 1);
    assert!(events.iter().any(|event| matches!(event, CrawlEvent::ChunkFailed { .. })));
    world.files.write("f.md", "FAIL {person:Ana Kim}\nFLAKY {person:Eva Li}\n");
    world.formalizer.flaky.store(1, Ordering::SeqCst);
    let retry = CrawlRequest { retry_failed: true, ..CrawlRequest::default() };
    world.crawl();
    let report = world.crawl();
    assert_eq!((report.chunks_read, report.chunks_failed), (0, 0), "what failed is not tried again unasked");
    let report = world.crawl_as(&retry);
    assert_eq!(report.chunks_failed, 1);
    assert!(world.ids().contains("person|Eva Li"));
    world.assert_sound();
}

#[test]
fn documents_that_cannot_be_had_are_told() {
    let world = ferry();
    world.crawl();
    let index = |path: &str| Index::new(format!("docs|{path}"));
    let unreadable = CorpusError::Unreadable {
        index: index("a.md"),
        reason: "no permission".to_owned(),
        transient: false,
    };
    let no_text = CorpusError::NotText { index: index("b.md"), reason: "zero bytes".to_owned() };
    let gone = CorpusError::Gone { index: index("sub/c.md") };
    for path in ["a.md", "b.md", "sub/c.md"] {
        world.files.write(path, "{person:Eva Li} works_on {project:Other}");
    }
    world.files.broken.lock().unwrap().extend([
        ("a.md".to_owned(), unreadable),
        ("b.md".to_owned(), no_text),
        ("sub/c.md".to_owned(), gone),
    ]);
    let (report, events) = world.try_crawl(&CrawlRequest::default());
    let report = report.unwrap();
    assert_eq!((report.documents_failed, report.documents_removed), (2, 1));
    assert!(
        events
            .iter()
            .any(|event| matches!(event, CrawlEvent::Warning { message } if message.contains("c.md")))
    );
    let claims = world.claims();
    assert_eq!(
        claims.len(),
        1,
        "what cannot be read keeps its evidence, what is no text does not: {claims:?}"
    );
    world.assert_sound();
    world.files.broken.lock().unwrap().clear();
    let report = world.crawl();
    assert_eq!(report.documents_failed, 0);
    let fresh = world.fresh();
    fresh.crawl();
    assert_eq!(world.export(), fresh.export());
}

#[test]
fn nothing_found_in_much_text_is_a_warning() {
    let world = World::default();
    world.files.write(
        "a.md",
        &"plain words\n"
            .repeat(30)
            .lines()
            .enumerate()
            .map(|(n, line)| format!("{line} {n}\n"))
            .collect::<String>(),
    );
    let (_, events) = world.try_crawl(&CrawlRequest::default());
    assert!(
        events
            .iter()
            .any(|event| matches!(event, CrawlEvent::Warning { message } if message.contains("0 entities")))
    );
}

#[test]
fn another_version_of_the_method_reads_all_again() {
    let world = ferry();
    world.crawl();
    *world.formalizer.version.lock().unwrap() = ".1".to_owned();
    let report = world.crawl();
    assert_eq!((report.chunks_read, report.evidence_new, report.evidence_retracted), (5, 3, 3));
    let fresh = world.fresh();
    fresh.crawl();
    assert_eq!(world.export(), fresh.export());
    world.assert_sound();
}

#[test]
fn another_ontology_derives_all_anew_without_reading() {
    let world = ferry();
    world.crawl();
    let mut rows = world.relationships.rows.lock().unwrap().nodes.clone();
    rows.retain(|row| row.id != "works_on");
    world.relationships.set(rows);
    let report = world.crawl();
    assert_eq!(report.chunks_read, 0);
    assert_eq!(world.claims().len(), 2);
    let fresh = world.fresh();
    fresh.crawl();
    assert_eq!(world.export(), fresh.export());
    world.assert_sound();
}

#[test]
fn a_rebuild_gives_the_same_bytes() {
    let world = ferry();
    world.crawl();
    world.files.remove("a.md");
    world.crawl();
    let export = world.export();
    world.graph().rebuild(&mge_core::Cancel::default()).unwrap();
    assert_eq!(world.export(), export);
    world.assert_sound();
    let mut log = Vec::new();
    world.graph().export(&mut log, true, true).unwrap();
    let log = String::from_utf8(log).unwrap();
    for kind in ["reading", "placement", "retraction", "crawl"] {
        assert!(log.contains(&format!("\"type\":\"{kind}\"")), "{kind}");
    }
}
