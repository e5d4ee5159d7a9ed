use serde::{Deserialize, Serialize};

/// A half-open range of UTF-8 bytes, on character borders.
///
/// What it is a range *of* is said where it is used: the decoded document, or the visible text of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// Makes a span; a reversed pair becomes the empty span at `start`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Returns the number of bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Tells whether the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Tells whether `other` lies inside this span.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Tells whether the two share a byte.
    pub fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Returns the smallest span that holds both.
    pub fn cover(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Returns the span as a range, to slice with.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// Returns the text of the span, or `None` when it is out of bounds or splits a character.
    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.range())
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// Visible text, with the way back to the document it was made from.
///
/// Markup is gone and soft line breaks are spaces; [`MappedText::to_source`] turns a span of the visible text
/// into the span of the document that shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MappedText {
    text: String,
    runs: Vec<Run>,
}

/// One stretch of visible text and the stretch of the document behind it. Equal lengths mean equal bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    plain: Span,
    source: Span,
}

impl MappedText {
    /// Makes a text that stands in the document, letter by letter, from byte `start` on.
    pub fn verbatim(text: impl Into<String>, start: usize) -> Self {
        let mut mapped = Self::default();
        let text = text.into();
        let source = Span::new(start, start + text.len());
        mapped.push(&text, source);
        mapped
    }

    /// Appends `text`, which shows the bytes `source` of the document.
    ///
    /// `source` may have another length than `text` (an entity such as `&amp;`, a line break shown as a space);
    /// then the stretch maps as a whole. Pieces are given in document order.
    pub fn push(&mut self, text: &str, source: Span) {
        if text.is_empty() {
            return;
        }
        let plain = Span::new(self.text.len(), self.text.len() + text.len());
        self.text.push_str(text);
        if let Some(last) = self.runs.last_mut()
            && last.plain.len() == last.source.len()
            && text.len() == source.len()
            && last.source.end == source.start
        {
            last.plain.end = plain.end;
            last.source.end = source.end;
            return;
        }
        self.runs.push(Run { plain, source });
    }

    /// Appends another mapped text of the same document.
    pub fn append(&mut self, other: &MappedText) {
        for run in &other.runs {
            self.push(&other.text[run.plain.range()], run.source);
        }
    }

    /// Returns the visible text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Tells whether there is no visible text.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the part of the text below `span` (of the visible text), still mapped.
    pub fn slice(&self, span: Span) -> MappedText {
        let mut part = MappedText::default();
        for run in &self.runs {
            let start = run.plain.start.max(span.start);
            let end = run.plain.end.min(span.end);
            if start < end {
                let source = if run.plain.len() == run.source.len() {
                    let shift = start - run.plain.start;
                    Span::new(run.source.start + shift, run.source.start + shift + (end - start))
                } else {
                    run.source
                };
                part.push(&self.text[start..end], source);
            }
        }
        part
    }

    /// Returns the span of the document behind `span` of the visible text.
    ///
    /// A border inside a stretch that maps as a whole moves outwards, so the result always lies on character
    /// borders. An empty text maps to the empty span at 0.
    pub fn to_source(&self, span: Span) -> Span {
        let start = self.source_of(span.start, false);
        let end = if span.is_empty() { start } else { self.source_of(span.end, true) };
        Span::new(start, end)
    }

    fn source_of(&self, plain: usize, is_end: bool) -> usize {
        // The run that holds the byte before an end border, or the byte at a start border.
        let position = if is_end {
            self.runs.partition_point(|run| run.plain.end < plain)
        } else {
            self.runs.partition_point(|run| run.plain.end <= plain)
        };
        let Some(run) = self.runs.get(position) else {
            return self.runs.last().map_or(0, |run| run.source.end);
        };
        if run.plain.len() == run.source.len() {
            run.source.start + (plain - run.plain.start)
        } else if is_end {
            run.source.end
        } else {
            run.source.start
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_visible_text_lead_back_to_the_document() {
        // Document: "a **bold** &amp; b"
        let document = "a **bold** &amp; b";
        let mut text = MappedText::default();
        text.push("a ", Span::new(0, 2));
        text.push("bold", Span::new(4, 8));
        text.push(" ", Span::new(10, 11));
        text.push("&", Span::new(11, 16));
        text.push(" b", Span::new(16, 18));
        assert_eq!(text.as_str(), "a bold & b");
        assert_eq!(text.to_source(Span::new(2, 6)).slice(document), Some("bold"));
        assert_eq!(text.to_source(Span::new(0, 6)).slice(document), Some("a **bold"));
        assert_eq!(text.to_source(Span::new(7, 8)).slice(document), Some("&amp;"));
        assert_eq!(text.to_source(Span::new(9, 10)).slice(document), Some("b"));
        assert_eq!(text.slice(Span::new(2, 8)).to_source(Span::new(0, 4)), Span::new(4, 8));
    }

    #[test]
    fn a_reversed_pair_is_empty() {
        assert!(Span::new(5, 2).is_empty());
        assert_eq!(MappedText::default().to_source(Span::new(0, 3)), Span::new(0, 0));
    }
}
