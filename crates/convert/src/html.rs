//! HTML as Markdown.

use std::thread;

use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};
use quick_xml::escape::unescape_with;

use crate::{ConvertError, Converted, Limits};

/// What a page has around its text, or does not show.
const LEFT_OUT: [&str; 14] = [
    "script", "style", "noscript", "template", "nav", "iframe", "object", "svg", "canvas", "form", "button",
    "select", "head", "dialog",
];
/// Elements that end themselves where another begins, so that they do not nest.
const FLAT: [&str; 22] = [
    "p", "li", "dt", "dd", "td", "th", "tr", "thead", "tbody", "tfoot", "option", "br", "hr", "img", "input",
    "meta", "link", "col", "area", "base", "source", "wbr",
];
/// The deepest nesting. The parser and the walk over its tree are recursive; real pages have some dozens of levels.
const MOST_DEPTH: usize = 800;
/// Enough for that depth, in bytes.
const STACK: usize = 64 << 20;

pub(crate) fn convert(html: &str, limits: &Limits) -> Result<Converted, ConvertError> {
    let markdown = markdown(html, limits)?;
    let head = &html[..html.floor_char_boundary(1 << 16)];
    let title = between(head, "<title", "</title")
        .map(|text| words(&unescaped(text)))
        .filter(|text| !text.is_empty());
    Ok(Converted { markdown, title, ..Converted::default() })
}

/// Returns the text of a page as Markdown.
pub(crate) fn markdown(html: &str, limits: &Limits) -> Result<String, ConvertError> {
    if depth(html) > MOST_DEPTH {
        return Err(ConvertError::Broken { reason: format!("its elements nest deeper than {MOST_DEPTH}") });
    }
    let (size, limit) = (html.len() as u64, limits.max_output_bytes as u64);
    if size > limit {
        return Err(ConvertError::TooLarge { size, limit });
    }
    let converted = thread::scope(|scope| {
        let work = || {
            let options = Options {
                bullet_list_marker: BulletListMarker::Dash,
                ul_bullet_spacing: 1,
                ol_number_spacing: 1,
                ..Options::default()
            };
            HtmlToMarkdown::builder().options(options).skip_tags(LEFT_OUT.to_vec()).build().convert(html)
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        // A library that panics on a page fails for this page alone.
        thread.map(|thread| thread.join())
    });
    let broken = |reason: String| ConvertError::Broken { reason };
    let mut markdown = converted
        .map_err(|error| broken(error.to_string()))?
        .map_err(|_| broken("its structure cannot be followed".to_owned()))?
        .map_err(|error| broken(error.to_string()))?;
    if !markdown.is_empty() {
        markdown.push('\n');
    }
    Ok(markdown)
}

/// Returns how deep elements may nest, as far as tags tell.
fn depth(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for tag in html.split('<').skip(1) {
        let closing = tag.starts_with('/');
        let name = tag.trim_start_matches('/');
        let end = name.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name[..end].to_ascii_lowercase();
        if name.is_empty() || FLAT.contains(&name.as_str()) {
            continue;
        }
        if closing {
            depth = depth.saturating_sub(1);
        } else if !tag.split('>').next().is_some_and(|inside| inside.ends_with('/')) {
            depth += 1;
            deepest = deepest.max(depth);
        }
    }
    deepest
}

/// Returns what stands in the first element whose start and end tag begin so.
fn between<'a>(html: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let lower = html.to_ascii_lowercase();
    let from = lower.find(start)?;
    let from = from + lower[from..].find('>')? + 1;
    let to = from + lower[from..].find(end)?;
    Some(&html[from..to])
}

/// Returns a text with its character references as characters; of one that is not known, as it is written.
pub(crate) fn unescaped(text: &str) -> String {
    unescape_with(text, quick_xml::escape::resolve_html5_entity)
        .map_or_else(|_| text.to_owned(), std::borrow::Cow::into_owned)
}

pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Converted {
        convert(html, &Limits::default()).expect("a page")
    }

    #[test]
    fn a_page_keeps_its_text_and_loses_what_is_around_it() {
        let page = page(
            "<!doctype html><html><head><title>The  Ferry &amp; Co</title><style>p{}</style></head><body>\
             <nav><a href=/>Home</a></nav><h1>Ferry</h1><p>It sails <b>daily</b> from <a href='/t'>Tellvik</a>.</p>\
             <ul><li>one<li>two</ul><table><tr><th>Ship<th>Year</tr><tr><td>Petrel<td>1998</tr></table>\
             <script>var x = '<p>no</p>';</script></body></html>",
        );
        assert_eq!(page.title.as_deref(), Some("The Ferry & Co"));
        for words in
            ["# Ferry", "It sails **daily** from [Tellvik](/t).", "- one", "- two", "| Petrel | 1998 |"]
        {
            assert!(page.markdown.contains(words), "{words} in {}", page.markdown);
        }
        for words in ["Home", "var x", "p{}"] {
            assert!(!page.markdown.contains(words), "{words} in {}", page.markdown);
        }
    }

    #[test]
    fn deep_pages_are_refused_and_long_ones_are_not() {
        let deep = convert(&"<div>".repeat(100_000), &Limits::default());
        assert!(matches!(deep, Err(ConvertError::Broken { .. })), "{deep:?}");
        let within = "<b>".repeat(MOST_DEPTH - 1) + "x";
        assert!(page(&within).markdown.contains('x'));
        assert_eq!(page(&"<li>x".repeat(5_000)).markdown.matches('x').count(), 5_000);
    }
}
