//! Archives and PDF files for the tests.

#[allow(dead_code, reason = "each test file uses its own part")]
pub(crate) mod pdf;

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Makes an archive of entries.
pub(crate) fn zip(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).expect("the name is new");
        writer.write_all(content.as_bytes()).expect("memory takes it");
    }
    writer.finish().expect("memory takes it").into_inner()
}
