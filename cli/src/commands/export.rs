use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use mge_core::EvidenceGraph;

use crate::context::{Context, graph_face, graph_name};
use crate::exit::{Exit, Failure};

/// Write an evidence graph as JSON Lines
///
/// Entities, mentions, claims, evidence and decisions, each sorted. Equal states give equal bytes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint's folder
    #[arg(value_name = "ENDPOINT", add = crate::complete::endpoint_or_nothing())]
    endpoint: Option<OsString>,

    /// The evidence graph, if there are several
    #[arg(long, value_name = "NAME", add = crate::complete::word(crate::complete::Word::Graph))]
    graph: Option<String>,

    /// Write to this file, as a whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the log instead of the present state
    #[arg(long)]
    log: bool,

    /// With the times at which things were recorded, which differ from run to run
    #[arg(long)]
    times: bool,

    /// Pilot first if need be
    #[arg(long)]
    pilot: bool,
}

pub(crate) fn run(args: Args, context: &mut Context) -> anyhow::Result<Exit> {
    let folder = context.locate_only(args.endpoint)?;
    let name = graph_name(&context.look(&folder)?, args.graph.as_deref())?;
    let endpoint = context.read(&folder, &[&name], args.pilot)?;
    let graph = graph_face(&endpoint, &name)?;
    match &args.output {
        Some(path) => {
            to_file(graph.as_ref(), path, args.log, args.times)?;
            if context.printer.is_watched() {
                context.printer.note(format!("wrote {}", path.display()));
            }
        }
        None => {
            let mut out = Plain { inner: BufWriter::new(io::stdout().lock()), failed: None };
            let result = graph.export(&mut out, args.log, args.times);
            // What stopped the writing is known here better than in the graph's error.
            match (out.failed.take(), result) {
                (Some(error), _) => return Err(error.into()),
                (None, result) => result?,
            }
            out.inner.flush()?;
        }
    }
    Ok(Exit::Done)
}

/// Writes beside the file and moves it into place.
fn to_file(graph: &dyn EvidenceGraph, path: &Path, log: bool, times: bool) -> anyhow::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if path.is_dir() {
        return Err(Failure::usage(format!("'{}' is a folder", path.display())).into());
    }
    let cannot = || format!("cannot write {}", path.display());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = Temporary(folder.join(name));
    let mut out = BufWriter::new(File::create(&temporary.0).with_context(cannot)?);
    graph.export(&mut out, log, times)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error).with_context(cannot)?;
    file.sync_all().with_context(cannot)?;
    drop(file);
    std::fs::rename(&temporary.0, path).with_context(cannot)
}

/// A file in the making; what is left of it when something fails is taken away.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // After the move there is nothing here any more.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Remembers why writing failed.
struct Plain<W> {
    inner: W,
    failed: Option<io::Error>,
}

impl<W: io::Write> Plain<W> {
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }
}

impl<W: io::Write> io::Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.inner.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.inner.flush();
        self.note(result)
    }
}
