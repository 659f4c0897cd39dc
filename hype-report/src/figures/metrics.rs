//! Whether automated metrics follow people.

use hype_core::model::findings::{Correlation, FEW_MODELS, MeasureFindings, MetricFindings};
use hype_core::words::counted;

use super::key;
use crate::data::{Cell, Data};
use crate::figure::{Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width};
use crate::numbers::p_text;
use crate::numbers::{Style, fixed};
use crate::prose::capital;
use crate::source::{ReportSource, estimate_of};
use crate::words::{self, labelled};

/// Models within which a coefficient is written.
const MOST_WITHIN: usize = 3;
/// The coefficient that the figures name.
const COEFFICIENT: &str = "Spearman's rho";

/// The score against each metric.
pub(super) fn metrics(source: &ReportSource<'_>) -> Vec<Figure> {
    let Some(found) = source.score() else { return Vec::new() };
    source.findings.metrics.iter().filter_map(|metric| scatter(source, found, metric)).collect()
}

fn scatter(source: &ReportSource<'_>, found: &MeasureFindings, metric: &MetricFindings) -> Option<Figure> {
    let style = Style::of(found);
    let label = &metric.measure.label;
    let mut data = Data::new(["model", "metric", "value", "low", "high"]);
    for (model, value) in metric.known() {
        let Some(one) = estimate_of(found, model) else { continue };
        let interval = one.interval.as_ref();
        data.push(
            "model",
            [
                Cell::from(model),
                value.into(),
                one.value.into(),
                interval.map(|interval| interval.low).into(),
                interval.map(|interval| interval.high).into(),
            ],
        );
    }
    let models = data.part("model").count() as u64;
    if models < 2 {
        return None;
    }
    let is_ours = |one: &&Correlation| {
        one.measure == found.measure.name
            && one.with == metric.measure.name
            && one.outputs.is_none()
            && &*one.coefficient == COEFFICIENT
    };
    let within = within(source.findings.correlations.iter().filter(is_ours), source);
    let description =
        source.findings.correlations.iter().filter(is_ours).find(|one| one.within.is_none()).and_then(
            |one| {
                let value = fixed(one.value?, 2);
                let interval = one.interval.as_ref().map_or_else(String::new, |interval| {
                    format!(", interval {} to {}", fixed(interval.low, 2), fixed(interval.high, 2))
                });
                let p = one.p.map(|p| format!(", {}", p_text(p))).unwrap_or_default();
                Some(format!(
                    "{COEFFICIENT} of \"{}\" with {} is {value} over {models} models{interval}{p}.{within}",
                    found.measure.label, label
                ))
            },
        );
    let mut not = "Intervals of the estimates are not part of the coefficient, and models are not a random sample of all models."
        .to_owned();
    if models < FEW_MODELS {
        not.push_str(" With fewer than about ten models, a coefficient says little.");
    }
    Some(Figure {
        id: key("f5", &metric.measure.name),
        title: format!("{} and {}", capital(&words::label(&found.measure)), label),
        reading: Explanation {
            question: format!("Does {} order models as raters do?", label),
            how: "Each dot is a model, bars are the intervals of its estimate.".to_owned(),
            not,
        },
        description: description
            .unwrap_or_else(|| format!("\"{}\" and {} of {models} models.", found.measure.label, label)),
        data,
        chart: FigurePanel {
            tones: source.tones(found.estimates.iter().map(|one| &*one.model)),
            ..FigurePanel::new(
                PanelAxis::numbers(&**label),
                PanelAxis::numbers(labelled(&found.measure)).times(style.factor),
                vec![
                    Mark::interval("model", "metric", ["low", "high"], Width::Thin, Tone::ByModel),
                    Mark::dots("model", ["metric", "value"], Dot::Large, Tone::ByModel),
                    Mark::label("model", ["metric", "value"], "model", Tone::Ink),
                ],
            )
        }
        .alone(),
    })
}

/// The coefficients within models, a sentence each.
fn within<'f>(all: impl Iterator<Item = &'f Correlation>, source: &ReportSource<'_>) -> String {
    let one = |one: &Correlation| {
        let (model, value) = (one.within.as_ref()?, fixed(one.value?, 2));
        let interval = one.interval.as_ref().map_or_else(String::new, |interval| {
            format!(" [{}, {}]", fixed(interval.low, 2), fixed(interval.high, 2))
        });
        let over = counted(one.models as usize, "level");
        Some(format!(" Within {} it is {value}{interval} over {over}.", source.label_of(model)))
    };
    all.filter_map(one).take(MOST_WITHIN).collect()
}
