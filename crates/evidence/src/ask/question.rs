use std::collections::{BTreeMap, BTreeSet};

use mge_core::Interval;
use mge_ontology::Ontology;

use super::names::{self, Names};
use super::relations::Phrases;
use super::time::{self, Asked};
use super::words::{Role, Word, is_past_form, words};
use crate::error::StoreError;
use crate::read::Reader;

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Who, whom, whose.
    Someone,
    /// Where.
    Place,
    /// When, since when, in which year.
    Time,
    /// How many, how much.
    Amount,
    /// Which, what, or no question word at all.
    Anything,
    /// Whether it is so.
    Yes,
}

/// A question, as far as its words tell.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) words: Vec<Word>,
    pub(super) names: Names,
    pub(super) wanted: Wanted,
    /// The concepts that the answer is of one of; empty when it asks for none.
    pub(super) concepts: Vec<String>,
    pub(super) asked: Option<Asked>,
    /// Dates that it names, which may be values.
    pub(super) dates: Vec<Interval>,
    /// It speaks of the past.
    pub(super) past: bool,
    /// Words that name a concept, by position, and which.
    pub(super) concept_words: BTreeMap<usize, Vec<String>>,
}

impl Question {
    /// Reads a question.
    pub(super) fn read(reader: &Reader<'_>, text: &str, phrases: &Phrases) -> Result<Self, StoreError> {
        let mut words = words(text);
        let (asked, dates) = time::find(text, &mut words, reader.now);
        let ontology = reader.ontology;
        let meant =
            |word: &Word| phrases.uses(&word.root) || ontology.concepts_named(&word.folded).next().is_some();
        let names = names::find(reader, text, &mut words, &meant)?;
        let (wanted, at) = wanted(&words);
        let (concepts, concept_words) = concepts(ontology, &words, wanted, at);
        let past = is_past(&words) || asked == Some(Asked::Before);
        Ok(Self { wanted, concepts, asked, dates, past, concept_words, names, words })
    }

    /// Returns the words that are not explained by names, dates or the words of a relation, nor as the kind of
    /// something that the question or its answer is about (`kinds`, the ids of their concepts).
    pub(super) fn unexplained(
        &self,
        ontology: &Ontology,
        used: &BTreeSet<usize>,
        kinds: &[String],
    ) -> Vec<&Word> {
        let of_kind = |position: &usize| {
            self.concept_words.get(position).is_some_and(|named| {
                named.iter().any(|id| kinds.iter().any(|kind| ontology.descends(kind, id)))
            })
        };
        self.words
            .iter()
            .enumerate()
            .filter(|(position, word)| {
                word.is_free()
                    && !word.is_stop()
                    && !word.is_lenient()
                    && !used.contains(position)
                    && !of_kind(position)
            })
            .map(|(_, word)| word)
            .collect()
    }

    /// Tells whether the question asks for what is not so. What is merely not stated would be taken for an answer.
    pub(super) fn is_negated(&self) -> bool {
        const NEGATIONS: [&str; 9] =
            ["not", "never", "no", "none", "nobody", "nothing", "neither", "nor", "cannot"];
        // Without its apostrophe: "doesnt", "isnt", "wont".
        const CONTRACTED: [&str; 14] = [
            "isnt", "arent", "wasnt", "werent", "doesnt", "dont", "didnt", "hasnt", "havent", "hadnt",
            "cant", "wont", "wouldnt", "couldnt",
        ];
        let negates = |word: &str| NEGATIONS.contains(&word) || CONTRACTED.contains(&word);
        self.words.iter().any(|word| word.is_free() && word.quoted.is_none() && negates(&word.folded))
    }

    /// Tells whether a word stands free in the question.
    pub(super) fn has(&self, folded: &str) -> bool {
        self.words.iter().any(|word| word.is_free() && word.folded == folded)
    }
}

/// Finds what is asked for, and the position of the word that says so.
fn wanted(words: &[Word]) -> (Wanted, Option<usize>) {
    for (position, word) in words.iter().enumerate().filter(|(_, word)| word.is_free()) {
        let next = words.get(position + 1).map_or("", |word| word.folded.as_str());
        let wanted = match word.folded.as_str() {
            "who" | "whom" | "whose" => Wanted::Someone,
            "where" => Wanted::Place,
            "when" => Wanted::Time,
            "how" if matches!(next, "many" | "much") => return (Wanted::Amount, Some(position + 1)),
            "what" | "which" if matches!(next, "year" | "date" | "day" | "month") => Wanted::Time,
            "what" | "which" if matches!(next, "place") => Wanted::Place,
            "what" | "which" => Wanted::Anything,
            _ => continue,
        };
        return (wanted, Some(position));
    }
    const ASKING: &[&str] = &[
        "is", "are", "was", "were", "does", "do", "did", "has", "have", "had", "can", "could", "will",
        "would", "isnt", "wasnt", "doesnt", "didnt", "arent",
    ];
    match words.first() {
        Some(first) if ASKING.contains(&first.folded.as_str()) => (Wanted::Yes, Some(0)),
        _ => (Wanted::Anything, None),
    }
}

/// Finds the words that name concepts; those right after "which", "what" or "how many" say what the answer is.
fn concepts(
    ontology: &Ontology,
    words: &[Word],
    wanted: Wanted,
    at: Option<usize>,
) -> (Vec<String>, BTreeMap<usize, Vec<String>>) {
    let mut answer = Vec::new();
    let mut used = BTreeMap::new();
    let mut position = 0;
    while position < words.len() {
        let longest = (1..=3).rev().find_map(|length| {
            let part = words.get(position..position + length)?;
            let fits = part.iter().all(|word| word.is_free() && word.quoted.is_none());
            if !fits || part.iter().all(Word::is_stop) {
                return None;
            }
            let name: Vec<&str> = part.iter().map(|word| word.folded.as_str()).collect();
            let found: Vec<String> =
                ontology.concepts_named(&name.join(" ")).map(|concept| concept.id.clone()).collect();
            (!found.is_empty()).then_some((length, found))
        });
        let Some((length, found)) = longest else {
            position += 1;
            continue;
        };
        used.extend((position..position + length).map(|position| (position, found.clone())));
        // "which of the ferries", "which large ferries": what stands between must be free of names.
        let asks = at.is_some_and(|at| {
            position > at
                && position - at <= 3
                && words[at + 1..position].iter().all(|word| word.is_free() && word.is_stop())
                && !words[at + 1..position].iter().any(|word| is_auxiliary(&word.folded))
        });
        if answer.is_empty() && asks && matches!(wanted, Wanted::Anything | Wanted::Amount | Wanted::Someone)
        {
            answer = found;
        }
        position += length;
    }
    (answer, used)
}

fn is_auxiliary(word: &str) -> bool {
    matches!(word, "is" | "are" | "was" | "were" | "does" | "do" | "did" | "has" | "have" | "had")
}

/// Tells whether a question speaks of the past: by its auxiliary verb, or by its verb when it has none.
fn is_past(words: &[Word]) -> bool {
    let free = || words.iter().filter(|word| matches!(word.role, Role::Free));
    if free().any(|word| matches!(word.folded.as_str(), "was" | "were" | "did" | "had" | "wasnt" | "didnt")) {
        return true;
    }
    if free().any(|word| {
        matches!(word.folded.as_str(), "is" | "are" | "does" | "do" | "isnt" | "doesnt" | "arent")
    }) {
        return false;
    }
    // "Who has led it?" asks for any time.
    free().any(|word| matches!(word.folded.as_str(), "has" | "have"))
        || free().any(|word| is_past_form(&word.folded))
}
