use std::collections::BTreeMap;

use mge_core::{Interval, RunError};
use serde::{Deserialize, Serialize};

use super::claims::{ClaimFilter, sort_found};
use super::reader::Reader;
use super::view::{Citation, EntityView, VERSION};
use crate::store::{EntityRow, MentionRow, ObjectRow};
use crate::weigh::six_decimals;

/// Entities, and how to get the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityList {
    /// The form of the answer: 1.
    pub version: u32,
    /// The entities.
    pub entities: Vec<EntityView>,
    /// They do not have the name that was asked for; theirs look like it.
    pub near: bool,
    /// There are more.
    pub truncated: bool,
    /// What to pass as `after` to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// An entity with what the graph holds of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityDetail {
    /// The form of the answer: 1.
    pub version: u32,
    /// The entity.
    pub entity: EntityView,
    /// How far the mentions, taken as evidence that it exists, are believed.
    pub belief: f64,
    /// How many claims there are of each relation with it as subject.
    pub as_subject: BTreeMap<String, usize>,
    /// How many with it as object.
    pub as_object: BTreeMap<String, usize>,
    /// Where it is mentioned, the first of them.
    pub mentions: Vec<Citation>,
}

/// One entity beside another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Neighbor {
    /// The other entity's id.
    pub entity: String,
    /// The relation between the two.
    pub relation: String,
    /// `out` when the entity asked about is the subject, `in` when it is the object.
    pub direction: String,
    /// The claim's id.
    pub claim: String,
    /// How far it is believed.
    pub belief: f64,
}

/// The entities beside one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeighborList {
    /// The form of the answer: 1.
    pub version: u32,
    /// The id of the entity asked about.
    pub entity: String,
    /// Those beside it, the most believed first.
    pub neighbors: Vec<Neighbor>,
    /// There are more.
    pub truncated: bool,
}

/// How many mentions an entity shows.
const MENTIONS: usize = 10;
/// How many mentions count for the belief that an entity exists.
const COUNTED: usize = 2_000;
/// How many claims around one entity are looked at.
const AROUND: usize = 20_000;

impl Reader<'_> {
    /// Finds entities: those that have the name, then those whose names begin with it or hold its words; when there
    /// are none, those whose names look like it.
    pub(crate) fn find_entities(
        &self,
        name: Option<&str>,
        concept: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<EntityList, RunError> {
        let concept = concept.map(|concept| self.resolve_concept(concept)).transpose()?;
        let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
            let mut rows = self.snapshot.entities(concept, after, limit + 1)?;
            let truncated = rows.len() > limit;
            rows.truncate(limit);
            let next = truncated.then(|| rows.last().map(|entity| entity.id.clone())).flatten();
            return self.list(rows, false, truncated, next);
        };
        let fits = |entity: &EntityRow| {
            concept.is_none_or(|concept| self.ontology.descends(&entity.concept, concept))
        };
        let short: String = name.chars().take(300).collect();
        let mut rows: Vec<EntityRow> = Vec::new();
        let add = |rows: &mut Vec<EntityRow>, found: Vec<EntityRow>| {
            for entity in found {
                if fits(&entity) && !rows.iter().any(|known| known.row == entity.row) {
                    rows.push(entity);
                }
            }
        };
        let by_id = self.snapshot.entity_by_id(name)?;
        add(&mut rows, by_id.into_iter().collect());
        add(&mut rows, self.snapshot.entities_named(&short)?);
        let wanted = after.and_then(|after| after.parse::<usize>().ok()).unwrap_or(0) + limit + 1;
        if rows.len() < wanted && !mge_core::name_key(&short).is_empty() {
            add(&mut rows, self.snapshot.entities_beginning(&short, wanted)?);
        }
        let words = crate::store::tokens(&short);
        if rows.len() < wanted && (1..=8).contains(&words.len()) {
            // All words of what was asked for, in any order.
            let mut with_all = self.snapshot.entities_with_word(&words[0], AROUND)?;
            for word in &words[1..] {
                let others = self.snapshot.entities_with_word(word, AROUND)?;
                with_all.retain(|entity| others.iter().any(|other| other.row == entity.row));
            }
            add(&mut rows, with_all);
        }
        let near = rows.is_empty();
        if near {
            add(&mut rows, self.near_entities(&short, limit)?);
        }
        let skip = wanted - limit - 1;
        let total = rows.len();
        let rows: Vec<EntityRow> = rows.into_iter().skip(skip).take(limit).collect();
        let truncated = total > skip + limit;
        self.list(rows, near, truncated, truncated.then(|| (skip + limit).to_string()))
    }

    fn list(
        &self,
        rows: Vec<EntityRow>,
        near: bool,
        truncated: bool,
        next: Option<String>,
    ) -> Result<EntityList, RunError> {
        let entities = rows.iter().map(|entity| self.entity_view(entity)).collect::<Result<Vec<_>, _>>()?;
        Ok(EntityList { version: VERSION, near: near && !entities.is_empty(), entities, truncated, next })
    }

    /// Shows an entity with what the graph holds of it.
    pub(crate) fn entity_detail(&self, entity: &EntityRow) -> Result<EntityDetail, RunError> {
        let mentions = self.snapshot.mentions_of(entity.row, COUNTED)?;
        let mut as_subject: BTreeMap<String, usize> = BTreeMap::new();
        for claim in self.snapshot.claims_about(entity.row, None, 0, AROUND)? {
            *as_subject.entry(claim.relation).or_default() += 1;
        }
        let mut as_object: BTreeMap<String, usize> = BTreeMap::new();
        for claim in self.snapshot.claims_to(entity.row, None, 0, AROUND)? {
            *as_object.entry(claim.relation).or_default() += 1;
        }
        Ok(EntityDetail {
            version: VERSION,
            entity: self.entity_view(entity)?,
            belief: six_decimals(existence(&mentions)),
            as_subject,
            as_object,
            mentions: mentions.iter().take(MENTIONS).map(cite_mention).collect(),
        })
    }

    /// Lists the entities beside one.
    pub(crate) fn neighbors(
        &self,
        entity: &EntityRow,
        relation: Option<&str>,
        when: Option<Interval>,
        min_belief: f64,
        limit: usize,
    ) -> Result<NeighborList, RunError> {
        let relation = relation.map(|relation| self.resolve_relation(relation)).transpose()?;
        let side = |subject, object| ClaimFilter {
            subject,
            object,
            relation: relation.map(|relation| relation.id.clone()),
            when,
            min_belief,
            ..ClaimFilter::default()
        };
        let mut found = self.find_claims(&side(Some(entity.row), None))?;
        found.extend(self.find_claims(&side(None, Some(entity.row)))?);
        sort_found(&mut found);
        let mut neighbors = Vec::new();
        let mut truncated = false;
        for claim in found {
            let ObjectRow::Entity(object) = claim.object else { continue };
            if neighbors.len() == limit {
                truncated = true;
                break;
            }
            let out = claim.subject == entity.row;
            let neighbor = Neighbor {
                entity: self.entity_id(if out { object } else { claim.subject })?,
                relation: claim.relation.clone(),
                direction: if out { "out" } else { "in" }.to_owned(),
                claim: self.short_id(&claim.claim)?,
                belief: six_decimals(claim.belief),
            };
            if !neighbors.contains(&neighbor) {
                neighbors.push(neighbor);
            }
        }
        Ok(NeighborList { version: VERSION, entity: entity.id.clone(), neighbors, truncated })
    }
}

/// Weighs mentions like a claim that the entity exists: one weight a document.
fn existence(mentions: &[MentionRow]) -> f64 {
    let mut documents: BTreeMap<&str, f64> = BTreeMap::new();
    for mention in mentions {
        let weight = (mention.authority * mention.confidence * mention.identity).min(0.99);
        let strongest = documents.entry(mention.document_index.as_str()).or_default();
        *strongest = strongest.max(weight);
    }
    let open: f64 = documents.values().map(|weight| (-weight).ln_1p()).sum();
    -open.max(1e-9_f64.ln()).exp_m1()
}

/// Cites a mention; its text is cut from the stored chunk as it is read.
pub(crate) fn cite_mention(mention: &MentionRow) -> Citation {
    Citation {
        index: mention.index.to_string(),
        start: mention.span.start,
        end: mention.span.end,
        quote: mention.text.clone(),
        document: mention.document_index.to_string(),
        page: mention.page.clone(),
        stance: 1,
        date: None,
        valid: None,
    }
}
