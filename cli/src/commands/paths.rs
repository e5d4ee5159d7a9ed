use std::ffi::OsString;

use mge_evidence::PathList;
use serde_json::json;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::graph::{GraphArgs, Reading, name};
use crate::printer::Paint;

/// Find how two entities are connected
///
/// The ways over claims from one to the other, the most believed first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    first: Option<OsString>,

    /// The two entities, by id or name
    #[arg(value_name = "ENTITY", add = crate::complete::word(crate::complete::Word::Text))]
    rest: Vec<OsString>,

    #[command(flatten)]
    graph: GraphArgs,

    /// How many ways at most
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u64>,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first, args.rest, 2)?;
    let [from, to] = located.words.as_slice() else {
        return Err(Failure::usage("between which two entities?")
            .hint("mge paths \"Ruth Calloway\" Petrel")
            .into());
    };
    let reading = Reading::open(context, &located.folder, &args.graph)?;
    let arguments = json!({"from": from, "to": to, "count": args.limit});
    let (raw, list): (_, PathList) = reading.ask(context, "paths", arguments)?;
    if context.global.json {
        context.printer.json(&raw)?;
    } else {
        for (position, path) in list.paths.iter().enumerate() {
            if position > 0 {
                context.printer.line("");
            }
            let names: Vec<String> = path.entities.iter().map(|entity| name(entity)).collect();
            let way = context.printer.paint(Paint::Bold, names.join(" — "));
            context.printer.line(format!("{way}  (belief {:.2})", path.belief));
            for claim in &path.claims {
                let line = reading.claim_line(&context.printer, claim);
                context.printer.line(format!("  {line}"));
                if let Some(citation) = claim.citations.first() {
                    reading.print_citation(&mut context.printer, citation, "    ");
                }
            }
        }
        if list.truncated {
            context.printer.note("the search stopped before it had looked everywhere");
        }
    }
    if list.paths.is_empty() {
        context.printer.note(format!("no way leads from {} to {}", name(&list.from), name(&list.to)));
        return Ok(Exit::NotFound);
    }
    Ok(Exit::Done)
}
