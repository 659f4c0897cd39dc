//! Findings as text for the terminal: one screen, and on demand everything.

use std::path::PathBuf;

use hype_core::Study;
use hype_core::model::findings::{Comparison, Estimate, Findings, Interval, MeasureFindings, Note, Test};
use hype_core::model::score::Direction;
use hype_core::words::counted;
use hype_report::{mark, words};

use super::args::ReportArguments;
use super::failure::Failure;
use super::grid::{Grid, NO_BREAK};
use super::output::Page;

mod checks;
mod conclusions;
mod facets;
mod metrics;
mod models;
mod more;
mod screen;
mod stopping;
mod strip;

pub(crate) use self::metrics::metrics_on;
pub(crate) use self::screen::wrapped_after;

/// Findings, and what is said with them.
pub(crate) struct Told<'a> {
    pub(crate) findings: &'a Findings,
    /// The study, whose models have colours by their order.
    pub(crate) study: Option<&'a Study>,
    /// The table that they are from, if they are of no study.
    pub(crate) table: Option<String>,
    /// Assumptions about synthetic raters.
    pub(crate) assumptions: Vec<String>,
    /// Where files are, and how to go on.
    pub(crate) files: Vec<String>,
    /// The page of the report, if there is one.
    pub(crate) report: Option<PathBuf>,
}

impl Told<'_> {
    /// Prints the findings as the arguments ask.
    pub(crate) fn print(&self, arguments: &ReportArguments) -> Result<(), Failure> {
        let mut page = Page::default();
        self.put_on(&mut page, arguments);
        page.print()
    }

    /// Adds the findings to a page as the arguments ask.
    pub(crate) fn put_on(&self, page: &mut Page, arguments: &ReportArguments) {
        if arguments.quiet {
            self.report.iter().for_each(|path| page.line(path.display()));
        } else if arguments.notes {
            notes_on(page, self.findings);
        } else {
            let width = page.width().min(screen::COLUMNS);
            for (line, model) in screen::screen(self, width) {
                page.dotted(line, model.map(|model| self.place(model)));
            }
            if arguments.full {
                full_on(page, self);
            }
        }
    }

    /// The place of a model among the study's sets, or among the names of a table's models.
    fn place(&self, model: &str) -> usize {
        let mut names: Vec<&str> = match self.study {
            Some(study) => {
                study.models().iter().filter_map(|&id| Some(&*study.stimuli().set(id)?.name)).collect()
            }
            None => {
                self.findings.measures.iter().flat_map(|one| &one.estimates).map(|one| &*one.model).collect()
            }
        };
        if self.study.is_none() {
            names.sort_unstable();
            names.dedup();
        }
        let is_model = |set: &&str| *set == model || model.split('/').any(|part| part == *set);
        names.iter().position(is_model).unwrap_or(usize::MAX)
    }
}

/// A note's text with the measures that it concerns besides the study's score.
fn noted(note: &Note, findings: &Findings) -> String {
    let is_score = |name: &str| findings.measures.first().is_some_and(|score| *score.measure.name == *name);
    let found = |name: &str| findings.measures.iter().find(|found| *found.measure.name == *name);
    match note.measures.as_slice() {
        [] => note.text.to_string(),
        [one] if is_score(one) => note.text.to_string(),
        [one] => {
            let name = found(one).map_or_else(
                || one.to_string(),
                |found| match words::criterion(&found.measure) {
                    Some(_) => format!("{}, {}", words::label(&found.measure), words::panel(&found.measure)),
                    None => words::panel(&found.measure),
                },
            );
            format!("{} ({name})", note.text)
        }
        several => {
            let is_rating = findings.study.as_ref().is_some_and(|study| &*study.task == "rating");
            let what = if is_rating { "question" } else { "measure" };
            format!("{} ({})", note.text, counted(several.len(), what))
        }
    }
}

fn notes_on(page: &mut Page, findings: &Findings) {
    for note in &findings.notes {
        let mark = note.number.map(mark).unwrap_or_else(|| "–".to_owned());
        let lines = wrapped_after(&format!(" {mark} "), &noted(note, findings), page.width());
        lines.iter().for_each(|line| page.line(line));
    }
}

/// Writes all that was found: assumptions, notes, tests, ranks, measures, agreement, tables of the task, earnings, settings.
fn full_on(page: &mut Page, told: &Told<'_>) {
    let findings = told.findings;
    for (number, assumption) in told.assumptions.iter().enumerate() {
        page.line(if number == 0 { "\nassumed" } else { "" }.trim_end_matches(' '));
        wrapped_after("  ", assumption, page.width()).iter().for_each(|line| page.line(line));
    }
    page.line("");
    notes_on(page, findings);
    if let Some((score, others)) = findings.measures.split_first() {
        page.line("");
        score.tests.iter().for_each(|test| test_on(page, test));
        comparisons_on(page, score);
        facets::facets_on(page, score);
        if others.iter().any(|found| !found.interactions.is_empty() || !found.trends.is_empty()) {
            page.line("\nthe levels of other measures: with --json");
        }
        others.iter().for_each(|found| conclusions::other_on(page, found));
        if let Some(found) = &findings.stopping {
            stopping::looks_on(page, found);
        }
        conclusions::score_on(page, score);
    }
    findings
        .measures
        .iter()
        .filter(|found| !found.estimates.is_empty())
        .for_each(|found| estimates_on(page, found));
    findings.measures.iter().for_each(|found| more::rest_on(page, found));
    if !findings.metrics.is_empty() {
        page.line("\nautomated metrics");
        metrics_on(page, &findings.metrics);
    }
    more::correlations_on(page, &findings.correlations);
    checks::checks_on(page, &findings.checks);
    if let Some(earnings) = &findings.earnings {
        let sessions = counted(earnings.raters.len(), "session");
        page.line(format_args!("\nearned in {sessions}: {} {}", earnings.total, earnings.currency));
    }
    if let Some(study) = &findings.study {
        let (protocol, spec) = (study.study.short(), study.spec.short());
        page.line(format_args!(
            "\n{}: {} version {}, seed {}, study {protocol}, spec {spec}",
            study.name, study.task, study.task_version, study.seed,
        ));
    }
    if let Some(first) = findings.measures.first().and_then(|score| score.comparisons.first()) {
        let family =
            findings.measures[0].family.as_ref().map_or_else(String::new, |family| format!(", {family}"));
        page.line(format_args!(
            "models without a common letter in `group` differ by {}{family}",
            first.method
        ));
    }
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
