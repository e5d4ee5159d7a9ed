//! The tables of a search index.

/// Marks the file as ours: `mgeS`.
pub(crate) const APPLICATION_ID: i32 = 0x6d67_6553;
/// The format that this version writes. A newer one is refused; an older one is emptied, and filled anew.
pub(crate) const FORMAT: i32 = 1;

/// Everything that the file holds.
///
/// The texts stand in `passage` alone; `lexical` is contentless and holds which term stands where. A passage's id is
/// its number times 256 plus the code of its length (`PassageId`), grows, and is never given again. `term` counts the
/// passages of each term, `removed` the passages that a reader of the vectors may still have in memory.
pub(crate) const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE document (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, digest TEXT NOT NULL);
CREATE TABLE passage (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES document (id), ord INTEGER NOT NULL,
    key TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, language INTEGER NOT NULL,
    words INTEGER NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX passage_document ON passage (document, ord);
CREATE TABLE term (text TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE language (id INTEGER PRIMARY KEY, passages INTEGER NOT NULL);
CREATE TABLE vector (passage INTEGER PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE removed (passage INTEGER PRIMARY KEY, change INTEGER NOT NULL);
CREATE INDEX removed_change ON removed (change);
CREATE VIRTUAL TABLE lexical USING fts5(
    title, body, content='', contentless_delete=1, tokenize=\"ascii tokenchars '+#&'\"
);
CREATE VIRTUAL TABLE posting USING fts5vocab(lexical, instance);
INSERT INTO lexical (lexical, rank) VALUES ('hashsize', 16777216);
";

/// Empties a file of an older format.
pub(crate) const DROP: &str = "
DROP TABLE IF EXISTS posting;
DROP TABLE IF EXISTS lexical;
DROP TABLE IF EXISTS removed;
DROP TABLE IF EXISTS vector;
DROP TABLE IF EXISTS language;
DROP TABLE IF EXISTS term;
DROP TABLE IF EXISTS passage;
DROP TABLE IF EXISTS document;
DROP TABLE IF EXISTS meta;
";
