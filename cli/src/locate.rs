//! Which endpoint a command means. Looking never creates anything.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::exit::{Exit, Failure};

/// The file that makes a folder an endpoint.
pub(crate) const MAIN_FILE: &str = mge_config::MAIN_FILE;

/// The variable that names an endpoint.
pub(crate) const VARIABLE: &str = "MGE_ENDPOINT";

/// What a command was given: the endpoint's folder, and the words that are not the endpoint.
#[derive(Debug)]
pub(crate) struct Located {
    /// The folder, as it was given or found.
    pub(crate) folder: PathBuf,
    /// The other words in order.
    pub(crate) words: Vec<String>,
}

/// Takes the endpoint out of a command's words.
///
/// The first word is the endpoint if it is a folder with the main file; otherwise the option, the variable, or the
/// present folder and those above it say which. A command that takes at most `most` words besides tells so: one word
/// more must be an endpoint, and one that is not is a mistyped path rather than something else.
///
/// # Errors
/// There is no such endpoint; near names are in the hint.
pub(crate) fn locate(
    option: Option<&Path>,
    first: Option<OsString>,
    rest: Vec<OsString>,
    most: usize,
) -> Result<Located, Failure> {
    let words: Vec<OsString> = first.into_iter().chain(rest).collect();
    if let Some(option) = option {
        let folder = as_endpoint(option).ok_or_else(|| no_endpoint(option))?;
        if words.len() > most {
            return Err(too_many(&words, most));
        }
        return Ok(Located { folder, words: texts(words)? });
    }
    if let Some(folder) = words.first().and_then(|word| as_endpoint(Path::new(word))) {
        let rest = words[1..].to_vec();
        if rest.len() > most {
            return Err(too_many(&rest, most));
        }
        return Ok(Located { folder, words: texts(rest)? });
    }
    if let Some(word) = words.first()
        && (words.len() > most || is_path(word))
    {
        return Err(no_endpoint(Path::new(word)));
    }
    match (around(), words.first()) {
        (Ok(folder), _) => Ok(Located { folder, words: texts(words)? }),
        // Where there is no endpoint at all, a word that is nearly the name of one is meant to be it.
        (Err(_), Some(word)) if is_nearly_one(word) => Err(no_endpoint(Path::new(word))),
        (Err(failure), _) => Err(failure),
    }
}

fn is_nearly_one(word: &OsStr) -> bool {
    let names = endpoints_in(Path::new(""));
    !mge_core::near_names(&word.to_string_lossy(), names.iter().map(String::as_str)).is_empty()
}

/// Finds the endpoint without a word for it.
///
/// # Errors
/// The variable names none, or there is none here or above.
pub(crate) fn around() -> Result<PathBuf, Failure> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        let named = Path::new(&named);
        return as_endpoint(named).ok_or_else(|| {
            let mut failure = no_endpoint(named);
            failure.message = format!("{VARIABLE}: {}", failure.message);
            failure
        });
    }
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(Exit::Outside, format!("cannot tell the present folder: {error}")))?;
    match here.ancestors().find(|folder| folder.join(MAIN_FILE).is_file()) {
        // The present folder's own name is short and still right when a person reads it.
        Some(folder) if folder == here => Ok(PathBuf::from(".")),
        Some(folder) => Ok(folder.to_owned()),
        None => Err(nothing_here(&here)),
    }
}

/// Returns the folder if it is an endpoint; the main file itself stands for its folder.
pub(crate) fn as_endpoint(path: &Path) -> Option<PathBuf> {
    if path.join(MAIN_FILE).is_file() {
        return Some(path.to_owned());
    }
    if path.file_name() == Some(OsStr::new(MAIN_FILE)) && path.is_file() {
        let folder = path.parent()?;
        return Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() });
    }
    None
}

/// Returns the names of the endpoints in a folder.
pub(crate) fn endpoints_in(folder: &Path) -> Vec<String> {
    // A folder with more entries than this is no place where people keep endpoints.
    const MOST: usize = 2_000;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .take(MOST)
        .flatten()
        .filter(|entry| entry.path().join(MAIN_FILE).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn no_endpoint(path: &Path) -> Failure {
    let shown = path.display();
    let (message, exit) = match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => {
            (format!("'{shown}' is no endpoint: it has no {MAIN_FILE}"), Exit::Usage)
        }
        Ok(_) => (format!("'{shown}' is no endpoint: it is a file"), Exit::Usage),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            (format!("there is no endpoint '{shown}'"), Exit::NotFound)
        }
        Err(error) => (format!("cannot look at '{shown}': {error}"), Exit::Outside),
    };
    let failure = Failure::new(exit, message);
    let parent = path.parent().unwrap_or(Path::new(""));
    let names = endpoints_in(parent);
    let given = path.file_name().unwrap_or_default().to_string_lossy();
    let near = mge_core::near_names(&given, names.iter().map(String::as_str));
    if let Some(near) = near.first() {
        return failure.hint(format!("did you mean '{}'?", parent.join(near).display()));
    }
    failure.hint("mge init NAME makes a new endpoint")
}

fn nothing_here(here: &Path) -> Failure {
    let failure = Failure::new(Exit::NotFound, "there is no endpoint here, nor in any folder above");
    let names = endpoints_in(here);
    match names.as_slice() {
        [] => failure.hint("mge init NAME makes a new one; mge demo shows what it does"),
        [only] => failure.hint(format!("name it: mge … {only}, or go there: cd {only}")),
        [first, ..] => failure.hint(format!("name one of {}: mge … {first}", names.join(", "))),
    }
}

fn too_many(words: &[OsString], most: usize) -> Failure {
    let extra = words[most].display().to_string();
    let failure = Failure::usage(format!("unexpected argument '{extra}'"));
    if words.iter().any(|word| word.to_string_lossy().contains(' ')) || most == 0 {
        return failure;
    }
    failure.hint("a text of several words needs quotes")
}

/// Tells whether a word can only be a path.
fn is_path(word: &OsStr) -> bool {
    let text = word.to_string_lossy();
    if text.contains('|') {
        return false;
    }
    let separators: &[char] = if cfg!(windows) { &['/', '\\'] } else { &['/'] };
    text.starts_with('~')
        || text == "."
        || text == ".."
        || text.starts_with("./")
        || text.starts_with("../")
        || text.ends_with(separators)
        || Path::new(word).is_absolute()
}

fn texts(words: Vec<OsString>) -> Result<Vec<String>, Failure> {
    words
        .into_iter()
        .map(|word| {
            word.into_string()
                .map_err(|word| Failure::usage(format!("'{}' is no UTF-8 text", word.display())))
        })
        .collect()
}
