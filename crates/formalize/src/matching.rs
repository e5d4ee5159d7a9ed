//! Cues in a sentence: which words of it are the words of a cue.

use std::ops::Range;

use crate::cues::{Cue, Frame};
use crate::scene::Scene;
use crate::tokens::Shape;
use crate::words;

/// A cue found in a sentence.
#[derive(Debug, Clone)]
pub(crate) struct Match {
    pub(crate) cue: usize,
    pub(crate) tokens: Vec<usize>,
    pub(crate) end: usize,
    pub(crate) gap: bool,
    /// The preposition of the cue is there.
    pub(crate) tail: bool,
    /// It stands before a relative pronoun to the left.
    pub(crate) fronted: bool,
}

/// Finds all cues of a sentence.
pub(crate) fn find_cues(scene: &Scene<'_>, sentence: &Range<usize>) -> Vec<Match> {
    let mut matches = Vec::new();
    for position in sentence.clone() {
        let token = &scene.tokens[position];
        if scene
            .ment_at(position)
            .is_some_and(|found| scene.ments[found].form != mge_core::MentionForm::Reference)
            || token.shape == Shape::Sign
        {
            continue;
        }
        let inside_title = is_inside_title(scene, sentence, position);
        for &cue in scene.lexicon.cues_at(&token.stem) {
            let frame = &scene.lexicon.cues[cue];
            if inside_title && (frame.frame == Frame::Verb || frame.literal.is_some()) {
                continue;
            }
            if let Some(found) = match_cue(scene, sentence, cue, position) {
                matches.push(found);
            }
        }
    }
    matches
}

/// "The Life and Death of", "Made in Oslo": a word with a capital within a sentence is a part of a title.
fn is_inside_title(scene: &Scene<'_>, sentence: &Range<usize>, position: usize) -> bool {
    let opens = |at: usize| {
        at == sentence.start
            || scene.tokens[at - 1].shape == Shape::Sign
                && !scene.tokens[at - 1].is_sign(",")
                && !scene.tokens[at - 1].is_quote()
    };
    scene.tokens[position].is_capital() && !opens(position)
}

fn match_cue(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    position_of_cue: usize,
    start: usize,
) -> Option<Match> {
    let cue = &scene.lexicon.cues[position_of_cue];
    let token = &scene.tokens[start];
    match cue.frame {
        Frame::Verb => {
            if !verbal(scene, cue, start) {
                return None;
            }
        }
        // "released" is no "release".
        Frame::Noun { .. } if token.shape == Shape::Lower && token.lower.ends_with("ed") => return None,
        Frame::Noun { .. } => {
            let before = start
                .checked_sub(1)
                .filter(|before| *before >= sentence.start)
                .map(|before| &scene.tokens[before]);
            if before.is_some_and(|before| {
                before.is(words::PERSONAL) && !before.is(words::POSSESSIVE) || before.lower == "to"
            }) {
                return None;
            }
        }
        Frame::Preposition => {
            if token.shape != Shape::Lower {
                return None;
            }
        }
    }
    // Of a value's cue the preposition may be another, or stand after a name: "founded it in".
    let literal_tail = cue.literal.is_some() && cue.tail && cue.frame == Frame::Verb && cue.core() >= 1;
    let wanted = if literal_tail { &cue.stems[..cue.core()] } else { &cue.stems[..] };
    let mut tokens = vec![start];
    let mut cursor = start + 1;
    let mut gap = false;
    for (index, stem) in wanted.iter().enumerate().skip(1) {
        let last = index + 1 == cue.stems.len() && cue.tail;
        let found = (cursor..sentence.end).take(if last { 9 } else { 3 }).try_fold((), |(), position| {
            let token = &scene.tokens[position];
            if token.stem == *stem && (!last || token.is(words::PREPOSITION) || token.lower == "as") {
                return Err(Some(position));
            }
            let light =
                token.is(words::DETERMINER | words::ADVERB | words::POSSESSIVE) && token.lower != "not";
            if light || last && may_fill_gap(scene, cue, cursor, position) { Ok(()) } else { Err(None) }
        });
        let Err(Some(position)) = found else {
            // "X's director" has no preposition; "director of" is its cue all the same.
            let genitive = last
                && matches!(cue.frame, Frame::Noun { .. })
                && matches!(cue.words.last().map(String::as_str), Some("of" | "for" | "to" | "at" | "by"));
            if genitive {
                return Some(Match {
                    cue: position_of_cue,
                    tokens,
                    end: cursor,
                    gap,
                    tail: false,
                    fronted: false,
                });
            }
            // "to which it was awarded": the preposition stands before the relative pronoun.
            let lowest = sentence.start.max(start.saturating_sub(12));
            let fronted = last
                && (lowest..start).any(|at| {
                    scene.tokens[at].stem == *stem
                        && matches!(scene.tokens[at + 1].lower.as_str(), "which" | "whom")
                });
            return fronted.then_some(Match {
                cue: position_of_cue,
                tokens,
                end: cursor,
                gap,
                tail: true,
                fronted: true,
            });
        };
        gap |= (cursor..position).any(|between| !scene.tokens[between].is(words::DETERMINER | words::ADVERB));
        tokens.push(position);
        cursor = position + 1;
    }
    Some(Match { cue: position_of_cue, tokens, end: cursor, gap, tail: true, fronted: false })
}

/// What may stand between a verb or noun and its preposition: "born on 5 May in", "director and founder of".
fn may_fill_gap(scene: &Scene<'_>, cue: &Cue, from: usize, position: usize) -> bool {
    let token = &scene.tokens[position];
    if scene.time_at(position).is_some() {
        return true;
    }
    if scene.ment_at(position).is_some() {
        return false;
    }
    match cue.frame {
        // "born and brought up in": participles joined with the verb.
        Frame::Verb if position - from < 4 && is_joined_participle(scene, position) => true,
        Frame::Verb => {
            token.shape == Shape::Lower
                && position - from < 5
                && !token.is(words::PREPOSITION
                    | words::AND
                    | words::BUT
                    | words::RELATIVE
                    | words::AUXILIARY
                    | words::SUBORDINATE
                    | words::PERSONAL
                    | words::NEGATION)
                && !scene.is_verb(position)
        }
        Frame::Noun { .. } => {
            position - from < 5
                && token.shape != Shape::Sign
                && !token.is(words::PREPOSITION
                    | words::RELATIVE
                    | words::AUXILIARY
                    | words::PERSONAL
                    | words::NEGATION)
                && scene.tokens[from].is(words::AND)
                && !scene.is_verb(position)
        }
        Frame::Preposition => false,
    }
}

/// "and brought up" behind a participle: each of the three words.
fn is_joined_participle(scene: &Scene<'_>, position: usize) -> bool {
    let token = |at: usize| scene.tokens.get(at);
    let participle = |at: usize| token(at).is_some_and(|token| token.is_participle());
    let and = |at: usize| token(at).is_some_and(|token| token.lower == "and");
    and(position) && participle(position + 1)
        || position > 0 && participle(position) && and(position - 1)
        || position > 1
            && and(position - 2)
            && participle(position - 1)
            && matches!(scene.tokens[position].lower.as_str(), "up" | "out")
}

/// Tells whether the token is the verb that the cue means.
fn verbal(scene: &Scene<'_>, cue: &Cue, position: usize) -> bool {
    let token = &scene.tokens[position];
    let before = position.checked_sub(1).map(|before| &scene.tokens[before]);
    if before.is_some_and(|before| {
        before.is(words::DETERMINER) && !before.is(words::RELATIVE) || before.shape == Shape::Genitive
    }) {
        return false;
    }
    if before.is_some_and(|before| before.is(words::POSSESSIVE) && before.lower != "her") {
        return false;
    }
    if !matches!(token.shape, Shape::Lower | Shape::Capital) {
        return false;
    }
    let exact = cue.words.first().is_some_and(|word| *word == token.lower);
    if words::is_plural_noun(&token.lower) && !exact {
        return false;
    }
    // A noun made of the same letters: "a lead", "the work of".
    let inflected =
        token.lower != token.stem || token.is(words::VERB | words::PARTICIPLE) || token.lower.ends_with("ed");
    if !inflected {
        // A base form needs a plural subject or an auxiliary before it.
        return before.is_none_or(|before| {
            before.is(words::AUXILIARY | words::PERSONAL | words::RELATIVE | words::ADVERB | words::AND)
                || before.lower == "to"
                || before.is_word() && scene.ment_at(position - 1).is_some()
                || before.lower.ends_with('s')
        }) || exact;
    }
    true
}
