//! The component: class `formalizer`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use indexmap::IndexMap;
use mge_core::{
    Agentic, BoxFuture, BuildContext, Capability, Counts, Document, Extraction, Facets, Fault, Formalize,
    FunctionCall, GraphRows, ItemView, Kind, MentionForm, Method, Object, OntologyRows, PilotContext,
    Problem, Reading, Request, Response, RunError, RunErrorKind, Span, Standing, StateTable, near_names,
};
use mge_ontology::{Ontology, validate};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::config::{Library, Settings, THRESHOLD};
use crate::error::{ModelError, OntologyError};
use crate::rules::{Rules, VERSION};

/// The states of a formalizer.
static STATES: StateTable = StateTable {
    entries: &[
        (-2, "ERR_ONTOLOGY_INIT"),
        (-1, "ERR_MODEL_INIT"),
        (0, "INITIAL"),
        (1, "MODEL_LOADED_OK"),
        (2, "ONTOLOGY_LOADED_OK"),
        (100, "READY"),
    ],
};

/// A formalizer, as the endpoint builds it.
pub const KIND: Kind =
    Kind { section: "formalizers", class: "formalizer", states: &STATES, schema, counts, build };

const ERR_ONTOLOGY_INIT: i32 = -2;
const ERR_MODEL_INIT: i32 = -1;
const MODEL_LOADED_OK: i32 = 1;
const ONTOLOGY_LOADED_OK: i32 = 2;

/// The most bytes of text that one request may hold.
const MOST_TEXT: usize = 16 << 20;

fn schema() -> Value {
    schemars::schema_for!(Settings).to_value()
}

fn counts(_item: &ItemView<'_>) -> Counts {
    Counts::new()
}

fn build(context: BuildContext<'_>) -> Result<Arc<dyn Agentic>, Fault> {
    let settings = Settings::read(context.name, context.extra_args)?;
    Ok(Arc::new(Component {
        id: context.id,
        name: context.name.to_owned(),
        settings,
        standing: Standing::default(),
        tools: Mutex::default(),
        rules: Arc::new(Face::default()),
    }))
}

struct Component {
    id: String,
    name: String,
    settings: Settings,
    standing: Standing,
    tools: Mutex<BTreeMap<String, Arc<dyn Agentic>>>,
    rules: Arc<Face>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The ontologies of a formalizer, as they were handed over.
struct Linked {
    entities: Arc<dyn OntologyRows>,
    relationships: Option<Arc<dyn OntologyRows>>,
    known_ids: Option<Arc<dyn OntologyRows>>,
}

impl Component {
    fn named(&self, capability: &str) -> String {
        format!("{capability}_{}", self.name)
    }

    /// Finds the ontology of a role; `Ok(None)` when the configuration disables it.
    fn ontology(&self, role: &'static str) -> Result<Option<Arc<dyn OntologyRows>>, OntologyError> {
        let Some(name) = self.settings.ontology(role) else { return Ok(None) };
        let tools = lock(&self.tools);
        let Some(tool) = tools.get(name) else {
            return Err(OntologyError::NotLinked { name: name.to_owned(), role });
        };
        let ontology = tool.facets().ontology;
        ontology.map(Some).ok_or_else(|| OntologyError::NoOntology { name: name.to_owned(), role })
    }

    fn ontologies(&self) -> Result<Linked, OntologyError> {
        Ok(Linked {
            entities: self.ontology("entities")?.ok_or(OntologyError::NoEntities)?,
            relationships: self.ontology("relationships")?,
            known_ids: self.ontology("known_ids")?,
        })
    }

    /// Reads the ontologies and prepares the rules.
    fn load(&self) -> Result<String, Fault> {
        let ontologies = self.ontologies().map_err(|error| error.fault())?;
        let entities = ontologies.entities.curated()?;
        let rows =
            |graph: &Option<Arc<dyn OntologyRows>>| graph.as_ref().map(|graph| graph.curated()).transpose();
        let relationships = rows(&ontologies.relationships)?;
        let known = rows(&ontologies.known_ids)?;
        if entities.nodes.is_empty() {
            let name = self.settings.ontology("entities").unwrap_or_default().to_owned();
            return Err(OntologyError::Empty { name }.fault());
        }
        let entities = self.described(entities);
        let ontology = Ontology::from_rows(&entities, relationships.as_deref(), known.as_deref());
        let done = format!(
            "read {} concepts, {} relations and {} instances",
            ontology.concepts.len(),
            ontology.relations.len(),
            ontology.instances.len()
        );
        self.rules.set(Rules::new(ontology, self.settings.threshold.unwrap_or(THRESHOLD)));
        Ok(done)
    }

    /// Takes the description of a concept from the column that the configuration names.
    fn described(&self, rows: Arc<GraphRows>) -> Arc<GraphRows> {
        let key = match self.settings.definition_key.as_deref() {
            None | Some("definition") => return rows,
            Some(key) => key,
        };
        let mut rows = rows.as_ref().clone();
        for node in &mut rows.nodes {
            if let Some(text) = node.attributes.get(key).cloned() {
                node.attributes.insert("definition".to_owned(), text);
            }
        }
        Arc::new(rows)
    }

    fn answer(&self, call: &FunctionCall) -> Result<Value, RunError> {
        let Some(rules) = self.rules.get() else {
            return Err(RunError::failed(format!("'{}' has read no ontology", self.id)));
        };
        let name = call.name.strip_suffix(&format!("_{}", self.name)).unwrap_or_default();
        match name {
            "hint_nodes" => {
                let arguments: HintArguments = call.read()?;
                let known = |id: &str| rules.lexicon().concept(id).is_some();
                arguments
                    .each(&rules, &known, &|rules, text, filter| nodes(rules, text, filter, arguments.detail))
            }
            "hint_edges" => {
                let arguments: HintArguments = call.read()?;
                let lexicon = rules.lexicon();
                let known = |id: &str| {
                    lexicon.concept(id).is_some() || lexicon.links.iter().any(|link| link.id == id)
                };
                arguments
                    .each(&rules, &known, &|rules, text, filter| edges(rules, text, filter, arguments.detail))
            }
            "is_a" => {
                let arguments: IsAArguments = call.read()?;
                Ok(json!({"score": is_a(&rules, &arguments)}))
            }
            _ => Err(RunError::new(
                RunErrorKind::FailedToFindCapability,
                format!("'{}' has no capability '{}'", self.id, call.name),
            )),
        }
    }
}

#[derive(Deserialize)]
struct HintArguments {
    text: Option<String>,
    texts: Option<Vec<String>>,
    #[serde(default)]
    concepts: Option<Vec<String>>,
    #[serde(default)]
    detail: bool,
}

#[derive(Deserialize)]
struct IsAArguments {
    #[serde(default)]
    text: String,
    concept: String,
    parent_concept: String,
}

/// How one text is answered, given the concepts that are asked for.
type Answer<'a> = &'a dyn Fn(&Rules, &str, &[String]) -> Value;

impl HintArguments {
    fn each(
        &self,
        rules: &Rules,
        known: &dyn Fn(&str) -> bool,
        answer: Answer<'_>,
    ) -> Result<Value, RunError> {
        let filter = self.concepts.clone().unwrap_or_default();
        for concept in &filter {
            if !known(concept) {
                let error = RunError::invalid(format!("unknown concept '{concept}'"));
                let lexicon = rules.lexicon();
                let ids = lexicon.kinds.iter().map(|kind| kind.id.as_str());
                let relations = lexicon.links.iter().map(|link| link.id.as_str()).filter(|id| known(id));
                let near = near_names(concept, ids.chain(relations));
                return Err(if near.is_empty() {
                    error
                } else {
                    error.hint(format!("did you mean {}?", quoted(&near)))
                });
            }
        }
        let size: usize = self.text.iter().chain(self.texts.iter().flatten()).map(String::len).sum();
        if size > MOST_TEXT {
            return Err(RunError::invalid(format!(
                "{size} bytes of text are more than the {MOST_TEXT} allowed"
            )));
        }
        match (&self.text, &self.texts) {
            (Some(text), None) => Ok(answer(rules, text, &filter)),
            (None, Some(texts)) => Ok(texts.iter().map(|text| answer(rules, text, &filter)).collect()),
            _ => Err(RunError::invalid("give either 'text' or 'texts'")),
        }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(" or ")
}

/// Returns under which of the wanted concepts one is listed: the deepest that covers it; itself when all are wanted.
fn listed<'a>(concept: &'a str, filter: &'a [String]) -> Option<&'a str> {
    if filter.is_empty() {
        return Some(concept);
    }
    let covers = |wanted: &&String| {
        concept.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('|'))
    };
    filter.iter().filter(covers).max_by_key(|wanted| wanted.len()).map(String::as_str)
}

fn nodes(rules: &Rules, text: &str, filter: &[String], detail: bool) -> Value {
    let extraction = rules.read_text(text);
    let mut found: IndexMap<&str, Vec<Value>> = IndexMap::new();
    let mut seen: BTreeSet<(String, &str)> = BTreeSet::new();
    for mention in extraction.mentions.iter().filter(|mention| mention.form != MentionForm::Reference) {
        let Some(concept) = listed(&mention.entity.concept, filter) else { continue };
        let Some(surface) = mention.span.slice(text) else { continue };
        if !seen.insert((concept.to_owned(), surface)) {
            continue;
        }
        found.entry(concept).or_default().push(if detail {
            json!({
                "text": surface,
                "start": mention.span.start,
                "end": mention.span.end,
                "confidence": mention.confidence,
            })
        } else {
            json!(surface)
        });
    }
    found
        .into_iter()
        .map(|(concept, surfaces)| (concept.to_owned(), Value::Array(surfaces)))
        .collect::<Map<_, _>>()
        .into()
}

fn edges(rules: &Rules, text: &str, filter: &[String], detail: bool) -> Value {
    let extraction = rules.read_text(text);
    let mut found: IndexMap<String, Vec<Value>> = IndexMap::new();
    for claim in &extraction.claims {
        let object_listed = match &claim.object {
            Object::Entity(entity) => listed(&entity.concept, filter).is_some(),
            Object::Literal(_) => false,
        };
        let related = listed(&claim.relation, filter).is_some();
        if listed(&claim.subject.concept, filter).is_none() && !object_listed && !related {
            continue;
        }
        let dst = match &claim.object {
            Object::Entity(entity) => entity.name.clone(),
            Object::Literal(value) => value.clone(),
        };
        let mut edge = json!({"src": claim.subject.name, "dst": dst});
        let span = |span: Option<Span>| span.map(|span| json!({"start": span.start, "end": span.end}));
        if detail {
            edge["src_span"] = json!(span(claim.subject_span));
            edge["dst_span"] = json!(span(claim.object_span));
            edge["cue_span"] = json!(span(claim.cue));
            edge["quote_span"] = json!(span(Some(claim.quote)));
            edge["valid"] = json!(claim.valid.map(|valid| valid.to_string()));
            edge["tense"] = json!(claim.tense);
            edge["confidence"] = json!(claim.confidence);
        }
        if detail || claim.stance.sign() < 0 {
            edge["stance"] = json!(claim.stance.sign());
        }
        let edges = found.entry(claim.relation.clone()).or_default();
        if !edges.contains(&edge) {
            edges.push(edge);
        }
    }
    found.into_iter().map(|(relation, edges)| (relation, Value::Array(edges))).collect::<Map<_, _>>().into()
}

/// Tells how sure it is that one concept, or a thing named in the text, is of another.
fn is_a(rules: &Rules, arguments: &IsAArguments) -> f64 {
    let lexicon = rules.lexicon();
    let parent = arguments.parent_concept.as_str();
    if let Some(concept) = lexicon.concept(&arguments.concept)
        && lexicon.descends(concept, parent)
    {
        return 1.0;
    }
    let known = lexicon.instances.iter().any(|instance| {
        let id = format!("{}|{}", lexicon.kinds[instance.concept].id, mge_core::escape_part(&instance.name));
        (id == arguments.concept || instance.name == arguments.concept)
            && lexicon.descends(instance.concept, parent)
    });
    if known {
        return 1.0;
    }
    let Extraction { mentions, .. } = rules.read_text(&arguments.text);
    let key = mge_core::name_key(&arguments.concept);
    let named = mentions
        .iter()
        .filter(|mention| mge_core::name_key(&mention.entity.name) == key)
        .filter(|mention| listed(&mention.entity.concept, &[parent.to_owned()]).is_some())
        .map(|mention| mention.confidence)
        .fold(0.0, f64::max);
    named.max(crate::typing::subsumed(lexicon, &arguments.text, &arguments.concept, parent))
}

impl Agentic for Component {
    fn id(&self) -> &str {
        &self.id
    }

    fn description(&self) -> String {
        self.settings.description.0.clone()
    }

    fn states(&self) -> &'static StateTable {
        &STATES
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn capabilities(&self) -> Vec<Capability> {
        let hint = json!({
            "text": {"type": "string", "description": "the text to read"},
            "texts": {"type": "array", "items": {"type": "string"}, "description": "several texts, instead of text"},
            "concepts": {
                "type": ["array", "null"],
                "items": {"type": "string"},
                "description": "ids of the concepts (of edges: or relations) that are wanted, with what lies below them; none or empty for all",
            },
            "detail": {"type": "boolean", "description": "with positions in bytes and confidence"},
        });
        let mut capabilities = vec![Capability::new(
            self.named("hint_nodes"),
            "Finds what a text names, by concept.",
            hint.clone(),
            &[],
            json!({"type": ["object", "array"], "description": "surfaces by concept id; of texts, one object for each"}),
        )];
        if self.settings.ontology("relationships").is_some() {
            capabilities.push(Capability::new(
                self.named("hint_edges"),
                "Finds what a text states of the things that it names, by relation.",
                hint,
                &[],
                json!({"type": ["object", "array"], "description": "entries {src, dst} by relation id; of texts, one object for each"}),
            ));
        }
        if self.settings.ontology("known_ids").is_some() {
            capabilities.push(Capability::new(
                self.named("is_a"),
                "Tells whether a concept, or something that a text names, is of another concept.",
                json!({
                    "text": {"type": "string", "description": "a text that may tell; it may be empty"},
                    "concept": {"type": "string", "description": "the id of a concept, or a name"},
                    "parent_concept": {"type": "string", "description": "the id of the more general concept"},
                }),
                &["text", "concept", "parent_concept"],
                json!({"type": "object", "description": "{score}, 0 to 1; 1 when the hierarchy says so"}),
            ));
        }
        capabilities
    }

    fn advance<'a>(&'a self, _context: PilotContext<'a>) -> BoxFuture<'a, String> {
        Box::pin(async move {
            let failed = |state: i32, fault: Fault| {
                let done = fault.to_string();
                self.standing.fail(state, fault);
                done
            };
            match self.standing.state() {
                StateTable::INITIAL => match self.settings.model.library {
                    Library::Rules => {
                        self.standing.set(MODEL_LOADED_OK);
                        "the rules need no model".to_owned()
                    }
                    library => {
                        failed(ERR_MODEL_INIT, ModelError::NotBuilt { library: library.name() }.fault())
                    }
                },
                MODEL_LOADED_OK => match self.load() {
                    Ok(done) => {
                        self.standing.set(ONTOLOGY_LOADED_OK);
                        done
                    }
                    Err(fault) => failed(ERR_ONTOLOGY_INIT, fault),
                },
                _ => {
                    self.standing.set(StateTable::READY);
                    format!("{} capabilities are ready", self.capabilities().len())
                }
            }
        })
    }

    fn run<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        Box::pin(async move {
            let call = request.call()?;
            let capabilities = self.capabilities();
            if let Some(capability) = capabilities.iter().find(|capability| capability.name == call.name) {
                capability.check(&call.arguments)?;
                self.standing.require_ready(&self.id, &STATES)?;
            } else {
                let names = capabilities.iter().map(|capability| capability.name.as_str());
                let near = near_names(&call.name, names);
                let message = format!("'{}' has no capability '{}'", self.id, call.name);
                let error = RunError::new(RunErrorKind::FailedToFindCapability, message);
                return Err(match near.first() {
                    Some(near) => error.hint(format!("did you mean '{near}'?")),
                    None => error,
                });
            }
            let answer = self.answer(call)?;
            Ok(Response { id: call.id.clone(), ..Response::stop(answer) })
        })
    }

    fn add_tool(&self, name: &str, tool: Arc<dyn Agentic>) -> Result<(), Fault> {
        lock(&self.tools).insert(name.to_owned(), tool);
        Ok(())
    }

    fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.settings.model.library != Library::Rules {
            let fault = ModelError::NotBuilt { library: self.settings.model.library.name() }.fault();
            let problem = Problem::warning("not-built", fault.message).pointer("/model/library");
            problems.push(match fault.hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            });
        }
        match self.ontologies() {
            Ok(ontologies) => problems.extend(validate(
                ontologies.entities.as_ref(),
                ontologies.relationships.as_deref(),
                ontologies.known_ids.as_deref(),
            )),
            Err(error) => {
                let fault = error.fault();
                let problem = Problem::error("missing-ontology", fault.message).pointer("/ontologies");
                problems.push(match fault.hint {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                });
            }
        }
        problems
    }

    fn facets(&self) -> Facets {
        Facets { formalizer: Some(self.rules.clone()), ..Facets::default() }
    }
}

/// The typed face: empty until the ontology is read.
#[derive(Default)]
struct Face {
    rules: RwLock<Option<Arc<Rules>>>,
}

impl Face {
    fn set(&self, rules: Rules) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(rules));
    }

    fn get(&self) -> Option<Arc<Rules>> {
        self.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Formalize for Face {
    fn method(&self) -> Method {
        Method { name: "rules".to_owned(), version: VERSION.to_owned() }
    }

    fn slice(&self) -> mge_core::Digest {
        self.get().map(|rules| rules.slice()).unwrap_or_default()
    }

    fn begin(&self, document: Arc<Document>) -> Box<dyn Reading + '_> {
        match self.get() {
            Some(rules) => Box::new(crate::rules::RulesReading::new(rules, document)),
            None => Box::new(Unread { chunks: document.chunks.len() }),
        }
    }
}

/// What a formalizer reads before it is piloted: nothing.
struct Unread {
    chunks: usize,
}

impl Reading for Unread {
    fn key(&self, _chunk: usize) -> mge_core::Digest {
        mge_core::Digest::default()
    }

    fn read(&mut self, chunks: &[usize]) -> Vec<Result<Extraction, mge_core::FormalizeError>> {
        debug_assert!(
            chunks.iter().all(|chunk| *chunk < self.chunks),
            "only chunks of the document are read"
        );
        let error = || mge_core::FormalizeError {
            message: "the formalizer has read no ontology yet; pilot it first".to_owned(),
            transient: true,
        };
        chunks.iter().map(|_| Err(error())).collect()
    }
}
