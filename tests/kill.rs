//! A crawl that is killed at any moment loses nothing and doubles nothing.

use serde_json::Value;

use crate::env::claims::assert_same_export;
use crate::env::dice::Dice;
use crate::env::story::Story;
use crate::env::{Endpoint, TestEnv, copy_folder, number};

/// How many times a crawl is killed.
const KILLS: usize = 10;
/// How many of them must fall between 5 % and 95 % of the chunks.
const INSIDE: usize = 8;

#[test]
fn killed_ten_times_at_random_a_crawl_of_made_up_documents_ends_as_an_undisturbed_one() {
    let env = TestEnv::new();
    let documents = Story::new(Dice::fixed(11), 300).documents(300);
    let calm = env.town_of("calm", &documents);
    calm.mge::<&str>("pilot", []).ok();
    let struck = Endpoint::at(&env, env.path("struck/town"));
    copy_folder(calm.folder(), struck.folder());
    kill_again_and_again(&calm, &struck, &mut Dice::new("killed crawl", 20_261_130));
}

/// Crawls one endpoint in peace; the crawl of the other is killed, the store proved sound and the crawl started again,
/// and so on along its way; the last one is left to end. Then both are the same.
pub(crate) fn kill_again_and_again(calm: &Endpoint<'_>, struck: &Endpoint<'_>, dice: &mut Dice) {
    let all = number(&calm.crawl(), "chunks_read");
    let share = |chunks: u64| chunks as f64 / all as f64;
    // Behind the chunks already read nothing can be killed any more, so the moments come one after the other.
    let mut moments: Vec<f64> = (0..KILLS).map(|_| 0.05 + 0.9 * dice.fraction()).collect();
    moments.sort_by(f64::total_cmp);
    let mut inside = 0;
    let mut told = 0;
    for moment in moments {
        let mut crawl = struck.mge("crawl", ["--all", "--json"]).start();
        while let Some(line) = crawl.next_json() {
            if progress(&line).is_some_and(|chunks| share(chunks) >= moment) {
                break;
            }
        }
        // Somewhere in what follows, not always at the same point behind a commit.
        for _ in 0..dice.below(2_000_000) {
            std::hint::spin_loop();
        }
        crawl.signal("KILL");
        let ran = crawl.end();
        let lines = ran.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        told = lines.filter_map(|line| progress(&line)).fold(told, u64::max);
        let is_inside = ran.code().is_none() && (0.05..=0.95).contains(&share(told));
        println!("meant at {moment:.3}, killed at {:.3} of {all} chunks, inside: {is_inside}", share(told));
        inside += usize::from(is_inside);
        struck.assert_sound();
    }
    assert!(inside >= INSIDE, "only {inside} of {KILLS} kills fell inside");
    let last = struck.crawl();
    assert_eq!(last["stopped_by"], "done", "{last}");
    assert!(number(&last, "chunks_skipped") >= told, "{told} chunks were told to be kept: {last}");
    struck.assert_sound();
    assert_same_export(&calm.export(), &struck.export(), "undisturbed and killed");
    assert_eq!(struck.status()["lock"]["state"], "free");
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
    assert_eq!(town.status()["lock"]["state"], "stale");
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
