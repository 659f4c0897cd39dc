//! The middle of sandwich covariances.

use super::cells::Cells;
use super::clustered::Compact;
use super::comparisons::ComparisonOutcome;
use super::matrix::Symmetric;
use super::newton::Likelihood;

/// The contribution of one comparison to the gradient: along the lead of the first model, and along
/// ln ν.
#[derive(Debug, Clone, Copy)]
pub(super) struct Score {
    pub(super) lead: f64,
    pub(super) tie: f64,
}

/// Scores of the outcomes with these probabilities, in the order of [`ComparisonOutcome::ALL`].
pub(super) fn scores_of([first, second, tie]: [f64; 3]) -> [Score; 3] {
    ComparisonOutcome::ALL.map(|outcome| match outcome {
        ComparisonOutcome::First => Score { lead: second + 0.5 * tie, tie: -tie },
        ComparisonOutcome::Second => Score { lead: -first - 0.5 * tie, tie: -tie },
        ComparisonOutcome::Tie => Score { lead: -0.5 * (first - second), tie: first + second },
    })
}

/// Scores of the three outcomes of each cell.
fn scores(cells: &Cells, at: &[f64]) -> Vec<[Score; 3]> {
    cells.cells.iter().map(|cell| scores_of(cells.probabilities(at, cells.lead(at, cell)))).collect()
}

/// Sum of squared scores of single comparisons.
pub(super) fn single(cells: &Cells, at: &[f64]) -> Symmetric {
    let (tie, order) = (cells.tie_parameter(), cells.order_parameter());
    let mut middle = Symmetric::new(cells.parameters());
    for (cell, scores) in cells.cells.iter().zip(scores(cells, at)) {
        for (count, score) in cell.counts.iter().zip(scores) {
            let places = [Some(cell.first), Some(cell.second), tie, order];
            let values = [score.lead, -score.lead, score.tie, score.lead];
            for left in 0..4 {
                for right in left..4 {
                    if let (Some(row), Some(column)) = (places[left], places[right]) {
                        middle.add(row, column, count * values[left] * values[right]);
                    }
                }
            }
        }
    }
    middle
}

/// Sum of squared scores of clusters, times a factor.
pub(super) fn by_cluster(cells: &Cells, at: &[f64], clusters: &Compact, factor: f64) -> Symmetric {
    let scores = scores(cells, at);
    let count = cells.parameters();
    let mut middle = Symmetric::new(count);
    let mut total = vec![0.0; count];
    let mut touched = Vec::new();
    for cluster in 0..clusters.len() {
        for &(slot, count) in clusters.cluster(cluster) {
            let (cell, score) =
                (&cells.cells[slot as usize / 3], scores[slot as usize / 3][slot as usize % 3]);
            let lead = f64::from(count) * score.lead;
            total[cell.first] += lead;
            total[cell.second] -= lead;
            touched.extend([cell.first, cell.second]);
            if let Some(tie) = cells.tie_parameter() {
                total[tie] += f64::from(count) * score.tie;
            }
            if let Some(order) = cells.order_parameter() {
                total[order] += lead;
            }
        }
        touched.extend(cells.tie_parameter());
        touched.extend(cells.order_parameter());
        touched.sort_unstable();
        touched.dedup();
        for (index, &row) in touched.iter().enumerate() {
            for &column in &touched[index..] {
                middle.add(row, column, factor * total[row] * total[column]);
            }
        }
        for place in touched.drain(..) {
            total[place] = 0.0;
        }
    }
    middle
}
