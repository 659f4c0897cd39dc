//! Edit lists: which part of a track is shown, and when. They are resolved into the samples' times.

use mp4_atom::Elst;

use super::clip::{Sample, Start};
use super::error::Flaw;
use super::limits;

/// The part of a track that is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Microseconds before it.
    wait_us: u64,
    /// Its beginning in the media, in units of the track.
    begin: Option<i64>,
    /// Its length, in units of the track.
    length: Option<u64>,
}

impl Edit {
    /// The edit that a list describes.
    pub(crate) fn of(list: &Elst, movie_scale: u32, timescale: u32) -> Result<Self, Flaw> {
        let mut edit = Self::default();
        let mut wait = 0_u64;
        for entry in &list.entries {
            if entry.segment_duration > limits::TIME.unsigned_abs() {
                return Err(Flaw::corrupt("its edit list is longer than any time"));
            }
            let Some(begin) = entry.media_time else {
                if edit.begin.is_some() {
                    return Err(Flaw::encode("pauses by an edit list"));
                }
                wait = wait.saturating_add(entry.segment_duration);
                continue;
            };
            if edit.begin.is_some() {
                return Err(Flaw::encode("is put together from several parts by an edit list"));
            }
            if (entry.media_rate.integer(), entry.media_rate.decimal()) != (1, 0) {
                return Err(Flaw::encode("changes its speed by an edit list"));
            }
            let begin = i64::try_from(begin).ok().filter(|begin| *begin <= limits::TIME);
            edit.begin = Some(begin.ok_or_else(|| Flaw::corrupt("its edit list begins after any time"))?);
            edit.length = (entry.segment_duration > 0).then(|| {
                let length = u128::from(entry.segment_duration) * u128::from(timescale);
                u64::try_from(length.div_ceil(u128::from(movie_scale))).unwrap_or(u64::MAX)
            });
        }
        edit.wait_us =
            u64::try_from(u128::from(wait) * 1_000_000 / u128::from(movie_scale)).unwrap_or(u64::MAX);
        Ok(edit)
    }
}

/// The pictures that an edit shows, with times from zero, and when they begin.
///
/// # Errors
/// If pictures outside the edit are needed to decode those inside.
pub(crate) fn pictures(
    mut samples: Vec<Sample>,
    edit: &Edit,
    timescale: u32,
) -> Result<(Vec<Sample>, Start), Flaw> {
    if let Some(begin) = edit.begin {
        let end = edit.length.map_or(i64::MAX, |length| begin.saturating_add_unsigned(length));
        let shown = |sample: &Sample| (begin..end).contains(&sample.time);
        let (Some(first), Some(last)) = (samples.iter().position(shown), samples.iter().rposition(shown))
        else {
            return Err(Flaw::corrupt("its edit list shows none of its frames"));
        };
        samples.truncate(last + 1);
        let key = samples[..=first].iter().rposition(|sample| sample.key).unwrap_or(0);
        samples.drain(..key);
        let hidden = samples.iter().filter(|sample| !shown(sample)).count();
        if hidden > 0 {
            return Err(Flaw::encode(format!(
                "was cut by an edit list: {hidden} frames must be decoded that are not shown"
            )));
        }
    }
    let first = from_zero(&mut samples);
    let late = first.saturating_sub(edit.begin.unwrap_or(0)).unsigned_abs();
    let late = u128::from(late) * 1_000_000 / u128::from(timescale);
    let wait_us = edit.wait_us.saturating_add(u64::try_from(late).unwrap_or(u64::MAX));
    Ok((samples, Start { wait_us, ..Start::default() }))
}

/// Moves times to begin at 0, and returns the first.
pub(crate) fn from_zero(samples: &mut [Sample]) -> i64 {
    let first = samples.iter().map(|sample| sample.time).min().unwrap_or(0);
    for sample in samples {
        sample.time -= first;
    }
    first
}

/// When sound begins. Its packets stay, since the first ones prepare the decoder.
pub(crate) fn sound(edit: &Edit) -> Start {
    let skip = edit.begin.map_or(0, i64::unsigned_abs);
    Start { wait_us: edit.wait_us, skip, length: edit.length }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mp4_atom::ElstEntry;

    fn sample(time: i64, key: bool) -> Sample {
        Sample { at: 0, bytes: 1, time, duration: 10, key }
    }

    fn list(entries: &[(u64, Option<u64>)]) -> Elst {
        let entry = |&(segment_duration, media_time)| ElstEntry {
            segment_duration,
            media_time,
            media_rate: 1.into(),
        };
        Elst { entries: entries.iter().map(entry).collect() }
    }

    fn shown(samples: &[(i64, bool)], edits: &[(u64, Option<u64>)]) -> Result<(Vec<i64>, u64), Flaw> {
        let edit = Edit::of(&list(edits), 100, 1000)?;
        let samples = samples.iter().map(|&(time, key)| sample(time, key)).collect();
        let (samples, start) = pictures(samples, &edit, 1000)?;
        Ok((samples.iter().map(|sample| sample.time).collect(), start.wait_us))
    }

    #[test]
    fn edits_are_resolved_into_times() {
        // Delayed by the depth of reordering.
        let reordered = [(20, true), (50, false), (30, false), (40, false)];
        assert_eq!(shown(&reordered, &[]).unwrap().0, [0, 30, 10, 20]);
        assert_eq!(shown(&reordered, &[]).unwrap().1, 20_000);
        assert_eq!(shown(&reordered, &[(4, Some(20))]).unwrap(), (vec![0, 30, 10, 20], 0));
        let groups = [(0, true), (10, false), (20, true), (30, false), (40, true)];
        assert_eq!(shown(&groups, &[(50, None), (2, Some(20))]).unwrap(), (vec![0, 10], 500_000));
        assert_eq!(shown(&groups, &[(0, Some(20))]).unwrap().0, [0, 10, 20]);
    }

    #[test]
    fn edits_that_cannot_be_resolved_are_refused() {
        let groups = [(0, true), (10, false), (20, true)];
        for edits in [
            &[(2, Some(10))][..],
            &[(1, Some(10)), (0, None)],
            &[(1, Some(0)), (1, Some(20))],
            &[(1, Some(0)), (1, None)],
            &[(1, Some(500))],
            &[(1, Some(u64::MAX >> 1))],
            &[(u64::MAX, None), (u64::MAX, None)],
        ] {
            shown(&groups, edits).unwrap_err();
        }
    }
}
