//! The beta-binomial likelihood, stable from binomial to fully overdispersed answers.

use crate::distributions::stirling_error;

/// From here on Stirling's series replaces the product.
const STIRLING: f64 = 10.0;

/// ln of the probability of the counts of correct and wrong answers, without the binomial coefficient.
///
/// The probability of a correct answer is Beta distributed with mean `mean` and `precision` ν:
/// B(k + νψ, n - k + ν(1 - ψ)) / B(νψ, ν(1 - ψ)), written as rising factorials, which keep their
/// digits when ν is so large that the answers are binomial.
pub(super) fn ln_likelihood(correct: f64, wrong: f64, mean: f64, complement: f64, precision: f64) -> f64 {
    ln_rising(precision * mean, correct) + ln_rising(precision * complement, wrong)
        - ln_rising(precision, correct + wrong)
}

/// ln (start (start + 1) … (start + count - 1)) for a positive start and a whole count.
pub(super) fn ln_rising(start: f64, count: f64) -> f64 {
    let first = start;
    let (mut start, mut count, mut product) = (start, count, 1.0_f64);
    while count > 0.0 && start < STIRLING {
        product *= start;
        start += 1.0;
        count -= 1.0;
    }
    // Without factors the logarithm is 0.
    let mut total = if start > first { product.ln() } else { 0.0 };
    if count > 0.0 {
        total += ln_rising_beyond(start, count, stirling_error(start));
    }
    total
}

/// [`ln_rising`] of a start that is not small, by Stirling's series: ln Γ(start + count) - ln Γ(start), with the large parts
/// cancelled analytically.
fn ln_rising_beyond(start: f64, count: f64, error_of_start: f64) -> f64 {
    let end = start + count;
    count * end.ln() + (start - 0.5) * (count / start).ln_1p() - count + stirling_error(end) - error_of_start
}

/// [`ln_rising`] of one start for many counts, which have the small factors in common.
pub(super) struct Rising {
    start: f64,
    /// The number of factors that are multiplied, and the start of Stirling's series after them.
    factors: f64,
    after: f64,
    ln_product: f64,
    stirling_error: f64,
}

impl Rising {
    pub(super) fn new(start: f64) -> Self {
        let (mut after, mut factors, mut product) = (start, 0.0, 1.0_f64);
        while after < STIRLING {
            product *= after;
            after += 1.0;
            factors += 1.0;
        }
        let ln_product = if factors > 0.0 { product.ln() } else { 0.0 };
        Self { start, factors, after, ln_product, stirling_error: stirling_error(after) }
    }

    /// [`ln_rising`] of this start and a count.
    pub(super) fn ln(&self, count: f64) -> f64 {
        if count > self.factors {
            self.ln_product + ln_rising_beyond(self.after, count - self.factors, self.stirling_error)
        } else {
            ln_rising(self.start, count)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn many_counts_of_one_start_agree_with_single_ones() {
        for start in [1e-12, 0.3, 1.0, 8.5, 9.999, 10.0, 123.4, 1e9, 1e20] {
            let rising = Rising::new(start);
            for count in [0.0, 1.0, 2.0, 8.0, 9.0, 10.0, 11.0, 12.0, 500.0] {
                assert_eq!(rising.ln(count), ln_rising(start, count), "{start} {count}");
            }
        }
    }

    #[test]
    fn agrees_with_the_definition() {
        // Σ of the ratios (νψ + j) / (ν + i), term by term.
        for (correct, wrong) in [(0, 0), (0, 5), (3, 0), (7, 13), (90, 0), (400, 600)] {
            for mean in [1e-9, 0.03, 0.5, 0.97] {
                for precision in [1e-9, 0.3, 4.0, 99.0, 1e4, 1e12, 1e20] {
                    let mut want = 0.0;
                    for step in 0..correct {
                        let step = f64::from(step);
                        want += ((precision * mean + step) / (precision + step)).ln();
                    }
                    for step in 0..wrong {
                        let step = f64::from(step);
                        want += ((precision * (1.0 - mean) + step) / (precision + f64::from(correct) + step))
                            .ln();
                    }
                    let got =
                        ln_likelihood(f64::from(correct), f64::from(wrong), mean, 1.0 - mean, precision);
                    assert!(
                        (got - want).abs() < 1e-10 * want.abs().max(1.0),
                        "{correct} {wrong} {mean} {precision}: {got} {want}"
                    );
                }
            }
        }
    }

    #[test]
    fn without_overdispersion_it_is_binomial() {
        let got = ln_likelihood(37.0, 63.0, 0.4, 0.6, 1e20);
        let want = 37.0 * 0.4_f64.ln() + 63.0 * 0.6_f64.ln();
        assert!((got - want).abs() < 1e-11, "{got} {want}");
    }
}
