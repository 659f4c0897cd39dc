//! How the clips of a trial were played, and its texts read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The clips of a trial were played, or its texts read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialPlayed {
    /// The trial's number.
    pub trial: u32,
    /// How.
    pub played: Played,
}

/// How the clips or texts of a trial were shown. Times are in microseconds, and begin with the onset of the trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// The clips or texts, in the order of their places.
    #[schemars(length(max = Self::LIST_AT_MOST))]
    pub members: Vec<PlayedMember>,
    /// The largest difference between the times of clips that play in step.
    pub offset_us: u64,
    /// The times in which they were out of step.
    #[schemars(length(max = Self::LIST_AT_MOST))]
    pub slips: Vec<PlaybackLapse>,
    /// How long the page was hidden.
    pub hidden_us: u64,
}

/// How one clip or text was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayedMember {
    /// The time of the first frame, or of the first paint of a text.
    pub first_us: u64,
    /// How long the clip was playing, or the text visible.
    pub shown_us: u64,
    /// The parts that were seen, as ranges of whole numbers from a first to a last, the last excluded: tenths of a second of a
    /// clip, hundredths of the height of a text.
    #[schemars(length(max = Played::LIST_AT_MOST))]
    pub seen: Vec<[u32; 2]>,
    /// How often the rater played the clip again.
    pub replays: u32,
    /// Frames that the browser dropped.
    pub dropped: u32,
    /// The times in which the clip stood still although it should have played.
    #[schemars(length(max = Played::LIST_AT_MOST))]
    pub stalls: Vec<PlaybackLapse>,
}

/// A time in which a clip did not play as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaybackLapse {
    /// When it began.
    pub at_us: u64,
    /// How long it lasted.
    pub for_us: u64,
}

impl Played {
    /// The largest number of members, of ranges and of lapses in a report.
    pub const LIST_AT_MOST: usize = 64;

    /// Whether no list is longer than a report has, and every range is in order.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        let fits = |length: usize| length <= Self::LIST_AT_MOST;
        let in_order = |seen: &[[u32; 2]]| {
            seen.iter().all(|[from, to]| from < to) && seen.windows(2).all(|pair| pair[0][1] < pair[1][0])
        };
        let possible = |member: &PlayedMember| {
            fits(member.seen.len()) && fits(member.stalls.len()) && in_order(&member.seen)
        };
        fits(self.members.len()) && fits(self.slips.len()) && self.members.iter().all(possible)
    }
}

impl PlayedMember {
    /// The share of a clip or text that was seen, of all its tenths of a second or hundredths of its height.
    #[must_use]
    pub fn share(&self, all: u32) -> f64 {
        let seen: u64 =
            self.seen.iter().map(|[from, to]| u64::from(to.min(&all).saturating_sub(*from))).sum();
        if all == 0 { 1.0 } else { seen as f64 / f64::from(all) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(seen: Vec<[u32; 2]>) -> PlayedMember {
        PlayedMember { first_us: 0, shown_us: 1, seen, replays: 0, dropped: 0, stalls: Vec::new() }
    }

    #[test]
    fn shares_count_each_part_once() {
        assert!((member(vec![[0, 10], [15, 20]]).share(20) - 0.75).abs() < 1e-12);
        assert!((member(vec![[0, 30]]).share(20) - 1.0).abs() < 1e-12);
        assert!((member(Vec::new()).share(20) - 0.0).abs() < 1e-12);
        assert!((member(Vec::new()).share(0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn impossible_reports_are_recognized() {
        let of = |seen| Played { members: vec![member(seen)], offset_us: 0, slips: Vec::new(), hidden_us: 0 };
        assert!(of(vec![[0, 3], [4, 5]]).is_possible());
        assert!(!of(vec![[3, 3]]).is_possible());
        assert!(!of(vec![[0, 3], [2, 5]]).is_possible());
        let lapses = vec![PlaybackLapse { at_us: 1, for_us: 2 }; Played::LIST_AT_MOST + 1];
        assert!(!Played { slips: lapses, ..of(Vec::new()) }.is_possible());
    }
}
