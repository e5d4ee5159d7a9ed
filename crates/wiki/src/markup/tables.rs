//! Tables: rows and cells of wikitext as a table of Markdown.

use std::ops::Range;

use super::escape::push_cell;
use super::marks::BREAK;
use super::tags::attribute;
use super::{Converter, with_breaks};

/// The longest text that is repeated in the rows that its cell spans, in bytes.
const REPEATED: usize = 240;
/// The most columns or rows that a cell spans.
const SPANNED: usize = 500;
/// What a break in a cell is; with spaces, so that words stay apart where it is not understood.
const CELL_BREAK: &str = " <br> ";

/// A cell as it was found.
#[derive(Debug)]
struct Found {
    is_header: bool,
    range: Range<usize>,
}

/// A table as it was found.
#[derive(Debug, Default)]
struct Outline {
    captions: Vec<Range<usize>>,
    rows: Vec<Vec<Found>>,
    /// Text outside of any cell.
    strays: Vec<Range<usize>>,
}

/// A cell as it is shown.
#[derive(Debug, Clone, Default)]
struct Cell {
    text: String,
    is_header: bool,
    columns: usize,
    rows: usize,
}

impl Converter<'_> {
    /// Returns the table between `{|` and `|}`.
    pub(super) fn table(&mut self, inner: Range<usize>) -> String {
        let outline = self.outline(inner);
        let mut before = String::new();
        for stray in outline.strays {
            let text = self.blocks(stray);
            if !text.is_empty() {
                before.push_str(&format!("{text}\n"));
            }
        }
        for caption in outline.captions {
            let text = self.caption_text(caption);
            push_caption(&mut before, &text);
        }
        let mut found: Vec<Vec<Found>> = outline.rows;
        found.retain(|row| !row.is_empty());
        // A table of one cell only draws a frame.
        if found.len() == 1 && found[0].len() == 1 {
            let range = found[0][0].range.clone();
            let content = self.attributes_end(&range).map_or(range.start, |end| end + 1)..range.end;
            let text = self.blocks(content);
            return format!("{before}{text}");
        }
        self.cells += 1;
        let mut rows: Vec<Vec<Cell>> = Vec::with_capacity(found.len());
        for row in found {
            rows.push(row.into_iter().map(|cell| self.cell(&cell)).collect());
        }
        self.cells -= 1;
        // A first row of one header over all columns is a caption.
        while rows.len() > 1 && rows[0].len() == 1 && rows[0][0].is_header && rows[0][0].columns > 1 {
            let title = rows.remove(0).remove(0);
            push_caption(&mut before, &title.text.replace(CELL_BREAK, " "));
        }
        let rows = self.spread(rows);
        format!("{before}{}", self.grid(&rows))
    }

    /// Finds the rows and cells of a table, without looking into them.
    fn outline(&self, inner: Range<usize>) -> Outline {
        let mut outline = Outline::default();
        let attributes = self.line_end(inner.start, inner.end);
        if !is_attributes(&self.text[inner.start..attributes]) {
            outline.captions.push(inner.start..attributes);
        }
        let mut at = (attributes + 1).min(inner.end);
        // What the next line without a mark belongs to.
        let mut in_caption = false;
        while at < inner.end {
            let end = self.line_end(at, inner.end);
            let line = &self.text[at..end];
            let start = at + (line.len() - line.trim_start_matches([' ', '\t']).len());
            let line = &self.text[start..end];
            if line.starts_with("|}") && !line.starts_with("|}}") {
                in_caption = false;
            } else if line.starts_with("|+") {
                outline.captions.push(start + 2..end);
                in_caption = true;
            } else if line.starts_with("|-") {
                in_caption = false;
                outline.rows.push(Vec::new());
                let rest = start + 1 + line[1..].bytes().take_while(|byte| *byte == b'-').count();
                if !is_attributes(&self.text[rest..end]) {
                    outline.push_cells(vec![Found { is_header: false, range: rest..end }]);
                }
            } else if line.starts_with(['|', '!']) {
                in_caption = false;
                outline.push_cells(self.cells_of(start + 1..end, line.starts_with('!')));
            } else if in_caption && let Some(last) = outline.captions.last_mut() {
                last.end = end;
            } else if let Some(last) = outline.rows.last_mut().and_then(|row| row.last_mut()) {
                last.range.end = end;
            } else if !line.trim().is_empty() {
                match outline.strays.last_mut().filter(|stray| stray.end + 1 == at) {
                    Some(stray) => stray.end = end,
                    None => outline.strays.push(at..end),
                }
            }
            at = end + 1;
        }
        outline
    }

    /// Returns the cells of a line.
    fn cells_of(&self, range: Range<usize>, is_header: bool) -> Vec<Found> {
        let bytes = self.text.as_bytes();
        let mut cells = Vec::new();
        let (mut start, mut at) = (range.start, range.start);
        while at < range.end {
            match bytes[at] {
                b'{' | b'[' | b'<' => {
                    at = self.after_bracket(at, range.end);
                    continue;
                }
                mark @ (b'|' | b'!')
                    if (mark == b'|' || is_header)
                        && bytes.get(at + 1) == Some(&mark)
                        && at + 1 < range.end =>
                {
                    cells.push(Found { is_header, range: start..at });
                    start = at + 2;
                    at += 2;
                }
                _ => at += 1,
            }
        }
        cells.push(Found { is_header, range: start..range.end });
        cells
    }

    /// Returns the bar after the attributes of a cell, if it has some.
    fn attributes_end(&self, range: &Range<usize>) -> Option<usize> {
        let bar = self.find_outside(range.start, range.end, b'|')?;
        is_attributes(&self.text[range.start..bar]).then_some(bar)
    }

    fn cell(&mut self, found: &Found) -> Cell {
        let bar = self.attributes_end(&found.range);
        // A template may bring the bar: `colspan="2" {{n/a}}`.
        let template = if bar.is_none() { self.text[found.range.clone()].find("{{") } else { None };
        let template = template.map(|at| found.range.start + at).filter(|at| {
            let before = &self.text[found.range.start..*at];
            before.contains('=') && is_attributes(before)
        });
        let attributes = bar.or(template).map_or("", |end| &self.text[found.range.start..end]);
        let span = |name| {
            let value = attribute(attributes, name).and_then(|value| value.trim().parse::<usize>().ok());
            value.unwrap_or(1).clamp(1, SPANNED)
        };
        let (columns, rows) = (span("colspan"), span("rowspan"));
        let start = bar.map(|bar| bar + 1).or(template).unwrap_or(found.range.start);
        let text = match self.find_outside(start, found.range.end, b'|').filter(|_| bar.is_none()) {
            // Before the bar is something that is neither attributes nor, perhaps, text.
            Some(bar) => {
                let first = self.flat(start..bar);
                let second = self.flat(bar + 1..found.range.end);
                if first.is_empty() || second.is_empty() {
                    first + &second
                } else {
                    format!("{first}|{second}")
                }
            }
            None => self.flat(start..found.range.end),
        };
        let mut shown = String::with_capacity(text.len());
        push_cell(&mut shown, &cell_text(&text));
        Cell { text: shown, is_header: found.is_header, columns, rows }
    }

    fn caption_text(&mut self, range: Range<usize>) -> String {
        let start = self.attributes_end(&range).map_or(range.start, |bar| bar + 1);
        self.one_line(start..range.end)
    }

    /// Returns whether bytes may be invented, and counts them.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        let can = self.budget >= bytes;
        if can {
            self.budget -= bytes;
        }
        can
    }

    /// Gives each row the cells that span it: the same text in the rows below, nothing in the columns beside.
    fn spread(&mut self, rows: Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
        // The cells that reach down, by column, with the rows that they still reach.
        let mut reaching: Vec<Option<(usize, Cell)>> = Vec::new();
        let mut spread = Vec::with_capacity(rows.len());
        for row in rows {
            let mut line: Vec<Cell> = Vec::with_capacity(row.len());
            let mut cells = row.into_iter();
            let mut next = cells.next();
            loop {
                let column = line.len();
                if let Some(Some((left, cell))) = reaching.get_mut(column) {
                    *left -= 1;
                    let (is_last, cell) = (*left == 0, cell.clone());
                    if is_last {
                        reaching[column] = None;
                    }
                    if self.spend(cell.text.len() + 3) {
                        line.push(cell);
                        continue;
                    }
                    reaching.clear();
                }
                let Some(cell) = next.take() else {
                    if reaching.len() <= column {
                        break;
                    }
                    line.push(Cell::default());
                    continue;
                };
                next = cells.next();
                let below = if cell.text.len() <= REPEATED { cell.clone() } else { Cell::default() };
                let reached = cell.rows - 1;
                let columns = cell.columns;
                line.push(cell);
                for _ in 1..columns {
                    if self.spend(3) {
                        line.push(Cell { is_header: below.is_header, ..Cell::default() });
                    }
                }
                for column in column..line.len() {
                    if reached > 0 && self.spend(3) {
                        reaching.resize(reaching.len().max(column + 1), None);
                        let text =
                            if column + columns == line.len() { below.text.clone() } else { String::new() };
                        reaching[column] = Some((reached, Cell { text, ..below.clone() }));
                    }
                }
            }
            while reaching.last().is_some_and(Option::is_none) {
                reaching.pop();
            }
            spread.push(line);
        }
        spread
    }

    /// Returns rows as a table of Markdown; its header is the first row, if that is one, else empty.
    fn grid(&mut self, rows: &[Vec<Cell>]) -> String {
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        if width == 0 || rows.iter().flatten().all(|cell| cell.text.is_empty()) {
            return String::new();
        }
        let is_header = |cell: &Cell| cell.is_header || cell.text.is_empty();
        let has_header =
            rows.len() > 1 && rows[0].iter().all(is_header) && rows[0].iter().any(|cell| cell.is_header);
        let mut out = String::new();
        let (header, body) = if has_header { rows.split_at(1) } else { rows.split_at(0) };
        let first = header.first().map_or(&[][..], Vec::as_slice);
        push_row(&mut out, first, width);
        out.push_str(&"| --- ".repeat(width));
        out.push_str("|\n");
        for row in body.iter().filter(|row| row.iter().any(|cell| !cell.text.is_empty())) {
            let missing = (width - row.len()) * 2;
            let shown = if self.spend(missing) { width } else { row.len() };
            push_row(&mut out, row, shown);
        }
        out
    }
}

impl Outline {
    fn push_cells(&mut self, cells: Vec<Found>) {
        match self.rows.last_mut() {
            Some(row) => row.extend(cells),
            None => self.rows.push(cells),
        }
    }
}

/// Returns text with marks as that of a cell; where all lines are items, each is one without its dash.
pub(super) fn cell_text(text: &str) -> String {
    let lines = with_breaks(text, CELL_BREAK);
    if !lines.starts_with("- ") || !lines.split(CELL_BREAK).all(|line| line.starts_with("- ")) {
        return lines;
    }
    lines.split(CELL_BREAK).map(|line| &line[2..]).collect::<Vec<_>>().join(CELL_BREAK)
}

fn push_row(out: &mut String, cells: &[Cell], width: usize) {
    for column in 0..width {
        match cells.get(column).map(|cell| cell.text.as_str()).filter(|text| !text.is_empty()) {
            Some(text) => {
                out.push_str("| ");
                out.push_str(text);
                out.push(' ');
            }
            None => out.push_str("| "),
        }
    }
    out.push_str("|\n");
}

fn push_caption(out: &mut String, text: &str) {
    let text = text.replace(BREAK, " ");
    if text.is_empty() {
        return;
    }
    let mark = if text.contains('*') || !text.starts_with(char::is_alphanumeric) { "" } else { "**" };
    let end = if text.ends_with(char::is_alphanumeric) { mark } else { "" };
    let mark = if end.is_empty() { "" } else { mark };
    out.push_str(&format!("{mark}{text}{end}\n\n"));
}

/// Returns whether a text is attributes of an element, or nothing, rather than words.
pub(super) fn is_attributes(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "style",
        "class",
        "align",
        "valign",
        "colspan",
        "rowspan",
        "width",
        "height",
        "bgcolor",
        "scope",
        "id",
        "nowrap",
        "border",
        "cellpadding",
        "cellspacing",
        "title",
        "lang",
        "dir",
        "abbr",
        "color",
        "rules",
        "summary",
        "frame",
        "background",
        "bordercolor",
        "hspace",
        "vspace",
        "float",
        "clear",
        "noshade",
        "name",
        "headers",
        "char",
        "axis",
        "halign",
        "text-align",
        "font-size",
        "face",
        "size",
        "datetime",
        "role",
        "tabindex",
        "col",
        "row",
    ];
    /// No attributes are longer, in bytes.
    const LONGEST: usize = 2000;
    if text.len() > LONGEST {
        return false;
    }
    let mut rest = without_templates(text);
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', ',', '/', '"', '\'']).to_owned();
        if rest.is_empty() {
            return true;
        }
        let length = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '-' && letter != '_');
        let (name, after) = rest.split_at(length.unwrap_or(rest.len()));
        let name = name.to_ascii_lowercase();
        let is_known = NAMES.contains(&name.as_str()) || name.starts_with("data-");
        let Some(value) = after.trim_start().strip_prefix('=') else {
            if name == "nowrap" {
                rest = after.to_owned();
                continue;
            }
            return false;
        };
        let value = value.trim_start();
        let is_quoted = value.starts_with(['"', '\'']);
        if name.is_empty() || !is_known && !is_quoted {
            return false;
        }
        let end = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].find(quote).map_or(value.len(), |end| end + 2),
            _ => value.find([' ', '\t', '\n']).unwrap_or(value.len()),
        };
        rest = value[end..].to_owned();
    }
}

/// Returns a text without what is in double braces.
fn without_templates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        if depth == 0 {
            out.push_str(&rest[..at]);
        }
        let is_open = rest[at..].starts_with("{{");
        let is_close = rest[at..].starts_with("}}");
        depth = if is_open { depth + 1 } else { depth.saturating_sub(usize::from(is_close)) };
        rest = &rest[at + if is_open || is_close { 2 } else { 1 }..];
    }
    if depth == 0 {
        out.push_str(rest);
    }
    out
}
