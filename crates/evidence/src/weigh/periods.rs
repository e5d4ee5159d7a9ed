use std::collections::BTreeSet;

use jiff::civil::Date;
use mge_core::{Interval, Moment, Stance, Tense};

use super::model::{Basis, Piece};

/// A stretch of seconds; the unbounded ends are the extremes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Stretch {
    pub(super) from: i64,
    pub(super) to: i64,
}

impl Stretch {
    pub(super) const ALWAYS: Stretch = Stretch { from: i64::MIN, to: i64::MAX };

    fn of(interval: Interval) -> Self {
        Self {
            from: interval.from.map_or(i64::MIN, |moment| moment.0),
            to: interval.to.map_or(i64::MAX, |moment| moment.0),
        }
    }

    pub(super) fn interval(self) -> Interval {
        Interval {
            from: (self.from != i64::MIN).then_some(Moment(self.from)),
            to: (self.to != i64::MAX).then_some(Moment(self.to)),
        }
    }
}

/// What a piece of evidence says of time by itself, before other evidence limits how far it persists.
#[derive(Debug, Clone, Copy)]
struct Told {
    /// What it states.
    stated: Stretch,
    /// The same, a document's date widened to its calendar year: two documents of one year contradict each
    /// other, they do not follow each other.
    core: Stretch,
    /// The text itself says when it began.
    begins: bool,
    /// The text itself says when it ended.
    ends: bool,
}

impl Told {
    /// Reads a piece; nothing, when neither it nor its document says when it holds.
    fn of(piece: &Piece<'_>) -> Option<Self> {
        let written = piece.document_date.map(Stretch::of);
        if let Some(valid) = piece.valid {
            let stated = Stretch::of(valid);
            return match (valid.from, valid.to) {
                (None, None) => None,
                (Some(_), Some(_)) => Some(Self { stated, core: stated, begins: true, ends: true }),
                // "since 2004", written in 2019, states nothing of 2020.
                (Some(_), None) => Some(match written.filter(|written| written.to > stated.from) {
                    Some(written) if written.to != i64::MAX => {
                        let to = written.to;
                        Self {
                            stated: Stretch { to, ..stated },
                            core: Stretch { to: year_end(to), ..stated },
                            begins: true,
                            ends: false,
                        }
                    }
                    _ => Self { stated, core: stated, begins: true, ends: false },
                }),
                // "until 2016" states nothing of 1950.
                (None, Some(_)) => {
                    let stated = Stretch { from: year_start(stated.to.saturating_sub(1)), ..stated };
                    Some(Self { stated, core: stated, begins: false, ends: true })
                }
            };
        }
        let written = written.filter(|written| written.from != i64::MIN && written.to != i64::MAX)?;
        if piece.tense == Tense::Past {
            return None;
        }
        let core = Stretch { from: year_start(written.from), to: year_end(written.to) };
        Some(Self { stated: written, core, begins: false, ends: false })
    }

    fn persists_forward(&self) -> bool {
        !self.ends && self.stated.to != i64::MAX
    }

    fn persists_backward(&self) -> bool {
        !self.begins && self.stated.from != i64::MIN
    }
}

/// A time of which something different is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Border {
    stated: Stretch,
    core: Stretch,
    begins: bool,
    ends: bool,
}

/// Returns the times of which these pieces state something, each once.
pub(super) fn borders<'a>(pieces: impl Iterator<Item = &'a Piece<'a>>) -> BTreeSet<Border> {
    pieces
        .filter(|piece| piece.weight() > 0.0)
        .filter_map(Told::of)
        .map(|Told { stated, core, begins, ends }| Border { stated, core, begins, ends })
        .collect()
}

/// The part of time for which one piece is evidence, and on what basis; in order, without gaps.
pub(super) type Reach = Vec<(Stretch, Basis)>;

/// Returns for which times a piece is evidence.
///
/// It persists from the time it states to the next time at which something different is stated (`different`),
/// and back to the last.
pub(super) fn reach(piece: &Piece<'_>, different: &[&BTreeSet<Border>]) -> Reach {
    let different = || different.iter().flat_map(|borders| borders.iter());
    let Some(told) = Told::of(piece) else {
        let Some(written) =
            piece.document_date.filter(|_| piece.tense == Tense::Past && piece.valid.is_none())
        else {
            return vec![(Stretch::ALWAYS, Basis::Undated)];
        };
        // "She was the director", written in 2019, is about some time before; it has not ended until something
        // different is stated, since it may be about what cannot end ("was born in").
        let written = Stretch { from: i64::MIN, ..Stretch::of(written) };
        let told = Told { stated: written, core: written, begins: false, ends: false };
        let to = if written.to == i64::MAX { i64::MAX } else { upper(&told, different()) };
        return vec![(Stretch { from: i64::MIN, to }, Basis::Undated)];
    };
    let mut reach = Vec::with_capacity(3);
    if told.persists_backward() {
        let from = lower(&told, different());
        reach.push((Stretch { from, to: told.stated.from }, Basis::Presumed));
    }
    reach.push((told.stated, Basis::Stated));
    if told.persists_forward() {
        let to = upper(&told, different());
        reach.push((Stretch { from: told.stated.to, to }, Basis::Persisting));
    }
    reach.retain(|(stretch, _)| stretch.from < stretch.to);
    reach
}

fn upper<'a>(told: &Told, different: impl Iterator<Item = &'a Border>) -> i64 {
    let bounds = different.filter_map(|border| {
        let follows = if border.begins {
            border.stated.from >= told.stated.to
        } else {
            border.core.from >= told.core.to
        };
        if follows {
            Some(border.stated.from)
        } else {
            (border.core.to > told.core.to).then_some(told.core.to)
        }
    });
    bounds.min().unwrap_or(i64::MAX).max(told.stated.to)
}

fn lower<'a>(told: &Told, different: impl Iterator<Item = &'a Border>) -> i64 {
    let bounds = different.filter_map(|border| {
        let precedes =
            if border.ends { border.stated.to <= told.stated.from } else { border.core.to <= told.core.from };
        if precedes {
            Some(border.stated.to)
        } else {
            (border.core.from < told.core.from).then_some(told.core.from)
        }
    });
    bounds.max().unwrap_or(i64::MIN).min(told.stated.from)
}

fn year_start(second: i64) -> i64 {
    let year = Moment(second).date().year();
    Date::new(year, 1, 1).map_or(second, |date| Moment::of_date(date).0).min(second)
}

/// Returns the end of the year of the last second before `second`.
fn year_end(second: i64) -> i64 {
    let year = Moment(second.saturating_sub(1)).date().year();
    let next = year.checked_add(1).and_then(|year| Date::new(year, 1, 1).ok());
    next.map_or(second, |date| Moment::of_date(date).0).max(second)
}

/// Tells whether a piece may limit how far another persists: only what is affirmed does.
pub(super) fn affirms(piece: &Piece<'_>) -> bool {
    piece.stance == Stance::For
}

/// Takes the undated statements of a value out of the times that belong to others.
///
/// Where a value is dated somewhere, its undated statements do not speak of the times for which another value is dated
/// and it is not: "Orlen Lines owns the ferry", in a text without a date, does not contradict that the ferry was
/// another's from 2009 to 2017, once it is known that Orlen Lines bought it in 2018.
pub(super) fn yield_to_dated(
    reaches: &mut [Reach],
    pieces: &[Piece<'_>],
    own: &[Stretch],
    rivals: &[Stretch],
) {
    if own.is_empty() || rivals.is_empty() {
        return;
    }
    let taken: Vec<Stretch> = rivals.iter().flat_map(|rival| without(*rival, own)).collect();
    for (reach, piece) in reaches.iter_mut().zip(pieces) {
        if let [(stretch, Basis::Undated)] = reach[..]
            && affirms(piece)
        {
            *reach = without(stretch, &taken).into_iter().map(|stretch| (stretch, Basis::Undated)).collect();
        }
    }
}

/// Returns the times that some reaches date, in order and joined.
pub(super) fn dated<'a>(reaches: impl Iterator<Item = &'a Reach>) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = reaches
        .flatten()
        .filter(|(_, basis)| *basis != Basis::Undated)
        .map(|(stretch, _)| *stretch)
        .collect();
    stretches.sort_unstable();
    let mut joined: Vec<Stretch> = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        match joined.last_mut() {
            Some(last) if stretch.from <= last.to => last.to = last.to.max(stretch.to),
            _ => joined.push(stretch),
        }
    }
    joined
}

/// Returns what is left of a stretch when others are taken out of it.
fn without(stretch: Stretch, others: &[Stretch]) -> Vec<Stretch> {
    let mut left = vec![stretch];
    for other in others {
        left = left
            .into_iter()
            .flat_map(|part| {
                let before = Stretch { from: part.from, to: part.to.min(other.from) };
                let after = Stretch { from: part.from.max(other.to), to: part.to };
                [before, after]
            })
            .filter(|part| part.from < part.to)
            .collect();
    }
    left
}
