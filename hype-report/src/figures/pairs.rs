//! Differences of pairs of models.

use hype_core::model::findings::MeasureFindings;

use super::MOST_ROWS;
use crate::data::{Cell, Data};
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Extent, Figure, FigurePanel, Mark, PanelAxis, Tone, Width,
};
use crate::separation::{Pairs, methods_of};
use crate::source::{ReportSource, level_of};
use crate::text::{Style, labelled, listed, p_value, percent};

mod two;

/// More models are shown as a matrix of all pairs.
const MOST_MODELS: usize = 20;

/// The differences of a measure, unless no pair of models was compared.
pub(super) fn pairs(source: &ReportSource<'_>, found: &MeasureFindings) -> Option<Figure> {
    let models: Vec<&str> = found.estimates.iter().map(|one| &*one.model).collect();
    let (best, others) = models.split_first()?;
    if found.comparisons.is_empty() || others.is_empty() {
        return None;
    }
    if let Some(figure) = two::with_raters(source, found) {
        return Some(figure);
    }
    let level = level_of(found);
    let mut data =
        Data::new(["first", "second", "difference", "low", "high", "p", "p_text", "separable", "strength"]);
    let all = models
        .iter()
        .enumerate()
        .flat_map(|(at, first)| models[at + 1..].iter().map(move |second| (*first, *second)));
    let compared = Pairs::of(found);
    let known: Vec<_> =
        all.filter_map(|(first, second)| Some((first, second, compared.get(first, second)?))).collect();
    let most = known.iter().map(|(.., one)| one.difference().abs()).fold(0.0, f64::max);
    for (first, second, one) in &known {
        let part = if first == best { "from the best" } else { "other pair" };
        let separable = one.is_separable(level);
        data.push(
            part,
            [
                (*first).into(),
                (*second).into(),
                one.difference().into(),
                one.interval().map(|ends| ends.0).into(),
                one.interval().map(|ends| ends.1).into(),
                one.found.p.into(),
                one.found.p.map(p_value).into(),
                if separable { "yes" } else { "no" }.into(),
                if most > 0.0 { (one.difference().abs() / most).into() } else { Cell::Empty },
            ],
        );
    }
    if models.len() <= MOST_MODELS {
        data.add("no difference", [("difference", 0.0.into())]);
    }
    let separable = known.iter().filter(|(.., one)| one.is_separable(level)).count();
    let method = listed(&methods_of(known.iter().map(|(.., one)| one.found)));
    let are = if separable == 1 { "is" } else { "are" };
    let description = format!("{separable} of {} pairs of models {are} separable ({method}).", known.len());
    let family = found.family.as_ref().map_or(String::new(), |family| format!(", adjusted among {family}"));
    let is_matrix = models.len() > MOST_MODELS;
    let has_intervals = known.iter().any(|(.., one)| one.found.interval.is_some());
    let hidden = !is_matrix && known.iter().any(|(first, ..)| first != best);
    let method = format!("{method}{family}");
    let reading = reading(&method, (!is_matrix).then_some(*best), level, has_intervals, hidden);
    let chart = if is_matrix { matrix(&mut data, &models) } else { forest(found, best, others) };
    Some(Figure {
        id: "f2".to_owned(),
        title: format!("Differences between models: {}", found.measure.label),
        reading,
        description,
        data,
        chart,
    })
}

/// How to read the differences from the best model, or, without one, the matrix of all pairs.
fn reading(method: &str, best: Option<&str>, level: f64, has_intervals: bool, hidden: bool) -> Explanation {
    let interval =
        if has_intervals { format!(", with its {} % interval", percent(level)) } else { String::new() };
    let how = match best {
        None => format!(
            "Each cell is a pair; the darker, the larger its difference. A dot marks pairs that are separable at {} % \
             ({method}).",
            percent(level)
        ),
        Some(best) => format!(
            "Each row is the difference between {best}, which comes first, and another model{interval} \
             ({method}). A pair is separable where p is below {}.",
            p_value(1.0 - level)
        ),
    };
    let equal = match (has_intervals, best) {
        (false, _) => "",
        (true, Some(_)) => ": the interval says which differences remain possible",
        (true, None) => ": the intervals, which are in the table, say which differences remain possible",
    };
    let hidden = if hidden { " Pairs without the best model are in the table." } else { "" };
    Explanation {
        question: "Which models differ, and by how much?".to_owned(),
        how,
        not: format!("That a pair is not separable does not show that its models are equal{equal}.{hidden}"),
    }
}

fn forest(found: &MeasureFindings, best: &str, others: &[&str]) -> Chart {
    let style = Style::of(found);
    let estimate = BesideText::Estimate {
        columns: ["difference", "low", "high"],
        factor: style.factor,
        decimals: style.decimals,
    };
    let part = "from the best";
    let beside = |heading: &str, text| Beside { heading: heading.to_owned(), part, at: "second", text };
    let panel = FigurePanel {
        beside: vec![beside("difference", estimate), beside("p", BesideText::Column("p_text"))],
        ..FigurePanel::new(
            PanelAxis::numbers(format!("{best} minus the other: {}", labelled(found)))
                .times(style.factor)
                .including(&[0.0]),
            PanelAxis::categories(others.iter().map(|&name| name.to_owned()).collect()),
            vec![
                Mark::upright("no difference", "difference", Tone::Faint).dashed(),
                Mark::interval(part, "second", ["low", "high"], Width::Bold, Tone::Accent),
                Mark::dots(part, ["difference", "second"], Dot::Large, Tone::Accent),
            ],
        )
    };
    panel.alone()
}

fn matrix(data: &mut Data, models: &[&str]) -> Chart {
    let dots: Vec<(String, String)> = data
        .records()
        .filter(|row| row.text("separable") == "yes")
        .map(|row| (row.text("first").to_owned(), row.text("second").to_owned()))
        .collect();
    for (first, second) in dots {
        data.add(
            "separable",
            [("first", first.into()), ("second", second.into()), ("separable", "yes".into())],
        );
    }
    let names: Vec<String> = models.iter().map(|&name| name.to_owned()).collect();
    let cell = |part| Mark::band(part, "second", Extent::Cell("first", "strength"), Tone::Accent);
    let look = if models.len() > MOST_ROWS { Dot::Small } else { Dot::Large };
    let panel = FigurePanel::new(
        PanelAxis::categories(names.clone()),
        PanelAxis::categories(names),
        vec![
            cell("from the best"),
            cell("other pair"),
            Mark::dots("separable", ["second", "first"], look, Tone::Ink),
        ],
    );
    panel.alone()
}
