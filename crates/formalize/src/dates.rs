//! Times in text.
use mge_core::{Interval, Span};
use crate::tokens::tokenize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeKind { Point, Since, Until, Between, Before, After, During }

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TimeMention { pub(crate) span: Span, pub(crate) valid: Interval, pub(crate) kind: TimeKind }

pub(crate) fn find_times(text: &str, _reference: Option<Interval>) -> Vec<TimeMention> {
    let tokens = tokenize(text);
    let mut out = Vec::new();
    for (i, t) in tokens.iter().enumerate() {
        if t.lower.len() != 4 && t.lower.len() != 10 { continue; }
        let Ok(valid) = Interval::parse(&t.lower) else { continue };
        let (mut start, mut kind, mut v) = (t.span.start, TimeKind::Point, valid);
        if i > 0 {
            match tokens[i-1].lower.as_str() {
                "in" | "on" => start = tokens[i-1].span.start,
                "since" | "from" => { start = tokens[i-1].span.start; kind = TimeKind::Since; v.to = None; }
                "until" => { start = tokens[i-1].span.start; kind = TimeKind::Until; v.to = v.to; v.from = None; }
                _ => {}
            }
        }
        out.push(TimeMention { span: Span::new(start, t.span.end), valid: v, kind });
    }
    out
}
