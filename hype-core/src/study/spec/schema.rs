//! JSON Schemas: of specs, for editors, and of findings, for programs that read them.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::model::findings::Findings;
use crate::model::labels::Labels;
use crate::plugin::registry::{Registry, SpecPart};
use crate::plugin::schema::{part_json_schema, part_schema};
use crate::protocol::playback::Playback;
use crate::protocol::questions::QuestionSpec;
use crate::protocol::raters::RatersSection;
use crate::study::backend::BackendSpec;
use crate::study::spec::{FacetSpec, Hypothesis, ItemsSpec, MasksSpec, PlanSpec, SetSpec, StoreSpec};

/// The schema of a spec that may use the plugins of a registry.
#[must_use]
pub fn spec_schema(registry: &Registry) -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let facet = generator.subschema_for::<FacetSpec>();
    let set = generator.subschema_for::<SetSpec>();
    let raters = generator.subschema_for::<RatersSection>();
    let items = generator.subschema_for::<ItemsSpec>();
    let (masks, playback) = (generator.subschema_for::<MasksSpec>(), generator.subschema_for::<Playback>());
    let store = generator.subschema_for::<StoreSpec>();
    let plan = generator.subschema_for::<PlanSpec>();
    let labels = generator.subschema_for::<Labels>();
    let hypothesis = generator.subschema_for::<Hypothesis>();
    let question = generator.subschema_for::<QuestionSpec>();
    let aggregator = part_schema(registry, SpecPart::Aggregator, &mut generator);
    let survey = or_kind(registry, SpecPart::Survey, &mut generator);
    let metric = or_kind(registry, SpecPart::Metric, &mut generator);
    let surveys = |about: &str| json!({ "type": "array", "items": survey, "description": about });
    let sections = json!({
        "name": { "type": "string", "description": "The study's name" },
        "description": { "type": "string", "description": "The subject of the study, for people" },
        "seed": {
            "type": "integer", "minimum": 0, "maximum": u64::MAX, "default": 0,
            "description": "The seed of all randomness in the study"
        },
        "facets": {
            "type": "object", "additionalProperties": facet,
            "description": "Attributes of the sets, such as classes, whose levels are names of folders"
        },
        "stimuli": {
            "type": "object", "minProperties": 1, "additionalProperties": set,
            "description": "The sets of stimuli by name; a generated set's name is its model's"
        },
        "items": items,
        "masks": masks,
        "playback": playback,
        "task": part_schema(registry, SpecPart::Task, &mut generator),
        "rubric": part_schema(registry, SpecPart::Rubric, &mut generator),
        "before": surveys("Surveys of raters before the task, each a kind or a map with its settings"),
        "beside": {
            "type": "array", "items": question,
            "description": "Questions with every trial of the main phase, in addition to those of the task"
        },
        "after": surveys("Surveys of raters after the task, about themselves and the session"),
        "corrections": {
            "type": "boolean",
            "description": "Whether raters can return to the trial before and correct their answer"
        },
        "raters": raters,
        "backend": part_schema(registry, SpecPart::Backend, &mut generator),
        "store": store,
        "simulate": part_schema(registry, SpecPart::Cohort, &mut generator),
        "stopping": part_schema(registry, SpecPart::Stopping, &mut generator),
        "aggregate": {
            "if": { "type": "array" },
            "then": { "type": "array", "minItems": 1, "items": aggregator },
            "else": aggregator
        },
        "metrics": {
            "type": "array",
            "items": metric,
            "description": "Automated metrics to compare with raters' answers, each a kind or a map with its settings"
        },
        "extractor": part_schema(registry, SpecPart::Extractor, &mut generator),
        "text_extractor": part_schema(registry, SpecPart::Extractor, &mut generator),
        "hypotheses": {
            "type": "array", "items": hypothesis,
            "description": "The results that are expected, for the study's preregistration and its report"
        },
        "plan": plan,
        "report": labels,
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

/// The schema of a plugin that may be written as its kind alone.
fn or_kind(registry: &Registry, part: SpecPart, generator: &mut SchemaGenerator) -> Value {
    json!({
        "if": { "type": "string" },
        "then": { "enum": registry.of(part).map(|entry| entry.kind).collect::<Vec<_>>() },
        "else": part_schema(registry, part, generator)
    })
}

/// The schema of [`Findings`] as JSON.
#[must_use]
pub fn findings_schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Findings>();
    schema.insert("title".into(), "Findings of hype".into());
    schema.to_value()
}

part_json_schema! {
    dyn BackendSpec => Backend, "Backend";
}
