use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

use crate::error::StoreError;

/// The writer's table of words: concepts, relations and methods by number. There are few, so all stay in memory.
#[derive(Default)]
pub(crate) struct Words {
    numbers: HashMap<Arc<str>, i64>,
    words: HashMap<i64, Arc<str>>,
}

impl Words {
    /// Returns the number of a word, giving it one if need be.
    pub(crate) fn number(&mut self, connection: &Connection, word: &str) -> Result<i64, StoreError> {
        if let Some(number) = self.numbers.get(word) {
            return Ok(*number);
        }
        if let Some(number) = self.find(connection, word)? {
            return Ok(number);
        }
        let number = connection.prepare_cached("INSERT INTO word (text) VALUES (?1)")?.insert([word])?;
        self.learn(number, word.into());
        Ok(number)
    }

    /// Returns the number of a word, if it has one.
    pub(crate) fn find(&mut self, connection: &Connection, word: &str) -> Result<Option<i64>, StoreError> {
        if let Some(number) = self.numbers.get(word) {
            return Ok(Some(*number));
        }
        let known: Option<i64> = connection
            .prepare_cached("SELECT id FROM word WHERE text = ?1")?
            .query_row([word], |row| row.get(0))
            .optional()?;
        if let Some(number) = known {
            self.learn(number, word.into());
        }
        Ok(known)
    }

    /// Returns the word of a number.
    pub(crate) fn word(&mut self, connection: &Connection, number: i64) -> Result<Arc<str>, StoreError> {
        if let Some(word) = self.words.get(&number) {
            return Ok(Arc::clone(word));
        }
        let word: String = connection
            .prepare_cached("SELECT text FROM word WHERE id = ?1")?
            .query_row([number], |row| row.get(0))
            .optional()?
            .ok_or_else(|| StoreError::Row(format!("no word has the number {number}")))?;
        let word: Arc<str> = word.into();
        self.learn(number, Arc::clone(&word));
        Ok(word)
    }

    fn learn(&mut self, number: i64, word: Arc<str>) {
        self.numbers.insert(Arc::clone(&word), number);
        self.words.insert(number, word);
    }
}
