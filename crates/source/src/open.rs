//! How a source is opened: by its type, from a folder, a mirror of documents, or an export.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use mge_convert::Format;
use mge_core::{Cancel, Clock, Fault, Progress};

use crate::config::{Convert, Layout, SourceConfig, SourceType};
use crate::error::OpenError;
use crate::pages::{self, Pack, PageStore, PagesError, Wanted};
use crate::shelf::{Converter, Folder, Mirror, Rules, Shelf, walk};
use crate::source::Source;

/// The endings of the documents that a mirror converts, in lower case and without their dot.
pub const DOCUMENT_ENDINGS: &[&str] = &Format::EXTENSIONS;

/// What a source is configured to be.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    /// The endpoint's folder, which the paths are relative to.
    pub(crate) folder: &'a Path,
    pub(crate) config: &'a SourceConfig,
}

impl Setup<'_> {
    /// Looks whether what the configuration names is there.
    pub(crate) fn look(&self) -> Result<(), Fault> {
        match self.config.r#type {
            SourceType::MarkdownTree => must_be(&self.markdown(), "dst_path", true),
            SourceType::PdfMirror => must_be(&self.originals(), "src_path", true),
            SourceType::XmlStream => must_be(&self.originals(), "src_path", false),
        }
    }

    /// Returns where the documents come from.
    pub(crate) fn origin(&self) -> PathBuf {
        match self.config.r#type {
            SourceType::MarkdownTree => self.markdown(),
            SourceType::PdfMirror | SourceType::XmlStream => self.originals(),
        }
    }

    /// Counts the documents, if that is quickly done.
    pub(crate) fn count(&self, progress: &dyn Progress, cancel: &Cancel) -> Option<u64> {
        let listed = |root: PathBuf, endings: &[&str]| {
            let files = walk(&root, &self.rules(endings).ok()?, progress, cancel).ok()?;
            Some(files.len() as u64)
        };
        match (self.config.r#type, self.config.layout) {
            (SourceType::MarkdownTree, _) => listed(self.markdown(), &[]),
            (SourceType::PdfMirror, _) => listed(self.originals(), DOCUMENT_ENDINGS),
            (SourceType::XmlStream, Layout::Files) => listed(self.markdown(), &["md"]),
            (SourceType::XmlStream, Layout::Packed) => PageStore::read(&self.markdown()).ok()?.count().ok(),
        }
    }

    /// Where the Markdown is.
    fn markdown(&self) -> PathBuf {
        // An absolute path replaces the folder.
        self.folder.join(self.config.dst_path.as_deref().unwrap_or_default())
    }

    /// Where the documents or the export are.
    fn originals(&self) -> PathBuf {
        self.folder.join(self.config.src_path.as_deref().unwrap_or_default())
    }

    /// Which files belong to the source: as configured, else by these endings.
    fn rules(&self, endings: &[&str]) -> Result<Rules, Fault> {
        let usual: Vec<String> = endings.iter().map(|ending| (*ending).to_owned()).collect();
        let endings = if self.config.extensions.is_empty() { &usual } else { &self.config.extensions };
        Rules::new(endings, &self.config.exclude).map_err(|error| Fault::new(error.to_string()))
    }

    fn folder_at(&self, root: &Path, endings: &[&str]) -> Result<Folder, Fault> {
        Folder::open(root, self.rules(endings)?, self.config.max_file_bytes)
            .map_err(|error| Fault::new(error.to_string()))
    }
}

/// What a source is opened with.
pub(crate) struct Opening<'a> {
    pub(crate) name: &'a str,
    pub(crate) setup: Setup<'a>,
    pub(crate) timezone: TimeZone,
    /// Whether documents may be converted into the folder.
    pub(crate) writable: bool,
    /// Whether the configured converter may run.
    pub(crate) run_commands: bool,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) cancel: &'a Cancel,
}

impl Opening<'_> {
    /// Opens the source; tells what was done for it.
    pub(crate) fn open(&self, told: &mut dyn FnMut(String)) -> Result<(Source, String), Fault> {
        let (source, mut done) = match self.setup.config.r#type {
            SourceType::MarkdownTree => {
                let folder = self.setup.folder_at(&self.setup.markdown(), &[])?;
                (self.source(Arc::new(folder))?, String::new())
            }
            SourceType::PdfMirror => self.mirror(told)?,
            SourceType::XmlStream => self.pages(told)?,
        };
        let skipped = source.skipped();
        for (path, reason) in &skipped {
            told(format!("skipped '{path}': {reason}"));
        }
        done.push_str(&format!("{} files listed", source.file_count()));
        if !skipped.is_empty() {
            done.push_str(&format!(", {} skipped", skipped.len()));
        }
        if source.has_failures() {
            done.push_str(", some because they cannot be read");
        }
        Ok((source, done))
    }

    /// Lists what is on a shelf.
    fn source(&self, shelf: Arc<dyn Shelf>) -> Result<Source, Fault> {
        let (config, timezone) = (self.setup.config.clone(), self.timezone.clone());
        Source::on(self.name, shelf, config, timezone, self.progress, self.cancel)
            .map_err(|error| Fault::new(error.to_string()))
    }

    fn mirror(&self, told: &mut dyn FnMut(String)) -> Result<(Source, String), Fault> {
        let Setup { config, .. } = self.setup;
        let originals = self.setup.folder_at(&self.setup.originals(), DOCUMENT_ENDINGS)?;
        if let Some(converter) = config.converter.as_ref().filter(|_| self.writable && !self.run_commands) {
            let message = format!("the source would run '{}' on its documents", converter.command.join(" "));
            return Err(Fault::new(message).hint("allow it with --run-commands, if you trust this endpoint"));
        }
        let target = self.setup.markdown();
        if self.writable {
            fs::create_dir_all(&target).map_err(|error| {
                Fault::new(format!("cannot make the folder of 'dst_path': {error}")).at(&target, None, None)
            })?;
        }
        let converter = Converter::new(config.converter.clone(), self.run_commands, config.max_file_bytes);
        let mirror = Arc::new(Mirror::new(originals, target.clone(), converter, self.writable));
        let source = self.source(mirror.clone())?;
        let files = source.files();
        let removed = mirror.tidy(&files).map_err(|error| {
            Fault::new(format!("cannot tidy the folder of 'dst_path': {error}")).at(&target, None, None)
        })?;
        let mut done = String::new();
        if removed > 0 {
            done.push_str(&format!("{removed} documents are gone, "));
        }
        if config.convert == Convert::Eager && self.writable {
            let mirrored = mirror.convert_all(&files, self.progress, self.cancel, told);
            if self.cancel.is_cancelled() {
                return Err(Fault::new(OpenError::Cancelled.to_string()));
            }
            done.push_str(&format!("{} documents are Markdown, ", mirrored.good));
            if mirrored.failed > 0 {
                done.push_str(&format!("{} cannot be converted, ", mirrored.failed));
            }
        }
        Ok((source, done))
    }

    fn pages(&self, told: &mut dyn FnMut(String)) -> Result<(Source, String), Fault> {
        let Setup { config, .. } = self.setup;
        let (export, folder) = (self.setup.originals(), self.setup.markdown());
        let mut done = String::new();
        if self.writable {
            let wanted = Wanted {
                export: &export,
                folder: &folder,
                layout: config.layout,
                namespaces: config.namespaces.clone().unwrap_or_default(),
                now: i64::try_from(self.clock.now().as_nanosecond()).unwrap_or(i64::MAX),
            };
            let converted =
                pages::convert(&wanted, told, self.progress, self.cancel).map_err(|error| fault(&error))?;
            for (count, what) in [
                (converted.written, "pages converted"),
                (converted.unchanged, "pages unchanged"),
                (converted.removed, "pages left the export"),
                (converted.failed, "pages cannot be read"),
            ] {
                if count > 0 {
                    done.push_str(&format!("{count} {what}, "));
                }
            }
        }
        let shelf: Arc<dyn Shelf> = match config.layout {
            Layout::Files => Arc::new(self.setup.folder_at(&folder, &["md"])?),
            Layout::Packed => {
                let pack = Pack::open(&folder, self.setup.rules(&[])?, config.max_file_bytes);
                Arc::new(pack.map_err(|error| fault(&error))?)
            }
        };
        Ok((self.source(shelf)?, done))
    }
}

fn fault(error: &PagesError) -> Fault {
    let fault = Fault::new(error.to_string());
    match error.hint() {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// Tells what is wrong with a path of the configuration.
fn must_be(path: &Path, key: &str, folder: bool) -> Result<(), Fault> {
    let hint = "it is relative to the endpoint's folder";
    match fs::metadata(path) {
        Ok(data) if data.is_dir() == folder => Ok(()),
        Ok(_) => {
            let what = if folder { "not a folder" } else { "a folder, not the file of an export" };
            Err(Fault::new(format!("'{key}' is {what}")).at(path, None, None))
        }
        Err(error) => {
            let what = if folder { "folder" } else { "file" };
            let reason = match error.kind() {
                std::io::ErrorKind::NotFound => "it does not exist".to_owned(),
                _ => error.to_string(),
            };
            let message = format!("cannot open the {what} of '{key}': {reason}");
            Err(Fault::new(message).at(path, None, None).hint(hint))
        }
    }
}
