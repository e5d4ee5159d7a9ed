//! Titles of pages as names of files, and as targets of links between them.

use std::fmt::Write;

/// The longest name of a file, in bytes, on the usual file systems.
const LONGEST: usize = 255;

/// What every name ends with.
const EXTENSION: &str = ".md";

/// The digits of the hash in a shortened name: 128 bits.
const HASH_DIGITS: usize = 32;

/// Returns the name of the file that holds a page.
///
/// Percent signs, the characters `< > : " / \ | ? *`, control characters, and a space or dot at the start are written
/// as `%` and two digits; spaces at the end, which no title has, are dropped. A name over 255 bytes is cut and gets the
/// hash of its title. Two titles that differ otherwise than in spaces at the end have different names.
///
/// Names may still be equal where letters have no case, and an export may hold one title twice: a driver compares
/// [`name_key`] and gives the later page its [`distinct_file_name`].
///
/// ```
/// assert_eq!(mge_wiki::file_name("AC/DC"), "AC%2FDC.md");
/// assert_eq!(mge_wiki::file_name("100% Me?"), "100%25 Me%3F.md");
/// ```
#[must_use]
pub fn file_name(title: &str) -> String {
    name_with(title, "")
}

/// Returns a name for a page whose [`file_name`] is taken: the page's number makes it its own.
///
/// ```
/// assert_eq!(mge_wiki::distinct_file_name("Empty", 12), "Empty%~12.md");
/// ```
#[must_use]
pub fn distinct_file_name(title: &str, page_id: u64) -> String {
    // A percent sign is always followed by two digits elsewhere, so that no title has this name.
    name_with(title, &format!("%~{page_id}"))
}

/// Returns what two names have in common when a file system without case takes one for the other.
#[must_use]
pub fn name_key(name: &str) -> String {
    name.to_uppercase().to_lowercase()
}

/// Returns the target of a Markdown link to a page: its [`file_name`] as a relative address.
///
/// Decoding the percent signs gives the name of the file.
///
/// ```
/// assert_eq!(mge_wiki::link_target("New York"), "New%20York.md");
/// assert_eq!(mge_wiki::link_target("AC/DC"), "AC%252FDC.md");
/// ```
#[must_use]
pub fn link_target(title: &str) -> String {
    let mut target = String::new();
    push_address(&mut target, &file_name(title));
    target
}

/// Appends a name or fragment as a part of an address that Markdown reads as one.
pub(crate) fn push_address(target: &mut String, name: &str) {
    for letter in name.chars() {
        match letter {
            ' ' | '%' | '(' | ')' | '<' | '>' | '[' | ']' | '\\' | '"' | '#' | '?' | '`' | '|' | '*'
            | '_' | '&' | '~' | '$' | '^' | '{' | '}' => push_percent(target, letter),
            _ if letter.is_control() || letter.is_whitespace() => push_percent(target, letter),
            _ => target.push(letter),
        }
    }
}

fn push_percent(text: &mut String, letter: char) {
    for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
        // Writing to a string cannot fail.
        let _ = write!(text, "%{byte:02X}");
    }
}

fn name_with(title: &str, suffix: &str) -> String {
    let title = title.trim_end_matches(' ');
    let mut name = String::with_capacity(title.len() + EXTENSION.len());
    if title.is_empty() {
        name.push('%');
    }
    for (at, letter) in title.char_indices() {
        match letter {
            '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*' | '%' => push_percent(&mut name, letter),
            ' ' | '.' if at == 0 => push_percent(&mut name, letter),
            _ if letter.is_control() => push_percent(&mut name, letter),
            _ => name.push(letter),
        }
    }
    if name.len() + suffix.len() + EXTENSION.len() > LONGEST {
        shorten(&mut name, title, LONGEST - suffix.len() - EXTENSION.len());
    }
    name.push_str(suffix);
    name.push_str(EXTENSION);
    name
}

/// Cuts a name to a length in bytes, of which the last are the hash of its title.
fn shorten(name: &mut String, title: &str, length: usize) {
    // "%-" and the digits.
    let mut end = name.floor_char_boundary(length - HASH_DIGITS - 2);
    // No half of "%2F".
    if let Some(percent) = name[..end].rfind('%')
        && end - percent < 3
    {
        end = percent;
    }
    name.truncate(end);
    name.push_str("%-");
    name.push_str(&blake3::hash(title.as_bytes()).to_hex()[..HASH_DIGITS]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_titles_are_cut_and_stay_distinct() {
        let (one, two) = ("é".repeat(200), format!("{}x", "é".repeat(200)));
        assert!(file_name(&one).len() <= LONGEST && file_name(&two).len() <= LONGEST);
        assert_ne!(file_name(&one), file_name(&two));
        assert!(file_name(&"/".repeat(250)).len() <= LONGEST);
        assert!(distinct_file_name(&one, u64::MAX).len() <= LONGEST);
        // A title of the greatest length without anything to encode keeps its name.
        assert_eq!(file_name(&"a".repeat(252)), format!("{}.md", "a".repeat(252)));
    }

    #[test]
    fn titles_that_the_original_mixed_up_have_names_of_their_own() {
        assert_eq!(file_name("A/B"), "A%2FB.md");
        assert_eq!(file_name("A%2FB"), "A%252FB.md");
        assert_eq!(name_key(&file_name("Straße")), name_key(&file_name("STRASSE")));
        assert_eq!(name_key(&file_name("The the")), name_key(&file_name("The The")));
        assert_ne!(distinct_file_name("Empty", 1), distinct_file_name("Empty", 2));
    }

    #[test]
    fn no_file_is_hidden() {
        for title in [".NET Framework", "", ".", ".."] {
            assert!(!file_name(title).starts_with('.'), "{title}");
        }
    }

    proptest! {
        #[test]
        fn names_are_injective(one in any::<String>(), two in any::<String>()) {
            prop_assert_eq!(
                file_name(&one) == file_name(&two),
                one.trim_end_matches(' ') == two.trim_end_matches(' ')
            );
        }

        #[test]
        fn names_are_injective_among_odd_titles(one in "[%/2Ff. ~-]{0,6}", two in "[%/2Ff. ~-]{0,6}", id in 0_u64..30) {
            let same = one.trim_end_matches(' ') == two.trim_end_matches(' ');
            prop_assert_eq!(file_name(&one) == file_name(&two), same);
            prop_assert_ne!(file_name(&one), distinct_file_name(&two, id));
        }

        #[test]
        fn names_are_safe(title in any::<String>()) {
            let name = file_name(&title);
            prop_assert!(name.len() <= LONGEST);
            let odd = |letter: char| "<>:\"/\\|?*".contains(letter) || letter.is_control();
            prop_assert!(!name.contains(odd), "{}", name);
        }

        #[test]
        fn a_target_leads_to_the_file(title in any::<String>()) {
            let target = link_target(&title);
            let mut bytes = Vec::new();
            let mut rest = target.as_bytes();
            while let Some((&first, tail)) = rest.split_first() {
                if first == b'%' {
                    bytes.push(u8::from_str_radix(std::str::from_utf8(&tail[..2]).unwrap(), 16).unwrap());
                    rest = &tail[2..];
                } else {
                    bytes.push(first);
                    rest = tail;
                }
            }
            prop_assert_eq!(String::from_utf8(bytes).unwrap(), file_name(&title));
        }
    }
}
