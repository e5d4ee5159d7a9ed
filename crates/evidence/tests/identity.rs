//! Which names are one entity.

mod common;

use common::{World, node};
use mge_core::testing::block_on;
use mge_core::{Access, Cancel, FunctionCall, GraphRow, Request};
use serde_json::json;

fn crawled(lines: &[&str]) -> World {
    let mut world = World::default();
    world.extra_args["writable"] = json!(true);
    world.files.write("a.md", &lines.join("\n"));
    world.crawl();
    world.assert_sound();
    world
}

fn ids(lines: &[&str]) -> Vec<String> {
    crawled(lines).ids().into_iter().collect()
}

#[test]
fn spellings_of_one_name_are_one_entity_of_the_deepest_concept() {
    assert_eq!(
        ids(&[
            "{person:Noah Kim}",
            "{person|student:NOAH KIM}",
            "{person|student:Noah-Kim}",
            "{person:Noah Kim}"
        ]),
        ["person|student|Noah Kim"]
    );
    assert_eq!(ids(&["{person:北京}", "{person:東京}"]), ["person|北京", "person|東京"]);
    assert_eq!(ids(&["{person:a|b}"]), ["person|a%7Cb"]);
    assert_eq!(
        ids(&["{person:Dr. Noah Kim}", "{person:Noah Kim}", "{person:Noah Kim}"]),
        ["person|Noah Kim"]
    );
}

#[test]
fn what_excludes_each_other_stays_apart() {
    let lines = ["{place|city:Hudson}", "{place|river:Hudson}", "{place:Hudson}", "{person:Hudson}"];
    assert_eq!(ids(&lines), ["person|Hudson", "place|city|Hudson", "place|river|Hudson"]);
}

#[test]
fn a_declared_alias_joins_only_when_it_is_unambiguous() {
    let one = ["{organization:World Health Organization=WHO}", "{organization:WHO}"];
    assert_eq!(ids(&one), ["organization|World Health Organization"]);
    let two = [one[0], one[1], "{organization:Wild Horse Owners=WHO}"];
    assert_eq!(
        ids(&two),
        ["organization|WHO", "organization|Wild Horse Owners", "organization|World Health Organization"]
    );
}

#[test]
fn a_legal_form_is_left_out_where_that_is_clear() {
    assert_eq!(
        ids(&["{organization:Acme Ltd}", "{organization:Acme Limited}", "{organization:Acme}"]).len(),
        1
    );
    assert_eq!(ids(&["{organization:Acme Ltd}", "{organization:Acme GmbH}", "{organization:Acme}"]).len(), 3);
}

#[test]
fn curated_names_and_ids_go_before_what_texts_say() {
    let world = World::default();
    world.known.set(vec![
        node("person|student|Noah Kim", &[("aliases", "Kimmy;The Kid")]),
        node("organization|company|Acme Works", &[("aliases", "Acme")]),
    ]);
    world
        .files
        .write("a.md", "{person:noah kim}\n{person:Kimmy}\n{organization:Acme}\n{organization:ACME}\n");
    world.crawl();
    world.assert_sound();
    assert_eq!(
        world.ids().into_iter().collect::<Vec<_>>(),
        ["organization|company|Acme Works", "person|student|Noah Kim"]
    );
    // Two curated ids of one name stay two.
    world.known.set(vec![node("person|student|Noah Kim", &[]), node("person|teacher|Noah Kim", &[])]);
    world.files.write("a.md", "{person|student:Noah Kim}\n{person|teacher:Noah Kim}\n{person:Noah Kim}\n");
    world.crawl();
    world.assert_sound();
    assert_eq!(
        world.ids().into_iter().collect::<Vec<_>>(),
        ["person|student|Noah Kim", "person|teacher|Noah Kim"]
    );
}

fn decide(world: &World, verb: &str, left: &str, right: &str) -> Result<(), String> {
    let arguments = json!({"left": left, "right": right, "who": "me", "why": "I know them"});
    let request = Request::Call(FunctionCall::new(format!("{verb}_g"), arguments));
    block_on(world.ready(Access::Write).run(&request)).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn a_curator_s_word_wins_and_survives() {
    let lines = [
        "{person:Noah Kim} works_on {project:Helios}",
        "{person:Ana Kim} works_on {project:Helios}",
        "{person:Ana Kim} knows {person:Eva Li}",
    ];
    let world = crawled(&lines);
    let before = world.export();
    decide(&world, "merge", "person|Noah Kim", "person|Ana Kim").unwrap();
    world.assert_sound();
    assert_eq!(world.ids().len(), 3);
    assert_eq!(world.claims().len(), 2);
    let merged = world.export();
    world.graph().rebuild(&Cancel::default()).unwrap();
    assert_eq!(world.export(), merged);
    // Former ids still lead somewhere.
    for id in ["person|Noah Kim", "person|Ana Kim"] {
        let request = Request::Call(FunctionCall::new("entity_g", json!({"entity": id})));
        block_on(world.ready(Access::Read).run(&request)).unwrap();
    }
    world.files.rename("a.md", "b.md");
    world.crawl();
    assert_eq!(world.ids().len(), 3);
    world.files.rename("b.md", "a.md");
    world.crawl();
    assert_eq!(world.export(), merged);
    decide(&world, "split", "person|Noah Kim", "person|Ana Kim").unwrap();
    world.assert_sound();
    let state = |export: &str| {
        export.lines().filter(|line| !line.contains("\"decision\"")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(state(&world.export()), state(&before));
    assert!(decide(&world, "merge", "person|Nobody", "person|Ana Kim").is_err());
    assert!(decide(&world, "merge", "person|Ana Kim", "person|Ana Kim").is_err());
}

#[test]
fn different_keeps_apart_what_would_be_one() {
    let world = crawled(&["{organization:World Health Organization=WHO}", "{organization:WHO}"]);
    assert_eq!(world.ids().len(), 1);
    decide(&world, "split", "organization|World Health Organization", "organization|WHO").unwrap();
    assert_eq!(world.ids().len(), 2);
    world.assert_sound();
    let other = crawled(&["{organization:WHO}", "{organization:World Health Organization}"]);
    decide(&other, "split", "organization|World Health Organization", "organization|WHO").unwrap();
    other.files.write("a.md", "{organization:World Health Organization=WHO}\n{organization:WHO}\n");
    other.crawl();
    other.assert_sound();
    assert_eq!(other.ids().len(), 2);
}

#[test]
fn what_is_found_goes_to_the_instances_and_comes_back_out() {
    let world =
        crawled(&["{person:Noah Kim} works_on {project:Helios}", "{organization:Acme} founded_in \"1999\""]);
    let rows = world.known.crawled.lock().unwrap().clone();
    let nodes = rows.iter().filter(|row| matches!(row, GraphRow::Node(_))).count();
    assert_eq!((nodes, rows.len()), (3, 4));
    let GraphRow::Edge(edge) = &rows[3] else { panic!("{rows:?}") };
    assert_eq!((edge.src.as_str(), edge.dst.as_str()), ("person|Noah Kim", "project|Helios"));
    assert_eq!(
        (edge.attributes["relation"].as_str(), edge.attributes["origin"].as_str()),
        ("works_on", "crawl")
    );
    world.files.remove("a.md");
    world.crawl();
    assert!(world.known.crawled.lock().unwrap().is_empty());
}
