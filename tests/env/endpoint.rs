//! An endpoint that a test works with.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::process::program;
use super::{Mge, Ran, TestEnv, copy_folder, json_lines};

/// The name of every endpoint that is made from the template.
pub(crate) const TOWN: &str = "town";

/// The graph of the template.
pub(crate) const GRAPH: &str = "e_graph";

/// An endpoint in a test's room.
pub(crate) struct Endpoint<'e> {
    env: &'e TestEnv,
    folder: PathBuf,
}

impl<'e> Endpoint<'e> {
    pub(crate) fn at(env: &'e TestEnv, folder: PathBuf) -> Self {
        Self { env, folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a path below the endpoint.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.folder.join(relative)
    }

    /// Returns the folder of the template's documents.
    pub(crate) fn documents(&self) -> PathBuf {
        self.folder.join("documents")
    }

    /// Returns the file of the template's graph.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.join("graphs").join(GRAPH).join("graph.sqlite")
    }

    /// Writes a document.
    pub(crate) fn write(&self, document: &str, content: impl AsRef<[u8]>) {
        let path = self.documents().join(document);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Reads a document.
    pub(crate) fn read(&self, document: &str) -> String {
        fs::read_to_string(self.documents().join(document)).unwrap()
    }

    /// Replaces a text that must stand in a file of the endpoint.
    pub(crate) fn replace(&self, file: &str, from: &str, to: &str) {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} does not say {from:?}");
        fs::write(path, text.replace(from, to)).unwrap();
    }

    /// Prepares a command on this endpoint.
    pub(crate) fn mge<A: AsRef<OsStr>>(&self, command: &str, arguments: impl IntoIterator<Item = A>) -> Mge {
        self.env.mge([command]).arg(&self.folder).args(arguments)
    }

    /// Prepares a command with JSON as its answer and no further arguments.
    pub(crate) fn json(&self, command: &str) -> Mge {
        self.mge(command, ["--json"])
    }

    /// Crawls everything and returns the last line of the report.
    pub(crate) fn crawl(&self) -> Value {
        self.mge("crawl", ["--all", "--json"]).ok().last("finished")
    }

    /// Returns the export's bytes.
    pub(crate) fn export(&self) -> String {
        self.mge::<&str>("export", []).ok().stdout
    }

    /// Returns the export's lines.
    pub(crate) fn exported(&self) -> Vec<Value> {
        json_lines(&self.export())
    }

    /// Asks a question; what comes back tells whether it was known.
    pub(crate) fn ask(&self, question: &str) -> Ran {
        self.mge("ask", [question, "--json"]).run()
    }

    /// Returns what `status --json` says.
    pub(crate) fn status(&self) -> Value {
        self.json("status").ok().json()
    }

    /// Proves the store sound.
    pub(crate) fn assert_sound(&self) {
        self.mge::<&str>("fsck", []).ok();
    }

    /// Moves the endpoint.
    pub(crate) fn moved_to(self, folder: PathBuf) -> Self {
        fs::create_dir_all(folder.parent().unwrap()).unwrap();
        fs::rename(&self.folder, &folder).unwrap();
        Self { env: self.env, folder }
    }
}

/// Returns the template as `mge init` and `mge crawl --all` make it, for copying.
///
/// It is made once for a build of the program, and kept for the other tests, which may run in processes of their own.
pub(crate) fn crawled_template() -> PathBuf {
    static READY: OnceLock<PathBuf> = OnceLock::new();
    READY.get_or_init(prepare).clone()
}

fn prepare() -> PathBuf {
    let binary = fs::metadata(program()).unwrap();
    let built = binary.modified().unwrap().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
    let shelf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crawled-template");
    let ready = shelf.join(format!("{built:x}-{:x}", binary.len()));
    if !ready.exists() {
        let env = TestEnv::new();
        let town = env.init(TOWN, &[]);
        town.crawl();
        fs::create_dir_all(&shelf).unwrap();
        forget_old(&shelf);
        let draft = shelf.join(format!("draft-{}", std::process::id()));
        copy_folder(town.folder(), &draft);
        // Another process may have been faster; both made the same.
        if fs::rename(&draft, &ready).is_err() {
            fs::remove_dir_all(&draft).unwrap();
        }
    }
    assert!(ready.exists(), "there is no crawled template in {}", ready.display());
    ready
}

/// Removes what builds of other days left.
fn forget_old(shelf: &Path) {
    for entry in fs::read_dir(shelf).unwrap().flatten() {
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > Duration::from_secs(24 * 60 * 60)) {
            // Someone else may be clearing up as well.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
