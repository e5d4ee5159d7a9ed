//! The XML inside of documents. Entities are never expanded beyond those that XML and HTML name.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::html::{unescaped, words};
use crate::{ConvertError, Converted};

pub(crate) fn malformed(error: &quick_xml::Error) -> ConvertError {
    ConvertError::Broken { reason: format!("its XML is malformed: {error}") }
}

/// Returns an attribute by its name without a namespace.
pub(crate) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(unescaped(&found.value))
}

/// Calls with the name of every element of a part, and its tag.
pub(crate) fn each_tag(xml: &str, told: &mut dyn FnMut(&str, &BytesStart<'_>)) -> Result<(), ConvertError> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event().map_err(|error| malformed(&error))? {
            Event::Start(tag) | Event::Empty(tag) => told(tag.local_name().as_ref(), &tag),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Reads what a document says of itself in the terms of Dublin Core; of several titles or authors, the first.
pub(crate) fn read_statements(xml: &str, converted: &mut Converted) -> Result<(), ConvertError> {
    let mut reader = Reader::from_str(xml);
    let mut text: Option<String> = None;
    loop {
        match reader.read_event().map_err(|error| malformed(&error))? {
            Event::Start(tag) => {
                let is_stated = matches!(tag.local_name().as_ref(), "title" | "creator" | "date" | "created");
                text = is_stated.then(String::new);
            }
            Event::Text(more) => {
                if let Some(text) = &mut text {
                    text.push_str(&more);
                }
            }
            Event::GeneralRef(reference) => {
                if let Some(text) = &mut text {
                    text.push_str(&unescaped(&format!("&{};", &*reference)));
                }
            }
            Event::End(tag) => {
                let stated = text.take().map(|text| words(&text)).filter(|text| !text.is_empty());
                let place = match tag.local_name().as_ref() {
                    "title" => &mut converted.title,
                    "creator" => &mut converted.author,
                    _ => &mut converted.date,
                };
                if place.is_none() && stated.is_some() {
                    *place = stated;
                }
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}
