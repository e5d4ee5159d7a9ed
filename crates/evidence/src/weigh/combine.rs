use super::model::WeighRule;

/// No amount of evidence leaves less than this open.
const LEAST_OPEN: f64 = 1e-9;

/// What comes out for one claim in one period; the three sum to 1.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Figures {
    pub(super) belief: f64,
    pub(super) disbelief: f64,
    pub(super) uncertainty: f64,
}

/// Returns what counting a document of this weight brings to a set of independent ones.
pub(super) fn gain(rule: WeighRule, weight: f64) -> f64 {
    match rule {
        WeighRule::Vote => f64::from(u8::from(weight > 0.0)),
        WeighRule::Dempster | WeighRule::NoisyOr | WeighRule::Max => -(-weight).ln_1p(),
    }
}

/// Pools the weights of independent documents, in the order of their keys: `1 − Π(1 − w)`.
///
/// The product is a sum of logarithms, recomputed each time, floored at `ln 1e-9`.
pub(super) fn pool(rule: WeighRule, weights: impl Iterator<Item = f64>) -> f64 {
    match rule {
        WeighRule::Dempster | WeighRule::NoisyOr => {
            let open: f64 = weights.map(|weight| (-weight).ln_1p()).sum();
            -open.max(LEAST_OPEN.ln()).exp_m1()
        }
        WeighRule::Max => weights.fold(0.0, f64::max),
        // n votes of which none is certain: n/(n + 1), so that the odds are the number of votes.
        WeighRule::Vote => {
            let votes = weights.filter(|weight| *weight > 0.0).count() as f64;
            (votes / (votes + 1.0)).min(1.0 - LEAST_OPEN)
        }
    }
}

/// Combines support and contradiction of a claim that has no rivals.
///
/// Dempster's rule: `belief = S(1 − C)/(1 − K)`, `disbelief = C(1 − S)/(1 − K)`,
/// `uncertainty = (1 − S)(1 − C)/(1 − K)` with `K = S·C`. Under `noisy_or` the conflict `K` is not shared out but
/// adds to the uncertainty.
pub(super) fn alone(rule: WeighRule, support: f64, contradiction: f64) -> Figures {
    let (open, undenied) = (1.0 - support, 1.0 - contradiction);
    let conflict = support * contradiction;
    match rule {
        WeighRule::NoisyOr => Figures {
            belief: support * undenied,
            disbelief: contradiction * open,
            uncertainty: open * undenied + conflict,
        },
        WeighRule::Dempster | WeighRule::Max | WeighRule::Vote => {
            let kept = 1.0 - conflict;
            Figures {
                belief: support * undenied / kept,
                disbelief: contradiction * open / kept,
                uncertainty: open * undenied / kept,
            }
        }
    }
}

/// Returns the odds `o = S'/(1 − S')` of a value, where `S' = S(1 − C)/(1 − SC)`; that is `S(1 − C)/(1 − S)`.
pub(super) fn odds(support: f64, contradiction: f64) -> f64 {
    support * (1.0 - contradiction) / (1.0 - support).max(LEAST_OPEN)
}

/// Combines a value with the odds of the values that exclude it (Dempster's rule on singletons, Shafer 1976):
/// `belief(v) = o_v/(1 + Σo)`, `disbelief(v) = (C_v + Σ_{u≠v} o_u)/(1 + Σo)`, `uncertainty(v) = (1 − C_v)/(1 + Σo)`.
pub(super) fn among(odds: f64, contradiction: f64, against: f64) -> Figures {
    let whole = 1.0 + odds + against;
    Figures {
        belief: odds / whole,
        disbelief: (contradiction + against) / whole,
        uncertainty: (1.0 - contradiction) / whole,
    }
}
