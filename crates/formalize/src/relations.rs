//! Relations in a sentence: a cue, and what stands where its reading wants it.

use std::ops::Range;

use crate::cues::{Cue, Frame};
use crate::matching::{Match, find_cues};
use crate::scene::{Found, Scene};
use crate::tokens::Shape;
use crate::words;

/// How many tokens behind a cue may say that its ends are pairs.
const PAIRING: usize = 80;

/// What a claim says of its subject, in tokens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// A mention.
    Ment(usize),
    /// A value in normal form, and where it stands.
    Value(String, Range<usize>),
}

/// A claim before stance and time.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) link: usize,
    pub(crate) subject: usize,
    pub(crate) object: Said,
    /// The tokens of the cue, first to last.
    pub(crate) cue: Range<usize>,
    /// The verb that the claim hangs on, to read tense and negation from; the cue when there is none.
    pub(crate) anchor: usize,
    pub(crate) sentence: Range<usize>,
    pub(crate) weight: f64,
}

/// Both ends of a cue in its own reading, and the verb.
struct Ends {
    left: Found,
    right: Found,
    anchor: usize,
}

/// Finds the claims of a sentence.
pub(crate) fn relate(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    values: &crate::literals::Values,
) -> Vec<Draft> {
    let mut matches = find_cues(scene, sentence);
    // The longest first: "founded in" before "founded".
    matches.sort_by(|left, right| {
        right
            .tokens
            .len()
            .cmp(&left.tokens.len())
            .then(left.tokens.cmp(&right.tokens))
            .then(left.cue.cmp(&right.cue))
    });
    let mut drafts: Vec<Draft> = Vec::new();
    let mut used: Vec<Vec<usize>> = Vec::new();
    for found in &matches {
        let covered = used.iter().any(|longer| {
            longer.len() > found.tokens.len() && found.tokens.iter().all(|token| longer.contains(token))
        });
        if covered {
            continue;
        }
        let cue = &scene.lexicon.cues[found.cue];
        let before = drafts.len();
        match cue.literal {
            Some(kind) => crate::literals::claims(scene, sentence, cue, found, kind, values, &mut drafts),
            None => {
                let read = if found.fronted { Vec::new() } else { ends_of(scene, sentence, cue, found) };
                for ends in read {
                    combine(scene, sentence, cue, found, &ends, &mut drafts);
                    // A bare noun does not tell its direction, nor does a preposition of things known; the types may.
                    let turns = |found: &Found| {
                        found.ments.iter().all(|ment| {
                            let member = scene.member(*ment);
                            match cue.frame {
                                Frame::Noun { bare, .. } => bare && !member.soft,
                                Frame::Preposition => member.concept.is_some() && !member.soft,
                                Frame::Verb => false,
                            }
                        })
                    };
                    if drafts.len() == before && turns(&ends.left) && turns(&ends.right) {
                        let turned = Ends { left: ends.right, right: ends.left, anchor: ends.anchor };
                        combine(scene, sentence, cue, found, &turned, &mut drafts);
                    }
                }
                if drafts.len() == before && scene.lexicon.links[cue.link].symmetric {
                    mutual(scene, sentence, cue, found, &mut drafts);
                }
                if drafts.len() == before {
                    crate::selection::by_type(scene, sentence, cue, found, &mut drafts);
                }
            }
        }
        if drafts.len() > before {
            used.push(found.tokens.clone());
        }
    }
    drafts
}

/// "A and B are partners", "A and B cooperate": both ends are in the subject.
fn mutual(scene: &Scene<'_>, sentence: &Range<usize>, cue: &Cue, found: &Match, drafts: &mut Vec<Draft>) {
    let start = found.tokens[0];
    let (subject, anchor) = match cue.frame {
        Frame::Noun { .. } => {
            let np = scene.phrase_start(sentence.start, start);
            match crate::nouns::said_of(scene, sentence, np) {
                Some(said) => said,
                None => return,
            }
        }
        Frame::Verb => {
            let group = group_of(scene, sentence.start, start);
            match scene.subject_of(sentence, group.start) {
                Some(found) => (found, start),
                None => return,
            }
        }
        Frame::Preposition => return,
    };
    let [first, rest @ ..] = subject.ments.as_slice() else { return };
    for other in rest {
        let ends = Ends {
            left: Found { ments: vec![*first], weight: subject.weight * 0.95 },
            right: Found { ments: vec![*other], weight: 1.0 },
            anchor,
        };
        combine(scene, sentence, cue, found, &ends, drafts);
    }
}

/// Makes claims of all members of both ends that fit the relation.
fn combine(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    cue: &Cue,
    found: &Match,
    ends: &Ends,
    drafts: &mut Vec<Draft>,
) {
    let link = &scene.lexicon.links[cue.link];
    let mge_ontology::Target::Concept(dst) = &link.dst else { return };
    let (subjects, objects) =
        if cue.reversed { (&ends.right, &ends.left) } else { (&ends.left, &ends.right) };
    let mut weight = if cue.curated { 0.9 } else { 0.78 } * ends.left.weight * ends.right.weight;
    if found.gap {
        weight *= 0.95;
    }
    // "A and B in X and Y, respectively": the first with the first.
    let pairs = (found.end..sentence.end).take(PAIRING).any(|at| scene.tokens[at].lower == "respectively");
    if pairs && subjects.ments.len() != objects.ments.len() {
        return;
    }
    for (place, subject) in subjects.ments.iter().copied().enumerate() {
        if !fits(scene, subject, &link.src) {
            continue;
        }
        let objects = if pairs { &objects.ments[place..place + 1] } else { &objects.ments[..] };
        for object in objects.iter().copied().filter(|ment| fits(scene, *ment, dst)) {
            if scene.ments[subject].who == scene.ments[object].who {
                continue;
            }
            drafts.push(Draft {
                link: cue.link,
                subject,
                object: Said::Ment(object),
                cue: found.tokens[0]..found.tokens[found.tokens.len() - 1] + 1,
                anchor: ends.anchor,
                sentence: sentence.clone(),
                weight,
            });
        }
    }
}

/// Tells whether a mention can stand at an end; one whose type is still open can stand anywhere.
pub(crate) fn fits(scene: &Scene<'_>, ment: usize, required: &str) -> bool {
    match scene.member(ment).concept {
        // While types are looked for, one that is known only in general may be the special kind.
        Some(concept) => {
            scene.lexicon.descends(concept, required) || scene.open && scene.may_refine(ment, required)
        }
        None => true,
    }
}

/// Finds both ends of a cue.
fn ends_of(scene: &Scene<'_>, sentence: &Range<usize>, cue: &Cue, found: &Match) -> Vec<Ends> {
    match cue.frame {
        Frame::Verb => verb_ends(scene, sentence, cue, found).into_iter().collect(),
        Frame::Noun { holder_left, bare } => crate::nouns::noun_ends(scene, sentence, cue, found, bare)
            .into_iter()
            .map(|(holder, owner, anchor)| {
                if holder_left {
                    Ends { left: holder, right: owner, anchor }
                } else {
                    Ends { left: owner, right: holder, anchor }
                }
            })
            .collect(),
        Frame::Preposition => preposition_ends(scene, sentence, cue, found).into_iter().collect(),
    }
}

/// The auxiliaries and adverbs before a verb.
pub(crate) struct Group {
    pub(crate) start: usize,
    pub(crate) be: bool,
    pub(crate) to: bool,
}

/// Walks left over what belongs to a verb.
pub(crate) fn group_of(scene: &Scene<'_>, floor: usize, verb: usize) -> Group {
    let mut group = Group { start: verb, be: false, to: false };
    while group.start > floor && verb - group.start < 8 {
        let token = &scene.tokens[group.start - 1];
        if scene.ment_at(group.start - 1).is_some() {
            break;
        }
        if token.is_sign(",")
            && let Some(open) = inserted(scene, floor, group.start - 1)
        {
            // "is not, and never was, owned by": one verb, said twice.
            group.start = open;
            continue;
        }
        let belongs = token.is(words::AUXILIARY | words::NEGATION)
            || token.is(words::ADVERB) && !token.is(words::DETERMINER)
            || token.lower == "to"
            || token.lower == "no" && group.start < verb
            || token.lower == "longer"
            || token.shape == Shape::Lower && token.lower.ends_with("ly");
        if !belongs {
            break;
        }
        group.be |= token.is(words::BE)
            && (group.start..verb).all(|between| !scene.tokens[between].is(words::BE))
            || group.be;
        group.to |= token.lower == "to";
        group.start -= 1;
    }
    group
}

/// Finds the comma that opens an insertion of auxiliaries and adverbs alone: ", and never was,".
fn inserted(scene: &Scene<'_>, floor: usize, close: usize) -> Option<usize> {
    let lowest = floor.max(close.saturating_sub(6));
    let open = (lowest..close).rev().find(|position| scene.tokens[*position].is_sign(","))?;
    let light = words::AUXILIARY | words::ADVERB | words::NEGATION | words::AND | words::PREPOSITION;
    let bare = (open + 1..close).all(|at| scene.ment_at(at).is_none() && scene.tokens[at].is(light));
    (open + 1 < close && bare && scene.tokens[open + 1].is(words::AND)).then_some(open)
}

/// Skips what may stand between a participle and its "by".
pub(crate) fn skip_light(scene: &Scene<'_>, sentence: &Range<usize>, from: usize) -> usize {
    let mut position = from;
    while position < sentence.end {
        if let Some(end) = scene.time_at(position) {
            position = end;
            continue;
        }
        let token = &scene.tokens[position];
        if token.is_sign("(") {
            match scene.close_of(position, sentence.end) {
                Some(end) => position = end,
                None => break,
            }
        } else if token.is(words::ADVERB) && scene.ment_at(position).is_none() {
            position += 1;
        } else {
            break;
        }
    }
    position
}

/// "built for X by Y": steps over one phrase between a participle and its "by".
fn agent_after(scene: &Scene<'_>, sentence: &Range<usize>, from: usize) -> usize {
    let opens = scene
        .tokens
        .get(from)
        .is_some_and(|token| from < sentence.end && token.is(words::PREPOSITION) && token.lower != "by");
    if !opens {
        return from;
    }
    (from + 1..sentence.end.min(from + 6))
        .find_map(|position| {
            let end = scene.ments[scene.ment_at(position)?].end;
            let next = skip_light(scene, sentence, end);
            (next < sentence.end && scene.tokens[next].lower == "by").then_some(next)
        })
        .unwrap_or(from)
}

fn verb_ends(scene: &Scene<'_>, sentence: &Range<usize>, cue: &Cue, found: &Match) -> Option<Ends> {
    let verb = found.tokens[0];
    let token = &scene.tokens[verb];
    let group = group_of(scene, sentence.start, verb);
    if group.to && !goes_on(scene, sentence, verb) {
        return None;
    }
    let participle = token.is_participle() || cue.be && !cue.tail;
    let gerund = token.lower.ends_with("ing");
    let passive = group.be && participle && !gerund;
    if !cue.tail && !cue.by {
        let after = agent_after(scene, sentence, skip_light(scene, sentence, found.end));
        let by = after < sentence.end && scene.tokens[after].lower == "by";
        if by && participle {
            // The passive turns the reading round: the agent is what stands left in it.
            let left = scene.right_phrase(sentence, after + 1)?;
            let right = patient(scene, sentence, verb, &group)?;
            return Some(Ends { left, right, anchor: verb });
        }
        if passive && !cue.be && !takes_two(&token.stem) {
            return None;
        }
        let right = scene.right_phrase(sentence, found.end);
        if gerund && !group.be {
            let right = right?;
            let left = opening_subject(scene, sentence, verb)
                .or_else(|| scene.left_phrase(sentence, verb, false))
                .or_else(|| scene.clause_subject(sentence, verb).map(|found| found.weaker(0.9)))?;
            return Some(Ends { left, right, anchor: verb });
        }
        let left = scene.subject_of(sentence, group.start)?;
        let right = match right {
            Some(right) => right,
            // "X, which Elena leads": the object is the antecedent.
            None => relative_object(scene, sentence, &left)?,
        };
        return Some(Ends { left, right, anchor: verb });
    }
    let right = scene.right_phrase(sentence, found.end).or_else(|| scene.placed_in(sentence, found.end))?;
    let left = if passive || cue.by || participle && reduced(scene, sentence, verb, cue) {
        patient(scene, sentence, verb, &group)?
    } else if gerund && !group.be {
        opening_subject(scene, sentence, verb)
            .or_else(|| scene.left_phrase(sentence, verb, false))
            .or_else(|| scene.clause_subject(sentence, verb).map(|found| found.weaker(0.9)))?
    } else {
        scene.subject_of(sentence, group.start)?
    };
    Some(Ends { left, right, anchor: verb })
}

/// "to lead" alone is an aim; "used to lead", "continued to lead" is leading.
fn goes_on(scene: &Scene<'_>, sentence: &Range<usize>, verb: usize) -> bool {
    let to = (sentence.start..verb).rev().take(4).find(|position| scene.tokens[*position].lower == "to");
    let before = to.and_then(|to| to.checked_sub(1)).filter(|before| *before >= sentence.start);
    before.is_some_and(|before| {
        let token = &scene.tokens[before];
        token.lower == "on"
            || matches!(token.stem.as_str(), "use" | "continu" | "begin" | "start" | "go" | "com" | "ceas")
    })
}

/// Verbs whose passive keeps an object: "was awarded the prize".
fn takes_two(stem: &str) -> bool {
    matches!(
        stem,
        "award" | "giv" | "grant" | "offer" | "present" | "teach" | "assign" | "appoint" | "elect" | "nam"
    )
}

/// A participle without auxiliary right after its noun or a comma.
fn reduced(scene: &Scene<'_>, sentence: &Range<usize>, verb: usize, cue: &Cue) -> bool {
    let stative = matches!(
        scene.tokens[verb].stem.as_str(),
        "locat"
            | "situat"
            | "bas"
            | "held"
            | "born"
            | "known"
            | "headquarter"
            | "nam"
            | "mad"
            | "writ"
            | "build"
            | "hold"
    );
    cue.be || stative || verb == sentence.start
}

/// What the participle is said of.
pub(crate) fn patient(
    scene: &Scene<'_>,
    sentence: &Range<usize>,
    verb: usize,
    group: &Group,
) -> Option<Found> {
    if group.be || group.start < verb && scene.tokens[group.start].is(words::AUXILIARY) {
        return scene.subject_of(sentence, group.start);
    }
    opening_subject(scene, sentence, verb)
        .or_else(|| scene.left_phrase(sentence, group.start, false))
        .or_else(|| noun_antecedent(scene, sentence, group.start))
        .or_else(|| {
            // ", and founded by": a second participle of the same subject.
            let before = group.start.checked_sub(1).filter(|before| *before >= sentence.start)?;
            let token = &scene.tokens[before];
            // A name that is not known stands before the comma: the participle is that one's.
            let last = (sentence.start..before).rev().find(|at| scene.tokens[*at].shape != Shape::Sign);
            let foreign =
                last.is_some_and(|last| scene.tokens[last].is_capital() && scene.ment_at(last).is_none());
            (!foreign && (token.is_sign(",") || token.is(words::AND)))
                .then(|| scene.clause_subject(sentence, group.start))?
        })
}

/// "X is a ferry built by Y": the participle hangs on the noun of the predicate.
pub(crate) fn noun_antecedent(scene: &Scene<'_>, sentence: &Range<usize>, end: usize) -> Option<Found> {
    let last = end.checked_sub(1).filter(|last| *last >= sentence.start)?;
    // Over "a village in the north": the phrase right before is a noun phrase without a name.
    let token = &scene.tokens[last];
    if token.shape != Shape::Lower || scene.ment_at(last).is_some() || !token.is_word() {
        return None;
    }
    let np = scene.phrase_start(sentence.start, last);
    holder_left(scene, sentence, np)
}

/// Finds what a noun phrase is said of: through "is", "as", a comma, a dash.
pub(crate) fn holder_left(scene: &Scene<'_>, sentence: &Range<usize>, np: usize) -> Option<Found> {
    crate::nouns::said_of(scene, sentence, np).map(|(found, _)| found)
}

/// "Founded by Y in 1990, X is": the subject of the main clause.
pub(crate) fn opening_subject(scene: &Scene<'_>, sentence: &Range<usize>, verb: usize) -> Option<Found> {
    let opens = (sentence.start..verb).all(|position| scene.tokens[position].is(words::ADVERB));
    if !opens || verb > sentence.start + 2 {
        return None;
    }
    (verb + 1..sentence.end).find_map(|position| {
        if !scene.tokens[position].is_sign(",") {
            return None;
        }
        let mut next = position + 1;
        while next < sentence.end
            && next - position < 6
            && scene.ment_at(next).is_none()
            && scene.is_premodifier(next)
            || next < sentence.end
                && scene.tokens[next].is(words::DETERMINER)
                && scene.ment_at(next).is_none()
        {
            next += 1;
        }
        let found = scene.ment_at(next)?;
        let ment = &scene.ments[found];
        (!ment.possessive && scene.verb_follows(ment.end, sentence.end))
            .then(|| Found { ments: vec![found], weight: 0.92 })
    })
}

/// "the company that Elena founded": what stands before the relative pronoun.
fn relative_object(scene: &Scene<'_>, sentence: &Range<usize>, subject: &Found) -> Option<Found> {
    let first = &scene.ments[*subject.ments.first()?];
    let relative = first.np.checked_sub(1).filter(|position| *position >= sentence.start)?;
    if !matches!(scene.tokens[relative].lower.as_str(), "which" | "that" | "whom") {
        return None;
    }
    let mut end = relative;
    if end > sentence.start && scene.tokens[end - 1].is_sign(",") {
        end -= 1;
    }
    match scene.ment_ending(end) {
        Some(found) => Some(Found { ments: vec![found], weight: 0.92 }),
        None => noun_antecedent(scene, sentence, end),
    }
}

fn preposition_ends(scene: &Scene<'_>, sentence: &Range<usize>, cue: &Cue, found: &Match) -> Option<Ends> {
    let start = found.tokens[0];
    let right = scene.right_phrase(sentence, found.end)?;
    let before = start.checked_sub(1).filter(|before| *before >= sentence.start)?;
    let token = &scene.tokens[before];
    let weak = found.tokens.len() == 1
        && matches!(token_preposition(scene, start), "in" | "at" | "of" | "from" | "by" | "for" | "on");
    if token.is(words::BE | words::COPULA_LIKE) || is_standing(scene, before) {
        let group = group_of(scene, sentence.start, before);
        let left = scene.subject_of(sentence, group.start)?;
        return Some(Ends { left, right, anchor: before });
    }
    if let Some(found) = scene.ment_ending(start) {
        // "the Regal in Oslo": only where both are known to be what the relation joins.
        let typed = |ment: usize| scene.member(ment).concept.is_some();
        let sure = cue.curated && typed(found) && right.ments.iter().all(|ment| typed(*ment));
        // "a village of Norway in the Alps": what hangs on another noun is not what is placed.
        let np = scene.ments[found].np;
        let hangs = np > sentence.start && scene.tokens[np - 1].lower == "of";
        if weak && (!sure || hangs) || scene.ments[found].possessive {
            return None;
        }
        let found = Found { ments: vec![found], weight: 0.85 };
        return Some(Ends { left: found, right, anchor: start });
    }
    if token.is_sign(",") && !weak {
        let left = scene.left_phrase(sentence, start, false)?.weaker(0.9);
        return Some(Ends { left, right, anchor: start });
    }
    // "X is a village near Y": through the noun that the preposition hangs on.
    let np = scene.phrase_start(sentence.start, before);
    if scene.ment_at(before).is_none()
        && token.shape == Shape::Lower
        && np <= before
        && !scene.is_verb(before)
    {
        // Of "in" and its like only the nouns of the ontology: "a village in", not "landmarks in".
        if weak && scene.lexicon.phrase_before(scene.tokens, np, start).is_none() {
            return None;
        }
        let opening = np.checked_sub(1).map(|before| &scene.tokens[before]);
        if opening.is_some_and(|opening| opening.is_sign(":") || opening.is_dash() || opening.is_sign("(")) {
            return None;
        }
        let (left, anchor) = crate::nouns::said_of(scene, sentence, np)?;
        return Some(Ends { left: left.weaker(0.95), right, anchor });
    }
    None
}

fn token_preposition<'a>(scene: &'a Scene<'_>, position: usize) -> &'a str {
    scene.tokens[position].lower.as_str()
}

/// "lies", "stands": verbs that only place their subject.
fn is_standing(scene: &Scene<'_>, position: usize) -> bool {
    let token = &scene.tokens[position];
    token.shape == Shape::Lower
        && matches!(token.stem.as_str(), "lie" | "stand" | "sit" | "remain" | "situat" | "locat" | "liv")
}
