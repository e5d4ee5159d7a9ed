//! Prints documents as Markdown, and how fast they were read.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example speaks to the person who started it"
)]

use std::time::Instant;

use mge_convert::{Format, Limits, convert};

fn main() {
    for name in std::env::args().skip(1) {
        let bytes = match std::fs::read(&name) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{name}: {error}");
                continue;
            }
        };
        let Some(format) = Format::detect(&bytes, &name) else {
            eprintln!("{name}: of no known format");
            continue;
        };
        let start = Instant::now();
        match convert(bytes, format, &Limits::default()) {
            Ok(converted) => {
                print!("{}", converted.markdown);
                let seconds = start.elapsed().as_secs_f64();
                let pages = converted.pages.len();
                let speed = pages as f64 / seconds;
                eprintln!("{name}: {format}, {pages} pages in {seconds:.3} s, {speed:.0} pages/s");
                for warning in converted.warnings {
                    eprintln!("{name}: {warning}");
                }
            }
            Err(error) => {
                eprintln!("{name}: {error}");
                if let Some(hint) = error.hint() {
                    eprintln!("hint: {hint}");
                }
            }
        }
    }
}
