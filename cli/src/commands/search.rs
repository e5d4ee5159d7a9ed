use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;

use mge_config::Section;
use mge_endpoint::Endpoint;
use mge_evidence::SearchResults;
use serde_json::{Value, json};

use crate::cite::on_page;
use crate::context::{Context, graph_name};
use crate::diagnostics::plural;
use crate::exit::{Exit, Failure, did_you_mean};
use crate::graph::{GraphArgs, Reading};
use crate::printer::{Paint, wrap};
use crate::rows::{Format, Rows, RowsArgs};

/// Search the documents, and what was read of them
///
/// Sources are searched by their own index, evidence graphs by the text they have read; a passage that both find stands
/// higher. Any text will do: no sign in it has a meaning of its own.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mge search \"when does the last ferry leave\"
  mge search --source minutes \"budget\"          One source only
  mge search --mode lexical \"Quay Voices\"       By the words alone
  mge search --as-of 2015 \"ferry\"               What the evidence graph had read, as of a date")]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    first: Option<OsString>,

    /// The words to look for
    #[arg(value_name = "QUERY", add = crate::complete::word(crate::complete::Word::Text))]
    second: Option<OsString>,

    /// Search this source only; it may be given several times
    #[arg(long, value_name = "NAME", add = crate::complete::word(crate::complete::Word::Source))]
    source: Vec<String>,

    #[command(flatten)]
    graph: GraphArgs,

    /// How to look; by words and vectors together unless given [default: hybrid]
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<Mode>,

    /// How many passages at most
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=200))]
    limit: u64,

    #[command(flatten)]
    rows: RowsArgs,
}

/// How to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// By the words
    Lexical,
    /// By the likeness of vectors; an evidence graph has none
    Vector,
    /// By both
    Hybrid,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Vector => "vector",
            Self::Hybrid => "hybrid",
        }
    }
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first.clone(), args.second.clone(), 1)?;
    let Some(query) = located.words.first().filter(|query| !query.trim().is_empty()) else {
        return Err(Failure::usage("what is to be looked for?").hint("mge search \"eelgrass\"").into());
    };
    let looked = context.look(&located.folder)?;
    let scope = Scope::of(&looked, &args)?;
    drop(looked);
    let needed: Vec<&str> = scope.sources.iter().chain(&scope.graphs).map(String::as_str).collect();
    let endpoint = context.read(&located.folder, &needed, args.graph.pilot)?;
    let reading = Reading::of(endpoint, String::new(), &args.graph);
    let mut found = Found::default();
    for source in &scope.sources {
        search_source(&reading.endpoint, source, query, &args, context, &mut found)?;
    }
    for graph in &scope.graphs {
        let arguments = json!({"query": query, "limit": scope.limit_of_graph(&args)});
        let (_, results): (_, SearchResults) = reading.ask_graph(context, graph, "search", arguments)?;
        found.lists += 1;
        found.truncated |= results.truncated;
        let in_scope = results.results.into_iter().filter(|passage| scope.takes(&passage.source));
        for (place, passage) in in_scope.enumerate() {
            let Ok(raw) = serde_json::to_value(&passage) else { continue };
            found.add("graph", place + 1, raw);
        }
    }
    if found.lists == 0 {
        return Err(found.refused.take().unwrap_or_else(|| nothing_to_search().into()));
    }
    for refused in found.refused.iter() {
        context.printer.warning(refused);
    }
    if found.outdated > 0 {
        let passages = plural(found.outdated, "passage");
        context.printer.note(format!("{passages} left out that have changed since; mge pilot looks again"));
    }
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let truncated = found.truncated;
    let mut results = found.ranked();
    let truncated = truncated || results.len() > limit;
    results.truncate(limit);
    for result in &mut results {
        place(&reading, result, context);
    }
    let mode = args.mode.unwrap_or(Mode::Hybrid).name();
    let format = args.rows.format;
    if context.global.json || format == Format::Json {
        let answer =
            json!({"version": 1, "query": query, "mode": mode, "results": results, "truncated": truncated});
        context.printer.json(&answer)?;
    } else {
        print(&reading, &results, format, context)?;
    }
    if results.is_empty() {
        context.printer.note("nothing was found");
        return Ok(Exit::NotFound);
    }
    context.printer.next("mge show INDEX", "shows a passage as a whole");
    Ok(Exit::Done)
}

/// What is searched.
struct Scope {
    /// The sources that are searched by their own index.
    sources: Vec<String>,
    graphs: Vec<String>,
    /// The sources that were asked for by name.
    named: Vec<String>,
}

impl Scope {
    fn of(looked: &Endpoint, args: &Args) -> Result<Self, Failure> {
        let known = looked.names_of(Section::Sources);
        for name in &args.source {
            if !known.contains(&name.as_str()) {
                let failure = Failure::not_found(format!("there is no source '{name}'"));
                let near = did_you_mean(name, known.iter().copied());
                let listed = (!known.is_empty()).then(|| format!("there are: {}", known.join(", ")));
                return Err(near.or(listed).into_iter().fold(failure, Failure::hint));
            }
        }
        let named = args.source.clone();
        // A source only knows its documents as they are now.
        let is_timed = args.graph.as_of.is_some() || args.graph.known_at.is_some();
        let sources = match (is_timed, named.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => known.into_iter().map(str::to_owned).collect(),
            (false, false) => named.clone(),
        };
        let graphs = match (&args.graph.graph, args.mode) {
            (_, Some(Mode::Vector)) => Vec::new(),
            (Some(name), _) => vec![graph_name(looked, Some(name))?],
            (None, _) => looked.names_of(Section::EvidenceGraphs).into_iter().map(str::to_owned).collect(),
        };
        if sources.is_empty() && graphs.is_empty() {
            return Err(nothing_to_search());
        }
        Ok(Self { sources, graphs, named })
    }

    fn takes(&self, source: &str) -> bool {
        self.named.is_empty() || self.named.iter().any(|named| named == source)
    }

    /// A graph does not know of the choice of sources: it is asked for more, of which some fall away.
    fn limit_of_graph(&self, args: &Args) -> u64 {
        const MOST: u64 = 1_000;
        if self.named.is_empty() { args.limit } else { MOST }
    }
}

fn nothing_to_search() -> Failure {
    Failure::usage("there is nothing that can be searched like this")
        .hint("a source is searched unless it says \"index\": false; a graph by its words, and as of a date")
}

/// Searches a source. That it cannot be searched now does not end the search of others.
fn search_source(
    endpoint: &Endpoint,
    source: &str,
    query: &str,
    args: &Args,
    context: &mut Context,
    found: &mut Found,
) -> anyhow::Result<()> {
    let capability = format!("search_{source}");
    let component = endpoint.component(source);
    let offers = component
        .is_some_and(|component| component.capabilities().iter().any(|offered| offered.name == capability));
    if !offers {
        return Ok(());
    }
    let mut arguments = json!({"query": query, "limit": args.limit});
    if let Some(mode) = args.mode {
        arguments["mode"] = mode.name().into();
    }
    let answer = match context.call(endpoint, source, &capability, arguments) {
        Ok(response) => response.message,
        Err(error) if crate::exit::judge(&error).0 == Exit::Usage => return Err(error),
        Err(error) => {
            let (_, hint) = crate::exit::judge(&error);
            let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            found.refused.get_or_insert(error.context(format!("'{source}' cannot be searched now{hint}")));
            return Ok(());
        }
    };
    found.lists += 1;
    found.outdated +=
        answer["outdated"].as_u64().map_or(0, |count| usize::try_from(count).unwrap_or(usize::MAX));
    let Value::Array(results) = &answer["results"] else { return Ok(()) };
    for (place, result) in results.iter().enumerate() {
        found.add("source", place + 1, result.clone());
    }
    Ok(())
}

/// Passages of several rankings.
#[derive(Default)]
struct Found {
    /// By index and text: parts of a long block share an index.
    passages: HashMap<(String, String), Passage>,
    /// How many rankings there are.
    lists: usize,
    truncated: bool,
    outdated: usize,
    /// Why a source could not be searched.
    refused: Option<anyhow::Error>,
}

struct Passage {
    /// Its best place in the rankings of sources, and in those of graphs.
    ranks: BTreeMap<&'static str, usize>,
    fields: Value,
}

/// How little the first place of a ranking counts for more than the second: reciprocal rank fusion as it is usual.
const FUSION: f64 = 60.0;

impl Found {
    fn add(&mut self, ranking: &'static str, rank: usize, fields: Value) {
        // A graph shows the beginning of a long text.
        const HEAD: usize = 1_000;
        let text = |key: &str| fields[key].as_str().unwrap_or_default().to_owned();
        let key = (text("index"), text("text").chars().take(HEAD).collect());
        let passage = self.passages.entry(key).or_insert_with(|| Passage { ranks: BTreeMap::new(), fields });
        let best = passage.ranks.entry(ranking).or_insert(rank);
        *best = rank.min(*best);
    }

    /// Returns the passages with their fused scores, the best first.
    fn ranked(self) -> Vec<Value> {
        let score = |ranks: &BTreeMap<&'static str, usize>| -> f64 {
            #[expect(clippy::cast_precision_loss, reason = "a place in a short list")]
            ranks.values().map(|rank| 1.0 / (FUSION + *rank as f64)).sum()
        };
        let mut ranked: Vec<(f64, (String, String), Passage)> =
            self.passages.into_iter().map(|(key, passage)| (score(&passage.ranks), key, passage)).collect();
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
        ranked
            .into_iter()
            .map(|(score, _, passage)| {
                let mut fields = passage.fields;
                fields["score"] = json!((score * 1e6).round() / 1e6);
                fields["ranks"] = json!(passage.ranks);
                fields
            })
            .collect()
    }
}

/// Adds where a passage stands to one that only a graph has found.
fn place(reading: &Reading, result: &mut Value, context: &mut Context) {
    if result.get("span").is_some() {
        return;
    }
    let (Some(index), Some(source)) = (result["index"].as_str(), result["source"].as_str()) else { return };
    let (index, source) = (index.to_owned(), source.to_owned());
    let capability = format!("object_by_idx_{source}");
    // The document may be gone since, or the source may not be there; then the index alone says where it was.
    let Ok(object) = context.call(&reading.endpoint, &source, &capability, json!({"index": index})) else {
        return;
    };
    let document: Vec<&str> = index.splitn(3, '|').take(2).collect();
    result["document"] = document.join("|").into();
    result["span"] = object.message["bytes"].clone();
    if let Some(page) = object.message.get("page") {
        result["page"] = page.clone();
    }
}

fn print(reading: &Reading, results: &[Value], format: Format, context: &mut Context) -> anyhow::Result<()> {
    let text = |result: &Value, key: &str| result[key].as_str().unwrap_or_default().to_owned();
    if format != Format::Table {
        let mut rows = Rows::new(&["index", "source", "score#", "text"]);
        for result in results {
            let score = format!("{:.4}", result["score"].as_f64().unwrap_or_default());
            rows.push(vec![text(result, "index"), text(result, "source"), score, text(result, "text")]);
        }
        return rows.print(&mut context.printer, format);
    }
    for result in results {
        let index = text(result, "index");
        let start = result["span"][0].as_u64().and_then(|start| usize::try_from(start).ok());
        let place = match (result["document"].as_str(), start) {
            (Some(document), Some(start)) => {
                on_page(reading.places.place(document, start), result["page"].as_str())
            }
            _ => index.clone(),
        };
        let score = result["score"].as_f64().unwrap_or_default();
        let note = context.printer.paint(Paint::Dim, format!("{index}  {score:.4}"));
        let place = context.printer.paint(Paint::Cyan, place);
        context.printer.line(format!("{place}  {note}"));
        let room = context.printer.width().saturating_sub(2).min(110);
        for line in wrap(&text(result, "text"), room).into_iter().take(4) {
            context.printer.line(format!("  {line}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_rankings_find_stands_above_what_one_finds() {
        let mut found = Found::default();
        let passage = |index: &str| json!({"index": index, "text": "t", "score": 7});
        for (ranking, order) in
            [("source", ["a", "b", "c"]), ("graph", ["d", "b", "a"]), ("source", ["e", "c", "a"])]
        {
            for (place, index) in order.iter().enumerate() {
                found.add(ranking, place + 1, passage(index));
            }
        }
        let ranked = found.ranked();
        let order: Vec<&str> = ranked.iter().filter_map(|result| result["index"].as_str()).collect();
        // 1/61 + 1/63, 1/62 + 1/62, then two firsts by their index, then a second.
        assert_eq!(order, ["a", "b", "d", "e", "c"]);
        assert_eq!(ranked[0]["ranks"], json!({"graph": 3, "source": 1}));
        assert_eq!(ranked[0]["score"], json!(0.032266));
        assert_eq!(ranked[4]["score"], json!(0.016129));
    }
}
