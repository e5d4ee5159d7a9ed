//! Tables of values between delimiters.

use csv::ReaderBuilder;

use crate::inline::Inline;
use crate::writer::Writer;
use crate::{ConvertError, Format, decode};

/// Rows of one Markdown table; a longer one goes on in another with the same head, so that every part can be read
/// alone.
const ROWS: usize = 50;
/// Bytes after which a table of few but long rows is parted as well.
const BYTES: usize = 16 << 10;
/// How much is looked at to find the delimiter.
const SAMPLE: usize = 64 << 10;
const DELIMITERS: [u8; 4] = *b",;\t|";

/// Converts a table of values; its first record is the head.
pub(crate) fn convert(bytes: &[u8], writer: &mut Writer) -> Result<(), ConvertError> {
    let text = decode::decode(bytes, None, Format::Csv)?;
    let delimiter = delimiter(&text);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut head: Option<Vec<String>> = None;
    let mut size = 0;
    let mut ragged = 0_u64;
    for record in reader(&text, delimiter).records() {
        let record = record
            .map_err(|error| ConvertError::Broken { format: Format::Csv, reason: error.to_string() })?;
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        let row: Vec<String> = record.iter().map(|field| Inline::of(field).finish_cell()).collect();
        let Some(head) = &head else {
            rows.push(row.clone());
            head = Some(row);
            continue;
        };
        ragged += u64::from(row.len() != head.len());
        size += row.iter().map(String::len).sum::<usize>();
        rows.push(row);
        if rows.len() > ROWS || size > BYTES {
            writer.table(&rows)?;
            rows = vec![head.clone()];
            size = 0;
        }
    }
    if rows.len() > 1 || writer.metadata().markdown.is_empty() {
        writer.table(&rows)?;
    }
    if ragged > 0 {
        writer.warn(format!("{ragged} rows have more or fewer values than the head"));
    }
    Ok(())
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes())
}

/// Returns the delimiter that gives the most records of one width above one.
fn delimiter(text: &str) -> u8 {
    let mut end = text.len().min(SAMPLE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let sample = &text[..end];
    let agreeing = |delimiter: u8| {
        let widths: Vec<usize> = reader(sample, delimiter)
            .records()
            .map_while(Result::ok)
            .filter(|record| record.iter().any(|field| !field.trim().is_empty()))
            .map(|record| record.len())
            .collect();
        let width = widths.first().copied().unwrap_or(0);
        let same = widths.iter().filter(|one| **one == width).count();
        if width > 1 { (same * 1000 / widths.len().max(1), width) } else { (0, 0) }
    };
    // The first of equals is the commonest.
    DELIMITERS.into_iter().rev().max_by_key(|delimiter| agreeing(*delimiter)).unwrap_or(b',')
}
