use std::sync::Arc;

use indexmap::IndexMap;
use mge_core::{Digest, GraphRows, name_key};

use crate::meaning;

/// The meaning of the three graphs together: what may be said of what.
#[derive(Debug, Clone, Default)]
pub struct Ontology {
    /// Concepts by id; parents that no row lists are here too, marked `implied`.
    pub concepts: IndexMap<String, Concept>,
    /// Relations by id.
    pub relations: IndexMap<String, Relation>,
    /// Curated instances, in order of id (look-ups rely on it).
    pub instances: Vec<Instance>,
    /// Curated edges between instances, as `(subject id, relation id, object id)`.
    pub facts: Vec<(String, String, String)>,
    /// Concept ids by the key of a word for them, as [`Ontology::concepts_named`] looks them up: last levels of
    /// ids and aliases, each as written and stemmed.
    pub words: IndexMap<String, Vec<String>>,
    /// The digest of all curated rows: its version.
    pub digest: Digest,
}

/// A kind of thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Concept {
    /// The hierarchical id, most general first: `place|room`.
    pub id: String,
    /// What it means, for people and models.
    pub definition: String,
    /// Other words for it: `laboratory; lab`.
    pub aliases: Vec<String>,
    /// Concepts nothing can be at the same time.
    pub disjoint_with: Vec<String>,
    /// It is only the parent of others: no row of its own.
    pub implied: bool,
}

/// A kind of claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The hierarchical id; `works_on|leads` implies `works_on`.
    pub id: String,
    /// The concept of its subject, itself or a descendant.
    pub src: String,
    /// What its object is.
    pub dst: Target,
    /// What it means, for people and models.
    pub definition: String,
    /// Words that express it.
    pub cues: Vec<Cue>,
    /// A subject has one object at a time.
    pub functional: bool,
    /// An object has one subject at a time.
    pub inverse_functional: bool,
    /// It holds both ways; stored once.
    pub symmetric: bool,
    /// It chains: inferred at query time, never stored.
    pub transitive: bool,
    /// It is the other direction of this relation, which is the one stored.
    pub inverse_of: Option<String>,
    /// Relations that cannot hold between the same two at the same time.
    pub disjoint_with: Vec<String>,
}

/// How claims of a relation are stored: see [`Ontology::canonical`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Canonical<'a> {
    /// The relation that is stored.
    pub relation: &'a Relation,
    /// Subject and object change places.
    pub swapped: bool,
}

/// What the object of a relation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An entity of this concept or a descendant.
    Concept(String),
    /// A value.
    Literal(LiteralKind),
}

/// The kind of a literal value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LiteralKind {
    /// Any text; also plain `literal`.
    Text,
    /// A number.
    Number,
    /// A number with a unit.
    Quantity,
    /// A date of any precision.
    Date,
    /// Yes or no.
    Boolean,
    /// An address.
    Url,
}

/// A word or phrase that expresses a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cue {
    /// The words as given, in lower case.
    pub text: String,
    /// The object stands before the subject: `<led by` in the file.
    pub reversed: bool,
    /// Taken from the `cues` column; the others come from the id and the definition, and weigh less.
    pub curated: bool,
}

/// A curated entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The concept's id and the name.
    pub id: String,
    /// The concept's id.
    pub concept: String,
    /// The name, unescaped.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
}

impl Ontology {
    /// Gives the rows of the three graphs their meaning. Rows that have none (see `validate`) are left out.
    ///
    /// The flags of a relation are completed: a relation is functional too when one above it is, or when its inverse
    /// is inverse functional.
    pub fn from_rows(
        entities: &Arc<GraphRows>,
        relationships: Option<&GraphRows>,
        known_ids: Option<&GraphRows>,
    ) -> Self {
        meaning::read(entities, relationships, known_ids)
    }

    /// Tells whether `concept` is `ancestor` or lies below it.
    pub fn descends(&self, concept: &str, ancestor: &str) -> bool {
        lies_below(concept, ancestor)
    }

    /// Tells whether nothing can be both, by `disjoint_with` of either or of their ancestors.
    ///
    /// A concept and its own ancestor are never disjoint, whatever the rows say.
    pub fn disjoint(&self, left: &str, right: &str) -> bool {
        if lies_below(left, right) || lies_below(right, left) {
            return false;
        }
        let forbids = |one: &str, other: &str| {
            levels(one)
                .filter_map(|level| self.concepts.get(level))
                .any(|concept| concept.disjoint_with.iter().any(|forbidden| lies_below(other, forbidden)))
        };
        forbids(left, right) || forbids(right, left)
    }

    /// Returns the concepts that a word names, by the last level of their ids or an alias, in any inflection.
    pub fn concepts_named(&self, word: &str) -> impl Iterator<Item = &Concept> {
        let key = name_key(word);
        let found = self.words.get(&key).or_else(|| self.words.get(&meaning::stem_key(&key)));
        found.into_iter().flatten().filter_map(|id| self.concepts.get(id))
    }

    /// Returns a curated instance by id.
    pub fn instance(&self, id: &str) -> Option<&Instance> {
        let position = self.instances.binary_search_by(|instance| instance.id.as_str().cmp(id)).ok()?;
        self.instances.get(position)
    }

    /// Returns the relation and those that it implies, most special first: `works_on|leads`, then `works_on`.
    pub fn relation_chain(&self, relation: &str) -> impl Iterator<Item = &Relation> {
        let mut chain: Vec<&Relation> =
            levels(relation).filter_map(|level| self.relations.get(level)).collect();
        chain.reverse();
        chain.into_iter()
    }

    /// Returns the relation and those that imply it, in order of id.
    pub fn sub_relations(&self, relation: &str) -> impl Iterator<Item = &Relation> {
        self.relations.values().filter(move |candidate| lies_below(&candidate.id, relation))
    }

    /// Tells whether `relation` is `implied` or lies below it, so that a claim of the one is a claim of the other.
    pub fn implies(&self, relation: &str, implied: &str) -> bool {
        lies_below(relation, implied)
    }

    /// Tells whether a subject has one object at a time.
    pub fn is_functional(&self, relation: &str) -> bool {
        self.relations.get(relation).is_some_and(|relation| relation.functional)
    }

    /// Tells whether an object has one subject at a time.
    pub fn is_inverse_functional(&self, relation: &str) -> bool {
        self.relations.get(relation).is_some_and(|relation| relation.inverse_functional)
    }

    /// Tells whether two relations cannot hold between the same two at the same time.
    pub fn disjoint_relations(&self, left: &str, right: &str) -> bool {
        let forbids = |one: &str, other: &str| {
            self.relation_chain(one)
                .any(|relation| relation.disjoint_with.iter().any(|forbidden| lies_below(other, forbidden)))
        };
        !lies_below(left, right) && !lies_below(right, left) && (forbids(left, right) || forbids(right, left))
    }

    /// Returns the relation under which claims of `relation` are stored, and whether their ends change places.
    ///
    /// `inverse_of` is followed to its end. Where relations are declared as inverse to each other in a ring, the
    /// least id of the ring is the one stored. An unknown relation has none.
    pub fn canonical(&self, relation: &str) -> Option<Canonical<'_>> {
        let mut path: Vec<&Relation> = vec![self.relations.get(relation)?];
        loop {
            let last = path[path.len() - 1];
            let next = last.inverse_of.as_ref().and_then(|inverse| self.relations.get(inverse));
            let Some(next) = next else {
                return Some(Canonical { relation: last, swapped: path.len().is_multiple_of(2) });
            };
            if let Some(start) = path.iter().position(|seen| seen.id == next.id) {
                let ring = start..path.len();
                let least = ring.min_by_key(|position| &path[*position].id).unwrap_or(start);
                return Some(Canonical { relation: path[least], swapped: least % 2 == 1 });
            }
            path.push(next);
        }
    }

    /// Returns a claim as it is stored: `(subject, relation, object)` in the direction of [`Ontology::canonical`],
    /// and for a symmetric relation with the lesser end first.
    pub fn canonical_claim<'a>(
        &'a self,
        subject: &'a str,
        relation: &str,
        object: &'a str,
    ) -> Option<(&'a str, &'a Relation, &'a str)> {
        let Canonical { relation, swapped } = self.canonical(relation)?;
        let (subject, object) = if swapped { (object, subject) } else { (subject, object) };
        if relation.symmetric && object < subject {
            return Some((object, relation, subject));
        }
        Some((subject, relation, object))
    }
}

impl LiteralKind {
    /// Returns the word for it, as in `literal:date`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Quantity => "quantity",
            Self::Date => "date",
            Self::Boolean => "boolean",
            Self::Url => "url",
        }
    }

    /// Returns all kinds, in the order in which they are listed.
    pub const ALL: [LiteralKind; 6] =
        [Self::Text, Self::Number, Self::Quantity, Self::Date, Self::Boolean, Self::Url];
}

impl Target {
    /// Reads a `dst` cell; `None` when it is empty or names a kind of literal that does not exist.
    pub fn parse(cell: &str) -> Option<Self> {
        let cell = cell.trim();
        let Some(kind) = cell.strip_prefix("literal") else {
            return (!cell.is_empty()).then(|| Self::Concept(cell.to_owned()));
        };
        match kind.strip_prefix(':') {
            None if kind.is_empty() => Some(Self::Literal(LiteralKind::Text)),
            // A concept may be called "literally" or "literal|note".
            None => Some(Self::Concept(cell.to_owned())),
            Some(kind) => LiteralKind::ALL
                .into_iter()
                .find(|known| known.name().eq_ignore_ascii_case(kind.trim()))
                .map(Self::Literal),
        }
    }
}

/// Tells whether an id is `ancestor` or lies below it.
pub(crate) fn lies_below(id: &str, ancestor: &str) -> bool {
    id.strip_prefix(ancestor).is_some_and(|rest| rest.is_empty() || rest.starts_with('|'))
}

/// Returns the id's ancestors and itself, most general first.
pub(crate) fn levels(id: &str) -> impl Iterator<Item = &str> {
    id.match_indices('|').map(|(end, _)| &id[..end]).chain(std::iter::once(id))
}

/// Returns the id without its last level; `None` for an id of one level.
pub(crate) fn parent(id: &str) -> Option<&str> {
    id.rsplit_once('|').map(|(parent, _)| parent)
}

/// Returns the last level of an id.
pub(crate) fn last_level(id: &str) -> &str {
    id.rsplit_once('|').map_or(id, |(_, last)| last)
}
