//! Expectation and maximization for models in which a vote depends only on its rater and the truth.

use std::ops::Range;

use super::check_cells;
use super::votes::LabelVotes;
use crate::StatError;
use crate::describe::sum;
use crate::parallel;

mod item;

pub(super) use item::{LEAST, LogProduct};

use item::Posterior;

/// The number of labels that one arithmetic step processes; rows are padded to multiples of it.
const LANES: usize = 4;
/// Probabilities of, or sums over, four true labels.
pub(super) type Group = [f64; LANES];

/// The maximum number of blocks of items processed at once.
pub(super) const MOST_BLOCKS: usize = 16;
/// The minimum number of votes in a block.
pub(super) const LEAST_VOTES: usize = 2_048;

/// The convergence criteria of expectation and maximization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmOptions {
    /// Maximum number of iterations, at least 1. A fit that needs more is returned in its current
    /// state, with [`EmFit::converged`] false.
    pub max_iterations: usize,
    /// The fit has converged when an iteration changes no probability by more than this, and the
    /// objective by no more than this times its magnitude (or this, if the magnitude is below 1). It
    /// has also converged when the objective stays the same to fourteen digits for 1,000 iterations:
    /// the votes then do not determine the probabilities that still change.
    pub tolerance: f64,
}

impl Default for EmOptions {
    /// 10,000 iterations and a tolerance of 1e-12: if an iteration leaves the share r of the distance
    /// to the limit, probabilities are then about 1e-12 r / (1 - r) from it.
    fn default() -> Self {
        Self { max_iterations: 10_000, tolerance: 1e-12 }
    }
}

impl EmOptions {
    pub(super) fn check(&self) -> Result<(), StatError> {
        check_stop(self.max_iterations, self.tolerance)
    }
}

pub(super) fn check_stop(max_iterations: usize, tolerance: f64) -> Result<(), StatError> {
    if max_iterations == 0 {
        return Err(StatError::Parameter { parameter: "iterations", expected: "at least 1", got: 0.0 });
    }
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(StatError::Parameter {
            parameter: "tolerance",
            expected: "finite and not negative",
            got: tolerance,
        });
    }
    Ok(())
}

/// Iterations without a gain after which the objective is at its limit.
///
/// Few votes can leave a ridge of equal likelihood. The floors of counts then move the estimates along
/// it by about 1e-10 per iteration, without end and without gain.
const PLATEAU: usize = 1_000;
/// The gain over that many iterations, relative to the objective, that may be due to rounding.
const ROUNDING: f64 = 1e-14;

/// The course of an estimation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EmFit {
    /// Natural logarithm of the probability of all votes given the estimates.
    pub log_likelihood: f64,
    /// The objective of each iteration, which rises to its limit. It is defined by the model; the last
    /// value belongs to the returned estimates.
    pub history: Vec<f64>,
    /// Whether the estimation converged within the maximum number of iterations.
    pub converged: bool,
}

impl EmFit {
    /// Number of iterations.
    #[must_use]
    pub const fn iterations(&self) -> usize {
        self.history.len()
    }
}

/// The class prior and the probability of each label given the truth, for each rater.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    /// Groups in a row.
    pub(super) groups: usize,
    /// By true label; 0 in the padding.
    pub(super) prior: Vec<Group>,
    /// By row (rater, label), then true label. No entry is below [`item::LEAST`].
    pub(super) likelihood: Vec<Group>,
}

impl Tables {
    /// Makes every class equally likely; the rows remain to be set.
    pub(super) fn uniform(votes: &LabelVotes) -> Result<Self, StatError> {
        let groups = votes.labels().div_ceil(LANES);
        let cells = check_cells(
            "number of raters times number of labels squared",
            &[votes.row_count(), groups * LANES],
        )?;
        let mut prior = vec![[0.0; LANES]; groups];
        prior.as_flattened_mut()[..votes.labels()].fill(1.0 / votes.labels() as f64);
        Ok(Self { groups, prior, likelihood: vec![[1.0; LANES]; cells / LANES] })
    }

    /// Numbers in a row, padding included.
    pub(super) const fn width(&self) -> usize {
        self.groups * LANES
    }

    /// The greatest change of an entry.
    pub(super) fn change(&self, other: &Self) -> f64 {
        change(self.prior.as_flattened(), other.prior.as_flattened())
            .max(change(self.likelihood.as_flattened(), other.likelihood.as_flattened()))
    }

    /// The class prior without padding.
    pub(super) fn class_priors(&self, labels: usize) -> Vec<f64> {
        self.prior.as_flattened()[..labels].to_vec()
    }
}

/// The greatest difference of two numbers at the same position.
pub(super) fn change(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).fold(0.0, |most, (left, right)| f64::max(most, (left - right).abs()))
}

/// Sums over items of the posteriors.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    /// Expected number of votes of each row by true label.
    pub(super) counts: Vec<Group>,
    /// Expected number of items by true label.
    pub(super) classes: Vec<Group>,
    /// Logarithm of the probability of all votes given the tables.
    pub(super) log_likelihood: f64,
}

impl Expected {
    fn new(rows: usize, groups: usize) -> Self {
        Self {
            counts: vec![[0.0; LANES]; rows * groups],
            classes: vec![[0.0; LANES]; groups],
            log_likelihood: 0.0,
        }
    }

    fn clear(&mut self) {
        self.counts.as_flattened_mut().fill(0.0);
        self.classes.as_flattened_mut().fill(0.0);
    }

    #[inline(always)]
    fn add(&mut self, rows: &[u32], posterior: &[Group]) {
        let groups = posterior.len();
        add(&mut self.classes, posterior);
        for &row in rows {
            add(&mut self.counts[row as usize * groups..][..groups], posterior);
        }
    }

    /// Expected number of votes of a row for its own label, which are the correct ones.
    pub(super) fn correct(&self, row: usize, label: usize) -> f64 {
        let width = self.classes.len() * LANES;
        self.counts.as_flattened()[row * width + label]
    }
}

#[inline(always)]
fn add(totals: &mut [Group], terms: &[Group]) {
    for (totals, terms) in totals.iter_mut().zip(terms) {
        for (total, term) in totals.iter_mut().zip(terms) {
            *total += term;
        }
    }
}

/// Computes expectations over blocks of items, and adds the blocks up in their order.
pub(super) struct Engine<'a> {
    pub(super) votes: &'a LabelVotes,
    /// Number of items with votes.
    pub(super) voted: f64,
    bounds: Vec<usize>,
    blocks: Vec<Expected>,
    total: Expected,
}

impl<'a> Engine<'a> {
    pub(super) fn new(votes: &'a LabelVotes, tables: &Tables) -> Self {
        // With more rows than votes, sums of rows would take longer than the votes themselves.
        let most = (votes.len() / votes.row_count()).min(votes.len() / LEAST_VOTES);
        let bounds = votes.blocks(most.min(MOST_BLOCKS));
        let blocks = vec![Expected::new(votes.row_count(), tables.groups); bounds.len() - 1];
        let voted = (0..votes.items()).filter(|&item| !votes.rows_of(item).is_empty()).count() as f64;
        Self { votes, voted, bounds, total: Expected::new(votes.row_count(), tables.groups), blocks }
    }

    /// Uses the shares of the votes as posteriors.
    pub(super) fn expect_shares(&mut self) -> &Expected {
        let votes = self.votes;
        self.for_each_block(|block, items| {
            let mut shares = vec![[0.0; LANES]; block.classes.len()];
            for rows in items.map(|item| votes.rows_of(item)).filter(|rows| !rows.is_empty()) {
                shares.as_flattened_mut().fill(0.0);
                for &row in rows {
                    shares.as_flattened_mut()[row as usize % votes.labels()] += 1.0 / rows.len() as f64;
                }
                block.add(rows, &shares);
            }
        })
    }

    /// Computes the posteriors from the tables.
    pub(super) fn expect(&mut self, tables: &Tables) -> &Expected {
        let votes = self.votes;
        self.for_each_block(|block, items| {
            let mut adder = Adder { block, product: LogProduct::ONE };
            visit(tables, votes, items, &mut adder);
            let log_likelihood = adder.product.ln();
            block.log_likelihood = log_likelihood;
        })
    }

    /// Fills each block in parallel, and adds them up.
    fn for_each_block(&mut self, fill: impl Fn(&mut Expected, Range<usize>) + Sync) -> &Expected {
        let bounds = &self.bounds;
        parallel::for_each_of(self.blocks.iter_mut(), |index, block| {
            block.clear();
            fill(block, bounds[index]..bounds[index + 1]);
        });
        let Self { blocks, total, .. } = self;
        total.clear();
        parallel::for_each_of(total.counts.chunks_mut(4_096), |chunk, totals| {
            for block in &*blocks {
                let start = chunk * 4_096;
                add(totals, &block.counts[start..start + totals.len()]);
            }
        });
        blocks.iter().for_each(|block| add(&mut total.classes, &block.classes));
        let parts: Vec<f64> = blocks.iter().map(|block| block.log_likelihood).collect();
        total.log_likelihood = sum(&parts);
        total
    }

    /// The posteriors of all items; the class prior for items without votes.
    pub(super) fn posteriors(&self, tables: &Tables) -> Result<Vec<f64>, StatError> {
        let labels = self.votes.labels();
        let cells = check_cells("number of items times number of labels", &[self.votes.items(), labels])?;
        let prior = &tables.prior.as_flattened()[..labels];
        let mut posteriors = vec![0.0; cells];
        let parts = split(&mut posteriors, &self.bounds, labels);
        parallel::for_each_of(parts.into_iter(), |index, posteriors| {
            posteriors.chunks_exact_mut(labels).for_each(|posterior| posterior.copy_from_slice(prior));
            let (first, end) = (self.bounds[index], self.bounds[index + 1]);
            let mut writer = Writer { posteriors, first, labels };
            visit(tables, self.votes, first..end, &mut writer);
        });
        Ok(posteriors)
    }
}

/// Splits a slice of `width` values for each item at the bounds of the blocks.
pub(super) fn split<'a, T>(mut values: &'a mut [T], bounds: &[usize], width: usize) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(bounds.len() - 1);
    for bounds in bounds.windows(2) {
        let (part, rest) = values.split_at_mut((bounds[1] - bounds[0]) * width);
        parts.push(part);
        values = rest;
    }
    parts
}

/// The processing of each item's posterior.
trait Visitor {
    fn visit(&mut self, item: usize, rows: &[u32], posterior: Posterior<'_>);
}

/// Adds posteriors to a block, and multiplies the probabilities of votes.
struct Adder<'a> {
    block: &'a mut Expected,
    product: LogProduct,
}

impl Visitor for Adder<'_> {
    #[inline(always)]
    fn visit(&mut self, _: usize, rows: &[u32], posterior: Posterior<'_>) {
        self.block.add(rows, posterior.groups);
        self.product.multiply(posterior.evidence, posterior.exponent);
    }
}

/// Writes posteriors without their padding.
struct Writer<'a> {
    posteriors: &'a mut [f64],
    first: usize,
    labels: usize,
}

impl Visitor for Writer<'_> {
    #[inline(always)]
    fn visit(&mut self, item: usize, _: &[u32], posterior: Posterior<'_>) {
        self.posteriors[(item - self.first) * self.labels..][..self.labels]
            .copy_from_slice(&posterior.groups.as_flattened()[..self.labels]);
    }
}

/// Visits every item that has votes.
fn visit(tables: &Tables, votes: &LabelVotes, items: Range<usize>, visitor: &mut impl Visitor) {
    // The compiler knows the width for up to twelve labels, which halves the time.
    match tables.groups {
        1 => visit_with(&mut [[0.0; LANES]; 1], tables, votes, items, visitor),
        2 => visit_with(&mut [[0.0; LANES]; 2], tables, votes, items, visitor),
        3 => visit_with(&mut [[0.0; LANES]; 3], tables, votes, items, visitor),
        groups => visit_with(vec![[0.0; LANES]; groups].as_mut_slice(), tables, votes, items, visitor),
    }
}

#[inline(always)]
fn visit_with(
    scratch: &mut [Group],
    tables: &Tables,
    votes: &LabelVotes,
    items: Range<usize>,
    visitor: &mut impl Visitor,
) {
    for item in items {
        let rows = votes.rows_of(item);
        if !rows.is_empty() {
            visitor.visit(item, rows, item::posterior(rows, tables, scratch));
        }
    }
}

/// A model whose maximization step computes tables.
pub(super) trait Model {
    /// The estimates, including the tables.
    type Estimates: Clone;

    /// The tables for these estimates.
    fn tables<'a>(&self, estimates: &'a Self::Estimates) -> &'a Tables;

    /// Sets new estimates from the old ones and their expectations.
    fn maximize(&self, old: &Self::Estimates, expected: &Expected, new: &mut Self::Estimates);

    /// The objective, given the logarithm of the probability of the votes.
    fn objective(&self, _estimates: &Self::Estimates, log_likelihood: f64) -> f64 {
        log_likelihood
    }
}

/// Iterates from estimates to a limit, and appends the objectives to the history.
///
/// The estimates returned are those of the last objective; `true` says that they have converged.
pub(super) fn climb<M: Model>(
    model: &M,
    engine: &mut Engine<'_>,
    estimates: &mut M::Estimates,
    options: EmOptions,
    history: &mut Vec<f64>,
) -> bool {
    let mut next = estimates.clone();
    loop {
        let expected = engine.expect(model.tables(estimates));
        let objective = model.objective(estimates, expected.log_likelihood);
        let gain = history.last().map_or(f64::INFINITY, |last| (objective - last).abs());
        history.push(objective);
        model.maximize(estimates, expected, &mut next);
        let scale = objective.abs().max(1.0);
        let still = gain <= options.tolerance * scale
            && model.tables(estimates).change(model.tables(&next)) <= options.tolerance;
        let before = history.len().checked_sub(PLATEAU + 1).map(|place| history[place]);
        if still || before.is_some_and(|before| (objective - before).abs() <= ROUNDING * scale) {
            return true;
        }
        if history.len() >= options.max_iterations {
            return false;
        }
        std::mem::swap(estimates, &mut next);
    }
}
