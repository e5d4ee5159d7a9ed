use std::collections::{BTreeMap, BTreeSet};

use mge_ontology::{LiteralKind, Ontology, Relation, Target};

use super::question::{Question, Wanted};
use super::words::roots;
use crate::store::EntityRow;

/// Readings whose words fit almost as well as the best are tried too.
const NEARLY: f64 = 0.12;

/// The words that express relations, prepared for matching.
pub(super) struct Phrases {
    phrases: Vec<Phrase>,
    roots: BTreeSet<String>,
}

struct Phrase {
    relation: String,
    /// Roots of the words that carry the meaning.
    content: Vec<String>,
    /// The small words between them, folded.
    small: Vec<String>,
    /// It ends with, or is, a passive: "led by".
    passive: bool,
    reversed: bool,
    curated: bool,
}

/// A relation that the words of a question may mean.
#[derive(Debug, Clone)]
pub(super) struct Meant {
    pub(super) relation: String,
    pub(super) score: f64,
    /// The positions of the words that say so.
    pub(super) used: BTreeSet<usize>,
    /// Where its first word stands.
    pub(super) at: usize,
    /// What stands before the words is the object.
    pub(super) reversed: bool,
}

/// One way to understand a question: which end of a relation is given and which is asked for.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) relation: String,
    pub(super) subject: Option<EntityRow>,
    pub(super) object: Option<EntityRow>,
    pub(super) score: f64,
    pub(super) used: BTreeSet<usize>,
    /// The names of the question, by position, that it makes use of.
    pub(super) names: BTreeSet<usize>,
    /// It asks when, not what.
    pub(super) asks_time: bool,
}

impl Phrases {
    /// Prepares the cues of all relations.
    pub(super) fn of(ontology: &Ontology) -> Self {
        let mut phrases = Vec::new();
        let mut all = BTreeSet::new();
        for relation in ontology.relations.values() {
            for cue in &relation.cues {
                let words = roots(&cue.text);
                let (small, content): (Vec<_>, Vec<_>) =
                    words.into_iter().partition(|(word, _)| is_small(word));
                if content.is_empty() {
                    continue;
                }
                let content: Vec<String> = content.into_iter().map(|(_, root)| root).collect();
                all.extend(content.iter().cloned());
                let small: Vec<String> = small.into_iter().map(|(word, _)| word).collect();
                phrases.push(Phrase {
                    relation: relation.id.clone(),
                    passive: small.iter().any(|word| word == "by"),
                    content,
                    small,
                    reversed: cue.reversed,
                    curated: cue.curated,
                });
            }
        }
        Self { phrases, roots: all }
    }

    /// Tells whether a word is part of a cue.
    pub(super) fn uses(&self, root: &str) -> bool {
        self.roots.contains(root)
    }

    /// Finds the relations whose cues stand in a question, each with its best cue.
    pub(super) fn meant(&self, question: &Question) -> Vec<Meant> {
        let mut best: BTreeMap<(&str, bool), Meant> = BTreeMap::new();
        let by = question.has("by");
        for phrase in &self.phrases {
            let Some(positions) = places(question, &phrase.content) else { continue };
            let (first, last) = (positions[0], positions[positions.len() - 1]);
            let mut used: BTreeSet<usize> = positions.iter().copied().collect();
            let mut score = positions.len() as f64;
            if phrase.curated {
                score += 0.2;
            }
            for small in phrase
                .small
                .iter()
                .filter(|small| !matches!(small.as_str(), "is" | "are" | "was" | "the" | "a"))
            {
                match question.words.iter().position(|word| word.is_free() && word.folded == *small) {
                    Some(position) => {
                        used.insert(position);
                        score += if position.abs_diff(last) == 1 { 0.25 } else { 0.15 };
                    }
                    None => score -= 0.1,
                }
            }
            if last - first + 1 == positions.len() {
                score += 0.1;
            }
            // "led by" matched by "leads", or "leads" by "led by": the ends change places.
            let flipped = phrase.passive != by;
            let reversed = phrase.reversed != flipped;
            let meant = Meant { relation: phrase.relation.clone(), score, used, at: first, reversed };
            let known = best.entry((phrase.relation.as_str(), false)).or_insert_with(|| meant.clone());
            if meant.score > known.score {
                *known = meant;
            }
        }
        best.into_values().collect()
    }
}

/// Finds where the words of a phrase stand in a question, near one another and in order; names do not count.
fn places(question: &Question, content: &[String]) -> Option<Vec<usize>> {
    let mut positions = Vec::with_capacity(content.len());
    for root in content {
        let found =
            question.words.iter().enumerate().find(|(position, word)| {
                word.is_free() && word.root == *root && !positions.contains(position)
            })?;
        positions.push(found.0);
    }
    positions.sort_unstable();
    Some(positions)
}

fn is_small(word: &str) -> bool {
    const SMALL: &[&str] = &[
        "a", "an", "the", "of", "in", "on", "at", "to", "for", "with", "by", "from", "into", "over", "under",
        "up", "as", "is", "are", "was", "were", "be", "been", "has", "have", "had", "its", "their", "his",
        "her", "and", "s", "does", "do", "did", "that", "which", "who",
    ];
    SMALL.contains(&word)
}

/// Roots of words that tell where something is.
const LOCATING: &[&str] = &["locat", "lie", "situat", "base", "bas", "seat", "headquart", "hous", "lies"];

/// Finds the ways in which a question can be understood, the likeliest first.
pub(super) fn readings(ontology: &Ontology, phrases: &Phrases, question: &Question) -> Vec<Reading> {
    let mut meant = phrases.meant(question);
    if meant.is_empty()
        && (question.wanted == Wanted::Place || (question.wanted == Wanted::Yes && question.has("in")))
    {
        meant = locating(ontology, question);
    }
    let mut readings = Vec::new();
    for meant in &meant {
        if let Some(relation) = ontology.relations.get(&meant.relation) {
            understand(ontology, question, relation, meant, &mut readings);
        }
    }
    let best = readings.iter().map(|reading: &Reading| reading.score).fold(f64::MIN, f64::max);
    readings.retain(|reading| reading.score >= best - NEARLY);
    readings.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.relation.cmp(&right.relation))
    });
    readings
}

/// "Where is X?" and "Is X in Y?" need no verb.
fn locating(ontology: &Ontology, question: &Question) -> Vec<Meant> {
    let at =
        question.words.iter().position(|word| matches!(word.folded.as_str(), "where" | "in")).unwrap_or(0);
    let locates = |relation: &&Relation| {
        let words = relation.cues.iter().flat_map(|cue| roots(&cue.text));
        matches!(&relation.dst, Target::Concept(concept) if is_place(ontology, concept))
            && words.into_iter().any(|(_, root)| LOCATING.contains(&root.as_str()))
    };
    let relations = ontology.relations.values().filter(locates);
    relations
        .map(|relation| Meant {
            relation: relation.id.clone(),
            score: 1.0,
            used: BTreeSet::from([at]),
            at: question.words.len(),
            reversed: false,
        })
        .collect()
}

/// Adds the readings of one relation.
fn understand(
    ontology: &Ontology,
    question: &Question,
    relation: &Relation,
    meant: &Meant,
    readings: &mut Vec<Reading>,
) {
    let fits = |entity: &EntityRow, concept: &str| {
        ontology.descends(&entity.concept, concept) || ontology.descends(concept, &entity.concept)
    };
    let (src, dst) = (relation.src.as_str(), &relation.dst);
    let reading =
        |subject: Option<&EntityRow>, object: Option<&EntityRow>, names: &[usize], asks_time: bool| Reading {
            relation: relation.id.clone(),
            subject: subject.cloned(),
            object: object.cloned(),
            score: meant.score,
            used: meant.used.clone(),
            names: names.iter().copied().collect(),
            asks_time,
        };
    let names: Vec<_> =
        question.names.known.iter().enumerate().filter(|(_, name)| !name.entities.is_empty()).collect();
    // Both ends given.
    if let Target::Concept(dst) = dst {
        let mut pairs = Vec::new();
        for (left, one) in &names {
            for (right, other) in names.iter().filter(|(right, _)| right != left) {
                for subject in one.entities.iter().filter(|entity| fits(entity, src)) {
                    for object in
                        other.entities.iter().filter(|entity| fits(entity, dst) && entity.row != subject.row)
                    {
                        // Of two that may both be either, the one before the words is the subject.
                        let right_way = (one.start < other.start) != meant.reversed;
                        pairs
                            .push((right_way, reading(Some(subject), Some(object), &[*left, *right], false)));
                    }
                }
            }
        }
        let both_ways = pairs.iter().any(|(_, one)| {
            pairs.iter().any(|(_, other)| {
                one.subject.as_ref().map(|entity| entity.row)
                    == other.object.as_ref().map(|entity| entity.row)
            })
        });
        let asks_time = question.wanted == Wanted::Time;
        readings.extend(
            pairs
                .into_iter()
                .filter(|(right_way, _)| *right_way || !both_ways || relation.symmetric)
                .map(|(_, reading)| Reading { asks_time, ..reading }),
        );
    }
    // One end given, the other asked for.
    for (position, name) in &names {
        let mut ways = Vec::new();
        for entity in &name.entities {
            if fits(entity, src) {
                let literal = matches!(dst, Target::Literal(_));
                let dated = matches!(dst, Target::Literal(LiteralKind::Date));
                let possible = match (question.wanted, dst) {
                    (Wanted::Someone, Target::Literal(_)) => false,
                    (Wanted::Someone, Target::Concept(concept)) => !is_place(ontology, concept),
                    (Wanted::Place, Target::Literal(_)) => false,
                    (Wanted::Place, Target::Concept(_)) => true,
                    (Wanted::Time, Target::Literal(_)) => dated,
                    (Wanted::Time, Target::Concept(_)) => true,
                    (Wanted::Amount, Target::Literal(kind)) => {
                        matches!(kind, LiteralKind::Number | LiteralKind::Quantity | LiteralKind::Text)
                    }
                    (Wanted::Anything, Target::Literal(_)) => question.concepts.is_empty(),
                    (Wanted::Amount | Wanted::Anything, Target::Concept(_)) | (Wanted::Yes, _) => true,
                };
                if possible {
                    let asks_time = question.wanted == Wanted::Time && !literal;
                    ways.push((true, reading(Some(entity), None, &[*position], asks_time)));
                }
            }
            if let Target::Concept(concept) = dst
                && fits(entity, concept)
            {
                let possible = match question.wanted {
                    Wanted::Someone => !is_place(ontology, src),
                    Wanted::Place => is_place(ontology, src) && !is_place(ontology, concept),
                    Wanted::Time | Wanted::Amount | Wanted::Anything | Wanted::Yes => true,
                };
                if possible {
                    let asks_time = question.wanted == Wanted::Time;
                    ways.push((false, reading(None, Some(entity), &[*position], asks_time)));
                }
            }
        }
        let both = ways.iter().any(|(subject, _)| *subject) && ways.iter().any(|(subject, _)| !*subject);
        let before = name.start < meant.at;
        let as_subject = before != meant.reversed;
        readings.extend(
            ways.into_iter()
                .filter(|(subject, _)| !both || relation.symmetric || *subject == as_subject)
                .map(|(_, reading)| reading),
        );
    }
}

/// Tells whether things of a concept are places, by the words of its id.
pub(super) fn is_place(ontology: &Ontology, concept: &str) -> bool {
    const PLACES: &[&str] = &[
        "place",
        "location",
        "area",
        "region",
        "country",
        "city",
        "town",
        "site",
        "settlement",
        "territory",
        "locality",
        "geography",
        "building",
        "room",
        "venue",
        "address",
        "island",
        "village",
    ];
    concept.split('|').any(|level| PLACES.contains(&level.to_lowercase().as_str()))
        || ontology.concepts.get(concept).is_some_and(|concept| {
            concept.aliases.iter().any(|alias| matches!(alias.as_str(), "place" | "location"))
        })
}
