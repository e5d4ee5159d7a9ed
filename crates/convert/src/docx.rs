//! Office Open XML texts: what a reader of the document sees, as Markdown.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::archive::Archive;
use crate::html::{unescaped, words};
use crate::plain::{escape, markdown as plain_markdown};
use crate::xml::{attribute, each_tag, malformed, read_statements};
use crate::{ConvertError, Converted, Limits};

/// The deepest nesting of tables that is followed; what is deeper is read as text.
const MOST_TABLES: usize = 8;

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<Converted, ConvertError> {
    let mut archive = Archive::open(bytes, limits)?;
    let missing = || ConvertError::Broken { reason: "it has no 'word/document.xml'".to_owned() };
    let document = archive.text("word/document.xml")?.ok_or_else(missing)?;
    let mut part =
        |name: &str| -> Result<String, ConvertError> { Ok(archive.text(name)?.unwrap_or_default()) };
    let styles = heading_levels(&part("word/styles.xml")?)?;
    let numbered = numbered_lists(&part("word/numbering.xml")?)?;
    let links = targets(&part("word/_rels/document.xml.rels")?)?;
    let notes = part("word/footnotes.xml")?;
    let core = part("docProps/core.xml")?;
    let mut body = Body { styles, numbered, links, ..Body::default() };
    body.read(&document)?;
    let mut notes_body = Body { links: std::mem::take(&mut body.links), ..Body::default() };
    notes_body.read(&notes)?;
    let mut markdown = body.out;
    for (number, text) in notes_body.notes {
        if body.cited.contains(&number) {
            markdown.push_str(&format!("\n[^{number}]: {text}\n"));
        }
    }
    let mut converted = Converted { markdown, ..Converted::default() };
    read_statements(&core, &mut converted)?;
    Ok(converted)
}

#[derive(Debug, Default)]
struct Body {
    styles: BTreeMap<String, usize>,
    numbered: BTreeMap<(String, String), bool>,
    links: BTreeMap<String, String>,
    out: String,
    /// The notes that the text refers to.
    cited: Vec<String>,
    /// In the part of the notes: each with its text.
    notes: Vec<(String, String)>,
    paragraph: Paragraph,
    tables: Vec<Table>,
    in_list: bool,
}

#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    level: Option<usize>,
    depth: Option<String>,
    number: Option<String>,
}

#[derive(Debug, Default)]
struct Table {
    rows: Vec<Vec<String>>,
}

impl Body {
    fn read(&mut self, xml: &str) -> Result<(), ConvertError> {
        let mut reader = Reader::from_str(xml);
        let mut in_text = false;
        let mut link = None;
        let mut note = None;
        loop {
            let event = reader.read_event().map_err(|error| malformed(&error))?;
            let is_empty = matches!(event, Event::Empty(_));
            match event {
                Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                    "p" if !is_empty => self.paragraph = Paragraph::default(),
                    "pStyle" => {
                        self.paragraph.level =
                            attribute(&tag, "val").and_then(|style| self.styles.get(&style).copied());
                    }
                    "ilvl" => self.paragraph.depth = attribute(&tag, "val"),
                    "numId" => self.paragraph.number = attribute(&tag, "val"),
                    "t" => in_text = !is_empty,
                    "tab" => self.paragraph.text.push(' '),
                    "br" | "cr" => self.paragraph.text.push('\n'),
                    "noBreakHyphen" => self.paragraph.text.push('-'),
                    "hyperlink" => {
                        link = attribute(&tag, "id").and_then(|id| self.links.get(&id).cloned());
                        if link.is_some() {
                            self.paragraph.text.push('[');
                        }
                    }
                    "footnoteReference" => {
                        if let Some(number) = attribute(&tag, "id") {
                            self.paragraph.text.push_str(&format!("[^{number}]"));
                            self.cited.push(number);
                        }
                    }
                    "footnote" => note = attribute(&tag, "id"),
                    "tbl" if self.tables.len() < MOST_TABLES => self.tables.push(Table::default()),
                    "tr" => {
                        if let Some(table) = self.tables.last_mut() {
                            table.rows.push(Vec::new());
                        }
                    }
                    "tc" => {
                        if let Some(row) = self.row() {
                            row.push(String::new());
                        }
                    }
                    _ => {}
                },
                Event::Text(text) if in_text => {
                    escape(&text, &mut self.paragraph.text);
                }
                Event::GeneralRef(reference) if in_text => {
                    let written = format!("&{};", &*reference);
                    escape(&unescaped(&written), &mut self.paragraph.text);
                }
                Event::CData(text) if in_text => {
                    escape(&text, &mut self.paragraph.text);
                }
                Event::End(tag) => match tag.local_name().as_ref() {
                    "t" => in_text = false,
                    "hyperlink" => {
                        if let Some(target) = link.take() {
                            self.paragraph.text.push_str(&format!("](<{target}>)"));
                        }
                    }
                    "p" => self.end_paragraph(note.as_deref()),
                    "tbl" => self.end_table(),
                    "footnote" => note = None,
                    _ => {}
                },
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    fn row(&mut self) -> Option<&mut Vec<String>> {
        self.tables.last_mut()?.rows.last_mut()
    }

    fn end_paragraph(&mut self, note: Option<&str>) {
        let paragraph = std::mem::take(&mut self.paragraph);
        let text = words(&paragraph.text);
        if text.is_empty() {
            return;
        }
        if let Some(number) = note {
            match self.notes.last_mut().filter(|(last, _)| last == number) {
                Some((_, before)) => before.push_str(&format!(" {text}")),
                None => self.notes.push((number.to_owned(), text)),
            }
            return;
        }
        if let Some(cell) = self.row().and_then(|row| row.last_mut()) {
            if !cell.is_empty() {
                cell.push_str(" <br> ");
            }
            cell.push_str(&text);
            return;
        }
        let list = paragraph.number.filter(|number| number != "0").map(|number| {
            let depth = paragraph.depth.unwrap_or_default();
            let numbered = self.numbered.get(&(number, depth.clone())).copied().unwrap_or(false);
            (depth.parse::<usize>().unwrap_or(0).min(8), numbered)
        });
        match (paragraph.level, list) {
            (Some(level), _) => self.block(&format!("{} {text}", "#".repeat(level)), false),
            (None, Some((depth, numbered))) => {
                let mark = if numbered { "1." } else { "-" };
                self.block(&format!("{}{mark} {text}", "   ".repeat(depth)), true);
            }
            (None, None) => {
                let text = guarded(&text);
                self.block(&text, false);
            }
        }
    }

    fn block(&mut self, text: &str, is_item: bool) {
        if !self.out.is_empty() && !(is_item && self.in_list) {
            self.out.push('\n');
        }
        self.out.push_str(text);
        self.out.push('\n');
        self.in_list = is_item;
    }

    fn end_table(&mut self) {
        let Some(table) = self.tables.pop() else { return };
        let width = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        if width == 0 {
            return;
        }
        if let Some(cell) = self.row().and_then(|row| row.last_mut()) {
            // A table in a cell is read row by row.
            let rows = table.rows.iter().map(|row| row.join(", ")).collect::<Vec<_>>().join("; ");
            cell.push_str(&rows);
            return;
        }
        let mut text = String::new();
        for (position, row) in table.rows.iter().enumerate() {
            text.push('|');
            for column in 0..width {
                text.push_str(&format!(" {} |", row.get(column).map_or("", String::as_str)));
            }
            text.push('\n');
            if position == 0 {
                text.push_str(&format!("|{}\n", " --- |".repeat(width)));
            }
        }
        self.block(text.trim_end(), false);
    }
}

/// Returns a paragraph that begins like no heading or list; what is inside the line is escaped already.
fn guarded(text: &str) -> String {
    let start: String =
        text.chars().take_while(|sign| sign.is_ascii_digit() || "#-+=>:.)".contains(*sign)).collect();
    let escaped = plain_markdown(&start);
    format!("{}{}", escaped.trim_end_matches('\n'), &text[start.len()..])
}

/// Returns the level of each style that is one of headings: by its outline level, else by its name.
fn heading_levels(styles: &str) -> Result<BTreeMap<String, usize>, ConvertError> {
    let mut levels = BTreeMap::new();
    let mut style = None;
    each_tag(styles, &mut |name, tag| match name {
        "style" => style = attribute(tag, "styleId"),
        "name" => {
            let named = attribute(tag, "val").unwrap_or_default().to_lowercase();
            let level = match named.as_str() {
                "title" => Some(1),
                _ => named.strip_prefix("heading ").and_then(|level| level.parse::<usize>().ok()),
            };
            if let (Some(style), Some(level)) = (&style, level) {
                levels.insert(style.clone(), level.clamp(1, 6));
            }
        }
        "outlineLvl" => {
            let level = attribute(tag, "val").and_then(|level| level.parse::<usize>().ok());
            // Nine levels are text in an outline.
            if let (Some(style), Some(level)) = (&style, level.filter(|level| *level < 9)) {
                levels.entry(style.clone()).or_insert((level + 1).min(6));
            }
        }
        _ => {}
    })?;
    Ok(levels)
}

/// Tells of each list and depth whether it is numbered.
fn numbered_lists(numbering: &str) -> Result<BTreeMap<(String, String), bool>, ConvertError> {
    let mut kinds: BTreeMap<(String, String), bool> = BTreeMap::new();
    let mut lists: Vec<(String, String)> = Vec::new();
    let (mut outline, mut depth, mut list) = (None, None, None);
    each_tag(numbering, &mut |name, tag| match name {
        "abstractNum" => outline = attribute(tag, "abstractNumId"),
        "lvl" => depth = attribute(tag, "ilvl"),
        "numFmt" => {
            if let (Some(outline), Some(depth), Some(format)) = (&outline, &depth, attribute(tag, "val")) {
                kinds.insert((outline.clone(), depth.clone()), format != "bullet" && format != "none");
            }
        }
        "num" => list = attribute(tag, "numId"),
        "abstractNumId" => {
            if let (Some(list), Some(outline)) = (&list, attribute(tag, "val")) {
                lists.push((list.clone(), outline));
            }
        }
        _ => {}
    })?;
    let mut numbered = BTreeMap::new();
    for (list, outline) in lists {
        for ((_, depth), is_numbered) in kinds.iter().filter(|((of, _), _)| *of == outline) {
            numbered.insert((list.clone(), depth.clone()), *is_numbered);
        }
    }
    Ok(numbered)
}

/// Returns where links of the text lead.
fn targets(relations: &str) -> Result<BTreeMap<String, String>, ConvertError> {
    let mut targets = BTreeMap::new();
    each_tag(relations, &mut |name, tag| {
        if name == "Relationship"
            && attribute(tag, "TargetMode").as_deref() == Some("External")
            && let (Some(id), Some(target)) = (attribute(tag, "Id"), attribute(tag, "Target"))
        {
            targets.insert(id, target.replace(['<', '>', '\n'], ""));
        }
    })?;
    Ok(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_headings_lists_tables_links_and_notes() {
        let document = "<w:document xmlns:w='w' xmlns:r='r'><w:body>\
            <w:p><w:pPr><w:pStyle w:val='H1'/></w:pPr><w:r><w:t>The ferry</w:t></w:r></w:p>\
            <w:p><w:r><w:t xml:space='preserve'>It sails </w:t></w:r><w:r><w:t>daily &amp; *late*.</w:t></w:r>\
            <w:r><w:footnoteReference w:id='2'/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>\
            <w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>\
            <w:p><w:pPr><w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr></w:pPr><w:r><w:t>inner</w:t></w:r></w:p>\
            <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Ship</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Year</w:t></w:r></w:p></w:tc></w:tr>\
            <w:tr><w:tc><w:p><w:r><w:t>Petrel</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>1998</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
            <w:p><w:hyperlink r:id='rId7'><w:r><w:t>timetable</w:t></w:r></w:hyperlink></w:p>\
            <w:p><w:r><w:t>2024. No item</w:t></w:r></w:p></w:body></w:document>";
        let styles =
            "<w:styles xmlns:w='w'><w:style w:styleId='H1'><w:name w:val='heading 1'/></w:style></w:styles>";
        let numbering = "<w:numbering xmlns:w='w'><w:abstractNum w:abstractNumId='4'><w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/></w:lvl>\
            <w:lvl w:ilvl='1'><w:numFmt w:val='bullet'/></w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='4'/></w:num></w:numbering>";
        let relations = "<Relationships><Relationship Id='rId7' TargetMode='External' Target='https://example.org/t'/></Relationships>";
        let notes = "<w:footnotes xmlns:w='w'><w:footnote w:id='2'><w:p><w:r><w:t>Not on Sundays.</w:t></w:r></w:p></w:footnote></w:footnotes>";
        let core = "<c xmlns:dc='d'><dc:title>Ferries</dc:title><dc:creator>Ada</dc:creator></c>";
        let bytes = crate::testing::zip(&[
            ("[Content_Types].xml", "<Types/>"),
            ("word/document.xml", document),
            ("word/styles.xml", styles),
            ("word/numbering.xml", numbering),
            ("word/_rels/document.xml.rels", relations),
            ("word/footnotes.xml", notes),
            ("docProps/core.xml", core),
        ]);
        let converted = convert(&bytes, &Limits::default()).expect("a text");
        let expected = "# The ferry\n\nIt sails daily & \\*late\\*.[^2]\n\n1. one\n   - inner\n\n| Ship | Year |\n| --- | --- |\n\
            | Petrel | 1998 |\n\n[timetable](<https://example.org/t>)\n\n2024\\. No item\n\n[^2]: Not on Sundays.\n";
        assert_eq!(converted.markdown, expected);
        assert_eq!((converted.title.as_deref(), converted.author.as_deref()), (Some("Ferries"), Some("Ada")));
    }
}
