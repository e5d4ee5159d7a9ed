//! For or against, real or supposed, now or then: what the words around a claim make of it.

use std::ops::Range;

use mge_core::{Chunk, ChunkKind, Interval, Stance, Tense};

use crate::context::Parsed;
use crate::dates::{TimeKind, TimeMention};
use crate::relations::{Draft, Said, group_of};
use crate::scene::Scene;
use crate::words;

/// How a claim is meant.
#[derive(Debug, Clone)]
pub(crate) struct Sense {
    pub(crate) stance: Stance,
    pub(crate) tense: Tense,
    pub(crate) weight: f64,
    pub(crate) valid: Option<Interval>,
}

/// A time in tokens.
#[derive(Debug, Clone)]
pub(crate) struct Time {
    pub(crate) range: Range<usize>,
    pub(crate) mention: TimeMention,
}

/// What the sentence over a list makes of its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Introduced {
    Plainly,
    /// "It is not true:" and then "that …".
    Untrue,
    /// "What we do not know:" and then "whether …".
    Open,
}

/// Tells how a lead-in means its items, when these are clauses of it or it says that they are not so.
pub(crate) fn introduction(chunk: &Chunk, lead: &Parsed) -> Introduced {
    if chunk.lead_in.is_none() || chunk.kind != ChunkKind::ListItem {
        return Introduced::Plainly;
    }
    let Some(sentence) = lead.sentences.last() else { return Introduced::Plainly };
    let said = |position: usize, words: &[&str]| words.contains(&lead.tokens[position].lower.as_str());
    let negated = |position: usize| {
        (sentence.start..position).rev().take(3).any(|before| lead.tokens[before].is(words::NEGATION))
    };
    let mut found = Introduced::Plainly;
    for position in sentence.clone() {
        if said(position, &["untrue", "false", "wrong", "incorrect", "myth", "myths"])
            || said(position, &["true", "correct", "right"]) && negated(position)
        {
            found = Introduced::Untrue;
        } else if said(position, &["know", "known", "decided", "clear", "sure", "settled"])
            && negated(position)
            || said(
                position,
                &["unknown", "unclear", "undecided", "rumours", "rumors", "proposals", "suggestions"],
            )
        {
            found = Introduced::Open;
        }
    }
    found
}

pub(crate) fn opposite(stance: Stance) -> Stance {
    match stance {
        Stance::For => Stance::Against,
        Stance::Against => Stance::For,
    }
}

/// Tells how a claim is meant, or that it is only supposed.
pub(crate) fn sense_of(
    scene: &Scene<'_>,
    draft: &Draft,
    times: &[Time],
    drafts: &[Draft],
    reference: Option<Interval>,
) -> Option<Sense> {
    let sentence = &draft.sentence;
    let tokens = scene.tokens;
    if asks(scene, draft.cue.end..sentence.end) {
        return None;
    }
    let group = group_of(scene, sentence.start, draft.anchor);
    let mut clause = scene.clause_start(sentence, draft.anchor.max(sentence.start));
    // A relative clause stands by itself, whatever the main clause supposes.
    let relative = (clause..group.start).rev().take(12).find(|position| {
        let token = &scene.tokens[*position];
        token.is(words::RELATIVE)
            && token.lower != "that"
            && scene.ment_at(*position).is_none()
            && *position > sentence.start
    });
    if let Some(relative) = relative
        && !(relative..group.start)
            .any(|position| scene.is_verb(position) && !scene.tokens[position].is(words::AUXILIARY))
    {
        clause = relative + 1;
    }
    let relative = relative.filter(|relative| relative + 1 == clause);
    let mut weight = 1.0;
    // Everything between the clause's start and the cue that is not part of a name.
    let scope_end = draft.cue.end.max(draft.anchor + 1).min(sentence.end);
    let mut against = false;
    let mut no_longer = false;
    let mut former = false;
    let mut future = false;
    let verb_start = governing_start(scene, clause, group.start);
    for position in verb_start..scope_end {
        if scene.ment_at(position).is_some() || scene.time_at(position).is_some() {
            continue;
        }
        let token = &tokens[position];
        let next = tokens.get(position + 1).map_or("", |next| next.lower.as_str());
        let close = position >= group.start;
        match token.lower.as_str() {
            "no" if next == "longer" || next == "more" => no_longer = true,
            "not" if next == "only" || next == "just" => {}
            "not" if tokens.get(position + 1).is_some_and(|next| next.lower == "yet") => against = true,
            "will" | "shall" | "won't" => future = true,
            _ => {}
        }
        if token.is(words::NEGATION)
            && !(token.lower == "not" && matches!(next, "only" | "just"))
            && token.lower != "hardly"
        {
            against = true;
        }
        if matches!(token.lower.as_str(), "without" | "denied" | "denies" | "deny" | "disputes" | "disputed")
        {
            against = true;
        }
        if token.lower == "no"
            && next != "longer"
            && next != "more"
            && next != "one"
            && position + 1 < scope_end
        {
            against = true;
        }
        if token.is(words::CEASE) && position != draft.cue.start && is_cessation(scene, position, draft) {
            no_longer = true;
        }
        if token.is(words::HYPOTHETICAL) && !is_month(scene, position) && !(token.is(words::APPOINT)) {
            return None;
        }
        if token.is(words::FORMER) && !matches!(token.lower.as_str(), "past" | "late" | "previous")
            || token.lower == "previous" && position + 1 < scope_end && close
        {
            former |= close || position + 4 >= draft.cue.start;
        }
        if token.lower == "used" && next == "to" {
            former = true;
        }
    }
    if is_inverted(scene, clause, verb_start) {
        against = true;
    }
    // What stands before the clause: "said that", "rumoured that", "denied that", "if".
    let governed_from = if relative.is_some() { verb_start } else { sentence.start };
    for position in governed_from..verb_start {
        if scene.ment_at(position).is_some() || scene.time_at(position).is_some() {
            continue;
        }
        let token = &tokens[position];
        let next = tokens.get(position + 1).map_or("", |next| next.lower.as_str());
        if matches!(token.lower.as_str(), "if" | "unless" | "whether" | "suppose" | "supposing") {
            return None;
        }
        let governs =
            next == "that" || position + 1 == clause || position + 2 >= clause && clause > sentence.start;
        // "That was wrong: …" speaks of what came before; "it is wrong that …" of what follows.
        let follows = |sign: &str| (position..verb_start).any(|at| tokens[at].is_sign(sign));
        if follows(":") || follows(";") {
            continue;
        }
        let untrue = matches!(token.lower.as_str(), "untrue" | "false" | "wrong")
            || token.lower == "true"
                && tokens[sentence.start..position]
                    .iter()
                    .rev()
                    .take(2)
                    .any(|before| before.is(words::NEGATION));
        if untrue || matches!(token.lower.as_str(), "denied" | "denies" | "disputed" | "disputes") {
            if governs || clause > position {
                against = !against;
            }
        } else if token.is(words::HEDGE) && clause > position && !token.is(words::REPORT) {
            weight *= 0.6;
        } else if token.is(words::REPORT) && clause > position {
            weight *= 0.88;
        } else if token.is(words::HYPOTHETICAL) && governs && !is_month(scene, position) {
            return None;
        }
    }
    // Anywhere in the sentence: adverbs of hearsay, "according to".
    for position in sentence.clone() {
        let token = &tokens[position];
        if matches!(
            token.lower.as_str(),
            "reportedly"
                | "allegedly"
                | "supposedly"
                | "purportedly"
                | "rumoured"
                | "rumored"
                | "alleged"
                | "apparently"
                | "unconfirmed"
        ) && scene.ment_at(position).is_none()
        {
            weight *= if weight < 0.8 { 1.0 } else { 0.62 };
        }
        if token.lower == "according" {
            weight *= 0.9;
        }
    }
    if let Some(local) = negated_member(scene, draft) {
        against = local;
    }
    let mut tense = tense_of(scene, draft, &group);
    let literal = matches!(draft.object, Said::Value(..));
    let own: Vec<&Time> = times.iter().filter(|time| belongs(scene, draft, time, drafts)).collect();
    let literal_date = scene.lexicon.literal(draft.link) == Some(mge_ontology::LiteralKind::Date);
    let mut valid = if literal_date { None } else { merge(&own) };
    if begins(scene, draft)
        && own.iter().all(|time| matches!(time.mention.kind, TimeKind::Point | TimeKind::During))
    {
        // What is joined or bought in a year lasts from then on.
        valid = valid.and_then(|valid| Interval::new(Some(valid.from?), None));
    }
    if literal
        && !literal_date
        && let Said::Value(_, range) = &draft.object
    {
        // A date that is the value is no time of the claim.
        if own.iter().any(|time| time.range.start < range.end && range.start < time.range.end) {
            valid = merge(
                &own.iter()
                    .copied()
                    .filter(|time| !(time.range.start < range.end && range.start < time.range.end))
                    .collect::<Vec<_>>(),
            );
        }
    }
    // "did not join until 2002": it did from then on.
    let until =
        own.iter().find(|time| time.mention.kind == TimeKind::Until && time.range.start >= draft.cue.start);
    if against
        && let Some(until) = until
        && let Some(from) = until.mention.valid.to
    {
        against = false;
        valid = Interval::new(Some(from), None);
    }
    if future {
        valid?;
        weight *= 0.85;
    }
    if no_longer {
        let from = valid.or(reference).and_then(|interval| interval.from);
        return Some(Sense {
            stance: Stance::Against,
            tense: if from.is_some() { Tense::Unknown } else { Tense::Present },
            weight,
            valid: from.and_then(|from| Interval::new(Some(from), None)),
        });
    }
    if former && !against {
        tense = Tense::Past;
    }
    Some(Sense { stance: if against { Stance::Against } else { Stance::For }, tense, weight, valid })
}

/// Tells whether the verb begins a state rather than being in it.
fn begins(scene: &Scene<'_>, draft: &Draft) -> bool {
    let begins = |position: usize| {
        let token = &scene.tokens[position];
        matches!(
            token.stem.as_str(),
            "join"
                | "buy"
                | "acquir"
                | "purchas"
                | "becom"
                | "hir"
                | "enter"
                | "adopt"
                | "mov"
                | "settl"
                | "inherit"
        ) || token.stem == "tak" && scene.tokens.get(position + 1).is_some_and(|next| next.lower == "over")
            || token.is(words::APPOINT)
                && token.lower != "made"
                && token.lower != "named"
                && token.lower != "confirmed"
            || token.stem == "succeed"
    };
    begins(draft.cue.start) && scene.ment_at(draft.cue.start).is_none()
        || begins(draft.anchor.min(scene.tokens.len() - 1))
}

/// "Nor has she led", "Never did they own": the negation opens the clause and the subject follows its auxiliary.
fn is_inverted(scene: &Scene<'_>, clause: usize, verb: usize) -> bool {
    let [first, next] = [clause, clause + 1].map(|position| scene.tokens.get(position));
    clause + 1 < verb
        && first.is_some_and(|first| matches!(first.lower.as_str(), "nor" | "neither" | "never"))
        && next.is_some_and(|next| next.is(words::AUXILIARY))
}

/// "may" as a month is no supposition.
fn is_month(scene: &Scene<'_>, position: usize) -> bool {
    let token = &scene.tokens[position];
    token.lower == "may" && token.is_capital() || scene.time_at(position).is_some()
}

/// A question; one after a colon asks of something else.
fn asks(scene: &Scene<'_>, rest: Range<usize>) -> bool {
    let asked = |position: usize| matches!(scene.tokens[position].lower.as_str(), "?" | "？" | "؟");
    rest.clone().rev().take(3).any(asked) && !rest.clone().any(|position| scene.tokens[position].is_sign(":"))
}

/// Walks left over the verbs that govern the verb group: "plans to", "has agreed to", "was chosen to".
fn governing_start(scene: &Scene<'_>, clause: usize, group: usize) -> usize {
    let mut start = group;
    while start > clause && group - start < 10 {
        let position = start - 1;
        if scene.ment_at(position).is_some() {
            break;
        }
        let token = &scene.tokens[position];
        let belongs = scene.is_verb(position)
            || token.is(words::AUXILIARY
                | words::NEGATION
                | words::ADVERB
                | words::HYPOTHETICAL
                | words::FORMER)
            || token.lower == "to"
            || token.is(words::DETERMINER)
            || token.lower == "as"
            || scene.time_at(position).is_some()
            || token.is(words::CEASE)
            || token.lower == "down"
            || token.lower == "without"
            || token.lower == "longer"
            || token.lower == "by"
            || token.lower == "but";
        if !belongs {
            break;
        }
        start = position;
    }
    start
}

/// "left his post as director of", "stepped down as", "ceased to lead".
fn is_cessation(scene: &Scene<'_>, position: usize, draft: &Draft) -> bool {
    let token = &scene.tokens[position];
    let next = scene.tokens.get(position + 1).map_or("", |next| next.lower.as_str());
    match token.lower.as_str() {
        "stepped" => next == "down" || next == "aside",
        "left" | "lost" | "leaves" => position < draft.cue.start && draft.cue.start - position <= 5,
        "stopped" | "ceased" | "quit" => true,
        _ => next == "as" || next == "from" || draft.cue.start.saturating_sub(position) <= 3,
    }
}

/// "not by A but by B": each member has its own sign.
fn negated_member(scene: &Scene<'_>, draft: &Draft) -> Option<bool> {
    let mut ments = vec![draft.subject];
    if let Said::Ment(object) = draft.object {
        ments.push(object);
    }
    for ment in ments {
        let np = scene.ments[ment].np;
        let mut position = np;
        let mut steps = 0;
        while position > draft.sentence.start && steps < 2 {
            let before = &scene.tokens[position - 1];
            if before.lower == "not" {
                return Some(true);
            }
            if before.lower == "but" {
                return Some(false);
            }
            if before.is_sign(",")
                && let Some(open) = insertion_before(scene, draft.sentence.start, position - 1)
            {
                position = open;
                continue;
            }
            if !before.is(words::PREPOSITION) {
                break;
            }
            position -= 1;
            steps += 1;
        }
    }
    None
}

/// "not, as printed, to": finds the comma that opens what stands between "not" and its preposition.
fn insertion_before(scene: &Scene<'_>, floor: usize, close: usize) -> Option<usize> {
    let open = (floor..close).rev().take(7).find(|at| scene.tokens[*at].is_sign(","))?;
    let negated = open > floor && scene.tokens[open - 1].lower == "not";
    (negated && (open..close).all(|at| scene.ment_at(at).is_none())).then_some(open)
}

fn tense_of(scene: &Scene<'_>, draft: &Draft, group: &crate::relations::Group) -> Tense {
    let tokens = scene.tokens;
    let anchor = draft.anchor.min(tokens.len().saturating_sub(1));
    let mut finite = None;
    for token in tokens.iter().take(anchor + 1).skip(group.start) {
        match token.lower.as_str() {
            "was" | "were" | "had" | "did" | "wasn't" | "weren't" | "didn't" => finite = Some(Tense::Past),
            "is" | "are" | "am" | "has" | "have" | "does" | "do" | "isn't" | "aren't" if finite.is_none() => {
                finite = Some(Tense::Present);
            }
            _ => {}
        }
    }
    if let Some(tense) = finite {
        // "has led", "is led": now; "was led": then.
        return tense;
    }
    let verb = &tokens[anchor];
    if group.start == anchor && scene.is_verb(anchor) {
        let lower = verb.lower.as_str();
        if verb.is(words::COPULA_LIKE) && lower.ends_with('e') && lower == "became" || lower == "remained" {
            return Tense::Past;
        }
        if lower.ends_with("ing") {
            return Tense::Unknown;
        }
        if verb.is_participle() && reduced_here(scene, draft, anchor) {
            return Tense::Unknown;
        }
        if lower.ends_with("ed")
            || verb.is(words::VERB) && crate::stem::stem(lower) != lower && !lower.ends_with('s')
        {
            return Tense::Past;
        }
        return Tense::Present;
    }
    Tense::Unknown
}

/// A participle without auxiliary that follows a comma or is followed by "by".
fn reduced_here(scene: &Scene<'_>, draft: &Draft, anchor: usize) -> bool {
    let by = scene.tokens.get(anchor + 1).is_some_and(|next| next.lower == "by");
    let comma = anchor > draft.sentence.start && scene.tokens[anchor - 1].is_sign(",");
    by || comma || anchor == draft.sentence.start
}

/// Tells whether a time is that of this claim rather than of another claim or verb.
fn belongs(scene: &Scene<'_>, draft: &Draft, time: &Time, drafts: &[Draft]) -> bool {
    let sentence = &draft.sentence;
    if time.range.start < sentence.start || time.range.end > sentence.end {
        return false;
    }
    if in_bracket_of_other(scene, draft, time) || dates_other(scene, draft, time, drafts) {
        return false;
    }
    // "with 800,000 people in 2014, it is …": the time closes what stands before the comma.
    let comma = scene.tokens.get(time.range.end).is_some_and(|next| next.is_sign(","));
    let inner = time.range.start > sentence.start + 1 && !scene.tokens[time.range.start - 1].is_sign(",");
    if comma && inner && time.range.end <= draft.cue.start && draft.anchor > time.range.end {
        let subject = &scene.ments[draft.subject];
        if subject.start >= time.range.end {
            return false;
        }
    }
    let own = distance(scene, draft, time);
    if own > 40 {
        return false;
    }
    let nearest = drafts
        .iter()
        .filter(|other| other.sentence == *sentence)
        .map(|other| distance(scene, other, time))
        .min()
        .unwrap_or(own);
    let gap = if time.range.end <= draft.cue.start {
        time.range.end..draft.cue.start
    } else {
        draft.cue.end..time.range.start
    };
    let parted = nearest == 0
        || gap.clone().any(|position| {
            scene.tokens[position].is(words::AND | words::BUT) && scene.ment_at(position).is_none()
        });
    if own > nearest + if parted { 0 } else { 2 } && !same_statement(drafts, draft, time, scene, nearest) {
        return false;
    }
    // Another verb between the claim and the time takes it.
    let start = draft.cue.end.min(time.range.start);
    let between = if time.range.start >= draft.cue.end {
        start..time.range.start
    } else {
        time.range.end..draft.cue.start.min(draft.anchor)
    };
    let extent = extent(scene, draft);
    !between.clone().any(|position| {
        let token = &scene.tokens[position];
        let outside = position >= extent.end || position < extent.start;
        outside
            && scene.ment_at(position).is_none()
            && (token.is_sign(";")
                || token.is(words::RELATIVE) && token.lower != "that" && position >= extent.end
                || token.is(words::SUBORDINATE)
                    && !token.is(words::PREPOSITION)
                    && scene.time_at(position).is_none()
                    && token.lower != "when"
                    && token.lower != "so"
                    && token.lower != "as"
                    && token.lower != "that"
                || position >= extent.end
                    && scene.is_verb(position)
                    && !token.is(words::BE | words::HAVE)
                    && token.lower != "held")
    })
}

/// "founded in 1997, now runs": the date of a foundation is no time of what else is said.
fn dates_other(scene: &Scene<'_>, draft: &Draft, time: &Time, drafts: &[Draft]) -> bool {
    let date = Some(mge_ontology::LiteralKind::Date);
    drafts.iter().any(|other| {
        let Said::Value(_, range) = &other.object else { return false };
        other.link != draft.link
            && other.cue != draft.cue
            && scene.lexicon.literal(other.link) == date
            && range.start < time.range.end
            && time.range.start < range.end
    })
}

/// Claims of one verb share its times: "A and B lead X since 2019".
fn same_statement(drafts: &[Draft], draft: &Draft, time: &Time, scene: &Scene<'_>, nearest: usize) -> bool {
    drafts.iter().any(|other| {
        other.sentence == draft.sentence
            && other.cue == draft.cue
            && other.anchor == draft.anchor
            && distance(scene, other, time) == nearest
    })
}

/// The tokens from the first to the last part of a claim.
fn extent(scene: &Scene<'_>, draft: &Draft) -> Range<usize> {
    let mut start = draft.cue.start;
    let mut end = draft.cue.end;
    let mut cover = |range: Range<usize>| {
        if range.start >= draft.sentence.start && range.end <= draft.sentence.end {
            start = start.min(range.start);
            end = end.max(range.end);
        }
    };
    // A subject that another verb comes between ("was founded in 1921 and is based in") is not near.
    let subject = &scene.ments[draft.subject];
    let far = |from: usize, to: usize| {
        (from..to.min(draft.sentence.end)).any(|position| {
            scene.tokens[position].is(words::AND | words::BUT)
                && (from..position).any(|before| scene.is_verb(before))
        })
    };
    if !far(subject.end, draft.cue.start) {
        cover(subject.start..subject.end);
    }
    match &draft.object {
        Said::Ment(object) => {
            let object = &scene.ments[*object];
            if !far(object.end, draft.cue.start) {
                cover(object.start..object.end);
            }
        }
        Said::Value(_, range) => cover(range.clone()),
    }
    start..end
}

fn distance(scene: &Scene<'_>, draft: &Draft, time: &Time) -> usize {
    let extent = extent(scene, draft);
    if time.range.start >= extent.end {
        time.range.start - extent.end
    } else if time.range.end <= extent.start {
        // A time at the head of the sentence is a little further than one behind.
        extent.start - time.range.end + 1
    } else {
        0
    }
}

/// "Elena Ruiz (1901–1980) led": the years of a name are not those of the claim.
fn in_bracket_of_other(scene: &Scene<'_>, draft: &Draft, time: &Time) -> bool {
    let lowest = draft.sentence.start.max(time.range.start.saturating_sub(25));
    let mut open = None;
    for position in (lowest..time.range.start).rev() {
        if scene.tokens[position].is_sign(")") {
            return false;
        }
        if scene.tokens[position].is_sign("(") {
            open = Some(position);
            break;
        }
    }
    let Some(open) = open else { return false };
    let close = scene.close_of(open, draft.sentence.end).unwrap_or(draft.sentence.end);
    let cue_inside = open < draft.cue.start && draft.cue.end <= close;
    !cue_inside && {
        // Right behind the cue's own name it may be its period; behind another name it is that one's.
        scene
            .ment_ending(open)
            .is_some_and(|ment| !matches!(draft.object, Said::Ment(object) if object == ment))
    }
}

/// Joins the times of a claim: "since 2012 … until 2017".
fn merge(times: &[&Time]) -> Option<Interval> {
    let mut result: Option<Interval> = None;
    for time in times {
        result = match result {
            None => Some(time.mention.valid),
            Some(known) => known.intersect(time.mention.valid).or(Some(known)),
        };
    }
    result
}
