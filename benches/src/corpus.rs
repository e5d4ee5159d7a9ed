//! Files to measure with: generated, the same every time.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::Failure;

/// A small generator of numbers (Marsaglia 2003, xorshift64).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap_or(0)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.next(from.len())]
    }
}

const WORDS: &[&str] = &[
    "harbour", "window", "river", "ledger", "small", "quiet", "report", "season", "engine", "north", "paper",
    "signal", "measure", "visit", "carry", "answer", "between", "under", "every", "morning", "repair",
    "water", "stone", "light",
];

/// Writes Markdown files of about `size` bytes each, in folders; returns the bytes.
///
/// A file of 5,000 bytes has about 141 nodes, as those have that the original was measured with.
pub(crate) fn tree(folder: &Path, files: usize, size: usize) -> Result<usize, Failure> {
    let mut numbers = Numbers(7);
    let mut bytes = 0;
    for file in 0..files {
        let below = folder.join(format!("part_{:02}", file % 40));
        fs::create_dir_all(&below)?;
        let mut text = format!("# File {file}\n\n");
        let mut section = 0;
        while text.len() + SECTION / 2 < size {
            section += 1;
            write!(text, "## Section {section}\n\n")?;
            for _ in 0..4 {
                for _ in 0..36 {
                    text.push_str(numbers.pick(WORDS));
                    text.push(' ');
                }
                write!(text, "[{section}](https://example.org/{section}).\n\n")?;
            }
            for item in 0..3 + usize::from(section == 1) {
                writeln!(text, "- {} {item} {}", numbers.pick(WORDS), numbers.pick(WORDS))?;
            }
            text.push_str("\n| a | b | c |\n|---|---|---|\n");
            for _ in 0..2 {
                let (left, middle, right) = (numbers.pick(WORDS), numbers.pick(WORDS), numbers.pick(WORDS));
                writeln!(text, "| {left} | {middle} | {right} |")?;
            }
            text.push('\n');
        }
        bytes += text.len();
        fs::write(below.join(format!("file_{file:05}.md")), text)?;
    }
    Ok(bytes)
}

/// The bytes of a section, about.
const SECTION: usize = 1_250;

/// Writes the two tables of an ontology graph: a tree of nodes, and edges between random ones.
pub(crate) fn ontology(folder: &Path, nodes: usize, edges: usize) -> Result<(), Failure> {
    fs::create_dir_all(folder)?;
    let name = |node: usize| format!("group_{}|part_{}|node_{node}", node % 100, node % 1000);
    let mut table = String::from("id\tdefinition\n");
    for node in 0..nodes {
        writeln!(table, "{}\tThe node of number {node}", name(node))?;
    }
    fs::write(folder.join("nodes.csv"), table)?;
    let mut numbers = Numbers(11);
    let mut table = String::from("src\tdst\tid\tweight\n");
    for edge in 0..edges {
        let (from, to) = (numbers.next(nodes), numbers.next(nodes));
        writeln!(table, "{}\t{}\tedge_{edge}\t{}", name(from), name(to), edge % 17)?;
    }
    fs::write(folder.join("edges.csv"), table)?;
    Ok(())
}

const GIVEN: &[&str] =
    &["Alda", "Bruno", "Carla", "Dario", "Edda", "Falk", "Greta", "Hanno", "Ilse", "Jonas"];
const START: &[&str] = &["Bar", "Cor", "Del", "Fen", "Gal", "Hol", "Kor", "Lan", "Mor", "Nor", "Pel", "Ros"];
const MIDDLE: &[&str] = &["a", "e", "i", "o", "ander", "enth", "ing", "ol"];
const END: &[&str] =
    &["by", "dal", "den", "feld", "ker", "lund", "mark", "ner", "son", "ton", "wick", "worth"];

/// Writes documents of twenty paragraphs that state facts in the words of the template's ontology.
pub(crate) fn statements(folder: &Path, chunks: usize) -> Result<(), Failure> {
    const PARAGRAPHS: usize = 20;
    let mut numbers = Numbers(23);
    // As many names as a corpus of this size would have: each comes back about ten times.
    let names = (chunks / 10).max(20);
    let surname = |number: usize| {
        let (first, rest) = (number % START.len(), number / START.len());
        let (second, rest) = (rest % MIDDLE.len(), rest / MIDDLE.len());
        let (third, rest) = (rest % END.len(), rest / END.len());
        let double =
            if rest == 0 { String::new() } else { format!("-{}{}", START[rest % 12], END[rest / 12 % 12]) };
        format!("{}{}{}{double}", START[first], MIDDLE[second], END[third])
    };
    let documents = chunks.div_ceil(PARAGRAPHS);
    for document in 0..documents {
        let below = folder.join(format!("part_{:03}", document / 100));
        fs::create_dir_all(&below)?;
        let year = 1990 + document % 35;
        let mut text =
            format!("---\ntitle: Report {document}\ndate: {year}-0{}-15\n---\n\n", 1 + document % 9);
        for _ in 0..PARAGRAPHS {
            let person = format!("{} {}", numbers.pick(GIVEN), surname(numbers.next(names)));
            let place = surname(numbers.next(names));
            let other = surname(numbers.next(names));
            match numbers.next(6) {
                0 => write!(text, "{person} has directed the {place} Institute since {}.", year - 3)?,
                1 => write!(text, "The ferry {other} is owned by the {place} Shipping Company.")?,
                2 => write!(text, "{person}, a scientist, works at the {place} Institute.")?,
                3 => write!(text, "The {place} Institute is based in {other}, a town on the coast.")?,
                4 => write!(text, "Captain {person} commands the ferry {other}.")?,
                _ => write!(text, "{person} no longer works at the {place} Institute.")?,
            }
            let (left, right) = (numbers.pick(WORDS), numbers.pick(WORDS));
            write!(
                text,
                " The {left} was {right} in the evening, and nobody minded the {}.\n\n",
                numbers.pick(WORDS)
            )?;
        }
        fs::write(below.join(format!("report_{document:05}.md")), text)?;
    }
    Ok(())
}

/// Writes files of one short paragraph, a thousand in a folder.
pub(crate) fn small_files(folder: &Path, files: usize) -> Result<(), Failure> {
    let mut numbers = Numbers(5);
    for file in 0..files {
        let below = folder.join(format!("part_{:04}", file / 1_000));
        if file % 1_000 == 0 {
            fs::create_dir_all(&below)?;
        }
        let (one, other) = (numbers.pick(WORDS), numbers.pick(WORDS));
        fs::write(
            below.join(format!("note_{file:07}.md")),
            format!("# Note {file}\n\nThe {one} {other}.\n"),
        )?;
    }
    Ok(())
}

/// Makes pages of wikitext with what articles have: an infobox, headings, lists, a table, links, notes.
pub(crate) fn wikitext() -> Vec<String> {
    let mut numbers = Numbers(11);
    (0..20)
        .map(|page| {
            let mut text = format!(
                "{{{{Infobox settlement|name=Place {page}|population={}|established={{{{start date|19{:02}}}}}}}}}\n\
                 '''Place {page}''' is a [[town]] on the [[river {page}|river]].<ref>Report {page}</ref>\n",
                1_000 + page * 37,
                page + 10
            );
            for section in 0..8 {
                text.push_str(&format!("\n== Section {section} ==\n"));
                for _ in 0..120 {
                    text.push_str(numbers.pick(WORDS));
                    text.push_str(if numbers.next(9) == 0 { " [[" } else { " " });
                    if text.ends_with("[[") {
                        text.push_str(numbers.pick(WORDS));
                        text.push_str("]] ");
                    }
                }
                text.push_str("\n* one\n** ''two''\n{| class=\"wikitable\"\n! a !! b\n|-\n| 1 || 2\n|}\n");
            }
            text
        })
        .collect()
}
