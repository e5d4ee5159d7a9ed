//! What a document knows of its names: built once, then sliced for each chunk.
//!
//! A chunk is read from its [`Slice`] and its own text alone, and its key is the digest of both. So equal keys
//! mean equal extractions, whatever else the document says.

use std::collections::HashMap;
use std::ops::Range;

use indexmap::IndexMap;
use mge_core::{Chunk, ChunkKind, Document, MentionForm, name_key};

use crate::lexicon::Lexicon;
use crate::literals::Values;
use crate::names::{Candidate, Habits, candidates};
use crate::relations::{Said, relate};
use crate::rows::Filler;
use crate::scene::{Gender, Member, Scene};
use crate::tokens::{Shape, Token, sentences, tokenize};
use crate::typing::{Clue, Clues, clues, decide};
use crate::words;

/// How many names said before a chunk are offered to its definite descriptions.
const INCOMING: usize = 24;

/// The longest text that is cut into tokens at once, in bytes; what lies behind it is not read.
const LONGEST_TEXT: usize = 4 << 20;

/// A name at a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Name {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) who: usize,
    pub(crate) form: MentionForm,
    pub(crate) identity: f64,
}

/// What a chunk is read with, beside its own text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Slice {
    /// The entities that matter here, by name.
    pub(crate) cast: Vec<Member>,
    /// Where they are named in the chunk.
    pub(crate) names: Vec<Name>,
    /// Where they are named in its lead-in.
    pub(crate) lead: Vec<Name>,
    /// What the nearest heading, or the title, names.
    pub(crate) topic: Option<usize>,
    /// Who was named before, the latest first; only those that a description of the chunk may mean.
    pub(crate) incoming: Vec<usize>,
}

/// A text in tokens and sentences.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parsed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) sentences: Vec<Range<usize>>,
}

impl Parsed {
    pub(crate) fn of_text(text: &str) -> Self {
        let mut end = text.len().min(LONGEST_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let tokens = tokenize(&text[..end]);
        let sentences = sentences(&tokens);
        Self { tokens, sentences }
    }

    pub(crate) fn of_chunk(chunk: &Chunk) -> Self {
        match chunk.kind {
            ChunkKind::Verbatim => Self::default(),
            ChunkKind::TableRow => {
                let mut parsed = Self::of_text(chunk.text.as_str());
                // Each cell is read by itself.
                parsed.sentences = chunk
                    .cells
                    .iter()
                    .map(|cell| {
                        let start = parsed.tokens.partition_point(|token| token.span.end <= cell.span.start);
                        let end = parsed.tokens.partition_point(|token| token.span.start < cell.span.end);
                        start..end.max(start)
                    })
                    .collect();
                parsed
            }
            _ => Self::of_text(chunk.text.as_str()),
        }
    }
}

/// A document's names, resolved.
pub(crate) struct Context {
    pub(crate) parsed: Vec<Parsed>,
    pub(crate) leads: Vec<Parsed>,
    pub(crate) slices: Vec<Slice>,
}

/// What is gathered of one name.
#[derive(Debug, Default)]
struct Record {
    name: String,
    count: usize,
    tokens: Vec<String>,
    clues: Vec<Clue>,
    gender: Option<Gender>,
    genders_differ: bool,
    heads: Vec<String>,
    /// Set when curated.
    instance: Option<usize>,
    /// Seen other than as the first word of a sentence.
    firm: bool,
    acronym_of: Option<String>,
    personal_title: bool,
}

/// A candidate in place, before its name is resolved.
#[derive(Debug, Clone)]
struct Seen {
    start: usize,
    end: usize,
    key: String,
    alias: bool,
}

struct Builder<'a> {
    lexicon: &'a Lexicon,
    document: &'a Document,
    parsed: Vec<Parsed>,
    leads: Vec<Parsed>,
    seen: Vec<Vec<Seen>>,
    seen_leads: Vec<Vec<Seen>>,
    records: IndexMap<String, Record>,
    titles: Vec<Vec<String>>,
    titles_by_first: HashMap<String, Vec<usize>>,
}

impl Context {
    pub(crate) fn new(document: &Document, lexicon: &Lexicon) -> Self {
        let mut builder = Builder::new(document, lexicon);
        builder.gather();
        builder.aliases();
        let mut members = builder.members();
        builder.type_by_relations(&mut members);
        builder.slices(members)
    }
}

/// The members of a document and how each key leads to them.
struct Members {
    members: Vec<Member>,
    full: HashMap<String, (usize, MentionForm, f64)>,
    by_key: HashMap<String, (usize, MentionForm, f64)>,
}

impl<'a> Builder<'a> {
    fn new(document: &'a Document, lexicon: &'a Lexicon) -> Self {
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
        };
        builder.read_titles();
        builder
    }

    /// Title and headings that are written as names are names wherever they stand.
    fn read_titles(&mut self) {
        let mut texts: Vec<String> = Vec::new();
        if let Some(title) = &self.document.title {
            texts.push(title.as_str().to_owned());
        }
        for chunk in &self.document.chunks {
            if chunk.kind == ChunkKind::Heading && chunk.text.as_str().len() < 200 {
                texts.push(chunk.text.as_str().to_owned());
            }
        }
        for text in texts {
            let tokens = tokenize(bare_title(&text));
            let part = named_part(&tokens, 0..tokens.len(), self.lexicon);
            // "Oslo, Norway" is Oslo; "Red Sky, Blue Sea" is one title: the text shows which.
            let whole = part.start..tokens.len();
            self.add_title(bare_title(&text), &tokens, whole.clone());
            if part != whole {
                self.add_title(bare_title(&text), &tokens, part);
            }
        }
    }

    /// Tells whether a paragraph says something of what the title names: "Les jours bleus is …".
    fn is_spoken_of(&self, title: &str) -> bool {
        self.document.chunks.iter().filter(|chunk| chunk.kind == ChunkKind::Paragraph).take(3).any(|chunk| {
            let text = chunk.text.as_str();
            let rest = text.strip_prefix("The ").unwrap_or(text);
            let rest = rest.trim_start_matches(['"', '“', '«']).strip_prefix(title);
            rest.is_some_and(|rest| {
                let rest = rest.trim_start_matches(['"', '”', '»']);
                rest.starts_with(" is ") || rest.starts_with(" was ") || rest.starts_with(" (")
            })
        })
    }

    fn add_title(&mut self, text: &str, tokens: &[Token], part: Range<usize>) {
        let spoken = tokens.first().is_some_and(|first| first.shape != Shape::Lower)
            && tokens.len() <= 14
            && part == (0..tokens.len())
            && self.is_spoken_of(text);
        let tokens = &tokens[part];
        let named = spoken
            || !tokens.is_empty()
                && tokens.len() <= 10
                && tokens[0].shape != Shape::Lower
                && tokens.iter().all(|token| {
                    token.is_capital()
                        || matches!(
                            token.shape,
                            Shape::Caseless | Shape::Number | Shape::Mixed | Shape::Genitive
                        )
                        || token.is(words::PARTICLE | words::PREPOSITION | words::DETERMINER | words::AND)
                        || matches!(token.lower.as_str(), "," | "-" | "&" | "." | ":" | "!" | "?")
                })
                && tokens.iter().any(Token::is_word);
        let named = named && !tokens.is_empty();
        let role = self.lexicon.phrase_at(tokens, 0).is_some_and(|(length, _)| length == tokens.len());
        let common = tokens.len() == 1
            && (tokens[0].is(words::STARTER | words::CALENDAR | words::NAME_HEAD | words::PEOPLE_ADJECTIVE)
                || self.lexicon.is_cue_noun(&tokens[0].stem));
        if !named || role || common {
            return;
        }
        let surfaces: Vec<String> = tokens.iter().map(|token| text[token.span.range()].to_owned()).collect();
        if !self.titles.contains(&surfaces) {
            self.titles_by_first.entry(surfaces[0].clone()).or_default().push(self.titles.len());
            self.titles.push(surfaces);
        }
    }

    /// Finds all candidates and what their places tell of them.
    fn gather(&mut self) {
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
            let seen = self.gather_text(chunk.text.as_str(), &parsed, &habits, chunk.kind);
            self.place(chunk, &parsed, &seen, position);
            self.parsed[position] = parsed;
            self.seen.push(seen);
            let lead = std::mem::take(&mut self.leads[position]);
            let seen = match &chunk.lead_in {
                Some(text) => self.gather_text(text.as_str(), &lead, &habits, ChunkKind::Paragraph),
                None => Vec::new(),
            };
            self.leads[position] = lead;
            self.seen_leads.push(seen);
        }
    }

    fn gather_text(&mut self, text: &str, parsed: &Parsed, habits: &Habits, kind: ChunkKind) -> Vec<Seen> {
        let tokens = &parsed.tokens;
        // The surest first: curated names, then titles, then what looks like a name.
        let mut taken = vec![false; tokens.len()];
        let mut found: Vec<(Candidate, Option<usize>, bool)> = Vec::new();
        let mut new: Vec<Candidate> = Vec::new();
        for sentence in &parsed.sentences {
            match kind {
                ChunkKind::Heading => heading_candidate(tokens, sentence, self.lexicon, &mut new),
                ChunkKind::TableRow => {
                    let phrase = self.lexicon.phrase_at(&tokens[..sentence.end], sentence.start);
                    if sentence.is_empty() || phrase.is_none_or(|(length, _)| length < sentence.len()) {
                        cell_candidates(tokens, sentence, &mut new);
                    }
                }
                _ => candidates(tokens, sentence, self.lexicon, habits, &mut new),
            }
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
                        && around(&new, position)
                            .is_none_or(|candidate| candidate.start < position || candidate.end <= end) =>
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
            record.take(clues);
            seen.push(Seen { start: candidate.start, end: candidate.end, key, alias: false });
        }
        seen
    }

    /// A longer candidate is a name of its own when more than a title or a number surrounds the known one.
    fn is_own_name(&self, tokens: &[Token], candidate: &Candidate, start: usize, end: usize) -> bool {
        let before = tokens[candidate.start..start]
            .iter()
            .any(|token| token.is_word() && !token.is(words::HONORIFIC | words::STARTER));
        let after = tokens[end..candidate.end].iter().any(Token::is_word);
        before || after
    }

    fn title_at(&self, text: &str, tokens: &[Token], position: usize) -> Option<usize> {
        let first = text.get(tokens[position].span.range())?;
        let titles = self.titles_by_first.get(first)?;
        let fits = |title: &[String]| {
            tokens.len() - position >= title.len()
                && title
                    .iter()
                    .zip(&tokens[position..])
                    .all(|(word, token)| text[token.span.range()] == **word)
        };
        titles
            .iter()
            .map(|title| &self.titles[*title])
            .filter(|title| fits(title))
            .map(|title| position + title.len())
            .max()
    }

    /// What the place of a chunk tells: the header over a cell, the lead-in over an item.
    fn place(&mut self, chunk: &Chunk, parsed: &Parsed, seen: &[Seen], position: usize) {
        match chunk.kind {
            ChunkKind::TableRow => {
                // A cell that is a concept says what the row's own entity is: "Aurora | Ferry".
                if let Some(key) = seen.first().map(|first| first.key.clone()) {
                    for range in &parsed.sentences {
                        let senses = match self.lexicon.phrase_at(&parsed.tokens[..range.end], range.start) {
                            Some((length, senses))
                                if range.start + length == range.end && !range.is_empty() =>
                            {
                                senses
                            }
                            _ => continue,
                        };
                        let concepts = senses.iter().enumerate().map(|(order, sense)| Clue {
                            concept: sense.concept,
                            weight: 0.85 * sense.weight * if order == 0 { 1.0 } else { 0.6 },
                        });
                        let clues = Clues { concepts: concepts.collect(), ..Clues::default() };
                        if let Some(record) = self.records.get_mut(&key) {
                            record.take(clues);
                        }
                    }
                }
                for (cell, range) in chunk.cells.iter().zip(&parsed.sentences) {
                    let Some(senses) = header_senses(self.lexicon, cell.header.as_str()) else { continue };
                    let senses: Vec<Clue> = senses
                        .iter()
                        .enumerate()
                        .map(|(order, sense)| Clue {
                            concept: sense.concept,
                            weight: 0.9 * sense.weight * if order == 0 { 1.0 } else { 0.6 },
                        })
                        .collect();
                    let first = seen.partition_point(|name| name.start < range.start);
                    for name in seen[first..].iter().take_while(|name| name.end <= range.end) {
                        if let Some(record) = self.records.get_mut(&name.key) {
                            record.take(Clues { concepts: senses.clone(), ..Clues::default() });
                        }
                    }
                }
            }
            ChunkKind::ListItem => {
                let Some(first) = seen.first() else { return };
                if first.start > parsed.sentences.first().map_or(0, |sentence| sentence.start) + 2 {
                    return;
                }
                let lead = &self.leads[position];
                let from_lead = lead_senses(self.lexicon, &lead.tokens);
                let from_heading = || {
                    let heading = chunk.headings.last()?;
                    let tokens = tokenize(heading.as_str());
                    lead_senses(self.lexicon, &tokens)
                };
                let senses = match &chunk.lead_in {
                    Some(_) => from_lead,
                    None => from_heading(),
                };
                if let (Some(concepts), Some(record)) = (senses, self.records.get_mut(&first.key)) {
                    record.take(Clues { concepts, ..Clues::default() });
                }
            }
            _ => {}
        }
    }

    /// "Institute of X (IX)", "IX (Institute of X)".
    fn aliases(&mut self) {
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

    /// Decides what each name is, and which short forms lead to it.
    fn members(&self) -> Members {
        let mut members = Members { members: Vec::new(), full: HashMap::new(), by_key: HashMap::new() };
        for (key, record) in &self.records {
            if record.acronym_of.is_some() {
                continue;
            }
            let decided = match record.instance {
                Some(instance) => Some((self.lexicon.instances[instance].concept, 0.97)),
                None => decide(self.lexicon, &record.clues),
            };
            let (concept, confidence) = match decided {
                Some((concept, confidence)) => (Some(concept), confidence),
                None => (None, 0.0),
            };
            let gender = if record.genders_differ { None } else { record.gender };
            let who = members.members.len();
            members.members.push(Member {
                name: record.name.clone(),
                concept,
                confidence,
                gender,
                heads: record.heads.clone(),
            });
            members.by_key.insert(key.clone(), (who, MentionForm::Full, 1.0));
        }
        for (key, record) in &self.records {
            let Some(long) = &record.acronym_of else { continue };
            if let Some((who, _, _)) = members.by_key.get(long).copied() {
                members.by_key.insert(key.clone(), (who, MentionForm::Alias, 0.97));
            }
        }
        members.full.clone_from(&members.by_key);
        self.short_forms(&mut members, true);
        members
    }

    /// A surname, a given name, the name of a thing without its kind: of exactly one full name.
    ///
    /// While types are looked for, a name without one may be that of a person.
    fn short_forms(&self, members: &mut Members, open: bool) {
        members.by_key.clone_from(&members.full);
        let mut owners: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        for (key, record) in &self.records {
            let Some(&(who, MentionForm::Full, _)) = members.by_key.get(key) else { continue };
            let member = &members.members[who];
            if member.concept.is_none() && !open {
                continue;
            }
            let tokens: Vec<&String> = record
                .tokens
                .iter()
                .filter(|token| !matches!(token.as_str(), "jr" | "jr." | "sr" | "sr." | "ii" | "iii" | "iv"))
                .collect();
            if tokens.len() < 2 {
                continue;
            }
            let mut shorts: Vec<(String, f64)> = Vec::new();
            let personal = match member.concept {
                Some(concept) => self.lexicon.kinds[concept].personal,
                None => {
                    (2..=3).contains(&tokens.len())
                        && !record
                            .tokens
                            .iter()
                            .any(|token| words::class(token) & (words::NAME_HEAD | words::PARTICLE) != 0)
                }
            };
            if member.concept.is_none() && !personal {
                continue;
            }
            if personal {
                shorts.push((tokens[tokens.len() - 1].clone(), 0.92));
                if member.concept.is_some() {
                    shorts.push((tokens[0].clone(), 0.88));
                }
                if tokens.len() > 2 {
                    shorts.push((format!("{} {}", tokens[0], tokens[tokens.len() - 1]), 0.95));
                    // "van der Berg", "Lindsay Taylor"
                    for start in 1..tokens.len() - 1 {
                        let tail: Vec<&str> = tokens[start..].iter().map(|token| token.as_str()).collect();
                        shorts.push((tail.join(" "), 0.92));
                    }
                }
            } else {
                let head = member.heads.iter().find_map(|head| {
                    let last = crate::stem::stem(tokens[tokens.len() - 1]);
                    let first = crate::stem::stem(tokens[0]);
                    if last == *head {
                        Some(tokens[..tokens.len() - 1].to_vec())
                    } else if first == *head && !matches!(tokens[1].as_str(), "of" | "for") {
                        Some(tokens[1..].to_vec())
                    } else {
                        None
                    }
                });
                if let Some(rest) = head.filter(|rest| !rest.is_empty()) {
                    let rest: Vec<&str> = rest.iter().map(|token| token.as_str()).collect();
                    shorts.push((rest.join(" "), 0.85));
                }
            }
            for (short, identity) in shorts {
                let entry = owners.entry(name_key(&short)).or_default();
                if !entry.iter().any(|(known, _)| *known == who) {
                    entry.push((who, identity));
                }
            }
        }
        for (short, owners) in owners {
            let [(who, identity)] = owners.as_slice() else {
                // Of two people the short form names neither, unless it has a concept of its own.
                if members.by_key.get(&short).is_some_and(|(_, form, _)| *form == MentionForm::Short) {
                    members.by_key.remove(&short);
                }
                if let Some((own, _, _)) = members.by_key.get(&short).copied()
                    && members.members[own]
                        .concept
                        .is_some_and(|concept| self.lexicon.kinds[concept].personal)
                    && owners.iter().all(|(owner, _)| {
                        members.members[*owner]
                            .concept
                            .is_some_and(|concept| self.lexicon.kinds[concept].personal)
                    })
                {
                    members.by_key.remove(&short);
                }
                continue;
            };
            let own = members.by_key.get(&short).copied();
            let Some(concept) = members.members[*who].concept else {
                let typed = own.is_some_and(|(own, _, _)| members.members[own].concept.is_some());
                if own.is_some() && !typed {
                    members.by_key.insert(short, (*who, MentionForm::Short, *identity));
                }
                continue;
            };
            let personal = self.lexicon.kinds[concept].personal;
            match own {
                None => {}
                Some((own, _, _)) => {
                    let record = self.records.get(&short);
                    // A name of its own, with a concept that cannot be the long one's, stays.
                    if let Some(own_concept) = members.members[own].concept {
                        let same = self.lexicon.descends(concept, &self.lexicon.kinds[own_concept].id)
                            || self.lexicon.descends(own_concept, &self.lexicon.kinds[concept].id)
                            || personal && self.lexicon.kinds[own_concept].personal;
                        if !same || record.is_some_and(|record| record.instance.is_some()) {
                            continue;
                        }
                    } else if record.is_some_and(|record| record.instance.is_some()) {
                        continue;
                    }
                }
            }
            members.by_key.insert(short, (*who, MentionForm::Short, *identity));
        }
    }

    /// Types what is left by the relations that it stands in: the last resort, and less sure.
    fn type_by_relations(&mut self, members: &mut Members) {
        let mut proposals: IndexMap<usize, Vec<Clue>> = IndexMap::new();
        let mut recent: Vec<usize> = Vec::new();
        for (position, chunk) in self.document.chunks.iter().enumerate() {
            let before = recent.clone();
            for name in self.names_of(&self.seen[position], members) {
                if members.members[name.who].concept.is_some() {
                    note(&mut recent, name.who);
                }
            }
            if matches!(chunk.kind, ChunkKind::Heading | ChunkKind::Verbatim) {
                continue;
            }
            let open = self.seen[position].iter().any(|seen| {
                members
                    .by_key
                    .get(&seen.key)
                    .is_some_and(|(who, _, _)| members.members[*who].concept.is_none())
            });
            if !open {
                continue;
            }
            let parsed = &self.parsed[position];
            let text = chunk.text.as_str();
            let topic = self.topic_of(chunk, members);
            let slice = Slice {
                names: self.names_of(&self.seen[position], members),
                topic,
                incoming: self.incoming_for(position, &before, members),
                ..Slice::default()
            };
            let mut scene = Scene::new(text, &parsed.tokens, self.lexicon, &members.members);
            let times = crate::rules::mark_times(&mut scene, text, self.document.date);
            crate::coref::assemble(&mut scene, &parsed.sentences, &slice, true);
            let values = Values::default();
            for (who, wanted) in self.laid_out(&scene, position, chunk, parsed, topic, members) {
                let Some(concept) = self.lexicon.concept(&wanted) else { continue };
                if members.members[who].concept.is_none() && self.shape_allows(&members.members[who], concept)
                {
                    proposals.entry(who).or_default().push(Clue { concept, weight: 0.72 });
                }
            }
            if chunk.kind == ChunkKind::TableRow {
                continue;
            }
            for sentence in &parsed.sentences {
                let busy = scene.ments[scene.ments_in(sentence)]
                    .iter()
                    .any(|ment| members.members[ment.who].concept.is_none());
                if !busy {
                    continue;
                }
                for draft in relate(&scene, sentence, &values) {
                    let Said::Ment(object) = draft.object else { continue };
                    let link = &self.lexicon.links[draft.link];
                    let mge_ontology::Target::Concept(dst) = &link.dst else { continue };
                    let ends =
                        [(draft.subject, object, link.src.as_str()), (object, draft.subject, dst.as_str())];
                    for (ment, other, wanted) in ends {
                        let who = scene.ments[ment].who;
                        if members.members[who].concept.is_some() {
                            continue;
                        }
                        let Some(concept) = self.lexicon.concept(wanted) else { continue };
                        let other_known = scene.member(other).concept.is_some();
                        let weight = if other_known { 0.66 } else { 0.6 } * draft.weight / 0.9;
                        let shaped = self.shape_allows(scene.member(ment), concept);
                        if draft.weight >= 0.72 && shaped {
                            proposals.entry(who).or_default().push(Clue { concept, weight });
                        }
                    }
                }
            }
            drop(times);
        }
        for (who, clues) in proposals {
            if let Some((concept, confidence)) = self.choose(&members.members[who], &clues) {
                members.members[who].concept = Some(concept);
                members.members[who].confidence = confidence;
            }
        }
        self.short_forms(members, false);
    }

    /// What the headers of a row, or the lead-in of an item, want their names to be.
    fn laid_out(
        &self,
        scene: &Scene<'_>,
        position: usize,
        chunk: &Chunk,
        parsed: &Parsed,
        topic: Option<usize>,
        members: &Members,
    ) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        if chunk.kind == ChunkKind::TableRow {
            found.extend(crate::rows::wanted(scene, chunk, parsed, topic));
        }
        let Some(lead_text) = &chunk.lead_in else { return found };
        let items = crate::rules::items_of(scene, parsed, chunk.kind);
        let names = self.names_of(&self.seen_leads[position], members);
        let lead = &self.leads[position];
        let laid = crate::rows::under_lead_in(
            self.lexicon,
            lead_text.as_str(),
            lead,
            &names,
            &members.members,
            &items,
            None,
            self.document.date,
        );
        for claim in laid {
            let link = &self.lexicon.links[claim.link];
            let (Filler::Member(object, _, _), mge_ontology::Target::Concept(dst)) =
                (&claim.object, &link.dst)
            else {
                continue;
            };
            found.push((claim.subject.0, link.src.clone()));
            found.push((*object, dst.clone()));
        }
        found
    }

    /// Tells whether a name can be that of such a thing by its shape.
    fn shape_allows(&self, member: &Member, concept: usize) -> bool {
        let tokens = tokenize(&member.name);
        let first = match tokens.first() {
            Some(first) => first,
            None => return false,
        };
        if first.shape == Shape::Number {
            return false;
        }
        if self.lexicon.kinds[concept].personal {
            let heads = tokens
                .iter()
                .any(|token| token.is(words::NAME_HEAD | words::LEGAL) && !token.is(words::GIVEN))
                || tokens.iter().any(|token| token.lower == "&");
            let acronym = tokens.len() == 1 && first.shape == Shape::Upper;
            return (2..=5).contains(&tokens.len()) && !heads && !acronym && !first.is(words::STARTER);
        }
        // "David Tonkin" is hardly a company.
        let given = first.is(words::GIVEN)
            && (2..=3).contains(&tokens.len())
            && tokens.iter().all(|token| token.is_capital() && !token.is(words::NAME_HEAD | words::LEGAL));
        !given
    }

    /// Chooses among what the relations want; when they disagree, the shape of the name may decide.
    fn choose(&self, member: &Member, clues: &[Clue]) -> Option<(usize, f64)> {
        let root = |concept: usize| self.lexicon.kinds[concept].id.split('|').next().unwrap_or_default();
        let first = clues.first()?;
        let agreed = clues.iter().all(|clue| root(clue.concept) == root(first.concept));
        if agreed {
            let (concept, confidence) = decide(self.lexicon, clues)?;
            return Some((concept, confidence.min(0.8)));
        }
        let given = tokenize(&member.name).first().is_some_and(|token| token.is(words::GIVEN));
        let personal: Vec<Clue> =
            clues.iter().filter(|clue| self.lexicon.kinds[clue.concept].personal).cloned().collect();
        if given && !personal.is_empty() {
            return decide(self.lexicon, &personal)
                .map(|(concept, confidence)| (concept, confidence.min(0.75)));
        }
        if !given && personal.len() < clues.len() {
            let things: Vec<Clue> =
                clues.iter().filter(|clue| !self.lexicon.kinds[clue.concept].personal).cloned().collect();
            let tokens = tokenize(&member.name);
            let bodily =
                tokens.iter().any(|token| token.is(words::LEGAL | words::NAME_HEAD) || token.lower == "&")
                    || tokens.len() == 1 && tokens[0].shape == Shape::Upper;
            let one = things.iter().all(|clue| root(clue.concept) == root(things[0].concept));
            if bodily && one {
                return decide(self.lexicon, &things)
                    .map(|(concept, confidence)| (concept, confidence.min(0.75)));
            }
        }
        None
    }

    fn names_of(&self, seen: &[Seen], members: &Members) -> Vec<Name> {
        seen.iter()
            .filter_map(|seen| {
                let (who, form, identity) = members.by_key.get(&seen.key).copied()?;
                let form = if seen.alias { MentionForm::Alias } else { form };
                Some(Name { start: seen.start, end: seen.end, who, form, identity })
            })
            .collect()
    }

    /// Cuts what is known into what each chunk needs.
    fn slices(self, members: Members) -> Context {
        let typed = |names: Vec<Name>| -> Vec<Name> {
            names.into_iter().filter(|name| members.members[name.who].concept.is_some()).collect()
        };
        let mut recent: Vec<usize> = Vec::new();
        let mut slices = Vec::with_capacity(self.document.chunks.len());
        for (position, chunk) in self.document.chunks.iter().enumerate() {
            let names = typed(self.names_of(&self.seen[position], &members));
            let lead = typed(self.names_of(&self.seen_leads[position], &members));
            let topic = self.topic_of(chunk, &members);
            let incoming = self.incoming_for(position, &recent, &members);
            for name in &names {
                note(&mut recent, name.who);
            }
            slices.push(cut(&members.members, names, lead, topic, &incoming));
        }
        Context { parsed: self.parsed, leads: self.leads, slices }
    }

    /// Finds what the nearest heading that names something names, or else the title.
    fn topic_of(&self, chunk: &Chunk, members: &Members) -> Option<usize> {
        let title = self.document.title.iter();
        chunk.headings.iter().rev().chain(title).find_map(|heading| self.member_of(heading.as_str(), members))
    }

    fn member_of(&self, text: &str, members: &Members) -> Option<usize> {
        let bare = bare_title(text);
        let direct = |text: &str| {
            members
                .by_key
                .get(&name_key(text))
                .or_else(|| members.by_key.get(&format!("\u{1}{text}")))
                .map(|(who, _, _)| *who)
                .filter(|who| members.members[*who].concept.is_some())
        };
        let stripped = ["The ", "the ", "A ", "An "].iter().find_map(|article| bare.strip_prefix(article));
        direct(bare).or_else(|| direct(stripped?)).or_else(|| {
            // "The ferry Aurora", "About Elena Ruiz": the only typed name that the heading holds.
            let position = self
                .document
                .chunks
                .iter()
                .position(|chunk| chunk.kind == ChunkKind::Heading && chunk.text.as_str() == text)?;
            let mut typed = self.seen[position].iter().filter_map(|seen| {
                let (who, _, _) = members.by_key.get(&seen.key)?;
                members.members[*who].concept.is_some().then_some(*who)
            });
            let first = typed.next()?;
            typed.all(|other| other == first).then_some(first)
        })
    }

    /// Offers those said before that "the …" in this chunk may mean.
    fn incoming_for(&self, position: usize, recent: &[usize], members: &Members) -> Vec<usize> {
        let tokens = &self.parsed[position].tokens;
        let mut heads: Vec<&str> = Vec::new();
        let mut concepts: Vec<&str> = Vec::new();
        for (the, token) in tokens.iter().enumerate() {
            if !matches!(token.lower.as_str(), "the" | "this" | "that") {
                continue;
            }
            for noun in the + 1..(the + 5).min(tokens.len()) {
                if tokens[noun].shape != Shape::Lower {
                    break;
                }
                heads.push(&tokens[noun].stem);
                if let Some((_, senses)) = self.lexicon.phrase_at(tokens, noun) {
                    concepts.extend(senses.iter().map(|sense| self.lexicon.kinds[sense.concept].id.as_str()));
                }
            }
            if heads.len() > 4000 {
                break;
            }
        }
        heads.sort_unstable();
        heads.dedup();
        concepts.sort_unstable();
        concepts.dedup();
        recent
            .iter()
            .copied()
            .filter(|who| {
                let member = &members.members[*who];
                member.heads.iter().any(|head| heads.binary_search(&head.as_str()).is_ok())
                    || member
                        .concept
                        .is_some_and(|concept| concepts.iter().any(|id| self.lexicon.descends(concept, id)))
            })
            .collect()
    }
}

impl Record {
    fn take(&mut self, clues: Clues) {
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

/// Notes who was named last.
fn note(recent: &mut Vec<usize>, who: usize) {
    recent.retain(|known| *known != who);
    recent.insert(0, who);
    recent.truncate(INCOMING);
}

/// Keeps the members that matter, in an order that only their content decides.
fn cut(
    members: &[Member],
    names: Vec<Name>,
    lead: Vec<Name>,
    topic: Option<usize>,
    incoming: &[usize],
) -> Slice {
    let mut used: Vec<usize> =
        names.iter().chain(&lead).map(|name| name.who).chain(topic).chain(incoming.iter().copied()).collect();
    used.sort_unstable();
    used.dedup();
    used.sort_by(|left, right| {
        let (left, right) = (&members[*left], &members[*right]);
        left.name.cmp(&right.name).then(left.concept.cmp(&right.concept)).then(left.heads.cmp(&right.heads))
    });
    let place: HashMap<usize, usize> = used.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    let moved = |names: Vec<Name>| -> Vec<Name> {
        names.into_iter().map(|name| Name { who: place[&name.who], ..name }).collect()
    };
    Slice {
        names: moved(names),
        lead: moved(lead),
        topic: topic.map(|topic| place[&topic]),
        incoming: incoming.iter().map(|who| place[who]).collect(),
        cast: used.iter().map(|who| members[*who].clone()).collect(),
    }
}

/// Finds the candidate that holds a token.
fn around(candidates: &[Candidate], token: usize) -> Option<&Candidate> {
    let after = candidates.partition_point(|candidate| candidate.start <= token);
    candidates[..after].last().filter(|candidate| token < candidate.end)
}

fn plain(start: usize, end: usize) -> Candidate {
    Candidate { start, end, weak: false, marked: false, title: 0 }
}

/// The part of a title that may be a name: without article, bracket and date; of "Minutes of X" it is X.
fn named_part(tokens: &[Token], range: Range<usize>, lexicon: &Lexicon) -> Range<usize> {
    let Range { mut start, mut end } = range;
    let article = |position: usize| {
        tokens.get(position).is_some_and(|token| matches!(token.lower.as_str(), "the" | "a" | "an"))
    };
    let cut = (start..end).find(|position| tokens[*position].is_sign("(") || tokens[*position].is_sign(","));
    if let Some(cut) = cut.filter(|cut| *cut > start) {
        end = cut;
    }
    if start < end && article(start) {
        start += 1;
    }
    // "Staff of the X", "About X", "Welcome to X": the words before it are no part of any name.
    let joint = (start..end).find(|position| {
        matches!(tokens[*position].lower.as_str(), "of" | "at" | "from" | "to" | "about" | "on" | "in")
    });
    if let Some(joint) = joint
        && joint + 1 < end
    {
        let common = joint == start
            || !tokens[joint - 1].is(words::NAME_HEAD)
                && lexicon.phrase_before(tokens, start, joint).is_none()
                && (joint - start == 1 || !tokens[start..joint].iter().all(Token::is_capital));
        let next = joint + 1 + usize::from(article(joint + 1));
        if common && next < end && tokens[next].is_capital() && (article(joint + 1) || joint == start) {
            start = next;
        }
    }
    start..end
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
        let wordy = start < end && end - start <= 8 && tokens[start..end].iter().any(Token::is_word);
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

/// A title without the bracket that tells it from others: "Aurora (ferry)".
pub(crate) fn bare_title(text: &str) -> &str {
    let text = text.trim();
    match text.find(" (") {
        Some(open) if text.ends_with(')') && open > 0 => text[..open].trim(),
        _ => text,
    }
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

/// What the header of a column says of its cells: a concept that is the whole of it, or its last words.
pub(crate) fn header_senses<'l>(lexicon: &'l Lexicon, header: &str) -> Option<&'l [crate::lexicon::Sense]> {
    let tokens = tokenize(bare_title(header));
    let end = tokens.len();
    lexicon.phrase_before(&tokens, 0, end).map(|(_, senses)| senses)
}

/// What a lead-in or heading says of the items below it: its last plural noun that is a concept.
fn lead_senses(lexicon: &Lexicon, tokens: &[Token]) -> Option<Vec<Clue>> {
    for end in (1..=tokens.len()).rev() {
        let noun = &tokens[end - 1];
        let plural = noun.lower != noun.stem && noun.lower.ends_with('s')
            || matches!(noun.lower.as_str(), "people" | "men" | "women" | "children" | "staff" | "crew");
        if !plural || noun.shape != Shape::Lower && end > 1 {
            continue;
        }
        if let Some((start, senses)) = lexicon.phrase_before(tokens, 0, end) {
            // "The ferries of the companies:" are ferries.
            if start > 0
                && tokens[..start]
                    .iter()
                    .rev()
                    .take(3)
                    .any(|token| token.is(words::PREPOSITION) && token.lower != "following")
            {
                continue;
            }
            return Some(
                senses
                    .iter()
                    .enumerate()
                    .map(|(order, sense)| Clue {
                        concept: sense.concept,
                        weight: 0.8 * sense.weight * if order == 0 { 1.0 } else { 0.6 },
                    })
                    .collect(),
            );
        }
    }
    None
}
