use mge_core::{Interval, Moment, Stance, Tense};
use proptest::prelude::*;

use super::*;

const NONE: &dyn Fn(usize, usize) -> bool = &|_, _| false;

fn date(text: &str) -> Interval {
    Interval::parse(text).expect("a date")
}

fn moment(text: &str) -> Moment {
    Moment::parse(text).expect("a date")
}

fn span(from: &str, to: &str) -> Interval {
    let end = |text: &str| (!text.is_empty()).then(|| moment(text));
    Interval::new(end(from), end(to)).expect("an interval")
}

/// An undated statement of weight `weight` in a document of its own.
fn says(document: u64, quote: &'static str, weight: f64) -> Piece<'static> {
    Piece {
        document,
        quote,
        document_date: None,
        authority: weight,
        confidence: 1.0,
        identity: 1.0,
        stance: Stance::For,
        valid: None,
        tense: Tense::Unknown,
    }
}

fn denies(document: u64, quote: &'static str, weight: f64) -> Piece<'static> {
    Piece { stance: Stance::Against, ..says(document, quote, weight) }
}

/// A present-tense statement in a dated document.
fn written(document: u64, quote: &'static str, weight: f64, when: &str) -> Piece<'static> {
    Piece { document_date: Some(date(when)), tense: Tense::Present, ..says(document, quote, weight) }
}

fn rival(pieces: &[Piece<'static>]) -> Rival<'static> {
    Rival { pieces: pieces.to_vec() }
}

fn weigh_one(pieces: &[Piece<'static>]) -> Weighed {
    weigh_group(WeighRule::Dempster, false, &[rival(pieces)], NONE).pop().expect("one value")
}

fn only(weighed: &Weighed) -> PeriodBelief {
    assert_eq!(weighed.periods.len(), 1, "{weighed:?}");
    weighed.periods[0]
}

fn figures(belief: &PeriodBelief) -> (f64, f64, f64) {
    (six_decimals(belief.belief), six_decimals(belief.disbelief), six_decimals(belief.uncertainty))
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

#[test]
fn a_weight_is_a_product_and_never_certain() {
    let piece = Piece { authority: 0.7, confidence: 0.9, identity: 0.5, ..says(1, "a b c", 1.0) };
    assert!(close(piece.weight(), 0.315));
    assert!(close(says(1, "a b c", 1.0).weight(), 0.99));
    assert!(close(says(1, "a b c", f64::NAN).weight(), 0.0));
    assert!(close(says(1, "a b c", -3.0).weight(), 0.0));
}

#[test]
fn independent_documents_add_up() {
    // S = 1 − (1 − 0.6)(1 − 0.5) = 0.8; nothing against it: belief 0.8, uncertainty 0.2.
    let weighed =
        weigh_one(&[says(1, "The bell hangs in the tower", 0.6), says(2, "A tower bell, still", 0.5)]);
    let all = only(&weighed);
    assert_eq!(figures(&all), (0.8, 0.0, 0.2));
    assert_eq!((all.interval, all.basis, all.assumed), (Interval::ALWAYS, Basis::Undated, false));
}

#[test]
fn a_document_counts_once_with_its_largest_weight() {
    let weighed = weigh_one(&[
        says(1, "The bell hangs in the tower", 0.6),
        says(1, "Nobody has moved it from there", 0.3),
        says(1, "It rings at noon", 0.5),
    ]);
    assert_eq!(figures(&only(&weighed)), (0.6, 0.0, 0.4));
}

#[test]
fn support_and_contradiction_combine_by_dempsters_rule() {
    // S = 0.8, C = 0.5, K = 0.4: belief 0.8·0.5/0.6 = 2/3, disbelief 0.5·0.2/0.6 = 1/6, uncertainty 0.2·0.5/0.6.
    let weighed = weigh_one(&[says(1, "It was so", 0.8), denies(2, "That is not true at all", 0.5)]);
    let all = only(&weighed);
    assert!(close(all.support, 0.8) && close(all.contradiction, 0.5) && close(all.conflict, 0.4));
    assert_eq!(figures(&all), (0.666_667, 0.166_667, 0.166_667));
}

#[test]
fn a_copy_adds_nothing_and_takes_nothing() {
    let sentence = "The trustees sold the old lighthouse to Ada Vance for the sum of one pound in May";
    let reprint = "The trustees sold the old lighthouse to Ada Vance for the sum of one pound in June";
    let other = "Ada Vance has owned the lighthouse ever since the spring of that year";
    // The two prints count as one, the stronger; the third document is independent: 1 − 0.4·0.5 = 0.8.
    let weighed = weigh_one(&[says(1, sentence, 0.6), says(2, reprint, 0.4), says(3, other, 0.5)]);
    assert_eq!(figures(&only(&weighed)), (0.8, 0.0, 0.2));
}

#[test]
fn values_of_a_functional_relation_exclude_each_other() {
    // Two values, S = 0.8 and S = 0.5, nothing against either: odds 4 and 1, Σ = 5.
    // belief 4/6 and 1/6, disbelief 1/6 and 4/6, uncertainty 1/6 for both.
    let rivals = [rival(&[says(1, "Vance owns it", 0.8)]), rival(&[says(2, "The trust owns it", 0.5)])];
    let weighed = weigh_group(WeighRule::Dempster, true, &rivals, NONE);
    assert_eq!(figures(&only(&weighed[0])), (0.666_667, 0.166_667, 0.166_667));
    assert_eq!(figures(&only(&weighed[1])), (0.166_667, 0.666_667, 0.166_667));
    // The same without exclusion.
    let apart = weigh_group(WeighRule::Dempster, false, &rivals, NONE);
    assert_eq!(figures(&only(&apart[0])), (0.8, 0.0, 0.2));
    assert_eq!(figures(&only(&apart[1])), (0.5, 0.0, 0.5));
}

#[test]
fn a_denied_value_competes_with_what_is_left_of_it() {
    // v: S = 0.8, C = 0.5, so S' = 0.4/0.6 = 2/3 and odds 2. u: S = 0.5, odds 1. Σ = 3.
    // belief(v) = 2/4, disbelief(v) = (0.5 + 1)/4, uncertainty(v) = 0.5/4.
    let rivals = [
        rival(&[says(1, "Vance owns it", 0.8), denies(2, "Ada Vance is not the owner", 0.5)]),
        rival(&[says(3, "The trust owns it", 0.5)]),
    ];
    let weighed = weigh_group(WeighRule::Dempster, true, &rivals, NONE);
    assert_eq!(figures(&only(&weighed[0])), (0.5, 0.375, 0.125));
    assert_eq!(figures(&only(&weighed[1])), (0.25, 0.5, 0.25));
}

#[test]
fn a_more_general_value_supports_and_does_not_compete() {
    // 0: Port Ellin (0.5), 1: the county it lies in (0.6), 2: another town, elsewhere (0.5).
    // S(0) = 1 − 0.5·0.4 = 0.8, odds 4, against it only value 2 with odds 1: belief 4/6.
    // Value 1 has odds 1.5 against the same 1: 1.5/3.5. Value 2 has against it only value 0, whose odds hold
    // those of value 1 already: 1/(1 + 1 + 4).
    let rivals = [
        rival(&[says(1, "It has its seat in Port Ellin", 0.5)]),
        rival(&[says(2, "A society of the county of Marr", 0.6)]),
        rival(&[says(3, "We wrote to them at Dunholm", 0.5)]),
    ];
    let supports = |general: usize, specific: usize| general == 1 && specific == 0;
    let weighed = weigh_group(WeighRule::Dempster, true, &rivals, &supports);
    assert_eq!(six_decimals(only(&weighed[0]).belief), 0.666_667);
    assert_eq!(six_decimals(only(&weighed[1]).belief), 0.428_571);
    assert_eq!(six_decimals(only(&weighed[2]).belief), 0.166_667);
}

#[test]
fn two_dated_documents_tell_of_a_succession() {
    let rivals = [
        rival(&[written(1, "The lighthouse belongs to the trust", 0.6, "2019-05-01")]),
        rival(&[written(2, "Ada Vance owns the lighthouse", 0.6, "2023-02-10")]),
    ];
    let weighed = weigh_group(WeighRule::Dempster, true, &rivals, NONE);
    let belief =
        |value: usize, when: &str| weighed[value].at(moment(when)).map(|period| six_decimals(period.belief));
    assert_eq!((belief(0, "2019-05-01"), belief(1, "2019-05-01")), (Some(0.6), None));
    assert_eq!((belief(0, "2010"), belief(1, "2010")), (Some(0.6), None));
    assert_eq!((belief(0, "2026"), belief(1, "2026")), (None, Some(0.6)));
    // Between the two dates nobody knows when it changed: odds 1.5 each, 1.5/4.
    assert_eq!((belief(0, "2021"), belief(1, "2021")), (Some(0.375), Some(0.375)));
    let bases: Vec<(Basis, bool)> =
        weighed[1].periods.iter().map(|period| (period.basis, period.assumed)).collect();
    assert_eq!(bases, [(Basis::Presumed, true), (Basis::Stated, false), (Basis::Persisting, true)]);
}

#[test]
fn two_documents_of_one_year_contradict() {
    let rivals = [
        rival(&[written(1, "The lighthouse belongs to the trust", 0.6, "2023-01-16")]),
        rival(&[written(2, "Ada Vance owns the lighthouse", 0.6, "2023-04-02")]),
    ];
    let weighed = weigh_group(WeighRule::Dempster, true, &rivals, NONE);
    for when in ["2023-01-16", "2023-04-02", "2023-08", "2026"] {
        for value in &weighed {
            assert_eq!(
                value.at(moment(when)).map(|period| six_decimals(period.belief)),
                Some(0.375),
                "{when}"
            );
        }
    }
}

#[test]
fn what_a_text_dates_holds_then_and_separate_periods_stay_separate() {
    let keeper = |document, quote, from: &str, to: &str| Piece {
        valid: Some(span(from, to)),
        tense: Tense::Past,
        ..says(document, quote, 0.6)
    };
    let weighed = weigh_one(&[
        keeper(1, "She kept the light from 1990 to 1994", "1990", "1995"),
        keeper(2, "From 2001 on, until 2003, she was keeper again", "2001", "2004"),
    ]);
    let told: Vec<String> = weighed.periods.iter().map(|period| period.interval.to_string()).collect();
    assert_eq!(told, ["1990-01-01..1995-01-01", "2001-01-01..2004-01-01"]);
    assert!(weighed.periods.iter().all(|period| period.basis == Basis::Stated && !period.assumed));
    assert_eq!(weighed.at(moment("1997")), None);
    assert_eq!(weighed.at(moment("1995")), None);
}

#[test]
fn an_open_end_lasts_until_something_else_is_stated() {
    // "since 2004", written in 2019; another "since June 2019", written in 2023.
    let since = |document, quote, from: &str, wrote: &str| Piece {
        valid: Some(span(from, "")),
        document_date: Some(date(wrote)),
        tense: Tense::Present,
        ..says(document, quote, 0.6)
    };
    let rivals = [
        rival(&[since(1, "Hale has been head since 2004", "2004", "2019-03-01")]),
        rival(&[since(2, "Since June 2019 the head is Ott", "2019-06", "2023-03-14")]),
    ];
    let weighed = weigh_group(WeighRule::Dempster, true, &rivals, NONE);
    let of = |value: usize| -> Vec<(String, Basis)> {
        weighed[value].periods.iter().map(|period| (period.interval.to_string(), period.basis)).collect()
    };
    assert_eq!(
        of(0),
        [
            ("2004-01-01..2019-03-02".to_owned(), Basis::Stated),
            ("2019-03-02..2019-06-01".to_owned(), Basis::Persisting)
        ]
    );
    assert_eq!(
        of(1),
        [
            ("2019-06-01..2023-03-15".to_owned(), Basis::Stated),
            ("2023-03-15..".to_owned(), Basis::Persisting)
        ]
    );
}

#[test]
fn a_later_denial_ends_what_was_stated_before() {
    let denial =
        Piece { stance: Stance::Against, ..written(2, "He is no longer with the trust", 0.5, "2022-09-01") };
    let weighed = weigh_one(&[written(1, "Ott works for the trust", 0.6, "2018-03-01"), denial]);
    let now = weighed.at(moment("2026")).expect("the denial persists");
    assert_eq!(figures(now), (0.0, 0.5, 0.5));
    let then = weighed.at(moment("2018-03-01")).expect("it was stated");
    assert_eq!(figures(then), (0.6, 0.0, 0.4));
}

#[test]
fn an_undated_statement_joins_every_period() {
    let dated =
        Piece { valid: Some(span("2010", "2015")), ..says(1, "From 2010 to 2014 it stood empty", 0.6) };
    let weighed = weigh_one(&[dated, says(2, "The house stands empty", 0.5)]);
    let told: Vec<(String, f64, Basis)> = weighed
        .periods
        .iter()
        .map(|period| (period.interval.to_string(), six_decimals(period.belief), period.basis))
        .collect();
    assert_eq!(
        told,
        [
            ("..2010-01-01".to_owned(), 0.5, Basis::Undated),
            ("2010-01-01..2015-01-01".to_owned(), 0.8, Basis::Stated),
            ("2015-01-01..".to_owned(), 0.5, Basis::Undated),
        ]
    );
}

#[test]
fn what_is_dated_tells_of_which_time_the_undated_speaks() {
    let dated = |document, quote, from: &str, to: &str| Piece {
        valid: Some(span(from, to)),
        ..says(document, quote, 0.6)
    };
    let rivals = [
        rival(&[dated(1, "From 2009 to 2017 it was Tolm's", "2009", "2018")]),
        rival(&[dated(2, "Orlen bought it in 2018", "2018", "2023"), says(3, "It belongs to Orlen", 0.7)]),
    ];
    let weighed = weigh_group(WeighRule::Dempster, true, &rivals, NONE);
    let belief =
        |value: usize, when: &str| weighed[value].at(moment(when)).map(|period| six_decimals(period.belief));
    assert_eq!((belief(0, "2012"), belief(1, "2012")), (Some(0.6), None));
    // 1 − 0.4·0.3 = 0.88.
    assert_eq!((belief(0, "2020"), belief(1, "2020")), (None, Some(0.88)));
    assert_eq!((belief(1, "2006"), belief(1, "2025")), (Some(0.7), Some(0.7)));
    // What nothing dates speaks of any time: odds 1.5 and 7/3, Σ = 23/6, belief 1.5/(29/6).
    let undated = [rivals[0].clone(), rival(&[says(3, "It belongs to Orlen", 0.7)])];
    let weighed = weigh_group(WeighRule::Dempster, true, &undated, NONE);
    assert_eq!(weighed[0].at(moment("2012")).map(|period| six_decimals(period.belief)), Some(0.310_345));
}

#[test]
fn other_rules_keep_their_promises() {
    let pieces =
        [says(1, "It was so", 0.8), says(2, "Yes, indeed it was", 0.5), denies(3, "It was not", 0.5)];
    let by = |rule| only(&weigh_group(rule, true, &[rival(&pieces)], NONE)[0]);
    // noisy_or: S = 0.9, C = 0.5: belief 0.45, disbelief 0.05, the rest open.
    assert_eq!(figures(&by(WeighRule::NoisyOr)), (0.45, 0.05, 0.5));
    // max: S = 0.8, C = 0.5: as two single documents.
    assert_eq!(figures(&by(WeighRule::Max)), (0.666_667, 0.166_667, 0.166_667));
    // vote: two for, one against, of four (one stays open).
    assert_eq!(figures(&by(WeighRule::Vote)), (0.5, 0.25, 0.25));
    let names: Vec<String> = [WeighRule::Dempster, WeighRule::NoisyOr, WeighRule::Max, WeighRule::Vote]
        .iter()
        .map(|rule| serde_json::to_string(rule).expect("a name"))
        .collect();
    assert_eq!(names, ["\"dempster\"", "\"noisy_or\"", "\"max\"", "\"vote\""]);
}

#[test]
fn certainty_is_floored() {
    let quotes: Vec<String> =
        (0..200).map(|number| format!("witness{number} saw{number} it{number}")).collect();
    let pieces: Vec<Piece<'_>> = quotes
        .iter()
        .enumerate()
        .map(|(number, quote)| Piece { quote, ..says(number as u64, "", 0.99) })
        .collect();
    let weighed = weigh_group(WeighRule::Dempster, true, &[Rival { pieces }], NONE);
    let belief = weighed[0].periods[0].belief;
    assert!(belief < 1.0 && close(belief, 1.0 - 1e-9), "{belief}");
}

#[test]
fn an_explanation_has_the_figures_and_their_reasons() {
    let sentence = "The trustees sold the old lighthouse to Ada Vance for the sum of one pound in May";
    let rivals = [
        rival(&[says(1, sentence, 0.6), says(2, sentence, 0.4), denies(3, "Ada Vance owns nothing", 0.2)]),
        rival(&[says(4, "The trust has kept it", 0.5)]),
    ];
    let weighed = weigh_group(WeighRule::Dempster, true, &rivals, NONE);
    let explained = explain_group(WeighRule::Dempster, true, &rivals, NONE, 0);
    let beliefs: Vec<PeriodBelief> = explained.iter().map(|period| period.belief).collect();
    assert_eq!(beliefs, weighed[0].periods);
    let period = &explained[0];
    let support: Vec<(u64, Option<u64>)> =
        period.support.documents.iter().map(|document| (document.document, document.copy_of)).collect();
    assert_eq!(support, [(1, None), (2, Some(1))]);
    assert_eq!(period.contradiction.documents.len(), 1);
    assert_eq!(period.rivals.len(), 1);
    assert!(period.rivals[0].counts && period.rivals[0].stands == Stands::Excludes);
    assert!(explain_group(WeighRule::Dempster, true, &rivals, NONE, 7).is_empty());
}

#[test]
fn thousands_of_dated_statements_are_weighed_at_once() {
    let quotes: Vec<String> =
        (0..4000).map(|number| format!("report{number} names{number} it{number}")).collect();
    let first = jiff::civil::date(1990, 1, 1);
    let pieces: Vec<Piece<'_>> = quotes
        .iter()
        .enumerate()
        .map(|(number, quote)| Piece {
            quote,
            document_date: Interval::day(first.saturating_add(jiff::Span::new().days(number as i64 * 3))),
            tense: Tense::Present,
            ..says(number as u64, "", 0.3)
        })
        .collect();
    let weighed = weigh_group(WeighRule::Dempster, false, &[Rival { pieces }], NONE);
    assert_eq!(weighed[0].periods.len(), 3, "before, while, after");
}

const QUOTES: [&str; 6] = [
    "The trustees sold the old lighthouse to Ada Vance for the sum of one pound in May",
    "The trustees sold the old lighthouse to Ada Vance for the sum of one pound in June",
    "The trustees sold the old lighthouse to Ada Crane for the sum of one pound in June",
    "Vance has owned it ever since",
    "Nobody but the trust has ever had the keys",
    "灯台は信託の所有です",
];

fn piece() -> impl Strategy<Value = Piece<'static>> {
    let time = prop_oneof![
        3 => Just(None),
        1 => (1990_i16..2025).prop_map(Interval::year),
        1 => (1990_i16..2025, 1_i16..10).prop_map(|(year, years)| Interval::new(
            Interval::year(year).and_then(|year| year.from),
            Interval::year(year + years).and_then(|year| year.from),
        )),
        1 => (1990_i16..2025).prop_map(|year| Interval::new(Interval::year(year).and_then(|year| year.from), None)),
        1 => (1990_i16..2025).prop_map(|year| Interval::new(None, Interval::year(year).and_then(|year| year.to))),
    ];
    let date = prop_oneof![
        Just(None),
        (1990_i16..2025, 1_i8..13).prop_map(|(year, month)| Interval::month(year, month)),
    ];
    let tense = prop_oneof![Just(Tense::Present), Just(Tense::Past), Just(Tense::Unknown)];
    let stance = prop_oneof![3 => Just(Stance::For), 1 => Just(Stance::Against)];
    (0_u64..12, 0..QUOTES.len(), date, 0.0..1.2_f64, 0.0..1.0_f64, stance, time, tense).prop_map(
        |(document, quote, document_date, authority, confidence, stance, valid, tense)| Piece {
            document,
            quote: QUOTES[quote],
            // A document has one date and one authority; keep them a function of its key.
            document_date: document_date.filter(|_| document % 3 != 0),
            authority,
            confidence,
            identity: 1.0,
            stance,
            valid,
            tense,
        },
    )
}

fn group() -> impl Strategy<Value = Vec<Vec<Piece<'static>>>> {
    proptest::collection::vec(proptest::collection::vec(piece(), 0..8), 1..5)
}

fn rivals(group: &[Vec<Piece<'static>>]) -> Vec<Rival<'static>> {
    group.iter().map(|pieces| Rival { pieces: pieces.clone() }).collect()
}

fn moments() -> impl Iterator<Item = Moment> {
    (1985_i16..2030)
        .filter_map(Interval::year)
        .filter_map(|year| year.from)
        .map(|from| Moment(from.0 + 86_400 * 45))
}

fn rule() -> impl Strategy<Value = WeighRule> {
    prop_oneof![
        3 => Just(WeighRule::Dempster),
        1 => Just(WeighRule::NoisyOr),
        1 => Just(WeighRule::Max),
        1 => Just(WeighRule::Vote),
    ]
}

fn chain(general: usize, specific: usize) -> bool {
    // Value 0 is more general than 1, which is more general than 2.
    general < specific && specific < 3
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn figures_are_shares_of_one(group in group(), rule in rule(), functional: bool) {
        for weighed in weigh_group(rule, functional, &rivals(&group), &chain) {
            let mut last = None;
            for period in &weighed.periods {
                let all = [
                    period.support, period.contradiction, period.conflict,
                    period.belief, period.disbelief, period.uncertainty,
                ];
                prop_assert!(all.iter().all(|figure| (0.0..=1.0 + 1e-12).contains(figure)), "{period:?}");
                prop_assert!(close(period.belief + period.disbelief + period.uncertainty, 1.0), "{period:?}");
                prop_assert!(last.is_none_or(|last: Option<Moment>| last.is_some() && last <= period.interval.from));
                last = Some(period.interval.to);
            }
        }
    }

    #[test]
    fn the_order_of_arrival_does_not_matter(group in group(), rule in rule(), functional: bool, seed: u64) {
        let shuffled: Vec<Vec<Piece<'static>>> = group
            .iter()
            .map(|pieces| {
                let mut pieces = pieces.clone();
                let length = pieces.len().max(1);
                pieces.rotate_left((seed as usize) % length);
                if seed % 2 == 0 { pieces.reverse(); }
                pieces
            })
            .collect();
        let left = weigh_group(rule, functional, &rivals(&group), &chain);
        let right = weigh_group(rule, functional, &rivals(&shuffled), &chain);
        prop_assert_eq!(left, right);
    }

    #[test]
    fn more_evidence_never_lowers_belief(group in group(), extra in piece(), rule in rule(), functional: bool) {
        let before = weigh_group(rule, functional, &rivals(&group), NONE);
        let mut more = group.clone();
        // A document of its own, whose sentence nobody shares.
        let extra = Piece { document: 99, quote: "An altogether different witness", stance: Stance::For, ..extra };
        more[0].push(extra);
        let after = weigh_group(rule, functional, &rivals(&more), NONE);
        for moment in moments() {
            // An undated statement may turn out to speak of another time, once its claim is dated.
            if let Some(was) = before[0].at(moment).filter(|was| !functional || was.basis != Basis::Undated) {
                // Of a time that only a denial spoke of, nothing may be left to say.
                let is = after[0].at(moment).map_or(0.0, |period| period.belief);
                prop_assert!(is >= was.belief - 1e-12, "{moment}: {was:?} {is}");
            }
        }
    }

    #[test]
    fn a_copied_document_changes_nothing(group in group(), rule in rule(), functional: bool, which in 0_usize..12) {
        let mut copied = group.clone();
        for pieces in &mut copied {
            let copies: Vec<Piece<'static>> = pieces
                .iter()
                .filter(|piece| piece.document == which as u64)
                .map(|piece| Piece { document: 100, ..*piece })
                .collect();
            pieces.extend(copies);
        }
        let before = weigh_group(rule, functional, &rivals(&group), &chain);
        let after = weigh_group(rule, functional, &rivals(&copied), &chain);
        for (before, after) in before.iter().zip(&after) {
            for moment in moments() {
                let belief = |weighed: &Weighed| weighed.at(moment).map(|period| six_decimals(period.belief));
                prop_assert_eq!(belief(before), belief(after), "{}", moment);
            }
        }
    }

    #[test]
    fn explanations_never_differ_from_the_figures(group in group(), rule in rule(), functional: bool) {
        let weighed = weigh_group(rule, functional, &rivals(&group), &chain);
        for (value, weighed) in weighed.iter().enumerate() {
            let explained = explain_group(rule, functional, &rivals(&group), &chain, value);
            let beliefs: Vec<PeriodBelief> = explained.iter().map(|period| period.belief).collect();
            prop_assert_eq!(&beliefs, &weighed.periods);
        }
    }
}
