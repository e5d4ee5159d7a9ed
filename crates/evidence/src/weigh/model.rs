use mge_core::{Interval, Moment, Stance, Tense};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// How evidence adds up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WeighRule {
    /// Dempster's rule on simple support functions; values of a functional relation exclude each other.
    #[default]
    Dempster,
    /// Support and contradiction as in `dempster`, but what conflicts stays undecided and values do not compete.
    NoisyOr,
    /// Only the strongest document for and the strongest against count.
    Max,
    /// Every independent document has one vote, whatever its weight.
    Vote,
}

/// One piece of live evidence, as weighing sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    /// The document it stands in, as a key whose order does not depend on the order of arrival. Imported
    /// evidence without a document bears the key of its source.
    pub(crate) document: u64,
    /// The sentence that says it.
    pub(crate) quote: &'a str,
    /// The date that the document bears.
    pub(crate) document_date: Option<Interval>,
    /// How far the document is believed, 0 to 1.
    pub(crate) authority: f64,
    /// How sure the method is that the text says so, 0 to 1.
    pub(crate) confidence: f64,
    /// How sure it is that the right subject and object are meant, 0 to 1: the product of both.
    pub(crate) identity: f64,
    /// For or against.
    pub(crate) stance: Stance,
    /// When it held, where the text says so.
    pub(crate) valid: Option<Interval>,
    /// Of which time it speaks otherwise.
    pub(crate) tense: Tense,
}

impl Piece<'_> {
    /// No text makes a claim certain.
    const MOST: f64 = 0.99;

    /// Returns `w = authority × confidence × identity`, each held within [0, 1], the product at 0.99.
    pub(crate) fn weight(&self) -> f64 {
        let factor = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
        (factor(self.authority) * factor(self.confidence) * factor(self.identity)).min(Self::MOST)
    }
}

/// One value that is claimed of the subject: all evidence for and against one claim.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rival<'a> {
    /// Its evidence, in any order.
    pub(crate) pieces: Vec<Piece<'a>>,
}

/// On what a period rests: the best of what its evidence has to say about the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Basis {
    /// Nothing dates it: it joins every period.
    Undated,
    /// It was stated later, and nothing else is known of the time before.
    Presumed,
    /// It was stated earlier, and nothing else was stated since.
    Persisting,
    /// It is stated of this time.
    Stated,
}

/// What the evidence says of a claim in one period.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct PeriodBelief {
    /// The period.
    pub(crate) interval: Interval,
    /// `S`: how strong the evidence for it is.
    #[serde(serialize_with = "rounded")]
    pub(crate) support: f64,
    /// `C`: how strong the evidence against it is.
    #[serde(serialize_with = "rounded")]
    pub(crate) contradiction: f64,
    /// `K = S·C`: how far the evidence disagrees with itself.
    #[serde(serialize_with = "rounded")]
    pub(crate) conflict: f64,
    /// How far it is believed.
    #[serde(serialize_with = "rounded")]
    pub(crate) belief: f64,
    /// How far its opposite is believed.
    #[serde(serialize_with = "rounded")]
    pub(crate) disbelief: f64,
    /// What is left open; the three sum to 1.
    #[serde(serialize_with = "rounded")]
    pub(crate) uncertainty: f64,
    /// It holds by persistence: stated of another time, and of none between.
    pub(crate) assumed: bool,
    /// On what it rests.
    pub(crate) basis: Basis,
}

/// What the evidence says of a claim over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Weighed {
    /// The periods for which there is evidence, earliest first, without overlap.
    pub(crate) periods: Vec<PeriodBelief>,
}

impl Weighed {
    /// Returns what holds at a moment; nothing, when no evidence speaks of it.
    pub(crate) fn at(&self, moment: Moment) -> Option<&PeriodBelief> {
        let next =
            self.periods.partition_point(|period| period.interval.from.is_none_or(|from| from <= moment));
        self.periods[..next].last().filter(|period| period.interval.contains(moment))
    }

    /// Returns the period in which the claim is believed most, of equals the latest: what can be said of it
    /// when no time is asked for.
    pub(crate) fn overall(&self) -> Option<&PeriodBelief> {
        self.periods.iter().max_by(|left, right| left.belief.total_cmp(&right.belief))
    }
}

/// Rounds a figure to the six decimals in which it is shown and exported.
pub(crate) fn six_decimals(value: f64) -> f64 {
    // Adding zero turns "-0" into "0".
    (value * 1e6).round() / 1e6 + 0.0
}

fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(six_decimals(*value))
}
