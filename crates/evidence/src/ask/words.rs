use mge_core::fold;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

/// How much of a question is read: what is longer is no question.
const LONGEST: usize = 2_000;
const MOST_WORDS: usize = 120;

/// What a word of a question was understood as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing yet.
    Free,
    /// Part of the name of the entity at this position.
    Entity(usize),
    /// Part of a name that no entity has.
    Unknown,
    /// Part of a date or another word for time.
    Time,
}

/// A word of a question.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Its first byte in the question.
    pub(super) start: usize,
    /// The byte after its last, a possessive left out.
    pub(super) end: usize,
    /// Folded, without apostrophes.
    pub(super) folded: String,
    /// What all inflections share.
    pub(super) root: String,
    /// It begins with an upper-case letter.
    pub(super) capital: bool,
    /// It stands between quotation marks: in which pair.
    pub(super) quoted: Option<usize>,
    pub(super) role: Role,
}

impl Word {
    pub(super) fn is_stop(&self) -> bool {
        STOP.contains(&self.folded.as_str())
    }

    pub(super) fn is_lenient(&self) -> bool {
        LENIENT.contains(&self.folded.as_str())
    }

    pub(super) fn is_free(&self) -> bool {
        self.role == Role::Free
    }
}

/// Cuts a question into words; of a very long one, the beginning.
pub(super) fn words(question: &str) -> Vec<Word> {
    let stemmer = Stemmer::create(Algorithm::English);
    let end = question.char_indices().nth(LONGEST).map_or(question.len(), |(end, _)| end);
    let head = &question[..end];
    let quotes = quotations(head);
    let mut words = Vec::new();
    for (start, text) in head.split_word_bound_indices() {
        if !text.chars().any(char::is_alphanumeric) {
            continue;
        }
        if words.len() == MOST_WORDS {
            break;
        }
        let mut end = start + text.len();
        // Signs that tell names apart belong to the name: C++, C#.
        end += head[end..]
            .chars()
            .take_while(|sign| matches!(sign, '+' | '#'))
            .map(char::len_utf8)
            .sum::<usize>();
        let mut text = &head[start..end];
        for possessive in ["'s", "’s", "'S", "’S"] {
            text = text.strip_suffix(possessive).unwrap_or(text);
        }
        let folded: String = fold(text).chars().filter(|sign| !matches!(sign, '\'' | '’')).collect();
        words.push(Word {
            start,
            end: start + text.len(),
            root: root_of(&stemmer, &folded),
            capital: text.chars().next().is_some_and(char::is_uppercase),
            quoted: quotes.iter().position(|(from, to)| (*from..*to).contains(&start)),
            folded,
            role: Role::Free,
        });
    }
    words
}

/// Finds what stands between double quotation marks of any kind.
fn quotations(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, sign) in text.char_indices() {
        match (open, sign) {
            (None, '"') => open = Some((at + 1, '"')),
            (None, '“' | '„') => open = Some((at + sign.len_utf8(), '”')),
            (None, '«') => open = Some((at + sign.len_utf8(), '»')),
            (None, '「') => open = Some((at + sign.len_utf8(), '」')),
            (Some((from, close)), sign) if sign == close || (close == '”' && sign == '“') => {
                if from < at {
                    found.push((from, at));
                }
                open = None;
            }
            _ => {}
        }
    }
    found
}

/// Returns what all inflections of the words of a phrase share, word by word.
pub(super) fn roots(phrase: &str) -> Vec<(String, String)> {
    let stemmer = Stemmer::create(Algorithm::English);
    phrase
        .unicode_words()
        .map(|word| {
            let folded: String = fold(word).chars().filter(|sign| !matches!(sign, '\'' | '’')).collect();
            let root = root_of(&stemmer, &folded);
            (folded, root)
        })
        .collect()
}

/// Returns what a word shares with its inflections and with the noun of who does it: `directs`, `directed`,
/// `director`.
fn root_of(stemmer: &Stemmer, folded: &str) -> String {
    if !folded.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return folded.to_owned();
    }
    let present = IRREGULAR.iter().find(|(past, _)| *past == folded).map_or(folded, |(_, present)| present);
    let mut root = stemmer.stem(&americanized(present)).into_owned();
    if root.len() > 4
        && let Some(verb) = root.strip_suffix("er").or_else(|| root.strip_suffix("or"))
    {
        root = verb.to_owned();
    }
    if root.len() > 3
        && let Some(verb) = root.strip_suffix('e')
    {
        root = verb.to_owned();
    }
    root
}

/// Writes `organise` as `organize`, in any inflection.
fn americanized(word: &str) -> String {
    for (british, american) in [
        ("isation", "ization"),
        ("ised", "ized"),
        ("ises", "izes"),
        ("ising", "izing"),
        ("iser", "izer"),
        ("ise", "ize"),
    ] {
        for plural in ["", "s"] {
            let ending = format!("{british}{plural}");
            if word.len() > ending.len() + 3
                && let Some(stem) = word.strip_suffix(ending.as_str())
            {
                return format!("{stem}{american}{plural}");
            }
        }
    }
    word.to_owned()
}

/// Tells whether a word is a past form: `owned`, `led`.
pub(super) fn is_past_form(folded: &str) -> bool {
    (folded.len() > 4 && folded.ends_with("ed")) || IRREGULAR.iter().any(|(past, _)| *past == folded)
}

/// Words that hold a question together and say nothing by themselves.
const STOP: &[&str] = &[
    "a",
    "about",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "being",
    "both",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "doing",
    "done",
    "each",
    "every",
    "for",
    "from",
    "give",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "know",
    "known",
    "list",
    "many",
    "may",
    "me",
    "might",
    "more",
    "most",
    "much",
    "must",
    "my",
    "no",
    "not",
    "of",
    "on",
    "onto",
    "or",
    "other",
    "our",
    "over",
    "please",
    "shall",
    "she",
    "should",
    "show",
    "so",
    "some",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "too",
    "under",
    "us",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
    "s",
    "t",
    "isnt",
    "wasnt",
    "doesnt",
    "didnt",
    "arent",
    "ever",
    "just",
    "out",
    "upon",
    "find",
    "since",
    "until",
    "till",
    "before",
    "after",
    "during",
    "between",
    "through",
    "via",
    "whether",
    "according",
    "say",
    "me",
];

/// Words that a question may hold without asking for more.
const LENIENT: &[&str] = &[
    "name",
    "names",
    "named",
    "called",
    "year",
    "years",
    "date",
    "dates",
    "number",
    "numbers",
    "amount",
    "total",
    "exactly",
    "precisely",
    "actually",
    "really",
    "anyone",
    "anybody",
    "someone",
    "somebody",
    "everyone",
    "everybody",
    "something",
    "anything",
    "thing",
    "things",
    "people",
    "person",
    "persons",
    "place",
    "places",
    "together",
    "jointly",
    "one",
    "ones",
    "moment",
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "professor",
    "sir",
    "dame",
    "identity",
    "kind",
    "type",
    "information",
    "value",
    "size",
];

/// Past forms that no ending betrays, and their present ones.
const IRREGULAR: &[(&str, &str)] = &[
    ("began", "begin"),
    ("begun", "begin"),
    ("became", "become"),
    ("born", "born"),
    ("bought", "buy"),
    ("brought", "bring"),
    ("built", "build"),
    ("came", "come"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("drew", "draw"),
    ("drawn", "draw"),
    ("drove", "drive"),
    ("driven", "drive"),
    ("flew", "fly"),
    ("gave", "give"),
    ("given", "give"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("held", "hold"),
    ("kept", "keep"),
    ("knew", "know"),
    ("lain", "lie"),
    ("lay", "lie"),
    ("lying", "lie"),
    ("led", "lead"),
    ("left", "leave"),
    ("lent", "lend"),
    ("lost", "lose"),
    ("made", "make"),
    ("met", "meet"),
    ("paid", "pay"),
    ("ran", "run"),
    ("sang", "sing"),
    ("sat", "sit"),
    ("sent", "send"),
    ("sold", "sell"),
    ("sought", "seek"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("stood", "stand"),
    ("sung", "sing"),
    ("taken", "take"),
    ("taught", "teach"),
    ("took", "take"),
    ("went", "go"),
    ("won", "win"),
    ("wore", "wear"),
    ("written", "write"),
    ("wrote", "write"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn root(word: &str) -> String {
        roots(word).pop().map(|(_, root)| root).unwrap_or_default()
    }

    #[test]
    fn inflections_meet() {
        for family in [
            &["directs", "directed", "director", "directors", "directing"][..],
            &["lead", "leads", "led", "leader"],
            &["own", "owns", "owned", "owner"],
            &["organises", "organized", "organiser", "organizers"],
            &["build", "built", "builder"],
            &["carry", "carries", "carried"],
            &["write", "wrote", "written", "writer"],
            &["fund", "funds", "funded", "funder"],
        ] {
            for word in family {
                assert_eq!(root(word), root(family[0]), "{word}");
            }
        }
        assert_ne!(root("funded"), root("founded"));
        assert_eq!(root("京"), "京");
    }

    #[test]
    fn names_keep_their_signs_and_lose_their_possessives() {
        let question = "Who wrote Ada's book on C++ for “The Old Mill”?";
        let found = words(question);
        let texts: Vec<&str> = found.iter().map(|word| &question[word.start..word.end]).collect();
        assert_eq!(texts, ["Who", "wrote", "Ada", "book", "on", "C++", "for", "The", "Old", "Mill"]);
        assert!(found[7..].iter().all(|word| word.quoted == Some(0)));
    }

    #[test]
    fn a_megabyte_is_cut() {
        assert_eq!(words(&"word ".repeat(200_000)).len(), MOST_WORDS);
        assert_eq!(words(&"x".repeat(1_000_000)).len(), 1);
    }
}
