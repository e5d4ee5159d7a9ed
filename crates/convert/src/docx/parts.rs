//! The parts of a document beside its text.

use std::collections::{BTreeSet, HashMap};

use crate::archive::{self, Archive};
use crate::limits::Clock;
use crate::writer::Converted;
use crate::xml::{self, Xml};
use crate::{ConvertError, Format};

/// How far styles may be based on each other.
const MOST_BASED: usize = 16;

/// Returns the path of the part that holds the text.
pub(super) fn main_part(archive: &mut Archive<'_>, clock: Clock) -> Result<String, ConvertError> {
    let mut found = None;
    if let Some(relations) = archive.read("_rels/.rels")? {
        xml::read(&relations, Format::Docx, clock, |event| {
            if let Xml::Open("Relationship", attributes) = event
                && attributes.get("Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
            {
                found = attributes.get("Target").map(|target| archive::resolve("", &target));
            }
            Ok(())
        })?;
    }
    Ok(found.filter(|path| archive.has(path)).unwrap_or_else(|| "word/document.xml".to_owned()))
}

/// Reads title, author and date.
pub(super) fn metadata(
    archive: &mut Archive<'_>,
    clock: Clock,
    metadata: &mut Converted,
) -> Result<(), ConvertError> {
    let Some(core) = archive.read("docProps/core.xml")? else { return Ok(()) };
    let mut value = String::new();
    xml::read(&core, Format::Docx, clock, |event| {
        match event {
            Xml::Open(..) => value.clear(),
            Xml::Text(text) => value.push_str(text),
            Xml::Close(name) => {
                let value =
                    Some(std::mem::take(&mut value).trim().to_owned()).filter(|value| !value.is_empty());
                match (name, value) {
                    ("title", Some(value)) => metadata.title = Some(value),
                    ("creator", Some(value)) => metadata.author = Some(value),
                    ("modified", Some(value)) => metadata.date = Some(value),
                    ("created", Some(value)) => {
                        metadata.date.get_or_insert(value);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    })
}

/// What a style says of its paragraphs.
#[derive(Debug, Default, Clone)]
pub(super) struct Style {
    based_on: Option<String>,
    name: String,
    outline: Option<u8>,
    number: Option<String>,
    level: Option<usize>,
}

#[derive(Debug, Default)]
pub(super) struct Styles(HashMap<String, Style>);

/// What a paragraph is by its style.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Role {
    pub(super) heading: Option<u8>,
    pub(super) number: Option<String>,
    pub(super) level: Option<usize>,
    pub(super) code: bool,
    pub(super) quote: bool,
    /// A list style that no numbering explains: whether it counts.
    pub(super) list: Option<bool>,
}

impl Styles {
    pub(super) fn read(part: Option<Vec<u8>>, clock: Clock) -> Result<Self, ConvertError> {
        let mut styles = HashMap::new();
        let mut open: Option<(String, Style)> = None;
        let Some(part) = part else { return Ok(Self(styles)) };
        xml::read(&part, Format::Docx, clock, |event| {
            match event {
                Xml::Open("style", attributes) => {
                    open = Some((attributes.get("styleId").unwrap_or_default(), Style::default()));
                }
                Xml::Close("style") => styles.extend(open.take()),
                Xml::Open(name, attributes) => {
                    let Some((_, style)) = &mut open else { return Ok(()) };
                    let value = || attributes.get("val");
                    match name {
                        "name" => style.name = value().unwrap_or_default().to_lowercase(),
                        "basedOn" => style.based_on = value(),
                        "outlineLvl" => style.outline = value().and_then(|level| level.parse().ok()),
                        "numId" => style.number = value(),
                        "ilvl" => style.level = value().and_then(|level| level.parse().ok()),
                        _ => {}
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(Self(styles))
    }

    /// Returns what a paragraph of this style is; a document without styles is understood by their usual names.
    pub(super) fn role(&self, id: &str) -> Role {
        let mut role = Role::default();
        let mut next = Some(id.to_owned());
        for _ in 0..MOST_BASED {
            let Some(id) = next.take() else { break };
            let style = self.0.get(&id).cloned().unwrap_or_default();
            let name = if style.name.is_empty() { id.to_lowercase() } else { style.name };
            let heading = heading(&name).or(style.outline.filter(|level| *level < 6).map(|level| level + 1));
            role.heading = role.heading.or(heading);
            role.number = role.number.or(style.number);
            role.level = role.level.or(style.level);
            role.code |= ["source code", "preformatted text", "html preformatted", "code", "sourcecode"]
                .contains(&name.as_str());
            role.quote |= ["quote", "intense quote", "block text", "quotations", "intensequote"]
                .contains(&name.as_str());
            if name.starts_with("list bullet") || name.starts_with("listbullet") {
                role.list = role.list.or(Some(false));
            } else if name.starts_with("list number") || name.starts_with("listnumber") {
                role.list = role.list.or(Some(true));
            }
            next = style.based_on;
        }
        role
    }
}

/// Returns the level of a heading style by its name in lower case.
fn heading(name: &str) -> Option<u8> {
    if name == "title" {
        return Some(1);
    }
    let level = name.strip_prefix("heading")?.trim().parse().ok()?;
    (1..=9).contains(&level).then_some(u8::min(level, 6))
}

/// Which lists count, and from where.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// The abstract list of each numbering.
    lists: HashMap<String, String>,
    /// Whether a level of an abstract list counts, and from where.
    levels: HashMap<(String, usize), Option<u64>>,
    /// The numberings that begin their list anew.
    anew: BTreeSet<String>,
}

impl Numbering {
    pub(super) fn read(part: Option<Vec<u8>>, clock: Clock) -> Result<Self, ConvertError> {
        let mut numbering = Self::default();
        let Some(part) = part else { return Ok(numbering) };
        let mut list: Option<String> = None;
        let mut number: Option<String> = None;
        let mut level = (0_usize, 1_u64, String::new());
        xml::read(&part, Format::Docx, clock, |event| {
            match event {
                Xml::Open("abstractNum", attributes) => list = attributes.get("abstractNumId"),
                Xml::Close("abstractNum") => list = None,
                Xml::Open("num", attributes) => number = attributes.get("numId"),
                Xml::Close("num") => number = None,
                Xml::Open("abstractNumId", attributes) => {
                    if let (Some(number), Some(list)) = (&number, attributes.get("val")) {
                        numbering.lists.insert(number.clone(), list);
                    }
                }
                Xml::Open("startOverride", _) => numbering.anew.extend(number.clone()),
                Xml::Open("lvl", attributes) => {
                    let place = attributes.get("ilvl").and_then(|level| level.parse().ok()).unwrap_or(0);
                    level = (place, 1, String::new());
                }
                Xml::Open("start", attributes) => {
                    level.1 = attributes.get("val").and_then(|start| start.parse().ok()).unwrap_or(1);
                }
                Xml::Open("numFmt", attributes) => level.2 = attributes.get("val").unwrap_or_default(),
                Xml::Close("lvl") => {
                    if let Some(list) = &list {
                        let counts = !matches!(level.2.as_str(), "bullet" | "none" | "");
                        numbering.levels.insert((list.clone(), level.0), counts.then_some(level.1));
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(numbering)
    }

    /// Returns the list that a numbering belongs to.
    pub(super) fn list(&self, number: &str) -> Option<&str> {
        self.lists.get(number).map(String::as_str)
    }

    /// Tells whether the first use of a numbering begins its list anew.
    pub(super) fn begins_anew(&self, number: &str) -> bool {
        self.anew.contains(number)
    }

    /// Returns the first number of a list that counts.
    pub(super) fn first(&self, number: &str, level: usize) -> Option<u64> {
        let list = self.lists.get(number)?;
        self.levels.get(&(list.clone(), level)).copied().flatten()
    }
}

/// The targets of links, by id.
#[derive(Debug, Default)]
pub(super) struct Relations(HashMap<String, String>);

impl Relations {
    pub(super) fn read(part: Option<Vec<u8>>, clock: Clock) -> Result<Self, ConvertError> {
        let mut relations = HashMap::new();
        let Some(part) = part else { return Ok(Self(relations)) };
        xml::read(&part, Format::Docx, clock, |event| {
            if let Xml::Open("Relationship", attributes) = event
                && attributes.get("TargetMode").is_some_and(|mode| mode == "External")
                && let (Some(id), Some(target)) = (attributes.get("Id"), attributes.get("Target"))
            {
                relations.insert(id, target);
            }
            Ok(())
        })?;
        Ok(Self(relations))
    }

    pub(super) fn target(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

/// The notes that the text refers to, numbered as they come.
#[derive(Debug, Default)]
pub(super) struct Notes(HashMap<(Note, String), String>);

/// Where a note stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Note {
    Foot,
    End,
}

impl Notes {
    /// Returns the label of a note; a new one gets the next number.
    pub(super) fn refer(&mut self, kind: Note, id: String) -> String {
        let next = self.0.len() + 1;
        self.0.entry((kind, id)).or_insert_with(|| next.to_string()).clone()
    }

    /// Returns the label of a note that was referred to.
    pub(super) fn label(&self, kind: Note, id: String) -> Option<&str> {
        self.0.get(&(kind, id)).map(String::as_str)
    }

    pub(super) fn has(&self, kind: Note) -> bool {
        self.0.keys().any(|(own, _)| *own == kind)
    }
}
