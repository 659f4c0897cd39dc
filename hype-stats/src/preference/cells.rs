//! The pairs that were compared, and the likelihood of their outcomes.

use super::comparisons::{ComparisonOutcome, Comparisons};
use super::connection::Graph;
use super::matrix::Symmetric;
use super::newton::Likelihood;
use super::recession::{Bound, can_move, can_move_for_any_order};
use super::settings::{BradleyTerry, Ties};
use crate::StatError;

/// Outcomes of one pair of models, in the order of presentation if that matters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) first: usize,
    pub(super) second: usize,
    /// How often each outcome occurred, in the order of [`ComparisonOutcome::ALL`].
    pub(super) counts: [f64; 3],
}

/// All pairs that were compared, under one model.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    models: usize,
    ties: Ties,
    ordered: bool,
    pub(super) cells: Vec<Cell>,
    /// The number of covariates, and their values, cell by cell.
    covariates: usize,
    values: Vec<f64>,
}

/// The position of a count of the table among the cells of a model.
#[derive(Debug)]
pub(super) struct Slots {
    models: usize,
    ties: Ties,
    /// Cell of each pair, and whether the cell has the reverse order.
    cell_of: Vec<Option<(u32, bool)>>,
}

impl Slots {
    /// Position of the count at this position of the table: three for each cell, one for each outcome.
    pub(super) fn slot_of(&self, place: usize) -> Option<u32> {
        let pairs = self.models * self.models;
        let outcome = ComparisonOutcome::ALL[place / pairs];
        let (cell, reversed) = self.cell_of[place % pairs]?;
        if outcome == ComparisonOutcome::Tie && self.ties == Ties::LeftOut {
            return None;
        }
        let outcome = if reversed { outcome.reversed() } else { outcome };
        Some(3 * cell + outcome as u32)
    }
}

impl Cells {
    pub(super) fn new(model: &BradleyTerry, table: &Comparisons) -> Result<Self, StatError> {
        let (models, ordered) = (table.models(), model.has_order_effect());
        if ordered && !table.is_ordered() {
            return Err(StatError::Degenerate {
                statistic: model.name(),
                reason: "the table does not record which model was shown first",
            });
        }
        let mut cells = Vec::new();
        for first in 0..models {
            for second in if ordered { 0 } else { first + 1 }..models {
                let mut counts =
                    ComparisonOutcome::ALL.map(|outcome| table.count_of(first, second, outcome) as f64);
                if !ordered {
                    for outcome in ComparisonOutcome::ALL {
                        counts[outcome.reversed() as usize] += table.count_of(second, first, outcome) as f64;
                    }
                }
                if model.ties() == Ties::LeftOut {
                    counts[ComparisonOutcome::Tie as usize] = 0.0;
                }
                if counts.iter().any(|&count| count > 0.0) {
                    cells.push(Cell { first, second, counts });
                }
            }
        }
        if cells.is_empty() {
            return Err(StatError::TooFew { statistic: model.name(), needed: 1, of: "comparisons", got: 0 });
        }
        Ok(Self { models, ties: model.ties(), ordered, cells, covariates: 0, values: Vec::new() })
    }

    /// The same model with these cells in place of those of pairs, and as many covariates, whose values are in the order of the
    /// cells.
    pub(super) fn with_covariates(self, cells: Vec<Cell>, covariates: usize, values: Vec<f64>) -> Self {
        Self { cells, covariates, values, ..self }
    }

    pub(super) fn slots(&self) -> Slots {
        let mut cell_of = vec![None; self.models * self.models];
        for (index, cell) in self.cells.iter().enumerate() {
            cell_of[cell.first * self.models + cell.second] = Some((index as u32, false));
            if !self.ordered {
                cell_of[cell.second * self.models + cell.first] = Some((index as u32, true));
            }
        }
        Slots { models: self.models, ties: self.ties, cell_of }
    }

    /// Position of ln ν among the parameters.
    pub(super) fn tie_parameter(&self) -> Option<usize> {
        (self.ties == Ties::Davidson).then_some(self.models)
    }

    /// Position of the effect of the order among the parameters.
    pub(super) fn order_parameter(&self) -> Option<usize> {
        self.ordered.then(|| self.models + usize::from(self.ties == Ties::Davidson))
    }

    /// Position of the coefficient of the first covariate among the parameters.
    pub(super) fn first_covariate(&self) -> usize {
        self.models + usize::from(self.ties == Ties::Davidson) + usize::from(self.ordered)
    }

    /// Refuses outcomes whose likelihood has no finite maximum.
    pub(super) fn check(&self, model: &BradleyTerry) -> Result<(), StatError> {
        let endless = |reason| Err(StatError::Degenerate { statistic: model.name(), reason });
        if model.ridge() == 0.0 {
            self.graph().connection().require(model.name())?;
        }
        let [first, second, tie] = self.totals();
        if self.ties == Ties::Davidson && (tie == 0.0 || first + second == 0.0) {
            return endless("the tie parameter is infinite without ties, and without wins");
        }
        if self.ordered {
            let half = if self.ties == Ties::Half { tie } else { 0.0 };
            if first + half == 0.0 || second + half == 0.0 {
                return endless("the effect of the order is infinite if it decides all comparisons");
            }
        }
        if model.ridge() == 0.0 && self.has_endless_rise()? {
            return endless(match (self.ties, self.ordered) {
                (Ties::Davidson, false) => "strengths and tie parameter grow for ever together",
                _ => "strengths and effect of the order grow for ever together",
            });
        }
        Ok(())
    }

    /// Sums over all cells, by outcome.
    fn totals(&self) -> [f64; 3] {
        self.cells.iter().fold([0.0; 3], |mut totals, cell| {
            totals.iter_mut().zip(cell.counts).for_each(|(total, count)| *total += count);
            totals
        })
    }

    /// The winners of each pair, with ties as wins of both.
    fn graph(&self) -> Graph {
        let mut graph = Graph::new(self.models);
        for cell in &self.cells {
            let [first, second, tie] = cell.counts;
            if first + tie > 0.0 {
                graph.join(cell.first, cell.second);
            }
            if second + tie > 0.0 {
                graph.join(cell.second, cell.first);
            }
        }
        graph
    }

    /// Whether the likelihood rises without limit along a direction in which the tie parameter or the effect
    /// of the order changes.
    ///
    /// # Method
    ///
    /// Outcomes are an exponential family, so a finite and single maximum is missing exactly if
    /// the parameters can move in a direction, other than that of all strengths together, along which the
    /// observed outcome of every comparison keeps the greatest weight. With u the movement of
    /// strengths, k of the effect of the order and m of 2 ln ν: a win of the first demands that its
    /// lead, `u_a` - `u_b` with k added, be at least the greater of m and 0, a win of the second the
    /// same of the negative lead, and a tie that the lead be m at most either way (0 where ties are
    /// half wins). A direction with k = m = 0 is what [`Graph`] finds; m < 0 needs that there be no
    /// tie.
    fn has_endless_rise(&self) -> Result<bool, StatError> {
        let davidson = self.ties == Ties::Davidson;
        if !(davidson || self.ordered) || self.has_plain_reversals() {
            return Ok(false);
        }
        let mut bounds = Vec::new();
        for &Cell { first, second, counts } in &self.cells {
            let down = |decided| Bound { from: first, to: second, order: 1, decided };
            let up = |decided| Bound { from: second, to: first, order: -1, decided };
            if counts[0] > 0.0 {
                bounds.push(down(-1));
            }
            if counts[1] > 0.0 {
                bounds.push(up(-1));
            }
            if counts[2] > 0.0 {
                bounds.extend([down(1), up(1)]);
            }
        }
        let with_order =
            self.ordered && [-1, 1].iter().any(|&order| can_move(self.models, &bounds, order, 0));
        Ok(with_order
            || match (davidson, self.ordered) {
                (true, false) => can_move(self.models, &bounds, 0, 1),
                (true, true) => can_move_for_any_order(self.models, &bounds)?,
                (false, _) => false,
            })
    }

    /// Whether single pairs rule out an unlimited rise, as they do in all but small data.
    ///
    /// A pair with wins of both bounds ties: both wins require a lead that is impossible. The effect of the
    /// order is bounded by one pair won by the first in both orders, and one by the second.
    fn has_plain_reversals(&self) -> bool {
        let (mut both_ways, mut by_first, mut by_second) = (false, !self.ordered, !self.ordered);
        let mut won = vec![[false; 2]; if self.ordered { self.models * self.models } else { 0 }];
        for &Cell { first, second, counts } in &self.cells {
            let [of_first, of_second] = [counts[0] > 0.0, counts[1] > 0.0];
            both_ways |= of_first && of_second;
            if self.ordered {
                let mirrored = won[second * self.models + first];
                by_first |= mirrored[0] && of_first;
                by_second |= mirrored[1] && of_second;
                won[first * self.models + second] = [of_first, of_second];
            }
        }
        by_first && by_second && (both_ways || self.ties != Ties::Davidson)
    }

    /// Log-likelihood of the model with separate shares of outcomes for every pair, and its number of free
    /// shares.
    pub(super) fn saturated(&self) -> (f64, usize) {
        let mut value = 0.0;
        for cell in &self.cells {
            let counts = self.effective(cell.counts);
            let total: f64 = counts.iter().sum();
            value += counts
                .iter()
                .filter(|&&count| count > 0.0)
                .map(|&count| count * (count / total).ln())
                .sum::<f64>();
        }
        (value, self.cells.len() * if self.ties == Ties::Davidson { 2 } else { 1 })
    }

    /// Counts as used in the likelihood.
    #[inline]
    pub(super) fn effective(&self, [first, second, tie]: [f64; 3]) -> [f64; 3] {
        match self.ties {
            Ties::Half => [first + 0.5 * tie, second + 0.5 * tie, 0.0],
            Ties::LeftOut => [first, second, 0.0],
            Ties::Davidson => [first, second, tie],
        }
    }

    /// Difference of strengths of a cell, with the effect of the order.
    #[inline]
    pub(super) fn lead(&self, at: &[f64], cell: &Cell) -> f64 {
        let lead = at[cell.first] - at[cell.second];
        self.order_parameter().map_or(lead, |order| lead + at[order])
    }
}

/// Probabilities of the outcomes, in the order of [`ComparisonOutcome::ALL`], without ties if there is no ν.
pub(super) fn probabilities(lead: f64, log_nu: Option<f64>) -> [f64; 3] {
    Shares::new(lead, log_nu).probabilities
}

/// Probabilities of the outcomes and their logarithms, in the order of [`ComparisonOutcome::ALL`].
///
/// They are in proportion to exp(lead / 2), exp(-lead / 2) and ν.
struct Shares {
    probabilities: [f64; 3],
    logarithms: [f64; 3],
}

impl Shares {
    #[inline]
    fn new(lead: f64, log_nu: Option<f64>) -> Self {
        let distance = lead.abs();
        let (mut probabilities, mut logarithms) = match log_nu {
            None => {
                let odds = (-distance).exp();
                let (greater, log_sum) = (1.0 / (1.0 + odds), odds.ln_1p());
                ([greater, odds * greater, 0.0], [-log_sum, -distance - log_sum, 0.0])
            }
            Some(log_nu) => {
                let half = 0.5 * distance;
                let top = half.max(log_nu);
                let exponents = [half - top, -half - top, log_nu - top];
                let weights = exponents.map(f64::exp);
                let sum: f64 = weights.iter().sum();
                let log_sum = sum.ln();
                (weights.map(|weight| weight / sum), exponents.map(|exponent| exponent - log_sum))
            }
        };
        if lead < 0.0 {
            probabilities.swap(0, 1);
            logarithms.swap(0, 1);
        }
        Self { probabilities, logarithms }
    }
}

impl Likelihood for Cells {
    fn strengths(&self) -> usize {
        self.models
    }

    fn parameters(&self) -> usize {
        self.first_covariate() + self.covariates
    }

    // Differences of probabilities near 1 are written as sums of small ones, which keep their digits.
    fn evaluate(&self, at: &[f64], gradient: &mut [f64], information: &mut Symmetric) -> f64 {
        let (tie_parameter, order_parameter) = (self.tie_parameter(), self.order_parameter());
        let log_nu = tie_parameter.map(|place| at[place]);
        let mut value = 0.0;
        let first_covariate = self.first_covariate();
        let mut orders = (0.0, 0.0);
        for (index, cell) in self.cells.iter().enumerate() {
            let [first, second, tie] = self.effective(cell.counts);
            let total = first + second + tie;
            if total == 0.0 {
                continue;
            }
            let covariates = &self.values[index * self.covariates..(index + 1) * self.covariates];
            let adjusted = |lead: f64, (value, beta): (&f64, &f64)| lead + value * beta;
            let lead = covariates.iter().zip(&at[first_covariate..]).fold(self.lead(at, cell), adjusted);
            let Shares { probabilities: [p_first, p_second, p_tie], logarithms } = Shares::new(lead, log_nu);
            value += first * logarithms[0] + second * logarithms[1] + tie * logarithms[2];
            let slope = 0.5
                * (first * (2.0 * p_second + p_tie)
                    - second * (2.0 * p_first + p_tie)
                    - tie * (p_first - p_second));
            let spread = total * (p_first * p_second + 0.25 * p_tie * (p_first + p_second));
            gradient[cell.first] += slope;
            gradient[cell.second] -= slope;
            information.add(cell.first, cell.first, spread);
            information.add(cell.second, cell.second, spread);
            information.add(cell.first, cell.second, -spread);
            orders.0 += slope;
            orders.1 += spread;
            if let Some(order) = order_parameter {
                information.add(cell.first, order, spread);
                information.add(cell.second, order, -spread);
            }
            if let Some(place) = tie_parameter {
                let decided = p_first + p_second;
                gradient[place] += tie * decided - (first + second) * p_tie;
                information.add(place, place, total * p_tie * decided);
                let joint = -0.5 * total * p_tie * (p_first - p_second);
                information.add(cell.first, place, joint);
                information.add(cell.second, place, -joint);
                if let Some(order) = order_parameter {
                    information.add(place, order, joint);
                }
                for (place_of, value) in (first_covariate..).zip(covariates) {
                    information.add(place, place_of, value * joint);
                }
            }
            for (number, value) in covariates.iter().enumerate() {
                let place = first_covariate + number;
                gradient[place] += value * slope;
                information.add(cell.first, place, value * spread);
                information.add(cell.second, place, -value * spread);
                if let Some(order) = order_parameter {
                    information.add(order, place, value * spread);
                }
                for (other, also) in (place..).zip(&covariates[number..]) {
                    information.add(place, other, value * also * spread);
                }
            }
        }
        if let Some(order) = order_parameter {
            gradient[order] += orders.0;
            information.add(order, order, orders.1);
        }
        value
    }
}
