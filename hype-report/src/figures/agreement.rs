//! How far raters agree, and where answers differ.

use super::distribution::STACK;
use super::ends_of;
use crate::data::Data;
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width,
};
use crate::numbers::fixed;
use crate::source::ReportSource;
use crate::text::listed;

/// Models whose curves can be told apart.
const MOST_CURVES: usize = 7;

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

fn agreement_panel(measure: &str, names: &[String]) -> FigurePanel {
    let (names, gap) = ends_of(names);
    let beside =
        |heading: &str, part, text| Beside { heading: heading.to_owned(), part, at: "coefficient", text };
    let estimate = BesideText::Estimate { columns: ["value", "low", "high"], factor: 1.0, decimals: 3 };
    let panel = FigurePanel::new(
        PanelAxis::numbers("agreement").including(&[0.0, 1.0]),
        PanelAxis::Categories { names, gap },
        vec![
            Mark::interval("coefficient", "coefficient", ["low", "high"], Width::Bold, Tone::Accent),
            Mark::dots("coefficient", ["value", "coefficient"], Dot::Large, Tone::Accent),
        ],
    );
    let beside = vec![
        beside("value [interval]", "coefficient", estimate),
        beside("raters", "coefficient", BesideText::Column("raters")),
        beside("", "undefined", BesideText::Column("label")),
    ];
    FigurePanel { beside, ..panel.only("measure", measure) }
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
    let marks = (0..sources.len())
        .map(|at| Mark::interval(STACK[at], "model", ["low", "high"], Width::Bar, Tone::Series(at)));
    let (drawn, gap) = ends_of(&names);
    let panel = FigurePanel {
        legend: sources.iter().cloned().zip((0..).map(Tone::Series)).collect(),
        ..FigurePanel::new(
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
        description: format!("Shares of the variance from {}.", listed(&sources)),
        data,
        chart: panel.alone(),
    })
}

/// The reliability of the mean of an item by the number of its raters, if its components were estimated.
pub(super) fn reliability(source: &ReportSource<'_>) -> Option<Figure> {
    let found = source.score()?;
    let table = found.tables.iter().find(|table| &*table.name == "generalizability")?;
    let place = |name: &str| table.columns.iter().position(|column| &*column.name == name);
    let [model, object, raters] = [place("model")?, place("object")?, place("raters")?];
    let [variance, error, known] =
        [place("object_variance")?, place("absolute_error_variance")?, place("dependability")?];
    let mut data = Data::new(["model", "raters", "reliability"]);
    let mut legend = Vec::new();
    let mut said = Vec::new();
    let of_items = || table.rows.iter().filter(|row| row[object].as_str() == Some("items"));
    let most = of_items().filter_map(|row| row[raters].as_f64()).fold(5.0, f64::max);
    let is_crowded = of_items().count() > MOST_CURVES;
    for row in of_items().filter(|row| !is_crowded || row[model].is_null()) {
        let name = row[model].as_str().unwrap_or("all models");
        let numbers = [raters, variance, error, known].map(|column| row[column].as_f64());
        let [Some(raters), Some(variance), Some(error), Some(known)] = numbers else { continue };
        // The error of one rater; that of a mean is in inverse proportion to their number.
        let of_one = error * raters;
        for count in 1..=(2.0 * most) as u64 {
            let reliability = variance / (variance + of_one / count as f64);
            data.push("expected", [name.into(), count.into(), reliability.into()]);
        }
        data.push("study", [name.into(), raters.into(), known.into()]);
        legend.push((name.to_owned(), Tone::Series(legend.len())));
        said.push(format!("{} for {name} with {raters}", fixed(known, 2)));
    }
    if legend.is_empty() {
        return None;
    }
    let panel = FigurePanel {
        legend,
        ..FigurePanel::new(
            PanelAxis::whole("raters of an item").including(&[1.0]),
            PanelAxis::numbers("reliability of the mean of an item").including(&[0.0, 1.0]),
            vec![
                Mark::line("expected", ["raters", "reliability"], Tone::Series(0)).by("model"),
                Mark::dots("study", ["raters", "reliability"], Dot::Large, Tone::Ink),
            ],
        )
    };
    said.truncate(4);
    Some(Figure {
        id: "f13-reliability".to_owned(),
        title: format!("Reliability and the number of raters: {}", found.measure.label),
        reading: Explanation {
            question: "How many raters does an item need?".to_owned(),
            how: "Curves are indices of dependability (Brennan 2001): the share of the variance of items' means that is due to the \
                  items. Dots are at the number of raters that an item of the study typically has."
                .to_owned(),
            not: "It is about means of items; differences between models may be known well where those of items are not."
                .to_owned(),
        },
        description: format!("Reliability of the mean of an item: {}.", listed(&said)),
        data,
        chart: panel.alone(),
    })
}
