//! From tags to blocks.
//!
//! No tree is built: tags open and close blocks as they come, so that neither depth nor size of a page matters.
//! What HTML leaves unsaid (the end of a paragraph, an item, a cell) is taken from what comes next.

use std::collections::BTreeMap;

use html5ever::tokenizer::Tag;

use super::Keep;
use crate::ConvertError;
use crate::inline::Inline;
use crate::writer::Writer;

/// Left out always: what they hold is no text.
const NO_TEXT: &[&str] = &[
    "script", "style", "template", "noscript", "iframe", "object", "svg", "math", "canvas", "select",
    "audio", "video", "noembed", "noframes", "rt", "rp", "dialog", "button", "textarea",
];
/// Left out of a page: they serve to move around.
const AROUND: &[&str] = &["nav", "menu"];
/// Elements that part text as a paragraph does.
const PARTS: &[&str] = &[
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "aside",
    "address",
    "figure",
    "figcaption",
    "form",
    "fieldset",
    "legend",
    "details",
    "summary",
    "dl",
    "dt",
    "dd",
    "center",
    "body",
    "html",
    "head",
    "hgroup",
    "nav",
    "menu",
    "caption",
    "tbody",
    "thead",
    "tfoot",
    "option",
    "search",
];
const VOID: &[&str] =
    &["input", "img", "br", "hr", "meta", "link", "area", "base", "col", "embed", "source", "wbr"];
/// A cell that says it covers more is wrong.
const MOST_SPAN: usize = 200;
/// Bytes that the cells of one table may come to by standing in several places; beyond, they stand in the first only.
const MOST_REPEATED: usize = 4 << 20;

/// What is open and must be closed in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    List,
    Item,
    Quote,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    cell: Option<(Inline, usize, usize)>,
    /// Cells of earlier rows that reach down, by row and column.
    reaching: BTreeMap<(usize, usize), String>,
    /// Tables inside a cell, which become its text.
    inner: usize,
    /// What the cells that stand in several places have come to, in bytes.
    repeated: usize,
}

pub(super) struct Body<'w> {
    writer: &'w mut Writer,
    keep: Keep,
    inline: Inline,
    open: Vec<Open>,
    heading: Option<u8>,
    table: Option<Table>,
    pre: Option<(String, String)>,
    code: Option<String>,
    title: Option<String>,
    /// The element that is being left out, and how many of its name are open inside it.
    skipped: Option<(String, usize)>,
    /// How many parts of the page are open in which a foot belongs to the text.
    articles: usize,
}

impl<'w> Body<'w> {
    pub(super) fn new(writer: &'w mut Writer, keep: Keep) -> Self {
        Self {
            writer,
            keep,
            inline: Inline::default(),
            open: Vec::new(),
            heading: None,
            table: None,
            pre: None,
            code: None,
            title: None,
            skipped: None,
            articles: 0,
        }
    }

    /// Ends the page, and tells whether all that was left out had an end.
    pub(super) fn finish(mut self) -> Result<bool, ConvertError> {
        let complete = self.skipped.take().is_none_or(|(name, _)| NO_TEXT.contains(&name.as_str()));
        self.end_title();
        self.end_code();
        self.end_pre()?;
        self.end_table()?;
        self.flush()?;
        while self.open.pop().is_some() {
            self.writer.close()?;
        }
        Ok(complete)
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if let Some(title) = &mut self.title {
            title.push_str(text);
        } else if let Some((code, _)) = &mut self.pre {
            code.push_str(text);
        } else if let Some(code) = &mut self.code {
            code.push_str(text);
        } else {
            self.target().text(text);
        }
    }

    pub(super) fn start(&mut self, name: &str, tag: &Tag) -> Result<(), ConvertError> {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += usize::from(skipped == name && !tag.self_closing);
            return Ok(());
        }
        if self.is_left_out(name, tag) {
            if PARTS.contains(&name) {
                self.flush()?;
            }
            if !VOID.contains(&name) && !tag.self_closing {
                self.skipped = Some((name.to_owned(), 1));
            }
            return Ok(());
        }
        self.page_mark(tag)?;
        if let Some((code, word)) = &mut self.pre {
            match name {
                "br" => code.push('\n'),
                "code" if word.is_empty() => *word = language(tag).unwrap_or_default(),
                _ => {}
            }
            return Ok(());
        }
        match name {
            "title" => self.title = Some(String::new()),
            "meta" => self.meta(tag),
            "br" => self.target().line_break(),
            "a" => {
                if let Some(href) = attribute(tag, "href") {
                    self.target().open_link(&href);
                }
            }
            "img" => {
                let alternative = attribute(tag, "alt").unwrap_or_default();
                self.target().text(&alternative);
            }
            "code" | "kbd" | "samp" | "tt" => self.code = Some(String::new()),
            "q" => self.target().text("\u{201c}"),
            "table" => match &mut self.table {
                Some(table) => table.inner += 1,
                None => {
                    self.flush()?;
                    self.table = Some(Table::default());
                }
            },
            _ if self.table.is_some() => self.start_in_table(name, tag),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flush()?;
                self.heading = name[1..].parse().ok();
            }
            "ul" | "ol" => {
                self.flush()?;
                let first = attribute(tag, "start").and_then(|start| start.parse().ok()).unwrap_or(1);
                self.writer.open_list((name == "ol").then_some(first));
                self.open.push(Open::List);
            }
            "li" => {
                self.flush()?;
                self.close_to_list()?;
                if self.open.last() == Some(&Open::List) {
                    self.writer.open_item();
                    self.open.push(Open::Item);
                }
            }
            "blockquote" => {
                self.flush()?;
                self.writer.open_quote();
                self.open.push(Open::Quote);
                self.articles += 1;
            }
            "pre" => {
                self.flush()?;
                self.pre = Some((String::new(), language(tag).unwrap_or_default()));
            }
            "hr" => {
                self.flush()?;
                self.writer.rule()?;
            }
            _ if PARTS.contains(&name) => {
                self.articles += usize::from(matches!(name, "article" | "main" | "section"));
                self.flush()?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn end(&mut self, name: &str) -> Result<(), ConvertError> {
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped == name {
                *depth -= 1;
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            return Ok(());
        }
        match name {
            "title" => self.end_title(),
            "pre" => self.end_pre()?,
            _ if self.pre.is_some() => {}
            "code" | "kbd" | "samp" | "tt" => self.end_code(),
            "a" => self.target().close_link(),
            "q" => self.target().text("\u{201d}"),
            "table" => {
                let ends = match &mut self.table {
                    Some(table) if table.inner > 0 => {
                        table.inner -= 1;
                        false
                    }
                    table => table.is_some(),
                };
                if ends {
                    self.end_table()?;
                }
            }
            _ if self.table.is_some() => self.end_in_table(name),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.flush()?,
            "ul" | "ol" => {
                self.flush()?;
                self.close_last(Open::List)?;
            }
            "li" => {
                self.flush()?;
                self.close_to_list()?;
            }
            "blockquote" => {
                self.flush()?;
                self.close_last(Open::Quote)?;
                self.articles = self.articles.saturating_sub(1);
            }
            _ if PARTS.contains(&name) => {
                if matches!(name, "article" | "main" | "section") {
                    self.articles = self.articles.saturating_sub(1);
                }
                self.flush()?;
            }
            _ => {}
        }
        Ok(())
    }

    fn is_left_out(&self, name: &str, tag: &Tag) -> bool {
        if NO_TEXT.contains(&name) {
            return true;
        }
        if matches!(name, "html" | "body") || self.keep == Keep::All {
            return false;
        }
        let role = attribute(tag, "role").unwrap_or_default();
        AROUND.contains(&name)
            || (name == "footer" && self.articles == 0)
            || attribute(tag, "hidden").is_some()
            || attribute(tag, "aria-hidden").is_some_and(|value| value == "true")
            || matches!(role.as_str(), "navigation" | "search" | "contentinfo" | "menu")
    }

    fn meta(&mut self, tag: &Tag) {
        let name = attribute(tag, "name").or_else(|| attribute(tag, "property")).unwrap_or_default();
        let content = attribute(tag, "content").map(|content| content.trim().to_owned());
        let Some(content) = content.filter(|content| !content.is_empty()) else { return };
        let metadata = self.writer.metadata();
        match name.to_ascii_lowercase().as_str() {
            "author" | "dc.creator" | "article:author" => {
                metadata.author.get_or_insert(content);
            }
            "date" | "dc.date" | "article:published_time" | "dcterms.created" => {
                metadata.date.get_or_insert(content);
            }
            _ => {}
        }
    }

    /// Marks the place of a printed page, as electronic books have them.
    fn page_mark(&mut self, tag: &Tag) -> Result<(), ConvertError> {
        let is_break = [("epub:type", "pagebreak"), ("role", "doc-pagebreak")]
            .iter()
            .any(|(name, value)| attribute(tag, name).is_some_and(|found| found == *value));
        if is_break {
            let label = attribute(tag, "title").or_else(|| attribute(tag, "aria-label")).unwrap_or_default();
            if self.inline.is_empty() && self.table.is_none() {
                self.flush()?;
            }
            self.writer.page(label);
        }
        Ok(())
    }

    /// Returns where text goes.
    fn target(&mut self) -> &mut Inline {
        match self.table.as_mut().and_then(|table| table.cell.as_mut()) {
            Some((cell, ..)) => cell,
            None => &mut self.inline,
        }
    }

    /// Writes the text that has gathered.
    fn flush(&mut self) -> Result<(), ConvertError> {
        let inline = std::mem::take(&mut self.inline);
        let heading = self.heading.take();
        if inline.is_empty() {
            return Ok(());
        }
        match heading {
            Some(level) => self.writer.heading(level, inline),
            None => self.writer.paragraph(inline),
        }
    }

    fn end_title(&mut self) {
        if let Some(title) = self.title.take() {
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            let metadata = self.writer.metadata();
            if !title.is_empty() && metadata.title.is_none() {
                metadata.title = Some(title);
            }
        }
    }

    fn end_code(&mut self) {
        if let Some(code) = self.code.take() {
            self.target().code(&code);
        }
    }

    fn end_pre(&mut self) -> Result<(), ConvertError> {
        match self.pre.take() {
            Some((code, language)) => self.writer.code(&language, &code),
            None => Ok(()),
        }
    }

    /// Closes an item, and what is open inside it, up to its list.
    fn close_to_list(&mut self) -> Result<(), ConvertError> {
        let Some(list) = self.open.iter().rposition(|one| *one == Open::List) else { return Ok(()) };
        // An item inside a quote inside an item begins nothing.
        if self.open[list..].contains(&Open::Quote) {
            return Ok(());
        }
        while self.open.len() > list + 1 {
            self.open.pop();
            self.writer.close()?;
        }
        Ok(())
    }

    /// Closes the last open thing of a kind, and what is open inside it; nothing if there is none.
    fn close_last(&mut self, kind: Open) -> Result<(), ConvertError> {
        let Some(last) = self.open.iter().rposition(|one| *one == kind) else { return Ok(()) };
        while self.open.len() > last {
            self.open.pop();
            self.writer.close()?;
        }
        Ok(())
    }

    fn start_in_table(&mut self, name: &str, tag: &Tag) {
        let Some(table) = &mut self.table else { return };
        match name {
            "tr" if table.inner == 0 => {
                table.end_cell();
                table.begin_row();
            }
            "td" | "th" if table.inner == 0 => {
                table.end_cell();
                let span = |name: &str| {
                    let value = attribute(tag, name).and_then(|value| value.trim().parse().ok());
                    value.unwrap_or(1_usize).clamp(1, MOST_SPAN)
                };
                table.cell = Some((Inline::default(), span("colspan"), span("rowspan")));
            }
            "tr" | "td" | "th" | "li" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" => table.space(),
            _ if PARTS.contains(&name) => table.space(),
            _ => {}
        }
    }

    fn end_in_table(&mut self, name: &str) {
        let Some(table) = &mut self.table else { return };
        match name {
            "td" | "th" | "tr" if table.inner == 0 => table.end_cell(),
            _ => table.space(),
        }
    }

    fn end_table(&mut self) -> Result<(), ConvertError> {
        let Some(mut table) = self.table.take() else { return Ok(()) };
        table.end_cell();
        let rows: Vec<Vec<String>> =
            table.rows.into_iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).collect();
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        if rows.len() > 1 && width > 1 {
            return self.writer.table(&rows);
        }
        // One row or column is no table but a page's layout.
        for cell in rows.into_iter().flatten() {
            self.writer.markdown_line(&cell.replace("\\|", "|"))?;
        }
        Ok(())
    }
}

impl Table {
    fn space(&mut self) {
        if let Some((cell, ..)) = &mut self.cell {
            cell.text(" ");
        }
    }

    fn begin_row(&mut self) {
        self.rows.push(Vec::new());
        self.reach();
    }

    /// Ends a cell; it stands in every place that it covers.
    fn end_cell(&mut self) {
        let Some((cell, columns, rows)) = self.cell.take() else { return };
        let text = cell.finish_cell();
        self.repeated = self.repeated.saturating_add((columns * rows - 1) * (text.len() + 64));
        let (columns, rows) = if self.repeated > MOST_REPEATED { (1, 1) } else { (columns, rows) };
        if self.rows.is_empty() {
            self.begin_row();
        }
        for _ in 0..columns {
            let Some(row) = self.rows.last_mut() else { return };
            let column = row.len();
            row.push(text.clone());
            let last = self.rows.len() - 1;
            for below in 1..rows {
                self.reaching.insert((last + below, column), text.clone());
            }
        }
        self.reach();
    }

    /// Fills in the cells that reach down to the place of the next one.
    fn reach(&mut self) {
        let Some(last) = self.rows.len().checked_sub(1) else { return };
        let row = &mut self.rows[last];
        while let Some(text) = self.reaching.remove(&(last, row.len())) {
            row.push(text);
        }
    }
}

fn attribute(tag: &Tag, name: &str) -> Option<String> {
    tag.attrs
        .iter()
        .find(|attribute| *attribute.name.local == *name)
        .map(|attribute| attribute.value.to_string())
}

/// Returns the programming language that a class names.
fn language(tag: &Tag) -> Option<String> {
    let class = attribute(tag, "class")?;
    let word = class
        .split_whitespace()
        .find_map(|word| word.strip_prefix("language-").or(word.strip_prefix("lang-")));
    word.or_else(|| class.strip_prefix("sourceCode ")).map(str::to_owned)
}
