//! Reads dates of the calendar from tokens.

use super::calendar::Fields;
use super::scan::{Form, Token};
use super::{Reader, is_joint};

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
const ORDINALS: [&str; 21] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twenty",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

impl Reader<'_> {
    /// Reads a date of the calendar: "3 May 2019", "May 2019", "2019-05-03", "03.05.2019", "44 BC", "2019".
    pub(super) fn calendar(&self, start: usize) -> Option<(usize, Fields)> {
        let start = match self.get(start)? {
            token if WEEKDAYS.contains(&token.lower.as_str()) => {
                let at = self.skip(start + 1, &[","]);
                // A weekday alone is no date; only one that a date follows.
                let (end, fields) = self.calendar_at(at)?;
                return fields.day.map(|_| (end, fields));
            }
            _ => start,
        };
        self.calendar_at(start)
    }

    pub(super) fn calendar_at(&self, start: usize) -> Option<(usize, Fields)> {
        let start = self.skip(start, &["the"]);
        let full =
            |year: i16, month: i8, day: i8| Fields { year: Some(year), month: Some(month), day: Some(day) };
        if let Some(found) = self.numeric(start) {
            return Some(found);
        }
        if let Some((end, month)) = self.month(start) {
            if let Some((at, day)) = self.day(end) {
                let at = self.skip(at, &[","]);
                if let Some(year) = self.year(at) {
                    return Some((at + 1, full(year, month, day)));
                }
            }
            let at = self.skip(self.skip(end, &["of"]), &[","]);
            let year = self.year(at)?;
            // A day that this month does not have makes no date of the rest.
            let odd_day = start.checked_sub(1).and_then(|before| self.day(before)).is_some();
            return (!odd_day || self.tokens[start].line)
                .then_some((at + 1, Fields { year: Some(year), month: Some(month), day: None }));
        }
        if let Some((end, day)) = self.day(start)
            && let Some((at, month)) = self.month(self.skip(end, &["of"]))
        {
            let at = self.skip(at, &[","]);
            let year = self.year(at)?;
            return Some((at + 1, full(year, month, day)));
        }
        if self.is(start, &["ad", "ce"]) && self.tokens[start].lower.len() == 2 && self.tokens[start].capital
        {
            let year = self.short_number(start + 1, 4)?;
            return Some((start + 2, Fields { year: Some(year), ..Fields::default() }));
        }
        if let Some(number) = self.short_number(start, 4) {
            let (end, year) = self.era(start, number);
            if end > start + 1 {
                return Some((end, Fields { year: Some(year), ..Fields::default() }));
            }
        }
        let year = self.year(start)?;
        Some((start + 1, Fields { year: Some(year), ..Fields::default() }))
    }

    /// Reads dates of digits: `2019-05-03`, `2019/05/03`, `03.05.2019`, `25/12/2019`, `2019-05`.
    pub(super) fn numeric(&self, start: usize) -> Option<(usize, Fields)> {
        let first = self.get(start)?;
        let joint = self
            .get(start + 1)
            .filter(|joint| joint.glued && matches!(joint.lower.as_str(), "-" | "/" | "."))?;
        let second = self.get(start + 2).filter(|second| second.glued)?;
        let glued_before = first.glued
            && self.before(start).is_some_and(|before| is_joint(before) || before.form != Form::Sign);
        if glued_before {
            return None;
        }
        let field = |token: &Token| i8::try_from(token.number()?).ok().filter(|_| token.lower.len() <= 2);
        let date = |end: usize, year: i16, month: i8, day: i8| {
            let fields = Fields { year: Some(year), month: Some(month), day: Some(day) };
            let goes_on = self.get(end).is_some_and(|next| {
                next.glued
                    && is_joint(next)
                    && self.get(end + 1).is_some_and(|more| more.glued && more.form != Form::Sign)
            });
            (!goes_on && fields.interval().is_some()).then_some((end, fields))
        };
        let more = self.get(start + 3).filter(|more| more.glued && more.is(&joint.lower));
        let third = self.get(start + 4).filter(|third| more.is_some() && third.glued);
        if let Some(year) = self.year(start) {
            if let Some(third) = third.filter(|_| !joint.is(".")) {
                let day = match third.form {
                    // "2019-05-03T10:00:00Z": the rest is a time of day.
                    Form::Mixed => third.lower.split_once('t')?.0.parse().ok()?,
                    _ => field(third)?,
                };
                let mut end = start + 5;
                while third.form == Form::Mixed
                    && self.get(end).is_some_and(|next| next.glued && !next.is("."))
                {
                    end += 1;
                }
                return date(end, year, field(second)?, day);
            }
            let month = field(second)
                .filter(|month| joint.is("-") && second.lower.len() == 2 && (1..=12).contains(month))?;
            let fields = Fields { year: Some(year), month: Some(month), day: None };
            let goes_on =
                self.get(start + 3).is_some_and(|next| next.glued && is_joint(next) && !next.is("."));
            return (!goes_on).then_some((start + 3, fields));
        }
        third?;
        let year = self.year(start + 4)?;
        let (one, two) = (field(first)?, field(second)?);
        match joint.lower.as_str() {
            // Days come first where points stand.
            "." => date(start + 5, year, two, one),
            _ if one > 12 || one == two => date(start + 5, year, two, one),
            _ if two > 12 => date(start + 5, year, one, two),
            _ => None,
        }
    }

    /// Reads a year of four digits.
    pub(super) fn year(&self, position: usize) -> Option<i16> {
        let token = self.get(position)?;
        let year = i16::try_from(token.number()?).ok()?;
        (token.lower.len() == 4 && (1000..=2199).contains(&year)).then_some(year)
    }

    pub(super) fn short_number(&self, position: usize, longest: usize) -> Option<i16> {
        let token = self.get(position)?;
        let number = i16::try_from(token.number()?).ok()?;
        (token.lower.len() <= longest && number > 0).then_some(number)
    }

    /// Reads what may follow a year: "BC" counts backwards.
    pub(super) fn era(&self, position: usize, year: i16) -> (usize, i16) {
        let (end, before) = self.before_christ(position + 1);
        if before {
            // There is no year 0: 1 BC is written so.
            return (end, 1 - year);
        }
        let after =
            self.get(position + 1).is_some_and(|token| token.capital && (token.is("ad") || token.is("ce")));
        (position + 1 + usize::from(after), year)
    }

    pub(super) fn before_christ(&self, at: usize) -> (usize, bool) {
        if self.is(at, &["bc", "bce"]) && self.tokens[at].capital {
            return (at + 1, true);
        }
        if self.is(at, &["b"])
            && self.is(at + 1, &["."])
            && self.is(at + 2, &["c"])
            && self.tokens[at + 2].glued
        {
            return (at + 3 + usize::from(self.is(at + 3, &["."])), true);
        }
        (at, false)
    }

    pub(super) fn month(&self, position: usize) -> Option<(usize, i8)> {
        let token = self.get(position).filter(|token| token.capital && token.form == Form::Word)?;
        let whole = MONTHS.iter().position(|month| *month == token.lower);
        let short = || {
            let named = matches!(token.lower.len(), 3 | 4).then_some(token.lower.as_str())?;
            let named = if named == "sept" { "sep" } else { named };
            (named.len() == 3).then(|| MONTHS.iter().position(|month| month.starts_with(named))).flatten()
        };
        let (month, end) = match whole {
            Some(month) => (month, position + 1),
            None => {
                let month = short()?;
                let dotted = self.get(position + 1).is_some_and(|next| next.glued && next.is("."));
                (month, position + 1 + usize::from(dotted))
            }
        };
        Some((end, i8::try_from(month + 1).ok()?))
    }

    /// Reads a day of a month: "3", "3rd".
    pub(super) fn day(&self, position: usize) -> Option<(usize, i8)> {
        let token = self.get(position)?;
        let digits = match token.form {
            Form::Number => token.lower.as_str(),
            Form::Mixed => {
                ["st", "nd", "rd", "th"].iter().find_map(|suffix| token.lower.strip_suffix(suffix))?
            }
            _ => return None,
        };
        let day: i8 = (digits.len() <= 2).then(|| digits.parse().ok()).flatten()?;
        (1..=31).contains(&day).then_some((position + 1, day))
    }

    pub(super) fn ordinal(&self, position: usize) -> Option<usize> {
        let token = self.get(position)?;
        match token.form {
            Form::Mixed => {
                let digits =
                    ["st", "nd", "rd", "th"].iter().find_map(|suffix| token.lower.strip_suffix(suffix))?;
                digits.parse().ok().filter(|number| *number < 100)
            }
            Form::Word => {
                let position = ORDINALS.iter().position(|ordinal| *ordinal == token.lower)?;
                Some(if position == 20 { 20 } else { position + 1 })
            }
            _ => None,
        }
    }
}
