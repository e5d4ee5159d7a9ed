//! Names: which ones are valid, what to suggest instead, how to quote one in a message.

/// Tells whether a name of an endpoint, an item or a capability is valid: ASCII letters, digits and
/// underscores, at least one.
#[must_use]
pub fn is_valid_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the name with spaces turned into underscores and everything else that is not allowed dropped.
///
/// The result may be empty and then is not valid: see [`is_valid_name`].
#[must_use]
pub fn normalize_name(name: &str) -> String {
    name.chars()
        .map(|c| if c == ' ' { '_' } else { c })
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect()
}

/// Returns the candidate nearest to a misspelt word, if one is near enough.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long word is no typo of ours, and the distance is quadratic.
    if word.chars().count() > 64 {
        return None;
    }
    let lower = word.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word)
        .map(|candidate| {
            let other = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&lower, &other);
            (distance, word.len().max(candidate.len()), candidate)
        })
        .filter(|(distance, length, _)| *distance <= (length / 3).max(1))
        .min_by_key(|(distance, _, _)| *distance)
        .map(|(_, _, candidate)| candidate)
}

/// Returns the text in single quotes, cut when long, with nothing in it that could play with a terminal.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut quoted = String::from("'");
    for (count, c) in text.chars().enumerate() {
        if count == LONGEST {
            quoted.push('…');
            break;
        }
        if is_unprintable(c) { quoted.extend(c.escape_default()) } else { quoted.push(c) }
    }
    quoted.push('\'');
    quoted
}

/// Tells whether a character could move the cursor or reorder what is shown.
pub(crate) fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the words quoted and joined as in 'a', 'b' or 'c'.
pub(crate) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} or {last}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["src_path", "dst_path", "type"];
        assert_eq!(nearest("src_pth", known), Some("src_path"));
        assert_eq!(nearest("Type", known), Some("type"));
        assert_eq!(nearest("tpye", known), Some("type"));
        assert_eq!(nearest("banana", known), None);
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
    }

    #[test]
    fn quoting_defuses_terminal_sequences() {
        assert_eq!(quoted("a\u{1b}[2Jb"), "'a\\u{1b}[2Jb'");
        assert_eq!(quoted(&"x".repeat(100)).chars().count(), 63);
    }

    #[test]
    fn valid_names() {
        for name in ["a", "A_9", "123", "_"] {
            assert!(is_valid_name(name));
        }
        for name in ["", "é", "a b", "a-b", "a/b", "x.y", "a\n"] {
            assert!(!is_valid_name(name));
        }
    }
}
