//! Estimates with their intervals, the best first, over the values of raters.

use hype_core::model::findings::MeasureFindings;
use hype_core::model::score::Direction;
use hype_stats::describe::quantile;

use super::{ends_of, key};
use crate::data::Data;
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width,
};
use crate::prose;
use crate::separation::letters;
use crate::source::{ReportSource, estimate_of, level_of};
use crate::text::{Style, labelled, percent};

/// Raters of a model are drawn one by one up to this many.
const MOST_DOTS: usize = 300;
/// With fewer raters, the spread over raters is hardly known.
const FEW_RATERS: u64 = 5;

/// The forest of a measure; `number` counts the compared measures from 0.
pub(super) fn forest(source: &ReportSource<'_>, found: &MeasureFindings, number: usize) -> Figure {
    let style = Style::of(found);
    let letters = letters(found);
    let models = source.models(found);
    let mut data =
        Data::new(["model", "value", "low", "high", "se", "raters", "responses", "letters", "label"]);
    for (place, model) in models.iter().enumerate() {
        let Some(one) = estimate_of(found, model) else {
            data.add("missing", [("model", model.into()), ("label", "no data".into())]);
            continue;
        };
        let interval = one.interval.as_ref();
        let letters = letters.as_ref().and_then(|letters| letters.get(place));
        data.add(
            "estimate",
            [
                ("model", model.into()),
                ("value", one.value.into()),
                ("low", interval.map(|interval| interval.low).into()),
                ("high", interval.map(|interval| interval.high).into()),
                ("se", one.se.or(one.sem).into()),
                ("raters", one.raters.into()),
                ("responses", one.responses.into()),
                ("letters", letters.map(String::as_str).into()),
            ],
        );
    }
    let mut drawn = Spread::default();
    if found.measure.descriptive.is_none() || number == 0 {
        for model in &models {
            drawn.add(&mut data, source, found, model);
        }
    }
    if let Some(reference) = &found.measure.reference {
        data.add("reference", [("value", reference.value.into()), ("label", (&reference.label).into())]);
    }
    let names: Vec<String> = models.iter().map(ToString::to_string).collect();
    let (names, gap) = ends_of(&names);
    let id = if number == 0 { "f1".to_owned() } else { key("f1", &found.measure.name) };
    Figure {
        id,
        title: found.measure.label.to_string(),
        reading: reading(source, found, drawn, letters.is_some()),
        description: prose::answer(found),
        chart: chart(&data, found, style, names, gap, letters.is_some()),
        data,
    }
}

/// How the values of raters are drawn.
#[derive(Debug, Clone, Copy, Default)]
struct Spread {
    dots: bool,
    bands: bool,
}

impl Spread {
    fn add(&mut self, data: &mut Data, source: &ReportSource<'_>, found: &MeasureFindings, model: &str) {
        let values = source.records.raters(&found.measure.name, model);
        let between = |data: &mut Data, part: &str, low: f64, high: f64| {
            let ends = (quantile(&values, low), quantile(&values, high));
            if let (Ok(low), Ok(high)) = ends {
                let count = values.len() as u64;
                data.add(
                    part,
                    [
                        ("model", model.into()),
                        ("low", low.into()),
                        ("high", high.into()),
                        ("raters", count.into()),
                    ],
                );
            }
        };
        if values.len() > MOST_DOTS {
            between(data, "raters, 5 % to 95 %", 0.05, 0.95);
            between(data, "raters, 25 % to 75 %", 0.25, 0.75);
            self.bands = true;
            return;
        }
        for value in values {
            data.add("rater", [("model", model.into()), ("value", value.into())]);
            self.dots = true;
        }
    }
}

fn reading(
    source: &ReportSource<'_>,
    found: &MeasureFindings,
    drawn: Spread,
    has_letters: bool,
) -> Explanation {
    let level = percent(level_of(found));
    let better = match found.measure.direction {
        Direction::Higher => "The best model, with the highest value, is at the top.",
        Direction::Lower => "The best model, with the lowest value, is at the top.",
        Direction::Neither => "Neither direction is better.",
    };
    let mut how = vec![better.to_owned()];
    let interval = found.estimates.iter().find_map(|one| one.interval.as_ref());
    how.push(match interval {
        Some(interval) => {
            format!("Large dots are estimates, bars their {level} % intervals ({}).", interval.method)
        }
        None => "Large dots are estimates, without intervals.".to_owned(),
    });
    if drawn.dots {
        how.push("Each small dot is the mean of one rater.".to_owned());
    }
    if drawn.bands {
        how.push(
            "Grey bars are the means of raters: thick ones of the middle half, thin ones of 90 %.".to_owned(),
        );
    }
    if has_letters {
        how.push(
            "Models that share a letter are not separable by the study's comparisons of pairs.".to_owned(),
        );
    }
    if let Some(reference) = &found.measure.reference {
        let label = if reference.label.is_empty() { "the reference value" } else { &*reference.label };
        how.push(format!("The dashed line is {label}."));
    }
    let mut not = vec!["Whether two intervals overlap does not say whether two models differ.".to_owned()];
    if let Some(target) = found.generalize_to.filter(|_| interval.is_some()) {
        not.push(format!("Intervals are about {} and nothing else.", target.words()));
    }
    if found.estimates.iter().any(|one| one.raters < FEW_RATERS) {
        not.push("There are too few raters to judge how much raters differ.".to_owned());
    }
    if source.models(found).len() > found.estimates.len() {
        not.push("Models marked \"no data\" have no counted answers.".to_owned());
    }
    let question = match found.measure.direction {
        Direction::Neither => {
            format!("How large is \"{}\" for each model, and how certain is that?", found.measure.label)
        }
        _ => format!("Which model is best by \"{}\", and how certain is that?", found.measure.label),
    };
    Explanation { question, how: how.join(" "), not: not.join(" ") }
}

fn chart(
    data: &Data,
    found: &MeasureFindings,
    style: Style,
    names: Vec<String>,
    gap: Option<(usize, usize)>,
    has_letters: bool,
) -> Chart {
    let dots = |part, look, tone| Mark::dots(part, ["value", "model"], look, tone);
    let bar = |part, width, tone| Mark::interval(part, "model", ["low", "high"], width, tone);
    let marks = vec![
        Mark::upright("reference", "value", Tone::Faint).dashed(),
        bar("raters, 5 % to 95 %", Width::Thin, Tone::Faint),
        bar("raters, 25 % to 75 %", Width::Bold, Tone::Faint),
        dots("rater", Dot::Swarm, Tone::Faint),
        bar("estimate", Width::Bold, Tone::Accent),
        dots("estimate", Dot::Large, Tone::Accent),
    ];
    let beside = |heading: String, part, text| Beside { heading, part, at: "model", text };
    let heading = if found.estimates.iter().any(|one| one.interval.is_some()) {
        format!("estimate [{} %]", percent(level_of(found)))
    } else {
        "estimate".to_owned()
    };
    let estimate = BesideText::Estimate {
        columns: ["value", "low", "high"],
        factor: style.factor,
        decimals: style.decimals,
    };
    let mut columns = vec![beside(heading, "estimate", estimate)];
    if data.has("missing") {
        columns[0].heading.push_str(", missing");
        columns.push(beside(String::new(), "missing", BesideText::Column("label")));
    }
    columns.push(beside("raters".to_owned(), "estimate", BesideText::Column("raters")));
    if has_letters {
        columns.push(beside("group".to_owned(), "estimate", BesideText::Column("letters")));
    }
    let panel = FigurePanel {
        beside: columns,
        ..FigurePanel::new(
            PanelAxis::numbers(labelled(found)).times(style.factor),
            PanelAxis::Categories { names, gap },
            marks,
        )
    };
    panel.alone()
}
