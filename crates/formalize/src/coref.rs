//! Pronouns and "the institute": what they stand for within a chunk.

use std::ops::Range;

use crate::context::Slice;
use crate::names::is_compound;
use crate::scene::{Gender, Ment, Scene};
use crate::tokens::Shape;
use crate::words;

/// How sure it is that a pronoun means what it is resolved to.
const PRONOUN: f64 = 0.7;
/// The same of a definite description.
const DEFINITE: f64 = 0.8;
/// How many sentences back a description looks.
const MEMORY: usize = 40;
/// How many sentences back a pronoun looks.
const BACK: usize = 2;

/// What was named in a sentence, for later pronouns.
#[derive(Debug, Default, Clone)]
struct Told {
    /// The members in order, each once.
    members: Vec<usize>,
    /// The member that the sentence is about.
    subject: Option<usize>,
}

/// Fills a scene with the names that the slice found, and with what refers to them.
pub(crate) fn assemble(scene: &mut Scene<'_>, sentences: &[Range<usize>], slice: &Slice, resolve: bool) {
    let mut names = slice.names.iter().peekable();
    let mut told: Vec<Told> = Vec::new();
    for sentence in sentences {
        let first = scene.ments.len();
        while let Some(name) = names.peek() {
            if name.start >= sentence.end {
                break;
            }
            let ment = Ment {
                start: name.start,
                end: name.end,
                name_end: name.end,
                np: name.start,
                who: name.who,
                form: name.form,
                identity: name.identity,
                possessive: false,
                modifies: false,
            };
            scene.add(ment, sentence.start);
            names.next();
        }
        scene.finish_from(first);
        if resolve {
            references(scene, sentence, slice, &told, first);
        }
        told.push(tell(scene, sentence));
        if told.len() > MEMORY {
            told.remove(0);
        }
    }
}

/// Notes what a sentence named.
fn tell(scene: &Scene<'_>, sentence: &Range<usize>) -> Told {
    let mut told = Told::default();
    for position in scene.ments_in(sentence) {
        let ment = &scene.ments[position];
        if ment.modifies {
            continue;
        }
        if !told.members.contains(&ment.who) {
            told.members.push(ment.who);
        }
        let hangs = ment.np > sentence.start
            && scene.tokens[ment.np - 1].is(words::PREPOSITION)
            && scene.tokens[ment.np - 1].lower != "by";
        let verb_before = (sentence.start..ment.np).any(|token| scene.is_verb(token));
        if told.subject.is_none() && !hangs && !ment.possessive && !verb_before {
            told.subject = Some(ment.who);
        }
    }
    told
}

fn references(scene: &mut Scene<'_>, sentence: &Range<usize>, slice: &Slice, told: &[Told], first: usize) {
    let mut position = sentence.start;
    while position < sentence.end {
        if let Some(found) = scene.ment_at(position) {
            position = scene.ments[found].end;
            continue;
        }
        let token = &scene.tokens[position];
        if matches!(token.lower.as_str(), "his" | "her" | "their")
            && owns_body(scene, position)
            && let Some(ment) = definite(scene, sentence, slice, told, position)
        {
            position = ment.end;
            scene.add(ment, sentence.start);
            scene.finish_from(first);
            continue;
        }
        let token = &scene.tokens[position];
        if token.is(words::PERSONAL | words::POSSESSIVE) {
            if let Some(ment) = pronoun(scene, sentence, slice, told, position) {
                // "his" said of somebody: "her" is somebody else from here on.
                let shown = match scene.tokens[position].lower.as_str() {
                    "he" | "him" | "his" => Some(Gender::Male),
                    "she" | "her" => Some(Gender::Female),
                    _ => None,
                };
                if scene.is_person(ment.who) {
                    scene.genders[ment.who] = scene.genders[ment.who].or(shown);
                }
                scene.add(ment, sentence.start);
                scene.finish_from(first);
            }
        } else if token.is(words::DETERMINER)
            && matches!(token.lower.as_str(), "the" | "this" | "that")
            && let Some(ment) = definite(scene, sentence, slice, told, position)
        {
            position = ment.end;
            scene.add(ment, sentence.start);
            scene.finish_from(first);
            continue;
        }
        position += 1;
    }
}

/// "her company", "their school": the body that was named is meant.
fn owns_body(scene: &Scene<'_>, position: usize) -> bool {
    scene.tokens.get(position + 1).is_some_and(|noun| noun.shape == Shape::Lower)
        && scene.lexicon.phrase_at(scene.tokens, position + 1).is_some_and(|(length, senses)| {
            length == 1 && senses.iter().any(|sense| scene.lexicon.kinds[sense.concept].collective)
        })
}

/// What a pronoun asks of its antecedent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Person(Option<Gender>),
    Thing,
    /// "she" of a ship.
    Ship,
}

fn pronoun(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    slice: &Slice,
    told: &[Told],
    position: usize,
) -> Option<Ment> {
    let (asked, possessive) = match scene.tokens[position].lower.as_str() {
        "he" | "him" => (Asked::Person(Some(Gender::Male)), false),
        "his" => (Asked::Person(Some(Gender::Male)), true),
        "she" => (Asked::Person(Some(Gender::Female)), false),
        "her" => {
            let next = scene.tokens.get(position + 1).filter(|_| position + 1 < sentence.end);
            let noun = next.is_some_and(|next| {
                next.is_word() && !next.is(words::PREPOSITION | words::AND | words::DETERMINER)
            });
            (Asked::Person(Some(Gender::Female)), noun)
        }
        "it" => (Asked::Thing, false),
        "its" => (Asked::Thing, true),
        "whose" => return whose(scene, sentence, position),
        "we" | "us" | "our" => return speaker(scene, sentence, slice, position),
        _ => return None,
    };
    let who = antecedent(scene, sentence, slice, told, position, asked).or_else(|| {
        let female = asked == Asked::Person(Some(Gender::Female));
        female.then(|| antecedent(scene, sentence, slice, told, position, Asked::Ship))?
    })?;
    Some(Ment::reference(position..position + 1, who, PRONOUN, possessive))
}

/// "We", said by the body that the document speaks for; in a quotation it is somebody else.
fn speaker(scene: &Scene<'_>, sentence: &Range<usize>, slice: &Slice, position: usize) -> Option<Ment> {
    let who = slice.speaker?;
    let quoted = scene.tokens[sentence.start..position]
        .iter()
        .any(|token| matches!(token.lower.as_str(), "\"" | "“" | "«"));
    let possessive = scene.tokens[position].lower == "our";
    (!quoted).then(|| Ment::reference(position..position + 1, who, PRONOUN, possessive))
}

/// "X, whose director is Y": the antecedent stands right before.
fn whose(scene: &Scene<'_>, sentence: &Range<usize>, position: usize) -> Option<Ment> {
    let mut end = position;
    if end > sentence.start && scene.tokens[end - 1].is_sign(",") {
        end -= 1;
    }
    let found = scene.ment_ending(end).or_else(|| described(scene, sentence, end))?;
    let found = &scene.ments[found];
    Some(Ment::reference(position..position + 1, found.who, found.identity * 0.95, true))
}

/// "X, a club of 340 members, whose": what the noun phrase that ends here describes.
fn described(scene: &Scene<'_>, sentence: &Range<usize>, end: usize) -> Option<usize> {
    let mut end = end;
    for _ in 0..3 {
        let noun = end.checked_sub(1).filter(|noun| *noun >= sentence.start)?;
        if scene.tokens[noun].shape != Shape::Lower {
            return None;
        }
        let np = scene.phrase_start(sentence.start, noun);
        let before = np.checked_sub(1).filter(|before| *before >= sentence.start)?;
        match scene.tokens[before].lower.as_str() {
            "," => return scene.ment_ending(before),
            "of" | "with" => end = before,
            _ => return None,
        }
    }
    None
}

fn suits(scene: &Scene<'_>, who: usize, asked: Asked) -> bool {
    let member = &scene.cast[who];
    let Some(concept) = member.concept else {
        // While types are looked for: a name of two words or more may be the person that "she" is, and what always
        // has an article the thing that "it" is.
        return match asked {
            Asked::Person(_) => !member.thing && (2..=4).contains(&member.name.split(' ').count()),
            Asked::Thing => member.thing,
            Asked::Ship => false,
        };
    };
    let personal = scene.lexicon.kinds[concept].personal;
    match asked {
        Asked::Person(gender) => {
            let known = scene.genders[who];
            personal && (known.is_none() || gender.is_none() || known == gender)
        }
        Asked::Thing => !personal,
        Asked::Ship => !personal && is_ship(&scene.lexicon.kinds[concept].id),
    }
}

/// Tells whether a level of a concept's id is a kind of ship.
fn is_ship(concept: &str) -> bool {
    concept.split(['|', '_']).any(|word| {
        matches!(
            word,
            "ship"
                | "vessel"
                | "boat"
                | "ferry"
                | "yacht"
                | "craft"
                | "schooner"
                | "submarine"
                | "trawler"
                | "steamer"
        )
    })
}

fn antecedent(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    slice: &Slice,
    told: &[Told],
    position: usize,
    asked: Asked,
) -> Option<usize> {
    // Within the sentence: what was named before, the subject first.
    let mut before: Vec<usize> = Vec::new();
    for ment in &scene.ments[scene.ments_in(sentence)] {
        if ment.end <= position
            && !ment.modifies
            && suits(scene, ment.who, asked)
            && !before.contains(&ment.who)
        {
            before.push(ment.who);
        }
    }
    match before.as_slice() {
        [] => {}
        [only] => return Some(*only),
        [first, rest @ ..] => {
            // Two or more: the subject of the sentence, when it is one of them.
            let so_far = tell(scene, &(sentence.start..position));
            let subject = so_far.subject.filter(|subject| subject == first)?;
            let marked =
                matches!(asked, Asked::Person(Some(gender)) if scene.genders[subject] == Some(gender));
            let rivals = rest.iter().filter(|rival| suits(scene, **rival, asked)).count();
            return (marked || rivals <= 1 || matches!(asked, Asked::Thing | Asked::Ship)).then_some(subject);
        }
    }
    for sentence in told.iter().rev().take(BACK) {
        let mut fitting: Vec<usize> =
            sentence.members.iter().copied().filter(|member| suits(scene, *member, asked)).collect();
        if asked == Asked::Thing {
            // What has no type yet is "it" only as the subject, where nothing better is.
            let typed = |member: usize| scene.cast[member].concept.is_some();
            let any = fitting.iter().any(|member| typed(*member));
            fitting.retain(|member| typed(*member) || !any && sentence.subject == Some(*member));
        }
        match fitting.as_slice() {
            [] => continue,
            [only] => return Some(*only),
            many => {
                if let Some(subject) = sentence.subject.filter(|subject| many.contains(subject)) {
                    return Some(subject);
                }
                return slice.topic.filter(|topic| many.contains(topic));
            }
        }
    }
    slice.topic.filter(|topic| suits(scene, *topic, asked) && told.len() <= BACK)
}

/// "the institute", "the harbour master": the nearest member that the noun fits.
fn definite(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    slice: &Slice,
    told: &[Told],
    the: usize,
) -> Option<Ment> {
    if scene.tokens.get(the + 1).is_some_and(|next| next.is(words::DETERMINER | words::POSSESSIVE)) {
        // "that the ferry", "that a ferry": the description begins later, or is none.
        return None;
    }
    // The phrase: at most two adjectives, then the noun.
    let mut end = the + 1;
    while end < sentence.end && end - the <= 4 {
        let token = &scene.tokens[end];
        let described = token.shape == Shape::Lower || is_compound(token);
        if !described || scene.ment_at(end).is_some() || !scene.is_premodifier(end) {
            break;
        }
        end += 1;
    }
    if end == the + 1 {
        return None;
    }
    let noun = &scene.tokens[end - 1];
    if noun.lower.ends_with('s') && noun.lower != noun.stem && !words::is_plural_noun(&noun.stem) {
        return None;
    }
    // A name, an "of" or a relative clause after it makes it the description of something else.
    let next = scene.tokens.get(end).filter(|_| end < sentence.end);
    if scene.ment_at(end).is_some()
        || next.is_some_and(|next| {
            matches!(
                next.lower.as_str(),
                "of" | "for" | "from" | "that" | "which" | "who" | "whose" | "called" | "named"
            ) || next.is_capital()
                || matches!(next.lower.as_str(), "“" | "\"" | "«")
        })
    {
        return None;
    }
    let ordinal = scene.tokens[the + 1..end].iter().any(|token| {
        token.is(words::ORDINAL) && !matches!(token.lower.as_str(), "new" | "present" | "current")
            || token.is(words::FORMER)
    });
    if ordinal {
        return None;
    }
    let senses = scene.lexicon.phrase_before(scene.tokens, the + 1, end).map(|(_, senses)| senses);
    let fits = |who: usize| {
        let member = &scene.cast[who];
        let Some(concept) = member.concept else { return false };
        member.heads.contains(&noun.stem)
            || senses.is_some_and(|senses| {
                senses
                    .iter()
                    .any(|sense| scene.lexicon.descends(concept, &scene.lexicon.kinds[sense.concept].id))
            })
    };
    let make = |who: usize, identity: f64| Ment::reference(the..end, who, identity, false);
    let mut before: Vec<usize> = Vec::new();
    for ment in scene.ments[scene.ments_in(sentence)].iter().rev() {
        if ment.end <= the && fits(ment.who) && !before.contains(&ment.who) {
            before.push(ment.who);
        }
    }
    for sentence in told.iter().rev() {
        if before.is_empty() {
            before.extend(sentence.members.iter().copied().filter(|member| fits(*member)));
            if let Some(subject) =
                sentence.subject.filter(|subject| before.len() > 1 && before.contains(subject))
            {
                return Some(make(subject, DEFINITE * 0.9));
            }
        }
    }
    match before.as_slice() {
        [only] => return Some(make(*only, DEFINITE)),
        [_, ..] => return None,
        [] => {}
    }
    // "The engineer", of one who is known to be a person: the only one of the nearest sentence.
    let may = |who: usize| {
        scene.cast[who].concept.is_some_and(|concept| {
            let kind = &scene.lexicon.kinds[concept];
            kind.personal
                && senses.is_some_and(|senses| {
                    senses.iter().any(|sense| scene.lexicon.descends(sense.concept, &kind.id))
                })
        })
    };
    let near = told.iter().rev().take(BACK).find_map(|told| {
        let mut found = told.members.iter().copied().filter(|member| may(*member));
        let first = found.next()?;
        Some(found.next().is_none().then_some(first))
    });
    if let Some(only) = near.flatten() {
        return Some(make(only, DEFINITE * 0.9));
    }
    // While types are looked for: "the job" may be the only thing without a type that the nearest sentence named.
    if scene.open && senses.is_some() {
        let thing = |who: usize| {
            let member = &scene.cast[who];
            member.concept.is_none() && member.thing && !member.soft
        };
        let near = told.iter().rev().take(BACK).find_map(|told| {
            let mut found = told.members.iter().copied().filter(|member| thing(*member));
            let first = found.next()?;
            Some(found.next().is_none().then_some(first))
        });
        if let Some(only) = near.flatten() {
            return Some(make(only, DEFINITE * 0.8));
        }
    }
    // "the old ferry", "the other ferry": told from one that another paragraph named.
    let contrast = scene.tokens[the + 1..end].iter().any(|token| {
        matches!(
            token.lower.as_str(),
            "old" | "new" | "other" | "second" | "same" | "next" | "previous" | "original"
        )
    });
    if contrast {
        return None;
    }
    if let Some(topic) = slice.topic.filter(|topic| fits(*topic)) {
        return Some(make(topic, DEFINITE));
    }
    let mut fitting = slice.incoming.iter().copied().filter(|member| fits(*member));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(make(only, DEFINITE * 0.93)),
        _ => None,
    }
}
