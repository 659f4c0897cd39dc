//! Wins, losses and ties of one model.

use super::comparisons::Comparisons;

/// Wins, losses and ties of a model, against one other or against all.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::Comparisons;
/// let table = Comparisons::from_wins(&[vec![0, 6], vec![2, 0]], &[vec![0, 4], vec![4, 0]])?;
/// let record = table.record(0);
/// assert_eq!((record.wins, record.losses, record.ties), (6, 2, 4));
/// assert_eq!(record.win_rate(), Some(8.0 / 12.0));
/// assert_eq!(record.wins_per_loss(), Some(3.0));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Record {
    /// Comparisons that the model won.
    pub wins: u64,
    /// Comparisons that it lost.
    pub losses: u64,
    /// Comparisons in which neither was preferred.
    pub ties: u64,
}

impl Record {
    /// Number of comparisons.
    #[must_use]
    pub const fn comparisons(self) -> u64 {
        self.wins + self.losses + self.ties
    }

    /// Share of wins, with ties as half wins; `None` without comparisons.
    #[must_use]
    pub fn win_rate(self) -> Option<f64> {
        let comparisons = self.comparisons();
        (comparisons > 0).then(|| (self.wins as f64 + 0.5 * self.ties as f64) / comparisons as f64)
    }

    /// Wins for each loss, without ties; `None` without losses.
    #[must_use]
    pub fn wins_per_loss(self) -> Option<f64> {
        (self.losses > 0).then(|| self.wins as f64 / self.losses as f64)
    }
}

impl Comparisons {
    /// The model's record against one other.
    ///
    /// # Panics
    ///
    /// For a model outside the table.
    #[must_use]
    pub fn record_against(&self, model: usize, opponent: usize) -> Record {
        Record {
            wins: self.wins(model, opponent),
            losses: self.wins(opponent, model),
            ties: self.ties(model, opponent),
        }
    }

    /// The model's record against all others.
    ///
    /// # Panics
    ///
    /// For a model outside the table.
    #[must_use]
    pub fn record(&self, model: usize) -> Record {
        (0..self.models()).map(|opponent| self.record_against(model, opponent)).fold(
            Record::default(),
            |total, record| Record {
                wins: total.wins + record.wins,
                losses: total.losses + record.losses,
                ties: total.ties + record.ties,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opponents_weigh_the_same_in_the_average_and_by_comparisons_in_the_whole() {
        let table =
            Comparisons::from_wins(&[[0, 9, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]], &[]).unwrap();
        assert_eq!(table.record(0).win_rate(), Some(0.75));
        assert_eq!(table.record(2).wins_per_loss(), None);
        assert_eq!(table.record(2).win_rate(), Some(1.0));
        assert_eq!(table.record(3).win_rate(), None);
        assert_eq!(table.record(1).wins_per_loss(), Some(1.0 / 9.0));
    }
}
