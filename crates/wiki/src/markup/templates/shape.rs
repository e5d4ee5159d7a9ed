//! What kinds of templates there are, and what each is as a block and in a line.

use std::ops::Range;

use super::arguments::Arguments;
use super::{BREAK, Converter, flattened, links, with_breaks};
use crate::markup::pairs::Pair;

/// What a template is, as far as its place in the text is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A table of fields and values.
    Box,
    Quote,
    /// A line that leads to other pages, with what it starts with.
    See(&'static str),
    /// Items one below the other.
    List,
    /// Anything in a line of text.
    Phrase,
}

/// Starts and parts of the names of boxes with facts, in large wikis. In small letters.
const BOXES: &[&str] = &[
    "infobox",
    "infoboks",
    "inligtingskas",
    "infokutu",
    "infotaula",
    "infocaseta",
    "infopolje",
    "infookvir",
    "infokast",
    "info/",
    "taxobox",
    "speciesbox",
    "geobox",
    "chembox",
    "drugbox",
    "ficha de",
    "faktamall",
    "tietolaatikko",
    "thông tin",
    "карточка",
    "картка",
    "инфобокс",
    "інфобокс",
    "قالب معلومات",
    "צמח",
    "基礎情報",
    "信息框",
    "기본 정보",
    "track listing",
    "tracklist",
    "succession box",
    "weather box",
    "us census population",
    "personendaten",
    "persondata",
    "kotak info",
];

const QUOTES: &[&str] = &[
    "quote",
    "cquote",
    "blockquote",
    "quotation",
    "rquote",
    "quote box",
    "bquote",
    "quote frame",
    "centered pull quote",
    "pull quote",
    "zitat",
    "citation bloc",
    "cita",
    "bloc citation",
    "verse translation",
    "poemquote",
    "poem quote",
];

const LISTS: &[&str] = &[
    "plainlist",
    "plain list",
    "flatlist",
    "flat list",
    "unbulleted list",
    "ubl",
    "ublist",
    "ubil",
    "ul",
    "bulleted list",
    "blist",
    "ordered list",
    "olist",
    "collapsible list",
    "columns-list",
    "vunblist",
];

const SEE: &[(&[&str], &str)] = &[
    (
        &[
            "main",
            "main article",
            "main articles",
            "main2",
            "main list",
            "hauptartikel",
            "article détaillé",
            "ap",
            "artículo principal",
            "vedi anche",
            "hoofdartikel",
            "основная статья",
            "artikel utama",
            "artykuł główny",
        ],
        "Main article",
    ),
    (
        &[
            "see also",
            "see",
            "see also2",
            "siehe auch",
            "voir aussi",
            "véase también",
            "vt",
            "also",
            "zie ook",
            "см. также",
            "sa",
        ],
        "See also",
    ),
    (
        &["further", "further2", "further information", "details", "more", "detail", "further ill"],
        "Further information",
    ),
];

impl Converter<'_> {
    fn shape(&self, pair: &Pair) -> Shape {
        let name = self.template_name(&pair.inner).0;
        if let Some((_, start)) = SEE.iter().find(|(names, _)| names.contains(&name.as_str())) {
            return Shape::See(start);
        }
        if QUOTES.contains(&name.as_str()) {
            return Shape::Quote;
        }
        if LISTS.contains(&name.as_str()) {
            return Shape::List;
        }
        // A name that only starts like one is one: "Infobox settlement".
        let is_box = BOXES.iter().any(|part| name.starts_with(part))
            || name.contains("infobox")
            || name.contains("taxobox");
        if is_box { Shape::Box } else { Shape::Phrase }
    }

    pub(in crate::markup) fn is_block_template(&self, pair: &Pair) -> bool {
        self.shape(pair) != Shape::Phrase
    }

    /// Returns the blocks of a template that has some.
    pub(in crate::markup) fn template_blocks(&mut self, pair: &Pair) -> String {
        let shape = self.shape(pair);
        let inner = pair.inner.clone();
        let block = self.deeper(inner.clone(), |converter| {
            let arguments = converter.arguments(&inner);
            match shape {
                Shape::Box => converter.fact_box(&arguments),
                Shape::Quote => converter.quote(&arguments),
                Shape::See(start) => converter.see(start, &arguments),
                Shape::List => {
                    let items = converter.items(&arguments);
                    items.iter().map(|item| format!("- {}\n", with_breaks(item, "\\\n  "))).collect()
                }
                Shape::Phrase => String::new(),
            }
        });
        self.place(block)
    }

    /// Returns the text of a template in a line, with marks where lines end.
    pub(in crate::markup) fn template(&mut self, pair: &Pair) -> String {
        let shape = self.shape(pair);
        let inner = pair.inner.clone();
        if shape == Shape::Phrase {
            let is_alone = self.cells > 0 && self.is_alone(pair);
            return self.deeper(inner.clone(), |converter| converter.phrase(&inner, is_alone));
        }
        let blocks = self.deeper(inner.clone(), |converter| {
            let arguments = converter.arguments(&inner);
            match shape {
                Shape::Box => converter.fact_lines(&arguments),
                Shape::List => converter.items(&arguments).join(&BREAK.to_string()),
                Shape::See(start) => converter.see(start, &arguments),
                _ => converter.quote(&arguments),
            }
        });
        if shape == Shape::Quote {
            flattened(&blocks.replace("\n> ", "\n")).trim_start_matches("> ").to_owned()
        } else {
            blocks
        }
    }

    /// Returns whether a template is all there is in a cell. In a box it would rather be the key of a value.
    fn is_alone(&self, pair: &Pair) -> bool {
        let before = self.text[..pair.start].trim_end_matches([' ', '\t', '\n']);
        let after = self.text[pair.end..].trim_start_matches([' ', '\t']);
        before.ends_with(['|', '!']) && (after.is_empty() || after.starts_with(['\n', '|', '}', '!', '<']))
    }

    fn quote(&mut self, arguments: &Arguments) -> String {
        let text = arguments.first(&["text", "quote", "content", "1", "quotetext", "texte", "zitat"]);
        let text = text.or_else(|| arguments.at(0));
        let mut source = Vec::new();
        for names in [
            &["author", "sign", "2", "autor", "auteur", "by", "cite"][..],
            &["source", "title", "3", "quelle"][..],
        ] {
            let place = names.iter().find_map(|name| name.parse::<usize>().ok()).map_or(0, |place| place - 1);
            if let Some(range) = arguments.first(names).or_else(|| arguments.at(place)) {
                let shown = self.one_line(range);
                if !shown.is_empty() {
                    source.push(shown);
                }
            }
        }
        text.map(|range| self.quoted(range, &source.join(", "))).unwrap_or_default()
    }

    fn see(&mut self, start: &str, arguments: &Arguments) -> String {
        let mut links = Vec::new();
        for (number, range) in arguments.positional.iter().enumerate() {
            let label = arguments.first(&[&format!("l{}", number + 1), &format!("label {}", number + 1)]);
            let label = label.map(|label| self.one_line(label));
            let link = self.page(range.clone(), label);
            if !link.is_empty() {
                links.push(link);
            }
        }
        if links.is_empty() { String::new() } else { format!("{start}: {}", links.join(", ")) }
    }

    /// Returns a link to the page that a value names; a value with markup is shown as it is.
    pub(super) fn page(&mut self, range: Range<usize>, label: Option<String>) -> String {
        let text = &self.text[range.clone()];
        if text.contains(['[', '{', '<', '\'', '|']) {
            return self.one_line(range);
        }
        let title = text.trim().trim_start_matches(':');
        let (page, _) = title.split_once('#').unwrap_or((title, ""));
        if page.is_empty() {
            return String::new();
        }
        let label = label
            .filter(|label| !label.is_empty())
            .unwrap_or_else(|| links::label_text(&title.replace('#', " § ")));
        if self.in_label { label } else { links::page_link(&self.site.title(page), &label) }
    }

    /// Returns the items of a list that is given by a template.
    fn items(&mut self, arguments: &Arguments) -> Vec<String> {
        let mut items = Vec::new();
        if let Some(title) = arguments.first(&["title"]) {
            items.push(self.one_line(title));
        }
        let numbered =
            arguments.named.iter().filter(|(name, _)| name.bytes().all(|byte| byte.is_ascii_digit()));
        let ranges: Vec<_> =
            arguments.positional.iter().chain(numbered.map(|(_, range)| range)).cloned().collect();
        let is_width = |text: &str| text.trim_end_matches("em").bytes().all(|byte| byte.is_ascii_digit());
        let skipped = usize::from(ranges.len() > 1 && is_width(self.raw(ranges.first().cloned())));
        for range in ranges.into_iter().skip(skipped) {
            let flat = self.flat(range);
            items.extend(flat.split(BREAK).map(|item| item.trim_start_matches("- ").trim().to_owned()));
        }
        items.retain(|item| !item.is_empty());
        items
    }

    /// Returns the name of a template in small letters with single spaces, and where it ends.
    pub(super) fn template_name(&self, inner: &Range<usize>) -> (String, usize) {
        let end = self.find_outside(inner.start, inner.end, b'|').unwrap_or(inner.end);
        let name = self.text[inner.start..end].trim();
        // No name is longer, in bytes.
        if name.len() > 120 {
            return (String::new(), end);
        }
        let name = name.replace(['_', '\n', '\t'], " ").to_lowercase();
        let name = ["template:", "vorlage:", "modèle:", "plantilla:", "msg:", "subst:"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .unwrap_or(&name);
        (name.split_whitespace().collect::<Vec<_>>().join(" "), end)
    }
}
