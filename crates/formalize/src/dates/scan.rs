//! A small scanner for times and values: words, numbers, signs, with their bytes.

use mge_core::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Letters.
    Word,
    /// Digits alone.
    Number,
    /// Digits and letters: `1990s`, `3rd`, `v2`, `B52`.
    Mixed,
    /// Any other character.
    Sign,
}

/// A token of the scanner.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) span: Span,
    pub(crate) form: Form,
    /// In lower case.
    pub(crate) lower: String,
    /// It starts with a capital.
    pub(crate) capital: bool,
    /// It follows the one before without a gap.
    pub(crate) glued: bool,
    /// A line ends somewhere before it.
    pub(crate) line: bool,
}

impl Token {
    /// Tells whether it is this word or sign.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.lower == text
    }

    /// Returns the value of a number of up to nine digits.
    pub(crate) fn number(&self) -> Option<u32> {
        (self.form == Form::Number && self.lower.len() <= 9).then(|| self.lower.parse().ok()).flatten()
    }
}

/// Splits a text into tokens.
pub(crate) fn scan(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut characters = text.char_indices().peekable();
    let mut line = false;
    while let Some((start, character)) = characters.next() {
        if character.is_whitespace() {
            line |= character == '\n';
            continue;
        }
        let mut end = start + character.len_utf8();
        let mut form = Form::Sign;
        if character.is_alphanumeric() {
            let (mut digits, mut letters) = (character.is_ascii_digit(), !character.is_ascii_digit());
            while let Some((at, next)) = characters.next_if(|(_, next)| next.is_alphanumeric()) {
                end = at + next.len_utf8();
                digits |= next.is_ascii_digit();
                letters |= !next.is_ascii_digit();
            }
            form = match (digits, letters) {
                (true, false) => Form::Number,
                (false, _) => Form::Word,
                (true, true) => Form::Mixed,
            };
        }
        let glued = tokens.last().is_some_and(|last| last.span.end == start);
        tokens.push(Token {
            span: Span::new(start, end),
            form,
            lower: text[start..end].to_lowercase(),
            capital: character.is_uppercase(),
            glued,
            line: std::mem::take(&mut line) || tokens.is_empty(),
        });
    }
    tokens
}
