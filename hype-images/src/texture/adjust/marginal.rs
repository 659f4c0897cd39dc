//! Skewness and kurtosis along their gradients.

use crate::texture::moments::{mean, powers, spread};
use crate::texture::roots::real_roots;

/// Imposes a skewness (third central moment over the cubed standard deviation, both over the number of
/// samples) and preserves mean and variance.
///
/// Samples without variance, and samples that cannot reach the target along the gradient, stay as
/// they are.
///
/// # Method
/// With standardized samples `c` of skewness `s`, `y = c + x (c^2 - 1 - s c)`: the smallest `x` of
/// the sign of `target - s` that reaches the target is a root of a polynomial of degree 6.
///
/// # Numerics
/// The published program returns NaN when no such root exists. It also squares the equation, so
/// that it may meet the target's opposite; such roots are omitted here.
pub fn skewness(values: &mut [f64], target: f64) {
    let (centre, variance) = spread(values);
    let deviation = variance.sqrt();
    if !(deviation > 0.0 && deviation.recip().is_finite()) {
        return;
    }
    let [.., m3, m4, m5, m6] = powers::<7>(values, centre, deviation.recip());
    let s = m3;
    let numerator = [
        s,
        3.0 * (m4 - (1.0 + s * s)),
        3.0 * (m5 - 2.0 * s * m4 + s.powi(3)),
        m6 - 3.0 * s * m5 + 3.0 * (s * s - 1.0) * m4 + 2.0 + 3.0 * s * s - s.powi(4),
    ];
    let gradient = m4 - (1.0 + s * s);
    let best = real_roots(&equation(numerator, gradient, target))
        .into_iter()
        .filter_map(|root| meeting(numerator, gradient, target, root))
        .filter(|x| x * (target - s) > 0.0)
        .min_by(|a, b| a.abs().total_cmp(&b.abs()));
    let Some(x) = best else { return };
    let scale = (1.0 + gradient * x * x).sqrt().recip();
    if !scale.is_finite() {
        return;
    }
    apply(values, centre, deviation, |c| (c + x * (c * c - 1.0 - s * c)) * scale);
}

/// The coefficients of `n(x)^2 - target^2 (1 + gradient x^2)^3`; for a target of zero those of `n(x)`,
/// as the square has only double roots.
fn equation(numerator: [f64; 4], gradient: f64, target: f64) -> Vec<f64> {
    if target == 0.0 {
        return numerator.to_vec();
    }
    let mut square = vec![0.0; 7];
    for (i, a) in numerator.iter().enumerate() {
        for (j, b) in numerator.iter().enumerate() {
            square[i + j] += a * b;
        }
    }
    let cube = [1.0, 3.0 * gradient, 3.0 * gradient * gradient, gradient.powi(3)];
    for (power, c) in cube.iter().enumerate() {
        square[2 * power] -= target * target * c;
    }
    square
}

/// The root of `n(x) - target (1 + gradient x^2)^(3/2)` near one of the squared equation; `None` if that
/// root belongs to the target's opposite.
///
/// # Numerics
/// For a target near zero the squared equation has pairs of roots with large rounding errors; a few
/// Newton steps on the original equation restore the digits.
fn meeting(numerator: [f64; 4], gradient: f64, target: f64, root: f64) -> Option<f64> {
    let [d, c, b, a] = numerator;
    let mut x = root;
    let off = |x: f64| {
        let square = 1.0 + gradient * x * x;
        let scale = square * square.sqrt();
        (((a * x + b) * x + c) * x + d - target * scale, scale)
    };
    for _ in 0..4 {
        let slope =
            (3.0 * a * x + 2.0 * b) * x + c - 3.0 * target * gradient * x * (1.0 + gradient * x * x).sqrt();
        let step = off(x).0 / slope;
        if step.abs() > 1e-4 * x.abs() || step.is_nan() {
            break;
        }
        x -= step;
    }
    let (error, scale) = off(x);
    (error.abs() <= 1e-9 * scale * target.abs().max(1.0)).then_some(x)
}

/// Imposes a kurtosis (fourth central moment over the squared variance, three for a normal distribution)
/// and preserves mean and variance.
///
/// Samples without variance, samples within 60 dB of the target, and samples that cannot reach it along
/// the gradient, are unchanged.
///
/// # Method
/// With standardized samples `c`, `y = c + x (c^3 - m4 c - m3)`: the smallest `x` that reaches the
/// target is a root of a quartic.
pub fn kurtosis(values: &mut [f64], target: f64) {
    let (centre, variance) = spread(values);
    let deviation = variance.sqrt();
    if !(deviation > 0.0 && deviation.recip().is_finite()) {
        return;
    }
    let m = powers::<13>(values, centre, deviation.recip());
    let a = m[4];
    if (target - a).powi(2) * 1e6 < target * target {
        return;
    }
    let [m3, m5, m6, m7, m8] = [m[3], m[5], m[6], m[7], m[8]];
    let square = m3 * m3;
    let fourth =
        m[12] - 4.0 * a * m[10] - 4.0 * m3 * m[9] + 6.0 * a * a * m8 + 12.0 * a * m3 * m7 + 6.0 * square * m6
            - 4.0 * a.powi(3) * m6
            - 12.0 * a * a * m3 * m5
            + a.powi(5)
            - 12.0 * a * a * square
            + 4.0 * a.powi(3) * square
            + 6.0 * a * a * square
            - 3.0 * square * square;
    let third = 4.0
        * (m[10] - 3.0 * a * m8 - 3.0 * m3 * m7 + 3.0 * a * a * m6 + 6.0 * a * m3 * m5 + 3.0 * square * a
            - a.powi(4)
            - 3.0 * a * a * square
            - 3.0 * a * square);
    let second = 6.0 * (m8 - 2.0 * a * m6 - 2.0 * m3 * m5 + a.powi(3) + 2.0 * a * square + square);
    let gradient = m6 - a * a - square;
    let equation = [
        a - target,
        4.0 * gradient,
        second - 2.0 * target * gradient,
        third,
        fourth - target * gradient * gradient,
    ];
    let best = real_roots(&equation).into_iter().min_by(|a, b| a.abs().total_cmp(&b.abs()));
    let Some(x) = best else { return };
    let scale = (1.0 + gradient * x * x).sqrt().recip();
    if !scale.is_finite() {
        return;
    }
    apply(values, centre, deviation, |c| (c + x * (c * c * c - a * c - m3)) * scale);
}

/// Replaces samples by a function of their standardized values, then restores the mean, which the
/// function preserves except for rounding.
fn apply(values: &mut [f64], centre: f64, deviation: f64, change: impl Fn(f64) -> f64) {
    let scale = deviation.recip();
    for value in values.iter_mut() {
        *value = change((*value - centre) * scale) * deviation + centre;
    }
}

/// Imposes a mean and a variance (over one less than the number of samples); samples without variance
/// get only the mean.
pub(crate) fn mean_and_variance(values: &mut [f64], target_mean: f64, target_variance: f64) {
    let (centre, variance) = spread(values);
    let count = values.len() as f64;
    let gain = ratio(target_variance, variance * count / (count - 1.0).max(1.0));
    for value in values.iter_mut() {
        *value = (*value - centre) * gain + target_mean;
    }
}

/// Scales samples to a target variance (over one less than their number); samples
/// without variance are unchanged.
pub(crate) fn variance(values: &mut [f64], target: f64) {
    let (_, present) = spread(values);
    let count = values.len() as f64;
    let gain = ratio(target, present * count / (count - 1.0).max(1.0));
    for value in values.iter_mut() {
        *value *= gain;
    }
}

/// The factor from one standard deviation to another; one if it would not be finite.
pub(crate) fn ratio(target: f64, present: f64) -> f64 {
    let gain = (target / present).sqrt();
    if gain.is_finite() { gain } else { 1.0 }
}

/// Subtracts the mean from samples, and returns it.
pub(crate) fn centre(values: &mut [f64]) -> f64 {
    let mean = mean(values);
    for value in values.iter_mut() {
        *value -= mean;
    }
    mean
}
