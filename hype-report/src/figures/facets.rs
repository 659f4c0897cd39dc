//! Models over the levels of facets: forests by level, a score along a facet of numbers, and a map of levels and models.

use std::sync::Arc;

use hype_core::FacetScale;
use hype_core::model::facet::level_number;
use hype_core::model::findings::{
    Estimate, FacetInteraction, FacetLevelFindings, FacetTrend, MeasureFindings,
};

use super::{shaded_cells, slug};
use crate::data::{Cell, Data};
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width,
};
use crate::source::{ReportSource, estimate_of, level_of};
use crate::text::{Style, labelled, listed, p_value, percent};

/// Levels and models whose values are written into the cells of a map.
const MOST_WRITTEN: usize = 12;

/// The figures of a score over the levels of facets; none without facets.
pub(super) fn facets(source: &ReportSource<'_>) -> Vec<Figure> {
    let Some(found) = source.score() else { return Vec::new() };
    let mut all = Vec::new();
    for (number, together) in found.interactions.iter().enumerate() {
        let levels: Vec<&FacetLevelFindings> =
            found.facets.iter().filter(|level| level.facet == together.facet).collect();
        let key =
            |id: &str| if number == 0 { id.to_owned() } else { format!("{id}-{}", slug(&together.facet)) };
        if levels.is_empty() {
            continue;
        }
        all.push(forests(found, together, &levels, key("f17")));
        all.extend(map(found, together, &levels, key("f19")));
    }
    all.extend(along(source, found));
    all
}

/// The models at each level, on one axis.
fn forests(
    found: &MeasureFindings,
    together: &FacetInteraction,
    levels: &[&FacetLevelFindings],
    id: String,
) -> Figure {
    let style = Style::of(found);
    let mut data = Data::new(["level", "model", "value", "low", "high", "se", "raters", "p_adjusted"]);
    let mut row = |level: &str, p: Option<f64>, one: &Estimate| {
        let interval = one.interval.as_ref();
        data.push(
            "estimate",
            [
                level.into(),
                (&one.model).into(),
                one.value.into(),
                interval.map(|interval| interval.low).into(),
                interval.map(|interval| interval.high).into(),
                one.se.or(one.sem).into(),
                one.raters.into(),
                p.into(),
            ],
        );
    };
    for level in levels {
        level.estimates.iter().for_each(|one| row(&level.level, adjusted(level), one));
    }
    together.macro_means.iter().for_each(|one| row(MEAN, None, one));
    let ends: Vec<f64> = data
        .part("estimate")
        .flat_map(|row| ["value", "low", "high"].map(|column| row.number(column)))
        .flatten()
        .collect();
    let panel = |level: &str, estimates: &[Estimate]| {
        let names = estimates.iter().map(|one| one.model.to_string()).collect();
        let estimate = BesideText::Estimate {
            columns: ["value", "low", "high"],
            factor: style.factor,
            decimals: style.decimals,
        };
        let heading = format!("estimate [{} %]", percent(level_of(found)));
        FigurePanel {
            beside: vec![Beside { heading, part: "estimate", at: "model", text: estimate }],
            ..FigurePanel::new(
                PanelAxis::numbers(labelled(found)).times(style.factor).including(&ends),
                PanelAxis::categories(names),
                vec![
                    Mark::Interval {
                        part: "estimate",
                        at: "model",
                        low: "low",
                        high: "high",
                        width: Width::Bold,
                        tone: Tone::Accent,
                    },
                    Mark::Dots {
                        part: "estimate",
                        x: "value",
                        y: "model",
                        look: Dot::Large,
                        tone: Tone::Accent,
                    },
                ],
            )
        }
        .only("level", level)
    };
    let mut panels: Vec<FigurePanel> =
        levels.iter().map(|level| panel(&level.level, &level.estimates)).collect();
    if !together.macro_means.is_empty() {
        panels.push(panel(MEAN, &together.macro_means));
    }
    Figure {
        id,
        title: format!("{} by {}", found.measure.label, together.facet),
        reading: Explanation {
            question: format!("Which model is best at each level of {}, and how surely?", together.facet),
            how: format!(
                "Each panel is a level, all on the same axis, with the best model at the top. Dots are estimates, bars their \
                 {} % intervals. The panel \"{MEAN}\" has the means over levels, each level with the same weight.",
                percent(level_of(found))
            ),
            not: "A model that is separable at one level and not at another does not thereby differ between them: the \
                  interaction of levels and models tests that. Means are about these levels and no others."
                .to_owned(),
        },
        description: describe(together, levels),
        data,
        chart: Chart::Panels { panels, across: 1 },
    }
}

/// The panel of means over levels.
const MEAN: &str = "mean over levels";

/// The adjusted p value of the first test at a level.
fn adjusted(level: &FacetLevelFindings) -> Option<f64> {
    level.tests.iter().find_map(|test| test.p_adjusted)
}

/// At which levels models differ, and whether differences depend on the level.
fn describe(together: &FacetInteraction, levels: &[&FacetLevelFindings]) -> String {
    let tested: Vec<(&str, f64)> =
        levels.iter().filter_map(|level| Some((&*level.level, adjusted(level)?))).collect();
    let differ: Vec<&str> = tested.iter().filter(|(_, p)| *p <= 0.05).map(|(level, _)| *level).collect();
    let mut text = match (tested.is_empty(), differ.is_empty()) {
        (true, _) => format!("{} levels of {}.", levels.len(), together.facet),
        (_, true) => format!("Models are not shown to differ at any level of {}.", together.facet),
        _ => format!("Models differ at {} (adjusted p at most .05).", listed(&differ)),
    };
    if let Some(p) = together.test.as_ref().and_then(|test| test.p) {
        let p = p_value(p);
        let is = if p.starts_with('<') { "p" } else { "p =" };
        text += &format!(" Interaction of {} and model: {is} {p}.", together.facet);
    }
    text
}

/// A map of levels and models; `None` for one model.
fn map(
    found: &MeasureFindings,
    together: &FacetInteraction,
    levels: &[&FacetLevelFindings],
    id: String,
) -> Option<Figure> {
    let style = Style::of(found);
    let mut models: Vec<String> = Vec::new();
    let estimates =
        || levels.iter().flat_map(|level| level.estimates.iter().map(move |one| (&level.level, one)));
    for model in together.macro_means.iter().chain(estimates().map(|(_, one)| one)).map(|one| &one.model) {
        if !models.iter().any(|known| **known == **model) {
            models.push(model.to_string());
        }
    }
    if models.len() < 2 {
        return None;
    }
    let values = || estimates().map(|(_, one)| one.value);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let mut data = Data::new(["level", "model", "value", "text", "shade"]);
    for (level, one) in estimates() {
        // Never blank, and at most half opaque, so that texts stay legible.
        let share = if high > low { (one.value - low) / (high - low) } else { 0.0 };
        let shade = 0.06 + 0.44 * share;
        data.push(
            "cell",
            [
                level.into(),
                (&one.model).into(),
                one.value.into(),
                style.number(one.value).into(),
                shade.into(),
            ],
        );
    }
    let marks = shaded_cells("cell", "model", "level", models.len() <= MOST_WRITTEN);
    let (most, _) =
        estimates().map(|(level, one)| ((level, one), one.value)).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let names = levels.iter().map(|level| level.level.to_string()).collect();
    Some(Figure {
        id,
        title: format!("{} by {} and model", labelled(found), together.facet),
        reading: Explanation {
            question: format!("At which levels of {} are models high or low?", together.facet),
            how: "Each cell is the estimate of a model at a level; the darker, the higher. Levels without values are blank."
                .to_owned(),
            not: "Shades have no intervals; those are in the figure by level.".to_owned(),
        },
        description: format!("The highest value is that of {} at {}: {}.", most.1.model, most.0, style.number(most.1.value)),
        data,
        chart: FigurePanel::new(PanelAxis::categories(models), PanelAxis::categories(names), marks).alone(),
    })
}

/// The score along a facet of numbers; `None` without trends or cells.
fn along(source: &ReportSource<'_>, found: &MeasureFindings) -> Option<Figure> {
    let first = found.trends.first()?;
    let card = source.findings.study.as_ref()?;
    let style = Style::of(found);
    let mut data = Data::new(["model", "number", "value", "low", "high", "raters", "label"]);
    for trend in &found.trends {
        let mut points: Vec<(f64, &Estimate)> = card
            .cells
            .iter()
            .filter_map(|cell| {
                let level = cell
                    .levels
                    .get(&trend.facet)
                    .filter(|level| is_level_of(&cell.name, level, &trend.model))?;
                Some((level_number(level)?, estimate_of(found, &cell.name)?))
            })
            .collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        for (place, (number, one)) in points.iter().enumerate() {
            let interval = one.interval.as_ref();
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
    let axis = PanelAxis::numbers(&*first.facet);
    let axis = if first.scale == FacetScale::Log { axis.logarithmic() } else { axis };
    let (x, y) = (Some("number"), Some("value"));
    let marks = vec![
        Mark::Line { part: "estimate", x, y, by: "model", dashed: false, tone: Tone::Series(0) },
        Mark::Interval {
            part: "estimate",
            at: "number",
            low: "low",
            high: "high",
            width: Width::Thin,
            tone: Tone::Ink,
        },
        Mark::Dots { part: "estimate", x: "number", y: "value", look: Dot::Large, tone: Tone::Ink },
        Mark::Label { part: "estimate", x: "number", y: "value", text: "label", tone: Tone::Ink },
    ];
    Some(Figure {
        id: "f18".to_owned(),
        title: format!("{} along {}", found.measure.label, first.facet),
        reading: Explanation {
            question: format!("Do models change along {}, and do they level off?", first.facet),
            how: format!(
                "Dots are estimates, bars their {} % intervals; a line joins the levels of a model.",
                percent(level_of(found))
            ),
            not: "Between levels nothing was measured: lines only join what belongs together.".to_owned(),
        },
        description: trends(&found.trends, style),
        data,
        chart: FigurePanel::new(axis, PanelAxis::numbers(labelled(found)).times(style.factor), marks).alone(),
    })
}

/// Whether a cell's name is that of a model with this level.
fn is_level_of(cell: &str, level: &str, model: &str) -> bool {
    let parts: Vec<&str> = cell.split('/').collect();
    let without = |at: usize| [&parts[..at], &parts[at + 1..]].concat().join("/");
    (0..parts.len()).any(|at| parts[at] == level && without(at) == model)
}

/// The slopes in words.
fn trends(trends: &[FacetTrend], style: Style) -> String {
    let one = |trend: &FacetTrend| {
        let (slope, p) = (trend.slope?, trend.p_adjusted.or(trend.p)?);
        let unit = match trend.scale {
            FacetScale::Linear => format!("1 more of {}", trend.facet),
            FacetScale::Log => format!("e times as much of {}", trend.facet),
        };
        let p = p_value(p);
        let is = if p.starts_with('<') { "p" } else { "p =" };
        Some(format!("{} changes by {} for {unit} ({is} {p})", trend.model, style.number(slope)))
    };
    let known: Vec<String> = trends.iter().filter_map(one).collect();
    if known.is_empty() { "No trend is known.".to_owned() } else { format!("{}.", listed(&known)) }
}
