//! The settings of gold trials and repeats of tasks that show images side by side.

use hype_core::{Bounded, Consequence, Diagnostics, Fact, NumberBounds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::rule::Rule;

/// The share of trials that an attentive rater gets right.
const ATTENTIVE: NumberBounds = NumberBounds::new(0.0, 1.0, 0.95);

/// Comparisons with a known winner among the others, such as a real image against a blank one. They look like any other
/// trial of the main phase, logs call their phase `gold`, and they are never scored. Of several criteria, the first is the one
/// by which the winner is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoldComparisons {
    /// The set of stimuli whose image wins.
    pub better: String,
    /// The set of stimuli whose images lose: all others of a trial.
    pub worse: String,
    /// The number in each session.
    #[serde(default = "golds")]
    pub per_session: Bounded<1, 10_000>,
    /// The share of them that attentive raters get right: those with the known winner, or with the winner of the first time.
    #[serde(default = "attentive")]
    #[schemars(transform = ATTENTIVE.schema())]
    pub attentive: f64,
    /// The consequence for raters who fail: `exclude` removes them from the estimates, which are shown with and without them, and
    /// gives their places to others; `flag` only reports it.
    #[serde(default = "exclude")]
    pub failing: Consequence,
}

/// Comparisons that come again later in the session, the images in other places: side by side with their sides exchanged.
/// Logs call their phase `repeat`, and only first answers are scored. Of several criteria, the answers by the first are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepeatedComparisons {
    /// The number in each session.
    pub per_session: Bounded<1, 10_000>,
    /// The smallest number of other trials between the two presentations.
    pub apart: Bounded<1, 1_000>,
    /// The share of them that attentive raters get right: those with the known winner, or with the winner of the first time.
    #[schemars(transform = ATTENTIVE.schema())]
    pub attentive: f64,
    /// The consequence for raters who fail: `exclude` removes them from the estimates, which are shown with and without them, and
    /// gives their places to others; `flag` only reports it.
    pub failing: Consequence,
}

fn golds() -> Bounded<1, 10_000> {
    Bounded::new(10)
}

fn attentive() -> f64 {
    0.95
}

fn exclude() -> Consequence {
    Consequence::Exclude
}

impl Default for RepeatedComparisons {
    fn default() -> Self {
        Self {
            per_session: Bounded::new(8),
            apart: Bounded::new(5),
            attentive: 0.75,
            failing: Consequence::Flag,
        }
    }
}

impl GoldComparisons {
    /// Gold comparisons of two sets, with the defaults of all other settings.
    #[must_use]
    pub fn new(better: &str, worse: &str) -> Self {
        Self {
            better: better.to_owned(),
            worse: worse.to_owned(),
            per_session: golds(),
            attentive: attentive(),
            failing: exclude(),
        }
    }

    /// The probability that a rater who is right with this probability fails, if trials show so many images.
    ///
    /// # Method
    /// The lower tail of the binomial distribution up to the greatest number of right answers that an attentive rater has,
    /// or fewer, with a probability of at most 5 %.
    #[must_use]
    pub fn failing_at(&self, images: usize, share_right: f64) -> f64 {
        self.rule(images).failing_at(self.per_session.get(), share_right)
    }

    /// The probability that a rater who is right with this probability passes, if trials show so many images.
    #[must_use]
    pub fn passing_at(&self, images: usize, share_right: f64) -> f64 {
        self.rule(images).passing_at(self.per_session.get(), share_right)
    }

    pub(super) fn rule(&self, images: usize) -> Rule {
        Rule { guessing: guessing(images), attentive: self.attentive }
    }

    /// Checks the numbers, at the path of these settings.
    pub(crate) fn check(&self, images: usize, at: &mut Diagnostics) {
        check_rule(self.rule(images), self.per_session.get(), "gold-cannot-fail", at);
    }

    pub(crate) fn fact(&self, images: usize) -> Fact {
        let mut value = rates(self.rule(images), self.per_session.get(), self.failing);
        value["better"] = json!(self.better);
        value["worse"] = json!(self.worse);
        Fact {
            name: "gold".into(),
            label: "comparisons with a known winner in a session, and when raters fail or pass".into(),
            value,
        }
    }
}

impl RepeatedComparisons {
    /// The probability that a rater fails who names the same winner twice with this probability, if trials show so many
    /// images and no answer is a tie.
    #[must_use]
    pub fn failing_at(&self, images: usize, share_same: f64) -> f64 {
        self.rule(images).failing_at(self.per_session.get(), share_same)
    }

    /// The probability that a rater passes who names the same winner twice with this probability.
    #[must_use]
    pub fn passing_at(&self, images: usize, share_same: f64) -> f64 {
        self.rule(images).passing_at(self.per_session.get(), share_same)
    }

    pub(super) fn rule(&self, images: usize) -> Rule {
        Rule { guessing: guessing(images), attentive: self.attentive }
    }

    /// Checks the numbers, at the path of these settings.
    pub(crate) fn check(&self, images: usize, at: &mut Diagnostics) {
        check_rule(self.rule(images), self.per_session.get(), "repeats-cannot-fail", at);
    }

    pub(crate) fn fact(&self, images: usize) -> Fact {
        let mut value = rates(self.rule(images), self.per_session.get(), self.failing);
        value["apart"] = json!(self.apart);
        Fact {
            name: "repeats".into(),
            label: "comparisons of a session that come again, and when raters fail or pass".into(),
            value,
        }
    }
}

/// When raters fail and pass with so many trials, and how often.
fn rates(rule: Rule, per_session: u32, failing: Consequence) -> Value {
    json!({
        "per_session": per_session,
        "fails_at_most": rule.fails_at_most(per_session),
        "passes_from": rule.passes_from(per_session),
        "attentive_failing": rule.failing_at(per_session, rule.attentive),
        "guessing_failing": rule.failing_at(per_session, rule.guessing),
        "failing": failing,
    })
}

/// The greatest probability of naming the right image, or the same one in two places, without looking.
fn guessing(images: usize) -> f64 {
    1.0 / images.max(2) as f64
}

fn check_rule(rule: Rule, trials: u32, cannot_fail: &'static str, at: &mut Diagnostics) {
    if rule.attentive <= rule.guessing {
        at.field("attentive")
            .error(
                "out-of-range",
                format!("attentive is {}, no more than guessing gives: {:.3}", rule.attentive, rule.guessing),
            )
            .help("use the share that raters who look get right, such as 0.95");
    } else if trials > 0 && rule.fails_at_most(trials).is_none() {
        at.field("per_session")
            .error(cannot_fail, "no rater can fail: an attentive one gets all of them wrong too often")
            .help("use more of them in each session");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares probabilities with percentages of docs/measured/checks.md, which are sums of binomial terms by another program.
    fn are(what: &str, found: &[f64], documented: &[f64]) {
        for (found, documented) in found.iter().zip(documented) {
            assert!(
                (100.0 * found - documented).abs() <= 0.005 + 1e-9,
                "{what}: {found}, not {documented} %"
            );
        }
    }

    #[test]
    fn rates_of_gold_are_those_documented() {
        for (trials, fails, passes, failing, passing) in [
            (6, 4, 6, [89.06, 34.46, 3.28, 0.15], [1.56, 73.51, 94.15]),
            (8, 5, 7, [85.55, 20.31, 0.58, 0.01], [3.52, 94.28, 99.73]),
            (10, 7, 9, [94.53, 32.22, 1.15, 0.01], [1.07, 91.39, 99.57]),
            (12, 9, 10, [98.07, 44.17, 1.96, 0.02], [1.93, 98.04, 99.98]),
        ] {
            let gold = GoldComparisons { per_session: trials.into(), ..GoldComparisons::new("a", "b") };
            let rule = gold.rule(2);
            assert_eq!((rule.fails_at_most(trials), rule.passes_from(trials)), (Some(fails), Some(passes)));
            are("failing", &[0.5, 0.8, 0.95, 0.99].map(|share| gold.failing_at(2, share)), &failing);
            are("passing", &[0.5, 0.95, 0.99].map(|share| gold.passing_at(2, share)), &passing);
        }
        are("of three", &[GoldComparisons::new("a", "b").failing_at(3, 1.0 / 3.0)], &[99.66]);
    }

    #[test]
    fn rates_of_repeats_are_those_documented() {
        for (trials, fails, passes, failing, passing) in [
            (6, 2, 6, [100.0, 34.38, 3.76, 0.13], [1.56, 17.80, 53.14]),
            (8, 3, 7, [100.0, 36.33, 2.73, 0.04], [3.52, 36.71, 81.31]),
            (12, 5, 10, [100.0, 38.72, 1.43, 0.01], [1.93, 39.07, 88.91]),
            (20, 11, 15, [100.0, 74.83, 4.09, 0.01], [2.07, 61.72, 98.87]),
        ] {
            let repeats =
                RepeatedComparisons { per_session: trials.into(), ..RepeatedComparisons::default() };
            let rule = repeats.rule(2);
            assert_eq!((rule.fails_at_most(trials), rule.passes_from(trials)), (Some(fails), Some(passes)));
            are("failing", &[0.0, 0.5, 0.75, 0.9].map(|share| repeats.failing_at(2, share)), &failing);
            are("passing", &[0.5, 0.75, 0.9].map(|share| repeats.passing_at(2, share)), &passing);
        }
    }
}
