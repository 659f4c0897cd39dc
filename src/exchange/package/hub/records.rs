//! Results of a model as records: of Every Eval Ever 0.3, and for the model's page on a hub.

use std::fmt::Write as _;

use hype_core::model::findings::{Estimate, MeasureFindings};
use hype_core::{Direction, Findings};
use serde_json::{Map, Value, json};

use crate::exchange::error::ExportError;
use crate::exchange::package::citation::quoted;
use crate::exchange::package::descriptor::slug;
use crate::exchange::package::protocol::Protocol;

/// The results of a model.
fn results_of<'a>(
    findings: &'a Findings,
    model: &'a str,
) -> impl Iterator<Item = (&'a MeasureFindings, &'a Estimate)> {
    let of_model = move |found: &'a MeasureFindings| {
        let estimates = found.estimates.iter().filter(move |one| &*one.model == model);
        estimates.map(move |one| (found, one))
    };
    findings.measures.iter().flat_map(of_model)
}

/// A record of Every Eval Ever, made at a time in seconds since 1970. What the program cannot know of the model is `unknown`.
pub(super) fn record(protocol: &Protocol, findings: &Findings, model: &str, now: u64) -> Value {
    let name = slug(&protocol.study.name);
    let version = protocol.software.rsplit(' ').next().unwrap_or("unknown");
    let raters = if protocol.simulated { "synthetic" } else { "people" };
    let results: Vec<Value> = results_of(findings, model)
        .map(|(found, estimate)| result(protocol, &name, found, estimate))
        .collect();
    json!({
        "schema_version": "0.3.0",
        "evaluation_id": format!("{name}/{}/{now}", slug(model)),
        "retrieved_timestamp": now.to_string(),
        "source_metadata": {
            "source_name": protocol.study.name,
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": {
                "raters": raters,
                "study_digest": format!("sha256:{}", protocol.study.study),
                "stimuli_digest": format!("sha256:{}", protocol.study.stimuli),
            },
        },
        "eval_library": { "name": "hype", "version": version },
        "model_info": {
            "name": model,
            "id": model,
            "additional_details": { "deployment_type": "unknown", "model_availability": "unknown" },
        },
        "evaluation_results": results,
    })
}

fn result(protocol: &Protocol, name: &str, found: &MeasureFindings, estimate: &Estimate) -> Value {
    let measure = &found.measure;
    let mut metric = json!({
        "evaluation_description": format!("Human judgments by the task `{}`: {}", protocol.study.task, measure.label),
        "metric_id": format!("hype.{}.{}", protocol.study.task, measure.name),
        "metric_name": measure.label,
        "metric_kind": measure.name,
        "metric_unit": if measure.unit.is_empty() { "points" } else { &*measure.unit },
        "lower_is_better": measure.direction == Direction::Lower,
        "score_type": "continuous",
    });
    let bounds = match &*measure.unit {
        "proportion" => [json!(0), json!(1)],
        _ => [json!("-Infinity"), json!("Infinity")],
    };
    let [least, most] = bounds;
    (metric["min_score"], metric["max_score"]) = (least, most);
    if measure.direction == Direction::Neither {
        metric["additional_details"] = json!({ "better": "neither" });
    }
    json!({
        "evaluation_result_id": format!("{name}/{}", measure.name),
        "evaluation_name": format!("{}: {}", protocol.study.name, measure.label),
        "source_data": {
            "dataset_name": protocol.study.name,
            "source_type": "other",
            "additional_details": { "stimuli_digest": format!("sha256:{}", protocol.study.stimuli) },
        },
        "metric_config": metric,
        "score_details": {
            "score": estimate.value,
            "details": details(found, estimate),
            "uncertainty": uncertainty(estimate),
        },
    })
}

/// Returns the facts for which Every Eval Ever has no fields, as texts.
fn details(found: &MeasureFindings, estimate: &Estimate) -> Map<String, Value> {
    let mut details = Map::new();
    let mut say = |name: &str, text: String| {
        details.insert(name.to_owned(), text.into());
    };
    say("raters", estimate.raters.to_string());
    say("responses", estimate.responses.to_string());
    say("items", found.items.to_string());
    if let Some(interval) = &estimate.interval {
        say("interval_method", interval.method.to_string());
    }
    if let Some(target) = found.generalize_to {
        say("generalizes_to", target.words().to_owned());
    }
    let own =
        |model: &Option<std::sync::Arc<str>>| model.as_ref().is_none_or(|model| *model == estimate.model);
    for agreement in found.agreement.iter().filter(|one| own(&one.model)) {
        if let Some(value) = agreement.value {
            let of = if agreement.model.is_some() { "of this model" } else { "of all models" };
            say(&format!("agreement: {}, {of}", agreement.coefficient), value.to_string());
        }
    }
    details
}

fn uncertainty(estimate: &Estimate) -> Value {
    let mut found = json!({ "num_samples": estimate.raters });
    if let Some(se) = estimate.se.or(estimate.sem) {
        found["standard_error"] = json!({ "value": se, "method": "analytic" });
    }
    if let Some(sd) = estimate.sd {
        found["standard_deviation"] = json!(sd);
    }
    if let Some(interval) = &estimate.interval {
        found["confidence_interval"] = json!({
            "lower": interval.low,
            "upper": interval.high,
            "confidence_level": interval.level,
            "method": interval.method,
        });
    }
    found
}

/// The results of a model in the list that its page on a hub reads. The data set's name on the hub is not known before it is published.
pub(super) fn results(protocol: &Protocol, findings: &Findings, model: &str) -> Result<String, ExportError> {
    let mut text = format!(
        "# Results of {}. Replace OWNER by the account under which this package is published.\n",
        quoted(model)
    );
    for (found, estimate) in results_of(findings, model) {
        let interval = estimate.interval.as_ref().map(|interval| {
            format!(
                ", {:.0} % interval {:.4} to {:.4} ({})",
                100.0 * interval.level,
                interval.low,
                interval.high,
                interval.method
            )
        });
        let raters = if protocol.simulated { "synthetic raters, not people" } else { "raters" };
        let notes = format!(
            "{}{}; {} {raters}{}",
            found.measure.label,
            if found.measure.unit.is_empty() { String::new() } else { format!(" in {}", found.measure.unit) },
            estimate.raters,
            interval.unwrap_or_default()
        );
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "- dataset:\n    id: {}\n    task_id: {}\n  value: {}\n  notes: {}\n",
            quoted(&format!("OWNER/{}", slug(&protocol.study.name))),
            quoted(&found.measure.name),
            serde_json::to_string(&estimate.value)?,
            quoted(&notes)
        );
    }
    Ok(text)
}
