//! The difference of two models below the values that it comes from (Gardner and Altman 1986).

use hype_core::model::findings::{Estimate, MeasureFindings};

use crate::data::Data;
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, SecondScale, Tone,
    Width,
};
use crate::separation::Pairs;
use crate::source::{ReportSource, level_of};
use crate::text::{Style, labelled, p_value, percent};

/// Raters of a model that can be drawn one by one.
const MOST_RATERS: usize = 300;

/// The figure, if there are two models whose raters are known, and the difference is that of their estimates.
pub(super) fn with_raters(source: &ReportSource<'_>, found: &MeasureFindings) -> Option<Figure> {
    let [first, second] = found.estimates.as_slice() else { return None };
    let pair = Pairs::of(found).get(&first.model, &second.model)?;
    let difference = pair.difference();
    let apart = (first.value - second.value - difference).abs();
    let raters = [first, second].map(|one| source.records.raters(&found.measure.name, &one.model));
    if apart > 1e-9 * (1.0 + difference.abs())
        || raters.iter().any(|raters| raters.is_empty() || raters.len() > MOST_RATERS)
    {
        return None;
    }
    let (level, style) = (level_of(found), Style::of(found));
    let separable = pair.is_separable(level);
    let ends = pair.interval();
    let name = format!("{} minus {}", first.model, second.model);
    let mut data = Data::new([
        "row",
        "first",
        "second",
        "value",
        "difference",
        "low",
        "high",
        "p",
        "p_text",
        "separable",
        "drawn_at",
        "drawn_low",
        "drawn_high",
    ]);
    for (one, raters) in [first, second].into_iter().zip(raters) {
        for value in raters {
            let (value, drawn_at) = (value.into(), value.into());
            data.add("rater", [("row", (&one.model).into()), ("value", value), ("drawn_at", drawn_at)]);
        }
        let (value, drawn_at) = (one.value.into(), one.value.into());
        data.add("estimate", [("row", (&one.model).into()), ("value", value), ("drawn_at", drawn_at)]);
    }
    let drawn = |difference: f64| second.value + difference;
    data.add(
        "difference",
        [
            ("row", name.as_str().into()),
            ("first", (&first.model).into()),
            ("second", (&second.model).into()),
            ("difference", difference.into()),
            ("low", ends.map(|ends| ends.0).into()),
            ("high", ends.map(|ends| ends.1).into()),
            ("p", pair.found.p.into()),
            ("p_text", pair.found.p.map(p_value).into()),
            ("separable", if separable { "yes" } else { "no" }.into()),
            ("drawn_at", drawn(difference).into()),
            ("drawn_low", ends.map(|ends| drawn(ends.0)).into()),
            ("drawn_high", ends.map(|ends| drawn(ends.1)).into()),
        ],
    );
    data.add("no difference", [("difference", 0.0.into()), ("drawn_at", second.value.into())]);
    let rows = vec![first.model.to_string(), second.model.to_string(), name];
    let chart = chart(found, second, rows);
    let method = &pair.found.method;
    let interval =
        if ends.is_some() { format!(" with its {} % interval", percent(level)) } else { String::new() };
    let verdict = if separable { "are separable" } else { "are not separable" };
    Some(Figure {
        id: "f2".to_owned(),
        title: format!("Difference between two models: {}", found.measure.label),
        reading: reading(&second.model, &interval, method),
        description: format!(
            "{} and {} {verdict} ({method}): the difference is {}{}.",
            first.model,
            second.model,
            style.number(difference),
            style.unit_of_difference(found)
        ),
        data,
        chart,
    })
}

/// How to read the figure, whose lower scale begins at the second model.
fn reading(second: &str, interval: &str, method: &str) -> Explanation {
    Explanation {
        question: "Do the two models differ, and by how much?".to_owned(),
        how: format!(
            "The upper rows are the models: large dots are estimates, small dots the means of single raters. The lowest row is \
             the difference{interval} ({method}), which is read on the lower scale; its zero is the estimate of {second}, at the \
             dashed line."
        ),
        not: "That the models are not separable does not show that they are equal. The spread of raters is not the uncertainty of the \
              difference."
            .to_owned(),
    }
}

/// The models and their difference, each in a row; the second scale has its zero at the second model.
fn chart(found: &MeasureFindings, second: &Estimate, rows: Vec<String>) -> Chart {
    let style = Style::of(found);
    let estimate = BesideText::Estimate {
        columns: ["difference", "low", "high"],
        factor: style.factor,
        decimals: style.decimals,
    };
    let beside =
        |heading: &str, text| Beside { heading: heading.to_owned(), part: "difference", at: "row", text };
    let dots = |part, look, tone| Mark::dots(part, ["drawn_at", "row"], look, tone);
    let panel = FigurePanel {
        beside: vec![beside("difference", estimate), beside("p", BesideText::Column("p_text"))],
        second: Some(SecondScale {
            label: format!("difference from {}: {}", second.model, labelled(found)),
            zero: second.value,
            units: 1.0,
        }),
        ..FigurePanel::new(
            PanelAxis::numbers(labelled(found)).times(style.factor),
            PanelAxis::categories(rows),
            vec![
                Mark::upright("no difference", "drawn_at", Tone::Faint).dashed(),
                dots("rater", Dot::Swarm, Tone::Faint),
                dots("estimate", Dot::Large, Tone::Ink),
                Mark::interval("difference", "row", ["drawn_low", "drawn_high"], Width::Bold, Tone::Accent),
                dots("difference", Dot::Large, Tone::Accent),
            ],
        )
    };
    panel.alone()
}
