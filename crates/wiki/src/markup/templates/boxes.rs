//! Boxes of facts, as tables of fields and values.

use super::arguments::Arguments;
use super::{BREAK, Converter, with_breaks};
use crate::markup::escape::{self, push_cell};
use crate::markup::marks::{NOTE, NOTE_END, is_mark};
use crate::markup::tables::cell_text;

/// Ends of the names of files that are shown.
const FILES: &[&str] =
    &["jpg", "jpeg", "png", "svg", "gif", "tif", "tiff", "webp", "ogg", "oga", "ogv", "webm", "pdf", "mp3"];

impl Converter<'_> {
    /// Returns a box as a table.
    pub(super) fn fact_box(&mut self, arguments: &Arguments) -> String {
        let mut rows = String::new();
        for (name, value) in self.facts(arguments) {
            rows.push_str("| ");
            push_cell(&mut rows, &name);
            rows.push_str(" | ");
            push_cell(&mut rows, &cell_text(&value));
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
            if !is_fact(name, self.text[range.clone()].trim()) {
                continue;
            }
            self.cells += 1;
            let value = self.flat(range.clone());
            self.cells -= 1;
            // A note alone is about another field; its text is at the end all the same.
            let shown =
                value.split(NOTE).map(|piece| piece.split_once(NOTE_END).map_or(piece, |(_, rest)| rest));
            if shown.flat_map(str::chars).any(|letter| !is_mark(letter) && !letter.is_whitespace()) {
                facts.push((escape::plain(&name.replace(['_', '\n'], " ")), value));
            }
        }
        facts
    }
}

/// Returns whether a value says something: it is no name of a file, size of a picture, color, pattern or setting.
fn is_fact(name: &str, value: &str) -> bool {
    let end = value.rsplit_once('.').map_or("", |(_, end)| end);
    let is_file = end.len() < 5
        && FILES.contains(&end.to_ascii_lowercase().as_str())
        && !value.contains(['[', '{', '/']);
    let name = name.to_lowercase();
    let is_size = (name.contains("size") || name.contains("width") || name.contains("upright"))
        && value
            .trim_end_matches("px")
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'x' | b'.'));
    let digits = value.strip_prefix('#').unwrap_or(value);
    let is_color = digits.len() == 6
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (digits.len() < value.len() || digits.bytes().any(|byte| byte.is_ascii_alphabetic()));
    let is_setting = matches!(name.as_str(), "embed" | "child" | "subbox" | "nocat" | "zoom");
    let is_pattern = value.starts_with('_') || name.starts_with("pattern_");
    !value.is_empty() && !is_file && !is_size && !is_color && !is_pattern && !is_setting
}
