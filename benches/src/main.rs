//! Measures `mge` and prints its figures beside those recorded of the original, the Python package that the formats come
//! from. Run with `cargo run --release -p mge-bench`, or with the names of single benches behind `--`.
//!
//! Every figure is taken of a process of its own: CPU seconds as the system counts them, and the most memory that was
//! resident. The original's figures are medians of five on a machine with two cores.

#![expect(clippy::print_stdout, reason = "a bench prints a table")]

mod corpus;
mod inside;
mod large;
mod process;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use process::{Figures, run, run_any};

type Failure = Box<dyn std::error::Error>;

/// A bench by its name.
type Bench = (&'static str, fn(&Tools) -> Result<(), Failure>);

/// What the benches run.
struct Tools {
    mge: PathBuf,
    this: PathBuf,
    folder: tempfile::TempDir,
}

const BENCHES: &[Bench] = &[
    ("status", status),
    ("walk", walk),
    ("search", search),
    ("ontology", ontology),
    ("ask", ask),
    ("crawl", crawl),
    ("wiki", large::wiki),
    ("killed", large::killed),
    ("files", large::files),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("--inside") => inside::run(&arguments[1..]),
        _ => outside(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("failed: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn outside(names: &[String]) -> Result<(), Failure> {
    let this = std::env::current_exe()?;
    let mge = this.with_file_name("mge");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).args(["build", "--quiet", "--release", "--package", "mge"]).status()?;
    if !built.success() || !mge.exists() {
        return Err(format!("{} is not there: run with --release", mge.display()).into());
    }
    let tools = Tools { mge, this, folder: tempfile::tempdir()? };
    println!("{:<56} {:>12} {:>9} {:>16} {:>8}", "work", "CPU s", "MiB", "original CPU s", "ratio");
    for (name, bench) in BENCHES {
        if names.is_empty() || names.iter().any(|given| given == name) {
            bench(&tools)?;
        }
    }
    Ok(())
}

/// Prints a row; `original` is the recorded CPU seconds and MiB of the same work.
fn row(work: &str, figures: Figures, original: Option<(f64, Option<f64>)>) {
    let mut line = format!("{work:<56} {:>12.4} {:>9.1}", figures.cpu, figures.peak_mib);
    if let Some((cpu, memory)) = original {
        let memory = memory.map_or(String::new(), |memory| format!(" ({memory} MiB)"));
        line = format!("{line} {:>16} {:>7.0}x", format!("{cpu}{memory}"), cpu / figures.cpu.max(1e-6));
    }
    println!("{line}");
}

fn endpoint(tools: &Tools, name: &str) -> Result<PathBuf, Failure> {
    let path = tools.folder.path().join(name);
    run(Command::new(&tools.mge).args(["init", "--quiet"]).arg(&path))?;
    Ok(path)
}

fn status(tools: &Tools) -> Result<(), Failure> {
    let path = endpoint(tools, "status")?;
    run(Command::new(&tools.mge).arg("pilot").arg(&path).args(["ALL_READY", "--quiet"]))?;
    const RUNS: u32 = 100;
    let mut sum = Figures::default();
    for _ in 0..RUNS {
        sum = sum.add(run(Command::new(&tools.mge).arg("status").arg(&path))?);
    }
    let mean = sum.divided(f64::from(RUNS));
    row("status of the template, one process", mean, Some((1.4, Some(107.0))));
    println!("{:<56} {:>12.4} wall", "", mean.wall);
    Ok(())
}

fn walk(tools: &Tools) -> Result<(), Failure> {
    let path = tools.folder.path().join("walk");
    let bytes = corpus::tree(&path, 10_000, 5_000)?;
    let ways = [("walk", "index and walk by index calls"), ("visit", "index and walk by visitor")];
    for (way, name) in ways {
        let (figures, nodes) =
            process::last_text(Command::new(&tools.this).args(["--inside", way]).arg(&path))?;
        row(&format!("{name}: {} MB", bytes / 1_000_000), figures, Some((37.8, Some(777.0))));
        println!("{:<56} {nodes} of 10,000 files", "");
    }
    Ok(())
}

/// Pilots a folder of files without a search index, with one, and once more; then searches it.
fn search(tools: &Tools) -> Result<(), Failure> {
    let path = endpoint(tools, "search")?;
    let documents = path.join("documents");
    std::fs::remove_dir_all(&documents)?;
    let bytes = corpus::tree(&documents, 10_000, 5_000)?;
    let sources = path.join("sources.jsonc");
    let written = std::fs::read_to_string(&sources)?;
    let size = format!("10,000 files, {} MB", bytes / 1_000_000);
    let pilot = || run(Command::new(&tools.mge).arg("pilot").arg(&path).args(["ALL_READY", "--quiet"]));
    let told = |work: &str, figures: Figures| {
        row(work, figures, None);
        println!("{:<56} {:>12.2} wall", "", figures.wall);
    };
    for (index, name) in [
        ("false", "without a search index"),
        ("{\"vector\": false}", "by words"),
        ("true", "by words and vectors"),
    ] {
        std::fs::write(&sources, written.replace("\"index\": true", &format!("\"index\": {index}")))?;
        // What was kept for the way before is no part of this one.
        let kept = path.join("graphs/documents");
        if kept.exists() {
            std::fs::remove_dir_all(kept)?;
        }
        told(&format!("pilot of {size}, {name}"), pilot()?);
    }
    told("the same again, with nothing changed", pilot()?);
    let query = "a question about several words of the texts";
    told("one search, one process", run_any(Command::new(&tools.mge).arg("search").arg(&path).arg(query))?);
    Ok(())
}

fn ontology(tools: &Tools) -> Result<(), Failure> {
    let path = tools.folder.path().join("ontology");
    corpus::ontology(&path, 100_000, 300_000)?;
    let loaded = run(Command::new(&tools.this).args(["--inside", "ontology", "0"]).arg(&path))?;
    row("ontology of 100,000 nodes and 300,000 edges: load", loaded, Some((177.0, Some(787.0))));
    let asked = run(Command::new(&tools.this).args(["--inside", "ontology", "1000"]).arg(&path))?;
    let original = Some((177.0 + 8.0, Some(787.0)));
    row("the same, and 1,000 look-ups of nodes and children", asked, original);
    Ok(())
}

/// The sizes of the crawl, in chunks.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn crawl(tools: &Tools) -> Result<(), Failure> {
    for chunks in SIZES {
        let path = endpoint(tools, &format!("crawl_{chunks}"))?;
        let documents = path.join("documents");
        std::fs::remove_dir_all(&documents)?;
        corpus::statements(&documents, chunks)?;
        run(Command::new(&tools.mge).arg("pilot").arg(&path).args(["ALL_READY", "--quiet"]))?;
        let (figures, report) =
            process::last_line(Command::new(&tools.mge).arg("crawl").arg(&path).args(["--all", "--json"]))?;
        row(&format!("crawl of {chunks} chunks (the original has none)"), figures, None);
        let count = |key: &str| report[key].as_f64().unwrap_or_default();
        let rate = |key: &str| count(key) / figures.wall.max(1e-9);
        println!(
            "{:<56} {:>12.1} wall; {:.0} chunks/s, {:.0} claims/s, {:.0} evidence/s; {} chunks, {} claims, {} evidence",
            "",
            figures.wall,
            rate("chunks_read"),
            rate("claims_new"),
            rate("evidence_new"),
            count("chunks_read"),
            count("claims_new"),
            count("evidence_new"),
        );
        let bytes = folder_bytes(&path.join("graphs"))?;
        println!(
            "{:<56} {:>12.0} bytes of graph a piece of evidence; {:.0} of them its row and its indices",
            "",
            bytes / count("evidence_new").max(1.0),
            evidence_bytes(&path.join("graphs/e_graph/graph.sqlite"))? / count("evidence_new").max(1.0),
        );
    }
    Ok(())
}

fn ask(tools: &Tools) -> Result<(), Failure> {
    let path = endpoint(tools, "ask")?;
    run(Command::new(&tools.mge).arg("pilot").arg(&path).args(["ALL_READY", "--quiet"]))?;
    run(Command::new(&tools.mge).arg("crawl").arg(&path).args(["--all", "--quiet"]))?;
    const RUNS: u32 = 20;
    let mut sum = Figures::default();
    for _ in 0..RUNS {
        let question = "Who directs the Marine Institute?";
        sum = sum.add(process::run_any(Command::new(&tools.mge).arg("ask").arg(&path).arg(question))?);
    }
    let mean = sum.divided(f64::from(RUNS));
    row("ask a question of the template, one process", mean, None);
    println!("{:<56} {:>12.4} wall", "", mean.wall);
    Ok(())
}

/// Counts the bytes of the pages that hold the evidence's own rows and their indices.
fn evidence_bytes(graph: &Path) -> Result<f64, Failure> {
    let store = rusqlite::Connection::open_with_flags(graph, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let bytes =
        "SELECT sum(pgsize) FROM dbstat WHERE name = 'evidence' OR name LIKE 'evidence\\_%' ESCAPE '\\'";
    Ok(store.query_row(bytes, [], |row| row.get(0))?)
}

fn folder_bytes(folder: &Path) -> Result<f64, Failure> {
    let mut bytes = 0.0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        #[expect(clippy::cast_precision_loss, reason = "a size to print")]
        let own = metadata.len() as f64;
        bytes += if metadata.is_dir() { folder_bytes(&entry.path())? } else { own };
    }
    Ok(bytes)
}
