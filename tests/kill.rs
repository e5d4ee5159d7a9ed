//! A crawl that is killed at any moment loses nothing and doubles nothing.

use std::time::Instant;

use serde_json::Value;

use crate::env::claims::assert_same_export;
use crate::env::dice::Dice;
use crate::env::story::Story;
use crate::env::{Endpoint, TestEnv, copy_folder, number};

/// How many times a crawl is killed.
const KILLS: usize = 10;
/// How many of them must fall inside.
const INSIDE: usize = 8;
/// Inside is behind the first and before the last 5 % of the chunks.
const MARGIN: f64 = 0.05;

#[test]
fn killed_at_any_of_ten_random_moments_a_crawl_ends_as_an_undisturbed_one() {
    let env = TestEnv::new();
    let mut dice = Dice::new("killed crawl", 20_261_130);
    let calm = env.town_of("calm", &Story::new(Dice::fixed(11), 300).documents(300));
    calm.mge::<&str>("pilot", []).ok();
    let untouched = env.path("untouched");
    copy_folder(calm.folder(), &untouched);
    let all = number(&calm.crawl(), "chunks_read");
    let expected = calm.export();
    let mut inside = 0;
    for trial in 0..KILLS {
        let struck = Endpoint::at(&env, env.path(format!("struck {trial}/town")));
        copy_folder(&untouched, struck.folder());
        inside +=
            usize::from(kill(&struck, all, MARGIN + (1.0 - 2.0 * MARGIN) * dice.fraction(), &mut dice).1);
        struck.assert_sound();
        let report = struck.crawl();
        assert_eq!(report["stopped_by"], "done", "{report}");
        struck.assert_sound();
        assert_same_export(&expected, &struck.export(), "undisturbed and killed once");
    }
    assert!(inside >= INSIDE, "only {inside} of {KILLS} kills fell inside");
}

/// Crawls one endpoint in peace; the crawl of the other is killed, the store proved sound and the crawl started again,
/// and so on along its way; the last one is left to end. Then both are the same.
pub(crate) fn kill_again_and_again(calm: &Endpoint<'_>, struck: &Endpoint<'_>, dice: &mut Dice) {
    let all = number(&calm.crawl(), "chunks_read");
    // Behind the chunks already read nothing can be killed any more, so the moments come one after the other.
    let mut moments: Vec<f64> = (0..KILLS).map(|_| MARGIN + (1.0 - 2.0 * MARGIN) * dice.fraction()).collect();
    moments.sort_by(f64::total_cmp);
    let mut inside = 0;
    let mut told = 0;
    for moment in moments {
        let (chunks, is_inside) = kill(struck, all, moment, dice);
        told = told.max(chunks);
        inside += usize::from(is_inside);
        struck.assert_sound();
    }
    assert!(inside >= INSIDE, "only {inside} of {KILLS} kills fell inside");
    let last = struck.crawl();
    assert_eq!(last["stopped_by"], "done", "{last}");
    assert!(number(&last, "chunks_skipped") >= told, "{told} chunks were told to be kept: {last}");
    struck.assert_sound();
    assert_same_export(&calm.export(), &struck.export(), "undisturbed and killed ten times");
    assert_eq!(struck.status()["lock"]["state"], "free");
}

/// Starts a crawl and kills it near a moment, given as a share of all chunks. Returns how many chunks it told to be in
/// the graph, and whether that was inside the margins.
fn kill(endpoint: &Endpoint<'_>, all: u64, moment: f64, dice: &mut Dice) -> (u64, bool) {
    let share = |chunks: u64| chunks as f64 / all as f64;
    let mut crawl = endpoint.mge("crawl", ["--all", "--json"]).start();
    let mut before = 0;
    let mut since = Instant::now();
    while let Some(line) = crawl.next_json() {
        let Some(chunks) = progress(&line) else { continue };
        let step = share(chunks - before);
        before = chunks;
        // Chunks are told in batches: the moment lies within the one that follows.
        if share(chunks) >= (moment - step).max(MARGIN) {
            break;
        }
        since = Instant::now();
    }
    // Anywhere within it, not always right behind a commit.
    let wait = since.elapsed().mul_f64(dice.fraction() * 0.8);
    let told = Instant::now();
    while told.elapsed() < wait {
        std::hint::spin_loop();
    }
    crawl.signal("KILL");
    let ran = crawl.end();
    let lines = ran.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let chunks = lines.filter_map(|line| progress(&line)).max().unwrap_or(0);
    let is_inside = ran.code().is_none() && (MARGIN..=1.0 - MARGIN).contains(&share(chunks));
    println!("meant at {moment:.3}, killed at {:.3} of {all} chunks, inside: {is_inside}", share(chunks));
    (chunks, is_inside)
}

/// Returns how many chunks are in the graph, as a line of a crawl tells: read by it, or before it.
fn progress(line: &Value) -> Option<u64> {
    (line["type"] == "batch")
        .then(|| number(line, "chunks_read") + line["chunks_skipped"].as_u64().unwrap_or(0))
}

#[test]
fn after_a_kill_the_next_crawl_takes_the_lock_over_and_says_so() {
    let env = TestEnv::new();
    let town = env.town_of("", &Story::new(Dice::fixed(3), 60).documents(60));
    let mut crawl = town.mge("crawl", ["--all", "--json"]).start();
    crawl.wait_for("started");
    crawl.signal("KILL");
    let pid = crawl.pid().to_string();
    crawl.end();
    let status = town.status();
    assert_eq!(status["lock"]["state"], "stale");
    // The crawl had piloted first: whoever only reads need not wait for the next one.
    assert_eq!(status["state"]["name"], "ALL_READY");
    town.mge("conflicts", ["--json"]).ok();
    let next = town.mge("crawl", ["--all"]).ok();
    next.assert_says(["mge crawl", &pid, "without"]);
    assert_eq!(town.status()["lock"]["state"], "free");
}

#[test]
fn an_interrupt_ends_at_a_safe_point_with_its_code_and_keeps_what_was_read() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let env = TestEnv::new();
        let documents = Story::new(Dice::fixed(4), 200).documents(200);
        let town = env.town_of("", &documents);
        let mut crawl = town.mge("crawl", ["--all", "--json"]).start();
        crawl.wait_for("batch");
        crawl.signal(signal);
        let ran = crawl.end();
        ran.assert_civil();
        ran.assert_exit(code);
        let report = ran.last("finished");
        assert_eq!(report["stopped_by"], "interrupt", "{report}");
        assert!(number(&report, "chunks_read") > 0, "{report}");
        assert_eq!(town.status()["lock"]["state"], "free");
        town.assert_sound();
        let rest = town.crawl();
        assert_eq!(rest["chunks_skipped"], report["chunks_read"], "what was read is not read again");
    }
}
