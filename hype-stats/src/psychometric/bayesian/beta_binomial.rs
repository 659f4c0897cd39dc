//! The beta-binomial likelihood, stable from binomial to fully overdispersed answers.

use crate::distributions::ln_rising;

/// The precision above which answers are binomial to the last digit: the logarithm differs by less than the square of their number,
/// divided by it.
const BINOMIAL: f64 = 1e19;

/// ln of the probability of the counts of correct and wrong answers, without the binomial coefficient.
///
/// The probability of a correct answer is Beta distributed with mean `mean` and `precision` ν:
/// B(k + νψ, n - k + ν(1 - ψ)) / B(νψ, ν(1 - ψ)), written as rising factorials, which keep their
/// digits when ν is so large that the answers are binomial.
pub(super) fn ln_likelihood(correct: f64, wrong: f64, mean: f64, complement: f64, precision: f64) -> f64 {
    if precision > BINOMIAL {
        let term = |count: f64, share: f64| if count > 0.0 { count * share.ln() } else { 0.0 };
        return term(correct, mean) + term(wrong, complement);
    }
    ln_rising(precision * mean, correct) + ln_rising(precision * complement, wrong)
        - ln_rising(precision, correct + wrong)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use super::*;

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
