//! Sources of the size that real corpora have: an export of an encyclopedia, and a million small files.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::process::{Figures, run};
use crate::{Failure, Tools, corpus, row};

/// Pages a CPU second of the original, which took 37.6 s for 2,545 pages.
const ORIGINAL_RATE: f64 = 68.0;

/// Converts an export as large as the one that the original was measured with, and says which texts it repeats.
pub(crate) fn wiki(tools: &Tools) -> Result<(), Failure> {
    let (texts, whose) = texts()?;
    let export = tools.folder.path().join("wiki.xml");
    let pages = write(&export, &texts, 20_000_000)?;
    for layout in ["files", "packed"] {
        let endpoint = over(tools, &format!("wiki_{layout}"), &export, layout)?;
        let figures = pilot(tools, &endpoint)?;
        let rate = count(pages) / figures.cpu.max(1e-9);
        row(&format!("export of 20 MB, {pages} pages, {layout}"), figures, Some((37.6, Some(91.0))));
        println!(
            "{:<56} {rate:>12.0} pages/CPU s, the original {ORIGINAL_RATE}: {:.0}x; texts of {whose}",
            "",
            rate / ORIGINAL_RATE
        );
    }
    Ok(())
}

/// Converts an export of 1 GB undisturbed, then once more with five kills on the way, and compares what lies there.
pub(crate) fn killed(tools: &Tools) -> Result<(), Failure> {
    const KILLS: u32 = 5;
    let (texts, _) = texts()?;
    let export = tools.folder.path().join("large.xml");
    let pages = write(&export, &texts, 1_000_000_000)?;
    let calm = over(tools, "calm", &export, "files")?;
    let figures = pilot(tools, &calm)?;
    row(&format!("export of 1 GB, {pages} pages"), figures, None);
    println!(
        "{:<56} {:>12.1} wall; {:.0} pages/CPU s",
        "",
        figures.wall,
        count(pages) / figures.cpu.max(1e-9)
    );

    let struck = over(tools, "struck", &export, "files")?;
    let seed = u64::from(SystemTime::now().duration_since(UNIX_EPOCH)?.subsec_nanos()) | 1;
    let mut numbers = corpus::Numbers(seed);
    let mut inside = 0;
    for _ in 0..KILLS {
        // Five stretches that together stay below the whole.
        let part = 0.05 + 0.1 * count(numbers.next(1_000)) / 1_000.0;
        inside += u32::from(kill_after(tools, &struck, Duration::from_secs_f64(part * figures.wall))?);
    }
    run(Command::new(&tools.mge).arg("pilot").arg(&struck).args(["ALL_READY", "--quiet"]))?;
    let (one, other) = (digests(&calm.join("documents"))?, digests(&struck.join("documents"))?);
    if one != other {
        return Err(format!("seed {seed}: after {KILLS} kills other pages lie there").into());
    }
    println!("{:<56} {inside} of {KILLS} kills inside, seed {seed}: {} files are equal", "", one.len());
    Ok(())
}

/// Pilots a source of a million small files.
pub(crate) fn files(tools: &Tools) -> Result<(), Failure> {
    const FILES: usize = 1_000_000;
    let endpoint = tools.folder.path().join("files");
    run(Command::new(&tools.mge).args(["init", "--quiet"]).arg(&endpoint))?;
    let documents = endpoint.join("documents");
    fs::remove_dir_all(&documents)?;
    corpus::small_files(&documents, FILES)?;
    switch_off_index(&endpoint)?;
    let figures = pilot(tools, &endpoint)?;
    row("pilot of 1,000,000 small files, no search index", figures, None);
    println!("{:<56} {:>12.1} wall", "", figures.wall);
    Ok(())
}

/// The wikitext that the exports repeat: real pages where they are at hand, else pages of our own.
fn texts() -> Result<(Vec<String>, &'static str), Failure> {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/goldens/inputs/wikitext");
    let Ok(listed) = fs::read_dir(real) else { return Ok((corpus::wikitext(), "our own")) };
    let mut texts = Vec::new();
    for entry in listed {
        texts.push(fs::read_to_string(entry?.path())?);
    }
    texts.sort();
    Ok((texts, "real pages"))
}

fn write(export: &Path, texts: &[String], bytes: u64) -> Result<usize, Failure> {
    Ok(mge_wiki::testing::write_export(BufWriter::new(fs::File::create(export)?), texts, bytes)?)
}

/// Makes an endpoint over an export, without a search index: what is measured is the conversion.
fn over(tools: &Tools, name: &str, export: &Path, layout: &str) -> Result<PathBuf, Failure> {
    let endpoint = tools.folder.path().join(name);
    run(Command::new(&tools.mge).args(["init", "--quiet"]).arg(&endpoint).arg("--from").arg(export))?;
    let sources = endpoint.join("sources.jsonc");
    let written = fs::read_to_string(&sources)?;
    let set = written.replace(
        "\"type\": \"xml_stream\",",
        &format!("\"type\": \"xml_stream\", \"layout\": \"{layout}\","),
    );
    fs::write(&sources, set)?;
    switch_off_index(&endpoint)?;
    Ok(endpoint)
}

fn switch_off_index(endpoint: &Path) -> Result<(), Failure> {
    let sources = endpoint.join("sources.jsonc");
    let written = fs::read_to_string(&sources)?;
    let key = "\"index\": ";
    let set = match written.find(key) {
        Some(_) => written.replace("\"index\": true", "\"index\": false"),
        None => written.replace("\"cluster_size\": 256,", "\"cluster_size\": 256, \"index\": false,"),
    };
    if !set.contains("\"index\": false") {
        return Err(format!("{} has no place for \"index\"", sources.display()).into());
    }
    Ok(fs::write(&sources, set)?)
}

fn pilot(tools: &Tools, endpoint: &Path) -> Result<Figures, Failure> {
    run(Command::new(&tools.mge).arg("pilot").arg(endpoint).args(["ALL_READY", "--quiet"]))
}

/// Starts a pilot and kills it after a while; tells whether it was still at work.
fn kill_after(tools: &Tools, endpoint: &Path, after: Duration) -> Result<bool, Failure> {
    let mut command = Command::new(&tools.mge);
    command
        .arg("pilot")
        .arg(endpoint)
        .args(["ALL_READY", "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn()?;
    std::thread::sleep(after);
    let working = child.try_wait()?.is_none();
    child.kill()?;
    child.wait()?;
    Ok(working)
}

/// Returns what each file below a folder holds, as a digest; hidden ones are the source's own.
fn digests(folder: &Path) -> Result<BTreeMap<PathBuf, u64>, Failure> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(&below)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
                continue;
            }
            let mut hasher = DefaultHasher::new();
            fs::read(entry.path())?.hash(&mut hasher);
            found.insert(entry.path().strip_prefix(folder)?.to_owned(), hasher.finish());
        }
    }
    Ok(found)
}

#[expect(clippy::cast_precision_loss, reason = "a count to print")]
fn count(number: usize) -> f64 {
    number as f64
}
