//! The trees of the original's newest parser, against ours.

use std::path::PathBuf;

use serde_json::Value;

use crate::tree::{self, Tree};

/// One element as both sides can be compared.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    local: String,
    kind: String,
    parent: String,
    description: String,
    lines: (u64, u64),
    content: String,
}

impl Row {
    /// Everything but the numbers, which follow from the order.
    fn same(&self, other: &Row) -> bool {
        self.kind == other.kind
            && kind_of(&self.parent) == kind_of(&other.parent)
            && self.description == other.description
            && self.lines == other.lines
            && self.content == other.content
    }
}

fn kind_of(local: &str) -> &str {
    local.rsplit_once('_').map_or("", |(kind, _)| kind)
}

fn goldens() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/goldens");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no recorded trees at {}", folder.display());
    None
}

fn their_rows(file: &Value) -> Vec<Row> {
    let entities = file["entities"].as_array().expect("entities");
    entities
        .iter()
        .map(|entity| {
            let local = |key: &str| {
                let index = entity[key].as_str().unwrap_or_default();
                index.splitn(3, '|').nth(2).unwrap_or_default().to_owned()
            };
            let kind = entity["entity_type"].as_str().unwrap_or_default().to_owned();
            let lines = match &entity["line"] {
                Value::Array(pair) => (pair[0].as_u64().unwrap_or(0), pair[1].as_u64().unwrap_or(0)),
                line => (line.as_u64().unwrap_or(0), line.as_u64().unwrap_or(0) + 1),
            };
            // Inner nodes of theirs repeat their lines as content when they have no child.
            let leaf = tree::ElementKind::ALL.iter().any(|known| known.name() == kind && known.is_leaf());
            let content = entity["content"].as_str().filter(|_| leaf).unwrap_or_default().to_owned();
            let description = entity["description"].as_str().unwrap_or_default().to_owned();
            Row { local: local("index"), kind, parent: local("parent"), description, lines, content }
        })
        .collect()
}

fn our_rows(tree: &Tree, text: &str) -> Vec<Row> {
    (0..tree.len() as u32)
        .map(|id| {
            let (first, end) = tree.lines(id);
            Row {
                local: tree.local_name(id),
                kind: tree.kind(id).expect("it is there").name().to_owned(),
                parent: tree.parent(id).map(|parent| tree.local_name(parent)).unwrap_or_default(),
                description: tree.description(id, text),
                lines: (first as u64, end as u64),
                content: tree.content(id, text),
            }
        })
        .collect()
}

/// Returns the rows that only they have, and the rows that only we have.
fn difference<'a>(theirs: &'a [Row], ours: &'a [Row]) -> (Vec<&'a Row>, Vec<&'a Row>) {
    let (rows, columns) = (theirs.len(), ours.len());
    let mut table = vec![0u32; (rows + 1) * (columns + 1)];
    let at = |row: usize, column: usize| row * (columns + 1) + column;
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            table[at(row, column)] = if theirs[row].same(&ours[column]) {
                table[at(row + 1, column + 1)] + 1
            } else {
                table[at(row + 1, column)].max(table[at(row, column + 1)])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    while row < rows || column < columns {
        if row < rows && column < columns && theirs[row].same(&ours[column]) {
            (row, column) = (row + 1, column + 1);
        } else if column == columns
            || (row < rows && table[at(row + 1, column)] >= table[at(row, column + 1)])
        {
            removed.push(&theirs[row]);
            row += 1;
        } else {
            added.push(&ours[column]);
            column += 1;
        }
    }
    (removed, added)
}

#[test]
fn dump() {
    let Some(folder) = goldens() else { return };
    let recorded = std::fs::read_to_string(folder.join("markdown_newest.json")).expect("recorded trees");
    let recorded: Value = serde_json::from_str(&recorded).expect("JSON");
    for file in recorded["files"].as_array().expect("files") {
        let name = file["name"].as_str().expect("name");
        let text = match file["text"].as_str() {
            Some(text) => text.to_owned(),
            None => {
                let path = folder.join("inputs/markdown").join(name);
                if !path.exists() {
                    println!("{name}: no input");
                    continue;
                }
                std::fs::read_to_string(path).expect("input")
            }
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
        let parsed = tree::parse(&text);
        let ours = our_rows(&parsed.tree, &text);
        let theirs = their_rows(file);
        let (removed, added) = difference(&theirs, &ours);
        println!(
            "== {name}: {} theirs, {} ours, -{} +{}",
            theirs.len(),
            ours.len(),
            removed.len(),
            added.len()
        );
        for row in removed {
            println!(
                "  - {} <{}> {:?} {:?} {:?}",
                row.local,
                row.parent,
                row.description,
                row.lines,
                row.content.chars().take(70).collect::<String>()
            );
        }
        for row in added {
            println!(
                "  + {} <{}> {:?} {:?} {:?}",
                row.local,
                row.parent,
                row.description,
                row.lines,
                row.content.chars().take(70).collect::<String>()
            );
        }
    }
}
