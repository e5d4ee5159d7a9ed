//! What an export claims, beside what a reader expects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::{read_json_lines, text};

/// Relations that hold both ways: either direction is right.
const SYMMETRIC: [&str; 1] = ["partner_of"];

/// One statement of one document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Statement {
    pub(crate) document: String,
    pub(crate) subject: String,
    pub(crate) relation: String,
    /// An entity's id or a literal.
    pub(crate) object: String,
    pub(crate) stance: i64,
}

impl Statement {
    fn new(document: &str, claim: &Value, stance: i64) -> Self {
        let mut subject = text(claim, "subject").to_owned();
        let mut object = claim.get("object").or_else(|| claim.get("literal")).map(plain).unwrap_or_default();
        if SYMMETRIC.contains(&text(claim, "relation")) && object < subject {
            std::mem::swap(&mut subject, &mut object);
        }
        let relation = text(claim, "relation").to_owned();
        Self { document: document.to_owned(), subject, relation, object, stance }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.stance < 0 { "NOT " } else { "" };
        write!(f, "{}: {sign}{} {} {}", self.document, self.subject, self.relation, self.object)
    }
}

/// A literal may be written as a text or as a number.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Statements, each with the bounds of the times for which it is made.
pub(crate) type Statements = BTreeMap<Statement, BTreeSet<(String, String)>>;

/// Reads what a reader expects.
pub(crate) fn expected(file: &Path) -> Statements {
    expected_of(&read_json_lines(file))
}

/// Reads what a reader expects from its lines.
pub(crate) fn expected_of(lines: &[Value]) -> Statements {
    let mut statements = Statements::new();
    for line in lines {
        let stance = line["stance"].as_i64().unwrap();
        let bounds = (first_day(text(line, "valid_from")), first_day(text(line, "valid_to")));
        statements.entry(Statement::new(text(line, "document"), line, stance)).or_default().insert(bounds);
    }
    statements
}

/// Reads what an export claims; the times are those of the claim's periods.
pub(crate) fn found(export: &[Value]) -> Statements {
    let claims: BTreeMap<&str, &Value> =
        export.iter().filter(|line| line["type"] == "claim").map(|line| (text(line, "id"), line)).collect();
    let mut statements = Statements::new();
    for line in export.iter().filter(|line| line["type"] == "evidence") {
        let claim = claims[text(line, "claim")];
        let periods = claim["periods"].as_array().cloned().unwrap_or_default();
        let bounds =
            periods.iter().map(|period| (first_day(text(period, "from")), first_day(text(period, "to"))));
        let statement =
            Statement::new(&document_of(text(line, "index")), claim, line["stance"].as_i64().unwrap());
        statements.entry(statement).or_default().extend(bounds);
    }
    statements
}

/// Returns the path of the document that an index lies in: `documents|ferry/faq.md|text_3` is in `ferry/faq.md`.
pub(crate) fn document_of(index: &str) -> String {
    index.split('|').nth(1).unwrap_or_else(|| panic!("{index} names no document")).to_owned()
}

/// Writes a year, a month or a moment as the day with which it begins.
fn first_day(date: &str) -> String {
    let date = date.split('T').next().unwrap_or_default();
    match date.len() {
        4 => format!("{date}-01-01"),
        7 => format!("{date}-01"),
        _ => date.to_owned(),
    }
}

/// How what was found stands to what was expected.
pub(crate) struct Comparison {
    pub(crate) missing: Vec<Statement>,
    pub(crate) false_ones: Vec<Statement>,
    pub(crate) right: usize,
}

impl Comparison {
    pub(crate) fn new(expected: &Statements, found: &Statements) -> Self {
        let missing: Vec<Statement> =
            expected.keys().filter(|key| !found.contains_key(key)).cloned().collect();
        let false_ones = found.keys().filter(|key| !expected.contains_key(key)).cloned().collect();
        Self { right: expected.len() - missing.len(), missing, false_ones }
    }

    /// Returns the share of what was found that is right.
    pub(crate) fn precision(&self) -> f64 {
        share(self.right, self.right + self.false_ones.len())
    }

    /// Returns the share of what is right that was found.
    pub(crate) fn recall(&self) -> f64 {
        share(self.right, self.right + self.missing.len())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for statement in &self.missing {
            writeln!(f, "missing  {statement}")?;
        }
        for statement in &self.false_ones {
            writeln!(f, "false    {statement}")?;
        }
        write!(
            f,
            "{} right, {} missing, {} false: precision {:.3}, recall {:.3}",
            self.right,
            self.missing.len(),
            self.false_ones.len(),
            self.precision(),
            self.recall()
        )
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        f64::from(u32::try_from(part).unwrap()) / f64::from(u32::try_from(whole).unwrap())
    }
}

/// Asserts that two exports are the same; where not, shows the lines that only one of them has.
#[track_caller]
pub(crate) fn assert_same_export(left: &str, right: &str, what: &str) {
    if left == right {
        return;
    }
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (in_left, in_right) = (lines(left), lines(right));
    let shown = |name: &str, these: &BTreeSet<String>, those: &BTreeSet<String>| {
        let only: Vec<&String> = these.difference(those).collect();
        let first: String = only.iter().take(12).map(|line| format!("  {line}\n")).collect();
        format!("{} lines only in the {name}:\n{first}", only.len())
    };
    panic!(
        "{what}: the exports differ\n{}{}",
        shown("first", &in_left, &in_right),
        shown("second", &in_right, &in_left)
    );
}
