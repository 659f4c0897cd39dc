//! A figure: how far raters are apart, as the middle half of their values with the median.

use hype::register_figure;
use hype::report::ReportSource;
use hype::report::data::Data;
use hype::report::figure::{Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width};
use hype::stats::describe::quantile;

/// The spread of raters in studies with the aggregator `median_by_model`; no figure for other studies.
#[must_use]
pub fn spread(source: &ReportSource<'_>) -> Vec<Figure> {
    let study = source.findings.study.as_ref();
    if !study.is_some_and(|study| study.aggregator.split(" + ").any(|kind| kind == "median_by_model")) {
        return Vec::new();
    }
    let Some(found) = source.findings.measures.first() else { return Vec::new() };
    let mut data = Data::new(["model", "median", "low", "high", "raters"]);
    for estimate in &found.estimates {
        let values = source.records.raters(&found.measure.name, &estimate.model);
        let quartiles = [0.5, 0.25, 0.75].map(|share| quantile(&values, share).ok());
        let [median, low, high] = quartiles;
        let raters = values.len() as u64;
        data.push("model", [(&estimate.model).into(), median.into(), low.into(), high.into(), raters.into()]);
    }
    let names: Vec<String> = found.estimates.iter().map(|one| one.model.to_string()).collect();
    let (part, tone) = ("model", Tone::Accent);
    let marks = vec![
        Mark::Interval { part, at: "model", low: "low", high: "high", width: Width::Bold, tone },
        Mark::Dots { part, x: "median", y: "model", look: Dot::Large, tone },
    ];
    let panel =
        FigurePanel::new(PanelAxis::numbers(&*found.measure.label), PanelAxis::categories(names), marks);
    vec![Figure {
        id: "plugin-spread".to_owned(),
        title: "Spread of raters".to_owned(),
        reading: Explanation {
            question: "How far are raters apart?".to_owned(),
            how: "Dots are the medians of raters, bars hold the middle half of them.".to_owned(),
            not: "The spread of raters is not the uncertainty of a model's median.".to_owned(),
        },
        description: format!("The middle half of raters for {} models.", found.estimates.len()),
        data,
        chart: panel.alone(),
    }]
}

register_figure!(spread);
