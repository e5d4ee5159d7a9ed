//! The answers of an ontology's capabilities, from a graph alone.

use std::collections::VecDeque;

use mge_core::{RunError, RunErrorKind, fold, near_names};
use serde_json::{Map, Value, json};

use crate::graph::{EDGES, Graph, Place};
use crate::model::{last_level, lies_below};

/// A graph under its name, and how long its lists may be.
pub(crate) struct Answers<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) name: &'a str,
    pub(crate) max_results: usize,
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

/// What edges are looked for.
#[derive(Debug, Default)]
pub(crate) struct EdgeFilter<'a> {
    pub(crate) src: Option<&'a str>,
    pub(crate) dst: Option<&'a str>,
    pub(crate) relation: Option<&'a str>,
}

impl Answers<'_> {
    /// Lists the indices below an index.
    pub(crate) fn children(&self, index: &str, offset: usize) -> Result<Value, RunError> {
        let place = self.resolve(index)?;
        let level = |level: u32| self.address(self.graph.id(level));
        let mut list: Vec<String> = Vec::new();
        let edges_from = |source: u32| -> Vec<String> {
            let edges = self.graph.edges_out(source).iter();
            edges.map(|edge| format!("{}|{EDGES}|{}", self.name, self.graph.edge_index(*edge))).collect()
        };
        let sources = || {
            self.graph
                .sources()
                .iter()
                .map(|source| self.address(&format!("{EDGES}|{}", self.graph.id(*source))))
        };
        match place {
            Place::Root => {
                list.extend(self.graph.children(None).iter().map(|child| level(*child)));
                let edges = self.address(EDGES);
                if !self.graph.sources().is_empty() && !list.contains(&edges) {
                    list.push(edges);
                }
            }
            Place::Level(parent) => {
                list.extend(self.graph.children(Some(parent)).iter().map(|child| level(*child)));
                if self.graph.id(parent) == EDGES {
                    let more: Vec<String> = sources().filter(|source| !list.contains(source)).collect();
                    list.extend(more);
                }
            }
            Place::Edges => list.extend(sources()),
            Place::EdgesFrom(source) => list.extend(edges_from(source)),
            Place::Edge(_) => {}
        }
        // An index below "_edge_" may be a node's or an edge's, and that of the edges from a node too.
        if matches!(place, Place::Level(_) | Place::Edge(_))
            && let Some(source) = self.graph.resolve_source(self.name, index)
        {
            list.extend(edges_from(source));
        }
        let list = list.into_iter().map(Value::from).collect();
        Ok(self.cut(list, Part { offset, limit: self.max_results }))
    }

    /// Lists what lies below an index as a tree of so many levels.
    pub(crate) fn tree(&self, index: &str, depth: usize, offset: usize) -> Result<Value, RunError> {
        let top = match self.resolve(index)? {
            Place::Root => self.graph.children(None),
            Place::Level(level) => self.graph.children(Some(level)),
            Place::Edges | Place::EdgesFrom(_) | Place::Edge(_) => return self.children(index, offset),
        };
        let shown: Vec<u32> = top.iter().copied().skip(offset).take(self.max_results).collect();
        // Level by level, so that a cut list shows siblings before grandchildren.
        let mut budget = self.max_results - shown.len();
        let mut cut = false;
        let mut expanded: Vec<u32> = Vec::new();
        let mut front = shown.clone();
        for _ in 1..depth {
            let mut next = Vec::new();
            for level in front {
                let children = self.graph.children(Some(level));
                if children.len() > budget {
                    cut = true;
                } else if !children.is_empty() {
                    budget -= children.len();
                    expanded.push(level);
                    next.extend_from_slice(children);
                }
            }
            if next.is_empty() {
                break;
            }
            front = next;
        }
        expanded.sort_unstable();
        let mut list: Vec<Value> = shown.iter().map(|level| self.branch(*level, &expanded)).collect();
        if offset + shown.len() < top.len() {
            list.push(truncated(top.len(), Some(offset + shown.len())));
        } else if cut {
            list.push(truncated(top.len(), None));
        }
        Ok(Value::Array(list))
    }

    /// Shows a level with the levels below it that are expanded. As deep as ids have levels.
    fn branch(&self, level: u32, expanded: &[u32]) -> Value {
        let mut entry = self.entry(level);
        let children = self.graph.children(Some(level));
        if expanded.binary_search(&level).is_ok() {
            let below = children.iter().map(|child| self.branch(*child, expanded)).collect();
            entry.insert("children".to_owned(), Value::Array(below));
        } else if !children.is_empty() {
            entry.insert("more".to_owned(), Value::Bool(true));
        }
        Value::Object(entry)
    }

    /// Returns what is known of an index: its attributes, or how many lie below it.
    pub(crate) fn node(&self, index: &str) -> Result<Value, RunError> {
        let group = |children: usize| json!({"type": "group", "children": children});
        Ok(match self.resolve(index)? {
            Place::Root => {
                let edges = !self.graph.sources().is_empty() && self.graph.find(EDGES).is_none();
                group(self.graph.children(None).len() + usize::from(edges))
            }
            Place::Level(level) if self.graph.is_node(level) => object(self.graph.attributes(level)),
            Place::Level(level) => group(self.graph.children(Some(level)).len()),
            Place::Edges => group(self.graph.sources().len()),
            Place::EdgesFrom(source) => group(self.graph.edges_out(source).len()),
            Place::Edge(edge) => object(self.graph.edge_attributes(edge)),
        })
    }

    /// Returns a node with its attributes and its ancestors, nearest first.
    pub(crate) fn node_with_ancestors(&self, index: &str) -> Result<Value, RunError> {
        match self.resolve(index)? {
            Place::Level(level) if self.graph.is_node(level) => {
                let mut ancestors = Vec::new();
                let mut above = self.graph.parent(level);
                while let Some(level) = above {
                    ancestors.push(Value::Object(self.entry(level)));
                    above = self.graph.parent(level);
                }
                let properties = object(self.graph.attributes(level));
                Ok(json!({"id": self.graph.id(level), "properties": properties, "ancestors": ancestors}))
            }
            Place::Edge(edge) => {
                let [src, dst] = self.graph.ends(edge).map(|end| Value::Object(self.entry(end)));
                let properties = object(self.graph.edge_attributes(edge));
                Ok(json!({"id": self.graph.edge_id(edge), "properties": properties, "src": src, "dst": dst}))
            }
            _ => self.node(index),
        }
    }

    /// Finds nodes by a part of their id, aliases, definition or cues, best first.
    pub(crate) fn search(&self, text: &str, part: Part) -> Value {
        let wanted = fold(text.trim());
        if wanted.is_empty() {
            return Value::Array(Vec::new());
        }
        let mut found: Vec<(u8, &str, u32)> = self
            .graph
            .levels()
            .filter(|level| self.graph.is_node(*level))
            .filter_map(|level| Some((self.rank(level, &wanted)?, self.graph.id(level), level)))
            .collect();
        found.sort_unstable();
        let total = found.len();
        let shown = found.into_iter().skip(part.offset).take(part.limit);
        let list = shown.map(|(_, _, level)| Value::Object(self.entry(level))).collect();
        finish(list, total, part.offset)
    }

    fn rank(&self, level: u32, wanted: &str) -> Option<u8> {
        let id = quick_fold(self.graph.id(level));
        let last = last_level(&id);
        let aliases = self.graph.attribute(level, "aliases").map(quick_fold).unwrap_or_default();
        if id == wanted || last == wanted || aliases.split(';').any(|alias| alias.trim() == wanted) {
            Some(0)
        } else if last.starts_with(wanted) || id.starts_with(wanted) {
            Some(1)
        } else if id.contains(wanted) || aliases.contains(wanted) {
            Some(2)
        } else {
            // The ends of a relation or a flag would find half of a graph.
            let mut cells =
                ["definition", "cues"].into_iter().filter_map(|column| self.graph.attribute(level, column));
            cells.any(|cell| quick_fold(cell).contains(wanted)).then_some(3)
        }
    }

    /// Lists edges by their ends (at them or below them) and their relation (itself or one that implies it).
    pub(crate) fn edges(&self, filter: &EdgeFilter<'_>, part: Part) -> Result<Value, RunError> {
        let src = filter.src.map(|index| self.level(index)).transpose()?;
        let dst = filter.dst.map(|index| self.level(index)).transpose()?;
        let candidates: Vec<u32> = match (src, dst) {
            (Some(src), _) => {
                self.subtree(src).iter().flat_map(|level| self.graph.edges_out(*level)).copied().collect()
            }
            (None, Some(dst)) => {
                self.subtree(dst).iter().flat_map(|level| self.graph.edges_in(*level)).copied().collect()
            }
            (None, None) => self.graph.edges().collect(),
        };
        let fits = |edge: &u32| {
            let end = |end: u32, wanted: Option<u32>| {
                wanted.is_none_or(|wanted| lies_below(self.graph.id(end), self.graph.id(wanted)))
            };
            let [from, to] = self.graph.ends(*edge);
            let relation = filter.relation.is_none_or(|wanted| {
                self.graph
                    .edge_attributes(*edge)
                    .get("relation")
                    .is_some_and(|given| lies_below(given, wanted))
            });
            end(from, src) && end(to, dst) && relation
        };
        let found: Vec<u32> = candidates.into_iter().filter(fits).collect();
        let shown = found.iter().skip(part.offset).take(part.limit);
        Ok(finish(shown.map(|edge| self.edge(*edge)).collect(), found.len(), part.offset))
    }

    /// Lists the relations whose subject or object an instance of a concept can be.
    pub(crate) fn relations_for(&self, concept: &str, inherited: bool, part: Part) -> Value {
        let inner = concept.strip_prefix(self.name).and_then(|rest| rest.strip_prefix('|'));
        let fits = |end: Option<&str>| {
            end.is_some_and(|end| {
                let below = |concept: &str| if inherited { lies_below(concept, end) } else { concept == end };
                !end.is_empty() && (below(concept) || inner.is_some_and(below))
            })
        };
        let mut found: Vec<(&str, Value)> = Vec::new();
        for level in self.graph.levels() {
            let (src, dst) = (self.graph.attribute(level, "src"), self.graph.attribute(level, "dst"));
            let role = match (fits(src), fits(dst)) {
                (true, true) => "both",
                (true, false) => "src",
                (false, true) => "dst",
                (false, false) => continue,
            };
            let mut entry = self.entry(level);
            let definition = entry.remove("definition");
            entry.insert("src".to_owned(), src.into());
            entry.insert("dst".to_owned(), dst.into());
            entry.insert("as".to_owned(), role.into());
            entry.extend(definition.map(|definition| ("definition".to_owned(), definition)));
            found.push((self.graph.id(level), Value::Object(entry)));
        }
        found.sort_by(|left, right| left.0.cmp(right.0));
        self.cut(found.into_iter().map(|(_, entry)| entry).collect(), part)
    }

    /// Finds a shortest way between two nodes along edges in either direction.
    pub(crate) fn path(&self, from: &str, to: &str) -> Result<Value, RunError> {
        let (from, to) = (self.level(from)?, self.level(to)?);
        const UNSEEN: u32 = u32::MAX;
        // The edge over which each level was reached; the start by none.
        let mut reached = vec![UNSEEN; self.graph.levels().len()];
        let mut waiting = VecDeque::from([to]);
        // From the end, so that following the marks back lists the way from its start.
        while let Some(level) = waiting.pop_front().filter(|_| reached[from as usize] == UNSEEN) {
            let edges = self.graph.edges_out(level).iter().chain(self.graph.edges_in(level));
            for edge in edges {
                let [src, dst] = self.graph.ends(*edge);
                let other = if src == level { dst } else { src };
                if other != to && reached[other as usize] == UNSEEN {
                    reached[other as usize] = *edge;
                    waiting.push_back(other);
                }
            }
        }
        let mut way = Vec::new();
        let mut level = from;
        while level != to {
            let edge = reached[level as usize];
            if edge == UNSEEN {
                return Ok(json!({"length": null, "edges": []}));
            }
            way.push(self.edge(edge));
            let [src, dst] = self.graph.ends(edge);
            level = if src == level { dst } else { src };
        }
        Ok(json!({"length": way.len(), "edges": way}))
    }

    fn resolve(&self, index: &str) -> Result<Place, RunError> {
        self.graph.resolve(self.name, index).ok_or_else(|| self.unknown(index))
    }

    fn level(&self, index: &str) -> Result<u32, RunError> {
        match self.resolve(index)? {
            Place::Level(level) => Ok(level),
            _ => Err(RunError::invalid(format!("'{}' is not a node", short(index)))),
        }
    }

    /// Says how far an index exists, and what is there instead.
    fn unknown(&self, index: &str) -> RunError {
        let prefix = self.graph.longest_prefix(self.name, index);
        let level = self.graph.find(prefix);
        let shown = if prefix.is_empty() { self.name.to_owned() } else { self.address(prefix) };
        let children = self.graph.children(level);
        let message = format!("there is no '{}'; the longest part that exists is '{shown}'", short(index));
        let error = RunError::new(RunErrorKind::FailedToFindCapability, message);
        let inner = index.strip_prefix(self.name).and_then(|rest| rest.strip_prefix('|')).unwrap_or(index);
        let rest = inner.strip_prefix(prefix).unwrap_or(inner).trim_start_matches('|');
        let missing = rest.split('|').next().unwrap_or_default();
        // Comparing with every one of a hundred thousand siblings helps nobody.
        let names = children.iter().take(1000).map(|child| last_level(self.graph.id(*child)));
        match near_names(&short(missing), names).first() {
            Some(near) if prefix.is_empty() => error.hint(format!("did you mean '{}'?", self.address(near))),
            Some(near) => error.hint(format!("did you mean '{}|{near}'?", self.address(prefix))),
            None if children.is_empty() => error.hint(format!("nothing lies below '{shown}'")),
            None => error.hint(format!("search_{} finds nodes by a part of their name", self.name)),
        }
    }

    fn address(&self, id: &str) -> String {
        format!("{}|{id}", self.name)
    }

    fn entry(&self, level: u32) -> Map<String, Value> {
        let mut entry = Map::new();
        entry.insert("id".to_owned(), self.graph.id(level).into());
        if let Some(definition) = self.graph.attribute(level, "definition") {
            entry.insert("definition".to_owned(), definition.into());
        }
        entry
    }

    fn edge(&self, edge: u32) -> Value {
        let [src, dst] = self.graph.ends(edge).map(|end| self.graph.id(end));
        let mut entry = Map::new();
        entry.insert("id".to_owned(), self.graph.edge_id(edge).into());
        entry.insert("src".to_owned(), src.into());
        entry.insert("dst".to_owned(), dst.into());
        for (column, cell) in self.graph.edge_attributes(edge) {
            entry.entry(column).or_insert_with(|| cell.into());
        }
        Value::Object(entry)
    }

    /// Returns a level and all below it.
    fn subtree(&self, top: u32) -> Vec<u32> {
        let mut levels = vec![top];
        let mut position = 0;
        while position < levels.len() {
            levels.extend_from_slice(self.graph.children(Some(levels[position])));
            position += 1;
        }
        levels
    }

    fn cut(&self, list: Vec<Value>, part: Part) -> Value {
        let total = list.len();
        finish(list.into_iter().skip(part.offset).take(part.limit).collect(), total, part.offset)
    }
}

/// Adds how to go on when a list is not whole.
fn finish(mut list: Vec<Value>, total: usize, offset: usize) -> Value {
    let end = offset.saturating_add(list.len());
    if end < total {
        list.push(truncated(total, Some(end)));
    }
    Value::Array(list)
}

fn truncated(total: usize, next: Option<usize>) -> Value {
    match next {
        Some(next) => json!({
            "truncated": true,
            "total": total,
            "hint": format!("go on with offset {next}, or ask for something more special"),
        }),
        None => {
            json!({"truncated": true, "total": total, "hint": "ask for a smaller depth or a longer index"})
        }
    }
}

fn object(attributes: std::collections::BTreeMap<&str, &str>) -> Value {
    attributes
        .into_iter()
        .map(|(column, cell)| (column.to_owned(), Value::from(cell)))
        .collect::<Map<_, _>>()
        .into()
}

/// Folds a text; most are ASCII, where that is cheap.
fn quick_fold(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { fold(text) }
}

/// Cuts what a caller gave, which may be of any length.
fn short(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
