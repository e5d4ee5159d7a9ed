//! Stretches of the calendar: parts of years, decades, centuries.

use jiff::ToSpan;
use jiff::civil::Date;
use mge_core::{Interval, Moment};

/// A date with the fields that a text gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) year: Option<i16>,
    pub(crate) month: Option<i8>,
    pub(crate) day: Option<i8>,
}

impl Fields {
    /// Returns the stretch of what is given; `None` without a year or for a day that does not exist.
    pub(crate) fn interval(self) -> Option<Interval> {
        let year = self.year?;
        match (self.month, self.day) {
            (None, None) => Interval::year(year),
            (Some(month), None) => Interval::month(year, month),
            (Some(month), Some(day)) => Interval::day(Date::new(year, month, day).ok()?),
            (None, Some(_)) => None,
        }
    }

    /// Writes what is given, as it is read again: `2019-05`, `-43`.
    pub(crate) fn written(self) -> String {
        let year = self.year.unwrap_or_default();
        let mut text = if year < 0 { year.to_string() } else { format!("{year:04}") };
        for field in [self.month, self.day].into_iter().flatten() {
            text.push_str(&format!("-{field:02}"));
        }
        text
    }

    /// Takes what is missing from another date: "from 3 to 7 May 2019".
    pub(crate) fn or(self, other: Fields) -> Fields {
        Fields { year: self.year.or(other.year), month: self.month.or(other.month), day: self.day }
    }
}

/// A third of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Third {
    Early,
    Middle,
    Late,
}

/// Returns whole years from `first` up to `last`.
pub(crate) fn years(first: i16, last: i16) -> Option<Interval> {
    Interval::new(Interval::year(first)?.from, Interval::year(last)?.to)
}

/// Returns whole months; `last` may go over the end of the year.
pub(crate) fn months(year: i16, first: i8, last: i8) -> Option<Interval> {
    let start = Date::new(year, first, 1).ok()?;
    let end = start.checked_add((i64::from(last - first) + 1).months()).ok()?;
    Interval::new(Some(Moment::of_date(start)), Some(Moment::of_date(end)))
}

/// Returns a decade by its first year.
pub(crate) fn decade(first: i16) -> Option<Interval> {
    years(first, first.checked_add(9)?)
}

/// Returns a century as people count them: the 19th has the years from 1801 to 1900, but is taken by its hundreds.
pub(crate) fn century(number: i16, before_christ: bool) -> Option<Interval> {
    if !(1..=99).contains(&number) {
        return None;
    }
    if before_christ {
        // The first century before Christ has the years from 100 to 1, which are -99 to 0.
        return years(-(number * 100) + 1, -((number - 1) * 100));
    }
    if number == 1 {
        return years(1, 99);
    }
    years((number - 1) * 100, number * 100 - 1)
}

/// Returns the early, middle or late part of a stretch, by thirds of its own unit.
pub(crate) fn third(whole: Interval, third: Third) -> Option<Interval> {
    let (from, to) = (whole.from?.date(), whole.to?.date());
    let days = (to - from).get_days();
    let cut = |part: i32| -> Option<Moment> {
        let date = if (28..=31).contains(&days) {
            from.checked_add((part * 10).days()).ok()?
        } else if (365..=366).contains(&days) {
            from.checked_add((part * 4).months()).ok()?
        } else if days > 3000 {
            let years = i32::from(to.year()) - i32::from(from.year());
            let first = years / 3 + i32::from(years % 3 == 1 && years < 50);
            from.checked_add(if part == 1 {
                first.years()
            } else {
                (years * 2 / 3 + i32::from(years % 3 == 1)).years()
            })
            .ok()?
        } else {
            from.checked_add((days * part / 3).days()).ok()?
        };
        Some(Moment::of_date(date))
    };
    match third {
        Third::Early => Interval::new(whole.from, cut(1)),
        Third::Middle => Interval::new(cut(1), cut(2)),
        Third::Late => Interval::new(cut(2), whole.to),
    }
}

/// How exact the reference date is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grain {
    Day,
    Month,
    Year,
}

/// Returns the first day and the grain of a reference; longer ones tell nothing.
pub(crate) fn reference(reference: Interval) -> Option<(Date, Grain)> {
    let (from, to) = (reference.from?, reference.to?);
    let days = (to.0 - from.0).div_euclid(86_400);
    let grain = match days {
        0..=1 => Grain::Day,
        2..=31 => Grain::Month,
        32..=366 => Grain::Year,
        _ => return None,
    };
    Some((from.date(), grain))
}

/// Returns days from a date on.
pub(crate) fn days(from: Date, count: i64) -> Option<Interval> {
    let end = from.checked_add(count.days()).ok()?;
    Interval::new(Some(Moment::of_date(from)), Some(Moment::of_date(end)))
}
