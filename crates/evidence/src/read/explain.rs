use mge_core::{RunError, Stance};
use serde::{Deserialize, Serialize};

use super::group::Group;
use super::reader::Reader;
use super::view::{Citation, ClaimView, Explanation, VERSION, basis_name};
use crate::error::StoreError;
use crate::store::{ClaimRow, EvidenceRow, ObjectRow};
use crate::weigh::{
    Basis, DocumentTrace, EvidenceTrace, PeriodTrace, PoolTrace, RivalTrace, Stands, WeighRule, six_decimals,
};

/// Why a claim is believed as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The form of the answer: 1.
    pub version: u32,
    /// The claim.
    pub claim: ClaimView,
    /// All factors, period by period.
    pub explanation: Explanation,
}

/// One piece of evidence with every factor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceView {
    /// Where it stands.
    pub citation: Citation,
    /// 1 or -1.
    pub stance: i8,
    /// How far its document is believed.
    pub authority: f64,
    /// How sure the method is that the text says so.
    pub confidence: f64,
    /// How sure it is that the subject is meant.
    pub subject_identity: f64,
    /// How sure it is that the object is meant.
    pub object_identity: f64,
    /// The product, held at 0.99.
    pub weight: f64,
    /// The name of its source.
    pub source: String,
    /// What extracted it, with its version.
    pub method: String,
    /// `present`, `past` or `unknown`.
    pub tense: String,
    /// When it was learnt.
    pub recorded_from: String,
    /// When it was found gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_to: Option<String>,
}

/// The evidence of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceList {
    /// The form of the answer: 1.
    pub version: u32,
    /// The claim's id.
    pub claim: String,
    /// Its evidence, in order of document.
    pub evidence: Vec<EvidenceView>,
    /// There is more.
    pub truncated: bool,
}

impl Reader<'_> {
    /// Lists the evidence of a claim.
    pub(crate) fn evidence(&self, claim: &ClaimRow, limit: usize) -> Result<EvidenceList, RunError> {
        let rows = self.snapshot.evidence_of(claim.row)?;
        let mut evidence = Vec::new();
        for row in rows.iter().take(limit) {
            let Some(citation) = self.cite(row)? else { continue };
            evidence.push(EvidenceView {
                citation,
                stance: row.stance.sign(),
                authority: row.authority,
                confidence: row.confidence,
                subject_identity: row.subject_identity,
                object_identity: row.object_identity,
                weight: six_decimals(
                    (row.authority * row.confidence * row.subject_identity * row.object_identity).min(0.99),
                ),
                source: row.source.clone(),
                method: row.method.clone(),
                tense: format!("{:?}", row.tense).to_lowercase(),
                recorded_from: row.recorded_from.to_string(),
                recorded_to: row.recorded_to.map(|stamp| stamp.to_string()),
            });
        }
        Ok(EvidenceList {
            version: VERSION,
            claim: self.short_id(claim)?,
            evidence,
            truncated: rows.len() > limit,
        })
    }

    /// Explains what is believed of a claim.
    pub(crate) fn explain(&self, claim: &ClaimRow) -> Result<Explained, RunError> {
        let group = Group::of(self, claim)?;
        let Some(view) = self.view(claim, None)? else {
            return Err(RunError::invalid(format!("nothing speaks of claim '{}' at that time", claim.id)));
        };
        let mut children = Vec::new();
        for trace in group.explain(self, claim.row) {
            children.push(self.period(&group, &trace)?);
        }
        let mut explanation =
            Explanation::of("claim", view.belief).label(self.statement(claim)?).with(children);
        explanation.note = Some(match self.law.weighing {
            WeighRule::Dempster if group.exclusive => {
                "Dempster's rule; values of one period exclude each other (Shafer 1976)".to_owned()
            }
            WeighRule::Dempster => "Dempster's rule on simple support functions (Shafer 1976)".to_owned(),
            WeighRule::NoisyOr => "noisy-or: conflict adds to the uncertainty".to_owned(),
            WeighRule::Max => "only the strongest document on each side counts".to_owned(),
            WeighRule::Vote => "every independent document has one vote".to_owned(),
        });
        Ok(Explained { version: VERSION, claim: view, explanation })
    }

    /// Returns a claim in one line: `subject relation object`.
    pub(crate) fn statement(&self, claim: &ClaimRow) -> Result<String, StoreError> {
        let object = match &claim.object {
            ObjectRow::Entity(row) => self.entity_id(*row)?,
            ObjectRow::Literal(value) => value.clone(),
        };
        Ok(format!("{} {} {object}", self.entity_id(claim.subject)?, claim.relation))
    }

    fn period(&self, group: &Group, trace: &PeriodTrace) -> Result<Explanation, StoreError> {
        let belief = &trace.belief;
        let mut children = vec![
            self.pool(group, "support", belief.support, &trace.support)?,
            self.pool(group, "contradiction", belief.contradiction, &trace.contradiction)?,
            Explanation::of("conflict", belief.conflict).note("K = S·C"),
        ];
        if !trace.rivals.is_empty() {
            let mut rivals = Vec::new();
            for rival in &trace.rivals {
                rivals.push(self.rival(group, rival)?);
            }
            children.push(
                Explanation::of("odds", trace.odds)
                    .note("o = S'/(1 − S'), with S' = S(1 − C)/(1 − S·C)")
                    .with(rivals),
            );
        }
        children.push(Explanation::of("belief", belief.belief));
        children.push(Explanation::of("disbelief", belief.disbelief));
        children.push(Explanation::of("uncertainty", belief.uncertainty));
        let mut period = Explanation::of("period", belief.belief).with(children);
        period.label = Some(belief.interval.to_string());
        period.period = Some(belief.interval);
        period.note = Some(why(belief.basis).to_owned());
        Ok(period)
    }

    fn pool(
        &self,
        group: &Group,
        factor: &str,
        value: f64,
        pool: &PoolTrace,
    ) -> Result<Explanation, StoreError> {
        let mut documents = Vec::new();
        for document in &pool.documents {
            documents.push(self.document(group, document)?);
        }
        let node = Explanation::of(factor, value).with(documents);
        Ok(match (pool.documents.is_empty(), pool.exact) {
            (true, _) => node,
            (false, true) => node.note("1 − Π(1 − w) over the best set of independent documents"),
            (false, false) => node.note(
                "1 − Π(1 − w) over a set of independent documents, chosen greedily: more than 20 copy one another",
            ),
        })
    }

    fn document(&self, group: &Group, document: &DocumentTrace) -> Result<Explanation, StoreError> {
        let name = |key: u64| {
            let found = usize::try_from(key).ok().and_then(|key| group.documents.get(key));
            found.cloned().unwrap_or_default()
        };
        let mut evidence = Vec::new();
        for trace in &document.evidence {
            if let Some(row) = group.evidence.get(trace.rival).and_then(|rows| rows.get(trace.piece)) {
                evidence.push(self.piece(group, trace, row)?);
            }
        }
        let note = match document.copy_of {
            Some(original) => {
                format!("does not count: it shares a near-duplicate sentence with {}", name(original))
            }
            None => "counts with its largest weight".to_owned(),
        };
        Ok(Explanation::of("document", document.weight)
            .label(name(document.document))
            .note(note)
            .with(evidence))
    }

    fn piece(
        &self,
        group: &Group,
        trace: &EvidenceTrace,
        row: &EvidenceRow,
    ) -> Result<Explanation, StoreError> {
        let factors = vec![
            Explanation::of("authority", row.authority).label(row.source.clone()),
            Explanation::of("confidence", row.confidence).label(row.method.clone()),
            Explanation::of("identity_subject", row.subject_identity),
            Explanation::of("identity_object", row.object_identity),
        ];
        let mut node = Explanation::of("evidence", trace.weight).with(factors);
        node.citation = self.cite(row)?;
        node.period = row.valid;
        let mut notes = vec![why(trace.basis).to_owned()];
        if trace.strongest {
            notes.push("gives its document its weight".to_owned());
        }
        if row.stance == Stance::Against {
            notes.push("denies it".to_owned());
        }
        if node.citation.is_none() {
            notes.push("its quote differs from the stored text and is not shown".to_owned());
        }
        if let Some(claim) = group.claims.get(trace.rival).filter(|claim| claim.row != group.about) {
            notes.push(format!("says the more general {}", self.statement(claim)?));
        }
        Ok(node.label(basis_name(trace.basis)).note(notes.join("; ")))
    }

    fn rival(&self, group: &Group, rival: &RivalTrace) -> Result<Explanation, StoreError> {
        let label = match group.claims.get(rival.rival) {
            Some(claim) => self.statement(claim)?,
            None => String::new(),
        };
        let note = match (rival.stands, rival.counts) {
            (Stands::Excludes, true) => "excludes it; its odds are part of the sum",
            (Stands::Excludes, false) => "excludes it; its odds are part of a more specific value's, or none",
            (Stands::MoreGeneral, _) => "more general: it supports, and does not compete",
            (Stands::MoreSpecific, _) => "more specific: it does not compete",
        };
        Ok(Explanation::of("rival", rival.odds)
            .label(label)
            .note(note)
            .with(vec![Explanation::of("support", rival.support), Explanation::of("belief", rival.belief)]))
    }
}

/// Says what a period or a piece of evidence rests on.
fn why(basis: Basis) -> &'static str {
    match basis {
        Basis::Stated => "stated of this time",
        Basis::Persisting => "assumed: stated earlier, and nothing different since",
        Basis::Presumed => "assumed: stated later, and nothing different before",
        Basis::Undated => "undated: it joins every period",
    }
}
