//! Answers that are rows: a table for people, or JSON, CSV or Markdown for programs and pages.

use anyhow::Context as _;

use crate::printer::{Paint, Printer, columns, cut, cut_start, one_line};

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns, cut to the terminal's width
    #[default]
    Table,
    /// JSON, as with --json
    Json,
    /// Comma-separated values with a header
    Csv,
    /// A Markdown table
    Markdown,
}

/// The option of commands whose answer is rows.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct RowsArgs {
    /// Print rows in this form
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub(crate) format: Format,
}

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// To the left; too long a text loses its end.
    Text,
    /// To the right.
    Number,
    /// To the left; too long a path loses its beginning, which says the least.
    Path,
}

/// Rows with a header.
pub(crate) struct Rows {
    header: Vec<&'static str>,
    /// How each column is set.
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Rows {
    /// Starts rows; a name that ends with `#` is a column of numbers, one that ends with `/` a column of paths.
    pub(crate) fn new(header: &[&'static str]) -> Self {
        Self {
            header: header.iter().map(|name| name.trim_end_matches(['#', '/'])).collect(),
            columns: header
                .iter()
                .map(|name| match name.chars().next_back() {
                    Some('#') => Column::Number,
                    Some('/') => Column::Path,
                    _ => Column::Text,
                })
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Prints them in a form other than JSON, whose shape is each command's own.
    ///
    /// # Errors
    /// A row has no CSV form.
    pub(crate) fn print(&self, printer: &mut Printer, format: Format) -> anyhow::Result<()> {
        match format {
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(Vec::new());
                writer.write_record(&self.header)?;
                for row in &self.rows {
                    writer.write_record(row)?;
                }
                let bytes = writer.into_inner().context("cannot finish the CSV")?;
                printer.line(String::from_utf8_lossy(&bytes).trim_end_matches('\n'));
            }
            Format::Markdown => {
                let line = |cells: &mut dyn Iterator<Item = String>| {
                    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
                };
                printer.line(line(&mut self.header.iter().map(|name| (*name).to_owned())));
                let rule = self.columns.iter().map(|column| match column {
                    Column::Number => "--:".to_owned(),
                    Column::Text | Column::Path => "---".to_owned(),
                });
                printer.line(line(&mut rule.into_iter()));
                for row in &self.rows {
                    printer.line(line(&mut row.iter().map(|cell| one_line(cell).replace('|', "\\|"))));
                }
            }
            Format::Table | Format::Json => self.table(printer),
        }
        Ok(())
    }

    fn table(&self, printer: &mut Printer) {
        const GAP: usize = 2;
        let widths = self.widths(printer.width(), GAP);
        let line = |cells: &[String]| {
            let mut text = String::new();
            for (position, cell) in cells.iter().enumerate() {
                let width = widths[position];
                let cell = match self.columns[position] {
                    Column::Path => cut_start(cell, width),
                    Column::Text | Column::Number => cut(cell, width),
                };
                let padding = " ".repeat(width.saturating_sub(columns(&cell)));
                if self.columns[position] == Column::Number {
                    text.push_str(&padding);
                    text.push_str(&cell);
                } else {
                    text.push_str(&cell);
                    text.push_str(&padding);
                }
                text.push_str(&" ".repeat(GAP));
            }
            text.trim_end().to_owned()
        };
        let header: Vec<String> = self.header.iter().map(|name| (*name).to_owned()).collect();
        let header = printer.paint(Paint::Bold, line(&header));
        printer.line(header);
        for row in &self.rows {
            printer.line(line(row));
        }
    }

    /// Gives every column what it needs, and takes from the widest where that is too much.
    fn widths(&self, most: usize, gap: usize) -> Vec<usize> {
        const NARROWEST: usize = 8;
        let mut widths: Vec<usize> = self.header.iter().map(|name| columns(name)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(columns(&one_line(cell)));
            }
        }
        let room = most.saturating_sub(gap * widths.len().saturating_sub(1));
        while widths.iter().fold(0_usize, |sum, width| sum.saturating_add(*width)) > room {
            let Some(widest) = widths.iter_mut().max() else { break };
            if *widest <= NARROWEST {
                break;
            }
            *widest -= 1;
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_column_gives_way_first() {
        let mut rows = Rows::new(&["id", "text", "n#"]);
        rows.push(vec!["a".into(), "x".repeat(100), "12".into()]);
        assert_eq!(rows.widths(usize::MAX, 2), [2, 100, 2]);
        assert_eq!(rows.widths(40, 2), [2, 32, 2]);
        assert_eq!(rows.widths(5, 2), [2, 8, 2]);
    }
}
