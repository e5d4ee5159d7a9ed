//! The words that express a relation: given ones, and those that its id and definition suggest.

use indexmap::IndexMap;
use mge_core::name_key;

use crate::meaning::{id_words, read_list, stem_key};
use crate::model::{Concept, Cue, Relation, Target};

/// A longer stretch of a definition explains; it is not what people write in a sentence.
const LONGEST_PHRASE: usize = 4;

/// Words of a definition that introduce a verb or a noun without being part of it.
const FILLERS: [&str; 16] = [
    "a", "an", "the", "that", "which", "who", "whom", "its", "their", "some", "any", "one", "may", "can",
    "could", "other",
];

/// Reads the cues of a relation: those of its column, then those that its id and its definition suggest.
pub(crate) fn read(
    relation: &Relation,
    column: Option<&String>,
    concepts: &IndexMap<String, Concept>,
) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::new();
    for part in read_list(column) {
        let (text, reversed) = match part.strip_prefix('<') {
            Some(text) => (text, true),
            None => (part.as_str(), false),
        };
        push(&mut cues, text, reversed, true);
    }
    let words = id_words(&relation.id);
    push(&mut cues, &words, false, false);
    for auxiliary in ["is ", "has ", "was ", "are "] {
        if let Some(rest) = words.strip_prefix(auxiliary) {
            push(&mut cues, rest, false, false);
        }
    }
    if let Some((phrase, reversed)) = phrase_of_definition(relation, concepts) {
        push(&mut cues, &phrase, reversed, false);
    }
    cues
}

fn push(cues: &mut Vec<Cue>, text: &str, reversed: bool, curated: bool) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    // What is curated decides about direction, so that a guess with the same words never contradicts it.
    let known =
        cues.iter().any(|cue| cue.text == text && (cue.reversed == reversed || cue.curated && !curated));
    if !text.is_empty() && !known {
        cues.push(Cue { text, reversed, curated });
    }
}

/// Takes what a definition says between its two ends: "A teacher advises a club" gives "advises".
fn phrase_of_definition(relation: &Relation, concepts: &IndexMap<String, Concept>) -> Option<(String, bool)> {
    let Target::Concept(dst) = &relation.dst else { return None };
    let sentence = relation.definition.split(['.', ';', ',', ':', '(']).next()?;
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let source = find(&words, concepts.get(&relation.src)?, 0)?;
    // Where both ends are of one concept, the second time the word falls is the object.
    let same = relation.src == *dst;
    let target = find(&words, concepts.get(dst)?, if same { source.1 } else { 0 })?;
    let (between, reversed) = if source.1 <= target.0 {
        (source.1..target.0, false)
    } else if target.1 <= source.0 {
        (target.1..source.0, true)
    } else {
        return None;
    };
    let kept: Vec<&str> = words[between]
        .iter()
        .copied()
        .filter(|word| !FILLERS.contains(&word.to_lowercase().as_str()))
        .collect();
    let is_phrase = (1..=LONGEST_PHRASE).contains(&kept.len()) && kept.iter().any(|word| word.len() > 2);
    is_phrase.then(|| (kept.join(" "), reversed))
}

/// Finds the words that name a concept, as a range of positions.
fn find(words: &[&str], concept: &Concept, from: usize) -> Option<(usize, usize)> {
    let own = id_words(&concept.id);
    std::iter::once(&own).chain(&concept.aliases).find_map(|name| {
        let stems = stem_key(&name_key(name));
        let wanted: Vec<&str> = stems.split(' ').collect();
        let last = words.len().checked_sub(wanted.len())?;
        (from..=last).find_map(|start| {
            let fits =
                wanted.iter().zip(&words[start..]).all(|(stem, word)| stem_key(&name_key(word)) == *stem);
            fits.then_some((start, start + wanted.len()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cues(id: &str, src: &str, dst: &str, definition: &str) -> Vec<String> {
        let concept = |id: &str| (id.to_owned(), Concept { id: id.to_owned(), ..Concept::default() });
        let concepts = ["person", "person|teacher", "organization|club", "project"].map(concept).into();
        let relation = Relation {
            id: id.to_owned(),
            src: src.to_owned(),
            dst: Target::Concept(dst.to_owned()),
            definition: definition.to_owned(),
            cues: Vec::new(),
            functional: false,
            inverse_functional: false,
            symmetric: false,
            transitive: false,
            inverse_of: None,
            disjoint_with: Vec::new(),
        };
        let found = read(&relation, None, &concepts);
        assert!(found.iter().all(|cue| !cue.curated));
        found.iter().map(|cue| format!("{}{}", if cue.reversed { "<" } else { "" }, cue.text)).collect()
    }

    #[test]
    fn an_id_and_a_definition_suggest_cues() {
        let advises = cues("advises", "person|teacher", "organization|club", "A teacher advises a club.");
        assert_eq!(advises, ["advises"]);
        let principal = cues("is_head_of", "person", "project", "A person runs a project.");
        assert_eq!(principal, ["is head of", "head of", "runs"]);
        let reversed = cues("pays", "person", "project", "The project that employs a person, in full.");
        assert_eq!(reversed, ["pays", "<employs"]);
    }

    #[test]
    fn a_definition_that_explains_gives_none() {
        let long = "A person who has for at least one full year been seen near the project.";
        assert_eq!(cues("knowsOf", "person", "project", long), ["knows of"]);
        assert_eq!(cues("knows", "person", "person", "Whom one knows."), ["knows"]);
    }
}
