use std::ffi::OsString;

use mge_evidence::Timeline;
use serde_json::json;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::graph::{GraphArgs, Reading, name, period};
use crate::rows::{Format, Rows, RowsArgs};

/// List what is known of an entity in order of time
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    first: Option<OsString>,

    /// The entity's id, or its name
    #[arg(value_name = "ENTITY", add = crate::complete::word(crate::complete::Word::Text))]
    second: Option<OsString>,

    #[command(flatten)]
    graph: GraphArgs,

    /// How many entries at most
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u64>,

    #[command(flatten)]
    rows: RowsArgs,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first, args.second, 1)?;
    let Some(entity) = located.words.first() else {
        return Err(Failure::usage("of which entity?")
            .hint("mge timeline \"Merrow Marine Institute\"")
            .into());
    };
    let reading = Reading::open(context, &located.folder, &args.graph)?;
    let arguments = json!({"entity": entity, "limit": args.limit});
    let (raw, timeline): (_, Timeline) = reading.ask(context, "timeline", arguments)?;
    let format = args.rows.format;
    if context.global.json || format == Format::Json {
        context.printer.json(&raw)?;
        return Ok(Exit::Done);
    }
    let mut rows = if format == Format::Table {
        context.printer.line(&timeline.entity);
        Rows::new(&["time", "belief#", "rests on", "what", "place/", "claim"])
    } else {
        Rows::new(&["time", "belief#", "rests on", "subject", "relation", "object", "place/", "claim"])
    };
    for entry in &timeline.entries {
        let claim = &entry.claim;
        let place = claim.citations.first().map(|citation| reading.places.cite(citation));
        let (subject, relation) = (name(&claim.subject), claim.relation.clone());
        let object = claim.literal.clone().unwrap_or_else(|| name(&claim.object));
        let mut row = vec![period(entry.period), format!("{:.2}", entry.belief), entry.basis.clone()];
        if format == Format::Table {
            // The entity itself stands above the table.
            let is_subject = claim.subject == timeline.entity;
            row.push(if is_subject {
                format!("{relation} → {object}")
            } else {
                format!("{subject} — {relation} →")
            });
        } else {
            row.extend([subject, relation, object]);
        }
        row.extend([place.unwrap_or_default(), claim.id.clone()]);
        rows.push(row);
    }
    rows.print(&mut context.printer, format)?;
    if timeline.truncated {
        context.printer.note("there is more: --limit NUMBER");
    }
    Ok(Exit::Done)
}
