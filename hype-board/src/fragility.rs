//! How few votes, and how few raters, decide the first place.

use hype_stats::StatError;
use hype_stats::link::Linked;

use crate::estimates::{Estimated, Material};

/// The least votes and raters without which the second is first, to first order in what each contributes; `None` where no number of
/// them suffices.
pub(crate) struct Fewest {
    pub(crate) votes: Option<u64>,
    pub(crate) raters: Option<u64>,
}

/// Drops those who favour the leader most until the lead is gone.
///
/// # Method
/// The change of the lead by an answer is its score through the covariance of the wave's strengths, or its part of a mean, times
/// the derivative of the linked difference by the wave's estimates.
pub(crate) fn fewest(
    board: &Linked,
    waves: &[&Estimated],
    [first, second]: [u32; 2],
    lead: f64,
) -> Result<Fewest, StatError> {
    let weights = board.weights(first, second)?;
    let sign = lead.signum();
    let (mut of_votes, mut of_raters) = (Vec::new(), Vec::new());
    for (wave, weights) in waves.iter().zip(&weights) {
        let models = weights.len();
        for row in wave.contributions.chunks_exact(models) {
            let effect: f64 = row.iter().zip(weights).map(|(own, weight)| own * weight).sum();
            of_raters.push((sign * effect, 1));
        }
        match &wave.from {
            Material::Votes(cells, fit) => {
                let through: Vec<f64> = (0..models)
                    .map(|row| {
                        (0..models).map(|column| fit.covariance.of(row, column) * weights[column]).sum()
                    })
                    .collect();
                for cell in cells {
                    let (first, second) = (cell.first as usize, cell.second as usize);
                    let [wins, losses, ties] = fit.probabilities(first, second);
                    let share = wins + 0.5 * ties;
                    debug_assert!((share + losses + 0.5 * ties - 1.0).abs() < 1e-9);
                    for (outcome, count) in [1.0, 0.0, 0.5].into_iter().zip(cell.counts) {
                        of_votes.push((sign * (outcome - share) * (through[first] - through[second]), count));
                    }
                }
            }
            Material::Values(values) => {
                of_votes.extend(values.iter().map(|&(model, own)| (sign * own * weights[model as usize], 1)));
            }
        }
    }
    Ok(Fewest { votes: until(of_votes, lead.abs()), raters: until(of_raters, lead.abs()) })
}

/// How many of the greatest effects sum to more than the lead.
fn until(mut effects: Vec<(f64, u64)>, lead: f64) -> Option<u64> {
    effects.retain(|(effect, count)| *effect > 0.0 && *count > 0);
    effects.sort_by(|left, right| right.0.total_cmp(&left.0));
    let (mut left, mut taken) = (lead, 0);
    for (effect, count) in effects {
        let needed = (left / effect).floor() as u64 + 1;
        if needed <= count {
            return Some(taken + needed);
        }
        taken += count;
        left -= effect * count as f64;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_effects_come_first() {
        assert_eq!(until(vec![(0.1, 10), (0.5, 1), (-3.0, 9)], 0.55), Some(2));
        assert_eq!(until(vec![(0.1, 10), (0.5, 1)], 0.85), Some(5));
        assert_eq!(until(vec![(0.1, 2)], 1.0), None);
    }
}
