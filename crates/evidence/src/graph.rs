//! The graph as the command line drives it: one writer, any number of readers.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mge_core::{
    Access, Cancel, Clock, Corpus, CrawlEvent, CrawlReport, CrawlRequest, Events, EvidenceGraph, Fault,
    Formalize, GraphError, Moment, OntologyRows, Problem, near_names,
};
use mge_ontology::Ontology;

use crate::config::Config;
use crate::crawl::{Corpora, Inputs, crawl};
use crate::curate::{Asked, decision_of, record};
use crate::derive::Law;
use crate::error::StoreError;
use crate::export::{export_log, export_state};
use crate::known::hand_over;
use crate::rebuild::{is_outdated, rebuild};
use crate::stats::{LastCrawl, Stats};
use crate::store::{Decision, Snapshot, Store};
use crate::verify::verify;

/// While a crawl runs, the counts for `status` are replaced no more often than this.
const STATS_EVERY: Duration = Duration::from_secs(1);

/// The tools that a graph was given.
#[derive(Default)]
pub(crate) struct Tools {
    pub(crate) corpora: BTreeMap<String, Arc<dyn Corpus>>,
    pub(crate) formalizers: BTreeMap<String, Arc<dyn Formalize>>,
    pub(crate) ontologies: BTreeMap<String, Arc<dyn OntologyRows>>,
    /// Names of all.
    pub(crate) names: Vec<String>,
}

/// An evidence graph.
pub(crate) struct Graph {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) config: Config,
    pub(crate) access: Access,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) events: Events,
    pub(crate) tools: Mutex<Tools>,
    law: Mutex<Option<Arc<Law>>>,
    /// Held while something is written: one writer at a time, in this process too.
    writing: Mutex<()>,
}

/// A snapshot with what is needed to read it.
pub(crate) struct View {
    pub(crate) snapshot: Snapshot,
    pub(crate) law: Arc<Law>,
}

pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Graph {
    pub(crate) fn new(
        id: String,
        name: String,
        folder: PathBuf,
        config: Config,
        access: Access,
        clock: Arc<dyn Clock>,
        events: Events,
    ) -> Self {
        Self {
            id,
            name,
            folder,
            config,
            access,
            clock,
            events,
            tools: Mutex::default(),
            law: Mutex::default(),
            writing: Mutex::default(),
        }
    }

    /// Opens the store once, to find out what is wrong with it; a writer makes it when there is none.
    pub(crate) fn open(&self) -> Result<String, StoreError> {
        match self.access {
            Access::Write => {
                Store::open(&self.folder)?;
                Ok("opened the store".to_owned())
            }
            Access::Read => match Store::read(&self.folder, None) {
                Ok(_) => Ok("opened the store for reading".to_owned()),
                Err(StoreError::Missing { .. }) => Ok("found no store yet".to_owned()),
                Err(error) => Err(error),
            },
        }
    }

    /// Gives the ontology its meaning, with the decisions that the store holds.
    pub(crate) fn learn(&self) -> Result<(), Fault> {
        let decisions = match Store::read(&self.folder, None) {
            Ok(snapshot) => Decision::all(snapshot.connection())?,
            Err(StoreError::Missing { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let ontology = self.ontology()?;
        *held(&self.law) = Some(Arc::new(Law::new(ontology, &decisions, self.config.weighing)));
        Ok(())
    }

    fn ontology(&self) -> Result<Arc<Ontology>, Fault> {
        let tools = held(&self.tools);
        let of = |name: &str| {
            tools.ontologies.get(name).ok_or_else(|| {
                missing(&format!("the ontology '{name}'"), name, tools.ontologies.keys().map(String::as_str))
            })
        };
        let names = &self.config.ontologies;
        let entities = of(&names.entities)?.curated()?;
        let relationships =
            names.relationships.as_deref().map(of).transpose()?.map(|rows| rows.curated()).transpose()?;
        // Instances are a help, not a need.
        let known = names.known_ids.as_deref().and_then(|name| tools.ontologies.get(name));
        let known = known.map(|rows| rows.curated()).transpose()?;
        drop(tools);
        let ontology = Ontology::from_rows(&entities, relationships.as_deref(), known.as_deref());
        Ok(Arc::new(ontology))
    }

    /// Returns what decides beside the texts.
    pub(crate) fn law(&self) -> Result<Arc<Law>, GraphError> {
        held(&self.law).clone().ok_or_else(|| GraphError::NotReady {
            message: format!("'{}' does not know its ontology yet; pilot it first", self.id),
        })
    }

    /// Takes a view of what is committed now, or of what was known at a time in milliseconds since 1970.
    pub(crate) fn view(&self, known_at: Option<i64>) -> Result<View, GraphError> {
        Ok(View { snapshot: Store::read(&self.folder, known_at)?, law: self.law()? })
    }

    /// Returns the present moment.
    pub(crate) fn now(&self) -> Moment {
        Moment(self.clock.now().as_second())
    }

    /// Returns the sources that are read.
    pub(crate) fn corpora(&self) -> Corpora {
        let tools = held(&self.tools);
        let chosen = &self.config.agentics.sources;
        tools
            .corpora
            .iter()
            .filter(|(name, _)| chosen.is_empty() || chosen.contains(name))
            .map(|(name, corpus)| (name.clone(), Arc::clone(corpus)))
            .collect()
    }

    /// Returns the formalizer: the one that is named, else the only one.
    pub(crate) fn formalizer(&self) -> Result<Arc<dyn Formalize>, Fault> {
        let tools = held(&self.tools);
        match self.config.agentics.formalizer.as_deref() {
            Some(name) => tools.formalizers.get(name).cloned().ok_or_else(|| {
                missing(
                    &format!("the formalizer '{name}'"),
                    name,
                    tools.formalizers.keys().map(String::as_str),
                )
            }),
            None if tools.formalizers.len() == 1 => {
                tools.formalizers.values().next().cloned().ok_or_else(|| Fault::new("there is no formalizer"))
            }
            None => {
                Err(Fault::new("no formalizer is named").hint("set agentics.formalizer and list it in tools"))
            }
        }
    }

    fn store(&self) -> Result<Store, GraphError> {
        if self.access == Access::Read {
            return Err(StoreError::ReadOnly.into());
        }
        Ok(Store::open(&self.folder)?)
    }

    fn write_stats(&self) -> Result<(), StoreError> {
        Stats::of(&Store::read(&self.folder, None)?)?.write(&self.folder)
    }

    /// Adds what was found to the ontology of instances, when it changed since.
    fn hand_over(
        &self,
        store: &Store,
        law: &Law,
        tell: &mut dyn FnMut(CrawlEvent),
    ) -> Result<(), StoreError> {
        let Some(name) = self.config.ontologies.known_ids.as_deref() else { return Ok(()) };
        let Some(rows) = held(&self.tools).ontologies.get(name).cloned() else { return Ok(()) };
        let snapshot = Store::read(&self.folder, None)?;
        let now = snapshot.meta("generation")?.map(|generation| format!("{name} {generation}"));
        if now.is_none() || now == snapshot.meta("known_ids")? {
            return Ok(());
        }
        if let Err(fault) = hand_over(&snapshot, &law.ontology, &self.name, rows.as_ref()) {
            tell(CrawlEvent::Warning { message: format!("what was found is not in '{name}': {fault}") });
            return Ok(());
        }
        store
            .connection()
            .execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('known_ids', ?1)", [now])?;
        Ok(())
    }

    /// Records what a curator decides about two entities.
    pub(crate) fn decide(&self, asked: &Asked<'_>) -> Result<(), GraphError> {
        let _writing = held(&self.writing);
        let law = self.law()?;
        let store = self.store()?;
        if is_outdated(store.connection(), &law, &self.config)? {
            rebuild(&store, &law, &self.config, &Cancel::default())?;
        }
        let snapshot = Store::read(&self.folder, None)?;
        let decision = decision_of(&snapshot, asked)?;
        let mut decisions = Decision::all(snapshot.connection())?;
        drop(snapshot);
        decisions.push(decision.clone());
        let law = Arc::new(Law::new(Arc::clone(&law.ontology), &decisions, self.config.weighing));
        record(&store, &law, &decision, self.clock.as_ref())?;
        *held(&self.law) = Some(law);
        self.write_stats()?;
        Ok(())
    }

    fn crawl_into(
        &self,
        request: &CrawlRequest,
        cancel: &Cancel,
        tell: &mut dyn FnMut(CrawlEvent),
    ) -> Result<CrawlReport, GraphError> {
        let _writing = held(&self.writing);
        let law = self.law()?;
        let formalizer = self
            .formalizer()
            .map_err(|fault| GraphError::Invalid { message: fault.message, hint: fault.hint })?;
        let corpora = self.corpora();
        let inputs = Inputs {
            graph: &self.name,
            corpora: &corpora,
            formalizer: formalizer.as_ref(),
            config: &self.config,
            law: &law,
            clock: self.clock.as_ref(),
            request,
        };
        if request.plan {
            let snapshot = match Store::read(&self.folder, None) {
                Ok(snapshot) => Some(snapshot),
                Err(StoreError::Missing { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            return crate::crawl::plan(&inputs, snapshot.as_ref().map(Snapshot::connection), cancel, tell);
        }
        let store = self.store()?;
        if is_outdated(store.connection(), &law, &self.config)? {
            rebuild(&store, &law, &self.config, cancel)?;
        }
        // From the first commit on: whoever looks sees that something is being read.
        let mut written: Option<Instant> = None;
        let mut on_commit = |_: &Store| -> Result<(), StoreError> {
            if written.is_none_or(|at| at.elapsed() >= STATS_EVERY) {
                written = Some(Instant::now());
                self.write_stats()?;
            }
            Ok(())
        };
        let report = crawl(&inputs, &store, cancel, tell, &mut on_commit)?;
        self.hand_over(&store, &law, tell)?;
        let last = LastCrawl { finished: self.clock.stamp(), report: report.clone() };
        let last = serde_json::to_string(&last).map_err(|error| StoreError::Row(error.to_string()))?;
        store
            .connection()
            .execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('last_crawl', ?1)", [last])
            .map_err(StoreError::from)?;
        store.checkpoint()?;
        self.write_stats()?;
        Ok(report)
    }
}

fn missing<'n>(what: &str, name: &str, names: impl Iterator<Item = &'n str>) -> Fault {
    let fault = Fault::new(format!("{what} is not among the tools"));
    match near_names(name, names).first() {
        Some(near) => fault.hint(format!("did you mean '{near}'?")),
        None => fault.hint(format!("add '{name}' to tools")),
    }
}

impl EvidenceGraph for Graph {
    fn crawl(
        &self,
        request: &CrawlRequest,
        cancel: &Cancel,
        tell: &mut dyn FnMut(CrawlEvent),
    ) -> Result<CrawlReport, GraphError> {
        let report = self.crawl_into(request, cancel, tell)?;
        tell(CrawlEvent::Finished(report.clone()));
        Ok(report)
    }

    fn export(&self, out: &mut dyn Write, log: bool, times: bool) -> Result<(), GraphError> {
        let snapshot = Store::read(&self.folder, None)?;
        if log { export_log(&snapshot, out, times) } else { export_state(&snapshot, out, self.now(), times) }
    }

    fn rebuild(&self, cancel: &Cancel) -> Result<(), GraphError> {
        let _writing = held(&self.writing);
        let law = self.law()?;
        let store = self.store()?;
        rebuild(&store, &law, &self.config, cancel)?;
        store.checkpoint()?;
        self.write_stats()?;
        Ok(())
    }

    fn verify(&self, cancel: &Cancel) -> Result<Vec<Problem>, GraphError> {
        let View { snapshot, law } = self.view(None)?;
        Ok(verify(&snapshot, &law, &self.config, cancel)?)
    }
}
