//! Inflection: the forms of one word share a key.
//!
//! A stemmer that also strips derivation joins what must stay apart here ("manager" and "manages", "university" and
//! "universe", "founded" and "found"), so only inflection goes: plural, third person, past, participle.

use crate::words;

/// Words that look inflected and are not, or whose key would meet another word's.
const AS_THEY_ARE: &[&str] = &[
    "building",
    "painting",
    "meeting",
    "recording",
    "wedding",
    "housing",
    "engineering",
    "united",
    "during",
    "series",
    "species",
    "news",
    "always",
    "species",
    "means",
    "physics",
    "mathematics",
    "politics",
    "economics",
    "hundred",
    "this",
    "his",
    "its",
    "has",
    "was",
    "is",
    "as",
    "us",
    "does",
    "thing",
    "something",
    "nothing",
    "anything",
    "everything",
    "evening",
    "morning",
    "sibling",
    "wing",
    "king",
    "ring",
    "ceiling",
    "being",
    "need",
    "red",
    "bed",
    "led",
    "shed",
    "indeed",
    "seed",
    "feed",
    "speed",
    "breed",
    "gas",
    "bus",
    "lens",
    "corps",
    "headquarters",
    "athletics",
    "olympics",
    "atlas",
    "canvas",
    "christmas",
    "texas",
    "kansas",
    "sing",
    "bring",
    "spring",
    "string",
    "viking",
    "beijing",
    "nursing",
    "banking",
    "mining",
    "shipping",
    "farming",
    "fishing",
    "sailing",
    "living",
    "spelling",
    "crossing",
    "landing",
    "opening",
    "closing",
    "training",
    "teaching",
];

/// Returns the key of a word in lower case.
pub(crate) fn stem(lower: &str) -> String {
    if let Some(base) = words::irregular_base(lower) {
        return finish(base);
    }
    if !lower.is_ascii() || lower.len() <= 3 {
        return lower.to_owned();
    }
    if AS_THEY_ARE.contains(&lower) {
        // Both "building" and "buildings" are the noun; only verbs lose their "-ing".
        return lower.to_owned();
    }
    let singular = strip_plural(lower);
    if singular.len() < lower.len() && AS_THEY_ARE.contains(&singular.as_str()) {
        return singular;
    }
    finish(&strip_past(&singular))
}

fn strip_plural(word: &str) -> String {
    if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() > 1) {
        return format!("{base}y");
    }
    for suffix in ["sses", "shes", "ches", "xes", "zes", "oes"] {
        if word.ends_with(suffix) {
            return word[..word.len() - 2].to_owned();
        }
    }
    if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        return word[..word.len() - 1].to_owned();
    }
    match word {
        "men" => "man".to_owned(),
        "women" => "woman".to_owned(),
        "children" => "child".to_owned(),
        "people" => "person".to_owned(),
        "alumni" => "alumnus".to_owned(),
        _ => word.to_owned(),
    }
}

fn strip_past(word: &str) -> String {
    if let Some(base) = word.strip_suffix("ied").filter(|base| base.len() > 1) {
        return format!("{base}y");
    }
    for suffix in ["ed", "ing"] {
        let Some(base) = word.strip_suffix(suffix) else { continue };
        if base.len() < 2 || base.ends_with('e') || !base.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
            continue;
        }
        let bytes = base.as_bytes();
        let [.., before, last] = bytes else { continue };
        if before == last && !matches!(last, b'l' | b's' | b'z' | b'e' | b'o') && base.len() > 3 {
            return base[..base.len() - 1].to_owned();
        }
        return base.to_owned();
    }
    word.to_owned()
}

fn finish(word: &str) -> String {
    if word.len() > 3 {
        if let Some(base) = word.strip_suffix('e') {
            return finish_double(base);
        }
        if let Some(base) = word.strip_suffix('y') {
            return format!("{base}i");
        }
    }
    finish_double(word)
}

/// "controlled" and "control" meet.
fn finish_double(word: &str) -> String {
    match word.strip_suffix("ll") {
        Some(base) if base.len() > 3 => format!("{base}l"),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn the_forms_of_a_word_meet() {
        for forms in [
            &["manage", "manages", "managed", "managing"][..],
            &["write", "wrote", "written", "writes", "writing"],
            &["company", "companies"],
            &["study", "studied", "studies", "studying"],
            &["lead", "leads", "led", "leading"],
            &["building", "buildings"],
            &["work", "works", "worked", "working"],
            &["control", "controlled", "controls"],
            &["ship", "ships", "shipped"],
            &["compose", "composed"],
            &["person", "people"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn other_words_stay_apart() {
        for (left, right) in [
            ("founded", "found"),
            ("manager", "manages"),
            ("university", "universe"),
            ("organization", "organ"),
            ("building", "builds"),
            ("united", "unit"),
            ("director", "directed"),
        ] {
            assert_ne!(stem(left), stem(right), "{left} {right}");
        }
    }
}
