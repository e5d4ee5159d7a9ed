//! The entities of a document: what each name is, and which short forms lead to it.

use std::collections::HashMap;

use mge_core::{MentionForm, name_key};

use crate::context::Name;
use crate::gather::{Builder, Record, Seen};
use crate::genders::gender_of_given;
use crate::scene::Member;
use crate::typing::{Clue, TOLD, decide};
use crate::words;

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
            let given = || record.tokens.first().filter(|_| record.tokens.len() > 1);
            let gender = match record.genders_differ {
                true => None,
                false => record.gender.or_else(|| gender_of_given(given()?)),
            };
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
            if let Some((who, _, _)) = members.by_key.get(&name_key(&record.tokens[..of].join(" "))).copied()
            {
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
            let opens = alone(first).is_some_and(|short| !short.placed && short.undetermined && !told(short));
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
                // A name gives each of its short forms at once: what it gave stands last.
                if !entry.iter().rev().take(8).any(|(known, _)| *known == who) {
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

    pub(crate) fn root(&self, concept: usize) -> &str {
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
