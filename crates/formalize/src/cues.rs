//! Cues of relations, prepared for matching: which words, and what stands on either side of them.

use mge_ontology::{LiteralKind, Target};

use crate::tokens::{Shape, Token, tokenize};
use crate::words;

/// How a cue sits in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame {
    /// `leads`, `works on`, `founded by`, `starring`
    Verb,
    /// `director of`, `novel by`, `his father`, `capital is`
    Noun {
        /// The thing that the noun names stands left in the reading of the cue ("X, director of Y").
        holder_left: bool,
        /// No preposition says which end is which.
        bare: bool,
    },
    /// `near`, `close to`, `is in`
    Preposition,
}

/// A cue of a relation.
#[derive(Debug, Clone)]
pub(crate) struct Cue {
    /// The position of the relation.
    pub(crate) link: usize,
    /// The keys of its words, without articles and auxiliaries.
    pub(crate) stems: Vec<String>,
    /// The words themselves.
    pub(crate) words: Vec<String>,
    /// The object stands left.
    pub(crate) reversed: bool,
    /// A person wrote it for this relation.
    pub(crate) curated: bool,
    pub(crate) frame: Frame,
    /// It was given with a form of "be".
    pub(crate) be: bool,
    /// It ends in "by".
    pub(crate) by: bool,
    /// It ends in a preposition.
    pub(crate) tail: bool,
    /// What the object is, when a value.
    pub(crate) literal: Option<LiteralKind>,
}

impl Cue {
    /// Returns the noun of a nominal cue: the last word before the preposition.
    pub(crate) fn noun(&self) -> Option<&str> {
        let end = if self.tail { self.stems.len().checked_sub(1)? } else { self.stems.len() };
        self.stems.get(end.checked_sub(1)?).map(String::as_str)
    }

    /// Returns the number of words before the preposition.
    pub(crate) fn core(&self) -> usize {
        if self.tail { self.stems.len().saturating_sub(1) } else { self.stems.len() }
    }
}

/// Prepositions that say enough by themselves.
const STRONG: &[&str] =
    &["near", "beside", "opposite", "between", "behind", "below", "above", "inside", "outside"];

/// Adjectives and nouns that make a preposition of more than one word.
const PHRASAL: &[&str] = &[
    "close",
    "next",
    "adjacent",
    "north",
    "south",
    "east",
    "west",
    "northwest",
    "northeast",
    "southwest",
    "southeast",
    "miles",
    "kilometers",
    "kilometres",
    "similar",
    "opposite",
    "ahead",
    "parallel",
    "related",
    "equal",
    "due",
    "same",
    "responsible",
    "available",
    "compatible",
    "dependent",
    "subject",
    "native",
    "home",
    "present",
    "absent",
    "full",
    "part",
];

/// Reads a cue; one without a word of its own has no use.
pub(crate) fn prepare(cue: &mge_ontology::Cue, link: usize, dst: &Target) -> Option<Cue> {
    let mut tokens: Vec<Token> = tokenize(&cue.text)
        .into_iter()
        .filter(|token| token.is_word() || token.shape == Shape::Number)
        .collect();
    let (mut be, mut possessive, mut trailing_be) = (false, false, false);
    while let Some(first) = tokens.first() {
        let next = tokens.get(1);
        if first.is(words::HAVE) && next.is_some_and(|next| !next.is_participle() && !next.is(words::BE)) {
            // "has its seat in": here it is the verb itself.
            break;
        }
        if first.is(words::BE | words::HAVE) && tokens.len() > 1 {
            be |= first.is(words::BE);
        } else if first.is(words::POSSESSIVE) {
            possessive = true;
        } else if !(first.is(words::DETERMINER) || matches!(first.lower.as_str(), "who" | "which")) {
            break;
        }
        tokens.remove(0);
    }
    while tokens.last().is_some_and(|last| last.is(words::BE) && !last.is(words::NEGATION)) {
        trailing_be = true;
        tokens.pop();
    }
    let has = tokens.first().is_some_and(|first| first.is(words::HAVE));
    tokens.retain(|token| {
        !matches!(token.lower.as_str(), "a" | "an" | "the") && !(has && token.is(words::POSSESSIVE))
    });
    // "played the role of": "his" and the like inside a cue stand for whatever the text has.
    let first = tokens.first()?;
    let last = tokens.last()?;
    let tail =
        last.is(words::PREPOSITION) && !(tokens.len() == 1) || (tokens.len() > 1 && last.lower == "as");
    let by = last.lower == "by";
    // "release" of a text is the noun, though "released" is a verb.
    let names_text = tokens.len() == 1
        && matches!(dst, Target::Literal(LiteralKind::Text))
        && !be
        && !first.is_participle()
        && !first.lower.ends_with('s')
        && !first.lower.ends_with("ing");
    let frame = if tokens.len() == 1 && first.is(words::PREPOSITION) {
        if !be && !STRONG.contains(&first.lower.as_str()) && weak(first) {
            return None;
        }
        Frame::Preposition
    } else if possessive || trailing_be {
        Frame::Noun { holder_left: false, bare: false }
    } else if tail
        && (first.is(words::PREPOSITION) || PHRASAL.contains(&first.lower.as_str()) && tokens.len() == 2)
    {
        Frame::Preposition
    } else if is_verb(first, tokens.get(1)) && !names_text {
        Frame::Verb
    } else if tail {
        Frame::Noun { holder_left: true, bare: false }
    } else {
        // "director": read as "X's director is Y".
        Frame::Noun { holder_left: false, bare: true }
    };
    let literal = match dst {
        Target::Literal(kind) => Some(*kind),
        Target::Concept(_) => None,
    };
    Some(Cue {
        link,
        stems: tokens.iter().map(|token| token.stem.clone()).collect(),
        words: tokens.iter().map(|token| token.lower.clone()).collect(),
        reversed: cue.reversed,
        curated: cue.curated,
        frame,
        be,
        by,
        tail,
        literal,
    })
}

/// Makes the other forms of a cue that is one verb: of "owned by" the active "<owns" and the noun "owner".
pub(crate) fn derived(cue: &Cue) -> Vec<Cue> {
    let plain = cue.frame == Frame::Verb && cue.core() == 1 && (!cue.tail || cue.by) && cue.literal.is_none();
    let Some(verb) = cue.stems.first().filter(|_| plain) else { return Vec::new() };
    let one = |stem: String, frame: Frame, reversed: bool| Cue {
        words: vec![stem.clone()],
        stems: vec![stem],
        frame,
        reversed,
        be: false,
        by: false,
        tail: false,
        ..cue.clone()
    };
    // In the reading of the noun ("Y's owner is X") the one who acts stands right.
    let acts_left = cue.reversed == cue.by;
    let noun = Frame::Noun { holder_left: false, bare: true };
    let doubled =
        verb.chars().last().filter(|last| !"aeiouy".contains(*last)).map(|last| format!("{verb}{last}er"));
    let mut forms: Vec<Cue> = [format!("{verb}er"), format!("{verb}or")]
        .into_iter()
        .chain(doubled)
        .map(|form| Cue { curated: false, ..one(form, noun, acts_left) })
        .collect();
    // "chair", "head": a noun as much as a verb.
    if !cue.by && words::AGENTS.contains(&cue.words[0].as_str()) {
        forms.push(one(verb.clone(), noun, cue.reversed));
    }
    if cue.by {
        forms
            .push(Cue { words: vec![cue.words[0].clone()], ..one(verb.clone(), Frame::Verb, !cue.reversed) });
    }
    forms
}

/// Prepositions that hold between anything and anything.
fn weak(token: &Token) -> bool {
    matches!(
        token.lower.as_str(),
        "with" | "of" | "to" | "as" | "after" | "before" | "during" | "over" | "like"
    )
}

/// Tells a verb from a noun by its form.
fn is_verb(first: &Token, second: Option<&Token>) -> bool {
    let lower = first.lower.as_str();
    if words::is_plural_noun(lower) {
        return false;
    }
    if first.is(words::VERB | words::PARTICIPLE | words::APPOINT) {
        return true;
    }
    // "head office", "managing director": two nouns.
    let compound = second.is_some_and(|second| {
        !second.is(words::PREPOSITION | words::DETERMINER | words::ADVERB | words::POSSESSIVE)
    });
    if compound && lower.ends_with("ing") {
        return false;
    }
    if lower.len() > 3 && (lower.ends_with("ed") && !lower.ends_with("eed") || lower.ends_with("ing")) {
        return lower.ends_with("ed") || lower == first.stem.as_str() || first.stem != lower;
    }
    let followed =
        second.is_some_and(|second| second.is(words::PREPOSITION) && !matches!(second.lower.as_str(), "of"));
    if lower.ends_with('s') && !lower.ends_with("ss") {
        return words::is_verb_stem(&first.stem) || followed;
    }
    // A base form: "own", "lead", "work on"; "head of" is a noun.
    let nominal =
        second.is_some_and(|second| matches!(second.lower.as_str(), "of" | "by" | "for" | "to" | "from"));
    // "head office": two nouns.
    let compound =
        second.is_some_and(|second| !second.is(words::PREPOSITION | words::DETERMINER | words::ADVERB));
    words::is_verb_stem(&first.stem)
        && !compound
        && first.stem.len() <= lower.len()
        && !nominal
        && is_base(lower, &first.stem)
}

/// "manage" is a base form, "manager" is none: its key is the word less a silent letter at most.
fn is_base(lower: &str, stem: &str) -> bool {
    lower == stem || lower.strip_suffix('e') == Some(stem) || lower.ends_with('y') || lower.ends_with("ll")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> Option<Frame> {
        let (reversed, text) = match text.strip_prefix('<') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let cue = mge_ontology::Cue { text: text.to_owned(), reversed, curated: true };
        prepare(&cue, 0, &Target::Concept("x".to_owned())).map(|cue| cue.frame)
    }

    #[test]
    fn cues_know_how_they_sit() {
        for verb in [
            "leads",
            "works on",
            "founded by",
            "was born in",
            "starring",
            "owns",
            "flows into",
            "own",
            "wrote",
        ] {
            assert_eq!(frame(verb), Some(Frame::Verb), "{verb}");
        }
        let noun = Some(Frame::Noun { holder_left: true, bare: false });
        for text in ["director of", "novel by", "professor at", "head of", "village in", "sequel to"] {
            assert_eq!(frame(text), noun, "{text}");
        }
        let owner = Some(Frame::Noun { holder_left: false, bare: false });
        for text in ["his father", "<capital is", "whose mother was"] {
            assert_eq!(frame(text), owner, "{text}");
        }
        for text in ["near", "close to", "is in", "south of", "under the leadership of"] {
            assert_eq!(frame(text), Some(Frame::Preposition), "{text}");
        }
        for text in ["is a", "with", "the"] {
            assert_eq!(frame(text), None, "{text}");
        }
    }
}
