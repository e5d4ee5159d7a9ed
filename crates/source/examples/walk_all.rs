//! Measures what a source costs: `walk_all FOLDER` lists it, walks all its leaves, and reads all its chunks.
#![expect(clippy::print_stdout, reason = "it prints its figures")]

use std::path::PathBuf;
use std::time::Instant;

use mge_core::{Cancel, ChunkRule, Corpus, Index, NoProgress};
use mge_source::{Source, SourceConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("name a folder")?);
    let start = Instant::now();
    let zone = jiff::tz::TimeZone::UTC;
    let source = Source::open("s", &folder, SourceConfig::default(), zone, &NoProgress, &Cancel::default())?;
    println!("list      {:>9.3} s  {} files", start.elapsed().as_secs_f64(), source.file_count());

    let start = Instant::now();
    let (mut nodes, mut leaves, mut open) = (0u64, 0u64, vec!["s".to_owned()]);
    while let Some(index) = open.pop() {
        nodes += 1;
        leaves += u64::from(source.object(&index)?.kind.is_leaf());
        open.extend(source.children(&index)?);
    }
    println!("walk      {:>9.3} s  {nodes} nodes, {leaves} leaves", start.elapsed().as_secs_f64());
    println!("peak      {}", peak());

    let start = Instant::now();
    let mut chunks = 0;
    for document in source.documents(&Index::new("s"))? {
        chunks += source.read(&document?.index, ChunkRule::default())?.chunks.len();
    }
    println!("chunks    {:>9.3} s  {chunks} chunks", start.elapsed().as_secs_f64());
    println!("peak      {}", peak());
    Ok(())
}

/// The most memory that the process has had, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim().to_owned()
}
