use mge_core::{Interval, RunErrorKind};

use super::*;
use crate::told::{Graph, Told};

const CONCEPTS: &[(&str, &str)] =
    &[("person", ""), ("organization", ""), ("place|town", ""), ("place|region", ""), ("vessel", "")];

const RELATIONS: &[(&str, &[(&str, &str)])] = &[
    ("directed_by", &[("src", "organization"), ("dst", "person"), ("functional", "x")]),
    ("directs", &[("src", "person"), ("dst", "organization"), ("inverse_of", "directed_by")]),
    ("located_in", &[("src", "place"), ("dst", "place"), ("transitive", "x")]),
    ("based_in", &[("src", "organization"), ("dst", "place"), ("functional", "x")]),
    ("works_for", &[("src", "person"), ("dst", "organization")]),
    ("works_for|leads", &[("src", "person"), ("dst", "organization")]),
    ("knows", &[("src", "person"), ("dst", "person"), ("symmetric", "x")]),
    ("built_in", &[("src", "vessel"), ("dst", "literal:date"), ("functional", "x")]),
];

const DOCUMENTS: &[Told] = &[
    (
        "a.md",
        "2019-05-01",
        &[
            (
                "The Harbour Trust is directed by Ida Holm.",
                &["organization|Harbour Trust > directed_by > person|Ida Holm"],
            ),
            ("Ida Holm has always known Jon Weir.", &["person|Ida Holm > knows > person|Jon Weir"]),
            (
                "The trust has its seat in Skarvik.",
                &["organization|Harbour Trust > based_in > place|town|Skarvik"],
            ),
            ("The Gull was built in 1961.", &["vessel|Gull > built_in > =1961 ; past"]),
        ],
    ),
    (
        "b.md",
        "2023-02-01",
        &[
            (
                "The Harbour Trust is directed by Per Lund.",
                &["organization|Harbour Trust > directed_by > person|Per Lund"],
            ),
            (
                "Per Lund leads the Harbour Trust.",
                &["person|Per Lund > works_for|leads > organization|Harbour Trust"],
            ),
            (
                "Jon Weir works for the Harbour Trust.",
                &["person|Jon Weir > works_for > organization|Harbour Trust"],
            ),
            (
                "Ida Holm does not work for the Harbour Trust.",
                &["person|Ida Holm > works_for > organization|Harbour Trust ; not"],
            ),
        ],
    ),
    (
        "c.md",
        "2023-06-01",
        &[
            (
                "Ida Holm works for the Harbour Trust.",
                &["person|Ida Holm > works_for > organization|Harbour Trust"],
            ),
            (
                "The Harbour Trust is directed by Per Lund.",
                &["organization|Harbour Trust > directed_by > person|Per Lund"],
            ),
            (
                "A society of the county of Marr: the Harbour Trust.",
                &["organization|Harbour Trust > based_in > place|region|Marr"],
            ),
            ("Skarvik lies in Marr.", &["place|town|Skarvik > located_in > place|region|Marr"]),
            ("Marr lies in Norrland.", &["place|region|Marr > located_in > place|region|Norrland"]),
            ("The Gull, built in 1963, sank.", &["vessel|Gull > built_in > =1963 ; past"]),
        ],
    ),
];

fn harbour() -> Graph {
    Graph::of(CONCEPTS, RELATIONS, &[("place|town|Skarvik", "located_in", "place|region|Marr")], DOCUMENTS)
}

fn filter(reader: &Reader<'_>, subject: Option<&str>, relation: &str, object: Option<&str>) -> ClaimFilter {
    let row = |name: Option<&str>| name.map(|name| reader.resolve_entity(name).unwrap().row);
    ClaimFilter {
        subject: row(subject),
        object: row(object),
        relation: Some(relation.to_owned()),
        limit: 50,
        ..ClaimFilter::default()
    }
}

fn objects(list: &ClaimList) -> Vec<&str> {
    list.claims.iter().map(|claim| claim.object.as_str()).collect()
}

#[test]
fn claims_are_found_by_either_end_and_any_relation() {
    let graph = harbour();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let claims =
        |subject, relation, object| reader.claims(&filter(&reader, subject, relation, object)).unwrap();
    // The inverse is the same claim, asked from the other side.
    assert_eq!(objects(&claims(Some("Per Lund"), "directs", None)), ["person|Per Lund"]);
    assert_eq!(
        claims(None, "directed_by", Some("Per Lund")).claims,
        claims(Some("Per Lund"), "directs", None).claims
    );
    // Symmetric claims are found from both sides.
    assert_eq!(
        claims(Some("Jon Weir"), "knows", None).claims,
        claims(Some("Ida Holm"), "knows", None).claims
    );
    // A more special relation implies the general one, and says so.
    let works = claims(None, "works_for", Some("Harbour Trust"));
    let inferred: Vec<(&str, bool)> =
        works.claims.iter().map(|claim| (claim.subject.as_str(), claim.inferred)).collect();
    assert!(inferred.contains(&("person|Per Lund", true)), "{inferred:?}");
    assert!(inferred.contains(&("person|Jon Weir", false)), "{inferred:?}");
    assert!(works.claims.iter().filter(|claim| claim.inferred).all(|claim| claim.chain.len() == 1));
    // A transitive one is followed, with its chain and a citation for each step.
    let above = claims(Some("Skarvik"), "located_in", None);
    assert_eq!(objects(&above), ["place|region|Marr", "place|region|Norrland"]);
    let far = &above.claims[1];
    assert!(far.inferred && far.chain.len() == 2 && far.citations.len() == 2);
    assert!(far.belief < above.claims[0].belief);
    assert_eq!(far.id, far.chain.join("+"));
    assert_eq!(claims(None, "located_in", Some("Norrland")).claims.len(), 2);
}

#[test]
fn time_chooses_the_figures() {
    let graph = harbour();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let at = |when: &str| {
        let mut filter = filter(&reader, Some("Harbour Trust"), "directed_by", None);
        filter.when = Some(Interval::parse(when).unwrap());
        let list = reader.claims(&filter).unwrap();
        objects(&list).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(at("2015"), ["person|Ida Holm"]);
    assert_eq!(at("2024"), ["person|Per Lund"]);
    // Nobody says when it changed.
    assert_eq!(at("2021-01-01").len(), 2);
}

#[test]
fn known_at_forgets_what_came_later() {
    let graph = harbour();
    let before = graph.snapshot(Some(0));
    let reader = graph.reader(&before);
    let all = reader.claims(&ClaimFilter { limit: 50, ..ClaimFilter::default() }).unwrap();
    assert!(all.claims.is_empty());
    let now = graph.snapshot(Some(i64::MAX / 2));
    let then = graph.reader(&now).claims(&ClaimFilter { limit: 50, ..ClaimFilter::default() }).unwrap();
    let present = graph.snapshot(None);
    let stored = graph.reader(&present).claims(&ClaimFilter { limit: 50, ..ClaimFilter::default() }).unwrap();
    // What is weighed anew is what was stored.
    assert_eq!(then, stored);
    assert!(!stored.claims.is_empty() && !stored.truncated);
}

#[test]
fn lists_are_cut_and_go_on() {
    let graph = harbour();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let whole = reader.claims(&ClaimFilter { limit: 50, ..ClaimFilter::default() }).unwrap();
    let mut pages = Vec::new();
    let mut after = None;
    loop {
        let page =
            reader.claims(&ClaimFilter { limit: 4, after: after.clone(), ..ClaimFilter::default() }).unwrap();
        assert!(page.claims.len() <= 4 && page.truncated == page.next.is_some());
        pages.extend(page.claims);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(pages, whole.claims);
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = reader.find_entities(None, Some("person"), after.as_deref(), 2).unwrap();
        found.extend(page.entities);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let names: Vec<&str> = found.iter().map(|entity| entity.name.as_str()).collect();
    assert_eq!(names, ["Ida Holm", "Jon Weir", "Per Lund"]);
}

#[test]
fn entities_are_found_by_what_people_type() {
    let graph = harbour();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let find = |name: &str| {
        let list = reader.find_entities(Some(name), None, None, 5).unwrap();
        (list.entities.into_iter().map(|entity| entity.name).collect::<Vec<_>>(), list.near)
    };
    assert_eq!(find("harbour trust"), (vec!["Harbour Trust".to_owned()], false));
    assert_eq!(find("Harb"), (vec!["Harbour Trust".to_owned()], false));
    assert_eq!(find("Lund"), (vec!["Per Lund".to_owned()], false));
    assert_eq!(find("Skarvig"), (vec!["Skarvik".to_owned()], true));
    assert_eq!(find("person|Jon Weir"), (vec!["Jon Weir".to_owned()], false));
    assert!(find("*\" OR 1").0.is_empty());
    let missing = reader.resolve_entity("Skarvig").unwrap_err();
    assert_eq!(missing.kind, RunErrorKind::FailedToFindCapability);
    assert!(missing.hint.unwrap().contains("place|town|Skarvik"));
    let detail = reader.entity_detail(&reader.resolve_entity("Per Lund").unwrap()).unwrap();
    assert_eq!(detail.as_object.get("directed_by"), Some(&1));
    assert!(detail.belief > 0.7 && !detail.mentions.is_empty());
    let beside =
        reader.neighbors(&reader.resolve_entity("Harbour Trust").unwrap(), None, None, 0.0, 50).unwrap();
    assert!(
        beside.neighbors.iter().any(|other| other.entity == "person|Jon Weir" && other.direction == "in")
    );
    assert!(
        !reader
            .neighbors(&reader.resolve_entity("Harbour Trust").unwrap(), None, None, 0.0, 1)
            .unwrap()
            .neighbors
            .is_empty()
    );
}

#[test]
fn an_explanation_adds_up_to_the_claim() {
    let graph = harbour();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let all = reader.claims(&ClaimFilter { limit: 50, ..ClaimFilter::default() }).unwrap();
    for claim in all.claims {
        let row = reader.resolve_claim(&claim.id).unwrap();
        let explained = reader.explain(&row).unwrap();
        let weighed = reader.weighed(&row).unwrap();
        assert_eq!(explained.explanation.children.len(), weighed.periods.len());
        for (node, period) in explained.explanation.children.iter().zip(&weighed.periods) {
            assert_eq!(node.value, Some(crate::weigh::six_decimals(period.belief)));
            let of = |factor: &str| {
                node.children.iter().find(|child| child.factor == factor).and_then(|child| child.value)
            };
            assert_eq!(of("support"), Some(crate::weigh::six_decimals(period.support)));
            assert_eq!(of("uncertainty"), Some(crate::weigh::six_decimals(period.uncertainty)));
        }
        let evidence = reader.evidence(&row, 50).unwrap();
        assert!(
            !evidence.evidence.is_empty()
                && evidence.evidence.iter().all(|piece| (0.0..=0.99).contains(&piece.weight))
        );
    }
    assert!(reader.resolve_claim("").is_err());
    assert!(reader.resolve_claim("zzzz").is_err());
}

#[test]
fn paths_are_the_most_believed_first() {
    let graph = harbour();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let entity = |name| reader.resolve_entity(name).unwrap();
    let found = reader.paths(&entity("Jon Weir"), &entity("Norrland"), 3, LONGEST, None, 0.0).unwrap();
    assert!(found.paths.len() >= 2 && !found.truncated);
    assert!(found.paths.windows(2).all(|pair| pair[0].belief >= pair[1].belief));
    for path in &found.paths {
        assert_eq!(path.entities.len(), path.claims.len() + 1);
        let product: f64 = path.claims.iter().map(|claim| claim.belief).product();
        assert!((product - path.belief).abs() < 1e-5);
        let mut once = path.entities.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), path.entities.len(), "no entity twice");
    }
    assert!(reader.paths(&entity("Gull"), &entity("Norrland"), 3, 4, None, 0.0).unwrap().paths.is_empty());
}

#[test]
fn contradictions_name_both_sides() {
    let graph = harbour();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let found = reader.contradictions(None, None, None, 50).unwrap().contradictions;
    let kinds: Vec<(&str, usize)> =
        found.iter().map(|contradiction| (contradiction.kind.as_str(), contradiction.claims.len())).collect();
    // When the Gull was built, and whether Holm works there. Who directed the trust between 2019 and 2023 is open,
    // not contradicted: one followed the other.
    assert_eq!(kinds.iter().filter(|kind| **kind == ("rival_values", 2)).count(), 1, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| **kind == ("denied", 1)).count(), 1, "{kinds:?}");
    // That a place lies in a region is no contradiction to being in the region.
    assert!(found.iter().flat_map(|one| &one.claims).all(|claim| claim.relation != "based_in"));
    let about = reader.resolve_entity("Gull").unwrap();
    assert_eq!(reader.contradictions(Some(&about), None, None, 50).unwrap().contradictions.len(), 1);
    let now = Interval::parse("2025").unwrap();
    let about = reader.resolve_entity("Harbour Trust").unwrap();
    let still = reader.contradictions(Some(&about), Some(now), None, 50).unwrap().contradictions;
    assert!(still.iter().all(|one| one.kind == "denied"), "{still:?}");
}

#[test]
fn a_timeline_is_in_order() {
    let graph = harbour();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let trust = reader.resolve_entity("Harbour Trust").unwrap();
    let line = reader.timeline(&trust, None, 0.0, 50).unwrap();
    let directors: Vec<(&str, String)> = line
        .entries
        .iter()
        .filter(|entry| entry.claim.relation == "directed_by")
        .map(|entry| {
            (entry.claim.object.as_str(), entry.period.map(|period| period.to_string()).unwrap_or_default())
        })
        .collect();
    assert_eq!(directors[0].0, "person|Ida Holm");
    assert!(directors[0].1.starts_with("2019-05-01"), "{directors:?}");
    let gull = reader.resolve_entity("Gull").unwrap();
    let built: Vec<String> = reader
        .timeline(&gull, None, 0.0, 50)
        .unwrap()
        .entries
        .iter()
        .filter_map(|entry| entry.period.map(|period| period.to_string()))
        .collect();
    assert_eq!(built, ["1961-01-01..1962-01-01", "1963-01-01..1964-01-01"]);
}

#[test]
fn any_text_is_a_search_and_numbers_agree() {
    let graph = harbour();
    let snapshot = graph.snapshot(None);
    let reader = graph.reader(&snapshot);
    let found = reader.search("Who DIRECTS the harbour's trust?", 2).unwrap();
    assert_eq!(found.results.len(), 2);
    assert!(found.truncated && found.results[0].text.contains("directed"));
    for query in [
        "",
        "?",
        "'",
        "\"",
        "+",
        "*",
        "a AND",
        "NEAR(",
        "col:",
        "北京",
        "🚢",
        "-",
        "^x",
        &"y".repeat(1_000_000),
    ] {
        assert!(reader.search(query, 5).is_ok(), "{query:.20}");
    }
    let statistics = reader.statistics().unwrap();
    assert_eq!(statistics.relations.get("directed_by"), Some(&2));
    assert_eq!(statistics.concepts.get("person"), Some(&3));
    assert!((statistics.read_percent - 100.0).abs() < f64::EPSILON);
    let changes = reader.changes(i64::MIN, 0, 5).unwrap();
    assert!(
        changes.truncated
            && changes
                .changes
                .iter()
                .all(|change| change.kind == "evidence_new" && change.citation.is_some())
    );
    assert!(reader.changes(i64::MAX, 0, 5).unwrap().changes.is_empty());
}
