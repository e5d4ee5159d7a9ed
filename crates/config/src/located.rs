//! One file as a value with positions.

use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use unicode_width::UnicodeWidthChar as _;

use crate::diagnostic::{Diagnostic, Label, Site};
use crate::name::is_unprintable;
use crate::scan::{Finding, Node, scan};

/// The largest configuration file that is read, in bytes.
pub(crate) const MAX_BYTES: usize = 16 << 20;

/// A JSON5 file as a value, with the place of everything in it.
#[derive(Debug)]
pub struct Located {
    pub(crate) source: Source,
    value: Value,
}

/// A file's text and the tree of spans over it.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    text: String,
    line_starts: Vec<usize>,
    root: Option<Node>,
}

/// Where a JSON pointer leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) key: Option<Range<usize>>,
    pub(crate) value: Range<usize>,
    /// Whether the whole pointer was found; otherwise this is the nearest value around it.
    pub(crate) exact: bool,
}

impl Located {
    /// Parses a file's bytes; `path` is only used to name the file in problems.
    ///
    /// The value is absent when the text is not JSON5 at all, too large or too deeply nested. Duplicate keys
    /// and numbers that are not finite are problems too, but the rest of the file is there.
    #[must_use]
    pub fn parse(path: impl Into<PathBuf>, bytes: Vec<u8>) -> (Option<Self>, Vec<Diagnostic>) {
        let path = path.into();
        if bytes.len() > MAX_BYTES {
            return (None, vec![too_large(&path)]);
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return (None, vec![not_utf8(path, &error)]),
        };
        // Positions are those of the text behind the byte order mark, as editors count.
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        let scan = scan(&text);
        let source = Source { line_starts: line_starts(&text), path, text, root: scan.root };
        let mut problems: Vec<_> = scan.findings.iter().map(|finding| source.diagnostic(finding)).collect();
        if source.root.is_none() {
            return (None, problems);
        }
        match json5::from_str(&source.text) {
            Ok(value) => (Some(Self { source, value }), problems),
            Err(error) => {
                let at = error.position().map_or(0, |position| source.offset(position.line, position.column));
                let message = error.code().map_or_else(|| error.to_string(), |code| code.to_string());
                problems.push(Diagnostic::error("syntax", message).with_label(source.label(at..at, "")));
                (None, problems)
            }
        }
    }

    /// Reads and parses a file.
    #[must_use]
    pub fn read(path: &Path) -> (Option<Self>, Vec<Diagnostic>) {
        Self::read_as(path, path.to_owned())
    }

    /// Reads a file under one path and names it by another.
    pub(crate) fn read_as(path: &Path, name: PathBuf) -> (Option<Self>, Vec<Diagnostic>) {
        let unreadable = |reason: String| {
            let message = format!("cannot read {}: {reason}", name.display());
            (None, vec![Diagnostic::error("unreadable", message).with_file(name.clone())])
        };
        // A pipe or a device would block or never end.
        match std::fs::metadata(path) {
            Ok(data) if data.is_file() => {}
            Ok(_) => return unreadable("it is not a regular file".to_owned()),
            Err(error) => return unreadable(error.to_string()),
        }
        let mut bytes = Vec::new();
        let limit = MAX_BYTES as u64 + 1;
        match File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)) {
            Ok(_) => Self::parse(name, bytes),
            Err(error) => unreadable(error.to_string()),
        }
    }

    /// Returns the file's value as it stands.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the byte span of the value at a JSON pointer; bytes are counted behind a byte order mark.
    #[must_use]
    pub fn value_span(&self, pointer: &str) -> Option<Range<usize>> {
        let place = self.source.locate(&tokens(pointer));
        place.exact.then_some(place.value)
    }

    /// Returns the byte span of the key of the value at a JSON pointer, quotes included.
    #[must_use]
    pub fn key_span(&self, pointer: &str) -> Option<Range<usize>> {
        let place = self.source.locate(&tokens(pointer));
        if place.exact { place.key } else { None }
    }

    /// Creates a problem at the value of a JSON pointer, or at the nearest value around it.
    #[must_use]
    pub fn diagnostic_at(&self, pointer: &str, message: impl Into<String>) -> Diagnostic {
        let place = self.source.locate(&tokens(pointer));
        let at = if place.exact { place.value } else { place.key.unwrap_or(place.value) };
        Diagnostic::error("value", message).with_label(self.source.label(at, ""))
    }
}

impl Source {
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn root(&self) -> Option<&Node> {
        self.root.as_ref()
    }

    /// Follows the tokens of a JSON pointer as far as they lead.
    pub(crate) fn locate(&self, tokens: &[String]) -> Place {
        let Some(mut node) = self.root.as_ref() else {
            return Place { key: None, value: 0..0, exact: false };
        };
        let mut key = None;
        for token in tokens {
            let step = match node.member(token).or_else(|| node.member(&format!("${token}"))) {
                Some(member) => Some((Some(member.key_span.range()), &member.node)),
                None => token.parse().ok().and_then(|index| node.element(index)).map(|node| (None, node)),
            };
            let Some(step) = step else {
                return Place { key, value: node.span.range(), exact: false };
            };
            (key, node) = step;
        }
        Place { key, value: node.span.range(), exact: true }
    }

    /// Marks a byte range; what goes beyond its first line is left out.
    pub(crate) fn label(&self, at: Range<usize>, message: impl Into<String>) -> Label {
        let start = at.start.min(self.text.len());
        let line = self.line_starts.partition_point(|first| *first <= start).saturating_sub(1);
        let line_start = self.line_starts.get(line).copied().unwrap_or(0);
        let column = self.text[line_start..start].chars().count() + 1;
        let site = Site { file: self.path.clone(), line: line + 1, column };
        let rest = &self.text[line_start..];
        let line_text = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        let from = (start - line_start).min(line_text.len());
        let to = at.end.saturating_sub(line_start).clamp(from, line_text.len());
        let (excerpt, indent, width) = excerpt(line_text, from..to);
        Label { site, excerpt, indent, width, message: message.into() }
    }

    fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(finding.code, finding.message.clone())
            .with_label(self.label(finding.at.clone(), ""))
            .with_hint(finding.hint.clone());
        if let Some((at, message)) = &finding.related {
            diagnostic = diagnostic.with_label(self.label(at.clone(), *message));
        }
        diagnostic
    }

    /// Returns the byte offset of a position as json5 gives it: both from 0, the column in characters.
    fn offset(&self, line: usize, column: usize) -> usize {
        let start = self.line_starts.get(line).copied().unwrap_or(0);
        self.text[start..].char_indices().nth(column).map_or(self.text.len(), |(at, _)| start + at)
    }
}

/// Splits a JSON pointer into its unescaped tokens.
pub(crate) fn tokens(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect()
}

/// Escapes a key as one step of a JSON pointer, the slash included.
pub(crate) fn step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Returns where each line starts; lines end as editors see it, by LF, CR LF or CR.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

fn too_large(path: &Path) -> Diagnostic {
    let message = format!("{} is larger than {} MiB", path.display(), MAX_BYTES >> 20);
    Diagnostic::error("too-large", message)
        .with_file(path)
        .with_hint("a configuration is small; data belongs into files that it names".to_owned())
}

fn not_utf8(path: PathBuf, error: &std::string::FromUtf8Error) -> Diagnostic {
    let valid = error.utf8_error().valid_up_to();
    let bytes = error.as_bytes();
    let text = String::from_utf8_lossy(&bytes[..valid]).into_owned();
    let hint = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "the file looks like UTF-16; save it as UTF-8"
    } else {
        "save the file as UTF-8"
    };
    let message = format!("the file is not UTF-8 at byte {valid}");
    let source = Source { line_starts: line_starts(&text), path, text, root: None };
    Diagnostic::error("encoding", message)
        .with_label(source.label(valid..valid, ""))
        .with_hint(hint.to_owned())
}

/// Returns the part of a line around a byte range as it is shown, with the display column and width of the
/// range in it.
fn excerpt(line: &str, at: Range<usize>) -> (String, usize, usize) {
    const WIDEST: usize = 100;
    const BEFORE: usize = 40;
    const TAB: usize = 4;
    // A line may be megabytes long; only its surroundings are looked at.
    let near = floor(line, at.start.saturating_sub(4 * WIDEST))..ceil(line, at.start + 4 * WIDEST);
    let mut cells: Vec<(usize, String, usize)> = Vec::new();
    let mut width = 0;
    for (offset, c) in line[near.clone()].char_indices() {
        let (shown, cell) = match c {
            '\t' => (" ".repeat(TAB - width % TAB), TAB - width % TAB),
            c if is_unprintable(c) => ("\u{fffd}".to_owned(), 1),
            c => (c.to_string(), c.width().unwrap_or(0)),
        };
        width += cell;
        cells.push((near.start + offset, shown, cell));
    }
    let columns = |cells: &[(usize, String, usize)]| cells.iter().map(|(_, _, width)| width).sum::<usize>();
    let caret = cells.partition_point(|(offset, _, _)| *offset < at.start);
    let end = cells.partition_point(|(offset, _, _)| *offset < at.end);
    let mut first = 0;
    if columns(&cells[..caret]) > WIDEST - BEFORE {
        while columns(&cells[first..caret]) > BEFORE {
            first += 1;
        }
    }
    let mut last = first;
    let mut shown = 0;
    while last < cells.len() && shown + cells[last].2 <= WIDEST {
        shown += cells[last].2;
        last += 1;
    }
    let mut excerpt = String::new();
    let mut indent = columns(&cells[first..caret]);
    if first > 0 || near.start > 0 {
        excerpt.push('…');
        indent += 1;
    }
    excerpt.extend(cells[first..last].iter().map(|(_, shown, _)| shown.as_str()));
    if last < cells.len() || near.end < line.len() {
        excerpt.push('…');
    }
    let marked = columns(&cells[caret..end.min(last).max(caret)]);
    (excerpt, indent, marked.max(1))
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Located {
        let (located, problems) = Located::parse("f.jsonc", text.as_bytes().to_vec());
        assert!(problems.is_empty(), "{problems:?}");
        located.unwrap()
    }

    fn problem(bytes: &[u8]) -> Diagnostic {
        let (_, problems) = Located::parse("f.jsonc", bytes.to_vec());
        assert_eq!(problems.len(), 1, "{problems:?}");
        problems.into_iter().next().unwrap()
    }

    fn at(diagnostic: &Diagnostic) -> (usize, usize) {
        (diagnostic.line.unwrap(), diagnostic.column.unwrap())
    }

    #[test]
    fn spans_of_keys_and_values() {
        let text = "{a: [1, {'b/c~': 0x1F}], // d\n \"e\": 'é'}";
        let located = parsed(text);
        let span = |pointer: &str| &text[located.value_span(pointer).unwrap()];
        assert_eq!(span("/a/1/b~1c~0"), "0x1F");
        assert_eq!(span("/e"), "'é'");
        assert_eq!(span("/a/0"), "1");
        assert_eq!(span(""), text);
        assert_eq!(&text[located.key_span("/a/1/b~1c~0").unwrap()], "'b/c~'");
        assert_eq!(located.value_span("/a/7"), None);
        assert_eq!(located.value_span("/nope/a"), None);
    }

    #[test]
    fn a_syntax_error_has_its_line_and_column() {
        let text = "{\n\n\n\n\n  \"a\": 1,\n  =2\n}";
        let diagnostic = problem(text.as_bytes());
        assert_eq!(at(&diagnostic), (7, 3));
        assert_eq!(
            diagnostic.render(false),
            "error: expected a key, found '='\n --> f.jsonc:7:3\n  |\n7 |   =2\n  |   ^\n"
        );
    }

    #[test]
    fn duplicate_keys_keep_the_rest() {
        let (located, problems) = Located::parse("f", b"{a: 1, b: {c: 1, 'c': 2}, \"a\": 3}".to_vec());
        assert!(located.is_some());
        let codes: Vec<_> =
            problems.iter().map(|problem| (&*problem.code, problem.column.unwrap())).collect();
        assert_eq!(codes, [("duplicate-key", 18), ("duplicate-key", 27)]);
        assert_eq!(problems[0].labels[1].site.column, 12);
    }

    #[test]
    fn deep_nesting_is_an_error_before_json5_is_asked() {
        for text in
            ["[".repeat(100_000), "{a:".repeat(100_000), format!("{}{}", "[".repeat(129), "]".repeat(129))]
        {
            let diagnostic = problem(text.as_bytes());
            assert_eq!(diagnostic.code, "too-deep");
        }
        parsed(&format!("{}{}", "[".repeat(128), "]".repeat(128)));
    }

    #[test]
    fn numbers_that_are_not_finite() {
        for (text, column) in [("[1, NaN]", 5), ("[-Infinity]", 2), ("[+NaN]", 2), ("{a: 1e999}", 5)] {
            let diagnostic = problem(text.as_bytes());
            assert_eq!((&*diagnostic.code, diagnostic.column.unwrap()), ("not-finite", column), "{text}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_a_column() {
        assert_eq!(parsed("\u{feff}{a: 1}").value_span("/a"), Some(4..5));
        assert_eq!(at(&problem("\u{feff}{=".as_bytes())), (1, 2));
    }

    #[test]
    fn other_encodings_are_refused_with_the_place() {
        let diagnostic = problem(b"{\n\"a\": \"caf\xe9\"}");
        assert_eq!(diagnostic.message, "the file is not UTF-8 at byte 11");
        assert_eq!(at(&diagnostic), (2, 10));
        assert!(problem(b"\xff\xfe{\0}\0").hint.unwrap().contains("UTF-16"));
    }

    #[test]
    fn large_files_are_refused() {
        let diagnostic = problem(&vec![b' '; MAX_BYTES + 1]);
        assert_eq!(diagnostic.code, "too-large");
    }

    #[test]
    fn lines_end_as_in_editors() {
        for text in ["{\na:=}", "{\r\na:=}", "{\ra:=}"] {
            assert_eq!(at(&problem(text.as_bytes())), (2, 3));
        }
        // These are white space in JSON5, but no line ends for an editor.
        assert_eq!(at(&problem("{\u{2028}a:=}".as_bytes())), (1, 5));
    }

    #[test]
    fn tabs_and_wide_characters_are_aligned() {
        let label = |text: &str, needle: &str| {
            let source =
                Source { line_starts: line_starts(text), path: "f".into(), text: text.into(), root: None };
            let start = text.find(needle).unwrap();
            let label = source.label(start..start + needle.len(), "");
            (label.excerpt, label.indent, label.width, label.site.column)
        };
        assert_eq!(label("\tx: 1", "x"), ("    x: 1".into(), 4, 1, 2));
        assert_eq!(label("a\tx", "x"), ("a   x".into(), 4, 1, 3));
        assert_eq!(label("'日本': 值", "值"), ("'日本': 值".into(), 8, 2, 7));
        assert_eq!(label("a\u{1b}b", "b"), ("a\u{fffd}b".into(), 2, 1, 3));
        let long = format!("{}needle{}", "a".repeat(5_000), "b".repeat(5_000));
        let (excerpt, indent, width, column) = label(&long, "needle");
        assert_eq!((indent, width, column), (41, 6, 5_001));
        assert_eq!(excerpt.chars().count(), 102);
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (located, problems) = Located::read(folder.path());
        assert!(located.is_none());
        assert!(problems[0].message.ends_with("it is not a regular file"));
        assert_eq!(Located::read(&folder.path().join("no")).1[0].code, "unreadable");
    }
}
