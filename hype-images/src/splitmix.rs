//! `SplitMix64`, the same bits on every machine (Steele, Lea & Flood 2014, Fast splittable pseudorandom number
//! generators, figure 13).

/// The increment of the state.
pub(crate) const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The distance between neighbouring random numbers of 53 bits in `[0, 1)`.
pub(crate) const UNIT: f64 = 1.0 / 9_007_199_254_740_992.0;

/// The finaliser: every bit of the result depends on every bit of the state.
pub(crate) const fn finalised(state: u64) -> u64 {
    let mut bits = state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Scrambles 64 bits: the first output that belongs to a seed.
pub(crate) const fn scramble(seed: u64) -> u64 {
    finalised(seed.wrapping_add(GAMMA))
}

/// The sequence of outputs for a seed.
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    pub(crate) const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        finalised(self.0)
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * UNIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_outputs_are_those_published() {
        // The reference implementation's sequence for seed 1234567, as listed by Rosetta Code
        // (Pseudo-random numbers/Splitmix64).
        let mut outputs = SplitMix64(1_234_567);
        let got: Vec<u64> = (0..5).map(|_| outputs.bits()).collect();
        assert_eq!(
            got,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
        assert_eq!(scramble(1_234_567), got[0]);
    }
}
