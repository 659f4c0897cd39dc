//! The looks of a stopping rule.

use hype_core::model::findings::{StoppingFindings, StoppingLook, StoppingTest};
use hype_core::words::counted;

use crate::grid::Grid;

use super::{Page, interval, optional, p_value, percent};

/// Writes the looks, and what the last one that was taken has found.
pub(super) fn looks_on(page: &mut Page, found: &StoppingFindings) {
    let kind = found.rule["kind"].as_str().unwrap_or_default();
    page.line(format_args!("\nstopping rule {kind} on {}: {}", found.measure, found.method));
    let with_error = found.looks.iter().any(|look| look.spent.is_some());
    let mut header = vec!["look at", "boundary"];
    header.extend(with_error.then_some("error spent"));
    header.extend(["decided", "collection"]);
    let mut table = Grid::new(header).right_from(1);
    for look in &found.looks {
        let mut row = vec![raters(found, look), optional(look.boundary)];
        row.extend(
            with_error
                .then(|| look.spent.map_or_else(|| "-".into(), |spent| format!("{:.3} %", percent(spent)))),
        );
        row.extend([decided(look), state(found, look).to_owned()]);
        table.row(row);
    }
    page.table(&table);
    let Some(last) = found.taken().last() else { return };
    page.line(format_args!("\nat the look at {}", raters(found, last)));
    tests_on(page, &found.statistic, &last.tests);
    if found.beyond > 0 {
        page.line(format_args!("{} at later places: not in this look", counted(found.beyond, "rater")));
    }
}

fn raters(found: &StoppingFindings, look: &StoppingLook) -> String {
    let each = if found.per_model { " each" } else { "" };
    format!("{}{each}", counted(look.raters, "rater"))
}

fn decided(look: &StoppingLook) -> String {
    if !look.taken {
        return "-".into();
    }
    let decided = look.tests.iter().filter(|test| test.decided).count();
    format!("{decided} of {}", look.tests.len())
}

fn state(found: &StoppingFindings, look: &StoppingLook) -> &'static str {
    match (look.stops, look.taken, found.stopped_at) {
        (true, ..) => "ends",
        (false, true, _) => "continues",
        (false, false, None) => "to come",
        (false, false, Some(_)) => "not needed",
    }
}

fn tests_on(page: &mut Page, statistic: &str, tests: &[StoppingTest]) {
    let mut table =
        Grid::new(["of", "estimate", "interval", statistic, "boundary", "p", "decided"]).right_from(1);
    for test in tests {
        let of = if test.models.is_empty() { "all models".into() } else { test.models.join(" - ") };
        table.row([
            of,
            optional(test.estimate),
            match (&test.interval, &test.undefined) {
                (Some(found), _) => interval(found),
                (None, Some(reason)) => reason.to_string(),
                (None, None) => "-".into(),
            },
            optional(test.statistic),
            optional(test.boundary),
            p_value(test.p),
            if test.decided { "yes".to_owned() } else { "no".to_owned() },
        ]);
    }
    page.table(&table);
    for test in tests {
        if let (Some(estimate), Some(range)) = (test.median_unbiased, &test.median_unbiased_interval) {
            page.line(format_args!(
                "after stopping: {} {} {}, median-unbiased, {}",
                test.models.join(" - "),
                optional(Some(estimate)),
                interval(range),
                range.method
            ));
        }
    }
    if let Some(one) = tests.iter().find_map(|test| test.interval.as_ref()) {
        page.line(format_args!("interval: {} %, {}", percent(one.level), one.method));
    }
}
