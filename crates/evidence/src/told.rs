//! A small graph for tests: documents whose sentences come with what a perfect reader finds in them, crawled as real
//! ones are.

use std::collections::BTreeMap;
use std::sync::Arc;

use mge_core::{
    Cancel, Chunk, ChunkKind, ChunkRule, ClaimDraft, Corpus, CorpusError, CrawlRequest, Digest, Document,
    DocumentRef, Documents, EdgeRow, EntityRef, Extraction, FixedClock, Formalize, FormalizeError, GraphRows,
    Index, Interval, MappedText, Mention, MentionForm, Method, Moment, NodeRow, Object, Reading, Span,
    Stance, Tense,
};
use mge_ontology::Ontology;

use crate::config::Config;
use crate::crawl::{Inputs, crawl};
use crate::derive::Law;
use crate::read::Reader;
use crate::store::{Snapshot, Store};
use crate::weigh::WeighRule;

/// A document: name, date, and sentences with their claims.
///
/// A claim is written `subject > relation > object ; 2014..2021 ; past ; not`; an object `=1987` is a value.
pub(crate) type Told = (&'static str, &'static str, &'static [(&'static str, &'static [&'static str])]);

/// A crawled graph.
pub(crate) struct Graph {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) law: Law,
    pub(crate) now: Moment,
}

impl Graph {
    /// Reads an ontology (`id`, then columns by name) and crawls documents.
    pub(crate) fn of(
        concepts: &[(&str, &str)],
        relations: &[(&str, &[(&str, &str)])],
        facts: &[(&str, &str, &str)],
        documents: &[Told],
    ) -> Self {
        Self::partly(concepts, relations, facts, documents, None)
    }

    /// As [`Graph::of`], reading only so many chunks.
    pub(crate) fn partly(
        concepts: &[(&str, &str)],
        relations: &[(&str, &[(&str, &str)])],
        facts: &[(&str, &str, &str)],
        documents: &[Told],
        max_chunks: Option<u64>,
    ) -> Self {
        let ontology = Arc::new(ontology(concepts, relations, facts));
        let law = Law::new(Arc::clone(&ontology), &[], WeighRule::Dempster);
        let folder = tempfile::tempdir().unwrap();
        let documents: BTreeMap<String, (Document, Vec<Extraction>)> =
            documents.iter().map(|told| (format!("docs|{}", told.0), document(told, &ontology))).collect();
        let perfect =
            Perfect(documents.iter().map(|(index, (_, read))| (index.clone(), read.clone())).collect());
        let corpus: Arc<dyn Corpus> =
            Arc::new(Shelf(documents.into_values().map(|(document, _)| document).collect()));
        let config = Config::default();
        let now = Moment::parse("2026-03-04").unwrap();
        let clock = FixedClock("2026-03-04T00:00:00Z".parse().unwrap());
        let request = CrawlRequest { max_chunks, ..CrawlRequest::default() };
        let inputs = Inputs {
            graph: "told",
            corpora: &BTreeMap::from([("docs".to_owned(), corpus)]),
            formalizer: &perfect,
            config: &config,
            law: &law,
            clock: &clock,
            request: &request,
        };
        let store = Store::open(folder.path()).unwrap();
        crawl(&inputs, &store, &Cancel::default(), &mut |_| {}, &mut |_| Ok(())).unwrap();
        drop(store);
        Self { folder, law, now }
    }

    pub(crate) fn snapshot(&self, known_at: Option<i64>) -> Snapshot {
        Store::read(self.folder.path(), known_at).unwrap()
    }

    pub(crate) fn reader<'a>(&'a self, snapshot: &'a Snapshot) -> Reader<'a> {
        Reader::new(snapshot, &self.law, 0.35, self.now)
    }
}

fn ontology(
    concepts: &[(&str, &str)],
    relations: &[(&str, &[(&str, &str)])],
    facts: &[(&str, &str, &str)],
) -> Ontology {
    let node = |id: &str, cells: &[(&str, &str)]| NodeRow {
        id: id.to_owned(),
        attributes: cells.iter().map(|(name, cell)| ((*name).to_owned(), (*cell).to_owned())).collect(),
    };
    let rows = |mut nodes: Vec<NodeRow>, edges: Vec<EdgeRow>| {
        nodes.sort();
        nodes.dedup();
        GraphRows { nodes, edges, digest: Digest::default() }
    };
    let entities = Arc::new(rows(
        concepts.iter().map(|(id, aliases)| node(id, &[("aliases", aliases)])).collect(),
        vec![],
    ));
    let relationships = rows(relations.iter().map(|(id, cells)| node(id, cells)).collect(), vec![]);
    let ends =
        facts.iter().flat_map(|(subject, _, object)| [node(subject, &[]), node(object, &[])]).collect();
    let edges = facts.iter().map(|(subject, relation, object)| EdgeRow {
        src: (*subject).to_owned(),
        dst: (*object).to_owned(),
        id: format!("{subject}-{object}"),
        attributes: BTreeMap::from([("relation".to_owned(), (*relation).to_owned())]),
    });
    Ontology::from_rows(&entities, Some(&relationships), Some(&rows(ends, edges.collect())))
}

fn entity(id: &str) -> EntityRef {
    let (concept, name) = id.trim().rsplit_once('|').expect("concept and name");
    EntityRef { concept: concept.to_owned(), name: name.to_owned(), confidence: 1.0 }
}

fn document((name, date, sentences): &Told, ontology: &Ontology) -> (Document, Vec<Extraction>) {
    let mut text = String::new();
    let (mut chunks, mut read) = (Vec::new(), Vec::new());
    let index = Index::new(format!("docs|{name}"));
    for (number, (sentence, claims)) in sentences.iter().enumerate() {
        let start = text.len();
        text.push_str(sentence);
        text.push_str("\n\n");
        chunks.push(Chunk {
            index: index.child(&format!("text_{number}")),
            kind: ChunkKind::Paragraph,
            span: Span::new(start, start + sentence.len()),
            text: MappedText::verbatim(*sentence, start),
            headings: Vec::new(),
            lead_in: None,
            cells: Vec::new(),
            page: None,
        });
        read.push(extraction(sentence, claims, ontology));
    }
    let document = Document {
        index,
        digest: Digest::of(text.as_bytes()),
        text: text.into(),
        title: None,
        date: Interval::parse(date).ok(),
        language: None,
        authority: None,
        attributes: BTreeMap::new(),
        chunks,
    };
    (document, read)
}

fn extraction(sentence: &str, claims: &[&str], ontology: &Ontology) -> Extraction {
    let mut found = Extraction::default();
    for claim in claims {
        let mut parts = claim.split(';').map(str::trim);
        let ends: Vec<&str> = parts.next().unwrap_or_default().split(" > ").collect();
        let [subject, relation, object] = ends[..] else { panic!("not a claim: {claim}") };
        let mut draft = ClaimDraft {
            subject: entity(subject),
            relation: relation.to_owned(),
            object: match object.strip_prefix('=') {
                Some(value) => Object::Literal(value.to_owned()),
                None => Object::Entity(entity(object)),
            },
            stance: Stance::For,
            confidence: 0.9,
            quote: Span::new(0, sentence.len()),
            cue: None,
            subject_span: None,
            object_span: None,
            valid: None,
            tense: Tense::Present,
        };
        for flag in parts {
            match flag {
                "past" => draft.tense = Tense::Past,
                "not" => draft.stance = Stance::Against,
                _ => {
                    let (from, to) = flag.split_once("..").expect("an interval");
                    let end = |text: &str| Moment::parse(text).ok();
                    draft.valid = Interval::new(end(from), end(to));
                }
            }
        }
        assert!(ontology.relations.contains_key(relation), "{relation}");
        let ends = [
            Some(&draft.subject),
            match &draft.object {
                Object::Entity(entity) => Some(entity),
                Object::Literal(_) => None,
            },
        ];
        for entity in ends.into_iter().flatten() {
            let start = sentence.find(entity.name.as_str());
            let form = if start.is_some() { MentionForm::Full } else { MentionForm::Reference };
            let span = start.map_or(Span::new(0, 1), |start| Span::new(start, start + entity.name.len()));
            let mention = Mention { span, entity: entity.clone(), form, confidence: 0.9 };
            if !found.mentions.contains(&mention) {
                found.mentions.push(mention);
            }
        }
        found.claims.push(draft);
    }
    found.mentions.sort_by_key(|mention| mention.span);
    found
}

struct Shelf(Vec<Document>);

impl Corpus for Shelf {
    fn name(&self) -> &str {
        "docs"
    }

    fn locate(&self, index: &Index) -> Result<Index, CorpusError> {
        Ok(index.clone())
    }

    fn documents<'a>(&'a self, below: &Index) -> Result<Documents<'a>, CorpusError> {
        let below = below.clone();
        let listed = self.0.iter().filter(move |document| below.covers(&document.index)).map(|document| {
            Ok(DocumentRef {
                index: document.index.clone(),
                size: document.text.len() as u64,
                modified: None,
            })
        });
        Ok(Box::new(listed))
    }

    fn read(&self, index: &Index, _rule: ChunkRule) -> Result<Document, CorpusError> {
        let found = self.0.iter().find(|document| document.index == *index);
        found.cloned().ok_or_else(|| CorpusError::Gone { index: index.clone() })
    }
}

struct Perfect(BTreeMap<String, Vec<Extraction>>);

impl Formalize for Perfect {
    fn method(&self) -> Method {
        Method { name: "perfect".to_owned(), version: "1".to_owned() }
    }

    fn slice(&self) -> Digest {
        Digest::default()
    }

    fn begin(&self, document: Arc<Document>) -> Box<dyn Reading + '_> {
        let read = self.0.get(document.index.as_str()).map_or(&[][..], Vec::as_slice);
        Box::new(Page { document, read })
    }
}

struct Page<'a> {
    document: Arc<Document>,
    read: &'a [Extraction],
}

impl Reading for Page<'_> {
    fn key(&self, chunk: usize) -> Digest {
        let text = self.document.chunks[chunk].text.as_str();
        Digest::of_parts([self.document.index.as_str().as_bytes(), text.as_bytes()])
    }

    fn read(&mut self, chunks: &[usize]) -> Vec<Result<Extraction, FormalizeError>> {
        chunks.iter().map(|chunk| Ok(self.read[*chunk].clone())).collect()
    }
}
