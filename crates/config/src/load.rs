//! From a folder to its configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::endpoint::{EndpointConfig, EndpointFile, ItemConfig, Section};
use crate::name::{is_valid_name, normalize_name, quoted};
use crate::resolve::Resolver;
use crate::rewrite::{Rewriter, stays_inside};
use crate::schema::strict;
use crate::secret::{MissingEnv, Secrets};
use crate::source_map::{Part, SourceMap, child};
use crate::validate::Checker;

/// Looks up an environment variable.
pub type Environment = dyn Fn(&str) -> Option<String> + Send + Sync;

/// What loading needs from outside the folder.
#[derive(Clone)]
pub struct Options {
    /// For each section, the JSON Schema of an item's `extra_args`; without one, any object is taken.
    pub schemas: BTreeMap<Section, Value>,
    /// Looks up an environment variable.
    pub environment: Arc<Environment>,
}

impl Default for Options {
    fn default() -> Self {
        Self { schemas: BTreeMap::new(), environment: Arc::new(|name| std::env::var(name).ok()) }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("schemas", &self.schemas).finish_non_exhaustive()
    }
}

/// A configuration as far as it could be read, with everything that is wrong with it.
#[derive(Debug)]
pub struct Loaded {
    /// What the files say; parts with errors are left out.
    pub config: EndpointConfig,
    /// All problems of all files.
    pub diagnostics: Vec<Diagnostic>,
    map: SourceMap,
    resolved: Value,
    secrets: Secrets,
    uses: Vec<MissingEnv>,
}

/// Reads the configuration of an endpoint's folder.
///
/// Nothing outside the folder is read, nothing is written, and no problem stops the search for others.
#[must_use]
pub fn load(folder: &Path, options: &Options) -> Loaded {
    let real = match fs::canonicalize(folder) {
        Ok(real) => real,
        Err(error) => {
            let message = format!("cannot open the folder {}: {error}", folder.display());
            return Loaded::failed(Diagnostic::error("unreadable", message).with_file(folder));
        }
    };
    // The name is the one that the user sees, which a symbolic link may have changed.
    let absolute =
        std::path::absolute(folder).map_or_else(|_| real.clone(), |path| crate::resolve::normal(&path));
    let mut resolver = Resolver::new(folder, real);
    let mut root = resolver.resolve();
    let Resolver { map, mut problems, .. } = resolver;

    let folder_name =
        absolute.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !is_valid_name(&folder_name) {
        problems.push(bad_name(
            Diagnostic::error("name", "").with_file(folder),
            "the endpoint's folder",
            &folder_name,
        ));
    }

    let mut rewriter = Rewriter {
        folder: &absolute,
        map: &map,
        problems: &mut problems,
        environment: &*options.environment,
        secrets: Secrets::default(),
        uses: Vec::new(),
        broken: BTreeSet::new(),
    };
    rewriter.rewrite(&mut root);
    let Rewriter { secrets, uses, mut broken, .. } = rewriter;

    let mut resolved = Value::Object(root);
    let sound = if check(&mut resolved, &map, &uses, options, &mut broken, &mut problems) {
        without(&resolved, &broken)
    } else {
        // Not all that is broken is known, so nothing can be relied on.
        Map::new()
    };
    let config = extract(sound, absolute, folder_name, &map, &mut problems);
    Loaded { config, diagnostics: problems.finish(), map, resolved, secrets, uses }
}

/// Reports everything that the schema and the rules beyond it do not allow, and adds where that is.
///
/// Returns whether that is all.
fn check(
    resolved: &mut Value,
    map: &SourceMap,
    uses: &[MissingEnv],
    options: &Options,
    broken: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> bool {
    let mut is_all = true;
    let schema = strict(&options.schemas);
    let secrets = uses.iter().map(|used| used.pointer.clone()).collect();
    match Checker::new(&schema, secrets) {
        Ok(checker) => {
            let reported = broken.clone();
            let (violations, dropped) = checker.check(resolved);
            problems.drop_more(dropped);
            is_all = dropped == 0;
            for violation in violations {
                if reported.contains(&violation.pointer) {
                    continue;
                }
                let diagnostic = map
                    .diagnostic(&violation.pointer, violation.part, violation.code, violation.message)
                    .with_hint(violation.hint);
                // A place with a deeper problem, such as an infinite number, needs no second one.
                let marked = diagnostic.labels.first().is_some_and(|label| problems.marks(label));
                if !marked || violation.code == "missing-key" {
                    problems.push(diagnostic);
                }
                broken.insert(violation.pointer);
            }
        }
        Err(reason) => {
            let message = format!("the JSON Schema of the configuration is not valid: {reason}");
            problems.push(Diagnostic::error("schema", message));
        }
    }
    for section in Section::ALL {
        let Some(items) = resolved.get(section.as_str()).and_then(Value::as_object) else { continue };
        for (name, item) in items {
            let pointer = child(&child("", section.as_str()), name);
            if !is_valid_name(name) && problems.has_room() {
                let at = map.diagnostic(&pointer, Part::Key, "name", "");
                problems.push(bad_name(at, "an item", name));
            }
            let given = item.get("name").and_then(Value::as_str).filter(|given| given != name);
            if let Some(given) = given.filter(|_| problems.has_room()) {
                let message = format!("the name {} is not the item's key {}", quoted(given), quoted(name));
                let hint = "items are found by their keys; remove 'name' or make both the same".to_owned();
                let at = child(&pointer, "name");
                problems.push(map.diagnostic(&at, Part::Value, "name", message).with_hint(hint));
            }
        }
    }
    for key in ["auto_pilot", "auto_save"] {
        let file = resolved.get(key).and_then(|value| value.get("file_name")).and_then(Value::as_str);
        if let Some(file) = file.filter(|file| !stays_inside(file)) {
            let pointer = child(&child("", key), "file_name");
            let message = format!("{} must be a file in the endpoint's folder", quoted(file));
            problems.push(map.diagnostic(&pointer, Part::Value, "outside", message));
            broken.insert(pointer);
        }
    }
    is_all
}

fn bad_name(diagnostic: Diagnostic, what: &str, name: &str) -> Diagnostic {
    let near = normalize_name(name);
    let near = near.trim_matches('_');
    let hint = is_valid_name(near).then(|| format!("{} would be a valid name", quoted(near)));
    let message =
        format!("{} cannot be the name of {what}: only letters, digits and underscores can", quoted(name));
    Diagnostic { message, ..diagnostic }.with_hint(hint)
}

/// Returns the resolved value without the parts that are broken.
fn without(resolved: &Value, broken: &BTreeSet<String>) -> Map<String, Value> {
    let mut sound = resolved.as_object().cloned().unwrap_or_default();
    for pointer in broken {
        remove_broken(&mut sound, &crate::located::tokens(pointer));
    }
    sound
}

/// Reads the types from what is sound.
fn extract(
    sound: Map<String, Value>,
    folder: PathBuf,
    folder_name: String,
    map: &SourceMap,
    problems: &mut Problems,
) -> EndpointConfig {
    let mut file: EndpointFile = match serde_json::from_value(Value::Object(sound)) {
        Ok(file) => file,
        Err(error) => {
            // The schema is generated from the same types, so this says that they disagree.
            problems.push(map.diagnostic("", Part::Value, "value", error.to_string()));
            match serde_json::from_value(Value::Object(Map::new())) {
                Ok(empty) => empty,
                Err(_) => return EndpointConfig { folder, folder_name, ..EndpointConfig::default() },
            }
        }
    };
    let mut sections = IndexMap::new();
    for section in Section::ALL {
        let items = file.take(section).into_iter().map(|(name, item)| {
            let pointer = child(&child("", section.as_str()), &name);
            let config = ItemConfig {
                name: name.clone(),
                extra_args: Value::Object(item.extra_args),
                tools: item.tools,
                class_name: item.class_name,
                path: item.path.map(PathBuf::from),
                pointer,
            };
            (name, config)
        });
        sections.insert(section, items.collect());
    }
    EndpointConfig {
        name: file.name.unwrap_or_else(|| folder_name.clone()),
        folder,
        folder_name,
        creation_date: file.creation_date,
        mge_version: file.mge_version,
        description: file.description.0,
        timezone: file.timezone,
        sections,
        expose: file.expose,
        max_tool_calls_per_query: file.max_tool_calls_per_query,
        tool_call_history: file.tool_call_history,
        auto_pilot: file.auto_pilot.0,
        auto_save: file.auto_save.0,
    }
}

/// Removes the smallest part around a problem without which the rest can be read.
fn remove_broken(root: &mut Map<String, Value>, tokens: &[String]) {
    let Some(first) = tokens.first() else { return root.clear() };
    let is_section = first.parse::<Section>().is_ok();
    match (is_section, tokens) {
        (true, [_, item, rest @ ..]) => {
            // What a component is built from is read by the component.
            let arguments = root.get(first).and_then(|items| items.get(item)?.get("extra_args"));
            if rest.first().is_some_and(|key| key == "extra_args") && arguments.is_some_and(Value::is_object)
            {
                return;
            }
            if let Some(Value::Object(items)) = root.get_mut(first) {
                items.shift_remove(item);
            }
        }
        _ => drop(root.shift_remove(first)),
    }
}

impl Loaded {
    fn failed(diagnostic: Diagnostic) -> Self {
        Self {
            config: EndpointConfig::default(),
            diagnostics: vec![diagnostic],
            map: SourceMap::default(),
            resolved: Value::Object(Map::new()),
            secrets: Secrets::default(),
            uses: Vec::new(),
        }
    }

    /// Tells whether anything is wrong enough that the endpoint cannot be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns the resolved configuration with `{"$env": "NAME"}` where secrets belong; safe to show.
    #[must_use]
    pub fn resolved(&self) -> &Value {
        &self.resolved
    }

    /// Returns the files that were read.
    #[must_use]
    pub fn source_map(&self) -> &SourceMap {
        &self.map
    }

    /// Creates a problem at a JSON pointer of the resolved configuration, in whichever file that is.
    ///
    /// The value is marked; when the pointer leads nowhere, the key of the nearest value around it.
    #[must_use]
    pub fn diagnostic_at(
        &self,
        pointer: &str,
        message: impl Into<String>,
        hint: Option<String>,
        severity: Severity,
    ) -> Diagnostic {
        self.map
            .diagnostic(pointer, Part::Value, "component", message)
            .with_hint(hint)
            .with_severity(severity)
    }

    /// Returns the variables that an item needs and the environment lacks.
    ///
    /// They are no problem until the item is piloted.
    #[must_use]
    pub fn missing_env(&self, item: &ItemConfig) -> Vec<MissingEnv> {
        let below = format!("{}/", item.pointer);
        let missing = |used: &&MissingEnv| {
            used.pointer.starts_with(&below) && self.secrets.get(&used.variable).is_none()
        };
        self.uses.iter().filter(missing).cloned().collect()
    }

    /// Returns a value with the secrets in their places, for building a component and nothing else.
    ///
    /// # Errors
    ///
    /// When the environment lacks a variable; the error's key is relative to the value.
    pub fn expose_secrets(&self, value: &Value) -> Result<Value, MissingEnv> {
        self.secrets.expose(value, "")
    }

    /// Returns a text, such as a server's error message, with every known secret hidden.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.secrets.redact(text)
    }
}
