//! Ordinary prose about dairies: one sentence or two for each thing that the rules know of it.

use super::{read, rules, yields};
use crate::rules::Rules;

fn dairies() -> Rules {
    rules(
        "person / definition=A human being. / aliases=woman;man
         person|cheesemaker / aliases=maker of cheese
         organization / definition=A body of people that acts under one name. / aliases=trust;union / disjoint_with=farm
         organization|dairy / definition=A business that makes cheese. / aliases=creamery
         farm / definition=A holding with animals. / aliases=estate
         cheese / aliases=blue;cheddar / disjoint_with=person
         show / definition=A contest of cheeses. / aliases=fair;cup
         town / aliases=village",
        "made_by / src=cheese / dst=organization / cues=made by;<makes
         owned_by / src=farm / dst=organization / cues=owned by;belongs to
         run_by / src=organization / dst=person / cues=run by;director;chair;managed by
         works_for / src=person / dst=organization / cues=works for;joined;employed by
         shown_at / src=cheese / dst=show / cues=shown at;entered at
         based_in / src=organization / dst=town / cues=based in;head office;seat
         lies_in / src=farm / dst=town / cues=in;lies in;located in
         born_in / src=person / dst=town / cues=born in
         supplies / src=farm / dst=organization / cues=supplies;delivers to
         has_herd / src=farm / dst=literal:number / cues=cows;goats
         can_store / src=farm / dst=literal:quantity / cues=can store;room for
         founded_in / src=organization / dst=literal:date / cues=founded in;established in",
        "organization|dairy|Whin Fell Creamery / aliases=the Fell
         organization|Ullock Trust
         organization|dairy|Sowerby Dairies
         farm|Brackenrigg
         town|Ambleby
         town|Keldthwaite",
    )
}

#[test]
fn an_alias_is_known_as_it_is_written() {
    let dairies = dairies();
    yields(&dairies, "Brackenrigg belongs to the Fell.", &["+ Brackenrigg owned_by Whin Fell Creamery"]);
    yields(&dairies, "Brackenrigg belongs to the fell.", &[]);
}

#[test]
fn a_short_name_leads_to_the_long_one() {
    let dairies = dairies();
    yields(
        &dairies,
        "Thornwaite Creamery is a dairy. Thornwaite was founded in 1931.",
        &["+ Thornwaite Creamery founded_in \"1931\""],
    );
    yields(
        &dairies,
        "The Eden Valley Trust is old. The Trust was founded in 1960.",
        &["+ Eden Valley Trust founded_in \"1960\""],
    );
    // Behind "in" it is a place, and no short form.
    yields(&dairies, "Thornwaite Creamery is a dairy. Rain fell in Thornwaite.", &[]);
}

#[test]
fn markup_sets_names_apart() {
    let dairies = dairies();
    yields(
        &dairies,
        "The cheddar *A Night on the Fells* is made by Sowerby Dairies.",
        &["+ A Night on the Fells made_by Sowerby Dairies"],
    );
    yields(&dairies, "This is *very* important for *any Cheese*.", &[]);
}

#[test]
fn a_definition_lends_its_first_noun() {
    let dairies = dairies();
    yields(
        &dairies,
        "The holding Low Garth belongs to the Ullock Trust.",
        &["+ Low Garth owned_by Ullock Trust"],
    );
}

#[test]
fn cues_have_other_forms() {
    let dairies = dairies();
    yields(&dairies, "The Ullock Trust owns Brackenrigg.", &["+ Brackenrigg owned_by Ullock Trust"]);
    yields(
        &dairies,
        "The Ullock Trust is the owner of Brackenrigg.",
        &["+ Brackenrigg owned_by Ullock Trust"],
    );
    yields(
        &dairies,
        "The manager of Sowerby Dairies is Ms Ida Crake.",
        &["+ Sowerby Dairies run_by Ida Crake"],
    );
}

#[test]
fn relations_type_what_is_left_and_outweigh_the_look_of_a_name() {
    let dairies = dairies();
    // "Estate" would be a farm by its name alone.
    let found = read(&dairies, "Garth Estate employs nobody. Garth Estate was founded in 1950.", None);
    assert_eq!(found.claims[0].subject.concept, "organization");
    // One round finds what Oxen Park is, the next what its owner is.
    yields(
        &dairies,
        "Oxen Park supplies Sowerby Dairies. Oxen Park belongs to Harter Holdings.",
        &["+ Oxen Park supplies Sowerby Dairies", "+ Oxen Park owned_by Harter Holdings"],
    );
    // What is told outweighs the look: a blue is a cheese.
    let found = read(&dairies, "Dales Blue, a dairy, is old.", None);
    assert_eq!(found.mentions[0].entity.concept, "organization|dairy");
}

#[test]
fn a_place_behind_a_name_is_its_own() {
    let dairies = dairies();
    yields(&dairies, "They walked to Brackenrigg in Keldthwaite.", &["+ Brackenrigg lies_in Keldthwaite"]);
    yields(&dairies, "They spoke of Brackenrigg in Unheard.", &[]);
}

#[test]
fn a_possessive_noun_may_be_placed() {
    let dairies = dairies();
    yields(&dairies, "Sowerby Dairies has its seat in Ambleby.", &["+ Sowerby Dairies based_in Ambleby"]);
    yields(
        &dairies,
        "Sowerby Dairies is old. Its head office is in Ambleby.",
        &["+ Sowerby Dairies based_in Ambleby"],
    );
    yields(
        &dairies,
        "The Ullock Trust, a club of 30 members whose chair is Ms Ida Crake, met.",
        &["+ Ullock Trust run_by Ida Crake"],
    );
}

#[test]
fn verbs_are_coordinated_fronted_and_far_from_their_objects() {
    let dairies = dairies();
    yields(&dairies, "Ms Ida Crake, born and brought up in Ambleby, left.", &["+ Ida Crake born_in Ambleby"]);
    yields(
        &dairies,
        "Sowerby Dairies, to which Brackenrigg delivers, is old.",
        &["+ Brackenrigg supplies Sowerby Dairies"],
    );
    yields(
        &dairies,
        "The cheese Old Tup was made for the Ullock Trust by Sowerby Dairies.",
        &["+ Old Tup made_by Sowerby Dairies"],
    );
    yields(
        &dairies,
        "Brackenrigg supplies three customers in the dale, namely Sowerby Dairies, the Ullock Trust and, since May, \
         Whin Fell Creamery.",
        &[
            "+ Brackenrigg supplies Sowerby Dairies",
            "+ Brackenrigg supplies Ullock Trust",
            "+ Brackenrigg supplies Whin Fell Creamery",
        ],
    );
}

#[test]
fn negation_reaches_its_own_member_and_no_other() {
    let dairies = dairies();
    yields(
        &dairies,
        "The cheese Old Tup was not made by Sowerby Dairies but by Whin Fell Creamery.",
        &["- Old Tup made_by Sowerby Dairies", "+ Old Tup made_by Whin Fell Creamery"],
    );
    yields(
        &dairies,
        "The cheese Old Tup was made by Whin Fell Creamery, not by Sowerby Dairies.",
        &["- Old Tup made_by Sowerby Dairies", "+ Old Tup made_by Whin Fell Creamery"],
    );
    yields(
        &dairies,
        "Nor did Ms Ida Crake ever work for Sowerby Dairies.",
        &["- Ida Crake works_for Sowerby Dairies"],
    );
    yields(
        &dairies,
        "Brackenrigg is not, and never was, owned by the Ullock Trust.",
        &["- Brackenrigg owned_by Ullock Trust"],
    );
    // "Wrong" before a colon is what was said before.
    yields(
        &dairies,
        "We were wrong: Brackenrigg is not owned by the Ullock Trust.",
        &["- Brackenrigg owned_by Ullock Trust"],
    );
}

#[test]
fn a_lead_in_may_deny_or_leave_open() {
    let dairies = dairies();
    let item = "- that Brackenrigg belongs to the Ullock Trust";
    yields(&dairies, &format!("It is not true:\n{item}"), &["- Brackenrigg owned_by Ullock Trust"]);
    yields(&dairies, &format!("What we do not know:\n{item}"), &[]);
    yields(&dairies, &format!("What is true:\n{item}"), &["+ Brackenrigg owned_by Ullock Trust"]);
}

#[test]
fn we_is_the_body_that_the_title_names() {
    let dairies = dairies();
    yields(
        &dairies,
        "# To all customers of Sowerby Dairies\n\nOur seat is in Ambleby. Brackenrigg delivers to us.",
        &["+ Sowerby Dairies based_in Ambleby", "+ Brackenrigg supplies Sowerby Dairies"],
    );
    yields(&dairies, "# Sowerby Dairies\n\n\"Brackenrigg delivers to us,\" said a man.", &[]);
}

#[test]
fn keys_and_headers_are_read_from_both_sides() {
    let dairies = dairies();
    yields(
        &dairies,
        "# Register\n\n## Harter Hall\n\n| Field | Entry |\n|---|---|\n| Kind | dairy |\n| Seat | Ambleby |\n| Director \
         | Ida Crake |",
        &["+ Harter Hall based_in Ambleby", "+ Harter Hall run_by Ida Crake"],
    );
    yields(
        &dairies,
        "| Cheese | Made by |\n|---|---|\n| Old Tup | Sowerby Dairies |",
        &["+ Old Tup made_by Sowerby Dairies"],
    );
    yields(
        &dairies,
        "| Farm | Location |\n|---|---|\n| Brackenrigg | Ambleby |",
        &["+ Brackenrigg lies_in Ambleby"],
    );
    // A row of another thing says nothing of what the heading names.
    yields(
        &dairies,
        "# Sowerby Dairies\n\n| Guest | Director |\n|---|---|\n| Unheard | Ms Ida Crake |",
        &["+ Unheard run_by Ida Crake"],
    );
}

#[test]
fn values_are_counted_and_nouns_that_describe_have_none() {
    let dairies = dairies();
    yields(&dairies, "Brackenrigg can store 9,000 bales.", &["+ Brackenrigg can_store \"9000 bales\""]);
    yields(&dairies, "They walked to Brackenrigg, whose 40 cows slept.", &["+ Brackenrigg has_herd \"40\""]);
}

#[test]
fn small_names_need_to_be_declared() {
    let tools = rules(
        "software / aliases=tool\nsoftware|library / aliases=crate\nlanguage",
        "written_in / src=software / dst=language / cues=written in
         depends_on / src=software / dst=software / cues=depends on;requires",
        "language|Rust",
    );
    yields(
        &tools,
        "glimmer is a tool. Everybody knows that glimmer is written in Rust.",
        &["+ glimmer written_in Rust"],
    );
    yields(
        &tools,
        "# glimmer\n\nA tool. The tool glimmer is written in Rust.",
        &["+ glimmer written_in Rust"],
    );
    yields(
        &tools,
        "The crate `lath` depends on `lath_core` and requires `--help`, `match` and `a b`.",
        &["+ lath depends_on lath_core"],
    );
    yields(&tools, "The tool lath is written in Rust. Some lath is wooden.", &[]);
}

#[test]
fn descriptions_stand_for_what_was_named() {
    let dairies = dairies();
    yields(
        &dairies,
        "Sowerby Dairies is old. The Ambleby-based creamery was founded in 1960.",
        &["+ Sowerby Dairies founded_in \"1960\""],
    );
    yields(
        &dairies,
        "Ms Ida Crake spoke for Sowerby Dairies. Her creamery was founded in 1960.",
        &["+ Sowerby Dairies founded_in \"1960\""],
    );
    // "He" is Thomas, though Rita was named last.
    yields(
        &dairies,
        "Dr Thomas Nell met Dr Rita Crake. He joined Sowerby Dairies.",
        &["+ Thomas Nell works_for Sowerby Dairies"],
    );
    // Of a woman who is known to be a person, "the cheesemaker" may be said.
    yields(
        &dairies,
        "Ms Ida Crake was tired. The cheesemaker joined Sowerby Dairies.",
        &["+ Ida Crake works_for Sowerby Dairies"],
    );
}

#[test]
fn the_date_of_a_foundation_is_its_own() {
    yields(
        &dairies(),
        "Sowerby Dairies, founded in 1960, owns Brackenrigg.",
        &["+ Brackenrigg owned_by Sowerby Dairies", "+ Sowerby Dairies founded_in \"1960\""],
    );
}

#[test]
fn a_year_or_a_number_belongs_to_the_name_of_what_is_held_again() {
    let dairies = dairies();
    for (text, claim) in [
        (
            "Whin Fell Blue is a cheese. It was entered at the 1998 Thornwaite Cup.",
            "+ Whin Fell Blue shown_at 1998 Thornwaite Cup",
        ),
        (
            "Whin Fell Blue is a cheese. It was entered at the 26th Thornwaite Cup.",
            "+ Whin Fell Blue shown_at 26th Thornwaite Cup",
        ),
    ] {
        yields(&dairies, text, &[claim]);
    }
}

fn people() -> Rules {
    rules(
        "person
         person|ruler / aliases=king;duke
         place
         place|town
         organization
         organization|school
         work
         work|film
         work|series
         event",
        "born_in / src=person / dst=place / cues=born in
         born_on / src=person / dst=literal:date / cues=born
         child_of / src=person / dst=person / cues=son of;daughter of
         sibling / src=person / dst=person / cues=brother
         succeeded / src=person / dst=person / cues=<replaced by
         acted_in / src=person / dst=work / cues=<starring;<stars;appears in
         broadcast / src=work|series / dst=person / cues=hosted by
         founded_on / src=organization / dst=literal:date / cues=founded;launched
         members / src=organization / dst=literal:number / cues=students
         office / src=person / dst=literal:text / cues=worked as
         deaths / src=event / dst=literal:number / cues=killed",
        "",
    )
}

#[test]
fn a_name_is_read_to_its_end() {
    let people = people();
    yields(
        &people,
        "Ruth \"Red\" Calder (born 1931) is a person.",
        &["+ Ruth \"Red\" Calder born_on \"1931\""],
    );
    yields(
        &people,
        "Hugo Berg was the son of King Osric the Bald.",
        &["+ Hugo Berg child_of Osric the Bald"],
    );
    yields(
        &people,
        "Hugo Berg was the son of King Osric Vane I of Lorne.",
        &["+ Hugo Berg child_of Osric Vane I"],
    );
    yields(
        &people,
        "The film Long Quay is a film starring Abel Moss, Jr. and Ines Holt.",
        &["+ Abel Moss, Jr. acted_in Long Quay", "+ Ines Holt acted_in Long Quay"],
    );
}

#[test]
fn a_name_that_is_cut_short_makes_no_claim() {
    let people = people();
    yields(&people, "Hugo Berg was the son of Ulric Stane- Holm, a duke.", &[]);
    yields(&people, "Hugo Berg was the son of Osmer of Lorne.", &[]);
    yields(&people, "Cold Bay is a series hosted by the Lorne family of Kell.", &[]);
}

#[test]
fn the_son_is_who_was_born_and_not_the_place() {
    yields(
        &people(),
        "Hugo Berg was born in Kell, the son of Ivar Quill.",
        &["+ Hugo Berg born_in Kell", "+ Hugo Berg child_of Ivar Quill"],
    );
}

#[test]
fn one_noun_names_one_and_respectively_pairs() {
    let people = people();
    yields(
        &people,
        "Hugo Berg met his brother Ivar Berg, Ada Quill and Tom Reed.",
        &["+ Hugo Berg sibling Ivar Berg"],
    );
    yields(
        &people,
        "Hugo Berg and Ivar Holm were replaced by Ada Quill and Tom Reed, respectively.",
        &["+ Ada Quill succeeded Hugo Berg", "+ Tom Reed succeeded Ivar Holm"],
    );
}

#[test]
fn a_pronoun_is_not_what_the_sentence_says_another_thing_is() {
    let people = people();
    yields(
        &people,
        "Cold Bay is a series. It is a series hosted by Hugo Berg, a person.",
        &["+ Cold Bay broadcast Hugo Berg"],
    );
    yields(&people, "Cold Bay is a series. It is one of the films hosted by Hugo Berg, a person.", &[]);
}

#[test]
fn a_value_is_that_of_its_own_noun_and_verb() {
    let people = people();
    yields(
        &people,
        "Kell School is a school with 6,000 students from 36 countries.",
        &["+ Kell School members \"6000\""],
    );
    yields(&people, "Kell School is a school. Kell School launched Quarry ciders in 1990.", &[]);
    yields(&people, "Hugo Berg worked as clerk for five years.", &["+ Hugo Berg office \"clerk\""]);
}

#[test]
fn a_lone_word_is_no_event_because_a_verb_wants_one() {
    yields(&people(), "Storms in Kell and Lorne killed 48 people.", &[]);
    yields(&people(), "Hugo Berg, a person, appears in Kellywood films.", &[]);
}
