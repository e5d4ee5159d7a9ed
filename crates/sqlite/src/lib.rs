//! SQLite files opened to be read, also where nothing may be written.
//!
//! This crate owns the way to a reader's connection, which the evidence graph, the search index and the store of pages
//! share. It leaves to them what their files hold, which formats they know, and how they write. In goes a path; out comes
//! a connection, or what the caller makes of it.
//!
//! ```
//! use mge_sqlite::open_read_only;
//! use rusqlite::Connection;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("a file?.sqlite");
//! Connection::open(&path)?.execute_batch("CREATE TABLE t (n); INSERT INTO t VALUES (7)")?;
//! let seven: i64 =
//!     open_read_only(&path, |connection| connection.query_row("SELECT n FROM t", [], |row| row.get(0)))?;
//! assert_eq!(seven, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

/// Opens a file without any right to write, and gives the connection to `ready`, which reads something of it.
///
/// A folder that nothing may be written to, and where no writer left a log, cannot change under the reader: then SQLite
/// needs no lock files, and what failed for want of them is done again without them.
///
/// # Errors
/// The file cannot be opened, or `ready` refuses it.
pub fn open_read_only<T, E: From<rusqlite::Error>>(
    path: &Path,
    ready: impl Fn(Connection) -> Result<T, E>,
) -> Result<T, E> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let attempt = |immutable| ready(Connection::open_with_flags(uri(path, immutable), flags)?);
    match attempt(false) {
        Err(_) if log_is_empty(path) => attempt(true),
        outcome => outcome,
    }
}

/// Tells whether no writer left anything in the log beside a file.
pub fn log_is_empty(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log).metadata().map_or(true, |metadata| metadata.len() == 0)
}

/// Writes a path as SQLite reads it in a URI.
fn uri(path: &Path, immutable: bool) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let text = absolute.to_string_lossy().replace('\\', "/");
    let mut uri = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for character in text.chars() {
        match character {
            '%' | '?' | '#' => uri.push_str(&format!("%{:02x}", u32::from(character))),
            _ => uri.push(character),
        }
    }
    uri.push_str(if immutable { "?mode=ro&immutable=1" } else { "?mode=ro" });
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_an_address_are_signs_of_a_path() {
        assert_eq!(uri(Path::new("/a b/50%?#ä.sqlite"), false), "file:///a b/50%25%3f%23ä.sqlite?mode=ro");
        assert!(uri(Path::new("/x"), true).ends_with("?mode=ro&immutable=1"));
    }

    #[test]
    fn what_is_refused_is_asked_again_only_where_no_log_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f.sqlite");
        Connection::open(&path).and_then(|file| file.execute_batch("CREATE TABLE t (n)")).expect("a file");
        let attempts = || {
            let count = std::cell::Cell::new(0);
            let refused: Result<(), rusqlite::Error> = open_read_only(&path, |_| {
                count.set(count.get() + 1);
                Err(rusqlite::Error::InvalidQuery)
            });
            assert_eq!(refused, Err(rusqlite::Error::InvalidQuery));
            count.get()
        };
        assert_eq!(attempts(), 2);
        std::fs::write(folder.path().join("f.sqlite-wal"), "what a writer left").expect("a log");
        assert_eq!(attempts(), 1);
    }
}
