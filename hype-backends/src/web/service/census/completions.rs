//! When sessions were completed, as far as the pace of a study needs it.

use std::collections::BTreeMap;

use hype_core::Micros;

/// How long before the latest completion earlier ones are known: four hours and a bin.
const KNOWN_S: u64 = 245 * 60;

/// The width of a bin.
const BIN_S: u64 = 300;

/// The most bins.
const BINS: u64 = 48;

/// Completions by the second since the Unix epoch.
#[derive(Debug, Default)]
pub(crate) struct Completions(BTreeMap<u64, u32>);

impl Completions {
    pub(super) fn add(&mut self, at: Micros) {
        *self.0.entry(second(at)).or_default() += 1;
        if let Some(latest) = self.0.last_key_value().map(|(latest, _)| *latest) {
            self.0 = self.0.split_off(&latest.saturating_sub(KNOWN_S));
        }
    }

    /// When the latest session was completed.
    pub(crate) fn latest(&self) -> Option<Micros> {
        self.0.last_key_value().map(|(second, _)| Micros(second * 1_000_000))
    }

    /// How many sessions were completed in the last minutes.
    pub(crate) fn within(&self, minutes: u64, now: Micros) -> u32 {
        let now = second(now);
        self.0.range(now.saturating_sub(minutes * 60)..=now).map(|(_, count)| count).sum()
    }

    /// How many sessions were completed in each five minutes since the study opened, the latest of them.
    pub(crate) fn bins(&self, opened: Micros, now: Micros) -> Vec<u32> {
        let bin = |at: u64| at.saturating_sub(second(opened)) / BIN_S;
        let last = bin(second(now));
        let first = last.saturating_sub(BINS - 1);
        let mut bins = vec![0; (last - first + 1) as usize];
        for (&at, count) in &self.0 {
            let place = bin(at).checked_sub(first).and_then(|place| bins.get_mut(place as usize));
            if let Some(bin) = place {
                *bin += count;
            }
        }
        bins
    }
}

fn second(at: Micros) -> u64 {
    at.0 / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: u64 = 60_000_000;

    fn completed_at(minutes: &[u64]) -> Completions {
        let mut completions = Completions::default();
        minutes.iter().for_each(|minute| completions.add(Micros(minute * MINUTE)));
        completions
    }

    #[test]
    fn completions_are_counted_by_windows_and_by_bins_since_the_opening() {
        let completions = completed_at(&[1_000, 1_001, 1_006, 1_055, 1_059, 1_059]);
        let now = Micros(1_060 * MINUTE);
        assert_eq!((completions.within(10, now), completions.within(60, now)), (3, 6));
        assert_eq!(completions.latest(), Some(Micros(1_059 * MINUTE)));
        let bins = completions.bins(Micros(1_000 * MINUTE), now);
        assert_eq!(bins, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0]);
        // The windows move on although nothing happens.
        let later = Micros(1_070 * MINUTE);
        assert_eq!((completions.within(10, later), completions.within(60, later)), (0, 3));
    }

    #[test]
    fn kept_and_reported_completions_are_bounded() {
        let mut completions = Completions::default();
        for minute in (0..3_000).rev().chain(0..3_000) {
            completions.add(Micros(minute * MINUTE));
        }
        assert_eq!(completions.0.len(), 246);
        let bins = completions.bins(Micros(0), Micros(3_000 * MINUTE));
        assert_eq!((bins.len(), bins.iter().sum::<u32>()), (48, 2 * 235));
    }
}
