//! Wikitext as Markdown.
//!
//! Three steps: [`clean()`] takes out what is never shown, [`pairs`] finds the brackets that belong together, and one
//! descent from the blocks ([`blocks`]) to the text in them ([`inline`]) writes Markdown. Brackets without a partner are
//! text, so that no prose is lost; each byte is looked at on its own level of nesting only, so that time is linear.

mod blocks;
mod clean;
mod emphasis;
mod escape;
mod inline;
mod links;
mod lists;
mod marks;
mod notes;
mod pairs;
mod redirect;
mod tables;
mod tags;
mod templates;

use std::ops::Range;

use clean::clean;
use marks::{BREAK, PARAGRAPH, is_mark};
use notes::Notes;
use pairs::{Pair, Pairs};

use crate::Site;

/// How deep brackets are followed; what is deeper is shown as it is written.
const DEPTH_LIMIT: usize = 24;

/// The bytes that a page may grow by for cells that are repeated or empty, beyond its own length.
const SPARE_BYTES: usize = 1 << 16;

/// Holds a page's wikitext as Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Article {
    /// The Markdown, without a heading for the title; empty, or with a line feed at its end.
    pub markdown: String,
    /// The titles of the page's categories without the name of their namespace, in order, each once.
    pub categories: Vec<String>,
    /// The title that the page redirects to, if its text says so.
    pub redirect: Option<String>,
}

/// Returns the wikitext of a page as Markdown.
///
/// The title stands for itself where the text asks for it. No text makes this fail or slow: what is not understood stays
/// as it is written, and templates that carry no text of their own are left out.
///
/// ```
/// use mge_wiki::{Site, to_markdown};
///
/// let article = to_markdown(&Site::default(), "Ada", "'''Ada''' wrote to [[Charles Babbage|Babbage]].");
/// assert_eq!(article.markdown, "**Ada** wrote to [Babbage](Charles%20Babbage.md).\n");
/// ```
#[must_use]
pub fn to_markdown(site: &Site, title: &str, wikitext: &str) -> Article {
    let text = clean(wikitext);
    let pairs = Pairs::of(&text);
    let mut converter = Converter {
        site,
        title,
        text: &text,
        pairs,
        notes: Notes::default(),
        categories: Vec::new(),
        hoisted: Vec::new(),
        depth: 0,
        cells: 0,
        quotes: 0,
        in_label: false,
        budget: text.len() + SPARE_BYTES,
    };
    let redirect = converter.redirect();
    let start = redirect.as_ref().map_or(0, |(_, end)| *end);
    let mut markdown = String::new();
    if let Some((target, _)) = &redirect {
        markdown = format!("Redirect to {}\n", links::page_link(target, &escape::plain(target)));
    }
    let rest = converter.blocks(start..text.len());
    if !markdown.is_empty() && !rest.is_empty() {
        markdown.push('\n');
    }
    markdown.push_str(&rest);
    let redirect = redirect.map(|(target, _)| target);
    let mut categories = std::mem::take(&mut converter.categories);
    let mut seen = std::collections::BTreeSet::new();
    categories.retain(|category| seen.insert(category.clone()));
    converter.notes.finish(&mut markdown);
    // Where no break can be, as in a verse, one that was asked for is a space.
    if markdown.contains(is_mark) {
        let kept = |letter: char| !is_mark(letter) || matches!(letter, BREAK | PARAGRAPH);
        markdown = markdown
            .chars()
            .filter(|letter| kept(*letter))
            .map(|letter| if is_mark(letter) { ' ' } else { letter })
            .collect();
    }
    Article { markdown, categories, redirect }
}

/// Returns the first line of a page's Markdown: its title as a heading.
///
/// ```
/// assert_eq!(mge_wiki::title_heading("C*"), "# C\\*\n");
/// ```
#[must_use]
pub fn title_heading(title: &str) -> String {
    let title = escape::plain(title.trim());
    format!("# {}\n", escape::heading(&title.replace(char::is_control, " ")))
}

/// Converts one text.
struct Converter<'a> {
    site: &'a Site,
    title: &'a str,
    text: &'a str,
    pairs: Pairs,
    notes: Notes,
    categories: Vec<String>,
    /// Blocks that cannot be where they were found, in a cell of a table; they follow the table.
    hoisted: Vec<String>,
    depth: usize,
    /// How many cells of tables are around.
    cells: usize,
    /// How many quotations are around.
    quotes: usize,
    /// Whether the label of a link is being written.
    in_label: bool,
    /// The bytes that may still be invented.
    budget: usize,
}

impl Converter<'_> {
    /// Returns the pair that starts at a place and ends within a range.
    fn pair(&self, start: usize, limit: usize) -> Option<&Pair> {
        self.pairs.at(start, limit)
    }

    /// Returns where the line ends that holds a place; brackets keep lines together.
    fn line_end(&self, from: usize, limit: usize) -> usize {
        self.find_outside(from, limit, b'\n').unwrap_or(limit)
    }

    /// Returns the first byte of a value that is not inside brackets.
    fn find_outside(&self, from: usize, limit: usize, wanted: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < limit {
            match bytes[at] {
                byte if byte == wanted => return Some(at),
                b'{' | b'[' | b'<' => at = self.after_bracket(at, limit),
                _ => at += 1,
            }
        }
        None
    }

    /// Returns where a bracket's pair ends, or a tag without one; else the next byte.
    fn after_bracket(&self, at: usize, limit: usize) -> usize {
        if let Some(pair) = self.pair(at, limit) {
            return pair.end;
        }
        tags::tag_at(self.text, at).map(|found| found.end).filter(|end| *end <= limit).unwrap_or(at + 1)
    }

    /// Returns the parts between the bars of a range, of those that are not inside brackets.
    fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = range.start;
        while let Some(bar) = self.find_outside(start, range.end, b'|') {
            parts.push(start..bar);
            start = bar + 1;
        }
        parts.push(start..range.end);
        parts
    }

    /// Returns the text of a range in one line, with marks where lines end.
    fn flat(&mut self, range: Range<usize>) -> String {
        if self.text[range.clone()].trim().contains('\n') {
            let blocks = self.blocks(range);
            return flattened(&blocks);
        }
        self.inline(range)
    }

    /// Returns what is one step deeper, or the text as it is written where it is too deep.
    fn deeper(&mut self, range: Range<usize>, convert: impl FnOnce(&mut Self) -> String) -> String {
        if self.depth >= DEPTH_LIMIT {
            return escape::plain(&self.text[range]).replace('\n', " ");
        }
        self.depth += 1;
        let text = convert(self);
        self.depth -= 1;
        text
    }
}

/// Returns Markdown of several blocks as one line with marks where lines end.
fn flattened(blocks: &str) -> String {
    let mut flat = String::with_capacity(blocks.len());
    for line in blocks.lines() {
        let line = line.trim();
        // Neither blank lines nor the lines that only draw.
        if line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b' ' | b'>' | b'`')) {
            continue;
        }
        let slashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
        let line = if slashes % 2 == 1 { &line[..line.len() - 1] } else { line };
        if !flat.is_empty() {
            flat.push(BREAK);
        }
        flat.push_str(line);
    }
    flat
}

/// Returns a text in which marks of breaks are a text.
fn with_breaks(text: &str, shown: &str) -> String {
    if !text.contains([BREAK, PARAGRAPH]) {
        return text.trim().to_owned();
    }
    let pieces = text.split([BREAK, PARAGRAPH]).map(str::trim).filter(|piece| !piece.is_empty());
    pieces.collect::<Vec<_>>().join(shown)
}
