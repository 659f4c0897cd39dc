//! The rule `spending`: a group-sequential test of pairs, or of all models.

use hype_core::model::findings::{Interval, StoppingLook, StoppingTest};
use hype_core::plugin::stopping::{StoppingPlan, StoppingRule};
use hype_core::{Diagnostics, NumberBounds, register_stopping_rule};
use hype_stats::distributions::{StudentT, normal_upper_quantile};
use hype_stats::repeated::{Blocks, analysis_of_variance};
use hype_stats::sequential::{GroupSequential, Look, Spending};
use hype_stats::ttest::{self, Alternative, TTest};
use hype_stats::{StatError, anova};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::looks::check_listed;
use super::pairs::{Values, bare, first, holm, matched, pairs};
use super::{Until, check_measure, check_pairs};

/// A group-sequential test at declared looks: it spends its level over them, and all looks together find a difference between
/// equal models in at most 1 - `level` of studies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpendingRule {
    /// The looks, in raters: of each model if each rater judges one. The last one has all the information.
    pub looks: Vec<u32>,
    /// The decisions that end the collection.
    pub until: Until,
    /// How the level is spent over the looks.
    #[serde(skip_serializing_if = "is_default")]
    pub spend: SpendingKind,
    /// The confidence level of all looks and comparisons together.
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: f64,
    /// The measure, by its name in findings; by default the study's score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
}

/// How the level is spent over the looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpendingKind {
    /// Little at first, nearly all at the end: boundaries like those of O'Brien and Fleming (1979).
    #[default]
    ObrienFleming,
    /// About the same boundary at each look, like that of Pocock (1977).
    Pocock,
}

fn is_default(spend: &SpendingKind) -> bool {
    *spend == SpendingKind::default()
}

impl Default for SpendingRule {
    fn default() -> Self {
        Self {
            looks: vec![20, 40, 60, 90, 120],
            until: Until::default(),
            spend: SpendingKind::default(),
            level: 0.95,
            measure: None,
        }
    }
}

register_stopping_rule!(
    SpendingRule,
    "spending",
    summary =
        "A group-sequential test at declared numbers of raters, with Holm's correction over pairs of models",
    citation = "Lan & DeMets 1983; O'Brien & Fleming 1979; Pocock 1977; Maurer & Bretz 2013 (pairs)",
    example = "{ kind: spending, looks: [20, 40, 60, 90, 120], until: all-pairs }",
);

impl SpendingRule {
    /// The boundaries of the looks where one of `hypotheses` equal shares of the level is spent.
    fn boundaries(&self, hypotheses: usize) -> Result<Vec<Look>, StatError> {
        Ok(self.design(hypotheses)?.looks().to_vec())
    }

    /// The test of one of `hypotheses` equal shares of the level.
    fn design(&self, hypotheses: usize) -> Result<GroupSequential, StatError> {
        let last = f64::from(self.looks.last().copied().unwrap_or(1));
        let information: Vec<f64> = self.looks.iter().map(|&look| f64::from(look) / last).collect();
        let spending = match self.spend {
            SpendingKind::ObrienFleming => Spending::OBrienFleming,
            SpendingKind::Pocock => Spending::Pocock,
        };
        let alpha = (1.0 - self.level) / hypotheses.max(1) as f64;
        GroupSequential::new(&information, spending, alpha)
    }

    /// The number of hypotheses that share the level at first, and whether it is about all models at once.
    fn hypotheses(&self, models: usize) -> (usize, bool) {
        let pairs = models * models.saturating_sub(1) / 2;
        if self.until == Until::Omnibus && pairs > 1 { (1, true) } else { (pairs, false) }
    }
}

impl StoppingRule for SpendingRule {
    fn measure(&self) -> Option<&str> {
        self.measure.as_deref()
    }

    fn check(&self, plan: &StoppingPlan, at: &mut Diagnostics) {
        let faults = at.as_slice().len();
        check_measure(plan, at);
        check_pairs(plan, at);
        check_listed(&self.looks, plan, at);
        if at.as_slice().len() == faults
            && let Err(error) = self.boundaries(self.hypotheses(plan.models.len()).0)
        {
            at.field("looks")
                .error("no-boundaries", format!("there are no boundaries for these looks: {error}"))
                .help("declare fewer looks, further apart");
        }
    }

    fn method(&self, plan: &StoppingPlan) -> String {
        let kind = match self.spend {
            SpendingKind::ObrienFleming => "O'Brien-Fleming type",
            SpendingKind::Pocock => "Pocock type",
        };
        let (hypotheses, omnibus) = self.hypotheses(plan.models.len());
        let tested = match (omnibus, plan.is_paired) {
            (true, false) => "Welch's F at the error that each look may spend".to_owned(),
            (true, true) => "repeated-measures F at the error that each look may spend".to_owned(),
            (false, paired) => {
                let test = if paired { "paired t" } else { "Welch's t" };
                let holm = if hypotheses > 1 { ", Holm over pairs" } else { "" };
                format!("{test} against group-sequential boundaries{holm}")
            }
        };
        format!("{tested}; {kind} spending (Lan and DeMets 1983); ends when {}", self.until.words())
    }

    fn statistic(&self) -> &'static str {
        "z"
    }

    fn looks(&self, _: &StoppingPlan) -> Vec<u32> {
        self.looks.clone()
    }

    fn decide(&self, plan: &StoppingPlan, values: &[Values], reached: u32) -> Vec<StoppingLook> {
        let (hypotheses, omnibus) = self.hypotheses(plan.models.len());
        // The check refuses looks without boundaries.
        let Ok(boundaries) = self.boundaries(hypotheses) else { return Vec::new() };
        let mut progress = Progress { designs: vec![None; hypotheses + 1], decided: vec![false; hypotheses] };
        progress.designs[hypotheses] = Some(boundaries.clone());
        let (mut stopped, mut spent) = (false, 0.0);
        let mut looks = Vec::with_capacity(boundaries.len());
        for (place, (&raters, design)) in self.looks.iter().zip(&boundaries).enumerate() {
            let all_spent = (design.spent * hypotheses as f64).min(1.0 - self.level);
            let own = all_spent - spent;
            spent = all_spent;
            let boundary = if omnibus { deviate(own) } else { finite(design.boundary) };
            let look = StoppingLook::ahead(raters, boundary, Some(all_spent));
            if stopped || raters > reached {
                looks.push(look);
                continue;
            }
            let before = progress.decided.clone();
            let tests = if omnibus {
                vec![all_models(plan, values, raters, own)]
            } else {
                self.tests(plan, values, (place, raters), &mut progress)
            };
            stopped = match self.until {
                Until::AllPairs => tests.iter().all(|test| test.decided),
                Until::Pair | Until::Omnibus => tests.iter().any(|test| test.decided),
            };
            let is_last = place + 1 == boundaries.len();
            let ended = |(pair, test): (usize, StoppingTest)| {
                let is_ended = !omnibus && !before[pair] && (is_last || (stopped && test.decided));
                if is_ended { self.after_stopping(test, place, hypotheses) } else { test }
            };
            looks.push(look.found(tests.into_iter().enumerate().map(ended).collect(), stopped));
        }
        looks
    }
}

/// The decisions of earlier looks.
struct Progress {
    /// The boundaries by the number of hypotheses that share the level.
    designs: Vec<Option<Vec<Look>>>,
    decided: Vec<bool>,
}

impl SpendingRule {
    /// The tests of all pairs at a look.
    fn tests(
        &self,
        plan: &StoppingPlan,
        values: &[Values],
        (place, raters): (usize, u32),
        progress: &mut Progress,
    ) -> Vec<StoppingTest> {
        let pairs = pairs(plan.models.len());
        let Progress { designs, decided } = progress;
        let found: Vec<Result<TTest, StatError>> =
            pairs.iter().map(|&[a, b]| test(plan, [&values[a], &values[b]], raters)).collect();
        let p_values: Vec<Option<f64>> = found.iter().map(|test| Some(test.as_ref().ok()?.p)).collect();
        let mut at_look = |open: usize| -> Result<Look, StatError> {
            if designs[open].is_none() {
                designs[open] = Some(self.boundaries(open)?);
            }
            let design = designs[open].as_deref().unwrap_or_default();
            design.get(place).copied().ok_or(StatError::NoConvergence { statistic: "look", iterations: 0 })
        };
        let all = at_look(pairs.len());
        // The level was checked, and boundaries exist for smaller shares of it.
        let open = holm(&p_values, decided, |open| at_look(open).map(|look| look.p)).unwrap_or(pairs.len());
        let last = at_look(open.max(1)).ok();
        let tests = pairs.iter().zip(found).zip(decided.iter());
        tests
            .map(|((&pair, test), &decided)| match test {
                Ok(test) => StoppingTest {
                    estimate: Some(test.difference),
                    interval: all.as_ref().ok().and_then(|look| self.interval(&test, look)),
                    statistic: deviate(test.p).map(|z| if test.difference < 0.0 { -z } else { z }),
                    boundary: last.and_then(|look| finite(look.boundary)),
                    p: Some(test.p),
                    decided,
                    ..bare(plan, pair)
                },
                Err(error) => {
                    StoppingTest { undefined: Some(error.to_string().into()), decided, ..bare(plan, pair) }
                }
            })
            .collect()
    }

    /// Adds the estimate and the interval of a pair that this look has decided last.
    fn after_stopping(&self, test: StoppingTest, place: usize, hypotheses: usize) -> StoppingTest {
        let alpha = (1.0 - self.level) / hypotheses.max(1) as f64;
        let found = || {
            let (estimate, z) = (test.estimate?, test.statistic?);
            let error = (z.abs() > 0.0).then(|| estimate / z)?;
            let after = self.design(hypotheses).ok()?.after(place, z, 1.0 - alpha).ok()?;
            let method = "ordered by stages (Tsiatis, Rosner and Mehta 1984)";
            let interval = Interval::new(after.lower * error, after.upper * error, self.level, method);
            Some((after.estimate * error, interval))
        };
        match found() {
            Some((estimate, interval)) => StoppingTest {
                median_unbiased: Some(estimate),
                median_unbiased_interval: Some(interval),
                ..test
            },
            None => test,
        }
    }

    /// The interval of a difference that holds over all looks and pairs: as many standard errors as the boundary.
    fn interval(&self, test: &TTest, look: &Look) -> Option<Interval> {
        let t = StudentT::new(test.degrees_of_freedom).ok()?.upper_quantile(0.5 * look.p).ok()?;
        let margin = t * test.standard_error;
        let method = "repeated confidence interval: the boundary times the standard error";
        let (low, high) = (test.difference - margin, test.difference + margin);
        (margin.is_finite()).then(|| Interval {
            df: vec![test.degrees_of_freedom],
            ..Interval::new(low, high, self.level, method)
        })
    }
}

/// The t test of a pair at a look.
fn test(plan: &StoppingPlan, values: [&[(u32, f64)]; 2], raters: u32) -> Result<TTest, StatError> {
    // The level is that of an interval that is not used.
    if plan.is_paired {
        let (a, b): (Vec<f64>, Vec<f64>) = matched(values, raters).into_iter().map(|[a, b]| (a, b)).unzip();
        ttest::paired(&a, &b, Alternative::TwoSided, 0.95)
    } else {
        ttest::welch(&first(values[0], raters), &first(values[1], raters), Alternative::TwoSided, 0.95)
    }
}

/// The test of all models at a look, at the error that the look may spend. Nothing has to be known about how the statistics of
/// looks depend on each other, as the errors of all looks add up to the level.
fn all_models(plan: &StoppingPlan, values: &[Values], raters: u32, most: f64) -> StoppingTest {
    let p = if plan.is_paired {
        let cells: Vec<Option<f64>> = (0..raters)
            .flat_map(|turn| {
                values.iter().map(move |values| {
                    let at = values.binary_search_by_key(&turn, |(turn, _)| *turn).ok()?;
                    Some(values[at].1)
                })
            })
            .collect();
        Blocks::from_matrix(raters as usize, values.len(), &cells)
            .and_then(|blocks| analysis_of_variance(&blocks))
            .map(|found| found.greenhouse_geisser.p)
    } else {
        let samples: Vec<Vec<f64>> = values.iter().map(|values| first(values, raters)).collect();
        anova::welch(&samples).map(|found| found.p)
    };
    match p {
        Ok(p) => StoppingTest {
            statistic: deviate(p),
            boundary: deviate(most),
            p: Some(p),
            decided: p <= most,
            ..StoppingTest::default()
        },
        Err(error) => StoppingTest { undefined: Some(error.to_string().into()), ..StoppingTest::default() },
    }
}

/// The magnitude of a standard normal deviate with this two-sided p value, at most that of the smallest number.
fn deviate(p: f64) -> Option<f64> {
    normal_upper_quantile(0.5 * p.clamp(1e-300, 1.0)).ok().map(|z| z.max(0.0))
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
