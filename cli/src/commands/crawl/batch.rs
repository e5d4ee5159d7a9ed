//! A file of crawls, one a line, and how far it was worked through.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use mge_core::Digest;
use serde::{Deserialize, Serialize};

use crate::exit::{Exit, Failure};

/// The lines of a batch file, and where to go on.
pub(crate) struct Batch {
    file: PathBuf,
    /// Each line that says something, with its number in the file.
    lines: Vec<(usize, String)>,
    next: usize,
    progress: PathBuf,
}

/// How far a file was worked through, as it is kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finished {
    version: u32,
    /// The file, for people who wonder.
    file: String,
    /// The lines that are done. The file may have been edited since: what still stands at its start counts.
    lines: Vec<String>,
}

impl Batch {
    const VERSION: u32 = 1;

    /// Reads a batch file and finds its first line that is not done.
    pub(crate) fn read(file: &Path, endpoint: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(file).map_err(|error| {
            let exit = if error.kind() == std::io::ErrorKind::NotFound { Exit::Usage } else { Exit::Outside };
            Failure::new(exit, format!("cannot read the batch file {}", file.display())).caused_by(error)
        })?;
        let lines: Vec<(usize, String)> = text
            .lines()
            .enumerate()
            .map(|(position, line)| (position + 1, line.trim().to_owned()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .collect();
        let absolute = fs::canonicalize(file).with_context(|| format!("cannot read {}", file.display()))?;
        let key = Digest::of(absolute.as_os_str().as_encoded_bytes()).to_string();
        let progress = endpoint.join("graphs").join(format!("batch_{}.json", &key[..16]));
        let next = fs::read(&progress).map_or(0, |bytes| done(&bytes, &lines));
        Ok(Self { file: file.to_owned(), lines, next, progress })
    }

    /// Returns the file's name as it was given.
    pub(crate) fn shown(&self) -> String {
        self.file.display().to_string()
    }

    /// Returns the first line that is not done, with its number.
    pub(crate) fn next(&self) -> Option<(usize, String)> {
        self.lines.get(self.next).cloned()
    }

    /// Goes on without keeping it.
    pub(crate) fn skip_line(&mut self) {
        self.next += 1;
    }

    /// Keeps that a line is done.
    pub(crate) fn finish_line(&mut self) -> anyhow::Result<()> {
        self.next += 1;
        let finished = Finished {
            version: Self::VERSION,
            file: self.shown(),
            lines: self.lines[..self.next].iter().map(|(_, line)| line.clone()).collect(),
        };
        if let Some(folder) = self.progress.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        mge_config::write_atomically(&self.progress, &serde_json::to_vec(&finished)?)?;
        Ok(())
    }

    /// Forgets the progress when all is done, so that the next run begins anew.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match fs::remove_file(&self.progress) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", self.progress.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Returns how many lines at the start of the file are done. What cannot be read counts as nothing done: a crawl that
/// runs twice changes nothing.
fn done(bytes: &[u8], lines: &[(usize, String)]) -> usize {
    let Ok(finished) = serde_json::from_slice::<Finished>(bytes) else { return 0 };
    if finished.version != Batch::VERSION {
        return 0;
    }
    finished.lines.iter().zip(lines).take_while(|(done, (_, line))| *done == line).count()
}

/// Splits a line into words; quotes of either kind hold words together.
pub(crate) fn split(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed");
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(split("a 'b c'  \"d\"e").as_deref(), Ok(&["a".to_owned(), "b c".into(), "de".into()][..]));
        assert_eq!(split("''").as_deref(), Ok(&[String::new()][..]));
        assert!(split("'a").is_err());
    }

    #[test]
    fn an_edited_file_goes_on_where_it_differs() {
        let lines = |texts: &[&str]| -> Vec<(usize, String)> {
            texts.iter().enumerate().map(|(at, text)| (at + 1, (*text).to_owned())).collect()
        };
        let kept = br#"{"version": 1, "file": "x", "lines": ["a", "b"]}"#;
        assert_eq!(done(kept, &lines(&["a", "b", "c"])), 2);
        assert_eq!(done(kept, &lines(&["a", "x", "c"])), 1);
        assert_eq!(done(b"rubbish", &lines(&["a"])), 0);
    }
}
