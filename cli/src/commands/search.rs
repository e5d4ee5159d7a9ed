use std::ffi::OsString;

use mge_evidence::SearchResults;
use serde_json::json;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::graph::{GraphArgs, Reading};
use crate::printer::{Paint, wrap};
use crate::rows::{Format, Rows, RowsArgs};

/// Search the text that was read
///
/// Any text will do: no sign in it has a meaning of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    first: Option<OsString>,

    /// The words to look for
    #[arg(value_name = "QUERY", add = crate::complete::word(crate::complete::Word::Text))]
    second: Option<OsString>,

    #[command(flatten)]
    graph: GraphArgs,

    /// How to look
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    mode: Mode,

    /// How many passages at most
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    limit: u64,

    #[command(flatten)]
    rows: RowsArgs,
}

/// How to look.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum Mode {
    /// By the words
    #[default]
    Lexical,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first, args.second, 1)?;
    let Some(query) = located.words.first().filter(|query| !query.trim().is_empty()) else {
        return Err(Failure::usage("what is to be looked for?").hint("mge search \"eelgrass\"").into());
    };
    let reading = Reading::open(context, &located.folder, &args.graph)?;
    let Mode::Lexical = args.mode;
    let (raw, found): (_, SearchResults) =
        reading.ask(context, "search", json!({"query": query, "limit": args.limit}))?;
    let format = args.rows.format;
    if context.global.json || format == Format::Json {
        context.printer.json(&raw)?;
    } else if format == Format::Table {
        for passage in &found.results {
            let index = context.printer.paint(Paint::Cyan, &passage.index);
            context.printer.line(format!("{index}  {:.2}", passage.score));
            let room = context.printer.width().saturating_sub(2).min(110);
            for line in wrap(&passage.text, room).into_iter().take(4) {
                context.printer.line(format!("  {line}"));
            }
        }
    } else {
        let mut rows = Rows::new(&["index", "source", "score#", "text"]);
        for passage in found.results.iter().cloned() {
            rows.push(vec![passage.index, passage.source, format!("{:.4}", passage.score), passage.text]);
        }
        rows.print(&mut context.printer, format)?;
    }
    if found.results.is_empty() {
        context.printer.note("nothing was found");
        return Ok(Exit::NotFound);
    }
    context.printer.next("mge show INDEX", "shows a passage as a whole");
    Ok(Exit::Done)
}
