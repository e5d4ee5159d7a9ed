//! The component: class `formalizer`.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use indexmap::IndexMap;
use mge_core::{
    Agentic, BoxFuture, BuildContext, Capability, Counts, Digest, Document, Extraction, Facets, Fault, Formalize,
    FunctionCall, GraphRows, ItemView, Kind, Method, Object, OntologyRows, PilotContext, Problem, Reading, Request,
    Response, RunError, Span, Standing, StateTable, near_names,
};
use mge_ontology::Ontology;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::config::{Library, Settings, USE_RULES};
use crate::rules::Rules;

const ERR_ONTOLOGY_INIT: i32 = -2;
const ERR_MODEL_INIT: i32 = -1;
const MODEL_LOADED_OK: i32 = 1;
const ONTOLOGY_LOADED_OK: i32 = 2;

/// The states of a formalizer.
static STATES: StateTable = StateTable {
    entries: &[
        (ERR_ONTOLOGY_INIT, "ERR_ONTOLOGY_INIT"),
        (ERR_MODEL_INIT, "ERR_MODEL_INIT"),
        (0, "INITIAL"),
        (MODEL_LOADED_OK, "MODEL_LOADED_OK"),
        (ONTOLOGY_LOADED_OK, "ONTOLOGY_LOADED_OK"),
        (100, "READY"),
    ],
};

/// A formalizer, as the endpoint builds it.
pub const KIND: Kind =
    Kind { section: "formalizers", class: "formalizer", states: &STATES, schema, counts, build };

fn schema() -> Value {
    schemars::schema_for!(Settings).to_value()
}

fn counts(_item: &ItemView<'_>) -> Counts {
    Counts::new()
}

fn build(context: BuildContext<'_>) -> Result<Arc<dyn Agentic>, Fault> {
    let settings = Settings::deserialize(context.extra_args)
        .map_err(|error| Fault::new(format!("the extra_args of '{}' are wrong: {error}", context.name)))?;
    Ok(Arc::new(Component {
        id: context.id,
        name: context.name.to_owned(),
        settings,
        declared: context.tools.to_vec(),
        standing: Standing::default(),
        tools: Mutex::default(),
        reader: Arc::default(),
    }))
}

struct Component {
    id: String,
    name: String,
    settings: Settings,
    declared: Vec<String>,
    standing: Standing,
    tools: Mutex<IndexMap<String, Arc<dyn OntologyRows>>>,
    reader: Arc<Reader>,
}

/// The face for crawls: handed out when the endpoint links, filled when the ontology is there.
#[derive(Default)]
struct Reader {
    rules: OnceLock<Rules>,
}

impl Formalize for Reader {
    fn method(&self) -> Method {
        self.rules.get().map_or_else(
            || Method { name: Library::Rules.name().to_owned(), version: "not piloted".to_owned() },
            Formalize::method,
        )
    }

    fn slice(&self) -> Digest {
        self.rules.get().map(Formalize::slice).unwrap_or_default()
    }

    fn begin(&self, document: Arc<Document>) -> Box<dyn Reading + '_> {
        match self.rules.get() {
            Some(rules) => rules.begin(document),
            None => Box::new(NotPiloted),
        }
    }
}

/// A reading of a formalizer that was never piloted: each chunk fails, and may be read later.
struct NotPiloted;

impl Reading for NotPiloted {
    fn key(&self, _chunk: usize) -> Digest {
        Digest::default()
    }

    fn read(&mut self, chunks: &[usize]) -> Vec<Result<Extraction, mge_core::FormalizeError>> {
        let message = "the formalizer is not piloted".to_owned();
        chunks.iter().map(|_| Err(mge_core::FormalizeError { message: message.clone(), transient: true })).collect()
    }
}

impl Component {
    fn ontology(&self, part: &str) -> Option<Arc<dyn OntologyRows>> {
        let name = self.settings.parts().find(|(known, _)| *known == part).map(|(_, name)| name)?;
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn load_model(&self) {
        if self.settings.model.library == Library::Rules {
            self.standing.set(MODEL_LOADED_OK);
        } else {
            self.standing.fail(ERR_MODEL_INIT, Fault::new(self.settings.unavailable()).hint(USE_RULES));
        }
    }

    fn load_ontology(&self) {
        match self.read_ontology() {
            Ok(ontology) => {
                // A second piloting of one process would find the same rows.
                let _ = self.reader.rules.set(Rules::new(ontology, self.settings.threshold));
                self.standing.set(ONTOLOGY_LOADED_OK);
            }
            Err(fault) => self.standing.fail(ERR_ONTOLOGY_INIT, fault),
        }
    }

    fn read_ontology(&self) -> Result<Ontology, Fault> {
        for problem in self.settings.problems(&self.declared) {
            if problem.severity == mge_core::Severity::Error {
                return Err(Fault { hint: problem.hint, ..Fault::new(problem.message) });
            }
        }
        let rows = |part: &str| -> Result<Option<Arc<GraphRows>>, Fault> {
            self.ontology(part).map(|ontology| ontology.curated()).transpose()
        };
        let Some(entities) = rows("entities")? else {
            return Err(Fault::new("there is no ontology of entities").hint("add one to the tools"));
        };
        let (relationships, known_ids) = (rows("relationships")?, rows("known_ids")?);
        Ok(Ontology::from_rows(&entities, relationships.as_deref(), known_ids.as_deref()))
    }

    fn rules(&self) -> Result<&Rules, RunError> {
        self.standing.require_ready(&self.id, &STATES)?;
        self.reader.rules.get().ok_or_else(|| RunError::failed("the ontology is not loaded"))
    }

    fn answer(&self, call: &FunctionCall) -> Result<Value, RunError> {
        let rules = self.rules()?;
        let matching = self.capabilities().into_iter().find(|capability| capability.name == call.name);
        let capability = matching.ok_or_else(|| {
            let message = format!("Capability \"{}\" not found in {}.", call.name, self.id);
            RunError::new(mge_core::RunErrorKind::FailedToFindCapability, message)
        })?;
        capability.check(&call.arguments)?;
        if call.name == self.named("is_a") {
            let asked: IsA = call.read()?;
            return Ok(json!({"score": is_a(rules, &asked)?}));
        }
        let asked: Hint = call.read()?;
        let ontology = &rules.lexicon().ontology;
        let (is_edges, known): (bool, Vec<&str>) = if call.name == self.named("hint_edges") {
            (true, ontology.relations.keys().map(String::as_str).collect())
        } else {
            (false, ontology.concepts.keys().map(String::as_str).collect())
        };
        require_known(&asked.concepts, &known)?;
        let one = |text: &str| {
            let found = rules.read_text(text);
            if is_edges { edges(text, &found, &asked) } else { nodes(text, &found, &asked) }
        };
        match (&asked.text, &asked.texts) {
            (Some(text), None) => Ok(one(text)),
            (None, Some(texts)) => Ok(texts.iter().map(|text| one(text)).collect()),
            _ => Err(RunError::invalid("give either 'text' or 'texts'")),
        }
    }

    fn named(&self, verb: &str) -> String {
        format!("{verb}_{}", self.name)
    }
}

/// The arguments of `hint_nodes` and `hint_edges`.
#[derive(Deserialize)]
struct Hint {
    text: Option<String>,
    texts: Option<Vec<String>>,
    #[serde(default)]
    concepts: Vec<String>,
    #[serde(default)]
    detail: bool,
}

/// The arguments of `is_a`.
#[derive(Deserialize)]
struct IsA {
    text: String,
    concept: String,
    parent_concept: String,
}

fn require_known(asked: &[String], known: &[&str]) -> Result<(), RunError> {
    let Some(unknown) = asked.iter().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
    let near = near_names(unknown, known.iter().copied());
    let error = RunError::invalid(format!("the ontology has no '{unknown}'"));
    Err(match near.first() {
        Some(near) => error.hint(format!("did you mean '{near}'?")),
        None => error.hint(format!("it has {}", known.join(", "))),
    })
}

/// Tells whether an id is one of those asked for, or below one; all are, when none is asked for.
fn is_asked(asked: &[String], id: &str) -> bool {
    let below = |asked: &String| id.strip_prefix(asked.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('|'));
    asked.is_empty() || asked.iter().any(below)
}

fn surface(text: &str, span: Span) -> &str {
    span.slice(text).unwrap_or_default()
}

fn nodes(text: &str, found: &Extraction, asked: &Hint) -> Value {
    let mut hints: IndexMap<&str, Vec<Value>> = IndexMap::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for mention in &found.mentions {
        let (concept, words) = (mention.entity.concept.as_str(), surface(text, mention.span));
        if !is_asked(&asked.concepts, concept) {
            continue;
        }
        let hint = if asked.detail {
            json!({
                "text": words,
                "start": mention.span.start,
                "end": mention.span.end,
                "unit": "byte",
                "name": mention.entity.name,
                "form": mention.form,
                "confidence": mention.confidence,
            })
        } else {
            if seen.contains(&(concept, words)) {
                continue;
            }
            seen.push((concept, words));
            json!(words)
        };
        hints.entry(concept).or_default().push(hint);
    }
    json!(hints)
}

fn edges(text: &str, found: &Extraction, asked: &Hint) -> Value {
    let mut hints: IndexMap<&str, Vec<Value>> = IndexMap::new();
    for claim in found.claims.iter().filter(|claim| is_asked(&asked.concepts, &claim.relation)) {
        let object = match &claim.object {
            Object::Entity(entity) => entity.name.as_str(),
            Object::Literal(value) => value.as_str(),
        };
        let mut hint = json!({"src": claim.subject.name, "dst": object});
        if asked.detail {
            let spot = |span: Option<Span>| {
                span.map(|span| json!({"text": surface(text, span), "start": span.start, "end": span.end, "unit": "byte"}))
            };
            hint["src_span"] = json!(spot(claim.subject_span));
            hint["dst_span"] = json!(spot(claim.object_span));
            hint["cue"] = json!(spot(claim.cue));
            hint["src_concept"] = json!(claim.subject.concept);
            if let Object::Entity(entity) = &claim.object {
                hint["dst_concept"] = json!(entity.concept);
            }
            hint["stance"] = json!(claim.stance.sign());
            hint["valid"] = json!(claim.valid);
            hint["confidence"] = json!(claim.confidence);
        }
        let hints = hints.entry(claim.relation.as_str()).or_default();
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    json!(hints)
}

/// Returns 1 when the hierarchy says so, otherwise how strongly the text does.
fn is_a(rules: &Rules, asked: &IsA) -> Result<f64, RunError> {
    let ontology = &rules.lexicon().ontology;
    let known: Vec<&str> = ontology.concepts.keys().map(String::as_str).collect();
    require_known(std::slice::from_ref(&asked.parent_concept), &known)?;
    if known.contains(&asked.concept.as_str()) {
        return Ok(f64::from(u8::from(ontology.descends(&asked.concept, &asked.parent_concept))));
    }
    let key = mge_core::name_key(&asked.concept);
    let found = rules.read_text(&asked.text);
    let fitting = found.mentions.iter().filter(|mention| {
        mge_core::name_key(&mention.entity.name) == key
            && ontology.descends(&mention.entity.concept, &asked.parent_concept)
    });
    Ok(fitting.map(|mention| mention.confidence).fold(0.0, f64::max))
}

impl Agentic for Component {
    fn id(&self) -> &str {
        &self.id
    }

    fn description(&self) -> String {
        self.settings.description.joined()
    }

    fn states(&self) -> &'static StateTable {
        &STATES
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn capabilities(&self) -> Vec<Capability> {
        let hint = |what: &str, concepts: &str| {
            json!({
                "text": {"type": "string", "description": format!("The text from which to find {what}.")},
                "texts": {"type": "array", "items": {"type": "string"}, "description": "Many texts instead of one."},
                "concepts": {"type": "array", "items": {"type": "string"}, "description": concepts},
                "detail": {"type": "boolean", "description": "Also give spans and confidence."},
            })
        };
        let mut capabilities = vec![Capability::new(
            self.named("hint_nodes"),
            "Finds the entities of the ontology that a text names.",
            hint("entities", "The concepts to look for, with those below them; all of them when empty."),
            &[],
            json!({"type": "object", "description": "Surfaces by concept, each once, in order of appearance."}),
        )];
        if self.settings.ontologies.relationships.is_some() {
            capabilities.push(Capability::new(
                self.named("hint_edges"),
                "Finds the relationships of the ontology that a text states.",
                hint("relationships", "The relations to look for, with those below them; all of them when empty."),
                &[],
                json!({"type": "object", "description": "Pairs of src and dst by relation."}),
            ));
        }
        if self.settings.ontologies.known_ids.is_some() {
            capabilities.push(Capability::new(
                self.named("is_a"),
                "Tells whether a concept, or a name in a text, is a kind of another concept.",
                json!({
                    "text": {"type": "string", "description": "The text that may tell."},
                    "concept": {"type": "string", "description": "The concept's id, or a name that the text mentions."},
                    "parent_concept": {"type": "string", "description": "The id of the concept to check against."},
                }),
                &["text", "concept", "parent_concept"],
                json!({"type": "object", "properties": {"score": {"type": "number", "minimum": 0, "maximum": 1}}}),
            ));
        }
        capabilities
    }

    fn advance<'a>(&'a self, _context: PilotContext<'a>) -> BoxFuture<'a, String> {
        let did = match self.standing.state() {
            StateTable::INITIAL => {
                self.load_model();
                format!("prepared the library {}", self.settings.model.library.name())
            }
            MODEL_LOADED_OK => {
                self.load_ontology();
                "read the ontology".to_owned()
            }
            _ => {
                self.standing.set(StateTable::READY);
                "ready to read text".to_owned()
            }
        };
        Box::pin(std::future::ready(did))
    }

    fn run<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        let answer = request.call().and_then(|call| self.answer(call)).map(Response::stop);
        Box::pin(std::future::ready(answer))
    }

    fn add_tool(&self, name: &str, tool: Arc<dyn Agentic>) -> Result<(), Fault> {
        match tool.facets().ontology {
            Some(ontology) => {
                self.tools.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), ontology);
                Ok(())
            }
            // An agent or a model server would be a tool of other libraries.
            None if self.settings.model.library != Library::Rules => Ok(()),
            None => Err(Fault::new(format!("'{}' cannot use '{name}': it is no ontology", self.name))),
        }
    }

    fn check(&self) -> Vec<Problem> {
        let mut problems = self.settings.problems(&self.declared);
        if let Some(entities) = self.ontology("entities") {
            let (relationships, known_ids) = (self.ontology("relationships"), self.ontology("known_ids"));
            problems.extend(mge_ontology::validate(entities.as_ref(), relationships.as_deref(), known_ids.as_deref()));
        }
        problems
    }

    fn facets(&self) -> Facets {
        Facets { formalizer: Some(self.reader.clone()), ..Facets::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mge_core::testing::{block_on, has_a_sound_face, pilots_to_ready};
    use mge_core::{Access, Events, GraphRow, NodeRow, SystemClock};

    use super::*;

    struct Rows(Arc<GraphRows>);

    impl OntologyRows for Rows {
        fn curated(&self) -> Result<Arc<GraphRows>, Fault> {
            Ok(self.0.clone())
        }
        fn replace_crawled(&self, _: &str, _: &mut dyn Iterator<Item = GraphRow>) -> Result<(), Fault> {
            Ok(())
        }
    }

    fn rows(nodes: &[(&str, &[(&str, &str)])]) -> Arc<dyn OntologyRows> {
        let nodes = nodes.iter().map(|(id, columns)| NodeRow {
            id: (*id).to_owned(),
            attributes: BTreeMap::from_iter(columns.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))),
        });
        Arc::new(Rows(Arc::new(GraphRows { nodes: nodes.collect(), ..GraphRows::default() })))
    }

    fn component(extra_args: &Value) -> Component {
        let context = BuildContext {
            id: "endpoint_test/formalizer_f".to_owned(),
            name: "f",
            folder: std::path::Path::new("/"),
            extra_args,
            tools: &[],
            access: Access::Read,
            timezone: jiff::tz::TimeZone::UTC,
            clock: Arc::new(SystemClock),
            events: Events::new(None, Arc::new(SystemClock)),
        };
        let settings = Settings::deserialize(context.extra_args).expect("settings");
        let names: Vec<String> = settings.parts().map(|(_, name)| name.to_owned()).collect();
        let component = Component {
            id: context.id,
            name: "f".to_owned(),
            settings,
            declared: names,
            standing: Standing::default(),
            tools: Mutex::default(),
            reader: Arc::default(),
        };
        let relations: &[(&str, &[(&str, &str)])] =
            &[("works_for", &[("src", "person"), ("dst", "organization"), ("cues", "works for")])];
        let concepts: &[(&str, &[(&str, &str)])] =
            &[("person", &[("aliases", "engineer")]), ("organization", &[("aliases", "company")]), ("person|pilot", &[])];
        {
            let mut tools = component.tools.lock().expect("no panic");
            tools.insert("entities".to_owned(), rows(concepts));
            tools.insert("relationships".to_owned(), rows(relations));
            tools.insert("known_ids".to_owned(), rows(&[("organization|Acme", &[])]));
        }
        component
    }

    fn ready(extra_args: &Value) -> Component {
        let component = component(extra_args);
        pilots_to_ready(&component);
        component
    }

    fn ask(component: &Component, name: &str, arguments: Value) -> Result<Value, RunError> {
        let request = Request::Call(FunctionCall::new(name, arguments));
        block_on(component.run(&request)).map(|response| response.message)
    }

    #[test]
    fn it_keeps_the_contract_of_components() {
        has_a_sound_face(&ready(&json!({})));
    }

    #[test]
    fn hints_name_what_the_text_names() {
        let component = ready(&json!({}));
        let text = "The engineer Ada Brook works for Acme. Ada Brook is tall.";
        let nodes = ask(&component, "hint_nodes_f", json!({"text": text})).expect("an answer");
        assert_eq!(nodes, json!({"person": ["Ada Brook"], "organization": ["Acme"]}));
        let edges = ask(&component, "hint_edges_f", json!({"text": text})).expect("an answer");
        assert_eq!(edges, json!({"works_for": [{"src": "Ada Brook", "dst": "Acme"}]}));
        let detail = ask(&component, "hint_nodes_f", json!({"text": text, "concepts": ["organization"], "detail": true}))
            .expect("an answer");
        assert_eq!(detail["organization"][0]["start"], 33);
        assert!(detail.get("person").is_none());
        let many = ask(&component, "hint_nodes_f", json!({"texts": [text, ""]})).expect("an answer");
        assert_eq!(many[1], json!({}));
        assert_eq!(ask(&component, "hint_edges_f", json!({"text": ""})), Ok(json!({})));
    }

    #[test]
    fn an_unknown_concept_is_refused_with_near_names() {
        let refused = ask(&ready(&json!({})), "hint_nodes_f", json!({"text": "x", "concepts": ["persn"]}));
        assert_eq!(refused.expect_err("unknown").hint.as_deref(), Some("did you mean 'person'?"));
    }

    #[test]
    fn the_hierarchy_answers_first_and_then_the_text() {
        let component = ready(&json!({}));
        let score = |concept: &str, parent: &str| {
            let text = "The engineer Ada Brook works for Acme.";
            let asked = json!({"text": text, "concept": concept, "parent_concept": parent});
            ask(&component, "is_a_f", asked).expect("an answer")["score"].as_f64().expect("a number")
        };
        assert_eq!(score("person|pilot", "person"), 1.0);
        assert_eq!(score("organization", "person"), 0.0);
        assert!(score("Ada Brook", "person") > 0.5);
        assert_eq!(score("Ada Brook", "organization"), 0.0);
    }

    #[test]
    fn a_part_that_is_null_takes_its_capability_away() {
        let component = ready(&json!({"ontologies": {"relationships": null, "known_ids": null}}));
        let names: Vec<String> = component.capabilities().into_iter().map(|capability| capability.name).collect();
        assert_eq!(names, ["hint_nodes_f"]);
    }

    #[test]
    fn a_library_that_is_not_there_is_named() {
        let component = component(&json!({"model": {"library": "gliner2", "model": "x"}}));
        let (progress, cancel) = (mge_core::NoProgress, mge_core::Cancel::default());
        let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
        assert_eq!(block_on(component.pilot(100, context)).state, ERR_MODEL_INIT);
        assert!(component.standing.fault().expect("a cause").message.contains("gliner2"));
    }
}
