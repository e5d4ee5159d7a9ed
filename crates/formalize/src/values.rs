//! Values in text.
use mge_core::Span;
use mge_ontology::LiteralKind;
use crate::tokens::{tokenize, Shape};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValueMention { pub(crate) span: Span, pub(crate) kind: LiteralKind, pub(crate) value: String }

pub(crate) fn find_values(text: &str) -> Vec<ValueMention> {
    let tokens = tokenize(text);
    let mut out = Vec::new();
    for t in &tokens {
        if t.shape == Shape::Number {
            let v = t.lower.replace(',', "");
            out.push(ValueMention { span: t.span, kind: LiteralKind::Number, value: v.clone() });
            if mge_core::Interval::parse(&v).is_ok() && v.len() != 3 { out.push(ValueMention { span: t.span, kind: LiteralKind::Date, value: v }); }
        }
    }
    out
}
