//! PDF: what its pages draw becomes words, lines, tables, then headings, lists and paragraphs.
//!
//! The file is first looked through for streams that unpack to too much ([`inflate`]). A page goes through [`draw`] (glyphs and rules with their places), [`word`] (words), [`table`] (what stands in
//! rows and columns), [`order`] (columns of text, lines in reading order). The whole document then goes through
//! [`furniture`] (running heads and page numbers) and [`flow`] (blocks, written as Markdown).

mod draw;
mod flow;
mod furniture;
mod inflate;
mod label;
mod order;
mod table;
mod word;

use hayro_interpret::InterpreterCache;
use hayro_syntax::object::{Array, DateTime, Dict, Name, Rect, String as PdfString};
use hayro_syntax::page::Page;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use crate::limits::Clock;
use crate::writer::Writer;
use crate::{ConvertError, Format, Limits};

/// A part of a page, in reading order.
pub(crate) enum Item {
    Line(order::Line),
    /// Rows of cells, which are Markdown of one line.
    Table(Vec<Vec<String>>),
}

/// One page, read.
pub(crate) struct Sheet {
    items: Vec<Item>,
    height: f32,
}

/// How many page numbers a warning names.
const MOST_NAMED: usize = 20;
/// Above this share of glyphs without a character a page's text is of little use.
const UNREADABLE: f64 = 0.2;

/// Converts a document.
pub(crate) fn convert(
    bytes: Vec<u8>,
    limits: &Limits,
    clock: Clock,
    writer: &mut Writer,
) -> Result<(), ConvertError> {
    inflate::check(&bytes, limits.unpacked, clock)?;
    let pdf = open(bytes)?;
    let pages = pdf.pages();
    let broken = |reason: &str| ConvertError::Broken { format: Format::Pdf, reason: reason.to_owned() };
    if pages.is_empty() {
        return Err(broken("it has no pages"));
    }
    if pages.len() > limits.pages {
        return Err(ConvertError::TooLarge { what: "pages", limit: limits.pages as u64 });
    }
    metadata(&pdf, writer);
    let mut cache = InterpreterCache::new();
    let mut strokes = draw::Strokes::new();
    let mut sheets = Vec::new();
    let (mut scanned, mut unreadable, mut cut) = (Vec::new(), Vec::new(), Vec::new());
    for (number, page) in pages.iter().enumerate() {
        clock.check()?;
        if number % 256 == 255 {
            // Fonts and images of pages gone by would pile up.
            cache = InterpreterCache::new();
            strokes.clear();
        }
        let drawn = draw::page(page, &pdf, &cache, &mut strokes, clock);
        if drawn.glyphs.is_empty() && drawn.images > 0 {
            scanned.push(number + 1);
        }
        if drawn.unreadable as f64 > UNREADABLE * (drawn.glyphs.len() + drawn.unreadable) as f64 {
            unreadable.push(number + 1);
        }
        if drawn.cut {
            cut.push(number + 1);
        }
        let height = drawn.height;
        sheets.push(Sheet { items: sheet(drawn, &links(page)), height });
    }
    if scanned.len() == pages.len() {
        return Err(ConvertError::Scanned { pages: pages.len() });
    }
    if sheets.iter().all(|sheet| sheet.items.is_empty()) {
        writer.warn("no page has any text".to_owned());
    }
    let mut warn = |numbers: &[usize], what: &str| {
        if !numbers.is_empty() {
            writer.warn(format!("{what}: page {}", named(numbers)));
        }
    };
    warn(&scanned, "no text layer, an image only");
    warn(&unreadable, "the fonts do not tell which characters many glyphs are");
    warn(&cut, "more glyphs than are read");
    furniture::remove(&mut sheets);
    flow::weigh(&mut sheets);
    flow::write(sheets, label::labels(&pdf, pages.len()), clock, writer)
}

fn open(bytes: Vec<u8>) -> Result<Pdf, ConvertError> {
    Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            ConvertError::Encrypted { format: Format::Pdf }
        }
        LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm) => ConvertError::Unsupported {
            format: Format::Pdf,
            reason: "its encryption is not known".to_owned(),
        },
        LoadPdfError::Decryption(_) => {
            ConvertError::Broken { format: Format::Pdf, reason: "its encryption is damaged".to_owned() }
        }
        LoadPdfError::Invalid => {
            ConvertError::Broken { format: Format::Pdf, reason: "it cannot be parsed".to_owned() }
        }
    })
}

/// Finds the tables and lines of what a page draws.
fn sheet(drawn: draw::Drawn, links: &[Link]) -> Vec<Item> {
    let mut words = word::words(drawn.glyphs);
    for word in &mut words {
        let (x, y) = ((word.x0 + word.x1) / 2.0, word.y - word.size * 0.3);
        let over = links.iter().position(|link| link.x0 <= x && x <= link.x1 && link.y0 <= y && y <= link.y1);
        let Some(link) = over.map(|link| &links[link]) else { continue };
        word.link = Some(link.target.as_str().into());
        let closing = |one: char| ".,;:!?)]\u{201d}\u{2019}".contains(one);
        // The mark after a link stands outside of its place.
        let outside = word.x1 > link.x1 + 0.1 * word.size;
        word.linked = if outside { word.text.trim_end_matches(closing).len() } else { word.text.len() };
    }
    let (tables, words) = table::ruled(words, &drawn.rules);
    order::items(words, &drawn.rules, &drawn.dots, tables)
}

/// A place that leads somewhere, from the top left of the page.
struct Link {
    x0: f32,
    y0: f32,
    x1: f32,
    y1: f32,
    target: String,
}

fn links(page: &Page<'_>) -> Vec<Link> {
    let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else { return Vec::new() };
    let mut links = Vec::new();
    for annotation in annotations.iter::<Dict<'_>>().take(10_000) {
        let is_link = annotation.get::<Name<'_>>("Subtype").is_some_and(|kind| &*kind == b"Link");
        let action = annotation.get::<Dict<'_>>("A").filter(|_| is_link);
        let target = action.and_then(|action| action.get::<PdfString<'_>>("URI"));
        let (Some(target), Some(place)) = (target, annotation.get::<Rect>("Rect")) else { continue };
        let [a, b, c, d, e, f] = page.initial_transform(true).as_coeffs();
        let at = |x: f64, y: f64| ((a * x + c * y + e) as f32, (b * x + d * y + f) as f32);
        let (from, to) = (at(place.x0, place.y0), at(place.x1, place.y1));
        links.push(Link {
            x0: from.0.min(to.0),
            y0: from.1.min(to.1),
            x1: from.0.max(to.0),
            y1: from.1.max(to.1),
            target: text(target.as_bytes()),
        });
    }
    links
}

fn metadata(pdf: &Pdf, writer: &mut Writer) {
    let found = pdf.metadata();
    let metadata = writer.metadata();
    let clean = |bytes: &[u8]| Some(text(bytes).trim().to_owned()).filter(|text| !text.is_empty());
    metadata.title = found.title.as_deref().and_then(clean);
    metadata.author = found.author.as_deref().and_then(clean);
    metadata.date = found.modification_date.or(found.creation_date).and_then(date);
}

/// Writes a date as ISO 8601; `None` for one that no calendar has.
fn date(date: DateTime) -> Option<String> {
    let sound = (1..=12).contains(&date.month) && (1..=31).contains(&date.day) && date.hour < 24;
    sound.then(|| {
        let sign = if date.utc_offset_hour < 0 { '-' } else { '+' };
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{sign}{:02}:{:02}",
            date.year,
            date.month,
            date.day,
            date.hour,
            date.minute,
            date.second,
            date.utc_offset_hour.unsigned_abs(),
            date.utc_offset_minute
        )
    })
}

/// Decodes a text string: UTF-16 or UTF-8 by its mark, else PDFDocEncoding, which is close to Latin-1.
fn text(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xff, 0xfe, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0.into_owned(),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => std::str::from_utf8(bytes)
            .map_or_else(|_| bytes.iter().map(|byte| char::from(*byte)).collect(), str::to_owned),
    }
}

fn named(numbers: &[usize]) -> String {
    let mut out: Vec<String> = numbers.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    if numbers.len() > MOST_NAMED {
        out.push(format!("and {} more", numbers.len() - MOST_NAMED));
    }
    out.join(", ")
}
