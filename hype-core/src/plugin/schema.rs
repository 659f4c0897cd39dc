//! JSON Schemas: of specs, for editors, and of findings, for programs that read them.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::model::findings::Findings;
use crate::plugin::aggregator::AggregatorSpec;
use crate::plugin::backend::BackendSpec;
use crate::plugin::cohort::CohortSpec;
use crate::plugin::registry::{PluginEntry, Registry, SpecPart};
use crate::plugin::rubric::RubricSpec;
use crate::plugin::task::TaskSpec;
use crate::protocol::raters::RatersSection;
use crate::study::spec::{ItemsSpec, MasksSpec, SetSpec, StoreSpec};

/// The schema of a spec that may use the plugins of a registry.
#[must_use]
pub fn spec_schema(registry: &Registry) -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let set = generator.subschema_for::<SetSpec>();
    let raters = generator.subschema_for::<RatersSection>();
    let items = generator.subschema_for::<ItemsSpec>();
    let masks = generator.subschema_for::<MasksSpec>();
    let store = generator.subschema_for::<StoreSpec>();
    let aggregator = part_schema(registry, SpecPart::Aggregator, &mut generator);
    let sections = json!({
        "name": { "type": "string", "description": "The study's name" },
        "description": { "type": "string", "description": "What the study is about, for people" },
        "seed": {
            "type": "integer", "minimum": 0, "maximum": u64::MAX, "default": 0,
            "description": "The seed of all chance in the study"
        },
        "stimuli": {
            "type": "object", "minProperties": 1, "additionalProperties": set,
            "description": "The sets of stimuli by name; a generated set's name is its model's"
        },
        "items": items,
        "masks": masks,
        "task": part_schema(registry, SpecPart::Task, &mut generator),
        "rubric": part_schema(registry, SpecPart::Rubric, &mut generator),
        "raters": raters,
        "backend": part_schema(registry, SpecPart::Backend, &mut generator),
        "store": store,
        "simulate": part_schema(registry, SpecPart::Cohort, &mut generator),
        "aggregate": {
            "if": { "type": "array" },
            "then": { "type": "array", "minItems": 1, "items": aggregator },
            "else": aggregator
        },
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of hype",
        "type": "object",
        "additionalProperties": false,
        "required": ["stimuli", "task"],
        "properties": sections,
        "$defs": generator.take_definitions(true),
    })
}

/// The schema of [`Findings`] as JSON.
#[must_use]
pub fn findings_schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Findings>();
    schema.insert("title".into(), "Findings of hype".into());
    schema.to_value()
}

/// The schema of a task's answers.
#[must_use]
pub fn answer_schema(entry: &PluginEntry) -> Option<Value> {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = (entry.answers?)(&mut generator);
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema.insert("$defs".into(), Value::Object(definitions));
    }
    Some(schema.to_value())
}

/// The schema of one plugin's YAML, `kind` included, by itself.
#[must_use]
pub fn entry_yaml_schema(entry: &PluginEntry) -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = entry_schema(entry, &mut generator);
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema["$defs"] = Value::Object(definitions);
    }
    schema
}

/// The schema of one plugin's YAML, `kind` included.
fn entry_schema(entry: &PluginEntry, generator: &mut SchemaGenerator) -> Value {
    let mut schema = (entry.schema)(generator).to_value();
    if let Some(schema) = schema.as_object_mut() {
        let properties = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert("kind".into(), json!({ "const": entry.kind }));
        }
        schema.entry("description").or_insert_with(|| entry.summary.into());
    }
    schema
}

/// The schema of a part, selected by its kind. `if` and `then` give errors about the kind at hand, where
/// `oneOf` would only say that nothing fits.
fn part_schema(registry: &Registry, part: SpecPart, generator: &mut SchemaGenerator) -> Value {
    let kinds: Vec<&str> = registry.of(part).map(|entry| entry.kind).collect();
    let cases: Vec<Value> = registry
        .of(part)
        .map(|entry| {
            json!({
                "if": { "properties": { "kind": { "const": entry.kind } }, "required": ["kind"] },
                "then": entry_schema(entry, generator),
            })
        })
        .collect();
    let mut schema = json!({
        "type": "object",
        "required": ["kind"],
        "properties": { "kind": { "type": "string", "enum": kinds } },
    });
    if !cases.is_empty() {
        schema["allOf"] = cases.into();
    }
    schema
}

macro_rules! part_json_schema {
    ($($object:ty => $part:ident, $name:literal;)*) => {$(
        impl JsonSchema for $object {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                // Duplicate kinds are reported where the registry is built for use; a schema lists what it can.
                let Ok(registry) = Registry::linked() else {
                    return Schema::default();
                };
                Schema::try_from(part_schema(&registry, SpecPart::$part, generator)).unwrap_or_default()
            }
        }
    )*};
}

part_json_schema! {
    dyn TaskSpec => Task, "Task";
    dyn RubricSpec => Rubric, "Rubric";
    dyn AggregatorSpec => Aggregator, "Aggregator";
    dyn BackendSpec => Backend, "Backend";
    dyn CohortSpec => Cohort, "Cohort";
}
