//! `$path` and `$env`: what the items of a resolved configuration say about the machine they are on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::diagnostic::Problems;
use crate::endpoint::Section;
use crate::name::quoted;
use crate::resolve::normal;
use crate::secret::{MissingEnv, Secrets, marker};
use crate::source_map::{Part, SourceMap, child, readable};

/// Makes paths absolute and looks up the environment.
pub(crate) struct Rewriter<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) map: &'a SourceMap,
    pub(crate) problems: &'a mut Problems,
    pub(crate) environment: &'a dyn Fn(&str) -> Option<String>,
    pub(crate) secrets: Secrets,
    /// Every `$env` with its JSON pointer, set or not.
    pub(crate) uses: Vec<MissingEnv>,
    /// The JSON pointers of values that are wrong already and need no second problem.
    pub(crate) broken: BTreeSet<String>,
}

impl Rewriter<'_> {
    /// Rewrites every item of every section.
    pub(crate) fn rewrite(&mut self, root: &mut Map<String, Value>) {
        for section in Section::ALL {
            let pointer = child("", section.as_str());
            let Some(Value::Object(items)) = root.get_mut(section.as_str()) else { continue };
            // No item's name has a hyphen, so keys for other tools can stand beside the items.
            items.retain(|name, _| !name.starts_with("x-"));
            for (name, item) in items {
                let pointer = child(&pointer, name);
                if let Value::Object(item) = item {
                    // What is absent or null is checked like an empty object, so that required keys are named.
                    let arguments = item.entry("extra_args").or_insert(Value::Null);
                    if arguments.is_null() {
                        *arguments = Value::Object(Map::new());
                    }
                    if section == Section::Sources {
                        self.source_paths(arguments, &child(&pointer, "extra_args"));
                    }
                }
                self.value(item, &pointer, "");
            }
        }
    }

    /// Rewrites a value; `key` is its path in the item, empty for the item itself.
    fn value(&mut self, value: &mut Value, pointer: &str, key: &str) {
        let inner = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
        match value {
            Value::Object(members) if members.contains_key("$env") => {
                self.environment_variable(value, pointer, key);
            }
            Value::Object(members) => {
                if members.contains_key("$path") {
                    self.relative_path(members, pointer);
                }
                for (name, value) in members {
                    self.value(value, &child(pointer, name), &inner(name));
                }
            }
            Value::Array(elements) => {
                for (index, value) in elements.iter_mut().enumerate() {
                    let index = index.to_string();
                    self.value(value, &child(pointer, &index), &inner(&index));
                }
            }
            _ => {}
        }
    }

    fn relative_path(&mut self, members: &mut Map<String, Value>, pointer: &str) {
        if members.contains_key("path") {
            let message = "'path' and '$path' mean the same; only one can be given".to_owned();
            self.problem(&child(pointer, "$path"), Part::Key, "both-paths", message, None);
        }
        let rewritten = std::mem::take(members).into_iter().map(|(name, mut value)| {
            if name != "$path" {
                return (name, value);
            }
            self.absolute(&mut value, &child(pointer, "$path"));
            ("path".to_owned(), value)
        });
        *members = rewritten.collect();
    }

    fn source_paths(&mut self, arguments: &mut Value, pointer: &str) {
        for name in ["src_path", "dst_path"] {
            if let Some(value) = arguments.get_mut(name).filter(|value| !value.is_null()) {
                self.absolute(value, &child(pointer, name));
            }
        }
    }

    /// Makes a path absolute; what is no text is left to the schema, except a secret.
    fn absolute(&mut self, value: &mut Value, pointer: &str) {
        match value {
            Value::String(path) => match normal(&self.folder.join(&*path)).to_str() {
                Some(absolute) => absolute.clone_into(path),
                None => {
                    let message = "the endpoint's path is not valid Unicode".to_owned();
                    self.problem(pointer, Part::Value, "encoding", message, None);
                }
            },
            value if marker(value).is_some() => {
                let message = format!("{} is a path and cannot come from '$env'", quoted(&readable(pointer)));
                self.problem(pointer, Part::Value, "env", message, None);
                *value = Value::Null;
                self.broken.insert(pointer.to_owned());
            }
            _ if pointer.ends_with("/$path") => {
                let message = "'$path' must be a text".to_owned();
                self.problem(pointer, Part::Value, "type", message, None);
                self.broken.insert(format!("{}path", pointer.trim_end_matches("$path")));
            }
            _ => {}
        }
    }

    fn environment_variable(&mut self, value: &mut Value, pointer: &str, key: &str) {
        let at = child(pointer, "$env");
        if value.as_object().is_some_and(|members| members.len() > 1) {
            let message = "'$env' must be the only key of its object".to_owned();
            let hint = "the whole object is replaced by the variable's value".to_owned();
            self.problem(&at, Part::Key, "env", message, Some(hint));
        } else if !key.starts_with("extra_args.") {
            let message = "'$env' is only possible inside 'extra_args'".to_owned();
            self.problem(&at, Part::Key, "env", message, None);
        } else if let Some(variable) = marker(value).filter(|name| is_variable(name)) {
            let variable = variable.to_owned();
            self.secrets.read(&variable, self.environment);
            self.uses.push(MissingEnv { key: key.to_owned(), variable, pointer: pointer.to_owned() });
            return;
        } else {
            let message = "'$env' must be the name of an environment variable".to_owned();
            self.problem(&at, Part::Value, "env", message, None);
        }
        // Neither a secret nor a value of its own: nothing that a component could be given.
        *value = Value::Null;
        self.broken.insert(pointer.to_owned());
    }

    fn problem(
        &mut self,
        pointer: &str,
        part: Part,
        code: &'static str,
        message: String,
        hint: Option<String>,
    ) {
        if self.problems.has_room() {
            self.problems.push(self.map.diagnostic(pointer, part, code, message).with_hint(hint));
        }
    }
}

/// Tells whether the system could have a variable of this name; asking for others may panic.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Tells whether a file name stays in the endpoint's folder.
pub(crate) fn stays_inside(name: &str) -> bool {
    let path = normal(&PathBuf::from(name));
    !name.is_empty() && path.is_relative() && !path.starts_with("..") && !path.as_os_str().is_empty()
}
