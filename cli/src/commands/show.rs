use std::ffi::OsString;
use std::fs;
use std::path::Path;

use mge_config::Section;
use mge_evidence::{ClaimList, EntityDetail, EntityList, Explained};
use serde_json::{Value, json};

use crate::cite::{Places, on_page};
use crate::context::Context;
use crate::diagnostics::plural;
use crate::exit::{Exit, Failure, did_you_mean, judge};
use crate::graph::{GraphArgs, Reading};
use crate::printer::{Paint, Printer, harmless, one_line};

/// Show a document, a concept, an entity or a claim
///
/// What it is follows from how it is called: an index of a source or an ontology, the id or the name of an entity, or the
/// id of a claim.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mge show documents                       What a source holds
  mge show 'documents|ferry/faq.md'        A document and its sections
  mge show 'entities|person'               A concept
  mge show \"Ruth Calloway\"                 An entity with what is claimed of it")]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or(crate::complete::Word::Item))]
    first: Option<OsString>,

    /// An index, an id, or a name
    #[arg(value_name = "INDEX", add = crate::complete::word(crate::complete::Word::Item))]
    second: Option<OsString>,

    /// Show this many lines of the file before and after as well
    #[arg(long, value_name = "LINES")]
    context: Option<usize>,

    #[command(flatten)]
    graph: GraphArgs,
}

pub(crate) fn run(mut args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let located = context.locate(args.first.take(), args.second.take(), 1)?;
    let Some(id) = located.words.first().filter(|id| !id.trim().is_empty()) else {
        return Err(Failure::usage("show what?").hint("mge show documents").into());
    };
    let first = id.split('|').next().unwrap_or_default();
    let looked = context.look(&located.folder)?;
    let sources = looked.names_of(Section::Sources);
    let ontologies = looked.names_of(Section::Ontologies);
    if sources.contains(&first) {
        return node(&located.folder, first, "object", id, &args, context);
    }
    if ontologies.contains(&first) {
        return node(&located.folder, first, "node", id, &args, context);
    }
    let names: Vec<String> = sources.iter().chain(&ontologies).map(|name| (*name).to_owned()).collect();
    let reading = Reading::open(context, &located.folder, &args.graph)?;
    let found = match is_claim_id(id).then(|| claim(&reading, id, context)) {
        // A name in small letters looks like the id of a claim.
        Some(Err(error)) if judge(&error).0 == Exit::NotFound => {
            entity(&reading, id, context).map_err(|_| error)
        }
        Some(found) => found,
        None => entity(&reading, id, context),
    };
    // A mistyped source looks like an entity.
    found.map_err(|error| match (judge(&error).0, did_you_mean(first, names.iter().map(String::as_str))) {
        (Exit::NotFound, Some(hint)) => {
            Failure::not_found(format!("nothing is called '{id}'")).hint(hint).into()
        }
        _ => error,
    })
}

/// Claims are called by the digits of a hash, or several of them.
fn is_claim_id(id: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte == b'+';
    id.len() >= 4 && id.bytes().all(is_digit)
}

/// Shows a node of a source or an ontology with what lies below it.
fn node(
    folder: &Path,
    item: &str,
    verb: &str,
    index: &str,
    args: &Args,
    context: &mut Context,
) -> anyhow::Result<Exit> {
    let endpoint = context.read(folder, &[item], args.graph.pilot)?;
    let object =
        context.call(&endpoint, item, &format!("{verb}_by_idx_{item}"), json!({"index": index}))?.message;
    let children =
        context.call(&endpoint, item, &format!("children_by_idx_{item}"), json!({"index": index}))?.message;
    if context.global.json {
        context.printer.json(&json!({"version": 1, "node": object, "children": children}))?;
        return Ok(Exit::Done);
    }
    let places = Places::new(&endpoint);
    print_node(&mut context.printer, &places, index, &object);
    if let (Some(lines), Some(file)) = (args.context, places.file(index)) {
        context.printer.line("");
        surroundings(&mut context.printer, &file, &object, lines)?;
    }
    if let Some(children) = children.as_array().filter(|children| !children.is_empty()) {
        context.printer.line("");
        for child in children {
            let text = child.as_str().map_or_else(|| child.to_string(), one_line);
            context.printer.line(format!("  {text}"));
        }
    }
    Ok(Exit::Done)
}

fn print_node(printer: &mut Printer, places: &Places, index: &str, object: &Value) {
    let start = object["bytes"][0].as_u64().and_then(|start| usize::try_from(start).ok()).unwrap_or(0);
    let place = if object.get("bytes").is_some() { places.place(index, start) } else { index.to_owned() };
    let kind = object["type"].as_str().unwrap_or_default();
    let place = printer.paint(Paint::Cyan, on_page(place, object["page"].as_str()));
    printer.line(format!("{} {place}", printer.paint(Paint::Bold, kind)).trim_start());
    if let Some(content) = object["content"].as_str() {
        printer.line("");
        printer.line(harmless(content).trim_end());
        return;
    }
    for (name, value) in object.as_object().into_iter().flatten() {
        if matches!(name.as_str(), "type" | "index" | "lines" | "bytes" | "source") {
            continue;
        }
        let text = value.as_str().map_or_else(|| value.to_string(), harmless);
        printer.line(format!("  {name}: {}", text.trim_end().replace('\n', "\n    ")));
    }
}

/// Prints the lines of a node with those around it, the node's own marked.
fn surroundings(printer: &mut Printer, file: &Path, object: &Value, around: usize) -> anyhow::Result<()> {
    let bound = |at: usize| object["lines"][at].as_u64().and_then(|line| usize::try_from(line).ok());
    let (Some(first), Some(end)) = (bound(0), bound(1)) else { return Ok(()) };
    let bytes = fs::read(file).map_err(|error| {
        Failure::new(Exit::Outside, format!("cannot read {}", file.display())).caused_by(error)
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let shown = first.saturating_sub(around)..end.saturating_add(around);
    let width = shown.end.to_string().len();
    for (number, line) in text.lines().enumerate().skip(shown.start).take(shown.len()) {
        let mark = if (first..end).contains(&number) { ">" } else { " " };
        let margin = printer.paint(Paint::Dim, format!("{mark} {:>width$} │", number + 1));
        printer.line(format!("{margin} {}", harmless(line)));
    }
    Ok(())
}

fn claim(reading: &Reading, id: &str, context: &mut Context) -> anyhow::Result<Exit> {
    let (_, explained): (_, Explained) = reading.ask(context, "explain", json!({"claim": id}))?;
    let claim = explained.claim;
    if context.global.json {
        context.printer.json(&json!({"version": 1, "claim": claim}))?;
        return Ok(Exit::Done);
    }
    let line = reading.claim_line(&context.printer, &claim);
    context.printer.line(line);
    for citation in &claim.citations {
        reading.print_citation(&mut context.printer, citation, "  ");
    }
    context.printer.next(&format!("mge explain {}", claim.id), "shows how its belief came about");
    Ok(Exit::Done)
}

fn entity(reading: &Reading, id: &str, context: &mut Context) -> anyhow::Result<Exit> {
    let id = if id.contains('|') { id.to_owned() } else { named(reading, id, context)? };
    let (mut raw, detail): (_, EntityDetail) = reading.ask(context, "entity", json!({"entity": id}))?;
    let mut claims = Vec::new();
    let mut truncated = false;
    for end in ["subject", "object"] {
        let (_, list): (_, ClaimList) = reading.ask(context, "claims", json!({end: detail.entity.id}))?;
        truncated |= list.truncated;
        claims.extend(list.claims);
    }
    if context.global.json {
        if let Value::Object(fields) = &mut raw {
            fields.insert("claims".to_owned(), serde_json::to_value(claims)?);
        }
        context.printer.json(&raw)?;
        return Ok(Exit::Done);
    }
    let printer = &mut context.printer;
    let title = printer.paint(Paint::Bold, one_line(&detail.entity.name));
    printer.line(format!("{title}  {}", one_line(&detail.entity.id)));
    if !detail.entity.aliases.is_empty() {
        printer.line(format!("also called {}", one_line(&detail.entity.aliases.join(", "))));
    }
    let mentions = plural(usize::try_from(detail.entity.mentions).unwrap_or(usize::MAX), "mention");
    printer.line(format!("{mentions}, belief {:.2}", detail.belief));
    for citation in detail.mentions.iter().take(3) {
        let place = printer.paint(Paint::Cyan, reading.places.cite(citation));
        printer.line(format!("  {place}  “{}”", one_line(&citation.quote)));
    }
    if !claims.is_empty() {
        printer.line("");
        for claim in &claims {
            let line = reading.claim_line(printer, claim);
            printer.line(line);
        }
        if truncated {
            printer
                .line(format!("and more: mge run claims_{} subject='{}'", reading.graph, detail.entity.id));
        }
    }
    Ok(Exit::Done)
}

/// Returns the id of the entity that bears a name.
fn named(reading: &Reading, name: &str, context: &mut Context) -> anyhow::Result<String> {
    let (_, found): (_, EntityList) = reading.ask(context, "find_entities", json!({"name": name}))?;
    let missing = || Failure::not_found(format!("no entity is called '{name}'"));
    match (found.entities.as_slice(), found.near) {
        ([], _) => Err(missing().into()),
        ([first, ..], false) => Ok(first.id.clone()),
        (near, true) => {
            let names: Vec<&str> = near.iter().take(3).map(|entity| entity.id.as_str()).collect();
            Err(missing().hint(format!("did you mean '{}'?", names.join("' or '"))).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_claim_id;

    #[test]
    fn claims_are_told_from_names() {
        for id in ["5x6pp8f", "0123", "5x6pp8f+f1zqpp4"] {
            assert!(is_claim_id(id), "{id}");
        }
        for id in ["abc", "person|x", "Petrel", "Ruth Calloway"] {
            assert!(!is_claim_id(id), "{id}");
        }
    }
}
