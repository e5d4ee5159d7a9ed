//! Text to mentions and claims of an ontology.

mod agentic;
mod config;
mod context;
mod coref;
mod cues;
mod dates;
mod lexicon;
mod literals;
mod names;
mod normal;
mod nouns;
mod plain;
mod relations;
mod rows;
mod rules;
mod scene;
mod stance;
mod stem;
mod tokens;
mod typing;
mod values;
mod walk;
mod words;

pub use agentic::KIND;
pub use config::Settings;
pub use rules::Rules;
