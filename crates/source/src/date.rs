//! The date that a document bears.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use mge_core::Interval;

/// Reads a date as front matter has it: as [`Interval::parse`] does, with `/` or `.` between the fields, or with a
/// time behind it that is not of RFC 3339.
pub(crate) fn of_text(text: &str) -> Option<Interval> {
    let text = text.trim();
    Interval::parse(text).ok().or_else(|| {
        let day = text.split(['T', ' ']).next().unwrap_or(text).replace(['/', '.'], "-");
        Interval::parse(&day).ok()
    })
}

/// Finds a date in the name of a file: `2021-05-03-minutes.md`, `minutes_20210503.md`, `report 2021-05.md`,
/// `report 2021.md`.
pub(crate) fn in_name(name: &str) -> Option<Interval> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let digits: Vec<&str> =
        stem.split(|character: char| !character.is_ascii_digit()).filter(|run| !run.is_empty()).collect();
    // A run of digits and what follows it after one separator.
    let fields = |from: usize, count: usize| -> Option<String> {
        let fields = digits.get(from..from + count)?;
        let right = fields[0].len() == 4 && fields[1..].iter().all(|field| field.len() == 2);
        let joined = fields.join("-");
        let together = ["-", "_", ".", " "].iter().any(|separator| stem.contains(&fields.join(separator)));
        (right && together).then_some(joined)
    };
    for count in [3, 2] {
        for from in 0..digits.len() {
            if let Some(date) = fields(from, count).and_then(|date| plausible(&date)) {
                return Some(date);
            }
        }
        if count == 3 {
            for run in digits.iter().filter(|run| run.len() == 8) {
                if let Some(date) = plausible(&format!("{}-{}-{}", &run[..4], &run[4..6], &run[6..])) {
                    return Some(date);
                }
            }
        }
    }
    digits.iter().filter(|run| run.len() == 4).find_map(|run| plausible(run))
}

/// A number of four digits is a year only when documents may be that old.
fn plausible(date: &str) -> Option<Interval> {
    let year: i32 = date.get(..4)?.parse().ok()?;
    if !(1000..=2999).contains(&year) {
        return None;
    }
    Interval::parse(date).ok()
}

/// Returns the day of a moment, in a time zone.
pub(crate) fn of_nanoseconds(nanoseconds: i64, zone: &TimeZone) -> Option<Interval> {
    let moment = Timestamp::from_nanosecond(nanoseconds.into()).ok()?;
    Interval::day(zone.to_datetime(moment).date())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(date: Option<Interval>) -> String {
        date.map(|date| date.to_string()).unwrap_or_default()
    }

    #[test]
    fn names_of_files_have_dates() {
        for (name, expected) in [
            ("2021-05-03-minutes.md", "2021-05-03..2021-05-04"),
            ("minutes_20210503.md", "2021-05-03..2021-05-04"),
            ("2021_05_03.md", "2021-05-03..2021-05-04"),
            ("report 2021-05.md", "2021-05-01..2021-06-01"),
            ("annual-report-2018.md", "2018-01-01..2019-01-01"),
            ("v2021-13-40.md", "2021-01-01..2022-01-01"),
            ("rfc-0141.md", ""),
            ("notes.md", ""),
            ("2021", "2021-01-01..2022-01-01"),
        ] {
            assert_eq!(shown(in_name(name)), expected, "{name}");
        }
    }

    #[test]
    fn front_matter_has_dates_in_several_spellings() {
        for text in
            ["2020-01-02", "2020/01/02", "2020.01.02", "2020-01-02 10:00:00 +0200", "2020-01-02T10:00"]
        {
            assert_eq!(shown(of_text(text)), "2020-01-02..2020-01-03", "{text}");
        }
        assert_eq!(shown(of_text("soon")), "");
        assert_eq!(shown(of_nanoseconds(0, &TimeZone::UTC)), "1970-01-01..1970-01-02");
    }
}
