//! Tests over models and comparisons of pairs.

use std::sync::Arc;

use hype_core::model::findings::{Comparison, Effect, GeneralizeTo, Interval, Test};
use hype_core::{PlannedComparisons, PlannedInterval, PlannedPairs, RaterDesign};
use hype_stats::multiple::holm;
use hype_stats::pairwise::{PairComparison, games_howell, tukey_kramer};
use hype_stats::ttest::{self, Alternative, TTest};
use hype_stats::{StatError, anova};

use super::censored::check_inferred;
use super::sums::ModelSample;
use super::untested::{difference, no_test, untested};
use super::{IntervalMethod, Pairs, Plan, PublishedAnalysis, errors, within};
use crate::aggregators::evidence::method;
use crate::aggregators::inference::{Compared, Difference, check_raters, smallest_p};
use crate::aggregators::many::are_compared;
use crate::aggregators::measures::{PROPORTION, TIME};

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
/// The studentized range statistic of two means whose t is given.
fn studentized(t: f64) -> f64 {
    std::f64::consts::SQRT_2 * t.abs()
}

fn same(t: f64) -> f64 {
    t
}

/// The fewest raters of each model for methods that estimate how much they differ between models: with fewer, Welch's F
/// and Games-Howell find differences between equal models too often.
const RATERS_FOR_UNEQUAL_VARIANCES: usize = 10;

/// The raters of each model from which on Welch's F of times holds its level (docs/measured/coverage.md).
const RATERS_FOR_TIMES: usize = 30;

impl Plan {
    /// Whether tests take the raters of each model as independent samples.
    pub(super) fn is_between(&self, design: RaterDesign) -> bool {
        design == RaterDesign::Between && self.generalize_to == GeneralizeTo::Raters
    }

    /// How this many models with this many raters each are compared on a measure of this unit, where raters are independent
    /// samples.
    pub(super) fn planned_comparisons(&self, unit: &str, models: usize, raters: u32) -> PlannedComparisons {
        let many = models > 2 && raters as usize >= RATERS_FOR_UNEQUAL_VARIANCES;
        let pairs = match (self.preset, self.pairs) {
            (Some(PublishedAnalysis::Hype2019), _) | (None, Pairs::TukeyKramer) => PlannedPairs::TukeyKramer,
            (None, Pairs::GamesHowell) => PlannedPairs::GamesHowell,
            (None, Pairs::Auto | Pairs::Wilcoxon) if many => PlannedPairs::GamesHowell,
            (None, Pairs::Auto | Pairs::Wilcoxon | Pairs::Welch | Pairs::Student) => PlannedPairs::Welch,
        };
        let interval = match self.interval {
            IntervalMethod::T if unit == PROPORTION => PlannedInterval::Share,
            IntervalMethod::T if unit == TIME => PlannedInterval::Times,
            IntervalMethod::T | IntervalMethod::BootstrapT => PlannedInterval::StudentT,
            IntervalMethod::Percentile | IntervalMethod::Bca => PlannedInterval::Percentile,
        };
        PlannedComparisons {
            level: self.level,
            interval: check_raters(raters as usize).is_ok().then_some(interval),
            pairs,
            families: self.families as u32,
            reference_families: self.reference_families as u32,
            margin: self.equivalence,
        }
    }

    /// Tests whether any of the models differ.
    pub(super) fn tests(
        &self,
        models: &[&ModelSample],
        unit: &str,
        design: RaterDesign,
        comparisons: &[Comparison],
    ) -> Vec<Test> {
        if models.len() < 2 {
            return Vec::new();
        }
        // Welch's F over many models finds differences in 12 % of studies where few raters gave the rarer answers, and in 8 % where
        // few raters' times have a long tail.
        let is_skewed = || match unit {
            PROPORTION => models.iter().any(|model| self.is_skewed_share(model)),
            TIME => fewest(models) < RATERS_FOR_TIMES,
            _ => false,
        };
        let by_pairs = || vec![smallest_p(comparisons, comparisons.first().map_or("", |pair| &pair.method))];
        let by_pairs = || if are_compared(models.len()) { by_pairs() } else { Vec::new() };
        let enough = fewest(models) >= RATERS_FOR_UNEQUAL_VARIANCES;
        if !self.is_between(design) {
            let of_raters = self.generalize_to == GeneralizeTo::Raters;
            return match self.pairs {
                Pairs::Wilcoxon if of_raters => within::tests(models),
                _ if of_raters && enough => within::tests(models),
                _ => by_pairs(),
            };
        }
        let samples: Vec<Vec<f64>> = models.iter().map(|model| model.rater_means()).collect();
        match (self.preset, self.pairs) {
            (Some(PublishedAnalysis::Hype2019), _) => vec![one_way(&samples)],
            (None, Pairs::TukeyKramer | Pairs::Student) => vec![one_way(&samples), welch_anova(&samples)],
            (None, Pairs::GamesHowell | Pairs::Welch) => vec![welch_anova(&samples)],
            (None, Pairs::Auto | Pairs::Wilcoxon) if enough && !is_skewed() => vec![welch_anova(&samples)],
            (None, Pairs::Auto | Pairs::Wilcoxon) => by_pairs(),
        }
    }

    /// Compares every pair of models, unless there are [too many](crate::aggregators::many).
    pub(super) fn comparisons(&self, models: &[&ModelSample], design: RaterDesign) -> Vec<Comparison> {
        if !are_compared(models.len()) {
            return Vec::new();
        }
        if !self.is_between(design) {
            return if self.pairs == Pairs::Wilcoxon && self.generalize_to == GeneralizeTo::Raters {
                within::signed_ranks(models)
            } else {
                self.by_errors(models, design)
            };
        }
        match (self.preset, self.pairs) {
            (Some(PublishedAnalysis::Hype2019), _) if models.len() == 2 => {
                self.by_t(models, STUDENT, ttest::student)
            }
            (Some(PublishedAnalysis::Hype2019), _) | (None, Pairs::TukeyKramer) => {
                self.at_once(models, TUKEY_KRAMER, tukey_kramer)
            }
            (None, Pairs::GamesHowell) => self.at_once(models, GAMES_HOWELL, games_howell),
            (None, Pairs::Welch) => self.by_t(models, WELCH, ttest::welch),
            (None, Pairs::Student) => self.by_t(models, STUDENT, ttest::student),
            (None, Pairs::Auto | Pairs::Wilcoxon)
                if models.len() > 2 && fewest(models) >= RATERS_FOR_UNEQUAL_VARIANCES =>
            {
                self.at_once(models, GAMES_HOWELL, games_howell)
            }
            (None, Pairs::Auto | Pairs::Wilcoxon) => self.by_errors(models, design),
        }
    }

    /// Each pair by the standard error of its difference.
    fn by_errors(&self, models: &[&ModelSample], design: RaterDesign) -> Vec<Comparison> {
        self.compared(&names(models), design).pairs(self.differences(models, design))
    }

    /// The models whose pairs are compared.
    pub(super) fn compared<'e>(&self, models: &'e [Arc<str>], design: RaterDesign) -> Compared<'e> {
        let is_between = self.is_between(design);
        Compared {
            models,
            generalize_to: self.generalize_to,
            level: self.level,
            method: if is_between { "Welch's t".into() } else { method(self.generalize_to) },
            families: self.families,
            one_of_all: None,
        }
    }

    /// The difference of each pair with its standard error. Where only raters vary, raters who judged both models are compared
    /// with themselves, if there are any.
    pub(super) fn differences<'m>(
        &self,
        models: &'m [&'m ModelSample],
        design: RaterDesign,
    ) -> impl Fn(usize, usize) -> Difference + use<'m> {
        let generalize_to = self.generalize_to;
        let values: Vec<f64> = models.iter().map(|model| errors::value(model, generalize_to)).collect();
        let is_between = self.is_between(design);
        let clustered = (!is_between).then(|| errors::clustered(models, &values, generalize_to));
        move |a, b| {
            let difference = values[a] - values[b];
            if let Err(error) = check_inferred(&[models[a], models[b]]) {
                return (difference, Err(error));
            }
            let Some(clustered) = &clustered else {
                return (difference, errors::independent(models[a], models[b]));
            };
            let shared = (generalize_to == GeneralizeTo::Raters)
                .then(|| errors::shared(models[a], models[b]))
                .flatten();
            shared.unwrap_or_else(|| {
                let variance = clustered.as_ref().map_err(Clone::clone);
                (difference, variance.and_then(|clustered| clustered.difference(a, b)))
            })
        }
    }

    /// The level of intervals that are simultaneous over all measures of the family.
    fn family_level(&self) -> f64 {
        1.0 - (1.0 - self.level) / self.families as f64
    }

    /// All pairs by a simultaneous method.
    fn at_once(&self, models: &[&ModelSample], method: Method, compare: CompareAll) -> Vec<Comparison> {
        let samples: Vec<Vec<f64>> = models.iter().map(|model| model.rater_means()).collect();
        match compare(&samples, self.family_level()) {
            Ok(found) => found
                .iter()
                .map(|pair| Comparison {
                    interval: Some(self.interval(pair.low, pair.high, method)),
                    statistic: Some((method.statistic)(pair.t)),
                    df: Some(pair.degrees_of_freedom),
                    p: Some((pair.p * self.families as f64).min(1.0)),
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
    fn by_t(&self, models: &[&ModelSample], method: Method, test: TestOf) -> Vec<Comparison> {
        let level = self.level;
        let mut found: Vec<Comparison> = pairs(models)
            .map(|(a, b)| {
                let (left, right) = (a.rater_means(), b.rater_means());
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
                        ..bare(a, b, difference(a, b), method)
                    },
                }
            })
            .collect();
        let raw: Vec<f64> =
            found.iter().filter_map(|pair| Some((pair.p? * self.families as f64).min(1.0))).collect();
        if let Ok(adjusted) = holm(&raw) {
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
        Interval::new(low, high, self.level, method.interval)
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

/// The names of the models.
pub(super) fn names(models: &[&ModelSample]) -> Vec<Arc<str>> {
    models.iter().map(|model| Arc::clone(&model.model)).collect()
}

/// The number of raters of the model with the fewest.
fn fewest(models: &[&ModelSample]) -> usize {
    models.iter().map(|model| model.raters.len()).min().unwrap_or(0)
}
