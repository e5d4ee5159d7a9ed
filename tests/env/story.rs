//! Documents that nobody wrote: prose with the template's relationships about names that the seed makes up.

use std::collections::BTreeSet;

use super::dice::Dice;

const HEADS: [&str; 16] = [
    "Bar", "Dran", "Fen", "Gor", "Jor", "Kel", "Lum", "Mir", "Nor", "Quin", "Ros", "Sel", "Tor", "Ven",
    "Yar", "Zan",
];
const TAILS: [&str; 12] =
    ["owick", "adel", "imar", "unda", "eskay", "orin", "abby", "istal", "umber", "ingra", "ollo", "evash"];
const FIRST_NAMES: [&str; 12] = [
    "Anna", "Boris", "Clara", "David", "Elena", "Frank", "Greta", "Henry", "Irene", "James", "Laura",
    "Martin",
];
const IDLE: [&str; 6] = [
    "Nobody could say afterwards why it had taken so long.",
    "The weather was bad that week, and the coffee was worse.",
    "What will come next? Perhaps nothing at all.",
    "There was applause, and then there was cake.",
    "A decision might be taken in the autumn, if the money allows it.",
    "It was said more than once that everything had been better before.",
];

/// Who and what a story is about.
pub(crate) struct Story {
    dice: Dice,
    persons: Vec<String>,
    companies: Vec<String>,
    towns: Vec<String>,
    ferries: Vec<String>,
    projects: Vec<String>,
}

impl Story {
    /// Makes up a cast; `size` is about the number of documents that it is meant for.
    pub(crate) fn new(mut dice: Dice, size: usize) -> Self {
        let many = (size / 4).clamp(4, 40);
        let mut used = BTreeSet::new();
        let mut names = |count: usize| -> Vec<String> {
            let mut names = Vec::new();
            while names.len() < count {
                let name = format!("{}{}", dice.pick(&HEADS), dice.pick(&TAILS));
                if used.insert(name.clone()) {
                    names.push(name);
                }
            }
            names
        };
        let surnames = names(many);
        let companies = names(many).into_iter().map(|name| format!("{name} Company")).collect();
        let towns = names(many);
        let ferries = names(many);
        let projects = names(many.min(20)).into_iter().map(|name| format!("{name} Survey")).collect();
        let persons =
            surnames.into_iter().map(|name| format!("{} {name}", dice.pick(&FIRST_NAMES))).collect();
        Self { dice, persons, companies, towns, ferries, projects }
    }

    /// Returns documents with their paths.
    pub(crate) fn documents(mut self, count: usize) -> Vec<(String, String)> {
        (0..count).map(|number| (path(number), self.document(number))).collect()
    }

    /// Writes one document.
    pub(crate) fn document(&mut self, number: usize) -> String {
        let year = 1990 + self.dice.below(30);
        let mut text =
            format!("---\ntitle: Report {number}\ndate: {year}-{:02}-15\n---\n\n", 1 + self.dice.below(12));
        text.push_str(&format!("# Report {number}\n\n"));
        for _ in 0..2 + self.dice.below(3) {
            let mut sentences: Vec<String> = (0..1 + self.dice.below(3)).map(|_| self.sentence()).collect();
            sentences.insert(self.dice.below(sentences.len() + 1), self.dice.pick(&IDLE).to_owned());
            text.push_str(&sentences.join(" "));
            text.push_str("\n\n");
        }
        if self.dice.below(4) == 0 {
            text.push_str(&self.table());
        }
        text
    }

    /// Writes one sentence that states something.
    pub(crate) fn sentence(&mut self) -> String {
        let person = one(&mut self.dice, &self.persons);
        let company = one(&mut self.dice, &self.companies);
        let town = one(&mut self.dice, &self.towns);
        let ferry = one(&mut self.dice, &self.ferries);
        let project = one(&mut self.dice, &self.projects);
        let from = 1990 + self.dice.below(15);
        let to = from + 1 + self.dice.below(12);
        match self.dice.below(12) {
            0 => format!("{person} directs the {company}."),
            1 => format!("The ferry {ferry} is owned by the {company}."),
            2 => format!("The ferry {ferry} was built in {from}."),
            3 => format!("{person} was born in the town of {town}."),
            4 => format!("The {project} is led by {person}."),
            5 => format!("The {company} was founded in {from}."),
            6 => format!("From {from} to {to} {person} worked for the {company}."),
            7 => format!("The {company} is based in {town}."),
            8 => format!("{person} has been captain of the ferry {ferry} since {from}."),
            9 => format!("The {project} is funded by the {company}."),
            10 => format!("The {company} does not own the ferry {ferry}."),
            _ => format!("The ferry {ferry} carries {} passengers.", 50 + self.dice.below(200)),
        }
    }

    fn table(&mut self) -> String {
        let mut text = String::from("| Vessel | Type | Owner | Captain | Built |\n|---|---|---|---|---|\n");
        for _ in 0..1 + self.dice.below(3) {
            let (ferry, company) = (one(&mut self.dice, &self.ferries), one(&mut self.dice, &self.companies));
            let (person, year) = (one(&mut self.dice, &self.persons), 1960 + self.dice.below(50));
            text.push_str(&format!("| {ferry} | Ferry | {company} | {person} | {year} |\n"));
        }
        text.push('\n');
        text
    }
}

/// Returns the path of a document: some lie deeper than others.
pub(crate) fn path(number: usize) -> String {
    match number % 3 {
        0 => format!("report-{number:04}.md"),
        1 => format!("odd/report-{number:04}.md"),
        _ => format!("odd/deep/report-{number:04}.md"),
    }
}

fn one(dice: &mut Dice, from: &[String]) -> String {
    from[dice.below(from.len())].clone()
}
