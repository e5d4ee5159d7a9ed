use std::ffi::OsString;

use mge_evidence::ContradictionList;
use serde_json::json;

use crate::context::Context;
use crate::diagnostics::plural;
use crate::exit::Exit;
use crate::graph::{GraphArgs, Reading, name, period};
use crate::printer::Paint;
use crate::rows::{Format, Rows, RowsArgs};

/// List what the documents disagree about
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    endpoint: Option<OsString>,

    #[command(flatten)]
    graph: GraphArgs,

    /// How many at most
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u64>,

    #[command(flatten)]
    rows: RowsArgs,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let folder = context.locate_only(args.endpoint)?;
    let reading = Reading::open(context, &folder, &args.graph)?;
    let (raw, list): (_, ContradictionList) =
        reading.ask(context, "contradictions", json!({"limit": args.limit}))?;
    let format = args.rows.format;
    if context.global.json || format == Format::Json {
        context.printer.json(&raw)?;
        return Ok(Exit::Done);
    }
    if format == Format::Table {
        for conflict in &list.contradictions {
            let kind = match conflict.kind.as_str() {
                "rival_values" => "values that exclude each other",
                "denied" => "stated and denied",
                other => other,
            };
            let title = context.printer.paint(Paint::Bold, format!("{kind}, {}", period(conflict.period)));
            context.printer.line(title);
            for claim in &conflict.claims {
                reading.print_claim(&mut context.printer, claim);
            }
            context.printer.line("");
        }
        let more = if list.truncated { ", and there are more: --limit NUMBER" } else { "" };
        context.printer.line(format!("{}{more}", plural(list.contradictions.len(), "conflict")));
        return Ok(Exit::Done);
    }
    let mut rows =
        Rows::new(&["kind", "time", "subject", "relation", "object", "belief#", "disbelief#", "claim"]);
    for conflict in &list.contradictions {
        for claim in &conflict.claims {
            rows.push(vec![
                conflict.kind.clone(),
                period(conflict.period),
                name(&claim.subject),
                claim.relation.clone(),
                claim.literal.clone().unwrap_or_else(|| name(&claim.object)),
                format!("{:.4}", claim.belief),
                format!("{:.4}", claim.disbelief),
                claim.id.clone(),
            ]);
        }
    }
    rows.print(&mut context.printer, format)?;
    Ok(Exit::Done)
}
