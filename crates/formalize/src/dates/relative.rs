//! Reads times that count from a reference date.

use jiff::ToSpan;
use jiff::civil::Date;
use mge_core::Interval;

use super::calendar::{Grain, century, days, decade, months};
use super::{Reader, season};

const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

impl Reader<'_> {
    /// Reads "last year", "two years ago", "yesterday" by the reference date.
    pub(super) fn relative(&self, start: usize) -> Option<(usize, Interval)> {
        let (today, grain) = self.reference?;
        let token = self.get(start)?;
        let shift = match token.lower.as_str() {
            "yesterday" => {
                return (grain == Grain::Day).then_some((start + 1, days(today.yesterday().ok()?, 1)?));
            }
            "today" => return (grain == Grain::Day).then_some((start + 1, days(today, 1)?)),
            "tomorrow" => {
                return (grain == Grain::Day).then_some((start + 1, days(today.tomorrow().ok()?, 1)?));
            }
            "last" | "previous" => -1,
            "this" => 0,
            "next" => 1,
            _ => return self.ago(start, today, grain),
        };
        let unit = self.get(start + 1)?;
        let end = start + 2;
        if let Some((end, month)) = self.month(start + 1).filter(|_| unit.capital && grain <= Grain::Month) {
            let year = match shift {
                -1 => today.year() - i16::from(month >= today.month()),
                0 => today.year(),
                _ => today.year() + i16::from(month <= today.month()),
            };
            // "last May Lee came": a name.
            let name = self.get(end).is_some_and(|next| next.capital && !next.line);
            return (!name).then_some((end, Interval::month(year, month)?));
        }
        if let Some(season) = season(&unit.lower).filter(|_| grain <= Grain::Month) {
            let year = match shift {
                -1 => today.year() - i16::from(season + 2 >= today.month()),
                0 => today.year(),
                _ => today.year() + i16::from(season <= today.month()),
            };
            return Some((end, months(year, season, season + 2)?));
        }
        Some((end, moved(today, grain, &unit.lower, shift)?))
    }

    /// Reads "two years ago", "a month ago".
    pub(super) fn ago(&self, start: usize, today: Date, grain: Grain) -> Option<(usize, Interval)> {
        let token = self.get(start)?;
        let count = match token.lower.as_str() {
            "a" | "an" => 1,
            word => match NUMBERS.iter().position(|number| *number == word) {
                Some(position) => i64::try_from(position + 1).ok()?,
                None => i64::from(token.number().filter(|count| *count < 10_000)?),
            },
        };
        if !self.is(start + 2, &["ago", "earlier"]) {
            return None;
        }
        let unit = self.get(start + 1)?.lower.trim_end_matches('s').to_owned();
        Some((start + 3, moved(today, grain, &unit, -count)?))
    }
}

/// Moves a date by units, and returns the whole unit that it falls into.
fn moved(today: Date, grain: Grain, unit: &str, count: i64) -> Option<Interval> {
    let least = match unit {
        "year" | "decade" | "century" => Grain::Year,
        "month" => Grain::Month,
        _ => Grain::Day,
    };
    if grain > least {
        return None;
    }
    let shifted = match unit {
        "year" => today.checked_add(jiff::Span::new().try_years(count).ok()?),
        "decade" => today.checked_add(jiff::Span::new().try_years(count.checked_mul(10)?).ok()?),
        "century" => today.checked_add(jiff::Span::new().try_years(count.checked_mul(100)?).ok()?),
        "month" => today.checked_add(jiff::Span::new().try_months(count).ok()?),
        "week" => today.checked_add(jiff::Span::new().try_days(count.checked_mul(7)?).ok()?),
        "day" => today.checked_add(jiff::Span::new().try_days(count).ok()?),
        _ => return None,
    }
    .ok()?;
    match unit {
        "year" => Interval::year(shifted.year()),
        "decade" => decade(shifted.year().div_euclid(10) * 10),
        "century" => century(shifted.year().div_euclid(100) + 1, false),
        "month" => Interval::month(shifted.year(), shifted.month()),
        "week" => {
            let monday = shifted.weekday().to_monday_zero_offset();
            days(shifted.checked_sub(i64::from(monday).days()).ok()?, 7)
        }
        _ => days(shifted, 1),
    }
}
