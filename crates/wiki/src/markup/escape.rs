//! Plain text in Markdown: what would be read as markup gets a backslash.

/// Appends plain text.
pub(super) fn push(out: &mut String, text: &str) {
    let mut rest = text.chars().peekable();
    let mut before = out.chars().next_back().unwrap_or(' ');
    while let Some(letter) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        if is_markup(before, letter, next) {
            out.push('\\');
        }
        out.push(letter);
        before = letter;
    }
}

/// Returns plain text.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push(&mut out, text);
    out
}

/// Returns whether a letter between two others would be read as markup, wherever it stands in its line.
pub(super) fn is_markup(before: char, letter: char, next: char) -> bool {
    match letter {
        '*' | '`' | '\\' => true,
        '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
        '~' => before == '~' || next == '~',
        // A link, or the definition of one.
        ']' => next == '(' || next == ':' || next == '[',
        // A note.
        '[' => next == '^',
        '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'),
        '&' => next.is_ascii_alphanumeric() || next == '#',
        _ => false,
    }
}

/// Returns a line of a paragraph whose start is not read as that of another block.
pub(super) fn line_start(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = line.as_bytes().get(digits).copied().unwrap_or(b' ');
    let second = line.as_bytes().get(1).copied().unwrap_or(b' ');
    match line.as_bytes().first() {
        Some(b'#' | b'>' | b'=' | b'|') => format!("\\{line}"),
        Some(b'~') if line.starts_with("~~~") => format!("\\{line}"),
        Some(b'-' | b'+') if matches!(second, b' ' | b'-' | b'+' | b'|') => format!("\\{line}"),
        Some(b':') if second == b'-' => format!("\\{line}"),
        Some(b'0'..=b'9') if digits <= 9 && matches!(after, b'.' | b')') => {
            match line.as_bytes().get(digits + 1) {
                None | Some(b' ') => format!("{}\\{}", &line[..digits], &line[digits..]),
                _ => line.to_owned(),
            }
        }
        _ => line.to_owned(),
    }
}

/// Returns the text of a heading whose number signs at the end are not taken for its end.
pub(super) fn heading(text: &str) -> String {
    match text.strip_suffix('#') {
        Some(rest) => format!("{rest}\\#"),
        None => text.to_owned(),
    }
}

/// Appends the text of a cell, in which a bar does not end the cell.
pub(super) fn push_cell(out: &mut String, text: &str) {
    let mut slashes = 0;
    for letter in text.chars() {
        match letter {
            '|' if slashes == 0 => out.push_str("\\|"),
            '|' if slashes % 2 == 0 => out.push_str("&#124;"),
            '\n' => out.push(' '),
            _ => out.push(letter),
        }
        slashes = if letter == '\\' { slashes + 1 } else { 0 };
    }
}
