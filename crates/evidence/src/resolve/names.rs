use mge_core::name_key;

/// What stands before a person's name and is no part of it.
const HONORIFICS: [&str; 22] = [
    "mr",
    "mrs",
    "ms",
    "miss",
    "mx",
    "dr",
    "doctor",
    "prof",
    "professor",
    "sir",
    "dame",
    "lord",
    "lady",
    "rev",
    "reverend",
    "hon",
    "capt",
    "herr",
    "frau",
    "mme",
    "mlle",
    "monsieur",
];

/// The spellings of a company's legal form, and the one they share.
const LEGAL_FORMS: [(&str, &str); 27] = [
    ("ltd", "ltd"),
    ("limited", "ltd"),
    ("inc", "inc"),
    ("incorporated", "inc"),
    ("co", "co"),
    ("company", "co"),
    ("corp", "corp"),
    ("corporation", "corp"),
    ("llc", "llc"),
    ("llp", "llp"),
    ("plc", "plc"),
    ("gmbh", "gmbh"),
    ("ag", "ag"),
    ("kg", "kg"),
    ("sa", "sa"),
    ("sarl", "sarl"),
    ("srl", "srl"),
    ("spa", "spa"),
    ("nv", "nv"),
    ("bv", "bv"),
    ("ab", "ab"),
    ("oy", "oy"),
    ("oyj", "oyj"),
    ("as", "as"),
    ("asa", "asa"),
    ("pty", "pty"),
    ("kk", "kk"),
];

/// Returns the key under which full names meet: folded, without honorifics, legal forms spelt alike.
pub(crate) fn identity_key(name: &str) -> String {
    let key = name_key(name);
    let mut words: Vec<&str> = key.split(' ').collect();
    // A surname alone keeps its "Dr": without it, it would meet every bearer of the name.
    while words.len() > 2 && HONORIFICS.contains(&words[0]) {
        words.remove(0);
    }
    if words.len() > 1
        && let Some(last) = words.last_mut()
        && let Some((_, shared)) = LEGAL_FORMS.iter().find(|(spelling, _)| spelling == last)
    {
        *last = shared;
    }
    words.join(" ")
}

/// Returns the shorter key that a full name may also go by: without article, legal form and possessive.
///
/// Two companies may share it, so it joins only where it is unambiguous.
pub(crate) fn base_key(name: &str) -> Option<String> {
    let whole = identity_key(name);
    let bare =
        name.trim_end().strip_suffix("'s").or_else(|| name.trim_end().strip_suffix("’s")).unwrap_or(name);
    let key = identity_key(bare);
    let mut words: Vec<&str> = key.split(' ').collect();
    if words.len() > 1 && words[0] == "the" {
        words.remove(0);
    }
    if words.len() > 1 && LEGAL_FORMS.iter().any(|(_, shared)| Some(shared) == words.last()) {
        words.pop();
    }
    let base = words.join(" ");
    if base.is_empty() || base == whole { None } else { Some(base) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honorifics_are_no_part_of_a_name() {
        assert_eq!(identity_key("Dr. Noah Kim"), identity_key("noah  KIM"));
        assert_eq!(identity_key("Prof. Dr. Ana Kim"), "ana kim");
        assert_ne!(identity_key("Dr Kim"), identity_key("Kim"));
        assert_eq!(identity_key("Doctor"), "doctor");
    }

    #[test]
    fn a_company_goes_by_its_name_without_the_legal_form() {
        assert_eq!(identity_key("Acme Limited"), identity_key("ACME Ltd."));
        assert_eq!(base_key("Acme Ltd").as_deref(), Some("acme"));
        assert_eq!(base_key("The Keel House").as_deref(), Some("keel house"));
        assert_eq!(base_key("McDonald's").as_deref(), Some("mcdonald"));
        assert_eq!(base_key("Acme"), None);
        assert_eq!(base_key("Company"), None);
        assert_eq!(base_key("the"), None);
    }

    #[test]
    fn no_script_is_lost() {
        assert_ne!(identity_key("北京"), identity_key("東京"));
        assert!(!identity_key("!").is_empty());
    }
}
