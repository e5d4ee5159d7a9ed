use proptest::prelude::*;

use super::*;

fn of(text: &str, kind: LiteralKind) -> Vec<String> {
    let found = find_values(text);
    let found = found.iter().filter(|value| value.kind == kind);
    found.map(|value| format!("{} = {}", &text[value.span.range()], value.value)).collect()
}

#[test]
fn numbers_in_digits_and_words() {
    for (text, expected) in [
        ("1,200", "1,200 = 1200"),
        ("It has 1,234,567 parts.", "1,234,567 = 1234567"),
        ("3.5", "3.5 = 3.5"),
        ("3,5", "3,5 = 3.5"),
        ("1,200.50", "1,200.50 = 1200.5"),
        ("1.200.000", "1.200.000 = 1200000"),
        ("1\u{a0}200", "1\u{a0}200 = 1200"),
        ("1.2 million", "1.2 million = 1200000"),
        ("twelve", "twelve = 12"),
        ("twenty-three ships", "twenty-three = 23"),
        ("two hundred and fifty", "two hundred and fifty = 250"),
        ("three thousand two hundred", "three thousand two hundred = 3200"),
        ("a dozen", "a dozen = 12"),
        ("a hundred", "a hundred = 100"),
        ("carries 180 passengers", "180 = 180"),
        ("at -5 today", "-5 = -5"),
        ("007", "007 = 7"),
        ("0.50", "0.50 = 0.5"),
        ("ends with 12.", "12 = 12"),
    ] {
        assert_eq!(of(text, LiteralKind::Number), [expected], "{text}");
    }
}

#[test]
fn quantities_with_their_units() {
    for (text, expected) in [
        ("12.5 km", "12.5 km = 12.5 km"),
        ("28 metres long", "28 metres = 28 m"),
        ("a 12-metre boat", "12-metre = 12 m"),
        ("5km away", "5km = 5 km"),
        ("3.5km", "3.5km = 3.5 km"),
        ("1,200m deep", "1,200m = 1200 m"),
        ("80 km/h", "80 km/h = 80 km/h"),
        ("80km/h", "80km/h = 80 km/h"),
        ("20 kg", "20 kg = 20 kg"),
        ("3 tonnes", "3 tonnes = 3 t"),
        ("25 °C", "25 °C = 25 °C"),
        ("25°C", "25°C = 25 °C"),
        ("-3 degrees Celsius", "-3 degrees Celsius = -3 °C"),
        ("a budget of 240,000 euros.", "240,000 euros = 240000 euros"),
        ("1.2 million euros", "1.2 million euros = 1200000 euros"),
        ("€1.2 million", "€1.2 million = 1200000 euros"),
        ("EUR 9", "EUR 9 = 9 euros"),
        ("9 €", "9 € = 9 euros"),
        ("$3,000", "$3,000 = 3000 dollars"),
        ("US$5", "US$5 = 5 dollars"),
        ("£20", "£20 = 20 pounds"),
        ("$5bn", "$5bn = 5000000000 dollars"),
        ("45 %", "45 % = 45 %"),
        ("45 percent", "45 percent = 45 %"),
        ("45 per cent", "45 per cent = 45 %"),
        ("300 square kilometres", "300 square kilometres = 300 km²"),
        ("six nautical miles", "six nautical miles = 6 nmi"),
        ("one km", "one km = 1 km"),
        ("12 knots", "12 knots = 12 kn"),
        ("3 MW", "3 MW = 3 MW"),
    ] {
        assert_eq!(of(text, LiteralKind::Quantity), [expected], "{text}");
    }
    assert!(of("180 passengers", LiteralKind::Quantity).is_empty());
    assert!(of("5 T Smith", LiteralKind::Quantity).is_empty());
}

#[test]
fn dates_have_their_precision() {
    for (text, expected) in [
        ("2019", "2019 = 2019"),
        ("built in 2004 and", "2004 = 2004"),
        ("May 2019", "May 2019 = 2019-05"),
        ("on 3 May 2019", "3 May 2019 = 2019-05-03"),
        ("May 3, 2019", "May 3, 2019 = 2019-05-03"),
        ("2019-05-03", "2019-05-03 = 2019-05-03"),
        ("44 BC", "44 BC = -43"),
        ("AD 79", "AD 79 = 0079"),
    ] {
        assert_eq!(of(text, LiteralKind::Date), [expected], "{text}");
    }
    assert!(of("2019 euros", LiteralKind::Date).is_empty());
    // The parts of a date are no numbers, a lone year may be one.
    assert!(of("3 May 2019", LiteralKind::Number).is_empty());
    assert_eq!(of("2019", LiteralKind::Number), ["2019 = 2019"]);
}

#[test]
fn what_only_looks_like_a_number_is_none() {
    for text in [
        "version 1.2.3",
        "10:30",
        "1/2",
        "555-2019",
        "call 555 2019 77",
        "page 12",
        "No. 5",
        "3rd",
        "B52",
        "1990s",
        "10.0.0.1",
        "one of them",
        "28–30",
    ] {
        assert!(of(text, LiteralKind::Number).is_empty(), "{text}: {:?}", find_values(text));
    }
}

#[test]
fn yes_and_no() {
    assert_eq!(of("yes", LiteralKind::Boolean), ["yes = true"]);
    assert_eq!(of("No", LiteralKind::Boolean), ["No = false"]);
    assert_eq!(of("it is true", LiteralKind::Boolean), ["true = true"]);
    assert!(of("no ship sails", LiteralKind::Boolean).is_empty());
}

#[test]
fn addresses() {
    for (text, expected) in [
        ("see https://example.org/a?b=1.", "https://example.org/a?b=1"),
        ("(http://example.org)", "http://example.org"),
        ("http://example.org/a_(b)", "http://example.org/a_(b)"),
        ("www.example.org, and", "www.example.org"),
        ("<https://example.org/2019/05>", "https://example.org/2019/05"),
    ] {
        assert_eq!(of(text, LiteralKind::Url), [format!("{expected} = {expected}")], "{text}");
        assert!(of(text, LiteralKind::Number).is_empty(), "{text}");
        assert!(of(text, LiteralKind::Date).is_empty(), "{text}");
    }
    assert!(of("https://", LiteralKind::Url).is_empty());
    assert!(of("awww.example.org", LiteralKind::Url).is_empty());
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(\\PC|[0-9]{1,5}|[-–/., %€$°]|km|million |two |hundred |and |a |http://|May |\\n){0,40}") {
        for value in find_values(&text) {
            prop_assert!(value.span.slice(&text).is_some_and(|part| !part.is_empty()), "{:?}", value);
            prop_assert!(!value.value.is_empty());
        }
    }

    #[test]
    fn a_number_keeps_its_value(number in 0u64..10_000_000_000, commas in any::<bool>()) {
        let mut text = number.to_string();
        if commas {
            let digits = text.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
            text = digits.collect::<Vec<_>>().join(",");
        }
        let found = find_values(&text);
        let value = found.iter().find(|value| value.kind == LiteralKind::Number).map(|value| value.value.clone());
        prop_assert_eq!(value, Some(number.to_string()));
    }
}

#[test]
fn a_long_text_is_read_in_linear_time() {
    let text = "1,200 km two hundred http://a.b 3 May 2019 1.2.3 hwf ".repeat(5_000);
    let _ = find_values(&text);
    let _ = find_values(&"1,".repeat(200_000));
    let _ = find_values(&"h".repeat(500_000));
    let _ = find_values(&"twenty ".repeat(100_000));
}
