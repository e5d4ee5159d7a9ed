//! The original's conversions: every word that it kept is kept, except those with a reason.

mod shared;

use std::collections::{BTreeMap, HashMap};

use mge_wiki::{Site, file_name, to_markdown};
use serde_json::Value;
use shared::{golden, input, words};

/// Words of the original's Markdown that are no prose of the page, by page, and how many of each.
///
/// Everything else must be there.
const NO_PROSE: &[(&str, &str, &[&str])] = &[
    ("redirect.txt", "the redirect taken for a numbered item", &["1", "REDIRECT"]),
    ("Remote-Data-Objects.txt", "the end of an address that was cut at a bracket", &["aspx"]),
    ("HMS-Irresistible.txt", "the sort key of a category", &["Irresistible"]),
    (
        "The-Atlas-(newspaper).txt",
        "the targets of links whose labels are on the next line",
        &["Penny", "British", "pre", "decimal", "coin", "Temperance", "movement"],
    ),
    (
        "Goryeo-ware.txt",
        "names of files in a gallery",
        &[
            "Goryeo",
            "File",
            "File",
            "File",
            "File",
            "File",
            "jpg",
            "jpg",
            "jpg",
            "jpg",
            "jpg",
            "청자",
            "청자",
            "어룡",
            "모양",
            "모양",
            "주전자",
            "주전자",
            "상감",
            "모란",
            "넝쿨",
            "무늬",
            "조롱박",
            "Goryeo_Celadon",
            "청자_거북이_모양_주자",
            "Korea",
            "Dynasty",
            "Wine",
            "ewer",
            "in",
            "the",
            "shape",
            "of",
            "a",
            "seated",
            "immortal",
            "01",
        ],
    ),
    (
        "Wendy-Mogel.txt",
        "categories in German",
        &[
            "1951",
            "US",
            "Kategorie",
            "Kategorie",
            "Kategorie",
            "Kategorie",
            "Klinischer",
            "Psychologe",
            "Amerikaner",
            "Geboren",
            "Frau",
        ],
    ),
    ("Maurische-Netzwuhle.txt", "a category in German", &["Doppelschleichen", "Kategorie"]),
    (
        "BBDO.txt",
        "categories in German",
        &["Düsseldorf", "Kategorie", "Kategorie", "Werbeagentur", "Dienstleistungsunternehmen"],
    ),
    ("africaans.txt", "settings of a picture", &["thumb", "links", "upright"]),
    (
        "statoil.txt",
        "categories in Norwegian, and the page in another language",
        &[
            "1972",
            "Kategori",
            "Kategori",
            "Kategori",
            "Kategori",
            "Oljeselskap",
            "Norske",
            "Norske",
            "industriselskap",
            "statlege",
            "føretak",
            "Skipingar",
            "i",
            "sv",
            "koncern",
        ],
    ),
    (
        "Sara-C.-Bisel.txt",
        "categories in German, and a setting of a picture",
        &[
            "1932",
            "1996",
            "US",
            "Kategorie",
            "Kategorie",
            "Kategorie",
            "Kategorie",
            "Kategorie",
            "Kategorie",
            "Kategorie",
            "Kategorie",
            "mini",
            "Klassischer",
            "Archäologe",
            "Anthropologe",
            "20",
            "Jahrhundert",
            "Fellow",
            "der",
            "American",
            "Association",
            "for",
            "the",
            "Advancement",
            "of",
            "Science",
            "Hochschullehrer",
            "University",
            "of",
            "Maryland",
            "College",
            "Park",
            "Amerikaner",
            "Geboren",
            "Gestorben",
            "Frau",
        ],
    ),
    (
        "Keilwelle.txt",
        "settings of pictures, the target of a link in a caption, categories in German",
        &[
            "thumb",
            "thumb",
            "thumb",
            "thumb",
            "thumb",
            "thumb",
            "thumb",
            "Keil",
            "Technik",
            "Kategorie",
            "Kategorie",
            "Bauform",
            "Welle",
            "Verbindungselement",
        ],
    ),
    (
        "list.txt",
        "words that the original glued over a break, which are apart now",
        &[
            "LionsgateBased",
            "LionsgateBased",
            "UKBased",
            "UKBased",
            "ProductionsPreceded",
            "FoxBased",
            "FilmsPreceded",
            "OneBased",
            "PicturesBased",
            "PicturesBased",
            "ProductionsBased",
        ],
    ),
    ("Liste-der-argentinischen-Botschafter-in-Chile.txt", "categories in German", &["Chile", "Argentinien"]),
    (
        "History-of-rugby-union-matches-between-Scotland-and-Wales.txt",
        "two words that the original glued; a link's label is not glued to the word before",
        &["ParadeNewport"],
    ),
    (
        "Mark-Behr.txt",
        "categories in Afrikaans",
        &[
            "1963",
            "2015",
            "Suid",
            "in",
            "in",
            "Kategorie",
            "Kategorie",
            "Kategorie",
            "Afrikaanse",
            "skrywers",
            "Geboortes",
            "Sterftes",
        ],
    ),
];

/// Words of the snippets' Markdown that are no prose, with the reason.
const NO_PROSE_OF_SNIPPETS: &[(&str, &[&str])] = &[
    // Labels with targets: the original shows the target where the label is left out.
    ("[[Link]] [[A|B]]", &["ns"]),
    // Words before and after a break that were glued.
    ("<br>x<br/>y", &["xyzw"]),
    // Text and the reference between were glued.
    ("<ref>x</ref>a", &["abcdef"]),
    // "1<2 and 3>2" lost its middle.
    ("a < b > c", &["12"]),
    ("#REDIRECT [[Target]]", &["1", "REDIRECT"]),
    ("__TOC__", &["__TOC__", "__NOTOC__"]),
    // The protocol is part of the address, not of the label.
    ("[http://a.b label]", &["proto", "mailto", "x", "y"]),
];

fn bag(text: &str) -> HashMap<String, usize> {
    let mut bag = HashMap::new();
    for word in words(text) {
        *bag.entry(word).or_insert(0) += 1;
    }
    bag
}

/// Returns Markdown without what the original never had, notes and boxes: a word there does not make up for one that
/// the text lost.
fn prose(markdown: &str) -> String {
    let mut prose = String::new();
    let mut in_box = false;
    for line in markdown.lines() {
        in_box = line == "| field | value |" || in_box && line.starts_with('|');
        if !in_box && !line.starts_with("[^") {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// Returns the words that one text has more often than another.
fn missing(golden: &str, ours: &str, allowed: &[&str]) -> BTreeMap<String, usize> {
    let (mut ours, mut missing) = (bag(ours), BTreeMap::new());
    for word in allowed {
        *ours.entry((*word).to_owned()).or_insert(0) += 1;
    }
    for (word, count) in bag(golden) {
        let had = ours.get(&word).copied().unwrap_or(0);
        if had < count {
            missing.insert(word, count - had);
        }
    }
    missing
}

#[test]
fn every_word_of_the_pages_is_kept() {
    let Some(golden) = golden() else { return };
    let pages = golden["pages"].as_array().unwrap();
    let (mut count, mut lost) = (0, Vec::new());
    for page in pages {
        let path = page["path"].as_str().unwrap();
        let name = path.rsplit('/').next().unwrap();
        let article = to_markdown(&Site::default(), "Title", &input(name));
        let allowed =
            NO_PROSE.iter().find(|(page, _, _)| *page == name).map_or(&[][..], |(_, _, words)| words);
        let missing = missing(page["markdown"].as_str().unwrap(), &prose(&article.markdown), allowed);
        if !missing.is_empty() {
            lost.push(format!("{name}: {missing:?}"));
        }
        count += 1;
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
    assert_eq!(count, 59);
}

#[test]
fn every_word_of_the_snippets_is_kept() {
    let Some(golden) = golden() else { return };
    let snippets = golden["snippets"].as_array().unwrap();
    assert_eq!(snippets.len(), 33);
    for snippet in snippets {
        let wikitext = snippet["wikitext"].as_str().unwrap();
        let article = to_markdown(&Site::default(), "Title", wikitext);
        let allowed = NO_PROSE_OF_SNIPPETS.iter().find(|(start, _)| wikitext.starts_with(start));
        let allowed = allowed.map_or(&[][..], |(_, words)| words);
        let missing = missing(snippet["markdown"].as_str().unwrap(), &article.markdown, allowed);
        assert!(missing.is_empty(), "{wikitext:?}: {missing:?} in {:?}", article.markdown);
    }
}

/// Titles whose name is another one than the original's, with the reason.
const OTHER_NAMES: &[(&str, &str)] = &[
    // "%41" and "A" were two titles; "A%2FB" and "A/B" were one name.
    ("%41", "%2541.md"),
    // A name that starts with a dot is hidden, and hidden files are no documents.
    (".", "%2E.md"),
    ("..", "%2E..md"),
    ("", "%.md"),
    // A control character as the others.
    ("\u{7f}", "%7F.md"),
];

#[test]
fn names_are_those_of_the_original() {
    let Some(golden) = golden() else { return };
    let list = golden["safe_filename"].as_array().unwrap();
    assert_eq!(list.len(), 29);
    for one in list {
        let title = one["title"].as_str().unwrap();
        let expected = one["file"].as_str().unwrap().trim_start_matches("/d/");
        let expected =
            OTHER_NAMES.iter().find(|(other, _)| *other == title).map_or(expected, |(_, name)| name);
        assert_eq!(file_name(title), expected, "{title:?}");
    }
}

#[test]
fn the_export_gives_the_same_pages() {
    let Some(golden) = golden() else { return };
    let xml = golden["xml"]["xml"].as_str().unwrap();
    let files: HashMap<String, Value> = serde_json::from_value(golden["xml"]["files"].clone()).unwrap();
    let mut names = Vec::new();
    for page in mge_wiki::Export::new(xml.as_bytes()).unwrap() {
        let page = page.unwrap();
        let name = file_name(&page.title);
        let kept = files.get(&name).unwrap_or_else(|| panic!("{name}")).as_str().unwrap().to_owned();
        let article = to_markdown(&Site::default(), &page.title, &page.text);
        match page.title.as_str() {
            // The original kept the oldest revision.
            "Two revs" => assert_eq!(article.markdown, "new\n"),
            "Redir" => {
                assert_eq!(page.redirect.as_deref(), Some("X"));
                assert_eq!(article.redirect.as_deref(), Some("X"));
            }
            "Empty" => {}
            title => {
                let ours = format!("{}{}", mge_wiki::title_heading(title), article.markdown);
                let missing = missing(&kept, &ours, &["ns"]);
                assert!(missing.is_empty(), "{title}: {missing:?}");
            }
        }
        names.push(name);
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), files.len());
}
