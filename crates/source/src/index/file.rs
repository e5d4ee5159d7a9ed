//! The file of an index: where it is, and how it is opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mge_core::{Problem, near_names};
use mge_search::{HashingEmbedder, Language, Mode, Opened, SearchError, SearchIndex, Settings};
use rusqlite::Connection;

use super::seal::Seal;
use crate::config::SourceConfig;

/// The search index of one source. Opening it waits until it is needed.
pub(crate) struct SourceIndex {
    path: PathBuf,
    settings: Settings,
    modes: Vec<Mode>,
    reader: Mutex<Option<Arc<SearchIndex>>>,
    /// Held by whoever brings the index up to date.
    pub(super) writing: Mutex<()>,
}

/// The modes by their names; the first one that a source has is its default.
const MODES: [(&str, Mode); 3] =
    [("hybrid", Mode::Hybrid), ("lexical", Mode::Lexical), ("vector", Mode::Vector)];

impl SourceIndex {
    /// Returns the index that a source is configured to have, if any.
    pub(crate) fn of(config: &SourceConfig, endpoint: &Path, source: &str) -> Option<Self> {
        let wanted = config.index.as_ref()?;
        let language = config.language.as_deref().map_or_else(Language::default, Language::of_tag);
        let mut settings = Settings { language, embed: None };
        if wanted.is_vector() {
            settings.embed = Some(Arc::new(HashingEmbedder::default()));
        }
        let modes = match (wanted.is_lexical(), wanted.is_vector()) {
            (true, true) => vec![Mode::Hybrid, Mode::Lexical, Mode::Vector],
            (true, false) => vec![Mode::Lexical],
            (false, _) => vec![Mode::Vector],
        };
        Some(Self {
            path: place(config, endpoint, source),
            settings,
            modes,
            reader: Mutex::default(),
            writing: Mutex::default(),
        })
    }

    /// Returns the names of the ways to search, the default one first.
    pub(crate) fn modes(&self) -> Vec<&'static str> {
        let offered = MODES.iter().filter(|(_, mode)| self.modes.contains(mode));
        offered.map(|(name, _)| *name).collect()
    }

    /// Returns the way to search unless another one is asked for.
    pub(crate) fn default_mode(&self) -> Mode {
        self.modes[0]
    }

    /// Returns a mode by its name, or the default one, with its name.
    pub(crate) fn mode(&self, name: Option<&str>) -> Result<(&'static str, Mode), String> {
        let mut offered = MODES.iter().filter(|(_, mode)| self.modes.contains(mode)).copied();
        let known = offered.find(|(known, _)| name.is_none_or(|name| name == *known));
        known.ok_or_else(|| {
            let name = name.unwrap_or_default();
            let names = self.modes();
            match near_names(name, names.iter().copied()).first() {
                Some(near) => format!("there is no mode '{name}'; did you mean '{near}'?"),
                None => format!("the source is not searched by '{name}', only by {}", names.join(", ")),
            }
        })
    }

    /// Returns the index for reading; it is opened once.
    pub(crate) fn reader(&self) -> Result<Arc<SearchIndex>, SearchError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = &*reader {
            return Ok(Arc::clone(open));
        }
        let open = Arc::new(SearchIndex::read(&self.path, self.settings.clone())?);
        *reader = Some(Arc::clone(&open));
        Ok(open)
    }

    /// Returns the index for reading, if it was closed in order and has the vectors that are wanted.
    pub(super) fn sound_reader(&self) -> Option<SearchIndex> {
        if !Seal::of(&self.path).holds() {
            return None;
        }
        let index = SearchIndex::read(&self.path, self.settings.clone()).ok()?;
        let held = index.statistics().ok()?;
        let wanted = self.settings.embed.as_ref().map(|embed| embed.model());
        let is_whole = held.model == wanted && (wanted.is_none() || held.vectors == held.passages);
        is_whole.then_some(index)
    }

    /// Opens the index for writing. One that is damaged, or not of this version, is made anew, and `told` so.
    pub(super) fn writer(&self, told: &mut dyn FnMut(String)) -> Result<(SearchIndex, Opened), SearchError> {
        // Whatever did not close it in order may have left anything in its place.
        if self.path.exists() && !Seal::of(&self.path).holds() {
            let sound = SearchIndex::read(&self.path, self.settings.clone()).and_then(|index| index.verify());
            match sound {
                // Opening it for writing sees to these.
                Ok(()) | Err(SearchError::Missing { .. } | SearchError::Outdated { .. }) => {}
                Err(error) if is_useless(&error) => self.put_away(&error, told)?,
                Err(error) => return Err(error),
            }
        }
        match SearchIndex::open(&self.path, self.settings.clone()) {
            Err(error) if is_useless(&error) => {
                self.put_away(&error, told)?;
                SearchIndex::open(&self.path, self.settings.clone())
            }
            outcome => outcome,
        }
    }

    /// Leaves the index as readers like it, and says that it is closed in order.
    ///
    /// Who reads a file that keeps a log of changes leaves a log beside it, also an empty one. So the file keeps none until
    /// it is written again. While others have it open it cannot be told so, and nothing is lost by that.
    pub(super) fn seal(&self) -> io::Result<()> {
        let seal = Seal::of(&self.path);
        if seal.holds() {
            return Ok(());
        }
        let settled = || Connection::open(&self.path)?.pragma_update(None, "journal_mode", "delete");
        let _ = settled();
        seal.set()
    }

    /// Clears the way for a new index. What another program made is only set aside.
    pub(super) fn put_away(
        &self,
        error: &SearchError,
        told: &mut dyn FnMut(String),
    ) -> Result<(), SearchError> {
        let refused = |error: io::Error| self.file_error("put away", error);
        if matches!(error, SearchError::Foreign { .. }) {
            let aside = self.path.with_extension("aside");
            fs::rename(&self.path, &aside).map_err(refused)?;
            told(format!("{error}; it was set aside as '{}', and the index is made anew", aside.display()));
        } else {
            gone_is_fine(fs::remove_file(&self.path)).map_err(refused)?;
            told(format!("{error}; the index is made anew"));
        }
        for ending in ["-wal", "-shm"] {
            let mut beside = self.path.clone().into_os_string();
            beside.push(ending);
            gone_is_fine(fs::remove_file(PathBuf::from(beside))).map_err(refused)?;
        }
        // A reader that has the old file open would go on reading it.
        self.close_reader();
        Ok(())
    }

    /// Closes what reads the index here: the last to close a file takes its log away, and a reader may not.
    pub(super) fn close_reader(&self) {
        *self.reader.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn file_error(&self, action: &'static str, source: io::Error) -> SearchError {
        SearchError::File { action, path: self.path.clone(), source }
    }

    /// Finds what is wrong with the index, without changing it.
    pub(crate) fn verify(&self) -> Vec<Problem> {
        let anew = format!("remove '{}'; mge pilot makes it anew from the documents", self.path.display());
        match SearchIndex::read(&self.path, self.settings.clone()).and_then(|index| index.verify()) {
            Ok(()) => Vec::new(),
            Err(error @ (SearchError::Missing { .. } | SearchError::Outdated { .. })) => {
                let problem =
                    Problem::warning("no-search-index", format!("the search index is missing: {error}"));
                vec![problem.hint("mge pilot makes it")]
            }
            Err(error) if is_useless(&error) => {
                vec![Problem::error("broken-search-index", format!("the search index: {error}")).hint(anew)]
            }
            Err(error) => {
                let problem = Problem::error("unreadable-search-index", format!("the search index: {error}"));
                vec![error.hint().into_iter().fold(problem, Problem::hint)]
            }
        }
    }
}

/// Tells whether nothing can be done with an index but make it anew.
pub(super) fn is_useless(error: &SearchError) -> bool {
    matches!(error, SearchError::Damaged { .. } | SearchError::Foreign { .. } | SearchError::Newer { .. })
}

fn gone_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Returns where the index of a source lies: a folder of its own, so that no two sources share a file, whatever they are
/// told to call it.
fn place(config: &SourceConfig, endpoint: &Path, source: &str) -> PathBuf {
    let given = |key: &str| config.chroma.get(key).map(|text| text.trim()).filter(|text| !text.is_empty());
    let folder = endpoint.join(given("chroma_path").unwrap_or("graphs"));
    let named =
        given("chroma_chunks_collection_name").or_else(|| given("chroma_descriptions_collection_name"));
    let plain = |sign: char| if sign.is_alphanumeric() || sign == '-' { sign } else { '_' };
    let name: String = named.unwrap_or("search").chars().take(MOST_NAME).map(plain).collect();
    folder.join(source).join(format!("{name}.sqlite"))
}

/// The most code points of a collection's name that the name of the file takes.
const MOST_NAME: usize = 50;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn index(extra_args: serde_json::Value) -> Option<SourceIndex> {
        let mut extra_args = extra_args;
        extra_args["dst_path"] = json!("docs");
        let config = SourceConfig::read(&extra_args).expect("a configuration");
        SourceIndex::of(&config, Path::new("/e"), "s")
    }

    #[test]
    fn the_keys_of_the_original_say_where_the_index_is() {
        let place = |extra_args| index(extra_args).map(|index| index.path.to_string_lossy().into_owned());
        assert_eq!(place(json!({})).as_deref(), Some("/e/graphs/s/search.sqlite"));
        assert_eq!(place(json!({"chroma_path": "db"})).as_deref(), Some("/e/db/s/search.sqlite"));
        assert_eq!(place(json!({"chroma_path": "/db/"})).as_deref(), Some("/db/s/search.sqlite"));
        let names =
            json!({"chroma_descriptions_collection_name": "d", "chroma_chunks_collection_name": "../c d"});
        assert_eq!(place(names).as_deref(), Some("/e/graphs/s/___c_d.sqlite"));
        assert_eq!(place(json!({"index": false, "chroma_path": "db"})), None);
    }

    #[test]
    fn a_source_is_searched_in_the_ways_it_has() {
        let names = |extra_args| index(extra_args).expect("an index").modes();
        assert_eq!(names(json!({})), ["hybrid", "lexical", "vector"]);
        assert_eq!(names(json!({"index": {"vector": false}})), ["lexical"]);
        assert_eq!(names(json!({"index": {"lexical": false}})), ["vector"]);
        let words = index(json!({"index": {"vector": false}})).expect("an index");
        assert_eq!(words.mode(None), Ok(("lexical", Mode::Lexical)));
        assert_eq!(words.default_mode(), Mode::Lexical);
        assert!(words.mode(Some("vector")).expect_err("it has none").contains("only by lexical"));
        let both = index(json!({})).expect("an index");
        assert_eq!(both.mode(Some("vector")), Ok(("vector", Mode::Vector)));
        assert!(both.mode(Some("lexcal")).expect_err("no such mode").contains("'lexical'"));
    }
}
