//! Automated metrics compared with human judgments by their correlation over models.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use hype_core::model::findings::{
    Correlation, FEW_MODELS, Findings, Interval, MetricFindings, ModelMetric, Note,
};
use hype_core::model::score::{Direction, Measure};
use hype_core::words::{counted, first_few};
use hype_core::{MeasureFindings, Streams};
use hype_pipeline::study::ComputedMetrics;
use hype_stats::StatError;
use hype_stats::bootstrap::{Resamples, statistic};
use hype_stats::correlation::{KendallMethod, SpearmanMethod, kendall, pearson, spearman};
use hype_stats::multiple::holm;
use hype_tables::{is_missing, number_of};

use super::fault::{Faults, ImportError};
use super::table::{Next, Table, TableFormat};

/// The column of models.
const MODEL: &str = "model";

/// Automated metrics of models: from a table, or computed from the study's stimuli.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metrics {
    sources: Vec<Source>,
}

/// Metrics of one origin.
#[derive(Debug, Clone, PartialEq)]
struct Source {
    /// The file, for notes.
    file: String,
    metrics: Vec<MetricFindings>,
    /// The values of outputs, by measure.
    by_output: Vec<ByOutput>,
    /// Whether it may have models without judgments, such as a model at all levels of a facet.
    is_computed: bool,
}

/// The values of outputs of one measure, by model and name.
type ByOutput = (Arc<str>, BTreeMap<Arc<str>, BTreeMap<Arc<str>, f64>>);

/// The mean over raters of a measure about each output of a model, by the outputs' names.
pub type OutputMeans<'a> = &'a dyn Fn(&str, &str) -> Vec<(Arc<str>, f64)>;

impl Metrics {
    /// Reads a CSV table with the column `model` and one column per metric. An empty cell is a missing value.
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
        let mut metrics = Vec::with_capacity(places.len());
        for &place in &places {
            let name = &table.headers()[place];
            if name.is_empty() {
                return Err(ImportError::Options(format!("{file}: column {} has no name", place + 1)));
            }
            // Looking up the name reports a second column with the same name.
            table.column(name)?;
            let measure = Measure::new(name, name, "", Direction::Neither);
            metrics.push(MetricFindings { measure, pipeline: Vec::new(), values: Vec::new() });
        }
        let mut faults = Faults::default();
        let mut lines: HashMap<String, u64> = HashMap::new();
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
            for (metric, &place) in metrics.iter_mut().zip(&places) {
                let text = table.cell(place);
                let value = number_of(text);
                if value.is_none() && !is_missing(text) {
                    let reason = format!("{text:?} is not a finite number");
                    faults.push(table.fault(Some(place), &reason, "leave unknown numbers empty"));
                }
                let undefined = value.is_none().then(|| Arc::from("the cell is empty"));
                let model = Arc::from(table.cell(model));
                metric.values.push(ModelMetric { model, value, undefined, ..ModelMetric::default() });
            }
        }
        if !faults.is_empty() {
            return Err(faults.into_error());
        }
        if lines.is_empty() {
            return Err(ImportError::Options(format!("{file}: there are no models")));
        }
        let source = Source { file, metrics, by_output: Vec::new(), is_computed: false };
        Ok(Self { sources: vec![source] })
    }

    /// Metrics that were computed from the study's stimuli.
    #[must_use]
    pub fn computed(found: ComputedMetrics) -> Self {
        let mut source = Source {
            file: "the computed metrics".to_owned(),
            metrics: Vec::new(),
            by_output: Vec::new(),
            is_computed: true,
        };
        for metric in found.metrics {
            if !metric.by_output.is_empty() {
                source.by_output.push((Arc::clone(&metric.findings.measure.name), metric.by_output));
            }
            source.metrics.push(metric.findings);
        }
        Self { sources: vec![source] }
    }

    /// Adds the metrics of another origin.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.sources.extend(other.sources);
        self
    }

    /// Adds the metrics to findings, with their correlations: of each measure's estimates over the models that have both, and of
    /// judgments about outputs over the outputs that have both, where the metric has a value for each output.
    ///
    /// # Method
    /// Over models: Spearman's ρ, Kendall's τ-b and Pearson's r, with two-sided p values and percentile intervals of a bootstrap
    /// that resamples models; resamples in which a variable is constant have no coefficient and are left out. With each p
    /// value is the one that Holm's method (1979) corrects for all coefficients of the measure, of every metric. HYPE
    /// (Zhou et al. 2019, section 5) compares its scores with FID in this way. With few models, the intervals are wide.
    /// They do not include the uncertainty due to raters.
    ///
    /// Over outputs: Spearman's ρ of the mean judgment of each output of all models, with an interval of a bootstrap that
    /// resamples items with the outputs of all models, which are not independent. It has no p value.
    ///
    /// Within a model with three or more levels of facets: as over models, with its levels in their place (HYPE, section 5.1).
    /// These coefficients are a family of their own.
    pub fn correlate(
        self,
        findings: &mut Findings,
        means: OutputMeans<'_>,
        resamples: u32,
        level: f64,
        chance: &Streams,
    ) {
        let drawn = Bootstrap { resamples, level, chance: chance.child("correlations", 0) };
        let cells = cells(findings);
        let mut judged = BTreeSet::new();
        let mut correlations = Vec::new();
        for found in &findings.measures {
            judged.extend(found.estimates.iter().map(|estimate| Arc::clone(&estimate.model)));
            // What the procedure sets is not tested.
            if found.measure.descriptive.is_some() {
                continue;
            }
            let metrics = || self.sources.iter().flat_map(|source| &source.metrics);
            let over_models = metrics().flat_map(|metric| of_measure(found, metric, None, &drawn)).collect();
            let within = metrics()
                .flat_map(|metric| {
                    cells
                        .iter()
                        .flat_map(|cells| of_measure(found, metric, Some(cells), &drawn))
                        .collect::<Vec<_>>()
                })
                .collect();
            correlations.extend(adjusted(over_models, &found.measure.name, ""));
            correlations.extend(adjusted(within, &found.measure.name, " within models"));
            let by_output = self.sources.iter().flat_map(|source| &source.by_output);
            correlations.extend(by_output.filter_map(|values| of_outputs(found, values, means, &drawn)));
        }
        findings.add_notes(self.sources.iter().flat_map(|source| source.notes(&judged)));
        findings.add_notes(few(&correlations, false).into_iter().chain(few(&correlations, true)));
        findings.correlations.extend(correlations);
        findings.metrics.extend(self.sources.into_iter().flat_map(|source| source.metrics));
    }
}

impl Source {
    /// Notes on models without metrics and on models that were not judged.
    fn notes(&self, judged: &BTreeSet<Arc<str>>) -> Vec<Note> {
        let values = || self.metrics.iter().flat_map(|metric| &metric.values);
        let known: BTreeSet<Arc<str>> = values().map(|value| Arc::clone(&value.model)).collect();
        let mut notes = Vec::new();
        let mut note = |code: &str, models: Vec<&Arc<str>>, text: &str| {
            if !models.is_empty() {
                let text = format!("{text}: {}", first_few(&models));
                notes.push(Note::precision(code, text).on_models(models));
            }
        };
        let lacking = format!("models without a row in {}, omitted from correlations", self.file);
        note("models-without-metrics", judged.difference(&known).collect(), &lacking);
        if !self.is_computed {
            let unjudged = format!("models in {} that were not judged, omitted from correlations", self.file);
            note("metrics-without-models", known.difference(judged).collect(), &unjudged);
        }
        for metric in &self.metrics {
            let empty = metric.values.iter().filter(|one| one.value.is_none() && judged.contains(&one.model));
            let text = format!("models without {}, omitted from its correlations", metric.measure.name);
            note("models-without-metric", empty.map(|one| &one.model).collect(), &text);
        }
        notes
    }
}

/// The levels of a model: its name, and the names under which estimates have it at each level.
struct Cells {
    model: Arc<str>,
    names: BTreeSet<Arc<str>>,
}

/// The models of a study with enough levels for a correlation.
fn cells(findings: &Findings) -> Vec<Cells> {
    const LEAST: usize = 3;
    let mut all: Vec<Cells> = Vec::new();
    for cell in findings.study.iter().flat_map(|card| &card.cells) {
        match all.iter_mut().find(|known| known.model == cell.model) {
            Some(known) => {
                known.names.insert(Arc::clone(&cell.name));
            }
            None => all.push(Cells {
                model: Arc::clone(&cell.model),
                names: [Arc::clone(&cell.name)].into_iter().collect(),
            }),
        }
    }
    all.retain(|cells| cells.names.len() >= LEAST);
    all
}

/// The correlations of a measure with a metric over models, or over the levels of one.
fn of_measure(
    found: &MeasureFindings,
    metric: &MetricFindings,
    within: Option<&Cells>,
    drawn: &Bootstrap,
) -> [Correlation; 3] {
    let mut pairs = Vec::new();
    for (model, value) in
        metric.known().filter(|(model, _)| within.is_none_or(|cells| cells.names.contains(*model)))
    {
        if let Some(estimate) = found.estimates.iter().find(|estimate| estimate.model == *model) {
            pairs.push((estimate.value, value));
        }
    }
    // After sorting, the order of the table does not matter.
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    Coefficient::ALL.map(|coefficient| {
        let (measure, name) = (&found.measure.name, &metric.measure.name);
        let mut correlation = empty(measure, name, coefficient, x.len() as u64);
        correlation.within = within.map(|cells| Arc::clone(&cells.model));
        let units = within.map_or_else(|| Units::Models, |cells| Units::LevelsOf(&cells.model));
        match coefficient.of(&x, &y) {
            Err(reason) => correlation.undefined = Some(reason.to_string().into()),
            Ok((value, p)) => {
                (correlation.value, correlation.p) = (Some(value), Some(p));
                match drawn.interval(coefficient, &x, &y, units, &format!("{measure}/{name}")) {
                    Ok(interval) => correlation.interval = Some(interval),
                    Err(reason) => correlation.undefined = Some(format!("the interval: {reason}").into()),
                }
            }
        }
        correlation
    })
}

fn empty(measure: &Arc<str>, with: &Arc<str>, coefficient: Coefficient, models: u64) -> Correlation {
    Correlation {
        measure: Arc::clone(measure),
        with: Arc::clone(with),
        coefficient: coefficient.name().into(),
        within: None,
        models,
        outputs: None,
        value: None,
        interval: None,
        p: None,
        p_adjusted: None,
        family: None,
        undefined: None,
    }
}

/// The correlation of judgments about outputs with the metric's values of the same outputs; `None` if no output has both.
fn of_outputs(
    found: &MeasureFindings,
    (name, by_output): &ByOutput,
    means: OutputMeans<'_>,
    drawn: &Bootstrap,
) -> Option<Correlation> {
    // What several models made of one item is one cluster; names of further outputs end in their number.
    let mut clusters: BTreeMap<Arc<str>, Vec<(f64, f64)>> = BTreeMap::new();
    let mut models = 0;
    for (model, values) in by_output {
        let mut has_both = false;
        for (output, mean) in means(&found.measure.name, model) {
            if let Some(value) = values.get(&output) {
                let further = output.rsplit_once('#').filter(|(_, number)| number.parse::<u32>().is_ok());
                let item = further.map_or(&*output, |(item, _)| item);
                clusters.entry(item.into()).or_default().push((mean, *value));
                has_both = true;
            }
        }
        models += u64::from(has_both);
    }
    let clusters: Vec<Vec<(f64, f64)>> = clusters.into_values().collect();
    let outputs = clusters.iter().map(Vec::len).sum::<usize>() as u64;
    if outputs == 0 {
        return None;
    }
    let of = |chosen: &mut dyn Iterator<Item = usize>| {
        let (x, y): (Vec<f64>, Vec<f64>) =
            chosen.flat_map(|cluster| clusters[cluster].iter().copied()).unzip();
        Coefficient::Spearman.value(&x, &y)
    };
    let mut correlation = empty(&found.measure.name, name, Coefficient::Spearman, models);
    correlation.outputs = Some(outputs);
    match of(&mut (0..clusters.len())) {
        Err(reason) => correlation.undefined = Some(reason.to_string().into()),
        Ok(value) => {
            correlation.value = Some(value);
            let key = format!("{}/{name}/outputs", found.measure.name);
            let of_drawn = |drawn: &[u32]| of(&mut drawn.iter().map(|&at| at as usize)).unwrap_or(f64::NAN);
            match drawn.of_statistic(clusters.len(), "items", &key, of_drawn) {
                Ok(interval) => correlation.interval = Some(interval),
                Err(reason) => correlation.undefined = Some(format!("the interval: {reason}").into()),
            }
        }
    }
    Some(correlation)
}

/// Says that few models, or few levels within models, tell little, once for all correlations.
fn few(correlations: &[Correlation], within: bool) -> Option<Note> {
    let own =
        |one: &&Correlation| one.outputs.is_none() && one.value.is_some() && one.within.is_some() == within;
    let least = correlations.iter().filter(own).map(|one| one.models).min();
    let least = least.filter(|&least| least < FEW_MODELS)? as usize;
    let (code, over) = if within {
        ("few-levels", format!("correlations within a model are over {}", counted(least, "level")))
    } else {
        ("few-models", format!("correlations are over {}", counted(least, "model")))
    };
    let text = format!(
        "{over}: with fewer than about {FEW_MODELS}, a coefficient says little about how well a metric follows people"
    );
    Some(Note::precision(code, text))
}

/// Coefficients of a measure with p values that Holm's method corrects, and the name of their family.
fn adjusted(mut family: Vec<Correlation>, measure: &str, within: &str) -> Vec<Correlation> {
    let tested = || family.iter().filter(|one| one.p.is_some());
    let raw: Vec<f64> = tested().filter_map(|one| one.p).collect();
    let metrics = tested().map(|one| &one.with).collect::<BTreeSet<_>>().len();
    let words = format!(
        "{} of {measure} with {}{within}",
        counted(raw.len(), "coefficient"),
        counted(metrics, "metric")
    );
    let words: Arc<str> = words.into();
    let corrected = holm(&raw).unwrap_or_default();
    for (one, p) in family.iter_mut().filter(|one| one.p.is_some()).zip(corrected) {
        one.p_adjusted = Some(p);
        one.family = Some(Arc::clone(&words));
    }
    family
}

/// Over what a correlation is.
#[derive(Debug, Clone, Copy)]
enum Units<'a> {
    Models,
    LevelsOf(&'a str),
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
        units: Units<'_>,
        key: &str,
    ) -> Result<Interval, StatError> {
        let pick =
            |from: &[f64], drawn: &[u32]| -> Vec<f64> { drawn.iter().map(|&at| from[at as usize]).collect() };
        // One seed per pair: an additional column in the table changes no other interval.
        let (units, key) = match units {
            Units::Models => ("models", key.to_owned()),
            Units::LevelsOf(model) => ("levels", format!("{key}/{model}")),
        };
        self.of_statistic(x.len(), units, &key, |drawn| {
            coefficient.value(&pick(x, drawn), &pick(y, drawn)).unwrap_or(f64::NAN)
        })
    }

    /// The percentile interval of a coefficient, which is NaN where a variable is constant.
    fn of_statistic(
        &self,
        count: usize,
        units: &str,
        key: &str,
        coefficient: impl Fn(&[u32]) -> f64 + Sync,
    ) -> Result<Interval, StatError> {
        let seed = self.chance.seed(key);
        let distribution = statistic(count, Resamples::seeded(self.resamples as usize, seed), coefficient)?;
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
        let resamples = self.resamples;
        let method =
            format!("percentile bootstrap over {units}, {resamples} resamples, seed {seed}{left_out}");
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
            Self::Kendall => kendall(x, y, KendallMethod::Auto).map(|found| (found.tau, found.p))?,
            Self::Pearson => pearson(x, y, 0.95).map(|found| (found.r, found.p))?,
        })
    }

    /// The coefficient without p value, as exact p values for every resample would be slow.
    fn value(self, x: &[f64], y: &[f64]) -> Result<f64, StatError> {
        match self {
            Self::Kendall => kendall(x, y, KendallMethod::Asymptotic).map(|found| found.tau),
            Self::Spearman => spearman(x, y, SpearmanMethod::StudentT, 0.95).map(|found| found.rho),
            Self::Pearson => self.of(x, y).map(|(value, _)| value),
        }
    }
}
