//! A bracketing root finder for the quantiles.

/// Finds where an increasing function crosses zero, to the last digits of the argument.
///
/// The bracket grows from `start` by `step`, doubling, and is then shrunk by Chandrupatla's (1997)
/// method, which chooses between inverse quadratic interpolation and bisection. The function may
/// return infinities. Gives `None` if no bracket is found or the function returns NaN.
pub(crate) fn increasing_root(start: f64, step: f64, mut function: impl FnMut(f64) -> f64) -> Option<f64> {
    let at_start = function(start);
    if at_start.is_nan() {
        return None;
    }
    let direction = if at_start > 0.0 { -1.0 } else { 1.0 };
    let mut near = (start, at_start);
    let mut reach = step;
    let far = loop {
        let x = start + direction * reach;
        let value = function(x);
        if value.is_nan() || !x.is_finite() {
            return None;
        }
        if value * direction >= 0.0 {
            break (x, value);
        }
        near = (x, value);
        reach *= 2.0;
    };
    chandrupatla(near, far, function)
}

fn chandrupatla(near: (f64, f64), far: (f64, f64), mut function: impl FnMut(f64) -> f64) -> Option<f64> {
    let (mut a, mut b) = (far, near);
    let mut fraction = 0.5;
    for _ in 0..200 {
        let x = a.0 + fraction * (b.0 - a.0);
        let value = function(x);
        if value.is_nan() {
            return None;
        }
        let c;
        if value.is_sign_positive() == a.1.is_sign_positive() {
            c = a;
        } else {
            c = b;
            b = a;
        }
        a = (x, value);
        let best = if a.1.abs() < b.1.abs() { a } else { b };
        let tolerance = f64::EPSILON * best.0.abs() + f64::EPSILON * 0.01;
        let width = (b.0 - a.0).abs();
        if best.1.abs() <= 0.0 || width <= 2.0 * tolerance {
            return Some(best.0);
        }
        let xi = (a.0 - b.0) / (c.0 - b.0);
        let phi = (a.1 - b.1) / (c.1 - b.1);
        fraction = if phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi {
            a.1 / (b.1 - a.1) * c.1 / (b.1 - c.1)
                + (c.0 - a.0) / (b.0 - a.0) * a.1 / (c.1 - a.1) * b.1 / (c.1 - b.1)
        } else {
            0.5
        };
        let least = tolerance / width;
        fraction = fraction.clamp(least, 1.0 - least);
    }
    Some(a.0)
}
