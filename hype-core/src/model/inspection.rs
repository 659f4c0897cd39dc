//! How raters look closely at the images of a trial without a limited exposure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rater looked closely at the images of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialInspection {
    /// The trial's number.
    pub trial: u32,
    /// How.
    pub inspection: Inspection,
}

/// The views of a trial's images other than the first one, in which all are whole and each is in its own place.
///
/// All images of a trial are in step: a view is the same for each of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inspection {
    /// The views in order. One that lasted for less than 200 ms counts to the view after it, except the last one before the
    /// images were whole and in their places again.
    #[schemars(length(min = 1, max = Self::LOOKS_AT_MOST))]
    pub looks: Vec<CloseLook>,
    /// How long later views lasted together, in microseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub further_us: u64,
}

/// A view of a trial's images.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseLook {
    /// From the onset of the images to the beginning of the view, in microseconds.
    pub from_us: u64,
    /// How long it lasted, in microseconds.
    pub for_us: u64,
    /// Device pixels for each pixel of an image along one side, to three decimals.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = Self::FACTOR_AT_MOST))]
    pub factor: f64,
    /// The point of an image in the middle of its place, as a share of the image's width from the left, to three decimals.
    #[schemars(range(min = 0, max = 1))]
    pub x: f64,
    /// The same as a share of the image's height from above.
    #[schemars(range(min = 0, max = 1))]
    pub y: f64,
    /// The number of the image in front, from 0 in the order of their places, if the images were in one place in turn: those of
    /// a gallery, or else the source and the image made from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<u16>,
    /// The share of each place's width, from the left, that showed the source in place of the image, if there was a divider
    /// between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub divider: Option<f64>,
}

impl Inspection {
    /// The maximum number of views in a report.
    pub const LOOKS_AT_MOST: usize = 64;

    /// Whether there are views, no more than a report has, and all of them are possible.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        (1..=Self::LOOKS_AT_MOST).contains(&self.looks.len()) && self.looks.iter().all(CloseLook::is_possible)
    }
}

impl CloseLook {
    /// The largest factor of any view.
    pub const FACTOR_AT_MOST: f64 = 10_000.0;

    /// Whether the factor is positive and possible, and all shares are between 0 and 1.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        let shares = [Some(self.x), Some(self.y), self.divider];
        self.factor > 0.0
            && self.factor <= Self::FACTOR_AT_MOST
            && shares.into_iter().flatten().all(|share| (0.0..=1.0).contains(&share))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(time: &u64) -> bool {
    *time == 0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn look() -> CloseLook {
        CloseLook { from_us: 1, for_us: 2, factor: 2.0, x: 0.5, y: 0.25, front: None, divider: None }
    }

    #[test]
    fn unused_sections_are_absent() {
        let inspection = Inspection { looks: vec![look()], further_us: 0 };
        let expected =
            json!({ "looks": [{ "from_us": 1, "for_us": 2, "factor": 2.0, "x": 0.5, "y": 0.25 }] });
        assert_eq!(serde_json::to_value(&inspection).unwrap(), expected);
        assert_eq!(serde_json::from_value::<Inspection>(expected).unwrap(), inspection);
    }

    #[test]
    fn impossible_views_are_recognized() {
        let with = |change: fn(&mut CloseLook)| {
            let mut changed = look();
            change(&mut changed);
            Inspection { looks: vec![look(), changed], further_us: 0 }.is_possible()
        };
        assert!(with(|_| {}));
        assert!(with(|look| (look.front, look.x) = (Some(1), 1.0)));
        assert!(with(|look| look.divider = Some(0.0)));
        assert!(!with(|look| look.factor = 0.0));
        assert!(!with(|look| look.factor = 10_001.0));
        assert!(!with(|look| look.x = -0.001));
        assert!(!with(|look| look.y = 1.001));
        assert!(!with(|look| look.divider = Some(1.5)));
        let of = |count| Inspection { looks: vec![look(); count], further_us: 0 }.is_possible();
        assert_eq!([0, 1, 64, 65].map(of), [false, true, true, false]);
    }
}
