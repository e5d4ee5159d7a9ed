use std::ffi::OsString;

use mge_evidence::{Explained, Explanation};
use serde_json::json;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::graph::{GraphArgs, Reading, period};
use crate::printer::{Paint, Printer, cut, one_line};

/// Show how the belief in a claim came about
///
/// The whole tree: periods, documents, pieces of evidence, and every factor of their weights.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    first: Option<OsString>,

    /// The claim's id, or its beginning
    #[arg(value_name = "CLAIM", add = crate::complete::word(crate::complete::Word::Text))]
    second: Option<OsString>,

    #[command(flatten)]
    graph: GraphArgs,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first, args.second, 1)?;
    let Some(claim) = located.words.first() else {
        return Err(Failure::usage("which claim?")
            .hint("mge ask and mge show print the ids of claims")
            .into());
    };
    let reading = Reading::open(context, &located.folder, &args.graph)?;
    let (raw, explained): (_, Explained) = reading.ask(context, "explain", json!({"claim": claim}))?;
    if context.global.json {
        context.printer.json(&raw)?;
        return Ok(Exit::Done);
    }
    let line = reading.claim_line(&context.printer, &explained.claim);
    context.printer.line(line);
    let nodes = std::slice::from_ref(&explained.explanation);
    print(&reading, &mut context.printer, nodes, "");
    Ok(Exit::Done)
}

/// Prints nodes below each other, each with what it is computed from.
fn print(reading: &Reading, printer: &mut Printer, nodes: &[Explanation], indent: &str) {
    for (position, node) in nodes.iter().enumerate() {
        let last = position + 1 == nodes.len();
        let (branch, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let text = text(reading, printer, node);
        let line = printer.paint(Paint::Dim, format!("{indent}{branch}"));
        printer.line(format!("{line}{text}"));
        let below = format!("{indent}{trunk}");
        if let Some(citation) = &node.citation {
            let more = if node.children.is_empty() { "   " } else { "│  " };
            let line = printer.paint(Paint::Dim, format!("{below}{more}"));
            let room = printer.width().saturating_sub(below.chars().count() + 5);
            printer.line(format!("{line}“{}”", cut(&citation.quote, room)));
        }
        print(reading, printer, &node.children, &below);
    }
}

fn text(reading: &Reading, printer: &Printer, node: &Explanation) -> String {
    let mut words = vec![printer.paint(Paint::Bold, one_line(&node.factor))];
    words.extend(node.value.map(|value| format!("{value:.4}")));
    // A period that is called by its interval is called twice.
    let interval = node.period.map(|period| period.to_string());
    words.extend(node.label.as_deref().filter(|label| Some(*label) != interval.as_deref()).map(one_line));
    words.extend(node.period.map(|time| period(Some(time))));
    if let Some(citation) = &node.citation {
        let place = reading.places.cite(citation);
        words.push(printer.paint(Paint::Cyan, place));
    }
    words.extend(node.note.as_deref().map(|note| printer.paint(Paint::Dim, format!("({})", one_line(note)))));
    words.join(" ")
}
