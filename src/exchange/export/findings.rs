//! Findings as one tidy table.

use std::io::Write;
use std::sync::Arc;

use hype_core::model::findings::{
    AgainstReal, AgainstReference, Agreement, Comparison, Correlation, Estimate, FacetTrend, Findings,
    GeneralizeTo, Interval, MarginTest, MeasureFindings, MetricFindings, ModelMetric, RankFindings, Test,
    WeightedMeans,
};
use hype_core::{Direction, Measure};
use serde::Serialize;
use serde_json::Value;

use crate::exchange::error::ExportError;
use crate::exchange::layout::FINDINGS;
use crate::exchange::rows::RowWriter;

/// The kinds of rows in exported findings: the values of the column `kind`.
pub const FINDING_KINDS: [&str; 17] = [
    "estimate",
    "ranks",
    "marginal-ranks",
    "resampled-lead",
    "test",
    "effect",
    "comparison",
    "against-reference",
    "against-real",
    "agreement",
    "macro-mean",
    "weighted-mean",
    "design-effect",
    "trend",
    "correlation",
    "output-correlation",
    "metric",
];

/// Writes findings in the layout [`FINDINGS`](crate::exchange::layout::FINDINGS): a row for each estimate, test, effect size,
/// comparison, range of ranks, coefficient of agreement, trend, correlation and automated metric, with the numbers of the findings; those at a
/// level of a facet name the facet and the level. What is not known is empty. Notes, exclusions and the tables of aggregators
/// are not part of it. Returns the number of rows.
///
/// # Errors
/// If a row cannot be written.
pub fn findings<W: Write + Send>(findings: &Findings, out: &mut RowWriter<W>) -> Result<u64, ExportError> {
    let rows = finding_rows(findings)?;
    rows.iter().try_for_each(|row| out.write(row))?;
    Ok(rows.len() as u64)
}

/// The cells of each row of findings.
pub(in crate::exchange) fn finding_rows(findings: &Findings) -> Result<Vec<Vec<Value>>, ExportError> {
    let mut rows = Vec::new();
    for found in &findings.measures {
        of_measure(found, &mut rows);
    }
    for correlation in &findings.correlations {
        let found = findings.measures.iter().find(|found| found.measure.name == correlation.measure);
        rows.push(of_correlation(correlation, found.map(|found| &found.measure)));
    }
    for metric in &findings.metrics {
        rows.extend(metric.values.iter().map(|value| of_metric(metric, value)));
    }
    rows.iter().map(FindingRow::cells).collect()
}

/// A row; its fields are the columns of the layout.
#[derive(Debug, Clone, Default, Serialize)]
struct FindingRow<'a> {
    measure: &'a str,
    label: &'a str,
    unit: &'a str,
    better: Option<Direction>,
    kind: &'static str,
    method: Option<&'a str>,
    model: Option<&'a str>,
    against: Option<&'a str>,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    level: Option<f64>,
    interval_method: Option<&'a str>,
    interval_df1: Option<f64>,
    interval_df2: Option<f64>,
    bound: Option<f64>,
    se: Option<f64>,
    sd: Option<f64>,
    sem: Option<f64>,
    bootstrap_sd: Option<f64>,
    statistic_name: Option<&'a str>,
    statistic: Option<f64>,
    df1: Option<f64>,
    df2: Option<f64>,
    p: Option<f64>,
    p_adjusted: Option<f64>,
    margin: Option<f64>,
    margin_p: Option<f64>,
    within_margin: Option<bool>,
    smallest_margin: Option<f64>,
    family: Option<&'a str>,
    generalize_to: Option<&'static str>,
    models: Option<u64>,
    raters: Option<u64>,
    items: Option<u64>,
    responses: Option<u64>,
    value_with_excluded: Option<f64>,
    raters_with_excluded: Option<u64>,
    undefined: Option<&'a str>,
    facet: Option<&'a str>,
    facet_level: Option<&'a str>,
}

impl<'a> FindingRow<'a> {
    fn of(measure: &'a Measure, kind: &'static str) -> Self {
        Self {
            measure: &measure.name,
            label: &measure.label,
            unit: &measure.unit,
            better: Some(measure.direction),
            kind,
            ..Self::default()
        }
    }

    fn interval(self, interval: Option<&'a Interval>) -> Self {
        let Some(Interval { low, high, level, method, df }) = interval else { return self };
        Self {
            low: Some(*low),
            high: Some(*high),
            level: Some(*level),
            interval_method: Some(method),
            interval_df1: df.first().copied(),
            interval_df2: df.get(1).copied(),
            ..self
        }
    }

    fn df(self, df: &[f64]) -> Self {
        Self { df1: df.first().copied(), df2: df.get(1).copied(), ..self }
    }

    fn margin(self, margin: Option<f64>, test: Option<MarginTest>, smallest: Option<f64>) -> Self {
        Self {
            margin,
            margin_p: test.map(|test| test.p),
            within_margin: test.map(|test| test.shown),
            smallest_margin: smallest,
            ..self
        }
    }

    /// The cells in the order of the layout.
    fn cells(&self) -> Result<Vec<Value>, ExportError> {
        let mut fields = serde_json::to_value(self)?;
        Ok(FINDINGS.names().map(|name| fields[name].take()).collect())
    }
}

fn text(text: &Option<Arc<str>>) -> Option<&str> {
    text.as_deref()
}

/// Adds the rows of one measure.
fn of_measure<'a>(found: &'a MeasureFindings, rows: &mut Vec<FindingRow<'a>>) {
    let measure = &found.measure;
    let generalize_to = found.generalize_to.map(GeneralizeTo::name);
    let begin = rows.len();
    rows.extend(found.estimates.iter().map(|estimate| of_estimate(measure, estimate)));
    if let Some(ranks) = &found.ranks {
        add_ranks(measure, ranks, rows);
    }
    if let Some(resampled) = &found.resampled_orders {
        rows.extend(resampled.lead.iter().map(|lead| FindingRow {
            method: Some(&resampled.units),
            model: Some(&lead.model),
            value: Some(lead.share),
            ..FindingRow::of(measure, "resampled-lead")
        }));
    }
    found.tests.iter().for_each(|test| add_test(measure, test, rows));
    rows.extend(found.comparisons.iter().map(|pair| of_comparison(measure, pair, text(&found.family))));
    if let Some(against) = &found.against_reference {
        add_against_reference(measure, against, rows);
    }
    if let Some(against) = &found.against_real {
        add_against_real(measure, against, rows);
    }
    add_facets(found, rows);
    rows[begin..].iter_mut().for_each(|row| row.generalize_to = generalize_to);
    rows.extend(found.agreement.iter().map(|agreement| of_agreement(measure, agreement)));
}

/// Adds what is found at each level of facets, over levels and along them.
fn add_facets<'a>(found: &'a MeasureFindings, rows: &mut Vec<FindingRow<'a>>) {
    let measure = &found.measure;
    for at in &found.facets {
        let begin = rows.len();
        rows.extend(at.estimates.iter().map(|estimate| of_estimate(measure, estimate)));
        at.tests.iter().for_each(|test| add_test(measure, test, rows));
        rows.extend(at.comparisons.iter().map(|pair| of_comparison(measure, pair, text(&at.family))));
        for row in &mut rows[begin..] {
            (row.facet, row.facet_level) = (Some(&*at.facet), Some(&*at.level));
        }
    }
    for together in &found.interactions {
        let begin = rows.len();
        together.test.iter().for_each(|test| add_test(measure, test, rows));
        rows.extend(
            together
                .macro_means
                .iter()
                .map(|mean| FindingRow { kind: "macro-mean", ..of_estimate(measure, mean) }),
        );
        if let Some(WeightedMeans { estimates, design_effects, comparisons, family, .. }) = &together.weighted
        {
            rows.extend(
                estimates
                    .iter()
                    .map(|mean| FindingRow { kind: "weighted-mean", ..of_estimate(measure, mean) }),
            );
            rows.extend(design_effects.iter().map(|(model, &effect)| FindingRow {
                model: Some(model),
                value: Some(effect),
                ..FindingRow::of(measure, "design-effect")
            }));
            rows.extend(comparisons.iter().map(|pair| of_comparison(measure, pair, text(family))));
        }
        rows[begin..].iter_mut().for_each(|row| row.facet = Some(&together.facet));
    }
    found.trends.iter().for_each(|trend| add_trend(measure, trend, rows));
}

/// Adds the trend, and the test of departure from it as a row of its own.
fn add_trend<'a>(measure: &'a Measure, trend: &'a FacetTrend, rows: &mut Vec<FindingRow<'a>>) {
    let FacetTrend { model, facet, scale, slope, se, interval, t, df, p, p_adjusted, departure, undefined } =
        trend;
    rows.push(FindingRow {
        method: Some(scale.name()),
        model: Some(model),
        value: *slope,
        se: *se,
        statistic_name: Some("t"),
        statistic: *t,
        df1: *df,
        p: *p,
        p_adjusted: *p_adjusted,
        undefined: text(undefined),
        facet: Some(facet),
        ..FindingRow::of(measure, "trend").interval(interval.as_ref())
    });
    let begin = rows.len();
    departure.iter().for_each(|test| add_test(measure, test, rows));
    for row in &mut rows[begin..] {
        (row.model, row.facet) = (Some(&**model), Some(&**facet));
    }
}

fn of_estimate<'a>(measure: &'a Measure, estimate: &'a Estimate) -> FindingRow<'a> {
    // What raters stand for in an estimate is for figures, and in findings.json.
    let Estimate {
        model,
        value,
        interval,
        bootstrap_sd,
        sd,
        sem,
        se,
        raters,
        responses,
        with_excluded,
        pseudo_values: _,
    } = estimate;
    FindingRow {
        model: Some(model),
        value: Some(*value),
        se: *se,
        sd: *sd,
        sem: *sem,
        bootstrap_sd: *bootstrap_sd,
        raters: Some(*raters),
        responses: Some(*responses),
        value_with_excluded: with_excluded.as_ref().map(|with| with.value),
        raters_with_excluded: with_excluded.as_ref().map(|with| with.raters),
        ..FindingRow::of(measure, "estimate").interval(interval.as_ref())
    }
}

/// Adds the test, and its effect sizes as rows of their own.
fn add_test<'a>(measure: &'a Measure, test: &'a Test, rows: &mut Vec<FindingRow<'a>>) {
    let Test { name, statistic_name, statistic, df, p, p_adjusted, effects, undefined } = test;
    rows.push(FindingRow {
        method: Some(name),
        statistic_name: Some(statistic_name),
        statistic: *statistic,
        p: *p,
        p_adjusted: *p_adjusted,
        undefined: text(undefined),
        ..FindingRow::of(measure, "test").df(df)
    });
    rows.extend(effects.iter().map(|effect| FindingRow {
        method: Some(name),
        statistic_name: Some(&effect.name),
        value: Some(effect.value),
        ..FindingRow::of(measure, "effect")
    }));
}

fn of_comparison<'a>(measure: &'a Measure, pair: &'a Comparison, family: Option<&'a str>) -> FindingRow<'a> {
    let Comparison { method, a, b, difference, interval, statistic_name, statistic, se, df, p, undefined } =
        pair;
    FindingRow {
        method: Some(method),
        model: Some(a),
        against: Some(b),
        value: Some(*difference),
        se: *se,
        statistic_name: Some(statistic_name),
        statistic: *statistic,
        df1: *df,
        p: *p,
        family,
        undefined: text(undefined),
        ..FindingRow::of(measure, "comparison").interval(interval.as_ref())
    }
}

fn add_ranks<'a>(measure: &'a Measure, ranks: &'a RankFindings, rows: &mut Vec<FindingRow<'a>>) {
    for model in &ranks.models {
        for (kind, range) in [("ranks", model.simultaneous), ("marginal-ranks", model.marginal)] {
            rows.push(FindingRow {
                method: Some(&ranks.method),
                model: Some(&model.model),
                low: Some(range.best as f64),
                high: Some(range.worst as f64),
                level: Some(ranks.level),
                ..FindingRow::of(measure, kind)
            });
        }
    }
}

fn add_against_reference<'a>(
    measure: &'a Measure,
    against: &'a AgainstReference,
    rows: &mut Vec<FindingRow<'a>>,
) {
    rows.extend(against.models.iter().map(|model| FindingRow {
        model: Some(&model.model),
        against: Some(&against.reference.label).map(|label| &**label).filter(|label| !label.is_empty()),
        value: Some(model.difference),
        level: Some(against.level),
        p: model.p,
        family: text(&against.family),
        undefined: text(&model.undefined),
        ..FindingRow::of(measure, "against-reference").interval(model.interval.as_ref()).margin(
            against.margin,
            model.within_margin,
            model.smallest_margin,
        )
    }));
}

fn add_against_real<'a>(measure: &'a Measure, against: &'a AgainstReal, rows: &mut Vec<FindingRow<'a>>) {
    rows.extend(against.models.iter().map(|model| FindingRow {
        method: Some(&against.method),
        model: Some(&model.model),
        against: Some(&model.real),
        value: Some(model.difference),
        level: Some(against.level),
        bound: model.bound,
        se: model.se,
        family: text(&against.family),
        undefined: text(&model.undefined),
        ..FindingRow::of(measure, "against-real").df(&model.df).margin(
            against.margin,
            model.within_margin,
            model.smallest_margin,
        )
    }));
}

fn of_agreement<'a>(measure: &'a Measure, agreement: &'a Agreement) -> FindingRow<'a> {
    let Agreement {
        coefficient,
        model,
        value,
        interval,
        raters,
        items,
        ratings,
        items_left_out: _,
        undefined,
    } = agreement;
    FindingRow {
        method: Some(coefficient),
        model: text(model),
        value: *value,
        raters: Some(*raters),
        items: Some(*items),
        responses: Some(*ratings),
        undefined: text(undefined),
        ..FindingRow::of(measure, "agreement").interval(interval.as_ref())
    }
}

fn of_correlation<'a>(correlation: &'a Correlation, measure: Option<&'a Measure>) -> FindingRow<'a> {
    let Correlation {
        measure: name,
        with,
        coefficient,
        within,
        models,
        outputs,
        value,
        interval,
        p,
        p_adjusted,
        family,
        undefined,
    } = correlation;
    let kind = if outputs.is_some() { "output-correlation" } else { "correlation" };
    let row = match measure {
        Some(measure) => FindingRow::of(measure, kind),
        None => FindingRow { measure: name, kind, ..FindingRow::default() },
    };
    FindingRow {
        method: Some(coefficient),
        model: text(within),
        against: Some(with),
        value: *value,
        p: *p,
        p_adjusted: *p_adjusted,
        family: text(family),
        models: Some(*models),
        items: *outputs,
        undefined: text(undefined),
        ..row.interval(interval.as_ref())
    }
}

fn of_metric<'a>(metric: &'a MetricFindings, of_model: &'a ModelMetric) -> FindingRow<'a> {
    let ModelMetric { model, value, undefined, interval, units, details: _, cautions: _ } = of_model;
    FindingRow {
        model: Some(model),
        value: *value,
        items: *units,
        undefined: text(undefined),
        ..FindingRow::of(&metric.measure, "metric").interval(interval.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_columns_are_the_fields_of_a_row() {
        let row = serde_json::to_value(FindingRow::default()).unwrap();
        let fields: BTreeSet<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(FINDINGS.names().collect::<BTreeSet<_>>(), fields);
        assert_eq!(FINDINGS.columns.len(), fields.len());
    }

    #[test]
    fn numbers_that_do_not_exist_are_empty() {
        let row = FindingRow { value: Some(f64::NAN), p: None, ..FindingRow::default() };
        let place = |name: &str| FINDINGS.names().position(|column| column == name).unwrap();
        let cells = row.cells().unwrap();
        assert_eq!((&cells[place("value")], &cells[place("p")]), (&Value::Null, &Value::Null));
    }
}
