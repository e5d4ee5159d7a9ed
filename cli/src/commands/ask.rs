use std::ffi::OsString;

use mge_evidence::Answer;
use serde_json::json;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::graph::{GraphArgs, Reading, print_prose};
use crate::printer::{Paint, cut};

/// Ask the evidence graph a question
///
/// The answer is what the documents say, with the places where they say it; no language model takes part. What they do
/// not say is not known, and ends with exit code 7.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mge ask \"Who directed the Merrow Marine Institute in 2015?\"
  mge ask \"Who owns the Petrel?\" --as-of 2010")]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    first: Option<OsString>,

    /// The question, in quotes
    #[arg(value_name = "QUESTION", add = crate::complete::word(crate::complete::Word::Text))]
    second: Option<OsString>,

    #[command(flatten)]
    graph: GraphArgs,

    /// Read up to this many chunks more where the graph does not know
    #[arg(long, value_name = "NUMBER")]
    max_read: Option<u64>,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first, args.second, 1)?;
    let question = located.words.first().map(|question| question.trim()).unwrap_or_default();
    if question.is_empty() {
        return Err(Failure::usage("what is the question?")
            .hint("mge ask \"Who directs the museum?\"")
            .into());
    }
    let reads_on = args.max_read.is_some_and(|chunks| chunks > 0);
    let reading = if reads_on {
        Reading::open_to_read_on(context, &located.folder, &args.graph)?
    } else {
        Reading::open(context, &located.folder, &args.graph)?
    };
    let arguments = json!({"question": question, "max_read": args.max_read});
    let asked = reading.ask(context, "ask", arguments);
    if reads_on {
        context.close(&reading.endpoint)?;
    }
    let (raw, answer): (_, Answer) = asked?;
    if context.global.json {
        context.printer.json(&raw)?;
    } else {
        print(&reading, &answer, context);
    }
    if !answer.known {
        return Ok(Exit::NotFound);
    }
    if let Some(claim) = answer.claims.first() {
        context.printer.next(&format!("mge explain {}", claim.id), "shows how its belief came about");
    }
    Ok(Exit::Done)
}

fn print(reading: &Reading, answer: &Answer, context: &mut Context) {
    const MOST_CLAIMS: usize = 5;
    const MOST_PASSAGES: usize = 3;
    let printer = &mut context.printer;
    if answer.known {
        if answer.values.is_empty() {
            print_prose(printer, &answer.answer);
        } else {
            let values = printer.paint(Paint::Bold, answer.values.join(", "));
            printer.line(values);
        }
        for claim in answer.claims.iter().take(MOST_CLAIMS) {
            printer.line("");
            reading.print_claim(printer, claim);
        }
        let more = answer.claims.len().saturating_sub(MOST_CLAIMS);
        if more > 0 {
            printer.line("");
            printer.line(format!("and {more} more claims; --json shows all"));
        }
        return;
    }
    let title = printer.paint(Paint::Bold, "Not known");
    printer.line(title);
    let why = answer.answer.strip_prefix("not known").unwrap_or(&answer.answer);
    print_prose(printer, why.trim_start_matches([':', ' ']));
    if !answer.claims.is_empty() {
        printer.line("");
        printer.line("What is known instead:");
        for claim in answer.claims.iter().take(MOST_PASSAGES) {
            let line = reading.claim_line(printer, claim);
            printer.line(format!("  {line}"));
        }
    }
    if !answer.passages.is_empty() {
        printer.line("");
        printer.line("The nearest passages, which do not answer it:");
        for passage in answer.passages.iter().take(MOST_PASSAGES) {
            let room = printer.width().saturating_sub(4).min(200);
            let index = printer.paint(Paint::Cyan, &passage.index);
            printer.line(format!("  {index}"));
            printer.line(format!("    {}", cut(&passage.text, room)));
        }
    }
    if !answer.would_read.is_empty() {
        printer.line("");
        printer.line("Not read yet, and may know more:");
        for index in answer.would_read.iter().take(MOST_PASSAGES) {
            printer.line(format!("  {index}"));
        }
    }
}
