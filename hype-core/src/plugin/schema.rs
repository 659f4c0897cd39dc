//! JSON Schemas of plugins: of their YAML, and of the answers to a task.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::plugin::aggregator::AggregatorSpec;
use crate::plugin::cohort::CohortSpec;
use crate::plugin::extractor::ExtractorSpec;
use crate::plugin::metric::MetricSpec;
use crate::plugin::registry::{PluginEntry, Registry, SpecPart};
use crate::plugin::rubric::RubricSpec;
use crate::plugin::stopping::StoppingSpec;
use crate::plugin::task::TaskSpec;

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

/// The schema of a part, which depends on its kind. `if` and `then` produce errors about the given kind, where `oneOf`
/// would only say that no alternative matches.
pub(crate) fn part_schema(registry: &Registry, part: SpecPart, generator: &mut SchemaGenerator) -> Value {
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

/// The schema of a part with all linked plugins.
pub(crate) fn linked_schema(part: SpecPart, generator: &mut SchemaGenerator) -> Schema {
    // Duplicate kinds are reported where the registry is built for use; without a registry the schema allows anything.
    let Ok(registry) = Registry::linked() else {
        return Schema::default();
    };
    Schema::try_from(part_schema(&registry, part, generator)).unwrap_or_default()
}

/// Gives trait objects the schema of a part of specs.
macro_rules! part_json_schema {
    ($($object:ty => $part:ident, $name:literal;)*) => {$(
        impl schemars::JsonSchema for $object {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::plugin::schema::linked_schema($crate::SpecPart::$part, generator)
            }
        }
    )*};
}
pub(crate) use part_json_schema;

part_json_schema! {
    dyn TaskSpec => Task, "Task";
    dyn RubricSpec => Rubric, "Rubric";
    dyn AggregatorSpec => Aggregator, "Aggregator";
    dyn CohortSpec => Cohort, "Cohort";
    dyn StoppingSpec => Stopping, "Stopping";
    dyn MetricSpec => Metric, "Metric";
    dyn ExtractorSpec => Extractor, "Extractor";
}
