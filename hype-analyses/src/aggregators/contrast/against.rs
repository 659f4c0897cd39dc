//! One model against each of the others: its votes, and how often it was preferred for each time that the other was.

use hype_core::model::findings::{Column, Comparison, Table};
use serde_json::json;

use super::votes::Sample;

/// The votes of the model that every vote is between and another one, with the odds that it is preferred: the ratio of both
/// strengths, with the interval and the p value of their comparison. `None` without such a model.
pub(super) fn table(sample: &Sample, comparisons: &[Comparison]) -> Option<Table> {
    let one = sample.one_of_all?;
    let table = sample.votes.table();
    let row = |pair: &Comparison| {
        let other = sample.models.iter().position(|model| *model == pair.b)?;
        let record = table.record_against(one, other);
        let range = pair.interval.as_ref();
        Some(vec![
            json!(pair.b),
            json!(record.wins),
            json!(record.ties),
            json!(record.losses),
            json!(ratio(pair.difference)),
            json!(range.map(|range| ratio(range.low))),
            json!(range.map(|range| ratio(range.high))),
            json!(pair.p),
        ])
    };
    let rows: Vec<_> = comparisons.iter().filter_map(row).collect();
    (!rows.is_empty()).then(|| Table {
        name: "against".into(),
        label: format!("{} against each other model", sample.models[one]).into(),
        rows,
        columns: vec![
            Column::new("against", "against", ""),
            Column::new("wins", "wins", ""),
            Column::new("ties", "ties", ""),
            Column::new("losses", "losses", ""),
            Column::new("ratio", "odds of being preferred", ""),
            Column::new("low", "from", ""),
            Column::new("high", "to", ""),
            Column::new("p", "p, adjusted", ""),
        ],
    })
}

/// The ratio of two strengths by the difference of their logarithms.
#[expect(clippy::disallowed_methods, reason = "a finding, which decides no trial")]
fn ratio(difference: f64) -> f64 {
    difference.exp()
}
