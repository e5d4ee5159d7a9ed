//! Converts an export, or the wikitext files of a folder a hundred times, and says how fast.
//!
//! `cargo run --release -p mge-wiki --example pages -- <export or folder> [<folder for the Markdown>]`
#![expect(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mge_wiki::{Export, Site, decompress, file_name, title_heading, to_markdown};

/// How often the pages of a folder are converted.
const TIMES: usize = 100;

/// Counts what was converted.
#[derive(Default)]
struct Count {
    pages: usize,
    bytes_read: usize,
    bytes_written: usize,
    failed: usize,
}

impl Count {
    fn convert(
        &mut self,
        site: &Site,
        title: &str,
        text: &str,
        folder: Option<&Path>,
    ) -> Result<(), Box<dyn Error>> {
        let article = to_markdown(site, title, text);
        self.pages += 1;
        self.bytes_read += text.len();
        self.bytes_written += article.markdown.len();
        if let Some(folder) = folder {
            let markdown = format!("{}\n{}", title_heading(title), article.markdown);
            std::fs::write(folder.join(file_name(title)), markdown)?;
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().ok_or("name an export, or a folder of wikitext files")?);
    let folder = arguments.next().map(PathBuf::from);
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder)?;
    }
    let (start, busy) = (Instant::now(), processor_time());
    let mut count = Count::default();
    if path.is_dir() {
        let mut pages = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let path = entry?.path();
            let title = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            pages.push((title, std::fs::read_to_string(path)?));
        }
        for time in 0..TIMES {
            for (title, text) in &pages {
                count.convert(&Site::default(), title, text, folder.as_deref().filter(|_| time == 0))?;
            }
        }
    } else {
        let export = Export::new(decompress(File::open(path)?)?)?.only_namespaces([0]);
        let site = export.site().clone();
        for page in export {
            match page {
                Ok(page) => count.convert(&site, &page.title, &page.text, folder.as_deref())?,
                Err(error) if error.is_about_one_page() => count.failed += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
    let took = start.elapsed();
    let spent = processor_time().zip(busy).map_or(took, |(end, start)| end - start);
    let seconds = spent.as_secs_f64();
    println!(
        "{} pages ({} failed), {} bytes to {} bytes",
        count.pages, count.failed, count.bytes_read, count.bytes_written
    );
    println!("{:.2} s, of which the processor worked {seconds:.2} s", took.as_secs_f64());
    println!(
        "{:.0} pages/s and {:.1} MB/s of the processor's time",
        count.pages as f64 / seconds,
        count.bytes_read as f64 / seconds / 1e6
    );
    Ok(())
}

/// Returns how long the processor worked for this thread, where the system tells.
fn processor_time() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(times.split_whitespace().next()?.parse().ok()?))
}
