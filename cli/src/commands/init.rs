use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use mge_core::{Clock as _, SystemClock};

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::scaffold::{self, Content, CorpusKind, File};

/// Make a new endpoint
///
/// With a small, complete example in it: documents, the words for what they speak of, and a commented configuration.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mge init acme                     A complete example to look at and to change
  mge init acme --bare              The same wiring without content
  mge init notes --from ~/notes     Read the files of a folder, with a general ontology
  mge init wiki --from dump.xml.bz2 Read the pages of a MediaWiki export")]
pub(crate) struct Args {
    /// The folder to make; its name is letters, digits and underscores
    #[arg(value_name = "NAME", value_hint = clap::ValueHint::DirPath)]
    name: PathBuf,

    /// Without documents, and with empty ontologies
    #[arg(long)]
    bare: bool,

    /// Read the documents of this folder where they are, or the pages of this MediaWiki export
    ///
    /// A folder with Markdown files is read as it is; one with other documents and none of Markdown is mirrored as Markdown.
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    from: Option<PathBuf>,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let target = Target::new(&args.name)?;
    let date = SystemClock.now().strftime("%Y-%m-%d").to_string();
    let corpus = args.from.as_deref().map(|from| Corpus::new(from, &target)).transpose()?;
    let content = match &corpus {
        Some(corpus) => Content::Folder {
            path: &corpus.path,
            kind: corpus.kind,
            exclude: corpus.exclude.as_deref(),
            general: !args.bare,
        },
        None if args.bare => Content::Empty,
        None => Content::Example,
    };
    let mut files = scaffold::files(&target.name, &date, content)?;
    // The visible side of the lock: free.
    files.push(File { path: "mge_endpoint.free".to_owned(), text: String::new() });
    let folders: &[&str] = if args.bare && corpus.is_none() { &["documents"] } else { &[] };
    create(&target, &files, folders)?;

    let shown = args.name.display();
    if context.global.json {
        context.printer.json(&serde_json::json!({
            "version": 1,
            "id": format!("endpoint_{}", target.name),
            "path": target.folder.to_string_lossy(),
            "files": files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        }))?;
    } else {
        context.printer.line(format!("Created the endpoint \"endpoint_{}\" in {shown}", target.name));
    }
    if corpus.as_ref().is_some_and(|corpus| corpus.is_empty) {
        context.printer.warning("the folder holds no documents that can be read; see sources.jsonc");
    }
    if args.bare {
        context.printer.next(
            &format!("edit {shown}/ontology_source"),
            "and write down the concepts and relationships of your documents",
        );
    }
    context.printer.next(&format!("mge pilot {shown}"), "makes it ready");
    Ok(Exit::Done)
}

/// Where the endpoint is to be.
struct Target {
    name: String,
    folder: PathBuf,
    parent: PathBuf,
}

impl Target {
    fn new(given: &Path) -> Result<Self, Failure> {
        let shown = given.display();
        let last = match given.components().next_back() {
            Some(Component::Normal(last)) => last.to_string_lossy().into_owned(),
            _ => {
                return Err(
                    Failure::usage(format!("'{shown}' names no folder to make")).hint("mge init acme")
                );
            }
        };
        if !mge_config::is_valid_name(&last) {
            let proposal = mge_config::normalize_name(&last.replace('-', "_"));
            let failure = Failure::usage(format!(
                "the name '{last}' is not valid: it must be a string of letters, numbers, and underscores"
            ));
            let hint = match proposal.as_str() {
                "" => "for example: mge init acme".to_owned(),
                proposal => format!("for example: mge init {}", given.with_file_name(proposal).display()),
            };
            return Err(failure.hint(hint));
        }
        let absolute = std::path::absolute(given).map_err(|error| {
            Failure::new(Exit::Outside, format!("cannot tell where '{shown}' is: {error}"))
        })?;
        let parent = absolute.parent().map(Path::to_owned).unwrap_or_default();
        match fs::metadata(&parent) {
            Ok(data) if data.is_dir() => {}
            Ok(_) => return Err(Failure::usage(format!("'{}' is no folder", parent.display()))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Failure::usage(format!("there is no folder '{}'", parent.display()))
                    .hint(format!("make it first: mkdir -p '{}'", parent.display())));
            }
            Err(error) => {
                return Err(Failure::new(Exit::Outside, format!("cannot look at '{}'", parent.display()))
                    .caused_by(error));
            }
        }
        // A link that leads nowhere is in the way as well.
        if fs::symlink_metadata(&absolute).is_ok() {
            return Err(Failure::usage(format!("'{shown}' already exists; nothing was changed"))
                .hint("choose a different name, or edit what is there"));
        }
        Ok(Self { name: last, folder: absolute, parent })
    }
}

/// The folder or the export whose documents are to be read.
struct Corpus {
    /// As the configuration names it: from the endpoint's folder if it was given from here.
    path: String,
    exclude: Option<String>,
    kind: CorpusKind,
    /// Nothing that can be read was found there.
    is_empty: bool,
}

impl Corpus {
    fn new(given: &Path, target: &Target) -> Result<Self, Failure> {
        let shown = given.display();
        let is_folder = match fs::metadata(given) {
            Ok(data) if data.is_dir() => true,
            Ok(_) if is_export(given) => false,
            Ok(_) => {
                return Err(Failure::usage(format!("'{shown}' is a file and no export of a wiki")).hint(
                    "--from takes a folder, or a MediaWiki export: .xml, .xml.bz2, .xml.gz or .xml.zst",
                ));
            }
            Err(error) => {
                let exit =
                    if error.kind() == std::io::ErrorKind::NotFound { Exit::Usage } else { Exit::Outside };
                return Err(Failure::new(exit, format!("cannot read '{shown}'")).caused_by(error));
            }
        };
        let real = |path: &Path| {
            fs::canonicalize(path).map_err(|error| {
                Failure::new(Exit::Outside, format!("cannot read '{}'", path.display())).caused_by(error)
            })
        };
        let (corpus, parent) = (real(given)?, real(&target.parent)?);
        let endpoint = parent.join(&target.name);
        let relative = scaffold::relative(&endpoint, &corpus);
        let path = if given.is_absolute() { None } else { relative };
        let path = path.or_else(|| std::path::absolute(given).ok()?.to_str().map(str::to_owned));
        let Some(path) = path else {
            return Err(Failure::usage(format!("the path '{shown}' is no UTF-8 text")));
        };
        let inside = endpoint.starts_with(&corpus).then(|| scaffold::relative(&corpus, &endpoint)).flatten();
        let found = if is_folder { look(&corpus) } else { Found { documents: false, markdown: false } };
        let kind = match found {
            _ if !is_folder => CorpusKind::Export,
            Found { documents: true, markdown: false } => CorpusKind::Documents,
            Found { .. } => CorpusKind::Markdown,
        };
        Ok(Self {
            path,
            exclude: inside.map(|inside| format!("/{inside}/**")),
            kind,
            is_empty: is_folder && !found.documents && !found.markdown,
        })
    }
}

/// Tells whether a file is named like an export.
fn is_export(file: &Path) -> bool {
    let name = file.to_string_lossy().to_lowercase();
    [".xml", ".xml.bz2", ".xml.gz", ".xml.zst"].iter().any(|ending| name.ends_with(ending))
}

/// What is in a folder.
struct Found {
    documents: bool,
    markdown: bool,
}

/// Looks for files that can be read, not too long; Markdown decides.
fn look(folder: &Path) -> Found {
    const MOST: usize = 20_000;
    let mut open = vec![folder.to_owned()];
    let mut found = Found { documents: false, markdown: false };
    let mut seen = 0;
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST {
                return found;
            }
            let path = entry.path();
            let ending =
                path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
            if ending == "md" {
                return Found { markdown: true, ..found };
            }
            found.documents |= mge_source::DOCUMENT_ENDINGS.contains(&ending.as_str());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            }
        }
    }
    found
}

/// Builds the endpoint beside its place and moves it there, so that it is there as a whole or not at all.
fn create(target: &Target, files: &[File], folders: &[&str]) -> anyhow::Result<()> {
    let draft = Draft::new(&target.parent, &target.name)?;
    for folder in folders {
        let path = draft.0.join(folder);
        fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
    }
    for file in files {
        let path = draft.0.join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    // Renaming over an empty folder would succeed on some systems.
    if fs::symlink_metadata(&target.folder).is_ok() {
        return Err(Failure::usage(format!("'{}' already exists", target.folder.display())).into());
    }
    fs::rename(&draft.0, &target.folder)
        .with_context(|| format!("cannot create the folder {}", target.folder.display()))
}

/// A folder in the making; what is left of it when something fails is taken away.
struct Draft(PathBuf);

impl Draft {
    fn new(parent: &Path, name: &str) -> anyhow::Result<Self> {
        let path = parent.join(format!(".{name}.{}.tmp", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot create a folder in {}", parent.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After the move there is nothing here any more.
        let _ = fs::remove_dir_all(&self.0);
    }
}
