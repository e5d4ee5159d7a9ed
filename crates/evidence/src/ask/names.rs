use std::collections::BTreeSet;

use super::words::{Role, Word};
use crate::error::StoreError;
use crate::read::Reader;
use crate::store::{EntityRow, tokens};

/// The longest name that is looked up, in words.
const LONGEST: usize = 10;
/// How many entities one short form may stand for before it is given up.
const MOST: usize = 12;

/// A name in a question and whom it may mean.
#[derive(Debug, Clone)]
pub(super) struct Named {
    /// As it is written.
    pub(super) text: String,
    /// Its first word.
    pub(super) start: usize,
    /// The word after its last.
    pub(super) end: usize,
    /// The entities that have this name; of a short form, those whose names hold it.
    pub(super) entities: Vec<EntityRow>,
    /// It is not a whole name of theirs.
    pub(super) short: bool,
}

/// The names in a question.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) known: Vec<Named>,
    /// Names that no entity has.
    pub(super) unknown: Vec<String>,
}

/// Finds the names in a question: whole names first, the longest; then short forms; what is left and looks like a
/// name is one that nothing has.
pub(super) fn find(
    reader: &Reader<'_>,
    question: &str,
    words: &mut [Word],
    is_meant_otherwise: &dyn Fn(&Word) -> bool,
) -> Result<Names, StoreError> {
    let mut names = Names::default();
    // Where nothing is capitalised, capitals say nothing.
    let cased = words.iter().skip(1).any(|word| word.capital);
    let mut at = 0;
    while at < words.len() {
        match whole_name(reader, question, words, at, is_meant_otherwise)? {
            Some((end, entities)) => {
                take(&mut names, question, words, at, end, entities, false);
                at = end;
            }
            None => at += 1,
        }
    }
    let mut at = 0;
    while at < words.len() {
        let Some(end) = run(words, at, cased, is_meant_otherwise) else {
            at += 1;
            continue;
        };
        let entities = short_form(reader, question, words, at, end)?;
        if !entities.is_empty() {
            take(&mut names, question, words, at, end, entities, true);
        } else if words[at].capital && (at > 0 || !words[at].is_stop()) || words[at].quoted.is_some() {
            names.unknown.push(question[words[at].start..words[end - 1].end].to_owned());
            words[at..end].iter_mut().for_each(|word| word.role = Role::Unknown);
        }
        at = end;
    }
    refuse_parts(&mut names, question, words, is_meant_otherwise);
    Ok(names)
}

fn take(
    names: &mut Names,
    question: &str,
    words: &mut [Word],
    start: usize,
    end: usize,
    entities: Vec<EntityRow>,
    short: bool,
) {
    let number = names.known.len();
    words[start..end].iter_mut().for_each(|word| word.role = Role::Entity(number));
    let text = question[words[start].start..words[end - 1].end].to_owned();
    names.known.push(Named { text, start, end, entities, short });
}

/// Finds the longest whole name that begins at a word.
fn whole_name(
    reader: &Reader<'_>,
    question: &str,
    words: &[Word],
    at: usize,
    is_meant_otherwise: &dyn Fn(&Word) -> bool,
) -> Result<Option<(usize, Vec<EntityRow>)>, StoreError> {
    for end in (at + 1..=(at + LONGEST).min(words.len())).rev() {
        let part = &words[at..end];
        if part.iter().any(|word| word.role != Role::Free)
            || part.iter().all(Word::is_stop) && !(part[0].capital && at > 0)
        {
            continue;
        }
        // Part of a quotation is not what was quoted.
        if part.iter().any(|word| word.quoted != part[0].quoted) {
            continue;
        }
        if let [word] = part {
            // "the ferry sails": a word in lower case that means something else is no name.
            let common = word.is_stop() || word.is_lenient() || is_meant_otherwise(word);
            if !word.capital && word.quoted.is_none() && common {
                continue;
            }
        }
        let text = &question[part[0].start..part[part.len() - 1].end];
        let entities = reader.snapshot.entities_named(text)?;
        if !entities.is_empty() {
            return Ok(Some((end, entities)));
        }
    }
    Ok(None)
}

/// Returns the end of the run of words at `at` that look like one name.
fn run(words: &[Word], at: usize, cased: bool, is_meant_otherwise: &dyn Fn(&Word) -> bool) -> Option<usize> {
    let first = &words[at];
    if first.role != Role::Free {
        return None;
    }
    if let Some(quote) = first.quoted {
        let length =
            words[at..].iter().take_while(|word| word.quoted == Some(quote) && word.is_free()).count();
        return Some(at + length);
    }
    let names = |word: &Word, position: usize| {
        if !word.is_free() || word.quoted.is_some() {
            return false;
        }
        let meant = word.is_lenient() || is_meant_otherwise(word);
        if cased || word.capital {
            word.capital && !(position == 0 && (word.is_stop() || meant))
        } else {
            !word.is_stop() && !meant && word.folded.chars().any(char::is_alphabetic)
        }
    };
    if !names(first, at) {
        return None;
    }
    let mut end = at + 1;
    while end < words.len() {
        if names(&words[end], end) {
            end += 1;
        } else if cased
            && words[end].is_free()
            && matches!(
                words[end].folded.as_str(),
                "of" | "the" | "de" | "la" | "von" | "van" | "der" | "da" | "di" | "del"
            )
            && words.get(end + 1).is_some_and(|word| names(word, end + 1))
        {
            end += 2;
        } else {
            break;
        }
    }
    // "Captain" by itself means a captain, not somebody called so.
    let all_meant =
        words[at..end].iter().all(|word| is_meant_otherwise(word) || word.is_lenient() || word.is_stop());
    (!all_meant).then_some(end)
}

/// Finds the entities whose names hold all words of a run.
fn short_form(
    reader: &Reader<'_>,
    question: &str,
    words: &[Word],
    start: usize,
    end: usize,
) -> Result<Vec<EntityRow>, StoreError> {
    let text = &question[words[start].start..words[end - 1].end];
    let tokens = tokens(text);
    let Some(first) = tokens.first() else { return Ok(Vec::new()) };
    if tokens.len() > 6 {
        return Ok(Vec::new());
    }
    let mut found = reader.snapshot.entities_with_word(first, 500)?;
    for token in &tokens[1..] {
        let rows: BTreeSet<i64> =
            reader.snapshot.entities_with_word(token, 500)?.into_iter().map(|entity| entity.row).collect();
        found.retain(|entity| rows.contains(&entity.row));
    }
    // A word that stands in many names is none of theirs.
    Ok(if found.len() > MOST { Vec::new() } else { found })
}

/// A known name inside a longer unknown one is not meant: "Halcyon Days Festival" is no vessel.
fn refuse_parts(
    names: &mut Names,
    question: &str,
    words: &mut [Word],
    is_meant_otherwise: &dyn Fn(&Word) -> bool,
) {
    for number in 0..names.known.len() {
        let (mut start, mut end) = (names.known[number].start, names.known[number].end);
        let unknown = |word: &Word| word.role == Role::Unknown && word.capital && !is_meant_otherwise(word);
        let joined = |left: &Word, right: &Word| question[left.end..right.start].trim().is_empty();
        while end < words.len() && unknown(&words[end]) && joined(&words[end - 1], &words[end]) {
            end += 1;
        }
        while start > 0 && unknown(&words[start - 1]) && joined(&words[start - 1], &words[start]) {
            start -= 1;
        }
        if (start, end) != (names.known[number].start, names.known[number].end) {
            words[start..end].iter_mut().for_each(|word| word.role = Role::Unknown);
            names.known[number].entities.clear();
            names.unknown.push(question[words[start].start..words[end - 1].end].to_owned());
        }
    }
    let whole = names.unknown.clone();
    names.unknown.retain(|name| !whole.iter().any(|other| other != name && other.contains(name.as_str())));
}
