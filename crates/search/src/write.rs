//! Writing: documents in and out, in one transaction.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension, params};

use crate::analysis::Analyzer;
use crate::embed::{Embed, check_vectors};
use crate::error::SearchError;
use crate::hashing::normalized;
use crate::language::Language;
use crate::meta::{Meta, language_of};
use crate::passage_id::PassageId;
use crate::quantize::to_blob;

/// The longest text of a passage, in bytes.
const LONGEST_TEXT: usize = 4 << 20;
/// The longest key, digest or title, in bytes.
const LONGEST_KEY: usize = 64 << 10;
/// The most passages of one document.
const MOST_PASSAGES: usize = 1 << 20;
/// So many texts are embedded together.
const EMBED_BATCH: usize = 64;
/// So many missing vectors are made in one transaction.
const FILL_BATCH: i64 = 4_096;
/// So many removed passages are remembered at least, for readers that hold the vectors in memory.
const REMEMBERED: i64 = 10_000;

/// A document as it is put into the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentText {
    /// Its key, at most 64 KiB.
    pub key: String,
    /// Changes whenever anything of the document changes: one that the index knows with this digest stays as it is.
    pub digest: String,
    /// What is found of it.
    pub passages: Vec<PassageText>,
}

/// A part of a document that is found by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageText {
    /// Its key, as the caller knows it.
    pub key: String,
    /// Its bytes in the document, as the caller counts them.
    pub span: Range<u64>,
    /// The title of the document and the headings above, e.g. `Ferries › Winter`; its words count more.
    pub title: String,
    /// What is searched, at most 4 MiB.
    pub text: String,
    /// Its language; when absent, it is guessed from the text, and is else that of the settings.
    pub language: Option<Language>,
}

/// One change of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Puts a document, in place of the one of the same key.
    Put(DocumentText),
    /// Removes the document of this key, if there is one.
    Remove(String),
}

/// What a list of changes did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Applied {
    /// Documents that are new or changed.
    pub put: usize,
    /// Documents that were there already, with the same digest.
    pub unchanged: usize,
    /// Documents that were removed.
    pub removed: usize,
    /// Passages of the documents that were put.
    pub passages: usize,
}

/// Applies changes within the transaction that the connection is in. Of two changes of one key, the later counts.
pub(crate) fn apply(
    connection: &Connection,
    changes: Vec<Change>,
    language: Language,
    embed: Option<&dyn Embed>,
) -> Result<Applied, SearchError> {
    let mut last: BTreeMap<String, Option<DocumentText>> = BTreeMap::new();
    for change in changes {
        match change {
            Change::Put(document) => {
                check_sizes(&document)?;
                last.insert(document.key.clone(), Some(document));
            }
            Change::Remove(key) => {
                last.insert(key, None);
            }
        }
    }
    let mut applied = Applied::default();
    let mut writer = Writer::new(connection)?;
    let mut documents = Vec::new();
    for (key, document) in last {
        let known: Option<(i64, String)> = connection
            .prepare_cached("SELECT id, digest FROM document WHERE key = ?1")?
            .query_row([&key], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match (known, document) {
            (Some((_, digest)), Some(document)) if digest == document.digest => applied.unchanged += 1,
            (known, document) => {
                if let Some((id, _)) = &known {
                    writer.remove(*id)?;
                }
                applied.removed += usize::from(known.is_some() && document.is_none());
                documents.extend(document);
            }
        }
    }
    let passages: Vec<&PassageText> = documents.iter().flat_map(|document| &document.passages).collect();
    let prepared: Vec<Prepared> =
        passages.par_iter().map(|passage| Prepared::new(passage, language)).collect();
    let texts: Vec<(&str, &str)> =
        passages.iter().map(|passage| (passage.title.as_str(), passage.text.as_str())).collect();
    let blobs = embed.map(|embed| vectors(embed, &texts)).transpose()?;
    applied.put = documents.len();
    applied.passages = passages.len();
    writer.add(&documents, &prepared, blobs.as_deref())?;
    writer.finish()?;
    Ok(applied)
}

/// Makes the vectors of the next passages after `after` that lack one, and returns how many it made and the last one.
pub(crate) fn fill_vectors(
    connection: &Connection,
    embed: &dyn Embed,
    after: i64,
) -> Result<Option<(usize, i64)>, SearchError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, title, text FROM passage
         WHERE id > ?1 AND NOT EXISTS (SELECT 1 FROM vector WHERE passage = id) ORDER BY id LIMIT ?2",
    )?;
    let rows: Vec<(i64, String, String)> = statement
        .query_map(params![after, FILL_BATCH], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    let Some((last, ..)) = rows.last() else { return Ok(None) };
    let texts: Vec<(&str, &str)> =
        rows.iter().map(|(_, title, text)| (title.as_str(), text.as_str())).collect();
    let mut insert = connection.prepare_cached("INSERT INTO vector (passage, value) VALUES (?1, ?2)")?;
    for ((id, _, _), blob) in rows.iter().zip(vectors(embed, &texts)?) {
        insert.execute(params![id, blob])?;
    }
    let mut meta = Meta::read(connection)?;
    meta.vectors += rows.len() as i64;
    meta.change += 1;
    // The new vectors do not stand behind those that a reader has.
    meta.reload = meta.change;
    meta.write(connection)?;
    Ok(Some((rows.len(), *last)))
}

fn check_sizes(document: &DocumentText) -> Result<(), SearchError> {
    let too_large = |what, limit: &str| {
        let key = document.key.chars().take(200).collect();
        Err(SearchError::TooLarge { what, key, limit: limit.to_owned() })
    };
    if document.key.len() > LONGEST_KEY || document.digest.len() > LONGEST_KEY {
        return too_large("the key", "64 KiB");
    }
    if document.passages.len() > MOST_PASSAGES {
        return too_large("the list of passages", "1,048,576");
    }
    for passage in &document.passages {
        if passage.key.len() > LONGEST_KEY || passage.title.len() > LONGEST_KEY {
            return too_large("the key or title of a passage", "64 KiB");
        }
        if passage.text.len() > LONGEST_TEXT {
            return too_large("a passage", "4 MiB");
        }
    }
    Ok(())
}

fn vectors(embed: &dyn Embed, texts: &[(&str, &str)]) -> Result<Vec<Vec<u8>>, SearchError> {
    let dimension = embed.model().dimension;
    let batches: Vec<Vec<Vec<u8>>> = texts
        .par_chunks(EMBED_BATCH)
        .map(|batch| {
            let joined: Vec<String> = batch.iter().map(|(title, text)| joined(title, text)).collect();
            let joined: Vec<&str> = joined.iter().map(String::as_str).collect();
            let vectors = embed.embed(&joined)?;
            check_vectors(&vectors, joined.len(), dimension)?;
            Ok(vectors.into_iter().map(|vector| to_blob(&normalized(vector))).collect())
        })
        .collect::<Result<_, SearchError>>()?;
    Ok(batches.into_iter().flatten().collect())
}

fn joined(title: &str, text: &str) -> String {
    if title.is_empty() { text.to_owned() } else { format!("{title}\n{text}") }
}

/// A passage's terms.
struct Prepared {
    language: Language,
    title: String,
    body: String,
    words: usize,
}

impl Prepared {
    fn new(passage: &PassageText, default: Language) -> Self {
        let language = passage.language.or_else(|| Language::detect(&passage.text)).unwrap_or(default);
        Self::of(language, &passage.title, &passage.text)
    }

    fn of(language: Language, title: &str, text: &str) -> Self {
        let analyzer = Analyzer::new(language);
        let (title, body) = (analyzer.terms(title), analyzer.terms(text));
        let words = terms_of(&title).chain(terms_of(&body)).count();
        Self { language, title, body, words }
    }

    /// Counts each different term once.
    fn count(&self, sign: i64, terms: &mut HashMap<String, i64>) {
        let mut different: Vec<&str> = terms_of(&self.title).chain(terms_of(&self.body)).collect();
        different.sort_unstable();
        different.dedup();
        for term in different {
            match terms.get_mut(term) {
                Some(count) => *count += sign,
                None => {
                    terms.insert(term.to_owned(), sign);
                }
            }
        }
    }
}

fn terms_of(terms: &str) -> impl Iterator<Item = &str> {
    terms.split(' ').filter(|term| !term.is_empty())
}

/// Collects what the tables that count will need.
struct Writer<'a> {
    connection: &'a Connection,
    meta: Meta,
    changed: bool,
    terms: HashMap<String, i64>,
    languages: BTreeMap<Language, i64>,
}

impl<'a> Writer<'a> {
    fn new(connection: &'a Connection) -> Result<Self, SearchError> {
        let mut meta = Meta::read(connection)?;
        meta.change += 1;
        Ok(Self { connection, meta, changed: false, terms: HashMap::new(), languages: BTreeMap::new() })
    }

    fn remove(&mut self, document: i64) -> Result<(), SearchError> {
        self.changed = true;
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, language, words, title, text FROM passage WHERE document = ?1")?;
        let mut rows = statement.query([document])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let language = language_of(row.get(1)?);
            let prepared = Prepared::of(language, &row.get::<_, String>(3)?, &row.get::<_, String>(4)?);
            prepared.count(-1, &mut self.terms);
            *self.languages.entry(language).or_default() -= 1;
            self.meta.passages -= 1;
            self.meta.words -= row.get::<_, i64>(2)?;
            self.connection.prepare_cached("DELETE FROM lexical WHERE rowid = ?1")?.execute([id])?;
            let vectors =
                self.connection.prepare_cached("DELETE FROM vector WHERE passage = ?1")?.execute([id])?;
            self.meta.vectors -= vectors as i64;
            self.connection
                .prepare_cached("INSERT INTO removed (passage, change) VALUES (?1, ?2)")?
                .execute([id, self.meta.change])?;
        }
        drop(rows);
        self.connection.prepare_cached("DELETE FROM passage WHERE document = ?1")?.execute([document])?;
        self.connection.prepare_cached("DELETE FROM document WHERE id = ?1")?.execute([document])?;
        Ok(())
    }

    fn add(
        &mut self,
        documents: &[DocumentText],
        prepared: &[Prepared],
        blobs: Option<&[Vec<u8>]>,
    ) -> Result<(), SearchError> {
        self.changed |= !documents.is_empty();
        let mut put_document =
            self.connection.prepare_cached("INSERT INTO document (key, digest) VALUES (?1, ?2)")?;
        let mut put_passage = self.connection.prepare_cached(
            "INSERT INTO passage (id, document, ord, key, start, end, language, words, title, text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        let mut put_terms =
            self.connection.prepare_cached("INSERT INTO lexical (rowid, title, body) VALUES (?1, ?2, ?3)")?;
        let mut put_vector =
            self.connection.prepare_cached("INSERT INTO vector (passage, value) VALUES (?1, ?2)")?;
        let mut next = 0;
        for document in documents {
            let row = put_document.insert(params![document.key, document.digest])?;
            for (ord, passage) in document.passages.iter().enumerate() {
                let terms = &prepared[next];
                self.meta.last += 1;
                let PassageId(id) = PassageId::new(self.meta.last, terms.words);
                put_passage.execute(params![
                    id,
                    row,
                    ord as i64,
                    passage.key,
                    passage.span.start as i64,
                    passage.span.end as i64,
                    terms.language as i64,
                    terms.words as i64,
                    passage.title,
                    passage.text,
                ])?;
                put_terms.execute(params![id, terms.title, terms.body])?;
                if let Some(blobs) = blobs {
                    put_vector.execute(params![id, blobs[next]])?;
                    self.meta.vectors += 1;
                }
                terms.count(1, &mut self.terms);
                *self.languages.entry(terms.language).or_default() += 1;
                self.meta.passages += 1;
                self.meta.words += terms.words as i64;
                next += 1;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), SearchError> {
        if !self.changed {
            return Ok(());
        }
        // In the order of the table: neighbors share a page.
        let mut terms: Vec<(String, i64)> = std::mem::take(&mut self.terms).into_iter().collect();
        terms.sort_unstable();
        let mut count = self.connection.prepare_cached(
            "INSERT INTO term (text, passages) VALUES (?1, ?2)
             ON CONFLICT (text) DO UPDATE SET passages = passages + ?2",
        )?;
        let mut drop_unused =
            self.connection.prepare_cached("DELETE FROM term WHERE text = ?1 AND passages <= 0")?;
        for (term, change) in &terms {
            if *change != 0 {
                count.execute(params![term, change])?;
            }
            if *change < 0 {
                drop_unused.execute([term])?;
            }
        }
        for (language, change) in &self.languages {
            self.connection.execute(
                "INSERT INTO language (id, passages) VALUES (?1, ?2)
                 ON CONFLICT (id) DO UPDATE SET passages = passages + ?2",
                params![*language as i64, change],
            )?;
        }
        let remembered: i64 =
            self.connection.query_row("SELECT count(*) FROM removed", [], |row| row.get(0))?;
        if remembered > REMEMBERED.max(self.meta.passages / 10) {
            self.connection.execute("DELETE FROM removed", [])?;
            self.meta.reload = self.meta.change;
        }
        self.meta.write(self.connection)?;
        Ok(())
    }
}
