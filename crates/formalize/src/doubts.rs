//! Reasons to leave a claim out: a name that is cut short, or an end that stands outside the bracket of its cue.
//!
//! What was read is a claim only if its ends are whole names. A name that goes on in words that the rules did not take
//! for a part of it would put the claim on another thing.

use std::ops::Range;

use mge_core::MentionForm;

use crate::relations::{Draft, Said};
use crate::scene::{Ment, Scene};
use crate::tokens::{Shape, Token};
use crate::words;

/// Tells whether a draft is better left out.
pub(crate) fn in_doubt(scene: &Scene<'_>, draft: &Draft) -> bool {
    let object = match &draft.object {
        Said::Ment(ment) => Some(*ment),
        Said::Value(..) => None,
    };
    [Some(draft.subject), object].into_iter().flatten().any(|position| {
        let ment = &scene.ments[position];
        if ment.form == MentionForm::Reference {
            return is_said_to_be_another(scene, &draft.sentence, position);
        }
        is_cut_short(scene, draft, position)
            || ment.modifies && !touches(&draft.cue, ment.end)
            || outside_bracket(scene, draft, ment)
    })
}

/// Tells whether a cue begins where a name ends: "Aurora director".
fn touches(cue: &Range<usize>, end: usize) -> bool {
    cue.contains(&end)
}

/// Tells whether the words around a mention belong to its name.
fn is_cut_short(scene: &Scene<'_>, draft: &Draft, position: usize) -> bool {
    let ment = &scene.ments[position];
    let sentence = &draft.sentence;
    goes_on(scene, draft, ment) || began_before(scene, sentence, ment) || is_tail(scene, sentence, position)
}

/// "Cavendish-Bentinck", "Alamo Rent a Car", "Ingerman of Hesbaye", "Star Wars: A New Hope": more of the name to the right.
fn goes_on(scene: &Scene<'_>, draft: &Draft, ment: &Ment) -> bool {
    let end = ment.name_end;
    let token = |at: usize| scene.tokens.get(at).filter(|_| at < draft.sentence.end);
    let Some(next) = token(end) else { return false };
    let capital_after = token(end + 1).is_some_and(Token::is_capital);
    match next.shape {
        // In some texts the hyphens of names stand apart: "Kim Yo - jong".
        Shape::Sign if next.lower == "-" => {
            token(end + 1).is_some_and(|after| after.is_word() && !after.is(words::DETERMINER))
        }
        Shape::Sign if !next.spaced => {
            matches!(next.lower.as_str(), "–" | "/" | "&" | "+") && token(end + 1).is_some()
                || next.is_sign(":") && capital_after && ment.start > draft.sentence.start
        }
        Shape::Lower if matches!(next.lower.as_str(), "a" | "an") => capital_after,
        Shape::Lower if next.lower == "of" => {
            let one = ment.name_end - ment.start == 1;
            one && capital_after
                && scene.cast[ment.who].concept.is_some_and(|concept| scene.lexicon.kinds[concept].personal)
        }
        Shape::Capital | Shape::Upper | Shape::Mixed => {
            scene.ment_at(end).is_none()
                && !draft.cue.contains(&end)
                && !next.is(words::PERSONAL | words::CALENDAR)
                && scene.time_at(end).is_none()
                && scene.lexicon.phrase_at(&scene.tokens[..draft.sentence.end], end).is_none()
        }
        _ => false,
    }
}

/// "Marie-Amélie Seigner", "the 2003 South Dakota …", "Rent Alamo": the name begins before the mention.
fn began_before(scene: &Scene<'_>, sentence: &Range<usize>, ment: &Ment) -> bool {
    let Some(at) = ment.start.checked_sub(1).filter(|at| *at >= sentence.start) else { return false };
    let before = &scene.tokens[at];
    let first = &scene.tokens[ment.start];
    let capital_before = at > sentence.start && scene.tokens[at - 1].is_capital();
    // "Peter Lynn “Pete” Ashdown": a byname stands between the parts.
    if before.is_quote() && first.spaced && !before.spaced && at > sentence.start {
        let open = (sentence.start..at).rev().take(5).find(|open| scene.tokens[*open].is_quote());
        return open.is_some_and(|open| {
            let capital = |at: usize| scene.tokens[at].is_capital();
            scene.tokens[open].spaced && open > sentence.start && capital(open - 1) && capital(open + 1)
        });
    }
    // "Ronald (“Ron”) Owen Laird": so does one in a bracket.
    if before.is_sign(")") && first.spaced {
        let floor = sentence.start.max(at.saturating_sub(5));
        let open = scene.open_of(floor, at).filter(|open| *open > sentence.start);
        return open.is_some_and(|open| {
            scene.tokens[open - 1].is_capital() && scene.tokens[open + 1..at].iter().any(Token::is_quote)
        });
    }
    match before.shape {
        Shape::Sign => {
            matches!(before.lower.as_str(), "-" | "–" | "&" | "+") && !before.spaced && capital_before
        }
        Shape::Capital | Shape::Upper | Shape::Mixed => {
            let described = before.is(words::STARTER
                | words::DETERMINER
                | words::PREPOSITION
                | words::HONORIFIC
                | words::PEOPLE_ADJECTIVE
                | words::CALENDAR
                | words::FORMER)
                || scene.lexicon.phrase_before(scene.tokens, sentence.start, ment.start).is_some()
                || scene.lexicon.is_cue_noun(&before.stem);
            first.spaced && !described && scene.ment_at(at).is_none() && scene.time_at(at).is_none()
        }
        _ => false,
    }
}

/// "Ingerman of Hesbaye", "Count of Perche": of a person's name or office, only what stands behind its "of".
fn is_tail(scene: &Scene<'_>, sentence: &Range<usize>, position: usize) -> bool {
    let ment = &scene.ments[position];
    if !scene.is_personal(position) || ment.name_end - ment.start != 1 {
        return false;
    }
    let of = ment.start.checked_sub(1).filter(|of| *of > sentence.start + 1);
    of.is_some_and(|of| scene.tokens[of].lower == "of" && scene.tokens[of - 1].is_capital())
}

/// "It is one of the earliest wind farms", said of a mountain: the pronoun means another thing.
fn is_said_to_be_another(scene: &Scene<'_>, sentence: &Range<usize>, position: usize) -> bool {
    let ment = &scene.ments[position];
    let known = scene.cast[ment.who].concept.filter(|known| !scene.lexicon.kinds[*known].personal);
    let Some(known) = known else { return false };
    let ceiling = sentence.end.min(ment.end + 12);
    let token = |at: usize| scene.tokens.get(at).filter(|_| at < ceiling);
    let says = token(ment.end).is_some_and(|verb| verb.is(words::BE))
        && token(ment.end + 1).is_some_and(|first| first.is(words::DETERMINER) || first.lower == "one");
    if ment.start != sentence.start || !says {
        return false;
    }
    // "one of the" opens the phrase; its noun is the last word before what hangs on it.
    let start = ment.end + if token(ment.end + 2).is_some_and(|of| of.lower == "of") { 3 } else { 2 };
    let end = (start..ceiling).find(|at| {
        let token = &scene.tokens[*at];
        token.is(words::PREPOSITION | words::RELATIVE | words::AND)
            || token.shape == Shape::Sign
            || token.is_participle()
    });
    let end = end.unwrap_or(ceiling).max(start);
    let Some((_, senses)) = scene.lexicon.phrase_before(scene.tokens, start, end) else {
        return false;
    };
    let id = |concept: usize| scene.lexicon.kinds[concept].id.as_str();
    let agrees = |concept: usize| {
        scene.lexicon.descends(concept, id(known)) || scene.lexicon.descends(known, id(concept))
    };
    !senses.iter().any(|sense| agrees(sense.concept))
}

/// "the Duke (since 1295 King of Poland)": what a bracket says is said of the name before it.
fn outside_bracket(scene: &Scene<'_>, draft: &Draft, ment: &Ment) -> bool {
    let cue = enclosing(scene, &draft.sentence, draft.cue.start);
    let own = enclosing(scene, &draft.sentence, ment.start);
    match (cue, own) {
        (Some(open), own) if own != Some(open) => scene.ment_ending(open).is_none_or(|before| {
            let before = &scene.ments[before];
            before.start != ment.start && before.who != ment.who
        }),
        (None, Some(open)) => open > draft.cue.start,
        _ => false,
    }
}

/// Finds the bracket that is open at a position.
pub(crate) fn enclosing(scene: &Scene<'_>, sentence: &Range<usize>, position: usize) -> Option<usize> {
    let mut depth = 0usize;
    for cursor in (sentence.start..position).rev().take(40) {
        if scene.tokens[cursor].is_sign(")") {
            depth += 1;
        } else if scene.tokens[cursor].is_sign("(") {
            if depth == 0 {
                return Some(cursor);
            }
            depth -= 1;
        }
    }
    None
}
