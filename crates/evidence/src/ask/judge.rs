use std::collections::BTreeSet;

use mge_core::{Interval, Moment, Stance, Tense};
use mge_ontology::Target;

use super::question::{Question, Wanted};
use super::relations::Reading;
use super::time::{Asked, spoken};
use super::words::roots;
use crate::error::StoreError;
use crate::read::{ClaimFilter, Found, Reader};
use crate::store::{ClaimRow, ObjectRow};
use crate::weigh::{Basis, PeriodBelief};

/// Beliefs that differ by less are equal.
const EQUAL: f64 = 1e-6;

/// For when an answer has to hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum When {
    /// For now, whatever it rests on.
    Now(Interval),
    /// For a time that the caller gives.
    AsOf(Interval),
    /// For a time that the question names: it has to be stated of that time, or before and nothing since.
    Named(Interval),
    /// For any time; for the past, when the question says so.
    Any,
    /// For a time that is over.
    Before(Interval),
}

impl When {
    /// Returns the time that claims have to touch.
    pub(super) fn interval(self) -> Option<Interval> {
        match self {
            Self::Now(interval) | Self::AsOf(interval) | Self::Named(interval) => Some(interval),
            Self::Any | Self::Before(_) => None,
        }
    }

    /// Decides for when an answer has to hold.
    pub(super) fn of(reader: &Reader<'_>, question: &Question, as_of: Option<Interval>) -> Self {
        let now = Interval::new(Some(reader.now), Some(Moment(reader.now.0.saturating_add(1))))
            .unwrap_or(Interval::ALWAYS);
        match (question.asked, as_of) {
            (Some(Asked::At(interval)), _) => Self::Named(interval),
            (Some(Asked::Before), None) => Self::Before(now),
            (Some(Asked::Before), Some(as_of)) => Self::Before(as_of),
            (_, Some(as_of)) => Self::AsOf(as_of),
            (Some(Asked::Now), None) => Self::Now(now),
            (None, None) if question.past => Self::Any,
            (None, None) => Self::Now(now),
        }
    }

    fn admits(self, period: &PeriodBelief) -> bool {
        match self {
            Self::Any => true,
            Self::Now(interval) | Self::AsOf(interval) => period.interval.overlaps(interval),
            Self::Named(interval) => {
                period.interval.overlaps(interval)
                    && matches!(period.basis, Basis::Stated | Basis::Persisting)
            }
            Self::Before(now) => {
                period.basis == Basis::Stated
                    && period.interval.to.is_some_and(|to| now.from.is_none_or(|now| to <= now))
            }
        }
    }
}

/// What a claim answers, or why it does not.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// It answers.
    Holds(PeriodBelief),
    /// The opposite does.
    Denied(PeriodBelief),
    /// It is of another time.
    OtherTime,
    /// It is not believed enough, or a rival is believed more.
    Weak,
    /// It does not fit what is asked for.
    Unfit,
}

/// A claim that bears on a question.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) found: Found,
    pub(super) verdict: Verdict,
    /// The id of the entity, or the value, that it gives.
    pub(super) value: String,
    /// The row of the entity.
    pub(super) entity: Option<i64>,
}

/// Judges all claims that fit a reading.
pub(super) fn judge(
    reader: &Reader<'_>,
    question: &Question,
    reading: &Reading,
    when: When,
) -> Result<Vec<Candidate>, StoreError> {
    let literal = !reader.has_entities(&reading.relation);
    // What has a value for ever is not of a time: it was built in 2004 whenever one asks.
    let dated = literal && question.dates.is_empty();
    let when = if dated && !matches!(when, When::AsOf(_)) { When::Any } else { when };
    let when = if literal && holds_dates(reader, &reading.relation) { When::Any } else { when };
    let filter = ClaimFilter {
        subject: reading.subject.as_ref().map(|entity| entity.row),
        object: reading.object.as_ref().map(|entity| entity.row),
        relation: Some(reading.relation.clone()),
        ..ClaimFilter::default()
    };
    let mut candidates = Vec::new();
    for found in reader.find_claims(&filter)? {
        let (value, entity) = asked_end(reader, reading, &found)?;
        let verdict = if fits(reader, question, &found, entity)? {
            verdict(reader, &found, when, question.past)?
        } else {
            Verdict::Unfit
        };
        candidates.push(Candidate { found, verdict, value, entity });
    }
    Ok(candidates)
}

/// Returns what a claim says at the end that is asked for: of two given ends, the object.
fn asked_end(
    reader: &Reader<'_>,
    reading: &Reading,
    found: &Found,
) -> Result<(String, Option<i64>), StoreError> {
    let given = |row: i64| {
        [&reading.subject, &reading.object]
            .iter()
            .any(|end| end.as_ref().is_some_and(|entity| entity.row == row))
    };
    Ok(match &found.object {
        ObjectRow::Literal(value) => (value.clone(), None),
        ObjectRow::Entity(object) if given(*object) && !given(found.subject) => {
            (reader.entity_id(found.subject)?, Some(found.subject))
        }
        ObjectRow::Entity(object) => (reader.entity_id(*object)?, Some(*object)),
    })
}

fn holds_dates(reader: &Reader<'_>, relation: &str) -> bool {
    let relation = reader.ontology.relations.get(relation);
    relation.is_some_and(|relation| relation.dst == Target::Literal(mge_ontology::LiteralKind::Date))
}

/// Tells whether a claim is of what is asked for: the concept after "which", the value in a question for yes or no.
fn fits(
    reader: &Reader<'_>,
    question: &Question,
    found: &Found,
    entity: Option<i64>,
) -> Result<bool, StoreError> {
    if let ObjectRow::Literal(value) = &found.object {
        let names_one = question.wanted == Wanted::Yes
            || (holds_dates(reader, &found.relation) && !question.dates.is_empty());
        return Ok(!names_one || same_value(question, value));
    }
    if question.concepts.is_empty() {
        return Ok(true);
    }
    let Some(entity) = entity.map(|row| reader.snapshot.entity(row)).transpose()?.flatten() else {
        return Ok(false);
    };
    if question.concepts.iter().any(|concept| reader.ontology.descends(&entity.concept, concept)) {
        return Ok(true);
    }
    // Known only as something more general: a sentence that names it may call it so, as "the islands of A and B" does.
    let general = question.concepts.iter().any(|concept| reader.ontology.descends(concept, &entity.concept));
    Ok(general && is_called(reader, question, entity.row)?)
}

/// Tells whether a passage that mentions an entity holds a word for the concept that is asked for.
fn is_called(reader: &Reader<'_>, question: &Question, entity: i64) -> Result<bool, StoreError> {
    const LOOKED_AT: usize = 100;
    let concepts = question.concepts.iter().filter_map(|concept| reader.ontology.concepts.get(concept));
    let names = concepts.flat_map(|concept| {
        let own = concept.id.rsplit('|').next().unwrap_or_default().replace('_', " ");
        std::iter::once(own).chain(concept.aliases.iter().cloned())
    });
    let names: Vec<Vec<String>> =
        names.map(|name| roots(&name).into_iter().map(|(_, root)| root).collect()).collect();
    for mention in reader.snapshot.mentions_of(entity, LOOKED_AT)? {
        let Some(chunk) = reader.snapshot.chunk(mention.chunk)? else { continue };
        let words: Vec<String> = roots(&chunk.text).into_iter().map(|(_, root)| root).collect();
        let called =
            |name: &Vec<String>| !name.is_empty() && words.windows(name.len()).any(|part| part == name);
        if names.iter().any(called) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Tells whether a question names a value: the same date, as far as it is given, or the same number.
fn same_value(question: &Question, value: &str) -> bool {
    if let Ok(date) = Interval::parse(value)
        && question.dates.iter().any(|named| named.overlaps(date))
    {
        return true;
    }
    let number = |text: &str| -> Option<f64> {
        let digits: String = text.chars().filter(|sign| sign.is_ascii_digit() || *sign == '.').collect();
        digits.trim_end_matches('.').parse().ok()
    };
    let head = value.split_whitespace().next().unwrap_or(value);
    let Some(wanted) = number(head) else {
        let folded = mge_core::name_key(value);
        let words: Vec<&str> = question.words.iter().map(|word| word.folded.as_str()).collect();
        return !folded.is_empty() && words.join(" ").contains(&folded);
    };
    let scale = |word: Option<&str>| match word {
        Some("thousand") => 1e3,
        Some("million") => 1e6,
        Some("billion") => 1e9,
        _ => 1.0,
    };
    question.words.iter().enumerate().any(|(position, word)| {
        let next = question.words.get(position + 1).map(|word| word.folded.as_str());
        word.folded.starts_with(|sign: char| sign.is_ascii_digit())
            && number(&word.folded)
                .is_some_and(|given| (given * scale(next) - wanted).abs() < EQUAL * wanted.abs().max(1.0))
    })
}

/// Judges a claim: whether it holds when it has to, is believed enough, and no rival of that time is believed more.
fn verdict(reader: &Reader<'_>, found: &Found, when: When, past: bool) -> Result<Verdict, StoreError> {
    if found.chain.len() > 1 {
        return inferred(reader, found, when, past);
    }
    let claim = &found.claim;
    let weighed = reader.weighed(claim)?;
    let rivals = rivals(reader, claim)?;
    if let When::AsOf(_) = when
        && undated_beside_dated(reader, claim, &rivals, when)?
    {
        return Ok(Verdict::OtherTime);
    }
    let admitted: Vec<&PeriodBelief> = weighed.periods.iter().filter(|period| when.admits(period)).collect();
    if admitted.is_empty() {
        return Ok(Verdict::OtherTime);
    }
    let denied = admitted
        .iter()
        .filter(|period| period.contradiction > period.support && period.disbelief >= reader.floor)
        .max_by(|left, right| left.disbelief.total_cmp(&right.disbelief));
    let mut best: Option<PeriodBelief> = None;
    for period in &admitted {
        let wins = period.belief >= reader.floor && period.support > period.contradiction;
        let is_better = best.is_none_or(|best| period.belief > best.belief + EQUAL);
        if wins && is_better && !is_beaten(reader, period, &rivals, when)? {
            best = Some(**period);
        }
    }
    if let Some(best) = best {
        if let When::Now(_) = when
            && !past
            && only_past(reader, claim)?
        {
            return Ok(Verdict::OtherTime);
        }
        return Ok(Verdict::Holds(best));
    }
    Ok(denied.map_or(Verdict::Weak, |period| Verdict::Denied(**period)))
}

/// A chain holds when each of its claims does.
fn inferred(reader: &Reader<'_>, found: &Found, when: When, past: bool) -> Result<Verdict, StoreError> {
    let mut last = None;
    for claim in &found.chain {
        let link = Found { chain: Vec::new(), claim: claim.clone(), ..found.clone() };
        match verdict(reader, &link, when, past)? {
            Verdict::Holds(period) => last = Some(period),
            Verdict::Denied(_) => return Ok(Verdict::Weak),
            other => return Ok(other),
        }
    }
    let Some(period) = last.filter(|_| found.belief >= reader.floor) else { return Ok(Verdict::Weak) };
    let uncertainty = 1.0 - found.belief;
    Ok(Verdict::Holds(PeriodBelief { belief: found.belief, disbelief: 0.0, uncertainty, ..period }))
}

/// Returns the claims whose values exclude this one's.
fn rivals(reader: &Reader<'_>, claim: &ClaimRow) -> Result<Vec<ClaimRow>, StoreError> {
    let ontology = reader.ontology;
    let mut rivals = if ontology.is_functional(&claim.relation) {
        reader.snapshot.claims_beside(claim)?
    } else if let ObjectRow::Entity(object) = claim.object
        && ontology.is_inverse_functional(&claim.relation)
    {
        reader.snapshot.claims_to(object, Some(&claim.relation), 0, usize::MAX)?
    } else {
        Vec::new()
    };
    rivals.retain(|rival| rival.row != claim.row);
    Ok(rivals)
}

/// Tells whether a rival is believed more in a period.
fn is_beaten(
    reader: &Reader<'_>,
    period: &PeriodBelief,
    rivals: &[ClaimRow],
    when: When,
) -> Result<bool, StoreError> {
    for rival in rivals {
        let weighed = reader.weighed(rival)?;
        let beats = |other: &PeriodBelief| {
            // Only where both are in question: within the time asked for.
            let shared = other.interval.intersect(period.interval);
            let shared = shared.filter(|shared| when.interval().is_none_or(|when| when.overlaps(*shared)));
            shared.is_some() && other.belief > period.belief + EQUAL
        };
        if weighed.periods.iter().any(beats) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Tells whether nothing dates the claim at the asked time, while it or a rival is dated at others: then the undated
/// statement is of one of those.
fn undated_beside_dated(
    reader: &Reader<'_>,
    claim: &ClaimRow,
    rivals: &[ClaimRow],
    when: When,
) -> Result<bool, StoreError> {
    let own = reader.weighed(claim)?;
    let touching = || own.periods.iter().filter(|period| when.admits(period));
    if touching().next().is_none() || touching().any(|period| period.basis != Basis::Undated) {
        return Ok(false);
    }
    if own.periods.iter().any(|period| period.basis != Basis::Undated) {
        return Ok(true);
    }
    for rival in rivals {
        if reader.weighed(rival)?.periods.iter().any(|period| period.basis != Basis::Undated) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Tells whether all that is said for a claim is that it was so once.
fn only_past(reader: &Reader<'_>, claim: &ClaimRow) -> Result<bool, StoreError> {
    if !reader.has_entities(&claim.relation) {
        return Ok(false);
    }
    let evidence = reader.snapshot.evidence_of(claim.row)?;
    let mut affirming = evidence.iter().filter(|piece| piece.stance == Stance::For).peekable();
    Ok(affirming.peek().is_some()
        && affirming.all(|piece| piece.tense == Tense::Past && piece.valid.is_none()))
}

/// Returns the times at which a claim is said to hold, as people write them.
pub(super) fn times(reader: &Reader<'_>, claim: &ClaimRow) -> Result<Vec<String>, StoreError> {
    let evidence = reader.snapshot.evidence_of(claim.row)?;
    let told: BTreeSet<(Option<Moment>, Option<Moment>)> = evidence
        .iter()
        .filter(|piece| piece.stance == Stance::For)
        .filter_map(|piece| piece.valid)
        .map(|valid| (valid.from, valid.to))
        .collect();
    // "since 2015" says less than "from 2015 to 2019".
    let said = |told: &BTreeSet<(Option<Moment>, Option<Moment>)>,
                (from, to): (Option<Moment>, Option<Moment>)| {
        !(to.is_none() && told.iter().any(|other| other.0 == from && other.1.is_some()))
    };
    let times = told
        .iter()
        .filter(|one| said(&told, **one))
        .map(|(from, to)| spoken(Interval { from: *from, to: *to }));
    Ok(times.filter(|text| !text.is_empty()).collect())
}
