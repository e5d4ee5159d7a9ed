//! What the rows of the three graphs must hold together.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use mge_core::{EdgeRow, GraphRows, NodeRow, OntologyRows, Place, Problem, near_names};

use crate::meaning::{read_flag, read_list};
use crate::model::{LiteralKind, Target, levels, lies_below, parent};

/// The columns that mean something, by graph.
const ENTITY_COLUMNS: [&str; 3] = ["definition", "aliases", "disjoint_with"];
const RELATION_COLUMNS: [&str; 10] = [
    "definition",
    "src",
    "dst",
    "cues",
    "functional",
    "inverse_functional",
    "symmetric",
    "transitive",
    "inverse_of",
    "disjoint_with",
];
const INSTANCE_COLUMNS: [&str; 1] = ["aliases"];
const FLAGS: [&str; 4] = ["functional", "inverse_functional", "symmetric", "transitive"];

/// Checks the rows of the three graphs against each other and returns everything that is wrong, with its place.
///
/// Errors are rows that cannot mean anything; warnings are rows that probably mean something else.
pub fn validate(
    entities: &dyn OntologyRows,
    relationships: Option<&dyn OntologyRows>,
    known_ids: Option<&dyn OntologyRows>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut read = |graph: &dyn OntologyRows| match graph.curated() {
        Ok(rows) => Some(rows),
        Err(fault) => {
            let mut problem = Problem::error("unreadable-ontology", fault.message);
            (problem.place, problem.hint) = (fault.place, fault.hint);
            problems.push(problem);
            None
        }
    };
    let concept_rows = read(entities);
    let relation_rows = relationships.map(&mut read);
    let instance_rows = known_ids.map(&mut read);
    let Some(concept_rows) = concept_rows else { return problems };
    let mut check = Check { concepts: Ids::of(&concept_rows), used: BTreeSet::new(), problems };
    check.entities(&Rows { rows: &concept_rows, graph: entities });
    if let (Some(graph), Some(Some(rows))) = (relationships, &relation_rows) {
        check.relationships(&Rows { rows, graph });
    }
    if let (Some(graph), Some(Some(rows))) = (known_ids, &instance_rows) {
        check.instances(&Rows { rows, graph });
        if let Some(Some(relations)) = &relation_rows {
            check.facts(&Rows { rows, graph }, relations);
        }
    }
    // A relation graph that could not be read would make every concept look unused.
    if relation_rows.iter().chain(&instance_rows).all(Option::is_some) && relation_rows.is_some() {
        check.unused(&Rows { rows: &concept_rows, graph: entities });
    }
    check.problems
}

/// The ids of a graph.
struct Ids<'a> {
    /// Those that rows list.
    listed: HashSet<&'a str>,
    /// Those, and their parents.
    all: HashSet<&'a str>,
}

impl<'a> Ids<'a> {
    fn of(rows: &'a GraphRows) -> Self {
        let listed: HashSet<&str> = rows.nodes.iter().map(|row| row.id.as_str()).collect();
        let all = rows.nodes.iter().flat_map(|row| levels(&row.id)).collect();
        Self { listed, all }
    }

    fn near(&self, id: &str) -> Option<String> {
        // In order of id, so that equally near names are told in the same order always.
        let names: BTreeSet<&str> = self.all.iter().copied().collect();
        near_names(id, names).first().map(|near| format!("did you mean '{near}'?"))
    }
}

struct Rows<'a> {
    rows: &'a GraphRows,
    graph: &'a dyn OntologyRows,
}

struct Check<'a> {
    concepts: Ids<'a>,
    used: BTreeSet<String>,
    problems: Vec<Problem>,
}

fn cell<'a>(row: &'a NodeRow, column: &str) -> &'a str {
    row.attributes.get(column).map(|cell| cell.trim()).unwrap_or_default()
}

fn placed(mut problem: Problem, place: Option<Place>, hint: Option<String>) -> Problem {
    problem.place = place;
    problem.hint = problem.hint.or(hint);
    problem
}

impl Check<'_> {
    fn say(&mut self, rows: &Rows<'_>, row: &NodeRow, problem: Problem, hint: Option<String>) {
        self.problems.push(placed(problem, rows.graph.node_place(&row.id), hint));
    }

    fn entities(&mut self, rows: &Rows<'_>) {
        self.columns(rows, &ENTITY_COLUMNS);
        self.parents(rows);
        for row in &rows.rows.nodes {
            for other in read_list(row.attributes.get("disjoint_with")) {
                if !self.concepts.all.contains(other.as_str()) {
                    let message = format!("'{}' is disjoint with '{other}', which is no concept", row.id);
                    let near = self.concepts.near(&other);
                    self.say(rows, row, Problem::error("unknown-concept", message), near);
                } else if lies_below(&row.id, &other) || lies_below(&other, &row.id) {
                    let message =
                        format!("'{}' is disjoint with '{other}', which is above or below it", row.id);
                    self.say(rows, row, Problem::error("disjoint-with-itself", message), None);
                }
            }
        }
    }

    fn relationships(&mut self, rows: &Rows<'_>) {
        self.columns(rows, &RELATION_COLUMNS);
        self.parents(rows);
        let relations = Ids::of(rows.rows);
        for row in &rows.rows.nodes {
            self.ends(rows, row);
            self.flags(rows, row);
            let inverse = Some(cell(row, "inverse_of")).filter(|inverse| !inverse.is_empty());
            let disjoint = read_list(row.attributes.get("disjoint_with"));
            for other in inverse.into_iter().chain(disjoint.iter().map(String::as_str)) {
                if !relations.listed.contains(other) {
                    let message = format!("'{}' names '{other}', which is no relation", row.id);
                    self.say(rows, row, Problem::error("unknown-relation", message), relations.near(other));
                }
            }
        }
        self.inverses(rows);
    }

    /// Checks that the ends of a relation are concepts, and notes them as used.
    fn ends(&mut self, rows: &Rows<'_>, row: &NodeRow) {
        for column in ["src", "dst"] {
            let end = cell(row, column);
            if end.is_empty() {
                let message = format!("'{}' has no {column}", row.id);
                self.say(rows, row, Problem::error("missing-end", message), None);
                continue;
            }
            match Target::parse(end).filter(|target| column == "dst" || matches!(target, Target::Concept(_)))
            {
                Some(Target::Literal(_)) => {}
                Some(Target::Concept(concept)) if self.concepts.all.contains(concept.as_str()) => {
                    self.used.insert(concept);
                }
                Some(Target::Concept(concept)) => {
                    let message = format!("the {column} of '{}' is '{concept}', which is no concept", row.id);
                    let near = self.concepts.near(&concept);
                    self.say(rows, row, Problem::error("unknown-concept", message), near);
                }
                None if column == "src" => {
                    let message = format!("the src of '{}' is a literal, but only a dst can be one", row.id);
                    self.say(rows, row, Problem::error("literal-subject", message), None);
                }
                None => {
                    let message = format!("the dst of '{}' is '{end}', which is no kind of literal", row.id);
                    let hint = LiteralKind::ALL.map(|kind| format!("literal:{}", kind.name())).join(", ");
                    let problem = Problem::error("unknown-literal", message);
                    self.say(rows, row, problem, Some(format!("the kinds are {hint}")));
                }
            }
        }
    }

    fn flags(&mut self, rows: &Rows<'_>, row: &NodeRow) {
        for column in FLAGS {
            if read_flag(row.attributes.get(column)).is_none() {
                let message = format!("{column} of '{}' is '{}'", row.id, cell(row, column));
                let hint = "write true or leave it empty".to_owned();
                self.say(rows, row, Problem::error("bad-flag", message), Some(hint));
            }
        }
        let yes = |column| read_flag(row.attributes.get(column)) == Some(true);
        let ends = [cell(row, "src"), cell(row, "dst")];
        let fit = lies_below(ends[0], ends[1]) || lies_below(ends[1], ends[0]);
        for column in ["symmetric", "transitive"] {
            if yes(column) && !fit {
                let message =
                    format!("'{}' is {column}, but leads from '{}' to '{}'", row.id, ends[0], ends[1]);
                self.say(rows, row, Problem::error("impossible-flag", message), None);
            }
        }
        if yes("transitive") && yes("functional") {
            let message =
                format!("'{}' is transitive and functional: what it implies contradicts it", row.id);
            self.say(rows, row, Problem::warning("impossible-flag", message), None);
        }
    }

    /// Checks that inverses lead the other way, and not in a ring of more than two.
    fn inverses(&mut self, rows: &Rows<'_>) {
        let by_id: BTreeMap<&str, &NodeRow> =
            rows.rows.nodes.iter().map(|row| (row.id.as_str(), row)).collect();
        for row in &rows.rows.nodes {
            let Some(inverse) = by_id.get(cell(row, "inverse_of")) else { continue };
            let fits = |one: &str, other: &str| lies_below(one, other) || lies_below(other, one);
            if !fits(cell(row, "src"), cell(inverse, "dst")) || !fits(cell(row, "dst"), cell(inverse, "src"))
            {
                let message =
                    format!("'{}' is the inverse of '{}', but their ends do not match", row.id, inverse.id);
                self.say(rows, row, Problem::error("inverse-ends", message), None);
            }
            let mut ring = vec![row.id.as_str()];
            let mut next = *inverse;
            while next.id != row.id && !ring.contains(&next.id.as_str()) {
                ring.push(&next.id);
                match by_id.get(cell(next, "inverse_of")) {
                    Some(following) => next = following,
                    None => break,
                }
            }
            // Each ring is told once, at its least id; two that name each other are clear.
            let closed = next.id == row.id && ring.iter().min() == Some(&row.id.as_str());
            if closed && ring.len() > 2 {
                let message = format!("inverse_of leads in a ring: {} -> {}", ring.join(" -> "), row.id);
                self.say(rows, row, Problem::error("inverse-cycle", message), None);
            }
        }
    }

    fn instances(&mut self, rows: &Rows<'_>) {
        self.columns(rows, &INSTANCE_COLUMNS);
        for row in &rows.rows.nodes {
            if self.concepts.all.contains(row.id.as_str()) {
                let message = format!("'{}' is a concept; an instance has a name behind it", row.id);
                self.say(rows, row, Problem::warning("concept-as-instance", message), None);
                continue;
            }
            match parent(&row.id) {
                Some(concept) if self.concepts.all.contains(concept) => {
                    self.used.insert(concept.to_owned());
                }
                Some(concept) => {
                    let message = format!("'{}' is an instance of '{concept}', which is no concept", row.id);
                    let near = self.concepts.near(concept);
                    self.say(rows, row, Problem::error("unknown-concept", message), near);
                }
                None => {
                    let message = format!("'{}' names no concept", row.id);
                    let hint = format!("write <concept>|{}", row.id);
                    self.say(rows, row, Problem::error("unknown-concept", message), Some(hint));
                }
            }
        }
    }

    fn facts(&mut self, rows: &Rows<'_>, relations: &GraphRows) {
        let known: HashSet<&str> = rows.rows.nodes.iter().map(|row| row.id.as_str()).collect();
        let by_id: BTreeMap<&str, &NodeRow> =
            relations.nodes.iter().map(|row| (row.id.as_str(), row)).collect();
        for edge in &rows.rows.edges {
            let mut say = |problem: Problem, hint: Option<String>| {
                self.problems.push(placed(problem, rows.graph.edge_place(edge), hint));
            };
            let name = edge.attributes.get("relation").map(|relation| relation.trim()).unwrap_or_default();
            let relation = by_id.get(name);
            if name.is_empty() {
                say(Problem::error("unknown-relation", format!("edge '{}' has no relation", edge.id)), None);
            } else if relation.is_none() {
                let near = near_names(name, by_id.keys().copied());
                let hint = near.first().map(|near| format!("did you mean '{near}'?"));
                let message = format!("the relation of edge '{}' is '{name}', which is no relation", edge.id);
                say(Problem::error("unknown-relation", message), hint);
            }
            for problem in fact_ends(edge, relation.copied(), &known) {
                say(problem, None);
            }
        }
    }

    fn unused(&mut self, rows: &Rows<'_>) {
        for row in &rows.rows.nodes {
            let is_used = |used: &String| lies_below(used, &row.id) || lies_below(&row.id, used);
            let has_children =
                self.concepts.listed.iter().any(|other| *other != row.id && lies_below(other, &row.id));
            if !has_children && !self.used.iter().any(is_used) {
                let message = format!("no relation and no instance uses '{}'", row.id);
                self.say(rows, row, Problem::warning("unused-concept", message), None);
            }
        }
    }

    fn parents(&mut self, rows: &Rows<'_>) {
        let ids = Ids::of(rows.rows);
        let mut told: BTreeSet<&str> = BTreeSet::new();
        for row in &rows.rows.nodes {
            if let Some(parent) = parent(&row.id).filter(|parent| !ids.listed.contains(parent))
                && told.insert(parent)
            {
                let message =
                    format!("'{parent}', the parent of '{}', is not listed and has no definition", row.id);
                self.say(rows, row, Problem::warning("parent-undefined", message), None);
            }
        }
    }

    /// Checks for columns that look like one with a meaning; other columns are free.
    fn columns(&mut self, rows: &Rows<'_>, known: &[&str]) {
        let mut told: BTreeSet<&str> = BTreeSet::new();
        for row in &rows.rows.nodes {
            for column in row.attributes.keys().filter(|column| !known.contains(&column.as_str())) {
                if !told.insert(column) {
                    continue;
                }
                if let Some(near) = near_names(column, known.iter().copied()).first() {
                    let problem =
                        Problem::warning("unknown-column", format!("the column '{column}' means nothing"));
                    let mut place = rows.graph.node_place(&row.id);
                    if let Some(place) = &mut place {
                        place.line = Some(1);
                    }
                    self.problems.push(placed(problem, place, Some(format!("did you mean '{near}'?"))));
                }
            }
        }
    }
}

/// Checks the ends of a curated edge against the known instances and its relation.
fn fact_ends(edge: &EdgeRow, relation: Option<&NodeRow>, known: &HashSet<&str>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (column, end) in [("src", edge.src.as_str()), ("dst", edge.dst.as_str())] {
        let wanted = relation.map(|relation| cell(relation, column)).and_then(Target::parse);
        if matches!(wanted, Some(Target::Literal(_))) {
            continue;
        }
        if !known.contains(end) {
            let message = format!("the {column} of edge '{}' is '{end}', which is no known id", edge.id);
            problems.push(Problem::error("unknown-node", message));
        } else if let Some(Target::Concept(concept)) = wanted
            && !parent(end).is_some_and(|own| lies_below(own, &concept))
        {
            let name = relation.map(|relation| relation.id.as_str()).unwrap_or_default();
            let message =
                format!("the {column} of edge '{}' is '{end}', but '{name}' needs a '{concept}'", edge.id);
            problems.push(Problem::error("edge-off-ontology", message));
        }
    }
    problems
}
