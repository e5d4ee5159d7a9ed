use std::borrow::Cow;

/// A text with `\n` line ends only, and the way back to the text as it was.
///
/// The parser sees this text, so that every kind of line end gives the same tree. A line ends at `\n`, `\r\n`
/// or `\r`, and nowhere else.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: Cow<'a, str>,
    starts: Vec<u32>,
    /// The starts in the text as it was; absent when they are the same.
    original_starts: Option<Vec<u32>>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(original: &'a str) -> Self {
        if !original.contains('\r') {
            let mut starts = vec![0];
            starts.extend(original.match_indices('\n').map(|(position, _)| position as u32 + 1));
            return Self { text: Cow::Borrowed(original), starts, original_starts: None };
        }
        let mut text = String::with_capacity(original.len());
        let mut starts = vec![0];
        let mut original_starts = vec![0];
        let mut from = 0;
        for (end, next) in line_ends(original) {
            text.push_str(&original[from..end]);
            text.push('\n');
            starts.push(text.len() as u32);
            original_starts.push(next as u32);
            from = next;
        }
        text.push_str(&original[from..]);
        Self { text: Cow::Owned(text), starts, original_starts: Some(original_starts) }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line, from 0, that holds a position of [`Lines::text`].
    pub(crate) fn line_of(&self, position: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= position).saturating_sub(1)
    }

    /// Returns where a line of [`Lines::text`] starts.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line).map_or(self.text.len(), |start| *start as usize)
    }

    /// Returns where a line of [`Lines::text`] ends, without its line end.
    pub(crate) fn end(&self, line: usize) -> usize {
        match self.starts.get(line + 1) {
            Some(next) => *next as usize - 1,
            None => self.text.len(),
        }
    }

    /// Returns the number of lines; a final line end starts no further line.
    pub(crate) fn count(&self) -> usize {
        if self.text.is_empty() {
            0
        } else if self.text.ends_with('\n') {
            self.starts.len() - 1
        } else {
            self.starts.len()
        }
    }

    /// Returns the position in the text as it was.
    pub(crate) fn original(&self, position: usize) -> usize {
        match &self.original_starts {
            None => position,
            Some(starts) => {
                let line = self.line_of(position);
                starts[line] as usize + (position - self.starts[line] as usize)
            }
        }
    }
}

/// Yields, for every line end, where it starts and where the next line starts.
pub(crate) fn line_ends(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    text.match_indices(['\n', '\r']).filter_map(move |(position, found)| {
        if found == "\r" {
            let crlf = bytes.get(position + 1) == Some(&b'\n');
            Some((position, position + if crlf { 2 } else { 1 }))
        } else if position > 0 && bytes[position - 1] == b'\r' {
            None
        } else {
            Some((position, position + 1))
        }
    })
}

/// Yields the lines of a text without their line ends; a final line end starts a last, empty line.
pub(crate) fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let ends = line_ends(text).map(Some).chain(std::iter::once(None));
    ends.map(move |end| match end {
        Some((end, next)) => {
            let line = &text[from..end];
            from = next;
            line
        }
        None => &text[from..],
    })
}

/// Counts the lines of a text as [`Lines::count`] does.
pub(crate) fn line_count(text: &str) -> usize {
    let ends = line_ends(text).count();
    ends + usize::from(!text.is_empty() && !text.ends_with(['\n', '\r']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cr_lf_and_crlf_end_a_line() {
        let text = "a\r\nb\rc\nd\u{b}\u{c}\u{1c}\u{1d}\u{1e}\u{85}\u{2028}\u{2029}e";
        let lines = Lines::new(text);
        assert_eq!(lines.count(), 4);
        assert_eq!(line_count(text), 4);
        assert_eq!(lines.text(), "a\nb\nc\nd\u{b}\u{c}\u{1c}\u{1d}\u{1e}\u{85}\u{2028}\u{2029}e");
        assert_eq!(split_lines(text).count(), 4);
    }

    #[test]
    fn positions_lead_back_to_the_text_as_it_was() {
        let text = "ab\r\n\r\ncd\re";
        let lines = Lines::new(text);
        assert_eq!(lines.text(), "ab\n\ncd\ne");
        let back: Vec<usize> = (0..=lines.text().len()).map(|position| lines.original(position)).collect();
        assert_eq!(back, [0, 1, 2, 4, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn an_empty_text_has_no_line() {
        assert_eq!(Lines::new("").count(), 0);
        assert_eq!(Lines::new("\n").count(), 1);
        assert_eq!(Lines::new("\r\n").count(), 1);
        assert_eq!(line_count("\r\n"), 1);
        assert_eq!(Lines::new("a").count(), 1);
    }
}
