//! Findings as tables for the terminal.

use hype_core::model::findings::{
    Comparison, Estimate, Findings, Interval, MeasureFindings, NoteClass, Test,
};
use hype_core::model::score::Direction;
use hype_core::words::counted;

use super::failure::Failure;
use super::grid::{Grid, NO_BREAK};
use super::output::Page;

mod checks;
mod conclusions;
mod facets;
mod metrics;
mod more;
mod stopping;

pub(crate) use self::metrics::metrics_on;

/// Prints findings for people.
pub(crate) fn print_findings(findings: &Findings) -> Result<(), Failure> {
    print_simulated(findings, &[])
}

/// Prints findings for people, after the assumptions about synthetic raters.
pub(crate) fn print_simulated(findings: &Findings, assumptions: &[String]) -> Result<(), Failure> {
    let mut page = Page::default();
    for (number, assumption) in assumptions.iter().enumerate() {
        let first = if number == 0 { "assumed: " } else { "" };
        page.line(format_args!("{first:9}{assumption}"));
    }
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
        if collected.screened_out > 0 {
            page.line(format_args!(
                "{} screened out by answers before the task",
                counted(collected.screened_out, "session")
            ));
        }
        if collected.erased > 0 {
            page.line(format_args!(
                "the answers of {} were erased on request and do not count",
                counted(collected.erased, "rater")
            ));
        }
    }
    // Warnings come before the numbers that they are about.
    notes_on(page, findings, "warning", |class| class != NoteClass::Setting);
    if let Some((score, others)) = findings.measures.split_first() {
        score_on(page, score);
        facets::facets_on(page, score);
        if others.iter().any(|found| !found.interactions.is_empty() || !found.trends.is_empty()) {
            page.line(format_args!("\nthe levels of other measures: with --json"));
        }
        others_on(page, score, others);
        others.iter().for_each(|found| conclusions::other_on(page, found));
    }
    findings.measures.iter().for_each(|found| more::rest_on(page, found));
    if let Some(found) = &findings.stopping {
        stopping::looks_on(page, found);
    }
    if !findings.metrics.is_empty() {
        page.line("\nautomated metrics");
        metrics_on(page, &findings.metrics);
    }
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
    notes_on(page, findings, "note", |class| class == NoteClass::Setting);
}

fn notes_on(page: &mut Page, findings: &Findings, name: &str, is_shown: fn(NoteClass) -> bool) {
    for note in findings.notes.iter().filter(|note| is_shown(note.class)) {
        page.line(format_args!("{name}: {}", note.text));
    }
}

fn score_on(page: &mut Page, found: &MeasureFindings) {
    if !found.estimates.is_empty() {
        estimates_on(page, found);
    }
    found.tests.iter().for_each(|test| test_on(page, test));
    comparisons_on(page, found);
    conclusions::score_on(page, found);
}

fn estimates_on(page: &mut Page, found: &MeasureFindings) {
    let measure = &found.measure;
    let direction = match measure.direction {
        Direction::Higher => ", higher is better",
        Direction::Lower => ", lower is better",
        Direction::Neither => "",
    };
    let unit = if measure.unit.is_empty() { String::new() } else { format!(" in {}", measure.unit) };
    let mean = found.mean_over.map(|over| format!(", {}", over.words())).unwrap_or_default();
    page.line(format_args!("\n{}{unit}{mean}{direction}", measure.label));
    let has = |given: fn(&Estimate) -> bool| found.estimates.iter().any(given);
    let (with_error, with_std) =
        (has(|estimate| estimate.se.is_some()), has(|estimate| estimate.bootstrap_sd.is_some()));
    let with_excluded = has(|estimate| estimate.with_excluded.is_some());
    let mut header = vec!["model", "estimate", "interval"];
    header.extend(with_error.then_some("se"));
    header.extend(with_std.then_some("std"));
    header.extend(["sd", "raters", "values"]);
    header.extend(with_excluded.then_some("with excluded"));
    let mut table = Grid::new(header).right_from(1);
    for estimate in &found.estimates {
        let mut row = vec![
            estimate.model.to_string(),
            number(estimate.value),
            estimate.interval.as_ref().map_or_else(|| "-".into(), interval),
        ];
        row.extend(with_error.then(|| optional(estimate.se)));
        row.extend(with_std.then(|| optional(estimate.bootstrap_sd)));
        row.extend([optional(estimate.sd), estimate.raters.to_string(), estimate.responses.to_string()]);
        if with_excluded {
            row.push(estimate.with_excluded.as_ref().map_or_else(
                || "-".into(),
                |with| format!("{} ({})", number(with.value), counted(with.raters, "rater")),
            ));
        }
        table.row(row);
    }
    page.table(&table);
    let about = found.generalize_to.map(|target| format!("; about {}", target.words())).unwrap_or_default();
    for (method, df) in methods(found) {
        let df = if df.is_empty() { String::new() } else { format!(", {df} df") };
        page.line(format_args!("interval: {method}{df}{about}"));
    }
    let mut columns = Vec::new();
    columns.extend(with_error.then_some("se: standard error"));
    columns.extend(with_std.then_some("std: of the bootstrap distribution"));
    columns.extend(has(|estimate| estimate.sd.is_some()).then_some("sd: over raters"));
    if has(|estimate| estimate.interval.is_some()) && !columns.is_empty() {
        page.line(format_args!("{}", columns.join("; ")));
    }
}

/// The methods of the intervals with their levels, and the degrees of freedom of each, from the fewest to the most.
fn methods(found: &MeasureFindings) -> Vec<(String, String)> {
    let mut methods: Vec<(String, Vec<&[f64]>)> = Vec::new();
    for interval in found.estimates.iter().filter_map(|estimate| estimate.interval.as_ref()) {
        let name = format!("{} %, {}", percent(interval.level), interval.method);
        match methods.iter_mut().find(|(known, _)| *known == name) {
            Some((_, all)) => all.push(&interval.df),
            None => methods.push((name, vec![&interval.df])),
        }
    }
    methods
        .into_iter()
        .map(|(name, all)| {
            let parts = all.iter().map(|df| df.len()).min().unwrap_or(0);
            let ranges = (0..parts).map(|part| {
                let own = || all.iter().map(|df| df[part]);
                let (low, high) = (own().fold(f64::INFINITY, f64::min), own().fold(0.0, f64::max));
                let (low, high) = (degrees(low), degrees(high));
                if low == high { low } else { format!("{low} to {high}") }
            });
            (name, ranges.collect::<Vec<_>>().join(" and "))
        })
        .collect()
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
        p_text(test.p),
        effects.concat()
    ));
}

fn comparisons_on(page: &mut Page, found: &MeasureFindings) {
    let comparisons = &found.comparisons;
    let Some(first) = comparisons.first() else { return };
    let header = ["pair", "difference", "interval", &first.statistic_name, "df", "p"];
    let mut table = Grid::new(header).right_from(1);
    for pair in comparisons {
        let [pair_name, difference, range] = compared(pair);
        table.row([
            pair_name,
            difference,
            range,
            optional(pair.statistic),
            pair.df.map_or_else(|| "-".into(), degrees),
            p_value(pair.p),
        ]);
    }
    let family = found.family.as_ref().map(|family| format!("; family: {family}")).unwrap_or_default();
    page.line(format_args!("\npairs: {}{family}", first.method));
    page.table(&table);
}

/// The cells of a comparison: the names of the pair, the difference, and the interval or the reason why it is missing.
fn compared(pair: &Comparison) -> [String; 3] {
    let range = match (&pair.interval, &pair.undefined) {
        (Some(found), _) => interval(found),
        (None, Some(reason)) => reason.to_string(),
        (None, None) => "-".into(),
    };
    [format!("{} - {}", pair.a, pair.b), number(pair.difference), range]
}

/// Writes the other measures, with models side by side in the order of the score's estimates, or one below the other if
/// that is too wide.
fn others_on(page: &mut Page, score: &MeasureFindings, others: &[MeasureFindings]) {
    if others.iter().all(|found| found.estimates.is_empty()) {
        return;
    }
    let mut models: Vec<&str> = Vec::new();
    for estimate in [score].into_iter().chain(others).flat_map(|found| &found.estimates) {
        let is_shown = others.iter().any(|found| estimate_of(found, &estimate.model).is_some());
        if is_shown && !models.contains(&&*estimate.model) {
            models.push(&estimate.model);
        }
    }
    page.line(format_args!("\nother measures, with {} intervals", level_of(others)));
    let mut table = Grid::new([&["measure"][..], &models].concat()).right_from(1);
    for found in others {
        let estimates =
            models.iter().map(|model| estimate_of(found, model).map_or_else(|| "-".into(), estimate_cell));
        table.row([label(found)].into_iter().chain(estimates));
    }
    if !table.fits(page.width()) {
        table = Grid::new(["measure", "model", "estimate", "interval"]).right_from(2);
        for found in others {
            for estimate in models.iter().filter_map(|model| estimate_of(found, model)) {
                table.row([
                    label(found),
                    estimate.model.to_string(),
                    number(estimate.value),
                    estimate.interval.as_ref().map_or_else(|| "-".into(), interval),
                ]);
            }
        }
    }
    page.table(&table);
}

fn estimate_of<'f>(found: &'f MeasureFindings, model: &str) -> Option<&'f Estimate> {
    found.estimates.iter().find(|estimate| &*estimate.model == model)
}

fn estimate_cell(estimate: &Estimate) -> String {
    match &estimate.interval {
        Some(found) => format!("{}{NO_BREAK}{}", number(estimate.value), interval(found)),
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
    format!("[{},{NO_BREAK}{}]", number(interval.low), number(interval.high))
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), number)
}

/// Formats with one decimal from 100, two from 10, otherwise four, and tiny numbers with an exponent.
pub(crate) fn number(value: f64) -> String {
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

/// A share in percent, without rounding artefacts.
pub(crate) fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

fn degrees(df: f64) -> String {
    if (df - df.round()).abs() < 1e-9 { format!("{df:.0}") } else { format!("{df:.2}") }
}

/// A p value in a sentence, such as `p = 0.0300` or `p < 1e-300`.
fn p_text(p: Option<f64>) -> String {
    match &*p_value(p) {
        small if small.starts_with('<') => format!("p {small}"),
        p => format!("p = {p}"),
    }
}

fn p_value(p: Option<f64>) -> String {
    match p {
        None => "-".into(),
        Some(p) if p >= 1e-4 => format!("{p:.4}"),
        Some(p) if p >= 1e-300 => format!("{p:.1e}"),
        Some(_) => "< 1e-300".into(),
    }
}
