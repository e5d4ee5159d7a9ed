//! The rules themselves: a document's context, and the reading of its chunks.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use mge_core::{
    Chunk, ChunkKind, ClaimDraft, Digest, Document, EntityRef, Extraction, Formalize, FormalizeError,
    Interval, Mention, MentionForm, Method, Object, Reading, Span, Stance,
};
use mge_ontology::Ontology;

use crate::context::{Context, Parsed, Slice};
use crate::dates::{TimeMention, find_times};
use crate::lexicon::Lexicon;
use crate::literals::{Values, tokens_of};
use crate::relations::{Draft, Said, relate};
use crate::rows::{Filler, Laid, item_time, key_value, row, under_lead_in};
use crate::scene::{Gender, Scene};
use crate::stance::{Introduced, Time, introduction, opposite, sense_of};
use crate::tokens::Token;
use crate::values::find_values;

/// Rises with every change of what the rules find.
pub(crate) const VERSION: &str = "5";

/// The deterministic formalizer: no model, no download, equal results on any machine.
///
/// ```
/// use mge_formalize::Rules;
/// use mge_ontology::Ontology;
///
/// let rules = Rules::new(Ontology::default(), 0.5);
/// assert!(rules.read_text("Nothing is known, so nothing is found.").mentions.is_empty());
/// ```
#[derive(Debug)]
pub struct Rules {
    lexicon: Lexicon,
    threshold: f64,
}

impl Rules {
    /// Prepares an ontology; nothing below `threshold` comes out.
    pub fn new(ontology: Ontology, threshold: f64) -> Self {
        Self { lexicon: Lexicon::new(ontology), threshold }
    }

    /// Reads a text that belongs to no document: spans are in the text.
    pub fn read_text(&self, text: &str) -> Extraction {
        crate::plain::read(self, text)
    }

    pub(crate) fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    fn extract(
        &self,
        chunk: &Chunk,
        parsed: &Parsed,
        lead: &Parsed,
        slice: &Slice,
        reference: Option<Interval>,
    ) -> Extraction {
        if chunk.kind == ChunkKind::Verbatim || parsed.tokens.is_empty() {
            return Extraction::default();
        }
        let text = chunk.text.as_str();
        let mut scene = Scene::new(text, &parsed.tokens, &self.lexicon, &slice.cast);
        let times = mark_times(&mut scene, text, reference);
        let prose = matches!(chunk.kind, ChunkKind::Paragraph | ChunkKind::ListItem | ChunkKind::Footnote);
        let introduced = introduction(chunk, lead);
        crate::coref::assemble(&mut scene, &parsed.sentences, slice, prose);
        let values = Values::new(&scene, &find_values(text));
        let mut claims = Vec::new();
        if prose && introduced != Introduced::Open {
            for sentence in &parsed.sentences {
                let drafts = relate(&scene, sentence, &values);
                let first = times.partition_point(|time| time.range.start < sentence.start);
                let last = times.partition_point(|time| time.range.start < sentence.end);
                for draft in &drafts {
                    self.claim(&scene, draft, &times[first..last], &drafts, reference, &mut claims);
                }
            }
            for laid in key_value(&scene, parsed, slice, &values, reference) {
                self.laid(&scene, laid, None, &mut claims);
            }
        }
        let quote = Span::new(0, text.len());
        if chunk.kind == ChunkKind::TableRow {
            for laid in row(&scene, chunk, parsed, slice, &values, reference) {
                self.laid(&scene, laid, Some(quote), &mut claims);
            }
        }
        if let Some(lead_text) = &chunk.lead_in
            && matches!(chunk.kind, ChunkKind::ListItem | ChunkKind::TableRow)
            && introduced == Introduced::Plainly
        {
            let items = items_of(&scene, parsed, chunk.kind);
            let time = items.last().and_then(|(_, _, range)| item_time(&scene, range.end, reference));
            let laid = under_lead_in(
                &self.lexicon,
                lead_text.as_str(),
                lead,
                &slice.lead,
                &slice.cast,
                &items,
                time,
                reference,
            );
            for laid in laid {
                self.laid(&scene, laid, Some(quote), &mut claims);
            }
        }
        if introduced == Introduced::Untrue {
            claims.iter_mut().for_each(|claim| claim.stance = opposite(claim.stance));
        }
        Extraction { mentions: self.mentions(&scene), claims: dedupe(claims) }
    }

    fn claim(
        &self,
        scene: &Scene<'_>,
        draft: &Draft,
        times: &[Time],
        drafts: &[Draft],
        reference: Option<Interval>,
        claims: &mut Vec<ClaimDraft>,
    ) {
        if crate::doubts::in_doubt(scene, draft) {
            return;
        }
        let Some(sense) = sense_of(scene, draft, times, drafts, reference) else { return };
        let Some(subject) = self.entity(scene, draft.subject) else { return };
        let mut confidence = draft.weight * sense.weight * certainty(scene.member(draft.subject).confidence);
        let ment_span = |ment: usize| scene.span(scene.ments[ment].start..scene.ments[ment].name_end);
        let (object, object_span) = match &draft.object {
            Said::Ment(ment) => {
                let Some(entity) = self.entity(scene, *ment) else { return };
                confidence *= certainty(scene.member(*ment).confidence);
                (Object::Entity(entity), ment_span(*ment))
            }
            Said::Value(value, range) => (Object::Literal(value.clone()), scene.span(range.clone())),
        };
        if confidence < self.threshold {
            return;
        }
        claims.push(ClaimDraft {
            subject,
            relation: self.lexicon.links[draft.link].id.clone(),
            object,
            stance: sense.stance,
            confidence: round(confidence),
            quote: scene.span(draft.sentence.clone()),
            cue: Some(scene.span(draft.cue.clone())),
            subject_span: Some(ment_span(draft.subject)),
            object_span: Some(object_span),
            valid: sense.valid,
            tense: sense.tense,
        });
    }

    fn laid(&self, scene: &Scene<'_>, laid: Laid, quote: Option<Span>, claims: &mut Vec<ClaimDraft>) {
        let (who, identity, subject_range) = &laid.subject;
        let Some(subject) = self.member_ref(scene, *who, *identity) else { return };
        let mut confidence = laid.weight * certainty(scene.cast[*who].confidence);
        let (object, object_range) = match &laid.object {
            Filler::Member(who, identity, range) => {
                let Some(entity) = self.member_ref(scene, *who, *identity) else { return };
                confidence *= certainty(scene.cast[*who].confidence);
                (Object::Entity(entity), range.clone())
            }
            Filler::Value(value, range) => (Object::Literal(value.clone()), range.clone()),
        };
        if confidence < self.threshold {
            return;
        }
        let whole = Span::new(0, scene.text.len());
        let quote =
            quote.or_else(|| laid.sentence.clone().map(|sentence| scene.span(sentence))).unwrap_or(whole);
        claims.push(ClaimDraft {
            subject,
            relation: self.lexicon.links[laid.link].id.clone(),
            object,
            stance: if laid.against { Stance::Against } else { Stance::For },
            confidence: round(confidence),
            quote,
            cue: None,
            subject_span: subject_range.clone().map(|range| scene.span(range)),
            object_span: object_range.map(|range| scene.span(range)),
            valid: laid.valid,
            tense: laid.tense,
        });
    }

    fn entity(&self, scene: &Scene<'_>, ment: usize) -> Option<EntityRef> {
        self.member_ref(scene, scene.ments[ment].who, scene.ments[ment].identity)
    }

    fn member_ref(&self, scene: &Scene<'_>, who: usize, identity: f64) -> Option<EntityRef> {
        let member = &scene.cast[who];
        Some(EntityRef {
            concept: self.lexicon.kinds[member.concept?].id.clone(),
            name: member.name.clone(),
            confidence: round(identity),
        })
    }

    fn mentions(&self, scene: &Scene<'_>) -> Vec<Mention> {
        (0..scene.ments.len())
            .filter_map(|position| {
                let ment = &scene.ments[position];
                let member = scene.member(position);
                let confidence = round(
                    member.confidence * if ment.form == MentionForm::Reference { ment.identity } else { 1.0 },
                );
                if confidence < self.threshold {
                    return None;
                }
                Some(Mention {
                    span: scene.span(ment.start..ment.name_end),
                    entity: self.entity(scene, position)?,
                    form: ment.form,
                    confidence,
                })
            })
            .collect()
    }

    fn key_of(&self, chunk: &Chunk, slice: &Slice, reference: Option<Interval>) -> Digest {
        let mut parts: Vec<String> = vec![
            format!("{}\u{0}{VERSION}\u{0}{}\u{0}{}", "rules", self.threshold, self.lexicon.digest),
            chunk.text.as_str().to_owned(),
            format!("{:?}", chunk.kind),
            chunk.lead_in.as_ref().map_or_else(String::new, |lead| format!("+{}", lead.as_str())),
            reference.map_or_else(String::new, |interval| interval.to_string()),
        ];
        for cell in &chunk.cells {
            parts.push(format!("cell {} {} {}", cell.span.start, cell.span.end, cell.header.as_str()));
        }
        for member in &slice.cast {
            let gender = match member.gender {
                None => "",
                Some(Gender::Female) => "f",
                Some(Gender::Male) => "m",
            };
            let concept = member.concept.map_or("", |concept| self.lexicon.kinds[concept].id.as_str());
            parts.push(format!(
                "member {}\u{0}{concept}\u{0}{}\u{0}{gender}\u{0}{}\u{0}{}",
                member.name,
                member.confidence,
                member.heads.join(" "),
                member.soft
            ));
        }
        for (list, names) in [("name", &slice.names), ("lead", &slice.lead)] {
            for name in names {
                parts.push(format!(
                    "{list} {} {} {} {:?} {}",
                    name.start, name.end, name.who, name.form, name.identity
                ));
            }
        }
        parts.push(format!("topic {:?} {:?} {:?}", slice.topic, slice.incoming, slice.speaker));
        Digest::of_parts(parts.iter().map(String::as_bytes))
    }
}

/// The entities that an item begins with.
pub(crate) fn items_of(
    scene: &Scene<'_>,
    parsed: &Parsed,
    kind: ChunkKind,
) -> Vec<(usize, f64, Range<usize>)> {
    let Some(sentence) = parsed.sentences.first() else { return Vec::new() };
    let first = match kind {
        ChunkKind::TableRow => scene.ments_in(&(0..scene.tokens.len())).next(),
        _ => scene.ments_in(sentence).find(|ment| {
            let ment = &scene.ments[*ment];
            ment.np <= sentence.start + 1 && !ment.possessive && ment.form != MentionForm::Reference
        }),
    };
    let Some(first) = first else { return Vec::new() };
    scene
        .group_right(sentence, first, None)
        .into_iter()
        .map(|ment| {
            let ment = &scene.ments[ment];
            (ment.who, ment.identity, ment.start..ment.name_end)
        })
        .collect()
}

/// How much a name's type counts for a claim: a sure one not at all.
fn certainty(confidence: f64) -> f64 {
    if confidence >= 0.9 { 1.0 } else { 0.4 + 0.6 * (confidence / 0.9) }
}

/// Three decimals: what a rule of thumb can mean, and the same on every machine.
fn round(confidence: f64) -> f64 {
    (confidence.clamp(0.0, 1.0) * 1000.0).round() / 1000.0
}

/// Finds the times of a text and marks their tokens.
pub(crate) fn mark_times(scene: &mut Scene<'_>, text: &str, reference: Option<Interval>) -> Vec<Time> {
    mark(scene, times_of(text, scene.tokens, reference))
}

/// Finds the times of that part of a text that was cut into tokens.
pub(crate) fn times_of(text: &str, tokens: &[Token], reference: Option<Interval>) -> Vec<TimeMention> {
    let end = tokens.last().map_or(0, |last| last.span.end);
    find_times(text.get(..end).unwrap_or(text), reference)
}

/// Marks the tokens of times.
pub(crate) fn mark(scene: &mut Scene<'_>, found: Vec<TimeMention>) -> Vec<Time> {
    let mut times = Vec::new();
    for mention in found {
        let Some(range) = tokens_of(scene, mention.span) else { continue };
        scene.mark_time(range.clone());
        times.push(Time { range, mention });
    }
    times
}

/// The most claims that differ in their times only and are compared with another.
const MOST_TIMES: usize = 64;

/// Of equal claims the surest stays; the order is that of the quotes.
fn dedupe(claims: Vec<ClaimDraft>) -> Vec<ClaimDraft> {
    let mut kept: Vec<ClaimDraft> = Vec::new();
    let mut places: HashMap<(String, String, String), Vec<usize>> = HashMap::new();
    for claim in claims {
        let object = match &claim.object {
            Object::Entity(entity) => entity.name.clone(),
            Object::Literal(value) => value.clone(),
        };
        let key = (claim.subject.name.clone(), claim.relation.clone(), object);
        let known = places.entry(key).or_default();
        let same = known.iter().rev().take(MOST_TIMES).copied().find(|position| {
            let known = &kept[*position];
            known.subject.name == claim.subject.name
                && known.subject.concept == claim.subject.concept
                && known.relation == claim.relation
                && same_object(&known.object, &claim.object)
                && known.stance == claim.stance
                && (known.valid == claim.valid
                    || known.quote == claim.quote && (known.valid.is_none() || claim.valid.is_none()))
        });
        match same {
            Some(position) => {
                let known = &mut kept[position];
                let timed = claim.valid.is_some() && known.valid.is_none();
                if timed
                    || claim.confidence > known.confidence && (claim.valid.is_some() || known.valid.is_none())
                {
                    *known = claim;
                }
            }
            None => {
                known.push(kept.len());
                kept.push(claim);
            }
        }
    }
    kept.sort_by(|left, right| left.quote.cmp(&right.quote).then(left.cue.cmp(&right.cue)));
    kept
}

fn same_object(left: &Object, right: &Object) -> bool {
    match (left, right) {
        (Object::Entity(left), Object::Entity(right)) => {
            left.name == right.name && left.concept == right.concept
        }
        (Object::Literal(left), Object::Literal(right)) => left == right,
        _ => false,
    }
}

impl Formalize for Rules {
    fn method(&self) -> Method {
        Method { name: "rules".to_owned(), version: VERSION.to_owned() }
    }

    fn slice(&self) -> Digest {
        self.lexicon.digest
    }

    fn begin(&self, document: Arc<Document>) -> Box<dyn Reading + '_> {
        Box::new(RulesReading::new(self, document))
    }
}

/// A document being read by the rules.
///
/// It holds the rules or borrows them: a component's ontology may be read anew meanwhile.
pub(crate) struct RulesReading<R> {
    rules: R,
    document: Arc<Document>,
    context: Context,
}

impl<R: AsRef<Rules>> RulesReading<R> {
    pub(crate) fn new(rules: R, document: Arc<Document>) -> Self {
        let context = Context::new(&document, &rules.as_ref().lexicon);
        Self { rules, document, context }
    }
}

impl AsRef<Rules> for Rules {
    fn as_ref(&self) -> &Rules {
        self
    }
}

impl<R: AsRef<Rules> + Send> Reading for RulesReading<R> {
    fn key(&self, chunk: usize) -> Digest {
        match (self.document.chunks.get(chunk), self.context.slices.get(chunk)) {
            (Some(chunk), Some(slice)) => self.rules.as_ref().key_of(chunk, slice, self.document.date),
            _ => Digest::default(),
        }
    }

    fn read(&mut self, chunks: &[usize]) -> Vec<Result<Extraction, FormalizeError>> {
        let rules = self.rules.as_ref();
        chunks
            .iter()
            .map(|&position| {
                let Some(chunk) = self.document.chunks.get(position) else {
                    let message = format!("the document has no chunk {position}");
                    return Err(FormalizeError { message, transient: false });
                };
                let (parsed, lead) = (&self.context.parsed[position], &self.context.leads[position]);
                Ok(rules.extract(chunk, parsed, lead, &self.context.slices[position], self.document.date))
            })
            .collect()
    }
}
