//! Integer chance and smooth noise, the same on every machine.

use crate::splitmix::{GAMMA, scramble};

/// A stream of numbers fixed by its key.
pub(super) struct Chance {
    state: u64,
}

impl Chance {
    /// Starts the stream that belongs to a seed, a process and an index.
    pub(super) const fn new(seed: u64, process: u64, index: u64) -> Self {
        Self { state: scramble(scramble(scramble(seed) ^ process) ^ index) }
    }

    pub(super) const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        scramble(self.state)
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub(super) fn unit(&mut self) -> f64 {
        unit(self.bits())
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A number below `count`; the bias of 1 in 2^32 does not matter to a picture.
    pub(super) const fn below(&mut self, count: usize) -> usize {
        (((self.bits() >> 32) * count as u64) >> 32) as usize
    }

    /// Minus one or one.
    pub(super) const fn sign(&mut self) -> f64 {
        if self.bits() >> 63 == 0 { -1.0 } else { 1.0 }
    }
}

fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// A number in `[0, 1)` for a point of the integer lattice.
fn lattice(key: u64, at: [i64; 3]) -> f64 {
    let mut bits = key;
    for coordinate in at {
        bits = scramble(bits ^ coordinate.cast_unsigned());
    }
    unit(bits)
}

/// The polynomial that joins lattice values without a visible crease.
pub(super) fn smooth(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Zero below `low`, one above `high`, smooth between them.
pub(super) fn ramp(low: f64, high: f64, at: f64) -> f64 {
    smooth((at - low) / (high - low))
}

/// Smooth noise in `[0, 1)` with one feature for each unit of length.
pub(super) fn noise(key: u64, at: [f64; 3]) -> f64 {
    let cell = at.map(|coordinate| coordinate.floor() as i64);
    let share = at.map(|coordinate| smooth(coordinate - coordinate.floor()));
    let mut sum = 0.0;
    for corner in 0..8_i64 {
        let step = [corner & 1, (corner >> 1) & 1, corner >> 2];
        let mut weight = 1.0;
        let mut point = cell;
        for axis in 0..3 {
            weight *= if step[axis] == 1 { share[axis] } else { 1.0 - share[axis] };
            point[axis] = cell[axis].wrapping_add(step[axis]);
        }
        sum += weight * lattice(key, point);
    }
    sum
}

/// Noise of three octaves in `[0, 1)`.
pub(super) fn cloud(key: u64, at: [f64; 3]) -> f64 {
    let octave = |number: u64, scale: f64| noise(key ^ number, at.map(|c| c * scale));
    (4.0 * octave(1, 1.0) + 2.0 * octave(2, 2.1) + octave(3, 4.3)) / 7.0
}

/// A wave of period one between zero and one, made of parabolas instead of a sine.
pub(super) fn wave(at: f64) -> f64 {
    let phase = at - at.floor();
    let half = if phase < 0.5 { phase } else { phase - 0.5 };
    let hump = 8.0 * half * (0.5 - half);
    if phase < 0.5 { 0.5 + hump } else { 0.5 - hump }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_smooth_and_stays_in_its_range() {
        let mut last = cloud(7, [0.0, 0.3, -0.4]);
        for step in 1..4000 {
            let now = cloud(7, [f64::from(step) * 0.001, 0.3, -0.4]);
            assert!((0.0..1.0).contains(&now));
            assert!((now - last).abs() < 0.01, "jump at step {step}");
            last = now;
        }
    }

    #[test]
    fn the_wave_turns_where_a_sine_does() {
        for (at, want) in [(0.0, 0.5), (0.25, 1.0), (0.5, 0.5), (0.75, 0.0), (1.25, 1.0)] {
            assert!((wave(at) - want).abs() < 1e-12);
        }
    }
}
