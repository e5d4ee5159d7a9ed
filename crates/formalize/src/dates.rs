//! Finds times in text: dates, years, stretches between them, and "last year" by a reference date.
//!
//! Stretches are half-open, of the precision that the text gives. What ends a stretch counts as in speech: "to 2017"
//! and "through 2017" include the year, "until May 2021" and "before 2010" end where it begins.

mod calendar;
mod read;
mod relative;
pub(crate) mod scan;
#[cfg(test)]
mod tests;

use jiff::civil::Date;
use mge_core::{Interval, Span};

use calendar::{Fields, Grain, Third, century, decade, months, third, years};
use scan::{Form, Token, scan};

/// How a time bounds what is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeKind {
    /// At or in it: "in 2003", "on 3 May 2019".
    Point,
    /// All through it: "during 2003".
    During,
    /// From it on: "since 2019".
    Since,
    /// Up to it: "until 2021".
    Until,
    /// From one to another.
    Between,
    /// Some time before it.
    Before,
    /// Some time after it.
    After,
}

/// A time in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TimeMention {
    /// The whole expression, its preposition included.
    pub(crate) span: Span,
    /// The stretch that is meant.
    pub(crate) valid: Interval,
    /// How it bounds.
    pub(crate) kind: TimeKind,
}

/// Finds the times of a text in order; relative ones only with a reference date.
pub(crate) fn find_times(text: &str, reference: Option<Interval>) -> Vec<TimeMention> {
    let tokens = scan(text);
    let reader = Reader { tokens: &tokens, reference: reference.and_then(calendar::reference) };
    let mut found = Vec::new();
    let mut position = 0;
    let mut listed = None;
    while position < tokens.len() {
        // "in 2001, 2005 and 2009": what continues a list of times is one.
        let in_list = listed.is_some_and(|end: usize| {
            let comma = reader.is(end, &[","]);
            let and = end + usize::from(comma);
            let start = and + usize::from(reader.is(and, &["and", "or", "&"]));
            start > end && start == position
        });
        match reader.time(position, in_list) {
            Some((end, valid, kind)) if end > position => {
                let span = Span::new(tokens[position].span.start, tokens[end - 1].span.end);
                found.push(TimeMention { span, valid, kind });
                listed = Some(end);
                position = end;
            }
            _ => position += 1,
        }
    }
    found
}
/// Finds the dates of a text that are values: with their bytes, in the form of their precision (`2019-05`).
pub(crate) fn find_dates(text: &str) -> Vec<(Span, String)> {
    let tokens = scan(text);
    let reader = Reader { tokens: &tokens, reference: None };
    let mut found = Vec::new();
    let mut position = 0;
    while position < tokens.len() {
        let read = if reader.is(position, &["the"]) { None } else { reader.calendar(position) };
        let Some((end, fields)) = read.filter(|(end, fields)| {
            let bare = fields.month.is_none() && *end == position + 1;
            !bare || !reader.is_amount(position, *end)
        }) else {
            position += 1;
            continue;
        };
        if fields.interval().is_some() {
            found.push((Span::new(tokens[position].span.start, tokens[end - 1].span.end), fields.written()));
        }
        position = end;
    }
    found
}

/// Words before a number that is counted or numbered with, and is no year.
const NUMBERED: [&str; 34] = [
    "no",
    "nr",
    "number",
    "page",
    "pages",
    "p",
    "pp",
    "room",
    "route",
    "version",
    "v",
    "flight",
    "model",
    "chapter",
    "section",
    "article",
    "line",
    "lines",
    "bus",
    "platform",
    "iso",
    "rfc",
    "tel",
    "phone",
    "fax",
    "box",
    "code",
    "item",
    "lot",
    "issue",
    "step",
    "figure",
    "table",
    "paragraph",
];
/// Words after a number that is an amount.
const COUNTED: [&str; 70] = [
    "copies",
    "cases",
    "units",
    "pages",
    "words",
    "metres",
    "meters",
    "metre",
    "meter",
    "m",
    "km",
    "kilometres",
    "kilometers",
    "miles",
    "mile",
    "feet",
    "ft",
    "inches",
    "kg",
    "kilograms",
    "g",
    "grams",
    "tonnes",
    "tons",
    "t",
    "litres",
    "liters",
    "l",
    "euros",
    "euro",
    "eur",
    "dollars",
    "usd",
    "pounds",
    "gbp",
    "francs",
    "crowns",
    "percent",
    "per",
    "hours",
    "hrs",
    "minutes",
    "seconds",
    "days",
    "weeks",
    "months",
    "years",
    "rpm",
    "votes",
    "seats",
    "books",
    "households",
    "homes",
    "houses",
    "vehicles",
    "points",
    "square",
    "sq",
    "cubic",
    "kw",
    "mw",
    "watts",
    "calories",
    "acres",
    "hectares",
    "items",
    "times",
    "species",
    "million",
    "billion",
];
/// Words after a number that is an amount, unless "in" stands before it: "In 2003 people moved away".
const COUNTED_PEOPLE: [&str; 19] = [
    "people",
    "persons",
    "passengers",
    "inhabitants",
    "residents",
    "students",
    "pupils",
    "members",
    "employees",
    "workers",
    "visitors",
    "children",
    "men",
    "women",
    "soldiers",
    "troops",
    "ships",
    "boats",
    "cars",
];
/// Words after which a year needs no preposition: "founded 1921".
const EVENTS: [&str; 32] = [
    "born",
    "died",
    "founded",
    "established",
    "built",
    "opened",
    "closed",
    "elected",
    "appointed",
    "published",
    "created",
    "launched",
    "completed",
    "dated",
    "released",
    "formed",
    "signed",
    "copyright",
    "est",
    "renovated",
    "rebuilt",
    "restored",
    "installed",
    "retired",
    "dissolved",
    "merged",
    "acquired",
    "commissioned",
    "joined",
    "incorporated",
    "inaugurated",
    "demolished",
];

type Found = (usize, Interval, TimeKind);

/// A date at a place: the token after it, its stretch, its fields when it is one of the calendar.
#[derive(Debug, Clone, Copy)]
struct Atom {
    end: usize,
    valid: Interval,
    fields: Option<Fields>,
    /// Only a number: it needs more to be a year.
    bare: bool,
    /// The late part of something: what lasts until then lasts to its end.
    late: bool,
}

struct Reader<'a> {
    tokens: &'a [Token],
    reference: Option<(Date, Grain)>,
}

impl Reader<'_> {
    fn get(&self, position: usize) -> Option<&Token> {
        self.tokens.get(position)
    }

    fn before(&self, position: usize) -> Option<&Token> {
        position.checked_sub(1).and_then(|before| self.tokens.get(before))
    }

    fn is(&self, position: usize, words: &[&str]) -> bool {
        self.get(position).is_some_and(|token| words.contains(&token.lower.as_str()))
    }

    fn skip(&self, position: usize, words: &[&str]) -> usize {
        position + usize::from(self.is(position, words))
    }

    /// Reads a time with its preposition.
    fn time(&self, start: usize, in_list: bool) -> Option<Found> {
        if let Some(found) = self.prepositional(start) {
            return Some(found);
        }
        if let Some((end, valid)) = self.range(start, Some(&RANGE)) {
            return self.is_range_of_years(start, end).then_some((end, valid, TimeKind::Between));
        }
        if let Some(open) = self.open_range(start) {
            return Some(open);
        }
        let atom = self.atom(start)?;
        let continues = in_list && !self.is_amount(start, atom.end);
        if atom.bare && !continues && !self.stands_as_year(start, atom.end) {
            return None;
        }
        Some(self.onwards(atom).unwrap_or((atom.end, atom.valid, TimeKind::Point)))
    }

    /// Reads "2015 onwards": the direction stands behind.
    fn onwards(&self, atom: Atom) -> Option<Found> {
        let end = match () {
            () if self.is(atom.end, &["onwards", "onward"]) => atom.end + 1,
            () if self.is(atom.end, &["and"]) && self.is(atom.end + 1, &["later", "after", "onwards"]) => {
                atom.end + 2
            }
            () => return None,
        };
        Some((end, Interval::new(atom.valid.from, None)?, TimeKind::Since))
    }

    /// Reads "since …", "until …", "between … and …", "in …".
    fn prepositional(&self, start: usize) -> Option<Found> {
        let word = self.get(start)?.lower.as_str();
        let next = start + 1;
        match word {
            "between" => {
                let (end, valid) = self.range(next, Some(&["and", "&"]))?;
                (!self.is_amount(next, end)).then_some((end, valid, TimeKind::Between))
            }
            "from" | "starting" | "beginning" | "effective" => {
                let next = self.skip(next, &["in", "on", "from"]);
                if let Some((end, valid)) = self.range(next, Some(&RANGE)) {
                    return (!self.is_amount(next, end)).then_some((end, valid, TimeKind::Between));
                }
                if let Some(open) = self.open_range(next) {
                    return Some(open);
                }
                let atom = self.year_or_more(next)?;
                let end = self.skip(atom.end, &["on", "onward", "onwards", "forward"]);
                Some((end, Interval::new(atom.valid.from, None)?, TimeKind::Since))
            }
            "since" => {
                let at_least = self.is(next, &["at"]) && self.is(next + 1, &["least"]);
                let atom = self.year_or_more(if at_least { next + 2 } else { next })?;
                Some((atom.end, Interval::new(atom.valid.from, None)?, TimeKind::Since))
            }
            "until" | "till" => self.until(next, false),
            "through" => self.until(next, true),
            "up" if self.is(next, &["to", "until", "till"]) => {
                let includes = self.is(next + 1, &["and"]) && self.is(next + 2, &["including"]);
                self.until(if includes { next + 3 } else { next + 1 }, includes)
            }
            "before" => self.bound(next, TimeKind::Before),
            "prior" if self.is(next, &["to"]) => self.bound(next + 1, TimeKind::Before),
            "after" | "following" => self.bound(next, TimeKind::After),
            "by" => {
                let atom = self.year_or_more(next)?;
                Some((atom.end, Interval::new(None, atom.valid.to)?, TimeKind::Before))
            }
            "as" if self.is(next, &["of", "at"]) => {
                let atom = self.year_or_more(next + 1)?;
                Some((atom.end, atom.valid, TimeKind::Point))
            }
            "as" if self.is(next, &["from"]) => {
                let atom = self.year_or_more(next + 1)?;
                Some((atom.end, Interval::new(atom.valid.from, None)?, TimeKind::Since))
            }
            "during" | "throughout" | "within" => {
                let atom = self.year_or_more(next)?;
                Some((atom.end, atom.valid, TimeKind::During))
            }
            "in" | "on" | "at" | "around" | "about" => {
                let at = self.skip(self.skip(next, &["or"]), &["around", "about"]);
                if word == "in"
                    && let Some((end, valid)) = self.range(at, Some(&["-", "–", "—", "/"]))
                {
                    return (!self.is_amount(at, end)).then_some((end, valid, TimeKind::Between));
                }
                let atom = self.year_or_more(at)?;
                // "at 1800" is a time of day or a height, "about 1850" an amount; with a month they are dates.
                if atom.bare && (word != "in" || at > next && !self.closes(atom.end)) {
                    return None;
                }
                Some((atom.end, atom.valid, TimeKind::Point))
            }
            _ => None,
        }
    }

    fn until(&self, at: usize, includes: bool) -> Option<Found> {
        let atom = self.year_or_more(at)?;
        let to = if includes || atom.late { atom.valid.to } else { atom.valid.from };
        Some((atom.end, Interval::new(None, to)?, TimeKind::Until))
    }

    fn bound(&self, at: usize, kind: TimeKind) -> Option<Found> {
        let atom = self.year_or_more(at)?;
        let valid = match kind {
            TimeKind::After => Interval::new(atom.valid.to, None)?,
            _ => Interval::new(None, atom.valid.from)?,
        };
        Some((atom.end, valid, kind))
    }

    /// Reads a date after a preposition, where a lone number is a year unless something is counted.
    fn year_or_more(&self, position: usize) -> Option<Atom> {
        let atom = self.atom(position)?;
        (!atom.bare || !self.is_amount(position, atom.end)).then_some(atom)
    }

    /// Reads two dates with a word or a dash between them.
    fn range(&self, start: usize, between: Option<&[&str]>) -> Option<(usize, Interval)> {
        let start = self.skip(start, &["the"]);
        let (first_end, first) = self.range_start(start)?;
        let mut end = first_end;
        let joint = self.get(end)?.lower.clone();
        if !between?.contains(&joint.as_str()) {
            return None;
        }
        end += 1;
        // "up to", "until the end of": one word is enough to know which end is meant.
        if joint == "up" {
            end = self.skip(end, &["to", "until"]);
        }
        let last_start = end;
        if let Some((end, last)) = self.short_year(first, first_end) {
            return Some((end, Interval::new(first.interval()?.from, last.to)?));
        }
        if let Some(found) = self.second_day(first, last_start) {
            return Some(found);
        }
        let last = self.atom(last_start)?;
        let from = match first.interval() {
            Some(first) => first.from,
            // "from March to June 2003", "3–7 May 2019".
            None => {
                let fields = last.fields.filter(|fields| first.day.is_none() || fields.day.is_some())?;
                fields.month?;
                first.or(fields).interval()?.from
            }
        };
        let includes = !matches!(joint.as_str(), "until" | "till") || last.late;
        let to = if includes { last.valid.to } else { last.valid.from };
        Some((last.end, Interval::new(from, to)?))
    }

    /// Reads the first date of a range, which may lack what the second tells.
    fn range_start(&self, start: usize) -> Option<(usize, Fields)> {
        if let Some((end, fields)) = self.calendar(start) {
            // "May 3–7, 2019": the year stands behind the second day.
            return Some((end, fields));
        }
        if let Some((end, month)) = self.month(start) {
            let day = self.day(end);
            let fields = Fields { year: None, month: Some(month), day: day.map(|(_, day)| day) };
            return Some((day.map_or(end, |(end, _)| end), fields));
        }
        let (end, day) = self.day(start)?;
        let month = self.month(end);
        let fields = Fields { year: None, month: month.map(|(_, month)| month), day: Some(day) };
        Some((month.map_or(end, |(end, _)| end), fields))
    }

    /// Reads the second day of "May 3–7, 2019".
    fn second_day(&self, first: Fields, at: usize) -> Option<(usize, Interval)> {
        let (None, Some(month), Some(_)) = (first.year, first.month, first.day) else { return None };
        let (end, day) = self.day(at)?;
        let at = self.skip(end, &[","]);
        let last = Fields { year: Some(self.year(at)?), month: Some(month), day: Some(day) };
        Some((at + 1, Interval::new(first.or(last).interval()?.from, last.interval()?.to)?))
    }

    /// Reads the second year of "1998–99" and "2019/20".
    fn short_year(&self, first: Fields, at: usize) -> Option<(usize, Interval)> {
        let year = first.year.filter(|_| first.month.is_none())?;
        if !self.is(at, &["-", "–", "—", "/"]) || !self.get(at)?.glued {
            return None;
        }
        let token = self.get(at + 1).filter(|token| token.glued && token.lower.len() == 2)?;
        let short = i16::try_from(token.number()?).ok()?;
        let last = year - year.rem_euclid(100) + short;
        let last = if last <= year && short < 10 && year % 100 > 90 { last + 100 } else { last };
        (last > year && !self.get(at + 2).is_some_and(|next| next.glued && is_joint(next)))
            .then_some((at + 2, Interval::year(last)?))
    }

    /// Reads "2014–present", "2014 to date" and "2019–".
    fn open_range(&self, start: usize) -> Option<Found> {
        let (end, fields) = self.calendar(start)?;
        if !RANGE.contains(&self.get(end)?.lower.as_str()) || self.is_numbered(start) {
            return None;
        }
        let from = Interval::new(fields.interval()?.from, None)?;
        let last = self.skip(end + 1, &["the"]);
        if self.is(last, &["present", "now", "today", "date"]) {
            let end = last + 1 + usize::from(self.is(last, &["present"]) && self.is(last + 1, &["day"]));
            return Some((end, from, TimeKind::Since));
        }
        let dash = self.is(end, &["-", "–", "—"]) && self.get(end)?.glued;
        let closed = self.is(end + 1, &[")", "]"]);
        (dash && closed).then_some((end + 1, from, TimeKind::Since))
    }

    /// Tells whether two bare years with a dash are years: not pages, not amounts, not a part of a number.
    fn is_range_of_years(&self, start: usize, end: usize) -> bool {
        let bare = self.tokens[start].form == Form::Number && self.tokens[start].lower.len() == 4;
        if !bare {
            return !self.is_numbered(start);
        }
        let plausible = self.year(start).is_some_and(|year| (1400..=2100).contains(&year));
        plausible && !self.is_amount(start, end)
    }

    /// Tells whether a number counts or numbers something, or is a part of a longer one.
    fn is_amount(&self, start: usize, end: usize) -> bool {
        if self.is_numbered(start) {
            return true;
        }
        let Some(next) = self.get(end) else { return false };
        let after_in = self.before(start).is_some_and(|before| before.is("in"));
        if next.glued && (matches!(next.lower.as_str(), "%" | "°" | "€" | "$" | "£" | "@") || is_joint(next))
        {
            // "2019." ends a sentence, "2019.5" goes on.
            let goes_on = self.get(end + 1).is_some_and(|more| more.glued && more.form != Form::Sign);
            return !is_joint(next) || goes_on;
        }
        matches!(next.lower.as_str(), "%" | "°" | "€" | "$" | "£")
            || next.form == Form::Number && !next.line
            || !next.capital
                && (COUNTED.contains(&next.lower.as_str())
                    || !after_in && COUNTED_PEOPLE.contains(&next.lower.as_str()))
    }

    fn is_numbered(&self, start: usize) -> bool {
        let Some(before) = self.before(start) else { return false };
        let glued = self.get(start).is_some_and(|token| token.glued);
        let sign = matches!(before.lower.as_str(), "$" | "€" | "£" | "#" | "№" | "+" | "§");
        let point = before.is(".") && start >= 2 && NUMBERED.contains(&self.tokens[start - 2].lower.as_str());
        sign || point
            || NUMBERED.contains(&before.lower.as_str())
            || matches!(before.lower.as_str(), "eur" | "usd" | "gbp")
            || before.form == Form::Number && !self.tokens[start].line
            || glued
                && is_joint(before)
                && start >= 2
                && before.glued
                && self.tokens[start - 2].form != Form::Sign
    }

    /// Tells whether a lone number stands where only a year does.
    fn stands_as_year(&self, start: usize, end: usize) -> bool {
        if self.is_amount(start, end) {
            return false;
        }
        let closed = self.closes(end);
        let first = self.tokens[start].line;
        let Some(before) = self.before(start) else {
            return closed || self.is(end, &[":", "was", "saw", "brought", "marked"]);
        };
        if first && self.is(end, &[":", "–", "—"]) {
            return true;
        }
        let opened = matches!(before.lower.as_str(), "(" | "[" | "|" | "*" | "†" | "©");
        let after_event = EVENTS.contains(&before.lower.as_str())
            || before.is(".") && start >= 2 && self.is(start - 2, &["b", "d", "est", "fl"]);
        let after_comma = before.is(",") && start >= 2 && self.tokens[start - 2].form == Form::Word;
        closed && (opened || after_event || after_comma && self.is(end, &[")", "]", ";"]))
    }

    /// Tells whether a phrase ends here.
    fn closes(&self, end: usize) -> bool {
        self.get(end).is_none_or(|next| {
            next.line || matches!(next.lower.as_str(), ")" | "]" | "," | ";" | "." | ":" | "|" | "!" | "?")
        })
    }

    /// Reads one date, of any kind.
    fn atom(&self, start: usize) -> Option<Atom> {
        let start = self.skip(start, &["the"]);
        let plain =
            |(end, valid): (usize, Interval)| Atom { end, valid, fields: None, bare: false, late: false };
        if let Some(atom) = self.part(start) {
            return Some(atom);
        }
        if let Some(found) = self.named(start) {
            return Some(plain(found));
        }
        if let Some(found) = self.relative(start) {
            return Some(plain(found));
        }
        let labelled = self.is(start, &["year"]);
        let (end, fields) = self.calendar(start + usize::from(labelled))?;
        let bare = fields.month.is_none()
            && !labelled
            && self.tokens[start].form == Form::Number
            && end == start + 1;
        Some(Atom { end, valid: fields.interval()?, fields: Some(fields), bare, late: false })
    }

    /// Reads "early 2019", "mid-May 2019", "the end of 2016", "circa 1850", "the first half of 2020".
    fn part(&self, start: usize) -> Option<Atom> {
        let word = self.get(start)?.lower.as_str();
        let after = |words: usize| {
            let at = self.skip(start + words, &["-"]);
            self.skip(self.skip(at, &["of"]), &["the"])
        };
        let which = match word {
            "early" => Third::Early,
            "mid" | "middle" => Third::Middle,
            "late" => Third::Late,
            "start" | "beginning" if self.is(start + 1, &["of"]) => Third::Early,
            "end" | "close" if self.is(start + 1, &["of"]) => Third::Late,
            "circa" | "ca" | "c" => {
                let dotted = self.is(start + 1, &["."]);
                let at = start + 1 + usize::from(dotted);
                // A lone "c" is a letter.
                if word == "c" && !dotted {
                    return None;
                }
                let year = self.year(at).or_else(|| self.short_number(at, 3))?;
                let (end, year) = self.era(at, year);
                let valid = years(year - 5, year + 5)?;
                return Some(Atom { end, valid, fields: None, bare: false, late: false });
            }
            _ => return self.quarter(start),
        };
        let at = after(1);
        let whole = self.named(at).or_else(|| {
            let (end, fields) = self.calendar(at)?;
            Some((end, fields.interval()?))
        })?;
        let late = which == Third::Late;
        Some(Atom { end: whole.0, valid: third(whole.1, which)?, fields: None, bare: false, late })
    }

    /// Reads "Q3 2020", "the third quarter of 2020", "the first half of 2020".
    fn quarter(&self, start: usize) -> Option<Atom> {
        let token = self.get(start)?;
        let (at, count, number) = match token.lower.as_str() {
            "q1" | "q2" | "q3" | "q4" => (start + 1, 4, i8::try_from(token.lower.as_bytes()[1] - b'0').ok()?),
            "h1" | "h2" => (start + 1, 2, i8::try_from(token.lower.as_bytes()[1] - b'0').ok()?),
            _ => {
                let number = i8::try_from(self.ordinal(start)?).ok()?;
                match self.get(start + 1)?.lower.as_str() {
                    "quarter" => (start + 2, 4, number),
                    "half" => (start + 2, 2, number),
                    _ => return None,
                }
            }
        };
        let at = self.skip(self.skip(at, &["of"]), &[",", "/"]);
        let year = self.year(at)?;
        if !(1..=count).contains(&number) {
            return None;
        }
        let length = 12 / count;
        let valid = months(year, (number - 1) * length + 1, number * length)?;
        Some(Atom { end: at + 1, valid, fields: None, bare: false, late: number == count })
    }

    /// Reads decades, centuries and seasons.
    fn named(&self, start: usize) -> Option<(usize, Interval)> {
        let token = self.get(start)?;
        if let Some(first) = self.decade(start) {
            return Some(first);
        }
        if let Some(season) = season(&token.lower) {
            let at = self.skip(self.skip(start + 1, &["of"]), &[",", "in"]);
            let year = self.year(at)?;
            let (end, _) = self
                .short_year(Fields { year: Some(year), ..Fields::default() }, at + 1)
                .unwrap_or((at + 1, Interval::ALWAYS));
            return Some((end, months(year, season, season + 2)?));
        }
        let (number, at) = match self.ordinal(start) {
            Some(20) if token.is("twenty") => (20 + i16::try_from(self.ordinal(start + 2)?).ok()?, start + 3),
            Some(number) => (i16::try_from(number).ok()?, start + 1),
            None => return None,
        };
        let at = self.skip(at, &["-"]);
        if !self.is(at, &["century", "centuries"]) {
            return None;
        }
        let (end, before) = self.before_christ(at + 1);
        Some((end, century(number, before)?))
    }

    /// Reads "1990s", "1990's" and "'90s".
    fn decade(&self, start: usize) -> Option<(usize, Interval)> {
        let token = self.get(start)?;
        if matches!(token.lower.as_str(), "'" | "’" | "‘") {
            let short = self
                .get(start + 1)
                .filter(|next| next.glued)?
                .lower
                .strip_suffix("0s")?
                .parse::<i16>()
                .ok()?;
            return Some((start + 2, decade(1900 + short * 10).filter(|_| (2..=9).contains(&short))?));
        }
        let (digits, end) = match token.form {
            Form::Mixed => (token.lower.strip_suffix('s')?, start + 1),
            Form::Number if self.is(start + 1, &["'", "’"]) && self.is(start + 2, &["s"]) => {
                let glued = self.get(start + 1)?.glued && self.get(start + 2)?.glued;
                (glued.then_some(token.lower.as_str())?, start + 3)
            }
            _ => return None,
        };
        let first: i16 =
            (digits.len() == 4 && digits.ends_with('0')).then(|| digits.parse().ok()).flatten()?;
        let whole = if digits.ends_with("00") { years(first, first + 99)? } else { decade(first)? };
        (1000..=2190).contains(&first).then_some((end, whole))
    }
}

/// What joins two dates of a range.
const RANGE: [&str; 9] = ["to", "until", "till", "through", "thru", "-", "–", "—", "/"];

fn is_joint(token: &Token) -> bool {
    matches!(token.lower.as_str(), "." | "," | "-" | "–" | "/" | ":")
}

/// Returns the first month of a season; winter begins in December.
fn season(word: &str) -> Option<i8> {
    match word {
        "spring" => Some(3),
        "summer" => Some(6),
        "autumn" | "fall" => Some(9),
        "winter" => Some(12),
        _ => None,
    }
}
