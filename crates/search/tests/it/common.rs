//! What the tests share.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use mge_search::{Answer, Change, DocumentText, Language, Mode, PassageText, Query, SearchIndex, Settings};

/// Returns the path of an index in a folder.
pub(crate) fn file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("search.sqlite")
}

/// Opens an index with the default settings.
pub(crate) fn open(path: &Path) -> SearchIndex {
    SearchIndex::open(path, Settings::default()).unwrap().0
}

/// Makes a document of one passage for each text; its digest is its content.
pub(crate) fn document(key: &str, texts: &[&str]) -> Change {
    let passages = texts.iter().enumerate().map(|(number, text)| PassageText {
        key: format!("{key}|text_{number}"),
        span: 0..text.len() as u64,
        text: (*text).to_owned(),
        ..PassageText::default()
    });
    Change::Put(DocumentText {
        key: key.to_owned(),
        digest: digest(&format!("{texts:?}")),
        passages: passages.collect(),
    })
}

/// Makes a document of one passage in a language.
pub(crate) fn in_language(key: &str, language: Language, text: &str) -> Change {
    let passage = PassageText { text: text.to_owned(), language: Some(language), ..PassageText::default() };
    Change::Put(DocumentText { key: key.to_owned(), digest: digest(text), passages: vec![passage] })
}

fn digest(content: &str) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("{:x}", hasher.finish())
}

/// Searches in a mode.
pub(crate) fn search(index: &SearchIndex, mode: Mode, text: &str) -> Answer {
    index.search(&Query { mode, ..Query::new(text) }).unwrap()
}

/// Returns the keys of the documents that a search finds, the best first.
pub(crate) fn found(index: &SearchIndex, mode: Mode, text: &str) -> Vec<String> {
    search(index, mode, text).hits.into_iter().map(|hit| hit.document).collect()
}
