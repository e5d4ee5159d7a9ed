//! What the README shows is what the program prints.

use std::fs;
use std::path::PathBuf;

use crate::env::{TestEnv, repository};

/// A command of a transcript, with the lines that are shown below it.
struct Shown {
    command: String,
    lines: Vec<String>,
}

/// Returns the commands of all blocks of a page that show a terminal.
fn transcript(page: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| is_inside) {
            commands.push(Shown { command: command.to_owned(), lines: Vec::new() });
        } else if let Some(last) = commands.last_mut().filter(|_| is_inside) {
            last.lines.push(line.to_owned());
        }
    }
    commands
}

/// Splits a command into words, as a shell does with quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// Takes out of a line what differs from run to run: how long something took, the day, and where the room is.
fn settled(line: &str, room: &str) -> String {
    let is_number = |word: &str| word.chars().all(|character| character.is_ascii_digit() || character == '.');
    let words: Vec<&str> = line.trim_end().split(' ').collect();
    let mut settled: Vec<String> = Vec::new();
    for (position, word) in words.iter().enumerate() {
        let unit = words.get(position + 1).map_or("", |unit| unit.trim_end_matches([',', ':', ';']));
        let is_duration = !word.is_empty() && is_number(word) && matches!(unit, "s" | "ms");
        settled.push(if is_duration { "N".to_owned() } else { word.replace(room, "") });
    }
    let line = settled.join(" ");
    if line.trim_start().starts_with("creation_date") { "creation_date".to_owned() } else { line }
}

/// Asserts that the lines shown are those printed; a line of nothing but `…` stands for any number of them.
fn compare(shown: &Shown, printed: &str, room: &str) {
    let settle = |line: &str| settled(line, room);
    let printed: Vec<String> = printed.trim_end().lines().map(settle).collect();
    let mut rest = printed.as_slice();
    let mut may_skip = false;
    let expected: Vec<String> = shown.lines.iter().map(|line| settle(line)).collect();
    // Blank lines at the end only set the next command apart.
    let end = expected.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    for line in &expected[..end] {
        if line.trim() == "…" {
            may_skip = true;
            continue;
        }
        let at = rest.iter().position(|printed| printed == line);
        let found = at.filter(|at| may_skip || *at == 0);
        let Some(at) = found else {
            panic!(
                "$ {}\nshows {line:?}, which is not what comes now in\n{}",
                shown.command,
                printed.join("\n")
            );
        };
        rest = &rest[at + 1..];
        may_skip = false;
    }
    assert!(
        may_skip || rest.is_empty(),
        "$ {}\nprints more than is shown:\n{}",
        shown.command,
        rest.join("\n")
    );
}

#[test]
fn the_transcript_of_the_readme_is_true() {
    let page = fs::read_to_string(repository().join("README.md")).unwrap();
    let commands = transcript(&page);
    assert!(commands.iter().any(|shown| shown.command.starts_with("mge ask ")), "the README asks nothing");
    let env = TestEnv::new();
    let mut folder: PathBuf = env.path("");
    for shown in &commands {
        let words = words(&shown.command);
        match words.split_first() {
            Some((program, [into])) if program == "cd" => folder.push(into),
            Some((program, words)) if program == "mge" => {
                // Long lines are cut as they would be on a terminal of this width.
                let ran = env.mge(words).within(&folder).env("COLUMNS", "100").run();
                // What is not known is an answer that a transcript may show.
                assert!(matches!(ran.code(), Some(0 | 7)), "{ran}");
                compare(shown, &ran.stdout, env.room().to_str().unwrap());
            }
            _ => panic!("a transcript shows mge and cd only: {}", shown.command),
        }
    }
}

#[test]
fn the_two_commands_of_the_readme_are_in_its_first_screen() {
    let page = fs::read_to_string(repository().join("README.md")).unwrap();
    let screen: Vec<&str> = page.lines().take(40).collect();
    for command in ["cargo run --release -p mge -- demo", "cargo xtask test"] {
        assert!(
            screen.iter().any(|line| line.starts_with(command)),
            "{command} is not in the first 40 lines"
        );
    }
}
