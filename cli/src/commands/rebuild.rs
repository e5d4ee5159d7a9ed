use std::ffi::OsString;

use crate::context::{Context, graph_face, graph_name};
use crate::exit::Exit;

/// Compute anew all that is derived from a graph's log
///
/// Entities, beliefs and indices: the same as before, unless something was damaged or the rules have changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    endpoint: Option<OsString>,

    /// The evidence graph, if there are several
    #[arg(long, value_name = "NAME", add = crate::complete::word(crate::complete::Word::Graph))]
    graph: Option<String>,

    /// Wait this long for another writer to end
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let folder = context.locate_only(args.endpoint)?;
    let endpoint = context.write(&folder, "mge rebuild", args.wait)?;
    let result = context.pilot_fully(&endpoint).and_then(|()| {
        let name = graph_name(&endpoint, args.graph.as_deref())?;
        graph_face(&endpoint, &name)?.rebuild(&context.cancel)?;
        Ok(name)
    });
    let closed = context.close(&endpoint);
    let name = match (result, context.signals.exit()) {
        // What was begun is undone by the store: nothing is half rebuilt.
        (_, Some(exit)) => return Ok(exit),
        (result, None) => result?,
    };
    closed?;
    if context.global.json {
        context.printer.json(&serde_json::json!({"version": 1, "graph": name, "rebuilt": true}))?;
    } else {
        context.printer.line(format!("Rebuilt the evidence graph \"{name}\""));
    }
    context.printer.next("mge fsck", "proves it sound");
    Ok(Exit::Done)
}
