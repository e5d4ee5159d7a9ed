//! Text that stays text when it is read as Markdown.

/// Appends text, with a backslash before what would be read as markup inside a line.
///
/// Only what could become markup is escaped, so that ordinary text reads as it was written. The start of a line is
/// left to [`line_start`], which sees whole lines.
pub(crate) fn push(out: &mut String, text: &str) {
    let mut characters = text.chars().peekable();
    let mut before = out.chars().next_back().unwrap_or(' ');
    let mut is_first = true;
    while let Some(character) = characters.next() {
        let after = characters.peek().copied().unwrap_or(' ');
        let escaped = match character {
            '`' => true,
            // At the end of a line it would break it.
            '\\' => after.is_ascii_punctuation() || after.is_whitespace(),
            // A run of stars between spaces, and an underscore inside a word, are no emphasis.
            '*' => !(before.is_whitespace() && after.is_whitespace()),
            '_' => {
                !(before.is_alphanumeric() && after.is_alphanumeric())
                    && !(before.is_whitespace() && after.is_whitespace())
            }
            '~' => after == '~' || !before.is_whitespace(),
            '<' => after.is_ascii_alphabetic() || matches!(after, '/' | '!' | '?'),
            '&' => after == '#' || after.is_ascii_alphabetic(),
            '[' if matches!(after, '^' | ']') => true,
            ']' => matches!(after, '(' | '[' | ':'),
            // The bracket before it came with an earlier piece of the text.
            '(' | '[' | ':' if is_first && before == ']' => true,
            _ => false,
        };
        // An ampersand is only dangerous when its name ends in a semicolon.
        let escaped = escaped && (character != '&' || names_a_character(characters.clone()));
        if escaped {
            out.push('\\');
        }
        out.push(character);
        before = character;
        is_first = false;
    }
}

fn names_a_character(rest: impl Iterator<Item = char>) -> bool {
    let mut length = 0;
    for character in rest {
        match character {
            ';' => return length > 0,
            '#' if length == 0 => {}
            _ if character.is_ascii_alphanumeric() => {}
            _ => return false,
        }
        length += 1;
        if length > 40 {
            return false;
        }
    }
    false
}

/// Appends one line of a paragraph, with what would make it another kind of block escaped.
pub(crate) fn line_start(out: &mut String, line: &str) {
    let line = line.trim_start();
    let first = line.chars().next().unwrap_or(' ');
    let after_run = line.trim_start_matches(first);
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let bare = line.trim_end();
    let only = |allowed: &str| bare.chars().all(|character| allowed.contains(character));
    let dangerous = match first {
        '#' => line.len() - after_run.len() <= 6 && ends(after_run),
        '>' => true,
        '-' | '+' | '*' => ends(&line[1..]) || only("-+* \t|:"),
        '=' => only("= \t"),
        '_' => only("_ \t"),
        '~' => line.starts_with("~~~"),
        '|' | ':' => only("|:- \t"),
        // A box to tick.
        '[' => ["[ ]", "[x]", "[X]"].iter().any(|mark| line.starts_with(mark)),
        _ => false,
    };
    if dangerous {
        out.push('\\');
        out.push_str(line);
        return;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = &line[digits..];
    if (1..=9).contains(&digits) && mark.starts_with(['.', ')']) && ends(&mark[1..]) {
        out.push_str(&line[..digits]);
        out.push('\\');
        out.push_str(mark);
    } else {
        out.push_str(line);
    }
}

/// Returns a link's target as it may stand between parentheses, or `None` for one that is no address.
pub(crate) fn target(href: &str) -> Option<String> {
    let href = href.trim();
    let scheme = href.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_scheme =
        |scheme: &str| scheme.chars().all(|one| one.is_ascii_alphanumeric() || "+-.".contains(one));
    if let Some(scheme) = scheme.filter(|scheme| is_scheme(scheme))
        && !["http", "https", "mailto", "ftp", "tel", "urn", "doi"].contains(&scheme.as_str())
    {
        return None;
    }
    if href.is_empty() || href.starts_with('#') || href.len() > 8192 {
        return None;
    }
    let mut out = String::with_capacity(href.len());
    for character in href.chars() {
        match character {
            ' ' => out.push_str("%20"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '\\' => out.push_str("%5C"),
            '|' => out.push_str("%7C"),
            '`' => out.push_str("%60"),
            _ if character.is_control() || character.is_whitespace() => {}
            _ => out.push(character),
        }
    }
    Some(out)
}
