//! Differences of all pairs of many models.

use hype_core::model::findings::MeasureFindings;

use super::MOST_ROWS;
use crate::data::{Cell, Data};
use crate::figure::{Chart, Dot, Explanation, Extent, Figure, FigurePanel, Mark, PanelAxis, Tone};
use crate::numbers::percent;
use crate::separation::{Pairs, methods_of};
use crate::source::level_of;
use crate::text::listed;

/// Up to so many models, the key figure has the differences.
const MOST_MODELS: usize = 12;

/// All pairs of a measure's models, if there are more than the key figure draws.
pub(super) fn pairs(found: &MeasureFindings) -> Option<Figure> {
    let models: Vec<&str> = found.estimates.iter().map(|one| &*one.model).collect();
    if found.comparisons.is_empty() || models.len() <= MOST_MODELS {
        return None;
    }
    let level = level_of(found);
    let mut data = Data::new(["first", "second", "difference", "low", "high", "p", "separable", "strength"]);
    let all = models
        .iter()
        .enumerate()
        .flat_map(|(at, first)| models[at + 1..].iter().map(move |second| (*first, *second)));
    let compared = Pairs::of(found);
    let known: Vec<_> =
        all.filter_map(|(first, second)| Some((first, second, compared.get(first, second)?))).collect();
    let most = known.iter().map(|(.., one)| one.difference().abs()).fold(0.0, f64::max);
    for (first, second, one) in &known {
        let separable = one.is_separable(level);
        data.push(
            "pair",
            [
                (*first).into(),
                (*second).into(),
                one.difference().into(),
                one.interval().map(|ends| ends.0).into(),
                one.interval().map(|ends| ends.1).into(),
                one.found.p.into(),
                if separable { "yes" } else { "no" }.into(),
                if most > 0.0 { (one.difference().abs() / most).into() } else { Cell::Empty },
            ],
        );
    }
    let separable = known.iter().filter(|(.., one)| one.is_separable(level)).count();
    let method = listed(&methods_of(known.iter().map(|(.., one)| one.found)));
    let family = found.family.as_ref().map_or(String::new(), |family| format!(", adjusted among {family}"));
    let chart = matrix(&mut data, &models);
    Some(Figure {
        id: "f2".to_owned(),
        title: "Differences of all pairs".to_owned(),
        reading: Explanation {
            question: "Which models differ?".to_owned(),
            how: format!(
                "The darker a cell, the larger the difference of its pair. Dots: pairs that differ at {}% ({method}{family}).",
                percent(level)
            ),
            not: "That a pair is not told apart does not show that its models are equal.".to_owned(),
        },
        description: format!(
            "{separable} of {} pairs of models {}.",
            known.len(),
            if separable == 1 { "differs" } else { "differ" }
        ),
        data,
        chart,
    })
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
    let look = if models.len() > MOST_ROWS { Dot::Small } else { Dot::Large };
    let panel = FigurePanel::new(
        PanelAxis::categories(names.clone()),
        PanelAxis::categories(names),
        vec![
            Mark::band("pair", "second", Extent::Cell("first", "strength"), Tone::Accent),
            Mark::dots("separable", ["second", "first"], look, Tone::Ink),
        ],
    );
    panel.alone()
}
