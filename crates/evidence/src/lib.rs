//! The evidence graph: claims, the evidence for and against them, and what all of it says.

mod weigh;
