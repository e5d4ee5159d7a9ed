//! What a name is: evidence from its own words, from apposition, copula, titles.

use std::ops::Range;

use crate::genders::gender_of;
use crate::lexicon::{Lexicon, Sense};
use crate::names::Candidate;
use crate::scene::Gender;
use crate::tokens::{Shape, Token};
use crate::words;

/// A piece of evidence for the concept of a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clue {
    pub(crate) concept: usize,
    pub(crate) weight: f64,
    /// The name itself says it, by one of its words.
    pub(crate) own: bool,
}

impl Clue {
    pub(crate) fn told(concept: usize, weight: f64) -> Self {
        Self { concept, weight, own: false }
    }
}

/// From which weight on a clue is a statement.
pub(crate) const TOLD: f64 = 0.84;

/// What an occurrence of a name tells.
#[derive(Debug, Default, Clone)]
pub(crate) struct Clues {
    pub(crate) concepts: Vec<Clue>,
    pub(crate) gender: Option<Gender>,
    /// Nouns said of it, for "the institute".
    pub(crate) heads: Vec<String>,
}

impl Clues {
    fn add(&mut self, senses: &[Sense], weight: f64, filter: impl Fn(&Sense) -> bool) {
        for (position, sense) in senses.iter().filter(|sense| filter(sense)).enumerate() {
            // Further senses of the same word weigh a little less: the first is the plainest.
            let weight = weight * sense.weight * if position == 0 { 1.0 } else { 0.6 };
            self.concepts.push(Clue::told(sense.concept, weight));
        }
    }
}

/// Gathers what the surroundings of a candidate tell of it.
pub(crate) fn clues(
    tokens: &[Token],
    sentence: &Range<usize>,
    candidate: &Candidate,
    lexicon: &Lexicon,
) -> Clues {
    let mut clues = Clues::default();
    own_words(tokens, candidate.start..candidate.end, lexicon, &mut clues);
    clues.concepts.iter_mut().for_each(|clue| clue.own = true);
    titles(tokens, candidate, lexicon, &mut clues);
    before(tokens, sentence, candidate, lexicon, &mut clues);
    after(tokens, sentence, candidate, lexicon, &mut clues);
    clues
}

/// The head of the name itself: "Lake Elsa", "University of X", "X Institute".
pub(crate) fn own_words(tokens: &[Token], name: Range<usize>, lexicon: &Lexicon, clues: &mut Clues) {
    let Range { start, end } = name;
    if end - start < 2 {
        return;
    }
    let thing = |sense: &Sense| !lexicon.kinds[sense.concept].personal;
    let particle = (start + 1..end).find(|position| {
        tokens[*position].shape == Shape::Lower
            && matches!(tokens[*position].lower.as_str(), "of" | "for" | "de" | "du" | "di")
    });
    let head_end = particle.unwrap_or(end);
    let capital = |range: Range<usize>| tokens[range].iter().all(|token| token.shape != Shape::Lower);
    if let Some((phrase, senses)) = lexicon.phrase_before(tokens, start, head_end)
        && (phrase > start || particle.is_some())
        && capital(phrase..head_end)
        && singular(&tokens[head_end - 1])
        && senses.iter().any(thing)
    {
        clues.add(senses, 0.9, thing);
        clues.heads.push(tokens[head_end - 1].stem.clone());
        return;
    }
    let last = &tokens[end - 1];
    if last.is(words::LEGAL) && last.is_capital() {
        let company = ["company", "organization", "organisation", "business", "firm"];
        if let Some(senses) = company.iter().find_map(|word| lexicon.senses_of(word)) {
            clues.add(senses, 0.85, thing);
        }
        return;
    }
    if particle.is_none()
        && let Some((length, senses)) = lexicon.phrase_at(&tokens[..end], start)
        && start + length < end
        && senses.iter().any(thing)
        && words::FIRST_HEADS.contains(&tokens[start].lower.as_str())
    {
        clues.add(senses, 0.8, thing);
        clues.heads.push(tokens[start + length - 1].stem.clone());
    }
}

fn singular(token: &Token) -> bool {
    !(token.lower.ends_with('s') && token.stem != token.lower && !token.lower.ends_with("ss"))
}

/// "Dr Ruiz", "Harbour Master Elena Ruiz".
fn titles(tokens: &[Token], candidate: &Candidate, lexicon: &Lexicon, clues: &mut Clues) {
    let start = candidate.start - candidate.title;
    let mut position = start;
    while position < candidate.start {
        clues.gender = clues.gender.or(gender_of(&tokens[position].lower));
        if words::SHIP_PREFIXES.contains(&tokens[position].lower.as_str())
            && tokens[position].shape == Shape::Upper
        {
            let senses = ["vessel", "ship", "boat"].iter().find_map(|word| lexicon.senses_of(word));
            clues.gender = None;
            if let Some(senses) = lexicon.senses_of(&tokens[position].lower).or(senses) {
                clues.add(senses, 0.9, |sense| !lexicon.kinds[sense.concept].personal);
            }
            position += 1;
            continue;
        }
        match lexicon.phrase_at(&tokens[..candidate.start], position) {
            Some((length, senses)) => {
                clues.add(senses, 0.9, |sense| lexicon.kinds[sense.concept].personal);
                clues.heads.push(tokens[position + length - 1].stem.clone());
                position += length;
            }
            None => {
                if tokens[position].is(words::HONORIFIC)
                    && let Some(person) = lexicon.person()
                {
                    clues.concepts.push(Clue::told(person, 0.85));
                }
                position += 1;
            }
        }
    }
    let token = &tokens[candidate.start];
    // "King Albert I": the title stays in the name, and tells.
    if candidate.end - candidate.start > 1
        && matches!(token.lower.as_str(), "king" | "queen" | "prince" | "princess" | "general" | "major")
        && !matches!(tokens[candidate.start + 1].lower.as_str(), "of")
        && candidate.end - candidate.start <= 3
        && singular(&tokens[candidate.end - 1])
    {
        clues.gender = clues.gender.or(gender_of(&token.lower));
        if let Some((_, senses)) = lexicon.phrase_at(&tokens[..candidate.start + 1], candidate.start) {
            clues.add(senses, 0.7, |sense| lexicon.kinds[sense.concept].personal);
        }
    }
}

/// "the city of Bergen", "the islands of A, B and C": only a plural speaks of more than one name, and only of more
/// than one: "the islands of Norway" are in Norway.
fn kind_of(
    tokens: &[Token],
    sentence: &Range<usize>,
    name: usize,
    listed: bool,
    of_all: bool,
    lexicon: &Lexicon,
    clues: &mut Clues,
) -> bool {
    if name < sentence.start + 2 || tokens[name - 1].lower != "of" {
        return false;
    }
    let noun = &tokens[name - 2];
    let is_kind = words::KIND_OF.iter().any(|kind| noun.stem == crate::stem::stem(kind));
    if !is_kind || if singular(noun) { of_all } else { !listed } {
        return false;
    }
    let Some((_, senses)) = lexicon.phrase_before(tokens, sentence.start, name - 1) else { return false };
    clues.add(senses, 0.9, |sense| !lexicon.kinds[sense.concept].personal);
    clues.heads.push(noun.stem.clone());
    true
}

/// "the harbour master Elena Ruiz", "the city of Bergen", "engineers A and B", "lakes such as Elsa".
fn before(
    tokens: &[Token],
    sentence: &Range<usize>,
    candidate: &Candidate,
    lexicon: &Lexicon,
    clues: &mut Clues,
) {
    let mut start = candidate.start - candidate.title;
    if start > sentence.start && tokens[start - 1].is_quote() {
        start -= 1;
    }
    if start <= sentence.start {
        return;
    }
    let opens = opens_list(tokens, candidate.end..sentence.end);
    if kind_of(tokens, sentence, start, opens, false, lexicon, clues) {
        return;
    }
    // The list that the name is a member of begins further left.
    let mut first = start;
    let mut plural = false;
    let mut steps = 0;
    while steps < 12 && first > sentence.start {
        let before = &tokens[first - 1];
        if before.is(words::AND) || before.is_sign(",") {
            let mut cursor = first - 1;
            while cursor > sentence.start
                && (tokens[cursor - 1].is_name_word()
                    || tokens[cursor - 1].is_sign(",") && tokens[cursor].is(words::AND))
            {
                cursor -= 1;
            }
            if cursor == first - 1 {
                break;
            }
            // "Nurses A and B": the plural at the head of the sentence is no part of A.
            if cursor == sentence.start
                && let Some((length, _)) = lexicon.phrase_at(&tokens[..first - 1], cursor)
                && !singular(&tokens[cursor + length - 1])
            {
                cursor += length;
            }
            first = cursor;
            plural = true;
            steps += 1;
            continue;
        }
        break;
    }
    if first <= sentence.start {
        return;
    }
    if plural && kind_of(tokens, sentence, first, true, true, lexicon, clues) {
        return;
    }
    let such = first >= sentence.start + 3
        && (tokens[first - 1].lower == "as" && tokens[first - 2].lower == "such")
        || matches!(tokens[first - 1].lower.as_str(), "including" | "like" | ":" | "namely");
    let end = match such {
        true if tokens[first - 1].lower == "as" => first - 2,
        true => first - 1,
        false => first,
    };
    let end = if such && end > sentence.start && tokens[end - 1].is_sign(",") { end - 1 } else { end };
    if end <= sentence.start {
        return;
    }
    let Some((phrase, senses)) = lexicon.phrase_before(tokens, sentence.start, end) else { return };
    let noun = &tokens[end - 1];
    let opening = phrase == sentence.start;
    if tokens[phrase..end].iter().enumerate().any(|(position, token)| {
        token.shape != Shape::Lower && !(opening && position == 0 && token.shape == Shape::Capital)
    }) {
        return;
    }
    // The first of "the nurses A and B"; but "she pilots A and B" describes nobody.
    if opens && !plural && !such && !singular(noun) {
        plural = phrase == sentence.start || {
            let before = &tokens[phrase - 1];
            !before.is_name_word() && !before.is(words::PERSONAL | words::RELATIVE)
        };
    }
    if plural && singular(noun) && !such || such && singular(noun) {
        return;
    }
    if !plural && !such && !singular(noun) {
        return;
    }
    // "In the harbour Elena said": the phrase belongs to a preposition at the head of the sentence.
    let mut np = phrase;
    while np > sentence.start
        && phrase - np < 6
        && tokens[np - 1].shape == Shape::Lower
        && !tokens[np - 1].is(words::PREPOSITION)
    {
        np -= 1;
    }
    let personal = senses.iter().any(|sense| lexicon.kinds[sense.concept].personal);
    if np > sentence.start && tokens[np - 1].is(words::PREPOSITION) && np - 1 == sentence.start && !personal {
        return;
    }
    for word in &tokens[phrase..end] {
        clues.gender = clues.gender.or(gender_of(&word.lower));
    }
    clues.add(senses, if such || plural { 0.85 } else { 0.92 }, |_| true);
    clues.heads.push(noun.stem.clone());
}

/// Tells whether a list goes on behind a name: ", B and C", "and B".
fn opens_list(tokens: &[Token], rest: Range<usize>) -> bool {
    let names = |position: usize| position < rest.end && tokens[position].is_name_word();
    let mut position = rest.start;
    while position < rest.end && position - rest.start < 40 {
        let comma = tokens[position].is_sign(",");
        let next = position + usize::from(comma);
        if next < rest.end && tokens[next].is(words::AND) {
            return names(next + 1);
        }
        if !comma || !names(next) {
            return false;
        }
        position = next;
        while names(position) {
            position += 1;
        }
    }
    false
}

/// Apposition and copula after the name.
fn after(
    tokens: &[Token],
    sentence: &Range<usize>,
    candidate: &Candidate,
    lexicon: &Lexicon,
    clues: &mut Clues,
) {
    let mut position = candidate.end;
    if position < sentence.end && tokens[position].is_quote() {
        position += 1;
    }
    // "the Helios project"
    let determined = candidate.title == 0
        && candidate.start > sentence.start
        && matches!(tokens[candidate.start - 1].lower.as_str(), "the" | "this" | "our");
    if determined
        && position < sentence.end
        && tokens[position].shape == Shape::Lower
        && let Some((length, senses)) = lexicon.phrase_at(&tokens[..sentence.end], position)
        && singular(&tokens[position + length - 1])
    {
        let end = position + length;
        let more = tokens[end..sentence.end].first().is_some_and(|next| {
            next.shape == Shape::Genitive
                || next.shape == Shape::Lower
                    && !next.is_verb_like()
                    && !words::COUNTS.contains(&next.lower.as_str())
                    && !next.is(words::PREPOSITION
                        | words::AND
                        | words::BUT
                        | words::RELATIVE
                        | words::AUXILIARY
                        | words::ADVERB)
        });
        if !more {
            clues.add(senses, 0.64, |sense| !lexicon.kinds[sense.concept].personal);
            position = end;
        }
    }
    // A short bracket may itself say what it is: "Aurora (a ferry)".
    if position < sentence.end && tokens[position].is_sign("(") {
        let Some(close) = (position..sentence.end.min(position + 60)).find(|at| tokens[*at].is_sign(")"))
        else {
            return;
        };
        described(tokens, position + 1..close, lexicon, 0.9, false, clues);
        position = close + 1;
    }
    // "the Plaza in Oslo, a cinema": the place between the name and what it is.
    if position + 1 < sentence.end && matches!(tokens[position].lower.as_str(), "in" | "at" | "near" | "of") {
        let end = (position + 1..sentence.end.min(position + 6))
            .find(|at| !tokens[*at].is_capital() && tokens[*at].lower != "the");
        if let Some(end) = end.filter(|end| *end > position + 1 && tokens[*end].is_sign(",")) {
            position = end;
        }
    }
    let mut commas = 0;
    while position < sentence.end {
        let token = &tokens[position];
        if token.is_sign(",") && commas == 0 {
            commas += 1;
            // Apposition between commas, or to the end.
            let end = (position + 1..sentence.end.min(position + 40)).find(|at| {
                let token = &tokens[*at];
                token.is_sign(",") || token.is_sign(";") || token.is_sign(".") || token.is_sign(")")
            });
            let end = end.unwrap_or(sentence.end);
            let bounded = end - position < 30;
            // "According to X, the town has …" is no apposition: a clause of its own follows.
            let clause = (position + 1..end).any(|at| {
                tokens[at].is(words::AUXILIARY)
                    && !tokens[position + 1..at].iter().any(|token| token.is(words::RELATIVE))
            });
            if bounded && !clause && !continues_list(tokens, position + 1, end, sentence) {
                let told = clues.concepts.len();
                described(tokens, position + 1..end, lexicon, 0.9, true, clues);
                // "born in Cedar Falls, Iowa, the son of": the son is who was born.
                if is_placed(tokens, sentence, candidate.start) {
                    let mut later = clues.concepts.split_off(told);
                    later.retain(|clue| !lexicon.kinds[clue.concept].personal);
                    clues.concepts.append(&mut later);
                }
            }
            // "X, the harbour master, is …", "Day, Jr., was": go on behind.
            if end < sentence.end && tokens[end].is_sign(",") {
                position = end + 1;
                continue;
            }
            return;
        }
        break;
    }
    // "also known as …" and the like between commas were skipped; now the verb.
    while position < sentence.end
        && tokens[position].is(words::ADVERB)
        && !tokens[position].is(words::NEGATION)
    {
        position += 1;
    }
    // "A and B are engineers"
    let mut cursor = position;
    let mut plural = false;
    while cursor < sentence.end
        && cursor - position < 16
        && (tokens[cursor].is(words::AND) || tokens[cursor].is_sign(",") || tokens[cursor].is_capital())
    {
        plural |= tokens[cursor].is(words::AND);
        cursor += 1;
    }
    if plural && cursor < sentence.end && matches!(tokens[cursor].lower.as_str(), "are" | "were") {
        predicate(tokens, cursor + 1..sentence.end, lexicon, 0.85, clues);
        return;
    }
    if position >= sentence.end {
        return;
    }
    let verb = &tokens[position];
    if verb.is(words::BE) && !verb.is(words::NEGATION) || verb.is(words::COPULA_LIKE) {
        let mut next = position + 1;
        while next < sentence.end && (tokens[next].is(words::ADVERB) && !tokens[next].is(words::NEGATION)) {
            next += 1;
        }
        if next < sentence.end && tokens[next].is(words::APPOINT) {
            next += 1;
            if next < sentence.end && tokens[next].lower == "as" {
                next += 1;
            }
            role(tokens, next..sentence.end, lexicon, clues);
            return;
        }
        if next < sentence.end && tokens[next].is(words::NEGATION) {
            return;
        }
        predicate(tokens, next..sentence.end, lexicon, 0.95, clues);
    } else if position + 2 < sentence.end
        && tokens[position + 1].lower == "as"
        && matches!(verb.stem.as_str(), "work" | "serv" | "act" | "train")
    {
        role(tokens, position + 2..sentence.end, lexicon, clues);
    } else if (verb.is_dash() || verb.is_sign(":")) && candidate.start <= sentence.start + 1 {
        described(tokens, position + 1..sentence.end, lexicon, 0.85, true, clues);
    }
}

/// The most tokens of an address.
const LONGEST_ADDRESS: usize = 24;

/// Tells whether the names that end at a token are an address behind a preposition of place: "in Danby, Quebec".
pub(crate) fn is_placed(tokens: &[Token], sentence: &Range<usize>, end: usize) -> bool {
    let part = |at: &usize| tokens[*at].is_capital() || tokens[*at].is_sign(",");
    let before = (sentence.start..end).rev().take(LONGEST_ADDRESS).find(|at| !part(at));
    before.is_some_and(|at| matches!(tokens[at].lower.as_str(), "in" | "at" | "near" | "from" | "nearby"))
}

/// "A, the harbour, and B": the comma belongs to a list.
fn continues_list(tokens: &[Token], start: usize, end: usize, sentence: &Range<usize>) -> bool {
    let first = tokens.get(start);
    if first.is_some_and(|first| first.is(words::AND)) {
        return true;
    }
    end + 1 < sentence.end && tokens[end].is_sign(",") && tokens[end + 1].is(words::AND) && {
        // ", and" after the part: a list unless a verb follows.
        !tokens[end + 2..sentence.end.min(end + 6)].iter().any(Token::is_verb_like)
    }
}

/// "is a Spanish painter and poet", "is one of the ferries": the nouns of the predicate.
fn predicate(tokens: &[Token], range: Range<usize>, lexicon: &Lexicon, weight: f64, clues: &mut Clues) {
    let Some(first) = tokens.get(range.start).filter(|_| range.start < range.end) else { return };
    let determined = first.is(words::DETERMINER) && first.lower != "no" || first.lower == "one";
    // "X is director of Y", "A and B are engineers": without an article only roles and plurals.
    described(tokens, range.clone(), lexicon, weight, !determined, clues);
}

fn role(tokens: &[Token], range: Range<usize>, lexicon: &Lexicon, clues: &mut Clues) {
    let mut own = Clues::default();
    described(tokens, range, lexicon, 0.9, false, &mut own);
    own.concepts.retain(|clue| lexicon.kinds[clue.concept].personal);
    clues.concepts.append(&mut own.concepts);
    clues.heads.append(&mut own.heads);
    clues.gender = clues.gender.or(own.gender);
}

/// Reads a noun phrase that describes the name, and the ones coordinated with it.
fn described(
    tokens: &[Token],
    range: Range<usize>,
    lexicon: &Lexicon,
    weight: f64,
    bare: bool,
    clues: &mut Clues,
) {
    let Range { mut start, end } = range;
    if start >= end {
        return;
    }
    if tokens[start].lower == "one" && end > start + 3 && tokens[start + 1].lower == "of" {
        start += 2;
    } else if tokens[start].is(words::DETERMINER) || tokens[start].is(words::POSSESSIVE) {
        if matches!(tokens[start].lower.as_str(), "no" | "neither") {
            return;
        }
    } else if !bare && tokens[start].is(words::PREPOSITION | words::AUXILIARY | words::PERSONAL) {
        return;
    }
    let determined = tokens[start].is(words::DETERMINER | words::POSSESSIVE) || tokens[start].lower == "one";
    let mut position = start + usize::from(determined);
    let mut parts = 0;
    let mut factor = 1.0;
    while position < end && parts < 6 {
        // One noun phrase: up to a preposition, a verb, a sign, a conjunction.
        let begin = position;
        while position < end && continues_phrase(tokens, begin, position) {
            position += 1;
        }
        if position == begin {
            break;
        }
        let Some((phrase, senses)) = lexicon.phrase_before(tokens, begin, position) else {
            if parts > 0 || !next_part(tokens, &mut position, end) {
                break;
            }
            parts += 1;
            continue;
        };
        let noun = &tokens[position - 1];
        let personal = senses.iter().any(|sense| lexicon.kinds[sense.concept].personal);
        // "Bergen, Norway" or "X, Lake Elsa": a name is no description.
        if tokens[phrase..position].iter().any(|token| token.shape != Shape::Lower)
            && !(determined && phrase > begin)
        {
            break;
        }
        if !determined && !bare && !personal && parts == 0 && phrase != begin {
            break;
        }
        if !determined && bare && !personal && singular(noun) && parts == 0 {
            break;
        }
        // "is the name of a ferry", "is a member of": the noun before "of" is what it is, unless it only counts.
        for word in &tokens[phrase..position] {
            clues.gender = clues.gender.or(gender_of(&word.lower));
        }
        clues.add(senses, weight * factor, |_| true);
        clues.heads.push(noun.stem.clone());
        parts += 1;
        factor *= 0.93;
        if !next_part(tokens, &mut position, end) {
            break;
        }
    }
}

/// Steps over ", ", "and", "and a" to the next coordinated noun phrase.
fn next_part(tokens: &[Token], position: &mut usize, end: usize) -> bool {
    let mut cursor = *position;
    let mut joined = false;
    while cursor < end
        && (tokens[cursor].is_sign(",")
            || matches!(tokens[cursor].lower.as_str(), "and" | "or" | "/" | "&" | "-"))
    {
        joined = true;
        cursor += 1;
    }
    if joined
        && cursor < end
        && tokens[cursor].is(words::DETERMINER)
        && matches!(tokens[cursor].lower.as_str(), "a" | "an")
    {
        cursor += 1;
    }
    *position = cursor;
    joined && cursor < end && tokens[cursor].shape == Shape::Lower
}

fn continues_phrase(tokens: &[Token], begin: usize, position: usize) -> bool {
    let token = &tokens[position];
    match token.shape {
        Shape::Sign | Shape::Genitive | Shape::Caseless => matches!(token.lower.as_str(), "-" | "'s" | "’s"),
        Shape::Number => true,
        _ => {
            let stops = token.is(words::PREPOSITION
                | words::AND
                | words::BUT
                | words::RELATIVE
                | words::AUXILIARY
                | words::SUBORDINATE
                | words::PERSONAL);
            // A participle after the first word ends the phrase ("a station licensed to"), before it is an adjective.
            let participle = token.is_verb_like()
                && position > begin
                && !tokens.get(position + 1).is_some_and(|next| {
                    next.shape == Shape::Lower
                        && !next.is(words::PREPOSITION | words::ADVERB | words::AND | words::DETERMINER)
                        || next.is_capital()
                });
            !stops && !participle
        }
    }
}

/// Decides on a concept: the branch with most weight, in it the deepest that the text supports.
pub(crate) fn decide(lexicon: &Lexicon, clues: &[Clue]) -> Option<(usize, f64)> {
    // What the text says of a name is worth more than what its words look like: "Holm Cement, a company".
    let root_of = |clue: &Clue| lexicon.kinds[clue.concept].id.split('|').next().unwrap_or_default();
    let said = clues.iter().filter(|clue| !clue.own && clue.weight >= TOLD).map(root_of);
    let said: Vec<&str> = said.collect();
    let kept: Vec<Clue> = clues
        .iter()
        .filter(|clue| !clue.own || said.is_empty() || said.contains(&root_of(clue)))
        .cloned()
        .collect();
    let clues = kept.as_slice();
    if clues.is_empty() {
        return None;
    }
    // Noisy-or for each concept, its ancestors' clues included.
    let mut concepts: Vec<usize> = Vec::new();
    for clue in clues {
        if !concepts.contains(&clue.concept) {
            concepts.push(clue.concept);
        }
    }
    let id = |concept: usize| lexicon.kinds[concept].id.as_str();
    let root = |concept: usize| id(concept).split('|').next().unwrap_or_default();
    let or = |fits: &dyn Fn(usize) -> bool| {
        1.0 - clues
            .iter()
            .filter(|clue| fits(clue.concept))
            .map(|clue| 1.0 - clue.weight.min(0.97))
            .product::<f64>()
    };
    let mut roots: Vec<&str> = Vec::new();
    for concept in &concepts {
        if !roots.contains(&root(*concept)) {
            roots.push(root(*concept));
        }
    }
    let mut ranked: Vec<(f64, usize, &str)> = roots
        .iter()
        .enumerate()
        .map(|(order, name)| (or(&|concept| root(concept) == *name), order, *name))
        .collect();
    ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let (best, _, branch) = *ranked.first()?;
    let rival = ranked.get(1).map_or(0.0, |rival| rival.0);
    // Two branches of nearly the same weight: the text does not tell, least where nothing can be both.
    let of = |branch: &str| concepts.iter().copied().find(|concept| root(*concept) == branch);
    let apart = ranked.get(1).and_then(|rival| of(rival.2)).zip(of(branch));
    let doubt = if apart.is_some_and(|(left, right)| lexicon.disjoint(left, right)) { 0.55 } else { 0.4 };
    let certainty = if rival > 0.0 { best * (1.0 - doubt * rival * rival / (best * best)) } else { best };
    let mut chosen: Option<(f64, usize, usize, usize)> = None;
    for (order, concept) in concepts.iter().enumerate() {
        if root(*concept) != branch {
            continue;
        }
        let weight = or(&|other| lexicon.descends(*concept, id(other)));
        let depth = lexicon.kinds[*concept].depth;
        let better = chosen.is_none_or(|(known, known_depth, _, _)| {
            weight > known + 1e-9 || (weight > known - 1e-9 && depth > known_depth)
        });
        if better {
            chosen = Some((weight, depth, order, *concept));
        }
    }
    chosen.map(|(_, _, _, concept)| (concept, certainty.min(0.97)))
}

/// Tells how plainly a text says that one concept is another: "a trawler is a vessel", "vessels such as trawlers".
pub(crate) fn subsumed(lexicon: &Lexicon, text: &str, concept: &str, parent: &str) -> f64 {
    let words = |id: &str| id.rsplit('|').next().unwrap_or_default().replace('_', " ");
    let wanted: Vec<String> = crate::tokens::tokenize(&words(concept))
        .into_iter()
        .filter(Token::is_word)
        .map(|token| token.stem)
        .collect();
    if wanted.is_empty() {
        return 0.0;
    }
    let tokens = crate::tokens::tokenize(text);
    let mut best: f64 = 0.0;
    for sentence in crate::tokens::sentences(&tokens) {
        let last = (sentence.end + 1).saturating_sub(wanted.len());
        for start in sentence.start..last {
            let end = start + wanted.len();
            if !wanted.iter().zip(&tokens[start..end]).all(|(stem, token)| *stem == token.stem) {
                continue;
            }
            let candidate = Candidate { start, end, weak: false, marked: false, title: 0 };
            let mut clues = Clues::default();
            before(&tokens, &sentence, &candidate, lexicon, &mut clues);
            after(&tokens, &sentence, &candidate, lexicon, &mut clues);
            let said = clues.concepts.iter().filter(|clue| lexicon.descends(clue.concept, parent));
            best = said.map(|clue| clue.weight).fold(best, f64::max);
        }
    }
    best
}
