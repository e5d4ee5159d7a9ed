use std::collections::{BTreeMap, HashMap};

use mge_ontology::Ontology;

use super::names::identity_key;
use crate::store::{Decision, NameRef};

/// What decides about identity beside the texts: curated rows and decisions.
#[derive(Default)]
pub(crate) struct Rules {
    /// Positions in [`Ontology::instances`], by top concept and key of the name.
    by_name: HashMap<(String, String), Vec<usize>>,
    /// The same, by the key of an alias.
    by_alias: HashMap<(String, String), Vec<usize>>,
    /// The keys of an instance: of its name, then of its aliases.
    keys: Vec<Vec<String>>,
    /// Of each pair that curators decided about, the last decision.
    decisions: BTreeMap<(NameRef, NameRef), bool>,
}

impl Rules {
    /// Gathers the rules of an ontology and of decisions, oldest first.
    pub(crate) fn new(ontology: &Ontology, decisions: &[Decision]) -> Self {
        let mut rules = Self::default();
        for (position, instance) in ontology.instances.iter().enumerate() {
            let top = top_of(&instance.concept).to_owned();
            let mut keys = vec![identity_key(&instance.name)];
            rules.by_name.entry((top.clone(), keys[0].clone())).or_default().push(position);
            for alias in &instance.aliases {
                let key = identity_key(alias);
                if !keys.contains(&key) {
                    rules.by_alias.entry((top.clone(), key.clone())).or_default().push(position);
                    keys.push(key);
                }
            }
            rules.keys.push(keys);
        }
        for decision in decisions {
            let mut pair = [decision.left.clone(), decision.right.clone()];
            pair.sort();
            let [left, right] = pair;
            if left != right {
                rules.decisions.insert((left, right), decision.same);
            }
        }
        rules
    }

    /// Returns the instances that have this name.
    pub(crate) fn named(&self, top: &str, key: &str) -> &[usize] {
        self.by_name.get(&(top.to_owned(), key.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Returns the instances that have this alias.
    pub(crate) fn aliased(&self, top: &str, key: &str) -> &[usize] {
        self.by_alias.get(&(top.to_owned(), key.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Returns the keys of an instance, that of its name first.
    pub(crate) fn keys(&self, instance: usize) -> &[String] {
        self.keys.get(instance).map_or(&[], Vec::as_slice)
    }

    /// Returns the decisions: each pair once, with what holds of it.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = (&NameRef, &NameRef, bool)> {
        self.decisions.iter().map(|((left, right), same)| (left, right, *same))
    }

    /// Returns the names of other concepts and keys that decisions tie to this one.
    pub(crate) fn decided_with<'a>(
        &'a self,
        top: &'a str,
        key: &'a str,
    ) -> impl Iterator<Item = &'a NameRef> {
        let is_it = move |name: &NameRef| name.key == key && top_of(&name.concept) == top;
        self.decisions().filter_map(move |(left, right, _)| {
            if is_it(left) {
                Some(right)
            } else if is_it(right) {
                Some(left)
            } else {
                None
            }
        })
    }
}

/// Returns the most general concept above one.
pub(super) fn top_of(concept: &str) -> &str {
    concept.split('|').next().unwrap_or(concept)
}
