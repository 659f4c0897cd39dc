//! A classifier that sees everything but pixels: can it tell the classes apart?
//!
//! Each feature is tested by itself, and all of them by a logistic regression that is validated on unseen raters. The
//! measure is the area under the ROC curve (AUC), 0.5 if the classes cannot be distinguished. Under that hypothesis
//! its standard error is √((m + n + 1) / 12mn) for m and n showings (Hanley & McNeil 1982, equation 2, at an area of
//! ½). The bound holds for all features together, with a false alarm in one of [`ALARMS`] runs (Bonferroni).

use std::collections::{BTreeMap, BTreeSet};

use hype_stats::distributions::normal_quantile;

/// The number of test runs with one expected false alarm.
pub(crate) const ALARMS: f64 = 10_000.0;

/// Folds of raters; each is classified by a model trained on the others.
const FOLDS: usize = 5;

const STEPS: usize = 200;
const RIDGE: f64 = 1e-3;

/// The features of one showing.
#[derive(Debug, Clone)]
pub(crate) struct Showing {
    pub(crate) rater: usize,
    /// Its class.
    pub(crate) signal: bool,
    pub(crate) features: BTreeMap<String, f64>,
}

/// How well the classes can be distinguished.
#[derive(Debug)]
pub(crate) struct Findings {
    /// The AUC of the classifier.
    pub(crate) together: f64,
    /// The AUC of each feature that varies, the most telling first.
    pub(crate) alone: Vec<(String, f64)>,
    /// The standard error under the null hypothesis.
    pub(crate) error: f64,
    /// How far from ½ an AUC may be by chance.
    pub(crate) bound: f64,
}

impl Findings {
    /// Everything that discriminates significantly.
    pub(crate) fn significant(&self) -> Vec<String> {
        let all = std::iter::once(("all together", self.together));
        let all = all.chain(self.alone.iter().map(|(name, auc)| (name.as_str(), *auc)));
        all.filter(|(_, auc)| (auc - 0.5).abs() > self.bound)
            .map(|(name, auc)| format!("{name}: {auc:.3}"))
            .collect()
    }
}

pub(crate) fn discriminate(showings: &[Showing]) -> Findings {
    let names: BTreeSet<&String> = showings.iter().flat_map(|showing| showing.features.keys()).collect();
    let column = |name: &String| -> Vec<f64> {
        // A feature that only some showings have is informative as well.
        showings.iter().map(|showing| showing.features.get(name).copied().unwrap_or(-1.0)).collect()
    };
    let varying: Vec<(&String, Vec<f64>)> = names
        .into_iter()
        .map(|name| (name, column(name)))
        .filter(|(_, values)| values.iter().any(|value| value.total_cmp(&values[0]).is_ne()))
        .collect();
    let signals: Vec<bool> = showings.iter().map(|showing| showing.signal).collect();
    let mut alone: Vec<(String, f64)> =
        varying.iter().map(|(name, values)| ((*name).clone(), auc(values, &signals))).collect();
    alone.sort_by(|one, other| (other.1 - 0.5).abs().total_cmp(&(one.1 - 0.5).abs()));
    let rows: Vec<Vec<f64>> =
        (0..showings.len()).map(|row| varying.iter().map(|(_, values)| values[row]).collect()).collect();
    let raters: Vec<usize> = showings.iter().map(|showing| showing.rater).collect();
    let error = standard_error(&signals);
    let tests = (alone.len() + 1) as f64;
    let deviate = normal_quantile(1.0 - 0.5 / (ALARMS * tests)).unwrap();
    Findings { together: classified(&rows, &signals, &raters), alone, error, bound: deviate * error }
}

/// The AUC of a classifier on raters outside its training set: the mean over all folds.
fn classified(rows: &[Vec<f64>], signals: &[bool], raters: &[usize]) -> f64 {
    let areas = (0..FOLDS).map(|fold| {
        let (test, train): (Vec<usize>, Vec<usize>) =
            (0..rows.len()).partition(|&row| raters[row] % FOLDS == fold);
        let scale = Scale::of(&train.iter().map(|&row| &rows[row]));
        let scaled = |of: &[usize]| of.iter().map(|&row| scale.apply(&rows[row])).collect::<Vec<_>>();
        let truth = |of: &[usize]| of.iter().map(|&row| signals[row]).collect::<Vec<_>>();
        let weights = logistic(&scaled(&train), &truth(&train));
        let scores: Vec<f64> = scaled(&test).iter().map(|row| dot(row, &weights)).collect();
        auc(&scores, &truth(&test))
    });
    areas.sum::<f64>() / FOLDS as f64
}

/// Mean and standard deviation of each column.
struct Scale(Vec<(f64, f64)>);

impl Scale {
    fn of<'a>(rows: &(impl Iterator<Item = &'a Vec<f64>> + Clone)) -> Self {
        let columns = rows.clone().next().map_or(0, Vec::len);
        let count = rows.clone().count() as f64;
        let of = |column: usize| {
            let mean = rows.clone().map(|row| row[column]).sum::<f64>() / count;
            let variance = rows.clone().map(|row| (row[column] - mean).powi(2)).sum::<f64>() / count;
            (mean, variance.sqrt())
        };
        Self((0..columns).map(of).collect())
    }

    fn apply(&self, row: &[f64]) -> Vec<f64> {
        let scaled = |(value, (mean, spread)): (&f64, &(f64, f64))| {
            if *spread > 0.0 { (value - mean) / spread } else { 0.0 }
        };
        row.iter().zip(&self.0).map(scaled).collect()
    }
}

/// Gradient ascent on the penalised likelihood, with steps small enough for its curvature to converge.
fn logistic(rows: &[Vec<f64>], signals: &[bool]) -> Vec<f64> {
    let columns = rows[0].len();
    let (step, share) = (4.0 / (columns as f64 + 1.0), 1.0 / rows.len() as f64);
    let mut weights = vec![0.0; columns];
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; columns];
        for (row, &signal) in rows.iter().zip(signals) {
            let expected = 1.0 / (1.0 + (-dot(row, &weights)).exp());
            let residual = f64::from(u8::from(signal)) - expected;
            for (sum, value) in gradient.iter_mut().zip(row) {
                *sum += residual * value;
            }
        }
        for (weight, sum) in weights.iter_mut().zip(gradient) {
            *weight += step * (share * sum - RIDGE * *weight);
        }
    }
    weights
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The share of pairs of a signal and a non-signal in which the signal has the higher score. Ties count half.
pub(crate) fn auc(scores: &[f64], signals: &[bool]) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&one, &other| scores[one].total_cmp(&scores[other]));
    let mut ranks = 0.0;
    let mut begun = 0;
    for tied in order.chunk_by(|&one, &other| scores[one].total_cmp(&scores[other]).is_eq()) {
        let rank = begun as f64 + (tied.len() as f64 + 1.0) / 2.0;
        ranks += rank * tied.iter().filter(|&&index| signals[index]).count() as f64;
        begun += tied.len();
    }
    let (with, without) = counts(signals);
    (ranks - with * (with + 1.0) / 2.0) / (with * without)
}

fn standard_error(signals: &[bool]) -> f64 {
    let (with, without) = counts(signals);
    ((with + without + 1.0) / (12.0 * with * without)).sqrt()
}

fn counts(signals: &[bool]) -> (f64, f64) {
    let with = signals.iter().filter(|&&signal| signal).count();
    (with as f64, (signals.len() - with) as f64)
}
