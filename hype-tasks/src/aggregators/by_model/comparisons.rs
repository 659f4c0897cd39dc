//! Tests over models and comparisons of pairs.

use std::collections::HashMap;

use hype_core::RaterDesign;
use hype_core::model::findings::{Comparison, Effect, Interval, Test};
use hype_stats::multiple::{PValueAdjustment, adjust};
use hype_stats::pairwise::{PairComparison, games_howell, tukey_kramer};
use hype_stats::ttest::{self, Alternative, TTest};
use hype_stats::{StatError, anova, describe};

use super::sums::ModelSample;
use super::untested::{difference, no_test, untested};
use super::{ByModel, Pairs, within};

/// A method of comparison, with the names that findings use for it.
#[derive(Clone, Copy)]
struct Method {
    name: &'static str,
    interval: &'static str,
    /// Converts the t of a pair to the statistic of the method.
    statistic: fn(f64) -> f64,
    statistic_name: &'static str,
}

/// Compares all samples at a level.
type CompareAll = fn(&[Vec<f64>], f64) -> Result<Vec<PairComparison>, StatError>;
/// The samples of a pair for a test.
type SamplesOf = fn(&ModelSample, &ModelSample) -> (Vec<f64>, Vec<f64>);
/// A test of two samples at a level.
type TestOf = fn(&[f64], &[f64], Alternative, f64) -> Result<TTest, StatError>;

const TUKEY_KRAMER: Method = Method {
    name: "Tukey-Kramer",
    interval: "Tukey-Kramer, simultaneous over all pairs",
    statistic: studentized,
    statistic_name: "q",
};
const GAMES_HOWELL: Method = Method {
    name: "Games-Howell",
    interval: "Games-Howell, simultaneous over all pairs",
    statistic: studentized,
    statistic_name: "q",
};
const WELCH: Method = Method {
    name: "Welch's t, Holm",
    interval: "Welch's t, each by itself",
    statistic: same,
    statistic_name: "t",
};
const STUDENT: Method = Method {
    name: "Student's t, Holm",
    interval: "Student's t, each by itself",
    statistic: same,
    statistic_name: "t",
};
const PAIRED: Method = Method {
    name: "paired t, Holm",
    interval: "paired t, each by itself",
    statistic: same,
    statistic_name: "t",
};

/// The studentized range statistic of two means whose t is given.
fn studentized(t: f64) -> f64 {
    std::f64::consts::SQRT_2 * t.abs()
}

fn same(t: f64) -> f64 {
    t
}

impl ByModel {
    /// Tests whether any of the models differ.
    pub(super) fn tests(&self, models: &[&ModelSample], design: RaterDesign) -> Vec<Test> {
        if models.len() < 2 {
            return Vec::new();
        }
        if design == RaterDesign::Within {
            return within::tests(models);
        }
        let samples: Vec<Vec<f64>> = models.iter().map(|model| model.rater_means()).collect();
        vec![one_way(&samples), welch_anova(&samples)]
    }

    /// Compares every pair of models.
    pub(super) fn comparisons(&self, models: &[&ModelSample], design: RaterDesign) -> Vec<Comparison> {
        if models.len() < 2 {
            return Vec::new();
        }
        if design == RaterDesign::Within {
            if self.pairs == Pairs::Wilcoxon {
                return within::signed_ranks(models);
            }
            return self.by_t(models, PAIRED, shared_raters, ttest::paired);
        }
        match self.pairs {
            Pairs::TukeyKramer => self.at_once(models, TUKEY_KRAMER, tukey_kramer),
            Pairs::GamesHowell => self.at_once(models, GAMES_HOWELL, games_howell),
            Pairs::Welch => self.by_t(models, WELCH, both_means, ttest::welch),
            Pairs::Student => self.by_t(models, STUDENT, both_means, ttest::student),
            Pairs::Wilcoxon | Pairs::Auto if models.len() == 2 => {
                self.by_t(models, WELCH, both_means, ttest::welch)
            }
            Pairs::Wilcoxon | Pairs::Auto => self.at_once(models, TUKEY_KRAMER, tukey_kramer),
        }
    }

    /// All pairs by a simultaneous method.
    fn at_once(&self, models: &[&ModelSample], method: Method, compare: CompareAll) -> Vec<Comparison> {
        let samples: Vec<Vec<f64>> = models.iter().map(|model| model.rater_means()).collect();
        match compare(&samples, self.bootstrap.level) {
            Ok(found) => found
                .iter()
                .map(|pair| Comparison {
                    interval: Some(self.interval(pair.low, pair.high, method)),
                    statistic: Some((method.statistic)(pair.t)),
                    df: Some(pair.degrees_of_freedom),
                    p: Some(pair.p),
                    ..bare(models[pair.first], models[pair.second], pair.difference, method)
                })
                .collect(),
            Err(error) => pairs(models)
                .map(|(a, b)| Comparison {
                    undefined: Some(error.to_string().into()),
                    ..bare(a, b, difference(a, b), method)
                })
                .collect(),
        }
    }

    /// Each pair by a t test; p values are corrected by Holm's method over the pairs that have one.
    fn by_t(
        &self,
        models: &[&ModelSample],
        method: Method,
        samples: SamplesOf,
        test: TestOf,
    ) -> Vec<Comparison> {
        let level = self.bootstrap.level;
        let mut found: Vec<Comparison> = pairs(models)
            .map(|(a, b)| {
                let (left, right) = samples(a, b);
                match test(&left, &right, Alternative::TwoSided, level) {
                    Ok(result) => Comparison {
                        interval: Some(self.interval(result.low, result.high, method)),
                        statistic: Some((method.statistic)(result.t)),
                        df: Some(result.degrees_of_freedom),
                        p: Some(result.p),
                        ..bare(a, b, result.difference, method)
                    },
                    Err(error) => Comparison {
                        undefined: Some(error.to_string().into()),
                        ..bare(
                            a,
                            b,
                            mean_difference(&left, &right).unwrap_or_else(|| difference(a, b)),
                            method,
                        )
                    },
                }
            })
            .collect();
        let raw: Vec<f64> = found.iter().filter_map(|pair| pair.p).collect();
        if let Ok(adjusted) = adjust(&raw, PValueAdjustment::Holm) {
            let mut adjusted = adjusted.into_iter();
            for p in found.iter_mut().filter_map(|pair| pair.p.as_mut()) {
                if let Some(value) = adjusted.next() {
                    *p = value;
                }
            }
        }
        found
    }

    fn interval(&self, low: f64, high: f64, method: Method) -> Interval {
        Interval { low, high, level: self.bootstrap.level, method: method.interval.into() }
    }
}

fn one_way(samples: &[Vec<f64>]) -> Test {
    let name = "one-way ANOVA";
    match anova::one_way(samples) {
        Ok(found) => Test {
            statistic: Some(found.f),
            df: vec![found.df_between, found.df_within],
            p: Some(found.p),
            effects: vec![
                Effect { name: "eta squared".into(), value: found.eta_squared },
                Effect { name: "omega squared".into(), value: found.omega_squared },
            ],
            ..no_test(name, "F", None)
        },
        Err(error) => no_test(name, "F", Some(&error)),
    }
}

fn welch_anova(samples: &[Vec<f64>]) -> Test {
    let name = "Welch's ANOVA";
    match anova::welch(samples) {
        Ok(found) => Test {
            statistic: Some(found.f),
            df: vec![found.df_numerator, found.df_denominator],
            p: Some(found.p),
            ..no_test(name, "F", None)
        },
        Err(error) => no_test(name, "F", Some(&error)),
    }
}

/// A comparison of a pair by a method, without its test.
fn bare(a: &ModelSample, b: &ModelSample, difference: f64, method: Method) -> Comparison {
    untested(method.name, method.statistic_name, a, b, difference)
}

fn pairs<'m>(models: &'m [&'m ModelSample]) -> impl Iterator<Item = (&'m ModelSample, &'m ModelSample)> {
    models.iter().enumerate().flat_map(move |(at, &a)| models[at + 1..].iter().map(move |&b| (a, b)))
}

/// The difference of the means of two samples; `None` if one is empty.
fn mean_difference(left: &[f64], right: &[f64]) -> Option<f64> {
    Some(describe::mean(left).ok()? - describe::mean(right).ok()?)
}

fn both_means(a: &ModelSample, b: &ModelSample) -> (Vec<f64>, Vec<f64>) {
    (a.rater_means(), b.rater_means())
}

/// The means of the raters who judged both models, in the order of the first model's raters.
fn shared_raters(a: &ModelSample, b: &ModelSample) -> (Vec<f64>, Vec<f64>) {
    let others: HashMap<u32, f64> = b.raters.iter().map(|(rater, cell)| (*rater, cell.mean())).collect();
    a.raters.iter().filter_map(|(rater, cell)| Some((cell.mean(), *others.get(rater)?))).unzip()
}
