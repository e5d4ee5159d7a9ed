//! Which names are which entity, for the names that a batch touched and all that hang together with them.

use std::collections::{BTreeMap, BTreeSet};

use mge_core::Digest;
use rusqlite::{OptionalExtension, params};

use super::Deriver;
use crate::error::StoreError;
use crate::resolve::{Group, NameKind, Node, closure, identity_key, partition, public_id};
use crate::store::tokens;

/// What changes for the claims.
#[derive(Default)]
struct Outcome {
    /// Nodes that belong to another entity now, or to one with another id or concept.
    nodes: BTreeSet<i64>,
    /// Rows that entities of this batch have.
    taken: BTreeSet<i64>,
    /// Rows that may have lost their last node.
    left: BTreeSet<i64>,
    /// Ids, without what tells clashes apart, of which the bearers may have changed.
    bases: BTreeSet<String>,
}

impl Deriver<'_> {
    /// Resolves names anew, and marks the evidence of all whose entity changed.
    pub(super) fn resolve(&mut self, touched: BTreeSet<(String, String)>) -> Result<(), StoreError> {
        let mut outcome = Outcome::default();
        let mut done: BTreeSet<(String, String)> = BTreeSet::new();
        for start in touched {
            if done.contains(&start) {
                continue;
            }
            let (visited, nodes) =
                closure(self.connection, &mut self.words, &self.law.ontology, &self.law.rules, start)?;
            done.extend(visited);
            for group in partition(&self.law.ontology, &self.law.rules, &nodes) {
                self.place(&nodes, &group, &mut outcome)?;
            }
        }
        self.drop_empty(&mut outcome)?;
        self.name_apart(&mut outcome)?;
        for node in outcome.nodes {
            for sql in [
                "SELECT chunk, n FROM evidence WHERE subject = ?1",
                "SELECT chunk, n FROM evidence WHERE object = ?1 AND object <> 0",
            ] {
                let mut statement = self.connection.prepare_cached(sql)?;
                let mut rows = statement.query([node])?;
                while let Some(row) = rows.next()? {
                    self.evidence.insert((row.get(0)?, row.get(1)?));
                }
            }
        }
        Ok(())
    }

    /// Gives a group of nodes its entity.
    fn place(&mut self, nodes: &[Node], group: &Group, outcome: &mut Outcome) -> Result<(), StoreError> {
        let members: Vec<&Node> = group.nodes.iter().map(|&at| &nodes[at]).collect();
        let mut former: BTreeMap<i64, usize> = BTreeMap::new();
        for node in members.iter().filter(|node| node.entity != 0 && !outcome.taken.contains(&node.entity)) {
            *former.entry(node.entity).or_default() += 1;
        }
        let row = former
            .iter()
            .max_by(|left, right| left.1.cmp(right.1).then(right.0.cmp(left.0)))
            .map(|(row, _)| *row);
        let base = public_id(&group.concept, &group.name);
        let concept = self.words.number(self.connection, &group.concept)?;
        let mentions: i64 = members.iter().map(|node| node.mentions).sum();
        let refs: i64 = members.iter().map(|node| node.refs).sum();
        let mut renamed = true;
        let row = match row {
            Some(row) => {
                let (old_base, old_concept, old_live): (String, i64, bool) = self
                    .connection
                    .prepare_cached("SELECT base, concept, live FROM entity WHERE id = ?1")?
                    .query_row([row], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
                self.connection
                    .prepare_cached(
                        "UPDATE entity SET base = ?2, concept = ?3, name = ?4, mentions = ?5, refs = ?6, live = ?7 \
                         WHERE id = ?1",
                    )?
                    .execute(params![row, base, concept, group.name, mentions, refs, group.live])?;
                self.count("entities", i64::from(group.live) - i64::from(old_live));
                renamed = old_base != base || old_concept != concept;
                if renamed || old_live != group.live {
                    outcome.bases.insert(old_base);
                }
                row
            }
            None => {
                self.count("entities", i64::from(group.live));
                self.connection
                    .prepare_cached(
                        "INSERT INTO entity (public, base, concept, name, mentions, refs, live) \
                         VALUES ('', ?1, ?2, ?3, ?4, ?5, ?6)",
                    )?
                    .insert(params![base, concept, group.name, mentions, refs, group.live])?
            }
        };
        outcome.taken.insert(row);
        outcome.bases.insert(base);
        for node in members {
            if node.entity != row {
                outcome.left.insert(node.entity);
                self.connection
                    .prepare_cached("UPDATE node SET entity = ?2 WHERE id = ?1")?
                    .execute([node.row, row])?;
            }
            if node.entity != row || renamed {
                outcome.nodes.insert(node.row);
            }
        }
        self.write_names(row, &group.names)
    }

    fn write_names(&mut self, entity: i64, names: &BTreeMap<String, NameKind>) -> Result<(), StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT text, kind FROM name WHERE entity = ?1 ORDER BY text")?;
        let old: Vec<(String, i64)> =
            statement.query_map([entity], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        let new: Vec<(String, i64)> = names.iter().map(|(text, kind)| (text.clone(), *kind as i64)).collect();
        if old == new {
            return Ok(());
        }
        self.forget_names(entity, &old)?;
        let mut words = BTreeSet::new();
        for (text, kind) in &new {
            self.connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO name (key, entity, text, kind) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![mge_core::name_key(text), entity, text, kind])?;
            words.extend(tokens(text));
        }
        for word in words {
            self.connection
                .prepare_cached("INSERT OR IGNORE INTO token (token, entity) VALUES (?1, ?2)")?
                .execute(params![word, entity])?;
        }
        Ok(())
    }

    fn forget_names(&mut self, entity: i64, names: &[(String, i64)]) -> Result<(), StoreError> {
        for word in names.iter().flat_map(|(text, _)| tokens(text)).collect::<BTreeSet<_>>() {
            self.connection
                .prepare_cached("DELETE FROM token WHERE token = ?1 AND entity = ?2")?
                .execute(params![word, entity])?;
        }
        self.connection.prepare_cached("DELETE FROM name WHERE entity = ?1")?.execute([entity])?;
        Ok(())
    }

    /// Drops the entities to which no name belongs any more.
    fn drop_empty(&mut self, outcome: &mut Outcome) -> Result<(), StoreError> {
        for row in std::mem::take(&mut outcome.left) {
            let used: bool = self
                .connection
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM node WHERE entity = ?1)")?
                .query_row([row], |row| row.get(0))?;
            if row == 0 || used {
                continue;
            }
            let gone: Option<(String, String, bool)> = self
                .connection
                .prepare_cached("DELETE FROM entity WHERE id = ?1 RETURNING base, public, live")?
                .query_row([row], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            let Some((base, public, live)) = gone else { continue };
            self.count("entities", -i64::from(live));
            outcome.bases.insert(base);
            let names: Vec<(String, i64)> = {
                let mut statement =
                    self.connection.prepare_cached("SELECT text, kind FROM name WHERE entity = ?1")?;
                statement.query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?
            };
            self.forget_names(row, &names)?;
            self.remember_id(&public, &names)?;
        }
        Ok(())
    }

    /// Gives each entity its id: entities that would share one are told apart by their least mention.
    fn name_apart(&mut self, outcome: &mut Outcome) -> Result<(), StoreError> {
        for base in std::mem::take(&mut outcome.bases) {
            let mut statement = self
                .connection
                .prepare_cached("SELECT id, public, live FROM entity WHERE base = ?1 ORDER BY id")?;
            let bearers: Vec<(i64, String, bool)> = statement
                .query_map([&base], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect::<Result<_, _>>()?;
            let clash = bearers.iter().filter(|(_, _, live)| *live).count() > 1;
            for (row, old, live) in bearers {
                let public =
                    if clash && live { format!("{base}~{}", self.least_mention(row)?) } else { base.clone() };
                if public == old {
                    continue;
                }
                self.connection
                    .prepare_cached("UPDATE entity SET public = ?2 WHERE id = ?1")?
                    .execute(params![row, public])?;
                if !old.is_empty() {
                    let mut statement =
                        self.connection.prepare_cached("SELECT text, kind FROM name WHERE entity = ?1")?;
                    let names: Vec<(String, i64)> = statement
                        .query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?
                        .collect::<Result<_, _>>()?;
                    self.remember_id(&old, &names)?;
                }
                let mut statement =
                    self.connection.prepare_cached("SELECT id FROM node WHERE entity = ?1")?;
                let mut rows = statement.query([row])?;
                while let Some(row) = rows.next()? {
                    outcome.nodes.insert(row.get(0)?);
                }
            }
        }
        Ok(())
    }

    /// Keeps an id that was shown: it leads to whatever its name belongs to later.
    fn remember_id(&mut self, public: &str, names: &[(String, i64)]) -> Result<(), StoreError> {
        // The id ends with the name it was made of; the strongest node of that name stands for it.
        let names = names.iter().map(|(text, _)| text.as_str());
        let own = public.rsplit_once('|').map_or("", |(_, name)| name);
        let own = mge_core::unescape_part(own.split_once('~').map_or(own, |(name, _)| name));
        for name in std::iter::once(own.as_str()).chain(names) {
            let key = identity_key(name);
            let found: Option<i64> = self
                .connection
                .prepare_cached(
                    "SELECT concept FROM node WHERE key = ?1 \
                     AND top = (SELECT id FROM word WHERE text = ?2) ORDER BY weight DESC, id LIMIT 1",
                )?
                .query_row(params![key, public.split('|').next().unwrap_or("")], |row| row.get(0))
                .optional()?;
            if let Some(concept) = found {
                let concept = self.words.word(self.connection, concept)?;
                self.connection
                    .prepare_cached(
                        "INSERT OR REPLACE INTO former_entity (public, concept, key) VALUES (?1, ?2, ?3)",
                    )?
                    .execute(params![public, &*concept, key])?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns six hexadecimal digits of the least key of an entity's mentions, or of its evidence without any.
    ///
    /// The key of a mention is made of its chunk's content, so that it does not change when a file moves.
    fn least_mention(&self, entity: i64) -> Result<String, StoreError> {
        let mut least: Option<Digest> = None;
        for sql in [
            "SELECT c.key, m.start, m.end FROM node n JOIN mention m ON m.node = n.id JOIN chunk c ON c.id = m.chunk \
             WHERE n.entity = ?1 AND m.live = 1",
            "SELECT c.key, e.n, 0 FROM node n JOIN evidence e ON e.subject = n.id JOIN chunk c ON c.id = e.chunk \
             WHERE n.entity = ?1 AND e.live = 1",
            "SELECT c.key, e.n, 1 FROM node n JOIN evidence e ON e.object = n.id JOIN chunk c ON c.id = e.chunk \
             WHERE n.entity = ?1 AND e.live = 1",
        ] {
            if least.is_some() {
                break;
            }
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query([entity])?;
            while let Some(row) = rows.next()? {
                let (key, start, end): (Vec<u8>, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let digest = Digest::of_parts([key.as_slice(), &start.to_le_bytes(), &end.to_le_bytes()]);
                least = Some(least.map_or(digest, |least| least.min(digest)));
            }
        }
        Ok(least.unwrap_or_default().to_string()[..6].to_owned())
    }
}
