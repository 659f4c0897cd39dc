//! Errors on fakes against errors on reals.

use crate::data::{Cell, Data};
use crate::figure::{Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone};
use crate::numbers::percent;
use crate::source::{ReportSource, estimate_of};
use crate::text::listed;

/// The measures of the two errors.
const FAKES: &str = "fakes_error";
const REALS: &str = "reals_error";
/// The measures of signal detection: sensitivity d' and criterion c.
const DETECTION: [&str; 2] = ["d_prime", "criterion"];
/// Models whose raters can be told apart.
const MOST_MODELS: usize = 7;
/// Models that a sentence names.
const MOST_NAMED: usize = 4;
/// With fewer raters, the region of a mean is hardly known.
const FEWEST_RATERS: usize = 8;
/// The confidence of regions.
const LEVEL: f64 = 0.95;

/// Both errors of each rater and model: whether raters are fooled or biased.
pub(super) fn both(source: &ReportSource<'_>) -> Option<Figure> {
    let of = |name: &str| source.compared().find(|found| &*found.measure.name == name);
    let (fakes, reals) = (of(FAKES)?, of(REALS)?);
    let mut data = Data::new(["model", "fakes_error", "reals_error", "line", "d_prime", "criterion"]);
    // What both errors say together, where the study has these measures.
    let detection =
        DETECTION.map(|name| source.findings.measures.iter().find(|one| &*one.measure.name == name));
    let mut leaning = Leaning::default();
    let models = source.models(fakes);
    for model in &models {
        let raters = source.records.pairs(FAKES, REALS, model);
        for (x, y) in &raters {
            let (fakes, reals) = ((*x).into(), (*y).into());
            data.add("rater", [("model", model.into()), ("fakes_error", fakes), ("reals_error", reals)]);
        }
        if models.len() <= MOST_MODELS {
            for (x, y) in region_of_mean(&raters) {
                let (fakes, reals) = (x.into(), y.into());
                data.add("region", [("model", model.into()), ("fakes_error", fakes), ("reals_error", reals)]);
            }
        }
        let Some((x, y)) = estimate_of(fakes, model).zip(estimate_of(reals, model)) else { continue };
        let [d_prime, criterion] = detection
            .map(|found| Cell::from(found.and_then(|found| estimate_of(found, model)).map(|one| one.value)));
        data.add(
            "model",
            [
                ("model", model.into()),
                ("fakes_error", x.value.into()),
                ("reals_error", y.value.into()),
                ("d_prime", d_prime),
                ("criterion", criterion),
            ],
        );
        leaning.add(&source.label_of(model), x.value, y.value);
    }
    let description = leaning.description()?;
    let at = ["fakes_error", "reals_error"];
    let mut marks = vec![
        Mark::line("no lean", at, Tone::Faint),
        Mark::line("same error", at, Tone::Faint).by("line").dashed(),
        Mark::line("region", at, Tone::ByModel).by("model"),
        Mark::dots("model", at, Dot::Large, Tone::ByModel),
        Mark::label("model", at, "model", Tone::Ink),
    ];
    if models.len() <= MOST_MODELS {
        marks.insert(2, Mark::dots("rater", at, Dot::Small, Tone::ByModel));
    }
    let media = source.findings.media().plural();
    let range = [0.0, lines(&mut data)];
    let tones = source.tones(models.iter().map(|model| &**model));
    Some(Figure {
        id: "f9".to_owned(),
        title: "Fooled or biased".to_owned(),
        reading: Explanation {
            question: "Do raters take fakes for real, or do they call everything real?".to_owned(),
            how: how(&data, models.len()),
            not: "Points of different models come from different raters unless each rater judged all models."
                .to_owned(),
        },
        description,
        data,
        chart: FigurePanel {
            is_square: true,
            tones,
            ..FigurePanel::new(
                PanelAxis::numbers("fakes taken for real (%)").times(100.0).including(&range),
                PanelAxis::numbers(format!("real {media} taken for fakes (%)"))
                    .times(100.0)
                    .including(&range),
                marks,
            )
        }
        .alone(),
    })
}

/// Adds the lines of no lean and of the same share of wrong answers, and returns where the axes end: they are equal, and end where
/// the values do.
fn lines(data: &mut Data) -> f64 {
    let most = ["rater", "region", "model"]
        .into_iter()
        .flat_map(|part| data.part(part))
        .flat_map(|row| {
            ["fakes_error", "reals_error"].into_iter().filter_map(move |column| row.number(column))
        })
        .fold(0.1, f64::max)
        .min(1.0);
    for total in [0.25, 0.5, 0.75] {
        let line = format!("{:.0}% of all wrong", total * 100.0);
        // The parts of x + y = 2 total within the axes.
        let reach: f64 = 2.0 * total;
        if reach < 2.0 * most {
            let (low, high) = ((reach - most).max(0.0), reach.min(most));
            for (x, y) in [(low, reach - low), (high, reach - high)] {
                let (fakes, reals) = (x.into(), y.into());
                data.add(
                    "same error",
                    [("fakes_error", fakes), ("reals_error", reals), ("line", line.as_str().into())],
                );
            }
        }
    }
    data.add("no lean", [("fakes_error", 0.0.into()), ("reals_error", 0.0.into())]);
    data.add("no lean", [("fakes_error", most.into()), ("reals_error", most.into())]);
    most
}

/// How to read the figure of so many models.
fn how(data: &Data, models: usize) -> String {
    let dots = if models > MOST_MODELS {
        "Dots are models; values of raters are in the table."
    } else if data.has("rater") {
        "Large dots are models, small ones raters."
    } else {
        "Dots are models."
    };
    let mut how = format!(
        "{dots} Right of the solid line raters lean to \"real\", left of it to \"fake\". Dashed: 25, 50 and 75% of all answers wrong."
    );
    if data.has("region") {
        how.push_str(&format!(
            " Ellipses: {}% regions of the means over raters (Hotelling).",
            percent(LEVEL)
        ));
    }
    how
}

/// The models by the larger of their two errors.
#[derive(Default)]
struct Leaning {
    real: Vec<String>,
    fake: Vec<String>,
    neither: Vec<String>,
}

impl Leaning {
    fn add(&mut self, model: &str, fakes: f64, reals: f64) {
        let apart = fakes - reals;
        let group = if apart.abs() < 1e-12 {
            &mut self.neither
        } else if apart > 0.0 {
            &mut self.real
        } else {
            &mut self.fake
        };
        group.push(model.to_owned());
    }

    fn description(&self) -> Option<String> {
        let towards = |answer: &str, models: &[String]| {
            (!models.is_empty()).then(|| format!("towards \"{answer}\" for {}", some_of(models)))
        };
        let leaning: Vec<String> =
            towards("real", &self.real).into_iter().chain(towards("fake", &self.fake)).collect();
        let leaning = (!leaning.is_empty())
            .then(|| format!("By the larger of the two errors, answers lean {}.", leaning.join(", and ")));
        let even = (!self.neither.is_empty())
            .then(|| format!("Both errors are equal for {}.", some_of(&self.neither)));
        let parts: Vec<String> = leaning.into_iter().chain(even).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

/// Names in a sentence; of many, the first ones and how many follow.
fn some_of(names: &[String]) -> String {
    if names.len() <= MOST_NAMED {
        return listed(names);
    }
    format!("{} and {} more", names[..MOST_NAMED].join(", "), names.len() - MOST_NAMED)
}

/// The edge of the region of the mean of two values over raters: where Hotelling's T² equals its quantile, n·(x̄ - μ)'S⁻¹(x̄ - μ) =
/// 2(n - 1)/(n - 2)·F(2, n - 2). Nothing with few raters, or where the values lie on a line.
fn region_of_mean(raters: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const POINTS: u32 = 48;
    if raters.len() < FEWEST_RATERS {
        return Vec::new();
    }
    let n = raters.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| raters.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|one| one.0), mean(|one| one.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        raters.iter().map(|one| of(one.0 - x, one.1 - y)).sum::<f64>() / (n - 1.0)
    };
    let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
    // S = LL'.
    let first = xx.sqrt();
    let across = xy / first;
    let second = (yy - across * across).sqrt();
    if !(first > 1e-9 && second > 1e-9) {
        return Vec::new();
    }
    // With two degrees of freedom in the numerator, the quantile of F has a closed form.
    let df = n - 2.0;
    let quantile = df / 2.0 * ((1.0 - LEVEL).powf(-2.0 / df) - 1.0);
    let radius = (2.0 * (n - 1.0) / df * quantile / n).sqrt();
    (0..=POINTS)
        .map(|point| {
            let (sin, cos) =
                (std::f64::consts::TAU * f64::from(point % POINTS) / f64::from(POINTS)).sin_cos();
            (x + radius * first * cos, y + radius * (across * cos + second * sin))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_have_the_distance_of_hotelling() {
        // Ten points whose covariance is that of the unit matrix times 10/9 after centring.
        let raters: Vec<(f64, f64)> =
            (0..10).map(|at| (f64::from(at % 5) / 10.0, f64::from((at * 3) % 10) / 10.0)).collect();
        let edge = region_of_mean(&raters);
        let n = 10.0;
        let (mx, my) = (0.2, 0.45);
        let s = |of: &dyn Fn(f64, f64) -> f64| {
            raters.iter().map(|one| of(one.0 - mx, one.1 - my)).sum::<f64>() / 9.0
        };
        let (xx, yy, xy) = (s(&|x, _| x * x), s(&|_, y| y * y), s(&|x, y| x * y));
        let det = xx * yy - xy * xy;
        assert_eq!(edge.len(), 49);
        assert_eq!(edge[0], edge[48], "the ellipse is closed");
        for (x, y) in edge {
            let (dx, dy) = (x - mx, y - my);
            let t2 = n * (yy * dx * dx - 2.0 * xy * dx * dy + xx * dy * dy) / det;
            // F(0.95; 2, 8) = 4.45897 (tables); T² = 2·9/8 times that.
            assert!((t2 - 10.032_683).abs() < 1e-4, "{t2}");
        }
    }

    #[test]
    fn few_raters_and_lines_have_no_region() {
        let line: Vec<(f64, f64)> = (0..20).map(|at| (f64::from(at), 0.5)).collect();
        assert!(region_of_mean(&line).is_empty());
        let few: Vec<(f64, f64)> = (0..7).map(|at| (f64::from(at), f64::from(at * at % 5))).collect();
        assert!(region_of_mean(&few).is_empty());
    }
}
