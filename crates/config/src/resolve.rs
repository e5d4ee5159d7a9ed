//! `$ref`: joining the files of a configuration into one value.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::diagnostic::{Diagnostic, Problems};
use crate::endpoint::MAIN_FILE;
use crate::located::Located;
use crate::name::{nearest, quoted};
use crate::source_map::{Origin, Part, SourceMap, child};

/// How deep `$ref`s may lead.
const MAX_REF_DEPTH: usize = 8;
/// How many `$ref`s and how many bytes behind them one configuration may have: a few small files that refer
/// to each other can otherwise multiply without end.
const MAX_REFS: usize = 1_000;
const MAX_TOTAL_BYTES: usize = 32 << 20;

/// Reads the main file and everything that it refers to.
pub(crate) struct Resolver<'a> {
    /// The folder as the caller named it, for messages.
    shown: &'a Path,
    /// The folder without symbolic links, which no file may leave.
    real: PathBuf,
    pub(crate) map: SourceMap,
    pub(crate) problems: Problems,
    /// Files by real path; `None` for one that could not be parsed.
    parsed: HashMap<PathBuf, Option<usize>>,
    refs: usize,
    bytes: usize,
}

/// One file on the way to another.
#[derive(Clone)]
struct Step {
    real: PathBuf,
    shown: PathBuf,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(shown: &'a Path, real: PathBuf) -> Self {
        Self {
            shown,
            real,
            map: SourceMap::default(),
            problems: Problems::default(),
            parsed: HashMap::new(),
            refs: 0,
            bytes: 0,
        }
    }

    /// Returns the whole configuration; an empty one when the main file cannot be read.
    pub(crate) fn resolve(&mut self) -> Map<String, Value> {
        let shown = self.shown.join(MAIN_FILE);
        let real = match self.confined(Path::new(MAIN_FILE)) {
            Ok(real) => real,
            Err(Unreachable::Outside) => {
                let message = format!("{} leads out of the endpoint's folder", shown.display());
                self.problems.push(
                    Diagnostic::error("outside", message)
                        .with_file(shown)
                        .with_hint("replace the symbolic link by a copy".to_owned()),
                );
                return Map::new();
            }
            Err(Unreachable::Missing(reason)) => {
                let message = format!("cannot read {}: {reason}", shown.display());
                let hint = format!("an endpoint is a folder with the file {MAIN_FILE}");
                let problem = Diagnostic::error("unreadable", message).with_file(shown).with_hint(hint);
                self.problems.push(problem);
                return Map::new();
            }
        };
        match self.file("", &[Step { real, shown }], None) {
            Some(Value::Object(members)) => members,
            Some(_) => {
                let message = "the endpoint's definition must be an object";
                self.problems.push(self.map.diagnostic("", Part::Value, "type", message));
                Map::new()
            }
            None => Map::new(),
        }
    }

    /// Parses the last file of a chain, mounts it and resolves its top-level keys.
    fn file(&mut self, pointer: &str, chain: &[Step], origin: Option<Origin>) -> Option<Value> {
        let step = chain.last()?;
        let file = match self.parsed.get(&step.real) {
            Some(known) => (*known)?,
            None => {
                let (located, found) = Located::read_as(&step.real, step.shown.clone());
                let trail =
                    origin.as_ref().map(|(mount, at)| self.trail_through(*mount, at)).unwrap_or_default();
                for problem in found {
                    self.problems.push(problem.with_trail(trail.clone()));
                }
                let file = located.map(|located| self.map.add_file(Arc::new(located)));
                self.parsed.insert(step.real.clone(), file);
                file?
            }
        };
        let located = Arc::clone(self.map.file(file));
        self.bytes += located.source.len();
        let mount = self.map.mount(pointer, file, origin);
        let mut value = located.value().clone();
        let Value::Object(members) = &mut value else { return Some(value) };
        // In a file of its own, a section may name its schema for editors; it is no item.
        if chain.len() > 1 && members.get("$schema").is_some_and(Value::is_string) {
            members.shift_remove("$schema");
        }
        let references: Vec<(String, Value)> = members
            .iter()
            .filter_map(|(key, value)| {
                let inner = value.as_object().filter(|inner| inner.len() == 1)?;
                Some((key.clone(), inner.get("$ref")?.clone()))
            })
            .collect();
        let mut missing = HashSet::new();
        for (key, target) in references {
            let pointer = child(pointer, &key);
            match self.reference(&pointer, &target, chain, mount) {
                Some(resolved) => drop(members.insert(key, resolved)),
                None => drop(missing.insert(key)),
            }
        }
        // A part that is missing is reported once, as missing, and not as wrong.
        members.retain(|key, _| !missing.contains(key));
        Some(value)
    }

    fn trail_through(&self, mount: usize, at: &std::ops::Range<usize>) -> Vec<crate::diagnostic::Site> {
        let mut trail = self.map.trail(mount);
        trail.push(self.map.file_of(mount).source.label(at.clone(), "").site);
        trail
    }

    /// Returns the value behind a `$ref`, or nothing after saying why.
    fn reference(&mut self, pointer: &str, target: &Value, chain: &[Step], mount: usize) -> Option<Value> {
        let at = child(pointer, "$ref");
        self.refs += 1;
        if self.refs > MAX_REFS || self.bytes > MAX_TOTAL_BYTES {
            let message = format!(
                "the configuration is too large: more than {MAX_REFS} references or {} MiB behind them",
                MAX_TOTAL_BYTES >> 20
            );
            self.problem(&at, "too-large", message, None);
            return None;
        }
        let Some(target) = target.as_str().filter(|target| !target.is_empty()) else {
            self.problem(&at, "type", "'$ref' must be the path of a file".to_owned(), None);
            return None;
        };
        let shown_chain = |last: &Path| {
            let mut files: Vec<_> = chain.iter().map(|step| self.name(&step.shown)).collect();
            files.push(self.name(last));
            files.join(" → ")
        };
        // References are relative to the file that they stand in.
        let base = chain.last().and_then(|step| step.shown.parent()).unwrap_or(self.shown);
        let shown = normal(&base.join(target));
        let relative = match shown.strip_prefix(normal(self.shown)) {
            Ok(relative) if !Path::new(target).is_absolute() => relative.to_owned(),
            _ => {
                let message =
                    format!("'$ref' must not leave the endpoint's folder, but leads to {}", quoted(target));
                let hint = "copy the file into the endpoint's folder".to_owned();
                self.problem(&at, "outside", message, Some(hint));
                return None;
            }
        };
        let real = match self.confined(&relative) {
            Ok(real) => real,
            Err(Unreachable::Outside) => {
                let message = format!(
                    "'$ref' must not leave the endpoint's folder, but {} is a symbolic link that does",
                    quoted(target)
                );
                let hint = "replace the link by a copy".to_owned();
                self.problem(&at, "outside", message, Some(hint));
                return None;
            }
            Err(Unreachable::Missing(reason)) => {
                let message = format!("cannot read {}: {reason}", shown_chain(&shown));
                let near = neighbour(&shown).map(|near| format!("did you mean {}?", quoted(&near)));
                self.problem(&at, "missing-file", message, near);
                return None;
            }
        };
        if chain.iter().any(|step| step.real == real) {
            let message = format!("the files refer to each other in a circle: {}", shown_chain(&shown));
            self.problem(&at, "ref-cycle", message, None);
            return None;
        }
        if chain.len() > MAX_REF_DEPTH {
            let message =
                format!("'$ref' leads more than {MAX_REF_DEPTH} files deep: {}", shown_chain(&shown));
            self.problem(&at, "ref-depth", message, None);
            return None;
        }
        let span = self
            .map
            .file_of(mount)
            .source
            .locate(&crate::located::tokens(at.strip_prefix(&self.map.pointer_of(mount)).unwrap_or(&at)));
        let mut chain = chain.to_vec();
        chain.push(Step { real, shown });
        self.file(pointer, &chain, Some((mount, span.value)))
    }

    fn problem(&mut self, pointer: &str, code: &'static str, message: String, hint: Option<String>) {
        if !self.problems.has_room() {
            return;
        }
        let problem = self.map.diagnostic(pointer, Part::Value, code, message).with_hint(hint);
        self.problems.push(problem);
    }

    /// Returns a file's name relative to the endpoint's folder.
    fn name(&self, shown: &Path) -> String {
        shown.strip_prefix(normal(self.shown)).unwrap_or(shown).display().to_string()
    }

    /// Returns the real path of a file in the endpoint's folder, if it is there.
    fn confined(&self, relative: &Path) -> Result<PathBuf, Unreachable> {
        match fs::canonicalize(self.real.join(relative)) {
            Ok(real) if real.starts_with(&self.real) => Ok(real),
            Ok(_) => Err(Unreachable::Outside),
            Err(error) => Err(Unreachable::Missing(match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
                _ => error.to_string(),
            })),
        }
    }
}

enum Unreachable {
    Outside,
    Missing(String),
}

/// Returns the file in the same folder whose name is nearest to one that does not exist.
fn neighbour(missing: &Path) -> Option<String> {
    let name = missing.file_name()?.to_str()?;
    let folder = missing.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Removes `.` and `..` from a path by its text alone, as the original does.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match normal.components().next_back() {
                Some(Component::Normal(_)) => drop(normal.pop()),
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => normal.push(".."),
            },
            component => normal.push(component),
        }
    }
    normal
}
