// A metric for tests, which can be made to misbehave.

use std::sync::atomic::{AtomicU32, Ordering};

use hype_core::plugin::metric::{
    Metric, MetricFault, MetricInputs, MetricSample, MetricUnit, MetricValue, Observed,
};
use hype_core::{Direction, Measure, Streams, register_metric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the metric misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Misstep {
    /// In none.
    #[default]
    None,
    /// It declares a measure twice.
    DeclaresTwice,
    /// It returns more values than it declares.
    ReturnsMore,
    /// Its value is that of the first unit.
    ReadsTheFirst,
    /// Values of units stay where they were.
    FixesRows,
    /// Its rows depend on what was measured before.
    Remembers,
    /// It divides by the number of units even if there are none.
    DividesByZero,
    /// It leaves out what is not a number.
    PassesOver,
    /// It knows a wrong value of identical sets.
    KnowsBetter,
    /// It draws without a seed.
    Wavers,
}

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// The mean level of images.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Brightness {
    /// The misbehaviour.
    pub(crate) misstep: Misstep,
}

impl Metric for Brightness {
    fn inputs(&self) -> MetricInputs<'_> {
        MetricInputs::PIXELS
    }

    fn measures(&self) -> Vec<Measure> {
        let measure = Measure::new("brightness", "brightness", "", Direction::Neither);
        vec![measure; if self.misstep == Misstep::DeclaresTwice { 2 } else { 1 }]
    }

    fn row(&self, unit: &MetricUnit<'_>) -> Result<Vec<f64>, MetricFault> {
        let Observed::Pixels(pixels) = unit.output else {
            return Err(MetricFault::data("brightness needs pixels"));
        };
        let total: u64 = pixels.samples.iter().copied().map(u64::from).sum();
        let mut mean = total as f64 / pixels.samples.len() as f64;
        if self.misstep == Misstep::Remembers {
            mean += f64::from(COUNTER.fetch_add(1, Ordering::Relaxed));
        }
        Ok(vec![mean])
    }

    fn compute(&self, sample: &MetricSample<'_>, _: &Streams) -> Result<Vec<MetricValue>, MetricFault> {
        let mut levels = sample.rows.column(0)?;
        if self.misstep == Misstep::PassesOver {
            levels.retain(|level| level.is_finite());
        }
        if levels.is_empty() && self.misstep != Misstep::DividesByZero {
            return Err(MetricFault::data("brightness needs an image"));
        }
        let mut mean = levels.iter().sum::<f64>() / levels.len() as f64;
        match self.misstep {
            Misstep::ReadsTheFirst => mean = levels[0],
            Misstep::Wavers => mean += f64::from(COUNTER.fetch_add(1, Ordering::Relaxed)),
            Misstep::DividesByZero if levels.is_empty() => mean = 0.0,
            _ => {}
        }
        let mut by_row: Vec<Option<f64>> = levels.into_iter().map(Some).collect();
        if self.misstep == Misstep::FixesRows {
            by_row = (0..by_row.len()).map(|row| Some(row as f64)).collect();
        }
        if self.misstep == Misstep::PassesOver {
            by_row.clear();
        }
        let value = MetricValue::new(mean).by_row(by_row);
        Ok(vec![
            value;
            if matches!(self.misstep, Misstep::ReturnsMore | Misstep::DeclaresTwice) { 2 } else { 1 }
        ])
    }

    fn of_identical(&self) -> Vec<Option<f64>> {
        if self.misstep == Misstep::KnowsBetter { vec![Some(1.0)] } else { Vec::new() }
    }
}

register_metric!(
    Brightness,
    "brightness",
    summary = "The mean level of images",
    citation = "None of its own",
    example = "{ kind: brightness }",
);
