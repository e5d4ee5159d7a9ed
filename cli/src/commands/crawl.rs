use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser as _;
use mge_core::{
    CrawlEvent, CrawlOrder, CrawlReport, CrawlRequest, EvidenceGraph, Index, Progress as _, StoppedBy,
};
use mge_endpoint::Endpoint;
use serde_json::Value;

use crate::context::{Context, graph_face, graph_name};
use crate::diagnostics::plural;
use crate::exit::{Exit, Failure};

mod batch;
mod watch;

use batch::Batch;

/// Read documents into the evidence graph
///
/// Everything, or what lies below the given nodes. It can be interrupted at any moment and goes on where it stopped; what
/// has not changed is not read again. An endpoint that is not ready is piloted first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mge crawl --all                       Read everything that is new or has changed
  mge crawl 'documents|minutes'         Read one folder of the source `documents`
  mge crawl --max-chunks 500            Stop after so many chunks; the next crawl goes on
  mge crawl --plan                      Tell what would be read, and read nothing
  mge crawl --watch                     Go on: crawl again whenever files change
  mge crawl --batch list.txt            One crawl a line: nodes and the options above")]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or(crate::complete::Word::Source))]
    first: Option<OsString>,

    /// The nodes to read below, such as 'documents|minutes'
    #[arg(value_name = "INDEX", add = crate::complete::word(crate::complete::Word::Source))]
    rest: Vec<OsString>,

    #[command(flatten)]
    what: What,

    /// Run the crawls of a file, one a line, beginning with the first that is not done
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all", "graph", "max_chunks", "max_seconds", "order", "retry_failed"])]
    batch: Option<PathBuf>,

    /// Tell what would be read, and read nothing
    #[arg(long)]
    plan: bool,

    /// Go on until it is interrupted: crawl again when files of the sources change
    ///
    /// Between two crawls the endpoint is free for other writers.
    #[arg(long, conflicts_with_all = ["batch", "plan"])]
    watch: bool,

    /// Wait this long for another writer to end
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,

    /// Pilot first if need be; a crawl does so in any case
    #[arg(long, hide = true)]
    pilot: bool,
}

/// What one crawl is to read.
#[derive(Debug, Clone, Default, clap::Args)]
struct What {
    /// Read all sources, as without an index
    #[arg(long)]
    all: bool,

    /// The evidence graph, if there are several
    #[arg(long, value_name = "NAME", add = crate::complete::word(crate::complete::Word::Graph))]
    graph: Option<String>,

    /// Stop after this many chunks
    #[arg(long, value_name = "NUMBER")]
    max_chunks: Option<u64>,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS")]
    max_seconds: Option<u64>,

    /// document: as they stand; outline: headings first; query:TEXT: what is nearest to a question first
    #[arg(long, value_name = "ORDER", value_parser = order)]
    order: Option<CrawlOrder>,

    /// Read again only what failed before
    #[arg(long)]
    retry_failed: bool,
}

/// A line of a batch file.
#[derive(Debug, clap::Parser)]
#[command(name = "crawl", no_binary_name = true, disable_help_flag = true)]
struct Line {
    indices: Vec<String>,

    #[command(flatten)]
    what: What,
}

/// One crawl.
#[derive(Clone)]
struct Job {
    indices: Vec<String>,
    what: What,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first, args.rest, usize::MAX)?;
    if args.what.all && !located.words.is_empty() {
        return Err(Failure::usage("--all reads everything, so an index beside it means nothing").into());
    }
    if args.batch.is_some() && !located.words.is_empty() {
        return Err(Failure::usage("the lines of a batch file name their nodes themselves")
            .hint(format!("take away '{}'", located.words[0]))
            .into());
    }
    // The file is read before anything is locked.
    let batch = match &args.batch {
        Some(file) => Some(Batch::read(file, &located.folder)?),
        None => None,
    };
    let job = Job { indices: located.words, what: args.what };
    if args.plan {
        return plan(&located.folder, batch, job, context);
    }
    if args.watch {
        return watch::run(&located.folder, &job, args.wait, context);
    }
    let endpoint = context.write(&located.folder, "mge crawl", args.wait)?;
    let result = crawl_all(&endpoint, batch, job, &mut Telling::default(), context);
    // The lock is freed and the state saved whatever happened.
    let closed = context.close(&endpoint);
    let exit = result?;
    closed?;
    if exit == Exit::Done {
        context.printer.next("mge ask \"…\"", "asks what the documents say");
    }
    Ok(exit)
}

fn crawl_all(
    endpoint: &Endpoint,
    batch: Option<Batch>,
    job: Job,
    telling: &mut Telling,
    context: &mut Context,
) -> anyhow::Result<Exit> {
    context.pilot_fully(endpoint)?;
    let Some(mut batch) = batch else {
        return crawl(endpoint, job, false, telling, context).map(|(exit, _)| exit);
    };
    let mut worst = Exit::Done;
    while let Some((number, text)) = batch.next() {
        let job = parse_line(&batch, number, &text)?;
        context.printer.note(format!("{}:{number}: {text}", batch.shown()));
        let (exit, stopped_by) = crawl(endpoint, job, false, telling, context)?;
        if stopped_by == StoppedBy::Interrupt {
            return Ok(exit);
        }
        if exit != Exit::Done {
            worst = exit;
        }
        batch.finish_line()?;
    }
    batch.finish()?;
    Ok(worst)
}

fn plan(folder: &Path, batch: Option<Batch>, job: Job, context: &mut Context) -> anyhow::Result<Exit> {
    let endpoint = context.read(folder, &[], true)?;
    let mut telling = Telling::default();
    let Some(mut batch) = batch else {
        return crawl(&endpoint, job, true, &mut telling, context).map(|(exit, _)| exit);
    };
    while let Some((number, text)) = batch.next() {
        let job = parse_line(&batch, number, &text)?;
        crawl(&endpoint, job, true, &mut telling, context)?;
        batch.skip_line();
    }
    Ok(Exit::Done)
}

fn parse_line(batch: &Batch, number: usize, text: &str) -> Result<Job, Failure> {
    let wrong = |message: &str| Failure::usage(format!("{}:{number}: {message}", batch.shown()));
    let words = batch::split(text).map_err(wrong)?;
    let line = Line::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        wrong(&first).hint("a line holds nodes and the options of mge crawl")
    })?;
    Ok(Job { indices: line.indices, what: line.what })
}

/// How far the telling has come over all crawls of one command.
#[derive(Default)]
struct Telling {
    /// The first line of JSON, which bears the version, is out.
    begun: bool,
}

fn crawl(
    endpoint: &Endpoint,
    job: Job,
    plan: bool,
    telling: &mut Telling,
    context: &mut Context,
) -> anyhow::Result<(Exit, StoppedBy)> {
    let name = graph_name(endpoint, job.what.graph.as_deref())?;
    let graph: Arc<dyn EvidenceGraph> = graph_face(endpoint, &name)?;
    let request = CrawlRequest {
        roots: job.indices.into_iter().map(Index::new).collect(),
        max_chunks: job.what.max_chunks,
        max_seconds: job.what.max_seconds,
        order: job.what.order.unwrap_or_default(),
        retry_failed: job.what.retry_failed,
        plan,
    };
    let meter = context.meter();
    let cancel = context.cancel.clone();
    let json = context.global.json;
    let printer = &mut context.printer;
    let mut broken = None;
    let mut planned = Planned::default();
    let result = graph.crawl(&request, &cancel, &mut |event| {
        if json {
            if broken.is_none()
                && let Err(error) = line(&event, telling)
                    .map_err(anyhow::Error::from)
                    .and_then(|line| printer.line_now(line).map_err(anyhow::Error::from))
            {
                // Nobody reads any more: the work ends at its next safe point.
                broken = Some(error);
                cancel.cancel();
            }
            return;
        }
        match event {
            CrawlEvent::Started { .. } => {}
            CrawlEvent::Batch { documents, documents_total, .. } => {
                meter.report("documents", documents, Some(documents_total));
            }
            CrawlEvent::ChunkFailed { index, reason, .. } => {
                meter.note(&format!("failed: {index}: {reason}"))
            }
            CrawlEvent::Warning { message } => meter.note(&format!("warning: {message}")),
            CrawlEvent::Planned { index, chunks, bytes } => {
                planned.add(chunks, bytes);
                let chunks =
                    chunks.map_or_else(|| "not opened yet".to_owned(), |count| plural_u64(count, "chunk"));
                printer.line(format!("{index}  {chunks}, {bytes} bytes"));
            }
            CrawlEvent::Finished(_) => {}
        }
    });
    meter.clear();
    if let Some(error) = broken {
        return Err(error);
    }
    let report = result?;
    if !json && plan {
        printer.line(planned.text());
    } else if !json {
        tell(&report, context);
    }
    let exit = match (report.stopped_by, context.signals.exit()) {
        (StoppedBy::Interrupt, Some(exit)) => exit,
        (StoppedBy::Interrupt, None) => Exit::Interrupted,
        _ if report.chunks_failed + report.documents_failed > 0 => Exit::Failures,
        _ => Exit::Done,
    };
    Ok((exit, report.stopped_by))
}

/// Writes an event as a line of JSON; the first line bears the version.
fn line(event: &impl serde::Serialize, telling: &mut Telling) -> serde_json::Result<String> {
    let mut value = serde_json::to_value(event)?;
    if !telling.begun
        && let Value::Object(fields) = &mut value
    {
        telling.begun = true;
        fields.shift_insert(0, "version".to_owned(), Value::from(1));
    }
    serde_json::to_string(&value)
}

fn tell(report: &CrawlReport, context: &mut Context) {
    let retry = report.chunks_failed + report.documents_failed > 0;
    context.printer.line(format!(
        "Read {} of {} in {:.1} s: {}, {}, {} of evidence",
        plural_u64(report.chunks_read, "chunk"),
        plural_u64(report.documents, "document"),
        report.seconds,
        plural_u64(report.mentions, "mention"),
        plural_u64(report.claims_new, "new claim"),
        plural_u64(report.evidence_new, "new piece"),
    ));
    let mut more = |count: u64, text: &str| {
        if count > 0 {
            context.printer.line(format!("{count} {text}"));
        }
    };
    more(report.chunks_skipped, "chunks are unchanged and were not read again");
    more(report.evidence_retracted, "pieces of evidence no longer hold and were retracted");
    more(report.documents_removed, "documents are gone");
    more(report.off_ontology, "claims do not fit the ontology and were kept apart");
    more(report.chunks_left, "chunks are left for the next crawl");
    more(report.documents_failed, "documents could not be read");
    more(report.chunks_failed, "chunks could not be read");
    if retry {
        context.printer.next("mge crawl --retry-failed", "tries them again");
    }
}

fn plural_u64(count: u64, noun: &str) -> String {
    plural(usize::try_from(count).unwrap_or(usize::MAX), noun)
}

#[derive(Default)]
struct Planned {
    documents: usize,
    chunks: u64,
    unopened: usize,
    bytes: u64,
}

impl Planned {
    fn add(&mut self, chunks: Option<u64>, bytes: u64) {
        self.documents += 1;
        self.bytes += bytes;
        match chunks {
            Some(chunks) => self.chunks += chunks,
            None => self.unopened += 1,
        }
    }

    fn text(&self) -> String {
        let documents = plural(self.documents, "document");
        let mut text = format!("Would read {documents}, {} bytes", self.bytes);
        if self.unopened < self.documents {
            text.push_str(&format!(", {}", plural_u64(self.chunks, "chunk")));
        }
        if self.unopened > 0 {
            text.push_str(&format!("; {} not opened yet", self.unopened));
        }
        text
    }
}

fn order(text: &str) -> Result<CrawlOrder, String> {
    match text {
        "document" => Ok(CrawlOrder::Document),
        "outline" => Ok(CrawlOrder::Outline),
        _ => match text.strip_prefix("query:").map(str::trim) {
            Some(question) if !question.is_empty() => Ok(CrawlOrder::Query(question.to_owned())),
            _ => Err("an order is document, outline or query:TEXT".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read() {
        assert_eq!(order("outline"), Ok(CrawlOrder::Outline));
        assert_eq!(order("query: who owns it"), Ok(CrawlOrder::Query("who owns it".to_owned())));
        assert!(order("query:").is_err() && order("outlines").is_err());
    }

    #[test]
    fn only_the_first_line_bears_the_version() {
        let mut telling = Telling::default();
        let event = CrawlEvent::Started { graph: "g".to_owned(), documents: 1 };
        let first = line(&event, &mut telling).expect("it has a JSON form");
        assert_eq!(first, r#"{"version":1,"type":"started","graph":"g","documents":1}"#);
        assert!(!line(&event, &mut telling).expect("it has a JSON form").contains("version"));
    }
}
