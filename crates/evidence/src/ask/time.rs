use mge_core::{Interval, Moment};

use super::words::{Role, Word};

/// The time a question asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// The present: it says so.
    Now,
    /// Some time before the present: "formerly", "used to".
    Before,
    /// A time that it names.
    At(Interval),
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Finds what a question says about time, and marks those words. Also returns the dates that it names by themselves,
/// since they may be what is asked about: "built in 2004".
pub(super) fn find(question: &str, words: &mut [Word], now: Moment) -> (Option<Asked>, Vec<Interval>) {
    let mut asked = None;
    let mut dates: Vec<(usize, usize, Interval)> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match date_at(question, words, at) {
            Some((length, date)) => {
                dates.push((at, length, date));
                at += length;
            }
            None => at += 1,
        }
    }
    for (position, word) in words.iter_mut().enumerate() {
        if word.role != Role::Free || word.quoted.is_some() || (word.capital && position > 0) {
            continue;
        }
        let means = match word.folded.as_str() {
            "now" | "today" | "currently" | "current" | "nowadays" | "presently" | "still" | "present" => {
                Asked::Now
            }
            "formerly" | "previously" | "former" | "previous" | "used" | "once" => Asked::Before,
            _ => continue,
        };
        word.role = Role::Time;
        asked.get_or_insert(means);
    }
    asked = asked.or_else(|| relative(words, now));
    for (start, length, _) in &dates {
        words[*start..start + length].iter_mut().for_each(|word| word.role = Role::Time);
    }
    let before =
        |start: usize, back: usize| start.checked_sub(back).map_or("", |at| words[at].folded.as_str());
    if let [(first, length, from), (second, _, to)] = dates[..]
        && second == first + length + 1
        && matches!(
            (before(first, 1), before(second, 1)),
            ("between", "and") | ("from", "to" | "until" | "till")
        )
    {
        asked = Interval::new(from.from, to.to).map(Asked::At);
        mark(words, first.checked_sub(1));
    } else if let Some((start, _, date)) = dates.first() {
        let whole = match before(*start, 1) {
            "before" => Interval::new(None, date.from),
            "until" | "till" | "by" => Interval::new(None, date.to),
            "to" if before(*start, 2) == "prior" => Interval::new(None, date.from),
            "after" => Interval::new(date.to, None),
            "since" => {
                Interval::new(date.from, Some(now).filter(|now| date.from.is_some_and(|from| from < *now)))
            }
            _ => Some(*date),
        };
        let introduces = ["before", "until", "till", "after", "since", "during"].contains(&before(*start, 1));
        let mark_at = introduces.then(|| start - 1);
        mark(words, mark_at);
        asked = whole.map(Asked::At).or(asked);
    }
    (asked, dates.into_iter().map(|(_, _, date)| date).collect())
}

fn mark(words: &mut [Word], position: Option<usize>) {
    if let Some(word) = position.and_then(|position| words.get_mut(position)) {
        word.role = Role::Time;
    }
}

/// "this year", "last year", "these days".
fn relative(words: &mut [Word], now: Moment) -> Option<Asked> {
    let year = now.date().year();
    for position in 0..words.len().saturating_sub(1) {
        let pair = (words[position].folded.as_str(), words[position + 1].folded.as_str());
        let means = match pair {
            ("this", "year") => Interval::year(year).map(Asked::At),
            ("last", "year") => Interval::year(year.saturating_sub(1)).map(Asked::At),
            ("next", "year") => Interval::year(year.saturating_add(1)).map(Asked::At),
            ("these", "days") | ("the", "moment") => Some(Asked::Now),
            _ => continue,
        };
        words[position..position + 2].iter_mut().for_each(|word| word.role = Role::Time);
        return means;
    }
    None
}

/// Reads the date that begins at a word: how many words it has, and what it means.
fn date_at(question: &str, words: &[Word], at: usize) -> Option<(usize, Interval)> {
    let free = |position: usize| words.get(position).filter(|word| word.role == Role::Free);
    let first = free(at)?;
    // 2015-06-01, 2015-06
    for length in [3, 2] {
        if free(at + length - 1).is_some() {
            let text = &question[first.start..words[at + length - 1].end];
            if text.len() <= 10
                && text.contains('-')
                && let Ok(date) = Interval::parse(text)
            {
                return Some((length, date));
            }
        }
    }
    if let Some(year) = year_of(&first.folded) {
        return Some((1, Interval::year(year)?));
    }
    if let Some(decade) = first.folded.strip_suffix('s').and_then(year_of).filter(|year| year % 10 == 0) {
        let (from, to) = (Interval::year(decade)?, Interval::year(decade + 9)?);
        return Some((1, Interval::new(from.from, to.to)?));
    }
    // 12 May 2015, May 12 2015, May 2015
    if let Some(day) = day_of(&first.folded)
        && let Some(month) = free(at + 1).and_then(|word| month_of(&word.folded))
        && let Some(year) = free(at + 2).and_then(|word| year_of(&word.folded))
    {
        return Some((3, Interval::parse(&format!("{year:04}-{month:02}-{day:02}")).ok()?));
    }
    let month = month_of(&first.folded)?;
    if let Some(day) = free(at + 1).and_then(|word| day_of(&word.folded))
        && let Some(year) = free(at + 2).and_then(|word| year_of(&word.folded))
    {
        return Some((3, Interval::parse(&format!("{year:04}-{month:02}-{day:02}")).ok()?));
    }
    let year = free(at + 1).and_then(|word| year_of(&word.folded))?;
    Some((2, Interval::month(year, month)?))
}

fn year_of(text: &str) -> Option<i16> {
    let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|year| digits && (1000..3000).contains(year))
}

fn day_of(text: &str) -> Option<i8> {
    let digits = text.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
    let ending = &text[digits.len()..];
    let day: i8 = digits.parse().ok()?;
    ((1..=31).contains(&day) && matches!(ending, "" | "st" | "nd" | "rd" | "th")).then_some(day)
}

fn month_of(text: &str) -> Option<i8> {
    let position = MONTHS.iter().position(|month| {
        *month == text || (text.len() >= 3 && text.len() <= 4 && text != "may" && month.starts_with(text))
    })?;
    i8::try_from(position + 1).ok()
}

/// Writes an interval as people do: `2009 to 2017`, `since 2021`, `until 2019-05`.
pub(super) fn spoken(interval: Interval) -> String {
    let from = interval.from.map(|from| short(from, false));
    let to = interval.to.map(|to| short(to, true));
    match (from, to) {
        (Some(from), Some(to)) if from == to => from,
        (Some(from), Some(to)) => format!("{from} to {to}"),
        (Some(from), None) => format!("since {from}"),
        (None, Some(to)) => format!("until {to}"),
        (None, None) => String::new(),
    }
}

/// Writes a border with no more precision than it has; `last` is the last unit before it.
fn short(moment: Moment, last: bool) -> String {
    let date = moment.date();
    let midnight = moment.0.rem_euclid(86_400) == 0;
    let shown = if last { Moment(moment.0.saturating_sub(1)).date() } else { date };
    match (midnight, date.month(), date.day()) {
        (true, 1, 1) => shown.year().to_string(),
        (true, _, 1) => format!("{:04}-{:02}", shown.year(), shown.month()),
        _ => shown.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn asked(question: &str) -> Option<Asked> {
        let now = Moment::parse("2026-03-04").expect("a date");
        let mut words = words(question);
        find(question, &mut words, now).0
    }

    fn at(question: &str) -> String {
        match asked(question) {
            Some(Asked::At(interval)) => interval.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn times_are_read() {
        assert_eq!(at("Who led it in 2015?"), "2015-01-01..2016-01-01");
        assert_eq!(at("Who led it on 12 May 2015?"), "2015-05-12..2015-05-13");
        assert_eq!(at("Who led it in May 2015"), "2015-05-01..2015-06-01");
        assert_eq!(at("Who led it on 2015-05-12?"), "2015-05-12..2015-05-13");
        assert_eq!(at("Who led it before 2010?"), "..2010-01-01");
        assert_eq!(at("Who led it after 2010?"), "2011-01-01..");
        assert_eq!(at("Who led it from 2010 to 2012?"), "2010-01-01..2013-01-01");
        assert_eq!(at("Who led it in the 1990s?"), "1990-01-01..2000-01-01");
        assert_eq!(at("Who led it last year?"), "2025-01-01..2026-01-01");
        assert_eq!(asked("Does she still lead it?"), Some(Asked::Now));
        assert_eq!(asked("Who is the current head?"), Some(Asked::Now));
        assert_eq!(asked("Who led it?"), None);
        assert_eq!(asked("Who may 4 12345 lead it?"), None);
    }

    #[test]
    fn intervals_are_spoken() {
        let interval = |from: &str, to: &str| {
            let end = |text: &str| (!text.is_empty()).then(|| Moment::parse(text).expect("a date"));
            Interval::new(end(from), end(to)).expect("an interval")
        };
        assert_eq!(spoken(interval("2009", "2018")), "2009 to 2017");
        assert_eq!(spoken(interval("2009", "2010")), "2009");
        assert_eq!(spoken(interval("2021-01", "")), "since 2021");
        assert_eq!(spoken(interval("2019-06", "")), "since 2019-06");
        assert_eq!(spoken(interval("", "2019-05")), "until 2019-04");
        assert_eq!(spoken(interval("2019-05-03", "2019-05-04")), "2019-05-03");
    }
}
