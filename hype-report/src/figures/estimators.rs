//! Thresholds by several estimators, and how many of them are censored.

use crate::data::Data;
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width,
};
use crate::source::{ReportSource, estimate_of};

/// Models whose lines have colours of their own.
const MOST_COLOURS: usize = 7;

/// The estimates of every measure in milliseconds, side by side.
pub(super) fn estimators(source: &ReportSource<'_>) -> Option<Figure> {
    let found: Vec<_> = source.compared().filter(|found| &*found.measure.unit == "ms").collect();
    if found.len() < 2 {
        return None;
    }
    let mut data = Data::new(["estimator", "model", "value", "low", "high", "at_floor", "at_ceiling"]);
    let names: Vec<String> = found.iter().map(|found| found.measure.label.to_string()).collect();
    let mut models: Vec<String> = Vec::new();
    for one in &found {
        for estimate in &one.estimates {
            data.add(
                "estimate",
                [
                    ("estimator", (&one.measure.label).into()),
                    ("model", (&estimate.model).into()),
                    ("value", estimate.value.into()),
                    ("low", estimate.interval.as_ref().map(|interval| interval.low).into()),
                    ("high", estimate.interval.as_ref().map(|interval| interval.high).into()),
                ],
            );
            if !models.contains(&estimate.model.to_string()) {
                models.push(estimate.model.to_string());
            }
        }
    }
    let orders: Vec<Vec<&str>> =
        found.iter().map(|one| one.estimates.iter().map(|estimate| &*estimate.model).collect()).collect();
    let same = orders.windows(2).all(|pair| pair[0] == pair[1]);
    let is_crowded = models.len() > MOST_COLOURS;
    let slopes = FigurePanel {
        legend: if is_crowded {
            Vec::new()
        } else {
            models.iter().cloned().zip((0..).map(Tone::Series)).collect()
        },
        ..FigurePanel::new(
            PanelAxis::categories(names),
            PanelAxis::numbers("threshold (ms)").including(&[0.0]),
            vec![
                Mark::line(
                    "estimate",
                    ["estimator", "value"],
                    if is_crowded { Tone::Accent } else { Tone::Series(0) },
                )
                .by("model"),
                Mark::dots("estimate", ["estimator", "value"], Dot::Small, Tone::Ink),
            ],
        )
    };
    Some(Figure {
        id: "f8".to_owned(),
        title: "Thresholds by estimator".to_owned(),
        reading: Explanation {
            question: "Does the estimator matter?".to_owned(),
            how: if is_crowded {
                "Each line is a model; its points are the estimates by each estimator of the threshold. There are too many models \
                 for a colour each: which line is whose is in the table."
            } else {
                "Each line is a model; its points are the estimates by each estimator of the threshold."
            }
            .to_owned(),
            not: "Estimators aim at different shares of right answers, so that level lines are not to be expected. Intervals are \
                  in the table. A censored threshold is only known to lie beyond its bound."
                .to_owned(),
        },
        description: format!(
            "The order of models {} every estimator.",
            if same { "is the same by" } else { "is not the same by" }
        ),
        chart: Chart::Panels {
            panels: [Some(slopes), censored_blocks(source, &mut data, &models)].into_iter().flatten().collect(),
            across: 1,
        },
        data,
    })
}

/// The shares of blocks whose threshold is censored, by model.
fn censored_blocks(source: &ReportSource<'_>, data: &mut Data, models: &[String]) -> Option<FigurePanel> {
    let of = |name: &str| source.findings.measures.iter().find(|found| &*found.measure.name == name);
    let (floor, ceiling) = (of("at_floor")?, of("at_ceiling")?);
    for model in models {
        let shares = [floor, ceiling].map(|found| estimate_of(found, model).map(|one| one.value));
        if let [Some(floor), Some(ceiling)] = shares {
            let mut push = |part: &str, low: f64, high: f64| {
                data.add(
                    part,
                    [
                        ("model", model.as_str().into()),
                        ("low", low.into()),
                        ("high", high.into()),
                        ("at_floor", floor.into()),
                        ("at_ceiling", ceiling.into()),
                    ],
                );
            };
            push("censored at the floor", 0.0, floor);
            push("censored at the ceiling", floor, floor + ceiling);
        }
    }
    if !data.has("censored at the floor") {
        return None;
    }
    let bar = |part, tone| Mark::interval(part, "model", ["low", "high"], Width::Bar, tone);
    let tones = [Tone::Series(5), Tone::Alert];
    let (names, gap) = super::ends_of(models);
    let beside = |heading: &str, column| Beside {
        heading: heading.to_owned(),
        part: "censored at the floor",
        at: "model",
        text: BesideText::Estimate { columns: [column, "", ""], factor: 100.0, decimals: 0 },
    };
    Some(FigurePanel {
        beside: vec![beside("shortest (%)", "at_floor"), beside("longest (%)", "at_ceiling")],
        title: "Blocks whose threshold is censored".to_owned(),
        legend: vec![
            ("at the shortest exposure".to_owned(), tones[0]),
            ("at the longest".to_owned(), tones[1]),
        ],
        ..FigurePanel::new(
            PanelAxis::numbers("blocks (%)").times(100.0).including(&[0.0, 1.0]),
            PanelAxis::Categories { names, gap },
            vec![bar("censored at the floor", tones[0]), bar("censored at the ceiling", tones[1])],
        )
    })
}
