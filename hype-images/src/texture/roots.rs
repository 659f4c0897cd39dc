//! Real roots of polynomials.

/// The real roots of `sum c[i] x^i`, in ascending order; empty for the zero polynomial.
///
/// A root of even multiplicity, where the polynomial only touches zero up to rounding, is found too.
///
/// # Method
/// Between two neighbouring extrema a polynomial is monotonic: each change of sign between
/// them encloses one root; the extrema are the real roots of the derivative, found in the same way.
/// Only the basic operations are used, so the roots are the same on every machine.
pub(crate) fn real_roots(coefficients: &[f64]) -> Vec<f64> {
    let Some(degree) = coefficients.iter().rposition(|&c| c != 0.0) else { return Vec::new() };
    let polynomial = &coefficients[..=degree];
    if degree == 0 || polynomial.iter().any(|c| !c.is_finite()) {
        return Vec::new();
    }
    if polynomial[0] == 0.0 {
        let mut roots = real_roots(&polynomial[1..]);
        roots.retain(|&root| root != 0.0);
        roots.push(0.0);
        roots.sort_by(f64::total_cmp);
        return roots;
    }
    if degree == 1 {
        return vec![-polynomial[0] / polynomial[1]];
    }
    let derivative: Vec<f64> =
        polynomial.iter().enumerate().skip(1).map(|(power, c)| power as f64 * c).collect();
    let bound = bound(polynomial);
    let mut knots = vec![-bound];
    knots.extend(real_roots(&derivative).into_iter().filter(|root| root.abs() < bound));
    knots.push(bound);

    let mut roots: Vec<f64> = Vec::new();
    for ends in knots.windows(2) {
        let &[low, high] = ends else { continue };
        let (at_low, at_high) = (value(polynomial, low), value(polynomial, high));
        if at_low * at_high < 0.0 {
            roots.push(enclosed(polynomial, low, high, at_low));
        } else if high < bound && touches(polynomial, high) {
            roots.push(high);
        }
    }
    roots.dedup();
    roots
}

fn value(polynomial: &[f64], at: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, c| sum * at + c)
}

/// Whether an extremum is zero up to rounding: a pair of complex roots would have imaginary parts
/// of less than a millionth of the real one.
fn touches(polynomial: &[f64], at: f64) -> bool {
    let size = polynomial.iter().rev().fold(0.0, |sum, c| sum * at.abs() + c.abs());
    value(polynomial, at).abs() <= 1e-13 * size
}

/// Twice the largest `|c[n - i] / c[n]|^(1 / i)`, which no root exceeds (Fujiwara 1916), rounded up
/// to a power of two.
fn bound(polynomial: &[f64]) -> f64 {
    let degree = polynomial.len() - 1;
    let mut bound = 1.0;
    let holds = |bound: f64| {
        let mut room = polynomial[degree].abs();
        polynomial.iter().rev().skip(1).all(|c| {
            room *= bound / 2.0;
            c.abs() <= room || room.is_infinite()
        })
    };
    while !holds(bound) && bound < 1e300 {
        bound *= 2.0;
    }
    while holds(bound / 2.0) && bound > 1e-300 {
        bound /= 2.0;
    }
    bound
}

fn enclosed(polynomial: &[f64], mut low: f64, mut high: f64, at_low: f64) -> f64 {
    // A Newton step if it stays well between the ends, otherwise the middle. Near multiple roots
    // rounding can prevent convergence of Newton's method, so the number of steps is limited.
    let derivative = |at: f64| {
        polynomial.iter().enumerate().skip(1).rev().fold(0.0, |sum, (power, c)| sum * at + power as f64 * c)
    };
    let mut at = f64::midpoint(low, high);
    let mut newton_steps = 0;
    loop {
        let here = value(polynomial, at);
        if here == 0.0 {
            return at;
        }
        if (here < 0.0) == (at_low < 0.0) {
            low = at;
        } else {
            high = at;
        }
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return at;
        }
        let step = here / derivative(at);
        let next = at - step;
        let newton = next > low && next < high && step.abs() < 0.25 * (high - low) && newton_steps < 40;
        newton_steps += u32::from(newton);
        if newton && step.abs() <= f64::EPSILON * at.abs() {
            return next;
        }
        at = if newton { next } else { middle };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn product(roots: &[f64], pair: Option<(f64, f64)>) -> Vec<f64> {
        let mut polynomial = vec![1.0];
        let mut multiply = |factor: &[f64]| {
            let mut longer = vec![0.0; polynomial.len() + factor.len() - 1];
            for (i, a) in polynomial.iter().enumerate() {
                for (j, b) in factor.iter().enumerate() {
                    longer[i + j] += a * b;
                }
            }
            polynomial = longer;
        };
        for root in roots {
            multiply(&[-root, 1.0]);
        }
        if let Some((real, imaginary)) = pair {
            multiply(&[real * real + imaginary * imaginary, -2.0 * real, 1.0]);
        }
        polynomial
    }

    fn check(polynomial: &[f64], want: &[f64], tolerance: f64) {
        let got = real_roots(polynomial);
        assert_eq!(got.len(), want.len(), "{got:?} for {want:?}");
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= tolerance * want.abs().max(1e-3), "{got} for {want}");
        }
    }

    #[test]
    fn known_roots_are_found() {
        check(&product(&[-3.0, -1e-3, 0.5, 2.0], Some((1.0, 4.0))), &[-3.0, -1e-3, 0.5, 2.0], 1e-12);
        check(&product(&[1e-6, 1e6], None), &[1e-6, 1e6], 1e-12);
        check(&product(&[], Some((0.0, 1.0))), &[], 0.0);
        check(&product(&[0.5, 0.5, 3.0], None), &[0.5, 3.0], 1e-6);
        check(&product(&[2.0, 2.0, -1.0, -1.0], None), &[-1.0, 2.0], 1e-6);
        check(&[0.0, 0.0, 1.0, 0.0], &[0.0], 0.0);
        check(&[4.0, -2.0], &[2.0], 0.0);
        check(&[], &[], 0.0);
        check(&[5.0], &[], 0.0);
        check(&[1.0, f64::NAN, 1.0], &[], 0.0);
    }

    proptest! {
        #[test]
        fn distinct_roots_of_sixth_degree_are_found(
            mut steps in proptest::collection::vec(0.2..2.0_f64, 4),
            first in -3.0..0.0_f64,
            pair in (-2.0..2.0_f64, 0.3..2.0_f64),
        ) {
            let mut at = first;
            for step in &mut steps {
                at += *step;
                *step = at;
            }
            check(&product(&steps, Some(pair)), &steps, 1e-7);
        }
    }
}
