//! What is taken out of wikitext before it is looked at.

use super::marks::is_mark;
use super::tags::{Ends, tag_at};

/// Returns a text without comments, carriage returns and the letters that are marks here.
///
/// A comment that has lines of its own takes them with it. One without an end loses its start only. Inside code and
/// literal text there are no comments.
pub(super) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut ends = Ends::default();
    let mut no_more_comments = false;
    let (mut kept, mut from) = (0, 0);
    while let Some(found) = memchr::memchr(b'<', &text.as_bytes()[from..]) {
        let at = from + found;
        from = at + 1;
        if text[at..].starts_with("<!--") {
            clean.push_str(&text[kept..at]);
            kept = at + 4;
            let end =
                if no_more_comments { None } else { memchr::memmem::find(&text.as_bytes()[kept..], b"-->") };
            match end {
                Some(end) => kept += end + 3,
                None => no_more_comments = true,
            }
            if end.is_some() && has_own_line(&clean, &text[kept..]) {
                clean.truncate(clean.trim_end_matches([' ', '\t']).len());
                kept = text.len() - text[kept..].trim_start_matches([' ', '\t', '\r']).len() + 1;
            }
            from = kept;
        } else if let Some(tag) = tag_at(text, at)
            && tag.tag.is_raw()
            && !tag.is_end
            && !tag.is_empty
            && let Some(end) = ends.find(text, &text[tag.name].to_ascii_lowercase(), tag.end)
        {
            from = end.end;
        }
        kept = kept.min(text.len());
        from = from.min(text.len());
    }
    clean.push_str(&text[kept..]);
    clean.retain(|letter| letter != '\r' && letter != '\0' && !is_mark(letter));
    clean
}

fn has_own_line(before: &str, after: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    (before.is_empty() || before.ends_with('\n'))
        && after.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
}
