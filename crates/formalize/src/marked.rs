//! Names that the markup of a document sets apart: titles in italics, names of code in code spans.

use std::ops::Range;

use mge_core::{MappedText, Span};

use crate::names::Candidate;
use crate::tokens::{Shape, Token};
use crate::words;

/// The longest title in italics, in tokens.
const LONGEST_TITLE: usize = 14;

/// The longest name of code, in bytes.
const LONGEST_CODE: usize = 60;

/// How a stretch of text is set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markup {
    Italic,
    Code,
}

/// Finds the names of a sentence that are set apart by their markup alone.
pub(crate) fn marked(
    document: &str,
    text: &MappedText,
    tokens: &[Token],
    sentence: &Range<usize>,
    found: &mut Vec<Candidate>,
) {
    let mut start = sentence.start;
    while start < sentence.end {
        let Some(markup) = opening(document, text, &tokens[start]) else {
            start += 1;
            continue;
        };
        let limit = sentence.end.min(start + LONGEST_TITLE);
        let Some(end) = (start..limit).find(|last| closes(document, text, &tokens[*last], markup)) else {
            start += 1;
            continue;
        };
        let range = trimmed(tokens, start..end + 1);
        let named = match markup {
            Markup::Italic => is_title(&tokens[range.clone()]),
            Markup::Code => is_identifier(text.as_str(), &tokens[range.clone()]),
        };
        if named {
            found.push(Candidate { start: range.start, end: range.end, weak: false, marked: true, title: 0 });
        }
        start = end + 1;
    }
}

/// Tells what markup opens right before a token.
fn opening(document: &str, text: &MappedText, token: &Token) -> Option<Markup> {
    let start = text.to_source(Span::new(token.span.start, token.span.start + 1)).start;
    let before = document.get(..start)?;
    let mut signs = before.chars().rev();
    let (last, other) = (signs.next()?, signs.next());
    match last {
        '`' => Some(Markup::Code),
        // Bold is for keys and for stress, less for titles.
        '*' | '_' if other != Some(last) && other.is_none_or(|other| !other.is_alphanumeric()) => {
            Some(Markup::Italic)
        }
        '>' if ["<i>", "<em>", "<cite>"].iter().any(|tag| before.ends_with(tag)) => Some(Markup::Italic),
        '>' if before.ends_with("<code>") => Some(Markup::Code),
        _ => None,
    }
}

/// Tells whether the markup closes right behind a token.
fn closes(document: &str, text: &MappedText, token: &Token, markup: Markup) -> bool {
    let end = text.to_source(Span::new(token.span.start, token.span.end)).end;
    let Some(after) = document.get(end..) else { return false };
    match markup {
        Markup::Code => after.starts_with('`') || after.starts_with("</code>"),
        Markup::Italic => {
            let signs = ['*', '_']
                .iter()
                .any(|sign| after.strip_prefix(*sign).is_some_and(|rest| !rest.starts_with(*sign)));
            signs || ["</i>", "</em>", "</cite>"].iter().any(|tag| after.starts_with(tag))
        }
    }
}

/// A range without the signs at its end.
fn trimmed(tokens: &[Token], range: Range<usize>) -> Range<usize> {
    let mut end = range.end;
    while end > range.start + 1 && matches!(tokens[end - 1].lower.as_str(), "," | "." | ";" | ":") {
        end -= 1;
    }
    range.start..end
}

/// A title, no stressed word: every word of weight has a capital, and one of them is no small word.
fn is_title(tokens: &[Token]) -> bool {
    let light = words::PARTICLE | words::PREPOSITION | words::DETERMINER | words::AND;
    let wordy = tokens.iter().filter(|token| token.is_word());
    let weighty = wordy.clone().filter(|token| !token.is(words::STARTER)).count();
    let capitals = wordy.clone().all(|token| token.shape != Shape::Lower || token.is(light));
    tokens[0].shape != Shape::Lower
        && tokens[0].shape != Shape::Sign
        && capitals
        && (weighty > 0 || tokens.len() > 1)
        && !tokens.iter().any(|token| matches!(token.lower.as_str(), "." | "?" | "!") && token.spaced)
}

/// A name in code: one word of letters, digits and joints, neither a flag, a path, nor an expression.
fn is_identifier(text: &str, tokens: &[Token]) -> bool {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return false };
    let Some(code) = text.get(first.span.start..last.span.end) else { return false };
    // `as`, `run`, `match`: a keyword or a command is no name.
    let common = tokens.len() == 1
        && first.shape == Shape::Lower
        && (first.class != 0
            || words::is_verb_stem(&first.stem)
            || words::KEYWORDS.contains(&first.lower.as_str()));
    !common
        && code.len() <= LONGEST_CODE
        && code.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && code.chars().filter(|letter| letter.is_alphanumeric()).count() > 1
        && code
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+' | '#'))
}
