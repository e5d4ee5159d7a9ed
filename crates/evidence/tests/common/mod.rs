//! A world of documents in memory, and a formalizer that reads a small language of braces:
//! `{person:Noah Kim} works_on {project:Helios} @2019`, `not` for a denial, `"…"` for a value,
//! `{organization:World Health Organization=WHO}` for a declared alias.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mge_core::testing::block_on;
use mge_core::{
    Access, Agentic, BoxFuture, BuildContext, Cancel, Capability, Chunk, ChunkKind, ChunkRule, ClaimDraft,
    Corpus, CorpusError, CrawlEvent, CrawlReport, CrawlRequest, Digest, Document, DocumentRef, Documents,
    EntityRef, Events, EvidenceGraph, Extraction, Facets, Fault, FixedClock, Formalize, FormalizeError,
    FoundChunk, GraphError, GraphRow, GraphRows, Index, Interval, MappedText, Mention, MentionForm, Method,
    NoProgress, NodeRow, Object, OntologyRows, PilotContext, Reading, Request, Response, RunError, Span,
    Stance, Standing, StateTable, SystemClock, Tense,
};
use serde_json::{Value, json};

/// Files by path, with a time of change that rises with each write.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) files: Mutex<BTreeMap<String, (String, i64)>>,
    pub(crate) broken: Mutex<BTreeMap<String, CorpusError>>,
    pub(crate) reads: AtomicU64,
    /// What a search finds, best first: the chunks with these words. Without any, there is no search.
    pub(crate) ranking: Mutex<Vec<String>>,
    pub(crate) caught_up: AtomicU64,
    tick: AtomicU64,
}

impl Files {
    pub(crate) fn write(&self, path: &str, text: &str) {
        let tick = self.tick.fetch_add(1, Ordering::SeqCst) as i64 + 1;
        self.files.lock().unwrap().insert(path.to_owned(), (text.to_owned(), tick * 1_000_000_000));
    }

    pub(crate) fn remove(&self, path: &str) {
        self.files.lock().unwrap().remove(path);
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        let mut files = self.files.lock().unwrap();
        if let Some(file) = files.remove(from) {
            files.insert(to.to_owned(), file);
        }
    }
}

pub(crate) struct MemoryCorpus {
    pub(crate) name: String,
    pub(crate) files: Arc<Files>,
}

impl Corpus for MemoryCorpus {
    fn name(&self) -> &str {
        &self.name
    }

    fn locate(&self, index: &Index) -> Result<Index, CorpusError> {
        let root = Index::new(&self.name);
        let files = self.files.files.lock().unwrap();
        let found = files.keys().map(|path| root.child(path)).find(|document| document.covers(index));
        if index == &root {
            return Ok(root);
        }
        found.ok_or_else(|| CorpusError::NotFound { index: index.clone(), existing: root })
    }

    fn documents<'a>(&'a self, below: &Index) -> Result<Documents<'a>, CorpusError> {
        let root = Index::new(&self.name);
        let listed: Vec<_> = self
            .files
            .files
            .lock()
            .unwrap()
            .iter()
            .map(|(path, (text, modified))| DocumentRef {
                index: root.child(path),
                size: text.len() as u64,
                modified: Some(*modified),
            })
            .filter(|document| below.covers(&document.index))
            .map(Ok)
            .collect();
        Ok(Box::new(listed.into_iter()))
    }

    fn read(&self, document: &Index, _rule: ChunkRule) -> Result<Document, CorpusError> {
        self.files.reads.fetch_add(1, Ordering::SeqCst);
        let path = document.as_str().split_once('|').map_or("", |(_, path)| path);
        if let Some(error) = self.files.broken.lock().unwrap().get(path) {
            return Err(error.clone());
        }
        let text = self.files.files.lock().unwrap().get(path).map(|(text, _)| text.clone());
        let text = text.ok_or_else(|| CorpusError::Gone { index: document.clone() })?;
        Ok(parse(document, &text))
    }

    fn catch_up(&self, _cancel: &Cancel) -> Result<(), CorpusError> {
        self.files.caught_up.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn relevant(&self, _question: &str, limit: usize) -> Result<Option<Vec<FoundChunk>>, CorpusError> {
        let ranking = self.files.ranking.lock().unwrap();
        if ranking.is_empty() {
            return Ok(None);
        }
        let files = self.files.files.lock().unwrap();
        let documents: Vec<Document> =
            files.iter().map(|(path, (text, _))| parse(&Index::new(&self.name).child(path), text)).collect();
        let having = |words: &String| {
            let chunks = documents.iter().flat_map(|document| &document.chunks);
            let found = chunks.filter(|chunk| chunk.text.as_str().contains(words.as_str()));
            let document = |chunk: &Chunk| chunk.index.as_str().rsplit_once('|').unwrap().0.to_owned();
            let found = found.map(|chunk| FoundChunk {
                document: Index::new(document(chunk)),
                index: chunk.index.clone(),
                span: chunk.span,
            });
            found.collect::<Vec<_>>()
        };
        Ok(Some(ranking.iter().flat_map(having).take(limit).collect()))
    }
}

fn parse(index: &Index, text: &str) -> Document {
    let (mut chunks, mut at, mut date, mut title) = (Vec::new(), 0, None, None);
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches('\n');
        let span = Span::new(at, at + body.len());
        at += line.len();
        if let Some(written) = body.strip_prefix("date: ") {
            date = Interval::parse(written).ok();
            continue;
        }
        if body.is_empty() {
            continue;
        }
        let (kind, name, skip) = match body.strip_prefix("# ") {
            Some(_) => (ChunkKind::Heading, "header_1", 2),
            None if body.starts_with("```") => (ChunkKind::Verbatim, "code_block", 0),
            None => (ChunkKind::Paragraph, "text", 0),
        };
        let visible = MappedText::verbatim(&body[skip..], span.start + skip);
        if kind == ChunkKind::Heading && title.is_none() {
            title = Some(visible.clone());
        }
        let number = numbers.entry(name).or_default();
        *number += 1;
        chunks.push(Chunk {
            index: index.child(&format!("{name}_{number}")),
            kind,
            span,
            text: visible,
            headings: title.iter().cloned().collect(),
            lead_in: None,
            cells: Vec::new(),
            page: None,
        });
    }
    Document {
        index: index.clone(),
        digest: Digest::of(text.as_bytes()),
        text: Arc::from(text),
        title,
        date,
        language: None,
        authority: None,
        attributes: BTreeMap::new(),
        chunks,
    }
}

/// Reads the language of braces.
#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) version: Mutex<String>,
    pub(crate) chunks_read: AtomicU64,
    /// Chunks with the word `FLAKY` fail this often.
    pub(crate) flaky: AtomicU64,
    pub(crate) slow: AtomicU64,
    pub(crate) on_read: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Formalize for Scripted {
    fn method(&self) -> Method {
        Method { name: "scripted".to_owned(), version: format!("1{}", self.version.lock().unwrap()) }
    }

    fn slice(&self) -> Digest {
        Digest::of(b"slice")
    }

    fn begin(&self, document: Arc<Document>) -> Box<dyn Reading + '_> {
        Box::new(ScriptedReading { formalizer: self, document })
    }
}

struct ScriptedReading<'a> {
    formalizer: &'a Scripted,
    document: Arc<Document>,
}

impl Reading for ScriptedReading<'_> {
    fn key(&self, chunk: usize) -> Digest {
        let version = self.formalizer.method().version;
        let date = format!("{:?}", self.document.date);
        Digest::of_parts([
            self.document.chunks[chunk].text.as_str().as_bytes(),
            version.as_bytes(),
            date.as_bytes(),
        ])
    }

    fn read(&mut self, chunks: &[usize]) -> Vec<Result<Extraction, FormalizeError>> {
        if let Some(hook) = self.formalizer.on_read.lock().unwrap().as_ref() {
            hook();
        }
        chunks
            .iter()
            .map(|&chunk| {
                let text = self.document.chunks[chunk].text.as_str();
                let slow = self.formalizer.slow.load(Ordering::SeqCst);
                if slow > 0 {
                    std::thread::sleep(std::time::Duration::from_micros(slow));
                }
                self.formalizer.chunks_read.fetch_add(1, Ordering::SeqCst);
                assert!(!text.contains("PANIC"), "asked to panic");
                if text.contains("FAIL") {
                    return Err(FormalizeError { message: "it says FAIL".to_owned(), transient: false });
                }
                if text.contains("FLAKY")
                    && self
                        .formalizer
                        .flaky
                        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
                        .is_ok()
                {
                    return Err(FormalizeError { message: "it is flaky".to_owned(), transient: true });
                }
                Ok(extract(text))
            })
            .collect()
    }
}

enum End {
    Entity(EntityRef),
    Literal(String),
}

pub(crate) fn extract(text: &str) -> Extraction {
    let mut extraction = Extraction::default();
    let mut ends: Vec<(Span, End)> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(['{', '"']) {
        let start = at + found;
        let (close, is_entity) = if text[start..].starts_with('{') { ('}', true) } else { ('"', false) };
        let Some(length) = text[start + 1..].find(close) else { break };
        let end = start + 1 + length;
        let inner = &text[start + 1..end];
        at = end + 1;
        if !is_entity {
            ends.push((Span::new(start, at), End::Literal(inner.to_owned())));
            continue;
        }
        let (concept, name) = inner.split_once(':').unwrap_or(("thing", inner));
        let (name, alias) = name.split_once('=').map_or((name, None), |(name, alias)| (name, Some(alias)));
        let (name, sure) = name.strip_suffix('?').map_or((name, 1.0), |name| (name, 0.5));
        let name_at = start + 1 + concept.len() + 1;
        let entity = EntityRef { concept: concept.to_owned(), name: name.to_owned(), confidence: sure };
        let mention = |span, form| Mention { span, entity: entity.clone(), form, confidence: 0.9 };
        let form = if sure < 1.0 { MentionForm::Short } else { MentionForm::Full };
        extraction.mentions.push(mention(Span::new(name_at, name_at + name.len()), form));
        if let Some(alias) = alias {
            extraction.mentions.push(mention(Span::new(end - alias.len(), end), MentionForm::Alias));
        }
        ends.push((Span::new(start, at), End::Entity(entity)));
    }
    for pair in ends.windows(2) {
        let [(left, End::Entity(subject)), (right, object)] = pair else { continue };
        let between = text[left.end..right.start].trim();
        let (stance, relation) =
            between.strip_prefix("not ").map_or((Stance::For, between), |rest| (Stance::Against, rest));
        if relation.is_empty() || relation.contains(' ') {
            continue;
        }
        let rest = &text[right.end..];
        let word = rest.split_whitespace().next().unwrap_or("");
        extraction.claims.push(ClaimDraft {
            subject: subject.clone(),
            relation: relation.to_owned(),
            object: match object {
                End::Entity(entity) => Object::Entity(entity.clone()),
                End::Literal(literal) => Object::Literal(literal.clone()),
            },
            stance,
            confidence: 0.8,
            quote: Span::new(0, text.len()),
            cue: None,
            subject_span: Some(*left),
            object_span: Some(*right),
            valid: word.strip_prefix('@').and_then(|year| Interval::parse(year).ok()),
            tense: Tense::Present,
        });
    }
    extraction
}

/// An ontology of rows in memory; it keeps what crawls hand over.
#[derive(Default)]
pub(crate) struct MemoryRows {
    pub(crate) rows: Mutex<Arc<GraphRows>>,
    pub(crate) crawled: Mutex<Vec<GraphRow>>,
    pub(crate) replaced: AtomicU64,
}

impl MemoryRows {
    pub(crate) fn of(nodes: Vec<NodeRow>) -> Self {
        let rows = Self::default();
        rows.set(nodes);
        rows
    }

    pub(crate) fn set(&self, mut nodes: Vec<NodeRow>) {
        nodes.sort();
        let digest = Digest::of(format!("{nodes:?}").as_bytes());
        *self.rows.lock().unwrap() = Arc::new(GraphRows { nodes, edges: Vec::new(), digest });
    }
}

impl OntologyRows for MemoryRows {
    fn curated(&self) -> Result<Arc<GraphRows>, Fault> {
        Ok(Arc::clone(&self.rows.lock().unwrap()))
    }

    fn replace_crawled(&self, _graph: &str, rows: &mut dyn Iterator<Item = GraphRow>) -> Result<(), Fault> {
        *self.crawled.lock().unwrap() = rows.collect();
        self.replaced.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

pub(crate) fn node(id: &str, attributes: &[(&str, &str)]) -> NodeRow {
    let attributes = attributes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    NodeRow { id: id.to_owned(), attributes }
}

/// A tool that is only its facets.
pub(crate) struct Tool {
    facets: Facets,
    standing: Standing,
}

impl Tool {
    pub(crate) fn of(facets: Facets) -> Arc<dyn Agentic> {
        Arc::new(Self { facets, standing: Standing::default() })
    }
}

impl Agentic for Tool {
    fn id(&self) -> &str {
        "endpoint_test/tool"
    }
    fn description(&self) -> String {
        String::new()
    }
    fn states(&self) -> &'static StateTable {
        &StateTable::ALWAYS_READY
    }
    fn standing(&self) -> &Standing {
        &self.standing
    }
    fn capabilities(&self) -> Vec<Capability> {
        Vec::new()
    }
    fn advance<'a>(&'a self, _context: PilotContext<'a>) -> BoxFuture<'a, String> {
        Box::pin(async { String::new() })
    }
    fn run<'a>(&'a self, _request: &'a Request) -> BoxFuture<'a, Result<Response, RunError>> {
        Box::pin(async { Err(RunError::failed("a stub")) })
    }
    fn facets(&self) -> Facets {
        self.facets.clone()
    }
}

/// All that a graph needs, and the folder where it is kept.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) files: Arc<Files>,
    pub(crate) formalizer: Arc<Scripted>,
    pub(crate) entities: Arc<MemoryRows>,
    pub(crate) relationships: Arc<MemoryRows>,
    pub(crate) known: Arc<MemoryRows>,
    pub(crate) extra_args: Value,
}

impl Default for World {
    fn default() -> Self {
        let entities = vec![
            node("person", &[("disjoint_with", "organization;place")]),
            node("person|student", &[]),
            node("person|teacher", &[]),
            node("organization", &[]),
            node("organization|company", &[]),
            node("project", &[]),
            node("place", &[]),
            node("place|city", &[("disjoint_with", "place|river")]),
            node("place|river", &[]),
        ];
        let relation = |id: &str, src: &str, dst: &str, more: &[(&str, &str)]| {
            let mut all = vec![("src", src), ("dst", dst)];
            all.extend_from_slice(more);
            node(id, &all)
        };
        let relationships = vec![
            relation("works_on", "person", "project", &[]),
            relation("leads", "person", "project", &[("inverse_functional", "true")]),
            relation("led_by", "project", "person", &[("inverse_of", "leads")]),
            relation("owned_by", "project", "organization", &[("functional", "true")]),
            relation("knows", "person", "person", &[("symmetric", "true")]),
            relation("located_in", "place", "place", &[("transitive", "true")]),
            relation("founded_in", "organization", "literal:date", &[("functional", "true")]),
        ];
        Self {
            folder: tempfile::tempdir().unwrap(),
            files: Arc::default(),
            formalizer: Arc::default(),
            entities: Arc::new(MemoryRows::of(entities)),
            relationships: Arc::new(MemoryRows::of(relationships)),
            known: Arc::default(),
            extra_args: json!({"agentics": {"formalizer": "rules"}}),
        }
    }
}

impl World {
    /// A fresh folder beside the same documents and rules.
    pub(crate) fn fresh(&self) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            files: Arc::clone(&self.files),
            formalizer: Arc::clone(&self.formalizer),
            entities: Arc::clone(&self.entities),
            relationships: Arc::clone(&self.relationships),
            known: Arc::default(),
            extra_args: self.extra_args.clone(),
        }
    }

    pub(crate) fn build(&self, access: Access) -> Arc<dyn Agentic> {
        // A clock that stands still and late: no file counts as changed a moment ago.
        let clock = Arc::new(FixedClock("2030-01-01T00:00:00Z".parse().unwrap()));
        let component = (mge_evidence::KIND.build)(BuildContext {
            id: "endpoint_test/evidence_graph_g".to_owned(),
            name: "g",
            folder: self.folder.path(),
            extra_args: &self.extra_args,
            tools: &[],
            access,
            run_commands: false,
            timezone: jiff::tz::TimeZone::UTC,
            clock,
            events: Events::new(None, Arc::new(SystemClock)),
        })
        .unwrap();
        let corpus: Arc<dyn Corpus> =
            Arc::new(MemoryCorpus { name: "docs".to_owned(), files: Arc::clone(&self.files) });
        component.add_tool("docs", Tool::of(Facets { corpus: Some(corpus), ..Facets::default() })).unwrap();
        let formalizer: Arc<dyn Formalize> = self.formalizer.clone();
        component
            .add_tool("rules", Tool::of(Facets { formalizer: Some(formalizer), ..Facets::default() }))
            .unwrap();
        for (name, rows) in
            [("entities", &self.entities), ("relationships", &self.relationships), ("known_ids", &self.known)]
        {
            let rows: Arc<dyn OntologyRows> = Arc::clone(rows) as Arc<dyn OntologyRows>;
            component.add_tool(name, Tool::of(Facets { ontology: Some(rows), ..Facets::default() })).unwrap();
        }
        component
    }

    pub(crate) fn ready(&self, access: Access) -> Arc<dyn Agentic> {
        let component = self.build(access);
        let (progress, cancel) = (NoProgress, Cancel::default());
        let context = PilotContext { just_once: false, progress: &progress, cancel: &cancel };
        let outcome = block_on(component.pilot(StateTable::READY, context));
        assert!(outcome.reached, "{:?}", component.standing().fault());
        component
    }

    pub(crate) fn graph(&self) -> Arc<dyn EvidenceGraph> {
        self.ready(Access::Write).facets().graph.unwrap()
    }

    pub(crate) fn try_crawl(
        &self,
        request: &CrawlRequest,
    ) -> (Result<CrawlReport, GraphError>, Vec<CrawlEvent>) {
        let mut events = Vec::new();
        let outcome = self.graph().crawl(request, &Cancel::default(), &mut |event| events.push(event));
        (outcome, events)
    }

    pub(crate) fn crawl_as(&self, request: &CrawlRequest) -> CrawlReport {
        self.try_crawl(request).0.unwrap()
    }

    pub(crate) fn crawl(&self) -> CrawlReport {
        self.crawl_as(&CrawlRequest::default())
    }

    pub(crate) fn export(&self) -> String {
        let component = self.ready(Access::Read);
        let mut out = Vec::new();
        component.facets().graph.unwrap().export(&mut out, false, false).unwrap();
        String::from_utf8(out).unwrap()
    }

    pub(crate) fn lines(&self, kind: &str) -> Vec<Value> {
        self.export()
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|line| line["type"] == kind)
            .collect()
    }

    pub(crate) fn ids(&self) -> BTreeSet<String> {
        self.lines("entity").iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect()
    }

    /// `subject relation object` of all claims.
    pub(crate) fn claims(&self) -> BTreeSet<String> {
        let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
        self.lines("claim")
            .iter()
            .map(|line| {
                let object =
                    if line["object"].is_string() { text(&line["object"]) } else { text(&line["literal"]) };
                format!("{} {} {object}", text(&line["subject"]), text(&line["relation"]))
            })
            .collect()
    }

    /// Fails when the graph is not sound.
    pub(crate) fn assert_sound(&self) {
        let problems = self.ready(Access::Read).facets().graph.unwrap().verify(&Cancel::default()).unwrap();
        assert!(problems.is_empty(), "{problems:#?}");
    }
}
