//! Walks through a sentence: from a verb or noun to the phrases that belong to it.

use std::ops::Range;

use crate::scene::{Found, Scene};
use crate::tokens::Shape;
use crate::words;

/// The most words between a verb and its object's name.
const REACH: usize = 7;

/// The most tokens between a relative pronoun and the second verb of its clause.
const CLAUSE: usize = 40;

impl Scene<'_> {
    /// Finds the subject of the verb group that begins at `verb`.
    pub(crate) fn subject_of(&self, sentence: &Range<usize>, verb: usize) -> Option<Found> {
        self.left_phrase(sentence, verb, true)
    }

    /// Finds the phrase that ends where a participle or preposition begins.
    pub(crate) fn left_phrase(&self, sentence: &Range<usize>, from: usize, finite: bool) -> Option<Found> {
        let floor = sentence.start;
        let mut position = from;
        let mut weight: f64 = 1.0;
        let mut commas = 0;
        let mut steps = 0;
        while position > floor {
            steps += 1;
            if steps > 60 {
                return None;
            }
            let before = position - 1;
            let token = &self.tokens[before];
            if let Some(found) = self.ment_ending(position) {
                let ment = &self.ments[found];
                if ment.possessive && !token.is(words::PERSONAL) {
                    return None;
                }
                // Inside a prepositional phrase the head of the whole stands further left.
                if ment.np > floor && self.is_inside_phrase(floor, ment.np) {
                    position = ment.np - 1;
                    weight *= 0.93;
                    // "the head of X" and "X of Y": the noun before the preposition decides.
                    continue;
                }
                if !finite && let Some(first) = self.address_start(floor, found) {
                    position = first;
                    continue;
                }
                return Some(Found { ments: self.group_left(sentence, found, from), weight });
            }
            if let Some(start) = self.time_ending(position) {
                position = start.max(floor);
                continue;
            }
            match token.lower.as_str() {
                ")" | "]" => {
                    position = self.open_of(floor, before)?;
                    continue;
                }
                "\"" | "”" | "“" | "'" | "’" | "»" | "«" | "*" | "`" => {
                    position = before;
                    continue;
                }
                "," => {
                    commas += 1;
                    if commas > 3 {
                        return None;
                    }
                    if !finite {
                        // "X, founded by Y": what ends at the comma.
                        position = before;
                        continue;
                    }
                    if let Some(found) = self.named_insertion(floor, before) {
                        return Some(Found { ments: vec![found], weight: 0.92 * weight });
                    }
                    match self.insertion_start(floor, before) {
                        Some(start) => {
                            position = start;
                            weight *= 0.97;
                        }
                        None => {
                            return self
                                .clause_subject(sentence, before)
                                .map(|found| found.weaker(0.9 * weight));
                        }
                    }
                    continue;
                }
                _ => {}
            }
            if token.is(words::RELATIVE) {
                // "X, who leads": the antecedent stands right before, a comma or a preposition between.
                position = before;
                let mut skipped = position;
                while skipped > floor
                    && (self.tokens[skipped - 1].is_sign(",")
                        || self.tokens[skipped - 1].is(words::PREPOSITION))
                {
                    skipped -= 1;
                }
                return self
                    .antecedent_of(sentence, skipped, before)
                    .map(|found| found.weaker(weight * 0.97));
            }
            if token.is(words::AND | words::BUT) && token.lower != "nor" {
                // "was Ada, who served and died in": the second verb is the relative clause's as well.
                if let Some(who) = self.open_relative(floor, before) {
                    let pronoun = if self.tokens[who].is_sign(",") { who + 1 } else { who };
                    return self
                        .antecedent_of(sentence, who, pronoun)
                        .map(|found| found.weaker(0.9 * weight));
                }
                return self.clause_subject(sentence, before).map(|found| found.weaker(0.95 * weight));
            }
            if token.is(words::AUXILIARY
                | words::ADVERB
                | words::NEGATION
                | words::HYPOTHETICAL
                | words::COPULA_LIKE)
                || token.is(words::APPOINT | words::CEASE) && before > floor
                || token.lower == "to"
                || token.shape == Shape::Lower && token.lower.ends_with("ly")
            {
                position = before;
                continue;
            }
            // "used to work", "continued to lead"
            if self.is_verb(before) && self.tokens.get(position).is_some_and(|next| next.lower == "to") {
                position = before;
                continue;
            }
            return None;
        }
        None
    }

    /// Finds the "who" of a relative clause that is still open at a conjunction: no comma has closed it.
    fn open_relative(&self, floor: usize, and: usize) -> Option<usize> {
        let mut at = and;
        while at > floor.max(and.saturating_sub(CLAUSE)) {
            at -= 1;
            match self.tokens[at].lower.as_str() {
                ")" => at = self.open_of(floor, at)?,
                "," | ";" | ":" => return None,
                "who" => {
                    let comma = at > floor && self.tokens[at - 1].is_sign(",");
                    return Some(if comma { at - 1 } else { at });
                }
                _ => {}
            }
        }
        None
    }

    /// "London, England": returns the end of the first part when the mention is the second.
    fn address_start(&self, floor: usize, found: usize) -> Option<usize> {
        let ment = &self.ments[found];
        let comma =
            ment.np.checked_sub(1).filter(|comma| *comma > floor && self.tokens[*comma].is_sign(","))?;
        let Some(first) = self.ment_ending(comma) else {
            // The first part may be a name that is not known.
            let mut start = comma;
            while start > floor && self.tokens[start - 1].is_capital() && self.ment_at(start - 1).is_none() {
                start -= 1;
            }
            let hangs = start > floor && self.tokens[start - 1].is(words::PREPOSITION);
            let place =
                ment.np == ment.start && !self.is_personal(found) && self.member(found).concept.is_some();
            return (start < comma && hangs && place).then(|| start - 1);
        };
        let place = ment.np == ment.start && !self.is_personal(found) && !self.is_personal(first);
        // "Jacksonville, Oregon, United States": a name that nothing else tells of is a part of the address too.
        let known = self.member(found).concept.is_some();
        let alike = self.member(first).concept.is_none() || self.alike(first, found);
        (place && known && alike).then_some(comma)
    }

    /// Finds what a relative pronoun stands for: "who" a person, "which" a thing.
    fn antecedent_of(&self, sentence: &Range<usize>, end: usize, pronoun: usize) -> Option<Found> {
        let who = matches!(self.tokens[pronoun].lower.as_str(), "who" | "whom");
        let which = self.tokens[pronoun].lower == "which";
        let suits = |found: usize| match self.member(found).concept {
            Some(_) if who => self.is_personal(found),
            Some(_) if which => !self.is_personal(found),
            _ => true,
        };
        let mut position = end;
        for _ in 0..3 {
            let Some(found) = self.ment_ending(position) else {
                // "a swimmer from Italy, who": the noun that the phrase hangs on, and of whom it is said.
                return crate::relations::noun_antecedent(self, sentence, position)
                    .filter(|found| found.ments.iter().all(|ment| suits(*ment)));
            };
            if suits(found) && !self.ments[found].possessive {
                return Some(Found { ments: vec![found], weight: 1.0 });
            }
            let np = self.ments[found].np;
            let hangs = np > sentence.start && self.tokens[np - 1].is(words::PREPOSITION);
            if !hangs {
                return None;
            }
            position = np - 1;
        }
        None
    }

    /// Tells whether a phrase that starts at `np` hangs on a preposition whose own head is a noun or name.
    fn is_inside_phrase(&self, floor: usize, np: usize) -> bool {
        let before = np - 1;
        let token = &self.tokens[before];
        if !token.is(words::PREPOSITION) || self.time_ending(np).is_some() || self.ment_at(before).is_some() {
            return false;
        }
        // A phrase at the head of the sentence ("In Bergen Elena …") hangs on nothing.
        before > floor && !self.tokens[before - 1].is_sign(",")
    }

    /// Finds where an insertion that ends at a comma begins: apposition, relative clause, bracketed by commas.
    fn insertion_start(&self, floor: usize, comma: usize) -> Option<usize> {
        let lowest = floor.max(comma.saturating_sub(30));
        let mut candidate = None;
        for position in (lowest..comma).rev() {
            let token = &self.tokens[position];
            if token.is_sign(";") || token.is_sign(":") {
                return candidate;
            }
            if token.is_sign(",") && self.ends_phrase(position) {
                let next = &self.tokens[position + 1];
                let opens = next.is(words::DETERMINER
                    | words::RELATIVE
                    | words::PREPOSITION
                    | words::POSSESSIVE
                    | words::FORMER)
                    || next.is_participle()
                    || next.shape == Shape::Lower && !next.is(words::AND | words::BUT);
                let place =
                    self.ment_at(position + 1).is_some() && self.ments_between(position + 1, comma) == 1;
                if opens || place {
                    candidate = Some(position);
                    // "Oslo, Norway, is": the nearest insertion is enough.
                    return candidate;
                }
            }
        }
        candidate
    }

    /// "The other ferry, the Aurora, is": the name between commas stands for the noun before them.
    fn named_insertion(&self, floor: usize, comma: usize) -> Option<usize> {
        let found = self.ment_ending(comma)?;
        let np = self.ments[found].np;
        let open = np.checked_sub(1).filter(|open| *open > floor)?;
        let noun = &self.tokens[open - 1];
        let determined =
            (floor..open).any(|position| self.tokens[position].is(words::DETERMINER | words::POSSESSIVE));
        let article = np < self.ments[found].start && self.tokens[np].is(words::DETERMINER);
        // "Her last play, X, was": without an article only a name that stands alone between the commas.
        let bare = np == self.ments[found].start
            && self.ments[found].end == comma
            && self.member(found).concept.is_none_or(|concept| !self.is_setting(concept));
        (self.tokens[open].is_sign(",")
            && (article || bare)
            && self.ment_ending(open).is_none()
            && noun.shape == Shape::Lower
            && determined)
            .then_some(found)
    }

    /// "the hall, Oslo, is": a place behind a comma is where, not what.
    fn is_setting(&self, concept: usize) -> bool {
        let id = &self.lexicon.kinds[concept].id;
        id.split('|')
            .any(|level| matches!(level, "place" | "city" | "town" | "country" | "region" | "location"))
    }

    fn ends_phrase(&self, comma: usize) -> bool {
        self.ment_ending(comma).is_some() || comma > 0 && self.tokens[comma - 1].is_sign(")")
    }

    fn ments_between(&self, start: usize, end: usize) -> usize {
        let mut count = 0;
        let mut position = start;
        while position < end {
            match self.ment_at(position) {
                Some(found) => {
                    count += 1;
                    position = self.ments[found].end;
                }
                None => position += 1,
            }
        }
        count
    }

    /// Finds the subject of the clause that a position lies in: its first phrase before its first verb.
    pub(crate) fn clause_subject(&self, sentence: &Range<usize>, position: usize) -> Option<Found> {
        let start = self.clause_start(sentence, position);
        let mut cursor = start;
        while cursor < position {
            if let Some(end) = self.time_at(cursor) {
                cursor = end;
                continue;
            }
            if self.tokens[cursor].is_sign("(")
                && let Some(end) = self.close_of(cursor, position)
            {
                cursor = end;
                continue;
            }
            if let Some(found) = self.ment_at(cursor) {
                let ment = &self.ments[found];
                let hangs = ment.np > start && self.tokens[ment.np - 1].is(words::PREPOSITION);
                if !hangs && !(ment.possessive) {
                    let group = self.group_right(&(start..position), found, None);
                    return Some(Found { ments: group, weight: 0.9 });
                }
                if hangs && !self.fronted(start, ment.np - 1) {
                    return None;
                }
                cursor = ment.end;
                continue;
            }
            if self.is_verb(cursor) {
                return None;
            }
            cursor += 1;
        }
        None
    }

    /// Tells whether a prepositional phrase stands at the head of its clause.
    fn fronted(&self, start: usize, preposition: usize) -> bool {
        preposition == start || preposition == start + 1 && self.tokens[start].is_sign(",")
    }

    /// Finds where the clause around a position starts.
    pub(crate) fn clause_start(&self, sentence: &Range<usize>, position: usize) -> usize {
        for cursor in (sentence.start..position).rev() {
            let token = &self.tokens[cursor];
            if token.is_sign(";") || token.is_sign(":") {
                return cursor + 1;
            }
            if self.time_at(cursor).is_some() {
                continue;
            }
            let opens = token.is(words::SUBORDINATE) && !token.is(words::PREPOSITION)
                || token.lower == "that" && cursor > sentence.start && self.opens_clause(cursor);
            if opens {
                return cursor + 1;
            }
            // ", and Noah leads": a new clause when a subject and a verb follow.
            if token.is(words::AND | words::BUT)
                && let Some(found) = self.ment_at(self.skip_phrase_opening(cursor + 1, position))
                && self.ments[found].end <= position
                && self.verb_follows(self.ments[found].end, position + 1)
            {
                return cursor + 1;
            }
        }
        sentence.start
    }

    /// Tells a "that" after a verb or adjective from one after a noun.
    fn opens_clause(&self, that: usize) -> bool {
        let before = &self.tokens[that - 1];
        before.is(words::REPORT | words::HEDGE)
            || self.is_verb(that - 1)
            || matches!(
                before.lower.as_str(),
                "true"
                    | "untrue"
                    | "false"
                    | "clear"
                    | "likely"
                    | "unlikely"
                    | "possible"
                    | "certain"
                    | "known"
                    | "fact"
                    | "news"
                    | "report"
                    | "doubt"
                    | "evidence"
                    | "sure"
                    | "rumour"
                    | "rumor"
                    | "wrong"
                    | "correct"
                    | "idea"
                    | "impression"
            )
    }

    /// Skips an article and adjectives.
    fn skip_phrase_opening(&self, start: usize, end: usize) -> usize {
        let mut position = start;
        while position < end && position - start < 5 && self.ment_at(position).is_none() {
            let token = &self.tokens[position];
            if !(token.is(words::DETERMINER) || self.is_premodifier(position)) {
                break;
            }
            position += 1;
        }
        position
    }

    /// Finds the phrase that begins after a verb or preposition.
    pub(crate) fn right_phrase(&self, sentence: &Range<usize>, from: usize) -> Option<Found> {
        let mut position = from;
        let mut skipped = 0;
        while position < sentence.end && skipped <= REACH {
            if let Some(found) = self.ment_at(position) {
                let ment = &self.ments[found];
                if ment.start < position {
                    return None;
                }
                if ment.modifies {
                    // "by American singer X", "the Emmy Award nomination": the noun after it is what is meant.
                    position = ment.end;
                    skipped += 1;
                    continue;
                }
                if ment.possessive {
                    // "joined Aurora's crew": the owner is not what is meant, unless its noun names a mention.
                    return None;
                }
                let weight = match skipped {
                    0..=1 => 1.0,
                    2..=3 => 0.95,
                    _ => 0.88,
                };
                return Some(Found { ments: self.group_right(sentence, found, Some(from)), weight });
            }
            if let Some(end) = self.time_at(position) {
                position = end;
                continue;
            }
            let token = &self.tokens[position];
            match token.lower.as_str() {
                "\"" | "“" | "”" | "'" | "‘" | "«" | "*" | "`" => {
                    position += 1;
                    continue;
                }
                "(" => {
                    position = self.close_of(position, sentence.end)?;
                    continue;
                }
                ":" if skipped == 0 => {
                    position += 1;
                    continue;
                }
                _ => {}
            }
            if token.is(words::DETERMINER | words::POSSESSIVE) {
                // "a team that surveyed the lake": the clause after a noun has its own objects.
                if token.lower == "no" || token.is(words::RELATIVE) && position > from {
                    return None;
                }
            } else if token.is(words::AUXILIARY
                | words::PREPOSITION
                | words::AND
                | words::BUT
                | words::PERSONAL
                | words::RELATIVE)
                || token.is(words::NEGATION)
                || token.shape == Shape::Genitive
                || token.shape == Shape::Sign
                || self.is_verb(position) && !self.is_adjective(position, from)
            {
                return None;
            }
            position += 1;
            skipped += 1;
        }
        None
    }

    /// "housed in a former rope works in X": through a place without a name to the one that holds it.
    pub(crate) fn placed_in(&self, sentence: &Range<usize>, from: usize) -> Option<Found> {
        let tail = self.tokens.get(from.checked_sub(1)?)?;
        if !matches!(tail.lower.as_str(), "in" | "at" | "on" | "within") {
            return None;
        }
        let next = (from..sentence.end.min(from + REACH)).find(|position| {
            let token = &self.tokens[*position];
            let plain = token.shape == Shape::Lower
                && !token.is(words::PREPOSITION
                    | words::AUXILIARY
                    | words::AND
                    | words::BUT
                    | words::RELATIVE
                    | words::PERSONAL);
            !token.is(words::DETERMINER) && !self.is_premodifier(*position) && !plain
        })?;
        let holds = next > from && matches!(self.tokens[next].lower.as_str(), "in" | "at" | "on" | "within");
        if !holds {
            return None;
        }
        self.right_phrase(sentence, next + 1).map(|found| found.weaker(0.9))
    }

    /// "the renowned author X": a participle between an article and a noun.
    fn is_adjective(&self, position: usize, from: usize) -> bool {
        self.tokens[from..position].iter().any(|token| token.is(words::DETERMINER | words::POSSESSIVE))
            && self.tokens[position].lower.ends_with("ed")
    }

    /// Gathers "A, B and C" to the right of its first member.
    pub(crate) fn group_right(
        &self,
        sentence: &Range<usize>,
        first: usize,
        from: Option<usize>,
    ) -> Vec<usize> {
        let mut group = vec![first];
        let mut last = first;
        let mut pending: Vec<usize> = Vec::new();
        let mut closed = false;
        loop {
            let mut position = self.ments[last].end;
            position = self.skip_brackets(sentence, position);
            let mut comma = false;
            let mut and = false;
            if position < sentence.end && self.tokens[position].is_sign(",") {
                comma = true;
                position += 1;
            }
            let joins = |position: usize| {
                let token = &self.tokens[position];
                token.is(words::AND) && token.lower != "nor"
                    || token.lower == "but" && (self.is_negated(first) || self.is_contrast(position, from))
            };
            if position < sentence.end && joins(position) {
                and = true;
                position += 1;
            } else if !comma && self.is_as_well(position, sentence.end) {
                and = true;
                position += 3;
            }
            // "by A, not by B", "to A and not to B"
            if (comma || and)
                && position < sentence.end
                && self.tokens[position].lower == "not"
                && from.is_some()
            {
                and = true;
                position += 1;
            }
            if !comma && !and {
                break;
            }
            // "A and, since spring, B": what stands between the commas is no member.
            if and
                && position < sentence.end
                && self.tokens[position].is_sign(",")
                && let Some(close) = (position + 1..sentence.end.min(position + 7))
                    .take_while(|at| self.ment_at(*at).is_none())
                    .find(|at| self.tokens[*at].is_sign(","))
            {
                position = close + 1;
            }
            // "by A and by B", "for A and the B"
            if and
                && from.is_some_and(|from| {
                    from > 0
                        && self.tokens[from - 1].is(words::PREPOSITION)
                        && position < sentence.end
                        && self.tokens[position].lower == self.tokens[from - 1].lower
                })
            {
                position += 1;
            }
            let next = self.skip_phrase_opening(position, sentence.end);
            let Some(found) = self.ment_at(next) else { break };
            let ment = &self.ments[found];
            if ment.start != next || ment.possessive || !self.alike(first, found) {
                break;
            }
            // A member that a verb follows begins a clause of its own.
            if and && self.verb_follows(ment.end, sentence.end) && from.is_some() {
                break;
            }
            if comma && !and {
                pending.push(found);
            } else {
                group.append(&mut pending);
                group.push(found);
                closed = true;
            }
            last = found;
            if closed {
                break;
            }
        }
        // "A, B" without "and" is an address or an apposition, not a list; of people it is a list cut short.
        if !closed && pending.len() > 1 && self.is_personal(first) {
            group.append(&mut pending);
        }
        group
    }

    /// "not by A", "not A": what "but" follows is the other member.
    fn is_negated(&self, ment: usize) -> bool {
        let np = self.ments[ment].np;
        let before = |back: usize| np.checked_sub(back).map(|position| &self.tokens[position]);
        before(1).is_some_and(|token| {
            token.lower == "not"
                || token.is(words::PREPOSITION) && before(2).is_some_and(|token| token.lower == "not")
        })
    }

    /// "was not built by A but by B": the preposition stands again behind the "but".
    fn is_contrast(&self, but: usize, from: Option<usize>) -> bool {
        let first = from.and_then(|from| from.checked_sub(1)).map(|before| &self.tokens[before]);
        let again = self.tokens.get(but + 1);
        first
            .zip(again)
            .is_some_and(|(first, again)| first.is(words::PREPOSITION) && first.lower == again.lower)
    }

    fn is_as_well(&self, position: usize, end: usize) -> bool {
        position + 3 <= end
            && self.tokens[position].lower == "as"
            && self.tokens[position + 1].lower == "well"
            && self.tokens[position + 2].lower == "as"
    }

    fn skip_brackets(&self, sentence: &Range<usize>, mut position: usize) -> usize {
        while position < sentence.end {
            let token = &self.tokens[position];
            if token.is_sign("(") {
                match self.close_of(position, sentence.end) {
                    Some(end) => position = end,
                    None => break,
                }
            } else if token.is_quote() {
                position += 1;
            } else {
                break;
            }
        }
        position
    }

    /// Gathers "A, B and C" to the left of its last member, unless the others belong to another verb.
    fn group_left(&self, sentence: &Range<usize>, last: usize, verb: usize) -> Vec<usize> {
        let mut group = vec![last];
        let mut first = last;
        let mut and_seen = false;
        loop {
            let np = self.ments[first].np;
            if np <= sentence.start {
                break;
            }
            let mut position = np;
            let token = &self.tokens[position - 1];
            if token.is(words::AND) && token.lower != "nor" {
                if and_seen {
                    break;
                }
                and_seen = true;
                position -= 1;
                if position > sentence.start && self.tokens[position - 1].is_sign(",") {
                    position -= 1;
                }
            } else if token.is_sign(",") && and_seen {
                position -= 1;
            } else {
                break;
            }
            while position > sentence.start && self.tokens[position - 1].is_sign(")") {
                let Some(open) = self.open_of(sentence.start, position - 1) else { break };
                position = open;
            }
            let Some(found) = self.ment_ending(position) else { break };
            if !self.alike(last, found) {
                break;
            }
            first = found;
            group.push(found);
        }
        if group.len() > 1 {
            let start = self.ments[first].np;
            let singular = self.tokens.get(verb).is_some_and(|token| {
                matches!(token.lower.as_str(), "is" | "was" | "has" | "does")
                    || token.lower.ends_with('s')
                        && !token.is(words::AUXILIARY)
                        && words::is_verb_stem(&token.stem)
            });
            let clause = self.clause_start(sentence, start);
            let busy = (clause..start).any(|position| self.is_verb(position));
            if singular || busy || start > sentence.start && self.tokens[start - 1].is(words::PREPOSITION) {
                return vec![last];
            }
        }
        group.reverse();
        group
    }

    /// Tells whether two mentions can be members of one list.
    fn alike(&self, left: usize, right: usize) -> bool {
        let (Some(left), Some(right)) = (self.member(left).concept, self.member(right).concept) else {
            return true;
        };
        let root = |concept: usize| self.lexicon.kinds[concept].id.split('|').next().unwrap_or_default();
        root(left) == root(right)
    }
}

impl Found {
    pub(crate) fn weaker(mut self, factor: f64) -> Self {
        self.weight *= factor;
        self
    }
}
