use std::collections::{BTreeMap, BTreeSet};

use mge_core::{Interval, RunError, unescape_part};
use mge_ontology::Ontology;

use super::judge::{Candidate, Verdict, When, judge, times};
use super::question::{Question, Wanted};
use super::rank;
use super::relations::{Phrases, Reading, readings};
use crate::read::{Answer, ClaimFilter, ClaimView, Found, Reader, Understanding, VERSION, cut, sort_found};
use crate::store::EntityRow;
use crate::weigh::six_decimals;

/// How many claims answer at most, and how many are shown when none does.
const MOST_ANSWERS: usize = 25;
const NEAREST: usize = 5;
const PASSAGES: usize = 5;
/// How many sentences the text of an answer quotes for one claim.
const QUOTED: usize = 2;
/// How many ways to understand a question are tried.
const MOST_READINGS: usize = 24;

/// What the claims say, before it is written down.
#[derive(Default)]
struct Outcome {
    answers: Vec<(Candidate, f64)>,
    denied: Vec<(Candidate, f64)>,
    /// Claims of the asked relation that do not answer.
    beside: Vec<Found>,
    asks_time: bool,
    why: Why,
}

/// Why a question has no answer: the best reason, not the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    #[default]
    NoRelation,
    Unstated,
    OtherTime,
    Weak,
}

/// Answers a question from the graph alone.
pub(crate) fn ask(reader: &Reader<'_>, text: &str, as_of: Option<Interval>) -> Result<Answer, RunError> {
    let ontology = reader.ontology;
    let phrases = Phrases::of(ontology);
    let question = Question::read(reader, text, &phrases)?;
    let when = When::of(reader, &question, as_of);
    let mut understood = Understanding {
        time: when.interval(),
        unknown_names: question.names.unknown.clone(),
        ..Understanding::default()
    };
    for name in &question.names.known {
        understood.entities.extend(name.entities.iter().map(|entity| entity.id.clone()));
    }
    let mut readings = readings(ontology, &phrases, &question);
    readings.truncate(MOST_READINGS);
    let relations: BTreeSet<&str> = readings.iter().map(|reading| reading.relation.as_str()).collect();
    understood.relations = relations.into_iter().map(str::to_owned).collect();

    let mut outcome = Outcome::default();
    let mut reason = None;
    if let Some(name) = question.names.unknown.first() {
        for entity in reader.near_entities(name, 3)? {
            understood.near_names.push(entity.name);
        }
        reason = Some(match understood.near_names.as_slice() {
            [] => format!("nothing here is called '{}'", cut(name)),
            near => format!("nothing here is called '{}'; near names: {}", cut(name), near.join(", ")),
        });
    } else if question.has("why") || (question.has("how") && question.wanted != Wanted::Amount) {
        reason = Some("it asks why or how, and claims only tell that".to_owned());
    } else if question.names.known.is_empty() {
        reason = Some("the question names nothing that is known here".to_owned());
    } else if readings.is_empty() {
        if let Some(answer) = describe(reader, &question, when, text, &understood)? {
            return Ok(answer);
        }
    } else {
        outcome = try_readings(reader, &question, &readings, when)?;
        reason = ambiguity(&question, &outcome);
        if question.is_negated() {
            reason =
                Some("it asks for what is not so, and claims tell only what is stated or denied".to_owned());
        } else if when.interval().and_then(|asked| asked.from).is_some_and(|from| from > reader.now) {
            reason = Some("it asks about a time that is still to come".to_owned());
        }
        if reason.is_none()
            && let Some(words) = unexplained(reader, &question, &readings, &outcome)?
        {
            reason = Some(format!("nothing is stated about '{}' in this connection", cut(&words)));
        }
    }
    if reason.is_none()
        && !(outcome.answers.is_empty() && (outcome.denied.is_empty() || question.wanted != Wanted::Yes))
    {
        return known(reader, &question, outcome, when, text, understood);
    }
    let reason = reason.unwrap_or_else(|| why_not(&question, &readings, outcome.why));
    unknown(reader, &question, &readings, outcome, text, understood, reason)
}

/// Tries the readings that use all names of the question; when none can, each name by itself, for what they share.
fn try_readings(
    reader: &Reader<'_>,
    question: &Question,
    readings: &[Reading],
    when: When,
) -> Result<Outcome, RunError> {
    let names: BTreeSet<usize> = (0..question.names.known.len()).collect();
    let mut outcome = Outcome { why: Why::Unstated, ..Outcome::default() };
    let full: Vec<&Reading> = readings.iter().filter(|reading| reading.names == names).collect();
    for reading in &full {
        collect(reader, judge(reader, question, reading, when)?, reading, &mut outcome)?;
    }
    if !full.is_empty() || question.wanted == Wanted::Yes || names.len() < 2 {
        if full.is_empty() {
            // Show what is known of the parts; none of it answers.
            for reading in readings {
                let judged = judge(reader, question, reading, when)?;
                outcome.beside.extend(judged.into_iter().map(|candidate| candidate.found));
            }
        }
        return Ok(outcome);
    }
    shared(reader, question, readings, when, &names, &mut outcome)?;
    Ok(outcome)
}

/// "Which project do A and B work on?": the values that hold for every name.
fn shared(
    reader: &Reader<'_>,
    question: &Question,
    readings: &[Reading],
    when: When,
    names: &BTreeSet<usize>,
    outcome: &mut Outcome,
) -> Result<(), RunError> {
    // By relation and direction: for each name, the values.
    let mut values: BTreeMap<(&str, bool), BTreeMap<usize, Vec<Candidate>>> = BTreeMap::new();
    for reading in readings.iter().filter(|reading| reading.names.len() == 1 && !reading.asks_time) {
        let judged = judge(reader, question, reading, when)?;
        let Some(name) = reading.names.first() else { continue };
        let key = (reading.relation.as_str(), reading.subject.is_some());
        values.entry(key).or_default().entry(*name).or_default().extend(judged);
    }
    for by_name in values.into_values() {
        let covers = by_name.len() == names.len();
        let holding = |candidates: &[Candidate]| -> BTreeSet<String> {
            let holds = candidates.iter().filter(|candidate| matches!(candidate.verdict, Verdict::Holds(_)));
            holds.map(|candidate| candidate.value.clone()).collect()
        };
        let mut common: Option<BTreeSet<String>> = None;
        for candidates in by_name.values() {
            let values = holding(candidates);
            common = Some(match common {
                Some(common) => common.intersection(&values).cloned().collect(),
                None => values,
            });
        }
        let common = common.filter(|_| covers).unwrap_or_default();
        for candidate in by_name.into_values().flatten() {
            match candidate.verdict {
                Verdict::Holds(period) if common.contains(&candidate.value) => {
                    outcome.answers.push((candidate, period.belief));
                }
                _ => outcome.beside.push(candidate.found),
            }
        }
    }
    Ok(())
}

fn collect(
    reader: &Reader<'_>,
    judged: Vec<Candidate>,
    reading: &Reading,
    outcome: &mut Outcome,
) -> Result<(), RunError> {
    for mut candidate in judged {
        match candidate.verdict.clone() {
            Verdict::Holds(period) => {
                if reading.asks_time {
                    // Asked when, a claim without a date answers nothing.
                    let told = times(reader, &candidate.found.claim)?;
                    if told.is_empty() {
                        outcome.why = outcome.why.max(Why::Unstated);
                        outcome.beside.push(candidate.found);
                        continue;
                    }
                    candidate.value = told.join("; ");
                    candidate.entity = None;
                    outcome.asks_time = true;
                }
                let known = outcome.answers.iter().any(|(other, _)| {
                    other.found.claim.row == candidate.found.claim.row && other.value == candidate.value
                });
                if !known {
                    outcome.answers.push((candidate, period.belief));
                }
            }
            Verdict::Denied(period) => outcome.denied.push((candidate, period.disbelief)),
            Verdict::OtherTime => {
                outcome.why = outcome.why.max(Why::OtherTime);
                outcome.beside.push(candidate.found);
            }
            Verdict::Weak => {
                outcome.why = outcome.why.max(Why::Weak);
                outcome.beside.push(candidate.found);
            }
            Verdict::Unfit => outcome.beside.push(candidate.found),
        }
    }
    Ok(())
}

/// A name that several have answers only when it makes no difference which is meant.
fn ambiguity(question: &Question, outcome: &Outcome) -> Option<String> {
    let rows = |found: &Found| {
        let mut rows = vec![found.subject];
        if let crate::store::ObjectRow::Entity(object) = found.object {
            rows.push(object);
        }
        rows
    };
    question.names.known.iter().find_map(|name| {
        if name.entities.len() < 2 {
            return None;
        }
        let used: BTreeSet<i64> = outcome
            .answers
            .iter()
            .chain(&outcome.denied)
            .flat_map(|(candidate, _)| rows(&candidate.found))
            .filter(|row| name.entities.iter().any(|entity| entity.row == *row))
            .collect();
        // Of people with one surname, the one of whom it is stated need not be the one who is meant.
        let unclear = used.len() > 1 || (name.short && same_kind(&name.entities));
        unclear.then(|| {
            let all: Vec<&str> = name.entities.iter().take(5).map(|entity| entity.name.as_str()).collect();
            format!("'{}' may be {}", cut(&name.text), all.join(" or "))
        })
    })
}

fn same_kind(entities: &[EntityRow]) -> bool {
    let top = |entity: &EntityRow| entity.concept.split('|').next().unwrap_or_default().to_owned();
    let tops: BTreeSet<String> = entities.iter().map(top).collect();
    tops.len() < entities.len()
}

/// Returns the words that ask for something which neither the relation nor the sentences found speak of.
fn unexplained(
    reader: &Reader<'_>,
    question: &Question,
    readings: &[Reading],
    outcome: &Outcome,
) -> Result<Option<String>, RunError> {
    let used: BTreeSet<usize> = readings.iter().flat_map(|reading| reading.used.iter().copied()).collect();
    let mut kinds: Vec<String> = question.concepts.clone();
    kinds.extend(
        question.names.known.iter().flat_map(|name| &name.entities).map(|entity| entity.concept.clone()),
    );
    for row in outcome.answers.iter().chain(&outcome.denied).filter_map(|(candidate, _)| candidate.entity) {
        kinds.extend(reader.snapshot.entity(row)?.map(|entity| entity.concept));
    }
    let left = question.unexplained(reader.ontology, &used, &kinds);
    if left.is_empty() {
        return Ok(None);
    }
    let mut explained: BTreeSet<String> = BTreeSet::new();
    let mut take = |text: &str| explained.extend(super::words::roots(text).into_iter().map(|(_, root)| root));
    for reading in readings {
        if let Some(relation) = reader.ontology.relations.get(&reading.relation) {
            take(&relation.id.replace(['_', '|'], " "));
            relation.cues.iter().for_each(|cue| take(&cue.text));
        }
    }
    for (candidate, _) in outcome.answers.iter().chain(&outcome.denied) {
        for piece in reader.snapshot.evidence_of(candidate.found.claim.row)? {
            take(&piece.quote);
        }
        take(&candidate.value);
    }
    let words: Vec<&str> =
        left.iter().filter(|word| !explained.contains(&word.root)).map(|word| word.folded.as_str()).collect();
    // A number in a question for yes or no was compared with the value.
    let words: Vec<&str> = words
        .into_iter()
        .filter(|word| {
            question.wanted != Wanted::Yes || !word.starts_with(|sign: char| sign.is_ascii_digit())
        })
        .filter(|word| !matches!(*word, "million" | "thousand" | "billion"))
        .collect();
    Ok((!words.is_empty()).then(|| words.join(" ")))
}

fn why_not(question: &Question, readings: &[Reading], why: Why) -> String {
    let about = question.names.known.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(" and ");
    let about = cut(&about);
    let relation = readings.first().map_or("", |reading| reading.relation.as_str());
    match why {
        Why::NoRelation => format!("the words of the question mean no relation that can be asked of {about}"),
        Why::Unstated => format!("nothing states '{relation}' of {about} as it is asked"),
        Why::OtherTime => format!("'{relation}' is stated of {about}, but not of the time that is asked for"),
        Why::Weak => format!("'{relation}' is stated of {about}, but not believed enough"),
    }
}

/// Writes a known answer: the values, and below each the sentences that say so.
fn known(
    reader: &Reader<'_>,
    question: &Question,
    mut outcome: Outcome,
    when: When,
    text: &str,
    understood: Understanding,
) -> Result<Answer, RunError> {
    let denial = outcome.answers.is_empty();
    let mut chosen =
        if denial { std::mem::take(&mut outcome.denied) } else { std::mem::take(&mut outcome.answers) };
    chosen.sort_by(|left, right| {
        right
            .1
            .total_cmp(&left.1)
            .then_with(|| left.0.value.cmp(&right.0.value))
            .then_with(|| left.0.found.claim.id.cmp(&right.0.found.claim.id))
    });
    // What is stated answers; what merely follows answers only when nothing else does.
    if chosen.iter().any(|(candidate, _)| candidate.found.chain.len() < 2) {
        chosen.retain(|(candidate, _)| candidate.found.chain.len() < 2);
    }
    chosen.truncate(MOST_ANSWERS);
    let support = chosen.first().map_or(0.0, |(_, belief)| *belief);
    let mut values: Vec<String> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    let mut claims: Vec<ClaimView> = Vec::new();
    if question.wanted == Wanted::Yes {
        values.push(if denial { "No" } else { "Yes" }.to_owned());
        lines.push(values[0].clone());
    }
    for (candidate, _) in &chosen {
        let Some(view) = reader.view_found(&candidate.found, when.interval())? else { continue };
        if question.wanted != Wanted::Yes {
            let mut value = shown(&candidate.value, candidate.entity.is_some());
            let exclusive = reader.ontology.is_functional(&candidate.found.claim.relation);
            if !values.contains(&value) {
                values.push(value.clone());
            }
            if when == When::Any && exclusive && !outcome.asks_time && chosen.len() > 1 {
                let told = times(reader, &candidate.found.claim)?;
                if !told.is_empty() {
                    value = format!("{value} ({})", told.join("; "));
                }
            }
            if !lines.contains(&value) {
                lines.push(value);
            }
        }
        let stance = if denial { -1 } else { 1 };
        let telling = view.citations.iter().filter(|citation| citation.stance == stance || view.inferred);
        for citation in telling.take(if view.inferred { view.citations.len() } else { QUOTED }) {
            lines.push(format!("  “{}” ({})", citation.quote, citation.index));
        }
        claims.push(view);
    }
    // A rival that is believed less is shown, so that nobody takes the answer for undisputed.
    for (candidate, _) in &chosen {
        for found in outcome.beside.iter().filter(|found| is_rival(reader.ontology, found, &candidate.found))
        {
            if let Some(view) = reader.view_found(found, when.interval())?
                && !claims.iter().any(|claim| claim.id == view.id)
                && view.belief > 0.0
            {
                let value = view.literal.clone().unwrap_or_else(|| view.object.clone());
                let is_entity = view.literal.is_none();
                lines.push(format!(
                    "disputed: {} is believed {:.2}, against {:.2}",
                    shown(&value, is_entity),
                    view.belief,
                    candidate_belief(&claims, &candidate.found, reader)?
                ));
                claims.push(view);
            }
        }
    }
    let (passages, _) = nearest_passages(reader, question, text)?;
    Ok(Answer {
        version: VERSION,
        question: text.to_owned(),
        known: true,
        answer: lines.join("\n"),
        support: six_decimals(support),
        claims,
        passages,
        would_read: Vec::new(),
        values,
        understood,
    })
}

fn candidate_belief(claims: &[ClaimView], found: &Found, reader: &Reader<'_>) -> Result<f64, RunError> {
    let id = reader.short_id(&found.claim)?;
    Ok(claims.iter().find(|claim| claim.id == id).map_or(found.belief, |claim| claim.belief))
}

fn is_rival(ontology: &Ontology, found: &Found, answer: &Found) -> bool {
    found.claim.relation == answer.claim.relation
        && found.claim.row != answer.claim.row
        && ontology.is_functional(&found.claim.relation)
        && found.claim.subject == answer.claim.subject
}

/// Returns what of an id or value is for people: the name.
fn shown(value: &str, is_entity: bool) -> String {
    if is_entity { unescape_part(value.rsplit('|').next().unwrap_or(value)) } else { value.to_owned() }
}

fn seeds(question: &Question) -> Vec<i64> {
    let mut seeds: Vec<i64> =
        question.names.known.iter().flat_map(|name| name.entities.iter().map(|entity| entity.row)).collect();
    seeds.dedup();
    seeds
}

fn nearest_passages(
    reader: &Reader<'_>,
    question: &Question,
    text: &str,
) -> Result<(Vec<crate::read::PassageView>, Vec<String>), RunError> {
    let ranks = rank::page_rank(reader, &seeds(question))?;
    rank::passages(reader, &rank::search_words(text), &ranks, PASSAGES)
}

/// Says that it does not know, why, and what is nearest.
fn unknown(
    reader: &Reader<'_>,
    question: &Question,
    readings: &[Reading],
    outcome: Outcome,
    text: &str,
    understood: Understanding,
    reason: String,
) -> Result<Answer, RunError> {
    let (passages, mut would_read) = nearest_passages(reader, question, text)?;
    if would_read.is_empty() {
        would_read = reader.snapshot.unread_documents(PASSAGES)?.iter().map(ToString::to_string).collect();
    }
    let mut near: Vec<Found> = outcome.beside;
    near.extend(outcome.answers.into_iter().chain(outcome.denied).map(|(candidate, _)| candidate.found));
    if near.is_empty() {
        let ranks = rank::page_rank(reader, &seeds(question))?;
        for row in seeds(question) {
            for filter in [
                ClaimFilter { subject: Some(row), ..ClaimFilter::default() },
                ClaimFilter { object: Some(row), ..ClaimFilter::default() },
            ] {
                near.extend(reader.find_claims(&filter)?);
            }
        }
        let rank = |found: &Found| {
            let other = match found.object {
                crate::store::ObjectRow::Entity(object) => ranks.get(&object).copied().unwrap_or(0.0),
                crate::store::ObjectRow::Literal(_) => 0.0,
            };
            let asked = readings.iter().any(|reading| reading.relation == found.relation);
            f64::from(u8::from(asked))
                + found.belief
                + ranks.get(&found.subject).copied().unwrap_or(0.0)
                + other
        };
        near.sort_by(|left, right| {
            rank(right).total_cmp(&rank(left)).then_with(|| left.claim.id.cmp(&right.claim.id))
        });
    } else {
        sort_found(&mut near);
    }
    let mut claims: Vec<ClaimView> = Vec::new();
    for found in near {
        if claims.len() == NEAREST {
            break;
        }
        if let Some(view) = reader.view_found(&found, None)?
            && !claims.iter().any(|claim| claim.id == view.id)
        {
            claims.push(view);
        }
    }
    Ok(Answer {
        version: VERSION,
        question: text.to_owned(),
        known: false,
        answer: format!("not known: {reason}"),
        support: 0.0,
        claims,
        passages,
        would_read,
        values: Vec::new(),
        understood,
    })
}

/// "Who is X?", "Tell me about X": what is believed of it. Also "Is X a ferry?", by the concept.
fn describe(
    reader: &Reader<'_>,
    question: &Question,
    when: When,
    text: &str,
    understood: &Understanding,
) -> Result<Option<Answer>, RunError> {
    let [name] = question.names.known.as_slice() else { return Ok(None) };
    let [entity] = name.entities.as_slice() else { return Ok(None) };
    let kinds = std::slice::from_ref(&entity.concept);
    let plain = question.unexplained(reader.ontology, &BTreeSet::new(), kinds).is_empty()
        && matches!(when, When::Now(_) | When::Any)
        && matches!(question.wanted, Wanted::Someone | Wanted::Anything | Wanted::Yes);
    let asks_type = question.wanted == Wanted::Yes && !question.concept_words.is_empty();
    if !plain || (question.wanted == Wanted::Yes && !asks_type) {
        return Ok(None);
    }
    let (passages, _) = nearest_passages(reader, question, text)?;
    let mentions = reader.snapshot.mentions_of(entity.row, QUOTED)?;
    let kind = entity.concept.rsplit('|').next().unwrap_or(&entity.concept).replace('_', " ");
    let mut answer = Answer {
        version: VERSION,
        question: text.to_owned(),
        known: true,
        answer: String::new(),
        support: 0.0,
        claims: Vec::new(),
        passages,
        would_read: Vec::new(),
        values: Vec::new(),
        understood: understood.clone(),
    };
    if asks_type {
        let named = |position: &usize| reader.ontology.concepts_named(&question.words[*position].folded);
        let fits = question.concept_words.keys().any(|position| {
            named(position).any(|concept| reader.ontology.descends(&entity.concept, &concept.id))
        });
        if !fits {
            return Ok(None);
        }
        let mut lines = vec!["Yes".to_owned()];
        for mention in &mentions {
            let chunk = reader.snapshot.chunk(mention.chunk)?;
            lines.extend(chunk.map(|chunk| format!("  “{}” ({})", cut(&chunk.text), chunk.index)));
        }
        answer.support = reader.entity_detail(entity)?.belief;
        answer.values = vec!["Yes".to_owned()];
        answer.answer = lines.join("\n");
        return Ok(Some(answer));
    }
    let mut found = Vec::new();
    for filter in [
        ClaimFilter {
            subject: Some(entity.row),
            when: when.interval(),
            min_belief: reader.floor,
            ..ClaimFilter::default()
        },
        ClaimFilter {
            object: Some(entity.row),
            when: when.interval(),
            min_belief: reader.floor,
            ..ClaimFilter::default()
        },
    ] {
        found.extend(reader.find_claims(&filter)?);
    }
    sort_found(&mut found);
    found.dedup_by(|left, right| left.claim.row == right.claim.row);
    let mut lines = vec![format!("{} ({kind})", entity.name)];
    for claim in found.iter().take(NEAREST) {
        if let Some(view) = reader.view_found(claim, when.interval())? {
            for citation in view.citations.iter().filter(|citation| citation.stance > 0).take(1) {
                let line = format!("  “{}” ({})", citation.quote, citation.index);
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
            answer.support = answer.support.max(view.belief);
            answer.claims.push(view);
        }
    }
    if answer.claims.is_empty() {
        return Ok(None);
    }
    answer.values = vec![kind];
    answer.answer = lines.join("\n");
    Ok(Some(answer))
}
