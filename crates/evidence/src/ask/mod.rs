//! Answers to questions without a language model: nothing is composed, everything is cited.
//!
//! A question's words are taken apart (names, dates, concepts, the words of relations), each way to understand them
//! is looked up among the claims, and what is found has to hold at the asked time, be believed, and not be beaten by
//! a rival. What does not pass is shown as what is known instead.

mod answer;
mod judge;
mod names;
mod question;
mod rank;
mod relations;
#[cfg(test)]
mod tests;
mod time;
mod words;

pub(crate) use answer::ask;
