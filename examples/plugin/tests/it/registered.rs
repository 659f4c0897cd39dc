//! With the plugin linked, specs can name its parts; an unknown name is refused with help.

use hype::core::study::spec::Aggregators;
use hype::core::{Diagnostics, Registry, Spec, SpecPart, Study};
use hype::sim::fixtures;
use hype_example_plugin::{MedianByModel, YesNo, YesNoRubric};

const SPEC: &str = include_str!("../../evaluation.yaml");

fn faults(task: &str) -> Diagnostics {
    let text = format!("stimuli:\n  good: {{ role: generated, images: '*.png' }}\ntask: {task}\n");
    Spec::read(text.as_bytes()).unwrap_err()
}

#[test]
fn the_registry_lists_every_part() {
    let registry = Registry::linked().unwrap();
    for (part, kind) in [
        (SpecPart::Task, "yes_no"),
        (SpecPart::Rubric, "yes_no"),
        (SpecPart::Aggregator, "median_by_model"),
        (SpecPart::Metric, "colourfulness"),
    ] {
        let entry = registry.find(part, kind).unwrap();
        assert_eq!(entry.crate_name, "hype-example-plugin");
        assert_eq!(entry.crate_version, env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn the_spec_reads_as_the_parts_it_names() {
    let spec = Spec::read(SPEC.as_bytes()).unwrap().spec;
    let task: &YesNo = spec.protocol.task.downcast_ref().unwrap();
    assert_eq!(*task, YesNo { pairs: 10.into(), exposure_ms: 400.into() });
    assert_eq!(spec.analysis.rubric.typetag_name(), "yes_no");
    assert_eq!(
        serde_json::to_value(&spec.analysis.aggregate).unwrap(),
        serde_json::json!({ "kind": "median_by_model", "resamples": 2000, "level": 0.95 })
    );
    // What the spec leaves out comes from the task's own protocol.
    assert_eq!((spec.collection.raters.per_model, spec.protocol.qualification), (12, None));
}

#[test]
fn omitted_settings_are_the_tasks_defaults() {
    let text = "stimuli: { good: { role: generated, images: '*.png' } }\ntask: { kind: yes_no }\n";
    let spec = Spec::read(text.as_bytes()).unwrap().spec;
    assert_eq!(spec.analysis.rubric.typetag_name(), "yes_no");
    assert_eq!(spec.analysis.aggregate.0[0].typetag_name(), "median_by_model");
    assert_eq!(spec.protocol.task.downcast_ref(), Some(&YesNo::default()));
}

#[test]
fn a_kind_is_found_wherever_it_stands() {
    use hype::core::TaskSpec;
    use serde_json::json;

    let read = |written| {
        let read: Result<Box<dyn TaskSpec>, _> = serde_json::from_value(written);
        read.map_err(|error| error.to_string())
    };
    let first = read(json!({ "kind": "yes_no", "pairs": 10 })).unwrap();
    // JSON is read in its order, and objects are sorted by key.
    let text = r#"{ "exposure_ms": 250, "kind": "yes_no", "pairs": 10 }"#;
    let later: Box<dyn TaskSpec> = serde_json::from_str(text).unwrap();
    assert_eq!(first.downcast_ref(), Some(&YesNo { pairs: 10.into(), ..YesNo::default() }));
    assert_eq!(later.downcast_ref(), Some(&YesNo { pairs: 10.into(), exposure_ms: 250.into() }));
    assert_eq!(read(json!({ "pairs": 10 })).unwrap_err(), "missing field `kind`");
    assert!(read(json!({ "kind": "yes_no", "pears": 1 })).unwrap_err().starts_with("unknown field `pears`"));
    assert!(read(json!({ "kind": "no", "pairs": 1 })).unwrap_err().starts_with("unknown variant `no`"));
}

#[test]
fn an_unknown_kind_gets_help() {
    let found = faults("{ kind: yes_noo }");
    let fault = found.iter().find(|fault| fault.code == "unknown-kind").unwrap();
    let help = fault.help.as_deref().unwrap();
    assert!(fault.message.contains("`yes_noo`"), "{fault}");
    assert!(help.contains("`yes_no`"), "{help}");
    assert!(help.contains("is the plugin's crate linked?"), "{help}");
}

#[test]
fn an_unknown_field_is_reported_with_its_place() {
    let found = faults("{ kind: yes_no, pair: 3 }");
    let fault = found.iter().find(|fault| fault.code == "unknown-field").unwrap();
    assert_eq!(fault.path, "task.pair");
    assert!(fault.help.as_deref().unwrap().contains("`pairs`"), "{fault}");
}

#[test]
fn faulty_settings_are_found_all_at_once() {
    let task = YesNo { pairs: 50.into(), ..YesNo::default() };
    let mut spec = Spec::new("faulty", 1, Box::new(task));
    spec.analysis.aggregate = Aggregators::one(MedianByModel { level: 1.0, ..MedianByModel::default() });
    let stimuli = fixtures::stimuli(60, &[("good", 50), ("weak", 49)]);
    let found = Study::new(spec, stimuli).unwrap_err();
    let found: Vec<(&str, &str)> = found.iter().map(|fault| (fault.path.as_str(), fault.code)).collect();
    for fault in [("task", "too-few-images"), ("aggregate.level", "out-of-range")] {
        assert!(found.contains(&fault), "{fault:?} in {found:?}");
    }
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn the_rubric_refuses_another_task() {
    let mut spec = Spec::new("mixed", 1, Box::new(hype::tasks::HypeInfinity::default()));
    spec.analysis.rubric = Box::new(YesNoRubric::default());
    let found = Study::new(spec, fixtures::stimuli(200, &[("good", 200)])).unwrap_err();
    assert_eq!(found.iter().filter(|fault| fault.code == "wrong-rubric").count(), 1);
}

#[test]
fn a_questionnaire_that_needs_a_prompt_is_refused() {
    let mut spec = Spec::new("prompts", 1, Box::new(YesNo::default()));
    spec.analysis.rubric = Box::new(hype::tasks::questionnaires::HeimAlignment::default());
    let found = Study::new(spec, fixtures::stimuli(60, &[("good", 50)])).unwrap_err();
    assert!(found.iter().any(|fault| fault.code == "no-questions" && fault.path == "task"), "{found:?}");
}

#[test]
fn settings_out_of_their_bounds_are_refused_without_a_line_in_the_plugin() {
    let text = "stimuli:\n  real: { role: real, images: '*.png' }\n  good: { role: generated, images: '*.jpg' }\n\
                task:\n  kind: yes_no\n  pairs: 1\n  exposure_ms: 70000\n\
                aggregate: [{ kind: median_by_model, resamples: 5, level: 95 }]\n\
                backend: { kind: first_option, rt_ms: 0 }\n";
    let found = Spec::read(text.as_bytes()).map(|_| Diagnostics::new()).unwrap_or_else(|found| found);
    assert_eq!(
        found.to_string(),
        "error[out-of-range] at 6:10 in task.pairs: pairs is 1 (use a number from 2 to 5000, such as 20)\n\
         error[out-of-range] at 7:16 in task.exposure_ms: exposure_ms is 70000 (use a number from 1 to 60000, such as 500)\n\
         error[out-of-range] at 8:49 in aggregate[0].resamples: resamples is 5 (use a number from 100 to 1000000, such as 10000)\n\
         error[out-of-range] at 8:59 in aggregate[0].level: level is 95 (use a number from 0.5 to 0.9999, such as 0.95)\n\
         error[out-of-range] at 9:39 in backend.rt_ms: rt_ms is 0 (use a number from 1 to 60000, such as 500)"
    );
}
