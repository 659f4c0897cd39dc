//! Fréchet distances whose exact values are known, where covariances are large, nearly singular or singular.

use hype_metrics::Features;
use hype_metrics::frechet::frechet_distance;

use crate::support::{close, normal_features};

/// A set and the same set scaled by c have the distance (1 - c)² (|μ|² + tr Σ), whatever their covariance.
#[test]
fn a_scaled_copy_has_a_known_distance() {
    let width = 300;
    // More rows than columns by far, by one, by none, and fewer: eigenvalues, then singular values, then no factor at all.
    for rows in [1_500, 301, 300, 120] {
        let one = normal_features(11, rows, width, 0.5);
        let scaled: Vec<f64> = one.iter().map(|value| 0.75 * value).collect();
        let [left, right] = [&one, &scaled].map(|set| Features::from_double(set, width).unwrap());
        let found = frechet_distance(&left, &right).unwrap();
        let mean = |column: usize| -> f64 {
            (0..rows).map(|row| one[row * width + column]).sum::<f64>() / rows as f64
        };
        let (mut square, mut trace) = (0.0, 0.0);
        for column in 0..width {
            let centre = mean(column);
            square += centre * centre;
            let squares: f64 = (0..rows).map(|row| (one[row * width + column] - centre).powi(2)).sum();
            trace += squares / (rows - 1) as f64;
        }
        close("distance", found.distance, 0.0625 * (square + trace), 1e-11, 0.0);
        close("trace of the root", found.trace_of_root, 0.75 * trace, 1e-12, 0.0);
    }
}

/// Columns of a two-level design are orthogonal and have the mean 0, so that the distance is the sum of (s - t)² over their
/// scales s and t. In a rotated basis, half of the scales are 10⁻⁷ in one set and 10⁻³ in the other: the map from one Gaussian
/// to the other stretches by 10⁴, and the rounding of a covariance with it, to more than 10⁻¹².
#[test]
fn small_scales_are_not_lost() {
    let (rows, width) = (64_usize, 32_usize);
    let scale = |column: usize, small: f64| if column < 16 { 1.0 } else { small };
    let set = |small: f64| -> Vec<f64> {
        let mut values = Vec::new();
        for row in 0..rows {
            // Sylvester's matrix: the sign is the parity of the bits in common. Its column 0 is constant and left out.
            let sign =
                |column: usize| if (row & (column + 1)).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
            let mut entries: Vec<f64> =
                (0..width).map(|column| sign(column) * scale(column, small)).collect();
            // Reflect at the plane normal to (1, 2, 1, 2, …), which mixes large and small columns.
            let normal = |column: usize| if column.is_multiple_of(2) { 1.0 } else { 2.0 };
            let along: f64 = entries.iter().enumerate().map(|(column, entry)| normal(column) * entry).sum();
            entries
                .iter_mut()
                .enumerate()
                .for_each(|(column, entry)| *entry -= along / 40.0 * normal(column));
            values.extend(entries);
        }
        values
    };
    let (one, other) = (set(1e-7), set(1e-3));
    let [left, right] = [&one, &other].map(|set| Features::from_double(set, width).unwrap());
    let found = frechet_distance(&left, &right).unwrap();
    let want = 16.0 * (1e-3_f64 - 1e-7).powi(2) * 64.0 / 63.0;
    close("distance", found.distance, want, 0.0, 5e-14);
}
