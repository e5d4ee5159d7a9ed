use std::fmt;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point of time: whole seconds since 1970-01-01T00:00:00Z.
///
/// Written as a date when it is midnight UTC, else in RFC 3339; years from -9999 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

/// A half-open stretch of time in UTC; an absent end is unbounded.
///
/// `from` lies before `to`; an interval that would be empty or inverted cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Interval {
    /// The first second, or unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Moment>,
    /// The second after the last, or unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Moment>,
}

/// Why a text is not a date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a date; write 2019, 2019-05, 2019-05-03 or 2019-05-03T10:00:00Z")]
pub struct TimeParseError {
    /// What was given.
    pub text: String,
}

impl Moment {
    /// Returns the start of a day in UTC.
    pub fn of_date(date: Date) -> Self {
        Self::of_date_in(date, &TimeZone::UTC)
    }

    /// Returns the start of a day in a time zone.
    pub fn of_date_in(date: Date, zone: &TimeZone) -> Self {
        match date.to_zoned_datetime(zone.clone()) {
            Ok(zoned) => Self(zoned.timestamp().as_second()),
            // Only the first and last days of the calendar can fall outside.
            Err(_) if date.year() < 0 => Self(Timestamp::MIN.as_second()),
            Err(_) => Self(Timestamp::MAX.as_second()),
        }
    }

    /// Reads what [`Moment`] writes: a date or an RFC 3339 time.
    pub fn parse(text: &str) -> Result<Self, TimeParseError> {
        Interval::parse(text)?.from.ok_or_else(|| TimeParseError { text: text.to_owned() })
    }

    /// Returns the calendar date in UTC.
    pub fn date(self) -> Date {
        let second = self.0.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        Timestamp::from_second(second)
            .map(|stamp| stamp.to_zoned_datetime(TimeZone::UTC).date())
            .unwrap_or(Date::MAX)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.rem_euclid(86_400) == 0 {
            return write!(formatter, "{}", self.date());
        }
        match Timestamp::from_second(self.0) {
            Ok(stamp) => write!(formatter, "{stamp}"),
            Err(_) => write!(formatter, "{}", self.date()),
        }
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Moment::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl Interval {
    /// All of time.
    pub const ALWAYS: Interval = Interval { from: None, to: None };

    /// Makes an interval, or `None` when it would be empty or inverted.
    pub fn new(from: Option<Moment>, to: Option<Moment>) -> Option<Self> {
        match (from, to) {
            (Some(from), Some(to)) if from >= to => None,
            _ => Some(Self { from, to }),
        }
    }

    /// Returns the whole year.
    pub fn year(year: i16) -> Option<Self> {
        let first = Date::new(year, 1, 1).ok()?;
        Self::between(first, first.checked_add(1.year()).ok()?)
    }

    /// Returns the whole month (1 to 12).
    pub fn month(year: i16, month: i8) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        Self::between(first, first.checked_add(1.month()).ok()?)
    }

    /// Returns the whole day.
    pub fn day(date: Date) -> Option<Self> {
        Self::between(date, date.tomorrow().ok()?)
    }

    fn between(from: Date, to: Date) -> Option<Self> {
        Self::new(Some(Moment::of_date(from)), Some(Moment::of_date(to)))
    }

    /// Reads a date of the precision it has, in UTC: a year, a month, a day, or an instant of RFC 3339.
    ///
    /// An instant is the second that starts there. Dates without a zone are UTC days.
    pub fn parse(text: &str) -> Result<Self, TimeParseError> {
        let error = || TimeParseError { text: text.to_owned() };
        let text = text.trim();
        if text.contains(['T', ' ']) || text.ends_with('Z') {
            let stamp: Timestamp = text.replacen(' ', "T", 1).parse().map_err(|_| error())?;
            let second = stamp.as_second();
            return Self::new(Some(Moment(second)), Some(Moment(second + 1))).ok_or_else(error);
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let fields: Vec<&str> = digits.split('-').collect();
        let numeric = |field: &str| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
        if fields.is_empty() || fields.len() > 3 || !fields.iter().all(|field| numeric(field)) {
            return Err(error());
        }
        // "19" is no year here: two digits are a day or an age far more often.
        let shortest = if negative { 1 } else { 3 };
        if !(shortest..=4).contains(&fields[0].len()) {
            return Err(error());
        }
        let year: i16 = fields[0].parse().map_err(|_| error())?;
        let year = if negative { -year } else { year };
        let small = |position: usize| fields[position].parse::<i8>().map_err(|_| error());
        match fields.len() {
            1 => Self::year(year),
            2 => Self::month(year, small(1)?),
            _ => Self::day(Date::new(year, small(1)?, small(2)?).map_err(|_| error())?),
        }
        .ok_or_else(error)
    }

    /// Tells whether the moment lies inside.
    pub fn contains(self, moment: Moment) -> bool {
        self.from.is_none_or(|from| from <= moment) && self.to.is_none_or(|to| moment < to)
    }

    /// Returns the time that both cover.
    pub fn intersect(self, other: Interval) -> Option<Interval> {
        let from = match (self.from, other.from) {
            (Some(left), Some(right)) => Some(left.max(right)),
            (left, right) => left.or(right),
        };
        let to = match (self.to, other.to) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        };
        Self::new(from, to)
    }

    /// Tells whether the two share a second.
    pub fn overlaps(self, other: Interval) -> bool {
        self.intersect(other).is_some()
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(from) = self.from {
            write!(formatter, "{from}")?;
        }
        formatter.write_str("..")?;
        if let Some(to) = self.to {
            write!(formatter, "{to}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_precision_they_are_given() {
        for (text, expected) in [
            ("2019", "2019-01-01..2020-01-01"),
            ("2019-12", "2019-12-01..2020-01-01"),
            ("2020-02-29", "2020-02-29..2020-03-01"),
            ("1066", "1066-01-01..1067-01-01"),
            ("2019-05-03T10:00:00+02:00", "2019-05-03T08:00:00Z..2019-05-03T08:00:01Z"),
        ] {
            assert_eq!(Interval::parse(text).map(|interval| interval.to_string()).as_deref(), Ok(expected));
        }
        for bad in ["", "19", "2019-13", "2019-02-30", "2019-1-1-1", "next year", "20190101", "--", "2019-"] {
            assert!(Interval::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_interval_is_never_empty() {
        let moment = |text| Moment::parse(text).ok();
        assert_eq!(Interval::new(moment("2020"), moment("2019")), None);
        assert_eq!(Interval::new(moment("2020"), moment("2020")), None);
        assert!(Interval::new(None, moment("2020")).is_some());
    }

    #[test]
    fn half_open_neighbours_do_not_overlap() {
        let (Ok(left), Ok(right)) = (Interval::parse("2019"), Interval::parse("2020")) else { panic!() };
        assert!(!left.overlaps(right));
        assert!(left.overlaps(Interval::ALWAYS));
    }
}
