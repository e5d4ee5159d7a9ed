use crate::near_names;

/// The named states of a class of components.
///
/// Negative codes are errors that piloting cannot leave, 0 is INITIAL, 1 to 99 are steps of the class, 100 is
/// ready.
#[derive(Debug, PartialEq, Eq)]
pub struct StateTable {
    /// Codes and names, in the order in which they are listed.
    pub entries: &'static [(i32, &'static str)],
}

/// Why an intent is not a state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{given}' is not a state; the states are {}", .valid.join(", "))]
pub struct IntentError {
    /// What was given.
    pub given: String,
    /// The names that would do.
    pub valid: Vec<&'static str>,
    /// Names that look alike.
    pub near: Vec<&'static str>,
}

impl StateTable {
    /// The code of INITIAL.
    pub const INITIAL: i32 = 0;
    /// The code of the ready state of every class.
    pub const READY: i32 = 100;

    /// The states of components that need no piloting.
    pub const ALWAYS_READY: StateTable =
        StateTable { entries: &[(-1, "ERROR"), (0, "INITIAL"), (100, "READY")] };

    /// Returns the name of a code.
    pub fn name(&self, code: i32) -> &'static str {
        self.entries.iter().find(|(entry, _)| *entry == code).map_or("no name", |(_, name)| name)
    }

    /// Finds the code of an intent: a name in any case, a number of the table, or `READY` for the last state.
    ///
    /// # Errors
    /// An intent that is neither, or that is an error state, lists the valid names.
    pub fn resolve(&self, intent: &str) -> Result<i32, IntentError> {
        let intent = intent.trim();
        let named = self.entries.iter().find(|(_, name)| name.eq_ignore_ascii_case(intent));
        let numbered = || {
            let code: i32 = intent.parse().ok()?;
            self.entries.iter().find(|(entry, _)| *entry == code)
        };
        let ready = || {
            let is_ready = intent.eq_ignore_ascii_case("ready") || intent.eq_ignore_ascii_case("all_ready");
            is_ready.then(|| self.entries.iter().find(|(code, _)| *code == Self::READY)).flatten()
        };
        match named.or_else(numbered).or_else(ready) {
            Some((code, _)) if *code >= 0 => Ok(*code),
            _ => {
                let valid: Vec<&'static str> =
                    self.entries.iter().filter(|(code, _)| *code >= 0).map(|(_, name)| *name).collect();
                let near = near_names(intent, valid.iter().copied());
                Err(IntentError { given: intent.to_owned(), valid, near })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: StateTable =
        StateTable { entries: &[(-1, "ERR_X"), (0, "INITIAL"), (1, "LOADED_OBJ"), (100, "ALL_READY")] };

    #[test]
    fn an_intent_is_a_name_or_a_number() {
        for (intent, code) in [("loaded_obj", 1), ("1", 1), ("READY", 100), ("ALL_READY", 100), ("0", 0)] {
            assert_eq!(TABLE.resolve(intent), Ok(code));
        }
        for bad in ["", "7", "101", "ERR_X", "-1", "LOADED"] {
            assert!(TABLE.resolve(bad).is_err(), "{bad}");
        }
    }
}
