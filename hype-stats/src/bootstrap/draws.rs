//! The bootstrap's random numbers: one stream for each block of resamples.

use chacha20::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The maximum number of values taken from one random word.
const BATCH: usize = 16;

/// The random stream of one block of resamples.
pub(crate) struct Draws {
    generator: ChaCha8Rng,
}

impl Draws {
    /// Opens the stream that belongs to this seed and block.
    pub(crate) fn new(seed: u64, block: u64) -> Self {
        let mut key = [0; 32];
        let mut state = seed;
        for word in key.as_chunks_mut::<8>().0 {
            *word = split_mix(&mut state).to_le_bytes();
        }
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(block);
        Self { generator }
    }

    /// Fills the slice with independent numbers below the bound, each equally likely.
    ///
    /// Brackett-Rozinsky and Lemire (2024), "Batched ranged random integer generation": a word is
    /// multiplied by the bound repeatedly, each upper half is one number, and a word is rejected
    /// with the probability that makes all of them exactly uniform.
    #[inline]
    pub(crate) fn fill_below(&mut self, bound: Bound, numbers: &mut [u32]) {
        for group in numbers.chunks_mut(bound.batch) {
            let product =
                if group.len() == bound.batch { bound.product } else { bound.value.pow(group.len() as u32) };
            let mut rest = self.multiply_out(bound.value, group);
            if rest < product {
                let refused = product.wrapping_neg() % product;
                while rest < refused {
                    rest = self.multiply_out(bound.value, group);
                }
            }
        }
    }

    #[inline]
    fn multiply_out(&mut self, bound: u64, group: &mut [u32]) -> u64 {
        let mut rest = self.generator.next_u64();
        for number in group {
            let wide = u128::from(rest) * u128::from(bound);
            *number = (wide >> 64) as u32;
            rest = wide as u64;
        }
        rest
    }

    /// Draws 64 random bits.
    #[inline]
    pub(crate) fn word(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Draws a float in [0, 1) with 53 random bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Draws a standard normal value by the polar method.
    #[cfg(test)]
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }
}

/// An upper bound, and how many numbers below it one word yields.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    value: u64,
    batch: usize,
    product: u64,
}

impl Bound {
    /// Prepares for numbers in `0..value`; a bound of 0 counts as 1.
    pub(crate) fn new(value: u32) -> Self {
        let value = u64::from(value.max(1));
        let (mut batch, mut product) = (1, value);
        // Below 2^56 fewer than one word in 256 needs the slow check.
        while batch < BATCH && product.saturating_mul(value) < 1 << 56 {
            batch += 1;
            product *= value;
        }
        Self { value, batch, product }
    }
}

/// `SplitMix64` (Steele, Lea and Flood 2014), which spreads a seed over a key.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn split_mix_is_the_published_one() {
        // The first outputs for seed 1234567 of Vigna's reference implementation.
        let mut state = 1_234_567;
        let first: Vec<u64> = (0..3).map(|_| split_mix(&mut state)).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn golden_numbers() {
        let mut numbers = [0; 12];
        Draws::new(7, 3).fill_below(Bound::new(30), &mut numbers);
        assert_eq!(numbers, GOLDEN_30);
        Draws::new(7, 3).fill_below(Bound::new(u32::MAX), &mut numbers[..2]);
        assert_eq!(numbers[..2], GOLDEN_LARGE);
        assert_eq!(Draws::new(7, 3).unit(), GOLDEN_UNIT);
        Draws::new(7, 3).fill_below(Bound::new(1), &mut numbers);
        assert_eq!(numbers, [0; 12]);
    }

    #[test]
    fn numbers_of_a_batch_fit_into_a_word() {
        // 640 to the sixth power is just below 2^56, and to the seventh above 2^64.
        for value in (1..2_000).chain([1 << 14, 1 << 18, 1 << 27, 1 << 28, u32::MAX]) {
            let bound = Bound::new(value);
            let product = u128::from(value).pow(bound.batch as u32);
            assert_eq!(u128::from(bound.product), product);
            assert!(bound.batch == 1 || product < 1 << 56);
        }
    }

    const GOLDEN_30: [u32; 12] = [16, 19, 2, 18, 25, 9, 12, 0, 23, 23, 9, 28];
    const GOLDEN_LARGE: [u32; 2] = [2_381_738_819, 4_134_852_483];
    const GOLDEN_UNIT: f64 = 0.554_541_782_442_908_9;

    #[test]
    fn every_place_of_a_batch_is_uniform() {
        // Chi-squared with 29 degrees of freedom for each of 30 places: the limit has a false-alarm
        // rate of 1e-6 for one place, and the seed is fixed.
        const DRAWS: usize = 60_000;
        let mut counts = vec![[0_u32; 30]; 30];
        let mut draws = Draws::new(11, 0);
        let mut row = [0; 30];
        for _ in 0..DRAWS {
            draws.fill_below(Bound::new(30), &mut row);
            for (place, &number) in counts.iter_mut().zip(&row) {
                place[number as usize] += 1;
            }
        }
        let expected = DRAWS as f64 / 30.0;
        for place in counts {
            let distance: f64 =
                place.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
            assert!(distance < 81.0, "chi-squared {distance}");
        }
    }

    #[test]
    fn refusal_keeps_large_bounds_uniform() {
        // With a bound of 3 * 2^30 a plain 32-bit multiplication would favour every third number.
        let bound = 3 << 30;
        let mut thirds = [0_u32; 3];
        let mut numbers = vec![0; 60_000];
        Draws::new(1, 1).fill_below(Bound::new(bound), &mut numbers);
        for number in numbers {
            assert!(number < bound);
            thirds[(number >> 30) as usize] += 1;
        }
        // Four standard deviations of a count with p = 1/3.
        assert!(thirds.iter().all(|&count| count.abs_diff(20_000) < 462), "{thirds:?}");
    }
}
