//! The names of a document: candidates, and what their places tell of them.

use std::collections::HashMap;
use std::ops::Range;

use indexmap::IndexMap;
use mge_core::{Chunk, ChunkKind, Document, MappedText, name_key};

use crate::context::Parsed;
use crate::lexicon::Lexicon;
use crate::marked::marked;
use crate::names::{Candidate, Habits, candidates};
use crate::scene::Gender;
use crate::tokens::{Shape, Token, tokenize};
use crate::typing::{Clue, Clues, clues};
use crate::words;

/// The most titles that begin with the same word.
const MOST_TITLES: usize = 64;

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

    /// Title and headings that are written as names are names wherever they stand.
    pub(crate) fn read_titles(&mut self) {
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
            let dated = tokens[part.end..]
                .iter()
                .any(|token| token.shape == Shape::Number || token.is(words::CALENDAR));
            if !dated {
                self.add_title(bare_title(&text), &tokens, whole.clone());
            }
            if part != whole {
                self.add_title(bare_title(&text), &tokens, part);
            }
        }
    }

    /// Names in small letters: the title that is one such word, and what a sentence begins with to say what it is.
    ///
    /// Nobody begins a sentence in small letters, unless the word is a name that is written so: "serde is a library".
    fn read_small_names(&mut self) {
        let mut found: Vec<String> = Vec::new();
        if let Some(title) = &self.document.title {
            let tokens = tokenize(title.as_str());
            if let [only] = tokens.as_slice()
                && self.is_small_name(only)
            {
                found.push(title.as_str()[only.span.range()].to_owned());
            }
        }
        for (chunk, parsed) in self.document.chunks.iter().zip(&self.parsed) {
            if !matches!(chunk.kind, ChunkKind::Paragraph | ChunkKind::ListItem) {
                continue;
            }
            for sentence in &parsed.sentences {
                let [first, next, article, ..] = &parsed.tokens[sentence.clone()] else { continue };
                let says = (next.lower == "is" || next.is_sign(",")) && matches!(article.lower.as_str(), "a" | "an");
                if says && self.is_small_name(first) {
                    found.push(chunk.text.as_str()[first.span.range()].to_owned());
                }
            }
        }
        for name in found {
            self.keep_title(vec![name]);
        }
    }

    /// Tells whether a word in small letters can be a name: no word of the language or of the ontology.
    fn is_small_name(&self, token: &Token) -> bool {
        token.shape == Shape::Lower
            && token.class == 0
            && token.lower.len() > 2
            && !words::is_verb_stem(&token.stem)
            && !self.lexicon.is_cue_noun(&token.stem)
            && self.lexicon.phrase_at(std::slice::from_ref(token), 0).is_none()
    }

    /// Tells whether a paragraph says something of what the title names: "Les jours bleus is …".
    pub(crate) fn is_spoken_of(&self, title: &str) -> bool {
        let opening = self.document.chunks.iter().take(24);
        opening.filter(|chunk| chunk.kind == ChunkKind::Paragraph).take(3).any(|chunk| {
            let text = chunk.text.as_str();
            let rest = text.strip_prefix("The ").unwrap_or(text);
            let rest = rest.trim_start_matches(['"', '“', '«']).strip_prefix(title);
            rest.is_some_and(|rest| {
                let rest = rest.trim_start_matches(['"', '”', '»']);
                rest.starts_with(" is ") || rest.starts_with(" was ") || rest.starts_with(" (")
            })
        })
    }

    pub(crate) fn add_title(&mut self, text: &str, tokens: &[Token], part: Range<usize>) {
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
        self.keep_title(tokens.iter().map(|token| text[token.span.range()].to_owned()).collect());
    }

    /// Keeps a title once; of those with one first word only so many that a look at each stays cheap.
    fn keep_title(&mut self, surfaces: Vec<String>) {
        let same_first = self.titles_by_first.entry(surfaces[0].clone()).or_default();
        if same_first.len() < MOST_TITLES && !same_first.iter().any(|known| self.titles[*known] == surfaces) {
            same_first.push(self.titles.len());
            self.titles.push(surfaces);
        }
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
                        && around(&new, position)
                            .is_none_or(|candidate| {
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
            let before = (candidate.start > sentence.start).then(|| tokens[candidate.start - 1].lower.as_str());
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

    pub(crate) fn title_at(&self, text: &str, tokens: &[Token], position: usize) -> Option<usize> {
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
    pub(crate) fn place(&mut self, chunk: &Chunk, parsed: &Parsed, seen: &[Seen], position: usize) {
        self.told_kind(chunk, parsed);
        match chunk.kind {
            ChunkKind::TableRow => {
                // A cell that is a concept says what the row's own entity is: "Aurora | Ferry".
                let keyed = parsed.sentences.first().is_some_and(|first| {
                    parsed.sentences.len() == 2
                        && (first.len() == 1 && is_kind(&parsed.tokens[first.start])
                            || !crate::rows::columns(self.lexicon, &parsed.tokens[first.clone()]).is_empty())
                });
                if let [key, value] = parsed.sentences.as_slice()
                    && let Some((_, senses)) = self.lexicon.phrase_before(&parsed.tokens, key.start, key.end)
                {
                    // "Own house | Regal": the key says what the value is.
                    let clues = ranked(senses, 0.85);
                    for name in seen.iter().filter(|name| value.start <= name.start && name.end <= value.end) {
                        if let Some(record) = self.records.get_mut(&name.key) {
                            record.take(Clues { concepts: clues.clone(), ..Clues::default() });
                        }
                    }
                }
                if let Some(key) = seen.first().map(|first| first.key.clone()).filter(|_| !keyed) {
                    for range in &parsed.sentences {
                        let senses = match self.lexicon.phrase_at(&parsed.tokens[..range.end], range.start) {
                            Some((length, senses))
                                if range.start + length == range.end && !range.is_empty() =>
                            {
                                senses
                            }
                            _ => continue,
                        };
                        let clues = Clues { concepts: ranked(senses, 0.85), ..Clues::default() };
                        if let Some(record) = self.records.get_mut(&key) {
                            record.take(clues);
                        }
                    }
                }
                for (cell, range) in chunk.cells.iter().zip(&parsed.sentences) {
                    let header = tokenize(bare_title(cell.header.as_str()));
                    let Some(senses) = header_senses(self.lexicon, cell.header.as_str()) else { continue };
                    // "Head office" over a town is a relation's, though an office is something too.
                    let whole = self.lexicon.phrase_at(&header, 0).is_some_and(|(length, _)| length == header.len());
                    if !whole && !crate::rows::columns(self.lexicon, &header).is_empty() {
                        continue;
                    }
                    let senses = ranked(senses, 0.9);
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

    /// "Type: theatre company", "Kind | ferry": what the heading names is told to be.
    fn told_kind(&mut self, chunk: &Chunk, parsed: &Parsed) {
        let tokens = &parsed.tokens;
        let value = match chunk.kind {
            ChunkKind::TableRow => match parsed.sentences.as_slice() {
                [key, value] if key.len() == 1 && is_kind(&tokens[key.start]) => value.clone(),
                _ => return,
            },
            ChunkKind::Paragraph | ChunkKind::ListItem => match tokens.as_slice() {
                [key, colon, ..] if is_kind(key) && colon.is_sign(":") => 2..tokens.len().min(8),
                _ => return,
            },
            _ => return,
        };
        let Some(heading) = chunk.headings.last() else { return };
        let key = name_key(bare_title(heading.as_str()));
        let senses = (value.start..=value.end)
            .rev()
            .find_map(|end| self.lexicon.phrase_before(tokens, value.start, end).map(|(_, senses)| senses));
        let (Some(senses), Some(record)) = (senses, self.records.get_mut(&key)) else { return };
        let clue = |sense: &crate::lexicon::Sense| Clue::told(sense.concept, 0.95 * sense.weight);
        record.take(Clues { concepts: senses.iter().take(1).map(clue).collect(), ..Clues::default() });
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

/// Makes clues of the senses of a word: the first is the plainest.
fn ranked(senses: &[crate::lexicon::Sense], weight: f64) -> Vec<Clue> {
    let rank = |order: usize| if order == 0 { 1.0 } else { 0.6 };
    let clue = |(order, sense): (usize, &crate::lexicon::Sense)| {
        Clue::told(sense.concept, weight * sense.weight * rank(order))
    };
    senses.iter().enumerate().map(clue).collect()
}

/// A key or header that says what a thing is.
fn is_kind(token: &Token) -> bool {
    matches!(token.lower.as_str(), "type" | "kind" | "class" | "category" | "sort")
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
    // "3. Plaza", "B. Terminals": the number of a heading is no part of a name.
    let numbered = tokens.get(start).is_some_and(|first| {
        first.shape == Shape::Number || first.lower.len() == 1 || first.lower.len() == 2 && first.lower.ends_with('.')
    });
    if numbered && end > start + 1 {
        let stop = tokens.get(start + 1).is_some_and(|next| matches!(next.lower.as_str(), "." | ")"));
        if stop {
            start += 2;
        } else if tokens[start].lower.ends_with('.') {
            start += 1;
        }
    }
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
        let letter = end - start == 1 && tokens[start].lower.chars().count() == 1;
        let wordy = start < end && !letter && end - start <= 8 && tokens[start..end].iter().any(Token::is_word);
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
            return Some(ranked(senses, 0.8));
        }
    }
    None
}
