//! Crawling again when files change.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use mge_config::Section;
use mge_endpoint::Endpoint;
use notify::{EventKind, RecursiveMode};
use serde_json::json;

use super::{Job, Telling, crawl_all, line};
use crate::context::Context;
use crate::exit::Exit;

/// After a change nothing more must come for this long: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(400);
/// What changes without a pause is read after this long all the same.
const LONGEST: Duration = Duration::from_secs(10);
/// How often a signal is looked for.
const TICK: Duration = Duration::from_millis(100);
/// How often a place is looked for that is not there.
const MISSING: Duration = Duration::from_secs(2);

/// Gathers changes into one: they are due when it has been quiet, or has been loud for long.
#[derive(Debug, Default)]
struct Changes {
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Changes {
    fn notice(&mut self, now: Instant) {
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    fn are_due(&self, now: Instant) -> bool {
        let passed = |since: Option<Instant>, most| since.is_some_and(|since| now >= since + most);
        passed(self.last, QUIET) || passed(self.first, LONGEST)
    }
}

/// Crawls, and again whenever files of the sources change, until a signal comes.
///
/// The endpoint is opened anew for each crawl: its documents are listed anew, and in between it is free for others.
pub(super) fn run(
    folder: &Path,
    job: &Job,
    wait: Option<u64>,
    context: &mut Context,
) -> anyhow::Result<Exit> {
    let mut telling = Telling::default();
    let mut places: Vec<PathBuf> = Vec::new();
    loop {
        let (sender, receiver) = channel();
        let mut watcher = notify::recommended_watcher(sender)?;
        // Watched before the documents are listed, so that no change falls in between.
        let missing = places.iter().filter(|place| watch(&mut watcher, place).is_err()).count() > 0;
        let (exit, found) = crawl_once(folder, job, wait, &mut telling, context)?;
        if matches!(exit, Exit::Interrupted | Exit::Terminated) {
            return Ok(exit);
        }
        if places != found {
            // The first time, or the configuration has changed: what changed meanwhile is found by crawling once more.
            places = found;
            continue;
        }
        if context.global.json {
            let line = line(&json!({"type": "watching", "places": places}), &mut telling)?;
            context.printer.line_now(line)?;
        } else {
            context.printer.note("watching for changes; Ctrl-C ends it");
            context.printer.flush()?;
        }
        let (mut changes, began) = (Changes::default(), Instant::now());
        loop {
            if let Some(exit) = context.signals.exit() {
                return Ok(exit);
            }
            match receiver.recv_timeout(TICK) {
                Ok(Ok(event)) if concerns(&event, folder) => changes.notice(Instant::now()),
                // What was missed is found by looking.
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => changes.notice(Instant::now()),
                Ok(Ok(_)) | Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            let came = missing && now >= began + MISSING && places.iter().all(|place| place.exists());
            if came || changes.are_due(now) {
                break;
            }
        }
    }
}

fn crawl_once(
    folder: &Path,
    job: &Job,
    wait: Option<u64>,
    telling: &mut Telling,
    context: &mut Context,
) -> anyhow::Result<(Exit, Vec<PathBuf>)> {
    let endpoint = context.write(folder, "mge crawl --watch", wait)?;
    let result = crawl_all(&endpoint, None, job.clone(), telling, context);
    let places = places(&endpoint);
    let closed = context.close(&endpoint);
    let exit = result?;
    closed?;
    Ok((exit, places))
}

fn places(endpoint: &Endpoint) -> Vec<PathBuf> {
    let names = endpoint.names_of(Section::Sources);
    let corpora = names.into_iter().filter_map(|name| endpoint.component(name)?.facets().corpus);
    corpora.flat_map(|corpus| corpus.places()).collect()
}

/// Watches a folder with all below it, and of a file its folder: it may be replaced as a whole.
fn watch(watcher: &mut impl notify::Watcher, place: &Path) -> notify::Result<()> {
    if place.is_dir() {
        return watcher.watch(place, RecursiveMode::Recursive);
    }
    let parent = place.parent().filter(|parent| !parent.as_os_str().is_empty());
    watcher.watch(parent.unwrap_or(Path::new(".")), RecursiveMode::NonRecursive)
}

/// Tells whether an event is a change of somebody's files: reading is none, and what a crawl writes is none either.
fn concerns(event: &notify::Event, folder: &Path) -> bool {
    let own = |path: &PathBuf| {
        let below = path.strip_prefix(folder).ok();
        let graphs = below.is_some_and(|below| below.starts_with("graphs"));
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let state = below.is_some_and(|below| below.to_string_lossy().starts_with("mge_endpoint"));
        graphs || hidden || state
    };
    !matches!(event.kind, EventKind::Access(_)) && !event.paths.iter().all(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_changes_are_one_when_it_is_quiet() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut changes = Changes::default();
        assert!(!changes.are_due(at(60_000)));
        changes.notice(at(0));
        changes.notice(at(300));
        assert!(!changes.are_due(at(500)));
        assert!(changes.are_due(at(700)));
    }

    #[test]
    fn what_never_rests_is_read_all_the_same() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut changes = Changes::default();
        for tenth in 0..=100 {
            changes.notice(at(tenth * 100));
        }
        assert!(changes.are_due(at(10_000)));
    }

    #[test]
    fn own_files_and_reading_are_no_change() {
        use notify::event::{AccessKind, CreateKind, ModifyKind};
        let event = |kind, path: &str| notify::Event::new(kind).add_path(PathBuf::from(path));
        let modify = EventKind::Modify(ModifyKind::Any);
        let folder = Path::new("/e");
        for (event, expected) in [
            (event(modify, "/e/documents/a.md"), true),
            (event(EventKind::Create(CreateKind::File), "/elsewhere/a.md"), true),
            (event(EventKind::Access(AccessKind::Any), "/e/documents/a.md"), false),
            (event(modify, "/e/graphs/g/graph.sqlite-wal"), false),
            (event(modify, "/e/mge_endpoint_autopilot.json"), false),
            (event(modify, "/e/documents/.a.md.swp"), false),
        ] {
            assert_eq!(concerns(&event, folder), expected, "{event:?}");
        }
    }
}
