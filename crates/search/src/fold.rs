//! Folding: spellings of one word that a reader takes for the same become the same.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

/// Folds a text: compatibility forms (NFKC), lower case, and no diacritics where they only color a letter.
///
/// Latin and Greek letters lose their marks, so that `Malmö` is found by `malmo`; Cyrillic `ё` becomes `е`, while `й`
/// and `ї` are letters of their own; Arabic and Hebrew lose their points, Arabic the many forms of alef. The marks of
/// all other scripts are vowels and stay. `I`, `İ`, `i` and `ı` are one letter: a Turkish reader is not lost, and a
/// reader without a Turkish keyboard is served.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    for character in text.nfkc() {
        if character.is_ascii() {
            out.push(character.to_ascii_lowercase());
        } else {
            for lower in character.to_lowercase() {
                push_folded(lower, &mut out);
            }
        }
    }
    out
}

fn push_folded(character: char, out: &mut String) {
    match character {
        // Combining marks, points, joiners and other things without a width.
        '\u{300}'..='\u{36f}'
        | '\u{591}'..='\u{5bd}'
        | '\u{5bf}'
        | '\u{5c1}'..='\u{5c2}'
        | '\u{5c4}'..='\u{5c5}'
        | '\u{5c7}'
        | '\u{640}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => {}
        'ß' => out.push_str("ss"),
        'æ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        'þ' => out.push_str("th"),
        'ø' => out.push('o'),
        'ł' => out.push('l'),
        'đ' | 'ð' => out.push('d'),
        'ħ' => out.push('h'),
        'ı' => out.push('i'),
        'ς' => out.push('σ'),
        'й' | 'ї' | 'ў' | 'ґ' => out.push(character),
        'آ' | 'أ' | 'إ' | 'ٱ' => out.push('ا'),
        'ى' => out.push('ي'),
        'ة' => out.push('ه'),
        // Latin, Greek and Cyrillic letters with their marks.
        '\u{c0}'..='\u{52f}' | '\u{1e00}'..='\u{1fff}' => {
            decompose_canonical(character, |part| {
                if !matches!(part, '\u{300}'..='\u{36f}') {
                    out.push(part);
                }
            });
        }
        _ => out.push(character),
    }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn spellings_of_one_word_meet() {
        for (left, right) in [
            ("Malmö", "malmo"),
            ("Cafe\u{301}", "CAFÉ"),
            ("Straße", "STRASSE"),
            ("İSTANBUL", "ıstanbul"),
            ("ＦＵＬＬ", "full"),
            ("Ὀδυσσεύς", "ΟΔΥΣΣΕΥΣ"),
            ("ещё", "еще"),
            ("مُحَمَّد", "محمد"),
            ("أحمد", "احمد"),
            ("שָׁלוֹם", "שלום"),
            ("Łódź", "lodz"),
            ("ﬁre", "fire"),
        ] {
            assert_eq!(folded(left), folded(right), "{left} {right}");
        }
    }

    #[test]
    fn different_letters_stay_apart() {
        for (left, right) in [("か", "が"), ("мой", "мои"), ("한", "하"), ("กา", "กิ"), ("कि", "क")]
        {
            assert_ne!(folded(left), folded(right), "{left} {right}");
        }
    }
}
