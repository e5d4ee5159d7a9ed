use std::collections::{BTreeMap, BTreeSet};

use mge_core::escape_part;
use mge_ontology::Ontology;

use super::rules::{Rules, top_of};

/// A name with one concept, and how live texts use it. A curated instance is one too, without a row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    /// Its row; 0 of a curated instance that is only in the ontology.
    pub(crate) row: i64,
    /// The concept that texts give it.
    pub(crate) concept: String,
    /// The key of the name.
    pub(crate) key: String,
    /// A shorter key that it may go by.
    pub(crate) base: Option<String>,
    /// The row of the entity that it belonged to; 0 for none.
    pub(crate) entity: i64,
    /// Live mentions.
    pub(crate) mentions: i64,
    /// The sum of their confidence, in millionths.
    pub(crate) weight: i64,
    /// Live pieces of evidence that name it.
    pub(crate) refs: i64,
    /// The spellings of the name.
    pub(crate) surfaces: Vec<Surface>,
    /// What texts declare as its alias: key and spelling.
    pub(crate) aliases: Vec<(String, String)>,
    /// The instance that it is, of a curated one.
    pub(crate) instance: Option<usize>,
}

/// A spelling of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Surface {
    /// As it is written.
    pub(crate) text: String,
    /// Live mentions that are this full name.
    pub(crate) full: i64,
    /// Other live uses of it.
    pub(crate) refs: i64,
}

/// What a name is to its entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameKind {
    /// The name that it bears.
    Canonical,
    /// Another spelling of the full name.
    Full,
    /// Another name.
    Alias,
}

/// Names that are one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// Positions of its nodes that have rows.
    pub(crate) nodes: Vec<usize>,
    /// Its concept: the deepest that the texts support.
    pub(crate) concept: String,
    /// Its name.
    pub(crate) name: String,
    /// All its names, by spelling.
    pub(crate) names: BTreeMap<String, NameKind>,
    /// Live texts name it.
    pub(crate) live: bool,
}

impl Node {
    /// Tells whether live texts use it.
    pub(crate) fn is_live(&self) -> bool {
        self.mentions > 0 || self.refs > 0
    }

    fn strength(&self) -> i64 {
        self.weight.saturating_add(self.refs)
    }

    fn top(&self) -> &str {
        top_of(&self.concept)
    }
}

/// Returns the id of an entity that shares it with no other.
pub(crate) fn public_id(concept: &str, name: &str) -> String {
    format!("{concept}|{}", escape_part(name))
}

/// Divides the nodes of a closure into entities. The result does not depend on the order of the nodes.
pub(crate) fn partition(ontology: &Ontology, rules: &Rules, nodes: &[Node]) -> Vec<Group> {
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&at| counts(&nodes[at])).collect();
    order.sort_by(|&left, &right| sort_key(&nodes[left]).cmp(&sort_key(&nodes[right])));
    let mut parts = Parts::new(ontology, rules, nodes);
    parts.decide();
    parts.meet_by_name(&order);
    parts.meet_by_alias(&order, Tie::Curated);
    parts.meet_by_alias(&order, Tie::Base);
    parts.meet_by_alias(&order, Tie::Declared);
    parts.follow_the_dead();
    parts.groups()
}

fn counts(node: &Node) -> bool {
    node.is_live() || node.instance.is_some()
}

/// Curated first, then by what supports it, then by bytes.
fn sort_key(node: &Node) -> (&str, &str, bool, i64, &str) {
    (node.top(), &node.key, node.instance.is_none(), -node.strength(), &node.concept)
}

/// Why a shorter name may stand for a longer one.
#[derive(Clone, Copy, PartialEq)]
enum Tie {
    Curated,
    Base,
    Declared,
}

/// The nodes, in sets that only grow.
struct Parts<'a> {
    ontology: &'a Ontology,
    rules: &'a Rules,
    nodes: &'a [Node],
    /// The set that each node is in; sets are named by one of their nodes.
    set: Vec<usize>,
    members: BTreeMap<usize, Vec<usize>>,
    /// Pairs that a curator keeps apart.
    apart: Vec<(usize, usize)>,
    /// Keys that are aliases of a longer name, by top concept.
    short: BTreeSet<(String, String)>,
}

impl<'a> Parts<'a> {
    fn new(ontology: &'a Ontology, rules: &'a Rules, nodes: &'a [Node]) -> Self {
        let members = (0..nodes.len()).map(|at| (at, vec![at])).collect();
        let set = (0..nodes.len()).collect();
        Self { ontology, rules, nodes, set, members, apart: Vec::new(), short: BTreeSet::new() }
    }

    fn join(&mut self, left: usize, right: usize) {
        let (into, from) = (self.set[left], self.set[right]);
        if into == from {
            return;
        }
        let moved = self.members.remove(&from).unwrap_or_default();
        for node in &moved {
            self.set[*node] = into;
        }
        self.members.entry(into).or_default().extend(moved);
    }

    fn is_apart(&self, left: usize, right: usize) -> bool {
        self.apart.iter().any(|&(one, other)| {
            let (one, other) = (self.set[one], self.set[other]);
            (one, other) == (self.set[left], self.set[right])
                || (other, one) == (self.set[left], self.set[right])
        })
    }

    fn may_join(&self, left: usize, right: usize) -> bool {
        if self.is_apart(left, right) {
            return false;
        }
        let of = |node: usize| self.members.get(&self.set[node]).map_or(&[][..], Vec::as_slice);
        of(left).iter().all(|&one| {
            of(right).iter().all(|&other| {
                let (one, other) = (&self.nodes[one], &self.nodes[other]);
                let two_instances =
                    one.instance.is_some() && other.instance.is_some() && one.instance != other.instance;
                !two_instances
                    && (one.concept == other.concept || !self.ontology.disjoint(&one.concept, &other.concept))
            })
        })
    }

    /// A curator's word goes before all else.
    fn decide(&mut self) {
        let mut same = Vec::new();
        for (left, right, is_same) in self.rules.decisions() {
            if let (Some(left), Some(right)) = (self.find(left), self.find(right)) {
                if is_same { same.push((left, right)) } else { self.apart.push((left, right)) }
            }
        }
        for (left, right) in same {
            if !self.is_apart(left, right) {
                self.join(left, right);
            }
        }
    }

    /// Finds the node of a decision: of the concept it names, else the strongest that has the name.
    fn find(&self, name: &crate::store::NameRef) -> Option<usize> {
        let fits = |node: &Node| node.key == name.key && node.top() == top_of(&name.concept);
        let mut found: Vec<usize> =
            (0..self.nodes.len()).filter(|&at| counts(&self.nodes[at]) && fits(&self.nodes[at])).collect();
        found.sort_by(|&left, &right| {
            let key = |at: usize| {
                let node = &self.nodes[at];
                (node.concept != name.concept, node.instance.is_some(), -node.strength(), &node.concept)
            };
            key(left).cmp(&key(right))
        });
        found.first().copied()
    }

    /// Full names that are spelt alike are one, unless their concepts or curated ids exclude each other.
    fn meet_by_name(&mut self, order: &[usize]) {
        for (place, &node) in order.iter().enumerate() {
            let alike = |other: &&usize| {
                self.nodes[**other].key == self.nodes[node].key
                    && self.nodes[**other].top() == self.nodes[node].top()
            };
            let before: Vec<usize> = order[..place].iter().rev().take_while(alike).copied().collect();
            let related = |other: &&usize| {
                let (one, two) = (&self.nodes[**other].concept, &self.nodes[node].concept);
                self.ontology.descends(one, two) || self.ontology.descends(two, one)
            };
            let fits = |other: &&usize| self.may_join(**other, node);
            let chosen = before
                .iter()
                .rev()
                .filter(related)
                .find(fits)
                .or_else(|| before.iter().rev().find(fits))
                .copied();
            if let Some(other) = chosen {
                self.join(other, node);
            }
        }
    }

    /// A shorter name stands for the longer one, where there is only one.
    fn meet_by_alias(&mut self, order: &[usize], tie: Tie) {
        // For each alias, the nodes that have it.
        let mut owners: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for &at in order {
            let node = &self.nodes[at];
            let mut own = |key: &str| {
                if key != node.key {
                    owners.entry((node.top().to_owned(), key.to_owned())).or_default().push(at);
                }
            };
            match tie {
                Tie::Curated => {
                    if let Some(instance) = node.instance {
                        self.rules.keys(instance).iter().skip(1).for_each(|key| own(key));
                    }
                }
                Tie::Base => node.base.iter().for_each(|key| own(key)),
                Tie::Declared => node.aliases.iter().for_each(|(key, _)| own(key)),
            }
        }
        // Who is ambiguous is judged by the sets as they are now, so that no order among aliases matters.
        let mut joins = Vec::new();
        for ((top, key), nodes) in owners {
            let sets: BTreeSet<usize> = nodes.iter().map(|&node| self.set[node]).collect();
            let curated = tie != Tie::Curated && !self.rules.aliased(&top, &key).is_empty();
            if sets.len() != 1 || curated {
                continue;
            }
            let named: Vec<usize> = order
                .iter()
                .copied()
                .filter(|&at| self.nodes[at].key == key && self.nodes[at].top() == top)
                .collect();
            if tie != Tie::Base {
                self.short.insert((top, key));
            }
            joins.push((nodes[0], named));
        }
        for (owner, named) in joins {
            for node in named {
                if self.may_join(owner, node) {
                    self.join(owner, node);
                }
            }
        }
    }

    /// Names that only the past knows go with the living that share them, and change nothing.
    fn follow_the_dead(&mut self) {
        let mut dead: Vec<usize> = (0..self.nodes.len()).filter(|&at| !counts(&self.nodes[at])).collect();
        dead.sort_by(|&left, &right| sort_key(&self.nodes[left]).cmp(&sort_key(&self.nodes[right])));
        for node in dead {
            let alike = |at: &usize| {
                *at != node
                    && self.nodes[*at].key == self.nodes[node].key
                    && self.nodes[*at].top() == self.nodes[node].top()
            };
            let mut others: Vec<usize> = (0..self.nodes.len()).filter(alike).collect();
            others.sort_by(|&left, &right| {
                let key = |at: usize| (!counts(&self.nodes[at]), sort_key(&self.nodes[at]));
                key(left).cmp(&key(right))
            });
            if let Some(other) = others.into_iter().find(|&other| self.may_join(other, node)) {
                self.join(other, node);
            }
        }
    }

    fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> =
            self.members.values().filter_map(|members| self.group(members)).collect();
        groups.sort_by(|left, right| {
            (&left.concept, &left.name, &left.nodes).cmp(&(&right.concept, &right.name, &right.nodes))
        });
        groups
    }

    fn group(&self, members: &[usize]) -> Option<Group> {
        let mut rows: Vec<usize> = members.iter().copied().filter(|&at| self.nodes[at].row != 0).collect();
        if rows.is_empty() {
            return None;
        }
        let live = rows.iter().any(|&at| self.nodes[at].is_live());
        // An instance lends its id only to what texts name.
        let mut instances: Vec<usize> = members.iter().filter_map(|&at| self.nodes[at].instance).collect();
        instances.sort_unstable();
        let instance = instances.first().and_then(|&at| self.ontology.instances.get(at));
        rows.sort_by(|&left, &right| sort_key(&self.nodes[left]).cmp(&sort_key(&self.nodes[right])));
        let concept = instance.map_or_else(|| self.deepest(&rows, live), |instance| instance.concept.clone());
        let name = instance.map_or_else(|| self.canonical(&rows), |instance| instance.name.clone());
        let mut names = BTreeMap::new();
        let mut call = |text: &str, kind: NameKind| {
            let known = names.entry(text.to_owned()).or_insert(kind);
            *known = (*known).min(kind);
        };
        call(&name, NameKind::Canonical);
        for &at in &rows {
            let node = &self.nodes[at];
            let kind = if self.is_short(node) { NameKind::Alias } else { NameKind::Full };
            for surface in node.surfaces.iter().filter(|surface| surface.full > 0 || surface.refs > 0) {
                call(&surface.text, kind);
            }
            for (_, text) in &node.aliases {
                call(text, NameKind::Alias);
            }
        }
        for alias in instances
            .iter()
            .filter_map(|&at| self.ontology.instances.get(at))
            .flat_map(|found| &found.aliases)
        {
            call(alias, NameKind::Alias);
        }
        Some(Group { nodes: rows, concept, name, names, live })
    }

    fn is_short(&self, node: &Node) -> bool {
        self.short.contains(&(node.top().to_owned(), node.key.clone()))
    }

    /// Of the concepts below which none is supported, the one with most support.
    fn deepest(&self, rows: &[usize], live: bool) -> String {
        let mut support: BTreeMap<&str, i64> = BTreeMap::new();
        for &at in rows {
            let node = &self.nodes[at];
            if node.is_live() || !live {
                *support.entry(node.concept.as_str()).or_default() += node.strength();
            }
        }
        let is_leaf = |concept: &str| {
            !support.keys().any(|other| *other != concept && self.ontology.descends(other, concept))
        };
        support
            .iter()
            .filter(|(concept, _)| is_leaf(concept))
            .max_by(|left, right| left.1.cmp(right.1).then(right.0.cmp(left.0)))
            .map_or_else(String::new, |(concept, _)| (*concept).to_owned())
    }

    /// The most frequent full spelling; of equals the longer, then by bytes. An alias names only what has no other.
    fn canonical(&self, rows: &[usize]) -> String {
        let mut spellings: BTreeMap<&str, (bool, i64, i64)> = BTreeMap::new();
        for &at in rows {
            let node = &self.nodes[at];
            let long = !self.is_short(node);
            for surface in &node.surfaces {
                let entry = spellings.entry(surface.text.as_str()).or_insert((long, 0, 0));
                entry.0 |= long;
                entry.1 += surface.full;
                entry.2 += surface.refs;
            }
        }
        spellings
            .into_iter()
            .max_by(|(left, left_use), (right, right_use)| {
                let lengths = left.chars().count().cmp(&right.chars().count());
                let rank = |(long, full, refs): (bool, i64, i64)| {
                    (long && (full > 0 || refs > 0), full, i64::from(full > 0 || refs > 0))
                };
                rank(*left_use).cmp(&rank(*right_use)).then(lengths).then(right.cmp(left))
            })
            .map_or_else(String::new, |(text, _)| text.to_owned())
    }
}
