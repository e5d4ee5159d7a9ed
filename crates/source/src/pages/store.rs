//! What is known of the pages of an export: a row a page, in a SQLite file beside or instead of their Markdown files.

use std::path::{Path, PathBuf};

use mge_core::Digest;
use mge_sqlite::open_read_only;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::error::PagesError;

/// Marks the file as ours: `mgeP`.
const APPLICATION_ID: i32 = 0x6d67_6550;
/// The format that this version writes.
const FORMAT: i32 = 1;
/// The name of the store in the folder of the pages; hidden, so that it is no document.
const NAME: &str = ".pages.sqlite";

const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE page (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
    number INTEGER NOT NULL, digest BLOB NOT NULL, changed INTEGER NOT NULL, size INTEGER NOT NULL, seen INTEGER NOT NULL,
    aliases TEXT NOT NULL, text TEXT
);
CREATE INDEX page_title ON page (title);
CREATE TABLE redirect (title TEXT PRIMARY KEY, target TEXT NOT NULL, seen INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX redirect_target ON redirect (target);
";

/// The rows of an export's pages.
pub(crate) struct PageStore {
    connection: Connection,
    path: PathBuf,
}

/// A page that was converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageRow {
    /// The name of its file.
    pub(crate) name: String,
    /// Its title.
    pub(crate) title: String,
    /// Its number in the wiki, or the place it has in the export where it has none.
    pub(crate) number: i64,
    /// The digest of its wikitext and of the converter.
    pub(crate) digest: Digest,
    /// The run that met it last.
    pub(crate) seen: i64,
}

/// How far a conversion came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Run {
    pub(crate) number: i64,
    /// What it converts: the export's state and the settings.
    pub(crate) of: String,
    /// The byte of the uncompressed stream behind the last page that is in the store.
    pub(crate) position: u64,
    pub(crate) complete: bool,
}

impl PageStore {
    /// Opens the store of a folder, and makes it where there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, PagesError> {
        let path = folder.join(NAME);
        let connection = Connection::open(&path).map_err(|source| failed(&path, source))?;
        let store = Self { connection, path };
        let fresh = store.checked()?;
        // A page is either in a committed batch or converted again, so the last batch may be lost.
        let prepared = || -> rusqlite::Result<()> {
            store.connection.pragma_update(None, "journal_mode", "wal")?;
            store.connection.pragma_update(None, "synchronous", "normal")?;
            store.connection.pragma_update(None, "cache_size", -32_000)?;
            if fresh {
                store.connection.execute_batch(&format!(
                    "BEGIN; {TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; COMMIT"
                ))?;
            }
            Ok(())
        };
        prepared().map_err(|source| store.failed(source))?;
        Ok(store)
    }

    /// Opens the store of a folder to read; nothing is made.
    pub(crate) fn read(folder: &Path) -> Result<Self, PagesError> {
        let path = folder.join(NAME);
        if !path.exists() {
            return Err(PagesError::Missing);
        }
        let opened = open_read_only(&path, |connection| {
            // Opening alone reads nothing: the first query tells whether SQLite can.
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
            Ok(connection)
        });
        let connection = opened.map_err(|source| failed(&path, source))?;
        let store = Self { connection, path };
        if store.checked()? { Err(PagesError::Missing) } else { Ok(store) }
    }

    /// Refuses what is not ours or newer; tells whether the file is empty.
    fn checked(&self) -> Result<bool, PagesError> {
        let number = |pragma: &str| -> Result<i32, PagesError> {
            self.connection
                .query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))
                .map_err(|source| self.failed(source))
        };
        let (application, format, tables) =
            (number("application_id")?, number("user_version")?, number("schema_version")?);
        let path = || self.path.clone();
        match (application, format) {
            (0, 0) if tables == 0 => Ok(true),
            (APPLICATION_ID, found) if found > FORMAT => {
                Err(PagesError::Newer { path: path(), found, known: FORMAT })
            }
            (APPLICATION_ID, _) => Ok(false),
            _ => Err(PagesError::Foreign { path: path() }),
        }
    }

    fn failed(&self, source: rusqlite::Error) -> PagesError {
        failed(&self.path, source)
    }

    /// Does what must be there whole or not at all.
    pub(crate) fn transact<T>(
        &self,
        work: impl FnOnce(&Batch<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, PagesError> {
        let done = || -> rusqlite::Result<T> {
            let transaction = self.connection.unchecked_transaction()?;
            let done = work(&Batch { connection: &transaction })?;
            transaction.commit()?;
            Ok(done)
        };
        done().map_err(|source| self.failed(source))
    }

    /// Returns how far the last conversion came.
    pub(crate) fn run(&self) -> Result<Run, PagesError> {
        let value = |key: &str| -> rusqlite::Result<Option<String>> {
            self.connection
                .query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0))
                .optional()
        };
        let read = || -> rusqlite::Result<Run> {
            let number = |text: Option<String>| text.and_then(|text| text.parse().ok()).unwrap_or(0);
            Ok(Run {
                number: i64::try_from(number(value("run")?)).unwrap_or(i64::MAX),
                of: value("of")?.unwrap_or_default(),
                position: number(value("position")?),
                complete: value("complete")?.as_deref() == Some("1"),
            })
        };
        read().map_err(|source| self.failed(source))
    }

    /// Returns the number of pages.
    pub(crate) fn count(&self) -> Result<u64, PagesError> {
        let count = self.connection.query_row("SELECT count(*) FROM page", [], |row| row.get::<_, i64>(0));
        count.map(|count| count.unsigned_abs()).map_err(|source| self.failed(source))
    }

    /// Returns the page whose file has a name, or would have on a file system without case.
    pub(crate) fn named(&self, folded: &str) -> Result<Option<PageRow>, PagesError> {
        let found = self
            .connection
            .prepare_cached("SELECT name, title, number, digest, seen FROM page WHERE folded = ?1")
            .and_then(|mut statement| statement.query_row([folded], page_row).optional());
        found.map_err(|source| self.failed(source))
    }

    /// Returns up to `most` pages that a run did not meet, by name.
    pub(crate) fn unseen(&self, run: i64, most: usize) -> Result<Vec<String>, PagesError> {
        let query = "SELECT name FROM page WHERE seen < ?1 ORDER BY name LIMIT ?2";
        self.names(query, params![run, most as i64])
    }

    /// Returns up to `most` pages whose aliases are not those that redirects give them now: the name of each, and its
    /// aliases, one a line, the first 200 of them.
    pub(crate) fn renamed(&self, after: &str, most: usize) -> Result<Vec<(String, String)>, PagesError> {
        let query = "SELECT name, aliases, now FROM (SELECT p.name, p.aliases, coalesce((SELECT group_concat(title, char(10)) \
             FROM (SELECT title FROM redirect WHERE target = p.title ORDER BY title LIMIT 200)), '') AS now \
             FROM page p WHERE p.name > ?1) WHERE aliases <> now ORDER BY name LIMIT ?2";
        let rows = || -> rusqlite::Result<Vec<(String, String)>> {
            let mut statement = self.connection.prepare_cached(query)?;
            statement.query_map(params![after, most as i64], |row| Ok((row.get(0)?, row.get(2)?)))?.collect()
        };
        rows().map_err(|source| self.failed(source))
    }

    fn names(&self, query: &str, values: impl rusqlite::Params) -> Result<Vec<String>, PagesError> {
        let rows = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare_cached(query)?;
            statement.query_map(values, |row| row.get(0))?.collect()
        };
        rows().map_err(|source| self.failed(source))
    }

    /// Names every page, in the order of the names.
    pub(crate) fn each_name(&self, told: &mut dyn FnMut(&str) -> bool) -> Result<(), PagesError> {
        let mut each = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare("SELECT name FROM page ORDER BY name")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if !told(row.get_ref(0)?.as_str()?) {
                    break;
                }
            }
            Ok(())
        };
        each().map_err(|source| self.failed(source))
    }

    /// Returns the size and the time of the last change of a page.
    pub(crate) fn state(&self, name: &str) -> Result<Option<(u64, i64)>, PagesError> {
        let found = self
            .connection
            .prepare_cached("SELECT size, changed FROM page WHERE name = ?1")
            .and_then(|mut statement| {
                let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?));
                statement.query_row([name], read).optional()
            });
        found.map_err(|source| self.failed(source))
    }

    /// Returns the Markdown of a page, where it is kept in the store.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, PagesError> {
        let found = self
            .connection
            .prepare_cached("SELECT text FROM page WHERE name = ?1")
            .and_then(|mut statement| statement.query_row([name], |row| row.get(0)).optional());
        Ok(found.map_err(|source| self.failed(source))?.flatten())
    }
}

/// What is written together.
pub(crate) struct Batch<'a> {
    connection: &'a Connection,
}

impl Batch<'_> {
    pub(crate) fn set_run(&self, run: &Run) -> rusqlite::Result<()> {
        let mut statement =
            self.connection.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?;
        for (key, value) in [
            ("run", run.number.to_string()),
            ("of", run.of.clone()),
            ("position", run.position.to_string()),
            ("complete", i32::from(run.complete).to_string()),
        ] {
            statement.execute(params![key, value])?;
        }
        Ok(())
    }

    /// Writes a page anew. Its aliases are none until the end of the run gives them back.
    pub(crate) fn put(
        &self,
        page: &PageRow,
        folded: &str,
        changed: i64,
        markdown: &str,
        packed: bool,
    ) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO page (name, folded, title, number, digest, changed, size, seen, aliases, text) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, '', ?9) ON CONFLICT (name) DO UPDATE SET folded = ?2, title = ?3, \
                 number = ?4, digest = ?5, changed = ?6, size = ?7, seen = ?8, aliases = '', text = ?9",
            )?
            .execute(params![
                page.name,
                folded,
                page.title,
                page.number,
                page.digest.0.as_slice(),
                changed,
                markdown.len() as i64,
                page.seen,
                packed.then_some(markdown),
            ])?;
        Ok(())
    }

    /// Marks a page as met by a run.
    pub(crate) fn see(&self, name: &str, run: i64) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("UPDATE page SET seen = ?2 WHERE name = ?1")?
            .execute(params![name, run])?;
        Ok(())
    }

    pub(crate) fn redirect(&self, title: &str, target: &str, run: i64) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO redirect (title, target, seen) VALUES (?1, ?2, ?3)")?
            .execute(params![title, target, run])?;
        Ok(())
    }

    pub(crate) fn forget_redirects(&self, before: i64) -> rusqlite::Result<()> {
        self.connection.execute("DELETE FROM redirect WHERE seen < ?1", [before])?;
        Ok(())
    }

    pub(crate) fn remove(&self, name: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached("DELETE FROM page WHERE name = ?1")?.execute([name])?;
        Ok(())
    }

    /// Gives a page its aliases, and the text that has them.
    pub(crate) fn rename(
        &self,
        name: &str,
        aliases: &str,
        changed: i64,
        markdown: &str,
        packed: bool,
    ) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE page SET aliases = ?2, changed = ?3, size = ?4, text = ?5 WHERE name = ?1",
            )?
            .execute(params![name, aliases, changed, markdown.len() as i64, packed.then_some(markdown)])?;
        Ok(())
    }
}

fn page_row(row: &Row<'_>) -> rusqlite::Result<PageRow> {
    let digest: Vec<u8> = row.get(3)?;
    Ok(PageRow {
        name: row.get(0)?,
        title: row.get(1)?,
        number: row.get(2)?,
        // A digest of another length is none that a page has, so the page is written anew.
        digest: Digest(digest.try_into().unwrap_or_default()),
        seen: row.get(4)?,
    })
}

fn failed(path: &Path, source: rusqlite::Error) -> PagesError {
    PagesError::Store { path: path.to_owned(), source }
}
