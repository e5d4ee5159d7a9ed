//! From lines to headings, lists and paragraphs.

mod measure;

use std::rc::Rc;

use super::order::{Line, Span};
use super::{Item, Sheet};
use crate::ConvertError;
use crate::inline::Inline;
use crate::limits::Clock;
use crate::writer::Writer;
use measure::Measure;

pub(super) use measure::weigh;

/// Signs that stand before the items of a list.
const BULLETS: &str = "\u{2022}\u{25e6}\u{25aa}\u{25ab}\u{2023}\u{2219}\u{b7}\u{25cf}\u{25cb}\u{25a0}\u{25a1}\u{27a2}\u{2043}\u{25b6}\u{25ba}\u{2713}\u{2714}\u{95}";
/// Signs that do so, and stand in texts too.
const DASHES: &str = "-\u{2013}\u{2014}*+o";
/// A paragraph of a heading's face that is longer than this is text.
const LONGEST_HEADING: usize = 250;

/// Tells whether a word is the marker of a list's item.
pub(super) fn is_marker(word: &str) -> bool {
    is_bullet(word) || number(word).is_some()
}

fn is_bullet(word: &str) -> bool {
    let mut characters = word.chars();
    let first = characters.next().unwrap_or(' ');
    characters.next().is_none() && (BULLETS.contains(first) || DASHES.contains(first))
}

/// Returns the number that a marker counts, as in `3.`, `3)`, `(3)`, `c)`.
fn number(word: &str) -> Option<u64> {
    let bare = word.strip_prefix('(').unwrap_or(word);
    let bare = bare.strip_suffix(')').or_else(|| bare.strip_suffix('.'))?;
    if (1..=3).contains(&bare.len()) && bare.bytes().all(|one| one.is_ascii_digit()) {
        return bare.parse().ok();
    }
    let mut letters = bare.chars();
    match (letters.next(), letters.next()) {
        (Some(letter @ 'a'..='z'), None) => Some(u64::from(letter) - u64::from('a') + 1),
        _ => None,
    }
}

/// Writes all pages.
pub(super) fn write(
    sheets: Vec<Sheet>,
    labels: Vec<String>,
    clock: Clock,
    writer: &mut Writer,
) -> Result<(), ConvertError> {
    let measure = Measure::of(&sheets);
    let mut flow = Flow {
        writer,
        measure,
        open: None,
        lists: Vec::new(),
        last: None,
        begun: Vec::new(),
        table: None,
        code: Vec::new(),
        marks: Vec::new(),
    };
    for (sheet, label) in sheets.into_iter().zip(labels) {
        clock.check()?;
        flow.begin_page(label);
        let mut items = sheet.items.into_iter().peekable();
        while let Some(item) = items.next() {
            match item {
                Item::Table(rows) => {
                    flow.end_block()?;
                    flow.leave(0)?;
                    flow.take_table(rows)?;
                }
                Item::Line(line) => {
                    let next = match items.peek() {
                        Some(Item::Line(next)) => Some(next),
                        _ => None,
                    };
                    flow.line(line, next)?;
                }
            }
        }
    }
    flow.end_block()?;
    flow.leave(0)?;
    flow.end_table()?;
    flow.mark_pages();
    Ok(())
}

/// Labels of pages, and where in what is being gathered each begins.
type Marks = Vec<(String, usize)>;

/// What is being gathered.
struct Open {
    kind: Kind,
    inline: Inline,
    /// Where the link that is open leads, which may go on on the next line.
    link: Option<Rc<str>>,
    length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Heading(u8),
    /// Lines of code, which the flow gathers apart.
    Code,
    /// A paragraph; in an item of a list, where the item's text begins.
    Text(Option<f32>),
}

/// A list that is open: where its markers stand, and where its items' text begins.
struct List {
    marker: f32,
    text: f32,
    next: Option<u64>,
}

struct Flow<'w> {
    writer: &'w mut Writer,
    measure: Measure,
    open: Option<Open>,
    lists: Vec<List>,
    /// The line before, and whether a page has begun since.
    last: Option<(Line, bool)>,
    /// Pages that have begun, and nothing of them been taken yet.
    begun: Vec<String>,
    /// The open table, and the pages that begin inside it with the rows that they begin at.
    table: Option<(Vec<Vec<String>>, Marks)>,
    /// The open lines of code, and how far each is indented, in characters.
    code: Vec<(f32, String)>,
    /// Pages that begin inside the open block: their labels and the length of the block's text there.
    marks: Marks,
}

impl Flow<'_> {
    fn begin_page(&mut self, label: String) {
        if let Some((_, page)) = &mut self.last {
            *page = true;
        }
        self.begun.push(label);
    }

    /// Marks the pages that have begun before what comes next.
    fn mark_pages(&mut self) {
        for label in self.begun.drain(..) {
            self.writer.page(label);
        }
    }

    /// Takes a table; one that follows on another over the end of a page goes on with it.
    fn take_table(&mut self, mut rows: Vec<Vec<String>>) -> Result<(), ConvertError> {
        let width = |rows: &[Vec<String>]| rows.iter().map(Vec::len).max();
        match &mut self.table {
            Some((table, pages)) if !self.begun.is_empty() && width(table) == width(&rows) => {
                pages.extend(self.begun.drain(..).map(|label| (label, table.len())));
                // The head is repeated on each page.
                if table.first() == rows.first() {
                    rows.remove(0);
                }
                let filled = |row: &[String]| row.iter().filter(|cell| !cell.is_empty()).count();
                // So may be a cell that the end of the page has parted.
                if let (Some(last), Some(first)) = (table.last_mut(), rows.first())
                    && first[0].is_empty()
                    && filled(first) * 2 <= first.len()
                {
                    for (cell, more) in last.iter_mut().zip(rows.remove(0)) {
                        if !more.is_empty() {
                            cell.push(' ');
                            cell.push_str(&more);
                        }
                    }
                }
                table.extend(rows);
            }
            _ => {
                self.end_table()?;
                self.mark_pages();
                self.table = Some((rows, Vec::new()));
            }
        }
        self.last = None;
        Ok(())
    }

    fn end_table(&mut self) -> Result<(), ConvertError> {
        let Some((rows, pages)) = self.table.take() else { return Ok(()) };
        // Pages that began after the table come after it.
        let later = std::mem::take(&mut self.begun);
        self.writer.table(&rows)?;
        for (label, row) in pages {
            self.writer.page_at_line(label, rows.len().saturating_sub(row));
        }
        self.begun = later;
        Ok(())
    }

    fn line(&mut self, line: Line, next: Option<&Line>) -> Result<(), ConvertError> {
        self.end_table()?;
        let text = line.text();
        let in_code = self.open.as_ref().is_some_and(|open| open.kind == Kind::Code);
        if self.measure.is_code(&line, in_code) {
            return self.code_line(line, &text);
        }
        if let Some(level) = self.measure.heading(&line, self.last.as_ref().map(|(last, _)| last), next) {
            let goes_on = self.open.as_ref().is_some_and(|open| {
                open.kind == Kind::Heading(level) && open.length + text.len() < LONGEST_HEADING
            }) && self.is_near(&line, 1.7);
            if !goes_on {
                self.end_block()?;
                self.leave(0)?;
                self.begin(Kind::Heading(level));
            }
            return self.take(line, 0);
        }
        if let Some((marker, count, skip)) = self.marker(&line, &text) {
            self.end_block()?;
            self.item(&line, marker, count)?;
            return self.take(line, skip);
        }
        if !self.continues(&line) {
            self.end_block()?;
            let offset = line.x0 - line.left;
            let size = line.size;
            // What stands under the text of an item belongs to it.
            let kept =
                self.lists.iter().rposition(|list| offset > list.text - 0.6 * size).map_or(0, |at| at + 1);
            self.leave(kept)?;
            let item = self.lists.last().map(|list| list.text);
            self.begin(Kind::Text(item));
        }
        self.take(line, 0)
    }

    /// Takes a line of code, with its indent.
    fn code_line(&mut self, line: Line, text: &str) -> Result<(), ConvertError> {
        let goes_on = self.open.as_ref().is_some_and(|open| open.kind == Kind::Code);
        if !goes_on {
            self.end_block()?;
            let offset = line.x0 - line.left;
            let kept = self.lists.iter().rposition(|list| offset > list.text - 0.6 * line.size);
            self.leave(kept.map_or(0, |at| at + 1))?;
            self.mark_pages();
            self.begin(Kind::Code);
        } else if !self.is_near(&line, 1.7 * self.measure.leading) && !self.code.is_empty() {
            self.code.push((0.0, String::new()));
        }
        let pitch = line.pitch.unwrap_or(line.size);
        self.code.push(((line.x0 - line.left) / pitch, text.to_owned()));
        self.last = Some((line, false));
        Ok(())
    }

    /// Writes the lines of code; the least indented one begins at the margin.
    fn end_code(&mut self) -> Result<(), ConvertError> {
        let lines = std::mem::take(&mut self.code);
        let least =
            lines.iter().filter(|(_, text)| !text.is_empty()).map(|(at, _)| *at).fold(f32::MAX, f32::min);
        let lines: Vec<String> = lines
            .into_iter()
            .map(|(at, text)| {
                let indent = if text.is_empty() { 0 } else { (at - least).round().clamp(0.0, 80.0) as usize };
                " ".repeat(indent) + &text
            })
            .collect();
        self.writer.code("", &lines.join("\n"))
    }

    fn begin(&mut self, kind: Kind) {
        self.open = Some(Open { kind, inline: Inline::default(), link: None, length: 0 });
    }

    /// Returns where an item's marker stands, what it counts, and how many bytes of the text it takes.
    fn marker(&self, line: &Line, text: &str) -> Option<(f32, Option<u64>, usize)> {
        let offset = line.x0 - line.left;
        if line.dot {
            return Some((offset - line.size, None, 0));
        }
        let (word, rest) = text.split_once(' ')?;
        let skip = text.len() - rest.len();
        if is_bullet(word) {
            // A dash may stand in a sentence; before an item it stands where a line begins that is none.
            let is_dash = DASHES.contains(word.chars().next()?);
            let is_item =
                !is_dash || !self.continues(line) || self.stands_apart(line) || self.is_item_at(offset);
            return is_item.then_some((offset, None, skip));
        }
        let count = number(word)?;
        let goes_on = self.lists.iter().any(|list| list.next == Some(count));
        let begins = count == 1 && (!self.continues(line) || self.stands_apart(line));
        (goes_on || begins).then_some((offset, Some(count), skip))
    }

    /// Tells whether a line is indented from the item that it would go on with, or its first word from the next.
    fn stands_apart(&self, line: &Line) -> bool {
        let indented =
            self.lists.last().is_some_and(|list| line.x0 - line.left - list.text > 0.5 * line.size);
        indented || line.second.is_some_and(|second| second - line.x0 - line.first > 0.42 * line.size)
    }

    fn is_item_at(&self, offset: f32) -> bool {
        self.lists.iter().any(|list| (list.marker - offset).abs() < 2.0)
    }

    /// Opens an item, and closes or opens lists to get to its level.
    fn item(&mut self, line: &Line, marker: f32, count: Option<u64>) -> Result<(), ConvertError> {
        let near = 0.6 * line.size;
        let text = if line.dot { line.x0 } else { line.second.unwrap_or(line.x0) } - line.left;
        let next = count.map(|count| count.saturating_add(1));
        let depth = self.lists.iter().rposition(|list| marker > list.marker - near).map_or(0, |at| at + 1);
        self.leave(depth)?;
        let fits = |list: &List| {
            marker < list.marker + near
                && list.next.is_some() == count.is_some()
                && (count.is_none() || list.next == count)
        };
        match self.lists.last_mut() {
            Some(list) if fits(list) => {
                (list.next, list.text) = (next, text);
                self.writer.close()?;
            }
            last => {
                // Another list at the same place takes the place of the one before.
                if last.is_some_and(|list| marker < list.marker + near) {
                    self.leave(depth - 1)?;
                }
                self.writer.open_list(count);
                self.lists.push(List { marker, text, next });
            }
        }
        self.writer.open_item();
        self.begin(Kind::Text(Some(text)));
        Ok(())
    }

    /// Closes lists until so many are open.
    fn leave(&mut self, kept: usize) -> Result<(), ConvertError> {
        while self.lists.len() > kept {
            self.lists.pop();
            self.writer.close()?;
            self.writer.close()?;
        }
        Ok(())
    }

    /// Tells whether a line follows closely on the one before, in the same column.
    fn is_near(&self, line: &Line, leading: f32) -> bool {
        self.last.as_ref().is_some_and(|(last, page)| {
            !page && last.column == line.column && line.y - last.y < leading * last.size.max(line.size)
        })
    }

    /// Tells whether a line goes on with the open paragraph.
    fn continues(&self, line: &Line) -> bool {
        let (Some(open), Some((last, page))) = (&self.open, &self.last) else { return false };
        let Kind::Text(item) = open.kind else { return false };
        if (line.size - last.size).abs() > 0.08 * last.size || last.leader || line.leader {
            return false;
        }
        let offset = line.x0 - line.left;
        let before = last.x0 - last.left;
        let ended = open.inline.ends_sentence();
        // Whether the first word would have had room on the line before.
        let room = last.right - last.x1 - line.first > 0.6 * line.size;
        let lower = line.spans[0].text.starts_with(char::is_lowercase);
        if *page || last.column != line.column || line.y < last.y {
            return item.is_none_or(|text| offset > text - 0.6 * line.size)
                && (!ended || lower)
                && !(room && !lower);
        }
        if line.y - last.y > self.measure.leading(line) {
            return false;
        }
        match item {
            Some(text) => offset > text - 0.6 * line.size,
            // An indented first line begins a paragraph.
            None => !(offset - before > 0.8 * line.size && ended) && !(room && (ended || !lower)),
        }
    }

    /// Takes a line's text, but for its first bytes, into the open block.
    fn take(&mut self, line: Line, skip: usize) -> Result<(), ConvertError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let mut skip = skip;
        if !open.inline.is_empty() {
            let next = line.spans[0].text.split(' ').next().unwrap_or("");
            let joined = open.inline.last_word().and_then(|word| self.measure.join(word, next));
            match joined {
                Some(true) => open.inline.drop_last(),
                Some(false) => {}
                None => open.inline.text(" "),
            }
        }
        self.marks.extend(self.begun.drain(..).map(|label| (label, open.inline.len())));
        for Span { text, link } in &line.spans {
            let cut = skip.min(text.len());
            skip -= cut;
            if open.link != *link {
                open.inline.close_link();
                if let Some(link) = link {
                    open.inline.open_link(link);
                }
                open.link.clone_from(link);
            }
            open.inline.text(&text[cut..]);
        }
        open.length += line.spans.iter().map(|span| span.text.len()).sum::<usize>();
        self.last = Some((line, false));
        Ok(())
    }

    /// Writes the open block.
    fn end_block(&mut self) -> Result<(), ConvertError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let length = open.inline.len();
        let (at_start, within): (Vec<_>, Vec<_>) = self.marks.drain(..).partition(|(_, at)| *at == 0);
        for (label, _) in at_start {
            self.writer.page(label);
        }
        match open.kind {
            Kind::Code => self.end_code()?,
            Kind::Heading(level) => self.writer.heading(level, open.inline)?,
            Kind::Text(_) => self.writer.paragraph(open.inline)?,
        }
        for (label, at) in within {
            self.writer.page_within(label, length.saturating_sub(at));
        }
        Ok(())
    }
}
