//! Equal keys mean equal extractions, and no text does harm.

use std::sync::Arc;

use mge_core::{Digest, Extraction, Formalize};
use proptest::prelude::*;

use super::{document, rules};
use crate::rules::Rules;

fn yard() -> Rules {
    rules(
        "person / aliases=welder;foreman\nperson|engineer\nship / aliases=tanker;tug\nyard / aliases=shipyard\ntown",
        "built / src=yard / dst=ship / cues=built;<built by
         works_at / src=person / dst=yard / cues=works at;foreman of;joined
         located_in / src=yard / dst=town / cues=located in;lies in
         built_in / src=ship / dst=literal:date / cues=built in;launched in",
        "town|Esbo",
    )
}

fn sentence() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("The engineer Ada Brook works at Holm Shipyard.".to_owned()),
        Just("Brook joined the yard in 2011.".to_owned()),
        Just("She works at Holm Shipyard.".to_owned()),
        Just("Holm Shipyard lies in Esbo.".to_owned()),
        Just("The tug Otter was built by Holm Shipyard in 1982.".to_owned()),
        Just("The welder Ben Brook works at Dock Yard.".to_owned()),
        Just("It was launched in 1990.".to_owned()),
        Just("The yard built the Heron.".to_owned()),
        Just("Otter is a ship.".to_owned()),
        Just("Nothing happened.".to_owned()),
    ]
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::collection::vec(sentence(), 1..4).prop_map(|sentences| sentences.join(" ")),
        1 => Just("# Holm Shipyard".to_owned()),
        1 => Just("## Otter".to_owned()),
        1 => Just("The following people work at Holm Shipyard:\n- Ada Brook\n- Cy Dale, an engineer".to_owned()),
        1 => Just("| Ship | Built in |\n|---|---|\n| Otter | 1982 |".to_owned()),
    ]
}

fn read_all(rules: &Rules, text: &str) -> Vec<(Digest, Extraction)> {
    let document = Arc::new(document(text, Some("2020-01-01")));
    let mut reading = rules.begin(document.clone());
    let positions: Vec<usize> = (0..document.chunks.len()).collect();
    let results = reading.read(&positions);
    positions
        .iter()
        .zip(results)
        .map(|(position, result)| (reading.key(*position), result.expect("the rules fail on no text")))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn equal_keys_mean_equal_extractions(
        left in prop::collection::vec(line(), 1..6),
        right in prop::collection::vec(line(), 1..6),
    ) {
        let rules = yard();
        let left = read_all(&rules, &left.join("\n\n"));
        let right = read_all(&rules, &right.join("\n\n"));
        for (key, extraction) in &left {
            for (other_key, other) in &right {
                if key == other_key {
                    prop_assert_eq!(extraction, other);
                }
            }
        }
    }

    #[test]
    fn reading_again_finds_the_same(lines in prop::collection::vec(line(), 1..6)) {
        let text = lines.join("\n\n");
        prop_assert_eq!(read_all(&yard(), &text), read_all(&yard(), &text));
    }

    #[test]
    fn any_text_is_read_without_harm(text in "\\PC{0,300}") {
        check(&yard(), &text);
    }

    #[test]
    fn any_mixture_of_parts_is_read_without_harm(
        parts in prop::collection::vec(prop_oneof![
            sentence(),
            "[A-Z][a-z]{1,6}",
            "[()\\[\\]\"'’“”,.;:–!?&|#*-]{1,4}",
            Just(" of the ".to_owned()),
            Just(" was built by ".to_owned()),
            Just(" and ".to_owned()),
            Just("'s ".to_owned()),
            "[0-9]{1,5}",
            "\\PC{0,6}",
        ], 0..40),
        spaced in any::<bool>(),
    ) {
        check(&yard(), &parts.join(if spaced { " " } else { "" }));
    }
}

/// Every span lies on character borders, every confidence between the threshold and 1.
pub(crate) fn check(rules: &Rules, text: &str) {
    let extraction = rules.read_text(text);
    for mention in &extraction.mentions {
        assert!(mention.span.slice(text).is_some_and(|surface| !surface.is_empty()), "{text:?}");
        assert!((0.5..=1.0).contains(&mention.confidence));
        assert!(!mention.entity.name.is_empty() && !mention.entity.concept.is_empty());
    }
    let starts: Vec<usize> = extraction.mentions.iter().map(|mention| mention.span.start).collect();
    assert!(starts.is_sorted(), "{text:?}");
    for claim in &extraction.claims {
        for span in
            [Some(claim.quote), claim.cue, claim.subject_span, claim.object_span].into_iter().flatten()
        {
            assert!(span.slice(text).is_some(), "{text:?}");
        }
        assert!((0.5..=1.0).contains(&claim.confidence));
    }
}
