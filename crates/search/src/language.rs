use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::Algorithm;

use crate::stop_words::STOP_WORDS;

/// How much of a text is looked at to tell its language.
const SAMPLE: usize = 2_000;
/// So many function words of a language are needed before it is believed.
const ENOUGH: u32 = 3;

/// A language as far as the search index needs to know it: which endings and function words it has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Any other language: words are folded, and nothing is cut off.
    Other,
    /// Arabic.
    Arabic,
    /// Danish.
    Danish,
    /// Dutch.
    Dutch,
    /// English.
    #[default]
    English,
    /// Finnish.
    Finnish,
    /// French.
    French,
    /// German.
    German,
    /// Greek.
    Greek,
    /// Hungarian.
    Hungarian,
    /// Italian.
    Italian,
    /// Norwegian.
    Norwegian,
    /// Portuguese.
    Portuguese,
    /// Romanian.
    Romanian,
    /// Russian.
    Russian,
    /// Spanish.
    Spanish,
    /// Swedish.
    Swedish,
    /// Tamil.
    Tamil,
    /// Turkish.
    Turkish,
}

impl Language {
    /// All languages, in the order of their codes in the file.
    pub(crate) const TABLE: [(Self, &'static str); 19] = [
        (Self::Other, ""),
        (Self::Arabic, "ar"),
        (Self::Danish, "da"),
        (Self::Dutch, "nl"),
        (Self::English, "en"),
        (Self::Finnish, "fi"),
        (Self::French, "fr"),
        (Self::German, "de"),
        (Self::Greek, "el"),
        (Self::Hungarian, "hu"),
        (Self::Italian, "it"),
        (Self::Norwegian, "no"),
        (Self::Portuguese, "pt"),
        (Self::Romanian, "ro"),
        (Self::Russian, "ru"),
        (Self::Spanish, "es"),
        (Self::Swedish, "sv"),
        (Self::Tamil, "ta"),
        (Self::Turkish, "tr"),
    ];

    /// Returns every language.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::TABLE.iter().map(|(language, _)| *language)
    }

    /// Returns the language of a tag such as `de` or `de-AT` (BCP 47); [`Language::Other`] for one without rules here.
    pub fn of_tag(tag: &str) -> Self {
        let first = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        let code = match first.as_str() {
            "nb" | "nn" => "no",
            other => other,
        };
        Self::TABLE.iter().find(|(_, known)| *known == code).map_or(Self::Other, |(language, _)| *language)
    }

    /// Returns the code of the language, `de`; empty for [`Language::Other`].
    pub fn tag(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// Guesses the language of a text from its script and its function words; `None` when they do not tell.
    pub fn detect(text: &str) -> Option<Self> {
        let mut end = text.len().min(SAMPLE);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut found = [0_u32; Self::TABLE.len()];
        for word in text[..end].split(|character: char| !character.is_alphabetic()) {
            let word = word.to_lowercase();
            for language in FUNCTION_WORDS.get(word.as_str()).into_iter().flatten() {
                found[*language as usize] += 1;
            }
        }
        let most = *found.iter().max()?;
        let mut best = Self::TABLE.iter().filter(|(language, _)| found[*language as usize] == most);
        let (language, _) = best.next()?;
        (most >= ENOUGH && best.next().is_none()).then_some(*language)
    }

    /// Tells whether a folded word says nothing of what a text is about.
    pub(crate) fn is_stop_word(self, word: &str) -> bool {
        FOLDED_STOP_WORDS.get(word).is_some_and(|languages| languages.contains(&self))
    }

    /// Tells whether any language has the folded word as a function word.
    pub(crate) fn is_stop_word_somewhere(word: &str) -> bool {
        FOLDED_STOP_WORDS.contains_key(word)
    }

    /// Returns the stemmer by Porter and others (Snowball) that knows the endings of the language.
    pub(crate) fn algorithm(self) -> Option<Algorithm> {
        Some(match self {
            Self::Other => return None,
            Self::Arabic => Algorithm::Arabic,
            Self::Danish => Algorithm::Danish,
            Self::Dutch => Algorithm::Dutch,
            Self::English => Algorithm::English,
            Self::Finnish => Algorithm::Finnish,
            Self::French => Algorithm::French,
            Self::German => Algorithm::German,
            Self::Greek => Algorithm::Greek,
            Self::Hungarian => Algorithm::Hungarian,
            Self::Italian => Algorithm::Italian,
            Self::Norwegian => Algorithm::Norwegian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Romanian => Algorithm::Romanian,
            Self::Russian => Algorithm::Russian,
            Self::Spanish => Algorithm::Spanish,
            Self::Swedish => Algorithm::Swedish,
            Self::Tamil => Algorithm::Tamil,
            Self::Turkish => Algorithm::Turkish,
        })
    }

    /// Tells whether the language is written in Latin letters.
    pub(crate) fn is_latin(self) -> bool {
        !matches!(self, Self::Arabic | Self::Greek | Self::Russian | Self::Tamil)
    }

    /// Tells whether an apostrophe ends a word of its own, as in `l'eau` and `dell'acqua`.
    pub(crate) fn elides(self) -> bool {
        matches!(self, Self::French | Self::Italian)
    }
}

type Words = HashMap<String, Vec<Language>>;

/// As they are written, to tell languages apart: `für` is German, `fur` is not.
static FUNCTION_WORDS: LazyLock<Words> = LazyLock::new(|| words(|word| word.to_owned()));
/// As they are indexed.
static FOLDED_STOP_WORDS: LazyLock<Words> = LazyLock::new(|| words(crate::fold::folded));

fn words(form: impl Fn(&str) -> String) -> Words {
    let mut all = Words::new();
    for (language, list) in STOP_WORDS {
        for word in list.split_whitespace() {
            let languages = all.entry(form(word)).or_default();
            if !languages.contains(language) {
                languages.push(*language);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_where_their_language_says() {
        for (place, (language, _)) in Language::TABLE.iter().enumerate() {
            assert_eq!(*language as usize, place);
        }
        assert_eq!(Language::of_tag("de-AT"), Language::German);
        assert_eq!(Language::of_tag("NB"), Language::Norwegian);
        assert_eq!(Language::of_tag("tlh"), Language::Other);
    }

    #[test]
    fn function_words_tell_the_language() {
        let cases = [
            ("The ferry leaves at eight and it is not late.", Some(Language::English)),
            ("Die Fähre fährt um acht ab und ist nicht mehr zu erreichen.", Some(Language::German)),
            ("Le bateau est dans le port et il ne part pas avant midi.", Some(Language::French)),
            ("El barco sale de la isla por la noche y no vuelve hasta el lunes.", Some(Language::Spanish)),
            ("Паром уходит в восемь и не вернётся до утра, но это не всё.", Some(Language::Russian)),
            ("Ferry 12", None),
            ("", None),
        ];
        for (text, language) in cases {
            assert_eq!(Language::detect(text), language, "{text}");
        }
    }
}
