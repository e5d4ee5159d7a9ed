//! Bold and italics: runs of apostrophes as MediaWiki pairs them within a line.

use super::marks::{BOLD, BOTH, BREAK, ITALIC, is_emphasis, is_mark};

/// Returns a line in which the marks of emphasis are asterisks, each with its partner.
///
/// Emphasis that Markdown would not see as such (an asterisk between a letter and a quotation mark, say) is left out, so
/// that no stray asterisk is shown.
pub(super) fn resolve(line: &str) -> String {
    if !line.contains(is_emphasis) {
        return line.to_owned();
    }
    let mut marks: Vec<(usize, char)> =
        line.char_indices().filter(|(_, letter)| is_emphasis(*letter)).collect();
    let literal = balance(line, &mut marks);
    let runs = runs(line, &marks, literal);
    write(&runs)
}

/// Where the count of bold and italic marks is odd, one bold mark is an apostrophe and an italic one: after a one-letter
/// word, else after a longer word, else after a space. Returns its place among the marks.
fn balance(line: &str, marks: &mut [(usize, char)]) -> Option<usize> {
    let count = |kind| marks.iter().filter(|(_, letter)| *letter == kind || *letter == BOTH).count();
    if count(BOLD) % 2 == 0 || count(ITALIC) % 2 == 0 {
        return None;
    }
    let rank = |at: usize| {
        let mut before = line[..at].chars().rev().filter(|letter| !is_mark(*letter));
        let (last, previous) = (before.next().unwrap_or(' '), before.next().unwrap_or(' '));
        match (last == ' ', previous == ' ') {
            (true, _) => 2,
            (false, true) => 0,
            (false, false) => 1,
        }
    };
    let bold = marks.iter().enumerate().filter(|(_, (_, letter))| *letter == BOLD);
    let chosen = bold.min_by_key(|(_, (at, _))| rank(*at)).map(|(chosen, _)| chosen)?;
    marks[chosen].1 = ITALIC;
    Some(chosen)
}

/// Holds a stretch of text in one style.
struct Run<'a> {
    text: &'a str,
    bold: bool,
    italic: bool,
}

fn runs<'a>(line: &'a str, marks: &[(usize, char)], literal: Option<usize>) -> Vec<Run<'a>> {
    let (mut bold, mut italic) = (false, false);
    let mut runs = Vec::with_capacity(marks.len() + 1);
    let mut start = 0;
    for (number, (at, kind)) in marks.iter().enumerate() {
        runs.push(Run { text: &line[start..*at], bold, italic });
        if literal == Some(number) {
            runs.push(Run { text: "'", bold, italic });
        }
        bold ^= matches!(*kind, BOLD | BOTH);
        italic ^= matches!(*kind, ITALIC | BOTH);
        start = at + kind.len_utf8();
    }
    runs.push(Run { text: &line[start..], bold, italic });
    runs.retain(|run| !run.text.is_empty());
    runs
}

/// A delimiter that is open or closes one, by its place in the text without delimiters.
struct Delimiter {
    at: usize,
    text: &'static str,
    partner: usize,
    keep: bool,
}

fn write(runs: &[Run<'_>]) -> String {
    let mut text = String::new();
    let mut delimiters: Vec<Delimiter> = Vec::new();
    // The open ones: bold or not, and where their delimiter is.
    let mut open: Vec<(bool, usize)> = Vec::new();
    for run in runs {
        let inner = run.text.trim_matches(is_blank);
        let is_styled = |is_bold: bool| if is_bold { run.bold } else { run.italic };
        // What is inside of what closes closes too, and opens again below.
        if let Some(first) = open.iter().position(|(is_bold, _)| !is_styled(*is_bold)) {
            for (is_bold, partner) in open.drain(first..).rev() {
                close(&mut delimiters, text.trim_end_matches(is_blank).len(), is_bold, partner);
            }
        }
        let lead = run.text.len() - run.text.trim_start_matches(is_blank).len();
        text.push_str(&run.text[..lead]);
        for is_bold in [true, false] {
            let is_open = open.iter().any(|(open, _)| *open == is_bold);
            if !inner.is_empty() && is_styled(is_bold) && !is_open {
                open.push((is_bold, delimiters.len()));
                delimiters.push(Delimiter { at: text.len(), text: mark(is_bold), partner: 0, keep: false });
            }
        }
        text.push_str(&run.text[lead..]);
    }
    while let Some((is_bold, partner)) = open.pop() {
        close(&mut delimiters, text.trim_end_matches(is_blank).len(), is_bold, partner);
    }
    judge(&text, &mut delimiters);
    let mut line = String::with_capacity(text.len() + delimiters.len() * 2);
    let mut start = 0;
    for delimiter in delimiters.iter().filter(|delimiter| delimiter.keep) {
        line.push_str(&text[start..delimiter.at]);
        line.push_str(delimiter.text);
        start = delimiter.at;
    }
    line.push_str(&text[start..]);
    line
}

fn mark(is_bold: bool) -> &'static str {
    if is_bold { "**" } else { "*" }
}

fn close(delimiters: &mut Vec<Delimiter>, at: usize, is_bold: bool, partner: usize) {
    let number = delimiters.len();
    delimiters[partner].partner = number;
    delimiters.push(Delimiter { at, text: mark(is_bold), partner, keep: false });
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter == BREAK
}

/// Keeps the pairs that Markdown sees as emphasis: their inner side is no blank, and where it is punctuation, the outer
/// side is a blank or punctuation.
fn judge(text: &str, delimiters: &mut [Delimiter]) {
    let is_stop = |letter: char| !letter.is_alphanumeric();
    for number in 0..delimiters.len() {
        let (at, partner) = (delimiters[number].at, delimiters[number].partner);
        if partner < number {
            continue;
        }
        let end = delimiters[partner].at;
        let (Some(first), Some(last)) = (text[at..].chars().next(), text[..end].chars().next_back()) else {
            continue;
        };
        let before = text[..at].chars().next_back().unwrap_or(' ');
        let after = text[end..].chars().next().unwrap_or(' ');
        let keep = at < end && (!is_stop(first) || is_stop(before)) && (!is_stop(last) || is_stop(after));
        delimiters[number].keep = keep;
        delimiters[partner].keep = keep;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str) -> String {
        let text = text.replace("'''''", &BOTH.to_string()).replace("'''", &BOLD.to_string());
        resolve(&text.replace("''", &ITALIC.to_string()))
    }

    #[test]
    fn apostrophes_pair_as_in_mediawiki() {
        assert_eq!(resolved("'''bold''' ''it'' '''''both'''''"), "**bold** *it* ***both***");
        assert_eq!(resolved("'''bold ''both''' it''"), "**bold *both*** *it*");
        assert_eq!(resolved("''' spaced '''x"), " **spaced** x");
        assert_eq!(resolved("'''open"), "**open**");
        assert_eq!(resolved("L'''amour'' est"), "L'*amour* est");
        assert_eq!(resolved("''' '''"), " ");
    }

    #[test]
    fn no_asterisk_is_left_where_markdown_sees_none() {
        assert_eq!(resolved("'''\"quoted\"'''s"), "\"quoted\"s");
        assert_eq!(resolved("a''(b)''"), "a(b)");
        assert_eq!(resolved("('''A''')"), "(**A**)");
    }
}
