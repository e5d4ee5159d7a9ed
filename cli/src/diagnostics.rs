//! Problems of a configuration, drawn for people.

use mge_config::{Diagnostic, Severity};
use mge_core::Fault;

use crate::exit::{Exit, Failure};
use crate::printer::Printer;

/// Draws all problems on stderr, each with the line that it stands in and a caret.
pub(crate) fn draw(printer: &Printer, found: &[Diagnostic]) {
    for diagnostic in found {
        printer.drawn(|color| format!("{}\n", diagnostic.render(color)));
    }
}

/// Returns how many there are, as the error that ends the command.
pub(crate) fn summary(found: &[Diagnostic]) -> Failure {
    Failure::usage(format!("the configuration has {}", counted(found)))
}

/// Says how many errors and warnings there are.
pub(crate) fn counted(found: &[Diagnostic]) -> String {
    let errors = found.iter().filter(|problem| problem.severity == Severity::Error).count();
    let warnings = found.len() - errors;
    match (errors, warnings) {
        (0, 0) => "no problems".to_owned(),
        (0, warnings) => plural(warnings, "warning"),
        (errors, 0) => plural(errors, "error"),
        (errors, warnings) => format!("{} and {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}

/// Writes a number with its noun.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Makes an error of a fault: what it means for the command, then the cause with its place and hint.
pub(crate) fn fault(exit: Exit, message: &str, fault: &Fault) -> anyhow::Error {
    let place = fault.place.as_ref().map(|place| {
        let mut text = place.file.display().to_string();
        for number in [place.line, place.column].into_iter().flatten() {
            text.push_str(&format!(":{number}"));
        }
        text
    });
    let cause = match place {
        Some(place) if !fault.message.contains(&place) => format!("{place}: {fault}"),
        _ => fault.to_string(),
    };
    let mut failure = Failure::new(exit, message).caused_by(cause);
    failure.hint.clone_from(&fault.hint);
    failure.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::judge;

    #[test]
    fn a_fault_keeps_its_place_and_its_hint() {
        let cause = Fault::new("no such file").at("/x/a.csv", Some(3), None).hint("create it");
        let error = fault(Exit::NotReady, "the endpoint is in state -4", &cause);
        assert_eq!(judge(&error), (Exit::NotReady, Some("create it".to_owned())));
        let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
        assert_eq!(chain, ["the endpoint is in state -4", "/x/a.csv:3: no such file"]);
    }
}
