//! Sources of other formats, as people meet them: documents that are mirrored, and the pages of an export.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::env::claims::assert_same_export;
use crate::env::dice::Dice;
use crate::env::story::Story;
use crate::env::{Endpoint, TestEnv};

const SOURCE: &str = "\"type\": \"markdown_tree\"";
const FOLDER: &str = "\"dst_path\": \"documents\"";
const ENDINGS: &str = "\"extensions\": [\"md\"],";

/// Makes the template's source one of another type.
fn become_a(town: &Endpoint<'_>, kind: &str, original: &str) {
    let replaced = format!("\"type\": \"{kind}\", \"src_path\": \"{original}\"");
    town.replace("sources.jsonc", SOURCE, &replaced);
    town.replace("sources.jsonc", FOLDER, "\"dst_path\": \"converted\"");
    town.replace("sources.jsonc", ENDINGS, "");
}

/// Writes an export of pages that state facts, with a redirect to each tenth.
fn export(pages: usize) -> String {
    let mut xml = "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.11/\">".to_owned();
    let documents = Story::new(Dice::fixed(6), pages).documents(pages);
    for (number, (_, text)) in documents.iter().enumerate() {
        let prose: String =
            text.lines().filter(|line| !line.starts_with(['#', '-', '|'])).collect::<Vec<_>>().join("\n");
        let prose = prose.replace('&', "&amp;").replace('<', "&lt;");
        xml.push_str(&format!(
            "<page><title>Page {number}</title><ns>0</ns><id>{}</id><revision><text>{prose}</text></revision></page>
",
            2 * number + 1
        ));
        if number % 10 == 0 {
            xml.push_str(&format!(
                "<page><title>Alias {number}</title><ns>0</ns><id>{}</id><redirect title=\"Page {number}\"/>\
                 <revision><text>#REDIRECT [[Page {number}]]</text></revision></page>
",
                2 * number + 2
            ));
        }
    }
    xml.push_str("</mediawiki>");
    xml
}

#[test]
fn a_question_is_answered_from_a_document_of_any_format_with_its_place_in_the_mirror() {
    let env = TestEnv::new();
    let town = env.town_of("", &[]);
    become_a(&town, "pdf_mirror", "originals");
    fs::create_dir(town.path("originals")).unwrap();
    let page = "<html><head><title>Report</title></head><body><nav>Home</nav><h1>Report</h1>\
                <p>The ferry Petrel is owned by the Oskerby Ferry Company.</p></body></html>";
    fs::write(town.path("originals/report.html"), page).unwrap();
    fs::write(town.path("originals/broken.docx"), "no archive").unwrap();
    let crawled = town.mge("crawl", ["--all", "--json"]).exits(1);
    let report = crawled.last("finished");
    assert_eq!((&report["documents"], &report["documents_failed"]), (&json!(2), &json!(1)), "{report}");
    let asked = town.ask("Who owns the Petrel?");
    asked.assert_exit(0);
    let answer = asked.json();
    assert_eq!(answer["values"], json!(["Oskerby Ferry Company"]), "{answer}");
    let cited = &answer["claims"][0]["citations"][0];
    assert_eq!(cited["index"], "documents|report.html.md|paragraph_1");
    let mirror = fs::read_to_string(town.path("converted/report.html.md")).unwrap();
    let place = |key: &str| usize::try_from(cited[key].as_u64().unwrap()).unwrap();
    assert_eq!(&mirror[place("start")..place("end")], cited["quote"].as_str().unwrap());
    town.mge("ask", ["Who owns the Petrel?"]).ok().assert_answers(["converted/report.html.md:3"]);
    assert_eq!(town.status()["sections"]["sources"]["documents"]["counts"]["documents"], 2);
}

#[cfg(unix)]
#[test]
fn a_command_of_the_configuration_runs_only_when_the_person_allows_it() {
    let env = TestEnv::new();
    let town = env.town_of("", &[]);
    become_a(&town, "pdf_mirror", "originals");
    town.replace(
        "sources.jsonc",
        "\"src_path\"",
        "\"converter\": {\"command\": [\"cp\", \"{src}\", \"{dst}\"]}, \"src_path\"",
    );
    fs::create_dir(town.path("originals")).unwrap();
    fs::write(town.path("originals/a.txt"), "The ferry Petrel is owned by the Oskerby Ferry Company.\n")
        .unwrap();
    town.mge("crawl", ["--all"]).exits(3).assert_says(["cp {src} {dst}", "--run-commands"]);
    assert!(!town.path("converted").exists());
    town.mge("crawl", ["--all", "--run-commands"]).ok();
    // What is converted can be read by whoever does not run commands.
    assert_eq!(town.ask("Who owns the Petrel?").code(), Some(0));
}

#[test]
fn a_node_of_a_pdf_says_its_page() {
    let env = TestEnv::new();
    let town = env.town_of("", &[]);
    become_a(&town, "pdf_mirror", "originals");
    fs::create_dir(town.path("originals")).unwrap();
    let pdf = crate::env::repository().join("tests/pdf/latex-mill.pdf");
    fs::copy(pdf, town.path("originals/mill.pdf")).unwrap();
    let report = town.crawl();
    assert!(report["chunks_read"].as_u64().unwrap() > 3, "{report}");
    let index = "documents|mill.pdf.md|paragraph_1";
    town.mge("show", [index]).ok().assert_answers(["converted/mill.pdf.md:", "(page 1)"]);
    let node = town.mge("run", ["object_by_idx_documents", &format!("index={index}"), "--json"]).ok().json();
    assert_eq!(node["message"]["page"], "1", "{node}");
    let words = node["message"]["description"].as_str().unwrap().to_owned() + " mill";
    let found = town.mge("search", [&words, "--json"]).ok().json();
    assert!(found["results"].as_array().unwrap().iter().all(|result| result["page"].is_string()), "{found}");
    town.mge("search", [&words]).ok().assert_answers(["converted/mill.pdf.md:", "(page 1)"]);
}

#[test]
fn an_export_that_is_killed_while_it_is_converted_gives_the_same_graph() {
    let env = TestEnv::new();
    let xml = export(600);
    let of = |parent: &str| {
        let town = env.town_of(parent, &[]);
        become_a(&town, "xml_stream", "dump.xml");
        fs::write(town.path("dump.xml"), &xml).unwrap();
        town
    };
    let calm = of("calm");
    calm.crawl();
    let struck = of("struck");
    let mut dice = Dice::new("killed conversion", 20_261_201);
    for _ in 0..6 {
        let crawl = struck.mge("crawl", ["--all", "--json"]).start();
        // Anywhere from its start: the conversion of this export takes a tenth of a second or two.
        thread::sleep(Duration::from_secs_f64(0.4 * dice.fraction()));
        crawl.signal("KILL");
        crawl.end();
    }
    let report = struck.crawl();
    assert_eq!(report["documents"], 600, "{report}");
    assert_same_export(&calm.export(), &struck.export(), "undisturbed and killed");
    struck.assert_sound();
    let again = struck.crawl();
    for count in ["chunks_read", "claims_new", "evidence_new", "evidence_retracted"] {
        assert_eq!(again[count], 0, "{again}");
    }
}
