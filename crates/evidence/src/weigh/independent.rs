use std::collections::{HashMap, HashSet};

use super::copies::Copies;

/// Up to so many linked documents, the best independent set is found by trying all.
const EXACT: usize = 20;

/// A document, as far as independence goes.
#[derive(Debug)]
pub(super) struct Unit {
    /// What counting it brings; not negative.
    pub(super) gain: f64,
    /// The classes of its sentences, ascending, without repetition.
    pub(super) classes: Vec<usize>,
}

/// Which documents count.
#[derive(Debug, Default)]
pub(super) struct Independent {
    /// Of each document: itself when it counts, else the counting document that it is linked to.
    pub(super) stands_for: Vec<usize>,
    /// Every component was small enough to try all sets.
    pub(super) exact: bool,
}

impl Independent {
    /// Finds the set of unlinked documents that brings most, exact per component up to 20 documents, else greedy.
    ///
    /// Of equally good sets it takes that with the earlier documents, so the order of `units` has to mean
    /// something; their keys do.
    pub(super) fn best(units: &[Unit], copies: &Copies) -> Self {
        let mut counts = vec![false; units.len()];
        let mut exact = true;
        for component in components(units, copies) {
            let chosen = match component.as_slice() {
                [alone] => vec![*alone],
                few if few.len() <= EXACT => try_all(units, copies, few),
                many => {
                    exact = false;
                    greedy(units, copies, many)
                }
            };
            chosen.into_iter().for_each(|unit| counts[unit] = true);
        }
        // Through the classes, so that ten thousand copies of one text cost ten thousand look-ups.
        let mut holder: HashMap<usize, usize> = HashMap::new();
        for unit in (0..units.len()).filter(|unit| counts[*unit]) {
            for class in &units[unit].classes {
                holder.entry(*class).or_insert(unit);
                copies.near(*class).iter().for_each(|near| {
                    holder.entry(*near).or_insert(unit);
                });
            }
        }
        let stands_for = (0..units.len())
            .map(|unit| {
                let stand_in = || units[unit].classes.iter().find_map(|class| holder.get(class)).copied();
                if counts[unit] { unit } else { stand_in().unwrap_or(unit) }
            })
            .collect();
        Self { stands_for, exact }
    }
}

/// Groups documents that are linked, directly or through others; both levels ascending.
fn components(units: &[Unit], copies: &Copies) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..units.len()).collect();
    fn root(parent: &mut [usize], mut unit: usize) -> usize {
        while parent[unit] != unit {
            parent[unit] = parent[parent[unit]];
            unit = parent[unit];
        }
        unit
    }
    let mut first_with: HashMap<usize, usize> = HashMap::new();
    for (unit, Unit { classes, .. }) in units.iter().enumerate() {
        for class in classes {
            first_with.entry(*class).or_insert(unit);
        }
    }
    for (unit, Unit { classes, .. }) in units.iter().enumerate() {
        for class in classes {
            for near in std::iter::once(class).chain(copies.near(*class)) {
                if let Some(other) = first_with.get(near) {
                    let (left, right) = (root(&mut parent, unit), root(&mut parent, *other));
                    parent[left.max(right)] = left.min(right);
                }
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); units.len()];
    for unit in 0..units.len() {
        let root = root(&mut parent, unit);
        groups[root].push(unit);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Tries all sets of at most [`EXACT`] documents, cutting off those that cannot win.
fn try_all(units: &[Unit], copies: &Copies, component: &[usize]) -> Vec<usize> {
    struct Search<'a> {
        gains: Vec<f64>,
        links: Vec<u32>,
        best: (f64, u32),
        units: &'a [usize],
    }
    impl Search<'_> {
        fn go(&mut self, position: usize, free: u32, chosen: u32, gain: f64) {
            let open: f64 = (position..self.gains.len())
                .filter(|unit| free & (1 << unit) != 0)
                .map(|unit| self.gains[unit])
                .sum();
            if gain + open <= self.best.0 {
                return;
            }
            let Some(next) = (position..self.gains.len()).find(|unit| free & (1 << unit) != 0) else {
                self.best = (gain, chosen);
                return;
            };
            let bit = 1 << next;
            self.go(next + 1, free & !bit & !self.links[next], chosen | bit, gain + self.gains[next]);
            if self.links[next] & free & !bit != 0 {
                self.go(next + 1, free & !bit, chosen, gain);
            }
        }
    }
    let links = component
        .iter()
        .map(|left| {
            component.iter().enumerate().fold(0_u32, |mask, (position, right)| {
                let linked = left != right && copies.linked(&units[*left].classes, &units[*right].classes);
                if linked { mask | (1 << position) } else { mask }
            })
        })
        .collect();
    let mut search = Search {
        gains: component.iter().map(|unit| units[*unit].gain).collect(),
        links,
        best: (-1.0, 0),
        units: component,
    };
    search.go(0, (1_u32 << component.len()) - 1, 0, 0.0);
    let (_, chosen) = search.best;
    let members = search.units.iter().enumerate();
    members.filter(|(position, _)| chosen & (1 << position) != 0).map(|(_, unit)| *unit).collect()
}

/// Takes the document that brings most, drops those linked to it, and so on.
fn greedy(units: &[Unit], copies: &Copies, component: &[usize]) -> Vec<usize> {
    let mut order = component.to_vec();
    order.sort_by(|left, right| units[*right].gain.total_cmp(&units[*left].gain).then(left.cmp(right)));
    let mut taken: HashSet<usize> = HashSet::new();
    let mut chosen = Vec::new();
    for unit in order {
        if units[unit].classes.iter().any(|class| taken.contains(class)) {
            continue;
        }
        for class in &units[unit].classes {
            taken.insert(*class);
            taken.extend(copies.near(*class));
        }
        chosen.push(unit);
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of sentences in which each is a copy of its neighbours only.
    fn chain(length: usize) -> Vec<String> {
        let word = |number: usize| format!("word{number}");
        (0..length).map(|start| (start * 2..start * 2 + 24).map(word).collect::<Vec<_>>().join(" ")).collect()
    }

    fn best(gains: &[f64]) -> (Vec<usize>, bool) {
        let texts = chain(gains.len());
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let copies = Copies::find(&texts);
        let units: Vec<Unit> = gains
            .iter()
            .enumerate()
            .map(|(position, gain)| Unit { gain: *gain, classes: vec![copies.class(position)] })
            .collect();
        let found = Independent::best(&units, &copies);
        let counted = (0..gains.len()).filter(|unit| found.stands_for[*unit] == *unit).collect();
        (counted, found.exact)
    }

    #[test]
    fn the_best_set_is_not_always_that_with_the_strongest_document() {
        // A chain a-b-c: b alone brings 1.0, a and c together 1.2.
        assert_eq!(best(&[0.6, 1.0, 0.6]), (vec![0, 2], true));
        assert_eq!(best(&[0.4, 1.0, 0.4]), (vec![1], true));
        // A tie goes to the earlier document.
        assert_eq!(best(&[0.5, 0.5]), (vec![0], true));
    }

    #[test]
    fn beyond_twenty_it_is_greedy_and_says_so() {
        let (counted, exact) = best(&[1.0; 30]);
        assert!(!exact);
        assert_eq!(counted, (0..30).step_by(2).collect::<Vec<_>>());
        assert!(best(&[1.0; 20]).1);
    }
}
