//! The ontology as the rules use it: words of concepts, cues of relations, known names.

use std::collections::{BTreeMap, HashMap};

use aho_corasick::{AhoCorasick, MatchKind};
use mge_core::{Digest, Span};
use mge_ontology::{LiteralKind, Ontology, Target};

use crate::cues::{Cue, Frame, prepare};
use crate::tokens::{Shape, Token, tokenize};
use crate::words;

/// What a word says of the thing it is used for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sense {
    /// The position of the concept.
    pub(crate) concept: usize,
    /// How plainly it says so: 1 for the concept's own name.
    pub(crate) weight: f64,
}

/// A concept.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) id: String,
    /// Its instances are people.
    pub(crate) personal: bool,
    /// Its instances are bodies of people, which say "we".
    pub(crate) collective: bool,
    pub(crate) depth: usize,
}

/// A relation.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) id: String,
    pub(crate) src: String,
    pub(crate) dst: Target,
    pub(crate) symmetric: bool,
}

/// A curated entity.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) concept: usize,
    pub(crate) name: String,
}

/// All of it.
#[derive(Debug)]
pub(crate) struct Lexicon {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) links: Vec<Link>,
    pub(crate) cues: Vec<Cue>,
    pub(crate) digest: Digest,
    pub(crate) instances: Vec<Instance>,
    pub(crate) ontology: Ontology,
    by_id: HashMap<String, usize>,
    /// Phrases of concepts: the stems, joined by a space.
    phrases: HashMap<String, Vec<Sense>>,
    longest_phrase: usize,
    by_first: HashMap<String, Vec<usize>>,
    /// Single nouns that are cues of a relation: "director".
    cue_nouns: HashMap<String, ()>,
    cue_verbs: HashMap<String, ()>,
    names: Option<AhoCorasick>,
    /// For each pattern of `names`: its instance, and the name or alias as it is written.
    patterns: Vec<(usize, String)>,
    personal_root: Option<usize>,
}

impl Lexicon {
    /// Prepares an ontology.
    pub(crate) fn new(ontology: Ontology) -> Self {
        let mut kinds = Vec::new();
        let mut by_id = HashMap::new();
        for concept in ontology.concepts.values() {
            by_id.insert(concept.id.clone(), kinds.len());
            kinds.push(Kind {
                id: concept.id.clone(),
                personal: false,
                collective: is_collective(&concept.id) || is_collective(&concept.definition),
                depth: concept.id.split('|').count(),
            });
        }
        mark_people(&mut kinds, &ontology);
        let mut lexicon = Self {
            kinds,
            links: Vec::new(),
            cues: Vec::new(),
            digest: ontology.digest,
            instances: Vec::new(),
            by_id,
            phrases: HashMap::new(),
            longest_phrase: 1,
            by_first: HashMap::new(),
            cue_nouns: HashMap::new(),
            cue_verbs: HashMap::new(),
            names: None,
            patterns: Vec::new(),
            personal_root: None,
            ontology,
        };
        lexicon.personal_root = lexicon
            .kinds
            .iter()
            .enumerate()
            .filter(|(_, kind)| kind.personal)
            .min_by_key(|(position, kind)| (kind.depth, *position))
            .map(|(position, _)| position);
        lexicon.add_phrases();
        lexicon.add_relations();
        lexicon.add_instances();
        lexicon
    }

    fn add_phrases(&mut self) {
        let mut found: Vec<(String, Sense)> = Vec::new();
        for concept in self.ontology.concepts.values() {
            let Some(&position) = self.by_id.get(&concept.id) else { continue };
            let own = concept.id.rsplit('|').next().unwrap_or_default().replace('_', " ");
            found.push((phrase_key(&own), Sense { concept: position, weight: 1.0 }));
            for alias in &concept.aliases {
                found.push((phrase_key(alias), Sense { concept: position, weight: 0.9 }));
            }
        }
        // What a definition begins with ("A house in which …") says the same, where no concept has that word itself.
        let genera: Vec<(String, Sense)> = self
            .ontology
            .concepts
            .values()
            .filter_map(|concept| {
                let genus = genus_of(&concept.definition)?;
                let taken = found.iter().any(|(phrase, _)| *phrase == genus);
                let position = *self.by_id.get(&concept.id)?;
                (!taken).then_some((genus, Sense { concept: position, weight: 0.7 }))
            })
            .collect();
        // A word that two concepts begin with tells neither.
        let alone = |genus: &str| genera.iter().filter(|(other, _)| other == genus).count() == 1;
        found.extend(genera.iter().filter(|(genus, _)| alone(genus)).cloned());
        for (phrase, sense) in found {
            if phrase.is_empty() {
                continue;
            }
            self.longest_phrase = self.longest_phrase.max(phrase.split(' ').count());
            let senses = self.phrases.entry(phrase).or_default();
            if !senses.iter().any(|known| known.concept == sense.concept) {
                senses.push(sense);
            }
        }
        // The plainest sense first; the sort is stable, so the ontology's order decides the rest.
        for senses in self.phrases.values_mut() {
            senses.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        }
    }

    fn add_relations(&mut self) {
        let mut cues = Vec::new();
        for relation in self.ontology.relations.values() {
            let link = self.links.len();
            self.links.push(Link {
                id: relation.id.clone(),
                src: relation.src.clone(),
                dst: relation.dst.clone(),
                symmetric: relation.symmetric,
            });
            for cue in &relation.cues {
                if let Some(cue) = prepare(cue, link, &relation.dst) {
                    cues.extend(crate::cues::derived(&cue));
                    cues.push(cue);
                }
            }
        }
        for (position, cue) in cues.iter().enumerate() {
            let Some(first) = cue.stems.first() else { continue };
            self.by_first.entry(first.clone()).or_default().push(position);
            if matches!(cue.frame, Frame::Noun { .. })
                && let Some(noun) = cue.noun()
            {
                self.cue_nouns.insert(noun.to_owned(), ());
            }
            if cue.frame == Frame::Verb {
                self.cue_verbs.insert(first.clone(), ());
            }
        }
        self.cues = cues;
    }

    fn add_instances(&mut self) {
        let mut patterns: Vec<String> = Vec::new();
        for instance in &self.ontology.instances {
            let Some(&concept) = self.by_id.get(&instance.concept) else { continue };
            let position = self.instances.len();
            self.instances.push(Instance { concept, name: instance.name.clone() });
            for name in std::iter::once(&instance.name).chain(&instance.aliases) {
                let normal = crate::normal::compose(name.trim());
                if !normal.is_empty() {
                    patterns.push(normal);
                    self.patterns.push((position, name.trim().to_owned()));
                }
            }
        }
        if patterns.is_empty() {
            return;
        }
        // A ontology too large for the automaton loses its known names, not the crawl.
        self.names = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(&patterns)
            .ok();
    }

    /// Finds the position of a concept.
    pub(crate) fn concept(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Returns the most general concept of people, if the ontology has one.
    pub(crate) fn person(&self) -> Option<usize> {
        self.personal_root
    }

    /// Tells whether a concept is, or lies below, another.
    pub(crate) fn descends(&self, concept: usize, ancestor: &str) -> bool {
        self.ontology.descends(&self.kinds[concept].id, ancestor)
    }

    /// Tells whether nothing can be both.
    pub(crate) fn disjoint(&self, left: usize, right: usize) -> bool {
        self.ontology.disjoint(&self.kinds[left].id, &self.kinds[right].id)
    }

    /// Finds the longest phrase of a concept that starts at a token: its length and senses.
    pub(crate) fn phrase_at(&self, tokens: &[Token], start: usize) -> Option<(usize, &[Sense])> {
        let mut key = String::new();
        let mut best = None;
        for length in 1..=self.longest_phrase.min(tokens.len() - start) {
            let token = &tokens[start + length - 1];
            if !token.is_word() && token.shape != Shape::Number {
                break;
            }
            if length > 1 {
                key.push(' ');
            }
            key.push_str(&token.stem);
            if let Some(senses) = self.phrases.get(&key) {
                best = Some((length, senses.as_slice()));
            }
        }
        best
    }

    /// Finds the longest phrase of a concept that ends before a token: where it starts, and its senses.
    pub(crate) fn phrase_before(
        &self,
        tokens: &[Token],
        floor: usize,
        end: usize,
    ) -> Option<(usize, &[Sense])> {
        let lowest = end.saturating_sub(self.longest_phrase).max(floor);
        (lowest..end).find_map(|start| {
            let (length, senses) = self.phrase_exact(tokens, start, end)?;
            (start + length == end).then_some((start, senses))
        })
    }

    fn phrase_exact(&self, tokens: &[Token], start: usize, end: usize) -> Option<(usize, &[Sense])> {
        if tokens[start..end].iter().any(|token| !token.is_word() && token.shape != Shape::Number) {
            return None;
        }
        let stems: Vec<&str> = tokens[start..end].iter().map(|token| token.stem.as_str()).collect();
        self.phrases.get(&stems.join(" ")).map(|senses| (end - start, senses.as_slice()))
    }

    /// Returns the senses of a phrase given as text.
    pub(crate) fn senses_of(&self, text: &str) -> Option<&[Sense]> {
        self.phrases.get(&phrase_key(text)).map(Vec::as_slice)
    }

    /// Returns the cues that begin with a stem.
    pub(crate) fn cues_at(&self, stem: &str) -> &[usize] {
        self.by_first.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Tells whether the noun is the cue of a relation.
    pub(crate) fn is_cue_noun(&self, stem: &str) -> bool {
        self.cue_nouns.contains_key(stem)
    }

    /// Tells whether the token is a verb, by itself or because a cue says so.
    pub(crate) fn is_verb(&self, token: &Token) -> bool {
        token.is_verb_like()
            || (token.shape == Shape::Lower
                && token.lower != token.stem
                && !words::is_plural_noun(&token.lower)
                && self.cue_verbs.contains_key(&token.stem)
                && !token.is(words::PREPOSITION))
    }

    /// Finds curated names in a text, on word borders: spans and instances, left to right.
    pub(crate) fn known_names(&self, text: &str) -> Vec<(Span, usize)> {
        let Some(names) = &self.names else { return Vec::new() };
        let normal = crate::normal::Normal::new(text);
        let mut found = Vec::new();
        for hit in names.find_iter(normal.text()) {
            let Some(span) = normal.to_original(Span::new(hit.start(), hit.end())) else { continue };
            let Some(surface) = span.slice(text) else { continue };
            if !on_borders(text, span) {
                continue;
            }
            let (instance, written) = &self.patterns[hit.pattern().as_usize()];
            if case_fits(surface, written) {
                found.push((span, *instance));
            }
        }
        found
    }

    /// Returns the relations that hold between two concepts, in either direction: `(relation, forward)`.
    pub(crate) fn links_between(&self, left: usize, right: usize) -> Vec<(usize, bool)> {
        let mut found = Vec::new();
        for (position, link) in self.links.iter().enumerate() {
            let Target::Concept(dst) = &link.dst else { continue };
            if self.descends(left, &link.src) && self.descends(right, dst) {
                found.push((position, true));
            } else if self.descends(right, &link.src) && self.descends(left, dst) {
                found.push((position, false));
            }
        }
        found
    }

    /// Returns the kind of literal that a relation takes.
    pub(crate) fn literal(&self, link: usize) -> Option<LiteralKind> {
        match self.links[link].dst {
            Target::Literal(kind) => Some(kind),
            Target::Concept(_) => None,
        }
    }
}

/// Tells whether a surface is written as a name is: "Rust" is not "rust", "The Players" is "the Players".
fn case_fits(surface: &str, written: &str) -> bool {
    if surface == written {
        return true;
    }
    if surface.chars().filter(|character| character.is_alphabetic()).count() <= 3 {
        // Short names and acronyms ("US", "IT") must be written as they are.
        return surface.chars().all(|character| !character.is_lowercase());
    }
    let capitals = |text: &str| text.split(' ').map(|word| word.chars().any(char::is_uppercase)).collect();
    let (shown, wanted): (Vec<bool>, Vec<bool>) = (capitals(surface), capitals(written));
    shown.len() != wanted.len() || wanted.iter().zip(shown).all(|(wanted, shown)| shown || !wanted)
}

/// A name must not begin or end inside a word; scripts without spaces have no such borders.
fn on_borders(text: &str, span: Span) -> bool {
    let before = text[..span.start].chars().next_back();
    let after = text[span.end..].chars().next();
    let first = text[span.range()].chars().next();
    let last = text[span.range()].chars().next_back();
    let joined = |left: Option<char>, right: Option<char>| match (left, right) {
        (Some(left), Some(right)) => {
            left.is_alphanumeric() && right.is_alphanumeric() && !is_ideograph(left) && !is_ideograph(right)
        }
        _ => false,
    };
    !joined(before, first) && !joined(last, after)
}

fn is_ideograph(character: char) -> bool {
    matches!(character as u32, 0x0E00..=0x0EFF | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn phrase_key(text: &str) -> String {
    let tokens = tokenize(text);
    let stems: Vec<&str> = tokens
        .iter()
        .filter(|token| token.is_word() || token.shape == Shape::Number)
        .map(|token| token.stem.as_str())
        .collect();
    stems.join(" ")
}

/// Finds the noun that a definition begins with: "A house in which films are shown" is a house.
fn genus_of(definition: &str) -> Option<String> {
    let tokens = tokenize(definition);
    let first = tokens.first().filter(|first| matches!(first.lower.as_str(), "a" | "an"))?;
    let end = (1..tokens.len()).find(|position| {
        let token = &tokens[*position];
        token.is(words::PREPOSITION | words::RELATIVE | words::AND | words::PARTICIPLE) || !token.is_word()
    })?;
    let noun = &tokens[end - 1];
    let plain = end == 2 && first.span.start == 0 && noun.lower.len() > 3;
    (plain && !words::VAGUE.contains(&noun.lower.as_str()) && !words::PEOPLE.contains(&noun.lower.as_str()))
        .then(|| noun.stem.clone())
}

/// Tells whether an id or a definition speaks of a body of people.
fn is_collective(text: &str) -> bool {
    tokenize(&text.replace(['_', '|'], " "))
        .iter()
        .take(6)
        .any(|token| words::COLLECTIVES.contains(&token.lower.as_str()))
}

/// A concept's instances are people when a level of its id or its definition says so.
fn mark_people(kinds: &mut [Kind], ontology: &Ontology) {
    let mut personal: BTreeMap<String, bool> = BTreeMap::new();
    for concept in ontology.concepts.values() {
        let by_id = concept.id.split('|').any(|level| {
            tokenize(&level.replace('_', " "))
                .iter()
                .any(|token| words::PEOPLE.contains(&token.lower.as_str()))
        });
        // "A person who repairs boats", "Someone in command of a ship"; not "A body of people".
        let by_definition = tokenize(&concept.definition)
            .iter()
            .take(6)
            .take_while(|token| !token.is(words::PREPOSITION))
            .any(|token| words::PEOPLE.contains(&token.lower.as_str()) && token.lower != "people");
        personal.insert(concept.id.clone(), by_id || by_definition);
    }
    for kind in kinds.iter_mut() {
        let mut id = kind.id.as_str();
        kind.personal = loop {
            if personal.get(id).copied().unwrap_or(false) {
                break true;
            }
            match id.rsplit_once('|') {
                Some((parent, _)) => id = parent,
                None => break false,
            }
        };
    }
}
