//! What is broken, missing, too large or too deep gets a clear word and harms nothing.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::env::claims::assert_same_export;
use crate::env::dice::Dice;
use crate::env::story::Story;
use crate::env::{Endpoint, Ran, TestEnv, json_lines, number, system, text};

/// A document that a test adds to the template, and something that only it says.
const GOOD: (&str, &str) =
    ("extra/good.md", "# News\n\nThe ferry Merganser is owned by Tellvik Shipping. It was built in 1951.\n");

// ---------------------------------------------------------------- configuration

/// Runs `check` on a broken endpoint, as a person and as a script; both must end with 2.
fn refuse(town: &Endpoint<'_>) -> (Ran, Vec<Value>) {
    let ran = town.mge::<&str>("check", []).exits(2);
    assert!(ran.everything().len() < 6_000, "pages of text for one mistake:\n{ran}");
    let json = town.json("check").exits(2).json();
    assert_eq!((&json["version"], &json["ok"]), (&1.into(), &false.into()));
    let problems = json["problems"].as_array().unwrap().clone();
    for command in ["status", "pilot", "crawl"] {
        let other = town.mge::<&str>(command, []).run();
        assert_eq!(other.code(), Some(2), "{other}");
    }
    (ran, problems)
}

fn errors(problems: &[Value]) -> Vec<&Value> {
    problems.iter().filter(|problem| problem["severity"] == "error").collect()
}

#[test]
fn invalid_json5_is_shown_with_its_file_line_and_column() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    fs::write(town.path("agents.jsonc"), "{\n  // one\n  // two\n  // three\n  // four\n  // five\n  ]\n}\n")
        .unwrap();
    let (ran, problems) = refuse(&town);
    ran.assert_answers(["agents.jsonc", "7:3"]);
    let errors = errors(&problems);
    assert_eq!(errors.len(), 1, "{problems:?}");
    assert_eq!((&errors[0]["line"], &errors[0]["column"]), (&7.into(), &3.into()));
    assert!(text(errors[0], "file").ends_with("agents.jsonc"));
}

#[test]
fn all_problems_of_all_files_are_reported_at_once() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    town.replace("sources.jsonc", "\"cluster_size\": 256", "\"cluster_size\": 0");
    town.replace("sources.jsonc", "\"date_from\"", "\"date_form\"");
    town.replace("evidence_graphs.jsonc", "\"weighing\"", "\"wieghing\"");
    fs::write(town.path("memories.jsonc"), "{,}").unwrap();
    let (_, problems) = refuse(&town);
    assert!(errors(&problems).len() >= 4, "{problems:?}");
    for file in ["sources.jsonc", "evidence_graphs.jsonc", "memories.jsonc"] {
        assert!(
            errors(&problems).iter().any(|problem| text(problem, "file").ends_with(file)),
            "{problems:?}"
        );
    }
}

#[test]
fn a_key_that_stands_twice_is_an_error() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    town.replace(
        "sources.jsonc",
        "\"language\": \"en\",",
        "\"language\": \"en\",\n\t\t\t\"language\": \"de\",",
    );
    let (ran, _) = refuse(&town);
    ran.assert_answers(["language", "sources.jsonc", "twice"]);
}

#[test]
fn an_unknown_key_near_a_known_one_is_an_error_that_names_it() {
    let env = TestEnv::new();
    for (file, right, wrong) in [
        ("sources.jsonc", "cluster_size", "cluster_sise"),
        ("mge_endpoint.jsonc", "timezone", "time_zone"),
        ("evidence_graphs.jsonc", "support_floor", "suport_floor"),
        ("formalizers.jsonc", "threshold", "treshold"),
        ("ontologies.jsonc", "initial_edges", "inital_edges"),
    ] {
        let town = env.init(&format!("town_{right}"), &[]);
        town.replace(file, &format!("\"{right}\""), &format!("\"{wrong}\""));
        let (ran, problems) = refuse(&town);
        ran.assert_answers([wrong, right, file]);
        let hint = errors(&problems).iter().any(|problem| problem.to_string().contains(right));
        assert!(hint, "{problems:?}");
    }
}

#[test]
fn files_that_refer_to_each_other_in_a_ring_are_named_with_the_whole_ring() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    fs::write(town.path("agents.jsonc"), "{\"a\": {\"$ref\": \"./ring.jsonc\"}}").unwrap();
    fs::write(town.path("ring.jsonc"), "{\"b\": {\"$ref\": \"./agents.jsonc\"}}").unwrap();
    let (ran, _) = refuse(&town);
    ran.assert_answers(["agents.jsonc", "ring.jsonc"]);
}

#[test]
fn a_missing_part_of_the_configuration_is_named() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    fs::remove_file(town.path("formalizers.jsonc")).unwrap();
    let (ran, _) = refuse(&town);
    ran.assert_answers(["formalizers.jsonc"]);
}

#[test]
fn tools_in_a_ring_are_an_error_that_prints_the_ring() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    // The ontology asks for the formalizer, which asks for the ontology.
    let path = town.path("ontologies.jsonc");
    let content = fs::read_to_string(&path).unwrap();
    fs::write(&path, content.replacen("\"tools\": []", "\"tools\": [\"rules\"]", 1)).unwrap();
    let check = town.mge::<&str>("check", []).exits(2);
    let said = check.everything();
    assert!(said.contains("entities") && said.contains("rules"), "{check}");
    let ring = ["entities → rules → entities", "rules → entities → rules", "entities -> rules -> entities"];
    assert!(
        ring.iter().any(|ring| said.contains(ring)) || said.contains("rules -> entities -> rules"),
        "{check}"
    );
    let pilot = town.mge::<&str>("pilot", []).run();
    assert!(matches!(pilot.code(), Some(2 | 3)), "{pilot}");
}

#[test]
fn a_tool_that_nobody_offers_is_an_error_with_a_near_name() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    town.replace("evidence_graphs.jsonc", "\"tools\": [\"documents\", ", "\"tools\": [\"documants\", ");
    let check = town.mge::<&str>("check", []).exits(2);
    assert!(check.everything().contains("documants") && check.everything().contains("documents"), "{check}");
}

#[test]
fn a_hundred_thousand_brackets_are_refused_and_not_followed() {
    let env = TestEnv::new();
    for open in ["[", "{\"a\":"] {
        let town = env.init(if open == "[" { "lists" } else { "objects" }, &[]);
        fs::write(town.path("agents.jsonc"), format!("{{\"a\": {}", open.repeat(100_000))).unwrap();
        let (ran, _) = refuse(&town);
        ran.assert_answers(["agents.jsonc", "deep"]);
    }
}

#[test]
fn a_configuration_that_is_no_text_is_refused() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    fs::write(town.path("agents.jsonc"), b"{\"a\": \"\xff\xfe\xe9\"}").unwrap();
    let (ran, _) = refuse(&town);
    ran.assert_answers(["agents.jsonc", "utf-8"]);
}

#[test]
fn a_broken_row_of_an_ontology_is_named_by_file_and_line() {
    let env = TestEnv::new();
    let town = env.init("town", &[]);
    let path = town.path("ontology_source/entities_concepts.csv");
    let content = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{content}\tno id here\t\t\n")).unwrap();
    let lines = content.lines().count() + 1;
    let check = town.mge::<&str>("check", []).run();
    let place = format!("entities_concepts.csv:{lines}");
    assert!(check.everything().contains(&place), "{place} in\n{check}");
    fs::remove_file(&path).unwrap();
    let pilot = town.mge::<&str>("pilot", []).run();
    assert!(matches!(pilot.code(), Some(2..=4)), "{pilot}");
    pilot.assert_says(["entities_concepts.csv"]);
}

// ---------------------------------------------------------------- documents

/// Crawls an endpoint to which something was added that cannot be read; all else is there nevertheless.
fn crawl_around(town: &Endpoint<'_>, bad: &str, wrapper: &[&str]) -> Ran {
    let before = town.export();
    town.write(GOOD.0, GOOD.1);
    let ran = town.mge("crawl", ["--all", "--json"]).through(wrapper).exits(1);
    let report = ran.last("finished");
    assert_eq!(report["stopped_by"], "done", "{report}");
    let is_bad = |line: &Value| line["type"] == "chunk_failed" && text(line, "index").contains(bad);
    let failed = ran.lines().into_iter().find(is_bad).unwrap_or_else(|| panic!("{bad} is not named: {ran}"));
    assert!(!text(&failed, "reason").is_empty(), "{failed}");
    let person = town.mge("crawl", ["--all"]).through(wrapper).run();
    assert_eq!(person.code(), Some(1), "what failed is said again:\n{person}");
    person.assert_says([bad]);
    assert_good_is_there(town);
    assert_nothing_lost(&before, town);
    town.assert_sound();
    ran
}

fn assert_good_is_there(town: &Endpoint<'_>) {
    let export = town.export();
    assert!(export.contains("Merganser") && export.contains(GOOD.0), "the other new document was not read");
}

/// All evidence of the template is still there.
fn assert_nothing_lost(before: &str, town: &Endpoint<'_>) {
    let quotes = |export: &str| -> Vec<String> {
        let lines = json_lines(export);
        let evidence = lines.iter().filter(|line| line["type"] == "evidence");
        evidence.map(|line| format!("{} {}", text(line, "index"), text(line, "quote"))).collect()
    };
    let after = quotes(&town.export());
    let lost: Vec<String> = quotes(before).into_iter().filter(|quote| !after.contains(quote)).collect();
    assert!(lost.is_empty(), "{} pieces of evidence are lost: {lost:?}", lost.len());
}

#[test]
fn a_document_that_may_not_be_read_fails_alone_and_by_name() {
    let env = TestEnv::new();
    let Some(wrapper) = system::without_privileges() else { return };
    let town = env.town();
    town.write("forbidden.md", "# No\n");
    fs::create_dir(town.documents().join("closed")).unwrap();
    town.write("closed/hidden.md", "# No\n");
    let close = |mode| {
        fs::set_permissions(town.documents().join("forbidden.md"), Permissions::from_mode(mode)).unwrap();
        fs::set_permissions(town.documents().join("closed"), Permissions::from_mode(mode)).unwrap();
    };
    close(0o000);
    let ran = crawl_around(&town, "forbidden.md", &wrapper);
    close(0o700);
    assert!(ran.everything().contains("closed"), "a folder that may not be read is named as well: {ran}");
    town.mge("crawl", ["--all"]).ok();
}

#[test]
fn a_document_of_two_hundred_megabytes_is_refused_with_its_size_and_the_limit() {
    let env = TestEnv::new();
    let town = env.town();
    let file = File::create(town.documents().join("huge.md")).unwrap();
    let line = "The ferry Petrel is owned by nobody in particular. ".repeat(20_000);
    for _ in 0..200 {
        (&file).write_all(line.as_bytes()).unwrap();
    }
    assert!(file.metadata().unwrap().len() > 200_000_000);
    crawl_around(&town, "huge.md", &[]);
    fs::remove_file(town.documents().join("huge.md")).unwrap();
    town.mge("crawl", ["--all"]).ok();
}

#[test]
fn a_binary_file_is_skipped_by_name() {
    let env = TestEnv::new();
    let town = env.town();
    let mut dice = Dice::fixed(5);
    let noise: Vec<u8> = (0..200_000).map(|_| dice.next().to_le_bytes()[0]).collect();
    town.write("noise.md", &noise);
    crawl_around(&town, "noise.md", &[]);
}

#[test]
fn texts_in_other_encodings_are_read_as_what_they_are() {
    let env = TestEnv::new();
    let town = env.town();
    let said = "# Neuigkeiten\n\nDie Fähre fährt wieder. The ferry Möwe is owned by Tellvik Shipping.\n";
    let latin: Vec<u8> = said.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let utf16 = |big: bool| -> Vec<u8> {
        let units = std::iter::once(0xfeff)
            .chain(said.replace("Möwe", "Sturmmöwe").encode_utf16().collect::<Vec<_>>());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    town.write("latin.md", latin);
    town.write("little.md", utf16(false));
    town.write("big.md", utf16(true));
    town.write("marked.md", format!("\u{feff}{}", said.replace("Möwe", "Lachmöwe")));
    town.crawl();
    let export = town.exported();
    for (document, name) in
        [("latin.md", "Möwe"), ("little.md", "Sturmmöwe"), ("big.md", "Sturmmöwe"), ("marked.md", "Lachmöwe")]
    {
        let quote = format!("The ferry {name} is owned by Tellvik Shipping");
        let found = export.iter().any(|line| {
            line["type"] == "evidence"
                && text(line, "index").contains(document)
                && text(line, "quote").contains(&quote)
        });
        assert!(found, "nothing cites {document}");
    }
    town.assert_sound();
}

#[test]
fn odd_but_valid_documents_are_read_without_a_word_of_complaint() {
    let env = TestEnv::new();
    let town = env.town();
    town.write("empty.md", "");
    town.write("blank.md", " \n\t\n\u{a0}\n");
    town.write("one-line.md", format!("# Long\n\n{}\n", "word ".repeat(40_000)));
    town.write("one-word.md", "a".repeat(1_000_000));
    town.write("deep.md", format!("{}x\n", "> ".repeat(20_000)));
    town.write("brackets.md", "[".repeat(100_000));
    town.write("front.md", "---\ntitle: [unclosed\ndate: 2023-99-99\n---\n\n# Front\n");
    town.write("controls.md", "# Bell\u{7}\n\nThe\u{1b}[31m ferry\u{202e} Petrel\u{b} sails.\n");
    town.write(GOOD.0, GOOD.1);
    let ran = town.mge("crawl", ["--all", "--json"]).ok();
    assert_eq!(ran.last("finished")["chunks_failed"], 0);
    assert_good_is_there(&town);
    town.assert_sound();
    let shown = town.mge("show", ["documents|controls.md"]).ok();
    assert!(!shown.stdout.contains('\u{1b}'), "a document's controls reach the terminal: {shown}");
}

#[test]
fn a_folder_that_is_not_there_is_named_and_costs_nothing_that_was_read() {
    let env = TestEnv::new();
    let town = env.town();
    let before = town.export();
    let aside = env.path("aside");
    fs::rename(town.documents(), &aside).unwrap();
    let ran = town.mge("crawl", ["--all"]).run();
    assert!(matches!(ran.code(), Some(1..=4)), "a vanished folder is a failure, not an empty corpus:\n{ran}");
    ran.assert_says(["documents"]);
    fs::rename(&aside, town.documents()).unwrap();
    assert_same_export(&before, &town.export(), "before and after the folder was away");
    town.mge("crawl", ["--all"]).ok();
    assert_same_export(&before, &town.export(), "before and after the folder was away");
}

#[test]
fn files_that_vanish_and_appear_during_a_crawl_do_not_end_it() {
    let env = TestEnv::new();
    let town = env.town_of("", &Story::new(Dice::fixed(8), 200).documents(200));
    let mut crawl = town.mge("crawl", ["--all", "--json"]).start();
    crawl.wait_for("started");
    for file in 150..200 {
        fs::remove_file(town.documents().join(crate::env::story::path(file))).unwrap();
    }
    town.write(GOOD.0, GOOD.1);
    let ran = crawl.end();
    ran.assert_civil();
    assert!(matches!(ran.code(), Some(0 | 1)), "{ran}");
    town.assert_sound();
    town.mge("crawl", ["--all"]).ok();
    assert_good_is_there(&town);
    assert!(!town.export().contains("report-0199.md"), "a file that is gone is still cited");
    town.assert_sound();
}

#[test]
fn symbolic_links_in_a_ring_end() {
    let env = TestEnv::new();
    let town = env.town();
    std::os::unix::fs::symlink("..", town.documents().join("ferry/up")).unwrap();
    std::os::unix::fs::symlink("nowhere", town.documents().join("broken.md")).unwrap();
    let before = town.export();
    let ran = town.mge("crawl", ["--all"]).run();
    assert!(matches!(ran.code(), Some(0 | 1)), "{ran}");
    assert_same_export(&before, &town.export(), "without and with links");
}

// ---------------------------------------------------------------- the disk

#[test]
fn a_full_disk_ends_a_crawl_with_a_word_and_the_next_one_goes_on_from_there() {
    let env = TestEnv::new();
    let Some(wrapper) = system::with_own_mounts() else { return };
    let town = env.town_of("", &Story::new(Dice::fixed(9), 120).documents(120));
    town.mge::<&str>("pilot", []).ok();
    let script = "
        disk=$1/disk; out=$1; town=$2; shift 2
        mkdir $disk; mount -t tmpfs -o size=12m tmpfs $disk; cp -r $town $disk/town
        fill() { head -c $(($(df --output=avail -B1 $disk | tail -1) - $1)) /dev/zero > $disk/filler; }
        fill 200000
        code=0; \"$@\" crawl $disk/town --all >$out/out 2>$out/err || code=$?; echo $code >$out/code
        \"$@\" fsck $disk/town >$out/fsck 2>&1 || echo failed >>$out/fsck.failed
        \"$@\" status $disk/town --json >$out/status
        rm $disk/filler
        \"$@\" crawl $disk/town --all
        \"$@\" fsck $disk/town
        \"$@\" export $disk/town >$out/export";
    let out = env.folder("out");
    let words: Vec<&std::ffi::OsStr> = wrapper.iter().map(std::ffi::OsStr::new).collect();
    let words = [words, vec![script.as_ref(), "sh".as_ref(), out.as_ref(), town.folder().as_ref()]].concat();
    env.mge::<&str>([]).through(words).ok();
    let of = |name: &str| fs::read_to_string(out.join(name)).unwrap_or_default();
    assert_eq!(of("code").trim(), "4", "{}", of("err"));
    let said = of("err").to_lowercase();
    assert!(said.contains("full") || said.contains("no space"), "{said}");
    assert!(!said.contains("panicked") && said.len() < 2_000, "{said}");
    assert_eq!(of("fsck.failed"), "", "after the full disk: {}", of("fsck"));
    town.crawl();
    assert_same_export(
        &town.export(),
        &of("export"),
        "on a disk with room and on one that was full in between",
    );
}

// ---------------------------------------------------------------- the store

/// What may have happened to a store, and what the program must say to it.
struct Damage {
    name: &'static str,
    does: fn(&Endpoint<'_>),
    says: &'static [&'static str],
}

const DAMAGES: [Damage; 7] = [
    Damage {
        name: "the middle overwritten",
        does: |town| {
            let mut file = OpenOptions::new().write(true).open(town.store()).unwrap();
            let length = file.metadata().unwrap().len();
            file.seek(SeekFrom::Start(4096)).unwrap();
            file.write_all(&vec![0xa5; usize::try_from(length - 8192).unwrap()]).unwrap();
        },
        says: &["damaged"],
    },
    Damage {
        name: "cut off",
        does: |town| {
            let file = OpenOptions::new().write(true).open(town.store()).unwrap();
            file.set_len(file.metadata().unwrap().len() / 2).unwrap();
        },
        says: &["damaged"],
    },
    Damage {
        name: "noise instead of it",
        does: |town| {
            let mut dice = Dice::fixed(6);
            let noise: Vec<u8> = (0..60_000).map(|_| dice.next().to_le_bytes()[0]).collect();
            fs::write(town.store(), noise).unwrap();
        },
        says: &["damaged"],
    },
    Damage {
        name: "a text instead of it",
        does: |town| fs::write(town.store(), "This is no database.\n").unwrap(),
        says: &["damaged"],
    },
    Damage {
        name: "a folder instead of it",
        does: |town| {
            fs::remove_file(town.store()).unwrap();
            fs::create_dir(town.store()).unwrap();
        },
        says: &[],
    },
    Damage { name: "a newer format", does: |town| patch(town, 60, 9_999), says: &["format 9999"] },
    Damage { name: "another program's", does: |town| patch(town, 68, 0x4242_4242), says: &["application"] },
];

/// Overwrites a number in the header of a store.
fn patch(town: &Endpoint<'_>, at: u64, value: u32) {
    let mut file = OpenOptions::new().write(true).open(town.store()).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&value.to_be_bytes()).unwrap();
}

#[test]
fn a_store_that_cannot_be_used_is_reported_and_never_emptied() {
    let env = TestEnv::new();
    for (position, damage) in DAMAGES.iter().enumerate() {
        let town = env.town_in(&position.to_string());
        (damage.does)(&town);
        let kept = fs::read(town.store()).ok();
        for words in [
            &["export"][..],
            &["ask", "Who leads the Eelgrass Atlas?"],
            &["crawl", "--all"],
            &["fsck"],
            &["rebuild"],
        ] {
            let ran = town.mge(words[0], &words[1..]).run();
            let name = damage.name;
            assert!(matches!(ran.code(), Some(1..=4)), "{name}: {ran}");
            assert!(!ran.stderr.trim().is_empty() && ran.stderr.len() < 4_000, "{name}: {ran}");
            let said = ran.everything().to_lowercase();
            assert!(
                said.contains("graph.sqlite") || said.contains("e_graph"),
                "{name}: it does not say where: {ran}"
            );
            for word in damage.says {
                assert!(said.contains(word), "{name}: it does not say {word:?}: {ran}");
            }
            assert_eq!(fs::read(town.store()).ok(), kept, "{name}: {} changed the file", words[0]);
        }
        town.mge::<&str>("status", []).ok();
        assert_eq!(town.status()["lock"]["state"], "free", "{}: the lock was not freed", damage.name);
        // The way out that costs nothing but time: all is read anew.
        let _ = fs::remove_dir_all(town.store());
        fs::remove_dir_all(town.store().parent().unwrap()).unwrap();
        assert!(number(&town.crawl(), "claims_new") > 0);
    }
}

#[test]
fn a_store_of_no_bytes_is_not_taken_for_a_graph_without_claims() {
    let env = TestEnv::new();
    let town = env.town();
    fs::write(town.store(), "").unwrap();
    for words in [&["export"][..], &["ask", "Who leads the Eelgrass Atlas?"], &["fsck"], &["search", "ferry"]]
    {
        let ran = town.mge(words[0], &words[1..]).run();
        assert!(matches!(ran.code(), Some(1..=4)), "{ran}");
        assert!(!ran.stderr.trim().is_empty(), "{ran}");
    }
    let crawl = town.mge("crawl", ["--all"]).run();
    assert!(!crawl.stderr.trim().is_empty(), "what was decided by hand is gone, and nobody is told: {crawl}");
}

#[test]
fn one_wrong_byte_in_a_store_never_gets_past_the_proof_or_a_panic() {
    let env = TestEnv::new();
    let mut dice = Dice::new("wrong bytes", 4_711);
    let town = env.town();
    let sound = fs::read(town.store()).unwrap();
    let right = town.export();
    for _ in 0..12 {
        let mut wrong = sound.clone();
        let place = 100 + dice.below(wrong.len() - 100);
        wrong[place] ^= 1 << dice.below(8);
        fs::write(town.store(), &wrong).unwrap();
        let fsck = town.mge::<&str>("fsck", []).run();
        let export = town.mge::<&str>("export", []).run();
        // A byte in unused space changes nothing; any other is found by the proof.
        let harmless = export.code() == Some(0) && export.stdout == right;
        assert!(harmless || fsck.code() != Some(0), "byte {place} went unnoticed:\n{fsck}\n{export}");
    }
    fs::write(town.store(), sound).unwrap();
    town.assert_sound();
}
