use std::f64::consts::LN_2;

use crate::distributions::{normal_cdf, normal_density, normal_quantile, normal_sf, normal_upper_quantile};

/// Beyond this argument every sigmoid is 0 or 1 to the last digit of a double.
const LIMIT: f64 = 700.0;

/// The shape F of a psychometric function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sigmoid {
    /// F(z) = 1 / (1 + e^-z).
    Logistic,
    /// F(z) = Φ(z), the cumulative normal.
    Normal,
    /// F(z) = 1 - exp(-e^z), the extreme-value function: a Weibull function of the level on a
    /// logarithmic axis, 1 - exp(-(x/α)^β).
    Gumbel,
}

impl Sigmoid {
    /// F(z) and 1 - F(z), each with its digits.
    pub(super) fn tails(self, argument: f64) -> [f64; 2] {
        match self {
            Self::Logistic => {
                let small = (-argument.abs()).exp();
                let large = 1.0 / (1.0 + small);
                if argument < 0.0 { [small * large, large] } else { [large, small * large] }
            }
            Self::Normal => [normal_cdf(argument), normal_sf(argument)],
            Self::Gumbel => {
                let hazard = argument.exp();
                [-(-hazard).exp_m1(), (-hazard).exp()]
            }
        }
    }

    /// F, 1 - F and the first two derivatives of F.
    pub(super) fn derivatives(self, argument: f64) -> [f64; 4] {
        let argument = argument.clamp(-LIMIT, LIMIT);
        let [rise, remainder] = self.tails(argument);
        let (first, second) = match self {
            Self::Logistic => {
                let first = rise * remainder;
                (first, first * (remainder - rise))
            }
            Self::Normal => {
                let first = normal_density(argument);
                (first, -argument * first)
            }
            Self::Gumbel => {
                let hazard = argument.exp();
                let first = hazard * remainder;
                (first, first * (1.0 - hazard))
            }
        };
        [rise, remainder, first, second]
    }

    /// The argument at which F has this value; both tails are given, each with its digits.
    pub(super) fn inverse(self, rise: f64, remainder: f64) -> f64 {
        match self {
            Self::Logistic => (rise / remainder).ln(),
            // Both tails are probabilities, so there is always a quantile.
            Self::Normal if rise < remainder => normal_quantile(rise).unwrap_or(f64::NEG_INFINITY),
            Self::Normal => normal_upper_quantile(remainder).unwrap_or(f64::INFINITY),
            Self::Gumbel if rise < 0.5 => (-(-rise).ln_1p()).ln(),
            Self::Gumbel => (-remainder.ln()).ln(),
        }
    }

    /// The argument at which F is one half.
    pub(super) fn middle(self) -> f64 {
        match self {
            Self::Logistic | Self::Normal => 0.0,
            Self::Gumbel => LN_2.ln(),
        }
    }

    /// Distance of the arguments at which F is 1 - α and α.
    pub(super) fn span(self, tail: f64) -> f64 {
        self.inverse(1.0 - tail, tail) - self.inverse(tail, 1.0 - tail)
    }
}
