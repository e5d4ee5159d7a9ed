use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use mge_config::lock::{Holder, LockView};
use mge_endpoint::{ItemStatus, Status};

use crate::context::Context;
use crate::exit::Exit;
use crate::printer::{Paint, Printer, columns, harmless, wrap};

/// Show where an endpoint stands
///
/// It reads the configuration and a few small files. It never pilots, locks or writes.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    endpoint: Option<OsString>,

    /// Show it again whenever it changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let folder = context.locate_only(args.endpoint)?;
    if args.watch {
        return watch(&folder, context);
    }
    let status = context.look(&folder)?.status();
    show(&status, context)?;
    say_next(&status, context);
    Ok(Exit::Done)
}

fn show(status: &Status, context: &mut Context) -> anyhow::Result<()> {
    if context.global.json {
        context.printer.json(status)?;
    } else {
        print(status, &mut context.printer);
    }
    Ok(())
}

fn watch(folder: &Path, context: &mut Context) -> anyhow::Result<Exit> {
    context.listen()?;
    let mut before = String::new();
    loop {
        let status = context.look(folder)?.status();
        let now = serde_json::to_string(&status)?;
        if now != before {
            if !context.global.json && !before.is_empty() {
                context.printer.line("");
            }
            show(&status, context)?;
            context.printer.flush()?;
            before = now;
        }
        for _ in 0..10 {
            if let Some(exit) = context.signals.exit() {
                return Ok(exit);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn print(status: &Status, printer: &mut Printer) {
    let title = printer.paint(Paint::Bold, "🌐 Endpoint");
    printer.line(title);
    let mut fact = |name: &str, value: &str| {
        if value.is_empty() {
            return;
        }
        const INDENT: usize = 19;
        let room = printer.width().saturating_sub(INDENT).max(20);
        let mut lines = value.lines().flat_map(|line| wrap(line, room)).collect::<Vec<_>>().into_iter();
        let first = lines.next().unwrap_or_default();
        printer.line(format!("   {name:<14}: {first}"));
        for line in lines {
            printer.line(format!("{}{line}", " ".repeat(INDENT)));
        }
    };
    fact("name", &harmless(&status.name));
    fact("creation_date", &harmless(&status.creation_date));
    fact("mge_version", &harmless(&status.mge_version));
    fact("description", &harmless(&status.description));
    fact("folder", &status.path);
    let reached = state(printer, status.state.code, status.state.name);
    printer.line(format!("   {:<14}: {reached}", "state"));
    if let Some(note) = &status.note {
        let note = printer.paint(Paint::Yellow, note);
        printer.line(format!("   {:<14}: {note}", "note"));
    }
    if let Some(text) = lock_text(&status.lock) {
        let lock = printer.paint(Paint::Yellow, text);
        printer.line(format!("   {:<14}: {lock}", "lock"));
    }
    if !status.capabilities.is_empty() {
        let list = shortened(&status.capabilities, printer.width().saturating_sub(32).min(80));
        printer.line(format!("   {:<14}: ({} total) {list}", "capabilities", status.capabilities.len()));
    }
    for (section, items) in &status.sections {
        // The original shows some sections empty; ours are many, and an empty one tells nothing.
        if items.is_empty() {
            continue;
        }
        printer.line("");
        let title = printer.paint(Paint::Bold, format!("{} {section}", icon(section)));
        printer.line(format!("  {title} ({} total)", items.len()));
        let width = items.keys().map(|name| columns(name)).max().unwrap_or(0);
        for (name, item) in items {
            let padding = " ".repeat(width - columns(name));
            let state = state(printer, item.state.code, item.state.name);
            let counts = counts(item);
            let separator = if counts.is_empty() { "" } else { "  " };
            printer.line(format!("     - {name}:{padding} {state}{separator}{counts}"));
        }
    }
}

fn state(printer: &Printer, code: i32, name: &str) -> String {
    let name = printer.paint(Paint::Italic, format!("({name})"));
    let code = match code {
        ..0 => printer.paint(Paint::Red, code),
        100 => printer.paint(Paint::Green, code),
        _ => code.to_string(),
    };
    format!("{code} {name}")
}

fn lock_text(lock: &LockView) -> Option<String> {
    let who = |holder: &Option<Holder>| {
        holder.as_ref().map_or_else(|| "an unknown process".to_owned(), Holder::to_string)
    };
    match lock {
        LockView::Free => None,
        LockView::Locked { holder } => Some(format!("held by {}", who(holder))),
        LockView::Stale { holder } => {
            Some(format!("left behind by {}; the next writer takes over", who(holder)))
        }
    }
}

/// The counts in words: how much of all has been read stands in one place.
fn counts(item: &ItemStatus) -> String {
    let mut counts = item.counts.clone();
    let mut words = Vec::new();
    if let (Some(all), Some(read)) = (counts.get("chunks").copied(), counts.get("chunks_read").copied()) {
        counts.remove("chunks");
        counts.remove("chunks_read");
        #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
        let share = if all == 0 { 100.0 } else { read as f64 * 100.0 / all as f64 };
        words.push(format!("{read} of {all} chunks read ({share:.0} %)"));
    }
    let order = [
        "documents",
        "nodes",
        "edges",
        "entities",
        "claims",
        "evidence",
        "conflicts",
        "merges_pending",
        "chunks",
    ];
    let place = |name: &str| order.iter().position(|known| *known == name).unwrap_or(order.len());
    let mut rest: Vec<(&String, &u64)> = counts.iter().collect();
    rest.sort_by_key(|(name, _)| place(name));
    // What went wrong, or waits, is only worth a word when there is any.
    let quiet =
        |name: &str, count: u64| count == 0 && (name.ends_with("_failed") || name.ends_with("_pending"));
    let rest = rest.into_iter().filter(|(name, count)| !quiet(name, **count));
    let mut rest: Vec<String> =
        rest.map(|(name, count)| format!("{count} {}", name.replace('_', " "))).collect();
    let at = usize::from(counts.contains_key("documents")).min(rest.len());
    rest.splice(at..at, words);
    rest.join(", ")
}

/// The first names and the last, as many as fit.
fn shortened(names: &[String], room: usize) -> String {
    let full = names.join(", ");
    if columns(&full) <= room {
        return full;
    }
    let Some((last, first)) = names.split_last() else { return full };
    let mut kept = String::new();
    for name in first {
        if columns(&kept) + columns(name) + columns(last) + 8 > room {
            break;
        }
        kept.push_str(name);
        kept.push_str(", ");
    }
    format!("{kept}…, {last}")
}

fn icon(section: &str) -> &'static str {
    match section {
        "sources" => "📚",
        "ontologies" => "🏛️",
        "formalizers" => "🧩",
        "evidence_graphs" => "🕸️",
        "agents" => "🤖",
        "custom_agentics" => "🛠️",
        "tool_services" => "🔌",
        "memories" => "🧠",
        "workflows" => "🔀",
        _ => "•",
    }
}

fn say_next(status: &Status, context: &Context) {
    let graphs = status.sections.get("evidence_graphs");
    let claims =
        graphs.into_iter().flat_map(|graphs| graphs.values()).filter_map(|graph| graph.counts.get("claims"));
    let (command, why) = if status.state.code < 100 {
        ("mge pilot", "makes it ready")
    } else if claims.sum::<u64>() == 0 {
        ("mge crawl --all", "reads the documents")
    } else {
        ("mge ask \"…\"", "asks what they say")
    };
    context.printer.next(command, why);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_keeps_its_ends() {
        let names: Vec<String> = (0..30).map(|number| format!("capability_{number}")).collect();
        let short = shortened(&names, 60);
        assert_eq!(short, "capability_0, capability_1, …, capability_29");
        assert_eq!(shortened(&names[..2], 60), "capability_0, capability_1");
    }
}
