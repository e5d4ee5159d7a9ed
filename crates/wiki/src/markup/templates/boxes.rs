//! Boxes of facts, as tables of fields and values.

use std::ops::Range;

use super::arguments::Arguments;
use super::{BREAK, Converter, with_breaks};
use crate::markup::escape::{self, push_cell};
use crate::markup::tables::CELL_BREAK;

/// Ends of the names of files that are shown.
const FILES: &[&str] = &["jpg", "jpeg", "png", "svg", "gif", "tif", "tiff", "webp", "ogg", "oga", "ogv", "webm", "pdf", "mp3"];

impl Converter<'_> {
    /// Returns a box as a table.
    pub(super) fn fact_box(&mut self, arguments: &Arguments) -> String {
        let mut rows = String::new();
        for (name, value) in self.facts(arguments) {
            rows.push_str("| ");
            push_cell(&mut rows, &name);
            rows.push_str(" | ");
            push_cell(&mut rows, &with_breaks(&value, CELL_BREAK));
            rows.push_str(" |\n");
        }
        if rows.is_empty() { rows } else { format!("| field | value |\n| --- | --- |\n{rows}") }
    }

    /// Returns a box that is within a line.
    pub(super) fn fact_lines(&mut self, arguments: &Arguments) -> String {
        let facts = self.facts(arguments);
        let lines = facts.iter().map(|(name, value)| format!("{name}: {}", with_breaks(value, ", ")));
        let text = lines.collect::<Vec<_>>().join(&BREAK.to_string());
        if text.is_empty() { text } else { format!("{text}{BREAK}") }
    }

    /// Returns the fields of a box that have a value.
    fn facts(&mut self, arguments: &Arguments) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        for (name, range) in &arguments.named {
            if !self.is_fact(range) {
                continue;
            }
            self.cells += 1;
            let value = self.flat(range.clone());
            self.cells -= 1;
            if !with_breaks(&value, " ").is_empty() {
                facts.push((escape::plain(&name.replace(['_', '\n'], " ")), value));
            }
        }
        facts
    }

    /// Returns whether a value is more than the name of a file.
    fn is_fact(&self, range: &Range<usize>) -> bool {
        let value = self.text[range.clone()].trim();
        let end = value.rsplit_once('.').map_or("", |(_, end)| end);
        let is_file = end.len() < 5 && FILES.contains(&end.to_ascii_lowercase().as_str());
        !value.is_empty() && !(is_file && !value.contains(['[', '{', '/']))
    }
}
