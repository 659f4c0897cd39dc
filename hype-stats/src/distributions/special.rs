//! Incomplete beta and gamma functions with both tails to near full relative precision.
//!
//! The functions of available crates subtract the small tail from 1 and lose digits in the factor in
//! front for large parameters (differences of ln Γ); these functions do neither.

use std::f64::consts::PI;

/// Smallest magnitude that a denominator of a continued fraction may take.
const FLOOR: f64 = 1e-300;

/// From here on Stirling's series replaces the product.
const STIRLING: f64 = 10.0;

/// A probability and its complement, each with its own relative precision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tails {
    /// P(X ≤ x).
    pub(crate) lower: f64,
    /// P(X > x).
    pub(crate) upper: f64,
}

impl Tails {
    const fn from_lower(lower: f64) -> Self {
        Self { lower, upper: 1.0 - lower }
    }

    const fn swap(self) -> Self {
        Self { lower: self.upper, upper: self.lower }
    }
}

/// ln Γ(a) - ((a - 1/2) ln a - a + ln(2π)/2), the error of Stirling's formula.
///
/// Stirling's series from 10 on (DLMF 5.11.1), below it the recurrence in steps of one.
pub(crate) fn stirling_error(a: f64) -> f64 {
    let mut shifted = a;
    let mut total = 0.0;
    while shifted < STIRLING {
        total += (shifted + 0.5) * shifted.recip().ln_1p() - 1.0;
        shifted += 1.0;
    }
    let inverse = shifted.recip();
    let square = inverse * inverse;
    const COEFFICIENTS: [f64; 7] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
    ];
    let series = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| sum * square + coefficient);
    total + series * inverse
}

/// ln (start (start + 1) … (start + count - 1)) for a positive start and a whole count.
pub(crate) fn ln_rising(start: f64, count: f64) -> f64 {
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
pub(crate) struct Rising {
    start: f64,
    /// The number of factors that are multiplied, and the start of Stirling's series after them.
    factors: f64,
    after: f64,
    ln_product: f64,
    stirling_error: f64,
}

impl Rising {
    pub(crate) fn new(start: f64) -> Self {
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
    pub(crate) fn ln(&self, count: f64) -> f64 {
        if count > self.factors {
            self.ln_product + ln_rising_beyond(self.after, count - self.factors, self.stirling_error)
        } else {
            ln_rising(self.start, count)
        }
    }
}

/// 1 / start + 1 / (start + 1) + … for a positive start and a whole count of terms: a difference of digamma functions.
///
/// The asymptotic series from 10 on (DLMF 5.11.2), with the large parts cancelled analytically.
pub(crate) fn digamma_rising(start: f64, count: f64) -> f64 {
    let (mut start, mut count, mut total) = (start, count, 0.0);
    while count > 0.0 && start < STIRLING {
        total += start.recip();
        start += 1.0;
        count -= 1.0;
    }
    if count > 0.0 {
        total += (count / start).ln_1p() + digamma_series(start + count) - digamma_series(start);
    }
    total
}

/// ψ(a) - ln a for a ≥ 10.
fn digamma_series(a: f64) -> f64 {
    const COEFFICIENTS: [f64; 7] =
        [-1.0 / 12.0, 1.0 / 120.0, -1.0 / 252.0, 1.0 / 240.0, -1.0 / 132.0, 691.0 / 32_760.0, -1.0 / 12.0];
    let square = (a * a).recip();
    COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| sum * square + coefficient) * square - 0.5 / a
}

/// x ln(x/m) + m - x, the deviance part of Loader's saddle-point expansion.
///
/// Loader (2000), "Fast and accurate computation of binomial probabilities": a series near x = m,
/// where the terms cancel.
fn deviance(x: f64, m: f64) -> f64 {
    let difference = x - m;
    if difference.abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() - difference;
    }
    let ratio = difference / (x + m);
    let square = ratio * ratio;
    let mut power = 2.0 * x * ratio;
    let mut sum = difference * ratio;
    let mut odd = 1.0;
    loop {
        power *= square;
        odd += 2.0;
        let next = sum + power / odd;
        if (next - sum).abs() <= f64::EPSILON * 0.25 * sum.abs() {
            return next;
        }
        sum = next;
    }
}

/// x^a y^b / B(a, b) for x + y = 1.
pub(crate) fn beta_factor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let exponent =
        stirling_error(n) - stirling_error(a) - stirling_error(b) - deviance(a, n * x) - deviance(b, n * y);
    (a * (b / n) / (2.0 * PI)).sqrt() * exponent.exp()
}

/// x^a e^-x / Γ(a).
pub(crate) fn gamma_factor(a: f64, x: f64) -> f64 {
    (a / (2.0 * PI)).sqrt() * (-stirling_error(a) - deviance(a, x)).exp()
}

/// I_x(a, b) B(a, b) / (x^a y^b) by a continued fraction, for x below (a + 1) / (a + b + 2).
///
/// The even part of DLMF 8.17.22 in the form of Didonato and Morris (1992, TOMS 708, "BFRAC"), by
/// Lentz's method. The form with a y - b x loses no digits where x is close to 1, which the
/// plain one does: 1 - (a + b) x / (a + 1) leaves eleven digits of Student's t for 10^6 degrees of
/// freedom. The number of steps grows with the root of the larger parameter.
fn beta_fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let guard = |value: f64| if value.abs() < FLOOR { FLOOR } else { value };
    let excess = a * y - b * x + 1.0;
    let mut c = guard(a * excess / (a + 1.0));
    let mut d = 0.0;
    let mut denominator = c;
    let limit = 1000.0 + 20.0 * a.max(b).sqrt();
    let mut n = 1.0;
    while n < limit {
        let centre = a + 2.0 * n - 1.0;
        let numerator = (a + n - 1.0) / centre * ((a + b + n - 1.0) / centre) * n * (b - n) * x * x;
        let partial = n + n * (b - n) * x / centre + (a + n) * (excess + n * (1.0 + y)) / (a + 2.0 * n + 1.0);
        d = guard(partial + numerator * d).recip();
        c = guard(partial + numerator / c);
        let change = c * d;
        denominator *= change;
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
        n += 1.0;
    }
    denominator.recip()
}

/// Regularised incomplete beta function I_x(a, b) and its complement, for x + y = 1.
///
/// Both x and y are arguments: the smaller one keeps its digits.
pub(crate) fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> Tails {
    if x <= 0.0 {
        return Tails::from_lower(0.0);
    }
    if y <= 0.0 {
        return Tails::from_lower(1.0);
    }
    let factor = beta_factor(a, b, x, y);
    if x < (a + 1.0) / (a + b + 2.0) {
        Tails::from_lower((factor * beta_fraction(a, b, x, y)).min(1.0))
    } else {
        Tails::from_lower((factor * beta_fraction(b, a, y, x)).min(1.0)).swap()
    }
}

/// Regularised incomplete gamma functions P(a, x) and Q(a, x).
///
/// The power series below a + 1 (DLMF 8.7.1), above it Legendre's continued fraction (DLMF 8.9.2).
pub(crate) fn incomplete_gamma(a: f64, x: f64) -> Tails {
    if x <= 0.0 {
        return Tails::from_lower(0.0);
    }
    if x.is_infinite() {
        return Tails::from_lower(1.0);
    }
    let factor = gamma_factor(a, x);
    if x < a + 1.0 {
        let mut term = a.recip();
        let mut sum = term;
        let mut n = a;
        while term > sum * f64::EPSILON * 0.1 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return Tails::from_lower((factor * sum).min(1.0));
    }
    let guard = |value: f64| if value.abs() < FLOOR { FLOOR } else { value };
    let mut b = x + 1.0 - a;
    let mut c = FLOOR.recip();
    let mut d = guard(b).recip();
    let mut fraction = d;
    let limit = 1000.0 + 20.0 * a.sqrt();
    let mut i = 1.0;
    while i < limit {
        let numerator = i * (a - i);
        b += 2.0;
        d = guard(numerator * d + b).recip();
        c = guard(b + numerator / c);
        let change = d * c;
        fraction *= change;
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
        i += 1.0;
    }
    Tails::from_lower((factor * fraction).min(1.0)).swap()
}
