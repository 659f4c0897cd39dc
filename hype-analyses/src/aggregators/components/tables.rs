//! The tables of `components`.

use std::sync::Arc;

use hype_core::model::findings::{Column, Table};
use hype_stats::components::{EstimationMethod, Source};
use serde_json::{Value, json};

use super::analysis::{Analysis, RELIABILITY};
use crate::aggregators::rated::Rated;

/// The components of each analysis, or the reason why there are none.
pub(super) fn components_table(rated: &Rated, analyses: &[Analysis]) -> Table {
    let mut rows = Vec::new();
    for analysis in analyses {
        let model = scope(rated, analysis);
        match &analysis.found {
            Ok(found) => {
                let method = match found.method {
                    EstimationMethod::MeanSquares => "mean squares",
                    _ => "restricted maximum likelihood",
                };
                rows.extend(found.components.iter().map(|component| {
                    vec![
                        model.clone(),
                        json!(name(component.source)),
                        json!(component.variance),
                        json!(component.share),
                        json!(component.estimate),
                        json!(component.standard_error),
                        json!(if component.at_zero { "yes" } else { "no" }),
                        json!(method),
                        Value::Null,
                    ]
                }));
            }
            Err(error) => {
                let mut row = vec![Value::Null; 9];
                (row[0], row[8]) = (model, json!(error.to_string()));
                rows.push(row);
            }
        }
    }
    Table {
        name: "components".into(),
        label: "Variance components".into(),
        columns: vec![
            Column::new("model", "model (none: all)", ""),
            Column::new("source", "source", ""),
            Column::new("variance", "variance", ""),
            Column::new("share", "share", "proportion"),
            Column::new("estimate", "estimate, which may be negative", ""),
            Column::new("standard_error", "standard error of the estimate", ""),
            Column::new("at_zero", "at 0", ""),
            Column::new("method", "method", ""),
            Column::new("undefined", "undefined because", ""),
        ],
        rows,
    }
}

/// The means of each analysis.
pub(super) fn means_table(level: f64, rated: &Rated, analyses: &[Analysis]) -> Table {
    let mut rows = Vec::new();
    for analysis in analyses {
        let with = if analysis.model.is_none() { "all models" } else { "itself" };
        for mean in analysis.found.iter().flat_map(|found| &found.models) {
            let range = mean.interval(level).ok();
            rows.push(vec![
                json!(rated.models[mean.model]),
                json!(with),
                json!(mean.count),
                json!(mean.mean),
                json!(mean.standard_error),
                json!(mean.degrees_of_freedom),
                json!(range.map(|range| range.lower)),
                json!(range.map(|range| range.upper)),
            ]);
        }
    }
    Table {
        name: "means".into(),
        label: "Means with raters and items random".into(),
        columns: vec![
            Column::new("model", "model", ""),
            Column::new("analysed_with", "analysed with", ""),
            Column::new("responses", "responses", ""),
            Column::new("mean", "mean", ""),
            Column::new("standard_error", "standard error", ""),
            Column::new("df", "degrees of freedom", ""),
            Column::new("low", &format!("low at level {level}"), ""),
            Column::new("high", &format!("high at level {level}"), ""),
        ],
        rows,
    }
}

/// The reliability of the means of items and of models.
pub(super) fn generalizability_table(rated: &Rated, analyses: &[Analysis]) -> Table {
    let mut rows = Vec::new();
    for analysis in analyses {
        if let Some(found) = analysis.of_items() {
            rows.push(vec![
                scope(rated, analysis),
                json!("items"),
                json!(found.raters),
                json!(analysis.items),
                json!(found.object_variance),
                json!(found.relative_error_variance),
                json!(found.absolute_error_variance),
                json!(found.generalizability),
                json!(found.dependability),
                json!(analysis.raters_needed()),
            ]);
        }
        if let Some(found) = analysis.of_models() {
            rows.push(vec![
                scope(rated, analysis),
                json!("models"),
                json!(analysis.raters),
                json!(analysis.items),
                json!(found.variance),
                json!(found.relative_error),
                json!(found.absolute_error),
                json!(found.generalizability),
                json!(found.dependability),
                Value::Null,
            ]);
        }
    }
    Table {
        name: "generalizability".into(),
        label: "Reliability of means by number of raters (and items)".into(),
        columns: vec![
            Column::new("model", "model (none: all)", ""),
            Column::new("object", "means of", ""),
            Column::new("raters", "raters (of an item, or in all)", ""),
            Column::new("items", "items", ""),
            Column::new("object_variance", "variance of the objects", ""),
            Column::new("relative_error_variance", "relative error variance", ""),
            Column::new("absolute_error_variance", "absolute error variance", ""),
            Column::new("generalizability", "generalizability coefficient", ""),
            Column::new("dependability", "index of dependability", ""),
            Column::new("raters_needed", &format!("raters for a coefficient of {RELIABILITY}"), ""),
        ],
        rows,
    }
}

fn scope(rated: &Rated, analysis: &Analysis) -> Value {
    json!(analysis.model.map(|model| Arc::clone(&rated.models[model])))
}

const fn name(source: Source) -> &'static str {
    match source {
        Source::Rater => "rater",
        Source::Item => "item",
        Source::ModelByRater => "model by rater",
        Source::ModelByItem => "model by item",
        Source::RaterByItem => "rater by item",
        _ => "residual",
    }
}
