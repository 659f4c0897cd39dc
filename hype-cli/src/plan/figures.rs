//! The page of a plan: its table, and its curves against raters and cost.

use hype::plan::{Outlook, PlanRow, StudyPlan};
use hype_report::FigurePage;
use hype_report::data::{Cell, Data};
use hype_report::figure::{Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone};

use super::page;

pub(super) fn page(plan: &StudyPlan) -> FigurePage {
    let (headings, rows) = page::table(plan);
    FigurePage {
        name: format!("Plan of {}", plan.study),
        answer: plan.advice.clone(),
        facts: vec![
            format!("Assumed: {}", plan.assumptions.text),
            format!("{}{}", plan.measure.label, page::unit(&plan.measure)),
        ],
        warnings: plan.warnings.clone(),
        figures: width(plan).into_iter().chain(chances(plan)).collect(),
        headings,
        rows,
        software: plan.software.to_string(),
    }
}

/// What raters cost with the first of the fees; `None` if that is not known.
fn cost(row: &PlanRow) -> Option<f64> {
    row.costs.first().map(|cost| cost.total.as_units())
}

/// A curve: its name, and its value for an outlook.
type Curve = (&'static str, fn(&Outlook) -> Option<f64>);

/// A table of curves, with one row for each curve and number of raters.
fn curves(plan: &StudyPlan, of: &[Curve]) -> Data {
    let mut data = Data::new(["curve", "raters", "sessions", "cost", "value"]);
    for (name, value) in of {
        for row in &plan.rows {
            if let Some(value) = value(&row.expected) {
                let count = |number: u32| Cell::from(u64::from(number));
                data.push(
                    "expected",
                    [(*name).into(), count(row.raters), count(row.sessions), cost(row).into(), value.into()],
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
        vec![
            Mark::Line { part: "expected", x: Some(x), y: Some("value"), by: "curve", dashed: false, tone },
            Mark::Dots { part: "expected", x, y: "value", look: Dot::Small, tone: Tone::Ink },
        ]
    };
    let y = || PanelAxis::numbers(label).times(factor).including(ends);
    let raters = PanelAxis::whole(format!("raters for each {}", plan.raters_by)).including(&[0.0]);
    let mut panels = vec![FigurePanel::new(raters, y(), marks("raters"))];
    if let Some(cost) = plan.rows.iter().find_map(|row| row.costs.first())
        && data.records().all(|row| row.number("cost").is_some())
    {
        let axis = PanelAxis::numbers(format!("cost ({}, {})", cost.currency, cost.label)).including(&[0.0]);
        panels.push(FigurePanel::new(axis, y(), marks("cost")));
    }
    for panel in &mut panels {
        panel.legend = legend(data);
    }
    let across = panels.len();
    Chart::Panels { panels, across }
}

/// The names of several curves with their colours.
fn legend(data: &Data) -> Vec<(String, Tone)> {
    let mut names: Vec<String> = Vec::new();
    for row in data.records() {
        let name = row.text("curve");
        if names.iter().all(|known| known != name) {
            names.push(name.to_owned());
        }
    }
    if names.len() < 2 {
        return Vec::new();
    }
    names.into_iter().enumerate().map(|(place, name)| (name, Tone::Series(place))).collect()
}

fn width(plan: &StudyPlan) -> Option<Figure> {
    let data = curves(plan, &[("width", |outlook| outlook.width)]);
    let last = data.records().last()?.number("value")?;
    let factor = if &*plan.measure.unit == "proportion" { 100.0 } else { 1.0 };
    let label = format!("width of the {} % interval", crate::tables::percent(plan.level));
    let raters = plan.rows.last()?.raters;
    Some(Figure {
        id: "plan-width".to_owned(),
        title: "Width of intervals".to_owned(),
        reading: Explanation {
            question: "How precise are estimates with more raters, and what does that cost?".to_owned(),
            how: "The curve is the width from end to end of the widest interval of a model, as the plan expects it.".to_owned(),
            not: "Widths rest on the assumptions above, and do not say whether two models can be told apart.".to_owned(),
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
    let last = data.records().last()?;
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
            how: "Curves are probabilities over studies such as the plan assumes.".to_owned(),
            not: "If models differ less than assumed, all of them are lower.".to_owned(),
        },
        description,
        chart: chart(plan, &data, "probability (%)", 100.0, &[0.0, 1.0]),
        data,
    })
}
