//! Words that show whether a woman or a man is meant.

use crate::scene::Gender;
use crate::words;

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

/// Given names of women, among those of `words`.
const WOMEN: &str = "agnes alice alicia amanda amelia amina amy ana angela anita ann anna anne barbara beatrice carla \
    caroline catherine cecilia charlotte christina christine claire clara deborah diana dorothy edith eleanor elena \
    elisabeth elizabeth ella ellen elsa emily emma esther eva fatima florence frances giulia grace greta hannah helen \
    helena ida ines ingrid irene isabel jane janet jennifer jessica joan julia julie karen kate katherine laura lena \
    linda lisa louise lucia lucy margaret maria marie martha mary monica nadia nancy natalia nina nora olga olivia \
    patricia paula rachel rebecca rita rosa rose ruth sandra sara sarah sofia sophia sophie stella susan sylvia teresa \
    ursula valentina vera victoria zoe";

/// Given names that women and men have alike.
const EITHER: &str =
    "alex andrea carmen chris gabriel jan jean joan kim leo marco max nicolas robin sam wei yuki";

/// Tells what gender a given name in small letters mostly has, in most languages.
pub(crate) fn gender_of_given(lower: &str) -> Option<Gender> {
    let among = |names: &str| names.split_whitespace().any(|name| name == lower);
    if words::class(lower) & words::GIVEN == 0 || among(EITHER) {
        None
    } else if among(WOMEN) {
        Some(Gender::Female)
    } else {
        Some(Gender::Male)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_names_show_their_gender_or_none() {
        assert_eq!(gender_of_given("rita"), Some(Gender::Female));
        assert_eq!(gender_of_given("thomas"), Some(Gender::Male));
        for name in ["robin", "jean", "harbour", ""] {
            assert_eq!(gender_of_given(name), None, "{name}");
        }
    }
}
