//! Means, variances and higher moments with a fixed order of addition.

/// The number of independent partial sums, whose additions need not wait for each other.
const LANES: usize = 8;

/// The mean of a function of the samples.
pub(crate) fn mean_of(values: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f64 = chunks.remainder().iter().map(|&value| term(value)).sum();
    for chunk in chunks {
        for (sum, &value) in sums.iter_mut().zip(chunk) {
            *sum += term(value);
        }
    }
    (sums.iter().sum::<f64>() + rest) / values.len() as f64
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    mean_of(values, |value| value)
}

/// The mean, and the mean squared deviation from it.
pub(crate) fn spread(values: &[f64]) -> (f64, f64) {
    let mean = mean(values);
    (mean, mean_of(values, |value| (value - mean) * (value - mean)))
}

/// The mean product of two columns.
pub(crate) fn product(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (lefts, rights) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
    let rest: f64 = lefts.remainder().iter().zip(rights.remainder()).map(|(a, b)| a * b).sum();
    for (left, right) in lefts.zip(rights) {
        for ((sum, a), b) in sums.iter_mut().zip(left).zip(right) {
            *sum += a * b;
        }
    }
    (sums.iter().sum::<f64>() + rest) / left.len() as f64
}

/// Means of the powers `0 ..= N - 1` of samples, each first shifted by `-centre` and multiplied by
/// `scale`.
pub(crate) fn powers<const N: usize>(values: &[f64], centre: f64, scale: f64) -> [f64; N] {
    const WIDE: usize = 4;
    let mut sums = [[0.0; WIDE]; N];
    let chunks = values.chunks_exact(WIDE);
    let mut rest = [0.0; N];
    for &value in chunks.remainder() {
        let standard = (value - centre) * scale;
        let mut power = 1.0;
        for sum in &mut rest {
            *sum += power;
            power *= standard;
        }
    }
    for chunk in chunks {
        let mut standard = [0.0; WIDE];
        for (standard, value) in standard.iter_mut().zip(chunk) {
            *standard = (value - centre) * scale;
        }
        let mut power = [1.0; WIDE];
        for sum in &mut sums {
            for lane in 0..WIDE {
                sum[lane] += power[lane];
                power[lane] *= standard[lane];
            }
        }
    }
    let count = values.len() as f64;
    std::array::from_fn(|power| (sums[power].iter().sum::<f64>() + rest[power]) / count)
}
