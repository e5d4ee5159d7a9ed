use mge_core::fold;
use rust_stemmers::{Algorithm, Stemmer};

/// Longer words are cut: no name needs more, and a megabyte without a space is no word.
const LONGEST: usize = 64;

/// Cuts a text into the words under which it is found: folded, English stems, and pairs of neighbours where a
/// script writes no spaces.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let folded = fold(text);
    let mut out = Vec::new();
    let mut word = String::new();
    let mut run: Vec<char> = Vec::new();
    for character in folded.chars() {
        if is_unspaced(character) {
            end_word(&stemmer, &mut word, &mut out);
            run.push(character);
        } else {
            end_run(&mut run, &mut out);
            if matches!(character, '\'' | '’') {
                continue;
            }
            if character.is_alphanumeric() || matches!(character, '+' | '#' | '&') || is_mark(character) {
                if word.chars().count() < LONGEST {
                    word.push(character);
                }
            } else {
                end_word(&stemmer, &mut word, &mut out);
            }
        }
    }
    end_word(&stemmer, &mut word, &mut out);
    end_run(&mut run, &mut out);
    out
}

/// Returns the query for the full-text engine that finds any of the words of `text`; nothing, when it has none.
///
/// Words come from [`tokens`] and stand in quotes, so that no text can be read as syntax.
pub(crate) fn any_of(words: &[String]) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
    if quoted.is_empty() { None } else { Some(quoted.join(" OR ")) }
}

fn end_word(stemmer: &Stemmer, word: &mut String, out: &mut Vec<String>) {
    if !word.chars().any(char::is_alphanumeric) {
        word.clear();
        return;
    }
    if word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        out.push(stemmer.stem(word).into_owned());
        word.clear();
    } else {
        out.push(std::mem::take(word));
    }
}

fn end_run(run: &mut Vec<char>, out: &mut Vec<String>) {
    match run.as_slice() {
        [] => {}
        [single] => out.push(single.to_string()),
        several => out.extend(several.windows(2).map(|pair| pair.iter().collect::<String>())),
    }
    run.clear();
}

fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{93a}'..='\u{94f}' | '\u{e31}' | '\u{e34}'..='\u{e4e}')
}

/// Tells whether a script writes its words without spaces between them.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3134f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stems_and_scripts_without_spaces_are_pairs() {
        assert_eq!(tokens("The ferries' sailings!"), ["the", "ferri", "sail"]);
        assert_eq!(tokens("C++ and C#"), ["c++", "and", "c#"]);
        assert_eq!(tokens("東京都 ok"), ["東京", "京都", "ok"]);
        assert!(tokens("?!'\"*()").is_empty());
    }

    #[test]
    fn no_text_is_syntax() {
        assert_eq!(any_of(&tokens("a AND b*")), Some("\"a\" OR \"and\" OR \"b\"".to_owned()));
        assert_eq!(any_of(&tokens("\"")), None);
    }
}
