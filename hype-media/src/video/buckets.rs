//! Lengths to which files are padded, since requests for parts of a file reveal its length.

/// The length to which each file is padded, in bytes, in the order of the given lengths.
///
/// # Examples
/// ```
/// use hype_media::video::buckets;
/// assert_eq!(buckets(&[900, 1000, 800]), [1000, 1000, 1000]);
/// assert_eq!(buckets(&[2000, 1000, 700]), [2000, 1024, 820]);
/// ```
///
/// # Method
/// If the longest is less than 1.5 times the median (the lower of two), all are padded to the longest. Otherwise
/// the lengths are the longest divided by powers of 1.25, rounded up, and each file is padded to the least that
/// holds it; so no file grows by more than a quarter, and a length tells no more than its step.
#[must_use]
pub fn buckets(lengths: &[u64]) -> Vec<u64> {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let Some(&longest) = sorted.last() else { return Vec::new() };
    let median = sorted[(sorted.len() - 1) / 2];
    if u128::from(longest) * 2 < u128::from(median) * 3 {
        return vec![longest; lengths.len()];
    }
    let mut steps = vec![longest];
    let mut least = longest;
    while sorted[0] < least && least > 1 {
        // No less than the one before by at least one byte.
        least = next(least);
        steps.push(least);
    }
    let bucket = |length: &u64| steps.iter().rev().copied().find(|step| step >= length).unwrap_or(longest);
    lengths.iter().map(bucket).collect()
}

/// A length divided by 1.25, rounded up, but smaller.
fn next(length: u64) -> u64 {
    let quotient = (u128::from(length) * 4).div_ceil(5);
    u64::try_from(quotient).unwrap_or(length).min(length - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_near_each_other_have_one_bucket() {
        assert_eq!(buckets(&[100, 149, 100, 120]), [149; 4]);
        assert_eq!(buckets(&[7]), [7]);
        assert_eq!(buckets(&[]), [0; 0]);
        assert_eq!(buckets(&[0, 0]), [0, 0]);
    }

    #[test]
    fn others_have_steps_of_a_quarter() {
        // 1000, 800, 640, 512, 410, 328.
        assert_eq!(buckets(&[1000, 801, 800, 640, 330, 410]), [1000, 1000, 800, 640, 410, 410]);
        assert_eq!(buckets(&[150, 100, 100]), [150, 120, 120]);
        assert_eq!(buckets(&[1000, 0, 1]), [1000, 1, 1]);
        for (&length, bucket) in [9_u64, 87, 1234, u64::MAX].iter().zip(buckets(&[9, 87, 1234, u64::MAX])) {
            assert!(
                bucket >= length && u128::from(bucket) * 4 <= u128::from(length) * 5 + 5,
                "{length} {bucket}"
            );
        }
    }
}
