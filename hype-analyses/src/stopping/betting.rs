//! The rule `betting`: evidence that needs no assumption but bounds.

use hype_core::model::findings::{Interval, StoppingLook, StoppingTest};
use hype_core::plugin::stopping::{StoppingPlan, StoppingRule};
use hype_core::{Diagnostics, NumberBounds, register_stopping_rule};
use hype_stats::confidence_sequence::Betting;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::looks::Regular;
use super::pairs::{Values, bare, holm, matched, pairs};
use super::{Until, check_measure, check_pairs};
use crate::aggregators::PROPORTION;

/// Ends the collection when bets against equal means have won enough. It assumes nothing but that values lie between 0 and 1, and
/// holds from the first rater on, however often one looks. It needs about three times the differences that `spending` needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BettingRule {
    /// The first look, in raters: of each model if each rater judges one.
    pub from: u32,
    /// The number of raters between looks.
    #[schemars(range(min = 1))]
    pub every: u32,
    /// The decisions that end the collection.
    pub until: Until,
    /// The confidence level of all looks and comparisons together.
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: f64,
    /// The measure, by its name in findings; by default the study's score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
}

impl Default for BettingRule {
    fn default() -> Self {
        Self { from: 10, every: 10, until: Until::default(), level: 0.95, measure: None }
    }
}

register_stopping_rule!(
    BettingRule,
    "betting",
    summary = "Bets against equal means of values between 0 and 1, at looks without limit",
    citation = "Waudby-Smith & Ramdas 2024; Vovk & Wang 2021 (all models at once)",
    example = "{ kind: betting, from: 10, every: 10, until: pair }",
);

/// The bets of a pair. They are on (1 + a - b) / 2, which lies between 0 and 1 and has the mean 1/2 if the models are equal.
#[derive(Debug, Clone)]
struct Bets {
    sequence: Betting,
    /// Differences that were bet on.
    raters: usize,
    sum: f64,
    /// The most evidence there was against equal means.
    most: f64,
    fault: Option<String>,
}

impl Bets {
    fn add(&mut self, differences: &[[f64; 2]]) {
        for [a, b] in &differences[self.raters..] {
            self.raters += 1;
            self.sum += a - b;
            if let Err(error) = self.sequence.push(0.5 * (1.0 + a - b)) {
                self.fault = Some(error.to_string());
                return;
            }
            self.most = self.most.max(self.sequence.e_value(0.5).unwrap_or(0.0));
        }
    }

    /// The p value that holds at all looks together.
    fn p(&self) -> Option<f64> {
        (self.raters > 0 && self.fault.is_none()).then(|| self.most.recip().min(1.0))
    }
}

impl BettingRule {
    const fn regular(&self) -> Regular {
        Regular { from: self.from, every: self.every }
    }

    fn is_omnibus(&self, pairs: usize) -> bool {
        self.until == Until::Omnibus && pairs > 1
    }

    fn test(
        &self,
        plan: &StoppingPlan,
        pair: [usize; 2],
        bets: &Bets,
        boundary: Option<f64>,
    ) -> StoppingTest {
        let bare = bare(plan, pair);
        let reason = match &bets.fault {
            Some(fault) => Some(fault.clone()),
            None => (bets.raters == 0).then(|| "no rater has a value for both models".to_owned()),
        };
        if let Some(reason) = reason {
            return StoppingTest { undefined: Some(reason.into()), ..bare };
        }
        let found = bets.sequence.interval();
        let method = "betting, all looks and pairs together";
        let ends = [found.lower, found.upper].map(|end| 2.0 * end - 1.0);
        StoppingTest {
            estimate: Some(bets.sum / bets.raters as f64),
            interval: (ends[0] <= ends[1]).then(|| Interval::new(ends[0], ends[1], self.level, method)),
            statistic: Some(bets.most),
            boundary,
            p: bets.p(),
            ..bare
        }
    }
}

impl StoppingRule for BettingRule {
    fn measure(&self) -> Option<&str> {
        self.measure.as_deref()
    }

    fn check(&self, plan: &StoppingPlan, at: &mut Diagnostics) {
        check_measure(plan, at);
        check_pairs(plan, at);
        self.regular().check(2, plan, at);
        if &*plan.measure.unit != PROPORTION {
            at.error(
                "not-bounded",
                format!("values of `{}` need not lie between 0 and 1, as bets require", plan.measure.name),
            )
            .help("use `kind: spending`, or name a measure that is a proportion with `measure`");
        }
    }

    fn method(&self, plan: &StoppingPlan) -> String {
        let pairs = pairs(plan.models.len()).len();
        let joined = match (self.is_omnibus(pairs), pairs) {
            (true, _) => "; the mean evidence of all pairs (Vovk and Wang 2021)",
            (false, 0 | 1) => "",
            (false, _) => ", Holm over pairs",
        };
        let matched = if plan.is_paired { "of raters" } else { "of raters with the same turn" };
        format!(
            "bets on differences {matched} (Waudby-Smith and Ramdas 2024){joined}; ends when {}",
            self.until.words()
        )
    }

    fn statistic(&self) -> &'static str {
        "evidence"
    }

    fn looks(&self, plan: &StoppingPlan) -> Vec<u32> {
        self.regular().looks(plan.planned)
    }

    fn decide(&self, plan: &StoppingPlan, values: &[Values], reached: u32) -> Vec<StoppingLook> {
        let pairs = pairs(plan.models.len());
        let (alpha, omnibus) = (1.0 - self.level, self.is_omnibus(pairs.len()));
        // The check refuses levels without bets.
        let Ok(sequence) = Betting::new(1.0 - alpha / pairs.len().max(1) as f64) else { return Vec::new() };
        let start = Bets { sequence, raters: 0, sum: 0.0, most: 1.0, fault: None };
        let mut bets = vec![start; pairs.len()];
        let mut decided = vec![false; pairs.len()];
        let (mut mean, mut stopped) = (0.0_f64, false);
        let needed = |open: usize| open.max(1) as f64 / alpha;
        let look = |raters: u32| {
            let look = StoppingLook::ahead(raters, Some(needed(if omnibus { 1 } else { pairs.len() })), None);
            if stopped || raters > reached {
                return look;
            }
            for (bets, &[a, b]) in bets.iter_mut().zip(&pairs) {
                bets.add(&matched([&values[a], &values[b]], raters));
            }
            let p_values: Vec<Option<f64>> = bets.iter().map(Bets::p).collect();
            let tested = pairs.iter().zip(&bets);
            if omnibus {
                let now = bets.iter().map(|bets| bets.sequence.e_value(0.5).unwrap_or(0.0)).sum::<f64>();
                mean = mean.max(now / bets.len() as f64);
                stopped = mean * alpha >= 1.0;
                let all = StoppingTest {
                    statistic: Some(mean),
                    boundary: Some(needed(1)),
                    p: Some(mean.recip().min(1.0)),
                    decided: stopped,
                    ..StoppingTest::default()
                };
                let pairs = tested.map(|(&pair, bets)| self.test(plan, pair, bets, None));
                return look.found([all].into_iter().chain(pairs).collect(), stopped);
            }
            let Ok(open) =
                holm(&p_values, &mut decided, |open| Ok::<_, std::convert::Infallible>(alpha / open as f64));
            let boundary = Some(needed(open));
            let tests: Vec<StoppingTest> = tested
                .zip(&decided)
                .map(|((&pair, bets), &decided)| StoppingTest {
                    decided,
                    ..self.test(plan, pair, bets, boundary)
                })
                .collect();
            stopped = match self.until {
                Until::AllPairs => tests.iter().all(|test| test.decided),
                Until::Pair | Until::Omnibus => tests.iter().any(|test| test.decided),
            };
            look.found(tests, stopped)
        };
        self.looks(plan).into_iter().map(look).collect()
    }
}
