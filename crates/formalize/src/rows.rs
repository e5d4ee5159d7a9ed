//! Statements that are laid out rather than written: tables, lists under a lead-in, keys with values.

use std::ops::Range;

use mge_core::{Chunk, Interval, MentionForm, Tense};
use mge_ontology::{LiteralKind, Target};

use crate::context::{Name, Parsed, Slice};
use crate::cues::Frame;
use crate::dates::{TimeKind, find_times};
use crate::lexicon::Lexicon;
use crate::literals::Values;
use crate::places::header_senses;
use crate::relations::{Said, relate};
use crate::scene::{Member, Ment, Scene};
use crate::titles::bare_title;
use crate::tokens::{Token, tokenize};
use crate::words;

/// A claim made from layout: both ends by member, with the tokens of the chunk that name them.
#[derive(Debug, Clone)]
pub(crate) struct Laid {
    pub(crate) link: usize,
    pub(crate) subject: (usize, f64, Option<Range<usize>>),
    pub(crate) object: Filler,
    pub(crate) weight: f64,
    pub(crate) valid: Option<Interval>,
    pub(crate) tense: Tense,
    pub(crate) against: bool,
    /// The sentence that says it, when it is not the whole chunk.
    pub(crate) sentence: Option<Range<usize>>,
}

/// The other end.
#[derive(Debug, Clone)]
pub(crate) enum Filler {
    Member(usize, f64, Option<Range<usize>>),
    Value(String, Option<Range<usize>>),
}

/// What the header of a column, or the key of a value, says: a relation, and on which side the cell stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Column {
    link: usize,
    /// The cell is the subject.
    cell_is_subject: bool,
    weight: f64,
}

/// Finds the relations that a header names.
pub(crate) fn columns(lexicon: &Lexicon, header: &[Token]) -> Vec<Column> {
    let words: Vec<&Token> = header
        .iter()
        .filter(|token| token.is_word() && !token.is(words::DETERMINER | words::POSSESSIVE))
        .filter(|token| !token.is(words::BE))
        .collect();
    let stems: Vec<&str> = words.iter().map(|token| token.stem.as_str()).collect();
    if stems.is_empty() || stems.len() > 6 {
        return Vec::new();
    }
    let mut found: Vec<Column> = Vec::new();
    if let [noun] = stems.as_slice()
        && let Some(verb) = noun.strip_suffix("ion").filter(|verb| verb.len() > 3)
    {
        // "Location" over what is "located in".
        let verbs = lexicon.cues_at(verb).iter().map(|position| &lexicon.cues[*position]);
        found.extend(
            verbs.filter(|cue| cue.frame == Frame::Verb && cue.tail && cue.core() == 1).map(|cue| Column {
                link: cue.link,
                cell_is_subject: cue.reversed,
                weight: 0.8,
            }),
        );
    }
    for start in 0..stems.len() {
        for &position in lexicon.cues_at(stems[start]) {
            let cue = &lexicon.cues[position];
            let core: Vec<&str> = cue.stems[..cue.core()].iter().map(String::as_str).collect();
            let rest = &stems[start..];
            let passive = !cue.by
                && cue.frame == Frame::Verb
                && rest.len() == core.len() + 1
                && words.last().is_some_and(|last| last.lower == "by");
            let rest = if passive { &rest[..core.len()] } else { rest };
            let whole = start == 0
                && (rest == cue.stems.as_slice()
                    || rest == core.as_slice() && cue.frame != Frame::Preposition);
            // "Year founded", "Current director", "Length (m)": the cue is the end or, for values, a part.
            let inside = rest.starts_with(&core)
                && (rest.len() == core.len() || cue.literal.is_some())
                && words[..start].iter().all(|token| !token.is(words::PREPOSITION));
            if !whole && !inside || core.is_empty() {
                continue;
            }
            let cell_left = match cue.frame {
                Frame::Noun { holder_left, .. } => holder_left,
                _ => false,
            };
            let weight = if whole { 1.0 } else { 0.93 } * if cue.curated { 0.9 } else { 0.82 };
            // "Made by" over "makes", "Screenplay" over "screenplay by": the agent of a "by" is in the cell.
            let turned = passive && !cue.by || cue.by && matches!(cue.frame, Frame::Noun { .. });
            let column = Column {
                link: cue.link,
                cell_is_subject: (cell_left != cue.reversed) != turned && cue.literal.is_none(),
                weight,
            };
            match found
                .iter_mut()
                .find(|known| known.link == column.link && known.cell_is_subject == column.cell_is_subject)
            {
                Some(known) => known.weight = known.weight.max(column.weight),
                None => found.push(column),
            }
        }
    }
    found
}

/// Times of a row: of columns that are headed by one, and of the cell itself.
fn row_time(
    scene: &Scene<'_>,
    chunk: &Chunk,
    parsed: &Parsed,
    reference: Option<Interval>,
) -> Option<Interval> {
    let (mut from, mut to) = (None, None);
    let mut any = false;
    for (cell, range) in chunk.cells.iter().zip(&parsed.sentences) {
        let header = cell.header.as_str().trim().to_lowercase();
        let header = bare_title(&header);
        if !words::TIME_HEADERS.contains(&header) {
            continue;
        }
        let Some(text) = scene.span(range.clone()).slice(scene.text) else { continue };
        let times = find_times(text, reference);
        let Some(first) = times.first() else { continue };
        any = true;
        match header {
            "since" | "from" | "start" | "started" | "began" => from = from.or(first.valid.from),
            "until" | "to" | "till" | "end" | "ended" => to = to.or(first.valid.to),
            _ => {
                from = from.or(first.valid.from);
                to = to.or(times.last().and_then(|last| last.valid.to));
            }
        }
    }
    if any { Interval::new(from, to) } else { None }
}

fn cell_time(scene: &Scene<'_>, range: &Range<usize>, reference: Option<Interval>) -> Option<Interval> {
    let text = scene.span(range.clone()).slice(scene.text)?;
    find_times(text, reference).first().map(|time| time.valid)
}

/// Reads a row of a table.
pub(crate) fn row(
    scene: &Scene<'_>,
    chunk: &Chunk,
    parsed: &Parsed,
    slice: &Slice,
    values: &Values,
    reference: Option<Interval>,
) -> Vec<Laid> {
    let lexicon = scene.lexicon;
    let named: Vec<Vec<usize>> =
        parsed.sentences.iter().map(|range| scene.ments_in(range).collect()).collect();
    let headers: Vec<Vec<Token>> =
        chunk.cells.iter().map(|cell| tokenize(bare_title(cell.header.as_str()))).collect();
    let time = row_time(scene, chunk, parsed, reference);
    // The row's own entity: the first column that names one.
    let key = (0..named.len())
        .find(|column| !named[*column].is_empty() && !is_time_header(chunk.cells[*column].header.as_str()));
    let mut laid = Vec::new();
    if let (Some(topic), [first, second]) = (slice.topic, parsed.sentences.as_slice())
        && columns(lexicon, &headers[1]).is_empty()
    {
        // "Seat | Oslo": a row of keys and values tells of what the heading names.
        let owner = (topic, 0.95, None);
        let relations = columns(lexicon, &scene.tokens[first.clone()]);
        fill(scene, &relations, &owner, &named[1], second, values, time, &mut laid);
        let senses = lexicon.phrase_before(scene.tokens, first.start, first.end);
        if laid.is_empty()
            && named[0].is_empty()
            && let Some((_, senses)) = senses
        {
            let suits = |ment: &usize| {
                senses
                    .iter()
                    .any(|sense| scene.can_be(scene.ments[*ment].who, &lexicon.kinds[sense.concept].id))
            };
            let cell: Vec<usize> = named[1].iter().copied().filter(suits).collect();
            join_topic(scene, topic, &cell, &mut laid);
        }
        if !laid.is_empty() {
            return laid;
        }
    }
    for column in 0..chunk.cells.len() {
        if headers[column].is_empty() || is_time_header(chunk.cells[column].header.as_str()) {
            continue;
        }
        let range = &parsed.sentences[column];
        let relations = columns(lexicon, &headers[column]);
        let before = laid.len();
        let own_time = time.or_else(|| cell_time(scene, range, reference));
        if Some(column) != key
            && let Some(key) = key
        {
            for &owner in &named[key] {
                let ment = &scene.ments[owner];
                let owner = (ment.who, ment.identity, Some(ment.start..ment.end));
                fill(scene, &relations, &owner, &named[column], range, values, own_time, &mut laid);
            }
            // A header that is only a concept, when one relation alone joins the two.
            if laid.len() == before
                && relations.is_empty()
                && header_senses(lexicon, chunk.cells[column].header.as_str()).is_some()
            {
                join_by_type(scene, &named[key], &named[column], own_time, &mut laid);
            }
        }
        // A row that names a thing of its own, known or not, tells nothing of what the heading names.
        let foreign = key.is_none_or(|key| key > 0)
            && columns(lexicon, &headers[0]).is_empty()
            && !is_time_header(chunk.cells[0].header.as_str())
            && parsed.sentences[0].clone().any(|position| scene.tokens[position].is_capital());
        if laid.len() == before
            && !foreign
            && let Some(topic) = slice.topic
            && !(key.is_some_and(|key| named[key].iter().any(|ment| scene.ments[*ment].who == topic)))
        {
            fill(scene, &relations, &(topic, 0.95, None), &named[column], range, values, own_time, &mut laid);
        }
    }
    laid
}

/// Tells what the headers of a table want its cells to be: members and the ids of concepts.
pub(crate) fn wanted(
    scene: &Scene<'_>,
    chunk: &Chunk,
    parsed: &Parsed,
    topic: Option<usize>,
) -> Vec<(usize, String)> {
    let lexicon = scene.lexicon;
    let named: Vec<Vec<usize>> =
        parsed.sentences.iter().map(|range| scene.ments_in(range).collect()).collect();
    let key = (0..named.len())
        .find(|column| !named[*column].is_empty() && !is_time_header(chunk.cells[*column].header.as_str()));
    let fits = |who: usize, wanted: &str| {
        scene.cast[who].concept.is_none_or(|concept| lexicon.descends(concept, wanted))
    };
    let mut found = Vec::new();
    for column in 0..chunk.cells.len() {
        let relations = columns(lexicon, &tokenize(bare_title(chunk.cells[column].header.as_str())));
        let owners: Vec<usize> = match key {
            Some(key) if key != column => named[key].iter().map(|ment| scene.ments[*ment].who).collect(),
            _ => topic.into_iter().collect(),
        };
        for relation in relations {
            let link = &lexicon.links[relation.link];
            let (owner_side, cell_side) = match &link.dst {
                Target::Concept(dst) if relation.cell_is_subject => (dst.as_str(), Some(link.src.as_str())),
                Target::Concept(dst) => (link.src.as_str(), Some(dst.as_str())),
                Target::Literal(_) => (link.src.as_str(), None),
            };
            for &owner in &owners {
                if !fits(owner, owner_side) {
                    continue;
                }
                let cell: Vec<usize> = named[column].iter().map(|ment| scene.ments[*ment].who).collect();
                let Some(cell_side) = cell_side else { continue };
                if cell.iter().any(|who| !fits(*who, cell_side)) || cell.is_empty() {
                    continue;
                }
                found.extend(cell.iter().map(|who| (*who, cell_side.to_owned())));
                found.push((owner, owner_side.to_owned()));
            }
        }
    }
    found
}

fn is_time_header(header: &str) -> bool {
    let header = header.trim().to_lowercase();
    words::TIME_HEADERS.contains(&bare_title(&header))
}

/// Makes the claims of one cell.
#[expect(
    clippy::too_many_arguments,
    reason = "a cell has that many sides, and a struct for one call would hide them"
)]
fn fill(
    scene: &Scene<'_>,
    relations: &[Column],
    owner: &(usize, f64, Option<Range<usize>>),
    cell: &[usize],
    range: &Range<usize>,
    values: &Values,
    valid: Option<Interval>,
    laid: &mut Vec<Laid>,
) {
    let lexicon = scene.lexicon;
    let fits = |who: usize, wanted: &str| scene.can_be(who, wanted);
    for column in relations {
        let link = &lexicon.links[column.link];
        match &link.dst {
            Target::Literal(kind) => {
                if !fits(owner.0, &link.src) {
                    continue;
                }
                let Some((value, tokens)) = cell_value(scene, range, *kind, values) else { continue };
                laid.push(Laid {
                    link: column.link,
                    subject: owner.clone(),
                    object: Filler::Value(value, Some(tokens)),
                    weight: column.weight,
                    valid: if *kind == LiteralKind::Date { None } else { valid },
                    tense: Tense::Unknown,
                    against: false,
                    sentence: None,
                });
            }
            Target::Concept(dst) => {
                for &ment in cell {
                    let ment = &scene.ments[ment];
                    if ment.who == owner.0 {
                        continue;
                    }
                    let other = (ment.who, ment.identity, Some(ment.start..ment.end));
                    let (subject, object) =
                        if column.cell_is_subject { (other, owner.clone()) } else { (owner.clone(), other) };
                    if !fits(subject.0, &link.src) || !fits(object.0, dst) {
                        continue;
                    }
                    laid.push(Laid {
                        link: column.link,
                        subject,
                        object: Filler::Member(object.0, object.1, object.2),
                        weight: column.weight,
                        valid,
                        tense: Tense::Unknown,
                        against: false,
                        sentence: None,
                    });
                }
            }
        }
    }
}

/// The whole value of a cell, of the kind that is wanted.
fn cell_value(
    scene: &Scene<'_>,
    range: &Range<usize>,
    kind: LiteralKind,
    values: &Values,
) -> Option<(String, Range<usize>)> {
    let text = scene.span(range.clone()).slice(scene.text)?.trim();
    if text.is_empty() || matches!(text, "–" | "—" | "-" | "?" | "n/a" | "N/A" | "none" | "unknown") {
        return None;
    }
    match kind {
        LiteralKind::Text => Some((text.trim_end_matches('.').to_owned(), range.clone())),
        LiteralKind::Boolean => match text.to_lowercase().as_str() {
            "yes" | "true" | "y" | "x" | "✓" | "✔" => Some(("true".to_owned(), range.clone())),
            "no" | "false" => Some(("false".to_owned(), range.clone())),
            _ => None,
        },
        _ => range.clone().find_map(|position| values.first_at(position, kind)),
    }
}

/// A value of a key that is only a concept, when one relation alone joins it with what the heading names.
fn join_topic(scene: &Scene<'_>, topic: usize, cell: &[usize], laid: &mut Vec<Laid>) {
    for &ment in cell {
        let ment = &scene.ments[ment];
        let (Some(first), Some(second)) = (scene.cast[topic].concept, scene.cast[ment.who].concept) else {
            continue;
        };
        let links = scene.lexicon.links_between(first, second);
        let [(link, forward)] = links.as_slice() else { continue };
        let (whole, part) = ((topic, 0.95, None), (ment.who, ment.identity, Some(ment.start..ment.end)));
        let (subject, object) = if *forward { (whole, part) } else { (part, whole) };
        laid.push(Laid {
            link: *link,
            subject,
            object: Filler::Member(object.0, object.1, object.2),
            weight: 0.7,
            valid: None,
            tense: Tense::Unknown,
            against: false,
            sentence: None,
        });
    }
}

/// Two columns that one relation alone can join.
fn join_by_type(
    scene: &Scene<'_>,
    left: &[usize],
    right: &[usize],
    valid: Option<Interval>,
    laid: &mut Vec<Laid>,
) {
    for &one in left {
        for &other in right {
            let (one, other) = (&scene.ments[one], &scene.ments[other]);
            if one.who == other.who {
                continue;
            }
            let (Some(first), Some(second)) = (scene.cast[one.who].concept, scene.cast[other.who].concept)
            else {
                continue;
            };
            let links = scene.lexicon.links_between(first, second);
            let [(link, forward)] = links.as_slice() else { continue };
            let end = |ment: &Ment| (ment.who, ment.identity, Some(ment.start..ment.end));
            let (subject, object) = if *forward { (end(one), end(other)) } else { (end(other), end(one)) };
            laid.push(Laid {
                link: *link,
                subject,
                object: Filler::Member(object.0, object.1, object.2),
                weight: 0.7,
                valid,
                tense: Tense::Unknown,
                against: false,
                sentence: None,
            });
        }
    }
}

/// Reads "Director: Elena Ruiz" below a heading that names the entity.
pub(crate) fn key_value(
    scene: &Scene<'_>,
    parsed: &Parsed,
    slice: &Slice,
    values: &Values,
    reference: Option<Interval>,
) -> Vec<Laid> {
    let Some(topic) = slice.topic else { return Vec::new() };
    let mut laid = Vec::new();
    let tokens = scene.tokens;
    for sentence in &parsed.sentences {
        // Several pairs may stand in one sentence, when lines were joined.
        let colons: Vec<usize> = sentence
            .clone()
            .filter(|position| {
                tokens[*position].is_sign(":")
                    && !(*position + 1 < sentence.end && !tokens[*position + 1].spaced)
            })
            .collect();
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for (order, &colon) in colons.iter().enumerate() {
            let floor = if order == 0 { sentence.start } else { colons[order - 1] + 1 };
            let start = if order == 0 {
                floor
            } else {
                // The key of a later pair: the capitalised words right before its colon.
                match (floor..colon).rev().find(|position| tokens[*position].is_capital()) {
                    Some(start) => start,
                    None => continue,
                }
            };
            if colon - start <= 5 && colon > start {
                starts.push((start, colon));
            }
        }
        for (order, &(start, colon)) in starts.iter().enumerate() {
            let end = starts.get(order + 1).map_or(sentence.end, |next| next.0);
            let range = colon + 1..end;
            if range.is_empty() || scene.ment_at(start).is_some() && !scene.open {
                continue;
            }
            let relations = columns(scene.lexicon, &tokens[start..colon]);
            if relations.is_empty() {
                continue;
            }
            let mut cell: Vec<usize> = Vec::new();
            let first = scene.ments_in(&range).next();
            if let Some(first) = first.filter(|first| scene.ments[*first].start <= range.start + 3) {
                cell = scene.group_right(&range, first, None);
            }
            let value = trimmed(scene, &range);
            let valid = cell_time(scene, &range, reference);
            let before = laid.len();
            fill(scene, &relations, &(topic, 0.95, None), &cell, &value, values, valid, &mut laid);
            laid[before..].iter_mut().for_each(|claim| claim.sentence = Some(sentence.clone()));
        }
    }
    laid
}

/// A range without the full stop at its end.
fn trimmed(scene: &Scene<'_>, range: &Range<usize>) -> Range<usize> {
    let mut end = range.end;
    while end > range.start && matches!(scene.tokens[end - 1].lower.as_str(), "." | ";" | ",") {
        end -= 1;
    }
    range.start..end
}

/// Reads a list item, or a row, as the end of its lead-in: "The following people work on X:" and "Elena Ruiz".
#[expect(
    clippy::too_many_arguments,
    reason = "the lead-in and the item each bring their own text, tokens and names"
)]
pub(crate) fn under_lead_in(
    lexicon: &Lexicon,
    lead_text: &str,
    lead: &Parsed,
    lead_names: &[Name],
    cast: &[Member],
    items: &[(usize, f64, Range<usize>)],
    item_time: Option<Interval>,
    reference: Option<Interval>,
) -> Vec<Laid> {
    let Some(sentence) = lead.sentences.last().cloned() else { return Vec::new() };
    if items.is_empty() {
        return Vec::new();
    }
    let tokens = &lead.tokens;
    // Where the items stand in the sentence: a plural without a name, or the colon at its end.
    let mut places: Vec<Range<usize>> = Vec::new();
    for position in sentence.clone() {
        let opens = tokens[position].lower == "following"
            || matches!(
                tokens[position].lower.as_str(),
                "these"
                    | "those"
                    | "two"
                    | "three"
                    | "four"
                    | "five"
                    | "six"
                    | "seven"
                    | "eight"
                    | "nine"
                    | "ten"
                    | "several"
            );
        if !opens {
            continue;
        }
        let mut end = position + 1;
        while end < sentence.end
            && tokens[end].is_word()
            && end - position < 4
            && !tokens[end].is(words::PREPOSITION | words::AUXILIARY | words::RELATIVE)
        {
            end += 1;
            if tokens[end - 1].lower.ends_with('s')
                || matches!(tokens[end - 1].lower.as_str(), "people" | "men" | "women")
            {
                break;
            }
        }
        let start = if position > sentence.start && tokens[position - 1].is(words::DETERMINER) {
            position - 1
        } else {
            position
        };
        if end > position + 1 || tokens[position].lower == "following" {
            places.push(start..end);
        }
    }
    if let Some(colon) = sentence.clone().rev().take(2).find(|position| tokens[*position].is_sign(":")) {
        places.push(colon..colon + 1);
    }
    let mut laid = Vec::new();
    for place in places {
        for (who, identity, range) in items {
            let mut scene = Scene::new(lead_text, tokens, lexicon, cast);
            let times = crate::rules::mark_times(&mut scene, lead_text, reference);
            let item = Name {
                start: place.start,
                end: place.end,
                who: *who,
                form: MentionForm::Full,
                identity: *identity,
            };
            let mut names: Vec<Name> = lead_names
                .iter()
                .filter(|name| name.end <= place.start || place.end <= name.start)
                .cloned()
                .chain([item])
                .collect();
            names.sort_by_key(|name| name.start);
            let slice = Slice { names, cast: cast.to_vec(), ..Slice::default() };
            crate::coref::assemble(&mut scene, &lead.sentences, &slice, true);
            let Some(mark) = scene.ment_at(place.start) else { continue };
            let values = Values::default();
            let drafts = relate(&scene, &sentence, &values);
            for draft in &drafts {
                let Said::Ment(object) = draft.object else { continue };
                if draft.subject != mark && object != mark {
                    continue;
                }
                let Some(sense) = crate::stance::sense_of(&scene, draft, &times, &drafts, reference) else {
                    continue;
                };
                let end = |ment: usize| {
                    let found = &scene.ments[ment];
                    (found.who, found.identity, (ment == mark).then(|| range.clone()))
                };
                let object = end(object);
                laid.push(Laid {
                    link: draft.link,
                    subject: end(draft.subject),
                    object: Filler::Member(object.0, object.1, object.2),
                    weight: draft.weight * sense.weight * 0.97,
                    valid: item_time.or(sense.valid),
                    tense: sense.tense,
                    against: sense.stance == mge_core::Stance::Against,
                    sentence: None,
                });
            }
        }
        if !laid.is_empty() {
            break;
        }
    }
    laid
}

/// The time that an item gives its own entity: "Elena Ruiz (2012–2017)", "Elena Ruiz, since 2019".
pub(crate) fn item_time(scene: &Scene<'_>, from: usize, reference: Option<Interval>) -> Option<Interval> {
    let end = scene.tokens.len();
    let rest = from..end;
    if rest.is_empty() || rest.len() > 14 {
        return None;
    }
    let text = scene.span(rest).slice(scene.text)?;
    let times = find_times(text, reference);
    let first = times.first()?;
    let joined = times.iter().skip(1).try_fold(first.valid, |known, time| known.intersect(time.valid));
    match first.kind {
        TimeKind::Point if times.len() > 1 => Some(first.valid),
        _ => joined.or(Some(first.valid)),
    }
}
