//! Words that show whether a woman or a man is meant.

use crate::scene::Gender;

/// Words that show the gender of whom they are said.
const FEMALE: &[&str] = &[
    "ms",
    "mrs",
    "miss",
    "madam",
    "lady",
    "dame",
    "queen",
    "princess",
    "duchess",
    "empress",
    "actress",
    "businesswoman",
    "woman",
    "girl",
    "wife",
    "mother",
    "daughter",
    "sister",
    "aunt",
    "niece",
    "widow",
    "nun",
    "goddess",
    "heroine",
    "sportswoman",
    "congresswoman",
    "chairwoman",
    "spokeswoman",
    "señora",
    "frau",
    "madame",
    "stewardess",
    "hostess",
];
const MALE: &[&str] = &[
    "mr",
    "sir",
    "lord",
    "king",
    "prince",
    "duke",
    "emperor",
    "businessman",
    "man",
    "boy",
    "husband",
    "father",
    "son",
    "brother",
    "uncle",
    "nephew",
    "widower",
    "monk",
    "friar",
    "god",
    "hero",
    "sportsman",
    "congressman",
    "chairman",
    "spokesman",
    "señor",
    "herr",
    "monsieur",
    "priest",
    "pope",
];

/// Tells what gender a word in small letters shows.
pub(crate) fn gender_of(lower: &str) -> Option<Gender> {
    let lower = lower.strip_suffix('.').unwrap_or(lower);
    if FEMALE.contains(&lower) {
        Some(Gender::Female)
    } else if MALE.contains(&lower) {
        Some(Gender::Male)
    } else {
        None
    }
}
