//! Errors on fakes against errors on reals.

use crate::data::{Cell, Data};
use crate::figure::{Dot, Explanation, Figure, Mark, Panel, PanelAxis, Tone};
use crate::source::{ReportSource, estimate_of};
use crate::text::listed;

/// The measures of the two errors.
const FAKES: &str = "fakes_error";
const REALS: &str = "reals_error";
/// Models whose raters can be told apart.
const MOST_MODELS: usize = 7;

/// Both errors of each rater and model: whether raters are fooled or biased.
pub(super) fn both(source: &ReportSource<'_>) -> Option<Figure> {
    let of = |name: &str| source.compared().find(|found| &*found.measure.name == name);
    let (fakes, reals) = (of(FAKES)?, of(REALS)?);
    let mut data = Data::new(["model", "fakes_error", "reals_error", "line"]);
    for total in [0.25, 0.5, 0.75] {
        let line = format!("both together {:.0} %", total * 100.0);
        let ends = if total <= 0.5 {
            [(0.0, 2.0 * total), (2.0 * total, 0.0)]
        } else {
            [(2.0 * total - 1.0, 1.0), (1.0, 2.0 * total - 1.0)]
        };
        for (x, y) in ends {
            data.push("same error", [Cell::Empty, x.into(), y.into(), line.as_str().into()]);
        }
    }
    let mut inclined = Vec::new();
    let models = source.models(fakes);
    for model in &models {
        for (x, y) in source.records.pairs(FAKES, REALS, model) {
            data.push("rater", [model.into(), x.into(), y.into(), Cell::Empty]);
        }
        let Some((x, y)) = estimate_of(fakes, model).zip(estimate_of(reals, model)) else { continue };
        data.push("model", [model.into(), x.value.into(), y.value.into(), Cell::Empty]);
        let towards = if x.value > y.value { "real" } else { "fake" };
        inclined.push(format!("{model} towards \"{towards}\""));
    }
    if inclined.is_empty() {
        return None;
    }
    let mut marks = vec![
        Mark::Line {
            part: "same error",
            x: Some("fakes_error"),
            y: Some("reals_error"),
            by: "line",
            dashed: true,
            tone: Tone::Faint,
        },
        Mark::Dots {
            part: "model",
            x: "fakes_error",
            y: "reals_error",
            look: Dot::Large,
            tone: Tone::Accent,
        },
        Mark::Label { part: "model", x: "fakes_error", y: "reals_error", text: "model", tone: Tone::Ink },
    ];
    if models.len() <= MOST_MODELS {
        marks.insert(
            1,
            Mark::Dots {
                part: "rater",
                x: "fakes_error",
                y: "reals_error",
                look: Dot::Small,
                tone: Tone::Faint,
            },
        );
    }
    let range = [0.0, 1.0];
    inclined.truncate(4);
    Some(Figure {
        id: "f9".to_owned(),
        title: "Fooled or biased".to_owned(),
        reading: Explanation {
            question: "Do raters take fakes for real, or do they call everything real?".to_owned(),
            how: "Large dots are models, small ones raters. Along a dashed line the error over as many fakes as reals is the \
                  same: towards the lower right raters answer \"real\" more often, towards the upper left \"fake\"."
                .to_owned(),
            not: "Points of different models come from different raters unless each rater judged all models.".to_owned(),
        },
        description: format!("By the larger of the two errors, answers incline: {}.", listed(&inclined)),
        data,
        chart: Panel::new(
            PanelAxis::numbers("fakes judged real (%)").times(100.0).including(&range),
            PanelAxis::numbers("reals judged fake (%)").times(100.0).including(&range),
            marks,
        )
        .alone(),
    })
}
