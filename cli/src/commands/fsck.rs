use std::ffi::OsString;

use mge_config::Section;
use mge_core::Severity;
use serde_json::json;

use crate::context::{Context, graph_face, graph_name};
use crate::diagnostics::plural;
use crate::exit::Exit;
use crate::printer::Paint;

/// Prove an evidence graph sound
///
/// No orphan, no dangling span, every quote equals its text, every belief equals its recomputation. It changes nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    endpoint: Option<OsString>,

    /// This evidence graph only
    #[arg(long, value_name = "NAME", add = crate::complete::word(crate::complete::Word::Graph))]
    graph: Option<String>,

    /// Pilot first if need be
    #[arg(long)]
    pilot: bool,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let folder = context.locate_only(args.endpoint)?;
    let looked = context.look(&folder)?;
    let names: Vec<String> = match &args.graph {
        Some(named) => vec![graph_name(&looked, Some(named))?],
        None => looked.names_of(Section::EvidenceGraphs).into_iter().map(str::to_owned).collect(),
    };
    let needed: Vec<&str> = names.iter().map(String::as_str).collect();
    let endpoint = context.read(&folder, &needed, args.pilot)?;
    let mut found = Vec::new();
    for name in &names {
        let problems = graph_face(&endpoint, name)?.verify(&context.cancel)?;
        found.push((name, problems));
    }
    let ok =
        found.iter().all(|(_, problems)| problems.iter().all(|problem| problem.severity != Severity::Error));
    if context.global.json {
        let graphs: serde_json::Map<_, _> =
            found.iter().map(|(name, problems)| ((*name).clone(), json!({"problems": problems}))).collect();
        context.printer.json(&json!({"version": 1, "ok": ok, "graphs": graphs}))?;
    } else {
        for (name, problems) in &found {
            for problem in problems {
                let word = match problem.severity {
                    Severity::Error => context.printer.paint(Paint::Red, "error"),
                    Severity::Warning => context.printer.paint(Paint::Yellow, "warning"),
                };
                context.printer.line(format!("{word}: {name}: {}", problem.message));
                if let Some(hint) = &problem.hint {
                    context.printer.line(format!("  hint: {hint}"));
                }
            }
            let verdict = match problems.len() {
                0 => "sound".to_owned(),
                count => plural(count, "problem"),
            };
            context.printer.line(format!("{name}: {verdict}"));
        }
    }
    if ok {
        return Ok(Exit::Done);
    }
    context.printer.next("mge rebuild", "computes anew all that is derived");
    Ok(Exit::Failures)
}
