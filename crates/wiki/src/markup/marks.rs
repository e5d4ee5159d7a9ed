//! The letters that stand for marks while text is put together.
//!
//! They are noncharacters of Unicode, which no text holds: [`clean`](super::clean) takes them out of what is read. What
//! a break becomes depends on where the text ends up, so that it is decided last.

/// Italics start or end (`''`).
pub(super) const ITALIC: char = '\u{fdd0}';
/// Bold starts or ends (`'''`).
pub(super) const BOLD: char = '\u{fdd1}';
/// Both start or end (`'''''`).
pub(super) const BOTH: char = '\u{fdd2}';
/// A note's number starts.
pub(super) const NOTE: char = '\u{fdd3}';
/// A note's number ends.
pub(super) const NOTE_END: char = '\u{fdd4}';
/// A paragraph ends.
pub(super) const PARAGRAPH: char = '\u{fdd5}';
/// A line ends.
pub(super) const BREAK: char = '\u{fdd6}';

/// An item of a list starts that is made by an element.
pub(super) const ITEM: char = '\u{fdd7}';

/// Returns whether a letter is one of the marks, or a noncharacter beside them.
pub(super) fn is_mark(letter: char) -> bool {
    ('\u{fdd0}'..='\u{fdef}').contains(&letter)
}

/// Returns whether a letter switches emphasis.
pub(super) fn is_emphasis(letter: char) -> bool {
    (ITALIC..=BOTH).contains(&letter)
}
