//! Electronic books: their chapters in reading order, each by the way of HTML.

use std::collections::HashMap;

use crate::archive::{self, Archive};
use crate::html::{self, Keep};
use crate::limits::Clock;
use crate::writer::{Converted, Writer};
use crate::xml::{self, Xml};
use crate::{ConvertError, Format, Limits};

/// The ways of hiding fonts that are no encryption of the text.
const FONT_ONLY: [&str; 2] = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

/// Converts a book.
pub(crate) fn convert(
    bytes: &[u8],
    limits: &Limits,
    clock: Clock,
    writer: &mut Writer,
) -> Result<(), ConvertError> {
    let mut archive = Archive::open(bytes, Format::Epub, limits, clock)?;
    refuse_encrypted(&mut archive, clock)?;
    let container = archive.need("META-INF/container.xml")?;
    let mut package_path = None;
    xml::read(&container, Format::Epub, clock, |event| {
        if let Xml::Open("rootfile", attributes) = event
            && package_path.is_none()
        {
            package_path = attributes.get("full-path");
        }
        Ok(())
    })?;
    let package_path = package_path.ok_or_else(|| ConvertError::Broken {
        format: Format::Epub,
        reason: "its container names no package".to_owned(),
    })?;
    let package = Package::read(&archive.need(&package_path)?, clock, writer.metadata())?;
    if package.spine.len() > limits.pages {
        return Err(ConvertError::TooLarge { what: "chapters of a book", limit: limits.pages as u64 });
    }
    let folder = package_path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (title, author, date) = {
        let metadata = writer.metadata();
        (metadata.title.clone(), metadata.author.clone(), metadata.date.clone())
    };
    let mut read = 0;
    for id in &package.spine {
        clock.check()?;
        let Some((href, media)) = package.manifest.get(id) else {
            writer.warn(format!("the reading order names '{id}', which is not in the package"));
            continue;
        };
        if !media.contains("html") {
            continue;
        }
        let path = archive::resolve(folder, &unescape(href));
        let Some(chapter) = archive.read(&path)? else {
            writer.warn(format!("the chapter '{path}' is not in the archive"));
            continue;
        };
        html::read(&chapter, Keep::All, writer)?;
        read += 1;
    }
    if read == 0 {
        return Err(ConvertError::Broken {
            format: Format::Epub,
            reason: "it has no chapter that can be read".to_owned(),
        });
    }
    // A chapter's own head says less than the book's.
    let metadata = writer.metadata();
    metadata.title = title;
    metadata.author = author;
    metadata.date = date;
    Ok(())
}

fn refuse_encrypted(archive: &mut Archive<'_>, clock: Clock) -> Result<(), ConvertError> {
    let Some(encryption) = archive.read("META-INF/encryption.xml")? else { return Ok(()) };
    xml::read(&encryption, Format::Epub, clock, |event| match event {
        Xml::Open("EncryptionMethod", attributes)
            if attributes.get("Algorithm").is_none_or(|way| !FONT_ONLY.contains(&way.as_str())) =>
        {
            Err(ConvertError::Encrypted { format: Format::Epub })
        }
        _ => Ok(()),
    })
}

/// What a book is made of.
#[derive(Default)]
struct Package {
    /// Path and media type by id.
    manifest: HashMap<String, (String, String)>,
    /// Ids in reading order.
    spine: Vec<String>,
}

impl Package {
    fn read(bytes: &[u8], clock: Clock, metadata: &mut Converted) -> Result<Self, ConvertError> {
        let mut package = Self::default();
        let mut field: Option<(&'static str, String)> = None;
        xml::read(bytes, Format::Epub, clock, |event| {
            match event {
                Xml::Open("item", attributes) => {
                    if let (Some(id), Some(href)) = (attributes.get("id"), attributes.get("href")) {
                        let media = attributes.get("media-type").unwrap_or_default();
                        package.manifest.insert(id, (href, media));
                    }
                }
                Xml::Open("itemref", attributes) => package.spine.extend(attributes.get("idref")),
                Xml::Open("title", _) => field = Some(("title", String::new())),
                Xml::Open("creator", _) => field = Some(("creator", String::new())),
                Xml::Open("date", _) => field = Some(("date", String::new())),
                Xml::Text(text) => {
                    if let Some((_, value)) = &mut field {
                        value.push_str(text);
                    }
                }
                Xml::Close("title" | "creator" | "date") => {
                    let Some((name, value)) = field.take() else { return Ok(()) };
                    let value = value.trim().to_owned();
                    if value.is_empty() {
                        return Ok(());
                    }
                    match name {
                        "title" => {
                            metadata.title.get_or_insert(value);
                        }
                        "date" => {
                            metadata.date.get_or_insert(value);
                        }
                        _ => match &mut metadata.author {
                            Some(author) => {
                                author.push_str(", ");
                                author.push_str(&value);
                            }
                            author => *author = Some(value),
                        },
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(package)
    }
}

/// Undoes the %-encoding of a path, and drops its fragment.
fn unescape(href: &str) -> String {
    let mut rest = href.split('#').next().unwrap_or(href);
    let mut out = Vec::with_capacity(rest.len());
    while let Some((before, after)) = rest.split_once('%') {
        out.extend_from_slice(before.as_bytes());
        match after.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &after[2..];
            }
            None => {
                out.push(b'%');
                rest = after;
            }
        }
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}
