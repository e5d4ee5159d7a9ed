//! The JSON Schema of the configuration, in two forms.
//!
//! The strict form is for the resolved value, with which loading checks it. The form for editors is for the
//! files as they are written: there a section may be a `$ref`, a path a `$path` and a text an `$env`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::endpoint::{EndpointFile, ItemFile, Section};

/// Returns the JSON Schema (draft 2020-12) of a configuration, for editors.
///
/// `schemas` holds, for each section, the schema of an item's `extra_args`. The files of single sections
/// are described by `#/$defs/<section>`.
#[must_use]
pub fn schema(schemas: &BTreeMap<Section, Value>) -> Value {
    let mut root = strict(schemas);
    as_written(&mut root, false);
    for section in Section::ALL {
        let name = section.as_str();
        if let Some(items) = root.pointer_mut(&format!("/$defs/{name}")).and_then(Value::as_object_mut) {
            // The strict form leaves this out: loading says it in better words than a pattern could.
            items.insert("propertyNames".to_owned(), json!({"pattern": "^(\\$schema|x-.*|[A-Za-z0-9_]+)$"}));
            items.insert("patternProperties".to_owned(), json!({"^x-": true}));
            items.insert("properties".to_owned(), json!({"$schema": {"type": "string"}}));
            let item = format!("#/$defs/{name}_item");
            items.insert(
                "additionalProperties".to_owned(),
                json!({"anyOf": [{"$ref": "#/$defs/reference"}, {"$ref": item}]}),
            );
        }
        let places = root.pointer_mut("/properties").and_then(Value::as_object_mut);
        if let Some(property) = places.and_then(|places| places.get_mut(name)) {
            *property =
                json!({"anyOf": [{"$ref": "#/$defs/reference"}, {"$ref": format!("#/$defs/{name}")}]});
        }
    }
    if let Some(definitions) = root.pointer_mut("/$defs").and_then(Value::as_object_mut) {
        definitions.insert(
            "reference".to_owned(),
            json!({
                "description": "The content of another file of the endpoint's folder.",
                "type": "object",
                "properties": {"$ref": {"type": "string"}},
                "required": ["$ref"],
                "additionalProperties": false
            }),
        );
        definitions.insert(
            "environment".to_owned(),
            json!({
                "description": "The value of an environment variable, kept secret.",
                "type": "object",
                "properties": {"$env": {"type": "string", "minLength": 1}},
                "required": ["$env"],
                "additionalProperties": false
            }),
        );
    }
    root
}

/// Returns the schema of the resolved value.
pub(crate) fn strict(schemas: &BTreeMap<Section, Value>) -> Value {
    let mut root = generated::<EndpointFile>();
    let item = generated::<ItemFile>();
    let mut definitions = match root.get_mut("$defs") {
        Some(Value::Object(definitions)) => std::mem::take(definitions),
        _ => Map::new(),
    };
    for section in Section::ALL {
        let name = section.as_str();
        let mut item = item.clone();
        for key in ["$schema", "title"] {
            remove(&mut item, key);
        }
        if let Some(Value::Object(properties)) = item.get_mut("properties") {
            if section != Section::CustomAgentics {
                properties.shift_remove("class_name");
                properties.shift_remove("path");
            }
            let extra_args = match schemas.get(&section) {
                Some(schema) => {
                    let name = format!("{name}_extra_args");
                    definitions.insert(name.clone(), embedded(schema, &name));
                    json!({"$ref": format!("#/$defs/{name}")})
                }
                None => json!({"type": "object"}),
            };
            properties.insert("extra_args".to_owned(), extra_args);
        }
        definitions.insert(format!("{name}_item"), item);
        let mut items =
            json!({"type": "object", "additionalProperties": {"$ref": format!("#/$defs/{name}_item")}});
        let property = root.get_mut("properties").and_then(|properties| properties.get_mut(name));
        if let Some(property) = property {
            if let Some(description) = property.get("description") {
                items["description"] = description.clone();
            }
            *property = json!({"$ref": format!("#/$defs/{name}")});
        }
        definitions.insert(name.to_owned(), items);
    }
    if let Some(Value::String(title)) = root.get_mut("title") {
        *title = "mge endpoint".to_owned();
    }
    if let Value::Object(root) = &mut root {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    root
}

fn generated<T: schemars::JsonSchema>() -> Value {
    schemars::generate::SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

fn remove(schema: &mut Value, key: &str) {
    if let Value::Object(schema) = schema {
        schema.shift_remove(key);
    }
}

/// Makes a schema a definition of another one: its references to itself get the definition's prefix.
fn embedded(schema: &Value, name: &str) -> Value {
    let mut schema = schema.clone();
    remove(&mut schema, "$schema");
    remove(&mut schema, "$id");
    rebase(&mut schema, name);
    schema
}

fn rebase(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(reference) if key == "$ref" => {
                        if let Some(local) = reference.strip_prefix('#') {
                            *reference = format!("#/$defs/{name}{local}");
                        }
                    }
                    // These hold values, not schemas.
                    _ if matches!(key.as_str(), "const" | "enum" | "default" | "examples") => {}
                    value => rebase(value, name),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| rebase(element, name)),
        _ => {}
    }
}

/// Turns the schema of the resolved value into that of the files, in place.
///
/// Texts may be secrets only in `extra_args`.
fn as_written(schema: &mut Value, secrets: bool) {
    let Value::Object(members) = schema else { return };
    let closed = ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|key| members.get(*key) == Some(&Value::Bool(false)));
    if closed {
        let patterns = members.entry("patternProperties").or_insert_with(|| json!({}));
        if let Value::Object(patterns) = patterns {
            patterns.insert("^x-".to_owned(), Value::Bool(true));
        }
    }
    let has_path = members.get("properties").is_some_and(|properties| properties.get("path").is_some());
    if has_path {
        if let Some(Value::Object(properties)) = members.get_mut("properties") {
            properties.insert(
                "$path".to_owned(),
                json!({"description": "A path relative to the endpoint's folder.", "type": "string"}),
            );
        }
        let required = members.get_mut("required").and_then(Value::as_array_mut);
        if let Some(required) = required.filter(|required| required.contains(&json!("path"))) {
            required.retain(|key| key != "path");
            let either = json!({"anyOf": [{"required": ["path"]}, {"required": ["$path"]}]});
            match members.get_mut("allOf").and_then(Value::as_array_mut) {
                Some(all) => all.push(either),
                None => drop(members.insert("allOf".to_owned(), json!([either]))),
            }
        }
    }
    for (key, value) in members.iter_mut() {
        match (key.as_str(), value) {
            ("const" | "enum" | "default" | "examples", _) => {}
            ("properties" | "$defs" | "patternProperties", Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    as_written(schema, secrets || name.ends_with("_extra_args"));
                    if secrets && key == "properties" && !name.starts_with('$') {
                        or_environment(schema);
                    }
                }
            }
            (_, Value::Array(schemas)) => schemas.iter_mut().for_each(|schema| as_written(schema, secrets)),
            (_, value @ Value::Object(_)) => {
                as_written(value, secrets);
                if secrets && matches!(key.as_str(), "items" | "additionalProperties") {
                    or_environment(value);
                }
            }
            _ => {}
        }
    }
}

/// Lets a text of an item also be given by the environment.
fn or_environment(schema: &mut Value) {
    let is_text = match schema.get("type") {
        Some(Value::String(name)) => name == "string",
        Some(Value::Array(names)) => names.contains(&json!("string")),
        _ => false,
    };
    if is_text && schema.get("enum").is_none() && schema.get("const").is_none() {
        let written = schema.take();
        *schema = json!({"anyOf": [written, {"$ref": "#/$defs/environment"}]});
    }
}
