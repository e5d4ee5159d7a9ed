//! Candidates for names: what looks like one, before anything is known of it.

use std::collections::HashSet;
use std::ops::Range;

use crate::lexicon::Lexicon;
use crate::tokens::{Shape, Token};
use crate::words;

/// The longest name, in tokens.
const LONGEST: usize = 12;

/// The longest name in a script without spaces, in characters.
const LONGEST_RUN: usize = 24;

/// What may be a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// It begins a sentence, so its capital says nothing.
    pub(crate) weak: bool,
    /// It stands in quotes or is a whole cell.
    pub(crate) marked: bool,
    /// Titles before it that are no part of the name: "Dr", "Harbour Master".
    pub(crate) title: usize,
}

/// How the words of a document are written in running text.
#[derive(Debug, Default)]
pub(crate) struct Habits {
    /// Written small somewhere.
    pub(crate) small: HashSet<String>,
    /// Written with a capital within a sentence.
    pub(crate) capital: HashSet<String>,
}

impl Habits {
    /// Learns from a sentence.
    pub(crate) fn learn(&mut self, tokens: &[Token], sentence: &Range<usize>) {
        for position in sentence.clone() {
            let token = &tokens[position];
            match token.shape {
                Shape::Lower if !self.small.contains(&token.lower) => {
                    self.small.insert(token.lower.clone());
                }
                Shape::Capital
                    if position > first_word(tokens, sentence) && !self.capital.contains(&token.lower) =>
                {
                    self.capital.insert(token.lower.clone());
                }
                _ => {}
            }
        }
    }
}

fn first_word(tokens: &[Token], sentence: &Range<usize>) -> usize {
    sentence.clone().find(|position| tokens[*position].is_word()).unwrap_or(sentence.start)
}

/// Finds the candidates of a sentence.
pub(crate) fn candidates(
    tokens: &[Token],
    sentence: &Range<usize>,
    lexicon: &Lexicon,
    habits: &Habits,
    found: &mut Vec<Candidate>,
) {
    let opening = first_word(tokens, sentence);
    let mut position = sentence.start;
    while position < sentence.end {
        if let Some(quoted) = quoted(tokens, sentence, position) {
            position = quoted.end + 1;
            found.push(quoted);
            continue;
        }
        if tokens[position].shape == Shape::Caseless {
            let end = caseless_end(tokens, sentence, position);
            if is_foreign(tokens, sentence, position..end) {
                found.push(Candidate { start: position, end, weak: false, marked: true, title: 0 });
            }
            position = end;
            continue;
        }
        if !starts_name(&tokens[position], position == opening) {
            position += 1;
            continue;
        }
        let end = name_end(tokens, sentence, position, lexicon);
        let start = numbered_start(tokens, sentence, position..end);
        push(tokens, start..end, opening, lexicon, habits, found);
        position = end.max(position + 1);
    }
}

/// Walks to the end of a run of words of scripts without case.
fn caseless_end(tokens: &[Token], sentence: &Range<usize>, start: usize) -> usize {
    let caseless = |at: usize| at < sentence.end && tokens[at].shape == Shape::Caseless;
    let mut end = start + 1;
    loop {
        // "サン・パウロ": a dot joins the words of a foreign name.
        let dot = |at: usize| at < sentence.end && matches!(tokens[at].lower.as_str(), "・" | "·");
        end += match caseless(end) {
            true => 1,
            false if dot(end) && !tokens[end].spaced && caseless(end + 1) => 2,
            false => return end,
        };
    }
}

/// Tells whether a run of caseless words stands in a sentence of another script: there it is a name, while in a text of
/// its own script nothing sets a name apart from any other word. In a bracket it is the gloss of the name before it.
fn is_foreign(tokens: &[Token], sentence: &Range<usize>, run: Range<usize>) -> bool {
    let is_cased = |token: &Token| token.is_word() && token.shape != Shape::Caseless;
    let words = tokens[sentence.clone()].iter().filter(|token| token.is_word());
    let cased = words.clone().filter(|token| is_cased(token)).count();
    // "Anvil は東京にあります": names in capitals make no sentence of their script.
    if !tokens[sentence.clone()].iter().any(|token| token.shape == Shape::Lower) {
        return false;
    }
    // In scripts without spaces each character is a token: a run counts by its words, its letters are only bounded.
    let parts = |token: &&Token| token.shape != Shape::Caseless || token.spaced;
    let spaced = 1 + tokens[run.start + 1..run.end].iter().filter(|token| token.spaced).count();
    let gloss =
        run.start > sentence.start && matches!(tokens[run.start - 1].lower.as_str(), "(" | "[" | "（");
    !gloss
        && run.len() <= LONGEST_RUN
        && spaced <= LONGEST
        && cased >= 2
        && cased * 2 > words.filter(parts).count()
}

/// What is held again and again, told apart by a year or a number before its name.
const HELD_AGAIN: [&str; 10] = [
    "olympics",
    "paralympics",
    "olympiad",
    "games",
    "championship",
    "championships",
    "cup",
    "election",
    "elections",
    "prix",
];

/// Returns where a name begins that its year or number belongs to: "the 1920 Summer Olympics", "the 26th Chess Olympiad".
fn numbered_start(tokens: &[Token], sentence: &Range<usize>, name: Range<usize>) -> usize {
    let held_again = HELD_AGAIN.contains(&tokens[name.end - 1].lower.as_str()) && name.len() > 1;
    let Some(number) = name.start.checked_sub(1).filter(|number| held_again && *number >= sentence.start)
    else {
        return name.start;
    };
    let written = tokens[number].lower.as_str();
    let year = written.len() == 4 && written.bytes().all(|byte| byte.is_ascii_digit());
    let ordinal = written.starts_with(|first: char| first.is_ascii_digit())
        && ["st", "nd", "rd", "th"].iter().any(|end| written.ends_with(end));
    let opens = number == sentence.start || tokens[number - 1].is(words::DETERMINER);
    if (year || ordinal) && opens && tokens[name.start].spaced { number } else { name.start }
}

fn starts_name(token: &Token, opening: bool) -> bool {
    match token.shape {
        _ if is_compound(token) => false,
        Shape::Capital | Shape::Upper => {
            // "The", "In": never the start of a new name; "I" neither.
            !(token.is(words::STARTER)
                && (opening || token.is(words::DETERMINER | words::PREPOSITION | words::PERSONAL)))
                && token.lower != "i"
                && !token.is(words::PERSONAL)
        }
        Shape::Mixed => true,
        _ => false,
    }
}

/// "Oslo-based", "Latin-speaking": an adjective made of a name.
pub(crate) fn is_compound(token: &Token) -> bool {
    token.shape == Shape::Capital
        && ["-based", "-born", "-speaking", "-led", "-owned", "-made", "-funded", "-style", "-area", "-wide"]
            .iter()
            .any(|end| token.lower.ends_with(end))
}

/// Walks to the end of a name.
fn name_end(tokens: &[Token], sentence: &Range<usize>, start: usize, lexicon: &Lexicon) -> usize {
    let mut end = start + 1;
    let mut connected = false;
    while end < sentence.end && end - start < LONGEST {
        let token = &tokens[end];
        // "Selwick Freight Owner: …": lines that were joined, and the next one's key.
        let key =
            tokens.get(end + 1).is_some_and(|next| next.is_sign(":")) && lexicon.is_cue_noun(&token.stem);
        if key {
            break;
        }
        if part_of_name(token, &tokens[end - 1]) {
            end += 1;
            continue;
        }
        // "Springer Science+Business Media", "Junior/Senior High School", "Halcyon, Inc."
        let after = tokens.get(end + 1).filter(|_| end + 1 < sentence.end);
        let glued = !token.spaced
            && matches!(token.lower.as_str(), "/" | "+" | "—" | "–")
            && after.is_some_and(|after| after.is_capital() && !after.spaced);
        let junior = |after: &Token| matches!(after.lower.as_str(), "jr" | "jr." | "sr" | "sr.");
        let legal = token.is_sign(",")
            && after.is_some_and(|after| (after.is(words::LEGAL) || junior(after)) && after.is_capital());
        if glued || legal {
            end += 2;
            continue;
        }
        // "Johann Adolf I of", "Suleiman the Magnificent"
        let ends = after.is_none_or(|after| after.lower == "of" || after.shape == Shape::Sign);
        if token.lower == "i" && token.spaced && tokens[end - 1].is_capital() && ends {
            return end + 1;
        }
        if token.lower == "the" && after.is_some_and(|after| after.is_capital() && is_epithet(&after.lower)) {
            return end + 2;
        }
        if let Some(next) = after_byname(tokens, sentence, end) {
            end = next;
            continue;
        }
        // Particles need a name part on both sides.
        let Some(next) = after_particles(tokens, sentence, start, end, lexicon, connected) else { break };
        connected = true;
        end = next;
    }
    // "Aurora 3" but not "May 3"; trailing signs never belong.
    end
}

fn part_of_name(token: &Token, before: &Token) -> bool {
    match token.shape {
        Shape::Capital | Shape::Upper => {
            token.spaced && !token.is(words::PERSONAL) || !token.spaced && before.is_word()
        }
        Shape::Mixed => token.spaced,
        // "Boeing 747", "Route 66"; a year after a name is a date more often.
        Shape::Number => {
            token.spaced
                && token.lower.len() <= 3
                && !before.is(words::CALENDAR)
                && token.lower.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => false,
    }
}

/// Skips "of", "de la", "&", "and" where they join parts of one name; returns the end of the next part's first word.
fn after_particles(
    tokens: &[Token],
    sentence: &Range<usize>,
    start: usize,
    at: usize,
    lexicon: &Lexicon,
    connected: bool,
) -> Option<usize> {
    let particle = &tokens[at];
    let mut next = at;
    while next < sentence.end
        && next - at < 3
        && (tokens[next].is(words::PARTICLE) && matches!(tokens[next].shape, Shape::Lower)
            || tokens[next].lower == "&")
    {
        next += 1;
    }
    if next == at || next >= sentence.end || !tokens[next].is_capital() && tokens[next].shape != Shape::Mixed
    {
        return None;
    }
    match particle.lower.as_str() {
        "&" => Some(next + 1),
        "of" | "for" | "the" => {
            if particle.lower == "the" || next - at > 1 && tokens[at + 1].lower != "the" {
                return None;
            }
            let head = &tokens[at - 1];
            // "Margaret of Guelders": a given name alone is hardly a name.
            if particle.lower == "of" && at == start + 1 && head.is(words::GIVEN) && head.is_capital() {
                return Some(next + 1);
            }
            if heads_name(tokens, start, at, head, lexicon) { Some(next + 1) } else { None }
        }
        "and" => {
            // "Department of Trade and Industry": within a name that already has its "of".
            let inner = connected && next == at + 1 && at >= 2;
            let head = tokens[start].is(words::NAME_HEAD) && !tokens[start].is(words::HONORIFIC);
            let right_end = next + 1;
            let alone = right_end >= sentence.end || !tokens[right_end].is_capital();
            let own = tokens[next].is(words::NAME_HEAD);
            let single = at >= 2 && tokens[at - 2].is(words::PREPOSITION);
            (inner && head && alone && !own && single && joins_trades(&tokens[start].lower))
                .then_some(right_end)
        }
        "on" | "upon" => None,
        "a" | "for_" => None,
        // "de", "van", "bin": foreign particles between two capitals.
        _ => (!matches!(
            particle.lower.as_str(),
            "to" | "as" | "at" | "in" | "on" | "by" | "from" | "with" | "ab" | "se" | "al" | "y" | "e"
        ) || matches!(particle.lower.as_str(), "al" | "y" | "e") && next == at + 1)
            .then_some(next + 1),
    }
}

/// "Nicholas “Nick” Hexum": skips a byname in quotes; returns the end of the next part's first word.
fn after_byname(tokens: &[Token], sentence: &Range<usize>, open: usize) -> Option<usize> {
    let capital = |at: usize| at < sentence.end && tokens[at].is_capital();
    if !tokens[open].is_quote() || !tokens[open].spaced || !capital(open + 1) || tokens[open + 1].spaced {
        return None;
    }
    let close = (open + 2..sentence.end.min(open + 5)).find(|at| tokens[*at].is_quote())?;
    let inner = tokens[open + 1..close].iter().all(Token::is_capital);
    (inner && !tokens[close].spaced && capital(close + 1) && tokens[close + 1].spaced).then_some(close + 2)
}

/// Bynames of rulers and saints, and what tells two of a name apart.
fn is_epithet(word: &str) -> bool {
    matches!(
        word,
        "great"
            | "elder"
            | "younger"
            | "magnificent"
            | "terrible"
            | "bold"
            | "bald"
            | "fat"
            | "pious"
            | "wise"
            | "good"
            | "conqueror"
            | "confessor"
            | "fair"
            | "strong"
            | "simple"
            | "short"
            | "tall"
            | "lion"
            | "lionheart"
            | "unready"
            | "apostate"
            | "just"
            | "brave"
            | "blind"
            | "stammerer"
            | "martyr"
            | "rich"
            | "victorious"
            | "illustrious"
            | "cruel"
            | "impaler"
            | "navigator"
            | "venerable"
            | "hunchback"
    )
}

/// Bodies that are named after two fields: "Department of Trade and Industry".
fn joins_trades(head: &str) -> bool {
    matches!(
        head,
        "department"
            | "ministry"
            | "faculty"
            | "school"
            | "institute"
            | "museum"
            | "office"
            | "board"
            | "bureau"
            | "college"
            | "academy"
            | "centre"
            | "center"
            | "society"
            | "agency"
            | "journal"
            | "commission"
            | "committee"
            | "university"
    )
}

/// Tells whether the words before "of" make a name with what follows: "University of", "Battle of".
fn heads_name(tokens: &[Token], start: usize, at: usize, head: &Token, lexicon: &Lexicon) -> bool {
    if !head.is_capital() {
        return false;
    }
    if lexicon.is_cue_noun(&head.stem) && is_role(tokens, start, at, lexicon) {
        return false;
    }
    if head.is(words::NAME_HEAD) {
        return true;
    }
    match lexicon.phrase_before(tokens, start, at) {
        Some((_, senses)) => senses.iter().all(|sense| !lexicon.kinds[sense.concept].personal),
        None => false,
    }
}

/// Tells whether the words name a role of people.
fn is_role(tokens: &[Token], start: usize, at: usize, lexicon: &Lexicon) -> bool {
    if tokens[at - 1].is(words::HONORIFIC) {
        return true;
    }
    lexicon
        .phrase_before(tokens, start, at)
        .is_none_or(|(_, senses)| senses.first().is_some_and(|sense| lexicon.kinds[sense.concept].personal))
        && !tokens[at - 1].is(words::NAME_HEAD)
}

/// Strips what is no part of the name and keeps the rest.
fn push(
    tokens: &[Token],
    range: Range<usize>,
    opening: usize,
    lexicon: &Lexicon,
    habits: &Habits,
    found: &mut Vec<Candidate>,
) {
    let Range { start, end } = range;
    let first = start;
    let mut begin = start;
    // "Former director Elena Ruiz", "Yesterday Elena": sentence openers.
    while begin < end
        && tokens[begin].is(words::STARTER | words::FORMER)
        && begin == opening
        && end - begin > 1
    {
        begin += 1;
    }
    // Titles: "Dr", "Captain", "Harbour Master", "President".
    let mut name = begin;
    loop {
        let ship = name + 1 < end
            && tokens[name].shape == Shape::Upper
            && words::SHIP_PREFIXES.contains(&tokens[name].lower.as_str());
        if ship {
            name += 1;
            continue;
        }
        // "German Chancellor Anna Berg", but "British Rail".
        let people = name + 2 < end
            && tokens[name].is(words::PEOPLE_ADJECTIVE)
            && lexicon.phrase_at(&tokens[..end], name + 1).is_some_and(|(length, senses)| {
                name + 1 + length < end
                    && senses.first().is_some_and(|sense| lexicon.kinds[sense.concept].personal)
            });
        if people {
            name += 1;
            continue;
        }
        if name < end && is_honorific(&tokens[name], tokens.get(name + 1)) && name + 1 < end {
            name += 1;
            continue;
        }
        match lexicon.phrase_at(&tokens[..end], name) {
            Some((length, senses))
                if name + length < end
                    && senses.first().is_some_and(|sense| lexicon.kinds[sense.concept].personal)
                    && !tokens[name + length].is(words::PARTICLE) =>
            {
                name += length;
            }
            _ => break,
        }
    }
    if name < end
        && end - name == 1
        && (tokens[name].is(words::CALENDAR) || tokens[name].lower.ends_with("days"))
    {
        return;
    }
    while name < end
        && tokens[name].is(words::CALENDAR)
        && tokens.get(name + 1).is_some_and(|next| next.shape == Shape::Number)
    {
        name += 2;
    }
    if name >= end {
        return;
    }
    // "Contract KB-07" at the head of a sentence: the number is the name, the word before it says of what.
    let numbered = name == opening && end - name == 2 && {
        let code = &tokens[name + 1];
        code.shape == Shape::Upper && code.lower.bytes().any(|byte| byte.is_ascii_digit())
    };
    if numbered && lexicon.phrase_at(&tokens[..name + 1], name).is_some() {
        found.push(Candidate { start: name + 1, end, weak: false, marked: false, title: 0 });
        return;
    }
    let alone = end - name == 1;
    let token = &tokens[name];
    let suffix = token.is(words::LEGAL) && token.lower.ends_with('.');
    if alone && (suffix || token.is(words::PARTICLE) && token.shape != Shape::Upper) {
        return;
    }
    if alone && token.is(words::PEOPLE_ADJECTIVE) && token.shape == Shape::Capital {
        return;
    }
    if alone
        && token.is(words::HONORIFIC)
        && token.shape == Shape::Capital
        && !habits.capital.contains(&token.lower)
    {
        return;
    }
    if alone && token.shape == Shape::Capital && token.lower.chars().count() < 2 {
        return;
    }
    let weak = first == opening
        && name == opening
        && alone
        && token.shape == Shape::Capital
        && !habits.capital.contains(&token.lower);
    // "Commissioned by …", "Leading the …": a participle opens the sentence.
    let participle = token.lower.ends_with("ed") || token.lower.ends_with("ing") && token.stem != token.lower;
    let governs =
        tokens.get(end).is_some_and(|next| next.is(words::PREPOSITION | words::DETERMINER | words::AND));
    if weak && (habits.small.contains(&token.lower) || token.lower.ends_with("ly") || participle && governs) {
        return;
    }
    // "Engineers Noah Kim": a plural role at the start of the sentence was stripped above; a lone small word was not.
    let mut start = name;
    if name == opening
        && !alone
        && habits.small.contains(&token.lower)
        && !habits.capital.contains(&token.lower)
    {
        let concept = lexicon.phrase_at(&tokens[..end], name).is_some() || token.is(words::NAME_HEAD);
        if !concept {
            start += 1;
        }
    }
    found.push(Candidate { start, end, weak, marked: false, title: start - begin.min(start) });
}

/// "Dr", "Mrs.": titles that never are a name's first word; "King", "St" may be.
fn is_honorific(token: &Token, next: Option<&Token>) -> bool {
    token.is(words::HONORIFIC)
        && next.is_some_and(|next| next.is_capital())
        && !matches!(
            token.lower.as_str(),
            "st" | "st." | "saint" | "general" | "major" | "king" | "queen" | "prince" | "princess"
        )
}

/// A part in quotes that is written as a title: “The Long Crossing”.
fn quoted(tokens: &[Token], sentence: &Range<usize>, open: usize) -> Option<Candidate> {
    let close = match tokens[open].lower.as_str() {
        "“" | "\"" | "„" => &["”", "\"", "“"][..],
        "«" => &["»"],
        "‘" => &["’"],
        "「" => &["」"],
        "『" => &["』"],
        "《" => &["》"],
        "`" => &["'", "`"],
        _ => return None,
    };
    if tokens[open].shape != Shape::Sign {
        return None;
    }
    let start = open + 1;
    let limit = sentence.end.min(start + LONGEST + 8);
    let mut end = (start..limit).find(|position| close.contains(&tokens[*position].lower.as_str()))?;
    while end > start && matches!(tokens[end - 1].lower.as_str(), "," | ".") {
        end -= 1;
    }
    if end <= start {
        return None;
    }
    // The article is no part of a name, so that a title is one name in quotes and as a heading.
    let start = if end - start > 1 && matches!(tokens[start].lower.as_str(), "the" | "a" | "an") {
        start + 1
    } else {
        start
    };
    let inner = &tokens[start..end];
    let caseless = inner.iter().all(|token| matches!(token.shape, Shape::Caseless | Shape::Number));
    // A title, not a quotation: every word of weight has a capital.
    let titled = inner.len() <= LONGEST
        && inner[0].is_word() | (inner[0].shape == Shape::Number)
        && inner[0].shape != Shape::Lower
        && inner.iter().filter(|token| token.is_word()).all(|token| {
            token.shape != Shape::Lower
                || token.is(words::PARTICLE | words::PREPOSITION | words::DETERMINER | words::AND)
        })
        && !inner.iter().any(|token| matches!(token.lower.as_str(), "." | "?" | "!") && token.spaced);
    (caseless && inner.len() <= 20 || titled).then_some(Candidate {
        start,
        end,
        weak: false,
        marked: true,
        title: 0,
    })
}
