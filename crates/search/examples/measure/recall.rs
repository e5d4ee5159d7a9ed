//! How many of the passages that support an answer are among the first.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;

use mge_search::{Change, DocumentText, Mode, PassageText, Query, SearchIndex, Settings};
use serde_json::Value;

use crate::Outcome;

struct Question {
    text: String,
    /// The titles of the passages that support the answer; with the text, where titles are not enough.
    gold: BTreeSet<String>,
}

pub(crate) fn measure(corpus: &str, questions: &str) -> Outcome<()> {
    let passages = passages(&read(corpus)?)?;
    let mut questions = questions_of(&read(questions)?)?;
    let folder = tempfile::tempdir()?;
    let (index, _) = SearchIndex::open(&folder.path().join("search.sqlite"), Settings::default())?;
    let changes = passages.iter().enumerate().map(|(number, (title, text))| {
        let passage = PassageText { title: title.clone(), text: text.clone(), ..PassageText::default() };
        Change::Put(DocumentText {
            key: format!("{number:06}"),
            digest: "1".to_owned(),
            passages: vec![passage],
        })
    });
    index.apply(changes.collect())?;
    println!("{} passages, {} questions", passages.len(), questions.len());
    println!("{:<20} {:>6} {:>6} {:>6} {:>11}", "mode", "R@2", "R@5", "R@10", "all-gold@5");
    for (name, mode) in [("lexical", Mode::Lexical), ("vector", Mode::Vector), ("hybrid", Mode::Hybrid)] {
        print(name, &index, mode, &questions)?;
    }
    for question in &mut questions {
        question.text = misspelled(&question.text);
    }
    for (name, mode) in [("lexical", Mode::Lexical), ("vector", Mode::Vector), ("hybrid", Mode::Hybrid)] {
        print(&format!("{name}, misspelled"), &index, mode, &questions)?;
    }
    Ok(())
}

fn print(name: &str, index: &SearchIndex, mode: Mode, questions: &[Question]) -> Outcome<()> {
    let (mut at, mut all) = ([0.0; 3], 0.0);
    for question in questions {
        let answer = index.search(&Query { mode, ..Query::new(question.text.as_str()) })?;
        let found = |first: usize| -> f64 {
            let hits: BTreeSet<&str> = answer
                .hits
                .iter()
                .take(first)
                .flat_map(|hit| [hit.title.as_str(), hit.text.as_str()])
                .filter(|name| question.gold.contains(*name))
                .collect();
            hits.len() as f64 / question.gold.len() as f64
        };
        for (sum, first) in at.iter_mut().zip([2, 5, 10]) {
            *sum += found(first);
        }
        all += f64::from(u8::from(found(5) == 1.0));
    }
    let percent = |sum: f64| 100.0 * sum / questions.len() as f64;
    let [two, five, ten] = at.map(percent);
    println!("{name:<20} {two:>6.1} {five:>6.1} {ten:>6.1} {:>11.1}", percent(all));
    Ok(())
}

/// Swaps the third and the fourth letter of every word of six letters or more.
fn misspelled(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let mut letters: Vec<char> = word.chars().collect();
        if letters.len() >= 6 {
            letters.swap(2, 3);
        }
        letters.into_iter().collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

fn read(path: &str) -> Outcome<Value> {
    Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Reads `{title: [sentence]}` or `[{title, text}]`.
fn passages(corpus: &Value) -> Outcome<Vec<(String, String)>> {
    match corpus {
        Value::Object(titles) => Ok(titles
            .iter()
            .map(|(title, sentences)| {
                let sentences = sentences.as_array().into_iter().flatten();
                (title.clone(), sentences.map(text).collect::<String>())
            })
            .collect()),
        Value::Array(passages) => {
            Ok(passages.iter().map(|passage| (text(&passage["title"]), text(&passage["text"]))).collect())
        }
        _ => Err("the corpus is neither an object nor a list".into()),
    }
}

/// Reads questions with `supporting_facts`, `ground_truth` or `paragraphs`.
fn questions_of(questions: &Value) -> Outcome<Vec<Question>> {
    let questions = questions.as_array().ok_or("the questions are no list")?;
    Ok(questions
        .iter()
        .map(|question| {
            let list = |key: &str| question[key].as_array().into_iter().flatten();
            let mut gold: BTreeSet<String> = list("supporting_facts").map(|fact| text(&fact[0])).collect();
            gold.extend(list("ground_truth").map(text));
            gold.extend(
                list("paragraphs")
                    .filter(|paragraph| paragraph["is_supporting"] == true)
                    .map(|paragraph| text(&paragraph["paragraph_text"])),
            );
            Question { text: text(&question["question"]), gold }
        })
        .filter(|question| !question.gold.is_empty())
        .collect())
}
