//! From the configured files and the stored graph to one graph in memory.

use std::path::Path;

use mge_core::{Fault, Problem, Severity};

use crate::config::{FileFormat, FileSetting, Settings};
use crate::csv::{self, Rows};
use crate::graph::Graph;
use crate::persist::{self, Difference};

/// A graph, what is wrong with its files, and what is worth saying.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) graph: Graph,
    pub(crate) problems: Vec<Problem>,
    pub(crate) notes: Vec<String>,
}

/// Reads everything that the settings name, and changes nothing.
pub(crate) fn load(settings: &Settings) -> Loaded {
    let mut loaded = Loaded::default();
    let format = settings.file_format.clone().unwrap_or_default();
    if !format.directed {
        loaded.problems.push(
            Problem::error("undirected", "undirected graphs are not supported")
                .pointer("/file_format/directed")
                .hint("list an edge in both directions, or make its relation symmetric"),
        );
    }
    let files = [
        ("initial_nodes", &settings.initial_nodes, Rows::Nodes),
        ("initial_edges", &settings.initial_edges, Rows::Edges),
    ];
    for (key, file, rows) in files {
        if let Some(file) = file {
            loaded.read_rows(key, file, rows, &format);
        }
    }
    let imported = settings.initial_nodes.is_none() && settings.initial_edges.is_none();
    let store = settings.persistence.as_ref().map(FileSetting::store_path);
    let store = match store {
        Some(Ok((path, renamed))) => {
            if renamed {
                let (key, path) = ("a persistence of type pickle", path.display());
                loaded.notes.push(format!("{key} is kept in our own format in '{path}'"));
            }
            Some(path)
        }
        Some(Err(problem)) => {
            loaded.problems.push(*problem);
            None
        }
        None => None,
    };
    if let Some(path) = &store
        && let Err(error) = persist::read(path, &mut loaded.graph, imported)
    {
        loaded.problems.push(unusable(error.into()));
    }
    let conflicts = loaded.graph.finish();
    if let Some(file) = &settings.initial_edges {
        loaded.problems.extend(csv::conflicts(&file.path, &conflicts));
    }
    if let Some(path) = store.filter(|_| !imported && loaded.errors() == 0) {
        loaded.compare(&path);
    }
    loaded
}

impl Loaded {
    fn read_rows(&mut self, key: &str, file: &FileSetting, rows: Rows, format: &FileFormat) {
        match file.row_format(key) {
            Ok(how) => self.problems.extend(csv::read_file(&file.path, how, rows, format, &mut self.graph)),
            Err(problem) => self.problems.push(*problem),
        }
    }

    /// Notes what the files say otherwise than when they were imported last.
    fn compare(&mut self, path: &Path) {
        match persist::difference(path, &self.graph, self.graph.curated_digest()) {
            Ok(None) => {}
            Ok(Some(Difference { added, removed, changed })) => {
                let message = format!(
                    "the files differ from what was imported into '{}': {added} rows added, {removed} removed, \
                     {changed} changed",
                    path.display()
                );
                self.notes.push(format!("{message}; the files are taken"));
                let hint = "they are taken over when the endpoint is closed for writing, e.g. by mge crawl";
                self.problems
                    .push(Problem::warning("changed-since-import", message).at(path, None, None).hint(hint));
            }
            Err(error) => self.problems.push(unusable(error.into())),
        }
    }

    fn errors(&self) -> usize {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    }

    /// Returns why the graph cannot be used: the first error, and how many there are.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let errors = self.errors();
        let first = self.problems.iter().find(|problem| problem.severity == Severity::Error)?;
        let message = match errors {
            1 => first.message.clone(),
            _ => format!("{} (and {} more errors)", first.message, errors - 1),
        };
        let hint = if errors == 1 { first.hint.clone() } else { None };
        let hint = hint.unwrap_or_else(|| "mge check lists all that is wrong".to_owned());
        Some(Fault { message, place: first.place.clone(), hint: Some(hint) })
    }
}

fn unusable(fault: Fault) -> Problem {
    let mut problem = Problem::error("unusable-store", fault.message);
    problem.place = fault.place;
    problem.hint = fault.hint;
    problem
}
