//! Hospital, shipyard, orchestra, software: small ontologies, and sentences as people write them.

use mge_core::{MentionForm, Tense};

use super::{read, rules, yields, yields_at};
use crate::rules::Rules;

fn hospital() -> Rules {
    rules(
        "person / definition=A human being. / aliases=woman;man
         person|doctor / aliases=surgeon;physician;cardiologist
         person|nurse / aliases=head nurse
         hospital / aliases=clinic / disjoint_with=person
         ward / aliases=department;unit
         disease / aliases=illness
         drug / aliases=medicine
         city / aliases=town",
        "works_at / src=person / dst=hospital / cues=works at;works for;employed by;joined;<employs
         heads / src=person / dst=ward / cues=heads;head of;leads;<headed by;<led by
         located_in / src=hospital / dst=city / cues=located in;lies in;stands in;based in
         part_of / src=ward / dst=hospital / cues=part of;belongs to / functional=true
         treats / src=drug / dst=disease / cues=treats;is used against;cures
         founded_in / src=hospital / dst=literal:date / cues=founded in;opened in;founded
         has_beds / src=hospital / dst=literal:number / cues=beds
         married_to / src=person / dst=person / cues=married;wife;husband;married to / symmetric=true
         succeeded / src=person / dst=person / cues=succeeded;<predecessor",
        "city|Tromby / aliases=Old Tromby
         drug|aspirin",
    )
}

#[test]
fn apposition_copula_and_titles_type_names() {
    let hospital = hospital();
    for (text, name, concept) in [
        ("Mara Quist, a cardiologist, was late.", "Mara Quist", "person|doctor"),
        ("The head nurse Ole Brandvik was late.", "Ole Brandvik", "person|nurse"),
        ("Mara Quist is a well-known surgeon and writer.", "Mara Quist", "person|doctor"),
        ("Millgate Hospital is closed.", "Millgate Hospital", "hospital"),
        ("They moved to the town of Vargby.", "Vargby", "city"),
        ("Dr. Quist was late.", "Quist", "person"),
        ("Nurses Ole Brandvik and Ida Storm were late.", "Ida Storm", "person|nurse"),
        ("They know clinics such as Millgate and Harrow.", "Harrow", "hospital"),
        ("Vargby (a small town) was quiet.", "Vargby", "city"),
    ] {
        let found = read(&hospital, text, None);
        let hit = found.mentions.iter().find(|mention| mention.entity.name == name);
        assert_eq!(
            hit.map(|mention| mention.entity.concept.as_str()),
            Some(concept),
            "{text} {:?}",
            found.mentions
        );
    }
}

#[test]
fn two_capitals_are_no_person() {
    let hospital = hospital();
    for text in [
        "She felt like a Formula One driver.",
        "The Blue Form and the Golden Key are lost.",
        "We met on Good Friday in Great Hope.",
        "Monday Morning is a song.",
    ] {
        assert_eq!(read(&hospital, text, None).mentions, [], "{text}");
    }
}

#[test]
fn verbs_and_nouns_find_their_ends() {
    let hospital = hospital();
    yields(
        &hospital,
        "The surgeon Mara Quist and the nurse Ole Brandvik work at Millgate Hospital.",
        &["+ Mara Quist works_at Millgate Hospital", "+ Ole Brandvik works_at Millgate Hospital"],
    );
    yields(
        &hospital,
        "Millgate Hospital employs the surgeon Mara Quist.",
        &["+ Mara Quist works_at Millgate Hospital"],
    );
    yields(&hospital, "Mara Quist, head of the Burns Unit, is a doctor.", &["+ Mara Quist heads Burns Unit"]);
    yields(&hospital, "The head of the Burns Unit is Mara Quist.", &["+ Mara Quist heads Burns Unit"]);
    yields(
        &hospital,
        "The Burns Unit is headed by the doctor Mara Quist.",
        &["+ Mara Quist heads Burns Unit"],
    );
    yields(
        &hospital,
        "Mara Quist, who heads the Burns Unit, met Dr. Ole Brandvik of Harrow Clinic.",
        &["+ Mara Quist heads Burns Unit"],
    );
    yields(&hospital, "The nurse of Mara Quist heads the Burns Unit.", &[]);
    yields(
        &hospital,
        "The Burns Unit belongs to Millgate Hospital, which lies in Tromby.",
        &["+ Burns Unit part_of Millgate Hospital", "+ Millgate Hospital located_in Tromby"],
    );
}

#[test]
fn curated_names_are_known_by_alias_and_case() {
    let hospital = hospital();
    yields(&hospital, "Harrow Clinic stands in Old Tromby.", &["+ Harrow Clinic located_in Tromby"]);
    let found = read(&hospital, "Aspirin is old. We had aspirin.", None);
    assert_eq!(found.mentions.len(), 2);
    assert!(
        found
            .mentions
            .iter()
            .all(|mention| mention.entity.name == "aspirin" && mention.form == MentionForm::Full)
    );
}

#[test]
fn pronouns_and_descriptions_are_resolved_or_left_alone() {
    let hospital = hospital();
    yields(
        &hospital,
        "Dr. Mara Quist is a surgeon. She works at Harrow Clinic. The clinic lies in Tromby.",
        &["+ Mara Quist works_at Harrow Clinic", "+ Harrow Clinic located_in Tromby"],
    );
    yields(
        &hospital,
        "The surgeon Mara Quist met the nurse Ida Storm. They left. Harrow Clinic employs Quist.",
        &["+ Mara Quist works_at Harrow Clinic"],
    );
    // Two people of one surname: nobody is meant.
    yields(&hospital, "The surgeon Mara Quist met the nurse Ida Quist. Quist works at Harrow Clinic.", &[]);
}

#[test]
fn denied_ended_and_supposed() {
    let hospital = hospital();
    let base = "The surgeon Mara Quist is known here. Millgate Hospital is large.";
    for (sentence, expected) in [
        ("Mara Quist does not work at Millgate Hospital.", vec!["- Mara Quist works_at Millgate Hospital"]),
        ("Mara Quist never worked at Millgate Hospital.", vec!["- Mara Quist works_at Millgate Hospital"]),
        (
            "Mara Quist no longer works at Millgate Hospital.",
            vec!["- Mara Quist works_at Millgate Hospital @2020-05-01.."],
        ),
        (
            "She denied that Mara Quist works at Millgate Hospital.",
            vec!["- Mara Quist works_at Millgate Hospital"],
        ),
        (
            "It is not true that Mara Quist works at Millgate Hospital.",
            vec!["- Mara Quist works_at Millgate Hospital"],
        ),
        ("Mara Quist might work at Millgate Hospital.", vec![]),
        ("If Mara Quist works at Millgate Hospital, good.", vec![]),
        ("Does Mara Quist work at Millgate Hospital?", vec![]),
        ("Mara Quist plans to work at Millgate Hospital.", vec![]),
        ("Mara Quist is expected to join Millgate Hospital.", vec![]),
        (
            "Mara Quist said that she works at Millgate Hospital.",
            vec!["+ Mara Quist works_at Millgate Hospital"],
        ),
        ("Mara Quist used to work at Millgate Hospital.", vec!["+ Mara Quist works_at Millgate Hospital"]),
    ] {
        yields_at(&hospital, &format!("{base}\n\n{sentence}"), Some("2020-05-01"), &expected);
    }
    let former = read(&hospital, "Mara Quist, a former head of the Burns Unit, is a doctor.", None);
    assert_eq!(former.claims.len(), 1);
    assert_eq!(former.claims[0].tense, Tense::Past);
}

#[test]
fn hearsay_is_worth_less() {
    let hospital = hospital();
    let of = |text: &str| read(&hospital, text, None).claims.first().map_or(0.0, |claim| claim.confidence);
    let plain = of("The surgeon Mara Quist works at Millgate Hospital.");
    let said = of("The paper reported that the surgeon Mara Quist works at Millgate Hospital.");
    let rumoured = of("The surgeon Mara Quist reportedly works at Millgate Hospital.");
    assert!(plain > said && said > rumoured, "{plain} {said} {rumoured}");
}

#[test]
fn times_go_to_their_own_claims() {
    let hospital = hospital();
    for (text, expected) in [
        (
            "The surgeon Mara Quist has worked at Harrow Clinic since 2019.",
            vec!["+ Mara Quist works_at Harrow Clinic @2019-01-01.."],
        ),
        (
            "From 2012 to 2017 the surgeon Mara Quist worked at Harrow Clinic.",
            vec!["+ Mara Quist works_at Harrow Clinic @2012-01-01..2018-01-01"],
        ),
        (
            "In 2014 the surgeon Mara Quist joined Harrow Clinic.",
            vec!["+ Mara Quist works_at Harrow Clinic @2014-01-01.."],
        ),
        (
            "The surgeon Mara Quist worked at Harrow Clinic until 2016 and heads the Burns Unit.",
            vec!["+ Mara Quist works_at Harrow Clinic @..2016-01-01", "+ Mara Quist heads Burns Unit"],
        ),
        (
            "Harrow Clinic was founded in 1911 and lies in Tromby.",
            vec!["+ Harrow Clinic founded_in \"1911\"", "+ Harrow Clinic located_in Tromby"],
        ),
        ("Harrow Clinic has 240 beds.", vec!["+ Harrow Clinic has_beds \"240\""]),
    ] {
        yields(&hospital, text, &expected);
    }
}

#[test]
fn lists_tables_and_keys_are_read() {
    let hospital = hospital();
    yields(
        &hospital,
        "The following people work at Harrow Clinic:\n- Mara Quist, surgeon\n- Ole Brandvik, since 2015\n",
        &["+ Mara Quist works_at Harrow Clinic", "+ Ole Brandvik works_at Harrow Clinic @2015-01-01.."],
    );
    yields(
        &hospital,
        "| Doctor | Works at | Heads |\n|---|---|---|\n| Mara Quist | Harrow Clinic | Burns Unit |\n| Jon Rask | Millgate | |\n",
        &[
            "+ Mara Quist works_at Harrow Clinic",
            "+ Mara Quist heads Burns Unit",
            "+ Jon Rask works_at Millgate",
        ],
    );
    yields(
        &hospital,
        "| Hospital | City | Beds | Founded |\n|---|---|---|---|\n| Harrow Clinic | Tromby | 240 | 1911 |\n",
        &[
            "+ Harrow Clinic located_in Tromby",
            "+ Harrow Clinic has_beds \"240\"",
            "+ Harrow Clinic founded_in \"1911\"",
        ],
    );
    yields(
        &hospital,
        "# Harrow Clinic\n\nFounded: 1911\n\nBeds: 240\n",
        &["+ Harrow Clinic founded_in \"1911\"", "+ Harrow Clinic has_beds \"240\""],
    );
    // Without a header a column says nothing.
    yields(&hospital, "| | |\n|---|---|\n| Mara Quist | Harrow Clinic |\n", &[]);
}

fn orchestra() -> Rules {
    rules(
        "person
         person|musician / aliases=conductor;violinist;soloist;composer
         ensemble / aliases=orchestra;choir;quartet
         work / aliases=symphony;concerto;opera
         hall / aliases=concert hall",
        "conducts / src=person / dst=ensemble / cues=conducts;conductor of;principal conductor of;<conducted by / functional=true
         composed / src=person / dst=work / cues=composed;composer of;<composed by
         plays_in / src=ensemble / dst=hall / cues=plays in;based at;resident at
         member_of / src=person / dst=ensemble / cues=member of;plays in;<members are
         home_of / src=hall / dst=ensemble / cues=home of
         partner_of / src=ensemble / dst=ensemble / cues=partners;partner of / symmetric=true",
        "",
    )
}

#[test]
fn an_orchestra_is_read() {
    let orchestra = orchestra();
    yields(
        &orchestra,
        "Lena Fosse is the principal conductor of the Norrvik Orchestra.",
        &["+ Lena Fosse conducts Norrvik Orchestra"],
    );
    yields(
        &orchestra,
        "The Norrvik Valley Orchestra (NVO) was conducted by Lena Fosse. The NVO is based at Salt Hall.",
        &["+ Lena Fosse conducts Norrvik Valley Orchestra", "+ Norrvik Valley Orchestra plays_in Salt Hall"],
    );
    yields(
        &orchestra,
        "The opera \"The Glass Harbour\" was composed by Pia Lund in 1974.",
        &["+ Pia Lund composed Glass Harbour @1974-01-01..1975-01-01"],
    );
    yields(
        &orchestra,
        "The Norrvik Orchestra and the Sund Choir have been partners since 2018.",
        &["+ Norrvik Orchestra partner_of Sund Choir @2018-01-01.."],
    );
    yields(
        &orchestra,
        "The Norrvik Orchestra's conductor, Lena Fosse, spoke. Its conductor was not there.",
        &["+ Lena Fosse conducts Norrvik Orchestra"],
    );
    yields(
        &orchestra,
        "The Norrvik Orchestra is conducted not by Lena Fosse but by Ivar Holt.",
        &["- Lena Fosse conducts Norrvik Orchestra", "+ Ivar Holt conducts Norrvik Orchestra"],
    );
}

fn software() -> Rules {
    rules(
        "person / aliases=developer;maintainer
         company / aliases=firm
         software / aliases=program;tool
         software|library / aliases=crate;package
         language / aliases=programming language",
        "written_in / src=software / dst=language / cues=written in;implemented in
         depends_on / src=software / dst=software / cues=depends on;requires;uses;built on
         maintains / src=person / dst=software / cues=maintains;maintainer of;<maintained by
         license / src=software / dst=literal:text / cues=licensed under;released under / functional=true
         develops / src=company / dst=software / cues=develops;developer of;<developed by",
        "language|Rust
         language|C++
         software|library|tokio",
    )
}

#[test]
fn software_is_read() {
    let software = software();
    yields(
        &software,
        "The tool Ferrite is written in Rust and depends on tokio.",
        &["+ Ferrite written_in Rust", "+ Ferrite depends_on tokio"],
    );
    yields(&software, "Ferrite, a program, is written in C++.", &["+ Ferrite written_in C++"]);
    yields(
        &software,
        "The library Lumen is licensed under the MIT License.",
        &["+ Lumen license \"MIT License\""],
    );
    yields(
        &software,
        "Ferrite is a tool developed by Quarry Labs Inc. and maintained by Jo Park.",
        &["+ Quarry Labs develops Ferrite", "+ Jo Park maintains Ferrite"],
    );
    yields(&software, "We rust-proofed the tool.", &[]);
}

#[test]
fn scripts_without_case_have_known_names() {
    let rules = rules(
        "person\ncity",
        "born_in / src=person / dst=city / cues=born in",
        "city|東京\nperson|山田太郎\ncity|Москва",
    );
    let found = read(&rules, "山田太郎は東京で生まれた。", None);
    let names: Vec<&str> = found.mentions.iter().map(|mention| mention.entity.name.as_str()).collect();
    assert_eq!(names, ["山田太郎", "東京"]);
    assert_eq!(read(&rules, "Он живёт в город Москва.", None).mentions.len(), 1);
    let decomposed = "Cafe\u{301}";
    let rules = super::rules("place", "", "place|Café");
    let found = read(&rules, &format!("We met at {decomposed}."), None);
    assert_eq!(found.mentions.len(), 1);
    assert_eq!(found.mentions[0].span.slice(&format!("We met at {decomposed}.")), Some(decomposed));
}

#[test]
fn a_plural_kind_before_of_names_the_kind_of_all_that_follow() {
    let rules = super::rules(
        "place\nplace|village / aliases=hamlet\ncompany",
        "lies_in / src=place / dst=place / cues=lie in\nbased_in / src=company / dst=place / cues=based in",
        "place|Dorn Valley",
    );
    let kinds = |text: &str| -> Vec<String> {
        let found = rules.read_text(text);
        found
            .mentions
            .into_iter()
            .map(|mention| format!("{} {}", mention.entity.concept, mention.entity.name))
            .collect()
    };
    let three = kinds("The villages of Ablow, Benner and Corve lie in Dorn Valley.");
    assert_eq!(three[..3], ["place|village Ablow", "place|village Benner", "place|village Corve"]);
    let one = kinds("The village of Ablow lies in Dorn Valley.");
    assert_eq!(one[0], "place|village Ablow");
}

#[test]
fn a_name_of_a_script_without_case_is_a_name_in_a_text_with_case() {
    let concepts = "place\ncompany";
    let rules = super::rules(concepts, "based_in / src=company / dst=place / cues=based in", "company|Anvil");
    for name in ["東京", "北京", "서울", "القاهرة", "ירושלים"] {
        let found = rules.read_text(&format!("Anvil is based in {name}."));
        assert_eq!(super::written(&found), [format!("+ Anvil based_in {name}")]);
    }
    assert!(
        rules.read_text("東京は日本の首都です。").mentions.is_empty(),
        "not every word of such a text is a name"
    );
}

#[test]
fn a_plural_types_each_name_of_its_list_and_no_other() {
    let hospital = hospital();
    let concept_of = |text: &str, name: &str| {
        let found = read(&hospital, text, None);
        let hit = found.mentions.iter().find(|mention| mention.entity.name == name);
        hit.map(|mention| mention.entity.concept.as_str().to_owned())
    };
    for (text, names, concept) in [
        ("The towns of Vargby, Elmsund and Harrow lie by the sea.", ["Vargby", "Elmsund", "Harrow"], "city"),
        ("They know the cities of Vargby, Elmsund, and Harrow.", ["Vargby", "Elmsund", "Harrow"], "city"),
        (
            "They know the clinics Millgate, Elmsund and Harrow.",
            ["Millgate", "Elmsund", "Harrow"],
            "hospital",
        ),
        ("The towns of Vargby, 東京 and 서울 lie by the sea.", ["Vargby", "東京", "서울"], "city"),
    ] {
        for name in names {
            assert_eq!(concept_of(text, name).as_deref(), Some(concept), "{name} in {text}");
        }
    }
    for (text, name) in [
        ("The towns of Norway lie by the sea.", "Norway"),
        ("The surgeons of Millgate and Harrow met.", "Millgate"),
        ("She doctors Millgate and Harrow.", "Millgate"),
        ("They moved to the town of Vargby and Elmsund came too.", "Elmsund"),
    ] {
        assert_eq!(concept_of(text, name), None, "{text}");
    }
}

#[test]
fn names_without_case_are_whole_and_no_gloss() {
    let hospital = hospital();
    for name in ["תל אביב", "กรุงเทพ", "เชียงใหม่", "दिल्ली", "சென்னை", "サン・パウロ"]
    {
        let text = format!("Millgate Hospital is based in {name}.");
        yields(&hospital, &text, &[&format!("+ Millgate Hospital located_in {name}")]);
    }
    let text = "Millgate Hospital is based in Vargby (東京).";
    yields(&hospital, text, &["+ Millgate Hospital located_in Vargby"]);
    // No name is guessed where the sentence is of such a script, though it holds names with capitals.
    let concepts = "place\ncompany";
    let rules = super::rules(concepts, "based_in / src=company / dst=place / cues=based in", "company|Anvil");
    for text in ["Anvil Hall は東京にあります。", "تقع شركة Anvil في مدينة القاهرة."]
    {
        let tokens = crate::tokens::tokenize(text);
        let mut found = Vec::new();
        let habits = crate::names::Habits::default();
        crate::names::candidates(&tokens, &(0..tokens.len()), rules.lexicon(), &habits, &mut found);
        assert!(found.iter().all(|candidate| tokens[candidate.start].is_capital()), "{text} {found:?}");
    }
}
