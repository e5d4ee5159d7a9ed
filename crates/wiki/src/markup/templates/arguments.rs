//! The arguments of a template.

use std::collections::HashMap;
use std::ops::Range;

use super::Converter;

/// Holds where the arguments of a template are.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Those without a name, in order.
    pub(super) positional: Vec<Range<usize>>,
    /// Those with a name, in order, by their name as it is written.
    pub(super) named: Vec<(String, Range<usize>)>,
    /// The last one of each name in small letters.
    by_name: HashMap<String, Range<usize>>,
}

impl Arguments {
    /// Returns an argument without a name by its place, from 0, or by that number as a name, from 1.
    pub(super) fn at(&self, place: usize) -> Option<Range<usize>> {
        let named = || self.by_name.get(&(place + 1).to_string());
        self.positional.get(place).or_else(named).cloned()
    }

    /// Returns the first argument that has one of some names.
    pub(super) fn first(&self, names: &[&str]) -> Option<Range<usize>> {
        names.iter().find_map(|name| self.by_name.get(*name)).cloned()
    }
}

impl Converter<'_> {
    /// Returns the arguments of a template.
    pub(super) fn arguments(&self, inner: &Range<usize>) -> Arguments {
        let mut arguments = Arguments::default();
        let Some(bar) = self.find_outside(inner.start, inner.end, b'|') else {
            return arguments;
        };
        for part in self.parts(bar + 1..inner.end) {
            let equals = self.find_outside(part.start, part.end, b'=');
            let Some((equals, name)) =
                equals.map(|at| (at, self.text[part.start..at].trim())).filter(|(_, name)| name.len() < 100)
            else {
                arguments.positional.push(part);
                continue;
            };
            let value = equals + 1..part.end;
            if !self.text[value.clone()].trim().is_empty() {
                arguments.by_name.insert(name.to_lowercase(), value.clone());
            }
            arguments.named.push((name.to_owned(), value));
        }
        arguments
    }

    /// Returns the text of an argument as it is written.
    pub(super) fn raw(&self, range: Option<Range<usize>>) -> &str {
        range.map_or("", |range| self.text[range].trim())
    }
}
