//! Reading an evidence graph: the options, the call, and how claims look to a person.

use std::path::Path;

use jiff::civil::Date;
use mge_core::{Interval, Moment, unescape_part};
use mge_endpoint::Endpoint;
use mge_evidence::{Citation, ClaimView, PeriodView};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::cite::Places;
use crate::complete::{Word, word};
use crate::context::{Context, graph_name};
use crate::exit::{Exit, Failure};
use crate::printer::{Paint, Printer, harmless, one_line, wrap};

/// Which graph, and as of when.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct GraphArgs {
    /// The evidence graph, if there are several
    #[arg(long, value_name = "NAME", add = word(Word::Graph))]
    pub(crate) graph: Option<String>,

    /// As things were in the world at this date: 2019, 2019-05, 2019-05-03
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) as_of: Option<String>,

    /// As it was known at this date
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) known_at: Option<String>,

    /// Pilot first if need be
    #[arg(long)]
    pub(crate) pilot: bool,
}

/// Dates go on as they were given, but not if they are none.
fn date(text: &str) -> Result<String, String> {
    Interval::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// A graph that is open for reading.
pub(crate) struct Reading {
    pub(crate) endpoint: Endpoint,
    pub(crate) graph: String,
    pub(crate) places: Places,
    times: Map<String, Value>,
}

impl Reading {
    /// Opens the graph that is meant.
    pub(crate) fn open(context: &mut Context, folder: &Path, args: &GraphArgs) -> anyhow::Result<Self> {
        let graph = graph_name(&context.look(folder)?, args.graph.as_deref())?;
        let endpoint = context.read(folder, &[&graph], args.pilot)?;
        Ok(Self::of(endpoint, graph, args))
    }

    /// Opens the graph so that it may read on in the documents: with the endpoint's lock.
    pub(crate) fn open_to_read_on(
        context: &mut Context,
        folder: &Path,
        args: &GraphArgs,
    ) -> anyhow::Result<Self> {
        let graph = graph_name(&context.look(folder)?, args.graph.as_deref())?;
        let endpoint = context.write(folder, "mge ask", None)?;
        if let Err(error) = context.pilot_fully(&endpoint) {
            context.close(&endpoint)?;
            return Err(error);
        }
        Ok(Self::of(endpoint, graph, args))
    }

    /// Takes an endpoint that is open.
    pub(crate) fn of(endpoint: Endpoint, graph: String, args: &GraphArgs) -> Self {
        let places = Places::new(&endpoint);
        let mut times = Map::new();
        for (name, value) in [("as_of", &args.as_of), ("known_at", &args.known_at)] {
            if let Some(value) = value {
                times.insert(name.to_owned(), Value::from(value.as_str()));
            }
        }
        Self { endpoint, graph, places, times }
    }

    /// Calls a capability of the graph, with the times that were asked for; returns the answer as it is and as a type.
    pub(crate) fn ask<T: DeserializeOwned>(
        &self,
        context: &mut Context,
        verb: &str,
        arguments: Value,
    ) -> anyhow::Result<(Value, T)> {
        self.ask_graph(context, &self.graph, verb, arguments)
    }

    /// Calls a capability of a graph of this endpoint, as [`Reading::ask`] does.
    pub(crate) fn ask_graph<T: DeserializeOwned>(
        &self,
        context: &mut Context,
        graph: &str,
        verb: &str,
        arguments: Value,
    ) -> anyhow::Result<(Value, T)> {
        let mut all = self.times.clone();
        if let Value::Object(arguments) = arguments {
            all.extend(arguments.into_iter().filter(|(_, value)| !value.is_null()));
        }
        let capability = format!("{verb}_{graph}");
        let response = context.call(&self.endpoint, graph, &capability, Value::Object(all))?;
        let typed = T::deserialize(&response.message).map_err(|error| {
            Failure::new(Exit::NotUnderstood, format!("cannot understand the answer of {capability}"))
                .caused_by(error)
        })?;
        Ok((response.message, typed))
    }

    /// Prints a claim with what says so.
    pub(crate) fn print_claim(&self, printer: &mut Printer, claim: &ClaimView) {
        let line = self.claim_line(printer, claim);
        printer.line(line);
        for citation in claim.citations.iter().take(MOST_CITATIONS) {
            self.print_citation(printer, citation, "  ");
        }
        let more = claim.citations.len().saturating_sub(MOST_CITATIONS);
        if more > 0 {
            let text = printer.paint(Paint::Dim, format!("  and {more} more: mge explain {}", claim.id));
            printer.line(text);
        }
    }

    /// Writes a claim with its figures on one line.
    pub(crate) fn claim_line(&self, printer: &Printer, claim: &ClaimView) -> String {
        let mut notes = Vec::new();
        let periods = periods(&claim.periods);
        if !periods.is_empty() {
            notes.push(periods);
        }
        notes.push(format!("belief {:.2}", claim.belief));
        if claim.disbelief >= 0.005 {
            notes.push(format!("disbelief {:.2}", claim.disbelief));
        }
        if claim.disbelief > claim.belief {
            notes.push(printer.paint(Paint::Yellow, "denied"));
        } else if claim.conflict {
            notes.push(printer.paint(Paint::Yellow, "disputed"));
        }
        if claim.inferred {
            notes.push("inferred".to_owned());
        }
        let id = printer.paint(Paint::Dim, format!("[{}]", claim.id));
        format!("{}  ({})  {id}", statement(printer, claim), notes.join(", "))
    }

    /// Prints where something stands, and what stands there.
    pub(crate) fn print_citation(&self, printer: &mut Printer, citation: &Citation, indent: &str) {
        let place = self.places.cite(citation);
        let against =
            if citation.stance < 0 { printer.paint(Paint::Yellow, "against: ") } else { String::new() };
        let place = printer.paint(Paint::Cyan, place);
        printer.line(format!("{indent}{against}{place}"));
        let indent = format!("{indent}  ");
        let room = printer.width().saturating_sub(indent.len()).min(MOST_COLUMNS);
        for line in wrap(&citation.quote, room) {
            printer.line(format!("{indent}{line}"));
        }
    }
}

/// How many citations of one claim are printed.
const MOST_CITATIONS: usize = 3;

/// Prose in longer lines is hard to read.
const MOST_COLUMNS: usize = 110;

/// Prints a text in lines of a readable length.
pub(crate) fn print_prose(printer: &mut Printer, text: &str) {
    let room = printer.width().min(MOST_COLUMNS);
    for paragraph in harmless(text).lines() {
        let lines = wrap(paragraph, room);
        for line in lines {
            printer.line(line);
        }
    }
}

/// Writes what a claim says.
pub(crate) fn statement(printer: &Printer, claim: &ClaimView) -> String {
    let object = match &claim.literal {
        Some(literal) => one_line(literal),
        None => name(&claim.object),
    };
    let relation = printer.paint(Paint::Dim, format!("— {} →", one_line(&claim.relation)));
    format!(
        "{} {relation} {}",
        printer.paint(Paint::Bold, name(&claim.subject)),
        printer.paint(Paint::Bold, object)
    )
}

/// Returns the name in an entity's id, without its concept.
pub(crate) fn name(id: &str) -> String {
    one_line(&unescape_part(id.rsplit('|').next().unwrap_or(id)))
}

/// Writes the periods in which a claim is believed rather than not. Those that meet are one: their figures differ, not
/// what they say. A stretch that no text states, only assumed from the dates of documents, is not written.
fn periods(periods: &[PeriodView]) -> String {
    const MOST: usize = 3;
    let mut believed: Vec<(Option<Moment>, Option<Moment>, bool)> = periods
        .iter()
        .filter(|period| period.belief > period.disbelief)
        .map(|period| (period.from, period.to, !period.assumed))
        .collect();
    believed.sort();
    let mut joined: Vec<(Option<Moment>, Option<Moment>, bool)> = Vec::new();
    for (from, to, is_stated) in believed {
        match joined.last_mut() {
            Some((_, end, stated)) if end.is_none_or(|end| from.is_none_or(|from| from <= end)) => {
                *end = end.and_then(|end| to.map(|to| to.max(end)));
                *stated |= is_stated;
            }
            _ => joined.push((from, to, is_stated)),
        }
    }
    joined.retain(|(_, _, stated)| *stated);
    let more = joined.len().saturating_sub(MOST);
    let mut texts: Vec<String> =
        joined.into_iter().take(MOST).filter_map(|(from, to, _)| span(from, to)).collect();
    if more > 0 {
        texts.push(format!("{more} more periods"));
    }
    texts.join("; ")
}

/// Writes a stretch of time for people, both its ends included; nothing for all of time.
pub(crate) fn span(from: Option<Moment>, to: Option<Moment>) -> Option<String> {
    let first = from.map(|from| from.date());
    // The end is the second after the last.
    let last = to.map(|to| Moment(to.0 - 1).date());
    let is_day = |moment: Moment| moment.0.rem_euclid(86_400) == 0;
    if !from.into_iter().chain(to).all(is_day) {
        return Some(Interval { from, to }.to_string());
    }
    // Each end is as fine as it has to be: a first of January begins a year, a last of June ends a month.
    let mut fine = (first.map(fineness_of_first), last.map(fineness_of_last));
    if let ((Some(begin), Some(end)), Some(first), Some(last)) = (&mut fine, first, last)
        && first.year() == last.year()
    {
        // "2023 to 2023-01" would be odd.
        let finest = (*begin).max(*end);
        (*begin, *end) = (finest, finest);
    }
    let shown = |day: Date, fineness: Fineness| match fineness {
        Fineness::Year => day.year().to_string(),
        Fineness::Month => format!("{}-{:02}", day.year(), day.month()),
        Fineness::Day => day.to_string(),
    };
    let first = first.zip(fine.0).map(|(day, fineness)| shown(day, fineness));
    let last = last.zip(fine.1).map(|(day, fineness)| shown(day, fineness));
    match (first, last) {
        (None, None) => None,
        (Some(first), None) => Some(format!("since {first}")),
        (None, Some(last)) => Some(format!("to {last}")),
        (Some(first), Some(last)) if first == last => Some(first),
        (Some(first), Some(last)) => Some(format!("{first} to {last}")),
    }
}

/// How fine a date is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fineness {
    Year,
    Month,
    Day,
}

fn fineness_of_first(day: Date) -> Fineness {
    match (day.month(), day.day()) {
        (1, 1) => Fineness::Year,
        (_, 1) => Fineness::Month,
        _ => Fineness::Day,
    }
}

fn fineness_of_last(day: Date) -> Fineness {
    match (day.month(), day.day()) {
        (12, 31) => Fineness::Year,
        (_, number) if number == day.days_in_month() => Fineness::Month,
        _ => Fineness::Day,
    }
}

/// Writes an interval for people; nothing dates what has none.
pub(crate) fn period(period: Option<Interval>) -> String {
    period.and_then(|period| span(period.from, period.to)).unwrap_or_else(|| "undated".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_reads_as_people_write_it() {
        let shown = |from: &str, to: &str| {
            let moment = |text: &str| if text.is_empty() { None } else { Moment::parse(text).ok() };
            span(moment(from), moment(to))
        };
        assert_eq!(shown("2014", "2021").as_deref(), Some("2014 to 2020"));
        assert_eq!(shown("2014", "2015").as_deref(), Some("2014"));
        assert_eq!(shown("2014-03", "2014-05").as_deref(), Some("2014-03 to 2014-04"));
        assert_eq!(shown("2014-03-05", "2014-05").as_deref(), Some("2014-03-05 to 2014-04-30"));
        assert_eq!(shown("2015", "2023-01-17").as_deref(), Some("2015 to 2023-01-16"));
        assert_eq!(shown("2023", "2023-02").as_deref(), Some("2023-01"));
        assert_eq!(shown("2023-01-01", "2023-01-02").as_deref(), Some("2023-01-01"));
        assert_eq!(shown("2021-06-01", "").as_deref(), Some("since 2021-06"));
        assert_eq!(shown("", "2021").as_deref(), Some("to 2020"));
        assert_eq!(shown("", ""), None);
    }

    #[test]
    fn periods_that_meet_are_one() {
        let period = |from: &str, to: &str, belief: f64| {
            let moment = |text: &str| if text.is_empty() { None } else { Moment::parse(text).ok() };
            PeriodView {
                from: moment(from),
                to: moment(to),
                belief,
                disbelief: 0.1,
                uncertainty: 0.9 - belief,
                assumed: false,
                basis: "stated".to_owned(),
            }
        };
        let shown = |given: &[PeriodView]| periods(given);
        assert_eq!(
            shown(&[period("", "2019", 0.7), period("2019", "2020", 0.8), period("2020", "", 0.7)]),
            ""
        );
        assert_eq!(shown(&[period("2014", "2019", 0.7), period("2019", "2021", 0.8)]), "2014 to 2020");
        assert_eq!(shown(&[period("2014", "2015", 0.7), period("2016", "2017", 0.8)]), "2014; 2016");
        assert_eq!(shown(&[period("2014", "2015", 0.05)]), "");
        let assumed = |from: &str, to: &str| PeriodView { assumed: true, ..period(from, to, 0.9) };
        assert_eq!(shown(&[assumed("2023-01-17", "")]), "", "no text says since when");
        assert_eq!(
            shown(&[assumed("", "2009"), period("2018", "2020", 0.9), assumed("2020", "")]),
            "since 2018"
        );
    }

    #[test]
    fn an_entity_is_called_by_its_name() {
        assert_eq!(name("person|scientist|Ruth Calloway"), "Ruth Calloway");
        assert_eq!(name("work|A%7CB"), "A|B");
        assert_eq!(name("1932"), "1932");
    }
}
