//! Findings other than estimates: agreement, tables of aggregators, and correlations.

use hype_core::model::findings::{Correlation, MeasureFindings, Table};
use hype_core::words::counted;
use serde_json::Value;

use crate::grid::Grid;

use super::{Page, interval, label, number, optional, p_value};

/// The number of table rows printed; the JSON findings contain all of them.
const ROWS: usize = 30;

/// Writes the agreement of raters on a measure, and its tables.
pub(super) fn rest_on(page: &mut Page, found: &MeasureFindings) {
    agreement_on(page, found);
    found.tables.iter().for_each(|one| table_on(page, found, one));
}

fn agreement_on(page: &mut Page, found: &MeasureFindings) {
    if found.agreement.is_empty() {
        return;
    }
    page.line(format_args!("\nagreement of raters: {}", label(found)));
    let left_out = found.agreement.iter().any(|one| one.items_left_out > 0);
    let mut header = vec!["coefficient", "model", "value", "interval", "raters", "items", "ratings"];
    header.extend(left_out.then_some("items omitted"));
    let mut table = Grid::new(header).right_from(2);
    for one in &found.agreement {
        let mut row = vec![
            one.coefficient.to_string(),
            one.model.as_ref().map_or_else(|| "all".into(), ToString::to_string),
            optional(one.value),
            match (&one.interval, &one.undefined) {
                (Some(found), _) => interval(found),
                (None, Some(reason)) => reason.to_string(),
                (None, None) => "-".into(),
            },
            one.raters.to_string(),
            one.items.to_string(),
            one.ratings.to_string(),
        ];
        row.extend(left_out.then(|| one.items_left_out.to_string()));
        table.row(row);
    }
    page.table(&table);
}

fn table_on(page: &mut Page, found: &MeasureFindings, one: &Table) {
    page.line(format_args!("\n{}: {}", found.measure.label, one.label));
    let header: Vec<String> = one
        .columns
        .iter()
        .map(|column| match &*column.unit {
            "" => column.label.to_string(),
            unit => format!("{}, {unit}", column.label),
        })
        .collect();
    let mut table = Grid::new(header);
    for place in 0..one.columns.len() {
        if !one.rows.iter().any(|row| row.get(place).is_some_and(Value::is_string)) {
            table.right(place);
        }
    }
    for row in one.rows.iter().take(ROWS) {
        table.row(row.iter().map(cell));
    }
    page.table(&table);
    if let Some(rest) = one.rows.len().checked_sub(ROWS).filter(|&rest| rest > 0) {
        page.line(format_args!("{} with --json", counted(rest, "more row")));
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Number(given) if given.is_f64() => optional(given.as_f64()),
        other => other.to_string(),
    }
}

/// Writes the correlations of estimates with other measures of the models.
pub(super) fn correlations_on(page: &mut Page, correlations: &[Correlation]) {
    if correlations.is_empty() {
        return;
    }
    rows_on(page, correlations);
    let of = |is_of_outputs: bool| {
        let mut chosen = correlations.iter().filter(move |one| one.outputs.is_some() == is_of_outputs);
        chosen.find_map(|one| one.interval.as_ref())
    };
    for one in [of(false), of(true)].into_iter().flatten() {
        let how = one.method.split(", seed").next().unwrap_or_default();
        page.line(format_args!("interval: {} %, {how}", super::percent(one.level)));
    }
}

fn rows_on(page: &mut Page, correlations: &[Correlation]) {
    page.line(format_args!("\ncorrelations over models, and over levels or outputs where that is said"));
    let header = ["measure", "with", "coefficient", "value", "interval", "models", "p", "adjusted p"];
    let mut table = Grid::new(header).right_from(3);
    for one in correlations {
        table.row([
            one.measure.to_string(),
            one.with.to_string(),
            one.coefficient.to_string(),
            one.value.map_or_else(|| "-".into(), number),
            match (&one.interval, &one.undefined) {
                (Some(found), _) => interval(found),
                (None, Some(reason)) => reason.to_string(),
                (None, None) => "-".into(),
            },
            match (one.outputs, &one.within) {
                (Some(outputs), _) => format!("{} ({outputs} outputs)", one.models),
                (None, Some(model)) => format!("{} levels of {model}", one.models),
                (None, None) => one.models.to_string(),
            },
            p_value(one.p),
            p_value(one.p_adjusted),
        ]);
    }
    page.table(&table);
    let mut families: Vec<&str> = correlations.iter().filter_map(|one| one.family.as_deref()).collect();
    families.dedup();
    if !families.is_empty() {
        page.line(format_args!("adjusted p: Holm; a family each: {}", families.join(", ")));
    }
}
