//! Plain text as Markdown: the same words, and no markup by chance.

/// Returns a plain text as Markdown: paragraphs and line breaks stay, signs that would mean something are escaped.
pub(crate) fn markdown(text: &str) -> String {
    let mut markdown = String::with_capacity(text.len() + text.len() / 16);
    let lines = text.replace("\r\n", "\n").replace(['\r', '\u{c}'], "\n");
    for line in lines.lines() {
        let line = line.trim();
        escape_start(line, &mut markdown);
        markdown.push('\n');
    }
    markdown
}

/// Appends a line whose start and signs mean nothing in Markdown.
fn escape_start(line: &str, markdown: &mut String) {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line.as_bytes()[digits..];
    let numbered =
        digits > 0 && matches!(rest.first(), Some(b'.' | b')')) && matches!(rest.get(1), None | Some(b' '));
    if numbered {
        markdown.push_str(&line[..digits]);
        markdown.push('\\');
        return escape(&line[digits..], markdown);
    }
    // Headings, lists, rules, quotes, tables, and the underlines that make headings of the line above.
    if line.starts_with(['#', '-', '+', '=', '>', '|', ':']) {
        markdown.push('\\');
    }
    escape(line, markdown);
}

/// Appends text whose signs mean nothing inside a line of Markdown.
pub(crate) fn escape(text: &str, markdown: &mut String) {
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_word = |sign: char| sign.is_alphanumeric();
        let means = match letter {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '|' => true,
            // Inside a word it is a letter.
            '_' => !(is_word(before) && letters.peek().copied().is_some_and(is_word)),
            '&' => letters.peek().is_some_and(|next| next.is_ascii_alphabetic() || *next == '#'),
            _ => false,
        };
        if means {
            markdown.push('\\');
        }
        markdown.push(letter);
        before = letter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup_by_chance() {
        let text = "# no heading\n1. no item\n2024. was a year\nA title\n=====\n\n- dash\r\n*stars* and snake_case a_ _b <b> &amp; R&D [x] | y\n    not code\n";
        let expected = "\\# no heading\n1\\. no item\n2024\\. was a year\nA title\n\\=====\n\n\\- dash\n\\*stars\\* and snake_case a\\_ \\_b \\<b> \\&amp; R\\&D \\[x\\] \\| y\nnot code\n";
        assert_eq!(markdown(text), expected);
    }
}
