//! The ids of passages, which carry how long a passage is.

/// The id of a passage: its number, times 256, plus the code of its length.
///
/// A list of postings so holds the length that BM25 needs for each of them, and nothing else is looked up to score one.
/// Lengths up to 127 words are exact; longer ones lie in one of 128 steps of 7 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PassageId(pub i64);

/// The lengths from here on are approximate.
const EXACT: u32 = 128;
/// The length at which the codes end.
const LONGEST: f64 = 1_048_576.0;

impl PassageId {
    pub(crate) fn new(number: i64, words: usize) -> Self {
        Self((number << 8) | i64::from(code(words)))
    }

    /// Returns the length in words.
    pub(crate) fn words(self) -> f32 {
        words((self.0 & 0xff) as u8)
    }
}

fn step() -> f64 {
    (LONGEST / f64::from(EXACT)).powf(1.0 / f64::from(EXACT))
}

fn code(words: usize) -> u8 {
    if words < EXACT as usize {
        return words as u8;
    }
    let steps = (words as f64 / f64::from(EXACT)).ln() / step().ln();
    (EXACT + (steps as u32).min(127)) as u8
}

fn words(code: u8) -> f32 {
    let code = u32::from(code);
    if code < EXACT {
        return code as f32;
    }
    // The middle of the step.
    (f64::from(EXACT) * step().powf(f64::from(code - EXACT) + 0.5)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_comes_back_within_four_percent() {
        for length in [0, 1, 127] {
            assert_eq!(PassageId::new(7, length).words(), length as f32);
        }
        for length in (128..100_000).step_by(97) {
            let back = f64::from(PassageId::new(7, length).words());
            assert!((back / length as f64 - 1.0).abs() < 0.04, "{length} came back as {back}");
        }
        assert!(PassageId::new(1, 300) < PassageId::new(2, 0));
        assert!(PassageId::new(1, usize::MAX).words() > 900_000.0);
    }
}
