//! From an export to its pages: streamed, in constant memory, resumable after any interruption.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use mge_core::{Cancel, Digest, Progress};
use mge_wiki::{
    Export, ExportError, Page, Site, decompress, distinct_file_name, file_name, name_key, to_markdown,
};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::error::PagesError;
use super::store::{PageRow, PageStore, Run};
use crate::config::Layout;
use crate::shelf::{replace, stamp_of};

/// Changes with whatever changes the Markdown of a page, so that all are converted anew.
const CONVERTER: &str = "mge-wiki 1";
/// A batch holds so many pages, or so many bytes of their texts; it is one transaction.
const BATCH_PAGES: usize = 512;
const BATCH_BYTES: usize = 8 << 20;
/// So many batches are read ahead.
const AHEAD: usize = 2;
/// The most pages whose aliases are written together.
const ALIASES: usize = 256;

/// What is to be converted, and how.
pub(crate) struct Wanted<'a> {
    /// The export.
    pub(crate) export: &'a Path,
    /// The folder of the pages.
    pub(crate) folder: &'a Path,
    pub(crate) layout: Layout,
    /// The numbers of the namespaces; the articles when empty.
    pub(crate) namespaces: Vec<i32>,
    /// The present moment, in nanoseconds since 1970.
    pub(crate) now: i64,
}

/// What a conversion did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Converted {
    /// Pages that were written.
    pub(crate) written: u64,
    /// Pages that were there already.
    pub(crate) unchanged: u64,
    /// Pages that left the export.
    pub(crate) removed: u64,
    /// Pages that cannot be read.
    pub(crate) failed: u64,
}

/// Converts the pages of an export that are not there yet, and takes away those that left it.
///
/// A conversion that was interrupted goes on behind the last committed batch.
pub(crate) fn convert(
    wanted: &Wanted<'_>,
    told: &mut dyn FnMut(String),
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Converted, PagesError> {
    let unreadable = |source: io::Error| PagesError::Unreadable { path: wanted.export.to_owned(), source };
    let unwritable = |source: io::Error| PagesError::Unwritable { path: wanted.folder.to_owned(), source };
    let file = File::open(wanted.export).map_err(unreadable)?;
    let data = file.metadata().map_err(unreadable)?;
    if !data.is_file() {
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")));
    }
    let stamp = stamp_of(&data);
    let of = format!("{stamp:?} {:?} {:?} {CONVERTER}", wanted.layout, wanted.namespaces);
    fs::create_dir_all(wanted.folder).map_err(unwritable)?;
    let store = PageStore::open(wanted.folder)?;
    let last = store.run()?;
    if last.complete && last.of == of {
        return Ok(Converted { unchanged: store.count()?, ..Converted::default() });
    }
    let run =
        if last.of == of { last } else { Run { number: last.number + 1, of, position: 0, complete: false } };
    let mut driver = Driver { wanted, store, run, done: Converted::default() };
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(AHEAD);
        let start = Start { position: driver.run.position, namespaces: wanted.namespaces.clone() };
        scope.spawn(move || read(file, &start, &sender));
        driver.take(&receiver, told, progress, cancel)
    })?;
    driver.finish(cancel)?;
    Ok(driver.done)
}

/// Where reading begins, and what is read.
struct Start {
    position: u64,
    namespaces: Vec<i32>,
}

/// What the reading thread hands over.
enum Read {
    Site(Box<Site>),
    Pages(Vec<Page>),
    Failed(ExportError),
}

/// Reads an export to its end, or until nobody listens.
fn read(file: File, start: &Start, to: &SyncSender<Read>) {
    if let Err(error) = read_pages(file, start, to) {
        // Whoever has gone needs no error.
        let _ = to.send(Read::Failed(error));
    }
}

fn read_pages(file: File, start: &Start, to: &SyncSender<Read>) -> Result<(), ExportError> {
    let wanted = if start.namespaces.is_empty() { vec![0] } else { start.namespaces.clone() };
    let mut export =
        Export::new(decompress(io::BufReader::with_capacity(1 << 20, file))?)?.only_namespaces(wanted);
    if to.send(Read::Site(Box::new(export.site().clone()))).is_err() {
        return Ok(());
    }
    export.skip_to(start.position)?;
    let (mut batch, mut bytes) = (Vec::new(), 0);
    for page in export {
        let page = match page {
            Ok(page) => page,
            Err(error) if error.is_about_one_page() => {
                if to.send(Read::Failed(error)).is_err() {
                    return Ok(());
                }
                continue;
            }
            Err(error) => {
                // What was read before is good.
                let _ = to.send(Read::Pages(batch));
                return Err(error);
            }
        };
        bytes += page.text.len();
        batch.push(page);
        if batch.len() >= BATCH_PAGES || bytes >= BATCH_BYTES {
            if to.send(Read::Pages(std::mem::take(&mut batch))).is_err() {
                return Ok(());
            }
            bytes = 0;
        }
    }
    let _ = to.send(Read::Pages(batch));
    Ok(())
}

struct Driver<'a> {
    wanted: &'a Wanted<'a>,
    store: PageStore,
    run: Run,
    done: Converted,
}

/// A page with its place, before it is converted.
struct Placed {
    row: PageRow,
    folded: String,
    page: Page,
}

impl Driver<'_> {
    fn take(
        &mut self,
        from: &Receiver<Read>,
        told: &mut dyn FnMut(String),
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<(), PagesError> {
        let mut site = Site::default();
        for read in from {
            if cancel.is_cancelled() {
                return Err(PagesError::Cancelled);
            }
            match read {
                Read::Site(found) => site = *found,
                Read::Pages(pages) => self.pages(&site, pages)?,
                Read::Failed(error) if error.is_about_one_page() => {
                    self.done.failed += 1;
                    told(format!("skipped a page: {error}"));
                }
                Read::Failed(source) => {
                    let kept = self.store.count()?;
                    return Err(PagesError::Broken { path: self.wanted.export.to_owned(), kept, source });
                }
            }
            let done = self.done;
            progress.report("pages", done.written + done.unchanged + done.failed, None);
        }
        Ok(())
    }

    /// Converts a batch and commits it.
    fn pages(&mut self, site: &Site, pages: Vec<Page>) -> Result<(), PagesError> {
        let Some(end) = pages.last().map(|page| page.end) else { return Ok(()) };
        let (mut placed, mut seen, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        let mut taken = Taken::default();
        for page in pages {
            if let Some(target) = &page.redirect {
                redirects.push((page.title.clone(), target.clone()));
                continue;
            }
            let digest =
                Digest::of_parts([CONVERTER.as_bytes(), page.title.as_bytes(), page.text.as_bytes()]);
            let number = if page.id == 0 { page.end as i64 } else { page.id as i64 };
            let (name, folded, known) = self.place(&page.title, number, &taken)?;
            taken.insert(folded.clone());
            let row = PageRow { name, title: page.title.clone(), number, digest, seen: self.run.number };
            if known == Some(digest) && self.is_there(&row.name) {
                seen.push(row.name);
            } else {
                placed.push(Placed { row, folded, page });
            }
        }
        let made: Vec<Made> = placed.par_iter().map(|placed| markdown(site, &placed.page)).collect();
        let mut written = Vec::new();
        for (placed, made) in placed.into_iter().zip(made) {
            match made {
                Made::Text(text) => written.push((placed, text)),
                Made::Redirect(target) => redirects.push((placed.page.title, target)),
            }
        }
        let packed = self.wanted.layout == Layout::Packed;
        if !packed {
            // Before the rows: a page whose row is missing is written again.
            for (placed, text) in &written {
                self.write(&placed.row.name, text)?;
            }
        }
        self.run.position = end;
        let (run, now) = (&self.run, self.wanted.now);
        self.store.transact(|batch| {
            for (placed, text) in &written {
                batch.put(&placed.row, &placed.folded, now, text, packed)?;
            }
            for name in &seen {
                batch.see(name, run.number)?;
            }
            // A link to a section of a page is no other name of the page.
            for (title, target) in redirects.iter().filter(|(_, target)| !target.contains('#')) {
                batch.redirect(title, target, run.number)?;
            }
            batch.set_run(run)
        })?;
        self.done.written += written.len() as u64;
        self.done.unchanged += seen.len() as u64;
        Ok(())
    }

    /// Returns the name of a page's file, what it is compared by, and the digest of what is there under this name.
    ///
    /// A name that another page of this run has, or one of another title, is not taken away from it.
    fn place(
        &self,
        title: &str,
        number: i64,
        taken: &Taken,
    ) -> Result<(String, String, Option<Digest>), PagesError> {
        let name = file_name(title);
        let folded = name_key(&name);
        let present = self.store.named(&folded)?;
        let is_own = |row: &PageRow| {
            row.title == title && (row.number == number || row.seen < self.run.number) && row.name == name
        };
        if !taken.contains(&folded) && present.as_ref().is_none_or(is_own) {
            return Ok((name, folded, present.map(|row| row.digest)));
        }
        let name = distinct_file_name(title, number.unsigned_abs());
        let folded = name_key(&name);
        let known = self.store.named(&folded)?.map(|row| row.digest);
        Ok((name, folded, known))
    }

    fn is_there(&self, name: &str) -> bool {
        self.wanted.layout == Layout::Packed || self.file(name).exists()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.wanted.folder.join(name)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), PagesError> {
        replace(&self.file(name), text.as_bytes())
            .map_err(|source| PagesError::Unwritable { path: self.wanted.folder.to_owned(), source })
    }

    /// Takes away what left the export, gives the pages the aliases that redirects make, and ends the run.
    fn finish(&mut self, cancel: &Cancel) -> Result<(), PagesError> {
        let packed = self.wanted.layout == Layout::Packed;
        loop {
            let gone = self.store.unseen(self.run.number, BATCH_PAGES)?;
            if gone.is_empty() {
                break;
            }
            for name in &gone {
                match fs::remove_file(self.file(name)) {
                    Err(source) if source.kind() != io::ErrorKind::NotFound => {
                        return Err(PagesError::Unwritable { path: self.wanted.folder.to_owned(), source });
                    }
                    _ => {}
                }
            }
            self.store.transact(|batch| gone.iter().try_for_each(|name| batch.remove(name)))?;
            self.done.removed += gone.len() as u64;
        }
        let number = self.run.number;
        self.store.transact(|batch| batch.forget_redirects(number))?;
        let mut after = String::new();
        loop {
            if cancel.is_cancelled() {
                return Err(PagesError::Cancelled);
            }
            let renamed = self.store.renamed(&after, ALIASES)?;
            let Some((last, _)) = renamed.last() else { break };
            last.clone_into(&mut after);
            let mut written = Vec::new();
            for (name, aliases) in renamed {
                let Some(text) = self.text(&name)? else { continue };
                let text = with_aliases(&text, &aliases);
                if !packed {
                    self.write(&name, &text)?;
                }
                written.push((name, aliases, text));
            }
            let now = self.wanted.now;
            self.store.transact(|batch| {
                written
                    .iter()
                    .try_for_each(|(name, aliases, text)| batch.rename(name, aliases, now, text, packed))
            })?;
        }
        self.run.complete = true;
        self.store.transact(|batch| batch.set_run(&self.run))
    }

    fn text(&self, name: &str) -> Result<Option<String>, PagesError> {
        if self.wanted.layout == Layout::Packed {
            return self.store.text(name);
        }
        match fs::read_to_string(self.file(name)) {
            Ok(text) => Ok(Some(text)),
            // Somebody took it away or wrote something else into it; the next run writes it anew.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidData) => {
                Ok(None)
            }
            Err(source) => Err(PagesError::Unwritable { path: self.wanted.folder.to_owned(), source }),
        }
    }
}

/// The names that pages of one batch have taken.
type Taken = std::collections::HashSet<String>;

/// What a page is.
enum Made {
    Text(String),
    /// Another name of the page of this title. Old exports say so in the text alone.
    Redirect(String),
}

fn markdown(site: &Site, page: &Page) -> Made {
    let heading = mge_wiki::title_heading(&page.title);
    if !(page.model.is_empty() || page.model == "wikitext") {
        // Styles, scripts, data: no prose.
        return Made::Text(heading);
    }
    let article = to_markdown(site, &page.title, &page.text);
    match article.redirect {
        Some(target) => Made::Redirect(target),
        None if article.markdown.is_empty() => Made::Text(heading),
        None => Made::Text(format!("{heading}\n{}", article.markdown)),
    }
}

const FENCE: &str = "---\n";

/// Puts the aliases of a page before its text, instead of those that it has.
fn with_aliases(text: &str, aliases: &str) -> String {
    // No page begins with a fence of its own: each begins with its title.
    let bare = match text.strip_prefix(FENCE).and_then(|rest| rest.split_once("\n---\n\n")) {
        Some((_, bare)) => bare,
        None => text,
    };
    if aliases.is_empty() {
        return bare.to_owned();
    }
    let quoted: Vec<String> = aliases
        .lines()
        .map(|alias| format!("\"{}\"", alias.replace('\\', "\\\\").replace('"', "\\\"")))
        .collect();
    format!("{FENCE}aliases: [{}]\n---\n\n{bare}", quoted.join(", "))
}
