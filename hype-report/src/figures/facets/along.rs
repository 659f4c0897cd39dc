//! A score along a facet of numbers.

use std::sync::Arc;

use hype_core::FacetScale;
use hype_core::model::facet::level_number;
use hype_core::model::findings::{Estimate, FacetTrend, MeasureFindings};

use crate::data::{Cell, Data};
use crate::figure::{Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width};
use crate::figures::key;
use crate::numbers::p_text;
use crate::numbers::{Style, percent};
use crate::prose::capital;
use crate::source::{ReportSource, estimate_of};
use crate::text::listed;
use crate::words::{self, labelled};

/// The score along each facet of numbers that has trends. Points are the estimates of cells, or those of `by_facet` at the levels of
/// a facet of items or raters; a facet whose levels have neither has no figure.
pub(super) fn along(source: &ReportSource<'_>, found: &MeasureFindings) -> Vec<Figure> {
    let mut facets: Vec<&str> = Vec::new();
    for trend in &found.trends {
        if !facets.contains(&&*trend.facet) {
            facets.push(&trend.facet);
        }
    }
    let figures = facets.iter().enumerate().filter_map(|(number, facet)| {
        let trends: Vec<&FacetTrend> = found.trends.iter().filter(|trend| &*trend.facet == *facet).collect();
        let id = if number == 0 { "f18".to_owned() } else { key("f18", facet) };
        of_facet(source, found, facet, &trends, id)
    });
    figures.collect()
}

fn of_facet(
    source: &ReportSource<'_>,
    found: &MeasureFindings,
    facet: &str,
    trends: &[&FacetTrend],
    id: String,
) -> Option<Figure> {
    let mut data = Data::new(["model", "number", "value", "low", "high", "raters", "label"]);
    let mut models: Vec<&str> = Vec::new();
    let mut level = None;
    for trend in trends {
        if models.contains(&&*trend.model) {
            continue;
        }
        models.push(&trend.model);
        let points = points(source, found, trend);
        for (place, (number, one)) in points.iter().enumerate() {
            let interval = one.interval.as_ref();
            level = level.or(interval.map(|interval| interval.level));
            let is_last = place + 1 == points.len();
            let label: Option<&Arc<str>> = is_last.then_some(&trend.model);
            data.push(
                "estimate",
                [
                    (&trend.model).into(),
                    (*number).into(),
                    one.value.into(),
                    interval.map(|interval| interval.low).into(),
                    interval.map(|interval| interval.high).into(),
                    one.raters.into(),
                    label.map_or(Cell::Empty, Into::into),
                ],
            );
        }
    }
    if !data.has("estimate") {
        return None;
    }
    let axis = PanelAxis::numbers(facet);
    let is_log = trends.iter().all(|trend| trend.scale == FacetScale::Log);
    let axis = if is_log { axis.logarithmic() } else { axis };
    let (x, y) = (Some("number"), Some("value"));
    let marks = vec![
        Mark::Line { part: "estimate", x, y, by: "model", dashed: false, tone: Tone::ByModel },
        Mark::interval("estimate", "number", ["low", "high"], Width::Thin, Tone::ByModel),
        Mark::dots("estimate", ["number", "value"], Dot::Large, Tone::ByModel),
        Mark::label("estimate", ["number", "value"], "label", Tone::Ink),
    ];
    let bars = level.map_or_else(String::new, |level| format!(", bars their {}% intervals", percent(level)));
    let style = Style::of(found);
    Some(Figure {
        id,
        title: format!("{} along {facet}", capital(&words::label(&found.measure))),
        reading: Explanation {
            question: format!("Do models change along {facet}, and do they level off?"),
            how: format!("Dots are estimates{bars}; a line joins the levels of a model."),
            not: "Between levels nothing was measured: lines only join what belongs together.".to_owned(),
        },
        description: slopes(source, trends, style),
        data,
        chart: FigurePanel {
            tones: source.tones(models),
            ..FigurePanel::new(axis, PanelAxis::numbers(labelled(&found.measure)).times(style.factor), marks)
        }
        .alone(),
    })
}

/// The estimates of a trend's model at the levels of its facet, in the order of their numbers: those of cells, or else those at the
/// facet's levels.
fn points<'f>(
    source: &ReportSource<'_>,
    found: &'f MeasureFindings,
    trend: &FacetTrend,
) -> Vec<(f64, &'f Estimate)> {
    let cells = source.findings.study.iter().flat_map(|card| &card.cells);
    let of_cell = |cell: &hype_core::FacetCell| {
        let levels = cell.levels.get(&trend.facet);
        let level = levels.filter(|level| is_level_of(&cell.name, level, &trend.model))?;
        Some((level_number(level)?, estimate_of(found, &cell.name)?))
    };
    let mut points: Vec<(f64, &Estimate)> = cells.filter_map(of_cell).collect();
    if points.is_empty() {
        let levels = found.facets.iter().filter(|level| level.facet == trend.facet);
        points.extend(levels.filter_map(|level| {
            let one = level.estimates.iter().find(|one| one.model == trend.model)?;
            Some((level_number(&level.level)?, one))
        }));
    }
    points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    points
}

/// Whether a cell's name is that of a model with this level.
fn is_level_of(cell: &str, level: &str, model: &str) -> bool {
    let parts: Vec<&str> = cell.split('/').collect();
    let without = |at: usize| [&parts[..at], &parts[at + 1..]].concat().join("/");
    (0..parts.len()).any(|at| parts[at] == level && without(at) == model)
}

/// The slopes in words.
fn slopes(source: &ReportSource<'_>, trends: &[&FacetTrend], style: Style) -> String {
    let style = style.of_differences();
    let one = |trend: &&FacetTrend| {
        let (slope, p) = (trend.slope?, trend.p_adjusted.or(trend.p)?);
        let step = match trend.scale {
            FacetScale::Linear => format!("1 more of {}", trend.facet),
            FacetScale::Log => format!("e times as much of {}", trend.facet),
        };
        Some(format!(
            "{} changes by {} for {step} ({})",
            source.label_of(&trend.model),
            style.value(slope),
            p_text(p)
        ))
    };
    let known: Vec<String> = trends.iter().filter_map(one).collect();
    if known.is_empty() { "No trend is known.".to_owned() } else { format!("{}.", listed(&known)) }
}
