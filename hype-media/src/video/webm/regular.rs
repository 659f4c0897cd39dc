//! Times that WebM rounds to milliseconds are put back on the grid from which they come.
//!
//! Otherwise clips in WebM would jitter by a millisecond, and differ by that from the same clips in MP4.

/// The units in a second and the units of a frame, if all times are those of a regular rate.
///
/// # Arguments
/// Times begin at 0, in units of `timescale`. The stated duration of a frame is in nanoseconds; if it is that of a
/// common rate, no other is considered.
pub(super) fn rate(times: &[i64], timescale: u32, stated: Option<u64>) -> Option<(u32, u32)> {
    let fits = |&(units, step): &(u32, u32)| stated.is_some_and(|ns| is_near(ns, units, step));
    let stated: Vec<(u32, u32)> = common().filter(fits).collect();
    let candidates = if stated.is_empty() && times.len() > 1 { common().collect() } else { stated };
    let measured = candidates.into_iter().filter_map(|rate| Some((deviation(times, timescale, rate)?, rate)));
    // The first of equal ones: whole rates precede.
    measured.min_by_key(|(deviation, _)| *deviation).map(|(_, rate)| rate)
}

/// The rates that cameras, films and models have: whole ones, and those of NTSC.
fn common() -> impl Iterator<Item = (u32, u32)> {
    let ntsc = [24, 30, 48, 60, 120].map(|rate| (rate * 1000, 1001));
    (1..=120).map(|rate| (rate, 1)).chain(ntsc)
}

/// Whether a duration in nanoseconds is one of a rate, to one part in 100,000.
fn is_near(ns: u64, units: u32, step: u32) -> bool {
    let exact = u64::from(step) * 1_000_000_000 / u64::from(units);
    ns.abs_diff(exact) <= exact / 100_000
}

/// The sum of differences from a rate, in nanoseconds; `None` if one exceeds what rounding explains.
fn deviation(times: &[i64], timescale: u32, (units, step): (u32, u32)) -> Option<u128> {
    let unit = 1_000_000_000 / i128::from(timescale);
    let mut sum = 0;
    for (number, &time) in (0_i128..).zip(times) {
        let exact = number * i128::from(step) * 1_000_000_000 / i128::from(units);
        let difference = (i128::from(time) * unit - exact).unsigned_abs();
        if difference > unit.unsigned_abs() {
            return None;
        }
        sum += difference;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(units: u32, step: u32, frames: u32) -> Vec<i64> {
        let time =
            |number: u32| (f64::from(number) * f64::from(step) / f64::from(units) * 1000.0).round() as i64;
        (0..frames).map(time).collect()
    }

    #[test]
    fn rounded_times_are_put_back() {
        for (units, step) in [(24, 1), (25, 1), (30, 1), (30_000, 1001), (60, 1), (24_000, 1001), (8, 1)] {
            let ns = 1_000_000_000 * u64::from(step) / u64::from(units);
            assert_eq!(rate(&rounded(units, step, 5), 1000, Some(ns)), Some((units, step)));
            assert_eq!(rate(&rounded(units, step, 200), 1000, None), Some((units, step)));
        }
        assert_eq!(rate(&[0], 1000, Some(40_000_000)), Some((25, 1)));
        assert_eq!(rate(&[0], 1000, None), None);
        assert_eq!(rate(&[0, 40, 90, 120], 1000, None), None);
        assert_eq!(rate(&[0, 40, 80, 121, 240], 1000, Some(40_000_000)), None);
    }
}
