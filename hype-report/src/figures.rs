//! The figures of a report, by task.

use crate::figure::{Extent, Figure, Mark, Tone};
use crate::registry::{make_keys_unique, registered};
use crate::source::ReportSource;
use crate::text::slug;

mod agreement;
mod distribution;
mod errors;
mod exposures;
mod facets;
mod flow;
mod images;
mod key;
mod metrics;
mod order;
mod pairs;
mod precision;
mod timing;
mod votes;

pub use self::images::pictured;
pub(crate) use self::images::stimuli_of;
pub(crate) use self::key::{noted, of_one_scale};

/// The end of the key of a figure that shows more of the figure before it, which a page folds.
pub(crate) const MORE: &str = "-more";
/// The most categories that a figure draws in full; of more, as many as [`ENDS`] from either end are drawn.
const MOST_ROWS: usize = 40;
const ENDS: usize = 20;

/// The cells of a matrix, shaded by their column `shade`; where there is room for it, their column `text` is written on them.
fn shaded_cells(part: &'static str, x: &'static str, y: &'static str, is_written: bool) -> Vec<Mark> {
    let text = Mark::Label { part, x, y, text: "text", tone: Tone::Ink };
    let shades = Mark::Band { part, x, extent: Extent::Cell(y, "shade"), tone: Tone::Accent };
    [Some(shades), is_written.then_some(text)].into_iter().flatten().collect()
}

/// All figures that the records allow, in the order of the page.
#[must_use]
pub fn figures(source: &ReportSource<'_>) -> Vec<Figure> {
    let mut all = Vec::new();
    if let Some(score) = source.score() {
        if !score.estimates.is_empty() {
            all.push(key::key(source, score));
        }
        all.extend(votes::wins(source));
        all.extend(key::others(source, score));
        all.extend(pairs::pairs(score));
    }
    all.extend(facets::facets(source));
    all.extend(metrics::metrics(source));
    all.extend(of_task(source));
    all.extend(registered(source));
    all.extend(agreement::agreement(source));
    all.extend(agreement::components(source));
    all.extend(agreement::reliability(source));
    if let Some(score) = source.score() {
        all.extend(precision::precision(source, score));
    }
    all.extend(flow::flow(source));
    all.extend(timing::timing(source));
    let own = |model: &str| source.findings.models.get(model)?.label.as_ref().map(ToString::to_string);
    all.iter_mut().for_each(|figure| figure.relabel(&own));
    make_keys_unique(&mut all);
    all
}

/// Returns sentences in the place of figures that would show no more.
pub(crate) fn in_words(source: &ReportSource<'_>) -> Vec<String> {
    let mut all = images::in_words(source);
    all.extend(votes::triads(source));
    all.extend(flow::in_words(source));
    all.extend(timing::in_words(source));
    all
}

/// The figures of a study that still runs: the score, its precision, and who was left out.
#[must_use]
pub fn overview(source: &ReportSource<'_>) -> Vec<Figure> {
    let score = source.score().filter(|score| !score.estimates.is_empty());
    let mut all: Vec<Figure> = score.map(|score| key::key(source, score)).into_iter().collect();
    all.extend(score.and_then(|score| precision::precision(source, score)));
    all.extend(flow::flow(source));
    all
}

/// The figures of single tasks, and for tables of scores those that their measures allow.
fn of_task(source: &ReportSource<'_>) -> Vec<Figure> {
    let mut all = Vec::new();
    match task(source) {
        "rating" | "" => {
            all.extend(distribution::answers(source, "f12"));
            all.extend(distribution::together(source));
        }
        "ranking" => all.extend(distribution::answers(source, "f15")),
        "hype_time" => {
            all.extend(exposures::staircases(source));
            all.extend(exposures::accuracy(source));
        }
        _ => {}
    }
    if has_images(source) {
        all.extend(errors::both(source));
        all.extend(images::images(source));
        all.extend(order::by_tenths(source));
        all.extend(order::sides(source));
    }
    all
}

/// The task's kind; empty for a table of scores.
fn task<'a>(source: &ReportSource<'a>) -> &'a str {
    source.findings.study.as_ref().map_or("", |study| &*study.task)
}

/// Whether single images may have been judged real or fake.
fn has_images(source: &ReportSource<'_>) -> bool {
    matches!(task(source), "hype_infinity" | "fooling" | "")
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

/// A key for files with what a name has of lower-case letters, digits and hyphens.
fn key(before: &str, name: &str) -> String {
    let slug = slug(name);
    if slug.is_empty() { before.to_owned() } else { format!("{before}-{slug}") }
}
