//! The text of a document: paragraphs, lists, tables.

use std::collections::HashSet;

use super::parts::{Note, Notes, Numbering, Relations, Role, Styles};
use crate::inline::Inline;
use crate::limits::Clock;
use crate::writer::Writer;
use crate::xml::{self, Attributes, Xml};
use crate::{ConvertError, Format};

/// Word has nine levels of lists.
const MOST_LEVELS: usize = 9;
/// A cell that says it covers more is wrong.
const MOST_SPAN: usize = 200;
/// Bytes that the cells of one table may come to by standing in several places; beyond, they stand in the first only.
const MOST_REPEATED: usize = 4 << 20;

/// One paragraph on its way.
#[derive(Default)]
struct Paragraph {
    inline: Inline,
    style: String,
    number: Option<String>,
    level: Option<usize>,
    outline: Option<u8>,
    /// The text without any escapes, for code.
    plain: String,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    cell: Inline,
    span: usize,
    /// The cell goes on from the row above.
    goes_on: bool,
    /// What the cells that stand in several places have come to, in bytes.
    repeated: usize,
}

/// Reads one part's text.
pub(super) struct Body<'w, 'p> {
    writer: &'w mut Writer,
    styles: &'p Styles,
    numbering: &'p Numbering,
    relations: &'p Relations,
    notes: &'p mut Notes,
    /// The notes that this part holds, if it holds any.
    kind: Note,
    /// Paragraphs inside each other, as text frames make them.
    paragraphs: Vec<Paragraph>,
    tables: Vec<Table>,
    /// Each open list.
    lists: Vec<Option<String>>,
    /// The numberings met.
    numbers: HashSet<String>,
    quoted: bool,
    code: Vec<String>,
    in_text: bool,
    /// Elements that say again what another says, or what was taken back.
    skipped: usize,
    /// The pages begun: a document without any break knows none.
    pages: usize,
    note: Option<bool>,
}

impl<'w, 'p> Body<'w, 'p> {
    pub(super) fn new(
        writer: &'w mut Writer,
        styles: &'p Styles,
        numbering: &'p Numbering,
        relations: &'p Relations,
        notes: &'p mut Notes,
        kind: Note,
    ) -> Self {
        Self {
            writer,
            styles,
            numbering,
            relations,
            notes,
            kind,
            paragraphs: Vec::new(),
            tables: Vec::new(),
            lists: Vec::new(),
            numbers: HashSet::new(),
            quoted: false,
            code: Vec::new(),
            in_text: false,
            skipped: 0,
            pages: 0,
            note: None,
        }
    }

    pub(super) fn read(mut self, part: &[u8], clock: Clock) -> Result<(), ConvertError> {
        xml::read(part, Format::Docx, clock, |event| match event {
            Xml::Open(name, attributes) => self.open(name, attributes),
            Xml::Close(name) => self.close(name),
            Xml::Text(text) => {
                self.text(text);
                Ok(())
            }
        })?;
        while !self.paragraphs.is_empty() {
            self.end_paragraph()?;
        }
        while !self.tables.is_empty() {
            self.end_table()?;
        }
        self.end_code()?;
        self.leave()
    }

    fn open(&mut self, name: &str, attributes: Attributes<'_>) -> Result<(), ConvertError> {
        if matches!(name, "Fallback" | "moveFrom") {
            self.skipped += 1;
        }
        if self.skipped > 0 {
            return Ok(());
        }
        let value = || attributes.get("val");
        match name {
            "footnote" | "endnote" => return self.open_note(attributes),
            "p" if self.note != Some(false) => self.paragraphs.push(Paragraph::default()),
            "tbl" => {
                self.end_code()?;
                self.tables.push(Table::default());
            }
            "tr" => {
                if let Some(table) = self.tables.last_mut() {
                    table.rows.push(Vec::new());
                }
            }
            "tc" => {
                if let Some(table) = self.tables.last_mut() {
                    (table.cell, table.span, table.goes_on) = (Inline::default(), 1, false);
                }
            }
            "gridSpan" => {
                if let Some(table) = self.tables.last_mut() {
                    table.span = value().and_then(|span| span.parse().ok()).unwrap_or(1).clamp(1, MOST_SPAN);
                }
            }
            "vMerge" => {
                if let Some(table) = self.tables.last_mut() {
                    table.goes_on = value().is_none_or(|value| value == "continue");
                }
            }
            "lastRenderedPageBreak" => self.page(),
            "br" if attributes.get("type").is_some_and(|kind| kind == "page") => self.page(),
            _ => self.open_in_paragraph(name, attributes),
        }
        Ok(())
    }

    fn open_in_paragraph(&mut self, name: &str, attributes: Attributes<'_>) {
        let value = || attributes.get("val");
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        match name {
            "pStyle" => paragraph.style = value().unwrap_or_default(),
            "numId" => paragraph.number = value(),
            "ilvl" => paragraph.level = value().and_then(|level| level.parse().ok()),
            "outlineLvl" => paragraph.outline = value().and_then(|level| level.parse().ok()),
            "t" => self.in_text = true,
            "tab" | "ptab" => {
                paragraph.inline.text(" ");
                paragraph.plain.push('\t');
            }
            "br" | "cr" => {
                paragraph.inline.line_break();
                paragraph.plain.push('\n');
            }
            "noBreakHyphen" => {
                paragraph.inline.text("\u{2011}");
                paragraph.plain.push('-');
            }
            "hyperlink" => {
                if let Some(target) = attributes.get("id").and_then(|id| self.relations.target(&id)) {
                    paragraph.inline.open_link(target);
                }
            }
            "footnoteReference" | "endnoteReference" => {
                let kind = if name == "endnoteReference" { Note::End } else { Note::Foot };
                if let Some(id) = attributes.get("id") {
                    paragraph.inline.note(&self.notes.refer(kind, id));
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) -> Result<(), ConvertError> {
        if matches!(name, "Fallback" | "moveFrom") {
            self.skipped = self.skipped.saturating_sub(1);
            return Ok(());
        }
        if self.skipped > 0 {
            return Ok(());
        }
        match name {
            "t" => self.in_text = false,
            "p" => self.end_paragraph()?,
            "hyperlink" => {
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.inline.close_link();
                }
            }
            "tc" => {
                if let Some(table) = self.tables.last_mut() {
                    table.end_cell();
                }
            }
            "tbl" => self.end_table()?,
            "footnote" | "endnote" => {
                self.end_code()?;
                self.leave()?;
                if self.note.take() == Some(true) {
                    self.writer.close()?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut().filter(|_| self.in_text && self.skipped == 0) {
            paragraph.inline.text(text);
            paragraph.plain.push_str(text);
        }
    }

    /// Opens a note that the text refers to; separators and forgotten notes are passed over.
    fn open_note(&mut self, attributes: Attributes<'_>) -> Result<(), ConvertError> {
        let label = self.notes.label(self.kind, attributes.get("id").unwrap_or_default());
        if let Some(label) = label {
            self.writer.open_note(label);
        }
        self.note = Some(label.is_some());
        Ok(())
    }

    fn page(&mut self) {
        if self.pages == 0 {
            // What stands before the first break is the first page.
            self.writer.metadata().pages.push(crate::PageMark { offset: 0, label: "1".to_owned() });
            self.pages = 1;
        }
        self.pages += 1;
        self.writer.page(self.pages.to_string());
    }

    fn end_paragraph(&mut self) -> Result<(), ConvertError> {
        let Some(paragraph) = self.paragraphs.pop() else { return Ok(()) };
        if let Some(table) = self.tables.last_mut() {
            table.cell.append(paragraph.inline);
            return Ok(());
        }
        let mut role = self.styles.role(&paragraph.style);
        if role.code {
            self.leave()?;
            self.code.push(paragraph.plain);
            return Ok(());
        }
        if paragraph.inline.is_empty() {
            return Ok(());
        }
        self.end_code()?;
        role.heading = paragraph.outline.filter(|level| *level < 6).map(|level| level + 1).or(role.heading);
        if let Some(level) = role.heading {
            self.leave()?;
            return self.writer.heading(level, paragraph.inline);
        }
        if role.quote {
            self.leave_lists(0)?;
            if !self.quoted {
                self.writer.open_quote();
                self.quoted = true;
            }
            return self.writer.paragraph(paragraph.inline);
        }
        // The number 0 takes a paragraph out of the list of its style.
        let number = paragraph.number.or(role.number.take()).filter(|number| number != "0");
        if number.is_none() && role.list.is_none() {
            self.leave()?;
            return self.writer.paragraph(paragraph.inline);
        }
        let level = paragraph.level.or(role.level).unwrap_or(0).min(MOST_LEVELS - 1);
        self.item(number, level, &role)?;
        self.writer.paragraph(paragraph.inline)
    }

    /// Opens the item of a list at a level, and the lists above it that are missing.
    fn item(&mut self, number: Option<String>, level: usize, role: &Role) -> Result<(), ConvertError> {
        if self.quoted {
            self.leave()?;
        }
        let list = number.as_ref().and_then(|number| self.numbering.list(number)).map(str::to_owned);
        let starts_anew = number
            .as_ref()
            .is_some_and(|number| self.numbers.insert(number.clone()) && self.numbering.begins_anew(number));
        self.leave_lists(level + 1)?;
        if self.lists.len() == level + 1 {
            self.writer.close()?;
            if starts_anew || self.lists[level] != list {
                self.writer.close()?;
                self.lists.pop();
            } else {
                self.writer.open_item();
                return Ok(());
            }
        }
        while self.lists.len() <= level {
            let depth = self.lists.len();
            let first = match &number {
                Some(number) => self.numbering.first(number, depth),
                None => (role.list == Some(true)).then_some(1),
            };
            self.writer.open_list(first);
            self.lists.push(list.clone());
            self.writer.open_item();
        }
        Ok(())
    }

    /// Closes lists until so many are open.
    fn leave_lists(&mut self, kept: usize) -> Result<(), ConvertError> {
        while self.lists.len() > kept {
            self.lists.pop();
            self.writer.close()?;
            self.writer.close()?;
        }
        Ok(())
    }

    /// Closes lists and quotes.
    fn leave(&mut self) -> Result<(), ConvertError> {
        self.leave_lists(0)?;
        if std::mem::take(&mut self.quoted) {
            self.writer.close()?;
        }
        Ok(())
    }

    /// Writes the lines of code that have gathered.
    fn end_code(&mut self) -> Result<(), ConvertError> {
        let code = std::mem::take(&mut self.code).join("\n");
        self.writer.code("", &code)
    }

    fn end_table(&mut self) -> Result<(), ConvertError> {
        let Some(mut table) = self.tables.pop() else { return Ok(()) };
        table.rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        if let Some(outer) = self.tables.last_mut() {
            for cell in table.rows.iter().flatten() {
                outer.cell.append_markdown(cell);
            }
            return Ok(());
        }
        self.leave()?;
        let width = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        if width > 1 {
            return self.writer.table(&table.rows);
        }
        for cell in table.rows.iter().flatten() {
            self.writer.markdown_line(&cell.replace("\\|", "|"))?;
        }
        Ok(())
    }
}

impl Table {
    /// Ends a cell; it stands in every place that it covers.
    fn end_cell(&mut self) {
        let mut text = std::mem::take(&mut self.cell).finish_cell();
        let count = self.rows.len();
        let column = self.rows.last().map_or(0, Vec::len);
        let above = if self.goes_on && count > 1 { self.rows[count - 2].get(column) } else { None };
        let times = self.span - 1 + usize::from(above.is_some());
        let length = above.map_or(text.len(), String::len);
        self.repeated = self.repeated.saturating_add(times * (length + 64));
        let fits = self.repeated <= MOST_REPEATED;
        if let Some(above) = above.filter(|_| fits) {
            text.clone_from(above);
        }
        if let Some(row) = self.rows.last_mut() {
            row.extend(std::iter::repeat_n(text, if fits { self.span } else { 1 }));
        }
    }
}
