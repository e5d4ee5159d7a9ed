//! A JSON5 scanner that only knows where things are.
//!
//! Values come from the crate json5; this scanner walks the same grammar and keeps the byte span of every
//! key and value. It also finds what json5 lets through (duplicate keys, NaN, infinity) and stops nesting
//! before json5, which has no recursion limit, could overflow the stack. A property test holds the two to
//! the same language.

use std::collections::HashMap;
use std::ops::Range;

use json5::char::{
    is_json5_identifier, is_json5_identifier_start, is_json5_line_terminator, is_json5_whitespace,
};

use crate::name::quoted;

/// The deepest nesting of brackets and braces that is read.
pub(crate) const MAX_DEPTH: usize = 128;

/// More findings than this in one file help nobody.
const MAX_FLAWS: usize = 200;

/// A half-open byte range; small, because there is one for every value of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn new(start: usize, end: usize) -> Self {
        // Files are at most 16 MiB, so the conversion never saturates in practice.
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One value of the file with its parts.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) shape: Shape,
}

/// What a value consists of.
#[derive(Debug)]
pub(crate) enum Shape {
    Scalar,
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// One key of an object with its value.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: Box<str>,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
}

impl Node {
    /// Returns the member with this key; the last one, as json5 decides for duplicates.
    pub(crate) fn member(&self, key: &str) -> Option<&Member> {
        match &self.shape {
            Shape::Object(members) => members.iter().rev().find(|member| &*member.key == key),
            _ => None,
        }
    }

    /// Returns the element at this index.
    pub(crate) fn element(&self, index: usize) -> Option<&Node> {
        match &self.shape {
            Shape::Array(elements) => elements.get(index),
            _ => None,
        }
    }
}

/// A problem that the scanner found, by byte range.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) at: Range<usize>,
    pub(crate) hint: Option<String>,
    pub(crate) related: Option<(Range<usize>, &'static str)>,
}

/// What a scan gives: the tree unless the syntax was broken, and every finding.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) root: Option<Node>,
    pub(crate) findings: Vec<Finding>,
}

/// Scans a text without a byte order mark.
pub(crate) fn scan(text: &str) -> Scan {
    let mut scanner = Scanner { text, at: 0, depth: 0, flaws: Vec::new() };
    match scanner.document() {
        Ok(root) => Scan { root: Some(root), findings: scanner.flaws },
        Err(fatal) => {
            let mut findings = scanner.flaws;
            findings.push(*fatal);
            Scan { root: None, findings }
        }
    }
}

type Step<T> = Result<T, Box<Finding>>;

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    flaws: Vec<Finding>,
}

impl Scanner<'_> {
    fn document(&mut self) -> Step<Node> {
        self.skip_space()?;
        if self.peek().is_none() {
            return Err(self.fatal_here("the file holds no value", Some("an empty configuration is '{}'")));
        }
        let root = self.value()?;
        self.skip_space()?;
        if self.peek().is_some() {
            let message = format!("expected the end of the file, found {}", self.found());
            return Err(self.fatal_here(message, None));
        }
        Ok(root)
    }

    fn value(&mut self) -> Step<Node> {
        self.skip_space()?;
        let start = self.at;
        let shape = match self.peek() {
            Some('{') => self.nested(Self::object)?,
            Some('[') => self.nested(Self::array)?,
            Some('"' | '\'') => {
                self.string(None)?;
                Shape::Scalar
            }
            Some('n') => self.literal("null")?,
            Some('t') => self.literal("true")?,
            Some('f') => self.literal("false")?,
            Some('+' | '-' | '.' | 'I' | 'N' | '0'..='9') => {
                self.number()?;
                Shape::Scalar
            }
            Some(_) => {
                let word = self.word();
                let hint = match &self.text[self.at..self.at + word] {
                    "True" => Some("write true in lower case".to_owned()),
                    "False" => Some("write false in lower case".to_owned()),
                    "None" | "undefined" => Some("an absent value is null".to_owned()),
                    "" => None,
                    _ => Some("text needs quotes".to_owned()),
                };
                let message = format!("expected a value, found {}", self.found());
                return Err(self.fatal(message, self.found_range(), hint));
            }
            None => return Err(self.fatal_here("expected a value, found the end of the file", None)),
        };
        Ok(Node { span: Span::new(start, self.at), shape })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Step<Shape>) -> Step<Shape> {
        if self.depth == MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            let mut finding = self.fatal(message, self.at..self.at + 1, None);
            finding.code = "too-deep";
            return Err(finding);
        }
        self.depth += 1;
        let shape = read(self);
        self.depth -= 1;
        shape
    }

    fn object(&mut self) -> Step<Shape> {
        let open = self.at;
        self.advance();
        let mut members: Vec<Member> = Vec::new();
        // Most objects are small; the map is only worth its price for the others.
        let mut seen: HashMap<Box<str>, Span> = HashMap::new();
        loop {
            self.skip_space()?;
            if self.peek() == Some('}') {
                break;
            }
            if !members.is_empty() {
                self.comma(open, '}')?;
                self.skip_space()?;
                if self.peek() == Some('}') {
                    break;
                }
            }
            let start = self.at;
            let key = self.key(open)?.into_boxed_str();
            let key_span = Span::new(start, self.at);
            if let Some(first) = seen.get(&key) {
                let finding = Finding {
                    code: "duplicate-key",
                    message: format!("the key {} is given twice", quoted(&key)),
                    at: key_span.range(),
                    hint: Some("remove or rename one of them".to_owned()),
                    related: Some((first.range(), "first given here")),
                };
                self.flaw(finding);
            } else {
                seen.insert(key.clone(), key_span);
            }
            self.skip_space()?;
            if self.peek() != Some(':') {
                let message = format!("expected ':' after the key {}, found {}", quoted(&key), self.found());
                return Err(self.fatal(message, self.found_range(), None));
            }
            self.advance();
            let node = self.value()?;
            members.push(Member { key, key_span, node });
        }
        self.advance();
        Ok(Shape::Object(members))
    }

    fn array(&mut self) -> Step<Shape> {
        let open = self.at;
        self.advance();
        let mut elements = Vec::new();
        loop {
            self.skip_space()?;
            if self.peek() == Some(']') {
                break;
            }
            if !elements.is_empty() {
                self.comma(open, ']')?;
                self.skip_space()?;
                if self.peek() == Some(']') {
                    break;
                }
            }
            if self.peek().is_none() {
                return Err(self.unclosed(open, ']'));
            }
            elements.push(self.value()?);
        }
        self.advance();
        Ok(Shape::Array(elements))
    }

    fn comma(&mut self, open: usize, close: char) -> Step<()> {
        match self.peek() {
            Some(',') => {
                self.advance();
                Ok(())
            }
            Some(_) => {
                let message = format!("expected ',' or '{close}', found {}", self.found());
                Err(self.fatal(message, self.found_range(), None))
            }
            None => Err(self.unclosed(open, close)),
        }
    }

    fn unclosed(&self, open: usize, close: char) -> Box<Finding> {
        let message = format!("expected '{close}', found the end of the file");
        let mut finding = self.fatal_here(message, None);
        finding.related = Some((open..open + 1, "opened here"));
        finding
    }

    fn key(&mut self, open: usize) -> Step<String> {
        let mut key = String::new();
        match self.peek() {
            Some('"' | '\'') => self.string(Some(&mut key))?,
            Some(_) => self.identifier(&mut key)?,
            None => return Err(self.unclosed(open, '}')),
        }
        Ok(key)
    }

    fn identifier(&mut self, key: &mut String) -> Step<()> {
        let start = self.at;
        loop {
            let Some(c) = self.peek() else {
                return Err(self.fatal_here("expected ':' after the key, found the end of the file", None));
            };
            let first = self.at == start;
            let fits = |c| if first { is_json5_identifier_start(c) } else { is_json5_identifier(c) };
            if c == '\\' {
                let escape = self.at;
                self.advance();
                if self.peek() != Some('u') {
                    return Err(self.bad_escape(escape));
                }
                self.advance();
                let c = self.unicode_escape(escape)?;
                if !fits(c) {
                    return Err(self.bad_escape(escape));
                }
                key.push(c);
            } else if fits(c) {
                self.advance();
                key.push(c);
            } else if first {
                let message = format!("expected a key, found {}", self.found());
                return Err(self.fatal(message, self.found_range(), None));
            } else {
                return Ok(());
            }
        }
    }

    fn literal(&mut self, literal: &str) -> Step<Shape> {
        if self.text[self.at..].starts_with(literal) {
            self.at += literal.len();
            return Ok(Shape::Scalar);
        }
        let message = format!("expected a value, found {}", self.found());
        let hint = format!("did you mean {literal}? Text needs quotes");
        Err(self.fatal(message, self.found_range(), Some(hint)))
    }

    fn number(&mut self) -> Step<()> {
        let start = self.at;
        let negative = self.peek() == Some('-');
        if matches!(self.peek(), Some('+' | '-')) {
            self.advance();
        }
        match self.peek() {
            Some('I') => self.not_finite(start, "Infinity"),
            Some('N') => self.not_finite(start, "NaN"),
            Some('0') => {
                self.advance();
                match self.peek() {
                    Some('x' | 'X') => {
                        self.advance();
                        self.hexadecimal(start, negative)
                    }
                    Some('.' | 'e' | 'E') => self.decimal(start),
                    Some('0'..='9') => {
                        let message = "a number must not start with 0";
                        Err(self.fatal(message, start..self.at + 1, None))
                    }
                    _ => Ok(()),
                }
            }
            Some('.' | '1'..='9') => self.decimal(start),
            _ => {
                let message = format!("expected a number, found {}", self.found());
                Err(self.fatal(message, self.found_range(), None))
            }
        }
    }

    fn not_finite(&mut self, start: usize, literal: &str) -> Step<()> {
        if !self.text[self.at..].starts_with(literal) {
            let message = format!("expected a value, found {}", self.found());
            return Err(self.fatal(message, self.found_range(), Some("text needs quotes".to_owned())));
        }
        self.at += literal.len();
        self.flaw_not_finite(start);
        Ok(())
    }

    fn flaw_not_finite(&mut self, start: usize) {
        let range = start..self.at;
        let finding = Finding {
            code: "not-finite",
            message: format!("{} is not a finite number", quoted(&self.text[range.clone()])),
            at: range,
            hint: None,
            related: None,
        };
        self.flaw(finding);
    }

    fn hexadecimal(&mut self, start: usize, negative: bool) -> Step<()> {
        let digits = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_hexdigit()) {
            self.advance();
        }
        let digits = &self.text[digits..self.at];
        if digits.is_empty() {
            let message = format!("expected a hexadecimal digit, found {}", self.found());
            return Err(self.fatal(message, self.found_range(), None));
        }
        let limit = if negative { i128::MIN.unsigned_abs() } else { u128::MAX };
        match u128::from_str_radix(digits, 16) {
            Ok(number) if number <= limit => Ok(()),
            _ => Err(self.fatal("the number is too large", start..self.at, None)),
        }
    }

    fn decimal(&mut self, start: usize) -> Step<()> {
        while matches!(self.peek(), Some('+' | '-' | '.' | 'e' | 'E' | '0'..='9')) {
            self.advance();
        }
        let digits = &self.text[start..self.at];
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(()),
            Ok(_) => {
                self.flaw_not_finite(start);
                Ok(())
            }
            Err(_) => {
                let message = format!("{} is not a number", quoted(digits));
                Err(self.fatal(message, start..self.at, None))
            }
        }
    }

    fn string(&mut self, mut decoded: Option<&mut String>) -> Step<()> {
        let start = self.at;
        let Some(quote) = self.peek() else {
            return Err(self.fatal_here("expected a text", None));
        };
        self.advance();
        loop {
            let Some(c) = self.peek() else {
                let mut finding =
                    self.fatal_here("expected the closing quote, found the end of the file", None);
                finding.related = Some((start..start + 1, "the text starts here"));
                return Err(finding);
            };
            let at = self.at;
            self.advance();
            let decoded_char = match c {
                _ if c == quote => return Ok(()),
                '\n' | '\r' => {
                    let hint = "close the text before the end of the line, or end the line with a backslash";
                    let message = "the text is not closed before the end of the line";
                    let mut finding = self.fatal(message, at..at, Some(hint.to_owned()));
                    finding.related = Some((start..start + 1, "the text starts here"));
                    return Err(finding);
                }
                '\\' => self.escape(at)?,
                c => Some(c),
            };
            if let (Some(decoded), Some(c)) = (decoded.as_deref_mut(), decoded_char) {
                decoded.push(c);
            }
        }
    }

    /// Reads what follows a backslash; a continued line gives no character.
    fn escape(&mut self, start: usize) -> Step<Option<char>> {
        let Some(c) = self.peek() else {
            return Err(self.fatal_here("expected an escape sequence, found the end of the file", None));
        };
        self.advance();
        let decoded = match c {
            _ if is_json5_line_terminator(c) => {
                if c == '\r' && self.peek() == Some('\n') {
                    self.advance();
                }
                return Ok(None);
            }
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => '\0',
            '0'..='9' => return Err(self.bad_escape(start)),
            'x' => {
                let code = self.hex_digits(start, 2)?;
                char::from_u32(code).ok_or_else(|| self.bad_escape(start))?
            }
            'u' => self.unicode_escape(start)?,
            c => c,
        };
        Ok(Some(decoded))
    }

    fn unicode_escape(&mut self, start: usize) -> Step<char> {
        let first = self.hex_digits(start, 4)?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        // Beyond the basic plane a character is written as a pair of surrogates.
        if !self.text[self.at..].starts_with("\\u") {
            return Err(self.bad_escape(start));
        }
        self.at += 2;
        let second = self.hex_digits(start, 4)?;
        let units = [first, second].map(|unit| u16::try_from(unit).unwrap_or_default());
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => Ok(c),
            _ => Err(self.bad_escape(start)),
        }
    }

    fn hex_digits(&mut self, start: usize, count: usize) -> Step<u32> {
        let mut code = 0;
        for _ in 0..count {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) else {
                return Err(self.bad_escape(start));
            };
            code = code * 16 + digit;
            self.advance();
        }
        Ok(code)
    }

    fn bad_escape(&self, start: usize) -> Box<Finding> {
        let hint = "a literal backslash is written twice: \\\\".to_owned();
        self.fatal("this escape sequence is not valid", start..self.at.max(start + 1), Some(hint))
    }

    fn skip_space(&mut self) -> Step<()> {
        while let Some(c) = self.peek() {
            if is_json5_whitespace(c) {
                self.advance();
            } else if c == '/' {
                self.comment()?;
            } else {
                break;
            }
        }
        Ok(())
    }

    fn comment(&mut self) -> Step<()> {
        let start = self.at;
        self.advance();
        match self.peek() {
            Some('/') => {
                while let Some(c) = self.peek() {
                    self.advance();
                    if is_json5_line_terminator(c) {
                        break;
                    }
                }
                Ok(())
            }
            Some('*') => {
                self.advance();
                match self.text[self.at..].find("*/") {
                    Some(length) => {
                        self.at += length + 2;
                        Ok(())
                    }
                    None => {
                        let hint = Some("close it with '*/'".to_owned());
                        Err(self.fatal("the comment is not closed", start..start + 2, hint))
                    }
                }
            }
            _ => {
                let hint = Some("a comment starts with '//' or '/*'".to_owned());
                Err(self.fatal("expected a comment after '/'", start..start + 1, hint))
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..).and_then(|rest| rest.chars().next())
    }

    fn advance(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    /// Returns the length in bytes of the word that starts here.
    fn word(&self) -> usize {
        let rest = &self.text[self.at..];
        rest.find(|c: char| !is_json5_identifier(c)).unwrap_or(rest.len())
    }

    fn found_range(&self) -> Range<usize> {
        let one = self.peek().map_or(0, char::len_utf8);
        self.at..self.at + self.word().max(one)
    }

    fn found(&self) -> String {
        match &self.text[self.found_range()] {
            "" => "the end of the file".to_owned(),
            found => quoted(found),
        }
    }

    fn flaw(&mut self, finding: Finding) {
        if self.flaws.len() < MAX_FLAWS {
            self.flaws.push(finding);
        }
    }

    fn fatal(&self, message: impl Into<String>, at: Range<usize>, hint: Option<String>) -> Box<Finding> {
        Box::new(Finding { code: "syntax", message: message.into(), at, hint, related: None })
    }

    fn fatal_here(&self, message: impl Into<String>, hint: Option<&str>) -> Box<Finding> {
        self.fatal(message, self.at..self.at, hint.map(str::to_owned))
    }
}
