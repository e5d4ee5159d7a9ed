//! Writes an export of a given size from the wikitext files of a folder, which it repeats under numbered titles.
//!
//! `cargo run --release -p mge-wiki --features testing --example generate -- <bytes> <export> <folder>`

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [bytes, export, folder] = &arguments[..] else {
        return Err("name a number of bytes, the file to write, and a folder of wikitext files".into());
    };
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        texts.push(std::fs::read_to_string(entry?.path())?);
    }
    // The same export from the same folder.
    texts.sort();
    mge_wiki::testing::write_export(BufWriter::new(File::create(export)?), &texts, bytes.parse()?)?;
    Ok(())
}
