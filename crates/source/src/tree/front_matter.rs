use std::collections::BTreeMap;

use mge_core::Span;

/// What the front matter of a file says, flat: lists are joined by `, `, nested keys by `.`; keys are lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) values: BTreeMap<String, String>,
    /// Where the title stands, when it is written in one piece.
    pub(crate) title: Option<Span>,
}

impl Attributes {
    /// Moves the positions by a map, e.g. back to the text with its own line ends.
    pub(crate) fn mapped(mut self, map: impl Fn(usize) -> usize) -> Self {
        self.title = self.title.map(|span| Span::new(map(span.start), map(span.end)));
        self
    }

    /// Returns a value that is not blank.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
}

pub(crate) struct FrontMatter {
    pub(crate) attributes: Attributes,
    /// Where the rest of the file starts.
    pub(crate) end: usize,
}

/// How deep a key may be indented before it is taken for text.
const MAX_KEY: usize = 200;

/// Splits off the YAML (`---`) or TOML (`+++`) block at the top of a text with `\n` line ends.
///
/// The block must close and state at least one key; otherwise the text starts with a rule, as CommonMark says.
pub(crate) fn split_front_matter(text: &str) -> Option<FrontMatter> {
    let (first, rest) = text.split_once('\n')?;
    let toml = match first.trim_end() {
        "---" => false,
        "+++" => true,
        _ => return None,
    };
    let start = text.len() - rest.len();
    if rest.starts_with(['\n', ' ', '\t']) {
        return None;
    }
    let mut end = start;
    let close = rest.split_inclusive('\n').find_map(|line| {
        let here = end;
        end += line.len();
        let mark = line.trim_end();
        let closes = if toml { mark == "+++" } else { mark == "---" || mark == "..." };
        closes.then_some(here)
    })?;
    let mut reader = Reader { toml, ..Reader::default() };
    let mut position = start;
    for line in text[start..close].split_inclusive('\n') {
        reader.line(line.strip_suffix('\n').unwrap_or(line), position);
        position += line.len();
    }
    let attributes = reader.finish();
    (!attributes.values.is_empty()).then_some(FrontMatter { attributes, end })
}

/// Reads the part of YAML and TOML that front matter uses. What it does not know it keeps as text.
#[derive(Default)]
struct Reader {
    toml: bool,
    attributes: Attributes,
    /// The key that following indented lines belong to.
    key: Option<String>,
    /// TOML: the table that is open.
    table: String,
    /// Lines of a list or a text that goes on.
    parts: Vec<String>,
    mode: Mode,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A list, a nested map, or nothing yet.
    #[default]
    List,
    /// `|`: lines are kept.
    Literal,
    /// `>` or a plain text that goes on: lines are joined by spaces.
    Folded,
    /// A TOML array that is not closed yet.
    Array,
}

impl Reader {
    fn line(&mut self, line: &str, position: usize) {
        let bare = line.trim();
        if self.mode == Mode::Array {
            self.parts.push(bare.to_owned());
            if bare.ends_with(']') {
                let joined = self.parts.join(" ");
                self.parts = list_items(&joined);
                self.close();
            }
            return;
        }
        let indented = line.starts_with([' ', '\t']);
        let item = bare == "-" || bare.starts_with("- ");
        if !self.toml && self.key.is_some() && (indented || bare.is_empty() || item) {
            self.continued(bare);
            return;
        }
        if bare.is_empty() || bare.starts_with('#') {
            return;
        }
        self.close();
        if self.toml && bare.starts_with('[') {
            self.table = bare.trim_matches(['[', ']', ' ']).to_lowercase();
            return;
        }
        let Some((key, value)) = split_key(line, if self.toml { '=' } else { ':' }) else { return };
        let key = if self.table.is_empty() { key } else { format!("{}.{key}", self.table) };
        let offset = position + (value.as_ptr() as usize - line.as_ptr() as usize);
        self.value(key, value, offset);
    }

    fn value(&mut self, key: String, raw: &str, offset: usize) {
        let bare = without_comment(raw);
        match bare {
            "" | "|" | "|-" | "|+" | ">" | ">-" | ">+" if !self.toml => {
                self.mode = match bare.chars().next() {
                    Some('|') => Mode::Literal,
                    Some('>') => Mode::Folded,
                    _ => Mode::List,
                };
                self.key = Some(key);
            }
            _ if bare.starts_with('[') => {
                self.key = Some(key);
                if self.toml && !bare.ends_with(']') {
                    self.mode = Mode::Array;
                    self.parts = vec![bare.to_owned()];
                } else {
                    self.parts = list_items(bare);
                    self.close();
                }
            }
            _ => {
                let (text, inner) = unquoted(bare);
                if key == "title" && self.attributes.title.is_none() {
                    self.attributes.title = inner.map(|inner| {
                        let start = offset + (inner.as_ptr() as usize - raw.as_ptr() as usize);
                        Span::new(start, start + inner.len())
                    });
                }
                if !self.toml && !bare.starts_with(['"', '\'']) {
                    // A plain text may go on in indented lines.
                    self.mode = Mode::Folded;
                    self.parts = vec![text];
                    self.key = Some(key);
                } else {
                    self.store(key, text);
                }
            }
        }
    }

    fn continued(&mut self, bare: &str) {
        if bare.is_empty() {
            return;
        }
        if self.mode != Mode::List {
            if self.attributes.title.is_some() && self.key.as_deref() == Some("title") {
                self.attributes.title = None;
            }
            self.parts.push(bare.to_owned());
        } else if bare.starts_with('#') {
        } else if let Some(item) = bare.strip_prefix('-') {
            self.parts.push(unquoted(without_comment(item)).0);
        } else if let Some((key, value)) = split_key(bare, ':')
            && let Some(outer) = self.key.clone()
        {
            self.store(format!("{outer}.{key}"), unquoted(without_comment(value)).0);
        } else {
            self.parts.push(unquoted(bare).0);
        }
    }

    fn close(&mut self) {
        let parts = std::mem::take(&mut self.parts);
        let mode = std::mem::take(&mut self.mode);
        if let Some(key) = self.key.take() {
            let separator = match mode {
                Mode::List | Mode::Array => ", ",
                Mode::Literal => "\n",
                Mode::Folded => " ",
            };
            if !parts.is_empty() {
                self.store(key, parts.join(separator));
            }
        }
    }

    fn store(&mut self, key: String, value: String) {
        if !matches!(value.as_str(), "null" | "~" | "") {
            self.attributes.values.entry(key).or_insert(value);
        }
    }

    fn finish(mut self) -> Attributes {
        self.close();
        if self.attributes.title.is_some_and(Span::is_empty) {
            self.attributes.title = None;
        }
        self.attributes
    }
}

/// Splits `key: value`; the key is a word, plain or in quotes.
fn split_key(line: &str, separator: char) -> Option<(String, &str)> {
    let (key, value) = line.split_once(separator)?;
    // "http://…" is no key: in YAML a blank follows the colon.
    if separator == ':' && !(value.is_empty() || value.starts_with([' ', '\t'])) {
        return None;
    }
    let key = key.trim();
    let key = key.strip_prefix(['"', '\'']).and_then(|key| key.strip_suffix(['"', '\''])).unwrap_or(key);
    let word = !key.is_empty()
        && key.len() <= MAX_KEY
        && key.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '.'));
    word.then(|| (key.to_lowercase(), value))
}

/// Drops a comment after a value, and the blanks around it; quotes protect `#`.
fn without_comment(value: &str) -> &str {
    let value = value.trim();
    let mut quote = None;
    let mut before = ' ';
    for (position, character) in value.char_indices() {
        match (quote, character) {
            (None, '#') if before == ' ' || before == '\t' => return value[..position].trim_end(),
            (None, '"' | '\'') if position == 0 || matches!(before, ' ' | ',' | '[') => {
                quote = Some(character)
            }
            (Some(open), _) if open == character && before != '\\' => quote = None,
            _ => {}
        }
        before = character;
    }
    value
}

/// Returns the text of a scalar, and the piece it was taken from where that is the same, letter by letter.
fn unquoted(value: &str) -> (String, Option<&str>) {
    let value = value.trim();
    for quote in ['"', '\''] {
        let inner = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        let Some(inner) = inner else { continue };
        let text = if quote == '"' {
            inner.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\")
        } else {
            inner.replace("''", "'")
        };
        let same = (text == inner).then_some(inner);
        return (text, same);
    }
    (value.to_owned(), Some(value))
}

/// Splits `[a, "b, c"]`.
fn list_items(list: &str) -> Vec<String> {
    let inner = list.trim().trim_start_matches('[').trim_end_matches(']');
    let mut items = Vec::new();
    let mut quote = None;
    let mut from = 0;
    for (position, character) in inner.char_indices() {
        match (quote, character) {
            (None, '"' | '\'') if inner[from..position].trim().is_empty() => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, ',') => {
                items.push(unquoted(&inner[from..position]).0);
                from = position + 1;
            }
            _ => {}
        }
    }
    items.push(unquoted(&inner[from..]).0);
    items.retain(|item| !item.is_empty());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Attributes {
        split_front_matter(text).expect("it is front matter").attributes
    }

    #[test]
    fn yaml_as_people_write_it() {
        let text = "---\ntitle: \"A: b\" # c\ntags: [a, \"b, c\"]\nauthors:\n  - Ann\n- Bo\nnote: >\n  one\n  two\n\
                    nested:\n  key: v\ndate: 2020-01-02\nurl: http://x.y\nnothing: ~\n# comment\nplain: a\n  b\n---\nrest";
        let attributes = read(text);
        let get = |key| attributes.get(key);
        assert_eq!(get("title"), Some("A: b"));
        assert_eq!(attributes.title.and_then(|span| span.slice(text)), Some("A: b"));
        assert_eq!(get("tags"), Some("a, b, c"));
        assert_eq!(get("authors"), Some("Ann, Bo"));
        assert_eq!(get("note"), Some("one two"));
        assert_eq!(get("nested.key"), Some("v"));
        assert_eq!(get("date"), Some("2020-01-02"));
        assert_eq!(get("url"), Some("http://x.y"));
        assert_eq!(get("nothing"), None);
        assert_eq!(get("plain"), Some("a b"));
    }

    #[test]
    fn toml_as_people_write_it() {
        let text = "+++\ntitle = 'It # is'\ndate = 2020-01-02\ntags = [\n \"a\",\n \"b\",\n]\n[author]\nname = \"Ann\"\n+++\n";
        let attributes = read(text);
        assert_eq!(attributes.get("title"), Some("It # is"));
        assert_eq!(attributes.get("date"), Some("2020-01-02"));
        assert_eq!(attributes.get("tags"), Some("a, b"));
        assert_eq!(attributes.get("author.name"), Some("Ann"));
    }

    #[test]
    fn rules_are_no_front_matter() {
        for text in [
            "---\n\ntitle: x\n---\n",
            "---\ntext\n---\n",
            "---\n---\n",
            "---\ntitle: x\n",
            "text",
            "",
            "--- x",
        ] {
            assert!(split_front_matter(text).is_none(), "{text}");
        }
    }
}
