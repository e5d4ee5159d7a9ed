use mge_core::{Interval, Moment};
use serde::{Deserialize, Serialize};

use crate::weigh::{Basis, PeriodBelief, six_decimals};

/// The form of every answer of this crate; fields are only ever added.
pub(crate) const VERSION: u32 = 1;

/// A span that says something, with its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// The node that holds it, e.g. `docs|guide/start.md|text_7`.
    pub index: String,
    /// Its first byte in the document.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// What a reader sees there, checked against the stored text.
    pub quote: String,
    /// The document's index.
    pub document: String,
    /// The page of the original document, where that has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// 1 when it is for the claim, -1 when it is against it.
    #[serde(default = "for_it", skip_serializing_if = "is_for")]
    pub stance: i8,
    /// The date that the document bears.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Interval>,
    /// When it held, where the text says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid: Option<Interval>,
}

fn for_it() -> i8 {
    1
}

fn is_for(stance: &i8) -> bool {
    *stance > 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

/// What the evidence says of a claim in one period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeriodView {
    /// The first second, or unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Moment>,
    /// The second after the last, or unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Moment>,
    /// How far it is believed.
    pub belief: f64,
    /// How far its opposite is.
    pub disbelief: f64,
    /// What is left open.
    pub uncertainty: f64,
    /// It holds by persistence: stated of another time, and nothing different between.
    #[serde(default, skip_serializing_if = "is_false")]
    pub assumed: bool,
    /// `stated`, `persisting`, `presumed` or `undated`.
    pub basis: String,
}

/// A claim and what is believed of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimView {
    /// Its id, shortened as far as it stays unique; of an inferred claim, those it rests on, joined by `+`.
    pub id: String,
    /// The subject's id.
    pub subject: String,
    /// The relation's id.
    pub relation: String,
    /// The object's id, or the value.
    pub object: String,
    /// The value, when the object is no entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub literal: Option<String>,
    /// The belief of the asked time; when none was asked for, of the best period.
    pub belief: f64,
    /// How far its opposite is believed then.
    pub disbelief: f64,
    /// What is left open.
    pub uncertainty: f64,
    /// The evidence disagrees, with itself or about rival values.
    #[serde(default, skip_serializing_if = "is_false")]
    pub conflict: bool,
    /// All periods of which the evidence speaks; with an asked time, those that touch it.
    pub periods: Vec<PeriodView>,
    /// What says so, the strongest first.
    pub citations: Vec<Citation>,
    /// It is stated nowhere, but follows from `chain`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub inferred: bool,
    /// The ids of the claims it follows from, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<String>,
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityView {
    /// Its id: concept and name.
    pub id: String,
    /// The concept's id.
    pub concept: String,
    /// Its name.
    pub name: String,
    /// Its other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// How often it is mentioned.
    pub mentions: u64,
}

/// A passage that may bear on a question, and is no answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassageView {
    /// The node that holds it.
    pub index: String,
    /// The higher, the nearer; comparable within one answer.
    pub score: f64,
    /// What a reader sees.
    pub text: String,
    /// The name of the source.
    pub source: String,
}

/// One number and where it comes from: a node of the tree that explains a belief.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// What the number is: `belief`, `support`, `document`, `weight`, `authority`, …
    pub factor: String,
    /// The number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// What it is about: a claim, a document, a method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Why it is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The period it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Interval>,
    /// The span it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
    /// What it is computed from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Explanation>,
}

impl Explanation {
    /// Makes a node with a number, rounded as all output is.
    pub(crate) fn of(factor: &str, value: f64) -> Self {
        Self { factor: factor.to_owned(), value: Some(six_decimals(value)), ..Self::default() }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    pub(crate) fn with(mut self, children: Vec<Explanation>) -> Self {
        self.children = children;
        self
    }
}

/// What a question comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The form of the answer: 1.
    pub version: u32,
    /// The question as it was asked.
    pub question: String,
    /// A claim fits all that the question names, and is believed.
    pub known: bool,
    /// The values and the sentences that say so; when it is not known, why.
    pub answer: String,
    /// How far the answer is believed.
    pub support: f64,
    /// The claims that answer; when none does, the nearest, which do not.
    pub claims: Vec<ClaimView>,
    /// The nearest passages, which are no answer by themselves.
    pub passages: Vec<PassageView>,
    /// Nodes that were not read yet and may know more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub would_read: Vec<String>,
    /// The values that answer, without their sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// How the question was understood.
    pub understood: Understanding,
}

/// How a question was understood.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Understanding {
    /// The ids of the entities that it names.
    pub entities: Vec<String>,
    /// The relations that its words may mean.
    pub relations: Vec<String>,
    /// The time that it asks about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Interval>,
    /// The names in it that no entity has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_names: Vec<String>,
    /// Names that look like those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_names: Vec<String>,
}

impl PeriodView {
    pub(crate) fn of(period: &PeriodBelief) -> Self {
        Self {
            from: period.interval.from,
            to: period.interval.to,
            belief: six_decimals(period.belief),
            disbelief: six_decimals(period.disbelief),
            uncertainty: six_decimals(period.uncertainty),
            assumed: period.assumed,
            basis: basis_name(period.basis).to_owned(),
        }
    }

    fn says_the_same(&self, earlier: &PeriodView) -> bool {
        earlier.to.is_some()
            && earlier.to == self.from
            && (earlier.belief, earlier.disbelief, earlier.uncertainty)
                == (self.belief, self.disbelief, self.uncertainty)
    }

    /// Returns the views of periods, neighbours that say the same joined.
    ///
    /// What is stated of two dates, and nothing different of any between, is shown as one period: a view tells what
    /// holds, an explanation tells at which dates it is stated.
    pub(crate) fn all<'a>(periods: impl Iterator<Item = &'a PeriodBelief>) -> Vec<Self> {
        let mut views: Vec<Self> = Vec::new();
        for view in periods.map(Self::of) {
            match views.as_mut_slice() {
                [.., last] if view.says_the_same(last) && view.basis == last.basis => last.to = view.to,
                [.., before, gap]
                    if view.says_the_same(gap)
                        && gap.says_the_same(before)
                        && (before.basis.as_str(), view.basis.as_str()) == ("stated", "stated") =>
                {
                    before.to = view.to;
                    views.pop();
                }
                _ => views.push(view),
            }
        }
        views
    }
}

/// Returns the word for what a period rests on.
pub(crate) fn basis_name(basis: Basis) -> &'static str {
    match basis {
        Basis::Stated => "stated",
        Basis::Persisting => "persisting",
        Basis::Presumed => "presumed",
        Basis::Undated => "undated",
    }
}
