//! Portable normal noise.

use std::f64::consts::TAU;

use crate::splitmix::{SplitMix64, UNIT, finalised, scramble};

/// Independent standard normal numbers that belong to a seed.
///
/// # Method
/// Outputs of `SplitMix64` (Steele, Lea & Flood 2014, figure 13) in pairs `(a, b)`, with
/// `u = ((a >> 11) + 1) / 2^53` and `v = (b >> 11) / 2^53`, become
/// `sqrt(-2 ln u) (cos 2 pi v, sin 2 pi v)` (Box & Muller 1958).
///
/// # Numerics
/// Logarithm, sine and cosine are computed in software: every machine gets the same bytes.
///
/// # Examples
/// ```
/// let noise = hype_images::texture::white_noise(150, 4);
/// assert!((noise[0] - 0.231_164_107_372).abs() < 1e-12);
/// ```
#[must_use]
pub fn white_noise(seed: u64, count: usize) -> Vec<f64> {
    let mut outputs = SplitMix64(seed);
    let mut noise = Vec::with_capacity(count + 1);
    while noise.len() < count {
        let u = ((outputs.bits() >> 11) + 1) as f64 * UNIT;
        let v = outputs.unit();
        let radius = (-2.0 * libm::log(u)).sqrt();
        let (sin, cos) = libm::sincos(TAU * v);
        noise.extend([radius * cos, radius * sin]);
    }
    noise.truncate(count);
    noise
}

/// The seed of one of several independent streams that belong together.
pub(crate) const fn stream(seed: u64, number: u64) -> u64 {
    finalised(scramble(seed) ^ number)
}
