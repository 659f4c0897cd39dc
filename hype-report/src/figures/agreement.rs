//! How far raters agree, and where answers differ.

use super::distribution::STACK;
use super::ends_of;
use crate::data::{Cell, Data, DataRow};
use crate::figure::{
    Beside, BesideText, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width,
};
use crate::numbers::fixed;
use crate::source::{ReportSource, main_agreement};
use crate::text::listed;
use crate::words::{panel, shortened};

/// Models whose curves can be told apart.
const MOST_CURVES: usize = 7;

/// One coefficient of agreement for each question; the others are in its table.
pub(super) fn agreement(source: &ReportSource<'_>) -> Option<Figure> {
    let mut data = Data::new([
        "measure",
        "name",
        "coefficient",
        "model",
        "value",
        "low",
        "high",
        "raters",
        "items",
        "text",
    ]);
    let (mut names, mut few): (Vec<String>, bool) = (Vec::new(), false);
    for found in source.findings.measures.iter().filter(|found| !found.agreement.is_empty()) {
        let Some(main) = main_agreement(&found.agreement) else { continue };
        let mut name = shortened(&panel(&found.measure));
        if names.contains(&name) {
            name = found.measure.label.to_string();
        }
        for (place, one) in found.agreement.iter().enumerate() {
            let (part, text) = match one.value {
                _ if place != main => ("supplement", None),
                Some(_) => ("coefficient", Some(one.coefficient.to_string())),
                None => ("undefined", Some(format!("{}: not defined", one.coefficient))),
            };
            few |= place == main && one.raters <= 3;
            data.push(
                part,
                [
                    (&found.measure.label).into(),
                    name.as_str().into(),
                    (&one.coefficient).into(),
                    one.model.as_ref().map_or(Cell::Empty, Into::into),
                    one.value.into(),
                    one.interval.as_ref().map(|interval| interval.low).into(),
                    one.interval.as_ref().map(|interval| interval.high).into(),
                    one.raters.into(),
                    one.items.into(),
                    text.into(),
                ],
            );
        }
        names.push(name);
    }
    if names.is_empty() {
        return None;
    }
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
        description: describe(&data),
        chart: agreement_panel(&names).alone(),
        data,
    })
}

fn describe(data: &Data) -> String {
    let mut rows = data.part("coefficient").filter_map(|row| Some((row, row.number("value")?)));
    let Some(first) = rows.next() else {
        return "No coefficient of agreement is defined for these answers.".to_owned();
    };
    let (mut low, mut high) = (first, first);
    for one in rows {
        if one.1 < low.1 {
            low = one;
        }
        if one.1 > high.1 {
            high = one;
        }
    }
    let said = |(row, value): (DataRow<'_>, f64)| format!("{} {}", row.text("name"), fixed(value, 2));
    if low.0.text("name") == high.0.text("name") {
        return format!("Agreement ({}): {}.", low.0.text("coefficient"), said(low));
    }
    format!("Agreement is lowest for {} and highest for {}.", said(low), said(high))
}

fn agreement_panel(names: &[String]) -> FigurePanel {
    let (names, gap) = ends_of(names);
    let beside = |heading: &str, part, text| Beside { heading: heading.to_owned(), part, at: "name", text };
    let estimate = BesideText::Estimate { columns: ["value", "low", "high"], factor: 1.0, decimals: 2 };
    FigurePanel {
        beside: vec![
            beside("value [interval]", "coefficient", estimate),
            beside("coefficient", "coefficient", BesideText::Column("text")),
            beside("", "undefined", BesideText::Column("text")),
        ],
        ..FigurePanel::new(
            PanelAxis::numbers("agreement").including(&[0.0, 1.0]),
            PanelAxis::Categories { names, gap },
            vec![
                Mark::interval("coefficient", "name", ["low", "high"], Width::Bold, Tone::Accent),
                Mark::dots("coefficient", ["value", "name"], Dot::Large, Tone::Accent),
            ],
        )
    }
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
