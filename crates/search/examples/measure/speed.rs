//! How fast a large index is filled and searched, and what the fast way misses.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use mge_search::{Change, DocumentText, Mode, PassageText, Query, SearchIndex, Settings};

use crate::Outcome;

/// Words of the generated language.
const VOCABULARY: usize = 1_000_000;
/// So many passages are put together.
const BATCH: usize = 8_192;
/// So many passages has a document.
const DOCUMENT: usize = 16;
/// So many queries are timed.
const TIMED: usize = 300;
/// So many are compared with the exact search.
const COMPARED: usize = 40;
/// Words that are more frequent than these are like function words, which nobody searches for.
const FUNCTION_WORDS: usize = 60;

pub(crate) fn measure(count: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("search.sqlite");
    let mut language = Language::new();
    let (index, _) = SearchIndex::open(&path, Settings::default())?;

    let start = Instant::now();
    let mut building = Duration::ZERO;
    let mut queries = Vec::new();
    let mut bytes = 0;
    let every = (count / TIMED).max(1);
    let mut made = 0;
    while made < count {
        let mut changes = Vec::new();
        let end = (made + BATCH).min(count);
        while made < end {
            let passages = (made..(made + DOCUMENT).min(end))
                .map(|number| {
                    let words = language.passage();
                    if number % every == 0 {
                        queries.push(language.query(&words));
                    }
                    let text = language.write(&words);
                    bytes += text.len();
                    PassageText {
                        key: format!("text_{number}"),
                        title: language.write(&words[..3]),
                        text,
                        ..PassageText::default()
                    }
                })
                .collect::<Vec<_>>();
            let key = format!("document_{made}.md");
            made += passages.len();
            changes.push(Change::Put(DocumentText { key, digest: "1".to_owned(), passages }));
        }
        let begun = Instant::now();
        index.apply(changes)?;
        building += begun.elapsed();
    }
    println!(
        "{count} passages, {} MB of text; built in {:.1} s, {:.0} passages/s (with generation {:.1} s)",
        bytes / 1_000_000,
        building.as_secs_f64(),
        count as f64 / building.as_secs_f64(),
        start.elapsed().as_secs_f64()
    );
    let begun = Instant::now();
    index.optimize()?;
    println!(
        "optimized in {:.1} s; file {} MB; peak memory {}",
        begun.elapsed().as_secs_f64(),
        std::fs::metadata(&path)?.len() / 1_000_000,
        peak_memory()
    );
    drop(index);

    let index = SearchIndex::read(&path, Settings::default())?;
    let begun = Instant::now();
    index.search(&Query::new(queries[0].as_str()))?;
    println!("first hybrid search, which loads the vectors: {:.0} ms", milliseconds(begun.elapsed()));
    for (name, mode) in [("lexical", Mode::Lexical), ("vector", Mode::Vector), ("hybrid", Mode::Hybrid)] {
        let mut times = Vec::new();
        let mut pruned = 0;
        for query in &queries {
            let begun = Instant::now();
            let answer = index.search(&Query { mode, ..Query::new(query.as_str()) })?;
            times.push(begun.elapsed());
            pruned += usize::from(answer.pruned);
        }
        times.sort_unstable();
        let (mut recall, mut compared) = (0.0, 0);
        for query in queries.iter().step_by((queries.len() / COMPARED).max(1)) {
            let fast = Query { mode, ..Query::new(query.as_str()) };
            let exact = Query { everything: true, ..fast.clone() };
            let found = keys(&index, &fast)?;
            let wanted = keys(&index, &exact)?;
            if !wanted.is_empty() {
                recall += wanted.intersection(&found).count() as f64 / wanted.len() as f64;
                compared += 1;
            }
        }
        println!(
            "{name:<8} p50 {:>6.1} ms  p95 {:>6.1} ms  max {:>6.1} ms  pruned {:>3.0} %  recall@10 of exact {:.3}",
            milliseconds(times[times.len() / 2]),
            milliseconds(times[times.len() * 95 / 100]),
            milliseconds(times[times.len() - 1]),
            100.0 * pruned as f64 / queries.len() as f64,
            recall / f64::from(compared.max(1))
        );
    }
    println!("peak memory {}", peak_memory());
    Ok(())
}

fn keys(index: &SearchIndex, query: &Query) -> Outcome<BTreeSet<String>> {
    Ok(index.search(query)?.hits.into_iter().map(|hit| hit.key).collect())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_owned(), |size| size.trim().to_owned())
}

/// A language whose words are as frequent as Zipf and Mandelbrot say: p ∝ 1 / (rank + 2.7).
struct Language {
    state: u64,
    /// The sums of the frequencies up to each rank.
    sums: Vec<f64>,
}

impl Language {
    fn new() -> Self {
        let mut sum = 0.0;
        let sums = (0..VOCABULARY)
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 2.7);
                sum
            })
            .collect();
        Self { state: 42, sums }
    }

    /// Returns the next number of SplitMix64 (Steele, Lea & Flood 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn word(&mut self) -> usize {
        let total = self.sums[VOCABULARY - 1];
        let place = (self.next() >> 11) as f64 / (1_u64 << 53) as f64 * total;
        self.sums.partition_point(|sum| *sum <= place)
    }

    /// Makes 40 to 120 words, of which every fourth repeats an earlier one: a text speaks of something.
    fn passage(&mut self) -> Vec<usize> {
        let length = 40 + self.below(81);
        let mut words = Vec::with_capacity(length);
        for place in 0..length {
            let repeats = place > 0 && self.below(4) == 0;
            let word = if repeats { words[self.below(place)] } else { self.word() };
            words.push(word);
        }
        words
    }

    /// Takes three to seven words of a passage.
    fn query(&mut self, words: &[usize]) -> String {
        let rare: Vec<usize> = words.iter().copied().filter(|word| *word >= FUNCTION_WORDS).collect();
        let length = 3 + self.below(5);
        let chosen: Vec<usize> = (0..length).map(|_| rare[self.below(rare.len())]).collect();
        self.write(&chosen)
    }

    fn write(&self, words: &[usize]) -> String {
        words.iter().map(|word| spelled(*word)).collect::<Vec<_>>().join(" ")
    }
}

/// Spells the word of a rank by syllables; frequent words are short.
fn spelled(mut rank: usize) -> String {
    const ONSETS: [&str; 16] =
        ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "ch"];
    const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
    let mut word = String::new();
    loop {
        word.push_str(ONSETS[rank % 16]);
        rank /= 16;
        word.push_str(VOWELS[rank % 5]);
        rank /= 5;
        if rank == 0 {
            return word;
        }
        rank -= 1;
    }
}
