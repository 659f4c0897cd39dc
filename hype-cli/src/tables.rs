//! Findings as tables for the terminal.

use std::io::IsTerminal as _;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table, TableComponent};
use hype_core::model::findings::{Comparison, Estimate, Findings, Interval, MeasureFindings, Test, Weight};
use hype_core::model::score::Direction;
use hype_core::words::counted;

use super::failure::Failure;
use super::output::Page;

mod checks;
mod more;

/// The width of tables that are not printed on a terminal.
const WIDTH: u16 = 110;

/// Up to this many models are set side by side.
const SIDE_BY_SIDE: usize = 6;

/// An empty table that fits the terminal.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    for line in [
        TableComponent::TopBorder,
        TableComponent::HeaderLines,
        TableComponent::MiddleHeaderIntersections,
        TableComponent::TopBorderIntersections,
        TableComponent::BottomBorder,
        TableComponent::BottomBorderIntersections,
    ] {
        table.set_style(line, '─');
    }
    if !std::io::stdout().is_terminal() {
        table.set_width(WIDTH);
    }
    table.set_header(header);
    table
}

fn right_from(table: &mut Table, first: usize) {
    for column in table.column_iter_mut().skip(first) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

/// Prints findings for people.
pub(crate) fn print_findings(findings: &Findings) -> Result<(), Failure> {
    let mut page = Page::default();
    findings_on(&mut page, findings);
    page.print()
}

fn findings_on(page: &mut Page, findings: &Findings) {
    if let Some(study) = &findings.study {
        page.line(format_args!(
            "{}: {} version {}, seed {}, study {}, spec {}",
            study.name,
            study.task,
            study.task_version,
            study.seed,
            study.study.short(),
            study.spec.short()
        ));
    }
    if let Some(collected) = &findings.collected {
        page.line(format_args!(
            "{} of {} completed; sessions: {} disqualified, {} left, {} excluded, {} unfinished; {}",
            collected.completed.saturating_sub(collected.excluded),
            counted(collected.places, "place"),
            collected.disqualified,
            collected.left,
            collected.excluded,
            collected.running,
            counted(collected.responses, "answer")
        ));
    }
    if let Some((score, others)) = findings.measures.split_first() {
        score_on(page, score);
        others_on(page, others);
    }
    findings.measures.iter().for_each(|found| more::rest_on(page, found));
    more::correlations_on(page, &findings.correlations);
    checks::checks_on(page, &findings.checks);
    if let Some(earnings) = &findings.earnings {
        page.line(format_args!(
            "\nearned in {}: {} {}",
            counted(earnings.raters.len(), "session"),
            earnings.total,
            earnings.currency
        ));
    }
    if !findings.notes.is_empty() {
        page.line(format_args!(""));
    }
    for note in &findings.notes {
        let weight = match note.weight {
            Weight::Warning => "warning",
            Weight::Note => "note",
        };
        page.line(format_args!("{weight}: {}", note.text));
    }
}

fn score_on(page: &mut Page, found: &MeasureFindings) {
    if !found.estimates.is_empty() {
        estimates_on(page, found);
    }
    found.tests.iter().for_each(|test| test_on(page, test));
    comparisons_on(page, &found.comparisons);
}

fn estimates_on(page: &mut Page, found: &MeasureFindings) {
    let measure = &found.measure;
    let direction = match measure.direction {
        Direction::Higher => ", higher is better",
        Direction::Lower => ", lower is better",
        Direction::Neither => "",
    };
    let unit = if measure.unit.is_empty() { String::new() } else { format!(" in {}", measure.unit) };
    page.line(format_args!("\n{}{unit}{direction}", measure.label));
    let with_excluded = found.estimates.iter().any(|estimate| estimate.with_excluded.is_some());
    let mut header = vec!["model", "estimate", "interval", "std", "sd", "raters", "values"];
    if with_excluded {
        header.push("with excluded");
    }
    let mut table = table(&header);
    right_from(&mut table, 1);
    for estimate in &found.estimates {
        let mut row = vec![
            estimate.model.to_string(),
            number(estimate.value),
            estimate.interval.as_ref().map_or_else(|| "-".into(), interval),
            optional(estimate.bootstrap_sd),
            optional(estimate.sd),
            estimate.raters.to_string(),
            estimate.responses.to_string(),
        ];
        if with_excluded {
            row.push(estimate.with_excluded.as_ref().map_or_else(
                || "-".into(),
                |with| format!("{} ({})", number(with.value), counted(with.raters, "rater")),
            ));
        }
        table.add_row(row);
    }
    page.line(format_args!("{table}"));
    if let Some(interval) = found.estimates.iter().find_map(|estimate| estimate.interval.as_ref()) {
        page.line(format_args!(
            "interval: {} %, {}; std: of the bootstrap distribution; sd: over raters",
            percent(interval.level),
            interval.method
        ));
    }
}

fn test_on(page: &mut Page, test: &Test) {
    if let Some(reason) = &test.undefined {
        page.line(format_args!("{}: not defined: {reason}", test.name));
        return;
    }
    let df: Vec<String> = test.df.iter().map(|&df| degrees(df)).collect();
    let effects: Vec<String> =
        test.effects.iter().map(|effect| format!(", {} {}", effect.name, number(effect.value))).collect();
    page.line(format_args!(
        "{}: {}({}) = {}, {}{}",
        test.name,
        test.statistic_name,
        df.join(", "),
        optional(test.statistic),
        match &*p_value(test.p) {
            small if small.starts_with('<') => format!("p {small}"),
            p => format!("p = {p}"),
        },
        effects.concat()
    ));
}

fn comparisons_on(page: &mut Page, comparisons: &[Comparison]) {
    let Some(first) = comparisons.first() else { return };
    let mut table = table(&["pair", "difference", "interval", &first.statistic_name, "df", "p"]);
    right_from(&mut table, 1);
    for pair in comparisons {
        table.add_row([
            format!("{} - {}", pair.a, pair.b),
            number(pair.difference),
            match (&pair.interval, &pair.undefined) {
                (Some(found), _) => interval(found),
                (None, Some(reason)) => reason.to_string(),
                (None, None) => "-".into(),
            },
            optional(pair.statistic),
            pair.df.map_or_else(|| "-".into(), degrees),
            p_value(pair.p),
        ]);
    }
    page.line(format_args!("\npairs: {}", first.method));
    page.line(format_args!("{table}"));
}

/// The other measures, models side by side where they fit.
fn others_on(page: &mut Page, others: &[MeasureFindings]) {
    let mut models: Vec<&str> =
        others.iter().flat_map(|found| &found.estimates).map(|estimate| &*estimate.model).collect();
    models.sort_unstable();
    models.dedup();
    if models.is_empty() {
        return;
    }
    page.line(format_args!("\nbeside it, with {} intervals", level_of(others)));
    if models.len() > SIDE_BY_SIDE {
        let mut table = table(&["measure", "model", "estimate", "interval"]);
        right_from(&mut table, 2);
        for found in others {
            for estimate in &found.estimates {
                table.add_row([
                    label(found),
                    estimate.model.to_string(),
                    number(estimate.value),
                    estimate.interval.as_ref().map_or_else(|| "-".into(), interval),
                ]);
            }
        }
        page.line(format_args!("{table}"));
        return;
    }
    let mut header = vec!["measure"];
    header.extend(&models);
    let mut table = table(&header);
    right_from(&mut table, 1);
    for found in others {
        let mut row = vec![label(found)];
        row.extend(models.iter().map(|model| {
            found
                .estimates
                .iter()
                .find(|estimate| &*estimate.model == *model)
                .map_or_else(|| "-".into(), estimate_cell)
        }));
        table.add_row(row);
    }
    page.line(format_args!("{table}"));
}

fn estimate_cell(estimate: &Estimate) -> String {
    match &estimate.interval {
        Some(found) => format!("{} {}", number(estimate.value), interval(found)),
        None => number(estimate.value),
    }
}

fn label(found: &MeasureFindings) -> String {
    match &*found.measure.unit {
        "ms" => format!("{}, ms", found.measure.label),
        _ => found.measure.label.to_string(),
    }
}

fn level_of(findings: &[MeasureFindings]) -> String {
    findings
        .iter()
        .flat_map(|found| &found.estimates)
        .find_map(|estimate| estimate.interval.as_ref())
        .map_or_else(|| "no".into(), |interval| format!("{} %", percent(interval.level)))
}

fn interval(interval: &Interval) -> String {
    format!("[{}, {}]", number(interval.low), number(interval.high))
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), number)
}

/// One decimal from 100 on, two from 10 on, else four; tiny numbers with an exponent.
fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        value.to_string()
    } else if size >= 100.0 {
        format!("{value:.1}")
    } else if size >= 10.0 {
        format!("{value:.2}")
    } else if !(1e-12..0.001).contains(&size) {
        format!("{value:.4}")
    } else {
        format!("{value:.3e}")
    }
}

/// A share in percent, without the last digits of its binary form.
fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

fn degrees(df: f64) -> String {
    if (df - df.round()).abs() < 1e-9 { format!("{df:.0}") } else { format!("{df:.2}") }
}

fn p_value(p: Option<f64>) -> String {
    match p {
        None => "-".into(),
        Some(p) if p >= 1e-4 => format!("{p:.4}"),
        Some(p) if p >= 1e-300 => format!("{p:.1e}"),
        Some(_) => "< 1e-300".into(),
    }
}
