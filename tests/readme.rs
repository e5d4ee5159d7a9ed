//! What the README shows is what the program prints.

use std::fs;
use std::path::PathBuf;

use crate::env::{TestEnv, repository};

/// The variable that has the transcript written anew instead of compared; `cargo xtask gen` sets it.
const UPDATE: &str = "MGE_TEST_UPDATE";

/// The width of the terminal in which the transcript is shown.
const WIDTH: &str = "100";

/// A piece of a page.
enum Piece {
    /// A line that is no part of a transcript.
    Line(String),
    /// A command of a transcript, with the lines that are shown below it.
    Shown(Shown),
}

struct Shown {
    command: String,
    lines: Vec<String>,
}

/// Takes the commands out of all blocks of a page that show a terminal.
fn pieces(page: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_inside = line == "```console";
        }
        match (line.strip_prefix("$ ").filter(|_| is_inside), pieces.last_mut()) {
            (Some(command), _) => {
                pieces.push(Piece::Shown(Shown { command: command.to_owned(), lines: Vec::new() }));
            }
            (None, Some(Piece::Shown(shown))) if is_inside => shown.lines.push(line.to_owned()),
            _ => pieces.push(Piece::Line(line.to_owned())),
        }
    }
    pieces
}

/// Puts a page together again.
fn page_of(pieces: &[Piece]) -> String {
    let mut page = String::new();
    for piece in pieces {
        match piece {
            Piece::Line(line) => page.push_str(&format!("{line}\n")),
            Piece::Shown(shown) => {
                page.push_str(&format!("$ {}\n", shown.command));
                shown.lines.iter().for_each(|line| page.push_str(&format!("{line}\n")));
            }
        }
    }
    page
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

/// Tells why the lines shown are not those printed; a line of nothing but `…` stands for any number of them.
fn difference(shown: &Shown, printed: &str, room: &str) -> Option<String> {
    let settle = |line: &str| settled(line, room);
    let printed: Vec<String> = printed.trim_end().lines().map(settle).collect();
    let mut rest = printed.as_slice();
    let mut may_skip = false;
    for line in shown.lines.iter().map(|line| settle(line)) {
        if line.trim() == "…" {
            may_skip = true;
            continue;
        }
        let at = rest.iter().position(|printed| *printed == line);
        let Some(at) = at.filter(|at| may_skip || *at == 0) else {
            return Some(format!(
                "{line:?} is shown, which is not what comes now in\n{}",
                printed.join("\n")
            ));
        };
        rest = &rest[at + 1..];
        may_skip = false;
    }
    let is_whole = may_skip || rest.is_empty();
    (!is_whole).then(|| format!("more is printed than is shown:\n{}", rest.join("\n")))
}

#[test]
fn the_transcript_of_the_readme_is_true() {
    let path = repository().join("README.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut pieces = pieces(&page);
    assert_eq!(page_of(&pieces), page);
    let is_update = std::env::var_os(UPDATE).is_some();
    let env = TestEnv::new();
    let room = env.room().to_str().unwrap();
    let mut folder: PathBuf = env.path("");
    let mut asked = 0;
    for piece in &mut pieces {
        let Piece::Shown(shown) = piece else { continue };
        match words(&shown.command).split_first() {
            Some((program, [into])) if program == "cd" => folder.push(into),
            Some((program, words)) if program == "mge" => {
                asked += usize::from(words[0] == "ask");
                let ran = env.mge(words).within(&folder).env("COLUMNS", WIDTH).run();
                // What is not known is an answer that a transcript may show.
                assert!(matches!(ran.code(), Some(0 | 7)), "{ran}");
                let Some(difference) = difference(shown, &ran.stdout, room) else { continue };
                assert!(is_update, "$ {}\n{difference}\ncargo xtask gen writes it anew", shown.command);
                shown.lines = ran.stdout.lines().map(str::to_owned).collect();
            }
            _ => panic!("a transcript shows mge and cd only: {}", shown.command),
        }
    }
    assert!(asked > 0, "the README asks nothing");
    if is_update && page_of(&pieces) != page {
        fs::write(path, page_of(&pieces)).unwrap();
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
