//! The metric `colourfulness`: how colourful the outputs of a model are.

use hype::prelude::*;
use hype::stats::describe;

/// The metric `colourfulness`.
///
/// # Method
/// √(σ²(rg) + σ²(yb)) + 0.3 √(μ²(rg) + μ²(yb)) of each output, with rg = R - G and yb = (R + G) / 2 - B; the mean over outputs.
#[settings]
#[derive(Debug, Clone, Default)]
pub struct Colourfulness {}

impl Metric for Colourfulness {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs::PIXELS
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("colourfulness", "colourfulness", "", Direction::Neither)]
    }

    fn row(&self, unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault> {
        let Observed::Pixels(pixels) = unit.output else {
            return Err(MetricFault::data("colourfulness needs pixels"));
        };
        let opponents = |of: fn([f64; 3]) -> f64| -> Vec<f64> {
            pixels.samples.chunks_exact(3).map(|rgb| of([rgb[0], rgb[1], rgb[2]].map(f64::from))).collect()
        };
        let moments =
            [opponents(|[r, g, _]| r - g), opponents(|[r, g, b]| 0.5 * (r + g) - b)].map(|values| {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
                (mean, squares / values.len() as f64)
            });
        let [(red, of_red), (yellow, of_yellow)] = moments;
        Ok(vec![(of_red + of_yellow).sqrt() + 0.3 * red.hypot(yellow)])
    }

    fn compute(&self, sample: &MetricSample<'_>, _: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let values = sample.rows.column(0)?;
        let mean = describe::mean(&values).map_err(MetricFault::data)?;
        Ok(vec![MetricValue::new(mean).by_row(values.into_iter().map(Some).collect())])
    }
}

register_metric!(
    Colourfulness,
    "colourfulness",
    summary = "How colourful outputs are",
    citation = "Hasler & Suesstrunk 2003, Measuring Colourfulness in Natural Images, SPIE 5007",
    example = "{ kind: colourfulness }",
);
