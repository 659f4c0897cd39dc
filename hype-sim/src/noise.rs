//! Draws from continuous distributions.

use hype_core::Stream;

/// A standard normal value, by Marsaglia's polar method (Marsaglia and Bray 1964).
pub(crate) fn normal(chance: &mut Stream) -> f64 {
    loop {
        let u = 2.0 * chance.unit_f64() - 1.0;
        let v = 2.0 * chance.unit_f64() - 1.0;
        let square = u * u + v * v;
        if square > 0.0 && square < 1.0 {
            return u * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// An exponential value with mean 1, by inversion.
pub(crate) fn exponential(chance: &mut Stream) -> f64 {
    -(-chance.unit_f64()).ln_1p()
}

/// A standard Gumbel value, by inversion; the difference of two is standard logistic.
pub(crate) fn gumbel(chance: &mut Stream) -> f64 {
    // An exponential of exactly 0 has the chance 2^-53; its logarithm must not leave the finite numbers.
    -exponential(chance).max(f64::MIN_POSITIVE).ln()
}

#[cfg(test)]
mod tests {
    use hype_core::Streams;

    use super::*;

    /// The share of draws under `limit`, and its distance from `expected` in standard errors.
    fn check(draw: fn(&mut Stream) -> f64, limit: f64, expected: f64) {
        let draws = 40_000;
        let mut chance = Streams::new(11).stream("noise");
        let under = (0..draws).filter(|_| draw(&mut chance) < limit).count() as f64;
        let error = (expected * (1.0 - expected) / f64::from(draws)).sqrt();
        let distance = (under / f64::from(draws) - expected) / error;
        assert!(distance.abs() < 4.0, "{distance} standard errors under {limit}");
    }

    #[test]
    fn quantiles_are_those_of_the_distribution() {
        for (limit, expected) in
            [(-1.959_963_985, 0.025), (-0.674_489_75, 0.25), (0.0, 0.5), (1.281_551_566, 0.9)]
        {
            check(normal, limit, expected);
        }
        for (limit, expected) in [(0.105_360_516, 0.1), (std::f64::consts::LN_2, 0.5), (2.995_732_274, 0.95)]
        {
            check(exponential, limit, expected);
        }
        for (limit, expected) in [(-0.834_032_445, 0.1), (0.366_512_921, 0.5), (2.250_367_327, 0.9)] {
            check(gumbel, limit, expected);
        }
    }
}
