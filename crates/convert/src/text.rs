//! Plain text.

use crate::writer::Writer;
use crate::{ConvertError, Format, decode};

/// Converts plain text: blank lines part paragraphs, form feeds part pages.
pub(crate) fn convert(bytes: &[u8], writer: &mut Writer) -> Result<(), ConvertError> {
    let text = decode::decode(bytes, None, Format::Text)?;
    let has_pages = text.trim_end().contains('\u{c}');
    for (number, page) in text.split('\u{c}').enumerate() {
        if page.trim().is_empty() && number > 0 {
            continue;
        }
        if has_pages {
            writer.page((number + 1).to_string());
        }
        let mut lines = page.lines().peekable();
        while lines.peek().is_some() {
            let mut paragraph = Vec::new();
            for line in lines.by_ref() {
                if line.trim().is_empty() {
                    break;
                }
                paragraph.push(line);
            }
            writer.lines(paragraph.into_iter())?;
        }
    }
    Ok(())
}
