//! Relations whose object is a value: a year of foundation, a length, a title.

use std::ops::Range;

use mge_core::Span;
use mge_ontology::LiteralKind;

use crate::cues::{Cue, Frame};
use crate::doubts::enclosing;
use crate::matching::Match;
use crate::relations::{Draft, Said, fits, group_of, patient};
use crate::scene::{Found, Scene};
use crate::tokens::{Shape, Token};
use crate::values::ValueMention;
use crate::words;

/// The most words between a cue and its value.
const REACH: usize = 8;

/// The longest text that is a value, in tokens.
const LONGEST_TEXT: usize = 10;

/// The values of a chunk in tokens, by where they start.
#[derive(Debug, Default)]
pub(crate) struct Values {
    found: Vec<(Range<usize>, LiteralKind, String)>,
}

impl Values {
    pub(crate) fn new(scene: &Scene<'_>, mentions: &[ValueMention]) -> Self {
        let mut found: Vec<(Range<usize>, LiteralKind, String)> = mentions
            .iter()
            .filter_map(|value| {
                let range = tokens_of(scene, value.span)?;
                Some((range, value.kind, value.value.clone()))
            })
            .collect();
        found.sort_by(|left, right| left.0.start.cmp(&right.0.start).then(right.0.end.cmp(&left.0.end)));
        Self { found }
    }

    /// Finds the longest value of a kind that starts at a token.
    fn at(&self, position: usize, kind: LiteralKind) -> Option<(&Range<usize>, &str)> {
        let first = self.found.partition_point(|(range, _, _)| range.start < position);
        self.found[first..]
            .iter()
            .take_while(|(range, _, _)| range.start == position)
            .find(|(_, found, _)| *found == kind)
            .map(|(range, _, value)| (range, value.as_str()))
    }

    /// Takes the value of a kind that starts at a token.
    pub(crate) fn first_at(&self, position: usize, kind: LiteralKind) -> Option<(String, Range<usize>)> {
        self.at(position, kind).map(|(range, value)| (value.to_owned(), range.clone()))
    }

    /// Finds a value of a kind that begins before a token and ends behind it.
    fn around(&self, position: usize, kind: LiteralKind) -> Option<(&Range<usize>, &str)> {
        let after = self.found.partition_point(|(range, _, _)| range.start < position);
        self.found[..after]
            .iter()
            .rev()
            .take(24)
            .find(|(range, found, _)| range.end > position && *found == kind)
            .map(|(range, _, value)| (range, value.as_str()))
    }

    /// Finds a value of a kind that ends before a token.
    fn ending(&self, position: usize, kind: LiteralKind) -> Option<(&Range<usize>, &str)> {
        let after = self.found.partition_point(|(range, _, _)| range.start < position);
        self.found[..after]
            .iter()
            .rev()
            .take(24)
            .find(|(range, found, _)| range.end == position && *found == kind)
            .map(|(range, _, value)| (range, value.as_str()))
    }
}

/// Finds the tokens of a span of bytes.
pub(crate) fn tokens_of(scene: &Scene<'_>, span: Span) -> Option<Range<usize>> {
    let start = scene.tokens.partition_point(|token| token.span.end <= span.start);
    let end = scene.tokens.partition_point(|token| token.span.start < span.end);
    (start < end).then_some(start..end)
}

/// Makes the claims of a cue whose object is a value.
pub(crate) fn claims(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    cue: &Cue,
    found: &Match,
    kind: LiteralKind,
    values: &Values,
    drafts: &mut Vec<Draft>,
) {
    // "population density": another measure.
    if scene.tokens.get(found.end).is_some_and(|next| next.lower == "density") {
        return;
    }
    let Some((said, value_range, distance)) = value_of(scene, sentence, cue, found, kind, values) else {
        return;
    };
    let link = &scene.lexicon.links[cue.link];
    let suits = |subjects: &Found| subjects.ments.iter().any(|ment| fits(scene, *ment, &link.src));
    let read = subject_of_value(scene, sentence, cue, found, &value_range)
        .filter(|(subjects, _)| suits(subjects))
        .or_else(|| {
            // A verb's subject is what its grammar says; a noun ("with 412 seats") may stand farther off.
            if cue.frame == Frame::Verb {
                return None;
            }
            let place = found.tokens[0].min(value_range.start)..found.end.max(value_range.end);
            let picked = crate::selection::owner_of_value(scene, sentence, &place, &link.src)?;
            let [one] = picked.ments.as_slice() else { return None };
            Some((Found { ments: vec![*one], weight: 0.8 * picked.weight }, found.tokens[0]))
        });
    let Some((subjects, anchor)) = read else { return };
    let near = if distance <= 3 { 1.0 } else { 0.93 };
    let weight = if cue.curated { 0.9 } else { 0.76 } * subjects.weight * near;
    // "31,000 square kilometres of Ontario": a part of it.
    let part = scene.tokens.get(value_range.end).is_some_and(|next| next.lower == "of")
        && kind == LiteralKind::Quantity;
    let apart = |ment: &usize| {
        let ment = &scene.ments[*ment];
        !(part && ment.start > value_range.end) && ment.end <= value_range.start
            || value_range.end <= ment.start
    };
    for subject in subjects.ments.iter().copied().filter(|ment| fits(scene, *ment, &link.src)).filter(apart) {
        drafts.push(Draft {
            link: cue.link,
            subject,
            object: Said::Value(said.clone(), value_range.clone()),
            cue: found.tokens[0]..found.tokens[found.tokens.len() - 1] + 1,
            anchor,
            sentence: sentence.clone(),
            weight,
        });
    }
}

/// Finds the value that a cue speaks of.
fn value_of(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    cue: &Cue,
    found: &Match,
    kind: LiteralKind,
    values: &Values,
) -> Option<(String, Range<usize>, usize)> {
    match kind {
        LiteralKind::Text if describes(scene, sentence, cue, found) => None,
        LiteralKind::Text => text_after(scene, sentence, cue, found),
        LiteralKind::Boolean => {
            Some(("true".to_owned(), found.tokens[0]..found.tokens[found.tokens.len() - 1] + 1, 0))
        }
        // "6,000 students from 36 countries": a noun counts what stands before it.
        LiteralKind::Number if matches!(cue.frame, Frame::Noun { .. }) => {
            counted_left(scene, sentence, found, values)
                .or_else(|| value_right(scene, sentence, found, kind, values))
                .or_else(|| value_left(sentence, found, kind, values))
        }
        _ => value_right(scene, sentence, found, kind, values)
            .or_else(|| value_left(sentence, found, kind, values)),
    }
}

/// Finds the number right before a noun.
fn counted_left(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    found: &Match,
    values: &Values,
) -> Option<(String, Range<usize>, usize)> {
    let (range, value) = values
        .ending(found.tokens[0], LiteralKind::Number)
        .filter(|(range, _)| range.start >= sentence.start && scene.time_at(range.start).is_none())?;
    Some((value.to_owned(), range.clone(), 0))
}

fn value_right(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    found: &Match,
    kind: LiteralKind,
    values: &Values,
) -> Option<(String, Range<usize>, usize)> {
    let mut position = found.end;
    let mut skipped = 0;
    while position < sentence.end && skipped <= REACH {
        let timed = kind == LiteralKind::Number && scene.time_at(position).is_some();
        if let Some((range, value)) = values.at(position, kind).filter(|_| !timed) {
            return Some((value.to_owned(), range.clone(), skipped));
        }
        if let Some(ment) = scene.ment_at(position) {
            // Over "by Elena", "in Oslo" to the date; over "of Oslo" to the number.
            let before = position.checked_sub(1).map(|before| &scene.tokens[before]);
            let hangs = before.is_some_and(|before| {
                before.is(words::PREPOSITION)
                    || before.is(words::DETERMINER)
                    || before.is_sign(",")
                    || before.is(words::AND)
            }) || position == found.end;
            if !hangs && kind != LiteralKind::Date {
                return None;
            }
            position = scene.ments[ment].end;
            skipped += 1;
            continue;
        }
        let token = &scene.tokens[position];
        if kind == LiteralKind::Quantity
            && let Some((value, range)) = counted(scene, sentence, position)
        {
            return Some((value, range, skipped));
        }
        // Another time or number in between: the cue speaks of that one.
        if token.shape == Shape::Number && kind != LiteralKind::Date {
            position = scene.time_at(position)?;
            continue;
        }
        // "was elected to the academy in 1975": of the academy, not of the office.
        if kind == LiteralKind::Date && matches!(token.lower.as_str(), "to" | "with" | "for") && skipped == 0
        {
            return None;
        }
        let closes = token.is_sign(";")
            || token.is(words::RELATIVE | words::BUT | words::SUBORDINATE) && !token.is(words::PREPOSITION);
        let verb = scene.is_verb(position) && !token.is(words::BE) && token.lower != "estimated";
        if closes || verb || token.is(words::NEGATION) {
            return None;
        }
        if token.is_sign(",") && kind != LiteralKind::Date {
            return None;
        }
        if token.is(words::AND) && kind != LiteralKind::Date {
            return None;
        }
        position += 1;
        skipped += 1;
    }
    None
}

/// "26,000 pallets": a number of things that are no unit.
fn counted(scene: &Scene<'_>, sentence: &Range<usize>, position: usize) -> Option<(String, Range<usize>)> {
    let number = &scene.tokens[position];
    let noun = scene.tokens.get(position + 1).filter(|_| position + 1 < sentence.end)?;
    let plural = noun.shape == Shape::Lower
        && noun.lower.ends_with('s')
        && noun.stem != noun.lower
        && scene.ment_at(position + 1).is_none()
        && !scene.is_verb(position + 1);
    if number.shape != Shape::Number || scene.time_at(position).is_some() || !plural {
        return None;
    }
    let digits: String = number.lower.chars().filter(|digit| *digit != ',').collect();
    let whole = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    whole.then(|| (format!("{digits} {}", noun.lower), position..position + 2))
}

fn value_left(
    sentence: &Range<usize>,
    found: &Match,
    kind: LiteralKind,
    values: &Values,
) -> Option<(String, Range<usize>, usize)> {
    if kind == LiteralKind::Date {
        return None;
    }
    let start = found.tokens[0];
    let range = |end: usize| values.ending(end, kind).filter(|(range, _)| range.start >= sentence.start);
    let (range, value) = range(start)
        .or_else(|| start.checked_sub(1).and_then(range))
        // The unit may itself be the cue: "28 metres", read with the value.
        .or_else(|| values.around(start, kind).filter(|(value, _)| value.start >= sentence.start))?;
    Some((value.to_owned(), range.clone(), 0))
}

/// "the default type": a noun that only describes the noun behind it has no value.
fn describes(scene: &Scene<'_>, sentence: &Range<usize>, cue: &Cue, found: &Match) -> bool {
    let Some(next) = scene.tokens.get(found.end).filter(|_| found.end < sentence.end) else { return false };
    let closed = words::PREPOSITION
        | words::AUXILIARY
        | words::DETERMINER
        | words::ADVERB
        | words::AND
        | words::BUT
        | words::RELATIVE
        | words::PERSONAL
        | words::NEGATION;
    let noun = next.shape == Shape::Lower && !next.is(closed) && !scene.is_verb(found.end);
    matches!(cue.frame, Frame::Noun { .. }) && !cue.tail && noun
}

/// The words after a cue of text, up to the end of their phrase.
fn text_after(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    cue: &Cue,
    found: &Match,
) -> Option<(String, Range<usize>, usize)> {
    let mut start = found.end;
    if cue.literal.is_some() && cue.tail && cue.frame == Frame::Verb {
        // The match left the preposition open.
        let tail = cue.stems.last()?;
        let token = scene.tokens.get(start).filter(|_| start < sentence.end)?;
        if token.stem != *tail {
            return None;
        }
        start += 1;
    }
    while start < sentence.end {
        let token = &scene.tokens[start];
        let opens = token.is(words::DETERMINER)
            || token.is_sign(":")
            || token.is(words::BE)
            || matches!(token.lower.as_str(), "“" | "\"" | "as" | "of");
        if !opens {
            break;
        }
        start += 1;
    }
    let mut end = start;
    while end < sentence.end && end - start < LONGEST_TEXT {
        let token = &scene.tokens[end];
        let stops = scene.time_at(end).is_some()
            || token.shape == Shape::Sign && !matches!(token.lower.as_str(), "-" | "/" | "&" | "’")
            || token.is(words::RELATIVE | words::BUT | words::SUBORDINATE)
            || token.is(words::PREPOSITION) && !matches!(token.lower.as_str(), "of" | "for" | "to")
            || matches!(token.lower.as_str(), "prior" | "until" | "till" | "where" | "again")
            || token.lower == "for" && spans_time(scene, end + 1)
            || end > start && token.is(words::AUXILIARY)
            || token.is(words::PERSONAL);
        if stops {
            break;
        }
        end += 1;
    }
    while end > start
        && scene.tokens[end - 1].is(words::PREPOSITION | words::DETERMINER | words::AND | words::ADVERB)
    {
        end -= 1;
    }
    // "born to the family of": no name and no office begins so.
    if start >= end || scene.tokens[start].is(words::PREPOSITION) && scene.tokens[start].shape == Shape::Lower
    {
        return None;
    }
    // "languages spoken in": a participle is none either.
    let participle = end - start == 1
        && scene.tokens[start].shape == Shape::Lower
        && (scene.tokens[start].is_participle() || scene.is_verb(start));
    if participle {
        return None;
    }
    // A year or a number is no name and no office.
    if !scene.tokens[start..end].iter().any(|token| token.is_word() && token.shape != Shape::Number) {
        return None;
    }
    let text = scene.span(start..end).slice(scene.text)?.to_owned();
    Some((text, start..end, 0))
}

/// "for five years", "for over 20 years", "for a year": how long, not of what.
fn spans_time(scene: &Scene<'_>, from: usize) -> bool {
    let period = |at: usize| {
        scene.tokens.get(at).is_some_and(|token| {
            matches!(token.stem.as_str(), "year" | "month" | "week" | "day" | "decad" | "term" | "season")
        })
    };
    scene.time_at(from).is_some() || (from..from + 4).any(period)
}

/// Finds of what the value is said.
fn subject_of_value(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    cue: &Cue,
    found: &Match,
    value: &Range<usize>,
) -> Option<(Found, usize)> {
    let start = found.tokens[0].min(value.start);
    // Bracketed: "Elena Ruiz (born 5 April 1972)".
    if let Some(open) = enclosing(scene, sentence, start) {
        let before = scene.ment_ending(open)?;
        return Some((Found { ments: vec![before], weight: 0.97 }, found.tokens[0]));
    }
    match cue.frame {
        Frame::Verb => verb_subject(scene, sentence, found, value),
        _ => noun_subject(scene, sentence, found, value, start),
    }
}

fn verb_subject(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    found: &Match,
    value: &Range<usize>,
) -> Option<(Found, usize)> {
    let verb = found.tokens[0];
    if !scene.tokens[verb].is_participle() {
        let group = group_of(scene, sentence.start, verb);
        return scene.subject_of(sentence, group.start).map(|found| (found, verb));
    }
    let group = group_of(scene, sentence.start, verb);
    if group.be {
        return patient(scene, sentence, verb, &group).map(|found| (found, verb));
    }
    // "Elena founded the institute in 1911": the date is the object's.
    if value.start > found.end {
        if let Some(object) = scene.right_phrase(sentence, found.end)
            && object.ments.first().is_some_and(|first| scene.ments[*first].end <= value.start)
        {
            return Some((object.weaker(0.95), verb));
        }
        // "opened a branch in 1990", "launched Aurora ciders in 1990": of something else than the subject.
        let next = &scene.tokens[found.end];
        let light = next.is(words::PREPOSITION | words::ADVERB | words::AND | words::RELATIVE)
            || matches!(next.shape, Shape::Number | Shape::Sign)
            || scene.time_at(found.end).is_some();
        if !light && scene.tokens[found.end..value.start].iter().any(names_a_thing) {
            return None;
        }
    }
    patient(scene, sentence, verb, &group)
        .or_else(|| scene.subject_of(sentence, group.start))
        .map(|found| (found, verb))
}

/// Tells whether a word is the noun of an object, or may be.
fn names_a_thing(token: &Token) -> bool {
    let light = words::DETERMINER | words::PREPOSITION | words::ADVERB | words::CALENDAR | words::AND;
    token.is_word() && token.shape != Shape::Number && !token.is(light)
}

fn noun_subject(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    found: &Match,
    value: &Range<usize>,
    start: usize,
) -> Option<(Found, usize)> {
    let np = scene.phrase_start(sentence.start, start);
    let one = |ment: usize, weight: f64| Found { ments: vec![ment], weight };
    // "Its population", "Oslo's population".
    if let Some(found) = scene.ment_at(np).filter(|found| scene.ments[*found].possessive) {
        return Some((one(found, 1.0), np));
    }
    if np > sentence.start && scene.tokens[np - 1].shape == Shape::Genitive {
        return Some((one(scene.ment_ending(np - 1)?, 1.0), np));
    }
    if let Some(found) = scene.ment_ending(np).filter(|found| scene.ments[*found].possessive) {
        return Some((one(found, 1.0), np));
    }
    // "The population of Oslo is": between the cue and the value.
    let between = found.end.min(value.start)..value.start;
    if found.end <= value.start
        && let Some(found) = between.clone().find_map(|position| scene.ment_at(position))
        && scene.tokens[scene.ments[found].np.saturating_sub(1)].is(words::PREPOSITION)
    {
        return Some((one(found, 0.97), np));
    }
    let mut before = np.checked_sub(1).filter(|before| *before >= sentence.start)?;
    // "more than", "about": light words between the verb and the value.
    while before > sentence.start
        && scene.ment_at(before).is_none()
        && (scene.tokens[before].is(words::ADVERB)
            || matches!(
                scene.tokens[before].lower.as_str(),
                "than" | "over" | "more" | "less" | "to" | "at" | "up" | "around"
            ))
        && !scene.tokens[before].is(words::AUXILIARY)
    {
        before -= 1;
    }
    let token = &scene.tokens[before];
    if token.is(words::BE | words::HAVE | words::COPULA_LIKE) || scene.is_verb(before) {
        let group = group_of(scene, sentence.start, before);
        return scene.subject_of(sentence, group.start).map(|found| (found, before));
    }
    if matches!(token.lower.as_str(), "with" | "at" | "of") {
        if let Some(found) = scene.ment_ending(before) {
            let ment = &scene.ments[found];
            let hangs = ment.np > sentence.start && scene.tokens[ment.np - 1].is(words::PREPOSITION);
            if !hangs {
                return Some((one(found, 0.95), before));
            }
        }
        return scene.clause_subject(sentence, before).map(|found| (found, before));
    }
    if token.is_sign(",") || token.is_sign(":") || token.is(words::AND) {
        if let Some(found) = scene.ment_ending(before) {
            return Some((one(found, 0.9), np));
        }
        return scene.clause_subject(sentence, before).map(|found| (found.weaker(0.95), np));
    }
    None
}
