//! Who uses whom: names found, order made, cycles told. Decides on names alone.

use std::collections::HashMap;

use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};

/// An item as linking sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    /// The section it stands in.
    pub(crate) section: &'a str,
    /// Its name.
    pub(crate) name: &'a str,
    /// The names of the tools it declares.
    pub(crate) tools: &'a [String],
}

/// Why items cannot be linked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LinkError {
    /// Two items of different sections have one name.
    #[error("the name '{name}' is used twice, in {first} and in {second}")]
    Duplicate { name: String, first: String, second: String },
    /// A tool that no item has the name of.
    #[error("'{user}' needs the tool '{tool}', which does not exist")]
    Missing { user: String, tool: String, near: Vec<String> },
    /// Items that need each other.
    #[error("the tools form a cycle: {}", .path.join(" -> "))]
    Cycle { path: Vec<String> },
}

/// Orders items so that tools come before their users; items that do not depend on each other keep their order.
///
/// Returns levels: the items of one level depend only on earlier levels.
pub(crate) fn order(parts: &[Part<'_>]) -> Result<Vec<Vec<usize>>, Vec<LinkError>> {
    let mut errors = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for (position, part) in parts.iter().enumerate() {
        if let Some(&first) = positions.get(part.name) {
            errors.push(LinkError::Duplicate {
                name: part.name.to_owned(),
                first: parts[first].section.to_owned(),
                second: part.section.to_owned(),
            });
        } else {
            positions.insert(part.name, position);
        }
    }
    let mut graph: DiGraph<usize, ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = (0..parts.len()).map(|position| graph.add_node(position)).collect();
    for (position, part) in parts.iter().enumerate() {
        for tool in part.tools {
            if let Some(&found) = positions.get(tool.as_str()) {
                graph.update_edge(nodes[found], nodes[position], ());
            } else {
                let names = parts.iter().map(|part| part.name);
                let near = mge_core::near_names(tool, names).into_iter().map(str::to_owned).collect();
                errors.push(LinkError::Missing { user: part.name.to_owned(), tool: tool.clone(), near });
            }
        }
    }
    if toposort(&graph, None).is_err() {
        for component in kosaraju_scc(&graph) {
            let own = |node: NodeIndex| graph.contains_edge(node, node);
            if component.len() > 1 || component.first().is_some_and(|node| own(*node)) {
                errors.push(LinkError::Cycle { path: cycle_path(parts, &positions, &component, &graph) });
            }
        }
    }
    if errors.is_empty() { Ok(levels(&graph, parts.len())) } else { Err(errors) }
}

/// Walks from the first item of a strongly connected component along its tools until an item comes again.
fn cycle_path(
    parts: &[Part<'_>],
    positions: &HashMap<&str, usize>,
    component: &[NodeIndex],
    graph: &DiGraph<usize, ()>,
) -> Vec<String> {
    let inside: Vec<usize> = component.iter().map(|node| graph[*node]).collect();
    let mut current = inside.iter().copied().min().unwrap_or_default();
    let mut walked: Vec<usize> = Vec::new();
    while !walked.contains(&current) {
        walked.push(current);
        let next = parts[current]
            .tools
            .iter()
            .filter_map(|tool| positions.get(tool.as_str()).copied())
            .find(|position| inside.contains(position));
        current = next.unwrap_or(current);
    }
    let start = walked.iter().position(|position| *position == current).unwrap_or_default();
    walked[start..].iter().chain([&current]).map(|position| parts[*position].name.to_owned()).collect()
}

fn levels(graph: &DiGraph<usize, ()>, count: usize) -> Vec<Vec<usize>> {
    let Ok(sorted) = toposort(graph, None) else { return Vec::new() };
    let mut depth = vec![0_usize; count];
    for node in sorted {
        let above = graph.neighbors_directed(node, petgraph::Direction::Incoming);
        depth[graph[node]] = above.map(|tool| depth[graph[tool]] + 1).max().unwrap_or(0);
    }
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for (position, depth) in depth.into_iter().enumerate() {
        if levels.len() <= depth {
            levels.resize(depth + 1, Vec::new());
        }
        levels[depth].push(position);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    fn part<'a>(name: &'a str, tools: &'a [String]) -> Part<'a> {
        Part { section: "sources", name, tools }
    }

    #[test]
    fn tools_come_before_their_users() {
        let (none, a, ab) = (names(&[]), names(&["a"]), names(&["b", "a"]));
        let parts = [part("c", &ab), part("b", &a), part("a", &none), part("z", &none)];
        assert_eq!(order(&parts), Ok(vec![vec![2, 3], vec![1], vec![0]]));
    }

    #[test]
    fn a_cycle_is_told_with_its_path() {
        let (a, b, c) = (names(&["b"]), names(&["c"]), names(&["a"]));
        let parts = [part("a", &a), part("b", &b), part("c", &c)];
        let Err(errors) = order(&parts) else { panic!("a cycle has no order") };
        assert_eq!(errors, [LinkError::Cycle { path: names(&["a", "b", "c", "a"]) }]);
        let own = names(&["x"]);
        let Err(errors) = order(&[part("x", &own)]) else { panic!("an own tool is a cycle") };
        assert_eq!(errors, [LinkError::Cycle { path: names(&["x", "x"]) }]);
    }

    #[test]
    fn all_faults_are_told_together() {
        let tools = names(&["formaliser"]);
        let none = names(&[]);
        let parts = [
            part("a", &tools),
            Part { section: "agents", name: "a", tools: &none },
            part("formalizer", &none),
        ];
        let Err(errors) = order(&parts) else { panic!("there are two faults") };
        assert_eq!(errors.len(), 2);
        assert!(matches!(&errors[1], LinkError::Missing { near, .. } if near == &names(&["formalizer"])));
    }
}
