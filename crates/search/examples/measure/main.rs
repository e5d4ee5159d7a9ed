//! Measures the search index: how much it finds, and how fast.
//!
//! `recall CORPUS QUESTIONS` asks questions whose supporting passages are known, in each mode. `speed N` fills an index
//! with N generated passages, and compares the fast way of searching with the exact one.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "figures are for people")]

mod recall;
mod speed;

use std::process::ExitCode;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["recall", corpus, questions] => recall::measure(corpus, questions),
        ["speed", passages] => passages.parse().map_err(Into::into).and_then(speed::measure),
        _ => Err("usage: measure recall CORPUS QUESTIONS | measure speed N".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
