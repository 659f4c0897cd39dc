//! Metrics: their values depend on what is measured and on nothing else.

use std::collections::BTreeSet;

use hype_core::plugin::extractor::{ExtractedLayer, RgbPixels};
use hype_core::plugin::metric::{
    BesideRows, MetricBeside, MetricFault, MetricReads, MetricRows, MetricSample, MetricSpec, MetricUnit,
    MetricValue, Observed, RowOrigin, RowValues,
};
use hype_core::plugin::schema::entry_yaml_schema;
use hype_core::yaml::{Document, to_json};
use hype_core::{Registry, SpecPart, Stream, Streams};

use super::documents::{fits, validator};
use super::ensure;

/// A check of the suite for metrics, which returns the fault that it finds.
pub type MetricCheck = fn(&MetricSubject) -> Result<(), String>;

/// All checks of metrics, by name.
pub const METRIC_CHECKS: [(&str, MetricCheck); 6] = [
    ("metric_example_fits_the_schema", metric_example_fits_the_schema),
    ("metric_values_are_declared", metric_values_are_declared),
    ("order_changes_no_value", order_changes_no_value),
    ("identical_sets_have_the_known_value", identical_sets_have_the_known_value),
    ("rows_depend_on_their_unit_alone", rows_depend_on_their_unit_alone),
    ("outliers_are_never_silent", outliers_are_never_silent),
];

/// How far values may differ where only the order of sums does.
const ROUNDING: f64 = 1e-9;
/// Units of a sample.
const UNITS: usize = 24;
/// Columns of features.
const WIDTH: usize = 5;
/// Sides of images, in pixels: enough for five scales of an 11-pixel window.
const SIDE: u32 = 192;

/// A metric under test, with what it measures.
#[derive(Debug)]
pub struct MetricSubject {
    metric: Box<dyn MetricSpec>,
    given: Option<MetricRows>,
    origins: Vec<RowOrigin>,
}

impl MetricSubject {
    /// Tests a metric with images, features or layers drawn at random.
    #[must_use]
    pub fn new(metric: &dyn MetricSpec) -> Self {
        let origins = (0..UNITS as u32).map(|unit| RowOrigin { item: unit / 2, ..RowOrigin::default() });
        Self { metric: metric.boxed_clone(), given: None, origins: origins.collect() }
    }

    /// Tests it with these rows in place of random features, such as class probabilities or detections.
    #[must_use]
    pub fn with_rows(self, rows: MetricRows) -> Self {
        let origins = (0..rows.len() as u32).map(|unit| RowOrigin { item: unit / 2, ..RowOrigin::default() });
        Self { origins: origins.collect(), given: Some(rows), ..self }
    }

    /// Sets where the rows come from, with the levels that the metric reads.
    #[must_use]
    pub fn with_origins(self, origins: Vec<RowOrigin>) -> Self {
        Self { origins, ..self }
    }

    fn chance() -> Streams {
        Streams::new(20_240_607)
    }

    /// The units that rows are made of; none for metrics of features.
    fn units(&self, identical: bool) -> Vec<OwnedUnit> {
        let inputs = self.metric.inputs();
        let (has_other, of_pixels) = (
            matches!(inputs.beside, MetricBeside::Condition(_) | MetricBeside::Siblings),
            matches!(inputs.reads, MetricReads::Pixels),
        );
        if matches!(inputs.reads, MetricReads::Features(_)) {
            return Vec::new();
        }
        (0..UNITS as u64)
            .map(|unit| {
                let mut stream = Self::chance().child("unit", unit).stream("content");
                let output = if of_pixels { Owned::image(&mut stream) } else { Owned::layers(&mut stream) };
                let other =
                    has_other.then(|| if identical { output.clone() } else { output.changed(&mut stream) });
                OwnedUnit { output, other }
            })
            .collect()
    }

    fn rows_of(&self, units: &[OwnedUnit]) -> Result<MetricRows, String> {
        let mut rows = MetricRows::double();
        for unit in units {
            rows.push(self.metric.row(&unit.view()).map_err(|error| format!("a row: {error}"))?);
        }
        Ok(rows)
    }

    /// The rows of a sample, and of what it is compared with.
    fn rows(&self, identical: bool) -> Result<(MetricRows, Option<MetricRows>), String> {
        let inputs = self.metric.inputs();
        if !matches!(inputs.reads, MetricReads::Features(_)) {
            return Ok((self.rows_of(&self.units(identical))?, None));
        }
        let rows = self.given.clone().unwrap_or_else(|| features("outputs", self.origins.len()));
        let beside = match inputs.beside {
            MetricBeside::Reference(_) | MetricBeside::Prompt(_) if identical => Some(rows.clone()),
            // As many as there are outputs: texts belong to outputs, and reference sets may have any number.
            MetricBeside::Reference(_) | MetricBeside::Prompt(_) => Some(features("beside", rows.len())),
            _ => None,
        };
        Ok((rows, beside))
    }

    fn compute(
        &self,
        rows: &MetricRows,
        beside: Option<&MetricRows>,
        origins: &[RowOrigin],
    ) -> Result<Vec<MetricValue>, MetricFault> {
        let sample = MetricSample { rows, beside: beside.map(BesideRows::Rows), origins };
        self.metric.compute(&sample, &Self::chance())
    }

    fn values(&self, identical: bool) -> Result<Vec<MetricValue>, String> {
        let (rows, beside) = self.rows(identical)?;
        self.compute(&rows, beside.as_ref(), &self.origins).map_err(|error| error.to_string())
    }
}

/// The stimuli of a unit.
#[derive(Debug, Clone)]
enum Owned {
    Image(Vec<u8>),
    Layers(Vec<ExtractedLayer>),
}

struct OwnedUnit {
    output: Owned,
    other: Option<Owned>,
}

impl OwnedUnit {
    fn view(&self) -> MetricUnit<'_> {
        MetricUnit { output: self.output.view(), other: self.other.as_ref().map(Owned::view) }
    }
}

impl Owned {
    /// Waves with noise: neighbouring pixels are similar and some of them are dark.
    fn image(stream: &mut Stream) -> Self {
        let (across, down) = (0.02 + 0.1 * stream.unit_f64(), 0.02 + 0.1 * stream.unit_f64());
        let mut samples = Vec::with_capacity((SIDE * SIDE * 3) as usize);
        for row in 0..SIDE {
            for column in 0..SIDE {
                let wave = (across * f64::from(column)).sin() * (down * f64::from(row)).cos();
                for tint in [90.0, 70.0, 50.0] {
                    let level = tint * (1.0 + wave) + 40.0 * stream.unit_f64();
                    samples.push(level.clamp(0.0, 255.0) as u8);
                }
            }
        }
        Self::Image(samples)
    }

    fn layers(stream: &mut Stream) -> Self {
        let mut layer = |channels: usize, side: usize| ExtractedLayer {
            shape: vec![channels, side, side],
            values: (0..channels * side * side).map(|_| stream.unit_f64() as f32).collect(),
        };
        Self::Layers(vec![layer(3, 4), layer(5, 2)])
    }

    /// Something like it.
    fn changed(&self, stream: &mut Stream) -> Self {
        match self {
            Self::Image(samples) => Self::Image(
                samples
                    .iter()
                    .map(|&level| (f64::from(level) + 20.0 * stream.unit_f64()).min(255.0) as u8)
                    .collect(),
            ),
            Self::Layers(layers) => Self::Layers(
                layers
                    .iter()
                    .map(|layer| ExtractedLayer {
                        shape: layer.shape.clone(),
                        values: layer.values.iter().map(|value| value + stream.unit_f64() as f32).collect(),
                    })
                    .collect(),
            ),
        }
    }

    fn view(&self) -> Observed<'_> {
        match self {
            Self::Image(samples) => Observed::Pixels(RgbPixels { width: SIDE, height: SIDE, samples }),
            Self::Layers(layers) => Observed::Layers(layers),
        }
    }
}

fn features(purpose: &str, rows: usize) -> MetricRows {
    let mut stream = MetricSubject::chance().stream(purpose);
    let mut found = MetricRows::single();
    for _ in 0..rows {
        let row: Vec<f32> = (0..WIDTH).map(|_| stream.unit_f64() as f32).collect();
        found.push_single(&row);
    }
    found
}

/// Checks that the metric is registered, that its example reads and fits its schema, and that the metric under test and its
/// example survive a round trip through YAML.
///
/// # Errors
/// The first fault found.
pub fn metric_example_fits_the_schema(subject: &MetricSubject) -> Result<(), String> {
    let registry = Registry::linked().map_err(|error| error.to_string())?;
    let kind = subject.metric.typetag_name();
    let entry = registry
        .find(SpecPart::Metric, kind)
        .ok_or_else(|| format!("the metric `{kind}` is not registered"))?;
    ensure(!entry.citation.is_empty(), || format!("the metric `{kind}` cites no source"))?;
    let validator = validator(&entry_yaml_schema(entry))?;
    let document =
        Document::parse(entry.example).map_err(|found| format!("the example is not YAML: {found}"))?;
    fits(&validator, &to_json(document.root()))
        .map_err(|reason| format!("the example does not fit: {reason}"))?;
    let example: Box<dyn MetricSpec> =
        document.root().read().map_err(|found| format!("the example cannot be read: {found}"))?;
    for (name, metric) in [("the example", &example), ("the metric", &subject.metric)] {
        let written =
            serde_json::to_value(metric).map_err(|error| format!("{name} cannot be written: {error}"))?;
        fits(&validator, &written)
            .map_err(|reason| format!("{name}, once written, does not fit: {reason}"))?;
        let read: Box<dyn MetricSpec> = serde_json::from_value(written.clone())
            .map_err(|error| format!("{name} cannot be read: {error}"))?;
        let again =
            serde_json::to_value(&read).map_err(|error| format!("{name} cannot be written: {error}"))?;
        ensure(again == written, || format!("{name} changes when written and read again: {again}"))?;
    }
    Ok(())
}

/// Checks that each measure is declared once, that there is a value for each, and that computing twice gives the same.
///
/// # Errors
/// The first fault found.
pub fn metric_values_are_declared(subject: &MetricSubject) -> Result<(), String> {
    let measures = subject.metric.measures();
    ensure(!measures.is_empty(), || "no measure is declared".to_owned())?;
    let names: BTreeSet<&str> = measures.iter().map(|measure| &*measure.name).collect();
    ensure(names.len() == measures.len(), || "a measure is declared twice".to_owned())?;
    let values = subject.values(false)?;
    ensure(values == subject.values(false)?, || "computing twice gives different values".to_owned())?;
    let none = values.iter().zip(&measures).find(|(found, _)| found.value.is_none());
    match none {
        None => Ok(()),
        Some((found, measure)) => {
            Err(format!("{} has no value of an ordinary sample: {:?}", measure.name, found.undefined))
        }
    }
}

/// Checks that the order of units changes no value, and that values of units move with them.
///
/// # Errors
/// The first fault found.
pub fn order_changes_no_value(subject: &MetricSubject) -> Result<(), String> {
    let measures = subject.metric.measures();
    let (rows, beside) = subject.rows(false)?;
    let values = subject.values(false)?;
    let mut order: Vec<usize> = (0..rows.len()).collect();
    MetricSubject::chance().stream("order").shuffle(&mut order);
    let origins: Vec<RowOrigin> = order.iter().map(|&row| subject.origins[row].clone()).collect();
    let beside = beside.map(|beside| beside.select(&order));
    let again = subject
        .compute(&rows.select(&order), beside.as_ref(), &origins)
        .map_err(|error| error.to_string())?;
    for ((found, moved), measure) in values.iter().zip(&again).zip(&measures) {
        if let (Some(one), Some(other)) = (found.value, moved.value) {
            ensure((one - other).abs() <= ROUNDING * (1.0 + one.abs()), || {
                format!("{} is {one}, and {other} in another order", measure.name)
            })?;
        }
        let same = found.by_row.is_empty()
            || order.iter().zip(&moved.by_row).all(|(&row, &value)| found.by_row[row] == value);
        ensure(same, || format!("values of {} stay where they were in another order", measure.name))?;
    }
    Ok(())
}

/// Checks the values of what is compared with itself.
///
/// # Errors
/// The first fault found.
pub fn identical_sets_have_the_known_value(subject: &MetricSubject) -> Result<(), String> {
    let known = subject.metric.of_identical();
    if known.is_empty() {
        return Ok(());
    }
    let measures = subject.metric.measures();
    ensure(known.len() == measures.len(), || "known values are not one for each measure".to_owned())?;
    let values = subject.values(true)?;
    for ((found, known), measure) in values.iter().zip(known).zip(&measures) {
        let Some(known) = known else { continue };
        let is_known =
            found.value.is_some_and(|value| (value - known).abs() <= ROUNDING * (1.0 + known.abs()));
        ensure(is_known, || {
            format!("{} of identical sets is {:?}, and {known} is declared", measure.name, found.value)
        })?;
    }
    Ok(())
}

/// Checks that rows computed apart, in another order and by another copy of the metric are the same, as parts of a
/// sample can be measured anywhere.
///
/// # Errors
/// The first fault found.
pub fn rows_depend_on_their_unit_alone(subject: &MetricSubject) -> Result<(), String> {
    let units = subject.units(false);
    let whole = subject.rows_of(&units)?;
    for (place, unit) in units.iter().enumerate().rev() {
        let copy = subject.metric.boxed_clone();
        let alone = copy.row(&unit.view()).map_err(|error| error.to_string())?;
        ensure(alone == whole.row(place), || {
            format!("the row of unit {place} is {:?} among others and {alone:?} alone", whole.row(place))
        })?;
    }
    Ok(())
}

/// Checks that a number that is not finite, or too large, among the features is an error or leaves finite values, and that a
/// missing number is never passed over in silence.
///
/// # Errors
/// The first fault found.
pub fn outliers_are_never_silent(subject: &MetricSubject) -> Result<(), String> {
    let (rows, beside) = subject.rows(false)?;
    if rows.is_empty() || rows.row(0).is_empty() {
        return Ok(());
    }
    for outlier in [1e30, -1e30, 1e300, f64::MAX, f64::INFINITY, f64::NAN] {
        for place in 0..rows.row(0).len() {
            let mut changed = MetricRows::double();
            for row in 0..rows.len() {
                let mut values = rows.row(row);
                if row == 0 {
                    values[place] = outlier;
                }
                changed.push(values);
            }
            let Ok(values) = subject.compute(&changed, beside.as_ref(), &subject.origins) else { continue };
            // The twin with erased types has refused values that are not finite.
            let is_silent = outlier.is_nan()
                && values.iter().any(|found| found.value.is_some() && found.cautions.is_empty())
                && reads_column(subject, &rows, beside.as_ref(), place);
            ensure(!is_silent, || format!("a row with NaN in column {place} is passed over in silence"))?;
        }
    }
    let empty = MetricRows::of_width(RowValues::Double(Vec::new()), 1).map_err(|error| error.to_string())?;
    match subject.compute(&empty, beside.as_ref(), &[]) {
        Ok(values) if values.iter().any(|found| found.value.is_some()) => {
            Err("a sample without units has a value".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whether a column has any influence on the values.
fn reads_column(
    subject: &MetricSubject,
    rows: &MetricRows,
    beside: Option<&MetricRows>,
    column: usize,
) -> bool {
    let mut changed = MetricRows::double();
    for row in 0..rows.len() {
        let mut values = rows.row(row);
        if let Some(value) = values.get_mut(column) {
            *value = 1.0 - *value;
        }
        changed.push(values);
    }
    let before = subject.compute(rows, beside, &subject.origins);
    let after = subject.compute(&changed, beside, &subject.origins);
    before != after
}
