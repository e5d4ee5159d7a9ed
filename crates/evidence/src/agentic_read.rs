//! The reading capabilities: what they are called, what they take, and who answers.

use std::path::Path;

use mge_core::{Capability, FunctionCall, Interval, Moment, Response, RunError};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::ask::ask;
use crate::derive::Law;
use crate::read::{ClaimFilter, LONGEST, Reader};
use crate::store::{Snapshot, Store};

/// How many entries an answer has when the caller does not say.
const LIMIT: usize = 50;
/// How many it may have at most.
const MOST: usize = 1_000;

/// Reads on: a question, and how many chunks at most.
pub(crate) type ReadOn<'a> = dyn Fn(&str, u64) -> Result<(), RunError> + 'a;

/// What reading needs of the component.
pub(crate) struct Readable<'a> {
    /// The graph's name, the last part of the names of capabilities.
    pub(crate) name: &'a str,
    /// The folder of the store.
    pub(crate) folder: &'a Path,
    /// What decides beside the texts.
    pub(crate) law: &'a Law,
    /// Below this belief an answer is not known.
    pub(crate) floor: f64,
    /// The time it is.
    pub(crate) now: Moment,
    /// Reads on, at most so many chunks, those most relevant to a question first; absent, when nothing may be written.
    pub(crate) read_on: Option<&'a ReadOn<'a>>,
}

/// Describes the reading capabilities of the graph `name`.
pub(crate) fn capabilities(name: &str) -> Vec<Capability> {
    let claim = || json!({"type": "string", "minLength": 1, "description": "The id of a claim, or a unique beginning of it."});
    let entity = || json!({"type": "string", "minLength": 1, "description": "The id of an entity, or a name that only one has."});
    let text = |what: &str| json!({"type": "string", "description": what});
    let relation = || text("The id of a relation; claims that imply it count.");
    let belief = || json!({"type": "number", "minimum": 0, "maximum": 1, "description": "Leaves out what is believed less."});
    let after = || text("Goes on where an earlier answer stopped: its 'next'.");
    let limit = || json!({"type": "integer", "minimum": 1, "maximum": MOST, "description": "The most entries, 50 by default."});
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let list = |of: &str| {
        object(json!({"version": {"const": 1}, of: {"type": "array"}, "truncated": {"type": "boolean"}}))
    };
    let capability =
        |verb: &str, description: &str, mut properties: Value, required: &[&str], returns: Value| {
            if let Value::Object(properties) = &mut properties {
                properties.insert(
                    "as_of".to_owned(),
                    text("Answers as of this time in the world: 2019, 2019-05, 2019-05-03 or RFC 3339."),
                );
                properties.insert("known_at".to_owned(), text("Answers with what was known at this time."));
            }
            Capability::new(format!("{verb}_{name}"), description, properties, required, returns)
        };
    vec![
        capability(
            "ask",
            "Answers a question from the claims of the graph, with citations, or says that it is not known and shows what is nearest. \
             Extracts, never composes. Without 'as_of' it answers as of now.",
            json!({"question": {"type": "string", "minLength": 1}, "max_read": {"type": "integer", "minimum": 0, "description": "How many unread chunks it may read to find an answer."}}),
            &["question"],
            object(
                json!({"version": {"const": 1}, "question": {"type": "string"}, "known": {"type": "boolean"}, "answer": {"type": "string"}, "support": {"type": "number"}, "claims": {"type": "array"}, "passages": {"type": "array"}, "would_read": {"type": "array"}}),
            ),
        ),
        capability(
            "find_entities",
            "Finds entities by name, alias, the beginning of a name or its words, of a concept or all; names that look like it when none fits.",
            json!({"name": text("A name, or a part of one."), "concept": text("A concept; its descendants count."), "after": after(), "limit": limit()}),
            &[],
            list("entities"),
        ),
        capability(
            "entity",
            "Shows an entity: names, concept, how many claims of each relation it is part of, and where it is mentioned.",
            json!({"entity": entity()}),
            &["entity"],
            object(
                json!({"version": {"const": 1}, "entity": {"type": "object"}, "belief": {"type": "number"}, "as_subject": {"type": "object"}, "as_object": {"type": "object"}, "mentions": {"type": "array"}}),
            ),
        ),
        capability(
            "neighbors",
            "Lists the entities that claims join to an entity, the most believed first; inferred claims count.",
            json!({"entity": entity(), "relation": relation(), "min_belief": belief(), "limit": limit()}),
            &["entity"],
            list("neighbors"),
        ),
        capability(
            "claims",
            "Lists claims with beliefs, periods and citations. With a subject or an object, claims that follow from others come too, marked as inferred.",
            json!({"subject": entity(), "object": entity(), "literal": text("A value."), "relation": relation(), "concept": text("A concept that subject or object is of."), "min_belief": belief(), "after": after(), "limit": limit()}),
            &[],
            list("claims"),
        ),
        capability(
            "evidence",
            "Lists the evidence of a claim with every factor of its weight.",
            json!({"claim": claim(), "limit": limit()}),
            &["claim"],
            list("evidence"),
        ),
        capability(
            "explain",
            "Explains what is believed of a claim: period by period, from documents and quotes to support, contradiction, rivals and belief.",
            json!({"claim": claim()}),
            &["claim"],
            object(
                json!({"version": {"const": 1}, "claim": {"type": "object"}, "explanation": {"type": "object"}}),
            ),
        ),
        capability(
            "paths",
            "Finds the best ways from an entity to another, by the product of the beliefs of their claims.",
            json!({"from": entity(), "to": entity(), "count": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many paths, 3 by default."}, "max_length": {"type": "integer", "minimum": 1, "maximum": LONGEST}, "min_belief": belief()}),
            &["from", "to"],
            list("paths"),
        ),
        capability(
            "contradictions",
            "Lists what the graph disagrees about: values that exclude each other, and claims that are both stated and denied.",
            json!({"entity": entity(), "after": after(), "limit": limit()}),
            &[],
            list("contradictions"),
        ),
        capability(
            "timeline",
            "Lists what is known of an entity in order of time.",
            json!({"entity": entity(), "min_belief": belief(), "limit": limit()}),
            &["entity"],
            list("entries"),
        ),
        capability(
            "changes",
            "Lists the evidence that came and went since a time, oldest first.",
            json!({"since": {"type": "string", "minLength": 1, "description": "A date or an RFC 3339 time."}, "after": after(), "limit": limit()}),
            &["since"],
            list("changes"),
        ),
        capability(
            "stats",
            "Counts what the graph holds, by relation, concept and source, and how much of the sources was read.",
            json!({}),
            &[],
            object(
                json!({"version": {"const": 1}, "counts": {"type": "object"}, "relations": {"type": "object"}, "concepts": {"type": "object"}, "sources": {"type": "object"}, "read_percent": {"type": "number"}}),
            ),
        ),
        capability(
            "search",
            "Searches the texts for words, read or not, best first. Any text is a query.",
            json!({"query": {"type": "string"}, "limit": limit()}),
            &["query"],
            list("results"),
        ),
    ]
}

/// Answers a call of a reading capability; nothing, when it is another's.
pub(crate) fn run(readable: &Readable<'_>, call: &FunctionCall) -> Option<Result<Response, RunError>> {
    let verb = call.name.strip_suffix(readable.name)?.strip_suffix('_')?;
    let known = capabilities(readable.name).into_iter().find(|capability| capability.name == call.name)?;
    Some(known.check(&call.arguments).and_then(|()| answer(readable, verb, call)))
}

fn answer(readable: &Readable<'_>, verb: &str, call: &FunctionCall) -> Result<Response, RunError> {
    let arguments = Arguments(&call.arguments);
    let when = arguments.text("as_of").map(interval).transpose()?;
    let known_at = arguments.text("known_at").map(known_at).transpose()?;
    let snapshot = Store::read(readable.folder, known_at)?;
    let reader = reader(readable, &snapshot);
    let limit = arguments.number("limit").unwrap_or(LIMIT);
    let min_belief = call.arguments.get("min_belief").and_then(Value::as_f64).unwrap_or(0.0);
    let after = arguments.text("after");
    let entity = |name: &str| reader.resolve_entity(arguments.text(name).unwrap_or_default());
    let maybe_entity = |name: &str| arguments.text(name).map(|text| reader.resolve_entity(text)).transpose();
    let claim = || reader.resolve_claim(arguments.text("claim").unwrap_or_default());
    match verb {
        "ask" => {
            let question = arguments.text("question").unwrap_or_default();
            let first = ask(&reader, question, when)?;
            let may_read = arguments.number("max_read").unwrap_or(0) as u64;
            if first.known || may_read == 0 || known_at.is_some() {
                return respond(first);
            }
            let Some(read_on) = readable.read_on else {
                return Err(RunError::failed("the endpoint is open for reading only, so it cannot read on")
                    .hint("ask without 'max_read', or when no other process holds the lock"));
            };
            drop(snapshot);
            read_on(question, may_read)?;
            let snapshot = Store::read(readable.folder, known_at)?;
            respond(ask(&self::reader(readable, &snapshot), question, when)?)
        }
        "find_entities" => {
            respond(reader.find_entities(arguments.text("name"), arguments.text("concept"), after, limit)?)
        }
        "entity" => respond(reader.entity_detail(&entity("entity")?)?),
        "neighbors" => respond(reader.neighbors(
            &entity("entity")?,
            arguments.text("relation"),
            when,
            min_belief,
            limit,
        )?),
        "claims" => {
            let relation =
                arguments.text("relation").map(|text| reader.resolve_relation(text)).transpose()?;
            let concept = arguments.text("concept").map(|text| reader.resolve_concept(text)).transpose()?;
            let filter = ClaimFilter {
                subject: maybe_entity("subject")?.map(|entity| entity.row),
                object: maybe_entity("object")?.map(|entity| entity.row),
                literal: arguments.text("literal").map(str::to_owned),
                relation: relation.map(|relation| relation.id.clone()),
                concept: concept.map(str::to_owned),
                when,
                min_belief,
                limit,
                after: after.map(str::to_owned),
            };
            respond(reader.claims(&filter)?)
        }
        "evidence" => respond(reader.evidence(&claim()?, limit)?),
        "explain" => respond(reader.explain(&claim()?)?),
        "paths" => {
            let count = arguments.number("count").unwrap_or(3);
            let longest = arguments.number("max_length").unwrap_or(4);
            respond(reader.paths(&entity("from")?, &entity("to")?, count, longest, when, min_belief)?)
        }
        "contradictions" => {
            respond(reader.contradictions(maybe_entity("entity")?.as_ref(), when, after, limit)?)
        }
        "timeline" => respond(reader.timeline(&entity("entity")?, when, min_belief, limit)?),
        "changes" => {
            let since = interval(arguments.text("since").unwrap_or_default())?;
            let since = since.from.map_or(i64::MIN, |from| from.0.saturating_mul(1000));
            respond(reader.changes(since, after.and_then(|after| after.parse().ok()).unwrap_or(0), limit)?)
        }
        "stats" => respond(reader.statistics()?),
        "search" => respond(reader.search(arguments.text("query").unwrap_or_default(), limit)?),
        _ => Err(RunError::failed(format!("'{}' is described, but nothing answers it", call.name))),
    }
}

fn reader<'a>(readable: &Readable<'a>, snapshot: &'a Snapshot) -> Reader<'a> {
    Reader::new(snapshot, readable.law, readable.floor, readable.now)
}

fn respond(answer: impl Serialize) -> Result<Response, RunError> {
    let value = serde_json::to_value(answer).map_err(|error| RunError::failed(error.to_string()))?;
    Ok(Response::stop(value))
}

fn interval(text: &str) -> Result<Interval, RunError> {
    Interval::parse(text).map_err(|error| RunError::invalid(error.to_string()))
}

/// Reads a time as of which things were known: a day means its end, an instant its second.
fn known_at(text: &str) -> Result<i64, RunError> {
    let told = interval(text)?;
    Ok(told.to.map_or(i64::MAX, |to| to.0.saturating_mul(1000).saturating_sub(1)))
}

struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.0.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
    }
}
