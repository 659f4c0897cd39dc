//! An exponential and a logarithm without branches, which the compiler computes several at a time; those of the standard
//! library are called one by one, and took a third of a posterior's time.

use std::f64::consts::{LN_2, SQRT_2};

/// Next to this number, an `f32` has no fraction: its last bits are the nearest whole number to what was added.
const WHOLE_32: f32 = 12_582_912.0;
/// An `f64` whose last bits are a whole number below 2⁵², which subtracting this number leaves.
const WHOLE_64: f64 = 4_503_599_627_370_496.0;
/// ln 2 in two parts; whole multiples of the first are exact.
const LN_2_UPPER: f32 = 0.693_359_4;
const LN_2_LOWER: f32 = -2.121_944_4e-4;

/// e to a power between -87 and 88, to 4e-7 of itself; other powers give any number.
#[inline]
pub(super) fn exp(power: f32) -> f32 {
    let shifted = power * std::f32::consts::LOG2_E + WHOLE_32;
    let doublings = shifted - WHOLE_32;
    let rest = (power - doublings * LN_2_UPPER) - doublings * LN_2_LOWER;
    // Taylor's series up to the sixth power, for |rest| ≤ ln 2 / 2.
    let series = 1.0 / 720.0;
    let series = series * rest + 1.0 / 120.0;
    let series = series * rest + 1.0 / 24.0;
    let series = series * rest + 1.0 / 6.0;
    let series = series * rest + 0.5;
    let series = series * rest + 1.0;
    let series = series * rest + 1.0;
    series * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

/// The natural logarithm of a normal positive number, to 1e-10; other numbers give any number.
#[inline]
pub(super) fn ln(value: f64) -> f64 {
    // Halved as often as leaves a number between the roots of 1/2 and 2.
    let offset = value.to_bits().wrapping_sub((1.0 / SQRT_2).to_bits()).wrapping_add(1023 << 52);
    let halvings = f64::from_bits((offset >> 52) | WHOLE_64.to_bits()) - (WHOLE_64 + 1023.0);
    let exponent = (offset & (0xfff << 52)).wrapping_sub(1023 << 52);
    let reduced = f64::from_bits(value.to_bits().wrapping_sub(exponent));
    // ln x = 2 artanh((x - 1) / (x + 1)), with a ratio below 0.172.
    let ratio = (reduced - 1.0) / (reduced + 1.0);
    let square = ratio * ratio;
    let series = 1.0 / 11.0;
    let series = series * square + 1.0 / 9.0;
    let series = series * square + 1.0 / 7.0;
    let series = series * square + 1.0 / 5.0;
    let series = series * square + 1.0 / 3.0;
    let series = series * square + 1.0;
    halvings * LN_2 + 2.0 * ratio * series
}

/// The nearest whole number to one between -2⁵¹ and 2⁵¹.
#[inline]
pub(super) fn nearest(value: f64) -> f64 {
    (value + 1.5 * WHOLE_64) - 1.5 * WHOLE_64
}

/// A whole number below 2³² as such.
#[inline]
pub(super) fn whole(value: f64) -> u32 {
    (value + WHOLE_64).to_bits() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_match_the_standard_library() {
        for step in -87_000_i32..=88_000 {
            let power = step as f32 / 1000.0;
            let want = f64::from(power).exp();
            assert!((f64::from(exp(power)) / want - 1.0).abs() < 4e-7, "{power}");
        }
    }

    #[test]
    fn logarithms_match_the_standard_library() {
        for step in -60_000..=60_000 {
            let value = (f64::from(step) / 1000.0 + 1e-4).exp();
            assert!((ln(value) - value.ln()).abs() < 1e-10, "{value}");
        }
        for value in [1.0, SQRT_2, 1.0 / SQRT_2, 2.0, 0.5, f64::MIN_POSITIVE, f64::MAX] {
            for value in [value.next_down().max(f64::MIN_POSITIVE), value] {
                assert!((ln(value) - value.ln()).abs() < 1e-10, "{value}");
            }
        }
    }
}
