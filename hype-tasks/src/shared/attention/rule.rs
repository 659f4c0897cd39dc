//! The exact rule by which gold trials and repeats are judged.

use hype_core::CheckState;
use hype_stats::proportion::binomial_test;
use hype_stats::ttest::Alternative;

/// The largest share of raters that each test may misjudge, the customary one: how strict a check is follows from the
/// number of trials and the share that attentive raters get right, which a spec can set.
pub(crate) const ALPHA: f64 = 0.05;

/// A rule on a number of trials with an outcome that is right or wrong.
///
/// # Method
/// Two exact one-sided binomial tests at the level [`ALPHA`]. A session fails if it has so few right that an attentive rater has
/// as few with a probability of at most 5 %; of the others a session passes if it has so many that a rater who guesses has as
/// many with a probability of at most 5 %; else the check is inconclusive. So at most 5 % of attentive raters fail, and at most
/// 5 % of those who guess pass, however many trials there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rule {
    /// The probability of being right for a rater who does not look.
    pub(crate) guessing: f64,
    /// The probability of being right for an attentive rater.
    pub(crate) attentive: f64,
}

impl Rule {
    /// The verdict on a session.
    pub(crate) fn state(self, right: u32, of: u32) -> CheckState {
        if self.fails_at_most(of).is_some_and(|most| right <= most) {
            CheckState::Fail
        } else if self.passes_from(of).is_some_and(|least| right >= least) {
            CheckState::Pass
        } else {
            CheckState::Unclear
        }
    }

    /// The greatest number of right ones with which a session fails; `None` if none is small enough.
    pub(crate) fn fails_at_most(self, of: u32) -> Option<u32> {
        (0..of).take_while(|&right| at_most(right, of, self.attentive) <= ALPHA).last()
    }

    /// The least number of right ones that a rater who guesses rarely reaches; `None` if even all are too few.
    pub(crate) fn passes_from(self, of: u32) -> Option<u32> {
        (0..=of).find(|&right| at_least(right, of, self.guessing) <= ALPHA)
    }

    /// The probability that a rater with this probability of being right fails.
    pub(crate) fn failing_at(self, of: u32, share_right: f64) -> f64 {
        self.fails_at_most(of).map_or(0.0, |most| at_most(most, of, share_right))
    }

    /// The probability that a rater with this probability of being right passes.
    pub(crate) fn passing_at(self, of: u32, share_right: f64) -> f64 {
        let above = self.fails_at_most(of).map_or(0, |most| most + 1);
        self.passes_from(of).map_or(0.0, |least| at_least(least.max(above), of, share_right))
    }
}

/// Whether a count is so far from one half, on either side, that an even chance gives one as far with a probability of at most
/// [`ALPHA`]. Inconclusive if, of `possible` trials, even all on one side would not be.
pub(crate) fn even(count: u32, of: u32, possible: u32) -> CheckState {
    if two_sided(count, of) <= ALPHA {
        CheckState::Fail
    } else if two_sided(possible, possible) <= ALPHA {
        CheckState::Pass
    } else {
        CheckState::Unclear
    }
}

/// The two-sided probability of a count at even chances; 1 without trials.
fn two_sided(count: u32, of: u32) -> f64 {
    binomial_test(count.into(), of.into(), 0.5, Alternative::TwoSided).unwrap_or(1.0)
}

fn at_most(count: u32, of: u32, probability: f64) -> f64 {
    binomial_test(count.into(), of.into(), probability, Alternative::Less).unwrap_or(1.0)
}

fn at_least(count: u32, of: u32, probability: f64) -> f64 {
    binomial_test(count.into(), of.into(), probability, Alternative::Greater).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLD: Rule = Rule { guessing: 0.5, attentive: 0.95 };

    #[test]
    fn thresholds_are_those_counted_by_hand() {
        // Of 2^10 orders 1 + 10 have nine or ten right, 1 + 10 + 45 eight or more. At 0.95, P(at most 7) = 0.0115 and
        // P(at most 8) = 0.0861.
        assert_eq!((GOLD.fails_at_most(10), GOLD.passes_from(10)), (Some(7), Some(9)));
        assert!((GOLD.passing_at(10, 0.5) - 11.0 / 1024.0).abs() < 1e-12);
        assert!((GOLD.failing_at(10, 0.5) - 968.0 / 1024.0).abs() < 1e-12);
        let states =
            [(0, CheckState::Fail), (7, CheckState::Fail), (8, CheckState::Unclear), (9, CheckState::Pass)];
        for (right, state) in states {
            assert_eq!(GOLD.state(right, 10), state, "{right}");
        }
        // Neither one nor no trial decides.
        assert_eq!((GOLD.state(0, 0), GOLD.state(1, 1)), (CheckState::Unclear, CheckState::Unclear));
    }

    #[test]
    fn both_levels_hold_whatever_the_number_of_trials() {
        for guessing in [0.5, 1.0 / 3.0, 0.25, 0.1] {
            for attentive in [0.6, 0.75, 0.9, 0.95, 0.99, 1.0] {
                let rule = Rule { guessing, attentive };
                for of in 0..60 {
                    assert!(rule.failing_at(of, attentive) <= 0.05, "{rule:?} of {of}");
                    assert!(rule.passing_at(of, guessing) <= 0.05, "{rule:?} of {of}");
                    let both = rule.failing_at(of, 0.7) + rule.passing_at(of, 0.7);
                    assert!(both <= 1.0 + 1e-12, "{rule:?} of {of}");
                }
            }
        }
    }

    #[test]
    fn sides_are_even_or_not() {
        // All of five on one side: 2 / 32 > 0.05; all of six: 2 / 64.
        assert_eq!(even(5, 5, 5), CheckState::Unclear);
        assert_eq!(even(6, 6, 6), CheckState::Fail);
        assert_eq!(even(0, 6, 6), CheckState::Fail);
        assert_eq!(even(0, 0, 8), CheckState::Pass);
        assert_eq!(even(2, 4, 8), CheckState::Pass);
        assert_eq!(even(0, 0, 0), CheckState::Unclear);
    }
}
