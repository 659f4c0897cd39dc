//! How the level is spent over the looks.

use crate::StatError;
use crate::distributions::{normal_sf, normal_upper_quantile};

/// How much of the level α may have been spent when a share t of the information has been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Spending {
    /// Little at first, nearly all at the end: boundaries like those of O'Brien and Fleming (1979).
    ///
    /// Each tail spends 2 - 2 Φ(z_{α/4} / √t) (Lan and DeMets 1983). The last boundary is close to that of a test
    /// without looks.
    #[default]
    OBrienFleming,
    /// About the same boundary at each look, like that of Pocock (1977): each tail spends (α/2) ln(1 + (e - 1) t).
    Pocock,
}

impl Spending {
    /// The error that both tails may have spent at the share `t` of the information.
    pub(super) fn spent(self, t: f64, alpha: f64) -> Result<f64, StatError> {
        Ok(match self {
            Self::OBrienFleming => 4.0 * normal_sf(normal_upper_quantile(0.25 * alpha)? / t.sqrt()),
            Self::Pocock => alpha * ((std::f64::consts::E - 1.0) * t).ln_1p(),
        })
    }
}
