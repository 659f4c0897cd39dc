//! Sums in a fixed order, which the compiler can still vectorize.
//!
//! Terms go to [`LANES`] sums in turn, and these are added in pairs. The order depends on the length alone.

/// Independent sums: as many as hide the latency of an addition with two doubles to a register.
const LANES: usize = 8;

/// The sum of the terms.
pub(crate) fn sum(terms: &[f64]) -> f64 {
    let (chunks, rest) = terms.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += chunk[lane];
        }
    }
    for (sum, term) in sums.iter_mut().zip(rest) {
        *sum += term;
    }
    added(sums)
}

/// The sums of weights × left and of weights × right, all of one length.
pub(crate) fn products(weights: &[f64], left: &[f64], right: &[f64]) -> (f64, f64) {
    let (weights, weights_rest) = weights.as_chunks::<LANES>();
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    let (mut lefts, mut rights) = ([0.0; LANES], [0.0; LANES]);
    for ((weights, left), right) in weights.iter().zip(left).zip(right) {
        for lane in 0..LANES {
            lefts[lane] += weights[lane] * left[lane];
            rights[lane] += weights[lane] * right[lane];
        }
    }
    for (lane, weight) in weights_rest.iter().enumerate() {
        lefts[lane] += weight * left_rest[lane];
        rights[lane] += weight * right_rest[lane];
    }
    (added(lefts), added(rights))
}

/// The sum of weights × values, of one length.
pub(crate) fn product(weights: &[f64], values: &[f64]) -> f64 {
    let (weights, weights_rest) = weights.as_chunks::<LANES>();
    let (values, values_rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (weights, values) in weights.iter().zip(values) {
        for lane in 0..LANES {
            sums[lane] += weights[lane] * values[lane];
        }
    }
    for ((sum, weight), value) in sums.iter_mut().zip(weights_rest).zip(values_rest) {
        *sum += weight * value;
    }
    added(sums)
}

/// The sum of p ln p.
pub(crate) fn sum_p_ln_p(terms: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for chunk in terms.chunks(LANES) {
        for (sum, &term) in sums.iter_mut().zip(chunk) {
            *sum += p_ln_p(term);
        }
    }
    added(sums)
}

/// p ln p, continued by its limit at 0.
pub(crate) fn p_ln_p(p: f64) -> f64 {
    if p > 0.0 { p * libm::log(p) } else { 0.0 }
}

fn added([a, b, c, d, e, f, g, h]: [f64; LANES]) -> f64 {
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn every_term_counts_once_at_any_length() {
        for length in 0..40_u32 {
            let ones: Vec<f64> = (0..length).map(|_| 1.0).collect();
            let numbers: Vec<f64> = (0..length).map(f64::from).collect();
            let squares = f64::from(length * (length.max(1) - 1) * (2 * length.max(1) - 1) / 6);
            let total = f64::from(length * length.saturating_sub(1) / 2);
            assert_eq!(sum(&numbers), total);
            assert_eq!(products(&numbers, &numbers, &ones), (squares, total));
            assert_eq!(product(&numbers, &numbers), squares);
            let halves: Vec<f64> = (0..length).map(|_| 0.5).collect();
            let want = f64::from(length) * 0.5 * libm::log(0.5);
            assert!((sum_p_ln_p(&halves) - want).abs() < 1e-13);
        }
    }

    #[test]
    fn the_order_of_sums_is_fixed() {
        // 2^53 + 1 is not a double: the result shows which terms met first.
        let large = 9_007_199_254_740_992.0;
        let terms = [large, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0];
        assert_eq!(sum(&terms), large + 2.0);
        assert_eq!(terms.iter().sum::<f64>(), large);
    }
}
