//! Every bound that the schema of a plugin declares holds where a spec is read, with the place and the bound.

use hype_core::plugin::schema::entry_yaml_schema;
use hype_core::{PluginEntry, Registry, Spec, SpecPart};
use serde_json::{Value, json};

/// A setting with a bound: its path, and a number beyond it.
type Beyond = (Vec<String>, Value);

/// All settings of a schema that have bounds, those of nested objects included.
fn beyond(schema: &Value, root: &Value, path: &[String], found: &mut Vec<Beyond>) {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(name) => &root["$defs"][name.trim_start_matches("#/$defs/")],
        None => schema,
    };
    for choice in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        beyond(choice, root, path, found);
    }
    if let Some(most) = schema.get("maximum").and_then(Value::as_f64) {
        found.push((
            path.to_vec(),
            if most.fract() > 0.0 { json!(most + 1.0) } else { json!(most as u64 + 1) },
        ));
    }
    if let Some(least) = schema.get("minimum").and_then(Value::as_f64).filter(|least| *least >= 1.0) {
        found.push((path.to_vec(), json!(least as u64 - 1)));
        found.push((path.to_vec(), json!(-1)));
    }
    if let Some(least) = schema.get("exclusiveMinimum") {
        found.push((path.to_vec(), least.clone()));
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let inner: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
        beyond(property, root, &inner, found);
    }
}

/// An object of a schema with one number set and a name for every other setting that has to be there.
fn with_number(schema: &Value, root: &Value, path: &[String], value: &Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return value.clone() };
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(name) => &root["$defs"][name.trim_start_matches("#/$defs/")],
        None => schema,
    };
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        let found = choices.iter().map(|choice| with_number(choice, root, path, value));
        return found.into_iter().find(|found| !found.is_null()).unwrap_or_default();
    }
    let Some(property) = schema["properties"].get(first) else { return Value::Null };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut object: serde_json::Map<String, Value> =
        required.filter_map(Value::as_str).map(|name| (name.to_owned(), json!("a"))).collect();
    object.insert(first.clone(), with_number(property, root, rest, value));
    object.into()
}

/// A plugin's settings with one number set.
fn settings(entry: &PluginEntry, schema: &Value, path: &[String], value: &Value) -> Value {
    let mut settings = with_number(schema, schema, path, value);
    settings["kind"] = entry.kind.into();
    settings
}

/// Reads specs in which one number of a plugin is beyond its bounds; returns the number of bounds met.
fn every_bound_holds(part: SpecPart, section: &str) -> usize {
    let registry = Registry::linked().unwrap();
    let mut met = 0;
    for entry in registry.of(part).filter(|entry| ["hype-tasks", "hype-analyses"].contains(&entry.crate_name))
    {
        let schema = entry_yaml_schema(entry);
        let mut bounds = Vec::new();
        beyond(&schema, &schema, &[], &mut bounds);
        for (path, value) in bounds {
            let mut spec = json!({
                "stimuli": { "a": { "role": "generated", "images": "a/*" } }, "task": { "kind": "hype_infinity" }
            });
            spec[section] = settings(entry, &schema, &path, &value);
            let found = Spec::draft(spec.to_string().as_bytes()).unwrap().found;
            let place = format!("{section}.{}", path.join("."));
            let fault = found.iter().find(|fault| fault.path == place && fault.code == "out-of-range");
            let help = fault.and_then(|fault| fault.help.clone()).unwrap_or_default();
            assert!(help.starts_with("use a number"), "{place}: {value} is not refused: {found}");
            assert!(fault.unwrap().line.is_some(), "{place} has no place");
            met += 1;
        }
    }
    met
}

#[test]
fn of_tasks() {
    let met = every_bound_holds(SpecPart::Task, "task");
    assert!(met > 80, "{met}");
}

#[test]
fn of_aggregators() {
    let met = every_bound_holds(SpecPart::Aggregator, "aggregate");
    assert!(met > 20, "{met}");
}

#[test]
fn of_stopping_rules() {
    let met = every_bound_holds(SpecPart::Stopping, "stopping");
    assert!(met > 5, "{met}");
}
