//! The numbers that an index keeps of itself.

use rusqlite::{Connection, OptionalExtension, params};

use crate::embed::EmbedModel;
use crate::language::Language;

/// What an index knows of itself, read with one transaction and written with one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Meta {
    /// The version of the analysis that made the terms.
    pub analysis: i64,
    /// Grows with each transaction that changes something.
    pub change: i64,
    /// The number of the last passage.
    pub last: i64,
    /// How many passages there are.
    pub passages: i64,
    /// How many words they have.
    pub words: i64,
    /// How many vectors there are.
    pub vectors: i64,
    /// Vectors that were loaded before this change are loaded anew.
    pub reload: i64,
    /// What made the vectors.
    pub model: Option<EmbedModel>,
}

impl Meta {
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let model_name: Option<String> = optional(connection, "model_name")?;
        let model = match model_name {
            Some(name) => Some(EmbedModel {
                name,
                version: optional(connection, "model_version")?.unwrap_or_default(),
                dimension: usize::try_from(number(connection, "model_dimension")?).unwrap_or(0),
            }),
            None => None,
        };
        Ok(Self {
            analysis: number(connection, "analysis")?,
            change: number(connection, "change")?,
            last: number(connection, "last")?,
            passages: number(connection, "passages")?,
            words: number(connection, "words")?,
            vectors: number(connection, "vectors")?,
            reload: number(connection, "reload")?,
            model,
        })
    }

    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut put =
            connection.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?;
        for (key, value) in [
            ("analysis", self.analysis),
            ("change", self.change),
            ("last", self.last),
            ("passages", self.passages),
            ("words", self.words),
            ("vectors", self.vectors),
            ("reload", self.reload),
        ] {
            put.execute(params![key, value])?;
        }
        match &self.model {
            Some(model) => {
                put.execute(params!["model_name", model.name])?;
                put.execute(params!["model_version", model.version])?;
                put.execute(params!["model_dimension", model.dimension as i64])?;
            }
            None => {
                connection.execute("DELETE FROM meta WHERE key LIKE 'model%'", [])?;
            }
        }
        Ok(())
    }

    /// Returns the mean length of a passage, in words.
    pub(crate) fn mean_words(&self) -> f32 {
        (self.words as f64 / (self.passages.max(1)) as f64).max(1.0) as f32
    }
}

/// Returns the languages of the passages, the most frequent first.
pub(crate) fn languages(connection: &Connection) -> rusqlite::Result<Vec<Language>> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM language WHERE passages > 0 ORDER BY passages DESC, id")?;
    let rows = statement.query_map([], |row| row.get::<_, i64>(0))?;
    rows.map(|id| Ok(language_of(id?))).collect()
}

/// Returns the language that the file means by a number.
pub(crate) fn language_of(id: i64) -> Language {
    usize::try_from(id).ok().and_then(|id| Language::TABLE.get(id)).map_or(Language::Other, |(one, _)| *one)
}

fn number(connection: &Connection, key: &str) -> rusqlite::Result<i64> {
    connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?.query_row([key], |row| row.get(0))
}

fn optional(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}
