//! Several criteria of the same comparisons, side by side.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use hype_core::Measure;
use hype_core::model::findings::{Column, MeasureFindings, Table};
use hype_stats::preference::OutcomeCorrelation;
use serde_json::{Value, json};

use super::inference::{check_target, target};
use super::pairs::{PairCounts, PairTally};
use crate::score_rows::distinct;

/// One criterion of comparisons.
pub(super) struct Criterion<'f> {
    /// The measure that raters answered.
    pub(super) measure: &'f Measure,
    /// The name of such measures without the criterion.
    pub(super) prefix: &'static str,
    /// The strengths by this criterion, if there are any.
    pub(super) found: Option<&'f MeasureFindings>,
}

impl Criterion<'_> {
    /// Its key: what follows the prefix in the measure's name.
    fn key(&self) -> &str {
        let suffix = self.measure.name.strip_prefix(self.prefix).unwrap_or_default();
        suffix.strip_prefix('.').unwrap_or(&self.measure.name)
    }
}

/// The tables about several criteria: their strengths side by side, and their correlations. None for a single criterion.
pub(super) fn tables<T: PairTally>(
    criteria: &[Criterion<'_>],
    sums: &PairCounts<T>,
    without: &HashSet<u32>,
    level: f64,
) -> Vec<Table> {
    if criteria.len() < 2 {
        return Vec::new();
    }
    vec![side_by_side(criteria), correlations(criteria, sums, without, level)]
}

/// The strength of every model by each criterion; models in the order of the first.
fn side_by_side(criteria: &[Criterion<'_>]) -> Table {
    let mut rows: Vec<(Arc<str>, Vec<Value>)> = Vec::new();
    let mut place: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for (column, criterion) in criteria.iter().enumerate() {
        for estimate in criterion.found.iter().flat_map(|found| &found.estimates) {
            let row = *place.entry(Arc::clone(&estimate.model)).or_insert_with(|| {
                rows.push((Arc::clone(&estimate.model), vec![Value::Null; criteria.len()]));
                rows.len() - 1
            });
            rows[row].1[column] = json!(estimate.value);
        }
    }
    let of_criterion =
        criteria.iter().map(|criterion| Column::new(criterion.key(), &criterion.measure.label, ""));
    Table {
        name: "criteria".into(),
        label: "strengths by each criterion".into(),
        columns: std::iter::once(Column::new("model", "model", "")).chain(of_criterion).collect(),
        rows: rows
            .into_iter()
            .map(|(model, values)| std::iter::once(json!(model)).chain(values).collect())
            .collect(),
    }
}

/// The correlation of every two criteria over the comparisons that were made by both.
fn correlations<T: PairTally>(
    criteria: &[Criterion<'_>],
    sums: &PairCounts<T>,
    without: &HashSet<u32>,
    level: f64,
) -> Table {
    let pairs = (0..criteria.len()).flat_map(|one| (one + 1..criteria.len()).map(move |other| [one, other]));
    let rows = pairs.map(|pair| {
        let [one, other] = pair.map(|place| &criteria[place]);
        let (joint, generalize_to) = sums.joint([one.measure, other.measure], without);
        let raters = distinct(joint.iter().map(|one| one.rater)) as usize;
        let items = || distinct(joint.iter().map(|one| one.item)) as usize;
        let found = OutcomeCorrelation::new(&joint, target(generalize_to));
        let range = found.as_ref().map_err(Clone::clone).and_then(|found| {
            check_target(raters, items, generalize_to)?;
            found.interval(level)
        });
        let undefined = found.as_ref().err().or(range.as_ref().err()).map(ToString::to_string);
        let range = range.ok();
        vec![
            json!(one.key()),
            json!(other.key()),
            json!(found.ok().map(|found| found.value())),
            json!(range.map(|range| range.lower)),
            json!(range.map(|range| range.upper)),
            json!(joint.iter().map(|one| one.count).sum::<f64>() as u64),
            json!(undefined),
        ]
    });
    let rows: Vec<Vec<Value>> = rows.collect();
    let mut columns = vec![
        Column::new("a", "criterion", ""),
        Column::new("b", "and", ""),
        Column::new("correlation", "correlation", ""),
        Column::new("low", "from", ""),
        Column::new("high", "to", ""),
        Column::new("comparisons", "comparisons", ""),
        Column::new("undefined", "not known because", ""),
    ];
    // Reasons are a column only where there are any.
    let has_reasons = rows.iter().any(|row| row.last().is_some_and(|reason| !reason.is_null()));
    columns.truncate(columns.len() - usize::from(!has_reasons));
    Table {
        name: "criteria_correlation".into(),
        label: format!(
            "correlation of criteria over comparisons, {} % intervals by Fisher's z",
            100.0 * level
        )
        .into(),
        rows: rows.into_iter().map(|row| row.into_iter().take(columns.len()).collect()).collect(),
        columns,
    }
}
