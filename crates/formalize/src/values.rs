//! Finds values in text: numbers, quantities, dates, yes and no, addresses, each in the normal form of its kind.
//!
//! One stretch may be several values: `2019` is a number and a date, `12 km` has the number 12 inside. Who looks for
//! a value knows which kind is wanted.

mod units;

use mge_core::Span;
use mge_ontology::LiteralKind;

use crate::dates::find_dates;
use crate::dates::scan::{Form, Token, scan};
use units::{Unit, prefix_currency, unit_at};

/// A value in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValueMention {
    /// The whole value, its unit included.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) kind: LiteralKind,
    /// Its normal form: `1200`, `12.5 km`, `2019-05`, `true`, `https://example.org`.
    pub(crate) value: String,
}

/// Finds the values of a text, in order of where they start, longer ones first.
pub(crate) fn find_values(text: &str) -> Vec<ValueMention> {
    let mut found = find_urls(text);
    let urls: Vec<Span> = found.iter().map(|url| url.span).collect();
    let dates = find_dates(text);
    found.extend(dates.iter().filter(|(span, _)| !covered(&urls, *span)).map(|(span, value)| ValueMention {
        span: *span,
        kind: LiteralKind::Date,
        value: value.clone(),
    }));
    // The 3 of "3 May 2019" is no number of its own; the 2019 of "in 2019" may be one.
    let mut taken: Vec<Span> =
        dates.into_iter().map(|(span, _)| span).filter(|span| span.len() > 4).collect();
    taken.extend(&urls);
    taken.sort_unstable();
    let tokens = scan(text);
    let reader = Numbers { text, tokens: &tokens };
    let mut position = 0;
    while position < tokens.len() {
        let Some(number) = reader.number(position) else {
            found.extend(boolean(&tokens, position).filter(|value| !covered(&urls, value.span)));
            position += 1;
            continue;
        };
        let span = Span::new(tokens[position].span.start, number.span_end);
        if !covered(&taken, span) && !number.refused {
            reader.push(position, &number, &mut found);
        }
        position = number.end.max(position + 1);
    }
    found.sort_by(|left, right| {
        left.span
            .start
            .cmp(&right.span.start)
            .then(right.span.end.cmp(&left.span.end))
            .then(left.value.cmp(&right.value))
    });
    found
}

/// Tells whether one of the sorted spans overlaps.
fn covered(spans: &[Span], span: Span) -> bool {
    let after = spans.partition_point(|known| known.end <= span.start);
    spans.get(after).is_some_and(|known| known.overlaps(span))
}

/// A number as it is read.
#[derive(Debug)]
struct Number {
    /// The token after it.
    end: usize,
    /// The byte after it; inside a token for `5km`.
    span_end: usize,
    value: Decimal,
    /// What stands glued behind its digits: `km` of `5km`.
    rest: Option<String>,
    /// It is a part of something else: a version, a time of day, a telephone number, a page.
    refused: bool,
}

/// A decimal number in digits: exact, whatever its length.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decimal {
    whole: String,
    fraction: String,
}

impl Decimal {
    fn new(whole: &str, fraction: &str) -> Self {
        Self { whole: whole.to_owned(), fraction: fraction.to_owned() }
    }

    /// Multiplies by a power of ten.
    fn shifted(mut self, zeros: usize) -> Self {
        let moved = zeros.min(self.fraction.len());
        self.whole.push_str(&self.fraction[..moved]);
        self.whole.push_str(&"0".repeat(zeros - moved));
        self.fraction = self.fraction[moved..].to_owned();
        self
    }

    fn written(&self) -> String {
        let whole = self.whole.trim_start_matches('0');
        let fraction = self.fraction.trim_end_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
    }
}

/// Words before a number that only numbers something.
const LABELS: [&str; 20] = [
    "page", "pages", "p", "pp", "no", "nr", "version", "v", "chapter", "section", "figure", "fig", "table",
    "room", "#", "№", "§", "phone", "tel", "isbn",
];

struct Numbers<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl Numbers<'_> {
    fn get(&self, position: usize) -> Option<&Token> {
        self.tokens.get(position)
    }

    /// Adds a number with its sign, and the quantity that it is part of.
    fn push(&self, start: usize, number: &Number, found: &mut Vec<ValueMention>) {
        let mut first = self.tokens[start].span.start;
        let sign = start.checked_sub(1).and_then(|before| self.get(before)).filter(|sign| {
            let free = !sign.glued || start >= 2 && self.tokens[start - 2].is("(");
            self.tokens[start].glued && free && matches!(sign.lower.as_str(), "-" | "−")
        });
        let written = match sign {
            Some(sign) => {
                first = sign.span.start;
                format!("-{}", number.value.written())
            }
            None => number.value.written(),
        };
        let unit = self.unit(number);
        // "5km" has no number of its own that stands free, but it has the value.
        let span = Span::new(first, number.span_end);
        found.push(ValueMention { span, kind: LiteralKind::Number, value: written.clone() });
        let quantity = match (unit, prefix_currency(self.tokens, start)) {
            (_, Some((currency, from))) => Some((from.min(first), number.span_end, currency)),
            (Some(Unit { name, end }), None) => Some((first, end, name)),
            (None, None) => None,
        };
        if let Some((start, end, name)) = quantity {
            let span = Span::new(start, end);
            found.push(ValueMention {
                span,
                kind: LiteralKind::Quantity,
                value: format!("{written} {name}"),
            });
        }
    }

    fn unit(&self, number: &Number) -> Option<Unit> {
        match &number.rest {
            Some(rest) => units::glued(self.tokens, number.end, rest, number.span_end),
            None => unit_at(self.tokens, number.end),
        }
    }

    /// Reads a number of digits or words.
    fn number(&self, start: usize) -> Option<Number> {
        let token = self.get(start)?;
        match token.form {
            Form::Number => Some(self.digits(start)),
            Form::Mixed => self.with_unit(start),
            Form::Word => self.words(start),
            Form::Sign => None,
        }
    }

    /// Reads `1,200`, `1.2`, `1 200` and what scales them.
    fn digits(&self, start: usize) -> Number {
        let mut groups: Vec<&str> = vec![&self.tokens[start].lower];
        let mut signs: Vec<&str> = Vec::new();
        let mut end = start + 1;
        loop {
            let joint =
                self.get(end).filter(|joint| joint.glued && matches!(joint.lower.as_str(), "," | "."));
            if let (Some(joint), Some(next)) = (joint, self.get(end + 1))
                && next.glued
                && next.form == Form::Number
            {
                signs.push(&joint.lower);
                groups.push(&next.lower);
                end += 2;
            } else if let Some(next) = self.get(end)
                && next.form == Form::Number
                && next.lower.len() == 3
                && self.is_thin_gap(end)
            {
                signs.push(" ");
                groups.push(&next.lower);
                end += 1;
            } else {
                break;
            }
        }
        // "1,200m", "3.5km": the last group has its unit glued.
        let unit = self.glued_unit(end);
        if let Some((digits, _, _)) = &unit {
            signs.push(&self.tokens[end].lower);
            groups.push(digits);
            end += 2;
        }
        let value = join_groups(&groups, &signs);
        let refused = value.is_none() || self.is_part(start, end);
        let value = value.unwrap_or_else(|| Decimal::new("0", ""));
        match unit {
            Some((_, rest, span_end)) => Number { end, span_end, value, rest: Some(rest), refused },
            None => {
                let span_end = self.tokens[end - 1].span.end;
                self.scaled(Number { end, span_end, value, rest: None, refused })
            }
        }
    }

    /// Reads the fraction or the last group with a unit after a point or comma: digits, unit, where the unit starts.
    fn glued_unit(&self, joint: usize) -> Option<(&str, String, usize)> {
        self.get(joint).filter(|joint| joint.glued && matches!(joint.lower.as_str(), "," | "."))?;
        let token = self.get(joint + 1).filter(|token| token.glued && token.form == Form::Mixed)?;
        let cut = token.lower.find(|character: char| !character.is_ascii_digit()).filter(|cut| *cut > 0)?;
        let start = token.span.start + cut;
        let rest = self.text.get(start..token.span.end)?;
        units::named(rest)?;
        Some((token.lower.get(..cut)?, rest.to_owned(), start))
    }

    /// Tells whether only a narrow or fixed blank stands before a token.
    fn is_thin_gap(&self, position: usize) -> bool {
        let (before, token) = (self.tokens[position - 1].span, self.tokens[position].span);
        matches!(self.text.get(before.end..token.start), Some("\u{a0}" | "\u{202f}" | "\u{2009}"))
    }

    /// Tells whether digits belong to a longer sign: `10:30`, `1/2`, `555-2019`, `v1`, `page 3`.
    fn is_part(&self, start: usize, end: usize) -> bool {
        let joins = |token: &Token| {
            matches!(token.lower.as_str(), ":" | "/" | "-" | "–" | "—" | "." | "_" | "@" | "=" | "'")
        };
        let before = start.checked_sub(1).and_then(|before| self.get(before));
        let glued_before =
            before.filter(|before| self.tokens[start].glued && joins(before)).is_some_and(|before| {
                let far = start.checked_sub(2).and_then(|far| self.get(far));
                before.glued && far.is_some_and(|far| far.form != Form::Sign)
            });
        let glued_after = self.get(end).is_some_and(|next| {
            next.glued
                && joins(next)
                && self
                    .get(end + 1)
                    .is_some_and(|more| more.glued && matches!(more.form, Form::Number | Form::Mixed))
        });
        let labelled = before.is_some_and(|before| {
            let dotted = before.is(".") && start >= 2 && !self.tokens[start].glued;
            let word = if dotted { &self.tokens[start - 2] } else { before };
            LABELS.contains(&word.lower.as_str())
        });
        let in_row =
            |token: Option<&Token>| token.is_some_and(|token| token.form == Form::Number && !token.line);
        let row = !self.tokens[start].line && in_row(before)
            || in_row(self.get(end)) && !self.get(end).is_some_and(|next| next.line);
        glued_before
            || glued_after
            || labelled
            || row
            || before.is_some_and(|before| before.is("+") && self.tokens[start].glued)
    }

    /// Reads `5km`, `20kg`, `3.5bn`.
    fn with_unit(&self, start: usize) -> Option<Number> {
        let token = &self.tokens[start];
        let cut = token.lower.find(|character: char| !character.is_ascii_digit()).filter(|cut| *cut > 0)?;
        let (digits, rest) = token.lower.split_at(cut);
        // Lower-casing may change lengths, but never those of the digits before.
        let original = self.text.get(token.span.start + cut..token.span.end)?;
        if rest.bytes().any(|byte| byte.is_ascii_digit()) && !matches!(rest, "m2" | "m3" | "km2") {
            return None;
        }
        let mut value = Decimal::new(digits, "");
        if let Some(zeros) = scale(rest).filter(|_| prefix_currency(self.tokens, start).is_some()) {
            value = value.shifted(zeros);
            let span_end = token.span.end;
            return Some(Number { end: start + 1, span_end, value, rest: None, refused: false });
        }
        let first = token.span.start + cut;
        let refused = units::named(original).is_none()
            && units::glued(self.tokens, start + 1, original, first).is_none();
        if refused {
            return None;
        }
        Some(Number {
            end: start + 1,
            span_end: first,
            value,
            rest: Some(original.to_owned()),
            refused: false,
        })
    }

    /// Multiplies by a word that follows: `1.2 million`.
    fn scaled(&self, number: Number) -> Number {
        let Some(next) = self.get(number.end).filter(|next| next.form == Form::Word && !next.line) else {
            return number;
        };
        match scale(&next.lower).filter(|_| next.lower.len() > 2) {
            Some(zeros) => Number {
                end: number.end + 1,
                span_end: next.span.end,
                value: number.value.shifted(zeros),
                ..number
            },
            None => number,
        }
    }

    /// Reads `twelve`, `two hundred and fifty`, `a dozen`.
    fn words(&self, start: usize) -> Option<Number> {
        let (mut total, mut group) = (0u64, 0u64);
        let mut end = start;
        let mut count = 0;
        while let Some(token) = self.get(end).filter(|token| token.form == Form::Word) {
            let word = token.lower.as_str();
            if let Some(small) = small_number(word) {
                // "two three" are two numbers; "twenty three" is one.
                let fits =
                    group % 100 == 0 || (20..100).contains(&(group % 100)) && group % 10 == 0 && small < 10;
                if !fits {
                    break;
                }
                group += small;
            } else if word == "hundred" && (1..100).contains(&group) {
                group *= 100;
            } else if let Some(zeros) = scale(word).filter(|_| word.len() > 2 && group > 0) {
                total =
                    total.checked_add(group.checked_mul(10u64.checked_pow(u32::try_from(zeros).ok()?)?)?)?;
                group = 0;
            } else if end == start && matches!(word, "a" | "an") {
                let next = self.get(end + 1)?;
                let counts = matches!(next.lower.as_str(), "hundred" | "thousand" | "million" | "billion");
                if next.is("dozen") {
                    return Some(self.of_words(end + 2, 12));
                }
                if !counts {
                    return None;
                }
                group = 1;
            } else if word == "dozen" && group > 0 && count == 1 {
                group *= 12;
            } else if word == "and"
                && (group >= 100 || total > 0 && group == 0)
                && self.get(end + 1).is_some_and(|next| small_number(&next.lower).is_some())
            {
                end += 1;
                continue;
            } else {
                break;
            }
            count += 1;
            end += 1;
            let hyphen = self.get(end).is_some_and(|next| next.glued && next.is("-"));
            if hyphen
                && self.get(end + 1).is_some_and(|next| {
                    next.glued && small_number(&next.lower).is_some_and(|small| small < 10)
                })
            {
                end += 1;
            }
        }
        let value = total.checked_add(group)?;
        // A lone "one" is a pronoun; "one km" is a quantity.
        if end == start || value == 1 && unit_at(self.tokens, end).is_none() {
            return None;
        }
        Some(self.of_words(end, value))
    }

    fn of_words(&self, end: usize, value: u64) -> Number {
        let value = Decimal::new(&value.to_string(), "");
        Number { end, span_end: self.tokens[end - 1].span.end, value, rest: None, refused: false }
    }
}

/// Puts groups of digits together; `None` when they are no number: `1.2.3`.
fn join_groups(groups: &[&str], signs: &[&str]) -> Option<Decimal> {
    let grouped = |groups: &[&str]| {
        let first = groups.first().is_some_and(|first| first.len() <= 3);
        first && groups.iter().skip(1).all(|group| group.len() == 3)
    };
    let joined = |groups: &[&str]| groups.concat();
    match signs {
        [] => Some(Decimal::new(groups[0], "")),
        // "1,200" has thousands, "3,5" is a decimal in most of Europe.
        [","] if groups[1].len() != 3 || groups[0].len() > 3 || groups[0] == "0" => {
            Some(Decimal::new(groups[0], groups[1]))
        }
        ["."] => Some(Decimal::new(groups[0], groups[1])),
        _ => {
            let (last, before) = signs.split_last()?;
            let same = |signs: &[&str]| signs.windows(2).all(|pair| pair[0] == pair[1]);
            if same(signs) && grouped(groups) {
                return Some(Decimal::new(&joined(groups), ""));
            }
            let (fraction, whole) = groups.split_last()?;
            let decimal = same(before) && before.first() != Some(last) && *last != " " && grouped(whole);
            decimal.then(|| Decimal::new(&joined(whole), fraction))
        }
    }
}

/// Returns the zeros of a scale.
fn scale(word: &str) -> Option<usize> {
    match word {
        "k" | "thousand" => Some(3),
        "m" | "mn" | "million" | "millions" => Some(6),
        "bn" | "billion" | "billions" => Some(9),
        "tn" | "trillion" | "trillions" => Some(12),
        _ => None,
    }
}

fn small_number(word: &str) -> Option<u64> {
    const SMALL: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let of = |words: &[&str]| {
        words.iter().position(|known| *known == word).and_then(|found| u64::try_from(found).ok())
    };
    of(&SMALL).or_else(|| of(&TENS).map(|tens| (tens + 2) * 10))
}

/// Reads yes and no: the words `true` and `false` anywhere, the others only where they are all there is.
fn boolean(tokens: &[Token], position: usize) -> Option<ValueMention> {
    let token = &tokens[position];
    let alone = tokens.len() == 1;
    let value = match token.lower.as_str() {
        "true" => "true",
        "false" => "false",
        "yes" | "y" | "x" | "✓" | "✔" if alone => "true",
        "no" | "n" | "✗" | "✘" if alone => "false",
        _ => return None,
    };
    Some(ValueMention { span: token.span, kind: LiteralKind::Boolean, value: value.to_owned() })
}

/// Finds addresses of the web.
fn find_urls(text: &str) -> Vec<ValueMention> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = next_url(text, from) {
        let rest = &text[start..];
        let stops = |character: char| {
            character.is_whitespace() || matches!(character, '<' | '>' | '"' | '|' | '`' | '“' | '”')
        };
        let end = rest.find(stops).unwrap_or(rest.len());
        let mut url = &rest[..end];
        // What closes a sentence or a bracket around it is not part of it.
        while let Some(last) = url.chars().next_back() {
            let opened = |open: char, close: char| last == close && !url.contains(open);
            let closes = matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '’');
            if !closes && !opened('(', ')') && !opened('[', ']') && !opened('{', '}') {
                break;
            }
            url = &url[..url.len() - last.len_utf8()];
        }
        let host = url.split_once("//").map_or(url, |(_, host)| host);
        if host.contains('.') || host.starts_with("localhost") {
            let span = Span::new(start, start + url.len());
            found.push(ValueMention { span, kind: LiteralKind::Url, value: url.to_owned() });
        }
        from = start + end.max(1);
    }
    found
}

/// Finds where the next address may start, at or after a byte.
fn next_url(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let starts = rest.match_indices(['h', 'H', 'w', 'W', 'f', 'F']).map(|(at, _)| from + at);
    starts.into_iter().find(|at| {
        let word_before = text[..*at].chars().next_back().is_some_and(char::is_alphanumeric);
        let has = |prefix: &str| {
            text.as_bytes()
                .get(*at..*at + prefix.len())
                .is_some_and(|bytes| bytes.eq_ignore_ascii_case(prefix.as_bytes()))
        };
        !word_before && ["http://", "https://", "ftp://", "www."].into_iter().any(has)
    })
}

#[cfg(test)]
mod tests;
