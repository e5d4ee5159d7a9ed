//! The pages of an export, one after the other.

use std::collections::BTreeSet;
use std::io::Read;

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::bounded::Bounded;
use crate::{ExportError, Site};

/// The longest text of a page, in bytes: MediaWiki itself stops at 2 MiB unless told otherwise.
const TEXT_LIMIT: usize = 16 << 20;
/// The longest value of any other element, in bytes; what is over it is left out.
const VALUE_LIMIT: usize = 1 << 16;
/// The deepest nesting; an export has six levels.
const DEPTH_LIMIT: usize = 64;
/// The most namespaces kept of a site.
const NAMESPACE_LIMIT: usize = 500;

/// Holds one page of an export, as its newest revision has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The full title, with the name of its namespace.
    pub title: String,
    /// The number of the namespace; 0 for articles.
    pub namespace: i32,
    /// The number of the page in its wiki; 0 when the export does not say.
    pub id: u64,
    /// The title that the page redirects to.
    pub redirect: Option<String>,
    /// The number of the revision; 0 when the export does not say.
    pub revision: u64,
    /// When the revision was made, such as `2015-01-31T12:00:00Z`; empty when the export does not say.
    pub timestamp: String,
    /// Who made the revision: a name or an address; empty when the export does not say.
    pub contributor: String,
    /// The content model, such as `wikitext` or `json`; empty when the export does not say, which means wikitext.
    pub model: String,
    /// The text; empty when it was deleted or the export has none.
    pub text: String,
    /// The position of the first byte after the page, in the uncompressed stream.
    pub end: u64,
}

/// Reads the pages of a MediaWiki export, of any version of its schema, in constant memory.
///
/// It is an iterator over pages. An error about one page ([`ExportError::is_about_one_page`]) leaves the next pages
/// readable; after any other error there is no more.
///
/// ```
/// use mge_wiki::Export;
///
/// let xml = "<mediawiki><page><title>A</title><ns>0</ns><revision><text>x</text></revision></page></mediawiki>";
/// let pages = Export::new(xml.as_bytes())?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!((pages[0].title.as_str(), pages[0].text.as_str()), ("A", "x"));
/// # Ok::<(), mge_wiki::ExportError>(())
/// ```
#[derive(Debug)]
pub struct Export<R> {
    stream: Bounded<R>,
    buffer: Vec<u8>,
    state: State,
    done: bool,
}

/// What is known at a point of the stream.
#[derive(Debug)]
struct State {
    /// The elements that are open, the root first.
    open: Vec<Element>,
    site: Site,
    /// The namespaces to keep; all when empty.
    kept: BTreeSet<i32>,
    limit: usize,
    /// The number of the namespace of which the name comes next.
    key: i32,
    page: Page,
    /// The namespace that the page itself names.
    namespace: Option<i32>,
    /// The revision that is being read, or was read last.
    revision: Revision,
    newest: Option<Revision>,
    /// The value of the innermost open element.
    value: String,
}

#[derive(Debug, Default)]
struct Revision {
    id: u64,
    timestamp: String,
    contributor: String,
    model: String,
    text: String,
    too_large: bool,
}

/// The elements that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Root,
    Site,
    Namespaces,
    Page,
    Redirect,
    Revision,
    Contributor,
    /// An element whose value is kept.
    Value(Value),
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    SiteName,
    Base,
    Case,
    Namespace,
    Title,
    Number,
    PageId,
    RevisionId,
    Timestamp,
    Contributor,
    Model,
    Text,
}

/// Where the parser stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    SiteEnds,
    PageStarts,
    PageEnds,
    RootEnds,
}

impl Element {
    /// Returns what a name means within an element.
    fn of(parent: Option<Self>, name: &str) -> Self {
        match (parent, name) {
            (None, "mediawiki") => Self::Root,
            (Some(Self::Root), "siteinfo") => Self::Site,
            (Some(Self::Root), "page") => Self::Page,
            (Some(Self::Site), "sitename") => Self::Value(Value::SiteName),
            (Some(Self::Site), "base") => Self::Value(Value::Base),
            (Some(Self::Site), "case") => Self::Value(Value::Case),
            (Some(Self::Site), "namespaces") => Self::Namespaces,
            (Some(Self::Namespaces), "namespace") => Self::Value(Value::Namespace),
            (Some(Self::Page), "title") => Self::Value(Value::Title),
            (Some(Self::Page), "ns") => Self::Value(Value::Number),
            (Some(Self::Page), "id") => Self::Value(Value::PageId),
            (Some(Self::Page), "redirect") => Self::Redirect,
            (Some(Self::Page), "revision") => Self::Revision,
            (Some(Self::Revision), "id") => Self::Value(Value::RevisionId),
            (Some(Self::Revision), "timestamp") => Self::Value(Value::Timestamp),
            (Some(Self::Revision), "contributor") => Self::Contributor,
            (Some(Self::Revision), "model") => Self::Value(Value::Model),
            (Some(Self::Revision), "text") => Self::Value(Value::Text),
            (Some(Self::Contributor), "username" | "ip") => Self::Value(Value::Contributor),
            _ => Self::Other,
        }
    }
}

impl<R: Read> Export<R> {
    /// Opens an export and reads what it says of its wiki.
    ///
    /// # Errors
    ///
    /// Any [`ExportError`] that is about the whole export.
    pub fn new(stream: R) -> Result<Self, ExportError> {
        Self::with_limit(stream, TEXT_LIMIT)
    }

    pub(crate) fn with_limit(stream: R, limit: usize) -> Result<Self, ExportError> {
        let mut export = Self {
            stream: Bounded::new(stream, limit),
            buffer: Vec::new(),
            state: State::new(limit),
            done: false,
        };
        export.advance(&[Stop::SiteEnds, Stop::PageStarts])?;
        Ok(export)
    }

    /// Returns what the export says of its wiki.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.state.site
    }

    /// Keeps the pages of some namespaces only, by number; without numbers, all.
    #[must_use]
    pub fn only_namespaces(mut self, numbers: impl IntoIterator<Item = i32>) -> Self {
        self.state.kept = numbers.into_iter().collect();
        self
    }

    /// Goes on at a position in the uncompressed stream where a page ended, [`Page::end`], without parsing what is
    /// before it.
    ///
    /// A compressed stream is still unpacked up to there. A position that is already passed changes nothing.
    ///
    /// # Errors
    ///
    /// [`ExportError::Truncated`] when the stream is shorter, [`ExportError::Read`] when it cannot be read.
    pub fn skip_to(&mut self, position: u64) -> Result<(), ExportError> {
        if position <= self.bytes_read() || self.done {
            return Ok(());
        }
        self.stream.skip_to(position).map_err(|reason| {
            self.done = true;
            failed(&self.stream, reason)
        })?;
        self.state.open.truncate(1);
        self.state.start_page();
        Ok(())
    }

    /// Returns how many bytes of the uncompressed stream were read.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.stream.position()
    }

    /// Parses up to one of the stops; the end of the root stops always.
    fn advance(&mut self, stops: &[Stop]) -> Result<Stop, ExportError> {
        let stop = self.parse(stops);
        self.done = !matches!(stop, Ok(Stop::SiteEnds | Stop::PageStarts | Stop::PageEnds));
        self.buffer.clear();
        self.buffer.shrink_to(VALUE_LIMIT);
        stop
    }

    fn parse(&mut self, stops: &[Stop]) -> Result<Stop, ExportError> {
        let Self { stream, buffer, state, .. } = self;
        // Between two events the parser keeps nothing that a new one lacks, so it needs not outlive this call.
        let mut reader = parser(stream);
        loop {
            buffer.clear();
            let outcome = match reader.read_event_into(buffer) {
                Ok(Event::Eof) => {
                    let position = reader.get_ref().position();
                    return Err(state.cut_off(position));
                }
                Ok(event) => Ok(state.take(&event, reader.get_ref().position())?),
                Err(error) => Err(error),
            };
            let stop = match outcome {
                Ok(stop) => stop,
                Err(quick_xml::Error::Encoding(_)) if !buffer.starts_with(b"<") => {
                    state.text(&String::from_utf8_lossy(buffer))?;
                    reader = parser(reader.into_inner());
                    None
                }
                Err(error) => return Err(broken(reader.get_ref(), error, state.open.is_empty())),
            };
            state.revision.too_large |= reader.get_mut().take_cut();
            reader.get_mut().mark();
            if let Some(stop) = stop
                && (stops.contains(&stop) || stop == Stop::RootEnds)
            {
                return Ok(stop);
            }
        }
    }
}

impl<R: Read> Iterator for Export<R> {
    type Item = Result<Page, ExportError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.done {
                return None;
            }
            match self.advance(&[Stop::PageEnds]) {
                Err(error) => return Some(Err(error)),
                Ok(Stop::PageEnds) => {}
                Ok(_) => return None,
            }
            let end = self.bytes_read();
            if let Some(page) = self.state.finish_page(end) {
                return Some(page);
            }
        }
    }
}

impl State {
    fn new(limit: usize) -> Self {
        Self {
            open: Vec::new(),
            site: Site::default(),
            kept: BTreeSet::new(),
            limit,
            key: 0,
            page: Page::default(),
            namespace: None,
            revision: Revision::default(),
            newest: None,
            value: String::new(),
        }
    }

    fn take(&mut self, event: &Event<'_>, position: u64) -> Result<Option<Stop>, ExportError> {
        match event {
            Event::Start(tag) => self.open(tag, position),
            Event::Empty(tag) => {
                let started = self.open(tag, position)?;
                Ok(self.close(tag.local_name().as_ref(), position)?.or(started))
            }
            Event::End(tag) => self.close(tag.local_name().as_ref(), position),
            Event::Text(text) => self.text(&text.xml10_content()).map(|()| None),
            Event::CData(text) => self.text(&text.xml10_content()).map(|()| None),
            Event::GeneralRef(reference) => self.text(&resolved(reference)).map(|()| None),
            Event::DocType(_) => Err(ExportError::DocumentType { position }),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::Eof => Ok(None),
        }
    }

    fn cut_off(&self, position: u64) -> ExportError {
        if self.open.is_empty() {
            return ExportError::NotAnExport { found: "nothing".to_owned() };
        }
        ExportError::Truncated { position }
    }

    fn open(&mut self, tag: &BytesStart<'_>, position: u64) -> Result<Option<Stop>, ExportError> {
        let name = tag.local_name();
        let element = Element::of(self.open.last().copied(), name.as_ref());
        if self.open.is_empty() && element != Element::Root {
            let name: String = name.as_ref().chars().take(40).collect();
            return Err(ExportError::NotAnExport { found: format!("the element '{name}'") });
        }
        if self.open.len() >= DEPTH_LIMIT {
            return Err(ExportError::TooDeep { position, limit: DEPTH_LIMIT });
        }
        self.open.push(element);
        self.value.clear();
        match element {
            Element::Root => self.site.language = attribute(tag, "lang").unwrap_or_default(),
            Element::Page => {
                self.start_page();
                return Ok(Some(Stop::PageStarts));
            }
            Element::Redirect => {
                self.page.redirect = attribute(tag, "title").filter(|title| !title.is_empty())
            }
            Element::Revision => self.revision = Revision::default(),
            Element::Value(Value::Namespace) => {
                self.key = attribute(tag, "key").and_then(|key| key.parse().ok()).unwrap_or(0);
            }
            _ => {}
        }
        Ok(None)
    }

    fn close(&mut self, name: &str, position: u64) -> Result<Option<Stop>, ExportError> {
        let malformed =
            || ExportError::Malformed { position, reason: format!("'{name}' ends, but did not start") };
        let element = self.open.pop().ok_or_else(malformed)?;
        if Element::of(self.open.last().copied(), name) != element {
            return Err(malformed());
        }
        match element {
            Element::Root => return Ok(Some(Stop::RootEnds)),
            Element::Site => return Ok(Some(Stop::SiteEnds)),
            Element::Page => return Ok(Some(Stop::PageEnds)),
            Element::Revision => {
                let revision = std::mem::take(&mut self.revision);
                let age = |revision: &Revision| (revision.timestamp.clone(), revision.id);
                // Of equal ones the later in the file.
                if self.newest.as_ref().is_none_or(|newest| age(newest) <= age(&revision)) {
                    self.newest = Some(revision);
                }
            }
            Element::Value(value) => self.keep(value),
            _ => {}
        }
        Ok(None)
    }

    fn keep(&mut self, value: Value) {
        let text = std::mem::take(&mut self.value);
        let trimmed = || text.trim().to_owned();
        match value {
            Value::SiteName => self.site.name = trimmed(),
            Value::Base => self.site.base = trimmed(),
            Value::Case => self.site.first_letter = text.trim() != "case-sensitive",
            Value::Namespace if self.site.namespaces.len() < NAMESPACE_LIMIT => {
                self.site.namespaces.insert(self.key, trimmed());
            }
            Value::Namespace => {}
            // Not trimmed: it is the page's name, whatever it is.
            Value::Title => self.page.title = text,
            Value::Number => self.namespace = text.trim().parse().ok(),
            Value::PageId => self.page.id = text.trim().parse().unwrap_or(0),
            Value::RevisionId => self.revision.id = text.trim().parse().unwrap_or(0),
            Value::Timestamp => self.revision.timestamp = trimmed(),
            Value::Contributor => self.revision.contributor = trimmed(),
            Value::Model => self.revision.model = trimmed(),
            Value::Text => self.revision.text = text,
        }
    }

    fn text(&mut self, text: &str) -> Result<(), ExportError> {
        match self.open.last() {
            None if !text.trim().is_empty() => {
                let found: String = text.trim().chars().take(40).collect();
                return Err(ExportError::NotAnExport { found: format!("'{}'", found.escape_debug()) });
            }
            Some(Element::Value(Value::Text)) if !self.is_kept() => {}
            Some(Element::Value(Value::Text)) => {
                if self.value.len() + text.len() > self.limit {
                    self.revision.too_large = true;
                    self.value = String::new();
                }
                if !self.revision.too_large {
                    self.value.push_str(text);
                }
            }
            Some(Element::Value(_)) => {
                let room = VALUE_LIMIT.saturating_sub(self.value.len());
                self.value.push_str(&text[..text.floor_char_boundary(room)]);
            }
            _ => {}
        }
        Ok(())
    }

    fn start_page(&mut self) {
        self.page = Page::default();
        self.namespace = None;
        self.revision = Revision::default();
        self.newest = None;
        self.value = String::new();
    }

    /// Returns whether the page may be in a namespace that is wanted, as far as was read.
    fn is_kept(&self) -> bool {
        let number = self.namespace.unwrap_or_else(|| self.site.namespace_of(&self.page.title));
        self.kept.is_empty() || self.kept.contains(&number)
    }

    /// Returns the page that was read, if it is wanted.
    fn finish_page(&mut self, end: u64) -> Option<Result<Page, ExportError>> {
        if !self.is_kept() {
            return None;
        }
        let newest = self.newest.take().unwrap_or_default();
        let mut page = std::mem::take(&mut self.page);
        if newest.too_large {
            let (title, limit) = (page.title, self.limit);
            return Some(Err(ExportError::PageTooLarge { title, limit, end }));
        }
        page.namespace = self.namespace.unwrap_or_else(|| self.site.namespace_of(&page.title));
        page.end = end;
        page.revision = newest.id;
        page.timestamp = newest.timestamp;
        page.contributor = newest.contributor;
        page.model = newest.model;
        page.text = newest.text;
        Some(Ok(page))
    }
}

fn parser<R: Read>(stream: &mut Bounded<R>) -> Reader<&mut Bounded<R>> {
    let mut reader = Reader::from_reader(stream);
    let config = reader.config_mut();
    // What is open is kept here, not there.
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    reader
}

/// Returns what a reference stands for. One that XML does not define stays as it is: wikitext may know it.
fn resolved(reference: &BytesRef<'_>) -> String {
    match reference.resolve_char_ref() {
        Ok(Some(letter)) => letter.to_string(),
        Ok(None) => {
            let name = reference.xml10_content();
            resolve_xml_entity(&name).map_or_else(|| format!("&{name};"), str::to_owned)
        }
        Err(_) => char::REPLACEMENT_CHARACTER.to_string(),
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.attributes().flatten().find(|one| one.key.local_name().as_ref() == name)?;
    Some(attribute.normalized_value(XmlVersion::default()).ok()?.into_owned())
}

fn failed<R: Read>(stream: &Bounded<R>, reason: std::io::Error) -> ExportError {
    let position = stream.position();
    match reason.kind() {
        std::io::ErrorKind::UnexpectedEof => ExportError::Truncated { position },
        _ => ExportError::Read { position, reason },
    }
}

fn broken<R: Read>(stream: &Bounded<R>, error: quick_xml::Error, at_start: bool) -> ExportError {
    let position = stream.position();
    match error {
        _ if stream.is_too_large() => ExportError::TooLarge { position, limit: stream.limit() },
        quick_xml::Error::Io(reason) => {
            failed(stream, std::io::Error::new(reason.kind(), reason.to_string()))
        }
        _ if at_start => ExportError::NotAnExport { found: "something else".to_owned() },
        // Whatever is unclosed, is unclosed because the stream ends.
        quick_xml::Error::Syntax(_) => ExportError::Truncated { position },
        other => ExportError::Malformed { position, reason: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 200_000;

    fn read(xml: &str) -> Vec<Result<String, ExportError>> {
        let export = Export::with_limit(xml.as_bytes(), LIMIT).unwrap();
        export.map(|page| page.map(|page| page.title)).collect()
    }

    fn page(title: &str, text: &str) -> String {
        format!("<page><title>{title}</title><revision><text>{text}</text></revision></page>")
    }

    #[test]
    fn a_page_over_the_limit_is_left_out_and_the_next_is_read() {
        for text in [
            "a".repeat(LIMIT + 1),
            "a".repeat(10 * LIMIT),
            "&lt;x&gt;".repeat(LIMIT),
            "<b/>".to_owned() + &"é".repeat(LIMIT),
        ] {
            let xml =
                format!("<mediawiki>{}{}{}</mediawiki>", page("A", "a"), page("B", &text), page("C", "c"));
            let read = read(&xml);
            assert_eq!(read[0].as_ref().unwrap(), "A");
            assert!(matches!(&read[1], Err(ExportError::PageTooLarge { title, .. }) if title == "B"));
            assert_eq!(read[2].as_ref().unwrap(), "C");
            assert_eq!(read.len(), 3);
        }
    }

    #[test]
    fn a_position_counts_what_was_left_out() {
        let xml = format!("<mediawiki>{}{}</mediawiki>", page("B", &"a".repeat(5 * LIMIT)), page("C", "c"));
        let mut export = Export::with_limit(xml.as_bytes(), LIMIT).unwrap();
        let Some(Err(ExportError::PageTooLarge { end, .. })) = export.next() else { panic!() };
        assert_eq!(end as usize, xml.find("</page>").unwrap() + 7);
        assert_eq!(export.next().unwrap().unwrap().end as usize, xml.rfind("</page>").unwrap() + 7);
    }

    #[test]
    fn large_values_and_markup_are_bounded() {
        let xml = format!("<mediawiki>{}</mediawiki>", page(&"t".repeat(10 * LIMIT), "a"));
        assert!(read(&xml)[0].as_ref().unwrap().len() <= VALUE_LIMIT);
        let xml =
            format!("<mediawiki><page><title>A</title><!-- {} --></page></mediawiki>", "<a>".repeat(LIMIT));
        assert!(matches!(read(&xml)[0], Err(ExportError::TooLarge { .. })));
        let xml =
            format!("<mediawiki><page a=\"{}\"><title>A</title></page></mediawiki>", "a".repeat(10 * LIMIT));
        assert!(Export::with_limit(xml.as_bytes(), LIMIT).is_err());
    }
}
