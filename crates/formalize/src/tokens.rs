//! Words and sentences of visible text.

use std::ops::Range;

use mge_core::Span;

use crate::stem::stem;
use crate::words::{self, Class};

/// The longest sentence that is read as one, in tokens; a longer one is cut.
const LONGEST_SENTENCE: usize = 160;

/// The longest word that is looked at, in bytes; a longer one is noise and never part of a name.
const LONGEST_WORD: usize = 120;

/// A word, number or sign.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    /// Its bytes in the text.
    pub(crate) span: Span,
    /// In lower case; empty for noise.
    pub(crate) lower: String,
    /// The key that its inflected forms share.
    pub(crate) stem: String,
    /// What is known of the word by itself.
    pub(crate) class: Class,
    /// What it looks like.
    pub(crate) shape: Shape,
    /// White space stands before it.
    pub(crate) spaced: bool,
}

/// What a token looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `harbour`
    Lower,
    /// `Harbour`, `McDonald`, `J.`
    Capital,
    /// `WHO`, two letters or more
    Upper,
    /// Of a script without case.
    Caseless,
    /// `iPhone`, `eBay`: lower first, capitals inside.
    Mixed,
    /// `747`, `1,360`, `2019-05`
    Number,
    /// `'s` or the apostrophe of a plural.
    Genitive,
    /// Anything else: one sign.
    Sign,
}

impl Token {
    /// Tells whether the word has one of the classes.
    pub(crate) fn is(&self, class: Class) -> bool {
        self.class & class != 0
    }

    /// Tells whether it is this sign.
    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        self.shape == Shape::Sign && self.lower == sign
    }

    /// Tells whether it is a word of any script.
    pub(crate) fn is_word(&self) -> bool {
        !matches!(self.shape, Shape::Sign | Shape::Genitive | Shape::Number)
    }

    /// Tells whether it begins with a capital.
    pub(crate) fn is_capital(&self) -> bool {
        matches!(self.shape, Shape::Capital | Shape::Upper)
    }

    /// Tells whether it may be a word of a name: it begins with a capital, or its script has none.
    pub(crate) fn is_name_word(&self) -> bool {
        self.is_capital() || self.shape == Shape::Caseless
    }

    /// Tells whether it separates parts of a sentence: a dash with spaces, a colon, a semicolon.
    pub(crate) fn is_dash(&self) -> bool {
        self.shape == Shape::Sign && matches!(self.lower.as_str(), "–" | "—" | "-" | "--")
    }

    /// Tells whether it looks like a form of a verb: a closed class, an irregular form, or a regular ending.
    pub(crate) fn is_verb_like(&self) -> bool {
        if self.shape != Shape::Lower {
            return false;
        }
        if self.is(words::AUXILIARY | words::VERB) {
            return true;
        }
        if self.is(words::PREPOSITION | words::DETERMINER | words::ADVERB)
            || words::is_plural_noun(&self.lower)
        {
            return false;
        }
        (self.lower.len() > 4 && self.lower.ends_with("ed") && !self.lower.ends_with("eed"))
            || words::is_verb_stem(&self.stem) && (self.lower.ends_with('s') || self.lower.ends_with("ed"))
    }

    /// Tells whether it sets a name apart: a quote, or the sign of an emphasis or of code.
    pub(crate) fn is_quote(&self) -> bool {
        self.shape == Shape::Sign
            && matches!(self.lower.as_str(), "\"" | "“" | "”" | "„" | "«" | "»" | "‘" | "’" | "'" | "*" | "`")
    }

    /// Tells whether it can stand after "was" in a passive.
    pub(crate) fn is_participle(&self) -> bool {
        self.is(words::PARTICIPLE) || (self.lower.len() > 3 && self.lower.ends_with("ed"))
    }
}

/// Scripts that write no spaces between words: each character is a token.
fn is_unspaced(character: char) -> bool {
    matches!(character as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x9FFF
        | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn is_mark(character: char) -> bool {
    matches!(character as u32, 0x0300..=0x036F | 0x0610..=0x061A | 0x064B..=0x065F | 0x0900..=0x0903
        | 0x093A..=0x094F | 0x0981..=0x0983 | 0x09BC..=0x09CD | 0x0591..=0x05C7 | 0x1AB0..=0x1AFF | 0x20D0..=0x20FF
        | 0x0A01..=0x0A4D | 0x0ABC..=0x0ACD | 0x0B01..=0x0B4D | 0x0BBE..=0x0BCD | 0x0C00..=0x0C4D | 0x0CBC..=0x0CCD
        | 0x0D00..=0x0D4D | 0x0DCA..=0x0DDF | 0x0E31 | 0x0E34..=0x0E3A | 0x0E47..=0x0E4E | 0x0EB1 | 0x0EB4..=0x0EBC
        | 0x0EC8..=0x0ECE | 0x102B..=0x103E | 0x17B4..=0x17D3)
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || is_mark(character)
}

/// Cuts a text into tokens.
pub(crate) fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let mut characters = text.char_indices().peekable();
    let mut spaced = false;
    while let Some(&(start, character)) = characters.peek() {
        if character.is_whitespace() || matches!(character, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{ad}') {
            spaced |= character.is_whitespace();
            characters.next();
            continue;
        }
        let end = if is_letter(character) && !is_unspaced(character) {
            word_end(text, start)
        } else if matches!(character, '\'' | '’') {
            start + genitive_length(&text[start..], tokens.last(), spaced).unwrap_or(character.len_utf8())
        } else if character == '-' && text[start..].starts_with("--") {
            start + 2
        } else {
            start + character.len_utf8()
        };
        tokens.push(token(text, Span::new(start, end), spaced));
        spaced = false;
        while characters.peek().is_some_and(|(position, _)| *position < end) {
            characters.next();
        }
    }
    tokens
}

/// `'s` after a word, or the apostrophe after a plural.
fn genitive_length(rest: &str, before: Option<&Token>, spaced: bool) -> Option<usize> {
    let before = before?;
    let quote = rest.chars().next()?;
    if !before.is_word() {
        return None;
    }
    let after = &rest[quote.len_utf8()..];
    if (after.starts_with('s') || after.starts_with('S')) && !after[1..].chars().next().is_some_and(is_letter)
    {
        return Some(quote.len_utf8() + 1);
    }
    let plural = before.lower.ends_with('s') && !spaced && after.starts_with(char::is_whitespace);
    plural.then_some(quote.len_utf8())
}

/// Finds where the word that starts here ends.
fn word_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let mut end = 0;
    let mut digits = rest.starts_with(|first: char| first.is_ascii_digit());
    let mut characters = rest.char_indices().peekable();
    while let Some((position, character)) = characters.next() {
        if is_letter(character) && !is_unspaced(character) {
            end = position + character.len_utf8();
            digits &= character.is_ascii_digit();
            continue;
        }
        let next = characters.peek().map(|(_, next)| *next);
        let joins = match character {
            '-' | '‐' | '\u{2011}' => next.is_some_and(is_letter),
            '\'' | '’' => {
                let after = &rest[position + character.len_utf8()..];
                let genitive = (after.starts_with('s') || after.starts_with('S'))
                    && !after[1..].chars().next().is_some_and(is_letter);
                next.is_some_and(char::is_alphabetic) && !genitive
            }
            '.' | ',' | ':' if digits => next.is_some_and(|next| next.is_ascii_digit()),
            '.' => return stop_end(rest, start, position),
            '/' => digits && next.is_some_and(|next| next.is_ascii_digit()),
            '+' | '#' => {
                // "C++", "C#", "F#": signs that belong to a short name.
                if position <= 2 && next.is_none_or(|next| !is_letter(next)) {
                    end = position + 1;
                    continue;
                }
                false
            }
            '_' => next.is_some_and(is_letter),
            _ => false,
        };
        if !joins {
            break;
        }
    }
    start + end.max(rest.chars().next().map_or(0, char::len_utf8))
}

/// Decides about a full stop within a word: "U.S.", "J.", "Dr.", "node.js".
fn stop_end(rest: &str, start: usize, position: usize) -> usize {
    let word = &rest[..position];
    let after = &rest[position + 1..];
    let next = after.chars().next();
    let single = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    if single || word.contains('.') {
        // Initials: letters with a stop after each.
        let mut end = position + 1;
        let mut pairs = after.char_indices();
        while let (Some((_, letter)), Some((stop, '.'))) = (pairs.next(), pairs.next()) {
            if !letter.is_alphabetic() {
                break;
            }
            end = position + 1 + stop + 1;
        }
        return start + end;
    }
    let lower = word.to_lowercase();
    // "e.g.", "p.m.": two letters with a stop after each.
    let mut following = after.chars();
    let pair = matches!((following.next(), following.next()), (Some(letter), Some('.')) if letter.is_ascii());
    if pair && matches!(lower.as_str(), "e" | "i" | "a" | "p") {
        return start + position + 3;
    }
    if words::ABBREVIATIONS.contains(&lower.as_str()) && next.is_none_or(|next| !is_letter(next)) {
        return start + position + 1;
    }
    if next.is_some_and(|next| next.is_lowercase() || next.is_ascii_digit()) && !after.is_empty() {
        // "node.js", "v1.2", "example.org": one word.
        let tail =
            after.find(|character: char| !is_letter(character) && character != '.' && character != '-');
        let tail = after[..tail.unwrap_or(after.len())].trim_end_matches(['.', '-']);
        return start + position + 1 + tail.len();
    }
    start + position
}

fn token(text: &str, span: Span, spaced: bool) -> Token {
    let surface = &text[span.range()];
    if surface.len() > LONGEST_WORD {
        let empty = String::new();
        return Token { span, lower: empty.clone(), stem: empty, class: 0, shape: Shape::Sign, spaced };
    }
    let shape = shape(surface);
    let lower = surface.to_lowercase().replace('’', "'");
    let class = if matches!(shape, Shape::Sign | Shape::Number) && lower != "&" {
        0
    } else {
        let plain = lower.strip_suffix('.').unwrap_or(&lower);
        words::class(&lower) | words::class(plain)
    };
    let stem = if matches!(shape, Shape::Lower | Shape::Capital | Shape::Upper | Shape::Mixed) {
        stem(lower.strip_suffix('.').unwrap_or(&lower))
    } else {
        lower.clone()
    };
    Token { span, lower, stem, class, shape, spaced }
}

fn shape(surface: &str) -> Shape {
    let mut characters = surface.chars();
    let Some(first) = characters.next() else { return Shape::Sign };
    if matches!(first, '\'' | '’') {
        return if surface.chars().count() > 1 { Shape::Genitive } else { Shape::Sign };
    }
    if !is_letter(first) {
        return Shape::Sign;
    }
    if surface.chars().all(|character| !character.is_alphabetic()) && surface.chars().any(char::is_numeric) {
        return Shape::Number;
    }
    let letters = || surface.chars().filter(|character| character.is_alphabetic());
    let has_upper = letters().any(char::is_uppercase);
    let has_lower = letters().any(char::is_lowercase);
    if !has_upper && !has_lower {
        return Shape::Caseless;
    }
    if first.is_uppercase() || (first.is_ascii_digit() && has_upper && !has_lower) {
        return if !has_lower && letters().count() > 1 { Shape::Upper } else { Shape::Capital };
    }
    if has_upper { Shape::Mixed } else { Shape::Lower }
}

/// Groups tokens into sentences.
pub(crate) fn sentences(tokens: &[Token]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut position = 0;
    while position < tokens.len() {
        let token = &tokens[position];
        let mut end = position + 1;
        let ends = if token.shape == Shape::Sign {
            match token.lower.as_str() {
                "。" | "！" | "？" | "｡" | "।" => true,
                "." | "!" | "?" | "…" => {
                    while end < tokens.len() && is_closing(&tokens[end]) && !tokens[end].spaced {
                        end += 1;
                    }
                    tokens.get(end).is_none_or(|next| next.spaced && begins_sentence(next))
                }
                _ => false,
            }
        } else {
            // A stop that belongs to an abbreviation ends a sentence too when an unmistakable opener follows.
            token.lower.ends_with('.')
                && token.lower.len() > 2
                && !token.is(words::HONORIFIC)
                && tokens.get(end).is_some_and(|next| {
                    next.shape == Shape::Capital
                        && next.is(words::STARTER)
                        && next
                            .is(words::DETERMINER | words::PERSONAL | words::PREPOSITION | words::POSSESSIVE)
                })
        };
        if ends || end - start >= LONGEST_SENTENCE {
            sentences.push(start..end);
            start = end;
        }
        position = end;
    }
    if start < tokens.len() {
        sentences.push(start..tokens.len());
    }
    sentences
}

fn is_closing(token: &Token) -> bool {
    token.shape == Shape::Sign
        && matches!(token.lower.as_str(), "\"" | "”" | "’" | "'" | ")" | "]" | "»" | "」" | "』" | "*")
}

fn begins_sentence(token: &Token) -> bool {
    !matches!(token.shape, Shape::Lower | Shape::Genitive)
        && !(token.shape == Shape::Sign && matches!(token.lower.as_str(), "," | ";" | ":" | ")" | "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokenize(text).iter().map(|token| &text[token.span.range()]).collect()
    }

    #[test]
    fn words_keep_what_belongs_to_them() {
        assert_eq!(words("J. R. Smith's Boeing 747"), ["J.", "R.", "Smith", "'s", "Boeing", "747"]);
        assert_eq!(words("the U.S. Navy, O'Brien"), ["the", "U.S.", "Navy", ",", "O'Brien"]);
        assert_eq!(words("1,360 km/h at 10:30"), ["1,360", "km", "/", "h", "at", "10:30"]);
        assert_eq!(words("C++ and C# use node.js."), ["C++", "and", "C#", "use", "node.js", "."]);
        assert_eq!(words("the engineers' hall"), ["the", "engineers", "'", "hall"]);
        assert_eq!(words("Jean-Pierre 2019-05-03"), ["Jean-Pierre", "2019-05-03"]);
        assert_eq!(words("北京大学"), ["北", "京", "大", "学"]);
    }

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        let count = |text: &str| sentences(&tokenize(text)).len();
        assert_eq!(count("Dr. Ruiz met J. R. Smith at St. Mary's. She left."), 2);
        assert_eq!(count("It is in the U.S. The town is small."), 2);
        assert_eq!(count("\"Who is it?\" she asked. Nobody."), 2);
        assert_eq!(count("Version 1.2 is out. 3 people came."), 2);
        assert_eq!(count("他来了。她走了。"), 2);
        assert_eq!(count(""), 0);
    }

    #[test]
    fn any_text_is_cut_without_loss() {
        for text in
            ["\u{0}\u{1}\u{fffd}", "a'", "'s", "’", "ẞß.", "e.g.", "A.", "A.é.", "I.é", "((((", "a.é", "p.é."]
        {
            for token in tokenize(text) {
                assert!(token.span.slice(text).is_some(), "{text}");
            }
        }
    }
}
