//! Distributions of answers: how often each value was given.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::findings::MeasureFindings;
use hype_core::plugin::rubric::Asked;
use hype_core::{Form, Role, Study};

use crate::data::Data;
use crate::figure::{Chart, Explanation, Extent, Figure, FigurePanel, Mark, PanelAxis, Tone, Width};
use crate::numbers::fixed;
use crate::prose::capital;
use crate::source::{Counts, PairCounts, ReportSource, is_same};
use crate::words;

/// Models with a panel each.
const MOST_PANELS: usize = 9;
/// More different values are not stacked.
const MOST_STACKED: usize = 11;
/// Smaller shares are not written into their bars.
const LEAST_WRITTEN: f64 = 0.08;
/// The parts of a stack, from the first value to the last.
pub(super) const STACK: [&str; MOST_STACKED] = [
    "value 1", "value 2", "value 3", "value 4", "value 5", "value 6", "value 7", "value 8", "value 9",
    "value 10", "value 11",
];

/// The answers of each compared measure whose values are few, as stacked shares: a panel for each measure.
pub(super) fn answers(source: &ReportSource<'_>, id: &str) -> Option<Figure> {
    let is_counted = |found: &&MeasureFindings| found.items > 0 && &*found.measure.unit != "proportion";
    let mut data = Data::new(["measure", "model", "value", "count", "share", "text", "low", "high"]);
    let all: Vec<Stacked> =
        source.compared().filter(is_counted).filter_map(|found| stacked(source, found, &mut data)).collect();
    let clearest = all.iter().max_by(|a, b| a.share.total_cmp(&b.share))?;
    let about = if all.len() > 1 { format!(" ({})", clearest.panel.title) } else { String::new() };
    let description = format!(
        "The most frequent answer to any model is {}, in {:.0}% of the answers about {}{about}.",
        clearest.answer,
        clearest.share * 100.0,
        clearest.model
    );
    let mut panels: Vec<FigurePanel> = all.into_iter().map(|one| one.panel).collect();
    if let [only] = &mut panels[..] {
        only.title = String::new();
    }
    Some(Figure {
        id: id.to_owned(),
        title: "Answers".to_owned(),
        reading: Explanation {
            question: "What was answered, and how often?".to_owned(),
            how: "Pieces of a bar: shares of the answers about a model in %, the lowest on the left. The middle answer lies half on \
                  either side of zero."
                .to_owned(),
            not: "Answers of one rater, and about one item, are not independent: the shares are less certain than their number \
                  suggests."
                .to_owned(),
        },
        description,
        data,
        chart: Chart::Panels { panels, across: 1 },
    })
}

/// The answers to a question, with the most frequent one.
struct Stacked {
    panel: FigurePanel,
    answer: String,
    model: String,
    share: f64,
}

/// Stacks the answers of a measure; `None` if there are none, or too many different ones.
fn stacked(source: &ReportSource<'_>, found: &MeasureFindings, data: &mut Data) -> Option<Stacked> {
    let measure = &found.measure;
    let models: Vec<(String, Counts)> = source
        .models(found)
        .iter()
        .filter_map(|model| Some((model.to_string(), source.records.values(&measure.name, model)?)))
        .collect();
    let mut values: Vec<f64> =
        models.iter().flat_map(|(_, counts)| counts.iter().map(|(value, _)| *value)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| a.total_cmp(b).is_eq());
    if values.len() < 2 || values.len() > MOST_STACKED {
        return None;
    }
    let middle = f64::midpoint(values[0], values[values.len() - 1]);
    let mut largest: Option<(&str, f64, f64)> = None;
    for (model, counts) in &models {
        let (value, share) = stack(data, [&measure.name, model], counts, &values, middle);
        if largest.is_none_or(|(.., known)| share > known) {
            largest = Some((model, value, share));
        }
    }
    let (model, value, share) = largest?;
    let in_words = in_words(source, found);
    let worded: Vec<String> = values.iter().map(|value| in_words(*value)).collect();
    let names: Vec<String> = models.iter().map(|(name, _)| name.clone()).collect();
    let (names, gap) = super::ends_of(&names);
    let tones = tones(values.len());
    let marks = STACK
        .iter()
        .zip(&tones)
        .map(|(part, tone)| Mark::interval(part, "model", ["low", "high"], Width::Bar, *tone));
    let axis = PanelAxis::numbers("share of answers (%)").times(100.0).including(&[0.0]);
    let panel = FigurePanel {
        title: capital(&words::panel(measure)),
        only: Some(("measure", measure.name.to_string())),
        legend: worded.iter().cloned().zip(tones.iter().copied()).collect(),
        ..FigurePanel::new(axis, PanelAxis::Categories { names, gap }, marks.collect())
    };
    Some(Stacked { panel, answer: in_words(value), model: source.label_of(model), share })
}

/// Returns the text that raters read for a value: the label of its option where the study has it, otherwise the number.
fn in_words<'a>(source: &'a ReportSource<'_>, found: &'a MeasureFindings) -> impl Fn(f64) -> String + 'a {
    let measure = &*found.measure.name;
    let labels: BTreeMap<Arc<str>, Arc<str>> =
        source.study.map(|study| options(study, measure)).unwrap_or_default();
    move |value| {
        let option = source.records.option_of(measure, value).and_then(|option| labels.get(option));
        option.map_or_else(|| fixed_value(value), ToString::to_string)
    }
}

/// The labels of the options of a question, by their values.
fn options(study: &Study, id: &str) -> BTreeMap<Arc<str>, Arc<str>> {
    let item = study.stimuli().items().first();
    let of_item = study.rubric().questions(&Asked { item, role: Role::Generated });
    let design = study.design();
    let own = design.questions();
    let question = own.iter().chain(&*of_item).find(|question| &*question.id == id);
    match question.map(|question| &question.form) {
        Some(Form::Choice { options }) => {
            options.iter().map(|option| (Arc::clone(&option.value), Arc::clone(&option.label))).collect()
        }
        _ => BTreeMap::new(),
    }
}

/// Adds a model's answers, from the lowest value to the highest; returns the most frequent value, with its share.
fn stack(
    data: &mut Data,
    [measure, model]: [&str; 2],
    counts: &Counts,
    values: &[f64],
    middle: f64,
) -> (f64, f64) {
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    let (mut below, mut most) = (0_u64, (middle, 0.0));
    // Twice the answers to the left of the middle: those of the middle value lie half on either side.
    let left: u64 = counts
        .iter()
        .map(|(value, count)| match value.total_cmp(&middle) {
            Ordering::Less => 2 * count,
            Ordering::Equal => *count,
            Ordering::Greater => 0,
        })
        .sum();
    let place = |below: u64| (2.0 * below as f64 - left as f64) / (2.0 * total as f64);
    for (part, value) in STACK.iter().zip(values) {
        let count =
            counts.iter().find(|(known, _)| known.total_cmp(value).is_eq()).map_or(0, |(_, count)| *count);
        let share = |count: u64| count as f64 / total as f64;
        data.push(
            part,
            [
                measure.into(),
                model.into(),
                (*value).into(),
                count.into(),
                share(count).into(),
                (share(count) >= LEAST_WRITTEN).then(|| fixed(100.0 * share(count), 0)).into(),
                place(below).into(),
                place(below + count).into(),
            ],
        );
        below += count;
        if share(count) > most.1 {
            most = (*value, share(count));
        }
    }
    most
}

/// A value with three decimals at most.
fn fixed_value(value: f64) -> String {
    ((value * 1e3).round() / 1e3).to_string()
}

/// Colours from one end to the other.
fn tones(count: usize) -> Vec<Tone> {
    (0..count).map(|place| Tone::Step(place, count)).collect()
}

/// Where the product of two values is 0, of the values that were given in ascending order.
fn zeros(values: &[Vec<f64>; 2]) -> &'static str {
    let has_zero = |axis: &Vec<f64>| axis.first().is_some_and(|least| least.abs() < 1e-12);
    match [has_zero(&values[0]), has_zero(&values[1])] {
        [true, true] => ", and is 0 in the first column and in the lowest row",
        [true, false] => ", and is 0 in the first column",
        [false, true] => ", and is 0 in the lowest row",
        [false, false] => "",
    }
}

/// The pairs of values by name, one for all models if they are pooled; and the values of each axis, in ascending order.
fn counted<'a>(
    models: &'a [String],
    all: &BTreeMap<Arc<str>, PairCounts>,
    pooled: bool,
) -> (Vec<(&'a str, PairCounts)>, [Vec<f64>; 2]) {
    let mut values: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    let mut counts: Vec<(&str, PairCounts)> = Vec::new();
    for model in models {
        let name = if pooled { "all models" } else { model.as_str() };
        if counts.last().is_none_or(|(known, _)| *known != name) {
            counts.push((name, Vec::new()));
        }
        let Some((_, sums)) = counts.last_mut() else { continue };
        for (pair, count) in all.get(&**model).into_iter().flatten() {
            match sums.iter_mut().find(|(known, _)| is_same(known, pair)) {
                Some((_, sum)) => *sum += count,
                None => sums.push((*pair, *count)),
            }
            for (axis, value) in values.iter_mut().zip(pair) {
                if !axis.contains(value) {
                    axis.push(*value);
                }
            }
        }
    }
    for axis in &mut values {
        axis.sort_by(f64::total_cmp);
    }
    (counts, values)
}

/// How often both values are the highest, in a sentence; `best` is the largest share, with the name it is about.
fn best_of_both(best: Option<(f64, &str)>, names: usize) -> String {
    match best {
        Some((share, name)) => {
            let share = fixed(share * 100.0, 0);
            let answers = if names == 1 {
                format!("in {share}% of the answers about {name}")
            } else {
                format!("in up to {share}% of the answers about a model, most often for {name}")
            };
            format!("Both have the highest values that were given {answers}.")
        }
        None => "No answer has the highest values that were given of both.".to_owned(),
    }
}

/// How often values of semantic consistency and of perceptual quality were given together.
pub(super) fn together(source: &ReportSource<'_>) -> Option<Figure> {
    let all = source.records.together();
    let found = source.score()?;
    let mut models: Vec<String> = source.models(found).iter().map(ToString::to_string).collect();
    models.retain(|model| all.contains_key(&**model));
    let pooled = models.len() > MOST_PANELS;
    let mut data = Data::new(["model", "SC", "PQ", "count", "share", "shade"]);
    let (mut counts, values) = counted(&models, all, pooled);
    if values.iter().any(|axis| axis.is_empty() || axis.len() > MOST_STACKED) {
        return None;
    }
    let mut best: Option<(f64, &str)> = None;
    for (name, sums) in &mut counts {
        let total: u64 = sums.iter().map(|(_, count)| count).sum();
        let most = sums.iter().map(|(_, count)| *count).max().unwrap_or(1);
        sums.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]).then(a.0[1].total_cmp(&b.0[1])));
        for ([sc, pq], count) in sums.iter() {
            let share = *count as f64 / total as f64;
            let shade = 0.5 * *count as f64 / most as f64;
            data.push(
                "pair",
                [
                    (*name).into(),
                    fixed_value(*sc).into(),
                    fixed_value(*pq).into(),
                    (*count).into(),
                    share.into(),
                    shade.into(),
                ],
            );
            let is_best = [*sc, *pq].iter().zip(&values).all(|(value, axis)| axis.last() == Some(value));
            if is_best && best.is_none_or(|(known, _)| share > known) {
                best = Some((share, name));
            }
        }
    }
    let names = |axis: &[f64]| axis.iter().copied().map(fixed_value).collect::<Vec<_>>();
    let across = names(&values[0]);
    let up: Vec<String> = names(&values[1]).into_iter().rev().collect();
    let panel = |name: &str| {
        let panel = FigurePanel::new(
            PanelAxis::categories(across.clone()),
            PanelAxis::categories(up.clone()),
            vec![
                Mark::band("pair", "SC", Extent::Cell("PQ", "shade"), Tone::Accent),
                Mark::label("pair", ["SC", "PQ"], "count", Tone::Ink),
            ],
        );
        panel.only("model", name)
    };
    let panels: Vec<FigurePanel> = counts.iter().map(|(name, _)| panel(name)).collect();
    let description = best_of_both(best, panels.len());
    let of = if pooled { "the answers" } else { "the model's answers" };
    (!panels.is_empty()).then(|| Figure {
        id: "f12-sc-pq".to_owned(),
        title: "Semantic consistency (across) and perceptual quality (up)".to_owned(),
        reading: Explanation {
            question: "Do images fail by what they show, or by how they look?".to_owned(),
            how: format!(
                "Columns are values of semantic consistency, rows those of perceptual quality; cells have the number of answers. \
                 The darker, the more of {of}. The overall score is the root of the product{}.",
                zeros(&values)
            ),
            not: "Answers of one rater, and about one item, are not independent.".to_owned(),
        },
        description,
        data,
        chart: Chart::Panels { across: panels.len().min(3), panels },
    })
}
