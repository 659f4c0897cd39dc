//! The pages of plans: their tables, and their curves against raters and cost.

use hype::plan::{Curve, CurveRow, Outlook, PlanRow, PlannedCost, StudyPlan};
use hype_core::Measure;
use hype_core::study::analysis::software;
use hype_report::FigurePage;
use hype_report::data::{Cell, Data};
use hype_report::figure::{Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone};

use super::page;

pub(super) fn page(plan: &StudyPlan) -> FigurePage {
    let (headings, rows) = page::table(plan);
    let mut facts = vec![format!("Assumed: {}", plan.assumptions.text), page::named(&plan.measure)];
    facts.extend(plan.assumptions.models.iter().map(|model| page::assumed(plan, model)));
    facts.extend(page::legend(plan));
    FigurePage {
        name: format!("Plan of {}", plan.study),
        answer: plan.advice.clone(),
        facts,
        warnings: plan.warnings.clone(),
        figures: width(plan).into_iter().chain(chances(plan)).collect(),
        headings,
        rows,
        software: plan.software.to_string(),
    }
}

/// The cost that curves are drawn against: with the fees of the panel, or without fees if several are listed.
/// `None` if it is not known.
fn cost(row: &PlanRow) -> Option<&PlannedCost> {
    match &*row.costs {
        [_, with_fees] => Some(with_fees),
        costs => costs.first(),
    }
}

/// A curve: its name, and its value for an outlook.
type PlannedCurve = (&'static str, fn(&Outlook) -> Option<f64>);

/// The parts of the tables: what is expected, and what if raters differ more.
const EXPECTED: &str = "expected";
const LIMIT: &str = "limit";

/// A table of curves, with one row for each curve and number of raters: as expected, and at the limits of the standard deviations.
fn curves(plan: &StudyPlan, of: &[PlannedCurve]) -> Data {
    let mut data = Data::new(["curve", "raters", "sessions", "cost", "value"]);
    for (name, value) in of {
        for row in &plan.rows {
            for (part, outlook) in [(EXPECTED, Some(&row.expected)), (LIMIT, row.cautious.as_ref())] {
                let Some(value) = outlook.and_then(value) else { continue };
                let count = |number: u32| Cell::from(u64::from(number));
                let cost = cost(row).map(|cost| cost.total.as_units());
                data.push(
                    part,
                    [(*name).into(), count(row.raters), count(row.sessions), cost.into(), value.into()],
                );
            }
        }
    }
    data
}

/// The same curves against raters and, where it is known, cost.
fn chart(plan: &StudyPlan, data: &Data, label: &str, factor: f64, ends: &[f64]) -> Chart {
    let marks = |x| {
        let tone = Tone::Series(0);
        let line =
            |part, dashed| Mark::Line { part, x: Some(x), y: Some("value"), by: "curve", dashed, tone };
        let dots = Mark::Dots { part: EXPECTED, x, y: "value", look: Dot::Small, tone: Tone::Ink };
        vec![line(LIMIT, true), line(EXPECTED, false), dots]
    };
    let y = || PanelAxis::numbers(label).times(factor).including(ends);
    let raters = PanelAxis::whole(format!("raters for each {}", plan.raters_by)).including(&[0.0]);
    let mut panels = vec![FigurePanel::new(raters, y(), marks("raters"))];
    if let Some(cost) = plan.rows.iter().find_map(cost)
        && data.records().all(|row| row.number("cost").is_some())
    {
        let fees = match cost.fee {
            fee if fee > 0.0 => format!("with {} % fees", crate::tables::percent(fee)),
            _ => "without fees".to_owned(),
        };
        let axis = PanelAxis::numbers(format!("cost ({}, {fees})", cost.currency)).including(&[0.0]);
        panels.push(FigurePanel::new(axis, y(), marks("cost")));
    }
    for panel in &mut panels {
        panel.legend = legend(data, "curve");
    }
    let across = panels.len();
    Chart::Panels { panels, across }
}

/// The names of several curves with their colours.
fn legend(data: &Data, by: &str) -> Vec<(String, Tone)> {
    let mut names: Vec<String> = Vec::new();
    for row in data.records() {
        let name = row.text(by);
        if names.iter().all(|known| known != name) {
            names.push(name.to_owned());
        }
    }
    if names.len() < 2 {
        return Vec::new();
    }
    names.into_iter().enumerate().map(|(place, name)| (name, Tone::Series(place))).collect()
}

/// Explains dashed lines, if there are any.
fn dashed(data: &Data) -> String {
    if data.has(LIMIT) { format!(" Dashed: {}.", page::LIMIT) } else { String::new() }
}

/// Returns the factor that shows proportions in percent.
fn factor(measure: &Measure) -> f64 {
    if &*measure.unit == "proportion" { 100.0 } else { 1.0 }
}

fn width(plan: &StudyPlan) -> Option<Figure> {
    let data = curves(plan, &[("width", |outlook| outlook.width)]);
    let last = data.part(EXPECTED).last()?.number("value")?;
    let factor = factor(&plan.measure);
    let label = format!("width of the {} % interval", crate::tables::percent(plan.level));
    let raters = plan.rows.last()?.raters;
    Some(Figure {
        id: "plan-width".to_owned(),
        title: "Width of intervals".to_owned(),
        reading: Explanation {
            question: "How precise are estimates with more raters, and what does that cost?".to_owned(),
            how: format!(
                "The curve is the width from end to end of the widest interval of a model, as the plan expects it.{}",
                dashed(&data)
            ),
            not: "Widths rest on the assumptions above, and do not say whether two models can be told apart."
                .to_owned(),
        },
        description: format!(
            "With {raters} raters for each {}, the widest interval is {:.2}{} wide.",
            plan.raters_by,
            last * factor,
            if factor > 1.0 { " percentage points" } else { "" }
        ),
        chart: chart(plan, &data, &label, factor, &[0.0]),
        data,
    })
}

fn chances(plan: &StudyPlan) -> Option<Figure> {
    let data = curves(
        plan,
        &[
            ("closest pair told apart", |outlook| outlook.power.map(|chance| chance.probability)),
            ("all pairs told apart", |outlook| outlook.all_pairs.map(|chance| chance.probability)),
            ("best model first", |outlook| outlook.best.map(|chance| chance.probability)),
            ("all in the right order", |outlook| outlook.order.map(|chance| chance.probability)),
        ],
    );
    let last = data.part(EXPECTED).last()?;
    let description = format!(
        "With {} raters for each {}: {}, with probability {:.2}.",
        last.cell("raters").exact(),
        plan.raters_by,
        last.text("curve"),
        last.number("value")?
    );
    Some(Figure {
        id: "plan-power".to_owned(),
        title: "What the study can tell".to_owned(),
        reading: Explanation {
            question: "How likely is it that the study tells models apart, and what does that cost?"
                .to_owned(),
            how: format!("Curves are probabilities over studies such as the plan assumes.{}", dashed(&data)),
            not: "If models differ less than assumed, all of them are lower.".to_owned(),
        },
        description,
        chart: chart(plan, &data, "probability (%)", 100.0, &[0.0, 1.0]),
        data,
    })
}

/// The page of the curve of a collected study.
pub(super) fn curve_page(curve: &Curve, study: &str) -> FigurePage {
    let (headings, rows) = page::curve_table(curve);
    FigurePage {
        name: format!("Widths of intervals of {study}"),
        answer: page::FLATTENS.join(" "),
        facts: vec![page::about(curve)],
        warnings: Vec::new(),
        figures: vec![drawn(curve)],
        headings,
        rows,
        software: software().to_string(),
    }
}

fn drawn(curve: &Curve) -> Figure {
    let mut data = Data::new(["model", "raters", "width"]);
    for (place, model) in curve.models.iter().enumerate() {
        for (row, width) in curve.rows.iter().filter_map(|row| Some((row, *row.widths.get(place)?))) {
            data.push(EXPECTED, [(&model.model).into(), u64::from(row.raters).into(), width.into()]);
        }
    }
    let factor = factor(&curve.measure);
    let level = crate::tables::percent(curve.level);
    let unit = match &*curve.measure.unit {
        "" => String::new(),
        "proportion" => " (percentage points)".to_owned(),
        unit => format!(" ({unit})"),
    };
    let tone = Tone::Series(0);
    let marks = vec![
        Mark::Line { part: EXPECTED, x: Some("raters"), y: Some("width"), by: "model", dashed: false, tone },
        Mark::Dots { part: EXPECTED, x: "raters", y: "width", look: Dot::Small, tone: Tone::Ink },
    ];
    let y = PanelAxis::numbers(format!("width of the {level} % interval{unit}"));
    let mut panel = FigurePanel::new(
        PanelAxis::whole("raters for each model").including(&[0.0]),
        y.times(factor).including(&[0.0]),
        marks,
    );
    panel.legend = legend(&data, "model");
    let widest = |row: &CurveRow| factor * row.widths.iter().copied().fold(0.0, f64::max);
    let ends = curve.rows.first().zip(curve.rows.last());
    let description = ends.map_or_else(String::new, |(first, last)| {
        format!(
            "The widest interval is {:.2}{} wide with {} raters for each model, and {:.2} with {}.",
            widest(first),
            if factor > 1.0 { " percentage points" } else { "" },
            first.raters,
            widest(last),
            last.raters
        )
    });
    Figure {
        id: "plan-curve".to_owned(),
        title: "Width of intervals against the number of raters".to_owned(),
        reading: Explanation {
            question: "How wide would the intervals be with fewer or with more raters?".to_owned(),
            how: "Each curve is the width from end to end of a model's bootstrap interval, from the standard deviation of the raters \
                  collected."
                .to_owned(),
            not: "The standard deviation is itself an estimate, and other raters may differ more.".to_owned(),
        },
        description,
        chart: panel.alone(),
        data,
    }
}
