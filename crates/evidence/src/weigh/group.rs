use std::collections::{BTreeMap, BTreeSet};

use mge_core::Stance;

use super::combine::{self, Figures};
use super::copies::{Copies, mix};
use super::independent::{Independent, Unit};
use super::model::{Basis, PeriodBelief, Piece, Rival, WeighRule, Weighed};
use super::periods::{Reach, Stretch, affirms, borders, dated, reach, yield_to_dated};
use super::trace::{DocumentTrace, EvidenceTrace, PeriodTrace, PoolTrace, RivalTrace, Stands};

/// From so many periods on, the gaps between dates at which the same was stated are closed.
const MANY_PERIODS: usize = 64;

/// Weighs the claims that exclude each other: all values of one subject (`functional`), or each by itself.
///
/// `supports(general, specific)` tells of two values, by position, that the second implies the first: evidence
/// for `Brask` supports `Oskerby` where Oskerby lies in Brask, and the two do not compete.
///
/// The figures are those of Dempster's rule on simple support functions, for values that exclude each other on
/// singletons (Dempster 1967; Shafer 1976, *A Mathematical Theory of Evidence*, chapters 3 and 4).
pub(crate) fn weigh_group(
    rule: WeighRule,
    functional: bool,
    rivals: &[Rival<'_>],
    supports: &dyn Fn(usize, usize) -> bool,
) -> Vec<Weighed> {
    if functional {
        return Group::new(rule, rivals.iter().collect(), supports).weigh();
    }
    let alone = |rival| Group::new(rule, vec![rival], &|_, _| false).weigh().pop().unwrap_or_default();
    rivals.iter().map(alone).collect()
}

/// Explains what [`weigh_group`] says of one of the rivals, period by period, with every factor.
///
/// Both read the same computation, so that the reasons given are those that counted.
pub(crate) fn explain_group(
    rule: WeighRule,
    functional: bool,
    rivals: &[Rival<'_>],
    supports: &dyn Fn(usize, usize) -> bool,
    rival: usize,
) -> Vec<PeriodTrace> {
    let Some(chosen) = rivals.get(rival) else { return Vec::new() };
    if functional {
        return Group::new(rule, rivals.iter().collect(), supports).explain(rival);
    }
    let mut periods = Group::new(rule, vec![chosen], &|_, _| false).explain(0);
    let evidence = periods.iter_mut().flat_map(|period| {
        let pools = [&mut period.support, &mut period.contradiction];
        pools
            .into_iter()
            .flat_map(|pool| pool.documents.iter_mut())
            .flat_map(|document| &mut document.evidence)
    });
    evidence.for_each(|evidence| evidence.rival = rival);
    periods
}

/// How one value of a group stands to another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Excludes,
    /// The other is implied by this one.
    General,
    /// The other implies this one.
    Specific,
}

struct Group<'a, 'b> {
    rule: WeighRule,
    rivals: Vec<&'a Rival<'b>>,
    /// `relations[value][other]`; empty when all exclude each other, which is the common case.
    relations: Vec<Vec<Relation>>,
    copies: Vec<Copies>,
    /// Of each value, the classes of all sentences that a document has about it, whenever they hold and whatever
    /// they say: what links documents does not change with time.
    classes: Vec<BTreeMap<u64, Vec<usize>>>,
    /// Of each value, its own pieces and those of more general values: `(value, piece)`.
    heard: Vec<Vec<(usize, usize)>>,
    reaches: Vec<Vec<Reach>>,
}

/// What one value comes to while a certain set of pieces is live.
struct Outcome {
    support: Pool,
    contradiction: Pool,
    figures: Figures,
    odds: f64,
    others: Vec<usize>,
}

#[derive(Default)]
struct Pool {
    value: f64,
    documents: Vec<PooledDocument>,
    exact: bool,
}

struct PooledDocument {
    key: u64,
    weight: f64,
    /// `(value, piece, weight)`, the strongest first.
    pieces: Vec<(usize, usize, f64)>,
    stands_for: u64,
}

/// A segment of time over which the same pieces are live, on the same basis.
struct Segment<'s> {
    stretch: Stretch,
    /// Of each value, its live pieces.
    live: &'s [BTreeMap<usize, Basis>],
    /// Of each value, how many pieces for and against it are live, by basis.
    counts: &'s [[[u32; 4]; 2]],
    outcomes: &'s [Outcome],
}

impl<'a, 'b> Group<'a, 'b> {
    fn new(rule: WeighRule, rivals: Vec<&'a Rival<'b>>, supports: &dyn Fn(usize, usize) -> bool) -> Self {
        let relations = relations(rivals.len(), supports);
        let relation = |value: usize, other: usize| {
            relations.get(value).map_or(Relation::Excludes, |row: &Vec<Relation>| row[other])
        };
        let mut heard = Vec::with_capacity(rivals.len());
        let mut copies = Vec::with_capacity(rivals.len());
        let mut classes = Vec::with_capacity(rivals.len());
        for value in 0..rivals.len() {
            let mut pieces: Vec<(usize, usize)> =
                (0..rivals[value].pieces.len()).map(|piece| (value, piece)).collect();
            for other in (0..rivals.len()).filter(|other| *other != value) {
                if relation(value, other) == Relation::General {
                    let affirming =
                        rivals[other].pieces.iter().enumerate().filter(|(_, piece)| affirms(piece));
                    pieces.extend(affirming.map(|(piece, _)| (other, piece)));
                }
            }
            let quotes: Vec<&str> =
                pieces.iter().map(|(value, piece)| rivals[*value].pieces[*piece].quote).collect();
            let found = Copies::find(&quotes);
            let mut of: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
            for (position, (value, piece)) in pieces.iter().enumerate() {
                of.entry(rivals[*value].pieces[*piece].document).or_default().push(found.class(position));
            }
            for classes in of.values_mut() {
                classes.sort_unstable();
                classes.dedup();
            }
            classes.push(of);
            copies.push(found);
            heard.push(pieces);
        }
        let sided = |value: usize, stance: Stance| {
            borders(rivals[value].pieces.iter().filter(move |piece| piece.stance == stance))
        };
        let affirmed: Vec<_> = (0..rivals.len()).map(|value| sided(value, Stance::For)).collect();
        let denied: Vec<_> = (0..rivals.len()).map(|value| sided(value, Stance::Against)).collect();
        let mut reaches: Vec<Vec<Reach>> = (0..rivals.len())
            .map(|value| {
                // To a statement, its own denial and another value are something different; to a denial, only
                // what it denies.
                let mut against_it: Vec<&BTreeSet<_>> = vec![&denied[value]];
                let others = (0..rivals.len()).filter(|other| *other != value);
                against_it.extend(
                    others
                        .filter(|other| relation(value, *other) == Relation::Excludes)
                        .map(|other| &affirmed[other])
                        .filter(|borders| !borders.is_empty()),
                );
                let pieces = rivals[value].pieces.iter();
                pieces
                    .map(|piece| {
                        if affirms(piece) {
                            reach(piece, &against_it)
                        } else {
                            reach(piece, &[&affirmed[value]])
                        }
                    })
                    .collect()
            })
            .collect();
        if rivals.len() > 1 {
            let affirming = |value: usize| {
                let live = rivals[value].pieces.iter().zip(&reaches[value]);
                live.filter(|(piece, _)| affirms(piece) && piece.weight() > 0.0).map(|(_, reach)| reach)
            };
            let times: Vec<Vec<Stretch>> = (0..rivals.len()).map(|value| dated(affirming(value))).collect();
            for (value, reaches) in reaches.iter_mut().enumerate() {
                let others = (0..times.len()).filter(|other| *other != value);
                let others = others.filter(|other| relation(value, *other) == Relation::Excludes);
                let theirs: Vec<Stretch> = others.flat_map(|other| times[other].iter().copied()).collect();
                yield_to_dated(reaches, &rivals[value].pieces, &times[value], &theirs);
            }
        }
        Self { rule, rivals, relations, copies, classes, heard, reaches }
    }

    fn relation(&self, value: usize, other: usize) -> Relation {
        self.relations.get(value).map_or(Relation::Excludes, |row| row[other])
    }

    fn piece(&self, value: usize, piece: usize) -> &Piece<'b> {
        &self.rivals[value].pieces[piece]
    }

    /// Cuts time where the set of live pieces, or what they rest on, changes, and weighs each part.
    ///
    /// Neighbours over which the same pieces are live share one computation.
    fn sweep(&self, visit: &mut dyn FnMut(&Segment<'_>)) {
        let mut changes: BTreeMap<i64, Vec<(usize, usize, Option<Basis>)>> = BTreeMap::new();
        changes.entry(i64::MIN).or_default();
        for (value, reaches) in self.reaches.iter().enumerate() {
            for (piece, reach) in reaches.iter().enumerate() {
                for (position, (stretch, basis)) in reach.iter().enumerate() {
                    changes.entry(stretch.from).or_default().push((value, piece, Some(*basis)));
                    let goes_on = reach.get(position + 1).is_some_and(|(next, _)| next.from == stretch.to);
                    if stretch.to != i64::MAX && !goes_on {
                        changes.entry(stretch.to).or_default().push((value, piece, None));
                    }
                }
            }
        }
        let starts: Vec<i64> = changes.keys().copied().collect();
        let mut live: Vec<BTreeMap<usize, Basis>> = vec![BTreeMap::new(); self.rivals.len()];
        let mut counts = vec![[[0_u32; 4]; 2]; self.rivals.len()];
        let mut known: Option<(u128, Vec<Outcome>)> = None;
        let mut fingerprint = 0_u128;
        for (position, (start, changes)) in changes.into_iter().enumerate() {
            for (value, piece, basis) in changes {
                let was = match basis {
                    Some(basis) => live[value].insert(piece, basis),
                    None => live[value].remove(&piece),
                };
                let counts = &mut counts[value][usize::from(!affirms(self.piece(value, piece)))];
                if let Some(was) = was {
                    counts[was as usize] -= 1;
                }
                if let Some(basis) = basis {
                    counts[basis as usize] += 1;
                }
                if was.is_some() != basis.is_some() {
                    fingerprint ^= mark(value, piece);
                }
            }
            let unchanged = known.take().filter(|(of, _)| *of == fingerprint);
            let (_, outcomes) =
                known.insert(unchanged.unwrap_or_else(|| (fingerprint, self.outcomes(&live))));
            let stretch = Stretch { from: start, to: starts.get(position + 1).copied().unwrap_or(i64::MAX) };
            visit(&Segment { stretch, live: &live, counts: &counts, outcomes });
        }
    }

    /// Weighs all values while the pieces `live` are.
    fn outcomes(&self, live: &[BTreeMap<usize, Basis>]) -> Vec<Outcome> {
        let spoken_of: Vec<bool> = live.iter().map(|pieces| !pieces.is_empty()).collect();
        let mut outcomes: Vec<Outcome> = (0..self.rivals.len())
            .map(|value| {
                let support = self.pool(value, live, Stance::For);
                let contradiction = self.pool(value, live, Stance::Against);
                let odds = combine::odds(support.value, contradiction.value);
                let figures = combine::alone(self.rule, support.value, contradiction.value);
                Outcome { support, contradiction, figures, odds, others: Vec::new() }
            })
            .collect();
        if self.rivals.len() == 1 || self.rule == WeighRule::NoisyOr {
            return outcomes;
        }
        let odds: Vec<f64> = outcomes.iter().map(|outcome| outcome.odds).collect();
        for (value, outcome) in outcomes.iter_mut().enumerate() {
            let others: Vec<usize> = (0..odds.len())
                .filter(|other| *other != value && spoken_of[*other] && odds[*other] > 0.0)
                .filter(|other| self.relation(value, *other) == Relation::Excludes)
                .collect();
            // What speaks for a general value is already part of what speaks for a more specific one.
            let counted: Vec<usize> = others
                .iter()
                .copied()
                .filter(|general| {
                    let held = |other: &usize| self.relation(*other, *general) == Relation::General;
                    self.relations.is_empty() || !others.iter().any(held)
                })
                .collect();
            let against: f64 = counted.iter().map(|other| odds[*other]).sum();
            outcome.figures = combine::among(outcome.odds, outcome.contradiction.value, against);
            outcome.others = counted;
        }
        outcomes
    }

    /// Pools what speaks for a value, or against it: one weight a document, and only documents that do not copy
    /// one another.
    fn pool(&self, value: usize, live: &[BTreeMap<usize, Basis>], stance: Stance) -> Pool {
        let mut documents: BTreeMap<u64, Vec<(usize, usize, f64)>> = BTreeMap::new();
        for (owner, index) in &self.heard[value] {
            let piece = self.piece(*owner, *index);
            if piece.stance == stance && live[*owner].contains_key(index) {
                documents.entry(piece.document).or_default().push((*owner, *index, piece.weight()));
            }
        }
        let mut units = Vec::with_capacity(documents.len());
        for (key, pieces) in &mut documents {
            pieces.sort_by(|left, right| right.2.total_cmp(&left.2));
            let gain = combine::gain(self.rule, pieces.first().map_or(0.0, |piece| piece.2));
            // Under `max` a copy can add nothing anyway, and must not hide the strongest document.
            let links = self.rule != WeighRule::Max;
            let classes = self.classes[value].get(key).filter(|_| links).cloned().unwrap_or_default();
            units.push(Unit { gain, classes });
        }
        let independent = Independent::best(&units, &self.copies[value]);
        let keys: Vec<u64> = documents.keys().copied().collect();
        let documents: Vec<PooledDocument> = documents
            .into_iter()
            .zip(&independent.stands_for)
            .map(|((key, pieces), stands_for)| PooledDocument {
                key,
                weight: pieces.first().map_or(0.0, |piece| piece.2),
                pieces,
                stands_for: keys[*stands_for],
            })
            .collect();
        let counted = documents.iter().filter(|document| document.stands_for == document.key);
        let value = combine::pool(self.rule, counted.map(|document| document.weight));
        Pool { value, documents, exact: independent.exact }
    }

    fn weigh(&self) -> Vec<Weighed> {
        let mut periods: Vec<Vec<PeriodBelief>> = vec![Vec::new(); self.rivals.len()];
        self.sweep(&mut |segment| {
            for (value, periods) in periods.iter_mut().enumerate() {
                periods.extend(period(segment, value));
            }
        });
        periods.into_iter().map(|periods| Weighed { periods: joined(periods) }).collect()
    }

    fn explain(&self, value: usize) -> Vec<PeriodTrace> {
        let mut weighed = self.weigh();
        let mut beliefs = std::mem::take(&mut weighed[value].periods).into_iter().peekable();
        let mut periods = Vec::new();
        self.sweep(&mut |segment| {
            // What was joined into one period has the same figures throughout; its first segment tells why.
            let start = segment.stretch.interval().from;
            if let Some(belief) = beliefs.next_if(|belief| belief.interval.from == start) {
                periods.push(self.trace(segment, value, belief));
            }
        });
        periods
    }

    fn trace(&self, segment: &Segment<'_>, value: usize, belief: PeriodBelief) -> PeriodTrace {
        let outcome = &segment.outcomes[value];
        let pool = |pool: &Pool| PoolTrace {
            exact: pool.exact,
            documents: pool
                .documents
                .iter()
                .map(|document| DocumentTrace {
                    document: document.key,
                    weight: document.weight,
                    copy_of: (document.stands_for != document.key).then_some(document.stands_for),
                    evidence: document
                        .pieces
                        .iter()
                        .enumerate()
                        .map(|(position, (rival, piece, weight))| EvidenceTrace {
                            rival: *rival,
                            piece: *piece,
                            weight: *weight,
                            strongest: position == 0,
                            basis: segment.live[*rival].get(piece).copied().unwrap_or(Basis::Undated),
                        })
                        .collect(),
                })
                .collect(),
        };
        let spoken_of =
            (0..self.rivals.len()).filter(|other| *other != value && !segment.live[*other].is_empty());
        let rivals = spoken_of
            .map(|other| RivalTrace {
                rival: other,
                stands: match self.relation(value, other) {
                    Relation::Excludes => Stands::Excludes,
                    Relation::General => Stands::MoreGeneral,
                    Relation::Specific => Stands::MoreSpecific,
                },
                counts: outcome.others.contains(&other),
                support: segment.outcomes[other].support.value,
                odds: segment.outcomes[other].odds,
                belief: segment.outcomes[other].figures.belief,
            })
            .collect();
        PeriodTrace {
            belief,
            support: pool(&outcome.support),
            contradiction: pool(&outcome.contradiction),
            odds: outcome.odds,
            rivals,
        }
    }
}

fn relations(values: usize, supports: &dyn Fn(usize, usize) -> bool) -> Vec<Vec<Relation>> {
    let row = |value: usize| -> Vec<Relation> {
        (0..values)
            .map(|other| match other != value {
                true if supports(other, value) => Relation::General,
                true if supports(value, other) => Relation::Specific,
                _ => Relation::Excludes,
            })
            .collect()
    };
    let rows: Vec<Vec<Relation>> = if values > 1 { (0..values).map(row).collect() } else { Vec::new() };
    let flat = rows.iter().flatten().all(|relation| *relation == Relation::Excludes);
    if flat { Vec::new() } else { rows }
}

/// Returns what a segment says of a value, when any of the value's own evidence is live in it.
fn period(segment: &Segment<'_>, value: usize) -> Option<PeriodBelief> {
    const BASES: [Basis; 4] = [Basis::Stated, Basis::Persisting, Basis::Presumed, Basis::Undated];
    let [affirming, denying] = segment.counts[value];
    let best = |counts: [u32; 4]| BASES.into_iter().find(|basis| counts[*basis as usize] > 0);
    let basis = best(affirming).or_else(|| best(denying))?;
    let outcome = &segment.outcomes[value];
    let Figures { belief, disbelief, uncertainty } = outcome.figures;
    let (support, contradiction) = (outcome.support.value, outcome.contradiction.value);
    Some(PeriodBelief {
        interval: segment.stretch.interval(),
        support,
        contradiction,
        conflict: support * contradiction,
        belief,
        disbelief,
        uncertainty,
        assumed: matches!(basis, Basis::Presumed | Basis::Persisting),
        basis,
    })
}

/// Joins neighbours that say the same on the same basis.
fn joined(periods: Vec<PeriodBelief>) -> Vec<PeriodBelief> {
    let same = |left: &PeriodBelief, right: &PeriodBelief| {
        let interval = left.interval;
        let basis = left.basis;
        left.interval.to == right.interval.from
            && left.interval.to.is_some()
            && *left == PeriodBelief { interval, basis, assumed: left.assumed, ..*right }
    };
    let join = |periods: Vec<PeriodBelief>, may: &dyn Fn(&PeriodBelief, &PeriodBelief) -> bool| {
        let mut joined: Vec<PeriodBelief> = Vec::with_capacity(periods.len());
        for period in periods {
            match joined.last_mut() {
                Some(last) if same(last, &period) && may(last, &period) => {
                    last.interval.to = period.interval.to
                }
                _ => joined.push(period),
            }
        }
        joined
    };
    let mut joined = join(periods, &|left, right| left.basis == right.basis);
    if joined.len() > MANY_PERIODS {
        // What is stated at hundreds of dates would have a period for each day that a document bears, and one for
        // each gap. Of a gap between two statements of the same we say that it is stated, too.
        for position in 1..joined.len() - 1 {
            let (before, gap, after) = (joined[position - 1], joined[position], joined[position + 1]);
            let enclosed = before.basis == Basis::Stated && after.basis == Basis::Stated && gap.assumed;
            if enclosed && same(&before, &gap) && same(&gap, &after) {
                joined[position].basis = Basis::Stated;
                joined[position].assumed = false;
            }
        }
        joined = join(joined, &|left, right| left.basis == right.basis);
    }
    joined
}

/// A random-looking number for a piece; the exclusive or over a set of pieces tells sets apart.
fn mark(value: usize, piece: usize) -> u128 {
    let seed = mix((value as u64).rotate_left(32) ^ piece as u64);
    (u128::from(mix(seed)) << 64) | u128::from(mix(!seed))
}
