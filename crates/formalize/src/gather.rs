//! The names of a document: candidates, and what their places tell of them.

use std::collections::HashMap;
use std::ops::Range;

use indexmap::IndexMap;
use mge_core::{ChunkKind, Document, MappedText, name_key};

use crate::context::Parsed;
use crate::lexicon::Lexicon;
use crate::marked::marked;
use crate::names::{Candidate, Habits, candidates};
use crate::scene::Gender;
use crate::titles::named_part;
use crate::tokens::{Shape, Token};
use crate::typing::{Clue, Clues, clues};
use crate::words;

/// What is gathered of one name.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) count: usize,
    pub(crate) tokens: Vec<String>,
    pub(crate) clues: Vec<Clue>,
    pub(crate) gender: Option<Gender>,
    pub(crate) genders_differ: bool,
    pub(crate) heads: Vec<String>,
    /// Set when curated.
    pub(crate) instance: Option<usize>,
    /// Seen other than as the first word of a sentence.
    pub(crate) firm: bool,
    pub(crate) acronym_of: Option<String>,
    pub(crate) personal_title: bool,
    /// Seen behind "in" and the like, as a place is, or in a cell: hardly the short form of a longer name.
    pub(crate) placed: bool,
    /// Set apart as a title, in italics or in quotes.
    pub(crate) titled: bool,
    /// Seen without an article before it.
    pub(crate) undetermined: bool,
}

/// A candidate in place, before its name is resolved.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) key: String,
    pub(crate) alias: bool,
}

pub(crate) struct Builder<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) document: &'a Document,
    pub(crate) parsed: Vec<Parsed>,
    pub(crate) leads: Vec<Parsed>,
    pub(crate) seen: Vec<Vec<Seen>>,
    pub(crate) seen_leads: Vec<Vec<Seen>>,
    pub(crate) records: IndexMap<String, Record>,
    pub(crate) titles: Vec<Vec<String>>,
    pub(crate) titles_by_first: HashMap<String, Vec<usize>>,
    /// Where each heading stands first.
    pub(crate) headings: HashMap<&'a str, usize>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(document: &'a Document, lexicon: &'a Lexicon) -> Self {
        let parsed: Vec<Parsed> = document.chunks.iter().map(Parsed::of_chunk).collect();
        let mut last: Option<(&str, Parsed)> = None;
        let mut leads = Vec::with_capacity(document.chunks.len());
        for chunk in &document.chunks {
            let Some(lead) = &chunk.lead_in else {
                leads.push(Parsed::default());
                continue;
            };
            // The items of one list share their lead-in.
            let parsed = match last.take() {
                Some((text, parsed)) if text == lead.as_str() => parsed,
                _ => Parsed::of_text(lead.as_str()),
            };
            leads.push(parsed.clone());
            last = Some((lead.as_str(), parsed));
        }
        let mut builder = Self {
            lexicon,
            document,
            parsed,
            leads,
            seen: Vec::new(),
            seen_leads: Vec::new(),
            records: IndexMap::new(),
            titles: Vec::new(),
            titles_by_first: HashMap::new(),
            headings: HashMap::new(),
        };
        for (position, chunk) in document.chunks.iter().enumerate() {
            if chunk.kind == ChunkKind::Heading {
                builder.headings.entry(chunk.text.as_str()).or_insert(position);
            }
        }
        builder.read_titles();
        builder.read_small_names();
        builder
    }

    /// Finds all candidates and what their places tell of them.
    pub(crate) fn gather(&mut self) {
        let mut habits = Habits::default();
        for (chunk, parsed) in self.document.chunks.iter().zip(&self.parsed) {
            if matches!(chunk.kind, ChunkKind::Paragraph | ChunkKind::ListItem | ChunkKind::Footnote) {
                for sentence in &parsed.sentences {
                    habits.learn(&parsed.tokens, sentence);
                }
            }
        }
        for position in 0..self.document.chunks.len() {
            let parsed = std::mem::take(&mut self.parsed[position]);
            let chunk = &self.document.chunks[position];
            let seen = self.gather_text(&chunk.text, &parsed, &habits, chunk.kind);
            self.place(chunk, &parsed, &seen, position);
            self.parsed[position] = parsed;
            self.seen.push(seen);
            let lead = std::mem::take(&mut self.leads[position]);
            let seen = match &chunk.lead_in {
                Some(text) => self.gather_text(text, &lead, &habits, ChunkKind::Paragraph),
                None => Vec::new(),
            };
            self.leads[position] = lead;
            self.seen_leads.push(seen);
        }
    }

    pub(crate) fn gather_text(
        &mut self,
        shown: &MappedText,
        parsed: &Parsed,
        habits: &Habits,
        kind: ChunkKind,
    ) -> Vec<Seen> {
        let text = shown.as_str();
        let tokens = &parsed.tokens;
        // The surest first: curated names, then titles, then what looks like a name.
        let mut taken = vec![false; tokens.len()];
        let mut found: Vec<(Candidate, Option<usize>, bool)> = Vec::new();
        let mut new: Vec<Candidate> = Vec::new();
        let mut set_apart: Vec<Candidate> = Vec::new();
        for sentence in &parsed.sentences {
            if kind != ChunkKind::Heading {
                marked(&self.document.text, shown, tokens, sentence, &mut set_apart);
            }
            match kind {
                ChunkKind::Heading => {
                    let before = new.len();
                    heading_candidate(tokens, sentence, self.lexicon, &mut new);
                    if new.len() == before && is_written_small(&tokens[sentence.clone()]) {
                        candidates(tokens, sentence, self.lexicon, habits, &mut new);
                    }
                }
                ChunkKind::TableRow => {
                    let phrase = self.lexicon.phrase_at(&tokens[..sentence.end], sentence.start);
                    if sentence.is_empty() || phrase.is_none_or(|(length, _)| length < sentence.len()) {
                        cell_candidates(tokens, sentence, &mut new);
                    }
                }
                _ => candidates(tokens, sentence, self.lexicon, habits, &mut new),
            }
        }
        if !set_apart.is_empty() {
            // What the markup bounds is one name, whatever its words look like.
            new.retain(|candidate| {
                let next = set_apart.partition_point(|apart| apart.end <= candidate.start);
                set_apart.get(next).is_none_or(|apart| apart.start >= candidate.end)
            });
            new.append(&mut set_apart);
            new.sort_by_key(|candidate| candidate.start);
        }
        for (span, instance) in self.lexicon.known_names(text) {
            let start = tokens.partition_point(|token| token.span.end <= span.start);
            let end = tokens.partition_point(|token| token.span.start < span.end);
            // On token borders only, and not as a part of a longer new name ("Bergen" in "Bergen Museum").
            let on_borders =
                start < end && tokens[start].span.start == span.start && tokens[end - 1].span.end == span.end;
            let inside = around(&new, start).is_some_and(|candidate| {
                end <= candidate.end
                    && (candidate.start, candidate.end) != (start, end)
                    && self.is_own_name(tokens, candidate, start, end)
            });
            if on_borders && !inside && !taken[start..end].iter().any(|taken| *taken) {
                taken[start..end].iter_mut().for_each(|taken| *taken = true);
                found.push((plain(start, end), Some(instance), false));
            }
        }
        let mut position = 0;
        while position < tokens.len() {
            match self.title_at(text, tokens, position) {
                Some(end)
                    if !taken[position..end].iter().any(|taken| *taken)
                        && around(&new, position).is_none_or(|candidate| {
                            (candidate.start < position || candidate.end <= end)
                                && !self.is_own_name(tokens, candidate, position, end)
                        }) =>
                {
                    taken[position..end].iter_mut().for_each(|taken| *taken = true);
                    found.push((plain(position, end), None, true));
                    position = end;
                }
                _ => position += 1,
            }
        }
        for candidate in new {
            // Parts that a surer name has taken leave the rest.
            let mut start = candidate.start;
            while start < candidate.end {
                if taken[start] {
                    start += 1;
                    continue;
                }
                let end = (start..candidate.end).find(|position| taken[*position]).unwrap_or(candidate.end);
                let whole = (start, end) == (candidate.start, candidate.end);
                if whole {
                    found.push((candidate.clone(), None, false));
                } else if tokens[start].is_capital() && end - start >= 2 {
                    found.push((plain(start, end), None, false));
                }
                taken[start..end].iter_mut().for_each(|taken| *taken = true);
                start = end;
            }
        }
        found.sort_by_key(|(candidate, _, _)| candidate.start);
        let mut seen = Vec::new();
        for (candidate, instance, titled) in found {
            let range = candidate.start..candidate.end;
            let surface = surface(text, tokens, &range);
            let key = match instance {
                Some(instance) => format!("\u{1}{}", self.lexicon.instances[instance].name),
                None => key_of(text, tokens, &range),
            };
            if key.is_empty() {
                continue;
            }
            let after = parsed.sentences.partition_point(|sentence| sentence.start <= candidate.start);
            let sentence = parsed.sentences[..after]
                .last()
                .filter(|sentence| candidate.start < sentence.end)
                .cloned()
                .unwrap_or(candidate.start..candidate.end);
            let clues = match kind {
                ChunkKind::Heading | ChunkKind::TableRow => {
                    let mut own = Clues::default();
                    crate::typing::own_words(tokens, range.clone(), self.lexicon, &mut own);
                    own.concepts.iter_mut().for_each(|clue| clue.own = true);
                    own
                }
                _ => clues(tokens, &sentence, &candidate, self.lexicon),
            };
            let record = self.records.entry(key.clone()).or_default();
            if record.name.is_empty() {
                record.name = match instance {
                    Some(instance) => self.lexicon.instances[instance].name.clone(),
                    None => without_legal(&surface, tokens, &range),
                };
                record.tokens = name_tokens(tokens, &range);
            }
            record.count += 1;
            record.instance = record.instance.or(instance);
            record.firm |= !candidate.weak || titled || candidate.marked;
            record.personal_title |= candidate.title > 0;
            record.titled |= candidate.marked && kind != ChunkKind::TableRow;
            let before =
                (candidate.start > sentence.start).then(|| tokens[candidate.start - 1].lower.as_str());
            // "in downtown Leeds": the part of a town that is meant says no more than "in".
            let before = match before {
                Some("downtown" | "central" | "nearby" | "northern" | "southern" | "eastern" | "western")
                    if candidate.start > sentence.start + 1 =>
                {
                    Some(tokens[candidate.start - 2].lower.as_str())
                }
                before => before,
            };
            // A cell names its thing in full.
            record.placed |= kind == ChunkKind::TableRow
                || matches!(before, Some("in" | "near" | "at" | "from" | "outside" | "around" | "to"));
            record.undetermined |= !matches!(before, Some("the" | "this" | "our" | "that"))
                && !tokens[candidate.start].lower.eq("the");
            record.take(clues);
            seen.push(Seen { start: candidate.start, end: candidate.end, key, alias: false });
        }
        seen
    }

    /// A longer candidate is a name of its own when more than a title or a number surrounds the known one.
    pub(crate) fn is_own_name(
        &self,
        tokens: &[Token],
        candidate: &Candidate,
        start: usize,
        end: usize,
    ) -> bool {
        let before = tokens[candidate.start..start]
            .iter()
            .any(|token| token.is_word() && !token.is(words::HONORIFIC | words::STARTER));
        let after = tokens[end.min(candidate.end)..candidate.end].iter().any(Token::is_word);
        before || after
    }

    /// "Institute of X (IX)", "IX (Institute of X)".
    pub(crate) fn aliases(&mut self) {
        for (chunk, seen) in self.seen.iter_mut().enumerate() {
            let tokens = &self.parsed[chunk].tokens;
            for second in 1..seen.len() {
                let (left, right) = (&seen[second - 1], &seen[second]);
                let bracket = left.end + 1 == right.start
                    && tokens[left.end].is_sign("(")
                    && tokens.get(right.end).is_some_and(|after| after.is_sign(")") || after.is_sign(","));
                if !bracket {
                    continue;
                }
                let acronym = |short: &Seen, long: &Seen| {
                    short.end - short.start == 1
                        && long.end - long.start > 1
                        && is_acronym(&tokens[short.start], &tokens[long.start..long.end])
                };
                let (short, long) = if acronym(right, left) {
                    (second, second - 1)
                } else if acronym(left, right) {
                    (second - 1, second)
                } else {
                    continue;
                };
                let (short_key, long_key) = (seen[short].key.clone(), seen[long].key.clone());
                seen[short].alias = true;
                let clues = match self.records.get_mut(&short_key) {
                    Some(record) if record.instance.is_none() => {
                        record.acronym_of = Some(long_key.clone());
                        (std::mem::take(&mut record.clues), std::mem::take(&mut record.heads))
                    }
                    _ => continue,
                };
                if let Some(record) = self.records.get_mut(&long_key) {
                    record.clues.extend(clues.0);
                    record.heads.extend(clues.1);
                }
            }
        }
    }
}

impl Record {
    pub(crate) fn take(&mut self, clues: Clues) {
        for clue in clues.concepts {
            // The same clue again and again is one clue: at most two of a kind count.
            let same = self.clues.iter().filter(|known| known.concept == clue.concept).count();
            if same < 2 {
                self.clues.push(clue);
            } else if let Some(weaker) = self
                .clues
                .iter_mut()
                .find(|known| known.concept == clue.concept && known.weight < clue.weight)
            {
                weaker.weight = clue.weight;
            }
        }
        match (self.gender, clues.gender) {
            (Some(known), Some(other)) if known != other => self.genders_differ = true,
            (None, Some(gender)) => self.gender = Some(gender),
            _ => {}
        }
        for head in clues.heads {
            if !self.heads.contains(&head) && self.heads.len() < 12 {
                self.heads.push(head);
            }
        }
    }
}

/// Tells a heading written as a sentence ("To all staff of X") from one with a capital on each word.
fn is_written_small(tokens: &[Token]) -> bool {
    let light = words::PARTICLE | words::PREPOSITION | words::DETERMINER | words::AND;
    tokens.iter().any(|token| token.shape == Shape::Lower && !token.is(light))
}

/// Finds the candidate that holds a token.
fn around(candidates: &[Candidate], token: usize) -> Option<&Candidate> {
    let after = candidates.partition_point(|candidate| candidate.start <= token);
    candidates[..after].last().filter(|candidate| token < candidate.end)
}

fn plain(start: usize, end: usize) -> Candidate {
    Candidate { start, end, weak: false, marked: false, title: 0 }
}

/// The whole heading may be a name.
fn heading_candidate(
    tokens: &[Token],
    sentence: &Range<usize>,
    lexicon: &Lexicon,
    found: &mut Vec<Candidate>,
) {
    let Range { start, end } = named_part(tokens, sentence.clone(), lexicon);
    if start < end
        && end - start <= 8
        && tokens[start].shape != Shape::Lower
        && tokens[start].shape != Shape::Sign
    {
        let named = tokens[start..end].iter().all(|token| {
            token.shape != Shape::Lower || token.is(words::PARTICLE | words::PREPOSITION | words::DETERMINER)
        });
        if named {
            found.push(plain(start, end));
        }
    }
}

/// The names of a cell: the whole of it, or its parts between commas and "and".
fn cell_candidates(tokens: &[Token], cell: &Range<usize>, found: &mut Vec<Candidate>) {
    let mut start = cell.start;
    let mut position = cell.start;
    let mut push = |start: usize, mut end: usize| {
        let mut start = start;
        while start < end
            && (tokens[start].is(words::DETERMINER) || is_title(&tokens[start]) && start + 1 < end)
        {
            start += 1;
        }
        if let Some(open) = (start..end).find(|position| tokens[*position].is_sign("(")) {
            end = open;
        }
        while end > start && tokens[end - 1].shape == Shape::Sign {
            end -= 1;
        }
        let letter = end - start == 1 && tokens[start].lower.chars().count() == 1;
        let wordy =
            start < end && !letter && end - start <= 8 && tokens[start..end].iter().any(Token::is_word);
        let named = wordy
            && matches!(tokens[start].shape, Shape::Capital | Shape::Upper | Shape::Mixed | Shape::Caseless)
            && tokens[start..end]
                .iter()
                .all(|token| token.shape != Shape::Lower || token.is(words::PARTICLE | words::PREPOSITION))
            && !(tokens[start].is(words::CALENDAR)
                && tokens[start..end].iter().any(|token| token.shape == Shape::Number));
        if named {
            found.push(Candidate { start, end, weak: false, marked: true, title: 0 });
        }
    };
    while position < cell.end {
        let token = &tokens[position];
        let splits = token.is_sign(",")
            || token.is_sign(";")
            || token.is_sign("/")
            || token.lower == "and"
            || token.is_sign("(");
        if splits {
            push(start, position);
            if token.is_sign("(") {
                position = (position..cell.end).find(|at| tokens[*at].is_sign(")")).unwrap_or(cell.end);
            }
            start = position + 1;
        }
        position += 1;
    }
    if start < cell.end {
        push(start, cell.end);
    }
}

fn is_title(token: &Token) -> bool {
    token.is(words::HONORIFIC)
        && token.is_capital()
        && !matches!(token.lower.as_str(), "st" | "st." | "saint")
}

fn surface(text: &str, tokens: &[Token], range: &Range<usize>) -> String {
    let mut surface = String::new();
    for position in range.clone() {
        if position > range.start && tokens[position].spaced {
            surface.push(' ');
        }
        surface.push_str(&text[tokens[position].span.range()]);
    }
    surface
}

fn name_tokens(tokens: &[Token], range: &Range<usize>) -> Vec<String> {
    tokens[range.clone()]
        .iter()
        .filter(|token| token.shape != Shape::Sign)
        .map(|token| token.lower.clone())
        .collect()
}

/// The key of a name: without its legal suffix and a stop at its end.
fn key_of(text: &str, tokens: &[Token], range: &Range<usize>) -> String {
    name_key(&without_legal(&surface(text, tokens, range), tokens, range))
}

fn without_legal(surface: &str, tokens: &[Token], range: &Range<usize>) -> String {
    let last = &tokens[range.end - 1];
    if range.len() < 2 || !last.is(words::LEGAL) || !last.is_capital() {
        return surface.to_owned();
    }
    let cut = surface.len().saturating_sub(last.span.len());
    surface.get(..cut).unwrap_or(surface).trim_end_matches([' ', ',', '.']).to_owned()
}

/// Tells whether the letters of one word are the initials of others.
fn is_acronym(short: &Token, long: &[Token]) -> bool {
    let letters: String = short.lower.chars().filter(|character| character.is_alphanumeric()).collect();
    if letters.chars().count() < 2 || !matches!(short.shape, Shape::Upper | Shape::Mixed | Shape::Capital) {
        return false;
    }
    let initials = |all: bool| -> String {
        long.iter()
            .filter(|token| token.is_word() && (all || token.is_capital()))
            .flat_map(|token| token.lower.split('-').filter_map(|part| part.chars().next()))
            .collect()
    };
    letters == initials(false) || letters == initials(true)
}
