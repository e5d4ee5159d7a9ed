//! Whatever the way, the state is that of one crawl of the final documents into an empty graph.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod common;

use common::World;
use mge_core::{Cancel, CrawlOrder, CrawlRequest, Index};
use proptest::prelude::*;

/// Lines that touch all rules: spellings, aliases, honorifics, legal forms, deeper and disjoint concepts, rivals,
/// denials, dates, values, off-ontology and unknown relations, copies.
const LINES: [&str; 34] = [
    "{person:Noah Kim} works_on {project:Helios}",
    "{person|student:Noah Kim} works_on {project:Helios} @2019",
    "{person|teacher:NOAH KIM} leads {project:Helios}",
    "{person:Dr. Noah Kim} knows {person:Ana Kim}",
    "{person:Ana Kim} knows {person|student:Noah Kim}",
    "{person:Ana Kim?} not knows {person:Noah Kim?}",
    "{project:Helios} led_by {person:Ana Kim}",
    "{project:Helios} led_by {person:Noah Kim} @2020",
    "{person:Ana Kim} not leads {project:Helios}",
    "{organization:World Health Organization=WHO} said so",
    "{organization:Wild Horse Owners=WHO} said no",
    "{project:Helios} owned_by {organization:WHO}",
    "{project:Helios} owned_by {organization:Acme Ltd} @2019",
    "{project:Helios} owned_by {organization:Acme} @2021",
    "{project:Helios} owned_by {organization|company:ACME Limited}",
    "{project:Helios} owned_by {organization:Acme GmbH}",
    "{organization:World Health Organization} founded_in \"1948\"",
    "{organization:World Health Organization} founded_in \"1948-04\"",
    "{organization:World Health Organization} founded_in \"1950\" @1999",
    "{organization:World Health Organization} founded_in \"never\"",
    "{place:Hudson} is there",
    "{place|city:Hudson} located_in {place:New York}",
    "{place|river:Hudson} located_in {place:New York}",
    "{place|river:Hudson} and {place|city:Hudson}",
    "{person:Hudson} works_on {place:Hudson}",
    "{person:Ana Kim} admires {person:Noah Kim}",
    "{planet:Mars} owned_by {organization:Acme}",
    "{person:Noah Kim} knows {person:Noah Kim}",
    "{person:北京} knows {person:東京}",
    "{person:a|b%} knows {person:Café}",
    "{person:Cafe\u{301}} knows {person:CAFÉ}",
    "# {person:Noah Kim} leads {project:Zephyr}",
    "plain words without any name",
    "FAIL {person:Eva Li}",
];
const PATHS: [&str; 5] = ["a.md", "b.md", "b/c.md", "d e.md", "z.md"];
const DATES: [&str; 4] = ["", "date: 2018\n", "date: 2020-05\n", "date: 2022\n"];

#[derive(Debug, Clone)]
enum Edit {
    Write { path: usize, date: usize, lines: Vec<usize> },
    Append { path: usize, line: usize },
    Remove { path: usize },
    Rename { from: usize, to: usize },
    Copy { from: usize, to: usize },
    Touch { path: usize },
    Crawl { root: Option<usize>, chunks: Option<u64>, order: usize },
    Rebuild,
}

fn edit() -> impl Strategy<Value = Edit> {
    let path = || 0..PATHS.len();
    prop_oneof![
        4 => (path(), 0..DATES.len(), prop::collection::vec(0..LINES.len(), 0..7))
            .prop_map(|(path, date, lines)| Edit::Write { path, date, lines }),
        2 => (path(), 0..LINES.len()).prop_map(|(path, line)| Edit::Append { path, line }),
        1 => path().prop_map(|path| Edit::Remove { path }),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Rename { from, to }),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Copy { from, to }),
        1 => path().prop_map(|path| Edit::Touch { path }),
        5 => (prop::option::of(path()), prop::option::of(0_u64..6), 0_usize..3)
            .prop_map(|(root, chunks, order)| Edit::Crawl { root, chunks, order }),
        1 => Just(Edit::Rebuild),
    ]
}

fn apply(world: &World, edit: &Edit) {
    let files = &world.files;
    let text = |path: usize| files.files.lock().unwrap().get(PATHS[path]).map(|(text, _)| text.clone());
    match edit {
        Edit::Write { path, date, lines } => {
            let lines: Vec<&str> = lines.iter().map(|line| LINES[*line]).collect();
            files.write(PATHS[*path], &format!("{}{}\n", DATES[*date], lines.join("\n")));
        }
        Edit::Append { path, line } => {
            let old = text(*path).unwrap_or_default();
            files.write(PATHS[*path], &format!("{old}{}\n", LINES[*line]));
        }
        Edit::Remove { path } => files.remove(PATHS[*path]),
        Edit::Rename { from, to } => files.rename(PATHS[*from], PATHS[*to]),
        Edit::Copy { from, to } => {
            if let Some(text) = text(*from) {
                files.write(PATHS[*to], &text);
            }
        }
        Edit::Touch { path } => {
            if let Some(text) = text(*path) {
                files.write(PATHS[*path], &text);
            }
        }
        Edit::Crawl { root, chunks, order } => {
            let root = root.filter(|root| text(*root).is_some());
            let request = CrawlRequest {
                roots: root.map(|root| Index::new(format!("docs|{}", PATHS[root]))).into_iter().collect(),
                max_chunks: *chunks,
                order: [
                    CrawlOrder::Document,
                    CrawlOrder::Outline,
                    CrawlOrder::Query("who knows Kim".to_owned()),
                ][*order]
                    .clone(),
                ..CrawlRequest::default()
            };
            world.crawl_as(&request);
        }
        Edit::Rebuild => world.graph().rebuild(&Cancel::default()).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_in_any_order_end_as_a_fresh_crawl(edits in prop::collection::vec(edit(), 1..24)) {
        let world = World::default();
        for edit in &edits {
            apply(&world, edit);
        }
        world.crawl();
        let export = world.export();
        let fresh = world.fresh();
        fresh.crawl();
        prop_assert_eq!(&export, &fresh.export());
        world.assert_sound();
        world.graph().rebuild(&Cancel::default()).unwrap();
        prop_assert_eq!(&export, &world.export());
        let again = world.crawl();
        let all = (again.chunks_read, again.claims_new, again.evidence_new, again.evidence_retracted);
        prop_assert_eq!(all, (0, 0, 0, 0));
    }
}
