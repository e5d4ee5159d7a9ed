//! Cues that are nouns: "director of X", "X's director", "the Aurora director".

use std::ops::Range;

use crate::cues::Cue;
use crate::matching::Match;
use crate::relations::group_of;
use crate::scene::{Found, Scene};
use crate::tokens::{Shape, Token};
use crate::words;

/// Finds the thing that the noun names (holder) and the one it belongs to (owner), with the verb between them.
pub(crate) fn noun_ends(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    cue: &Cue,
    found: &Match,
    bare: bool,
) -> Vec<(Found, Found, usize)> {
    let noun = found.tokens[0];
    let core_end = found.tokens[cue.core().saturating_sub(1).min(found.tokens.len() - 1)] + 1;
    let tail = cue.tail && found.tail;
    let np = scene.phrase_start(sentence.start, noun);
    let mut results = Vec::new();
    // "Y's director X", "its director, X": the owner stands before the noun.
    if let Some((owner, start)) = owner_before(scene, sentence, np, noun) {
        let holder = holder_right(scene, sentence, core_end)
            .or_else(|| said_of(scene, sentence, start))
            .or_else(|| holder_placed(scene, sentence, core_end));
        if let Some((holder, anchor)) = holder {
            results.push((holder, owner, anchor));
        }
        return results;
    }
    // The preposition of the cue, or "of" after a bare noun.
    let owner_from = if tail {
        found.end
    } else if cue.tail {
        results.extend(compound(scene, sentence, np, noun, core_end));
        return results;
    } else if bare || !cue.tail {
        match scene.tokens.get(core_end).filter(|_| core_end < sentence.end) {
            Some(token) if matches!(token.lower.as_str(), "of" | "at" | "for" | "to" | "in") => core_end + 1,
            _ => {
                // "Aurora Institute director Elena Ruiz"
                if let Some(compound) = compound(scene, sentence, np, noun, core_end) {
                    results.push(compound);
                }
                return results;
            }
        }
    } else {
        return results;
    };
    let Some(owner) = scene.right_phrase(sentence, owner_from) else { return results };
    if let Some((holder, anchor)) = said_of(scene, sentence, np) {
        results.push((holder, owner, anchor));
        return results;
    }
    // "The director of Y is X", "The director of Y, X, …"; "counties in Y, X" is an address.
    let belongs =
        !cue.tail || matches!(cue.words.last().map(String::as_str), Some("of" | "for" | "to" | "at"));
    if !belongs {
        return results;
    }
    let Some(&last) = owner.ments.last() else { return results };
    let end = scene.ments[last].end;
    if let Some((holder, anchor)) = holder_right(scene, sentence, end) {
        results.push((holder, owner, anchor));
    }
    results
}

/// "X's director", "its director", "whose director".
fn owner_before(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    np: usize,
    noun: usize,
) -> Option<(Found, usize)> {
    // The phrase begins with a possessive pronoun that is a mention, or after a genitive.
    let mut position = noun;
    while position > sentence.start && noun - position < 6 {
        let before = position - 1;
        if let Some(found) = scene.ment_at(before) {
            let ment = &scene.ments[found];
            return (ment.possessive && ment.end == position)
                .then(|| (Found { ments: vec![found], weight: 1.0 }, ment.np));
        }
        if scene.tokens[before].shape == Shape::Genitive {
            let found = scene.ment_ending(before)?;
            return Some((Found { ments: vec![found], weight: 1.0 }, scene.ments[found].np));
        }
        if before < np
            || !scene.is_premodifier(before) && !scene.tokens[before].is(words::ORDINAL | words::FORMER)
        {
            return None;
        }
        position = before;
    }
    None
}

/// "Aurora Institute director Elena Ruiz": two names with the noun between them.
fn compound(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    np: usize,
    noun: usize,
    end: usize,
) -> Option<(Found, Found, usize)> {
    let holder = scene.ment_at(end).filter(|found| scene.ments[*found].start == end && end < sentence.end)?;
    let owner = scene.ment_ending(np).or_else(|| scene.ment_ending(noun))?;
    if scene.ments[owner].start < sentence.start {
        return None;
    }
    Some((Found { ments: vec![holder], weight: 0.97 }, Found { ments: vec![owner], weight: 0.97 }, noun))
}

/// To the right of a description: "X", ", X,", "is X", "was X".
pub(crate) fn holder_right(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    from: usize,
) -> Option<(Found, usize)> {
    let mut position = from;
    let mut anchor = from.saturating_sub(1);
    let token = scene.tokens.get(position).filter(|_| position < sentence.end)?;
    if let Some(found) = scene.ment_at(position) {
        let ment = &scene.ments[found];
        // "his cousin A, B and C": one noun names one.
        let one = from > sentence.start && names_one(&scene.tokens[from - 1]);
        let ments = if one { vec![found] } else { scene.group_right(sentence, found, None) };
        return (ment.start == position && !ment.possessive)
            .then_some((Found { ments, weight: 0.97 }, anchor));
    }
    // "Its director since 2019 is X"
    while let Some(end) = scene.time_at(position) {
        position = end;
    }
    if position >= sentence.end {
        return None;
    }
    let token = if position == from { token } else { &scene.tokens[position] };
    if token.is_sign(",") || token.is_sign(":") || token.is_dash() {
        let next = skip_opening(scene, sentence, position + 1);
        let found = scene.ment_at(next).filter(|_| next < sentence.end)?;
        let ment = &scene.ments[found];
        let after = scene.tokens.get(ment.end).filter(|_| ment.end < sentence.end);
        let colon = !token.is_sign(",");
        let bounded = colon
            || after.is_none_or(|after| {
                after.is_sign(",") || after.is_sign(".") || after.is_sign(";") || after.is_sign("(")
            });
        if ment.possessive || !bounded || !colon && listed(scene, sentence, ment.end) {
            return None;
        }
        let ments = if colon { scene.group_right(sentence, found, None) } else { vec![found] };
        return Some((Found { ments, weight: 0.93 }, anchor));
    }
    if token.is(words::BE | words::COPULA_LIKE) || token.is(words::HAVE) {
        anchor = position;
        position += 1;
        while position < sentence.end && (token_light(scene, position) || scene.time_at(position).is_some()) {
            position = scene.time_at(position).unwrap_or(position + 1);
        }
        let next = skip_opening(scene, sentence, position);
        let found = scene.ment_at(next).filter(|_| next < sentence.end)?;
        let ment = &scene.ments[found];
        if ment.possessive {
            return None;
        }
        return Some((Found { ments: scene.group_right(sentence, found, None), weight: 0.97 }, anchor));
    }
    None
}

/// Tells whether a noun is written as that of one thing.
fn names_one(noun: &Token) -> bool {
    noun.shape == Shape::Lower
        && !noun.lower.ends_with('s')
        && !matches!(noun.lower.as_str(), "children" | "men" | "women" | "people" | "cast" | "crew" | "wives")
}

/// "Its seat is in X", "has its seat in X": the place that the noun names stands behind a preposition.
fn holder_placed(scene: &Scene<'_>, sentence: &Range<usize>, from: usize) -> Option<(Found, usize)> {
    let mut position = from;
    let mut anchor = from.saturating_sub(1);
    let stands = |position: usize| {
        let token = &scene.tokens[position];
        token.is(words::BE) || matches!(token.stem.as_str(), "lie" | "stand" | "remain")
    };
    if position < sentence.end && stands(position) {
        anchor = position;
        position += 1;
    }
    while position < sentence.end && (token_light(scene, position) || scene.time_at(position).is_some()) {
        position = scene.time_at(position).unwrap_or(position + 1);
    }
    let placed = position < sentence.end
        && matches!(scene.tokens[position].lower.as_str(), "in" | "at" | "on" | "near");
    let found = placed.then(|| scene.right_phrase(sentence, position + 1)).flatten()?;
    Some((found.weaker(0.95), anchor))
}

fn token_light(scene: &Scene<'_>, position: usize) -> bool {
    let token = &scene.tokens[position];
    scene.ment_at(position).is_none()
        && (token.is(words::ADVERB | words::BE | words::NEGATION) && !token.is(words::DETERMINER)
            || token.lower == "been")
}

/// ", X, Y and Z": the comma opens a list rather than an apposition.
fn listed(scene: &Scene<'_>, sentence: &Range<usize>, end: usize) -> bool {
    end + 1 < sentence.end && scene.tokens[end].is_sign(",") && {
        let next = skip_opening(scene, sentence, end + 1);
        next < sentence.end
            && scene.ment_at(next).is_some_and(|found| {
                scene
                    .tokens
                    .get(scene.ments[found].end)
                    .is_some_and(|token| token.is_sign(",") || token.is(words::AND))
            })
    }
}

/// Skips an article, adjectives and a role before a name.
fn skip_opening(scene: &Scene<'_>, sentence: &Range<usize>, from: usize) -> usize {
    let mut position = from;
    while position < sentence.end && position - from < 5 && scene.ment_at(position).is_none() {
        let token = &scene.tokens[position];
        if !(token.is(words::DETERMINER) || scene.is_premodifier(position)) {
            break;
        }
        position += 1;
    }
    position
}

/// Finds what a description that begins at `np` is said of, and the verb that says it.
pub(crate) fn said_of(scene: &Scene<'_>, sentence: &Range<usize>, np: usize) -> Option<(Found, usize)> {
    let before = np.checked_sub(1).filter(|before| *before >= sentence.start)?;
    let token = &scene.tokens[before];
    // A coordinated description: "an engineer and director of": what the first is said of.
    if token.is(words::AND)
        || token.is_sign(",") && before > sentence.start && scene.ment_ending(before).is_none()
    {
        let mut cursor = before;
        if cursor > sentence.start && scene.tokens[cursor - 1].is_sign(",") {
            cursor -= 1;
        }
        let earlier = description_start(scene, sentence, cursor)?;
        return said_of(scene, &(sentence.start..np), earlier)
            .map(|(found, anchor)| (found.weaker(0.95), anchor));
    }
    // "X is one of the lakes in Y"
    if token.lower == "of"
        && before > sentence.start
        && matches!(scene.tokens[before - 1].lower.as_str(), "one" | "part")
    {
        return said_of(scene, sentence, before - 1);
    }
    if token.lower == "as" {
        return said_as(scene, sentence, before);
    }
    let light = |position: usize| {
        let token = &scene.tokens[position];
        let ended = |at: usize| at > 0 && scene.tokens[at - 1].lower == "no";
        token.is(words::NEGATION | words::ADVERB)
            || matches!(token.lower.as_str(), "longer" | "more") && ended(position)
            || token.lower == "no"
                && scene.tokens.get(position + 1).is_some_and(|next| next.lower == "longer")
    };
    if token.is(words::BE | words::COPULA_LIKE) || light(before) {
        let mut verb = before;
        while verb > sentence.start && light(verb) && !scene.tokens[verb].is(words::BE) {
            verb -= 1;
        }
        if !scene.tokens[verb].is(words::BE | words::COPULA_LIKE) {
            return None;
        }
        let group = group_of(scene, sentence.start, verb);
        return scene.subject_of(sentence, group.start).map(|found| (found, verb));
    }
    if token.is(words::APPOINT) {
        let group = group_of(scene, sentence.start, before);
        if group.be {
            return scene.subject_of(sentence, group.start).map(|found| (found, before));
        }
        return None;
    }
    if token.is_sign(",") {
        // "was born in Danby, Quebec, the son of": said of who was born, not of the place.
        if is_kin(scene, np) && crate::typing::is_placed(scene.tokens, sentence, before) {
            return scene.clause_subject(sentence, before).map(|found| (found.weaker(0.9), np));
        }
        let found = scene.ment_ending(before).or_else(|| {
            let open = scene.tokens[before.checked_sub(1)?]
                .is_sign(")")
                .then(|| scene.open_of(sentence.start, before - 1))??;
            scene.ment_ending(open)
        })?;
        return (!scene.ments[found].possessive).then(|| (Found { ments: vec![found], weight: 0.97 }, np));
    }
    if token.is_sign("(") || token.is_dash() || token.is_sign(":") {
        let found = scene.ment_ending(before)?;
        // After a colon or dash only at the head of an item.
        let heads = token.is_sign("(") || scene.ments[found].np <= sentence.start + 1;
        return heads.then(|| (Found { ments: vec![found], weight: 0.95 }, np));
    }
    // "appointed X director of Y", "with X as director": the name right before the noun.
    if let Some(found) = scene.ment_ending(np) {
        let ment = &scene.ments[found];
        let verb = ment.np.checked_sub(1).filter(|verb| *verb >= sentence.start)?;
        if !ment.possessive && scene.tokens[verb].is(words::APPOINT) {
            return Some((Found { ments: vec![found], weight: 0.93 }, verb));
        }
    }
    None
}

/// Tells whether a description says whose relative somebody is: "the youngest son of".
fn is_kin(scene: &Scene<'_>, np: usize) -> bool {
    const KIN: [&str; 12] = [
        "son",
        "daughter",
        "child",
        "brother",
        "sister",
        "wife",
        "husband",
        "widow",
        "nephew",
        "niece",
        "grandson",
        "granddaughter",
    ];
    scene.tokens[np..]
        .iter()
        .take(6)
        .take_while(|token| token.lower != "of")
        .any(|token| KIN.contains(&token.lower.as_str()))
}

/// "served as", "appointed X as", "was appointed as".
fn said_as(scene: &Scene<'_>, sentence: &Range<usize>, at: usize) -> Option<(Found, usize)> {
    if let Some(found) = scene.ment_ending(at) {
        let ment = &scene.ments[found];
        let verb = ment.np.checked_sub(1).filter(|verb| *verb >= sentence.start)?;
        let token = &scene.tokens[verb];
        // "succeeded X as director": the office goes to the subject.
        if matches!(token.stem.as_str(), "succe" | "succeed" | "replac" | "follow") {
            let group = group_of(scene, sentence.start, verb);
            if group.be {
                return None;
            }
            return scene.subject_of(sentence, group.start).map(|found| (found, verb));
        }
        if token.is(words::APPOINT) || token.lower == "with" {
            return Some((Found { ments: vec![found], weight: 0.93 }, verb));
        }
        if token.lower == "by" {
            return None;
        }
        return None;
    }
    let mut verb = at.checked_sub(1).filter(|verb| *verb >= sentence.start)?;
    while verb > sentence.start && (scene.time_at(verb).is_some() || scene.tokens[verb].is(words::ADVERB)) {
        verb -= 1;
    }
    if !scene.is_verb(verb) && !scene.tokens[verb].lower.ends_with("ing") {
        return None;
    }
    let group = group_of(scene, sentence.start, verb);
    scene.subject_of(sentence, group.start).map(|found| (found, verb))
}

/// Walks left over one description of a coordination: back to its article or to the verb before it.
fn description_start(scene: &Scene<'_>, sentence: &Range<usize>, end: usize) -> Option<usize> {
    // "director of the institute and": over a prepositional phrase with a name.
    let mut position = end;
    let mut steps = 0;
    while position > sentence.start && steps < 12 {
        steps += 1;
        if let Some(found) = scene.ment_ending(position) {
            let np = scene.ments[found].np;
            let before = np.checked_sub(1).filter(|before| *before >= sentence.start)?;
            if !scene.tokens[before].is(words::PREPOSITION) {
                return None;
            }
            position = before;
            continue;
        }
        let noun = position - 1;
        if !scene.is_premodifier(noun) {
            return None;
        }
        return Some(scene.phrase_start(sentence.start, noun));
    }
    None
}
