//! How wide intervals would be with fewer and with more raters.

use hype_core::model::findings::{GeneralizeTo, MeasureFindings};
use hype_core::protocol::raters::RaterDesign;
use hype_stats::describe::standard_deviation;
use hype_stats::distributions::StudentT;

use crate::data::{Cell, Data};
use crate::figure::{Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, SecondScale, Tone};
use crate::numbers::{Style, percent};
use crate::prose::unit_of_differences;
use crate::source::{ReportSource, level_of};

/// Beyond this many models, one curve stands for their median, within a band from the narrowest to the widest.
const MOST_CURVES: usize = 6;
/// Raters a model for which the width is computed, at most.
const POINTS: usize = 60;

/// How to read a curve for each model.
const EACH: &str = "Curves are the widths to expect from the spread over raters of this study (Student's t); dots are the \
                    intervals of the study. Twice the precision takes four times the raters.";
/// How to read one curve for all models.
const MEDIAN: &str = "The curve is the median over models of the widths to expect from the spread over raters of this study \
                      (Student's t), within a band from the narrowest to the widest; dots are the intervals of the study. Twice \
                      the precision takes four times the raters.";

/// The width of intervals against the number of raters, if results are about other raters and raters' values are known.
pub(super) fn precision(source: &ReportSource<'_>, found: &MeasureFindings) -> Option<Figure> {
    if !matches!(found.generalize_to, Some(GeneralizeTo::Raters)) {
        return None;
    }
    let level = level_of(found);
    let models: Vec<(&str, f64, usize)> = found
        .estimates
        .iter()
        .filter_map(|one| {
            let values = source.records.raters(&found.measure.name, &one.model);
            let sd = standard_deviation(&values).ok().filter(|sd| *sd > 0.0)?;
            Some((&*one.model, sd, values.len()))
        })
        .collect();
    let most = models.iter().map(|(_, _, raters)| *raters).max()?;
    let earned = earned(source);
    let mut data = Data::new(["model", "raters", "width", "low", "high", "cost"]);
    let counts = counts(most);
    let cost = |raters: usize| Cell::from(earned.as_ref().map(|(each, _)| each * raters as f64));
    for &raters in &counts {
        expected(&mut data, &models, raters, level, cost(raters));
    }
    for one in &found.estimates {
        if let Some(interval) = &one.interval {
            let width = interval.high - interval.low;
            data.add(
                "study",
                [
                    ("model", (&one.model).into()),
                    ("raters", one.raters.into()),
                    ("width", width.into()),
                    ("cost", cost(one.raters as usize)),
                ],
            );
        }
    }
    let style = Style::of(found);
    let unit = unit_of_differences(found);
    let axis = PanelAxis::numbers(format!(
        "width of the {}% interval{}",
        percent(level),
        if unit.is_empty() { String::new() } else { format!(" ({unit})") }
    ));
    let panel = FigurePanel {
        second: earned.map(|(units, label)| SecondScale { label, zero: 0.0, units }),
        tones: source.tones(models.iter().map(|(model, ..)| *model)),
        ..panel(axis.times(style.factor), models.len())
    };
    let sd = hype_stats::describe::median(&models.iter().map(|(_, sd, _)| *sd).collect::<Vec<_>>()).ok()?;
    let twice = sd * width_in_sd(2 * most, level)?;
    Some(Figure {
        id: "f4".to_owned(),
        title: "Precision and the number of raters".to_owned(),
        reading: Explanation {
            question: "Were there enough raters, and what would more of them bring?".to_owned(),
            how: if models.len() <= MOST_CURVES { EACH } else { MEDIAN }.to_owned(),
            not: "It takes the spread of this study for that of other raters, and does not say how many raters tell two \
                  models apart. The study's own intervals may use another method than the curves."
                .to_owned(),
        },
        description: format!(
            "With {} raters for each model, a model of median spread would have an interval {} wide.",
            2 * most,
            style.of_differences().value(twice)
        ),
        data,
        chart: panel.alone(),
    })
}

/// Adds the widths to expect with so many raters.
fn expected(data: &mut Data, models: &[(&str, f64, usize)], raters: usize, level: f64, cost: Cell) {
    let widths: Vec<f64> =
        models.iter().filter_map(|(_, sd, _)| Some(sd * width_in_sd(raters, level)?)).collect();
    if models.len() <= MOST_CURVES {
        for ((model, ..), width) in models.iter().zip(&widths) {
            let (number, width) = ((raters as u64).into(), (*width).into());
            let row =
                [("model", (*model).into()), ("raters", number), ("width", width), ("cost", cost.clone())];
            data.add("expected", row);
        }
    } else {
        let (low, high) =
            widths.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &one| (low.min(one), high.max(one)));
        let median = hype_stats::describe::median(&widths).ok();
        let row =
            ["median model".into(), (raters as u64).into(), median.into(), low.into(), high.into(), cost];
        data.push("expected", row);
    }
}

/// The widths of so many models.
fn panel(widths: PanelAxis, models: usize) -> FigurePanel {
    let by = if models <= MOST_CURVES { "model" } else { "" };
    let mut marks = vec![
        Mark::band("expected", "raters", crate::figure::Extent::Between("low", "high"), Tone::Faint),
        Mark::line("expected", ["raters", "width"], Tone::ByModel).by(by),
        Mark::dots("study", ["raters", "width"], Dot::Large, Tone::ByModel),
    ];
    if models <= MOST_CURVES {
        marks.push(Mark::label("study", ["raters", "width"], "model", Tone::Ink));
    }
    let raters = PanelAxis::whole("raters for each model").including(&[0.0]);
    FigurePanel::new(raters, widths.including(&[0.0]), marks)
}

/// The width of an interval by Student's t, in standard deviations over raters.
fn width_in_sd(raters: usize, level: f64) -> Option<f64> {
    let t = StudentT::new(raters.checked_sub(1)? as f64).ok()?;
    Some(2.0 * t.quantile(f64::midpoint(1.0, level)).ok()? / (raters as f64).sqrt())
}

/// The numbers of raters at which the width is computed, up to twice those of the study.
fn counts(most: usize) -> Vec<usize> {
    let (first, last) = (most.clamp(1, 5).min(most), 2 * most.max(2));
    let first = first.max(3);
    let mut all: Vec<usize> =
        (0..=POINTS).map(|at| first + at * last.saturating_sub(first) / POINTS).collect();
    all.dedup();
    all
}

/// Returns the cost of one more rater for each model, and its basis: the earnings of all raters, excluded ones too, for each who
/// counts. `None` if the study pays nothing.
fn earned(source: &ReportSource<'_>) -> Option<(f64, String)> {
    let earnings = source.findings.earnings.as_ref()?;
    let collected = source.findings.collected.as_ref()?;
    let counting = collected.completed.saturating_sub(collected.excluded);
    let each = earnings.total.as_units() / counting as f64;
    let study = source.study?;
    let has_cells = study.stimuli().cells().next().is_some();
    let who = match (study.raters().design, study.raters().cells) {
        (RaterDesign::Between, _) => "the raters of one model",
        (RaterDesign::Within, RaterDesign::Between) if has_cells => "the raters of one level",
        (RaterDesign::Within, _) => "all raters",
    };
    let is_usable = counting > 0 && each > 0.0;
    is_usable.then(|| (each, format!("earned by {who}, replaced ones included ({})", earnings.currency)))
}
