//! Models over the levels of facets: estimates by level, a score along a facet of numbers, and a map of levels and models.

use hype_core::model::findings::{Estimate, FacetInteraction, FacetLevelFindings, MeasureFindings, Test};
use hype_core::words::counted;

use super::key::drawn_cells;
use super::{shaded_cells, slug};
use crate::data::Data;
use crate::figure::{Chart, Explanation, Figure, FigurePanel, Lane, LaneText, PanelAxis, RowName, Rows};
use crate::numbers::p_text;
use crate::numbers::{Style, p_value, percent};
use crate::prose::capital;
use crate::source::{ReportSource, level_of};
use crate::text::listed;
use crate::words::{self, labelled};

mod along;

/// Levels and models whose values are written into the cells of a map.
const MOST_WRITTEN: usize = 12;
/// Fewer levels are compared at a glance in the figure by level.
const LEAST_LEVELS_OF_A_MAP: usize = 4;
/// Levels with a lane each.
const MOST_LEVELS: usize = 12;

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
        all.push(by_level(source, found, together, &levels, key("f17")));
        if levels.len() >= LEAST_LEVELS_OF_A_MAP {
            all.extend(map(source, found, together, &levels, key("f19")));
        }
    }
    all.extend(along::along(source, found));
    all
}

/// The models at each level, on one axis: a lane for each level, and one for the means over levels.
fn by_level(
    source: &ReportSource<'_>,
    found: &MeasureFindings,
    together: &FacetInteraction,
    levels: &[&FacetLevelFindings],
    id: String,
) -> Figure {
    let style = Style::of(found);
    let mut data = Data::new(["panel", "row", "x", "low", "high", "text", "se", "raters", "p_adjusted"]);
    let mut row = |level: &str, p: Option<f64>, one: &Estimate| {
        let ends = one.interval.as_ref().map(|interval| (interval.low, interval.high));
        data.push(
            "estimate",
            [
                level.into(),
                (&one.model).into(),
                one.value.into(),
                ends.map(|ends| ends.0).into(),
                ends.map(|ends| ends.1).into(),
                style.cell(one.value, ends).into(),
                one.se.or(one.sem).into(),
                one.raters.into(),
                p.into(),
            ],
        );
    };
    for level in levels {
        level.estimates.iter().for_each(|one| row(&level.level, adjusted(together, level), one));
    }
    together.macro_means.iter().for_each(|one| row(MEAN, None, one));
    let has_intervals = data.part("estimate").any(|row| row.number("low").is_some());
    let level = level_of_levels(levels).unwrap_or_else(|| level_of(found));
    let lane = |name: &str| Lane {
        key: name.to_owned(),
        title: capital(name),
        axis: PanelAxis::numbers(labelled(&found.measure)).times(style.factor),
        chances: false,
        units: 0,
        same_ends: true,
        is_main: name == MEAN,
        text: LaneText::Cell,
    };
    let drawn = levels.iter().take(MOST_LEVELS).map(|level| &*level.level);
    let lanes = drawn.chain((!together.macro_means.is_empty()).then_some(MEAN)).map(lane).collect();
    let (models, gap) = drawn_cells(models_over(together, levels));
    let rows = models.into_iter().map(|name| RowName {
        label: source.label_of(&name),
        tone: source.tone(&name),
        name,
        text: String::new(),
        letters: String::new(),
    });
    let rows = rows.collect();
    Figure {
        id,
        title: format!("{} by {}", capital(&words::label(&found.measure)), together.facet),
        reading: reading(together, levels.len(), has_intervals.then_some(level)),
        description: describe(together, levels, level),
        data,
        chart: Chart::Rows(Rows { heading: String::new(), rows, gap, lanes }),
    }
}

/// The models at levels, in the order of their means.
fn models_over(together: &FacetInteraction, levels: &[&FacetLevelFindings]) -> Vec<String> {
    let mut models: Vec<String> = Vec::new();
    let estimates = levels.iter().flat_map(|level| &level.estimates);
    for model in together.macro_means.iter().chain(estimates).map(|one| &one.model) {
        if !models.iter().any(|known| **known == **model) {
            models.push(model.to_string());
        }
    }
    models
}

/// How to read the models at so many levels; `level` is that of their intervals, if they have any.
fn reading(together: &FacetInteraction, levels: usize, level: Option<f64>) -> Explanation {
    let mut how = "Columns are levels, all on the same axis.".to_owned();
    if levels > MOST_LEVELS {
        how += &format!(
            " The first {MOST_LEVELS} of {} levels are drawn; all of them are in the table.",
            levels
        );
    }
    how += &match level {
        Some(level) => format!(" Marks are estimates, bars their {}% intervals.", percent(level)),
        None => " Marks are estimates, without intervals.".to_owned(),
    };
    let mut not = "That models are separable at one level and not at another does not show that their difference depends on the \
                   level: the interaction of levels and models tests that."
        .to_owned();
    if !together.macro_means.is_empty() {
        how += &format!(" The column \"{MEAN}\" has the means over levels, each level with the same weight.");
        not += " Means are about these levels and no others.";
    }
    let question =
        format!("Which model is best at each level of {}, and how certain is that?", together.facet);
    Explanation { question, how, not }
}

/// The column of means over levels.
const MEAN: &str = "mean over levels";

/// The confidence level of the intervals at levels of a facet.
fn level_of_levels(levels: &[&FacetLevelFindings]) -> Option<f64> {
    let estimates = levels.iter().flat_map(|level| &level.estimates);
    let pairs = levels.iter().flat_map(|level| &level.comparisons);
    let intervals = estimates
        .filter_map(|one| one.interval.as_ref())
        .chain(pairs.filter_map(|one| one.interval.as_ref()));
    intervals.map(|interval| interval.level).next()
}

/// The p value of a level that is adjusted over all levels: that of its first test or, where the pairs at all levels are one
/// family, the smallest of its pairs.
fn adjusted(together: &FacetInteraction, level: &FacetLevelFindings) -> Option<f64> {
    let of_pairs = || {
        let pairs = level.comparisons.iter().filter(|_| together.family.is_some());
        pairs.filter_map(|pair| pair.p).min_by(f64::total_cmp)
    };
    level.tests.iter().find_map(|test| test.p_adjusted).or_else(of_pairs)
}

/// At which levels models differ, and whether differences depend on the level.
fn describe(together: &FacetInteraction, levels: &[&FacetLevelFindings], level: f64) -> String {
    let tested: Vec<(&str, f64)> =
        levels.iter().filter_map(|level| Some((&*level.level, adjusted(together, level)?))).collect();
    let most = 1.0 - level;
    let differ: Vec<&str> =
        tested.iter().filter(|(_, p)| *p < most + 1e-12).map(|(level, _)| *level).collect();
    let mut text = match (tested.is_empty(), differ.is_empty()) {
        (true, _) => format!("{} of {}.", counted(levels.len(), "level"), together.facet),
        (_, true) => format!("Models are not shown to differ at any level of {}.", together.facet),
        _ => format!("Models differ at {} (adjusted p below {}).", listed(&differ), p_value(most)),
    };
    if let Some(test) = &together.test {
        text += &depends(together, test, most);
    }
    text
}

/// Whether the models' differences are shown to depend on the level.
fn depends(together: &FacetInteraction, test: &Test, most: f64) -> String {
    let facet = &together.facet;
    match (test.p, &test.undefined) {
        (Some(p), _) if p < most + 1e-12 => {
            format!(" How much models differ depends on {facet} (interaction, {}).", p_text(p))
        }
        (Some(p), _) => {
            format!(
                " That differences between models depend on {facet} is not shown (interaction, {}).",
                p_text(p)
            )
        }
        (None, Some(why)) => {
            format!(" Whether differences between models depend on {facet} is not tested: {why}.")
        }
        (None, None) => String::new(),
    }
}

/// A map of levels and models; `None` for one model.
fn map(
    source: &ReportSource<'_>,
    found: &MeasureFindings,
    together: &FacetInteraction,
    levels: &[&FacetLevelFindings],
    id: String,
) -> Option<Figure> {
    let style = Style::of(found);
    let models = models_over(together, levels);
    let estimates =
        || levels.iter().flat_map(|level| level.estimates.iter().map(move |one| (&level.level, one)));
    if models.len() < 2 {
        return None;
    }
    let values = || estimates().map(|(_, one)| one.value);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let mut data = Data::new(["level", "model", "value", "text", "shade"]);
    for (level, one) in estimates() {
        // Never blank, and at most half opaque, to keep texts legible.
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
        title: format!("{} by {} and model", capital(&labelled(&found.measure)), together.facet),
        reading: Explanation {
            question: format!("At which levels of {} are models high or low?", together.facet),
            how: "Each cell is the estimate of a model at a level; the darker, the higher. Levels without values are blank."
                .to_owned(),
            not: "Shades have no intervals; those are in the figure by level.".to_owned(),
        },
        description: format!(
            "The highest value is that of {} at {}: {}.",
            source.label_of(&most.1.model),
            most.0,
            style.number(most.1.value)
        ),
        data,
        chart: FigurePanel::new(PanelAxis::categories(models), PanelAxis::categories(names), marks).alone(),
    })
}
