//! What the shell proposes while one types: endpoints nearby, and the names inside the endpoint that is meant.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use mge_config::Section;
use mge_endpoint::{Endpoint, OpenOptions, STATES};

use crate::locate;

/// What a word of the command line names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// A state of an endpoint.
    State,
    /// An item of any section.
    Item,
    /// A source, as the start of an index.
    Source,
    /// An evidence graph.
    Graph,
    /// A capability.
    Capability,
    /// A text that nobody can guess.
    Text,
}

/// Completes the endpoint of the option.
pub(crate) fn endpoint_option() -> ArgValueCompleter {
    ArgValueCompleter::new(folders)
}

/// Completes the first word of a command that takes an endpoint only.
pub(crate) fn endpoint_or_nothing() -> ArgValueCompleter {
    ArgValueCompleter::new(folders)
}

/// Completes the first word of a command: the endpoint, or what would come after it.
pub(crate) fn endpoint_or(word: Word) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| {
        let mut found = folders(current);
        found.extend(names(word, current));
        found
    })
}

/// Completes a word that is not the endpoint.
pub(crate) fn word(word: Word) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| names(word, current))
}

/// Endpoints in the folder that is being typed, and folders on the way to others.
fn folders(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let (before, start) = match typed.rfind('/') {
        Some(slash) => typed.split_at(slash + 1),
        None => ("", typed.as_ref()),
    };
    let folder = if before.is_empty() { Path::new(".") } else { Path::new(before) };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let hidden = name.to_string_lossy().starts_with('.');
        if hidden || !name.to_string_lossy().starts_with(start) || !entry.path().is_dir() {
            continue;
        }
        let mut value = OsString::from(before);
        value.push(&name);
        if locate::as_endpoint(&entry.path()).is_none() {
            value.push("/");
        }
        found.push(CompletionCandidate::new(value));
    }
    found
}

fn names(word: Word, current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else { return Vec::new() };
    let known: Vec<String> = match word {
        Word::Text => Vec::new(),
        Word::State => {
            let states = STATES.entries.iter().filter(|(code, _)| *code >= 0);
            states.map(|(_, name)| (*name).to_owned()).collect()
        }
        Word::Item => {
            inside(|endpoint| endpoint.config().items().map(|(_, item)| item.name.clone()).collect())
        }
        Word::Source => inside(|endpoint| section(endpoint, Section::Sources)),
        Word::Graph => inside(|endpoint| section(endpoint, Section::EvidenceGraphs)),
        Word::Capability => inside(|endpoint| endpoint.status().capabilities),
    };
    let matches = |name: &&String| name.to_lowercase().starts_with(&current.to_lowercase());
    known.iter().filter(matches).map(CompletionCandidate::new).collect()
}

fn section(endpoint: &Endpoint, section: Section) -> Vec<String> {
    endpoint.names_of(section).into_iter().map(str::to_owned).collect()
}

/// Looks into the endpoint that the words typed so far mean; without one there is nothing to propose.
fn inside(look: impl FnOnce(&Endpoint) -> Vec<String>) -> Vec<String> {
    let Some(folder) = meant() else { return Vec::new() };
    let endpoint = Endpoint::open(&folder, &crate::registry(), OpenOptions::read());
    endpoint.map(|endpoint| look(&endpoint)).unwrap_or_default()
}

/// The endpoint of the option, the first word that is one, or the one around.
fn meant() -> Option<PathBuf> {
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(2).collect();
    let mut before: Option<&OsString> = None;
    for word in &words {
        let is_value = before.is_some_and(|before| before == "-e" || before == "--endpoint");
        if (is_value || !word.to_string_lossy().starts_with('-'))
            && let Some(folder) = locate::as_endpoint(Path::new(word))
        {
            return Some(folder);
        }
        before = Some(word);
    }
    locate::around().ok()
}
