use unicode_normalization::UnicodeNormalization;

/// Folds a text for comparison: NFKC, lower case, and full case folding of `ß` and final sigma.
///
/// Every script keeps its letters. Punctuation and white space stay; [`name_key`] drops them.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        // What follows would come to the same, and this is most text.
        return text.to_ascii_lowercase();
    }
    // Lower-casing through upper case folds the letters whose lower case alone differs ("ß", "ς").
    text.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect()
}

/// Returns the key under which two spellings of one name meet.
///
/// Folded as by [`fold`]; white space and punctuation between letters become one space, apostrophes vanish,
/// combining marks that belong to a letter stay. Signs that tell names apart (`+`, `#`, `&`) stay. A name of
/// punctuation alone keeps its signs, so that no key is empty unless the name is blank.
pub fn name_key(name: &str) -> String {
    let folded = fold(name);
    let mut key = String::with_capacity(folded.len());
    let mut gap = false;
    for character in folded.chars() {
        if matches!(character, '\'' | '’' | 'ʼ' | '`' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{feff}') {
            continue;
        }
        if is_name_character(character) {
            if gap && !key.is_empty() {
                key.push(' ');
            }
            gap = false;
            key.push(character);
        } else {
            gap = true;
        }
    }
    if key.is_empty() { folded.split_whitespace().collect::<Vec<_>>().join(" ") } else { key }
}

fn is_name_character(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(character, '+' | '#' | '&')
        || unicode_normalization::char::is_combining_mark(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_share_a_key() {
        assert_eq!(name_key("  Noah   Kim "), "noah kim");
        assert_eq!(name_key("NOAH-KIM"), "noah kim");
        assert_eq!(name_key("O’Brien"), name_key("O'Brien"));
        assert_eq!(name_key("Straße"), name_key("STRASSE"));
        assert_eq!(name_key("Cafe\u{301}"), name_key("Café"));
    }

    #[test]
    fn every_script_keeps_its_letters() {
        assert_ne!(name_key("北京"), name_key("東京"));
        assert_eq!(name_key("北京"), "北京");
        assert_eq!(name_key("Москва"), "москва");
        assert_ne!(name_key("C++"), name_key("C#"));
        assert_eq!(name_key("!?"), "!?");
    }
}
