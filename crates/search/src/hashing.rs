use std::collections::HashMap;

use crate::analysis::Analyzer;
use crate::embed::{Embed, EmbedError, EmbedModel};
use crate::language::Language;

/// How long the parts of a word are, in characters; its borders are two more.
const PART: usize = 4;
/// What the vector ranking counts for beside the lexical one, measured on HotpotQA.
const WEIGHT: f64 = 0.2;

/// The default embedder: words and parts of words, hashed. It needs no model and no download.
///
/// A text is cut into words, folded, and function words are left out. Each word is a feature, and so is each of its
/// n sequences of four characters, borders included (`<fer`, `ferr`, …), which count for n^(−1/4): inflections,
/// compounds and slips of the pen share most of them. A word that occurs n times counts 1 + ln n; all features are added
/// up in d dimensions, each in the dimension and with the sign that its hash says, so that collisions cancel out on
/// average (feature hashing, Weinberger, Dasgupta, Langford, Smola & Attenberg 2009). In a query each word counts as
/// much as it is rare. The result has length 1.
#[derive(Debug, Clone, Copy)]
pub struct HashingEmbedder {
    dimension: usize,
}

impl HashingEmbedder {
    /// Makes an embedder of so many dimensions, at least 1.
    pub fn new(dimension: usize) -> Self {
        Self { dimension: dimension.max(1) }
    }

    fn vector(&self, text: &str, rarity: &dyn Fn(&str) -> f32) -> Vec<f32> {
        let mut counts: HashMap<String, (f32, f32)> = HashMap::new();
        analyzer().words(text, |word| {
            if word.is_lone || Language::is_stop_word_somewhere(word.folded) {
                return;
            }
            match counts.get_mut(word.folded) {
                Some((count, _)) => *count += 1.0,
                None => {
                    counts.insert(word.folded.to_owned(), (1.0, rarity(word.folded)));
                }
            }
        });
        // In the order of the words: the sum of floating-point numbers depends on it.
        let mut words: Vec<(String, (f32, f32))> = counts.into_iter().collect();
        words.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let mut vector = vec![0.0; self.dimension];
        for (word, (count, rarity)) in &words {
            let weight = (1.0 + count.ln()) * rarity;
            self.add(&mut vector, hash(word.bytes()), weight);
            let edged: Vec<char> =
                std::iter::once('<').chain(word.chars()).chain(std::iter::once('>')).collect();
            if edged.len() <= PART {
                continue;
            }
            let parts = edged.windows(PART);
            let share = weight / (parts.len() as f32).powf(0.25);
            for part in parts {
                let bytes = part.iter().flat_map(|character| u32::from(*character).to_le_bytes());
                self.add(&mut vector, hash(bytes), share);
            }
        }
        normalized(vector)
    }

    fn add(&self, vector: &mut [f32], hash: u64, weight: f32) {
        let place = (hash % self.dimension as u64) as usize;
        vector[place] += if hash >> 63 == 0 { weight } else { -weight };
    }
}

impl Default for HashingEmbedder {
    fn default() -> Self {
        Self::new(256)
    }
}

impl Embed for HashingEmbedder {
    fn model(&self) -> EmbedModel {
        EmbedModel { name: "hashing".to_owned(), version: "1".to_owned(), dimension: self.dimension }
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text, &|_| 1.0)).collect())
    }

    fn weight(&self) -> f64 {
        WEIGHT
    }

    fn embed_query(&self, text: &str, rarity: &dyn Fn(&str) -> f32) -> Result<Vec<f32>, EmbedError> {
        Ok(self.vector(text, rarity))
    }
}

/// The words of a vector are not stemmed: their parts do what a stem would.
fn analyzer() -> Analyzer {
    Analyzer::new(Language::Other)
}

/// Returns the FNV-1a hash (Fowler, Noll & Vo 1991), mixed so that every bit depends on every byte.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

/// Scales a vector to length 1; the zero vector stays.
pub(crate) fn normalized(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        for number in &mut vector {
            *number /= length;
        }
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(left: &str, right: &str) -> f32 {
        let embedder = HashingEmbedder::default();
        let vectors = embedder.embed(&[left, right]).unwrap();
        vectors[0].iter().zip(&vectors[1]).map(|(left, right)| left * right).sum()
    }

    #[test]
    fn like_texts_have_like_vectors() {
        assert!((likeness("The ferry to Kos", "the FERRY, to KOS") - 1.0).abs() < 1e-6);
        assert!(
            likeness("the ferries sail", "a ferry sailing") > likeness("the ferries sail", "green apples")
        );
        assert!(likeness("Konstantinopel", "Konstantinople") > 0.3);
        assert_eq!(likeness("", "anything"), 0.0);
    }
}
