//! Titles and headings that are names, and names in small letters.

use std::ops::Range;

use mge_core::ChunkKind;

use crate::gather::Builder;
use crate::lexicon::Lexicon;
use crate::tokens::{Shape, Token, tokenize};
use crate::words;

/// The most titles that begin with the same word.
const MOST_TITLES: usize = 64;

impl Builder<'_> {
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
    pub(crate) fn read_small_names(&mut self) {
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
                let says =
                    (next.lower == "is" || next.is_sign(",")) && matches!(article.lower.as_str(), "a" | "an");
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
}

/// The part of a title that may be a name: without article, bracket and date; of "Minutes of X" it is X.
pub(crate) fn named_part(tokens: &[Token], range: Range<usize>, lexicon: &Lexicon) -> Range<usize> {
    let Range { mut start, mut end } = range;
    // "3. Plaza", "B. Terminals": the number of a heading is no part of a name.
    let numbered = tokens.get(start).is_some_and(|first| {
        first.shape == Shape::Number
            || first.lower.len() == 1
            || first.lower.len() == 2 && first.lower.ends_with('.')
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

/// A title without the bracket that tells it from others: "Aurora (ferry)".
pub(crate) fn bare_title(text: &str) -> &str {
    let text = text.trim();
    match text.find(" (") {
        Some(open) if text.ends_with(')') && open > 0 => text[..open].trim(),
        _ => text,
    }
}
