use mge_core::{MappedText, Span};

/// The way from a chunk's visible text back to the document, small enough to be stored, with the document's own text
/// where that differs from the visible one.
///
/// It answers as [`MappedText::to_source`] does, relative to the chunk's first byte, so that a chunk that moves
/// takes all its spans along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SpanMap {
    runs: Vec<Run>,
    /// The chunk's bytes in the document; empty when they are the visible text.
    markup: String,
}

/// A stretch of visible text: byte for byte, or as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    plain: Span,
    /// Relative to the chunk; negative when a table row shows text from before it.
    start: i64,
    len: i64,
    whole: bool,
}

impl SpanMap {
    /// Takes the map of a text whose chunk starts at `base` and reads `markup` in the document.
    pub(crate) fn of(text: &MappedText, base: usize, markup: &str) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        let plain = text.as_str();
        for (start, character) in plain.char_indices() {
            let piece = Span::new(start, start + character.len_utf8());
            let source = text.to_source(piece);
            let (from, len) = (source.start as i64 - base as i64, source.len() as i64);
            let whole = piece.len() as i64 != len;
            if let Some(last) = runs.last_mut() {
                if !last.whole && !whole && last.start + last.len == from {
                    last.plain.end = piece.end;
                    last.len += len;
                    continue;
                }
                // All characters of a stretch that maps as a whole lead to the same bytes.
                if last.whole && whole && last.start == from && last.len == len {
                    last.plain.end = piece.end;
                    continue;
                }
            }
            runs.push(Run { plain: piece, start: from, len, whole });
        }
        let markup = if markup == plain { String::new() } else { markup.to_owned() };
        Self { runs, markup }
    }

    /// Returns the document's own text behind `span` of the visible text, which is what a citation quotes.
    ///
    /// Text that a chunk shows from elsewhere in the document is not kept: there the visible text stands for it.
    pub(crate) fn quote(&self, visible: &str, span: Span) -> Option<String> {
        let shown = span.slice(visible)?;
        if self.markup.is_empty() {
            return Some(shown.to_owned());
        }
        let start = self.source_of(span.start, false);
        let end = if span.is_empty() { start } else { self.source_of(span.end, true) };
        let bytes = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        Some(bytes.and_then(|(start, end)| self.markup.get(start..end)).unwrap_or(shown).to_owned())
    }

    /// Returns how many bytes of the document the chunk has, given its visible text.
    pub(crate) fn length(&self, visible: &str) -> usize {
        if self.markup.is_empty() { visible.len() } else { self.markup.len() }
    }

    /// Returns the span of the document behind `span` of the visible text of a chunk that starts at `base`.
    pub(crate) fn to_source(&self, span: Span, base: usize) -> Span {
        let start = self.source_of(span.start, false);
        let end = if span.is_empty() { start } else { self.source_of(span.end, true) };
        let shift = |at: i64| usize::try_from(base as i64 + at).unwrap_or(0);
        Span::new(shift(start), shift(end))
    }

    fn source_of(&self, plain: usize, is_end: bool) -> i64 {
        let position = if is_end {
            self.runs.partition_point(|run| run.plain.end < plain)
        } else {
            self.runs.partition_point(|run| run.plain.end <= plain)
        };
        let Some(run) = self.runs.get(position) else {
            return self.runs.last().map_or(0, |run| run.start + run.len);
        };
        if !run.whole {
            run.start + plain as i64 - run.plain.start as i64
        } else if is_end {
            run.start + run.len
        } else {
            run.start
        }
    }

    /// Writes the map as bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, self.runs.len() as u64);
        let mut next = 0_i64;
        for run in &self.runs {
            put(&mut out, run.plain.len() as u64);
            put(&mut out, zigzag(run.start - next));
            // A stretch that maps byte for byte needs no second length.
            put(&mut out, if run.whole { run.len as u64 + 1 } else { 0 });
            next = run.start + run.len;
        }
        out.extend_from_slice(self.markup.as_bytes());
        out
    }

    /// Reads what [`SpanMap::encode`] wrote; nothing when the bytes are damaged.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut runs = Vec::new();
        let (mut plain, mut next) = (0_usize, 0_i64);
        for _ in 0..take(&mut bytes)? {
            let length = usize::try_from(take(&mut bytes)?).ok()?;
            let start = next.checked_add(unzigzag(take(&mut bytes)?))?;
            let (len, whole) = match take(&mut bytes)? {
                0 => (i64::try_from(length).ok()?, false),
                len => (i64::try_from(len - 1).ok()?, true),
            };
            let end = plain.checked_add(length)?;
            runs.push(Run { plain: Span { start: plain, end }, start, len, whole });
            plain = end;
            next = start.checked_add(len)?;
        }
        Some(Self { runs, markup: String::from_utf8(bytes.to_vec()).ok()? })
    }
}

/// Appends a number, seven bits a byte.
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number that [`put`] wrote.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Folds the sign of a number into its lowest bit.
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Undoes [`zigzag`].
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mapped(pieces: &[(String, usize, usize)]) -> MappedText {
        let mut text = MappedText::default();
        let mut at = 40;
        for (piece, gap, width) in pieces {
            at += gap;
            let width = if *width == 0 { piece.len() } else { *width };
            text.push(piece, Span::new(at, at + width));
            at += width;
        }
        text
    }

    proptest! {
        #[test]
        fn it_answers_as_the_text_it_was_taken_from(
            pieces in prop::collection::vec(("[aé北 ]{1,5}", 0_usize..4, 0_usize..9), 0..7),
        ) {
            let text = mapped(&pieces);
            let map = SpanMap::of(&text, 37, "*a* [é](x) 北");
            prop_assert_eq!(SpanMap::decode(&map.encode()), Some(map.clone()));
            let borders: Vec<usize> =
                text.as_str().char_indices().map(|(at, _)| at).chain([text.as_str().len()]).collect();
            for &start in &borders {
                for &end in borders.iter().filter(|&&end| end > start) {
                    let span = Span::new(start, end);
                    prop_assert_eq!(map.to_source(span, 37), text.to_source(span));
                }
            }
        }

        #[test]
        fn a_quote_is_what_stands_in_the_document(
            pieces in prop::collection::vec(("[aé北 ]{1,5}", "[*_é]{0,3}"), 1..7),
        ) {
            let (mut document, mut text) = ("head ".to_owned(), MappedText::default());
            for (piece, gap) in &pieces {
                document.push_str(gap);
                text.push(piece, Span::new(document.len(), document.len() + piece.len()));
                document.push_str(piece);
            }
            let map = SpanMap::of(&text, 5, &document[5..]);
            let visible = text.as_str();
            for start in (0..visible.len()).filter(|&at| visible.is_char_boundary(at)) {
                let span = Span::new(start, visible.len());
                let expected = map.to_source(span, 5).slice(&document).map(str::to_owned);
                prop_assert_eq!(map.quote(visible, span), expected);
            }
        }

        #[test]
        fn damaged_bytes_are_no_map_or_another(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = SpanMap::decode(&bytes);
        }
    }
}
