//! Ends found by type alone: where no reading of a cue leads to both, each end is the one mention that fits it.
//!
//! A relation between a person and a bridge leaves little choice in a clause that names one person and one bridge,
//! whatever stands between them. So this reads clauses that no frame foresees, less surely, and only where the two
//! ends are of different kinds and the clause offers one thing for each.

use std::ops::Range;

use crate::cues::{Cue, Frame};
use crate::matching::Match;
use crate::relations::{Draft, Said, group_of};
use crate::scene::Scene;
use crate::tokens::Shape;
use crate::words;

/// What a claim whose ends only their types find is worth, of one whose ends its grammar finds.
const BY_TYPE: f64 = 0.8;
/// The farthest that an end may stand from its cue, in tokens.
const REACH: usize = 24;
/// How many tokens another verb between an end and its cue counts for.
const VERB_COUNTS: usize = 6;
/// How sure the type of an end must be that its type alone finds.
const SURE: f64 = 0.6;

/// An end by type: mentions of one coordination.
pub(crate) struct Picked {
    pub(crate) ments: Vec<usize>,
    pub(crate) weight: f64,
}

/// Finds the claims of a cue by the types of what stands around it.
pub(crate) fn by_type(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    cue: &Cue,
    found: &Match,
    drafts: &mut Vec<Draft>,
) {
    let link = &scene.lexicon.links[cue.link];
    let mge_ontology::Target::Concept(dst) = &link.dst else { return };
    if cue.frame != Frame::Verb || root(&link.src) == root(dst) {
        return;
    }
    let place = found.tokens[0]..found.tokens[found.tokens.len() - 1] + 1;
    if is_attributive(scene, sentence, &place) {
        return;
    }
    let clause = clause_around(scene, sentence, &place);
    let (acts, suffers) =
        if cue.reversed { (dst.as_str(), link.src.as_str()) } else { (link.src.as_str(), dst.as_str()) };
    let (left, right) = if found.fronted {
        (pick(scene, &clause, &place, acts), antecedent(scene, sentence, found, suffers))
    } else {
        // The subject is what grammar says; only the object may stand farther off than grammar reaches.
        (acting(scene, sentence, cue, found, acts), pick(scene, &(place.end..clause.end), &place, suffers))
    };
    let (Some(left), Some(right)) = (left, right) else { return };
    if !found.fronted && hangs_on_another(scene, place.end, &right) {
        return;
    }
    let (subject, object) = if cue.reversed { (right, left) } else { (left, right) };
    let soft = |picked: &Picked| picked.ments.iter().any(|ment| scene.member(*ment).soft);
    if soft(&subject) && soft(&object) {
        // Both types are guesses from the words of names: they must not decide alone.
        return;
    }
    let weight = if cue.curated { 0.9 } else { 0.78 } * BY_TYPE * subject.weight * object.weight;
    for &from in &subject.ments {
        for &to in &object.ments {
            if scene.ments[from].who == scene.ments[to].who {
                continue;
            }
            drafts.push(Draft {
                link: cue.link,
                subject: from,
                object: Said::Ment(to),
                cue: place.clone(),
                anchor: found.tokens[0],
                sentence: sentence.clone(),
                weight,
            });
        }
    }
}

/// "wrote a song for X", "the film's soundtrack": between the cue and the end stands what the verb has for its object.
fn hangs_on_another(scene: &Scene<'_>, from: usize, right: &Picked) -> bool {
    right.ments.first().is_some_and(|first| {
        let ment = &scene.ments[*first];
        let hanging =
            |at: usize| matches!(scene.tokens[at].lower.as_str(), "of" | "for" | "under" | "from" | "into");
        ment.possessive || (from..ment.np).any(hanging)
    })
}

/// "a privately owned airline", "the founding president": a word that only describes the noun behind it.
fn is_attributive(scene: &Scene<'_>, sentence: &Range<usize>, cue: &Range<usize>) -> bool {
    let token = &scene.tokens[cue.start];
    let participle = token.is_participle() || token.lower.ends_with("ing");
    let Some(next) = scene.tokens.get(cue.end).filter(|_| cue.end < sentence.end) else { return false };
    let noun = next.is_word()
        && !next.is(words::PREPOSITION
            | words::DETERMINER
            | words::POSSESSIVE
            | words::AND
            | words::BUT
            | words::ADVERB
            | words::AUXILIARY
            | words::PERSONAL
            | words::RELATIVE);
    let np = scene.phrase_start(sentence.start, cue.start);
    let opening = &scene.tokens[np];
    let owned = np > sentence.start && scene.tokens[np - 1].shape == Shape::Genitive;
    let compound =
        token.lower.contains('-') || cue.start > sentence.start && scene.tokens[cue.start - 1].is_dash();
    participle
        && noun
        && (compound || owned || np < cue.start && opening.is(words::DETERMINER | words::POSSESSIVE))
}

/// "X, to which it was awarded": what the relative pronoun behind the preposition stands for.
fn antecedent(scene: &Scene<'_>, sentence: &Range<usize>, found: &Match, wanted: &str) -> Option<Picked> {
    let which = (sentence.start..found.tokens[0])
        .rev()
        .find(|position| matches!(scene.tokens[*position].lower.as_str(), "which" | "whom"))?;
    let end = (sentence.start..which).rev().take(3).find(|position| scene.ment_at(*position).is_some())?;
    let ment = scene.ment_at(end).filter(|ment| scene.can_be(scene.ments[*ment].who, wanted))?;
    Some(Picked { ments: vec![ment], weight: 1.0 })
}

/// Finds the subject of an active verb, where it fits.
fn acting(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    cue: &Cue,
    found: &Match,
    wanted: &str,
) -> Option<Picked> {
    let verb = found.tokens[0];
    let group = group_of(scene, sentence.start, verb);
    if cue.by || group.to || group.be && scene.tokens[verb].is_participle() {
        return None;
    }
    let mut ments = scene.subject_of(sentence, group.start)?.ments;
    ments.retain(|ment| scene.can_be(scene.ments[*ment].who, wanted));
    (!ments.is_empty()).then_some(Picked { ments, weight: 1.0 })
}

/// Finds what fits in the clause of a value.
pub(crate) fn owner_of_value(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    place: &Range<usize>,
    wanted: &str,
) -> Option<Picked> {
    pick(scene, &clause_around(scene, sentence, place), place, wanted)
}

fn root(concept: &str) -> &str {
    concept.split('|').next().unwrap_or_default()
}

/// Cuts the clause of a cue out of its sentence: between semicolons, and before a new clause with its own subject.
fn clause_around(scene: &Scene<'_>, sentence: &Range<usize>, place: &Range<usize>) -> Range<usize> {
    let floor = sentence.start.max(place.start.saturating_sub(REACH));
    let ceiling = sentence.end.min(place.end + REACH);
    let splits = |position: usize| {
        let token = &scene.tokens[position];
        token.is_sign(";")
            || token.is_sign(":")
            || token.is_dash() && token.spaced
            || scene.ment_at(position).is_none()
                && (token.is(words::BUT)
                    || token.is(words::SUBORDINATE)
                        && !token.is(words::PREPOSITION)
                        && scene.time_at(position).is_none()
                        && !matches!(token.lower.as_str(), "that" | "so"))
    };
    let start = (floor..place.start).rev().find(|position| splits(*position)).map_or(floor, |at| at + 1);
    let end = (place.end..ceiling)
        .find(|position| splits(*position) || begins_clause(scene, *position, ceiling))
        .unwrap_or(ceiling);
    start..end
}

/// ", and she left", ", who left": what follows has a verb of its own.
fn begins_clause(scene: &Scene<'_>, position: usize, ceiling: usize) -> bool {
    let token = &scene.tokens[position];
    if token.is(words::RELATIVE) && token.lower != "that" && scene.ment_at(position).is_none() {
        return true;
    }
    if !token.is(words::AND) && !token.is_sign(",") {
        return false;
    }
    let next = position + 1;
    scene.ment_at(next).is_some_and(|found| {
        let end = scene.ments[found].end;
        next < ceiling && scene.verb_follows(end, ceiling)
    })
}

/// Picks the one mention, or coordination of mentions, of a clause that fits an end.
fn pick(scene: &Scene<'_>, clause: &Range<usize>, cue: &Range<usize>, wanted: &str) -> Option<Picked> {
    let fitting: Vec<usize> = scene
        .ments_in(clause)
        .filter(|found| {
            let ment = &scene.ments[*found];
            !ment.modifies && ment.end <= clause.end && fits(scene, *found, wanted)
        })
        .collect();
    let distance = |found: usize| {
        let ment = &scene.ments[found];
        let between =
            if ment.start >= cue.end { cue.end..ment.start } else { ment.end.min(cue.start)..cue.start };
        let foreign = scene.names_unknown(between.clone());
        let verbs = between.clone().filter(|position| is_content_verb(scene, *position)).count();
        (between.len() + VERB_COUNTS * verbs, verbs, foreign)
    };
    let nearest = fitting.iter().copied().min_by_key(|found| distance(*found).0)?;
    let ments = coordination(scene, clause, &fitting, nearest);
    let is_member = |found: usize| ments.iter().any(|ment| scene.ments[*ment].who == scene.ments[found].who);
    let (own, verbs, foreign) = distance(nearest);
    if foreign || verbs > 0 || ments.iter().any(|ment| scene.member(*ment).confidence < SURE) {
        return None;
    }
    let rival = fitting.iter().filter(|found| !is_member(**found)).map(|found| distance(*found).0).min();
    let alone = match rival {
        None => 1.0,
        Some(rival) if rival >= own + VERB_COUNTS => 0.88,
        Some(_) => return None,
    };
    Some(Picked { ments, weight: alone })
}

fn is_content_verb(scene: &Scene<'_>, position: usize) -> bool {
    scene.is_verb(position) && !scene.tokens[position].is(words::AUXILIARY)
}

/// Gathers what "A, B and C" joins with a mention.
fn coordination(scene: &Scene<'_>, clause: &Range<usize>, fitting: &[usize], member: usize) -> Vec<usize> {
    let Some(place) = fitting.iter().position(|found| *found == member) else { return vec![member] };
    let joint = |left: usize, right: usize| {
        let (left, right) = (&scene.ments[left], &scene.ments[right]);
        let between = left.end..right.np.max(left.end);
        between.len() <= 3
            && !between.is_empty()
            && between.clone().all(|position| {
                let token = &scene.tokens[position];
                token.is_sign(",") || token.is(words::AND) || token.lower == "but" || token.lower == "not"
            })
    };
    let mut first = place;
    while first > 0 && joint(fitting[first - 1], fitting[first]) {
        first -= 1;
    }
    let mut group = scene.group_right(clause, fitting[first], None);
    group.retain(|found| fitting.contains(found));
    group
}

fn fits(scene: &Scene<'_>, ment: usize, wanted: &str) -> bool {
    scene.member(ment).concept.is_some_and(|concept| scene.lexicon.descends(concept, wanted))
}
