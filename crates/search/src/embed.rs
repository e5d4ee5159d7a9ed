use std::fmt;

/// What makes a vector of a text, so that texts of like meaning have like vectors.
///
/// Besides the [`HashingEmbedder`](crate::HashingEmbedder) of this crate, a local model or a server can do so. The
/// same model must give the same text the same vector, or the index would not be what a fresh one is.
pub trait Embed: Send + Sync {
    /// Returns what the vectors are made by: another model, and the index makes all of them anew.
    fn model(&self) -> EmbedModel;

    /// Makes one vector for each passage; its length does not matter, only its direction.
    ///
    /// A text of nothing may have the zero vector, which is like no other.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Makes the vector of a query.
    ///
    /// `rarity` tells how rare a word is among the passages: 0 in all, 1 in none.
    fn embed_query(&self, text: &str, rarity: &dyn Fn(&str) -> f32) -> Result<Vec<f32>, EmbedError> {
        let _ = rarity;
        let vectors = self.embed(&[text])?;
        let found = vectors.len();
        vectors.into_iter().next().ok_or(EmbedError::Count { found, wanted: 1 })
    }

    /// Returns what a place in the ranking by these vectors counts for beside one in the lexical ranking, from 0 on.
    fn weight(&self) -> f64 {
        1.0
    }
}

/// What made a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedModel {
    /// The name of the model, e.g. `hashing`.
    pub name: String,
    /// Its version: any change that changes a vector changes this.
    pub version: String,
    /// The length of its vectors, 1 to 4,096.
    pub dimension: usize,
}

impl fmt::Display for EmbedModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{} ({} dimensions)", self.name, self.version, self.dimension)
    }
}

/// Why a text could not be made a vector.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model gave too few or too many vectors.
    #[error("the model gave {found} vectors for {wanted} texts")]
    Count {
        /// How many it gave.
        found: usize,
        /// How many it was asked for.
        wanted: usize,
    },
    /// A vector has the wrong length, or a number that is none.
    #[error("the model gave a vector of {found} numbers, not of {wanted} finite ones")]
    Shape {
        /// How many finite numbers it has.
        found: usize,
        /// How many it should have.
        wanted: usize,
    },
    /// The model has more dimensions than the index takes, or none.
    #[error("a model of {found} dimensions cannot be used: 1 to {limit} can")]
    Dimension {
        /// How many it has.
        found: usize,
        /// The most that are taken.
        limit: usize,
    },
    /// The model itself failed.
    #[error("the embedding model fails: {0}")]
    Model(String),
}

/// The most dimensions that the index takes.
pub(crate) const MOST_DIMENSIONS: usize = 4_096;

/// Refuses a model whose vectors cannot be kept.
pub(crate) fn check_model(model: &EmbedModel) -> Result<(), EmbedError> {
    if (1..=MOST_DIMENSIONS).contains(&model.dimension) {
        return Ok(());
    }
    Err(EmbedError::Dimension { found: model.dimension, limit: MOST_DIMENSIONS })
}

/// Refuses vectors that are not what the model promised.
pub(crate) fn check_vectors(vectors: &[Vec<f32>], count: usize, dimension: usize) -> Result<(), EmbedError> {
    if vectors.len() != count {
        return Err(EmbedError::Count { found: vectors.len(), wanted: count });
    }
    for vector in vectors {
        let found = vector.iter().filter(|number| number.is_finite()).count();
        if found != dimension || vector.len() != dimension {
            return Err(EmbedError::Shape { found, wanted: dimension });
        }
    }
    Ok(())
}
