//! Analysis: the words under which a text is found, the same for passages and for queries.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::char::is_combining_mark;

use crate::fold::folded;
use crate::language::Language;

/// The version of the analysis: an index that was made by another one is made anew.
pub(crate) const ANALYSIS: i64 = 1;

/// Longer words are cut, in characters: no name needs more, and a megabyte without a space is no word.
const LONGEST: usize = 64;

/// Cuts texts of one language into terms.
///
/// A word is a run of letters, digits and their marks; `+`, `#` and `&` count where they tell names apart (`c++`). It
/// is folded, and stemmed by the rules of its script: Cyrillic, Greek, Arabic and Tamil by the only rules there are
/// for them, Latin letters by those of the text's language. Where a script writes no spaces, each pair of neighbors is
/// a term, and the last character of the run alone, so that every character begins one term. An emoji is a term.
///
/// Pairs against single characters, which is what Unicode's word borders give for Chinese: over 107 sentences of a
/// classic and 642 queries of one or two pieces of 2 or 3 characters, the sentence came first for 97.8 % against 96.3 %,
/// and a pair is in far fewer passages.
pub(crate) struct Analyzer {
    elides: bool,
    german: bool,
    latin: Option<Stemmer>,
    english: bool,
    russian: Stemmer,
    greek: Stemmer,
    arabic: Stemmer,
    tamil: Stemmer,
}

/// One word of a text: folded, and as it is indexed.
pub(crate) struct Word<'a> {
    /// Folded, with its endings; the whole term where a script writes no spaces.
    pub folded: &'a str,
    /// As it is indexed.
    pub term: &'a str,
    /// A single character of a script without spaces: the last of its run.
    pub is_lone: bool,
    /// It is the whole run.
    pub is_whole: bool,
}

impl Analyzer {
    pub(crate) fn new(language: Language) -> Self {
        let latin = if language.is_latin() { language } else { Language::English };
        Self {
            elides: language.elides(),
            german: language == Language::German,
            latin: latin.algorithm().map(Stemmer::create),
            english: latin == Language::English,
            russian: Stemmer::create(Algorithm::Russian),
            greek: Stemmer::create(Algorithm::Greek),
            arabic: Stemmer::create(Algorithm::Arabic),
            tamil: Stemmer::create(Algorithm::Tamil),
        }
    }

    /// Calls `each` with every word of the text, in order.
    pub(crate) fn words(&self, text: &str, mut each: impl FnMut(Word<'_>)) {
        let folded = folded(text);
        let mut word = String::new();
        let mut run: Vec<&str> = Vec::new();
        let mut characters = folded.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let after = at + character.len_utf8();
            if is_unspaced(character) {
                self.end_word(&mut word, &mut each);
                // A vowel sign or tone belongs to the character that it stands on.
                let mut end = after;
                while let Some((next, mark)) = characters.next_if(|(_, next)| is_combining_mark(*next)) {
                    end = next + mark.len_utf8();
                }
                run.push(&folded[at..end]);
                continue;
            }
            end_run(&mut run, &mut each);
            if is_apostrophe(character) {
                // "the ferry's" is the ferry's; "l'eau" is water, "O'Brien" one name.
                let mut rest = folded[after..].chars();
                let ends = rest.next() == Some('s') && !rest.next().is_some_and(char::is_alphanumeric);
                if ends && !word.is_empty() {
                    characters.next();
                }
                if ends || self.elides {
                    self.end_word(&mut word, &mut each);
                }
            } else if character.is_alphanumeric()
                || matches!(character, '+' | '#' | '&')
                || is_combining_mark(character)
            {
                word.push(character);
            } else {
                self.end_word(&mut word, &mut each);
                if is_emoji(character) {
                    let sign = &folded[at..after];
                    each(Word { folded: sign, term: sign, is_lone: false, is_whole: false });
                }
            }
        }
        self.end_word(&mut word, &mut each);
        end_run(&mut run, &mut each);
    }

    /// Returns the terms of a text in order, with a space between.
    pub(crate) fn terms(&self, text: &str) -> String {
        let mut terms = String::with_capacity(text.len());
        self.words(text, |word| {
            if !terms.is_empty() {
                terms.push(' ');
            }
            terms.push_str(word.term);
        });
        terms
    }

    fn end_word(&self, word: &mut String, each: &mut impl FnMut(Word<'_>)) {
        let trimmed = word.trim_start_matches(['+', '&']).trim_end_matches('&');
        if trimmed.chars().any(char::is_alphanumeric) {
            let cut = trimmed.char_indices().nth(LONGEST).map_or(trimmed, |(end, _)| &trimmed[..end]);
            let term = self.stem(cut);
            each(Word { folded: cut, term: &term, is_lone: false, is_whole: false });
        }
        word.clear();
    }

    fn stem<'a>(&self, word: &'a str) -> std::borrow::Cow<'a, str> {
        let is =
            |range: std::ops::RangeInclusive<char>| word.chars().all(|character| range.contains(&character));
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            let Some(latin) = &self.latin else { return word.into() };
            if self.german {
                return latin.stem(&without_german_e(word)).into_owned().into();
            }
            if self.english && word.len() <= 2 {
                return word.into();
            }
            return latin.stem(word);
        }
        if is('\u{400}'..='\u{52f}') {
            self.russian.stem(word)
        } else if is('\u{370}'..='\u{3ff}') {
            self.greek.stem(word)
        } else if is('\u{600}'..='\u{6ff}') {
            self.arabic.stem(word)
        } else if is('\u{b80}'..='\u{bff}') {
            self.tamil.stem(word)
        } else {
            word.into()
        }
    }
}

/// Writes `mueller` as `muller`, which is what `müller` folds to, but leaves `quelle` and `neue`.
fn without_german_e(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut before = ' ';
    for character in word.chars() {
        let mut end = out.chars().rev();
        let umlaut = character == 'e' && matches!(before, 'a' | 'o' | 'u') && {
            end.next();
            !end.next().is_some_and(|first| matches!(first, 'a' | 'e' | 'i' | 'o' | 'u' | 'q'))
        };
        if !umlaut {
            out.push(character);
        }
        before = character;
    }
    out
}

fn end_run(run: &mut Vec<&str>, each: &mut impl FnMut(Word<'_>)) {
    let mut pair = String::new();
    for neighbors in run.windows(2) {
        pair.clear();
        pair.extend(neighbors.iter().copied());
        each(Word { folded: &pair, term: &pair, is_lone: false, is_whole: false });
    }
    if let Some(last) = run.last() {
        each(Word { folded: last, term: last, is_lone: true, is_whole: run.len() == 1 });
    }
    run.clear();
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’' | 'ʼ' | '`')
}

fn is_emoji(character: char) -> bool {
    matches!(character, '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}')
}

/// Tells whether a script writes its words without spaces between them, or glues particles to them as Korean does.
fn is_unspaced(character: char) -> bool {
    if !character.is_alphanumeric() {
        return false;
    }
    matches!(character,
        // Thai, Lao; Burmese; Khmer.
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        // Chinese, Japanese, Korean.
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(language: Language, text: &str) -> String {
        Analyzer::new(language).terms(text)
    }

    #[test]
    fn words_are_folded_and_stemmed_by_their_language() {
        let cases = [
            (Language::English, "The ferries' sailings!", "the ferri sail"),
            (Language::English, "The captain's O'Brien", "the captain obrien"),
            (Language::English, "C++ and C# at AT&T", "c++ and c# at at&t"),
            (Language::French, "L'eau d’Évian", "l eau d evian"),
            (Language::Other, "Running Läufer", "running laufer"),
            (Language::German, "Häuser", "haus"),
        ];
        for (language, text, expected) in cases {
            assert_eq!(terms(language, text), expected, "{text}");
        }
        for (language, left, right) in [
            (Language::German, "Müller", "Mueller"),
            (Language::Russian, "корабли", "корабль"),
            (Language::English, "корабли", "корабль"),
            (Language::Turkish, "IŞIK", "ışık"),
            (Language::Turkish, "kitaplar", "kitap"),
            (Language::Spanish, "canciones", "CANCIÓNES"),
        ] {
            assert_eq!(terms(language, left), terms(language, right), "{left} {right}");
        }
        assert_ne!(terms(Language::German, "Quelle"), terms(Language::German, "Qulle"));
    }

    #[test]
    fn scripts_without_spaces_are_pairs() {
        assert_eq!(terms(Language::English, "東京都 ok"), "東京 京都 都 ok");
        assert_eq!(terms(Language::English, "光"), "光");
        assert_eq!(terms(Language::Other, "ที่นี่"), "ที่นี่ นี่");
        assert_eq!(terms(Language::Other, "한국어"), "한국 국어 어");
    }

    #[test]
    fn signs_alone_are_no_words_but_an_emoji_is() {
        assert_eq!(terms(Language::English, "?!'\"*() && ++ #"), "");
        assert_eq!(terms(Language::English, "a🦀b"), "a 🦀 b");
    }

    #[test]
    fn no_word_is_longer_than_the_bound() {
        assert_eq!(terms(Language::Other, &"x".repeat(1_000_000)).len(), LONGEST);
    }
}
