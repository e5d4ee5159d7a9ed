//! What the tests of several formats make.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Returns an archive of texts.
pub(crate) fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in members {
        writer.start_file(*name, SimpleFileOptions::default()).expect("a member");
        writer.write_all(text.as_bytes()).expect("a text");
    }
    writer.finish().expect("an archive").into_inner()
}
