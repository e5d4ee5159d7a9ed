//! Values that templates format: dates, measures, places.

use super::Converter;
use super::arguments::Arguments;
use crate::markup::marks::PARAGRAPH;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// How units are written, where that differs from how a template names them.
const UNITS: &[(&str, &str)] = &[
    ("sqmi", "sq mi"),
    ("sqft", "sq ft"),
    ("sqkm", "km²"),
    ("km2", "km²"),
    ("m2", "m²"),
    ("cm2", "cm²"),
    ("mm2", "mm²"),
    ("m3", "m³"),
    ("km3", "km³"),
    ("cm3", "cm³"),
    ("cuft", "cu ft"),
    ("cumi", "cu mi"),
    ("c", "°C"),
    ("f", "°F"),
    ("kmh", "km/h"),
    ("m3/s", "m³/s"),
    ("cuft/s", "cu ft/s"),
    ("kn", "kn"),
    ("acre", "acres"),
    ("mile", "miles"),
    ("foot", "feet"),
    ("inch", "inches"),
    ("/sqmi", "/sq mi"),
    ("pd/sqmi", "/sq mi"),
    ("pd/km2", "/km²"),
    ("/km2", "/km²"),
];

/// Words between two numbers of a measure.
const BETWEEN: &[&str] =
    &["to", "-", "–", "and", "or", "x", "by", "×", "to(-)", "+/-", "±", "to about", "and(-)"];

impl Converter<'_> {
    /// Returns the positional arguments as they are written.
    fn words(&self, arguments: &Arguments) -> Vec<String> {
        arguments.positional.iter().map(|range| self.text[range.clone()].trim().to_owned()).collect()
    }

    /// Returns a date of which the parts are given in the order year, month, day, or the reverse.
    pub(super) fn date(&mut self, arguments: &Arguments) -> String {
        let words = self.words(arguments);
        let is_number = |word: &String| {
            !word.is_empty() && word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit())
        };
        let first: Vec<String> = words.iter().take(3).cloned().collect();
        if !first.iter().all(|word| word.is_empty() || is_number(word)) || first.iter().all(String::is_empty)
        {
            return arguments.at(0).map(|range| self.one_line(range)).unwrap_or_default();
        }
        let part = |place: usize| first.get(place).map_or("", String::as_str);
        let is_reversed = part(2).len() > 2 || part(0).is_empty() && part(2).len() > 2;
        let (year, month, day) =
            if is_reversed { (part(2), part(1), part(0)) } else { (part(0), part(1), part(2)) };
        let day_first = !self.raw(arguments.first(&["df", "dayfirst"])).is_empty();
        self.written_date(year, month, day, day_first)
    }

    /// Returns a date in words, or in digits where the wiki is not in English.
    fn written_date(&self, year: &str, month: &str, day: &str, day_first: bool) -> String {
        let number: Option<usize> = month.parse().ok();
        let Some(name) = number.and_then(|number| MONTHS.get(number.wrapping_sub(1))) else {
            return year.to_owned();
        };
        let is_english = self.site.language.is_empty() || self.site.language.starts_with("en");
        let day = day.trim_start_matches('0');
        match (is_english, year.is_empty(), day.is_empty()) {
            (false, false, false) => format!("{year:0>4}-{:02}-{day:0>2}", number.unwrap_or(0)),
            (_, false, true) => format!("{name} {year}"),
            (_, true, true) => (*name).to_owned(),
            (_, true, false) => format!("{name} {day}"),
            (true, false, false) if day_first => format!("{day} {name} {year}"),
            (true, false, false) => format!("{name} {day}, {year}"),
        }
    }

    /// Returns the dates of a film, each with its place.
    pub(super) fn film_dates(&mut self, arguments: &Arguments) -> String {
        let day_first = !self.raw(arguments.first(&["df", "dayfirst"])).is_empty();
        let mut dates = Vec::new();
        for part in arguments.positional.chunks(4) {
            let word = |place: usize| part.get(place).map_or("", |range| self.text[range.clone()].trim());
            let mut date = self.written_date(word(0), word(1), word(2), day_first);
            if let Some(place) =
                part.get(3).map(|range| self.one_line(range.clone())).filter(|place| !place.is_empty())
            {
                date = format!("{date} ({place})");
            }
            dates.push(date);
        }
        dates.retain(|date| !date.is_empty());
        dates.join(", ")
    }

    /// Returns "As of" with a date.
    pub(super) fn as_of(&mut self, arguments: &Arguments) -> String {
        if let Some(other) = arguments.first(&["alt"]) {
            return self.one_line(other);
        }
        let word = if self.raw(arguments.first(&["lc"])).is_empty() { "As of" } else { "as of" };
        let since = if self.raw(arguments.first(&["since"])).is_empty() { word } else { "Since" };
        format!("{since} {}", self.date(arguments))
    }

    /// Returns a measure with its unit as it is given, without what it is converted to.
    pub(super) fn measure(&mut self, arguments: &Arguments) -> String {
        let words = self.words(arguments);
        let is_number = |word: &str| {
            word.trim_start_matches(['-', '−', '+'])
                .starts_with(|letter: char| letter.is_ascii_digit() || letter == '.')
        };
        let mut text = String::new();
        let mut rest = words.iter().map(String::as_str).peekable();
        while let Some(number) = rest.next_if(|word| is_number(word)) {
            if !text.is_empty() && !text.ends_with([' ', '–']) {
                text.push(' ');
            }
            text.push_str(number);
            match rest.next_if(|word| BETWEEN.contains(word)) {
                Some("-" | "–" | "to(-)" | "and(-)") => text.push('–'),
                Some("x" | "×" | "by") => text.push_str(" × "),
                Some(word) => text.push_str(&format!(" {word} ")),
                None => {
                    let unit = rest.next().unwrap_or_default();
                    let shown = UNITS
                        .iter()
                        .find(|(name, _)| *name == unit.to_lowercase())
                        .map_or(unit, |(_, shown)| shown);
                    let space = if shown.is_empty() || shown.starts_with(['/', '%']) { "" } else { " " };
                    text.push_str(&format!("{space}{shown}"));
                    // Six feet, two inches: a number and a unit follow each other only where they are one measure.
                    if !matches!(unit, "ft" | "lb" | "st" | "mi" | "foot" | "yd" | "oz" | "ch") {
                        break;
                    }
                    let mut ahead = rest.clone();
                    let is_more = ahead.next().is_some_and(is_number)
                        && ahead.next().is_some_and(|word| !word.is_empty() && !is_number(word));
                    if !is_more {
                        break;
                    }
                }
            }
        }
        if text.is_empty() {
            return arguments.at(0).map(|range| self.one_line(range)).unwrap_or_default();
        }
        crate::markup::escape::plain(text.trim())
    }

    /// Returns a height.
    pub(super) fn height(&mut self, arguments: &Arguments) -> String {
        let mut parts = Vec::new();
        for (name, unit) in [("m", "m"), ("meter", "m"), ("cm", "cm"), ("ft", "ft"), ("in", "in")] {
            let value = self.raw(arguments.first(&[name]));
            if !value.is_empty() {
                parts.push(format!("{value} {unit}"));
            }
        }
        parts.join(" ")
    }

    /// Returns a place on earth.
    pub(super) fn coordinates(&mut self, arguments: &Arguments) -> String {
        let words = self.words(arguments);
        let is_part = |word: &&String| {
            let is_number =
                word.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            !word.is_empty() && (is_number || matches!(word.as_str(), "N" | "S" | "E" | "W" | "O"))
        };
        let parts: Vec<&String> = words.iter().take_while(is_part).collect();
        let mut text = String::new();
        if let [latitude, longitude] = parts[..] {
            text = format!("{latitude}, {longitude}");
        }
        let parts = if text.is_empty() { parts } else { Vec::new() };
        let mut count = 0;
        for part in parts {
            if part.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
                text.push_str(&format!("{part} "));
                count = 0;
            } else {
                text.push_str(part);
                text.push_str(["°", "′", "″"].get(count).copied().unwrap_or(" "));
                count += 1;
            }
        }
        let display = self.raw(arguments.first(&["display"]));
        // At the head of the page, so not in the line.
        let is_title = display.contains("title") && !display.contains("inline");
        let apart = if is_title { PARAGRAPH.to_string() } else { String::new() };
        format!("{apart}{}{apart}", text.trim_end())
    }

    /// Returns a fraction: the whole number comes first when there are three parts.
    pub(super) fn fraction(&self, arguments: &Arguments) -> String {
        let words = self.words(arguments);
        match words.as_slice() {
            [below] => format!("1/{below}"),
            [above, below] => format!("{above}/{below}"),
            [whole, above, below, ..] => format!("{whole} {above}/{below}"),
            [] => String::new(),
        }
    }
}
