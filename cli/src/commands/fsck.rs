use std::ffi::OsString;

use mge_config::Section;
use mge_core::{Problem, Severity};
use serde_json::json;

use crate::context::{Context, graph_face, graph_name};
use crate::diagnostics::plural;
use crate::exit::Exit;
use crate::printer::Paint;

/// Prove evidence graphs and search indices sound
///
/// No orphan, no dangling span, every quote equals its text, every belief equals its recomputation; every search index is
/// read as a whole. It changes nothing.
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
    let of_section =
        |section| -> Vec<String> { looked.names_of(section).into_iter().map(str::to_owned).collect() };
    let (graphs, sources) = match &args.graph {
        Some(named) => (vec![graph_name(&looked, Some(named))?], Vec::new()),
        None => (of_section(Section::EvidenceGraphs), of_section(Section::Sources)),
    };
    let needed: Vec<&str> = graphs.iter().chain(&sources).map(String::as_str).collect();
    let endpoint = context.read(&folder, &needed, args.pilot)?;
    let mut of_graphs = Vec::new();
    for name in graphs {
        let problems = graph_face(&endpoint, &name)?.verify(&context.cancel)?;
        of_graphs.push((name, problems));
    }
    let of_sources: Vec<(String, Vec<Problem>)> = sources
        .into_iter()
        .filter_map(|name| {
            let corpus = endpoint.component(&name)?.facets().corpus?;
            Some((name, corpus.verify()))
        })
        .collect();
    let is_sound = |(_, problems): &(String, Vec<Problem>)| {
        problems.iter().all(|problem| problem.severity != Severity::Error)
    };
    let ok = of_graphs.iter().all(is_sound);
    let all_ok = ok && of_sources.iter().all(is_sound);
    if context.global.json {
        let shown = |found: &[(String, Vec<Problem>)]| -> serde_json::Map<_, _> {
            found.iter().map(|(name, problems)| (name.clone(), json!({"problems": problems}))).collect()
        };
        let (graphs, sources) = (shown(&of_graphs), shown(&of_sources));
        context.printer.json(&json!({"version": 1, "ok": all_ok, "graphs": graphs, "sources": sources}))?;
    } else {
        for (name, problems) in of_graphs.iter().chain(&of_sources) {
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
    if all_ok {
        return Ok(Exit::Done);
    }
    if ok {
        context.printer.next("mge pilot", "makes a search index anew");
        return Ok(Exit::Failures);
    }
    context.printer.next("mge rebuild", "computes anew all that is derived");
    Ok(Exit::Failures)
}
