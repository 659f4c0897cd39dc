//! The target of a study, and the smallest number of raters that reaches it.

use std::fmt;
use std::str::FromStr;

use hype_core::Measure;
use schemars::JsonSchema;
use serde::Serialize;

use super::means::Normals;
use super::outlook::Outlook;
use super::{Compared, PlanError};

/// The target of a study.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PlanTarget {
    /// Intervals that are at most this wide from end to end, in the measure's unit; of proportions in percentage points.
    Width(f64),
    /// The probability of telling the closest pair of models apart.
    Power(f64),
    /// The probability that all models come out in the right order.
    Rank(f64),
}

impl fmt::Display for PlanTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Width(width) => write!(f, "width={width}"),
            Self::Power(power) => write!(f, "power={power}"),
            Self::Rank(rank) => write!(f, "rank={rank}"),
        }
    }
}

/// A target cannot be read, or cannot be asked of a study.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The text is not a target.
    #[error("`{0}` is not a target: write `width=5`, `power=0.8` or `rank=0.9`")]
    Unreadable(String),
    /// Nothing is known about means, or the models are not compared.
    #[error(
        "the target {0} needs assumptions about the means of at least two models that a better direction orders"
    )]
    NoOrder(String),
}

impl FromStr for PlanTarget {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let unreadable = || TargetError::Unreadable(text.to_owned());
        let (what, value) = text.split_once('=').ok_or_else(unreadable)?;
        let value: f64 = value.trim().parse().map_err(|_| unreadable())?;
        let is_share = value > 0.0 && value < 1.0;
        match what.trim() {
            "width" if value > 0.0 && value.is_finite() => Ok(Self::Width(value)),
            "power" if is_share => Ok(Self::Power(value)),
            "rank" if is_share => Ok(Self::Rank(value)),
            _ => Err(unreadable()),
        }
    }
}

/// Whether and with how many raters a target is reached.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct TargetReached {
    /// The target.
    pub target: PlanTarget,
    /// The smallest number of raters that reaches it; absent if none of those tried does.
    pub raters: Option<u32>,
    /// The largest number that was tried.
    pub tried: u32,
}

/// The largest number of raters that is tried where it is computed.
const MOST: u32 = 100_000;

impl TargetReached {
    /// The number of raters that gets a row of its own.
    pub(super) const fn shown(&self) -> Option<u32> {
        self.raters
    }
}

impl PlanTarget {
    /// A width in the measure's unit.
    fn width_in(width: f64, measure_unit: &str) -> f64 {
        if measure_unit == super::SHARE { width / 100.0 } else { width }
    }

    /// The smallest number of raters that reaches the target by closed forms.
    pub(super) fn find(self, normals: &Normals, compared: &Compared<'_>) -> Result<TargetReached, PlanError> {
        let no_order = || PlanError::from(TargetError::NoOrder(self.to_string()));
        let reaches = |raters: u32| -> Result<bool, PlanError> {
            let comparisons = compared.at(raters).ok_or(PlanError::NoClosedForm)?;
            Ok(match self {
                Self::Width(width) => normals
                    .width(&comparisons, compared.measure.bias, raters)?
                    .is_some_and(|found| found <= Self::width_in(width, &compared.measure.unit)),
                Self::Power(wanted) => {
                    let (power, _) = normals.power(&comparisons, raters)?.ok_or_else(no_order)?;
                    power.probability >= wanted
                }
                Self::Rank(wanted) => normals.order(raters)?.ok_or_else(no_order)? >= wanted,
            })
        };
        // The procedure for pairs changes at ten raters, where a power may fall; what is asked of a plan is rarely less.
        let mut most = 2;
        while !reaches(most)? {
            if most >= MOST {
                return Ok(TargetReached { target: self, raters: None, tried: MOST });
            }
            most = (2 * most).min(MOST);
        }
        let mut least = most / 2;
        while most - least > 1 {
            let middle = least + (most - least) / 2;
            if middle >= 2 && reaches(middle)? {
                most = middle;
            } else {
                least = middle;
            }
        }
        Ok(TargetReached { target: self, raters: Some(most), tried: MOST })
    }

    /// The smallest of the simulated numbers of raters that reaches the target.
    pub(super) fn among(
        self,
        rows: &[(u32, Outlook)],
        measure: &Measure,
    ) -> Result<TargetReached, PlanError> {
        let value = |outlook: &Outlook| match self {
            Self::Width(_) => outlook.width,
            Self::Power(_) => outlook.power.map(|power| power.probability),
            Self::Rank(_) => outlook.order.map(|order| order.probability),
        };
        if rows.iter().all(|(_, outlook)| value(outlook).is_none()) {
            return Err(TargetError::NoOrder(self.to_string()).into());
        }
        let reaches = |outlook: &Outlook| {
            value(outlook).is_some_and(|value| match self {
                Self::Width(width) => value <= Self::width_in(width, &measure.unit),
                Self::Power(wanted) | Self::Rank(wanted) => value >= wanted,
            })
        };
        Ok(TargetReached {
            target: self,
            raters: rows.iter().find(|(_, outlook)| reaches(outlook)).map(|&(raters, _)| raters),
            tried: rows.iter().map(|&(raters, _)| raters).max().unwrap_or(0),
        })
    }
}
