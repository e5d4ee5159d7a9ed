//! Office Open XML text documents.

mod body;
mod parts;

use crate::archive::Archive;
use crate::limits::Clock;
use crate::writer::Writer;
use crate::{ConvertError, Format, Limits, format};
use body::Body;
use parts::{Note, Notes, Numbering, Relations, Styles};

/// Converts a document.
pub(crate) fn convert(
    bytes: &[u8],
    limits: &Limits,
    clock: Clock,
    writer: &mut Writer,
) -> Result<(), ConvertError> {
    match format::compound(bytes) {
        Some(true) => return Err(ConvertError::Encrypted { format: Format::Docx }),
        Some(false) => {
            return Err(ConvertError::Unsupported {
                format: Format::Docx,
                reason: "it is of a Word before 2007".to_owned(),
            });
        }
        None => {}
    }
    let mut archive = Archive::open(bytes, Format::Docx, limits, clock)?;
    let path = parts::main_part(&mut archive, clock)?;
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
    let beside = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    parts::metadata(&mut archive, clock, writer.metadata())?;
    let styles = Styles::read(archive.read(&beside("styles.xml"))?, clock)?;
    let numbering = Numbering::read(archive.read(&beside("numbering.xml"))?, clock)?;
    let relations = Relations::read(archive.read(&beside(&format!("_rels/{file}.rels")))?, clock)?;
    let mut notes = Notes::default();
    let document = archive.need(&path)?;
    Body::new(writer, &styles, &numbering, &relations, &mut notes, Note::Foot).read(&document, clock)?;
    for (kind, name) in [(Note::Foot, "footnotes.xml"), (Note::End, "endnotes.xml")] {
        if !notes.has(kind) {
            continue;
        }
        let Some(part) = archive.read(&beside(name))? else { continue };
        let relations = Relations::read(archive.read(&beside(&format!("_rels/{name}.rels")))?, clock)?;
        Body::new(writer, &styles, &numbering, &relations, &mut notes, kind).read(&part, clock)?;
    }
    Ok(())
}
