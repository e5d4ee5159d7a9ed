//! Units and currencies: the ways in which they are written, and the one in which they are kept.

use crate::dates::scan::{Form, Token};

/// A unit behind a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) name: &'static str,
    /// The byte after it.
    pub(crate) end: usize,
}

/// Words in lower case. Physical units are kept by their symbol, currencies by their name.
const WORDS: [(&str, &[&str]); 46] = [
    ("km", &["km", "kilometre", "kilometres", "kilometer", "kilometers", "kms"]),
    ("m", &["m", "metre", "metres", "meter", "meters"]),
    ("cm", &["cm", "centimetre", "centimetres", "centimeter", "centimeters"]),
    ("mm", &["mm", "millimetre", "millimetres", "millimeter", "millimeters"]),
    ("mi", &["mi", "mile", "miles"]),
    ("nmi", &["nmi"]),
    ("ft", &["ft", "foot", "feet"]),
    ("in", &["inch", "inches"]),
    ("yd", &["yd", "yard", "yards"]),
    ("kg", &["kg", "kilogram", "kilograms", "kilo", "kilos"]),
    ("g", &["g", "gram", "grams"]),
    ("mg", &["mg", "milligram", "milligrams"]),
    ("t", &["t", "tonne", "tonnes"]),
    ("tons", &["ton", "tons"]),
    ("lb", &["lb", "lbs"]),
    ("l", &["l", "litre", "litres", "liter", "liters"]),
    ("ml", &["ml", "millilitre", "millilitres"]),
    ("ha", &["ha", "hectare", "hectares"]),
    ("acres", &["acre", "acres"]),
    ("km²", &["km²", "km2"]),
    ("m²", &["m²", "m2"]),
    ("m³", &["m³", "m3"]),
    ("kn", &["kn", "knot", "knots"]),
    ("mph", &["mph"]),
    ("km/h", &["kmh", "kph"]),
    ("h", &["h", "hour", "hours", "hrs"]),
    ("min", &["min", "minute", "minutes"]),
    ("s", &["second", "seconds", "secs"]),
    ("days", &["day", "days"]),
    ("weeks", &["week", "weeks"]),
    ("months", &["month", "months"]),
    ("years", &["year", "years"]),
    ("kW", &["kw", "kilowatt", "kilowatts"]),
    ("MW", &["megawatt", "megawatts"]),
    ("GW", &["gw", "gigawatt", "gigawatts"]),
    ("kWh", &["kwh"]),
    ("hp", &["hp", "horsepower"]),
    ("MB", &["mb", "megabyte", "megabytes"]),
    ("GB", &["gb", "gigabyte", "gigabytes"]),
    ("GHz", &["ghz"]),
    ("%", &["percent"]),
    ("euros", &["euro", "euros", "eur"]),
    ("dollars", &["dollar", "dollars", "usd"]),
    ("pounds", &["pound", "pounds", "gbp"]),
    ("francs", &["franc", "francs", "chf"]),
    ("yen", &["yen", "jpy"]),
];

/// Returns the unit of a word.
pub(crate) fn named(word: &str) -> Option<&'static str> {
    // The case tells megawatts from milliwatts.
    match word {
        "MW" => return Some("MW"),
        "W" => return Some("W"),
        "V" => return Some("V"),
        "mW" | "M" | "G" | "T" | "L" => return None,
        _ => {}
    }
    let lower = word.to_lowercase();
    WORDS.iter().find(|(_, words)| words.contains(&lower.as_str())).map(|(name, _)| *name)
}

fn currency(sign: &str) -> Option<&'static str> {
    match sign {
        "€" | "eur" => Some("euros"),
        "$" | "usd" => Some("dollars"),
        "£" | "gbp" => Some("pounds"),
        "¥" | "jpy" => Some("yen"),
        "chf" => Some("francs"),
        _ => None,
    }
}

/// Finds a currency before a number: its name and where it starts.
pub(crate) fn prefix_currency(tokens: &[Token], number: usize) -> Option<(&'static str, usize)> {
    let before = tokens.get(number.checked_sub(1)?)?;
    let name = currency(&before.lower)?;
    let mut start = before.span.start;
    // "US$ 5"
    if before.is("$")
        && before.glued
        && number >= 2
        && matches!(tokens[number - 2].lower.as_str(), "us" | "u")
    {
        start = tokens[number - 2].span.start;
    }
    // "9 € 5": the sign belongs to the number before it.
    let taken = number >= 2 && tokens[number - 2].form == Form::Number && !tokens[number].glued;
    (!taken).then_some((name, start))
}

/// Finds the unit that stands after a number.
pub(crate) fn unit_at(tokens: &[Token], at: usize) -> Option<Unit> {
    let token = tokens.get(at)?;
    let hyphen = token.glued && token.is("-");
    // "a 12-metre boat"
    let at = if hyphen { at + 1 } else { at };
    let token = tokens.get(at).filter(|token| !token.line)?;
    if token.is("%") {
        return Some(Unit { name: "%", end: token.span.end });
    }
    if let Some(name) = currency(&token.lower) {
        return Some(Unit { name, end: token.span.end });
    }
    if token.is("°") {
        return degree(tokens, at);
    }
    let next = tokens.get(at + 1).filter(|next| !next.line);
    let two = |name: &'static str| next.map(|next| Unit { name, end: next.span.end });
    match (token.lower.as_str(), next.map(|next| next.lower.as_str())) {
        ("per", Some("cent")) => return two("%"),
        ("square" | "sq", Some("kilometres" | "kilometers" | "km")) => return two("km²"),
        ("square" | "sq", Some("metres" | "meters" | "m")) => return two("m²"),
        ("square" | "sq", Some("miles" | "mi")) => return two("mi²"),
        ("square" | "sq", Some("feet" | "ft")) => return two("ft²"),
        ("cubic", Some("metres" | "meters")) => return two("m³"),
        ("nautical", Some("mile" | "miles")) => return two("nmi"),
        ("degrees" | "degree", Some("celsius" | "centigrade" | "c")) => return two("°C"),
        ("degrees" | "degree", Some("fahrenheit" | "f")) => return two("°F"),
        ("us", Some("dollars")) => return two("dollars"),
        _ => {}
    }
    let name = match token.form {
        Form::Word | Form::Mixed => named_token(token)?,
        Form::Number | Form::Sign => return None,
    };
    Some(over(tokens, at, name).unwrap_or(Unit { name, end: token.span.end }))
}

/// Finds the unit that is written onto the digits: `5km`, `80km/h`.
pub(crate) fn glued(tokens: &[Token], after: usize, rest: &str, start: usize) -> Option<Unit> {
    let name = match rest {
        "s" => return None,
        rest => named(rest)?,
    };
    let token = after.checked_sub(1)?;
    Some(over(tokens, token, name).unwrap_or(Unit { name, end: start + rest.len() }))
}

/// Reads "km/h" and "m/s" on.
fn over(tokens: &[Token], unit: usize, name: &'static str) -> Option<Unit> {
    let slash = tokens.get(unit + 1).filter(|slash| slash.glued && slash.is("/"))?;
    let below = tokens.get(unit + 2).filter(|below| below.glued && slash.glued)?;
    let name = match (name, below.lower.as_str()) {
        ("km", "h") => "km/h",
        ("m", "s") => "m/s",
        _ => return None,
    };
    Some(Unit { name, end: below.span.end })
}

fn degree(tokens: &[Token], at: usize) -> Option<Unit> {
    let scale = tokens.get(at + 1).filter(|scale| scale.glued && scale.capital)?;
    let name = match scale.lower.as_str() {
        "c" => "°C",
        "f" => "°F",
        _ => return None,
    };
    Some(Unit { name, end: scale.span.end })
}

/// A capital single letter is a name or an initial, unless it is a unit itself.
fn named_token(token: &Token) -> Option<&'static str> {
    if token.capital {
        return match token.lower.as_str() {
            "w" => Some("W"),
            "v" => Some("V"),
            "mw" => Some("MW"),
            lower if lower.len() == 1 => None,
            lower => named(lower),
        };
    }
    named(&token.lower)
}
