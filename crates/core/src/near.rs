/// Returns up to three of `names` that look like `given`, best first: what "did you mean" lists.
pub fn near_names<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let given = given.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| {
            let folded = name.to_lowercase();
            let mut score = strsim::jaro_winkler(&given, &folded);
            // A part of the name ("demo" for "children_by_idx_demo") is as good as a near spelling.
            if given.len() >= 3 && folded.contains(&given) {
                score = score.max(0.9);
            }
            (score, name)
        })
        .filter(|(score, _)| *score >= 0.75)
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    scored.dedup_by(|left, right| left.1 == right.1);
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::near_names;

    #[test]
    fn a_typo_finds_its_name() {
        assert_eq!(near_names("formalisers", ["sources", "formalizers"]), ["formalizers"]);
        assert_eq!(near_names("all_redy", ["ALL_READY", "INITIAL"]), ["ALL_READY"]);
        assert!(near_names("zzz", ["sources", "formalizers"]).is_empty());
    }
}
