use std::collections::HashMap;
use std::sync::Arc;

use mge_core::{ClaimDraft, EntityRef, Extraction, Interval, Mention, Moment, Object, Span};

use super::rows::{form_code, form_of, from_ppm, ppm, stance_of, tense_code, tense_of};
use super::span_map::{put, take, unzigzag, zigzag};
use crate::error::StoreError;

/// The form that this version writes.
const VERSION: u64 = 1;

/// Gives words their numbers.
pub(crate) type Number<'a> = dyn FnMut(&str) -> Result<i64, StoreError> + 'a;
/// Gives numbers their words.
pub(crate) type Word<'a> = dyn FnMut(i64) -> Result<Arc<str>, StoreError> + 'a;

/// Writes what a chunk yields, and by which method, as bytes. Figures are kept to six decimals.
pub(crate) fn encode(
    method: i64,
    extraction: &Extraction,
    number: &mut Number<'_>,
) -> Result<Vec<u8>, StoreError> {
    let mut writer = Writer { body: Vec::new(), texts: Vec::new(), known: HashMap::new(), number };
    put(&mut writer.body, extraction.mentions.len() as u64);
    for mention in &extraction.mentions {
        writer.span(mention.span);
        writer.entity(&mention.entity)?;
        put(&mut writer.body, form_code(mention.form) as u64);
        put(&mut writer.body, ppm(mention.confidence) as u64);
    }
    put(&mut writer.body, extraction.claims.len() as u64);
    for claim in &extraction.claims {
        writer.claim(claim)?;
    }
    let Writer { body, texts, .. } = writer;
    let mut out = Vec::with_capacity(body.len() + 64);
    put(&mut out, VERSION);
    put(&mut out, method as u64);
    put(&mut out, texts.len() as u64);
    for text in &texts {
        put(&mut out, text.len() as u64);
        out.extend_from_slice(text.as_bytes());
    }
    out.extend_from_slice(&body);
    Ok(out)
}

/// Reads what [`encode`] wrote: the number of the method, and what the chunk yields.
pub(crate) fn decode(bytes: &[u8], word: &mut Word<'_>) -> Result<(i64, Extraction), StoreError> {
    let damaged = || StoreError::Row("a reading of the log cannot be understood".to_owned());
    let mut rest = bytes;
    if take(&mut rest) != Some(VERSION) {
        return Err(damaged());
    }
    let method = take(&mut rest).ok_or_else(damaged)? as i64;
    let mut reader = Reader { rest, texts: Vec::new(), word };
    for _ in 0..reader.number()? {
        let length = reader.size()?;
        let bytes = reader.rest.get(..length).ok_or_else(damaged)?;
        reader.rest = &reader.rest[length..];
        reader.texts.push(String::from_utf8(bytes.to_vec()).map_err(|_| damaged())?);
    }
    let mut extraction = Extraction::default();
    for _ in 0..reader.number()? {
        extraction.mentions.push(Mention {
            span: reader.span()?,
            entity: reader.entity()?,
            form: form_of(reader.number()? as i64),
            confidence: from_ppm(reader.number()? as i64),
        });
    }
    for _ in 0..reader.number()? {
        extraction.claims.push(reader.claim()?);
    }
    Ok((method, extraction))
}

struct Writer<'a, 'b> {
    body: Vec<u8>,
    texts: Vec<String>,
    known: HashMap<String, u64>,
    number: &'a mut Number<'b>,
}

impl Writer<'_, '_> {
    fn text(&mut self, text: &str) {
        let place = match self.known.get(text) {
            Some(place) => *place,
            None => {
                let place = self.texts.len() as u64;
                self.texts.push(text.to_owned());
                self.known.insert(text.to_owned(), place);
                place
            }
        };
        put(&mut self.body, place);
    }

    fn span(&mut self, span: Span) {
        put(&mut self.body, span.start as u64);
        put(&mut self.body, span.len() as u64);
    }

    fn maybe_span(&mut self, span: Option<Span>) {
        match span {
            Some(span) => {
                put(&mut self.body, span.start as u64 + 1);
                put(&mut self.body, span.len() as u64);
            }
            None => put(&mut self.body, 0),
        }
    }

    fn entity(&mut self, entity: &EntityRef) -> Result<(), StoreError> {
        let concept = (self.number)(&entity.concept)?;
        put(&mut self.body, concept as u64);
        self.text(&entity.name);
        put(&mut self.body, ppm(entity.confidence) as u64);
        Ok(())
    }

    fn moment(&mut self, moment: Option<Moment>) {
        match moment {
            Some(moment) => {
                put(&mut self.body, 1);
                put(&mut self.body, zigzag(moment.0));
            }
            None => put(&mut self.body, 0),
        }
    }

    fn claim(&mut self, claim: &ClaimDraft) -> Result<(), StoreError> {
        self.entity(&claim.subject)?;
        let relation = (self.number)(&claim.relation)?;
        put(&mut self.body, relation as u64);
        match &claim.object {
            Object::Entity(entity) => {
                put(&mut self.body, 0);
                self.entity(entity)?;
            }
            Object::Literal(literal) => {
                put(&mut self.body, 1);
                self.text(literal);
            }
        }
        put(&mut self.body, zigzag(i64::from(claim.stance.sign())));
        put(&mut self.body, ppm(claim.confidence) as u64);
        self.span(claim.quote);
        self.maybe_span(claim.cue);
        self.maybe_span(claim.subject_span);
        self.maybe_span(claim.object_span);
        put(&mut self.body, u64::from(claim.valid.is_some()));
        if let Some(valid) = claim.valid {
            self.moment(valid.from);
            self.moment(valid.to);
        }
        put(&mut self.body, tense_code(claim.tense) as u64);
        Ok(())
    }
}

struct Reader<'a, 'b, 'c> {
    rest: &'a [u8],
    texts: Vec<String>,
    word: &'b mut Word<'c>,
}

impl Reader<'_, '_, '_> {
    fn number(&mut self) -> Result<u64, StoreError> {
        take(&mut self.rest).ok_or_else(|| StoreError::Row("a reading of the log is cut off".to_owned()))
    }

    fn size(&mut self) -> Result<usize, StoreError> {
        usize::try_from(self.number()?).map_err(|error| StoreError::Row(error.to_string()))
    }

    fn text(&mut self) -> Result<String, StoreError> {
        let place = self.size()?;
        self.texts
            .get(place)
            .cloned()
            .ok_or_else(|| StoreError::Row("a reading of the log lacks a text".to_owned()))
    }

    fn span(&mut self) -> Result<Span, StoreError> {
        let (start, length) = (self.size()?, self.size()?);
        Ok(Span::new(start, start.saturating_add(length)))
    }

    fn maybe_span(&mut self) -> Result<Option<Span>, StoreError> {
        let start = self.size()?;
        if start == 0 {
            return Ok(None);
        }
        let length = self.size()?;
        Ok(Some(Span::new(start - 1, (start - 1).saturating_add(length))))
    }

    fn entity(&mut self) -> Result<EntityRef, StoreError> {
        let concept = self.number()? as i64;
        Ok(EntityRef {
            concept: (self.word)(concept)?.to_string(),
            name: self.text()?,
            confidence: from_ppm(self.number()? as i64),
        })
    }

    fn moment(&mut self) -> Result<Option<Moment>, StoreError> {
        Ok(if self.number()? == 0 { None } else { Some(Moment(unzigzag(self.number()?))) })
    }

    fn claim(&mut self) -> Result<ClaimDraft, StoreError> {
        let subject = self.entity()?;
        let relation = self.number()? as i64;
        let relation = (self.word)(relation)?.to_string();
        let object =
            if self.number()? == 0 { Object::Entity(self.entity()?) } else { Object::Literal(self.text()?) };
        Ok(ClaimDraft {
            subject,
            relation,
            object,
            stance: stance_of(unzigzag(self.number()?)),
            confidence: from_ppm(self.number()? as i64),
            quote: self.span()?,
            cue: self.maybe_span()?,
            subject_span: self.maybe_span()?,
            object_span: self.maybe_span()?,
            valid: if self.number()? == 0 { None } else { Interval::new(self.moment()?, self.moment()?) },
            tense: tense_of(self.number()? as i64),
        })
    }
}

#[cfg(test)]
mod tests {
    use mge_core::{MentionForm, Stance, Tense};

    use super::*;

    fn entity(name: &str) -> EntityRef {
        EntityRef { concept: "person|student".to_owned(), name: name.to_owned(), confidence: 0.75 }
    }

    #[test]
    fn what_is_written_is_read() {
        let claim = |object, valid| ClaimDraft {
            subject: entity("Noah Kim"),
            relation: "works_on".to_owned(),
            object,
            stance: Stance::Against,
            confidence: 0.123456,
            quote: Span::new(3, 90),
            cue: Some(Span::new(0, 4)),
            subject_span: None,
            object_span: Some(Span::new(7, 7)),
            valid,
            tense: Tense::Past,
        };
        let extraction = Extraction {
            mentions: vec![Mention {
                span: Span::new(1, 200),
                entity: entity("Ana 北京"),
                form: MentionForm::Alias,
                confidence: 1.0,
            }],
            claims: vec![
                claim(Object::Entity(entity("Ana 北京")), Interval::parse("1066").ok()),
                claim(Object::Literal("12.5 km".to_owned()), None),
            ],
        };
        let mut words: Vec<String> = Vec::new();
        let bytes = encode(9, &extraction, &mut |word| {
            let place = words.iter().position(|known| known == word).unwrap_or_else(|| {
                words.push(word.to_owned());
                words.len() - 1
            });
            Ok(place as i64)
        })
        .unwrap();
        let word = |number: i64| Ok(Arc::from(words[number as usize].as_str()));
        assert_eq!(decode(&bytes, &mut { word }).unwrap(), (9, extraction));
        for cut in 0..bytes.len() {
            assert!(decode(&bytes[..cut], &mut |_| Ok(Arc::from("x"))).is_err());
        }
        assert!(bytes.len() < 120, "{} bytes", bytes.len());
    }
}
