//! Which capabilities the endpoint offers, and which it has at all. Decides on names alone.

use indexmap::IndexMap;
use mge_core::{Capability, Fault};

/// A capability with the name of the item that has it.
pub(crate) type Table = IndexMap<String, (String, Capability)>;

/// Merges the capabilities of items, in order; names must be valid and unique.
pub(crate) fn merge(items: &[(&str, Vec<Capability>)]) -> Result<Table, Fault> {
    let mut table = Table::new();
    for (item, capabilities) in items {
        for capability in capabilities {
            if !Capability::is_valid_name(&capability.name) {
                return Err(Fault::new(format!(
                    "'{item}' has a capability with the name '{}'",
                    capability.name
                ))
                .hint("a name has letters, digits and underscores only"));
            }
            let entry = ((*item).to_owned(), capability.clone());
            if let Some((other, _)) = table.insert(capability.name.clone(), entry) {
                return Err(Fault::new(format!(
                    "the capability '{}' is offered twice, by '{other}' and by '{item}'",
                    capability.name
                ))
                .hint("rename one of the two items"));
            }
        }
    }
    Ok(table)
}

/// Checks the names in `expose` and returns them without repetition.
pub(crate) fn selection<'a>(expose: &'a [String], known: &[&str]) -> Result<Vec<&'a str>, Fault> {
    if expose.is_empty() {
        return Err(Fault::new("nothing is exposed").hint("list at least one item under \"expose\""));
    }
    let mut chosen: Vec<&str> = Vec::new();
    for name in expose {
        if !known.contains(&name.as_str()) {
            let near = mge_core::near_names(name, known.iter().copied());
            let hint = match near.first() {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("the items are {}", known.join(", ")),
            };
            return Err(Fault::new(format!("'{name}' is exposed, but there is no such item")).hint(hint));
        }
        if !chosen.contains(&name.as_str()) {
            chosen.push(name);
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn capability(name: &str) -> Capability {
        Capability::new(name, "Does it.", json!({}), &[], json!({}))
    }

    #[test]
    fn capabilities_keep_the_order_of_their_items() {
        let table = merge(&[("b", vec![capability("y")]), ("a", vec![capability("x"), capability("z")])]);
        let names: Vec<String> = table.map(|table| table.into_keys().collect()).unwrap_or_default();
        assert_eq!(names, ["y", "x", "z"]);
    }

    #[test]
    fn a_name_is_valid_and_offered_once() {
        let twice = merge(&[("a", vec![capability("x")]), ("b", vec![capability("x")])]);
        assert!(twice.is_err_and(|fault| fault.message.contains("by 'a' and by 'b'")));
        assert!(merge(&[("a", vec![capability("bad name")])]).is_err());
    }

    #[test]
    fn what_is_exposed_exists() {
        let known = ["docs", "graph"];
        assert!(selection(&[], &known).is_err());
        let misspelt = ["grap".to_owned()];
        let wrong = selection(&misspelt, &known);
        assert!(wrong.is_err_and(|fault| fault.hint.as_deref() == Some("did you mean 'graph'?")));
        let right = ["graph".to_owned(), "graph".to_owned(), "docs".to_owned()];
        assert_eq!(selection(&right, &known), Ok(vec!["graph", "docs"]));
    }
}
