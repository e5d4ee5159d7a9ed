//! Tags of wikitext: what each name means, and where it is closed.

use std::collections::BTreeMap;
use std::ops::Range;

/// What becomes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// A note: `<ref>`.
    Note,
    /// The place of the notes, which may define some.
    Notes,
    /// Text without markup.
    Literal,
    /// Lines of code or of typed text.
    Code,
    /// A span of code.
    Typed,
    /// A formula.
    Formula,
    /// Pictures with captions.
    Gallery,
    /// Lines as they are written.
    Poem,
    /// A quotation.
    Quote,
    /// Nothing that is read: a drawing, a map, data of the software.
    Dropped,
    /// A line ends.
    Break,
    /// A block starts or ends.
    Block,
    /// An item of a list.
    Item,
    /// A cell of a table in HTML.
    Cell,
    Bold,
    Italic,
    Raised,
    /// The tag goes, what is in it stays.
    Plain,
}

impl Tag {
    /// Returns what a name in small letters means; none for one that is not markup.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "ref" => Self::Note,
            "references" => Self::Notes,
            "nowiki" => Self::Literal,
            "pre" | "syntaxhighlight" | "source" => Self::Code,
            "code" | "tt" | "kbd" | "samp" => Self::Typed,
            "math" | "chem" | "ce" => Self::Formula,
            "gallery" => Self::Gallery,
            "poem" => Self::Poem,
            "blockquote" => Self::Quote,
            "score" | "timeline" | "graph" | "templatedata" | "hiero" | "mapframe" | "maplink"
            | "inputbox" | "categorytree" | "dynamicpagelist" | "imagemap" | "includeonly" | "style"
            | "script" | "indicator" => Self::Dropped,
            "br" => Self::Break,
            "p" | "div" | "center" | "hr" | "table" | "tr" | "caption" | "tbody" | "thead" | "ul" | "ol"
            | "dl" | "dt" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "article" | "aside" => Self::Block,
            "li" | "dd" => Self::Item,
            "td" | "th" => Self::Cell,
            "b" | "strong" => Self::Bold,
            "i" | "em" => Self::Italic,
            "sup" => Self::Raised,
            "sub" | "small" | "big" | "span" | "font" | "u" | "s" | "strike" | "del" | "ins" | "cite"
            | "dfn" | "abbr" | "var" | "q" | "mark" | "wbr" | "bdi" | "bdo" | "time" | "data" | "ruby"
            | "rb" | "rt" | "rp" | "a" | "img" | "noinclude" | "onlyinclude" | "section"
            | "templatestyles" | "languages" | "translate" | "tvar" | "nobr" | "label" | "link" | "meta"
            | "col" | "colgroup" => Self::Plain,
            _ => return None,
        })
    }

    /// Returns whether an element is seen as a whole, up to its end.
    pub(super) fn is_paired(self) -> bool {
        self.is_raw()
            || matches!(
                self,
                Self::Note | Self::Notes | Self::Typed | Self::Gallery | Self::Poem | Self::Quote
            )
    }

    /// Returns whether nothing inside an element is markup.
    pub(super) fn is_raw(self) -> bool {
        matches!(self, Self::Literal | Self::Code | Self::Formula | Self::Dropped)
    }
}

/// A tag that was found in a text.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) tag: Tag,
    /// Where the name is, without the slash.
    pub(super) name: Range<usize>,
    /// The bytes after the name, before the end of the tag.
    pub(super) attributes: Range<usize>,
    pub(super) is_end: bool,
    pub(super) is_empty: bool,
    /// The byte after the tag.
    pub(super) end: usize,
}

/// Returns the tag that starts at a `<`, if one does.
pub(super) fn tag_at(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'<') {
        return None;
    }
    let is_end = bytes.get(at + 1) == Some(&b'/');
    let start = at + 1 + usize::from(is_end);
    let length = bytes[start..].iter().take(20).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = start..start + length;
    if !bytes.get(start)?.is_ascii_alphabetic()
        || !matches!(bytes.get(name.end)?, b' ' | b'\t' | b'\n' | b'/' | b'>')
    {
        return None;
    }
    let tag = Tag::of(&text[name.clone()].to_ascii_lowercase())?;
    let close = name.end + memchr::memchr2(b'<', b'>', &bytes[name.end..])?;
    if bytes[close] == b'<' {
        return None;
    }
    let is_empty = bytes[close - 1] == b'/';
    let attributes = name.end..close - usize::from(is_empty && close > name.end);
    Some(Found { tag, name, attributes, is_end, is_empty, end: close + 1 })
}

/// Returns the value of an attribute, without its quotation marks.
pub(super) fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let bytes = attributes.as_bytes();
    let mut from = 0;
    while let Some(found) =
        bytes[from..].windows(name.len()).position(|part| part.eq_ignore_ascii_case(name.as_bytes()))
    {
        let start = from + found;
        from = start + name.len();
        let is_word = start == 0 || !bytes[start - 1].is_ascii_alphanumeric() && bytes[start - 1] != b'-';
        // Only ASCII is matched, so the cut is between letters.
        let Some(value) = attributes[from..].trim_start().strip_prefix('=').filter(|_| is_word) else {
            continue;
        };
        let value = value.trim_start();
        return Some(match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
            _ => value.split([' ', '\t', '\n', '/']).next().unwrap_or_default(),
        });
    }
    None
}

/// Finds the ends of elements, in linear time over a whole text.
///
/// For each name it remembers the end that it found last: as long as the next question is before it, it is the answer.
#[derive(Debug, Default)]
pub(super) struct Ends {
    found: BTreeMap<String, Option<(usize, Range<usize>)>>,
}

impl Ends {
    /// Returns the first end tag of a name (small letters) from a place on. Places never go back.
    pub(super) fn find(&mut self, text: &str, name: &str, from: usize) -> Option<Range<usize>> {
        match self.found.get(name) {
            Some(None) => return None,
            Some(Some((asked, end))) if *asked <= from && from <= end.start => return Some(end.clone()),
            _ => {}
        }
        let end = search(text.as_bytes(), name.as_bytes(), from);
        self.found.insert(name.to_owned(), end.clone().map(|end| (from, end)));
        end
    }
}

fn search(text: &[u8], name: &[u8], from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    memchr::memmem::find_iter(rest, b"</").find_map(|found| {
        let start = from + found;
        let after = start + 2 + name.len();
        if !text.get(start + 2..after)?.eq_ignore_ascii_case(name) {
            return None;
        }
        let blanks = text[after..].iter().take(20).take_while(|byte| byte.is_ascii_whitespace()).count();
        (text.get(after + blanks) == Some(&b'>')).then_some(start..after + blanks + 1)
    })
}
