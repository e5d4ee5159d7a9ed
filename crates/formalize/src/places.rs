//! What the place of a name tells: the header over a cell, the lead-in over an item, the key before a value.

use mge_core::{Chunk, ChunkKind, name_key};

use crate::context::Parsed;
use crate::gather::{Builder, Seen};
use crate::lexicon::{Lexicon, Sense};
use crate::titles::bare_title;
use crate::tokens::{Shape, Token, tokenize};
use crate::typing::{Clue, Clues};
use crate::words;

impl Builder<'_> {
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
                    for name in seen.iter().filter(|name| value.start <= name.start && name.end <= value.end)
                    {
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
                    let whole =
                        self.lexicon.phrase_at(&header, 0).is_some_and(|(length, _)| length == header.len());
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
}

/// Makes clues of the senses of a word: the first is the plainest.
fn ranked(senses: &[Sense], weight: f64) -> Vec<Clue> {
    let rank = |order: usize| if order == 0 { 1.0 } else { 0.6 };
    let clue =
        |(order, sense): (usize, &Sense)| Clue::told(sense.concept, weight * sense.weight * rank(order));
    senses.iter().enumerate().map(clue).collect()
}

/// A key or header that says what a thing is.
fn is_kind(token: &Token) -> bool {
    matches!(token.lower.as_str(), "type" | "kind" | "class" | "category" | "sort")
}

/// What the header of a column says of its cells: a concept that is the whole of it, or its last words.
pub(crate) fn header_senses<'l>(lexicon: &'l Lexicon, header: &str) -> Option<&'l [Sense]> {
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
