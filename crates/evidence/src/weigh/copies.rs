use std::collections::{BTreeMap, BTreeSet, HashMap};

use mge_core::fold;
use unicode_segmentation::UnicodeSegmentation;

/// Two sentences that share this part of their word pairs are copies of one another.
const NEAR: f64 = 0.8;

/// Up to so many different sentences are compared pair by pair; beyond, candidates come from MinHash.
const PAIRWISE: usize = 400;

/// MinHash signatures of 128 values in 32 bands of 4: of pairs at the threshold, fewer than one in ten million
/// share no band.
const BANDS: usize = 32;
const ROWS: usize = 4;

/// Which of some sentences are near-duplicates of which.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// The class of each sentence: equal word pairs, equal class.
    class_of: Vec<usize>,
    /// The other classes that are near-duplicates of a class, ascending.
    near: Vec<Vec<usize>>,
}

impl Copies {
    /// Compares sentences, each with each.
    pub(super) fn find(sentences: &[&str]) -> Self {
        let mut classes: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut distinct: Vec<Vec<u64>> = Vec::new();
        let mut same_text: HashMap<&str, usize> = HashMap::new();
        let mut class_of = Vec::with_capacity(sentences.len());
        for sentence in sentences {
            let class = *same_text.entry(sentence).or_insert_with(|| {
                let pairs = word_pairs(sentence);
                *classes.entry(pairs).or_insert_with_key(|pairs| {
                    distinct.push(pairs.clone());
                    distinct.len() - 1
                })
            });
            class_of.push(class);
        }
        let mut near = vec![Vec::new(); distinct.len()];
        for (left, right) in candidates(&distinct) {
            if overlap(&distinct[left], &distinct[right]) >= NEAR {
                near[left].push(right);
                near[right].push(left);
            }
        }
        near.iter_mut().for_each(|near| near.sort_unstable());
        Self { class_of, near }
    }

    /// Returns the class of a sentence, by its position.
    pub(super) fn class(&self, sentence: usize) -> usize {
        self.class_of[sentence]
    }

    /// Returns the near-duplicate classes of a class, itself left out.
    pub(super) fn near(&self, class: usize) -> &[usize] {
        &self.near[class]
    }

    /// Tells whether two documents, given as their sorted classes, share a near-duplicate sentence.
    pub(super) fn linked(&self, left: &[usize], right: &[usize]) -> bool {
        left.iter().any(|class| {
            right.binary_search(class).is_ok()
                || self.near[*class].iter().any(|near| right.binary_search(near).is_ok())
        })
    }
}

fn candidates(distinct: &[Vec<u64>]) -> BTreeSet<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    if distinct.len() <= PAIRWISE {
        for left in 0..distinct.len() {
            pairs.extend((left + 1..distinct.len()).map(|right| (left, right)));
        }
        return pairs;
    }
    let signatures: Vec<Vec<u64>> = distinct.iter().map(|pairs| signature(pairs)).collect();
    for band in 0..BANDS {
        let mut buckets: BTreeMap<&[u64], Vec<usize>> = BTreeMap::new();
        for (position, signature) in signatures.iter().enumerate() {
            buckets.entry(&signature[band * ROWS..(band + 1) * ROWS]).or_default().push(position);
        }
        for bucket in buckets.values() {
            for (position, left) in bucket.iter().enumerate() {
                pairs.extend(bucket[position + 1..].iter().map(|right| (*left, *right)));
            }
        }
    }
    pairs
}

fn signature(pairs: &[u64]) -> Vec<u64> {
    (0..(BANDS * ROWS) as u64)
        .map(|seed| pairs.iter().map(|pair| mix(pair ^ mix(seed + 1))).min().unwrap_or(u64::MAX))
        .collect()
}

/// Returns Jaccard's coefficient of two sorted sets.
fn overlap(left: &[u64], right: &[u64]) -> f64 {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    // The coefficient is at most the ratio of the sizes.
    if (short.len() as f64) < NEAR * long.len() as f64 {
        return 0.0;
    }
    let shared = short.iter().filter(|item| long.binary_search(item).is_ok()).count();
    shared as f64 / (left.len() + right.len() - shared).max(1) as f64
}

/// Returns the sorted hashes of a sentence's neighbouring words; of a single word, of that word.
///
/// Pairs, not longer shingles, so that one changed word leaves a sentence of twenty a copy.
fn word_pairs(sentence: &str) -> Vec<u64> {
    let folded = fold(sentence);
    let words: Vec<&str> = folded.unicode_words().collect();
    let mut pairs: Vec<u64> = match words.as_slice() {
        [] => vec![hash(folded.trim(), "")],
        [word] => vec![hash(word, "")],
        words => words.windows(2).map(|pair| hash(pair[0], pair[1])).collect(),
    };
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// FNV-1a: stable between versions and machines, as the standard library's hasher is not.
fn hash(left: &str, right: &str) -> u64 {
    let bytes = left.bytes().chain([0]).chain(right.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The finaliser of SplitMix64: spreads every bit of the input over the output.
pub(super) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_copies(left: &str, right: &str) -> bool {
        let copies = Copies::find(&[left, right]);
        copies.linked(&[copies.class(0)], &[copies.class(1)])
    }

    #[test]
    fn a_reprint_is_a_copy_and_a_retelling_is_not() {
        let original = "The Harbour Trust, which has owned the old lighthouse since 1988, sold it on Monday to Ada Vance of Port Ellin.";
        assert!(are_copies(original, &original.to_uppercase()));
        assert!(are_copies(original, &original.replace("Monday", "Tuesday")));
        assert!(!are_copies(
            original,
            "On Monday Ada Vance bought the old lighthouse from the Harbour Trust."
        ));
        assert!(!are_copies("北京", "東京"));
        assert!(are_copies("", " "));
        assert!(are_copies("!!", "!! "));
    }

    #[test]
    fn many_sentences_are_compared_like_few() {
        let sentences: Vec<String> = (0..PAIRWISE as u64 + 200)
            .map(|number| {
                let words = (0..24).map(|word| format!("w{}", mix(number / 2 * 100 + word) % 100_000));
                let mut words: Vec<String> = words.collect();
                if number % 2 == 1 {
                    words[11] = "changed".to_owned();
                }
                words.join(" ")
            })
            .collect();
        let texts: Vec<&str> = sentences.iter().map(String::as_str).collect();
        let copies = Copies::find(&texts);
        for pair in 0..texts.len() / 2 {
            let (left, right) = (copies.class(pair * 2), copies.class(pair * 2 + 1));
            assert!(copies.linked(&[left], &[right]), "pair {pair}");
            assert_eq!(copies.near(left), [right]);
        }
    }
}
