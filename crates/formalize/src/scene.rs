//! One chunk's tokens with what is known of them: mentions, times, values; and the walks between them.

use std::ops::Range;

use mge_core::{MentionForm, Span};

use crate::lexicon::Lexicon;
use crate::tokens::{Shape, Token};
use crate::words;

/// An entity as the document knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// `None` while its type is still looked for.
    pub(crate) concept: Option<usize>,
    pub(crate) confidence: f64,
    /// Known from the text only.
    pub(crate) gender: Option<Gender>,
    /// The nouns in its name or said of it by which "the institute" may mean it.
    pub(crate) heads: Vec<String>,
    /// Only the words of its name say what it is.
    pub(crate) soft: bool,
    /// Its name is no person's: it has the article wherever it stands, or is set apart as a title.
    pub(crate) thing: bool,
}

/// What the text shows of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gender {
    Female,
    Male,
}

/// A mention in tokens.
#[derive(Debug, Clone)]
pub(crate) struct Ment {
    /// Its tokens.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Where the name itself ends, when its noun follows: "the Helios project".
    pub(crate) name_end: usize,
    /// Where its noun phrase begins: article, adjectives and role before the name.
    pub(crate) np: usize,
    /// Its member of the cast.
    pub(crate) who: usize,
    pub(crate) form: MentionForm,
    /// How sure it is that this member is meant.
    pub(crate) identity: f64,
    /// A noun of its own follows: "Emmy Award nomination".
    pub(crate) modifies: bool,
    /// "its", "Aurora's".
    pub(crate) possessive: bool,
}

impl Ment {
    /// Makes a mention that refers without a name: "it", "the company".
    pub(crate) fn reference(tokens: Range<usize>, who: usize, identity: f64, possessive: bool) -> Self {
        Self {
            start: tokens.start,
            end: tokens.end,
            name_end: tokens.end,
            np: tokens.start,
            who,
            form: MentionForm::Reference,
            identity,
            modifies: false,
            possessive,
        }
    }
}

/// What a sentence walk found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    /// Positions in `Scene::ments`, in text order.
    pub(crate) ments: Vec<usize>,
    /// How sure the walk is.
    pub(crate) weight: f64,
}

/// A chunk being read.
pub(crate) struct Scene<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Token],
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) cast: &'a [Member],
    pub(crate) ments: Vec<Ment>,
    /// Types are still looked for: a member without one may be anything.
    pub(crate) open: bool,
    /// Of each member of the cast, what the chunk has shown so far.
    pub(crate) genders: Vec<Option<Gender>>,
    /// For each token its mention, counted from 1.
    at: Vec<u32>,
    /// For each token the end of the time expression that it belongs to, or 0.
    time_end: Vec<u32>,
    time_start: Vec<u32>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(text: &'a str, tokens: &'a [Token], lexicon: &'a Lexicon, cast: &'a [Member]) -> Self {
        let zeros = || vec![0; tokens.len()];
        Self {
            text,
            tokens,
            lexicon,
            cast,
            ments: Vec::new(),
            open: false,
            genders: cast.iter().map(|member| member.gender).collect(),
            at: zeros(),
            time_end: zeros(),
            time_start: zeros(),
        }
    }

    /// Adds a mention; one that overlaps an earlier one is refused.
    pub(crate) fn add(&mut self, mut ment: Ment, floor: usize) -> bool {
        if ment.start >= ment.end || self.at[ment.start..ment.end].iter().any(|taken| *taken != 0) {
            return false;
        }
        if ment.np == ment.start && ment.form != MentionForm::Reference {
            // An opening quote stands between the name and its phrase.
            let mut first = ment.start;
            let quote = first.checked_sub(1).filter(|quote| *quote >= floor).map(|quote| &self.tokens[quote]);
            if quote.is_some_and(Token::is_quote) {
                first -= 1;
            }
            let np = self.phrase_start(floor, first);
            ment.np = if np < first { np } else { ment.start };
            // "the town of X" is X.
            let of = ment.np.checked_sub(1).filter(|of| *of > floor && self.tokens[*of].lower == "of");
            if let Some(of) = of
                && self.tokens[of - 1].shape != Shape::Sign
                && words::KIND_OF.iter().any(|kind| self.tokens[of - 1].stem == crate::stem::stem(kind))
            {
                ment.np = self.phrase_start(floor, of - 1);
            }
        }
        ment.name_end = ment.end;
        ment.end = self.noun_end(&ment);
        // "the ABC television series “X”": the noun is that of the name behind it.
        let describes = ment.end > ment.name_end && self.title_follows(ment.end);
        if describes {
            ment.end = ment.name_end;
        }
        ment.modifies = describes
            || ment.form != MentionForm::Reference
                && ment.end == ment.name_end
                && self.noun_follows(ment.end);
        ment.possessive |= self.tokens.get(ment.end).is_some_and(|token| token.shape == Shape::Genitive);
        self.ments.push(ment);
        let ment = &self.ments[self.ments.len() - 1];
        for token in ment.start..ment.end {
            self.at[token] = self.ments.len() as u32;
        }
        true
    }

    /// Finds where the noun after a name ends, when it says what the name is: "the Helios project".
    fn noun_end(&self, ment: &Ment) -> usize {
        // "the fourth Aurora film" is one of several: the name is that of the series.
        let counted = self.tokens[ment.np..ment.start].iter().any(|token| token.is(words::ORDINAL));
        let determined = !counted
            && ment.np < ment.start
            && self.tokens[ment.np].is(words::DETERMINER | words::POSSESSIVE);
        let Some(concept) =
            self.cast[ment.who].concept.filter(|_| determined && ment.form != MentionForm::Reference)
        else {
            return ment.end;
        };
        if ment.end >= self.tokens.len() || self.tokens[ment.end].shape != Shape::Lower {
            return ment.end;
        }
        match self.lexicon.phrase_at(self.tokens, ment.end) {
            Some((length, senses))
                if senses
                    .iter()
                    .any(|sense| self.lexicon.descends(concept, &self.lexicon.kinds[sense.concept].id))
                    && self.at[ment.end..ment.end + length].iter().all(|taken| *taken == 0) =>
            {
                let end = ment.end + length;
                let more = self.tokens.get(end).is_some_and(|next| next.shape == Shape::Lower)
                    && self.is_premodifier(end)
                    && !words::COUNTS.contains(&self.tokens[end].lower.as_str())
                    && !self.lexicon.is_verb(&self.tokens[end]);
                if more { ment.end } else { end }
            }
            _ => ment.end,
        }
    }

    /// Tells whether a name in quotes or with a capital follows a noun, a comma between or not.
    fn title_follows(&self, end: usize) -> bool {
        let quoted = |at: usize| {
            self.tokens.get(at).is_some_and(Token::is_quote)
                && self.tokens.get(at + 1).is_some_and(|first| first.is_capital() && !first.spaced)
        };
        let comma = self.tokens.get(end).is_some_and(|token| token.is_sign(","));
        quoted(end) || comma && quoted(end + 1) || self.tokens.get(end).is_some_and(Token::is_capital)
    }

    /// Tells whether a noun follows a name, which then only describes it.
    fn noun_follows(&self, end: usize) -> bool {
        let Some(next) = self.tokens.get(end) else { return false };
        if next.shape != Shape::Lower || !next.spaced || self.at[end] != 0 || self.time_end[end] != 0 {
            return false;
        }
        let other = words::PREPOSITION
            | words::AND
            | words::BUT
            | words::RELATIVE
            | words::SUBORDINATE
            | words::AUXILIARY
            | words::PERSONAL
            | words::POSSESSIVE
            | words::DETERMINER
            | words::NEGATION
            | words::ADVERB
            | words::FORMER
            | words::REPORT
            | words::ORDINAL;
        if next.is(other)
            || words::COUNTS.contains(&next.lower.as_str())
            || self.lexicon.is_verb(next)
            || words::is_verb_stem(&next.stem)
            || next.lower.ends_with("ly")
        {
            return false;
        }
        // An unknown word before an article or preposition is a verb more often than a noun.
        let after = self.tokens.get(end + 1);
        let verb = next.lower.ends_with('s')
            && after
                .is_some_and(|after| after.is(words::DETERMINER | words::POSSESSIVE) || after.is_capital());
        !verb && !next.lower.ends_with("ing")
    }

    /// Sorts the mentions from a position on; those before are sorted and stand before them.
    pub(crate) fn finish_from(&mut self, first: usize) {
        self.ments[first..].sort_by_key(|ment| ment.start);
        for (position, ment) in self.ments.iter().enumerate().skip(first) {
            for token in ment.start..ment.end {
                self.at[token] = position as u32 + 1;
            }
        }
    }

    /// Marks the tokens of a time expression.
    pub(crate) fn mark_time(&mut self, range: Range<usize>) {
        for token in range.clone() {
            self.time_end[token] = range.end as u32;
            self.time_start[token] = range.start as u32 + 1;
        }
    }

    /// Returns the positions of the mentions that start in a range of tokens.
    pub(crate) fn ments_in(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.ments.partition_point(|ment| ment.start < range.start);
        let end = self.ments.partition_point(|ment| ment.start < range.end);
        start..end.max(start)
    }

    pub(crate) fn ment_at(&self, token: usize) -> Option<usize> {
        self.at.get(token).copied().filter(|found| *found != 0).map(|found| found as usize - 1)
    }

    /// Returns the mention that ends before a token; the genitive's sign belongs to none.
    pub(crate) fn ment_ending(&self, token: usize) -> Option<usize> {
        let found = self.ment_at(token.checked_sub(1)?)?;
        (self.ments[found].end == token).then_some(found)
    }

    pub(crate) fn time_at(&self, token: usize) -> Option<usize> {
        self.time_end.get(token).copied().filter(|end| *end != 0).map(|end| end as usize)
    }

    pub(crate) fn time_ending(&self, token: usize) -> Option<usize> {
        self.time_start
            .get(token.checked_sub(1)?)
            .copied()
            .filter(|start| *start != 0)
            .map(|start| start as usize - 1)
    }

    pub(crate) fn member(&self, ment: usize) -> &Member {
        &self.cast[self.ments[ment].who]
    }

    /// Tells whether a member is, or while types are looked for may be, of a concept.
    pub(crate) fn can_be(&self, who: usize, wanted: &str) -> bool {
        match self.cast[who].concept {
            Some(concept) => self.lexicon.descends(concept, wanted),
            None => self.open,
        }
    }

    /// Tells whether a range holds a name that nothing is known of.
    pub(crate) fn names_unknown(&self, range: Range<usize>) -> bool {
        range.into_iter().any(|position| {
            let token = &self.tokens[position];
            token.is_capital()
                && self.at[position] == 0
                && self.time_end[position] == 0
                && !token.is(words::STARTER | words::CALENDAR | words::PEOPLE_ADJECTIVE | words::HONORIFIC)
        })
    }

    /// Tells whether a concept is a special kind of what a mention is known to be.
    pub(crate) fn may_refine(&self, ment: usize, wanted: &str) -> bool {
        self.member(ment).concept.is_some_and(|concept| {
            self.lexicon
                .concept(wanted)
                .is_some_and(|wanted| self.lexicon.descends(wanted, &self.lexicon.kinds[concept].id))
        })
    }

    pub(crate) fn is_personal(&self, ment: usize) -> bool {
        self.is_person(self.ments[ment].who)
    }

    pub(crate) fn is_person(&self, who: usize) -> bool {
        self.cast[who].concept.is_some_and(|concept| self.lexicon.kinds[concept].personal)
    }

    /// Returns the bytes of a range of tokens.
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        match (self.tokens.get(range.start), self.tokens.get(range.end.saturating_sub(1))) {
            (Some(first), Some(last)) if range.start < range.end => {
                Span::new(first.span.start, last.span.end)
            }
            _ => Span::default_at(self.text.len()),
        }
    }

    /// Tells whether a token may stand before the noun of its phrase.
    pub(crate) fn is_premodifier(&self, position: usize) -> bool {
        let token = &self.tokens[position];
        if self.at[position] != 0 || self.time_end[position] != 0 {
            return false;
        }
        match token.shape {
            Shape::Number => true,
            Shape::Lower => {
                !token.is(words::PREPOSITION
                    | words::AND
                    | words::BUT
                    | words::RELATIVE
                    | words::SUBORDINATE
                    | words::AUXILIARY
                    | words::PERSONAL
                    | words::NEGATION
                    | words::ADVERB)
                    && !((token.is_verb_like() || is_gerund(token)) && !self.after_determiner(position))
            }
            Shape::Capital | Shape::Upper | Shape::Mixed => {
                !token.is(words::PERSONAL | words::RELATIVE)
                    && !(token.is(words::STARTER) && token.is(words::PREPOSITION))
            }
            _ => false,
        }
    }

    fn after_determiner(&self, position: usize) -> bool {
        position > 0 && self.tokens[position - 1].is(words::DETERMINER | words::POSSESSIVE)
    }

    /// Walks left from a noun to the start of its phrase: over adjectives and nouns, up to and with an article.
    pub(crate) fn phrase_start(&self, floor: usize, noun: usize) -> usize {
        let mut start = noun;
        while start > floor && noun - start < 8 {
            let token = &self.tokens[start - 1];
            if token.is(words::DETERMINER | words::POSSESSIVE) && self.at[start - 1] == 0 {
                return start - 1;
            }
            // "the Oslo company": a name that only describes the noun.
            if let Some(found) = self.ment_at(start - 1)
                && self.ments[found].modifies
                && !self.ments[found].possessive
                && self.ments[found].start >= floor
            {
                start = self.ments[found].start;
                continue;
            }
            // "X's director": the owner is a mention of its own.
            if token.shape == Shape::Genitive || !self.is_premodifier(start - 1) {
                break;
            }
            start -= 1;
        }
        start
    }

    /// Skips a bracketed part to the left: returns the position of its opening.
    pub(crate) fn open_of(&self, floor: usize, close: usize) -> Option<usize> {
        let mut depth = 0usize;
        for position in (floor..=close).rev() {
            match self.tokens[position].lower.as_str() {
                ")" | "]" => depth += 1,
                "(" | "[" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(position);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Skips a bracketed part to the right: returns the position after its closing.
    pub(crate) fn close_of(&self, open: usize, ceiling: usize) -> Option<usize> {
        let mut depth = 0usize;
        for position in open..ceiling {
            match self.tokens[position].lower.as_str() {
                "(" | "[" => depth += 1,
                ")" | "]" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(position + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    pub(crate) fn is_verb(&self, position: usize) -> bool {
        let token = &self.tokens[position];
        self.at[position] == 0
            && self.lexicon.is_verb(token)
            && !self.after_determiner(position)
            && !(position > 0 && self.tokens[position - 1].shape == Shape::Genitive)
    }

    /// Tells whether a finite verb stands at a token, adverbs skipped.
    pub(crate) fn verb_follows(&self, mut position: usize, ceiling: usize) -> bool {
        while position < ceiling
            && self.tokens[position].is(words::ADVERB)
            && !self.tokens[position].is(words::AUXILIARY)
        {
            position += 1;
        }
        position < ceiling && self.is_verb(position) && !self.tokens[position].lower.ends_with("ing")
    }
}

/// "starring", "serving"; "building" is a noun.
fn is_gerund(token: &Token) -> bool {
    token.lower.len() > 5 && token.lower.ends_with("ing") && token.stem != token.lower
}

/// An empty span where nothing better is known.
trait DefaultAt {
    fn default_at(position: usize) -> Span;
}

impl DefaultAt for Span {
    fn default_at(position: usize) -> Span {
        Span::new(position, position)
    }
}
