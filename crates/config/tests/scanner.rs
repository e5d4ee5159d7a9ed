//! The scanner and json5 accept the same texts and see the same values in them.

use mge_config::Located;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// What the configuration refuses beyond JSON5.
const OWN_RULES: [&str; 3] = ["duplicate-key", "not-finite", "too-deep"];

fn space() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        2 => "[ \\t\\n\\r\u{a0}\u{2028}\u{feff}]{0,3}",
        1 => "//[a-z'\"{\\[]{0,5}\\n",
        1 => "/\\*[a-z'\"{\\[*]{0,5}\\*/",
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        "[+-]?(0|[1-9][0-9]{0,25})",
        "[+-]?[0-9]{0,3}\\.?[0-9]{0,3}([eE][+-]?[0-9]{1,3})?",
        "[+-]?0[xX][0-9a-fA-F]{0,34}",
        "[+-]?(NaN|Infinity)",
        text(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let inside = "([a-zé日\u{1f600}\u{2028}/:,{}\\[\\] ]|\\\\[bnrtvf0'\"\\\\/x]|\\\\x[0-9a-f]{2}|\\\\u[0-9a-fA-F]{4}\
                  |\\\\ud83d\\\\ude00|\\\\\n|\\\\\r\n){0,6}";
    prop_oneof![inside.prop_map(|s| format!("\"{s}\"")), inside.prop_map(|s| format!("'{s}'"))]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z_$é][a-zA-Z0-9_$é]{0,4}", "\\\\u00[0-9a-f]{2}[a-z]{0,2}", text()]
}

fn document() -> impl Strategy<Value = String> {
    let leaf = (space(), scalar(), space()).prop_map(|(before, scalar, after)| before + &scalar + &after);
    leaf.prop_recursive(5, 40, 6, |inner| {
        let member = (space(), key(), space(), inner.clone())
            .prop_map(|(before, key, after, value)| format!("{before}{key}{after}:{value}"));
        let ending = prop_oneof![3 => Just(""), 1 => Just(","), 1 => Just(", "), 1 => Just("/**/")];
        prop_oneof![
            (prop::collection::vec(inner, 0..5), ending.clone())
                .prop_map(|(parts, ending)| format!("[{}{ending}]", parts.join(","))),
            (prop::collection::vec(member, 0..5), ending)
                .prop_map(|(parts, ending)| format!("{{{}{ending}}}", parts.join(","))),
        ]
    })
}

fn mutated() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[{}\\[\\],:'\"/*\\\\+.0-9eExNItfn \\n_$#=-]",
        Just("//".to_owned()),
        Just("/*".to_owned()),
        Just("null".to_owned()),
        any::<char>().prop_map(String::from),
    ];
    (document(), prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, piece), 0..3)).prop_map(
        |(text, edits)| {
            let mut chars: Vec<char> = text.chars().collect();
            for (at, removed, piece) in edits {
                let at = at.index(chars.len() + 1);
                let end = (at + removed).min(chars.len());
                chars.splice(at..end, piece.chars());
            }
            chars.into_iter().collect()
        },
    )
}

/// Builds the value again from the spans: what json5 reads in each leaf's span alone.
fn rebuilt(text: &str, located: &Located, pointer: &str, value: &Value) -> Value {
    let step = |key: &str| format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| {
                let pointer = step(key);
                let written = &text[located.key_span(&pointer).expect("every key has a span")];
                let object: Map<String, Value> =
                    json5::from_str(&format!("{{{written}:0}}")).expect("a key's span is a key");
                (object.keys().next().expect("one key").clone(), rebuilt(text, located, &pointer, value))
            })
            .collect(),
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .map(|(index, value)| rebuilt(text, located, &step(&index.to_string()), value))
            .collect(),
        _ => {
            let span = located.value_span(pointer).expect("every value has a span");
            json5::from_str(&text[span]).expect("a value's span is a value")
        }
    }
}

fn agree(text: &str) -> Result<(), TestCaseError> {
    let by_json5 = json5::from_str::<Value>(text);
    let (located, problems) = Located::parse("f", text.as_bytes().to_vec());
    prop_assert_eq!(located.is_some(), by_json5.is_ok(), "{:?} {:?}", by_json5, problems);
    let refused = problems.iter().any(|problem| !OWN_RULES.contains(&&*problem.code));
    prop_assert_eq!(refused, by_json5.is_err(), "{:?} {:?}", by_json5, problems);
    for problem in &problems {
        prop_assert!(problem.render(true).contains("f:"));
    }
    if let (Some(located), Ok(value)) = (&located, by_json5) {
        prop_assert_eq!(located.value(), &value);
        // A byte order mark is not part of the text that spans count.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        prop_assert_eq!(rebuilt(text, located, "", &value), value);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn on_documents(text in document()) {
        agree(&text)?;
    }

    #[test]
    fn on_broken_documents(text in mutated()) {
        agree(&text)?;
    }

    #[test]
    fn on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (_, problems) = Located::parse("f", bytes);
        for problem in problems {
            prop_assert!(problem.render(false).ends_with('\n'));
        }
    }
}

#[test]
fn on_chosen_texts() {
    for text in [
        "",
        " ",
        "[,]",
        "[1,,]",
        "{,}",
        "{a}",
        "{a:}",
        "{a:1 b:2}",
        "[1 2]",
        "[1]]",
        "01",
        "-0x",
        "0x1g",
        ".",
        "+",
        "-.5e1",
        "1.",
        "1e",
        "1e+",
        "1-2",
        "1_0",
        "'\\1'",
        "'\\0'",
        "'\\01'",
        "'\\x4'",
        "'\\ud800'",
        "'\\ud800\\u0041'",
        "'\\ud83d\\ude00'",
        "'a\nb'",
        "'a\\\r\nb'",
        "\u{feff}\u{feff}1",
        "/",
        "1/",
        "1//",
        "1/*",
        "1/**/",
        "/***/1",
        "/*/1",
        "nul",
        "nulll",
        "truefalse",
        "{null: 1}",
        "{\\u0061: 1}",
        "{\\u0031: 1}",
        "{a\\u0031: 1}",
        "{1: 1}",
        "{'': 1}",
        "18446744073709551616",
        "-9223372036854775809",
        "340282366920938463463374607431768211456",
        "-0x80000000000000000000000000000000",
        "-0x80000000000000000000000000000001",
        "0x100000000000000000000000000000000",
        "{__proto__: 1}",
        "{a\u{200c}: 1}",
        "Infinity",
        "-NaN",
        "Infinit",
        "{a:1,a:2}",
    ] {
        agree(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    }
}
