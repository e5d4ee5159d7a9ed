//! How far long work is: a moving line on a terminal, a plain one every five seconds elsewhere.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use mge_core::Progress;

use crate::printer::{Printer, print_error_line};

/// Draws progress on stderr.
pub(crate) struct Meter {
    kind: Kind,
}

enum Kind {
    Silent,
    Moving(Moving),
    Plain(Mutex<Plain>),
}

/// A line that moves, once there is something to wait for: work that is done in a blink shows none.
struct Moving {
    bar: ProgressBar,
    started: Instant,
    shown: AtomicBool,
}

struct Plain {
    started: Instant,
    last: Option<Instant>,
    what: String,
}

impl Meter {
    /// How often a plain line comes at most.
    const EVERY: Duration = Duration::from_secs(5);

    /// How long work may take before a line shows it.
    const BLINK: Duration = Duration::from_millis(400);

    /// Chooses the way that fits where stderr goes.
    pub(crate) fn new(printer: &Printer) -> Self {
        let kind = if !printer.tells_notes() {
            Kind::Silent
        } else if printer.is_watched() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            Kind::Moving(Moving { bar, started: Instant::now(), shown: AtomicBool::new(false) })
        } else {
            let now = Instant::now();
            Kind::Plain(Mutex::new(Plain { started: now, last: Some(now), what: String::new() }))
        };
        Self { kind }
    }

    /// Prints a line without tearing the moving one.
    pub(crate) fn note(&self, text: &str) {
        match &self.kind {
            Kind::Silent => {}
            Kind::Moving(moving) => moving.bar.suspend(|| print_error_line(text)),
            Kind::Plain(_) => print_error_line(text),
        }
    }

    /// Takes the moving line away.
    pub(crate) fn clear(&self) {
        if let Kind::Moving(moving) = &self.kind {
            moving.bar.finish_and_clear();
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Progress for Meter {
    fn report(&self, what: &str, done: u64, total: Option<u64>) {
        match &self.kind {
            Kind::Silent => {}
            Kind::Moving(moving) => {
                let bar = &moving.bar;
                if moving.started.elapsed() >= Self::BLINK && !moving.shown.swap(true, Ordering::SeqCst) {
                    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
                }
                if bar.message() != what || bar.length() != total {
                    bar.set_style(style(total.is_some()));
                    bar.set_message(what.to_owned());
                    match total {
                        Some(total) => bar.set_length(total),
                        None => bar.unset_length(),
                    }
                }
                if done < bar.position() {
                    bar.reset();
                }
                bar.set_position(done);
            }
            Kind::Plain(plain) => {
                let mut plain = plain.lock().unwrap_or_else(PoisonError::into_inner);
                let now = Instant::now();
                if plain.what != what {
                    plain.what = what.to_owned();
                    plain.started = now;
                }
                if plain.last.is_some_and(|last| now - last < Self::EVERY) {
                    return;
                }
                plain.last = Some(now);
                print_error_line(line(what, done, total, now - plain.started));
            }
        }
    }
}

fn style(bounded: bool) -> ProgressStyle {
    let template = if bounded {
        "{msg} {bar:24} {human_pos} of {human_len} ({rate} a second, {eta} left)"
    } else {
        "{spinner} {msg} {human_pos} ({rate} a second)"
    };
    // The template is fixed; one that does not parse would only cost the looks.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("rate", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        // The drawing has nowhere to report a failure to.
        let _ = write!(out, "{:.0}", state.per_sec());
    })
}

/// Says what, how much of how much, the rate and the time left.
fn line(what: &str, done: u64, total: Option<u64>, taken: Duration) -> String {
    let seconds = taken.as_secs_f64().max(0.001);
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = done as f64 / seconds;
    match total {
        Some(total) if rate > 0.0 => {
            #[expect(clippy::cast_precision_loss, reason = "a guess for people")]
            let left = total.saturating_sub(done) as f64 / rate;
            format!("{what}: {done} of {total}, {rate:.0} a second, {left:.0} s left")
        }
        Some(total) => format!("{what}: {done} of {total}"),
        None => format!("{what}: {done}, {rate:.0} a second"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_much_of_how_much_and_how_long_it_takes() {
        let taken = Duration::from_secs(10);
        assert_eq!(line("chunks", 50, Some(100), taken), "chunks: 50 of 100, 5 a second, 10 s left");
        assert_eq!(line("chunks", 50, None, taken), "chunks: 50, 5 a second");
        assert_eq!(line("chunks", 0, Some(9), taken), "chunks: 0 of 9");
    }
}
