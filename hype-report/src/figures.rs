//! The figures of a report, by task.

use crate::figure::Figure;
use crate::source::ReportSource;

mod distribution;
mod errors;
mod exposures;
mod facets;
mod flow;
mod forest;
mod images;
mod metrics;
mod order;
mod pairs;
mod precision;
mod timing;
mod votes;

/// The most categories that a figure draws in full; of more, as many as [`ENDS`] from either end are drawn.
const MOST_ROWS: usize = 40;
const ENDS: usize = 20;

/// All figures that the records allow, in the order of the page.
#[must_use]
pub fn figures(source: &ReportSource<'_>) -> Vec<Figure> {
    let forest = |(number, found)| forest::forest(source, found, number);
    let mut all: Vec<Figure> = source.compared().enumerate().map(forest).collect();
    if let Some(score) = source.score() {
        all.extend(pairs::pairs(score));
        all.extend(distribution::ranks(score));
    }
    all.extend(facets::facets(source));
    all.extend(metrics::metrics(source));
    all.extend(of_task(source));
    all.extend(distribution::agreement(source));
    all.extend(distribution::components(source));
    if let Some(score) = source.score() {
        all.extend(precision::precision(source, score));
    }
    all.extend(flow::flow(source));
    all.extend(flow::with_excluded(source));
    all.extend(timing::timing(source));
    all
}

/// The figures of single tasks, which follow from what was recorded and not from the task's name where that is possible.
fn of_task(source: &ReportSource<'_>) -> Vec<Figure> {
    let mut all = Vec::new();
    let task = source.findings.study.as_ref().map_or("", |study| &*study.task);
    match task {
        "rating" => all.extend(distribution::answers(source, "f12")),
        "ranking" => all.extend(distribution::answers(source, "f15")),
        "hype_time" => {
            all.extend(exposures::staircases(source));
            all.extend(exposures::accuracy(source));
            all.extend(exposures::estimators(source));
        }
        "hype_infinity" | "fooling" => {
            all.extend(errors::both(source));
            all.extend(images::images(source));
            all.extend(order::by_tenths(source));
        }
        _ => {}
    }
    all.extend(votes::wins(source));
    all
}

/// The categories that are drawn, and the gap for those that are not.
fn ends_of(names: &[String]) -> (Vec<String>, Option<(usize, usize)>) {
    if names.len() <= MOST_ROWS {
        return (names.to_vec(), None);
    }
    let missing = names.len() - 2 * ENDS;
    let drawn = names[..ENDS].iter().chain(&names[ENDS + missing..]).cloned().collect();
    (drawn, Some((ENDS, missing)))
}

/// A key for files: lower-case letters, digits and hyphens.
fn slug(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => out.push(letter.to_ascii_lowercase()),
            _ if !out.ends_with('-') => out.push('-'),
            _ => {}
        }
    }
    out.trim_matches('-').to_owned()
}
