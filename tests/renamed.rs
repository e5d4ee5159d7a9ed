//! The answers come from reading: they survive another cast in another decade.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::env::claims::{Comparison, expected_of, found};
use crate::env::{Endpoint, TestEnv, read_json_lines, repository};
use crate::spine::{check_answer, check_refusal, questions};

/// How many years everything happens earlier. Later would put what holds today into the future.
const EARLIER: i32 = 9;

/// Every name of the template with another one, longer names before what they contain.
///
/// Whole names only: "Keel House" is the museum's, but "Common Eelgrass" is a plant. What a name says of its kind stays:
/// without "Institute" no reader could tell what "the institute" refers to.
const NAMES: [(&str, &str); 86] = [
    // organizations, with their acronyms
    ("Merrow Marine Institute", "Belcairn Glacier Institute"),
    ("MMI", "BGI"),
    ("Town Council of Oskerby", "Town Council of Runswold"),
    ("Oskerby Town Council", "Runswold Town Council"),
    ("Oskerby Ferry Company", "Runswold Ferry Company"),
    ("OFC", "RFC"),
    ("Oskerby Courier", "Runswold Sentinel"),
    ("Keel House Museum", "Anvil Yard Museum"),
    ("Tellvik Shipping", "Dornholm Shipping"),
    ("Aldous Foundation", "Percival Foundation"),
    // places
    ("Hallin Sound", "Mortvane Sound"),
    ("Gannet Pier", "Plover Pier"),
    ("Oskerby", "Runswold"),
    ("Tellvik", "Dornholm"),
    ("Almey", "Skerra"),
    ("Veddin", "Ulsund"),
    ("Tarsay", "Nordra"),
    ("Brask", "Kellmark"),
    // vessels
    ("Sandpiper", "Thistledown"),
    ("Kittiwake", "Corncrake"),
    ("Petrel", "Whimbrel"),
    ("Halcyon", "Zephyrine"),
    // projects and events
    ("Eelgrass Atlas", "Lichen Atlas"),
    ("Tidewatch", "Icewatch"),
    ("Quay Voices", "Harbour Echoes"),
    ("Lantern Regatta", "Harvest Regatta"),
    ("Herring Fair", "Plum Fair"),
    // persons, and the surnames by which the documents go on
    ("Ruth Calloway", "Ingrid Valcourt"),
    ("Tomas Ferreira", "Bruno Mercier"),
    ("Nadia Ferreira", "Lucia Mercier"),
    ("Henrik Aldane", "Matthias Rowe"),
    ("Priya Nair", "Leila Haddad"),
    ("Owen Tarrant", "Simon Pollack"),
    ("Mira Castell", "Dora Whitlock"),
    ("Lukas Brandt", "Anders Kjellgren"),
    ("Walter Grieve", "Robert Sandoval"),
    ("Hanna Dahl", "Teresa Quimby"),
    ("Jonas Weir", "Patrick Oyelaran"),
    ("Per Stenberg", "Karl Magnusson"),
    ("Gerald Pym", "Edwin Thackeray"),
    ("Sofia Lindahl", "Miriam Oconnell"),
    ("Edda Marlow", "Gudrun Farrow"),
    ("Amara Diallo", "Yasmin Okafor"),
    ("Ivo Kessler", "Milan Drummond"),
    ("Beatrix Holm", "Cordelia Nygaard"),
    ("Maud Ellery", "Agnes Pemberton"),
    ("Clara Moss", "Julia Fenwick"),
    ("Calloway", "Valcourt"),
    ("Ferreira", "Mercier"),
    ("Aldane", "Rowe"),
    ("Nair", "Haddad"),
    ("Tarrant", "Pollack"),
    ("Castell", "Whitlock"),
    ("Brandt", "Kjellgren"),
    ("Grieve", "Sandoval"),
    ("Dahl", "Quimby"),
    ("Weir", "Oyelaran"),
    ("Stenberg", "Magnusson"),
    ("Pym", "Thackeray"),
    ("Lindahl", "Oconnell"),
    ("Marlow", "Farrow"),
    ("Diallo", "Okafor"),
    ("Kessler", "Drummond"),
    ("Holm", "Nygaard"),
    ("Ellery", "Pemberton"),
    ("Moss", "Fenwick"),
    // the names of the files
    ("obituary-henrik-aldane", "obituary-matthias-rowe"),
    ("interview-nadia-ferreira", "interview-lucia-mercier"),
    ("letter-gerald-pym", "letter-edwin-thackeray"),
    ("petrel-returns", "whimbrel-returns"),
    ("tidewatch-launch", "icewatch-launch"),
    ("keel-house", "anvil-yard"),
    ("quay-voices", "harbour-echoes"),
    ("eelgrass-atlas", "lichen-atlas"),
    ("lantern-regatta", "harvest-regatta"),
    // things that have a name and are nothing in this ontology
    ("Rope Door", "Slate Door"),
    ("Full Speed Ahead", "Mind The Step"),
    ("Spirit of Tomorrow", "Pride of Yesterday"),
    ("Golden Lantern", "Silver Sheaf"),
    ("Formula One", "Grand Prix"),
    ("Great Frost", "Long Drought"),
    ("First Friday", "Second Tuesday"),
    ("High Water", "Low Cloud"),
    ("Old Brass Band", "Young String Band"),
    ("Lost Property", "Found Objects"),
    ("Famous Name", "Noble Birth"),
];

/// Renames and shifts a text: names where a word begins and ends, and every year from 1900 to 2099.
fn rename(text: &str) -> String {
    let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if !is_word(renamed_from(text, rest)) {
            let whole = |name: &&(&str, &str)| {
                rest.starts_with(name.0) && !is_word(rest[name.0.len()..].chars().next())
            };
            if let Some((from, to)) = NAMES.iter().find(whole) {
                renamed.push_str(to);
                rest = &rest[from.len()..];
                continue;
            }
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let year =
                rest[..digits].parse::<i32>().ok().filter(|year| digits == 4 && (1900..2100).contains(year));
            if let Some(year) = year.filter(|_| !is_word(rest[4..].chars().next())) {
                renamed.push_str(&(year - EARLIER).to_string());
                rest = &rest[4..];
                continue;
            }
        }
        renamed.push(first);
        rest = &rest[first.len_utf8()..];
    }
    renamed
}

/// Returns the character of a text before the rest of it.
fn renamed_from(text: &str, rest: &str) -> Option<char> {
    text[..text.len() - rest.len()].chars().next_back()
}

fn rename_value(value: &Value) -> Value {
    serde_json::from_str(&rename(&value.to_string())).unwrap()
}

/// Makes the template's endpoint with everything renamed, and crawls it.
fn renamed_town(env: &TestEnv) -> Endpoint<'_> {
    let town = env.init("town", &[]);
    for folder in ["documents", "ontology_source"] {
        rename_files(&town.path(folder));
    }
    town.crawl();
    town
}

fn rename_files(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rename_files(&path);
            continue;
        }
        let text = rename(&fs::read_to_string(&path).unwrap());
        let name = rename(path.file_name().unwrap().to_str().unwrap());
        fs::remove_file(&path).unwrap();
        fs::write(path.with_file_name(name), text).unwrap();
    }
}

#[test]
fn no_name_and_no_year_of_the_template_is_left_by_the_renaming() {
    for (position, (from, to)) in NAMES.iter().enumerate() {
        let longer = NAMES[position + 1..].iter().find(|(later, _)| later.contains(from) && later != from);
        assert!(
            longer.is_none() || rename(longer.unwrap().0) == longer.unwrap().1,
            "{from} hides {longer:?}"
        );
        assert_eq!(rename(from), *to);
    }
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    let mut text = String::new();
    for folder in ["documents", "ontology_source"] {
        rename_files(&town.path(folder));
        for (path, bytes) in crate::env::all_files(&town.path(folder)) {
            text.push_str(&format!(
                "{}\n{}\n",
                path.file_name().unwrap().display(),
                String::from_utf8(bytes).unwrap()
            ));
        }
    }
    let left: Vec<&str> = NAMES
        .iter()
        .map(|(from, _)| *from)
        .filter(|name| text.contains(*name) && !rename(name).contains(name))
        .collect();
    assert!(left.is_empty(), "{left:?} is left");
    assert!(text.contains("From 1997 to 2004 he directed the Belcairn Glacier Institute."));
    let town_names = ["Calloway", "Ferreira", "Petrel", "Oskerby", "MMI", "2023"];
    assert!(town_names.iter().all(|name| !text.contains(name)));
}

#[test]
fn with_other_names_and_years_every_sample_question_still_gets_its_answer() {
    let env = TestEnv::new();
    let town = renamed_town(&env);
    let failed: Vec<String> = questions(true)
        .iter()
        .filter_map(|question| check_answer(&town, &rename_value(question)).err())
        .collect();
    assert!(failed.is_empty(), "{} questions failed:\n{}", failed.len(), failed.join("\n\n"));
}

#[test]
fn with_other_names_and_years_every_near_miss_is_still_refused() {
    let env = TestEnv::new();
    let town = renamed_town(&env);
    let failed: Vec<String> = questions(false)
        .iter()
        .filter_map(|question| check_refusal(&town, &rename_value(question)).err())
        .collect();
    assert!(failed.is_empty(), "{} questions were answered:\n{}", failed.len(), failed.join("\n\n"));
}

#[test]
fn with_other_names_and_years_the_same_claims_are_found() {
    let env = TestEnv::new();
    let town = renamed_town(&env);
    let expected = repository().join("tests/corpus/template/expected.jsonl");
    let lines: Vec<Value> = read_json_lines(&expected).iter().map(rename_value).collect();
    let comparison = Comparison::new(&expected_of(&lines), &found(&town.exported()));
    println!("renamed template: {comparison}");
    assert!(comparison.missing.is_empty() && comparison.false_ones.is_empty(), "{comparison}");
}
