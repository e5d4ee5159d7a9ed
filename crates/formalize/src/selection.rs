//! Ends found by type alone: where no reading of a cue leads to both, each end is the one mention that fits it.
//!
//! A relation between a person and a bridge leaves little choice in a clause that names one person and one bridge,
//! whatever stands between them. So this reads clauses that no frame foresees, less surely, and only where the two
//! ends are of different kinds and the clause offers one thing for each.

use std::ops::Range;

use crate::cues::{Cue, Frame};
use crate::relations::{Draft, Match, Said, group_of};
use crate::scene::Scene;
use crate::words;

/// What a claim whose ends only their types find is worth, of one whose ends its grammar finds.
const BY_TYPE: f64 = 0.8;
/// The same for an end that an earlier sentence names.
const EARLIER: f64 = 0.82;
/// The same for an end that stands in another clause of the sentence.
const BESIDE: f64 = 0.9;
/// The farthest that an end may stand from its cue, in tokens.
const REACH: usize = 24;
/// How many tokens another verb between an end and its cue counts for.
const VERB_COUNTS: usize = 6;
/// How many mentions before a sentence are looked at.
const BACK: usize = 12;

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
    // A noun without its preposition ("our members" of "member of") is said of anybody.
    let loose = matches!(cue.frame, Frame::Noun { .. }) && cue.tail && !found.tail;
    if cue.frame == Frame::Preposition || loose || root(&link.src) == root(dst) {
        return;
    }
    let place = found.tokens[0]..found.tokens[found.tokens.len() - 1] + 1;
    let clause = clause_around(scene, sentence, &place);
    // What the verb's own grammar gives stands for the end that it fits.
    let acting = acting(scene, sentence, cue, found);
    let read = |wanted: &str| {
        let ments: Vec<usize> = acting.iter().copied().filter(|ment| scene.can_be(scene.ments[*ment].who, wanted)).collect();
        (!ments.is_empty()).then_some(Picked { ments, weight: 1.0 })
    };
    let (acts, suffers) = if cue.reversed { (dst.as_str(), link.src.as_str()) } else { (link.src.as_str(), dst.as_str()) };
    let wide = |wanted: &str| around(scene, sentence, &clause, &place, wanted);
    let left = read(acts).or_else(|| wide(acts));
    let right = read_fronted(scene, sentence, found, suffers).or_else(|| wide(suffers));
    let (subject, object) = if cue.reversed { (right, left) } else { (left, right) };
    let (subject, object) = match (subject, object) {
        (Some(subject), Some(object)) => (subject, object),
        // "Its operator has an option": a noun needs both by it.
        (None, _) | (_, None) if cue.frame != Frame::Verb => return,
        (None, Some(object)) if scene.ments_fit_none(sentence, &link.src) => {
            let Some(subject) = earlier(scene, sentence, &link.src) else { return };
            (subject, object)
        }
        (Some(subject), None) if scene.ments_fit_none(sentence, dst) => {
            let Some(object) = earlier(scene, sentence, dst) else { return };
            (subject, object)
        }
        _ => return,
    };
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
                anchor: anchor_of(scene, &clause, cue, found),
                sentence: sentence.clone(),
                weight,
            });
        }
    }
}

/// Finds the verb that says it: of a noun the nearest one to its left in the clause.
fn anchor_of(scene: &Scene<'_>, clause: &Range<usize>, cue: &Cue, found: &Match) -> usize {
    let own = found.tokens[0];
    let verb = || (clause.start..own).rev().take(8).find(|position| scene.is_verb(*position));
    if cue.frame == Frame::Verb { own } else { verb().unwrap_or(own) }
}

/// "X, to which it was awarded": what the relative pronoun behind the preposition stands for.
fn read_fronted(scene: &Scene<'_>, sentence: &Range<usize>, found: &Match, wanted: &str) -> Option<Picked> {
    if !found.fronted {
        return None;
    }
    let which = (sentence.start..found.tokens[0])
        .rev()
        .find(|position| matches!(scene.tokens[*position].lower.as_str(), "which" | "whom"))?;
    let end = (sentence.start..which).rev().take(3).find(|position| scene.ment_at(*position).is_some())?;
    let ment = scene.ment_at(end).filter(|ment| scene.can_be(scene.ments[*ment].who, wanted))?;
    Some(Picked { ments: vec![ment], weight: 1.0 })
}

/// Finds the subject of an active verb.
fn acting(scene: &Scene<'_>, sentence: &Range<usize>, cue: &Cue, found: &Match) -> Vec<usize> {
    let verb = found.tokens[0];
    if cue.frame != Frame::Verb || cue.by || found.fronted {
        return Vec::new();
    }
    let group = group_of(scene, sentence.start, verb);
    if group.be && scene.tokens[verb].is_participle() {
        return Vec::new();
    }
    scene.subject_of(sentence, group.start).map_or_else(Vec::new, |found| found.ments)
}

/// Finds what fits in the clause of a value, or right before its sentence.
pub(crate) fn owner_of_value(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    place: &Range<usize>,
    wanted: &str,
) -> Option<Picked> {
    let clause = clause_around(scene, sentence, place);
    around(scene, sentence, &clause, place, wanted).or_else(|| {
        scene.ments_fit_none(sentence, wanted).then(|| earlier(scene, sentence, wanted)).flatten()
    })
}

/// Picks from the clause of a cue, or else from the rest of its sentence.
fn around(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    clause: &Range<usize>,
    place: &Range<usize>,
    wanted: &str,
) -> Option<Picked> {
    if !scene.ments_fit_none(clause, wanted) {
        return pick(scene, clause, place, wanted);
    }
    let near = sentence.start.max(place.start.saturating_sub(REACH))..sentence.end.min(place.end + REACH);
    pick(scene, &near, place, wanted).map(|picked| Picked { weight: picked.weight * BESIDE, ..picked })
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
        let verbs = between.clone().filter(|position| is_content_verb(scene, *position)).count();
        (between.len() + VERB_COUNTS * verbs, verbs)
    };
    let nearest = fitting.iter().copied().min_by_key(|found| distance(*found).0)?;
    let ments = coordination(scene, &fitting, nearest);
    let is_member = |found: usize| ments.iter().any(|ment| scene.ments[*ment].who == scene.ments[found].who);
    let (own, verbs) = distance(nearest);
    let rival = fitting.iter().filter(|found| !is_member(**found)).map(|found| distance(*found).0).min();
    let alone = match rival {
        None => 1.0,
        Some(rival) if rival >= own + VERB_COUNTS => 0.88,
        Some(_) => return None,
    };
    let weight = alone * if verbs == 0 { 1.0 } else { 0.88 };
    Some(Picked { ments, weight })
}

fn is_content_verb(scene: &Scene<'_>, position: usize) -> bool {
    scene.is_verb(position) && !scene.tokens[position].is(words::AUXILIARY)
}

/// Gathers what "A, B and C" joins with a mention.
fn coordination(scene: &Scene<'_>, fitting: &[usize], member: usize) -> Vec<usize> {
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
    let mut last = place;
    while last + 1 < fitting.len() && joint(fitting[last], fitting[last + 1]) {
        last += 1;
    }
    fitting[first..=last].to_vec()
}

/// Picks the one mention that fits of the nearest sentence before that has any.
fn earlier(scene: &Scene<'_>, sentence: &Range<usize>, wanted: &str) -> Option<Picked> {
    let before = scene.ments.partition_point(|ment| ment.start < sentence.start);
    let mut found: Option<usize> = None;
    for ment in (before.saturating_sub(BACK)..before).rev() {
        if !fits(scene, ment, wanted) || scene.ments[ment].modifies {
            continue;
        }
        match found {
            None => found = Some(ment),
            Some(known) if scene.ments[known].who == scene.ments[ment].who => {}
            Some(_) => return None,
        }
    }
    found.map(|ment| Picked { ments: vec![ment], weight: EARLIER })
}

fn fits(scene: &Scene<'_>, ment: usize, wanted: &str) -> bool {
    scene.member(ment).concept.is_some_and(|concept| scene.lexicon.descends(concept, wanted))
}

impl Scene<'_> {
    /// Tells whether no mention of a range can stand at an end.
    fn ments_fit_none(&self, range: &Range<usize>, wanted: &str) -> bool {
        !self.ments_in(range).any(|found| fits(self, found, wanted))
    }
}
