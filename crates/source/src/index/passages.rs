//! From a file to the passages that are found of it.

use mge_core::{ChunkKind, Digest, MappedText};
use mge_search::{Language, PassageText};

use crate::source::OpenedFile;

/// Changes with whatever changes the passages of a document, so that all are made anew.
const VERSION: &[u8] = b"passages 1";
/// The most passages of a document, the first of them; the index takes no more.
const MOST: usize = 1 << 20;
/// The most code points of a title that a passage repeats.
const MOST_TITLE: usize = 500;
/// Stands between a heading and the next one below it.
const SEPARATOR: &str = " › ";

/// Returns what decides about passages beside the file: what made its text, and the language it is taken for.
pub(crate) fn recipe(maker: &str, language: Option<&str>) -> String {
    let language = language.unwrap_or_default();
    let parts = [VERSION, maker.as_bytes(), language.as_bytes()];
    Digest::of_parts(parts).to_string()[..16].to_owned()
}

/// Returns what is found of a file: the file itself by what its node says of it, and each of its chunks.
pub(crate) fn passages(opened: OpenedFile) -> Vec<PassageText> {
    let OpenedFile { document, description, .. } = opened;
    let language = document.language.as_deref().map(Language::of_tag);
    let title = document.title.as_ref().map(clipped);
    let base = document.index.as_str().len() + 1;
    let whole = PassageText {
        key: String::new(),
        span: 0..document.text.len() as u64,
        title: String::new(),
        text: description,
        language,
    };
    let chunks = document.chunks.into_iter().map(|chunk| {
        // A heading says what it says; with those above it each would be found for the words of all.
        let title = match chunk.kind {
            ChunkKind::Heading => String::new(),
            _ => path(title.as_deref(), chunk.headings.iter().map(clipped)),
        };
        PassageText {
            key: chunk.index.as_str().get(base..).unwrap_or_default().to_owned(),
            span: chunk.span.start as u64..chunk.span.end as u64,
            title,
            text: chunk.text.as_str().to_owned(),
            language,
        }
    });
    std::iter::once(whole).chain(chunks).take(MOST).collect()
}

/// Writes the title of a document and the headings below it as one line; the first heading often is the title.
fn path(title: Option<&str>, headings: impl Iterator<Item = String>) -> String {
    let mut path = title.unwrap_or_default().to_owned();
    for (depth, heading) in headings.enumerate() {
        if depth == 0 && Some(heading.as_str()) == title {
            continue;
        }
        if !path.is_empty() {
            path.push_str(SEPARATOR);
        }
        path.push_str(&heading);
    }
    path
}

fn clipped(text: &MappedText) -> String {
    text.as_str().trim().chars().take(MOST_TITLE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_way_down_to_the_passage() {
        let path = |title: Option<&str>, headings: &[&str]| {
            path(title, headings.iter().map(|heading| (*heading).to_owned()))
        };
        assert_eq!(path(Some("Ferries"), &["Ferries", "Winter"]), "Ferries › Winter");
        assert_eq!(path(Some("The guide"), &["Ferries", "The guide"]), "The guide › Ferries › The guide");
        assert_eq!(path(None, &["Winter"]), "Winter");
        assert_eq!(path(Some("Ferries"), &[]), "Ferries");
        assert_eq!(path(None, &[]), "");
    }

    #[test]
    fn what_makes_the_text_and_its_language_decide_about_the_passages() {
        let all = [recipe("", None), recipe("a", None), recipe("", Some("a")), recipe("a", Some("a"))];
        for (position, one) in all.iter().enumerate() {
            assert!(!all[..position].contains(one) && !one.contains(' '), "{all:?}");
        }
    }
}
