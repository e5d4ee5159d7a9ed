//! Citations as places that a terminal or an editor can open: `path:line`.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use mge_config::Section;
use mge_core::unescape_part;
use mge_endpoint::Endpoint;
use mge_evidence::Citation;

use crate::printer::one_line;

/// Finds the files that indices mean.
pub(crate) struct Places {
    /// The folder of each source.
    roots: BTreeMap<String, PathBuf>,
    /// The present folder: what lies below it is shown as seen from there.
    here: Option<PathBuf>,
    /// The line starts of the files that were cited so far; nothing for a file that cannot be read.
    starts: RefCell<HashMap<PathBuf, Option<Vec<usize>>>>,
}

impl Places {
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        let config = endpoint.config();
        let sources = config.section(Section::Sources).values();
        let roots = sources.filter_map(|item| {
            let folder = item.extra_args.get("dst_path")?.as_str()?;
            Some((item.name.clone(), config.folder.join(folder)))
        });
        Self { roots: roots.collect(), here: std::env::current_dir().ok(), starts: RefCell::default() }
    }

    /// Returns the file that an index lies in.
    pub(crate) fn file(&self, index: &str) -> Option<PathBuf> {
        let (source, rest) = index.split_once('|')?;
        let file = unescape_part(rest.split('|').next()?);
        Some(self.roots.get(source)?.join(file))
    }

    /// Returns where a byte of a document stands, or the index itself where there is no such file.
    pub(crate) fn place(&self, index: &str, byte: usize) -> String {
        let Some(file) = self.file(index) else { return index.to_owned() };
        let line = self.line(&file, byte);
        let shown = self.shown(&file);
        match line {
            Some(line) => format!("{shown}:{line}"),
            None => shown,
        }
    }

    /// Returns where a citation stands, with the page of the original document where that has pages.
    pub(crate) fn cite(&self, citation: &Citation) -> String {
        on_page(self.place(&citation.document, citation.start), citation.page.as_deref())
    }

    /// Writes a path as seen from here. What a name could do to a terminal, or to a line, is written as an escape.
    pub(crate) fn shown(&self, file: &Path) -> String {
        let below = self.here.as_deref().and_then(|here| file.strip_prefix(here).ok());
        let shown = below.unwrap_or(file).display().to_string();
        let escaped =
            |sign: char| if sign.is_control() { sign.escape_default().to_string() } else { sign.to_string() };
        shown.chars().map(escaped).collect()
    }

    /// Returns the line of a byte, from 1. Spans count the bytes of the decoded text, which in files that are not UTF-8
    /// are others than those of the file; then there is no line.
    fn line(&self, file: &Path, byte: usize) -> Option<usize> {
        let mut starts = self.starts.borrow_mut();
        let starts = starts.entry(file.to_owned()).or_insert_with(|| {
            let text = String::from_utf8(fs::read(file).ok()?).ok()?;
            Some(line_starts(text.strip_prefix('\u{feff}').unwrap_or(&text)))
        });
        starts.as_ref().map(|starts| starts.partition_point(|start| *start <= byte))
    }
}

/// Adds the page of the original document to a place, where that has pages.
pub(crate) fn on_page(place: String, page: Option<&str>) -> String {
    match page {
        Some(page) => format!("{place} (page {})", one_line(page)),
        None => place,
    }
}

/// Returns the byte at which each line begins; line ends are LF, CRLF or CR.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(position, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(position + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|(position, _)| position + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_line_ends_are_known() {
        assert_eq!(line_starts("a\nb\r\nc\rd"), [0, 2, 5, 7]);
        assert_eq!(line_starts(""), [0]);
    }
}
