use mge_core::{FunctionCall, Interval};
use serde_json::json;

use super::ask;
use crate::agentic_read::{self, Readable};
use crate::read::Answer;
use crate::told::{Graph, Told};

const CONCEPTS: &[(&str, &str)] = &[
    ("person", "people;man;woman;director"),
    ("person|botanist", ""),
    ("organization", "company;club"),
    ("organization|school", "college"),
    ("building", "hall"),
    ("project", "study"),
    ("vessel|ferry", "boat"),
    ("vessel|tug", ""),
    ("place|town", "city"),
    ("place|region", "county"),
];

const RELATIONS: &[(&str, &[(&str, &str)])] = &[
    (
        "directed_by",
        &[
            ("src", "organization"),
            ("dst", "person"),
            ("cues", "directed by;headed by;director;under"),
            ("functional", "x"),
        ],
    ),
    (
        "directs",
        &[
            ("src", "person"),
            ("dst", "organization"),
            ("cues", "directs;head of;director of"),
            ("inverse_of", "directed_by"),
        ],
    ),
    ("founded", &[("src", "person"), ("dst", "organization"), ("cues", "founded;founder of;<founded by")]),
    (
        "founded_in",
        &[
            ("src", "organization"),
            ("dst", "literal:date"),
            ("cues", "founded in;established in"),
            ("functional", "x"),
        ],
    ),
    (
        "located_in",
        &[("src", "place"), ("dst", "place"), ("cues", "located in;lies in"), ("transitive", "x")],
    ),
    ("based_in", &[("src", "organization"), ("dst", "place"), ("cues", "based in;has its seat in")]),
    ("stands_in", &[("src", "building"), ("dst", "place"), ("cues", "located in;stands in")]),
    ("works_on", &[("src", "person"), ("dst", "project"), ("cues", "works on;takes part in;<team")]),
    ("works_on|leads", &[("src", "person"), ("dst", "project"), ("cues", "leads;leader of;<led by")]),
    (
        "works_at",
        &[("src", "person"), ("dst", "organization"), ("cues", "works at;works for;joined;<employs")],
    ),
    ("member_of", &[("src", "person"), ("dst", "organization"), ("cues", "member of;belongs to")]),
    ("has_seats", &[("src", "building"), ("dst", "literal:number"), ("cues", "seats;has room for")]),
    ("has_budget", &[("src", "project"), ("dst", "literal:quantity"), ("cues", "budget of;costs")]),
    (
        "owned_by",
        &[
            ("src", "vessel"),
            ("dst", "organization"),
            ("cues", "owned by;owner;<owns;<bought"),
            ("functional", "x"),
        ],
    ),
    ("born_in", &[("src", "person"), ("dst", "place"), ("cues", "born in;native of"), ("functional", "x")]),
    ("serves", &[("src", "vessel"), ("dst", "place"), ("cues", "serves;calls at")]),
    (
        "married_to",
        &[
            ("src", "person"),
            ("dst", "person"),
            ("cues", "married to;wife of;husband of"),
            ("symmetric", "x"),
        ],
    ),
    ("teaches", &[("src", "person"), ("dst", "person"), ("cues", "teaches;teacher of;<taught by")]),
];

const SCHOOL: &str = "organization|school|Linden School";

const DOCUMENTS: &[Told] = &[
    (
        "history.md",
        "",
        &[
            (
                "Linden School was founded in 1904 by Ada Vance and has its seat in Orlen.",
                &[
                    "organization|school|Linden School > founded_in > =1904 ; past",
                    "person|Ada Vance > founded > organization|school|Linden School ; past",
                    "organization|school|Linden School > based_in > place|town|Orlen",
                ],
            ),
            (
                "From 2010 to 2016 Linden School was directed by Hugo Brandt.",
                &["organization|school|Linden School > directed_by > person|Hugo Brandt ; 2010..2017 ; past"],
            ),
            (
                "Elena Ruiz has been director of Linden School since 2017.",
                &["organization|school|Linden School > directed_by > person|Elena Ruiz ; 2017.."],
            ),
            (
                "Hugo Brandt no longer works for Linden School.",
                &["person|Hugo Brandt > works_at > organization|school|Linden School ; not"],
            ),
            (
                "Orlen lies in Westmark, and Westmark lies in Norrland.",
                &[
                    "place|town|Orlen > located_in > place|region|Westmark",
                    "place|region|Westmark > located_in > place|region|Norrland",
                ],
            ),
        ],
    ),
    (
        "projects.md",
        "2023-02-01",
        &[
            (
                "Mira Castell, a botanist, leads the Heath Study, which costs 12000 euros.",
                &[
                    "person|botanist|Mira Castell > works_on|leads > project|Heath Study",
                    "project|Heath Study > has_budget > =12000 euros",
                ],
            ),
            (
                "Noah Kim and Owen Tarr work on the Heath Study and on Tidewatch.",
                &[
                    "person|Noah Kim > works_on > project|Heath Study",
                    "person|Owen Tarr > works_on > project|Heath Study",
                    "person|Noah Kim > works_on > project|Tidewatch",
                ],
            ),
            (
                "Priya Nair led Tidewatch from 2012 to 2014.",
                &["person|Priya Nair > works_on|leads > project|Tidewatch ; 2012..2015 ; past"],
            ),
            (
                "Noah Kim is a member of the Rowing Club, and Owen Tarr is not a member of the Rowing Club.",
                &[
                    "person|Noah Kim > member_of > organization|Rowing Club",
                    "person|Owen Tarr > member_of > organization|Rowing Club ; not",
                ],
            ),
            (
                "Mira Castell was born in Orlen.",
                &["person|botanist|Mira Castell > born_in > place|town|Orlen ; past"],
            ),
            ("Ana Kim was born in Tolm.", &["person|Ana Kim > born_in > place|town|Tolm ; past"]),
            (
                "Clara Moss worked for the Rowing Club.",
                &["person|Clara Moss > works_at > organization|Rowing Club ; past"],
            ),
            ("Hugo Brandt taught Noah Kim.", &["person|Hugo Brandt > teaches > person|Noah Kim ; past"]),
            ("Elena Ruiz is married to Owen Tarr.", &["person|Elena Ruiz > married_to > person|Owen Tarr"]),
        ],
    ),
    (
        "fleet.md",
        "2023-01-16",
        &[
            (
                "The ferry Petrel is owned by Orlen Lines and calls at Tolm.",
                &[
                    "vessel|ferry|Petrel > owned_by > organization|Orlen Lines",
                    "vessel|ferry|Petrel > serves > place|town|Tolm",
                ],
            ),
            (
                "The Vance Hall seats 240 people and stands in Orlen.",
                &[
                    "building|Vance Hall > has_seats > =240",
                    "building|Vance Hall > stands_in > place|town|Orlen",
                ],
            ),
            (
                "The tug Kittiwake is owned by Orlen Lines.",
                &["vessel|tug|Kittiwake > owned_by > organization|Orlen Lines"],
            ),
            ("東京丸は北京社が所有している。", &["vessel|ferry|東京丸 > owned_by > organization|北京社"]),
        ],
    ),
    (
        "news.md",
        "2023-04-02",
        &[
            (
                "From 2009 to 2017 the Petrel belonged to Tolm Shipping.",
                &["vessel|ferry|Petrel > owned_by > organization|Tolm Shipping ; 2009..2018 ; past"],
            ),
            (
                "Orlen Lines bought the Petrel in 2018.",
                &["vessel|ferry|Petrel > owned_by > organization|Orlen Lines ; 2018.. ; past"],
            ),
            (
                "The Kittiwake, owned by Tolm Shipping, lies idle.",
                &["vessel|tug|Kittiwake > owned_by > organization|Tolm Shipping"],
            ),
            (
                "Noah Kim joined Orlen Lines in 2021.",
                &["person|Noah Kim > works_at > organization|Orlen Lines ; 2021.. ; past"],
            ),
        ],
    ),
    (
        "letter.md",
        "2023-05-01",
        &[(
            "I can assure you that Orlen Lines owns the Kittiwake.",
            &["vessel|tug|Kittiwake > owned_by > organization|Orlen Lines"],
        )],
    ),
    (
        "faq.md",
        "",
        &[(
            "Who owns the Petrel? Orlen Lines does.",
            &["vessel|ferry|Petrel > owned_by > organization|Orlen Lines"],
        )],
    ),
];

fn school() -> Graph {
    let facts = &[(SCHOOL, "based_in", "place|town|Orlen")];
    Graph::of(CONCEPTS, RELATIONS, facts, DOCUMENTS)
}

fn answer(graph: &Graph, question: &str) -> Answer {
    let snapshot = graph.snapshot(None);
    ask(&graph.reader(&snapshot), question, None).unwrap()
}

/// Asks all questions; every wrong answer is listed.
fn all(graph: &Graph, bank: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (question, expected) in bank {
        let answer = answer(graph, question);
        let mut values = answer.values.clone();
        let mut expected: Vec<String> = expected.iter().map(|value| (*value).to_owned()).collect();
        values.sort();
        expected.sort();
        if !answer.known || values != expected {
            wrong.push(format!(
                "{question}\n  expected {expected:?}, got {values:?}: {}\n  {:?}",
                answer.answer, answer.understood
            ));
        }
        for claim in &answer.claims {
            assert!(!claim.citations.is_empty(), "{question}: {claim:?}");
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), bank.len(), wrong.join("\n"));
}

#[test]
fn questions_get_their_answers_however_they_are_put() {
    all(
        &school(),
        &[
            ("Who founded Linden School?", &["Ada Vance"]),
            ("By whom was Linden School founded?", &["Ada Vance"]),
            ("Who was the founder of Linden School?", &["Ada Vance"]),
            ("who founded linden school", &["Ada Vance"]),
            ("What did Ada Vance found?", &["Linden School"]),
            ("Which school was founded by Ada Vance?", &["Linden School"]),
            ("When was Linden School founded?", &["1904"]),
            ("In which year was Linden School established?", &["1904"]),
            ("What year was Linden School founded in?", &["1904"]),
            ("Where is Linden School based?", &["Orlen"]),
            ("Where is Linden School?", &["Orlen"]),
            ("In which town does Linden School have its seat?", &["Orlen"]),
            ("Where is Orlen located?", &["Westmark"]),
            ("Where is Orlen?", &["Westmark"]),
            ("What lies in Westmark?", &["Orlen"]),
            ("Where is the Vance Hall located?", &["Orlen"]),
            ("Which people work on the Heath Study?", &["Mira Castell", "Noah Kim", "Owen Tarr"]),
            ("Who works on the Heath Study?", &["Mira Castell", "Noah Kim", "Owen Tarr"]),
            ("Who takes part in the Heath Study?", &["Mira Castell", "Noah Kim", "Owen Tarr"]),
            ("Which botanist works on the Heath Study?", &["Mira Castell"]),
            ("Who leads the Heath Study?", &["Mira Castell"]),
            ("Who is the leader of the Heath Study?", &["Mira Castell"]),
            ("Who is the Heath Study led by?", &["Mira Castell"]),
            ("What does Mira Castell lead?", &["Heath Study"]),
            ("Which projects does Noah Kim work on?", &["Heath Study", "Tidewatch"]),
            ("Which project do Noah Kim and Owen Tarr both work on?", &["Heath Study"]),
            ("How many seats does the Vance Hall have?", &["240"]),
            ("How many people does Vance Hall seat?", &["240"]),
            ("What is the budget of the Heath Study?", &["12000 euros"]),
            ("How much does the Heath Study cost?", &["12000 euros"]),
            ("Is Noah Kim a member of the Rowing Club?", &["Yes"]),
            ("Is Owen Tarr a member of the Rowing Club?", &["No"]),
            ("Does Noah Kim belong to the Rowing Club?", &["Yes"]),
            ("Who belongs to the Rowing Club?", &["Noah Kim"]),
            ("Who is the director of Linden School?", &["Elena Ruiz"]),
            ("Who directs Linden School now?", &["Elena Ruiz"]),
            ("Which school does Elena Ruiz direct?", &["Linden School"]),
            ("Who was the director of Linden School in 2015?", &["Hugo Brandt"]),
            ("Who directed Linden School in 2012?", &["Hugo Brandt"]),
            ("Who headed Linden School in May 2020?", &["Elena Ruiz"]),
            ("Who directed Linden School?", &["Elena Ruiz", "Hugo Brandt"]),
            ("Was Hugo Brandt director of Linden School in 2011?", &["Yes"]),
            ("Does Elena Ruiz still direct Linden School?", &["Yes"]),
            ("Does Hugo Brandt still work for Linden School?", &["No"]),
            ("Who owns the Petrel?", &["Orlen Lines"]),
            ("Who is the owner of the ferry Petrel?", &["Orlen Lines"]),
            ("Which company owned the Petrel in 2012?", &["Tolm Shipping"]),
            ("Is the Petrel owned by Orlen Lines?", &["Yes"]),
            ("Who owns the Kittiwake?", &["Orlen Lines"]),
            ("Which ferries does Orlen Lines own?", &["Petrel"]),
            ("Which town does the Petrel serve?", &["Tolm"]),
            ("Where was Mira Castell born?", &["Orlen"]),
            ("Who was born in Tolm?", &["Ana Kim"]),
            ("When did Noah Kim join Orlen Lines?", &["since 2021"]),
            ("Since when does Noah Kim work for Orlen Lines?", &["since 2021"]),
            ("When did Priya Nair lead Tidewatch?", &["2012 to 2014"]),
            ("Whom did Hugo Brandt teach?", &["Noah Kim"]),
            ("Who taught Noah Kim?", &["Hugo Brandt"]),
            ("Who was Noah Kim taught by?", &["Hugo Brandt"]),
            ("Who is Elena Ruiz married to?", &["Owen Tarr"]),
            ("Who is the wife of Owen Tarr?", &["Elena Ruiz"]),
            ("Is Orlen located in Norrland?", &["Yes"]),
            ("Was Linden School founded in 1904?", &["Yes"]),
            ("Does the Vance Hall seat 240 people?", &["Yes"]),
            ("Is the Petrel a ferry?", &["Yes"]),
            ("Who owns 東京丸?", &["北京社"]),
            ("Who owns Petrel's?", &["Orlen Lines"]),
            ("director of linden school", &["Elena Ruiz"]),
            ("Ruiz directs which school?", &["Linden School"]),
            ("Who worked for the Rowing Club?", &["Clara Moss"]),
        ],
    );
}

#[test]
fn near_misses_are_refused_and_what_is_known_is_shown() {
    let graph = school();
    let mut wrong = Vec::new();
    for question in [
        // The right entity, a relation that is not stated of it.
        "Where was Noah Kim born?",
        "Who leads the Rowing Club?",
        "What is the budget of Linden School?",
        "When was Orlen Lines founded?",
        "How many seats does the Petrel have?",
        "Who founded Orlen Lines?",
        // The right relation, another entity.
        "Does Noah Kim work for Linden School?",
        "Is Mira Castell a member of the Rowing Club?",
        "Does Elena Ruiz lead the Heath Study?",
        "Which tug serves Tolm?",
        // A surname that two have.
        "Where was Kim born?",
        // The right fact in a wrong year.
        "Who directed Linden School in 1995?",
        "Who owned the Petrel in 2006?",
        "Did Priya Nair lead Tidewatch in 2019?",
        "Does Priya Nair lead Tidewatch?",
        "Was Linden School founded in 1905?",
        "Was Elena Ruiz director of Linden School in 2012?",
        "Does Clara Moss work for the Rowing Club?",
        "Was the Petrel owned by Orlen Lines in 2012?",
        // Names that nothing has.
        "Who leads the Seal Census?",
        "When was the ferry Fulmar built?",
        "Who owns the Petrel Express?",
        "Who directed Linden School of Music in 2015?",
        "Where was Thomas Castell born?",
        "Does Noah Kim work on the \"Old Mill\" project?",
        // Words that ask for something else.
        "Who is not the director of Linden School?",
        "Who doesn't own the Petrel?",
        "Which ferries are not owned by Orlen Lines?",
        "Does Elena Ruiz not direct Linden School?",
        // A time that is still to come.
        "Who will direct Linden School in 2140?",
        "Who owns the engine of the Petrel?",
        "What colour is the Petrel?",
        "Why was Linden School founded?",
        "Who was the first director of Linden School?",
        "Where was Mira Castell born in 1980?",
        "Who is the president of Norrland?",
        "Who is the director of Orlen?",
        "Which botanist is Orlen?",
        "Does the Vance Hall seat 500 people?",
    ] {
        let answer = answer(&graph, question);
        if answer.known {
            wrong.push(format!("{question}: {:?} {}", answer.values, answer.answer));
        }
        assert!(answer.answer.starts_with("not known: "), "{question}: {}", answer.answer);
        assert!(answer.support.abs() < f64::EPSILON && answer.values.is_empty());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let instead = answer(&graph, "Who directed Linden School in 1995?");
    let objects: Vec<&str> = instead.claims.iter().map(|claim| claim.object.as_str()).collect();
    assert!(objects.contains(&"person|Hugo Brandt") && objects.contains(&"person|Elena Ruiz"), "{objects:?}");
    let near = answer(&graph, "Who owns the Petrl?");
    assert_eq!(near.understood.unknown_names, ["Petrl"]);
    assert_eq!(near.understood.near_names, ["Petrel"]);
}

#[test]
fn disputed_values_are_both_shown() {
    let answer = answer(&school(), "Who owns the Kittiwake?");
    assert_eq!(answer.values, ["Orlen Lines"]);
    let objects: Vec<&str> = answer.claims.iter().map(|claim| claim.object.as_str()).collect();
    assert_eq!(objects, ["organization|Orlen Lines", "organization|Tolm Shipping"]);
    assert!(answer.claims[0].belief > answer.claims[1].belief && answer.claims[1].belief > 0.0);
    assert!(answer.answer.contains("disputed: Tolm Shipping"), "{}", answer.answer);
}

#[test]
fn an_answer_quotes_what_stands_in_the_text() {
    let graph = school();
    let answer = answer(&graph, "Who was the director of Linden School in 2015?");
    assert_eq!(
        answer.answer,
        "Hugo Brandt\n  “From 2010 to 2016 Linden School was directed by Hugo Brandt.” (docs|history.md|text_1)"
    );
    let citation = &answer.claims[0].citations[0];
    let text: Vec<&str> = DOCUMENTS[0].2.iter().map(|(sentence, _)| *sentence).collect();
    let document = text.join("\n\n");
    assert_eq!(&document[citation.start..citation.end], citation.quote);
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json.as_object().unwrap().keys().next().map(String::as_str), Some("version"));
    let back: Answer = serde_json::from_value(json).unwrap();
    assert_eq!(back, answer);
}

#[test]
fn as_of_moves_the_present() {
    let graph = school();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let values = |question: &str, when: &str| {
        ask(&reader, question, Some(Interval::parse(when).unwrap())).unwrap().values
    };
    assert_eq!(values("Who directs Linden School?", "2012-06-01"), ["Hugo Brandt"]);
    assert_eq!(values("Who directs Linden School?", "2020"), ["Elena Ruiz"]);
    assert!(values("Who owns the Petrel?", "2006").is_empty());
    assert_eq!(values("Who owns the Petrel?", "2010"), ["Tolm Shipping"]);
}

#[test]
fn what_was_not_read_is_offered() {
    let graph = Graph::partly(CONCEPTS, RELATIONS, &[], DOCUMENTS, Some(2));
    let answer = answer(&graph, "Who directed Linden School in 2012?");
    assert!(!answer.known);
    assert!(!answer.would_read.is_empty(), "{answer:?}");
}

#[test]
fn no_text_is_an_error() {
    let graph = school();
    let megabyte = "Who owns the Petrel ".repeat(50_000);
    let one_word = "x".repeat(1_000_000);
    let quotes = "\"".repeat(10_000);
    for question in [
        "?",
        "",
        "   ",
        "'",
        "\"",
        "+",
        "Who owns 'the' + \"Petrel\" AND (NOT *)?",
        "誰が所有していますか？",
        "🚢🚢🚢?",
        "a\u{0}b",
        "NEAR(",
        "-1",
        "Who owns the Petrel?\n\n\u{202e}",
        "%",
        "Is it?",
        "Who?",
        "in 99999999999999999999",
        "2015",
        megabyte.as_str(),
        one_word.as_str(),
        quotes.as_str(),
        "“„«「",
        "\u{300}\u{301}",
        "Who owns \u{fb01}\u{fb01}?",
    ] {
        let answer = answer(&graph, question);
        assert!(answer.claims.len() <= 30);
    }
    assert!(!answer(&graph, "🚢🚢🚢?").known);
}

#[test]
fn capabilities_answer_through_their_names() {
    let graph = school();
    let read_on = |_: &str, _: u64| Ok(());
    let readable = Readable {
        name: "g",
        folder: graph.folder.path(),
        law: &graph.law,
        floor: 0.35,
        now: graph.now,
        read_on: Some(&read_on),
    };
    let run = |name: &str, arguments: serde_json::Value| {
        agentic_read::run(&readable, &FunctionCall::new(name, arguments)).unwrap()
    };
    for (name, arguments) in [
        ("ask_g", json!({"question": "Who owns the Petrel?", "max_read": 3})),
        ("ask_g", json!({"question": "Who owns the Fulmar?", "max_read": 3})),
        ("find_entities_g", json!({"name": "Kim"})),
        ("find_entities_g", json!({"concept": "person", "limit": 2})),
        ("entity_g", json!({"entity": "Petrel"})),
        ("neighbors_g", json!({"entity": "Noah Kim"})),
        ("claims_g", json!({"subject": "Petrel", "as_of": "2012"})),
        ("claims_g", json!({"relation": "owned_by", "limit": 2})),
        ("paths_g", json!({"from": "Noah Kim", "to": "Petrel"})),
        ("contradictions_g", json!({})),
        ("timeline_g", json!({"entity": "Linden School"})),
        ("changes_g", json!({"since": "2020"})),
        ("stats_g", json!({})),
        ("search_g", json!({"query": "NOT \"Petrel* AND ("})),
    ] {
        for extra in ["", "2026-03-05"] {
            let mut arguments = arguments.clone();
            if !extra.is_empty() {
                arguments["known_at"] = json!(extra);
            }
            let response = run(name, arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(response.message["version"], 1, "{name}");
        }
    }
    assert!(run("ask_g", json!({})).is_err());
    assert!(run("ask_g", json!({"question": "x", "as_of": "soon"})).is_err());
    assert!(run("entity_g", json!({"entity": "Nobody"})).is_err());
    assert!(agentic_read::run(&readable, &FunctionCall::new("crawl_g", json!({}))).is_none());
    let names: Vec<String> =
        agentic_read::capabilities("g").into_iter().map(|capability| capability.name).collect();
    assert_eq!(names.len(), 13);
}
