//! Checking a resolved configuration against its JSON Schema, in words and places that help.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::Value;

use crate::diagnostic::Problems;
use crate::name::{listed, nearest, normalize_name, quoted};
use crate::source_map::{Part, child, readable};

/// One thing that the schema does not allow.
#[derive(Debug)]
pub(crate) struct Violation {
    pub(crate) pointer: String,
    pub(crate) part: Part,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// A schema, ready to check values.
pub(crate) struct Checker<'a> {
    schema: &'a Value,
    validator: Validator,
    /// The JSON pointers of secrets, whose values play no role.
    secrets: BTreeSet<String>,
}

#[derive(Default)]
struct Report {
    violations: Vec<Violation>,
    /// How many violations were more than anyone would read.
    dropped: usize,
    /// Keys for other tools, `x-…`, by the pointer of their object.
    free: BTreeMap<String, HashSet<String>>,
    /// Keys that the schema knows, but not for the kind of thing that they are given for.
    doubtful: Vec<(String, String)>,
}

impl Report {
    fn has_room(&mut self) -> bool {
        let has_room = self.violations.len() < Problems::MOST;
        self.dropped += usize::from(!has_room);
        has_room
    }
}

impl<'a> Checker<'a> {
    /// Prepares a schema; the error is the schema's author's, not the user's.
    pub(crate) fn new(schema: &'a Value, secrets: BTreeSet<String>) -> Result<Self, String> {
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .build(schema)
            .map_err(|error| error.to_string())?;
        Ok(Self { schema, validator, secrets })
    }

    /// Returns what is not allowed, after removing the `x-` keys from the value, and how much more there is.
    pub(crate) fn check(&self, value: &mut Value) -> (Vec<Violation>, usize) {
        let mut report = self.report(value);
        // A free key can hide in an alternative and make it fail, so look again without it; every turn
        // removes at least one key.
        while !report.free.is_empty() {
            let mut removed = false;
            for (pointer, keys) in &report.free {
                if let Some(members) = value.pointer_mut(pointer).and_then(Value::as_object_mut) {
                    let before = members.len();
                    members.retain(|key, _| !keys.contains(key));
                    removed |= members.len() < before;
                }
            }
            if !removed {
                break;
            }
            report = self.report(value);
        }
        let mut violations = report.violations;
        for (pointer, key) in report.doubtful {
            let below = format!("{pointer}/");
            if !violations.iter().any(|other| other.pointer == pointer || other.pointer.starts_with(&below)) {
                violations.push(Violation {
                    message: format!("the key {} is not for what {} is", quoted(&key), place(&pointer)),
                    pointer: child(&pointer, &key),
                    part: Part::Key,
                    code: "unknown-key",
                    hint: None,
                });
            }
        }
        (violations, report.dropped)
    }

    fn report(&self, value: &Value) -> Report {
        let mut checked = value.clone();
        for secret in &self.secrets {
            if let Some(value) = checked.pointer_mut(secret) {
                *value = Value::String("secret".to_owned());
            }
        }
        let mut report = Report::default();
        for error in self.validator.iter_errors(&checked) {
            self.explain(&error, &mut report);
        }
        report
    }

    fn explain(&self, error: &ValidationError<'_>, report: &mut Report) {
        let is_keys =
            matches!(error.kind(), Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. });
        // Free keys are looked for in any case.
        if !is_keys && !report.has_room() {
            return;
        }
        let pointer = error.instance_path().as_str().to_owned();
        let found = describe(error.instance());
        let secret = self.secrets.contains(&pointer);
        let (part, code, message, hint) = match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                let known = self.known_keys(error);
                for key in unexpected {
                    self.unknown_key(&known, &pointer, key, report);
                }
                return;
            }
            Kind::UnevaluatedProperties { unexpected } => {
                let known = self.known_keys(error);
                for key in unexpected {
                    // A known key counts as not evaluated as well when something else about it is wrong.
                    if known.contains(key) {
                        report.doubtful.push((pointer.clone(), key.clone()));
                    } else {
                        self.unknown_key(&known, &pointer, key, report);
                    }
                }
                return;
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.alternatives(error, context, report);
                return;
            }
            Kind::Type { kind } if secret => {
                let message = format!(
                    "{}: expected {}, but an environment variable is always a text",
                    readable(&pointer),
                    listed(&types(kind))
                );
                (Part::Value, "type", message, None)
            }
            _ if secret => return,
            Kind::Type { kind } => {
                let hint =
                    error.instance().get("$env").map(|_| "'$env' is only possible inside 'extra_args'");
                let message = expected(&pointer, &types(kind), &found);
                (Part::Value, "type", message, hint.map(str::to_owned))
            }
            Kind::Enum { options } => {
                let options: &[Value] = options.as_array().map_or(&[], Vec::as_slice);
                return report.violations.push(wrong_value(&pointer, error.instance(), options));
            }
            Kind::Constant { expected_value } => {
                let options = [expected_value.as_ref().clone()];
                return report.violations.push(wrong_value(&pointer, error.instance(), &options));
            }
            Kind::Required { property } => {
                let key = property.as_str().unwrap_or_default();
                let message = format!("the key {} is missing in {}", quoted(key), place(&pointer));
                (Part::Key, "missing-key", message, None)
            }
            Kind::PropertyNames { error: inner } => {
                let name = inner.instance().as_str().unwrap_or_default().to_owned();
                let message = format!("{} is not a valid key in {}", quoted(&name), place(&pointer));
                let near = normalize_name(&name);
                let hint =
                    (!near.is_empty() && near != name).then(|| format!("{} would be one", quoted(&near)));
                report.violations.push(Violation {
                    pointer: child(&pointer, &name),
                    part: Part::Key,
                    code: "name",
                    message,
                    hint,
                });
                return;
            }
            kind => {
                let what = match kind {
                    Kind::Minimum { limit } => format!("must be at least {limit}, not {found}"),
                    Kind::Maximum { limit } => format!("must be at most {limit}, not {found}"),
                    Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}, not {found}"),
                    Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}, not {found}"),
                    Kind::MinLength { limit: 1 } => "must not be empty".to_owned(),
                    Kind::MinItems { limit: 1 } => "must not be empty".to_owned(),
                    Kind::MinLength { limit } => format!("must have at least {limit} characters"),
                    Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
                    Kind::MinItems { limit } => format!("must have at least {limit} elements"),
                    Kind::MaxItems { limit } => format!("must have at most {limit} elements"),
                    Kind::UniqueItems => "must not name anything twice".to_owned(),
                    Kind::Pattern { pattern } => format!("must match the pattern {pattern}, not {found}"),
                    Kind::Format { format } => format!("must be of the form '{format}', not {found}"),
                    Kind::FalseSchema => "is not allowed here".to_owned(),
                    _ => error.masked_with("the value").to_string(),
                };
                (Part::Value, "value", format!("{} {what}", place(&pointer)), None)
            }
        };
        report.violations.push(Violation { pointer, part, code, message, hint });
    }

    fn unknown_key(&self, known: &[String], pointer: &str, key: &str, report: &mut Report) {
        if key.starts_with("x-") {
            report.free.entry(pointer.to_owned()).or_default().insert(key.to_owned());
            return;
        }
        if !report.has_room() {
            return;
        }
        let hint = match key {
            "$ref" => {
                Some("'$ref' must be the only key of its object and stand at the top of a file".to_owned())
            }
            _ if self.belongs_deeper(pointer, key) => Some("it belongs in 'extra_args'".to_owned()),
            _ => match nearest(key, known.iter().map(String::as_str)) {
                Some(near) => Some(format!("did you mean {}?", quoted(near))),
                None if known.is_empty() => None,
                None if known.len() > 16 => None,
                None => {
                    let known: Vec<_> = known.iter().map(|key| quoted(key)).collect();
                    Some(format!("the keys here are {}", known.join(", ")))
                }
            },
        };
        report.violations.push(Violation {
            pointer: child(pointer, key),
            part: Part::Key,
            code: "unknown-key",
            message: format!("unknown key {} in {}", quoted(key), place(pointer)),
            hint,
        });
    }

    /// Tells whether an item's unknown key is one of its `extra_args`.
    fn belongs_deeper(&self, pointer: &str, key: &str) -> bool {
        let tokens = crate::located::tokens(pointer);
        let [section, _] = tokens.as_slice() else { return false };
        let arguments = self.schema.pointer(&format!("/$defs/{section}_extra_args"));
        arguments.is_some_and(|schema| {
            let mut keys = Vec::new();
            self.collect_keys(schema, 0, &mut keys);
            keys.iter().any(|known| known == key)
        })
    }

    /// Returns the keys that the schema of the erring object knows, in their order.
    fn known_keys(&self, error: &ValidationError<'_>) -> Vec<String> {
        let location = error.schema_path().as_str();
        let parent = location.rsplit_once('/').map_or("", |(parent, _)| parent);
        let mut keys = Vec::new();
        if let Some(schema) = self.schema.pointer(parent) {
            self.collect_keys(schema, 0, &mut keys);
        }
        keys
    }

    fn collect_keys(&self, schema: &Value, depth: usize, keys: &mut Vec<String>) {
        // Schemas may refer to themselves.
        if depth > 8 {
            return;
        }
        let own = schema.get("properties").and_then(Value::as_object);
        for key in own.into_iter().flat_map(|properties| properties.keys()) {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        let reference = schema.get("$ref").and_then(Value::as_str);
        let local = reference.and_then(|reference| reference.strip_prefix('#'));
        if let Some(schema) = local.and_then(|local| self.schema.pointer(local)) {
            self.collect_keys(schema, depth + 1, keys);
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            for schema in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.collect_keys(schema, depth + 1, keys);
            }
        }
        for key in ["if", "then", "else"] {
            if let Some(schema) = schema.get(key) {
                self.collect_keys(schema, depth + 1, keys);
            }
        }
    }

    /// Explains why none of several alternatives fits: by the one that was probably meant.
    fn alternatives(
        &self,
        error: &ValidationError<'_>,
        branches: &[Vec<ValidationError<'static>>],
        report: &mut Report,
    ) {
        let pointer = error.instance_path().as_str();
        if self.secrets.contains(pointer) {
            return;
        }
        if let Some(options) = simple(pointer, branches) {
            report.violations.push(options.violation(pointer, error.instance()));
            return;
        }
        // A constant that tells the alternatives apart, such as a type, tells which one was meant.
        let constant = |branch: &[ValidationError<'static>]| {
            branch.iter().find_map(|error| match error.kind() {
                Kind::Constant { expected_value } => Some((
                    error.instance_path().as_str().to_owned(),
                    expected_value.as_ref().clone(),
                    error.instance().as_ref().clone(),
                )),
                _ => None,
            })
        };
        let constants: Vec<_> = branches.iter().map(|branch| constant(branch)).collect();
        let decided: Vec<_> = constants.iter().flatten().collect();
        if let Some((place, _, found)) = decided.first() {
            let fits = |branch: &&Vec<ValidationError<'static>>| {
                constant(branch).is_none() && !is_other_type(pointer, branch)
            };
            if !branches.iter().any(|branch| fits(&branch))
                && decided.iter().all(|(other, _, _)| other == place)
            {
                let options: Vec<_> = decided.iter().map(|(_, expected, _)| expected.clone()).collect();
                report.violations.push(wrong_value(place, found, &options));
                return;
            }
        }
        let meant = branches
            .iter()
            .filter(|branch| !branch.is_empty())
            .min_by_key(|branch| (is_other_type(pointer, branch), constant(branch).is_some(), branch.len()));
        match meant {
            Some(branch) => branch.iter().for_each(|error| self.explain(error, report)),
            None => report.violations.push(Violation {
                pointer: pointer.to_owned(),
                part: Part::Value,
                code: "value",
                message: format!("{} fits none of what is possible here", place(pointer)),
                hint: None,
            }),
        }
    }
}

/// Types and values that a place may have.
#[derive(Default)]
struct Possible {
    types: Vec<String>,
    values: Vec<Value>,
}

impl Possible {
    fn violation(self, pointer: &str, found: &Value) -> Violation {
        if self.types.iter().all(|name| name == "null") {
            return wrong_value(pointer, found, &self.values);
        }
        let mut options: Vec<_> = self.values.iter().map(describe).collect();
        options.extend(self.types);
        let message = expected(pointer, &options, &describe(found));
        Violation { pointer: pointer.to_owned(), part: Part::Value, code: "type", message, hint: None }
    }
}

/// Returns what is possible when each alternative only says what type or value is expected here.
fn simple(pointer: &str, branches: &[Vec<ValidationError<'static>>]) -> Option<Possible> {
    let mut possible = Possible::default();
    for branch in branches {
        let [error] = branch.as_slice() else { return None };
        if error.instance_path().as_str() != pointer {
            return None;
        }
        match error.kind() {
            Kind::Type { kind } => possible.types.extend(types(kind)),
            Kind::Constant { expected_value } => possible.values.push(expected_value.as_ref().clone()),
            Kind::Enum { options } => {
                possible.values.extend(options.as_array().into_iter().flatten().cloned())
            }
            _ => return None,
        }
    }
    Some(possible)
}

fn is_other_type(pointer: &str, branch: &[ValidationError<'static>]) -> bool {
    branch
        .iter()
        .any(|error| error.instance_path().as_str() == pointer && matches!(error.kind(), Kind::Type { .. }))
}

fn wrong_value(pointer: &str, found: &Value, options: &[Value]) -> Violation {
    let words: Vec<_> = options.iter().filter_map(Value::as_str).collect();
    let hint = found
        .as_str()
        .and_then(|found| nearest(found, words))
        .map(|near| format!("did you mean {}?", quoted(near)));
    let listed: Vec<_> = options.iter().map(describe).collect();
    Violation {
        message: expected(pointer, &listed, &describe(found)),
        pointer: pointer.to_owned(),
        part: Part::Value,
        code: "enum",
        hint,
    }
}

fn expected(pointer: &str, options: &[String], found: &str) -> String {
    let place = readable(pointer);
    let colon = if place.is_empty() { "" } else { ": " };
    let mut distinct: Vec<String> = Vec::new();
    for option in options {
        // Null is what one leaves out; it only helps when there is nothing else.
        if !distinct.contains(option) && (option != "null" || options.len() == 1) {
            distinct.push(option.clone());
        }
    }
    format!("{place}{colon}expected {}, found {found}", listed(&distinct))
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() { "the endpoint's definition".to_owned() } else { readable(pointer) }
}

fn types(kind: &TypeKind) -> Vec<String> {
    let names: Vec<String> = match kind {
        TypeKind::Single(name) => vec![name.to_string()],
        TypeKind::Multiple(names) => names.iter().map(|name| name.to_string()).collect(),
    };
    names.iter().flat_map(|name| name_of_type(name)).map(|name| (*name).to_owned()).collect()
}

fn name_of_type(name: &str) -> &'static [&'static str] {
    match name {
        "array" => &["a list"],
        "object" => &["an object"],
        "string" => &["a text"],
        "integer" => &["a whole number"],
        "number" => &["a number"],
        "boolean" => &["true", "false"],
        _ => &["null"],
    }
}

/// Returns a value in a few words.
fn describe(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        scalar => scalar.to_string(),
    }
}
