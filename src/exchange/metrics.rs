//! Automated metrics compared with human judgments by their correlation over models.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use hype_core::model::findings::{Correlation, Findings, Interval, Note};
use hype_core::words::counted;
use hype_core::{MeasureFindings, Streams};
use hype_stats::StatError;
use hype_stats::bootstrap::{Resamples, statistic};
use hype_stats::correlation::{KendallMethod, SpearmanMethod, Tau, kendall, pearson, spearman};
use hype_stats::multiple::{PValueAdjustment, adjust};
use hype_tables::number_of;

use super::fault::{Faults, ImportError};
use super::table::{Next, Table, TableFormat};

/// The column of models.
const MODEL: &str = "model";

/// Automated metrics of models, such as FID: a CSV table with the column `model` and one column per metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Metrics {
    file: String,
    names: Vec<Arc<str>>,
    models: Vec<(Arc<str>, Vec<Option<f64>>)>,
}

impl Metrics {
    /// Reads a table. An empty cell is a missing value.
    ///
    /// # Errors
    /// If the table cannot be read, lacks the column `model` or has no other column, or contains faults such as a
    /// repeated model or a cell that is not a number. The error lists the faults with their lines.
    pub fn read(path: &Path) -> Result<Self, ImportError> {
        let mut table = Table::open(path, TableFormat::default())?;
        let model = table.column(MODEL)?;
        let places: Vec<usize> = (0..table.headers().len()).filter(|&place| place != model).collect();
        let file = table.name().to_owned();
        if places.is_empty() {
            return Err(ImportError::Options(format!("{file}: there is no metric column besides `{MODEL}`")));
        }
        let mut names = Vec::with_capacity(places.len());
        for &place in &places {
            let name = &table.headers()[place];
            if name.is_empty() {
                return Err(ImportError::Options(format!("{file}: column {} has no name", place + 1)));
            }
            // Looking up the name reports a second column with the same name.
            table.column(name)?;
            names.push(name.as_str().into());
        }
        let mut faults = Faults::default();
        let mut lines: HashMap<String, u64> = HashMap::new();
        let mut models = Vec::new();
        loop {
            match table.read()? {
                Next::End => break,
                Next::Fault(fault) => {
                    faults.push(fault);
                    continue;
                }
                Next::Record => {}
            }
            let name = table.cell(model);
            if name.is_empty() {
                faults.push(table.fault(Some(model), "the model is empty", "name one"));
            } else if let Some(before) = lines.insert(name.to_owned(), table.line()) {
                let reason = format!("{name} is already on line {before}");
                faults.push(table.fault(Some(model), &reason, "write each model once"));
            }
            let mut values = Vec::with_capacity(places.len());
            for &place in &places {
                let text = table.cell(place);
                let value = number_of(text);
                if value.is_none() && !text.is_empty() {
                    let reason = format!("{text:?} is not a finite number");
                    faults.push(table.fault(Some(place), &reason, "leave unknown numbers empty"));
                }
                values.push(value);
            }
            models.push((Arc::from(table.cell(model)), values));
        }
        if !faults.is_empty() {
            return Err(faults.into_error());
        }
        if models.is_empty() {
            return Err(ImportError::Options(format!("{file}: there are no models")));
        }
        Ok(Self { file, names, models })
    }

    /// The names of the metrics, in the order of columns.
    #[must_use]
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The models that have a value of a metric, with that value.
    pub fn values<'a>(&'a self, metric: &str) -> impl Iterator<Item = (&'a Arc<str>, f64)> {
        let place = self.names.iter().position(|name| **name == *metric);
        let value = move |values: &Vec<Option<f64>>| *values.get(place?)?;
        self.models.iter().filter_map(move |(model, values)| Some((model, value(values)?)))
    }

    /// Adds to findings the correlation of each measure's estimates with each metric, over the models that have both.
    ///
    /// # Method
    /// Spearman's ρ, Kendall's τ-b and Pearson's r, with two-sided p values and percentile intervals of a bootstrap
    /// that resamples models; resamples in which a variable is constant have no coefficient and are left out. Beside each p
    /// value is the one that Holm's method (1979) corrects for all coefficients of the measure, of every metric. HYPE
    /// (Zhou et al. 2019, section 5) compares its scores with FID in this way. With few models, the intervals are wide.
    /// They do not include the uncertainty due to raters.
    pub fn correlate(&self, findings: &mut Findings, resamples: u32, level: f64, chance: &Streams) {
        let drawn = Bootstrap { resamples, level, chance: chance.child("correlations", 0) };
        let mut judged = BTreeSet::new();
        for found in &findings.measures {
            judged.extend(found.estimates.iter().map(|estimate| Arc::clone(&estimate.model)));
            // What the procedure sets is not tested.
            if found.measure.descriptive.is_some() {
                continue;
            }
            let metrics = self.names.iter().enumerate();
            let mut family: Vec<Correlation> =
                metrics.flat_map(|(place, name)| self.of_measure(found, name, place, &drawn)).collect();
            adjust_family(&mut family, &found.measure.name);
            findings.correlations.extend(family);
        }
        findings.notes.extend(self.notes(&judged));
    }

    fn of_measure(
        &self,
        found: &MeasureFindings,
        name: &Arc<str>,
        place: usize,
        drawn: &Bootstrap,
    ) -> [Correlation; 3] {
        let mut pairs = Vec::new();
        for (model, values) in &self.models {
            let estimate = found.estimates.iter().find(|estimate| estimate.model == *model);
            if let (Some(estimate), Some(value)) = (estimate, values[place]) {
                pairs.push((estimate.value, value));
            }
        }
        // Sorted, so that the order of the table does not matter.
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        Coefficient::ALL.map(|coefficient| {
            let mut correlation = Correlation {
                measure: Arc::clone(&found.measure.name),
                with: Arc::clone(name),
                coefficient: coefficient.name().into(),
                models: x.len() as u64,
                value: None,
                interval: None,
                p: None,
                p_adjusted: None,
                family: None,
                undefined: None,
            };
            match coefficient.of(&x, &y) {
                Err(reason) => correlation.undefined = Some(reason.to_string().into()),
                Ok((value, p)) => {
                    (correlation.value, correlation.p) = (Some(value), Some(p));
                    match drawn.interval(coefficient, &x, &y, &found.measure.name, name) {
                        Ok(interval) => correlation.interval = Some(interval),
                        Err(reason) => correlation.undefined = Some(format!("the interval: {reason}").into()),
                    }
                }
            }
            correlation
        })
    }

    /// Notes on models without metrics and on models that were not judged.
    fn notes(&self, judged: &BTreeSet<Arc<str>>) -> Vec<Note> {
        let known: BTreeSet<Arc<str>> = self.models.iter().map(|(model, _)| Arc::clone(model)).collect();
        let list =
            |names: Vec<&Arc<str>>| names.into_iter().map(|name| &**name).collect::<Vec<_>>().join(", ");
        let mut notes = Vec::new();
        let mut note = |code: &str, names: String, text: &str| {
            if !names.is_empty() {
                notes.push(Note::warning(code, format!("{text}: {names}")));
            }
        };
        let lacking = format!("models without a row in {}, omitted from correlations", self.file);
        note("models-without-metrics", list(judged.difference(&known).collect()), &lacking);
        let unjudged = format!("models in {} that were not judged, omitted from correlations", self.file);
        note("metrics-without-models", list(known.difference(judged).collect()), &unjudged);
        for (place, name) in self.names.iter().enumerate() {
            let empty = self
                .models
                .iter()
                .filter(|(model, values)| values[place].is_none() && judged.contains(model));
            let text = format!("models without {name}, omitted from its correlations");
            note("models-without-metric", list(empty.map(|(model, _)| model).collect()), &text);
        }
        notes
    }
}

/// Corrects the p values of a measure's coefficients by Holm's method, and names the family.
fn adjust_family(family: &mut [Correlation], measure: &str) {
    let tested = || family.iter().filter(|one| one.p.is_some());
    let raw: Vec<f64> = tested().filter_map(|one| one.p).collect();
    let metrics = tested().map(|one| &one.with).collect::<BTreeSet<_>>().len();
    let words =
        format!("{} of {measure} with {}", counted(raw.len(), "coefficient"), counted(metrics, "metric"));
    let words: Arc<str> = words.into();
    let Ok(adjusted) = adjust(&raw, PValueAdjustment::Holm) else { return };
    for (one, p) in family.iter_mut().filter(|one| one.p.is_some()).zip(adjusted) {
        one.p_adjusted = Some(p);
        one.family = Some(Arc::clone(&words));
    }
}

struct Bootstrap {
    resamples: u32,
    level: f64,
    chance: Streams,
}

impl Bootstrap {
    fn interval(
        &self,
        coefficient: Coefficient,
        x: &[f64],
        y: &[f64],
        measure: &str,
        metric: &str,
    ) -> Result<Interval, StatError> {
        // One seed per pair, so that an additional column in the table changes no other interval.
        let seed = self.chance.seed(&format!("{measure}/{metric}"));
        let pick =
            |from: &[f64], drawn: &[u32]| -> Vec<f64> { drawn.iter().map(|&at| from[at as usize]).collect() };
        let distribution = statistic(x.len(), Resamples::seeded(self.resamples as usize, seed), |drawn| {
            coefficient.value(&pick(x, drawn), &pick(y, drawn)).unwrap_or(f64::NAN)
        })?;
        let found = distribution.percentile(self.level)?;
        let (least, most) = distribution
            .replicates()
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &one| (low.min(one), high.max(one)));
        // Equal coefficients of different resamples may differ by rounding errors.
        if most - least < 1e-12 {
            let reason = "every resample of the models gives the same coefficient";
            return Err(StatError::Degenerate { statistic: "bootstrap", reason });
        }
        let left_out = match distribution.undefined() {
            0 => String::new(),
            some => format!(", {some} of them omitted because a variable is constant"),
        };
        let method =
            format!("percentile bootstrap over models, {} resamples, seed {seed}{left_out}", self.resamples);
        Ok(Interval::new(found.lower, found.upper, self.level, &method))
    }
}

#[derive(Debug, Clone, Copy)]
enum Coefficient {
    Spearman,
    Kendall,
    Pearson,
}

impl Coefficient {
    const ALL: [Self; 3] = [Self::Spearman, Self::Kendall, Self::Pearson];

    const fn name(self) -> &'static str {
        match self {
            Self::Spearman => "Spearman's rho",
            Self::Kendall => "Kendall's tau-b",
            Self::Pearson => "Pearson's r",
        }
    }

    /// The coefficient and its p value.
    fn of(self, x: &[f64], y: &[f64]) -> Result<(f64, f64), StatError> {
        Ok(match self {
            Self::Spearman => spearman(x, y, SpearmanMethod::Auto, 0.95).map(|found| (found.rho, found.p))?,
            Self::Kendall => kendall(x, y, Tau::B, KendallMethod::Auto).map(|found| (found.tau, found.p))?,
            Self::Pearson => pearson(x, y, 0.95).map(|found| (found.r, found.p))?,
        })
    }

    /// The coefficient without p value, as exact p values for every resample would be slow.
    fn value(self, x: &[f64], y: &[f64]) -> Result<f64, StatError> {
        match self {
            Self::Kendall => kendall(x, y, Tau::B, KendallMethod::Asymptotic).map(|found| found.tau),
            Self::Spearman => spearman(x, y, SpearmanMethod::StudentT, 0.95).map(|found| found.rho),
            Self::Pearson => self.of(x, y).map(|(value, _)| value),
        }
    }
}
