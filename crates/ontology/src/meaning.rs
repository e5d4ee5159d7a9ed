//! From rows of text to an [`Ontology`].

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use mge_core::{Digest, GraphRows, NodeRow, name_key, unescape_part};
use rust_stemmers::{Algorithm, Stemmer};

use crate::cues;
use crate::model::{Concept, Instance, Ontology, Relation, Target, last_level, levels, parent};

/// Words of a cell that mean yes.
const YES: [&str; 4] = ["true", "1", "yes", "x"];
/// Words of a cell that mean no, beside an empty one.
const NO: [&str; 3] = ["false", "0", "no"];

/// Gives the rows their meaning.
pub(crate) fn read(
    entities: &Arc<GraphRows>,
    relationships: Option<&GraphRows>,
    known_ids: Option<&GraphRows>,
) -> Ontology {
    let mut ontology = Ontology { concepts: read_concepts(&entities.nodes), ..Ontology::default() };
    ontology.words = read_words(&ontology.concepts);
    if let Some(rows) = relationships {
        ontology.relations = read_relations(&rows.nodes, &ontology.concepts);
        complete_flags(&mut ontology);
    }
    if let Some(rows) = known_ids {
        read_instances(rows, &mut ontology);
    }
    // Only the rows count: not where they were read, nor what crawls added to the same graphs.
    let digests =
        [Some(entities.as_ref()), relationships, known_ids].map(|rows| rows.map(|rows| rows.digest));
    ontology.digest = Digest::of_parts(
        digests.iter().map(|digest| digest.as_ref().map_or(&[][..], |digest| &digest.0[..])),
    );
    ontology
}

/// Reads a yes-or-no cell; an empty or absent one is no, `None` is a word that is neither.
pub(crate) fn read_flag(cell: Option<&String>) -> Option<bool> {
    let Some(cell) = cell else { return Some(false) };
    let cell = cell.trim();
    if YES.iter().any(|word| word.eq_ignore_ascii_case(cell)) {
        Some(true)
    } else if cell.is_empty() || NO.iter().any(|word| word.eq_ignore_ascii_case(cell)) {
        Some(false)
    } else {
        None
    }
}

/// Splits a cell at `;`, without blanks around the parts and without empty parts.
pub(crate) fn read_list(cell: Option<&String>) -> Vec<String> {
    let parts = cell.map(String::as_str).unwrap_or_default().split(';').map(str::trim);
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn text(attributes: &BTreeMap<String, String>, column: &str) -> String {
    attributes.get(column).map(|cell| cell.trim().to_owned()).unwrap_or_default()
}

fn read_concepts(rows: &[NodeRow]) -> IndexMap<String, Concept> {
    let mut concepts: IndexMap<String, Concept> = IndexMap::new();
    for row in rows {
        for level in levels(&row.id) {
            if !concepts.contains_key(level) {
                let concept = Concept { id: level.to_owned(), implied: true, ..Concept::default() };
                concepts.insert(level.to_owned(), concept);
            }
        }
        let concept = Concept {
            id: row.id.clone(),
            definition: text(&row.attributes, "definition"),
            aliases: read_list(row.attributes.get("aliases")),
            disjoint_with: read_list(row.attributes.get("disjoint_with")),
            implied: false,
        };
        concepts.insert(row.id.clone(), concept);
    }
    concepts
}

/// Returns the key of a word in any inflection: each word of a [`name_key`] stemmed.
pub(crate) fn stem_key(key: &str) -> String {
    let stemmer = Stemmer::create(Algorithm::English);
    let stems: Vec<_> = key.split(' ').map(|word| stemmer.stem(word)).collect();
    stems.join(" ")
}

/// Returns the words of the last level of an id: `research_vessel` is `research vessel`.
pub(crate) fn id_words(id: &str) -> String {
    let name = unescape_part(last_level(id));
    let mut words = String::with_capacity(name.len() + 4);
    let mut previous = None;
    for character in name.chars() {
        if character.is_uppercase() && previous.is_some_and(char::is_lowercase) {
            words.push(' ');
        }
        words.push(if matches!(character, '_' | '-') { ' ' } else { character });
        previous = Some(character);
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn read_words(concepts: &IndexMap<String, Concept>) -> IndexMap<String, Vec<String>> {
    let mut words: IndexMap<String, Vec<String>> = IndexMap::new();
    for concept in concepts.values() {
        let own = id_words(&concept.id);
        for word in std::iter::once(&own).chain(&concept.aliases) {
            let key = name_key(word);
            if key.is_empty() {
                continue;
            }
            for key in [stem_key(&key), key] {
                let ids = words.entry(key).or_default();
                if !ids.contains(&concept.id) {
                    ids.push(concept.id.clone());
                }
            }
        }
    }
    words
}

fn read_relations(rows: &[NodeRow], concepts: &IndexMap<String, Concept>) -> IndexMap<String, Relation> {
    let mut relations = IndexMap::new();
    for row in rows {
        let cell = |column: &str| row.attributes.get(column);
        let flag = |column: &str| read_flag(cell(column)).unwrap_or(false);
        let src = text(&row.attributes, "src");
        let Some(dst) = cell("dst").and_then(|dst| Target::parse(dst)) else { continue };
        let known = |concept: &str| concepts.contains_key(concept);
        if !known(&src) || matches!(&dst, Target::Concept(concept) if !known(concept)) {
            continue;
        }
        let mut relation = Relation {
            id: row.id.clone(),
            src,
            dst,
            definition: text(&row.attributes, "definition"),
            cues: Vec::new(),
            functional: flag("functional"),
            inverse_functional: flag("inverse_functional"),
            symmetric: flag("symmetric"),
            transitive: flag("transitive"),
            inverse_of: Some(text(&row.attributes, "inverse_of")).filter(|inverse| !inverse.is_empty()),
            disjoint_with: read_list(cell("disjoint_with")),
        };
        relation.cues = cues::read(&relation, cell("cues"), concepts);
        relations.insert(row.id.clone(), relation);
    }
    relations
}

/// Completes the flags of relations by what their ancestors and their inverses say.
fn complete_flags(ontology: &mut Ontology) {
    // A flag can travel up a chain, over an inverse, and on; each round moves it at least one step.
    for _ in 0..ontology.relations.len().min(16) {
        let mut changes: Vec<(usize, Relation)> = Vec::new();
        for (position, relation) in ontology.relations.values().enumerate() {
            let mut whole = relation.clone();
            whole.symmetric |= relation.inverse_of.as_deref() == Some(relation.id.as_str());
            let above = parent(&relation.id).and_then(|_| ontology.relation_chain(&relation.id).nth(1));
            if let Some(above) = above {
                whole.functional |= above.functional;
                whole.inverse_functional |= above.inverse_functional;
            }
            let declared = relation.inverse_of.as_ref().and_then(|inverse| ontology.relations.get(inverse));
            let declaring = ontology
                .relations
                .values()
                .filter(|other| other.inverse_of.as_deref() == Some(relation.id.as_str()));
            for inverse in declared.into_iter().chain(declaring) {
                whole.functional |= inverse.inverse_functional;
                whole.inverse_functional |= inverse.functional;
                whole.symmetric |= inverse.symmetric;
                whole.transitive |= inverse.transitive;
            }
            if whole.symmetric {
                whole.functional |= whole.inverse_functional;
                whole.inverse_functional |= whole.functional;
            }
            if whole != *relation {
                changes.push((position, whole));
            }
        }
        if changes.is_empty() {
            return;
        }
        for (position, whole) in changes {
            ontology.relations[position] = whole;
        }
    }
}

fn read_instances(rows: &GraphRows, ontology: &mut Ontology) {
    for row in &rows.nodes {
        let Some((concept, name)) = row.id.rsplit_once('|') else { continue };
        let name = unescape_part(name.trim());
        if name.is_empty()
            || !ontology.concepts.contains_key(concept)
            || ontology.concepts.contains_key(&row.id)
        {
            continue;
        }
        ontology.instances.push(Instance {
            id: row.id.clone(),
            concept: concept.to_owned(),
            name,
            aliases: read_list(row.attributes.get("aliases")),
        });
    }
    ontology.instances.sort_by(|left, right| left.id.cmp(&right.id));
    let facts: Vec<_> = rows
        .edges
        .iter()
        .filter_map(|edge| {
            let relation = ontology.relations.get(edge.attributes.get("relation")?.trim())?;
            let known = |id: &str| ontology.instance(id).is_some();
            let object_fits = matches!(relation.dst, Target::Literal(_)) || known(&edge.dst);
            (known(&edge.src) && object_fits)
                .then(|| (edge.src.clone(), relation.id.clone(), edge.dst.clone()))
        })
        .collect();
    ontology.facts = facts;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cue, LiteralKind};

    pub(crate) fn rows(
        nodes: &[(&str, &[(&str, &str)])],
        edges: &[(&str, &str, &str, &str)],
    ) -> Arc<GraphRows> {
        let attributes = |cells: &[(&str, &str)]| {
            cells.iter().map(|(name, cell)| ((*name).to_owned(), (*cell).to_owned())).collect()
        };
        let mut nodes: Vec<NodeRow> = nodes
            .iter()
            .map(|(id, cells)| NodeRow { id: (*id).to_owned(), attributes: attributes(cells) })
            .collect();
        nodes.sort();
        let edges = edges
            .iter()
            .map(|(src, relation, dst, id)| mge_core::EdgeRow {
                src: (*src).to_owned(),
                dst: (*dst).to_owned(),
                id: (*id).to_owned(),
                attributes: attributes(&[("relation", relation)]),
            })
            .collect();
        Arc::new(GraphRows { nodes, edges, digest: Digest::default() })
    }

    fn harbour() -> Ontology {
        let entities = rows(
            &[
                ("person", &[("definition", "A human being."), ("disjoint_with", "organization; vessel")]),
                ("person|scientist", &[("aliases", "researcher; marine biologist")]),
                ("organization", &[]),
                ("vessel|ferry|night_ferry", &[]),
            ],
            &[],
        );
        let relations = rows(
            &[
                ("works_on", &[("src", "person"), ("dst", "vessel"), ("functional", "x")]),
                (
                    "works_on|leads",
                    &[("src", "person"), ("dst", "vessel"), ("cues", "In charge of;< Led  by")],
                ),
                ("directed_by", &[("src", "organization"), ("dst", "person")]),
                (
                    "directs",
                    &[
                        ("src", "person"),
                        ("dst", "organization"),
                        ("inverse_of", "directed_by"),
                        ("inverse_functional", "YES"),
                    ],
                ),
                ("near", &[("src", "vessel"), ("dst", "vessel"), ("symmetric", "1")]),
                ("built_in", &[("src", "vessel"), ("dst", "literal:date")]),
                ("note", &[("src", "vessel"), ("dst", "literal")]),
                ("ring_b", &[("src", "vessel"), ("dst", "vessel"), ("inverse_of", "ring_a")]),
                ("ring_a", &[("src", "vessel"), ("dst", "vessel"), ("inverse_of", "ring_b")]),
                ("nowhere", &[("src", "vessel"), ("dst", "planet")]),
                ("wrong_kind", &[("src", "vessel"), ("dst", "literal:colour")]),
            ],
            &[],
        );
        let known = rows(
            &[
                ("person|scientist|Ada%7CB", &[("aliases", "A. B.")]),
                ("vessel|ferry|Petrel", &[]),
                ("planet|Mars", &[]),
                ("person|scientist", &[]),
            ],
            &[
                ("person|scientist|Ada%7CB", "works_on", "vessel|ferry|Petrel", "1"),
                ("vessel|ferry|Petrel", "built_in", "1961", "2"),
                ("vessel|ferry|Petrel", "works_on", "planet|Mars", "3"),
                ("vessel|ferry|Petrel", "unknown", "vessel|ferry|Petrel", "4"),
            ],
        );
        Ontology::from_rows(&entities, Some(&relations), Some(&known))
    }

    #[test]
    fn parents_without_a_row_are_implied() {
        let ontology = harbour();
        assert!(ontology.concepts["vessel"].implied && ontology.concepts["vessel|ferry"].implied);
        assert!(!ontology.concepts["person"].implied);
        assert!(ontology.descends("vessel|ferry", "vessel") && !ontology.descends("vessels", "vessel"));
    }

    #[test]
    fn disjointness_is_inherited_and_holds_both_ways() {
        let ontology = harbour();
        assert!(ontology.disjoint("person|scientist", "vessel|ferry"));
        assert!(ontology.disjoint("vessel|ferry|night_ferry", "person"));
        assert!(!ontology.disjoint("person", "person|scientist"));
        assert!(!ontology.disjoint("organization", "vessel"));
    }

    #[test]
    fn words_name_concepts_in_any_inflection() {
        let ontology = harbour();
        let named =
            |word: &str| ontology.concepts_named(word).map(|concept| concept.id.clone()).collect::<Vec<_>>();
        assert_eq!(named("Researchers"), ["person|scientist"]);
        assert_eq!(named("marine biologists"), ["person|scientist"]);
        assert_eq!(named("night ferry"), ["vessel|ferry|night_ferry"]);
        assert!(named("comet").is_empty());
    }

    #[test]
    fn rows_without_meaning_are_left_out() {
        let ontology = harbour();
        assert!(
            !ontology.relations.contains_key("nowhere") && !ontology.relations.contains_key("wrong_kind")
        );
        assert_eq!(ontology.relations["built_in"].dst, Target::Literal(LiteralKind::Date));
        assert_eq!(ontology.relations["note"].dst, Target::Literal(LiteralKind::Text));
        let names: Vec<&str> = ontology.instances.iter().map(|instance| instance.name.as_str()).collect();
        assert_eq!(names, ["Ada|B", "Petrel"]);
        let relations: Vec<&str> = ontology.facts.iter().map(|fact| fact.1.as_str()).collect();
        assert_eq!(relations, ["works_on", "built_in"]);
    }

    #[test]
    fn flags_follow_ancestors_and_inverses() {
        let ontology = harbour();
        assert!(ontology.is_functional("works_on|leads"));
        assert!(ontology.is_functional("directed_by") && !ontology.is_functional("directs"));
        assert!(ontology.is_inverse_functional("directs"));
        assert!(!ontology.is_functional("unknown"));
    }

    #[test]
    fn inverse_and_symmetric_claims_have_one_direction() {
        let ontology = harbour();
        let stored = |subject, relation, object| {
            ontology
                .canonical_claim(subject, relation, object)
                .map(|(subject, relation, object)| format!("{subject} {} {object}", relation.id))
        };
        assert_eq!(stored("p", "directs", "o").as_deref(), Some("o directed_by p"));
        assert_eq!(stored("o", "directed_by", "p").as_deref(), Some("o directed_by p"));
        assert_eq!(stored("b", "near", "a"), stored("a", "near", "b"));
        assert_eq!(stored("x", "ring_b", "y").as_deref(), Some("y ring_a x"));
        assert_eq!(stored("y", "ring_a", "x").as_deref(), Some("y ring_a x"));
        assert_eq!(stored("x", "unknown", "y"), None);
    }

    #[test]
    fn a_chain_lists_what_a_relation_implies() {
        let ontology = harbour();
        let ids = |relations: Vec<&Relation>| {
            relations.iter().map(|relation| relation.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids(ontology.relation_chain("works_on|leads").collect()), ["works_on|leads", "works_on"]);
        assert_eq!(ids(ontology.sub_relations("works_on").collect()), ["works_on", "works_on|leads"]);
    }

    #[test]
    fn cues_carry_their_direction() {
        let ontology = harbour();
        let cue = |text: &str, reversed, curated| Cue { text: text.to_owned(), reversed, curated };
        assert_eq!(
            ontology.relations["works_on|leads"].cues,
            [cue("in charge of", false, true), cue("led by", true, true), cue("leads", false, false)]
        );
    }
}
