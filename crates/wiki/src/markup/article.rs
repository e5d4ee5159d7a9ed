//! A page's text as a whole.

use super::clean::clean;
use super::converter::Converter;
use super::marks::{BREAK, PARAGRAPH, is_mark};
use super::{escape, links};
use crate::Site;

/// Holds a page's wikitext as Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Article {
    /// The Markdown, without a heading for the title; empty, or with a line feed at its end.
    pub markdown: String,
    /// The titles of the page's categories without the name of their namespace, in order, each once.
    pub categories: Vec<String>,
    /// The title that the page redirects to, if its text says so.
    pub redirect: Option<String>,
}

/// Returns the wikitext of a page as Markdown.
///
/// The title stands for itself where the text asks for it. No text makes this fail or slow: what is not understood stays
/// as it is written, and templates that carry no text of their own are left out.
///
/// ```
/// use mge_wiki::{Site, to_markdown};
///
/// let article = to_markdown(&Site::default(), "Ada", "'''Ada''' wrote to [[Charles Babbage|Babbage]].");
/// assert_eq!(article.markdown, "**Ada** wrote to [Babbage](Charles%20Babbage.md).\n");
/// ```
#[must_use]
pub fn to_markdown(site: &Site, title: &str, wikitext: &str) -> Article {
    let text = clean(wikitext);
    let mut converter = Converter::new(site, title, &text);
    let redirect = converter.redirect();
    let start = redirect.as_ref().map_or(0, |(_, end)| *end);
    let mut markdown = String::new();
    if let Some((target, _)) = &redirect {
        markdown = format!("Redirect to {}\n", links::page_link(target, &escape::plain(target)));
    }
    let rest = converter.blocks(start..text.len());
    if !markdown.is_empty() && !rest.is_empty() {
        markdown.push('\n');
    }
    markdown.push_str(&rest);
    let redirect = redirect.map(|(target, _)| target);
    let mut categories = std::mem::take(&mut converter.categories);
    let mut seen = std::collections::BTreeSet::new();
    categories.retain(|category| seen.insert(category.clone()));
    converter.notes.finish(&mut markdown);
    // Where no break can be, as in a verse, one that was asked for is a space.
    if markdown.contains(is_mark) {
        let kept = |letter: char| !is_mark(letter) || matches!(letter, BREAK | PARAGRAPH);
        markdown = markdown
            .chars()
            .filter(|letter| kept(*letter))
            .map(|letter| if is_mark(letter) { ' ' } else { letter })
            .collect();
    }
    Article { markdown, categories, redirect }
}

/// Returns the first line of a page's Markdown: its title as a heading.
///
/// ```
/// assert_eq!(mge_wiki::title_heading("C*"), "# C\\*\n");
/// ```
#[must_use]
pub fn title_heading(title: &str) -> String {
    let title = escape::plain(title.trim());
    format!("# {}\n", escape::heading(&title.replace(char::is_control, " ")))
}
