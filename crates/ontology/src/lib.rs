//! mge ontology.
