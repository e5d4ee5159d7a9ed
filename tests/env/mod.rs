//! The clean room in which a test runs the program, and what tests share.

pub(crate) mod claims;
pub(crate) mod dice;
pub(crate) mod endpoint;
pub(crate) mod process;
pub(crate) mod story;
pub(crate) mod system;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) use self::endpoint::Endpoint;
pub(crate) use self::process::{Mge, Ran};

/// A folder of its own with a home, a folder for temporary files and a folder to work in.
///
/// Of the outside only `PATH` comes in, so that no variable of the person who runs the tests can change a result.
pub(crate) struct TestEnv {
    root: TempDir,
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        let root = TempDir::with_prefix("mge-e2e-").unwrap();
        for folder in ["home", "tmp", "work"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    /// Returns a path below the working folder.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("work").join(relative)
    }

    /// Makes a folder below the working folder.
    pub(crate) fn folder(&self, relative: impl AsRef<Path>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Returns the whole room's folder.
    pub(crate) fn room(&self) -> &Path {
        self.root.path()
    }

    /// Prepares a run of the program in the working folder.
    pub(crate) fn mge<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Mge {
        Mge::new(self.root.path(), arguments)
    }

    /// Scaffolds an endpoint as `mge init` does, without piloting it.
    pub(crate) fn init(&self, name: &str, options: &[&str]) -> Endpoint<'_> {
        self.mge(["init", name]).args(options).ok();
        Endpoint::at(self, self.path(name))
    }

    /// Returns a copy of the template, crawled to the end.
    pub(crate) fn town(&self) -> Endpoint<'_> {
        self.town_in("")
    }

    /// Returns a copy of the crawled template in a folder below the working folder.
    pub(crate) fn town_in(&self, parent: &str) -> Endpoint<'_> {
        let folder = self.folder(parent).join(endpoint::TOWN);
        copy_folder(&endpoint::crawled_template(), &folder);
        Endpoint::at(self, folder)
    }

    /// Scaffolds the template's wiring and ontology around other documents.
    pub(crate) fn town_of(&self, parent: &str, documents: &[(String, String)]) -> Endpoint<'_> {
        let folder = self.folder(parent).join(endpoint::TOWN);
        self.mge([OsStr::new("init"), folder.as_os_str()]).ok();
        let town = Endpoint::at(self, folder);
        fs::remove_dir_all(town.documents()).unwrap();
        fs::create_dir(town.documents()).unwrap();
        for (path, text) in documents {
            town.write(path, text);
        }
        town
    }
}

/// Returns the repository's folder.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns a file or folder of the data that lies beside the repository, or says that it is not there.
pub(crate) fn shared(relative: &str) -> Option<PathBuf> {
    let path = repository().parent()?.join("shared").join(relative);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: there is no ../shared/{relative} beside the repository");
    None
}

/// Copies a folder with all that is in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Returns every file below a folder as path and bytes, in the order of the paths.
pub(crate) fn all_files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                files.push((entry.path(), fs::read(entry.path()).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// Returns what stands in a document where a line of an export says so.
pub(crate) fn document_text(endpoint: &Endpoint<'_>, line: &Value) -> Option<String> {
    let at = |key: &str| usize::try_from(number(line, key)).unwrap();
    let document = endpoint.read(&claims::document_of(text(line, "index")));
    document.get(at("start")..at("end")).map(str::to_owned)
}

/// Reads a file of JSON Lines.
pub(crate) fn read_json_lines(path: &Path) -> Vec<Value> {
    json_lines(&fs::read_to_string(path).unwrap())
}

/// Parses JSON Lines.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in the line {line:?}")))
        .collect()
}

/// Returns a text field of an object, or nothing.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Returns a whole number of an object.
pub(crate) fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("there is no number {key:?} in {value}"))
}
