//! The key figure: each model with its estimate, the values of raters, the difference from the best one and the groups of models
//! that are not told apart; and the same of further measures, side by side.

use hype_core::model::findings::{Estimate, MeasureFindings};
use hype_core::model::score::Direction;
use hype_stats::describe::quantile;

use crate::data::Data;
use crate::figure::{Chart, Explanation, Figure, Lane, LaneText, PanelAxis, RowName, Rows};
use crate::numbers::{Style, percent};
use crate::prose::{self, capital, unit_of_differences};
use crate::separation::{Pairs, letters, methods_of};
use crate::source::{ReportSource, estimate_of, level_of};
use crate::text::listed;
use crate::words::{self, Unit, stem};

/// Raters of a model are dots up to this many; more are twenty dots of 5 % each, and still more are bars.
const MOST_DOTS: usize = 60;
const MOST_QUANTILES: usize = 300;
const QUANTILES: usize = 20;
/// The most rows, and how many from either end are drawn of more; of several lanes, whose cells have texts, fewer.
const MOST_ROWS: (usize, usize, usize) = (12, 7, 4);
const MOST_CELLS: (usize, usize, usize) = (8, 5, 3);
/// The most lanes of a figure.
const MOST_LANES: usize = 12;
/// The most rows that have room for the values of raters, of one lane and of several.
const MOST_WITH_RATERS: (usize, usize) = (10, 6);

/// The key of the lane of differences.
const DIFFERENCE: &str = "difference";

/// The columns of the table behind rows.
const COLUMNS: [&str; 9] = ["panel", "row", "x", "low", "high", "text", "letters", "raters", "responses"];

/// The key figure of the score, with the measures that have the same scale.
pub(super) fn key(source: &ReportSource<'_>, score: &MeasureFindings) -> Figure {
    let group = of_one_scale(source, score);
    if group.len() > 1 { lanes(source, &group, "f1") } else { single(source, score) }
}

/// The measures of the score's scale, the score first: criteria of comparisons, or questions with the same answers.
pub(crate) fn of_one_scale<'a>(
    source: &ReportSource<'a>,
    score: &'a MeasureFindings,
) -> Vec<&'a MeasureFindings> {
    let unit = Unit::of(&score.measure);
    let is_same = |other: &&MeasureFindings| match unit {
        Unit::Scale(..) => Unit::of(&other.measure) == unit,
        Unit::Ms | Unit::None => false,
        _ => stem(&other.measure.name) == stem(&score.measure.name),
    };
    let others = source.compared().filter(|other| other.measure.name != score.measure.name).filter(is_same);
    [score].into_iter().chain(others).take(MOST_LANES).collect()
}

/// The names of the measures whose notes stand at a figure: at the first, all that no other figure has.
pub(crate) fn noted<'a>(source: &ReportSource<'a>, id: &str) -> Vec<&'a str> {
    let Some(score) = source.score() else { return Vec::new() };
    let key = of_one_scale(source, score);
    let is_ms = |found: &MeasureFindings| &*found.measure.unit == "ms";
    let is_key = |found: &MeasureFindings| key.iter().any(|one| one.measure.name == found.measure.name);
    let (estimators, also): (Vec<_>, Vec<_>) =
        source.compared().filter(|found| !is_key(found)).partition(|found| is_ms(found) && is_ms(score));
    let of = |found: Vec<&'a MeasureFindings>| found.into_iter().map(|found| &*found.measure.name).collect();
    match id {
        "f8" => of(estimators),
        "f1-also" => of(also),
        _ => Vec::new(),
    }
}

/// Further compared measures: thresholds by other estimators, and measures of other scales.
pub(super) fn others(source: &ReportSource<'_>, score: &MeasureFindings) -> Vec<Figure> {
    let known: Vec<&str> = of_one_scale(source, score).iter().map(|found| &*found.measure.name).collect();
    let strengths = source.compared().any(|found| stem(&found.measure.name) == "strength");
    let is_said = |found: &MeasureFindings| strengths && stem(&found.measure.name) == "win_rate";
    let rest: Vec<&MeasureFindings> =
        source.compared().filter(|found| !known.contains(&&*found.measure.name) && !is_said(found)).collect();
    let (estimators, rest): (Vec<&MeasureFindings>, Vec<_>) =
        rest.into_iter().partition(|found| &*found.measure.unit == "ms");
    let mut all = Vec::new();
    if !estimators.is_empty() && &*score.measure.unit == "ms" {
        let every: Vec<&MeasureFindings> = [score].into_iter().chain(estimators).collect();
        all.push(by_estimator(source, &every));
    }
    if !rest.is_empty() {
        let shown: Vec<&MeasureFindings> = rest.into_iter().take(MOST_LANES).collect();
        all.push(lanes(source, &shown, "f1-also"));
    }
    all
}

/// Which models are drawn, and the gap for those that are not.
fn drawn(
    models: Vec<String>,
    (most, first, last): (usize, usize, usize),
) -> (Vec<String>, Option<(usize, usize)>) {
    if models.len() <= most {
        return (models, None);
    }
    let missing = models.len() - first - last;
    let ends = models[..first].iter().chain(&models[first + missing..]).cloned().collect();
    (ends, Some((first, missing)))
}

/// The models that are drawn where cells have texts, and the gap for the others.
pub(super) fn drawn_cells(models: Vec<String>) -> (Vec<String>, Option<(usize, usize)>) {
    drawn(models, MOST_CELLS)
}

/// The models of some measures, in the order of the first.
fn models_of(source: &ReportSource<'_>, found: &[&MeasureFindings]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for model in found.iter().flat_map(|one| source.models(one)) {
        if !all.contains(&model.to_string()) {
            all.push(model.to_string());
        }
    }
    all
}

/// One measure, with the differences from the best model.
pub(super) fn single(source: &ReportSource<'_>, found: &MeasureFindings) -> Figure {
    let (measure, style) = (&found.measure, Style::of(found));
    let (models, gap) = drawn(models_of(source, &[found]), MOST_ROWS);
    let groups = letters(found);
    let letters_of = |model: &str| {
        let place = found.estimates.iter().position(|one| &*one.model == model);
        place.and_then(|place| groups.as_ref()?.get(place).cloned()).unwrap_or_default()
    };
    let mut data = Data::new(COLUMNS);
    let label = words::label(measure);
    let mut rows = Vec::new();
    for model in &models {
        let estimate = estimate_of(found, model);
        let text = estimate.map(|one| {
            let ends = one.interval.as_ref().map(|interval| (interval.low, interval.high));
            format!("{}{}", style.cell(one.value, ends), source.marks_of_interval(&measure.name, model))
        });
        add_estimate(
            &mut data,
            &label,
            model,
            estimate,
            text.as_deref().unwrap_or_default(),
            &letters_of(model),
        );
        if models.len() <= MOST_WITH_RATERS.0 {
            add_raters(&mut data, source, found, &label, model);
        }
        rows.push(RowName {
            name: model.clone(),
            label: source.label_of(model),
            text: text.unwrap_or_else(|| "no data".to_owned()),
            letters: letters_of(model),
            tone: source.tone(model),
        });
    }
    add_reference(&mut data, found, &label);
    let axis = words::axis(measure, prose::target(source.findings));
    let has_raters = ["rater", "rater at a bound", "25 % to 75 %"].iter().any(|part| data.has(part));
    let mut lanes = vec![Lane {
        key: label.clone(),
        title: if has_raters { "Raters and mean" } else { "Estimate" }.to_owned(),
        axis: PanelAxis::numbers(axis).times(style.factor),
        chances: are_odds(found),
        units: 0,
        same_ends: false,
        is_main: false,
        text: LaneText::None,
    }];
    lanes.extend(differences(&mut data, source, found, &models));
    let level = percent(level_of(found));
    let unit = Unit::of(measure).name();
    let unit = if unit.is_empty() || unit == "%" { String::new() } else { format!(", {unit}") };
    let has_interval = found.estimates.iter().any(|one| one.interval.is_some());
    let interval = if has_interval { format!(" [{level}% CI]") } else { String::new() };
    Figure {
        id: "f1".to_owned(),
        title: capital(&label),
        reading: Explanation {
            question: question(found),
            how: caption(source, found, &data),
            not: not(source, &[found]),
        },
        description: answer(source, found),
        chart: Chart::Rows(Rows {
            heading: format!("{}{unit}{interval}", capital(&label)),
            rows,
            gap,
            lanes,
        }),
        data,
    }
}

/// The headline and the lead, without glyphs.
pub(super) fn answer(source: &ReportSource<'_>, found: &MeasureFindings) -> String {
    let speech = prose::Speech { name: &|model| source.label_of(model), mark: &|_| String::new() };
    let text = format!("{} {}", prose::headline(source.findings, found, speech), prose::lead(found, speech));
    text.trim_end().to_owned()
}

fn question(found: &MeasureFindings) -> String {
    let label = words::label(&found.measure);
    match found.measure.direction {
        Direction::Neither => format!("How large is {label} for each model?"),
        _ => format!("Which model is best by {label}?"),
    }
}

/// The lane of differences from the best model, unless there are none.
fn differences(
    data: &mut Data,
    source: &ReportSource<'_>,
    found: &MeasureFindings,
    models: &[String],
) -> Option<Lane> {
    let best = found.estimates.first().filter(|_| found.measure.direction != Direction::Neither)?;
    let (pairs, style) = (Pairs::of(found), Style::of(found).of_differences());
    let mut any = false;
    for model in models.iter().filter(|model| *model != &*best.model) {
        let Some(pair) = pairs.get(model, &best.model) else { continue };
        let ends = pair.interval();
        any = true;
        data.add(
            "estimate",
            [
                ("panel", DIFFERENCE.into()),
                ("row", model.as_str().into()),
                ("x", pair.difference().into()),
                ("low", ends.map(|ends| ends.0).into()),
                ("high", ends.map(|ends| ends.1).into()),
                ("text", difference_text(style, pair.difference(), ends).into()),
            ],
        );
    }
    if !any {
        return None;
    }
    data.add("reference", [("panel", DIFFERENCE.into()), ("x", 0.0.into())]);
    let unit = unit_of_differences(found);
    let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
    Some(Lane {
        key: DIFFERENCE.to_owned(),
        title: format!("Difference from {}", source.label_of(&best.model)),
        axis: PanelAxis::numbers(format!("difference{unit}")).times(style.factor).including(&[0.0]),
        chances: false,
        units: 0,
        same_ends: false,
        is_main: false,
        text: LaneText::Above,
    })
}

fn difference_text(style: Style, value: f64, ends: Option<(f64, f64)>) -> String {
    let number = style.number(value);
    ends.map_or_else(|| number.clone(), |ends| format!("{number} {}", style.ends(ends)))
}

fn add_estimate(
    data: &mut Data,
    panel: &str,
    model: &str,
    estimate: Option<&Estimate>,
    text: &str,
    letters: &str,
) {
    let Some(one) = estimate else {
        data.add("estimate", [("panel", panel.into()), ("row", model.into()), ("text", "no data".into())]);
        return;
    };
    let interval = one.interval.as_ref();
    data.add(
        "estimate",
        [
            ("panel", panel.into()),
            ("row", model.into()),
            ("x", one.value.into()),
            ("low", interval.map(|interval| interval.low).into()),
            ("high", interval.map(|interval| interval.high).into()),
            ("text", text.into()),
            ("letters", letters.into()),
            ("raters", one.raters.into()),
            ("responses", one.responses.into()),
        ],
    );
    if let Some(with) = &one.with_excluded {
        data.add("with excluded", [("panel", panel.into()), ("row", model.into()), ("x", with.value.into())]);
    }
}

/// The values of raters: dots, twenty dots of 5 % each, or bars.
fn add_raters(data: &mut Data, source: &ReportSource<'_>, found: &MeasureFindings, panel: &str, model: &str) {
    if found.measure.descriptive.is_some() {
        return;
    }
    let mut values = source.records.raters(&found.measure.name, model);
    if values.is_empty() {
        values = estimate_of(found, model).map(|one| one.pseudo_values.clone()).unwrap_or_default();
    }
    let dot = |data: &mut Data, part: &str, value: f64| {
        data.add(part, [("panel", panel.into()), ("row", model.into()), ("x", value.into())]);
    };
    if values.len() > MOST_QUANTILES {
        for (part, low, high) in [("5 % to 95 %", 0.05, 0.95), ("25 % to 75 %", 0.25, 0.75)] {
            if let (Ok(low), Ok(high)) = (quantile(&values, low), quantile(&values, high)) {
                let (low, high) = (low.into(), high.into());
                data.add(
                    part,
                    [("panel", panel.into()), ("row", model.into()), ("low", low), ("high", high)],
                );
            }
        }
        return;
    }
    if values.len() > MOST_DOTS {
        let places = (0..QUANTILES).map(|place| (place as f64 + 0.5) / QUANTILES as f64);
        places.filter_map(|place| quantile(&values, place).ok()).for_each(|value| dot(data, "rater", value));
        return;
    }
    let bound = source.bound_of(found);
    for value in values {
        let is_bound = bound.is_some_and(|bound| (value - bound).abs() < 1e-9);
        dot(data, if is_bound { "rater at a bound" } else { "rater" }, value);
    }
}

/// Whether what is drawn of raters are pseudo-values.
fn are_pseudo(found: &MeasureFindings) -> bool {
    found.estimates.iter().any(|one| !one.pseudo_values.is_empty())
}

/// Whether a measure's numbers are log-odds of winning against an average model.
fn are_odds(found: &MeasureFindings) -> bool {
    stem(&found.measure.name) == "strength"
}

/// The lines of a lane: the reference value, or the average model of strengths.
fn add_reference(data: &mut Data, found: &MeasureFindings, panel: &str) {
    if let Some(reference) = &found.measure.reference {
        let text = match &*reference.label {
            "" => "reference",
            label if label.contains("guess") || label.contains("chance") => "guessing",
            label => label,
        };
        let text = words::shortened(text);
        data.add(
            "reference",
            [("panel", panel.into()), ("x", reference.value.into()), ("text", text.into())],
        );
    } else if matches!(stem(&found.measure.name), "strength" | "graded_strength") {
        let text = "average model".into();
        data.add("reference", [("panel", panel.into()), ("x", 0.0.into()), ("text", text)]);
    }
}

/// Several measures side by side.
fn lanes(source: &ReportSource<'_>, shown: &[&MeasureFindings], id: &str) -> Figure {
    let (models, gap) = drawn_cells(models_of(source, shown));
    let mut data = Data::new(COLUMNS);
    let mut all = Vec::new();
    let units: Vec<Unit> = shown.iter().map(|found| Unit::of(&found.measure)).collect();
    for (number, found) in shown.iter().enumerate() {
        let key = match words::criterion(&found.measure) {
            Some(criterion) if id == "f1-also" => format!("{}, {criterion}", words::label(&found.measure)),
            _ => words::panel(&found.measure),
        };
        let style = Style::of(found);
        let groups = letters(found);
        for model in &models {
            let estimate = estimate_of(found, model);
            let place = found.estimates.iter().position(|one| &*one.model == model.as_str());
            let own = place.and_then(|place| groups.as_ref()?.get(place).cloned()).unwrap_or_default();
            let text = estimate.map_or_else(String::new, |one| {
                let ends = one.interval.as_ref().map(|interval| (interval.low, interval.high));
                let marks = source.marks_of_interval(&found.measure.name, model);
                format!("{}{marks} {own}", style.cell(one.value, ends)).trim_end().to_owned()
            });
            add_estimate(&mut data, &key, model, estimate, &text, &own);
            if models.len() <= MOST_WITH_RATERS.1 {
                add_raters(&mut data, source, found, &key, model);
            }
        }
        add_reference(&mut data, found, &key);
        let group = units.iter().position(|unit| *unit == units[number]).unwrap_or(number);
        all.push(Lane {
            title: capital(&key),
            key,
            axis: PanelAxis::numbers(words::labelled(&found.measure)).times(style.factor),
            chances: are_odds(found),
            units: group,
            same_ends: units[number] != Unit::None && units[number] != Unit::Elo,
            is_main: id == "f1" && number == 0,
            text: LaneText::Cell,
        });
    }
    let rows = models.iter().map(|model| RowName {
        name: model.clone(),
        label: source.label_of(model),
        text: String::new(),
        letters: String::new(),
        tone: source.tone(model),
    });
    let title =
        if id == "f1" { capital(&words::label(&shown[0].measure)) } else { "Other measures".to_owned() };
    let heading = String::new();
    let description = if id == "f1" { answer(source, shown[0]) } else { also(source, shown) };
    Figure {
        id: id.to_owned(),
        title,
        reading: Explanation {
            question: if id == "f1" { question(shown[0]) } else { "What do other measures say?".to_owned() },
            how: if id == "f1" {
                caption(source, shown[0], &data)
            } else {
                short_caption(source, shown, &data)
            },
            not: if id == "f1" { not(source, shown) } else { String::new() },
        },
        description,
        chart: Chart::Rows(Rows { heading, rows: rows.collect(), gap, lanes: all }),
        data,
    }
}

/// Names further measures by which the same model comes first.
fn also(source: &ReportSource<'_>, shown: &[&MeasureFindings]) -> String {
    let Some(best) = source.score().and_then(|score| score.estimates.first()) else { return String::new() };
    let leads = |found: &&&MeasureFindings| {
        found.measure.direction != Direction::Neither
            && found.estimates.first().is_some_and(|first| first.model == best.model)
    };
    let count = shown.iter().filter(|found| found.measure.direction != Direction::Neither).count();
    let first: Vec<String> = shown.iter().filter(leads).map(|found| words::panel(&found.measure)).collect();
    let name = source.label_of(&best.model);
    match first.len() {
        _ if count == 0 => {
            format!("{} without a better direction.", capital(&numbered(shown.len(), "measure")))
        }
        0 => format!("{name} comes first by none of {}.", numbered(count, "other measure")),
        all if all == count => format!(
            "{name} comes first by {}, too.",
            if all == 1 { first[0].clone() } else { format!("all {all}") }
        ),
        _ => format!("{name} comes first by {} of {}.", listed(&first), numbered(count, "other measure")),
    }
}

fn numbered(count: usize, what: &str) -> String {
    hype_core::words::counted(count, what)
}

/// Thresholds by several estimators.
fn by_estimator(source: &ReportSource<'_>, every: &[&MeasureFindings]) -> Figure {
    let mut figure = lanes(source, every, "f8");
    let score = every[0];
    let order = |found: &MeasureFindings| -> Vec<String> {
        found.estimates.iter().map(|one| one.model.to_string()).collect()
    };
    let same = every.iter().all(|found| order(found) == order(score));
    let moved = every[1..]
        .iter()
        .flat_map(|found| &found.estimates)
        .filter_map(|one| Some((one.value - estimate_of(score, &one.model)?.value).abs()))
        .fold(0.0, f64::max);
    let moved = Style::of(score).value(moved);
    "Thresholds by estimator".clone_into(&mut figure.title);
    figure.description = format!(
        "{}, and none moves a model by more than {moved}.",
        if same {
            "All estimators put the models in the same order"
        } else {
            "Estimators differ in the order of models"
        }
    );
    "Does the estimator matter?".clone_into(&mut figure.reading.question);
    "Estimators aim at different shares of right answers: level estimates are not to be expected."
        .clone_into(&mut figure.reading.not);
    if let Chart::Rows(rows) = &mut figure.chart {
        for (number, lane) in rows.lanes.iter_mut().enumerate() {
            lane.is_main = number == 0;
        }
    }
    figure
}

/// Returns the caption in a paper: what is drawn, how many raters, the methods.
fn caption(source: &ReportSource<'_>, found: &MeasureFindings, data: &Data) -> String {
    let level = percent(level_of(found));
    let mut text = Vec::new();
    let counts: Vec<u64> = found.estimates.iter().map(|one| one.raters).collect();
    if let (Some(least), Some(most)) = (counts.iter().min(), counts.iter().max()) {
        let each = if least == most { least.to_string() } else { format!("{least} to {most}") };
        text.push(format!("n = {each} raters per model."));
    }
    if data.has("rater") {
        let is_all = found.estimates.iter().all(|one| one.raters as usize <= MOST_DOTS);
        let dots = if is_all { "Dots: raters" } else { "Dots: 5% of raters each" };
        let bound = if data.has("rater at a bound") { ", hollow at the floor" } else { "" };
        text.push(format!("{dots}{bound}."));
        if are_pseudo(found) {
            text.push("They are jackknife pseudo-values, whose mean is the estimate.".to_owned());
        }
    }
    if data.has("5 % to 95 %") {
        text.push("Pale bars: the middle 50% and 90% of raters.".to_owned());
    }
    let interval = found.estimates.iter().find_map(|one| one.interval.as_ref());
    text.push(match interval {
        Some(interval) => format!("Marks and bars: estimates with {level}% CIs ({}).", interval.method),
        None => "Marks: estimates, without intervals.".to_owned(),
    });
    if data.has("with excluded") {
        text.push("Thin ticks: with excluded raters.".to_owned());
    }
    let methods = methods_of(&found.comparisons);
    if !methods.is_empty() {
        let has_lane = data.part("estimate").any(|row| row.text("panel") == DIFFERENCE);
        let family =
            found.family.as_ref().map(|family| format!(", adjusted among {family}")).unwrap_or_default();
        let methods = listed(&methods);
        if has_lane {
            text.push(format!("Differences: from the best model ({methods}{family})."));
        }
        if data.records().any(|row| !row.text("letters").is_empty()) {
            let by = if has_lane { String::new() } else { format!(" ({methods}{family})") };
            text.push(format!(
                "Models without a common letter differ at p < {}{by}.",
                alpha(level_of(found))
            ));
        }
    }
    if are_odds(found) {
        text.push("Upper axis: the chance to beat an average model.".to_owned());
    }
    if source.simulated {
        text.push("Simulated raters.".to_owned());
    }
    text.join(" ")
}

/// The same of a figure that is not the first.
fn short_caption(source: &ReportSource<'_>, shown: &[&MeasureFindings], data: &Data) -> String {
    let level = percent(shown.iter().map(|found| level_of(found)).fold(0.0, f64::max));
    let has_interval = shown.iter().any(|found| found.estimates.iter().any(|one| one.interval.is_some()));
    let bars = if has_interval { format!("Bars: {level}% CIs. ") } else { String::new() };
    let dots = if data.has("rater") { "Dots: raters. " } else { "" };
    let simulated = if source.simulated { "Simulated raters." } else { "" };
    format!("{bars}{dots}{simulated}").trim_end().to_owned()
}

/// The level of tests that goes with that of intervals, such as 0.05.
fn alpha(level: f64) -> String {
    let text = format!("{:.4}", 1.0 - level);
    text.trim_end_matches('0').to_owned()
}

fn not(source: &ReportSource<'_>, shown: &[&MeasureFindings]) -> String {
    let mut text = vec!["Whether two intervals overlap does not say whether two models differ.".to_owned()];
    let target = shown.iter().find_map(|found| found.generalize_to);
    if let Some(target) =
        target.filter(|_| shown.iter().any(|found| found.estimates.iter().any(|one| one.interval.is_some())))
    {
        text.push(format!("Intervals are about {} and nothing else.", target.words()));
    }
    if shown.iter().any(|found| source.models(found).len() > found.estimates.len()) {
        text.push("Models with \"no data\" have no counted answers.".to_owned());
    }
    text.join(" ")
}
