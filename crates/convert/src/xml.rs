//! XML as a stream of elements, without entities of its own making.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use crate::limits::Clock;
use crate::{ConvertError, Format};

/// What the reader meets. Names are local: prefixes differ from writer to writer.
pub(crate) enum Xml<'e> {
    Open(&'e str, Attributes<'e>),
    Close(&'e str),
    Text(&'e str),
}

/// The attributes of an element.
#[derive(Clone, Copy)]
pub(crate) struct Attributes<'e>(&'e BytesStart<'e>);

impl Attributes<'_> {
    /// Returns the value of the first attribute with this local name.
    pub(crate) fn get(self, name: &str) -> Option<String> {
        self.0
            .attributes()
            .with_checks(false)
            .flatten()
            .find(|attribute| attribute.key.local_name().as_ref() == name)
            .and_then(|attribute| attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(Into::into))
    }
}

/// How many events go by between two looks at the clock.
const CLOCK_EVERY: u64 = 4096;

/// Reads XML from its start to its end.
///
/// The reader is a flat loop, so depth costs nothing. Entities of a document type are not expanded; they are left
/// out.
pub(crate) fn read(
    bytes: &[u8],
    format: Format,
    clock: Clock,
    mut see: impl FnMut(Xml<'_>) -> Result<(), ConvertError>,
) -> Result<(), ConvertError> {
    let text = crate::decode::decode(bytes, None, format)?;
    let mut reader = Reader::from_str(&text);
    reader.config_mut().check_end_names = false;
    let broken = |reason: String| ConvertError::Broken { format, reason };
    let mut count = 0_u64;
    loop {
        count += 1;
        if count.is_multiple_of(CLOCK_EVERY) {
            clock.check()?;
        }
        let event = reader.read_event().map_err(|error| broken(error.to_string()))?;
        match event {
            Event::Start(start) => {
                let name = start.local_name();
                see(Xml::Open(name.as_ref(), Attributes(&start)))?;
            }
            Event::Empty(start) => {
                let name = start.local_name();
                see(Xml::Open(name.as_ref(), Attributes(&start)))?;
                see(Xml::Close(name.as_ref()))?;
            }
            Event::End(end) => see(Xml::Close(end.local_name().as_ref()))?,
            Event::Text(text) => see(Xml::Text(&text))?,
            Event::CData(text) => see(Xml::Text(&text))?,
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref().ok().flatten();
                let character = character.or(match &*reference {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => None,
                });
                if let Some(character) = character {
                    see(Xml::Text(character.encode_utf8(&mut [0; 4])))?;
                }
            }
            Event::Eof => return Ok(()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}
