//! How fast a crawl commits; run by hand: `cargo test --release -p mge-evidence --test throughput -- --ignored --nocapture`.

mod common;

use std::time::Instant;

use common::World;

/// A world of `documents` × 20 chunks with two claims each, whose names repeat as those of a corpus do.
fn world(documents: usize) -> World {
    let world = World::default();
    for document in 0..documents {
        let mut text = String::from("date: 2020\n");
        for line in 0..20 {
            let number = document * 20 + line;
            let person = (number * 7919) % (documents * 5 + 1);
            let project = (number * 104_729) % (documents * 2 + 1);
            let company = number % 97;
            text.push_str(&format!(
                "Line {number} says that {{person:Person{person} Surname{}}} works_on {{project:Project {project}}} owned_by \
                 {{organization:Company {company}}} and more words follow here, as they do in texts.\n",
                person % 31
            ));
        }
        world.files.write(&format!("d{document:06}.md"), &text);
    }
    world
}

#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stderr, reason = "it prints figures")]
fn claims_a_second() {
    let documents =
        std::env::var("MGE_TEST_DOCUMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000);
    let world = world(documents);
    let began = Instant::now();
    let report = world.crawl();
    let seconds = began.elapsed().as_secs_f64();
    let size = std::fs::metadata(world.folder.path().join("graphs/g/graph.sqlite")).unwrap().len();
    eprintln!(
        "{} chunks, {} pieces of evidence, {} claims in {seconds:.1} s: {:.0} pieces/s, {:.0} claims/s, {:.0} chunks/s, {:.0} bytes a piece",
        report.chunks_read,
        report.evidence_new,
        report.claims_new,
        report.evidence_new as f64 / seconds,
        report.claims_new as f64 / seconds,
        report.chunks_read as f64 / seconds,
        size as f64 / report.evidence_new as f64,
    );
    if std::env::var_os("MGE_TEST_ONLY_CRAWL").is_some() {
        return;
    }
    let began = Instant::now();
    world.crawl();
    eprintln!("second crawl {:.2} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    let bytes = world.export().len();
    eprintln!("export of {bytes} bytes {:.2} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    world.assert_sound();
    eprintln!("fsck {:.2} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    world.graph().rebuild(&mge_core::Cancel::default()).unwrap();
    eprintln!("rebuild {:.2} s", began.elapsed().as_secs_f64());
}
