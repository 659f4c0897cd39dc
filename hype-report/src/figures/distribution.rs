//! What was answered: how often each value was given, and how far raters agree about it.

use hype_core::model::findings::MeasureFindings;

use super::slug;
use crate::data::{Cell, Data};
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Figure, Mark, Panel, PanelAxis, Tone, Width,
};
use crate::source::{Counts, ReportSource, estimate_of};
use crate::text::fixed;

/// More different values are not stacked.
const MOST_STACKED: usize = 11;
/// The parts of a stack, from the first value to the last.
const STACK: [&str; MOST_STACKED] = [
    "value 1", "value 2", "value 3", "value 4", "value 5", "value 6", "value 7", "value 8", "value 9",
    "value 10", "value 11",
];

/// The answers of each compared measure whose values are few, as stacked shares.
pub(super) fn answers(source: &ReportSource<'_>, id: &str) -> Vec<Figure> {
    let is_counted = |found: &&MeasureFindings| found.items > 0 && &*found.measure.unit != "proportion";
    source
        .compared()
        .filter(is_counted)
        .enumerate()
        .filter_map(|(number, found)| {
            let id = if number == 0 { id.to_owned() } else { format!("{id}-{}", slug(&found.measure.name)) };
            stacked(source, found, id)
        })
        .collect()
}

fn stacked(source: &ReportSource<'_>, found: &MeasureFindings, id: String) -> Option<Figure> {
    let models: Vec<(String, Counts)> = source
        .models(found)
        .iter()
        .filter_map(|model| Some((model.to_string(), source.records.values(&found.measure.name, model)?)))
        .collect();
    let mut values: Vec<f64> =
        models.iter().flat_map(|(_, counts)| counts.iter().map(|(value, _)| *value)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| a.total_cmp(b).is_eq());
    if values.len() < 2 || values.len() > MOST_STACKED {
        return None;
    }
    let mut data = Data::new(["model", "value", "count", "share", "low", "high"]);
    let mut largest: Option<(&str, f64, f64)> = None;
    for (model, counts) in &models {
        let total: u64 = counts.iter().map(|(_, count)| count).sum();
        let mut below = 0_u64;
        for (part, value) in STACK.iter().zip(&values) {
            let count = counts
                .iter()
                .find(|(known, _)| known.total_cmp(value).is_eq())
                .map_or(0, |(_, count)| *count);
            let share = |count: u64| count as f64 / total as f64;
            data.push(
                part,
                [
                    model.as_str().into(),
                    (*value).into(),
                    count.into(),
                    share(count).into(),
                    share(below).into(),
                    share(below + count).into(),
                ],
            );
            below += count;
            if largest.is_none_or(|(.., known)| share(count) > known) {
                largest = Some((model, *value, share(count)));
            }
        }
    }
    let (model, value, share) = largest?;
    let names: Vec<String> = models.iter().map(|(name, _)| name.clone()).collect();
    let (names, gap) = super::ends_of(&names);
    let tones = tones(values.len());
    let marks = STACK.iter().zip(&tones).map(|(part, tone)| Mark::Interval {
        part,
        at: "model",
        low: "low",
        high: "high",
        width: Width::Bar,
        tone: *tone,
    });
    let panel = Panel {
        legend: values.iter().map(ToString::to_string).zip(tones.iter().copied()).collect(),
        ..Panel::new(
            PanelAxis::numbers("share of answers (%)").times(100.0).including(&[0.0, 1.0]),
            PanelAxis::Categories { names, gap },
            marks.collect(),
        )
    };
    Some(Figure {
        id,
        title: format!("Answers: {}", found.measure.label),
        reading: Explanation {
            question: "What was answered, and how often?".to_owned(),
            how: "Each bar is a model; its pieces are the shares of the values, the lowest value on the left.".to_owned(),
            not: "Answers of one rater, and about one item, are not independent, so that the shares are less certain than \
                  their number suggests."
                .to_owned(),
        },
        description: format!(
            "The most frequent answer to any model is {value}, in {:.0} % of the answers about {model}.",
            share * 100.0
        ),
        data,
        chart: panel.alone(),
    })
}

/// Colours from one end to the other, so that neighbours differ.
fn tones(count: usize) -> Vec<Tone> {
    const ENDS: [Tone; 3] = [Tone::Series(1), Tone::Series(4), Tone::Series(6)];
    const OTHERS: [Tone; 3] = [Tone::Series(0), Tone::Series(5), Tone::Series(2)];
    (0..count)
        .map(|place| {
            let from_end = place.min(count - 1 - place);
            match (2 * place + 1).cmp(&count) {
                std::cmp::Ordering::Less => ENDS[from_end % ENDS.len()],
                std::cmp::Ordering::Equal => Tone::Faint,
                std::cmp::Ordering::Greater => OTHERS[from_end % OTHERS.len()],
            }
        })
        .collect()
}

/// The coefficients of agreement of all measures.
pub(super) fn agreement(source: &ReportSource<'_>) -> Option<Figure> {
    let mut data = Data::new(["measure", "coefficient", "value", "low", "high", "raters", "items", "label"]);
    let mut panels = Vec::new();
    let mut few = false;
    for found in source.findings.measures.iter().filter(|found| !found.agreement.is_empty()) {
        let mut names: Vec<String> = Vec::new();
        for one in &found.agreement {
            let model = one.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
            let name = format!("{}{model}", one.coefficient);
            if names.contains(&name) {
                continue;
            }
            few |= one.raters <= 3;
            let part = if one.value.is_some() { "coefficient" } else { "undefined" };
            data.push(
                part,
                [
                    (&found.measure.label).into(),
                    name.as_str().into(),
                    one.value.into(),
                    one.interval.as_ref().map(|interval| interval.low).into(),
                    one.interval.as_ref().map(|interval| interval.high).into(),
                    one.raters.into(),
                    one.items.into(),
                    one.undefined.as_ref().map(|_| "undefined").into(),
                ],
            );
            names.push(name);
        }
        panels.push(agreement_panel(&found.measure.label, &names));
    }
    let defined: Vec<f64> = data.part("coefficient").filter_map(|row| row.number("value")).collect();
    let low = defined.iter().copied().reduce(f64::min);
    let high = defined.iter().copied().reduce(f64::max);
    if panels.is_empty() {
        return None;
    }
    let description = match low.zip(high) {
        None => "No coefficient of agreement is defined for these answers.".to_owned(),
        Some((low, high)) => {
            format!("Coefficients of agreement lie between {} and {}.", fixed(low, 3), fixed(high, 3))
        }
    };
    let mut not = "Raters can agree for other reasons than what was asked, and low agreement does not make means of many \
                   raters uncertain."
        .to_owned();
    if few {
        not.push_str(" With three raters or fewer, it is about these raters only.");
    }
    Some(Figure {
        id: "f13".to_owned(),
        title: "Agreement of raters".to_owned(),
        reading: Explanation {
            question: "How far do raters agree about the same items?".to_owned(),
            how: "Dots are coefficients of agreement, bars their intervals. 1 is full agreement. For coefficients that correct \
                  for chance, 0 is what chance gives."
                .to_owned(),
            not,
        },
        description,
        data,
        chart: Chart::Panels { panels, across: 1 },
    })
}

fn agreement_panel(measure: &str, names: &[String]) -> Panel {
    let (names, gap) = super::ends_of(names);
    let beside =
        |heading: &str, part, text| Beside { heading: heading.to_owned(), part, at: "coefficient", text };
    let estimate = BesideText::Estimate { columns: ["value", "low", "high"], factor: 1.0, decimals: 3 };
    let panel = Panel::new(
        PanelAxis::numbers("agreement").including(&[0.0, 1.0]),
        PanelAxis::Categories { names, gap },
        vec![
            Mark::Interval {
                part: "coefficient",
                at: "coefficient",
                low: "low",
                high: "high",
                width: Width::Bold,
                tone: Tone::Accent,
            },
            Mark::Dots {
                part: "coefficient",
                x: "value",
                y: "coefficient",
                look: Dot::Large,
                tone: Tone::Accent,
            },
        ],
    );
    let beside = vec![
        beside("value [interval]", "coefficient", estimate),
        beside("raters", "coefficient", BesideText::Column("raters")),
        beside("", "undefined", BesideText::Column("label")),
    ];
    Panel { beside, ..panel.only("measure", measure) }
}

/// Shares of variance from raters, items and the rest, if they were estimated.
pub(super) fn components(source: &ReportSource<'_>) -> Option<Figure> {
    let found = source.score()?;
    let table = found.tables.iter().find(|table| &*table.name == "components")?;
    let place = |name: &str| table.columns.iter().position(|column| &*column.name == name);
    let (model, origin, share) = (place("model")?, place("source")?, place("share")?);
    let mut data = Data::new(["model", "source", "share", "low", "high"]);
    let (mut names, mut sources): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut below = 0.0;
    for row in &table.rows {
        let Some(share) = row[share].as_f64() else { continue };
        let model = row[model].as_str().unwrap_or("all models").to_owned();
        let origin = row[origin].as_str().unwrap_or_default().to_owned();
        if names.last() != Some(&model) {
            below = 0.0;
            names.push(model.clone());
        }
        if !sources.contains(&origin) {
            sources.push(origin.clone());
        }
        let at = sources.iter().position(|known| *known == origin)?;
        let part = STACK.get(at)?;
        data.push(part, [model.into(), origin.into(), share.into(), below.into(), (below + share).into()]);
        below += share;
    }
    if names.is_empty() {
        return None;
    }
    let marks = (0..sources.len()).map(|at| Mark::Interval {
        part: STACK[at],
        at: "model",
        low: "low",
        high: "high",
        width: Width::Bar,
        tone: Tone::Series(at),
    });
    let (drawn, gap) = super::ends_of(&names);
    let panel = Panel {
        legend: sources.iter().cloned().zip((0..).map(Tone::Series)).collect(),
        ..Panel::new(
            PanelAxis::numbers("share of the variance (%)").times(100.0).including(&[0.0, 1.0]),
            PanelAxis::Categories { names: drawn, gap },
            marks.collect(),
        )
    };
    Some(Figure {
        id: "f13-components".to_owned(),
        title: format!("Where answers differ: {}", found.measure.label),
        reading: Explanation {
            question: "Do answers differ between items, or between raters?".to_owned(),
            how: "The pieces of a bar are the shares of the variance of single answers.".to_owned(),
            not: "Shares are estimates, those of few raters or items very uncertain ones; negative estimates count as 0."
                .to_owned(),
        },
        description: format!("Shares of the variance from {}.", crate::text::listed(&sources)),
        data,
        chart: panel.alone(),
    })
}

/// The ranks that models may have.
pub(super) fn ranks(found: &MeasureFindings) -> Option<Figure> {
    let ranks = found.ranks.as_ref().filter(|ranks| ranks.models.len() > 2)?;
    let mut data = Data::new(["model", "rank", "best", "worst"]);
    let mut single = 0;
    for (place, model) in ranks.models.iter().enumerate() {
        let (best, worst) = (model.simultaneous.best, model.simultaneous.worst);
        single += usize::from(best == worst);
        let known = estimate_of(found, &model.model).is_some();
        let rank = if known { Cell::from(place as u64 + 1) } else { Cell::Empty };
        data.push("ranks", [(&model.model).into(), rank, best.into(), worst.into()]);
    }
    let names: Vec<String> = ranks.models.iter().map(|model| model.model.to_string()).collect();
    let (names, gap) = super::ends_of(&names);
    let chart: Chart = Panel::new(
        PanelAxis::whole("rank").including(&[1.0, ranks.models.len() as f64]),
        PanelAxis::Categories { names, gap },
        vec![
            Mark::Interval {
                part: "ranks",
                at: "model",
                low: "best",
                high: "worst",
                width: Width::Bold,
                tone: Tone::Accent,
            },
            Mark::Dots { part: "ranks", x: "rank", y: "model", look: Dot::Large, tone: Tone::Accent },
        ],
    )
    .alone();
    Some(Figure {
        id: "f15-ranks".to_owned(),
        title: "Possible ranks".to_owned(),
        reading: Explanation {
            question: "Which ranks are compatible with the study?".to_owned(),
            how: format!(
                "Dots are the places in the order of estimates, bars the ranks of a set that covers those of all models \
                 together with {} % confidence ({}).",
                crate::text::percent(ranks.level),
                ranks.method
            ),
            not: "Ranks say nothing about how far models are apart.".to_owned(),
        },
        description: format!("{single} of {} models have a single possible rank.", ranks.models.len()),
        data,
        chart,
    })
}
