//! Bad input: bounded time, no panic.

use std::time::{Duration, Instant};

use super::properties::check;
use super::rules;
use crate::rules::Rules;

fn small() -> Rules {
    rules(
        "person / aliases=engineer\norganization / aliases=institute\nplace",
        "leads / src=person / dst=organization / cues=leads;director of;<led by
         located_in / src=place / dst=place / cues=in;located in",
        "person|Ada Brook\norganization|Holm Institute",
    )
}

#[track_caller]
fn within(limit: u64, text: &str) {
    let rules = small();
    let begun = Instant::now();
    check(&rules, text);
    // Generous: tests run unoptimised and beside others; what is quadratic takes hours here.
    assert!(begun.elapsed() < Duration::from_secs(limit), "{} bytes took {:?}", text.len(), begun.elapsed());
}

#[test]
fn ten_megabytes_in_one_chunk() {
    within(240, &"Ada Brook leads the Holm Institute in the city, and nobody minds. ".repeat(160_000));
}

#[test]
fn one_word_of_a_megabyte() {
    within(60, &"a".repeat(1 << 20));
    within(60, &"Á".repeat(1 << 19));
    within(60, &"語".repeat(1 << 18));
}

#[test]
fn deep_brackets_and_endless_signs() {
    within(120, &format!("{}Ada Brook{}", "(".repeat(200_000), ")".repeat(200_000)));
    within(120, &"((Ada Brook (".repeat(20_000));
    within(120, &",".repeat(300_000));
    within(120, &"\"".repeat(300_000));
    within(120, &"'s ".repeat(100_000));
    within(120, &"Ada Brook, ".repeat(40_000));
    within(120, &"Ada and ".repeat(60_000));
    within(120, &"A. B. ".repeat(60_000));
    within(120, &"of the ".repeat(60_000));
    within(120, &"New ".repeat(60_000));
}

#[test]
fn binary_noise() {
    let mut state = 7u64;
    let noise: String = (0..200_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from_u32((state >> 40) as u32 % 0x3000).unwrap_or('\u{fffd}')
        })
        .collect();
    within(120, &noise);
}

/// A name of its own for each number, in letters.
fn named(number: usize) -> String {
    let letter = |place: usize| char::from(b'a' + (number / 26usize.pow(place as u32) % 26) as u8);
    format!("X{}{}{}{}", letter(0), letter(1), letter(2), letter(3))
}

#[test]
fn many_names_in_one_chunk_and_many_short_chunks() {
    let lines = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let people =
        |n: usize| format!("Ada {} leads the {} Institute in {}. ", named(n), named(n + 1), named(n + 2));
    within(120, &lines(20_000, &people));
    within(
        120,
        &lines(20_000, &|n| format!("Ada Brook leads the {} Institute. She is in {}. ", named(n), named(n))),
    );
    within(
        120,
        &lines(10_000, &|n| {
            format!("# {}\n\nAda {} leads the {} Institute.\n\n", named(n), named(n), named(n))
        }),
    );
    within(120, &lines(5_000, &|n| format!("Ada Brook leads the Holm Institute in {}. ", 1000 + n)));
    within(120, &lines(20_000, &|n| format!("Ada {}, ", named(n))));
}
