//! What a document knows of its names: built once, then sliced for each chunk.
//!
//! A chunk is read from its [`Slice`] and its own text alone, and its key is the digest of both. So equal keys
//! mean equal extractions, whatever else the document says.

use std::collections::HashMap;
use std::ops::Range;

use mge_core::{Chunk, ChunkKind, Document, MentionForm, name_key};

use crate::gather::Builder;
use crate::lexicon::Lexicon;
use crate::members::Members;
use crate::scene::Member;
use crate::titles::bare_title;
use crate::tokens::{Shape, Token, sentences, tokenize};

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
    /// The body that says "we": the one that the title names.
    pub(crate) speaker: Option<usize>,
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

impl Builder<'_> {
    /// Cuts what is known into what each chunk needs.
    fn slices(self, members: Members) -> Context {
        let typed = |names: Vec<Name>| -> Vec<Name> {
            names.into_iter().filter(|name| members.members[name.who].concept.is_some()).collect()
        };
        let mut recent: Vec<usize> = Vec::new();
        let mut slices = Vec::with_capacity(self.document.chunks.len());
        let speaker = self.speaker(&members);
        for (position, chunk) in self.document.chunks.iter().enumerate() {
            let names = typed(self.names_of(&self.seen[position], &members));
            let lead = typed(self.names_of(&self.seen_leads[position], &members));
            let topic = self.topic_of(chunk, &members);
            let incoming = self.incoming_for(position, &recent, &members);
            for name in &names {
                note(&mut recent, name.who);
            }
            let speaker = speaker.filter(|_| says_we(&self.parsed[position]));
            slices.push(cut(&members.members, names, lead, topic, &incoming, speaker).0);
        }
        Context { parsed: self.parsed, leads: self.leads, slices }
    }

    /// Finds what the nearest heading that names something names, or else the title.
    pub(crate) fn topic_of(&self, chunk: &Chunk, members: &Members) -> Option<usize> {
        let title = self.document.title.iter();
        chunk.headings.iter().rev().chain(title).find_map(|heading| self.member_of(heading.as_str(), members))
    }

    /// Finds the body that the title names: the one that "we" stands for.
    pub(crate) fn speaker(&self, members: &Members) -> Option<usize> {
        let title = self.document.title.as_ref()?;
        self.member_of(title.as_str(), members).filter(|who| {
            members.members[*who].concept.is_some_and(|concept| self.lexicon.kinds[concept].collective)
        })
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
            let position = *self.headings.get(text)?;
            let mut typed = self.seen[position].iter().filter_map(|seen| {
                let (who, _, _) = members.by_key.get(&seen.key)?;
                members.members[*who].concept.is_some().then_some(*who)
            });
            let first = typed.next()?;
            typed.all(|other| other == first).then_some(first)
        })
    }

    /// Offers those said before that "the …" in this chunk may mean.
    pub(crate) fn incoming_for(&self, position: usize, recent: &[usize], members: &Members) -> Vec<usize> {
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

/// Tells whether a text speaks in the first person plural.
fn says_we(parsed: &Parsed) -> bool {
    parsed.tokens.iter().any(|token| matches!(token.lower.as_str(), "we" | "us" | "our"))
}

/// Notes who was named last.
pub(crate) fn note(recent: &mut Vec<usize>, who: usize) {
    recent.retain(|known| *known != who);
    recent.insert(0, who);
    recent.truncate(INCOMING);
}

/// Keeps the members that matter, in an order that only their content decides; with where each stands in the document.
pub(crate) fn cut(
    members: &[Member],
    names: Vec<Name>,
    lead: Vec<Name>,
    topic: Option<usize>,
    incoming: &[usize],
    speaker: Option<usize>,
) -> (Slice, Vec<usize>) {
    let mut used: Vec<usize> = names.iter().chain(&lead).map(|name| name.who).chain(topic).collect();
    used.extend(incoming.iter().copied().chain(speaker));
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
    let slice = Slice {
        names: moved(names),
        lead: moved(lead),
        topic: topic.map(|topic| place[&topic]),
        speaker: speaker.map(|speaker| place[&speaker]),
        incoming: incoming.iter().map(|who| place[who]).collect(),
        cast: used.iter().map(|who| members[*who].clone()).collect(),
    };
    (slice, used)
}
