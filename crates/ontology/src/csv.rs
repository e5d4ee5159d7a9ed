//! Files of rows: separated values and JSON Lines.

use std::path::Path;

use mge_core::{Problem, near_names};
use serde_json::{Map, Value};

use crate::config::{FileFormat, RowFormat};
use crate::graph::{Graph, Origin, RowError};

/// What the rows of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    Nodes,
    Edges,
}

impl Rows {
    /// Returns the columns that every row needs.
    fn columns(self, format: &FileFormat) -> Vec<&str> {
        match self {
            Self::Nodes => vec![&format.id],
            Self::Edges => vec![&format.src, &format.dst, &format.id],
        }
    }

    /// Adds a row by its key cells.
    fn add<'a>(
        self,
        graph: &mut Graph,
        keys: &[&str],
        cells: impl Iterator<Item = (&'a str, &'a str)>,
        line: u32,
    ) -> Result<(), RowError> {
        match (self, keys) {
            (Self::Nodes, [id]) => graph.add_node(id, cells, line, Origin::Curated),
            (Self::Edges, [src, dst, id]) => graph.add_edge([src, dst], id, cells, line, Origin::Curated),
            _ => Ok(()),
        }
    }
}

/// Reads a file into the graph and returns everything that is wrong with it.
pub(crate) fn read_file(
    path: &Path,
    how: RowFormat,
    what: Rows,
    format: &FileFormat,
    graph: &mut Graph,
) -> Vec<Problem> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = format!("cannot read '{}': {error}", path.display());
            return vec![Problem::error("unreadable-file", message).at(path, None, None)];
        }
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return vec![not_utf8(path, bytes, error.valid_up_to())],
    };
    match how {
        RowFormat::Csv => read_separated(path, text, what, format, graph),
        RowFormat::JsonLines => read_json_lines(path, text, what, format, graph),
    }
}

fn not_utf8(path: &Path, bytes: &[u8], at: usize) -> Problem {
    let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
    let wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let found = if wide { "it is UTF-16" } else { "it is of another encoding" };
    Problem::error("not-utf8", format!("'{}' is not UTF-8: {found}", path.display()))
        .at(path, Some(line), None)
        .hint("save it as UTF-8")
}

/// Collects what is wrong, with file and line.
struct Report<'a> {
    path: &'a Path,
    problems: Vec<Problem>,
}

impl Report<'_> {
    fn bad_row(&mut self, line: u32, message: impl Into<String>) {
        self.push("bad-row", line, message.into());
    }

    fn row_error(&mut self, line: u32, error: &RowError) {
        let code = if matches!(error, RowError::Duplicate { .. }) { "duplicate-id" } else { "bad-row" };
        self.push(code, line, error.to_string());
    }

    fn push(&mut self, code: &str, line: u32, message: String) {
        self.problems.push(Problem::error(code, message).at(self.path, Some(line as usize), None));
    }
}

/// Turns what [`Graph::finish`] says of edges into problems of their file.
pub(crate) fn conflicts(path: &Path, conflicts: &[(u32, RowError)]) -> Vec<Problem> {
    let mut report = Report { path, problems: Vec::new() };
    for (line, error) in conflicts {
        report.row_error(*line, error);
    }
    report.problems
}

fn read_separated(
    path: &Path,
    text: &str,
    what: Rows,
    format: &FileFormat,
    graph: &mut Graph,
) -> Vec<Problem> {
    let Some(separator) = format.separator() else {
        let message = format!("the separator {:?} is not one ASCII character", format.sep);
        return vec![Problem::error("bad-separator", message).pointer("/file_format/sep")];
    };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut report = Report { path, problems: Vec::new() };
    let mut lines = Lines { text: text.as_bytes(), at: 0, line: 1 };
    let mut record = csv::StringRecord::new();
    let mut header: Option<Header> = None;
    let mut last = 0;
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                // The text is valid and rows may be of any length: nothing is left that could fail.
                report
                    .problems
                    .push(Problem::error("unreadable-file", error.to_string()).at(path, None, None));
                break;
            }
        }
        let start = record.position().map_or(0, |position| position.byte() as usize);
        let line = lines.line_of(start);
        last = lines.at;
        let Some(header) = &header else {
            match Header::read(&record, what, format, path, line) {
                Ok(read) => header = Some(read),
                Err(problems) => return problems,
            }
            continue;
        };
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if record.len() != header.names.len() {
            let (found, wanted) = (record.len(), header.names.len());
            let fields = if found == 1 { "field" } else { "fields" };
            report.bad_row(line, format!("{found} {fields} where the header has {wanted}"));
            continue;
        }
        let keys: Vec<&str> = header.keys.iter().map(|column| &record[*column]).collect();
        let cells = header.cells.iter().map(|column| (header.names[*column].as_str(), &record[*column]));
        if let Err(error) = what.add(graph, &keys, cells, line) {
            report.row_error(line, &error);
        }
    }
    if header.is_none() {
        let message = format!("'{}' is empty; its first line names the columns", path.display());
        report.problems.push(Problem::error("missing-column", message).at(path, None, None));
    }
    if quote_is_open(&text[last..], separator) {
        let line = lines.line_of(last);
        report.bad_row(line, "a quote is opened and never closed; the rest of the file is inside it");
    }
    report.problems
}

/// Tells whether the last record swallows what follows it.
fn quote_is_open(last: &str, separator: u8) -> bool {
    if !last.contains('"') {
        return false;
    }
    let more = format!("{last}\nx");
    let reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(more.as_bytes());
    reader.into_records().count() == 1
}

/// Counts lines up to ever later places of a text.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
}

impl Lines<'_> {
    /// Returns the line, from 1, of the first record at or after a byte: blank lines before it are passed.
    fn line_of(&mut self, byte: usize) -> u32 {
        let mut end = byte.clamp(self.at, self.text.len());
        while end < self.text.len() && matches!(self.text[end], b'\n' | b'\r') {
            end += 1;
        }
        let passed = &self.text[self.at..end];
        for (position, byte) in passed.iter().enumerate() {
            // A lone CR ends a record for the reader too.
            let lone = *byte == b'\r' && self.text.get(self.at + position + 1) != Some(&b'\n');
            self.line += u32::from(*byte == b'\n' || lone);
        }
        self.at = end;
        self.line
    }
}

/// The columns of a file.
struct Header {
    names: Vec<String>,
    keys: Vec<usize>,
    cells: Vec<usize>,
}

impl Header {
    fn read(
        record: &csv::StringRecord,
        what: Rows,
        format: &FileFormat,
        path: &Path,
        line: u32,
    ) -> Result<Self, Vec<Problem>> {
        let names: Vec<String> = record.iter().map(|name| name.trim().to_owned()).collect();
        let at = |problem: Problem| problem.at(path, Some(line as usize), None);
        let mut problems = Vec::new();
        let mut keys = Vec::new();
        for key in what.columns(format) {
            match names.iter().position(|name| name == key) {
                Some(position) => keys.push(position),
                None => problems.push(at(missing_column(key, &names))),
            }
        }
        for (position, name) in names.iter().enumerate() {
            if name.is_empty() {
                problems
                    .push(at(Problem::error("bad-header", format!("column {} has no name", position + 1))));
            } else if names[..position].contains(name) {
                problems.push(at(Problem::error("bad-header", format!("there are two columns '{name}'"))));
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let cells = (0..names.len()).filter(|column| !keys.contains(column)).collect();
        Ok(Self { names, keys, cells })
    }
}

fn missing_column(key: &str, names: &[String]) -> Problem {
    let problem = Problem::error("missing-column", format!("there is no column '{key}'"));
    let only = match names {
        [only] => only.as_str(),
        _ => "",
    };
    let separator = [('\t', "tabs"), (',', "commas"), (';', "semicolons")]
        .into_iter()
        .find(|(sign, _)| only.contains(*sign));
    if let Some((sign, word)) = separator {
        return problem.hint(format!(
            "the header holds {word}; set \"file_format\": {{\"sep\": {:?}}}",
            sign.to_string()
        ));
    }
    match near_names(key, names.iter().map(String::as_str)).first() {
        Some(near) => problem.hint(format!("did you mean '{near}'? 'file_format' names the columns")),
        None => problem.hint("'file_format' names the columns and the separator"),
    }
}

fn read_json_lines(
    path: &Path,
    text: &str,
    what: Rows,
    format: &FileFormat,
    graph: &mut Graph,
) -> Vec<Problem> {
    let mut report = Report { path, problems: Vec::new() };
    for (number, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let fields = match serde_json::from_str::<Map<String, Value>>(row) {
            Ok(fields) => fields,
            Err(error) => {
                report.bad_row(line, format!("not a JSON object: {error}"));
                continue;
            }
        };
        let keys = what.columns(format);
        let mut cells: Vec<(&str, String)> = Vec::new();
        let mut sound = true;
        for (column, value) in &fields {
            match cell_text(value) {
                Some(cell) => cells.push((column, cell)),
                None => {
                    report.bad_row(line, format!("'{column}' is not a text"));
                    sound = false;
                }
            }
        }
        for key in &keys {
            if !fields.contains_key(*key) {
                report.bad_row(line, format!("there is no '{key}'"));
                sound = false;
            }
        }
        if !sound {
            continue;
        }
        let of =
            |key: &str| cells.iter().find(|(column, _)| *column == key).map_or("", |(_, cell)| cell.as_str());
        let values: Vec<&str> = keys.iter().map(|key| of(key)).collect();
        let others = cells.iter().filter(|(column, _)| !keys.contains(column) && !column.is_empty());
        let others = others.map(|(column, cell)| (*column, cell.as_str()));
        if let Err(error) = what.add(graph, &values, others, line) {
            report.row_error(line, &error);
        }
    }
    report.problems
}

/// Returns a value as a cell would hold it; lists and objects are none.
fn cell_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn quoted(cell: &str, always: bool, separator: char) -> String {
        let needed = cell.starts_with('"') || cell.contains([separator, '\n', '\r']);
        if always || needed { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            rows in prop::collection::btree_map("[a-zé|\"' ,;\t\n\r0]{0,8}x", ["[a-z\",\t\r\n ]{0,6}", "\\PC{0,6}"], 1..8),
            always in any::<bool>(),
            crlf in any::<bool>(),
            bom in any::<bool>(),
            separator in prop::sample::select(vec![',', '\t', ';']),
        ) {
            let end = if crlf { "\r\n" } else { "\n" };
            let mut text = if bom { "\u{feff}".to_owned() } else { String::new() };
            text.push_str(&["id", "one", "two"].join(&separator.to_string()));
            text.push_str(end);
            for (id, [one, two]) in &rows {
                let cells = [id, one, two].map(|cell| quoted(cell, always, separator));
                text.push_str(&cells.join(&separator.to_string()));
                text.push_str(end);
            }
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("rows.csv");
            std::fs::write(&path, text).unwrap();
            let format = FileFormat { sep: separator.to_string(), ..FileFormat::default() };
            let mut graph = Graph::default();
            let problems = read_file(&path, RowFormat::Csv, Rows::Nodes, &format, &mut graph);
            prop_assert!(problems.is_empty(), "{:?}", problems);
            graph.finish();
            for (id, [one, two]) in &rows {
                let level = graph.find(id).expect("it was written");
                let expected: BTreeMap<&str, &str> = [("one", one.as_str()), ("two", two.as_str())]
                    .into_iter()
                    .filter(|(_, cell)| !cell.is_empty())
                    .collect();
                prop_assert_eq!(graph.attributes(level), expected);
            }
            prop_assert_eq!(graph.node_count(), rows.len());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("rows");
            std::fs::write(&path, [b"id\tsrc\tdst\n", bytes.as_slice()].concat()).unwrap();
            for how in [RowFormat::Csv, RowFormat::JsonLines] {
                for what in [Rows::Nodes, Rows::Edges] {
                    let mut graph = Graph::default();
                    read_file(&path, how, what, &FileFormat::default(), &mut graph);
                    graph.finish();
                }
            }
        }
    }
}
