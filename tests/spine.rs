//! From an empty folder to a cited answer.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::env::claims::document_of;
use crate::env::{Endpoint, Ran, TestEnv, number, read_json_lines, repository, system, text};

/// A question of the template, with what its answer must contain.
const QUESTION: (&str, &str) = ("Who directed the Merrow Marine Institute in 2015?", "Ruth Calloway");

/// Returns the sample questions of the template, those with an answer or those without.
pub(crate) fn questions(known: bool) -> Vec<Value> {
    let all = read_json_lines(&repository().join("tests/corpus/template/questions.jsonl"));
    let chosen: Vec<Value> = all.into_iter().filter(|question| question["known"] == known).collect();
    assert!(chosen.len() >= 10, "there are too few questions to tell anything");
    chosen
}

/// Walks the whole way in a folder, naming the endpoint as the words say; no word means from inside the folder.
fn walk(env: &TestEnv, parent: &str, word: Option<&Path>) {
    let parent = env.folder(parent);
    env.mge(["init", "acme"]).within(&parent).ok();
    let folder = parent.join("acme");
    let start = if word.is_some() { &parent } else { &folder };
    let mge = |command: &str, rest: &[&str]| env.mge([command]).args(word).args(rest).within(start).ok();

    mge("check", &[]);
    mge("pilot", &["ALL_READY"]);
    mge("crawl", &["--all"]);
    let status = mge("status", &["--json"]).json();
    assert_eq!((&status["version"], &status["id"]), (&1.into(), &"endpoint_acme".into()));
    assert_eq!(status["state"]["code"], 100, "{status}");
    assert_eq!(status["state"]["name"], "ALL_READY");
    assert_eq!(status["lock"]["state"], "free");
    let source = &status["sections"]["sources"]["documents"]["counts"];
    assert_eq!(number(source, "documents"), 16);
    assert_eq!(number(source, "chunks"), number(source, "chunks_read"), "{status}");
    assert!(number(source, "chunks") > 16 && number(source, "chunks_failed") == 0, "{status}");
    let graph = &status["sections"]["evidence_graphs"]["e_graph"]["counts"];
    for count in ["entities", "claims", "evidence", "conflicts"] {
        assert!(number(graph, count) > 0, "{count} in {status}");
    }
    assert!(number(graph, "evidence") > number(graph, "claims"), "statements are repeated: {status}");

    let (question, answer) = QUESTION;
    let said = mge("ask", &[question]);
    assert!(said.stdout.contains(answer), "{said}");
    assert!(said.stdout.contains("institute/history.md:"), "a citation that an editor can open, in\n{said}");
}

#[test]
fn it_works_from_inside_the_folder() {
    walk(&TestEnv::new(), "", None);
}

#[test]
fn it_works_with_a_relative_path() {
    walk(&TestEnv::new(), "here", Some(Path::new("./acme")));
}

#[test]
fn it_works_with_an_absolute_path_and_under_spaces_and_letters_of_any_script() {
    let env = TestEnv::new();
    let parent = "Ærø & die Grüße/日本 語 'quoted' 100%";
    let folder = env.path(parent).join("acme");
    walk(&env, parent, Some(&folder));
}

#[test]
fn it_works_from_a_folder_below_the_endpoint_and_through_the_variable() {
    let env = TestEnv::new();
    let town = env.town();
    let (question, answer) = QUESTION;
    let below = env.mge(["ask", question]).within(town.path("documents/ferry")).ok();
    assert!(below.stdout.contains(answer), "{below}");
    let variable = env.mge(["ask", question]).env("MGE_ENDPOINT", town.folder()).ok();
    assert!(variable.stdout.contains(answer), "{variable}");
    let option = env.mge(["ask", question, "--endpoint"]).arg(town.folder()).ok();
    assert!(option.stdout.contains(answer), "{option}");
}

#[test]
fn the_demo_shows_each_step_and_a_cited_answer_without_network() {
    let env = TestEnv::new();
    let ran = env.mge(["demo"]).through(system::without_network()).ok();
    let all = ran.everything();
    for step in ["init", "pilot", "crawl", "ask"] {
        assert!(all.contains(step), "the step {step} in\n{ran}");
    }
    assert!(all.contains(".md:"), "a citation in\n{ran}");
    let left = fs::read_dir(env.path("")).unwrap().count();
    assert_eq!(left, 0, "the demo left something in the working folder");
}

#[test]
fn every_sample_question_gets_its_answer_with_citations_that_say_so() {
    let env = TestEnv::new();
    let town = env.town();
    let failed: Vec<String> =
        questions(true).iter().filter_map(|question| check_answer(&town, question).err()).collect();
    assert!(failed.is_empty(), "{} questions failed:\n{}", failed.len(), failed.join("\n\n"));
}

#[test]
fn every_near_miss_is_refused() {
    let env = TestEnv::new();
    let town = env.town();
    let failed: Vec<String> =
        questions(false).iter().filter_map(|question| check_refusal(&town, question).err()).collect();
    assert!(failed.is_empty(), "{} questions were answered:\n{}", failed.len(), failed.join("\n\n"));
}

/// Asks a question that the documents answer.
pub(crate) fn check_answer(town: &Endpoint<'_>, question: &Value) -> Result<(), String> {
    let ran = town.ask(text(question, "question"));
    let complain = |what: &str| Err(format!("{}: {what}\n{ran}", text(question, "question")));
    if ran.code() != Some(0) {
        return complain("it must end with 0");
    }
    let answer = ran.json();
    if answer["version"] != 1 || answer["known"] != true || answer["question"] != question["question"] {
        return complain("it is not said to be known");
    }
    for part in question["answer_contains"].as_array().unwrap() {
        if !text(&answer, "answer").contains(part.as_str().unwrap()) {
            return complain(&format!("the answer lacks {part}"));
        }
    }
    let claims = answer["claims"].as_array().unwrap();
    if claims.is_empty() {
        return complain("there is no claim");
    }
    for claim in claims {
        let sum: f64 =
            ["belief", "disbelief", "uncertainty"].iter().map(|key| claim[key].as_f64().unwrap()).sum();
        if (sum - 1.0).abs() > 1e-4 {
            return complain(&format!("belief, disbelief and uncertainty come to {sum}"));
        }
    }
    check_citations(town, &answer, &ran).or_else(|what| complain(&what))
}

/// Asks a question that the documents do not answer.
pub(crate) fn check_refusal(town: &Endpoint<'_>, question: &Value) -> Result<(), String> {
    let ran = town.ask(text(question, "question"));
    if ran.code() == Some(7) && ran.json()["known"] == false {
        return Ok(());
    }
    Err(format!("{} ({})\n{ran}", text(question, "question"), text(question, "why")))
}

/// Each claim has a citation, and each citation is found in its file where it says.
pub(crate) fn check_citations(town: &Endpoint<'_>, answer: &Value, ran: &Ran) -> Result<(), String> {
    for claim in answer["claims"].as_array().unwrap() {
        let citations = claim["citations"].as_array().unwrap();
        if citations.is_empty() {
            return Err(format!("a claim without a citation: {claim}\n{ran}"));
        }
        for citation in citations {
            let document = town.read(&document_of(text(citation, "index")));
            let at = |key: &str| usize::try_from(number(citation, key)).unwrap();
            let quote = text(citation, "quote");
            if quote.is_empty() || document.get(at("start")..at("end")) != Some(quote) {
                return Err(format!("not what stands there: {citation}"));
            }
        }
    }
    Ok(())
}
