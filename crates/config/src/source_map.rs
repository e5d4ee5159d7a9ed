//! All files of one configuration, and where each part of the resolved value came from.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Label, Site};
use crate::located::{Located, Place, step, tokens};

/// The files of a configuration, joined as their `$ref`s say.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<Arc<Located>>,
    mounts: Vec<Mount>,
}

/// A place in the file of a mount.
pub(crate) type Origin = (usize, Range<usize>);

/// A file's place in the resolved value.
#[derive(Debug)]
struct Mount {
    tokens: Vec<String>,
    file: usize,
    /// The mount whose file holds the `$ref`, and where in it.
    origin: Option<Origin>,
}

/// Which part of a member a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Key,
    Value,
}

impl SourceMap {
    /// Returns the files that were read, the main one first.
    pub fn files(&self) -> impl Iterator<Item = &Located> {
        self.files.iter().map(|file| &**file)
    }

    pub(crate) fn add_file(&mut self, file: Arc<Located>) -> usize {
        self.files.push(file);
        self.files.len() - 1
    }

    pub(crate) fn file(&self, file: usize) -> &Arc<Located> {
        &self.files[file]
    }

    pub(crate) fn file_of(&self, mount: usize) -> &Located {
        &self.files[self.mounts[mount].file]
    }

    pub(crate) fn pointer_of(&self, mount: usize) -> String {
        self.mounts[mount].tokens.iter().map(|token| step(token)).collect()
    }

    pub(crate) fn mount(&mut self, pointer: &str, file: usize, origin: Option<Origin>) -> usize {
        self.mounts.push(Mount { tokens: tokens(pointer), file, origin });
        self.mounts.len() - 1
    }

    /// Returns the places of the `$ref`s that lead to a mount, the outermost first.
    pub(crate) fn trail(&self, mount: usize) -> Vec<Site> {
        let mut trail = Vec::new();
        let mut mount = mount;
        while let Some((parent, at)) = self.mounts.get(mount).and_then(|mount| mount.origin.clone()) {
            trail.push(self.files[self.mounts[parent].file].source.label(at, "").site);
            mount = parent;
        }
        trail.reverse();
        trail
    }

    /// Marks a JSON pointer of the resolved value and tells by which `$ref`s its file was reached.
    ///
    /// When the pointer leads nowhere, the key of the nearest value around it is marked.
    pub(crate) fn label(&self, pointer: &str, part: Part) -> Option<(Label, Vec<Site>)> {
        let tokens = tokens(pointer);
        let (mount, place) = self.locate(&tokens)?;
        let (mount, at) = match (part, place.exact, &place.key) {
            (Part::Value, true, _) => (mount, place.value),
            (_, _, Some(key)) => (mount, key.clone()),
            // The key of a whole file is where its `$ref` stands, unless that is the main file.
            _ => match self.key_of(mount, &tokens) {
                Some(found) if part == Part::Key || !place.exact => found,
                _ => (mount, place.value),
            },
        };
        Some((self.files[self.mounts[mount].file].source.label(at, ""), self.trail(mount)))
    }

    fn locate(&self, tokens: &[String]) -> Option<(usize, Place)> {
        let (index, mount) = self
            .mounts
            .iter()
            .enumerate()
            .filter(|(_, mount)| tokens.starts_with(&mount.tokens))
            .max_by_key(|(_, mount)| mount.tokens.len())?;
        let place = self.files[mount.file].source.locate(&tokens[mount.tokens.len()..]);
        Some((index, place))
    }

    fn key_of(&self, mount: usize, tokens: &[String]) -> Option<Origin> {
        let found = &self.mounts[mount];
        // Only if the marked value is the file's root itself.
        let inside = self.files[found.file].source.locate(&tokens[found.tokens.len()..]);
        let root = self.files[found.file].source.root()?.span.range();
        let (parent, _) = found.origin.as_ref().filter(|_| inside.value == root)?;
        let above = &self.mounts[*parent];
        let place = self.files[above.file].source.locate(&found.tokens[above.tokens.len()..]);
        Some((*parent, place.key?))
    }

    /// Creates a problem at a JSON pointer of the resolved value.
    pub(crate) fn diagnostic(
        &self,
        pointer: &str,
        part: Part,
        code: &'static str,
        message: impl Into<String>,
    ) -> Diagnostic {
        let diagnostic = Diagnostic::error(code, message);
        match self.label(pointer, part) {
            Some((label, trail)) => diagnostic.with_label(label).with_trail(trail),
            None => diagnostic,
        }
    }
}

/// Returns a JSON pointer as people write paths, such as `sources.docs.extra_args`.
pub(crate) fn readable(pointer: &str) -> String {
    tokens(pointer).join(".")
}

/// Appends a key to a JSON pointer.
pub(crate) fn child(pointer: &str, key: &str) -> String {
    format!("{pointer}{}", step(key))
}
