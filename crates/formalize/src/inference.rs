//! Types from relations: what stands where a relation wants a person is one.
//!
//! The last resort, and less sure than what a text says of a name. What one round finds lets the next read more. What
//! only the words of a name say ("Foundry Studio") gives way to what the relations want, when no relation confirms it.

use std::collections::HashMap;

use indexmap::IndexMap;
use mge_core::{Chunk, ChunkKind, MentionForm};
use mge_ontology::Target;

use crate::context::{Parsed, Slice, cut, note};
use crate::dates::TimeMention;
use crate::gather::Builder;
use crate::literals::Values;
use crate::members::Members;
use crate::relations::{Draft, Said, relate};
use crate::rows::Filler;
use crate::rules::{mark, times_of};
use crate::scene::{Member, Scene};
use crate::tokens::{Shape, tokenize};
use crate::typing::{Clue, decide};
use crate::values::{ValueMention, find_values};
use crate::words;

/// How often the relations are read to type what is left.
const ROUNDS: usize = 4;

/// The least weight of a draft that may type its ends.
const PLAIN: f64 = 0.72;

/// The most proposals that are kept of one name.
const MOST_CLUES: usize = 48;

/// Of each chunk that was read, its times and values: they stay the same in all rounds.
type Cache = HashMap<usize, (Vec<TimeMention>, Vec<ValueMention>)>;

/// What a round of reading finds.
struct Round {
    /// What the relations want a member to be.
    proposals: IndexMap<usize, Vec<Clue>>,
    /// Of each member, whether a relation agrees with its type.
    confirmed: Vec<bool>,
}

impl Round {
    fn propose(&mut self, who: usize, clue: Clue) {
        let clues = self.proposals.entry(who).or_default();
        if clues.len() < MOST_CLUES {
            clues.push(clue);
        }
    }
}

impl Builder<'_> {
    /// Types what is left by the relations that it stands in.
    pub(crate) fn type_by_relations(&self, members: &mut Members) {
        let own: Vec<Option<usize>> = members.members.iter().map(|member| member.concept).collect();
        let mut touched = vec![true; own.len()];
        let mut cache: Cache = HashMap::new();
        for round in 0..ROUNDS {
            let found = self.read_round(members, &touched, round == 0, &mut cache);
            touched.iter_mut().for_each(|touched| *touched = false);
            for (who, clues) in found.proposals {
                touched[who] = self.settle(&mut members.members[who], own[who], &clues);
            }
            if round == 0 {
                // Those that no relation confirms are open for the rest.
                for (who, member) in members.members.iter_mut().enumerate() {
                    if member.soft && member.concept.is_some() && !found.confirmed[who] {
                        member.concept = None;
                        touched[who] = true;
                    }
                }
            }
            if !touched.contains(&true) {
                break;
            }
        }
        for (member, own) in members.members.iter_mut().zip(own) {
            member.concept = member.concept.or(own);
        }
        self.short_forms(members, false);
    }

    /// Takes what the relations want of a member; tells whether its type changed.
    fn settle(&self, member: &mut Member, own: Option<usize>, clues: &[Clue]) -> bool {
        if let Some(known) = member.concept {
            let curated = member.confidence > 0.965;
            return !curated && self.refine(member, known, clues);
        }
        // A relation that agrees with the name's own words settles it.
        let agrees = |own: usize| clues.iter().any(|clue| self.root(clue.concept) == self.root(own));
        if let Some(own) = own.filter(|own| agrees(*own)) {
            member.concept = Some(own);
            return true;
        }
        let Some((concept, confidence)) = self.choose(member, clues) else { return false };
        member.concept = Some(concept);
        member.confidence = confidence;
        member.soft = false;
        true
    }

    /// Makes the type of a member the special kind that all relations want.
    fn refine(&self, member: &mut Member, known: usize, clues: &[Clue]) -> bool {
        let deepest = clues.iter().max_by_key(|clue| self.lexicon.kinds[clue.concept].depth);
        let Some(deepest) = deepest.map(|clue| clue.concept) else { return false };
        let agreed =
            clues.iter().all(|clue| self.lexicon.descends(deepest, &self.lexicon.kinds[clue.concept].id));
        let narrower = deepest != known && self.lexicon.descends(deepest, &self.lexicon.kinds[known].id);
        if agreed && narrower {
            member.concept = Some(deepest);
        }
        agreed && narrower
    }

    /// Reads all chunks that may type a name: at first those with an open or doubtful one, later those with an open one
    /// beside one whose type has changed.
    fn read_round(&self, members: &Members, touched: &[bool], first: bool, cache: &mut Cache) -> Round {
        let mut round = Round { proposals: IndexMap::new(), confirmed: vec![false; members.members.len()] };
        let speaker = self.speaker(members);
        let mut recent: Vec<usize> = Vec::new();
        for (position, chunk) in self.document.chunks.iter().enumerate() {
            let before = recent.clone();
            let names = self.names_of(&self.seen[position], members);
            for name in &names {
                if members.members[name.who].concept.is_some() {
                    note(&mut recent, name.who);
                }
            }
            let member = |who: usize| &members.members[who];
            let open =
                names.iter().any(|name| member(name.who).concept.is_none() || first && member(name.who).soft);
            if matches!(chunk.kind, ChunkKind::Heading | ChunkKind::Verbatim) || !open {
                continue;
            }
            let lead = self.names_of(&self.seen_leads[position], members);
            let topic = self.topic_of(chunk, members);
            let incoming = self.incoming_for(position, &before, members);
            let (slice, used) = cut(&members.members, names, lead, topic, &incoming, speaker);
            if used.iter().any(|who| touched[*who]) {
                self.read_chunk(position, chunk, &slice, &used, cache, &mut round);
            }
        }
        round
    }

    /// Reads one chunk; `used` leads from its cast back to the members of the document.
    fn read_chunk(
        &self,
        position: usize,
        chunk: &Chunk,
        slice: &Slice,
        used: &[usize],
        cache: &mut Cache,
        round: &mut Round,
    ) {
        let parsed = &self.parsed[position];
        let text = chunk.text.as_str();
        let mut scene = Scene::new(text, &parsed.tokens, self.lexicon, &slice.cast);
        scene.open = true;
        let (times, found) = cache
            .entry(position)
            .or_insert_with(|| (times_of(text, &parsed.tokens, self.document.date), find_values(text)));
        mark(&mut scene, times.clone());
        crate::coref::assemble(&mut scene, &parsed.sentences, slice, true);
        let values = Values::new(&scene, found);
        for (who, wanted) in self.laid_out(&scene, position, chunk, parsed, slice) {
            self.end(&slice.cast[who], used[who], &wanted, 0.72, round);
        }
        if chunk.kind == ChunkKind::TableRow {
            return;
        }
        for ment in &scene.ments {
            // "the job", said of it: it is a job.
            let open = ment.form == MentionForm::Reference && slice.cast[ment.who].concept.is_none();
            if open
                && ment.end > ment.start + 1
                && let Some((_, senses)) =
                    self.lexicon.phrase_before(&parsed.tokens, ment.start + 1, ment.end)
                && let Some(sense) = senses.first()
            {
                round.propose(used[ment.who], Clue::told(sense.concept, 0.64));
            }
        }
        for sentence in &parsed.sentences {
            let busy = scene.ments[scene.ments_in(sentence)].iter().any(|ment| {
                let member = &slice.cast[ment.who];
                member.concept.is_none() || member.soft
            });
            if !busy {
                continue;
            }
            for draft in relate(&scene, sentence, &values) {
                self.ends(&scene, &draft, used, round);
            }
        }
    }

    /// Takes what a draft wants of its ends.
    fn ends(&self, scene: &Scene<'_>, draft: &Draft, used: &[usize], round: &mut Round) {
        let link = &self.lexicon.links[draft.link];
        let plain = draft.weight >= PLAIN;
        match (&draft.object, &link.dst) {
            (Said::Ment(object), Target::Concept(dst)) => {
                for (ment, other, wanted) in
                    [(draft.subject, *object, link.src.as_str()), (*object, draft.subject, dst.as_str())]
                {
                    let who = scene.ments[ment].who;
                    let other_known = scene.member(other).concept.is_some();
                    let weight = if other_known { 0.74 } else { 0.68 } * draft.weight / 0.9;
                    let plain = plain && self.tells(scene, draft, ment, wanted);
                    self.end(&scene.cast[who], used[who], wanted, if plain { weight } else { 0.0 }, round);
                }
            }
            // Who employs 90 people is a body; of "it" it is not sure enough who that is.
            (Said::Value(..), _) if scene.ments[draft.subject].form != MentionForm::Reference => {
                let who = scene.ments[draft.subject].who;
                let plain = plain && self.tells(scene, draft, draft.subject, &link.src);
                self.end(&scene.cast[who], used[who], &link.src, if plain { 0.66 } else { 0.0 }, round);
            }
            _ => {}
        }
    }

    /// Tells whether a relation may say what a name is that nothing else says it of.
    ///
    /// Of a lone word it says so only behind a preposition ("born in Oslo") or behind the verb of something known ("the
    /// ferry Petrel serves Almey"), where the word is hardly anything else, or where the word is set apart as a title.
    fn tells(&self, scene: &Scene<'_>, draft: &Draft, position: usize, wanted: &str) -> bool {
        let (ment, member) = (&scene.ments[position], scene.member(position));
        let lone = !member.name.contains(' ') && ment.form != MentionForm::Reference;
        if !lone || member.thing || member.concept.is_some() {
            return true;
        }
        let personal = self.lexicon.concept(wanted).is_some_and(|wanted| self.lexicon.kinds[wanted].personal);
        let last = &scene.tokens[draft.cue.end - 1];
        let prepositional = last.is(words::PREPOSITION)
            && (draft.cue.len() > 1 || last.lower == "near")
            && !matches!(last.lower.as_str(), "of" | "for" | "by" | "with");
        let known = |ment: usize| scene.member(ment).concept.is_some() && !scene.member(ment).soft;
        let verbal = scene.is_verb(draft.cue.start)
            && matches!(draft.object, Said::Ment(object) if object == position)
            && known(draft.subject);
        personal || ment.start >= draft.cue.end && (prepositional || verbal)
    }

    /// Confirms the type of an end, or proposes one; a weight of 0 only confirms.
    fn end(&self, member: &Member, who: usize, wanted: &str, weight: f64, round: &mut Round) {
        let Some(concept) = self.lexicon.concept(wanted) else { return };
        if let Some(known) = member.concept {
            round.confirmed[who] = true;
            let refines = concept != known && self.lexicon.descends(concept, &self.lexicon.kinds[known].id);
            if !refines {
                return;
            }
        }
        if weight > 0.0 && self.shape_allows(member, concept) {
            round.propose(who, Clue::told(concept, weight));
        }
    }

    /// What the headers of a row, or the lead-in of an item, want their names to be.
    pub(crate) fn laid_out(
        &self,
        scene: &Scene<'_>,
        position: usize,
        chunk: &Chunk,
        parsed: &Parsed,
        slice: &Slice,
    ) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        let no_values = Values::default();
        let reference = self.document.date;
        let keyed = if chunk.kind == ChunkKind::TableRow {
            found.extend(crate::rows::wanted(scene, chunk, parsed, slice.topic));
            crate::rows::row(scene, chunk, parsed, slice, &no_values, reference)
        } else {
            crate::rows::key_value(scene, parsed, slice, &no_values, reference)
        };
        for claim in keyed {
            let link = &self.lexicon.links[claim.link];
            if let (Filler::Member(object, _, _), mge_ontology::Target::Concept(dst)) =
                (&claim.object, &link.dst)
            {
                found.push((claim.subject.0, link.src.clone()));
                found.push((*object, dst.clone()));
            }
        }
        let Some(lead_text) = &chunk.lead_in else { return found };
        let items = crate::rules::items_of(scene, parsed, chunk.kind);
        let lead = &self.leads[position];
        let laid = crate::rows::under_lead_in(
            self.lexicon,
            lead_text.as_str(),
            lead,
            &slice.lead,
            &slice.cast,
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
    pub(crate) fn shape_allows(&self, member: &Member, concept: usize) -> bool {
        let tokens = tokenize(&member.name);
        let first = match tokens.first() {
            Some(first) => first,
            None => return false,
        };
        if first.shape == Shape::Number {
            return false;
        }
        if self.lexicon.kinds[concept].personal {
            if member.thing {
                return false;
            }
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
    pub(crate) fn choose(&self, member: &Member, clues: &[Clue]) -> Option<(usize, f64)> {
        let root = |concept: usize| self.root(concept);
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
}
