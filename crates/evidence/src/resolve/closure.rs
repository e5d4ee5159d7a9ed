use std::collections::{BTreeSet, VecDeque};

use mge_ontology::Ontology;
use rusqlite::{Connection, params};

use super::partition::{Node, Surface};
use super::rules::{Rules, top_of};
use crate::error::StoreError;
use crate::store::Words;

/// Name keys with their top concepts.
pub(crate) type Keys = BTreeSet<(String, String)>;

/// Gathers all names that may be one entity with a name, over any number of ties, and their nodes.
///
/// Returns the keys that were visited, by top concept, and the nodes.
pub(crate) fn closure(
    connection: &Connection,
    words: &mut Words,
    ontology: &Ontology,
    rules: &Rules,
    start: (String, String),
) -> Result<(Keys, Vec<Node>), StoreError> {
    let mut visited = BTreeSet::new();
    let mut nodes = Vec::new();
    let mut queue = VecDeque::from([start]);
    while let Some((top, key)) = queue.pop_front() {
        if !visited.insert((top.clone(), key.clone())) {
            continue;
        }
        // A concept that no row uses has no number, and no names either.
        let number = words.find(connection, &top)?.unwrap_or(0);
        for mut node in nodes_of(connection, words, &key, number)? {
            surfaces_of(connection, &mut node)?;
            if node.is_live() {
                queue.extend(node.base.iter().map(|base| (top.clone(), base.clone())));
                queue.extend(node.aliases.iter().map(|(alias, _)| (top.clone(), alias.clone())));
            }
            nodes.push(node);
        }
        for &instance in rules.named(&top, &key) {
            nodes.push(curated(ontology, rules, instance));
            queue.extend(rules.keys(instance).iter().map(|other| (top.clone(), other.clone())));
        }
        for &instance in rules.aliased(&top, &key) {
            queue.extend(rules.keys(instance).iter().take(1).map(|other| (top.clone(), other.clone())));
        }
        for longer in longer_names(connection, &key, number)? {
            queue.push_back((top.clone(), longer));
        }
        for name in rules.decided_with(&top, &key) {
            queue.push_back((top_of(&name.concept).to_owned(), name.key.clone()));
        }
    }
    Ok((visited, nodes))
}

fn curated(ontology: &Ontology, rules: &Rules, instance: usize) -> Node {
    let concept = ontology.instances.get(instance).map_or_else(String::new, |found| found.concept.clone());
    let key = rules.keys(instance).first().cloned().unwrap_or_default();
    Node { concept, key, instance: Some(instance), ..Node::default() }
}

fn nodes_of(
    connection: &Connection,
    words: &mut Words,
    key: &str,
    top: i64,
) -> Result<Vec<Node>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, concept, base, entity, mentions, weight, refs FROM node WHERE key = ?1 AND top = ?2",
    )?;
    let mut rows = statement.query(params![key, top])?;
    let mut nodes = Vec::new();
    while let Some(row) = rows.next()? {
        nodes.push(Node {
            row: row.get(0)?,
            concept: words.word(connection, row.get(1)?)?.to_string(),
            key: key.to_owned(),
            base: row.get(2)?,
            entity: row.get(3)?,
            mentions: row.get(4)?,
            weight: row.get(5)?,
            refs: row.get(6)?,
            ..Node::default()
        });
    }
    Ok(nodes)
}

fn surfaces_of(connection: &Connection, node: &mut Node) -> Result<(), StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT text, full, refs FROM surface WHERE node = ?1 ORDER BY text")?;
    let rows = statement.query_map([node.row], |row| {
        Ok(Surface { text: row.get(0)?, full: row.get(1)?, refs: row.get(2)? })
    })?;
    node.surfaces = rows.collect::<Result<_, _>>()?;
    let mut statement = connection
        .prepare_cached("SELECT key, text FROM alias WHERE node = ?1 AND count > 0 ORDER BY key, text")?;
    let rows = statement.query_map([node.row], |row| Ok((row.get(0)?, row.get(1)?)))?;
    node.aliases = rows.collect::<Result<_, _>>()?;
    Ok(())
}

/// Returns the keys of live names that may go by `key`.
fn longer_names(connection: &Connection, key: &str, top: i64) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT n.key FROM node n WHERE n.base = ?1 AND n.top = ?2 AND (n.mentions > 0 OR n.refs > 0) \
         UNION SELECT n.key FROM alias a JOIN node n ON n.id = a.node \
         WHERE a.key = ?1 AND a.count > 0 AND n.top = ?2",
    )?;
    Ok(statement.query_map(params![key, top], |row| row.get(0))?.collect::<Result<_, _>>()?)
}
