//! The trees of the original's newest parser, against ours.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::decode::decode;
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
    /// Code points within the line, of leaves on one line.
    span: Option<(u64, u64)>,
}

impl Row {
    /// Tells whether two rows are one element: of one kind, at one place, with one text.
    ///
    /// Numbers follow from the order, so they are not looked at here.
    fn same(&self, other: &Row) -> bool {
        self.kind == other.kind
            && self.lines.0 == other.lines.0
            && self.content == other.content
            && without_number(&self.description) == without_number(&other.description)
    }

    /// Names what differs of two rows that are one element.
    fn changes(&self, other: &Row) -> Vec<&'static str> {
        let mut changes = Vec::new();
        if self.description != other.description {
            changes.push("number");
        }
        if self.lines != other.lines {
            changes.push("end");
        }
        if kind_of(&self.parent) != kind_of(&other.parent) {
            changes.push("parent");
        }
        if self.span.is_some() && other.span.is_some() && self.span != other.span {
            changes.push("span");
        }
        changes
    }
}

fn kind_of(local: &str) -> &str {
    local.rsplit_once('_').map_or("", |(kind, _)| kind)
}

/// Returns `Section: x` of `Section 1.2: x`, and `Content` of `Content of 1.2`.
fn without_number(description: &str) -> String {
    match description.split_once(": ") {
        Some((head, title)) if head.starts_with("Section") => format!("Section: {title}"),
        None if description.starts_with("Content of") => "Content".to_owned(),
        _ => description.to_owned(),
    }
}

#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn say(text: &str) {
    println!("{text}");
}

fn goldens() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/goldens");
    if folder.is_dir() {
        return Some(folder);
    }
    say(&format!("skipped: no recorded trees at {}", folder.display()));
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
            let span = entity["span"].as_array().filter(|_| leaf);
            let span = span.map(|pair| (pair[0].as_u64().unwrap_or(0), pair[1].as_u64().unwrap_or(0)));
            Row { local: local("index"), kind, parent: local("parent"), description, lines, content, span }
        })
        .collect()
}

fn our_rows(tree: &Tree, text: &str) -> Vec<Row> {
    (0..tree.len() as u32)
        .map(|id| {
            let (first, end) = tree.lines(id);
            let node = tree.span(id);
            let start = text[..node.start].rfind(['\n', '\r']).map_or(0, |before| before + 1);
            let points = |end: usize| text[start..end].chars().count() as u64;
            let one_line = end == first + 1 && tree.kind(id).is_some_and(tree::ElementKind::is_leaf);
            Row {
                span: one_line.then(|| (points(node.start), points(node.end))),
                local: tree.local_name(id),
                kind: tree.kind(id).expect("it is there").name().to_owned(),
                parent: tree.parent(id).map(|parent| tree.local_name(parent)).unwrap_or_default(),
                description: tree.description(id, text),
                lines: (first as u64, end as u64),
                content: tree.content(id, text).into_owned(),
            }
        })
        .collect()
}

/// One difference, as the list of accepted ones names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Difference {
    /// `-` only theirs, `+` only ours, `~` differs.
    side: char,
    element: String,
    what: String,
}

/// Aligns two lists of rows and names the differences.
fn differences(theirs: &[Row], ours: &[Row]) -> Vec<Difference> {
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
    let mut found = Vec::new();
    let mut push = |side, row: &Row, what: &str| {
        found.push(Difference { side, element: row.local.clone(), what: what.to_owned() });
    };
    while row < rows || column < columns {
        if row < rows && column < columns && theirs[row].same(&ours[column]) {
            for change in theirs[row].changes(&ours[column]) {
                push('~', &theirs[row], change);
            }
            (row, column) = (row + 1, column + 1);
        } else if column == columns
            || (row < rows && table[at(row + 1, column)] >= table[at(row, column + 1)])
        {
            push('-', &theirs[row], "");
            row += 1;
        } else {
            push('+', &ours[column], "");
            column += 1;
        }
    }
    found
}

/// A file's name, their rows, and ours.
type Case = (String, Vec<Row>, Vec<Row>);

fn cases() -> Option<Vec<Case>> {
    let folder = goldens()?;
    let recorded = std::fs::read_to_string(folder.join("markdown_newest.json")).expect("recorded trees");
    let recorded: Value = serde_json::from_str(&recorded).expect("JSON");
    let cases = recorded["files"].as_array().expect("files").iter().map(|file| {
        let name = file["name"].as_str().expect("a name");
        let text = match file["text"].as_str() {
            Some(text) => text.to_owned(),
            None => std::fs::read_to_string(folder.join("inputs/markdown").join(name)).expect("an input"),
        };
        let text = decode(text.into_bytes()).expect("a text");
        let ours = our_rows(&tree::parse(&text).tree, &text);
        (name.to_owned(), their_rows(file), ours)
    });
    Some(cases.collect())
}

/// Case, side, element, what differs, and the fault or the rule that the original contradicts.
const ACCEPTED: &str = include_str!("accepted.tsv");

#[test]
fn the_trees_agree_where_the_original_agrees_with_commonmark() {
    let Some(cases) = cases() else { return };
    assert_eq!(cases.len(), 37);
    let mut wrong = Vec::new();
    let mut same = 0;
    for (name, theirs, ours) in &cases {
        let found: BTreeSet<String> = differences(theirs, ours)
            .into_iter()
            .map(|found| format!("{name}\t{}\t{}\t{}", found.side, found.element, found.what))
            .collect();
        let mut accepted = BTreeSet::new();
        for line in ACCEPTED.lines().filter(|line| line.starts_with(&format!("{name}\t"))) {
            let (difference, reason) = line.rsplit_once('\t').expect("five columns");
            assert!(is_reason(reason), "{line}");
            accepted.insert(difference.to_owned());
        }
        wrong.extend(found.difference(&accepted).map(|line| format!("not listed: {line}")));
        wrong.extend(accepted.difference(&found).map(|line| format!("listed, but not there: {line}")));
        if found.is_empty() {
            // Nothing was added or left out, so that every index is the same, not only the order.
            let indices = |rows: &[Row]| -> Vec<(String, String)> {
                rows.iter().map(|row| (row.local.clone(), row.parent.clone())).collect()
            };
            assert_eq!(indices(theirs), indices(ours), "{name}");
            same += 1;
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same >= 7, "only {same} cases are wholly the same");
}

fn is_reason(reason: &str) -> bool {
    let rules = ["fault ", "CommonMark ", "GFM ", "source §1"];
    rules.iter().any(|rule| reason.starts_with(rule))
}
