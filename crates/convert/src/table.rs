//! Tables of values.

use crate::plain::escape;
use crate::{ConvertError, Converted, Format, Limits};

/// So many rows stand under one header; then it is repeated, so that a part of a long table can be read alone.
const ROWS: usize = 100;
/// So many lines are looked at to find the sign between values.
const SAMPLED: usize = 20;
/// A row has no more cells than this; further ones are joined into the last.
const MOST_CELLS: usize = 512;

pub(crate) fn convert(text: &str, format: Format, limits: &Limits) -> Result<Converted, ConvertError> {
    let delimiter = if format == Format::Tsv { b'\t' } else { delimiter(text) };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let broken = |error: csv::Error| ConvertError::Broken { reason: error.to_string() };
    let mut converted = Converted::default();
    let mut records = reader.records();
    let Some(header) = records.next().transpose().map_err(broken)? else { return Ok(converted) };
    let (mut width, mut rows) = (header.len().min(MOST_CELLS), 0_usize);
    let mut ragged = 0_usize;
    for record in records {
        let record = record.map_err(broken)?;
        if rows.is_multiple_of(ROWS) {
            start(&header, width, &mut converted.markdown);
        }
        if record.len() != header.len() {
            ragged += 1;
            if record.len() > width {
                // A wider row begins a table of its own: GFM drops cells that have no header.
                width = record.len().min(MOST_CELLS);
                start(&header, width, &mut converted.markdown);
                rows = 0;
            }
        }
        row(&record, width, &mut converted.markdown);
        rows += 1;
        let (size, limit) = (converted.markdown.len() as u64, limits.max_output_bytes as u64);
        if size > limit {
            return Err(ConvertError::TooLarge { size, limit });
        }
    }
    if rows == 0 {
        start(&header, width, &mut converted.markdown);
    }
    if ragged > 0 {
        converted.warnings.push(format!("{ragged} rows have another number of values than the header"));
    }
    Ok(converted)
}

fn start(header: &csv::StringRecord, width: usize, markdown: &mut String) {
    if !markdown.is_empty() {
        markdown.push('\n');
    }
    row(header, width, markdown);
    markdown.push('|');
    markdown.push_str(&" --- |".repeat(width));
    markdown.push('\n');
}

fn row(record: &csv::StringRecord, width: usize, markdown: &mut String) {
    markdown.push('|');
    for position in 0..width {
        let last = position + 1 == MOST_CELLS;
        let cell = match record.get(position) {
            Some(_) if last => record.iter().skip(position).collect::<Vec<_>>().join(" "),
            Some(cell) => cell.to_owned(),
            None => String::new(),
        };
        let words = cell.split_whitespace().collect::<Vec<_>>().join(" ");
        markdown.push(' ');
        escape(&words, markdown);
        markdown.push_str(if words.is_empty() { "|" } else { " |" });
    }
    markdown.push('\n');
}

/// Returns the sign that stands equally often, and most often, on the first lines.
fn delimiter(text: &str) -> u8 {
    let count = |sign: u8| -> usize {
        let mut counts = text.lines().take(SAMPLED).filter(|line| !line.trim().is_empty()).map(|line| {
            let mut quoted = false;
            line.bytes()
                .filter(|byte| {
                    quoted ^= *byte == b'"';
                    !quoted && *byte == sign
                })
                .count()
        });
        let Some(first) = counts.next() else { return 0 };
        if counts.all(|other| other == first) { first * 1000 } else { first }
    };
    // Of signs that are as good as another the first is taken.
    let mut best = (b',', count(b','));
    for sign in [b';', b'\t', b'|'] {
        let found = count(sign);
        if found > best.1 {
            best = (sign, found);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(text: &str) -> String {
        convert(text, Format::Csv, &Limits::default()).expect("a table").markdown
    }

    #[test]
    fn values_are_cells_whatever_stands_between_them() {
        let expected = "| a | b |\n| --- | --- |\n| x, y | 1\\|2 |\n";
        assert_eq!(csv("a,b\n\"x, y\",1|2\n"), expected);
        assert_eq!(csv("a;b\nx, y;1|2\n"), expected);
        assert_eq!(csv("a\tb\nx, y\t1|2\n"), expected);
        assert_eq!(csv("a,b\n\"two\nlines\",\n"), "| a | b |\n| --- | --- |\n| two lines | |\n");
        assert_eq!(csv(""), "");
        assert_eq!(csv("only,header\n"), "| only | header |\n| --- | --- |\n");
    }

    #[test]
    fn no_value_of_an_uneven_row_is_lost() {
        assert_eq!(csv("a\n1\n2,3\n"), "| a |\n| --- |\n| 1 |\n\n| a | |\n| --- | --- |\n| 2 | 3 |\n");
    }

    #[test]
    fn long_tables_repeat_their_header() {
        let text = format!("n\n{}", "1\n".repeat(250));
        assert_eq!(csv(&text).matches("| n |").count(), 3);
    }
}
