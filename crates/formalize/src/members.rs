//! The entities of a document: what each name is, and which short forms lead to it.

use std::collections::HashMap;

use indexmap::IndexMap;
use mge_core::{Chunk, ChunkKind, MentionForm, name_key};

use crate::context::{Name, Parsed, Slice, note};
use crate::gather::{Builder, Record, Seen};
use crate::literals::Values;
use crate::relations::{Said, relate};
use crate::rows::Filler;
use crate::scene::{Member, Scene};
use crate::tokens::{Shape, tokenize};
use crate::typing::{Clue, TOLD, decide};
use crate::values::find_values;
use crate::words;

/// How often the relations are read to type what is left.
const ROUNDS: usize = 4;

/// The members of a document and how each key leads to them.
pub(crate) struct Members {
    pub(crate) members: Vec<Member>,
    pub(crate) full: HashMap<String, (usize, MentionForm, f64)>,
    pub(crate) by_key: HashMap<String, (usize, MentionForm, f64)>,
}

impl Builder<'_> {
    /// Decides what each name is, and which short forms lead to it.
    pub(crate) fn members(&self) -> Members {
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
                soft: concept.is_some_and(|concept| {
                    let of_branch = |clue: &&Clue| self.root(clue.concept) == self.root(concept);
                    record.instance.is_none() && record.clues.iter().filter(of_branch).all(|clue| clue.own)
                }),
                thing: record.titled || !record.undetermined && record.count > 0,
            });
            members.by_key.insert(key.clone(), (who, MentionForm::Full, 1.0));
        }
        for (key, record) in &self.records {
            let Some(long) = &record.acronym_of else { continue };
            if let Some((who, _, _)) = members.by_key.get(long).copied() {
                members.by_key.insert(key.clone(), (who, MentionForm::Alias, 0.97));
            }
        }
        // "Holm Theatre of Oslo", where the document also says "Holm Theatre".
        for (key, record) in &self.records {
            let of = record.tokens.iter().position(|token| token == "of").filter(|of| *of >= 2);
            let Some(of) = of.filter(|_| record.instance.is_none()) else { continue };
            // "Red River of the North" is another name; what stands behind "of" must be known by itself.
            if !self.records.contains_key(&name_key(&record.tokens[of + 1..].join(" "))) {
                continue;
            }
            if let Some((who, _, _)) = members.by_key.get(&name_key(&record.tokens[..of].join(" "))).copied() {
                members.by_key.insert(key.clone(), (who, MentionForm::Full, 0.95));
            }
        }
        members.full.clone_from(&members.by_key);
        self.short_forms(&mut members, true);
        members
    }

    /// A surname, a given name, the name of a thing without its kind: of exactly one full name.
    ///
    /// While types are looked for, a name without one may be that of a person.
    pub(crate) fn short_forms(&self, members: &mut Members, open: bool) {
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
            // "Corvane" of "Corvane Logistics"; "the Fund" of "Northern Screen Fund".
            let (first, last) = (tokens[0].as_str(), tokens[tokens.len() - 1].as_str());
            let alone = |word: &str| self.records.get(&name_key(word));
            let told = |short: &Record| short.clues.iter().any(|clue| !clue.own && clue.weight >= TOLD);
            let opens =
                alone(first).is_some_and(|short| !short.placed && short.undetermined && !told(short));
            if member.concept.is_none() && !personal {
                if opens {
                    owners.entry(name_key(first)).or_default().push((who, 0.85));
                }
                continue;
            }
            if personal {
                shorts.push((tokens[tokens.len() - 1].clone(), 0.92));
                if member.concept.is_some() || opens {
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
                if opens {
                    shorts.push((first.to_owned(), 0.85));
                }
                if alone(last).is_some_and(|short| !short.undetermined) {
                    shorts.push((last.to_owned(), 0.88));
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
    ///
    /// What one round finds lets the next read more. What only the words of a name say gives way to what the
    /// relations want, when no relation confirms it.
    pub(crate) fn type_by_relations(&self, members: &mut Members) {
        let own: Vec<Option<usize>> = members.members.iter().map(|member| member.concept).collect();
        for round in 0..ROUNDS {
            let mut confirmed = vec![false; members.members.len()];
            let proposals = self.proposals(members, &mut confirmed);
            let mut changed = false;
            for (who, clues) in proposals {
                if let Some(known) = members.members[who].concept {
                    let curated = members.members[who].confidence > 0.965;
                    changed |= !curated && self.refine(&mut members.members[who], known, &clues);
                    continue;
                }
                // A relation that agrees with the name's own words settles it.
                let agrees = |own: usize| clues.iter().any(|clue| self.root(clue.concept) == self.root(own));
                if let Some(own) = own[who].filter(|own| agrees(*own)) {
                    members.members[who].concept = Some(own);
                    changed = true;
                } else if let Some((concept, confidence)) = self.choose(&members.members[who], &clues) {
                    members.members[who].concept = Some(concept);
                    members.members[who].confidence = confidence;
                    members.members[who].soft = false;
                    changed = true;
                }
            }
            if round == 0 {
                // Those that no relation confirms are open for the rest.
                for (member, confirmed) in members.members.iter_mut().zip(confirmed) {
                    if member.soft && member.concept.is_some() && !confirmed {
                        member.concept = None;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        for (member, own) in members.members.iter_mut().zip(own) {
            member.concept = member.concept.or(own);
        }
        self.short_forms(members, false);
    }

    /// Makes the type of a member the special kind that all relations want.
    fn refine(&self, member: &mut Member, known: usize, clues: &[Clue]) -> bool {
        let deepest = clues.iter().max_by_key(|clue| self.lexicon.kinds[clue.concept].depth);
        let Some(deepest) = deepest.map(|clue| clue.concept) else { return false };
        let agreed = clues
            .iter()
            .all(|clue| self.lexicon.descends(deepest, &self.lexicon.kinds[clue.concept].id));
        let narrower = deepest != known && self.lexicon.descends(deepest, &self.lexicon.kinds[known].id);
        if agreed && narrower {
            member.concept = Some(deepest);
        }
        agreed && narrower
    }

    /// Gathers what the relations want the names without a type to be, and whose type they confirm.
    fn proposals(&self, members: &Members, confirmed: &mut [bool]) -> IndexMap<usize, Vec<Clue>> {
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
                    .is_some_and(|(who, _, _)| members.members[*who].concept.is_none() || members.members[*who].soft)
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
                speaker: self.speaker(members),
                ..Slice::default()
            };
            let mut scene = Scene::new(text, &parsed.tokens, self.lexicon, &members.members);
            scene.open = true;
            let times = crate::rules::mark_times(&mut scene, text, self.document.date);
            crate::coref::assemble(&mut scene, &parsed.sentences, &slice, true);
            let values = Values::new(&scene, &find_values(text));
            for (who, wanted) in self.laid_out(&scene, position, chunk, parsed, &slice, members) {
                let Some(concept) = self.lexicon.concept(&wanted) else { continue };
                confirmed[who] |= members.members[who].concept.is_some();
                if members.members[who].concept.is_none() && self.shape_allows(&members.members[who], concept)
                {
                    proposals.entry(who).or_default().push(Clue::told(concept, 0.72));
                }
            }
            if chunk.kind == ChunkKind::TableRow {
                continue;
            }
            for sentence in &parsed.sentences {
                let busy = scene.ments[scene.ments_in(sentence)]
                    .iter()
                    .any(|ment| members.members[ment.who].concept.is_none() || members.members[ment.who].soft);
                if !busy {
                    continue;
                }
                for draft in relate(&scene, sentence, &values) {
                    let link = &self.lexicon.links[draft.link];
                    let Said::Ment(object) = draft.object else {
                        // Who employs 90 people is a body.
                        let ment = &scene.ments[draft.subject];
                        let who = ment.who;
                        if ment.form == MentionForm::Reference {
                            continue;
                        }
                        confirmed[who] |= members.members[who].concept.is_some();
                        if let Some(concept) = self.lexicon.concept(&link.src)
                            && members.members[who].concept.is_none()
                            && draft.weight >= 0.72
                            && self.shape_allows(&members.members[who], concept)
                        {
                            proposals.entry(who).or_default().push(Clue::told(concept, 0.66));
                        }
                        continue;
                    };
                    let mge_ontology::Target::Concept(dst) = &link.dst else { continue };
                    let ends =
                        [(draft.subject, object, link.src.as_str()), (object, draft.subject, dst.as_str())];
                    for (ment, other, wanted) in ends {
                        let who = scene.ments[ment].who;
                        let Some(concept) = self.lexicon.concept(wanted) else { continue };
                        if let Some(known) = members.members[who].concept {
                            confirmed[who] = true;
                            let refines = concept != known
                                && self.lexicon.descends(concept, &self.lexicon.kinds[known].id);
                            if !refines || draft.weight < 0.72 {
                                continue;
                            }
                        }
                        let other_known = scene.member(other).concept.is_some();
                        let weight = if other_known { 0.74 } else { 0.68 } * draft.weight / 0.9;
                        let shaped = self.shape_allows(scene.member(ment), concept);
                        if draft.weight >= 0.72 && shaped {
                            proposals.entry(who).or_default().push(Clue::told(concept, weight));
                        }
                    }
                }
            }
            drop(times);
        }
        proposals
    }

    /// What the headers of a row, or the lead-in of an item, want their names to be.
    pub(crate) fn laid_out(
        &self,
        scene: &Scene<'_>,
        position: usize,
        chunk: &Chunk,
        parsed: &Parsed,
        slice: &Slice,
        members: &Members,
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

    fn root(&self, concept: usize) -> &str {
        self.lexicon.kinds[concept].id.split('|').next().unwrap_or_default()
    }

    pub(crate) fn names_of(&self, seen: &[Seen], members: &Members) -> Vec<Name> {
        seen.iter()
            .filter_map(|seen| {
                let (who, form, identity) = members.by_key.get(&seen.key).copied()?;
                let form = if seen.alias { MentionForm::Alias } else { form };
                Some(Name { start: seen.start, end: seen.end, who, form, identity })
            })
            .collect()
    }
}
