//! The structure of real pages: headings, tables and items, counted by hand in their wikitext.

mod shared;

use mge_wiki::{Site, to_markdown};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use shared::{golden, input};

/// Rows with the header, and columns.
type Table = (usize, usize);

/// What a page holds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Structure {
    /// The levels of its headings, in order.
    headings: String,
    /// Its tables, boxes left out.
    tables: Vec<Table>,
    /// Its boxes.
    boxes: usize,
    /// The items of its lists.
    items: usize,
}

fn structure(markdown: &str) -> Structure {
    let mut found = Structure::default();
    let (mut rows, mut header) = (0, String::new());
    let mut in_header = false;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let level = match level {
                    HeadingLevel::H1 => '1',
                    HeadingLevel::H2 => '2',
                    HeadingLevel::H3 => '3',
                    HeadingLevel::H4 => '4',
                    HeadingLevel::H5 => '5',
                    HeadingLevel::H6 => '6',
                };
                found.headings.push(level);
            }
            Event::Start(Tag::Item) => found.items += 1,
            Event::Start(Tag::Table(columns)) => {
                found.tables.push((0, columns.len()));
                rows = 1;
                header.clear();
            }
            Event::Start(Tag::TableHead) => in_header = true,
            Event::End(TagEnd::TableHead) => in_header = false,
            Event::Text(text) if in_header => header.push_str(&text),
            Event::Start(Tag::TableRow) => rows += 1,
            Event::End(TagEnd::Table) if header == "fieldvalue" => {
                found.tables.pop();
                found.boxes += 1;
            }
            Event::End(TagEnd::Table) => found.tables.last_mut().expect("a table started").0 = rows,
            _ => {}
        }
    }
    found
}

/// Levels of headings, tables, boxes and items of each page, counted in its wikitext. Items that hold nothing but a
/// template without text are not counted, nor those within boxes and notes.
const PAGES: &[(&str, &str, &[Table], usize, usize)] = &[
    ("bluejays.txt", "", &[(9, 4)], 0, 0),
    ("Canton-of-Etaples.txt", "222222", &[(3, 6)], 1, 20),
    ("Keilwelle.txt", "2333222", &[(6, 2), (9, 2)], 0, 12),
    ("list.txt", "2", &[(26, 6)], 0, 0),
    ("Liste-der-argentinischen-Botschafter-in-Chile.txt", "", &[(60, 5)], 0, 0),
    ("earthquakes.txt", "2222", &[(36, 11)], 0, 7),
    ("2008-British-motorcycle-Grand-Prix.txt", "2222", &[(20, 8), (26, 8), (41, 8)], 1, 1),
    ("Alsea-(company).txt", "2222", &[(15, 4)], 1, 0),
    ("Arts_Club_of_Chicago.txt", "22323222222222", &[(8, 4), (12, 2)], 1, 11),
    ("Mark-Behr.txt", "22222333", &[(4, 2)], 1, 12),
    ("Senate_of_Pakistan.txt", "223332222", &[(8, 6)], 1, 6),
    (
        "History-of-rugby-union-matches-between-Scotland-and-Wales.txt",
        "23322",
        &[(5, 7), (8, 3), (123, 7)],
        0,
        0,
    ),
    ("Ewelina-Setowska-Dryk.txt", "22", &[(16, 6)], 0, 0),
    ("AACTA-Award-for-Outstanding-Achievement-in-Short-Film-Screen-Craft.txt", "2222", &[(9, 4)], 1, 2),
    ("Alexander-Y-Type.txt", "222", &[(16, 4)], 1, 1),
    ("Neil-McLean-(saxophonist).txt", "22", &[], 0, 6),
    ("Gregory-Serper.txt", "222", &[], 0, 2),
    ("Routing-and-Remote-Access-Service.txt", "222222", &[], 0, 21),
    ("julia_kristeva.txt", "22332322223222", &[], 1, 44),
    ("University-of-Nevada,-Reno-Arboretum.txt", "222", &[], 0, 10),
    ("Goryeo-ware.txt", "22222", &[], 1, 10),
    ("Elizabeth-Gilbert.txt", "22334432233333322", &[], 1, 18),
    ("Damphu-drum.txt", "2222222", &[], 0, 4),
    ("The-Field-of-Waterloo.txt", "22", &[], 0, 4),
];

#[test]
fn pages_have_the_structure_of_their_wikitext() {
    if golden().is_none() {
        return;
    }
    for (name, headings, tables, boxes, items) in PAGES {
        let found = structure(&to_markdown(&Site::default(), "Title", &input(name)).markdown);
        let expected = Structure {
            headings: (*headings).to_owned(),
            tables: tables.to_vec(),
            boxes: *boxes,
            items: *items,
        };
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn pages_show_no_brackets_of_wikitext() {
    if golden().is_none() {
        return;
    }
    for (name, ..) in PAGES {
        let text = shared::seen(&to_markdown(&Site::default(), "Title", &input(name)).markdown);
        for bracket in ["[[", "]]", "{{", "}}", "{|", "|}", "'''", "<ref", "</", "&nbsp;", "__"] {
            assert!(!text.contains(bracket), "{name}: {bracket}");
        }
    }
}
